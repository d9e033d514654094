//! The page of a mechanism at rest: sliders move its independent coordinates, and its loops follow,
//! closed in the page by functions that are generated for it.

use crate::error::Error;
use crate::generate::Language;
use crate::model::Model;
use crate::simulate::{archive, poses, scene, terrain};
use crate::state::State;
use rotule_formalism::{MultibodySystem, Problem, units};
use rotule_model::mechanism::{Joint, Mechanism, Role};
use rotule_model::pose;
use rotule_numeric::independent::ask_independent;
use rotule_numeric::redundancy::{Analysis, analyse};
use rotule_report::{Page, Posture, Slider};
use rotule_symbolic::Expr;

/// The quality of a partition below which drives are too near to a singular position for sliders.
const GOOD: f64 = 0.02;

impl Model {
    /// The page of the mechanism at rest, at a state, as `rotule view` writes it. Sliders move the
    /// independent coordinates; the page closes loops with functions that were generated for it.
    ///
    /// ```
    /// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
    /// let page = model.view(&model.state())?;
    /// assert_eq!(page.posture.map(|posture| posture.sliders.len()), Some(1));
    /// # Ok::<(), rotule::Error>(())
    /// ```
    pub fn view(&self, state: &State) -> Result<Page, Error> {
        let tree = self.tree_at(state);
        let mechanism = &tree.mechanism;
        let (mut scene, drawn) = scene(mechanism);
        scene.poses = poses(mechanism, &drawn, &state.q);
        scene.fixed.extend(terrain(mechanism, &drawn, &scene.poses));
        scene.times = vec![0.0];
        scene.arrows.clear();
        let names = drawn.iter().map(|id| mechanism.bodies[id.index()].name.as_str());
        let names: Vec<&str> = names.collect();
        Ok(Page {
            title: mechanism.name.clone(),
            about: mechanism.about.clone(),
            summary: archive(mechanism, &[]).into(),
            scene: (!names.is_empty()).then_some(scene),
            posture: Some(self.posture(state, &names)?),
            ..Page::default()
        })
    }

    /// Sliders and the functions that they need.
    fn posture(&self, state: &State, bodies: &[&str]) -> Result<Posture, Error> {
        let tree = self.tree_at(state);
        let mechanism = &tree.mechanism;
        let partition = match is_closed(mechanism) {
            true => Some(match by_drives(&tree) {
                Some(analysis) => analysis,
                None => analyse(&tree)?,
            }),
            false => None,
        };
        // Rows that restrict speeds alone, such as those of rolling, have no position to hold.
        let rows: Vec<usize> = partition.as_ref().map_or(Vec::new(), |analysis| {
            let holds = |name: &str| !(name.ends_with(" forward") || name.ends_with(" left"));
            (0..analysis.names.len()).filter(|&row| holds(&analysis.names[row])).collect()
        });
        let (independent, dependent) = match &partition {
            None => ((0..mechanism.speeds.len()).collect(), Vec::new()),
            Some(analysis) => {
                let Ok(partition) = &analysis.partition else {
                    let unknown = || Problem::new("the loops cannot be closed", "see rotule check");
                    return Err(analysis.fault().unwrap_or_else(unknown).into());
                };
                (partition.independent.clone(), partition.dependent().collect::<Vec<usize>>())
            }
        };
        let units = units::of_coordinates(mechanism);
        let size = size(mechanism, &state.q);
        let slider = |speed: &usize| {
            let at = coordinate_of(mechanism, *speed)?;
            let (value, unit) = (state.q[at], units[at]);
            let reach = if unit == "rad" { std::f64::consts::PI } else { size };
            let name = mechanism.coordinates[at].name.clone();
            let [from, to] = range(mechanism, at).unwrap_or([-reach, reach]);
            let (from, to) = (value.min(from), value.max(to));
            Some(Slider { name, unit: unit.to_owned(), at, speed: *speed, from, to })
        };
        let mut sliders: Vec<Slider> = independent.iter().filter_map(slider).collect();
        sliders.sort_by_key(|slider| slider.at);
        let names = mechanism.coordinates.iter().map(|one| one.name.clone()).collect();
        let script = self.functions_of_page(state, bodies, partition.is_some())?;
        let coordinates = state.q.clone();
        let limits = (0..coordinates.len()).map(|at| range(mechanism, at)).collect();
        Ok(Posture { script, coordinates, names, sliders, dependent, rows, limits })
    }

