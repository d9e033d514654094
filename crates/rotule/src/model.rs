//! A model of a mechanism: the entry point to everything that the library does.

use crate::check::Check;
use crate::count::{CountTable, count};
use crate::equations::{self, Equations};
use crate::error::Error;
use crate::evaluate::{Values, evaluate, numbers_of};
use crate::externals::{Closures, Differenced, Slope, Value};
use crate::flags::Words;
use crate::function::Function;
use crate::generate::{Generated, Generator, Language};
use crate::group::{GroupTable, WrittenTogether};
use crate::laws::LawReport;
use crate::loops;
use crate::open::OpenOptions;
use crate::simulate::Simulate;
use crate::state::{Names, State, finite};
use crate::study::Study;
use crate::transformations::{TransformationTable, count_transformations};
use rotule_formalism::{
    Formalism, ModelFunction as Named, MultibodySystem, Problem, no_numbers, normalise,
};
use rotule_model::diagnostic::DiagnosticCode;
use rotule_model::mechanism::{Joint, Mechanism, Parameter};
use rotule_model::{Diagnostics, Draft, Loaded, ReadOptions, Rejected, Sources, Texts, write};
use rotule_numeric::independent::ask_independent;
use rotule_numeric::initial_values::{Change, Hold};
use rotule_numeric::state::{StateNumbers as Numbers, check_numbers, set_parameter};
use rotule_symbolic::ForeignCode;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// A model of a mechanism, read and checked.
///
/// A model is cheap to clone and can be shared between threads. Files may be model files of Rotule
/// (TOML), URDF, SDF, MJCF or ROBOTRAN's `.mbs`; [`build`](crate::build) makes models in code.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// assert_eq!((model.coordinates(), model.speeds()), (vec!["q"], vec!["q.d"]));
/// print!("{}", model.warnings()); // as a compiler shows them
///
/// // Numbers with names; `Model::function` and `Kernel` are for many of them.
/// let mut state = model.state();
/// state.set("q.d", 2.0)?;
/// let energy = model.evaluate("kinetic_energy", &state)?;
/// assert!((energy.output("kinetic_energy")?.numbers[0] - 0.5 * (0.01 + 0.25) * 4.0).abs() < 1e-12);
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone)]
pub struct Model {
    draft: Arc<Draft>,
    texts: Arc<Texts>,
    read: ReadOptions,
    diagnostics: Arc<Diagnostics>,
    /// The mechanism as it was read, with the parameters and the partition of this model.
    mechanism: Arc<Mechanism>,
    tree: Arc<MultibodySystem>,
    names: Arc<Names>,
    frozen: Vec<Parameter>,
    externals: Closures,
    laws: Arc<LawReport>,
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

    pub(crate) fn load(texts: Texts, read: ReadOptions, words: Words) -> Result<Model, Error> {
        let Loaded { draft, mechanism, diagnostics } = texts.read(&read);
        let diagnostics = words.of(diagnostics);
        let Some(mechanism) = mechanism else {
            return Err(Rejected { diagnostics, sources: texts.sources().clone() }.into());
        };
        let tree = normalise(mechanism.clone());
        Ok(Model {
            draft: Arc::new(draft),
            texts: Arc::new(texts),
            read,
            diagnostics: Arc::new(diagnostics),
            names: Arc::new(Names::new(&tree.mechanism)),
            mechanism: Arc::new(mechanism),
            tree: Arc::new(tree),
            frozen: Vec::new(),
            externals: Closures::default(),
            laws: Arc::default(),
        })
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
    pub fn tree(&self) -> &MultibodySystem {
        &self.tree
    }

    /// The mechanism as recursions take it, with the parameters of a state.
    pub fn tree_at(&self, state: &State) -> Cow<'_, MultibodySystem> {
        let own = &self.tree.mechanism.parameters;
        if own.iter().map(|one| one.value).eq(state.parameters.iter().copied()) {
            return Cow::Borrowed(&self.tree);
        }
        let mut tree = self.tree.as_ref().clone();
        for (parameter, value) in tree.mechanism.parameters.iter_mut().zip(&state.parameters) {
            parameter.value = *value;
        }
        Cow::Owned(tree)
    }

