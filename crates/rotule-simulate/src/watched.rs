//! The functions of a mechanism that a run may watch, as one program.
//!
//! All of them are written together, whatever is watched, so that what several need, such as the
//! frames of bodies, is computed once. What is watched is a part of that program, found by leaving
//! statements out ([`WrittenGroup::numbers`]): nothing else is computed, and no number depends on
//! what else is watched.
//!
//! Loops are closed before: the point is that of the equations of motion.

use crate::plant::Plant;
use crate::quantity::EvaluatedFunction;
use rotule_formalism::function::FunctionKind;
use rotule_formalism::{
    Formalism, ModelFunction, MultibodySystem, Problem, WrittenGroup, generate_group,
};
use rotule_jit::KernelKind;
use rotule_numeric::{generate, partitioned};
use rotule_program::Program;
use std::borrow::Cow;
use std::ops::Range;

/// A function that is watched, and which of its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedFunction {
    /// The function.
    pub text: String,
    /// The numbers.
    pub numbers: WatchedNumbers,
}

impl WatchedFunction {
    /// Some numbers of a function.
    pub fn new(text: &str, numbers: WatchedNumbers) -> WatchedFunction {
        WatchedFunction { text: text.to_owned(), numbers }
    }

    /// Returns `true` if any number of it is watched.
    pub fn is_needed(&self) -> bool {
        match &self.numbers {
            WatchedNumbers::Flags(flags) => flags.contains(&true),
            WatchedNumbers::Outputs(outputs) => !outputs.is_empty(),
        }
    }

    /// Adds outputs of a function that is watched by outputs.
    pub(crate) fn add(&mut self, more: &[usize]) {
        if let WatchedNumbers::Outputs(outputs) = &mut self.numbers {
            outputs.extend_from_slice(more);
        }
    }
}

/// Some numbers of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchedNumbers {
    /// A flag for each.
    Flags(Vec<bool>),
    /// All of some outputs, by their positions.
    Outputs(Vec<usize>),
}

/// All functions that a run of a mechanism may watch, by their texts.
pub fn functions(system: &MultibodySystem) -> Vec<String> {
    let mechanism = &system.mechanism;
    let mut all = vec!["kinetic_energy".to_owned(), "potential_energy".to_owned()];
    all.push("elastic_energy".to_owned());
    all.extend((!mechanism.outputs.is_empty()).then(|| "outputs".to_owned()));
    let named = |kind: FunctionKind, name: &str| format!("{}({name})", kind.row().name);
    all.extend(mechanism.line_forces.iter().map(|one| named(FunctionKind::LineForce, &one.name)));
    all.extend(mechanism.sensors.iter().map(|one| named(FunctionKind::Sensor, &one.name)));
    all.extend(mechanism.wheels.iter().map(|one| named(FunctionKind::Wheel, &one.name)));
    all.extend(["inverse", "constraints"].map(str::to_owned));
    all
}

/// All functions that a run may watch, written together. Elastic energies follow from the laws of
/// `plain`, in which no comparison is fixed: the potential of one branch of a law is not that of
/// the law.
pub fn write(system: &MultibodySystem, plain: &MultibodySystem) -> Result<WrittenGroup, Problem> {
    let parse = |text: &String| ModelFunction::parse(text, system);
    let all: Vec<ModelFunction> =
        functions(system).iter().map(parse).collect::<Result<_, Problem>>()?;
    write_all(system, plain, &all).or_else(|problem| {
        // What one of them finds impossible must not keep others from being watched.
        let possible = |one: &ModelFunction| generate(system, one, None).is_ok();
        let rest: Vec<ModelFunction> = all.into_iter().filter(possible).collect();
        if rest.is_empty() { Err(problem) } else { write_all(system, plain, &rest) }
    })
}

fn write_all(
    system: &MultibodySystem,
    plain: &MultibodySystem,
    functions: &[ModelFunction],
) -> Result<WrittenGroup, Problem> {
    let own = |function: &ModelFunction| match function.row.id {
        FunctionKind::ElasticEnergy => Ok(Cow::Borrowed(plain)),
        _ => partitioned(system, function),
    };
    let systems: Vec<Cow<'_, MultibodySystem>> =
        functions.iter().map(own).collect::<Result<_, Problem>>()?;
    // The graph of the first must have the expressions of all.
    let mut list: Vec<_> = systems.iter().map(|one| &**one).zip(functions).collect();
    list.sort_by_key(|(_, function)| function.row.id == FunctionKind::ElasticEnergy);
    // It is evaluated once for a sample: choosing among formalisms would take longer than it saves.
    generate_group(&list, Some(Formalism::NewtonEuler))
}

