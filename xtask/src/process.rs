//! Running other programs: a call that can be printed as the shell line a user would type, and run
//! with its output shown, shown and read, or only read.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Output};

use crate::failure::Failure;

/// A program with its arguments, environment and working folder.
#[derive(Clone, Debug, Default)]
pub struct Call {
    program: String,
    arguments: Vec<String>,
    /// Variables that belong to the command: printed with it.
    environment: Vec<(&'static str, String)>,
    /// Variables that only steer where things go: not printed.
    quiet_environment: Vec<(&'static str, OsString)>,
    folder: Option<PathBuf>,
}

impl Call {
    /// A call of `program`, with the arguments given as one line split at spaces.
    pub fn new(program: impl Into<String>, arguments: &str) -> Self {
        let arguments = arguments.split_whitespace().map(str::to_string).collect();
        Self { program: program.into(), arguments, ..Self::default() }
    }

    /// Adds one argument, which may contain spaces.
    pub fn with(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets a variable that is part of what the command means.
    pub fn variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    /// Sets a variable that a user who repeats the command need not set.
    pub fn quiet_variable(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.quiet_environment.push((name, value.into()));
        self
    }

    /// Sets the folder the program runs in.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Runs the program with its output on the terminal; anything but success is a failure.
    pub fn run(&self) -> Result<(), Failure> {
        let status = self.command().status().map_err(self.not_started())?;
        self.demand(status)
    }

    /// Runs the program, shows every line it prints and hands each to `read`.
    ///
    /// Both streams share one pipe, so lines arrive in the order in which they were printed.
    pub fn run_reading(&self, mut read: impl FnMut(&str)) -> Result<ExitStatus, Failure> {
        let (mut child, pipe) = {
            let (reader, writer) = io::pipe().map_err(self.not_started())?;
            let mut command = self.command();
            // Cargo sees a pipe, so it must be told when a person is watching.
            if io::stderr().is_terminal() {
                command.env("CARGO_TERM_COLOR", "always");
            }
            command.stdout(writer.try_clone().map_err(self.not_started())?).stderr(writer);
            (command.spawn().map_err(self.not_started())?, reader)
            // The command, and with it our end of the pipe, is dropped here: the child's end is the
            // last.
        };
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        while pipe.read_until(b'\n', &mut line).map_err(self.not_started())? > 0 {
            // A closed terminal must not stop the run: the exit status still tells the outcome.
            let _ = io::stdout().write_all(&line);
            read(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
        child.wait().map_err(self.not_started())
    }

    /// Runs the program and returns what it printed, whatever its exit status.
    pub fn output(&self) -> Result<Output, Failure> {
        self.command().output().map_err(self.not_started())
    }

    /// Runs the program and returns its standard output, demanding success.
    pub fn text(&self) -> Result<String, Failure> {
        let output = self.output()?;
        if !output.status.success() {
            // The output was captured, so the reason must be shown before it is lost.
            let _ = io::stderr().write_all(&output.stderr);
        }
        self.demand(output.status)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Turns an exit status other than success into a failure.
    pub fn demand(&self, status: ExitStatus) -> Result<(), Failure> {
        if status.success() {
            return Ok(());
        }
        Err(Failure::Exit { command: self.to_string(), status })
    }

    fn command(&self) -> Command {
        // Cargo hands its own path to the programs it runs: the same toolchain is used throughout.
        let cargo = (self.program == "cargo").then(|| std::env::var_os("CARGO")).flatten();
        let mut command = Command::new(cargo.unwrap_or_else(|| self.program.clone().into()));
        command.args(&self.arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.envs(self.quiet_environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    fn not_started(&self) -> impl Fn(io::Error) -> Failure + use<> {
        let program = self.program.clone();
        move |source| Failure::Start { program: program.clone(), source }
    }
}

/// The shell line that repeats the call.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.environment {
            write!(f, "{name}={} ", quoted(value))?;
        }
        f.write_str(&quoted(&self.program))?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {}", quoted(argument)))
    }
}

/// The word as a shell needs it: in single quotes unless every character is harmless.
fn quoted(word: &str) -> String {
    let harmless = |c: char| c.is_alphanumeric() || "-_=./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(harmless) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_prints_as_the_line_a_user_would_type() {
        let call = Call::new("cargo", "doc --no-deps")
            .with("it's")
            .variable("RUSTDOCFLAGS", "-D warnings")
            .quiet_variable("CARGO_TARGET_DIR", "elsewhere");
        assert_eq!(call.to_string(), r"RUSTDOCFLAGS='-D warnings' cargo doc --no-deps 'it'\''s'");
    }

    #[test]
    fn lines_of_both_streams_arrive_in_order_with_the_status() {
        let call = Call::new("sh", "-c").with("echo one; echo two >&2; echo three; exit 3");
        let mut lines = Vec::new();
        let status = call.run_reading(|line| lines.push(line.to_string())).unwrap();
        assert_eq!(lines, ["one", "two", "three"]);
        assert_eq!(status.code(), Some(3));
        let failure = call.demand(status).unwrap_err().to_string();
        assert!(failure.contains("`sh -c 'echo one;"), "{failure}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let failure = Call::new("no-such-program", "").run().unwrap_err().to_string();
        assert!(failure.contains("`no-such-program` could not be started"), "{failure}");
    }
}