    /// Warnings and notes about the model; [`Model::sources`] has the texts that they point into.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// The texts of the model, to find the places of diagnostics.
    pub fn sources(&self) -> &Sources {
        self.texts.sources()
    }

    /// Warnings and notes as a compiler shows them; empty if there are none.
    pub fn warnings(&self) -> String {
        if self.diagnostics.is_empty() {
            String::new()
        } else {
            self.diagnostics.render(self.sources())
        }
    }

    /// The model as a model file of Rotule, whatever its format was.
    pub fn text(&self) -> String {
        write(&self.draft)
    }

    /// The content of the model's files, to be changed in code and loaded by
    /// `Model::try_from(&draft)`. In this way a joint of an imported robot gets a law:
    ///
    /// ```
    /// use rotule::Model;
    /// use rotule::build::External;
    ///
    /// # let file = rotule::doc::PENDULUM;
    /// let mut draft = Model::read("pendulum.toml", file)?.draft();
    /// draft.add(External::new("controller", ["angle", "speed", "t"]));
    /// assert!(draft.edit_joint("q", |joint| joint.effort("controller(q, qd, t)")));
    /// let mut model = Model::try_from(&draft)?;
    /// model.external("controller", |x, torque| torque[0] = -8.0 * x[0] - 1.0 * x[1]);
    /// let run = model.simulate().to(10.0).run()?;
    /// assert!(run.last("q")?.abs() < 1e-3);
    /// # Ok::<(), rotule::Error>(())
    /// ```
    ///
    /// The law of a joint may use its own `q` and `qd`, the time `t`, parameters, signals of
    /// sensors, and the model's own states, whose rates may use all coordinates and speeds. A
    /// controller that sees all joints holds its efforts between samples: it runs
    /// [from](Simulate::from) the [state](crate::Run::state) of the last run, with other numbers in
    /// [`State::effort`]. Each run writes its equations anew.
    pub fn draft(&self) -> Draft {
        self.draft.as_ref().clone()
    }

    /// A hash of the model that comments and layout of its file do not change.
    pub fn hash(&self) -> String {
        rotule_emit::hash(&self.text())
    }

    /// Names of the coordinates, in the order of `q`: those of the joints, as `elbow`, or `leg[1]`
    /// and `leg[2]` where a joint has several. A free joint `base` has `base.x`, `base.y`, `base.z`
    /// and the quaternion `base.qw`, `base.qx`, `base.qy`, `base.qz`; a spherical one has the
    /// quaternion.
    pub fn coordinates(&self) -> Vec<&str> {
        self.mechanism.coordinates.iter().map(|one| one.name.as_str()).collect()
    }

