//! Random mechanisms with loops that are closed by construction, the same for the same seed.
//!
//! A tree is grown and put into a random posture; then cuts are placed where they fit: the same
//! frame of space, seen from both bodies. Families that move although they have more constraints
//! than the count allows are among them: mechanisms in a tilted plane, on a sphere, with parallel
//! cranks, of Sarrus' kind, and such with cuts that repeat others.

use super::case::Case;
use super::random::Random;
use rotule_model::pose::{Components, Pose, add, cross, norm, poses, rodrigues, scale, sub};
use std::fmt::Write;

/// Families of mechanisms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// One loop in the plane of the ground's x and y.
    Plane,
    /// Several, some begin inside others.
    Planes,
    /// One loop in a plane that is tilted: most rows of its cut repeat others.
    Tilted,
    /// Axes that meet in a point.
    Sphere,
    /// Three or four equal cranks that carry one bar.
    Cranks,
    /// Two folding chains that leave one translation.
    Sarrus,
    /// One loop in space.
    Space,
    /// Several, nested.
    Spaces,
    /// A loop whose bodies are held by a second cut that says nothing new.
    Doubled,
    /// A loop on a body that floats or turns about a point.
    Floating,
    /// Loops with couplings, relations of the user's, also of speeds, and driven joints.
    Related,
}

impl Family {
    /// Every family.
    pub const ALL: [Family; 11] = [
        Family::Plane,
        Family::Planes,
        Family::Tilted,
        Family::Sphere,
        Family::Cranks,
        Family::Sarrus,
        Family::Space,
        Family::Spaces,
        Family::Doubled,
        Family::Floating,
        Family::Related,
    ];

    /// Returns `true` if its rows always repeat each other in part.
    pub fn redundant(self) -> bool {
        use Family::{Cranks, Doubled, Sarrus, Sphere, Tilted};
        matches!(self, Cranks | Doubled | Sarrus | Sphere | Tilted)
    }
}

/// A mechanism as text.
pub struct Loops {
    /// The family it is of.
    pub family: Family,
    /// The model file.
    pub text: String,
}

/// The kinds of joint and cut, with the number of their constraints.
const CUTS: [(&str, usize); 9] = [
    ("rod", 1),
    ("ball", 3),
    ("planar", 3),
    ("universal", 4),
    ("cylindrical", 4),
    ("revolute", 5),
    ("prismatic", 5),
    ("helical", 5),
    ("body", 6),
];

struct Joint {
    name: String,
    q: Vec<f64>,
}

struct Growing {
    random: Random,
    head: String,
    tail: String,
    points: Vec<String>,
    bodies: Vec<String>,
    joints: Vec<Joint>,
    cuts: usize,
}

/// Where a body grows from; none is the ground.
type At = Option<usize>;

impl Loops {
    /// The mechanism of a seed.
    pub fn new(seed: u64) -> Loops {
        let family = Family::ALL[seed as usize % Family::ALL.len()];
        let mut growing = Growing::new(seed);
        match family {
            Family::Plane => growing.plane(1, Pose::IDENTITY),
            Family::Planes => growing.plane(2 + seed as usize % 2, Pose::IDENTITY),
            Family::Tilted => {
                let tilt = growing.tilt();
                growing.plane(1 + seed as usize % 2, tilt);
            }
            Family::Sphere => growing.sphere(),
            Family::Cranks => growing.cranks(),
            Family::Sarrus => growing.sarrus(),
            Family::Space => growing.space(1, None),
            Family::Spaces => growing.space(2 + seed as usize % 2, None),
            Family::Doubled => growing.doubled(),
            Family::Floating => {
                let kind = if growing.random.chance(0.5) { "free" } else { "spherical" };
                let base = growing.body(None, [0.1, 0.2, 0.3], kind, &[], true);
                growing.space(1, Some(base));
            }
            Family::Related => growing.related(),
        }
        Loops { family, text: growing.text() }
    }
}

fn triple(v: Components) -> String {
    format!("[{:?}, {:?}, {:?}]", v[0], v[1], v[2])
}

