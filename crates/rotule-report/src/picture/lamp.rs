//! A shadow map: the frame as the lamp sees it, for ground that is no plane (Williams 1978).

use super::raster::scan;
use super::renderer::{Frame, HILLS};
use super::vector::{Vector, besides, dot};

/// Cells along each side of the map.
const CELLS: usize = 1536;
/// A surface is not in its own shadow: the least distance, as a part of the map's side.
const SLACK: f64 = 1e-3;

/// The heights towards the lamp of what is nearest to it, on a map across its light.
pub(super) struct Lamp {
    light: Vector,
    sides: [Vector; 2],
    low: [f64; 2],
    cell: f64,
    heights: Vec<f64>,
}

impl Lamp {
    /// The map of everything but hills.
    pub fn new(frame: &Frame<'_>) -> Lamp {
        let (light, sides) = (frame.light, besides(frame.light));
        let solid = || frame.triangles.iter().filter(|(.., layer)| *layer != HILLS);
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for corner in solid().flat_map(|(triangle, ..)| triangle) {
            for k in 0..2 {
                let at = dot(sides[k], corner.place);
                (low[k], high[k]) = (low[k].min(at), high[k].max(at));
            }
        }
        let size = (high[0] - low[0]).max(high[1] - low[1]);
        let cell = size / (CELLS - 1) as f64;
        let mut heights = Vec::new();
        if cell > 0.0 && cell.is_finite() {
            heights.resize(CELLS * CELLS, f64::NEG_INFINITY);
            for (triangle, ..) in solid() {
                let on_map = triangle.map(|corner| {
                    let at = |k: usize| (dot(sides[k], corner.place) - low[k]) / cell;
                    [at(0), at(1), 1.0]
                });
                let towards = triangle.map(|corner| dot(light, corner.place));
                scan(on_map, CELLS, CELLS, |at, _, shares| {
                    let height = (0..3).map(|k| shares[k] * towards[k]).sum();
                    heights[at] = heights[at].max(height);
                });
            }
        }
        Lamp { light, sides, low, cell, heights }
    }

    /// Returns `true` if something is between a place and the lamp.
    pub fn is_hidden_from(&self, place: Vector) -> bool {
        let at = [0, 1].map(|k| ((dot(self.sides[k], place) - self.low[k]) / self.cell).floor());
        if !at.iter().all(|at| (0.0..CELLS as f64).contains(at)) {
            return false;
        }
        let height = self.heights.get(at[1] as usize * CELLS + at[0] as usize);
        let slack = SLACK * self.cell * CELLS as f64;
        height.is_some_and(|height| *height > dot(self.light, place) + slack)
    }
}
