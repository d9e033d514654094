//! Written numbers to expressions: what an expression may use depends on the place where it stands.

use crate::component_names::{ComponentQuantity, component_name};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Axis, DraftValue, LinkConvention, Rotation, Text, Triple, Value};
use crate::laws;
use crate::mechanism::{Frame, Placement};
use crate::number_check::Want;
use crate::resolve::names::GROUND;
use crate::resolve::{Resolver, few, short};
use crate::source::Span;
use crate::units::{self, Dimension};
use rotule_symbolic::{
    CallReading, Expr, Graph, Matrix, Number, ParseError, Scope, SyntaxNode, Vector, parse,
};
use rustc_hash::FxHashMap;
use std::fmt;

/// Names that an expression may use besides parameters.
pub struct Offer<'a> {
    /// The names, with what they stand for.
    pub locals: &'a [(&'a str, Expr)],
    /// The names in words, for the advice.
    pub words: &'a str,
    /// `true` if foreign functions may be called.
    pub externals: bool,
    /// `true` if states and inputs may be used.
    pub states: bool,
}

impl Offer<'_> {
    /// Returns `true` if coordinates may be used by their names.
    fn has_coordinates(&self) -> bool {
        self.words.starts_with("coordinates")
    }
}

/// Parameters only.
pub const NOTHING: Offer<'static> =
    Offer { locals: &[], words: "parameters", externals: false, states: false };

/// Names of an expression: what its place offers, then parameters.
struct Names<'a, 'd> {
    offer: &'a Offer<'a>,
    /// The offer as a table, if it is long.
    table: FxHashMap<&'a str, Expr>,
    values: &'a FxHashMap<&'d str, Expr>,
    /// Symbols of states and of inputs; none where the place does not offer them.
    states: Option<&'a FxHashMap<&'d str, Expr>>,
    inputs: Option<&'a FxHashMap<String, Expr>>,
    unknown: Option<String>,
    shadowed: Option<(String, &'static str)>,
    /// Positions of points in tables that depend on parameters.
    tables: Vec<Vec<Expr>>,
}

impl Scope for Names<'_, '_> {
    fn resolve(&mut self, graph: &mut Graph, name: &str) -> Option<Expr> {
        let local = match self.table.is_empty() {
            true => self.offer.locals.iter().find(|(known, _)| *known == name).map(|found| found.1),
            false => self.table.get(name).copied(),
        };
        if local.is_some() {
            if self.values.contains_key(name) {
                self.shadowed = Some((name.to_owned(), "parameter"));
            } else if self.states.is_some_and(|states| states.contains_key(name)) {
                self.shadowed = Some((name.to_owned(), "state"));
            } else if self.inputs.is_some_and(|inputs| inputs.contains_key(name)) {
                self.shadowed = Some((name.to_owned(), "input"));
            }
            return local;
        }
        if let Some(value) = self.values.get(name) {
            return Some(*value);
        }
        if let Some(state) = self.states.and_then(|states| states.get(name)) {
            return Some(*state);
        }
        if let Some(input) = self.inputs.and_then(|inputs| inputs.get(name)) {
            return Some(*input);
        }
        if name == "deg" {
            let pi = graph.pi();
            let degrees = graph.number(Number::integer(180));
            return Some(graph.div(pi, degrees));
        }
        self.unknown = Some(name.to_owned());
        None
    }

    fn call(&mut self, graph: &mut Graph, name: &str, arguments: &[Expr]) -> Option<CallReading> {
        let read = laws::find(name)?.expand(graph, arguments);
        let lists = match name {
            laws::table::NAME if read.is_ok() => vec![laws::table::positions(arguments)],
            laws::table::NAME2 if read.is_ok() => laws::table::positions2(graph, arguments),
            _ => Vec::new(),
        };
        let open = |list: &Vec<Expr>| list.iter().any(|&one| graph.number_of(one).is_none());
        self.tables.extend(lists.into_iter().filter(open));
        Some(read)
    }

