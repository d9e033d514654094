//! Random mechanisms, the same for the same seed: every joint type, branches, axes and placements
//! in any direction, floating bases, drives with inertia, massless links, and numbers that are
//! parameters in part of them.
//!
//! A [`Model`] keeps its numbers beside the text of the file that [`super::text`] writes, so that a
//! check needs neither the reader nor the formalisms to know what was meant. Masses and lengths are
//! of one size, and what has no mass is followed by what has: the mass matrix is well conditioned.

use rotule_model::pose::{Components, Pose, cross, dot, norm, rodrigues, scale, sub};
use rotule_symbolic::random::{GOLDEN, SplitMix64};

/// A stream of numbers and of what mechanisms are made of.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// Numbers that follow from a seed.
    pub fn new(seed: u64) -> Random {
        Random(SplitMix64(seed.wrapping_mul(GOLDEN) ^ 0x5851_f42d_4c95_7f2d))
    }

    /// A whole number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    /// Returns `true` if something with this chance happens.
    pub fn chance(&mut self, chance: f64) -> bool {
        self.between(0.0, 1.0) < chance
    }

    /// A number in a range.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.unit()
    }

    /// A number in a range with few digits, as a person would write it.
    pub fn short(&mut self, low: f64, high: f64) -> f64 {
        (self.between(low, high) * 1000.0).round() / 1000.0
    }

    /// A direction, of length one.
    pub fn direction(&mut self) -> Components {
        loop {
            let v = [(); 3].map(|()| self.between(-1.0, 1.0));
            if (0.1..1.0).contains(&norm(v)) {
                return scale(v, 1.0 / norm(v));
            }
        }
    }

    /// A unit quaternion.
    pub fn quaternion(&mut self) -> [f64; 4] {
        let (axis, angle) = (self.direction(), self.between(-3.0, 3.0));
        let (s, c) = (angle / 2.0).sin_cos();
        [c, s * axis[0], s * axis[1], s * axis[2]]
    }
}

/// The types of joint, with their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// No motion.
    Fixed,
    /// Rotation about an axis.
    Revolute,
    /// Translation along an axis.
    Prismatic,
    /// Rotation about an axis with translation along it, by a pitch.
    Helical,
    /// Rotation about an axis and translation along it.
    Cylindrical,
    /// Rotation about two axes.
    Universal,
    /// Rotation about a point.
    Spherical,
    /// Translation in a plane and rotation about its normal.
    Planar,
    /// All six motions.
    Free,
}

impl Kind {
    /// Every type.
    pub const ALL: [Kind; 9] = [
        Kind::Fixed,
        Kind::Revolute,
        Kind::Prismatic,
        Kind::Helical,
        Kind::Cylindrical,
        Kind::Universal,
        Kind::Spherical,
        Kind::Planar,
        Kind::Free,
    ];

    /// The word in model files.
    pub fn word(self) -> &'static str {
        let words = "fixed revolute prismatic helical cylindrical universal spherical planar free";
        words.split(' ').nth(self as usize).expect("a word for every type")
    }

    /// The number of speeds.
    pub fn speeds(self) -> usize {
        [0, 1, 1, 1, 2, 2, 3, 3, 6][self as usize]
    }
}

/// A number and how it is written.
#[derive(Clone, Debug)]
pub struct Value {
    /// The value as the file has it.
    pub text: String,
    /// The number.
    pub number: f64,
}

/// A rotation and how it is written; nothing for none.
#[derive(Clone, Debug)]
pub struct Rotation {
    /// The rotation as the file has it.
    pub text: String,
    /// The matrix from the rotated axes to the others.
    pub matrix: [Components; 3],
}

/// An axis and how it is written.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The axis as the file has it.
    pub text: String,
    /// The unit vector.
    pub unit: Components,
}

