//! Words of messages: the layers below speak of options of the command line, and callers of the
//! library have methods instead.
//!
//! The messages are the same otherwise, so the options in them are replaced when a message leaves
//! the library.

use rotule_model::{Diagnostic, Diagnostics};

/// Options of the command line in messages, and what is called in code. An option with a value
/// comes before the bare one.
pub(crate) const METHODS: &[(&str, &str)] = &[
    ("--constraints partition or baumgarte", "`constraints` of another form"),
    ("--constraints projection", "`constraints(ConstraintForm::Projection)`"),
    ("--constraints partition", "`constraints(ConstraintForm::Partition)`"),
    ("--constraints", "`constraints`"),
    ("--method radau or bdf", "`method(Method::Radau)` or `method(Method::Bdf)`"),
    ("--method radau", "`method(Method::Radau)`"),
    ("--rtol and --atol", "`tolerance`"),
    ("--trig simd", "`trig(Trig::Simd)`"),
    ("--rtol", "relative `tolerance`"),
    ("--atol", "absolute `tolerance`"),
    ("--dt", "`step`"),
    ("--max-steps", "`max_steps`"),
    ("--max-step", "`max_step`"),
    ("--max-samples", "`max_points`"),
    ("--balance", "`balance`"),
    ("--verify", "`verify`"),
    ("--threshold", "`threshold`"),
    ("--independent", "`Model::independent`"),
    ("--inputs", "`inputs`"),
    ("--input", "`input`"),
    ("--moving", "`moving`"),
    ("--add", "`add`"),
    ("--group", "`groups`"),
    ("--channels", "`channels` and `keep`"),
    ("--every", "`every`"),
    ("--to", "`to`"),
    ("--method", "`method`"),
    ("--kernel", "`kernel`"),
    ("--vary", "`vary`"),
    ("--measure", "`measure`"),
    ("--samples", "`samples`"),
    ("--seed", "`seed`"),
    ("--threads", "`threads`"),
    ("--functions", "`functions`"),
    ("--driven", "`driven`"),
    ("--freeze", "`Model::freeze`"),
    ("--prefix", "`prefix`"),
    ("--batch", "`batch`"),
    ("--set", "`Model::assign`"),
    ("--keep", "`keep`"),
    ("--formalism", "`formalism`"),
    ("--size", "`size`"),
    ("--trig", "`trig`"),
    ("--floating-base", "`floating_base`"),
    ("--meshes", "`mesh_folder`"),
    ("--merge-fixed", "`merge_fixed`"),
    ("--laws", "`Model::external` or `Model::laws`"),
    ("--with", "`OpenOptions::with`"),
    ("--compiler", "`BenchOptions::compiler`"),
    ("--state", "`from`"),
    ("--json", "`Run::json`"),
    ("`rotule assemble`", "`Model::assemble`"),
    ("`rotule simulate`", "`Model::simulate`"),
    ("`rotule check`", "`Model::check`"),
];

/// The words of diagnostics.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Words {
    /// Methods of the library.
    #[default]
    Code,
    /// Options of the command line, as the layers below have them.
    CommandLine,
}

impl Words {
    /// Diagnostics in these words.
    pub(crate) fn of(self, diagnostics: Diagnostics) -> Diagnostics {
        if matches!(self, Words::CommandLine) {
            return diagnostics;
        }
        let mut out = Diagnostics::new();
        for one in &diagnostics {
            let help = one.help.as_deref().map(in_code);
            out.push(Diagnostic { message: in_code(&one.message), help, ..one.clone() });
        }
        out
    }
}

/// A message with methods instead of options.
pub(crate) fn in_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['-', '`']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let whole = |flag: &str| {
            let after = found[flag.len()..].chars().next();
            flag.ends_with('`') || after.is_none_or(|next| !next.is_alphanumeric() && next != '-')
        };
        let method = METHODS.iter().find(|(flag, _)| found.starts_with(flag) && whole(flag));
        let taken = match method {
            Some((flag, method)) => {
                // An option that stands in quotes already keeps these.
                let method =
                    if out.ends_with('`') { method.trim_start_matches('`') } else { method };
                let closed = found[flag.len()..].starts_with('`');
                out.push_str(if closed { method.trim_end_matches('`') } else { method });
                flag.len()
            }
            None => {
                out.push_str(&found[..1]);
                1
            }
        };
        rest = &found[taken..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_methods() {
        for (text, expected) in [
            ("tighten --rtol and --atol, or compare", "tighten `tolerance`, or compare"),
            ("allow more with --max-steps", "allow more with `max_steps`"),
            ("bound them by --max-step or --dt", "bound them by `max_step` or `step`"),
            ("try --constraints projection", "try `constraints(ConstraintForm::Projection)`"),
            ("--samples is 0", "`samples` is 0"),
            ("java has no `--batch`", "java has no `batch`"),
            ("see `rotule assemble`", "see `Model::assemble`"),
            ("use --method radau or bdf", "use `method(Method::Radau)` or `method(Method::Bdf)`"),
            ("try a larger --rtol", "try a larger relative `tolerance`"),
            ("see `--channels`", "see `channels` and `keep`"),
            // A name may be empty.
            ("there is no function ``", "there is no function ``"),
            // What only looks like one stays.
            ("a - b, --stop and `q--1`", "a - b, --stop and `q--1`"),
        ] {
            assert_eq!(in_code(text), expected);
        }
    }

    /// Options in texts of the layers below, so that none is shown to callers of the library.
    #[test]
    fn every_option_in_a_message_has_a_method() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut seen = 0;
        for name in ["formalism", "model", "simulate", "study", "emit", "bench", ""] {
            let dash = if name.is_empty() { "" } else { "-" };
            let mut folders = vec![root.join(format!("rotule{dash}{name}/src"))];
            while let Some(folder) = folders.pop() {
                for entry in std::fs::read_dir(folder).expect("a folder of sources") {
                    let path = entry.expect("an entry").path();
                    // New model files tell how the program is called: that is no message.
                    if path.ends_with("scaffold") {
                        continue;
                    }
                    if path.is_dir() {
                        folders.push(path);
                    } else if !path.ends_with("flags.rs") {
                        let text = std::fs::read_to_string(&path).expect("a source");
                        seen += check_source(&path.display().to_string(), &text);
                    }
                }
            }
        }
        assert!(seen > 20, "only {seen} options were found");
    }

    /// Checks the string literals of a source; gives the number of options in them.
    fn check_source(path: &str, text: &str) -> usize {
        let mut seen = 0;
        // Tests look for messages of the layer itself; generated texts tell how other programs are
        // called.
        let text = text.split("mod tests {").next().unwrap_or_default();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in lines.filter(|line| {
            !line.contains("octave") && !line.contains(".arg(") && !line.contains("pip install")
        }) {
            for literal in line.split('"').skip(1).step_by(2) {
                let left = in_code(literal);
                seen += usize::from(left != literal);
                let option = left.split([' ', ',', ':', '`', '(']).find(|word| {
                    word.strip_prefix("--").is_some_and(|rest| {
                        rest.len() > 1 && rest.chars().all(|c| c.is_ascii_lowercase() || c == '-')
                    })
                });
                assert!(option.is_none(), "{path}: {option:?} has no method in `METHODS`: {line}");
            }
        }
        seen
    }
}
