//! Controllers: laws with states of their own, read as states, events and abbreviations.
//!
//! A continuous controller is an expression, its output, and states with rates. A sampled one has
//! states that change at its samples only, by an event with a period; its output is such a state,
//! too, or, where the last two samples are continued in a straight line, an expression of two:
//!
//! ```text
//! at the times first + k every:     states := next(states, what is measured)     held := output
//! ```
//!
//! A delay of whole periods is a chain of states that the samples hand on; the rest of a delay is
//! an event of its own, so much later. Blocks (`pid`, `filter`, `transfer`, `rate_limit`) are
//! written out as such laws.

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{self, ControllerType, Crossing, DraftValue, HoldType};
use crate::mechanism::{Action, Event, EventTarget, Mechanism, UserState};
use crate::number_check::Want;
use crate::resolve::Resolver;
use crate::resolve::signals::{Moving, Reach};
use crate::resolve::states::WORDS;
use crate::units::Dimension;
use rotule_symbolic::{Binary, Compare, Expr, Graph, Kind, Unary};
use rustc_hash::FxHashSet;

/// The most periods that a delay may have.
const DELAYED: f64 = 1000.0;

/// The most coefficients of a transfer function.
const COEFFICIENTS: usize = 20;

/// A state of a controller while it is written.
struct Memory {
    name: String,
    symbol: Expr,
    initial: Expr,
    /// Its rate, or its next value if the controller is sampled.
    law: Expr,
}

/// The law of a controller.
struct Law {
    output: Expr,
    memory: Vec<Memory>,
}

/// A controller with what all its parts need.
struct Block<'d> {
    draft: &'d draft::Controller,
    name: &'d str,
    /// The period, if it is sampled.
    every: Option<Expr>,
    limits: Option<[Expr; 2]>,
}

impl<'d> Resolver<'d> {
    /// Gives every controller a symbol for its output, and symbols for its states.
    pub(super) fn declare_controllers(&mut self) {
        for controller in &self.draft.controllers {
            let name = controller.name.value.as_str();
            if !self.names.controllers.contains(name) {
                continue;
            }
            let held = controller.every.is_some() && !is_continued(controller);
            let symbol = match held {
                true => self.graph.symbol(name, Kind::State),
                // It is replaced by what it stands for once all laws are read.
                false => self.graph.symbol(&format!("controller.{name}"), Kind::State),
            };
            self.inputs.insert(name.to_owned(), symbol);
            for state in &controller.states {
                let name = format!("{name}.{}", state.target.value);
                let symbol = self.graph.symbol(&name, Kind::State);
                self.inputs.insert(name, symbol);
            }
        }
    }

    /// Fills in the states and events of controllers, and notes what their outputs stand for.
    pub(super) fn controllers(&mut self, known: &Moving, mechanism: &mut Mechanism) {
        let (mut applied, mut sampled) = (Vec::new(), Vec::new());
        for controller in &self.draft.controllers {
            let name = controller.name.value.as_str();
            if !self.names.controllers.contains(name) {
                continue;
            }
            let Some(block) = self.block(controller) else { continue };
            let Some(law) = self.written(&block, known) else { continue };
            let output = self.finished(&block, law.output);
            match block.every {
                None => {
                    let symbol = self.inputs[name];
                    self.controlled.push((symbol, output));
                    for one in law.memory {
                        mechanism.states.push(state(
                            one.name,
                            one.symbol,
                            one.initial,
                            one.law,
                            "",
                        ));
                    }
                }
                Some(every) => {
                    let law = Law { output, ..law };
                    self.sampled(&block, every, law, mechanism, (&mut applied, &mut sampled));
                }
            }
        }
        // What was computed before is applied before anything is sampled at the same time.
        applied.append(&mut sampled);
        mechanism.events.extend(applied);
    }

