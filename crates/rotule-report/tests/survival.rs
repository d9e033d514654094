//! Tables whose writer is killed, or whose disk is full, at any moment: what was flushed exists
//! and readable.
//!
//! Writes are recorded and replayed up to every byte. A killed process leaves such a prefix behind:
//! the system does writes in order, and those of up to eight bytes at an aligned offset at once.

use rotule_report::medium::Medium;
use rotule_report::table::{Csv, Parquet, Res, Rows};
use rotule_testing::parquet;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

/// An action on a file.
#[derive(Clone)]
enum Action {
    Write(u64, Vec<u8>),
    Cut(u64),
    /// A flush has ended, with so many rows before it.
    Flushed(usize),
}

/// A file in memory, with all that happened to it and a number of bytes that it may take.
#[derive(Default)]
struct Disk {
    bytes: Vec<u8>,
    actions: Vec<Action>,
    budget: Option<usize>,
}

impl Disk {
    fn write(&mut self, at: usize, bytes: &[u8]) {
        if self.bytes.len() < at + bytes.len() {
            self.bytes.resize(at + bytes.len(), 0);
        }
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }
}

#[derive(Clone, Default)]
struct Recorded(Rc<RefCell<Disk>>);

impl Medium for Recorded {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut disk = self.0.borrow_mut();
        let most = disk.budget.unwrap_or(usize::MAX);
        // Short writes fit or not; of long ones a part may be written.
        let fits = if bytes.len() <= 8 && bytes.len() > most { 0 } else { bytes.len().min(most) };
        disk.write(offset as usize, &bytes[..fits]);
        disk.budget = disk.budget.map(|budget| budget - fits);
        disk.actions.push(Action::Write(offset, bytes[..fits].to_vec()));
        if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        let mut disk = self.0.borrow_mut();
        disk.bytes.resize(length as usize, 0);
        disk.actions.push(Action::Cut(length));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn is_file(&self) -> bool {
        true
    }
}

/// The numbers of a row.
fn row(number: usize) -> Vec<f64> {
    vec![number as f64, (number as f64).sqrt(), -1e-300 * number as f64]
}

