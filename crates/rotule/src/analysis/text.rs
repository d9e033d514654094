//! Operating points as text for people.

use super::equilibrium::Equilibrium;
use super::modes::{ModeTable, RootLocus};
use rotule_analysis::equilibrium::NeutralDirection;
use rotule_formalism::units;
use rotule_model::mechanism::Role;
use rotule_symbolic::figures::{digits, plain};
use serde_json::{Map, Value, json};
use std::fmt;

/// Parts of a direction that are named; more are counted.
const PARTS: usize = 6;

/// Dependent coordinates this much faster than the independent ones are those of a singular
/// partition.
const SINGULAR: f64 = 1e3;

/// A direction in words: `x`, or `x + 0.5 yaw`.
pub(super) fn direction(parts: &[(String, f64)]) -> String {
    let mut text = String::new();
    for (at, (name, part)) in parts.iter().take(PARTS).enumerate() {
        let sign = match (at, *part < 0.0) {
            (0, true) => "-",
            (0, false) => "",
            (_, true) => " - ",
            (_, false) => " + ",
        };
        let size = plain(part.abs(), 4);
        let factor = if size == "1" { String::new() } else { format!("{size} ") };
        text += &format!("{sign}{factor}{name}");
    }
    match parts.len().saturating_sub(PARTS) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

impl Equilibrium {
    /// The equilibrium for programs; [`crate::Model::state_from_json`] reads `state`.
    pub fn json(&self) -> Value {
        let solution = &self.solution;
        let neutral = |one: &NeutralDirection| -> Value {
            one.parts
                .iter()
                .map(|(name, part)| (name.clone(), json!(part)))
                .collect::<Map<_, _>>()
                .into()
        };
        let found: Map<String, Value> = (solution.found.iter())
            .map(|one| (one.name.clone(), json!({ "before": one.before, "value": one.value })))
            .collect();
        let unbalanced = solution
            .unbalanced
            .iter()
            .map(|one| json!({ "name": one.name, "value": one.value, "scaled": one.scaled }));
        json!({
            "model": self.model,
            "balanced": solution.balanced,
            "residual": solution.residual,
            "force": solution.units.0,
            "length": solution.units.1,
            "growing": self.growing(),
            "steps": solution.steps,
            "falling": solution.falling,
            "drift": solution.drift,
            "amplification": solution.amplification,
            "locked": solution.locked,
            "independent": solution.independent,
            "neutral": solution.neutral.iter().map(neutral).collect::<Vec<_>>(),
            "found": found,
            "unbalanced": unbalanced.collect::<Vec<_>>(),
            "state": self.state().numbers().json(&self.mechanism),
        })
    }

    /// The stability in words.
    pub fn stability(&self) -> String {
        match self.growing() {
            None => "not known: masses or loops are singular here, and forces along what\n                cannot move, as at gimbal lock, are not balanced".to_owned(),
            Some(0) => "no small motion grows".to_owned(),
            Some(1) => "unstable: one eigenvalue grows".to_owned(),
            Some(count) => format!("unstable: {count} eigenvalues grow"),
        }
    }
}

impl fmt::Display for Equilibrium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let solution = &self.solution;
        let title = if solution.balanced {
            "equilibrium of"
        } else {
            "no equilibrium; the nearest state of"
        };
        writeln!(f, "{title} {}", self.model)?;
        let (force, length) = solution.units;
        let row = |f: &mut fmt::Formatter<'_>, name: &str, value: &str| {
            writeln!(f, "  {name:<14}{value}")
        };
        let residual = plain(solution.residual, 3);
        row(
            f,
            "residual",
            &format!("{residual} of {} N, {} m", plain(force, 6), plain(length, 4)),
        )?;
        let falling = match solution.falling {
            0 => String::new(),
            count => format!(", and {count} of damped motion"),
        };
        row(f, "Newton steps", &format!("{}{falling}", solution.steps))?;
        if solution.balanced {
            row(f, "stability", &self.stability())?;
        }
        if solution.drift > 1e-8 {
            row(
                f,
                "not steady",
                &format!("balances change by {} 1/s along the motion", plain(solution.drift, 3)),
            )?;
        }
        for (at, one) in solution.neutral.iter().enumerate() {
            let name = if at == 0 { "neutral" } else { "" };
            row(f, name, &direction(&one.parts))?;
        }
        if !solution.balanced && solution.amplification > SINGULAR {
            let names = solution.independent.join(", ");
            let why = format!("loops are singular near here for independent coordinates {names}");
            row(f, "singular", &format!("{why}: choose others by --independent"))?;
        }
        if solution.locked {
            let why = "forces along what the coordinates cannot describe, as at gimbal lock, are not balanced";
            row(f, "locked", why)?;
        }
        for (at, one) in solution.unbalanced.iter().enumerate() {
            let name = if at == 0 { "unbalanced" } else { "" };
            row(
                f,
                name,
                &format!(
                    "{}: {} ({} of the unit)",
                    one.name,
                    plain(one.value, 6),
                    plain(one.scaled, 3)
                ),
            )?;
        }
        for (at, one) in solution.found.iter().enumerate() {
            let name = if at == 0 { "found" } else { "" };
            let (value, before) = (digits(one.value), digits(one.before));
            row(f, name, &format!("{} = {value}, was {before}", one.name))?;
        }
        let units = units::of_coordinates(&self.mechanism);
        let free = self.mechanism.joints.iter().filter(|joint| joint.role == Role::Free);
        let places: Vec<usize> = free.flat_map(|joint| joint.coordinates.clone()).collect();
        let name = |at: usize| &self.mechanism.coordinates[at].name;
        let width = places.iter().map(|&at| name(at).chars().count()).max().unwrap_or(0);
        for (number, &at) in places.iter().enumerate() {
            let head = if number == 0 { "coordinates" } else { "" };
            let value = digits(self.state().q[at] + 0.0);
            let line = format!("{:<width$}  {value} {}", name(at), units[at]);
            row(f, head, line.trim_end())?;
        }
        Ok(())
    }
}

