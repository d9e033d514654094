//! ROBOTRAN's user functions in C, from their sources.
//!
//! ```text
//! user_JointForces.c  +  robotran.h, user_all_id.h, user_model.h of the model  +  robotran.c
//!     --C compiler-->  a library of laws with ROBOTRAN's names
//! ```
//!
//! A user function of ROBOTRAN sees the whole model, while an imported `.mbs` calls each with what
//! is its own. Before such a file is loaded, the calls of the functions that it has are therefore
//! written anew with everything that moves and all parameters.

use super::{LawFault, Signature};
use crate::model::Model;
use rotule_model::Draft;
use rotule_model::build::External;
use rotule_model::draft::{DraftValue, Motion, Point, Text, USER_MODEL, Value};
use rotule_model::mechanism::Mechanism;
use std::fmt::Write;
use std::path::Path;

/// The prefix of the names of entry points.
pub const ENTRY: &str = "rotule_";
/// The declarations of the structure.
const HEADER: &str = include_str!("robotran.h");
/// The entry points.
const ENTRIES: &str = include_str!("robotran.c");
/// The functions with their results; zero where the model says how many.
const FUNCTIONS: [&str; 6] = [
    "user_JointForces",
    "user_LinkForces",
    "user_ExtForces",
    "user_DrivenJoints",
    "user_Derivative",
    "user_cons_hJ",
];
/// Headers of ROBOTRAN whose declarations stand in ours.
const HEADERS: [&str; 10] = [
    "mbs_data.h",
    "MBSdataStruct.h",
    "MBSdef.h",
    "MBSfun.h",
    "mbs_project_interface.h",
    "set_output.h",
    "user_sf_IO.h",
    "simu_def.h",
    "mbs_message.h",
    "mbs_matrix.h",
];

/// Returns `true` if a C source is one of ROBOTRAN's user functions.
pub fn is_robotran(text: &str) -> bool {
    let words = ["MbsData", "MBSdataStruct"];
    words.iter().any(|word| text.contains(word)) && !functions(text).is_empty()
}

/// The user functions that a source defines.
pub fn functions(text: &str) -> Vec<&'static str> {
    let defined = |name: &&str| {
        text.match_indices(*name).any(|(at, _)| {
            let rest = text[at + name.len()..].trim_start();
            let Some(end) = rest.starts_with('(').then(|| rest.find(')')).flatten() else {
                return false;
            };
            rest[end + 1..].trim_start().starts_with('{')
        })
    };
    FUNCTIONS.into_iter().filter(defined).collect()
}

/// The parts of a model by ROBOTRAN's numbers.
struct Numbered {
    joints: Vec<String>,
    states: Vec<(String, Option<String>)>,
    parameters: Vec<(String, Option<String>)>,
}

impl Numbered {
    fn of(model: &Model, draft: &Draft) -> Numbered {
        let joints = draft.bodies.iter().flat_map(|body| &body.joints);
        let text = |about: &Option<Text>| about.as_ref().and_then(|text| entry(&text.value));
        Numbered {
            joints: joints.filter_map(|joint| Some(joint.name.as_ref()?.value.clone())).collect(),
            states: (draft.states.iter())
                .map(|one| (one.name.value.clone(), text(&one.about)))
                .collect(),
            parameters: (model.mechanism().parameters.iter())
                .map(|one| (one.name.clone(), entry(&one.about)))
                .collect(),
        }
    }

    /// The arguments that say where everything is: time, coordinates, speeds, states, parameters;
    /// zeros for what a constraint of positions does not see.
    fn state(&self, of_positions: bool) -> String {
        let seen = |name: String| if of_positions { "0".to_owned() } else { name };
        let speeds = self.joints.iter().map(|name| seen(format!("{name}.d")));
        let states = self.states.iter().map(|(name, _)| seen(name.clone()));
        let all = ["t".to_owned()].into_iter().chain(self.joints.iter().cloned());
        let all: Vec<String> = all.chain(speeds).chain(states).chain(self.parameters()).collect();
        all.join(", ")
    }

    fn parameters(&self) -> impl Iterator<Item = String> {
        self.parameters.iter().map(|(name, _)| name.clone())
    }

    fn state_len(&self) -> usize {
        1 + 2 * self.joints.len() + self.states.len() + self.parameters.len()
    }
}

