//! A partition that is asked for by names: these coordinates are independent, all others that constraints have follow.
//!
//! Whether that can be is seen where the constraints are looked at; here names are looked up.

use super::choice::Question;
use crate::problem::Problem;
use crate::tree::{Motion, Tree};
use rotule_model::mechanism::Nature;
use rotule_symbolic::nearest;

/// Asks for a partition: joints, or coordinates of joints that have several.
pub fn ask_independent(tree: &mut Tree, names: &[&str]) -> Result<(), Problem> {
    let mut asked: Vec<usize> = Vec::new();
    for &name in names {
        asked.extend(speeds_of(tree, name)?);
    }
    asked.sort_unstable();
    asked.dedup();
    tree.mechanism.independent = Some(asked);
    Ok(())
}

/// The speeds that a name stands for, if they are free.
fn speeds_of(tree: &Tree, name: &str) -> Result<Vec<usize>, Problem> {
    let mechanism = &tree.mechanism;
    let of_coordinate = |at: usize| {
        let single =
            |motion: Motion| !matches!(motion, Motion::Ground | Motion::Spherical | Motion::Free);
        let node = tree.nodes.iter().find(|node| single(node.motion) && node.coordinate == at);
        node.map(|node| vec![node.speed])
    };
    let joint =
        mechanism.joints.iter().find(|joint| joint.name == name && !joint.speeds.is_empty());
    let coordinate = mechanism.coordinates.iter().position(|one| one.name == name);
    let owner = joint.or_else(|| {
        mechanism
            .joints
            .iter()
            .find(|joint| coordinate.is_some_and(|at| joint.coordinates.contains(&at)))
    });
    let Some(owner) = owner else {
        let known = mechanism.coordinates.iter().map(|one| one.name.as_str());
        let known = known.chain(mechanism.joints.iter().map(|joint| joint.name.as_str()));
        let help = nearest(name, known).map_or("name joints or coordinates".to_owned(), |near| {
            format!("did you mean `{near}`?")
        });
        return Err(Problem::new(format!("there is no joint or coordinate `{name}`"), help));
    };
    let known = match owner.nature {
        Nature::Free => None,
        Nature::Locked => Some("locked"),
        Nature::Driven { .. } => Some("driven"),
    };
    if let Some(known) = known {
        return Err(Problem::new(
            format!("`{name}` is asked to be independent, but it is {known}"),
            "its motion is known: name free coordinates only",
        ));
    }
    if joint.is_some() {
        return Ok(owner.speeds.clone().collect());
    }
    coordinate.and_then(of_coordinate).ok_or_else(|| {
        Problem::new(
            format!("`{name}` cannot be asked for by itself: its joint has a quaternion"),
            format!("name the joint `{}`", owner.name),
        )
    })
}

impl Question {
    /// These columns are independent, and no others that rows have.
    pub(super) fn only(&mut self, asked: &[usize]) {
        let mut used = vec![false; self.shape.columns];
        self.shape.rows.iter().flatten().for_each(|entry| used[entry.0] = true);
        for (column, wish) in self.shape.wishes.iter_mut().enumerate() {
            // What cannot follow is independent in any case.
            let may = used[column] && !self.shape.barred[column] && !self.joined[column];
            *wish = may.then(|| asked.binary_search(&column).is_err());
        }
    }
}
