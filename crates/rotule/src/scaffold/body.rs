//! Phrases of bodies: `NAME: PARENT JOINT AXIS COORDINATE, item, item`.

use super::Outline;
use super::phrase::{
    Phrase, keyword, list, one, quantity, request, required, shown, texts, unknown, value, vector,
    with_unit, words,
};
use crate::error::Error;
use rotule_model::build::{Axis, Body, Inertia, Joint, Value};
use rotule_model::draft::{AXES, Along, JointType};
use rotule_symbolic::{did_you_mean, nearest};

/// The items of a body.
pub const ITEMS: &[&str] = &[
    "mass", "length", "radius", "box", "sphere", "com", "inertia", "at", "rotation", "point",
    "spring", "damper", "effort", "pitch", "locked",
];

/// The shape of a body.
enum Shape<'t> {
    /// A uniform rod from the origin along a direction.
    Rod { length: &'t str, direction: [f64; 3] },
    /// A uniform box around the origin.
    Box([&'t str; 3]),
    /// A uniform ball around the origin.
    Sphere(&'t str),
}

/// A direction along an axis, by its word.
pub fn direction(word: &str) -> Option<[f64; 3]> {
    AXES.iter().find(|(_, known)| *known == word).map(|(components, _)| *components)
}

/// A type of joints by its word.
pub fn joint_type(word: &str) -> Option<JointType> {
    JointType::ALL.iter().find(|(_, known)| *known == word).map(|(kind, _)| *kind)
}

/// An axis: a word such as `-y`, or a vector in brackets.
pub fn axis(word: &str) -> Result<Axis, Error> {
    let listed = list(word);
    match (direction(word), &listed[..]) {
        (Some(components), _) => Ok(Axis::from(components)),
        (None, [x, y, z]) => Ok(Axis::from([value(x), value(y), value(z)])),
        _ => {
            let message = format!("`{}` is not an axis", shown(word));
            Err(request(
                message,
                "expected one of x, y, z, -x, -y, -z or a vector such as [0, 1, 1]",
            ))
        }
    }
}

/// The axes that a type of joints needs, from the words behind it, and how many words they are.
pub fn axes(kind: JointType, words: &[&str]) -> Result<Vec<Axis>, Error> {
    let needed = kind.axes();
    if words.len() < needed {
        let word = kind.word();
        let (message, example) = match needed {
            1 => (format!("a {word} joint needs an axis"), format!("{word} y")),
            _ => (format!("a {word} joint needs two axes"), format!("{word} x y")),
        };
        return Err(request(message, format!("write it as `{example}`")));
    }
    words[..needed].iter().map(|word| axis(word)).collect()
}

/// Where a body sits, and by what joint.
struct Head {
    parent: String,
    joint: Option<Joint>,
}

impl Outline {
    /// Adds a body.
    pub(super) fn body(&mut self, phrase: &Phrase<'_>) -> Result<(), Error> {
        let example = "write it as `NAME: PARENT JOINT AXIS, mass M, length L`, such as `upper: ground revolute y, mass 2, length 0.5`";
        let Some(name) = phrase.name.filter(|name| !name.is_empty()) else {
            return Err(request("a body needs a name with a colon behind it", example));
        };
        super::phrase::name("body", name)?;
        let head = self.head(phrase.items[0])?;
        let mut body = Body::new(name).parent(head.parent);
        let (mut mass, mut shape, mut radius) = (None, None, None);
        let (mut com, mut inertia) = (None, None);
        let (mut spring, mut damper, mut effort) = (None, None, None);
        let (mut pitch, mut locked) = (None, false);
        for item in &phrase.items[1..] {
            let (word, rest) = keyword(item);
            match word {
                "mass" => mass = Some(quantity(word, rest)?),
                "length" => shape = Some(rod(rest)?),
                "radius" => radius = Some(quantity(word, rest)?),
                "box" => shape = Some(Shape::Box(texts(word, rest)?)),
                "sphere" => shape = Some(Shape::Sphere(quantity(word, rest)?)),
                "com" => com = Some(vector(word, rest)?),
                "inertia" => inertia = Some(vector(word, rest)?),
                "at" => body = body.position(vector(word, rest)?),
                "rotation" => body = body.rotation(vector(word, rest)?),
                "point" => {
                    let (point, rest) = keyword(required(word, rest)?);
                    body = body.point(point, vector(point, rest)?);
                }
                "spring" => spring = Some(stiffness(rest)?),
                "damper" => damper = Some(quantity(word, rest)?),
                "effort" => effort = Some(required(word, rest)?),
                "pitch" => pitch = Some(one(word, rest)?),
                "locked" => locked = true,
                "" => return Err(request("something is missing between commas", "")),
                other => return Err(unknown(other, ITEMS)),
            }
        }
        let massive = mass.is_some_and(|mass| value(mass) != Value::Number(0.0));
        if let Some(mass) = mass.filter(|_| massive) {
            let about = format!("mass of {name}");
            let mass = self.quantity(&format!("{name}_mass"), mass, "kg", &about);
            body = body.mass(mass.as_str());
            if let Some(shape) = &shape {
                body = self.solid(body, name, &mass, shape, radius);
            }
        } else if let Some(Shape::Rod { length, direction }) = &shape {
            // Without mass a rod is the distance of its ends.
            let length = self.length(name, length);
            body = body.point("end", along(&length, *direction));
        } else if shape.is_some() || radius.is_some() {
            let message = format!("body `{name}` has a shape and no mass");
            return Err(request(message, "write `mass M` before it, such as `mass 1`"));
        }
        if let Some(com) = com {
            body = body.com(com);
        }
        if let Some([xx, yy, zz]) = inertia {
            body = body.inertia(Inertia::new().xx(xx).yy(yy).zz(zz));
        }
        if let Some(joint) = head.joint {
            let law = self.effort(&joint, spring, damper, effort)?;
            body = body.joint(finished(joint, law, pitch, locked)?);
        } else if spring.is_some() || damper.is_some() || effort.is_some() || locked {
            let message = format!("body `{name}` has no joint, so nothing moves it");
            return Err(request(
                message,
                "write a joint behind the parent, such as `ground revolute y`",
            ));
        }
        self.draft.add(body);
        Ok(())
    }

    /// `PARENT JOINT AXIS COORDINATE`, of which the parent and the coordinate may be left out.
    fn head(&self, item: &str) -> Result<Head, Error> {
        let words = words(item);
        let is_type = |at: usize| words.get(at).and_then(|word| joint_type(word));
        let (parent, at) = match (is_type(0), is_type(1)) {
            (Some(_), None) => (self.last_place(), 0),
            _ => (words.first().map_or_else(|| self.last_place(), |word| (*word).to_owned()), 1),
        };
        let Some(word) = words.get(at) else {
            return Ok(Head { parent, joint: None });
        };
        let Some(kind) = joint_type(word) else {
            let names = JointType::ALL.iter().map(|(_, name)| *name);
            let help = match nearest(word, names.clone()) {
                Some(near) => did_you_mean(near),
                None => format!("expected one of {}", names.collect::<Vec<_>>().join(", ")),
            };
            return Err(request(format!("`{}` is not a type of joints", shown(word)), help));
        };
        if kind.speeds() == 0 {
            return Ok(Head { parent, joint: None });
        }
        let rest = &words[at + 1..];
        let axes = axes(kind, rest)?;
        let name = match &rest[kind.axes()..] {
            [] => self.free_name("q"),
            [name] => super::phrase::name("joint", name)?.to_owned(),
            [_, more, ..] => {
                let message = format!("`{}` is one word too many", shown(more));
                let help = "behind the parent stand joint, axis and the name of the coordinate; commas separate all else";
                return Err(request(message, help));
            }
        };
        let mut joint = Joint::free(name);
        joint.kind.value = kind;
        joint.axes = axes;
        Ok(Head { parent, joint: Some(joint) })
    }

    fn length(&mut self, body: &str, length: &str) -> String {
        self.quantity(&format!("{body}_length"), length, "m", &format!("length of {body}"))
    }

    /// Mass, centre of mass, inertia and end of a uniform solid.
    fn solid(
        &mut self,
        body: Body,
        name: &str,
        mass: &str,
        shape: &Shape<'_>,
        radius: Option<&str>,
    ) -> Body {
        let m = factor(mass);
        match shape {
            Shape::Rod { length, direction } => {
                let length = self.length(name, length);
                let l = factor(&length);
                let (across, own) = match radius {
                    // The axis of a thin rod has an inertia, too, so that it can turn about itself:
                    // that of a radius of l/20.
                    None => (format!("{m}*{l}^2/12"), format!("{m}*{l}^2/800")),
                    Some(radius) => {
                        let about = format!("radius of {name}");
                        let radius = self.quantity(&format!("{name}_radius"), radius, "m", &about);
                        let r = factor(&radius);
                        (format!("{m}*(3*{r}^2 + {l}^2)/12"), format!("{m}*{r}^2/2"))
                    }
                };
                let entry = |sign: f64| if sign == 0.0 { across.clone() } else { own.clone() };
                body.com(along(&format!("{l}/2"), *direction))
                    .inertia(direction.map(entry))
                    .point("end", along(&length, *direction))
            }
            Shape::Box(sizes) => {
                let size = |at: usize, outline: &mut Outline| {
                    let axis = ["x", "y", "z"][at];
                    let about = format!("size of {name} along {axis}");
                    factor(&outline.quantity(&format!("{name}_{axis}"), sizes[at], "m", &about))
                };
                let [x, y, z] = [size(0, self), size(1, self), size(2, self)];
                let entry = |a: &str, b: &str| format!("{m}*({a}^2 + {b}^2)/12");
                body.inertia([entry(&y, &z), entry(&x, &z), entry(&x, &y)])
            }
            Shape::Sphere(radius) => {
                let about = format!("radius of {name}");
                let r = factor(&self.quantity(&format!("{name}_radius"), radius, "m", &about));
                let entry = format!("2*{m}*{r}^2/5");
                body.inertia([entry.clone(), entry.clone(), entry])
            }
        }
    }

    /// The law of a joint: spring, damper and what else is given.
    fn effort(
        &mut self,
        joint: &Joint,
        spring: Option<(&str, Option<&str>)>,
        damper: Option<&str>,
        effort: Option<&str>,
    ) -> Result<Vec<Value>, Error> {
        let name = joint.name.as_ref().map_or("", |name| name.value.as_str());
        let kind = joint.kind.value;
        if spring.is_none() && damper.is_none() {
            return Ok(effort.map_or(Vec::new(), |law| laws(kind, law)));
        }
        if kind.speeds() != 1 {
            let message = format!(
                "joint `{name}` has {} degrees of freedom, so its spring and damper need laws",
                kind.speeds()
            );
            return Err(request(
                message,
                "write `effort [LAW, LAW, ...]`, such as `effort [-k*q[1], 0, 0]`",
            ));
        }
        let length = kind.along().first() == Some(&Along::Length);
        let (stiffness_unit, damping_unit) = match length {
            true => ("N/m", "N s/m"),
            false => ("N m/rad", "N m s/rad"),
        };
        let mut terms = Vec::new();
        if let Some((stiffness, rest)) = spring {
            let about = format!("stiffness of the spring in joint {name}");
            let k = factor(&self.quantity(
                &format!("{name}_stiffness"),
                stiffness,
                stiffness_unit,
                &about,
            ));
            terms.push(match rest {
                None => format!("{k}*q"),
                Some(rest) => {
                    let unit = if length { "m" } else { "rad" };
                    let about = format!("coordinate {name} without force of the spring");
                    let rest = factor(&self.quantity(&format!("{name}_rest"), rest, unit, &about));
                    format!("{k}*(q - {rest})")
                }
            });
        }
        if let Some(damping) = damper {
            let about = format!("damping of joint {name}");
            let c =
                factor(&self.quantity(&format!("{name}_damping"), damping, damping_unit, &about));
            terms.push(format!("{c}*qd"));
        }
        let law = format!("-{}", terms.join(" - "));
        Ok(vec![Value::from(
            effort.map_or_else(|| law.clone(), |more| format!("{law} + {}", sum(more))),
        )])
    }
}

/// The joint with what its items say.
fn finished(
    joint: Joint,
    law: Vec<Value>,
    pitch: Option<Value>,
    locked: bool,
) -> Result<Joint, Error> {
    let kind = joint.kind.value;
    let mut joint = match (kind.has_pitch(), pitch) {
        (true, Some(pitch)) => {
            // Only the builder knows how a value becomes one without a place.
            Joint { pitch: Joint::helical("", "x", pitch).pitch, ..joint }
        }
        (true, None) => {
            return Err(request(
                format!("a {} joint needs a pitch", kind.word()),
                "write `pitch P` in metres per radian",
            ));
        }
        (false, Some(_)) => {
            return Err(request(
                format!("a {} joint has no pitch", kind.word()),
                "leave `pitch` out",
            ));
        }
        (false, None) => joint,
    };
    if !law.is_empty() {
        joint = joint.effort(law);
    }
    Ok(if locked { joint.locked() } else { joint })
}

/// `length L`, with a direction behind it if that is not x.
fn rod(rest: &str) -> Result<Shape<'_>, Error> {
    let rest = required("length", rest)?;
    if let Some((length, word)) = rest.rsplit_once(char::is_whitespace)
        && let Some(direction) = direction(word)
    {
        return Ok(Shape::Rod { length: with_unit("length", length.trim())?, direction });
    }
    Ok(Shape::Rod { length: with_unit("length", rest)?, direction: [1.0, 0.0, 0.0] })
}

/// `K`, or `K rest R`.
fn stiffness(rest: &str) -> Result<(&str, Option<&str>), Error> {
    let rest = required("spring", rest)?;
    Ok(match rest.split_once(" rest ") {
        Some((stiffness, free)) => {
            (with_unit("spring", stiffness.trim())?, Some(quantity("rest", free)?))
        }
        None => (with_unit("spring", rest)?, None),
    })
}

/// The laws of a joint: one, or a list of as many as it has speeds.
fn laws(kind: JointType, text: &str) -> Vec<Value> {
    if kind.speeds() == 1 { vec![value(text)] } else { list(text).into_iter().map(value).collect() }
}

/// A length along a direction.
fn along(length: &str, direction: [f64; 3]) -> [Value; 3] {
    direction.map(|sign| match (sign, value(length)) {
        (0.0, _) => Value::from(0),
        (sign, Value::Number(number)) => Value::Number(sign * number),
        (sign, Value::Expression(text)) if sign > 0.0 => Value::Expression(text),
        (_, Value::Expression(text)) => Value::Expression(format!("-{}", sum(&text))),
    })
}

/// An expression as a factor: in parentheses unless it is a name or a number.
pub fn factor(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    if text.chars().all(plain) { text.to_owned() } else { format!("({text})") }
}

/// An expression as a term behind a sign: in parentheses if it is a sum.
fn sum(text: &str) -> String {
    if text.contains(['+', '-', '<', '>', '?', '=']) {
        format!("({text})")
    } else {
        text.to_owned()
    }
}