    /// Names of the speeds, in the order of `qd`, `qdd` and efforts: those of the coordinates with
    /// `.d`, as `elbow.d` or `leg.d[1]`. A free joint `base` has `base.vx`, `base.vy`, `base.vz`
    /// and the angular velocity `base.wx`, `base.wy`, `base.wz`; a spherical one has the angular
    /// velocity. They are one fewer than its coordinates: see
    /// [`conventions`](crate::conventions).
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
        found.map(|one| one.value).ok_or_else(|| {
            if self.mechanism.inputs.iter().any(|one| one.name == name) {
                let message = format!("`{name}` is an input, not a parameter");
                let help = "give it a number or a course by `--input`";
                return Problem::new(message, help).into();
            }
            Error::unknown("parameter", name, names())
        })
    }

    /// Gives a parameter another number, for everything that is computed from then on. Kernels
    /// that exist keep theirs: see [`Kernel::set`](crate::Kernel::set). A number that the model
    /// file must not have, such as a mass below zero, is refused.
    pub fn set(&mut self, name: &str, value: f64) -> Result<&mut Model, Error> {
        self.set_all(&[(name, value)])
    }

    /// Gives several parameters other numbers, of which only all together must be possible.
    pub fn set_all(&mut self, numbers: &[(&str, f64)]) -> Result<&mut Model, Error> {
        for (name, value) in numbers {
            self.parameter(name)?;
            finite(name, *value)?;
        }
        let before: Vec<f64> = self.parameters().iter().map(|one| one.value).collect();
        let tree = Arc::make_mut(&mut self.tree);
        for (name, value) in numbers {
            set_parameter(tree, name, *value)?;
        }
        if let Err(problem) = check_numbers(&tree.mechanism) {
            let own = tree.mechanism.parameters.iter_mut().zip(before);
            own.for_each(|(one, value)| one.value = value);
            return Err(problem.into());
        }
        let own = Arc::make_mut(&mut self.mechanism);
        let values = tree.mechanism.parameters.iter().map(|one| one.value);
        own.parameters.iter_mut().zip(values).for_each(|(one, value)| one.value = value);
        Ok(self)
    }

    /// Gives a parameter another number as `rotule --set` does: `l = 500 mm`, `m = 2*pi`. Its unit
    /// must be of the parameter's dimension.
    pub fn assign(&mut self, text: &str) -> Result<&mut Model, Error> {
        let (name, value) = rotule_formalism::quantity::assignment(text, &self.tree.mechanism)?;
        self.set(&name, value)
    }

    /// Puts the numbers of parameters in their place: equations become shorter, and these are no
    /// parameters any more.
    pub fn freeze(&mut self, names: &[&str]) -> Result<&mut Model, Error> {
        let mut open = Vec::new();
        for name in names {
            open.extend(self.parameter(name)?.is_nan().then_some(*name));
        }
        if !open.is_empty() {
            return Err(no_numbers(&open, "nothing can be frozen").into());
        }
        let mechanism = Arc::make_mut(&mut self.mechanism);
        self.frozen.extend(mechanism.freeze(names));
        self.tree = Arc::new(normalise(mechanism.clone()));
        self.names = Arc::new(Names::new(&self.tree.mechanism));
        Ok(self)
    }

    /// Freezes all parameters that have a number.
    pub fn freeze_all(&mut self) -> &mut Model {
        let numbers = self.parameters().iter().filter(|one| !one.value.is_nan());
        let names: Vec<String> = numbers.map(|one| one.name.clone()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.freeze(&names).expect("parameters of the model are known");
        self
    }

    /// Asks for a partition of the coordinates: those of the list are independent, and all others
    /// that loops couple follow from them. Names are looked up here; a partition that cannot be,
    /// such as one with too many coordinates, is refused where it is first needed.
    pub fn independent(&mut self, names: &[&str]) -> Result<&mut Model, Error> {
        ask_independent(Arc::make_mut(&mut self.mechanism), names)?;
        ask_independent(&mut Arc::make_mut(&mut self.tree).mechanism, names)?;
        Ok(self)
    }

    /// Supplies a foreign function that laws call (`[[external]]` of the model file): a closure
    /// that takes arguments and writes results. It must be pure: the same arguments give the same
    /// results. Where derivatives are needed they are found by differences of order four; give them
    /// by [`Model::external_with_derivative`] if that is not exact enough.
    pub fn external(
        &mut self,
        name: &str,
        value: impl Fn(&[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> &mut Model {
        self.externals.insert(name, Arc::new(value), Vec::new(), Differenced::default());
        self.supply()
    }

    /// Gives the mechanism the code of the external functions: whatever is evaluated of it uses it.
    fn supply(&mut self) -> &mut Model {
        let code: Arc<dyn ForeignCode> = Arc::new(self.externals.clone());
        Arc::make_mut(&mut self.tree).mechanism.graph.supply_code(Arc::clone(&code));
        Arc::make_mut(&mut self.mechanism).graph.supply_code(code);
        self
    }

    /// As [`Model::external`], with the derivative along a direction: it takes arguments and their
    /// rates and writes the rates of the results.
    pub fn external_with_derivative(
        &mut self,
        name: &str,
        value: impl Fn(&[f64], &mut [f64]) + Send + Sync + 'static,
        derivative: impl Fn(&[f64], &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> &mut Model {
        let slopes: Vec<Slope> = vec![Arc::new(derivative)];
        self.externals.insert(name, Arc::new(value), slopes, Differenced::default());
        self.supply()
    }

    /// Supplies a function with the derivatives that are known, and flags that tell which others
    /// were found by differences.
    pub(crate) fn external_told(
        &mut self,
        name: &str,
        value: Value,
        slopes: Vec<Slope>,
        differenced: Differenced,
    ) {
        self.externals.insert(name, value, slopes, differenced);
        self.supply();
    }

    /// Puts another draft in the place of the model's, keeping numbers and choices.
    pub(crate) fn rewrite(&mut self, draft: &Draft) -> Result<(), Error> {
        let mut made = Model::try_from(draft)?;
        let frozen: Vec<String> = self.frozen.iter().map(|one| one.name.clone()).collect();
        for one in self.parameters().iter().chain(&self.frozen) {
            made.set(&one.name, one.value)?;
        }
        let frozen: Vec<&str> = frozen.iter().map(String::as_str).collect();
        if !frozen.is_empty() {
            made.freeze(&frozen)?;
        }
        let independent = self.mechanism.independent.clone();
        Arc::make_mut(&mut made.mechanism).independent.clone_from(&independent);
        Arc::make_mut(&mut made.tree).mechanism.independent = independent;
        self.draft = made.draft;
        self.mechanism = made.mechanism;
        self.tree = made.tree;
        self.names = made.names;
        self.frozen = made.frozen;
        self.supply();
        Ok(())
    }

    pub(crate) fn law_report(&self) -> &Arc<LawReport> {
        &self.laws
    }

    /// The external functions for motions that may run side by side.
    #[doc(hidden)]
    pub fn foreign(&self) -> rotule_study::Foreign {
        let (known, made) = (self.externals.clone(), self.externals.clone());
        rotule_study::Foreign {
            knows: Box::new(move |name| known.knows(name)),
            make: Box::new(move || made.boxed()),
        }
    }

    /// The closures of external functions.
    #[doc(hidden)]
    pub fn externals(&self) -> &Closures {
        &self.externals
    }

    /// The initial state: coordinates and speeds as the model has them, driven joints where their
    /// motion is at time zero.
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

    /// A random state, the same for the same seed on every machine: numbers between -1 and 1, unit
    /// quaternions.
    pub fn random(&self, seed: u64) -> State {
        let mut numbers = Numbers::random(&self.tree, seed);
        numbers.settle(&self.tree);
        State::new(numbers, &self.names)
    }

    /// A state from JSON, as `rotule eval --state` takes it, and remarks about it. What it leaves
    /// out is as at the start.
    ///
    /// ```
    /// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
    /// let (state, remarks) = model.state_from_json(r#"{ "qd": { "q": 2 }, "parameters": { "l": 0.8 } }"#, &[])?;
    /// assert_eq!((state.q[0], state.qd[0], state.get("l")?), (0.5, 2.0, 0.8));
    /// assert!(remarks.is_empty());
    /// # Ok::<(), rotule::Error>(())
    /// ```
    ///
    /// Numbers of parameters in the list win over those of the text.
    pub fn state_from_json(
        &self,
        text: &str,
        parameters: &[(&str, f64)],
    ) -> Result<(State, Vec<String>), Error> {
        let mut tree = self.tree.as_ref().clone();
        let set: Vec<(String, f64)> =
            parameters.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        let (mut numbers, remarks) = Numbers::from_json(text, &set, &mut tree)?;
        numbers.settle(&tree);
        Ok((State::new(numbers, &self.names), remarks))
    }

    /// The initial state with its loops closed, and the written values that could not be kept.
    /// Joints and coordinates of the list do not move.
    pub fn assemble(&self, keep: &[&str]) -> Result<(State, Vec<Change>), Error> {
        let (numbers, changes) = loops::assembled(&self.tree, &keep.join(","))?;
        Ok((State::new(numbers, &self.names), changes))
    }

    /// Closes the loops of a state; gives the values that could not be kept.
    pub fn close(&self, state: &mut State) -> Result<Vec<Change>, Error> {
        state.check_finite(&self.tree.mechanism)?;
        let mut numbers = state.numbers();
        let changes = numbers.close(&self.tree_at(state))?;
        *state = state.with(numbers);
        Ok(changes)
    }

    /// A state as JSON, which [`Model::state_from_json`] reads back.
    pub fn state_to_json(&self, state: &State) -> Result<String, Error> {
        state.check_finite(&self.tree.mechanism)?;
        Ok(state.numbers().text(&self.tree.mechanism))
    }

    /// A state as the initial values of a model file.
    pub fn initial_text(&self, state: &State) -> Result<String, Error> {
        state.check_finite(&self.tree.mechanism)?;
        Ok(loops::initial_text(&self.tree.mechanism, &state.numbers()))
    }

    /// A function of the model, written by the cheapest formalism: `inverse`, `forward`, `mass`,
    /// `jacobian(hand.tip)`, `derivative(inverse, q)`. [`functions`](crate::functions) lists them
    /// all.
    pub fn function(&self, text: &str) -> Result<Function, Error> {
        Function::new(self, text, None)
    }

    /// Functions written together, so that they share work: see [`WrittenTogether`]. The
    /// formalisms are those that are the cheapest for all of them together.
    pub fn write_together(&self, functions: &[&str]) -> Result<WrittenTogether, Error> {
        WrittenTogether::new(self, functions, None)
    }

    /// Operations of functions as a group beside those of each alone.
    pub fn count_group(&self, functions: &[&str]) -> Result<GroupTable, Error> {
        GroupTable::new(self, functions)
    }

    /// A function of the model, written by a formalism.
    pub fn function_by(&self, text: &str, formalism: Formalism) -> Result<Function, Error> {
        Function::new(self, text, Some(formalism))
    }

    /// Returns `true` if a function is of the closed mechanism, so that evaluating it closes the
    /// loops of a state first.
    pub fn closes_loops(&self, function: &str) -> Result<bool, Error> {
        Ok(Named::parse(function, &self.tree)?.closes_loops(&self.tree))
    }

    /// The numbers of a function at a state, with names for rows and columns. Functions of the
    /// closed mechanism close the loops of the state first. For many states
    /// [compile](Function::compile) the function.
    pub fn evaluate(&self, function: &str, state: &State) -> Result<Values, Error> {
        self.evaluate_by(function, None, state)
    }

    /// The parameters without a number that a function needs.
    pub fn open_parameters(&self, function: &str) -> Result<Vec<String>, Error> {
        Ok(numbers_of(&self.tree, &Named::parse(function, &self.tree)?)?)
    }

    /// The numbers of a function that a formalism wrote.
    pub fn evaluate_by(
        &self,
        function: &str,
        formalism: Option<Formalism>,
        state: &State,
    ) -> Result<Values, Error> {
        let named = Named::parse(function, &self.tree)?;
        let tree = self.tree_at(state);
        let open = numbers_of(&tree, &named)?;
        if !open.is_empty() {
            let open: Vec<&str> = open.iter().map(String::as_str).collect();
            let what = format!("`{function}` cannot be evaluated");
            return Err(no_numbers(&open, &what).into());
        }
        match named.closes_loops(&self.tree) {
            true => state.check_finite(&self.tree.mechanism)?,
            false => state.check(&self.tree.mechanism)?,
        }
        Ok(evaluate(&tree, &named, formalism, state, &self.externals)?)
    }

    /// A motion of the model, to be described and [run](Simulate::run).
    pub fn simulate(&self) -> Simulate<'_> {
        Simulate::new(self)
    }

    /// Many motions of the model, to be described and [run](Study::run).
    pub fn study(&self) -> Study<'_> {
        Study::new(self)
    }

    /// Functions of the model as source code or a document; the usual ones if the list is empty.
    pub fn generate(&self, language: Language, functions: &[&str]) -> Result<Generated, Error> {
        self.generator(language).functions(functions).generate()
    }

    /// Options for source code.
    pub fn generator(&self, language: Language) -> Generator<'_> {
        Generator::new(self, language)
    }

    /// The equations of motion for people. Joints of the list have a given motion.
    pub fn equations(&self, driven: &[&str]) -> Result<Equations, Error> {
        self.equations_by(None, driven)
    }

    /// The equations of motion for people, by a formalism or by the one that gives the shortest.
    pub fn equations_by(
        &self,
        formalism: Option<Formalism>,
        driven: &[&str],
    ) -> Result<Equations, Error> {
        let (document, graph) =
            equations::equations_of_motion(&self.tree, formalism, &driven.join(","))?;
        Ok(Equations { document, graph })
    }

    /// The equations of a function for people.
    pub fn equations_of(
        &self,
        function: &str,
        formalism: Option<Formalism>,
    ) -> Result<Equations, Error> {
        let named = Named::parse(function, &self.tree)?;
        let (document, graph) = equations::equations(&self.tree, &named, formalism)?;
        Ok(Equations { document, graph })
    }

    /// Operations of functions by formalism; of the usual ones if the list is empty.
    pub fn count(&self, functions: &[&str]) -> Result<CountTable, Error> {
        self.count_with(functions, &mut |_, _| ControlFlow::Continue(()))
    }

    /// As [`Model::count`], with a callback that hears of each function and formalism before it is
    /// begun; a break ends the work as [`Error::Stopped`].
    pub fn count_with(
        &self,
        functions: &[&str],
        progress: &mut dyn FnMut(&str, Formalism) -> ControlFlow<()>,
    ) -> Result<CountTable, Error> {
        let list = functions.join(",");
        let list = (!functions.is_empty()).then_some(list.as_str());
        Ok(count(&self.tree, list, progress)?)
    }

    /// Counts the savings of each model transformation: operations of functions with one more of
    /// them in each row; of the usual functions if the list is empty.
    pub fn count_transformations(&self, functions: &[&str]) -> Result<TransformationTable, Error> {
        self.count_transformations_with(functions, &mut |_, _| ControlFlow::Continue(()))
    }

    /// As [`Model::count_transformations`], with a callback that hears of each function and
    /// transformation before it is begun; a break ends the work as [`Error::Stopped`].
    pub fn count_transformations_with(
        &self,
        functions: &[&str],
        progress: &mut dyn FnMut(&str, &str) -> ControlFlow<()>,
    ) -> Result<TransformationTable, Error> {
        // Rounded angles that were made exact are a transformation, too.
        let snapped = self.diagnostics.iter().any(|one| one.code == DiagnosticCode::Snapped);
        let as_written = ReadOptions { as_written: true, ..self.read };
        let written = snapped.then(|| self.texts.read(&as_written).mechanism).flatten();
        let written = written.map(normalise);
        let list = functions.join(",");
        let list = (!functions.is_empty()).then_some(list.as_str());
        Ok(count_transformations(&self.tree, written.as_ref(), list, progress)?)
    }

    /// The structure of the mechanism, its loops, rank and partition.
    pub fn check(&self) -> Check {
        Check::new(&self.mechanism, &self.diagnostics, self.sources())
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
        Model::load(draft.texts(), ReadOptions::default(), Words::Code)
    }
}
