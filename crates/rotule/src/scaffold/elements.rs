//! Phrases of everything but bodies: points, loops, motions, initial values, forces, sensors.

use super::Outline;
use super::body::{axes, factor, joint_type};
use super::phrase::{
    Phrase, assignment, keyword, list, named, one, request, required, shown, split, unknown, value,
    vector, words,
};
use crate::error::Error;
use rotule_model::build::{Cut, Force, LineForce, Measure, Motion, Sensor, Value};
use rotule_model::draft::JointType;

/// The types of loop closures.
pub const CLOSURES: &[&str] = &[
    "ball",
    "revolute",
    "rod",
    "body",
    "prismatic",
    "cylindrical",
    "universal",
    "planar",
    "helical",
];

/// Two places, which stand first in a phrase.
fn pair<'t>(item: &'t str, example: &str) -> Result<[&'t str; 2], Error> {
    match words(item)[..] {
        [first, second] => Ok([first, second]),
        ref found => {
            let message = format!("`{}`: expected two places, found {}", shown(item), found.len());
            Err(request(message, format!("write it as `{example}`")))
        }
    }
}

impl Outline {
    /// `BODY.POINT: X Y Z`
    pub(super) fn point(&mut self, phrase: &str) -> Result<(), Error> {
        let example = "write it as `BODY.POINT: X Y Z`, such as `ground.A: 0.3 0 0`";
        let (Some(place), rest) = named(phrase) else {
            return Err(request("a point needs its place with a colon behind it", example));
        };
        let Some((body, point)) = place.split_once('.') else {
            return Err(request(format!("`{}` is no point of a body", shown(place)), example));
        };
        let position = vector(place, rest)?;
        if body == "ground" {
            self.draft.ground_point(point, position);
            return Ok(());
        }
        let known: Vec<String> =
            self.draft.bodies.iter().map(|one| one.name.value.clone()).collect();
        let Some(found) = self.draft.bodies.iter_mut().find(|one| one.name.value == body) else {
            let help = rotule_symbolic::likely(body, known.iter().map(String::as_str));
            return Err(request(format!("there is no body `{}`", shown(body)), help));
        };
        *found = found.clone().point(point, position);
        Ok(())
    }

    /// `NAME: PLACE PLACE, TYPE AXIS`
    pub(super) fn closure(&mut self, phrase: &Phrase<'_>) -> Result<(), Error> {
        let example = "NAME: PLACE PLACE, TYPE AXIS";
        let places = pair(phrase.items[0], example)?;
        let name = self.named_or(phrase.name, "loop")?;
        let (kind, more) = match phrase.items[1..] {
            [] => ("ball", ""),
            [one] => keyword(one),
            [_, extra, ..] => return Err(unknown(extra, &["a loop has two places and a type"])),
        };
        let rest = words(more);
        let joint = match kind {
            "ball" | "spherical" => JointType::Spherical,
            "body" | "fixed" => JointType::Fixed,
            "rod" => {
                let length = self.quantity(
                    &format!("{name}_length"),
                    required("rod", more)?,
                    "m",
                    &format!("length of the rod {name}"),
                );
                self.draft.add(Cut::rod(name, length.as_str(), places));
                return Ok(());
            }
            other => joint_type(other)
                .filter(|kind| !kind.blocked().is_empty())
                .ok_or_else(|| unknown(other, CLOSURES))?,
        };
        let axes = axes(joint, &rest)?;
        let extra = &rest[joint.axes()..];
        if let (true, [axis]) = (joint.has_pitch(), &axes[..]) {
            let pitch = one("pitch", &extra.join(" ").replacen("pitch", "", 1))?;
            self.draft.add(Cut::helical(name, axis.clone(), pitch, places));
            return Ok(());
        }
        if let [first, ..] = extra {
            let message = format!("`{}` is one word too many", shown(first));
            return Err(request(message, format!("write it as `{example}`")));
        }
        self.draft.add(Cut::like(name, joint, axes, places));
        Ok(())
    }

    /// The name of a phrase, or the next free one of this form.
    fn named_or(&self, name: Option<&str>, form: &str) -> Result<String, Error> {
        match name {
            Some(name) => super::phrase::name(form, name).map(str::to_owned),
            None => Ok(self.free_name(form)),
        }
    }

    /// `COORDINATE = LAW`
    pub(super) fn drive(&mut self, phrase: &str) -> Result<(), Error> {
        let (joint, law) = assignment(phrase, "q1 = 2*pi*t")?;
        let kind = self.joint(joint)?;
        if self.draft.motions.iter().any(|motion| motion.joint.value == joint) {
            return Err(request(
                format!("coordinate `{joint}` is driven already"),
                "give each coordinate one law",
            ));
        }
        let law = required(joint, law)?;
        let values = self.values(joint, law, kind.coordinates())?;
        // What is driven begins where its law says.
        self.draft.initial_q.retain(|initial| initial.joint.value != joint);
        self.draft.initial_qd.retain(|initial| initial.joint.value != joint);
        self.draft.add(Motion::new(joint, values));
        Ok(())
    }

