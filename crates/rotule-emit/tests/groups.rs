//! When isomorphic parts are written once. That the numbers are right is shown by running
//! generated code in every language; here is what the text looks like.

use rotule_emit::languages::language;
use rotule_emit::{ArgumentEntry, Meaning, Package, PackageFunction, Size, Trig, emit};
use rotule_program::parse;
use rotule_symbolic::Kind;
use std::fmt::Write;

/// A sum over limbs, each of which is a chain of so many products and sums.
fn limbs(copies: usize, steps: usize) -> Package {
    let mut text = String::from("program limbs\n");
    for limb in 0..copies {
        let _ = writeln!(text, "input q{limb} coordinate");
    }
    text += "body\n";
    let mut number = 0;
    let mut ends = Vec::new();
    for limb in 0..copies {
        let _ = writeln!(text, "%{number} = sin q{limb}");
        for step in 0..steps {
            let (before, next) = (number, number + 1);
            let _ = writeln!(text, "%{next} = mul %{before} q{limb}");
            let _ = writeln!(text, "%{} = add %{next} {}.5", next + 1, step + limb);
            number += 2;
        }
        ends.push(number);
        number += 1;
    }
    let mut sum = ends[0];
    for end in &ends[1..] {
        let _ = writeln!(text, "%{number} = add %{sum} %{end}");
        sum = number;
        number += 1;
    }
    let _ = writeln!(text, "output y(1)\n(0) = %{sum}");
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let quantity = |limb: usize| ArgumentEntry {
        name: format!("q{limb}"),
        unit: String::new(),
        about: String::new(),
        value: 0.5,
    };
    Package {
        model: "limbs".to_owned(),
        prefix: "limbs".to_owned(),
        about: String::new(),
        hash: "0".to_owned(),
        version: "0".to_owned(),
        parameters: Vec::new(),
        frozen: Vec::new(),
        time: 0.0,
        q: (0..copies).map(quantity).collect(),
        qd: Vec::new(),
        qdd: Vec::new(),
        state: Vec::new(),
        input: Vec::new(),
        direction: Vec::new(),
        weight: Vec::new(),
        effort: Vec::new(),
        shared: Vec::new(),
        groups: Vec::new(),
        functions: vec![PackageFunction {
            name: "height".to_owned(),
            about: "a function".to_owned(),
            formalism: "none".to_owned(),
            inputs: vec![Kind::Coordinate],
            outputs: vec![Meaning::default()],
            program,
        }],
        readable: false,
        size: Size::Auto,
        trig: Trig::Auto,
        batch: false,
    }
}

/// The C of a package.
fn source(package: &Package) -> String {
    let c = language("c").expect("C is a language");
    let files = emit(package, c).unwrap_or_else(|problem| panic!("{problem:?}"));
    files.into_iter().find(|file| file.name == "limbs.c").expect("a source").text
}

/// Number of times that each operation of limbs stands in the text: once if they are lanes.
fn check(package: &Package, width: Option<usize>) {
    let text = source(package);
    for other in [2, 4, 8] {
        let found = text.contains(&format!("typedef double lanes{other} "));
        assert_eq!(found, width == Some(other), "lanes of {other}\n{text}");
    }
}

#[test]
fn limbs_are_lanes_of_the_least_width_that_holds_them() {
    for (copies, width) in [(2, 2), (3, 4), (4, 4), (5, 8), (8, 8)] {
        check(&limbs(copies, 40), Some(width));
    }
}

#[test]
fn short_limbs_and_a_single_one_stay_as_they_are() {
    check(&limbs(4, 3), None);
    check(&limbs(1, 40), None);
}

#[test]
fn the_choice_is_kept_to() {
    for (size, width) in [
        (Size::Auto, Some(4)),
        (Size::Small, Some(4)),
        (Size::Fast, Some(4)),
        (Size::Straight, None),
        (Size::Slots, None),
    ] {
        check(&Package { size, ..limbs(4, 40) }, width);
    }
    // Code for people has a name for each value.
    check(&Package { readable: true, size: Size::Small, ..limbs(4, 40) }, None);
}

/// Straight code with temporaries that share places: fewer than there are values.
#[test]
fn temporaries_share_slots() {
    let text = source(&Package { size: Size::Slots, ..limbs(4, 40) });
    let declared = text.split("double s[").nth(1).and_then(|rest| rest.split(']').next());
    let slots: usize = declared.and_then(|count| count.parse().ok()).expect("an array of slots");
    let assigned = text.lines().filter(|line| line.trim_start().starts_with("s[")).count();
    assert!(slots > 1 && 3 * slots < assigned, "{slots} slots for {assigned} values\n{text}");
}

#[test]
fn each_product_stands_once_for_all_limbs() {
    let text = source(&limbs(4, 200));
    // Two more are the definitions of the word.
    assert_eq!(text.matches("lanes4_mul(").count(), 200 + 2);
    // The last sum of each limb is a part of the sum over all limbs, which is no limb's.
    assert_eq!(text.matches("lanes4_add(").count(), 199 + 2);
}
