//! Signals: where the numbers of inputs come from during a run.
//!
//! A course, an expression of time, is put into the equations, so that it is differentiated and its
//! jumps are known like those of laws. A table is interpolated, and a caller's function is called,
//! before every evaluation. An input without a signal keeps the number that it has at the start.

use crate::expressions::{laws, motions, watched};
use crate::inputs::InputPoint;
use crate::table::InputTable;
use rotule_formalism::{MultibodySystem, Problem, normalise};
use rotule_model::mechanism::Mechanism;
use rotule_numeric::state::StateNumbers;
use rotule_symbolic::Expr;
use std::fmt;
use std::sync::{Arc, Mutex};

/// The state that is evaluated, as a caller's signal sees it.
#[derive(Clone, Copy, Debug)]
pub struct SignalPoint<'a> {
    /// Time.
    pub t: f64,
    /// Coordinates.
    pub q: &'a [f64],
    /// Speeds.
    pub qd: &'a [f64],
    /// States of the model.
    pub states: &'a [f64],
}

/// A caller's signal: the number, and its first and second time derivative, which are used only if
/// the input moves joints.
pub type SignalCall = Arc<Mutex<dyn FnMut(SignalPoint<'_>) -> [f64; 3] + Send>>;

/// A signal of an input.
#[derive(Clone)]
pub enum InputSignal {
    /// An expression of time and parameters.
    Course(String),
    /// A table over time.
    Table(InputTable),
    /// A function of the caller, and whether it gives derivatives.
    Call(SignalCall, bool),
}

impl InputSignal {
    /// A function of the caller that gives the number of an input.
    pub fn call(mut call: impl FnMut(SignalPoint<'_>) -> f64 + Send + 'static) -> InputSignal {
        let call = move |point: SignalPoint<'_>| [call(point), 0.0, 0.0];
        InputSignal::Call(Arc::new(Mutex::new(call)), false)
    }

    /// A function of the caller that gives the number of an input and its first and second time
    /// derivative, for an input that moves joints.
    pub fn motion(call: impl FnMut(SignalPoint<'_>) -> [f64; 3] + Send + 'static) -> InputSignal {
        InputSignal::Call(Arc::new(Mutex::new(call)), true)
    }
}

impl fmt::Debug for InputSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputSignal::Course(text) => write!(f, "Course({text:?})"),
            InputSignal::Table(table) => write!(f, "{table:?}"),
            InputSignal::Call(..) => f.write_str("Call"),
        }
    }
}

impl From<&str> for InputSignal {
    fn from(text: &str) -> InputSignal {
        InputSignal::Course(text.to_owned())
    }
}

impl From<String> for InputSignal {
    fn from(text: String) -> InputSignal {
        InputSignal::Course(text)
    }
}

impl From<f64> for InputSignal {
    fn from(number: f64) -> InputSignal {
        InputSignal::Course(format!("{number:?}"))
    }
}

impl From<InputTable> for InputSignal {
    fn from(table: InputTable) -> InputSignal {
        InputSignal::Table(table)
    }
}

/// The signals of a run.
#[derive(Default)]
pub struct Signals {
    /// Inputs with tables and calls, by their positions, with the number of their derivatives.
    sources: Vec<(usize, usize, Source)>,
    /// Inputs that were put into the equations, by their positions.
    courses: Vec<usize>,
    limits: Vec<(usize, [f64; 2])>,
}

enum Source {
    Table(InputTable),
    Call(SignalCall),
}