    fn calls(&self) -> Vec<String> {
        laws::LAWS.iter().map(|law| law.name.to_owned()).collect()
    }

    fn known(&self, _: &Graph) -> Vec<String> {
        Vec::new()
    }
}

impl<'d> Resolver<'d> {
    /// A number that may use parameters only.
    pub(super) fn scalar(
        &mut self,
        scalar: &DraftValue,
        what: fmt::Arguments<'_>,
        of: Option<Dimension>,
    ) -> Expr {
        self.law(scalar, what, of, &NOTHING)
    }

    /// A number that may be left out.
    pub(super) fn scalar_or_zero(
        &mut self,
        scalar: Option<&DraftValue>,
        what: fmt::Arguments<'_>,
        of: Option<Dimension>,
    ) -> Expr {
        scalar.map_or(Expr::ZERO, |scalar| self.scalar(scalar, what, of))
    }

    /// Three numbers that may use parameters only.
    pub(super) fn triple(
        &mut self,
        triple: &Triple,
        what: fmt::Arguments<'_>,
        of: Option<Dimension>,
    ) -> Vector {
        Vector(std::array::from_fn(|i| self.scalar(&triple[i], what, of)))
    }

    /// A number or law that may use what its place offers; zero if it cannot be read. The place
    /// takes values of a dimension, or of any if none is given.
    pub(super) fn law(
        &mut self,
        scalar: &DraftValue,
        what: fmt::Arguments<'_>,
        of: Option<Dimension>,
        offer: &Offer<'_>,
    ) -> Expr {
        let text = match &scalar.value {
            Value::Number(number) => return self.literal(*number, scalar.span, what),
            Value::Expression(text) => text,
        };
        if let Some(amount) = units::amount(text) {
            return self.amount(amount, scalar, what, of, offer);
        }
        self.check_name(text, scalar.span, what, of, offer);
        // Equal bodies have the same texts; one that was read without a fault need not be
        // read again.
        let plain = offer.locals.is_empty() && !offer.externals && !offer.states;
        if let Some(&known) = self.read.get(text.as_str()).filter(|_| plain) {
            return known;
        }
        let long = if offer.locals.len() > 16 { offer.locals } else { &[] };
        let table = long.iter().copied().collect();
        let states = offer.states.then_some(&self.states);
        let inputs = offer.states.then_some(&self.inputs);
        let values = &self.values;
        let mut names = Names {
            offer,
            table,
            values,
            states,
            inputs,
            unknown: None,
            shadowed: None,
            tables: Vec::new(),
        };
        let read = self.graph.parse_in(text, &mut names);
        let (unknown, shadowed, tables) = (names.unknown, names.shadowed, names.tables);
        for positions in tables {
            self.check(
                &positions,
                scalar.span,
                format_args!("the table in {what}"),
                Want::Increasing,
            );
        }
        if let Some((name, other)) = shadowed {
            let message = format!("`{name}` in {what} is not the {other} of that name");
            let help = format!("the place offers its own `{name}`; give the {other} another name");
            self.out.push(
                Diagnostic::warning(DiagnosticCode::Ambiguous, scalar.span, message).help(help),
            );
        }
        match read {
            Err(fault) => {
                let finding = self.explain(&fault, unknown, scalar, text, what, offer);
                self.out.push(finding);
                Expr::ZERO
            }
            Ok(expr) => {
                // Parameters call nothing, so a call stands in the text itself.
                let calls = !self.draft.externals.is_empty() && has_call(text);
                if !offer.externals && calls {
                    let message = format!("{what} calls an external function");
                    let help = "externals may be called in laws and motions only";
                    let span = scalar.span;
                    self.out.push(
                        Diagnostic::error(DiagnosticCode::Expression, span, message).help(help),
                    );
                    return Expr::ZERO;
                }
                if self.graph.kinds(expr).is_constant() && !calls {
                    self.check(&[expr], scalar.span, what, Want::Finite);
                }
                if plain {
                    self.read.insert(text.clone(), expr);
                }
                expr
            }
        }
    }

