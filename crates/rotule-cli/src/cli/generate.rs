//! The command `generate`: a folder of source code or a document, written whole or not at all.

use super::expressions::read_equations;
use super::failure::Failure;
use super::functions::{RequestedFormalism, assign, error, expected, failure, formalism};
use super::models::{Loops, Model, open};
use super::session::Session;
use super::{input, output};
use clap::Args;
use rotule::generate::{File, Size, Trig};
use rotule::layers::formalism::aliases::{self, Names};
use rotule::layers::symbolic::likely;
use rotule::layers::to_freeze;
use rotule::program::{generate_program, read_program};
use rotule::{Language, NamedGroup};
use std::ffi::OsStr;

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Generate {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// The language, such as c or python; see below.
    #[arg(long, value_name = "NAME", value_parser = language)]
    pub lang: Language,

    /// The functions [default: inverse,forward,mass_bias].
    #[arg(long, value_name = "LIST")]
    pub functions: Option<String>,

    /// A group that shares work: NAME=FUNCTIONS; repeatable.
    #[arg(long, value_name = "GROUP", value_parser = str::parse::<NamedGroup>)]
    pub group: Vec<NamedGroup>,

    /// The folder to write; it is made, or must be empty.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Names for people instead of short ones.
    #[arg(long)]
    pub readable: bool,

    /// Parameters to write as numbers, or all.
    #[arg(long, value_name = "NAMES")]
    pub freeze: Option<String>,

    /// Set a parameter, in SI or as "500 mm"; repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Prefix of names [default: the model's name].
    #[arg(long, value_name = "NAME")]
    pub prefix: Option<String>,

    /// The formalism, such as newton-euler.
    #[arg(long, value_name = "NAME", value_parser = formalism, default_value = "auto")]
    pub formalism: RequestedFormalism,

    /// Trials in search of fewer operations.
    #[arg(long, value_name = "N", default_value = "0", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub effort: u32,

    /// Code of sines: library or simd.
    #[arg(long, value_name = "WHO", value_parser = trig, default_value = "auto")]
    pub trig: Trig,

    /// Functions of many states at once, too.
    #[arg(long)]
    pub batch: bool,

    /// small, fast, straight or slots; below.
    #[arg(long, value_name = "WORD", value_parser = size, default_value = "auto")]
    pub size: Size,

    /// Entries of matrices: all or packed.
    #[arg(long, value_name = "WORD", value_parser = entries, default_value = "all")]
    pub entries: Entries,

    /// Output how each iteration ended, too: see below.
    #[arg(long)]
    pub status: bool,

    /// Replace files in a folder that is not empty.
    #[arg(long)]
    pub force: bool,
}

/// The longest text of a program, in bytes.
const MAX_PROGRAM: usize = 1 << 28;

const HELP: &str = "\
The folder gets the sources and a demo that calls each function once at the
model's initial state. Parameters stay arguments of a setup function unless
they are frozen. Documents hold the equations of motion unless functions are
named. `rotule eval --help` lists the functions, also by other names: `forward`,
`aba`, `rnea`, `crba`. What is written has the names that were given.

C and Rust compute sines and cosines of three and more angles at once by a SIMD
sincos of their own, unless the code is --readable; other languages call their
library, one by one. With --batch, both have functions of many states, too.

Isomorphic subgraphs of a program, such as those of legs and arms, are written
once in C and computed at once in SIMD lanes (SLP vectorisation): with --size
small wherever there are any, with fast where most of a function is made of
them, with straight never; auto is fast, and small where straight code would
leave the cache. Links of a chain and wagons of a train, which depend on each
other, are re-rolled into loops: with small wherever that is less code, with
auto where straight code would be huge. With --size slots, C is straight and its
temporaries share as few places as the lives of their values allow.

With --entries packed, a matrix that is symmetric or has zeros is written in
packed storage: the list of its entries, row by row, of a symmetric one those of
the upper half, without zeros. A comment states where each belongs; C has tables
of it, too.

MODEL may be equations of your own (FILE.eq, see `rotule simplify --help`) or a
program that --lang program wrote (FILE.program).

With --status, functions that close loops or find contacts have one more output,
`status`: a row for each iteration with its iterations, whether it converged,
the largest residual, and the largest correction of its unknowns. See the
manual, \"How iterations end\", for what to do with them.

