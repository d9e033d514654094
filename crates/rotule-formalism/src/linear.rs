//! Linearised equations of motion: Moore's matrices (2000, sections 2.2.3 and 3.3.2), of the open
//! tree, with permanent constraints, and with intermittent ones engaged.
//!
//! ```text
//! r = M(q,u) qdd + g(q,qd,u)                          g: c, less joint laws and given efforts
//! M Dqdd + B Dqd + K Dq + U Du + r0 = 0               to first order about a point
//!
//! K1 = d(M qdd)/dq    K2 = dg/dq    K = K1 + K2       qdd stays fixed
//! U1 = d(M qdd)/du    U2 = dg/du    U = U1 + U2       with the motion that inputs impose
//! B  = dg/dqd                       r0 = r
//! ```
//!
//! With constraints, `qd = S qd_u + e'` and `qdd = S qdd_u + b'`, the residual of independent
//! speeds
//!
//! ```text
//! r_u = (S' M S) qdd_u + S' (M b' + g)
//! ```
//!
//! is differentiated along closed motions. What the source leaves open, the change of the forces of
//! constraints, is in it: with `r = J' lambda` and `S' J' = 0`, `dS' r = -S' d(J' lambda)`.
//!
//! Derivatives of several variants are taken at once, with one visit per node and variable
//! (section 3.3.1): the directions of a variable move what each variant calls a coordinate.

#![allow(non_snake_case)] // symbols as in the formulas

use crate::constraint::closed::{Closed, close};
use crate::constraint::is_constrained;
use crate::constraint::partition::CoordinatePartition;
use crate::derivative::directions::directions;
use crate::dynamics::{efforts_at, masses};
use crate::formalism::Formalism;
use crate::function::{Argument, By, Call, FunctionKind, OutputRow, outputs};
use crate::parts::Parts;
use crate::problem::Problem;
use crate::system::MotionInput;
use crate::writer::{DerivativePass, Entries, Writer, exprs, matrix_of};
use rotule_model::index::SpeedId;
use rotule_model::mechanism::Mechanism;
use rotule_program::lower::Target;
use rotule_symbolic::{Direction, Expr, Scalar, sum};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The variant that a word chooses in `linear(WORD)`.
pub(crate) fn variant(of: FunctionKind, word: &str) -> Option<FunctionKind> {
    let found = match word {
        "permanent" => FunctionKind::LinearPermanent,
        "intermittent" => FunctionKind::LinearIntermittent,
        "all" => FunctionKind::LinearAll,
        _ => return None,
    };
    (of == FunctionKind::Linear).then_some(found)
}

/// A set of constraints with which equations are linearised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// None: the open tree.
    Tree,
    /// Those that always hold.
    Permanent,
    /// Intermittent ones, too.
    Intermittent,
}

impl Variant {
    /// The ending of names of outputs where there are several variants.
    fn ending(self) -> &'static str {
        match self {
            Variant::Tree => "",
            Variant::Permanent => "_permanent",
            Variant::Intermittent => "_intermittent",
        }
    }
}

/// The intermittent constraints that a function engages: those named, or all.
pub fn engaged_set(mechanism: &Mechanism, arguments: &[Argument]) -> Vec<usize> {
    let named = arguments.iter().filter_map(|argument| match argument {
        Argument::Engaged(at) => Some(*at),
        _ => None,
    });
    let mut set: Vec<usize> = named.collect();
    if set.is_empty() {
        set.extend(0..mechanism.intermittent.len());
    }
    set.sort_unstable();
    set.dedup();
    set
}

/// A mechanism with these intermittent constraints engaged, and no others.
pub fn engaged_variant<'a>(mechanism: &'a Mechanism, engaged: &[usize]) -> Cow<'a, Mechanism> {
    if mechanism.engaged() == engaged {
        return Cow::Borrowed(mechanism);
    }
    let mut mechanism = mechanism.clone();
    mechanism.engage(engaged);
    Cow::Owned(mechanism)
}

/// `linear`
pub fn tree(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    linearised(writer, call, &[Variant::Tree])
}

/// `linear_permanent`
pub fn permanent(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    linearised(writer, call, &[Variant::Permanent])
}

