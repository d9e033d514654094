//! `--input` and `--input-table`: where the numbers of a model's inputs come from.

use super::failure::Failure;
use super::functions::error;
use clap::Args;
use rotule::input::{Extrapolation, InputSignal, Interpolation, read_table};
use rotule::layers::likely;
use std::path::PathBuf;

/// Signals of inputs.
#[derive(Args)]
pub struct Inputs {
    /// An input as a number or course over t; repeatable.
    #[arg(long = "input", value_name = "NAME=EXPR")]
    pub courses: Vec<String>,

    /// Inputs from a .csv or .parquet table; repeatable.
    #[arg(long = "input-table", value_name = "FILE")]
    pub tables: Vec<PathBuf>,

    /// Tables: linear, previous, cubic.
    #[arg(long, value_name = "W", default_value = "linear")]
    pub interpolation: String,

    /// Tables beyond: hold, repeat, refuse.
    #[arg(long, value_name = "W", default_value = "hold")]
    pub extrapolation: String,
}

impl Inputs {
    /// The signals, in the order of tables and of courses.
    pub fn signals(&self, model: &rotule::Model) -> Result<Vec<(String, InputSignal)>, Failure> {
        let between = choice("--interpolation", &self.interpolation, &Interpolation::ALL)?;
        let beyond = choice("--extrapolation", &self.extrapolation, &Extrapolation::ALL)?;
        let mut signals = Vec::new();
        for path in &self.tables {
            signals.extend(read_table(path, model.mechanism(), between, beyond).map_err(error)?);
        }
        for word in &self.courses {
            let Some((name, course)) = word.split_once('=') else {
                let message = format!("error: --input {word}: missing `=`");
                let help = "\n  = help: write NAME=EXPR, such as `u=0.1*sin(2*t)`";
                return Err(Failure::Text(message + help));
            };
            signals.push((name.trim().to_owned(), course.trim().into()));
        }
        Ok(signals)
    }
}

fn choice<T: Copy>(flag: &str, word: &str, all: &[(T, &'static str)]) -> Result<T, Failure> {
    let found = all.iter().find(|(_, known)| *known == word);
    found.map(|found| found.0).ok_or_else(|| {
        let help = likely(word, all.iter().map(|(_, known)| *known));
        Failure::Text(format!("error: {flag} {word}: unknown word\n  = help: {help}"))
    })
}
