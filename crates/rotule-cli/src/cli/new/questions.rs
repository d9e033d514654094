//! The questions of `rotule new`: bodies and their joints, loops, driven coordinates, initial
//! values, forces, sensors. The question for a parameter follows the answer that uses its name for
//! the first time.
//!
//! Every answer becomes a part of a phrase, and the model with this phrase is loaded before the
//! answer is taken: what is wrong is told by the messages that a file would get.

use super::answers::{
    Answers, Field, axes, bracketed, healthy, listed, named, names, one_of, passes, recent,
    separate, single,
};
use super::dialogue::{Complaint, Dialogue, Leave, Question};
use super::help::*;
use super::{New, check_place, model_name};
use rotule::Change;
use rotule::layers::model::draft::{Along, JointType};
use rotule::scaffold::{CLOSURES, Outline, OutlineElement, TEMPLATES, remedy};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// The sentence about an initial value that did not close its loop.
pub fn changed(change: &Change) -> String {
    let Change { name, written, used, .. } = change;
    format!("note: {name} = {written} does not close the loops; {used:.6} is written instead")
}

/// Asks for everything.
pub fn ask<R: BufRead, W: Write>(
    dialogue: &mut Dialogue<R, W>,
    new: &New,
) -> Result<(PathBuf, Answers), Leave> {
    dialogue.run(|dialogue| Interview::start(dialogue, new))
}

/// One run through the questions.
pub struct Interview<'d, R, W> {
    pub dialogue: &'d mut Dialogue<R, W>,
    pub answers: Answers,
    /// The axis and direction of the last body, which the next one is offered.
    pub axis: String,
    pub direction: String,
}

