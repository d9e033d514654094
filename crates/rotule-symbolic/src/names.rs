//! Names that nothing has: what to say instead.

use crate::nearest;

/// More names than this are not listed.
const MOST: usize = 24;

/// The remedy for a name that is not known: the nearest that is, or all that are.
pub fn likely<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match (nearest(name, known.iter().copied()), &known[..]) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => "there are none".to_owned(),
        (None, [first, ..]) if known.len() > MOST => {
            format!("there are {}, such as `{first}`", known.len())
        }
        (None, _) => format!("there are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::likely;

    #[test]
    fn the_nearest_name_or_all_of_them() {
        assert_eq!(likely("m11", ["m1", "l1"]), "did you mean `m1`?");
        assert_eq!(likely("stiffness", ["m1", "l1"]), "there are m1, l1");
        assert_eq!(likely("m1", []), "there are none");
        let many: Vec<String> = (0..30).map(|number| format!("a{number}")).collect();
        let help = likely("stiffness", many.iter().map(String::as_str));
        assert_eq!(help, "there are 30, such as `a0`");
    }
}
