//! `rotule simplify` and `rotule diff`: expressions in, their cheapest form and its tables out.

use super::arguments::unsigned;
use super::failure::Failure;
use super::input::{self, Source};
use super::output;
use clap::Args;
use rotule::expressions::{
    self, Answer, ExpressionError, ExpressionOptions, MAX_EQUATIONS, Origin, OwnEquations,
    Unwritten,
};
use rotule::layers::symbolic::MAX_TEXT;
use std::iter;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Diff {
    #[command(flatten)]
    pub common: Common,

    /// The symbols to differentiate by, such as x,y.
    #[arg(long, value_name = "NAMES", required = true, value_parser = unsigned, display_order = 0)]
    pub by: Vec<String>,
}

/// Arguments of all commands that take expressions.
#[derive(Args)]
pub struct Common {
    /// Expressions, in quotes; - reads one from standard input.
    #[arg(value_name = "EXPR", required_unless_present_any = ["file", "equations"], value_parser = unsigned)]
    pub expressions: Vec<String>,

    /// Read an expression from a file; can be repeated.
    #[arg(long, value_name = "FILE")]
    pub file: Vec<PathBuf>,

    /// Read equations of your own from a file: see below.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["expressions", "file", "assume"])]
    pub equations: Option<PathBuf>,

    /// Take these to be positive, such as "cos(a), m".
    #[arg(long, value_name = "LIST", value_parser = unsigned)]
    pub assume: Vec<String>,

    /// Write LaTeX for math mode instead of text.
    #[arg(long)]
    pub latex: bool,

    /// Give shared parts lines of their own: z1 = a + b.
    #[arg(long)]
    pub listing: bool,

    /// Write the program that computes the result.
    #[arg(long, conflicts_with_all = ["latex", "listing"])]
    pub program: bool,

    /// Add a table of operations, before and after.
    #[arg(long)]
    pub count: bool,

    /// Add a table of what each pass did to the program.
    #[arg(long)]
    pub report: bool,
}

/// The text that `--help` of `simplify` adds.
pub const SIMPLIFY: &str = "\
Expressions are written as usual: + - * / ^, numbers (1/3 is exact, 0.5 is a
real), pi, names such as m, q1 or omega[3].x, and these functions:
  sin cos tan asin acos atan atan2 sqrt exp log abs sign floor min max
  if(x < 0 and y >= 1, a, b)

All names are inputs of one kind here, so that counts are not split into the
stages of a model. A count takes + - * / and functions as one each and signs as
free: first as written, then for the program that computes what is equal once.
With --latex or --program the tables are comments of that language.

Equations of your own have a line for each item, and lines may use those above:
  input x, v
  parameter mu = 0.5
  r = 1 - x^2
  output vd = mu*r*v - x
`rotule generate FILE.eq --lang c --out DIR` makes source code of them.

Examples:
  rotule simplify \"2*sin(q)*cos(q)\"
  rotule simplify \"sqrt(m^2*cos(a)^2)\" --assume \"m, cos(a)\"
  rotule simplify \"(a + b)*c\" \"(a + b)*d\" --listing --count
  rotule simplify --file expression.txt --latex --listing
  echo \"x + x\" | rotule simplify -";

/// The text that `--help` of `diff` adds.
pub const DIFF: &str = "\
One symbol gives the derivative, several give a line for each. Every symbol
must occur in an expression. `rotule simplify --help` says how expressions are
written and counted.

Examples:
  rotule diff \"m*g*l*cos(q)\" --by q
  rotule diff \"k*(Z - z0)^2/2 + c*Zd\" --by Z,Zd --count
  rotule diff \"l*cos(q)\" \"l*sin(q)\" --by q,l --latex --listing";

/// `rotule simplify`
pub fn simplify(common: &Common) -> Result<(), Failure> {
    if let Some(equations) = equations(common)? {
        return show(&equations.1.simplify(), common);
    }
    answer(common, |texts, options| expressions::simplify(texts, options))
}

/// `rotule diff`
pub fn diff(diff: &Diff) -> Result<(), Failure> {
    if let Some((_, equations)) = equations(&diff.common)? {
        let answer = equations.diff(&diff.by);
        return show(&answer.map_err(|error| Failure::Text(error.render("--by")))?, &diff.common);
    }
    answer(&diff.common, |texts, options| expressions::diff(texts, &diff.by, options))
}

