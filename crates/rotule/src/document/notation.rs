//! The table of symbols: coordinates with their speeds and accelerations, efforts, and the letters
//! of recursions.

use super::content::{Content, Spans, math, name, text};
use super::equations::Chapter;
use rotule_formalism::MultibodySystem;
use rotule_formalism::glossary::Letter;
use rotule_formalism::units;
use rotule_symbolic::latex_name;

/// Adds the notation of all chapters.
pub(super) fn explain(content: &mut Content, tree: &MultibodySystem, chapters: &[Chapter]) {
    let mechanism = &tree.mechanism;
    content.heading(1, vec![text("Notation")]);
    let graph = &mechanism.graph;
    let joint = |body: rotule_model::mechanism::BodyId| mechanism.joint_of(body);
    let units = units::of_coordinates(mechanism);
    let one_by_one = mechanism.joints.iter().all(|one| one.coordinates.len() == one.speeds.len());
    if one_by_one {
        let rows = mechanism.coordinates.iter().zip(&mechanism.speeds).zip(units).enumerate();
        let row = |(at, ((coordinate, speed), unit)): (
            usize,
            ((&rotule_model::mechanism::Coordinate, &rotule_model::mechanism::Speed), &str),
        )| {
            let symbols =
                [&coordinate.name, &graph.text(speed.symbol), &graph.text(speed.acceleration)]
                    .map(|name| latex_name(name));
            let kind = joint(coordinate.body).map_or("", |joint| joint.kind.word());
            vec![
                vec![text((at + 1).to_string())],
                vec![math(symbols.join(",\\; "))],
                vec![
                    name(&mechanism.bodies[coordinate.body.index()].name),
                    text(format!(", {kind} joint")),
                ],
                vec![text(unit)],
            ]
        };
        content.paragraph(vec![text(
            "Coordinates, speeds and accelerations, with their numbers in vectors and matrices; SI units throughout:",
        )]);
        content.table(&["No.", "Symbols", "Motion of", "Unit"], rows.map(row).collect());
    } else {
        content.paragraph(vec![text("Coordinates, SI units throughout:")]);
        let rows = mechanism.coordinates.iter().zip(units).enumerate();
        let row = |(at, (one, unit)): (usize, (&rotule_model::mechanism::Coordinate, &str))| {
            vec![
                vec![text((at + 1).to_string())],
                vec![math(latex_name(&one.name))],
                moved(tree, one.body),
                vec![text(unit)],
            ]
        };
        content.table(&["No.", "Symbol", "Motion of", "Unit"], rows.map(row).collect());
        content.paragraph(vec![text(
            "Speeds and accelerations, with their numbers in vectors and matrices; those of free and spherical joints \
             are components of velocities in the body's axes:",
        )]);
        let rows =
            mechanism.speeds.iter().zip(units::by_speed(mechanism, units::SPEED)).enumerate();
        let row = |(at, (one, unit)): (usize, (&rotule_model::mechanism::Speed, &str))| {
            let symbols =
                [one.symbol, one.acceleration].map(|symbol| latex_name(&graph.text(symbol)));
            vec![
                vec![text((at + 1).to_string())],
                vec![math(symbols.join(",\\; "))],
                moved(tree, one.body),
                vec![text(unit)],
            ]
        };
        content.table(&["No.", "Symbols", "Motion of", "Unit"], rows.map(row).collect());
    }
    let mut letters: Vec<&Letter> =
        chapters.iter().flat_map(|chapter| chapter.letters.clone()).collect();
    letters.sort_by_key(|letter| (letter.pass, letter.letter));
    letters.dedup_by_key(|letter| letter.letter);
    if letters.is_empty() {
        return;
    }
    content.paragraph(vec![
        text("Variables of recursions, with the body as first index; components are in the body's axes, and "),
        math("z_{1}, z_{2}, \\ldots"),
        text(" are parts that occur more than once; "),
        math("\\delta"),
        text(" before a letter is its change per unit of what a derivative is taken by:"),
    ]);
    let row = |letter: &&Letter| vec![vec![math(letter.latex)], vec![text(letter.about)]];
    content.table(&["Symbol", "Meaning"], letters.iter().map(row).collect());
}

fn moved(tree: &MultibodySystem, body: rotule_model::mechanism::BodyId) -> Spans {
    let mechanism = &tree.mechanism;
    let kind = mechanism.joint_of(body).map_or("", |joint| joint.kind.word());
    vec![name(&mechanism.bodies[body.index()].name), text(format!(", {kind} joint"))]
}
