//! The names of channels: all that a model can have, and the look-up of what somebody types.
//!
//! A channel has the name that results have. Laws of model files may use some quantities by shorter
//! names, `tip.vx`, and those mean the same channel: the table of aliases says which. Names follow
//! from the mechanism alone, so that they can be looked up before any program is made.

use super::channels::ELASTIC;
use super::{Channel, ChannelGroup};
use crate::reactions::{RowOfAll, driven, rows_of_all};
use rotule_formalism::aliases::{Names, canonical};
use rotule_formalism::elastic;
use rotule_formalism::function::{FunctionKind, measured};
use rotule_formalism::labels::{Labels, labels, speed_names};
use rotule_formalism::units;
use rotule_formalism::{ModelFunction, MultibodySystem, Problem};
use rotule_model::mechanism::{Mechanism, Requirement, Speed};
use rotule_symbolic::list;
use rotule_symbolic::{Expr, nearest};

/// Groups whose channels belong to something with a name, and the kind of aliases that stand behind
/// it.
const OWNED: [(ChannelGroup, Names); 3] = [
    (ChannelGroup::LineForces, Names::LineForce),
    (ChannelGroup::Sensors, Names::Sensor),
    (ChannelGroup::Wheels, Names::Wheel),
];

/// A list of channels, as `--channels` has it: groups, and the words that stand for something else.
pub fn parse_channels(list: &str) -> (Vec<ChannelGroup>, Vec<String>) {
    let (mut groups, mut names) = (Vec::new(), Vec::new());
    for word in list::names(list) {
        let name = canonical(Names::Channels, word);
        match ChannelGroup::ALL.iter().find(|(_, known)| *known == name) {
            _ if word == "all" => groups.extend(ChannelGroup::ALL.map(|(group, _)| group)),
            Some((group, _)) => groups.push(*group),
            None => names.push(word.to_owned()),
        }
    }
    (groups, names)
}

/// Checks that a model has the channels that words stand for.
pub fn check_channels(tree: &MultibodySystem, words: &[String]) -> Result<(), Problem> {
    if words.is_empty() {
        return Ok(());
    }
    let all = catalogue(tree, true, true)?;
    words.iter().try_for_each(|word| select(&all, word).map(drop))
}

/// Every channel that a model can have.
pub(super) fn catalogue(
    tree: &MultibodySystem,
    balance: bool,
    conditioned: bool,
) -> Result<Vec<Channel>, Problem> {
    let channel = |group| move |(name, unit)| Channel { name, unit, group };
    let mut all = vec![channel(ChannelGroup::Time)(time())];
    for (group, _) in ChannelGroup::ALL {
        let names = match &owners(&tree.mechanism, group)[..] {
            [] => names(tree, group, balance, conditioned)?,
            owners => {
                let mut names = Vec::new();
                for owner in owners {
                    let outputs = outputs(&tree.mechanism, group, owner);
                    names.extend(named(tree, &function(group, owner), owner, outputs.into_iter())?);
                }
                names
            }
        };
        all.extend(names.into_iter().map(channel(group)));
    }
    Ok(all)
}

/// The position of the channel that a name or an alias of it means, among some.
pub fn channel_position(list: &[Channel], name: &str) -> Option<usize> {
    let exact = list.iter().position(|channel| channel.name == name);
    exact.or_else(|| by_number(list, name)).or_else(|| {
        let (owner, quantity) = name.split_once('.')?;
        OWNED.iter().find_map(|&(group, kind)| {
            let full = format!("{owner}.{}", canonical(kind, quantity));
            list.iter().position(|channel| channel.group == group && channel.name == full)
        })
    })
}

/// Groups of the quantities of joints, and what stands behind a joint's name before the number of
/// one of them.
const NUMBERED: [(ChannelGroup, &str); 3] = [
    (ChannelGroup::Accelerations, ".dd"),
    (ChannelGroup::Speeds, ".d"),
    (ChannelGroup::Coordinates, ""),
];

