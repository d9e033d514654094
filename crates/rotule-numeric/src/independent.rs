//! A partition that is requested by names: these coordinates are independent, all others that
//! constraints have follow.
//!
//! Whether the constraints allow it is decided where they are evaluated; here names are looked up.

use crate::coordinate_partition::PartitionProblem;
use rotule_formalism::Problem;
use rotule_model::mechanism::{Mechanism, Role};
use rotule_symbolic::likely;

/// Asks for a partition: names are those of joints, or of coordinates of joints that have several.
pub fn ask_independent(mechanism: &mut Mechanism, names: &[&str]) -> Result<(), Problem> {
    let mut requested: Vec<usize> = Vec::new();
    for &name in names {
        requested.extend(speeds_of(mechanism, name)?);
    }
    requested.sort_unstable();
    requested.dedup();
    mechanism.independent = Some(requested);
    Ok(())
}

/// The speeds that a name stands for, if they are free.
fn speeds_of(mechanism: &Mechanism, name: &str) -> Result<Vec<usize>, Problem> {
    let mut joints = mechanism.joints.iter();
    let joint = joints.find(|joint| joint.name == name && !joint.speeds.is_empty());
    let coordinate = mechanism.coordinate(name);
    let owner = joint.or_else(|| {
        let at = coordinate?;
        mechanism.joints.iter().find(|joint| joint.coordinates.contains(&at))
    });
    let Some(owner) = owner else {
        let known = mechanism.coordinates.iter().map(|one| one.name.as_str());
        let known = known.chain(mechanism.joints.iter().map(|joint| joint.name.as_str()));
        return Err(Problem::new(
            format!("there is no joint or coordinate `{name}` to choose as independent"),
            likely(name, known),
        ));
    };
    let known = match owner.role {
        Role::Free => None,
        Role::Locked => Some("locked"),
        Role::Driven { .. } => Some("driven"),
    };
    if let Some(known) = known {
        return Err(Problem::new(
            format!("`{name}` cannot be independent: it is {known}"),
            "its motion is prescribed: choose coordinates of free joints",
        ));
    }
    match coordinate {
        _ if joint.is_some() => Ok(owner.speeds.clone().collect()),
        // Coordinates that are no parts of a quaternion are as many as speeds.
        Some(at) if owner.coordinates.len() == owner.speeds.len() => {
            Ok(vec![owner.speeds.start + at - owner.coordinates.start])
        }
        _ => Err(Problem::new(
            format!("`{name}` cannot be independent by itself: it is a component of a quaternion"),
            format!("name the joint `{}`", owner.name),
        )),
    }
}

impl PartitionProblem {
    /// These columns are independent, and no others that rows have.
    pub(crate) fn only(&mut self, requested: &[usize]) {
        let mut used = vec![false; self.shape.columns];
        self.shape.rows.iter().flatten().for_each(|entry| used[entry.0] = true);
        for (column, request) in self.shape.requests.iter_mut().enumerate() {
            // What is known is independent in any case, and quaternions follow only where they
            // must.
            let named = requested.binary_search(&column).is_ok();
            let may =
                used[column] && !self.shape.excluded[column] && (named || !self.joined[column]);
            *request = may.then_some(!named);
        }
    }
}
