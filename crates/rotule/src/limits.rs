//! Limits of joints as numbers, for controllers and checks of results.

use crate::error::Error;
use crate::model::Model;

/// Limits of a joint in SI units, as far as the model has them.
///
/// ```
/// let model = rotule::Model::read("arm.urdf", rotule::doc::ARM)?;
/// let elbow = model.limits("elbow")?;
/// assert_eq!((elbow.range, elbow.max_effort), (Some([-3.0, 3.0]), Some(40.0)));
/// assert!(model.limits("elbw").unwrap_err().to_string().contains("did you mean `elbow`?"));
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// The lowest and the highest coordinate.
    pub range: Option<[f64; 2]>,
    /// The largest speed.
    pub max_speed: Option<f64>,
    /// The largest effort.
    pub max_effort: Option<f64>,
}

impl Model {
    /// The limits of a joint. A simulation reports ranges that are left; of the others it takes no
    /// notice.
    pub fn limits(&self, joint: &str) -> Result<Limits, Error> {
        let mechanism = self.mechanism();
        let Some(found) = mechanism.joints.iter().find(|one| one.name == joint) else {
            let names = mechanism.joints.iter().filter(|one| !one.coordinates.is_empty());
            return Err(Error::unknown("joint", joint, names.map(|one| one.name.as_str())));
        };
        let number = |expr| mechanism.evaluate(&[expr])[0];
        Ok(Limits {
            range: found.range.map(|range| range.map(number)),
            max_speed: found.max_speed.map(number),
            max_effort: found.max_effort.map(number),
        })
    }
}
