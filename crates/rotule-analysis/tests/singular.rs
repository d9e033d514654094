//! Singular positions against closed forms and the literature.

use rotule_analysis::singular::{
    SingularKind, SingularPose, SingularPositions, SingularRequest, singular,
};
use rotule_formalism::{MultibodySystem, Problem, normalise};
use rotule_model::{ReadOptions, load_text};
use rotule_numeric::independent::ask_independent;
use rotule_numeric::initial_values::Hold;
use rotule_numeric::state::StateNumbers;
use rotule_program::NoExternals;
use std::f64::consts::{PI, TAU};

fn model(text: &str) -> MultibodySystem {
    let loaded = load_text("test", text, &ReadOptions::default());
    normalise(loaded.unwrap_or_else(|rejected| panic!("{rejected}")))
}

fn find(tree: &MultibodySystem, request: &SingularRequest) -> Result<SingularPositions, Problem> {
    let state = StateNumbers::initial(tree);
    singular(tree, &state, request, Box::new(NoExternals))
}

fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The poses of a kind; of all, residual and singular value are tiny.
fn of_kind(found: &SingularPositions, kind: SingularKind) -> Vec<&SingularPose> {
    for one in &found.poses {
        assert!(
            one.residual < 1e-10 && one.smallest < 1e-8,
            "{:e} {:e}",
            one.residual,
            one.smallest
        );
    }
    found.poses.iter().filter(|one| one.kinds.contains(&kind)).collect()
}

/// The value of a coordinate of a pose.
fn value(tree: &MultibodySystem, pose: &SingularPose, name: &str) -> f64 {
    pose.state.q[tree.mechanism.coordinate(name).unwrap_or_else(|| panic!("{name}"))]
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} for {expected}");
}

/// An angle less whole turns.
fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

/// The power with which forces change near a pose.
fn power(pose: &SingularPose) -> f64 {
    pose.approach.as_ref().unwrap_or_else(|| panic!("no forces")).power
}

/// A slider-crank, crank `l1` and rod `l2`, as in examples/slider_crank.toml.
fn slider_crank(l1: f64, l2: f64, start: [f64; 3]) -> MultibodySystem {
    let [q1, q2, q3] = start;
    model(&format!(
        r#"
[model]
name = "slider_crank"
gravity = [0, -9.81, 0]
[[body]]
name = "crank"
parent = "ground"
joint = {{ name = "q1", type = "revolute", axis = "z" }}
mass = 0.36
com = [{}, 0, 0]
inertia = {{ zz = 0.001 }}
points.B = [{l1}, 0, 0]
[[body]]
name = "rod"
parent = "crank.B"
joint = {{ name = "q2", type = "revolute", axis = "z" }}
mass = 0.15
com = [{}, 0, 0]
inertia = {{ zz = 0.001 }}
points.C = [{l2}, 0, 0]
[[body]]
name = "piston"
parent = "ground"
joint = {{ name = "q3", type = "prismatic", axis = "x" }}
mass = 0.075
[[cut]]
name = "pin"
type = "revolute"
axis = "z"
between = ["rod.C", "piston"]
[initial.q]
q1 = {q1}
q2 = {q2}
q3 = {q3}
"#,
        l1 / 2.0,
        l2 / 2.0
    ))
}

