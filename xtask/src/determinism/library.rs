//! A mathematical library that is wrong on purpose, put in front of the machine's own.
//!
//! Machines differ in the last digit of `exp`, `pow` and their like. Where the ninth digit is
//! another one, and nothing that the program prints or writes is, no result depends on whose
//! functions these are.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process::Call;

/// Functions of one argument that libraries round differently, each with an argument that it is
/// defined for.
const ONE: &[(&str, f64)] = &[
    ("sin", 0.3),
    ("cos", 0.3),
    ("tan", 0.3),
    ("asin", 0.3),
    ("acos", 0.3),
    ("atan", 0.3),
    ("sinh", 0.3),
    ("cosh", 0.3),
    ("tanh", 0.3),
    ("asinh", 0.3),
    ("acosh", 1.3),
    ("atanh", 0.3),
    ("exp", 0.3),
    ("exp2", 0.3),
    ("exp10", 0.3),
    ("expm1", 0.3),
    ("log", 0.3),
    ("log2", 0.3),
    ("log10", 0.3),
    ("log1p", 0.3),
    ("cbrt", 0.3),
];

/// Functions of two arguments.
const TWO: &[&str] = &["atan2", "hypot", "pow"];

/// The library's C, below which each function has a line.
const HEAD: &str = "\
#define _GNU_SOURCE
#include <dlfcn.h>
#define OF(name, arguments, call) \\
    double name arguments { \\
        double (*own) arguments = (double (*) arguments)dlsym(RTLD_NEXT, #name); \\
        return own call * (1 + 1e-9); \\
    }
double sin(double);
double cos(double);
void sincos(double x, double *sine, double *cosine) { *sine = sin(x); *cosine = cos(x); }
";

/// The wrong library.
pub struct Wrong {
    path: Option<PathBuf>,
}

impl Wrong {
    /// The call with the wrong library in front of the machine's.
    pub fn replace(&self, call: Call) -> Call {
        match &self.path {
            Some(path) => call.quiet_variable("LD_PRELOAD", path),
            None => call,
        }
    }

    /// The problem if a program in C that calls each function does not notice the library.
    pub fn problem(&self, folder: &Path) -> Result<Option<String>, Failure> {
        if self.path.is_none() {
            return Ok(None);
        }
        let control = folder.join("control");
        compile(folder, "control", &control_text(), &[], &control)?;
        let call = Call::new(control.to_string_lossy(), "");
        let (own, other) = (call.text()?, self.replace(call).text()?);
        let equal: Vec<&str> =
            own.lines().filter(|line| other.lines().any(|one| one == *line)).collect();
        Ok((!equal.is_empty()).then(|| format!("  it does not replace {}", equal.join(", "))))
    }
}

/// Makes the library.
pub fn wrong(folder: &Path) -> Result<Wrong, Failure> {
    if !cfg!(target_os = "linux") {
        println!("No other mathematical library can be put in front on this system: left out.");
        return Ok(Wrong { path: None });
    }
    let library = folder.join("libwrong.so");
    compile(folder, "wrong", &library_text(), &["-shared", "-fPIC"], &library)?;
    Ok(Wrong { path: Some(library) })
}

fn library_text() -> String {
    let mut text = HEAD.to_string();
    for (name, _) in ONE {
        let _ = writeln!(text, "OF({name}, (double x), (x))");
    }
    for name in TWO {
        let _ = writeln!(text, "OF({name}, (double x, double y), (x, y))");
    }
    text
}

/// A program that prints a line for each function.
fn control_text() -> String {
    let mut text = "#define _GNU_SOURCE\n#include <math.h>\n#include <stdio.h>\n\
        int main(void)\n{\n    volatile double x;\n"
        .to_string();
    for (name, argument) in ONE {
        let _ = writeln!(text, "    x = {argument};\n    printf(\"{name} %.17g\\n\", {name}(x));");
    }
    for name in TWO {
        let _ = writeln!(text, "    x = 0.3;\n    printf(\"{name} %.17g\\n\", {name}(x, 0.7));");
    }
    text + "    return 0;\n}\n"
}

fn compile(
    folder: &Path,
    name: &str,
    text: &str,
    options: &[&str],
    to: &Path,
) -> Result<(), Failure> {
    let source = folder.join(name).with_extension("c");
    fs::write(&source, text).map_err(Failure::file("write", &source))?;
    let call = Call::new("cc", "-O1 -fno-builtin").with("-o").with(to.to_string_lossy());
    let call = options.iter().fold(call, |call, option| call.with(*option));
    call.with(source.to_string_lossy()).with("-ldl").with("-lm").run()
}

/// The problem if a program refers to functions that libraries round differently.
pub fn imports(program: &str) -> Result<Option<String>, Failure> {
    if !cfg!(target_os = "linux") {
        return Ok(None);
    }
    let symbols = Call::new("nm", "--dynamic --undefined-only").with(program).text()?;
    Ok(refers(&symbols))
}

/// The problem in the list that `nm` prints of the symbols a program asks for.
fn refers(symbols: &str) -> Option<String> {
    let mathematical = |name: &&str| {
        ONE.iter().any(|one| one.0 == *name) || TWO.contains(name) || *name == "sincos"
    };
    let names = symbols.lines().filter_map(|line| line.split_whitespace().last());
    let names = names.map(|name| name.split('@').next().unwrap_or(name));
    let found: Vec<&str> = names.filter(mathematical).collect();
    (!found.is_empty()).then(|| {
        format!(
            "  it calls the machine's own {}: call those of `rotule_symbolic::elementary`",
            found.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::refers;

    #[test]
    fn a_program_that_calls_the_machines_functions_is_found() {
        let symbols =
            "                 U malloc@GLIBC_2.2.5\n                 U sqrt@GLIBC_2.2.5\n";
        assert_eq!(refers(symbols), None);
        let symbols = format!("{symbols}                 U pow@GLIBC_2.29\n   U sincos\n");
        assert!(refers(&symbols).unwrap().contains("own pow, sincos:"));
    }
}
