//! The structure as text for a terminal: the tree, the loops, and what there is to know.
//!
//! A chain without forks is drawn straight down, so that a long arm stays within the width of a
//! terminal; only forks indent.

use crate::resolve::{counted, rounded};
use crate::structure::{Structure, direction};
use std::fmt::Write as _;

/// The most bodies that are drawn, and the deepest indentation.
const DRAWN: usize = 400;
const DEEPEST: usize = 24;

impl Structure {
    /// The whole drawing.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.summary(&mut out);
        self.tree(&mut out);
        self.loops_text(&mut out);
        self.notes(&mut out);
        self.parameters_text(&mut out);
        out
    }

    fn summary(&self, out: &mut String) {
        let _ = writeln!(out, "{}", self.name);
        let _ = writeln!(out, "{}", "=".repeat(self.name.chars().count().clamp(1, 80)));
        let mut rows: Vec<(&str, String, String)> = Vec::new();
        let steps = match self.steps {
            0 => String::new(),
            1 => "and 1 intermediate massless body".to_owned(),
            steps => format!("and {steps} intermediate massless bodies"),
        };
        rows.push(("bodies", self.bodies.to_string(), steps));
        let speeds = match self.coordinates == self.speeds {
            true => String::new(),
            false => format!(
                "with {}: quaternions have four coordinates and three speeds",
                counted(self.speeds, "speed")
            ),
        };
        rows.push(("coordinates", self.coordinates.to_string(), speeds));
        if self.driven > 0 {
            rows.push(("driven", self.driven.to_string(), String::new()));
        }
        if self.locked > 0 {
            rows.push(("locked", self.locked.to_string(), String::new()));
        }
        let vanishing: usize = self.loops.iter().map(|one| one.vanishing).sum();
        let dropped = match vanishing {
            0 => String::new(),
            1 => "1 more vanishes because its loop is planar".to_owned(),
            count => format!("{count} more vanish because their loops are planar"),
        };
        rows.push(("constraints", self.constraints.to_string(), dropped));
        let verdict = match self.mobility {
            mobility if mobility < 0 => {
                "by count: more constraints than coordinates; some repeat each other, or it cannot move"
            }
            _ => "by count",
        };
        rows.push(("degrees of freedom", self.mobility.to_string(), verdict.to_owned()));
        for (what, number, remark) in rows {
            let line = format!("{what:<20}{number:>6}  {remark}");
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }

    fn tree(&self, out: &mut String) {
        let _ = writeln!(out, "\nground");
        // Children by position among the joints; the ground is `None`.
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.joints.len() + 1];
        let mut position = rustc_hash::FxHashMap::default();
        position.insert("ground", 0);
        for (index, line) in self.joints.iter().enumerate() {
            position.insert(line.body.as_str(), index + 1);
            children[position.get(line.parent.as_str()).copied().unwrap_or(0)].push(index + 1);
        }
        let mut drawn = 0;
        // Bodies to draw: position, indentation so far, whether a fork leads here, whether it is
        // the last.
        let mut open: Vec<(usize, String, Option<bool>)> = Vec::new();
        let push = |open: &mut Vec<(usize, String, Option<bool>)>, list: &[usize], indent: &str| {
            let fork = list.len() > 1;
            for (at, &child) in list.iter().enumerate().rev() {
                let last = at + 1 == list.len();
                open.push((child, indent.to_owned(), fork.then_some(last)));
            }
        };
        push(&mut open, &children[0], "");
        while let Some((body, indent, fork)) = open.pop() {
            if drawn == DRAWN {
                let _ = writeln!(out, "... and {} more bodies", self.joints.len() - drawn);
                return;
            }
            drawn += 1;
            let line = &self.joints[body - 1];
            let mark = match fork {
                None => "|  ",
                Some(false) => "+- ",
                Some(true) => "`- ",
            };
            let axes = line.axes.join(" ");
            let joint = format!("{} {} {axes}", line.name, line.kind);
            let joint = joint.split_whitespace().collect::<Vec<_>>().join(" ");
            let role = if line.role == "free" { String::new() } else { format!(", {}", line.role) };
            let left = format!("{indent}{mark}{joint}{role}");
            let right = match (line.step, line.mass) {
                (true, _) => String::new(),
                (false, 0.0) => line.body.clone(),
                (false, mass) if mass.is_nan() => format!("{}  ? kg", line.body),
                (false, mass) => format!("{}  {} kg", line.body, rounded(mass, 6)),
            };
            let gap = 44_usize.saturating_sub(left.chars().count()).max(2);
            let _ = writeln!(out, "{}", format!("{left}{}{right}", " ".repeat(gap)).trim_end());
            let deeper = match fork {
                Some(_) if indent.len() >= 3 * DEEPEST => indent.clone(),
                None => indent.clone(),
                Some(false) => format!("{indent}|  "),
                Some(true) => format!("{indent}   "),
            };
            push(&mut open, &children[body], &deeper);
        }
    }

    fn loops_text(&self, out: &mut String) {
        if !self.loops.is_empty() {
            let _ = writeln!(out, "\nloops");
        }
        let width =
            self.loops.iter().map(|one| one.name.chars().count()).max().unwrap_or(0).min(24);
        for one in self.loops.iter().take(DRAWN) {
            let [first, second] = &one.between;
            let rows = match one.vanishing {
                0 => counted(one.rows, "constraint"),
                gone => format!("{} of {}", one.rows - gone, counted(one.rows, "constraint")),
            };
            let plane = one
                .normal
                .map_or(String::new(), |normal| format!(", planar, normal {}", direction(normal)));
            let chosen = if one.chosen { ", cut chosen" } else { "" };
            let _ = writeln!(
                out,
                "  {:<width$}  {:<11} {first} = {second}: {rows}, {}{plane}{chosen}",
                one.name,
                one.kind,
                if one.length == 0 {
                    "long loop".to_owned()
                } else {
                    format!("{} bodies round", one.length)
                },
            );
        }
        if self.loops.len() > DRAWN {
            let _ = writeln!(out, "  ... and {} more", self.loops.len() - DRAWN);
        }
        let long = self.loops.iter().filter(|one| one.length == 0).count();
        if long > 0 {
            let _ = writeln!(
                out,
                "  {} too long to be looked at for planes; all their constraints are counted",
                if long == 1 { "one is".to_owned() } else { format!("{long} are") }
            );
        }
        if !self.others.is_empty() {
            let _ = writeln!(out, "\nother constraints");
        }
        for other in self.others.iter().take(DRAWN) {
            let rows = counted(other.rows, "constraint");
            let _ = writeln!(out, "  {}  {} ({rows})", other.name, other.kind);
        }
    }

    fn notes(&self, out: &mut String) {
        if self.branches.len() > 1 {
            let _ = writeln!(out, "\nbranches");
            for branch in self.branches.iter().take(DRAWN / 8) {
                let _ = writeln!(out, "  {}", listed(branch));
            }
            if self.branches.len() > DRAWN / 8 {
                let _ = writeln!(out, "  ... and {} more", self.branches.len() - DRAWN / 8);
            }
        }
        if !self.planar.is_empty() {
            let _ = writeln!(out, "\nplanar parts");
        }
        for part in self.planar.iter().take(DRAWN / 8) {
            let _ = writeln!(out, "  normal {}: {}", direction(part.normal), listed(&part.bodies));
        }
        if !self.forces.is_empty() {
            let _ = writeln!(out, "\nforces and sensors");
        }
        for named in self.forces.iter().take(DRAWN / 8) {
            let _ = writeln!(out, "  {:<10} {} on {}", named.kind, named.name, listed(&named.on));
        }
        if self.forces.len() > DRAWN / 8 {
            let _ = writeln!(out, "  ... and {} more", self.forces.len() - DRAWN / 8);
        }
        if !self.massless_ends.is_empty() {
            let _ = writeln!(out, "\nmassless ends: {}", listed(&self.massless_ends));
            let _ =
                writeln!(out, "  their free joints move no mass, so the mass matrix is singular");
        }
    }

    fn parameters_text(&self, out: &mut String) {
        if self.parameters.is_empty() {
            return;
        }
        let _ = writeln!(out, "\nparameters");
        let width = self.parameters.iter().map(|one| one.name.chars().count()).max().unwrap_or(0);
        for one in self.parameters.iter().take(DRAWN) {
            let unused = if one.used { "" } else { "  not used" };
            let value = match one.value.is_nan() {
                true => "?".to_owned(),
                false => rounded(one.value, 17),
            };
            let line = format!("  {:<width$} = {value} {}{unused}", one.name, one.unit);
            let _ = writeln!(out, "{}", line.trim_end());
        }
        if self.parameters.len() > DRAWN {
            let _ = writeln!(out, "  ... and {} more", self.parameters.len() - DRAWN);
        }
    }
}

/// Names in a line, not too many.
fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    let shown = names.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(" ");
    match names.len() {
        count if count > MOST => format!("{shown} ... ({count} in all)"),
        _ => shown,
    }
}
