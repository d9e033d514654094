//! Closures, couplings and initial values.

use rustc_hash::{FxHashMap, FxHashSet};

use super::build::{Built, BuiltJoint};
use super::defaults::Kind;
use super::numbers::{difference, literal, tidy};
use super::remarks::Remark;
use super::{RESERVED, Reader, near};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{
    Constraint, Coupling, Cut, CutType, DraftValue, Initial, JointType, Level, Point, Text, Value,
};
use crate::read::frame::{self, Pose};
use crate::read::names::Names;
use crate::read::xml::{Node, Token, Word, short};
use crate::source::{Span, Spanned};

impl<'d> Reader<'d, '_> {
    pub(super) fn equalities(&mut self, sections: &[Node<'d>], built: &mut Built<'d>) {
        let mut nodes = Vec::new();
        for section in sections {
            nodes.extend(self.reading.elements(*section));
        }
        let named = |node: &Node<'d>| {
            let name = self.reading.attribute(*node, "name")?;
            (!name.text.is_empty()).then(|| name.to_text())
        };
        let texts: Vec<Text> = nodes.iter().filter_map(named).collect();
        let mut names = Names::of("constraint", &texts, RESERVED, self.reading.out);
        let by_name: FxHashMap<&'d str, usize> = built
            .joints
            .iter()
            .enumerate()
            .rev()
            .filter_map(|(index, joint)| Some((joint.old?, index)))
            .collect();
        for (index, node) in nodes.into_iter().enumerate() {
            let kind = self.reading.name(node);
            if !["connect", "weld", "joint"].contains(&kind) {
                continue;
            }
            let span = self.reading.tag(node);
            let element = self.element(node, Kind::Equality, 0);
            let flags = [("true", true), ("false", false)];
            let active = self.get(element, "active").and_then(|token| self.one_of(token, &flags));
            if active == Some(false) {
                self.remarks.add(Remark::Inactive, span, "");
                continue;
            }
            let name = match self.reading.attribute(node, "name") {
                Some(name) if !name.text.is_empty() => names.refer(&name.to_text()),
                _ => names.fresh_text(&format!("{kind}{}", index + 1), span),
            };
            match kind {
                "joint" => self.coupling(node, name, built, &by_name),
                _ => self.closure(node, name, kind == "weld", built),
            }
        }
    }

    /// `<connect>` and `<weld>`: two points or two frames that coincide.
    fn closure(&mut self, node: Node<'d>, name: Text, weld: bool, built: &mut Built<'d>) {
        let span = self.reading.tag(node);
        let scale = self.reading.number_attribute(node, "torquescale");
        // A weld that does not care about turns is a ball.
        let fixed = weld && scale.is_none_or(|word| word.value != 0.0);
        let sites = ["site1", "site2"].map(|name| self.reading.attribute(node, name));
        let between = if sites.iter().any(Option::is_some) {
            self.two_sites(node)
        } else {
            self.two_bodies(node, &name, weld, fixed, built)
        };
        let Some(between) = between else { return };
        let kind = if fixed { JointType::Fixed } else { JointType::Spherical };
        let kind = CutType::Joint { kind: Spanned::new(kind, span), axes: Vec::new(), pitch: None };
        self.draft.cuts.push(Cut {
            span,
            name,
            kind,
            between,
            ignore: Vec::new(),
            frame: None,
            intermittent: None,
        });
    }

    fn two_sites(&mut self, node: Node<'d>) -> Option<[Text; 2]> {
        let [first, second] = ["site1", "site2"].map(|name| {
            let token = self.reading.required(node, name)?;
            match self.sites.get(token.text) {
                Some(place) => Some(Spanned::new(place.clone(), token.span)),
                None => {
                    let near = self.may_suggest().then(|| near(token.text, self.sites.keys()));
                    self.unknown(token, "site", near.flatten());
                    None
                }
            }
        });
        Some([first?, second?])
    }

    fn two_bodies(
        &mut self,
        node: Node<'d>,
        name: &Text,
        weld: bool,
        fixed: bool,
        built: &mut Built<'d>,
    ) -> Option<[Text; 2]> {
        let first = self.reading.required(node, "body1");
        let second = self.reading.attribute(node, "body2");
        let first = first.and_then(|token| self.body_named(token, built));
        let second = second.map_or(Some(0), |token| self.body_named(token, built));
        let token = match weld {
            true => self.reading.attribute(node, "anchor"),
            false => self.reading.required(node, "anchor"),
        };
        let anchor = match token {
            Some(token) => self.reading.vector(token)?.map(|word: Word<'d>| word.value),
            None if weld => [0.0; 3],
            None => return None,
        };
        let (first, second) = (first?, second?);
        let relative = built.bodies[first].world.inverse().then(&built.bodies[second].world);
        let (in_first, in_second) = if weld {
            // The anchor is given in the second body.
            let there = Pose { position: anchor, ..Pose::IDENTITY };
            let here = self.relative_pose(node)?.unwrap_or_else(|| relative.then(&there));
            (here, there)
        } else {
            let here = Pose { position: anchor, ..Pose::IDENTITY };
            (here, relative.inverse().then(&here))
        };
        Some([
            self.place_on(first, name, &in_first, fixed, built),
            self.place_on(second, name, &in_second, fixed && weld, built),
        ])
    }

    /// `relpose`: where the anchor and the second body's axes are in the first. The inner none: as
    /// drawn.
    #[allow(clippy::option_option, reason = "unreadable and not given are different answers")]
    fn relative_pose(&mut self, node: Node<'d>) -> Option<Option<Pose>> {
        let Some(token) = self.reading.attribute(node, "relpose") else { return Some(None) };
        let [x, y, z, turn @ ..]: [Word<'d>; 7] = self.reading.vector(token)?;
        let turn = turn.map(|word| word.value);
        if turn == [0.0; 4] {
            return Some(None);
        }
        let Some(rotation) = frame::of_quaternion(turn) else {
            let message = format!("the quaternion in {token} has no direction");
            self.reading.error(DiagnosticCode::Number, token.span, message);
            return None;
        };
        Some(Some(Pose { position: [x, y, z].map(|word| word.value), rotation }))
    }

    /// A place of a body: a new point of it, or the body itself if that is its origin.
    fn place_on(
        &mut self,
        body: usize,
        requested: &Text,
        pose: &Pose,
        rotated: bool,
        built: &mut Built<'d>,
    ) -> Text {
        let owner = &mut built.bodies[body];
        let rotation = if rotated { frame::rotation(&pose.rotation, requested.span) } else { None };
        let at = difference(pose.position, owner.shift);
        if at == [0.0; 3] && rotation.is_none() {
            return Spanned::new(owner.name.clone(), requested.span);
        }
        let name = self.requested_names.another(&owner.name, &requested.value);
        let name = owner.points.fresh_text(&name, requested.span);
        let place = Spanned::new(format!("{}.{}", owner.name, name.value), requested.span);
        let draft = owner.draft;
        let position = self.triple(at, requested.span, &requested.value);
        let point = Point { name, position, rotation };
        match draft {
            Some(index) => self.draft.bodies[index].points.push(point),
            None => self.draft.ground.push(point),
        }
        place
    }

    fn body_named(&mut self, token: Token<'d>, built: &Built<'d>) -> Option<usize> {
        let found = built.by_name.get(token.text).copied();
        if found.is_none() {
            let near = self.may_suggest().then(|| near(token.text, built.by_name.keys()));
            self.unknown(token, "body", near.flatten());
        }
        found
    }

    fn unknown(&mut self, token: Token<'d>, what: &str, near: Option<String>) {
        let message = format!("{token} is `{}`, but there is no such {what}", short(token.text));
        let finding =
            Diagnostic::error(DiagnosticCode::UnknownName, token.span, message).maybe_help(near);
        self.reading.out.push(finding);
    }

    /// `<joint>` in `<equality>`: one coordinate as a polynomial of another.
    fn coupling(
        &mut self,
        node: Node<'d>,
        name: Text,
        built: &Built<'d>,
        by_name: &FxHashMap<&'d str, usize>,
    ) {
        let span = self.reading.tag(node);
        let mut factors = [0.0, 1.0, 0.0, 0.0, 0.0];
        if let Some(token) = self.reading.attribute(node, "polycoef") {
            let Some(words) = self.reading.numbers(token) else { return };
            if words.len() > 5 {
                let message = format!("{token} must have 5 numbers, found {}", words.len());
                self.reading.error(DiagnosticCode::Dimension, token.span, message);
                return;
            }
            for (factor, word) in factors.iter_mut().zip(words) {
                *factor = word.value;
            }
        }
        let first = self.reading.required(node, "joint1");
        let second = self.reading.attribute(node, "joint2");
        let first = first.and_then(|token| self.scalar_joint(token, built, by_name));
        let x = match second {
            None => String::new(),
            Some(token) => match self.scalar_joint(token, built, by_name) {
                Some(joint) => joint.name.value.clone(),
                None => return,
            },
        };
        let Some(first) = first else { return };
        let y = &first.name.value;
        // Without a second joint the first is held where the constant says.
        let used = if x.is_empty() { &factors[..1] } else { &factors[..] };
        let right = polynomial(used, &x);
        if used.iter().skip(2).all(|factor| *factor == 0.0) {
            let right = if right.is_empty() { "0".to_owned() } else { right };
            let equation = Spanned::new(format!("{y} = {right}"), span);
            self.draft.couplings.push(Coupling { name, equation });
        } else {
            let expression = Value::Expression(format!("{y} - ({right})"));
            let expression = Spanned::new(expression, span);
            self.draft.constraints.push(Constraint {
                name,
                level: Level::Position,
                expression,
                intermittent: None,
            });
        }
    }

    fn scalar_joint<'b>(
        &mut self,
        token: Token<'d>,
        built: &'b Built<'d>,
        by_name: &FxHashMap<&'d str, usize>,
    ) -> Option<&'b BuiltJoint<'d>> {
        let Some(index) = by_name.get(token.text) else {
            let near = self.may_suggest().then(|| near(token.text, by_name.keys()));
            self.unknown(token, "joint", near.flatten());
            return None;
        };
        let joint = &built.joints[*index];
        if joint.kind.axes() == 0 {
            let message = format!("{token} is `{}`, which has several coordinates", token.text);
            let finding = Diagnostic::error(DiagnosticCode::Type, token.span, message);
            self.reading.out.push(finding.here("a hinge or slide is needed"));
            return None;
        }
        Some(joint)
    }

    /// The first key sets the initial state, if it fits.
    pub(super) fn keyframes(&mut self, sections: &[Node<'d>], built: &Built<'d>) {
        let mut keys = Vec::new();
        for section in sections {
            keys.extend(self.reading.children(*section, "key"));
        }
        for later in keys.iter().skip(1) {
            self.remarks.add(Remark::LaterKey, self.reading.tag(*later), "");
        }
        let Some(key) = keys.first() else { return };
        let own: Vec<&BuiltJoint<'d>> = built.joints.iter().filter(|j| j.written).collect();
        let coordinates = own.iter().map(|joint| joint.kind.coordinates()).sum();
        let speeds = own.iter().map(|joint| joint.kind.speeds()).sum();
        let q = self.state(*key, "qpos", coordinates);
        let qd = self.state(*key, "qvel", speeds);
        if let Some(words) = &q {
            // Free bodies have initial poses already, which the key replaces.
            let names: FxHashSet<&str> =
                own.iter().map(|joint| joint.name.value.as_str()).collect();
            self.draft.initial_q.retain(|initial| !names.contains(initial.joint.value.as_str()));
            let mut rest = &words[..];
            for joint in &own {
                let (mine, others) = rest.split_at(joint.kind.coordinates());
                rest = others;
                self.initial_coordinates(joint, mine);
            }
        }
        if let Some(words) = &qd {
            let (mut rest, mut turns) = (&words[..], q.as_deref().unwrap_or_default());
            for joint in &own {
                let (mine, others) = rest.split_at(joint.kind.speeds());
                let (turn, others_q) = match turns.is_empty() {
                    true => (turns, turns),
                    false => turns.split_at(joint.kind.coordinates()),
                };
                (rest, turns) = (others, others_q);
                self.initial_speeds(joint, mine, turn);
            }
        }
    }

    /// The numbers of a state; a wrong number of them is a warning, and they are left out.
    fn state(&mut self, key: Node<'d>, name: &str, requested: usize) -> Option<Vec<Word<'d>>> {
        let token = self.reading.attribute(key, name)?;
        let words = self.reading.numbers(token)?;
        if words.len() != requested {
            let message = format!(
                "{token} is left out: it has {} numbers, and the joints here have {requested}",
                words.len()
            );
            self.reading.out.push(Diagnostic::warning(
                DiagnosticCode::Dimension,
                token.span,
                message,
            ));
            return None;
        }
        Some(words)
    }

    fn initial_coordinates(&mut self, joint: &BuiltJoint<'d>, words: &[Word<'d>]) {
        let Some(first) = words.first() else { return };
        let values: Vec<DraftValue> = match joint.kind.axes() {
            0 => words.iter().map(|word| word.scalar()).collect(),
            _ => {
                let counted = |w: &Word<'d>| {
                    let size = w.value.abs().max(joint.reference.abs());
                    frame::scalar(tidy(w.value - joint.reference, size), w.span)
                };
                words.iter().map(counted).collect()
            }
        };
        let values = Spanned::new(values, first.span);
        self.draft.initial_q.push(Initial { joint: joint.name.clone(), values });
    }

    fn initial_speeds(&mut self, joint: &BuiltJoint<'d>, words: &[Word<'d>], q: &[Word<'d>]) {
        let Some(first) = words.first() else { return };
        if words.iter().all(|word| word.value == 0.0) {
            return;
        }
        let mut numbers: Vec<(f64, Span)> = words.iter().map(|w| (w.value, w.span)).collect();
        if let (JointType::Free, [_, _, _, turn @ ..]) = (joint.kind, q) {
            // MuJoCo's velocity of a free body is along the world's axes, the one here along its
            // own.
            let turn: Vec<f64> = turn.iter().map(|word| word.value).collect();
            let matrix = <[f64; 4]>::try_from(turn).ok().and_then(frame::of_quaternion);
            let matrix = frame::transpose(&matrix.unwrap_or(frame::IDENTITY));
            let velocity = frame::apply(&matrix, [0, 1, 2].map(|i| numbers[i].0));
            let size = velocity.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
            for (number, new) in numbers.iter_mut().zip(velocity) {
                number.0 = self.computed(tidy(new, size), number.1, "an initial velocity");
            }
        }
        let values = numbers.iter().map(|(value, span)| frame::scalar(*value, *span)).collect();
        let values = Spanned::new(values, first.span);
        self.draft.initial_qd.push(Initial { joint: joint.name.clone(), values });
    }
}

/// The polynomial of a coordinate, terms that are zero left out; empty if all are.
fn polynomial(factors: &[f64], x: &str) -> String {
    let mut text = String::new();
    for (power, factor) in factors.iter().enumerate() {
        if *factor == 0.0 {
            continue;
        }
        let sign = match (text.is_empty(), *factor < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let number = literal(*factor);
        let term = match (power, number.as_str()) {
            (0, _) => number,
            (1, "1") => x.to_owned(),
            (1, _) => format!("{number}*{x}"),
            (_, "1") => format!("{x}^{power}"),
            _ => format!("{number}*{x}^{power}"),
        };
        text.push_str(sign);
        text.push_str(&term);
    }
    text
}
