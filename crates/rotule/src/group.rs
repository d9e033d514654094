//! Functions that share work: written together once, grouped as they are called, run by states.

use crate::error::Error;
use crate::function::{Cost, Function, Input};
use crate::kernel::Kernel;
use crate::model::Model;
use rotule_formalism::{Formalism, ModelFunction, WrittenGroup};
use rotule_jit::KernelKind;
use rotule_numeric::generate_group;
use rotule_program::group::{VECTOR, element, split};
use rotule_program::{Program, ProgramCounts};
use rotule_symbolic::Kind;
use rotule_symbolic::list::items;

/// Functions of a model that were written together, by formalisms that are chosen for all of them.
/// [Groups](Group) are made of them without anything being generated anew, and no grouping changes
/// a bit of any result.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let written = model.write_together(&["inverse", "mass", "kinetic_energy"])?;
/// let control = written.group(&["inverse", "mass"])?;
/// let slow = written.group(&["kinetic_energy"])?;
/// assert_eq!((control.functions().count(), slow.functions().count()), (2, 1));
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WrittenTogether {
    model: Model,
    written: WrittenGroup,
}

impl WrittenTogether {
    pub(crate) fn new(
        model: &Model,
        functions: &[&str],
        formalism: Option<Formalism>,
    ) -> Result<WrittenTogether, Error> {
        let tree = model.tree();
        let mut named = Vec::new();
        for list in functions {
            for item in items(list).map_err(|fault| Error::from(fault_of(&fault.to_string())))? {
                named.push(ModelFunction::parse(&list[item], tree)?);
            }
        }
        let written = generate_group(tree, &named, formalism)?;
        Ok(WrittenTogether { model: model.clone(), written })
    }

    /// The functions, as they were written, each with the formalism that was chosen.
    pub fn functions(&self) -> impl Iterator<Item = (&str, Formalism)> {
        self.written.functions.iter().map(|one| (one.function.text.as_str(), one.formalism))
    }

    /// The program of all functions, in Rotule's intermediate representation: it prints, and is all
    /// that groups are made of.
    pub fn program(&self) -> &Program {
        &self.written.program
    }

    /// A group of some of the functions, by their texts; all of them if none is named. Nothing is
    /// generated.
    pub fn group(&self, functions: &[&str]) -> Result<Group, Error> {
        let tree = self.model.tree();
        let mut chosen: Vec<usize> = Vec::new();
        for list in functions {
            for item in items(list).map_err(|fault| Error::from(fault_of(&fault.to_string())))? {
                let function = ModelFunction::parse(&list[item], tree)?;
                let known = &self.written.functions;
                let at = known
                    .iter()
                    .position(|one| one.function.canonical == function.canonical)
                    .ok_or_else(|| {
                        let names = known.iter().map(|one| one.function.text.as_str());
                        Error::unknown("function of those written together", &function.text, names)
                    })?;
                if chosen.contains(&at) {
                    return Err(fault_of(&format!("`{}` is named twice", function.text)).into());
                }
                chosen.push(at);
            }
        }
        if functions.is_empty() {
            chosen = (0..self.written.functions.len()).collect();
        }
        Group::new(&self.model, &self.written, &chosen)
    }
}

fn fault_of(fault: &str) -> rotule_formalism::Problem {
    rotule_formalism::Problem::new(format!("a group: {fault}"), "such as inverse,mass")
}

/// Functions that are called at the same states. What at least two of them need, and what depends
/// on neither accelerations, efforts nor inputs, is computed once per state: the shared vector.
#[derive(Clone, Debug)]
pub struct Group {
    program: Program,
    shared: Function,
    functions: Vec<Function>,
}

/// Operations of a group beside those of its functions one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupCost {
    /// Of the shared vector, once per state.
    pub shared: Cost,
    /// Of each function that takes the vector.
    pub functions: Vec<(String, Cost)>,
    /// Of all functions at one state in one program, without the shared vector: what depends on
    /// accelerations, efforts or inputs is shared there, too.
    pub body: Cost,
    /// Numbers in the shared vector.
    pub numbers: usize,
}