    /// A literal; an integer is exact.
    fn literal(&mut self, number: f64, span: Span, what: fmt::Arguments<'_>) -> Expr {
        if !number.is_finite() {
            self.error(DiagnosticCode::Number, span, format!("{what} is not a finite number"));
            return Expr::ZERO;
        }
        exact(number, &mut self.graph)
    }

    /// The fault with an expression, in the words of a model.
    fn explain(
        &mut self,
        fault: &ParseError,
        unknown: Option<String>,
        scalar: &DraftValue,
        text: &str,
        what: fmt::Arguments<'_>,
        offer: &Offer<'_>,
    ) -> Diagnostic {
        let span = within(scalar.span, text.len(), fault.span.clone());
        let own =
            [(!self.states.is_empty(), ", and states"), (!self.inputs.is_empty(), ", and inputs")];
        let own = own.into_iter().filter(|(any, _)| *any && offer.states).map(|(_, word)| word);
        let may = format!("it may use {}{}", offer.words, own.collect::<String>());
        let Some(name) = unknown else {
            let message = format!("{what}: {}", fault.message);
            let blank = units::glued(text)
                .map(|text| format!("a blank stands before a unit: write \"{}\"", short(&text)));
            let unit = units::follows_number(text, fault.span.clone()).then(|| {
                "a unit stands behind a single number, as in \"300 kg\"; numbers in expressions are SI"
                    .to_owned()
            });
            let help = blank.or(unit).or(fault.help.clone());
            return Diagnostic::error(DiagnosticCode::Expression, span, message).maybe_help(help);
        };
        let several =
            self.names.joints.get(name.as_str()).filter(|joint| joint.kind.value.speeds() != 1);
        if let Some(joint) = several.filter(|_| offer.has_coordinates()) {
            let count = joint.kind.value.coordinates();
            let message = format!("{what} uses `{name}`, a joint with {count} coordinates");
            let help = match count {
                0 => "a fixed joint has nothing to use".to_owned(),
                _ => {
                    let kind = joint.kind.value;
                    let first =
                        component_name(kind, name.as_str(), ComponentQuantity::Coordinate, 0);
                    format!("name one of them: `{first}`")
                }
            };
            return Diagnostic::error(DiagnosticCode::Expression, span, message).help(help);
        }
        if let Some(meaning) = self.meaning_elsewhere(&name) {
            let own = offer.locals.iter().any(|(local, _)| *local == "q");
            let own = own && self.names.joints.contains_key(name.split('.').next().unwrap_or(""));
            let may = match own {
                true => format!("{may}; the joint's own coordinate is `q`, its speed `qd`"),
                false => may,
            };
            let message = format!("{what} uses `{}`, {meaning}", short(&name));
            return Diagnostic::error(DiagnosticCode::Expression, span, message)
                .here("not offered here")
                .help(may);
        }
        let locals = offer.locals.iter().map(|(name, _)| *name);
        let near = self.suggest(&name, |own| {
            let joints = own.names.joints.keys().copied();
            let joints = joints.filter(|_| offer.has_coordinates());
            let states = own.states.keys().copied().chain(own.names.inputs.iter().copied());
            let states = states.filter(|_| offer.states);
            own.values.keys().copied().chain(locals).chain(joints).chain(states).collect()
        });
        let message = format!("{what} uses `{}`, which is not defined", short(&name));
        Diagnostic::error(DiagnosticCode::UnknownName, span, message).help(may).maybe_near(near)
    }

