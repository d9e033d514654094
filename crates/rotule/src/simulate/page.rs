//! The report of a run: what was asked, how it went, plots of all channels, the mechanism in motion.

use super::channels::{Channel, Group};
use super::scene::{poses, scene};
use super::summary::sections;
use super::{Sink, Summary, Wish};
use rotule_model::mechanism::{BodyId, Mechanism};
use rotule_report::{Film, Gather, Mark, Page, Plot, Scene};
use std::io;

/// Points of a curve, and frames of the animation, that a page has at most.
const POINTS: usize = 4000;
const FRAMES: usize = 1500;
/// Curves of one plot at most; more are spread over several.
const CURVES: usize = 12;

/// Collects what a page shows while a run goes on.
pub struct Pictures<'a> {
    mechanism: &'a Mechanism,
    channels: Vec<Channel>,
    gather: Gather,
    scene: Scene,
    drawn: Vec<BodyId>,
    film: Film,
    /// Where the coordinates stand among the channels.
    coordinates: usize,
}

impl<'a> Pictures<'a> {
    /// Pictures of a mechanism; the channels must have the coordinates.
    pub fn new(mechanism: &'a Mechanism, channels: &[Channel]) -> Pictures<'a> {
        let (scene, drawn) = scene(mechanism);
        let coordinates = channels.iter().position(|one| one.group == Group::Coordinates);
        Pictures {
            mechanism,
            channels: channels.to_vec(),
            gather: Gather::new(channels.iter().map(|one| one.name.clone()), POINTS),
            film: Film::new(drawn.len(), FRAMES),
            scene,
            drawn,
            coordinates: coordinates.unwrap_or(1),
        }
    }

    /// The page.
    pub fn page(self, summary: &Summary, wish: &Wish) -> Page {
        let mut curves = self.gather.finish().into_iter().zip(&self.channels);
        let mut plots: Vec<Plot> = Vec::new();
        // Time itself is no curve.
        let _ = curves.next();
        for (curve, channel) in curves {
            let title = channel.group.title();
            let fits = |plot: &&mut Plot| {
                plot.title == title && plot.unit == channel.unit && plot.curves.len() < CURVES
            };
            match plots.iter_mut().rev().find(fits) {
                Some(plot) => plot.curves.push(curve),
                None => plots.push(Plot {
                    title: title.to_owned(),
                    unit: channel.unit.clone(),
                    curves: vec![curve],
                }),
            }
        }
        let outcome = &summary.outcome;
        let switches = outcome.switches.iter().map(|switch| Mark {
            time: switch.t,
            text: format!("independent: {}", switch.to.join(", ")),
        });
        let switched = (outcome.sequence_switches.iter())
            .map(|(time, text)| Mark { time: *time, text: format!("sequence: {text}") });
        let events = outcome
            .events
            .iter()
            .map(|event| Mark { time: event.t, text: format!("{}: {}", event.name, event.done) });
        let mut marks: Vec<Mark> = switches.chain(switched).chain(events).collect();
        marks.sort_by(|one, other| one.time.total_cmp(&other.time));
        let (times, poses) = self.film.finish();
        Page {
            title: self.mechanism.name.clone(),
            about: self.mechanism.about.clone(),
            summary: sections(summary, wish),
            times: Vec::new(),
            plots,
            marks,
            scene: (!self.drawn.is_empty()).then_some(Scene { times, poses, ..self.scene }),
        }
    }
}

impl Sink for Pictures<'_> {
    fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        self.gather.push(numbers[0], numbers);
        if self.film.wants_next() {
            let q = &numbers[self.coordinates..][..self.mechanism.coordinates.len()];
            self.film.push(numbers[0], &poses(self.mechanism, &self.drawn, q));
        } else {
            self.film.skip();
        }
        Ok(())
    }
}
