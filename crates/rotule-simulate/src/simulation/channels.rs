//! Channels of a motion: named columns of numbers, each with its unit and the group that it is
//! shown in.

use super::conditioning::Conditioning;
use super::names::{
    catalogue, channel_position, find, function, named, names, owners, select, time,
};
use crate::outputs;
use crate::plant::Plant;
use crate::quantity::EvaluatedFunction;
use crate::reactions::{Reactions, rows_of_all};
use rotule_formalism::Problem;
use rotule_formalism::constraint::rows_of_wheel;
use rotule_numeric::state::StatePlace;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name, unique among all.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// The group that it is shown with.
    pub group: ChannelGroup,
}

impl Channel {
    /// The heading of its column in a table: its name and its unit.
    pub fn heading(&self) -> String {
        match self.unit.as_str() {
            "" => self.name.clone(),
            unit => format!("{} [{unit}]", self.name),
        }
    }
}

/// Groups of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelGroup {
    /// Time alone.
    Time,
    /// All coordinates.
    Coordinates,
    /// All speeds.
    Speeds,
    /// All states besides coordinates and speeds.
    States,
    /// All inputs.
    Inputs,
    /// Outputs of the model.
    Outputs,
    /// All accelerations.
    Accelerations,
    /// Kinetic and potential energy, and their sum.
    Energies,
    /// Length, rate and force of line forces.
    LineForces,
    /// The measurements of sensors.
    Sensors,
    /// Contacts of wheels.
    Wheels,
    /// Efforts of driven and locked joints.
    Drives,
    /// Forces of constraints.
    Multipliers,
    /// The conditioning of the coordinate partition, and of the best other one.
    Conditioning,
}

impl ChannelGroup {
    /// Those that can be requested, with their words; the first ones are kept by default.
    pub const ALL: [(ChannelGroup, &'static str); 13] = [
        (ChannelGroup::Coordinates, "coordinates"),
        (ChannelGroup::Speeds, "speeds"),
        (ChannelGroup::States, "states"),
        (ChannelGroup::Inputs, "inputs"),
        (ChannelGroup::Outputs, "outputs"),
        (ChannelGroup::Accelerations, "accelerations"),
        (ChannelGroup::Energies, "energies"),
        (ChannelGroup::LineForces, "line_forces"),
        (ChannelGroup::Sensors, "sensors"),
        (ChannelGroup::Wheels, "wheels"),
        (ChannelGroup::Drives, "drives"),
        (ChannelGroup::Multipliers, "multipliers"),
        (ChannelGroup::Conditioning, "conditioning"),
    ];

    /// The heading of its plots.
    pub fn title(self) -> &'static str {
        match self {
            ChannelGroup::Time => "Time",
            ChannelGroup::Coordinates => "Coordinates",
            ChannelGroup::Speeds => "Speeds",
            ChannelGroup::States => "States",
            ChannelGroup::Inputs => "Inputs",
            ChannelGroup::Outputs => "Outputs",
            ChannelGroup::Accelerations => "Accelerations",
            ChannelGroup::Energies => "Energies",
            ChannelGroup::LineForces => "Line forces",
            ChannelGroup::Sensors => "Sensors",
            ChannelGroup::Wheels => "Wheels",
            ChannelGroup::Drives => "Efforts of drives",
            ChannelGroup::Multipliers => "Forces of constraints",
            ChannelGroup::Conditioning => "Conditioning",
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        ChannelGroup::ALL.iter().find(|(group, _)| *group == self).map_or("time", |(_, word)| word)
    }
}

/// All channels of a run, and how their numbers are found.
pub struct Channels {
    /// The channels, in the order of the numbers.
    pub list: Vec<Channel>,
    /// The channels that are computed: those of the list, and what comes with them.
    computed: Vec<Channel>,
    /// Where those of the list stand among the computed ones.
    kept: Vec<usize>,
    parts: Vec<Part>,
    reactions: Option<Reactions>,
    /// The computed numbers of the last point.
    numbers: Vec<f64>,
    /// The numbers of the last point.
    pub row: Vec<f64>,
}

/// Where the numbers of one channel come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelSource {
    /// A number of the state.
    State(StatePlace),
    /// A number among all that a function gives.
    Function(String, usize),
    /// The sum of kinetic and potential energy.
    Energy,
    /// Forces of constraints and drives, the work or the conditioning, which a run finds.
    Force,
}

