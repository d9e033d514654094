//! A state of a mechanism: numbers for everything that a function may take, by the user's names.
//!
//! Three ways to one: the model's initial values, a JSON text, or random numbers that are the same
//! on every machine. What is left out of a text is as at the start, or zero; quaternions always
//! have unit length.

use crate::constraint::assemble::assemble_start;
use crate::constraint::is_constrained;
use crate::constraint::start::{Change, Hold, Start};
use crate::keys::repeated;
use crate::{Problem, Tree};
use rotule_model::component_names::{ComponentQuantity, component_name};
use rotule_model::mechanism::{Joint, Mechanism, Role};
use rotule_symbolic::elementary::powi;
use rotule_symbolic::figures::digits;
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
    /// Accelerations.
    pub qdd: Vec<f64>,
    /// Efforts besides the joint laws.
    pub effort: Vec<f64>,
    /// Parameters.
    pub parameters: Vec<f64>,
}

/// A quaternion whose length differs from one by more than this is worth a word.
const UNIT: f64 = 1e-9;

/// The keys of a state.
const KEYS: [&str; 7] = ["t", "q", "qd", "state", "qdd", "effort", "parameters"];

impl StateNumbers {
    /// The initial state: what the model says of coordinates and speeds, the rest zero.
    pub fn initial(tree: &Tree) -> StateNumbers {
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
            qdd: zeros.clone(),
            effort: zeros,
            parameters: mechanism.parameters.iter().map(|one| one.value).collect(),
        }
    }

    /// Numbers between -1 and 1 for everything but time and parameters; the same for the same seed.
    pub fn random(tree: &Tree, seed: u64) -> StateNumbers {
        let mut state = StateNumbers::initial(tree);
        let mut random = Random(seed);
        state.q.iter_mut().for_each(|value| *value = random.number());
        for joint in &tree.mechanism.joints {
            if let Some(quaternion) = joint.quaternion() {
                state.q[quaternion].copy_from_slice(&random.quaternion());
            }
        }
        for list in [&mut state.qd, &mut state.qdd, &mut state.effort, &mut state.states] {
            list.iter_mut().for_each(|value| *value = random.number());
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
        tree: &mut Tree,
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
        if let Some(value) = keys.get("state") {
            fill_states(mechanism, value, &mut state.states)?;
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
    pub fn settle(&mut self, tree: &Tree) {
        let mechanism = &tree.mechanism;
        let names = mechanism.parameters.iter().map(|one| one.name.as_str());
        let mut known: HashMap<&str, f64> = names.zip(self.parameters.iter().copied()).collect();
        known.insert("t", self.t);
        let number = |name: &str| known.get(name).copied();
        let graph = &mechanism.graph;
        let fixed: Vec<&Joint> =
            mechanism.joints.iter().filter(|joint| joint.role != Role::Free).collect();
        let mut values = [Vec::new(), Vec::new(), Vec::new()];
        for (values, (list, coordinates)) in
            values.iter_mut().zip([(&tree.q, true), (&tree.qd, false), (&tree.qdd, false)])
        {
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
    pub fn close(&mut self, tree: &Tree) -> Result<Vec<Change>, Problem> {
        if !is_constrained(tree) {
            return Ok(Vec::new());
        }
        let found = assemble_start(tree, &self.start(), &[])?;
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
        let lines = KEYS.iter().filter_map(|&key| {
            let value = keys.get(key)?;
            let Value::Object(inner) = value else {
                return Some(format!("  {}: {value}", json!(key)));
            };
            let names = match key {
                "parameters" => &parameters,
                "state" => &states,
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
        all
    }
}

/// Gives a parameter of the tree's mechanism another number.
pub fn set_parameter(tree: &mut Tree, name: &str, value: f64) -> Result<(), Problem> {
    let parameters = &mut tree.mechanism.parameters;
    match parameters.iter_mut().find(|one| one.name == name) {
        Some(parameter) => {
            parameter.value = value;
            Ok(())
        }
        None => {
            let names: Vec<&str> = parameters.iter().map(|one| one.name.as_str()).collect();
            Err(unknown(&format!("there is no parameter `{name}`"), name, &names))
        }
    }
}

fn set_parameters(tree: &mut Tree, value: &Value) -> Result<(), Problem> {
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

/// Fills in the states that a model has besides coordinates and speeds.
fn fill_states(mechanism: &Mechanism, value: &Value, list: &mut [f64]) -> Result<(), Problem> {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let names: Vec<&str> =
                    mechanism.states.iter().map(|one| one.name.as_str()).collect();
                let Some(at) = names.iter().position(|known| known == name) else {
                    return Err(unknown(&format!("there is no state `{name}`"), name, &names));
                };
                list[at] = number(value, &format!("`{name}` of `state`"))?;
            }
            Ok(())
        }
        Value::Array(values) if values.len() == list.len() => {
            for (at, (place, value)) in list.iter_mut().zip(values).enumerate() {
                *place = number(value, &format!("`state[{}]`", at + 1))?;
            }
            Ok(())
        }
        Value::Array(values) => Err(length("`state`", values.len(), list.len())),
        other => Err(expected("`state`", "an object or a list", other)),
    }
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

fn expected(what: &str, wanted: &str, found: &Value) -> Problem {
    Problem::new(format!("{what} must be {wanted}, found {}", kind(found)), "")
}

fn length(what: &str, found: usize, wanted: usize) -> Problem {
    let plural = if wanted == 1 { "" } else { "s" };
    Problem::new(format!("{what} takes {wanted} number{plural}, found {found}"), "")
}

fn unknown(message: &str, name: &str, known: &[&str]) -> Problem {
    Problem::new(message, likely(name, known.iter().copied()))
}

/// A generator of our own (SplitMix64), because the numbers are to be the same everywhere and for
/// ever.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From -1 to 1, in steps that doubles represent exactly.
    fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Evenly over all directions: points of the cube that lie in the ball, brought to its surface.
    fn quaternion(&mut self) -> [f64; 4] {
        loop {
            let parts = [self.number(), self.number(), self.number(), self.number()];
            let squares: f64 = parts.iter().map(|part| part * part).sum();
            if (0.01..=1.0).contains(&squares) {
                return parts.map(|part| part / squares.sqrt());
            }
        }
    }
}