With --group, functions that are called at the same states share work: what at
least two of them need, and what depends on neither accelerations, efforts nor
inputs, is computed by one function, NAME_shared, once per state, and the others
take it as the array `shared`. C has a structure PREFIX_NAME and a function
PREFIX_NAME_update that does so at most once per state. How functions are
grouped changes no number.

Examples:
  rotule generate examples/puma560.toml --lang c --out puma
  rotule generate examples/cart_pole.toml --lang c --readable --out cart
  rotule generate examples/pendulum.toml --lang c --freeze all --out pendulum
  rotule generate examples/puma560.toml --lang c --functions mass --out mass
  rotule generate examples/furuta.toml --lang latex --out furuta
  rotule generate examples/oscillator.eq --lang c --out van
  rotule generate examples/puma560.toml --lang c --group a=inverse,mass --out a

Languages:
";

/// The text that `--help` adds, with the table of languages.
pub fn help() -> String {
    let row = |(one, name): &(Language, &str)| format!("  {name:<12}{}\n", one.about());
    let rows: Vec<String> = Language::ALL.iter().map(row).collect();
    let others = aliases::listed(aliases::of(Names::Language), 78).replace('\n', "\n  ");
    format!("{HELP}{}\nOther names:\n  {others}", rows.concat())
}

/// The entries of matrices that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entries {
    All,
    Packed,
}

fn entries(word: &str) -> Result<Entries, String> {
    match aliases::canonical(Names::Entries, word) {
        "all" => Ok(Entries::All),
        "packed" => Ok(Entries::Packed),
        _ => Err(expected(Names::Entries, word, &["all", "packed"])),
    }
}

/// The way to compute sines and cosines, by name.
fn trig(name: &str) -> Result<Trig, String> {
    match aliases::canonical(Names::Trig, name) {
        "auto" => Ok(Trig::Auto),
        "library" => Ok(Trig::Library),
        "simd" => Ok(Trig::Simd),
        _ => Err(expected(Names::Trig, name, &["auto", "library", "simd"])),
    }
}

/// The way to write isomorphic subgraphs, by name: once, or each for itself.
fn size(word: &str) -> Result<Size, String> {
    match word {
        "auto" => Ok(Size::Auto),
        "small" => Ok(Size::Small),
        "fast" => Ok(Size::Fast),
        "straight" => Ok(Size::Straight),
        "slots" => Ok(Size::Slots),
        _ => Err(likely(word, ["auto", "small", "fast", "straight", "slots"])),
    }
}

/// A language of code or a kind of document by its name.
fn language(name: &str) -> Result<Language, String> {
    Language::named(name).map_err(|_| {
        let names: Vec<&str> = Language::ALL.iter().map(|(_, name)| *name).collect();
        expected(Names::Language, name, &names)
    })
}

/// `rotule generate`
pub fn generate(arguments: &Generate, session: &Session) -> Result<(), Failure> {
    // A slash at the end of a folder's name says nothing.
    let out: PathBuf = arguments.out.components().collect();
    // An output folder that cannot be written is reported before anything is computed.
    check_place(&out, arguments.force)?;
    if let Some(files) = without_mechanism(arguments)? {
        return write(arguments, &out, &files, session);
    }
    let mut model = open(&arguments.model, Some(&arguments.loops))?;
    assign(&arguments.set, &mut model)?;
    if let Some(list) = &arguments.freeze {
        let names = to_freeze(model.mechanism(), list).map_err(failure)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        model.freeze(&names).map_err(error)?;
    }
    // The library takes lists apart, for functions have commas of their own.
    let functions: Vec<&str> = arguments.functions.as_deref().into_iter().collect();
    let mut generator = model
        .generator(arguments.lang)
        .functions(&functions)
        .groups(&arguments.group)
        .readable(arguments.readable)
        .effort(arguments.effort)
        .size(arguments.size)
        .trig(arguments.trig)
        .batch(arguments.batch)
        .packed_storage(arguments.entries == Entries::Packed)
        .status(arguments.status);
    if let Some(formalism) = arguments.formalism.0 {
        generator = generator.formalism(formalism);
    }
    if let Some(prefix) = &arguments.prefix {
        generator = generator.prefix(prefix);
    }
    let mut hear = |function: &str| {
        output::doing(&format!("generating {function}"));
        ControlFlow::Continue(())
    };
    let made = generator.generate_with(&mut hear);
    write(arguments, &out, &made.map_err(error)?.files, session)
}

