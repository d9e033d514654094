//! Values of the quantities that laws use, from functions of the twin, in which no law sees
//! anything.

use super::law::Quantity;
use super::specimen::Model;
use rotule_formalism::MultibodySystem;
use rotule_program::NoExternals;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::quantity::EvaluatedFunction;
use std::collections::HashMap;

/// The quantities of a model at points.
pub struct Seen<'m> {
    model: &'m Model,
    tree: &'m MultibodySystem,
    point: InputPoint,
    functions: HashMap<String, EvaluatedFunction>,
    values: HashMap<String, Vec<f64>>,
}

impl<'m> Seen<'m> {
    /// Of a model whose laws are numbers in a tree.
    pub fn new(model: &'m Model, tree: &'m MultibodySystem) -> Seen<'m> {
        let (functions, values) = (HashMap::new(), HashMap::new());
        Seen { model, tree, point: InputPoint::default(), functions, values }
    }

    /// The values of all laws at a point, in the order of the model.
    pub fn laws(&mut self, point: &InputPoint) -> Result<Vec<f64>, String> {
        self.point = point.clone();
        self.values.clear();
        let mut problem = None;
        let laws = self.model.laws();
        let values = laws.into_iter().map(|law| law.value(&mut |one| self.get(one, &mut problem)));
        let values = values.collect();
        problem.map_or(Ok(values), Err)
    }

    fn get(&mut self, quantity: &Quantity, problem: &mut Option<String>) -> f64 {
        self.value(quantity).unwrap_or_else(|why| {
            problem.get_or_insert(why);
            f64::NAN
        })
    }

    fn value(&mut self, quantity: &Quantity) -> Result<f64, String> {
        match quantity {
            Quantity::Time => Ok(self.point.t),
            Quantity::Named(name) => self.named(name),
            Quantity::Place { at, from, measure, component, .. } => {
                let call = match from {
                    Some(from) => format!("{measure}({at}, {from})"),
                    None => format!("{measure}({at})"),
                };
                Ok(self.outputs(&call)?[*component])
            }
            Quantity::Line(at, "force") => {
                let law = self.model.lines[*at].1.clone();
                let mut problem = None;
                let force = law.value(&mut |one| self.get(one, &mut problem));
                problem.map_or(Ok(force), Err)
            }
            Quantity::Line(at, word) => {
                // From the places of the ends, not from the function of line forces.
                let places = self.model.lines[*at].0.clone();
                let mut apart = |measure: &str| -> Result<[f64; 3], String> {
                    let [from, to] =
                        places.each_ref().map(|at| self.outputs(&format!("{measure}({at})")));
                    let (from, to) = (from?, to?);
                    Ok([0, 1, 2].map(|axis: usize| to[axis] - from[axis]))
                };
                let (d, v) = (apart("position")?, apart("velocity")?);
                let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
                let along: f64 = d.iter().zip(v).map(|(d, v)| d * v).sum();
                Ok(if *word == "length" { length } else { along / length })
            }
            Quantity::Wheel(wheel, _, output) => {
                Ok(self.outputs(&format!("wheel({wheel})"))?[*output])
            }
            Quantity::Gravity(joint) => {
                let speed = self.tree.mechanism.speeds.iter();
                let speed = speed.clone().position(|one| one.name == format!("{joint}.d"));
                let speed = speed.ok_or_else(|| format!("no joint {joint}"))?;
                Ok(self.outputs("gravity")?[speed])
            }
            Quantity::Output(at) => {
                let law = self.model.controllers[*at].1.clone();
                let mut problem = None;
                let output = law.value(&mut |one| self.get(one, &mut problem));
                problem.map_or(Ok(output), Err)
            }
        }
    }

    fn named(&self, name: &str) -> Result<f64, String> {
        let mechanism = &self.tree.mechanism;
        let point = &self.point;
        let coordinates = mechanism.coordinates.iter().map(|one| [&one.name, &one.alias]);
        let coordinate =
            coordinates.into_iter().position(|names| names.iter().any(|one| *one == name));
        let speeds = mechanism.speeds.iter().map(|one| [&one.name, &one.alias]);
        let speed = speeds.into_iter().position(|names| names.iter().any(|one| *one == name));
        let state = mechanism.states.iter().position(|one| one.name == name);
        let input = mechanism.inputs.iter().position(|one| one.name == name);
        let found = coordinate.map(|at| point.q[at]).or(speed.map(|at| point.qd[at]));
        let found = found.or(state.map(|at| point.states[at]));
        found.or(input.map(|at| point.inputs[at])).ok_or_else(|| format!("nothing is named {name}"))
    }

    /// The numbers of a function of the twin at the point.
    fn outputs(&mut self, call: &str) -> Result<Vec<f64>, String> {
        if let Some(known) = self.values.get(call) {
            return Ok(known.clone());
        }
        if !self.functions.contains_key(call) {
            let mut function =
                EvaluatedFunction::new(self.tree, call).map_err(|why| why.to_string())?;
            function.setup(&self.point, &mut NoExternals);
            self.functions.insert(call.to_owned(), function);
        }
        let function = self.functions.get_mut(call).expect("made above");
        function.evaluate(&self.point, &mut NoExternals);
        let numbers = function.outputs().to_vec();
        self.values.insert(call.to_owned(), numbers.clone());
        Ok(numbers)
    }
}