    /// `COORDINATE = VALUE` or `COORDINATE.d = VALUE`
    pub(super) fn initial(&mut self, phrase: &str) -> Result<(), Error> {
        let (target, text) = assignment(phrase, "q1 = 30 deg")?;
        let (joint, speed) =
            target.strip_suffix(".d").map_or((target, false), |joint| (joint, true));
        let kind = self.joint(joint)?;
        if self.draft.motions.iter().any(|motion| motion.joint.value == joint) {
            let message =
                format!("coordinate `{joint}` is driven, so its law says where it begins");
            return Err(request(message, "leave its initial value out"));
        }
        let text = required(target, text)?;
        let count = if speed { kind.speeds() } else { kind.coordinates() };
        let values = self.values(target, text, count)?;
        // A value that is given again replaces the one before, such as that of a template.
        let draft = &mut self.draft;
        if speed {
            draft.initial_qd.retain(|initial| initial.joint.value != joint);
            draft.initial_qd(joint, values);
        } else {
            draft.initial_q.retain(|initial| initial.joint.value != joint);
            draft.initial_q(joint, values);
        }
        Ok(())
    }

    /// One value, or a list where a joint has several coordinates.
    fn values(&self, name: &str, text: &str, count: usize) -> Result<Vec<Value>, Error> {
        if count == 1 {
            return Ok(vec![value(text)]);
        }
        let values: Vec<Value> = list(text).into_iter().map(value).collect();
        if values.len() == count {
            return Ok(values);
        }
        let message = format!("`{name}` has {count} values, and {} are given", values.len());
        Err(request(message, format!("write `{name} = [...]` with {count} values")))
    }

    /// `NAME: PLACE PLACE, stiffness K, length L, damping C`
    pub(super) fn spring(&mut self, phrase: &Phrase<'_>) -> Result<(), Error> {
        let example = "NAME: PLACE PLACE, stiffness K, length L, damping C";
        let places = pair(phrase.items[0], example)?;
        let name = self.named_or(phrase.name, "spring")?;
        let (mut stiffness, mut length, mut damping) = (None, None, None);
        for item in &phrase.items[1..] {
            let (word, rest) = keyword(item);
            match word {
                "stiffness" | "k" => stiffness = Some(required(word, rest)?),
                "length" | "free" => length = Some(required(word, rest)?.to_owned()),
                "damping" | "damper" | "c" => damping = Some(required(word, rest)?),
                other => return Err(unknown(other, &["stiffness", "length", "damping"])),
            }
        }
        let mut terms = Vec::new();
        if let Some(stiffness) = stiffness {
            let length = match length {
                Some(length) => length,
                None => rounded(self.distance(places)?),
            };
            let k = self.quantity(
                &format!("{name}_stiffness"),
                stiffness,
                "N/m",
                &format!("stiffness of {name}"),
            );
            let about = format!("length of {name} without force");
            let free = self.quantity(&format!("{name}_length"), &length, "m", &about);
            terms.push(format!("{}*(Z - {})", factor(&k), factor(&free)));
        } else if length.is_some() {
            return Err(request(
                "a length without a stiffness has no meaning",
                format!("write it as `{example}`"),
            ));
        }
        if let Some(damping) = damping {
            let c = self.quantity(
                &format!("{name}_damping"),
                damping,
                "N s/m",
                &format!("damping of {name}"),
            );
            terms.push(format!("{}*Zd", factor(&c)));
        }
        if terms.is_empty() {
            return Err(request(
                "a spring needs a stiffness, a damping or both",
                format!("write it as `{example}`"),
            ));
        }
        self.draft.add(LineForce::new(name, places, terms.join(" + ")));
        Ok(())
    }

    /// `NAME: PLACE PLACE, LAW`
    pub(super) fn line_force(&mut self, phrase: &str) -> Result<(), Error> {
        let example = "NAME: PLACE PLACE, LAW";
        let (name, rest) = named(phrase);
        let first = split(rest, |c| c == ',')[0];
        let places = pair(first, example)?;
        let law = required("law", rest.get(first.len() + 1..).unwrap_or(""))?;
        let name = self.named_or(name, "line_force")?;
        self.draft.add(LineForce::new(name, places, value(law)));
        Ok(())
    }

    /// `NAME: PLACE, force X Y Z, torque X Y Z`
    pub(super) fn force(&mut self, phrase: &Phrase<'_>) -> Result<(), Error> {
        let name = self.named_or(phrase.name, "force")?;
        let mut force = Force::new(name, phrase.items[0]);
        let mut empty = true;
        for item in &phrase.items[1..] {
            let (word, rest) = keyword(item);
            force = match word {
                "force" => force.force(vector(word, rest)?),
                "torque" => force.torque(vector(word, rest)?),
                "axes" if rest == "body" => force.in_body_axes(),
                "axes" if rest == "ground" => force,
                other => {
                    return Err(unknown(other, &["force", "torque", "axes body", "axes ground"]));
                }
            };
            empty &= word == "axes";
        }
        if empty {
            let help = "write it as `NAME: PLACE, force X Y Z, torque X Y Z`";
            return Err(request("a force needs its components", help));
        }
        self.draft.add(force);
        Ok(())
    }

    /// `NAME: PLACE, position velocity`
    pub(super) fn sensor(&mut self, phrase: &Phrase<'_>) -> Result<(), Error> {
        let name = self.named_or(phrase.name, "sensor")?;
        let mut measures = Vec::new();
        for word in phrase.items[1..].iter().flat_map(|item| words(item)) {
            let found = Measure::ALL.iter().find(|(_, known)| *known == word);
            let known: Vec<&str> = Measure::ALL.iter().map(|(_, known)| *known).collect();
            measures.push(found.ok_or_else(|| unknown(word, &known))?.0);
        }
        if measures.is_empty() {
            measures.push(Measure::Position);
        }
        self.draft.add(Sensor::new(name, phrase.items[0], measures));
        Ok(())
    }
}

/// A measured length with the digits that matter to people.
fn rounded(length: f64) -> String {
    let short: f64 = format!("{length:.5e}").parse().unwrap_or(length);
    format!("{short}")
}
