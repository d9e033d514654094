//! Collecting what a page shows while a run goes on, in bounded memory however long the run is.
//!
//! A [`Gather`] keeps the lowest and the highest value of every stretch of time; when there are too
//! many stretches, neighbours are joined. A [`Film`] keeps frames in the same way, by leaving out
//! every other one.

use crate::data::Curve;
use crate::scene::BodyPose;

/// Collects several quantities over time.
#[derive(Clone, Debug)]
pub struct Gather {
    channels: Vec<Channel>,
    /// Stretches per channel at which neighbours are joined.
    limit: usize,
    /// Samples per stretch.
    length: usize,
    samples: usize,
}

#[derive(Clone, Debug)]
struct Channel {
    name: String,
    stretches: Vec<Stretch>,
    /// Kept apart, so that the curves of one run have one range of time.
    first: (f64, f64),
    last: (f64, f64),
}

/// The lowest and the highest sample of a stretch with their times, and the time of its first gap.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    low: (f64, f64),
    high: (f64, f64),
    gap: f64,
}

impl Stretch {
    fn of(time: f64, value: f64) -> Self {
        let (sample, gap) =
            if value.is_finite() { ((time, value), f64::NAN) } else { ((time, f64::NAN), time) };
        Self { low: sample, high: sample, gap }
    }

    fn join(&mut self, other: &Stretch) {
        // A number replaces a gap.
        if self.low.1.is_nan() || other.low.1 < self.low.1 {
            self.low = other.low;
        }
        if self.high.1.is_nan() || other.high.1 > self.high.1 {
            self.high = other.high;
        }
        if self.gap.is_nan() {
            self.gap = other.gap;
        }
    }

    /// The samples in the order of time.
    fn samples(&self) -> Vec<(f64, f64)> {
        let mut samples = vec![self.low, self.high, (self.gap, f64::NAN)];
        samples.retain(|&(time, value)| !time.is_nan() && (value.is_finite() || time == self.gap));
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        samples.dedup_by(|a, b| a.0 == b.0 && (a.1 == b.1 || a.1.is_nan() && b.1.is_nan()));
        samples
    }
}

impl Gather {
    /// A collection of quantities with these names, of which at most about `points` are kept per
    /// quantity.
    pub fn new(names: impl IntoIterator<Item = String>, points: usize) -> Self {
        let none = (f64::NAN, f64::NAN);
        let channel = |name| Channel { name, stretches: Vec::new(), first: none, last: none };
        let channels = names.into_iter().map(channel).collect();
        Self { channels, limit: (points / 2).max(4), length: 1, samples: 0 }
    }

    /// Adds the values of all quantities at one instant; what is missing counts as a gap.
    pub fn push(&mut self, time: f64, values: &[f64]) {
        if !time.is_finite() {
            return;
        }
        if self.samples.is_multiple_of(self.length) && self.samples / self.length >= self.limit {
            self.join_neighbours();
        }
        let begins = self.samples.is_multiple_of(self.length);
        for (index, channel) in self.channels.iter_mut().enumerate() {
            let value = values.get(index).copied().unwrap_or(f64::NAN);
            let sample = Stretch::of(time, value);
            match channel.stretches.last_mut() {
                Some(stretch) if !begins => stretch.join(&sample),
                _ => channel.stretches.push(sample),
            }
            if self.samples == 0 {
                channel.first = (time, value);
            }
            channel.last = (time, value);
        }
        self.samples += 1;
    }

    /// Number of samples that were added.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The curves, one per quantity in the order of the names.
    pub fn finish(self) -> Vec<Curve> {
        let samples = self.samples;
        let curve = |channel: Channel| {
            let mut points: Vec<_> = channel.stretches.iter().flat_map(Stretch::samples).collect();
            if points.first().is_some_and(|first| first.0 > channel.first.0) {
                points.insert(0, channel.first);
            }
            if points.last().is_some_and(|last| last.0 < channel.last.0) {
                points.push(channel.last);
            }
            let (times, values) = points.into_iter().unzip();
            Curve { name: channel.name, values, times, samples }
        };
        self.channels.into_iter().map(curve).collect()
    }

    fn join_neighbours(&mut self) {
        for channel in &mut self.channels {
            let join = |pair: &[Stretch]| {
                let mut joined = pair[0];
                pair[1..].iter().for_each(|next| joined.join(next));
                joined
            };
            channel.stretches = channel.stretches.chunks(2).map(join).collect();
        }
        self.length *= 2;
    }
}

/// Collects frames of an animation.
#[derive(Clone, Debug)]
pub struct Film {
    bodies: usize,
    limit: usize,
    /// One of so many frames is kept.
    stride: usize,
    frames: usize,
    times: Vec<f64>,
    poses: Vec<BodyPose>,
    last: Option<(f64, Vec<BodyPose>)>,
}

