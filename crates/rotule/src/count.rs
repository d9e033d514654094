//! Operation counts: function by formalism, as a table and as JSON.

use rotule_formalism::function::{Counted, FUNCTIONS, FunctionRow};
use rotule_formalism::{
    CountedPart, Formalism, ModelFunction, MultibodySystem, Problem, WrittenFunction, count_parts,
};
use rotule_numeric::generate;
use rotule_program::{ArithmeticOperation, OperationTally, ProgramCounts};
use rotule_symbolic::list::items;
use rotule_symbolic::{Binary, Unary};
use serde_json::{Map, Value, json};
use std::fmt;
use std::ops::ControlFlow;

/// Functions that are counted unless others are named, in the order of their table.
pub fn counted() -> impl Iterator<Item = &'static FunctionRow> {
    FUNCTIONS.iter().filter(|row| row.counted != Counted::Named)
}

/// The operations of some functions of a model.
#[derive(Clone, Debug)]
pub struct CountTable {
    /// The model's name.
    pub model: String,
    /// Function by formalism.
    pub rows: Vec<CountRow>,
    /// Functions that are not counted, with the reasons.
    pub refused: Vec<Uncounted>,
}

/// A function that is not counted, or not by one of its formalisms.
#[derive(Clone, Debug)]
pub struct Uncounted {
    /// The function.
    pub function: String,
    /// The formalism that cannot write it; none if no formalism can.
    pub formalism: Option<Formalism>,
    /// Why.
    pub problem: Problem,
}

/// The operations of one function by one formalism.
#[derive(Clone, Debug)]
pub struct CountRow {
    /// The function.
    pub function: String,
    /// The formalism.
    pub formalism: Formalism,
    /// Its operations.
    pub counts: ProgramCounts,
    /// `true` if no other formalism is cheaper.
    pub cheapest: bool,
    /// Its parts, if its equations are closed and no other formalism is cheaper.
    pub parts: Vec<CountedPart>,
}

/// Counts functions of a model: those of a list, separated by commas, or the usual ones. `progress`
/// hears of each before it is begun, and a break ends it.
pub fn count(
    tree: &MultibodySystem,
    functions: Option<&str>,
    progress: &mut dyn FnMut(&str, Formalism) -> ControlFlow<()>,
) -> Result<CountTable, Problem> {
    let mut table =
        CountTable { model: tree.mechanism.name.clone(), rows: Vec::new(), refused: Vec::new() };
    let names: Vec<&str> = match functions {
        None => counted().map(|row| row.name).collect(),
        Some(list) => listed(list, tree)?,
    };
    for name in names {
        let large = counted().any(|row| {
            row.name == name && matches!(row.counted, Counted::UpTo(most) if tree.speeds() > most)
        });
        if functions.is_none() && large {
            let message = format!("left out for {} speeds; --functions asks for it", tree.speeds());
            let (function, problem) = (name.to_owned(), Problem::new(message, ""));
            table.refused.push(Uncounted { function, formalism: None, problem });
            continue;
        }
        let function = ModelFunction::parse(name, tree)?;
        let (rows, mut refused) = rows(tree, &function, progress)?;
        if rows.is_empty() && !refused.is_empty() {
            refused.truncate(1);
            // Whoever names a function wants it, or to know why not.
            if functions.is_some() {
                return Err(refused.remove(0).problem);
            }
            refused[0].formalism = None;
        }
        table.rows.extend(rows);
        table.refused.extend(refused);
    }
    Ok(table)
}

/// The functions of a list, separated by commas, each named once.
pub(crate) fn listed<'l>(list: &'l str, tree: &MultibodySystem) -> Result<Vec<&'l str>, Problem> {
    let fault = |fault| Problem::new(format!("--functions: {fault}"), "such as inverse,mass");
    let (mut names, mut known) = (Vec::new(), Vec::new());
    for item in items(list).map_err(fault)? {
        let function = ModelFunction::parse(&list[item.clone()], tree)?;
        if known.contains(&function.canonical) {
            let message = format!("--functions: `{}` is named twice", function.text);
            return Err(Problem::new(message, "name each function once"));
        }
        known.push(function.canonical);
        names.push(&list[item]);
    }
    Ok(names)
}

/// One row for each formalism of a function, each written into a tree of its own: names that
/// another has given must not change the count. A formalism may refuse what another can write.
fn rows(
    tree: &MultibodySystem,
    function: &ModelFunction,
    progress: &mut dyn FnMut(&str, Formalism) -> ControlFlow<()>,
) -> Result<(Vec<CountRow>, Vec<Uncounted>), Problem> {
    let (mut rows, mut refused, mut all): (Vec<CountRow>, Vec<Uncounted>, Vec<WrittenFunction>) =
        Default::default();
    for &formalism in function.formalisms() {
        if progress(&function.text, formalism).is_break() {
            return Err(Problem::stopped());
        }
        let made = generate(tree, function, Some(formalism));
        let text = function.text.clone();
        match made {
            Ok(made) => {
                let (counts, cheapest, parts) = (made.counts, false, Vec::new());
                rows.push(CountRow { function: text, formalism, counts, cheapest, parts });
                all.push(made);
            }
            Err(problem) => {
                let formalism = Some(formalism);
                refused.push(Uncounted { function: text, formalism, problem });
            }
        }
    }
    // As `generate` chooses: the work of an evaluation, then that of a change of parameters.
    let work = |row: &CountRow| (row.counts.body.operations(), row.counts.setup.operations());
    let least = rows.iter().map(work).min();
    let cheapest = rows.iter_mut().zip(&all).find(|(row, _)| Some(work(row)) == least);
    if let Some((row, made)) = cheapest {
        row.cheapest = true;
        row.parts = count_parts(made);
    }
    Ok((rows, refused))
}

