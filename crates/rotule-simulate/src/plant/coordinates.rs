//! Changes of the coordinates in which a plant is integrated.
//!
//! Whatever changes, it goes one way: the point is carried over to the new coordinates, the
//! mechanism is described in them, a partition is chosen that is good at the point, and the case of
//! all that is entered, which is written if it is new.

use super::Plant;
use crate::anchor::Anchor;
use crate::augmented::ConstraintForm;
use crate::case::Case;
use crate::euler_sequence::AxisOrder;
use crate::hold::{Hold, held_tree};
use crate::monitor::Jacobian;
use crate::outputs;
use crate::quantity::EvaluatedFunction;
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::constraint::partition::CoordinatePartition;
use rotule_formalism::function::FunctionKind;
use rotule_formalism::{MultibodySystem, Problem, normalise};
use rotule_model::mechanism::Role;
use rotule_numeric::choose_partition;
use rotule_symbolic::Expr;

/// A change of coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum CoordinateChange {
    /// Another partition into independent and dependent coordinates.
    Partition(CoordinatePartition),
    /// All coordinates as the state, which passes positions where every partition is singular.
    All,
    /// These joints are locked where they are now, all others that events may lock are free, and
    /// gimbals are described by the user's angles.
    Locks(Vec<usize>),
    /// These intermittent constraints hold, and no others; gimbals are described by the user's
    /// angles.
    Engaged(Vec<usize>),
    /// An Euler-angle sequence for each gimbal, as an order of frame axes; none is the user's.
    Sequences(Vec<Option<AxisOrder>>),
}

impl Plant {
    /// Enters other coordinates. The point stays what it is; the state must be gathered anew.
    pub fn change(&mut self, change: CoordinateChange) -> Result<(), Problem> {
        let choice = match change {
            CoordinateChange::Partition(choice) => Some(choice),
            CoordinateChange::All => {
                return self.enter_case(None, Some(ConstraintForm::Projection));
            }
            CoordinateChange::Locks(held) => {
                self.restore_sequences()?;
                self.lock_here(&held);
                self.held = held;
                let tree = self.describe();
                // A partition ends the passing of a singular position.
                self.adopt(tree, |tree| is_constrained(&tree.mechanism))?
            }
            CoordinateChange::Engaged(engaged) => {
                self.restore_sequences()?;
                self.engaged = engaged;
                let mut tree = self.describe();
                let constrained = is_constrained(&tree.mechanism);
                tree.strategy.partition = match constrained {
                    true => Some(self.partition_anew(&tree)?),
                    false => None,
                };
                self.tree = tree;
                self.tree.strategy.partition.clone()
            }
            CoordinateChange::Sequences(orders) => {
                self.convert(&orders);
                // Predictions begin anew.
                self.anchor = Anchor::new(1, self.point.t, &self.point.q, &self.tree.mechanism);
                let tree = self.describe();
                let all = self.all().is_some();
                let user = std::mem::take(&mut self.sequences.user);
                if orders.iter().any(Option::is_some) {
                    self.sequences.user = Some(user.unwrap_or_else(|| self.tree.clone()));
                }
                self.adopt(tree, |tree| is_constrained(&tree.mechanism) && !all)?
            }
        };
        // A form that has no partition keeps all coordinates.
        let form = self.all().map(|all| all.form);
        self.enter_case(choice, form)
    }

    /// The first partition again, if an earlier run ended while all coordinates were the state.
    pub(crate) fn narrow(&mut self) -> Result<(), Problem> {
        match (self.all(), self.cases[0].choice.clone()) {
            (Some(_), Some(choice)) => self.change(CoordinateChange::Partition(choice)),
            _ => Ok(()),
        }
    }

    /// The mechanism with the present locks and sequences.
    fn describe(&self) -> MultibodySystem {
        let orders = self.orders();
        let known = |case: &&Case| {
            case.held == self.held && case.engaged == self.engaged && case.orders == orders
        };
        match self.cases.iter().find(known) {
            Some(case) => case.tree.clone(),
            None if orders.iter().any(Option::is_some) => self.switched_tree(),
            None => {
                let cache = self.tree.program_cache.as_ref();
                held_tree(&self.base, &self.holds, &self.held_set(), cache)
            }
        }
    }

    /// Takes a tree with a partition, if it needs one.
    fn adopt(
        &mut self,
        mut tree: MultibodySystem,
        needs_partition: impl Fn(&MultibodySystem) -> bool,
    ) -> Result<Option<CoordinatePartition>, Problem> {
        tree.strategy.partition = match needs_partition(&tree) {
            true => Some(self.partition_here(&tree)?),
            false => None,
        };
        self.tree = tree;
        Ok(self.tree.strategy.partition.clone())
    }

