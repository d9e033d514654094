//! First-order equations `y' = f(t, y)` as the methods see them, and why an evaluation can fail.

use crate::second_order::Constrained;
use std::fmt;

/// Equations to integrate.
pub trait Ode {
    /// The number of states.
    fn size(&self) -> usize;

    /// `f(t, y)`.
    fn rates(&mut self, t: f64, y: &[f64], rates: &mut [f64]) -> Result<(), Fault>;

    /// Moves the end of a step to where states belong, as quaternions to unit length, so that the
    /// rates there are those of the next step.
    fn settle(&self, _y: &mut [f64]) {}

    /// `df/dy`, dense by rows. False if the equations have no derivatives of their own: the
    /// method then takes differences.
    fn derivatives(&mut self, _t: f64, _y: &[f64], _by_state: &mut [f64]) -> Result<bool, Fault> {
        Ok(false)
    }

    /// The equations in their second-order form with constraints, if they have one; the state then
    /// is all coordinates and all speeds.
    fn constrained(&mut self) -> Option<&mut dyn Constrained> {
        None
    }

    /// Number of states at the beginning that are coordinates; speeds and others follow. Zero if
    /// there is no such order.
    fn coordinates(&self) -> usize {
        0
    }

    /// Returns `true` if a state is an angle that means the same after a whole turn. Its error then
    /// is no better for its being large.
    fn turns(&self, _state: usize) -> bool {
        false
    }

    /// Returns `true` if a state follows from the others, as a dependent coordinate does: the
    /// equations take it for a guess, and its error counts apart from that of the others.
    fn follows(&self, _state: usize) -> bool {
        false
    }

    /// Returns `true` if the error of a state chooses the steps. That of a state on which no rate
    /// depends, such as a work, need not.
    fn counts(&self, _state: usize) -> bool {
        true
    }

    /// The usual size of a state, for tolerances and differences.
    fn scale(&self, _state: usize) -> f64 {
        1.0
    }
}

/// The result of an evaluation.
pub type Evaluated = Result<(), Fault>;

/// Why equations have no value at some point. A method that chooses its step tries a shorter one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// A number that is not finite, with the name of what it is.
    NotFinite(String),
    /// A loop that did not close, with the name of its iteration.
    NotClosed(String),
    /// A loop that would jump to another way of closing, with the name of one of its constraints.
    NotFollowed(String),
    /// Events without end, in words.
    Endless(String),
    /// A law that switches to and fro without time in between, with what it compares to zero.
    Chatter(String),
    /// An event that sets what cannot be set, in words.
    NoEffect(String),
    /// An input beyond its limits, in words.
    Beyond(String),
    /// More steps than are allowed, with how many these are.
    TooManySteps(u64),
    /// A linear system of the method itself, or of the mechanism, has no solution.
    Singular(String),
    /// The method takes equations of second order with constraints, and these are of first order.
    Order,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotFinite(what) => write!(f, "{what} is not finite"),
            Fault::NotClosed(region) => write!(f, "`{region}` does not converge"),
            Fault::NotFollowed(row) => {
                write!(f, "the loop of `{row}` cannot be followed")
            }
            Fault::Endless(what) | Fault::NoEffect(what) | Fault::Beyond(what) => f.write_str(what),
            Fault::Chatter(compared) => write!(
                f,
                "a law chatters: it switches back and forth where `{compared}` passes zero, without time in between; write dry friction as `stick_slip(..)` or `coulomb(..)`, and give a controller that switches a hysteresis"
            ),
            Fault::TooManySteps(most) => {
                write!(
                    f,
                    "the limit of {most} steps is reached; raise it with --max-steps, or use longer steps"
                )
            }
            Fault::Singular(what) => write!(f, "{what} is singular"),
            Fault::Order => write!(f, "the equations have no form of second order"),
        }
    }
}
