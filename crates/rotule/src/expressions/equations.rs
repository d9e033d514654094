//! Equations of one's own, of any domain, in a text file: inputs, parameters, abbreviations,
//! outputs.
//!
//! ```text
//! # the van der Pol oscillator
//! input x, v
//! parameter mu = 0.5
//! r = 1 - x^2                      # an abbreviation
//! output xd = v
//! output vd = mu*r*v - x
//! ```
//!
//! A line is read when all above it are known, so that nothing can depend on itself. What is read
//! simplifies, differentiates and becomes source code as the functions of a mechanism do.

use super::{Answer, AnswerOutput, ExpressionError, Origin, cheaper};
use crate::error::Error;
use crate::generate::{Generated, Language};
use crate::program::generate_program;
use rotule_program::Program;
use rotule_program::lower::{Request, Target, lower};
use rotule_symbolic::list::{items, shifted};
use rotule_symbolic::{
    Expr, Graph, Kind, Operations, ParseError, build, is_name, latex_name, likely, parse,
};
use std::ops::Range;

/// The longest text of equations, in bytes.
pub const MAX_EQUATIONS: usize = 1 << 24;

/// Equations that have been read.
///
/// ```
/// use rotule::expressions::OwnEquations;
///
/// let text = "input x, v\nparameter mu = 0.5\noutput xd = v\noutput vd = mu*(1 - x^2)*v - x\n";
/// let equations = OwnEquations::read(text)?;
/// assert_eq!(equations.inputs(), ["x", "v"]);
/// let slopes = equations.diff(&["x"])?;
/// assert_eq!(slopes.text()?, "dxd/dx = 0\ndvd/dx = -1 - 2*mu*v*x\n");
/// let code = equations.generate(rotule::Language::C, "oscillator")?;
/// assert!(code.file("oscillator.h").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct OwnEquations {
    text: String,
    graph: Graph,
    inputs: Vec<String>,
    parameters: Vec<(String, f64)>,
    outputs: Vec<(String, Expr)>,
    operations: Operations,
}

impl std::fmt::Debug for OwnEquations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnEquations")
            .field("inputs", &self.inputs)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

