//! Branches of equilibria over a quantity, through folds, and other branches that leave them.
//!
//! ```text
//! F(x, p) = 0,  t . (x, p) = s      steps along the branch, by pseudo-arclength (Keller 1977)
//! [ F_x  F_p  L ]                   L: combinations of rows that nothing changes
//! [ N'   0    0 ]                   N: neutral directions, along which the branch does not move
//! [ t_x' t_p  0 ]                   regular at folds; its determinant changes sign where branches meet
//! ```

use crate::equations::BalanceEquations;
use crate::equilibrium::{BALANCED, solve};
use crate::modes::modes_at;
use crate::quantity::Quantity;
use crate::rank::Rank;
use nalgebra::{DMatrix, DVector};
use rotule_formalism::Problem;
use rotule_simulate::inputs::InputPoint;

/// The range of a continuation, and how fine it is.
#[derive(Clone, Copy, Debug)]
pub struct ContinuationOptions {
    /// The ends of the range of the quantity; the branch begins at the first.
    pub range: [f64; 2],
    /// Points of one branch at most.
    pub points: usize,
    /// The longest step: parts of the range, radians, sizes of the model.
    pub step: f64,
    /// `true` if branches that leave the first one are followed, too.
    pub branches: bool,
    /// `true` if the stability of each point is found.
    pub stability: bool,
}

impl ContinuationOptions {
    /// Those of a range.
    pub fn new(from: f64, to: f64) -> ContinuationOptions {
        ContinuationOptions {
            range: [from, to],
            points: 1000,
            step: 0.03,
            branches: true,
            stability: true,
        }
    }
}

/// The kind of a point of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// Nothing.
    Regular,
    /// The quantity turns back.
    Fold,
    /// Another branch crosses.
    Bifurcation,
}

/// A point of a branch.
#[derive(Clone, Debug)]
pub struct BranchPoint {
    /// The number of the quantity.
    pub value: f64,
    /// The state.
    pub point: InputPoint,
    /// The largest scaled residual.
    pub residual: f64,
    /// The number of eigenvalues that grow, if it was found.
    pub growing: Option<usize>,
    /// Its kind.
    pub kind: PointKind,
}

/// A branch of equilibria.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Its points in order.
    pub points: Vec<BranchPoint>,
    /// The number of the branch that it leaves, with that branch's point.
    pub from: Option<(usize, usize)>,
    /// Why it ends.
    pub end: &'static str,
}

/// The state of following a branch.
struct Follower<'e> {
    equations: &'e mut BalanceEquations,
    quantity: Quantity,
    /// The unit of the quantity: its range.
    unit: f64,
    neutral: Vec<Vec<f64>>,
    unreached: Vec<Vec<f64>>,
}

/// A point with the direction of the branch there and the sign of the determinant.
#[derive(Clone)]
struct Place {
    point: InputPoint,
    residual: f64,
    tangent: Vec<f64>,
    negative: bool,
    /// The number of negative eigenvalues of the symmetric part of the Jacobian: even numbers of
    /// branches that cross at once do not change the sign of the determinant.
    falling: usize,
}

/// Other branches are entered with steps of this length.
const ASIDE: f64 = 0.03;
/// Branches that are followed at most.
const MOST_BRANCHES: usize = 12;