impl CountTable {
    /// The table for tools, with operations by kind.
    pub fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            json!({
                "function": row.function,
                "formalism": row.formalism.name(),
                "cheapest": row.cheapest,
                "operations": row.counts.body.total(),
                "functions": calls(&row.counts.body),
                "evaluation": kinds(&row.counts.body),
                "setup": kinds(&row.counts.setup),
                "iteration": kinds(&row.counts.iteration),
                "parts": row.parts.iter().map(part).collect::<Vec<_>>(),
            })
        });
        let refused = self.refused.iter().map(|refusal| {
            let Uncounted { function, formalism, problem } = refusal;
            json!({
                "function": function,
                "formalism": formalism.map(Formalism::name),
                "reason": problem.message,
                "help": problem.help,
            })
        });
        json!({
            "model": self.model,
            "counts": rows.collect::<Vec<_>>(),
            "refused": refused.collect::<Vec<_>>(),
        })
    }
}

/// A part for tools.
fn part(part: &CountedPart) -> Value {
    json!({ "part": part.name, "operations": part.operations, "functions": part.functions })
}

/// The parts of closed equations.
const PARTS: [(&str, &str); 6] = [
    ("speeds", "dependent speeds, and B of qd_v = B qd_u"),
    ("rates", "what dependent accelerations have besides B qdd_u"),
    ("open tree", "mass matrix and efforts of the open tree"),
    ("constraints", "J, and what the constraints ask of accelerations"),
    ("reduction", "mass matrix and efforts of the independent speeds"),
    ("solution", "the linear system, and all that follows from it"),
];

/// Everything that is not + - * /.
pub(crate) fn calls(tally: &OperationTally) -> u64 {
    tally.functions() + tally.select + tally.call
}

/// Operations by kind; kinds that do not occur are left out.
fn kinds(tally: &OperationTally) -> Value {
    let mut object = Map::new();
    let mut add = |name: &str, count: u64| {
        if count > 0 {
            object.insert(name.to_owned(), json!(count));
        }
    };
    for kind in ArithmeticOperation::ALL {
        add(kind.sign(), tally.arithmetic(kind));
    }
    for function in Unary::ALL {
        add(function.name(), tally.unary(function));
    }
    for function in Binary::ALL {
        add(function.name(), tally.binary(function));
    }
    add("select", tally.select);
    add("call", tally.call);
    Value::Object(object)
}

/// A number with its thousands apart.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

const HOW: &str = "\
Operations are + - * / of one evaluation, each counting one; a minus sign is
free. Functions (sin, cos, sqrt, if and so on) are counted apart. What depends
on parameters only is computed once, in setup. > marks the cheapest formalism.";

impl fmt::Display for CountTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = self.rows.iter().map(|row| row.function.chars().count()).max().unwrap_or(0);
        let wide = wide.max("function".len());
        let names = self.rows.iter().map(|row| row.formalism.name().len());
        let by = names.max().unwrap_or(0).max("formalism".len());
        let title = ["operations", "* /", "+ -", "functions", "setup"];
        let [total, mul, add, functions, setup] = title;
        writeln!(
            f,
            "{:<wide$}    {:<by$} {total:>10} {mul:>7} {add:>7} {functions:>9} {setup:>6}",
            "function", "formalism"
        )?;
        let mut before = "";
        for row in &self.rows {
            let CountRow { function, formalism, counts, cheapest, .. } = row;
            let body = &counts.body;
            let of = |kinds: [ArithmeticOperation; 2]| {
                thousands(kinds.iter().map(|&kind| body.arithmetic(kind)).sum())
            };
            let shown = if function == before { "" } else { function };
            writeln!(
                f,
                "{shown:<wide$}  {} {:<by$} {:>10} {:>7} {:>7} {:>9} {:>6}",
                if *cheapest { '>' } else { ' ' },
                formalism.name(),
                thousands(body.total()),
                of([ArithmeticOperation::Mul, ArithmeticOperation::Div]),
                of([ArithmeticOperation::Add, ArithmeticOperation::Sub]),
                thousands(calls(body)),
                thousands(counts.setup.operations()),
            )?;
            before = function;
        }
        for row in &self.rows {
            let iteration = row.counts.iteration.operations();
            if iteration > 0 {
                let (function, formalism) = (&row.function, row.formalism.name());
                let count = thousands(iteration);
                writeln!(f, "\n{function} ({formalism}) iterates: {count} more per iteration.")?;
            }
        }
        for row in self.rows.iter().filter(|row| !row.parts.is_empty()) {
            let (function, formalism) = (&row.function, row.formalism.name());
            writeln!(f, "\n{function} ({formalism}) part by part, each beyond those before it:")?;
            let iteration = &row.counts.iteration;
            if iteration.operations() > 0 {
                let (count, calls) = (thousands(iteration.total()), thousands(calls(iteration)));
                let about = "closing the loops, in each iteration";
                writeln!(f, "  {:<12} {count:>10} {calls:>9}  {about}", "positions")?;
            }
            for part in &row.parts {
                let (count, calls) = (thousands(part.operations), thousands(part.functions));
                let known = PARTS.iter().find(|(name, _)| *name == part.name);
                let about = known.map_or("", |(_, about)| about);
                writeln!(f, "  {:<12} {count:>10} {calls:>9}  {about}", part.name)?;
            }
        }
        if !self.refused.is_empty() {
            writeln!(f, "\nNot counted:")?;
            for Uncounted { function, formalism, problem } in &self.refused {
                let by = formalism.map_or(String::new(), |one| format!(" ({})", one.name()));
                writeln!(f, "  {function}{by}: {}", problem.message)?;
            }
        }
        writeln!(f, "\n{HOW}")
    }
}