impl OwnEquations {
    /// Reads equations. A mistake has its place in the whole text.
    pub fn read(text: &str) -> Result<OwnEquations, ExpressionError> {
        let mut equations = OwnEquations {
            text: text.to_owned(),
            graph: Graph::new(),
            inputs: Vec::new(),
            parameters: Vec::new(),
            outputs: Vec::new(),
            operations: Operations::default(),
        };
        let fault = |fault| ExpressionError::new(Origin::Expression(0), text, fault);
        if text.len() > MAX_EQUATIONS {
            let message = format!("the text exceeds {MAX_EQUATIONS} bytes");
            return Err(fault(ParseError::new(0..0, message)));
        }
        let mut abbreviations = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let code = line.split('#').next().unwrap_or_default();
            equations.line(code, &mut abbreviations).map_err(|one| fault(shifted(one, start)))?;
            start += line.len();
        }
        if equations.outputs.is_empty() {
            let message = "the equations have no output";
            let help = "write `output NAME = EXPRESSION`";
            return Err(fault(ParseError::new(0..0, message).with_help(help)));
        }
        Ok(equations)
    }

    /// One line, without its comment.
    fn line(&mut self, code: &str, known: &mut Vec<(String, Expr)>) -> Result<(), ParseError> {
        let indent = code.len() - code.trim_start().len();
        let (word, rest) = match code.trim().split_once(char::is_whitespace) {
            Some((word, rest)) if !rest.trim_start().starts_with('=') => (word, rest),
            _ => ("", code.trim()),
        };
        let at = if word.is_empty() {
            indent
        } else {
            code.len() - code.trim_start().len() + word.len()
        };
        let body = &code[at..];
        match word {
            "" if rest.is_empty() => Ok(()),
            "input" => {
                for item in items(body).map_err(|one| shifted(one, at))? {
                    let (name, span) = (&body[item.clone()], at + item.start..at + item.end);
                    self.declare(name, span, known)?;
                    self.graph.symbol(name, Kind::Input);
                    self.inputs.push(name.to_owned());
                }
                Ok(())
            }
            "parameter" => {
                let Assignment { name, span, value, start } = assignment(body, at)?;
                self.declare(name, span, known)?;
                let tree = parse(value).map_err(|one| shifted(one, start))?;
                let number = tree.evaluate(&mut rotule_symbolic::Doubles(|_: &str| None));
                let place = start..start + value.len();
                let number = number.map_err(|name| {
                    let message =
                        format!("the value of a parameter is a number, and `{name}` is a name");
                    ParseError::new(place.clone(), message)
                })?;
                if !number.is_finite() {
                    return Err(ParseError::new(place, "the value of a parameter must be finite"));
                }
                self.graph.symbol(name, Kind::Parameter);
                self.parameters.push((name.to_owned(), number));
                Ok(())
            }
            "output" | "" => {
                let Assignment { name, span, value, start } = assignment(body, at)?;
                let expr = self.expression(value, known).map_err(|one| shifted(one, start))?;
                self.declare(name, span, known)?;
                known.push((name.to_owned(), expr));
                if word == "output" {
                    self.outputs.push((name.to_owned(), expr));
                }
                Ok(())
            }
            _ => {
                let span = indent..indent + word.len();
                let help = likely(word, ["input", "parameter", "output", "NAME ="]);
                Err(ParseError::new(span, format!("`{word}` begins no line of equations"))
                    .with_help(help))
            }
        }
    }

    /// Refuses what is no name, and a name that is taken.
    fn declare(
        &self,
        name: &str,
        span: Range<usize>,
        known: &[(String, Expr)],
    ) -> Result<(), ParseError> {
        if !is_name(name) {
            return Err(ParseError::new(span, format!("`{name}` is not a name")));
        }
        let taken = self.graph.lookup(name).is_some() || known.iter().any(|one| one.0 == name);
        match taken {
            true => Err(ParseError::new(span, format!("`{name}` is defined twice"))),
            false => Ok(()),
        }
    }

    fn expression(&mut self, text: &str, known: &[(String, Expr)]) -> Result<Expr, ParseError> {
        let tree = parse(text)?;
        self.operations += tree.count();
        let mut scope = |graph: &mut Graph, name: &str| {
            let defined = known.iter().find(|one| one.0 == name).map(|one| one.1);
            defined.or_else(|| graph.lookup(name))
        };
        build(&mut self.graph, &tree, &mut scope)
    }

    /// The names of the inputs.
    pub fn inputs(&self) -> Vec<&str> {
        self.inputs.iter().map(String::as_str).collect()
    }

    /// The parameters and their values.
    pub fn parameters(&self) -> &[(String, f64)] {
        &self.parameters
    }

    /// The names of the outputs.
    pub fn outputs(&self) -> Vec<&str> {
        self.outputs.iter().map(|one| one.0.as_str()).collect()
    }

    /// The outputs, simplified.
    pub fn simplify(&self) -> Answer {
        let mut graph = self.graph.clone();
        let exprs = self.outputs.iter().map(|one| one.1).collect();
        let exprs = cheaper(&mut graph, exprs);
        let labels = self.outputs.iter().map(|one| one.0.clone());
        let output =
            |(label, expr): (String, Expr)| AnswerOutput { latex: latex_name(&label), label, expr };
        let outputs = labels.zip(exprs).map(output).collect();
        self.answer("simplify", "simplified", graph, outputs, 1)
    }

    /// The derivatives of all outputs by some inputs or parameters.
    pub fn diff<S: AsRef<str>>(&self, by: &[S]) -> Result<Answer, ExpressionError> {
        let mut symbols = Vec::new();
        for (index, list) in by.iter().enumerate() {
            let list = list.as_ref();
            let fault = |fault| ExpressionError::new(Origin::By(index), list, fault);
            for item in items(list).map_err(fault)? {
                let name = &list[item.clone()];
                let symbol = self.graph.lookup(name).ok_or_else(|| {
                    let message = format!("`{name}` is no input or parameter of the equations");
                    let parameters = self.parameters.iter().map(|one| one.0.as_str());
                    let names = self.inputs.iter().map(String::as_str).chain(parameters);
                    fault(ParseError::new(item, message).with_help(likely(name, names)))
                })?;
                symbols.push((name.to_owned(), symbol));
            }
        }
        let mut graph = self.graph.clone();
        let exprs: Vec<Expr> = self.outputs.iter().map(|one| one.1).collect();
        let columns: Vec<Expr> = symbols.iter().map(|one| one.1).collect();
        let found = graph.derivatives(&exprs, &columns);
        let mut outputs = Vec::new();
        for (row, (of, _)) in self.outputs.iter().enumerate() {
            for (column, (by, _)) in symbols.iter().enumerate() {
                let [above, below] = [of, by].map(|name| latex_name(name));
                outputs.push(AnswerOutput {
                    label: format!("d{of}/d{by}"),
                    latex: format!("\\frac{{\\partial {above}}}{{\\partial {below}}}"),
                    expr: found.get(row, column),
                });
            }
        }
        Ok(self.answer("diff", "derivatives", graph, outputs, columns.len()))
    }

    /// The program that computes the outputs: its inputs are the parameters, then the inputs.
    pub fn program(&self, name: &str) -> Program {
        self.lowered(name, &self.graph, self.outputs.clone())
    }

    /// Source code of the outputs.
    pub fn generate(&self, language: Language, name: &str) -> Result<Generated, Error> {
        generate_program(self.program(name), language, name, &self.parameters)
    }

    fn answer(
        &self,
        verb: &'static str,
        result: &'static str,
        graph: Graph,
        outputs: Vec<AnswerOutput>,
        columns: usize,
    ) -> Answer {
        Answer {
            verb,
            result,
            graph,
            outputs,
            labelled: true,
            target: "outputs".to_owned(),
            columns,
            operations: self.operations,
            bytes: self.text.len(),
            unused: Vec::new(),
        }
    }

    fn lowered(&self, name: &str, graph: &Graph, outputs: Vec<(String, Expr)>) -> Program {
        let names = self.parameters.iter().map(|one| &one.0).chain(&self.inputs);
        let request = Request {
            name: name.to_owned(),
            inputs: names.filter_map(|name| graph.lookup(name)).collect(),
            outputs: outputs
                .iter()
                .map(|(name, expr)| Target::scalar(name.clone(), *expr))
                .collect(),
            ..Request::default()
        };
        lower(graph, &request).program
    }
}

