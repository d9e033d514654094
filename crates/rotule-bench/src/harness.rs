//! The driver: a small C program that checks, counts and times libraries which are all made alike.
//!
//! That it is C, and a process of its own, keeps the measurement fair: no language calls the
//! libraries of another, and a library that fails takes nobody with it.

use super::build::{Job, Workshop, command, run};
use super::compiler::Compiler;
use super::subject::CONTENDER;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A library that can be checked, counted and timed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// The file.
    pub path: PathBuf,
    /// The requested function; some know only one.
    pub function: String,
    /// The model that it reads; some know only one.
    pub model: PathBuf,
}

impl Library {
    fn words(&self) -> [String; 3] {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        [text(&self.path), self.function.clone(), text(&self.model)]
    }
}

/// The time of a library, per state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// The least, in nanoseconds.
    pub least: f64,
    /// The median.
    pub median: f64,
}

/// The driver with a folder for what it reads and writes.
pub struct Harness {
    program: PathBuf,
    folder: PathBuf,
    /// Becomes true when the driver is to end.
    stop: Arc<AtomicBool>,
}

/// No check or count takes this long.
const LIMIT: Duration = Duration::from_secs(300);

impl Harness {
    /// The build of the driver.
    pub fn job(compiler: &Compiler) -> Job {
        Job {
            title: "the driver".to_owned(),
            files: vec![
                ("contender.h".to_owned(), CONTENDER.to_owned()),
                ("driver.c".to_owned(), include_str!("drivers/driver.c").to_owned()),
            ],
            commands: vec![command(&[compiler.c, "-O2", "-w", "-o", "driver", "driver.c", "-ldl"])],
            origin: compiler.version.clone(),
            limit: LIMIT,
        }
    }

    /// The driver, ready for these states.
    pub fn new(
        shop: &Workshop,
        compiler: &Compiler,
        folder: &Path,
        states: &[u8],
    ) -> Result<Harness, String> {
        let program = shop.build(&Harness::job(compiler))?.join("driver");
        let fault = |error: std::io::Error| format!("the folder {}: {error}", folder.display());
        fs::write(folder.join("states"), states).map_err(fault)?;
        Ok(Harness { program, folder: folder.to_owned(), stop: Arc::clone(&shop.stop) })
    }

    fn call(&self, words: &[String], limit: Duration) -> Result<String, String> {
        let mut all = vec![self.program.to_string_lossy().into_owned()];
        all.extend_from_slice(words);
        run(&all, &self.folder, limit, &self.stop)
    }

    /// The results of all states that fill its packs, each of this size, and how many states a pack
    /// has.
    pub fn check(&self, library: &Library, size: usize) -> Result<(Vec<f64>, usize), String> {
        let mut words = command(&["check", "states", "results", &size.to_string()]);
        words.extend(library.words());
        let printed = self.call(&words, LIMIT)?;
        let lanes = printed.split_whitespace().next().and_then(|word| word.parse().ok());
        let bytes = fs::read(self.folder.join("results"))
            .map_err(|error| format!("the results cannot be read: {error}"))?;
        let number =
            |chunk: &[u8]| f64::from_le_bytes(chunk.try_into().expect("chunks have eight bytes"));
        let results = bytes.chunks_exact(8).map(number).collect();
        Ok((results, lanes.ok_or("the driver said nothing")?))
    }

    /// Instructions per state.
    pub fn count(&self, library: &Library) -> Result<f64, String> {
        let mut words = command(&["count", "states"]);
        words.extend(library.words());
        let printed = self.call(&words, LIMIT)?;
        let mut numbers = printed.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
        match (numbers.next(), numbers.next()) {
            (Some(steps), Some(lanes)) => Ok(steps / lanes),
            _ => Err("the driver said nothing".to_owned()),
        }
    }

    /// Times of libraries that take turns, and the processor that they ran on.
    pub fn time(
        &self,
        libraries: &[&Library],
        repeats: usize,
        milliseconds: f64,
    ) -> Result<(Vec<Times>, i64), String> {
        let mut words = command(&["time", "states", &repeats.to_string()]);
        words.push(milliseconds.to_string());
        words.extend(libraries.iter().flat_map(|library| library.words()));
        let each = (repeats + 10) as f64 * milliseconds * 1e-3 * 10.0;
        let limit = LIMIT + Duration::from_secs_f64(each * libraries.len() as f64);
        let printed = self.call(&words, limit)?;
        let mut lines = printed.lines();
        let core = lines.next().and_then(|line| line.strip_prefix("core ")?.parse().ok());
        let times: Vec<Times> = lines.filter_map(times).collect();
        match core {
            Some(core) if times.len() == libraries.len() => Ok((times, core)),
            _ => Err("the driver did not say all times".to_owned()),
        }
    }
}

fn times(line: &str) -> Option<Times> {
    let (least, median) = line.split_once(' ')?;
    Some(Times { least: least.parse().ok()?, median: median.parse().ok()? })
}

/// Bytes of code in an object file, by the program `size`; none if that is not there.
pub fn code_bytes(object: &Path) -> Option<u64> {
    let folder = object.parent()?;
    let name = object.file_name()?.to_string_lossy().into_owned();
    let text =
        run(&command(&["size", "-A", &name]), folder, LIMIT, &AtomicBool::new(false)).ok()?;
    let sections = text.lines().filter(|line| line.starts_with(".text"));
    let sizes = sections.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    Some(sizes.sum())
}

/// The largest difference over the largest magnitude of each state's results, over all states.
pub fn difference(found: &[f64], expected: &[f64], size: usize) -> f64 {
    let mut worst: f64 = 0.0;
    for (found, expected) in found.chunks(size.max(1)).zip(expected.chunks(size.max(1))) {
        let scale = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let scale = if scale > 0.0 { scale } else { 1.0 };
        for (a, b) in found.iter().zip(expected) {
            // What is no number counts as infinitely far.
            let off = (a - b).abs() / scale;
            worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_relative_to_each_state() {
        assert_eq!(difference(&[1.0, 2.0, 100.0, 0.0], &[1.0, 2.0, 100.0, 0.0], 2), 0.0);
        assert_eq!(difference(&[1.0, 2.5, 100.0, 0.5], &[1.0, 2.0, 100.0, 0.0], 2), 0.25);
        assert_eq!(difference(&[0.0], &[0.0], 1), 0.0);
        assert_eq!(difference(&[f64::NAN, 0.0], &[0.0, 0.0], 1), f64::INFINITY);
    }
}
