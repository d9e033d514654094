//! Vectors of a whole mechanism in another library's convention and order of joints.

use super::{mujoco, pinocchio};
use crate::draft::JointType;
use crate::mechanism::{Joint, Mechanism};
use rustc_hash::FxHashMap;
use std::fmt;
use std::ops::Range;

/// A library that has its own coordinates and speeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Convention {
    /// Pinocchio.
    Pinocchio,
    /// MuJoCo.
    Mujoco,
}

/// The places of a joint in the vectors of both sides, and what becomes of its numbers.
#[derive(Clone, Debug)]
struct Row {
    name: String,
    kind: JointType,
    map: Map,
    q: Range<usize>,
    qd: Range<usize>,
    other_q: Range<usize>,
    other_qd: Range<usize>,
}

/// The conversion of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Map {
    /// Both sides have the same numbers.
    Same,
    /// A quaternion with w last.
    SphericalPinocchio,
    FreePinocchio,
    PlanarPinocchio,
    /// An angle that is a cosine and a sine.
    UnboundedPinocchio,
    FreeMujoco,
}

impl Map {
    /// Joints whose numbers differ. Those that a library does not have are chains of its joints of
    /// one degree of freedom, with the same numbers.
    const OWN: [(Convention, JointType, Map); 4] = [
        (Convention::Pinocchio, JointType::Spherical, Map::SphericalPinocchio),
        (Convention::Pinocchio, JointType::Free, Map::FreePinocchio),
        (Convention::Pinocchio, JointType::Planar, Map::PlanarPinocchio),
        (Convention::Mujoco, JointType::Free, Map::FreeMujoco),
    ];

    fn of(kind: JointType, convention: Convention) -> Map {
        let own = Map::OWN.iter().find(|(of, its, _)| (*of, *its) == (convention, kind));
        own.map_or(Map::Same, |(_, _, map)| *map)
    }

    /// Coordinates that the other library has more than Rotule.
    fn more(self) -> usize {
        usize::from(matches!(self, Map::PlanarPinocchio | Map::UnboundedPinocchio))
    }
}

/// Conversion of the vectors of a mechanism to and from another library.
///
/// Every function takes whole vectors and gives a new one. Speeds of free and planar joints change
/// axes, so their conversion needs coordinates, that of accelerations speeds, too: always those of
/// the side that is converted from.
///
/// Cylindrical and universal joints are taken as chains of joints of one degree of freedom, whose
/// numbers are the same.
///
/// # Panics
///
/// All conversions panic if a vector has not as many numbers as its side has coordinates or speeds.
#[derive(Clone, Debug)]
pub struct Conversion {
    convention: Convention,
    /// In the order of the other library.
    rows: Vec<Row>,
    coordinates: usize,
    speeds: usize,
}

/// A list of joints that does not fit the mechanism.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OrderError {
    /// A name that no joint with coordinates has.
    Unknown(String),
    /// A joint that is named twice.
    Twice(String),
    /// A joint with coordinates that is not named.
    Missing(String),
    /// A joint that cannot be unbounded, because it is not revolute or the convention has no such
    /// joints.
    Bounded(String),
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrderError::Unknown(name) => write!(f, "there is no joint `{name}` with coordinates"),
            OrderError::Twice(name) => write!(f, "joint `{name}` is named twice: name it once"),
            OrderError::Missing(name) => {
                write!(f, "joint `{name}` has no place in the order: add it")
            }
            OrderError::Bounded(name) => write!(
                f,
                "joint `{name}` cannot be unbounded: only revolute joints of Pinocchio have a cosine and a sine"
            ),
        }
    }
}

impl std::error::Error for OrderError {}

impl Conversion {
    /// Conversion to and from Pinocchio, with Rotule's order of joints.
    pub fn pinocchio(mechanism: &Mechanism) -> Conversion {
        Conversion::new(mechanism, Convention::Pinocchio)
    }

    /// Conversion to and from MuJoCo, with Rotule's order of joints.
    pub fn mujoco(mechanism: &Mechanism) -> Conversion {
        Conversion::new(mechanism, Convention::Mujoco)
    }

    /// Conversion to and from a library, with Rotule's order of joints.
    pub fn new(mechanism: &Mechanism, convention: Convention) -> Conversion {
        let joints = mechanism.joints.iter().filter(|joint| !joint.speeds.is_empty());
        let row = |joint: &Joint| Row {
            name: joint.name.clone(),
            kind: joint.kind,
            map: Map::of(joint.kind, convention),
            q: joint.coordinates.clone(),
            qd: joint.speeds.clone(),
            other_q: 0..0,
            other_qd: 0..0,
        };
        let (coordinates, speeds) = (mechanism.coordinates.len(), mechanism.speeds.len());
        Conversion { convention, rows: joints.map(row).collect(), coordinates, speeds }.placed()
    }

