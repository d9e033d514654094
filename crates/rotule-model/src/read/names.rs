//! Foreign names made fit for expressions.
//!
//! Other formats allow blanks, hyphens and dots in names, and names such as `sin`; here they meet
//! in expressions. A name that cannot stand there is changed and the user told; names that can
//! stand keep theirs, whatever the others become.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, short};
use crate::draft::Text;
use crate::limits;
use crate::resolve::is_plain;
use crate::source::{Span, Spanned};

/// Words that no coordinate may be called, because laws mean something else by them.
pub(crate) const COORDINATE_WORDS: &[&str] = &["t", "q", "qd", "deg"];
/// Words that no body may be called.
pub(crate) const BODY_WORDS: &[&str] = &["ground"];

/// New names of one kind of thing by their old ones.
#[derive(Default)]
pub(crate) struct Names {
    new: FxHashMap<String, String>,
    taken: FxHashSet<String>,
}

impl Names {
    /// Finds names for all things of a kind. The kind is the word in messages: `link`, `joint`.
    /// Two things of the same old name keep the same: that is for the checks to find.
    pub fn of(kind: &str, old: &[Text], words: &[&str], out: &mut Diagnostics) -> Names {
        let mut names = Names::default();
        names.taken.extend(words.iter().map(|word| (*word).to_owned()));
        let fits = |name: &str| fits(name) && !words.contains(&name);
        for name in old.iter().filter(|name| fits(&name.value)) {
            names.taken.insert(name.value.clone());
            names.new.insert(name.value.clone(), name.value.clone());
        }
        let mut next = FxHashMap::default();
        for name in old {
            if names.new.contains_key(&name.value) {
                continue;
            }
            let found = names.fresh_from(&plain(&name.value, kind), &mut next);
            let message = format!("{kind} `{}` is called `{found}` here", short(&name.value));
            let here = "a name is made of letters, digits and `_`, and means nothing else";
            out.push(Diagnostic::note(DiagnosticCode::Renamed, name.span, message).here(here));
            names.new.insert(name.value.clone(), found);
        }
        names
    }

    /// The new name of a thing, or none if there is no such thing.
    pub fn get(&self, old: &str) -> Option<&str> {
        self.new.get(old).map(String::as_str)
    }

    /// A reference by its new name. An unknown one stays as it is: the checks will report it, and
    /// suggest the nearest.
    pub fn refer(&self, old: &Text) -> Text {
        Spanned::new(self.get(&old.value).unwrap_or(&old.value).to_owned(), old.span)
    }

    /// A name for something that the file does not name, different from all others.
    pub fn fresh(&mut self, requested: &str) -> String {
        self.fresh_from(requested, &mut FxHashMap::default())
    }

    /// As [`Names::fresh`], with a place.
    pub fn fresh_text(&mut self, requested: &str, span: Span) -> Text {
        Spanned::new(self.fresh(requested), span)
    }

    /// `next` remembers where counting stopped, so that many requests for a name take linear time.
    fn fresh_from(&mut self, requested: &str, next: &mut FxHashMap<String, usize>) -> String {
        if self.taken.insert(requested.to_owned()) {
            return requested.to_owned();
        }
        let number = next.entry(requested.to_owned()).or_insert(2);
        loop {
            let candidate = format!("{requested}_{number}");
            *number += 1;
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

/// Returns `true` if a name can stay as it is.
fn fits(name: &str) -> bool {
    name.len() <= limits::NAME_BYTES && is_plain(name)
}

/// The name with what cannot stay replaced by `_`.
fn plain(name: &str, kind: &str) -> String {
    // Room for a number behind it.
    let most = limits::NAME_BYTES - 20;
    let kept = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' });
    let mut text = String::new();
    for c in kept {
        if text.len() + c.len_utf8() > most {
            break;
        }
        text.push(c);
    }
    if !text.chars().any(char::is_alphanumeric) {
        return kind.to_owned();
    }
    let candidates = [text.clone(), format!("_{text}"), format!("{text}_")];
    candidates.into_iter().find(|name| fits(name)).unwrap_or_else(|| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_fit_and_stay_different() {
        let old = [
            "a-b", "a_b", "a.b", "a b", "sin", "1st", "", "..", "t", "if", "pi", "x[1]", "ok",
            "größe", "-", "a_b_2", "ok",
        ];
        let texts: Vec<Text> =
            old.iter().map(|name| Spanned::new((*name).to_owned(), Span::default())).collect();
        let mut out = Diagnostics::new();
        let names = Names::of("joint", &texts, COORDINATE_WORDS, &mut out);
        let new: Vec<&str> = old.iter().map(|name| names.get(name).expect("known")).collect();
        let expected = [
            "a_b_3", "a_b", "a_b_4", "a_b_5", "_sin", "_1st", "joint", "joint_2", "t_2", "_if",
            "_pi", "x_1_", "ok", "größe", "joint_3", "a_b_2", "ok",
        ];
        assert_eq!(new, expected);
        assert_eq!(out.iter().count(), 12);
        assert!(names.get("other").is_none());
    }

    #[test]
    fn long_names_are_cut() {
        let old = "ä".repeat(5000);
        let texts = [Spanned::new(old.clone(), Span::default())];
        let names = Names::of("link", &texts, BODY_WORDS, &mut Diagnostics::new());
        let new = names.get(&old).expect("known");
        assert!(fits(new) && new.len() < limits::NAME_BYTES);
    }
}
