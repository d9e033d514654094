//! Bodies and joints of the tree, in their order, with coordinates and speeds.

use crate::component_names::{ComponentQuantity, component_name, numbered_name};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{self, DraftValue, Initial, JointType, Value};
use crate::mechanism::{
    Body, BodyId, Coordinate, Frame, Joint, Mechanism, Placement, Point, Role, Speed,
};
use crate::number_check::Want;
use crate::resolve::expressions::Offer;
use crate::resolve::tree::{Edge, Tree};
use crate::resolve::units::Of;
use crate::resolve::{Resolver, counted, few, short};
use crate::source::Span;
use crate::units::Dimension;
use rotule_symbolic::{Expr, Graph, Kind, Matrix, Vector};
use rustc_hash::FxHashMap;

/// Where the bodies of the draft are in the mechanism.
pub struct Placed(Vec<BodyId>);

impl Placed {
    /// A place, by the number of its body in the draft, as a frame of the mechanism.
    pub fn frame(&self, (body, placement): (usize, Placement)) -> Option<Frame> {
        Some(Frame { body: *self.0.get(body)?, placement })
    }
}

/// Values of other tables for joints, by name.
struct Given<'d> {
    q: FxHashMap<&'d str, &'d Initial>,
    qd: FxHashMap<&'d str, &'d Initial>,
    motions: FxHashMap<&'d str, &'d draft::Motion>,
}

impl<'d> Resolver<'d> {
    /// Fills in bodies, joints, coordinates, speeds and points.
    pub(super) fn bodies(&mut self, tree: &Tree, mechanism: &mut Mechanism) -> Placed {
        let given = self.given();
        let draft = self.draft;
        mechanism.bodies.push(Body {
            name: super::names::GROUND.to_owned(),
            parent: None,
            placement: Placement::IDENTITY,
            mass: Expr::ZERO,
            com: Vector::ZERO,
            inertia: Matrix::ZERO,
            shapes: Vec::new(),
            from_shapes: false,
            fictitious: false,
            span: draft.span,
        });
        let mut placed = Placed(vec![BodyId::GROUND; draft.bodies.len() + 1]);
        // How many joints there are between the ground and each body of the draft: the same in
        // copies of one part.
        let mut depths = vec![0_u32; draft.bodies.len() + 1];
        self.points(0, BodyId::GROUND, mechanism);
        self.ground_shapes(&mut mechanism.bodies[0]);
        for &index in &tree.order {
            let body = &draft.bodies[index];
            let name = body.name.value.as_str();
            let own = self.placement(
                body.position.as_ref(),
                body.rotation.as_ref(),
                format_args!("body `{name}`"),
            );
            let step = |joint: &draft::Joint, at: usize| match &joint.name {
                Some(joint) => format!("{name}/{}", joint.value),
                None => format!("{name}/{}", at + 1),
            };
            match tree.edges[index] {
                Edge::Inline { parent, place } => {
                    let mut depth = depths[parent];
                    let mut parent = placed.0[parent];
                    let mut placement = place.then(own, &mut self.graph);
                    for (at, joint) in body.joints.iter().enumerate() {
                        depth += u32::from(joint.kind.value.speeds() > 0);
                        let resolved = self.joint(joint, false, depth, &given, mechanism);
                        mechanism.joints.push(resolved);
                        if at + 1 < body.joints.len() {
                            let span = joint.span;
                            let between = massless(step(joint, at), parent, placement, span);
                            mechanism.bodies.push(between);
                            parent = BodyId::new(mechanism.bodies.len() - 1);
                            placement = Placement::IDENTITY;
                        }
                    }
                    depths[index + 1] = depth;
                    if body.joints.is_empty() {
                        mechanism.joints.push(fixed(mechanism, body.name.span));
                    }
                    let real = massless(name.to_owned(), parent, placement, body.name.span);
                    mechanism.bodies.push(real);
                }
                Edge::Loose { joint, reversed } => {
                    let loose = &draft.joints[joint];
                    let [first, second] = tree.ends[joint].expect("a joint that places has ends");
                    let (from, to) = if reversed { (second, first) } else { (first, second) };
                    let parent = placed.0[from.0];
                    let moves = loose.joint.kind.value.speeds() > 0;
                    let depth = depths[from.0] + u32::from(moves);
                    depths[index + 1] = depth;
                    let resolved = self.joint(&loose.joint, reversed, depth, &given, mechanism);
                    mechanism.joints.push(resolved);
                    self.without_parent(body);
                    if to.1 == Placement::IDENTITY {
                        let real = massless(name.to_owned(), parent, from.1, body.name.span);
                        mechanism.bodies.push(real);
                    } else {
                        let side = step(&loose.joint, 0);
                        mechanism.bodies.push(massless(side, parent, from.1, loose.joint.span));
                        let parent = BodyId::new(mechanism.bodies.len() - 1);
                        mechanism.joints.push(fixed(mechanism, body.name.span));
                        let placement = to.1.inverse(&mut self.graph);
                        let real = massless(name.to_owned(), parent, placement, body.name.span);
                        mechanism.bodies.push(real);
                    }
                }
            }
            let id = BodyId::new(mechanism.bodies.len() - 1);
            placed.0[index + 1] = id;
            self.mass(body, &mut mechanism.bodies[id.index()]);
            self.shapes(body, &mut mechanism.bodies[id.index()]);
            self.points(index + 1, id, mechanism);
        }
        debug_assert_eq!(mechanism.joints.len() + 1, mechanism.bodies.len());
        placed
    }

