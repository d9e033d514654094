//! Random closed mechanisms, the same for the same seed: a model file with springs and dampers and
//! a start that is closed, speeds included.

use super::draft::{Draft, list};
use super::{planar, spatial};
use crate::formalism::case::{Case, State};
use crate::formalism::closed::{Family as Grown, Loops};
use crate::formalism::random::Random;
use nalgebra::{DMatrix, DVector};
use rotule_formalism::MultibodySystem;
use rotule_model::index::SpeedSet;
use rotule_model::mechanism::Role;
use rotule_model::pose::poses;
use rotule_numeric::assembly::{assemble, assemble_from};
use rotule_program::NoExternals;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::quantity::EvaluatedFunction;
use std::fmt::Write;

/// A family of mechanisms.
pub struct Family {
    /// The name in tables.
    pub name: &'static str,
    build: Build,
}

enum Build {
    /// Grown from random joints and cuts: a family of the tests of the formalisms, by its position.
    Grown(usize),
    /// Built by a function here.
    Built(fn(&mut Draft)),
}

const fn grown(name: &'static str, at: usize) -> Family {
    Family { name, build: Build::Grown(at) }
}

const fn built(name: &'static str, build: fn(&mut Draft)) -> Family {
    Family { name, build: Build::Built(build) }
}

/// All families; seed `s` is of family `s % FAMILIES.len()`.
pub const FAMILIES: &[Family] = &[
    grown("plane", 0),
    grown("planes", 1),
    grown("tilted", 2),
    grown("sphere", 3),
    grown("cranks", 4),
    grown("sarrus", 5),
    grown("space", 6),
    grown("spaces", 7),
    grown("doubled", 8),
    grown("floating", 9),
    grown("related", 10),
    built("slider_crank", planar::slider_crank),
    built("dead_centre", planar::dead_centre),
    built("rod_crank", planar::rod_crank),
    built("four_bar", planar::four_bar),
    built("parallelogram", planar::parallelogram),
    built("change_point", planar::change_point),
    built("towed", planar::towed),
    built("bars", planar::bars),
    built("knife", planar::knife),
    built("gears", planar::gears),
    built("hooke", spatial::hooke),
    built("rssr", spatial::rssr),
    built("tied", spatial::tied),
    built("platform", spatial::platform),
    built("legs", spatial::legs),
    built("disc", spatial::disc),
    built("gimbal", spatial::gimbal),
    built("bead", spatial::bead),
    built("tip", spatial::tip),
];

/// A spring of zero length between the origin of a body and a place of the ground.
struct Spring {
    body: String,
    stiffness: f64,
    place: [f64; 3],
}

/// A mechanism of a seed at its start.
pub struct Specimen {
    /// The seed.
    pub seed: u64,
    /// The name of the family.
    pub family: &'static str,
    /// The model file, with the closed start as its initial values.
    pub text: String,
    /// The tree of the model file.
    pub tree: MultibodySystem,
    /// The closed start.
    pub start: InputPoint,
    /// Another closed start at a distance of [`APART`].
    pub beside: InputPoint,
    /// True if energy is conserved: weights and springs act, nothing else.
    pub conservative: bool,
    springs: Vec<Spring>,
}

/// The distance of the other start, in every free direction of coordinates and speeds at most.
pub const APART: f64 = 1e-9;

