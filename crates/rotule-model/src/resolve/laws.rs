//! Forces: line forces, forces at places, wheels. Their laws use placeholders such as
//! `line_force.Z`, which are symbols of the graph that a formalism replaces by what they mean.

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{JointType, WHEEL_LAWS};
use crate::mechanism::{BodyId, Force, LineForce, Mechanism, Wheel};
use crate::number_check::Want;
use crate::resolve::Resolver;
use crate::resolve::bodies::Placed;
use crate::resolve::expressions::Offer;
use crate::resolve::signals::{Moving, Reach};
use crate::resolve::states::WORDS;
use crate::resolve::units::Of;
use crate::units::Dimension;
use rotule_symbolic::{Expr, Graph, Kind, Vector};

use Kind::{Coordinate, Velocity};

/// Names that the law of a line force may use.
const LINE_FORCE: &[(&str, Kind)] = &[("Z", Coordinate), ("Zd", Velocity)];

/// Names that a force at a place may use.
const FORCE: &[(&str, Kind)] = &[
    ("x", Coordinate),
    ("y", Coordinate),
    ("z", Coordinate),
    ("vx", Velocity),
    ("vy", Velocity),
    ("vz", Velocity),
    ("wx", Velocity),
    ("wy", Velocity),
    ("wz", Velocity),
];

/// Names that the law of a wheel may use.
const WHEEL: &[(&str, Kind)] = &[
    ("depth", Coordinate),
    ("camber", Coordinate),
    ("depth_rate", Velocity),
    ("side_slip", Velocity),
    ("slip", Velocity),
    ("spin", Velocity),
    ("speed", Velocity),
    ("Fz", Velocity),
];

/// Names that the height of the ground may use.
const GROUND: &[(&str, Kind)] = &[("x", Coordinate), ("y", Coordinate)];

