//! Law files: functions of the user in C or Python, for the `[[external]]`s of a model.
//!
//! ```text
//! laws.c  --C compiler-->  laws.so  --another process calls it once-->  loaded here
//! laws.py --python3 in a process of its own, asked over pipes
//! ```
//!
//! A law in C is `void NAME(const double *arguments, double *results)`, one in Python
//! `def NAME(..)` with the arguments of the model, which returns a number or a list. A function
//! `NAME_derivative` takes the arguments and then their rates, and gives the rates of the results;
//! without one, derivatives are found by differences. `NAME_derivative_derivative` is to it what
//! it is to `NAME`.
//!
//! A model file never causes code to be loaded: only [`Model::laws`] does.

mod fault;
#[cfg_attr(not(all(feature = "compiled", unix)), path = "no_library.rs")]
mod library;
#[cfg(all(feature = "compiled", unix))]
mod probe;
mod python;
mod robotran;
mod skeleton;

pub use fault::{LawError, LawFault};
pub use library::{PROBE, probe};
pub use skeleton::LawLanguage;

use crate::error::Error;
use crate::externals::{Differenced, Slope, Value};
use crate::model::Model;
use python::Python;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The ending of the name of a derivative.
const DERIVATIVE: &str = "_derivative";

/// Options of loading law files.
#[derive(Clone, Debug, Default)]
pub struct LawOptions {
    /// A program that calls [`probe`] with its arguments if the first is [`PROBE`], such as
    /// `rotule`: it tries laws in C before they are loaded here. Without one they are not tried.
    pub probe: Option<PathBuf>,
}

/// The form of a law: its name, and its numbers of arguments and results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name of the `[[external]]`.
    pub name: String,
    /// Names of the arguments, if they are known.
    pub(crate) names: Vec<String>,
    /// The number of arguments.
    pub arguments: usize,
    /// The number of results.
    pub results: usize,
}

impl Signature {
    /// The derivative along a direction: arguments and rates in, rates of results out.
    fn derivative(&self) -> Signature {
        Signature {
            name: format!("{}{DERIVATIVE}", self.name),
            names: Vec::new(),
            arguments: 2 * self.arguments,
            results: self.results,
        }
    }
}

/// The record of laws while they run: failures, derivatives by differences.
#[derive(Debug, Default)]
pub struct LawReport {
    failure: Mutex<Option<LawError>>,
    files: Mutex<Vec<(String, PathBuf)>>,
    differences: Mutex<Vec<(String, Arc<AtomicBool>)>>,
}

impl LawReport {
    /// The first failure of a law.
    pub fn failure(&self) -> Option<LawError> {
        locked(&self.failure).clone()
    }

