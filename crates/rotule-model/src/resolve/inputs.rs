//! Inputs: numbers from outside, their derivatives, and filters through which they move joints.
//!
//! What moves a joint needs two derivatives. Those of an input are inputs, too, `u.d` and `u.dd`;
//! or the joint follows the input through a filter, whose states have derivatives by themselves:
//!
//! ```text
//! x'' = (u - x)/T^2 - 2 x'/T
//! ```

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{self, Value};
use crate::mechanism::{Mechanism, UserInput, UserState};
use crate::number_check::Want;
use crate::resolve::Resolver;
use crate::resolve::expressions::Offer;
use crate::resolve::units;
use crate::units::Dimension;
use rotule_symbolic::{Direction, Expr, Kind, parse};
use rustc_hash::FxHashSet;

/// The most derivatives of an input.
const DERIVATIVES: u32 = 2;

impl Resolver<'_> {
    /// Fills in inputs; gives the states of their filters.
    pub(super) fn read_inputs(&mut self, mechanism: &mut Mechanism) -> Vec<UserState> {
        let draft = self.draft;
        let moving = moving(draft);
        let mut filters = Vec::new();
        for input in &draft.inputs {
            let name = input.name.value.as_str();
            if !self.names.inputs.contains(name) {
                continue;
            }
            let what = format_args!("input `{name}`");
            let unit = self.read_unit(input.unit.as_ref(), what);
            let of = unit.as_ref().map(crate::units::Unit::dimension);
            if let (Some(written), Some(of)) = (&input.unit, of) {
                self.dimensions.insert(name, (of, written.span));
            }
            let locals = [("t", self.time)];
            let offer = Offer {
                locals: &locals,
                words: "`t` and parameters",
                externals: false,
                states: false,
            };
            let course = match &input.value {
                Some(written) => {
                    let what = format_args!("the value of input `{name}`");
                    let value = self.law(written, what, of, &offer);
                    self.in_unit(value, written, what, unit.as_ref())
                }
                None => Expr::ZERO,
            };
            let limits = input.limits.as_ref().map(|limits| {
                let what = format_args!("a limit of input `{name}`");
                let limits = limits.each_ref().map(|limit| {
                    let value = self.scalar(limit, what, of);
                    self.in_unit(value, limit, what, unit.as_ref())
                });
                let range = self.graph.sub(limits[1], limits[0]);
                self.check(&[range], input.name.span, what, Want::Range);
                limits
            });
            let filtered = input.filter.is_some();
            let order = match &input.derivatives {
                Some(count) if count.value > DERIVATIVES => {
                    let message = format!(
                        "input `{name}` has {} derivatives; at most 2 are inputs",
                        count.value
                    );
                    self.error(DiagnosticCode::Number, count.span, message);
                    DERIVATIVES
                }
                Some(count) => count.value,
                None if moving.contains(name) && !filtered => DERIVATIVES,
                None => 0,
            };
            let shown = units::shown(unit.as_ref(), input.unit.as_ref());
            let about = input.about.as_ref().map_or(String::new(), |text| text.value.clone());
            let first = mechanism.inputs.len();
            let mut course = course;
            for number in 0..=order as usize {
                let name = format!("{name}{}", ["", ".d", ".dd"][number]);
                let symbol = self.graph.symbol(&name, Kind::Input);
                if number > 0 {
                    course = self.graph.derivative(course, self.time);
                    let above = mechanism.inputs[first + number - 1].symbol;
                    self.flows.push((above, symbol));
                }
                self.inputs.insert(name.clone(), symbol);
                let per = ["", "/s", "/s^2"][number];
                mechanism.inputs.push(UserInput {
                    name,
                    symbol,
                    value: 0.0,
                    course,
                    limits: limits.filter(|_| number == 0),
                    of: first,
                    order: number,
                    unit: if shown.is_empty() { String::new() } else { format!("{shown}{per}") },
                    about: if number == 0 { about.clone() } else { String::new() },
                });
            }
            if let Some(written) = &input.filter {
                filters.extend(self.filter(written, &mechanism.inputs[first]));
            }
        }
        mechanism.flows.clone_from(&self.flows);
        self.value_of_inputs(mechanism);
        filters
    }

    /// The states of the filter of an input.
    fn filter(&mut self, written: &draft::DraftValue, input: &UserInput) -> [UserState; 2] {
        let what = format_args!("the filter of input `{}`", input.name);
        let time = self.scalar(written, what, Some(Dimension::TIME));
        self.check(&[time], written.span, what, Want::Positive);
        let names = ["filtered", "filtered.d"].map(|word| format!("{}.{word}", input.name));
        let [x, v] = names.each_ref().map(|name| self.graph.symbol(name, Kind::State));
        let graph = &mut self.graph;
        let gap = graph.sub(input.symbol, x);
        let scaled = graph.div(gap, time);
        let two = graph.number(2);
        let damping = graph.mul(two, v);
        let rest = graph.sub(scaled, damping);
        let rate = graph.div(rest, time);
        self.flows.extend([(x, v), (v, rate)]);
        self.filtered.insert(input.name.clone(), x);
        // A filter begins where its input begins, so that nothing jumps.
        let start = self.graph.substitute(&[input.course], &[(self.time, Expr::ZERO)])[0];
        let state = |name: &String, symbol, initial, rate, unit: String| UserState {
            name: name.clone(),
            symbol,
            initial,
            rate,
            unit,
            about: format!("filter of input `{}`", input.name),
        };
        let per = if input.unit.is_empty() { String::new() } else { format!("{}/s", input.unit) };
        [
            state(&names[0], x, start, v, input.unit.clone()),
            state(&names[1], v, Expr::ZERO, rate, per),
        ]
    }

    /// Sets the numbers of inputs at time zero.
    fn value_of_inputs(&mut self, mechanism: &mut Mechanism) {
        let courses: Vec<Expr> = mechanism.inputs.iter().map(|one| one.course).collect();
        let number =
            |name: &str| if name == "t" { Some(0.0) } else { self.numbers.get(name).copied() };
        for (at, course) in courses.into_iter().enumerate() {
            let value = self.graph.evaluate_f64(&[course], number);
            mechanism.inputs[at].value = value.map_or(0.0, |values| values[0]);
        }
    }

    /// Names of inputs where they move joints: the input, or what follows it.
    pub(super) fn driving(&self) -> Vec<(&str, Expr)> {
        let is_input =
            |name: &str| self.names.inputs.contains(name.split('.').next().unwrap_or(""));
        let plain = self.inputs.iter().filter(|(name, _)| is_input(name));
        let plain = plain.filter(|(name, _)| !self.filtered.contains_key(*name));
        let all = plain.chain(&self.filtered);
        let mut all: Vec<(&str, Expr)> = all.map(|(name, &expr)| (name.as_str(), expr)).collect();
        all.sort_unstable();
        all
    }

    /// The direction in which time moves, and everything that is known to move with it.
    pub(super) fn time_direction(&self) -> Direction {
        let mut rates = vec![(self.time, Expr::ONE)];
        rates.extend(&self.flows);
        Direction { name: "t".to_owned(), rates }
    }

    /// The time derivatives of some expressions of time and inputs.
    pub(super) fn rates_of(&mut self, list: &[Expr]) -> Vec<Expr> {
        let direction = self.time_direction();
        let mut rates = vec![Expr::ZERO; list.len()];
        for (row, _, value) in self.graph.derivatives_along(list, &[direction]).entries {
            rates[row] = value;
        }
        rates
    }

    /// Reports an expression that has an input whose derivative is not known.
    pub(super) fn check_flow(&mut self, list: &[Expr], span: crate::source::Span, what: &str) {
        let known: FxHashSet<Expr> = self.flows.iter().map(|flow| flow.0.abs()).collect();
        let open = self.graph.reachable(list).into_iter().find(|&expr| {
            let is_symbol = self.graph.symbol_of(expr).is_some();
            is_symbol && self.graph.kinds(expr).contains(Kind::Input) && !known.contains(&expr)
        });
        if let Some(open) = open {
            let name = self.graph.text(open);
            let message = format!("{what} needs the derivative of input `{name}`");
            let help = "leave out `derivatives` of the input, or give it a `filter`";
            self.out.push(Diagnostic::error(DiagnosticCode::Motion, span, message).help(help));
        }
    }
}

/// Names of inputs that motions and constraints use, whose derivatives are needed.
fn moving(draft: &draft::Draft) -> FxHashSet<String> {
    let derived = draft.motions.iter().filter(|one| one.qd.is_none() || one.qdd.is_none());
    let motions =
        derived.flat_map(|one| one.q.value.iter().chain(one.qd.iter().flat_map(|qd| &qd.value)));
    let grounds = draft.wheels.iter().filter_map(|wheel| wheel.ground.as_ref());
    let all = motions.chain(draft.constraints.iter().map(|one| &one.expression)).chain(grounds);
    let mut names = FxHashSet::default();
    for value in all {
        if let Value::Expression(text) = &value.value
            && let Ok(syntax) = parse(text)
        {
            names.extend(syntax.names().iter().cloned());
        }
    }
    names
}
