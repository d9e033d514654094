//! Relations of coordinates: cuts, couplings, constraints; and sensors, whose signals constraints
//! use.

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{self, CutType, Engagement, Level, Measure, Value};
use crate::joint::Blocked;
use crate::mechanism::{
    BodyId, Constraint, Coupling, Cut, CutKind, EventTarget, Frame, Intermittent, Mechanism,
    Placement, Requirement, Sensor,
};
use crate::number_check::Want;
use crate::resolve::bodies::Placed;
use crate::resolve::expressions::Offer;
use crate::resolve::linear::{Linear, Relation};
use crate::resolve::signals::{Moves, Moving, Reach};
use crate::resolve::tree::Tree;
use crate::resolve::{Resolver, short};
use crate::source::{Span, Spanned};
use crate::units::Dimension;
use rotule_symbolic::{Expr, Kind, parse};
use rustc_hash::FxHashMap;

impl<'d> Resolver<'d> {
    /// Fills in cuts and sensors.
    pub(super) fn cuts_and_sensors(
        &mut self,
        tree: &Tree,
        placed: &Placed,
        mechanism: &mut Mechanism,
    ) {
        self.chosen_cuts(tree, placed, mechanism);
        self.cuts(placed, mechanism);
        // Rows and multipliers have the order of the file, whoever chose a cut.
        mechanism.cuts.sort_by_key(|cut| cut.span);
        self.sensors(placed, mechanism);
    }

    /// Fills in couplings and constraints.
    pub(super) fn relations(&mut self, known: &Moving, mechanism: &mut Mechanism) {
        self.couplings(mechanism);
        self.constraints(known, mechanism);
        // Those that hold at the beginning join the others.
        let engaged = mechanism.engaged();
        mechanism.intermittent.iter_mut().for_each(|one| one.engaged = false);
        mechanism.engage(&engaged);
    }

    /// Joint tables that the tree does not use.
    fn chosen_cuts(&mut self, tree: &Tree, placed: &Placed, mechanism: &mut Mechanism) {
        for &index in &tree.cuts {
            let loose = &self.draft.joints[index];
            let joint = &loose.joint;
            let places = || loose.between.each_ref().map(|place| place.value.as_str()).join(" = ");
            let name = joint.name.as_ref().map_or_else(places, |name| name.value.clone());
            let name = name.as_str();
            let kind = joint.kind.value;
            if kind.blocked().is_empty() {
                let message = format!("joint `{name}` is free, so it closes no loop");
                let help = "leave it out: its bodies are placed by other joints";
                self.out.push(
                    Diagnostic::warning(DiagnosticCode::Unused, joint.span, message).help(help),
                );
                continue;
            }
            let Some([first, second]) = tree.ends[index] else { continue };
            let (Some(first), Some(second)) = (placed.frame(first), placed.frame(second)) else {
                continue;
            };
            let axes = self.axes(&joint.axes, kind, joint.span, name);
            let what = format_args!("the pitch of joint `{name}`");
            let pitch = self.scalar_or_zero(joint.pitch.as_ref(), what, Some(Dimension::PITCH));
            mechanism.cuts.push(Cut {
                name: name.to_owned(),
                kind: CutKind::Joint { kind, axes, pitch },
                ends: [first, second],
                ignore: Vec::new(),
                frame: None,
                chosen: true,
                span: joint.span,
            });
            if let Some(&span) = self.names.given.get(name) {
                let message =
                    format!("the initial value of `{name}` is not used: the joint is cut");
                let finding = Diagnostic::warning(DiagnosticCode::Unused, span, message);
                self.out.push(finding.help("leave it out"));
            }
        }
    }