impl Group {
    fn new(model: &Model, written: &WrittenGroup, chosen: &[usize]) -> Result<Group, Error> {
        let (program, ranges) = written.part(chosen);
        let parts = split(&program, &ranges, 0, 0);
        let numbers = parts.names.len();
        let vector = Input {
            name: VECTOR.to_owned(),
            entries: (0..numbers).map(element).collect(),
            units: vec![String::new(); numbers],
        };
        let mut functions = Vec::new();
        for (&at, mut own) in chosen.iter().zip(parts.functions) {
            written.rename(at, &mut own);
            let one = &written.functions[at];
            let extra = (numbers > 0).then(|| (Kind::Shared, vector.clone()));
            functions.push(Function::of(model, &one.function, one.formalism, own, extra)?);
        }
        let formalism = written.functions[chosen[0]].formalism;
        let shared = Function::of_vector(model, formalism, parts.shared);
        Ok(Group { program, shared, functions })
    }

    /// The functions, each of which takes the shared vector as its input `shared`, if there is one.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter()
    }

    /// A function by its text.
    pub fn function(&self, text: &str) -> Result<&Function, Error> {
        let names = || self.functions.iter().map(Function::text);
        self.functions
            .iter()
            .find(|one| one.text() == text)
            .ok_or_else(|| Error::unknown("function of the group", text, names()))
    }

    /// The function that computes the shared vector, its output `shared`.
    pub fn shared(&self) -> &Function {
        &self.shared
    }

    /// The program of the whole group, with its stages.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Its operations.
    pub fn cost(&self) -> GroupCost {
        let counts = ProgramCounts::of(&self.program);
        GroupCost {
            shared: self.shared.cost(),
            functions: self
                .functions
                .iter()
                .map(|one| (one.text().to_owned(), one.cost()))
                .collect(),
            body: Cost {
                operations: counts.body.total(),
                functions: crate::count::calls(&counts.body),
                iteration: 0,
                setup: counts.setup.operations(),
            },
            numbers: self.shared.outputs()[0].len(),
        }
    }

    /// The group ready to run, with native code where there is any.
    pub fn compile(&self) -> Result<GroupKernel, Error> {
        self.compile_with(KernelKind::Auto)
    }

    /// The group ready to run, by kernels of a kind.
    pub fn compile_with(&self, kind: KernelKind) -> Result<GroupKernel, Error> {
        let shared = self.shared.compile_with(kind)?;
        let functions = self.functions.iter().map(|one| one.compile_with(kind));
        Ok(GroupKernel {
            vector: vec![0.0; self.shared.outputs()[0].len()],
            shared,
            functions: functions.collect::<Result<_, _>>()?,
            version: None,
            updates: 0,
        })
    }
}

/// A group ready to run, with all the memory that it needs. It is `Send`: groups of one model may
/// run at rates and on threads of their own.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let group = model.write_together(&["inverse", "kinetic_energy"])?.group(&[])?;
/// let mut control = group.compile()?;
/// let (q, qd, mut effort) = ([0.5], [0.1], [0.0]);
/// for (state, qdd) in [(1, [0.0]), (1, [2.0]), (2, [0.0])] {
///     control.update(state, &[("q", &q), ("qd", &qd)])?;
///     let inputs: [(&str, &[f64]); 3] = [("q", &q), ("qd", &qd), ("qdd", &qdd)];
///     control.evaluate("inverse", &inputs, &mut [("effort", &mut effort)])?;
/// }
/// assert_eq!(control.updates(), 2); // once per state
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Debug)]
pub struct GroupKernel {
    shared: Kernel,
    functions: Vec<Kernel>,
    vector: Vec<f64>,
    version: Option<u64>,
    updates: u64,
}

