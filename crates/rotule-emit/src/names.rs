//! Identifiers: names of people made into names of a language.
//!
//! A model may call things as it likes. Code has ASCII letters, digits and underscores: Greek
//! letters are spelled out, everything else becomes an underscore; a name that begins with a digit
//! gets an `x` in front, one that is a word of the language an underscore behind, and one that is
//! taken a number. The manual documents this under "Names in generated code".

use rotule_symbolic::greek;
use rustc_hash::FxHashMap;

/// Rules of a language for names.
#[derive(Clone, Copy, Debug)]
pub struct NameRules {
    /// Words that mean something already: keywords and the functions that expressions call.
    pub reserved: &'static [&'static str],
    /// `true` if upper and lower case are the same.
    pub fold_case: bool,
    /// Length of the longest name.
    pub longest: usize,
}

/// Names that are in use, by the rules of a language.
#[derive(Clone, Debug)]
pub struct NameScope {
    rules: NameRules,
    /// Names, folded if need be, and the last number that was put behind each.
    taken: FxHashMap<String, u32>,
}

impl NameScope {
    /// A scope in which nothing but the language's words is taken.
    pub fn new(rules: NameRules) -> NameScope {
        let mut scope = NameScope { rules, taken: FxHashMap::default() };
        for word in rules.reserved {
            scope.taken.insert(scope.key(word), 1);
        }
        scope
    }

    fn key(&self, name: &str) -> String {
        if self.rules.fold_case { name.to_ascii_lowercase() } else { name.to_owned() }
    }

    /// An identifier like `text` that nothing else has.
    pub fn fresh(&mut self, text: &str) -> String {
        // Room for a number of seven digits.
        let mut name = identifier(text);
        name.truncate(self.rules.longest.saturating_sub(8));
        let mut requested = vec![name.clone()];
        if self.rules.reserved.contains(&name.as_str()) {
            requested.push(format!("{name}_"));
        }
        if let Some(free) = requested.into_iter().find(|name| self.is_free(name)) {
            self.take(&free);
            return free;
        }
        let key = self.key(&name);
        let mut number = self.taken.get(&key).copied().unwrap_or(1);
        loop {
            number += 1;
            let numbered = format!("{name}_{number}");
            if self.is_free(&numbered) {
                self.taken.insert(key, number);
                self.take(&numbered);
                return numbered;
            }
        }
    }

    fn is_free(&self, name: &str) -> bool {
        !self.taken.contains_key(&self.key(name))
    }

    /// Takes a name that must be as it is.
    pub fn take(&mut self, name: &str) {
        let key = self.key(name);
        self.taken.entry(key).or_insert(1);
    }
}

/// A text as an identifier, not looked up anywhere.
pub fn identifier(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() {
            name.push(letter);
        } else if let Some(word) = greek(letter) {
            // The shape of a letter is no matter of code.
            name.push_str(word.strip_prefix("var").unwrap_or(word));
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    while name.ends_with('_') {
        name.pop();
    }
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert(0, 'x');
    }
    name
}

/// The letters of recursions: in values' names, in code, in words.
pub const GLOSSARY: &[(&str, &str, &str)] = &[
    ("w", "omega", "angular velocity of a body, in its axes"),
    ("wd", "omega_dot", "angular acceleration of a body, in its axes"),
    ("ww", "omega_squared", "products of the components of omega"),
    ("alpha", "alpha", "acceleration of a body's origin, less gravity, in its axes"),
    ("beta", "beta", "matrix of an angular motion: times a lever, the acceleration it makes"),
    ("F", "force", "force that a joint transmits, in the body's axes"),
    ("L", "torque", "torque that a joint transmits, in the body's axes"),
];

/// The name of a value as words for code: `w[link2].x` is `omega_link2_x`.
pub fn spelled(name: &str) -> String {
    // The opposite of a variable is called after it.
    if let Some(rest) = name.strip_prefix("minus_") {
        return format!("minus_{}", spelled(rest));
    }
    // A number that tells a component from another of the same name says nothing to people.
    let name = match name.rsplit_once('_') {
        Some((front, digits))
            if digits.bytes().all(|byte| byte.is_ascii_digit())
                && front.rfind(']').is_some_and(|at| !front[at..].contains('_')) =>
        {
            front
        }
        _ => name,
    };
    let stem = name.split(['[', '.']).next().unwrap_or(name);
    match GLOSSARY.iter().find(|(letter, ..)| *letter == stem) {
        Some((_, word, _)) if name.len() > stem.len() => format!("{word}{}", &name[stem.len()..]),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: NameRules =
        NameRules { reserved: &["while", "sin"], fold_case: false, longest: 40 };

    #[test]
    fn names_of_people_become_identifiers() {
        let check = |text: &str, expected: &str| assert_eq!(identifier(text), expected);
        check("w[link2].x", "w_link2_x");
        check("front left wheel", "front_left_wheel");
        check("θ1", "theta1");
        check("3dof", "x3dof");
        check("", "x");
        check("___", "x");
        check("été", "t");
        check("关节", "x");
        check("derivative(forward, q)", "derivative_forward_q");
        assert_eq!(spelled("w[link2].x"), "omega[link2].x");
        assert_eq!(spelled("w"), "w");
        assert_eq!(spelled("L[arm_2].z_3"), "torque[arm_2].z");
        assert_eq!(spelled("u[lower]_2"), "u[lower]");
        assert_eq!(spelled("q_2"), "q_2");
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut scope = NameScope::new(RULES);
        assert_eq!(scope.fresh("a b"), "a_b");
        assert_eq!(scope.fresh("a.b"), "a_b_2");
        assert_eq!(scope.fresh("a_b_2"), "a_b_2_2");
        assert_eq!(scope.fresh("while"), "while_");
        assert_eq!(scope.fresh("while"), "while_2");
        let long = "x".repeat(100);
        let (one, two) = (scope.fresh(&long), scope.fresh(&long));
        assert!(one != two && two.len() <= 40);
        let mut folded = NameScope::new(NameRules { fold_case: true, ..RULES });
        assert_eq!(folded.fresh("M"), "M");
        assert_eq!(folded.fresh("m"), "m_2");
        assert_eq!(folded.fresh("WHILE"), "WHILE_2");
    }
}
