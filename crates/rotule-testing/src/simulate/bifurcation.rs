//! Mechanisms that pass through positions where two branches meet, with the motion that continues
//! smoothly.
//!
//! A chain of parallelograms is flat twice in a turn; the chain of one metre links is IFToMM
//! benchmark A02. All cranks stay parallel, so that the chain moves as one pendulum: `I theta'' = g
//! S sin(theta)`, with the angle from the upright.

use super::jet::Jet;
use super::linkage::{Answer, Law, Linkage, angle};
use super::loops::{Setup, bar, cut, hinge, initial, model, observe};
use super::reference::value;
use super::{Conserved, plant, within};
use rotule_simulate::method::Accuracy;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::{End, Observer, Outcome};
use std::f64::consts::FRAC_PI_2;

const GRAVITY: f64 = 9.81;

/// Cranks side by side, joined tip to tip by couplers as long as their pins are apart; one kilogram
/// for each metre.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// The number of four-bars.
    pub cells: usize,
    /// The length of a crank.
    pub crank: f64,
    /// The distance of neighbouring pins.
    pub base: f64,
    /// The angle from the upright at the start, and its rate.
    pub start: [f64; 2],
}

/// Methods that must pass positions where branches meet: adaptive ones at tolerances, and fixed
/// steps.
pub fn methods(tolerances: &[f64]) -> Vec<(&'static str, Accuracy)> {
    let adaptive = ["dop853", "dormand-prince", "radau", "bdf"];
    let adaptive =
        adaptive.iter().flat_map(|name| tolerances.iter().map(|one| (*name, within(*one))));
    adaptive.chain([("rk4", Accuracy::Fixed(1e-3)), ("rk4", Accuracy::Fixed(2.5e-4))]).collect()
}

/// IFToMM benchmark A02: links of one metre, upright, crank tips at 1 m/s.
pub fn a02(cells: usize) -> Chain {
    Chain { cells, crank: 1.0, base: 1.0, start: [0.0, 1.0] }
}

impl Chain {
    /// The model, closed by cuts of a type.
    pub fn text(&self, kind: &str) -> String {
        let mut text = model("chain", [0.0, -GRAVITY, 0.0]) + "[ground]\n";
        for at in 0..=self.cells {
            text += &format!("points.P{at} = [{:?}, 0, 0]\n", self.base * at as f64);
        }
        for at in 0..=self.cells {
            text += &bar(
                &format!("crank{at}"),
                &format!("ground.P{at}"),
                &hinge(&format!("c{at}")),
                self.crank,
            );
        }
        for at in 0..self.cells {
            let [coupler, next] = [format!("coupler{at}"), format!("crank{}.tip", at + 1)];
            text += &bar(&coupler, &format!("crank{at}.tip"), &hinge(&format!("k{at}")), self.base);
            text += &cut(&format!("pin{at}"), kind, [&format!("{coupler}.tip"), &next]);
        }
        let [theta, rate] = self.start;
        let names: Vec<(String, f64)> = (0..=self.cells)
            .map(|at| (format!("c{at}"), 1.0))
            .chain((0..self.cells).map(|at| (format!("k{at}"), -1.0)))
            .collect();
        let values = |of_crank: f64| -> Vec<(&str, f64)> {
            names.iter().map(|(name, sign)| (name.as_str(), sign * of_crank)).collect()
        };
        text + &initial("q", &values(FRAC_PI_2 - theta)) + &initial("qd", &values(-rate))
    }

    /// Moment of inertia and static moment of the pendulum that the chain is.
    fn pendulum(&self) -> [f64; 2] {
        let (cranks, couplers) = ((self.cells + 1) as f64, self.cells as f64);
        let (a, d) = (self.crank, self.base);
        [cranks * a.powi(3) / 3.0 + couplers * d * a * a, cranks * a * a / 2.0 + couplers * d * a]
    }

    /// That pendulum as a model without loops: what a method does to it is what the method can do.
    pub fn tree(&self) -> String {
        let [inertia, moment] = self.pendulum();
        let [theta, rate] = self.start;
        // The centre of mass is so near that the inertia about it stays positive.
        let com = 0.5 * inertia / moment;
        let (mass, own) = (moment / com, inertia - moment * com);
        model("pendulum", [0.0, -GRAVITY, 0.0])
            + &format!(
                "[[body]]\nname = \"bar\"\nparent = \"ground\"\njoint = {{ {} }}\nmass = {mass:?}\ncom = [{com:?}, 0, 0]\n\
                 inertia = {{ zz = {own:?} }}\n",
                hinge("c0")
            )
            + &initial("q", &[("c0", FRAC_PI_2 - theta)])
            + &initial("qd", &[("c0", -rate)])
    }

    /// The angle from the upright, requested at times that grow.
    pub fn reference(&self) -> Reference {
        let [inertia, moment] = self.pendulum();
        Reference { t: 0.0, state: self.start, rate: GRAVITY * moment / inertia }
    }

    /// Runs a model of the chain, with its cranks named, against the reference.
    pub fn follow(&self, text: &str, cranks: usize, setup: Setup) -> Passed {
        let mut plant = plant(text);
        let mut energy = Conserved::new(&mut plant);
        let mut reference = self.reference();
        let names: Vec<String> = (0..cranks).map(|at| format!("c{at}")).collect();
        let mut position = (0.0_f64, 0.0);
        let outcome = observe(&mut plant, setup, |plant: &mut Plant| {
            let _ = energy.sample(plant);
            let t = plant.point().t;
            let [theta, _] = reference.at(t);
            for name in &names {
                let apart = value(plant, name) - (FRAC_PI_2 - theta);
                let error = 2.0 * self.crank * (0.5 * apart).sin().abs();
                if error > position.0 || error.is_nan() {
                    position = (error, t);
                }
            }
        });
        Passed { position, energy: energy.relative(), outcome }
    }
}

