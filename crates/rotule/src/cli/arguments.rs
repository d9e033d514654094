//! What can be typed: the commands, their options and the texts of `--help`.
//!
//! Lines stay within 80 columns, because that is what a terminal is sure to have.

use clap::{Args, Parser, Subcommand};
use rotule::Target;
use rotule::emit::{Size, Trig};
use rotule::formalism::Formalism;
use rotule::formalism::function::{FUNCTIONS, usage};
use rotule::jit::Choice;
use rotule::model::Format;
use std::ffi::OsString;
use std::path::PathBuf;

/// A compiler for multibody systems.
#[derive(Parser)]
#[command(name = "rotule", version, about, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

#[derive(Subcommand)]
pub enum Verb {
    /// Write expressions with as few operations as possible.
    #[command(after_help = SIMPLIFY, override_usage = "rotule simplify [OPTIONS] <EXPR>...")]
    Simplify(Common),
    /// Differentiate expressions by some of their symbols.
    #[command(after_help = DIFF, override_usage = "rotule diff [OPTIONS] <EXPR>... --by <NAMES>")]
    Diff(Diff),
    /// Check a model of a mechanism and draw its structure.
    #[command(after_help = CHECK)]
    Check(Check),
    /// Close the loops of a model: its initial state from a rough guess.
    #[command(after_help = ASSEMBLE)]
    Assemble(Assemble),
    /// Write a model of another format as a model file of Rotule.
    #[command(after_help = CONVERT)]
    Convert(Convert),
    /// Count the operations of a model's functions, by formalism.
    #[command(after_help = COUNT)]
    Count(Count),
    /// Compute a function of a model: its numbers at a state.
    #[command(after_help = eval_help())]
    Eval(Eval),
    /// Write the equations of a model for people, as text or LaTeX.
    #[command(after_help = EQUATIONS)]
    Equations(Equations),
    /// Write functions of a model as source code.
    #[command(after_help = generate_help())]
    Generate(Generate),
    /// Simulate a model: its motion over time.
    #[command(after_help = SIMULATE)]
    Simulate(Simulate),
    /// Measure the code of a model, beside that of others.
    #[command(after_help = BENCH)]
    Bench(Bench),
    /// Simulate a model many times, with other numbers each time.
    #[command(after_help = STUDY)]
    Study(Study),
}

/// What all commands that take a model have in common.
#[derive(Args)]
pub struct Model {
    /// The model: a file, or - for standard input.
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Add a file that completes the model; can be repeated.
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,

    /// toml, urdf, sdf, mjcf, mbs: if the file does not tell.
    #[arg(long, value_name = "NAME", value_parser = format)]
    pub format: Option<Format>,

    /// Let the root of an imported robot move freely.
    #[arg(long)]
    pub floating_base: bool,

    /// Merge imported bodies that are fixed to each other.
    #[arg(long)]
    pub merge_fixed: bool,
}

/// What commands that close loops have in common.
#[derive(Args)]
pub struct Loops {
    /// Independent coordinates, such as q1,q3; others follow.
    #[arg(long, value_name = "Q")]
    pub independent: Option<String>,
}

#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// Write findings and structure as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Assemble {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// Joints or coordinates that may not move, such as q1,q3.
    #[arg(long, value_name = "NAMES")]
    pub keep: Option<String>,

    /// Write to a new file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace the file of --out if it is there.
    #[arg(long, requires = "out")]
    pub force: bool,

    /// Write the state as JSON, for rotule eval --state.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Convert {
    #[command(flatten)]
    pub model: Model,

    /// Write to a new file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace the file of --out if it is there.
    #[arg(long, requires = "out")]
    pub force: bool,
}

#[derive(Args)]
pub struct Count {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// The functions to count, such as inverse,mass.
    #[arg(long, value_name = "LIST")]
    pub functions: Option<String>,

    /// Show what each step that makes equations cheaper gains.
    #[arg(long)]
    pub steps: bool,

