//! What is kept of a motion: named columns of numbers, each with its unit and the group that it is shown in.

use super::conditioning::Conditioning;
use crate::labels::{Labels, labels, speed_names};
use crate::units;
use rotule_formalism::constraint::rows_of_wheel;
use rotule_formalism::{Function, Problem};
use rotule_model::mechanism::Mechanism;
use rotule_simulate::plant::Plant;
use rotule_simulate::quantity::Quantity;
use rotule_simulate::reactions::Reactions;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name, unique among all.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// What it is shown with.
    pub group: Group,
}

/// Groups of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Time alone.
    Time,
    /// All coordinates.
    Coordinates,
    /// All speeds.
    Speeds,
    /// All states besides coordinates and speeds.
    States,
    /// All accelerations.
    Accelerations,
    /// Kinetic and potential energy, and their sum.
    Energies,
    /// Length, rate and force of links.
    Links,
    /// What sensors measure.
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

impl Group {
    /// Those that can be asked for, with their words; the first ones are kept if nothing is said.
    pub const ALL: [(Group, &'static str); 11] = [
        (Group::Coordinates, "coordinates"),
        (Group::Speeds, "speeds"),
        (Group::States, "states"),
        (Group::Accelerations, "accelerations"),
        (Group::Energies, "energies"),
        (Group::Links, "links"),
        (Group::Sensors, "sensors"),
        (Group::Wheels, "wheels"),
        (Group::Drives, "drives"),
        (Group::Multipliers, "multipliers"),
        (Group::Conditioning, "conditioning"),
    ];

    /// The heading of its plots.
    pub fn title(self) -> &'static str {
        match self {
            Group::Time => "Time",
            Group::Coordinates => "Coordinates",
            Group::Speeds => "Speeds",
            Group::States => "States",
            Group::Accelerations => "Accelerations",
            Group::Energies => "Energies",
            Group::Links => "Links",
            Group::Sensors => "Sensors",
            Group::Wheels => "Wheels",
            Group::Drives => "Efforts of drives",
            Group::Multipliers => "Forces of constraints",
            Group::Conditioning => "Conditioning",
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        Group::ALL.iter().find(|(group, _)| *group == self).map_or("time", |(_, word)| word)
    }
}

/// All channels of a run, and how their numbers are found.
pub struct Channels {
    /// The channels, in the order of the numbers.
    pub list: Vec<Channel>,
    parts: Vec<Part>,
    reactions: Option<Reactions>,
    /// The numbers of the last point.
    pub row: Vec<f64>,
}

/// Where the numbers of one channel come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Time.
    Time,
    /// A coordinate.
    Coordinate(usize),
    /// A speed.
    Speed(usize),
    /// Another state.
    State(usize),
    /// An acceleration.
    Acceleration(usize),
    /// A number among all that a function gives.
    Function(String, usize),
    /// The sum of kinetic and potential energy.
    Energy,
    /// Forces of constraints and drives, the work or the conditioning, which a run finds.
    Force,
}

/// The first number of the force of `wheel`, after depth, its rate, camber, slips, spin and speed.
const FORCE: usize = 7;

/// Where numbers come from.
enum Part {
    Time,
    Coordinates,
    Speeds,
    States,
    Accelerations,
    /// With its name, and, of a wheel that rolls, the constraints whose multipliers are its forces along forward, left and normal.
    Function(String, Quantity, Option<[usize; 3]>),
    /// Kinetic energy, potential energy and their sum; the work, and the sum less the work and what events took out of it, if
    /// they are to be shown.
    Energies {
        kinetic: Quantity,
        potential: Quantity,
        balance: bool,
    },
    Drives(Vec<usize>),
    Multipliers,
    Conditioning(Box<Conditioning>),
}

impl Channels {
    /// The channels of some groups; those of energies have the work and the balance if these are requested and the plant has them.
    pub fn new(plant: &mut Plant, groups: &[Group], balance: bool) -> Result<Channels, Problem> {
        let balance = balance && plant.work().is_some();
        let (list, parts) = (Vec::new(), Vec::new());
        let mut made = Maker { plant, balance, list, parts, reactions: None };
        made.add(Group::Time, Part::Time, vec![("t".to_owned(), "s".to_owned())]);
        for (group, _) in Group::ALL {
            if groups.contains(&group) {
                made.group(group)?;
            }
        }
        let row = vec![0.0; made.list.len()];
        Ok(Channels { list: made.list, parts: made.parts, reactions: made.reactions, row })
    }

