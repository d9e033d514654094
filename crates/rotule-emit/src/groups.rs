//! Whether parts of a program that are alike are written once: the choice behind [`Size`].

use crate::package::{Package, Part, Size};
use crate::plan::lanes;
use rotule_program::alike::{Alike, Form, Settings, What, alike};

/// The parts of a function that are to be written once for all copies, if there are any.
pub fn groups(package: &Package, part: &Part) -> Option<Alike> {
    // Code for people has a name for each value.
    if package.readable || package.size == Size::Straight {
        return None;
    }
    let found = alike(&part.program, &Settings::default())?;
    (package.size == Size::Small || pays(&found)).then_some(found)
}

/// Whether vectors save more than moving numbers into and out of them costs.
fn pays(found: &Alike) -> bool {
    let (copies, width) = (found.copies as u64, lanes(found.copies) as u64);
    let mut cost = 0;
    for layer in &found.layers {
        let mut gathered: Vec<&What> = Vec::new();
        for tuple in &layer.tuples {
            let (Form::Sum(sources) | Form::Product(sources) | Form::Apply(_, sources)) =
                &tuple.form;
            let each = |what: &What| matches!(what, What::Each(values) if values.iter().any(|v| *v != values[0]));
            gathered.extend(sources.iter().map(|source| &source.what).filter(|what| each(what)));
        }
        // Gathered numbers are mostly constants, which lie ready; what is not costs a load per lane.
        cost += gathered.len() as u64 / 4 * width;
    }
    let saved = found.inside - found.inside / copies;
    saved > 2 * cost && saved * 4 > found.all
}
