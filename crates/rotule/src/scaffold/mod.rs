//! New model files: a mechanism described in short phrases becomes a commented model file.
//!
//! A phrase is what somebody would say about an element, such as `upper: ground revolute y, mass 2,
//! length 0.5`. An [`Outline`] collects them ([`Outline::add`]), fills in what follows from them
//! (uniform rods, parameters, names of coordinates), closes loops and writes the file. `rotule new`
//! makes phrases from its flags and from the answers to its questions.
//!
//! ```
//! use rotule::scaffold::{Outline, OutlineElement};
//!
//! let mut outline = Outline::new("pendulum");
//! outline.add(OutlineElement::Body, "rod: ground revolute y, mass 2, length 0.5 -z")?;
//! outline.add(OutlineElement::Initial, "q1 = 30 deg")?;
//! let text = outline.text("pendulum.toml");
//! assert!(text.contains("rod_mass") && text.contains("# "));
//!
//! let model = rotule::Model::read("pendulum.toml", text)?;
//! assert_eq!(model.warnings(), "");
//! # Ok::<(), rotule::Error>(())
//! ```

mod body;
mod closing;
mod comments;
mod elements;
mod phrase;
mod templates;

pub use elements::CLOSURES;
pub use templates::{LARGEST_ARM, TEMPLATES};

use crate::Model;
use crate::error::Error;
use phrase::{Phrase, request, value, vector};
use rotule_model::build::{Parameter, Value};
use rotule_model::draft::JointType;
use rotule_model::{Diagnostic, Diagnostics, Draft, Severity};
use rotule_numeric::initial_values::Change;
use rotule_symbolic::{Graph, is_name, likely};
use std::collections::HashSet;

/// The most phrases of one model: larger ones are made by programs.
pub const MOST_PHRASES: usize = 1000;

/// The kinds of phrases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OutlineElement {
    /// `NAME = VALUE, a sentence about it`.
    Parameter,
    /// `BODY.POINT: X Y Z`, on the ground or on a body.
    Point,
    /// `NAME: PARENT JOINT AXIS COORDINATE, mass M, length L, ...`.
    Body,
    /// `NAME: PLACE PLACE, TYPE AXIS`: a loop closure.
    Loop,
    /// `COORDINATE = LAW`: a motion as a function of `t`.
    Drive,
    /// `COORDINATE = VALUE`, or `COORDINATE.d = VALUE` for a speed.
    Initial,
    /// `NAME: PLACE PLACE, stiffness K, length L, damping C`.
    Spring,
    /// `NAME: PLACE PLACE, LAW` of the length `Z` and its rate `Zd`.
    LineForce,
    /// `NAME: PLACE, force X Y Z, torque X Y Z`.
    Force,
    /// `NAME: PLACE, position velocity`.
    Sensor,
}

impl OutlineElement {
    /// Every kind with its word, in the order in which phrases are added: each may use what those
    /// before it name.
    pub const ALL: [(OutlineElement, &'static str); 10] = [
        (OutlineElement::Parameter, "parameter"),
        (OutlineElement::Body, "body"),
        (OutlineElement::Point, "point"),
        (OutlineElement::Loop, "loop"),
        (OutlineElement::Drive, "drive"),
        (OutlineElement::Initial, "initial"),
        (OutlineElement::Spring, "spring"),
        (OutlineElement::LineForce, "line-force"),
        (OutlineElement::Force, "force-at"),
        (OutlineElement::Sensor, "sensor"),
    ];

    /// The word of the kind, which is its flag of `rotule new`.
    pub fn word(self) -> &'static str {
        OutlineElement::ALL.iter().find(|(kind, _)| *kind == self).expect("ALL is complete").1
    }
}

/// A mechanism under construction.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    draft: Draft,
    /// Parameters that were named in phrases. They come first in the file, before those that
    /// numbers of elements become.
    named: usize,
}

