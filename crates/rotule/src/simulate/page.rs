//! The report of a run: what was requested, how it went, plots of all channels, the mechanism in
//! motion.

use super::scene::{poses, scene};
use super::summary::sections;
use super::terrain::terrain;
use crate::picture::Picture;
use rotule_model::mechanism::{BodyId, Mechanism};
use rotule_report::{Badge, Film, Gather, Page, Plot, Scene, Section, TimeMark};
use rotule_simulate::run::{End, Outcome};
use rotule_simulate::simulation::{
    Channel, ChannelGroup, RunSummary, SampleSink, SimulationOptions,
};
use rotule_symbolic::figures::{plain, shown};
use std::io;

/// Points of a curve, and frames of the animation, that a page has at most.
const POINTS: usize = 4000;
const FRAMES: usize = 1500;
/// Curves of one plot at most; more are spread over several.
const CURVES: usize = 12;

/// Collects what a page shows while a run goes on.
pub struct Pictures {
    mechanism: Mechanism,
    channels: Vec<Channel>,
    gather: Gather,
    scene: Scene,
    drawn: Vec<BodyId>,
    film: Film,
    /// Where the coordinates stand among the channels.
    coordinates: usize,
    /// The time of the last point.
    last: f64,
    /// Where the page comes from, for the archive: names and values.
    pub origin: Vec<(String, String)>,
}

impl Pictures {
    /// Pictures of a mechanism; the channels must have the coordinates.
    pub fn new(mechanism: &Mechanism, channels: &[Channel]) -> Pictures {
        let (scene, drawn) = scene(mechanism);
        let coordinates = channels.iter().position(|one| one.group == ChannelGroup::Coordinates);
        Pictures {
            mechanism: mechanism.clone(),
            channels: channels.to_vec(),
            gather: Gather::new(channels.iter().map(|one| one.name.clone()), POINTS),
            film: Film::new(drawn.len(), FRAMES),
            scene,
            drawn,
            coordinates: coordinates.unwrap_or(1),
            last: 0.0,
            origin: Vec::new(),
        }
    }

    /// The frames so far as pictures.
    pub fn picture(&self) -> Picture {
        let (times, poses) = self.film.clone().finish();
        let mut shown = self.scene.clone();
        shown.fixed.extend(terrain(&self.mechanism, &self.drawn, &poses));
        Picture::of(Scene { times, poses, ..shown })
    }

    /// The page of a run that has ended with this summary, or of one that goes on.
    pub fn page(&self, summary: Option<&RunSummary>, options: &SimulationOptions) -> Page {
        let mut curves = self.gather.clone().finish().into_iter().zip(&self.channels);
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
        let (times, poses) = self.film.clone().finish();
        let mut shown = self.scene.clone();
        shown.fixed.extend(terrain(&self.mechanism, &self.drawn, &poses));
        let mut summary_sections =
            summary.map_or_else(|| self.unfinished(options), |summary| sections(summary, options));
        summary_sections.extend(archive(&self.mechanism, &self.origin));
        Page {
            posture: None,
            badge: Some(summary.map_or_else(
                || Badge { good: false, text: "not finished".to_owned() },
                |summary| badge(&summary.outcome.end, summary.verdict.warnings.len()),
            )),
            axis: rotule_report::PlotAxis::default(),
            title: self.mechanism.name.clone(),
            about: self.mechanism.about.clone(),
            summary: summary_sections,
            times: Vec::new(),
            plots,
            marks: summary.map_or(Vec::new(), |summary| marks(&summary.outcome)),
            scene: (!self.drawn.is_empty()).then_some(Scene { times, poses, ..shown }),
        }
    }

    /// The summary of a run that has not ended.
    fn unfinished(&self, options: &SimulationOptions) -> Vec<Section> {
        let reached = format!("{} of {} s", shown(self.last, 6), shown(options.to, 6));
        vec![Section::new("Run").row("end", format!("{reached}: the run had not ended here"))]
    }
}

/// Sections that say with which numbers and by what a page was made.
pub fn archive(mechanism: &Mechanism, origin: &[(String, String)]) -> [Section; 2] {
    let mut parameters = Section::new("Parameters");
    for one in &mechanism.parameters {
        let unit = if one.unit.is_empty() { String::new() } else { format!(" {}", one.unit) };
        parameters = parameters.row(&one.name, format!("{}{unit}", plain(one.value, 12)));
    }
    let version = format!("Rotule {}", env!("CARGO_PKG_VERSION"));
    let section = Section::new("Origin").row("version", version);
    let origin = origin.iter().fold(section, |section, (name, value)| section.row(name, value));
    [parameters, origin]
}

/// The end of a run and the warnings about it, in a few words.
fn badge(end: &End, warnings: usize) -> Badge {
    let warned = match warnings {
        0 => String::new(),
        1 => "1 warning".to_owned(),
        many => format!("{many} warnings"),
    };
    let ended = match end {
        End::Failed(_) => "failed before its end",
        End::Stopped => "stopped before its end",
        End::Reached | End::Event(_) if warnings == 0 => "kept its promise",
        End::Reached | End::Event(_) => "",
    };
    let good = ended == "kept its promise";
    let words: Vec<&str> = [ended, &warned].into_iter().filter(|word| !word.is_empty()).collect();
    Badge { good, text: words.join(", ") }
}

/// Marks at single instants of a run.
fn marks(outcome: &Outcome) -> Vec<TimeMark> {
    let switches = outcome.switches.iter().map(|switch| TimeMark {
        time: switch.t,
        text: format!("independent: {}", switch.to.join(", ")),
    });
    let switched = (outcome.sequence_switches.iter())
        .map(|(time, text)| TimeMark { time: *time, text: format!("sequence: {text}") });
    let events = (outcome.events.iter())
        .map(|event| TimeMark { time: event.t, text: format!("{}: {}", event.name, event.done) });
    let mut marks: Vec<TimeMark> = switches.chain(switched).chain(events).collect();
    marks.sort_by(|one, other| one.time.total_cmp(&other.time));
    marks
}

impl SampleSink for Pictures {
    fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        self.last = numbers[0];
        self.gather.push(numbers[0], numbers);
        if self.film.wants_next() {
            let q = &numbers[self.coordinates..][..self.mechanism.coordinates.len()];
            self.film.push(numbers[0], &poses(&self.mechanism, &self.drawn, q));
        } else {
            self.film.skip();
        }
        Ok(())
    }
}