/// Where numbers come from.
#[allow(clippy::large_enum_variant, reason = "a run has few of them")]
enum Part {
    Time,
    Coordinates,
    Speeds,
    States,
    Inputs,
    Accelerations,
    /// With the group of its channels, its name, and, of a wheel that rolls, the constraints whose
    /// multipliers are its forces along forward, left and normal.
    Function(ChannelGroup, String, EvaluatedFunction, Option<[usize; 3]>),
    /// Kinetic energy, potential energy and their sum; the work, and the sum less the work and what
    /// events took out of it, if they are to be shown.
    Energies {
        kinetic: EvaluatedFunction,
        potential: EvaluatedFunction,
        balance: bool,
    },
    Drives(Vec<usize>),
    Multipliers,
    Conditioning(Box<Conditioning>),
}

impl Channels {
    /// The channels of some groups and single ones by name, as [`Channels::select`] takes them, in
    /// the order of the groups. Energies have the work and the balance if these are requested and
    /// the plant has them.
    pub fn new(
        plant: &mut Plant,
        groups: &[ChannelGroup],
        names: &[String],
        balance: bool,
    ) -> Result<Channels, Problem> {
        let balance = balance && plant.work().is_some();
        let mut single: Vec<Channel> = Vec::new();
        if !names.is_empty() {
            let all = catalogue(&plant.tree, balance, plant.choice().is_some())?;
            for word in names {
                single.extend(select(&all, word)?.into_iter().map(|at| all[at].clone()));
            }
        }
        let (list, parts) = (Vec::new(), Vec::new());
        let requested = Requested { groups, single: &single };
        let mut made = Maker { plant, requested, balance, list, parts, reactions: None };
        made.add(ChannelGroup::Time, Part::Time, vec![time()]);
        for (group, _) in ChannelGroup::ALL {
            if groups.contains(&group) || single.iter().any(|one| one.group == group) {
                made.group(group)?;
            }
        }
        let (computed, parts, reactions) = (made.list, made.parts, made.reactions);
        let keeps = |channel: &Channel| {
            let group = channel.group;
            group == ChannelGroup::Time || groups.contains(&group) || single.contains(channel)
        };
        let kept: Vec<usize> = (0..computed.len()).filter(|&at| keeps(&computed[at])).collect();
        let list: Vec<Channel> = kept.iter().map(|&at| computed[at].clone()).collect();
        let (numbers, row) = (vec![0.0; computed.len()], vec![0.0; list.len()]);
        Ok(Channels { list, computed, kept, parts, reactions, numbers, row })
    }