#[test]
fn a_slider_crank_driven_by_its_piston_has_two_dead_centres() {
    let (l1, l2) = (0.15, 0.30);
    let tree = slider_crank(l1, l2, [1.0, -1.4, 0.35]);
    let request = SingularRequest { drives: list(&["q3"]), ..SingularRequest::default() };
    let found = find(&tree, &request).unwrap();
    assert_eq!((found.freedom, found.searched), (1, 1));
    // The piston is on either side of the crank: two closed curves of motion.
    assert_eq!(found.curves.iter().filter(|curve| curve.closed).count(), 2);
    assert!(of_kind(&found, SingularKind::Mechanism).is_empty());
    let dead = of_kind(&found, SingularKind::Actuation);
    assert_eq!((dead.len(), found.poses.len()), (4, 4));
    for side in [1.0, -1.0] {
        for (q1, q3) in [(0.0, l1 + side * l2), (PI, -l1 + side * l2)] {
            let at = |one: &&&SingularPose| (value(&tree, one, "q3") - q3).abs() < 1e-10;
            let pose = dead.iter().find(at).unwrap_or_else(|| panic!("no dead centre at {q3}"));
            near(wrapped(value(&tree, pose, "q1") - q1), 0.0, 1e-9);
            // With the piston locked crank and rod turn: the pin between them moves alike.
            let motion = &pose.motions[0];
            assert_eq!(motion.len(), 2, "{motion:?}");
            let part = |name: &str| motion.iter().find(|one| one.0 == name).unwrap().1;
            // `l1 w1 u + l2 (w1 + w2) v = 0` with the directions of crank and rod along the line.
            let (u, v) = (if q1 == 0.0 { 1.0 } else { -1.0 }, side);
            near(part("q2") / part("q1"), -1.0 - l1 * u / (l2 * v), 1e-9);
            near(power(pose), -1.0, 0.02);
            let near_pose = &pose.approach.as_ref().unwrap().near;
            let holding: Vec<f64> = near_pose.iter().map(|one| one.holding[0].1.abs()).collect();
            near(holding[2] / holding[1], 10.0, 0.5);
        }
    }
}

/// At equal lengths the crank turns on while the piston stays: branches meet at both quarters.
#[test]
fn a_slider_crank_of_equal_lengths_is_a_singular_mechanism() {
    let tree = slider_crank(0.2, 0.2, [0.6, -1.2, 0.33]);
    let found = find(&tree, &SingularRequest::default()).unwrap();
    let meet = of_kind(&found, SingularKind::Mechanism);
    assert_eq!(meet.len(), 2, "{:?}", found.poses.len());
    for pose in meet {
        near(wrapped(value(&tree, pose, "q1")).abs(), PI / 2.0, 1e-9);
        near(value(&tree, pose, "q3"), 0.0, 1e-9);
        assert_eq!(pose.motions.len(), 2);
    }
}

#[test]
fn the_partition_that_is_requested_is_the_one_that_is_judged() {
    let mut tree = slider_crank(0.15, 0.30, [1.0, -1.4, 0.35]);
    ask_independent(&mut tree.mechanism, &["q3"]).unwrap();
    let found = find(&tree, &SingularRequest::default()).unwrap();
    assert_eq!(of_kind(&found, SingularKind::Partition).len(), 4);
    let mut tree = slider_crank(0.15, 0.30, [1.0, -1.4, 0.35]);
    ask_independent(&mut tree.mechanism, &["q1"]).unwrap();
    let found = find(&tree, &SingularRequest::default()).unwrap();
    assert!(found.poses.is_empty(), "{:?}", found.poses.len());
    ask_independent(&mut tree.mechanism, &["q1", "q3"]).unwrap();
    let refused = find(&tree, &SingularRequest::default()).unwrap_err();
    assert!(refused.message.contains("1 degree of freedom"), "{refused:?}");
}

/// A four-bar linkage: crank `a`, coupler `b`, rocker `c`, frame `d`.
fn four_bar([a, b, c, d]: [f64; 4]) -> MultibodySystem {
    model(&format!(
        r#"
[model]
name = "four_bar"
gravity = [0, -9.81, 0]
[ground]
points.D = [{d}, 0, 0]
[[body]]
name = "crank"
parent = "ground"
joint = {{ name = "q1", type = "revolute", axis = "z" }}
mass = 1
com = [0.1, 0, 0]
inertia = {{ zz = 0.01 }}
points.B = [{a}, 0, 0]
[[body]]
name = "coupler"
parent = "crank.B"
joint = {{ name = "q2", type = "revolute", axis = "z" }}
mass = 1
inertia = {{ zz = 0.01 }}
points.C = [{b}, 0, 0]
[[body]]
name = "rocker"
parent = "ground.D"
joint = {{ name = "q3", type = "revolute", axis = "z" }}
mass = 1
inertia = {{ zz = 0.01 }}
points.C = [{c}, 0, 0]
[[cut]]
name = "pin"
type = "revolute"
axis = "z"
between = ["coupler.C", "rocker.C"]
[initial.q]
q1 = 1.2
q2 = -0.8
q3 = 1.5
"#
    ))
}

