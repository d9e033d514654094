//! A mechanism in plain numbers for other codes: elementary joints, each with the body that it
//! moves.
//!
//! Bodies that are fixed to each other are one here, and joints of several axes are chains of
//! massless steps. Joints come branch after branch, because Pinocchio's `crba` is silently wrong
//! otherwise.

use rotule_model::joint::{JointDirection, JointMotion, JointType};
use rotule_model::mechanism::{Mechanism, Role};
use rotule_model::pose::{Components, Pose, add, direction, dot, scale};
use rotule_symbolic::Expr;
use std::fmt::Write as _;

/// An elementary joint with the body that it moves.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainJoint {
    /// The joint that carries it, counted from one; zero is the ground.
    pub parent: usize,
    /// `revolute`, `prismatic`, `helical`, `spherical` or `free`.
    pub kind: &'static str,
    /// Its axis, if it has one.
    pub axis: Components,
    /// Slide per turn of a helical joint.
    pub pitch: f64,
    /// Its first coordinate in the model's order.
    pub q: usize,
    /// Its first speed.
    pub v: usize,
    /// Inertia of the drive.
    pub armature: f64,
    /// Where its fixed side is in the frame of what carries it.
    pub placement: Pose,
    /// Mass of all that moves with it.
    pub mass: f64,
    /// Mass times the centre of mass.
    moment: Components,
    /// Inertia about the origin: xx, xy, xz, yy, yz, zz.
    inertia: [f64; 6],
}

/// A mechanism in plain numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    /// Numbers of coordinates and speeds.
    pub sizes: [usize; 2],
    /// Gravity.
    pub gravity: Components,
    /// The joints.
    pub joints: Vec<PlainJoint>,
}

/// Inertia of a point mass about the origin: xx, xy, xz, yy, yz, zz.
fn of_point(mass: f64, at: Components) -> [f64; 6] {
    let [x, y, z] = at;
    let square = dot(at, at);
    [square - x * x, -x * y, -x * z, square - y * y, -y * z, square - z * z].map(|part| mass * part)
}

impl PlainJoint {
    /// The centre of mass.
    pub fn com(&self) -> Components {
        if self.mass > 0.0 { scale(self.moment, 1.0 / self.mass) } else { [0.0; 3] }
    }

    /// The inertia about the centre of mass: xx, xy, xz, yy, yz, zz.
    pub fn inertia(&self) -> [f64; 6] {
        let point = of_point(self.mass, self.com());
        std::array::from_fn(|at| self.inertia[at] - point[at])
    }

    fn add(&mut self, mass: f64, com: Components, inertia: [f64; 6]) {
        self.mass += mass;
        self.moment = add(self.moment, scale(com, mass));
        let point = of_point(mass, com);
        for (at, sum) in self.inertia.iter_mut().enumerate() {
            *sum += inertia[at] + point[at];
        }
    }
}

/// Components of an inertia that is given in the axes of a pose.
fn rotated(pose: &Pose, inertia: [[f64; 3]; 3]) -> [f64; 6] {
    let r = pose.rotation;
    let entry = |i: usize, j: usize| {
        let each = |k: usize| (0..3).map(|l| r[i][k] * inertia[k][l] * r[j][l]).sum::<f64>();
        (0..3).map(each).sum()
    };
    [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)]
}

/// Numbers this close to a whole one are meant to be it: rotations by right angles are exact.
fn clean(number: f64) -> f64 {
    let whole = number.round();
    if (number - whole).abs() < 1e-14 { whole + 0.0 } else { number }
}

impl Plain {
    /// The mechanism, if it is a tree of free joints under its weight alone.
    pub fn new(mechanism: &Mechanism) -> Result<Plain, String> {
        refuse(mechanism)?;
        let triple = |of: [Expr; 3]| {
            let found = mechanism.evaluate(&of);
            [found[0], found[1], found[2]]
        };
        let mut children = vec![Vec::new(); mechanism.bodies.len()];
        for (at, body) in mechanism.bodies.iter().enumerate() {
            if let Some(parent) = body.parent {
                children[parent.index()].push(at);
            }
        }
        let mut joints: Vec<PlainJoint> = Vec::new();
        // A body, what carries it and where its own joint begins in the frame of that.
        let mut stack: Vec<(usize, usize, Pose)> =
            children[0].iter().rev().map(|&at| (at, 0, Pose::IDENTITY)).collect();
        while let Some((at, mut carrier, carried)) = stack.pop() {
            let (body, joint) = (&mechanism.bodies[at], &mechanism.joints[at - 1]);
            let rows = body.placement.rotation.0;
            let own = Pose {
                position: triple(body.placement.position.0),
                rotation: rows.map(|row| triple(row).map(clean)),
            };
            let mut inside = carried.then(&own);
            let axes: Vec<Components> = joint.axes.iter().map(|axis| triple(axis.0)).collect();
            let [pitch, armature, mass] = triple([joint.pitch, joint.armature, body.mass]);
            for (kind, axis, q, v) in elementary(joint.kind, &axes) {
                joints.push(PlainJoint {
                    parent: carrier,
                    kind,
                    axis: axis.map(clean),
                    pitch,
                    q: joint.coordinates.start + q,
                    v: joint.speeds.start + v,
                    armature,
                    placement: inside,
                    mass: 0.0,
                    moment: [0.0; 3],
                    inertia: [0.0; 6],
                });
                carrier = joints.len();
                inside = Pose::IDENTITY;
            }
            if let Some(joint) = carrier.checked_sub(1).map(|index| &mut joints[index]) {
                let com = inside.point(triple(body.com.0));
                let inertia = body.inertia.0.map(triple);
                joint.add(mass, com, rotated(&inside, inertia));
            }
            stack.extend(children[at].iter().rev().map(|&child| (child, carrier, inside)));
        }
        Ok(Plain {
            sizes: [mechanism.coordinates.len(), mechanism.speeds.len()],
            gravity: triple(mechanism.gravity.0),
            joints,
        })
    }

