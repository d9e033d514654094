//! The page of `--report`, gathered while a run goes on and written anew at every flush.

use super::failure::Failure;
use super::functions::failure;
use super::part::{Opened, Part, Place};
use super::session::{Output, Session};
use rotule::layers::formalism::Problem;
use rotule::layers::report::Page;
use rotule::layers::stream::{Pictures, SampleSink};
use rotule::simulate::{RunSummary, SimulationOptions};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A page that is being gathered.
pub struct Report {
    name: String,
    out: Opened,
    pictures: Pictures,
    options: SimulationOptions,
    /// The page of a run that has ended.
    page: Option<Page>,
    /// `true` if there are points that the file does not have.
    changed: bool,
    finished: bool,
    /// `true` if the last page could not be written.
    failed: bool,
}

/// Refuses a file whose ending is that of something else: a page is HTML.
pub fn check_name(path: &Path) -> Result<(), Failure> {
    match path.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "" | "html" | "htm" => Ok(()),
        ending => {
            let message = format!("--report {}: a page is HTML, not `.{ending}`", path.display());
            let other = path.with_extension("html");
            let help = format!("name a file that ends in `.html`, such as {}", other.display());
            Err(failure(Problem::new(message, help)).into_argument())
        }
    }
}

impl Report {
    /// Opens a page, which the session completes if a signal ends the run.
    pub fn open(
        session: &Session,
        (path, place): (&Path, Place),
        pictures: Pictures,
        options: &SimulationOptions,
        flush: Duration,
    ) -> Result<Arc<Mutex<Report>>, Failure> {
        let place = place.connect()?;
        session.open(flush, || {
            let mut report = Report {
                name: path.display().to_string(),
                out: place.open()?,
                pictures,
                options: options.clone(),
                page: None,
                changed: true,
                finished: false,
                failed: false,
            };
            // The file is a page from its first moment on.
            report.flush();
            Ok(report)
        })
    }

    /// Takes a point.
    pub fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        self.changed = true;
        self.pictures.row(numbers)
    }

    /// Takes the summary of a run that has ended.
    pub fn end(&mut self, summary: &RunSummary) {
        self.page = Some(self.pictures.page(Some(summary), &self.options));
    }

    /// The message of an error, and where the page is that was written before.
    pub fn explain(&self, error: &io::Error) -> String {
        let kept = match &self.out {
            Opened::Part(part) if part.exists() => {
                format!("\n  = help: an earlier page of the run is {}", part.name())
            }
            _ => String::new(),
        };
        format!("cannot write {}: {error}{kept}", self.name)
    }
}

/// The command as it was typed, for the archive. Words with blanks are quoted, and files that are
/// written have no folders: pages do not depend on where they are.
pub fn command_line() -> String {
    let mut words = vec!["rotule".to_owned()];
    let mut is_file = false;
    for word in std::env::args_os().skip(1) {
        let word = word.to_string_lossy();
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (format!("{flag}="), value),
            None => (String::new(), &*word),
        };
        let written = ["--out", "--report"];
        let name = match is_file || written.iter().any(|one| flag == format!("{one}=")) {
            true => Path::new(value).file_name().map(|name| name.to_string_lossy()),
            false => None,
        };
        is_file = written.contains(&&*word);
        let word = format!("{flag}{}", name.as_deref().unwrap_or(value));
        words.push(match word.contains(char::is_whitespace) {
            true => format!("\"{}\"", word.replace('"', "\\\"")),
            false => word,
        });
    }
    words.join(" ")
}

/// Writes a page anew beside its place.
fn replace(part: &mut Part, page: &Page) -> io::Result<()> {
    part.replace(|out| page.write(out))
}

impl Output for Report {
    fn is_file(&self) -> bool {
        matches!(self.out, Opened::Part(_))
    }

    fn flush(&mut self) {
        if let (Opened::Part(part), true, false) = (&mut self.out, self.changed, self.finished) {
            // A page that cannot be written now can perhaps at the end.
            self.changed = replace(part, &self.pictures.page(None, &self.options)).is_err();
        }
    }

    fn finish(&mut self) -> io::Result<Option<File>> {
        if self.finished {
            return Ok(None);
        }
        self.finished = true;
        let page = self.page.take().unwrap_or_else(|| self.pictures.page(None, &self.options));
        match &mut self.out {
            Opened::Stream(out) => {
                let mut out = BufWriter::new(out);
                page.write(&mut out).and_then(|()| out.flush()).map(|()| None)
            }
            Opened::Part(part) => {
                let written = replace(part, &page);
                self.failed = written.is_err();
                written.and_then(|()| part.file()).map(Some)
            }
        }
    }

    fn complete(&mut self) -> io::Result<()> {
        let finished = self.finish().map(drop);
        match &mut self.out {
            // What is not all there does not replace anything.
            Opened::Part(part) if self.failed => part.keep(),
            Opened::Part(part) => return finished.and_then(|()| part.complete()),
            Opened::Stream(_) => {}
        }
        finished
    }
}