/// Placeholders under an element's word, ready to be offered, and the time.
fn placeholders<'a>(
    table: &'a [(&'a str, Kind)],
    word: &str,
    time: Expr,
    graph: &mut Graph,
) -> Vec<(&'a str, Expr)> {
    let symbol =
        |&(name, kind): &(&'a str, Kind)| (name, graph.symbol(&format!("{word}.{name}"), kind));
    table.iter().map(symbol).chain([("t", time)]).collect()
}

impl<'d> Resolver<'d> {
    /// Fills in efforts of joints, line forces, forces and wheels.
    pub(super) fn laws(&mut self, known: &Moving, placed: &Placed, mechanism: &mut Mechanism) {
        self.efforts(known, mechanism);
        self.line_forces(known, placed, mechanism);
        self.forces(known, placed, mechanism);
        self.wheels(known, placed, mechanism);
    }

    /// Fills in the laws of efforts of joints.
    fn efforts(&mut self, known: &Moving, mechanism: &mut Mechanism) {
        for at in 0..mechanism.joints.len() {
            let joint = &mechanism.joints[at];
            let Some(&written) = self.names.joints.get(joint.name.as_str()) else { continue };
            let Some(effort) = &written.effort else { continue };
            let name = joint.name.clone();
            let what = format_args!("the effort of joint `{name}`");
            let (kind, count) = (joint.kind, joint.speeds.len());
            let label = |letter: &str, index: usize| match count {
                1 => letter.to_owned(),
                _ => format!("{letter}[{}]", index + 1),
            };
            let own = mechanism.coordinates[joint.coordinates.clone()].iter();
            let mut names: Vec<(String, Expr)> =
                own.enumerate().map(|(index, one)| (label("q", index), one.symbol)).collect();
            let own = mechanism.speeds[joint.speeds.clone()].iter();
            names.extend(own.enumerate().map(|(index, one)| (label("qd", index), one.symbol)));
            names.push(("t".to_owned(), self.time));
            if !self.fits(effort, count, what) {
                continue;
            }
            let locals: Vec<(&str, Expr)> =
                names.iter().map(|(name, expr)| (name.as_str(), *expr)).collect();
            let own = if count == 1 { "`q`, `qd`" } else { "`q[1]`, `qd[1]` and so on" };
            let words = format!("{own}, {WORDS}");
            let offer = (&locals[..], words.as_str(), Reach::Force);
            let laws = effort.value.iter().enumerate().map(|(at, law)| {
                self.moving(law, what, Of::Effort.dimension(kind, at), known, offer)
            });
            let laws: Vec<Expr> = laws.collect();
            for (effort, law) in mechanism.joints[at].effort.iter_mut().zip(laws) {
                *effort = self.graph.add(*effort, law);
            }
        }
    }

    fn line_forces(&mut self, known: &Moving, placed: &Placed, mechanism: &mut Mechanism) {
        let locals = placeholders(LINE_FORCE, "line_force", self.time, &mut self.graph);
        let words = format!("`Z`, `Zd`, {WORDS}");
        let offer = (&locals[..], words.as_str(), Reach::Force);
        for line_force in &self.draft.line_forces {
            let name = line_force.name.value.as_str();
            let ends = self.ends(&line_force.between, placed, format_args!("line force `{name}`"));
            let what = format_args!("the force of line force `{name}`");
            let force = self.moving(&line_force.force, what, Some(Dimension::FORCE), known, offer);
            let Some(ends) = ends else { continue };
            mechanism.line_forces.push(LineForce { name: name.to_owned(), ends, force });
        }
    }

    fn forces(&mut self, known: &Moving, placed: &Placed, mechanism: &mut Mechanism) {
        let locals = placeholders(FORCE, "force", self.time, &mut self.graph);
        let words = format!("`x y z vx vy vz wx wy wz` of the place, {WORDS}");
        let offer = (&locals[..], words.as_str(), Reach::Force);
        for force in &self.draft.forces {
            let name = force.name.value.as_str();
            let what = format_args!("force `{name}`");
            let at = self.place(&force.at, what).and_then(|place| placed.frame(place));
            let mut vector = |triple: &Option<crate::draft::Triple>, of| match triple {
                None => Vector::ZERO,
                Some(triple) => {
                    let mut law = |i: usize| self.moving(&triple[i], what, Some(of), known, offer);
                    Vector(std::array::from_fn(&mut law))
                }
            };
            let pull = vector(&force.force, Dimension::FORCE);
            let torque = vector(&force.torque, Dimension::TORQUE);
            if force.force.is_none() && force.torque.is_none() {
                let message = format!("force `{name}` has neither `force` nor `torque`");
                self.out.push(Diagnostic::warning(
                    DiagnosticCode::Missing,
                    force.name.span,
                    message,
                ));
            }
            let Some(at) = at else { continue };
            let (name, body_axes) = (name.to_owned(), force.body_axes);
            mechanism.forces.push(Force { name, at, force: pull, torque, body_axes });
        }
    }

    fn wheels(&mut self, known: &Moving, placed: &Placed, mechanism: &mut Mechanism) {
        let locals = placeholders(WHEEL, "wheel", self.time, &mut self.graph);
        let (upright, others): (Vec<_>, Vec<_>) =
            (locals.iter().copied().filter(|(name, _)| *name != "Fz").collect(), locals.clone());
        let words = format!(
            "`depth`, `depth_rate`, `side_slip`, `slip`, `camber`, `spin`, `speed`, {WORDS}"
        );
        let more = format!("`Fz`, {words}");
        let vertical = (&upright[..], words.as_str(), Reach::Force);
        let other = (&others[..], more.as_str(), Reach::Force);
        let driving: Vec<(String, Expr)> =
            self.driving().into_iter().map(|(name, expr)| (name.to_owned(), expr)).collect();
        let mut ground_locals = placeholders(GROUND, "wheel", self.time, &mut self.graph);
        ground_locals.extend(driving.iter().map(|(name, expr)| (name.as_str(), *expr)));
        let ground = Offer {
            locals: &ground_locals,
            words: "`x`, `y`, `t`, inputs and parameters",
            externals: true,
            states: false,
        };
        for wheel in &self.draft.wheels {
            let name = wheel.name.value.as_str();
            let what = format_args!("wheel `{name}`");
            let body = self.whole_body(&wheel.body, what);
            let radius_of = format_args!("the radius of wheel `{name}`");
            let radius = self.scalar(&wheel.radius, radius_of, Some(Dimension::LENGTH));
            self.check(&[radius], wheel.radius.span, radius_of, Want::Positive);
            let height = wheel.ground.as_ref().map_or(Expr::ZERO, |height| {
                let what = format_args!("the ground under wheel `{name}`");
                self.law(height, what, Some(Dimension::LENGTH), &ground)
            });
            let mut laws = [Expr::ZERO; 6];
            for (index, law) in wheel.laws.iter().enumerate() {
                let Some(law) = law else { continue };
                let offer = if index == 0 { vertical } else { other };
                let of = format_args!("the {} law of wheel `{name}`", WHEEL_LAWS[index]);
                // Three forces, then three moments.
                let dimension = if index < 3 { Dimension::FORCE } else { Dimension::TORQUE };
                laws[index] = self.moving(law, of, Some(dimension), known, offer);
            }
            let first_law = wheel.laws.iter().flatten().next();
            match (wheel.rolling, first_law) {
                (true, Some(law)) => {
                    let message = format!("wheel `{name}` rolls without slipping, but has a law");
                    let help = "leave out the laws, or `rolling`";
                    self.out.push(
                        Diagnostic::error(DiagnosticCode::Ambiguous, law.span, message).help(help),
                    );
                }
                (false, None) => {
                    let message = format!("wheel `{name}` has no laws and does not roll");
                    let help = "give `vertical` and others, or rolling = true";
                    let span = wheel.name.span;
                    self.out
                        .push(Diagnostic::error(DiagnosticCode::Missing, span, message).help(help));
                }
                _ => {}
            }
            let Some(number) = body else { continue };
            let frame = placed.frame((number, crate::mechanism::Placement::IDENTITY));
            let Some(body) = frame.map(|frame| frame.body) else { continue };
            if body == BodyId::GROUND {
                let message = format!("wheel `{name}` is the ground, expected a body that moves");
                self.error(DiagnosticCode::Ambiguous, wheel.body.span, message);
                continue;
            }
            let axle = match &wheel.axle {
                Some(axle) => self.axis(axle, format_args!("the axle of wheel `{name}`")),
                None => match axle_of(body, mechanism, &mut self.graph) {
                    Some(axle) => axle,
                    None => {
                        let message = format!(
                            "wheel `{name}` has no axle: `{}` does not turn on a revolute joint",
                            wheel.body.value
                        );
                        let help = "write axle = \"y\", for example";
                        let span = wheel.body.span;
                        self.out.push(
                            Diagnostic::error(DiagnosticCode::Missing, span, message).help(help),
                        );
                        continue;
                    }
                },
            };
            let (name, rolling) = (name.to_owned(), wheel.rolling);
            let ground = height;
            mechanism.wheels.push(Wheel { name, body, axle, radius, ground, rolling, laws });
        }
    }

    /// Parameters that no expression of the mechanism has.
    pub(super) fn unused_parameters(&mut self, mechanism: &Mechanism) {
        let used = crate::structure::used_parameters(mechanism, &self.graph);
        for (parameter, used) in mechanism.parameters.iter().zip(used) {
            if !used {
                let message = format!("parameter `{}` is not used", parameter.name);
                self.out.push(Diagnostic::warning(DiagnosticCode::Unused, parameter.span, message));
            }
        }
    }
}

/// The axis of the revolute joint that moves a body, in the body's axes; a body that a joint table
/// places at one of its points is fixed to what the joint moves.
fn axle_of(body: BodyId, mechanism: &Mechanism, graph: &mut Graph) -> Option<Vector> {
    let joint = mechanism.joint_of(body)?;
    if joint.kind == JointType::Revolute {
        return joint.axes.first().copied();
    }
    let own = &mechanism.bodies[body.index()];
    let step = own.parent.filter(|step| mechanism.bodies[step.index()].fictitious)?;
    let moved = mechanism.joint_of(step).filter(|moved| moved.kind == JointType::Revolute)?;
    let fixed = joint.kind.speeds() == 0;
    let axis = moved.axes.first().filter(|_| fixed)?;
    Some(own.placement.rotation.transpose().apply(*axis, graph))
}
