//! A state of a mechanism: numbers for everything that a function may take, by the user's names.
//!
//! Three ways to one: the model's initial values, a JSON text, or random numbers that are the same
//! on every machine. What is left out of a text is as at the start, or zero; quaternions always
//! have unit length.

use crate::assembly::assemble_start;
use crate::initial_values::{Change, Hold, Start};
use crate::keys::repeated;
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::{MultibodySystem, Problem};
use rotule_model::component_names::{ComponentQuantity, component_name};
use rotule_model::index::SpeedSet;
use rotule_model::mechanism::{Joint, Mechanism, Role};
use rotule_symbolic::elementary::powi;
use rotule_symbolic::figures::digits;
use rotule_symbolic::random::SplitMix64;
use rotule_symbolic::{Expr, likely, line_column};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::ops::Range;

/// Numbers for all inputs, in the order of the mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct StateNumbers {
    /// Time.
    pub t: f64,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Speeds.
    pub qd: Vec<f64>,
    /// The firmness of each coordinate where loops are closed.
    pub hold_q: Vec<Hold>,
    /// The firmness of each speed where loops are closed.
    pub hold_qd: Vec<Hold>,
    /// States besides coordinates and speeds.
    pub states: Vec<f64>,
    /// Inputs, and derivatives of them.
    pub inputs: Vec<f64>,
    /// Accelerations.
    pub qdd: Vec<f64>,
    /// Efforts besides the joint laws.
    pub effort: Vec<f64>,
    /// The direction of Hessian-vector products: of coordinates along the speeds, of speeds, and of
    /// accelerations or efforts.
    pub direction: Vec<f64>,
    /// The weights of rows in Hessian-vector products.
    pub weight: Vec<f64>,
    /// Parameters.
    pub parameters: Vec<f64>,
}

/// Where a number of a state stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatePlace {
    /// Time.
    Time,
    /// Among the parameters.
    Parameter(usize),
    /// Among the coordinates.
    Coordinate(usize),
    /// Among the speeds.
    Speed(usize),
    /// Among the accelerations.
    Acceleration(usize),
    /// Among the efforts besides the joint laws.
    Effort(usize),
    /// Among the states besides coordinates and speeds.
    State(usize),
    /// Among the inputs.
    Input(usize),
}

/// A quaternion whose length differs from one by more than this is worth a word.
const UNIT: f64 = 1e-9;

/// The keys of a state.
const KEYS: [&str; 10] =
    ["t", "q", "qd", "state", "input", "qdd", "effort", "direction", "weight", "parameters"];

impl StateNumbers {
    /// The initial state: what the model says of coordinates and speeds, the rest zero.
    pub fn initial(tree: &MultibodySystem) -> StateNumbers {
        let mechanism = &tree.mechanism;
        let q: Vec<_> = mechanism.coordinates.iter().map(|one| one.initial).collect();
        let qd: Vec<_> = mechanism.speeds.iter().map(|one| one.initial).collect();
        let states: Vec<_> = mechanism.states.iter().map(|one| one.initial).collect();
        let zeros = vec![0.0; qd.len()];
        let mut q = mechanism.evaluate(&q);
        // A model whose quaternions are not of unit length has been warned about.
        for range in mechanism.joints.iter().filter_map(Joint::quaternion) {
            let length = q[range.clone()].iter().map(|part| part * part).sum::<f64>().sqrt();
            if length > 0.0 {
                q[range].iter_mut().for_each(|part| *part /= length);
            }
        }
        let Start { hold_q, hold_qd, .. } = Start::initial(tree);
        StateNumbers {
            t: 0.0,
            q,
            qd: mechanism.evaluate(&qd),
            hold_q,
            hold_qd,
            states: mechanism.evaluate(&states),
            inputs: mechanism.inputs.iter().map(|one| one.value).collect(),
            qdd: zeros.clone(),
            direction: vec![1.0; 3 * zeros.len()],
            weight: vec![1.0; zeros.len()],
            effort: zeros,
            parameters: mechanism.parameters.iter().map(|one| one.value).collect(),
        }
    }

