//! Statements of packs, as the functions of batches in C have them.
//!
//! Inputs are loaded just before the first statement that reads them, so that none waits in a
//! register for long, and outputs are stored where they are computed, not once more at the end.

use super::super::external_name;
use crate::header;
use crate::layout::LineText;
use crate::listing::{
    ExternalCall, Iterate, Listing, PackageListing, SincosPack, Statement, UnitText,
};
use rustc_hash::FxHashSet;

/// Sines of so many angles at most are written one by one, so that compilers mix them with what
/// else there is to do.
const FEW: usize = 8;

/// The printer of the statements of one function.
pub struct Printer<'a> {
    model: &'a PackageListing<'a>,
    /// Arrays whose elements are loaded before they are read.
    inputs: Vec<&'a str>,
    /// Arrays whose elements are stored at once.
    outputs: Vec<&'a str>,
    /// Elements that have been loaded.
    loaded: FxHashSet<String>,
    /// The loops that are open: the names of their counts.
    loops: Vec<String>,
}

impl<'a> Printer<'a> {
    /// For a function; `setup` has all that it reads in arrays of packs, and writes there.
    pub fn new(
        model: &'a PackageListing<'a>,
        function: &'a Listing<'a>,
        setup: bool,
    ) -> Printer<'a> {
        let mut printer = Printer {
            model,
            inputs: Vec::new(),
            outputs: Vec::new(),
            loaded: FxHashSet::default(),
            loops: Vec::new(),
        };
        if !setup {
            printer.inputs = function.inputs.iter().map(|input| input.name.as_str()).collect();
            printer.outputs = function.outputs.iter().map(|output| output.name.as_str()).collect();
        }
        printer
    }

    /// Writes a statement.
    pub fn print(&mut self, text: &mut LineText, statement: &Statement) {
        let mut read = Vec::new();
        reads(statement, &mut |expression| read.extend(elements(expression)));
        self.load(text, &read);
        match statement {
            Statement::Remark(remark) => {
                text.line("");
                text.line(&format!("/* {} */", header::one_line(remark)));
            }
            Statement::Let { name, value } => text.line(&format!("const pack {name} = {value};")),
            Statement::Store { places, value } => self.store(text, places, value),
            Statement::Iterate(iterate) => {
                iterate_begin(text, self, iterate);
                iterate.block.iter().for_each(|statement| self.print(text, statement));
                iterate_end(text, self, iterate);
            }
            Statement::Call(call) => print_call(text, self, call),
            Statement::Sincos(pack) => print_sincos(text, pack),
        }
    }

    /// Loads what the loop itself reads; its chunks load for themselves.
    pub fn load_for_loop(&mut self, text: &mut LineText, iterate: &Iterate) {
        let mut read = Vec::new();
        loop_reads(iterate, &mut |expression| read.extend(elements(expression)));
        self.load(text, &read);
    }

    fn load(&mut self, text: &mut LineText, read: &[(&str, &str)]) {
        for &(array, at) in read {
            if self.inputs.contains(&array) && self.loaded.insert(format!("{array}[{at}]")) {
                text.line(&format!("{array}[{at}] = load_of(from_{array} + {at} * n);"));
            }
        }
    }

    /// Writes a value to places: an output's own or an element of another array.
    fn store(&self, text: &mut LineText, places: &[String], value: &str) {
        for place in places {
            match elements(place).next().filter(|(array, _)| self.outputs.contains(array)) {
                Some((array, at)) => {
                    text.line(&format!("store_of(to_{array} + {at} * n, {value});"));
                }
                None => text.line(&format!("{place} = {value};")),
            }
        }
    }

    /// Adds to the failures those of lanes that still run.
    pub fn count_failures(&self, text: &mut LineText, failures: &str) {
        match self.loops.last() {
            None => text.line(&format!("failures += {failures};")),
            Some(count) => {
                text.line(&format!("failures += choose({count}_runs, {failures}, all_of(0.0));"));
            }
        }
    }
}

/// Calls `visit` with all expressions that a statement reads. Recursion goes as deep as regions are
/// nested.
fn reads<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a str)) {
    match statement {
        Statement::Remark(_) => {}
        Statement::Let { value, .. } | Statement::Store { value, .. } => visit(value),
        Statement::Iterate(iterate) => {
            loop_reads(iterate, visit);
            for statement in &iterate.block {
                reads(statement, visit);
            }
        }
        Statement::Call(call) => call.arguments.iter().for_each(|one| visit(one)),
        Statement::Sincos(pack) => pack.angles.iter().for_each(|one| visit(one)),
    }
}

