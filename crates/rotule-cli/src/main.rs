//! The command line of Rotule: arguments in, the library's answers out.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(std::env::args_os())
}
