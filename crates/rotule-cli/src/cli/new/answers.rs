//! Answers of `rotule new`: what is known of the model so far, and the checks that an answer passes
//! before it is taken.

use super::dialogue::Complaint;
use super::{model_name, shell_word};
use rotule::diagnostics::DiagnosticCode;
use rotule::layers::model::Severity;
use rotule::layers::model::draft::JointType;
use rotule::scaffold::{Outline, OutlineElement, remedy};
use std::path::Path;

/// The model as far as it has been described.
pub struct Answers {
    pub outline: Outline,
    pub name: String,
    pub about: String,
    pub template: Option<String>,
    pub gravity: Option<String>,
    pub phrases: Vec<(OutlineElement, String)>,
}

impl Answers {
    /// The command that describes the same model by flags.
    pub fn command(&self, file: &Path) -> String {
        let mut parts = vec![format!("rotule new {}", shell_word(&file.display().to_string()))];
        let mut flag = |flag: &str, value: &str| parts.push(format!("--{flag} {}", quoted(value)));
        if self.name != model_name(file) {
            flag("name", &self.name);
        }
        if !self.about.is_empty() {
            flag("about", &self.about);
        }
        if let Some(template) = &self.template {
            flag("template", template);
        }
        if let Some(gravity) = &self.gravity {
            flag("gravity", gravity);
        }
        for (kind, phrase) in &self.phrases {
            flag(kind.word(), phrase);
        }
        format!("  {}", parts.join(" \\\n    "))
    }
}

/// A value in quotes for a shell.
fn quoted(text: &str) -> String {
    if text.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", text.replace('\'', "'\\''"))
    } else {
        format!("\"{text}\"")
    }
}

/// A value that a question asks for.
#[derive(Clone, Copy)]
pub struct Field<'f> {
    pub text: &'f str,
    pub default: &'f str,
    pub help: &'f str,
    /// The element that it is a part of.
    pub kind: OutlineElement,
    /// Names that stand for something there.
    pub locals: &'f [&'f str],
    /// `true` if it is a list.
    pub several: bool,
    /// `true` if a name stands before the values.
    pub named: bool,
}

impl<'f> Field<'f> {
    pub fn new(kind: OutlineElement, text: &'f str, default: &'f str, help: &'f str) -> Field<'f> {
        Field { text, default, help, kind, locals: &[], several: false, named: false }
    }

    pub fn several(self) -> Field<'f> {
        Field { several: true, ..self }
    }

    pub fn named(self) -> Field<'f> {
        Field { several: true, named: true, ..self }
    }

    pub fn with(self, locals: &'f [&'f str]) -> Field<'f> {
        Field { locals, ..self }
    }
}

/// The parts of a text between separators that no bracket holds, without empty ones.
fn parts<'t>(text: &'t str, separators: &[char]) -> Vec<&'t str> {
    let mut depth = 0_usize;
    let separates = |c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && separators.contains(&c)
    };
    text.split(separates).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Refuses a list where one value is expected.
pub fn single(answer: &str) -> Result<(), Complaint> {
    // A comparison has a second `=` or a sign before it, and stands in the brackets of a function.
    match parts(answer, &[',', ':', '=']).as_slice() {
        [one] if *one == answer.trim() => Ok(()),
        _ => Err(Complaint::new("expected one value", "")),
    }
}

/// Refuses what is no name.
pub fn named(answer: &str) -> Result<(), Complaint> {
    let plain = answer.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain && answer.starts_with(|c: char| !c.is_numeric()) {
        return Ok(());
    }
    let shown: String = answer.chars().take(60).collect();
    Err(Complaint::new(
        format!("`{shown}` is not a name"),
        "a name begins with a letter or `_` and goes on with letters, digits and `_`",
    ))
}

/// Checks that a model with one more phrase can be used, without warnings about what the phrase
/// says.
pub fn passes(outline: &Outline, kind: OutlineElement, phrase: &str) -> Result<(), Complaint> {
    let mut trial = outline.clone();
    trial.add(kind, phrase)?;
    healthy(&trial)
}

/// Checks that a model has no errors, and no warnings that its later parts cannot take away.
pub fn healthy(outline: &Outline) -> Result<(), Complaint> {
    let diagnostics = outline.diagnostics();
    let later = [DiagnosticCode::Guess, DiagnosticCode::Unused, DiagnosticCode::Missing];
    let wrong = diagnostics.iter().find(|one| match one.severity {
        Severity::Error => true,
        Severity::Warning => !later.contains(&one.code),
        Severity::Note => false,
    });
    match wrong {
        None => Ok(()),
        Some(one) => Err(Complaint::new(one.message.clone(), remedy(one))),
    }
}

/// Checks that a text is one of some words.
pub fn one_of(text: &str, words: &[&str]) -> Result<(), Complaint> {
    if words.contains(&text) {
        return Ok(());
    }
    let words: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
    let near = rotule::layers::likely(text, words.iter().copied());
    let help = match near.starts_with("did you") {
        true => near,
        false => format!("expected one of {}", words.join(", ")),
    };
    Err(Complaint::new(
        format!("`{}` is not known here", text.chars().take(60).collect::<String>()),
        help,
    ))
}

/// The words of a list of names.
pub fn separate(text: &str) -> Vec<&str> {
    text.split([' ', ',', '\t']).filter(|word| !word.is_empty()).collect()
}

pub fn names(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

/// A list for a question; a long one is cut.
pub fn listed(list: &[String]) -> String {
    const MOST: usize = 12;
    let shown = list.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    if list.len() > MOST { format!("{shown}, ...") } else { shown }
}

/// The ground and the last places of a list, for a short question.
pub fn recent(list: &[String]) -> String {
    const LAST: usize = 4;
    match list {
        [first, ..] if list.len() > LAST + 1 => {
            format!("{first}, ..., {}", list[list.len() - LAST..].join(", "))
        }
        _ => list.join(", "),
    }
}

/// Three values as a phrase takes them, whether blanks or commas separate them.
pub fn bracketed(text: &str) -> String {
    let text = text.trim();
    if text.starts_with('[') || !text.contains(',') { text.to_owned() } else { format!("[{text}]") }
}

/// `NAME X Y Z`, whose values may be separated by commas.
pub fn pointed(text: &str) -> String {
    let text = text.trim().replacen(':', " ", 1);
    match text.split_once(char::is_whitespace) {
        Some((name, values)) => format!("{} {}", name.trim_end_matches(','), bracketed(values)),
        None => text,
    }
}

/// One axis or two, as a phrase takes them; a single vector may be written without its brackets.
pub fn axes(text: &str, kind: JointType) -> Result<String, Complaint> {
    let found = parts(text, &[' ', ',', '\t']);
    match (kind.axes(), &found[..]) {
        (1, [x, y, z]) => Ok(format!("[{x}, {y}, {z}]")),
        (count, found) if found.len() == count => Ok(found.join(" ")),
        (1, _) => Err(Complaint::new("expected one axis", "such as x, -y or a vector 0 1 1")),
        _ => Err(Complaint::new("expected two axes", "such as x y")),
    }
}