impl Outline {
    /// A model of the ground alone, with gravity along -z.
    pub fn new(name: &str) -> Outline {
        let mut draft = Draft::new(name);
        draft.gravity((0, 0, -9.81));
        Outline { draft, named: 0 }
    }

    /// A ready beginning: one of [`TEMPLATES`], where `arm-N` has a number in place of `N`.
    pub fn template(template: &str, name: &str) -> Result<Outline, Error> {
        let mut outline = Outline::new(name);
        let beginning = templates::find(template)?;
        outline.about(&beginning.about);
        outline.gravity(beginning.gravity)?;
        outline.add_all(beginning.phrases.iter().map(|(kind, phrase)| (*kind, phrase.as_str())))?;
        Ok(outline)
    }

    /// The model as it is known so far.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Gives the model another name.
    pub fn rename(&mut self, name: &str) {
        self.draft.name = Draft::new(name).name;
    }

    /// Sets the sentence about the model; an empty one is none.
    pub fn about(&mut self, about: &str) {
        self.draft.about = None;
        if !about.trim().is_empty() {
            self.draft.about(about.trim());
        }
    }

    /// Sets gravity: `-z`, `-y 9.81`, `none`, or three components.
    pub fn gravity(&mut self, text: &str) -> Result<(), Error> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let direction = words.first().and_then(|word| body::direction(word));
        match (direction, &words[..]) {
            (_, ["none" | "0"]) => self.draft.gravity((0, 0, 0)),
            (Some(direction), [_, rest @ ..]) => {
                let size = if rest.is_empty() { "9.81".to_owned() } else { rest.join(" ") };
                let components = direction.map(|sign| match sign {
                    0.0 => Value::from(0),
                    sign if sign > 0.0 => value(&size),
                    _ => opposite(&size),
                });
                self.draft.gravity(components)
            }
            _ => self.draft.gravity(vector("gravity", text)?),
        };
        Ok(())
    }

    /// Adds what a phrase says. What it means is checked by [`Outline::diagnostics`].
    pub fn add(&mut self, kind: OutlineElement, phrase: &str) -> Result<(), Error> {
        // Nothing is added if some of it cannot be read.
        let mut next = self.clone();
        match kind {
            OutlineElement::Parameter => next.parameter(phrase)?,
            OutlineElement::Point => next.point(phrase)?,
            OutlineElement::Body => next.body(&Phrase::read(phrase))?,
            OutlineElement::Loop => next.closure(&Phrase::read(phrase))?,
            OutlineElement::Drive => next.drive(phrase)?,
            OutlineElement::Initial => next.initial(phrase)?,
            OutlineElement::Spring => next.spring(&Phrase::read(phrase))?,
            OutlineElement::LineForce => next.line_force(phrase)?,
            OutlineElement::Force => next.force(&Phrase::read(phrase))?,
            OutlineElement::Sensor => next.sensor(&Phrase::read(phrase))?,
        }
        *self = next;
        Ok(())
    }

    /// Adds phrases in the order of [`OutlineElement::ALL`], whatever their own, and closes loops
    /// before forces are added.
    ///
    /// The error names the phrase. The values that did not close the loops are given with those
    /// that do.
    pub fn add_all<'p>(
        &mut self,
        phrases: impl IntoIterator<Item = (OutlineElement, &'p str)>,
    ) -> Result<Vec<Change>, Error> {
        let mut phrases: Vec<(OutlineElement, &str)> = phrases.into_iter().collect();
        if phrases.len() > MOST_PHRASES {
            let message = format!(
                "{} elements are too many; at most {MOST_PHRASES} are taken",
                phrases.len()
            );
            return Err(request(
                message,
                "write a large model by a program, with `rotule::build` or as text",
            ));
        }
        phrases.sort_by_key(|(kind, _)| {
            OutlineElement::ALL.iter().position(|(known, _)| known == kind)
        });
        let forces = phrases.iter().position(|(kind, _)| *kind >= OutlineElement::Spring);
        let (first, rest) = phrases.split_at(forces.unwrap_or(phrases.len()));
        self.add_checked(first)?;
        let changes = self.close()?;
        self.add_checked(rest)?;
        Ok(changes)
    }

    /// Adds phrases; if the whole is wrong, finds the first that is.
    fn add_checked(&mut self, phrases: &[(OutlineElement, &str)]) -> Result<(), Error> {
        let before = self.clone();
        for (kind, phrase) in phrases {
            self.add(*kind, phrase).map_err(|error| within(*kind, phrase, &error))?;
        }
        let Some(whole) = self.error() else { return Ok(()) };
        // Fewer phrases may lack what others name, so that only the same error counts.
        let wrong = |count: usize| {
            let mut outline = before.clone();
            let added =
                phrases[..count].iter().try_for_each(|(kind, phrase)| outline.add(*kind, phrase));
            let same =
                |one: &Diagnostic| one.severity == Severity::Error && one.message == whole.message;
            added.is_ok() && outline.diagnostics().iter().any(same)
        };
        let (mut right, mut first) = (0, phrases.len());
        while right + 1 < first {
            let middle = usize::midpoint(right, first);
            if wrong(middle) { first = middle } else { right = middle }
        }
        let Some((kind, phrase)) = first.checked_sub(1).and_then(|at| phrases.get(at)) else {
            return Err(finding(&whole));
        };
        Err(within(*kind, phrase, &finding(&whole)))
    }

    /// Everything that loading the model finds: what `rotule check` reports of the file.
    pub fn diagnostics(&self) -> Diagnostics {
        match self.draft.load() {
            Ok(accepted) => accepted.diagnostics,
            Err(rejected) => rejected.diagnostics,
        }
    }

    /// The first error, if there is one.
    pub fn error(&self) -> Option<Diagnostic> {
        self.diagnostics().iter().find(|one| one.severity == Severity::Error).cloned()
    }

    /// Gives initial values to the coordinates of loops such that the loops are closed. Written
    /// values are kept where that is possible; the others are given with what they became.
    pub fn close(&mut self) -> Result<Vec<Change>, Error> {
        closing::close(&mut self.draft)
    }

    /// The distance of two places in the initial position.
    pub fn distance(&self, places: [&str; 2]) -> Result<f64, Error> {
        let model = Model::try_from(&self.draft)?;
        let (state, _) = model.assemble(&[])?;
        let mut ends = [[0.0; 3]; 2];
        for (end, place) in ends.iter_mut().zip(places) {
            let values = model.evaluate(&format!("position({place})"), &state)?;
            let numbers = values.outputs.first().map_or(&[][..], |output| &output.numbers);
            end.iter_mut().zip(numbers).for_each(|(component, number)| *component = *number);
        }
        let [a, b] = ends;
        let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        Ok(square.sqrt())
    }

    /// The model file, with comments that explain it; `file` is the name that they use for it.
    pub fn text(&self, file: &str) -> String {
        comments::annotate(&self.draft, file)
    }

    /// Names in a value that nothing has: parameters to be.
    pub fn unknown_names(&self, text: &str) -> Vec<String> {
        let (parameters, joints) = (self.parameters(), self.joints());
        let mut names = Vec::new();
        let whole = text.trim();
        let entries = if is_amount(whole) { Vec::new() } else { phrase::list(whole) };
        for entry in entries.into_iter().filter(|entry| !is_amount(entry)) {
            let mut graph = Graph::new();
            if graph.parse(entry).is_err() {
                continue;
            }
            for symbol in graph.symbols() {
                let name = &symbol.name;
                let known = matches!(name.as_str(), "t" | "deg" | "pi")
                    || parameters.contains(&name.as_str())
                    || joints.iter().any(|(joint, _)| joint == name);
                if !known && is_name(name) && !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
        names
    }

    /// Runs the model for a moment: the error says why it cannot be simulated.
    pub fn try_run(&self) -> Result<(), Error> {
        let model = Model::try_from(&self.draft)?;
        model.simulate().to(1e-3).run().map(drop)
    }

    /// A line about the model: how many bodies, coordinates and degrees of freedom it has.
    pub fn summary(&self) -> Result<String, Error> {
        let check = Model::try_from(&self.draft)?.check();
        let structure = &check.structure;
        let found = check.loops.as_ref().and_then(|loops| loops.found.as_ref().ok());
        let freedom = match found {
            Some(analysis) => i64::try_from(analysis.mobility()).unwrap_or(structure.mobility),
            None => structure.mobility,
        };
        let count = |number: i64, one: &str, several: &str| match number {
            1 => format!("1 {one}"),
            number => format!("{number} {several}"),
        };
        let size = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let mut parts = vec![
            count(size(structure.bodies), "body", "bodies"),
            count(size(structure.coordinates), "coordinate", "coordinates"),
        ];
        if !structure.loops.is_empty() {
            parts.push(count(size(structure.loops.len()), "loop", "loops"));
        }
        parts.push(count(freedom, "degree of freedom", "degrees of freedom"));
        Ok(parts.join(", "))
    }

    /// The names of parameters.
    pub fn parameters(&self) -> Vec<&str> {
        self.draft.parameters.iter().map(|one| one.name.value.as_str()).collect()
    }

    /// The names and types of joints that move, in the order of the file.
    pub fn joints(&self) -> Vec<(&str, JointType)> {
        let joints = self.draft.bodies.iter().flat_map(|body| &body.joints);
        let named = joints.filter_map(|joint| Some((joint.name.as_ref()?, joint.kind.value)));
        named.map(|(name, kind)| (name.value.as_str(), kind)).collect()
    }

    /// All places: the ground, bodies and their points.
    pub fn places(&self) -> Vec<String> {
        let ground = ("ground", &self.draft.ground);
        let bodies = self.draft.bodies.iter().map(|body| (body.name.value.as_str(), &body.points));
        let of = |(body, points): (&str, &Vec<rotule_model::draft::Point>)| {
            let own = points.iter().map(|point| format!("{body}.{}", point.name.value));
            std::iter::once(body.to_owned()).chain(own).collect::<Vec<_>>()
        };
        std::iter::once(ground).chain(bodies).flat_map(of).collect()
    }

    /// Where a new body is attached unless its phrase says so: the end of the last one, or the
    /// ground.
    pub fn last_place(&self) -> String {
        let Some(last) = self.draft.bodies.last() else { return "ground".to_owned() };
        let end = last.points.iter().find(|point| point.name.value == "end");
        let name = &last.name.value;
        end.map_or_else(|| name.clone(), |_| format!("{name}.end"))
    }

    /// A name of this form with the first number that nothing has: `q1`, `q2` and so on.
    pub fn free_name(&self, form: &str) -> String {
        let names: HashSet<&str> = self.names().into_iter().collect();
        let numbered = (1_usize..).map(|number| format!("{form}{number}"));
        numbered.into_iter().find(|name| !names.contains(name.as_str())).unwrap_or_default()
    }

    /// A name that nothing has yet: itself, or with a number behind it.
    fn unused(&self, name: &str) -> String {
        if self.names().contains(&name) { self.free_name(&format!("{name}_")) } else { name.into() }
    }

    /// All names that are given to something.
    pub fn names(&self) -> Vec<&str> {
        let draft = &self.draft;
        let mut names = self.parameters();
        names.extend(draft.bodies.iter().map(|body| body.name.value.as_str()));
        names.extend(self.joints().into_iter().map(|(name, _)| name));
        names.extend(draft.cuts.iter().map(|one| one.name.value.as_str()));
        names.extend(draft.line_forces.iter().map(|one| one.name.value.as_str()));
        names.extend(draft.forces.iter().map(|one| one.name.value.as_str()));
        names.extend(draft.sensors.iter().map(|one| one.name.value.as_str()));
        names
    }

    /// A number of an element as an expression of a parameter of its own, so that it can be varied;
    /// an expression as it is.
    fn quantity(&mut self, name: &str, text: &str, unit: &str, about: &str) -> String {
        let made = match value(text) {
            Value::Number(number) => Parameter::new("", number).unit(unit),
            Value::Expression(expression) => match rotule_model::units::amount(&expression) {
                Some(Ok(amount)) => {
                    let number = amount.number.parse::<f64>().unwrap_or(f64::NAN);
                    Parameter::new("", number).unit(amount.text)
                }
                _ => return expression,
            },
        };
        let name = self.unused(name);
        self.draft.add(made.about(about));
        let own = self.draft.parameters.last_mut().expect("it was just added");
        own.name.value.clone_from(&name);
        name
    }

    /// `NAME = VALUE, about`
    fn parameter(&mut self, phrase: &str) -> Result<(), Error> {
        let (name, rest) = phrase::assignment(phrase, "l = 0.5 m, length of the rod")?;
        let (text, about) = match phrase::split(rest, |c| c == ',')[..] {
            [] | [_] => (rest, ""),
            [first, ..] => (first, rest[first.len() + 1..].trim()),
        };
        let text = text.trim();
        if text.is_empty() {
            let message = format!("parameter `{name}` has no value");
            return Err(request(message, "write it as `NAME = VALUE`, such as `l = 0.5 m`"));
        }
        phrase::name("parameter", name)?;
        let mut parameter = match value(text) {
            Value::Expression(expression) => match rotule_model::units::amount(&expression) {
                Some(Ok(amount)) => {
                    let number = amount.number.parse::<f64>().unwrap_or(f64::NAN);
                    Parameter::new(name, number).unit(amount.text)
                }
                _ => Parameter::new(name, expression),
            },
            number => Parameter::new(name, number),
        };
        if !about.is_empty() {
            parameter = parameter.about(about);
        }
        self.draft.parameters.insert(self.named, parameter);
        self.named += 1;
        Ok(())
    }

    /// The joint of a name, or the message that there is none.
    fn joint(&self, name: &str) -> Result<JointType, Error> {
        let joints = self.joints();
        let found = joints.iter().find(|(known, _)| *known == name);
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            let help = likely(name, joints.iter().map(|(known, _)| *known));
            request(format!("there is no coordinate `{}`", phrase::shown(name)), help)
        })
    }
}

