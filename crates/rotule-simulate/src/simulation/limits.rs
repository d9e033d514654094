//! Requests that make no sense for any model, and times and angles that rounding swallows: all are
//! refused before anything is computed or written.

use super::{SimulationOptions, form};
use crate::method::Accuracy;
use crate::methods::method;
use crate::run::Samples;
use rotule_formalism::Problem;
use rotule_formalism::units;
use rotule_model::mechanism::Mechanism;
use rotule_numeric::state::StateNumbers;

/// The latest end of a motion in seconds: later, neighbouring times are more than 0.1 s apart.
pub const LATEST: f64 = 1e15;
/// The largest initial angle in radians: beyond, rounding is larger than the default tolerance of a
/// step.
pub const LARGEST_ANGLE: f64 = 1e8;

/// Checks what is requested, without a model.
pub fn check(options: &SimulationOptions) -> Result<(), Problem> {
    check_end(options.to)?;
    match options.accuracy {
        Accuracy::Fixed(step) => check_interval("the step", step, options.to)?,
        Accuracy::Within { relative, absolute } => {
            check_positive("the relative tolerance", relative)?;
            check_positive("the absolute tolerance", absolute)?;
            if relative >= 1.0 {
                let message = format!("the relative tolerance must be below 1, found {relative}");
                return Err(Problem::new(message, "give a number below 1, such as 1e-8"));
            }
        }
    }
    if let Some(longest) = options.max_step {
        check_interval("the longest step", longest, options.to)?;
    }
    if let Samples::Every(every) = options.samples {
        check_interval("the interval of points", every, options.to)?;
    }
    form(options)?;
    // The size of a model does not matter for what is a method.
    let chosen = method(&options.method, options.accuracy, 1);
    chosen.map(drop).map_err(|choice| Problem::new(choice.to_string(), ""))
}

/// Checks the end of a motion.
pub fn check_end(to: f64) -> Result<(), Problem> {
    check_positive("the end of the simulation", to)?;
    match to > LATEST {
        false => Ok(()),
        true => Err(Problem::new(
            format!(
                "the end of the simulation is {} s, and {LATEST:e} s is the latest",
                written(to)
            ),
            "later times are more than 0.1 s apart by rounding: give an earlier end",
        )),
    }
}

/// Checks an interval of time, which must change a time of this size.
pub fn check_interval(what: &str, interval: f64, time: f64) -> Result<(), Problem> {
    check_positive(what, interval)?;
    let least = time.abs() * f64::EPSILON;
    match interval < least {
        false => Ok(()),
        true => Err(Problem::new(
            format!(
                "{what} is {} s, which does not change a time of {} s",
                written(interval),
                written(time)
            ),
            format!("give {least:.1e} s at least"),
        )),
    }
}

/// Checks an initial state: that angles are angles, and that the run can step from its time.
pub fn check_state(
    mechanism: &Mechanism,
    state: &StateNumbers,
    options: &SimulationOptions,
) -> Result<(), Problem> {
    if state.t.abs() > LATEST {
        let message =
            format!("the initial time is {} s, and {LATEST:e} s is the latest", written(state.t));
        return Err(Problem::new(message, "give an earlier time"));
    }
    if let Accuracy::Fixed(step) = options.accuracy {
        check_interval("the step", step, state.t)?;
    }
    check_angles(mechanism, &state.q)
}

/// Checks the size of initial angles.
pub fn check_angles(mechanism: &Mechanism, q: &[f64]) -> Result<(), Problem> {
    let units = units::of_coordinates(mechanism);
    for ((coordinate, q), unit) in mechanism.coordinates.iter().zip(q).zip(units) {
        if unit == "rad" && q.abs() > LARGEST_ANGLE {
            return Err(Problem::new(
                format!(
                    "`{}` is {} rad initially, known only to {:.1e} rad in double precision",
                    coordinate.name,
                    written(*q),
                    q.abs() * f64::EPSILON
                ),
                format!("subtract whole revolutions: the largest angle is {LARGEST_ANGLE:e} rad"),
            ));
        }
    }
    Ok(())
}

/// A number as a person writes it: very large and very small ones with an exponent.
pub fn written(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-4..1e9).contains(&size) || !size.is_finite() => {
            value.to_string()
        }
        _ => format!("{value:e}"),
    }
}

fn check_positive(what: &str, value: f64) -> Result<(), Problem> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => {
            Err(Problem::new(format!("{what} is {}", written(value)), "give a positive number"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_rounding_swallows_are_refused() {
        for (what, sound) in [
            (check_end(1e15), true),
            (check_end(1e308), false),
            (check_end(f64::INFINITY), false),
            (check_interval("the step", 1e-300, 1.0), false),
            (check_interval("the step", 1e-17, 1.0), false),
            (check_interval("the step", 1e-15, 1.0), true),
            (check_interval("the step", 1e-300, 1e-290), true),
            (check_interval("the step", 0.0, 1.0), false),
            (check_interval("the step", f64::NAN, 1.0), false),
        ] {
            assert_eq!(what.is_ok(), sound, "{what:?}");
        }
    }
}
