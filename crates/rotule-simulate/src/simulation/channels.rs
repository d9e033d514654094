//! Channels of a motion: named columns of numbers, each with its unit and the group that it is
//! shown in.

use super::conditioning::Conditioning;
use super::names::{
    catalogue, channel_position, find, function, named, names, owners, select, time,
};
use crate::outputs;
use crate::plant::Plant;
use crate::reactions::{Known, Reactions, rows_of_all};
use crate::watched::{Watched, WatchedFunction, WatchedNumbers};
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
    /// Kinetic, gravitational and elastic energy, and their sum.
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
    /// Residuals of constraints, by positions and by velocities.
    Violations,
    /// The conditioning of the coordinate partition, and of the best other one.
    Conditioning,
}

impl ChannelGroup {
    /// Those that can be requested, with their words; the first ones are kept by default.
    pub const ALL: [(ChannelGroup, &'static str); 14] = [
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
        (ChannelGroup::Violations, "violations"),
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
            ChannelGroup::Violations => "Violations of constraints",
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
    /// The channels that have a place: those of the list, and what comes with them.
    computed: Vec<Channel>,
    /// Where those of the list stand among the computed ones.
    kept: Vec<usize>,
    parts: Vec<Part>,
    /// The program of everything that takes one.
    watched: Option<Watched>,
    reactions: Option<Reactions>,
    /// The computed numbers of the last point; those that nobody looks at are zero.
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
    /// The sum of kinetic and potential energy, and elastic energy if there is any.
    Energy {
        /// `true` if something is elastic.
        elastic: bool,
    },
    /// Forces and violations of constraints, efforts of drives, the work or the conditioning, which
    /// a run finds.
    Force,
}

/// Where numbers come from. Functions are known by their positions among those that are watched.
enum Part {
    Time,
    Coordinates,
    Speeds,
    States,
    Inputs,
    Accelerations,
    Function(FunctionPart),
    /// Kinetic and potential energy, elastic energy if there is any, and their sum; the work, and
    /// kinetic and potential energy less the work and what events took out of them, if they are to
    /// be shown.
    Energies {
        kinetic: usize,
        potential: usize,
        elastic: Option<usize>,
        balance: bool,
    },
    Drives(Vec<usize>),
    Multipliers,
    /// For each constraint that the model can have, whether it is one of positions, too.
    Violations(Vec<bool>),
    Conditioning(Box<Conditioning>),
}

/// The numbers of a function.
struct FunctionPart {
    group: ChannelGroup,
    text: String,
    which: usize,
    len: usize,
    /// Of a wheel that rolls, the constraints whose multipliers are its forces along forward, left
    /// and normal.
    rolling: Option<[usize; 3]>,
}

impl Channels {
    /// The channels of some groups and single ones by name, as [`Channels::select`] takes them, in
    /// the order of the groups. Energies have the work and the balance if these are requested and
    /// the plant has them. Channels that are `hidden` are computed and not in the list.
    pub fn new(
        plant: &mut Plant,
        groups: &[ChannelGroup],
        names: &[String],
        balance: bool,
        hidden: &[&str],
    ) -> Result<Channels, Problem> {
        let balance = balance && plant.work().is_some();
        let mut single: Vec<Channel> = Vec::new();
        let mut unseen: Vec<Channel> = Vec::new();
        if !names.is_empty() || !hidden.is_empty() {
            let all = catalogue(&plant.tree, balance, plant.choice().is_some())?;
            for word in names {
                single.extend(select(&all, word)?.into_iter().map(|at| all[at].clone()));
            }
            unseen.extend(all.into_iter().filter(|one| hidden.contains(&one.name.as_str())));
        }
        let (list, parts) = (Vec::new(), Vec::new());
        let requested = Requested { groups, single: &single, unseen: &unseen };
        let none = |text: &str| WatchedFunction::new(text, WatchedNumbers::Outputs(Vec::new()));
        let functions = ["inverse", "constraints"].map(none).to_vec();
        let (lens, reactions) = (Vec::new(), None);
        let mut made = Maker { plant, requested, balance, list, parts, lens, functions, reactions };
        made.add(ChannelGroup::Time, Part::Time, vec![time()]);
        for (group, _) in ChannelGroup::ALL {
            if requested.has_any(group) {
                made.group(group)?;
            }
        }
        let Maker { list: computed, parts, lens, mut functions, reactions, .. } = made;
        let keeps = |channel: &Channel| {
            let group = channel.group;
            group == ChannelGroup::Time || groups.contains(&group) || single.contains(channel)
        };
        let kept: Vec<usize> = (0..computed.len()).filter(|&at| keeps(&computed[at])).collect();
        let needed = |channel: &Channel| keeps(channel) || unseen.contains(channel);
        let needed: Vec<bool> = computed.iter().map(needed).collect();
        flag(&parts, &lens, &needed, &mut functions);
        let watched = match functions.iter().any(WatchedFunction::is_needed) {
            true => Some(Watched::new(plant, functions)?),
            false => None,
        };
        let list: Vec<Channel> = kept.iter().map(|&at| computed[at].clone()).collect();
        let (numbers, row) = (vec![0.0; computed.len()], vec![0.0; list.len()]);
        Ok(Channels { list, computed, kept, parts, watched, reactions, numbers, row })
    }

    /// Takes the numbers of the plant's point.
    pub fn take(&mut self, plant: &mut Plant) {
        let are_known = match &mut self.watched {
            Some(watched) => watched.measure(plant).is_ok(),
            None => true,
        };
        let watched = self.watched.as_ref();
        let numbers_of = |which: usize| watched.map_or(&[][..], |all| all.numbers(which));
        if let Some(reactions) = &mut self.reactions {
            let constraints = |at| watched.map_or(&[][..], |all| all.output(CONSTRAINTS, at));
            let known = Known {
                need: numbers_of(INVERSE),
                jacobian: constraints(outputs::constraints::JACOBIAN),
                explicit: constraints(outputs::constraints::EXPLICIT),
            };
            match are_known {
                false => reactions.lose(),
                // Violations alone need no forces.
                true if known.need.is_empty() => reactions.follow(plant),
                true => reactions.find_by(plant, known),
            }
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
                Part::Function(FunctionPart { which, len, rolling, .. }) => {
                    // The function closes loops by the first partition, and the run by the best
                    // one.
                    let force = match (rolling, found) {
                        (Some(rows), Some(found)) => Some(rows.map(|row| found.multipliers[row])),
                        _ => None,
                    };
                    // Nothing but these forces may be watched.
                    let own = numbers_of(*which);
                    put(&mut (0..*len).map(|at| {
                        let component = at.checked_sub(outputs::wheel::FORCE);
                        let force = force.as_ref().zip(component);
                        let force = force.and_then(|(force, at)| force.get(at));
                        force.or(own.get(at)).copied().unwrap_or(0.0)
                    }));
                }
                Part::Energies { kinetic, potential, elastic, balance } => {
                    // What is not watched is in none that is.
                    let first = |which: usize| numbers_of(which).first().copied().unwrap_or(0.0);
                    let [kinetic, potential] = [kinetic, potential].map(|which| first(*which));
                    let elastic = elastic.map(first);
                    let rigid = kinetic + potential;
                    let total = elastic.map_or(rigid, |elastic| rigid + elastic);
                    put(&mut [kinetic, potential].into_iter().chain(elastic).chain([total]));
                    if *balance {
                        let work = plant.work().unwrap_or(f64::NAN);
                        put(&mut [work, rigid - work + plant.lost()].into_iter());
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
                Part::Violations(positions) => {
                    let (Some(watched), Some(found)) = (watched, found) else { continue };
                    let violations = Violations::new(watched, plant, found, are_known);
                    put(&mut positions.iter().enumerate().flat_map(|(slot, &position)| {
                        let [h, hd] = violations.of(slot);
                        position.then_some(h).into_iter().chain([hd])
                    }));
                }
                Part::Conditioning(conditioning) => {
                    let jacobian = watched.map_or(&[][..], |all| {
                        all.output(CONSTRAINTS, outputs::constraints::JACOBIAN)
                    });
                    put(&mut conditioning.measure(plant, jacobian).into_iter());
                }
            }
        }
        for (number, &at) in self.row.iter_mut().zip(&self.kept) {
            *number = self.numbers[at];
        }
    }

    /// The position among all that is computed of a channel that is in the list or hidden.
    pub(super) fn computed_position(&self, name: &str) -> Option<usize> {
        self.computed.iter().position(|channel| channel.name == name)
    }

    /// A computed number of the last point.
    pub(super) fn computed(&self, position: usize) -> f64 {
        self.numbers[position]
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
            ChannelGroup::Energies => {
                let elastic = self.computed.iter().any(|one| one.name == ELASTIC);
                match self.computed[position].name.strip_prefix("energy.") {
                    Some("total") => ChannelSource::Energy { elastic },
                    Some(form @ ("kinetic" | "potential" | "elastic")) => {
                        ChannelSource::Function(format!("{form}_energy"), 0)
                    }
                    _ => ChannelSource::Force,
                }
            }
            ChannelGroup::Drives
            | ChannelGroup::Multipliers
            | ChannelGroup::Violations
            | ChannelGroup::Conditioning => ChannelSource::Force,
            ChannelGroup::Outputs
            | ChannelGroup::LineForces
            | ChannelGroup::Sensors
            | ChannelGroup::Wheels => {
                for part in &self.parts {
                    let Part::Function(own) = part else { continue };
                    if own.group != group {
                        continue;
                    }
                    if at < own.len {
                        return ChannelSource::Function(own.text.clone(), at);
                    }
                    at -= own.len;
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

/// The places of `inverse` and `constraints` among watched functions.
const INVERSE: usize = 0;
const CONSTRAINTS: usize = 1;

/// The channel of elastic energy, which only models have in which something is elastic.
pub(super) const ELASTIC: &str = "energy.elastic";

/// Flags the numbers of functions that are needed, by the channels that are.
fn flag(parts: &[Part], lens: &[usize], needed: &[bool], functions: &mut [WatchedFunction]) {
    let mut flags = |which: usize, own: &[bool]| {
        functions[which].numbers = WatchedNumbers::Flags(own.to_vec());
    };
    let mut rest = needed;
    for (part, &len) in parts.iter().zip(lens) {
        let own;
        (own, rest) = rest.split_at(len);
        match part {
            Part::Function(function) => {
                let mut own = own.to_vec();
                // Multipliers are its forces.
                if function.rolling.is_some() {
                    own[outputs::wheel::FORCE..][..3].fill(false);
                }
                flags(function.which, &own);
            }
            Part::Energies { kinetic, potential, elastic, .. } => {
                let (parts, sums) = own.split_at(2 + usize::from(elastic.is_some()));
                let balance = sums[1..].iter().any(|needed| *needed);
                for (which, part) in [(kinetic, 0), (potential, 1)] {
                    flags(*which, &[parts[part] || sums[0] || balance]);
                }
                if let Some(which) = elastic {
                    flags(*which, &[parts[2] || sums[0]]);
                }
            }
            _ => {}
        }
    }
}

/// The residuals of constraints: `h`, and `J qd + e`.
struct Violations<'a> {
    h: &'a [f64],
    jacobian: &'a [f64],
    explicit: &'a [f64],
    qd: &'a [f64],
    /// The place of each row among all that the model can have.
    slots: &'a [usize],
    /// `false` if the rows are not those that hold.
    known: bool,
}

impl<'a> Violations<'a> {
    fn new(watched: &'a Watched, plant: &'a Plant, found: &'a Reactions, known: bool) -> Self {
        let output = |at: usize| watched.output(CONSTRAINTS, at);
        Violations {
            h: output(outputs::constraints::RESIDUALS),
            jacobian: output(outputs::constraints::JACOBIAN),
            explicit: output(outputs::constraints::EXPLICIT),
            qd: &plant.point().qd,
            slots: found.slots(),
            known,
        }
    }

    /// Those of a constraint by positions and by velocities; zero if it does not hold now.
    fn of(&self, slot: usize) -> [f64; 2] {
        if !self.known {
            return [f64::NAN; 2];
        }
        let own = |row: &usize| self.slots.get(*row) == Some(&slot);
        let row = Some(slot).filter(own).or_else(|| self.slots.iter().position(|at| *at == slot));
        let Some(row) = row else { return [0.0; 2] };
        let line = &self.jacobian[row * self.qd.len()..][..self.qd.len()];
        let moved: f64 = line.iter().zip(self.qd).map(|(a, qd)| a * qd).sum();
        [self.h[row], moved + self.explicit[row]]
    }
}

/// The channels to compute: whole groups, single ones, and those that nobody sees.
#[derive(Clone, Copy)]
struct Requested<'a> {
    groups: &'a [ChannelGroup],
    single: &'a [Channel],
    unseen: &'a [Channel],
}

impl Requested<'_> {
    fn single(&self) -> impl Iterator<Item = &Channel> {
        self.single.iter().chain(self.unseen)
    }

    /// Returns `true` if anything of a group is to be computed.
    fn has_any(&self, group: ChannelGroup) -> bool {
        self.groups.contains(&group) || self.single().any(|one| one.group == group)
    }

    /// Returns `true` if anything of a line force, sensor or wheel is to be computed.
    fn has(&self, group: ChannelGroup, owner: &str) -> bool {
        let own = |channel: &Channel| {
            let rest = channel.name.strip_prefix(owner);
            channel.group == group && rest.is_some_and(|rest| rest.starts_with('.'))
        };
        self.groups.contains(&group) || self.single().any(own)
    }
}

struct Maker<'a> {
    plant: &'a mut Plant,
    requested: Requested<'a>,
    balance: bool,
    list: Vec<Channel>,
    parts: Vec<Part>,
    /// The number of channels of each part.
    lens: Vec<usize>,
    functions: Vec<WatchedFunction>,
    reactions: Option<Reactions>,
}

impl Maker<'_> {
    fn add(&mut self, group: ChannelGroup, part: Part, names: Vec<(String, String)>) {
        if names.is_empty() {
            return;
        }
        self.lens.push(names.len());
        let channels = names.into_iter().map(|(name, unit)| Channel { name, unit, group });
        self.list.extend(channels);
        self.parts.push(part);
    }

    fn group(&mut self, group: ChannelGroup) -> Result<(), Problem> {
        use outputs::constraints::{EXPLICIT, JACOBIAN, RESIDUALS};
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
                let (text, len) = ("outputs".to_owned(), names.len());
                let which = self.watch(&text);
                Part::Function(FunctionPart { group, text, which, len, rolling: None })
            }
            ChannelGroup::Accelerations => Part::Accelerations,
            ChannelGroup::Energies => {
                let kinetic = self.watch("kinetic_energy");
                let potential = self.watch("potential_energy");
                let elastic = names.iter().any(|(name, _)| name == ELASTIC);
                let elastic = elastic.then(|| self.watch("elastic_energy"));
                Part::Energies { kinetic, potential, elastic, balance }
            }
            ChannelGroup::Drives => {
                self.react();
                let driven = self.reactions.as_ref().map(|reactions| reactions.driven().to_vec());
                Part::Drives(driven.unwrap_or_default())
            }
            ChannelGroup::Multipliers => {
                self.react();
                Part::Multipliers
            }
            ChannelGroup::Violations => {
                self.know_constraints();
                self.constraints(&[RESIDUALS, JACOBIAN, EXPLICIT]);
                let rows = rows_of_all(&self.plant.tree.mechanism);
                Part::Violations(rows.into_iter().map(|row| row.holonomic).collect())
            }
            ChannelGroup::Conditioning => {
                self.constraints(&[JACOBIAN]);
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
            let mechanism = &self.plant.tree.mechanism;
            let outputs = super::names::outputs(mechanism, group, owner).into_iter();
            let names = named(&self.plant.tree, &text, owner, outputs)?;
            let wheel = mechanism.wheels.iter().find(|one| one.name == *owner);
            let wheel = wheel.filter(|_| group == ChannelGroup::Wheels);
            let all = || rows_of_all(mechanism).into_iter().map(|row| row.name).collect::<Vec<_>>();
            let rolling = wheel.and_then(|wheel| rows_of_wheel(&all(), wheel));
            if rolling.is_some() {
                self.react();
            }
            let (which, len) = (self.watch(&text), names.len());
            let part = FunctionPart { group, text, which, len, rolling };
            self.add(group, Part::Function(part), names);
        }
        Ok(())
    }

    /// Adds a function whose numbers are flagged later.
    fn watch(&mut self, text: &str) -> usize {
        self.functions.push(WatchedFunction::new(text, WatchedNumbers::Flags(Vec::new())));
        self.functions.len() - 1
    }

    /// Adds some outputs of `constraints`.
    fn constraints(&mut self, outputs: &[usize]) {
        self.functions[CONSTRAINTS].add(outputs);
    }

    /// Adds forces of constraints and drives.
    fn react(&mut self) {
        self.know_constraints();
        self.functions[INVERSE].add(&[outputs::ONLY]);
        self.constraints(&[outputs::constraints::JACOBIAN]);
    }

    /// Adds the places of constraints among all that the model can have.
    fn know_constraints(&mut self) {
        if self.reactions.is_none() {
            self.reactions = Some(Reactions::of_known(self.plant));
        }
    }
}