    /// The generated functions as a script that leaves them in one object.
    fn functions_of_page(
        &self,
        state: &State,
        bodies: &[&str],
        closed: bool,
    ) -> Result<String, Error> {
        let mut model = self.clone();
        for (name, value) in self.mechanism().parameters.iter().zip(&state.parameters) {
            model.set(&name.name, *value)?;
        }
        let mut functions: Vec<String> = Vec::new();
        if closed {
            functions.push("constraints".to_owned());
        }
        functions.push("kinematic_map".to_owned());
        for body in bodies {
            functions.extend([format!("position({body})"), format!("rotation({body})")]);
        }
        let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
        let generator = model.generator(Language::JavaScript).functions(&functions).prefix("page");
        let generated = generator.generate()?;
        let text = generated.file("page.mjs").unwrap_or_default();
        let speeds = self.mechanism().speeds.len();
        let states = self.mechanism().states.len();
        // Functions come in the order in which they were requested.
        let mut calls = Vec::new();
        let declared = text.split("\nexport function ").skip(1);
        for declaration in declared.filter(|declaration| !declaration.starts_with("setup(")) {
            calls.push(call(declaration, speeds, states)?);
        }
        let mut calls = calls.into_iter();
        let loops = if closed { calls.next() } else { None };
        let loops = loops.unwrap_or_else(|| "({ h: [], J: [] })".to_owned());
        let map = calls.next().unwrap_or_default();
        let places: Vec<String> = calls.collect();
        let has_setup = text.contains("\nexport function setup(");
        let setup = if has_setup { "const constants = setup();\n" } else { "" };
        if !has_setup && text.contains("constants.") {
            let message = "the functions of this page need constants that nothing computes";
            return Err(Problem::new(message, "give a number of the model as a parameter").into());
        }
        Ok(format!(
            "globalThis.mechanism = (() => {{\n{}\n{setup}return {{ loops: (q) => {loops}, map: (q) => {map}, places: (q) => [{}] }};\n}})();\n",
            text.replace("\nexport ", "\n"),
            places.join(", ")
        ))
    }
}

/// A call of a generated function, whose declaration follows its name, at `q` and at rest.
fn call(declaration: &str, speeds: usize, states: usize) -> Result<String, Error> {
    let (name, rest) = declaration.split_once('(').unwrap_or((declaration, ""));
    // The last argument takes the results and has a default.
    let required = rest.split_once(" = ").map_or("", |(before, _)| before);
    let mut words: Vec<&str> = required.split(',').map(str::trim).collect();
    words.pop();
    let mut arguments = Vec::new();
    for word in words {
        arguments.push(match word {
            "q" => "q".to_owned(),
            "t" => "0".to_owned(),
            "constants" => "constants".to_owned(),
            "qd" | "qdd" | "effort" => format!("new Float64Array({speeds})"),
            "state" => format!("new Float64Array({states})"),
            other => {
                let message = format!("`{name}` needs `{other}`, which a page does not have");
                let help = "write the law of the constraint as an expression of coordinates";
                return Err(Problem::new(message, help).into());
            }
        });
    }
    Ok(format!("{name}({})", arguments.join(", ")))
}

/// Returns `true` if anything restricts the coordinates.
pub(crate) fn is_closed(mechanism: &Mechanism) -> bool {
    let rolling = mechanism.wheels.iter().any(|wheel| wheel.rolling);
    let rows: usize = mechanism.cuts.iter().map(rotule_model::mechanism::Cut::rows).sum();
    rolling || rows + mechanism.couplings.len() + mechanism.constraints.len() > 0
}

/// The constraints with the coordinates of drives as independent ones, if these are as many as the
/// mechanism can move and nothing else was requested: a reader moves what a drive would move.
fn by_drives(tree: &MultibodySystem) -> Option<Analysis> {
    let mechanism = &tree.mechanism;
    let requested = mechanism.joints.iter().any(|joint| joint.partition.is_some());
    if requested || mechanism.independent.is_some() {
        return None;
    }
    let has_drive = |joint: &&Joint| {
        let single = joint.role == Role::Free && joint.coordinates.len() == 1;
        single && (joint.actuation.is_some() || joint.effort.iter().any(|law| *law != Expr::ZERO))
    };
    let drives = mechanism.joints.iter().filter(has_drive);
    let names: Vec<&str> = drives.map(|joint| joint.name.as_str()).collect();
    let mut asked = tree.clone();
    ask_independent(&mut asked.mechanism, &names).ok()?;
    let analysis = analyse(&asked).ok()?;
    let chosen = analysis.partition.as_ref().ok()?;
    (chosen.quality > GOOD).then_some(analysis)
}

/// The range of the joint that a coordinate is of, if it is finite and not empty.
fn range(mechanism: &Mechanism, coordinate: usize) -> Option<[f64; 2]> {
    let of = |joint: &&Joint| joint.coordinates == (coordinate..coordinate + 1);
    let joint = mechanism.joints.iter().find(of)?;
    let [lower, upper] = joint.range?;
    let ends = mechanism.evaluate(&[lower, upper]);
    let (lower, upper) = (ends[0], ends[1]);
    (lower.is_finite() && upper.is_finite() && lower < upper).then_some([lower, upper])
}

/// The coordinate that changes as a speed says; none for speeds of quaternions.
fn coordinate_of(mechanism: &Mechanism, speed: usize) -> Option<usize> {
    let holds = |joint: &&Joint| joint.speeds.contains(&speed);
    let joint = mechanism.joints.iter().find(holds)?;
    let offset = speed - joint.speeds.start;
    let first = joint.kind.quaternion().unwrap_or(usize::MAX);
    (offset < first).then(|| joint.coordinates.start + offset)
}

/// The length that slides may move by.
fn size(mechanism: &Mechanism, q: &[f64]) -> f64 {
    let places = pose::poses(mechanism, q).into_iter().map(|pose| pose.position);
    let far = places.map(pose::norm).filter(|far| far.is_finite()).fold(0.0, f64::max);
    if far > 0.0 { far } else { 1.0 }
}
