//! Events: conditions, what they do, and the stops of joints, which are events, too.

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{self, Crossing};
use crate::mechanism::{Action, Event, Intermittent, Mechanism, Role};
use crate::number_check::Want;
use crate::resolve::signals::{Moving, Reach};
use crate::resolve::states::WORDS;
use crate::resolve::{Resolver, few, short};
use crate::source::Span;
use crate::units::Dimension;
use rotule_symbolic::Expr;
use rustc_hash::FxHashMap;

impl<'d> Resolver<'d> {
    /// Fills in events.
    pub(super) fn events(&mut self, known: &Moving, mechanism: &mut Mechanism) {
        let draft = self.draft;
        let mut found = Vec::new();
        if !draft.events.is_empty() {
            let joints = mechanism.joints.iter().enumerate();
            let joints: FxHashMap<String, usize> =
                joints.map(|(at, joint)| (joint.name.clone(), at)).collect();
            for event in &draft.events {
                found.push(self.event(event, known, &joints, mechanism));
            }
        }
        let stops = self.names.joints.values().any(|joint| joint.stop.is_some());
        for at in 0..if stops { mechanism.joints.len() } else { 0 } {
            self.stops(at, mechanism, &mut found);
        }
        mechanism.events = found;
    }

    fn event(
        &mut self,
        event: &draft::Event,
        known: &Moving,
        joints: &FxHashMap<String, usize>,
        mechanism: &Mechanism,
    ) -> Event {
        let name = event.name.value.as_str();
        let what = format_args!("event `{name}`");
        let own = [("t", self.time)];
        let offer = (&own[..], WORDS, Reach::Acceleration);
        let of = format_args!("the condition of event `{name}`");
        let when = self.moving(&event.when, of, None, known, offer);
        let mut actions = Vec::new();
        for setting in &event.set {
            let target = setting.target.value.as_str();
            let state = self.dimensions.get(target).map(|(dimension, _)| *dimension);
            let of = known.values.get(target).and_then(|moves| moves.dimension.or(state));
            let value = self.moving(&setting.value, what, of, known, offer);
            match known.values.get(target) {
                Some(moves) => actions.push(Action::Set { target: moves.target, value }),
                None => {
                    let message = format!("{what} sets `{}`, which is not defined", short(target));
                    let near =
                        self.suggest(target, |_| known.values.keys().map(String::as_str).collect());
                    let help = "coordinates, speeds such as `q1.d` and states can be set";
                    let finding = Diagnostic::error(
                        DiagnosticCode::UnknownName,
                        setting.target.span,
                        message,
                    );
                    self.out.push(finding.help(help).maybe_near(near));
                }
            }
        }
        if let Some(impact) = &event.impact {
            let of = format_args!("the restitution of event `{name}`");
            let restitution = self.restitution(&impact.restitution, of);
            if let Some(at) = self.joint_of_event(&impact.joint, name, joints) {
                let joint = &mechanism.joints[at];
                if joint.speeds.len() == 1 && joint.role == Role::Free {
                    actions.push(Action::Impact { speed: joint.speeds.start, restitution });
                } else {
                    let message = format!(
                        "{what} has an impact at `{}`, which is not free or has several coordinates",
                        joint.name
                    );
                    let help = "an impact is along the one coordinate of a free joint";
                    let span = impact.joint.span;
                    self.out.push(
                        Diagnostic::error(DiagnosticCode::Ambiguous, span, message).help(help),
                    );
                }
            }
        }
        for (list, lock) in [(&event.lock, true), (&event.unlock, false)] {
            for joint in list {
                let Some(at) = self.joint_of_event(joint, name, joints) else { continue };
                if matches!(mechanism.joints[at].role, Role::Driven { .. }) {
                    let word = if lock { "locks" } else { "unlocks" };
                    let message =
                        format!("{what} {word} `{}`, which is driven", short(&joint.value));
                    let help = "leave out the motion of the joint";
                    self.out.push(
                        Diagnostic::error(DiagnosticCode::Ambiguous, joint.span, message)
                            .help(help),
                    );
                    continue;
                }
                actions.push(if lock { Action::Lock(at) } else { Action::Unlock(at) });
            }
        }
        for (list, engage) in [(&event.engage, true), (&event.release, false)] {
            for constraint in list {
                let at = self.intermittent_of_event(constraint, name, mechanism);
                let action = if engage { Action::Engage } else { Action::Release };
                actions.extend(at.map(action));
            }
        }
        if event.end {
            actions.push(Action::End);
        }
        let direction = event.direction.map_or(Crossing::Both, |way| way.value);
        let message = event.message.as_ref().map_or(String::new(), |text| text.value.clone());
        let (name, period) = (name.to_owned(), None);
        Event { name, when, period, direction, actions, message, stop: false }
    }