/// The channels of a group that belong to a joint with a quaternion, in order.
fn components(list: &[Channel], group: ChannelGroup, joint: &str) -> Vec<usize> {
    let of_joint = |channel: &Channel| {
        let rest = channel.name.strip_prefix(joint).and_then(|rest| rest.strip_prefix('.'));
        rest.is_some_and(|rest| COMPONENTS.contains(&rest.trim_end_matches(".d")))
    };
    let own = |at: &usize| list[*at].group == group && of_joint(&list[*at]);
    (0..list.len()).filter(own).collect()
}

/// Components of position, quaternion and velocity.
const COMPONENTS: [&str; 13] =
    ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"];

/// The position of a channel of a joint with a quaternion by its number: `base[4]` is `base.qw`.
fn by_number(list: &[Channel], name: &str) -> Option<usize> {
    let (stem, number) = name.strip_suffix(']')?.rsplit_once('[')?;
    let number: usize = number.parse().ok()?;
    NUMBERED.iter().find_map(|&(group, suffix)| {
        let joint = stem.strip_suffix(suffix)?;
        components(list, group, joint).get(number.checked_sub(1)?).copied()
    })
}

/// The position of a channel, or the remedy.
pub(super) fn find(list: &[Channel], name: &str) -> Result<usize, Problem> {
    channel_position(list, name).ok_or_else(|| unknown(list, name))
}

/// The positions of the channels that a word means. A channel comes first, so that no group hides
/// it.
pub fn select(list: &[Channel], word: &str) -> Result<Vec<usize>, Problem> {
    if let Some(at) = channel_position(list, word) {
        return Ok(vec![at]);
    }
    let all = |keep: &dyn Fn(&Channel) -> bool| -> Vec<usize> {
        (0..list.len()).filter(|&at| keep(&list[at])).collect()
    };
    if let Some((group, _)) = ChannelGroup::ALL.iter().find(|(_, known)| *known == word) {
        return Ok(all(&|channel| channel.group == *group));
    }
    let begins = |mark: char| {
        move |channel: &Channel| {
            channel.name.strip_prefix(word).is_some_and(|rest| rest.starts_with(mark))
        }
    };
    let components = NUMBERED.iter().find_map(|&(group, suffix)| {
        let found = components(list, group, word.strip_suffix(suffix)?);
        (!found.is_empty()).then_some(found)
    });
    // The coordinates of a joint, or all that belongs to something.
    let found = match (word, components) {
        ("all", _) => all(&|_| true),
        (_, Some(found)) => found,
        (_, None) => {
            Some(all(&begins('['))).filter(|some| !some.is_empty()).unwrap_or(all(&begins('.')))
        }
    };
    if found.is_empty() { Err(unknown(list, word)) } else { Ok(found) }
}

fn unknown(list: &[Channel], name: &str) -> Problem {
    let groups = || ChannelGroup::ALL.iter().map(|(_, word)| *word);
    let known = list.iter().map(|channel| channel.name.as_str()).chain(groups());
    // The name of a loop closure stands behind `lambda`.
    let within = list.iter().find_map(|channel| {
        let at = channel.name.find(&format!(".{name}."))?;
        Some(&channel.name[..at + 1 + name.len()])
    });
    let hint = match within.or_else(|| nearest(name, known)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let groups: Vec<&str> = groups().collect();
            let example = list.iter().find(|channel| channel.group != ChannelGroup::Time);
            let example = example.map_or("t", |channel| channel.name.as_str());
            let groups = groups.join(", ");
            format!("expected a channel such as `{example}`, `all`, or one of the groups {groups}")
        }
    };
    Problem::new(format!("there is no channel `{name}`"), hint)
}

/// The name and the unit of time.
pub(super) fn time() -> (String, String) {
    ("t".to_owned(), "s".to_owned())
}

