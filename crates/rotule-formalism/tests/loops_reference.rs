//! Digits that others computed: Andrews' squeezing mechanism (test set for initial value problems,
//! after Schiehlen 1990 and Hairer and Wanner) and the spatial slider-crank of the IFToMM benchmark
//! (after Haug 1989), both recomputed in quadruple precision by a path without recursions.

use rotule_formalism::Formalism::{Barycentric, NewtonEuler};
use rotule_testing::formalism;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::loops::{Ready, rk4};
use rotule_testing::formalism::numbers::agree;

/// A moment of the squeezer's motion: beta, Theta, gamma, phi, delta, Omega, epsilon; and
/// multipliers with `M qdd = f - G' lambda`.
struct Moment {
    q: [f64; 7],
    qd: [f64; 7],
    qdd: [f64; 7],
    lambda: [f64; 6],
}

#[rustfmt::skip]
const MOMENTS: [Moment; 5] = [
    Moment {
        q: [-0.06171389001427645, 0.0, 0.45527981916307037, 0.22266839016588588, 0.48736497954384256, -0.22266839016588588, 1.2305474445498212],
        qd: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        qdd: [14222.443919954114, -10666.832939965585, 0.0, 0.0, 0.0, 0.0, 0.0],
        lambda: [98.56687039624109, -6.122688344255662, 0.0, 0.0, 0.0, 0.0],
    },
    Moment {
        q: [2.1601131315315265, -1.8833642311070444, 0.1585167580012267, -0.3286410751746703, 0.5251547747977294, 0.3286410751746703, 1.068427204632401],
        qd: [711.923152831104, -786.7700808599398, -136.4381913781197, -240.29302926786454, 4.791548225371054, 240.29302926786454, -41.14056696161049],
        qdd: [209058.27853254118, -369745.60017161345, -6373.773935841842, -5657.410330994548, -11869.750534558465, 5657.410330994548, 34721.437501431545],
        lambda: [57.02529043750258, 2.9679042462494833, 3.218860385008939, -18.179269867940356, 5.159502718032351, 34.24011729160661],
    },
    Moment {
        q: [8.184905889661676, -7.890505363730449, 0.20953691338469757, -0.23832559659585126, 0.5225369171559964, 0.23832559659585126, 1.0862751085998732],
        qd: [726.5583426091277, -748.6324206323291, -145.73923758440472, -259.50079947677506, 9.79050185516307, 259.50079947677506, -57.75747174274601],
        qdd: [177724.3327445665, -341202.04527245124, -33195.92383628786, -49292.534678413256, -10758.941706723468, 49292.534678413256, 24149.460195221083],
        lambda: [48.493256981749425, 9.30037734573436, 2.3032331312870657, -15.773889807968303, 2.94225325451755, 22.988032419227928],
    },
    Moment {
        q: [15.810771195153707, -15.756371058411839, 0.0408222401196458, -0.5347301163420796, 0.524409965879954, 0.5347301163420796, 1.048080741041938],
        qd: [1139.9203022591062, -1424.3792951775401, 11.032911910618594, 19.29337410503204, 0.5735699148295025, -19.29337410503204, 0.3231791492491309],
        qdd: [-24631.763122874636, 51850.31963646423, 324102.6007075786, 566749.4220009954, 16743.635418345446, -566749.4220009954, 9826.507801544163],
        lambda: [199.17534810453864, -29.755309974971762, 23.06654361162215, 31.452725275771137, 22.64249478639438, 11.617392352611256],
    },
    Moment {
        q: [33.82586776695452, -33.58343151746387, 0.11339507381259901, -0.40785286560188444, 0.5260604449169958, 0.40785286560188444, 1.056902429434963],
        qd: [1144.5355026538475, -1336.0337226511924, -190.93706860429464, -334.3170608708647, 0.8758650829430151, 334.3170608708647, -39.617288978352995],
        qdd: [391866.3976893025, -745643.5187913033, 107933.16503666824, 194626.8608073244, -26303.817354149785, -194626.8608073244, 102937.81804144962],
        lambda: [108.90548842952924, -27.21622114844481, 12.602041740749929, -41.54775281620476, 18.15834111468958, 105.3745518262451],
    },
];

/// Where the coordinates of the reference are among ours.
const PLACES: [usize; 7] = [0, 1, 2, 4, 3, 6, 5];

