//! Numbers of a function at a state, with the user's names for rows and columns.

use crate::error::Error;
use crate::externals::Closures;
use crate::loops::initial_json;
use crate::state::State;
use rotule_analysis::functions::ModelFunctions;
use rotule_analysis::quantity::coordinate_name;
use rotule_formalism::foreign::foreign;
use rotule_formalism::given::GivenMotions;
use rotule_formalism::labels::{Labels, labels};
use rotule_formalism::{Formalism, ModelFunction, MultibodySystem, Problem, normalise};
use rotule_model::index::SpeedId;
use rotule_numeric::assembly::assemble_start;
use rotule_numeric::initial_values::{Change, report};
use rotule_numeric::redundancy::analyse;
use rotule_numeric::state::StateNumbers as Numbers;
use rotule_numeric::{generate, partitioned};
use rotule_program::{Interpreter, Program, Region, RegionRole};
use rotule_symbolic::figures::digits;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The numbers of a function at a state, with names. `Display` shows them as `rotule eval` does.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let values = model.evaluate("jacobian(rod.tip)", &model.neutral())?;
/// let jacobian = values.output("J")?;
/// assert_eq!((jacobian.rows.len(), jacobian.columns.len()), (6, 1));
/// assert_eq!(jacobian.get("x", "q")?, -0.5);
/// println!("{values}");
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Values {
    /// The function, as it was written.
    pub function: String,
    /// The formalism that wrote it.
    pub formalism: Formalism,
    /// The state of the evaluation, its loops closed if the function is of the closed mechanism.
    pub state: State,
    /// Written values of the state that could not be kept.
    pub changes: Vec<Change>,
    /// Driven joints whose motion calls a function without a law: the values of the state are used.
    pub given: Vec<String>,
    /// Its outputs.
    pub outputs: Vec<Table>,
    /// `true` if the model has loops or constraints and the function is of its open tree, without
    /// their forces.
    pub of_open_tree: bool,
    /// The state for tools.
    state_json: Value,
}

/// One output of a function with its numbers: a single number, a vector or a matrix.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// `true` if it is a single number.
    pub scalar: bool,
    /// `true` if it is a matrix, even if it has one column.
    pub matrix: bool,
    /// The numbers, by rows.
    pub numbers: Vec<f64>,
}

/// The parameters without a number that a function needs: those that its program uses, or all if
/// loops are closed first.
pub(crate) fn numbers_of(
    tree: &MultibodySystem,
    function: &ModelFunction,
) -> Result<Vec<String>, Problem> {
    let open: Vec<String> = tree.mechanism.without_number().map(|one| one.name.clone()).collect();
    if open.is_empty() || function.closes_loops(tree) {
        return Ok(open);
    }
    let program = generate(tree, function, None)?.program;
    let inputs = program.inputs().iter().zip(program.used_inputs());
    let used: Vec<&str> =
        inputs.filter(|(_, used)| *used).map(|(one, _)| one.name.as_str()).collect();
    Ok(open.into_iter().filter(|name| used.contains(&name.as_str())).collect())
}

/// Dependent speeds that are so many times the independent ones leave half of the digits, if any.
const SINGULAR: f64 = 1e8;

/// Refuses a closed state at which the partition that a function is written with is singular: its
/// numbers would be noise there.
fn check_partition(
    tree: &MultibodySystem,
    function: &ModelFunction,
    state: &Numbers,
    externals: &Closures,
) -> Result<(), Problem> {
    let system = partitioned(tree, function)?;
    let Some(partition) = &system.strategy.partition else { return Ok(()) };
    if partition.speeds.blocks.is_empty() {
        return Ok(());
    }
    let independent = &partition.speeds.independent;
    let name = |&speed: &usize| format!("`{}`", coordinate_name(&tree.mechanism, speed));
    let names = independent.iter().map(name).collect::<Vec<_>>().join(", ");
    let (mut functions, point) = ModelFunctions::open(&system, state, Box::new(externals.clone()))?;
    let amplification = functions.amplification(&point)?;
    if amplification < SINGULAR {
        return Ok(());
    }
    Err(Problem::new(
        format!(
            "`{}`: the coordinate partition is singular at this state: the other coordinates do \
             not follow from {names}",
            function.text
        ),
        "name other independent coordinates, as by --independent, or give a state beside this one; \
         `rotule singular` finds such states",
    ))
}