    /// Joints are locked where they are now.
    fn lock_here(&mut self, locked: &[usize]) {
        for Hold { joint, parameters } in &self.holds {
            if locked.contains(joint) {
                let joint = &self.base.joints[*joint];
                let q = &self.point.q[joint.coordinates.clone()];
                self.point.parameters[parameters.clone()].copy_from_slice(q);
                self.point.qd[joint.speeds.clone()].fill(0.0);
            }
        }
    }

    /// A good partition at the present point for a tree in other coordinates.
    fn partition_here(&mut self, tree: &MultibodySystem) -> Result<CoordinatePartition, Problem> {
        let Some(now) = self.choice().cloned() else {
            return choose_partition(tree, FunctionKind::Motion);
        };
        let mut constraints = EvaluatedFunction::new(tree, "constraints")?;
        self.prepare(&mut constraints);
        self.measure(&mut constraints);
        let mut jacobian = Jacobian::new(tree)?;
        jacobian.take(constraints.output(outputs::constraints::JACOBIAN));
        let amplification = |choice: &CoordinatePartition| jacobian.condition(choice).amplification;
        let best = jacobian.choices(&now).into_iter();
        let best = best.min_by(|a, b| amplification(a).total_cmp(&amplification(b)));
        best.ok_or_else(|| {
            let message = "locking these joints leaves constraints that cannot be satisfied";
            Problem::new(message, "lock fewer joints of the loop")
        })
    }

    /// A good partition at the present point for a tree with other constraints: which rows repeat
    /// others is another question there. The tree is looked at where it is, at rest.
    fn partition_anew(&self, tree: &MultibodySystem) -> Result<CoordinatePartition, Problem> {
        let mut mechanism = tree.mechanism.clone();
        let point = &self.point;
        for (parameter, &value) in mechanism.parameters.iter_mut().zip(&point.parameters) {
            parameter.value = value;
        }
        for (input, &value) in mechanism.inputs.iter_mut().zip(&point.inputs) {
            input.value = value;
        }
        let graph = &mut mechanism.graph;
        let mut number = |value: f64| graph.number(value);
        for (coordinate, &value) in mechanism.coordinates.iter_mut().zip(&point.q) {
            coordinate.initial = number(value);
        }
        for (speed, &value) in mechanism.speeds.iter_mut().zip(&point.qd) {
            speed.initial = number(value);
        }
        let t = number(point.t);
        for joint in mechanism.joints.iter_mut().filter(|joint| joint.role != Role::Free) {
            let zeros = vec![Expr::ZERO; joint.speeds.len()];
            let q = joint.coordinates.clone().map(|at| mechanism.coordinates[at].initial);
            joint.role = Role::Driven { q: q.collect(), qd: zeros.clone(), qdd: zeros };
        }
        let now = [(mechanism.time, t)];
        for constraint in &mut mechanism.constraints {
            constraint.expression = graph.substitute(&[constraint.expression], &now)[0];
        }
        for coupling in &mut mechanism.couplings {
            coupling.offset = graph.substitute(&[coupling.offset], &now)[0];
        }
        choose_partition(&normalise(mechanism), FunctionKind::Motion)
    }

    /// Enters the case of a partition, or of all coordinates in a form, with the present locks and
    /// sequences.
    fn enter_case(
        &mut self,
        choice: Option<CoordinatePartition>,
        form: Option<ConstraintForm>,
    ) -> Result<(), Problem> {
        let orders = self.orders();
        let known = self.cases.iter().position(|case| {
            case.choice == choice
                && case.held == self.held
                && case.engaged == self.engaged
                && case.orders == orders
        });
        self.now = match known {
            Some(at) => at,
            None => {
                let mut case = match (form, choice) {
                    (Some(form), None) => Case::of_all(&self.tree, form, self.runner)?,
                    (_, choice) => {
                        // A tree is large: it is copied only if there is no such case yet.
                        let mut tree = self.tree.clone();
                        tree.strategy.partition = choice;
                        Case::new(&tree, &self.held, self.runner)?
                    }
                };
                case.held.clone_from(&self.held);
                case.engaged.clone_from(&self.engaged);
                case.orders = orders;
                self.cases.push(case);
                self.cases.len() - 1
            }
        };
        self.last.forget();
        self.renew_parameters();
        let case = &mut self.cases[self.now];
        case.motion.loosen(self.doubled, &self.point, self.externals.as_mut());
        Ok(())
    }

    /// Hands parameters that changed to all functions of the present case: where joints are locked,
    /// what angles refer to.
    pub(crate) fn renew_parameters(&mut self) {
        let (case, externals) = (&mut self.cases[self.now], self.externals.as_mut());
        case.motion.setup(&self.point, externals);
        case.renew();
        if let Some(tangent) = &mut case.tangent {
            tangent.setup(&self.point, externals);
        }
        if let Some(reduced) = &mut case.reduced {
            reduced.setup(&self.point, externals);
        }
        if let Some(work) = &mut self.work {
            work.setup(&self.point, externals);
        }
    }
}