/// A joint, or one of a chain.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The name.
    pub name: String,
    /// The type.
    pub kind: Kind,
    /// The axes, as many as the type has.
    pub axes: Vec<Axis>,
    /// The translation for each radian of a helical joint.
    pub pitch: Option<Value>,
    /// The inertia of a rotor along the joint.
    pub armature: Option<Value>,
}

/// Where something is.
#[derive(Clone, Debug)]
pub struct Place {
    /// The position.
    pub position: [Value; 3],
    /// The rotation.
    pub rotation: Rotation,
}

/// A body. Its only point is `tip`.
#[derive(Clone, Debug)]
pub struct Body {
    /// The name.
    pub name: String,
    /// The body that carries it, none for the ground.
    pub parent: Option<usize>,
    /// True if it sits at the `tip` of its parent.
    pub at_tip: bool,
    /// The place on the parent where the joints begin.
    pub place: Place,
    /// The joints from the parent, in order.
    pub joints: Vec<Joint>,
    /// The mass, none for a massless body.
    pub mass: Option<Value>,
    /// The centre of mass.
    pub com: [Value; 3],
    /// About the centre of mass: entries xx yy zz xy xz yz in axes rotated by the rotation.
    pub inertia: [f64; 6],
    /// The rotation of the axes of the inertia.
    pub inertia_rotation: Rotation,
    /// The place of the point `tip`.
    pub tip: Place,
}

/// A mechanism.
#[derive(Clone, Debug)]
pub struct Model {
    /// The seed.
    pub seed: u64,
    /// Names and values of the parameters.
    pub parameters: Vec<(String, f64)>,
    /// Gravity.
    pub gravity: [Value; 3],
    /// The bodies, parents before children.
    pub bodies: Vec<Body>,
    /// In what order the file has the bodies.
    pub order: Vec<usize>,
    /// Joints that do not move by the equations of motion.
    pub known: Vec<Known>,
    symbolic: bool,
}

/// A joint of one degree of freedom that stays at `size`, or moves by `size sin(rate t)`.
#[derive(Clone, Debug)]
pub struct Known {
    /// The name of the joint.
    pub joint: String,
    /// The place or the amplitude.
    pub size: f64,
    /// The circular frequency of a joint that moves.
    pub rate: Option<f64>,
}

impl Known {
    /// Coordinate, speed and acceleration at a time.
    pub fn at(&self, time: f64) -> [f64; 3] {
        match self.rate {
            None => [self.size, 0.0, 0.0],
            Some(rate) => {
                let (s, c) = (rate * time).sin_cos();
                [self.size * s, self.size * rate * c, -self.size * rate * rate * s]
            }
        }
    }
}

impl Place {
    /// The place in numbers.
    pub fn pose(&self) -> Pose {
        let position = [0, 1, 2].map(|i| self.position[i].number);
        Pose { position, rotation: self.rotation.matrix }
    }
}

impl Body {
    /// The inertia in the body's axes.
    pub fn inertia(&self) -> [Components; 3] {
        let [xx, yy, zz, xy, xz, yz] = self.inertia;
        rotated([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], self.inertia_rotation.matrix)
    }
}

impl Model {
    /// Where the fixed side of a body's first joint is in the frame of its parent.
    pub fn placement(&self, body: usize) -> Pose {
        let body = &self.bodies[body];
        let inner = body.place.pose();
        match body.parent {
            Some(parent) if body.at_tip => self.bodies[parent].tip.pose().then(&inner),
            _ => inner,
        }
    }

