//! The comparisons, as data: our functions on one side, those of other codes on the other.
//!
//! A comparison names results, in an order that all sides keep: dense, by rows, in the model's
//! order. We may get them in several ways, each of which is timed; so may the others.

/// Results that several codes can give.
#[derive(Clone, Copy, Debug)]
pub struct BenchComparison {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its title in tables.
    pub title: &'static str,
    /// Our ways to the results.
    pub ours: &'static [BenchVariant],
    /// The names of other codes for theirs.
    pub peers: &'static [(Peer, &'static str)],
    /// The third argument of such functions, after coordinates and speeds.
    pub third: Third,
}

/// One way to the results of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct BenchVariant {
    /// The word that tells it apart from others.
    pub word: &'static str,
    /// The functions, called one after the other.
    pub functions: &'static [&'static str],
    /// Their outputs that are the results, in order.
    pub outputs: &'static [&'static str],
}

/// The third argument of a function, after coordinates and speeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Third {
    /// Accelerations.
    Accelerations,
    /// Efforts.
    Efforts,
    /// Nothing, nor speeds.
    Nothing,
}

/// Another code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Peer {
    /// C that CasADi writes of Pinocchio's algorithms.
    CasAdi,
    /// Pinocchio's own code.
    Pinocchio,
    /// MuJoCo's library.
    MuJoCo,
}

impl Peer {
    /// Every peer with its name on the command line and in tables.
    pub const ALL: [(Peer, &'static str, &'static str); 3] = [
        (Pinocchio, "pinocchio", "Pinocchio"),
        (CasAdi, "casadi", "CasADi C"),
        (MuJoCo, "mujoco", "MuJoCo"),
    ];

    /// Its name in tables.
    pub fn title(self) -> &'static str {
        Peer::ALL.iter().find(|row| row.0 == self).expect("ALL is complete").2
    }
}

use Peer::{CasAdi, MuJoCo, Pinocchio};

/// Comparisons that are made unless functions are named.
pub const COMPARISONS: &[BenchComparison] = &[
    BenchComparison {
        name: "inverse",
        title: "inverse dynamics",
        ours: &[BenchVariant { word: "", functions: &["inverse"], outputs: &["effort"] }],
        peers: &[(CasAdi, "inverse"), (Pinocchio, "inverse"), (MuJoCo, "inverse")],
        third: Third::Accelerations,
    },
    BenchComparison {
        name: "mass",
        title: "mass matrix",
        ours: &[BenchVariant { word: "", functions: &["mass"], outputs: &["M"] }],
        peers: &[
            (CasAdi, "mass"),
            (CasAdi, "mass_local"),
            (Pinocchio, "mass"),
            (Pinocchio, "mass_local"),
            (MuJoCo, "mass"),
        ],
        third: Third::Nothing,
    },
    BenchComparison {
        name: "forward",
        title: "forward dynamics",
        ours: &[BenchVariant { word: "", functions: &["forward"], outputs: &["qdd"] }],
        peers: &[
            (CasAdi, "forward"),
            (Pinocchio, "forward"),
            (Pinocchio, "forward_world"),
            (MuJoCo, "forward"),
        ],
        third: Third::Efforts,
    },
    BenchComparison {
        name: "inverse_derivatives",
        title: "inverse dynamics by q and qd",
        ours: &[
            BenchVariant { word: "at once", functions: &["tangent"], outputs: &["K", "G"] },
            BenchVariant {
                word: "one by one",
                functions: &["derivative(inverse,q)", "derivative(inverse,qd)"],
                outputs: &["effort_by_q", "effort_by_qd"],
            },
        ],
        peers: &[
            (CasAdi, "inverse_derivatives"),
            (CasAdi, "inverse_ad"),
            (Pinocchio, "inverse_derivatives"),
        ],
        third: Third::Accelerations,
    },
    BenchComparison {
        name: "forward_derivatives",
        title: "forward dynamics by q and qd",
        ours: &[
            BenchVariant {
                word: "at once",
                functions: &["forward_tangent"],
                outputs: &["qdd_by_q", "qdd_by_qd"],
            },
            BenchVariant {
                word: "one by one",
                functions: &["derivative(forward,q)", "derivative(forward,qd)"],
                outputs: &["qdd_by_q", "qdd_by_qd"],
            },
        ],
        peers: &[
            (CasAdi, "forward_derivatives"),
            (CasAdi, "forward_ad"),
            (Pinocchio, "forward_derivatives"),
        ],
        third: Third::Efforts,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (at, one) in COMPARISONS.iter().enumerate() {
            assert!(COMPARISONS[..at].iter().all(|other| other.name != one.name), "{}", one.name);
            assert!(
                one.ours.iter().all(|way| !way.functions.is_empty() && !way.outputs.is_empty())
            );
        }
    }
}