/// Visits the names that a loop reads itself.
fn loop_reads<'a>(iterate: &'a Iterate, visit: &mut dyn FnMut(&'a str)) {
    let ends = iterate.next.iter().chain(&iterate.residuals).chain([&iterate.tolerance]);
    let exports = iterate.exports.iter().map(|(_, value)| value);
    let starts = iterate.states.iter().map(|(_, initial)| initial);
    starts.chain(ends).chain(exports).for_each(|one| visit(one));
}

/// The elements of arrays in an expression: names and numbers.
fn elements(expression: &str) -> impl Iterator<Item = (&str, &str)> {
    let part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    expression.match_indices('[').filter_map(move |(open, _)| {
        let before = &expression[..open];
        let array = &before[before.trim_end_matches(part).len()..];
        let (at, _) = expression[open + 1..].split_once(']')?;
        Some((array, at))
    })
}

fn print_sincos(text: &mut LineText, pack: &SincosPack) {
    match pack.angles.len() {
        count if count <= FEW => print_few(text, pack),
        _ => print_many(text, pack),
    }
}

/// Sines of a few angles have names from the start, so that they stay in registers; only angles
/// that are too large need arrays.
fn print_few(text: &mut LineText, pack: &SincosPack) {
    let (scratch, count) = (&pack.scratch, pack.angles.len());
    for (at, angle) in pack.angles.iter().enumerate() {
        text.line(&format!("const pack {scratch}_a{at} = {angle};"));
        text.line(&format!("pack {scratch}_s{at}, {scratch}_c{at};"));
        text.line(&format!("near_of({scratch}_a{at}, &{scratch}_s{at}, &{scratch}_c{at});"));
    }
    let each = |name: &str| -> Vec<String> {
        (0..count).map(|at| format!("{scratch}_{name}{at}")).collect()
    };
    let (angles, sines, cosines) = (each("a"), each("s"), each("c"));
    let squares: Vec<String> = angles.iter().map(|angle| format!("{angle}*{angle}")).collect();
    text.line(&format!("if (is_far({})) {{", squares.join(" + ")));
    text.depth += 1;
    text.line(&format!("const pack {scratch}_a[{count}] = {{{}}};", angles.join(", ")));
    text.line(&format!("pack {scratch}_s[{count}] = {{{}}};", sines.join(", ")));
    text.line(&format!("pack {scratch}_c[{count}] = {{{}}};", cosines.join(", ")));
    text.line(&format!("far_of({count}, {scratch}_a, {scratch}_s, {scratch}_c);"));
    for at in 0..count {
        text.line(&format!("{scratch}_s{at} = {scratch}_s[{at}];"));
        text.line(&format!("{scratch}_c{at} = {scratch}_c[{at}];"));
    }
    text.depth -= 1;
    text.line("}");
    for (names, found) in [(&pack.sines, &sines), (&pack.cosines, &cosines)] {
        for (name, found) in names.iter().zip(found) {
            if let Some(name) = name {
                text.line(&format!("const pack {name} = {found};"));
            }
        }
    }
}

fn print_many(text: &mut LineText, pack: &SincosPack) {
    let (scratch, count) = (&pack.scratch, pack.angles.len());
    text.line(&format!("const pack {scratch}_in[{count}] = {{{}}};", pack.angles.join(", ")));
    text.line(&format!("pack {scratch}[2][{count}];"));
    text.line(&format!("sincos_of({count}, {scratch}_in, {scratch}[0], {scratch}[1]);"));
    for (row, names) in [&pack.sines, &pack.cosines].into_iter().enumerate() {
        for (at, name) in names.iter().enumerate() {
            if let Some(name) = name {
                text.line(&format!("const pack {name} = {scratch}[{row}][{at}];"));
            }
        }
    }
}

/// Returns `true` if something inside of a loop counts failures of its own.
fn inner_failures(iterate: &Iterate) -> bool {
    let loops = |statement: &Statement| matches!(statement, Statement::Iterate(_));
    let units = |unit: &UnitText| match unit {
        UnitText::Chunk(chunk) => chunk.uses.iterates,
        UnitText::Loop(..) => true,
    };
    iterate.block.iter().any(loops) || iterate.units.iter().any(units)
}

