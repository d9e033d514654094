//! Where watched quantities may change their sign within a step.
//!
//! Each is known at the ends of the step and at four points between. Where neighbours have opposite
//! signs there is a crossing. Where they have not, the polynomial through all six shows how near to
//! zero the quantity comes; if that is near, its extremum is searched, so that a quantity that
//! touches the other side for a moment is found, too.

use rotule_symbolic::elementary::{cos, powi};
use std::f64::consts::PI;

/// Points between the ends of a step at which quantities are known.
pub(crate) const INNER: usize = 4;
/// Points with the ends.
const POINTS: usize = INNER + 2;
/// The polynomial is looked at in so many places between neighbouring points.
const FINE: usize = 6;
/// Further places, ever closer to each other, towards each end of the step.
const NARROW: usize = 20;
/// An extremum is searched if the polynomial comes to zero nearer than this part of its range.
const NEAR: f64 = 0.1;
/// Evaluations that an extremum may take.
const TRIES: usize = 24;

/// The points of a step of length one: those of Chebyshev's polynomials, between which an
/// interpolation is best.
pub(crate) fn points() -> [f64; POINTS] {
    std::array::from_fn(|at| match at {
        0 => 0.0,
        _ if at == POINTS - 1 => 1.0,
        _ => 0.5 - 0.5 * cos(PI * at as f64 / (POINTS - 1) as f64),
    })
}

/// Where a quantity that is positive at all points may be least: a place of the step with its
/// neighbours, from the left, where the polynomial through the points comes near zero.
pub(crate) fn dips(values: [f64; POINTS]) -> Vec<[f64; 3]> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = most - least;
    if !range.is_finite() || range == 0.0 {
        return Vec::new();
    }
    // Far from zero for all that is known.
    if least > range {
        return Vec::new();
    }
    let nodes = points();
    let mut fine: Vec<(f64, f64)> = Vec::with_capacity(FINE * POINTS + 2 * NARROW);
    for at in 0..POINTS - 1 {
        fine.push((nodes[at], values[at]));
        let width = nodes[at + 1] - nodes[at];
        let mut between = |x: f64| fine.push((x, interpolate(&nodes, &values, x)));
        // Behind a switch, and before the next, a step may be far too long for what is near its
        // ends.
        let narrow = |part: usize| width / FINE as f64 * powi(0.5, part as i32);
        if at == 0 {
            (1..=NARROW).rev().for_each(|part| between(narrow(part)));
        }
        (1..FINE).for_each(|part| between(nodes[at] + width * part as f64 / FINE as f64));
        if at == POINTS - 2 {
            (1..=NARROW).for_each(|part| between(1.0 - narrow(part)));
        }
    }
    fine.push((1.0, values[POINTS - 1]));
    let lowest = |three: &&[(f64, f64)]| {
        three[1].1 <= three[0].1 && three[1].1 < three[2].1 && three[1].1 < NEAR * range
    };
    fine.windows(3).filter(lowest).map(|three| [three[0].0, three[1].0, three[2].0]).collect()
}

/// The error by rounding of a quantity that has these values.
pub(crate) fn rounding(values: &[f64]) -> f64 {
    1e-14 * values.iter().fold(0.0_f64, |most, value| most.max(value.abs()))
}

/// The polynomial through some points, by Neville's scheme.
fn interpolate(nodes: &[f64; POINTS], values: &[f64; POINTS], x: f64) -> f64 {
    let mut rows = *values;
    for level in 1..POINTS {
        for at in 0..POINTS - level {
            let (left, right) = (nodes[at], nodes[at + level]);
            rows[at] = ((x - left) * rows[at + 1] - (x - right) * rows[at]) / (right - left);
        }
    }
    rows[0]
}