/// Computes a function at a state, by one formalism or by the cheapest. Functions of the closed
/// mechanism close the loops first; others are evaluated exactly at the state.
pub fn evaluate(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Option<Formalism>,
    state: &State,
    externals: &Closures,
) -> Result<Values, Problem> {
    let mut numbers = state.numbers();
    let known = |name: &str| externals.knows(name);
    let mut made = generate(tree, function, formalism)?;
    let mut given = None;
    if let Some(problem) = foreign(&tree.mechanism, function, &made.program, &known) {
        // Driven joints without their law are where the state has them.
        let motions = GivenMotions::of(&tree.mechanism).ok_or_else(|| problem.clone())?;
        let still = normalise(motions.mechanism.clone());
        made = generate(&still, function, formalism)?;
        if foreign(&still.mechanism, function, &made.program, &known).is_some() {
            return Err(problem);
        }
        given = Some((motions, still));
    }
    let mut changes = Vec::new();
    if function.closes_loops(tree) {
        changes = numbers.close(tree)?;
        if given.is_none() {
            check_partition(tree, function, &numbers, externals)?;
        }
    }
    let mut found = match &given {
        None => run(tree, function, &made.program, &numbers, externals)?,
        Some((motions, still)) => {
            let mut all = numbers.clone();
            all.parameters.extend(motions.numbers(&all.q, &all.qd, &all.qdd));
            run(still, function, &made.program, &all, externals)?
        }
    };
    // Zero has no sign for a reader.
    found.iter_mut().for_each(|number| *number += 0.0);
    let mut rest = found.as_slice();
    let mut outputs = Vec::new();
    for output in made.program.outputs() {
        let (rows, columns) = (output.rows as usize, output.columns as usize);
        let (own, after) = rest.split_at(rows * columns);
        rest = after;
        let found = labels(&tree.mechanism, function, &output.name);
        outputs.push(Table::new(&output.name, found, (rows, columns), own));
    }
    Ok(Values {
        function: function.text.clone(),
        formalism: made.formalism,
        state_json: numbers.json(&tree.mechanism),
        state: state.with(numbers),
        changes,
        given: given.map_or(Vec::new(), |(motions, _)| motions.names()),
        outputs,
        of_open_tree: function.of_open_tree(tree),
    })
}

/// Runs the program once.
fn run(
    tree: &MultibodySystem,
    function: &ModelFunction,
    program: &Program,
    state: &Numbers,
    externals: &Closures,
) -> Result<Vec<f64>, Problem> {
    let known = state.numbers(&tree.mechanism);
    let mut inputs = Vec::with_capacity(program.inputs().len());
    for input in program.inputs() {
        let Some(&number) = known.get(input.name.as_str()) else {
            let message = format!("`{}` needs `{}`, which has no value", function.text, input.name);
            return Err(Problem::new(message, ""));
        };
        inputs.push(number);
    }
    let broken = |what: String| Problem::new(format!("`{}`: {what}", function.text), "");
    let interpreter = Interpreter::new(program)
        .map_err(|found| broken(found.first().map(ToString::to_string).unwrap_or_default()))?;
    let mut workspace = interpreter.workspace();
    let mut outputs = vec![0.0; program.output_len()];
    let mut externals = externals.clone();
    interpreter
        .setup(&mut workspace, &inputs, &mut externals)
        .and_then(|()| interpreter.evaluate(&mut workspace, &inputs, &mut outputs, &mut externals))
        .map_err(|error| broken(error.to_string()))?;
    if let Some((region, status)) = workspace.failed().next() {
        return Err(stuck(tree, state, program.get_region(region), status.last));
    }
    Ok(outputs)
}

/// Why an iteration did not converge: if loops cannot close with these independent coordinates, by
/// how much.
fn stuck(tree: &MultibodySystem, state: &Numbers, region: &Region, iterations: u32) -> Problem {
    let message = format!("`{}` did not converge in {iterations} iterations", region.name);
    if region.role == RegionRole::LoopClosure {
        let independent =
            analyse(tree).ok().and_then(|found| Some(found.partition.ok()?.independent));
        let keep = independent.into_iter().flatten().map(SpeedId::new).collect();
        match assemble_start(tree, &state.start(), &keep) {
            Err(problem) => {
                let help = "at this state independent coordinates are out of reach of the rest; \
                            `rotule assemble` moves them, too";
                return Problem::new(format!("{message}: {}", problem.message), help);
            }
            Ok(_) => {
                let help = "the loops can be closed, but not from this guess of dependent coordinates: \
                            take that of `rotule assemble`";
                return Problem::new(message, help);
            }
        }
    }
    Problem::new(message, "the state may be out of reach; try another")
}

