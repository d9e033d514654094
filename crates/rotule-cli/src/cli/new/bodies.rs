//! The questions about bodies: where each sits, by what joint, what it is made of, what acts in its
//! joint.

use super::answers::{Field, axes, bracketed, named, names, one_of, passes, pointed, recent};
use super::dialogue::Leave;
use super::help::*;
use super::questions::Interview;
use rotule::layers::model::draft::{Along, JointType};
use rotule::scaffold::OutlineElement;
use std::io::{BufRead, Write};

impl<R: BufRead, W: Write> Interview<'_, R, W> {
    pub(super) fn bodies(&mut self) -> Result<(), Leave> {
        self.dialogue.say("\nBodies");
        loop {
            let outline = self.answers.outline.clone();
            let first = outline.draft().bodies.is_empty();
            let (text, default) = match first {
                true => ("First body: its name", "body1"),
                false => ("Next body: its name, or Enter to go on", ""),
            };
            let name = self.text(text, default, BODY, |name| match name {
                "" if !first => Ok(()),
                name => named(name).and_then(|()| {
                    passes(
                        &outline,
                        OutlineElement::Body,
                        &format!("{name}: ground revolute y, mass 1, length 1"),
                    )
                }),
            })?;
            if name.is_empty() {
                return Ok(());
            }
            self.body(&name)?;
        }
    }

    fn body(&mut self, name: &str) -> Result<(), Leave> {
        const SOLID: &str = "mass 1, length 1";
        const NOWHERE: &str = "0 0 0";
        let places = self.answers.outline.places();
        let default = self.answers.outline.last_place();
        let parent = self.word(
            &format!("  Attached to ({})", recent(&places)),
            &default,
            PARENT,
            &names(&places),
        )?;
        let mut head = parent.clone();
        let position = if parent.contains('.') {
            NOWHERE.to_owned()
        } else {
            self.value(
                &Field::new(
                    OutlineElement::Body,
                    "  Position of its joint from there: x y z",
                    NOWHERE,
                    POSITION,
                )
                .several(),
                |at| format!("{name}: {parent} revolute y, {SOLID}, at {}", bracketed(at)),
            )?
        };
        let types: Vec<&str> = JointType::ALL.iter().map(|(_, word)| *word).collect();
        let word = self.word("  Joint", "revolute", JOINT, &types)?;
        let kind = JointType::ALL
            .iter()
            .find(|(_, known)| *known == word)
            .map_or(JointType::Fixed, |(kind, _)| *kind);
        let screw = if kind.has_pitch() { ", pitch 1" } else { "" };
        head.push_str(&format!(" {word}"));
        if kind.axes() > 0 {
            let (text, default) = match kind.axes() {
                1 => ("  Axis", self.axis.clone()),
                _ => ("  Axes, the first and the second", "x y".to_owned()),
            };
            let outline = self.answers.outline.clone();
            let axis = self.text(text, &default, AXIS, |axis| {
                passes(
                    &outline,
                    OutlineElement::Body,
                    &format!("{name}: {head} {}, {SOLID}{screw}", axes(axis, kind)?),
                )
            })?;
            head.push_str(&format!(" {}", axes(&axis, kind).unwrap_or_default()));
            if kind.axes() == 1 {
                self.axis = axis;
            }
        }
        if kind.speeds() > 0 {
            let outline = self.answers.outline.clone();
            let default = outline.free_name("q");
            let coordinate =
                self.text("  Name of its coordinate", &default, COORDINATE, |coordinate| {
                    named(coordinate)?;
                    passes(
                        &outline,
                        OutlineElement::Body,
                        &format!("{name}: {head} {coordinate}, {SOLID}{screw}"),
                    )
                })?;
            head.push_str(&format!(" {coordinate}"));
        }
        let mut phrase = format!("{name}: {head}");
        if position != NOWHERE {
            phrase.push_str(&format!(", at {}", bracketed(&position)));
        }
        if kind.has_pitch() {
            let base = phrase.clone();
            let pitch = self.value(
                &Field::new(OutlineElement::Body, "  Pitch, in metres per radian", "0.01", PITCH),
                |pitch| format!("{base}, {SOLID}, pitch {pitch}"),
            )?;
            phrase.push_str(&format!(", pitch {pitch}"));
        }
        self.solid(&mut phrase, kind)?;
        self.joint_forces(&mut phrase, kind)?;
        self.points(&mut phrase)?;
        let outline = self.answers.outline.clone();
        if let Err(complaint) = passes(&outline, OutlineElement::Body, &phrase) {
            return Err(self.dialogue.reject(&complaint));
        }
        self.add(OutlineElement::Body, phrase)
    }

    /// Mass and shape.
    fn solid(&mut self, phrase: &mut String, kind: JointType) -> Result<(), Leave> {
        let base = phrase.clone();
        let mass = self.value(&Field::new(OutlineElement::Body, "  Mass", "1", MASS), |mass| {
            format!("{base}, mass {mass}")
        })?;
        if mass.parse() == Ok(0.0) {
            return Ok(());
        }
        phrase.push_str(&format!(", mass {mass}"));
        let base = phrase.clone();
        let slides = kind.along() == [Along::Length];
        let default = if slides { "box" } else { "rod" };
        match &*self.word(
            "  Shape: rod, box, sphere or own",
            default,
            SHAPE,
            &["rod", "box", "sphere", "own"],
        )? {
            "rod" => {
                let length = self.value(
                    &Field::new(OutlineElement::Body, "  Length", "1", LENGTH),
                    |length| format!("{base}, length {length} x"),
                )?;
                let (outline, default) = (self.answers.outline.clone(), self.direction.clone());
                let direction = self.text(
                    "  Direction from the joint to its end",
                    &default,
                    DIRECTION,
                    |direction| {
                        one_of(direction, &["x", "y", "z", "-x", "-y", "-z"])?;
                        passes(
                            &outline,
                            OutlineElement::Body,
                            &format!("{base}, length {length} {direction}"),
                        )
                    },
                )?;
                phrase.push_str(&format!(", length {length} {direction}"));
                self.direction = direction;
            }
            "box" => {
                let sizes = self.value(
                    &Field::new(OutlineElement::Body, "  Sizes along x y z", "0.1 0.1 0.1", BOX)
                        .several(),
                    |sizes| format!("{base}, box {}", bracketed(sizes)),
                )?;
                phrase.push_str(&format!(", box {}", bracketed(&sizes)));
            }
            "sphere" => {
                let radius = self.value(
                    &Field::new(OutlineElement::Body, "  Radius", "0.1", SPHERE),
                    |radius| format!("{base}, sphere {radius}"),
                )?;
                phrase.push_str(&format!(", sphere {radius}"));
            }
            _ => {
                let com = self.value(
                    &Field::new(OutlineElement::Body, "  Centre of mass: x y z", "0 0 0", COM)
                        .several(),
                    |com| format!("{base}, com {}", bracketed(com)),
                )?;
                phrase.push_str(&format!(", com {}", bracketed(&com)));
                let base = phrase.clone();
                let inertia = self.value(
                    &Field::new(
                        OutlineElement::Body,
                        "  Moments of inertia: xx yy zz",
                        "0.01 0.01 0.01",
                        INERTIA,
                    )
                    .several(),
                    |inertia| format!("{base}, inertia {}", bracketed(inertia)),
                )?;
                phrase.push_str(&format!(", inertia {}", bracketed(&inertia)));
            }
        }
        Ok(())
    }

    /// Spring and damper of a joint with one coordinate.
    fn joint_forces(&mut self, phrase: &mut String, kind: JointType) -> Result<(), Leave> {
        if kind.speeds() != 1 {
            return Ok(());
        }
        let base = phrase.clone();
        let stiffness = self.value(
            &Field::new(
                OutlineElement::Body,
                "  Stiffness of a spring in the joint, or Enter for none",
                "",
                SPRING,
            ),
            |k| format!("{base}, spring {k}"),
        )?;
        if !stiffness.is_empty() {
            let rest = self.value(
                &Field::new(
                    OutlineElement::Body,
                    "  Coordinate at which it has no force",
                    "0",
                    REST,
                ),
                |rest| format!("{base}, spring {stiffness} rest {rest}"),
            )?;
            let rest = if rest == "0" { String::new() } else { format!(" rest {rest}") };
            phrase.push_str(&format!(", spring {stiffness}{rest}"));
        }
        let base = phrase.clone();
        let damping = self.value(
            &Field::new(
                OutlineElement::Body,
                "  Damping in the joint, or Enter for none",
                "",
                DAMPER,
            ),
            |c| format!("{base}, damper {c}"),
        )?;
        if !damping.is_empty() {
            phrase.push_str(&format!(", damper {damping}"));
        }
        Ok(())
    }

    /// Further points of a body.
    fn points(&mut self, phrase: &mut String) -> Result<(), Leave> {
        loop {
            let base = phrase.clone();
            let point = self.value(
                &Field::new(
                    OutlineElement::Body,
                    "  Another point: name x y z, or Enter to go on",
                    "",
                    POINT,
                )
                .named(),
                |point| format!("{base}, point {}", pointed(point)),
            )?;
            if point.is_empty() {
                return Ok(());
            }
            phrase.push_str(&format!(", point {}", pointed(&point)));
        }
    }
}