    /// Write counts by kind as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Eval {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// The function, such as mass or "jacobian(hand.tip)".
    #[arg(value_name = "FUNCTION")]
    pub function: String,

    /// Read the state from a file; - is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    pub state: Option<PathBuf>,

    /// Use random numbers, the same for the same seed.
    #[arg(long, value_name = "SEED")]
    pub random: Option<u64>,

    /// Give a parameter another number; can be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Write the state as JSON, and nothing else.
    #[arg(long)]
    pub show_state: bool,

    /// classical, barycentric, .., or auto for the cheapest.
    #[arg(long, value_name = "NAME", value_parser = formalism, default_value = "auto", hide_default_value = true)]
    pub formalism: Wanted,

    /// Write function, state and numbers as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Simulate {
    #[command(flatten)]
    pub model: Model,

    /// When the motion ends, in seconds.
    #[arg(long, value_name = "T", value_parser = number)]
    pub to: f64,

    /// Make steps of this length.
    #[arg(long, value_name = "H", value_parser = number, conflicts_with_all = ["rtol", "atol"])]
    pub dt: Option<f64>,

    /// Relative tolerance of a step.
    #[arg(long, value_name = "R", value_parser = number, default_value = "1e-8", hide_default_value = true)]
    pub rtol: f64,

    /// Absolute tolerance of a step.
    #[arg(long, value_name = "A", value_parser = number, default_value = "1e-10", hide_default_value = true)]
    pub atol: f64,

    /// The method; see below.
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true)]
    pub method: String,

    /// Write results to a file; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Write a page with plots and an animation.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Check the energy by the work of all forces.
    #[arg(long)]
    pub balance: bool,

    /// Draw channels in the terminal, such as q1,q1.d.
    #[arg(long, value_name = "NAMES")]
    pub plot: Option<String>,

    /// Replace files that are there already.
    #[arg(long)]
    pub force: bool,

    /// Keep a point every so many seconds, or at each `step`.
    #[arg(long, value_name = "H")]
    pub every: Option<String>,

    /// What is kept, separated by commas; see below.
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "coordinates,speeds,accelerations,energies,links,sensors",
        hide_default_value = true
    )]
    pub channels: String,

    /// Read the initial state; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Give a parameter another number; can be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Coordinates that are independent at first.
    #[arg(long, value_name = "Q")]
    pub partition: Option<String>,

    /// How loops are kept closed; see below.
    #[arg(long, value_name = "W")]
    pub constraints: Option<String>,

    /// Conditioning from which on others become so.
    #[arg(long, value_name = "X", default_value = "auto", hide_default_value = true)]
    pub threshold: String,

    /// auto, interpreter, native or compiled code.
    #[arg(long, value_name = "NAME", value_parser = kernel, default_value = "auto", hide_default_value = true)]
    pub kernel: Choice,
}

#[derive(Args)]
pub struct Bench {
    #[command(flatten)]
    pub model: Model,

    /// What is measured, such as inverse,mass; see below.
    #[arg(long, value_name = "LIST")]
    pub functions: Option<String>,

    /// Other codes: pinocchio,casadi,mujoco; from PyPI.
    #[arg(long, value_name = "LIST")]
    pub against: Option<String>,

    /// Measure batches of states, too.
    #[arg(long)]
    pub batch: bool,

    /// How often each time is taken; 25 without.
    #[arg(long, value_name = "N", default_value = "25", hide_default_value = true)]
    pub repeats: usize,

    /// How long a repeat lasts; 20 without.
    #[arg(long, value_name = "MS", value_parser = positive, default_value = "20", hide_default_value = true)]
    pub milliseconds: f64,

    /// gcc, clang or both, of which the better is shown.
    #[arg(long, value_name = "NAME", value_parser = ["gcc", "clang", "both"], default_value = "both", hide_default_value = true, hide_possible_values = true)]
    pub compiler: String,

    /// Write all numbers as JSON; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Replace the file of --json if it is there.
    #[arg(long, requires = "json")]
    pub force: bool,
}

