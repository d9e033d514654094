//! Functions of closed mechanisms with the coordinate partition that they need.
//!
//! This is the one place in which the partition at the initial state is chosen. A partition that
//! the tree has already, such as that of a simulation, stays.

use crate::drive_map::drive_map;
use crate::redundancy::{Analysis, analyse};
use crate::singular_mass::check_analysed;
use rotule_formalism::constraint::actuated::ActuationReport;
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::constraint::partition::CoordinatePartition;
use rotule_formalism::constraint::reduced;
use rotule_formalism::function::{FunctionKind, LoopTreatment};
use rotule_formalism::{
    Formalism, ModelFunction, MultibodySystem, Problem, Sheet, WrittenFunction, WrittenGroup,
    engaged_set, engaged_variant,
};
use rotule_model::mechanism::Role;
use rotule_program::lower::Target;
use std::borrow::Cow;

/// The program of a function: [`rotule_formalism::generate`] with the partition that it needs.
pub fn generate(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Option<Formalism>,
) -> Result<WrittenFunction, Problem> {
    rotule_formalism::generate(&*partitioned(tree, function)?, function, formalism)
}

/// The program of a function with statements in the order of the recursions:
/// [`rotule_formalism::generate_in_order`] with the partition that it needs.
pub fn generate_in_order(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Option<Formalism>,
) -> Result<WrittenFunction, Problem> {
    rotule_formalism::generate_in_order(&*partitioned(tree, function)?, function, formalism)
}

/// The shortest program of a function that a search finds: [`rotule_formalism::search`] with the
/// partition that it needs.
pub fn search(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Option<Formalism>,
    effort: u32,
) -> Result<WrittenFunction, Problem> {
    rotule_formalism::search(&*partitioned(tree, function)?, function, formalism, effort)
}

/// Functions written together, so that they share work: [`rotule_formalism::generate_group`] with
/// the partitions that they need.
pub fn generate_group(
    tree: &MultibodySystem,
    functions: &[ModelFunction],
    formalism: Option<Formalism>,
) -> Result<WrittenGroup, Problem> {
    let own = |function| partitioned(tree, function);
    let systems = functions.iter().map(own).collect::<Result<Vec<_>, Problem>>()?;
    let list: Vec<(&MultibodySystem, &ModelFunction)> =
        systems.iter().map(|system| &**system).zip(functions).collect();
    rotule_formalism::generate_group(&list, formalism)
}

/// The expressions of a function on a sheet of the tree: [`ModelFunction::write`] with the
/// partition that it needs.
pub fn write(
    tree: &MultibodySystem,
    sheet: &Sheet,
    function: &ModelFunction,
    formalism: Formalism,
) -> Result<Vec<Target>, Problem> {
    function.write(partitioned(tree, function)?.writer(sheet), formalism)
}

/// A tree that has the partition which a function needs.
pub fn partitioned<'a>(
    tree: &'a MultibodySystem,
    function: &ModelFunction,
) -> Result<Cow<'a, MultibodySystem>, Problem> {
    let choices = choices_for(tree, function)?;
    if choices.is_empty() {
        return Ok(Cow::Borrowed(tree));
    }
    let mut tree = tree.clone();
    choices.apply(&mut tree);
    // What is chosen by the tree's own numbers cannot be kept for others.
    tree.program_cache = None;
    Ok(Cow::Owned(tree))
}

/// The distribution of efforts in `closed_inverse`; none if the model does not say where drives
/// are.
pub fn actuation_report(tree: &MultibodySystem) -> Option<ActuationReport> {
    let function = ModelFunction::parse("closed_inverse", tree).ok()?;
    reduced::report(&*partitioned(tree, &function).ok()?)
}

/// Choices by numbers that a function needs and the tree does not have.
#[derive(Default)]
struct MissingChoices {
    partition: Option<CoordinatePartition>,
    engaged_partition: Option<CoordinatePartition>,
    drive_map: Option<Vec<Vec<f64>>>,
}

impl MissingChoices {
    fn is_empty(&self) -> bool {
        self.partition.is_none() && self.engaged_partition.is_none() && self.drive_map.is_none()
    }

    fn apply(self, tree: &mut MultibodySystem) {
        if self.partition.is_some() {
            tree.strategy.partition = self.partition;
        }
        if self.engaged_partition.is_some() {
            tree.strategy.engaged_partition = self.engaged_partition;
        }
        if self.drive_map.is_some() {
            tree.strategy.drive_map = self.drive_map;
        }
    }
}

fn choices_for(
    tree: &MultibodySystem,
    function: &ModelFunction,
) -> Result<MissingChoices, Problem> {
    let partition = partition_for(tree, function)?;
    let drive_map = match partition.as_ref().or(tree.strategy.partition.as_ref()) {
        Some(partition)
            if function.innermost().row.id == FunctionKind::ClosedInverse
                && reduced::names_drives(&tree.mechanism)
                && tree.strategy.drive_map.is_none() =>
        {
            Some(drive_map(tree, &partition.speeds)?)
        }
        _ => None,
    };
    let engaged_partition = engaged_partition(tree, function)?;
    Ok(MissingChoices { partition, engaged_partition, drive_map })
}

