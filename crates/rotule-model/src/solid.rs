//! Simple solids: one table of their sizes, volumes and moments of inertia, as formulas.
//!
//! Shapes of bodies and inertias in one word use it. Sizes may be expressions of parameters, so the
//! formulas are built in a graph. Solids are uniform and lie along z.

use rotule_symbolic::{Expr, Graph};

/// The type of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SolidType {
    /// A box, its middle at the origin.
    Box,
    /// A sphere, its middle at the origin.
    Sphere,
    /// An ellipsoid, its middle at the origin.
    Ellipsoid,
    /// A cylinder along z, its middle at the origin.
    Cylinder,
    /// A cylinder along z with half a sphere at either end.
    Capsule,
    /// A cone: the middle of its base at the origin, its tip above.
    Cone,
    /// A hollow cylinder along z, its middle at the origin.
    Tube,
    /// A thin rod along z, its middle at the origin. It has an inertia and no volume.
    Rod,
}

/// A row of the table.
struct Row {
    kind: SolidType,
    word: &'static str,
    /// Names of the sizes, as in the formulas, and their meaning.
    sizes: &'static [(&'static str, &'static str)],
    volume: &'static str,
    /// The height of the centre of mass.
    height: &'static str,
    /// Moments of inertia about the centre of mass, for a mass of one.
    moments: [&'static str; 3],
}

const RADIUS: (&str, &str) = ("r", "radius");
const LENGTH: (&str, &str) = ("l", "length");

const TABLE: [Row; 8] = [
    Row {
        kind: SolidType::Box,
        word: "box",
        sizes: &[("a", "length along x"), ("b", "along y"), ("c", "along z")],
        volume: "a*b*c",
        height: "0",
        moments: ["(b^2 + c^2)/12", "(a^2 + c^2)/12", "(a^2 + b^2)/12"],
    },
    Row {
        kind: SolidType::Sphere,
        word: "sphere",
        sizes: &[RADIUS],
        volume: "4/3*pi*r^3",
        height: "0",
        moments: ["2/5*r^2", "2/5*r^2", "2/5*r^2"],
    },
    Row {
        kind: SolidType::Ellipsoid,
        word: "ellipsoid",
        sizes: &[("a", "half axis along x"), ("b", "along y"), ("c", "along z")],
        volume: "4/3*pi*a*b*c",
        height: "0",
        moments: ["(b^2 + c^2)/5", "(a^2 + c^2)/5", "(a^2 + b^2)/5"],
    },
    Row {
        kind: SolidType::Cylinder,
        word: "cylinder",
        sizes: &[RADIUS, LENGTH],
        volume: "pi*r^2*l",
        height: "0",
        moments: ["(3*r^2 + l^2)/12", "(3*r^2 + l^2)/12", "r^2/2"],
    },
    Row {
        kind: SolidType::Capsule,
        word: "capsule",
        sizes: &[RADIUS, ("l", "length without the ends")],
        volume: "pi*r^2*(l + 4/3*r)",
        height: "0",
        // Half a sphere has its centre of mass 3/8 of the radius beyond its base.
        moments: [CAPSULE_ACROSS, CAPSULE_ACROSS, "(l*r^2/2 + 8/15*r^3)/(l + 4/3*r)"],
    },
    Row {
        kind: SolidType::Cone,
        word: "cone",
        sizes: &[("r", "radius of the base"), LENGTH],
        volume: "pi*r^2*l/3",
        height: "l/4",
        moments: ["3/20*r^2 + 3/80*l^2", "3/20*r^2 + 3/80*l^2", "3/10*r^2"],
    },
    Row {
        kind: SolidType::Tube,
        word: "tube",
        sizes: &[("r", "outer radius"), ("s", "inner radius"), LENGTH],
        volume: "pi*(r^2 - s^2)*l",
        height: "0",
        moments: ["(3*(r^2 + s^2) + l^2)/12", "(3*(r^2 + s^2) + l^2)/12", "(r^2 + s^2)/2"],
    },
    Row {
        kind: SolidType::Rod,
        word: "rod",
        sizes: &[LENGTH],
        volume: "0",
        height: "0",
        moments: ["l^2/12", "l^2/12", "0"],
    },
];

const CAPSULE_ACROSS: &str = "(l*(3*r^2 + l^2)/12 + 4/3*r*(2/5*r^2 + l^2/4 + 3/8*r*l))/(l + 4/3*r)";

/// Volume and moments of a solid.
pub struct SolidMoments {
    /// The volume.
    pub volume: Expr,
    /// The height of the centre of mass above the origin.
    pub height: Expr,
    /// Moments of inertia about the centre of mass, for a mass of one.
    pub moments: [Expr; 3],
}

impl SolidType {
    /// Every type with its word in files.
    pub const ALL: [(SolidType, &'static str); 8] = {
        let mut all = [(SolidType::Box, ""); 8];
        let mut at = 0;
        while at < all.len() {
            all[at] = (TABLE[at].kind, TABLE[at].word);
            at += 1;
        }
        all
    };

    fn row(self) -> &'static Row {
        let row = TABLE.iter().find(|row| row.kind == self);
        row.expect("the table has a row for each type")
    }

