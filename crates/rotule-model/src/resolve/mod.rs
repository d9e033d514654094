//! Draft to mechanism: names are looked up, the tree is chosen, expressions are read, numbers
//! checked.
//!
//! Every step goes on past a mistake, with a harmless value in place of what could not be read, so
//! that one run reports everything. A mechanism comes out only if there was no error.

mod bodies;
mod controllers;
mod elements;
mod events;
mod expressions;
mod inputs;
mod laws;
mod linear;
mod motions;
mod names;
mod outputs;
mod parameters;
mod passive;
mod physics;
mod shapes;
mod signals;
mod states;
mod tree;
mod units;

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, short};
use crate::draft::{Draft, Form, Motion, Redundant};
use crate::limits;
use crate::mechanism::{Mechanism, Parameter, Placement, Signal};
use crate::number_check::{NumberCheck, Want};
use crate::source::{MeshEntry, Span};
use crate::units::Dimension;
use names::Names;
pub(crate) use names::is_plain;
use rotule_symbolic::{Expr, Graph, Kind, Vector};
use rustc_hash::FxHashMap;
use signals::Moving;

/// Suggestions of nearest names cost time in proportion to all names: only so many are made.
const SUGGESTIONS: usize = 40;

/// Up to this many names are listed where none is near.
const FEW: usize = 8;

/// The state of resolving a draft.
struct Resolver<'d> {
    draft: &'d Draft,
    out: Diagnostics,
    names: Names<'d>,
    graph: Graph,
    time: Expr,
    /// Parameters as symbols and abbreviations as their expressions.
    values: FxHashMap<&'d str, Expr>,
    /// Symbols of the states.
    states: FxHashMap<&'d str, Expr>,
    /// Symbols of the inputs and their derivatives, and those that move joints in their place.
    inputs: FxHashMap<String, Expr>,
    filtered: FxHashMap<String, Expr>,
    /// Symbols whose time derivative is known.
    flows: Vec<(Expr, Expr)>,
    /// Outputs of controllers that stand for expressions.
    controlled: Vec<(Expr, Expr)>,
    /// Signals that expressions use so far.
    signals: Vec<Signal>,
    /// Motions that use coordinates, and so are constraints.
    relations: Vec<&'d Motion>,
    /// Numbers of the parameters.
    numbers: FxHashMap<&'d str, f64>,
    /// Dimensions of parameters and states that have a unit, and where it is written.
    dimensions: FxHashMap<&'d str, (Dimension, Span)>,
    /// Where points are in their bodies, those that were named so far.
    placements: FxHashMap<(usize, &'d str), Placement>,
    /// Expressions of parameters alone that were read so far.
    read: FxHashMap<String, Expr>,
    /// Numbers to be checked once all are known.
    checks: Vec<NumberCheck>,
    suggestions: usize,
    /// Meshes by the names that shapes have for them, or why one cannot be read.
    meshes: &'d [MeshEntry],
    /// Meshes that are drawn as marks: where they are named, and why.
    missing_meshes: Vec<(Span, String)>,
}

/// The meaning of a draft, if it has no errors, and all diagnostics in the order of the file.
pub fn resolve(draft: &Draft) -> (Option<Mechanism>, Diagnostics) {
    resolve_with(draft, &[])
}