    /// Takes the numbers of the plant's point.
    pub fn take(&mut self, plant: &mut Plant) {
        if let Some(reactions) = &mut self.reactions {
            reactions.find(plant);
        }
        let mut at = 0;
        let computed = &mut self.numbers;
        let mut put = |numbers: &mut dyn Iterator<Item = f64>| {
            for number in numbers {
                computed[at] = number;
                at += 1;
            }
        };
        let found = self.reactions.as_ref();
        for part in &mut self.parts {
            match part {
                Part::Time => put(&mut std::iter::once(plant.point().t)),
                Part::Coordinates => put(&mut plant.point().q.iter().copied()),
                Part::Speeds => put(&mut plant.point().qd.iter().copied()),
                Part::States => put(&mut plant.point().states.iter().copied()),
                Part::Inputs => {
                    plant.show_inputs();
                    put(&mut plant.point().inputs.iter().copied());
                }
                Part::Accelerations => put(&mut plant.point().qdd.iter().copied()),
                Part::Function(_, _, quantity, rolling) => {
                    plant.measure(quantity);
                    // The function closes loops by the first partition, and the run by the best
                    // one.
                    let force = match (rolling, found) {
                        (Some(rows), Some(found)) => Some(rows.map(|row| found.multipliers[row])),
                        _ => None,
                    };
                    let numbers = quantity.outputs().iter().enumerate().map(|(at, &number)| {
                        let component = at.checked_sub(outputs::wheel::FORCE);
                        let own = force.as_ref().zip(component);
                        own.and_then(|(force, at)| force.get(at)).copied().unwrap_or(number)
                    });
                    put(&mut { numbers });
                }
                Part::Energies { kinetic, potential, balance } => {
                    plant.measure(kinetic);
                    plant.measure(potential);
                    let (kinetic, potential) =
                        (kinetic.output(outputs::ONLY)[0], potential.output(outputs::ONLY)[0]);
                    let total = kinetic + potential;
                    put(&mut [kinetic, potential, total].into_iter());
                    if *balance {
                        let work = plant.work().unwrap_or(f64::NAN);
                        put(&mut [work, total - work + plant.lost()].into_iter());
                    }
                }
                Part::Drives(speeds) => {
                    let drives = found.map_or(&[][..], |found| &found.drives);
                    put(&mut speeds.iter().map(|&at| drives[at]));
                }
                Part::Multipliers => {
                    let multipliers = found.map_or(&[][..], |found| &found.multipliers);
                    put(&mut multipliers.iter().copied());
                }
                Part::Conditioning(conditioning) => {
                    put(&mut conditioning.measure(plant).into_iter());
                }
            }
        }
        for (number, &at) in self.row.iter_mut().zip(&self.kept) {
            *number = self.numbers[at];
        }
    }

    /// Where the numbers of a channel come from.
    pub fn source(&self, position: usize) -> ChannelSource {
        let position = self.kept[position];
        let group = self.computed[position].group;
        let first = self.computed.iter().position(|channel| channel.group == group).unwrap_or(0);
        let mut at = position - first;
        match group {
            ChannelGroup::Time => ChannelSource::State(StatePlace::Time),
            ChannelGroup::Coordinates => ChannelSource::State(StatePlace::Coordinate(at)),
            ChannelGroup::Speeds => ChannelSource::State(StatePlace::Speed(at)),
            ChannelGroup::States => ChannelSource::State(StatePlace::State(at)),
            ChannelGroup::Inputs => ChannelSource::State(StatePlace::Input(at)),
            ChannelGroup::Accelerations => ChannelSource::State(StatePlace::Acceleration(at)),
            ChannelGroup::Energies => match at {
                0 => ChannelSource::Function("kinetic_energy".to_owned(), 0),
                1 => ChannelSource::Function("potential_energy".to_owned(), 0),
                _ => ChannelSource::Energy,
            },
            ChannelGroup::Drives | ChannelGroup::Multipliers | ChannelGroup::Conditioning => {
                ChannelSource::Force
            }
            ChannelGroup::Outputs
            | ChannelGroup::LineForces
            | ChannelGroup::Sensors
            | ChannelGroup::Wheels => {
                for part in &self.parts {
                    let Part::Function(own, text, quantity, _) = part else { continue };
                    if *own != group {
                        continue;
                    }
                    let length = quantity.outputs().len();
                    if at < length {
                        return ChannelSource::Function(text.clone(), at);
                    }
                    at -= length;
                }
                ChannelSource::Force
            }
        }
    }

    /// The position of a channel by its name or an alias of it: `tip.velocity.x` is `tip.vx`, too.
    pub fn position(&self, name: &str) -> Option<usize> {
        channel_position(&self.list, name)
    }

    /// The position of a channel by its name or an alias of it; a problem with a remedy if there is
    /// none.
    pub fn find(&self, name: &str) -> Result<usize, Problem> {
        find(&self.list, name)
    }

    /// The positions of the channels that a word means: a channel, a group or `all`, or what the
    /// names of several begin with, such as `tyre.force`.
    pub fn select(&self, word: &str) -> Result<Vec<usize>, Problem> {
        select(&self.list, word)
    }
}

/// The channels to compute: whole groups, and single ones.
#[derive(Clone, Copy)]
struct Requested<'a> {
    groups: &'a [ChannelGroup],
    single: &'a [Channel],
}