impl Specimen {
    /// The mechanism of a seed; an error if assembly refuses it.
    pub fn new(seed: u64) -> Result<Specimen, String> {
        let count = FAMILIES.len() as u64;
        let family = &FAMILIES[(seed % count) as usize];
        let mut draft = Draft::new(seed, family.name);
        let mut text = match family.build {
            Build::Built(build) => {
                build(&mut draft);
                draft.text()
            }
            Build::Grown(at) => Loops::new(at as u64 + seed / count * Grown::ALL.len() as u64).text,
        };
        let mut springs = Vec::new();
        let forces = forces(&Case::of(family.name, &text), &mut draft.random, &mut springs);
        let at = text.find("\n[initial.q]").unwrap_or(text.len());
        text.insert_str(at, &forces);
        let case = Case::of(family.name, &text);
        let closed = assemble(&case.tree, &SpeedSet::new()).map_err(|why| why.to_string())?;
        let mut constraints = Constraints::new(&case.tree)?;
        let mut qd = constraints.any(&mut draft.random, draft.speed);
        for joint in &case.mechanism().joints {
            let requested = draft.qd.iter().find(|(name, _)| *name == joint.name);
            match requested {
                _ if joint.role != Role::Free => {
                    qd[joint.speeds.clone()].copy_from_slice(&closed.qd[joint.speeds.clone()]);
                }
                Some((_, speeds)) => {
                    qd[joint.speeds.clone()]
                        .iter_mut()
                        .zip(speeds)
                        .for_each(|(qd, speed)| *qd += speed);
                }
                None => {}
            }
        }
        let qd = constraints.nearest(&closed.q, &qd, false);
        let start = point(&case.tree, closed.q, qd);
        let beside = constraints.beside(&case, &start, &mut draft.random)?;
        let at = text.find("\n[initial.q]").unwrap_or(text.len());
        text.truncate(at);
        text += &initial(&case, &start);
        // The start that a reader of the file gets.
        let tree = Case::of(family.name, &text).tree;
        let closed = assemble(&tree, &SpeedSet::new()).map_err(|why| why.to_string())?;
        let start = point(&tree, closed.q, closed.qd);
        let dissipative = ["effort", "[[motion]]", "Zd", "vx", "*t)"];
        let conservative = !dissipative.iter().any(|word| text.contains(word));
        Ok(Specimen { seed, family: family.name, text, tree, start, beside, conservative, springs })
    }

    /// The energy of the springs.
    pub fn spring_energy(&self, q: &[f64]) -> f64 {
        if self.springs.is_empty() {
            return 0.0;
        }
        let poses = poses(&self.tree.mechanism, q);
        let one = |spring: &Spring| {
            let body = self.tree.mechanism.body(&spring.body).expect("a body of the text");
            let place = poses[body.index()].position;
            let square: f64 = place.iter().zip(&spring.place).map(|(a, b)| (a - b).powi(2)).sum();
            spring.stiffness / 2.0 * square
        };
        self.springs.iter().map(one).sum()
    }
}

/// Springs and dampers between bodies and the ground for some models, as forces and as line forces.
fn forces(case: &Case, random: &mut Random, springs: &mut Vec<Spring>) -> String {
    let bodies: Vec<&str> =
        case.mechanism().bodies[1..].iter().map(|body| body.name.as_str()).collect();
    let named: Vec<&str> = bodies.iter().copied().filter(|name| !name.contains('/')).collect();
    let mut text = String::new();
    if random.chance(0.4) {
        let body = named[random.below(named.len())].to_owned();
        let place = random.direction().map(|x| (x * 100.0).round() / 100.0);
        let stiffness = random.short(5.0, 40.0);
        let damping = if random.chance(0.3) { random.short(0.1, 1.0) } else { 0.0 };
        let law: Vec<String> = ["x", "y", "z"]
            .iter()
            .zip(place)
            .map(|(axis, at)| match damping {
                0.0 => format!("\"-{stiffness:?}*({axis} - ({at:?}))\""),
                _ => format!("\"-{stiffness:?}*({axis} - ({at:?})) - {damping:?}*v{axis}\""),
            })
            .collect();
        let law = law.join(", ");
        write!(text, "\n[[force]]\nname = \"spring\"\nat = \"{body}\"\nforce = [{law}]\n")
            .expect("a string");
        springs.push(Spring { body, stiffness, place });
    }
    if random.chance(0.2) {
        let body = named[random.below(named.len())];
        let stiffness = random.short(5.0, 40.0);
        write!(
            text,
            "\n[[body]]\nname = \"anchor\"\nparent = \"ground\"\nposition = [2.1, 1.7, -1.9]\n\
             \n[[line_force]]\nname = \"strut\"\nbetween = [\"anchor\", \"{body}\"]\n\
             force = \"{stiffness:?}*(Z - 2.5) + 0.5*Zd\"\n"
        )
        .expect("a string");
    }
    text
}

