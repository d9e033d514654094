//! Curves of a run as text for a terminal: `Run::plot` and `--plot`.

use rotule_formalism::Problem;
use rotule_report::terminal::{Look, draw};
use rotule_report::{Gather, Plot};
use rotule_simulate::simulation::{Channel, SampleSink, select};
use std::io;

/// Points of a curve that are kept.
const POINTS: usize = 1000;

/// Curves that are gathered while a run goes on.
pub struct Drawing {
    /// Positions of the channels, with their units.
    channels: Vec<(usize, String)>,
    gather: Gather,
    row: Vec<f64>,
}

impl Drawing {
    /// Curves of the channels that words stand for.
    pub fn new(words: &[String], channels: &[Channel]) -> Result<Drawing, Problem> {
        let (mut found, mut names) = (Vec::new(), Vec::new());
        for word in words {
            let selected = select(channels, word)?;
            for &at in &selected {
                let Channel { name, unit, .. } = &channels[at];
                found.push((at, unit.clone()));
                // One channel is called as it was requested.
                names.push(if selected.len() == 1 { word.clone() } else { name.clone() });
            }
        }
        let gather = Gather::new(names, POINTS);
        Ok(Drawing { row: vec![0.0; found.len()], channels: found, gather })
    }

    /// One drawing for each unit.
    pub fn text(self, look: &Look) -> String {
        let mut plots: Vec<Plot> = Vec::new();
        for (curve, (_, unit)) in self.gather.finish().into_iter().zip(self.channels) {
            match plots.iter_mut().find(|plot| plot.unit == unit) {
                Some(plot) => plot.curves.push(curve),
                None => plots.push(Plot { title: String::new(), unit, curves: vec![curve] }),
            }
        }
        plots.iter().map(|plot| format!("\n{}", draw(plot, &[], look))).collect()
    }
}

impl SampleSink for Drawing {
    fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        for (place, (at, _)) in self.row.iter_mut().zip(&self.channels) {
            *place = numbers[*at];
        }
        self.gather.push(numbers[0], &self.row);
        Ok(())
    }
}