/// Begins a loop.
pub fn iterate_begin(text: &mut LineText, printer: &mut Printer<'_>, iterate: &Iterate) {
    text.line(&format!("/* {} */", header::one_line(&iterate.title)));
    let word = if iterate.in_work { "" } else { "pack " };
    for (state, initial) in &iterate.states {
        text.line(&format!("{word}{state} = {initial};"));
    }
    let count = &iterate.count;
    text.line(&format!("pack {count} = all_of(0.0);"));
    text.line(&format!("pack {} = all_of(0.0);", iterate.converged));
    iterate.exports.iter().for_each(|(name, _)| text.line(&format!("pack {name};")));
    if inner_failures(iterate) {
        // All lanes run, unless a loop around has left some behind.
        match printer.loops.last() {
            None => text.line(&format!("bits {count}_runs = (bits)({count} == {count});")),
            Some(outer) => text.line(&format!("bits {count}_runs = {outer}_runs;")),
        }
    }
    text.line("for (;;) {");
    text.depth += 1;
    printer.loops.push(count.clone());
}

/// A lane that has ended keeps its states, so that it ends in the same way in every further
/// iteration.
pub fn iterate_end(text: &mut LineText, printer: &mut Printer<'_>, iterate: &Iterate) {
    let tests: Vec<String> = iterate
        .residuals
        .iter()
        .map(|residual| format!("(bits)(abs_of({residual}) <= {})", iterate.tolerance))
        .collect();
    let (count, converged) = (&iterate.count, &iterate.converged);
    match tests.is_empty() {
        true => text.line(&format!("{converged} = all_of(1.0);")),
        false => text.line(&format!(
            "{converged} = choose({}, all_of(1.0), all_of(0.0));",
            tests.join(" & ")
        )),
    }
    text.line(&format!(
        "const bits {count}_on = (bits)({converged} < 1.0) & (bits)({count} < {}.0);",
        iterate.limit
    ));
    text.line(&format!("if (!any_of({count}_on)) {{"));
    text.depth += 1;
    iterate.exports.iter().for_each(|(name, value)| text.line(&format!("{name} = {value};")));
    text.line("break;");
    text.depth -= 1;
    text.line("}");
    let changes = || iterate.states.iter().zip(&iterate.next).enumerate();
    if iterate.overlaps {
        for (at, (_, next)) in changes() {
            text.line(&format!("const pack {count}_next{at} = {next};"));
        }
        for (at, ((state, _), _)) in changes() {
            text.line(&format!("{state} = choose({count}_on, {count}_next{at}, {state});"));
        }
    } else {
        for (_, ((state, _), next)) in changes() {
            text.line(&format!("{state} = choose({count}_on, {next}, {state});"));
        }
    }
    text.line(&format!("{count} += choose({count}_on, all_of(1.0), all_of(0.0));"));
    if inner_failures(iterate) {
        text.line(&format!("{count}_runs &= {count}_on;"));
    }
    text.depth -= 1;
    text.line("}");
    printer.loops.pop();
    printer.count_failures(text, &format!("1.0 - {converged}"));
}

/// External functions are called lane by lane.
fn print_call(text: &mut LineText, printer: &Printer<'_>, call: &ExternalCall) {
    let external = &printer.model.externals[call.external];
    let (scratch, arguments) = (&call.scratch, call.arguments.len());
    let results = external.results.max(1);
    let given = if arguments == 0 { "all_of(0.0)".to_owned() } else { call.arguments.join(", ") };
    text.line(&format!("const pack {scratch}_in[{}] = {{{given}}};", arguments.max(1)));
    text.line(&format!("pack {scratch}[{results}];"));
    text.line(&format!("memset({scratch}, 0, sizeof {scratch});"));
    text.line(&format!("for (int {scratch}_l = 0; {scratch}_l < WIDTH; {scratch}_l++) {{"));
    text.depth += 1;
    text.line(&format!("double {scratch}_a[{}], {scratch}_r[{results}];", arguments.max(1)));
    for at in 0..arguments.max(1) {
        text.line(&format!("{scratch}_a[{at}] = lane_of({scratch}_in + {at}, {scratch}_l);"));
    }
    text.line(&format!("{}({scratch}_a, {scratch}_r);", external_name(printer.model, external)));
    for at in 0..external.results {
        text.line(&format!("set_lane({scratch} + {at}, {scratch}_l, {scratch}_r[{at}]);"));
    }
    text.depth -= 1;
    text.line("}");
    for (at, name) in call.results.iter().enumerate() {
        if let Some(name) = name {
            text.line(&format!("const pack {name} = {scratch}[{at}];"));
        }
    }
    for (at, places) in &call.stores {
        let name = call.results[*at].as_deref().unwrap_or("all_of(0.0)");
        printer.store(text, places, name);
    }
}
