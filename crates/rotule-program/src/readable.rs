//! The readable face: a program as assignments in ordinary notation, for people. Not read back; the
//! text form is [`print`](crate::print()).
//!
//! Parentheses stand wherever the order of operations needs them, so that the order of the program
//! can be read off.

use crate::index::Value;
use crate::operation::{ArithmeticOperation, Operation};
use crate::passes::{Bounds, inline};
use crate::picks::Picks;
use crate::program::{Block, Program, RegionResult};
use crate::text::number;
use crate::walk::{Step, steps};
use std::collections::HashMap;
use std::fmt::Write;

/// A program as assignments, one in each line. Named values keep their names, the others are called
/// `t1`, `t2` and so on, or are written inside their only consumer.
pub fn readable(program: &Program) -> String {
    let inlined = inline(program, Bounds::default());
    let names = names(program, &inlined);
    let mut writer =
        Writer { program, inlined, names, picks: Picks::of(program), text: String::new() };
    for (block, statements) in program.stages() {
        if !statements.is_empty() {
            writer.line(0, &format!("{}:", block.title()));
            writer.block(block);
        }
    }
    writer.outputs();
    writer.text
}

/// A name for each value that has a line of its own: the given one if it is free, else a new one.
fn names(program: &Program, inlined: &[bool]) -> Vec<String> {
    let mut taken: HashMap<String, u32> = HashMap::new();
    program.inputs().iter().for_each(|input| {
        taken.insert(input.name.clone(), 1);
    });
    // Given names come first, so that a made one never takes a given one away.
    let mut names = vec![String::new(); program.len()];
    let listed = || {
        Block::STAGES.into_iter().flat_map(|block| {
            steps(program, block).flat_map(|step| match step {
                Step::Statement(value) => vec![value],
                Step::Enter(value, region) => {
                    let mut values = program.get_region(region).states.clone();
                    values.push(value);
                    values
                }
                Step::Leave(..) => vec![],
            })
        })
    };
    for value in listed() {
        if let Some(given) = program.name_of(value) {
            names[value.index()] = fresh(&mut taken, given);
        }
    }
    let mut count = 0;
    for value in listed() {
        if names[value.index()].is_empty() && !inlined[value.index()] {
            // Tuples are written by their results.
            if program.operation(value).is_tuple() {
                continue;
            }
            count += 1;
            while taken.contains_key(&format!("t{count}")) {
                count += 1;
            }
            names[value.index()] = format!("t{count}");
        }
    }
    names
}

/// The name itself, or the name and a number where it is taken.
fn fresh(taken: &mut HashMap<String, u32>, name: &str) -> String {
    let Some(mut count) = taken.get(name).copied() else {
        taken.insert(name.into(), 1);
        return name.into();
    };
    loop {
        count += 1;
        let candidate = format!("{name}_{count}");
        if !taken.contains_key(&candidate) {
            taken.insert(name.into(), count);
            taken.insert(candidate.clone(), 1);
            return candidate;
        }
    }
}

struct Writer<'a> {
    program: &'a Program,
    inlined: Vec<bool>,
    names: Vec<String>,
    picks: Picks,
    text: String,
}