#[derive(Args)]
pub struct Study {
    #[command(flatten)]
    pub model: Model,

    /// When each motion ends, in seconds.
    #[arg(long, value_name = "T", value_parser = number)]
    pub to: f64,

    /// The length of steps.
    #[arg(long, value_name = "H", value_parser = number)]
    pub dt: f64,

    /// What varies, and how; can be repeated.
    #[arg(long, value_name = "LAW", required = true)]
    pub vary: Vec<String>,

    /// Random samples at each point of the grid.
    #[arg(long, value_name = "N")]
    pub samples: Option<usize>,

    /// Where random numbers start.
    #[arg(long, value_name = "S", default_value = "0", hide_default_value = true)]
    pub seed: u64,

    /// CHANNEL:KIND to keep of each motion; can be repeated.
    #[arg(long, value_name = "WHAT")]
    pub measure: Vec<String>,

    /// Write a row for each sample; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace the file of --out if it is there.
    #[arg(long, requires = "out")]
    pub force: bool,

    /// Give a parameter another number; can be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// How many threads; as many as there are cores without.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

#[derive(Args)]
pub struct Equations {
    #[command(flatten)]
    pub model: Model,

    /// The function, such as mass; all of M qdd + c = Q without.
    #[arg(value_name = "FUNCTION")]
    pub function: Option<String>,

    /// Take the motion of these joints as given.
    #[arg(long, value_name = "LIST", conflicts_with = "function")]
    pub driven: Option<String>,

    /// Write LaTeX instead of text.
    #[arg(long)]
    pub latex: bool,

    /// classical, barycentric, .., or auto for the shortest.
    #[arg(long, value_name = "NAME", value_parser = formalism, default_value = "auto", hide_default_value = true)]
    pub formalism: Wanted,
}

#[derive(Args)]
pub struct Generate {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// The language, such as c or python; see below.
    #[arg(long, value_name = "NAME", value_parser = language)]
    pub lang: Target,

    /// The functions; inverse, direct and mass_bias without.
    #[arg(long, value_name = "LIST")]
    pub functions: Option<String>,

    /// The folder to write; it is made, or must be empty.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Names for people instead of short ones.
    #[arg(long)]
    pub readable: bool,

    /// Parameters to write as numbers, or all.
    #[arg(long, value_name = "NAMES")]
    pub freeze: Option<String>,

    /// Give a parameter another number; can be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// What names begin with; the model's name without.
    #[arg(long, value_name = "NAME")]
    pub prefix: Option<String>,

    /// classical, barycentric, .., or auto for the cheapest.
    #[arg(long, value_name = "NAME", value_parser = formalism, default_value = "auto", hide_default_value = true)]
    pub formalism: Wanted,

    /// Search for fewer operations in so many more trials.
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub effort: u32,

    /// Who computes sines: library, or packed; see below.
    #[arg(long, value_name = "WHO", value_parser = trig, default_value = "auto", hide_default_value = true)]
    pub trig: Trig,

    /// Functions of many states at once, too.
    #[arg(long)]
    pub batch: bool,

    /// What is alike once, in C: auto, small, fast, straight.
    #[arg(long, value_name = "WORD", value_parser = size, default_value = "auto", hide_default_value = true)]
    pub size: Size,

    /// Entries of matrices: all, or those that are stored.
    #[arg(long, value_name = "WORD", value_parser = entries, default_value = "all", hide_default_value = true)]
    pub entries: Entries,

    /// Replace files in a folder that is not empty.
    #[arg(long)]
    pub force: bool,
}

/// Which entries of matrices are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entries {
    All,
    Stored,
}

fn entries(word: &str) -> Result<Entries, String> {
    match word {
        "all" => Ok(Entries::All),
        "stored" => Ok(Entries::Stored),
        _ => Err("it is all or stored".to_owned()),
    }
}

/// Who computes sines and cosines, by name.
fn trig(name: &str) -> Result<Trig, String> {
    match name {
        "auto" => Ok(Trig::Auto),
        "library" => Ok(Trig::Library),
        "packed" => Ok(Trig::Packed),
        _ => Err("expected auto, library or packed".to_owned()),
    }
}

