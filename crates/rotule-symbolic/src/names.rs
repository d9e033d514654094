//! Names that nothing has: what to say instead.

use crate::nearest;
use std::collections::HashSet;

/// More names than this are not listed; these are shown of them.
const MOST: usize = 24;
const FEW: usize = 3;

/// The remedy for a name that is not known: the nearest known name, or the names that are expected.
pub fn likely<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    // A joint and its only coordinate have one name: it is offered once.
    let mut seen = HashSet::new();
    let known: Vec<&str> = known.into_iter().filter(|name| seen.insert(*name)).collect();
    match nearest(name, known.iter().copied()) {
        Some(near) => did_you_mean(near),
        None => expected_one_of(&known),
    }
}

/// The remedy that offers one name.
pub fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// The remedy that offers all names, or the first few of many.
pub fn expected_one_of(known: &[&str]) -> String {
    match known {
        [] => "none is defined".to_owned(),
        [one] => format!("expected {one}"),
        many if many.len() > MOST => {
            format!("expected one of {} names, such as {}", many.len(), many[..FEW].join(", "))
        }
        many => format!("expected one of {}", many.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::likely;

    #[test]
    fn the_nearest_name_or_all_of_them() {
        assert_eq!(likely("m11", ["m1", "l1"]), "did you mean `m1`?");
        assert_eq!(likely("stiffness", ["m1", "l1"]), "expected one of m1, l1");
        assert_eq!(likely("stiffness", ["q1", "q2", "q1", "q2"]), "expected one of q1, q2");
        assert_eq!(likely("m1", []), "none is defined");
        assert_eq!(likely("stiffness", ["m1"]), "expected m1");
        let many: Vec<String> = (0..30).map(|number| format!("a{number}")).collect();
        let help = likely("stiffness", many.iter().map(String::as_str));
        assert_eq!(help, "expected one of 30 names, such as a0, a1, a2");
    }
}
