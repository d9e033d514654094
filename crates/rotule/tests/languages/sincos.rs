//! The sines and cosines that generated C computes itself, for one state and in batches: against
//! those of `rotule_symbolic::sincos`, which are proved to less than one unit in the last place
//! there, and against the library.

use crate::check::shell;
use rotule::layers::emit::{
    ArgumentEntry, LANGUAGES, Meaning, Package, PackageFunction, Size, Trig, emit,
};
use rotule::layers::program::parse;
use rotule::layers::symbolic::Kind;
use rotule::layers::symbolic::sincos::sincos;
use std::fmt::Write;
use std::path::Path;

const PROGRAM: &str = "program angles
    input x0 coordinate
    input x1 coordinate
    input x2 coordinate
    input x3 coordinate
    body
      %0 = sin x0
      %1 = sin x1
      %2 = sin x2
      %3 = sin x3
      %4 = cos x0
      %5 = cos x1
      %6 = cos x2
      %7 = cos x3
    output y(8)
      (0) = %0
      (1) = %1
      (2) = %2
      (3) = %3
      (4) = %4
      (5) = %5
      (6) = %6
      (7) = %7";

/// Reads angles as bits, four in a line, and prints their sines and cosines, of one state and of
/// the batch.
const DRIVER: &str = r#"
#include "angles_batch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    size_t count = 0;
    double *x = malloc(4 * LINES * sizeof(double)), *y = malloc(8 * LINES * sizeof(double));
    unsigned long long word;
    while (scanf("%llx", &word) == 1) {
        memcpy(x + count % 4 * LINES + count / 4, &word, sizeof word);
        count++;
    }
    angles_turn_batch(LINES, x, y);
    for (size_t s = 0; s < LINES; s++) {
        const double q[4] = {x[s], x[LINES + s], x[2 * LINES + s], x[3 * LINES + s]};
        double one[8];
        angles_turn(q, one);
        for (size_t i = 0; i < 8; i++) {
            unsigned long long both[2];
            memcpy(both, one + i, sizeof(double));
            memcpy(both + 1, y + i * LINES + s, sizeof(double));
            printf("%llx %llx\n", both[0], both[1]);
        }
    }
    free(x);
    free(y);
    return 0;
}
"#;

fn package() -> Package {
    let quantity = |at: usize| ArgumentEntry {
        name: format!("x{at}"),
        unit: String::new(),
        about: String::new(),
        value: 0.5,
    };
    Package {
        model: "angles".to_owned(),
        prefix: "angles".to_owned(),
        about: String::new(),
        hash: "0".to_owned(),
        version: "0".to_owned(),
        parameters: Vec::new(),
        frozen: Vec::new(),
        time: 0.0,
        q: (0..4).map(quantity).collect(),
        qd: Vec::new(),
        qdd: Vec::new(),
        state: Vec::new(),
        input: Vec::new(),
        direction: Vec::new(),
        weight: Vec::new(),
        shared: Vec::new(),
        groups: Vec::new(),
        effort: Vec::new(),
        functions: vec![PackageFunction {
            name: "turn".to_owned(),
            about: String::new(),
            formalism: String::new(),
            inputs: vec![Kind::Coordinate],
            outputs: vec![Meaning::default()],
            program: parse(PROGRAM).unwrap_or_else(|error| panic!("{error}")),
        }],
        readable: false,
        trig: Trig::Simd,
        batch: true,
        size: Size::default(),
    }
}

/// Small and large angles, those close to quarter turns, and what is no angle.
fn angles() -> Vec<f64> {
    let mut found = vec![0.0, 1e-300, f64::NAN, f64::INFINITY, -1e300, 2e6, 1_647_000.0, 5e-324];
    for range in [0.8, 3.2, 100.0, 1e4, 1.6e6] {
        found.extend((-5_000..5_000).map(|n| f64::from(n) * (range / 5_003.7)));
    }
    for n in (1..2_000).chain(1_000_000..1_001_000) {
        let angle = f64::from(n) * std::f64::consts::FRAC_PI_2;
        found.extend([angle, angle.next_up(), -angle.next_down(), angle + 1e-9]);
    }
    found.truncate(found.len() / 4 * 4);
    found
}

/// The distance in units of the last place; numbers that are none are the same.
fn distance(found: f64, expected: f64) -> f64 {
    if found == expected || (found.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    let unit = expected.abs().next_up() - expected.abs();
    (found - expected).abs() / unit
}

#[test]
fn packed_sines_are_those_of_the_reference() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("languages").join("sincos");
    std::fs::create_dir_all(&folder).expect("the build folder can be written");
    let c = LANGUAGES.iter().find(|one| one.name == "c").expect("there is C");
    let files = emit(&package(), c).unwrap_or_else(|problem| panic!("{problem:?}"));
    for file in &files {
        std::fs::write(folder.join(&file.name), &file.text).expect("it can be written");
    }
    let all = angles();
    let mut given = String::new();
    for angle in &all {
        let _ = writeln!(given, "{:x}", angle.to_bits());
    }
    std::fs::write(folder.join("given"), given).expect("it can be written");
    std::fs::write(folder.join("driver.c"), DRIVER).expect("it can be written");
    let lines = all.len() / 4;
    for flags in [
        "gcc -std=c99 -O2",
        "gcc -O2 -march=native",
        "gcc -O1 -DANGLES_WIDTH=8",
        "gcc -O2 -ffast-math -fno-finite-math-only",
        "clang -O2 -march=native",
        "clang -O1 -DANGLES_WIDTH=2",
    ] {
        let line = format!(
            "{flags} -DLINES={lines}ul driver.c angles.c angles_batch.c -lm -o run && ./run < given"
        );
        let printed = shell(&folder, &line);
        let mut numbers = printed.split_whitespace().map(|word| {
            f64::from_bits(u64::from_str_radix(word, 16).unwrap_or_else(|_| panic!("{word}")))
        });
        for four in all.chunks(4) {
            for at in 0..8 {
                let angle = four[at % 4];
                let (sine, cosine) = sincos(angle);
                let (own, library) =
                    if at < 4 { (sine, angle.sin()) } else { (cosine, angle.cos()) };
                for kind in ["one state", "batch"] {
                    let found = numbers.next().expect("there is a number for each");
                    let far = distance(found, own).max(distance(found, library));
                    assert!(
                        far <= 2.0,
                        "{flags}, {kind}: number {at} of {angle:e} is off by {far}"
                    );
                }
            }
        }
        assert!(numbers.next().is_none(), "{flags}");
    }
}
