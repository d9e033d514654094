//! Singular positions: poses in which a mechanism, its partition, its actuation or an output loses
//! a rank (Gosselin and Angeles 1990; Zlatanov, Fenton and Benhabib 1995; Park and Kim 1999;
//! Morette 2017).
//!
//! With the Jacobian `J` of all constraints over the speeds of all joints that are not locked, and
//! the Jacobian `Jo` of an output place:
//!
//! ```text
//! mechanism    rank J            falls: constraints depend on each other, branches of motion meet
//! partition    rank J(:, v)      falls, J does not: v no longer follows from the independent u
//! actuation    rank J(:, not d)  falls, J does not: with the drives d locked it still moves (type 2)
//! output       rank [J; Jo]      falls, J does not: it moves and the output stays (type 1)
//! ```
//!
//! Each rank is compared with the one at general poses, so that redundant constraints and drives
//! are no singularities. Mechanisms of one degree of freedom are followed along all curves of their
//! motion (`curve.rs`); of others, poses are found by Newton's method from many starts
//! (`question.rs`), grouped by what they have in common, and followed where they are curves.
//! `approach.rs` has the forces near them.

mod approach;
mod curve;
mod families;
mod pose;
mod question;

pub use approach::{Approach, NearForces};
pub use curve::{CurvePoint, PoseCurve};
pub use families::SingularPose;
pub use question::{SINGULAR, SingularKind};

use crate::quantity::{coordinate_name, joint_of};
use crate::rank::Directions;
use curve::Conditions;
use families::Families;
use pose::{PoseFunctions, dot, freed, pick};
use question::{GENERAL, OutputRows, Question};
use rotule_formalism::function::FunctionKind;
use rotule_formalism::labels::{Labels, labels};
use rotule_formalism::{ModelFunction, MultibodySystem, Problem};
use rotule_model::mechanism::{Joint, Mechanism, Placement, Role};
use rotule_numeric::choose_partition;
use rotule_numeric::state::StateNumbers;
use rotule_program::Externals;
use rotule_symbolic::random::SplitMix64;
use rotule_symbolic::{Expr, likely};

/// A request for singular positions. What is independent stands in the mechanism.
#[derive(Clone, Debug, Default)]
pub struct SingularRequest {
    /// Joints or coordinates with drives; empty chooses them.
    pub drives: Vec<String>,
    /// Joints or coordinates that stay where they are in the state.
    pub hold: Vec<String>,
    /// Places whose motion is the output, bodies, points or sensors at these: `PLACE`,
    /// `position:PLACE`, `orientation:PLACE` or `pose:PLACE`.
    pub outputs: Vec<String>,
    /// Random starts; none is 60, and fewer of models of more than ten speeds.
    pub starts: Option<usize>,
}

/// A matrix that was looked at.
#[derive(Clone, Debug)]
pub struct Examined {
    /// Kinds of what is singular where its rank falls.
    pub kinds: Vec<SingularKind>,
    /// The output place with its components, if it is about one.
    pub output: Option<String>,
    /// The rank at general poses.
    pub rank: usize,
    /// The numbers of its rows and columns.
    pub shape: [usize; 2],
    /// The singular value that vanishes at singular poses, in parts of the largest, in the state.
    pub here: f64,
}

/// A set of speeds that was chosen, and who chose it.
#[derive(Clone, Debug)]
pub struct ChosenSpeeds {
    /// Names of the coordinates.
    pub names: Vec<String>,
    /// Where the choice comes from, in words.
    pub origin: &'static str,
}

/// All that was found.
#[derive(Clone, Debug)]
pub struct SingularPositions {
    /// Degrees of freedom, held joints included.
    pub freedom: usize,
    /// Degrees of freedom of the motion that was searched.
    pub searched: usize,
    /// The drives.
    pub drives: ChosenSpeeds,
    /// The independent coordinates.
    pub independent: ChosenSpeeds,
    /// The matrices.
    pub examined: Vec<Examined>,
    /// The poses, one for each family.
    pub poses: Vec<SingularPose>,
    /// The curves of motion of one degree of freedom.
    pub curves: Vec<PoseCurve>,
    /// For each curve and point, the smallest singular value of each matrix.
    pub course: Vec<Vec<Vec<f64>>>,
    /// Curves of singular poses, each with the number of its family.
    pub loci: Vec<(usize, PoseCurve)>,
    /// Random starts that closed, of all.
    pub starts: [usize; 2],
    /// Remarks.
    pub remarks: Vec<String>,
    /// The state, closed.
    pub state: StateNumbers,
    /// Units of all speeds, and the size of the model.
    pub size: f64,
}