impl Signals {
    /// A system whose inputs have signals, those that are given or the courses of the model, and
    /// what is left to be done at run time.
    pub fn of(
        tree: MultibodySystem,
        given: Vec<(String, InputSignal)>,
    ) -> Result<(MultibodySystem, Signals), Problem> {
        let mut signals = Signals::default();
        if tree.mechanism.inputs.is_empty() && given.is_empty() {
            return Ok((tree, signals));
        }
        let mut tree = tree;
        let mut told = Vec::new();
        for (name, signal) in given {
            let mechanism = &mut tree.mechanism;
            let fault = |(message, help)| Problem::new(message, help);
            let at = mechanism.input(&name).map_err(fault)?;
            if told.contains(&at) {
                return Err(Problem::new(
                    format!("input `{name}` has two signals"),
                    "leave one out",
                ));
            }
            told.push(at);
            let orders = mechanism.inputs.iter().filter(|one| one.of == at).count() - 1;
            let source = match signal {
                InputSignal::Course(text) => {
                    mechanism.set_course(at, &text).map_err(|fault| {
                        let message = format!("the signal of input `{name}`: {}", fault.message);
                        Problem::new(message, "expected an expression of `t` and parameters")
                    })?;
                    continue;
                }
                InputSignal::Table(table) if orders > 0 && !table.is_smooth() => {
                    return Err(Problem::new(
                        format!("input `{name}` moves a joint, and its table has no derivatives"),
                        "interpolate by `cubic`, or give the input a `filter`",
                    ));
                }
                InputSignal::Call(_, false) if orders > 0 => {
                    return Err(Problem::new(
                        format!(
                            "input `{name}` moves a joint, and its function gives no derivatives"
                        ),
                        "give these, too (`InputSignal::motion`), or give the input a `filter`",
                    ));
                }
                InputSignal::Table(table) => Source::Table(table),
                InputSignal::Call(call, _) => Source::Call(call),
            };
            signals.sources.push((at, orders, source));
        }
        signals.put_courses(&mut tree);
        let mechanism = &tree.mechanism;
        for (at, input) in mechanism.inputs.iter().enumerate() {
            let Some(limits) = input.limits else { continue };
            let numbers = mechanism.evaluate(&limits);
            signals.limits.push((at, [numbers[0], numbers[1]]));
        }
        for (at, _, source) in &signals.sources {
            let limits = signals.limits.iter().find(|(limited, _)| limited == at);
            if let (Source::Table(table), Some((_, limits))) = (source, limits) {
                table.check_limits(*limits).map_err(|error| {
                    let problem = Problem::from(error);
                    let name = &mechanism.inputs[*at].name;
                    Problem { message: format!("input `{name}`, {}", problem.message), ..problem }
                })?;
            }
        }
        Ok((tree, signals))
    }

    /// Puts courses that time moves into the equations.
    fn put_courses(&mut self, tree: &mut MultibodySystem) {
        let mechanism = &mut tree.mechanism;
        let told = |at: usize| self.sources.iter().any(|(own, ..)| *own == at);
        let moved = |at: &usize| {
            let of = mechanism.inputs[*at].of;
            !told(of) && mechanism.is_moved_by_time(of)
        };
        self.courses = (0..mechanism.inputs.len()).filter(moved).collect();
        if self.courses.is_empty() {
            return;
        }
        let pair = |&at: &usize| (mechanism.inputs[at].symbol, mechanism.inputs[at].course);
        let pairs: Vec<(Expr, Expr)> = self.courses.iter().map(pair).collect();
        for list in [laws, watched, motions] {
            let old: Vec<Expr> = list(mechanism).into_iter().map(|one| *one).collect();
            let new = mechanism.graph.substitute(&old, &pairs);
            list(mechanism).into_iter().zip(new).for_each(|(one, new)| *one = new);
        }
        let cache = tree.program_cache.take().map(|cache| {
            let text = |expr: &Expr| tree.mechanism.graph.text(*expr);
            let courses: Vec<String> = pairs.iter().map(|pair| text(&pair.1)).collect();
            cache.variant(format!("courses {}", courses.join("; ")))
        });
        let strategy = tree.strategy.clone();
        *tree =
            MultibodySystem { strategy, program_cache: cache, ..normalise(tree.mechanism.clone()) };
    }