impl Growing {
    fn new(seed: u64) -> Growing {
        let mut random = Random::new(7_000_000 + seed);
        let gravity = triple(random.direction().map(|x| 9.81 * x));
        let head = format!("[model]\nname = \"loops_{seed}\"\ngravity = {gravity}\n");
        Growing {
            random,
            head,
            tail: String::new(),
            points: vec![String::new()],
            bodies: Vec::new(),
            joints: Vec::new(),
            cuts: 0,
        }
    }

    fn tilt(&mut self) -> Pose {
        let axis = self.random.direction();
        let angle = self.random.between(0.4, 2.0);
        Pose { position: [0.0; 3], rotation: rodrigues(axis, angle) }
    }

    /// A body at a place of another, in the axes of both while coordinates are zero.
    fn body(
        &mut self,
        parent: At,
        position: Components,
        kind: &str,
        axes: &[Components],
        heavy: bool,
    ) -> usize {
        let at = self.bodies.len();
        let random = &mut self.random;
        let mut joint = format!("name = \"q{at}\", type = \"{kind}\"");
        joint += &match axes {
            [] => String::new(),
            [one] => format!(", axis = {}", triple(*one)),
            [one, two, ..] => format!(", axes = [{}, {}]", triple(*one), triple(*two)),
        };
        let mut angle = || random.between(-1.0, 1.0);
        let q = match kind {
            "revolute" => vec![angle()],
            "helical" => {
                joint += ", pitch = 0.13";
                vec![angle()]
            }
            "prismatic" => vec![0.4 * angle()],
            "cylindrical" => vec![angle(), 0.4 * angle()],
            "universal" => vec![angle(), angle()],
            "planar" => vec![0.4 * angle(), 0.4 * angle(), angle()],
            "spherical" => random.quaternion().to_vec(),
            "free" => {
                let mut q = vec![0.4 * angle(), 0.4 * angle(), 0.4 * angle()];
                q.extend(random.quaternion());
                q
            }
            other => panic!("no joint {other}"),
        };
        let mut text = format!(
            "\n[[body]]\nname = \"b{at}\"\nparent = \"{}\"\nposition = {}\njoint = {{ {joint} }}\n",
            name(parent),
            triple(position)
        );
        if heavy {
            let mass = self.random.short(0.5, 2.0);
            let com = [(); 3].map(|()| self.random.short(-0.2, 0.2));
            let [a, b, c] = [(); 3].map(|()| self.random.short(0.1, 0.25));
            writeln!(
                text,
                "mass = {mass:?}\ncom = {}\ninertia = {{ xx = {:?}, yy = {:?}, zz = {:?} }}",
                triple(com),
                b + c,
                a + c,
                a + b
            )
            .expect("a string");
        }
        self.bodies.push(text);
        self.points.push(String::new());
        self.joints.push(Joint { name: format!("q{at}"), q });
        at
    }

    /// Where all bodies are, the ground first.
    fn posture(&self) -> Vec<Pose> {
        let case = Case::of("posture", &self.text());
        let q: Vec<f64> = self.joints.iter().flat_map(|joint| joint.q.clone()).collect();
        let all = poses(case.mechanism(), &q);
        let place = |at: usize| {
            let id = case.mechanism().body(&format!("b{at}")).expect("a body of the text");
            all[id.index()]
        };
        std::iter::once(Pose::IDENTITY).chain((0..self.bodies.len()).map(place)).collect()
    }

    /// A point of a body that is at a pose in space; gives its name.
    fn point(&mut self, body: At, frame: &Pose, posture: &[Pose], rotated: bool) -> String {
        let own = body.map_or(0, |at| at + 1);
        let local = posture[own].inverse().then(frame);
        let number = self.points[own].matches("points.").count();
        let mut text = format!("points.p{number} = {{ position = {}", triple(local.position));
        if rotated {
            let rows = local.rotation.map(triple).join(", ");
            write!(text, ", rotation = {{ matrix = [{rows}] }}").expect("a string");
        }
        self.points[own] += &format!("{text} }}\n");
        format!("{}.p{number}", name(body))
    }