    /// Its word in files.
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// The number of its sizes.
    pub fn sizes(self) -> usize {
        self.row().sizes.len()
    }

    /// The meaning of its sizes, such as `radius, length`.
    pub fn meaning(self) -> String {
        let names: Vec<&str> = self.row().sizes.iter().map(|(_, meaning)| *meaning).collect();
        names.join(", ")
    }

    /// `true` if it can be drawn and weighed.
    pub fn has_volume(self) -> bool {
        self.row().volume != "0"
    }

    /// Volume and moments, from sizes as many as it has.
    pub fn moments(self, sizes: &[Expr], graph: &mut Graph) -> SolidMoments {
        let row = self.row();
        let mut formula = |text: &str| {
            let mut scope = |_: &mut Graph, name: &str| {
                let at = row.sizes.iter().position(|(size, _)| *size == name)?;
                sizes.get(at).copied()
            };
            let built = graph.parse_in(text, &mut scope);
            built.unwrap_or_else(|error| unreachable!("a formula of the table: {error}"))
        };
        SolidMoments {
            volume: formula(row.volume),
            height: formula(row.height),
            moments: row.moments.map(&mut formula),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rotule_mesh::{mass_properties, solids};

    /// Volume, height of the centre and moments for density one.
    fn closed(kind: SolidType, sizes: &[f64]) -> [f64; 5] {
        let mut graph = Graph::new();
        let sizes: Vec<Expr> = sizes.iter().map(|size| graph.number(*size)).collect();
        let SolidMoments { volume, height, moments: [x, y, z] } = kind.moments(&sizes, &mut graph);
        let values = graph.evaluate_f64(&[volume, height, x, y, z], |_| None).expect("numbers");
        let [volume, height, x, y, z] = values[..] else { unreachable!("five numbers") };
        [volume, height, volume * x, volume * y, volume * z]
    }

    #[test]
    fn formulas_are_those_of_the_triangles() {
        let n = 256;
        for (kind, sizes, mesh) in [
            (SolidType::Box, vec![0.3, 0.5, 0.7], solids::cuboid([0.3, 0.5, 0.7])),
            (SolidType::Sphere, vec![0.4], solids::sphere(0.4, n)),
            (SolidType::Cylinder, vec![0.4, 0.9], solids::cylinder(0.4, 0.9, n)),
            (SolidType::Capsule, vec![0.4, 0.9], solids::capsule(0.4, 0.9, n)),
            (SolidType::Cone, vec![0.4, 0.9], solids::cone(0.4, 0.9, n)),
        ] {
            let ours = closed(kind, &sizes);
            let found = mass_properties(&mesh);
            let i = found.inertia;
            let theirs = [found.volume, found.centre[2], i[0][0], i[1][1], i[2][2]];
            for (ours, theirs) in ours.iter().zip(theirs) {
                let error = (ours - theirs).abs() / ours.abs().max(1e-3);
                assert!(error < 6e-4, "{}: {ours} beside {theirs}", kind.word());
            }
        }
        // The remaining ones from those: stretched spheres, a cylinder without another, a thin one.
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
        let (round, long) = (closed(SolidType::Sphere, &[0.4]), [0.4; 3]);
        closed(SolidType::Ellipsoid, &long).iter().zip(round).for_each(|(a, b)| near(*a, b));
        let [outer, inner] = [0.4, 0.3].map(|r| closed(SolidType::Cylinder, &[r, 0.9]));
        let tube = closed(SolidType::Tube, &[0.4, 0.3, 0.9]);
        (0..5).for_each(|k| near(tube[k], outer[k] - inner[k]));
        let mut graph = Graph::new();
        let length = [graph.number(0.9)];
        let rod = SolidType::Rod.moments(&length, &mut graph).moments;
        let rod = graph.evaluate_f64(&rod, |_| None).expect("numbers");
        let thin = closed(SolidType::Cylinder, &[1e-6, 0.9]);
        (0..3).for_each(|k| near(rod[k], thin[2 + k] / thin[0]));
    }

    #[test]
    fn every_formula_is_read() {
        for (kind, word) in SolidType::ALL {
            let mut graph = Graph::new();
            let sizes = vec![Expr::ONE; kind.sizes()];
            kind.moments(&sizes, &mut graph);
            assert!(!word.is_empty() && !kind.meaning().is_empty());
        }
    }
}
