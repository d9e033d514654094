//! `rotule study`: many motions of one model, rows written while they come, and what is to be said of all.

use super::arguments::Study as Wanted;
use super::failure::Failure;
use super::functions::{assigned, failure, tree};
use super::output;
use super::simulate::{file, interrupt};
use rotule::jit::threads;
use rotule::report::progress::Progress;
use rotule::report::table::{Csv, Parquet, Rows};
use rotule::study::{Row, Study, Wish, text};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// `rotule study`
pub fn study(wanted: &Wanted) -> Result<(), Failure> {
    let mut tree = tree(&wanted.model)?;
    assigned(&wanted.set, &mut tree)?;
    let wish = Wish {
        to: wanted.to,
        step: wanted.dt,
        vary: wanted.vary.clone(),
        measure: wanted.measure.clone(),
        samples: wanted.samples,
        seed: wanted.seed,
        threads: wanted.threads.unwrap_or_else(threads),
    };
    let study = Study::new(tree, wish.clone()).map_err(failure)?;
    let mut table = match &wanted.out {
        None => None,
        Some(path) => Some(table(path, &study.heading(), wanted.force)?),
    };
    let interrupted = interrupt();
    let (all, done) = (study.samples(), AtomicUsize::new(0));
    let bar = Mutex::new(Progress::new());
    let progress = |now: usize| done.store(now, Ordering::Relaxed);
    let stop = || {
        // One thread draws; the others have better things to do than to wait.
        if let Ok(mut bar) = bar.try_lock() {
            let done = done.load(Ordering::Relaxed);
            bar.update(done as f64 / all.max(1) as f64, || format!("{done} of {all} samples"));
        }
        interrupted.load(Ordering::Relaxed)
    };
    let mut take = |row: &Row| match &mut table {
        Some(table) => table.row(&row.numbers()),
        None => Ok(()),
    };
    let run = study.run(&mut take, &progress, &stop);
    bar.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let (summary, unwritten) = run.map_err(failure)?;
    let finished = table.map_or(Ok(()), |mut table| table.finish());
    let text = text(&summary, &wish);
    match wanted.out.as_deref().is_some_and(|path| path.as_os_str() == "-") {
        true => output::message(text.trim_end()),
        false => output::result(&text)?,
    }
    let done = summary.done;
    if let (Some(error), Some(path)) = (unwritten.or(finished.err()), &wanted.out) {
        let name = path.display();
        let message = format!("cannot write {name} beyond sample {done}: {error}");
        return Err(Failure::Unfinished { message, code: 4 });
    }
    let kept = if wanted.out.is_some() { "; rows up to there are kept" } else { "" };
    if summary.stopped {
        let message = format!("interrupted after {done} of {all} samples{kept}");
        return Err(Failure::Unfinished { message, code: 130 });
    }
    match summary.failed.len() {
        0 => Ok(()),
        failed if failed == done => {
            let message = "no sample reached the end".to_owned();
            Err(Failure::Unfinished { message, code: 3 })
        }
        failed => {
            output::message(&format!("warning: {failed} of {done} samples failed"));
            Ok(())
        }
    }
}

/// The table of rows, in the format that the file's name asks for.
fn table(path: &Path, names: &[String], force: bool) -> Result<Box<dyn Rows>, Failure> {
    let out: Box<dyn Write> = match path.as_os_str() == "-" {
        true => Box::new(BufWriter::new(io::stdout())),
        false => Box::new(BufWriter::new(file(path, force)?)),
    };
    let parquet = path.extension().is_some_and(|ending| ending == "parquet");
    let begun: io::Result<Box<dyn Rows>> = match parquet {
        true => Parquet::new(out, names, None).map(|table| Box::new(table) as Box<dyn Rows>),
        false => Csv::new(out, names, None).map(|table| Box::new(table) as Box<dyn Rows>),
    };
    begun.map_err(|error| Failure::WriteFile { name: path.display().to_string(), error })
}