    /// Numbers between -1 and 1 for everything but time and parameters; the same for the same seed.
    pub fn random(tree: &MultibodySystem, seed: u64) -> StateNumbers {
        let mut state = StateNumbers::initial(tree);
        let mut random = SplitMix64(seed);
        state.q.iter_mut().for_each(|value| *value = random.signed());
        for joint in &tree.mechanism.joints {
            if let Some(quaternion) = joint.quaternion() {
                state.q[quaternion].copy_from_slice(&random_quaternion(&mut random));
            }
        }
        let StateNumbers { qd, qdd, effort, states, inputs, direction, weight, .. } = &mut state;
        for list in [qd, qdd, effort, states, inputs, direction, weight] {
            list.iter_mut().for_each(|value| *value = random.signed());
        }
        state.hold_q.fill(Hold::Guess);
        state.hold_qd.fill(Hold::Guess);
        state
    }

    /// Reads a state. Parameters that the text gives, and those in `set` over them, go into the
    /// mechanism first, because initial values may depend on them. The second part of the result is
    /// what is worth a word.
    pub fn from_json(
        text: &str,
        set: &[(String, f64)],
        tree: &mut MultibodySystem,
    ) -> Result<(StateNumbers, Vec<String>), Problem> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            Problem::new(format!("line {line}, column {column}: {what}"), "a state is JSON")
        })?;
        if let Some((key, at)) = repeated(text) {
            let (line, column) = line_column(text, at);
            let message = format!("line {line}, column {column}: duplicate key `{key}`");
            return Err(Problem::new(message, "keep one of the two"));
        }
        let Value::Object(keys) = value else {
            return Err(Problem::new(
                format!("expected a JSON object, found {}", kind(&value)),
                "write { \"q\": { \"NAME\": 0.3 } }",
            ));
        };
        if let Some(key) = keys.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(unknown(&format!("unknown key `{key}` in a state"), key, &KEYS));
        }
        if let Some(value) = keys.get("parameters") {
            set_parameters(tree, value)?;
        }
        for (name, value) in set {
            set_parameter(tree, name, *value)?;
        }
        check_numbers(&tree.mechanism)?;
        let mut state = StateNumbers::initial(tree);
        if let Some(value) = keys.get("t") {
            state.t = number(value, "`t`")?;
        }
        let mechanism = &tree.mechanism;
        let joints = mechanism.joints.iter().enumerate();
        let moving = joints.filter(|(_, joint)| !joint.speeds.is_empty());
        let joints: HashMap<&str, usize> =
            moving.map(|(at, joint)| (joint.name.as_str(), at)).collect();
        let mut words = Vec::new();
        for (key, list, holds, suffix, quantity) in [
            ("q", &mut state.q, &mut state.hold_q[..], "", ComponentQuantity::Coordinate),
            ("qd", &mut state.qd, &mut state.hold_qd, ".d", ComponentQuantity::Speed),
            ("qdd", &mut state.qdd, &mut [], ".dd", ComponentQuantity::Acceleration),
            ("effort", &mut state.effort, &mut [], ".effort", ComponentQuantity::Effort),
        ] {
            if let Some(value) = keys.get(key) {
                let coordinates = key == "q";
                let shape =
                    Shape { mechanism, key, suffix, quantity, coordinates, joints: &joints };
                shape.fill(value, list, holds, &mut words)?;
            }
        }
        for (key, list) in [("direction", &mut state.direction), ("weight", &mut state.weight)] {
            if let Some(value) = keys.get(key) {
                fill_list(key, value, list)?;
            }
        }
        if let Some(value) = keys.get("state") {
            let names: Vec<&str> = mechanism.states.iter().map(|one| one.name.as_str()).collect();
            fill_named("state", &names, value, &mut state.states)?;
        }
        if let Some(value) = keys.get("input") {
            let names: Vec<&str> = mechanism.inputs.iter().map(|one| one.name.as_str()).collect();
            fill_named("input", &names, value, &mut state.inputs)?;
        }
        words.extend(state.normalise(mechanism)?);
        Ok((state, words))
    }

    /// Gives quaternions unit length; says which were far from it.
    fn normalise(&mut self, mechanism: &Mechanism) -> Result<Vec<String>, Problem> {
        let mut words = Vec::new();
        for joint in &mechanism.joints {
            let Some(range) = joint.quaternion() else { continue };
            let parts = &mut self.q[range];
            // Scaled, so that neither tiny nor huge parts lose their digits.
            let largest = parts.iter().fold(0.0_f64, |largest, part| largest.max(part.abs()));
            if largest == 0.0 {
                return Err(Problem::new(
                    format!("the quaternion of joint `{}` is zero", joint.name),
                    "the identity rotation is 1, 0, 0, 0: w comes first",
                ));
            }
            let squares: f64 = parts.iter().map(|part| powi(part / largest, 2)).sum();
            let length = largest * squares.sqrt();
            if (length - 1.0).abs() > UNIT {
                words.push(format!(
                    "the quaternion of joint `{}` has the length {}; it is normalised",
                    joint.name,
                    digits(length)
                ));
                let root = squares.sqrt();
                parts.iter_mut().for_each(|part| *part = *part / largest / root);
            }
        }
        Ok(words)
    }

    /// Puts the motion of driven and locked joints, which time and parameters decide, into the
    /// state.
    pub fn settle(&mut self, tree: &MultibodySystem) {
        let mechanism = &tree.mechanism;
        let names = mechanism.parameters.iter().map(|one| one.name.as_str());
        let mut known: HashMap<&str, f64> = names.zip(self.parameters.iter().copied()).collect();
        known.insert("t", self.t);
        known.extend(
            mechanism.inputs.iter().map(|one| one.name.as_str()).zip(self.inputs.iter().copied()),
        );
        known.extend(
            mechanism.states.iter().map(|one| one.name.as_str()).zip(self.states.iter().copied()),
        );
        let number = |name: &str| known.get(name).copied();
        let graph = &mechanism.graph;
        let fixed: Vec<&Joint> =
            mechanism.joints.iter().filter(|joint| joint.role != Role::Free).collect();
        let mut values = [Vec::new(), Vec::new(), Vec::new()];
        for (values, (list, coordinates)) in values.iter_mut().zip([
            (tree.motion.q.as_slice(), true),
            (tree.motion.qd.as_slice(), false),
            (tree.motion.qdd.as_slice(), false),
        ]) {
            for joint in &fixed {
                let range = if coordinates { &joint.coordinates } else { &joint.speeds };
                let exprs = &list[range.clone()];
                values.push(graph.evaluate_f64(exprs, number).ok());
            }
        }
        for (at, joint) in fixed.iter().enumerate() {
            let ranges = [&joint.coordinates, &joint.speeds, &joint.speeds];
            let lists = [&mut self.q, &mut self.qd, &mut self.qdd];
            for ((list, range), values) in lists.into_iter().zip(ranges).zip(&values) {
                if let Some(values) = &values[at] {
                    list[range.clone()].copy_from_slice(values);
                }
            }
        }
    }

    /// Coordinates and speeds as a start of assembly.
    pub fn start(&self) -> Start {
        Start {
            t: self.t,
            q: self.q.clone(),
            qd: self.qd.clone(),
            hold_q: self.hold_q.clone(),
            hold_qd: self.hold_qd.clone(),
        }
    }

    /// Closes the loops of the state, if there are any; gives the written values that could not be
    /// kept. All values of the state hold from then on.
    pub fn close(&mut self, tree: &MultibodySystem) -> Result<Vec<Change>, Problem> {
        if !is_constrained(&tree.mechanism) {
            return Ok(Vec::new());
        }
        let found = assemble_start(tree, &self.start(), &SpeedSet::new())?;
        (self.q, self.qd) = (found.q, found.qd);
        self.hold_q.fill(Hold::State);
        self.hold_qd.fill(Hold::State);
        Ok(found.changes)
    }

    /// All inputs by name.
    pub fn numbers<'m>(&self, mechanism: &'m Mechanism) -> HashMap<&'m str, f64> {
        let graph = &mechanism.graph;
        let mut known = HashMap::new();
        let mut add = |symbol: Expr, value: f64| {
            if let Some(id) = graph.symbol_of(symbol) {
                known.insert(graph.symbol_name(id), value);
            }
        };
        add(mechanism.time, self.t);
        for (parameter, &value) in mechanism.parameters.iter().zip(&self.parameters) {
            add(parameter.symbol, value);
        }
        for (coordinate, &value) in mechanism.coordinates.iter().zip(&self.q) {
            add(coordinate.symbol, value);
        }
        for (one, &value) in mechanism.states.iter().zip(&self.states) {
            add(one.symbol, value);
        }
        for (one, &value) in mechanism.inputs.iter().zip(&self.inputs) {
            add(one.symbol, value);
        }
        for (at, speed) in mechanism.speeds.iter().enumerate() {
            add(speed.symbol, self.qd[at]);
            add(speed.acceleration, self.qdd[at]);
            add(speed.effort, self.effort[at]);
        }
        known
    }

    /// The state as JSON text in the model's order, by names; [`StateNumbers::from_json`] reads it
    /// back.
    pub fn text(&self, mechanism: &Mechanism) -> String {
        let Value::Object(keys) = self.json(mechanism) else { return String::new() };
        let joints: Vec<&str> = mechanism.joints.iter().map(|one| one.name.as_str()).collect();
        let parameters: Vec<&str> =
            mechanism.parameters.iter().map(|one| one.name.as_str()).collect();
        let states: Vec<&str> = mechanism.states.iter().map(|one| one.name.as_str()).collect();
        let inputs: Vec<&str> = mechanism.inputs.iter().map(|one| one.name.as_str()).collect();
        let lines = KEYS.iter().filter_map(|&key| {
            let value = keys.get(key)?;
            let Value::Object(inner) = value else {
                return Some(format!("  {}: {value}", json!(key)));
            };
            let names = match key {
                "parameters" => &parameters,
                "state" => &states,
                "input" => &inputs,
                _ => &joints,
            };
            let inner: Vec<String> = names
                .iter()
                .filter_map(|&name| Some(format!("    {}: {}", json!(name), inner.get(name)?)))
                .collect();
            let empty = inner.is_empty();
            let inner = inner.join(",\n");
            Some(match empty {
                true => format!("  {}: {{}}", json!(key)),
                false => format!("  {}: {{\n{inner}\n  }}", json!(key)),
            })
        });
        format!("{{\n{}\n}}\n", lines.collect::<Vec<_>>().join(",\n"))
    }

    /// The state as JSON, by names; [`StateNumbers::from_json`] reads it back.
    pub fn json(&self, mechanism: &Mechanism) -> Value {
        let by_joint = |list: &[f64], coordinates: bool| -> Value {
            let mut object = Map::new();
            for joint in &mechanism.joints {
                let range = if coordinates { &joint.coordinates } else { &joint.speeds };
                // Zero has no sign for a reader.
                let values: Vec<f64> =
                    list[range.clone()].iter().map(|value| value + 0.0).collect();
                match values.as_slice() {
                    [] => {}
                    [one] => drop(object.insert(joint.name.clone(), json!(one))),
                    several => drop(object.insert(joint.name.clone(), json!(several))),
                }
            }
            Value::Object(object)
        };
        let names = mechanism.parameters.iter().map(|one| one.name.clone());
        let parameters: Map<String, Value> =
            names.zip(self.parameters.iter().map(|value| json!(value))).collect();
        let mut all = json!({
            "t": self.t,
            "q": by_joint(&self.q, true),
            "qd": by_joint(&self.qd, false),
            "qdd": by_joint(&self.qdd, false),
            "effort": by_joint(&self.effort, false),
            "parameters": parameters,
        });
        if let (Value::Object(all), false) = (&mut all, self.states.is_empty()) {
            let names = mechanism.states.iter().map(|one| one.name.clone());
            let states: Map<String, Value> =
                names.zip(self.states.iter().map(|value| json!(value))).collect();
            all.insert("state".to_owned(), Value::Object(states));
        }
        if let (Value::Object(all), false) = (&mut all, self.inputs.is_empty()) {
            let names = mechanism.inputs.iter().map(|one| one.name.clone());
            let inputs: Map<String, Value> =
                names.zip(self.inputs.iter().map(|value| json!(value))).collect();
            all.insert("input".to_owned(), Value::Object(inputs));
        }
        all
    }
}

