//! The tree as a draft: names, frames at joints, points.

use rustc_hash::FxHashMap;

use super::joint::RawJoint;
use super::numbers::{difference, quaternion, sum};
use super::tree::RawBody;
use super::{RESERVED, Reader};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Body, Initial, Joint, JointType, Point, Rotation, Text};
use crate::read::ReadOptions;
use crate::read::frame::{self, Pose, Vector};
use crate::read::names::{COORDINATE_WORDS, Names};
use crate::read::xml::Token;
use crate::source::{Span, Spanned};

/// The fixed body in drafts.
const GROUND: &str = "ground";
/// The point at the frame that the file has, where the draft's is elsewhere.
const FRAME: &str = "frame";
/// Names longer than this get no suffix.
const LONG: usize = 150;

/// Bodies of the file in the draft.
pub(super) struct Built<'d> {
    pub(super) bodies: Vec<BuiltBody>,
    /// Positions in `bodies` by the names in the file.
    pub(super) by_name: FxHashMap<&'d str, usize>,
    /// All joints in the order of the file: what a state of MuJoCo consists of.
    pub(super) joints: Vec<BuiltJoint<'d>>,
}

pub(super) struct BuiltBody {
    /// The name in the draft.
    pub(super) name: String,
    /// The place of the file's frame in the draft: the body, or a point of it.
    pub(super) place: String,
    /// The position in the draft; the world has none.
    pub(super) draft: Option<usize>,
    /// Where the frame of the file is as drawn.
    pub(super) world: Pose,
    /// The distance of the draft's frame from the file's, along the axes of both.
    pub(super) shift: Vector,
    /// The names of points.
    pub(super) points: Names,
}

pub(super) struct BuiltJoint<'d> {
    pub(super) name: Text,
    /// The name in the file, if it has one there.
    pub(super) old: Option<&'d str>,
    pub(super) kind: JointType,
    pub(super) reference: f64,
    /// `true` if it stands in the file rather than being requested.
    pub(super) written: bool,
}

/// Joints of a body that turn about one point.
struct Group<'d> {
    anchor: Option<Vector>,
    joints: Vec<RawJoint<'d>>,
}