    /// Takes the numbers of the plant's point.
    pub fn take(&mut self, plant: &mut Plant) {
        if let Some(reactions) = &mut self.reactions {
            reactions.find(plant);
        }
        let mut at = 0;
        let row = &mut self.row;
        let mut put = |numbers: &mut dyn Iterator<Item = f64>| {
            for number in numbers {
                row[at] = number;
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
                Part::Accelerations => put(&mut plant.point().qdd.iter().copied()),
                Part::Function(_, quantity, rolling) => {
                    plant.measure(quantity);
                    let mut numbers = quantity.outputs().to_vec();
                    // The function closes loops by the first partition, and the run by the best one.
                    if let (Some(rows), Some(found)) = (rolling, found) {
                        let force = rows.map(|row| found.multipliers[row]);
                        numbers[FORCE..FORCE + 3].copy_from_slice(&force);
                    }
                    put(&mut numbers.into_iter());
                }
                Part::Energies { kinetic, potential, balance } => {
                    plant.measure(kinetic);
                    plant.measure(potential);
                    let (kinetic, potential) = (kinetic.output(0)[0], potential.output(0)[0]);
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
    }

    /// Where the numbers of a channel come from.
    pub fn source(&self, position: usize) -> Source {
        let group = self.list[position].group;
        let first = self.list.iter().position(|channel| channel.group == group).unwrap_or(0);
        let mut at = position - first;
        match group {
            Group::Time => Source::Time,
            Group::Coordinates => Source::Coordinate(at),
            Group::Speeds => Source::Speed(at),
            Group::States => Source::State(at),
            Group::Accelerations => Source::Acceleration(at),
            Group::Energies => match at {
                0 => Source::Function("kinetic_energy".to_owned(), 0),
                1 => Source::Function("potential_energy".to_owned(), 0),
                _ => Source::Energy,
            },
            Group::Drives | Group::Multipliers | Group::Conditioning => Source::Force,
            Group::Links | Group::Sensors | Group::Wheels => {
                let word = &group.word()[..group.word().len() - 1];
                for part in &self.parts {
                    let Part::Function(text, quantity, _) = part else { continue };
                    if !text.starts_with(word) {
                        continue;
                    }
                    let length = quantity.outputs().len();
                    if at < length {
                        return Source::Function(text.clone(), at);
                    }
                    at -= length;
                }
                Source::Force
            }
        }
    }

    /// The position of a channel.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|channel| channel.name == name)
    }
}

struct Maker<'a> {
    plant: &'a mut Plant,
    balance: bool,
    list: Vec<Channel>,
    parts: Vec<Part>,
    reactions: Option<Reactions>,
}

impl Maker<'_> {
    fn add(&mut self, group: Group, part: Part, names: Vec<(String, String)>) {
        if names.is_empty() {
            return;
        }
        let channels = names.into_iter().map(|(name, unit)| Channel { name, unit, group });
        self.list.extend(channels);
        self.parts.push(part);
    }