/// Follows equilibria over a quantity, from near a state.
pub fn continuation(
    equations: &mut BalanceEquations,
    start: &InputPoint,
    quantity: Quantity,
    options: &ContinuationOptions,
) -> Result<Vec<Branch>, Problem> {
    let name = quantity.name(equations.mechanism());
    if equations.unknowns.contains(&quantity) || matches!(quantity, Quantity::Coordinate(_)) {
        return Err(Problem::new(
            format!("`{name}` cannot be varied: it is found by the equilibrium"),
            "vary a parameter, an input, a speed or an effort",
        ));
    }
    if let Quantity::Speed(at) = quantity
        && !equations.functions.independent_speeds().contains(&at)
    {
        return Err(Problem::new(
            format!("`{name}` cannot be varied: it follows from other speeds"),
            "vary an independent speed, or choose it by --independent",
        ));
    }
    let [from, to] = options.range;
    let unit = (to - from).abs();
    if !(unit > 0.0 && unit.is_finite()) {
        return Err(Problem::new(
            format!("the range of `{name}` must have two different ends"),
            "give FROM..TO",
        ));
    }
    let mut begin = start.clone();
    *quantity.place(&mut begin).expect("it is no coordinate") = from;
    let solved = solve(equations, &begin, true)?;
    if !solved.is_balanced() {
        return Err(Problem::new(
            format!("there is no equilibrium at `{name}` = {from} near the state"),
            "begin at another value, or give a state by --state",
        ));
    }
    let begin = solved.residual.point;
    let rank = equations.neutral(&begin)?;
    let (neutral, unreached) = (rank.neutral(), rank.unreached());
    let mut follower = Follower { equations, quantity, unit, neutral, unreached };
    let mut forward = vec![0.0; follower.equations.unknowns.len() + 1];
    *forward.last_mut().expect("the quantity is an entry") = (to - from).signum();
    let Some(first) = follower.place(begin, solved.residual.scaled, &forward)? else {
        return Err(Problem::new(
            format!("the equilibrium at `{name}` = {from} is singular"),
            "begin at another value",
        ));
    };
    let mut branches = Vec::new();
    let mut open = vec![(None, first)];
    while let Some((from, first)) = open.pop() {
        let number = branches.len();
        let (branch, crossings) = follower.follow(first, options)?;
        branches.push(Branch { from, ..branch });
        for (at, place) in crossings {
            // The branch that was left crosses where this one left it.
            let known = from.is_some() && at <= 1;
            if options.branches && !known && branches.len() + open.len() < MOST_BRANCHES {
                for aside in follower.aside(&place)? {
                    open.push((Some((number, at)), aside));
                }
            }
        }
        // Branches in the order in which they leave.
        open.sort_by_key(|(from, _)| std::cmp::Reverse(*from));
    }
    if options.stability {
        for point in branches.iter_mut().flat_map(|branch| &mut branch.points) {
            point.growing = Some(modes_at(follower.equations, &point.point)?.growing());
        }
    }
    Ok(branches)
}

