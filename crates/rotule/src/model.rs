//! A model of a mechanism: the door to everything that the library does.

use crate::check::Check;
use crate::count::{CountTable, count};
use crate::equations::{self, Equations};
use crate::error::Error;
use crate::evaluate::{Values, evaluate};
use crate::externals::Closures;
use crate::function::Function;
use crate::generate::{Generated, Generator, Language};
use crate::loops;
use crate::simulate::Simulate;
use crate::state::{Names, State};
use crate::study::Study;
use rotule_formalism::constraint::asked::ask_independent;
use rotule_formalism::constraint::start::{Change, Hold};
use rotule_formalism::state::{State as Numbers, set_parameter};
use rotule_formalism::{Formalism, Function as Named, Tree, normalise};
use rotule_model::mechanism::{Joint, Mechanism, Parameter};
use rotule_model::{Accepted, Diagnostics, Draft, Format, ReadOptions, Sources, Texts, write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model of a mechanism, read and checked.
///
/// A model is cheap to clone and can be shared between threads. Files may be model files of Rotule (TOML), URDF, SDF, MJCF or
/// ROBOTRAN's `.mbs`; [`build`](crate::build) makes models in code.
///
/// ```no_run
/// let robot = rotule::Model::open("ur5.urdf")?;
/// let mut inverse = robot.function("inverse")?.compile()?;
/// let (q, qd, qdd, mut effort) = ([0.1; 6], [0.0; 6], [0.0; 6], [0.0; 6]);
/// inverse.evaluate(&[("q", &q), ("qd", &qd), ("qdd", &qdd)], &mut [("effort", &mut effort)])?;
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone)]
pub struct Model {
    draft: Arc<Draft>,
    sources: Arc<Sources>,
    diagnostics: Arc<Diagnostics>,
    /// The mechanism as it was read, with the parameters and the partition of this model.
    mechanism: Arc<Mechanism>,
    tree: Arc<Tree>,
    names: Arc<Names>,
    frozen: Vec<Parameter>,
    externals: Closures,
}

/// Options for opening a model: the format, files that complete it, the treatment of imported robots.
///
/// ```no_run
/// let robot = rotule::Model::options().floating_base(true).with("laws.toml").open("robot.urdf")?;
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    format: Option<Format>,
    with: Vec<PathBuf>,
    read: ReadOptions,
}

impl OpenOptions {
    /// The format, where the name and the text of the file do not tell.
    #[must_use]
    pub fn format(mut self, format: Format) -> OpenOptions {
        self.format = Some(format);
        self
    }

    /// A model file that completes the model: loops, laws, sensors, initial values. Can be called again for more files.
    #[must_use]
    pub fn with(mut self, path: impl Into<PathBuf>) -> OpenOptions {
        self.with.push(path.into());
        self
    }

    /// Lets the root of an imported robot move freely.
    #[must_use]
    pub fn floating_base(mut self, yes: bool) -> OpenOptions {
        self.read.floating_base = yes;
        self
    }

    /// Merges imported bodies that are fixed to each other.
    #[must_use]
    pub fn merge_fixed(mut self, yes: bool) -> OpenOptions {
        self.read.merge_fixed = yes;
        self
    }