impl GroupKernel {
    /// Computes the shared vector, unless it is that of the state already: the caller numbers the
    /// states, and gives another number whenever coordinates, speeds, states of the user's own or
    /// the time have changed. Inputs that it does not take are passed over. Returns `true` if it
    /// was computed.
    pub fn update(&mut self, version: u64, inputs: &[(&str, &[f64])]) -> Result<bool, Error> {
        if self.version == Some(version) {
            return Ok(false);
        }
        // What fails leaves no state behind.
        self.version = None;
        let taken = taken(&self.shared, inputs);
        self.shared.evaluate(&taken, &mut [(VECTOR, &mut self.vector)])?;
        self.version = Some(version);
        self.updates += 1;
        Ok(true)
    }

    /// Evaluates a function of the group at the state of the last update. Inputs that it does not
    /// take are passed over.
    pub fn evaluate(
        &mut self,
        function: &str,
        inputs: &[(&str, &[f64])],
        outputs: &mut [(&str, &mut [f64])],
    ) -> Result<(), Error> {
        let at = self.functions.iter().position(|one| one.function().text() == function);
        let Some(at) = at else {
            let names = self.functions.iter().map(|one| one.function().text());
            return Err(Error::unknown("function of the group", function, names));
        };
        if self.version.is_none() {
            let message = format!("`{function}` of a group is evaluated before an update");
            let help = "call `update` with the number of the state first";
            return Err(rotule_formalism::Problem::new(message, help).into());
        }
        let mut taken = taken(&self.functions[at], inputs);
        if self.functions[at].function().inputs().iter().any(|one| one.name == VECTOR) {
            taken.push((VECTOR, &self.vector));
        }
        self.functions[at].evaluate(&taken, outputs)
    }

    /// Gives a parameter another number, or the time if the name is `t`. The next update computes
    /// the shared vector anew.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), Error> {
        self.version = None;
        self.shared.set(name, value)?;
        self.functions.iter_mut().try_for_each(|one| one.set(name, value))
    }

    /// The shared vector of the last update.
    pub fn vector(&self) -> &[f64] {
        &self.vector
    }

    /// The number of times that the shared vector was computed.
    pub fn updates(&self) -> u64 {
        self.updates
    }
}

/// Those of some inputs that a kernel takes.
fn taken<'a>(kernel: &Kernel, inputs: &[(&'a str, &'a [f64])]) -> Vec<(&'a str, &'a [f64])> {
    let known = kernel.function().inputs();
    let taken = |(name, _): &&(&str, &[f64])| known.iter().any(|one| one.name == *name);
    inputs.iter().filter(taken).copied().collect()
}

/// Operations of groups beside those of their functions alone.
#[derive(Clone, Debug)]
pub struct GroupTable {
    /// The model's name.
    pub model: String,
    /// The functions: the text, the formalism and the cost alone, the formalism and the cost in the
    /// group.
    pub rows: Vec<GroupRow>,
    /// The group.
    pub group: GroupCost,
}

/// A function alone and in a group.
#[derive(Clone, Debug)]
pub struct GroupRow {
    /// The function.
    pub function: String,
    /// Its cheapest formalism, and its cost by that.
    pub alone: (Formalism, Cost),
    /// Its formalism in the group, and its cost beyond the shared vector.
    pub grouped: (Formalism, Cost),
}

impl GroupTable {
    pub(crate) fn new(model: &Model, functions: &[&str]) -> Result<GroupTable, Error> {
        let written = WrittenTogether::new(model, functions, None)?;
        let group = written.group(&[])?;
        let mut rows = Vec::new();
        for one in group.functions() {
            let alone = model.function(one.text())?;
            rows.push(GroupRow {
                function: one.text().to_owned(),
                alone: (alone.formalism(), alone.cost()),
                grouped: (one.formalism(), one.cost()),
            });
        }
        Ok(GroupTable { model: model.name().to_owned(), rows, group: group.cost() })
    }

