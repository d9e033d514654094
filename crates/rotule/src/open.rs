//! The way from files and texts to a model: the format, additions, and the treatment of imported
//! robots.

use crate::error::Error;
use crate::flags::Words;
use crate::meshes::with_meshes;
use crate::model::Model;
use rotule_formalism::Problem;
use rotule_model::{Format, ReadOptions, Texts};
use std::path::{Path, PathBuf};

/// Options for opening a model: the format, files that complete it, the treatment of imported
/// robots.
///
/// ```
/// use rotule::Model;
///
/// let damping = r#"
/// [[force]]
/// name = "drag"
/// at = "rod.tip"
/// force = ["-0.1*vx", 0, "-0.1*vz"]
/// "#;
/// let options = Model::options().with_text("drag.toml", damping);
/// let model = options.read("pendulum.toml", rotule::doc::PENDULUM)?;
/// assert_eq!(model.mechanism().forces.len(), 1);
/// # Ok::<(), rotule::Error>(())
/// ```
///
/// Of a robot, with a file beside it:
///
/// ```no_run
/// let robot = rotule::Model::options().floating_base(true).with("laws.toml").open("robot.urdf")?;
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    format: Option<Format>,
    with: Vec<Addition>,
    read: ReadOptions,
    meshes: Vec<PathBuf>,
    words: Words,
}

/// A model file that completes another: a file, or a text with the name of messages.
#[derive(Clone, Debug)]
enum Addition {
    File(PathBuf),
    Text(String, String),
}

impl OpenOptions {
    /// The format, where the name and the text of the file do not tell.
    #[must_use]
    pub fn format(mut self, format: Format) -> OpenOptions {
        self.format = Some(format);
        self
    }

    /// A model file of Rotule that completes the model: points, loops, forces, sensors, externals,
    /// events, initial values. It may name bodies of the model, to give them points or to replace
    /// what was said about them. Can be called again for more files.
    ///
    /// A law for a joint of another format is given in code: see [`Model::draft`].
    #[must_use]
    pub fn with(mut self, path: impl Into<PathBuf>) -> OpenOptions {
        self.with.push(Addition::File(path.into()));
        self
    }

    /// A text that completes the model, as [`OpenOptions::with`]; the name is that of messages.
    #[must_use]
    pub fn with_text(mut self, name: impl Into<String>, text: impl Into<String>) -> OpenOptions {
        self.with.push(Addition::Text(name.into(), text.into()));
        self
    }

    /// Lets the root of an imported robot move freely if `yes`: it gets a free joint, whose
    /// coordinates are position and quaternion. The default is a root that is fixed to the ground.
    /// For URDF and MJCF.
    #[must_use]
    pub fn floating_base(mut self, yes: bool) -> OpenOptions {
        self.read.floating_base = yes;
        self
    }

    /// Merges imported bodies that are fixed to each other if `yes`; their frames become points.
    /// Equations are the same, since they have fixed bodies merged in any case. For URDF, MJCF and
    /// SDF.
    #[must_use]
    pub fn merge_fixed(mut self, yes: bool) -> OpenOptions {
        self.read.merge_fixed = yes;
        self
    }

    /// A folder that mesh files may come from: names of shapes are relative to it, and
    /// `package://NAME/` is a folder in it or the folder itself. A model file that is opened has
    /// its own folder, too. Can be called again for more folders.
    #[must_use]
    pub fn mesh_folder(mut self, path: impl Into<PathBuf>) -> OpenOptions {
        self.meshes.push(path.into());
        self
    }

    /// Lets diagnostics name options of the command line instead of methods, for the program
    /// `rotule`.
    #[doc(hidden)]
    #[must_use]
    pub fn for_command_line(mut self) -> OpenOptions {
        self.words = Words::CommandLine;
        self
    }

    /// Opens a file.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Model, Error> {
        let path = path.as_ref();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let own = self.clone().mesh_folder(folder.unwrap_or(Path::new(".")));
        own.read(path.display().to_string(), read_file(path)?)
    }

    /// Reads a text; the name is that of messages, and its ending tells the format as that of a
    /// file would.
    pub fn read(&self, name: impl Into<String>, text: impl Into<String>) -> Result<Model, Error> {
        let text: String = text.into();
        // Some editors begin a file with a mark that is no part of the text.
        let mut texts = Texts::new(name, text.strip_prefix('\u{feff}').unwrap_or(&text));
        if let Some(format) = self.format {
            texts = texts.in_format(format);
        }
        self.refuse_useless(texts.format())?;
        for addition in &self.with {
            let (name, text) = match addition {
                Addition::File(path) => (path.display().to_string(), read_file(path)?),
                Addition::Text(name, text) => (name.clone(), text.clone()),
            };
            texts = texts.with(name, text);
        }
        let texts = with_meshes(texts, &self.read, &self.meshes);
        Model::load(texts, self.read, self.words)
    }

    /// Options that a format knows nothing of would do nothing, and nobody would notice.
    fn refuse_useless(&self, format: Format) -> Result<(), Problem> {
        let found = match format {
            Format::Urdf | Format::Mjcf => return Ok(()),
            Format::Sdf => "SDF, where links that are not joined to `world` move freely",
            Format::Native => "a model file of Rotule",
            Format::Mbs => "a model of ROBOTRAN",
        };
        let base = "leave it out; a body moves freely by a joint of the type `free`";
        let merged = "leave it out; equations have fixed bodies merged in any case";
        let requested = [
            ("--floating-base", self.read.floating_base, base),
            ("--merge-fixed", self.read.merge_fixed && format != Format::Sdf, merged),
        ];
        match requested.into_iter().find(|(_, given, _)| *given) {
            None => Ok(()),
            Some((option, _, help)) => {
                let message = format!("{option} is for imported robots, and this is {found}");
                Err(Problem::new(message, help))
            }
        }
    }
}

fn read_file(path: &Path) -> Result<String, Error> {
    let fail = |error| Error::Read { path: path.to_owned(), error };
    let length = std::fs::metadata(path).map_err(fail)?.len();
    if length > rotule_model::limits::TEXT_BYTES as u64 {
        let message =
            format!("{length} bytes; at most {} are read", rotule_model::limits::TEXT_BYTES);
        return Err(fail(std::io::Error::other(message)));
    }
    std::fs::read_to_string(path).map_err(fail)
}
