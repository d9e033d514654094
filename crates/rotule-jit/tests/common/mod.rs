//! Inputs of random tests: anything that a number can be.

use proptest::prelude::*;

/// A number: mostly an ordinary one, now and then any.
pub fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -3.0..3.0,
        1 => prop::num::f64::ANY,
        1 => prop::sample::select(vec![
            0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-310, 1e300,
        ]),
    ]
}