impl Follower<'_> {
    fn value(&self, point: &InputPoint) -> f64 {
        self.quantity.value(self.equations.mechanism(), point)
    }

    /// A point moved by a step of the unknowns and the quantity.
    fn moved(&self, point: &InputPoint, step: &[f64]) -> InputPoint {
        let (own, last) = step.split_at(step.len() - 1);
        let mut moved = self.equations.moved(point, own);
        *self.quantity.place(&mut moved).expect("it is no coordinate") += self.unit * last[0];
        moved
    }

    /// The bordered matrix with a last row.
    fn bordered(&mut self, point: &InputPoint, last: &[f64]) -> Result<DMatrix<f64>, Problem> {
        let (_, jacobian) = self.equations.jacobian(point, &[(self.quantity, self.unit)])?;
        let (rows, columns) = (jacobian.len(), last.len());
        let size = rows + self.neutral.len() + 1;
        Ok(DMatrix::from_fn(size, size, |i, j| match (i, j) {
            (i, j) if i < rows && j < columns => jacobian[i][j],
            (i, j) if i < rows => self.unreached[j - columns][i],
            (i, j) if i + 1 < size => self.neutral[i - rows].get(j).copied().unwrap_or(0.0),
            (_, j) => last.get(j).copied().unwrap_or(0.0),
        }))
    }

    /// The direction of the branch at a point, on the side of another direction.
    fn place(
        &mut self,
        point: InputPoint,
        scaled: Vec<f64>,
        before: &[f64],
    ) -> Result<Option<Place>, Problem> {
        let matrix = self.bordered(&point, before)?;
        if matrix.nrows() != before.len() + self.unreached.len() {
            return Ok(None);
        }
        let mut right = DVector::zeros(matrix.nrows());
        let end = matrix.nrows() - 1;
        right[end] = 1.0;
        let Some(solution) = matrix.lu().solve(&right) else { return Ok(None) };
        let tangent: Vec<f64> = solution.iter().take(before.len()).copied().collect();
        let length = tangent.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(length.is_finite() && length > 0.0) {
            return Ok(None);
        }
        let tangent: Vec<f64> = tangent.iter().map(|x| x / length).collect();
        let bordered = self.bordered(&point, &tangent)?;
        let negative = bordered.clone().lu().determinant() < 0.0;
        let rows = self.equations.rows.len().min(before.len() - 1);
        let own = bordered.view((0, 0), (rows, rows)).into_owned();
        let values = (0.5 * (&own + own.transpose())).symmetric_eigenvalues();
        let largest = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let falling = values.iter().filter(|x| **x < -1e-14 * largest).count();
        let residual = scaled.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        Ok(Some(Place { point, residual, tangent, negative, falling }))
    }

    /// The point of the branch at a distance along a direction.
    fn step(
        &mut self,
        from: &Place,
        along: &[f64],
        distance: f64,
    ) -> Result<Option<(Place, usize)>, Problem> {
        let step: Vec<f64> = along.iter().map(|x| x * distance).collect();
        let mut point = self.moved(&from.point, &step);
        for count in 0..12 {
            let Some(here) = self.equations.residual(&point)? else { return Ok(None) };
            let largest = here.largest();
            point = here.point;
            if largest < 0.1 * BALANCED {
                let place = self.place(point, here.scaled, along)?;
                return Ok(place.map(|place| (place, count)));
            }
            let matrix = self.bordered(&point, along)?;
            let mut right = DVector::zeros(matrix.nrows());
            here.scaled.iter().enumerate().for_each(|(row, x)| right[row] = -x);
            let Some(solution) = matrix.lu().solve(&right) else { return Ok(None) };
            let step: Vec<f64> = solution.iter().take(along.len()).copied().collect();
            let longest = step.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            // What is corrected is less than what was stepped.
            if longest.is_nan() || longest > 2.0 * distance.abs() {
                return Ok(None);
            }
            point = self.moved(&point, &step);
        }
        Ok(None)
    }

    /// Follows a branch until the quantity leaves its range.
    fn follow(
        &mut self,
        first: Place,
        options: &ContinuationOptions,
    ) -> Result<(Branch, Vec<(usize, Place)>), Problem> {
        let low = options.range[0].min(options.range[1]);
        let high = options.range[0].max(options.range[1]);
        let margin = 1e-9 * (high - low);
        let mut points = vec![self.made(&first, PointKind::Regular)];
        let mut crossings = Vec::new();
        let mut here = first;
        let mut distance = options.step;
        let end = loop {
            if points.len() >= options.points {
                break "the number of points is reached";
            }
            let along = here.tangent.clone();
            let next = match self.step(&here, &along, distance)? {
                Some((next, count)) if dot(&next.tangent, &along) > 0.9 => {
                    let value = self.value(&next.point);
                    if value > high + margin || value < low - margin {
                        // The last point is at the end of the range.
                        let edge = if value > high { high } else { low };
                        let value = |place: &Place| {
                            self.quantity.value(self.equations.mechanism(), &place.point) - edge
                        };
                        let ends = [value(&here), value(&next)];
                        if let Some(last) =
                            self.locate(&here, distance, ends, &|follower, place| {
                                follower.value(&place.point) - edge
                            })?
                        {
                            points.push(self.made(&last, PointKind::Regular));
                        }
                        break "the range ends";
                    }
                    let used = distance;
                    if count <= 3 {
                        distance = (1.5 * distance).min(options.step);
                    }
                    (next, used)
                }
                _ => {
                    distance *= 0.5;
                    if distance < 1e-8 {
                        break "no further point was found";
                    }
                    continue;
                }
            };
            let (next, used) = next;
            let last = along.len() - 1;
            if here.tangent[last] * next.tangent[last] < 0.0 {
                let ends = [here.tangent[last], next.tangent[last]];
                let turn = self.locate(&here, used, ends, &|_, place| place.tangent[last])?;
                if let Some(fold) = turn {
                    points.push(self.made(&fold, PointKind::Fold));
                }
            }
            // Both change at a fold, which is told already; two that meet at once change the count.
            let folded = here.tangent[last] * next.tangent[last] < 0.0;
            let several = !folded && here.falling.abs_diff(next.falling) >= 2;
            if here.negative != next.negative || several {
                let (before, count) = (here.negative, here.falling);
                let odd = here.negative != next.negative;
                let same = move |place: &Place| match odd {
                    true => place.negative == before,
                    false => place.falling == count,
                };
                let sign = move |place: &Place| if same(place) { -1.0 } else { 1.0 };
                let crossing = self.locate(&here, used, [-1.0, 1.0], &|_, place| sign(place))?;
                if let Some(crossing) = crossing {
                    points.push(self.made(&crossing, PointKind::Bifurcation));
                    crossings.push((points.len() - 1, crossing));
                }
            }
            points.push(self.made(&next, PointKind::Regular));
            here = next;
            // Where a partition is poor the unknowns are others from here on.
            let point = here.point.clone();
            if self.equations.renew(&point)? {
                let rank = self.equations.neutral(&point)?;
                (self.neutral, self.unreached) = (rank.neutral(), rank.unreached());
                let sign = here.tangent[last].signum();
                let mut forward = vec![0.0; self.equations.unknowns.len() + 1];
                *forward.last_mut().expect("the quantity is an entry") = sign;
                match self.place(point, vec![here.residual], &forward)? {
                    Some(place) => here = place,
                    None => break "no coordinate partition is good beyond",
                }
            }
        };
        Ok((Branch { points, from: None, end }, crossings))
    }

    /// The place before a distance where a function of the place vanishes, by the Illinois method.
    fn locate(
        &mut self,
        from: &Place,
        distance: f64,
        ends: [f64; 2],
        function: &dyn Fn(&Self, &Place) -> f64,
    ) -> Result<Option<Place>, Problem> {
        let along = from.tangent.clone();
        let (mut low, mut high) = ((0.0, ends[0]), (distance, ends[1]));
        let mut best = None;
        for _ in 0..60 {
            let mut at = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            if !(at > low.0 && at < high.0) {
                at = 0.5 * (low.0 + high.0);
            }
            let Some((place, _)) = self.step(from, &along, at)? else { break };
            let value = function(self, &place);
            best = Some(place);
            if value == 0.0 || high.0 - low.0 < 1e-13 * distance.max(1e-3) {
                break;
            }
            if value * low.1 > 0.0 {
                low = (at, value);
                high.1 *= 0.5;
            } else {
                high = (at, value);
                low.1 *= 0.5;
            }
        }
        Ok(best)
    }

    /// First points of the branches that cross at a place, on both sides.
    fn aside(&mut self, place: &Place) -> Result<Vec<Place>, Problem> {
        let (_, jacobian) = self.equations.jacobian(&place.point, &[(self.quantity, self.unit)])?;
        // Directions along which nothing changes, but for neutral ones and that of the branch.
        let columns = place.tangent.len();
        let mut lines = jacobian;
        let extended = self.neutral.iter().map(|one| [&one[..], &[0.0]].concat());
        lines.extend(extended);
        lines.push(place.tangent.clone());
        let rank = Rank::of(&lines, columns);
        let mut others = rank.least_directions(1e-5);
        if let [one, other] = &others[..] {
            // Two branches that cross at once may cross along any combination.
            let (one, other) = (one.clone(), other.clone());
            let root = std::f64::consts::FRAC_1_SQRT_2;
            let mix = |sign: f64| -> Vec<f64> {
                one.iter().zip(&other).map(|(a, b)| root * (a + sign * b)).collect()
            };
            others.extend([mix(1.0), mix(-1.0)]);
        }
        let mut found: Vec<Place> = Vec::new();
        for other in others {
            for side in [1.0, -1.0] {
                let along: Vec<f64> = other.iter().map(|x| x * side).collect();
                let Some((next, _)) = self.step(place, &along, ASIDE)? else { continue };
                let apart = |one: &Place| {
                    let gaps = one.point.q.iter().zip(&next.point.q).map(|(a, b)| (a - b).abs());
                    gaps.fold(0.0, f64::max) > 0.1 * ASIDE
                };
                if found.iter().all(apart) {
                    found.push(next);
                }
            }
        }
        Ok(found)
    }

    fn made(&self, place: &Place, kind: PointKind) -> BranchPoint {
        BranchPoint {
            value: self.value(&place.point),
            point: place.point.clone(),
            residual: place.residual,
            growing: None,
            kind,
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Equilibria at given numbers of a quantity, each from the one before: a quasi-static motion.
#[derive(Clone, Debug)]
pub struct QuasiStatic {
    /// Points that were reached.
    pub points: Vec<BranchPoint>,
    /// The number at which there was no equilibrium near the one before, if it did not reach the
    /// last.
    pub lost: Option<f64>,
}

/// Moves a model so slowly that forces always balance.
pub fn quasi_static(
    equations: &mut BalanceEquations,
    start: &InputPoint,
    quantity: Quantity,
    values: &[f64],
    stability: bool,
) -> Result<QuasiStatic, Problem> {
    let mut made = QuasiStatic { points: Vec::new(), lost: None };
    let mut here = start.clone();
    for &value in values {
        let mut next = here.clone();
        let Some(place) = quantity.place(&mut next) else {
            return Err(Problem::new(
                "a coordinate cannot be varied",
                "exchange it for a parameter",
            ));
        };
        *place = value;
        let solved = solve(equations, &next, made.points.is_empty())?;
        if !solved.is_balanced() {
            made.lost = Some(value);
            break;
        }
        here = solved.residual.point.clone();
        let growing = match stability {
            true => Some(modes_at(equations, &here)?.growing()),
            false => None,
        };
        let residual = solved.residual.largest();
        let kind = PointKind::Regular;
        made.points.push(BranchPoint { value, point: here.clone(), residual, growing, kind });
    }
    Ok(made)
}
