//! Triangles while a file is read: corners as they come, checked against the limits.

use crate::error::Fault;
use crate::read::{MAX_COORDINATE, MAX_TRIANGLES};
use crate::{Affine, Mesh};

/// Triangles while a file is read.
#[derive(Default)]
pub(crate) struct Soup {
    pub vertices: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// Notes on the parts that were left out.
    pub notes: Vec<String>,
}

impl Soup {
    /// Adds a corner, which must be finite and of a sensible size.
    pub fn vertex(&mut self, place: impl Fn() -> String, point: [f64; 3]) -> Result<u32, Fault> {
        for x in point {
            if !x.is_finite() {
                return Err(Fault::broken(place(), "a coordinate is not a finite number"));
            }
            if x.abs() > MAX_COORDINATE {
                let message = format!("the coordinate {x:e} m is beyond {MAX_COORDINATE:e} m");
                return Err(Fault::new(place(), message, "check the units and the scale"));
            }
        }
        if self.vertices.len() >= 3 * MAX_TRIANGLES {
            return Err(too_many(place()));
        }
        self.vertices.push(point);
        Ok(self.vertices.len() as u32 - 1)
    }

    /// Adds a polygon as a fan around its first corner. For a plane polygon the mass properties are
    /// those of the polygon, convex or not: triangles of the fan that overlap cancel.
    pub fn polygon(&mut self, place: impl Fn() -> String, corners: &[u32]) -> Result<(), Fault> {
        for pair in corners.get(1..).unwrap_or_default().windows(2) {
            self.triangle(&place, [corners[0], pair[0], pair[1]])?;
        }
        Ok(())
    }

    /// Adds a triangle.
    pub fn triangle(&mut self, place: impl Fn() -> String, t: [u32; 3]) -> Result<(), Fault> {
        if self.triangles.len() >= MAX_TRIANGLES {
            return Err(too_many(place()));
        }
        self.triangles.push(t);
        Ok(())
    }

    /// Adds a copy of other triangles in another place.
    pub fn copy(
        &mut self,
        place: impl Fn() -> String,
        other: &Soup,
        placement: &Affine,
    ) -> Result<(), Fault> {
        if self.triangles.len() + other.triangles.len() > MAX_TRIANGLES {
            return Err(too_many(place()));
        }
        let offset = self.vertices.len() as u32;
        for vertex in &other.vertices {
            self.vertex(&place, placement.point(*vertex))?;
        }
        let mirrored = placement.mirrors();
        for [a, b, c] in &other.triangles {
            let [b, c] = if mirrored { [c, b] } else { [b, c] };
            self.triangles.push([a + offset, b + offset, c + offset]);
        }
        Ok(())
    }

    /// The mesh.
    pub fn mesh(&self) -> Mesh {
        Mesh::weld(&self.vertices, &self.triangles)
    }
}

fn too_many(place: String) -> Fault {
    let message = format!("the file has more than {MAX_TRIANGLES} triangles");
    Fault::new(place, message, "decimate it in the program that exported it")
}
