//! The places of outputs in the functions that a run evaluates, from the table of functions: an
//! output that a function does not have is an error of compilation.

use rotule_formalism::function::{FunctionKind, OutputRow, outputs};

const fn place(function: FunctionKind, output: &OutputRow) -> usize {
    function.row().position(output)
}

/// The only output of a function.
pub(crate) const ONLY: usize = 0;

/// Outputs of `constraints`.
pub(crate) mod constraints {
    use super::{FunctionKind::Constraints, outputs, place};

    /// The residuals h of the positions.
    pub(crate) const RESIDUALS: usize = place(Constraints, &outputs::RESIDUALS);
    /// The Jacobian J.
    pub(crate) const JACOBIAN: usize = place(Constraints, &outputs::CONSTRAINT_JACOBIAN);
    /// The rates e of what depends on time.
    pub(crate) const EXPLICIT: usize = place(Constraints, &outputs::EXPLICIT_RATES);
}

/// Outputs of `motion`.
pub(crate) mod motion {
    use super::{FunctionKind::Motion, outputs, place};

    /// Coordinates, their loops closed.
    pub(crate) const Q: usize = place(Motion, &outputs::COORDINATES);
    /// Speeds.
    pub(crate) const QD: usize = place(Motion, &outputs::SPEEDS);
    /// Derivatives of the coordinates.
    pub(crate) const QDOT: usize = place(Motion, &outputs::COORDINATE_RATES);
    /// Accelerations.
    pub(crate) const QDD: usize = place(Motion, &outputs::ACCELERATIONS);
    /// Rates of the states besides.
    pub(crate) const RATE: usize = place(Motion, &outputs::STATE_RATES);
}

/// Outputs of `all_coordinates`, by the letters of their equations.
pub(crate) mod all_coordinates {
    use super::{FunctionKind::AllCoordinates, outputs, place};

    pub(crate) const M: usize = place(AllCoordinates, &outputs::MASS);
    pub(crate) const C: usize = place(AllCoordinates, &outputs::BIAS);
    pub(crate) const Q: usize = place(AllCoordinates, &outputs::APPLIED);
    pub(crate) const H: usize = place(AllCoordinates, &outputs::RESIDUALS);
    pub(crate) const J: usize = place(AllCoordinates, &outputs::CONSTRAINT_JACOBIAN);
    pub(crate) const E: usize = place(AllCoordinates, &outputs::EXPLICIT_RATES);
    pub(crate) const B: usize = place(AllCoordinates, &outputs::CONSTRAINT_BIAS);
}

/// Outputs of `events`.
pub(crate) mod events {
    use super::{FunctionKind::Events, outputs, place};

    /// Conditions.
    pub(crate) const CONDITIONS: usize = place(Events, &outputs::CONDITIONS);
    /// Numbers that actions use.
    pub(crate) const VALUES: usize = place(Events, &outputs::EVENT_VALUES);
}

/// Outputs of `actuation`; its derivatives have theirs in the same order.
pub(crate) mod actuation {
    use super::{FunctionKind::Actuation, outputs, place};

    /// The generalised forces Psi.
    pub(crate) const DEMAND: usize = place(Actuation, &outputs::DEMAND);
}

/// Outputs of `tangent`.
pub(crate) mod tangent {
    use super::{FunctionKind::Tangent, outputs, place};

    /// The matrix G.
    pub(crate) const DAMPING: usize = place(Tangent, &outputs::DAMPING);
    /// The matrix K.
    pub(crate) const STIFFNESS: usize = place(Tangent, &outputs::STIFFNESS);
}

/// Outputs of `wheel`.
pub(crate) mod wheel {
    use super::{FunctionKind::Wheel, outputs, place};

    /// The force along forward, left and normal; also the number of its first component, because
    /// all outputs before it are single numbers.
    pub(crate) const FORCE: usize = place(Wheel, &outputs::CONTACT_FORCE);
}