    /// Operations of all functions, each by its cheapest formalism alone; functions and those of
    /// iterations included.
    pub fn sum_of_parts(&self) -> u64 {
        self.rows.iter().map(|row| all(&row.alone.1)).sum()
    }

    /// Operations of the group when its functions are called one by one at one state.
    pub fn called_one_by_one(&self) -> u64 {
        let functions = self.rows.iter().map(|row| all(&row.grouped.1));
        all(&self.group.shared) + functions.sum::<u64>()
    }

    /// The table as JSON.
    pub fn json(&self) -> serde_json::Value {
        let cost = |cost: &Cost| {
            serde_json::json!({
                "operations": cost.operations,
                "functions": cost.functions,
                "iteration": cost.iteration,
                "setup": cost.setup,
            })
        };
        let rows = self.rows.iter().map(|row| {
            serde_json::json!({
                "function": row.function,
                "alone": { "formalism": row.alone.0.name(), "cost": cost(&row.alone.1) },
                "group": { "formalism": row.grouped.0.name(), "cost": cost(&row.grouped.1) },
            })
        });
        serde_json::json!({
            "model": self.model,
            "functions": rows.collect::<Vec<_>>(),
            "shared": cost(&self.group.shared),
            "numbers": self.group.numbers,
            "sum_of_parts": self.sum_of_parts(),
            "group": self.called_one_by_one(),
        })
    }
}

/// Operations and functions of an evaluation, with one iteration of each region.
fn all(cost: &Cost) -> u64 {
    cost.operations + cost.functions + cost.iteration
}

impl std::fmt::Display for GroupTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}: operations and functions per state\n", self.model)?;
        let width = self.rows.iter().map(|row| row.function.len()).max().unwrap_or(0).max(16);
        writeln!(
            f,
            "{:width$}  {:>8}  {:<16}  {:>8}  formalism",
            "function", "alone", "formalism", "in group"
        )?;
        for row in &self.rows {
            let [(one, alone), (other, grouped)] = [&row.alone, &row.grouped];
            let (alone, grouped) = (all(alone), all(grouped));
            let (one, other, name) = (one.name(), other.name(), &row.function);
            writeln!(f, "{name:width$}  {alone:>8}  {one:<16}  {grouped:>8}  {other}")?;
        }
        let shared = all(&self.group.shared);
        let text = format!("shared vector of {}", self.group.numbers);
        writeln!(f, "{text:width$}  {:>8}  {:<16}  {shared:>8}", "", "")?;
        let (parts, group) = (self.sum_of_parts(), self.called_one_by_one());
        let ratio = if parts == 0 { 1.0 } else { group as f64 / parts as f64 };
        writeln!(f, "{:width$}  {parts:>8}  {:<16}  {group:>8}  {ratio:.2} of the sum", "all", "")
    }
}

/// A group by its name, as the command line has it: `control=inverse,mass,jacobian(tip)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedGroup {
    /// The name: letters, digits and underscores.
    pub name: String,
    /// The functions, separated by commas.
    pub functions: String,
}

/// Names that generated code has for itself.
const TAKEN: [&str; 5] = ["setup", "parameters", "constants", "demo", "externals"];

impl std::str::FromStr for NamedGroup {
    type Err = String;

    fn from_str(text: &str) -> Result<NamedGroup, String> {
        let Some((name, functions)) = text.split_once('=') else {
            return Err(format!(
                "`{text}` has no `=`; write NAME=FUNCTIONS, such as control=inverse,mass"
            ));
        };
        let (name, functions) = (name.trim(), functions.trim());
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(letter) {
            return Err(format!(
                "`{name}` is no name for a group; expected a letter, then letters, digits and `_`"
            ));
        }
        if TAKEN.contains(&name) {
            return Err(format!("generated code has a `{name}` already; choose another name"));
        }
        if functions.is_empty() {
            return Err(format!("the group `{name}` has no functions; write {name}=inverse,mass"));
        }
        Ok(NamedGroup { name: name.to_owned(), functions: functions.to_owned() })
    }
}
