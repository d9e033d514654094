//! A cross-coupled model of a seed, and its text with any spelling of its laws.

use super::draw::Draw;
use super::families::FAMILIES;
use super::law::Law;
use std::fmt::Write;

/// A model.
pub struct Specimen {
    /// The seed.
    pub seed: u64,
    /// The name of the family.
    pub family: &'static str,
    /// The model file.
    pub text: String,
    /// All that it was made of.
    pub(super) model: Model,
}

/// A mechanism with laws.
#[derive(Default)]
pub(super) struct Model {
    /// The mechanism as a model file, with a mark `@JOINT@` where the keys of each joint end.
    pub mechanism: String,
    /// Initial values, which end the file.
    pub initial: String,
    /// Joints with their efforts, one for each speed; a joint that is driven has none.
    pub efforts: Vec<(String, Vec<Law>)>,
    /// Forces and torques at bodies.
    pub forces: Vec<(String, [Law; 6])>,
    /// Line forces between places.
    pub lines: Vec<([String; 2], Law)>,
    /// Sensors: places and the bodies they are relative to.
    pub sensors: Vec<(String, Option<String>)>,
    /// Rates of the states.
    pub states: Vec<Law>,
    /// Controllers: rates of their states, and what is added to these for their outputs.
    pub controllers: Vec<(Law, Law)>,
    /// The joint that an input drives by way of a filter.
    pub driven: Option<String>,
    /// Wheels, with what multiplies their lateral laws besides one.
    pub wheels: Vec<(String, String, Law)>,
}

/// Numbers of the inputs: of all laws, and of the driven joint.
pub const INPUTS: [f64; 2] = [0.3, 0.2];

/// A spelling of laws, which are given in the order of the text.
pub(super) type Spelling<'a> = &'a mut dyn FnMut(&Law) -> String;

impl Specimen {
    /// The model of a seed.
    pub fn new(seed: u64) -> Specimen {
        let family = &FAMILIES[(seed % FAMILIES.len() as u64) as usize];
        let mut draw = Draw::new(seed);
        (family.build)(&mut draw);
        let model = draw.coupled();
        let text = model.text(&mut Law::text);
        Specimen { seed, family: family.name, text, model }
    }
}

impl Model {
    /// All laws, in the order in which the text has them.
    pub fn laws(&self) -> Vec<&Law> {
        let mut laws: Vec<&Law> = Vec::new();
        laws.extend(self.efforts.iter().flat_map(|(_, list)| list));
        laws.extend(self.lines.iter().map(|(_, law)| law));
        laws.extend(self.forces.iter().flat_map(|(_, list)| list));
        laws.extend(self.wheels.iter().map(|(.., law)| law));
        laws.extend(&self.states);
        laws.extend(self.controllers.iter().flat_map(|(rate, output)| [rate, output]));
        laws
    }

    /// The model file with its laws in a spelling.
    pub fn text(&self, spell: Spelling<'_>) -> String {
        let mut text = self.mechanism.clone();
        for (joint, laws) in &self.efforts {
            let list: Vec<String> = laws.iter().map(|law| format!("\"{}\"", spell(law))).collect();
            let effort = match &list[..] {
                [] => String::new(),
                [one] => format!(", effort = {one}"),
                _ => format!(", effort = [{}]", list.join(", ")),
            };
            text = text.replacen(&format!("@{joint}@"), &effort, 1);
        }
        self.write_elements(&mut text, spell).expect("a string");
        text + &self.initial
    }

    fn write_elements(&self, text: &mut String, spell: Spelling<'_>) -> std::fmt::Result {
        for (at, (places, law)) in self.lines.iter().enumerate() {
            let force = spell(law);
            writeln!(
                text,
                "\n[[line_force]]\nname = \"l{at}\"\nbetween = {places:?}\nforce = \"{force}\""
            )?;
        }
        for (at, (place, laws)) in self.forces.iter().enumerate() {
            let list: Vec<String> = laws.iter().map(|law| format!("\"{}\"", spell(law))).collect();
            let (force, torque) = list.split_at(3);
            let [force, torque] = [force, torque].map(|three| three.join(", "));
            writeln!(
                text,
                "\n[[force]]\nname = \"f{at}\"\nat = \"{place}\"\nforce = [{force}]\ntorque = [{torque}]"
            )?;
        }
        for (name, body, law) in &self.wheels {
            let more = spell(law);
            writeln!(
                text,
                "\n[[wheel]]\nname = \"{name}\"\nbody = \"{body}\"\nradius = 0.3\n\
                 vertical = \"2e4*depth + 200*depth_rate\"\nlongitudinal = \"-5*Fz*slip\"\n\
                 lateral = \"-4*Fz*side_slip*(1 + {more})\""
            )?;
        }
        for (at, (place, from)) in self.sensors.iter().enumerate() {
            writeln!(
                text,
                "\n[[sensor]]\nname = \"s{at}\"\nat = \"{place}\"\nmeasures = [\"position\"]"
            )?;
            if let Some(from) = from {
                writeln!(text, "relative_to = \"{from}\"")?;
            }
        }
        writeln!(text, "\n[[input]]\nname = \"u\"\nvalue = {:?}", INPUTS[0])?;
        if let Some(joint) = &self.driven {
            writeln!(
                text,
                "\n[[input]]\nname = \"v\"\nvalue = {:?}\nfilter = 0.1\n\
                 \n[[motion]]\njoint = \"{joint}\"\nq = \"v\"",
                INPUTS[1]
            )?;
        }
        for (at, law) in self.states.iter().enumerate() {
            let rate = spell(law);
            writeln!(text, "\n[[state]]\nname = \"x{at}\"\ninitial = 0.1\nrate = \"{rate}\"")?;
        }
        for (at, (rate, output)) in self.controllers.iter().enumerate() {
            let [rate, output] = [rate, output].map(&mut *spell);
            writeln!(
                text,
                "\n[[controller]]\nname = \"c{at}\"\nstates = {{ y = \"{rate}\" }}\noutput = \"{output}\""
            )?;
        }
        Ok(())
    }
}