/// The part of what was written that is watched, and where the outputs of each function are in it.
pub fn part(
    system: &MultibodySystem,
    written: &WrittenGroup,
    watched: &[WatchedFunction],
) -> Result<(Program, Vec<Range<usize>>), Problem> {
    let mut chosen = Vec::new();
    for WatchedFunction { text, numbers } in watched.iter().filter(|one| one.is_needed()) {
        let function = ModelFunction::parse(text, system)?;
        let Some(at) = written.position(&function) else {
            // It says why it cannot be written.
            generate(system, &function, None)?;
            return Err(Problem::new(format!("`{text}` cannot be watched"), ""));
        };
        let flags = match numbers {
            WatchedNumbers::Flags(flags) => flags.clone(),
            WatchedNumbers::Outputs(outputs) => {
                let lens = written.lens(at).enumerate();
                lens.flat_map(|(at, len)| vec![outputs.contains(&at); len]).collect()
            }
        };
        chosen.push((at, flags));
    }
    let (program, ranges) = written.numbers(&chosen);
    let mut ranges = ranges.into_iter().peekable();
    let range = |one: &WatchedFunction| ranges.next_if(|_| one.is_needed()).unwrap_or(0..0);
    Ok((program, watched.iter().map(range).collect()))
}

/// The functions that a run watches, ready to be evaluated.
pub(crate) struct Watched {
    functions: Vec<WatchedFunction>,
    /// A program for each set of intermittent constraints that has held so far.
    made: Vec<Made>,
    now: usize,
}

struct Made {
    /// The intermittent constraints that hold in it.
    engaged: Vec<usize>,
    program: EvaluatedFunction,
    /// The outputs of each function.
    outputs: Vec<Range<usize>>,
}

impl Watched {
    /// Makes functions ready for the parameters of a plant.
    pub fn new(plant: &mut Plant, functions: Vec<WatchedFunction>) -> Result<Watched, Problem> {
        let made = vec![make(plant, &functions)?];
        Ok(Watched { functions, made, now: 0 })
    }

    /// Evaluates them at the plant's point. A problem is one of constraints: all else is known.
    pub fn measure(&mut self, plant: &mut Plant) -> Result<(), Problem> {
        let followed = self.follow(plant);
        plant.measure(&mut self.made[self.now].program);
        followed
    }

    /// Takes the program of the constraints that hold now, whose forces are others.
    fn follow(&mut self, plant: &mut Plant) -> Result<(), Problem> {
        if plant.engaged() == self.made[self.now].engaged {
            return Ok(());
        }
        let known = self.made.iter().position(|made| plant.engaged() == made.engaged);
        self.now = match known {
            Some(known) => known,
            None => {
                self.made.push(make(plant, &self.functions)?);
                self.made.len() - 1
            }
        };
        plant.prepare(&mut self.made[self.now].program);
        Ok(())
    }

    /// All numbers of a function, by its position.
    pub fn numbers(&self, which: usize) -> &[f64] {
        let made = &self.made[self.now];
        made.program.span(made.outputs[which].clone())
    }

    /// An output of a function; empty if nothing of it is watched.
    pub fn output(&self, which: usize, output: usize) -> &[f64] {
        let made = &self.made[self.now];
        let at = made.outputs[which].clone().nth(output);
        at.map_or(&[], |at| made.program.output(at))
    }
}

fn make(plant: &mut Plant, functions: &[WatchedFunction]) -> Result<Made, Problem> {
    let system = plant.free_tree();
    let written = write(&system, plant.plain())?;
    let (program, outputs) = part(&system, &written, functions)?;
    let mut program = EvaluatedFunction::of(&system, program, KernelKind::Auto)?;
    plant.prepare(&mut program);
    Ok(Made { engaged: plant.engaged().to_vec(), program, outputs })
}
