//! Centre of mass, momentum, energies and power.

use crate::function::Call;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;

/// `com`
pub fn com(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`com` is not there yet", ""))
}

/// `com_velocity`
pub fn com_velocity(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`com_velocity` is not there yet", ""))
}

/// `momentum`
pub fn momentum(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`momentum` is not there yet", ""))
}

/// `kinetic_energy`
pub fn kinetic(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`kinetic_energy` is not there yet", ""))
}

/// `potential_energy`
pub fn potential(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`potential_energy` is not there yet", ""))
}

/// `power`
pub fn power(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`power` is not there yet", ""))
}