/// The line forces, sensors or wheels that the channels of a group belong to.
pub(super) fn owners(mechanism: &Mechanism, group: ChannelGroup) -> Vec<String> {
    match group {
        ChannelGroup::LineForces => {
            mechanism.line_forces.iter().map(|one| one.name.clone()).collect()
        }
        ChannelGroup::Sensors => mechanism.sensors.iter().map(|one| one.name.clone()).collect(),
        ChannelGroup::Wheels => mechanism.wheels.iter().map(|one| one.name.clone()).collect(),
        _ => Vec::new(),
    }
}

/// The function that gives what belongs to one of them: `wheel(front)`.
pub(super) fn function(group: ChannelGroup, owner: &str) -> String {
    let kind = function_of(group).map_or("", |function| function.row().name);
    format!("{kind}({owner})")
}

/// The function of the elements that a group has several of.
const fn function_of(group: ChannelGroup) -> Option<FunctionKind> {
    match group {
        ChannelGroup::LineForces => Some(FunctionKind::LineForce),
        ChannelGroup::Sensors => Some(FunctionKind::Sensor),
        ChannelGroup::Wheels => Some(FunctionKind::Wheel),
        _ => None,
    }
}

/// The outputs of that function.
pub(super) fn outputs(
    mechanism: &Mechanism,
    group: ChannelGroup,
    owner: &str,
) -> Vec<&'static str> {
    if let Some(sensor) = mechanism.sensors.iter().find(|one| one.name == owner) {
        return sensor.measures.iter().map(|&measure| measured(measure).name).collect();
    }
    let outputs = function_of(group).map_or(&[][..], |function| function.row().outputs);
    outputs.iter().map(|output| output.name).collect()
}

/// Names and units of all numbers that a function gives.
pub(super) fn named<'a>(
    tree: &MultibodySystem,
    function: &str,
    owner: &str,
    outputs: impl Iterator<Item = &'a str>,
) -> Result<Vec<(String, String)>, Problem> {
    let (mechanism, function) = (&tree.mechanism, ModelFunction::parse(function, tree)?);
    let mut names = Vec::new();
    for output in outputs {
        let labels = labels(mechanism, &function, output);
        let unit = units::of_output(mechanism, &function, output);
        let stem = format!("{owner}.{output}");
        let rows = match labels {
            Some(Labels::Vector(rows)) => rows.iter().map(|row| format!("{stem}.{row}")).collect(),
            Some(Labels::Matrix(rows, columns)) => {
                let places = rows.iter().flat_map(|row| columns.iter().map(move |one| (row, one)));
                places.map(|(row, column)| format!("{stem}.{row}{column}")).collect()
            }
            _ => vec![stem],
        };
        names.extend(rows.into_iter().map(|name| (name, unit.clone())));
    }
    Ok(names)
}