/// The tables of initial values; driven joints have theirs from their motions.
fn initial(case: &Case, point: &InputPoint) -> String {
    let joints = case.mechanism().joints.iter();
    let free: Vec<_> =
        joints.filter(|joint| joint.role == Role::Free && !joint.speeds.is_empty()).collect();
    let mut text = "\n[initial.q]\n".to_owned();
    for joint in &free {
        writeln!(text, "{} = {}", joint.name, list(&point.q[joint.coordinates.clone()]))
            .expect("a string");
    }
    text += "\n[initial.qd]\n";
    for joint in &free {
        writeln!(text, "{} = {}", joint.name, list(&point.qd[joint.speeds.clone()]))
            .expect("a string");
    }
    text
}

/// Constraints in numbers.
struct Constraints<'t> {
    tree: &'t MultibodySystem,
    quantity: EvaluatedFunction,
    /// The speeds of free joints.
    free: Vec<bool>,
}

impl Constraints<'_> {
    fn new(tree: &MultibodySystem) -> Result<Constraints<'_>, String> {
        let mechanism = &tree.mechanism;
        let mut quantity =
            EvaluatedFunction::new(tree, "constraints").map_err(|why| why.to_string())?;
        let free = free(tree);
        let zero = point(tree, vec![0.0; mechanism.coordinates.len()], vec![0.0; free.len()]);
        quantity.setup(&zero, &mut NoExternals);
        Ok(Constraints { tree, quantity, free })
    }

    /// The vector nearest to `v` with `J v + e = 0` at a position, or `J v = 0` if the position is
    /// to be left at a fixed time; entries of driven joints stay.
    fn nearest(&mut self, q: &[f64], v: &[f64], fixed_time: bool) -> Vec<f64> {
        self.quantity.evaluate(&point(self.tree, q.to_vec(), v.to_vec()), &mut NoExternals);
        let e = DVector::from_column_slice(self.quantity.output(2));
        let mut j = DMatrix::from_row_slice(e.len(), v.len(), self.quantity.output(1));
        let rest = &j * DVector::from_column_slice(v) + e * f64::from(u8::from(!fixed_time));
        for (column, _) in self.free.iter().enumerate().filter(|(_, free)| !**free) {
            j.column_mut(column).fill(0.0);
        }
        let negligible = 1e-10 * j.amax().max(f64::MIN_POSITIVE);
        let change = j.svd(true, true).solve(&rest, negligible).expect("both sides were requested");
        v.iter().zip(change.iter()).map(|(v, change)| v - change).collect()
    }

    /// Random numbers of free speeds, zeros elsewhere.
    fn any(&self, random: &mut Random, size: f64) -> Vec<f64> {
        self.free.iter().map(|&free| if free { random.between(-size, size) } else { 0.0 }).collect()
    }

    /// A closed point beside a closed point.
    fn beside(
        &mut self,
        case: &Case,
        start: &InputPoint,
        random: &mut Random,
    ) -> Result<InputPoint, String> {
        let step = self.any(random, APART);
        let step = self.nearest(&start.q, &step, true);
        let state = State { q: start.q.clone(), qd: start.qd.clone(), ..State::default() };
        let moved = case.moved(&state, &step);
        let closed = assemble_from(self.tree, &moved.q, &moved.qd, &SpeedSet::new());
        let q = closed.map_err(|why| format!("beside the start: {why}"))?.q;
        let change = self.any(random, APART);
        let qd: Vec<f64> = start.qd.iter().zip(change).map(|(qd, change)| qd + change).collect();
        let qd = self.nearest(&q, &qd, false);
        Ok(point(self.tree, q, qd))
    }
}

/// The speeds of free joints.
fn free(tree: &MultibodySystem) -> Vec<bool> {
    let mut free = vec![false; tree.speeds()];
    for joint in tree.mechanism.joints.iter().filter(|joint| joint.role == Role::Free) {
        free[joint.speeds.clone()].fill(true);
    }
    free
}

/// A point at time zero.
fn point(tree: &MultibodySystem, q: Vec<f64>, qd: Vec<f64>) -> InputPoint {
    let parameters = tree.mechanism.parameters.iter().map(|one| one.value).collect();
    InputPoint::new(0.0, q, qd, parameters)
}
