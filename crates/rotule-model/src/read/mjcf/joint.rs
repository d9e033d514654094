//! Joints and the laws of their springs and dampers.

use super::Reader;
use super::defaults::{ClassId, Element, Kind};
use super::numbers::{clean, literal, tidy};
use super::orientation::is_zero;
use super::remarks::Remark;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Axis, DraftValue, Friction, Joint, JointType, Value};
use crate::read::frame::{self, Vector};
use crate::read::xml::{Node, Token, Word, triple};
use crate::source::{Span, Spanned};

/// The types of joints.
const TYPES: [(&str, JointType); 4] = [
    ("hinge", JointType::Revolute),
    ("slide", JointType::Prismatic),
    ("ball", JointType::Spherical),
    ("free", JointType::Free),
];

/// A joint as the file has it.
pub(super) struct RawJoint<'d> {
    /// Everything but its name.
    pub(super) joint: Joint,
    pub(super) name: Option<Token<'d>>,
    /// The point it turns about, in the body's frame; a slide or free joint has none.
    pub(super) anchor: Option<Vector>,
    /// MuJoCo's coordinate where the one here is zero.
    pub(super) reference: f64,
}

impl<'d> Reader<'d, '_> {
    pub(super) fn joint(
        &mut self,
        node: Node<'d>,
        body: usize,
        frame: Option<usize>,
        class: ClassId,
    ) -> RawJoint<'d> {
        let span = self.reading.tag(node);
        let name = self.reading.attribute(node, "name").filter(|name| !name.text.is_empty());
        let called = match name {
            Some(name) => name.text.to_owned(),
            None => self.bodies[body].called.clone(),
        };
        if self.reading.name(node) == "freejoint" {
            let joint = Joint::new(span, None, Spanned::new(JointType::Free, span));
            return RawJoint { joint, name, anchor: None, reference: 0.0 };
        }
        let element = self.element(node, Kind::Joint, class);
        let kind = match self.get(element, "type") {
            Some(token) => {
                Spanned::new(self.one_of(token, &TYPES).unwrap_or(JointType::Revolute), token.span)
            }
            None => Spanned::new(JointType::Revolute, span),
        };
        let mut joint = Joint::new(span, None, kind);
        let outer = frame.map(|at| self.frames[at]);
        if kind.value.axes() == 1 {
            let words = self.get(element, "axis").and_then(|token| self.reading.vector(token));
            joint.axes = vec![match (words, &outer) {
                (Some(words), None) => Axis { span: words[0].span, components: triple(words) },
                (words, outer) => {
                    let axis = words.map_or([0.0, 0.0, 1.0], |w: [Word<'d>; 3]| w.map(|w| w.value));
                    let turn = outer.as_ref().map_or(frame::IDENTITY, |outer| outer.rotation);
                    let axis = clean(frame::apply(&turn, axis));
                    let place = words.map_or(span, |words| words[0].span);
                    Axis { span: place, components: frame::triple(axis, place) }
                }
            }];
        }
        let anchor = matches!(kind.value, JointType::Revolute | JointType::Spherical).then(|| {
            let words = self.get(element, "pos").and_then(|token| self.reading.vector(token));
            let at = words.map_or([0.0; 3], |words: [Word<'d>; 3]| words.map(|word| word.value));
            outer.map_or(at, |outer| outer.point(at))
        });
        let reference = self.reference(element, kind.value, &called);
        joint.effort = self.law(element, kind, reference, &called);
        let armature = self.number_of(element, "armature");
        joint.armature = armature.map(Word::scalar).filter(|armature| !is_zero(armature));
        joint.range = self.range(element, kind.value, reference, &called);
        joint.max_effort = self.max_effort(element, kind.value, &called);
        if let Some(word) = self.number_of(element, "frictionloss")
            && word.value != 0.0
        {
            if joint.kind.value.speeds() == 1 {
                joint.friction = Some(Friction { slide: word.scalar(), stick: None });
            } else {
                self.remarks.add(Remark::Friction, word.span, &called);
            }
        }
        RawJoint { joint, name, anchor, reference: reference.map_or(0.0, |word| word.1) }
    }

    /// `ref`, as written and in radians or metres; none if it is zero.
    fn reference(
        &mut self,
        element: Element<'d>,
        kind: JointType,
        called: &str,
    ) -> Option<(Word<'d>, f64)> {
        if kind.axes() == 0 {
            return None;
        }
        let word = self.number_of(element, "ref").filter(|word| word.value != 0.0)?;
        self.remarks.add(Remark::Reference, word.span, called);
        Some((word, self.coordinate(word, kind)))
    }

    /// A value of the joint's coordinate in radians or metres.
    fn coordinate(&self, word: Word<'d>, kind: JointType) -> f64 {
        if kind == JointType::Revolute { self.radians(word) } else { word.value }
    }

    /// A value of the joint's coordinate for the draft, counted from `ref`.
    fn counted(
        &mut self,
        word: Word<'d>,
        kind: JointType,
        reference: Option<(Word<'d>, f64)>,
        called: &str,
    ) -> DraftValue {
        let from = reference.map_or(0.0, |(reference, _)| reference.value);
        let value = tidy(word.value - from, word.value.abs().max(from.abs()));
        let value = self.computed(value, word.span, "an angle or length counted from `ref`");
        let word = Word { value, ..word };
        if kind == JointType::Revolute && self.settings.degrees {
            self.snaps.degrees(word, called)
        } else {
            word.scalar()
        }
    }

    /// Returns `true` if a limit holds, from the attribute that says so and whether there is a
    /// range.
    fn is_limited(&mut self, element: Element<'d>, name: &str, given: bool) -> bool {
        let words = [("true", Some(true)), ("false", Some(false)), ("auto", None)];
        let said = self.get(element, name).and_then(|token| self.one_of(token, &words)).flatten();
        said.unwrap_or(given && self.settings.autolimits)
    }

    fn range(
        &mut self,
        element: Element<'d>,
        kind: JointType,
        reference: Option<(Word<'d>, f64)>,
        called: &str,
    ) -> Option<[DraftValue; 2]> {
        let token = self.get(element, "range")?;
        let words: [Word<'d>; 2] = self.reading.vector(token)?;
        let given = words.iter().any(|word| word.value != 0.0);
        if !self.is_limited(element, "limited", given) || kind == JointType::Free {
            return None;
        }
        if kind == JointType::Spherical {
            self.remarks.add(Remark::BallRange, token.span, called);
            return None;
        }
        Some(words.map(|word| self.counted(word, kind, reference, called)))
    }

    fn max_effort(
        &mut self,
        element: Element<'d>,
        kind: JointType,
        called: &str,
    ) -> Option<DraftValue> {
        let token = self.get(element, "actuatorfrcrange")?;
        let [low, high]: [Word<'d>; 2] = self.reading.vector(token)?;
        let given = low.value != 0.0 || high.value != 0.0;
        if !self.is_limited(element, "actuatorfrclimited", given) || kind.axes() == 0 {
            return None;
        }
        if low.value != -high.value {
            self.remarks.add(Remark::ForceRange, token.span, called);
            return None;
        }
        Some(high.scalar())
    }

    /// The polynomials of spring and damper as an effort, one per speed.
    fn law(
        &mut self,
        element: Element<'d>,
        kind: Spanned<JointType>,
        reference: Option<(Word<'d>, f64)>,
        called: &str,
    ) -> Option<Spanned<Vec<DraftValue>>> {
        let (kind, span) = (kind.value, self.reading.tag(element.node));
        if let Some(token) = self.get(element, "springdamper")
            && let Some([first, second]) = self.reading.vector::<2>(token)
            && first.value > 0.0
            && second.value > 0.0
        {
            self.remarks.add(Remark::SpringDamper, token.span, called);
            return None;
        }
        let stiffness = self.polynomial(element, "stiffness");
        let damping = self.polynomial(element, "damping");
        let place = stiffness.or(damping).map_or(span, |(_, place)| place);
        let mut spring = Vec::new();
        if let Some((factors, place)) = stiffness {
            if kind.axes() == 0 {
                self.remarks.add(Remark::BallSpring, place, called);
            } else {
                let x = self.displacement(element, kind, reference, called);
                let forms = [x.clone(), format!("{x}^2"), format!("{x}^3")];
                spring = terms(factors, &forms);
            }
            if let Some(word) = self.number_of(element, "springyield")
                && word.value > 0.0
            {
                self.remarks.add(Remark::SpringYield, word.span, called);
            }
        }
        let several = kind.speeds() > 1;
        let laws: Vec<DraftValue> = (1..=kind.speeds())
            .map(|speed| {
                let mut all = spring.clone();
                if let Some((factors, _)) = damping {
                    let v = if several { format!("qd[{speed}]") } else { "qd".to_owned() };
                    let forms = [v.clone(), format!("{v}*abs({v})"), format!("{v}^3")];
                    all.extend(terms(factors, &forms));
                }
                Spanned::new(Value::Expression(joined(&all)), place)
            })
            .collect();
        let empty = laws.iter().all(|law| law.value == Value::Expression(String::new()));
        (!empty).then(|| Spanned::new(laws, place))
    }

    /// Up to three factors of a polynomial; none if all are zero.
    fn polynomial(&mut self, element: Element<'d>, name: &str) -> Option<([f64; 3], Span)> {
        let token = self.get(element, name)?;
        let words = self.reading.numbers(token)?;
        if words.is_empty() || words.len() > 3 {
            let message = format!("{token} must have 1 to 3 numbers, found {}", words.len());
            self.reading.out.push(Diagnostic::error(
                DiagnosticCode::Dimension,
                token.span,
                message,
            ));
            return None;
        }
        let mut factors = [0.0; 3];
        for (factor, word) in factors.iter_mut().zip(&words) {
            *factor = word.value;
        }
        (factors != [0.0; 3]).then_some((factors, token.span))
    }

    /// The displacement of the spring from its rest, as an expression.
    fn displacement(
        &mut self,
        element: Element<'d>,
        kind: JointType,
        reference: Option<(Word<'d>, f64)>,
        called: &str,
    ) -> String {
        let rest = match (self.number_of(element, "springref"), reference) {
            (None, None) => return "q".to_owned(),
            (None, Some((word, _))) => {
                let zero = Word { value: 0.0, ..word };
                self.counted(zero, kind, reference, called)
            }
            (Some(word), _) => self.counted(word, kind, reference, called),
        };
        let text = match rest.value {
            Value::Number(0.0) => return "q".to_owned(),
            Value::Number(number) if number < 0.0 => format!("-{}", literal(number)),
            Value::Number(number) => literal(number),
            Value::Expression(text) => text,
        };
        match text.strip_prefix('-') {
            Some(positive) => format!("(q + {positive})"),
            None => format!("(q - {text})"),
        }
    }
}

/// `-a*x`, ` - b*x^2`: minus the factors times the forms, to be put one behind the other.
fn terms(factors: [f64; 3], forms: &[String; 3]) -> Vec<String> {
    let given = factors.iter().zip(forms).filter(|(factor, _)| **factor != 0.0);
    given
        .map(|(factor, form)| {
            let sign = if *factor > 0.0 { " - " } else { " + " };
            format!("{sign}{}*{form}", literal(*factor))
        })
        .collect()
}

/// Terms with their signs as one sum.
fn joined(terms: &[String]) -> String {
    let text = terms.concat();
    match (text.strip_prefix(" - "), text.strip_prefix(" + ")) {
        (Some(rest), _) => format!("-{rest}"),
        (None, Some(rest)) => rest.to_owned(),
        (None, None) => text,
    }
}