#[test]
fn a_four_bar_linkage_has_dead_centres_where_its_bars_are_in_line() {
    let [a, b, c, d] = [0.2, 0.5, 0.45, 0.4];
    let tree = four_bar([a, b, c, d]);
    // Driven by the rocker: crank and coupler in line, at distances b + a and b - a from the frame.
    let request = SingularRequest { drives: list(&["q3"]), ..SingularRequest::default() };
    let found = find(&tree, &request).unwrap();
    assert_eq!(found.curves.len(), 2, "both assembly modes");
    let dead = of_kind(&found, SingularKind::Actuation);
    assert_eq!(dead.len(), 4);
    let mut angles: Vec<f64> = dead.iter().map(|one| value(&tree, one, "q3").cos()).collect();
    angles.sort_by(f64::total_cmp);
    // The cosine of the rocker's angle from the frame, by the law of cosines.
    for (pair, length) in angles.chunks(2).zip([b - a, b + a]) {
        let cosine = -(length * length - c * c - d * d) / (2.0 * c * d);
        pair.iter().for_each(|one| near(-one, cosine, 1e-9));
    }
    // Driven by the crank of a Grashof linkage, it never locks.
    let request = SingularRequest { drives: list(&["q1"]), ..SingularRequest::default() };
    let found = find(&tree, &request).unwrap();
    assert!(of_kind(&found, SingularKind::Actuation).is_empty());
}

#[test]
fn a_parallelogram_has_change_points_where_it_is_flat() {
    let tree = four_bar([0.2, 0.4, 0.2, 0.4]);
    let request = SingularRequest { drives: list(&["q1"]), ..SingularRequest::default() };
    let found = find(&tree, &request).unwrap();
    let flat = of_kind(&found, SingularKind::Mechanism);
    assert_eq!((flat.len(), found.poses.len()), (2, 2));
    // The curves that meet: bars that stay parallel, `q2 = -q1` and `q3 = q1`, and those that
    // cross, of which the rates at the two poses are those of circles that roll.
    let part = |motion: &[(String, f64)], name: &str| {
        motion.iter().find(|one| one.0 == name).map_or(0.0, |one| one.1)
    };
    for pose in &flat {
        let rates = pose.motions.iter().map(|one| part(one, "q3") / part(one, "q1"));
        let mut rates: Vec<f64> = rates.collect();
        rates.sort_by(|a, b| (a - 1.0).abs().total_cmp(&(b - 1.0).abs()));
        near(rates[0], 1.0, 1e-7);
        // Crossed bars `a` and long ones `b` roll like ellipses: `(b + a)/(b - a)` or its inverse.
        let folded = value(&tree, pose, "q1").abs() > 1.0;
        let ratio: f64 = (0.4 + 0.2) / (0.4 - 0.2);
        near(rates[1].abs(), if folded { 1.0 / ratio } else { ratio }, 1e-6);
        near(power(pose), -1.0, 0.05);
    }
    let mut angles: Vec<f64> = flat.iter().map(|one| value(&tree, one, "q1").abs()).collect();
    angles.sort_by(f64::total_cmp);
    near(angles[0], 0.0, 1e-9);
    near(angles[1], PI, 1e-9);
}

