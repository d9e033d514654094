//! Families of mechanisms in space: joints of Hooke, RSSR, platforms, rolling discs, gimbals,
//! points on surfaces.

use super::draft::{Draft, list, revolute, triple};
use rotule_model::pose::{Components, Pose, add, cross, norm, rodrigues, scale, sub};

fn rotated(axis: Components, angle: f64, v: Components) -> Components {
    Pose { position: [0.0; 3], rotation: rodrigues(axis, angle) }.turn(v)
}

/// Two shafts at an angle that a cross connects, as a cut or as a body; the first may be driven.
pub fn hooke(draft: &mut Draft) {
    let tilt = draft.random.short(0.2, 0.9);
    draft.body("input", "ground", &revolute("q1", "\"x\""), [-0.2, 0.0, 0.0], "");
    if draft.random.chance(0.5) {
        let axes = "axes = [\"z\", [0, 1, 0]]\n";
        let joint = revolute("q2", "\"x\"");
        let turn = format!("rotation = {{ axis = \"z\", angle = {tilt:?} }}\n");
        draft.body("output", "ground", &joint, [0.2, 0.0, 0.0], &turn);
        draft.cut("universal", ["input", "output"], axes);
    } else {
        draft.body("cross", "input", &revolute("q2", "\"z\""), [0.0; 3], "");
        draft.body("output", "cross", &revolute("q3", "\"y\""), [0.2, 0.0, 0.0], "");
        draft.start("q2", &[tilt]);
        let frame =
            format!("{{ position = [0, 0, 0], rotation = {{ axis = \"z\", angle = {tilt:?} }} }}");
        draft.table(&format!(
            "\n[[body]]\nname = \"bearing\"\nparent = \"ground\"\npoints.B = {frame}\n"
        ));
        let kind = ["revolute", "cylindrical"][draft.random.below(2)];
        draft.cut(kind, ["bearing.B", "output"], "axis = \"x\"\n");
    }
    if draft.random.chance(0.6) {
        let speed = draft.random.short(2.0, 30.0);
        draft.motion("q1", &format!("{speed:?}*t"));
    }
}

/// Crank and rocker about skew axes with a coupler on balls; or the coupler is a rod.
pub fn rssr(draft: &mut Draft) {
    let random = &mut draft.random;
    let (a, c) = (random.short(0.15, 0.3), random.short(0.4, 0.6));
    let axis = random.direction();
    let [angle, swing] = [(); 2].map(|()| random.between(-2.0, 2.0));
    let across = cross(axis, random.direction());
    let arm = scale(across, c / norm(across));
    let start = [a * angle.cos(), a * angle.sin(), 0.0];
    let along = scale(random.direction(), random.short(0.6, 0.9));
    let end = add(start, along);
    draft.ground("D", sub(end, rotated(axis, swing, arm)));
    draft.bar("crank", "ground", &revolute("q1", "\"z\""), a);
    let keys = format!("points.E = {}\n", triple(arm));
    draft.body("rocker", "ground.D", &revolute("q3", &triple(axis)), scale(arm, 0.5), &keys);
    draft.start("q3", &[swing]);
    if draft.random.chance(0.75) {
        // In the crank's axes while the ball is not rotated.
        let local = rotated([0.0, 0.0, 1.0], -angle, along);
        let keys = format!("points.E = {}\n", triple(local));
        let joint = "name = \"ball\", type = \"spherical\"";
        draft.body("coupler", "crank.E", joint, scale(local, 0.5), &keys);
        draft.cut("ball", ["coupler.E", "rocker.E"], "");
    } else {
        draft.cut("rod", ["crank.E", "rocker.E"], &format!("length = {:?}\n", norm(along)));
    }
    if draft.random.chance(0.3) {
        let rate = draft.random.short(2.0, 6.0);
        draft.motion("q1", &format!("{angle:?} + 0.2*sin({rate:?}*t)"));
    } else {
        draft.start("q1", &[angle]);
    }
}

