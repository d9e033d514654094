//! `rotule equilibrium`: states in which forces balance, and their course over a quantity.

use super::failure::Failure;
use super::functions::{error, state};
use super::laws::{ModelWithLaws, judge};
use super::models::open_counting;
use super::operating_point::{Moving, write_page};
use super::output;
use super::part::write_text;
use super::session::Session;
use super::view::checked;
use clap::Args;
use rotule::Error;
use rotule::analysis::{Equilibrium, EquilibriumBranches, FindEquilibrium, QuantityRange};
use rotule::layers::symbolic::list::names;
use std::path::PathBuf;

#[derive(Args)]
pub struct FindsEquilibrium {
    #[command(flatten)]
    pub source: ModelWithLaws,

    #[command(flatten)]
    pub moving: Moving,

    /// Hold a coordinate and find a quantity; repeatable.
    #[arg(long, value_name = "Q=NAME")]
    pub exchange: Vec<String>,

    /// Find a quantity, as "k: z - 0.3 = 0"; repeatable.
    #[arg(long, value_name = "EQUATION")]
    pub add: Vec<String>,

    /// Coordinates that stay, whose forces may be left.
    #[arg(long, value_name = "NAMES")]
    pub ignore: Option<String>,

    /// Look for others, from N random starts.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "40", value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with_all = ["follow", "quasi_static"])]
    pub all: Option<u32>,

    /// Follow it over a quantity, through folds.
    #[arg(long = "continue", value_name = "R")]
    pub follow: Option<String>,

    /// Find it at numbers of a quantity in turn.
    #[arg(long, value_name = "R", conflicts_with = "follow")]
    pub quasi_static: Option<String>,

