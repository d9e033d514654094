//! Linkages with closed forms: positions of all links as functions of the input link, in jets.
//!
//! Each formula is derived from the geometry beside it, never from the equations that are tested. Angles go on
//! continuously over any number of turns: an angle that makes full turns is the input plus a bounded angle.

use super::jet::Jet;

/// Names of coordinates and what they must be.
pub type Answer = Vec<(&'static str, Jet)>;

/// The output angle of a Hooke joint whose shafts make an angle: `tan(out) = tan(input) / cos(angle)` (Hooke 1676;
/// Hartenberg and Denavit 1964), with the tangent of the difference so that turns are counted.
pub fn hooke(angle: f64, input: Jet) -> Jet {
    let (sin, cos) = (input.sin(), input.cos());
    let across = (1.0 - angle.cos()) * (sin * cos);
    input + Jet::atan2(across, angle.cos() * (cos * cos) + sin * sin)
}

/// Rod angle relative to the crank, and piston position, of a slider-crank: the rod's end stays on the line `y = offset`.
/// `side` is 1 with the piston ahead of the crank pin and -1 behind it.
pub fn slider_crank(crank: f64, rod: f64, offset: f64, side: f64, input: Jet) -> [Jet; 2] {
    let rise = Jet::constant(offset) - crank * input.sin();
    let reach = side * (Jet::constant(rod * rod) - rise * rise).sqrt();
    // For a rod that points backwards the angle is counted from there: it would pass half a turn otherwise.
    let lean = side * Jet::atan2(rise, side * reach);
    let back = if side > 0.0 { 0.0 } else { std::f64::consts::PI };
    [Jet::constant(back) + lean - input, crank * input.cos() + reach]
}
