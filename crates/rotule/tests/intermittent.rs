//! Intermittent constraints in runs: grippers with random numbers against a computation in closed
//! form, a loop that opens against the two models that it is, and gaps that are refused.

use rotule::{Method, Model};
use rotule_symbolic::random::SplitMix64;

const GRIPPER: &str = include_str!("../../../examples/gripper.toml");
const SLIDER_CRANK: &str = include_str!("../../../examples/slider_crank.toml");

/// Bodies that move as one: mass, force, damping, position and speed at a time.
#[derive(Clone, Copy)]
struct Cluster {
    mass: f64,
    force: f64,
    damping: f64,
    x: f64,
    v: f64,
}

impl Cluster {
    /// Position and speed after a time: m v' = F - c v.
    fn after(&self, t: f64) -> Cluster {
        let (x, v) = if self.damping == 0.0 {
            let a = self.force / self.mass;
            (self.x + self.v * t + 0.5 * a * t * t, self.v + a * t)
        } else {
            let (end, time) = (self.force / self.damping, self.mass / self.damping);
            let fading = (-t / time).exp();
            (
                self.x + end * t + (self.v - end) * time * (1.0 - fading),
                end + (self.v - end) * fading,
            )
        };
        Cluster { x, v, ..*self }
    }

    fn join(&self, other: &Cluster) -> (Cluster, f64) {
        let mass = self.mass + other.mass;
        let v = (self.mass * self.v + other.mass * other.v) / mass;
        let energy = |one: &Cluster, v: f64| 0.5 * one.mass * v * v;
        let lost = energy(self, self.v) + energy(other, other.v) - 0.5 * mass * v * v;
        let (force, damping) = (self.force + other.force, self.damping + other.damping);
        (Cluster { mass, force, damping, x: self.x, v }, lost)
    }
}

/// The gripper in closed form: bodies are left, right, block; each belongs to a cluster at an
/// offset.
struct Exact {
    clusters: [Cluster; 3],
    of: [usize; 3],
    offsets: [f64; 3],
    lost: Vec<(f64, f64)>,
}

const OPENS: f64 = 0.8;
const DAMPING: f64 = 1.5;

impl Exact {
    fn new([mass, finger, force, start]: [f64; 4]) -> Exact {
        let cluster = |mass, force, damping, x| Cluster { mass, force, damping, x, v: 0.0 };
        Exact {
            clusters: [
                cluster(finger, force, DAMPING, -0.12),
                cluster(finger, -force, DAMPING, 0.12),
                cluster(mass, 0.0, 0.0, start),
            ],
            of: [0, 1, 2],
            offsets: [0.0; 3],
            lost: Vec::new(),
        }
    }

    fn place(&self, body: usize, t: f64) -> f64 {
        self.clusters[self.of[body]].after(t).x + self.offsets[body]
    }

    /// The gap between a finger and its side of the block, half as wide as `w`.
    fn gap(&self, finger: usize, w: f64, t: f64) -> f64 {
        let side = if finger == 0 { -w } else { w };
        let gap = self.place(2, t) + side - self.place(finger, t);
        if finger == 0 { gap } else { -gap }
    }

    /// Moves on to a time, with all that happens on the way; gives the positions there.
    fn run(&mut self, from: f64, to: f64, w: f64) -> [f64; 3] {
        let mut now = from;
        loop {
            // The first finger that touches before the end, by a scan and halving.
            let mut first: Option<(f64, usize)> = None;
            for finger in 0..2 {
                if self.of[finger] == self.of[2] || now >= OPENS {
                    continue;
                }
                let (steps, whole) = (4000, to - now);
                let at = |step: usize| whole * step as f64 / f64::from(steps as u32);
                let crossed = (0..steps).find(|&step| {
                    self.gap(finger, w, at(step)) > 0.0 && self.gap(finger, w, at(step + 1)) <= 0.0
                });
                let Some(step) = crossed else { continue };
                let (mut low, mut high) = (at(step), at(step + 1));
                for _ in 0..80 {
                    let middle = 0.5 * (low + high);
                    if self.gap(finger, w, middle) > 0.0 { low = middle } else { high = middle }
                }
                if first.is_none_or(|(known, _)| high < known) {
                    first = Some((high, finger));
                }
            }
            let Some((time, finger)) = first else {
                let passed = to - now;
                let places = [0, 1, 2].map(|body| self.place(body, passed));
                self.clusters = self.clusters.map(|one| one.after(passed));
                return places;
            };
            let places = [0, 1, 2].map(|body| self.place(body, time));
            self.clusters = self.clusters.map(|one| one.after(time));
            now += time;
            let (own, block) = (self.of[finger], self.of[2]);
            let (joined, lost) = self.clusters[own].join(&self.clusters[block]);
            self.clusters[own] = joined;
            #[allow(clippy::needless_range_loop, reason = "one index for several lists")]
            for body in 0..3 {
                if self.of[body] == block {
                    self.of[body] = own;
                }
                if self.of[body] == own {
                    self.offsets[body] = places[body] - joined.x;
                }
            }
            self.lost.push((now, lost));
        }
    }

    /// The drive turns round, and nothing holds any more.
    fn open(&mut self, [mass, finger, force, _]: [f64; 4]) {
        let masses = [finger, finger, mass];
        let forces = [-force, force, 0.0];
        let all = [0, 1, 2].map(|body| Cluster {
            mass: masses[body],
            force: forces[body],
            damping: if body == 2 { 0.0 } else { DAMPING },
            x: self.place(body, 0.0),
            v: self.clusters[self.of[body]].v,
        });
        (self.clusters, self.of, self.offsets) = (all, [0, 1, 2], [0.0; 3]);
    }
}