    /// The mechanism of a seed.
    pub fn new(seed: u64) -> Model {
        let random = &mut Random::new(seed);
        let mut model = Model {
            seed,
            parameters: Vec::new(),
            gravity: [0, 1, 2].map(|_| plain(0.0)),
            bodies: Vec::new(),
            order: Vec::new(),
            known: Vec::new(),
            symbolic: seed.is_multiple_of(3),
        };
        if !seed.is_multiple_of(13) {
            let down = random.direction();
            model.gravity = down.map(|x| model.value((x * 9810.0).round() / 1000.0, random));
        }
        // Small ones more often than large ones: what can go wrong is in the joints, not in their
        // number.
        let count = 1 + random.below(14).min(random.below(18));
        while model.bodies.len() < count {
            model.grow(random);
        }
        if model.speeds() == 0 {
            model.bodies[0].joints = vec![model.joint("j1", Kind::Revolute, random)];
        }
        model.order = (0..model.bodies.len()).collect();
        if random.chance(0.3) {
            // A file may have children before their parents.
            for i in (1..model.order.len()).rev() {
                model.order.swap(i, random.below(i + 1));
            }
        }
        model
    }

    /// The mechanism of a seed with some of its joints locked and some driven.
    pub fn driven(seed: u64) -> Model {
        let mut model = Model::new(seed);
        let random = &mut Random::new(seed + 31_337);
        let single = |joint: &&Joint| joint.kind.speeds() == 1;
        let names: Vec<String> =
            model.joints().filter(single).map(|one| one.name.clone()).collect();
        for joint in names {
            if random.chance(0.8) {
                let (size, rate) = (random.short(-0.6, 0.6), random.short(0.5, 2.0));
                let rate = random.chance(0.5).then_some(rate);
                model.known.push(Known { joint, size, rate });
            }
        }
        model
    }

    /// The number of speeds.
    pub fn speeds(&self) -> usize {
        self.joints().map(|joint| joint.kind.speeds()).sum()
    }

    /// All joints, body by body.
    pub fn joints(&self) -> impl Iterator<Item = &Joint> {
        self.bodies.iter().flat_map(|body| &body.joints)
    }

    /// Adds a body; a massless one together with the body that it carries.
    fn grow(&mut self, random: &mut Random) {
        let parent = match self.bodies.len() {
            0 => None,
            // Chains and branches both.
            known if random.chance(0.4) => Some(known - 1),
            known => random.below(known + 1).checked_sub(1),
        };
        let floating = self.bodies.is_empty() && random.chance(0.3);
        if !floating && random.chance(0.12) {
            let carrier = self.bodies.len();
            let kinds = [Kind::Revolute, Kind::Prismatic, Kind::Helical];
            let first = self.joint(&format!("j{}", carrier + 1), kinds[random.below(3)], random);
            let axis = first.axes[0].unit;
            self.body(parent, vec![first], false, random);
            let mut second = self.joint(&format!("j{}", carrier + 2), Kind::Revolute, random);
            // Axes at a distance from each other: two along one line could turn against each other.
            second.axes = vec![apart(axis, random)];
            self.body(Some(carrier), vec![second], true, random);
            let lever = scale(apart(axis, random).unit, 0.3);
            let child = &mut self.bodies[carrier + 1];
            child.at_tip = false;
            child.place.position = lever.map(|x| plain((x * 1000.0).round() / 1000.0));
            return;
        }
        let name = format!("j{}", self.bodies.len() + 1);
        let full = self.speeds() >= 8;
        let joints = if floating {
            vec![self.joint(&name, Kind::Free, random)]
        } else if !full && random.chance(0.1) {
            // A chain of joints along axes at right angles, rotated together.
            let turn = rodrigues(random.direction(), random.between(0.3, 2.0));
            let pick = |k: usize| [0, 1, 2].map(|i: usize| turn[i][k]);
            let count = 2 + random.below(2);
            let make = |k: usize| {
                let kind = [Kind::Revolute, Kind::Prismatic][random.below(2)];
                let mut joint = self.joint(&format!("{name}{}", ["a", "b", "c"][k]), kind, random);
                joint.axes = vec![general(pick(k))];
                joint
            };
            (0..count).map(make).collect()
        } else {
            let kind = match self.speeds() {
                0..8 if random.chance(0.45) => Kind::ALL[4 + random.below(4)],
                0..8 => Kind::ALL[random.below(9)],
                8..10 => Kind::ALL[random.below(4)],
                _ => Kind::Fixed,
            };
            vec![self.joint(&name, kind, random)]
        };
        self.body(parent, joints, true, random);
    }