    /// Read the state to begin at; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Set a parameter, in SI or as "500 mm"; repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Write the state (.json), or the course (.csv).
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Write a page of the course with plots: .html.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,

    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
The search begins at the state. Speeds are zero but for those of --moving, which
keep the state's speed or get one, as spin=10, and of --steady, whose speeds are
found. Where there is none at rest and the state moves along coordinates that
nothing resists, as a vehicle does, their speeds are found. Where forces have no
slope, as of a wheel in the air, the model is let go until it rests. Directions
that change nothing are named. A residual is in parts of the weight. R is
NAME=FROM..TO, with a number of points NAME=FROM..TO:N.

What is found in exchange or besides is a parameter, an input, a speed, or an
effort such as q1.effort; equations of --add use the names of events. The file
of --out is a state for --state of every command, with all that was found.

Examples:
  rotule equilibrium examples/motorcycle.toml --out steady.json
  rotule equilibrium examples/double_pendulum.toml --all
  rotule equilibrium examples/slider_crank.toml --exchange q1=q1.effort
  rotule equilibrium examples/flyball_governor.toml --continue psi.d=1..9";

/// `rotule equilibrium`
pub fn equilibrium(requested: &FindsEquilibrium, session: &Session) -> Result<(), Failure> {
    let course = requested.follow.is_some() || requested.quasi_static.is_some();
    if let Some(path) = &requested.out {
        checked(path, if course { &["csv"] } else { &["json"] })?;
    }
    if let Some(path) = &requested.report {
        if !course {
            return Err(Failure::Arguments(
                "error: --report shows the course of an equilibrium\n  = help: add --continue or --quasi-static"
                    .to_owned(),
            ));
        }
        checked(path, &["html"])?;
    }
    let (mut model, remarks) =
        open_counting(&requested.source.model, Some(&requested.source.loops))?;
    requested.source.laws.supply(&mut model)?;
    let file = requested.state.as_deref();
    let begin = state(&requested.source.model, file, None, &requested.set, &mut model)?;
    output::doing("finding the equilibrium");
    drop(remarks);
    let find = requested.described(model.equilibrium().from(&begin))?;
    if let Some(starts) = requested.all {
        let found = judge(&model, find.solve_all(starts as usize).map_err(error))?;
        return requested.show_all(&found, session, &model);
    }
    let range = match (&requested.follow, &requested.quasi_static) {
        (Some(text), _) => Some((true, QuantityRange::parse("--continue", text).map_err(error)?)),
        (_, Some(text)) => {
            Some((false, QuantityRange::parse("--quasi-static", text).map_err(error)?))
        }
        _ => None,
    };
    match range {
        Some((true, range)) => {
            let found = judge(&model, find.follow(&range).map_err(error))?;
            requested.show_course(&found, session)
        }
        Some((false, range)) => {
            let found = judge(&model, find.quasi_static(&range).map_err(error))?;
            requested.show_course(&found, session)
        }
        None => match find.solve() {
            Ok(found) => judge(&model, requested.show(&found, session, &model)),
            Err(Error::NoEquilibrium(nearest)) => {
                if requested.json {
                    output::data(&format!("{:#}\n", nearest.json()))?;
                }
                Err(none(&nearest))
            }
            Err(other) => judge(&model, Err(error(other))),
        },
    }
}

/// The message about an equilibrium that does not exist.
pub fn none(nearest: &Equilibrium) -> Failure {
    let text = nearest.to_string();
    let lines = text.trim_end();
    Failure::Text(format!(
        "error: {lines}\n  = help: begin elsewhere by --state, let go of a coordinate by --ignore, or find what is missing by --exchange"
    ))
}

impl FindsEquilibrium {
    fn described<'m>(&self, mut find: FindEquilibrium<'m>) -> Result<FindEquilibrium<'m>, Failure> {
        for word in self.moving.words() {
            find = find.moving(word);
        }
        for name in self.moving.steady() {
            find = find.steady(name);
        }
        for name in names(self.ignore.as_deref().unwrap_or_default()) {
            find = find.ignore(name);
        }
        for word in &self.exchange {
            let Some((held, found)) = word.split_once('=') else {
                let help = "write COORDINATE=QUANTITY, such as `z=preload`";
                let message = format!("error: --exchange {word}: missing `=`\n  = help: {help}");
                return Err(Failure::Arguments(message));
            };
            find = find.exchange(held.trim(), found.trim());
        }
        for word in &self.add {
            let parts = word.split_once(':').and_then(|(name, rest)| {
                let (expression, zero) = rest.rsplit_once('=')?;
                (zero.trim() == "0").then_some((name.trim(), expression.trim()))
            });
            let Some((name, expression)) = parts else {
                let help = "write 'NAME: EXPR = 0', such as 'k: z - 0.3 = 0'";
                let message = format!(
                    "error: --add {word}: expected a quantity and an equation\n  = help: {help}"
                );
                return Err(Failure::Arguments(message));
            };
            find = find.add(name, expression);
        }
        Ok(find)
    }

    fn show(
        &self,
        found: &Equilibrium,
        session: &Session,
        model: &rotule::Model,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.out {
            let text = model.state_to_json(found.state()).map_err(error)?;
            write_text(session, path, &text, self.force)?;
        }
        match self.json {
            true => output::data(&format!("{:#}\n", found.json())),
            false => output::result(&found.to_string()),
        }
    }

    fn show_all(
        &self,
        found: &[Equilibrium],
        session: &Session,
        model: &rotule::Model,
    ) -> Result<(), Failure> {
        let Some(first) = found.first() else {
            return Err(Failure::Text(
                "error: no start led to an equilibrium\n  = help: give another state by --state, or more starts"
                    .to_owned(),
            ));
        };
        if let Some(path) = &self.out {
            let text = model.state_to_json(first.state()).map_err(error)?;
            write_text(session, path, &text, self.force)?;
        }
        if self.json {
            let all: Vec<_> = found.iter().map(Equilibrium::json).collect();
            return output::data(&format!("{:#}\n", serde_list(all)));
        }
        for (at, one) in found.iter().enumerate() {
            let gap = if at > 0 { "\n" } else { "" };
            output::result(&format!("{gap}{}: {one}", at + 1))?;
        }
        Ok(())
    }

    fn show_course(&self, found: &EquilibriumBranches, session: &Session) -> Result<(), Failure> {
        if let Some(path) = &self.out {
            write_text(session, path, &found.csv(), self.force)?;
        }
        if let Some(path) = &self.report {
            write_page(session, path, found.page(), self.force)?;
        }
        match self.json {
            true => output::data(&format!("{:#}\n", found.json())),
            false => output::result(&found.to_string()),
        }
    }
}

/// A list of JSON values as one.
fn serde_list<T: std::fmt::Display>(all: Vec<T>) -> String {
    let texts: Vec<String> = all.iter().map(|one| format!("{one:#}")).collect();
    format!("[{}]", texts.join(", "))
}