/// The binding strength of an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Minus,
    Atom,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        for _ in 0..depth {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn block(&mut self, block: Block) {
        let mut depth = 1;
        for step in steps(self.program, block) {
            match step {
                Step::Statement(value) => self.statement(value, depth),
                Step::Enter(_, id) => {
                    let region = self.program.get_region(id);
                    let tolerance = self.write(region.tolerance, Binding::Sum);
                    let (name, limit) = (&region.name, region.limit);
                    let title = format!(
                        "iterate {name}, at most {limit} times, until residuals <= {tolerance}:"
                    );
                    self.line(depth, &title);
                    depth += 1;
                    for (&state, &initial) in region.states.iter().zip(&region.initial) {
                        let initial = self.write(initial, Binding::Sum);
                        let state = &self.names[state.index()];
                        let line = format!("start {state} = {initial}");
                        self.line(depth, &line);
                    }
                }
                Step::Leave(value, id) => {
                    let region = self.program.get_region(id);
                    for (&state, &next) in region.states.iter().zip(&region.next) {
                        let next = self.write(next, Binding::Sum);
                        let line = format!("next {} = {next}", self.names[state.index()]);
                        self.line(depth, &line);
                    }
                    for &residual in &region.residuals {
                        let line = format!("residual {}", self.write(residual, Binding::Sum));
                        self.line(depth, &line);
                    }
                    depth -= 1;
                    for (index, pick) in self.picks.from_tuple(value).to_vec() {
                        let result = match region.result(index) {
                            Some(RegionResult::State(state)) => self.names[state.index()].clone(),
                            Some(RegionResult::Export(value)) => self.write(value, Binding::Sum),
                            Some(RegionResult::Iterations) => "iterations".into(),
                            Some(RegionResult::Converged) | None => "converged".into(),
                        };
                        let line = format!("{} = {result} of {}", self.named(pick), region.name);
                        self.line(depth, &line);
                    }
                }
            }
        }
    }

    fn statement(&mut self, value: Value, depth: usize) {
        let program = self.program;
        match program.operation(value) {
            Operation::Call { function, arguments } => {
                let function = program.get_function(function);
                // Results that nobody picks are left blank.
                let picked = self.picks.from_tuple(value).to_vec();
                let width = picked.iter().map(|&(index, _)| index as usize + 1).max().unwrap_or(0);
                let mut results = vec!["_".to_string(); width];
                for (index, pick) in picked {
                    let name = self.named(pick);
                    let place = &mut results[index as usize];
                    if place == "_" {
                        *place = name;
                    } else {
                        let _ = write!(place, " = {name}");
                    }
                }
                let arguments = program.arguments(arguments).iter();
                let arguments: Vec<_> =
                    arguments.map(|&argument| self.write(argument, Binding::Sum)).collect();
                let (results, arguments) = (results.join(", "), arguments.join(", "));
                self.line(depth, &format!("({results}) = {}({arguments})", function.name));
            }
            // Written with their tuple.
            Operation::Result { .. } => {}
            _ if self.inlined[value.index()] => {}
            operation => {
                let line = format!("{} = {}", self.named(value), self.expression(operation).0);
                self.line(depth, &line);
            }
        }
    }

    fn outputs(&mut self) {
        for output in self.program.outputs() {
            let vector = output.columns == 1 && !output.symmetric;
            let shape = if vector {
                format!("{}", output.rows)
            } else {
                format!("{}, {}", output.rows, output.columns)
            };
            let symmetric = if output.symmetric { " symmetric" } else { "" };
            self.line(0, &format!("{}({shape}){symmetric}:", output.name));
            for entry in &output.entries {
                let place = if vector {
                    format!("{}", entry.row)
                } else {
                    format!("{}, {}", entry.row, entry.column)
                };
                let value = self.write(entry.value, Binding::Sum);
                self.line(1, &format!("({place}) = {value}"));
            }
        }
    }

    fn named(&self, value: Value) -> String {
        self.names[value.index()].clone()
    }

    /// A value inside an expression that binds it at least so tightly. Recursion goes as deep as
    /// inlining allows.
    fn write(&self, value: Value, binding: Binding) -> String {
        let operation = self.program.operation(value);
        let (text, own) = match operation {
            Operation::Constant(x) if x < 0.0 || x.is_sign_negative() => (number(x), Binding::Sum),
            Operation::Constant(x) => (number(x), Binding::Atom),
            Operation::Input(input) => {
                (self.program.inputs()[input.index()].name.clone(), Binding::Atom)
            }
            _ if self.inlined[value.index()] => self.expression(operation),
            _ => (self.named(value), Binding::Atom),
        };
        if own < binding { format!("({text})") } else { text }
    }

    fn expression(&self, operation: Operation) -> (String, Binding) {
        match operation {
            Operation::Neg(a) => (format!("-{}", self.write(a, Binding::Atom)), Binding::Sum),
            Operation::Arithmetic(arithmetic, a, b) => {
                // A right operand of the same kind needs parentheses: a - (b - c), a*(b*c).
                let (own, right) = match arithmetic {
                    ArithmeticOperation::Add | ArithmeticOperation::Sub => {
                        (Binding::Sum, Binding::Product)
                    }
                    ArithmeticOperation::Mul | ArithmeticOperation::Div => {
                        (Binding::Product, Binding::Minus)
                    }
                };
                let (a, b) = (self.write(a, own), self.write(b, right));
                let sign = arithmetic.sign();
                let gap = if own == Binding::Sum { " " } else { "" };
                (format!("{a}{gap}{sign}{gap}{b}"), own)
            }
            Operation::Unary(function, a) => {
                (format!("{}({})", function.name(), self.write(a, Binding::Sum)), Binding::Atom)
            }
            Operation::Binary(function, a, b) => {
                let (a, b) = (self.write(a, Binding::Sum), self.write(b, Binding::Sum));
                (format!("{}({a}, {b})", function.name()), Binding::Atom)
            }
            Operation::Select { compare, left, right, then, otherwise } => {
                let [left, right, then, otherwise] =
                    [left, right, then, otherwise].map(|value| self.write(value, Binding::Sum));
                let sign = compare.sign();
                (format!("if({left} {sign} {right}, {then}, {otherwise})"), Binding::Atom)
            }
            // Leaves and tuples are never written as expressions of their own.
            other => (other.word().into(), Binding::Atom),
        }
    }
}
