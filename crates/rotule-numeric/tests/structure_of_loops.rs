//! Structures of constraints that the literature gives, reproduced exactly (Postiau, sections 2.3,
//! 2.7, 2.8 and 4.3): which coordinates follow from which rows, in which blocks, and which blocks
//! wait for which. Where a mechanism is known the blocks are those of its model, where only an
//! incidence is known they are those of the incidence.

use rotule_formalism::constraint::blocks::{DiagonalBlock, blocks};
use rotule_formalism::constraint::partition::Partition;
use rotule_numeric::independent::ask_independent;
use rotule_numeric::partition::{JacobianShape, partition, symbolic};
use rotule_numeric::redundancy::analyse;
use rotule_testing::formalism::case::Case;
use rotule_testing::formalism::example;
use rotule_testing::formalism::random::Random;

/// A block by its columns, and the columns of the blocks that it waits for.
type Known<'a> = (&'a [usize], &'a [&'a [usize]]);

/// Columns are counted from one, as in the literature.
fn shape(rows: &[&[usize]], columns: usize, seed: u64) -> JacobianShape {
    let random = &mut Random::new(seed);
    let mut row = |own: &&[usize]| {
        let entry = |&column: &usize| (column - 1, random.between(0.3, 1.0));
        own.iter().map(entry).collect()
    };
    JacobianShape {
        rows: rows.iter().map(&mut row).collect(),
        columns,
        excluded: vec![false; columns],
        requests: vec![None; columns],
        ties: Vec::new(),
    }
}

/// A shape with requested independent columns, and all others dependent.
fn requested(rows: &[&[usize]], columns: usize, independent: &[usize]) -> JacobianShape {
    let requests = (1..=columns).map(|column| Some(!independent.contains(&column))).collect();
    JacobianShape { requests, ..shape(rows, columns, 5) }
}

/// Blocks as sets of columns, each with the sets that it waits for, all in order.
fn structure(
    blocks: &[DiagonalBlock],
    name: &dyn Fn(usize) -> usize,
) -> Vec<(Vec<usize>, Vec<Vec<usize>>)> {
    let set = |block: &DiagonalBlock| {
        let mut columns: Vec<usize> = block.columns.iter().map(|&column| name(column)).collect();
        columns.sort_unstable();
        columns
    };
    let mut all: Vec<_> = blocks
        .iter()
        .enumerate()
        .map(|(at, block)| {
            assert!(block.needs.iter().all(|&needed| needed < at), "blocks wait for earlier ones");
            assert_eq!(block.rows.len(), block.columns.len());
            let mut needs: Vec<Vec<usize>> =
                block.needs.iter().map(|&needed| set(&blocks[needed])).collect();
            needs.sort();
            (set(block), needs)
        })
        .collect();
    all.sort();
    all
}