/// Gives a parameter of the tree's mechanism another number.
pub fn set_parameter(tree: &mut MultibodySystem, name: &str, value: f64) -> Result<(), Problem> {
    let parameters = &mut tree.mechanism.parameters;
    match parameters.iter_mut().find(|one| one.name == name) {
        Some(parameter) => {
            parameter.value = value;
            Ok(())
        }
        None if tree.mechanism.inputs.iter().any(|one| one.name == name) => {
            let message = format!("`{name}` is an input, not a parameter");
            Err(Problem::new(message, "give it a number or a course by `--input`"))
        }
        None => {
            let names: Vec<&str> = parameters.iter().map(|one| one.name.as_str()).collect();
            Err(unknown(&format!("there is no parameter `{name}`"), name, &names))
        }
    }
}

/// Refuses numbers of parameters that no model file may have.
pub fn check_numbers(mechanism: &Mechanism) -> Result<(), Problem> {
    match mechanism.broken_rule() {
        Some(fault) => Err(Problem::new(fault.message, fault.help)),
        None => Ok(()),
    }
}

fn set_parameters(tree: &mut MultibodySystem, value: &Value) -> Result<(), Problem> {
    let count = tree.mechanism.parameters.len();
    match value {
        Value::Object(object) => {
            let names: Vec<String> =
                tree.mechanism.parameters.iter().map(|one| one.name.clone()).collect();
            let places: HashMap<&str, usize> =
                names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
            for (name, value) in object {
                let value = number(value, &format!("parameter `{name}`"))?;
                match places.get(name.as_str()) {
                    Some(&at) => tree.mechanism.parameters[at].value = value,
                    None => set_parameter(tree, name, value)?,
                }
            }
        }
        Value::Array(list) if list.len() == count => {
            for (at, value) in list.iter().enumerate() {
                let parameter = &mut tree.mechanism.parameters[at];
                parameter.value = number(value, &format!("parameter `{}`", parameter.name))?;
            }
        }
        Value::Array(list) => return Err(length("`parameters`", list.len(), count)),
        other => return Err(expected("`parameters`", "an object or a list", other)),
    }
    Ok(())
}

