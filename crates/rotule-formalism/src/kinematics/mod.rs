//! Kinematics of places.

use crate::function::Call;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;

/// `position`
pub fn position(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`position` is not there yet", ""))
}

/// `rotation`
pub fn rotation(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`rotation` is not there yet", ""))
}

/// `velocity`
pub fn velocity(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`velocity` is not there yet", ""))
}

/// `angular_velocity`
pub fn angular_velocity(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`angular_velocity` is not there yet", ""))
}

/// `acceleration`
pub fn acceleration(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`acceleration` is not there yet", ""))
}

/// `angular_acceleration`
pub fn angular_acceleration(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`angular_acceleration` is not there yet", ""))
}

/// `jacobian`
pub fn jacobian(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`jacobian` is not there yet", ""))
}

/// `sensor`
pub fn sensor(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`sensor` is not there yet", ""))
}

/// `kinematics`
pub fn all(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`kinematics` is not there yet", ""))
}
