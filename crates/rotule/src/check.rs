//! The check of a mechanism: its structure, and the numbers of its loops.

use crate::diagnostics;
use crate::loops::{Loops, loops};
use rotule_model::mechanism::{Body, Mechanism};
use rotule_model::{Diagnostics, Sources, Structure, structure};
use rotule_report::number::plain;
use serde_json::{Value, json};
use std::fmt;

/// The structure of a mechanism: bodies, branches, loops, degrees of freedom. `Display` shows it as
/// `rotule check` does.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let check = model.check();
/// assert!(check.to_string().contains("degrees of freedom"));
/// assert_eq!(check.json()["warnings"], 0);
/// assert!(check.loops.is_none(), "there are no loops to close");
/// # Ok::<(), rotule::Error>(())
/// ```
pub struct Check {
    /// The structure.
    pub structure: Structure,
    /// Rank, redundancy and partition of its constraints; none if it has none.
    pub loops: Option<Loops>,
    /// The bodies whose mass properties are those of their shapes.
    pub weighed: Vec<WeighedBody>,
    json: Value,
}

impl Check {
    pub(crate) fn new(mechanism: &Mechanism, found: &Diagnostics, sources: &Sources) -> Check {
        let (structure, loops) = (structure(mechanism), loops(mechanism));
        let mut json = diagnostics::json(found, sources);
        json["structure"] = serde_json::to_value(&structure).unwrap_or_default();
        json["closure"] = loops.as_ref().map_or(Value::Null, Loops::json);
        let weighed = weighed(mechanism);
        if !weighed.is_empty() {
            json["from_shapes"] = weighed.iter().map(WeighedBody::json).collect();
        }
        Check { structure, loops, weighed, json }
    }

    /// Diagnostics, structure and closure for tools, as `rotule check --json` writes them. A model
    /// that cannot be used has only diagnostics: see [`diagnostics::json`].
    pub fn json(&self) -> &Value {
        &self.json
    }
}

/// As `Display`.
impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.structure.text())?;
        for body in &self.weighed {
            writeln!(f, "{body}")?;
        }
        self.loops.as_ref().map_or(Ok(()), |loops| f.write_str(&loops.text()))
    }
}

/// Mass properties of a body that are those of its shapes, at the numbers of the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct WeighedBody {
    /// The name of the body.
    pub name: String,
    /// The mass in kg.
    pub mass: f64,
    /// The centre of mass in m.
    pub com: [f64; 3],
    /// The entries xx, yy, zz, xy, xz, yz of the inertia about it in kg m^2.
    pub inertia: [f64; 6],
}

impl WeighedBody {
    fn json(&self) -> Value {
        let WeighedBody { name, mass, com, inertia } = self;
        json!({ "body": name, "mass": mass, "com": com, "inertia": inertia })
    }
}

impl fmt::Display for WeighedBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WeighedBody { name, mass, com, inertia } = self;
        let list = |numbers: &[f64]| {
            let numbers: Vec<String> = numbers.iter().map(|x| plain(*x, 6)).collect();
            numbers.join(", ")
        };
        let (mass, com) = (plain(*mass, 6), list(com));
        write!(f, "body `{name}` has from its shapes mass {mass} kg, com [{com}] m, inertia")?;
        let entries = ["xx", "yy", "zz", "xy", "xz", "yz"].iter().zip(inertia).enumerate();
        // Products of inertia are told where there are any.
        for (_, (name, entry)) in entries.filter(|(at, (_, entry))| *at < 3 || **entry != 0.0) {
            write!(f, " {name} {}", plain(*entry, 6))?;
        }
        write!(f, " kg m^2")
    }
}

fn weighed(mechanism: &Mechanism) -> Vec<WeighedBody> {
    let bodies = mechanism.bodies.iter().filter(|body| body.from_shapes);
    let weigh = |body: &Body| {
        let i = body.inertia.0;
        let [x, y, z] = body.com.0;
        let entries = [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]];
        let all = [[body.mass, x, y, z].as_slice(), &entries].concat();
        let numbers = mechanism.evaluate_known(&all);
        let mut numbers = numbers.into_iter();
        let mut next = || numbers.next().unwrap_or(f64::NAN);
        WeighedBody {
            name: body.name.clone(),
            mass: next(),
            com: [(); 3].map(|()| next()),
            inertia: [(); 6].map(|()| next()),
        }
    };
    // What depends on a parameter without a number weighs nothing yet.
    bodies.map(weigh).filter(|body| body.mass.is_finite()).collect()
}
