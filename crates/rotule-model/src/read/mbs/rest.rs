//! Elements beside the tree: cuts, links and the parameters of user models.

use rustc_hash::FxHashMap;

use super::{Reader, User};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{
    Component, Cut, CutType, DraftValue, External, JointType, LineForce, Parameter, Text,
    USER_MODEL, UserState, Value,
};
use crate::read::names::{COORDINATE_WORDS, Names};
use crate::read::xml::{Node, Word};
use crate::source::Spanned;

/// Components that may be left out of a cut.
const IGNORE: [(&str, Component); 3] =
    [("x", Component::X), ("y", Component::Y), ("z", Component::Z)];

impl<'d> Reader<'d, '_> {
    pub(super) fn cuts(&mut self, cuts: Node<'d>) {
        for node in self.reading.elements(cuts) {
            let kind = match self.reading.name(node) {
                "ball" => Some(JointType::Spherical),
                "solid" => Some(JointType::Fixed),
                "rod" => None,
                _ => continue,
            };
            let span = self.reading.tag(node);
            let name = self.text(node, "name");
            let name = self.element_name("cut", name, span);
            let kind = match kind {
                Some(kind) => Some(CutType::Joint {
                    kind: Spanned::new(kind, span),
                    axes: Vec::new(),
                    pitch: None,
                }),
                None => self.reading.required_child(node, "length").and_then(|length| {
                    let token = self.reading.content(length);
                    let length = self.reading.number(token)?.scalar();
                    Some(CutType::Rod { length })
                }),
            };
            let mut ignore = Vec::new();
            if let Some(list) = self.reading.child(node, "ignore") {
                for (word, component) in IGNORE {
                    let Some(mark) = self.reading.child(list, word) else { continue };
                    if self.marked(mark) {
                        ignore.push(Spanned::new(component, self.reading.tag(mark)));
                    }
                }
            }
            let Some(between) = self.ends(node) else { continue };
            let Some(kind) = kind else { continue };
            self.draft.cuts.push(Cut {
                span,
                name,
                kind,
                between,
                ignore,
                frame: None,
                intermittent: None,
            });
        }
    }

    /// The two places of a cut or link.
    fn ends(&mut self, node: Node<'d>) -> Option<[Text; 2]> {
        let [first, second] = ["endpoint1", "endpoint2"].map(|end| {
            let node = self.reading.required_child(node, end)?;
            self.place(node)
        });
        Some([first?, second?])
    }

    pub(super) fn links(&mut self, links: Node<'d>) {
        let mut number = 0;
        let mut spatial: Option<Node<'d>> = None;
        let mut spatial_count = 0;
        for node in self.reading.elements(links) {
            match self.reading.name(node) {
                "link" => {}
                "link3D" => {
                    spatial.get_or_insert(node);
                    spatial_count += 1;
                    continue;
                }
                _ => continue,
            }
            number += 1;
            let span = self.reading.tag(node);
            let name = self.text(node, "name");
            let name = self.element_name("link", name, span);
            let Some(between) = self.ends(node) else { continue };
            // Both count a force as positive that pulls the ends together.
            let force = self.call(User::Link, &format!("Z, Zd, t, {number}"), 1, name.span);
            self.draft.line_forces.push(LineForce { name, between, force });
        }
        if let Some(node) = spatial {
            let times = if spatial_count == 1 {
                String::new()
            } else {
                format!(" ({spatial_count} times)")
            };
            let message = format!("`<link3D>` cannot be taken{times}: it has no law in this file");
            let help = "write its law as a `[[force]]` at each of its two points";
            let place = self.reading.tag(node);
            self.reading
                .out
                .push(Diagnostic::error(DiagnosticCode::Unsupported, place, message).help(help));
        }
    }

    pub(super) fn user_models(&mut self, models: Node<'d>) {
        // (name in the file, number) of everything that has one, and kinds that are left out.
        let mut found: Vec<Found> = Vec::new();
        let mut left: FxHashMap<&'d str, usize> = FxHashMap::default();
        let mut order: Vec<(&'d str, Text)> = Vec::new();
        for model in self.all(models, "user_model") {
            let Some(model_name) = self.text(model, "name") else { continue };
            for node in self.all(model, "parameter") {
                let Some(name) = self.text(node, "name") else { continue };
                let Some(kind) = self.text(node, "type") else { continue };
                let full = format!("{}_{}", model_name.text, name.text);
                let vector = match kind.text {
                    "scalar" => false,
                    "vector" | "state" => true,
                    other => {
                        let times = left.entry(other).or_insert(0);
                        *times += 1;
                        if *times == 1 {
                            order.push((other, Spanned::new(full, kind.span)));
                        }
                        continue;
                    }
                };
                let values = self.all(node, "value");
                if !vector && values.len() != 1 {
                    let message =
                        format!("scalar `{full}` must have one `<value>`, found {}", values.len());
                    self.reading.error(DiagnosticCode::Dimension, self.reading.tag(node), message);
                    continue;
                }
                let words: Vec<DraftValue> = match kind.text {
                    // A state without values has one, which begins at zero.
                    "state" if values.is_empty() => {
                        vec![Spanned::new(Value::Number(0.0), kind.span)]
                    }
                    _ => {
                        let word = |value| {
                            let token = self.reading.content(value);
                            self.reading.number(token).map(Word::scalar)
                        };
                        values.into_iter().filter_map(word).collect()
                    }
                };
                for (index, value) in words.into_iter().enumerate() {
                    let whole = format!("{}.{}", model_name.text, name.text);
                    let (full, entry) = match vector {
                        true => {
                            (format!("{full}_{0}", index + 1), format!("{whole}[{}]", index + 1))
                        }
                        false => (full.clone(), whole),
                    };
                    let name = Spanned::new(full, name.span);
                    let state = kind.text == "state";
                    found.push(Found { name, entry, value, state });
                }
            }
        }
        for (kind, first) in order {
            let times = match left[kind] {
                1 => String::new(),
                count => format!(" ({count} times)"),
            };
            let message = format!(
                "a user parameter of type `{kind}` is left out: only scalars, vectors and states are taken{times}"
            );
            let finding = Diagnostic::warning(DiagnosticCode::Unsupported, first.span, message);
            self.reading.out.push(finding.here(format!("`{}`", first.value)));
        }
        self.parameters(found);
    }

    /// Parameters and states share their names with coordinates and functions, and give way. What
    /// they are in ROBOTRAN stands in their description.
    fn parameters(&mut self, found: Vec<Found>) {
        let old: Vec<Text> = found.iter().map(|one| one.name.clone()).collect();
        let names = Names::of("parameter", &old, COORDINATE_WORDS, self.reading.out);
        let mut new: FxHashMap<String, String> = FxHashMap::default();
        let mut states = Vec::new();
        for Found { name, entry, value, state } in found {
            let requested = names.refer(&name);
            let fresh = new
                .entry(requested.value.clone())
                .or_insert_with(|| self.joints.fresh(&requested.value));
            let name = Spanned::new(fresh.clone(), name.span);
            let about = Some(Spanned::new(format!("{USER_MODEL}{entry}"), name.span));
            if state {
                states.push((name, value, about));
                continue;
            }
            self.draft.parameters.push(Parameter { name, value: Some(value), unit: None, about });
        }
        self.states(states);
    }

    /// States, whose rates are those of `user_Derivative`, which is given everything that moves.
    fn states(&mut self, states: Vec<(Text, DraftValue, Option<Text>)>) {
        let Some((first, ..)) = states.first() else { return };
        let (name, span) = ("user_Derivative", first.span);
        let joints = self.draft.bodies.iter().flat_map(|body| &body.joints);
        let joints: Vec<String> =
            joints.filter_map(|joint| Some(joint.name.as_ref()?.value.clone())).collect();
        let names: Vec<String> = states.iter().map(|(name, ..)| name.value.clone()).collect();
        let all = |ending: &str| {
            let speeds: Vec<String> = joints.iter().map(|one| format!("{one}{ending}")).collect();
            [vec!["t".to_owned()], joints.clone(), speeds, names.clone()].concat()
        };
        let text = |text: String| Spanned::new(text, span);
        self.draft.externals.push(External {
            name: text(name.to_owned()),
            arguments: all("_d").into_iter().map(text).collect(),
            results: Spanned::new(states.len() as u32, span),
        });
        let (arguments, alone) = (all(".d").join(", "), states.len() == 1);
        for (at, (state, initial, about)) in states.into_iter().enumerate() {
            let index = if alone { String::new() } else { format!("[{}]", at + 1) };
            let rate = Value::Expression(format!("{name}({arguments}){index}"));
            self.draft.states.push(UserState {
                name: state,
                initial: Some(initial),
                rate: Spanned::new(rate, span),
                unit: None,
                about,
            });
        }
    }
}

/// A parameter or a state of a user model.
struct Found {
    name: Text,
    /// Its place in ROBOTRAN's structure: `Tyre.k`, `Tyre.table[2]`.
    entry: String,
    value: DraftValue,
    state: bool,
}
