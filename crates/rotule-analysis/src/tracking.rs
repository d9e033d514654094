//! Modes over a quantity: which eigenvalue becomes which, and where one begins to grow.
//!
//! Eigenvalues of neighbouring states are matched by the modal assurance criterion (Allemang and
//! Brown 1982), `|u . v|^2 / (u . u)(v . v)` of their vectors, and by their distance where vectors
//! meet, as those of two modes that become a pair. Where the match is poor the step is halved.

use crate::eigen::{ComplexNumber, size};
use crate::equations::BalanceEquations;
use crate::equilibrium::solve;
use crate::modes::{Modes, modes_at};
use crate::quantity::Quantity;
use rotule_formalism::Problem;
use rotule_simulate::inputs::InputPoint;

/// An eigenvalue over the quantity.
#[derive(Clone, Debug)]
pub struct Track {
    /// The number of the first step at which it exists.
    pub first: usize,
    /// The eigenvalue at each step from there: real and imaginary part.
    pub values: Vec<[f64; 2]>,
    /// The worst modal assurance of two neighbours.
    pub assurance: f64,
}

/// A number of the quantity at which a mode begins or ceases to grow.
#[derive(Clone, Debug)]
pub struct CriticalValue {
    /// The number of the track.
    pub track: usize,
    /// The number of the quantity.
    pub value: f64,
    /// The eigenvalue there.
    pub eigenvalue: [f64; 2],
    /// `true` if the mode grows beyond it.
    pub begins: bool,
}

/// Eigenvalues over a quantity.
#[derive(Clone, Debug)]
pub struct TrackedModes {
    /// The name of the quantity.
    pub name: String,
    /// Its numbers, refined ones included.
    pub values: Vec<f64>,
    /// The points, each with the residual of its equilibrium.
    pub points: Vec<(InputPoint, f64)>,
    /// All eigenvalues; of pairs that above the real axis.
    pub tracks: Vec<Track>,
    /// Where modes begin or cease to grow.
    pub critical: Vec<CriticalValue>,
    /// The number at which there was no equilibrium, if the last was not reached.
    pub lost: Option<f64>,
}

/// The course of modes over a quantity.
#[derive(Clone, Copy, Debug)]
pub struct TrackingOptions {
    /// `true` if the equilibrium is found anew at each number.
    pub equilibrium: bool,
    /// Steps are halved so often at most.
    pub halvings: u32,
}

/// One eigenvalue of a state with its vector, pairs taken apart.
#[derive(Clone, Debug)]
struct Root {
    value: ComplexNumber,
    vector: Vec<ComplexNumber>,
}

/// Roots of a state.
struct Roots {
    at: f64,
    point: InputPoint,
    residual: f64,
    roots: Vec<Root>,
}

/// A match of modal assurance below this is refined.
const POOR: f64 = 0.9;