/// Names and units of the channels of a group that belong to the whole mechanism. `conditioned` if
/// the run has a coordinate partition: where all coordinates are the state, none is to be judged.
pub(super) fn names(
    tree: &MultibodySystem,
    group: ChannelGroup,
    balance: bool,
    conditioned: bool,
) -> Result<Vec<(String, String)>, Problem> {
    let mechanism = &tree.mechanism;
    let per_speed = |symbol: fn(&Speed) -> Expr, units: [&'static str; 2]| {
        let names = mechanism.speeds.iter().map(|one| mechanism.graph.text(symbol(one)));
        let units = units::by_speed(mechanism, units).into_iter().map(str::to_owned);
        names.zip(units).collect::<Vec<_>>()
    };
    let fixed = |names: &[&str], unit: &str| {
        names.iter().map(|&name| (name.to_owned(), unit.to_owned())).collect::<Vec<_>>()
    };
    Ok(match group {
        ChannelGroup::Time
        | ChannelGroup::LineForces
        | ChannelGroup::Sensors
        | ChannelGroup::Wheels => Vec::new(),
        ChannelGroup::Coordinates => {
            let units = units::of_coordinates(mechanism).into_iter().map(str::to_owned);
            mechanism.coordinates.iter().map(|one| one.name.clone()).zip(units).collect()
        }
        ChannelGroup::Speeds => per_speed(|one| one.symbol, units::SPEED),
        ChannelGroup::States => {
            mechanism.states.iter().map(|one| (one.name.clone(), one.unit.clone())).collect()
        }
        ChannelGroup::Inputs => {
            mechanism.inputs.iter().map(|one| (one.name.clone(), one.unit.clone())).collect()
        }
        ChannelGroup::Outputs => {
            mechanism.outputs.iter().map(|one| (one.name.clone(), one.unit.clone())).collect()
        }
        ChannelGroup::Accelerations => per_speed(|one| one.acceleration, units::ACCELERATION),
        ChannelGroup::Energies => {
            let elastic = elastic::stores_energy(tree).then_some(ELASTIC);
            let mut all = vec!["energy.kinetic", "energy.potential"];
            all.extend(elastic);
            all.push("energy.total");
            all.extend(["energy.work", "energy.balance"].into_iter().filter(|_| balance));
            fixed(&all, "J")
        }
        ChannelGroup::Drives => {
            let units = units::by_speed(mechanism, units::EFFORT);
            let all = speed_names(mechanism);
            let name = |at: usize| (format!("{}.drive", all[at]), units[at].to_owned());
            driven(tree).into_iter().map(name).collect()
        }
        ChannelGroup::Multipliers => {
            let name = |row: RowOfAll| {
                let unit = unit_of_multiplier(mechanism, &row.name).to_owned();
                (format!("lambda.{}", row.name.replace(' ', ".")), unit)
            };
            rows_of_all(mechanism).into_iter().map(name).collect()
        }
        ChannelGroup::Violations => {
            let names = |row: RowOfAll| {
                let [position, velocity] = units_of_violation(mechanism, &row.name);
                let name = format!("violation.{}", row.name.replace(' ', "."));
                let rate = (format!("{name}.d"), velocity.to_owned());
                row.holonomic.then(|| (name, position.to_owned())).into_iter().chain([rate])
            };
            rows_of_all(mechanism).into_iter().flat_map(names).collect()
        }
        ChannelGroup::Conditioning if conditioned => {
            fixed(&["conditioning", "conditioning.best"], "1")
        }
        ChannelGroup::Conditioning => Vec::new(),
    })
}

/// The unit of the multiplier of a row, by the element and the component that it is named after.
/// Couplings and constraints of the user have whatever unit their expressions make.
fn unit_of_multiplier(mechanism: &Mechanism, row: &str) -> &'static str {
    let Some((element, component)) = row.rsplit_once(' ') else { return "" };
    let intermittent = mechanism.intermittent.iter().filter_map(|one| match &one.requirement {
        Requirement::Cut(cut) => Some(cut),
        Requirement::Constraint(_) => None,
    });
    let cut = mechanism.cuts.iter().chain(intermittent).find(|cut| cut.name == element);
    let wheel = mechanism.wheels.iter().any(|wheel| wheel.rolling && wheel.name == element);
    match (cut, component) {
        (Some(_), "x" | "y" | "z") => "N",
        (Some(_), "rx" | "ry" | "rz") => "N m",
        // The row of a rod is half a difference of squares.
        (Some(_), "length") => "N/m",
        (None, "forward" | "left" | "height") if wheel => "N",
        _ => "",
    }
}