/// Fills in numbers that have names of their own: states besides coordinates and speeds, and
/// inputs.
fn fill_named(key: &str, names: &[&str], value: &Value, list: &mut [f64]) -> Result<(), Problem> {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let Some(at) = names.iter().position(|known| known == name) else {
                    return Err(unknown(&format!("there is no {key} `{name}`"), name, names));
                };
                list[at] = number(value, &format!("`{name}` of `{key}`"))?;
            }
            Ok(())
        }
        Value::Array(values) if values.len() == list.len() => {
            for (at, (place, value)) in list.iter_mut().zip(values).enumerate() {
                *place = number(value, &format!("`{key}[{}]`", at + 1))?;
            }
            Ok(())
        }
        Value::Array(values) => Err(length(&format!("`{key}`"), values.len(), list.len())),
        other => Err(expected(&format!("`{key}`"), "an object or a list", other)),
    }
}

/// Fills a list of numbers.
fn fill_list(key: &str, value: &Value, list: &mut [f64]) -> Result<(), Problem> {
    let Value::Array(values) = value else {
        return Err(expected(&format!("`{key}`"), "a list", value));
    };
    if values.len() != list.len() {
        return Err(length(&format!("`{key}`"), values.len(), list.len()));
    }
    for (at, (place, value)) in list.iter_mut().zip(values).enumerate() {
        *place = number(value, &format!("`{key}[{}]`", at + 1))?;
    }
    Ok(())
}