    /// Sets the order of joints in the other library: each with coordinates, once. In Python these
    /// are `list(model.names)[1:]` of Pinocchio and `[model.joint(i).name for i in
    /// range(model.njnt)]` of MuJoCo.
    pub fn order(mut self, joints: &[impl AsRef<str>]) -> Result<Conversion, OrderError> {
        let mut left: Vec<Option<Row>> = self.rows.into_iter().map(Some).collect();
        let at: FxHashMap<String, usize> =
            left.iter().flatten().enumerate().map(|(i, row)| (row.name.clone(), i)).collect();
        let mut rows = Vec::with_capacity(left.len());
        for name in joints.iter().map(AsRef::as_ref) {
            let at = *at.get(name).ok_or_else(|| OrderError::Unknown(name.to_owned()))?;
            rows.push(left[at].take().ok_or_else(|| OrderError::Twice(name.to_owned()))?);
        }
        if let Some(row) = left.into_iter().flatten().next() {
            return Err(OrderError::Missing(row.name));
        }
        self.rows = rows;
        Ok(self.placed())
    }

    /// Names the revolute joints that Pinocchio has as unbounded ones, with a cosine and a sine:
    /// those that are `continuous` in URDF.
    pub fn unbounded(mut self, joints: &[impl AsRef<str>]) -> Result<Conversion, OrderError> {
        for name in joints.iter().map(AsRef::as_ref) {
            let row = self.rows.iter_mut().find(|row| row.name == name);
            let row = row.ok_or_else(|| OrderError::Unknown(name.to_owned()))?;
            let pinocchio = self.convention == Convention::Pinocchio;
            if !pinocchio || row.kind != JointType::Revolute {
                return Err(OrderError::Bounded(name.to_owned()));
            }
            row.map = Map::UnboundedPinocchio;
        }
        Ok(self.placed())
    }

    /// Lays the rows out one behind the other in the other library's vectors.
    fn placed(mut self) -> Conversion {
        let (mut q, mut qd) = (0, 0);
        for row in &mut self.rows {
            row.other_q = q..q + row.q.len() + row.map.more();
            row.other_qd = qd..qd + row.qd.len();
            (q, qd) = (row.other_q.end, row.other_qd.end);
        }
        self
    }

    /// The number of coordinates of the other library: Pinocchio's `nq`, MuJoCo's `nq`.
    pub fn coordinates(&self) -> usize {
        self.rows.last().map_or(0, |row| row.other_q.end)
    }

    /// Rotule's index of each speed of the other library, in its order: a permutation.
    pub fn speeds(&self) -> Vec<usize> {
        self.rows.iter().flat_map(|row| row.qd.clone()).collect()
    }

    /// Coordinates in the other library's convention.
    pub fn q_from_rotule(&self, q: &[f64]) -> Vec<f64> {
        self.convert(Side::Rotule, self.coordinates(), [q], |map, [q], to| match map {
            Map::Same | Map::FreeMujoco => to.copy_from_slice(q),
            Map::SphericalPinocchio => put(to, pinocchio::spherical_q_from_rotule(take(q))),
            Map::FreePinocchio => put(to, pinocchio::free_q_from_rotule(take(q))),
            Map::PlanarPinocchio => put(to, pinocchio::planar_q_from_rotule(take(q))),
            Map::UnboundedPinocchio => put(to, pinocchio::unbounded_q_from_rotule(q[0])),
        })
    }

    /// Coordinates in Rotule's convention. Angles of planar and unbounded joints of Pinocchio are
    /// within ±π.
    pub fn q_to_rotule(&self, other_q: &[f64]) -> Vec<f64> {
        self.convert(Side::Other, self.coordinates, [other_q], |map, [q], to| match map {
            Map::Same | Map::FreeMujoco => to.copy_from_slice(q),
            Map::SphericalPinocchio => put(to, pinocchio::spherical_q_to_rotule(take(q))),
            Map::FreePinocchio => put(to, pinocchio::free_q_to_rotule(take(q))),
            Map::PlanarPinocchio => put(to, pinocchio::planar_q_to_rotule(take(q))),
            Map::UnboundedPinocchio => put(to, [pinocchio::unbounded_q_to_rotule(take(q))]),
        })
    }

