//! Inverse dynamics against digits nobody here wrote.
//!
//! PUMA 560 (Corke and Armstrong-Helouvry 1994) and KUKA iiwa 14 (Drake's benchmark data): vectors of Pinocchio
//! 4.1.0, cross-checked with other codes to 1e-15.
#![allow(clippy::approx_constant, reason = "digits stand as they were given")]

use rotule_formalism::{inverse, normalise};
use rotule_model::{Format, ReadOptions, Sources, load};
use std::path::Path;

/// A state and the efforts that belong to it.
type Row = (&'static [f64], &'static [f64], &'static [f64], &'static [f64]);

fn check(example: &str, rows: &[Row]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
    let text = std::fs::read_to_string(path).expect("a readable example");
    let mut sources = Sources::new();
    let id = sources.add(example, text);
    let loaded = load(&sources, id, Format::Native, &[], &ReadOptions::default());
    let mechanism = loaded.mechanism.expect("a valid example");
    let parameters = mechanism.parameters.clone();
    let mut tree = normalise(mechanism);
    let efforts = inverse(&mut tree);
    for (q, qd, qdd, expected) in rows {
        let names = |list: &[rotule_symbolic::Expr]| -> Vec<String> {
            list.iter().map(|&symbol| tree.graph.text(symbol)).collect()
        };
        let (nq, nv, na) = (names(&tree.q), names(&tree.qd), names(&tree.qdd));
        let value = |name: &str| {
            let parameter = parameters.iter().find(|one| one.name == name);
            let at = |names: &[String], values: &[f64]| {
                names.iter().position(|known| known == name).map(|at| values[at])
            };
            parameter
                .map(|one| one.value)
                .or_else(|| at(&nq, q))
                .or_else(|| at(&nv, qd))
                .or_else(|| at(&na, qdd))
        };
        let found = tree.graph.evaluate_f64(&efforts, value).expect("all inputs are known");
        let size = expected.iter().fold(1.0_f64, |size, effort| size.max(effort.abs()));
        for (found, expected) in found.iter().zip(*expected) {
            assert!((found - expected).abs() <= 1e-12 * size, "{example}: {found} {expected}");
        }
    }
}

#[test]
fn puma_560_with_rotors() {
    check("puma560.toml", PUMA);
}

#[test]
fn kuka_iiwa_14() {
    check("kuka_iiwa14.toml", KUKA);
}

/// State and efforts.
const PUMA: &[Row] = &[
    (
        &[0.0, 0.7853981633974483, 3.141592653589793, 0.0, 0.7853981633974483, 0.0],
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[
            0.0,
            31.63988037835712,
            6.035138023010511,
            1.7299850543475169e-18,
            0.028252799999999995,
            0.0,
        ],
    ),
    (
        &[0.0, 0.7853981633974483, 3.141592653589793, 0.0, 0.7853981633974483, 0.0],
        &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[
            -1.3910743710831213,
            33.42279896769273,
            5.283111268052361,
            0.0012230818156597654,
            0.030632278489071817,
            0.00014828427124746277,
        ],
    ),
    (
        &[0.0, 0.7853981633974483, 3.141592653589793, 0.0, 0.7853981633974483, 0.0],
        &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        &[
            1.9620364869799045,
            37.7854298333113,
            6.673937322392119,
            0.1912661163825566,
            0.20582040960248654,
            0.19428107421049498,
        ],
    ),
    (
        &[-0.099, -1.961, 0.086, -1.413, -1.276, 0.249],
        &[0.131, 0.376, 1.819, 1.964, -0.693, -1.19],
        &[-1.267, 1.379, 0.691, -2.409, 1.634, 2.537],
        &[
            -2.8521781473596124,
            -1.3209669593487408,
            9.3824024583333,
            -0.4899492535130273,
            0.2715216320013207,
            0.49243876986803004,
        ],
    ),
    (
        &[-1.337, -1.125, -1.584, -1.242, -0.31, -1.05],
        &[-0.84, -0.611, 1.323, 0.588, 0.158, -1.588],
        &[-1.308, -2.234, -1.167, 2.182, -0.934, -1.389],
        &[
            -5.183039500895695,
            6.226409812949534,
            0.31921229213047075,
            0.42033159255519903,
            -0.16958342846423574,
            -0.2695287251793487,
        ],
    ),
    (
        &[-0.466, 0.699, 1.784, -0.35, 1.244, 1.076],
        &[1.859, -0.166, -0.756, 0.565, 0.218, -1.495],
        &[2.358, 0.143, 1.531, 2.637, -1.153, -2.251],
        &[
            7.463585567357203,
            23.98036680475233,
            -4.086779615197895,
            0.5027348506034665,
            -0.17921494576252817,
            -0.43704871526155237,
        ],
    ),
];

/// State and efforts.
const KUKA: &[Row] = &[
    (
        &[
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
        ],
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[
            -2.220446049250313e-15,
            -33.894811060487875,
            -4.854013318704983,
            -4.401760533681911,
            0.3619577294124406,
            -0.02275712007275317,
            0.0,
        ],
    ),
    (
        &[
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
        ],
        &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[
            0.043951788589867036,
            -33.602382471271085,
            -4.792912579562837,
            -4.3955417777366845,
            0.3579022800497674,
            -0.027169987283646196,
            -0.0004761778579257488,
        ],
    ),
    (
        &[
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
        ],
        &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
        &[0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1],
        &[
            0.8848188219902595,
            -30.319570933039053,
            -4.260770502657784,
            -5.112868156903444,
            0.32712373856279864,
            -0.05536385268411548,
            0.0008649076642538988,
        ],
    ),
];
