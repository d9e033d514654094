//! Relations of coordinates: cuts, couplings, constraints; and sensors, whose signals constraints
//! use.

use crate::aliases::{self, Names};
use crate::diagnostic::Diagnostic;
use crate::draft::{self, CutType, JointType, Level, Measure, Value};
use crate::mechanism::{
    BodyId, Constraint, Coupling, Cut, CutKind, Frame, Mechanism, Placement, Sensor, Signal, Speed,
};
use crate::resolve::bodies::Placed;
use crate::resolve::expressions::Offer;
use crate::resolve::linear::{Linear, Relation};
use crate::resolve::physics::Want;
use crate::resolve::tree::Tree;
use crate::resolve::{Resolver, short};
use crate::source::{Span, Spanned};
use crate::units::Dimension;
use rotule_symbolic::{Expr, Kind, parse};
use rustc_hash::FxHashMap;

/// The measures whose components laws may use as signals.
const SIGNALS: [Measure; 3] = [Measure::Position, Measure::Velocity, Measure::AngularVelocity];

/// The signal of a sensor by what stands behind its name: `vx` and `velocity.x` are the same.
fn signal(quantity: &str) -> Option<(Measure, usize)> {
    let (word, axis) = aliases::canonical(Names::Sensor, quantity).split_once('.')?;
    let (measure, _) = Measure::ALL.into_iter().find(|(_, known)| *known == word)?;
    let component = ["x", "y", "z"].iter().position(|known| *known == axis)?;
    SIGNALS.contains(&measure).then_some((measure, component))
}

impl<'d> Resolver<'d> {
    /// Fills in cuts, couplings, constraints and sensors.
    pub(super) fn elements(&mut self, tree: &Tree, placed: &Placed, mechanism: &mut Mechanism) {
        self.chosen_cuts(tree, placed, mechanism);
        self.cuts(placed, mechanism);
        // Rows and multipliers have the order of the file, whoever chose a cut.
        mechanism.cuts.sort_by_key(|cut| cut.span);
        self.sensors(placed, mechanism);
        self.couplings(mechanism);
        self.constraints(mechanism);
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
            if kind == JointType::Free {
                let message = format!("joint `{name}` is free, so it closes no loop");
                let help = "leave it out: its bodies are placed by other joints";
                self.out.push(Diagnostic::warning("unused", joint.span, message).help(help));
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
                chosen: true,
                span: joint.span,
            });
            if let Some(&span) = self.names.given.get(name) {
                let message =
                    format!("the initial value of `{name}` is not used: the joint is cut");
                let finding = Diagnostic::warning("unused", span, message);
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
                    if kind.value == JointType::Free {
                        let message =
                            format!("loop closure `{name}` is free, so it closes no loop");
                        self.error("ambiguous", kind.span, message);
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
            let cut = Cut { name, kind, ends, ignore, chosen: false, span: cut.span };
            if cut.rows() == 0 {
                let message = format!("loop closure `{}` leaves out all its components", cut.name);
                self.out.push(Diagnostic::warning("unused", cut.span, message));
            }
            mechanism.cuts.push(cut);
        }
    }