/// The meaning of a draft whose shapes name mesh files.
pub fn resolve_with(draft: &Draft, meshes: &[MeshEntry]) -> (Option<Mechanism>, Diagnostics) {
    let mut out = Diagnostics::new();
    if !within_limits(draft, &mut out) {
        return (None, out);
    }
    let names = names::collect(draft, &mut out);
    let mut graph = Graph::new();
    let time = graph.symbol("t", Kind::Time);
    let mut resolver = Resolver {
        draft,
        out,
        names,
        graph,
        time,
        values: FxHashMap::default(),
        states: FxHashMap::default(),
        inputs: FxHashMap::default(),
        filtered: FxHashMap::default(),
        flows: Vec::new(),
        controlled: Vec::new(),
        signals: Vec::new(),
        relations: Vec::new(),
        numbers: FxHashMap::default(),
        dimensions: FxHashMap::default(),
        placements: FxHashMap::default(),
        read: FxHashMap::default(),
        checks: Vec::new(),
        suggestions: SUGGESTIONS,
        meshes,
        missing_meshes: Vec::new(),
    };
    let parameters = resolver.parameters();
    resolver.declare_states();
    resolver.declare_controllers();
    let mut mechanism = resolver.start(parameters);
    let filters = resolver.read_inputs(&mut mechanism);
    let tree = resolver.tree();
    let placed = resolver.bodies(&tree, &mut mechanism);
    resolver.cuts_and_sensors(&tree, &placed, &mut mechanism);
    let known = Moving::new(&resolver, &mechanism);
    resolver.relations(&known, &mut mechanism);
    resolver.states(&known, &mut mechanism);
    mechanism.states.extend(filters);
    resolver.events(&known, &mut mechanism);
    resolver.controllers(&known, &mut mechanism);
    resolver.laws(&known, &placed, &mut mechanism);
    resolver.outputs(&known, &mut mechanism);
    resolver.settle_controllers(&mut mechanism);
    resolver.order_signals(&mut mechanism);
    resolver.unused_parameters(&mechanism);
    resolver.physics(&mut mechanism);
    resolver.note_missing_meshes();
    resolver.check_motions(&mechanism);
    let Resolver { mut out, graph, .. } = resolver;
    mechanism.graph = graph;
    if !out.has_errors() {
        physics::loops(&mechanism, draft, &mut out);
    }
    physics::accept_planar(&mechanism, draft, &mut out);
    out.sort();
    ((!out.has_errors()).then_some(mechanism), out)
}

/// Returns `true` if the draft is small enough to be worked on.
fn within_limits(draft: &Draft, out: &mut Diagnostics) -> bool {
    let chained: usize = draft.bodies.iter().map(|body| body.joints.len().max(1)).sum();
    let bodies = ("bodies", chained + draft.joints.len(), limits::BODIES);
    let points: usize = draft.bodies.iter().map(|body| body.points.len()).sum();
    let shapes = draft.bodies.iter().flat_map(|body| &body.shapes).chain(&draft.ground_shapes);
    let shape_numbers = shapes.map(|shape| match &shape.form {
        Form::Hull(points) => points.len(),
        _ => 1,
    });
    let others = [
        ("shapes and points of hulls", shape_numbers.sum()),
        ("parameters", draft.parameters.len()),
        ("externals", draft.externals.len()),
        ("points", points + draft.ground.len()),
        ("cuts", draft.cuts.len()),
        ("couplings", draft.couplings.len()),
        ("motions", draft.motions.len()),
        ("constraints", draft.constraints.len()),
        ("line forces", draft.line_forces.len()),
        ("forces", draft.forces.len()),
        ("wheels", draft.wheels.len()),
        ("sensors", draft.sensors.len()),
        ("inputs", draft.inputs.len()),
        ("outputs", draft.outputs.len()),
        ("controllers", draft.controllers.len()),
        ("states", draft.states.len()),
        ("events", draft.events.len()),
        ("initial values", draft.initial_q.len() + draft.initial_qd.len()),
    ];
    let all = others.map(|(what, count)| (what, count, limits::ELEMENTS));
    for (what, count, limit) in std::iter::once(bodies).chain(all) {
        if count > limit {
            let message = format!("the model has {count} {what}; at most {limit} are taken");
            out.push(Diagnostic::error(DiagnosticCode::Limit, draft.span, message));
        }
    }
    !out.has_errors()
}

/// Gains of the augmented equations unless a model says otherwise, in 1/s: critically damped.
pub const BAUMGARTE: [i64; 2] = [10, 10];

