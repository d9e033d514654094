//! Skeletons of law files: every external function that a model declares and nobody supplies, with
//! its arguments by name, to be filled.

use super::Signature;
use crate::error::Error;
use crate::model::Model;
use rotule_formalism::Problem;
use rotule_formalism::foreign::caller;
use std::collections::BTreeSet;

/// A language of law files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LawLanguage {
    /// C, in `.c`.
    C,
    /// Python, in `.py`.
    Python,
}

impl LawLanguage {
    /// The languages with the endings of their files.
    pub const ALL: &[(LawLanguage, &str)] = &[(LawLanguage::C, "c"), (LawLanguage::Python, "py")];
}

impl Model {
    /// A law file with every external function that is not supplied yet, to be filled; as it is,
    /// its laws give zeros. None if nothing is missing; an error if a law has the name of a word of
    /// the language, which no function can have.
    ///
    /// ```
    /// use rotule::Model;
    /// use rotule::laws::LawLanguage;
    ///
    /// let text = format!("{}\n[[external]]\nname = \"drive\"\narguments = [\"angle\"]\n", rotule::doc::PENDULUM);
    /// let model = Model::read("pendulum.toml", text)?;
    /// let skeleton = model.law_skeleton(LawLanguage::Python)?.unwrap();
    /// assert!(skeleton.contains("def drive(angle):"));
    /// # Ok::<(), rotule::Error>(())
    /// ```
    pub fn law_skeleton(&self, language: LawLanguage) -> Result<Option<String>, Error> {
        let missing =
            self.law_signatures().into_iter().filter(|one| !self.externals().knows(&one.name));
        let missing: Vec<Signature> = missing.collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let (words, shown) = match language {
            LawLanguage::C => (C_WORDS, "C"),
            LawLanguage::Python => (PYTHON_WORDS, "Python"),
        };
        if let Some(law) = missing.iter().find(|law| words.contains(&law.name.as_str())) {
            let message = format!("`{}` is a word of {shown}: no function has this name", law.name);
            let help = "give the `[[external]]` another name, or write its law in another language";
            return Err(Problem::new(message, help).into());
        }
        let mechanism = self.mechanism();
        let laws = missing.iter().map(|law| {
            let called = match caller(mechanism, &law.name) {
                Some(place) => format!("Called by the law of {place}."),
                None => "Not called yet.".to_owned(),
            };
            match language {
                LawLanguage::C => in_c(law, &called),
                LawLanguage::Python => in_python(law, &called),
            }
        });
        let laws: Vec<String> = laws.collect();
        let title = format!("Laws of the model {}.", one_line(&mechanism.name));
        let rule = "A function NAME_derivative takes the arguments and then their rates, and gives the rates\nof the results; without one, derivatives are found by differences.";
        Ok(Some(match language {
            LawLanguage::C => {
                format!(
                    "/* {}\n * {}\n */\n\n{}",
                    title.replace("*/", ""),
                    rule.replace('\n', "\n * "),
                    laws.join("\n")
                )
            }
            LawLanguage::Python => {
                format!(
                    "\"\"\"{}\n\n{rule}\n\"\"\"\n\n\n{}",
                    title.replace('"', "'"),
                    laws.join("\n\n")
                )
            }
        }))
    }
}

fn in_c(law: &Signature, called: &str) -> String {
    let Signature { name, arguments, results, .. } = law;
    let mut text = format!(
        "/* {} {} */\nvoid {name}(const double *arguments, double *results)\n{{\n",
        called.replace("*/", ""),
        counted(*results, "result")
    );
    for (at, argument) in identifiers(law, C_WORDS).iter().enumerate() {
        text += &format!("    const double {argument} = arguments[{at}];\n");
    }
    for argument in identifiers(law, C_WORDS) {
        text += &format!("    (void){argument};\n");
    }
    if *arguments == 0 {
        text += "    (void)arguments;\n";
    }
    (0..*results).for_each(|at| text += &format!("    results[{at}] = 0.0;\n"));
    text + "}\n"
}

fn in_python(law: &Signature, called: &str) -> String {
    let arguments = identifiers(law, PYTHON_WORDS).join(", ");
    let zeros = vec!["0.0"; law.results].join(", ");
    let (name, results) = (&law.name, counted(law.results, "result"));
    let called = called.replace('"', "'").replace('\\', "/");
    format!("def {name}({arguments}):\n    \"\"\"{called} {results}\"\"\"\n    return {zeros}\n")
}

const C_WORDS: &[&str] = &[
    "alignas",
    "alignof",
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "constexpr",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "false",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "nullptr",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "struct",
    "switch",
    "thread_local",
    "true",
    "typedef",
    "typeof",
    "typeof_unqual",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
];

const PYTHON_WORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Names of the arguments as identifiers, each another one.
fn identifiers(law: &Signature, words: &[&str]) -> Vec<String> {
    let own = ["arguments", "results"];
    let mut taken: BTreeSet<String> =
        words.iter().chain(&own).map(|&word| word.to_owned()).collect();
    taken.insert(law.name.clone());
    let mut list = Vec::new();
    for at in 0..law.arguments {
        let text = law.names.get(at).map_or("", String::as_str);
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut name: String = text.chars().map(plain).collect();
        if name.trim_matches('_').is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            name = format!("x{}", at + 1);
        }
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        list.push(name);
    }
    list
}

fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}.") } else { format!("{count} {word}s.") }
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