impl fmt::Display for ModeTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "modes of {}", self.model)?;
        let heads = ["re 1/s", "im rad/s", "f Hz", "f0 Hz", "damping"];
        write!(f, "  mode")?;
        heads.iter().try_for_each(|head| write!(f, "{head:>13}"))?;
        writeln!(f, "  participation")?;
        for mode in self.modes() {
            let [re, im] = mode.value;
            write!(f, "  {:>4}", mode.number)?;
            // Real parts of rounding are none for a reader.
            let size = std::f64::consts::TAU * mode.undamped();
            let re = if re.abs() < 1e-12 * size { 0.0 } else { re };
            let damping = if re == 0.0 { 0.0 } else { mode.damping() };
            for value in [re, im, mode.frequency(), mode.undamped(), damping] {
                write!(f, "{:>13}", plain(value, 6))?;
            }
            let parts = mode.participation.iter().take(3);
            let parts = parts.map(|(name, part)| format!("{name} {} %", plain(100.0 * part, 2)));
            let parts: Vec<String> = parts.collect();
            writeln!(f, "{}", format!("  {}", parts.join(", ")).trim_end())?;
        }
        for (at, one) in self.rigid().iter().enumerate() {
            let head = if at == 0 { "rigid" } else { "" };
            let drifts = if one.drifts { ", drifts" } else { "" };
            writeln!(f, "  {head:<14}{}{drifts}", direction(&one.parts))?;
        }
        if self.zeros() > 0 {
            writeln!(f, "  {:<14}{} zero", "eigenvalues", self.zeros())?;
        }
        let stability = match self.growing() {
            0 => "no small motion grows".to_owned(),
            1 => "unstable: one eigenvalue grows".to_owned(),
            count => format!("unstable: {count} eigenvalues grow"),
        };
        writeln!(f, "  {:<14}{stability}", "stability")?;
        writeln!(
            f,
            "  {:<14}{} of {} N",
            "residual",
            plain(self.residual(), 3),
            plain(self.modes.units.0, 6)
        )
    }
}

impl fmt::Display for RootLocus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values();
        let name = self.quantity();
        let (first, last) = (values.first().copied(), values.last().copied());
        let range = first.zip(last).map_or(String::new(), |(first, last)| {
            format!(", {} to {}", digits(first), digits(last))
        });
        writeln!(f, "modes of {} over {name}{range}", self.model)?;
        writeln!(
            f,
            "  {:>4}{:>14}{:>14}{:>14}{:>14}  assurance",
            "mode", "re at first", "im", "re at last", "im"
        )?;
        for (number, track) in self.tracks().iter().enumerate() {
            write!(f, "  {:>4}", number + 1)?;
            let ends = [track.values.first(), track.values.last()];
            for [re, im] in ends.into_iter().flatten() {
                write!(f, "{:>14}{:>14}", plain(re + 0.0, 7), plain(im + 0.0, 7))?;
            }
            writeln!(f, "  {}", plain(track.assurance, 3))?;
        }
        for one in self.critical() {
            let word = if one.begins { "begins to grow" } else { "ceases to grow" };
            let [_, im] = one.eigenvalue;
            let how = match im > 0.0 {
                true => format!("at {} rad/s", plain(im, 8)),
                false => "without oscillation".to_owned(),
            };
            writeln!(
                f,
                "  mode {} {word} at {name} = {}, {how}",
                one.track + 1,
                plain(one.value, 13)
            )?;
        }
        if self.critical().is_empty() {
            writeln!(f, "  no mode begins or ceases to grow")?;
        }
        if let Some(lost) = self.lost() {
            writeln!(f, "  no equilibrium at {name} = {} near the one before", digits(lost))?;
        }
        writeln!(f, "  residual at most {}", plain(self.residual(), 3))
    }
}