    /// A cut that fits in the posture.
    fn cut(&mut self, kind: &str, ends: [At; 2], place: Components, axis: Components) {
        let posture = self.posture();
        let random = &mut self.random;
        let first = Pose { position: place, ..Pose::IDENTITY };
        let mut second = first;
        let mut more = String::new();
        let angle = random.between(-1.0, 1.0);
        let turn = rodrigues(axis, angle);
        let slide = |by: f64| scale(axis, by);
        match kind {
            "rod" => {
                let apart = scale(random.direction(), random.between(0.3, 0.6));
                second.position = add(place, apart);
                more = format!("length = {:?}\n", norm(apart));
            }
            "revolute" => second.rotation = turn,
            "prismatic" => second.position = add(place, slide(0.3 * angle)),
            "cylindrical" => {
                second.position = add(place, slide(random.between(-0.3, 0.3)));
                second.rotation = turn;
            }
            "helical" => {
                second.position = add(place, slide(0.11 * angle));
                second.rotation = turn;
                more = "pitch = 0.11\n".to_owned();
            }
            "planar" => {
                let across = cross(axis, random.direction());
                second.position = add(place, scale(across, 0.4));
                second.rotation = turn;
            }
            _ => {}
        }
        let mut rotated = true;
        match kind {
            "body" => {}
            "ball" | "rod" => rotated = false,
            "universal" => {
                let other = cross(axis, random.direction());
                let other = scale(other, 1.0 / norm(other));
                writeln!(more, "axes = [{}, {}]", triple(axis), triple(other)).expect("a string");
            }
            _ => writeln!(more, "axis = {}", triple(axis)).expect("a string"),
        }
        let names = [(ends[0], first), (ends[1], second)]
            .map(|(body, frame)| self.point(body, &frame, &posture, rotated));
        writeln!(
            self.tail,
            "\n[[cut]]\nname = \"c{}\"\ntype = \"{kind}\"\nbetween = [\"{}\", \"{}\"]\n{more}",
            self.cuts, names[0], names[1]
        )
        .expect("a string");
        self.cuts += 1;
    }

    /// Where an end of a cut may be: a place beside a body.
    fn beside(&mut self, body: At) -> Components {
        let posture = self.posture();
        let away = scale(self.random.direction(), self.random.between(0.2, 0.4));
        add(posture[body.map_or(0, |at| at + 1)].position, away)
    }

    /// Loops in a plane: chains that begin on the ground or on a body and end on another.
    fn plane(&mut self, loops: usize, tilt: Pose) {
        let normal = tilt.turn([0.0, 0.0, 1.0]);
        let flat = |random: &mut Random, length: f64| {
            let (s, c) = random.between(-3.0, 3.0).sin_cos();
            tilt.turn([length * c, length * s, 0.0])
        };
        let mut started = false;
        for _ in 0..loops {
            let kinds = ["revolute", "revolute", "ball", "prismatic", "body", "rod"];
            // A rod has one row, which repeats none.
            let tilted = usize::from(tilt != Pose::IDENTITY);
            let kind = kinds[self.random.below(kinds.len() - tilted)];
            let rows = match kind {
                "rod" => 1,
                "body" => 3,
                _ => 2,
            };
            let from = self.any(started);
            let to = self.any(started);
            let count = rows + 1 + self.random.below(2);
            let mut end = from;
            for number in 0..count {
                let away = flat(&mut self.random, 0.5);
                let slides = number > 0 && self.random.chance(0.2);
                end = Some(if slides {
                    let axis = flat(&mut self.random, 1.0);
                    self.body(end, away, "prismatic", &[axis], true)
                } else {
                    self.body(end, away, "revolute", &[normal], true)
                });
            }
            started = true;
            let axis = if kind == "prismatic" { flat(&mut self.random, 1.0) } else { normal };
            let away = flat(&mut self.random, 0.35);
            let place = add(self.posture()[end.map_or(0, |at| at + 1)].position, away);
            if kind == "rod" {
                self.flat_rod(end, to, place, flat);
            } else {
                self.cut(kind, [end, to], place, axis);
            }
        }
    }

    /// A rod that lies in the plane.
    fn flat_rod(
        &mut self,
        end: At,
        to: At,
        place: Components,
        flat: impl Fn(&mut Random, f64) -> Components,
    ) {
        let posture = self.posture();
        let length = self.random.between(0.3, 0.6);
        let far = add(place, flat(&mut self.random, length));
        let frame = |position: Components| Pose { position, ..Pose::IDENTITY };
        let names = [(end, place), (to, far)]
            .map(|(body, place)| self.point(body, &frame(place), &posture, false));
        let length = norm(sub(far, place));
        writeln!(
            self.tail,
            "\n[[cut]]\nname = \"c{}\"\ntype = \"rod\"\nbetween = [\"{}\", \"{}\"]\nlength = {length:?}",
            self.cuts, names[0], names[1]
        )
        .expect("a string");
        self.cuts += 1;
    }