/// The place in ROBOTRAN's structure that a description says: `Tyre.k`, `Tyre.table[2]`.
fn entry(about: &str) -> Option<String> {
    let entry = about.strip_prefix(USER_MODEL)?;
    let (model, field) = entry.split_once('.')?;
    let (field, index) = field.split_once('[').unwrap_or((field, "1]"));
    let plain = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && letters.all(|one| one.is_ascii_alphanumeric() || one == '_')
    };
    let index = index.strip_suffix(']')?.parse::<u16>().is_ok_and(|index| index > 0);
    (plain(model) && plain(field) && index).then(|| entry.to_owned())
}

/// The number that an imported call ends with: `user_JointForces(q, qd, t, 3)`.
fn number(value: &DraftValue, function: &str) -> Option<usize> {
    let Value::Expression(text) = &value.value else { return None };
    let rest = text.trim().strip_prefix(function)?.strip_prefix('(')?;
    rest.split(')').next()?.rsplit(',').next()?.trim().parse().ok()
}

fn put(value: &mut DraftValue, text: String) {
    value.value = Value::Expression(text);
}

/// The draft of a model whose calls of some functions have everything that moves as arguments; and
/// the declarations of these functions.
pub fn rewrite(model: &Model, functions: &[&str]) -> Result<(Draft, Vec<Signature>), LawFault> {
    let mut draft = model.draft();
    let all = Numbered::of(model, &draft);
    let (state, count) = (all.state(false), all.state_len());
    let has = |name: &str| functions.contains(&name);
    let mut declared: Vec<(&str, usize, usize)> = Vec::new();
    if has("user_JointForces") {
        declared.push(("user_JointForces", count, all.joints.len()));
        let driven: Vec<String> =
            draft.motions.iter().map(|motion| motion.joint.value.clone()).collect();
        let joints = draft.bodies.iter_mut().flat_map(|body| &mut body.joints);
        let several = all.joints.len() > 1;
        for (at, joint) in joints.filter(|joint| joint.name.is_some()).enumerate() {
            let own = joint.effort.as_ref().and_then(|effort| effort.value.first());
            let imported = own.is_some_and(|law| number(law, "user_JointForces").is_some());
            let driven = joint.name.as_ref().is_some_and(|name| driven.contains(&name.value));
            // ROBOTRAN asks for the forces of all joints; another law of a joint stays.
            if (own.is_some() && !imported) || driven || joint.kind.value.speeds() != 1 {
                continue;
            }
            let index = if several { format!("[{}]", at + 1) } else { String::new() };
            *joint = joint.clone().effort(format!("user_JointForces({state}){index}"));
        }
    }
    if has("user_LinkForces") {
        declared.push(("user_LinkForces", 3 + count, 1));
        for one in &mut draft.line_forces {
            let Some(number) = number(&one.force, "user_LinkForces") else { continue };
            put(&mut one.force, format!("user_LinkForces(Z, Zd, {number}, {state})"));
        }
    }
    if has("user_ExtForces") {
        declared.push(("user_ExtForces", 19 + count, 6));
        for one in &mut draft.forces {
            let laws = || one.force.iter().chain(&one.torque).flatten();
            let Some(number) = laws().find_map(|law| number(law, "user_ExtForces")) else {
                continue;
            };
            let axes = ["x", "y", "z"];
            let body = one.at.value.split('.').next().unwrap_or_default();
            let turned: Vec<String> = match body {
                "ground" => (0..9).map(|at| u8::from(at % 4 == 0).to_string()).collect(),
                _ => (0..9)
                    .map(|at| format!("{body}.rotation.{}{}", axes[at / 3], axes[at % 3]))
                    .collect(),
            };
            let call = format!(
                "user_ExtForces(x, y, z, vx, vy, vz, wx, wy, wz, {}, {number}, {state})",
                turned.join(", ")
            );
            let parts = one.force.iter_mut().chain(&mut one.torque).flatten();
            for (at, part) in parts.enumerate() {
                put(part, format!("{call}[{}]", at + 1));
            }
        }
    }
    if has("user_DrivenJoints") {
        declared.push(("user_DrivenJoints", 2 + all.parameters.len(), 3));
        let known: Vec<String> = all.parameters().collect();
        for Motion { q, qd, qdd, .. } in &mut draft.motions {
            let first = q.value.first();
            let Some(number) = first.and_then(|law| number(law, "user_DrivenJoints")) else {
                continue;
            };
            let given =
                [vec![number.to_string(), "t".to_owned()], known.clone()].concat().join(", ");
            let lists = [Some(&mut *q), qd.as_mut(), qdd.as_mut()];
            for (at, list) in lists.into_iter().enumerate() {
                for law in list.into_iter().flat_map(|list| &mut list.value) {
                    put(law, format!("user_DrivenJoints({given})[{}]", at + 1));
                }
            }
        }
    }
    if has("user_Derivative") {
        let states = all.states.len();
        declared.push(("user_Derivative", count, states));
        for (at, one) in draft.states.iter_mut().enumerate() {
            let Value::Expression(text) = &one.rate.value else { continue };
            if text.starts_with("user_Derivative(") {
                let index = if states > 1 { format!("[{}]", at + 1) } else { String::new() };
                put(&mut one.rate, format!("user_Derivative({state}){index}"));
            }
        }
    }
    if has("user_cons_hJ") {
        let external = draft.externals.iter().find(|one| one.name.value == "user_cons_hJ");
        let external = external.ok_or(LawFault::Constraints)?;
        let (rows, state) = (external.results.value as usize, all.state(true));
        declared.push(("user_cons_hJ", count, rows));
        for at in 1..=rows {
            let index = if rows > 1 { format!("[{at}]") } else { String::new() };
            draft.add(rotule_model::build::Constraint::position(
                format!("user_{at}"),
                format!("user_cons_hJ({state}){index}"),
            ));
        }
    }
    let mut signatures = Vec::new();
    for (name, arguments, results) in declared {
        let names: Vec<String> = (1..=arguments).map(|at| format!("x{at}")).collect();
        draft.externals.retain(|one| one.name.value != name);
        draft.add(External::new(name, names).results(results.max(1) as u32));
        signatures.push(Signature {
            name: name.to_owned(),
            names: Vec::new(),
            arguments,
            results: results.max(1),
        });
    }
    Ok((draft, signatures))
}

