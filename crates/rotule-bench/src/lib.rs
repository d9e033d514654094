//! `rotule bench`: how fast the code of a model is, beside that of others.
//!
//! ```text
//! table --subject--> programs, C --build--> libraries --harness--> numbers, instructions, times --report--> text, JSON
//!        --peers---> other codes -------^
//! ```
//!
//! All code is compiled alike and offers the same three functions, which a driver in C calls.
//! Numbers are compared before anything is timed; where they differ there is no time and no ratio.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod build;
mod compiler;
mod harness;
mod native;
mod peers;
mod plain;
mod report;
mod subject;
mod table;

pub use harness::Times;
pub use report::{BenchGroup, BenchReport, BenchRow, BenchVerdict, Who};
pub use table::{BenchComparison, BenchVariant, COMPARISONS, Peer, Third};

use build::{Fresh, Job, Workshop};
use harness::{Harness, Library, code_bytes, difference};
use native::Native;
use plain::Plain;
use rotule_emit::{Package, Size};
use rotule_formalism::aliases::{Names, canonical};
use rotule_formalism::{ModelFunction, MultibodySystem, Problem};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use subject::{States, Subject};

/// Options of a benchmark.
#[derive(Clone, Debug)]
pub struct BenchOptions<'a> {
    /// Names of comparisons or functions; the whole table without.
    pub functions: Option<&'a str>,
    /// Other codes to compare with, which come from PyPI.
    pub against: &'a [Peer],
    /// `true` if batches of states are measured, too.
    pub batch: bool,
    /// Number of times that each time is taken.
    pub repeats: usize,
    /// Shortest duration of each repeat, in milliseconds.
    pub milliseconds: f64,
    /// `gcc`, `clang` or `both`.
    pub compiler: &'a str,
    /// Becomes true when the measurement is to end: compilers and drivers then end at once.
    pub stop: Arc<AtomicBool>,
}

impl Default for BenchOptions<'_> {
    /// All comparisons by both compilers and beside no other codes, 25 times for 20 ms each.
    fn default() -> Self {
        BenchOptions {
            functions: None,
            against: &[],
            batch: false,
            repeats: 25,
            milliseconds: 20.0,
            compiler: "both",
            stop: Arc::default(),
        }
    }
}

/// A larger relative difference is an error.
pub const TOLERANCE: f64 = 1e-9;

/// A comparison, with our ways to it.
#[derive(Clone, Debug)]
struct RequestedFunction {
    name: String,
    title: String,
    ways: Vec<Subject>,
    peers: &'static [(Peer, &'static str)],
    third: Third,
}

/// A library that is to be built, and what is known of it.
#[derive(Clone, Debug)]
struct Pending {
    /// The position of its comparison.
    group: usize,
    who: Who,
    /// The detail that tells it apart from others of the same code.
    detail: String,
    compiler: &'static str,
    operations: Option<u64>,
    batch: bool,
    /// The object file with the code itself.
    object: Option<&'static str>,
    job: Job,
    function: String,
    model: PathBuf,
}

/// Functions of a model that are to be written.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// The functions.
    pub functions: &'a [&'a str],
    /// The beginning of generated names.
    pub prefix: &'a str,
    /// The form of isomorphic parts.
    pub size: Size,
    /// `true` if functions of many states are written, too.
    pub batch: bool,
}