/// Follows the modes over numbers of a quantity.
pub fn root_locus(
    equations: &mut BalanceEquations,
    start: &InputPoint,
    quantity: Quantity,
    values: &[f64],
    options: TrackingOptions,
) -> Result<TrackedModes, Problem> {
    let name = quantity.name(equations.mechanism());
    if matches!(quantity, Quantity::Coordinate(_)) {
        return Err(Problem::new(
            format!("`{name}` cannot be varied: it is a coordinate"),
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
    let mut made = TrackedModes {
        name,
        values: Vec::new(),
        points: Vec::new(),
        tracks: Vec::new(),
        critical: Vec::new(),
        lost: None,
    };
    // For each root of the last state its track.
    let mut last: Option<(Roots, Vec<usize>)> = None;
    for &value in values {
        let mut ahead = vec![(value, options.halvings)];
        while let Some((value, halvings)) = ahead.pop() {
            let from = last.as_ref().map_or(start, |(roots, _)| &roots.point).clone();
            let Some(next) = roots_at(equations, &from, quantity, value, options)? else {
                made.lost = Some(value);
                return Ok(made);
            };
            let Some((before, tracks)) = &last else {
                let count = next.roots.len();
                made.tracks = (0..count)
                    .map(|_| Track { first: 0, values: Vec::new(), assurance: 1.0 })
                    .collect();
                made.push(&next, &(0..count).collect::<Vec<_>>());
                last = Some((next, (0..count).collect()));
                continue;
            };
            let matched = assign(&before.roots, &next.roots);
            let worst =
                matched.iter().flatten().map(|(_, assurance)| *assurance).fold(1.0, f64::min);
            let middle = 0.5 * (before.at + value);
            if worst < POOR && halvings > 0 && middle != before.at && middle != value {
                ahead.push((value, halvings - 1));
                ahead.push((middle, halvings - 1));
                continue;
            }
            // New roots begin new tracks.
            let step = made.values.len();
            let mut own = Vec::new();
            for found in &matched {
                own.push(match found {
                    Some((at, assurance)) => {
                        let track = tracks[*at];
                        made.tracks[track].assurance = made.tracks[track].assurance.min(*assurance);
                        track
                    }
                    None => {
                        made.tracks.push(Track { first: step, values: Vec::new(), assurance: 1.0 });
                        made.tracks.len() - 1
                    }
                });
            }
            for (at, found) in matched.iter().enumerate() {
                let Some((old, _)) = found else { continue };
                let (a, b) = (&before.roots[*old], &next.roots[at]);
                if a.value.im < 0.0 || b.value.im < 0.0 || !crosses(a.value, b.value) {
                    continue;
                }
                let track = own[at];
                if let Some(found) =
                    critical(equations, quantity, (before, a), (&next, b), options)?
                {
                    made.critical.push(CriticalValue { track, begins: b.value.re > 0.0, ..found });
                }
            }
            made.push(&next, &own);
            last = Some((next, own));
        }
    }
    Ok(made.upper())
}

impl TrackedModes {
    fn push(&mut self, roots: &Roots, tracks: &[usize]) {
        self.values.push(roots.at);
        self.points.push((roots.point.clone(), roots.residual));
        for (root, &track) in roots.roots.iter().zip(tracks) {
            self.tracks[track].values.push([root.value.re, root.value.im]);
        }
    }

    /// Leaves out tracks that are always below the real axis: mirror images of others.
    fn upper(mut self) -> TrackedModes {
        let keep: Vec<bool> = (self.tracks.iter())
            .map(|track| track.values.iter().any(|value| value[1] >= 0.0))
            .collect();
        let place = |track: usize| keep[..track].iter().filter(|one| **one).count();
        self.critical.iter_mut().for_each(|one| one.track = place(one.track));
        let mut at = 0;
        self.tracks.retain(|_| {
            at += 1;
            keep[at - 1]
        });
        self
    }
}

/// Returns `true` if one of two eigenvalues grows and the other does not, beyond rounding.
fn crosses(a: ComplexNumber, b: ComplexNumber) -> bool {
    let least = 1e-9 * size(a).max(size(b));
    a.re * b.re < 0.0 && a.re.abs().max(b.re.abs()) > least
}

fn roots_at(
    equations: &mut BalanceEquations,
    from: &InputPoint,
    quantity: Quantity,
    value: f64,
    options: TrackingOptions,
) -> Result<Option<Roots>, Problem> {
    let mut point = from.clone();
    *quantity.place(&mut point).expect("it is no coordinate") = value;
    let residual = if options.equilibrium {
        let solved = solve(equations, &point, false)?;
        if !solved.is_balanced() {
            return Ok(None);
        }
        point = solved.residual.point.clone();
        solved.residual.largest()
    } else {
        let Some(found) = equations.residual(&point)? else { return Ok(None) };
        point = found.point.clone();
        found.largest()
    };
    let modes: Modes = modes_at(equations, &point)?;
    let mut roots = Vec::new();
    for mode in &modes.modes {
        let value = ComplexNumber::new(mode.value[0], mode.value[1]);
        roots.push(Root { value, vector: mode.vector.clone() });
        if value.im > 0.0 {
            let vector = mode.vector.iter().map(nalgebra::Complex::conj).collect();
            roots.push(Root { value: value.conj(), vector });
        }
    }
    Ok(Some(Roots { at: value, point, residual, roots }))
}

/// The modal assurance of two vectors.
fn assurance(a: &[ComplexNumber], b: &[ComplexNumber]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let product: ComplexNumber = a.iter().zip(b).map(|(a, b)| a.conj() * b).sum();
    let square = |list: &[ComplexNumber]| list.iter().map(nalgebra::Complex::norm_sqr).sum::<f64>();
    let sizes = square(a) * square(b);
    if sizes > 0.0 { product.norm_sqr() / sizes } else { 0.0 }
}

/// Eigenvalues below a part of the largest differ by little, whatever their quotient.
fn slow(roots: &[Root]) -> f64 {
    0.05 * roots.iter().fold(1e-300_f64, |most, root| most.max(size(root.value)))
}

/// The distance of two eigenvalues in parts of their size.
fn gap(a: ComplexNumber, b: ComplexNumber, slow: f64) -> f64 {
    size(a - b) / (size(a) + size(b)).max(slow)
}

/// For each new root the old one that it comes from, with their modal assurance: best matches
/// first.
fn assign(old: &[Root], new: &[Root]) -> Vec<Option<(usize, f64)>> {
    let slow = slow(new);
    let mut pairs = Vec::new();
    for (i, a) in old.iter().enumerate() {
        for (j, b) in new.iter().enumerate() {
            let assurance = assurance(&a.vector, &b.vector);
            pairs.push((1.0 - assurance + gap(a.value, b.value, slow), i, j, assurance));
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut taken = vec![false; old.len()];
    let mut found = vec![None; new.len()];
    for (_, i, j, assurance) in pairs {
        if !taken[i] && found[j].is_none() {
            taken[i] = true;
            found[j] = Some((i, assurance));
        }
    }
    found
}

/// The number between two states at which the real part of a root vanishes, by the Illinois method.
fn critical(
    equations: &mut BalanceEquations,
    quantity: Quantity,
    (from, a): (&Roots, &Root),
    (to, b): (&Roots, &Root),
    options: TrackingOptions,
) -> Result<Option<CriticalValue>, Problem> {
    let (mut low, mut high) = ((from.at, a.value.re), (to.at, b.value.re));
    let aside = 1e-5 * (to.at - from.at).abs();
    let mut near = a.clone();
    let mut point = from.point.clone();
    let mut best = None;
    for _ in 0..80 {
        let mut at = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        if !(at > low.0.min(high.0) && at < low.0.max(high.0)) {
            at = 0.5 * (low.0 + high.0);
        }
        let Some(roots) = roots_at(equations, &point, quantity, at, options)? else { break };
        let slow = slow(&roots.roots);
        let cost = |root: &Root| {
            1.0 - assurance(&root.vector, &near.vector) + gap(root.value, near.value, slow)
        };
        // A root that vanishes is counted among the zeros of the model: the line between its
        // neighbours tells where.
        if roots.roots.len() < from.roots.len() && aside > 0.0 {
            let ends = [at - aside, at + aside];
            let mut values = [0.0; 2];
            for (value, end) in values.iter_mut().zip(ends) {
                let Some(beside) = roots_at(equations, &point, quantity, end, options)? else {
                    return Ok(best);
                };
                let reals = beside.roots.iter().filter(|root| root.value.im == 0.0);
                let least = reals.min_by(|x, y| size(x.value).total_cmp(&size(y.value)));
                *value = least.map_or(0.0, |root| root.value.re);
            }
            let [one, other] = values;
            if one * other < 0.0 {
                let value = ends[0] + 2.0 * aside * one / (one - other);
                best = Some(CriticalValue { track: 0, value, eigenvalue: [0.0; 2], begins: false });
            }
            break;
        }
        let upper = roots.roots.iter().filter(|root| root.value.im >= 0.0);
        let Some(root) = upper.min_by(|x, y| cost(x).total_cmp(&cost(y))).cloned() else { break };
        let eigenvalue = [root.value.re, root.value.im];
        best = Some(CriticalValue { track: 0, value: at, eigenvalue, begins: false });
        if root.value.re == 0.0 || (high.0 - low.0).abs() <= 4.0 * f64::EPSILON * at.abs() {
            break;
        }
        if root.value.re * low.1 > 0.0 {
            low = (at, root.value.re);
            high.1 *= 0.5;
        } else {
            high = (at, root.value.re);
            low.1 *= 0.5;
        }
        (near, point) = (root, roots.point);
    }
    Ok(best)
}
