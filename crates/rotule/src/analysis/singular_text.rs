//! Singular positions as text for people.

use super::singular::{SingularTable, kinds, length};
use super::text::direction;
use rotule_analysis::singular::{ChosenSpeeds, SingularKind, SingularPose};
use rotule_formalism::units;
use rotule_model::mechanism::Role;
use rotule_symbolic::figures::plain;
use std::fmt;

/// Families that are shown in full; more are counted.
const SHOWN: usize = 40;
/// Coordinates on one line.
const LINE: usize = 6;

fn row(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    writeln!(f, "  {name:<14}{value}")
}

/// A number of things.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Kinds of what is singular, in a sentence.
pub(super) fn sentence(found: &SingularTable, pose: &SingularPose) -> String {
    let output = found.found.examined[pose.matrix].output.as_deref();
    match pose.kinds.first() {
        Some(SingularKind::Mechanism) => {
            "mechanism: constraints depend on each other, motions meet".to_owned()
        }
        Some(SingularKind::Output) => {
            format!("output: {} cannot move in a direction", output.unwrap_or("the output"))
        }
        _ => {
            let words = kinds(pose);
            match pose.kinds.contains(&SingularKind::Actuation) {
                true => format!("{words}: with the drives locked it still moves"),
                false => format!("{words}: dependent coordinates do not follow"),
            }
        }
    }
}

impl SingularTable {
    /// Coordinates of a pose with units.
    pub(super) fn coordinates(&self, pose: &SingularPose) -> Vec<String> {
        let mechanism = &self.tree.mechanism;
        let units = units::of_coordinates(mechanism);
        let moving = mechanism.joints.iter().filter(|joint| joint.role != Role::Locked);
        let places = moving.flat_map(|joint| joint.coordinates.clone());
        let text = |at: usize| {
            // Rounding leaves no zero of its own.
            let value = pose.state.q[at];
            let value = if value.abs() < 1e-11 { 0.0 } else { value };
            format!("{} = {} {}", mechanism.coordinates[at].name, plain(value, 10), units[at])
        };
        places.map(text).collect()
    }

    /// The family of a pose in words; empty of a single pose.
    pub(super) fn family(pose: &SingularPose) -> String {
        if pose.dimension == 0 {
            return String::new();
        }
        let set = match pose.dimension {
            1 => "curve".to_owned(),
            2 => "surface".to_owned(),
            dimension => format!("set of dimension {dimension}"),
        };
        let zero = |x: f64| if x.abs() < 1e-9 { 0.0 } else { x };
        let pinned = pose.pinned.iter().take(LINE);
        let pinned = pinned.map(|(name, value)| format!("{name} = {}", plain(zero(*value), 8)));
        let pinned: Vec<String> = pinned.collect();
        let all =
            if pinned.is_empty() { String::new() } else { format!(" with {}", pinned.join(", ")) };
        format!("a {set}{all}; {}", counted(pose.count, "pose found", "poses found"))
    }
}

impl fmt::Display for SingularTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = &self.found;
        writeln!(f, "singular positions of {}", self.model)?;
        let freedom = counted(found.freedom, "degree of freedom", "degrees of freedom");
        let searched = match found.searched == found.freedom {
            true => String::new(),
            false => format!(", poses of dimension {} searched", found.searched),
        };
        row(f, "freedom", &format!("{freedom}{searched}"))?;
        let chosen = |list: &ChosenSpeeds| format!("{} ({})", list.names.join(", "), list.origin);
        if found.examined.iter().any(|one| one.output.is_none()) {
            row(f, "drives", &chosen(&found.drives))?;
            row(f, "independent", &chosen(&found.independent))?;
        }
        for one in found.examined.iter().filter_map(|one| one.output.as_ref()) {
            row(f, "output", one)?;
        }
        if found.searched == 1 {
            for (at, curve) in found.curves.iter().enumerate() {
                let end = if curve.closed { "closed" } else { curve.end };
                let name = if at == 0 { "searched" } else { "" };
                let size = plain(length(curve), 4);
                row(f, name, &format!("curve {} of motion, length {size}, {end}", at + 1))?;
            }
        } else {
            let [closed, all] = found.starts;
            row(f, "searched", &format!("from the state and {closed} of {all} random starts"))?;
        }
        for (at, one) in found.examined.iter().enumerate() {
            let words: Vec<&str> = one.kinds.iter().map(|kind| kind.word()).collect();
            let of = one.output.as_ref().map_or(String::new(), |output| format!(" ({output})"));
            let name = if at == 0 { "in the state" } else { "" };
            let here = plain(one.here, 4);
            row(
                f,
                name,
                &format!(
                    "{}{of}: smallest singular value {here}, rank {}",
                    words.join(", "),
                    one.rank
                ),
            )?;
        }
        for remark in &found.remarks {
            row(f, "remark", remark)?;
        }
        if found.poses.is_empty() {
            return row(f, "found", "no singular position");
        }
        for (at, pose) in found.poses.iter().enumerate().take(SHOWN) {
            writeln!(f, "\n{}: {}", at + 1, sentence(self, pose))?;
            for (number, line) in self.coordinates(pose).chunks(LINE).enumerate() {
                let name = if number == 0 { "coordinates" } else { "" };
                row(f, name, &line.join(", "))?;
            }
            if !pose.outside.is_empty() {
                row(f, "out of range", &pose.outside.join(", "))?;
            }
            if pose.dimension > 0 {
                row(f, "one of", &SingularTable::family(pose))?;
            }
            for (number, motion) in pose.motions.iter().enumerate() {
                row(f, if number == 0 { "motion" } else { "" }, &direction(motion))?;
            }
            if !pose.stuck.is_empty() {
                row(f, "no motion", &format!("{} of the output", direction(&pose.stuck)))?;
            }
            if !pose.stress.is_empty() {
                row(f, "stress", &direction(&pose.stress))?;
            }
            if let Some(approach) = &pose.approach {
                let word = match pose.kinds[..] {
                    [SingularKind::Output] => "a force along the lost direction needs drives",
                    [SingularKind::Mechanism] => "a load across the motion needs constraint forces",
                    _ => "a load along the motion needs efforts",
                };
                let power = plain(approach.power, 3);
                row(
                    f,
                    "forces",
                    &format!("{word} as distance^{power}, from {}", direction(&approach.direction)),
                )?;
                for near in &approach.near {
                    let holding = near.holding.iter().take(LINE);
                    let holding = holding.map(|(name, x)| format!("{name} {}", plain(*x, 4)));
                    let holding: Vec<String> = holding.collect();
                    let rest = match holding.is_empty() {
                        true => String::new(),
                        false => format!("; at rest it needs {}", holding.join(", ")),
                    };
                    let (distance, effort) =
                        (plain(near.distance, 3), plain(approach.force(near), 4));
                    row(f, "", &format!("at {distance}: {effort} of the load{rest}"))?;
                }
            }
            let (open, smallest) = (plain(pose.residual, 2), plain(pose.smallest, 2));
            row(f, "residual", &format!("{open}, smallest singular value {smallest}"))?;
        }
        match found.poses.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => writeln!(f, "\nand {more} more: JSON and table have all"),
        }
    }
}
