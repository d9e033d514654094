//! From a model to a package that can be written in a language: functions generated, arguments laid
//! out.

use crate::group::NamedGroup;
use rotule_emit::names::identifier;
use rotule_emit::{ArgumentEntry, Meaning, Package, PackageFunction, PackageGroup, Size, Trig};
use rotule_formalism::constraint::actuated::ActuationReport;
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::function::{Argument, FunctionKind};
use rotule_formalism::labels::{Labels, labels};
use rotule_formalism::units;
use rotule_formalism::{
    Formalism, ModelFunction, MultibodySystem, Problem, ProblemKind, direction_names, weight_names,
};
use rotule_model::mechanism::{Mechanism, Parameter};
use rotule_numeric::state::StateNumbers;
use rotule_numeric::{
    actuation_report, choose_partition, generate_group, generate_in_order, search,
};
use rotule_program::group::{element, split};
use rotule_program::{NoExternals, Program, parallel, run_once};
use rotule_symbolic::list::items;
use rotule_symbolic::{Kind, likely};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};

/// Options for generating code of a model.
#[derive(Clone, Debug, Default)]
pub struct PackageOptions<'a> {
    /// The functions, separated by commas.
    pub functions: &'a str,
    /// Groups of functions that share work, beside the functions; see [`NamedGroup`].
    pub groups: Vec<NamedGroup>,
    /// The formalism; the cheapest if none is named.
    pub formalism: Option<Formalism>,
    /// Number of further trials in the search for the shortest program.
    pub effort: u32,
    /// Names for people, at length.
    pub readable: bool,
    /// The form of isomorphic parts.
    pub size: Size,
    /// The prefix of generated names, instead of the model's name.
    pub prefix: Option<&'a str>,
    /// A hash of the model.
    pub hash: String,
    /// Parameters that have been frozen.
    pub frozen: Vec<Parameter>,
    /// The source of sines and cosines.
    pub trig: Trig,
    /// Functions of many states, too.
    pub batch: bool,
    /// The stored entries of matrices instead of whole ones: see [`Package::packed_storage`].
    pub packed_storage: bool,
    /// The status of iterations, as one more output: see [`Package::with_status`].
    pub status: bool,
}

/// Functions that are generated unless others are named.
pub const GENERATED: &str = "inverse,forward,mass_bias";

/// The names of a list of parameters to be frozen; `all` means all of them.
pub fn to_freeze(mechanism: &Mechanism, list: &str) -> Result<Vec<String>, Problem> {
    let names = || mechanism.parameters.iter().map(|one| one.name.as_str());
    if list.trim() == "all" && !names().any(|name| name == "all") {
        return Ok(names().map(str::to_owned).collect());
    }
    let fault = |fault| Problem::new(format!("--freeze: {fault}"), "names of parameters, or all");
    let mut chosen = Vec::new();
    for item in items(list).map_err(fault)? {
        let name = &list[item];
        if !names().any(|known| known == name) {
            let help = match mechanism.parameters[..] {
                [] => "the model has no parameters".to_owned(),
                _ => likely(name, ["all"].into_iter().chain(names())),
            };
            return Err(Problem::new(format!("--freeze: there is no parameter `{name}`"), help));
        }
        chosen.push(name.to_owned());
    }
    Ok(chosen)
}