fn numbered(count: usize) -> Vec<String> {
    (1..=count).map(|number| number.to_string()).collect()
}

impl Values {
    /// An output by its name.
    pub fn output(&self, name: &str) -> Result<&Table, Error> {
        let found = self.outputs.iter().find(|table| table.name == name);
        let names = self.outputs.iter().map(|table| table.name.as_str());
        found.ok_or_else(|| Error::unknown("output", name, names))
    }

    /// Function, formalism, state, outputs and names for tools, as `rotule eval --json` writes
    /// them.
    pub fn report(&self) -> Value {
        json!({
            "function": self.function,
            "formalism": self.formalism.name(),
            "state": self.state_json,
            "initial": report(&self.changes).map(|told| initial_json(&told, &self.changes)),
            "outputs": self.json(),
            "names": self.names(),
        })
    }

    /// Entries that are not finite, by name; at most so many.
    pub fn not_finite(&self, most: usize) -> Vec<String> {
        let entries = self.outputs.iter().flat_map(|table| {
            let bad = table.numbers.iter().enumerate().filter(|(_, number)| !number.is_finite());
            bad.map(|(at, number)| format!("{} is {number}", table.entry(at)))
        });
        entries.take(most).collect()
    }

    /// Tables, one below the other; a matrix that is wider than a terminal has some columns below
    /// the others.
    pub fn text(&self, width: Option<usize>) -> String {
        let mut text = String::new();
        for (at, table) in self.outputs.iter().enumerate() {
            // Single numbers stand line by line.
            if at > 0 && !(table.scalar && self.outputs[at - 1].scalar) {
                text.push('\n');
            }
            table.write(&mut text, width.unwrap_or(usize::MAX));
        }
        text
    }

    /// The outputs for tools: numbers, lists and lists of rows. What is not finite is null.
    pub fn json(&self) -> Value {
        let mut object = Map::new();
        for table in &self.outputs {
            let columns = table.columns.len().max(1);
            let value = match (table.scalar, table.matrix) {
                (true, _) => json!(table.numbers[0]),
                (false, false) => json!(table.numbers),
                (false, true) => json!(table.numbers.chunks(columns).collect::<Vec<_>>()),
            };
            object.insert(table.name.clone(), value);
        }
        Value::Object(object)
    }

    /// Names of the rows, and of a matrix's columns, for each output that is not a single number.
    pub fn names(&self) -> Value {
        let mut object = Map::new();
        for table in self.outputs.iter().filter(|table| !table.scalar) {
            let value = match table.matrix {
                true => json!({ "rows": table.rows, "columns": table.columns }),
                false => json!({ "rows": table.rows }),
            };
            object.insert(table.name.clone(), value);
        }
        Value::Object(object)
    }
}

impl std::fmt::Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text(None))
    }
}

impl Table {
    /// A number by the names of its row and its column; the column of a vector has an empty name,
    /// and both of a single number.
    pub fn get(&self, row: &str, column: &str) -> Result<f64, Error> {
        let find = |what, names: &[String], name: &str| {
            let found = names.iter().position(|known| known == name);
            found.ok_or_else(|| Error::unknown(what, name, names.iter().map(String::as_str)))
        };
        let (row, column) = (find("row", &self.rows, row)?, find("column", &self.columns, column)?);
        Ok(self.numbers[row * self.columns.len() + column])
    }

    /// An output with its names; rows and columns without names are numbered.
    fn new(name: &str, found: Option<Labels>, size: (usize, usize), numbers: &[f64]) -> Table {
        let found = found.unwrap_or_else(|| match size {
            (rows, 1) => Labels::Vector(numbered(rows)),
            (rows, columns) => Labels::Matrix(numbered(rows), numbered(columns)),
        });
        let (scalar, matrix) =
            (matches!(found, Labels::Scalar), matches!(found, Labels::Matrix(..)));
        let (mut rows, mut columns) = match found {
            Labels::Scalar => (vec![String::new()], vec![String::new()]),
            Labels::Vector(rows) => (rows, vec![String::new()]),
            Labels::Matrix(rows, columns) => (rows, columns),
        };
        // The table of outputs is tested against all functions; a table must be written in any
        // case.
        if rows.len() != size.0 {
            rows = numbered(size.0);
        }
        if columns.len() != size.1 {
            columns = numbered(size.1);
        }
        let numbers = numbers.to_vec();
        Table { name: name.to_owned(), rows, columns, scalar, matrix, numbers }
    }

