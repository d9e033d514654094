//! Arguments that all commands which compute motions share.

use super::arguments::number;
use super::inputs::Inputs;
use super::laws::ModelWithLaws;
use clap::Args;

/// A model, its inputs, and how long and how exactly it moves.
#[derive(Args)]
pub struct Motion {
    #[command(flatten)]
    pub source: ModelWithLaws,

    #[command(flatten)]
    pub inputs: Inputs,

    /// When a motion ends, in seconds.
    #[arg(long, value_name = "T", value_parser = number)]
    pub to: f64,

    /// Make steps of this length.
    #[arg(long, value_name = "H", value_parser = number, conflicts_with_all = ["rtol", "atol"])]
    pub dt: Option<f64>,

    /// Relative tolerance of a step.
    #[arg(long, value_name = "R", value_parser = number, default_value = "1e-8")]
    pub rtol: f64,

    /// Absolute tolerance of a step.
    #[arg(long, value_name = "A", value_parser = number, default_value = "1e-10")]
    pub atol: f64,
}