/// `linear_intermittent`
pub fn intermittent(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    linearised(writer, call, &[Variant::Intermittent])
}

/// `linear_all`
pub fn all(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    linearised(writer, call, &[Variant::Tree, Variant::Permanent, Variant::Intermittent])
}

/// The equations of a variant: `M qdd` and `g` apart, by speeds.
struct Equations<'g> {
    variant: Variant,
    motion: MotionInput,
    /// `M qdd`, with all accelerations that independent speeds have; zero for dependent speeds.
    inertial: Vec<Scalar<'g>>,
    /// `g`.
    rest: Vec<Scalar<'g>>,
    /// The entries of `M` that recursions write; none where it is taken from `inertial`.
    masses: Option<Entries<'g>>,
}

fn linearised(
    writer: Writer<'_, '_>,
    call: &Call<'_>,
    variants: &[Variant],
) -> Result<Vec<Target>, Problem> {
    let mut all = Vec::with_capacity(variants.len());
    for &variant in variants {
        // Forces are written anew for the motion of each.
        writer.sheet.wrenches.take();
        writer.sheet.contacts.take();
        all.push(equations(writer, call, variant)?);
    }
    let derivatives = Derivatives::of(writer, &all);
    let alone = variants.len() == 1;
    let mut targets = Vec::new();
    for one in &all {
        let own = derivatives.of_variant(writer, one);
        targets.extend(own.into_iter().map(|mut target| {
            if !alone {
                target.name.push_str(one.variant.ending());
            }
            target
        }));
    }
    Ok(targets)
}

/// The equations of a variant of the mechanism.
fn equations<'g>(
    writer: Writer<'_, 'g>,
    call: &Call<'_>,
    variant: Variant,
) -> Result<Equations<'g>, Problem> {
    let engaged = match variant {
        Variant::Intermittent => engaged_set(writer.mechanism, call.arguments),
        Variant::Tree | Variant::Permanent => Vec::new(),
    };
    let mechanism = engaged_variant(writer.mechanism, &engaged);
    let writer = Writer { mechanism: &mechanism, ..writer };
    if variant == Variant::Tree || !is_constrained(&mechanism) {
        return Ok(of_tree(writer, call.formalism, variant));
    }
    let partition = match (variant, &writer.strategy.engaged_partition) {
        (Variant::Intermittent, Some(partition)) => partition,
        _ => writer.partition("linear")?,
    };
    of_closed(writer, partition, call.formalism, variant)
}

fn of_tree<'g>(writer: Writer<'_, 'g>, formalism: Formalism, variant: Variant) -> Equations<'g> {
    let inertial = inertial_efforts(writer, writer.motion.qdd.clone().into_vec(), formalism);
    let rest = remaining_efforts(writer, vec![Expr::ZERO; writer.speeds()], formalism);
    let masses = Some(masses(writer, formalism));
    Equations { variant, motion: writer.motion.clone(), inertial, rest, masses }
}

fn of_closed<'g>(
    writer: Writer<'_, 'g>,
    partition: &CoordinatePartition,
    formalism: Formalism,
    variant: Variant,
) -> Result<Equations<'g>, Problem> {
    let closed = close(writer, partition)?;
    let writer = Writer { motion: &closed.motion, ..writer };
    let (moving, rate) = closed.accelerations_apart(writer);
    let inertial = inertial_efforts(writer, exprs(&moving), formalism);
    let rest = remaining_efforts(writer, exprs(&rate), formalism);
    let (inertial, rest) = (closed.projection(&inertial), closed.projection(&rest));
    Ok(Equations { variant, motion: closed.motion.clone(), inertial, rest, masses: None })
}

/// `M qdd` alone.
fn inertial_efforts<'g>(
    writer: Writer<'_, 'g>,
    qdd: Vec<Expr>,
    formalism: Formalism,
) -> Vec<Scalar<'g>> {
    let parts = Parts { accelerations: true, ..Parts::NONE };
    let mut given = parts.of(writer);
    given.motion.qdd = qdd.into();
    efforts_at(writer, &given, formalism).into_vec()
}