    fn body(
        &mut self,
        parent: Option<usize>,
        joints: Vec<Joint>,
        massive: bool,
        random: &mut Random,
    ) {
        let mass = massive.then(|| random.short(0.8, 3.0));
        let size = mass.unwrap_or(0.0);
        // Any positive second moments make the inertia of a real body.
        let [a, b, c] = [(); 3].map(|()| size * random.between(0.02, 0.1));
        let round = |x: f64| (x * 1e6).round() / 1e6;
        let principal = [[b + c, 0.0, 0.0], [0.0, c + a, 0.0], [0.0, 0.0, a + b]];
        let turn = self.rotation(random);
        let (matrix, inertia_rotation) = match random.below(3) {
            0 => (principal, turn),
            1 => (principal, unturned()),
            _ => (rotated(principal, turn.matrix), unturned()),
        };
        let com = [(); 3].map(|()| random.short(-0.2, 0.2));
        let body = Body {
            name: format!("b{}", self.bodies.len() + 1),
            parent,
            at_tip: parent.is_some() && random.chance(0.3),
            place: Place { position: self.position(random), rotation: self.rotation(random) },
            joints,
            mass: mass.map(|mass| self.value(mass, random)),
            com: com.map(|x| if massive { self.value(x, random) } else { plain(0.0) }),
            inertia: [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
                .map(|(i, j)| round(matrix[i][j])),
            inertia_rotation: if massive { inertia_rotation } else { unturned() },
            tip: Place { position: self.position(random), rotation: self.rotation(random) },
        };
        self.bodies.push(body);
    }

    fn joint(&mut self, name: &str, kind: Kind, random: &mut Random) -> Joint {
        let axes = match kind {
            Kind::Fixed | Kind::Spherical | Kind::Free => Vec::new(),
            Kind::Universal => {
                let first = axis(random);
                let second = apart(first.unit, random);
                vec![first, second]
            }
            _ => vec![axis(random)],
        };
        let drive = kind != Kind::Fixed && random.chance(0.25);
        Joint {
            name: name.to_owned(),
            kind,
            axes,
            pitch: (kind == Kind::Helical).then(|| {
                let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
                self.value(sign * random.short(0.1, 0.4), random)
            }),
            armature: drive.then(|| self.value(random.short(0.05, 0.5), random)),
        }
    }

    /// A number as itself or, in part of the models, by way of a parameter.
    fn value(&mut self, number: f64, random: &mut Random) -> Value {
        if !self.symbolic || random.chance(0.4) {
            return plain(number);
        }
        let name = format!("p{}", self.parameters.len() + 1);
        let doubled = random.chance(0.3);
        self.parameters.push((name.clone(), if doubled { number / 2.0 } else { number }));
        Value { text: format!("\"{}{name}\"", if doubled { "2*" } else { "" }), number }
    }

    fn position(&mut self, random: &mut Random) -> [Value; 3] {
        let zeros = random.below(4);
        [0, 1, 2].map(|i| {
            let number = random.short(-0.4, 0.4);
            if i < zeros { self.value(number, random) } else { plain(0.0) }
        })
    }

    fn rotation(&mut self, random: &mut Random) -> Rotation {
        let digits = |x: f64| format!("{x:?}");
        match random.below(6) {
            0 => unturned(),
            1 => {
                let [r, p, y] = [(); 3].map(|()| random.short(-1.5, 1.5));
                let turns = [(2, y), (1, p), (0, r)].map(|(i, angle)| rodrigues(unit(i), angle));
                let matrix = product(product(turns[0], turns[1]), turns[2]);
                Rotation { text: format!("[{r:?}, {p:?}, {y:?}]"), matrix }
            }
            2 => {
                let (axis, angle) = (axis(random), random.short(-3.0, 3.0));
                let angle = self.value(angle, random);
                let matrix = rodrigues(axis.unit, angle.number);
                let text = format!("{{ axis = {}, angle = {} }}", axis.text, angle.text);
                Rotation { text, matrix }
            }
            3 => {
                let quarters = 1 + random.below(3);
                let axis = axis(random);
                let text = format!("{{ axis = {}, angle = \"{quarters}*pi/2\" }}", axis.text);
                let angle = quarters as f64 * std::f64::consts::FRAC_PI_2;
                Rotation { text, matrix: rodrigues(axis.unit, angle) }
            }
            4 => {
                let q = random.quaternion();
                let text = format!("{{ quaternion = [{}] }}", q.map(digits).join(", "));
                Rotation { text, matrix: of_quaternion(q) }
            }
            _ => {
                let matrix = rodrigues(random.direction(), random.between(-3.0, 3.0));
                let rows = matrix.map(|row| format!("[{}]", row.map(digits).join(", ")));
                Rotation { text: format!("{{ matrix = [{}] }}", rows.join(", ")), matrix }
            }
        }
    }
}

/// A number that stays a number.
fn plain(number: f64) -> Value {
    Value { text: format!("{number:?}"), number }
}

fn unturned() -> Rotation {
    Rotation { text: String::new(), matrix: Pose::IDENTITY.rotation }
}

fn unit(i: usize) -> Components {
    Pose::IDENTITY.rotation[i]
}

/// A frame axis, one against a frame axis, one between frame axes, or any direction.
fn axis(random: &mut Random) -> Axis {
    let i = random.below(3);
    let letter = ["x", "y", "z"][i];
    match random.below(5) {
        0 | 1 => Axis { text: format!("\"{letter}\""), unit: unit(i) },
        2 => Axis { text: format!("\"-{letter}\""), unit: scale(unit(i), -1.0) },
        3 => {
            let mut v = [1.0, 1.0, 1.0];
            v[i] = 0.0;
            v[(i + 1) % 3] = [2.0, -1.0, -3.0][random.below(3)];
            Axis { text: format!("{v:?}"), unit: scale(v, 1.0 / norm(v)) }
        }
        _ => general(random.direction()),
    }
}

fn general(direction: Components) -> Axis {
    Axis { text: format!("{direction:?}"), unit: direction }
}

/// An axis at more than 60 degrees from another.
fn apart(other: Components, random: &mut Random) -> Axis {
    loop {
        let axis = axis(random);
        if dot(axis.unit, other).abs() < 0.5 {
            return axis;
        }
    }
}

fn product(a: [Components; 3], b: [Components; 3]) -> [Components; 3] {
    let pose = |rotation| Pose { position: [0.0; 3], rotation };
    pose(a).then(&pose(b)).rotation
}

/// `R A R'`
fn rotated(matrix: [Components; 3], by: [Components; 3]) -> [Components; 3] {
    let back: [Components; 3] = std::array::from_fn(|i| by.map(|row| row[i]));
    product(product(by, matrix), back)
}

/// The rotation of a unit quaternion: `v + 2 w (u x v) + 2 u x (u x v)` for every frame axis `v`.
fn of_quaternion([w, x, y, z]: [f64; 4]) -> [Components; 3] {
    let u = [x, y, z];
    let column = |j: usize| {
        let once = cross(u, unit(j));
        let twice = cross(u, once);
        let v = unit(j);
        [0, 1, 2].map(|i| v[i] + 2.0 * w * once[i] + 2.0 * twice[i])
    };
    let columns = [column(0), column(1), column(2)];
    debug_assert!(norm(sub(cross(columns[0], columns[1]), columns[2])) < 1e-12, "right-handed");
    std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]))
}