/// A planar arm of bars of these lengths.
fn arm(lengths: &[f64]) -> MultibodySystem {
    let mut text = "[model]\nname = \"arm\"\ngravity = [0, -9.81, 0]\n".to_owned();
    let mut parent = "ground".to_owned();
    for (at, length) in lengths.iter().enumerate() {
        let at = at + 1;
        text += &format!(
            "[[body]]\nname = \"bar{at}\"\nparent = \"{parent}\"\n\
             joint = {{ name = \"q{at}\", type = \"revolute\", axis = \"z\" }}\nmass = 1\n\
             inertia = {{ zz = 0.1 }}\npoints.end = [{length}, 0, 0]\n"
        );
        parent = format!("bar{at}.end");
    }
    text += "[initial.q]\nq1 = 0.3\nq2 = 0.8\n";
    model(&text)
}

/// Both arms lose a direction where the second joint is straight or folded, whatever the others
/// are.
#[test]
fn planar_arms_are_singular_where_the_elbow_is_straight_or_folded() {
    for lengths in [&[0.5, 0.4][..], &[0.5, 0.4, 0.2]] {
        let tree = arm(lengths);
        let found = find(&tree, &SingularRequest::default()).unwrap();
        let poses = of_kind(&found, SingularKind::Output);
        assert_eq!(poses.len(), 2, "{} bars: {}", lengths.len(), poses.len());
        assert_eq!(poses.len(), found.poses.len());
        let mut elbows = Vec::new();
        for pose in poses {
            assert_eq!(pose.dimension, lengths.len() - 1);
            let [(name, elbow)] = &pose.pinned[..] else { panic!("{:?}", pose.pinned) };
            assert_eq!(name, "q2");
            elbows.push(wrapped(*elbow).abs());
            near(power(pose), 1.0, 0.02);
        }
        elbows.sort_by(f64::total_cmp);
        near(elbows[0], 0.0, 1e-9);
        near(elbows[1], PI, 1e-9);
    }
}

/// The five-bar robot of the examples: singular for its drives where the forearms are in line, for
/// its pen where a leg is straight or folded.
#[test]
fn a_five_bar_robot_has_the_singular_poses_of_gosselin_and_angeles() {
    let tree = model(include_str!("../../../examples/five_bar.toml"));
    let request = SingularRequest { outputs: list(&["tip"]), ..SingularRequest::default() };
    let found = find(&tree, &request).unwrap();
    assert_eq!((found.freedom, &found.drives.names[..]), (2, &list(&["q1", "q3"])[..]));
    assert!(of_kind(&found, SingularKind::Mechanism).is_empty());
    let parallel = of_kind(&found, SingularKind::Actuation);
    assert!(!parallel.is_empty());
    for pose in parallel {
        let [q1, q2, q3, q4] = ["q1", "q2", "q3", "q4"].map(|name| value(&tree, pose, name));
        near((q1 + q2 - q3 - q4).sin(), 0.0, 1e-9);
        assert_eq!(pose.dimension, 1);
        near(power(pose), -1.0, 0.05);
    }
    let mut elbows = Vec::new();
    for pose in of_kind(&found, SingularKind::Output) {
        let [(name, angle)] = &pose.pinned[..] else { panic!("{:?}", pose.pinned) };
        near(angle.sin(), 0.0, 1e-9);
        assert_eq!(pose.dimension, 1);
        elbows.push((name.clone(), angle.cos() > 0.0));
    }
    elbows.sort();
    elbows.dedup();
    let every = [("q2", false), ("q2", true), ("q4", false), ("q4", true)];
    assert_eq!(elbows, every.map(|(name, straight)| (name.to_owned(), straight)));
    // Curves of the drives' singular poses were followed, and are singular all along.
    assert!(!found.loci.is_empty());
    for (number, curve) in &found.loci {
        if found.poses[*number].kinds.contains(&SingularKind::Actuation) {
            for point in &curve.points {
                let q = &point.q;
                near((q[0] + q[1] - q[2] - q[3]).sin(), 0.0, 1e-8);
            }
        }
    }
}