    /// Opens a file.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Model, Error> {
        let path = path.as_ref();
        self.load(path.display().to_string(), read_file(path)?)
    }

    /// Reads a text; the name is that of messages, and its ending tells the format as that of a file would.
    pub fn read(&self, name: impl Into<String>, text: impl Into<String>) -> Result<Model, Error> {
        self.load(name.into(), text.into())
    }

    fn load(&self, name: String, text: String) -> Result<Model, Error> {
        let mut texts = Texts::new(name, text);
        if let Some(format) = self.format {
            texts = texts.in_format(format);
        }
        for path in &self.with {
            texts = texts.with(path.display().to_string(), read_file(path)?);
        }
        Ok(Model::new(texts.load(&self.read)?))
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

impl Model {
    /// Opens a file of any format. The error shows all diagnostics, each with its place.
    pub fn open(path: impl AsRef<Path>) -> Result<Model, Error> {
        OpenOptions::default().open(path)
    }

    /// Reads a text of any format; the name is that of messages.
    pub fn read(name: impl Into<String>, text: impl Into<String>) -> Result<Model, Error> {
        OpenOptions::default().read(name, text)
    }

    /// Options for opening a model.
    pub fn options() -> OpenOptions {
        OpenOptions::default()
    }

    /// A model from its parts, with whatever was found about it.
    pub fn new(accepted: Accepted) -> Model {
        let Accepted { mechanism, draft, diagnostics, sources } = accepted;
        let tree = normalise(mechanism.clone());
        Model {
            draft: Arc::new(draft),
            sources: Arc::new(sources),
            diagnostics: Arc::new(diagnostics),
            names: Arc::new(Names::new(&tree.mechanism)),
            mechanism: Arc::new(mechanism),
            tree: Arc::new(tree),
            frozen: Vec::new(),
            externals: Closures::default(),
        }
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.mechanism.name
    }

    /// The mechanism: bodies, joints, parameters and laws, with every name looked up.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// The mechanism as recursions take it, for the lower [layers](crate::layers).
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Warnings and notes about the model.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Warnings and notes as a compiler shows them; empty if there are none.
    pub fn warnings(&self) -> String {
        if self.diagnostics.is_empty() {
            String::new()
        } else {
            self.diagnostics.render(&self.sources)
        }
    }

    /// The model as a model file of Rotule, whatever its format was.
    pub fn text(&self) -> String {
        write(&self.draft)
    }

    /// A hash of the model that comments and layout of its file do not change.
    pub fn hash(&self) -> String {
        rotule_emit::hash(&self.text())
    }

    /// Names of the coordinates, in the order of `q`.
    pub fn coordinates(&self) -> Vec<&str> {
        self.mechanism.coordinates.iter().map(|one| one.name.as_str()).collect()
    }

    /// Names of the speeds, in the order of `qd`, `qdd` and efforts.
    pub fn speeds(&self) -> Vec<&str> {
        self.mechanism.speeds.iter().map(|one| one.name.as_str()).collect()
    }

    /// Parameters with their numbers, units and descriptions.
    pub fn parameters(&self) -> &[Parameter] {
        &self.tree.mechanism.parameters
    }

    /// Parameters that were [frozen](Model::freeze).
    pub fn frozen(&self) -> &[Parameter] {
        &self.frozen
    }

    /// The number of a parameter.
    pub fn parameter(&self, name: &str) -> Result<f64, Error> {
        let names = || self.parameters().iter().map(|one| one.name.as_str());
        let found = self.parameters().iter().find(|one| one.name == name);
        found.map(|one| one.value).ok_or_else(|| Error::unknown("parameter", name, names()))
    }

    /// Gives a parameter another number, for whatever is asked of the model from then on. Kernels that exist keep theirs: see
    /// [`Kernel::set`](crate::Kernel::set).
    pub fn set(&mut self, name: &str, value: f64) -> Result<&mut Model, Error> {
        self.parameter(name)?;
        set_parameter(Arc::make_mut(&mut self.tree), name, value)?;
        let own = Arc::make_mut(&mut self.mechanism);
        own.parameters.iter_mut().filter(|one| one.name == name).for_each(|one| one.value = value);
        Ok(self)
    }

    /// Puts the numbers of parameters in their place: equations become shorter, and these are no parameters any more.
    pub fn freeze(&mut self, names: &[&str]) -> Result<&mut Model, Error> {
        for name in names {
            self.parameter(name)?;
        }
        let mechanism = Arc::make_mut(&mut self.mechanism);
        self.frozen.extend(mechanism.freeze(names));
        self.tree = Arc::new(normalise(mechanism.clone()));
        self.names = Arc::new(Names::new(&self.tree.mechanism));
        Ok(self)
    }

    /// Freezes all parameters.
    pub fn freeze_all(&mut self) -> &mut Model {
        let names: Vec<String> = self.parameters().iter().map(|one| one.name.clone()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.freeze(&names).expect("parameters of the model are known");
        self
    }

    /// Asks for a partition of the coordinates: those of the list are independent, and all others follow from them.
    pub fn independent(&mut self, names: &[&str]) -> Result<&mut Model, Error> {
        ask_independent(Arc::make_mut(&mut self.mechanism), names)?;
        ask_independent(&mut Arc::make_mut(&mut self.tree).mechanism, names)?;
        Ok(self)
    }

    /// Supplies a foreign function that laws call (`[[external]]` of the model file): a closure that takes arguments and writes
    /// results. It must be pure: the same arguments give the same results. Where derivatives are needed they are found by
    /// differences of order four; give them by [`Model::external_with_derivative`] if that is not exact enough.
    pub fn external(
        &mut self,
        name: &str,
        value: impl Fn(&[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> &mut Model {
        self.externals.insert(name, Arc::new(value), None);
        self
    }

    /// As [`Model::external`], with the derivative along a direction: it takes arguments and their rates and writes the rates of
    /// the results.
    pub fn external_with_derivative(
        &mut self,
        name: &str,
        value: impl Fn(&[f64], &mut [f64]) + Send + Sync + 'static,
        derivative: impl Fn(&[f64], &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> &mut Model {
        self.externals.insert(name, Arc::new(value), Some(Arc::new(derivative)));
        self
    }

    pub(crate) fn externals(&self) -> &Closures {
        &self.externals
    }

    /// The initial state: coordinates and speeds as the model has them, driven joints where their motion is at time zero.
    pub fn state(&self) -> State {
        let mut numbers = Numbers::initial(&self.tree);
        numbers.settle(&self.tree);
        State::new(numbers, &self.names)
    }

    /// The neutral state: all coordinates and speeds zero, quaternions without rotation.
    pub fn neutral(&self) -> State {
        let mut numbers = Numbers::initial(&self.tree);
        numbers.q.fill(0.0);
        numbers.qd.fill(0.0);
        for range in self.tree.mechanism.joints.iter().filter_map(Joint::quaternion) {
            numbers.q[range.start] = 1.0;
        }
        numbers.hold_q.fill(Hold::Guess);
        numbers.hold_qd.fill(Hold::Guess);
        numbers.settle(&self.tree);
        State::new(numbers, &self.names)
    }

    /// A random state, the same for the same seed on every machine: numbers between -1 and 1, unit quaternions.
    pub fn random(&self, seed: u64) -> State {
        let mut numbers = Numbers::random(&self.tree, seed);
        numbers.settle(&self.tree);
        State::new(numbers, &self.names)
    }

    /// A state from JSON, as `rotule eval --state` takes it, and remarks about it. What it leaves out is as at the start.
    pub fn state_from_json(&self, text: &str) -> Result<(State, Vec<String>), Error> {
        let mut tree = self.tree.as_ref().clone();
        let (mut numbers, remarks) = Numbers::from_json(text, &[], &mut tree)?;
        numbers.settle(&tree);
        Ok((State::new(numbers, &self.names), remarks))
    }

    /// The initial state with its loops closed, and the written values that could not be kept. Joints and coordinates of the list
    /// do not move.
    pub fn assemble(&self, keep: &[&str]) -> Result<(State, Vec<Change>), Error> {
        let (numbers, changes) = loops::assembled(&self.tree, &keep.join(","))?;
        Ok((State::new(numbers, &self.names), changes))
    }

    /// Closes the loops of a state; gives the values that could not be kept.
    pub fn close(&self, state: &mut State) -> Result<Vec<Change>, Error> {
        Ok(state.close(&self.tree)?)
    }

    /// A state as the initial values of a model file.
    pub fn initial_text(&self, state: &State) -> String {
        loops::initial_text(&self.tree.mechanism, state)
    }

    /// A function of the model, written by the cheapest formalism: `inverse`, `forward`, `mass`, `jacobian(hand.tip)`,
    /// `derivative(inverse, q)`. [`functions`](crate::functions) lists them all.
    pub fn function(&self, text: &str) -> Result<Function, Error> {
        Function::new(self, text, None)
    }

    /// A function of the model, written by a formalism.
    pub fn function_by(&self, text: &str, formalism: Formalism) -> Result<Function, Error> {
        Function::new(self, text, Some(formalism))
    }

    /// The numbers of a function at a state, with names for rows and columns. Functions of the closed mechanism close the loops of
    /// the state first. For many states [compile](Function::compile) the function.
    pub fn evaluate(&self, function: &str, state: &State) -> Result<Values, Error> {
        self.evaluate_by(function, None, state)
    }

    /// The numbers of a function that a formalism wrote.
    pub fn evaluate_by(
        &self,
        function: &str,
        formalism: Option<Formalism>,
        state: &State,
    ) -> Result<Values, Error> {
        let named = Named::parse(function, &self.tree)?;
        Ok(evaluate(&self.tree, &named, formalism, state.numbers().clone(), &self.externals)?)
    }

    /// A motion of the model, to be described and [run](Simulate::run).
    pub fn simulate(&self) -> Simulate<'_> {
        Simulate::new(self)
    }

    /// Many motions of the model, to be described and [run](Study::run).
    pub fn study(&self) -> Study<'_> {
        Study::new(self)
    }

    /// Functions of the model as source code or a document.
    pub fn generate(&self, language: Language, functions: &[&str]) -> Result<Generated, Error> {
        self.generator(language).functions(functions).generate()
    }

    /// Options for source code.
    pub fn generator(&self, language: Language) -> Generator<'_> {
        Generator::new(self, language)
    }

    /// The equations of motion for people. Joints of the list have a given motion.
    pub fn equations(&self, driven: &[&str]) -> Result<Equations, Error> {
        let mut tree = self.tree.as_ref().clone();
        let document = equations::equations_of_motion(&mut tree, None, &driven.join(","))?;
        Ok(Equations { document, tree })
    }

    /// The equations of a function for people.
    pub fn equations_of(
        &self,
        function: &str,
        formalism: Option<Formalism>,
    ) -> Result<Equations, Error> {
        let mut tree = self.tree.as_ref().clone();
        let named = Named::parse(function, &tree)?;
        let document = equations::equations(&mut tree, &named, formalism)?;
        Ok(Equations { document, tree })
    }

    /// Operations of functions by formalism; of the usual ones if the list is empty.
    pub fn count(&self, functions: &[&str]) -> Result<CountTable, Error> {
        let list = functions.join(",");
        let list = (!functions.is_empty()).then_some(list.as_str());
        Ok(count(&self.tree, list, &mut |_, _| {})?)
    }

    /// The structure of the mechanism, its loops, rank and partition.
    pub fn check(&self) -> Check {
        Check::new(&self.mechanism)
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("name", &self.name())
            .field("coordinates", &self.coordinates())
            .finish_non_exhaustive()
    }
}

impl TryFrom<&Draft> for Model {
    type Error = Error;

    /// A model that was [built in code](crate::build).
    fn try_from(draft: &Draft) -> Result<Model, Error> {
        Ok(Model::new(draft.load()?))
    }
}