    /// Components can be left out only where they are constraints.
    fn check_ignored(&mut self, cut: &draft::Cut) {
        let Some(first) = cut.ignore.first() else { return };
        let fault = match &cut.kind {
            CutType::Joint { kind, .. } if kind.value == JointType::Fixed => return,
            CutType::Joint { kind, .. } if kind.value == JointType::Spherical => {
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
        self.error("ambiguous", fault.0, message);
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
                    let finding = Diagnostic::warning("ambiguous", measure.span, message);
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
                self.out.push(Diagnostic::error("expression", equation.span, message).help(help));
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
                    self.out.push(Diagnostic::error("expression", span, message).help(help));
                }
                Ok(Linear { factors, offset }) => {
                    let terms: Vec<(usize, Expr)> =
                        used.into_iter().zip(factors).filter(|(_, f)| *f != Expr::ZERO).collect();
                    if terms.is_empty() {
                        let message = format!("coupling `{name}` relates no coordinates");
                        self.error("expression", span, message);
                        continue;
                    }
                    found.push(Coupling { name, terms, offset });
                }
            }
        }
        mechanism.couplings = found;
    }

    fn constraints(&mut self, mechanism: &mut Mechanism) {
        if self.draft.constraints.is_empty() {
            return;
        }
        let mut by_name = by_name(mechanism);
        by_name.retain(|name, _| !self.is_of_sensor(name));
        let both = |speed: &'_ Speed| {
            [(speed.alias.clone(), speed.symbol), (speed.name.clone(), speed.symbol)]
        };
        let mut speeds: FxHashMap<String, Expr> = mechanism.speeds.iter().flat_map(both).collect();
        speeds.retain(|name, _| !self.is_of_sensor(name));
        let mut found = Vec::new();
        let (mut relations, mut places) = (Vec::new(), Vec::new());
        for constraint in &self.draft.constraints {
            let name = constraint.name.value.as_str();
            let mut locals = vec![("t", self.time)];
            let mut signals = Vec::new();
            let velocity = constraint.level == Level::Velocity;
            let syntax = match &constraint.expression.value {
                Value::Expression(text) => parse(text).ok(),
                Value::Number(_) => None,
            };
            for used in syntax.iter().flat_map(rotule_symbolic::Syntax::names) {
                if let Some(&index) = by_name.get(used.as_str()) {
                    locals.push((used, mechanism.coordinates[index].symbol));
                } else if let Some(&symbol) = speeds.get(used.as_str()).filter(|_| velocity) {
                    locals.push((used, symbol));
                } else if let Some(signal) = self.signal(used)
                    && (velocity || signal.measure == Measure::Position)
                {
                    locals.push((used, signal.symbol));
                    add(&mut signals, signal);
                }
            }
            let words = if velocity {
                "coordinates, speeds such as `q1.d`, `t`, signals of sensors and parameters"
            } else {
                "coordinates, `t`, positions of sensors such as `tip.x` and parameters"
            };
            let offer = Offer { locals: &locals, words, externals: true, states: false };
            let what = format_args!("constraint `{name}`");
            let errors = self.out.errors();
            let expression = self.law(&constraint.expression, what, None, &offer);
            if self.out.errors() > errors {
                continue;
            }
            let span = constraint.expression.span;
            let wanted = if velocity { Kind::Velocity } else { Kind::Coordinate };
            if !self.graph.kinds(expression).contains(wanted) {
                let what = if velocity { "speed" } else { "coordinate" };
                self.error("expression", span, format!("constraint `{name}` relates no {what}"));
                continue;
            }
            if velocity {
                let symbols = locals.iter().map(|(_, symbol)| *symbol);
                let fast = |&symbol: &Expr| self.graph.kinds(symbol).contains(Kind::Velocity);
                let symbols = symbols.filter(fast).collect();
                relations.push(Relation { expression, symbols });
                places.push((name, span));
            }
            let level = constraint.level;
            found.push(Constraint { name: name.to_owned(), level, expression, signals });
        }
        let parts = self.linear(&relations, Kind::Velocity);
        for ((name, span), part) in places.into_iter().zip(parts) {
            if part.is_err() {
                let message = format!("constraint `{name}` is not linear in the speeds");
                self.error("expression", span, message);
            }
        }
        mechanism.constraints = found;
    }

    /// The signal that a name such as `tip.vx` or `tip.velocity.x` means.
    pub(super) fn signal(&mut self, name: &str) -> Option<Signal> {
        let (owner, quantity) = name.split_once('.')?;
        let &sensor = self.names.sensors.get(owner)?;
        let (measure, component) = signal(quantity)?;
        let kind = if measure == Measure::Position { Kind::Coordinate } else { Kind::Velocity };
        // One symbol, whichever of its names a law uses.
        let full = aliases::canonical(Names::Sensor, quantity);
        let short = aliases::of(Names::Sensor).find(|(_, name)| *name == full)?.0;
        let symbol = self.graph.symbol(&format!("{owner}.{short}"), kind);
        Some(Signal { sensor, measure, component, symbol })
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
            self.error("unknown-name", body.span, message);
            return None;
        }
        self.place(body, what).map(|(number, _)| number)
    }
}

/// Adds a signal to those that an expression uses, once.
pub(super) fn add(signals: &mut Vec<Signal>, signal: Signal) {
    if signals.iter().all(|known| known.symbol != signal.symbol) {
        signals.push(signal);
    }
}

/// Positions of the coordinates by their names.
fn by_name(mechanism: &Mechanism) -> FxHashMap<&str, usize> {
    let all = mechanism.coordinates.iter().enumerate();
    all.flat_map(|(index, one)| [(one.alias.as_str(), index), (one.name.as_str(), index)]).collect()
}