/// The texts of the library of a source: the first is compiled and includes the others.
pub fn texts(model: &Model, path: &Path, source: &str) -> Vec<(&'static str, String)> {
    let draft = model.draft();
    let all = Numbered::of(model, &draft);
    let rows = draft.externals.iter().find(|one| one.name.value == "user_cons_hJ");
    let rows = rows.map_or(0, |one| one.results.value);
    let points = Points::of(&draft);
    let mut first = String::new();
    for (name, value) in [
        ("NJOINT", all.joints.len()),
        ("NUX", all.states.len()),
        ("NPARAMETER", all.parameters.len()),
        ("NPT", points.list.len()),
        ("NLINK", draft.line_forces.len()),
        ("NXFRC", draft.forces.len()),
        ("NUSERC", rows as usize),
    ] {
        let _ = writeln!(first, "#define {name} {value}");
    }
    for name in functions(source) {
        let _ = writeln!(first, "#define HAS_{name}");
    }
    let shown = path.display().to_string().replace(['\\', '"', '\n'], "_");
    let _ = write!(
        first,
        "#include \"mbs_data.h\"\n#include \"user_all_id.h\"\n#line 1 \"{shown}\"\n{source}\n\
         #line 1 \"robotran.c\"\n{}{ENTRIES}",
        load(&all, &draft, &points, model.mechanism())
    );
    let mut texts = vec![
        ("laws.c", first),
        ("robotran.h", HEADER.to_owned()),
        ("user_model.h", user_model(&all)),
        ("user_all_id.h", identifiers(&all, &draft)),
    ];
    texts.extend(HEADERS.map(|name| (name, "#include \"robotran.h\"\n".to_owned())));
    texts
}

/// The points of a model in ROBOTRAN's numbers.
struct Points<'d> {
    list: Vec<(String, &'d Point)>,
}

