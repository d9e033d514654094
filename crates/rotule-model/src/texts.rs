//! A model as texts, and the one call that makes a mechanism of them.
//!
//! ```
//! use rotule_model::{ReadOptions, load_text};
//!
//! let text = r#"
//! [model]
//! name = "pendulum"
//!
//! [[body]]
//! name = "rod"
//! parent = "ground"
//! joint = { name = "q", type = "revolute", axis = "y" }
//! mass = 1
//! com = [0, 0, -0.5]
//! inertia = { yy = 0.1 }
//! "#;
//! let mechanism = load_text("pendulum.toml", text, &ReadOptions::default())?;
//! assert_eq!(mechanism.coordinates.len(), 1);
//! # Ok::<(), rotule_model::Rejected>(())
//! ```
//!
//! Warnings and notes about a model that can be used stay with it in [`Accepted`]; a model that
//! cannot be used is [`Rejected`] with all diagnostics, which its `Display` shows as a compiler
//! does.

use crate::diagnostic::Diagnostics;
use crate::draft::{Draft, Form};
use crate::load::{Loaded, load};
use crate::mechanism::Mechanism;
use crate::read::{Format, ReadOptions};
use crate::source::{SourceId, Sources};
use std::fmt;

/// A model and the files that complete it, as texts.
#[derive(Clone, Debug)]
pub struct Texts {
    sources: Sources,
    model: SourceId,
    format: Format,
    additions: Vec<SourceId>,
}

/// A model that can be used.
pub struct Accepted {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// The content of the texts before names were looked up.
    pub draft: Draft,
    /// Warnings and notes; none of them is an error.
    pub diagnostics: Diagnostics,
    /// The texts that the diagnostics point into.
    pub sources: Sources,
}

/// A model that cannot be used, with all that was found: errors, warnings and notes.
#[derive(Clone)]
pub struct Rejected {
    /// All diagnostics; at least one is an error.
    pub diagnostics: Diagnostics,
    /// The texts that the diagnostics point into.
    pub sources: Sources,
}

/// Makes a mechanism of one text, whose format [`Format::of`] finds from its name or its first
/// element.
pub fn load_text(
    name: impl Into<String>,
    text: impl Into<String>,
    options: &ReadOptions,
) -> Result<Mechanism, Rejected> {
    Texts::new(name, text).load(options).map(|accepted| accepted.mechanism)
}

impl Texts {
    /// A model under the name that messages use for it; [`Format::of`] finds its format.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Texts {
        let (name, text) = (name.into(), text.into());
        let format = Format::of(&name, &text);
        let mut sources = Sources::new();
        let model = sources.add(name, text);
        Texts { sources, model, format, additions: Vec::new() }
    }

    /// With a format that is given instead of found.
    #[must_use]
    pub fn in_format(mut self, format: Format) -> Texts {
        self.format = format;
        self
    }

    /// With a model file of Rotule that completes the model: see [`load`].
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, text: impl Into<String>) -> Texts {
        self.additions.push(self.sources.add(name, text));
        self
    }

    /// With a mesh file, under the name that shapes of the model have for it; or why it cannot be
    /// read.
    #[must_use]
    pub fn with_mesh(
        mut self,
        name: impl Into<String>,
        mesh: Result<rotule_mesh::MeshFile, String>,
    ) -> Texts {
        self.sources.add_mesh(name, mesh);
        self
    }

    /// The names of mesh files that shapes have, each once, in the order of the model.
    pub fn mesh_names(&self, options: &ReadOptions) -> Vec<String> {
        let mut names = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let all = std::iter::once((self.model, self.format));
        for (id, format) in all.chain(self.additions.iter().map(|id| (*id, Format::Native))) {
            // Most models have none, which the text tells.
            if !self.sources.get(id).text.contains("mesh") {
                continue;
            }
            let (draft, _) = crate::read::read(&self.sources, id, format, options);
            let of_bodies = draft.bodies.into_iter().flat_map(|body| body.shapes);
            for shape in of_bodies.chain(draft.ground_shapes) {
                if let Form::Mesh { file, .. } = shape.form
                    && seen.insert(file.value.clone())
                {
                    names.push(file.value);
                }
            }
        }
        names
    }

    /// The format of the model.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The texts, for messages that point into them.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Loads the model as far as it goes, errors or not.
    pub fn read(&self, options: &ReadOptions) -> Loaded {
        load(&self.sources, self.model, self.format, &self.additions, options)
    }

    /// Loads the model if it can be used.
    pub fn load(self, options: &ReadOptions) -> Result<Accepted, Rejected> {
        let Loaded { draft, mechanism, diagnostics } = self.read(options);
        let sources = self.sources;
        match mechanism {
            Some(mechanism) => Ok(Accepted { mechanism, draft, diagnostics, sources }),
            None => Err(Rejected { diagnostics, sources }),
        }
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostics.render(&self.sources))
    }
}

/// As `Display`, so that a test or a `main` that returns it shows its user where the model is
/// wrong.
impl fmt::Debug for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the model cannot be used\n{self}")
    }
}

impl std::error::Error for Rejected {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Severity;

    const ROD: &str = "[model]\nname = \"m\"\n[[body]]\nname = \"rod\"\nparent = \"ground\"\n\
                       joint = { name = \"q\", type = \"revolute\", axis = \"y\" }\n\
                       mass = 1\ninertia = { xx = 1, yy = 1, zz = 1 }\n";

