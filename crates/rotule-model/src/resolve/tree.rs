//! The spanning tree: which joint places each body, and which joints become cuts.
//!
//! A body with a `parent` is placed by it. Other bodies are placed by the `[[joint]]` tables, layer
//! by layer from the ground, because the cost of recursive equations grows with the length of
//! branches (Postiau, section 2.13: short branches, cut joints rather than bodies). Where several
//! joints of a layer reach one body, the one with the fewest degrees of freedom is kept: cutting
//! the others leaves fewer coordinates and fewer constraints. A joint whose coordinate is used by a
//! law, a motion, a coupling or a constraint is needed, and never cut if that can be avoided.

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::Value;
use crate::mechanism::Placement;
use crate::resolve::{Resolver, counted};
use rotule_symbolic::parse;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The placement of a body. Bodies are numbered from one; zero is the ground.
#[derive(Clone, Copy, Debug)]
pub enum Edge {
    /// By its `parent`.
    Inline { parent: usize, place: Placement },
    /// By a joint table; reversed if the body is the first of its two.
    Loose { joint: usize, reversed: bool },
}

impl Edge {
    /// For a body that hangs on nothing, which has been reported: the rest of it is still looked
    /// at.
    const LOST: Edge = Edge::Inline { parent: 0, place: Placement::IDENTITY };
}

/// The tree.
pub struct Tree {
    /// Bodies by their position in the draft, parents first, otherwise in the order of the file.
    pub order: Vec<usize>,
    /// The placement of each body of the draft.
    pub edges: Vec<Edge>,
    /// The places that each joint table connects, if they are known.
    pub ends: Vec<Option<[(usize, Placement); 2]>>,
    /// The joint tables that are cut.
    pub cuts: Vec<usize>,
}