    fn cuts(&mut self, placed: &Placed, mechanism: &mut Mechanism) {
        for cut in &self.draft.cuts {
            let name = cut.name.value.as_str();
            let ends = self.ends(&cut.between, placed, format_args!("loop closure `{name}`"));
            let kind = match &cut.kind {
                CutType::Rod { length } => {
                    let what = format_args!("the length of loop closure `{name}`");
                    let expr = self.scalar(length, what, Some(Dimension::LENGTH));
                    self.check(&[expr], length.span, what, Want::Positive);
                    CutKind::Rod { length: expr }
                }
                CutType::Joint { kind, axes, pitch } => {
                    let what = format_args!("the pitch of loop closure `{name}`");
                    let pitch = self.scalar_or_zero(pitch.as_ref(), what, Some(Dimension::PITCH));
                    let axes = self.axes(axes, kind.value, cut.span, name);
                    if kind.value.blocked().is_empty() {
                        let message =
                            format!("loop closure `{name}` is free, so it closes no loop");
                        self.error(DiagnosticCode::Ambiguous, kind.span, message);
                    }
                    CutKind::Joint { kind: kind.value, axes, pitch }
                }
            };
            let Some(ends) = ends else { continue };
            let mut ignore: Vec<_> = cut.ignore.iter().map(|component| component.value).collect();
            ignore.sort_unstable();
            ignore.dedup();
            self.check_ignored(cut);
            let name = name.to_owned();
            let frame = cut.frame.as_ref().and_then(|frame| frame.value.end());
            let state = cut.intermittent.as_ref().map(|state| state.value);
            let cut = Cut { name, kind, ends, ignore, frame, chosen: false, span: cut.span };
            if cut.rows() == 0 {
                let message = format!("loop closure `{}` leaves out all its components", cut.name);
                self.out.push(Diagnostic::warning(DiagnosticCode::Unused, cut.span, message));
            }
            match state {
                None => mechanism.cuts.push(cut),
                Some(state) => mechanism.intermittent.push(Intermittent {
                    requirement: Requirement::Cut(cut),
                    engaged: state == Engagement::Engaged,
                }),
            }
        }
    }

    /// Components can be left out only where they are constraints.
    fn check_ignored(&mut self, cut: &draft::Cut) {
        if let (Some(frame), true) = (&cut.frame, cut.ignore.is_empty()) {
            let message = format!(
                "loop closure `{}` has a `frame`, but leaves out no components",
                cut.name.value
            );
            let help = "write what is free in it, such as `ignore = [\"x\"]`, or leave `frame` out";
            self.out
                .push(Diagnostic::warning(DiagnosticCode::Unused, frame.span, message).help(help));
        }
        let Some(first) = cut.ignore.first() else { return };
        let blocked = match &cut.kind {
            CutType::Joint { kind, .. } => kind.value.blocked(),
            CutType::Rod { .. } => Vec::new(),
        };
        let fault = match blocked[..] {
            [Blocked::Position, Blocked::Orientation] => return,
            [Blocked::Position] => {
                let rotations = cut.ignore.iter().find(|part| part.value > draft::Component::Z);
                let Some(part) = rotations else { return };
                (part.span, "a ball has no rotations to leave out")
            }
            _ => (
                first.span,
                "components can be left out of closures of type `body` and `ball` only",
            ),
        };
        let message = format!("loop closure `{}`: {}", cut.name.value, fault.1);
        self.error(DiagnosticCode::Ambiguous, fault.0, message);
    }

    fn sensors(&mut self, placed: &Placed, mechanism: &mut Mechanism) {
        for sensor in &self.draft.sensors {
            let name = sensor.name.value.as_str();
            let what = format_args!("sensor `{name}`");
            let at = self.place(&sensor.at, what).and_then(|place| placed.frame(place));
            let relative = match &sensor.relative_to {
                None => Some(BodyId::GROUND),
                Some(body) => {
                    let number = self.whole_body(body, what);
                    let place = number.map(|number| (number, Placement::IDENTITY));
                    place.and_then(|place| placed.frame(place)).map(|frame| frame.body)
                }
            };
            let mut measures: Vec<Measure> = Vec::new();
            for measure in &sensor.measures {
                if measures.contains(&measure.value) {
                    let message = format!("sensor `{name}` measures the same twice");
                    let finding =
                        Diagnostic::warning(DiagnosticCode::Ambiguous, measure.span, message);
                    self.out.push(finding.help("leave one out"));
                } else {
                    measures.push(measure.value);
                }
            }
            // The place in this list is the one that constraints know: it has all sensors.
            let origin = Frame { body: BodyId::GROUND, placement: Placement::IDENTITY };
            let at = at.unwrap_or(origin);
            let relative_to = relative.unwrap_or(BodyId::GROUND);
            let name = name.to_owned();
            mechanism.sensors.push(Sensor { name, at, measures, relative_to });
        }
    }

