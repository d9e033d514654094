//! The integration of the motions of a study: the method and its steps.

use super::StudyOptions;
use rotule_formalism::Problem;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::{METHODS, SECOND_ORDER, canonical_method, method};
use rotule_simulate::simulation::limits;

/// The method of a study that names none.
const DEFAULT: &str = "rk4";

/// Explicit methods: with steps of one length their operations are the same for all motions, so
/// that several go side by side.
const EXPLICIT: &[&str] = &["rk4", "euler", "dormand-prince", "dop853"];

/// The longest step that is chosen without being requested, and the fewest steps.
const LONGEST: f64 = 1e-3;
const FEWEST: f64 = 1000.0;

/// The length of steps if none is given: a millisecond, or a thousandth of a motion that is shorter
/// than a second.
pub fn default_step(to: f64) -> f64 {
    LONGEST.min(to / FEWEST)
}

/// A method with its steps or tolerances.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The name of the method.
    pub method: String,
    /// Its steps or tolerances.
    pub accuracy: Accuracy,
}

impl StudyOptions {
    /// The method and its accuracy: `rk4` unless another is named; steps of the given length, or of
    /// [`default_step`] if the method cannot choose them by the tolerances.
    pub fn plan(&self) -> Plan {
        let name = self.method.as_deref().filter(|name| *name != "auto").unwrap_or(DEFAULT);
        let known = canonical_method(name);
        let mut all = METHODS.iter().chain(SECOND_ORDER);
        // A number behind the name, as in `hht=0.1`, is the method's own.
        let entry = all.find(|one| Some(one.name) == known.split('=').next());
        let (relative, absolute) = self.tolerance;
        let accuracy = match self.step {
            Some(step) => Accuracy::Fixed(step),
            None if entry.is_some_and(|one| one.fixed) => Accuracy::Fixed(default_step(self.to)),
            None => Accuracy::Within { relative, absolute },
        };
        Plan { method: name.to_owned(), accuracy }
    }
}

impl Plan {
    /// Returns `true` if several motions can go side by side.
    pub fn in_lanes(&self) -> bool {
        let name = canonical_method(&self.method);
        EXPLICIT.contains(&name.as_str()) && matches!(self.accuracy, Accuracy::Fixed(_))
    }

    /// Checks that there is such a method, and that it can do that until a time.
    pub(super) fn check(&self, to: f64) -> Result<(), Problem> {
        if let Accuracy::Fixed(step) = self.accuracy {
            limits::check_interval("the step", step, to)?;
        }
        let made = method(&self.method, self.accuracy, 1);
        made.map(drop).map_err(|choice| Problem::new(choice.to_string(), ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(to: f64, step: Option<f64>, method: Option<&str>) -> Plan {
        let options = StudyOptions {
            to,
            step,
            method: method.map(str::to_owned),
            tolerance: (1e-8, 1e-10),
            vary: Vec::new(),
            measure: Vec::new(),
            samples: None,
            seed: 0,
            threads: 1,
            signals: Vec::new(),
        };
        options.plan()
    }

    #[test]
    fn every_method_has_steps_or_tolerances() {
        let fixed = Accuracy::Fixed;
        for (to, step, name, expected, lanes) in [
            (5.0, None, None, fixed(1e-3), true),
            (0.1, None, None, fixed(1e-4), true),
            (5.0, Some(0.01), None, fixed(0.01), true),
            (5.0, Some(0.01), Some("rk4"), fixed(0.01), true),
            (5.0, None, Some("euler"), fixed(1e-3), true),
            (5.0, None, Some("hht=0.1"), fixed(1e-3), false),
            (5.0, Some(0.01), Some("dop853"), fixed(0.01), true),
            (5.0, Some(0.01), Some("radau"), fixed(0.01), false),
        ] {
            let found = plan(to, step, name);
            assert_eq!((found.accuracy, found.in_lanes()), (expected, lanes), "{name:?}");
            assert!(found.check(to).is_ok());
        }
        for one in METHODS.iter().chain(SECOND_ORDER) {
            let found = plan(1.0, None, Some(one.name));
            assert!(found.check(1.0).is_ok(), "{}", one.name);
            assert_eq!(matches!(found.accuracy, Accuracy::Within { .. }), !one.fixed);
        }
        assert!(plan(1.0, None, Some("leapfrog")).check(1.0).is_err());
    }
}