    /// A body to begin or end at: the ground at first.
    fn any(&mut self, started: bool) -> At {
        if !started {
            return None;
        }
        let at = self.random.below(self.bodies.len() + 1);
        at.checked_sub(1)
    }

    /// Axes that meet at the origin.
    fn sphere(&mut self) {
        let (mut end, mut before) = (None, [0.0; 3]);
        let count = 3 + self.random.below(3);
        for _ in 0..count {
            let axis = self.random.direction();
            let here = scale(axis, self.random.between(-0.5, 0.5));
            end = Some(self.body(end, sub(here, before), "revolute", &[axis], true));
            before = here;
        }
        // Points on the last axis go through the origin, too.
        let axis = self.random.direction();
        let place = scale(axis, self.random.between(0.3, 0.6));
        self.cut("revolute", [end, None], place, axis);
    }

    /// Equal cranks with parallel axes that carry a bar.
    fn cranks(&mut self) {
        let tilt = if self.random.chance(0.5) { self.tilt() } else { Pose::IDENTITY };
        let normal = tilt.turn([0.0, 0.0, 1.0]);
        let crank = tilt.turn([0.4, 0.1, 0.0]);
        let count = 3 + self.random.below(2);
        let mut feet = vec![[0.0; 3]];
        for number in 1..count {
            let x = 0.5 * number as f64 + self.random.between(-0.1, 0.1);
            let y = self.random.between(-0.3, 0.3);
            feet.push(tilt.turn([x, y, 0.0]));
        }
        let first = self.body(None, feet[0], "revolute", &[normal], true);
        let bar = self.body(Some(first), crank, "revolute", &[normal], true);
        let angle = self.joints[first].q[0];
        // The bar stays parallel to the ground.
        self.joints[bar].q[0] = -angle;
        for foot in &feet[1..] {
            let other = self.body(None, *foot, "revolute", &[normal], true);
            self.joints[other].q[0] = angle;
            let place = add(
                *foot,
                Pose { position: [0.0; 3], rotation: rodrigues(normal, angle) }.turn(crank),
            );
            self.cut("revolute", [Some(bar), Some(other)], place, normal);
        }
    }

    /// Two chains of three parallel axes each: what both allow is one translation.
    fn sarrus(&mut self) {
        let mut ends = Vec::new();
        for _ in 0..2 {
            let axis = self.random.direction();
            let mut end = None;
            for _ in 0..3 {
                let across = cross(axis, self.random.direction());
                let away = add(
                    scale(across, 0.45 / norm(across)),
                    scale(axis, self.random.between(-0.1, 0.1)),
                );
                end = Some(self.body(end, away, "revolute", &[axis], true));
            }
            ends.push(end);
        }
        let place = self.beside(ends[0]);
        self.cut("body", [ends[0], ends[1]], place, [0.0, 0.0, 1.0]);
    }

    /// A chain with at least this many speeds that begins at a body.
    fn chain(&mut self, from: At, speeds: usize) -> At {
        let mut end = from;
        let mut grown = 0;
        while grown < speeds {
            let axis = self.random.direction();
            let away = scale(self.random.direction(), self.random.between(0.3, 0.5));
            let other = cross(axis, self.random.direction());
            let other = scale(other, 1.0 / norm(other));
            let (kind, axes, more) = match self.random.below(10) {
                0 => ("prismatic", vec![axis], 1),
                1 => ("helical", vec![axis], 1),
                2 => ("cylindrical", vec![axis], 2),
                3 => ("universal", vec![axis, other], 2),
                4 if speeds > 4 => ("planar", vec![axis], 3),
                _ => ("revolute", vec![axis], 1),
            };
            end = Some(self.body(end, away, kind, &axes, true));
            grown += more;
        }
        end
    }