impl<'d> Resolver<'d> {
    /// Chooses the tree, and says what was chosen.
    pub(super) fn tree(&mut self) -> Tree {
        let draft = self.draft;
        let count = draft.bodies.len() + 1;

        // What the file says.
        let mut edges: Vec<Option<Edge>> = vec![None; count - 1];
        let mut children = vec![Vec::new(); count];
        let mut faulty = vec![false; count];
        for (index, body) in draft.bodies.iter().enumerate() {
            let Some(parent) = &body.parent else { continue };
            let name = &body.name.value;
            match self.place(parent, format_args!("the parent of body `{name}`")) {
                Some((parent, place)) => {
                    edges[index] = Some(Edge::Inline { parent, place });
                    children[parent].push(index + 1);
                }
                None => faulty[index + 1] = true,
            }
        }
        let mut ends = Vec::with_capacity(draft.joints.len());
        let mut loose = vec![Vec::new(); count];
        for (index, joint) in draft.joints.iter().enumerate() {
            let name = joint.joint.name.as_ref().map_or("", |name| name.value.as_str());
            let what = format_args!("joint `{name}`");
            let both = joint.between.each_ref().map(|place| self.place(place, what));
            let [Some(first), Some(second)] = both else {
                for (number, _) in both.into_iter().flatten() {
                    faulty[number] = true;
                }
                ends.push(None);
                continue;
            };
            if first.0 == second.0 {
                let message = format!("joint `{name}` connects a body with itself");
                self.error(DiagnosticCode::Ambiguous, joint.between[1].span, message);
                ends.push(None);
                continue;
            }
            loose[first.0].push(index);
            loose[second.0].push(index);
            ends.push(Some([first, second]));
        }

        // Layers from the ground. Whatever hangs on a placed body by `parent` or by a needed joint
        // is placed with it, before any joint that could be cut; other joints wait for the turn of
        // their layer.
        let needed = self.needed_joints();
        let mut placed = vec![false; count];
        placed[0] = true;
        let mut used = vec![false; draft.joints.len()];
        let mut layers: Vec<Vec<usize>> = vec![Vec::new()];
        let mut open = vec![(0, 0)];
        let mut depth = 0;
        loop {
            while let Some((body, depth)) = open.pop() {
                if layers.len() <= depth {
                    layers.resize_with(depth + 1, Vec::new);
                }
                layers[depth].push(body);
                for &child in &children[body] {
                    placed[child] = true;
                    open.push((child, depth + 1));
                }
                for &joint in loose[body].iter().filter(|&&joint| needed[joint]) {
                    if let Some((to, reversed)) =
                        reached(joint, body, &ends, &edges, &placed, &faulty)
                    {
                        placed[to] = true;
                        used[joint] = true;
                        edges[to - 1] = Some(Edge::Loose { joint, reversed });
                        open.push((to, depth + 1));
                    }
                }
            }
            let Some(layer) = layers.get(depth) else { break };
            let offer = |&body: &usize| loose[body].iter().map(move |&joint| (joint, body));
            let mut offers: Vec<(usize, usize)> = layer.iter().flat_map(offer).collect();
            offers.sort_unstable_by_key(|&(joint, body)| {
                (draft.joints[joint].joint.kind.value.speeds(), joint, body)
            });
            for (joint, body) in offers {
                if let Some((to, reversed)) = reached(joint, body, &ends, &edges, &placed, &faulty)
                {
                    placed[to] = true;
                    used[joint] = true;
                    edges[to - 1] = Some(Edge::Loose { joint, reversed });
                    open.push((to, depth + 1));
                }
            }
            depth += 1;
        }
        self.report_unplaced(&placed, &faulty, &edges, &children, &loose, &ends);

        let both_placed = |joint: usize| {
            ends[joint].is_some_and(|[first, second]| placed[first.0] && placed[second.0])
        };
        let cuts: Vec<usize> =
            (0..ends.len()).filter(|&joint| both_placed(joint) && !used[joint]).collect();
        for &joint in &cuts {
            // A free joint is no closure; that is reported where cuts are made.
            if !draft.joints[joint].joint.kind.value.blocked().is_empty() {
                self.report_cut(joint, needed[joint]);
            }
        }
        for (index, edge) in edges.iter().enumerate() {
            if let Some(Edge::Loose { joint, reversed: true }) = edge {
                self.report_reversed(*joint, index, needed[*joint]);
            }
        }
        let parents: Vec<usize> = edges
            .iter()
            .enumerate()
            .map(|(index, edge)| match edge {
                Some(Edge::Inline { parent, .. }) if placed[index + 1] => *parent,
                Some(Edge::Loose { joint, reversed }) => {
                    let [first, second] = ends[*joint].expect("only joints with both ends place");
                    if *reversed { second.0 } else { first.0 }
                }
                _ => 0,
            })
            .collect();
        let kept = edges.into_iter().zip(&placed[1..]);
        let edges =
            kept.map(|(edge, &placed)| edge.filter(|_| placed).unwrap_or(Edge::LOST)).collect();
        Tree { order: order(&parents), edges, ends, cuts }
    }

    /// Joint tables with a coordinate that something else uses.
    fn needed_joints(&self) -> Vec<bool> {
        let draft = self.draft;
        let mut used: FxHashSet<String> = FxHashSet::default();
        let mut from = |text: &str| {
            if let Ok(syntax) = parse(text) {
                let bases = syntax.names().iter().filter_map(|name| name.split(['.', '[']).next());
                used.extend(bases.map(str::to_owned));
            }
        };
        for coupling in &draft.couplings {
            coupling.equation.value.split('=').for_each(&mut from);
        }
        for constraint in &draft.constraints {
            if let Value::Expression(text) = &constraint.expression.value {
                from(text);
            }
        }
        used.extend(draft.motions.iter().map(|motion| motion.joint.value.clone()));
        draft
            .joints
            .iter()
            .map(|loose| {
                let joint = &loose.joint;
                let named = joint.name.as_ref().is_some_and(|name| used.contains(&name.value));
                named
                    || joint.effort.is_some()
                    || joint.locked
                    || joint.armature.is_some()
                    || joint.damping.is_some()
                    || joint.friction.is_some()
                    || joint.actuated
            })
            .collect()
    }

