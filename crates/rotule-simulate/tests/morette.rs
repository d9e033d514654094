//! Changes of independent coordinates as Morette (2017) counts them: any threshold gives the same
//! motion, none fails, and a start whose coordinates cannot lead to the end changes them. `cargo
//! xtask bench singular` prints both tables.

use rotule_simulate::run::{End, Threshold};
use rotule_testing::simulate::loops::{Wrong, ended};
use rotule_testing::simulate::morette::{FIVE_BARS, STARTS, five_bars, stewart, sweep};

#[test]
fn five_equal_bars_move_alike_for_all_thresholds_of_the_thesis() {
    let mut wrong = Wrong::default();
    let text = five_bars();
    let expected = sweep(&text, "dop853", 1e-12, 5.0, Threshold::AUTOMATIC);
    assert_eq!(expected.outcome.end, End::Reached);
    let mut changes = Vec::new();
    for (threshold, thesis, _) in FIVE_BARS {
        let found = sweep(&text, "dop853", 1e-12, 5.0, Threshold::At(threshold));
        // Differences grow by some twenty in each second: from 1e-12 to less than 1e-7 after two.
        let apart = found.apart(&expected, 2.0);
        let count = found.outcome.switches.len();
        let row = format!(
            "{threshold}: {count} changes ({thesis}), {apart:.1e} up to 2 s, energy {:.1e}, {}",
            found.energy,
            ended(&found.outcome)
        );
        println!("{row}");
        let held = found.outcome.end == End::Reached && apart < 1e-7 && found.energy < 1e-8;
        wrong.unless(held && count <= thesis as usize, row);
        changes.push(count);
    }
    // Fewer with higher thresholds, in trend.
    wrong.unless(changes[0] >= changes[14], format!("{changes:?}"));
    wrong.none();
}

#[test]
fn a_stewart_platform_goes_on_from_every_start() {
    let mut wrong = Wrong::default();
    let run = |text: &str, threshold| sweep(text, "dormand-prince", 1e-9, 10.0, threshold);
    // The platform's own coordinates are good all the time.
    let expected = run(&stewart(&STARTS[2]), Threshold::AUTOMATIC);
    assert_eq!(expected.outcome.end, End::Reached);
    for start in &STARTS {
        let text = stewart(start);
        for threshold in [1.0, 3.0, 10.0, 15.0] {
            let found = run(&text, Threshold::At(threshold));
            let (apart, count) = (found.apart(&expected, 10.0), found.outcome.switches.len());
            let row = format!(
                "{}, {threshold}: {count} changes, {apart:.1e}, energy {:.1e}, worst {:.1}, {}",
                start.name,
                found.energy,
                found.outcome.worst,
                ended(&found.outcome)
            );
            println!("{row}");
            let held = found.outcome.end == End::Reached && apart < 1e-5 && found.energy < 1e-7;
            wrong.unless(held && count <= 20, row);
        }
    }
    wrong.none();
}