/// `M qdd + c` less joint laws and given efforts.
fn remaining_efforts<'g>(
    writer: Writer<'_, 'g>,
    qdd: Vec<Expr>,
    formalism: Formalism,
) -> Vec<Scalar<'g>> {
    let mut given = Parts::ALL.of(writer);
    given.motion.qdd = qdd.into();
    let efforts = efforts_at(writer, &given, formalism);
    efforts.into_iter().zip(writer.applied()).map(|(effort, applied)| effort - applied).collect()
}

impl<'g> Closed<'g> {
    /// The accelerations of all speeds in two parts: what those of independent speeds make, and
    /// what remains without them.
    fn accelerations_apart(&self, writer: Writer<'_, 'g>) -> (Vec<Scalar<'g>>, Vec<Scalar<'g>>) {
        let mut moving = writer.scalars(writer.motion.qdd.as_slice());
        let mut rate = vec![Scalar::ZERO; moving.len()];
        let independent = || self.partition.independent.iter().copied();
        for ((speed, B), &all) in self.partition.dependent().zip(&self.coupling).zip(&self.rate) {
            let terms = independent().zip(B).map(|(at, &value)| value * moving[at]);
            let carried = sum(terms.collect::<Vec<_>>());
            // What known accelerations do is in the rate.
            let known = independent().zip(B).filter(|(at, _)| !writer.is_free(*at));
            let known: Vec<Scalar<'g>> = known.map(|(at, &value)| -(value * moving[at])).collect();
            rate[speed] = sum([all].into_iter().chain(known));
            moving[speed] = carried;
        }
        (moving, rate)
    }