    /// As the drivers of Pinocchio read it.
    pub fn text(&self) -> String {
        let mut text = format!("{} {} {}\n", self.sizes[0], self.sizes[1], list(&self.gravity));
        for one in &self.joints {
            let pose = one.placement;
            let _ = writeln!(
                text,
                "{} {} {} {} {} {} {} {} {} {} {} {}",
                one.parent,
                one.kind,
                list(&one.axis),
                one.pitch,
                one.q,
                one.v,
                one.armature,
                list(&pose.position),
                list(&pose.rotation.concat()),
                one.mass,
                list(&one.com()),
                list(&one.inertia())
            );
        }
        text
    }

    /// As MuJoCo reads it. The names of joints say which coordinates and speeds are theirs.
    pub fn mjcf(&self) -> Result<String, String> {
        let mut text = format!(
            "<mujoco>\n<compiler angle=\"radian\" inertiafromgeom=\"false\" autolimits=\"false\"/>\n\
             <option gravity=\"{}\"/>\n<worldbody>\n",
            list(&self.gravity)
        );
        let mut open: Vec<usize> = Vec::new();
        for (at, one) in self.joints.iter().enumerate() {
            // Branches that ended before this one begins.
            while open.last().is_some_and(|&last| last != one.parent) {
                open.pop();
                text += "</body>\n";
            }
            let kind = match one.kind {
                "revolute" => "hinge",
                "prismatic" => "slide",
                "spherical" => "ball",
                "free" if one.parent == 0 && one.placement == Pose::IDENTITY => "free",
                other => return Err(format!("it has no {other} joint in this place")),
            };
            if one.mass <= 0.0 {
                return Err("it takes no joints without a mass between them".to_owned());
            }
            let pose = one.placement;
            let r = pose.rotation;
            let axes = [r[0][0], r[1][0], r[2][0], r[0][1], r[1][1], r[2][1]];
            let [xx, xy, xz, yy, yz, zz] = one.inertia();
            let _ = writeln!(
                text,
                "<body pos=\"{}\" xyaxes=\"{}\"><inertial pos=\"{}\" mass=\"{}\" fullinertia=\"{}\"/>\n\
                 <joint name=\"j{at}_{}_{}\" type=\"{kind}\" axis=\"{}\" armature=\"{}\"/>",
                list(&pose.position),
                list(&axes),
                list(&one.com()),
                one.mass,
                list(&[xx, yy, zz, xy, xz, yz]),
                one.q,
                one.v,
                if kind == "hinge" || kind == "slide" { list(&one.axis) } else { "0 0 1".into() },
                one.armature,
            );
            open.push(at + 1);
        }
        text += &"</body>\n".repeat(open.len());
        Ok(text + "</worldbody>\n</mujoco>\n")
    }
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The steps of a joint: kind, axis, and places of coordinate and speed among its own.
fn elementary(
    kind: JointType,
    axes: &[Components],
) -> Vec<(&'static str, Components, usize, usize)> {
    let own = |along: JointDirection| direction(along, axes);
    let step = |motion: &JointMotion| match *motion {
        JointMotion::Rotation(about, at) => ("revolute", own(about), at, at),
        JointMotion::Translation(along, at) => ("prismatic", own(along), at, at),
        JointMotion::Screw(about, at) => ("helical", own(about), at, at),
        JointMotion::Spherical => ("spherical", [0.0; 3], 0, 0),
        JointMotion::Free => ("free", [0.0; 3], 0, 0),
    };
    kind.motions().iter().map(step).collect()
}

/// Why other codes cannot take a mechanism, if so.
fn refuse(mechanism: &Mechanism) -> Result<(), String> {
    let lists = [
        ("cuts", mechanism.cuts.len()),
        ("couplings", mechanism.couplings.len()),
        ("constraints", mechanism.constraints.len()),
        ("line forces", mechanism.line_forces.len()),
        ("forces", mechanism.forces.len()),
        ("wheels", mechanism.wheels.len()),
    ];
    if let Some((what, _)) = lists.iter().find(|(_, many)| *many > 0) {
        return Err(format!("the model has {what}, which the drivers of other codes do not build"));
    }
    for joint in &mechanism.joints {
        let name = &joint.name;
        if joint.role != Role::Free {
            return Err(format!(
                "joint `{name}` is driven or locked, but other codes let all move"
            ));
        }
        if !joint.effort.iter().all(|law| *law == Expr::ZERO) {
            return Err(format!("joint `{name}` has a law, which other codes do not know"));
        }
    }
    Ok(())
}
