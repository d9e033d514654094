//! Growth of loading and checking a model with its number of bodies.
//!
//! Four shapes, each a factor of ten apart: a chain, a wide tree, a chain with a spring to the
//! ground at every body, and a row of four-bar loops whose cuts Rotule chooses. Times are the least
//! of several runs, because what else the machine does can only add to them. `growth` is the time
//! for ten times the bodies: ten is linear. `cargo xtask bench load` prints the table.

use rotule_model::{Format, ReadOptions, Sources, load_text, structure};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Writes a model with so many bodies.
type Shape = fn(usize) -> String;

const SIZES: [usize; 3] = [1_000, 10_000, 50_000];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench load");
        return;
    }
    println!("| shape | bodies | file | read | resolve | structure and drawing | total | growth |");
    println!("|---|---|---|---|---|---|---|---|");
    let shapes: [(&str, Shape); 4] =
        [("chain", chain), ("wide tree", wide), ("springs", springs), ("four-bars", four_bars)];
    for (name, shape) in shapes {
        let mut before: Option<(usize, Duration)> = None;
        for size in SIZES {
            let text = shape(size);
            let [read, resolve, rest] = least(&text);
            let total = read + resolve + rest;
            let growth = before.map_or(String::new(), |(bodies, time)| {
                let per_decade = (total.as_secs_f64() / time.as_secs_f64()).ln()
                    / (size as f64 / bodies as f64).ln();
                format!("{:.1}", 10_f64.powf(per_decade))
            });
            before = Some((size, total));
            let file = text.len() as f64 / 1e6;
            let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
            println!(
                "| {name} | {size} | {file:.1} MB | {} | {} | {} | {} | {growth} |",
                ms(read),
                ms(resolve),
                ms(rest),
                ms(total)
            );
        }
    }
}

/// The least times of reading, resolving and describing a text.
fn least(text: &str) -> [Duration; 3] {
    let mut best = [Duration::MAX; 3];
    for _ in 0..5 {
        let mut sources = Sources::new();
        let id = sources.add("model.toml", text);
        let start = Instant::now();
        let (draft, findings) =
            rotule_model::read(&sources, id, Format::Native, &ReadOptions::default());
        let read = start.elapsed();
        assert!(!findings.has_errors(), "{}", findings.render(&sources));
        let start = Instant::now();
        let (mechanism, findings) = rotule_model::resolve(&draft);
        let resolve = start.elapsed();
        let Some(mechanism) = mechanism else { panic!("{}", findings.render(&sources)) };
        let start = Instant::now();
        let drawing = structure(&mechanism).text();
        let rest = start.elapsed();
        assert!(!drawing.is_empty());
        for (best, time) in best.iter_mut().zip([read, resolve, rest]) {
            *best = (*best).min(time);
        }
    }
    // The whole, as a user calls it, must be the sum of its parts.
    load_text("model.toml", text, &ReadOptions::default()).expect("a model without errors");
    best
}

const HEAD: &str = "[model]\nname = \"scale\"\n\n[parameters]\nl = 0.1\nm = 0.2\n";

fn body(out: &mut String, name: usize, parent: &str) {
    let axis = ["x", "y", "z"][name % 3];
    let _ = write!(
        out,
        "\n[[body]]\nname = \"b{name}\"\nparent = \"{parent}\"\n\
         joint = {{ name = \"q{name}\", type = \"revolute\", axis = \"{axis}\" }}\n\
         mass = \"m\"\ncom = [0, 0, \"l/2\"]\n\
         inertia = {{ xx = \"m*l^2/12\", yy = \"m*l^2/12\", zz = 1e-4 }}\npoints.tip = [0, 0, \"l\"]\n"
    );
}

fn chain(bodies: usize) -> String {
    let mut out = HEAD.to_owned();
    body(&mut out, 0, "ground");
    for index in 1..bodies {
        body(&mut out, index, &format!("b{}.tip", index - 1));
    }
    out
}

fn wide(bodies: usize) -> String {
    let mut out = HEAD.to_owned();
    body(&mut out, 0, "ground");
    for index in 1..bodies {
        body(&mut out, index, &format!("b{}.tip", (index - 1) / 4));
    }
    out
}

fn springs(bodies: usize) -> String {
    let mut out = chain(bodies);
    for index in 0..bodies {
        let _ = write!(
            out,
            "\n[[line_force]]\nname = \"s{index}\"\nbetween = [\"ground\", \"b{index}.tip\"]\n\
             force = \"m*(Z - l) + 2*Zd\"\n"
        );
    }
    out
}

/// Four-bars on the ground, three moving bodies each, all joints in tables of their own.
fn four_bars(bodies: usize) -> String {
    let mut out = HEAD.to_owned();
    out.push_str("\n[ground]\n");
    let count = bodies / 3;
    for index in 0..count {
        let _ = writeln!(out, "points.a{index} = [0, {index}, 0]");
        let _ = writeln!(out, "points.d{index} = [\"l\", {index}, 0]");
    }
    for index in 0..count {
        for bar in ["crank", "rod", "rocker"] {
            let _ = write!(
                out,
                "\n[[body]]\nname = \"{bar}{index}\"\nmass = \"m\"\ncom = [0, 0, \"l/2\"]\n\
                 points.tip = [0, 0, \"l\"]\n"
            );
        }
        let joints = [
            ("a", format!("ground.a{index}"), format!("crank{index}")),
            ("b", format!("crank{index}.tip"), format!("rod{index}")),
            ("c", format!("rod{index}.tip"), format!("rocker{index}.tip")),
            ("d", format!("ground.d{index}"), format!("rocker{index}")),
        ];
        for (name, first, second) in joints {
            let _ = write!(
                out,
                "\n[[joint]]\nname = \"{name}{index}\"\ntype = \"revolute\"\naxis = \"y\"\n\
                 between = [\"{first}\", \"{second}\"]\n"
            );
        }
    }
    out
}
