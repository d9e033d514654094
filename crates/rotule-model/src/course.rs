//! Courses of inputs: expressions of time that take the place of what the model says.

use crate::laws;
use crate::mechanism::Mechanism;
use rotule_symbolic::{CallReading, Expr, Graph, Kind, Number, ParseError, Scope, likely};

/// Names that a course may use.
struct Names<'a> {
    time: Expr,
    parameters: &'a [(String, Expr)],
}

impl Scope for Names<'_> {
    fn resolve(&mut self, graph: &mut Graph, name: &str) -> Option<Expr> {
        match name {
            "t" => Some(self.time),
            "deg" => {
                let pi = graph.pi();
                let degrees = graph.number(Number::integer(180));
                Some(graph.div(pi, degrees))
            }
            _ => self.parameters.iter().find(|(known, _)| known == name).map(|found| found.1),
        }
    }

    fn call(&mut self, graph: &mut Graph, name: &str, arguments: &[Expr]) -> Option<CallReading> {
        Some(laws::find(name)?.expand(graph, arguments))
    }

    fn calls(&self) -> Vec<String> {
        laws::LAWS.iter().map(|law| law.name.to_owned()).collect()
    }

    fn known(&self, _: &Graph) -> Vec<String> {
        self.parameters.iter().map(|(name, _)| name.clone()).chain(["t".to_owned()]).collect()
    }
}

impl Mechanism {
    /// The position of an input by its name; a message and a remedy if there is none.
    pub fn input(&self, name: &str) -> Result<usize, (String, String)> {
        let own = || self.inputs.iter().filter(|one| one.order == 0);
        let found = self.inputs.iter().position(|one| one.order == 0 && one.name == name);
        found.ok_or_else(|| {
            let message = format!("there is no input `{name}`");
            let help = match own().next() {
                None => "the model has no `[[input]]`".to_owned(),
                Some(_) => likely(name, own().map(|one| one.name.as_str())),
            };
            (message, help)
        })
    }

    /// Gives an input another course, an expression of time and parameters.
    pub fn set_course(&mut self, input: usize, text: &str) -> Result<(), ParseError> {
        let parameters: Vec<(String, Expr)> =
            self.parameters.iter().map(|one| (one.name.clone(), one.symbol)).collect();
        let mut names = Names { time: self.time, parameters: &parameters };
        let mut course = self.graph.parse_in(text, &mut names)?;
        for at in input..self.inputs.len() {
            if self.inputs[at].of != input {
                break;
            }
            self.inputs[at].course = course;
            self.inputs[at].value = self.course_at(at, 0.0).unwrap_or(0.0);
            course = self.graph.derivative(course, self.time);
        }
        Ok(())
    }

    /// The number of an input's course at a time.
    pub fn course_at(&self, input: usize, t: f64) -> Option<f64> {
        let number = |name: &str| match name {
            "t" => Some(t),
            _ => self.index.get(name).map(|&index| self.parameters[index].value),
        };
        self.graph.evaluate_f64(&[self.inputs[input].course], number).ok().map(|values| values[0])
    }

    /// Returns `true` if time moves the course of an input.
    pub fn is_moved_by_time(&self, input: usize) -> bool {
        self.graph.kinds(self.inputs[input].course).contains(Kind::Time)
    }
}