    /// `S' x`, by independent speeds; zero for dependent ones.
    fn projection(&self, x: &[Scalar<'g>]) -> Vec<Scalar<'g>> {
        let mut found = vec![Scalar::ZERO; x.len()];
        for (number, &speed) in self.partition.independent.iter().enumerate() {
            let dependent = self.partition.dependent().zip(&self.coupling);
            let carried = dependent.map(|(at, B)| B[number] * x[at]);
            found[speed] = sum([x[speed]].into_iter().chain(carried));
        }
        found
    }
}

/// The derivatives of the parts of all variants, by row: a column and a value each.
struct Derivatives<'g> {
    rows: BTreeMap<(Variable, Expr), Vec<(usize, Scalar<'g>)>>,
}

/// A variable of linearised equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Variable {
    /// Coordinates, along the independent speeds.
    Coordinate,
    /// Independent speeds.
    Speed,
    /// Their accelerations.
    Acceleration,
    /// Inputs, with the motion that they impose.
    Input,
}

impl<'g> Derivatives<'g> {
    /// Differentiates what several variants say, each expression once by each variable.
    fn of(writer: Writer<'_, 'g>, all: &[Equations<'g>]) -> Derivatives<'g> {
        let mut found = Derivatives { rows: BTreeMap::new() };
        let inertial = || all.iter().flat_map(|one| one.inertial.iter().copied());
        let rest = || all.iter().flat_map(|one| one.rest.iter().copied());
        let both: Vec<Scalar<'g>> = inertial().chain(rest()).collect();
        let closed = all.iter().filter(|one| one.masses.is_none());
        let reduced = closed.flat_map(|one| one.inertial.iter().copied()).collect();
        found.add(writer, all, Variable::Coordinate, both.clone());
        found.add(writer, all, Variable::Input, both);
        found.add(writer, all, Variable::Speed, rest().collect());
        found.add(writer, all, Variable::Acceleration, reduced);
        found
    }

    /// Differentiates expressions by one variable.
    fn add(
        &mut self,
        writer: Writer<'_, 'g>,
        all: &[Equations<'g>],
        variable: Variable,
        mut list: Vec<Scalar<'g>>,
    ) {
        list.retain(|one| !one.is_zero());
        list.sort_unstable_by_key(|one| one.expr());
        list.dedup_by_key(|one| one.expr());
        let by = match variable {
            Variable::Coordinate => By::Coordinates,
            Variable::Speed => By::Speeds,
            Variable::Acceleration => By::Accelerations,
            Variable::Input => By::Inputs,
        };
        // Every variant has symbols of its own for what closes its loops; one direction moves those
        // of all.
        let mut joint: Vec<Direction> = Vec::new();
        for one in all {
            let own = directions(Writer { motion: &one.motion, ..writer }, &by);
            joint.resize_with(own.len(), Direction::default);
            for (direction, own) in joint.iter_mut().zip(own) {
                direction.name = own.name;
                let new = own.rates.into_iter().filter(|rate| !direction.rates.contains(rate));
                let new: Vec<(Expr, Expr)> = new.collect();
                direction.rates.extend(new);
            }
        }
        let directions = writer.total_directions(&list, joint);
        if list.is_empty() || directions.is_empty() {
            return;
        }
        let (entries, nodes) = writer.derivatives_in_pass(&list, &directions);
        for (row, column, value) in entries {
            self.rows.entry((variable, list[row].expr())).or_default().push((column, value));
        }
        let roots = exprs(&list);
        writer.sheet.passes.borrow_mut().push(DerivativePass { roots, directions, nodes });
    }

    fn entries(&self, variable: Variable, list: &[Scalar<'g>]) -> Entries<'g> {
        let row = |(at, one): (usize, &Scalar<'g>)| {
            let found = self.rows.get(&(variable, one.expr())).into_iter().flatten();
            found.map(move |&(column, value)| (at, column, value))
        };
        list.iter().enumerate().flat_map(row).collect()
    }

    /// The matrices of a variant.
    fn of_variant(&self, writer: Writer<'_, 'g>, one: &Equations<'g>) -> Vec<Target> {
        let Equations { motion, inertial, rest, masses, .. } = one;
        let size = [writer.speeds(); 2];
        let by_inputs = [size[0], writer.mechanism.inputs.len()];
        let M = match masses {
            Some(masses) => {
                let mirrored = masses.iter().filter(|entry| entry.0 != entry.1);
                let mirrored = mirrored.map(|&(row, column, value)| (column, row, value));
                let all = masses.iter().copied().chain(mirrored);
                // The accelerations of driven joints are no variables.
                let mut all: Entries<'g> = all
                    .filter(|entry| motion.is_free(writer.mechanism, SpeedId::new(entry.1)))
                    .collect();
                all.sort_unstable_by_key(|entry| (entry.0, entry.1));
                all
            }
            None => self.entries(Variable::Acceleration, inertial),
        };
        let [K1, K2] = [inertial, rest].map(|list| self.entries(Variable::Coordinate, list));
        let [U1, U2] = [inertial, rest].map(|list| self.entries(Variable::Input, list));
        let B = self.entries(Variable::Speed, rest);
        let (K, U) = (added(&K1, &K2), added(&U1, &U2));
        let r0: Vec<Scalar<'g>> = inertial.iter().zip(rest).map(|(&a, &b)| a + b).collect();
        let matrix = |row: &OutputRow, size, entries| matrix_of(row.name, size, entries);
        vec![
            matrix(&outputs::MASS, size, M),
            matrix(&outputs::SPEED_DAMPING, size, B),
            matrix(&outputs::INERTIAL_STIFFNESS, size, K1),
            matrix(&outputs::BIAS_STIFFNESS, size, K2),
            matrix(&outputs::STIFFNESS, size, K),
            matrix(&outputs::INERTIAL_INPUT, by_inputs, U1),
            matrix(&outputs::BIAS_INPUT, by_inputs, U2),
            matrix(&outputs::INPUT, by_inputs, U),
            outputs::RESIDUAL_EFFORT.vector(&exprs(&r0)),
        ]
    }
}

/// The sum of two sparse matrices.
fn added<'g>(one: &Entries<'g>, two: &Entries<'g>) -> Entries<'g> {
    let mut all: BTreeMap<(usize, usize), Scalar<'g>> = BTreeMap::new();
    for &(row, column, value) in one.iter().chain(two) {
        all.entry((row, column)).and_modify(|entry| *entry += value).or_insert(value);
    }
    let entries = all.into_iter().map(|((row, column), value)| (row, column, value));
    entries.filter(|entry| !entry.2.is_zero()).collect()
}