/// Three legs, each a rotation and a driven slide, carry a platform in the plane.
fn planar_robot() -> MultibodySystem {
    let base: [[f64; 2]; 3] = [[0.0, 0.0], [1.0, 0.1], [0.4, 0.9]];
    let top: [[f64; 2]; 3] = [[-0.2, -0.1], [0.25, -0.12], [0.0, 0.2]];
    let mut text = "[model]\nname = \"planar\"\ngravity = [0, -9.81, 0]\n[ground]\n".to_owned();
    for (at, [x, y]) in base.iter().enumerate() {
        text += &format!("points.A{} = [{x}, {y}, 0]\n", at + 1);
    }
    text += "[[body]]\nname = \"platform\"\nparent = \"ground\"\njoint = [\n\
             { name = \"x\", type = \"prismatic\", axis = \"x\" },\n\
             { name = \"y\", type = \"prismatic\", axis = \"y\" },\n\
             { name = \"turn\", type = \"revolute\", axis = \"z\" },\n]\n\
             mass = 2\ninertia = { zz = 0.1 }\n";
    for (at, [x, y]) in top.iter().enumerate() {
        text += &format!("points.B{} = [{x}, {y}, 0]\n", at + 1);
    }
    for leg in 1..=3 {
        text += &format!(
            "[[body]]\nname = \"tube{leg}\"\nparent = \"ground.A{leg}\"\n\
             joint = {{ name = \"t{leg}\", type = \"revolute\", axis = \"z\" }}\nmass = 1\n\
             inertia = {{ zz = 0.1 }}\n[[body]]\nname = \"rod{leg}\"\nparent = \"tube{leg}\"\n\
             joint = {{ name = \"p{leg}\", type = \"prismatic\", axis = \"x\" }}\nmass = 1\n\
             inertia = {{ zz = 0.1 }}\n[[cut]]\nname = \"pin{leg}\"\ntype = \"revolute\"\n\
             axis = \"z\"\nbetween = [\"rod{leg}\", \"platform.B{leg}\"]\n"
        );
    }
    text += "[initial.q]\nx = 0.5\ny = 0.3\nturn = 0.1\n";
    for (leg, [bx, by]) in base.iter().enumerate() {
        let (dx, dy) = (0.5 + top[leg][0] - bx, 0.3 + top[leg][1] - by);
        text += &format!("t{} = {}\np{} = {}\n", leg + 1, dy.atan2(dx), leg + 1, dx.hypot(dy));
    }
    model(&text)
}

/// The platform moves although the legs are locked where their lines meet in one point or are
/// parallel: where the lines' coordinates are dependent (Merlet).
#[test]
fn a_planar_parallel_robot_is_singular_where_its_leg_lines_meet() {
    let tree = planar_robot();
    let drives = list(&["p1", "p2", "p3"]);
    let request = SingularRequest { drives, starts: Some(20), ..SingularRequest::default() };
    let found = find(&tree, &request).unwrap();
    assert_eq!(found.freedom, 3);
    let poses = of_kind(&found, SingularKind::Actuation);
    assert!(!poses.is_empty());
    let base: [[f64; 2]; 3] = [[0.0, 0.0], [1.0, 0.1], [0.4, 0.9]];
    let mut count = 0;
    for pose in &poses {
        let line = |leg: usize| {
            let (sine, cosine) = value(&tree, pose, &format!("t{}", leg + 1)).sin_cos();
            [cosine, sine, base[leg][0] * sine - base[leg][1] * cosine]
        };
        let [a, b, c] = [line(0), line(1), line(2)];
        let determinant = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        // A leg without length can spin, too.
        let legs = ["p1", "p2", "p3"].map(|name| value(&tree, pose, name));
        near(determinant * legs[0] * legs[1] * legs[2], 0.0, 1e-9);
        if legs.iter().all(|leg| leg.abs() > 1e-6) {
            assert_eq!(pose.dimension, 2);
            count += pose.count;
        }
    }
    assert!(count >= 10, "{count}");
}