    /// The events at both ends of a joint's range.
    fn stops(&mut self, at: usize, mechanism: &Mechanism, found: &mut Vec<Event>) {
        let joint = &mechanism.joints[at];
        let Some(&written) = self.names.joints.get(joint.name.as_str()) else { return };
        let Some(stop) = &written.stop else { return };
        let of = format_args!("the restitution of joint `{}`", joint.name);
        let restitution = self.restitution(stop, of);
        let (Some([lower, upper]), 1, Role::Free) = (joint.range, joint.speeds.len(), &joint.role)
        else {
            let message = format!(
                "joint `{}` has a stop, but no range, several coordinates or a given motion",
                joint.name
            );
            let help = "give a free joint with one coordinate a `range = [lower, upper]`";
            self.out
                .push(Diagnostic::error(DiagnosticCode::Missing, stop.span, message).help(help));
            return;
        };
        let q = mechanism.coordinates[joint.coordinates.start].symbol;
        let ends = [("lower", lower, Crossing::Falling), ("upper", upper, Crossing::Rising)];
        for (word, end, direction) in ends {
            found.push(Event {
                name: format!("{}.{word}", joint.name),
                when: self.graph.sub(q, end),
                period: None,
                direction,
                actions: vec![Action::Impact { speed: joint.speeds.start, restitution }],
                message: String::new(),
                stop: true,
            });
        }
    }

    fn restitution(&mut self, scalar: &draft::DraftValue, of: std::fmt::Arguments<'_>) -> Expr {
        let value = self.scalar(scalar, of, Some(Dimension::NUMBER));
        self.check(&[value], scalar.span, of, Want::Gain);
        value
    }

    fn intermittent_of_event(
        &mut self,
        constraint: &draft::Text,
        event: &str,
        mechanism: &Mechanism,
    ) -> Option<usize> {
        let name = constraint.value.as_str();
        let all = || mechanism.intermittent.iter().map(Intermittent::name);
        if let Some(at) = all().position(|one| one == name) {
            return Some(at);
        }
        let cuts = mechanism.cuts.iter().map(|one| &one.name);
        let permanent =
            cuts.chain(mechanism.constraints.iter().map(|one| &one.name)).any(|one| one == name);
        let (message, help) = if permanent {
            let message =
                format!("event `{event}` names `{}`, which is not intermittent", short(name));
            (message, Some("give it `intermittent = \"engaged\"` or `\"released\"`".to_owned()))
        } else {
            let message = format!(
                "event `{event}` names `{}`, but there is no such intermittent constraint",
                short(name)
            );
            (message, few(all()))
        };
        let near = self.suggest(name, |_| all().collect());
        let finding = Diagnostic::error(DiagnosticCode::UnknownName, constraint.span, message);
        self.out.push(finding.maybe_help(help).maybe_near(near));
        None
    }

    fn joint_of_event(
        &mut self,
        joint: &draft::Text,
        event: &str,
        joints: &FxHashMap<String, usize>,
    ) -> Option<usize> {
        let name = joint.value.as_str();
        if let Some(&at) = joints.get(name).filter(|_| !name.is_empty()) {
            return Some(at);
        }
        let message =
            format!("event `{event}` names `{}`, but there is no such joint", short(name));
        let near = self.suggest(name, |_| joints.keys().map(String::as_str).collect());
        let help = few(joints.keys().map(String::as_str));
        let span: Span = joint.span;
        let finding = Diagnostic::error(DiagnosticCode::UnknownName, span, message);
        self.out.push(finding.maybe_help(help).maybe_near(near));
        None
    }
}