    /// The meaning of a name where it is offered, if it is a name of a model at all.
    fn meaning_elsewhere(&self, name: &str) -> Option<&'static str> {
        let base = name.split(['.', '[']).next().unwrap_or(name);
        let names = &self.names;
        let moves = names.joints.contains_key(base)
            || names.sensors.contains_key(base)
            || names.bodies.contains_key(base);
        if moves && is_acceleration(name) {
            return Some("an acceleration, which only events, outputs and sampled controllers see");
        }
        if self.names.joints.contains_key(base) {
            return Some(if base == name { "a coordinate" } else { "which belongs to a joint" });
        }
        if self.names.states.contains(name) {
            return Some("a state");
        }
        if self.names.inputs.contains(base) {
            return Some("an input");
        }
        if self.names.outputs.contains(name) {
            return Some("an output, which is recorded only");
        }
        if self.names.sensors.contains_key(base) && base != name {
            return Some("the signal of a sensor");
        }
        Some(match name {
            "t" => "the time",
            "q" | "qd" => "the coordinate or speed of a joint",
            "Z" | "Zd" => "the length of a line force or its rate",
            "Fz" => "the vertical force of a wheel",
            _ if self.graph.function_by_name(name).is_some() => {
                "an external function without its arguments"
            }
            _ if laws::find(name).is_some() => "a law without its arguments",
            _ => return None,
        })
    }

    /// A direction as a unit vector.
    pub(super) fn axis(&mut self, axis: &Axis, what: fmt::Arguments<'_>) -> Vector {
        let errors = self.out.errors();
        // A direction may be given by lengths as well as by numbers.
        let vector = self.triple(&axis.components, what, None);
        if self.out.errors() > errors {
            return Vector::unit(0);
        }
        self.unit(vector, axis.span, what)
    }

    /// A vector divided by its length, which must not be zero.
    fn unit(&mut self, vector: Vector, span: Span, what: fmt::Arguments<'_>) -> Vector {
        let nonzero: Vec<usize> = (0..3).filter(|&i| vector[i] != Expr::ZERO).collect();
        if let [only] = nonzero[..]
            && let Some(number) = self.graph.number_of(vector[only])
        {
            let unit = Vector::unit(only);
            return if number.is_negative() { -unit } else { unit };
        }
        let vector = Vector(self.of_ordinary_size(vector.0));
        let squares = vector.dot(vector, &mut self.graph);
        self.check(&[squares], span, what, Want::Length);
        if let Some(squares) = self.graph.number_of(squares) {
            if squares.is_zero() {
                return Vector::unit(0);
            }
            // What is of unit length within rounding is left as it is written.
            if (squares.to_f64() - 1.0).abs() < 1e-14 {
                return vector;
            }
            if !squares.is_exact() {
                let factor = self.graph.number(1.0 / squares.to_f64().sqrt());
                return vector.scale(factor, &mut self.graph);
            }
        }
        let length = self.graph.sqrt(squares);
        Vector(vector.0.map(|component| self.graph.div(component, length)))
    }

    /// Numbers divided by the largest of them, if their squares would not be exact or overflow.
    fn of_ordinary_size<const N: usize>(&mut self, values: [Expr; N]) -> [Expr; N] {
        let numbers = values.map(|value| self.graph.number_of(value).map(Number::to_f64));
        let largest =
            numbers.iter().try_fold(0.0_f64, |most, number| Some(most.max((*number)?.abs())));
        match largest {
            Some(largest) if largest > 0.0 && !(1e-6..1e6).contains(&largest) => {
                numbers.map(|number| exact(number.unwrap_or(0.0) / largest, &mut self.graph))
            }
            _ => values,
        }
    }

    /// A rotation matrix.
    pub(super) fn rotation(&mut self, rotation: &Rotation, what: fmt::Arguments<'_>) -> Matrix {
        match rotation {
            Rotation::Rpy(angles) => {
                let angles = self.triple(angles, what, Some(Dimension::ANGLE));
                let [roll, pitch, yaw] = angles.0;
                let graph = &mut self.graph;
                let z = Matrix::rotation(Vector::unit(2), yaw, graph);
                let y = Matrix::rotation(Vector::unit(1), pitch, graph);
                let x = Matrix::rotation(Vector::unit(0), roll, graph);
                z.mul(y, graph).mul(x, graph)
            }
            Rotation::Turn { axis, angle } => {
                let axis = self.axis(axis, what);
                let angle = self.scalar(angle, what, Some(Dimension::ANGLE));
                Matrix::rotation(axis, angle, &mut self.graph)
            }
            Rotation::Quaternion(parts) => {
                let span = parts[0].span;
                let parts: [Expr; 4] = std::array::from_fn(|i| self.scalar(&parts[i], what, None));
                let parts = self.of_ordinary_size(parts);
                let squares = parts.map(|part| self.graph.square(part));
                let squares = self.graph.sum(&squares);
                self.check(&[squares], span, what, Want::Turn);
                if squares == Expr::ZERO {
                    return Matrix::IDENTITY;
                }
                Matrix::of_quaternion(parts, squares, &mut self.graph)
            }
            Rotation::Link { convention, values } => self.link(*convention, values, what).rotation,
            Rotation::Matrix(rows) => {
                let number = Some(Dimension::NUMBER);
                let matrix = Matrix([0, 1, 2].map(|i| self.triple(&rows[i], what, number).0));
                self.check(matrix.0.as_flattened(), rows[0][0].span, what, Want::Rotation);
                matrix
            }
        }
    }