    #[test]
    fn warnings_stay_with_a_model_that_can_be_used() {
        let text = format!("{ROD}[parameters]\nspare = 1\n");
        let accepted = Texts::new("rod", text).load(&ReadOptions::default()).expect("a model");
        assert_eq!(accepted.mechanism.speeds.len(), 1);
        assert_eq!(accepted.draft.parameters.len(), 1);
        assert_eq!(accepted.diagnostics.count(Severity::Warning), 1);
        let shown = accepted.diagnostics.render(&accepted.sources);
        assert!(shown.contains("warning[unused]") && shown.contains("rod:10:1"), "{shown}");
    }

    #[test]
    fn a_rejected_model_shows_all_errors() {
        let text = ROD.replace("mass = 1", "mass = \"m\"").replace("revolute", "revolving");
        let rejected = load_text("rod", text, &ReadOptions::default()).err().expect("two errors");
        assert_eq!(rejected.diagnostics.count(Severity::Error), 2);
        let shown = rejected.to_string();
        assert!(shown.contains("rod:6:") && shown.contains("rod:7:"), "{shown}");
    }

    #[test]
    fn additions_complete_a_model_of_any_format() {
        let urdf = "<robot name=\"r\"><link name=\"base\"/></robot>";
        let texts = Texts::new("robot.xml", urdf).with("more.toml", ROD);
        assert_eq!(texts.format(), Format::Urdf);
        let accepted = texts.load(&ReadOptions::default()).expect("a model");
        assert_eq!(accepted.mechanism.speeds.len(), 1);
        let wrong = Texts::new("rod.toml", ROD).in_format(Format::Urdf);
        let rejected = wrong.load(&ReadOptions::default()).err().expect("no XML");
        assert_eq!(rejected.sources.get(SourceId(0)).name, "rod.toml");
    }

    /// The messages about a model, in order.
    fn messages(texts: Texts) -> Vec<String> {
        let findings = texts.read(&ReadOptions::default()).diagnostics;
        findings.iter().map(|one| one.message.clone()).collect()
    }

    const FRICTION: &str = "<robot name='r'><link name='base'/><link name='arm'><inertial>\
        <mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>\
        <joint name='s' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/>\
        <origin rpy='1.57079632679 0 1.57079632679'/>\
        <dynamics friction='0.3' damping='0.1'/></joint></robot>";

    #[test]
    fn friction_is_taken_and_another_file_completes_it() {
        let loaded = |texts: Texts| texts.load(&ReadOptions::default()).expect("a model");
        let written = crate::write(&loaded(Texts::new("robot.urdf", FRICTION)).draft);
        assert!(written.contains("damping = 0.1, friction = 0.3"), "{written}");
        let more =
            "[[joint]]\nname = \"s\"\neffort = \"-qd\"\nfriction = { slide = 1, stick = 2 }\n";
        let texts = Texts::new("robot.urdf", FRICTION).with("more.toml", more.to_owned());
        let written = crate::write(&loaded(texts).draft);
        assert!(
            written.contains("damping = 0.1, friction = { slide = 1, stick = 2 }"),
            "{written}"
        );
    }

    #[test]
    fn a_joint_is_completed_by_its_name_in_another_file() {
        let law =
            |name: &str| format!("[[joint]]\nname = \"{name}\"\neffort = \"-qd\"\nmax_speed = 3\n");
        let whole = Texts::new("rod", ROD).with("law", law("q")).load(&ReadOptions::default());
        let joint = &whole.expect("a model").mechanism.joints[0];
        assert!(joint.max_speed.is_some() && joint.effort[0] != rotule_symbolic::Expr::ZERO);
        let check = |texts: Texts, expected: &str| assert_eq!(messages(texts), [expected]);
        check(Texts::new("rod", ROD).with("law", law("p")), "there is no joint `p` to complete");
        let same = format!("{ROD}{}", law("q"));
        check(Texts::new("rod", same), "joint `q` is defined in this file already");
    }

    #[test]
    fn a_rounded_angle_is_reported_once() {
        let all = messages(Texts::new("robot.urdf", FRICTION));
        let angles: Vec<&String> = all.iter().filter(|one| one.contains("pi/2")).collect();
        assert_eq!(angles, ["1.57079632679 is taken as the exact pi/2, in 2 places"]);
    }

    #[test]
    fn one_moment_of_inertia_is_enough_about_one_axis() {
        let second = "[[body]]\nname = \"b\"\nparent = \"rod\"\nmass = 1\n\
                      joint = { name = \"p\", type = \"revolute\", axis = \"AXIS\" }\n\
                      inertia = { yy = 1 }\n";
        let rod = ROD.replace("xx = 1, yy = 1, zz = 1", "yy = 1");
        for (axis, bad) in [("y", 0), ("-y", 0), ("x", 1)] {
            let text = format!("{rod}{}", second.replace("AXIS", axis));
            assert_eq!(messages(Texts::new("rod", text)).len(), bad, "{axis}");
        }
        // About another axis than that of the joint it is a mistake.
        let wrong = ROD.replace("xx = 1, yy = 1, zz = 1", "zz = 1");
        assert_eq!(messages(Texts::new("rod", wrong)).len(), 1);
    }

    #[test]
    fn a_unit_in_an_expression_is_called_a_unit() {
        let text = ROD.replace("mass = 1", "mass = \"2*300 kg\"");
        let rejected = load_text("rod", text, &ReadOptions::default()).err().expect("an error");
        let shown = rejected.to_string();
        assert!(shown.contains("a unit stands behind a single number"), "{shown}");
        assert!(!shown.contains("product"), "{shown}");
        assert!(
            load_text("rod", ROD.replace("mass = 1", "mass = \"300 kg\""), &ReadOptions::default())
                .is_ok()
        );
    }
}
