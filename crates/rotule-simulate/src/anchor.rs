//! The last accepted coordinates, from which loops are followed; of one motion or of several in
//! lanes.

use crate::lanes::Run;
use crate::layout::StateLayout;
use rotule_model::mechanism::Mechanism;

/// Coordinates and their first and second derivatives at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anchor {
    width: usize,
    pub t: f64,
    pub q: Vec<f64>,
    qdot: Vec<f64>,
    curvature: Vec<f64>,
    /// The coordinates whose second derivatives are accelerations, as places of these.
    accelerated: Vec<Run>,
}

impl Anchor {
    /// Coordinates of a mechanism whose rates are not known yet, of so many motions.
    pub fn new(width: usize, t: f64, q: &[f64], mechanism: &Mechanism) -> Anchor {
        let zeros = vec![0.0; q.len()];
        let mut accelerated: Vec<Run> = Vec::new();
        for joint in mechanism.joints.iter().filter(|one| one.quaternion().is_none()) {
            let (place, row, len) =
                (joint.speeds.start, joint.coordinates.start, joint.coordinates.len());
            match accelerated.last_mut() {
                Some(last) if (last.place + last.len, last.row + last.len) == (place, row) => {
                    last.len += len;
                }
                _ => accelerated.push(Run { place, row, len }),
            }
        }
        Anchor { width, t, q: q.to_vec(), qdot: zeros.clone(), curvature: zeros, accelerated }
    }

    /// Coordinates that were accepted, with the rates of coordinates and speeds there.
    pub fn accept(&mut self, t: f64, [q, qdot, qdd]: [&[f64]; 3]) {
        self.t = t;
        self.q.copy_from_slice(q);
        self.qdot.copy_from_slice(qdot);
        let (width, curvature) = (self.width, &mut self.curvature);
        self.accelerated.iter().for_each(|run| run.gather(width, qdd, curvature));
    }

    /// Where a coordinate is at another time, by a parabola.
    pub fn leads(&self, place: usize, t: f64) -> f64 {
        parabola([self.q[place], self.qdot[place], self.curvature[place]], t - self.t)
    }

    /// Returns `true` if closing went so far from where it started that loops may have jumped.
    pub fn jumped(
        &self,
        layout: &StateLayout,
        lane: usize,
        t: f64,
        start: &[f64],
        closed: &[f64],
    ) -> bool {
        let lanes = (self.width, lane);
        let jumped = |start: &[f64]| layout.follow.jumped(lanes, &self.q, start, closed).is_some();
        // Where a motion turns, early stages of a step know less than the last accepted point does.
        jumped(start) && {
            let mut start = start.to_vec();
            for (_, at) in layout.following() {
                let place = self.width * at + lane;
                start[place] = self.leads(place, t);
            }
            jumped(&start)
        }
    }

    /// All lists, for copies between lanes.
    pub fn lists(&mut self) -> [&mut Vec<f64>; 3] {
        [&mut self.q, &mut self.qdot, &mut self.curvature]
    }
}

/// A value with its first and second derivatives, some time ahead.
fn parabola([value, rate, curvature]: [f64; 3], ahead: f64) -> f64 {
    value + ahead * (rate + 0.5 * ahead * curvature)
}
