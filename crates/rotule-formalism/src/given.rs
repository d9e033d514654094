//! Driven joints whose motion calls functions without code: their coordinates, speeds and
//! accelerations become parameters, so that all else can be evaluated at given values.

use rotule_model::mechanism::{Mechanism, Role};
use rotule_symbolic::{Expr, Node};

/// A mechanism some of whose driven joints are driven at parameters.
pub struct GivenMotions {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// The joints, by their positions.
    pub joints: Vec<usize>,
}

impl GivenMotions {
    /// The joints whose motion has no value otherwise; none if all have.
    pub fn of(mechanism: &Mechanism) -> Option<GivenMotions> {
        let joints: Vec<usize> =
            (0..mechanism.joints.len()).filter(|&at| is_open(mechanism, at)).collect();
        if joints.is_empty() {
            return None;
        }
        let mut mechanism = mechanism.clone();
        for &at in &joints {
            let (q, v) = (&mechanism.joints[at].coordinates, &mechanism.joints[at].speeds);
            let (q, v) = (q.clone(), v.clone());
            let mut parameters = |ending: &str, names: Vec<String>| -> Vec<Expr> {
                let add = |name| mechanism.add_parameter(&format!("{name}.{ending}"), 0.0);
                names.into_iter().map(add).collect()
            };
            let (named_q, named_v): (Vec<String>, Vec<String>) =
                (q.map(|at| format!("{at}.q")).collect(), v.map(|at| format!("{at}.v")).collect());
            let role = Role::Driven {
                q: parameters("given", named_q),
                qd: parameters("given", named_v.clone()),
                qdd: parameters("given.d", named_v),
            };
            mechanism.joints[at].role = role;
        }
        Some(GivenMotions { mechanism, joints })
    }

    /// The numbers of the added parameters, in their order, of those of all joints.
    pub fn numbers(&self, q: &[f64], qd: &[f64], qdd: &[f64]) -> Vec<f64> {
        let joints = self.joints.iter().map(|&at| &self.mechanism.joints[at]);
        let of = |joint: &rotule_model::mechanism::Joint| {
            [&q[joint.coordinates.clone()], &qd[joint.speeds.clone()], &qdd[joint.speeds.clone()]]
                .concat()
        };
        joints.flat_map(of).collect()
    }

    /// The count of the added parameters, which are the last of the mechanism's.
    pub fn added(&self) -> usize {
        let joints = self.joints.iter().map(|&at| &self.mechanism.joints[at]);
        joints.map(|joint| joint.coordinates.len() + 2 * joint.speeds.len()).sum()
    }

    /// The names of the joints.
    pub fn names(&self) -> Vec<String> {
        self.joints.iter().map(|&at| self.mechanism.joints[at].name.clone()).collect()
    }
}

/// Returns `true` if the motion of a joint calls a function without code.
fn is_open(mechanism: &Mechanism, joint: usize) -> bool {
    let Role::Driven { q, qd, qdd } = &mechanism.joints[joint].role else { return false };
    let graph = &mechanism.graph;
    let calls = |expr: Expr| matches!(graph.node(expr), Node::Call(function, _) if !graph.has_code(function));
    graph.reachable(&[&q[..], qd, qdd].concat()).into_iter().any(calls)
}
