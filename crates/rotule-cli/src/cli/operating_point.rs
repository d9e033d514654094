//! Arguments and steps that the verbs of operating points share: what moves, pages, and
//! `--at equilibrium` of verbs that take a state.

use super::equilibrium::none;
use super::failure::Failure;
use super::functions::error;
use super::output;
use super::part::{Place, write_bytes, wrote};
use super::report::command_line;
use super::session::Session;
use clap::{Args, ValueEnum};
use rotule::layers::report::Page;
use rotule::layers::symbolic::list::names;
use rotule::{Error, State};
use std::path::Path;

/// Speeds of an operating point.
#[derive(Args)]
pub struct Moving {
    /// Joints that move, as spin=10,x; or all.
    #[arg(long, value_name = "NAMES")]
    pub moving: Option<String>,

    /// Joints that move at speeds that are found.
    #[arg(long, value_name = "NAMES")]
    pub steady: Option<String>,
}

impl Moving {
    /// The words of `--moving`.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        names(self.moving.as_deref().unwrap_or_default())
    }

    /// The names of `--steady`.
    pub fn steady(&self) -> impl Iterator<Item = &str> {
        names(self.steady.as_deref().unwrap_or_default())
    }
}

/// A state that is found instead of read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum At {
    /// The equilibrium near the state.
    Equilibrium,
}

/// `--at` of verbs that take a state.
#[derive(Args)]
pub struct AtState {
    /// Go to the equilibrium near the state first.
    #[arg(long, value_name = "equilibrium", hide_possible_values = true)]
    pub at: Option<At>,
}

impl AtState {
    /// The state that a command runs at.
    pub fn of(&self, model: &rotule::Model, state: State) -> Result<State, Failure> {
        if self.at.is_none() {
            return Ok(state);
        }
        output::doing("finding the equilibrium");
        match model.equilibrium().from(&state).solve() {
            Ok(found) => {
                if found.growing().is_some_and(|count| count > 0) {
                    output::remark(&format!("note: the equilibrium is {}", found.stability()));
                }
                Ok(found.state().clone())
            }
            Err(Error::NoEquilibrium(nearest)) => Err(none(&nearest)),
            Err(other) => Err(error(other)),
        }
    }
}

/// Writes a page, with the command that made it.
pub fn write_page(
    session: &Session,
    path: &Path,
    mut page: Page,
    force: bool,
) -> Result<(), Failure> {
    if let Some(origin) = page.summary.last_mut() {
        origin.rows.insert(0, ("command".to_owned(), command_line()));
    }
    let place = Place::new(path, force)?;
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = page.write(&mut bytes);
    write_bytes(session, place, &bytes)?;
    output::remark(wrote(path, None).trim_end());
    Ok(())
}