    /// The parts that all controllers have.
    fn block(&mut self, draft: &'d draft::Controller) -> Option<Block<'d>> {
        let name = draft.name.value.as_str();
        let errors = self.out.errors();
        let every = draft.every.as_ref().map(|written| {
            let what = format_args!("the period of controller `{name}`");
            let every = self.scalar(written, what, Some(Dimension::TIME));
            self.check(&[every], written.span, what, Want::Positive);
            every
        });
        let alone = [("delay", draft.delay.is_some()), ("hold", draft.hold.is_some())];
        let alone = alone
            .into_iter()
            .chain([("first", draft.first.is_some()), ("quantum", draft.quantum.is_some())]);
        for (key, _) in alone.filter(|(_, has)| *has && every.is_none()) {
            let message = format!("controller `{name}` has `{key}`, but is continuous");
            let help = "give its period: `every = 0.01`";
            let span = draft.name.span;
            self.out.push(Diagnostic::error(DiagnosticCode::Missing, span, message).help(help));
        }
        let limits = draft.limits.as_ref().map(|limits| {
            let what = format_args!("the limits of controller `{name}`");
            let numbers = limits.each_ref().map(|limit| self.scalar(limit, what, None));
            let range = self.graph.sub(numbers[1], numbers[0]);
            self.check(&[range], draft.name.span, format_args!("controller `{name}`"), Want::Range);
            numbers
        });
        (self.out.errors() == errors).then_some(Block { draft, name, every, limits })
    }

    /// The law of a controller, by its type.
    fn written(&mut self, block: &Block<'d>, known: &Moving) -> Option<Law> {
        let (draft, name) = (block.draft, block.name);
        let kind = draft.kind.as_ref().map_or(ControllerType::Law, |kind| kind.value);
        let used: &[&str] = match kind {
            ControllerType::Law => &["output", "states"],
            ControllerType::Pid => &["input", "kp", "ki", "kd", "time"],
            ControllerType::Filter => &["input", "time"],
            ControllerType::Transfer => &["input", "numerator", "denominator"],
            ControllerType::RateLimit => &["input", "rise", "fall", "time"],
        };
        let given = [
            ("output", draft.output.is_some()),
            ("states", !draft.states.is_empty()),
            ("input", draft.input.is_some()),
            ("kp", draft.kp.is_some()),
            ("ki", draft.ki.is_some()),
            ("kd", draft.kd.is_some()),
            ("time", draft.time.is_some()),
            ("rise", draft.rise.is_some()),
            ("fall", draft.fall.is_some()),
            ("numerator", draft.numerator.is_some()),
            ("denominator", draft.denominator.is_some()),
        ];
        let word = kind.word();
        if let Some((key, _)) = given.iter().find(|(key, has)| *has && !used.contains(key)) {
            let message = format!("controller `{name}` of type `{word}` has no `{key}`");
            let help = format!("it takes {}", used.join(", "));
            let span = draft.name.span;
            self.out.push(Diagnostic::error(DiagnosticCode::UnknownKey, span, message).help(help));
            return None;
        }
        let errors = self.out.errors();
        let law = match kind {
            ControllerType::Law => self.law_of(block, known),
            ControllerType::Pid => self.pid(block, known),
            ControllerType::Filter => self.low_pass(block, known),
            ControllerType::Transfer => self.transfer(block, known),
            ControllerType::RateLimit => self.rate_limit(block, known),
        };
        law.filter(|_| self.out.errors() == errors)
    }

    /// An expression of everything that a controller sees.
    fn seen(&mut self, block: &Block<'d>, written: &DraftValue, of: &str, known: &Moving) -> Expr {
        let name = block.name;
        let mut own: Vec<(&str, Expr)> = vec![("t", self.time)];
        for state in &block.draft.states {
            let word = state.target.value.as_str();
            if let Some(&symbol) = self.inputs.get(&format!("{name}.{word}")) {
                own.push((word, symbol));
            }
        }
        let reach = if block.every.is_some() { Reach::Acceleration } else { Reach::Force };
        let what = format_args!("the {of} of controller `{name}`");
        self.moving(written, what, None, known, (&own, WORDS, reach))
    }

    /// A key that a type must have.
    fn needed<'v>(
        &mut self,
        block: &Block<'d>,
        key: &str,
        value: Option<&'v DraftValue>,
    ) -> Option<&'v DraftValue> {
        if value.is_none() {
            let message = format!("controller `{}` has no `{key}`", block.name);
            self.error(DiagnosticCode::Missing, block.draft.name.span, message);
        }
        value
    }

    /// A constant of a controller; zero if it is not written.
    fn gain(&mut self, block: &Block<'d>, key: &str, value: Option<&DraftValue>) -> Expr {
        let what = format_args!("`{key}` of controller `{}`", block.name);
        self.scalar_or_zero(value, what, None)
    }

    /// A time constant, which is positive.
    fn constant(&mut self, block: &Block<'d>, value: &DraftValue) -> Expr {
        let what = format_args!("`time` of controller `{}`", block.name);
        let time = self.scalar(value, what, Some(Dimension::TIME));
        self.check(&[time], value.span, what, Want::Positive);
        time
    }

    fn memory(&mut self, block: &Block<'d>, word: &str, law: Expr) -> Memory {
        let name = format!("{}.{word}", block.name);
        let symbol = self.graph.symbol(&name, Kind::State);
        let written = block.draft.initial.iter().find(|one| one.target.value == word);
        let initial = written.map_or(Expr::ZERO, |one| {
            self.scalar(&one.value, format_args!("the initial value of `{name}`"), None)
        });
        Memory { name, symbol, initial, law }
    }

    /// The symbol of a state of a block.
    fn own(&mut self, block: &Block<'d>, word: &str) -> Expr {
        self.graph.symbol(&format!("{}.{word}", block.name), Kind::State)
    }

    fn law_of(&mut self, block: &Block<'d>, known: &Moving) -> Option<Law> {
        let output = self.needed(block, "output", block.draft.output.as_ref())?;
        let output = self.seen(block, output, "output", known);
        let mut memory = Vec::new();
        for state in &block.draft.states {
            let word = state.target.value.as_str();
            if !super::is_plain(word) {
                let message =
                    format!("controller `{}`: `{word}` is no name of a state", block.name);
                self.error(DiagnosticCode::Name, state.target.span, message);
                return None;
            }
            let law = self.seen(block, &state.value, &format!("state `{word}`"), known);
            memory.push(self.memory(block, word, law));
        }
        for one in &block.draft.initial {
            let word = one.target.value.as_str();
            let has = block.draft.states.iter().any(|state| state.target.value == word);
            if !has && word != "output" {
                let message = format!("controller `{}` has no state `{word}`", block.name);
                self.error(DiagnosticCode::UnknownName, one.target.span, message);
            }
        }
        Some(Law { output, memory })
    }

    /// `kp e + I + D`: the integral stops where the output is limited and the error would drive it
    /// further.
    fn pid(&mut self, block: &Block<'d>, known: &Moving) -> Option<Law> {
        let draft = block.draft;
        let input = self.needed(block, "input", draft.input.as_ref())?;
        let e = self.seen(block, input, "input", known);
        let [kp, ki, kd] = [("kp", &draft.kp), ("ki", &draft.ki), ("kd", &draft.kd)]
            .map(|(key, gain)| self.gain(block, key, gain.as_ref()));
        let mut memory = Vec::new();
        let graph_mul = |own: &mut Self, a, b| own.graph.mul(a, b);
        let proportional = graph_mul(self, kp, e);
        let integral = self.own(block, "integral");
        let mut terms = vec![proportional];
        if draft.ki.is_some() {
            terms.push(integral);
        }
        if draft.kd.is_some() {
            let time = draft.time.as_ref().map(|time| self.constant(block, time));
            let (derivative, more) = match (block.every, time) {
                (None, None) => {
                    let message =
                        format!("controller `{}` differentiates without a filter", block.name);
                    let help = "give the time constant of its filter: `time = 0.01`";
                    let span = draft.name.span;
                    self.out
                        .push(Diagnostic::error(DiagnosticCode::Missing, span, message).help(help));
                    return None;
                }
                (None, Some(time)) => {
                    // D = kd (e - x)/T with x' = (e - x)/T.
                    let x = self.own(block, "filtered");
                    let gap = self.graph.sub(e, x);
                    let rate = self.graph.div(gap, time);
                    (graph_mul(self, kd, rate), vec![("filtered", rate)])
                }
                (Some(every), time) => {
                    // D = (T D- + kd (e - e-))/(T + every)
                    let (before, last) = (self.own(block, "error"), self.own(block, "derivative"));
                    let time = time.unwrap_or(Expr::ZERO);
                    let change = self.graph.sub(e, before);
                    let (old, new) = (graph_mul(self, time, last), graph_mul(self, kd, change));
                    let above = self.graph.add(old, new);
                    let below = self.graph.add(time, every);
                    let derivative = self.graph.div(above, below);
                    (derivative, vec![("error", e), ("derivative", derivative)])
                }
            };
            terms.push(derivative);
            memory.extend(more.into_iter().map(|(word, law)| self.memory(block, word, law)));
        }
        let output = self.graph.sum(&terms);
        if draft.ki.is_some() {
            let mut growth = graph_mul(self, ki, e);
            if let Some([low, high]) = block.limits {
                growth = winding(&mut self.graph, growth, output, [low, high]);
            }
            let law = match block.every {
                None => growth,
                Some(every) => {
                    let step = graph_mul(self, every, growth);
                    self.graph.add(integral, step)
                }
            };
            let one = self.memory(block, "integral", law);
            memory.push(one);
        }
        Some(Law { output, memory })
    }

    /// A low-pass filter of first order; a sampled one is exact for inputs that are held.
    fn low_pass(&mut self, block: &Block<'d>, known: &Moving) -> Option<Law> {
        let input = self.needed(block, "input", block.draft.input.as_ref())?;
        let input = self.seen(block, input, "input", known);
        let time = self.needed(block, "time", block.draft.time.as_ref())?;
        let time = self.constant(block, time);
        let x = self.own(block, "value");
        let gap = self.graph.sub(input, x);
        let law = match block.every {
            None => self.graph.div(gap, time),
            Some(every) => {
                let ratio = self.graph.div(every, time);
                let rest = self.graph.unary(Unary::Exp, -ratio);
                let part = self.graph.sub(Expr::ONE, rest);
                let step = self.graph.mul(part, gap);
                self.graph.add(x, step)
            }
        };
        let output = if block.every.is_some() { law } else { x };
        let memory = vec![self.memory(block, "value", law)];
        Some(Law { output, memory })
    }

    /// A transfer function: of s, highest power first; of a sampled controller of 1/z, lowest
    /// first.
    fn transfer(&mut self, block: &Block<'d>, known: &Moving) -> Option<Law> {
        let (draft, name) = (block.draft, block.name);
        let input = self.needed(block, "input", draft.input.as_ref())?;
        let u = self.seen(block, input, "input", known);
        let (Some(above), Some(below)) = (&draft.numerator, &draft.denominator) else {
            let message = format!("controller `{name}` has no `numerator` or no `denominator`");
            self.error(DiagnosticCode::Missing, draft.name.span, message);
            return None;
        };
        let what = format_args!("a coefficient of controller `{name}`");
        let mut b: Vec<Expr> = above.value.iter().map(|one| self.scalar(one, what, None)).collect();
        let mut a: Vec<Expr> = below.value.iter().map(|one| self.scalar(one, what, None)).collect();
        if a.is_empty() || b.is_empty() || a.len().max(b.len()) > COEFFICIENTS {
            let message =
                format!("controller `{name}` has none or more than {COEFFICIENTS} coefficients");
            self.error(DiagnosticCode::Dimension, below.span, message);
            return None;
        }
        let pivot = a[0];
        let first = format_args!("the first coefficient of the denominator of controller `{name}`");
        self.check(&[pivot], below.span, first, Want::Divisor);
        let divide = |own: &mut Self, list: &mut Vec<Expr>| {
            list.iter_mut().for_each(|one| *one = own.graph.div(*one, pivot));
        };
        divide(self, &mut a);
        divide(self, &mut b);
        if block.every.is_some() {
            b.resize(b.len().max(a.len()), Expr::ZERO);
            a.resize(b.len(), Expr::ZERO);
        } else {
            if b.len() > a.len() {
                let message = format!("controller `{name}` differentiates its input");
                let help =
                    "let the denominator have as many coefficients as the numerator, or more";
                let span = above.span;
                self.out
                    .push(Diagnostic::error(DiagnosticCode::Dimension, span, message).help(help));
                return None;
            }
            let missing = a.len() - b.len();
            b.splice(0..0, std::iter::repeat_n(Expr::ZERO, missing));
        }
        let order = a.len() - 1;
        let x: Vec<Expr> = (1..=order).map(|at| self.own(block, &format!("x{at}"))).collect();
        // Observer form, of either kind: y = x1 + b0 u, and each state hands on to the one before.
        let through = self.graph.mul(b[0], u);
        let y = match x.first() {
            Some(&first) => self.graph.add(first, through),
            None => through,
        };
        let mut memory = Vec::new();
        for at in 0..order {
            let fed = self.graph.mul(b[at + 1], u);
            let back = self.graph.mul(a[at + 1], y);
            let next = x.get(at + 1).copied().unwrap_or(Expr::ZERO);
            let law = self.graph.sum(&[next, fed, -back]);
            memory.push(self.memory(block, &format!("x{}", at + 1), law));
        }
        Some(Law { output: y, memory })
    }

    /// A limit of the rate with which the output follows its input.
    fn rate_limit(&mut self, block: &Block<'d>, known: &Moving) -> Option<Law> {
        let draft = block.draft;
        let input = self.needed(block, "input", draft.input.as_ref())?;
        let input = self.seen(block, input, "input", known);
        let rise = self.needed(block, "rise", draft.rise.as_ref())?;
        let rise = self.gain(block, "rise", Some(rise));
        let fall = draft.fall.as_ref().map_or(rise, |fall| self.gain(block, "fall", Some(fall)));
        let what = format_args!("a rate of controller `{}`", block.name);
        self.check(&[rise], draft.name.span, what, Want::Positive);
        self.check(&[fall], draft.name.span, what, Want::Positive);
        let x = self.own(block, "value");
        let gap = self.graph.sub(input, x);
        let law = match (block.every, &draft.time) {
            (Some(every), None) => {
                let [most, least] = [rise, -fall].map(|rate| self.graph.mul(rate, every));
                let step = clamp(&mut self.graph, gap, [least, most]);
                self.graph.add(x, step)
            }
            (None, Some(time)) => {
                let time = self.constant(block, time);
                let rate = self.graph.div(gap, time);
                clamp(&mut self.graph, rate, [-fall, rise])
            }
            (Some(_), Some(time)) => {
                let message = format!("controller `{}` is sampled and has a `time`", block.name);
                self.error(DiagnosticCode::Ambiguous, time.span, message);
                return None;
            }
            (None, None) => {
                let message = format!("controller `{}` has no `time`", block.name);
                let help =
                    "a continuous limit follows its input with a time constant: `time = 0.01`";
                let span = draft.name.span;
                self.out.push(Diagnostic::error(DiagnosticCode::Missing, span, message).help(help));
                return None;
            }
        };
        let output = if block.every.is_some() { law } else { x };
        let memory = vec![self.memory(block, "value", law)];
        Some(Law { output, memory })
    }

    /// The output with its quantisation and within its limits.
    fn finished(&mut self, block: &Block<'d>, mut output: Expr) -> Expr {
        if let Some(written) = &block.draft.quantum {
            let what = format_args!("the quantum of controller `{}`", block.name);
            let quantum = self.scalar(written, what, None);
            self.check(&[quantum], written.span, what, Want::Positive);
            let half = self.graph.number(0.5);
            let ratio = self.graph.div(output, quantum);
            let shifted = self.graph.add(ratio, half);
            let steps = self.graph.unary(Unary::Floor, shifted);
            output = self.graph.mul(quantum, steps);
        }
        match block.limits {
            Some(limits) => clamp(&mut self.graph, output, limits),
            None => output,
        }
    }

    /// The states and events of a sampled controller.
    fn sampled(
        &mut self,
        block: &Block<'d>,
        every: Expr,
        law: Law,
        mechanism: &mut Mechanism,
        (applied, sampled): (&mut Vec<Event>, &mut Vec<Event>),
    ) {
        let (draft, name) = (block.draft, block.name);
        let first = self.scalar_or_zero(
            draft.first.as_ref(),
            format_args!("the first sample of controller `{name}`"),
            Some(Dimension::TIME),
        );
        let unit = draft.unit.as_ref().map_or("", |unit| unit.value.as_str());
        let written = draft.initial.iter().find(|one| one.target.value == "output");
        let start = written.map_or(Expr::ZERO, |one| {
            self.scalar(&one.value, format_args!("the first output of controller `{name}`"), None)
        });
        let mut sample = Vec::new();
        for one in law.memory {
            let target = EventTarget::State(mechanism.states.len());
            mechanism.states.push(state(one.name, one.symbol, one.initial, Expr::ZERO, ""));
            sample.push(Action::Set { target, value: one.law });
        }
        let mut add = |own: &mut Self, name: String, initial: Expr, unit: &str| {
            let symbol = own.graph.symbol(&name, Kind::State);
            let target = EventTarget::State(mechanism.states.len());
            mechanism.states.push(state(name, symbol, initial, Expr::ZERO, unit));
            (symbol, target)
        };
        let Some((whole, rest, off)) = self.delay(block, every) else { return };
        // What was sampled waits in a chain, one period in each place.
        let mut waiting = law.output;
        let places = whole + usize::from(rest.is_some());
        for at in 1..=places {
            let (symbol, target) = add(self, format!("{name}.sent{at}"), start, unit);
            sample.push(Action::Set { target, value: waiting });
            waiting = symbol;
        }
        // What is applied: the number itself, or what the last two say.
        let mut apply = Vec::new();
        if is_continued(draft) {
            let (now, now_at) = add(self, format!("{name}.now"), start, unit);
            let (before, before_at) = add(self, format!("{name}.before"), start, unit);
            let (since, since_at) = add(self, format!("{name}.since"), Expr::ZERO, "s");
            apply.push(Action::Set { target: before_at, value: now });
            apply.push(Action::Set { target: now_at, value: waiting });
            apply.push(Action::Set { target: since_at, value: self.time });
            let graph = &mut self.graph;
            let (change, passed) = (graph.sub(now, before), graph.sub(self.time, since));
            let slope = graph.div(change, every);
            let rise = graph.mul(slope, passed);
            let line = graph.add(now, rise);
            let symbol = self.inputs[name];
            self.controlled.push((symbol, line));
        } else {
            let (_, target) = add(self, name.to_owned(), start, unit);
            apply.push(Action::Set { target, value: waiting });
        }
        let event = |word: &str, [every, first]: [Expr; 2], actions: Vec<Action>| Event {
            name: format!("{name}{word}"),
            when: Expr::ONE,
            period: Some([every, first, off]),
            direction: Crossing::Both,
            actions,
            message: String::new(),
            stop: false,
        };
        match rest {
            None => {
                sample.extend(apply);
                sampled.push(event("", [every, first], sample));
            }
            Some(rest) => {
                sampled.push(event("", [every, first], sample));
                let later = self.graph.add(first, rest);
                applied.push(event(".applied", [every, later], apply));
            }
        }
    }

    /// The whole periods of a delay, what is left of it if that is not nothing, and what is zero
    /// while parameters leave both as they are.
    fn delay(&mut self, block: &Block<'d>, every: Expr) -> Option<(usize, Option<Expr>, Expr)> {
        let Some(written) = &block.draft.delay else { return Some((0, None, Expr::ZERO)) };
        let what = format_args!("the delay of controller `{}`", block.name);
        let delay = self.scalar(written, what, Some(Dimension::TIME));
        self.check(&[delay], written.span, what, Want::Gain);
        let number = |name: &str| self.numbers.get(name).copied();
        let numbers = self.graph.evaluate_f64(&[delay, every], number).ok()?;
        let periods = numbers[0] / numbers[1];
        // The nearest whole number, but for rounding of written digits.
        let whole = if (periods - periods.round()).abs() < 1e-9 {
            periods.round()
        } else {
            periods.floor()
        };
        if whole.is_nan() || whole > DELAYED {
            let message = format!("{what} is longer than {DELAYED} periods");
            self.error(DiagnosticCode::Limit, written.span, message);
            return None;
        }
        let exact = whole == periods.round() && (periods - whole).abs() < 1e-9;
        // Both floors are the whole periods of an exact delay; of another, one is one more.
        let graph = &mut self.graph;
        let ratio = graph.div(delay, every);
        let mut off = graph.number(-2 * whole as i64 - i64::from(!exact));
        for shift in [1e-9, 1.0 - 1e-9] {
            let shift = graph.number(shift);
            let shifted = graph.add(ratio, shift);
            let floor = graph.unary(Unary::Floor, shifted);
            off = graph.add(off, floor);
        }
        let count = graph.number(whole as i64);
        let past = graph.mul(count, every);
        let rest = (!exact).then(|| graph.sub(delay, past));
        Some((whole as usize, rest, off))
    }

    /// Puts what outputs stand for in the place of their symbols, everywhere; reports outputs that
    /// need each other in a circle.
    pub(super) fn settle_controllers(&mut self, mechanism: &mut Mechanism) {
        let mut open = std::mem::take(&mut self.controlled);
        let symbols: FxHashSet<Expr> = open.iter().map(|one| one.0.abs()).collect();
        let mut known: Vec<(Expr, Expr)> = Vec::new();
        while !open.is_empty() {
            let needs = |own: &Self, expr: Expr, known: &[(Expr, Expr)]| {
                own.graph.reachable(&[expr]).into_iter().any(|below| {
                    symbols.contains(&below) && !known.iter().any(|one| one.0.abs() == below)
                })
            };
            let (ready, later): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|one| !needs(self, one.1, &known));
            if ready.is_empty() {
                let names: Vec<String> = later
                    .iter()
                    .map(|one| self.graph.text(one.0).replacen("controller.", "", 1))
                    .collect();
                let message = format!(
                    "outputs of controllers depend on each other in a circle: `{}`",
                    names.join("`, `")
                );
                let help = "sample one of them with `every`, or let it have a state that follows";
                let first = self.draft.controllers.iter();
                let span = first.map(|one| &one.name).find(|one| one.value == names[0]);
                let span = span.map_or(self.draft.span, |name| name.span);
                self.out.push(Diagnostic::error(DiagnosticCode::Cycle, span, message).help(help));
                break;
            }
            for (symbol, output) in ready {
                let output = self.graph.substitute(&[output], &known)[0];
                known.push((symbol, output));
            }
            open = later;
        }
        if known.is_empty() {
            return;
        }
        let mut all: Vec<&mut Expr> = Vec::new();
        all.extend(mechanism.joints.iter_mut().flat_map(|joint| &mut joint.effort));
        all.extend(mechanism.line_forces.iter_mut().map(|one| &mut one.force));
        for force in &mut mechanism.forces {
            all.extend(force.force.0.iter_mut().chain(&mut force.torque.0));
        }
        all.extend(mechanism.wheels.iter_mut().flat_map(|wheel| &mut wheel.laws));
        all.extend(mechanism.states.iter_mut().map(|state| &mut state.rate));
        all.extend(mechanism.outputs.iter_mut().map(|output| &mut output.value));
        for event in &mut mechanism.events {
            all.push(&mut event.when);
            all.extend(event.actions.iter_mut().filter_map(|action| match action {
                Action::Set { value, .. } => Some(value),
                _ => None,
            }));
        }
        let old: Vec<Expr> = all.iter().map(|one| **one).collect();
        let new = self.graph.substitute(&old, &known);
        all.into_iter().zip(new).for_each(|(one, new)| *one = new);
    }
}

/// Returns `true` if the last two samples are continued.
fn is_continued(controller: &draft::Controller) -> bool {
    controller.hold.as_ref().is_some_and(|hold| hold.value == HoldType::First)
}

fn state(name: String, symbol: Expr, initial: Expr, rate: Expr, unit: &str) -> UserState {
    let about = "of a controller".to_owned();
    UserState { name, symbol, initial, rate, unit: unit.to_owned(), about }
}

/// A value within limits.
fn clamp(graph: &mut Graph, value: Expr, [low, high]: [Expr; 2]) -> Expr {
    let below = graph.binary(Binary::Min, high, value);
    graph.binary(Binary::Max, low, below)
}

/// The growth of an integral, none where the output is beyond a limit and would go further.
fn winding(graph: &mut Graph, growth: Expr, output: Expr, [low, high]: [Expr; 2]) -> Expr {
    let up = graph.binary(Binary::Min, Expr::ZERO, growth);
    let down = graph.binary(Binary::Max, Expr::ZERO, growth);
    let above = graph.select(Compare::Less, high, output, up, growth);
    graph.select(Compare::Less, output, low, down, above)
}
