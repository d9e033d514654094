//! Decimation and convex hulls.

mod common;

use common::Random;
use rotule_mesh::{Mesh, decimate, decimate_together, hull, mass_properties, solids, surface};

#[test]
fn decimation_reaches_its_number_and_keeps_the_solid() {
    for (name, mesh, error) in [
        ("sphere", solids::sphere(1.0, 80), 0.02),
        ("torus", solids::torus(1.0, 0.3, 60), 0.03),
        ("capsule", solids::capsule(0.3, 1.0, 64), 0.02),
    ] {
        let before = mass_properties(&mesh);
        let few = decimate(&mesh, 500);
        let after = mass_properties(&few);
        let found = (after.volume / before.volume - 1.0).abs();
        println!("{name}: {} to {}, volume {found:e}", mesh.triangles.len(), few.triangles.len());
        assert!(few.triangles.len() <= 500 && few.triangles.len() >= 490, "{name}");
        assert!(surface(&few).is_closed(), "{name} is open afterwards");
        assert!(found < error, "{name} has changed its volume by {found}");
        assert_eq!(few, decimate(&mesh, 500));
    }
}

#[test]
fn meshes_together_give_where_it_shows_least() {
    // A small fine ball gives, a large coarse one and a box keep what they have.
    let meshes =
        [solids::sphere(0.1, 80), solids::sphere(1.0, 24), solids::cuboid([1.0, 2.0, 3.0])];
    let all: Vec<&Mesh> = meshes.iter().collect();
    let counts = |meshes: &[Mesh]| -> Vec<usize> {
        meshes.iter().map(|mesh| mesh.triangles.len()).collect()
    };
    let few = decimate_together(&all, 1000);
    let found = counts(&few);
    println!("{:?} to {found:?}", counts(&meshes));
    assert!(found.iter().sum::<usize>() <= 1000 && found.iter().sum::<usize>() >= 990);
    // The even shares are 920, 78 and 2.
    assert!(found[0] < 800 && found[1] > 180 && found[2] == 12, "{found:?}");
    assert!(few.iter().all(|mesh| surface(mesh).is_closed()));
    assert_eq!(decimate_together(&all, 100_000), meshes);
    assert!(decimate_together(&[], 10).is_empty());
}

#[test]
fn flat_faces_vanish_before_anything_else() {
    // A box with many triangles on its faces is again a box.
    let mut soup = (Vec::new(), Vec::new());
    let n = 8;
    for (axis, side) in (0..3).flat_map(|axis| [(axis, 0.0), (axis, 1.0)]) {
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let corner = |i: usize, j: usize| {
                let mut p = [side; 3];
                p[(axis + 1) % 3] = i as f64 / n as f64;
                p[(axis + 2) % 3] = j as f64 / n as f64;
                p
            };
            let base = soup.0.len() as u32;
            soup.0.extend([corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]);
            let order = if side == 1.0 { [0, 1, 2, 3] } else { [0, 3, 2, 1] };
            let [a, b, c, d] = order.map(|k| base + k);
            soup.1.extend([[a, b, c], [a, c, d]]);
        }
    }
    let mesh = Mesh::weld(&soup.0, &soup.1);
    assert!(surface(&mesh).is_closed() && mesh.triangles.len() == 12 * n * n);
    let few = decimate(&mesh, 12);
    assert_eq!(few.triangles.len(), 12);
    assert!((mass_properties(&few).volume - 1.0).abs() < 1e-12);
}

#[test]
fn a_number_below_what_keeps_the_surface_is_reached_too() {
    for target in [0, 1, 3, 7] {
        assert!(decimate(&solids::torus(1.0, 0.3, 12), target).triangles.len() <= target);
    }
    let mut parts = Mesh::default();
    for _ in 0..50 {
        parts.append(&solids::cuboid([1.0, 1.0, 1.0]));
    }
    assert!(decimate(&parts, 100).triangles.len() <= 100);
}

/// A closed surface of genus zero that has all points on or below its faces.
fn check(points: &[[f64; 3]], corners: Option<usize>) {
    let mesh = hull(points).expect("the points span a volume");
    assert!(surface(&mesh).is_closed());
    let (v, f) = (mesh.vertices.len(), mesh.triangles.len());
    assert_eq!(2 * v, f + 4, "{v} corners, {f} triangles");
    if let Some(corners) = corners {
        assert_eq!(v, corners);
    }
    for triangle in &mesh.triangles {
        let [a, b, c] = mesh.corners(*triangle);
        let minus = |p: [f64; 3], q: [f64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        let (u, w) = (minus(b, a), minus(c, a));
        let n = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        for p in points {
            let d = minus(*p, a);
            let above = (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]) / length;
            assert!(above < 1e-10, "a point is {above} above a face");
        }
    }
}

#[test]
fn hulls_enclose_their_points() {
    let mut random = Random(3);
    for count in [4, 5, 10, 100, 1000] {
        let points: Vec<_> = (0..count).map(|_| random.point()).collect();
        check(&points, None);
        // On a sphere all points are corners.
        let on_sphere: Vec<_> = points
            .iter()
            .map(|p| {
                let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
                p.map(|x| x / length)
            })
            .collect();
        check(&on_sphere, Some(count));
    }
}

#[test]
fn hulls_of_grids_are_boxes() {
    for n in [2, 3, 5] {
        let points: Vec<_> = (0..n * n * n)
            .map(|k| [k % n, k / n % n, k / n / n].map(|i| i as f64 / (n - 1) as f64))
            .collect();
        let mesh = hull(&points).expect("a box");
        assert!(surface(&mesh).is_closed());
        let found = mass_properties(&mesh);
        assert!((found.volume - 1.0).abs() < 1e-14 && (found.area - 6.0).abs() < 1e-14);
    }
}

#[test]
fn points_without_a_hull_are_refused() {
    let flat: Vec<_> = (0..20).map(|k| [f64::from(k % 5), f64::from(k / 5), 1.0]).collect();
    for points in [&[][..], &[[0.0; 3]; 9], &flat, &[[f64::NAN, 0.0, 0.0]; 4]] {
        assert!(hull(points).is_err());
    }
}
