//! Trying laws in C in another process: what crashes, does not return or does not keep to its
//! arguments and results shall do so there first.
//!
//! The other process is a program that calls [`probe`], such as `rotule` itself. It says on its
//! output which function it calls, so that a crash is known to be of that one.

use super::Signature;
use super::fault::LawFault;
use super::how_it_ended;
use rotule_jit::UserLibrary;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The first argument of a program that is to [`probe`].
pub const PROBE: &str = "probe-laws";
/// Seconds until a call must have returned.
const CALL: f64 = 5.0;
/// Numbers beyond arguments and results, to see what a function reads and writes there.
const MARGIN: usize = 64;
/// The first character of a line that is told, so that what laws print is not taken for one.
const TOLD: char = '\u{1}';
/// A number that no law writes: a NaN with bits of ours.
const UNTOUCHED: u64 = 0x7ff8_0526_0526_0526;

/// Calls functions of a library twice and writes a line before and after each.
pub fn probe(library: &Path, functions: &[String], told: &mut dyn Write) -> io::Result<()> {
    let opened = match UserLibrary::open(library) {
        Ok(opened) => opened,
        Err(error) => return writeln!(told, "\n{TOLD}unloaded {}", one_line(&error.to_string())),
    };
    for text in functions {
        let Some(Signature { name, arguments, results, .. }) = parse(text) else {
            return writeln!(told, "\n{TOLD}unloaded `{text}` is no function");
        };
        let Some(function) = opened.function(&name) else {
            writeln!(told, "\n{TOLD}missing {name}")?;
            continue;
        };
        writeln!(told, "\n{TOLD}call {name}")?;
        told.flush()?;
        let call = |beyond: f64| {
            let mut x: Vec<f64> = (1..=arguments).map(|at| 0.1 * at as f64).collect();
            x.resize(arguments + MARGIN, beyond);
            let mut y = vec![f64::from_bits(UNTOUCHED); results + MARGIN];
            function.call(&x, &mut y);
            y
        };
        let (first, second) = (call(f64::NAN), call(0.0));
        let written = |y: &[f64]| y.iter().filter(|one| one.to_bits() != UNTOUCHED).count();
        let verdict = if written(&second[results..]) > 0 {
            "beyond".to_owned()
        } else if written(&second[..results]) < results {
            format!("results {}", written(&second[..results]))
        } else if (0..results).any(|at| first[at].is_nan() && !second[at].is_nan()) {
            "arguments".to_owned()
        } else {
            "fine".to_owned()
        };
        writeln!(told, "\n{TOLD}{verdict}")?;
        told.flush()?;
    }
    writeln!(told, "\n{TOLD}end")
}

/// Has a program probe a library. Gives the first function at fault, if it is about one.
pub(super) fn probe_by(
    program: &Path,
    library: &Path,
    functions: &[Signature],
) -> Result<(), (Option<String>, LawFault)> {
    let started = Command::new(program)
        .arg(PROBE)
        .arg(library)
        .args(functions.iter().map(text))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = started.map_err(|error| {
        (None, LawFault::Unavailable(format!("{} cannot be started: {error}", program.display())))
    })?;
    let Some(stdout) = child.stdout.take() else { unreachable!("it is a pipe") };
    let (send, lines) = channel();
    thread::spawn(move || {
        // What laws print comes between, and may be anything.
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            if let Some(told) = String::from_utf8_lossy(&line).strip_prefix(TOLD)
                && send.send(told.to_owned()).is_err()
            {
                return;
            }
        }
    });
    let mut now: Option<&Signature> = None;
    let fault = loop {
        let line = match lines.recv_timeout(Duration::from_secs_f64(CALL)) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => break Some(LawFault::TooLong(CALL)),
            Err(RecvTimeoutError::Disconnected) => {
                break Some(LawFault::Ended(how_it_ended(&mut child)));
            }
        };
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let expected = |of: fn(&Signature) -> usize| now.map_or(0, of);
        match word {
            "call" => now = functions.iter().find(|one| one.name == rest),
            "fine" | "missing" => now = None,
            "beyond" => {
                break Some(LawFault::WritesBeyond { expected: expected(|one| one.results) });
            }
            "arguments" => {
                break Some(LawFault::ReadsBeyond { expected: expected(|one| one.arguments) });
            }
            "results" => {
                let found = rest.parse().unwrap_or(0);
                break Some(LawFault::Results { expected: expected(|one| one.results), found });
            }
            "unloaded" => break Some(LawFault::NotLoaded(rest.to_owned())),
            "end" => break None,
            _ => {}
        }
    };
    let _ = child.kill();
    let _ = child.wait();
    fault.map_or(Ok(()), |fault| Err((now.map(|one| one.name.clone()), fault)))
}

/// A signature as an argument of the program.
fn text(signature: &Signature) -> String {
    format!("{}:{}:{}", signature.name, signature.arguments, signature.results)
}

/// The signature that an argument of the program means.
fn parse(text: &str) -> Option<Signature> {
    let (rest, results) = text.rsplit_once(':')?;
    let (name, arguments) = rest.rsplit_once(':')?;
    let (arguments, results) = (arguments.parse().ok()?, results.parse().ok()?);
    Some(Signature { name: name.to_owned(), names: Vec::new(), arguments, results })
}

fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}