/// Speeds of a model at most.
const MOST: usize = 300;
/// Random starts, at least and at most, and what they share: starts times speeds squared.
const STARTS: (usize, usize) = (8, 60);
const WORK: usize = 6000;
/// Curves of motion that are followed at most.
const CURVES: usize = 16;
/// Poses near the state that tell its general rank.
const NEIGHBOURS: usize = 5;

/// The singular positions of a model.
pub fn singular(
    tree: &MultibodySystem,
    state: &StateNumbers,
    request: &SingularRequest,
    externals: Box<dyn Externals>,
) -> Result<SingularPositions, Problem> {
    let mut state = state.clone();
    state.settle(tree);
    state.close(tree)?;
    let driven = speeds_where(&tree.mechanism, |joint| matches!(joint.role, Role::Driven { .. }));
    let tree = &freed(tree);
    let mechanism = &tree.mechanism;
    let held = named(mechanism, &request.hold, "held")?;
    let outputs = output_places(tree, &request.outputs)?;
    let functions = outputs.iter().map(|one| one.function.clone()).collect();
    let (mut poses, start) = PoseFunctions::new(tree, &state, functions, &held, externals)?;
    if poses.movable.is_empty() {
        return Err(Problem::new("no joint of the model moves", "set joints free"));
    }
    let count = poses.movable.len();
    if count > MOST {
        return Err(Problem::new(
            format!(
                "the model has {count} speeds, and singular positions are searched up to {MOST}"
            ),
            "lock joints, or search in a part of the model",
        ));
    }
    let starts = request.starts.unwrap_or((WORK / (count * count)).clamp(STARTS.0, STARTS.1));
    let mut search = Search::new(&mut poses, start, starts)?;
    let freedom = search.freedom(&search.poses.movable.clone())?;
    let searched = search.pose_freedom()?;
    if searched == 0 {
        let why = if held.is_empty() { "all positions follow" } else { "nothing is left to move" };
        return Err(Problem::new(
            format!("the model has no degree of freedom to search: {why} from its constraints"),
            if held.is_empty() { "set joints free" } else { "hold fewer joints" },
        ));
    }
    let independent = independent(tree, &driven, &mut search, freedom)?;
    let drives = drives(mechanism, &driven, &request.drives, &independent)?;
    search.ask(&independent, &drives, &outputs, freedom)?;
    if search.questions.is_empty() {
        return Err(Problem::new(
            "the model has no constraints, and no output whose rank could fall",
            "name a place by --output",
        ));
    }
    if searched == 1 {
        search.follow()?;
    } else {
        search.search()?;
    }
    search.finish(state, freedom, searched, drives, independent, &outputs)
}

/// Speeds with their names and origin.
struct Chosen {
    speeds: Vec<usize>,
    origin: &'static str,
}

/// An output place: its name, the function of its Jacobian, and the rows that are requested.
struct OutputPlace {
    name: String,
    function: String,
    rows: Option<Vec<usize>>,
}

/// The course of a search.
struct Search<'p> {
    poses: &'p mut PoseFunctions,
    /// The closed state, then random closed poses.
    samples: Vec<Vec<f64>>,
    /// Random starts that closed, of all.
    starts: [usize; 2],
    questions: Vec<Question>,
    drives: Vec<usize>,
    families: Families,
    curves: Vec<PoseCurve>,
    course: Vec<Vec<Vec<f64>>>,
    remarks: Vec<String>,
}