impl<'d> Reader<'d, '_> {
    pub(super) fn build(&mut self, options: &ReadOptions) -> Built<'d> {
        let mut raw = std::mem::take(&mut self.bodies);
        let texts: Vec<Text> =
            raw.iter().filter_map(|body| body.name.map(Token::to_text)).collect();
        let mut names = Names::of("body", &texts, RESERVED, self.reading.out);
        let all = raw.iter().flat_map(|body| &body.joints);
        let texts: Vec<Text> = all.filter_map(|joint| joint.name.map(Token::to_text)).collect();
        let words = [COORDINATE_WORDS, RESERVED].concat();
        self.joints = Names::of("joint", &texts, &words, self.reading.out);

        let floating = if options.floating_base { self.float(&mut raw) } else { Vec::new() };
        let mut moves: Vec<bool> = Vec::with_capacity(raw.len());
        let mut built = Built {
            bodies: Vec::with_capacity(raw.len()),
            by_name: FxHashMap::default(),
            joints: Vec::new(),
        };
        for (index, mut body) in raw.into_iter().enumerate() {
            let carried = index > 0 && moves[body.parent];
            moves.push(carried || !body.joints.is_empty());
            if let Some(name) = body.name {
                built.by_name.entry(name.text).or_insert(index);
            }
            let joints = std::mem::take(&mut body.joints);
            if index == 0 {
                built.by_name.insert("world", 0);
                self.build_world(&body, &mut built);
            } else {
                let requested = floating.binary_search(&index).is_ok();
                self.build_body(&body, joints, moves[index], requested, &mut names, &mut built);
            }
        }
        built
    }

    /// Frees the bodies that carry the mechanism and are fixed to the world; gives them in order.
    fn float(&mut self, raw: &mut [RawBody<'d>]) -> Vec<usize> {
        // The outermost body around each.
        let mut top = vec![0; raw.len()];
        let mut carries = vec![false; raw.len()];
        for index in 1..raw.len() {
            top[index] = if raw[index].parent == 0 { index } else { top[raw[index].parent] };
            carries[top[index]] |= !raw[index].joints.is_empty();
        }
        let outer = |index: &usize| raw[*index].parent == 0 && raw[*index].joints.is_empty();
        let fixed: Vec<usize> = (1..raw.len()).filter(outer).collect();
        let mut chosen: Vec<usize> = fixed.iter().copied().filter(|i| carries[*i]).collect();
        let tops = (1..raw.len()).filter(|index| raw[*index].parent == 0).count();
        if chosen.is_empty() && tops == 1 {
            chosen = fixed;
        }
        let Some(first) = chosen.first() else {
            let message = "no body that carries others is fixed to the world; none is freed";
            let span = self.draft.span;
            self.reading.out.push(Diagnostic::note(DiagnosticCode::Choice, span, message));
            return chosen;
        };
        let shown: Vec<String> =
            chosen.iter().take(4).map(|index| format!("`{}`", raw[*index].called)).collect();
        let more = if chosen.len() > 4 { " and others" } else { "" };
        let message = format!("free to move instead of fixed: {}{more}", shown.join(", "));
        self.reading.out.push(Diagnostic::note(DiagnosticCode::Choice, raw[*first].span, message));
        for index in &chosen {
            let span = raw[*index].span;
            let joint = Joint::new(span, None, Spanned::new(JointType::Free, span));
            raw[*index].joints.push(RawJoint { joint, name: None, anchor: None, reference: 0.0 });
        }
        chosen
    }

    fn build_world(&mut self, body: &RawBody<'d>, built: &mut Built<'d>) {
        let (points, names, place) = self.sites_of(body, [0.0; 3], GROUND);
        self.draft.ground = points;
        self.draft.ground_shapes = self.shapes(body, [0.0; 3]);
        built.bodies.push(BuiltBody {
            name: GROUND.to_owned(),
            place,
            draft: None,
            world: Pose::IDENTITY,
            shift: [0.0; 3],
            points: names,
        });
    }

    fn build_body(
        &mut self,
        body: &RawBody<'d>,
        joints: Vec<RawJoint<'d>>,
        moves: bool,
        requested: bool,
        names: &mut Names,
        built: &mut Built<'d>,
    ) {
        let name = match body.name {
            Some(name) => names.refer(&name.to_text()),
            None => names.fresh_text(&body.called, body.span),
        };
        let mut place = built.bodies[body.parent].place.clone();
        let count = joints.len();
        let is_free = joints.iter().any(|joint| joint.joint.kind.value == JointType::Free);
        let groups = grouped(joints);
        let last = groups.len() - 1;
        let shift = groups[last].anchor.unwrap_or([0.0; 3]);
        let mass = self.mass(body, shift, moves);
        let mut before = [0.0; 3];
        let mut number = 0;
        let mut chain = Vec::new();
        for (at, group) in groups.into_iter().enumerate() {
            let anchor = group.anchor.unwrap_or([0.0; 3]);
            let (position, rotation) = if is_free {
                (None, None)
            } else if at > 0 {
                let step = difference(anchor, before);
                (Some(self.triple(step, body.span, &body.called)), None)
            } else if anchor == [0.0; 3] {
                (body.placed.position.clone(), body.placed.rotation.clone())
            } else {
                let pose = &body.placed.pose;
                let to = sum(pose.position, frame::apply(&pose.rotation, anchor));
                let position = self.triple(to, body.placed.span, &body.called);
                ((to != [0.0; 3]).then_some(position), body.placed.rotation.clone())
            };
            let mut draft_joints = Vec::with_capacity(group.joints.len());
            for raw in group.joints {
                number += 1;
                draft_joints.push(self.build_joint(raw, &name, count, number, requested, built));
            }
            let link = if at == last {
                name.clone()
            } else {
                let proposed =
                    self.requested_names.suffixed(&name.value, &format!("_{}", at + 1), "link");
                names.fresh_text(&proposed, body.span)
            };
            chain.push(Body {
                parent: Some(Spanned::new(place, body.span)),
                position,
                rotation,
                joints: draft_joints,
                ..Body::named(link.clone())
            });
            (place, before) = (link.value, anchor);
        }
        let (points, point_names, place) = self.sites_of(body, shift, &name.value);
        let shapes = self.shapes(body, shift);
        if let Some(end) = chain.last_mut() {
            (end.mass, end.com, end.inertia) = (mass.mass, mass.com, mass.inertia);
            end.points = points;
            end.shapes = shapes;
        }
        if is_free {
            self.initial_pose(body, &built.joints);
        }
        self.draft.bodies.append(&mut chain);
        built.bodies.push(BuiltBody {
            name: name.value,
            place,
            draft: Some(self.draft.bodies.len() - 1),
            world: body.world,
            shift,
            points: point_names,
        });
    }

    fn build_joint(
        &mut self,
        raw: RawJoint<'d>,
        body: &Text,
        count: usize,
        number: usize,
        requested: bool,
        built: &mut Built<'d>,
    ) -> Joint {
        let mut joint = raw.joint;
        let name = match raw.name {
            Some(name) => self.joints.refer(&name.to_text()),
            None => {
                let suffix =
                    if count == 1 { "_joint".to_owned() } else { format!("_joint{number}") };
                let proposed = self.requested_names.suffixed(&body.value, &suffix, "joint");
                self.joints.fresh_text(&proposed, joint.span)
            }
        };
        joint.name = Some(name.clone());
        built.joints.push(BuiltJoint {
            name,
            old: raw.name.map(|name| name.text),
            kind: joint.kind.value,
            reference: raw.reference,
            written: !requested,
        });
        joint
    }

    /// A free body begins where the file draws it; its coordinates count from the world.
    fn initial_pose(&mut self, body: &RawBody<'d>, joints: &[BuiltJoint<'d>]) {
        let Some(joint) = joints.last() else { return };
        let pose = &body.placed.pose;
        let mut values: Vec<_> =
            frame::triple(pose.position, body.placed.span).into_iter().collect();
        match &body.placed.rotation {
            Some(Rotation::Quaternion(entries)) => values.extend(entries.iter().cloned()),
            _ => {
                let entries = quaternion(&pose.rotation);
                values.extend(entries.map(|entry| frame::scalar(entry, body.placed.span)));
            }
        }
        if *pose != Pose::IDENTITY {
            let values = Spanned::new(values, body.placed.span);
            self.draft.initial_q.push(Initial { joint: joint.name.clone(), values });
        }
    }

    /// Sites of a body as points with their names, and the place where the file's frame is: a
    /// point of its own if the draft's frame is elsewhere.
    fn sites_of(
        &mut self,
        body: &RawBody<'d>,
        shift: Vector,
        name: &str,
    ) -> (Vec<Point>, Names, String) {
        let texts: Vec<Text> = body.sites.iter().map(|site| site.name.to_text()).collect();
        let mut names = Names::of("site", &texts, RESERVED, self.reading.out);
        let mut points = Vec::with_capacity(body.sites.len() + 1);
        let mut place = name.to_owned();
        if shift != [0.0; 3] {
            let point = names.fresh_text(FRAME, body.span);
            place = format!("{name}.{}", point.value);
            let position = frame::triple(shift.map(|x| 0.0 - x), body.span);
            points.push(Point { name: point, position, rotation: None });
        }
        for site in &body.sites {
            let placed = &site.placed;
            let position = if shift == [0.0; 3] {
                let zero = || frame::triple([0.0; 3], placed.span);
                placed.position.clone().unwrap_or_else(zero)
            } else {
                self.triple(difference(placed.pose.position, shift), placed.span, site.name.text)
            };
            let point = names.refer(&site.name.to_text());
            self.sites.entry(site.name.text).or_insert_with(|| format!("{name}.{}", point.value));
            points.push(Point { name: point, position, rotation: placed.rotation.clone() });
        }
        (points, names, place)
    }

    /// Three computed numbers; those out of range are reported.
    pub(super) fn triple(
        &mut self,
        value: Vector,
        span: Span,
        called: &str,
    ) -> crate::draft::Triple {
        let what = format!("a position of `{called}`");
        let value = value.map(|x| self.computed(x, span, &what));
        frame::triple(value, span)
    }
}