/// Fichter (1986): turned by a quarter about the vertical, the platform moves in a screw while all
/// legs keep their lengths. Base and platform stand in pairs as in the paper.
#[test]
fn a_stewart_platform_is_singular_where_it_is_turned_by_a_quarter() {
    let text = include_str!("../../../examples/stewart_platform.toml");
    let tree = model(text);
    let mut state = StateNumbers::initial(&tree);
    state.hold_q.fill(Hold::Guess);
    let joints = ["px", "py", "pz", "pitch", "roll", "yaw"];
    for (name, at) in joints.iter().zip([0.0, 0.0, 1.45, 0.0, 0.0, 0.3]) {
        let place = tree.mechanism.coordinate(name).unwrap();
        state.q[place] = at;
        state.hold_q[place] = Hold::State;
    }
    let hold = list(&["px", "py", "pz", "pitch", "roll"]);
    let request = SingularRequest { hold, starts: Some(4), ..SingularRequest::default() };
    let found = singular(&tree, &state, &request, Box::new(NoExternals)).unwrap();
    assert_eq!((found.freedom, found.searched), (6, 1));
    // The legs have motors: their laws say so.
    let drives: Vec<String> = (1..=6).map(|leg| format!("stroke{leg}")).collect();
    assert_eq!((&found.drives.names, found.drives.origin), (&drives, "the joints with efforts"));
    let turned = of_kind(&found, SingularKind::Actuation);
    let mut angles: Vec<f64> = turned.iter().map(|one| value(&tree, one, "yaw")).collect();
    angles.sort_by(f64::total_cmp);
    angles.dedup_by(|a, b| (*a - *b).abs() < 1e-7);
    assert_eq!(angles.len(), 2, "{angles:?}");
    for (angle, sign) in angles.iter().zip([-1.0, 1.0]) {
        near(*angle, sign * PI / 2.0, 1e-9);
    }
    for pose in turned {
        let motion = &pose.motions[0];
        let part = |name: &str| motion.iter().find(|one| one.0 == name).map_or(0.0, |one| one.1);
        let height = value(&tree, pose, "pz");
        // Along a leg the velocities of the screw cancel: `h vz + r_b r_p cos(40 deg) w = 0`.
        let sign = value(&tree, pose, "yaw").signum();
        let expected = -sign * 1.6 * 1.1 * (40.0_f64).to_radians().cos() / height;
        near(part("pz") / part("yaw"), expected, 1e-8);
        near(part("px"), 0.0, 1e-9);
    }
}

/// Denavit and Hartenberg's numbers of a UR5: lengths along x, turns about x, lengths along z.
const UR5: [[f64; 3]; 6] = [
    [0.0, PI / 2.0, 0.089_159],
    [-0.425, 0.0, 0.0],
    [-0.392_25, 0.0, 0.0],
    [0.0, PI / 2.0, 0.109_15],
    [0.0, -PI / 2.0, 0.094_65],
    [0.0, 0.0, 0.0823],
];

fn ur5() -> MultibodySystem {
    let mut text = "[model]\nname = \"ur5\"\ngravity = [0, 0, -9.81]\n".to_owned();
    let mut place = String::new();
    for (at, [a, alpha, d]) in UR5.iter().enumerate() {
        let number = at + 1;
        let parent = if at == 0 { "ground".to_owned() } else { format!("link{at}") };
        text += &format!(
            "[[body]]\nname = \"link{number}\"\nparent = \"{parent}\"\n{place}\
             joint = {{ name = \"q{number}\", type = \"revolute\", axis = \"z\" }}\nmass = 1\n\
             inertia = {{ xx = 0.1, yy = 0.1, zz = 0.1 }}\n"
        );
        place =
            format!("position = [{a}, 0, {d}]\nrotation = {{ axis = \"x\", angle = {alpha} }}\n");
    }
    text += "points.flange = [0, 0, 0.0823]\n[initial.q]\n";
    for (at, q) in [0.2, -1.0, 1.3, 0.4, 0.9, 0.1].iter().enumerate() {
        text += &format!("q{} = {q}\n", at + 1);
    }
    model(&text)
}