    fn couplings(&mut self, mechanism: &mut Mechanism) {
        if self.draft.couplings.is_empty() {
            return;
        }
        let by_name = by_name(mechanism);
        let mut found = Vec::new();
        let (mut relations, mut read) = (Vec::new(), Vec::new());
        for coupling in &self.draft.couplings {
            let name = coupling.name.value.as_str();
            let equation = &coupling.equation;
            let Some((left, right)) =
                equation.value.split_once('=').filter(|(_, right)| !right.contains('='))
            else {
                let message =
                    format!("coupling `{name}` must have one `=` between two expressions");
                let help = "for example equation = \"q2 = -3*q1 + 0.1\"";
                self.out.push(
                    Diagnostic::error(DiagnosticCode::Expression, equation.span, message)
                        .help(help),
                );
                continue;
            };
            let errors = self.out.errors();
            let what = format_args!("coupling `{name}`");
            let mut used = Vec::new();
            let sides = [(left, 0), (right, left.len() + 1)].map(|(text, offset)| {
                // A side is where its text is, if the equation stands in the file as it was read.
                let span = if equation.span.range().len() == equation.value.len() {
                    let start = equation.span.start as usize + offset;
                    Span::new(equation.span.source, start..start + text.len())
                } else {
                    equation.span
                };
                let locals = self.coordinates_in(text, &by_name, mechanism, &mut used);
                let offer = Offer {
                    locals: &locals,
                    words: "coordinates and parameters",
                    externals: false,
                    states: false,
                };
                let text = Spanned::new(Value::Expression(text.to_owned()), span);
                self.law(&text, what, None, &offer)
            });
            if self.out.errors() > errors {
                continue;
            }
            let expression = self.graph.sub(sides[0], sides[1]);
            used.sort_unstable();
            used.dedup();
            let symbols = used.iter().map(|&index| mechanism.coordinates[index].symbol).collect();
            relations.push(Relation { expression, symbols });
            read.push((coupling, used));
        }
        let parts = self.linear(&relations, Kind::Coordinate);
        for ((coupling, used), part) in read.into_iter().zip(parts) {
            let name = coupling.name.value.clone();
            let span = coupling.equation.span;
            match part {
                Err(at) => {
                    let name_of = &mechanism.coordinates[used[at]].name;
                    let message = format!("coupling `{name}` is not linear in `{name_of}`");
                    let help = "a relation that is not linear is a `[[constraint]]`";
                    self.out.push(
                        Diagnostic::error(DiagnosticCode::Expression, span, message).help(help),
                    );
                }
                Ok(Linear { factors, offset }) => {
                    let terms: Vec<(usize, Expr)> =
                        used.into_iter().zip(factors).filter(|(_, f)| *f != Expr::ZERO).collect();
                    if terms.is_empty() {
                        let message = format!("coupling `{name}` relates no coordinates");
                        self.error(DiagnosticCode::Expression, span, message);
                        continue;
                    }
                    found.push(Coupling { name, terms, offset });
                }
            }
        }
        mechanism.couplings = found;
    }

    fn constraints(&mut self, known: &Moving, mechanism: &mut Mechanism) {
        let mut found = Vec::new();
        let (mut relations, mut places) = (Vec::new(), Vec::new());
        for constraint in &self.draft.constraints {
            let name = constraint.name.value.as_str();
            let what = format_args!("constraint `{name}`");
            let velocity = constraint.level == Level::Velocity;
            let read = self.relation(&constraint.expression, what, constraint.level, known);
            let Some((expression, symbols)) = read else { continue };
            let span = constraint.expression.span;
            let requested = if velocity { Kind::Velocity } else { Kind::Coordinate };
            if !self.graph.kinds(expression).contains(requested) {
                let what = if velocity { "speed" } else { "coordinate" };
                self.error(
                    DiagnosticCode::Expression,
                    span,
                    format!("constraint `{name}` relates no {what}"),
                );
                continue;
            }
            if velocity {
                relations.push(Relation { expression, symbols });
                places.push((name, span));
            }
            let level = constraint.level;
            let new = Constraint { name: name.to_owned(), level, expression };
            match &constraint.intermittent {
                None => found.push(new),
                Some(state) => mechanism.intermittent.push(Intermittent {
                    requirement: Requirement::Constraint(new),
                    engaged: state.value == Engagement::Engaged,
                }),
            }
        }
        for motion in std::mem::take(&mut self.relations) {
            self.constraints_of_motion(motion, known, mechanism, &mut found);
        }
        let parts = self.linear(&relations, Kind::Velocity);
        for ((name, span), part) in places.into_iter().zip(parts) {
            if part.is_err() {
                let message = format!("constraint `{name}` is not linear in the speeds");
                self.error(DiagnosticCode::Expression, span, message);
            }
        }
        mechanism.constraints = found;
    }