    /// The product of the rotations and displacements of link parameters.
    fn link(
        &mut self,
        convention: LinkConvention,
        values: &[Option<DraftValue>],
        what: fmt::Arguments<'_>,
    ) -> Placement {
        let steps = convention.parameters().iter().zip(convention.steps());
        let mut place = Placement::IDENTITY;
        for ((name, &(axis, rotates)), value) in steps.zip(values) {
            let Some(value) = value else { continue };
            let dimension = if rotates { Dimension::ANGLE } else { Dimension::LENGTH };
            let value = self.scalar(value, format_args!("`{name}` in {what}"), Some(dimension));
            let graph = &mut self.graph;
            let unit = Vector::unit(axis);
            let step = match rotates {
                true => Placement {
                    rotation: Matrix::rotation(unit, value, graph),
                    ..Placement::IDENTITY
                },
                false => Placement { position: unit.scale(value, graph), ..Placement::IDENTITY },
            };
            place = place.then(step, graph);
        }
        place
    }

    /// A position and a rotation that may be left out.
    pub(super) fn placement(
        &mut self,
        position: Option<&Triple>,
        rotation: Option<&Rotation>,
        what: fmt::Arguments<'_>,
    ) -> Placement {
        if let Some(Rotation::Link { convention, values }) = rotation {
            return self.link(*convention, values, format_args!("the placement of {what}"));
        }
        Placement {
            position: position.map_or(Vector::ZERO, |p| {
                let what = format_args!("the position of {what}");
                self.triple(p, what, Some(Dimension::LENGTH))
            }),
            rotation: rotation.map_or(Matrix::IDENTITY, |r| {
                self.rotation(r, format_args!("the rotation of {what}"))
            }),
        }
    }

