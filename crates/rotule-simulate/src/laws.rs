//! Laws that a library's user gives as closures.

use rotule_program::{Externals, ForeignSignature};

/// Closures by the names of the model's external functions.
///
/// ```
/// use rotule_simulate::laws::Laws;
///
/// let laws = Laws::new().with("motor", |given, found| found[0] = 2.0 * (given[0] - given[1]));
/// ```
#[derive(Default)]
pub struct Laws(Vec<(String, Law)>);

/// Takes the arguments of a call and writes its results.
type Law = Box<dyn FnMut(&[f64], &mut [f64]) + Send>;

impl Laws {
    /// No laws: a function that is not given has no value.
    pub fn new() -> Laws {
        Laws::default()
    }

    /// One more law.
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<String>,
        law: impl FnMut(&[f64], &mut [f64]) + Send + 'static,
    ) -> Laws {
        self.0.push((name.into(), Box::new(law)));
        self
    }
}

impl Externals for Laws {
    fn call(&mut self, function: &ForeignSignature, arguments: &[f64], results: &mut [f64]) {
        match self.0.iter_mut().find(|(name, _)| *name == function.name) {
            Some((_, law)) => law(arguments, results),
            None => results.fill(f64::NAN),
        }
    }
}
