//! Runs of the program that are interrupted, terminated or killed at random moments: whatever the
//! moment, the rows that were flushed are readable, are those of the undisturbed run, and an old
//! file is replaced by a whole one or not at all.

use crate::parquet;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rotule_symbolic::random::SplitMix64;
use std::fmt;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Kinds of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A table of a simulation as text.
    Csv,
    /// A table of a simulation in Parquet.
    Parquet,
    /// A page.
    Report,
    /// A table of a study.
    Study,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [Kind::Csv, Kind::Parquet, Kind::Report, Kind::Study];

    /// The file of a seed; studies are written in both formats.
    fn file(self, seed: u64) -> &'static str {
        match self {
            Kind::Csv => "motion.csv",
            Kind::Parquet => "motion.parquet",
            Kind::Report => "motion.html",
            Kind::Study if seed % 4 < 2 => "study.csv",
            Kind::Study => "study.parquet",
        }
    }

    /// The arguments of the command, but for those of its file.
    fn words(self) -> Vec<&'static str> {
        match self {
            Kind::Study => vec![
                "study",
                "examples/double_pendulum.toml",
                "--to",
                "0.1",
                "--dt",
                "1e-3",
                "--vary",
                "q1~uniform(0,1)",
                "--samples",
                "12000",
            ],
            Kind::Report => vec![
                "simulate",
                "examples/slider_crank.toml",
                "--to",
                "38",
                "--every",
                "0.02",
                "--constraints",
                "projection",
            ],
            _ => vec!["simulate", "examples/slider_crank.toml", "--to", "60", "--every", "0.005"],
        }
    }

    fn option(self) -> &'static str {
        if self == Kind::Report { "--report" } else { "--out" }
    }
}

/// Signals sent to a run.
pub const BLOWS: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGKILL];

/// The verdict on a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It left a part of the rows, all of them right, and this share of them.
    Kept(f64),
    /// It ended before its file was begun.
    NotBegun,
    /// It had reached its end.
    Ended,
    /// Something is not as it must be.
    Wrong(String),
}

/// A run and what became of it.
#[derive(Clone, Debug)]
pub struct Report {
    /// The kind of output.
    pub kind: Kind,
    /// The signal.
    pub blow: Signal,
    /// The seed of the moment.
    pub seed: u64,
    /// The verdict.
    pub verdict: Verdict,
    /// The time from the signal to the end of the process.
    pub reaction: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { kind, blow, seed, verdict, .. } = self;
        write!(f, "{kind:?}, {blow}, seed {seed}: {verdict:?}")
    }
}

/// Rows of numbers, each perhaps with a word.
type Rows = Vec<(Vec<f64>, Option<String>)>;

/// The undisturbed run of a kind.
struct Reference {
    /// Rows of the table; for a page those of the table of the same run.
    rows: Rows,
    names: Vec<String>,
    /// The time that a run takes now: others use the machine, too.
    duration: Mutex<Duration>,
}