    /// The body and point that a place such as `body.point` names: the number of the body, zero for
    /// the ground, and where the place is in it.
    pub(super) fn place(
        &mut self,
        place: &Text,
        what: fmt::Arguments<'_>,
    ) -> Option<(usize, Placement)> {
        let (body, point) = match place.value.split_once('.') {
            None => (place.value.as_str(), None),
            Some((body, point)) => (body, Some(point)),
        };
        let Some(&index) = self.names.bodies.get(body) else {
            let message = format!("{what} names `{}`, but there is no such body", short(body));
            let fixed = ["world", "base", "root", "inertial", "origin"].contains(&body);
            let near = self.suggest(body, |own| own.names.bodies.keys().copied().collect());
            let help = match fixed {
                true => Some("the fixed body is called `ground`".to_owned()),
                false => few(self.names.bodies.keys().copied()),
            };
            self.out.push(
                Diagnostic::error(DiagnosticCode::UnknownName, place.span, message)
                    .maybe_help(help)
                    .maybe_near(near),
            );
            return None;
        };
        let Some(point) = point else { return Some((index, Placement::IDENTITY)) };
        let Some(&found) = self.names.points.get(&(index, point)) else {
            let message =
                format!("{what} names point `{}`, which `{body}` does not have", short(point));
            let names = |own: &Self| -> Vec<&'d str> {
                own.points_of(index).iter().map(|point| point.name.value.as_str()).collect()
            };
            let near = self.suggest(point, names);
            let known = names(self);
            let listed: Vec<String> =
                known.iter().take(8).map(|name| format!("`{name}`")).collect();
            let help = Some(match listed.is_empty() {
                true if index == 0 => format!(
                    "the ground has no points: give it one (`{} = [x, y, z]` below `[ground.points]`), or write `ground` for its origin",
                    short(point)
                ),
                true => format!(
                    "`{body}` has no points: give it one (`points.{} = [x, y, z]`), or write `{body}` for its origin",
                    short(point)
                ),
                false => format!("it has {}", listed.join(", ")),
            });
            self.out.push(
                Diagnostic::error(DiagnosticCode::UnknownName, place.span, message)
                    .maybe_help(help)
                    .maybe_near(near),
            );
            return None;
        };
        Some((index, self.point(index, body, found)))
    }

    /// Where a point of a body is; read once, however often it is named.
    pub(super) fn point(
        &mut self,
        number: usize,
        body: &str,
        point: &'d crate::draft::Point,
    ) -> Placement {
        let name = point.name.value.as_str();
        if let Some(&known) = self.placements.get(&(number, name)) {
            return known;
        }
        let what = format_args!("point `{body}.{name}`");
        let placement = self.placement(Some(&point.position), point.rotation.as_ref(), what);
        self.placements.insert((number, name), placement);
        placement
    }

    /// The points of a body by its number.
    pub(super) fn points_of(&self, body: usize) -> &'d [crate::draft::Point] {
        match body.checked_sub(1) {
            None => &self.draft.ground,
            Some(index) => &self.draft.bodies[index].points,
        }
    }

    /// Two places on different bodies, as frames of the mechanism.
    pub(super) fn ends(
        &mut self,
        between: &[Text; 2],
        placed: &super::bodies::Placed,
        what: fmt::Arguments<'_>,
    ) -> Option<[Frame; 2]> {
        let first = self.place(&between[0], what);
        let second = self.place(&between[1], what);
        let (first, second) = (first?, second?);
        if first.0 == second.0 {
            let body = between[0].value.split('.').next().unwrap_or(GROUND);
            let message = format!("{what} connects `{body}` with itself");
            self.out.push(
                Diagnostic::error(DiagnosticCode::Ambiguous, between[1].span, message)
                    .also(between[0].span, "the other end is on the same body"),
            );
            return None;
        }
        Some([placed.frame(first)?, placed.frame(second)?])
    }
}

/// The place of a part of a text, if the text of so many bytes stands in the file as it was read;
/// else the whole place.
pub(super) fn within(whole: Span, bytes: usize, part: std::ops::Range<usize>) -> Span {
    let range = whole.range();
    if range.len() != bytes {
        return whole;
    }
    let start = (range.start + part.start).min(range.end);
    Span::new(whole.source, start..(range.start + part.end).min(range.end))
}

/// Returns `true` if a foreign function is called in an expression. A law is none: it is read as
/// what it stands for.
pub fn has_call(text: &str) -> bool {
    parse(text).is_ok_and(|syntax| {
        syntax.ids().any(|id| match *syntax.item(id) {
            SyntaxNode::Call { name, .. } => laws::find(syntax.name(name)).is_none(),
            _ => false,
        })
    })
}

/// A number, exact if it is an integer.
pub fn exact(number: f64, graph: &mut Graph) -> Expr {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        graph.number(Number::integer(number as i64))
    } else {
        graph.number(number)
    }
}

/// Returns `true` if a name is one that accelerations have: `q1.dd`, `leg.dd[2]`, `base.vx.d`,
/// `tip.acceleration.x`.
fn is_acceleration(name: &str) -> bool {
    let speed = name.strip_suffix(".d").and_then(|speed| speed.rsplit_once('.'));
    name.ends_with(".dd")
        || name.contains(".dd[")
        || name.contains("acceleration.")
        || speed.is_some_and(|(_, word)| word.starts_with(['v', 'w']))
}