impl<'p> Search<'p> {
    /// Closes the state, poses near it, and random ones.
    fn new(
        poses: &'p mut PoseFunctions,
        start: Vec<f64>,
        starts: usize,
    ) -> Result<Search<'p>, Problem> {
        let mut random = SplitMix64(26);
        let mut near = vec![start.clone()];
        for _ in 0..NEIGHBOURS {
            let guess = poses.random(&start, 0.02, &mut random);
            near.extend(poses.close(&guess)?);
        }
        let mut far = Vec::new();
        for number in 0..starts {
            let size = if number % 3 == 2 { 0.15 } else { 1.0 };
            let guess = poses.random(&start, size, &mut random);
            far.extend(poses.close(&guess)?);
        }
        // Poses within the limits of joints first.
        far.sort_by_key(|q| poses.outside(q).len());
        poses.measure(&near)?;
        let own = [near.clone(), far.clone()].concat();
        let mut search = Search {
            poses,
            samples: near,
            starts: [far.len(), starts],
            questions: Vec::new(),
            drives: Vec::new(),
            families: Families::default(),
            curves: Vec::new(),
            course: Vec::new(),
            remarks: Vec::new(),
        };
        // An over-constrained mechanism that moves may have assemblies that do not, or move in
        // another way: general poses are those that move as poses near the state do.
        let movable = search.poses.movable.clone();
        let mut all = Question::of(Vec::new(), movable, None);
        let rank = search.rank(&mut all)?;
        let mut samples = Vec::new();
        for q in own {
            let Some(values) = search.poses.values(&q)? else { continue };
            let found = Directions::of(&all.matrix(&values), all.columns.len());
            if found.is_some_and(|found| all.rank_at(&found, GENERAL) <= rank) {
                samples.push(q);
            }
        }
        let others = search.samples.len() + search.starts[0] - samples.len();
        if others > 0 {
            search.starts[0] -= others.min(search.starts[0]);
            search.remarks.push(format!(
                "{} closed in an assembly that moves less, and left out",
                counted(others, "random start")
            ));
        }
        search.poses.measure(&samples)?;
        search.samples = samples;
        Ok(search)
    }

    /// The number of directions of some speeds that constraints leave free at general poses.
    fn freedom(&mut self, columns: &[usize]) -> Result<usize, Problem> {
        let mut question = Question::of(Vec::new(), columns.to_vec(), None);
        Ok(columns.len() - self.rank(&mut question)?)
    }

    /// The dimension of the poses that are searched: rows that relate speeds alone leave them free.
    fn pose_freedom(&mut self) -> Result<usize, Problem> {
        let width = self.poses.searched.len();
        let mut rank = 0;
        for q in self.samples.clone() {
            let Some(values) = self.poses.values(&q)? else { continue };
            let found = Directions::of(&self.poses.closing(&values).1, width);
            rank = rank.max(found.map_or(0, |found| found.rank(GENERAL)));
        }
        Ok(width - rank)
    }

    /// Finds the rank of a matrix at general poses, and its largest singular value there.
    fn rank(&mut self, question: &mut Question) -> Result<usize, Problem> {
        let mut found = Vec::new();
        for q in self.samples.clone() {
            let Some(values) = self.poses.values(&q)? else { continue };
            let matrix = question.matrix(&values);
            found.extend(Directions::of(&matrix, question.columns.len()));
        }
        let first = found.iter().filter_map(|one| one.values.first().copied());
        question.largest = first.fold(0.0, f64::max);
        let ranks = found.iter().map(|one| question.rank_at(one, GENERAL));
        question.rank = ranks.max().unwrap_or(0);
        Ok(question.rank)
    }

    /// Lists the matrices that may lose rank.
    fn ask(
        &mut self,
        independent: &Chosen,
        drives: &Chosen,
        outputs: &[OutputPlace],
        freedom: usize,
    ) -> Result<(), Problem> {
        self.drives.clone_from(&drives.speeds);
        let movable = self.poses.movable.clone();
        let without = |chosen: &Chosen| -> Vec<usize> {
            movable.iter().copied().filter(|at| !chosen.speeds.contains(at)).collect()
        };
        let mut all = Vec::new();
        if !self.poses.rows.is_empty() {
            let mut put = |kind: SingularKind, columns: Vec<usize>| {
                let same = |one: &&mut Question| one.columns == columns;
                match all.iter_mut().find(same) {
                    Some(one) => one.kinds.push(kind),
                    None => all.push(Question::of(vec![kind], columns, None)),
                }
            };
            put(SingularKind::Mechanism, movable.clone());
            put(SingularKind::Partition, without(independent));
            put(SingularKind::Actuation, without(drives));
        }
        for question in &mut all {
            self.rank(question)?;
            let spare = question.columns.len() - question.rank;
            if spare == 0 || question.kinds[0] == SingularKind::Mechanism {
                continue;
            }
            let named = |list: &[usize]| -> String {
                let names = list.iter().map(|&at| format!("`{}`", self.poses.name(at)));
                names.collect::<Vec<_>>().join(", ")
            };
            if question.kinds.contains(&SingularKind::Partition) {
                return Err(Problem::new(
                    format!(
                        "the partition with {} independent is singular everywhere: the others do not follow",
                        named(&independent.speeds)
                    ),
                    format!("name {freedom} other coordinates by --independent"),
                ));
            }
            self.remarks.push(format!(
                "with the drives {} locked the model keeps {spare} of its {freedom} degrees of freedom",
                named(&drives.speeds)
            ));
        }
        for (place, output) in outputs.iter().enumerate() {
            let rows = OutputRows { place, rows: (0..3).collect() };
            let kinds = vec![SingularKind::Output];
            let mut question = Question::of(kinds, movable.clone(), Some(rows));
            let constraints = movable.len() - freedom;
            let position = self.rank(&mut question)? - constraints;
            // A position that says all of the motion is the output; if not, the whole twist is.
            let rows = match &output.rows {
                Some(rows) => rows.clone(),
                None if position == freedom => (0..3).collect(),
                None => (0..6).collect(),
            };
            question.output = Some(OutputRows { place, rows });
            if self.rank(&mut question)? == constraints {
                self.remarks.push(format!("`{}` does not move", output.name));
                continue;
            }
            all.push(question);
        }
        // Nothing is lost where there is no rank.
        all.retain(|question| question.rank > 0);
        self.questions = all;
        Ok(())
    }

    /// Follows all curves of a motion of one degree of freedom.
    fn follow(&mut self) -> Result<(), Problem> {
        for q in self.samples.clone() {
            if self.curves.len() >= CURVES {
                self.remarks
                    .push(format!("more than {CURVES} curves of motion: others are left out"));
                break;
            }
            let mut known = false;
            for curve in &self.curves {
                known = known || curve.has(self.poses, &q)?;
            }
            if known {
                continue;
            }
            let Some(curve) = Conditions::Closed.follow(self.poses, &q)? else { continue };
            if curve.points.len() < 3 {
                continue;
            }
            self.along(&curve)?;
            self.curves.push(curve);
        }
        Ok(())
    }

    /// Finds the singular poses of a curve of motion.
    fn along(&mut self, curve: &PoseCurve) -> Result<(), Problem> {
        let mut course = Vec::new();
        for point in &curve.points {
            let values = self.poses.values(&point.q)?;
            let of = |question: &Question| match &values {
                Some(values) => question.smallest(values),
                None => f64::NAN,
            };
            course.push(self.questions.iter().map(of).collect::<Vec<f64>>());
        }
        let count = course.len();
        let number = self.curves.len();
        for (at, question) in self.questions.clone().iter().enumerate() {
            let size = |point: usize| course[point % count][at];
            let locked: Vec<usize> = self.locked(question);
            for here in 0..count {
                // The singular value has a minimum, or a locked speed changes its direction.
                let before = match (here, curve.closed) {
                    (0, true) => Some(count - 1),
                    (0, false) => None,
                    _ => Some(here - 1),
                };
                let after = (here + 1 < count || curve.closed).then_some((here + 1) % count);
                let low = before.is_none_or(|one| size(here) <= size(one))
                    && after.is_none_or(|one| size(here) <= size(one));
                let turns = after.is_some_and(|after| {
                    let (a, b) = (&curve.points[here].tangent, &curve.points[after].tangent);
                    dot(a, b) > 0.0 && locked.iter().any(|&one| a[one] * b[one] < 0.0)
                });
                // Where all neighbours are singular, too, one of many tells enough.
                let flat = size(here) <= SINGULAR
                    && before.is_some_and(|one| size(one) <= SINGULAR)
                    && here % 40 != 0;
                if !(low || turns) || flat || size(here) > 0.5 {
                    continue;
                }
                let begins = [Some(here), before, after].into_iter().flatten();
                for begin in begins.take(if turns { 3 } else { 1 }) {
                    let q = curve.points[begin].q.clone();
                    let along = curve.points[begin].along;
                    if self.try_from(at, question, &q, Some((number, along)))? {
                        break;
                    }
                }
            }
        }
        self.course.push(course);
        Ok(())
    }

    /// Positions of speeds that a question locks, among those that are searched.
    fn locked(&self, question: &Question) -> Vec<usize> {
        let searched = self.poses.searched.iter().enumerate();
        let locked = searched.filter(|(_, at)| !question.columns.contains(at));
        locked.map(|(place, _)| place).collect()
    }

    /// Looks for a singular pose from a start; `true` if one is found.
    fn try_from(
        &mut self,
        at: usize,
        question: &Question,
        q: &[f64],
        curve: Option<(usize, f64)>,
    ) -> Result<bool, Problem> {
        for lost in 1..=2.min(question.rank) {
            if let Some(found) = question.refine(self.poses, q, lost)? {
                let start = self.samples[0].clone();
                self.families.put(self.poses, &self.questions, at, found, &start, curve)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks for singular poses from all samples.
    fn search(&mut self) -> Result<(), Problem> {
        for at in 0..self.questions.len() {
            let question = self.questions[at].clone();
            for q in self.samples.clone() {
                self.try_from(at, &question, &q, None)?;
            }
        }
        Ok(())
    }

    fn finish(
        mut self,
        state: StateNumbers,
        freedom: usize,
        searched: usize,
        drives: Chosen,
        independent: Chosen,
        outputs: &[OutputPlace],
    ) -> Result<SingularPositions, Problem> {
        let start = self.samples[0].clone();
        let here = self.poses.values(&start)?;
        let examined = |question: &Question| Examined {
            kinds: question.kinds.clone(),
            output: question.output.as_ref().map(|output| {
                let word = match output.rows[..] {
                    [0, 1, 2] => "position",
                    [3, 4, 5] => "orientation",
                    _ => "pose",
                };
                format!("{word} of {}", outputs[output.place].name)
            }),
            rank: question.rank,
            shape: [
                self.poses.rows.len() + question.output.as_ref().map_or(0, |one| one.rows.len()),
                question.columns.len(),
            ],
            here: here.as_ref().map_or(f64::NAN, |values| question.smallest(values)),
        };
        let examined = self.questions.iter().map(examined).collect();
        let families = std::mem::take(&mut self.families);
        let (poses, loci) =
            families.finish(self.poses, &self.questions, &self.drives, &start, searched)?;
        let names = |chosen: &Chosen| ChosenSpeeds {
            names: chosen.speeds.iter().map(|&at| self.poses.name(at)).collect(),
            origin: chosen.origin,
        };
        Ok(SingularPositions {
            freedom,
            searched,
            drives: names(&drives),
            independent: names(&independent),
            examined,
            poses,
            curves: self.curves,
            course: self.course,
            loci,
            starts: self.starts,
            remarks: self.remarks,
            state,
            size: self.poses.size,
        })
    }
}

/// Speeds of joints or coordinates by name; those of driven joints, too.
fn named(mechanism: &Mechanism, names: &[String], role: &str) -> Result<Vec<usize>, Problem> {
    let mut found = Vec::new();
    for name in names {
        let moving = |joint: &&Joint| !joint.speeds.is_empty() && joint.name == *name;
        let own: Vec<usize> = match mechanism.joints.iter().find(moving) {
            Some(joint) => joint.speeds.clone().collect(),
            None => {
                let speeds = 0..mechanism.speeds.len();
                speeds.filter(|&at| coordinate_name(mechanism, at) == *name).collect()
            }
        };
        let Some(&first) = own.first() else {
            let joints = mechanism.joints.iter().filter(|joint| !joint.speeds.is_empty());
            let joints = joints.map(|joint| joint.name.clone());
            let single = (0..mechanism.speeds.len()).map(|at| coordinate_name(mechanism, at));
            let known: Vec<String> = joints.chain(single).collect();
            return Err(Problem::new(
                format!("there is no joint or coordinate `{name}`"),
                likely(name, known.iter().map(String::as_str)),
            ));
        };
        if joint_of(mechanism, first).role == Role::Locked {
            return Err(Problem::new(
                format!("`{name}` cannot be {role}: its joint is locked"),
                "name joints that move",
            ));
        }
        for at in own {
            if found.contains(&at) {
                let message = format!("`{}` is named twice", coordinate_name(mechanism, at));
                return Err(Problem::new(message, "name each coordinate once"));
            }
            found.push(at);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// The independent coordinates: those that are requested, or those that Rotule chooses.
fn independent(
    tree: &MultibodySystem,
    driven: &[usize],
    search: &mut Search<'_>,
    freedom: usize,
) -> Result<Chosen, Problem> {
    let mechanism = &tree.mechanism;
    if let Some(requested) = &mechanism.independent {
        let left = freedom.saturating_sub(driven.len());
        if requested.len() != left {
            let besides = if driven.is_empty() { "" } else { " besides those that are driven" };
            return Err(Problem::new(
                format!(
                    "--independent names {}, and the model has {}{besides}",
                    counted(requested.len(), "coordinate"),
                    counted(left, "degree of freedom")
                ),
                match left {
                    0 => "leave --independent out: the drives determine the motion".to_owned(),
                    _ => format!("name {}", counted(left, "coordinate")),
                },
            ));
        }
        let mut speeds = [requested, driven].concat();
        speeds.sort_unstable();
        return Ok(Chosen { speeds, origin: "requested" });
    }
    let requests = mechanism.joints.iter().any(|joint| joint.partition.is_some());
    let origin = if requests { "of the model" } else { "chosen" };
    if search.poses.rows.is_empty() {
        return Ok(Chosen { speeds: search.poses.movable.clone(), origin });
    }
    // The choice is made at a general pose: the state itself may be singular.
    for q in search.samples.clone() {
        let mut tree = tree.clone();
        for (coordinate, &value) in tree.mechanism.coordinates.iter_mut().zip(&q) {
            coordinate.initial = tree.mechanism.graph.number(value);
        }
        if let Ok(found) = choose_partition(&tree, FunctionKind::Closure) {
            let movable = |at: &usize| search.poses.movable.contains(at);
            let speeds: Vec<usize> =
                found.speeds.independent.iter().copied().filter(movable).collect();
            if speeds.len() == freedom {
                return Ok(Chosen { speeds, origin });
            }
        }
    }
    // The columns that the others follow from best at a general pose.
    let q = search.samples[search.samples.len() / 2].clone();
    let speeds = match search.poses.values(&q)? {
        Some(values) => last_pivots(&values.jacobian, &search.poses.movable, freedom),
        None => Vec::new(),
    };
    Ok(Chosen { speeds, origin: "chosen" })
}

/// Columns that elimination with full pivoting leaves for the end.
fn last_pivots(rows: &[Vec<f64>], columns: &[usize], count: usize) -> Vec<usize> {
    let mut rows: Vec<Vec<f64>> = rows.iter().map(|row| pick(row, columns)).collect();
    let mut left: Vec<usize> = (0..columns.len()).collect();
    while left.len() > count {
        let mut best = (0.0_f64, 0, 0);
        for (row, line) in rows.iter().enumerate() {
            for &column in &left {
                if line[column].abs() > best.0 * (1.0 + 1e-9) {
                    best = (line[column].abs(), row, column);
                }
            }
        }
        if best.0 == 0.0 {
            break;
        }
        let pivot = rows.swap_remove(best.1);
        for line in &mut rows {
            let factor = line[best.2] / pivot[best.2];
            line.iter_mut().zip(&pivot).for_each(|(x, y)| *x -= factor * y);
        }
        left.retain(|&column| column != best.2);
    }
    left.truncate(count);
    left.into_iter().map(|at| columns[at]).collect()
}

/// The drives: those that are named, those that the model has, joints with efforts, or the
/// independent coordinates.
fn drives(
    mechanism: &Mechanism,
    driven: &[usize],
    names: &[String],
    independent: &Chosen,
) -> Result<Chosen, Problem> {
    if !names.is_empty() {
        return Ok(Chosen { speeds: named(mechanism, names, "a drive")?, origin: "requested" });
    }
    let mut speeds = speeds_where(mechanism, |joint| joint.actuation.is_some());
    speeds.extend(driven);
    speeds.sort_unstable();
    speeds.dedup();
    if !speeds.is_empty() {
        return Ok(Chosen { speeds, origin: "of the model" });
    }
    // Laws of as many joints as there are degrees of freedom are taken for motors.
    let laws = speeds_where(mechanism, |joint| joint.effort.iter().any(|law| *law != Expr::ZERO));
    if laws.len() == independent.speeds.len() {
        return Ok(Chosen { speeds: laws, origin: "the joints with efforts" });
    }
    Ok(Chosen { speeds: independent.speeds.clone(), origin: "the independent coordinates" })
}

/// The speeds of some joints.
fn speeds_where(mechanism: &Mechanism, which: fn(&Joint) -> bool) -> Vec<usize> {
    let joints = mechanism.joints.iter().filter(|joint| which(joint));
    joints.flat_map(|joint| joint.speeds.clone()).collect()
}

/// The output places: those that are named or, of a model without loops, its terminal frames.
fn output_places(tree: &MultibodySystem, names: &[String]) -> Result<Vec<OutputPlace>, Problem> {
    let mechanism = &tree.mechanism;
    let mut names = names.to_vec();
    if names.is_empty() && !rotule_formalism::constraint::is_constrained(mechanism) {
        let terminals = ModelFunction::parse("terminals", tree)?;
        if let Some(Labels::Matrix(rows, _)) = labels(mechanism, &terminals, "positions") {
            names = rows;
        }
    }
    let mut places = Vec::new();
    for text in names {
        let (rows, name) = match text.split_once(':') {
            None => (None, text.as_str()),
            Some(("position", name)) => (Some((0..3).collect()), name),
            Some(("orientation", name)) => (Some((3..6).collect()), name),
            Some(("pose", name)) => (Some((0..6).collect()), name),
            Some((word, _)) => {
                return Err(Problem::new(
                    format!("unknown part `{word}` of an output"),
                    "write PLACE, position:PLACE, orientation:PLACE or pose:PLACE",
                ));
            }
        };
        let function = format!("jacobian({})", place_of(mechanism, name));
        ModelFunction::parse(&function, tree)?;
        places.push(OutputPlace { name: name.to_owned(), function, rows });
    }
    Ok(places)
}

/// The place of a sensor, if it is a body or a point; or the name itself.
fn place_of<'m>(mechanism: &'m Mechanism, name: &'m str) -> &'m str {
    let Some(sensor) = mechanism.sensors.iter().find(|sensor| sensor.name == name) else {
        return name;
    };
    let body = &mechanism.bodies[sensor.at.body.index()];
    let point = mechanism.points.iter().find(|point| point.frame == sensor.at);
    match point {
        _ if mechanism.body(name).is_some() => name,
        Some(point) => &point.name,
        None if sensor.at.placement == Placement::IDENTITY => &body.name,
        None => name,
    }
}

/// A number of things in words.
fn counted(count: usize, thing: &str) -> String {
    let many = match thing.split_once(" of ") {
        Some((first, rest)) => format!("{first}s of {rest}"),
        None => format!("{thing}s"),
    };
    if count == 1 { format!("1 {thing}") } else { format!("{count} {many}") }
}