/// A function that writes functions of a model as a package. This crate measures code and does not
/// know how a model becomes one.
pub type PackageWriter<'a> = &'a dyn Fn(&MultibodySystem, &Written<'_>) -> Result<Package, Problem>;

/// Measures a model whose parameters are numbers. `hear` is told what is done.
pub fn bench(
    tree: &MultibodySystem,
    writer: PackageWriter<'_>,
    options: &BenchOptions<'_>,
    hear: &mut (dyn FnMut(&str) + Send),
) -> Result<BenchReport, Problem> {
    let reason = |what: String| Problem::new(what, "");
    if !cfg!(target_os = "linux") {
        return Err(Problem::new("benchmarks run on Linux only", "measure on a Linux machine"));
    }
    let mut notes = Vec::new();
    let names = options.functions.map(|list| names(tree, list)).transpose()?;
    hear("generating");
    let requested = requested((tree, writer), options, names.as_deref(), &mut notes)?;
    let compilers = compiler::find(options.compiler).map_err(|what| {
        Problem::new(
            what,
            "install one (on Debian: apt-get install gcc), or name another by --compiler",
        )
    })?;
    let shop = Workshop::new(Arc::clone(&options.stop)).map_err(reason)?;
    let folder = Fresh::new(&std::env::temp_dir()).map_err(reason)?;
    let states = States::random(tree);
    let harness = Harness::new(&shop, &compilers[0], &folder.0, &states.bytes()).map_err(reason)?;
    let mut pending = Vec::new();
    for (group, one) in requested.iter().enumerate() {
        for way in &one.ways {
            for compiler in &compilers {
                // Batches are written in one way only.
                let kinds = [false, true]
                    .into_iter()
                    .filter(|batch| !batch || (options.batch && !way.again));
                for batch in kinds {
                    let Some(job) = way.job(compiler, &states, batch)? else { continue };
                    pending.push(Pending {
                        group,
                        who: Who::Rotule,
                        detail: way.word.clone(),
                        compiler: compiler.name,
                        operations: Some(way.operations),
                        batch,
                        object: Some("code.o"),
                        job,
                        function: way.label.clone(),
                        model: PathBuf::from("-"),
                    });
                }
            }
        }
    }
    if !options.against.is_empty() {
        match Plain::new(&tree.mechanism) {
            Err(what) => notes.push(format!("no other code is compared: {what}")),
            Ok(plain) => {
                let ground = peers::Ground {
                    shop: &shop,
                    compilers: &compilers,
                    plain: &plain,
                    requested: &requested,
                    batch: options.batch,
                };
                peers::prepare(options.against, &ground, hear);
                for &peer in options.against {
                    match peers::pending(peer, &ground, hear) {
                        Ok(found) => pending.extend(found),
                        Err(what) => notes.push(format!("{}: {what}", peer.title())),
                    }
                }
            }
        }
    }
    // The largest first, so that none is left alone at the end; each job once.
    let mut jobs: Vec<Job> = Vec::new();
    for one in &pending {
        if !jobs.contains(&one.job) {
            jobs.push(one.job.clone());
        }
    }
    jobs.sort_by_key(|job| {
        std::cmp::Reverse(job.files.iter().map(|file| file.1.len()).sum::<usize>())
    });
    let built = shop.build_all(&jobs, hear);
    let mut groups = Vec::new();
    let mut core = -1;
    let mut busy = Busy::default();
    for (at, one) in requested.iter().enumerate() {
        hear(&format!("checking {}", one.name));
        let expected = one.ways[0].expected(tree, &states)?;
        let size = one.ways[0].size();
        let mut rows = Vec::new();
        let mut libraries: Vec<(usize, Library)> = Vec::new();
        for pending in pending.iter().filter(|pending| pending.group == at) {
            let place = jobs.iter().position(|job| *job == pending.job);
            let place = place.expect("all jobs are in the list");
            let mut row = BenchRow::new(pending);
            match &built[place] {
                Err(what) => row.verdict = BenchVerdict::Failed(what.clone()),
                Ok(folder) => {
                    let library = Library {
                        path: folder.join("contender.so"),
                        function: pending.function.clone(),
                        model: pending.model.clone(),
                    };
                    row.bytes = pending.object.and_then(|name| code_bytes(&folder.join(name)));
                    row.verdict = check(&harness, &library, size, &expected, &mut row.lanes);
                    if matches!(row.verdict, BenchVerdict::Agrees(_)) {
                        row.instructions = harness.count(&library).ok();
                        libraries.push((rows.len(), library));
                    }
                }
            }
            rows.push(row);
        }
        hear(&format!("timing {}", one.name));
        let since = Busy::now();
        let list: Vec<&Library> = libraries.iter().map(|(_, library)| library).collect();
        if !list.is_empty() {
            let (times, ran) =
                harness.time(&list, options.repeats, options.milliseconds).map_err(reason)?;
            core = ran;
            for ((row, _), times) in libraries.iter().zip(times) {
                rows[*row].times = Some(times);
            }
        }
        native::pin(core);
        for way in one.ways.iter().filter(|way| !way.again) {
            rows.push(own(way, tree, &states, &expected, options, false));
            if options.batch {
                rows.push(own(way, tree, &states, &expected, options, true));
            }
        }
        busy.add(since);
        groups.push(BenchGroup { name: one.name.clone(), title: one.title.clone(), rows });
    }
    let mechanism = &tree.mechanism;
    Ok(BenchReport {
        model: mechanism.name.clone(),
        speeds: mechanism.speeds.len(),
        states: states.list.len(),
        repeats: options.repeats,
        milliseconds: options.milliseconds,
        core,
        compilers: compilers.iter().map(|one| one.version.clone()).collect(),
        flags: compiler::FLAGS.join(" "),
        others: busy.others(),
        groups,
        notes,
    })
}

/// Native code of this process.
fn own(
    way: &Subject,
    tree: &MultibodySystem,
    states: &States,
    expected: &[f64],
    options: &BenchOptions<'_>,
    batch: bool,
) -> BenchRow {
    let mut row = BenchRow {
        who: Who::Native,
        detail: way.word.clone(),
        compiler: "none",
        operations: Some(way.operations),
        batch,
        ..BenchRow::default()
    };
    let made =
        Native::new(way, tree, states, batch).and_then(|mut made| Ok((made.results(way)?, made)));
    match made {
        Err(what) => row.verdict = BenchVerdict::Failed(what),
        Ok((results, mut made)) => {
            row.lanes = made.width;
            row.verdict = BenchVerdict::of(difference(&results, expected, way.size()));
            if matches!(row.verdict, BenchVerdict::Agrees(_)) {
                match made.time(options.repeats, options.milliseconds) {
                    Ok(times) => row.times = Some(times),
                    Err(what) => row.verdict = BenchVerdict::Failed(what),
                }
            }
        }
    }
    row
}

/// The distance of a library's results from the expected ones.
fn check(
    harness: &Harness,
    library: &Library,
    size: usize,
    expected: &[f64],
    lanes: &mut usize,
) -> BenchVerdict {
    match harness.check(library, size) {
        Err(what) => BenchVerdict::Failed(what),
        Ok((results, found)) => {
            *lanes = found;
            if results.is_empty() && size > 0 {
                return BenchVerdict::Failed("it gave no results".to_owned());
            }
            BenchVerdict::of(difference(&results, expected, size))
        }
    }
}

/// The names of a list, each of which is known.
fn names(tree: &MultibodySystem, list: &str) -> Result<Vec<String>, Problem> {
    let fault = |fault| Problem::new(format!("--functions: {fault}"), "such as inverse,mass");
    let mut names = Vec::new();
    for item in rotule_symbolic::list::items(list).map_err(fault)? {
        let word = &list[item];
        let known = canonical(Names::Comparison, word);
        let name = match COMPARISONS.iter().any(|one| one.name == known) {
            true => known.to_owned(),
            false => ModelFunction::parse(word, tree)?.canonical,
        };
        if names.contains(&name) {
            let message = format!("--functions: `{word}` is named twice");
            return Err(Problem::new(message, "name each function once"));
        }
        names.push(name);
    }
    Ok(names)
}

/// The comparisons: those of the table, or the named ones.
fn requested(
    model: (&MultibodySystem, PackageWriter<'_>),
    options: &BenchOptions<'_>,
    names: Option<&[String]>,
    notes: &mut Vec<String>,
) -> Result<Vec<RequestedFunction>, Problem> {
    let mut all = Vec::new();
    let Some(names) = names else {
        for one in COMPARISONS {
            match known(model, one, options.batch) {
                Ok(found) => all.push(found),
                Err(problem) => notes.push(format!("{}: {}", one.name, problem.message)),
            }
        }
        if all.is_empty() {
            let message = notes.join("; ");
            return Err(Problem::new(format!("no function can be measured: {message}"), ""));
        }
        return Ok(all);
    };
    for name in names {
        match COMPARISONS.iter().find(|one| one.name == *name) {
            Some(one) => all.push(known(model, one, options.batch)?),
            None => all.push(RequestedFunction {
                name: name.to_owned(),
                title: name.to_owned(),
                ways: Subject::all(model, "", &[name], &[], options.batch)?,
                peers: &[],
                third: Third::Nothing,
            }),
        }
    }
    Ok(all)
}

/// A comparison of the table with those of our ways that this model has.
fn known(
    model: (&MultibodySystem, PackageWriter<'_>),
    one: &BenchComparison,
    batch: bool,
) -> Result<RequestedFunction, Problem> {
    let mut ways = Vec::new();
    let mut refused = None;
    for way in one.ours {
        match Subject::all(model, way.word, way.functions, way.outputs, batch) {
            Ok(subjects) => ways.extend(subjects),
            Err(problem) => refused = refused.or(Some(problem)),
        }
    }
    if let (true, Some(problem)) = (ways.is_empty(), refused) {
        return Err(problem);
    }
    Ok(RequestedFunction {
        name: one.name.to_owned(),
        title: one.title.to_owned(),
        ways,
        peers: one.peers,
        third: one.third,
    })
}

/// The load of all processors while we measure, from the counters of the system.
#[derive(Default)]
struct Busy {
    busy: f64,
    all: f64,
}

impl Busy {
    /// Ticks that processors worked and ticks in all, since the machine was started.
    fn now() -> Option<[f64; 2]> {
        let text = std::fs::read_to_string("/proc/stat").ok()?;
        let line = text.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<f64> =
            line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        // Guests are counted among the first two already.
        let all: f64 = ticks.iter().take(8).sum();
        let idle = ticks.get(3)? + ticks.get(4)?;
        Some([all - idle, all])
    }

    /// Adds what has passed since.
    fn add(&mut self, since: Option<[f64; 2]>) {
        if let (Some(before), Some(after)) = (since, Busy::now()) {
            self.busy += after[0] - before[0];
            self.all += after[1] - before[1];
        }
    }

    /// Number of processors that others used in the mean: all that worked, but the one that was
    /// ours.
    fn others(&self) -> Option<f64> {
        let processors = std::fs::read_to_string("/proc/stat").ok()?;
        let numbered = |line: &&str| line.starts_with("cpu") && !line.starts_with("cpu ");
        let processors = processors.lines().filter(numbered).count() as f64;
        let used = (self.all > 0.0).then(|| self.busy / self.all * processors)?;
        Some((used - 1.0).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rotule_formalism::{aliases, normalise};
    use rotule_model::{ReadOptions, load_text};

    #[test]
    fn what_is_measured_has_other_names() {
        let text = include_str!("../../../examples/pendulum.toml");
        let model = load_text("pendulum.toml", text, &ReadOptions::default());
        let tree = normalise(model.unwrap_or_else(|_| panic!("the example is good")));
        for (alias, name) in aliases::of(Names::Comparison) {
            assert_eq!(names(&tree, alias).ok(), Some(vec![name.to_owned()]));
        }
        let found = names(&tree, "forward,crba,derivative(fd, q)");
        let expected = ["forward", "mass", "derivative(forward, q)"].map(str::to_owned).to_vec();
        assert_eq!(found.ok(), Some(expected));
        for twice in ["direct,forward", "direct_derivatives,forward_derivatives"] {
            let problem = names(&tree, twice).expect_err(twice);
            assert!(problem.message.contains("is named twice"), "{}", problem.message);
        }
    }
}