/// One of the lists of a state, as it is to be filled.
struct Shape<'a> {
    mechanism: &'a Mechanism,
    key: &'a str,
    /// The suffix of a joint's name in the names of these quantities.
    suffix: &'a str,
    /// The quantity.
    quantity: ComponentQuantity,
    /// `true` if these are coordinates, not one per speed.
    coordinates: bool,
    /// Positions of the joints by name.
    joints: &'a HashMap<&'a str, usize>,
}

impl Shape<'_> {
    fn fill(
        &self,
        value: &Value,
        list: &mut [f64],
        holds: &mut [Hold],
        words: &mut Vec<String>,
    ) -> Result<(), Problem> {
        match value {
            Value::Array(values) if values.len() == list.len() => {
                holds.fill(Hold::State);
                for (at, (place, value)) in list.iter_mut().zip(values).enumerate() {
                    *place = number(value, &format!("`{}[{}]`", self.key, at + 1))?;
                }
                Ok(())
            }
            Value::Array(values) => {
                Err(length(&format!("`{}`", self.key), values.len(), list.len()))
            }
            Value::Object(object) => {
                for (name, value) in object {
                    let range = self.one(name, value, list, words)?;
                    if let Some(holds) = holds.get_mut(range) {
                        holds.fill(Hold::State);
                    }
                }
                Ok(())
            }
            other => Err(expected(&format!("`{}`", self.key), "an object or a list", other)),
        }
    }

    /// Fills in one name; gives the places that it stands for.
    fn one(
        &self,
        name: &str,
        value: &Value,
        list: &mut [f64],
        words: &mut Vec<String>,
    ) -> Result<Range<usize>, Problem> {
        let what = format!("`{name}` of `{}`", self.key);
        let (joint, range) = self.place(name)?;
        // An effort acts on what it is given for; motion of such joints is decided elsewhere.
        if self.key != "effort" && joint.role != Role::Free {
            let role = if joint.role == Role::Locked { "locked" } else { "driven" };
            words.push(format!("joint `{}` is {role}, so {what} is not used", joint.name));
        }
        let places = &mut list[range.clone()];
        match (value, places.len()) {
            (Value::Array(values), count) if values.len() == count => {
                for (place, value) in places.iter_mut().zip(values) {
                    *place = number(value, &what)?;
                }
                Ok(range)
            }
            (Value::Array(values), count) => Err(length(&what, values.len(), count)),
            (value, 1) => {
                places[0] = number(value, &what)?;
                Ok(range)
            }
            (other, count) => Err(expected(&what, &format!("a list of {count} numbers"), other)),
        }
    }

    /// The joint and the positions that a name stands for: all of a joint, or one of its
    /// quantities.
    fn place(&self, name: &str) -> Result<(&Joint, Range<usize>), Problem> {
        let range = |joint: &Joint| {
            if self.coordinates { joint.coordinates.clone() } else { joint.speeds.clone() }
        };
        let (stem, index) = match name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) {
            Some((stem, digits)) => (stem, digits.parse::<usize>().ok()),
            None => (name, Some(0)),
        };
        let plain = stem.strip_suffix(self.suffix).unwrap_or(stem);
        let joint = self.joints.get(stem).or_else(|| self.joints.get(plain));
        if let (Some(&joint), Some(index)) = (joint, index) {
            let joint = &self.mechanism.joints[joint];
            let range = range(joint);
            let at = range.start + index.saturating_sub(1);
            if index == 0 && stem == name {
                return Ok((joint, range));
            }
            if index > 0 && range.contains(&at) {
                return Ok((joint, at..at + 1));
            }
        }
        // A component by its name, such as `base.qw`.
        let joints = || self.mechanism.joints.iter().filter(|joint| !joint.speeds.is_empty());
        for joint in joints() {
            let mut own = range(joint);
            let first = own.start;
            let named = |at: &usize| {
                let component = |of| component_name(joint.kind, &joint.name, of, at - first);
                // A speed's own name serves for its derivative and its effort, too.
                component(self.quantity) == name
                    || !self.coordinates && component(ComponentQuantity::Speed) == name
            };
            if let Some(at) = own.find(named) {
                return Ok((joint, at..at + 1));
            }
        }
        let joints = joints();
        let names: Vec<&str> = joints.map(|joint| joint.name.as_str()).collect();
        Err(unknown(
            &format!("`{}` names `{name}`, but there is no such joint", self.key),
            name,
            &names,
        ))
    }
}

fn number(value: &Value, what: &str) -> Result<f64, Problem> {
    match value.as_f64() {
        Some(number) if number.is_finite() => Ok(number),
        _ => Err(expected(what, "a number", value)),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn expected(what: &str, needed: &str, found: &Value) -> Problem {
    Problem::new(format!("{what} must be {needed}, found {}", kind(found)), "")
}

fn length(what: &str, found: usize, needed: usize) -> Problem {
    let plural = if needed == 1 { "" } else { "s" };
    Problem::new(format!("{what} takes {needed} number{plural}, found {found}"), "")
}

fn unknown(message: &str, name: &str, known: &[&str]) -> Problem {
    Problem::new(message, likely(name, known.iter().copied()))
}

/// A quaternion, evenly over all directions: points of the cube that lie in the ball, brought to
/// its surface.
fn random_quaternion(random: &mut SplitMix64) -> [f64; 4] {
    loop {
        let parts = [(); 4].map(|()| random.signed());
        let squares: f64 = parts.iter().map(|part| part * part).sum();
        if (0.01..=1.0).contains(&squares) {
            return parts.map(|part| part / squares.sqrt());
        }
    }
}
