//! The layout of a state: coordinates of free joints, independent speeds, then whatever is
//! integrated besides; for one motion or for several in lanes.
//!
//! The state has dependent coordinates, too: the equations take these for guesses and close loops
//! from there, so that every method predicts, interpolates and watches them like all others. Of
//! speeds it has the independent ones.

use crate::follow::Follow;
use crate::lanes::Run;
use rotule_formalism::MultibodySystem;
use rotule_model::mechanism::{Joint, Mechanism, Role};
use rotule_numeric::pattern::Pattern;

/// A quaternion that was divided by its length is as near to unit length as this.
const UNIT: f64 = 4.0 * f64::EPSILON;

/// The coordinates and speeds that are the state.
pub(crate) struct StateLayout {
    pub coordinates: Vec<usize>,
    pub speeds: Vec<usize>,
    /// `true` for coordinates that are angles of revolute joints.
    pub turns: Vec<bool>,
    /// `true` for coordinates that follow from the others.
    pub follows: Vec<bool>,
    /// The blocks by which loops are followed.
    pub follow: Follow,
    /// The coordinates and the speeds as runs.
    runs: [Vec<Run>; 2],
    /// Coordinates that follow from others, with their places in the state.
    following: Vec<(usize, usize)>,
    /// Where quaternions begin.
    quaternions: Vec<usize>,
}

impl StateLayout {
    /// The state by the partition that a tree holds, some of whose joints are locked by events. The
    /// pattern of the constraints is needed where there is a partition.
    pub fn of(tree: &MultibodySystem, locked: &[usize], pattern: Option<&Pattern>) -> StateLayout {
        let mechanism = &tree.mechanism;
        // What events lock stays among the states, at rest, so that their number is the same.
        let [coordinates, mut speeds] = free(mechanism, locked);
        let follow = match (&tree.strategy.partition, pattern) {
            (Some(choice), Some(pattern)) => Follow::of(mechanism, pattern, choice),
            _ => Follow::default(),
        };
        if let Some(choice) = &tree.strategy.partition {
            let dependent: Vec<usize> = choice.speeds.dependent().collect();
            speeds.retain(|at| !dependent.contains(at));
        }
        StateLayout::new(tree, [coordinates, speeds], follow)
    }

    /// The state of all coordinates and speeds of free joints.
    pub fn of_all(tree: &MultibodySystem) -> StateLayout {
        StateLayout::new(tree, free(&tree.mechanism, &[]), Follow::default())
    }

    fn new(
        tree: &MultibodySystem,
        [coordinates, speeds]: [Vec<usize>; 2],
        follow: Follow,
    ) -> StateLayout {
        let none = vec![false; tree.motion.q.len()];
        let (mut turning, mut following) = (none.clone(), none);
        let nodes = tree.tree.nodes.iter().filter(|node| node.motion.turns_about().is_some());
        nodes.for_each(|node| turning[node.coordinate.index()] = true);
        follow.mark(&mut following);
        let own = |marks: Vec<bool>| coordinates.iter().map(|&at| marks[at]).collect();
        let first = tree.mechanism.joints.iter().filter_map(Joint::quaternion);
        let place = |start: usize| coordinates.iter().position(|&one| one == start);
        let follows: Vec<bool> = own(following);
        let all = coordinates.iter().copied().enumerate().zip(&follows);
        let following = all.filter(|(_, follows)| **follows).map(|(place, _)| place).collect();
        StateLayout {
            turns: own(turning),
            follows,
            following,
            runs: [&coordinates, &speeds].map(|places| Run::all(places.iter().copied())),
            quaternions: first.filter_map(|range| place(range.start)).collect(),
            follow,
            coordinates,
            speeds,
        }
    }

    /// Number of coordinates and speeds.
    pub fn len(&self) -> usize {
        self.coordinates.len() + self.speeds.len()
    }

    /// Takes a state, or its rates, out of lists of all coordinates and speeds, or of theirs.
    pub fn gather(&self, width: usize, q: &[f64], qd: &[f64], state: &mut [f64]) {
        let (own, rest) = state.split_at_mut(width * self.coordinates.len());
        let [coordinates, speeds] = &self.runs;
        coordinates.iter().for_each(|run| run.gather(width, q, own));
        speeds.iter().for_each(|run| run.gather(width, qd, rest));
    }

    /// Puts a state into the lists of all coordinates and speeds.
    pub fn scatter(&self, width: usize, state: &[f64], q: &mut [f64], qd: &mut [f64]) {
        let (own, rest) = state.split_at(width * self.coordinates.len());
        let [coordinates, speeds] = &self.runs;
        coordinates.iter().for_each(|run| run.scatter(width, own, q));
        speeds.iter().for_each(|run| run.scatter(width, rest, qd));
    }

    /// Coordinates that follow from others, with their places in the state.
    pub fn following(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.following.iter().copied()
    }

    /// Takes the coordinates that follow from others out of the list of all.
    pub fn gather_following(&self, width: usize, q: &[f64], state: &mut [f64]) {
        for (place, at) in self.following() {
            state[width * place..][..width].copy_from_slice(&q[width * at..][..width]);
        }
    }

    /// Gives quaternions unit length; true if any changed.
    pub fn normalise(&self, width: usize, state: &mut [f64]) -> bool {
        let mut changed = false;
        for &first in &self.quaternions {
            for lane in 0..width {
                let place = |part: usize| width * (first + part) + lane;
                let squares = (0..4).map(|part| state[place(part)] * state[place(part)]);
                let length = squares.sum::<f64>().sqrt();
                if (length - 1.0).abs() > UNIT && length > 0.0 {
                    (0..4).for_each(|part| state[place(part)] /= length);
                    changed = true;
                }
            }
        }
        changed
    }
}

/// Coordinates and speeds of free joints, those that events lock among them.
pub(crate) fn free(mechanism: &Mechanism, locked: &[usize]) -> [Vec<usize>; 2] {
    let joints = mechanism.joints.iter().enumerate();
    let free = joints.filter(|(at, joint)| joint.role == Role::Free || locked.contains(at));
    let free: Vec<&Joint> = free.map(|(_, joint)| joint).collect();
    [
        free.iter().flat_map(|joint| joint.coordinates.clone()).collect(),
        free.iter().flat_map(|joint| joint.speeds.clone()).collect(),
    ]
}
