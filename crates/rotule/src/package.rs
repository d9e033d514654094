//! From a model to a package that can be written in a language: functions generated, arguments laid
//! out.

use rotule_emit::names::identifier;
use rotule_emit::{ArgumentEntry, Meaning, Package, PackageFunction, Size, Trig};
use rotule_formalism::constraint::actuated::ActuationReport;
use rotule_formalism::constraint::{closed::close, is_constrained, reduced};
use rotule_formalism::function::Argument;
use rotule_formalism::labels::{Labels, labels};
use rotule_formalism::state::StateNumbers;
use rotule_formalism::units;
use rotule_formalism::{Formalism, ModelFunction, Problem, Tree, generate_in_order, search};
use rotule_model::mechanism::{Mechanism, Parameter};
use rotule_program::parallel;
use rotule_symbolic::likely;
use rotule_symbolic::list::pieces;

/// Options for generating code of a model.
#[derive(Clone, Debug, Default)]
pub struct PackageOptions<'a> {
    /// The functions, separated by commas.
    pub functions: &'a str,
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
    /// The stored entries of matrices instead of whole ones: see [`Package::stored`].
    pub stored: bool,
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
    for piece in pieces(list).map_err(fault)? {
        let name = &list[piece];
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
/// told each function before it is begun.
pub fn package(
    tree: &Tree,
    options: &PackageOptions<'_>,
    state: &StateNumbers,
    progress: &mut dyn FnMut(&str),
) -> Result<Package, Problem> {
    let mechanism = &tree.mechanism;
    // What has no letter or digit becomes `x`, which nobody has asked for.
    if let Some(prefix) = options.prefix.filter(|text| identifier(text) == "x" && *text != "x") {
        let message = format!("--prefix: `{prefix}` has nothing that a name could begin with");
        return Err(Problem::new(message, "give letters, or leave it out for the model's name"));
    }
    let fault = |fault| Problem::new(format!("--functions: {fault}"), "such as inverse,forward");
    let mut functions: Vec<ModelFunction> = Vec::new();
    for piece in pieces(options.functions).map_err(fault)? {
        let function = ModelFunction::parse(&options.functions[piece], tree)
            .map_err(|problem| frozen_name(problem, &options.frozen))?;
        if functions.iter().any(|known| known.canonical == function.canonical) {
            let message = format!("--functions: `{}` is named twice", function.text);
            return Err(Problem::new(message, "name each function once"));
        }
        functions.push(function);
    }
    let (mut parts, mut refused) = (Vec::new(), None);
    // Nothing that is generated depends on what else is.
    let begun = &mut |function: &ModelFunction| progress(&function.text);
    for made in parallel::map(&functions, length, begun, |function| part(tree, function, options)) {
        match made {
            Ok(part) => parts.push(part),
            // Nobody has asked for it by name.
            Err(problem) if options.functions == GENERATED => refused = Some(problem),
            Err(problem) => return Err(problem),
        }
    }
    if let (true, Some(problem)) = (parts.is_empty(), refused) {
        return Err(problem);
    }
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
        effort: by_speed(|one| one.effort, units::EFFORT, &state.effort),
        functions: parts,
        readable: options.readable,
        trig: options.trig,
        batch: options.batch,
        size: options.size,
    };
    let made = if options.stored { made.stored() } else { made };
    Ok(if options.status { made.with_status() } else { made })
}

/// About how long a function is, beside others of the same model.
fn length(function: &ModelFunction) -> usize {
    let inner = match function.arguments.first() {
        Some(Argument::Function(inner)) => 4 * length(inner),
        _ => 0,
    };
    let own = match function.row.name {
        "forward_tangent" => 8,
        "tangent" => 4,
        "forward" | "motion" | "mass_bias" | "inverse_mass" | "operational_inertia" => 2,
        _ => 1,
    };
    inner + own
}

/// A line about a function, with what must be known of loops.
fn about(tree: &Tree, function: &ModelFunction) -> String {
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
    if function.row.name == "augmented" && is_constrained(tree) {
        let [alpha, beta] = tree.mechanism.baumgarte.map(|gain| tree.mechanism.graph.text(gain));
        text += &format!("; alpha = {alpha}, beta = {beta}, in 1/s");
    }
    if function.row.name == "closed_inverse"
        && let Some(report) = reduced::report(tree)
    {
        text += &delivered(tree, &report);
    }
    if CLOSING.contains(&function.row.name) && is_constrained(tree) {
        let mut draft = tree.clone();
        if let Ok(closed) = close(&mut draft, function.row.name) {
            let names = rotule_formalism::labels::speed_names(&tree.mechanism);
            let independent = closed.partition.independent.iter().map(|&at| names[at].as_str());
            let independent: Vec<&str> = independent.collect();
            text += &format!(
                "; closes the loops: independent {}; q of the others is where iterations begin, their qd is not used",
                independent.join(", ")
            );
        }
    }
    text
}

/// The drives and their efforts, in words.
fn delivered(tree: &Tree, report: &ActuationReport) -> String {
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

/// Functions that close loops.
const CLOSING: [&str; 9] = [
    "forward",
    "motion",
    "drives",
    "closure",
    "multipliers",
    "closed_inverse",
    "actuation",
    "closure_reactions",
    "closed_reactions",
];

/// A parameter that is not found because it has been frozen is told so.
fn frozen_name(problem: Problem, frozen: &[Parameter]) -> Problem {
    let named = frozen.iter().find(|one| problem.message.ends_with(&format!("`{}`", one.name)));
    match named {
        Some(one) => Problem::new(
            format!("`{}` is frozen, so that it is no parameter here", one.name),
            "leave it out of --freeze",
        ),
        None => problem,
    }
}

fn part(
    tree: &Tree,
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
    let outputs = made.program.outputs().iter().map(|output| {
        let found = labels(mechanism, function, &output.name);
        let unit = units::of_output(mechanism, function, &output.name, found.as_ref());
        match found {
            Some(Labels::Scalar) => Meaning { scalar: true, unit, ..Meaning::default() },
            Some(Labels::Vector(rows)) => Meaning { rows, unit, ..Meaning::default() },
            Some(Labels::Matrix(rows, columns)) => {
                Meaning { rows, columns, unit, ..Meaning::default() }
            }
            None => Meaning { unit, ..Meaning::default() },
        }
    });
    Ok(PackageFunction {
        name: function.text.clone(),
        about: about(tree, function),
        formalism: made.formalism.name().to_owned(),
        inputs: function.inputs(tree),
        outputs: outputs.collect(),
        program: made.program,
    })
}