/// Names that are made up from others, and how often each was requested: a request for a name that
/// is taken costs a search, so none is made twice.
#[derive(Default)]
pub(super) struct RequestedNames(FxHashMap<String, usize>);

impl RequestedNames {
    /// A name with something behind it, or another word if it is very long.
    fn suffixed(&mut self, name: &str, suffix: &str, word: &str) -> String {
        let made = if name.len() > LONG { word.to_owned() } else { format!("{name}{suffix}") };
        self.another("", &made)
    }

    /// A name in a space of names, with a number if it was requested before.
    pub(super) fn another(&mut self, space: &str, name: &str) -> String {
        let count = self.0.entry(format!("{space}/{name}")).or_insert(0);
        *count += 1;
        if *count == 1 { name.to_owned() } else { format!("{name}_{count}") }
    }
}

/// Joints in groups, each about one point. A slide may be in any group, because it moves in the
/// same way wherever it sits.
fn grouped(joints: Vec<RawJoint<'_>>) -> Vec<Group<'_>> {
    let mut groups = vec![Group { anchor: None, joints: Vec::new() }];
    for joint in joints {
        let group = groups.last_mut().expect("there is always a group");
        match (group.anchor, joint.anchor) {
            (Some(has), Some(needs)) if has != needs => {
                groups.push(Group { anchor: Some(needs), joints: vec![joint] });
            }
            (has, needs) => {
                group.anchor = has.or(needs);
                group.joints.push(joint);
            }
        }
    }
    groups
}