    /// Laws whose derivatives were found by differences.
    pub fn by_differences(&self) -> Vec<String> {
        let used = |(name, used): &(String, Arc<AtomicBool>)| {
            used.load(Ordering::Relaxed).then(|| name.clone())
        };
        locked(&self.differences).iter().filter_map(used).collect()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Code in C. A build without libraries refuses it unread.
#[cfg_attr(not(all(feature = "compiled", unix)), allow(dead_code))]
enum Code<'a> {
    /// A library.
    Library(&'a Path),
    /// A source.
    Source(&'a Path),
    /// Texts, of which the first is compiled, and a folder with headers.
    Texts(&'a [(&'static str, String)], &'a Path),
}

type Call = Arc<dyn Fn(&[f64], &mut [f64]) -> Result<(), LawFault> + Send + Sync>;

/// A law file that is ready: its functions by name.
struct LawFile {
    path: PathBuf,
    calls: Vec<(Signature, Call)>,
}

impl Model {
    /// Supplies external functions by a law file: `.c`, which the machine's C compiler makes a
    /// library of, a library `.so`, or `.py`, which `python3` runs in a process of its own. See
    /// [`laws`](crate::laws).
    ///
    /// ```no_run
    /// let mut car = rotule::Model::open("car.toml")?;
    /// car.laws("tyres.c")?;
    /// let run = car.simulate().to(2.0).run()?;
    /// # Ok::<(), rotule::Error>(())
    /// ```
    pub fn laws(&mut self, path: impl AsRef<Path>) -> Result<&mut Model, Error> {
        self.laws_by(path, &LawOptions::default())
    }

    /// As [`Model::laws`], with options.
    pub fn laws_by(
        &mut self,
        path: impl AsRef<Path>,
        options: &LawOptions,
    ) -> Result<&mut Model, Error> {
        let path = path.as_ref();
        let file = match robotran_source(path) {
            Some(source) => self.open_robotran(path, &source, options),
            None => LawFile::open(path, &self.law_signatures(), options),
        };
        let file = file.map_err(|error| Error::Law(Box::new(error)))?;
        let signatures = self.law_signatures();
        let report = Arc::clone(self.law_report());
        for (signature, call) in &file.calls {
            if signature.name.ends_with(DERIVATIVE)
                && !signatures.iter().any(|one| one.name == signature.name)
            {
                continue;
            }
            let name = &signature.name;
            if let Some((_, other)) = locked(&report.files).iter().find(|(known, _)| known == name)
            {
                let fault = LawFault::Twice(other.clone());
                return Err(Error::Law(Box::new(LawError {
                    file: file.path,
                    function: Some(name.clone()),
                    fault,
                })));
            }
            locked(&report.files).push((name.clone(), file.path.clone()));
            let value = guarded(&file.path, name, Arc::clone(call), &report);
            let differenced = Differenced::default();
            let mut slopes: Vec<Slope> = Vec::new();
            let mut partner = signature.clone();
            for told in &differenced {
                locked(&report.differences).push((partner.name.clone(), Arc::clone(told)));
                partner = partner.derivative();
                let found = file.calls.iter().find(|(one, _)| one.name == partner.name);
                let Some((_, call)) = found else { break };
                let slope = guarded(&file.path, &partner.name, Arc::clone(call), &report);
                slopes.push(Arc::new(move |x, dx, dy| slope(&[x, dx].concat(), dy)));
            }
            self.external_told(name, value, slopes, differenced);
        }
        Ok(self)
    }

    /// Loads a source of ROBOTRAN's user functions, and lets the model call them with everything
    /// that they see.
    fn open_robotran(
        &mut self,
        path: &Path,
        source: &str,
        options: &LawOptions,
    ) -> Result<LawFile, LawError> {
        let error = |function, fault| LawError { file: path.to_owned(), function, fault };
        let texts = robotran::texts(self, path, source);
        let (draft, signatures) = robotran::rewrite(self, &robotran::functions(source))
            .map_err(|fault| error(None, fault))?;
        let partners = signatures.iter().map(Signature::derivative);
        let needed = signatures.iter().cloned().chain(partners);
        let entry =
            |one: Signature| Signature { name: format!("{}{}", robotran::ENTRY, one.name), ..one };
        let needed: Vec<Signature> = needed.map(entry).collect();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let code = Code::Texts(&texts, folder.unwrap_or(Path::new(".")));
        let plain = |name: String| name.trim_start_matches(robotran::ENTRY).to_owned();
        let mut calls = library::calls(&code, &needed, options)
            .map_err(|(function, fault)| error(function.map(plain), fault))?;
        calls.iter_mut().for_each(|(one, _)| one.name = plain(std::mem::take(&mut one.name)));
        self.rewrite(&draft).map_err(|fault| error(None, LawFault::Calls(fault.to_string())))?;
        Ok(LawFile { path: path.to_owned(), calls })
    }

    /// The record of laws of files while they run.
    pub fn laws_told(&self) -> &LawReport {
        self.law_report()
    }

    /// The external functions that the model declares.
    pub fn law_signatures(&self) -> Vec<Signature> {
        let externals = self.draft().externals;
        let signature = |one: &crate::build::External| Signature {
            name: one.name.value.clone(),
            names: one.arguments.iter().map(|name| name.value.clone()).collect(),
            arguments: one.arguments.len(),
            results: one.results.value as usize,
        };
        externals.iter().map(signature).collect()
    }
}

/// The end of a process that answers no more. It may have closed its pipe and live on.
fn how_it_ended(child: &mut Child) -> String {
    for _ in 0..100 {
        match child.try_wait() {
            Ok(Some(status)) => return format!("its process ended with {status}"),
            Ok(None) => thread::sleep(Duration::from_millis(10)),
            Err(error) => return error.to_string(),
        }
    }
    "its process answers no more".to_owned()
}

/// A law as a closure without failures: the first one is kept for the report, and the results are
/// NaN, which ends a run.
fn guarded(path: &Path, name: &str, call: Call, report: &Arc<LawReport>) -> Value {
    let (file, function) = (path.to_owned(), Some(name.to_owned()));
    let report = Arc::clone(report);
    Arc::new(move |arguments, results| {
        let done = call(arguments, results).and_then(|()| {
            let finite = |list: &[f64]| list.iter().all(|one| one.is_finite());
            match finite(results) || !finite(arguments) {
                true => Ok(()),
                false => Err(LawFault::NotFinite {
                    arguments: arguments.to_vec(),
                    results: results.to_vec(),
                }),
            }
        });
        if let Err(fault) = done {
            results.fill(f64::NAN);
            let (file, function) = (file.clone(), function.clone());
            locked(&report.failure).get_or_insert(LawError { file, function, fault });
        }
    })
}

impl LawFile {
    /// Loads the functions of a file that a model calls, and their derivatives.
    fn open(
        path: &Path,
        signatures: &[Signature],
        options: &LawOptions,
    ) -> Result<LawFile, LawError> {
        let error = |function: Option<String>, fault: LawFault| LawError {
            file: path.to_owned(),
            function,
            fault,
        };
        std::fs::File::open(path)
            .map_err(|fault| error(None, LawFault::Unreadable(fault.to_string())))?;
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        let partners = signatures.iter().map(Signature::derivative);
        let seconds = signatures.iter().map(|one| one.derivative().derivative());
        let needed = signatures.iter().cloned().chain(partners).chain(seconds);
        let needed: Vec<Signature> = needed.collect();
        let calls = match ending {
            "py" => python_calls(path, &needed),
            "c" => library::calls(&Code::Source(path), &needed, options),
            "so" | "dylib" => library::calls(&Code::Library(path), &needed, options),
            _ => Err((None, LawFault::Ending)),
        };
        let calls = calls.map_err(|(function, fault)| error(function, fault))?;
        if calls.is_empty() {
            let names = signatures.iter().map(|one| one.name.clone()).collect();
            return Err(error(None, LawFault::Unused(names)));
        }
        Ok(LawFile { path: path.to_owned(), calls })
    }
}

/// The text of a C source of ROBOTRAN's user functions.
fn robotran_source(path: &Path) -> Option<String> {
    let text = path.extension().filter(|ending| *ending == "c").and(std::fs::read(path).ok())?;
    let text = String::from_utf8_lossy(&text).into_owned();
    robotran::is_robotran(&text).then_some(text)
}

type Calls = Result<Vec<(Signature, Call)>, (Option<String>, LawFault)>;

fn python_calls(path: &Path, needed: &[Signature]) -> Calls {
    let python = Arc::new(Python::start(path).map_err(|fault| (None, fault))?);
    let mut calls: Vec<(Signature, Call)> = Vec::new();
    for signature in needed {
        let number = python.functions.iter().position(|(name, ..)| *name == signature.name);
        let Some(number) = number else { continue };
        let (_, least, most) = &python.functions[number];
        let given = signature.arguments;
        if given < *least || most.is_some_and(|most| given > most) {
            let takes = match most {
                Some(most) if most == least => match least {
                    1 => "1 argument".to_owned(),
                    _ => format!("{least} arguments"),
                },
                Some(most) => format!("{least} to {most} arguments"),
                None => format!("at least {least} arguments"),
            };
            let fault = LawFault::Arguments { expected: given, takes };
            return Err((Some(signature.name.clone()), fault));
        }
        let python = Arc::clone(&python);
        calls.push((
            signature.clone(),
            Arc::new(move |arguments, results| python.call(number, arguments, results)),
        ));
    }
    Ok(calls)
}
