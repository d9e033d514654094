//! Parameters: those with a number become symbols, those with an expression of others abbreviate
//! it.
//!
//! Abbreviations may stand before what they use: they are read in the order of their needs, and a
//! circle among them is reported with all its members.

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{self, Value};
use crate::mechanism::Parameter;
use crate::resolve::{Resolver, short, units};
use crate::units::Unit;
use rotule_symbolic::{Expr, Kind, parse};
use rustc_hash::FxHashMap;

/// The state of reading an abbreviation.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Unread,
    Open,
    Read,
}

impl<'d> Resolver<'d> {
    /// Declares externals, reads all parameters and gives those that stay symbols.
    pub(super) fn parameters(&mut self) -> Vec<Parameter> {
        for external in &self.draft.externals {
            let results = external.results.value;
            if !(1..=1000).contains(&results) || external.arguments.len() > 1000 {
                let message = format!(
                    "external `{}` must give 1 to 1000 results and take at most 1000 arguments",
                    short(&external.name.value)
                );
                self.error(DiagnosticCode::Number, external.results.span, message);
            }
            let results = results.clamp(1, 1000) as usize;
            self.graph.declare_function(&external.name.value, external.arguments.len(), results);
        }
        let mut kept = Vec::new();
        for index in self.order_of_need() {
            if let Some(parameter) = self.parameter(index) {
                kept.push((index, parameter));
            }
        }
        kept.sort_by_key(|(index, _)| *index);
        kept.into_iter().map(|(_, parameter)| parameter).collect()
    }

    /// All parameters, each after those that it uses; reports circles.
    fn order_of_need(&mut self) -> Vec<usize> {
        let draft = self.draft;
        let mut index_of: FxHashMap<&str, usize> = FxHashMap::default();
        for (index, parameter) in draft.parameters.iter().enumerate() {
            index_of.entry(&parameter.name.value).or_insert(index);
        }
        let mut states = vec![State::Unread; draft.parameters.len()];
        let mut order = Vec::with_capacity(states.len());
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        for start in 0..states.len() {
            if states[start] == State::Unread {
                states[start] = State::Open;
                open.push((start, self.needs(start, &index_of)));
            }
            while let Some((index, needs)) = open.last_mut() {
                let Some(need) = needs.pop() else {
                    states[*index] = State::Read;
                    order.push(*index);
                    open.pop();
                    continue;
                };
                match states[need] {
                    State::Unread => {
                        states[need] = State::Open;
                        open.push((need, self.needs(need, &index_of)));
                    }
                    State::Open => self.report_circle(&open, need),
                    State::Read => {}
                }
            }
        }
        order
    }

    /// The parameters that one uses.
    fn needs(&self, index: usize, index_of: &FxHashMap<&str, usize>) -> Vec<usize> {
        let value = self.draft.parameters[index].value.as_ref().map(|value| &value.value);
        let Some(Value::Expression(text)) = value else { return Vec::new() };
        // A text that cannot be read is reported when the parameter itself is.
        let Ok(syntax) = parse(text) else { return Vec::new() };
        syntax.names().iter().filter_map(|name| index_of.get(name.as_str()).copied()).collect()
    }

    fn report_circle(&mut self, open: &[(usize, Vec<usize>)], again: usize) {
        let parameters = &self.draft.parameters;
        // Nothing more is to be said about the one that closes the circle.
        self.values.insert(&parameters[again].name.value, Expr::ZERO);
        let from = open.iter().position(|(index, _)| *index == again).unwrap_or(0);
        let circle: Vec<String> = open[from..]
            .iter()
            .map(|(index, _)| *index)
            .chain([again])
            .map(|index| format!("`{}`", parameters[index].name.value))
            .collect();
        let shown = if circle.len() > 8 {
            format!("{} ... {}", circle[..4].join(" needs "), circle[circle.len() - 1])
        } else {
            circle.join(" needs ")
        };
        let message = format!("parameters are defined in a circle: {shown}");
        let written = &parameters[again];
        let span = written.value.as_ref().map_or(written.name.span, |value| value.span);
        self.out.push(
            Diagnostic::error(DiagnosticCode::Cycle, span, message)
                .help("give one of them a number"),
        );
    }

    /// Reads a parameter; gives it back if it stays a symbol.
    fn parameter(&mut self, index: usize) -> Option<Parameter> {
        let written = &self.draft.parameters[index];
        let name = written.name.value.as_str();
        if self.values.contains_key(name) {
            return None;
        }
        let what = format_args!("parameter `{name}`");
        let unit = self.read_unit(written.unit.as_ref(), what);
        let of = unit.as_ref().map(Unit::dimension);
        let Some(written_value) = &written.value else {
            if let Some(unit) = &unit {
                let place = written.unit.as_ref().map_or(written.name.span, |unit| unit.span);
                self.dimensions.insert(name, (unit.dimension(), place));
            }
            return Some(self.keep(written, f64::NAN, unit.as_ref()));
        };
        let value = self.scalar(written_value, what, of);
        let value = self.in_unit(value, written_value, what, unit.as_ref());
        // A unit may stand behind the number instead of in a key of its own.
        let amount = match &written_value.value {
            Value::Expression(text) => crate::units::amount(text).and_then(Result::ok),
            Value::Number(_) => None,
        };
        let own = unit.as_ref().or(amount.as_ref().map(|amount| &amount.unit));
        if let Some(unit) = own {
            let place = written.unit.as_ref().map_or(written_value.span, |unit| unit.span);
            self.dimensions.insert(name, (unit.dimension(), place));
        }
        if !self.graph.kinds(value).iter().all(|kind| kind != Kind::Parameter) {
            self.values.insert(name, value);
            return None;
        }
        // A constant, however it is written, is a number that a user may want to change. A literal
        // needs no evaluation, whose time grows with the graph; one that is refused has been
        // reported. Zero has no sign.
        let finite = |number: f64| if number.is_finite() { number + 0.0 } else { 0.0 };
        let number = match (&written_value.value, &unit, &amount) {
            (_, _, Some(amount)) => finite(amount.si()),
            (Value::Number(number), Some(unit), _) => unit.to_si(*number),
            (Value::Number(number), None, _) => finite(*number),
            (Value::Expression(_), ..) => {
                let numbers = self.graph.evaluate_f64(&[value], |_| None);
                numbers.map_or(f64::NAN, |numbers| numbers[0])
            }
        };
        if !number.is_finite() {
            let message = format!("parameter `{name}` is not a finite number");
            self.error(DiagnosticCode::Number, written_value.span, message);
        }
        Some(self.keep(written, number, own))
    }

    /// A parameter that stays a symbol.
    fn keep(
        &mut self,
        written: &'d draft::Parameter,
        number: f64,
        own: Option<&Unit>,
    ) -> Parameter {
        let name = written.name.value.as_str();
        let symbol = self.graph.numbered_symbol(name, Kind::Parameter);
        self.values.insert(name, symbol);
        self.numbers.insert(name, number);
        Parameter {
            name: name.to_owned(),
            symbol,
            value: number,
            unit: units::shown(own, written.unit.as_ref()),
            about: written.about.as_ref().map_or(String::new(), |text| text.value.clone()),
            span: written.name.span,
        }
    }
}