fn expect(label: &str, found: &Partition, name: &dyn Fn(usize) -> usize, expected: &[Known<'_>]) {
    let mut expected: Vec<(Vec<usize>, Vec<Vec<usize>>)> = expected
        .iter()
        .map(|(own, needs)| (own.to_vec(), needs.iter().map(|one| one.to_vec()).collect()))
        .collect();
    expected.sort();
    assert_eq!(structure(&found.blocks, name), expected, "{label}");
    // Below the blocks nothing else is needed: the diagonal has no zeros, which `blocks` makes sure
    // of.
    assert!(found.quality > 0.0, "{label}");
}

/// The number in a coordinate's name: `q12` is 12.
fn numbers(case: &Case) -> Vec<usize> {
    let number = |name: &str| name.trim_start_matches('q').trim_end_matches(".d").parse().ok();
    case.mechanism().speeds.iter().map(|speed| number(&speed.name).unwrap_or(0)).collect()
}

/// The blocks of a model with some coordinates independent.
fn of_model(label: &str, case: &mut Case, independent: &[usize], expected: &[Known<'_>]) {
    let names: Vec<String> = independent.iter().map(|number| format!("q{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    ask_independent(&mut case.tree.mechanism, &names).expect("names of the model");
    let analysis = analyse(&case.tree).unwrap_or_else(|problem| panic!("{label}: {problem}"));
    if let Some(fault) = analysis.fault() {
        panic!("{label}: {fault}");
    }
    let found = analysis.partition.expect("a partition");
    let numbers = numbers(case);
    expect(label, &found, &|column| numbers[column], expected);
}

fn of_pattern(label: &str, shape: &JacobianShape, expected: &[Known<'_>]) {
    let found = partition(shape).unwrap_or_else(|fault| panic!("{label}: {fault:?}"));
    expect(label, &found, &|column| column + 1, expected);
}

/// The mechanism of figure 2.6: three planar loops, seven joints.
const FIGURE: [&[usize]; 6] =
    [&[1, 2, 3], &[1, 2, 3], &[1, 5, 6], &[1, 5, 6], &[2, 4, 5, 7], &[2, 4, 5, 7]];

#[test]
fn at_10_three_partitions_give_three_structures() {
    let check = |independent: usize, expected: &[Known<'_>]| {
        of_pattern(&format!("q{independent}"), &requested(&FIGURE, 7, &[independent]), expected);
    };
    check(1, &[(&[2, 3], &[]), (&[5, 6], &[]), (&[4, 7], &[&[2, 3], &[5, 6]])]);
    check(2, &[(&[1, 3], &[]), (&[5, 6], &[&[1, 3]]), (&[4, 7], &[&[5, 6]])]);
    check(4, &[(&[1, 2, 3, 5, 6, 7], &[])]);
}

const PLANAR_1_2: [&[usize]; 6] = [
    &[1, 2, 3, 4, 5],
    &[1, 2, 3, 4, 5],
    &[1, 2, 3, 4, 5, 6],
    &[1, 2, 3, 7, 8],
    &[1, 2, 3, 7, 8],
    &[1, 2, 3, 7, 8, 9],
];
const PLANAR_3_CENTRE: [&[usize]; 9] = [
    &[1, 2, 3, 10],
    &[1, 2, 3, 11],
    &[1, 2, 3, 12],
    &[4, 5, 6, 10],
    &[4, 5, 6, 11],
    &[4, 5, 6, 12],
    &[7, 8, 9, 10],
    &[7, 8, 9, 11],
    &[7, 8, 9, 12],
];
const PLANAR_3_JOINTS: [&[usize]; 9] = [
    &[1, 2, 10, 12],
    &[1, 2, 11, 12],
    &[1, 2, 3, 12],
    &[4, 5, 10, 12],
    &[4, 5, 11, 12],
    &[4, 5, 6, 12],
    &[7, 8, 10, 12],
    &[7, 8, 11, 12],
    &[7, 8, 9, 12],
];
const PLANAR_4: [&[usize]; 6] =
    [&[1, 2, 7, 9], &[1, 2, 8, 9], &[3, 4, 7, 9], &[3, 4, 8, 9], &[5, 6, 7, 9], &[5, 6, 8, 9]];

/// Model 3 with the centre of the platform as the point of all three cuts.
fn planar_3_centre() -> Case {
    let mut text = example("planar_robot_3.toml");
    for (copy, x, y) in [("3", "s", "s"), ("6", "-s", "s"), ("9", "0", "-s")] {
        let name = format!("name = \"platform{copy}\"\n");
        assert!(text.contains(&name));
        let point = format!("{name}points.C = [\"{x}\", \"{y}\", 0]\n");
        text = text.replace(&name, &point);
        let end = format!(
            "between = [\"platform{copy}\", \"platform.P{}\"]",
            copy.parse::<usize>().expect("a number") / 3
        );
        assert!(text.contains(&end));
        text = text.replace(&end, &format!("between = [\"platform{copy}.C\", \"platform\"]"));
    }
    Case::of("planar_robot_3 with its centre", &text)
}

/// An incidence and the model that has it.
fn both(
    label: &str,
    mut case: Case,
    rows: &[&[usize]],
    independent: &[usize],
    expected: &[Known<'_>],
) {
    of_pattern(label, &requested(rows, case.speeds(), independent), expected);
    of_model(label, &mut case, independent, expected);
}

#[test]
fn at_11_nine_block_structures_of_the_planar_robot() {
    let one: &[Known<'_>] = &[(&[2, 3, 4, 5, 7, 8], &[])];
    let two: &[Known<'_>] =
        &[(&[1, 2, 5, 8], &[]), (&[6], &[&[1, 2, 5, 8]]), (&[9], &[&[1, 2, 5, 8]])];
    let three: &[Known<'_>] =
        &[(&[4, 5], &[]), (&[6], &[&[4, 5]]), (&[7, 8], &[]), (&[9], &[&[7, 8]])];
    let four: &[Known<'_>] =
        &[(&[2, 3, 5, 8], &[]), (&[6], &[&[2, 3, 5, 8]]), (&[9], &[&[2, 3, 5, 8]])];
    let five: &[Known<'_>] = &[(&[1, 2, 4, 5, 7, 8], &[])];
    let centre: &[Known<'_>] = &[(&[1, 2, 3], &[]), (&[4, 5, 6], &[]), (&[7, 8, 9], &[])];
    let joints: &[Known<'_>] = &[
        (&[1, 2], &[]),
        (&[3], &[&[1, 2]]),
        (&[4, 5], &[]),
        (&[6], &[&[4, 5]]),
        (&[7, 8], &[]),
        (&[9], &[&[7, 8]]),
    ];
    let pins: &[Known<'_>] = &[(&[1, 2], &[]), (&[3, 4], &[]), (&[5, 6], &[])];
    let example = |number: usize| Case::example(&format!("planar_robot_{number}.toml"));
    both("1 P1", example(1), &PLANAR_1_2, &[1, 6, 9], one);
    both("1 P2", example(1), &PLANAR_1_2, &[3, 4, 7], two);
    both("1 P3", example(1), &PLANAR_1_2, &[1, 2, 3], three);
    both("2 P1", example(2), &PLANAR_1_2, &[1, 4, 7], four);
    both("2 P2", example(2), &PLANAR_1_2, &[3, 6, 9], five);
    both("2 P3", example(2), &PLANAR_1_2, &[1, 2, 3], three);
    both("3 centre", planar_3_centre(), &PLANAR_3_CENTRE, &[10, 11, 12], centre);
    both("3 joints", example(3), &PLANAR_3_JOINTS, &[10, 11, 12], joints);
    both("4", example(4), &PLANAR_4, &[7, 8, 9], pins);
}

/// The bogie of the tram BA2000: rows by their columns.
const BOGIE: [&[usize]; 7] =
    [&[23], &[21], &[23, 22, 7, 8], &[23, 22, 7, 8], &[21, 7, 8], &[22, 11], &[23, 22, 7, 8, 12]];

#[test]
fn at_12_the_bogie_has_five_blocks() {
    let middle: &[usize] = &[7, 8, 22];
    let expected: &[Known<'_>] = &[
        (&[23], &[]),
        (&[21], &[]),
        (middle, &[&[21], &[23]]),
        (&[11], &[middle]),
        (&[12], &[middle, &[23]]),
    ];
    let dependent = [23, 21, 22, 7, 8, 11, 12];
    let independent: Vec<usize> = (1..=23).filter(|one| !dependent.contains(one)).collect();
    of_pattern("incidence", &requested(&BOGIE, 23, &independent), expected);
    // The example asks for these coordinates itself.
    let case = Case::example("ba2000_bogie.toml");
    let found = analyse(&case.tree).expect("closes").partition.expect("a partition");
    let numbers = numbers(&case);
    expect("example", &found, &|column| numbers[column], expected);
}

#[test]
fn at_13_symbolic_partitions_are_those_of_the_table() {
    let check = |label: &str, rows: &[&[usize]], columns: usize, expected: &[usize]| {
        let found = symbolic(&shape(rows, columns, 3)).expect("a choice");
        let found: Vec<usize> = found.into_iter().map(|column| column + 1).collect();
        assert_eq!(found, expected, "{label}");
    };
    check("figure 2.6", &FIGURE, 7, &[3, 1, 6, 5, 4, 7]);
    check("planar 1 and 2", &PLANAR_1_2, 9, &[4, 5, 6, 7, 8, 9]);
    check("planar 3, joints", &PLANAR_3_JOINTS, 12, &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    check("planar 3, centre", &PLANAR_3_CENTRE, 12, &[10, 11, 12, 4, 5, 6, 7, 8, 9]);
    check("planar 4", &PLANAR_4, 9, &[1, 2, 3, 4, 5, 6]);
    // What is known is never chosen.
    let mut driven = shape(&FIGURE, 7, 3);
    driven.excluded[2] = true;
    let found = symbolic(&driven).expect("a choice");
    assert!(!found.contains(&2) && found.len() == 6, "{found:?}");
    let found = partition(&driven).expect("a choice");
    assert_eq!(found.independent, [2], "the driven joint is the one that is known");
    // The first row takes a column that the second has alone; a path gives it back.
    check("dead end", &[&[1, 2], &[1], &[2, 3], &[3, 2, 4]], 4, &[2, 1, 3, 4]);
    // No path helps where there are too few columns.
    assert_eq!(symbolic(&shape(&[&[1, 2], &[1, 2], &[2, 1]], 4, 3)), None);
}

#[test]
fn at_14_the_car_has_four_blocks_of_ten() {
    let mut case = Case::example("multilink_car.toml");
    let wheels = ["fl", "fr", "rl", "rr"];
    let check = |label: &str, case: &Case| {
        let analysis = analyse(&case.tree).expect("closes");
        assert_eq!((analysis.rank, analysis.mobility()), (40, 14), "{label}");
        let found = analysis.partition.expect(label);
        assert_eq!(found.blocks.len(), 4, "{label}");
        for (block, wheel) in found.blocks.iter().zip(wheels) {
            assert_eq!((block.rows.len(), &block.needs), (10, &Vec::new()), "{label}");
            for &column in &block.columns {
                let name = &case.mechanism().speeds[column].name;
                assert!(name.starts_with(wheel), "{label}: {name} is of {wheel}");
            }
        }
    };
    check("as chosen", &case);
    // The elevation of any bar can be the independent one.
    let bars = ["upper_front", "upper_rear", "lower_front", "lower_rear"];
    let elevations = wheels.iter().zip(bars).map(|(wheel, bar)| format!("{wheel}_{bar}[1]"));
    let names: Vec<String> = elevations.collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    ask_independent(&mut case.tree.mechanism, &names).expect("names of the car");
    check("as requested", &case);
}

/// The smallest pivot of elimination in a given order over the largest.
fn least_pivot(shape: &JacobianShape, rows: &[usize], columns: &[usize]) -> f64 {
    let value = |row: usize, column: usize| {
        shape.rows[row].iter().find(|one| one.0 == column).map_or(0.0, |one| one.1)
    };
    let mut matrix: Vec<Vec<f64>> = rows
        .iter()
        .map(|&row| columns.iter().map(|&column| value(row, column)).collect())
        .collect();
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for k in 0..matrix.len() {
        let line = matrix[k].clone();
        least = least.min(line[k].abs());
        most = most.max(line[k].abs());
        for row in &mut matrix[k + 1..] {
            let factor = row[k] / line[k];
            row.iter_mut().zip(&line).for_each(|(x, y)| *x -= factor * y);
        }
    }
    least / most
}

#[test]
fn at_16_pivots_within_blocks_keep_the_blocks_and_improve_conditioning() {
    // One block of three whose diagonal is small, between a block before it and one behind it.
    let rows: [&[usize]; 5] = [&[1], &[1, 2, 3, 4], &[2, 3, 4], &[1, 2, 3, 4], &[3, 5]];
    let mut better = 0;
    for seed in 1..40 {
        let mut shape = requested(&rows, 5, &[]);
        let random = &mut Random::new(seed);
        for (row, own) in shape.rows.iter_mut().enumerate() {
            for (column, value) in own {
                let small = row == *column && (1..4).contains(&row);
                *value = if small { 1e-4 } else { 1.0 } * random.between(0.3, 1.0);
            }
        }
        let pattern: Vec<Vec<usize>> =
            shape.rows.iter().map(|row| row.iter().map(|one| one.0).collect()).collect();
        let plain = blocks(&pattern, 5).expect("regular");
        let found = partition(&shape).expect("regular");
        let name = |column: usize| column + 1;
        assert_eq!(structure(&found.blocks, &name), structure(&plain, &name), "seed {seed}");
        let block =
            |blocks: &[DiagonalBlock]| blocks.iter().find(|one| one.rows.len() == 3).cloned();
        let (before, after) =
            (block(&plain).expect("a block"), block(&found.blocks).expect("a block"));
        // In the order of the rows, the diagonal is the small one.
        let natural = least_pivot(&shape, &before.rows, &[1, 2, 3]);
        let ordered = least_pivot(&shape, &after.rows, &after.columns);
        assert!(ordered > 10.0 * natural, "seed {seed}: {natural:e} became {ordered:e}");
        if ordered > 0.05 {
            better += 1;
        }
    }
    assert!(better > 30, "{better} of 39 are well conditioned");
}
