//! `rotule modes`: damped eigenvalues and shapes of small motions, and their course over a
//! quantity.

use super::equilibrium::none;
use super::failure::Failure;
use super::functions::{error, state};
use super::laws::{ModelWithLaws, judge};
use super::models::open_counting;
use super::operating_point::{AtState, Moving, write_page};
use super::output;
use super::part::write_text;
use super::session::Session;
use super::view::checked;
use clap::Args;
use rotule::Error;
use rotule::analysis::QuantityRange;
use rotule::layers::report::number::plain;
use std::path::PathBuf;

#[derive(Args)]
pub struct ModesOf {
    #[command(flatten)]
    pub source: ModelWithLaws,

    #[command(flatten)]
    pub at: AtState,

    #[command(flatten)]
    pub moving: Moving,

    /// Follow the modes over a quantity.
    #[arg(long, value_name = "RANGE")]
    pub vary: Option<String>,

    /// Read the state; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Set a parameter, in SI or as "500 mm"; repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Write eigenvalues and shapes: .csv.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Write a page with moving shapes, or plots: .html.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Write a page with the complex plane: .html.
    #[arg(long, value_name = "FILE", requires = "vary")]
    pub root_locus: Option<PathBuf>,

    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,

    /// Print the modes as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
Small motions about the state, loops closed, dampers and speeds included: with
an eigenvalue s = re + i im, the frequency is im/2 pi, the undamped one
|s|/2 pi, the damping ratio -re/|s|. Participation is a share in the kinetic
energy. Motions that nothing resists are named as rigid; their eigenvalues are
zero.

--at equilibrium finds the equilibrium first, at rest but for --moving. --vary
follows each mode over a parameter, an input or a speed by modal assurance, and
tells where one begins to grow; the equilibrium is found anew each time. Its
RANGE is NAME=FROM..TO:N, with N points.

Examples:
  rotule modes examples/motorcycle.toml --at equilibrium --report modes.html
  rotule modes examples/double_pendulum.toml --at equilibrium --json
  rotule modes examples/motorcycle.toml --at equilibrium";

/// `rotule modes`
pub fn modes(requested: &ModesOf, session: &Session) -> Result<(), Failure> {
    if let Some(path) = &requested.out {
        checked(path, &["csv"])?;
    }
    for path in [&requested.report, &requested.root_locus].into_iter().flatten() {
        checked(path, &["html"])?;
    }
    let (mut model, remarks) =
        open_counting(&requested.source.model, Some(&requested.source.loops))?;
    requested.source.laws.supply(&mut model)?;
    let file = requested.state.as_deref();
    let begin = state(&requested.source.model, file, None, &requested.set, &mut model)?;
    drop(remarks);
    output::doing("finding the modes");
    let mut find = model.modes().from(&begin).at_equilibrium(requested.at.at.is_some());
    for word in requested.moving.words() {
        find = find.moving(word);
    }
    for name in requested.moving.steady() {
        find = find.steady(name);
    }
    if let Some(text) = &requested.vary {
        let range = QuantityRange::parse("--vary", text).map_err(error)?;
        let found = judge(&model, find.follow(&range).map_err(error))?;
        warn(found.residual());
        if let Some(path) = &requested.out {
            write_text(session, path, &found.csv(), requested.force)?;
        }
        if let Some(path) = &requested.report {
            write_page(session, path, found.page(), requested.force)?;
        }
        if let Some(path) = &requested.root_locus {
            write_page(session, path, found.plane(), requested.force)?;
        }
        return match requested.json {
            true => output::data(&format!("{:#}\n", found.json())),
            false => output::result(&found.to_string()),
        };
    }
    let found = match find.solve() {
        Err(Error::NoEquilibrium(nearest)) => return Err(none(&nearest)),
        other => judge(&model, other.map_err(error))?,
    };
    warn(found.residual());
    if let Some(path) = &requested.out {
        write_text(session, path, &found.csv(), requested.force)?;
    }
    if let Some(path) = &requested.report {
        write_page(session, path, found.page(), requested.force)?;
    }
    match requested.json {
        true => output::data(&format!("{:#}\n", found.json())),
        false => output::result(&found.to_string()),
    }
}

/// A residual up to which a state counts as an equilibrium.
const BALANCED: f64 = 1e-8;

/// Warns of a state that is no equilibrium.
fn warn(residual: f64) {
    if residual > BALANCED {
        output::remark(&format!(
            "warning: the state is not an equilibrium: {} of the weight is left; these are modes of the moment\n  = help: go there by --at equilibrium",
            plain(residual, 3)
        ));
    }
}