#[test]
fn grippers_with_random_numbers_move_as_in_closed_form() {
    let (mut both, mut worst) = (0, 0.0_f64);
    for seed in 0..24 {
        let mut random = SplitMix64(seed + 500);
        let mut between = |low: f64, high: f64| low + (high - low) * 0.5 * (1.0 + random.signed());
        let numbers =
            [between(0.1, 1.0), between(0.05, 0.4), between(0.8, 4.0), between(-0.05, 0.05)];
        let [mass, finger, force, start] = numbers;
        let text = GRIPPER
            .replace("m = { value = 0.4,", &format!("m = {{ value = {mass},"))
            .replace("mf = { value = 0.15,", &format!("mf = {{ value = {finger},"))
            .replace("F = { value = 2,", &format!("F = {{ value = {force},"))
            .replace("b = [0.02, 0, 0]", &format!("b = [{start}, 0, 0]"));
        let model = Model::read("gripper.toml", text).expect("a valid model");
        let run =
            model.simulate().to(1.2).every(0.1).method(Method::Dop853).tolerance(1e-11, 1e-13);
        let run = run.run().unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
        let mut exact = Exact::new(numbers);
        let names: Vec<String> = model.coordinates().iter().map(|&one| one.to_owned()).collect();
        let channel = |at: usize| run.channel(&names[at]).expect("a coordinate");
        for (row, &t) in run.time().iter().enumerate() {
            let from = if row == 0 { 0.0 } else { run.time()[row - 1] };
            let places = if from < OPENS && t > OPENS - 1e-12 {
                let _ = exact.run(from, OPENS, 0.03);
                exact.open(numbers);
                exact.run(OPENS, t, 0.03)
            } else {
                exact.run(from, t, 0.03)
            };
            let found = [channel(0)[row] - 0.12, channel(1)[row] + 0.12, channel(2)[row]];
            for (found, expected) in found.iter().zip(places) {
                worst = worst.max((found - expected).abs());
                assert!(
                    (found - expected).abs() < 1e-8,
                    "seed {seed}, t = {t}: {found:?} and {expected}"
                );
            }
        }
        both += usize::from(exact.lost.len() == 2);
        // The energy that impacts take.
        let losses = &run.summary().outcome.losses;
        let all = exact.lost.iter().map(|one| one.1).sum::<f64>();
        let found = losses.iter().map(|one| one.1).sum::<f64>();
        assert!((found - all).abs() < 1e-9, "seed {seed}: {losses:?} and {:?}", exact.lost);
        let engaged = run.events().iter().filter(|one| one.done.contains("is engaged")).count();
        assert_eq!(engaged, exact.lost.len(), "seed {seed}");
    }
    assert!(both >= 12, "only {both} took hold with both fingers; worst {worst:e}");
}

#[test]
fn a_loop_that_opens_is_the_closed_model_and_then_the_open_one() {
    let pin = "between = [\"rod.C\", \"piston\"]";
    let with = |state: &str, event: &str| {
        let text = SLIDER_CRANK.replace(pin, &format!("{pin}\n{state}"));
        let text = text.replace("[initial.q]", &format!("{event}\n[initial.q]"));
        Model::read("slider_crank.toml", text).expect("a valid model")
    };
    let opens = with(
        "intermittent = \"engaged\"",
        "[[event]]\nname = \"opens\"\nwhen = \"t - 0.05\"\nrelease = [\"pin\"]\n",
    );
    let simulate = |model: &Model, from: Option<&rotule::State>, to: f64| {
        let run = model.simulate().to(to).method(Method::Dop853).tolerance(1e-12, 1e-13);
        let run = if let Some(state) = from { run.from(state) } else { run };
        run.run().unwrap_or_else(|problem| panic!("{problem}"))
    };
    let whole = simulate(&opens, None, 0.1);
    let closed = simulate(&with("", ""), None, 0.05);
    let mut state = with("intermittent = \"released\"", "").state();
    state.t = 0.05;
    state.q.copy_from_slice(&closed.state().q);
    state.qd.copy_from_slice(&closed.state().qd);
    let open = simulate(&with("intermittent = \"released\"", ""), Some(&state), 0.1);
    for (found, expected) in whole.state().q.iter().zip(&open.state().q) {
        assert!((found - expected).abs() < 1e-8, "{:?} and {:?}", whole.state().q, open.state().q);
    }
    // The loop would not have stayed closed: the test can fail.
    let still = simulate(&with("", ""), None, 0.1);
    assert!((still.state().q[2] - whole.state().q[2]).abs() > 1e-3);
}

#[test]
fn an_open_gap_is_not_engaged() {
    let pin = "between = [\"rod.C\", \"piston\"]";
    let text = SLIDER_CRANK.replace(pin, &format!("{pin}\nintermittent = \"released\""));
    let event = "[[event]]\nname = \"snaps\"\nwhen = \"t - 0.05\"\nengage = [\"pin\"]\n";
    let text = text.replace("[initial.q]", &format!("{event}\n[initial.q]"));
    let model = Model::read("slider_crank.toml", text).expect("a valid model");
    let error = model.simulate().to(0.1).run().expect_err("the gap is open").to_string();
    assert!(error.contains("event `snaps` engages `pin`, which is open by"), "{error}");
    let wrong = SLIDER_CRANK.replace("[initial.q]", &format!("{event}\n[initial.q]"));
    let error =
        Model::read("slider_crank.toml", wrong).expect_err("`pin` is permanent").to_string();
    assert!(error.contains("`pin`, which is not intermittent"), "{error}");
}