    /// The expression of a constraint, and the symbols of speeds and velocities in it.
    fn relation(
        &mut self,
        written: &draft::DraftValue,
        what: std::fmt::Arguments<'_>,
        level: Level,
        known: &Moving,
    ) -> Option<(Expr, Vec<Expr>)> {
        let syntax = match &written.value {
            Value::Expression(text) => parse(text).ok(),
            Value::Number(_) => None,
        };
        let driving: Vec<(String, Expr)> =
            self.driving().into_iter().map(|(name, expr)| (name.to_owned(), expr)).collect();
        let mut locals: Vec<(&str, Expr)> =
            driving.iter().map(|(name, expr)| (name.as_str(), *expr)).collect();
        locals.push(("t", self.time));
        let (velocity, mut fast) = (level == Level::Velocity, Vec::new());
        let reach = if velocity { Reach::Velocity } else { Reach::Position };
        for used in syntax.iter().flat_map(rotule_symbolic::Syntax::names) {
            let symbol = match known.values.get(used.as_str()) {
                Some(Moves { target: EventTarget::State(_), .. }) => None,
                Some(Moves { target: EventTarget::Speed(_), .. }) if !velocity => None,
                Some(moves) => Some(moves.symbol),
                None => self.signal(known, used, reach),
            };
            if let Some(symbol) = symbol {
                locals.push((used, symbol));
                if self.graph.kinds(symbol).contains(Kind::Velocity) {
                    fast.push(symbol);
                }
            }
        }
        let words = if velocity {
            "coordinates, speeds such as `q1.d`, `t`, signals of sensors, inputs and parameters"
        } else {
            "coordinates, `t`, positions of sensors such as `tip.x`, inputs and parameters"
        };
        let offer = Offer { locals: &locals, words, externals: true, states: false };
        let errors = self.out.errors();
        let expression = self.law(written, what, None, &offer);
        self.check_flow(&[expression], written.span, &what.to_string());
        (self.out.errors() == errors).then_some((expression, fast))
    }

    /// The constraints that a motion is which uses coordinates: one for each coordinate.
    fn constraints_of_motion(
        &mut self,
        motion: &draft::Motion,
        known: &Moving,
        mechanism: &Mechanism,
        found: &mut Vec<Constraint>,
    ) {
        let joint_name = motion.joint.value.as_str();
        let what = format_args!("the motion of joint `{joint_name}`");
        let joint = mechanism.joints.iter().find(|joint| joint.name == joint_name);
        let Some(joint) = joint.filter(|joint| joint.coordinates.len() == motion.q.value.len())
        else {
            return;
        };
        let mut names = Vec::new();
        for (law, at) in motion.q.value.iter().zip(joint.coordinates.clone()) {
            let Some((value, _)) = self.relation(law, what, Level::Position, known) else { return };
            let coordinate = &mechanism.coordinates[at];
            let expression = self.graph.sub(coordinate.symbol, value);
            let name = format!("{}.motion", coordinate.name);
            names.push(format!("`{name}`"));
            found.push(Constraint { name, level: Level::Position, expression });
        }
        let message = format!("{what} uses a coordinate, so it is read as a constraint");
        let note = Diagnostic::note(DiagnosticCode::Choice, motion.q.span, message);
        let help = format!("the joint is free; {} holds it to its motion", names.join(", "));
        self.out.push(note.help(help));
    }

    /// The coordinates that an expression names, ready to be offered.
    fn coordinates_in<'a>(
        &mut self,
        text: &str,
        by_name: &FxHashMap<&'a str, usize>,
        mechanism: &Mechanism,
        used: &mut Vec<usize>,
    ) -> Vec<(&'a str, Expr)> {
        let Ok(syntax) = parse(text) else { return Vec::new() };
        let mut locals = Vec::new();
        for name in syntax.names() {
            if let Some((&name, &index)) = by_name.get_key_value(name.as_str()) {
                locals.push((name, mechanism.coordinates[index].symbol));
                used.push(index);
            }
        }
        locals
    }

    /// Returns `true` if the name of a component, such as `base.vx`, is also that of a sensor's
    /// signal, whose it then is: files that have both mean the sensor.
    pub(super) fn is_of_sensor(&self, name: &str) -> bool {
        let owner = name.split_once('.').map(|(owner, _)| owner);
        owner.is_some_and(|owner| self.draft.sensors.iter().any(|one| one.name.value == owner))
    }

    /// The body of a place that must be a whole body.
    pub(super) fn whole_body(
        &mut self,
        body: &draft::Text,
        what: std::fmt::Arguments<'_>,
    ) -> Option<usize> {
        if body.value.contains('.') {
            let message = format!("{what} names `{}`, expected a body", short(&body.value));
            self.error(DiagnosticCode::UnknownName, body.span, message);
            return None;
        }
        self.place(body, what).map(|(number, _)| number)
    }
}

/// Positions of the coordinates by their names.
fn by_name(mechanism: &Mechanism) -> FxHashMap<&str, usize> {
    let all = mechanism.coordinates.iter().enumerate();
    all.flat_map(|(index, one)| [(one.alias.as_str(), index), (one.name.as_str(), index)]).collect()
}