/// The result of a run through flat positions.
pub struct Passed {
    /// The largest distance of a crank tip from where it must be, and when.
    pub position: (f64, f64),
    /// The largest change of the energy, relative.
    pub energy: f64,
    /// The outcome of the run.
    pub outcome: Outcome,
}

impl Passed {
    /// True if the run came to its end.
    pub fn reached(&self) -> bool {
        self.outcome.end == End::Reached
    }
}

/// The pendulum by the classical method of Runge and Kutta in steps of 0.1 ms: exact to 1e-11 over
/// ten seconds, as the digits of A02 confirm.
pub struct Reference {
    t: f64,
    state: [f64; 2],
    rate: f64,
}

impl Reference {
    /// Angle and rate at a time not before the last one.
    pub fn at(&mut self, t: f64) -> [f64; 2] {
        let steps = ((t - self.t) / 1e-4).ceil().max(1.0);
        let h = (t - self.t) / steps;
        for _ in 0..steps as u64 {
            let slope = |[angle, rate]: [f64; 2]| [rate, self.rate * angle.sin()];
            let y = self.state;
            let ahead = |by: f64, k: [f64; 2]| [y[0] + by * k[0], y[1] + by * k[1]];
            let a = slope(y);
            let b = slope(ahead(0.5 * h, a));
            let c = slope(ahead(0.5 * h, b));
            let d = slope(ahead(h, c));
            self.state =
                [0, 1].map(|at| y[at] + h / 6.0 * (a[at] + 2.0 * b[at] + 2.0 * c[at] + d[at]));
        }
        self.t = t;
        self.state
    }
}

/// A four-bar between the origin and a pin on the x axis.
fn four_bar(name: &str, [crank, coupler, rocker, pin]: [f64; 4], kind: &str) -> String {
    [
        model(name, [0.0, -GRAVITY, 0.0]),
        format!("[ground]\npoints.D = [{pin:?}, 0, 0]\n"),
        bar("crank", "ground", &hinge("q1"), crank),
        bar("coupler", "crank.tip", &hinge("q2"), coupler),
        bar("rocker", "ground.D", &hinge("q3"), rocker),
        cut("pin", kind, ["coupler.tip", "rocker.tip"]),
    ]
    .concat()
}

/// Four-bars that turn through positions where branches meet, with the branch that continues the
/// motion.
pub fn crossings() -> Vec<Linkage> {
    let mut all = Vec::new();
    let mut add = |name: &str,
                   lengths: [f64; 4],
                   kind: &str,
                   law: Law,
                   answer: fn([f64; 4], Jet) -> Answer| {
        let cut = kind.split('"').nth(1).unwrap_or_default();
        all.push(Linkage {
            name: format!("{name} {lengths:?}, {cut} cut, {law:?}"),
            model: four_bar("crossing", lengths, kind),
            input: "q1",
            law,
            answer: Box::new(move |input| answer(lengths, input)),
            start: String::new(),
            ordinary: cut == "ball",
        });
    };
    for kind in ["\"ball\"", "\"revolute\"\naxis = \"z\""] {
        for law in [Law::Turn(1.0), Law::Free(1.0)] {
            add("parallelogram", [1.0, 2.0, 1.0, 2.0], kind, law, parallelogram);
            add("parallelogram", [0.5, 0.3, 0.5, 0.3], kind, law, parallelogram);
            add("antiparallelogram", [0.5, 1.2, 0.5, 1.2], kind, law, antiparallelogram);
            add("kite", [0.6, 1.0, 1.0, 0.6], kind, law, kite);
        }
    }
    all
}

/// All cranks parallel.
fn parallelogram(_: [f64; 4], input: Jet) -> Answer {
    vec![angle("q2", -input), angle("q3", input)]
}

/// The crossed branch of a parallelogram: `tan(rocker/2) = -(d + a)/(d - a) tan(crank/2)`, from the
/// length of the coupler.
fn antiparallelogram([a, d, ..]: [f64; 4], input: Jet) -> Answer {
    let rocker = -2.0 * super::linkage::stretched((d - a) / (d + a), 0.5 * input);
    // The coupler goes from the crank's tip to the rocker's; its direction stays within a quarter
    // turn of x.
    let x = Jet::constant(d) + a * rocker.cos() - a * input.cos();
    let y = a * rocker.sin() - a * input.sin();
    vec![angle("q2", Jet::atan2(y, x) - input), angle("q3", rocker)]
}

/// Crank as long as the ground, coupler as long as the rocker: the crank's tip passes through the
/// fixed pin, where coupler and rocker coincide and may turn freely. On the branch that continues,
/// their common tip stays on the bisector of crank and ground, at `a cos(theta/2) + sqrt(b^2 - a^2
/// sin(theta/2)^2)` from the origin, which goes on over two turns.
fn kite([a, b, ..]: [f64; 4], input: Jet) -> Answer {
    let half = 0.5 * input;
    let across = a * half.sin();
    let reach = (Jet::constant(b * b) - across * across).sqrt();
    // In axes along the bisector the coupler points `(reach, -across)` from the crank's tip, the
    // rocker `(reach, across)`.
    let lean = Jet::atan2(across, reach);
    vec![angle("q2", half - lean - input), angle("q3", half + lean)]
}