/// `NAME = TEXT`, with places in the line.
struct Assignment<'t> {
    name: &'t str,
    span: Range<usize>,
    value: &'t str,
    /// Where the value begins.
    start: usize,
}

fn assignment(body: &str, at: usize) -> Result<Assignment<'_>, ParseError> {
    let Some((left, right)) = body.split_once('=') else {
        let help = "write `output NAME = EXPRESSION` or `parameter NAME = NUMBER`";
        return Err(ParseError::new(at..at + body.len(), "expected `NAME = `").with_help(help));
    };
    let name = left.trim();
    let first = at + left.len() - left.trim_start().len();
    let value = right.trim();
    let start = at + left.len() + 1 + right.len() - right.trim_start().len();
    if value.is_empty() {
        return Err(ParseError::new(start..start, "an expression is missing behind `=`"));
    }
    Ok(Assignment { name, span: first..first + name.len(), value, start })
}

#[cfg(test)]
mod tests {
    use super::OwnEquations;

    #[test]
    fn mistakes_have_their_place_in_the_whole_text() {
        let rows = [
            ("input x\noutput y = x + * 2\n", "eq:2:16"),
            ("input x\noutput y = z\n", "eq:2:12"),
            ("input x, x\noutput y = x\n", "`x` is defined twice"),
            ("input x\nparameter k = x\noutput y = x\n", "`x` is a name"),
            ("parameter k = 1/0\noutput y = k\n", "must be finite"),
            ("input x\nout y = x\n", "`out` begins no line"),
            ("input 2x\noutput y = 1\n", "is not a name"),
            ("input x\noutput y\n", "expected `NAME = `"),
            ("input x\noutput y =\n", "an expression is missing"),
            ("a = b\nb = a\noutput y = a\n", "eq:1:5"),
            ("# nothing\n\n", "no output"),
            ("", "no output"),
        ];
        for (text, message) in rows {
            let error = OwnEquations::read(text).expect_err(text).render("eq");
            assert!(error.contains(message), "{text:?}: {error}");
        }
    }

    #[test]
    fn abbreviations_outputs_and_comments() {
        let text = "input a, b # two\n\nparameter k = 1/4\n s = a + b\noutput y = k*s\r\noutput z = y*s # more\n";
        let equations = OwnEquations::read(text).expect("equations");
        assert_eq!(equations.outputs(), ["y", "z"]);
        assert_eq!(equations.parameters(), [("k".to_owned(), 0.25)]);
        assert_eq!(equations.simplify().text().expect("short"), "y = k*(a + b)\nz = k*(a + b)^2\n");
        let program = equations.program("own");
        let names: Vec<&str> = program.inputs().iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["k", "a", "b"]);
        let text = program.to_string();
        assert_eq!(text.parse::<rotule_program::Program>().expect("reads back").to_string(), text);
    }
}
