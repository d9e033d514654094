//! The course of each coordinate in four numbers: where it starts and ends, and how far it goes in
//! between.

use crate::inputs::InputPoint;
use rotule_formalism::units;
use rotule_model::mechanism::Mechanism;

/// A coordinate at the points of a run that are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The name of the coordinate.
    pub name: String,
    /// Its unit; empty for components of quaternions.
    pub unit: String,
    /// The value at the first point.
    pub start: f64,
    /// The value at the last point.
    pub end: f64,
    /// The least value.
    pub least: f64,
    /// The largest value.
    pub largest: f64,
}

/// The numbers of all coordinates so far: start, end, least, largest.
#[derive(Clone, Debug, Default)]
pub struct Courses(Vec<[f64; 4]>);

impl Courses {
    /// Takes a point.
    pub fn push(&mut self, point: &InputPoint) {
        if self.0.is_empty() {
            self.0 = point.q.iter().map(|&q| [q; 4]).collect();
        }
        for ([_, end, least, largest], &q) in self.0.iter_mut().zip(&point.q) {
            (*end, *least, *largest) = (q, least.min(q), largest.max(q));
        }
    }

    /// The courses with the names of a mechanism.
    pub fn named(&self, mechanism: &Mechanism) -> Vec<Course> {
        let units = units::of_coordinates(mechanism);
        let named = mechanism.coordinates.iter().zip(units).zip(&self.0);
        named
            .map(|((coordinate, unit), &[start, end, least, largest])| Course {
                name: coordinate.name.clone(),
                unit: unit.to_owned(),
                start,
                end,
                least,
                largest,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_numbers_of_each_coordinate() {
        let mut courses = Courses::default();
        for (t, q) in [(0.0, 1.0), (1.0, -2.0), (2.0, 5.0), (3.0, 0.5)] {
            courses.push(&InputPoint::new(t, vec![q, 7.0], vec![0.0; 2], Vec::new()));
        }
        assert_eq!(courses.0, [[1.0, 0.5, -2.0, 5.0], [7.0; 4]]);
    }
}
