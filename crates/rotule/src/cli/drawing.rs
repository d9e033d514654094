//! Curves of a run in the terminal: `--plot`.

use super::failure::Failure;
use super::functions::failure;
use rotule::formalism::Problem;
use rotule::report::terminal::{Look, draw};
use rotule::report::{Gather, Plot};
use rotule::simulate::{Channel, Sink};
use std::io;

/// Points of a curve that are kept.
const POINTS: usize = 1000;

/// Curves for the terminal.
pub struct Drawing {
    /// Positions of the channels, with their units.
    channels: Vec<(usize, String)>,
    gather: Gather,
    row: Vec<f64>,
}

impl Drawing {
    /// Curves of the channels that a list names.
    pub fn new(list: &str, channels: &[Channel]) -> Result<Drawing, Failure> {
        let names: Vec<&str> = list.split(',').map(str::trim).collect();
        let mut found = Vec::new();
        for name in &names {
            let Some(at) = channels.iter().position(|channel| channel.name == *name) else {
                let known = channels.iter().map(|channel| channel.name.as_str());
                let message = format!("there is no channel `{name}` among those of --channels");
                return Err(failure(Problem::new(message, rotule::likely(name, known))));
            };
            found.push((at, channels[at].unit.clone()));
        }
        let gather = Gather::new(names.iter().map(|&name| name.to_owned()), POINTS);
        Ok(Drawing { row: vec![0.0; found.len()], channels: found, gather })
    }

    /// One drawing for each unit.
    pub fn text(self) -> String {
        let mut plots: Vec<Plot> = Vec::new();
        for (curve, (_, unit)) in self.gather.finish().into_iter().zip(self.channels) {
            match plots.iter_mut().find(|plot| plot.unit == unit) {
                Some(plot) => plot.curves.push(curve),
                None => plots.push(Plot { title: String::new(), unit, curves: vec![curve] }),
            }
        }
        let look = Look::of_terminal();
        plots.iter().map(|plot| format!("\n{}", draw(plot, &[], &look))).collect()
    }
}

impl Sink for Drawing {
    fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        for (place, (at, _)) in self.row.iter_mut().zip(&self.channels) {
            *place = numbers[*at];
        }
        self.gather.push(numbers[0], &self.row);
        Ok(())
    }
}