impl<R: BufRead, W: Write> Interview<'_, R, W> {
    fn start(dialogue: &mut Dialogue<R, W>, new: &New) -> Result<(PathBuf, Answers), Leave> {
        dialogue.say(
            "A new model file. Enter takes the value in [brackets], ? explains a question,\n\
             < goes back, Ctrl-C leaves without a file.\n",
        );
        let file = match &new.file {
            Some(file) => file.clone(),
            None => {
                let question = Question { text: "File", default: "mechanism.toml", help: FILE };
                dialogue.ask(&question, |text| {
                    let file = PathBuf::from(text);
                    let told = |failure: super::Failure| Complaint::new(failure.to_string(), "");
                    check_place(&file, new.force).map_err(told).map(|()| file)
                })?
            }
        };
        let name = new.name.clone().unwrap_or_else(|| model_name(&file));
        let mut interview = Interview {
            dialogue,
            answers: Answers {
                outline: Outline::new(&name),
                name,
                about: new.about.clone().unwrap_or_default(),
                template: None,
                gravity: None,
                phrases: Vec::new(),
            },
            axis: "y".to_owned(),
            direction: "x".to_owned(),
        };
        interview.model(new)?;
        interview.bodies()?;
        interview.loops()?;
        interview.drives()?;
        interview.initial_values()?;
        interview.forces()?;
        interview.sensors()?;
        interview.confirm(&file)?;
        Ok((file, interview.answers))
    }

    // Asking.

    /// Asks for a text that the check takes.
    pub(super) fn text(
        &mut self,
        text: &str,
        default: &str,
        help: &str,
        check: impl FnMut(&str) -> Result<(), Complaint>,
    ) -> Result<String, Leave> {
        let mut check = check;
        self.dialogue.ask(&Question { text, default, help }, |answer| {
            check(answer).map(|()| answer.to_owned())
        })
    }

    /// Asks for one of some words.
    pub(super) fn word(
        &mut self,
        text: &str,
        default: &str,
        help: &str,
        words: &[&str],
    ) -> Result<String, Leave> {
        self.text(text, default, help, |answer| one_of(answer, words))
    }

    /// Asks for a value of a phrase. Names that nothing has become parameters, whose values are
    /// requested at once.
    pub(super) fn value(
        &mut self,
        field: &Field<'_>,
        phrase: impl Fn(&str) -> String,
    ) -> Result<String, Leave> {
        let Field { text, default, help, kind, locals, several, named } = *field;
        let outline = self.answers.outline.clone();
        let unknown = |answer: &str| {
            let first = if named { answer.find(char::is_whitespace) } else { None };
            let names = outline.unknown_names(&answer[first.unwrap_or(0)..]);
            names.into_iter().filter(|name| !locals.contains(&name.as_str())).collect::<Vec<_>>()
        };
        let answer = self.text(text, default, help, |answer| {
            if answer.is_empty() {
                return if default.is_empty() {
                    Ok(())
                } else {
                    Err(Complaint::new("an answer is needed", ""))
                };
            }
            if !several {
                single(answer)?;
            }
            let mut trial = outline.clone();
            for name in unknown(answer) {
                trial.add(OutlineElement::Parameter, &format!("{name} = 1"))?;
            }
            passes(&trial, kind, &phrase(answer))
        })?;
        let names = if answer.is_empty() { Vec::new() } else { unknown(&answer) };
        for (at, name) in names.iter().enumerate() {
            let known = self.answers.outline.clone();
            let value = self.text(
                &format!("  {name} is a new parameter; its value"),
                "1",
                PARAMETER,
                |value| {
                    single(value)?;
                    let mut trial = known.clone();
                    trial.add(OutlineElement::Parameter, &format!("{name} = {value}"))?;
                    if let Some(error) = trial.error() {
                        return Err(Complaint::new(error.message.clone(), remedy(&error)));
                    }
                    for later in &names[at + 1..] {
                        trial.add(OutlineElement::Parameter, &format!("{later} = 1"))?;
                    }
                    passes(&trial, kind, &phrase(&answer))
                },
            )?;
            self.add(OutlineElement::Parameter, format!("{name} = {value}"))?;
        }
        Ok(answer)
    }

    /// Adds a phrase that has been checked part by part.
    pub(super) fn add(&mut self, kind: OutlineElement, phrase: String) -> Result<(), Leave> {
        match self.answers.outline.add(kind, &phrase) {
            Ok(()) => {
                self.answers.phrases.push((kind, phrase));
                Ok(())
            }
            Err(error) => Err(self.dialogue.reject(&Complaint::from(error))),
        }
    }

    // The questions, in their order.

    fn model(&mut self, new: &New) -> Result<(), Leave> {
        if new.name.is_none() {
            let default = self.answers.name.clone();
            let name =
                self.text("Name of the model", &default, NAME, |name| {
                    match Outline::new(name).error() {
                        Some(error) => Err(Complaint::new(error.message.clone(), remedy(&error))),
                        None => Ok(()),
                    }
                })?;
            self.answers.outline.rename(&name);
            self.answers.name = name;
        }
        if new.about.is_none() {
            self.answers.about =
                self.text("A sentence about it, or Enter for none", "", ABOUT, |_| Ok(()))?;
        }
        let help = TEMPLATES
            .iter()
            .map(|(name, about)| format!("{name}: {about}"))
            .collect::<Vec<_>>()
            .join("\n");
        let help = format!("empty: nothing but the ground\n{help}");
        let name = self.answers.name.clone();
        let template =
            self.text("Begin with a template (? lists them)", "empty", &help, |template| {
                if template == "empty" {
                    return Ok(());
                }
                Ok(Outline::template(template, &name).map(drop)?)
            })?;
        if template != "empty" {
            match Outline::template(&template, &self.answers.name) {
                Ok(outline) => self.answers.outline = outline,
                Err(error) => return Err(self.dialogue.reject(&Complaint::from(error))),
            }
            self.answers.template = Some(template);
        }
        if !self.answers.about.is_empty() {
            let about = self.answers.about.clone();
            self.answers.outline.about(&about);
        }
        let outline = self.answers.outline.clone();
        let default = if self.answers.template.is_some() { "as it is" } else { "-z 9.81" };
        let default = new.gravity.as_deref().map_or(default, str::trim);
        let gravity = self.text("Gravity", default, GRAVITY, |text| {
            if text == "as it is" {
                return Ok(());
            }
            let mut trial = outline.clone();
            trial.gravity(text)?;
            healthy(&trial)
        })?;
        if gravity != "as it is" {
            if let Err(error) = self.answers.outline.gravity(&gravity) {
                return Err(self.dialogue.reject(&Complaint::from(error)));
            }
            // A mechanism in a plane turns about the axis that is neither gravity's nor x.
            if gravity.contains('y') {
                self.axis = "z".to_owned();
            }
            self.answers.gravity =
                (gravity != "-z 9.81" || self.answers.template.is_some()).then_some(gravity);
        }
        Ok(())
    }

    fn loops(&mut self) -> Result<(), Leave> {
        self.dialogue.say(&format!(
            "\nLoops, between two of the places {}",
            listed(&self.answers.outline.places())
        ));
        loop {
            let text = "Closure of a loop: two places, or Enter to go on";
            let places = self.places(text, LOOP, OutlineElement::Loop, "ball")?;
            let Some(places) = places else { return Ok(()) };
            let default = if self.planar() { "revolute" } else { "ball" };
            // The pitch of a helical closure is written into the file.
            let types: Vec<&str> =
                CLOSURES.iter().copied().filter(|kind| *kind != "helical").collect();
            let kind = self.word("  Type", default, CLOSURE, &types)?;
            let rest = match kind.as_str() {
                "ball" | "body" => String::new(),
                "rod" => self.value(
                    &Field::new(OutlineElement::Loop, "  Length of the rod", "1", LENGTH),
                    |length| format!("{places}, rod {length}"),
                )?,
                _ => {
                    let default =
                        if kind == "universal" { "x y".to_owned() } else { self.axis.clone() };
                    let kind_type = if kind == "universal" {
                        JointType::Universal
                    } else {
                        JointType::Revolute
                    };
                    let outline = self.answers.outline.clone();
                    let axis = self.text("  Axis", &default, AXIS, |axis| {
                        passes(
                            &outline,
                            OutlineElement::Loop,
                            &format!("{places}, {kind} {}", axes(axis, kind_type)?),
                        )
                    })?;
                    axes(&axis, kind_type).unwrap_or_default()
                }
            };
            let name = self.answers.outline.free_name("loop");
            self.add(
                OutlineElement::Loop,
                format!("{name}: {places}, {kind} {rest}").trim_end().to_owned(),
            )?;
        }
    }

    /// Returns `true` if all joints so far move in one plane as they are written: revolute about
    /// one axis, prismatic along others.
    fn planar(&self) -> bool {
        let bodies = &self.answers.outline.draft().bodies;
        let joints = || bodies.iter().flat_map(|body| &body.joints);
        let of_type = |kind: JointType| joints().filter(move |joint| joint.kind.value == kind);
        let mut normals = of_type(JointType::Revolute).map(|joint| &joint.axes);
        let Some(normal) = normals.next() else { return false };
        joints().all(|one| matches!(one.kind.value, JointType::Revolute | JointType::Prismatic))
            && normals.all(|axes| axes == normal)
            && of_type(JointType::Prismatic).all(|joint| joint.axes != *normal)
    }

    /// Asks for two places; none to go on.
    fn places(
        &mut self,
        text: &str,
        help: &str,
        kind: OutlineElement,
        law: &str,
    ) -> Result<Option<String>, Leave> {
        let outline = self.answers.outline.clone();
        let known = self.answers.outline.places();
        let answer = self.text(text, "", help, |answer| {
            let words: Vec<&str> =
                answer.split([' ', ',', '\t']).filter(|word| !word.is_empty()).collect();
            match &words[..] {
                [] => Ok(()),
                [a, b] if a == b => Err(Complaint::new("the two places are the same", "")),
                [a, b] => {
                    one_of(a, &names(&known))?;
                    one_of(b, &names(&known))?;
                    passes(&outline, kind, &format!("{a} {b}, {law}"))
                }
                _ => Err(Complaint::new(
                    format!("expected two places, found {}", words.len()),
                    "separate them by a blank",
                )),
            }
        })?;
        let words: Vec<&str> =
            answer.split([' ', ',', '\t']).filter(|word| !word.is_empty()).collect();
        Ok((!words.is_empty()).then(|| words.join(" ")))
    }

    /// The joints so far, with their types.
    fn joints(&self) -> Vec<(String, JointType)> {
        let joints = self.answers.outline.joints();
        joints.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect()
    }

    fn drives(&mut self) -> Result<(), Leave> {
        let joints = self.joints();
        let single: Vec<&str> = joints
            .iter()
            .filter(|(_, kind)| kind.coordinates() == 1)
            .map(|(name, _)| name.as_str())
            .collect();
        if let Ok(summary) = self.answers.outline.summary() {
            self.dialogue.say(&format!("\nMotion: {summary}"));
        }
        let driven: Vec<String> = self
            .answers
            .outline
            .draft()
            .motions
            .iter()
            .map(|one| one.joint.value.clone())
            .collect();
        let single: Vec<&str> =
            single.into_iter().filter(|name| !driven.iter().any(|one| one == name)).collect();
        if single.is_empty() {
            return Ok(());
        }
        let text = format!("Driven coordinates ({}), or Enter for none", single.join(" "));
        let chosen = self.text(&text, "", DRIVEN, |answer| {
            let chosen = separate(answer);
            chosen.iter().try_for_each(|name| one_of(name, &single))?;
            match chosen.iter().enumerate().find(|(at, name)| chosen[..*at].contains(name)) {
                Some((_, name)) => Err(Complaint::new(format!("`{name}` is named twice"), "")),
                None => Ok(()),
            }
        })?;
        for name in separate(&chosen) {
            let slides =
                joints.iter().any(|(known, kind)| known == name && kind.along() == [Along::Length]);
            let default = if slides { "0.1*sin(2*pi*t)" } else { "2*pi*t" };
            let law = self.value(
                &Field::new(
                    OutlineElement::Drive,
                    &format!("  {name} as a function of t"),
                    default,
                    LAW,
                ),
                |law| format!("{name} = {law}"),
            )?;
            self.add(OutlineElement::Drive, format!("{name} = {law}"))?;
        }
        Ok(())
    }

    fn initial_values(&mut self) -> Result<(), Leave> {
        let draft = self.answers.outline.draft();
        let closed = !draft.cuts.is_empty();
        let driven: Vec<String> = draft.motions.iter().map(|one| one.joint.value.clone()).collect();
        let given: Vec<String> =
            draft.initial_q.iter().map(|one| one.joint.value.clone()).collect();
        let joints = self.joints();
        let free =
            joints.iter().filter(|(name, _)| !driven.contains(name) && !given.contains(name));
        let free: Vec<&(String, JointType)> =
            free.filter(|(_, kind)| kind.coordinates() == 1).collect();
        if !free.is_empty() {
            self.dialogue.say("\nInitial values");
            if closed {
                self.dialogue.say(
                    "Give one coordinate of each loop; `auto` closes the loops with the others.",
                );
            }
        }
        for (at, (name, kind)) in free.iter().enumerate() {
            let unit =
                if kind.along() == [Along::Length] { "m, or 20 mm" } else { "rad, or 30 deg" };
            let follows = closed && (at > 0 || !driven.is_empty());
            let default = if follows { "auto" } else { "0" };
            let help = if closed { INITIAL_CLOSED } else { INITIAL };
            let q = self.value(
                &Field::new(OutlineElement::Initial, &format!("  {name} ({unit})"), default, help)
                    .with(&["auto"]),
                |value| match value {
                    // Something that is always right.
                    "auto" => format!("{name} = 0"),
                    value => format!("{name} = {value}"),
                },
            )?;
            if q == "auto" {
                continue;
            }
            if q != "0" || closed {
                self.add(OutlineElement::Initial, format!("{name} = {q}"))?;
            }
            let qd = self.value(
                &Field::new(OutlineElement::Initial, &format!("  {name}.d, its speed"), "0", SPEED)
                    .with(&["auto"]),
                |value| match value {
                    "auto" => format!("{name}.d = 0"),
                    value => format!("{name}.d = {value}"),
                },
            )?;
            if qd != "0" && qd != "auto" {
                self.add(OutlineElement::Initial, format!("{name}.d = {qd}"))?;
            }
        }
        match self.answers.outline.close() {
            Ok(changes) => {
                for change in changes {
                    self.dialogue.say(&changed(&change));
                }
                if closed {
                    self.dialogue.say("The loops are closed.");
                }
                Ok(())
            }
            Err(error) => Err(self.dialogue.reject(&Complaint::from(error))),
        }
    }

    fn forces(&mut self) -> Result<(), Leave> {
        self.dialogue
            .say(&format!("\nForces, at the places {}", listed(&self.answers.outline.places())));
        loop {
            let kinds = ["", "spring", "line-force", "force"];
            match &*self.word(
                "Add a spring, line-force or force, or Enter to go on",
                "",
                FORCES,
                &kinds,
            )? {
                "spring" => self.spring()?,
                "line-force" => {
                    let Some(places) = self.two_places()? else { continue };
                    let name = self.answers.outline.free_name("line_force");
                    let law = self.value(
                        &Field::new(
                            OutlineElement::LineForce,
                            "  Force as a function of Z and Zd",
                            "100*(Z - 0.1)",
                            LINE_LAW,
                        )
                        .with(&["Z", "Zd"]),
                        |law| format!("{name}: {places}, {law}"),
                    )?;
                    self.add(OutlineElement::LineForce, format!("{name}: {places}, {law}"))?;
                }
                "force" => {
                    let known = self.answers.outline.places();
                    let last = self.answers.outline.last_place();
                    let place = self.word(
                        &format!("  At the place ({})", recent(&known)),
                        &last,
                        PLACE,
                        &names(&known),
                    )?;
                    let name = self.answers.outline.free_name("force");
                    let locals = ["x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"];
                    let force = self.value(
                        &Field::new(
                            OutlineElement::Force,
                            "  Components along x y z of the ground",
                            "0 0 0",
                            COMPONENTS,
                        )
                        .with(&locals)
                        .several(),
                        |force| format!("{name}: {place}, force {}", bracketed(force)),
                    )?;
                    let torque = self.value(
                        &Field::new(OutlineElement::Force, "  Torque: x y z", "0 0 0", COMPONENTS)
                            .with(&locals)
                            .several(),
                        |torque| {
                            format!(
                                "{name}: {place}, force {}, torque {}",
                                bracketed(&force),
                                bracketed(torque)
                            )
                        },
                    )?;
                    let torque = if torque == "0 0 0" {
                        String::new()
                    } else {
                        format!(", torque {}", bracketed(&torque))
                    };
                    self.add(
                        OutlineElement::Force,
                        format!("{name}: {place}, force {}{torque}", bracketed(&force)),
                    )?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn two_places(&mut self) -> Result<Option<String>, Leave> {
        let text = "  Between two places, or Enter for none";
        self.places(text, PLACES, OutlineElement::LineForce, "0")
    }

    fn spring(&mut self) -> Result<(), Leave> {
        let Some(places) = self.two_places()? else { return Ok(()) };
        let default = self.answers.outline.free_name("spring");
        let outline = self.answers.outline.clone();
        let name = self.text("  Its name", &default, NAME, |name| {
            named(name)?;
            passes(&outline, OutlineElement::Spring, &format!("{name}: {places}, damping 1"))
        })?;
        let stiffness = self.value(
            &Field::new(OutlineElement::Spring, "  Stiffness, N/m", "100", STIFFNESS),
            |k| format!("{name}: {places}, stiffness {k}, length 1"),
        )?;
        let ends: Vec<&str> = places.split(' ').collect();
        let distance = self.answers.outline.distance([ends[0], ends[1]]).unwrap_or(0.0);
        let default = format!("{}", format!("{distance:.4e}").parse::<f64>().unwrap_or(distance));
        let length = self.value(
            &Field::new(
                OutlineElement::Spring,
                "  Length without force; in brackets: at the start",
                &default,
                FREE_LENGTH,
            ),
            |length| format!("{name}: {places}, stiffness {stiffness}, length {length}"),
        )?;
        let base = format!("{name}: {places}, stiffness {stiffness}, length {length}");
        let damping = self.value(
            &Field::new(OutlineElement::Spring, "  Damping, N s/m, or Enter for none", "", DAMPING),
            |c| format!("{base}, damping {c}"),
        )?;
        let damping =
            if damping.is_empty() { String::new() } else { format!(", damping {damping}") };
        self.add(OutlineElement::Spring, format!("{base}{damping}"))
    }

    fn sensors(&mut self) -> Result<(), Leave> {
        loop {
            let known = self.answers.outline.places();
            let mut places = names(&known);
            places.push("");
            let place = self.word("Sensor: its place, or Enter to go on", "", SENSOR, &places)?;
            if place.is_empty() {
                return Ok(());
            }
            let name = self.answers.outline.free_name("sensor");
            self.add(OutlineElement::Sensor, format!("{name}: {place}, position velocity"))?;
        }
    }

    /// Tries the model and asks whether it is to be written.
    fn confirm(&mut self, file: &Path) -> Result<(), Leave> {
        match self.answers.outline.summary() {
            Ok(summary) => self.dialogue.say(&format!("\nThe model has {summary}.")),
            Err(error) => return Err(self.dialogue.reject(&Complaint::from(error))),
        }
        if let Err(error) = self.answers.outline.try_run() {
            let complaint = Complaint::from(error);
            self.dialogue.say(&format!("It cannot be simulated yet: {}", complaint.message));
            if !complaint.help.is_empty() {
                self.dialogue.say(&format!("help: {} (< goes back)", complaint.help));
            }
        }
        let text = format!("Write {}", file.display());
        let answer = self.word(&text, "yes", CONFIRM, &["yes", "y", "no", "n"])?;
        if answer.starts_with('y') { Ok(()) } else { Err(Leave::Declined) }
    }
}