    /// The name of an entry in messages.
    fn entry(&self, at: usize) -> String {
        let columns = self.columns.len().max(1);
        let (row, column) = (&self.rows[at / columns], &self.columns[at % columns]);
        match (self.scalar, self.matrix) {
            (true, _) => format!("`{}`", self.name),
            (false, false) => format!("`{}` of {row}", self.name),
            _ => format!("`{}` of {row}, {column}", self.name),
        }
    }

    fn write(&self, text: &mut String, room: usize) {
        if self.scalar {
            let _ = writeln!(text, "{} = {}", self.name, digits(self.numbers[0]));
            return;
        }
        if self.numbers.is_empty() {
            let _ = writeln!(text, "{}\n  empty: the model has no such elements", self.name);
            return;
        }
        let columns = self.columns.len().max(1);
        let _ = writeln!(text, "{}", self.name);
        let label = self.rows.iter().map(|row| row.chars().count()).max().unwrap_or(0);
        let cells: Vec<String> = self.numbers.iter().map(|&number| digits(number)).collect();
        let column = |at: usize| cells.iter().skip(at).step_by(columns);
        // Numbers stand with their points below each other.
        let whole = |cell: &str| cell.find(['.', 'e']).unwrap_or(cell.len());
        let widths: Vec<(usize, usize, usize)> = (0..columns)
            .map(|at| {
                let left = column(at).map(|cell| whole(cell)).max().unwrap_or(0);
                let right = column(at).map(|cell| cell.len() - whole(cell)).max().unwrap_or(0);
                // A title begins above the first digit, behind the place of a sign.
                let sign = usize::from(column(at).any(|cell| cell.starts_with('-')));
                let title = self.columns[at].chars().count() + sign;
                (left, right.max(title.saturating_sub(left)), sign)
            })
            .collect();
        let mut from = 0;
        while from < columns {
            // As many columns as there is room for, but one at least.
            let mut wide = 2 + label;
            let mut fits = |&(left, right, _): &(usize, usize, usize)| {
                wide += 2 + left + right;
                wide <= room
            };
            let to = from + widths[from..].iter().take_while(|one| fits(one)).count();
            let some = from..to.max(from + 1);
            if from > 0 {
                text.push('\n');
            }
            if self.columns.iter().any(|name| !name.is_empty()) {
                let mut line = format!("  {:label$}", "");
                for (name, &(left, right, sign)) in
                    self.columns[some.clone()].iter().zip(&widths[some.clone()])
                {
                    let width = left + right - sign;
                    let _ = write!(line, "  {:sign$}{name:<width$}", "");
                }
                let _ = writeln!(text, "{}", line.trim_end());
            }
            for (row, name) in self.rows.iter().enumerate() {
                let mut line = format!("  {name:<label$}");
                for at in some.clone() {
                    let (left, right, _) = widths[at];
                    let cell = &cells[row * columns + at];
                    let point = whole(cell);
                    let _ = write!(line, "  {:>left$}{:<right$}", &cell[..point], &cell[point..]);
                }
                let _ = writeln!(text, "{}", line.trim_end());
            }
            from = some.end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn a_wide_matrix_has_columns_below_each_other() {
        let names: Vec<String> = (1..=5).map(|number| format!("q{number}")).collect();
        let numbers: Vec<f64> = (0..10).map(|number| f64::from(number) - 4.5).collect();
        let table = Table {
            name: "m".to_owned(),
            rows: vec!["a".to_owned(), "b".to_owned()],
            columns: names,
            scalar: false,
            matrix: true,
            numbers,
        };
        let shown = |room: usize| {
            let mut text = String::new();
            table.write(&mut text, room);
            text
        };
        let whole = "m\n      q1    q2    q3    q4    q5\n  a  -4.5  -3.5  -2.5  -1.5  -0.5\n  b   0.5   1.5   2.5   3.5   4.5\n";
        assert_eq!(shown(usize::MAX), whole);
        assert_eq!(shown(33), whole);
        let two = "m\n      q1    q2    q3\n  a  -4.5  -3.5  -2.5\n  b   0.5   1.5   2.5\n\n      q4    q5\n  a  -1.5  -0.5\n  b   3.5   4.5\n";
        assert_eq!(shown(32 - 9), two);
        // However narrow it is, every column is shown.
        assert_eq!(shown(1).matches("  a  ").count(), 5);
    }
}