fn ours(list: &[f64; 7]) -> Vec<f64> {
    let mut found = vec![0.0; 7];
    PLACES.iter().zip(list).for_each(|(&at, &value)| found[at] = value);
    found
}

/// Accelerations and multipliers, at rest to 1e-12; on the way, where rounding of the given state
/// counts, to 1e-10.
#[test]
fn andrews_squeezing_mechanism() {
    let case = &mut Case::example("andrews_squeezer.toml");
    let names: Vec<&str> =
        case.mechanism().coordinates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["beta", "Theta", "gamma", "delta", "phi", "epsilon", "Omega"]);
    for formalism in [NewtonEuler, Barycentric] {
        let forward = Ready::of(case, "forward", formalism);
        let multipliers = Ready::of(case, "multipliers", formalism);
        for (number, moment) in MOMENTS.iter().enumerate() {
            let state = State {
                time: 0.0,
                q: ours(&moment.q),
                qd: ours(&moment.qd),
                qdd: vec![0.0; 7],
                effort: vec![0.0; 7],
            };
            let found = forward.at(&state);
            assert!(found.converged);
            let tolerance = if number == 0 { 1e-12 } else { 1e-10 };
            let label = format!("moment {number}");
            agree(&label, &found.values, &ours(&moment.qdd), tolerance);
            let expected = moment.lambda.map(|x| -x);
            agree(&label, &multipliers.at(&state).values, &expected, tolerance);
        }
    }
}

/// Time, crank and its speed, slider and its speed.
#[rustfmt::skip]
const SLIDER: [[f64; 5]; 3] = [
    [0.1, 0.56003148209304, 5.8288881346543056, 0.2267871885529191, 0.305277006934754],
    [0.5, 5.583762553307304, 14.408160810200377, 0.18495262977780264, -0.0045602906325156005],
    [1.0, 10.913590729864667, 10.427593000412049, 0.21172166139344378, -0.5034918649250101],
];

#[test]
fn spatial_slider_crank() {
    // The crank goes round, so all follows from it.
    let text = formalism::example("spatial_slider_crank.toml");
    let crank = "name = \"theta\", type = \"revolute\"";
    assert!(text.contains(crank));
    let text = text.replace(crank, &format!("partition = \"independent\", {crank}"));
    let case = &mut Case::of("spatial slider-crank", &text);
    let names: Vec<&str> =
        case.mechanism().coordinates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names[..2], ["theta", "x"]);
    let initial: Vec<_> = case.mechanism().coordinates.iter().map(|one| one.initial).collect();
    let speeds: Vec<_> = case.mechanism().speeds.iter().map(|one| one.initial).collect();
    let mut state = State {
        time: 0.0,
        q: case.mechanism().evaluate(&initial),
        qd: case.mechanism().evaluate(&speeds),
        qdd: vec![0.0; 4],
        effort: vec![0.0; 4],
    };
    let forward = Ready::of(case, "forward", Barycentric);
    let closure = Ready::of(case, "closure", rotule_formalism::Formalism::Outward);
    let start = forward.at(&state);
    assert!(start.converged);
    agree("initial", &start.values[..2], &[-25.68419058893164, 0.4126323764427345], 1e-12);
    // All coordinates and speeds are integrated; what depends is closed at each evaluation.
    let mut y = [state.q.clone(), state.qd.clone()].concat();
    let (mut t, mut next) = (0.0, 0);
    forward.with(|run| {
        while next < SLIDER.len() {
            let step = 5e-4;
            y = rk4(t, &y, step, &mut |_, y| {
                state.q.copy_from_slice(&y[..4]);
                state.qd.copy_from_slice(&y[4..]);
                let found = run(&state);
                assert!(found.converged);
                [&y[4..], &found.values].concat()
            });
            t += step;
            let [time, theta, turn, x, slide] = SLIDER[next];
            if (t - time).abs() < 1e-9 {
                state.q.copy_from_slice(&y[..4]);
                state.qd.copy_from_slice(&y[4..]);
                let closed = closure.at(&state);
                let (q, qd) = (closed.list("q"), closed.list("qd"));
                agree(
                    &format!("at {time}"),
                    &[q[0], qd[0], q[1], qd[1]],
                    &[theta, turn, x, slide],
                    1e-9,
                );
                next += 1;
            }
        }
    });
}