    fn group(&mut self, group: Group) -> Result<(), Problem> {
        let mechanism = &self.plant.tree.mechanism;
        let per_speed = |suffix: &str, units: [&'static str; 2]| {
            let names = mechanism.speeds.iter().map(|one| one.name.replacen(".d", suffix, 1));
            let units = units::by_speed(mechanism, units).into_iter().map(str::to_owned);
            names.zip(units).collect::<Vec<_>>()
        };
        let functions = |word: &str, names: Vec<&str>| {
            names.iter().map(|name| (format!("{word}({name})"), (*name).to_owned())).collect()
        };
        let functions: Vec<(String, String)> = match group {
            Group::Links => {
                functions("link", mechanism.links.iter().map(|one| one.name.as_str()).collect())
            }
            Group::Sensors => {
                functions("sensor", mechanism.sensors.iter().map(|one| one.name.as_str()).collect())
            }
            Group::Wheels => {
                functions("wheel", mechanism.wheels.iter().map(|one| one.name.as_str()).collect())
            }
            _ => Vec::new(),
        };
        match group {
            Group::Coordinates => {
                let units = units::of_coordinates(mechanism);
                let names = mechanism.coordinates.iter().map(|one| one.name.clone());
                let names = names.zip(units.into_iter().map(str::to_owned)).collect();
                self.add(group, Part::Coordinates, names);
            }
            Group::Speeds => {
                let names = per_speed(".d", units::SPEED);
                self.add(group, Part::Speeds, names);
            }
            Group::States => {
                let names = mechanism.states.iter();
                let names = names.map(|one| (one.name.clone(), one.unit.clone())).collect();
                self.add(group, Part::States, names);
            }
            Group::Accelerations => {
                let names = per_speed(".dd", units::ACCELERATION);
                self.add(group, Part::Accelerations, names);
            }
            Group::Energies => {
                let kinetic = self.ready("kinetic_energy")?;
                let potential = self.ready("potential_energy")?;
                let mut names = vec!["kinetic", "potential", "total"];
                if self.balance {
                    names.extend(["work", "balance"]);
                }
                let name = |name: &str| (format!("energy.{name}"), "J".to_owned());
                let names = names.into_iter().map(name).collect();
                let balance = self.balance;
                self.add(group, Part::Energies { kinetic, potential, balance }, names);
            }
            Group::Drives => {
                let reactions = Reactions::new(self.plant)?;
                let speeds = reactions.driven().to_vec();
                let mechanism = &self.plant.tree.mechanism;
                let units = units::by_speed(mechanism, units::EFFORT);
                let all = speed_names(mechanism);
                let names =
                    speeds.iter().map(|&at| (format!("{}.drive", all[at]), units[at].to_owned()));
                let names = names.collect();
                self.reactions = Some(reactions);
                self.add(group, Part::Drives(speeds), names);
            }
            Group::Multipliers => {
                let names = rotule_formalism::constraint::names(mechanism);
                let names = names
                    .iter()
                    .map(|name| (format!("lambda.{}", name.replace(' ', ".")), String::new()));
                let names: Vec<_> = names.collect();
                if self.reactions.is_none() && !names.is_empty() {
                    self.reactions = Some(Reactions::new(self.plant)?);
                }
                self.add(group, Part::Multipliers, names);
            }
            // Where all coordinates are the state, no partition is to be judged.
            Group::Conditioning if self.plant.choice().is_some() => {
                let conditioning = Conditioning::new(self.plant)?;
                let names = ["conditioning", "conditioning.best"];
                let names = names.map(|name| (name.to_owned(), "1".to_owned())).to_vec();
                self.add(group, Part::Conditioning(Box::new(conditioning)), names);
            }
            _ => {}
        }
        for (text, owner) in functions {
            let quantity = self.ready(&text)?;
            let mechanism = &self.plant.tree.mechanism;
            let names =
                named(mechanism, &Function::parse(&text, &self.plant.tree)?, &quantity, &owner);
            let wheel = mechanism.wheels.iter().find(|one| one.name == owner);
            let wheel = wheel.filter(|_| group == Group::Wheels);
            let all = wheel.map(|_| rotule_formalism::constraint::names(mechanism));
            let rolling = wheel.zip(all).and_then(|(wheel, all)| rows_of_wheel(&all, wheel));
            if rolling.is_some() && self.reactions.is_none() {
                self.reactions = Some(Reactions::new(self.plant)?);
            }
            self.add(group, Part::Function(text, quantity, rolling), names);
        }
        Ok(())
    }

    fn ready(&mut self, function: &str) -> Result<Quantity, Problem> {
        let mut quantity = Quantity::new(&self.plant.tree, function)?;
        self.plant.prepare(&mut quantity);
        Ok(quantity)
    }
}

/// Names and units of all numbers that a function gives.
fn named(
    mechanism: &Mechanism,
    function: &Function,
    quantity: &Quantity,
    owner: &str,
) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for output in quantity.program().outputs() {
        let labels = labels(mechanism, function, &output.name);
        let unit = units::of_output(mechanism, function, &output.name, labels.as_ref());
        let stem = format!("{owner}.{}", output.name);
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
    names
}