/// The units of the violation of a row, by positions and by velocities.
fn units_of_violation(mechanism: &Mechanism, row: &str) -> [&'static str; 2] {
    match unit_of_multiplier(mechanism, row) {
        // Components of a rotation, and of a translation or a rolling contact.
        "N m" => ["1", "1/s"],
        "N" => ["m", "m/s"],
        "N/m" => ["m^2", "m^2/s"],
        _ => ["", ""],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::augmented::ConstraintForm;
    use crate::inputs::InputPoint;
    use crate::plant::Plant;
    use crate::simulation::Channels;
    use rotule_formalism::normalise;
    use rotule_jit::KernelKind;
    use rotule_model::{ReadOptions, load_text};
    use rotule_numeric::state::StateNumbers;
    use rotule_program::NoExternals;

    /// Names that follow from the mechanism are those of the channels that are made.
    #[test]
    fn the_catalogue_is_what_a_run_has() {
        let examples = [
            "pendulum",
            "double_pendulum",
            "slider_crank",
            "five_bar",
            "flyball_governor",
            "heavy_top",
            "whipple_bicycle",
            "motorcycle",
        ];
        for name in examples {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
            let text = std::fs::read_to_string(format!("{folder}{name}.toml")).expect(name);
            let loaded = load_text(format!("{name}.toml"), &text, &ReadOptions::default());
            let tree = normalise(loaded.unwrap_or_else(|_| panic!("{name}")));
            let mut state = StateNumbers::initial(&tree);
            state.settle(&tree);
            state.close(&tree).expect(name);
            let mut start = InputPoint::new(state.t, state.q, state.qd, state.parameters);
            start = start.with_states(state.states).with_inputs(state.inputs);
            start.effort = state.effort;
            let kernel = KernelKind::Interpreter;
            let mut plant = Plant::run_by(
                kernel,
                tree,
                start,
                Box::new(NoExternals),
                ConstraintForm::Partition,
            )
            .expect(name);
            let groups = ChannelGroup::ALL.map(|(group, _)| group);
            let made = Channels::new(&mut plant, &groups, &[], false, &[]).expect(name);
            let known = catalogue(&plant.tree, false, plant.choice().is_some()).expect(name);
            assert_eq!(made.list, known, "{name}");
            // Each of them is available alone, with the same number.
            let mut all = made;
            all.take(&mut plant);
            for (at, channel) in known.iter().enumerate().step_by(7) {
                let names = [channel.name.clone()];
                let mut one = Channels::new(&mut plant, &[], &names, false, &[]).expect(name);
                one.take(&mut plant);
                let found = one.find(&channel.name).expect(name);
                assert_eq!(one.row[found].to_bits(), all.row[at].to_bits(), "{}", channel.name);
                assert_eq!(one.source(found), all.source(at), "{}", channel.name);
            }
        }
    }

    #[test]
    fn a_word_is_a_channel_a_group_or_a_prefix() {
        let channel = |(name, group): (&str, ChannelGroup)| Channel {
            name: name.to_owned(),
            unit: String::new(),
            group,
        };
        let list: Vec<Channel> = [
            ("t", ChannelGroup::Time),
            ("leg[1]", ChannelGroup::Coordinates),
            ("leg[2]", ChannelGroup::Coordinates),
            ("leg.d[1]", ChannelGroup::Speeds),
            ("tip.velocity.x", ChannelGroup::Sensors),
            ("tip.velocity.y", ChannelGroup::Sensors),
            ("tip2.velocity.x", ChannelGroup::Sensors),
            ("ball.qw", ChannelGroup::Coordinates),
            ("ball.qx", ChannelGroup::Coordinates),
            ("ball.wx", ChannelGroup::Speeds),
            ("ball.wx.d", ChannelGroup::Accelerations),
        ]
        .map(channel)
        .to_vec();
        let check = |word: &str, expected: &[usize]| {
            assert_eq!(select(&list, word).expect(word), expected, "{word}");
        };
        check("leg", &[1, 2]);
        check("leg.d", &[3]);
        check("leg.d[1]", &[3]);
        check("speeds", &[3, 9]);
        check("tip", &[4, 5]);
        check("tip.vy", &[5]);
        check("ball", &[7, 8]);
        check("ball[2]", &[8]);
        check("ball.d", &[9]);
        check("ball.d[1]", &[9]);
        check("ball.dd[1]", &[10]);
        check("ball.wx.d", &[10]);
        check("all", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(find(&list, "tip.vx").expect("an alias"), 4);
        // Not every suffix is a quantity of a sensor, and a prefix ends where a name ends.
        for word in ["tip.Z", "ti", "tip.vel", "leg["] {
            assert!(select(&list, word).is_err(), "{word}");
        }
        let problem = find(&list, "tip.velocity.z").expect_err("it has two axes");
        assert!(problem.help.starts_with("did you mean `tip.velocity."), "{}", problem.help);
    }
}