    /// Values of the tables of initial values and motions, checked for joints that do not exist.
    fn given(&mut self) -> Given<'d> {
        let draft = self.draft;
        let mut motions: FxHashMap<&str, &draft::Motion> = FxHashMap::default();
        for motion in &draft.motions {
            if !self.joint_exists(&motion.joint, "a motion") {
                continue;
            }
            if let Some(first) = motions.insert(&motion.joint.value, motion) {
                let message = format!("joint `{}` has two motions", motion.joint.value);
                let finding =
                    Diagnostic::error(DiagnosticCode::Ambiguous, motion.joint.span, message);
                self.out.push(finding.also(first.joint.span, "the first is here"));
            }
        }
        let mut tables = [&draft.initial_q, &draft.initial_qd].map(|table| {
            let mut found: FxHashMap<&str, &Initial> = FxHashMap::default();
            for initial in table {
                let name = initial.joint.value.as_str();
                if !self.joint_exists(&initial.joint, "an initial value") {
                    continue;
                }
                if let Some(first) = found.insert(name, initial) {
                    let message = format!("joint `{name}` has two initial values");
                    let finding =
                        Diagnostic::error(DiagnosticCode::Ambiguous, initial.joint.span, message);
                    self.out.push(finding.also(first.joint.span, "the first is here"));
                }
                // Where foreign code gives the motion, the initial value is what the checks know.
                let known = motions.get(name).is_some_and(|motion| {
                    let calls = || motion.q.value.iter().any(calls_something);
                    !self.is_relation(motion) && (draft.externals.is_empty() || !calls())
                });
                if known {
                    let message = format!(
                        "the initial value of `{name}` is not used: a motion gives its coordinate"
                    );
                    let finding =
                        Diagnostic::warning(DiagnosticCode::Unused, initial.joint.span, message);
                    self.out.push(finding.help("leave it out"));
                }
            }
            found
        });
        let [q, qd] = [std::mem::take(&mut tables[0]), std::mem::take(&mut tables[1])];
        Given { q, qd, motions }
    }

    /// Returns `true` if a joint of that name exists and moves.
    fn joint_exists(&mut self, name: &draft::Text, what: &str) -> bool {
        match self.names.joints.get(name.value.as_str()) {
            Some(joint) if joint.kind.value.speeds() == 0 => {
                let message = format!("{what} names joint `{}`, which is fixed", name.value);
                self.error(DiagnosticCode::Ambiguous, name.span, message);
                false
            }
            Some(_) => true,
            None => {
                let text = short(&name.value);
                let message = format!("{what} names `{text}`, but there is no such joint");
                let near =
                    self.suggest(&name.value, |own| own.names.joints.keys().copied().collect());
                let base = name.value.split(['[', '.']).next().unwrap_or("");
                let whole = self.names.joints.contains_key(base);
                let help = match whole {
                    true => Some(format!("write `{base}` with a list of all its values")),
                    false => few(self.names.joints.keys().copied()),
                };
                let finding = Diagnostic::error(DiagnosticCode::UnknownName, name.span, message);
                self.out.push(finding.maybe_help(help).maybe_near(near));
                false
            }
        }
    }

    /// Keys that need a `parent`.
    fn without_parent(&mut self, body: &draft::Body) {
        let name = &body.name.value;
        let joint = body.joints.first().map(|joint| joint.span);
        let position = body.position.as_ref().map(|position| position[0].span);
        let rotation = body.rotation.as_ref().map(|_| body.name.span);
        if let Some(span) = joint.or(position).or(rotation) {
            let message =
                format!("body `{name}` has a joint, a position or a rotation, but no `parent`");
            let help =
                "give a `parent`, or leave the placing to the `[[joint]]` that names the body";
            self.out.push(Diagnostic::error(DiagnosticCode::Missing, span, message).help(help));
        }
    }

    /// Mass, centre of mass and inertia.
    fn mass(&mut self, written: &draft::Body, body: &mut Body) {
        let name = &written.name.value;
        let what = format_args!("the mass of body `{name}`");
        body.mass = self.scalar_or_zero(written.mass.as_ref(), what, Some(Dimension::MASS));
        if let Some(mass) = &written.mass {
            self.check(&[body.mass], mass.span, what, Want::Mass);
        }
        if let Some(com) = &written.com {
            let what = format_args!("the centre of mass of body `{name}`");
            body.com = self.triple(com, what, Some(Dimension::LENGTH));
        }
        let Some(inertia) = &written.inertia else { return };
        let what = format_args!("the inertia of body `{name}`");
        let of = Some(Dimension::INERTIA);
        let [xx, yy, zz, xy, xz, yz] =
            inertia.entries.each_ref().map(|entry| self.scalar_or_zero(entry.as_ref(), what, of));
        let matrix = Matrix::symmetric(xx, yy, zz, xy, xz, yz);
        self.check(&[xx, yy, zz, xy, xz, yz], inertia.span, what, Want::Inertia);
        body.inertia = match &inertia.rotation {
            None => matrix,
            Some(rotation) => {
                let rotation = self.rotation(rotation, what);
                rotated(matrix, rotation, &mut self.graph)
            }
        };
    }

    fn points(&mut self, number: usize, body: BodyId, mechanism: &mut Mechanism) {
        for point in self.points_of(number) {
            let carrier = mechanism.bodies[body.index()].name.as_str();
            let placement = self.point(number, carrier, point);
            let name = format!("{carrier}.{}", point.name.value);
            mechanism.points.push(Point { frame: Frame { body, placement }, name });
        }
    }

    /// A joint with its coordinates and speeds, which are added to the mechanism. `depth` tells
    /// them apart in the canonical order of expressions, and their place in the joint.
    fn joint(
        &mut self,
        joint: &draft::Joint,
        reversed: bool,
        depth: u32,
        given: &Given<'d>,
        mechanism: &mut Mechanism,
    ) -> Joint {
        let kind = joint.kind.value;
        let name = joint.name.as_ref().map_or("", |name| name.value.as_str());
        if name.is_empty() && kind.speeds() > 0 {
            let message = format!("a {} joint has no name", kind.word());
            let help = "its coordinate needs one: write name = \"q1\", for example";
            self.out
                .push(Diagnostic::error(DiagnosticCode::Missing, joint.span, message).help(help));
        }
        let mut axes = self.axes(&joint.axes, kind, joint.span, name);
        if reversed {
            axes.reverse();
            axes.iter_mut().for_each(|axis| *axis = -*axis);
        }
        let body = BodyId::new(mechanism.bodies.len());
        let (first_q, first_v) = (mechanism.coordinates.len(), mechanism.speeds.len());
        let named = |quantity, index| component_name(kind, name, quantity, index);
        let numbered = |quantity, index| numbered_name(kind, name, quantity, index);
        let q0 = self.initial(given.q.get(name), kind, Of::Coordinate, name);
        let qd0 = self.initial(given.qd.get(name), kind, Of::Speed, name);
        let written = [&given.q, &given.qd].map(|table| table.contains_key(name));
        for (index, &initial) in q0.iter().enumerate() {
            let alias = numbered(ComponentQuantity::Coordinate, index);
            let name = named(ComponentQuantity::Coordinate, index);
            let symbol = self.graph.ranked_symbol(&name, Kind::Coordinate, index as u32, depth);
            let written = written[0];
            mechanism.coordinates.push(Coordinate { name, alias, symbol, body, initial, written });
        }
        for (index, &initial) in qd0.iter().enumerate() {
            let speed = named(ComponentQuantity::Speed, index);
            let mut input =
                |name: &str, kind| self.graph.ranked_symbol(name, kind, index as u32, depth);
            let symbol = input(&speed, Kind::Velocity);
            let acceleration =
                input(&named(ComponentQuantity::Acceleration, index), Kind::Acceleration);
            let effort = input(&named(ComponentQuantity::Effort, index), Kind::Effort);
            let (name, written) = (speed, written[1]);
            mechanism.speeds.push(Speed {
                name,
                alias: numbered(ComponentQuantity::Speed, index),
                symbol,
                acceleration,
                effort,
                body,
                initial,
                written,
            });
        }
        let coordinates = first_q..mechanism.coordinates.len();
        let speeds = first_v..mechanism.speeds.len();
        let role = match given.motions.get(name) {
            Some(motion) if joint.locked => {
                let message = format!("joint `{name}` is locked, but has a motion");
                let finding =
                    Diagnostic::error(DiagnosticCode::Ambiguous, motion.joint.span, message);
                self.out.push(finding.also(joint.span, "the joint is here"));
                Role::Locked
            }
            Some(motion) if self.is_relation(motion) => {
                self.check_relation(motion, kind);
                self.relations.push(motion);
                Role::Free
            }
            Some(motion) => self.motion(motion, kind),
            None if joint.locked => Role::Locked,
            None => Role::Free,
        };
        // Laws are read once everything that they may use is known.
        let own: Vec<Expr> =
            mechanism.speeds[speeds.clone()].iter().map(|speed| speed.symbol).collect();
        let effort = self.passive_efforts(joint, name, &own);
        let what = |what: &str| format!("{what} of joint `{name}`");
        let pitch = match &joint.pitch {
            Some(pitch) => {
                let what = what("the pitch");
                self.scalar(pitch, format_args!("{what}"), Some(Dimension::PITCH))
            }
            None => {
                if kind.has_pitch() {
                    let message = format!("{} joint `{name}` has no `pitch`", kind.word());
                    self.error(DiagnosticCode::Missing, joint.span, message);
                }
                Expr::ZERO
            }
        };
        let of_armature = what("the armature");
        let of_armature = format_args!("{of_armature}");
        let inertia = Of::Inertia.whole(kind);
        let armature = self.scalar_or_zero(joint.armature.as_ref(), of_armature, inertia);
        if let Some(written) = &joint.armature {
            self.check(&[armature], written.span, of_armature, Want::Mass);
        }
        let actuation = self.actuation(joint, &what);
        let of_range = what("the range");
        let of_range = format_args!("{of_range}");
        let range = joint.range.as_ref().map(|range| {
            range.each_ref().map(|limit| self.scalar(limit, of_range, Of::Coordinate.whole(kind)))
        });
        if let (Some([lower, upper]), Some(written)) = (range, &joint.range) {
            let expr = self.graph.sub(upper, lower);
            self.check(&[expr], written[0].span, of_range, Want::Range);
        }
        let mut limit = |scalar: &Option<DraftValue>, words: &str, of| {
            scalar.as_ref().map(|scalar| self.scalar(scalar, format_args!("{}", what(words)), of))
        };
        let (speed, effort_dimension) = (Of::Speed.whole(kind), Of::Effort.whole(kind));
        Joint {
            max_speed: limit(&joint.max_speed, "the largest speed", speed),
            max_effort: limit(&joint.max_effort, "the largest effort", effort_dimension),
            name: name.to_owned(),
            kind,
            axes,
            pitch,
            coordinates,
            speeds,
            role,
            effort,
            armature,
            partition: joint.partition.as_ref().map(|partition| partition.value),
            actuation,
            range,
            span: joint.span,
        }
    }

    /// The weight of a joint's drive, if it has one.
    fn actuation(&mut self, joint: &draft::Joint, what: &dyn Fn(&str) -> String) -> Option<Expr> {
        let words = what("the weight of the drive");
        let Some(written) = &joint.actuation_weight else {
            return joint.actuated.then_some(Expr::ONE);
        };
        let weight = self.scalar(written, format_args!("{words}"), None);
        self.check(&[weight], written.span, format_args!("{words}"), Want::Positive);
        if !joint.actuated {
            let message = format!("{words} is given, but no drive");
            let help = "write `actuated = true`, or leave `actuation_weight` out";
            self.out
                .push(Diagnostic::error(DiagnosticCode::Missing, written.span, message).help(help));
        }
        Some(weight)
    }

    /// The unit axes of a joint or cut, as many as its type needs.
    pub(super) fn axes(
        &mut self,
        written: &[draft::Axis],
        kind: JointType,
        span: Span,
        name: &str,
    ) -> Vec<Vector> {
        if written.len() != kind.axes() {
            let requested = counted(kind.axes(), "axis").replace("axiss", "axes");
            let word = kind.word();
            let message =
                format!("{word} joint `{name}` needs {requested}, found {}", written.len());
            self.error(DiagnosticCode::Missing, span, message);
            return (0..kind.axes()).map(Vector::unit).collect();
        }
        let mut axes = Vec::with_capacity(written.len());
        for axis in written {
            axes.push(self.axis(axis, format_args!("the axis of `{name}`")));
        }
        if let [first, second] = axes[..] {
            let cross = first.cross(second, &mut self.graph);
            let expr = cross.dot(cross, &mut self.graph);
            let what = format_args!("the second axis of `{name}`");
            self.check(&[expr], written[1].span, what, Want::NotParallel);
        }
        axes
    }

    /// Initial values, or the default: zeros, and the identity for a quaternion.
    fn initial(
        &mut self,
        initial: Option<&&'d Initial>,
        kind: JointType,
        of: Of,
        name: &str,
    ) -> Vec<Expr> {
        let count = of.count(kind);
        let mut values = vec![Expr::ZERO; count];
        let quaternion = kind.quaternion().filter(|_| of == Of::Coordinate);
        if let Some(first) = quaternion {
            values[first] = Expr::ONE;
        }
        let Some(initial) = initial else { return values };
        let what = format_args!("the initial value of `{name}`");
        if !self.fits(&initial.values, count, what) {
            return values;
        }
        for (at, written) in initial.values.value.iter().enumerate() {
            let dimension = of.dimension(kind, at);
            values[at] = self.scalar(written, what, dimension);
            if dimension == Some(Dimension::ANGLE) {
                self.note_degrees(written, name);
            }
        }
        if let Some(first) = quaternion {
            let squares: Vec<Expr> =
                values[first..].iter().map(|&value| self.graph.square(value)).collect();
            let expr = self.graph.sum(&squares);
            self.check(&[expr], initial.values.span, what, Want::Quaternion);
        }
        values
    }

    /// Notes an initial angle that was probably meant in degrees: an integer without a unit, of
    /// more than one and a half revolutions.
    fn note_degrees(&mut self, written: &DraftValue, name: &str) {
        let Value::Number(number) = written.value else { return };
        if number.fract() != 0.0 || number.abs() < 10.0 || number.abs() > 360.0 {
            return;
        }
        let message = format!("the initial value of `{name}` is {number} rad");
        let help = format!("write \"{number} deg\" if degrees are meant");
        self.out.push(Diagnostic::note(DiagnosticCode::Unit, written.span, message).help(help));
    }

    /// Returns `true` if a list has as many entries as it must.
    pub(super) fn fits(
        &mut self,
        list: &crate::source::Spanned<Vec<DraftValue>>,
        count: usize,
        what: std::fmt::Arguments<'_>,
    ) -> bool {
        let found = list.value.len();
        if found != count {
            let numbers = counted(count, "number");
            let message = format!("{what} must have {numbers}, found {found}");
            self.error(DiagnosticCode::Dimension, list.span, message);
        }
        found == count
    }

    /// Returns `true` if a motion uses a coordinate, which makes it a constraint.
    fn is_relation(&self, motion: &draft::Motion) -> bool {
        let names_joint = |value: &DraftValue| {
            let Value::Expression(text) = &value.value else { return false };
            let own = |name: &str| {
                let base = name.split(['.', '[']).next().unwrap_or(name);
                self.names.joints.contains_key(base) && !self.is_of_sensor(name)
            };
            rotule_symbolic::parse(text)
                .is_ok_and(|syntax| syntax.names().iter().any(|name| own(name)))
        };
        motion.q.value.iter().any(names_joint)
    }

    /// Reports what a motion cannot have if it is a constraint.
    fn check_relation(&mut self, motion: &draft::Motion, kind: JointType) {
        let name = motion.joint.value.as_str();
        let what = format_args!("the motion of joint `{name}`");
        if !self.fits(&motion.q, kind.coordinates(), what) {
            return;
        }
        let given = motion.qd.as_ref().or(motion.qdd.as_ref());
        if let Some(given) = given {
            let message = format!("{what} uses a coordinate, so its derivatives cannot be given");
            let help = "leave out `qd` and `qdd`: they follow";
            self.out
                .push(Diagnostic::error(DiagnosticCode::Ambiguous, given.span, message).help(help));
        }
        if kind.quaternion().is_some() {
            let message = format!("{what} uses a coordinate, and the joint has a quaternion");
            let help = "write a `[[constraint]]` for each relation";
            let span = motion.q.span;
            self.out.push(Diagnostic::error(DiagnosticCode::Ambiguous, span, message).help(help));
        }
    }

    /// A given motion; what is not given is differentiated.
    fn motion(&mut self, motion: &draft::Motion, kind: JointType) -> Role {
        let name = motion.joint.value.as_str();
        let what = format_args!("the motion of joint `{name}`");
        let driving: Vec<(String, Expr)> =
            self.driving().into_iter().map(|(name, expr)| (name.to_owned(), expr)).collect();
        let mut locals: Vec<(&str, Expr)> =
            driving.iter().map(|(name, expr)| (name.as_str(), *expr)).collect();
        locals.push(("t", self.time));
        let words = match driving.is_empty() {
            true => "`t`, coordinates, parameters and externals",
            false => "`t`, inputs, coordinates, parameters and externals",
        };
        let offer = Offer { locals: &locals, words, externals: true, states: false };
        let mut list = |written: &crate::source::Spanned<Vec<DraftValue>>, of: Of| {
            if !self.fits(written, of.count(kind), what) {
                return vec![Expr::ZERO; of.count(kind)];
            }
            let laws = written.value.iter().enumerate();
            laws.map(|(at, law)| self.law(law, what, of.dimension(kind, at), &offer)).collect()
        };
        let q = list(&motion.q, Of::Coordinate);
        let qd = motion.qd.as_ref().map(|qd| list(qd, Of::Speed));
        let qdd = motion.qdd.as_ref().map(|qdd| list(qdd, Of::Acceleration));
        if kind.coordinates() != kind.speeds() && (qd.is_none() || qdd.is_none()) {
            let message = format!(
                "the motion of joint `{name}` must give `qd` and `qdd`: the speeds of a {} joint \
                 are not the derivatives of its coordinates",
                kind.word()
            );
            self.error(DiagnosticCode::Missing, motion.q.span, message);
            let zeros = vec![Expr::ZERO; kind.speeds()];
            return Role::Driven { q, qd: zeros.clone(), qdd: zeros };
        }
        let (span, of) = (motion.q.span, format!("the motion of joint `{name}`"));
        let mut rate = |list: &[Expr]| -> Vec<Expr> {
            self.check_flow(list, span, &of);
            self.rates_of(list)
        };
        let qd = qd.unwrap_or_else(|| rate(&q));
        let qdd = qdd.unwrap_or_else(|| rate(&qd));
        Role::Driven { q, qd, qdd }
    }
}

