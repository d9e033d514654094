//! Mass properties against closed forms, under random motions, and of what is no solid.

mod common;

use common::Random;
use rotule_mesh::{Affine, Mesh, mass_properties, solids, surface};

const PI: f64 = std::f64::consts::PI;

/// Volume and the principal moments xx and zz of density one about the centre.
type Closed = (&'static str, fn(u32) -> Mesh, f64, f64, f64, f64);

/// Solids with their closed forms (volume, height of the centre, xx, zz).
const SOLIDS: [Closed; 5] = [
    (
        "sphere",
        |n| solids::sphere(2.0, n),
        4.0 / 3.0 * PI * 8.0,
        0.0,
        0.4 * SPHERE * 4.0,
        0.4 * SPHERE * 4.0,
    ),
    (
        "cylinder",
        |n| solids::cylinder(0.5, 3.0, n),
        CYLINDER,
        0.0,
        CYLINDER * (3.0 * 0.25 + 9.0) / 12.0,
        CYLINDER * 0.125,
    ),
    (
        "cone",
        |n| solids::cone(1.5, 2.0, n),
        CONE,
        0.5,
        CONE * (0.15 * 2.25 + 0.0375 * 4.0),
        CONE * 0.3 * 2.25,
    ),
    (
        "torus",
        |n| solids::torus(2.0, 0.5, n),
        TORUS,
        0.0,
        TORUS * (5.0 * 0.25 + 4.0 * 4.0) / 8.0,
        TORUS * (3.0 * 0.25 + 4.0 * 4.0) / 4.0,
    ),
    ("capsule", |n| solids::capsule(0.5, 2.0, n), CAPSULE, 0.0, CAPSULE_XX, CAPSULE_ZZ),
];
const SPHERE: f64 = 32.0 / 3.0 * PI;
const CYLINDER: f64 = PI * 0.25 * 3.0;
const CONE: f64 = PI * 2.25 * 2.0 / 3.0;
const TORUS: f64 = 2.0 * PI * PI * 2.0 * 0.25;
const ROD: f64 = PI * 0.25 * 2.0;
const BALL: f64 = 4.0 / 3.0 * PI * 0.125;
const CAPSULE: f64 = ROD + BALL;
const CAPSULE_ZZ: f64 = ROD * 0.125 + BALL * 0.4 * 0.25;
// Half a ball has its centre 3r/8 off its base.
const CAPSULE_XX: f64 = ROD * (3.0 * 0.25 + 4.0) / 12.0 + BALL * (0.4 * 0.25 + 1.0 + 0.75 * 0.5);

#[test]
fn a_box_is_exact() {
    let found = mass_properties(&solids::cuboid([1.0, 2.0, 3.0]));
    assert_eq!(found.volume, 6.0);
    assert_eq!(found.area, 22.0);
    assert_eq!(found.centre, [0.0; 3]);
    for (axis, moment) in [(0, 6.5), (1, 5.0), (2, 2.5)] {
        assert!((found.inertia[axis][axis] - moment).abs() < 1e-14, "{:?}", found.inertia);
    }
}

#[test]
fn round_solids_converge_with_the_square_of_the_sides() {
    for (name, mesh, volume, height, xx, zz) in SOLIDS {
        let mut errors = Vec::new();
        for sides in [24, 48, 96] {
            let mesh = mesh(sides);
            assert!(surface(&mesh).is_closed(), "{name} of {sides} sides is open");
            let found = mass_properties(&mesh);
            let parts = [
                found.volume / volume - 1.0,
                (found.centre[2] - height) / 2.0,
                found.inertia[0][0] / xx - 1.0,
                found.inertia[1][1] / xx - 1.0,
                found.inertia[2][2] / zz - 1.0,
            ];
            errors.push(parts.map(f64::abs).into_iter().fold(0.0, f64::max));
            assert!(found.centre[0].abs() < 1e-14 && found.centre[1].abs() < 1e-14, "{name}");
            assert!(found.inertia[0][1].abs() < 1e-13 * xx, "{name}");
        }
        println!("{name}: {errors:?}");
        assert!(errors[2] < 4e-3, "{name}: {errors:?}");
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).log2();
            assert!((order - 2.0).abs() < 0.05, "{name} has order {order}: {errors:?}");
        }
    }
}

/// A solid without any symmetry: two boxes that overlap nowhere, and a cone.
fn odd() -> Mesh {
    let mut mesh = solids::cuboid([0.3, 1.0, 0.2]);
    mesh.append(&solids::cone(0.4, 0.9, 7).placed(&Affine::translation([1.0, 0.2, -0.3])));
    mesh.append(&solids::cuboid([0.1, 0.2, 0.9]).placed(&Affine::translation([-1.0, 0.5, 2.0])));
    mesh
}

#[test]
fn properties_move_with_the_solid() {
    let mesh = odd();
    let still = mass_properties(&mesh);
    let mut random = Random(7);
    for _ in 0..200 {
        let q = [random.number(), random.number(), random.number(), random.number()];
        let shift = random.point().map(|x| 3.0 * x);
        let moved = Affine::translation(shift).after(&Affine::quaternion(q));
        let found = mass_properties(&mesh.placed(&moved));
        assert!((found.volume / still.volume - 1.0).abs() < 1e-13);
        assert!((found.area / still.area - 1.0).abs() < 1e-13);
        let centre = moved.point(still.centre);
        let r = moved.matrix;
        for i in 0..3 {
            assert!((found.centre[i] - centre[i]).abs() < 1e-13);
            for j in 0..3 {
                let mut turned = 0.0;
                for k in 0..3 {
                    for l in 0..3 {
                        turned += r[i][k] * still.inertia[k][l] * r[j][l];
                    }
                }
                assert!((found.inertia[i][j] - turned).abs() < 2e-13, "{i} {j}");
            }
        }
    }
}

#[test]
fn a_scale_that_mirrors_keeps_the_outside_outside() {
    let mesh = odd();
    let still = mass_properties(&mesh);
    for scale in [[2.0, 3.0, 0.5], [-2.0, 3.0, 0.5], [-2.0, -3.0, -0.5]] {
        let found = mass_properties(&mesh.placed(&Affine::scale(scale)));
        assert!((found.volume / (3.0 * still.volume) - 1.0).abs() < 1e-13, "{scale:?}");
    }
}

#[test]
fn holes_and_reversed_triangles_are_noticed() {
    let closed = solids::sphere(1.0, 12);
    assert_eq!(surface(&closed).warning(), None);
    let mut open = closed.clone();
    open.triangles.pop();
    assert_eq!(surface(&open).open_edges, 3);
    assert!(surface(&open).warning().is_some_and(|text| text.contains("3 edges have")));
    let mut mixed = closed.clone();
    mixed.triangles[5].swap(0, 1);
    assert_eq!((surface(&mixed).open_edges, surface(&mixed).opposed_edges), (0, 3));
    let mut inside_out = closed;
    for triangle in &mut inside_out.triangles {
        triangle.swap(0, 1);
    }
    let found = mass_properties(&inside_out);
    assert!(surface(&inside_out).is_closed() && found.volume < 0.0);
    assert!(found.reversed().volume > 0.0 && found.reversed().inertia[2][2] > 0.0);
}
