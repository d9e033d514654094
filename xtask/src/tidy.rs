//! `cargo xtask tidy`: the project rules, checked on every file that git tracks or would add.
//!
//! A rule is a row in a table: a name, the reason it exists and a function from the tree of files
//! to findings. To add one, write the function, add the row and show in a test that it can fail.

mod architecture;
mod book;
mod dependencies;
mod markdown;
mod rust;
mod source;
mod text;
mod tree;
mod types;
mod words;

pub use tree::Tree;

use std::fmt;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::project::Project;

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask tidy [--rules]

Checks the project rules on every file that git tracks or would add, and lists each breach with its place.

Options:
  --rules    list the rules and the reason for each
";

/// A project rule.
struct Rule {
    name: &'static str,
    why: &'static str,
    check: fn(&Tree, &mut Findings),
}

/// Every rule.
const RULES: &[Rule] = &[
    Rule {
        name: "opening",
        why: "a reader learns from the first lines of a .rs file what it is and why it exists",
        check: rust::opening,
    },
    Rule {
        name: "unfinished",
        why: "what is on the main branch works: no placeholder, leftover or disabled test",
        check: rust::unfinished,
    },
    Rule {
        name: "length",
        why: "a file that cannot be read in one sitting hides its structure",
        check: rust::length,
    },
    Rule {
        name: "same bits",
        why: "results are the same on every machine: mathematics comes from `rotule_symbolic::elementary`",
        check: rust::same_bits,
    },
    Rule {
        name: "whitespace",
        why: "diffs show only what changed: no trailing blanks, no tabs in .rs, a newline at the end",
        check: text::whitespace,
    },
    Rule {
        name: "machine paths",
        why: "text that names a folder of one machine is wrong on every other",
        check: text::machine_paths,
    },
    Rule {
        name: "paths",
        why: "an architecture text or a recipe that names files which are gone misleads",
        check: architecture::paths,
    },
    Rule {
        name: "crates",
        why: "every crate has its paragraph in the code map",
        check: architecture::crates,
    },
    Rule {
        name: "sections",
        why: "a map that takes longer to read than the code it shows is none: a crate has a page of it at most",
        check: architecture::sections,
    },
    Rule {
        name: "dependencies",
        why: "crates depend on each other in one direction only, as the table in ARCHITECTURE.md says",
        check: dependencies::direction,
    },
    Rule {
        name: "links",
        why: "a relative link in a Markdown file leads somewhere",
        check: markdown::links,
    },
    Rule {
        name: "anchors",
        why: "a link to a section of a page leads to one of its headings",
        check: book::anchors,
    },
    Rule {
        name: "contents",
        why: "a page of the manual that is not in docs/SUMMARY.md is not in the book",
        check: book::summary,
    },
    Rule {
        name: "book",
        why: "a built book holds docs/ alone: its links lead nowhere else",
        check: book::inside,
    },
    Rule {
        name: "tasks",
        why: "a `cargo xtask` command that a text tells people to type exists",
        check: markdown::tasks,
    },
    Rule {
        name: "words",
        why: "whoever knows the field finds its words here, in code, messages and manual",
        check: words::list,
    },
    Rule {
        name: "openings",
        why: "documentation says first what a thing is",
        check: words::openings,
    },
    Rule {
        name: "width",
        why: "comments are as wide as code, so that both fit one window",
        check: words::width,
    },
    Rule {
        name: "type names",
        why: "a public type name means one thing in the whole workspace",
        check: types::one_meaning,
    },
];

/// The severity of a finding: whether it fails the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    Error,
    Warning,
}

/// A place where a rule is broken. Line 0 means the file as a whole.
#[derive(Debug)]
struct Finding {
    rule: &'static str,
    severity: Severity,
    path: String,
    line: usize,
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.severity == Severity::Error { "error" } else { "warning" };
        write!(f, "{kind}: {}", self.path)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {} [{}]", self.message, self.rule)
    }
}

/// The findings so far, and the rule being checked.
#[derive(Default)]
struct Findings {
    rule: &'static str,
    list: Vec<Finding>,
}

impl Findings {
    fn error(&mut self, path: &str, line: usize, message: impl Into<String>) {
        self.add(Severity::Error, path, line, message.into());
    }

    fn warning(&mut self, path: &str, line: usize, message: impl Into<String>) {
        self.add(Severity::Warning, path, line, message.into());
    }

    fn add(&mut self, severity: Severity, path: &str, line: usize, message: String) {
        let rule = self.rule;
        self.list.push(Finding { rule, severity, path: path.to_string(), line, message });
    }
}

/// Checks all rules on a tree.
fn findings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Findings::default();
    for rule in RULES {
        findings.rule = rule.name;
        (rule.check)(tree, &mut findings);
    }
    findings.list
}

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let list = arguments.flag("--rules");
    arguments.finish()?;
    if list {
        RULES.iter().for_each(|rule| println!("{:<14} {}", rule.name, rule.why));
        return Ok(());
    }
    check(project)
}

/// Checks the checkout and prints what is found.
pub fn check(project: &Project) -> Result<(), Failure> {
    let tree = Tree::read(project)?;
    let findings = findings(&tree);
    findings.iter().for_each(|finding| println!("{finding}"));
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    println!("{} rules, {} files, {errors} error(s)", RULES.len(), tree.files.len());
    if errors == 0 { Ok(()) } else { Err(Failure::Tidy { errors }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks one rule on a small tree; the findings as text.
    pub fn broken(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let rule = RULES.iter().find(|rule| rule.name == name).expect("the rule is in the table");
        let mut findings = Findings { rule: rule.name, list: Vec::new() };
        (rule.check)(&Tree::of(files), &mut findings);
        findings.list.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn this_checkout_keeps_the_project_rules() {
        let project = Project::locate().unwrap();
        let found = findings(&Tree::read(&project).unwrap());
        let errors = found.iter().filter(|finding| finding.severity == Severity::Error);
        let errors: Vec<_> = errors.map(ToString::to_string).collect();
        assert!(errors.is_empty(), "{}", errors.join("\n"));
    }

    #[test]
    fn a_finding_names_the_place_the_fault_and_the_rule() {
        let found = broken("whitespace", &[("a.md", "one\ntwo \n")]);
        assert_eq!(found, ["error: a.md:2: trailing white space [whitespace]"]);
    }

    #[test]
    fn rule_names_are_unique() {
        let mut names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
    }
}