impl<'d> Resolver<'d> {
    /// The parts of a mechanism that concern the model as a whole.
    fn start(&mut self, parameters: Vec<Parameter>) -> Mechanism {
        let name = match &self.draft.name {
            Some(name) => name.value.clone(),
            None => {
                let message = "the model has no name";
                let help = "write `[model]` and below it `name = \"...\"`";
                self.out.push(
                    Diagnostic::error(DiagnosticCode::Missing, self.draft.span, message).help(help),
                );
                String::new()
            }
        };
        let gravity = match &self.draft.gravity {
            Some(gravity) => {
                self.triple(gravity, format_args!("gravity"), Some(Dimension::ACCELERATION))
            }
            None => Vector([Expr::ZERO, Expr::ZERO, self.graph.number(-9.81)]),
        };
        let baumgarte = match &self.draft.baumgarte {
            Some(gains) => gains.each_ref().map(|gain| {
                let what = format_args!("a gain of `baumgarte`");
                let expr = self.scalar(gain, what, Some(Dimension::FREQUENCY));
                self.check(&[expr], gain.span, what, Want::Gain);
                expr
            }),
            None => BAUMGARTE.map(|gain| self.graph.number(gain)),
        };
        let by_name = parameters.iter().enumerate();
        let index = by_name.map(|(index, parameter)| (parameter.name.clone(), index)).collect();
        Mechanism {
            index,
            name,
            about: self.draft.about.as_ref().map_or(String::new(), |about| about.value.clone()),
            graph: Graph::new(),
            time: self.time,
            gravity,
            baumgarte,
            parameters,
            bodies: Vec::new(),
            joints: Vec::new(),
            coordinates: Vec::new(),
            speeds: Vec::new(),
            points: Vec::new(),
            cuts: Vec::new(),
            intermittent: Vec::new(),
            couplings: Vec::new(),
            constraints: Vec::new(),
            line_forces: Vec::new(),
            forces: Vec::new(),
            wheels: Vec::new(),
            sensors: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            flows: Vec::new(),
            signals: Vec::new(),
            states: Vec::new(),
            events: Vec::new(),
            redundant: self.draft.redundant.as_ref().map_or(Redundant::default(), |one| one.value),
            independent: None,
            checks: Vec::new(),
        }
    }

    /// Adds an error.
    fn error(&mut self, code: DiagnosticCode, span: Span, message: String) {
        self.out.push(Diagnostic::error(code, span, message));
    }

    /// The sentence that names the nearest of some candidates, while such sentences are cheap.
    fn suggest<'a>(
        &mut self,
        name: &str,
        candidates: impl FnOnce(&Self) -> Vec<&'a str>,
    ) -> Option<String> {
        self.suggestions = self.suggestions.checked_sub(1)?;
        let mut candidates = candidates(self);
        // Sorted, so that the same mistake gets the same advice.
        candidates.sort_unstable();
        let near = rotule_symbolic::nearest(name, candidates)?;
        Some(format!("did you mean `{near}`?"))
    }
}

/// The sentence that lists all names that exist, if they are few.
fn few<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut names: Vec<String> = names.take(FEW + 1).map(|name| format!("`{name}`")).collect();
    names.sort_unstable();
    match &names[..] {
        [] => None,
        [one] => Some(format!("expected {one}")),
        _ if names.len() > FEW => None,
        _ => Some(format!("expected one of {}", names.join(", "))),
    }
}

/// A number with at most so many digits, as short as it can be.
pub(crate) fn rounded(number: f64, digits: usize) -> String {
    let text = format!("{number:.*e}", digits.saturating_sub(1));
    let Ok(number) = text.parse::<f64>() else { return text };
    match number.abs() {
        0.0 | 1e-4..1e7 => number.to_string(),
        _ => format!("{number:e}"),
    }
}

/// `1 row`, `2 rows`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