impl Film {
    /// An empty film of so many bodies, of which at most `frames` are kept, and the last.
    pub fn new(bodies: usize, frames: usize) -> Self {
        let limit = frames.max(4);
        Self { bodies, limit, stride: 1, frames: 0, times: vec![], poses: vec![], last: None }
    }

    /// Returns `true` if the next frame would be kept if no other followed; poses of other frames
    /// need not be computed.
    pub fn wants_next(&self) -> bool {
        self.frames.is_multiple_of(self.stride)
    }

    /// Passes over a frame that is not needed.
    pub fn skip(&mut self) {
        self.frames += 1;
    }

    /// Adds a frame; missing poses count as identity.
    pub fn push(&mut self, time: f64, poses: &[BodyPose]) {
        let padded =
            poses.iter().copied().chain(std::iter::repeat(BodyPose::IDENTITY)).take(self.bodies);
        if self.wants_next() {
            if self.times.len() >= self.limit {
                self.halve();
            }
            if self.wants_next() {
                self.times.push(time);
                self.poses.extend(padded);
                self.last = None;
                self.frames += 1;
                return;
            }
        }
        self.last = Some((time, padded.collect()));
        self.frames += 1;
    }

    /// The instants and the poses, as a [`Scene`](crate::Scene) has them; the last frame is always
    /// among them.
    pub fn finish(mut self) -> (Vec<f64>, Vec<BodyPose>) {
        if let Some((time, poses)) = self.last {
            self.times.push(time);
            self.poses.extend(poses);
        }
        (self.times, self.poses)
    }

    fn halve(&mut self) {
        let every_other = |index: &usize| index.is_multiple_of(2);
        self.times = (0..self.times.len()).filter(every_other).map(|k| self.times[k]).collect();
        let frames = self.poses.chunks(self.bodies.max(1)).step_by(2);
        self.poses = frames.flatten().copied().collect();
        self.stride *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(points: usize, values: &[f64]) -> Curve {
        let mut gather = Gather::new(["x".to_string()], points);
        for (index, value) in values.iter().enumerate() {
            gather.push(index as f64, &[*value]);
        }
        gather.finish().remove(0)
    }

    #[test]
    fn short_runs_are_kept_whole() {
        let curve = gathered(100, &[3.0, 1.0, f64::NAN, 2.0]);
        assert_eq!(curve.times, [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(curve.samples, 4);
        assert!(curve.values[2].is_nan());
        assert_eq!([curve.values[0], curve.values[1], curve.values[3]], [3.0, 1.0, 2.0]);
    }

    #[test]
    fn long_runs_keep_spikes_gaps_and_the_end_in_bounded_memory() {
        let mut values = vec![0.0; 300_001];
        values[123_456] = 9.0;
        values[200_002] = -9.0;
        values[250_000] = f64::INFINITY;
        values[300_000] = 0.5;
        let curve = gathered(1000, &values);
        assert!((250..=1000).contains(&curve.values.len()), "{}", curve.values.len());
        let at = |time: f64| curve.times.iter().position(|t| *t == time).map(|k| curve.values[k]);
        assert_eq!(at(123_456.0), Some(9.0));
        assert_eq!(at(200_002.0), Some(-9.0));
        assert!(at(250_000.0).is_some_and(f64::is_nan));
        assert_eq!(at(300_000.0), Some(0.5));
        assert!(curve.times.is_sorted());
        assert_eq!(curve.samples, 300_001);
    }

    #[test]
    fn curves_of_one_run_have_one_range_of_time() {
        let mut gather = Gather::new(["up", "down", "wave"].map(str::to_owned), 20);
        for k in 0..1000 {
            let t = f64::from(k);
            gather.push(t, &[t, -t, (t * 1.3).sin()]);
        }
        for curve in gather.finish() {
            let ends = [curve.times.first(), curve.times.last()];
            assert_eq!(ends, [Some(&0.0), Some(&999.0)], "{}", curve.name);
            assert!(curve.times.is_sorted());
        }
    }

    #[test]
    fn films_keep_even_frames_and_the_last() {
        let mut film = Film::new(1, 10);
        for k in 0..1001 {
            film.push(
                f64::from(k),
                &[BodyPose { position: [f64::from(k), 0.0, 0.0], ..BodyPose::IDENTITY }],
            );
        }
        let (times, poses) = film.finish();
        assert!((5..=11).contains(&times.len()), "{times:?}");
        assert_eq!(times.last(), Some(&1000.0));
        assert!(times.iter().zip(&poses).all(|(time, pose)| *time == pose.position[0]));
        let steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps[..steps.len() - 1].iter().all(|step| *step == steps[0]), "{steps:?}");
    }

    #[test]
    fn nothing_gathered_is_no_curve() {
        let curve = gathered(100, &[]);
        assert!(curve.values.is_empty() && curve.times.is_empty());
        assert!(Film::new(3, 10).finish().0.is_empty());
    }
}