/// Generates the functions that the options name. `state` is what the demo shows; `progress` is
/// told each function before it is begun, and a break ends it.
pub fn package(
    tree: &MultibodySystem,
    options: &PackageOptions<'_>,
    state: &StateNumbers,
    progress: &mut dyn FnMut(&str) -> ControlFlow<()>,
) -> Result<Package, Problem> {
    let mechanism = &tree.mechanism;
    // What has no letter or digit becomes `x`, which nobody has requested.
    if let Some(prefix) = options.prefix.filter(|text| identifier(text) == "x" && *text != "x") {
        let message = format!("--prefix: `{prefix}` has nothing that a name could begin with");
        return Err(Problem::new(message, "give letters, or leave it out for the model's name"));
    }
    let fault = |fault| Problem::new(format!("--functions: {fault}"), "such as inverse,forward");
    let mut functions: Vec<ModelFunction> = Vec::new();
    // Whoever asks for groups alone gets no other functions.
    let alone = options.functions.is_empty() && !options.groups.is_empty();
    let list = if alone { Vec::new() } else { items(options.functions).map_err(fault)? };
    for item in list {
        let function = ModelFunction::parse(&options.functions[item], tree)
            .map_err(|problem| frozen_name(problem, &options.frozen))?;
        if functions.iter().any(|known| known.canonical == function.canonical) {
            let message = format!("--functions: `{}` is named twice", function.text);
            return Err(Problem::new(message, "name each function once"));
        }
        functions.push(function);
    }
    let (mut parts, mut refused) = (Vec::new(), None);
    // Nothing that is generated depends on what else is.
    let stopped = AtomicBool::new(false);
    let begun = &mut |function: &ModelFunction| {
        if progress(&function.text).is_break() {
            stopped.store(true, Ordering::Relaxed);
        }
    };
    let make = |function: &ModelFunction| match stopped.load(Ordering::Relaxed) {
        true => Err(Problem::stopped()),
        false => part(tree, function, options),
    };
    let all = parallel::map(&functions, length, begun, make);
    if stopped.load(Ordering::Relaxed) {
        return Err(Problem::stopped());
    }
    for made in all {
        match made {
            Ok(part) => parts.push(part),
            // Nobody has requested it by name.
            Err(problem) if options.functions == GENERATED => refused = Some(problem),
            Err(problem) => return Err(problem),
        }
    }
    if let (true, Some(problem)) = (parts.is_empty(), refused) {
        return Err(problem);
    }
    let (shared, groups) = add_groups(tree, options, state, &mut parts, progress)?;
    let graph = &mechanism.graph;
    let quantity = |name: String, unit: &str, value: f64| ArgumentEntry {
        name,
        unit: unit.to_owned(),
        about: String::new(),
        value,
    };
    let coordinates = mechanism.coordinates.iter().zip(units::of_coordinates(mechanism));
    let q = coordinates.zip(&state.q).map(|((one, unit), &x)| quantity(one.name.clone(), unit, x));
    let by_speed = |symbol: fn(&rotule_model::mechanism::Speed) -> rotule_symbolic::Expr,
                    units: [&'static str; 2],
                    values: &[f64]| {
        let units = units::by_speed(mechanism, units);
        let speeds = mechanism.speeds.iter().zip(units).zip(values);
        let each = speeds.map(|((one, unit), &x)| quantity(graph.text(symbol(one)), unit, x));
        each.collect::<Vec<ArgumentEntry>>()
    };
    let unitless = |names: Vec<String>, values: &[f64]| {
        let each = names.into_iter().zip(values);
        each.map(|(name, &x)| quantity(name, "", x)).collect::<Vec<ArgumentEntry>>()
    };
    let parameter = |(one, &value): (&Parameter, &f64)| ArgumentEntry {
        name: one.name.clone(),
        unit: one.unit.clone(),
        about: one.about.clone(),
        value,
    };
    let states = mechanism.states.iter().zip(&state.states).map(|(one, &value)| ArgumentEntry {
        name: one.name.clone(),
        unit: one.unit.clone(),
        about: one.about.clone(),
        value,
    });
    let inputs = mechanism.inputs.iter().zip(&state.inputs).map(|(one, &value)| ArgumentEntry {
        name: one.name.clone(),
        unit: one.unit.clone(),
        about: one.about.clone(),
        value,
    });
    let frozen = options.frozen.iter().map(|one| parameter((one, &one.value)));
    let made = Package {
        model: mechanism.name.clone(),
        prefix: options.prefix.unwrap_or(&mechanism.name).to_owned(),
        about: mechanism.about.clone(),
        hash: options.hash.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        parameters: mechanism.parameters.iter().zip(&state.parameters).map(parameter).collect(),
        frozen: frozen.collect(),
        time: state.t,
        q: q.collect(),
        qd: by_speed(|one| one.symbol, units::SPEED, &state.qd),
        qdd: by_speed(|one| one.acceleration, units::ACCELERATION, &state.qdd),
        state: states.collect(),
        input: inputs.collect(),
        direction: unitless(direction_names(mechanism), &state.direction),
        weight: unitless(weight_names(mechanism), &state.weight),
        effort: by_speed(|one| one.effort, units::EFFORT, &state.effort),
        shared,
        functions: parts,
        groups,
        readable: options.readable,
        trig: options.trig,
        batch: options.batch,
        size: options.size,
    };
    let made = if options.packed_storage { made.packed_storage() } else { made };
    Ok(if options.status { made.with_status() } else { made })
}

/// About how long a function is, beside others of the same model.
fn length(function: &ModelFunction) -> usize {
    let inner = match function.arguments.first() {
        Some(Argument::Function(inner)) => 4 * length(inner),
        _ => 0,
    };
    inner + function.row.length()
}

/// A line about a function, with what must be known of loops.
fn about(tree: &MultibodySystem, function: &ModelFunction) -> String {
    let mut text = match function.arguments.first() {
        Some(Argument::Function(inner)) => {
            let by = function.text.rsplit(',').next().unwrap_or("").trim().trim_end_matches(')');
            format!("derivative of {} by {by}", inner.text)
        }
        _ => function.row.about.to_owned(),
    };
    if function.of_open_tree(tree) {
        text += "; of the open tree, without the forces of its loops";
    }
    if function.row.id == FunctionKind::Augmented && is_constrained(&tree.mechanism) {
        let [alpha, beta] = tree.mechanism.baumgarte.map(|gain| tree.mechanism.graph.text(gain));
        text += &format!("; alpha = {alpha}, beta = {beta}, in 1/s");
    }
    if function.row.id == FunctionKind::ClosedInverse
        && let Some(report) = actuation_report(tree)
    {
        text += &delivered(tree, &report);
    }
    if function.row.loops.closed()
        && is_constrained(&tree.mechanism)
        && let Ok(partition) = choose_partition(tree, function.row.id)
    {
        let names = rotule_formalism::labels::speed_names(&tree.mechanism);
        let independent = partition.speeds.independent.iter().map(|&at| names[at].as_str());
        let independent: Vec<&str> = independent.collect();
        text += &format!(
            "; closes the loops: independent {}; q of the others is where iterations begin, their qd is not used",
            independent.join(", ")
        );
    }
    text
}

/// The drives and their efforts, in words.
fn delivered(tree: &MultibodySystem, report: &ActuationReport) -> String {
    let names = rotule_formalism::labels::speed_names(&tree.mechanism);
    let listed = |speeds: &[usize]| {
        speeds.iter().map(|&at| names[at].as_str()).collect::<Vec<_>>().join(", ")
    };
    let (drives, free) = (report.drives.len(), report.free.len());
    let mut text = format!("; {drives} drives for {free} degrees of freedom");
    for (speeds, does) in [
        (&report.determined, "follow from the motion alone"),
        (&report.shared, "share the work with the least weighted squares"),
        (&report.missing, "have no drive, and `missing` must vanish there"),
    ] {
        if !speeds.is_empty() {
            text += &format!("; {} {does}", listed(speeds));
        }
    }
    text
}

/// A parameter that is not found because it has been frozen is told so.
fn frozen_name(problem: Problem, frozen: &[Parameter]) -> Problem {
    let unknown = |one: &&Parameter| problem.kind == ProblemKind::UnknownName(one.name.clone());
    match frozen.iter().find(unknown) {
        Some(one) => Problem::new(
            format!("`{}` is frozen, so that it is no parameter here", one.name),
            "leave it out of --freeze",
        ),
        None => problem,
    }
}

/// The meaning of an output of a function.
fn meaning(mechanism: &Mechanism, function: &ModelFunction, output: &str) -> Meaning {
    let unit = units::of_output(mechanism, function, output);
    match labels(mechanism, function, output) {
        Some(Labels::Scalar) => Meaning { scalar: true, unit, ..Meaning::default() },
        Some(Labels::Vector(rows)) => Meaning { rows, unit, ..Meaning::default() },
        Some(Labels::Matrix(rows, columns)) => {
            Meaning { rows, columns, unit, ..Meaning::default() }
        }
        None => Meaning { unit, ..Meaning::default() },
    }
}

/// Adds the functions of groups to those of a package. All functions of all groups are written
/// together, once; of each group there is one function more, which computes what the others share.
fn add_groups(
    tree: &MultibodySystem,
    options: &PackageOptions<'_>,
    state: &StateNumbers,
    parts: &mut Vec<PackageFunction>,
    progress: &mut dyn FnMut(&str) -> ControlFlow<()>,
) -> Result<(Vec<ArgumentEntry>, Vec<PackageGroup>), Problem> {
    let mut functions: Vec<ModelFunction> = Vec::new();
    let mut chosen: Vec<Vec<usize>> = Vec::new();
    for (at, group) in options.groups.iter().enumerate() {
        if options.groups[..at].iter().any(|other| other.name == group.name) {
            let message = format!("--group: there are two groups named `{}`", group.name);
            return Err(Problem::new(message, "give each group a name of its own"));
        }
        let fault =
            |fault| Problem::new(format!("--group: {fault}"), "such as control=inverse,mass");
        let mut own = Vec::new();
        for item in items(&group.functions).map_err(fault)? {
            let function = ModelFunction::parse(&group.functions[item], tree)
                .map_err(|problem| frozen_name(problem, &options.frozen))?;
            let known = functions.iter().position(|one| one.canonical == function.canonical);
            let place = known.unwrap_or(functions.len());
            if own.contains(&place) {
                let (name, text) = (&group.name, &function.text);
                let message = format!("--group: `{text}` is named twice in `{name}`");
                return Err(Problem::new(message, "name each function once"));
            }
            own.push(place);
            if known.is_none() {
                functions.push(function);
            }
        }
        chosen.push(own);
    }
    if functions.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let names: Vec<&str> = options.groups.iter().map(|group| group.name.as_str()).collect();
    if progress(&format!("the groups {}", names.join(", "))).is_break() {
        return Err(Problem::stopped());
    }
    let written = generate_group(tree, &functions, options.formalism)?;
    let cut: Vec<_> = chosen.iter().map(|own| written.part(own)).collect();
    let count =
        |(program, ranges): &(Program, Vec<Range<usize>>)| split(program, ranges, 0, 0).names.len();
    let lengths: Vec<usize> = cut.iter().map(count).collect();
    let all: usize = lengths.iter().sum();
    let (mut vector, mut groups, mut offset) = (Vec::new(), Vec::new(), 0);
    for ((group, own), ((program, ranges), len)) in
        options.groups.iter().zip(&chosen).zip(cut.iter().zip(lengths))
    {
        let split = split(program, ranges, offset, all);
        let name = &group.name;
        let numbers = vector_at(tree, &split.shared, state);
        for (at, about) in split.names.iter().enumerate() {
            vector.push(ArgumentEntry {
                name: element(offset + at),
                unit: String::new(),
                about: about.clone(),
                value: numbers[offset + at],
            });
        }
        let update = (len > 0).then(|| {
            let takes = |kind: &Kind| split.shared.inputs().iter().any(|one| one.kind == *kind);
            let rows = (0..all).map(element).collect();
            parts.push(PackageFunction {
                name: format!("{name}.shared"),
                about: format!("what the functions of the group `{name}` share at a state"),
                formalism: written.functions[own[0]].formalism.name().to_owned(),
                inputs: vec![Kind::Coordinate, Kind::Velocity, Kind::State]
                    .into_iter()
                    .filter(takes)
                    .collect(),
                outputs: vec![Meaning { rows, ..Meaning::default() }],
                program: split.shared,
            });
            parts.len() - 1
        });
        let first = parts.len();
        for (&at, mut program) in own.iter().zip(split.functions) {
            written.rename(at, &mut program);
            let one = &written.functions[at];
            let outputs = program.outputs().iter();
            let outputs =
                outputs.map(|output| meaning(&tree.mechanism, &one.function, &output.name));
            parts.push(PackageFunction {
                name: format!("{name}.{}", one.function.text),
                about: format!("{}; of the group `{name}`", about(tree, &one.function)),
                formalism: one.formalism.name().to_owned(),
                inputs: one.inputs.iter().copied().chain(update.map(|_| Kind::Shared)).collect(),
                outputs: outputs.collect(),
                program,
            });
        }
        if let Some(update) = update {
            let functions = (first..parts.len()).collect();
            groups.push(PackageGroup { name: name.clone(), update, functions });
        }
        offset += len;
    }
    Ok((vector, groups))
}

/// The shared vector at the state of the demo.
fn vector_at(tree: &MultibodySystem, shared: &Program, state: &StateNumbers) -> Vec<f64> {
    let known = state.numbers(&tree.mechanism);
    let inputs = shared.inputs().iter();
    let inputs: Vec<f64> =
        inputs.map(|one| known.get(one.name.as_str()).copied().unwrap_or(f64::NAN)).collect();
    // External functions are stubs that give nothing; the demo shows what they lead to.
    let run = run_once(shared, &inputs, &mut NoExternals);
    run.unwrap_or_else(|_| vec![f64::NAN; shared.output_len()])
}

fn part(
    tree: &MultibodySystem,
    function: &ModelFunction,
    options: &PackageOptions<'_>,
) -> Result<PackageFunction, Problem> {
    let mechanism = &tree.mechanism;
    // A formalism that some functions do not have is meant for those that have it.
    let formalism = options.formalism.filter(|one| function.formalisms().contains(one));
    let made = match options.readable {
        true => generate_in_order(tree, function, formalism),
        false => search(tree, function, formalism, options.effort),
    }?;
    let outputs = made.program.outputs().iter();
    let outputs = outputs.map(|output| meaning(mechanism, function, &output.name));
    Ok(PackageFunction {
        name: function.text.clone(),
        about: about(tree, function),
        formalism: made.formalism.name().to_owned(),
        inputs: function.inputs(tree),
        outputs: outputs.collect(),
        program: made.program,
    })
}