/// A body on a cylindrical, planar or helical joint that a rod ties to the ground.
pub fn tied(draft: &mut Draft) {
    let random = &mut draft.random;
    let axis = triple(random.direction());
    let end = scale(random.direction(), random.short(0.3, 0.6));
    let apart = scale(random.direction(), random.short(0.5, 0.9));
    let (kind, q) =
        [("cylindrical", vec![0.0; 2]), ("planar", vec![0.0; 3])][random.below(2)].clone();
    draft.ground("P", add(end, apart));
    let keys = format!("points.E = {}\n", triple(end));
    let joint = format!("name = \"q1\", type = \"{kind}\", axis = {axis}");
    draft.body("bob", "ground", &joint, scale(end, 0.6), &keys);
    draft.start("q1", &q);
    draft.cut("rod", ["bob.E", "ground.P"], &format!("length = {:?}\n", norm(apart)));
}

/// A free body that hangs on a point, a surface or one to five rods.
pub fn platform(draft: &mut Draft) {
    let rods = draft.random.below(6);
    let place = scale(draft.random.direction(), 0.3);
    let turn = draft.random.quaternion();
    let ends: Vec<Components> =
        (0..rods.max(1)).map(|_| scale(draft.random.direction(), 0.35)).collect();
    let points: Vec<String> = ends
        .iter()
        .enumerate()
        .map(|(at, end)| format!("points.E{at} = {}\n", triple(*end)))
        .collect();
    let joint = "name = \"p\", type = \"free\"";
    draft.body("plate", "ground", joint, [0.0; 3], &points.concat());
    draft.start("p", &[&place[..], &turn[..]].concat());
    let [w, x, y, z] = turn;
    let sine = (x * x + y * y + z * z).sqrt();
    let axis = scale([x, y, z], 1.0 / sine);
    for (at, end) in ends.iter().enumerate() {
        let there = add(place, rotated(axis, 2.0 * sine.atan2(w), *end));
        let (plate, ground) = (format!("plate.E{at}"), format!("ground.G{at}"));
        if rods == 0 {
            draft.ground(&format!("G{at}"), there);
            let cuts =
                [("ball", ""), ("planar", "axis = \"y\"\n"), ("cylindrical", "axis = \"x\"\n")];
            let (kind, keys) = cuts[draft.random.below(3)];
            // Axes of the place are those of the body: only points are tied where the body is
            // rotated.
            match kind {
                "ball" => draft.cut(kind, [&plate, &ground], keys),
                _ => {
                    draft.table(&format!(
                        "\n[[body]]\nname = \"foot\"\nparent = \"ground\"\nposition = {}\n\
                         rotation = {{ quaternion = {} }}\n",
                        triple(there),
                        list(&turn)
                    ));
                    draft.cut(kind, [&plate, "foot"], keys);
                }
            }
        } else {
            let apart = scale(draft.random.direction(), draft.random.short(0.6, 1.0));
            draft.ground(&format!("G{at}"), add(there, apart));
            draft.cut("rod", [&plate, &ground], &format!("length = {:?}\n", norm(apart)));
        }
    }
}

