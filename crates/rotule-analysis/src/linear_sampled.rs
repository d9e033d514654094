//! Discrete linear models: inputs that are held, and controllers that sample.
//!
//! Between samples a linear model flows exactly, and at samples it jumps:
//!
//! ```text
//! x(t + h) = e^(A h) x + (integral of e^(A s) B) u      both from the exponential of [A B; 0 0] h
//! x+       = F x + G u                                  one map for each event, in the order of the file
//! ```
//!
//! The period of the model is the least common multiple of those of all events.

use crate::linear::StateSpace;
use nalgebra::DMatrix;
use rotule_formalism::Problem;
use rotule_model::mechanism::Mechanism;
use rotule_symbolic::{Expr, Kind, Node, Unary};

/// An event that happens again and again, as a linear map.
#[derive(Clone, Debug)]
pub(crate) struct SampledEvent {
    /// Its name.
    pub name: String,
    /// Its period.
    pub every: f64,
    /// One of its instants.
    pub first: f64,
    /// The states that it sets, each with a row by `x`, then `u`.
    pub rows: Vec<(usize, Vec<f64>)>,
}

/// The most samples in a period of the model.
const SAMPLES: usize = 1000;
/// Instants closer than this part of the period are one.
const TOGETHER: f64 = 1e-9;

/// Refuses values whose linear part would be wrong: rounded ones, and those of time.
pub(crate) fn check_value(mechanism: &Mechanism, event: &str, value: Expr) -> Result<(), Problem> {
    let (graph, event) = (&mechanism.graph, event.trim_end_matches(".applied"));
    let rounds = |node: &Expr| matches!(graph.node(*node), Node::Unary(Unary::Floor, _));
    if graph.reachable(&[value]).iter().any(rounds) {
        let message = format!("controller `{event}` rounds its output, which has no linear model");
        return Err(Problem::new(message, "leave out its `quantum`"));
    }
    if graph.kinds(value).contains(Kind::Time) {
        let message = format!("controller `{event}` uses the time, which has no linear model");
        let help =
            "hold its output with `hold = \"zero\"`, and let an `[[input]]` take the place of `t`";
        return Err(Problem::new(message, help));
    }
    Ok(())
}

/// A linear map of `x` and `u`.
struct Map {
    x: DMatrix<f64>,
    u: DMatrix<f64>,
}

impl Map {
    fn identity(model: &StateSpace) -> Map {
        let size = model.a.nrows();
        Map { x: DMatrix::identity(size, size), u: DMatrix::zeros(size, model.b.ncols()) }
    }

    /// The flow for a time between samples.
    fn flow(model: &StateSpace, time: f64) -> Map {
        let (size, inputs) = (model.a.nrows(), model.b.ncols());
        let mut both = DMatrix::zeros(size + inputs, size + inputs);
        both.view_mut((0, 0), (size, size)).copy_from(&(&model.a * time));
        both.view_mut((0, size), (size, inputs)).copy_from(&(&model.b * time));
        let found = exponential(&both);
        let part =
            |column: usize, count: usize| found.view((0, column), (size, count)).into_owned();
        Map { x: part(0, size), u: part(size, inputs) }
    }

    /// The jump of an event.
    fn event(model: &StateSpace, event: &SampledEvent) -> Map {
        let mut map = Map::identity(model);
        for (state, row) in &event.rows {
            let (x, u) = row.split_at(model.a.ncols());
            x.iter().enumerate().for_each(|(column, value)| map.x[(*state, column)] = *value);
            u.iter().enumerate().for_each(|(column, value)| map.u[(*state, column)] = *value);
        }
        map
    }

    /// This map, then another.
    fn then(&self, next: &Map) -> Map {
        Map { x: &next.x * &self.x, u: &next.x * &self.u + &next.u }
    }
}