/// The determinant is `a2 a3 s3 s5 (a2 c2 + a3 c23 + d5 s234)`: elbow, wrist and shoulder.
#[test]
fn a_ur5_is_singular_at_its_elbow_wrist_and_shoulder() {
    let tree = ur5();
    let request = SingularRequest { starts: Some(40), ..SingularRequest::default() };
    let found = find(&tree, &request).unwrap();
    let poses = of_kind(&found, SingularKind::Output);
    let (mut pinned, mut shoulder) = (Vec::new(), 0);
    for pose in poses {
        let q: Vec<f64> = (1..=6).map(|at| value(&tree, pose, &format!("q{at}"))).collect();
        let [a2, a3, d5] = [UR5[1][0], UR5[2][0], UR5[4][2]];
        let reach = a2 * q[1].cos() + a3 * (q[1] + q[2]).cos() + d5 * (q[1] + q[2] + q[3]).sin();
        near(q[2].sin() * q[4].sin() * reach, 0.0, 1e-9);
        assert_eq!(pose.dimension, 5, "{:?}", pose.pinned);
        match &pose.pinned[..] {
            [] => {
                near(reach, 0.0, 1e-8);
                shoulder += 1;
            }
            [(name, angle)] => {
                near(angle.sin(), 0.0, 1e-9);
                pinned.push((name.clone(), angle.cos() > 0.0));
            }
            other => panic!("{other:?}"),
        }
    }
    pinned.sort();
    let every = [("q3", false), ("q3", true), ("q5", false), ("q5", true)];
    assert_eq!(pinned, every.map(|(name, straight)| (name.to_owned(), straight)));
    assert_eq!(shoulder, 1);
}

/// Three axes through a point: the middle one at zero or half a turn.
#[test]
fn a_wrist_is_singular_where_its_middle_angle_is_none() {
    let mut text = "[model]\nname = \"wrist\"\n".to_owned();
    for (at, axis) in ["z", "y", "z"].iter().enumerate() {
        let parent = if at == 0 { "ground".to_owned() } else { format!("part{at}") };
        text += &format!(
            "[[body]]\nname = \"part{}\"\nparent = \"{parent}\"\njoint = {{ name = \"q{}\", \
             type = \"revolute\", axis = \"{axis}\" }}\nmass = 1\n\
             inertia = {{ xx = 1, yy = 1, zz = 1 }}\n",
            at + 1,
            at + 1
        );
    }
    text += "[initial.q]\nq2 = 0.7\n";
    let found = find(&model(&text), &SingularRequest::default()).unwrap();
    let mut middle: Vec<f64> = of_kind(&found, SingularKind::Output)
        .iter()
        .map(|pose| {
            let [(name, angle)] = &pose.pinned[..] else { panic!("{:?}", pose.pinned) };
            assert_eq!((name.as_str(), pose.dimension), ("q2", 2));
            // The axis without rotation is at right angles to the others.
            assert!(pose.stuck.iter().all(|(name, _)| name == "rx" || name == "ry"));
            angle.abs()
        })
        .collect();
    middle.sort_by(f64::total_cmp);
    assert_eq!(middle.len(), 2);
    near(middle[0], 0.0, 1e-9);
    near(middle[1], PI, 1e-9);
}

#[test]
fn bad_requests_are_told_with_a_remedy() {
    let tree = slider_crank(0.15, 0.30, [1.0, -1.4, 0.35]);
    let base = SingularRequest { starts: Some(4), ..SingularRequest::default() };
    for (request, words) in [
        (SingularRequest { drives: list(&["q9"]), ..base.clone() }, "no joint or coordinate `q9`"),
        (SingularRequest { hold: list(&["q1"]), ..base.clone() }, "nothing is left to move"),
        (SingularRequest { drives: list(&["q1", "q1"]), ..base.clone() }, "named twice"),
        (SingularRequest { outputs: list(&["nothing"]), ..base.clone() }, "`nothing`"),
        (SingularRequest { outputs: list(&["speed:piston"]), ..base }, "unknown part `speed`"),
    ] {
        let refused = find(&tree, &request).unwrap_err();
        assert!(refused.message.contains(words), "{refused:?}");
        assert!(!refused.help.is_empty(), "{refused:?}");
    }
}
