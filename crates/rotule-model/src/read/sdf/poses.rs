//! The frames of an SDF model: links, joints and `<frame>` elements, each with a pose relative to
//! another, brought to poses relative to the model.

use std::cell::RefCell;

use rotule_symbolic::nearest;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::Text;
use crate::read::frame::{self, Pose};
use crate::read::snap::Snaps;
use crate::read::xml::{GUESSES, Node, Reading, Token, short};
use crate::source::Span;

/// The meaning of a name. Where two have one name, links come before frames and joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Link,
    Frame,
    Joint,
}

/// A frame of the model.
pub(super) struct Entry {
    pub kind: Kind,
    pub name: Text,
    /// The frame that its pose is relative to, as written; none is the model.
    pub base: Option<Text>,
    /// The pose relative to that.
    pub pose: Pose,
}

/// All frames of a model.
pub(super) struct Frames {
    entries: Vec<Entry>,
    index: FxHashMap<String, usize>,
    poses: Vec<Pose>,
    /// Where unknown names were reported.
    reported: RefCell<FxHashSet<Span>>,
}

/// The name of the model's own frame.
pub(super) const MODEL: &str = "__model__";

impl Frames {
    /// Finds the pose of every frame in the model. What is unknown or defined in a circle is
    /// reported and stands at the model's origin.
    pub fn new(entries: Vec<Entry>, reading: &mut Reading<'_, '_>) -> Frames {
        let mut index: FxHashMap<String, usize> = FxHashMap::default();
        for (at, entry) in entries.iter().enumerate() {
            let known = index.entry(entry.name.value.clone()).or_insert(at);
            if entry.kind < entries[*known].kind {
                *known = at;
            }
        }
        let poses = vec![Pose::IDENTITY; entries.len()];
        let mut frames = Frames { entries, index, poses, reported: RefCell::default() };
        frames.resolve(reading);
        frames
    }

    fn resolve(&mut self, reading: &mut Reading<'_, '_>) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut state = vec![State::New; self.entries.len()];
        let mut way: Vec<usize> = Vec::new();
        for start in 0..self.entries.len() {
            let mut at = Some(start);
            while let Some(entry) = at {
                match state[entry] {
                    State::Done => break,
                    State::Open => {
                        let name = &self.entries[entry].name;
                        let message =
                            format!("the pose of `{}` is relative to itself", short(&name.value));
                        reading.error(DiagnosticCode::Cycle, name.span, message);
                        at = None;
                        break;
                    }
                    State::New => {
                        state[entry] = State::Open;
                        way.push(entry);
                        at = self.base(entry, reading);
                    }
                }
            }
            let mut base = at.map_or(Pose::IDENTITY, |entry| self.poses[entry]);
            while let Some(entry) = way.pop() {
                base = base.then(&self.entries[entry].pose);
                self.poses[entry] = base;
                state[entry] = State::Done;
            }
        }
    }

    /// The frame that a frame is relative to; none is the model.
    fn base(&self, at: usize, reading: &mut Reading<'_, '_>) -> Option<usize> {
        let base = self.entries[at].base.as_ref()?;
        if base.value == MODEL {
            return None;
        }
        self.check(base, reading);
        self.index.get(&base.value).copied()
    }

    /// Reports a name that stands for nothing, once per place.
    pub fn check(&self, name: &Text, reading: &mut Reading<'_, '_>) {
        let mut reported = self.reported.borrow_mut();
        if self.knows(&name.value) || !reported.insert(name.span) {
            return;
        }
        let known = self.entries.iter().map(|entry| entry.name.value.as_str());
        let few = reported.len() <= GUESSES;
        let near = few.then(|| nearest(&name.value, known)).flatten();
        let message = format!("there is no link, joint or frame `{}`", short(&name.value));
        let finding = Diagnostic::error(DiagnosticCode::UnknownName, name.span, message);
        reading.out.push(finding.maybe_help(near.map(|near| format!("did you mean `{near}`?"))));
    }

    /// The pose in the model of what a name stands for; the model itself if it is unknown.
    pub fn pose(&self, name: &str) -> Pose {
        self.index.get(name).map_or(Pose::IDENTITY, |at| self.poses[*at])
    }

    /// The pose in the model of an entry.
    pub fn pose_at(&self, at: usize) -> Pose {
        self.poses[at]
    }

    /// Returns `true` if a name stands for something.
    pub fn knows(&self, name: &str) -> bool {
        name == MODEL || self.index.contains_key(name)
    }
}

/// A pose as it is written in an element, and what it is relative to. No `<pose>` is none.
pub(super) fn read_pose<'d>(
    reading: &mut Reading<'d, '_>,
    snaps: &mut Snaps,
    node: Node<'d>,
    owner: &str,
) -> Option<(Option<Text>, Pose, Span)> {
    let node = reading.child(node, "pose")?;
    let base = reading.attribute(node, "relative_to").filter(|token| !token.text.is_empty());
    let base = base.map(Token::to_text);
    let degrees =
        reading.attribute(node, "degrees").and_then(|token| reading.flag(token)).unwrap_or(false);
    let token = reading.content(node);
    if token.text.is_empty() {
        return Some((base, Pose::IDENTITY, token.span));
    }
    let format = reading.attribute(node, "rotation_format");
    let quaternion = format.is_some_and(|token| token.text == "quat_xyzw");
    if let Some(format) = format.filter(|token| !["quat_xyzw", "euler_rpy"].contains(&token.text)) {
        let found = short(format.text);
        let message = format!("{format} must be `euler_rpy` or `quat_xyzw`, found `{found}`");
        reading.error(DiagnosticCode::Type, format.span, message);
    }
    let pose = if quaternion {
        let words = reading.vector::<7>(token);
        words.and_then(|[x, y, z, i, j, k, w]| {
            let turn = snaps.quaternion([w, i, j, k], owner);
            let place = snaps.position([x, y, z], owner);
            let pose = frame::pose(place.as_ref(), turn.as_ref());
            if pose.is_none() {
                reading.error(
                    DiagnosticCode::Number,
                    token.span,
                    "a quaternion of zeros is no rotation",
                );
            }
            pose
        })
    } else {
        reading.vector::<6>(token).and_then(|[x, y, z, r, p, yaw]| {
            let place = snaps.position([x, y, z], owner);
            let angles = [r, p, yaw].map(|word| {
                if degrees { snaps.degrees(word, owner) } else { snaps.angle(word, owner) }
            });
            frame::pose(place.as_ref(), Some(&crate::draft::Rotation::Rpy(angles)))
        })
    };
    Some((base, pose.unwrap_or(Pose::IDENTITY), token.span))
}