    /// Says which joint was cut.
    fn report_cut(&mut self, joint: usize, needed: bool) {
        let loose = &self.draft.joints[joint];
        let name = loose.joint.name.as_ref().map_or("without a name", |name| name.value.as_str());
        let kind = loose.joint.kind.value;
        let rows = counted(6 - kind.speeds(), "constraint");
        let [first, second] = loose.between.each_ref().map(|place| &place.value);
        if needed {
            let message = format!(
                "joint `{name}` closes a loop and is cut, but its coordinate is used elsewhere"
            );
            let help = format!(
                "let `{name}` place one of its bodies (leave out that body's `parent`), \
                 and close the loop at another joint"
            );
            self.out.push(
                Diagnostic::error(DiagnosticCode::Ambiguous, loose.joint.span, message).help(help),
            );
        } else {
            let word = kind.word();
            let message = format!(
                "joint `{name}` closes a loop: it is cut between `{first}` and `{second}` ({word}, {rows})"
            );
            self.out.push(Diagnostic::note(DiagnosticCode::Choice, loose.joint.span, message));
        }
    }

    /// Says that a joint was taken the other way round, where that matters.
    fn report_reversed(&mut self, joint: usize, body: usize, needed: bool) {
        let loose = &self.draft.joints[joint];
        let name = loose.joint.name.as_ref().map_or("", |name| name.value.as_str());
        let body = &self.draft.bodies[body].name.value;
        if !loose.joint.kind.value.reverses() {
            let word = loose.joint.kind.value.word();
            let message = format!(
                "joint `{name}` places `{body}`, its first body: it is no {word} joint the other way round"
            );
            let help = "give its first body a `parent`, so that the joint places its second";
            self.out.push(
                Diagnostic::error(DiagnosticCode::Ambiguous, loose.joint.span, message).help(help),
            );
            return;
        }
        if loose.joint.kind.value.reverses_by_sign() {
            let message = format!(
                "joint `{name}` places `{body}`, its first body; the sign of its coordinate is kept"
            );
            self.out.push(Diagnostic::note(DiagnosticCode::Choice, loose.joint.span, message));
            return;
        }
        let used = needed || self.names.given.contains_key(name);
        let message = format!(
            "joint `{name}` places `{body}`, its first body: its coordinates are those of the joint \
             written the other way round"
        );
        let [first, second] = loose.between.each_ref().map(|place| &place.value);
        let help = format!("write between = [\"{second}\", \"{first}\"]");
        let span = loose.between[0].span;
        let finding = if used {
            Diagnostic::error(DiagnosticCode::Ambiguous, span, message).help(help)
        } else {
            Diagnostic::note(DiagnosticCode::Choice, span, message)
        };
        self.out.push(finding);
    }