/// A seeded sequence of small numbers.
fn random(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

type Begun = Box<dyn Rows>;
type Lengths = dyn Fn(&[u8]) -> Option<usize>;

/// A kind of table: how it begins, and how many whole rows its bytes have, all of which must be
/// right.
struct Kind {
    name: &'static str,
    begin: fn(Recorded) -> Begun,
    rows: Box<Lengths>,
}

fn kinds() -> Vec<Kind> {
    let text = |names: bool, separator: char| {
        move |bytes: &[u8]| {
            let text = std::str::from_utf8(bytes).ok()?;
            // What follows the last end of a line is not a row.
            let whole = &text[..text.rfind('\n').map_or(0, |at| at + 1)];
            let mut count = 0;
            for line in whole.lines().skip(usize::from(names)) {
                let found: Option<Vec<f64>> =
                    line.split(separator).map(|cell| cell.parse().ok()).collect();
                if found? != row(count) {
                    return None;
                }
                count += 1;
            }
            Some(count)
        }
    };
    let numbers = |bytes: &[u8]| {
        let table = parquet::read(bytes)?;
        let right = table.rows.iter().enumerate().all(|(at, (found, _))| *found == row(at));
        right.then_some(table.rows.len())
    };
    let words = |bytes: &[u8]| {
        let table = parquet::read(bytes)?;
        let right = table.rows.iter().enumerate().all(|(at, (found, word))| {
            *found == row(at)[..2] && word.as_deref() == Some(&word_of(at)[..])
        });
        right.then_some(table.rows.len())
    };
    vec![
        Kind {
            name: "csv",
            begin: |disk| Box::new(Csv::on(disk, &["t", "x", "y"], None).unwrap()),
            rows: Box::new(text(true, ',')),
        },
        Kind {
            name: "res",
            begin: |disk| Box::new(Res::on(disk, 3)),
            rows: Box::new(text(false, ' ')),
        },
        Kind {
            name: "parquet",
            begin: |disk| {
                let table = Parquet::on(disk, &["t", "x", "y"], None).unwrap();
                Box::new(table.with_rows_per_group(16))
            },
            rows: Box::new(numbers),
        },
        Kind {
            name: "words",
            begin: |disk| {
                let table = Parquet::on(disk, &["t", "x", "word"], None).unwrap();
                Box::new(table.with_text().with_rows_per_group(16))
            },
            rows: Box::new(words),
        },
    ]
}

/// Words of very different lengths.
fn word_of(number: usize) -> String {
    "ab".repeat(number * number % 23)
}

fn add(kind: &Kind, table: &mut Begun, number: usize) -> io::Result<()> {
    match kind.name {
        "words" => table.labelled(&row(number)[..2], &word_of(number)),
        _ => table.row(&row(number)),
    }
}

/// Writes so many rows with flushes here and there; gives how many were written, and flushed,
/// before an error.
fn fill(kind: &Kind, disk: &Recorded, rows: usize, seed: u64) -> (usize, usize, io::Result<()>) {
    let mut state = seed;
    let (mut written, mut flushed) = (0, 0);
    let mut go = || {
        let mut table = (kind.begin)(disk.clone());
        table.flush()?;
        disk.0.borrow_mut().actions.push(Action::Flushed(0));
        // Some flushes are close to each other, some far.
        let often = 1 + random(&mut state, 40);
        while written < rows {
            add(kind, &mut table, written)?;
            written += 1;
            if random(&mut state, often) == 0 {
                table.flush()?;
                flushed = written;
                disk.0.borrow_mut().actions.push(Action::Flushed(written));
            }
        }
        table.finish()
    };
    let done = go();
    (written, flushed, done)
}

#[test]
fn what_was_flushed_is_readable_whenever_the_writer_is_killed() {
    let mut states = 0;
    for kind in kinds() {
        for seed in 0..4 {
            let disk = Recorded::default();
            let (written, _, done) = fill(&kind, &disk, 90, seed);
            assert!(done.is_ok() && written == 90, "{} {seed}", kind.name);
            let actions = disk.0.borrow().actions.clone();
            let (mut killed, mut flushed) = (Disk::default(), None);
            for (number, action) in actions.iter().enumerate() {
                if let Action::Flushed(rows) = action {
                    flushed = Some(*rows);
                }
                let mut check = |killed: &Disk| {
                    let Some(flushed) = flushed else { return };
                    states += 1;
                    let found = (kind.rows)(&killed.bytes);
                    let place = format!("{} {seed}, action {number}", kind.name);
                    assert!(found.is_some_and(|found| found >= flushed), "{place}: {found:?}");
                };
                match action {
                    Action::Flushed(_) => {}
                    Action::Cut(length) => killed.bytes.resize(*length as usize, 0),
                    Action::Write(at, bytes) if bytes.len() <= 8 && kind.name != "csv" => {
                        killed.write(*at as usize, bytes);
                    }
                    Action::Write(at, bytes) => {
                        for part in 0..=bytes.len() {
                            killed.write(*at as usize, &bytes[..part]);
                            check(&killed);
                        }
                    }
                }
                check(&killed);
            }
            assert_eq!((kind.rows)(&killed.bytes), Some(90), "{}", kind.name);
        }
    }
    assert!(states > 50_000, "{states}");
}

#[test]
fn a_finished_file_does_not_tell_when_it_was_flushed() {
    for kind in kinds() {
        let files: Vec<Vec<u8>> = (0..6)
            .map(|seed| {
                let disk = Recorded::default();
                assert!(fill(&kind, &disk, 77, seed).2.is_ok());
                disk.0.take().bytes
            })
            .collect();
        assert!(files.iter().all(|file| *file == files[0]), "{}", kind.name);
    }
}

#[test]
fn a_full_disk_takes_nothing_away() {
    for kind in kinds() {
        let whole = Recorded::default();
        assert!(fill(&kind, &whole, 60, 3).2.is_ok());
        let all: usize = whole.0.borrow().actions.iter().map(length).sum();
        for budget in 0..all {
            let disk = Recorded::default();
            disk.0.borrow_mut().budget = Some(budget);
            if budget < 4 && kind.name != "csv" && kind.name != "res" {
                // There is no room for the first word of the format.
                continue;
            }
            let (written, flushed, done) = fill(&kind, &disk, 60, 3);
            assert!(done.is_err(), "{} {budget}", kind.name);
            let bytes = disk.0.borrow().bytes.clone();
            let begun = disk.0.borrow().actions.iter().any(|one| matches!(one, Action::Flushed(_)));
            let found = (kind.rows)(&bytes);
            if begun {
                let right = found.is_some_and(|found| (flushed..=written).contains(&found));
                assert!(right, "{} {budget}: {found:?} of {flushed}", kind.name);
            }
        }
    }
}

fn length(action: &Action) -> usize {
    match action {
        Action::Write(_, bytes) => bytes.len(),
        _ => 0,
    }
}

#[test]
fn a_file_that_is_flushed_often_stays_small() {
    for kind in kinds() {
        let disk = Recorded::default();
        let mut table = (kind.begin)(disk.clone());
        let mut most = 0;
        for number in 0..2000 {
            add(&kind, &mut table, number).unwrap();
            table.flush().unwrap();
            most = most.max(disk.0.borrow().bytes.len() as u64 - table.length().min(1 << 40));
        }
        table.finish().unwrap();
        let end = disk.0.borrow().bytes.len();
        // A few groups of sixteen rows and a few times the metadata, which grow with the number of
        // groups.
        assert!(most < 20_000 + end as u64, "{}: {most} {end}", kind.name);
    }
}