/// The program, a folder to work in and the undisturbed runs.
pub struct Arena {
    program: PathBuf,
    folder: PathBuf,
    references: Vec<Reference>,
    next: AtomicUsize,
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Arena {
    /// Runs everything once without a disturbance.
    pub fn new(program: &Path) -> Arena {
        let folder =
            std::env::temp_dir().join(format!("rotule-interrupted-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for temporary files");
        let mut arena = Arena {
            program: program.to_owned(),
            folder,
            references: Vec::new(),
            next: AtomicUsize::new(0),
        };
        for kind in Kind::ALL {
            let (table, page) = (arena.path("reference.csv"), arena.path("reference.html"));
            let mut words = kind.words();
            words.extend(["--out", &table, "--force"]);
            if kind == Kind::Report {
                words.extend(["--report", &page]);
            }
            let begun = Instant::now();
            let output = arena.command(&words).output().expect("the program starts");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let duration = begun.elapsed();
            let bytes = fs::read(&table).expect("a table");
            let (names, rows) = csv(&bytes).expect("rows");
            assert!(rows.len() > 1000, "{kind:?}: {}", rows.len());
            let duration = Mutex::new(duration);
            arena.references.push(Reference { rows, names, duration });
        }
        arena
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        command.current_dir(root).args(words).stdin(Stdio::null());
        command
    }

    /// A run that gets a signal at a moment of the seed.
    pub fn strike(&self, kind: Kind, blow: Signal, seed: u64) -> Report {
        let own = self.folder.join(format!("run-{}", self.next.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir_all(&own).expect("a folder");
        let at = Kind::ALL.iter().position(|one| *one == kind).unwrap_or(0);
        let reference = &self.references[at];
        let (verdict, reaction) = match self.struck(reference, (kind, blow, seed), &own) {
            Ok(found) => found,
            Err(why) => (Verdict::Wrong(why), Duration::ZERO),
        };
        match verdict {
            // It was faster than the runs before it.
            Verdict::Ended => reference.change_duration(0.9),
            _ => reference.change_duration(1.01),
        }
        let _ = fs::remove_dir_all(&own);
        Report { kind, blow, seed, verdict, reaction }
    }

    fn struck(
        &self,
        reference: &Reference,
        (kind, blow, seed): (Kind, Signal, u64),
        own: &Path,
    ) -> Result<(Verdict, Duration), String> {
        let file = own.join(kind.file(seed));
        let part = own.join(format!("{}.part", kind.file(seed)));
        let is_old = seed.is_multiple_of(2);
        if is_old {
            fs::write(&file, OLD).map_err(|error| error.to_string())?;
        }
        let name = file.to_string_lossy().into_owned();
        let mut words = kind.words();
        words.extend([kind.option(), &name, "--flush", "0.02"]);
        let again = words.clone();
        words.extend(is_old.then_some("--force"));
        let mut child = self
            .command(&words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        std::thread::sleep(reference.duration().mul_f64(fraction(seed, kind, blow)));
        // What can be read now must exist later.
        let before = fs::read(&part).ok();
        let known = before.as_deref().and_then(|bytes| reference.count(kind, &file, bytes));
        let sent = Instant::now();
        // A process that has ended is still there to be waited for.
        let _ = kill(Pid::from_raw(child.id().cast_signed()), blow);
        let status = child.wait().map_err(|error| error.to_string())?;
        let reaction = sent.elapsed();
        let expected = match blow {
            Signal::SIGINT => (Some(130), None),
            Signal::SIGTERM => (Some(143), None),
            _ => (None, Some(9)),
        };
        let ended = status.code() == Some(0);
        // Before its first instruction a process does what the system does.
        let at_once = status.signal() == Some(blow as i32) && before.is_none();
        if !ended && !at_once && (status.code(), status.signal()) != expected {
            return Err(format!("it ended with {status}"));
        }
        let content = fs::read(&file).ok();
        let untouched = content.as_deref() == is_old.then_some(OLD);
        let left = fs::read(&part).ok();
        let all = reference.rows.len();
        let found = content.as_deref().and_then(|bytes| reference.count(kind, &file, bytes));
        // The new file is in its place: whole, or up to the signal.
        if !untouched {
            let found = found.ok_or("the file is neither the old one nor rows of the run")?;
            let killed = blow == Signal::SIGKILL;
            if (ended || killed) && found != all {
                return Err(format!("{found} of {all} rows although the run had ended"));
            }
            if left.is_some() {
                return Err("there is a file and a part of it".to_owned());
            }
            if found < known.unwrap_or(0) {
                return Err(format!("{found} rows, and {known:?} were flushed"));
            }
            let kept = Verdict::Kept(found as f64 / all as f64);
            return Ok((if ended || found == all { Verdict::Ended } else { kept }, reaction));
        }
        if ended {
            return Err("it ended well and there is no file".to_owned());
        }
        if blow != Signal::SIGKILL {
            return match (known, left) {
                (Some(known), _) => {
                    Err(format!("{known} rows were flushed, and the file is not there"))
                }
                (None, Some(_)) => Err("a part is left".to_owned()),
                (None, None) => Ok((Verdict::NotBegun, reaction)),
            };
        }
        let rows = left.as_deref().and_then(|bytes| reference.count(kind, &file, bytes));
        match (known, rows) {
            (None, None) => Ok((Verdict::NotBegun, reaction)),
            (_, Some(rows)) if rows >= known.unwrap_or(0) => {
                if !is_old && seed.is_multiple_of(3) {
                    self.check_next(&again, &part, left.as_deref().unwrap_or_default())?;
                }
                Ok((Verdict::Kept(rows as f64 / all as f64), reaction))
            }
            (known, rows) => Err(format!("{known:?} rows were flushed, and {rows:?} are left")),
        }
    }

    /// The next run names what a killed one left behind, and leaves it alone.
    fn check_next(&self, words: &[&str], part: &Path, bytes: &[u8]) -> Result<(), String> {
        let output = self.command(words).output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() != Some(4) || !said.contains(&*part.to_string_lossy()) {
            return Err(format!("the next run ended with {}: {said}", output.status));
        }
        match fs::read(part) {
            Ok(found) if found == bytes => Ok(()),
            _ => Err("the next run changed what was left behind".to_owned()),
        }
    }
}

/// The content of an old file.
const OLD: &[u8] = b"old results\n";

impl Reference {
    fn duration(&self) -> Duration {
        *self.duration.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change_duration(&self, factor: f64) {
        let mut duration = self.duration.lock().unwrap_or_else(PoisonError::into_inner);
        let (least, most) = (Duration::from_millis(50), Duration::from_secs(5));
        *duration = duration.mul_f64(factor).clamp(least, most);
    }

    /// Number of rows that bytes have, all of which must be the first ones of the undisturbed run;
    /// none if they cannot be read.
    fn count(&self, kind: Kind, file: &Path, bytes: &[u8]) -> Option<usize> {
        if kind == Kind::Report {
            return self.count_page(bytes);
        }
        let rows = match file.extension().is_some_and(|ending| ending == "parquet") {
            true => parquet::read(bytes)?.rows,
            false => csv(bytes)?.1,
        };
        // Numbers that are not one are equal to nothing, so bits are compared.
        let same = |one: &[f64], other: &[f64]| {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| one.to_bits() == other.to_bits())
        };
        let right = rows
            .iter()
            .zip(&self.rows)
            .all(|(one, other)| same(&one.0, &other.0) && one.1 == other.1);
        (right && rows.len() <= self.rows.len()).then_some(rows.len())
    }

    /// Number of points of a page: all curves have the same points, which are those of the table as
    /// far as a page stores them.
    fn count_page(&self, bytes: &[u8]) -> Option<usize> {
        let text = std::str::from_utf8(bytes).ok()?;
        if !text.trim_end().ends_with("</html>") {
            return None;
        }
        let (_, data) = text.split_once("id=\"data\">")?;
        let (data, _) = data.split_once("</script>")?;
        let data: serde_json::Value = serde_json::from_str(data).ok()?;
        let (from, to) = (data["span"][0].as_f64()?, data["span"][1].as_f64()?);
        let mut count = None;
        for curve in
            data["plots"].as_array()?.iter().flat_map(|plot| plot["curves"].as_array()).flatten()
        {
            let name = curve["name"].as_str()?;
            let column = self.names.iter().position(|one| one.split(" [").next() == Some(name))?;
            let (offset, scale) = (curve["offset"].as_f64()?, curve["scale"].as_f64()?);
            // A curve without points has no times of its own.
            let times = base64(curve["times"].as_str().unwrap_or_default())?;
            let values = base64(curve["values"].as_str()?)?;
            let points = times.len() / 4;
            if values.len() != times.len() || count.is_some_and(|count| count != points) {
                return None;
            }
            count = Some(points);
            for (at, row) in self.rows.iter().enumerate().take(points) {
                let word = |bytes: &[u8]| bytes[4 * at..][..4].try_into().ok();
                let t = f64::from(u32::from_le_bytes(word(&times)?)) / f64::from(u32::MAX);
                let value = offset + scale * f64::from(f32::from_le_bytes(word(&values)?));
                let (requested_t, requested) = (row.0[0], row.0[column]);
                let near = (from + t * (to - from) - requested_t).abs() < 1e-6;
                if !near
                    || (value - requested).abs() > 1e-5 * (1.0 + requested.abs()).max(scale.abs())
                {
                    return None;
                }
            }
        }
        count.or(Some(0)).filter(|count| *count <= self.rows.len())
    }
}

/// The whole lines of a table with names.
fn csv(bytes: &[u8]) -> Option<(Vec<String>, Rows)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let whole = &text[..text.rfind('\n')? + 1];
    let mut lines = whole.lines();
    let names: Vec<String> = lines.next()?.split(',').map(str::to_owned).collect();
    let worded = names.last().is_some_and(|name| name == "verdict");
    let row = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        let word = if worded { cells.pop().map(str::to_owned) } else { None };
        let numbers = cells.iter().map(|cell| cell.parse().ok()).collect::<Option<Vec<f64>>>()?;
        (numbers.len() + usize::from(worded) == names.len()).then_some((numbers, word))
    };
    let rows = lines.map(row).collect::<Option<Rows>>()?;
    Some((names, rows))
}

/// The bytes of a text in base64.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for c in text.bytes().filter(|c| *c != b'=') {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

/// A number between zero and one that follows from the seed.
fn fraction(seed: u64, kind: Kind, blow: Signal) -> f64 {
    SplitMix64(seed ^ (kind as u64) << 40 ^ (blow as u64) << 50).unit()
}