/// The equations of `--equations`, and the name of their file.
fn equations(common: &Common) -> Result<Option<(String, OwnEquations)>, Failure> {
    common.equations.as_deref().map(read_equations).transpose()
}

/// Equations of a file, and its name.
pub fn read_equations(path: &Path) -> Result<(String, OwnEquations), Failure> {
    let source = input::file(path, MAX_EQUATIONS)?;
    let equations = OwnEquations::read(&source.text);
    let equations = equations.map_err(|error| Failure::Text(error.render(&source.name)))?;
    Ok((source.name, equations))
}

/// Reads what is named, and shows what becomes of it.
fn answer(
    common: &Common,
    work: impl FnOnce(&[&str], &ExpressionOptions) -> Result<Answer, ExpressionError>,
) -> Result<(), Failure> {
    let sources = read(common)?;
    let texts: Vec<&str> = sources.iter().map(|source| source.text.as_str()).collect();
    let answer =
        work(&texts, &ExpressionOptions { assume: common.assume.clone() }).map_err(|error| {
            let name = match error.origin {
                Origin::Expression(index) => {
                    sources.get(index).map_or("expression", |source| source.name.as_str())
                }
                Origin::By(_) => "--by",
                Origin::Assume(_) => "--assume",
            };
            Failure::Text(error.render(name))
        })?;
    show(&answer, common)
}

/// All expressions: first those written as arguments, then those in files.
fn read(common: &Common) -> Result<Vec<Source>, Failure> {
    let mut sources = Vec::new();
    let mut standard = false;
    let mut standard_input = || {
        let again = std::mem::replace(&mut standard, true);
        if again {
            return Err(Failure::InputTwice);
        }
        input::file(Path::new("-"), MAX_TEXT).map(trimmed)
    };
    let several = common.expressions.len() > 1;
    for (index, text) in common.expressions.iter().enumerate() {
        sources.push(match text.as_str() {
            "-" => standard_input()?,
            text => {
                let number = if several { format!(" {}", index + 1) } else { String::new() };
                Source { name: format!("expression{number}"), text: text.to_owned() }
            }
        });
    }
    for path in &common.file {
        sources.push(if path.as_os_str() == "-" {
            standard_input()?
        } else {
            trimmed(input::file(path, MAX_TEXT)?)
        });
    }
    Ok(sources)
}

/// An expression without the end of its last line.
fn trimmed(source: Source) -> Source {
    Source { text: source.text.trim_end().to_owned(), ..source }
}

/// Writes an answer and the tables that the arguments ask for.
fn show(answer: &Answer, common: &Common) -> Result<(), Failure> {
    for name in answer.unused() {
        output::remark(&format!(
            "note: `{name}` is assumed to be positive but occurs in no expression"
        ));
    }
    let lowered = (common.program || common.count || common.report).then(|| answer.lower());
    let mut text = match &lowered {
        Some(lowered) if common.program => lowered.program.to_string(),
        _ => written(answer, common),
    };
    // Tables must not spoil a text that goes on to another program.
    let comment = match common {
        Common { program: true, .. } => "# ",
        Common { latex: true, .. } => "% ",
        _ => "",
    };
    if let Some(lowered) = &lowered {
        let count = common.count.then(|| answer.compare(&lowered.program).to_string());
        let report = common.report.then(|| lowered.reports.to_string());
        for table in count.into_iter().chain(report) {
            // Not even a blank line is harmless: it would end a formula of LaTeX.
            for line in iter::once("").chain(table.lines()) {
                text.push_str(format!("{comment}{line}").trim_end());
                text.push('\n');
            }
        }
    }
    output::data(&text)
}

/// The answer as text or LaTeX; as a listing if that was requested or nothing else will do.
fn written(answer: &Answer, common: &Common) -> String {
    let listing = || if common.latex { answer.latex_listing() } else { answer.listing() };
    if common.listing {
        return listing();
    }
    let written = if common.latex { answer.latex() } else { answer.text() };
    written.unwrap_or_else(|reason: Unwritten| {
        output::remark(&format!("note: {reason}; it is shown as with --listing"));
        listing()
    })
}