    /// A state with the numbers of signals at its time, which the mechanism gets, too. Filters
    /// begin where their inputs do, unless the state says otherwise.
    pub(crate) fn begin(
        &mut self,
        mechanism: &mut Mechanism,
        state: &StateNumbers,
    ) -> StateNumbers {
        let mut state = state.clone();
        let numbers = mechanism.inputs.iter().map(|one| one.value).collect();
        let point = InputPoint::new(state.t, state.q.clone(), state.qd.clone(), Vec::new());
        let mut point = point.with_states(state.states.clone()).with_inputs(numbers);
        self.fill(&mut point);
        self.show(mechanism, &mut point);
        for (input, &value) in mechanism.inputs.iter_mut().zip(&point.inputs) {
            input.value = value;
        }
        for (at, one) in mechanism.states.iter().enumerate() {
            let Some(name) = one.name.strip_suffix(".filtered") else { continue };
            let Ok(input) = mechanism.input(name) else { continue };
            if state.states[at] == mechanism.evaluate(&[one.initial])[0] {
                state.states[at] = point.inputs[input];
            }
        }
        // What moves joints closes loops, too.
        for (one, &value) in mechanism.states.iter_mut().zip(&state.states) {
            one.initial = mechanism.graph.number(value);
        }
        state.inputs = point.inputs;
        state
    }

    /// Returns `true` if a caller's function is called, which may look at the state.
    pub fn calls(&self) -> bool {
        self.sources.iter().any(|(.., source)| matches!(source, Source::Call(_)))
    }

    /// Puts the numbers of tables and calls into a point.
    pub(crate) fn fill(&mut self, point: &mut InputPoint) {
        for (at, orders, source) in &mut self.sources {
            let InputPoint { t, q, qd, states, inputs, .. } = point;
            let numbers = match source {
                Source::Table(table) => table.at(*t),
                Source::Call(call) => match call.lock() {
                    Ok(mut call) => call(SignalPoint { t: *t, q, qd, states }),
                    // It has failed before.
                    Err(_) => [f64::NAN; 3],
                },
            };
            inputs[*at..=*at + *orders].copy_from_slice(&numbers[..=*orders]);
        }
    }

    /// Puts the numbers of courses into a point, for those who look at them.
    pub(crate) fn show(&self, mechanism: &Mechanism, point: &mut InputPoint) {
        for &at in &self.courses {
            point.inputs[at] = mechanism.course_at(at, point.t).unwrap_or(f64::NAN);
        }
    }

    /// The first input beyond its limits, in words.
    pub(crate) fn beyond(&self, mechanism: &Mechanism, point: &InputPoint) -> Option<String> {
        let (at, [low, high]) = self.limits.iter().find(|(at, [low, high])| {
            let value = point.inputs[*at];
            // Written so that what is not a number is beyond, too.
            !(*low..=*high).contains(&value)
        })?;
        let (name, value) = (&mechanism.inputs[*at].name, point.inputs[*at]);
        Some(format!("input `{name}` is {value}, beyond its limits {low} and {high}"))
    }

    /// The first input whose table or function has no number at a point, in words.
    pub(crate) fn missing(&self, mechanism: &Mechanism, point: &InputPoint) -> Option<String> {
        let (at, _, source) =
            self.sources.iter().find(|(at, ..)| !point.inputs[*at].is_finite())?;
        let (name, t) = (&mechanism.inputs[*at].name, point.t);
        Some(match source {
            Source::Table(table) => {
                let [first, last] = table.ends();
                format!(
                    "the table of input `{name}` goes from {first} s to {last} s; let the run end there, or extrapolate by `hold` or `repeat`"
                )
            }
            Source::Call(_) => {
                format!("the function of input `{name}` gives {} at t = {t}", point.inputs[*at])
            }
        })
    }

    /// Times at which tables are not smooth.
    pub(crate) fn knots(&self, from: f64, to: f64) -> Vec<f64> {
        let mut knots = Vec::new();
        for (.., source) in &self.sources {
            if let Source::Table(table) = source {
                knots.extend(table.knots(from, to));
            }
        }
        knots.sort_by(f64::total_cmp);
        knots.dedup();
        knots
    }
}