    /// Loops in space; later ones begin and end on bodies of earlier ones.
    fn space(&mut self, loops: usize, base: At) {
        for number in 0..loops {
            let (kind, rows) = CUTS[self.random.below(CUTS.len())];
            let started = number > 0;
            let (from, to) = if started { (self.any(true), self.any(true)) } else { (base, base) };
            let extra = self.random.below(2);
            let end = self.chain(from, rows + 1 + extra);
            // A second chain, so that both ends move.
            let to = if self.random.chance(0.4) { self.chain(to, 1) } else { to };
            let place = self.beside(end);
            let axis = self.random.direction();
            self.cut(kind, [end, to], place, axis);
        }
    }

    /// The second cut holds what the first holds: another kind that asks for less, elsewhere, or
    /// the same again.
    fn doubled(&mut self) {
        let pairs = [
            ("body", Some("ball")),
            ("body", Some("revolute")),
            ("revolute", None),
            ("body", Some("rod")),
            ("cylindrical", None),
        ];
        let (first, second) = pairs[self.random.below(pairs.len())];
        let rows = CUTS.iter().find(|one| one.0 == first).expect("a cut").1;
        let end = self.chain(None, rows + 2);
        let axis = self.random.direction();
        let place = self.beside(end);
        self.cut(first, [end, None], place, axis);
        match second {
            None => self.cut(first, [end, None], place, axis),
            Some(second) => {
                let place = self.beside(end);
                let axis = self.random.direction();
                self.cut(second, [end, None], place, axis);
            }
        }
    }

    /// Relations between coordinates, and drives.
    fn related(&mut self) {
        let (kind, rows) = CUTS[self.random.below(CUTS.len())];
        let mut end = None;
        let count = rows + 4;
        for _ in 0..count {
            let axis = self.random.direction();
            let away = scale(self.random.direction(), self.random.between(0.3, 0.5));
            end = Some(self.body(end, away, "revolute", &[axis], true));
        }
        let place = self.beside(end);
        let axis = self.random.direction();
        self.cut(kind, [end, None], place, axis);
        let first = self.random.below(count);
        let second = (first + 1 + self.random.below(count - 1)) % count;
        let third = (0..count).find(|at| ![first, second].contains(at)).expect("there are five");
        let fourth = (0..count)
            .rev()
            .find(|at| ![first, second, third].contains(at))
            .expect("there are five");
        let q = |at: usize| self.joints[at].q[0];
        let offset = q(second) + 1.7 * q(first);
        let text = match self.random.below(3) {
            0 => format!(
                "\n[[coupling]]\nname = \"gear\"\nequation = \"q{second} = -1.7*q{first} + {offset:?}\"\n"
            ),
            1 => {
                let value = q(first).sin() + 0.8 * q(second) * q(third) + q(second);
                format!(
                    "\n[[constraint]]\nname = \"user\"\nposition = \"sin(q{first}) + 0.8*q{second}*q{third} + q{second} - ({value:?})\"\n"
                )
            }
            _ => format!(
                "\n[[constraint]]\nname = \"speeds\"\nvelocity = \"(2 + sin(q{first}))*q{second}.d - 0.6*cos(q{third})*q{first}.d + q{third}.d\"\n"
            ),
        };
        self.tail += &text;
        if self.random.chance(0.6) {
            let start = self.joints[fourth].q[0];
            self.tail += &format!(
                "\n[[motion]]\njoint = \"q{fourth}\"\nq = \"{start:?} + 0.4*sin(1.3*t) + 0.2*t^2\"\n"
            );
        }
    }

    fn text(&self) -> String {
        let mut text = self.head.clone();
        if !self.points[0].is_empty() {
            text += &format!("\n[ground]\n{}", self.points[0]);
        }
        for (body, points) in self.bodies.iter().zip(&self.points[1..]) {
            text += body;
            text += points;
        }
        text += &self.tail;
        text += "\n[initial.q]\n";
        for joint in &self.joints {
            // What is driven has its initial value from its motion.
            if self.tail.contains(&format!("joint = \"{}\"", joint.name)) {
                continue;
            }
            let list: Vec<String> = joint.q.iter().map(|q| format!("{q:?}")).collect();
            text += &match list.as_slice() {
                [one] => format!("{} = {one}\n", joint.name),
                _ => format!("{} = [{}]\n", joint.name, list.join(", ")),
            };
        }
        text
    }
}

fn name(body: At) -> String {
    body.map_or("ground".to_owned(), |at| format!("b{at}"))
}
