//! Singular positions (Morette, chapter 5): another choice of independent coordinates goes through them.

mod common;

use common::{Conserved, example, motion, plant, within};
use rotule_simulate::methods::fixed::{Fixed, RK4};
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::run::{End, Options, Samples, Threshold, run};

fn five_bar() -> String {
    let mut text = "[model]\nname = \"five_bar\"\ngravity = [0, -9.81, 0]\n[ground]\npoints.anchor = [1, 0, 0]\n".to_owned();
    let mut parent = "ground".to_owned();
    for bar in 1..=5 {
        text += &format!("[[body]]\nname = \"bar{bar}\"\nparent = \"{parent}\"\npoints.tip = [1, 0, 0]\nmass = 1\ncom = [\"1/2\", 0, 0]\ninertia = {{ yy = \"1/12\", zz = \"1/12\" }}\njoint = {{ name = \"q{bar}\", type = \"revolute\", axis = \"z\" }}\n");
        parent = format!("bar{bar}.tip");
    }
    text + "[[cut]]\nname = \"pin\"\ntype = \"revolute\"\naxis = \"z\"\nbetween = [\"bar5.tip\", \"ground.anchor\"]\n[initial.q]\nq1 = \"2*pi/3 + 0.05\"\nq2 = \"-pi/3\"\nq3 = \"-pi/3\"\nq4 = \"-pi/3\"\nq5 = \"-pi/3\"\n"
}

#[test]
fn probe() {
    for tolerance in [1e-10, 1e-12] {
    let mut first: Option<common::Kept> = None;
    for threshold in [Threshold::AUTOMATIC, Threshold::At(1.0), Threshold::At(2.0), Threshold::At(5.0), Threshold::At(10.0), Threshold::At(15.0), Threshold::At(100.0), Threshold::At(1e4), Threshold::Never] {
        let mut bars = plant(&five_bar());
        let start = bars.point().q.clone();
        let mut m = method("dop853", within(tolerance), bars.size()).unwrap();
        let (outcome, kept) = motion(&mut bars, m.as_mut(), 5.0, 0.05, threshold);
        println!("{threshold:?}: {:?} t {} switches {} reorders {} worst {} drift {:?} {:?}", outcome.end, outcome.t, outcome.switches.len(), outcome.reorders, outcome.worst, outcome.drift, outcome.work);
        println!("   failures {} start {start:?}", outcome.switches.iter().filter(|s| s.failure.is_some()).count());
        if let Some(first) = &first {
            for (a, b) in first.points.iter().zip(&kept.points).step_by(10) {
                let e = a.q.iter().zip(&b.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                print!(" {:.1}:{e:.0e}", a.t);
            }
            println!();
        } else { first = Some(kept); }
    }
    }
    // gallery
    for name in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples")).unwrap() {
        let name = name.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".toml") || name.contains("train") || name.contains("kuka") || name.contains("puma") || name.contains("pendulum") { continue; }
        let begun = std::time::Instant::now();
        let mut one = plant(&example(&name));
        if one.choice().is_none() { continue; }
        let independent = one.independent();
        let mut m = method("dormand-prince", within(1e-8), one.size()).unwrap();
        let to = if name.contains("andrews") { 0.1 } else if name.contains("car") || name.contains("ba2000") { 0.2 } else { 5.0 };
        let mut energy = Conserved::new(&mut one);
        let options = Options { to, samples: Samples::Steps, threshold: Threshold::AUTOMATIC };
        let outcome = run(&mut one, m.as_mut(), &options, &mut energy).unwrap();
        println!("{name} {:?} t {} switches {} reorders {} worst {:.2} drift {:.1e} {:.1e} energy {:.1e} steps {} rejected {} {:?} {:.1?}", outcome.end, outcome.t, outcome.switches.len(), outcome.reorders, outcome.worst, outcome.drift.position, outcome.drift.velocity, energy.relative(), outcome.work.steps, outcome.work.rejected, independent, begun.elapsed());
        for s in outcome.switches.iter().take(6) { println!("     {:.4} {:?} -> {:?} {:.2} -> {:.2} g {:.1e} {:?}", s.t, s.from, s.to, s.before.amplification, s.after.amplification, s.before.growth, s.failure); }
    }
}