impl<'d> Points<'d> {
    fn of(draft: &'d Draft) -> Points<'d> {
        let ground = draft.ground.iter().map(|point| ("ground", point));
        let bodies = draft.bodies.iter();
        let others =
            bodies.flat_map(|body| body.points.iter().map(|one| (body.name.value.as_str(), one)));
        let name =
            |(body, point): (&str, &'d Point)| (format!("{body}.{}", point.name.value), point);
        Points { list: ground.chain(others).map(name).collect() }
    }
}

/// The function that fills in what a model knows: parameters of user models, masses, points.
fn load(all: &Numbered, draft: &Draft, points: &Points<'_>, mechanism: &Mechanism) -> String {
    let mut text = String::from(
        "static void rotule_load(MbsData *s, UserModel *um, const double *p)\n{\n    (void)um;\n    (void)p;\n",
    );
    for (at, (_, entry)) in all.parameters.iter().enumerate() {
        if let Some(entry) = entry {
            let _ = writeln!(text, "    um->{entry} = p[{at}];");
        }
    }
    for (at, (_, entry)) in all.states.iter().enumerate() {
        if let Some(entry) = entry {
            let _ = writeln!(text, "    um->{entry} = {};", at + 1);
        }
    }
    let mut line = |target: String, value: f64| {
        if value != 0.0 && value.is_finite() {
            let _ = writeln!(text, "    s->{target} = {value:?};");
        }
    };
    for (at, value) in mechanism.evaluate(&mechanism.gravity.0).into_iter().enumerate() {
        line(format!("g[{}]", at + 1), value);
    }
    for (at, name) in all.joints.iter().enumerate() {
        let Some(joint) = mechanism.joints.iter().position(|joint| joint.name == *name) else {
            continue;
        };
        let body = &mechanism.bodies[joint + 1];
        let inertia = body.inertia.0.as_flattened();
        let values = mechanism.evaluate(&[&[body.mass], &body.com.0[..], inertia].concat());
        line(format!("m[{}]", at + 1), values[0]);
        (0..3).for_each(|i| line(format!("l[{}][{}]", i + 1, at + 1), values[1 + i]));
        (0..9).for_each(|i| line(format!("In[{}][{}]", i + 1, at + 1), values[4 + i]));
        let initial = mechanism.joints[joint].coordinates.start;
        let initial = mechanism.evaluate(&[mechanism.coordinates[initial].initial]);
        line(format!("q0[{}]", at + 1), initial[0]);
    }
    for (at, (name, _)) in points.list.iter().enumerate() {
        let found = mechanism.points.iter().find(|point| point.name == *name);
        let Some(point) = found else { continue };
        let values = mechanism.evaluate(&point.frame.placement.position.0);
        (0..3).for_each(|i| line(format!("dpt[{}][{}]", i + 1, at + 1), values[i]));
    }
    for (at, force) in draft.forces.iter().enumerate() {
        let point = points.list.iter().position(|(name, _)| *name == force.at.value);
        if let Some(point) = point {
            let _ = writeln!(text, "    s->xfidpt[{}] = {};", at + 1, point + 1);
        }
    }
    text + "}\n"
}

/// A field of a user model: its name, its type in C, its longest index.
type Field<'a> = (&'a str, &'a str, usize);

/// The structure of the user models.
fn user_model(all: &Numbered) -> String {
    let entries = all.parameters.iter().map(|(_, entry)| (entry, "double"));
    let entries = entries.chain(all.states.iter().map(|(_, entry)| (entry, "int")));
    let entries = entries.filter_map(|(entry, kind)| Some((entry.as_deref()?, kind)));
    // Models in turn, each with its fields and the longest index of each.
    let mut models: Vec<(&str, Vec<Field<'_>>)> = Vec::new();
    for (entry, kind) in entries {
        let Some((model, field)) = entry.split_once('.') else { continue };
        let (field, index) = match field.split_once('[') {
            Some((field, index)) => (field, index.trim_end_matches(']').parse().unwrap_or(0)),
            None => (field, 0),
        };
        let at = models.iter().position(|(name, _)| *name == model).unwrap_or_else(|| {
            models.push((model, Vec::new()));
            models.len() - 1
        });
        match models[at].1.iter_mut().find(|(name, ..)| *name == field) {
            Some((.., most)) => *most = (*most).max(index),
            None => models[at].1.push((field, kind, index)),
        }
    }
    let mut text = String::from("#ifndef ROTULE_USER_MODEL_H\n#define ROTULE_USER_MODEL_H\n");
    text += "typedef struct UserModel {\n    int unused;\n";
    for (model, fields) in models {
        text += "    struct {\n";
        for (field, kind, most) in fields {
            let size = if most > 0 { format!("[{}]", most + 1) } else { String::new() };
            let _ = writeln!(text, "        {kind} {field}{size};");
        }
        let _ = writeln!(text, "    }} {model};");
    }
    text + "} UserModel;\ntypedef UserModel UserModelStruct;\n#endif\n"
}

/// ROBOTRAN's numbers of joints, links, forces and sensors by name.
fn identifiers(all: &Numbered, draft: &Draft) -> String {
    let mut text = String::from("#ifndef ROTULE_USER_ALL_ID_H\n#define ROTULE_USER_ALL_ID_H\n");
    let mut list = |names: &mut dyn Iterator<Item = &str>| {
        for (at, name) in names.enumerate() {
            let _ = writeln!(text, "#define {name}_id {}", at + 1);
        }
    };
    list(&mut all.joints.iter().map(String::as_str));
    list(&mut draft.line_forces.iter().map(|one| one.name.value.as_str()));
    list(&mut draft.forces.iter().map(|one| one.name.value.as_str()));
    list(&mut draft.sensors.iter().map(|one| one.name.value.as_str()));
    text + "#endif\n"
}