/// Source code of what is no mechanism: equations of the user's own (`.eq`), or a program
/// (`.program`); nothing if the file is a model.
fn without_mechanism(arguments: &Generate) -> Result<Option<Vec<File>>, Failure> {
    let path = &arguments.model.model;
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    if !matches!(ending, "eq" | "program") {
        return Ok(None);
    }
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or("equations");
    let name = arguments.prefix.as_deref().unwrap_or(stem);
    let only = "takes --lang, --out, --prefix and --force only";
    if arguments.functions.is_some() || arguments.freeze.is_some() || !arguments.set.is_empty() {
        let name = path.display();
        return Err(Failure::Text(format!("error: {name}: a file without a mechanism {only}\n")));
    }
    let made = match ending {
        "eq" => read_equations(path)?.1.generate(arguments.lang, name),
        _ => {
            let source = input::file(path, MAX_PROGRAM)?;
            let program = read_program(&source.text);
            let place = |one| Failure::Text(format!("error: {}: {}\n", source.name, one));
            generate_program(program.map_err(place)?, arguments.lang, name, &[])
        }
    };
    Ok(Some(made.map_err(error)?.files))
}

/// Writes the files and says so.
fn write(
    arguments: &Generate,
    out: &Path,
    files: &[File],
    session: &Session,
) -> Result<(), Failure> {
    // Writing takes a moment, and half a folder helps nobody.
    session.writing();
    write_folder(out, files, arguments.force)?;
    if output::is_quiet() {
        return Ok(());
    }
    let mut text = format!("{}\n", arguments.out.display());
    for file in files {
        let lines = file.text.lines().count();
        text += &format!("  {:<32} {lines:>7} lines\n", file.name);
    }
    output::result(&text)
}

/// Refuses a place that cannot become the folder.
fn check_place(path: &Path, force: bool) -> Result<(), Failure> {
    let name = path.display().to_string();
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure::WriteFile { name, error }),
        Ok(found) if !found.is_dir() => Err(Failure::NotAFolder { name }),
        Ok(_) => {
            let mut entries =
                fs::read_dir(path).map_err(|error| Failure::Read { name: name.clone(), error })?;
            if !force && entries.next().is_some() {
                return Err(Failure::NotEmpty { name });
            }
            Ok(())
        }
    }
}

/// Writes all files into a folder beside the place first; only when all is on the disk it is moved
/// there. Files of a folder that is not empty are replaced one by one, and the others are left
/// alone.
fn write_folder(path: &Path, files: &[File], force: bool) -> Result<(), Failure> {
    let fail = |place: &Path, error: io::Error| Failure::WriteFile {
        name: place.display().to_string(),
        error,
    };
    check_place(path, force)?;
    // Nothing is replaced unless everything can be.
    if let Some(file) = files.iter().find(|file| path.join(&file.name).is_dir()) {
        let name = path.join(&file.name).display().to_string();
        return Err(Failure::NotAFile { name });
    }
    // A path such as `..` has no name to put anything beside.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Some(parent) = place.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(|error| fail(parent, error))?;
    }
    let mut beside = place.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = write_all(&beside, files).and_then(|()| move_all(&beside, &place, files));
    if written.is_err() {
        let _ = fs::remove_dir_all(&beside);
    }
    written.map_err(|(at, error)| fail(&at, error))
}

fn write_all(folder: &Path, files: &[File]) -> Result<(), (PathBuf, io::Error)> {
    fs::create_dir(folder).map_err(|error| (folder.to_owned(), error))?;
    for file in files {
        let at = folder.join(&file.name);
        let written = fs::write(&at, &file.text)
            .and_then(|()| fs::File::open(&at))
            .and_then(|file| file.sync_all());
        written.map_err(|error| (at, error))?;
    }
    Ok(())
}

/// Moves the folder into its place; if files exist already, moves file by file.
fn move_all(folder: &Path, place: &Path, files: &[File]) -> Result<(), (PathBuf, io::Error)> {
    let empty = fs::read_dir(place).map_or(true, |mut entries| entries.next().is_none());
    if empty && fs::rename(folder, place).is_ok() {
        return Ok(());
    }
    fs::create_dir_all(place).map_err(|error| (place.to_owned(), error))?;
    for file in files {
        let to = place.join(&file.name);
        fs::rename(folder.join(&file.name), &to).map_err(|error| (to, error))?;
    }
    fs::remove_dir(folder).map_err(|error| (folder.to_owned(), error))
}