/// The partition that a function needs and the tree does not have yet, chosen at the initial state.
pub fn partition_for(
    tree: &MultibodySystem,
    function: &ModelFunction,
) -> Result<Option<CoordinatePartition>, Problem> {
    let function = function.innermost();
    if let FunctionKind::LinearPermanent | FunctionKind::LinearAll = function.row.id {
        let known = tree.strategy.partition.is_some() && tree.mechanism.engaged().is_empty();
        return if known { Ok(None) } else { partition_engaged(tree, &[], function.row.id) };
    }
    if tree.strategy.partition.is_some() || !is_constrained(&tree.mechanism) {
        return Ok(None);
    }
    match function.row.id {
        FunctionKind::LinearIntermittent => Ok(None),
        FunctionKind::Augmented => redundant(tree, FunctionKind::Augmented).map(Some),
        FunctionKind::Drives if !has_drives(tree) => Ok(None),
        // It is a derivative of `forward`, and speaks of it.
        FunctionKind::ForwardTangent => choose_partition(tree, FunctionKind::Forward).map(Some),
        kind if function.closes_loops(tree) => choose_partition(tree, kind).map(Some),
        _ => Ok(None),
    }
}

/// The partition with intermittent constraints engaged, of a function that has them as an argument.
fn engaged_partition(
    tree: &MultibodySystem,
    function: &ModelFunction,
) -> Result<Option<CoordinatePartition>, Problem> {
    let function = function.innermost();
    let kind = function.row.id;
    let takes = matches!(kind, FunctionKind::LinearIntermittent | FunctionKind::LinearAll);
    if !takes || tree.strategy.engaged_partition.is_some() {
        return Ok(None);
    }
    let engaged = engaged_set(&tree.mechanism, &function.arguments);
    partition_engaged(tree, &engaged, kind)
}

/// The partition of a mechanism with these intermittent constraints engaged, and no others.
fn partition_engaged(
    tree: &MultibodySystem,
    engaged: &[usize],
    function: FunctionKind,
) -> Result<Option<CoordinatePartition>, Problem> {
    let mechanism = engaged_variant(&tree.mechanism, engaged);
    if !is_constrained(&mechanism) {
        return Ok(None);
    }
    let variant = MultibodySystem { mechanism: mechanism.into_owned(), ..tree.clone() };
    choose_partition(&variant, function).map(Some)
}

/// Chooses at the initial state, closed; for functions that need accelerations, the reduced mass
/// matrix must be regular. Messages begin with the name of the function.
pub fn choose_partition(
    tree: &MultibodySystem,
    function: FunctionKind,
) -> Result<CoordinatePartition, Problem> {
    let analysis = sound_analysis(tree, function)?;
    if function.row().loops != LoopTreatment::Closed {
        check_analysed(tree, &analysis, function)?;
    }
    let (Ok(mut speeds), Some(mut coordinates)) = (analysis.partition, analysis.coordinates) else {
        return Err(Problem::new(format!("`{function}`: no coordinate partition exists"), ""));
    };
    coordinates.renumber(&analysis.kept);
    speeds.renumber(&analysis.kept);
    let redundant = analysis.repeats.iter().map(|one| one.row).collect();
    Ok(CoordinatePartition { coordinates, speeds, redundant })
}

/// The redundant rows alone, for equations that do without dependent coordinates.
fn redundant(
    tree: &MultibodySystem,
    function: FunctionKind,
) -> Result<CoordinatePartition, Problem> {
    let analysis = analyse(tree).map_err(|problem| said(problem, function))?;
    check_analysed(tree, &analysis, function)?;
    let redundant = analysis.repeats.iter().map(|one| one.row).collect();
    Ok(CoordinatePartition { redundant, ..CoordinatePartition::default() })
}

/// Returns `true` if the motion of some joint is given, so that a drive makes it.
fn has_drives(tree: &MultibodySystem) -> bool {
    let given = |joint: &rotule_model::mechanism::Joint| joint.role != Role::Free;
    tree.mechanism.joints.iter().any(|joint| given(joint) && !joint.speeds.is_empty())
}

/// Rank and partition in the closed initial position, if they are sound.
fn sound_analysis(tree: &MultibodySystem, function: FunctionKind) -> Result<Analysis, Problem> {
    let analysis = analyse(tree).map_err(|problem| said(problem, function))?;
    match analysis.fault() {
        Some(fault) => Err(said(fault, function)),
        None => Ok(analysis),
    }
}

/// A message that begins with the name of the function that needs what is wrong.
fn said(problem: Problem, function: FunctionKind) -> Problem {
    Problem { message: format!("`{function}`: {}", problem.message), ..problem }
}