/// A plate on three or four telescopic legs with springs, or driven ones, as in Stewart's platform.
pub fn legs(draft: &mut Draft) {
    let count = 3 + draft.random.below(2);
    let height = draft.random.short(0.6, 0.9);
    let mut points = String::new();
    let corner = |at: usize, size: f64, turn: f64| {
        let angle = turn + std::f64::consts::TAU * at as f64 / count as f64;
        [size * angle.cos(), size * angle.sin(), 0.0]
    };
    (0..count)
        .for_each(|at| points += &format!("points.E{at} = {}\n", triple(corner(at, 0.3, 0.4))));
    draft.stand();
    draft.body("plate", "ground", "name = \"p\", type = \"free\"", [0.0; 3], &points);
    draft.start("p", &[0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0]);
    for at in 0..count {
        let foot = corner(at, 0.5, 0.0);
        let head = add(corner(at, 0.3, 0.4), [0.0, 0.0, height]);
        let along = sub(head, foot);
        let length = norm(along);
        draft.ground(&format!("G{at}"), foot);
        // About x, then y: a leg along z at zero angles.
        let first = (-along[1]).atan2(along[2]);
        let second = (along[0] / length).asin();
        let upper = format!("name = \"u{at}\", type = \"universal\", axes = [\"x\", \"y\"]");
        draft.body(&format!("leg{at}"), &format!("ground.G{at}"), &upper, [0.0, 0.0, 0.1], "");
        draft.start(&format!("u{at}"), &[first, second]);
        let driven = at == 0 && draft.random.chance(0.3);
        let law = match driven {
            true => String::new(),
            false => format!(", effort = \"-300*(q - {length:?}) - 3*qd\""),
        };
        let slide = format!("name = \"s{at}\", type = \"prismatic\", axis = \"z\"{law}");
        draft.body(&format!("rod{at}"), &format!("leg{at}"), &slide, [0.0, 0.0, -0.1], "");
        match driven {
            true => draft.motion(&format!("s{at}"), &format!("{length:?} + 0.05*sin(5*t)")),
            false => draft.start(&format!("s{at}"), &[length]),
        }
        draft.cut("ball", [&format!("rod{at}"), &format!("plate.E{at}")], "");
    }
}

/// A thin disc that rolls on the floor, on a free joint or on six single ones.
pub fn disc(draft: &mut Draft) {
    draft.stand();
    let radius = draft.random.short(0.2, 0.5);
    let lean = draft.random.between(-0.4, 0.4);
    let yaw = draft.random.between(-3.0, 3.0);
    let spin = draft.random.short(4.0, 12.0);
    let height = radius * lean.cos();
    let wheel = format!(
        "\n[[wheel]]\nname = \"contact\"\nbody = \"disc\"\nradius = {radius:?}\naxle = \"y\"\nrolling = true\n"
    );
    if draft.random.chance(0.5) {
        draft.body("disc", "ground", "name = \"p\", type = \"free\"", [0.0; 3], "");
        let (sy, cy) = (yaw / 2.0).sin_cos();
        let (sl, cl) = (lean / 2.0).sin_cos();
        let turn = [cy * cl, cy * sl, sy * sl, sy * cl];
        draft.start("p", &[&[0.0, 0.0, height][..], &turn[..]].concat());
        draft.qd.push(("p".to_owned(), vec![radius * spin, 0.0, 0.0, 0.3, spin, 0.2]));
    } else {
        let joints: Vec<String> =
            [("x", "prismatic", "x"), ("y", "prismatic", "y"), ("z", "prismatic", "z")]
                .iter()
                .chain(&[
                    ("yaw", "revolute", "z"),
                    ("lean", "revolute", "x"),
                    ("spin", "revolute", "y"),
                ])
                .map(|(name, kind, axis)| {
                    format!("{{ name = \"{name}\", type = \"{kind}\", axis = \"{axis}\" }}")
                })
                .collect();
        draft.body("disc", "ground", &format!("[{}]", joints.join(", ")), [0.0; 3], "");
        draft.start("z", &[height]);
        draft.start("yaw", &[yaw]);
        draft.start("lean", &[lean]);
        let (s, c) = yaw.sin_cos();
        for (name, speed) in [("spin", spin), ("x", radius * spin * c), ("y", radius * spin * s)] {
            draft.qd.push((name.to_owned(), vec![speed]));
        }
    }
    draft.table(&wheel);
    draft.speed *= 0.3;
}