impl Requested<'_> {
    /// Returns `true` if anything of a line force, sensor or wheel is to be computed.
    fn has(&self, group: ChannelGroup, owner: &str) -> bool {
        let own = |channel: &Channel| {
            let rest = channel.name.strip_prefix(owner);
            channel.group == group && rest.is_some_and(|rest| rest.starts_with('.'))
        };
        self.groups.contains(&group) || self.single.iter().any(own)
    }
}

struct Maker<'a> {
    plant: &'a mut Plant,
    requested: Requested<'a>,
    balance: bool,
    list: Vec<Channel>,
    parts: Vec<Part>,
    reactions: Option<Reactions>,
}

impl Maker<'_> {
    fn add(&mut self, group: ChannelGroup, part: Part, names: Vec<(String, String)>) {
        if names.is_empty() {
            return;
        }
        let channels = names.into_iter().map(|(name, unit)| Channel { name, unit, group });
        self.list.extend(channels);
        self.parts.push(part);
    }

    fn group(&mut self, group: ChannelGroup) -> Result<(), Problem> {
        let conditioned = self.plant.choice().is_some();
        let (balance, owners) = (self.balance, owners(&self.plant.tree.mechanism, group));
        if !owners.is_empty() {
            return self.functions(group, &owners);
        }
        let names = names(&self.plant.tree, group, balance, conditioned)?;
        if names.is_empty() {
            return Ok(());
        }
        let part = match group {
            ChannelGroup::Coordinates => Part::Coordinates,
            ChannelGroup::Speeds => Part::Speeds,
            ChannelGroup::States => Part::States,
            ChannelGroup::Inputs => Part::Inputs,
            ChannelGroup::Outputs => {
                let outputs = self.ready("outputs")?;
                Part::Function(group, "outputs".to_owned(), outputs, None)
            }
            ChannelGroup::Accelerations => Part::Accelerations,
            ChannelGroup::Energies => {
                let kinetic = self.ready("kinetic_energy")?;
                let potential = self.ready("potential_energy")?;
                Part::Energies { kinetic, potential, balance }
            }
            ChannelGroup::Drives => {
                let reactions = Reactions::new(self.plant)?;
                let speeds = reactions.driven().to_vec();
                self.reactions = Some(reactions);
                Part::Drives(speeds)
            }
            ChannelGroup::Multipliers => {
                if self.reactions.is_none() {
                    self.reactions = Some(Reactions::new(self.plant)?);
                }
                Part::Multipliers
            }
            ChannelGroup::Conditioning => {
                Part::Conditioning(Box::new(Conditioning::new(self.plant)?))
            }
            ChannelGroup::Time
            | ChannelGroup::LineForces
            | ChannelGroup::Sensors
            | ChannelGroup::Wheels => return Ok(()),
        };
        self.add(group, part, names);
        Ok(())
    }

    /// Adds the outputs of functions of line forces, sensors or wheels.
    fn functions(&mut self, group: ChannelGroup, owners: &[String]) -> Result<(), Problem> {
        let requested = self.requested;
        for owner in owners.iter().filter(|owner| requested.has(group, owner)) {
            let text = function(group, owner);
            let quantity = self.ready(&text)?;
            let outputs = quantity.program().outputs().iter().map(|output| output.name.as_str());
            let names = named(&self.plant.tree, &text, owner, outputs)?;
            let mechanism = &self.plant.tree.mechanism;
            let wheel = mechanism.wheels.iter().find(|one| one.name == *owner);
            let wheel = wheel.filter(|_| group == ChannelGroup::Wheels);
            let all = wheel.map(|_| rows_of_all(mechanism));
            let rolling = wheel.zip(all).and_then(|(wheel, all)| rows_of_wheel(&all, wheel));
            if rolling.is_some() && self.reactions.is_none() {
                self.reactions = Some(Reactions::new(self.plant)?);
            }
            self.add(group, Part::Function(group, text, quantity, rolling), names);
        }
        Ok(())
    }

    fn ready(&mut self, function: &str) -> Result<EvaluatedFunction, Problem> {
        let mut quantity = EvaluatedFunction::new(&self.plant.free_tree(), function)?;
        self.plant.prepare(&mut quantity);
        Ok(quantity)
    }
}