    /// Reports bodies that the ground does not reach: circles of parents, and parts left alone.
    fn report_unplaced(
        &mut self,
        placed: &[bool],
        faulty: &[bool],
        edges: &[Option<Edge>],
        children: &[Vec<usize>],
        loose: &[Vec<usize>],
        ends: &[Option<[(usize, Placement); 2]>],
    ) {
        let bodies = &self.draft.bodies;
        let mut seen = placed.to_vec();
        for start in 1..placed.len() {
            if seen[start] {
                continue;
            }
            // All that hangs together with this body.
            seen[start] = true;
            let mut part = vec![start];
            let mut at = 0;
            while let Some(&body) = part.get(at) {
                at += 1;
                let mut near: Vec<usize> = children[body].clone();
                if let Some(Edge::Inline { parent, .. }) = edges[body - 1] {
                    near.push(parent);
                }
                let joined = loose[body].iter().filter_map(|&joint| ends[joint]);
                near.extend(joined.flatten().map(|(body, _)| body));
                for other in near {
                    if !std::mem::replace(&mut seen[other], true) {
                        part.push(other);
                    }
                }
            }
            if part.iter().any(|&body| faulty[body]) {
                continue;
            }
            let name = |body: usize| format!("`{}`", bodies[body - 1].name.value);
            if let Some(circle) = circle_above(start, edges, part.len()) {
                let mut names: Vec<String> =
                    circle.iter().take(8).map(|&body| name(body)).collect();
                names.push(if circle.len() > 8 { "...".to_owned() } else { name(circle[0]) });
                let message =
                    format!("bodies carry each other in a circle: {}", names.join(" on "));
                let parent = bodies[circle[0] - 1].parent.as_ref();
                let span = parent.map_or(bodies[circle[0] - 1].name.span, |parent| parent.span);
                let help = "one of them must be carried by another body or by `ground`";
                self.out.push(Diagnostic::error(DiagnosticCode::Cycle, span, message).help(help));
                continue;
            }
            part.sort_unstable();
            let names: Vec<String> = part.iter().take(6).map(|&body| name(body)).collect();
            let more = part.len() - names.len();
            let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
            let verb = if part.len() == 1 { "body" } else { "bodies" };
            let be = if part.len() == 1 { "is" } else { "are" };
            let message =
                format!("{verb} {}{tail} {be} not connected to the ground", names.join(", "));
            let help = "give a `parent`, or write a `[[joint]]` between it and another body; \
                        a body that moves freely has a joint of type \"free\" on `ground`";
            let span = bodies[part[0] - 1].name.span;
            self.out
                .push(Diagnostic::error(DiagnosticCode::Disconnected, span, message).help(help));
        }
    }
}

/// The body that a joint would place from another, and whether it is the first of the joint's two;
/// none if it has its place.
fn reached(
    joint: usize,
    from: usize,
    ends: &[Option<[(usize, Placement); 2]>],
    edges: &[Option<Edge>],
    placed: &[bool],
    faulty: &[bool],
) -> Option<(usize, bool)> {
    let [first, second] = ends[joint]?;
    let reversed = second.0 == from;
    let to = if reversed { first.0 } else { second.0 };
    let has_parent = to == 0 || faulty[to] || matches!(edges[to - 1], Some(Edge::Inline { .. }));
    (!placed[to] && !has_parent).then_some((to, reversed))
}

/// The circle that parents run into from a body, if they do.
fn circle_above(start: usize, edges: &[Option<Edge>], limit: usize) -> Option<Vec<usize>> {
    let parent = |body: usize| match edges.get(body.checked_sub(1)?)? {
        Some(Edge::Inline { parent, .. }) => Some(*parent),
        _ => None,
    };
    let mut body = start;
    for _ in 0..limit {
        body = parent(body)?;
    }
    // After as many steps as there are bodies one is on the circle.
    let mut circle = vec![body];
    let mut next = parent(body)?;
    while next != body {
        circle.push(next);
        next = parent(next)?;
    }
    let least = (0..circle.len()).min_by_key(|&at| circle[at])?;
    circle.rotate_left(least);
    Some(circle)
}

/// Positions in the draft so that parents come first, otherwise in the order of the file.
fn order(parents: &[usize]) -> Vec<usize> {
    let mut children = vec![Vec::new(); parents.len() + 1];
    for (index, &parent) in parents.iter().enumerate() {
        children[parent].push(index);
    }
    let mut ready: BinaryHeap<Reverse<usize>> = children[0].iter().map(|&i| Reverse(i)).collect();
    let mut order = Vec::with_capacity(parents.len());
    while let Some(Reverse(index)) = ready.pop() {
        order.push(index);
        ready.extend(children[index + 1].iter().map(|&child| Reverse(child)));
    }
    order
}
