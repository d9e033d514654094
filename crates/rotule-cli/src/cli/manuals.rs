//! `rotule completions` and `rotule man`: what shells and `man` know of the commands, from the
//! definitions of the arguments.

use super::arguments::Arguments;
use super::failure::Failure;
use super::output;
use super::part::write_text;
use super::session::Session;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::fs;
use std::path::PathBuf;

#[derive(Args)]
pub struct Completions {
    /// The shell.
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// The text that `--help` of `completions` adds.
pub const COMPLETIONS: &str = "\
The script goes to standard output. Where shells look for it:
  bash        ~/.local/share/bash-completion/completions/rotule
  zsh         a file _rotule in a folder of $fpath, such as ~/.zfunc
  fish        ~/.config/fish/completions/rotule.fish
  powershell  the file that $PROFILE names, at its end
  elvish      ~/.config/elvish/rc.elv, at its end

Examples:
  rotule completions bash
  rotule completions zsh";

#[derive(Args)]
pub struct Man {
    /// The folder to write pages to; it is made if need be.
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Replace pages that exist.
    #[arg(long, requires = "dir")]
    pub force: bool,
}

/// The text that `--help` of `man` adds.
pub const MAN: &str = "\
Without DIR, the page of `rotule` itself goes to standard output. With it, there
is a page for every command, such as rotule-simulate.1.

Examples:
  rotule man | man -l -
  rotule man ~/.local/share/man/man1";

/// `rotule completions`
pub fn completions(requested: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(requested.shell, &mut Arguments::command(), "rotule", &mut script);
    output::data(&String::from_utf8_lossy(&script))
}

/// `rotule man`
pub fn man(requested: &Man, session: &Session) -> Result<(), Failure> {
    let mut command = Arguments::command();
    command.build();
    let page = |command: &clap::Command, name: &str| {
        let mut page = Vec::new();
        let rendered = clap_mangen::Man::new(command.clone()).title(name).render(&mut page);
        rendered.map_err(Failure::Write).map(|()| String::from_utf8_lossy(&page).into_owned())
    };
    let Some(dir) = &requested.dir else { return output::data(&page(&command, "rotule")?) };
    let name = dir.display().to_string();
    fs::create_dir_all(dir).map_err(|error| Failure::WriteFile { name, error })?;
    let mut count = 0;
    let verbs = command.get_subcommands().filter(|verb| verb.get_name() != "help");
    for one in [&command].into_iter().chain(verbs) {
        let name = one.get_display_name().unwrap_or_else(|| one.get_name());
        let text = page(one, name)?;
        write_text(session, &dir.join(format!("{name}.1")), &text, requested.force)?;
        count += 1;
    }
    match output::is_quiet() {
        true => Ok(()),
        false => output::result(&format!("wrote {count} pages to {}\n", dir.display())),
    }
}