/// Whether parts that are alike are written once.
fn size(word: &str) -> Result<Size, String> {
    match word {
        "auto" => Ok(Size::Auto),
        "small" => Ok(Size::Small),
        "fast" => Ok(Size::Fast),
        "straight" => Ok(Size::Straight),
        _ => Err("it is auto, small, fast or straight".to_owned()),
    }
}

/// A language of code or a kind of document by its name.
fn language(name: &str) -> Result<Target, String> {
    rotule::target(name).ok_or_else(|| {
        let names: Vec<&str> = rotule::targets().map(|(name, ..)| name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// The formalism that is asked for; none leaves the choice.
#[derive(Clone, Copy)]
pub struct Wanted(pub Option<Formalism>);

/// A formalism by its name.
fn formalism(name: &str) -> Result<Wanted, String> {
    if name == "auto" {
        return Ok(Wanted(None));
    }
    let found = Formalism::ALL.into_iter().find(|one| one.name() == name);
    found.map(|one| Wanted(Some(one))).ok_or_else(|| {
        let names: Vec<&str> = Formalism::ALL.iter().map(|one| one.name()).collect();
        format!("expected one of auto, {}", names.join(", "))
    })
}

/// A format by its name.
fn kernel(name: &str) -> Result<Choice, String> {
    let found = Choice::ALL.iter().find(|(_, known)| *known == name);
    found.map(|(choice, _)| *choice).ok_or_else(|| {
        let names: Vec<&str> = Choice::ALL.iter().map(|(_, name)| *name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn format(name: &str) -> Result<Format, String> {
    let found = Format::ALL.iter().find(|(_, known, _)| *known == name);
    found.map(|(format, ..)| *format).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|(_, name, _)| *name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

#[derive(Args)]
pub struct Diff {
    #[command(flatten)]
    pub common: Common,

    /// The symbols to differentiate by, such as x,y.
    #[arg(long, value_name = "NAMES", required = true, value_parser = unsigned, display_order = 0)]
    pub by: Vec<String>,
}

/// What all commands that take expressions have in common.
#[derive(Args)]
pub struct Common {
    /// Expressions, in quotes; - reads one from standard input.
    #[arg(value_name = "EXPR", required_unless_present = "file", value_parser = unsigned)]
    pub expressions: Vec<String>,

    /// Read an expression from a file; can be repeated.
    #[arg(long, value_name = "FILE")]
    pub file: Vec<PathBuf>,

    /// Take these to be positive, such as "cos(a), m".
    #[arg(long, value_name = "LIST", value_parser = unsigned)]
    pub assume: Vec<String>,

    /// Write LaTeX for math mode instead of text.
    #[arg(long)]
    pub latex: bool,

    /// Give shared parts lines of their own, such as z1 = a + b.
    #[arg(long)]
    pub listing: bool,

    /// Write the program that computes the result.
    #[arg(long, conflicts_with_all = ["latex", "listing"])]
    pub program: bool,

    /// Add a table of operations, before and after.
    #[arg(long)]
    pub count: bool,

    /// Add a table of what each pass did to the program.
    #[arg(long)]
    pub report: bool,
}

const EXAMPLES: &str = "\
Examples:
  rotule simplify \"sin(a)*cos(b) + cos(a)*sin(b)\"
  rotule simplify --file expression.txt --count
  rotule diff \"k*(Z - z0)^2/2 + c*Zd\" --by Z,Zd
  rotule check examples/slider_crank.toml
  rotule assemble examples/four_bar_joint.toml
  rotule convert examples/formats/arm.urdf
  rotule equations examples/sliding_pendulum.toml
  rotule count examples/puma560.toml
  rotule eval examples/puma560.toml mass --random 1
  rotule generate examples/puma560.toml --lang c --out puma

`rotule simplify --help` says how expressions are written.";

const SIMPLIFY: &str = "\
Expressions are written as usual: + - * / ^, numbers (1/3 is exact, 0.5 is a
real), pi, names such as m, q1 or omega[3].x, and these functions:
  sin cos tan asin acos atan atan2 sqrt exp log abs sign min max
  if(x < 0 and y >= 1, a, b)

All names are inputs of one kind here, so that counts are not split into the
stages of a model. A count takes + - * / and functions as one each and signs as
free: first as written, then for the program that computes what is equal once.
With --latex or --program the tables are comments of that language.

Examples:
  rotule simplify \"2*sin(q)*cos(q)\"
  rotule simplify \"sqrt(m^2*cos(a)^2)\" --assume \"m, cos(a)\"
  rotule simplify \"(a + b)*c\" \"(a + b)*d\" --listing --count
  rotule simplify --file expression.txt --latex --listing
  echo \"x + x\" | rotule simplify -";

const DIFF: &str = "\
One symbol gives the derivative, several give a line for each. Every symbol
must occur in an expression. `rotule simplify --help` says how expressions are
written and counted.

Examples:
  rotule diff \"m*g*l*cos(q)\" --by q
  rotule diff \"k*(Z - z0)^2/2 + c*Zd\" --by Z,Zd --count
  rotule diff \"l*cos(q)\" \"l*sin(q)\" --by q,l --latex --listing";

const CHECK: &str = "\
All problems are reported at once, each with its place. The structure follows:
tree, loops, coordinates, constraints, degrees of freedom, planar parts. Loops
are closed in numbers: rank, redundant constraints, partition and its blocks.
--independent asks for a partition; it is kept to, or refused with the reason.
The exit code is 1 if there are errors; warnings alone leave it 0.

A model is a file of Rotule (.toml), URDF, SDF, MJCF or ROBOTRAN (.mbs).
--with adds what such a file lacks: loops, laws, sensors, initial values.

Examples:
  rotule check examples/four_bar_joint.toml
  rotule check examples/formats/arm.urdf --floating-base
  rotule check examples/formats/arm.urdf --with examples/formats/arm_spring.toml
  rotule check examples/train_20.toml --json";

const ASSEMBLE: &str = "\
The initial values of the model are the guess; they are changed as little as
closing takes. Driven and locked joints stay, and those of --keep. Independent
speeds stay, dependent ones follow. What is written replaces [initial.q] and
[initial.qd] of the model file.

Examples:
  rotule assemble examples/four_bar_joint.toml
  rotule assemble examples/four_bar_joint.toml --keep q1 --json";

/// A number; a minus may have a blank before it.
fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "not a number".to_owned())
}

/// A number above zero.
fn positive(text: &str) -> Result<f64, String> {
    match number(text) {
        Ok(found) if found > 0.0 && found <= 1e6 => Ok(found),
        _ => Err("not a number above zero and up to a million".to_owned()),
    }
}

const BENCH: &str = "\
The C of each function, with all parameters as numbers, is compiled with -O3
-march=native and called at 64 random states in turn; native code of this
process likewise. Numbers are compared first: what differs by more than 1e-9 is
an error and is not timed. All codes take turns on one processor. Instructions
are counted step by step. The ratio is the time over that of our fastest.

Functions: inverse, mass, direct, inverse_derivatives, direct_derivatives (by q
and qd together) are compared with other codes; any other function is measured
alone. Without --functions it is these five.

--against fetches other codes from PyPI (pip, a private environment in the cache
folder) and compiles drivers for them; this takes minutes the first time.
Nothing is fetched without it.

Exit codes: 0 measured; 1 not, or numbers differ; 2 arguments make no sense.

Examples:
  rotule bench examples/puma560.toml
  rotule bench examples/puma560.toml --functions inverse --against casadi
  rotule bench robot.urdf --floating-base --against pinocchio,casadi --batch";

const SIMULATE: &str = "\
Loops are closed at every step. Channels: coordinates, speeds, accelerations,
energies, links, sensors; and wheels, drives, multipliers, or all.

Constraints: partition closes them exactly (the default); projection, baumgarte
(=RATE, =ALPHA,BETA or =model) and unstabilised integrate all coordinates;
index3 has multipliers as unknowns, for generalised-alpha, hht and newmark with
--dt. Threshold: auto, never, or a number above one.

Exit codes: 0 the end was reached; 1 nothing could be computed; 2 arguments make
no sense; 3 no further step was possible; 4 results cannot be written;
130 interrupted. Results up to there are kept.

Examples:
  rotule simulate examples/slider_crank.toml --to 2
  rotule simulate examples/double_pendulum.toml --to 10 --out motion.csv";

const STUDY: &str = "\
Laws: NAME=FROM..TO:N is N numbers of a grid, all of which are combined;
NAME~normal(MEAN,SD) and NAME~uniform(A,B) are random. NAME is a parameter, or
an initial coordinate, speed or state. The same seed gives the same numbers.

Kinds: last, min, max, mean, rms, of any channel of `rotule simulate`. Without
--measure, all coordinates at the end.

Motions go by rk4, several at once. One that needs other independent coordinates
or does not close is run again alone: its status is 1. Failed ones have 2.

Exit codes: as of `rotule simulate`; 3 if no sample reached the end.

Examples:
  rotule study examples/slider_crank.toml --to 1 --dt 1e-3 --vary q1.d=1..9:9
  rotule study examples/double_pendulum.toml --to 5 --dt 1e-3 \\
    --vary 'q1~normal(0.3,0.05)' --samples 1000 --measure q2:max --out s.csv";

const CONVERT: &str = "\
What a foreign format has and Rotule does not take is reported, element by
element. Rounded angles such as 1.5708 become exact.

Examples:
  rotule convert examples/formats/arm.urdf
  rotule convert examples/formats/arm.urdf --merge-fixed
  rotule convert examples/formats/arm.mbs --out arm.toml";

const COUNT: &str = "\
One line for each formalism that can write a function, the cheapest marked.
`rotule eval --help` lists the functions.

Examples:
  rotule count examples/cart_pole.toml
  rotule count examples/puma560.toml --functions inverse,mass_bias
  rotule count examples/kuka_iiwa14.toml --functions inverse --json
  rotule count examples/robots/panda7.urdf --steps";

const EVAL: &str = "\
A state is JSON: { \"t\": 0, \"q\": { \"q1\": 0.3, \"leg\": [1, 0, 0, 0] }, \"qd\": .. }
with q, qd, qdd, effort and parameters, by name or as lists in the model's
order. What is left out is as at the start of the model, or zero.

Examples:
  rotule eval examples/sliding_pendulum.toml mass
  rotule eval examples/puma560.toml inverse --random 7 --json
  rotule eval examples/cart_pole.toml bias --set l=0.8 --formalism classical
  rotule eval examples/cart_pole.toml inverse --state examples/cart_pole.json
  rotule eval examples/heavy_top.toml bias --random 1 --show-state

Functions:
";

const GENERATE: &str = "\
The folder gets the sources and a demo that calls each function once at the
model's initial state. Parameters stay arguments of a setup function unless
they are frozen. Documents hold the equations of motion unless functions are
named. `rotule eval --help` lists the functions.

C and Rust compute sines and cosines of three and more angles at once by code of
their own (packed), unless it is for people to read; other languages call their
library, one by one. With --batch, both have functions of many states, too.

Legs, arms and other parts that are alike are written once in C and computed
at once, in the lanes of vectors: with --size small wherever there are such
parts, with fast where most of a function is made of them, with straight never;
auto is fast, and small where straight code would leave the cache.

With --entries stored, a matrix that is symmetric or has zeros is written as the
list of its entries, row by row: the upper half of a symmetric one, and of all
what is not zero. Where each belongs is said beside it, in C in tables, too.

Examples:
  rotule generate examples/puma560.toml --lang c --out puma
  rotule generate examples/cart_pole.toml --lang c --readable --out cart
  rotule generate examples/pendulum.toml --lang c --freeze all --out pendulum
  rotule generate examples/puma560.toml --lang c --functions mass --out mass
  rotule generate examples/furuta.toml --lang latex --out furuta

Languages:
";

/// The help of `generate`, with the table of languages.
fn generate_help() -> String {
    let row = |(name, about, _): (&str, &str, Target)| format!("  {name:<12}{about}\n");
    let rows: Vec<String> = rotule::targets().map(row).collect();
    format!("{GENERATE}{}", rows.concat())
}

/// The help of `eval`, with the table of functions.
fn eval_help() -> String {
    let mut text = EVAL.to_owned();
    for row in FUNCTIONS {
        let name = usage(row);
        // A long name has a line of its own.
        let mut line = format!("  {name:<20}");
        let room = 22;
        if name.len() > room - 3 {
            text.push_str(&line);
            text.push('\n');
            line = " ".repeat(room);
        }
        for word in row.about.split(' ') {
            if line.len() + 1 + word.len() > 80 {
                text.push_str(line.trim_end());
                text.push('\n');
                line = " ".repeat(room);
            }
            line.push_str(if line.len() > room || line.ends_with(' ') { "" } else { " " });
            line.push_str(word);
            line.push(' ');
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.trim_end().to_owned()
}

const EQUATIONS: &str = "\
Equations stand without the variables of recursions where they are short
enough, as one would write them by hand; otherwise variables get lines of their
own. Without FUNCTION: M, c and Q of M qdd + c = Q, the accelerations of small
systems, and the efforts that driven joints need. Speeds are NAME.d,
accelerations NAME.dd. LaTeX needs amsmath and is ready for \\input.

Examples:
  rotule equations examples/sliding_pendulum.toml
  rotule equations examples/sliding_pendulum.toml --driven q1
  rotule equations examples/double_pendulum.toml mass --latex
  rotule equations examples/puma560.toml gravity --formalism classical";

/// Lets an expression begin with a minus sign: a blank before it keeps clap from taking it for an
/// option. No option of ours has one letter, but for the two of clap.
pub fn with_signs(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut literal = false;
    let mut words: Vec<OsString> = words.collect();
    for index in 1..words.len() {
        literal |= words[index] == "--";
        let path = words[index - 1] == "--file";
        let text = words[index].to_string_lossy();
        let option = text.starts_with("--") || matches!(&*text, "-" | "-h" | "-V");
        if text.starts_with('-') && !option && !literal && !path {
            let mut shielded = OsString::from(" ");
            shielded.push(&words[index]);
            words[index] = shielded;
        }
    }
    words
}

/// Takes the blank of [`with_signs`] away again.
fn unsigned(word: &str) -> Result<String, std::convert::Infallible> {
    Ok(word.strip_prefix(' ').filter(|rest| rest.starts_with('-')).unwrap_or(word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn help_fits_the_narrowest_terminal() {
        let mut command = Arguments::command();
        command.build();
        let names: Vec<String> =
            command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
        let mut helps = vec![command.render_long_help().to_string()];
        for name in names {
            let verb = command.find_subcommand_mut(&name).unwrap();
            helps.push(verb.render_help().to_string());
            helps.push(verb.render_long_help().to_string());
        }
        for line in helps.iter().flat_map(|help| help.lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn an_expression_may_begin_with_a_minus() {
        let check = |words: &[&str], expressions: &[&str]| {
            let words = ["rotule", "simplify"].iter().chain(words).map(OsString::from);
            let arguments = Arguments::try_parse_from(with_signs(words)).unwrap();
            let Some(Verb::Simplify(common)) = arguments.verb else { panic!("simplify") };
            assert_eq!(common.expressions, expressions);
        };
        check(&["-x + y", "--count"], &["-x + y"]);
        check(&["--latex", "-1"], &["-1"]);
        check(&["x", "-", "-y"], &["x", "-", "-y"]);
        check(&["--", "-x", "--x"], &["-x", "--x"]);
        check(&["x", "--assume", "-y"], &["x"]);
    }
}