/// Finds a place where a quantity is negative, between places around its least value: parabolas
/// through three points, with golden sections where these do not help. None if it stays positive
/// but for its rounding.
pub(crate) fn descend<E>(
    [mut low, mut middle, mut high]: [f64; 3],
    rounding: f64,
    mut value: impl FnMut(f64) -> Result<f64, E>,
) -> Result<Option<f64>, E> {
    const GOLDEN: f64 = 0.381_966_011_250_105_1;
    let mut f_middle = value(middle)?;
    if f_middle < -rounding {
        return Ok(Some(middle));
    }
    let (mut f_low, mut f_high) = (value(low)?, value(high)?);
    for _ in 0..TRIES {
        let width = high - low;
        if width <= 1e-9 * middle.min(1.0 - middle) {
            break;
        }
        let (a, b) = ((middle - low) * (f_middle - f_high), (middle - high) * (f_middle - f_low));
        let shift = ((middle - low) * a - (middle - high) * b) / (2.0 * (a - b));
        let guess = middle - shift;
        // The parabola must lead inside, and not to where it stands already.
        let good = guess > low && guess < high && (guess - middle).abs() > 1e-4 * width;
        let x = if good {
            guess
        } else if high - middle > middle - low {
            middle + GOLDEN * (high - middle)
        } else {
            middle - GOLDEN * (middle - low)
        };
        let f = value(x)?;
        if f < -rounding {
            return Ok(Some(x));
        }
        let (inner, outer) = if x < middle { (x, middle) } else { (middle, x) };
        let (f_inner, f_outer) = if x < middle { (f, f_middle) } else { (f_middle, f) };
        if f_inner <= f_outer {
            (high, f_high) = (outer, f_outer);
            (middle, f_middle) = (inner, f_inner);
        } else {
            (low, f_low) = (inner, f_inner);
            (middle, f_middle) = (outer, f_outer);
        }
        // What is left to gain is at most what the last parabola spans.
        if f_low - f_middle < 1e-14 * f_low.abs() && f_high - f_middle < 1e-14 * f_high.abs() {
            break;
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::{descend, dips, points, rounding};

    fn found(quantity: impl Fn(f64) -> f64) -> Option<f64> {
        let values = points().map(&quantity);
        assert!(values.iter().all(|value| *value > 0.0), "{values:?}");
        let places = dips(values).into_iter();
        let value = |x: f64| Ok::<_, ()>(quantity(x));
        places.filter_map(|dip| descend(dip, rounding(&values), value).expect("values")).next()
    }

    #[test]
    fn a_quantity_below_zero_between_all_points_is_found() {
        for centre in [0.03, 0.2, 0.5, 0.77, 0.97] {
            for depth in [1e-2, 1e-4, 1e-8, 1e-11] {
                // A parabola, and a part of an oscillation.
                let at = found(|x| (x - centre) * (x - centre) * 30.0 - depth);
                let at = at.unwrap_or_else(|| panic!("{centre} {depth}"));
                assert!((at - centre).abs() <= (depth / 30.0).sqrt());
                let depth = (1e-2 * depth).max(1e-12);
                found(|x| 1.0 - (1.2 * (x - centre)).cos() - depth).expect("an oscillation");
            }
        }
    }

    #[test]
    fn a_short_arc_at_an_end_of_a_step_is_found() {
        for short in [1e-2, 1e-4, 1e-6] {
            let arc = |x: f64| (x - short) * (x - 3.0 * short) - 0.1 * short * short;
            let at = found(arc).expect("at the beginning");
            assert!((at / short - 2.0).abs() < 2.0, "{at} {short}");
            let at = found(|x| arc(1.0 - x)).expect("at the end");
            assert!(((1.0 - at) / short - 2.0).abs() < 2.0, "{at} {short}");
        }
    }

    #[test]
    fn a_quantity_that_stays_above_zero_is_not_found() {
        for height in [1e-2, 1e-6, 1e-10] {
            assert_eq!(found(|x| (x - 0.3) * (x - 0.3) + height), None);
        }
        assert_eq!(found(|x| 1.0 + x), None);
    }
}