/// Returns `true` if a text is a number with its unit.
fn is_amount(text: &str) -> bool {
    use rotule_model::units::{amount, glued};
    matches!(amount(text), Some(Ok(_))) || glued(text).is_some()
}

/// A value with the other sign.
fn opposite(text: &str) -> Value {
    match value(text) {
        Value::Number(number) => Value::Number(-number),
        Value::Expression(expression) => match rotule_model::units::amount(&expression) {
            Some(Ok(_)) => Value::Expression(format!("-{expression}")),
            _ => Value::Expression(format!("-({expression})")),
        },
    }
}

/// The remedy of a diagnostic: its help, or the label of its place in the file.
pub fn remedy(diagnostic: &Diagnostic) -> String {
    let label = diagnostic.labels.first().map(|label| label.text.clone());
    diagnostic.help.clone().or(label).unwrap_or_default()
}

/// A diagnostic as an error of a request.
fn finding(diagnostic: &Diagnostic) -> Error {
    request(diagnostic.message.clone(), remedy(diagnostic))
}

/// An error of a phrase, with the phrase before it.
fn within(kind: OutlineElement, phrase: &str, error: &Error) -> Error {
    let message = match error {
        Error::Request(problem) => problem.message.clone(),
        other => other.to_string(),
    };
    request(format!("{} \"{}\": {message}", kind.word(), phrase::shown(phrase)), error.help())
}
