//! The printer of the text form, also for programs that the verifier would refuse: a value that no
//! block lists is shown as `%!` and its place in the arena.

use super::lex;
use crate::index::Value;
use crate::operation::Operation;
use crate::program::{Block, ForeignSignature, Program, ProgramOutput, RegionRole};
use crate::walk::{Step, all_steps, steps};
use std::borrow::Cow;
use std::fmt::{self, Write};

/// The text of a program.
pub fn print(program: &Program) -> String {
    program.to_string()
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { program: self, numbers: numbers(self), out: f }.program()
    }
}

/// The number behind `%` that each value has in the text; none for constants, inputs and values
/// that no block lists.
pub fn numbers(program: &Program) -> Vec<Option<u32>> {
    let mut numbers = vec![None; program.len()];
    let mut count = 0;
    let mut assign = |value: Value| {
        if let Some(number @ None) = numbers.get_mut(value.index()) {
            *number = Some(count);
            count += 1;
        }
    };
    for step in all_steps(program) {
        match step {
            Step::Statement(value) => assign(value),
            Step::Enter(value, region) => {
                assign(value);
                program.get_region(region).states.iter().copied().for_each(&mut assign);
            }
            Step::Leave(..) => {}
        }
    }
    numbers
}

/// A number with the fewest digits that read back to the same bits, in powers of ten only where
/// that saves some room.
pub(crate) fn number(x: f64) -> String {
    if x.is_nan() {
        return "nan".into();
    }
    let plain = format!("{x}");
    let scientific = format!("{x:e}");
    if scientific.len() + 2 < plain.len() { scientific } else { plain }
}

/// A name as the text writes it, in quotes if it must be.
fn name(name: &str) -> Cow<'_, str> {
    if lex::is_bare(name) {
        return name.into();
    }
    let mut quoted = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.extend(c.escape_unicode()),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted.into()
}

struct Printer<'a, 'f> {
    program: &'a Program,
    numbers: Vec<Option<u32>>,
    out: &'a mut fmt::Formatter<'f>,
}