/// The discrete model of a continuous one with events that sample, or with inputs that are held for
/// a period; the continuous one if there is neither.
pub(crate) fn discrete(
    model: StateSpace,
    events: &[SampledEvent],
    period: Option<f64>,
) -> Result<StateSpace, Problem> {
    let longest = events.iter().map(|event| event.every).reduce(f64::max);
    let Some(period) = common_period(events, period)? else { return Ok(model) };
    if let Some(one) = model.inputs.iter().find(|one| one.order > 0) {
        let name = &model.inputs[one.of].name;
        let message = format!("input `{name}` moves a joint, so it cannot be held and then jump");
        let help =
            "give it a `filter`, or linearise without a sampling period and sampled controllers";
        return Err(Problem::new(message, help));
    }
    // All instants of a period, in order; of one instant, in the order of the events.
    let mut instants: Vec<(f64, usize)> = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let begin = event.first.rem_euclid(event.every);
        let count = (period / event.every).round() as usize;
        for at in 0..count {
            let instant = begin + at as f64 * event.every;
            // Rounding must not put the first instant at the end.
            let instant = if period - instant <= TOGETHER * period { 0.0 } else { instant };
            instants.push((instant, number));
        }
    }
    instants.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut whole = Map::identity(&model);
    let mut begin = Map::identity(&model);
    let mut now = 0.0;
    for (instant, number) in instants {
        if instant - now > TOGETHER * period {
            whole = whole.then(&Map::flow(&model, instant - now));
            now = instant;
        }
        let event = Map::event(&model, &events[number]);
        whole = whole.then(&event);
        if now == 0.0 {
            begin = begin.then(&event);
        }
    }
    whole = whole.then(&Map::flow(&model, period - now));
    let mut notes = model.notes;
    if longest.is_some() {
        let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
        notes.push(format!(
            "sampled by `{}`: discrete with a period of {period} s; outputs are those behind the samples of an instant",
            names.join("`, `")
        ));
    }
    Ok(StateSpace {
        c: &model.c * &begin.x,
        d: &model.c * &begin.u + &model.d,
        a: whole.x,
        b: whole.u,
        period: Some(period),
        notes,
        ..model
    })
}

/// The least time after which all events are where they were.
fn common_period(events: &[SampledEvent], period: Option<f64>) -> Result<Option<f64>, Problem> {
    let all: Vec<f64> = events.iter().map(|event| event.every).chain(period).collect();
    let Some(longest) = all.iter().copied().reduce(f64::max) else { return Ok(None) };
    let whole = |all: f64, one: f64| {
        let count = all / one;
        (count - count.round()).abs() <= TOGETHER * count && count <= SAMPLES as f64
    };
    let found = (1..=SAMPLES).map(|count| count as f64 * longest);
    let found = found.into_iter().find(|time| all.iter().all(|one| whole(*time, *one)));
    let Some(found) = found else {
        let names: Vec<String> =
            events.iter().map(|event| format!("`{}` {} s", event.name, event.every)).collect();
        let message = format!(
            "the sampling periods have no common multiple within {SAMPLES} samples: {}",
            names.join(", ")
        );
        return Err(Problem::new(message, "choose periods that are multiples of one another"));
    };
    if let Some(period) = period.filter(|period| (found - period).abs() > TOGETHER * found) {
        let message = format!(
            "a sampling period of {period} s was requested, but controllers sample so that all repeats after {} s",
            rotule_symbolic::figures::shown(found, 9)
        );
        return Err(Problem::new(message, "request a multiple of that, or none"));
    }
    Ok(Some(found))
}

/// The exponential of a matrix: Taylor's series of a part of it, squared again and again. The part
/// is so small that terms fall by four binary places and more each.
pub fn exponential(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let size = matrix.nrows();
    let norm = (0..size).map(|row| matrix.row(row).iter().map(|one| one.abs()).sum::<f64>());
    let norm = norm.fold(0.0_f64, f64::max);
    let mut halvings = 0;
    let mut rest = norm;
    // What is not finite is not halved for ever.
    while rest > 0.0625 && halvings < 1100 {
        rest *= 0.5;
        halvings += 1;
    }
    let small = matrix * rotule_symbolic::elementary::powi(0.5, halvings);
    // e^X - 1, so that squaring keeps small digits: (1 + R)^2 - 1 = 2 R + R^2.
    let mut rest = DMatrix::zeros(size, size);
    for order in (1..=12).rev() {
        rest = (&small + &small * &rest) / f64::from(order);
    }
    for _ in 0..halvings {
        rest = &rest * 2.0 + &rest * &rest;
    }
    rest + DMatrix::identity(size, size)
}

#[cfg(test)]
mod tests {
    use super::exponential;
    use nalgebra::DMatrix;

    #[test]
    fn the_exponential_of_rotations_and_of_chains_is_known() {
        for angle in [1e-9, 0.3, 2.0, 40.0] {
            let found = exponential(&DMatrix::from_row_slice(2, 2, &[0.0, -angle, angle, 0.0]));
            let (sin, cos) = (f64::sin(angle), f64::cos(angle));
            let expected = DMatrix::from_row_slice(2, 2, &[cos, -sin, sin, cos]);
            assert!((found - expected).amax() < 1e-12, "{angle}");
        }
        let found = exponential(&DMatrix::from_row_slice(
            3,
            3,
            &[0.0, 3.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0],
        ));
        let expected =
            DMatrix::from_row_slice(3, 3, &[1.0, 3.0, 4.5, 0.0, 1.0, 3.0, 0.0, 0.0, 1.0]);
        assert!((found - expected).amax() < 1e-13);
    }
}