    /// Speeds in the other library's convention.
    pub fn qd_from_rotule(&self, q: &[f64], qd: &[f64]) -> Vec<f64> {
        self.convert(Side::Rotule, self.speeds, [q, qd], |map, [q, qd], to| match map {
            Map::FreeMujoco => put(to, mujoco::free_qd_from_rotule(take(q), take(qd))),
            Map::PlanarPinocchio => put(to, pinocchio::planar_qd_from_rotule(take(q), take(qd))),
            _ => to.copy_from_slice(qd),
        })
    }

    /// Speeds in Rotule's convention, from coordinates and speeds of the other library.
    pub fn qd_to_rotule(&self, other_q: &[f64], other_qd: &[f64]) -> Vec<f64> {
        let vectors = [other_q, other_qd];
        self.convert(Side::Other, self.speeds, vectors, |map, [q, qd], to| match map {
            Map::FreeMujoco => put(to, mujoco::free_qd_to_rotule(take(q), take(qd))),
            Map::PlanarPinocchio => put(to, pinocchio::planar_qd_to_rotule(take(q), take(qd))),
            _ => to.copy_from_slice(qd),
        })
    }

    /// Accelerations, which are derivatives of speeds, in the other library's convention.
    pub fn qdd_from_rotule(&self, q: &[f64], qd: &[f64], qdd: &[f64]) -> Vec<f64> {
        let vectors = [q, qd, qdd];
        self.convert(Side::Rotule, self.speeds, vectors, |map, [q, qd, qdd], to| match map {
            Map::FreeMujoco => {
                put(to, mujoco::free_qdd_from_rotule(take(q), take(qd), take(qdd)));
            }
            Map::PlanarPinocchio => {
                put(to, pinocchio::planar_qdd_from_rotule(take(q), take(qd), take(qdd)));
            }
            _ => to.copy_from_slice(qdd),
        })
    }

    /// Accelerations in Rotule's convention, from coordinates, speeds and accelerations of the
    /// other library.
    pub fn qdd_to_rotule(&self, other_q: &[f64], other_qd: &[f64], other_qdd: &[f64]) -> Vec<f64> {
        let vectors = [other_q, other_qd, other_qdd];
        self.convert(Side::Other, self.speeds, vectors, |map, [q, qd, qdd], to| match map {
            Map::FreeMujoco => put(to, mujoco::free_qdd_to_rotule(take(q), take(qd), take(qdd))),
            Map::PlanarPinocchio => {
                put(to, pinocchio::planar_qdd_to_rotule(take(q), take(qd), take(qdd)));
            }
            _ => to.copy_from_slice(qdd),
        })
    }

    /// Efforts in the other library's convention: generalised forces that are conjugate to its
    /// speeds.
    pub fn effort_from_rotule(&self, q: &[f64], effort: &[f64]) -> Vec<f64> {
        // Speeds change axes by a rotation, and so do the forces that are conjugate to them.
        self.qd_from_rotule(q, effort)
    }

    /// Efforts in Rotule's convention, from coordinates and generalised forces of the other
    /// library.
    pub fn effort_to_rotule(&self, other_q: &[f64], other_effort: &[f64]) -> Vec<f64> {
        self.qd_to_rotule(other_q, other_effort)
    }

    /// Converts joint by joint: the first vector has coordinates of a side, the others have speeds.
    /// The last of them is converted, so the result is of its kind.
    #[track_caller]
    fn convert<const N: usize>(
        &self,
        side: Side,
        length: usize,
        vectors: [&[f64]; N],
        each: impl Fn(Map, [&[f64]; N], &mut [f64]),
    ) -> Vec<f64> {
        let coordinates = match side {
            Side::Rotule => self.coordinates,
            Side::Other => self.coordinates(),
        };
        for (index, vector) in vectors.iter().enumerate() {
            let (what, length) =
                if index == 0 { ("coordinates", coordinates) } else { ("speeds", self.speeds) };
            let found = vector.len();
            assert!(
                found == length,
                "expected {length} numbers, one for each of the {what}, found {found}"
            );
        }
        let mut out = vec![0.0; length];
        for row in &self.rows {
            let mut ranges = [[&row.q, &row.qd], [&row.other_q, &row.other_qd]];
            if side == Side::Other {
                ranges.swap(0, 1);
            }
            let [from, to] = ranges;
            let part = std::array::from_fn(|i| &vectors[i][from[i.min(1)].clone()]);
            each(row.map, part, &mut out[to[usize::from(N > 1)].clone()]);
        }
        out
    }
}

/// The side that is converted from.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Rotule,
    Other,
}

/// The numbers of a joint, whose length its type gives.
fn take<const N: usize>(from: &[f64]) -> [f64; N] {
    from.try_into().expect("rows have the lengths of their joints")
}

fn put<const N: usize>(to: &mut [f64], numbers: [f64; N]) {
    to.copy_from_slice(&numbers);
}