impl Printer<'_, '_> {
    fn program(&mut self) -> fmt::Result {
        let program = self.program;
        writeln!(self.out, "program {}", name(&program.name))?;
        for (k, input) in program.inputs.iter().enumerate() {
            let gap = if k == 0 { "\n" } else { "" };
            writeln!(self.out, "{gap}input {} {}", name(&input.name), input.kind)?;
        }
        for (k, function) in program.functions.iter().enumerate() {
            self.out.write_str(if k == 0 { "\n" } else { "" })?;
            self.function(function)?;
        }
        for (block, statements) in program.stages() {
            if !statements.is_empty() {
                writeln!(self.out, "\n{}", block.title())?;
                self.block(block)?;
            }
        }
        program.outputs.iter().try_for_each(|output| self.output(output))?;
        for (k, mark) in program.marks.iter().enumerate() {
            let gap = if k == 0 { "\n" } else { "" };
            write!(self.out, "{gap}mark {} {}", mark.tag.kind, name(&mark.tag.name))?;
            for &value in &mark.values {
                self.out.write_char(' ')?;
                self.reference(value)?;
            }
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn function(&mut self, function: &ForeignSignature) -> fmt::Result {
        let ForeignSignature { arguments, results, .. } = function;
        write!(self.out, "function {}({arguments}) -> {results}", name(&function.name))?;
        if let Some(partner) = function.derivative_of {
            let base = self.program.functions.get(partner.of.index());
            let base = base.map_or("!", |base| &base.name);
            write!(self.out, " derivative of {} along {}", name(base), partner.directions)?;
        }
        writeln!(self.out)
    }

    fn block(&mut self, block: Block) -> fmt::Result {
        let program = self.program;
        let mut depth = 1;
        for step in steps(program, block) {
            match step {
                Step::Statement(value) => {
                    self.indent(depth)?;
                    self.statement(value)?;
                }
                Step::Enter(value, id) => {
                    self.indent(depth)?;
                    depth += 1;
                    let region = program.get_region(id);
                    self.define(value)?;
                    write!(self.out, "region {}", name(&region.name))?;
                    if region.role != RegionRole::Unknowns {
                        write!(self.out, " role {}", region.role.word())?;
                    }
                    write!(self.out, " limit {}", region.limit)?;
                    self.out.write_str(" tolerance")?;
                    self.operands(&[region.tolerance])?;
                    writeln!(self.out)?;
                    for (&state, &initial) in region.states.iter().zip(&region.initial) {
                        self.indent(depth)?;
                        self.out.write_str("state ")?;
                        self.define(state)?;
                        self.operand(initial)?;
                        writeln!(self.out)?;
                    }
                }
                Step::Leave(_, id) => {
                    let region = program.get_region(id);
                    let ends = [
                        ("next", &region.next),
                        ("residual", &region.residuals),
                        ("export", &region.exports),
                    ];
                    for (word, values) in ends {
                        if !values.is_empty() {
                            self.indent(depth)?;
                            self.out.write_str(word)?;
                            self.operands(values)?;
                            writeln!(self.out)?;
                        }
                    }
                    depth -= 1;
                    self.indent(depth)?;
                    writeln!(self.out, "end")?;
                }
            }
        }
        Ok(())
    }

    fn indent(&mut self, depth: usize) -> fmt::Result {
        (0..depth).try_for_each(|_| self.out.write_str("  "))
    }

    /// Writes `%5 name = `.
    fn define(&mut self, value: Value) -> fmt::Result {
        self.reference(value)?;
        if let Some(given) = self.program.name_of(value) {
            write!(self.out, " {}", name(given))?;
        }
        self.out.write_str(" = ")
    }

    fn reference(&mut self, value: Value) -> fmt::Result {
        match self.numbers.get(value.index()) {
            Some(Some(number)) => write!(self.out, "%{number}"),
            _ => write!(self.out, "%!{}", value.index()),
        }
    }

    fn operand(&mut self, value: Value) -> fmt::Result {
        match self.program.operations.get(value.index()) {
            Some(&Operation::Constant(x)) => self.out.write_str(&number(x)),
            Some(&Operation::Input(id)) if id.index() < self.program.inputs.len() => {
                self.out.write_str(&name(&self.program.inputs[id.index()].name))
            }
            _ => self.reference(value),
        }
    }

    fn operands(&mut self, values: &[Value]) -> fmt::Result {
        values.iter().try_for_each(|&value| {
            self.out.write_char(' ')?;
            self.operand(value)
        })
    }

    fn statement(&mut self, value: Value) -> fmt::Result {
        self.define(value)?;
        let program = self.program;
        let Some(&operation) = program.operations.get(value.index()) else {
            return writeln!(self.out, "!");
        };
        self.out.write_str(operation.word())?;
        match operation {
            Operation::Constant(x) => write!(self.out, " {}", number(x))?,
            Operation::Input(id) => write!(self.out, " !{}", id.index())?,
            Operation::State(region, k) => write!(self.out, " !{} {k}", region.index())?,
            Operation::Region(region) => write!(self.out, " !{}", region.index())?,
            Operation::Neg(a) | Operation::Unary(_, a) => self.operands(&[a])?,
            Operation::Arithmetic(_, a, b) | Operation::Binary(_, a, b) => {
                self.operands(&[a, b])?;
            }
            Operation::Select { compare, left, right, then, otherwise } => {
                self.operands(&[left])?;
                write!(self.out, " {}", compare.sign())?;
                self.operands(&[right])?;
                self.out.write_str(" then")?;
                self.operands(&[then])?;
                self.out.write_str(" else")?;
                self.operands(&[otherwise])?;
            }
            Operation::Call { function, arguments } => {
                let called = program.functions.get(function.index());
                write!(self.out, " {}", name(called.map_or("!", |called| &called.name)))?;
                self.operands(program.arguments(arguments))?;
            }
            Operation::Result { of, index } => {
                self.operands(&[of])?;
                write!(self.out, " {index}")?;
            }
        }
        writeln!(self.out)
    }

    fn output(&mut self, output: &ProgramOutput) -> fmt::Result {
        let ProgramOutput { rows, columns, .. } = output;
        write!(self.out, "\noutput {}", name(&output.name))?;
        // A column is a vector, unless it must say that it is symmetric.
        let vector = *columns == 1 && !output.symmetric;
        if vector {
            writeln!(self.out, "({rows})")?;
        } else {
            let symmetric = if output.symmetric { " symmetric" } else { "" };
            writeln!(self.out, "({rows}, {columns}){symmetric}")?;
        }
        for entry in &output.entries {
            if vector && entry.column == 0 {
                write!(self.out, "  ({}) = ", entry.row)?;
            } else {
                write!(self.out, "  ({}, {}) = ", entry.row, entry.column)?;
            }
            self.operand(entry.value)?;
            writeln!(self.out)?;
        }
        Ok(())
    }
}