/// Returns `true` if an expression calls a foreign function.
fn calls_something(scalar: &DraftValue) -> bool {
    match &scalar.value {
        Value::Number(_) => false,
        Value::Expression(text) => super::expressions::has_call(text),
    }
}

/// A body without mass.
fn massless(name: String, parent: BodyId, placement: Placement, span: Span) -> Body {
    // Names of bodies have no slash; those of steps do.
    let fictitious = name.contains('/');
    Body {
        name,
        parent: Some(parent),
        placement,
        mass: Expr::ZERO,
        com: Vector::ZERO,
        inertia: Matrix::ZERO,
        shapes: Vec::new(),
        from_shapes: false,
        fictitious,
        span,
    }
}

/// A fixed joint without a name, as the next joint of a mechanism.
fn fixed(mechanism: &Mechanism, span: Span) -> Joint {
    let (q, v) = (mechanism.coordinates.len(), mechanism.speeds.len());
    Joint {
        name: String::new(),
        kind: JointType::Fixed,
        axes: Vec::new(),
        pitch: Expr::ZERO,
        coordinates: q..q,
        speeds: v..v,
        role: Role::Free,
        effort: Vec::new(),
        armature: Expr::ZERO,
        partition: None,
        actuation: None,
        range: None,
        max_speed: None,
        max_effort: None,
        span,
    }
}

/// The matrix in other axes: `R I R^T`.
fn rotated(matrix: Matrix, rotation: Matrix, graph: &mut Graph) -> Matrix {
    let left = rotation.mul(matrix, graph);
    left.mul(rotation.transpose(), graph)
}
