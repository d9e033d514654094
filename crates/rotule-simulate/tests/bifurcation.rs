//! Positions where branches meet: the run goes on along the branch that continues the motion, for
//! every tolerance and method that is meant for it. `cargo xtask bench singular` prints the whole
//! table of IFToMM benchmark A02.

use rotule_simulate::run::Threshold;
use rotule_testing::simulate::bifurcation::{Chain, a02, crossings, methods};
use rotule_testing::simulate::loops::{GOLDEN, Setup, Wrong, ended};
use std::f64::consts::TAU;

#[test]
fn the_reference_of_a02_has_its_digits() {
    // B0 = (sin, cos) of the angle, by elliptic functions in 40 digits; B0 by EXUDYN differs by
    // 7e-7 at a step of 0.125 ms.
    let digits = [
        (2, 1.0, -0.195_020_301_949_435_1, -0.980_799_205_662_173_8, 6.807_385_240_869_446),
        (2, 2.0, 0.057_815_795_768_011_43, 0.998_327_267_863_455_5, 1.018_964_591_438_537),
        (2, 5.0, -0.811_310_461_005_107_4, -0.584_615_545_348_975_5, 6.105_067_553_519_621),
        (2, 10.0, 0.328_458_111_540_815_4, 0.944_518_538_178_601, 1.506_642_180_841_829),
        (40, 1.0, -0.115_356_880_632_109_9, -0.993_324_111_300_450_2, 6.714_814_880_723_563),
        (40, 2.0, 0.034_466_307_300_407_16, 0.999_405_860_329_563, 1.006_549_203_626_231),
        (40, 5.0, -0.540_190_050_675_526_3, -0.841_543_052_464_443, 6.460_001_180_757_471),
        (40, 10.0, 0.180_512_226_686_728_4, 0.983_572_740_582_311_6, 1.167_622_108_751_707),
    ];
    for (cells, t, x, y, rate) in digits {
        let [theta, found] = a02(cells).reference().at(t);
        let errors = [theta.sin() - x, theta.cos() - y, found - rate];
        assert!(errors.iter().all(|error| error.abs() < 1e-10), "{cells} at {t}: {errors:?}");
    }
}

/// The errors that are allowed to a chain beyond a multiple of the error of its pendulum: position
/// in metres, and energy in parts of it.
type Allowed = [f64; 2];

/// The errors that the benchmark allows.
const BENCHMARK: Allowed = [1e-6, 1e-8];
/// The errors that are allowed where several loops are flat at once, or bars of other lengths
/// rotate faster past a flat position.
const PASSED: Allowed = [1e-5, 1e-7];
/// The errors that are allowed to ten loops that are flat at once: a passage costs half of the
/// digits, and the last ones of the program decide what is left of them.
const TEN: Allowed = [2e-5, 1e-7];
/// The errors that are allowed to `bdf`, which begins anew at order one after each flat position.
const RESTARTED: Allowed = [1e-2, 5e-3];

/// Runs a chain and the pendulum that it is: a loop must not be worse than a tree by more than a
/// factor, beyond what is allowed.
fn hold(chain: Chain, kind: &str, setup: Setup, allowed: Allowed, wrong: &mut Wrong) {
    let found = chain.follow(&chain.text(kind), chain.cells + 1, setup);
    let known = chain.follow(&chain.tree(), 1, setup);
    let row = format!(
        "{} x {}, {} on {}, {} {:?}, {:?}: position {:.1e} at {:.2} s, energy {:.1e}; pendulum {:.1e} {:.1e}; {} steps, {} changes, {}",
        chain.cells,
        kind.split('"').nth(1).unwrap_or_default(),
        chain.crank,
        chain.base,
        setup.method,
        setup.accuracy,
        setup.threshold,
        found.position.0,
        found.position.1,
        found.energy,
        known.position.0,
        known.energy,
        found.outcome.work.steps,
        found.outcome.switches.len(),
        ended(&found.outcome)
    );
    println!("{row}");
    let [position, energy] = match allowed {
        PASSED | TEN if setup.method == "bdf" => RESTARTED,
        allowed => allowed,
    };
    let near = found.position.0 <= 20.0 * known.position.0 + position;
    wrong.unless(found.reached() && near && found.energy <= 20.0 * known.energy + energy, row);
}

fn check(chain: Chain, kind: &str, tolerances: &[f64], allowed: Allowed, wrong: &mut Wrong) {
    for (method, accuracy) in methods(tolerances) {
        hold(chain, kind, Setup::new(10.0, 0.1 * GOLDEN).by(method, accuracy), allowed, wrong);
    }
}

const ALL: [f64; 4] = [1e-6, 1e-8, 1e-10, 1e-12];

#[test]
fn a02_goes_through_flat_positions_at_every_tolerance_by_every_method() {
    let mut wrong = Wrong::default();
    for cells in [1, 2] {
        check(a02(cells), "\"ball\"", &ALL, BENCHMARK, &mut wrong);
    }
    check(a02(2), "\"revolute\"\naxis = \"z\"", &[1e-8], BENCHMARK, &mut wrong);
    wrong.none();
}

#[test]
fn a02_of_ten_four_bars_goes_through_flat_positions() {
    let mut wrong = Wrong::default();
    check(a02(10), "\"ball\"", &[1e-8], TEN, &mut wrong);
    wrong.none();
}

#[test]
fn parallelograms_of_other_lengths_go_through_flat_positions() {
    let mut wrong = Wrong::default();
    for (crank, base, start) in [
        (1.0, 2.0, [-1.0, -3.0]),
        (0.5, 0.3, [1.0, 4.0]),
        (0.3, 1.0, [2.0, 12.0]),
        // Just enough to come over the top, and a swing that never does.
        (1.0, 2.0, [1.0, -3.5]),
        (1.0, 2.0, [1.5, 0.0]),
    ] {
        for cells in [1, 3] {
            check(
                Chain { cells, crank, base, start },
                "\"ball\"",
                &[1e-8, 1e-11],
                PASSED,
                &mut wrong,
            );
        }
    }
    wrong.none();
}

#[test]
fn branches_that_cross_are_passed_straight_on() {
    let mut wrong = Wrong::default();
    let omega = 10.0;
    for linkage in crossings().iter().filter(|one| one.ordinary) {
        for (method, accuracy) in methods(&[1e-6, 1e-8, 1e-12]) {
            let turn = TAU / omega;
            let setup = Setup::new(3.0 * turn, 0.1 * GOLDEN * turn).by(method, accuracy);
            let found = linkage.follow_with(omega, setup);
            let row = found.row(&format!("{method} {accuracy:?}, {}", linkage.name));
            println!("{row}");
            wrong.unless(found.within(1e-6), row);
        }
    }
    wrong.none();
}

#[test]
fn thresholds_do_not_matter_where_every_partition_is_singular() {
    let mut wrong = Wrong::default();
    for threshold in [1.0, 3.0, 10.0, 100.0, 1e4] {
        let setup = Setup { threshold: Threshold::At(threshold), ..Setup::new(10.0, 0.1 * GOLDEN) };
        hold(a02(2), "\"ball\"", setup, BENCHMARK, &mut wrong);
    }
    wrong.none();
}