/// A body on three rotations in a chain that a rod ties to the ground: it may pass gimbal lock.
pub fn gimbal(draft: &mut Draft) {
    let orders = [["z", "y", "x"], ["x", "y", "z"], ["z", "x", "z"]];
    let order = orders[draft.random.below(3)];
    let law = if draft.random.chance(0.3) { ", effort = \"-0.1*qd\"" } else { "" };
    let joints: Vec<String> = order
        .iter()
        .enumerate()
        .map(|(at, axis)| {
            let law = if at == 1 { law } else { "" };
            format!("{{ name = \"a{at}\", type = \"revolute\", axis = \"{axis}\"{law} }}")
        })
        .collect();
    let mut q = [(); 3].map(|()| draft.random.between(0.3, 1.2));
    if draft.random.chance(0.4) {
        let lock = if order[0] == order[2] { 0.0 } else { std::f64::consts::FRAC_PI_2 };
        q[1] = lock - 10_f64.powf(draft.random.between(-3.0, -1.0));
        draft.qd.push(("a1".to_owned(), vec![2.0]));
    }
    let unit = |axis: &str| match axis {
        "x" => [1.0, 0.0, 0.0],
        "y" => [0.0, 1.0, 0.0],
        _ => [0.0, 0.0, 1.0],
    };
    let end = scale(draft.random.direction(), 0.4);
    let there =
        order.iter().zip(q).rev().fold(end, |v, (axis, angle)| rotated(unit(axis), angle, v));
    let apart = scale(draft.random.direction(), draft.random.short(0.5, 0.9));
    draft.ground("P", add(there, apart));
    let keys = format!("points.E = {}\n", triple(end));
    let joint = format!("[{}]", joints.join(", "));
    draft.body("bob", "ground", &joint, scale(end, 0.5), &keys);
    (0..3).for_each(|at| draft.start(&format!("a{at}"), &[q[at]]));
    draft.cut("rod", ["bob.E", "ground.P"], &format!("length = {:?}\n", norm(apart)));
    draft.speed += 1.0;
}

/// A point mass in Cartesian coordinates on a curve or a surface, at rest or moving.
pub fn bead(draft: &mut Draft) {
    let size = draft.random.short(0.5, 1.2);
    let (law, x, y) = match draft.random.below(4) {
        0 => (format!("x^2 + y^2 + z^2 - {:?}", size * size), size, 0.0),
        1 => (format!("x^2 + y^2 - ({size:?} + 0.1*sin(3*t))^2"), size, 0.0),
        2 => (format!("x^2 + 2*y^2 - {:?}", size * size), size, 0.0),
        _ => (format!("y - {size:?}*x^2 + 0.1*sin(3*z)"), 0.0, 0.0),
    };
    let joints: Vec<String> = ["x", "y", "z"]
        .iter()
        .map(|axis| format!("{{ name = \"{axis}\", type = \"prismatic\", axis = \"{axis}\" }}"))
        .collect();
    draft.body("bead", "ground", &format!("[{}]", joints.join(", ")), [0.0; 3], "");
    draft.start("x", &[x]);
    draft.start("y", &[y]);
    draft.table(&format!("\n[[constraint]]\nname = \"curve\"\nposition = \"{law}\"\n"));
}

/// An arm of three or four joints whose tip stays on a plane or a sphere.
pub fn tip(draft: &mut Draft) {
    let count = 3 + draft.random.below(2);
    let mut parent = "ground".to_owned();
    let mut turns = Vec::new();
    for number in 1..=count {
        let (axis, angle) = (draft.random.direction(), draft.random.between(-0.6, 0.6));
        let name = format!("b{number}");
        draft.bar(&name, &parent, &revolute(&format!("q{number}"), &triple(axis)), 0.4);
        draft.start(&format!("q{number}"), &[angle]);
        turns.push((axis, angle));
        parent = format!("{name}.E");
    }
    let bar = [0.4, 0.0, 0.0];
    let outward = |end, (axis, angle): &(Components, f64)| rotated(*axis, *angle, add(bar, end));
    let place = turns.iter().rev().fold([0.0; 3], outward);
    let law = match draft.random.below(2) {
        0 => format!("tip.x - ({:?})", place[0]),
        _ => format!("tip.x^2 + tip.y^2 + tip.z^2 - {:?}", norm(place).powi(2)),
    };
    draft.table(&format!(
        "\n[[sensor]]\nname = \"tip\"\nat = \"{parent}\"\nmeasures = [\"position\", \"velocity\"]\n\
         \n[[constraint]]\nname = \"surface\"\nposition = \"{law}\"\n"
    ));
}
