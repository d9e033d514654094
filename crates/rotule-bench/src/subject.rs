//! Our side of a comparison: programs of a model, the C that is written of them, and the numbers
//! that are expected.

use super::build::{Job, command};
use super::compiler::{Compiler, FLAGS};
use crate::{PackageWriter, Written};
use rotule_emit::{LANGUAGES, Size, emit};
use rotule_formalism::foreign::foreign;
use rotule_formalism::{ModelFunction, MultibodySystem, Problem};
use rotule_jit::Interpreted;
use rotule_jit::ProgramKernel as _;
use rotule_numeric::state::StateNumbers;
use rotule_program::{NoExternals, Program, ProgramCounts, ProgramOutput};
use std::time::Duration;

/// The prefix of functions and files of generated code.
const PREFIX: &str = "model";

/// The interface of every library.
pub const CONTENDER: &str = include_str!("drivers/contender.h");

/// Random states, the same on every machine.
#[derive(Clone, Debug)]
pub struct States {
    /// The states.
    pub list: Vec<StateNumbers>,
    /// Numbers of coordinates and speeds, and of states and inputs together.
    pub sizes: [usize; 3],
    /// Number of states of the model, which come before its inputs.
    pub states: usize,
}

/// Number of states that are taken in turn: enough that no branch predictor learns them, few enough
/// for the nearest cache.
const STATES: u64 = 64;

impl States {
    /// States of a model.
    pub fn random(tree: &MultibodySystem) -> States {
        let one = |seed: u64| {
            let mut state = StateNumbers::random(tree, seed);
            state.settle(tree);
            state
        };
        let mechanism = &tree.mechanism;
        States {
            list: (1..=STATES).map(one).collect(),
            sizes: [
                mechanism.coordinates.len(),
                mechanism.speeds.len(),
                mechanism.states.len() + mechanism.inputs.len(),
            ],
            states: mechanism.states.len(),
        }
    }

    /// The numbers in the order of `contender.h`.
    pub fn bytes(&self) -> Vec<u8> {
        let head = [self.list.len(), self.sizes[0], self.sizes[1], self.sizes[2]];
        let mut all: Vec<f64> = head.iter().map(|&size| size as f64).collect();
        for state in &self.list {
            all.push(state.t);
            let own = [&state.states, &state.inputs];
            for list in [&state.q, &state.qd].into_iter().chain(own) {
                all.extend(list);
            }
            all.extend(state.qdd.iter().chain(&state.effort));
        }
        all.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Where an argument begins among the numbers of a state, by its name in generated code.
    fn offset(&self, name: &str) -> Option<usize> {
        let [nq, nv, ns] = self.sizes;
        let starts = [
            ("t", 0),
            ("q", 1),
            ("qd", 1 + nq),
            ("state", 1 + nq + nv),
            ("input", 1 + nq + nv + self.states),
            ("qdd", 1 + nq + nv + ns),
            ("effort", 1 + nq + 2 * nv + ns),
        ];
        starts.iter().find(|(known, _)| *known == name).map(|(_, start)| *start)
    }

    fn stride(&self) -> usize {
        1 + self.sizes[0] + self.sizes[2] + 3 * self.sizes[1]
    }
}

/// The form of functions.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The form of isomorphic parts.
    pub size: Size,
    /// `true` if they are written for many states, too.
    pub batch: bool,
    /// `true` if only the stored entries of matrices are written.
    pub stored: bool,
}

/// Programs that give the results of a comparison, and the C of them.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The word that tells it apart from other ways; may be empty.
    pub word: String,
    /// The functions.
    pub label: String,
    /// The programs, run one after the other.
    pub programs: Vec<Program>,
    /// Operations of an evaluation; of iterations one each.
    pub operations: u64,
    /// Where each of the results, in whole matrices, is among the outputs of all programs; nowhere
    /// if it is zero.
    pub results: Vec<Option<usize>>,
    /// `true` if another subject has the same programs, written otherwise.
    pub again: bool,
    /// The C for single states.
    one: Option<Code>,
    /// The C for many states.
    many: Option<Code>,
}

impl Subject {
    /// Writes functions of a model. Without names of outputs all of them are results.
    pub fn new(
        (tree, writer): (&MultibodySystem, PackageWriter<'_>),
        word: &str,
        functions: &[&str],
        outputs: &[&str],
        Form { size, batch, stored }: Form,
    ) -> Result<Subject, Problem> {
        let mut made = writer(tree, &Written { functions, prefix: PREFIX, size, batch })?;
        let whole: Vec<ProgramOutput> =
            made.functions.iter().flat_map(|part| part.program.outputs()).cloned().collect();
        if stored {
            made = made.packed_storage();
        }
        for part in &made.functions {
            let function = ModelFunction::parse(&part.name, tree)?;
            if let Some(problem) = foreign(&tree.mechanism, &function, &part.program, &|_| false) {
                return Err(problem);
            }
        }
        let c = LANGUAGES.iter().find(|one| one.name == "c");
        let c = c.expect("C is in the table of languages");
        let files = emit(&made, c).or_else(|problem| {
            // What is too large for batches can still be measured alone.
            made.batch = false;
            if batch { emit(&made, c) } else { Err(problem) }
        });
        let files = files.map_err(|problem| Problem::new(problem.message, problem.help))?;
        let code = |name: String, lanes: usize| {
            let file = |end: &str| {
                let name = format!("{name}{end}");
                files.iter().find(|file| file.name == name).map(|file| file.text.clone())
            };
            Some(Code { header: file(".h")?, source: file(".c")?, lanes, name })
        };
        let one = code(PREFIX.to_owned(), 1);
        let many = code(format!("{PREFIX}_batch"), BATCH);
        let places = made.functions.iter().flat_map(|part| &part.outputs);
        let places: Vec<&[[u32; 2]]> = places.map(|meaning| meaning.places.as_slice()).collect();
        let results = chosen(&whole, &places, outputs)?;
        let programs: Vec<Program> = made.functions.into_iter().map(|part| part.program).collect();
        let operations = |program: &Program| {
            let counts = ProgramCounts::of(program);
            (counts.body + counts.iteration).operations()
        };
        Ok(Subject {
            word: word.to_owned(),
            label: functions.join(", "),
            operations: programs.iter().map(operations).sum(),
            results,
            programs,
            again: false,
            one,
            many,
        })
    }

    /// All forms of the functions: as they are written by default, and in all other ways that make
    /// a difference: with isomorphic parts written once, or straight on; and with the stored
    /// entries of matrices alone.
    pub fn all(
        model: (&MultibodySystem, PackageWriter<'_>),
        word: &str,
        functions: &[&str],
        outputs: &[&str],
        batch: bool,
    ) -> Result<Vec<Subject>, Problem> {
        let form = Form { size: Size::Auto, batch, stored: false };
        let first = Subject::new(model, word, functions, outputs, form)?;
        let mut subjects = vec![first];
        let alone = Form { batch: false, ..form };
        for (form, name) in [
            (Form { size: Size::Small, ..alone }, "small"),
            (Form { size: Size::Straight, ..alone }, "straight"),
            (Form { stored: true, ..form }, "stored"),
        ] {
            let word = if word.is_empty() { name.to_owned() } else { format!("{word}, {name}") };
            let other = Subject::new(model, &word, functions, outputs, form)?;
            if subjects.iter().all(|known| known.one != other.one) {
                subjects.push(Subject { again: !form.stored, ..other });
            }
        }
        Ok(subjects)
    }

    /// The results in whole matrices, from the outputs of all programs.
    pub fn whole(&self, outputs: &[f64]) -> impl Iterator<Item = f64> {
        self.results.iter().map(|place| place.map_or(0.0, |at| outputs[at]))
    }

    /// Number of values of the results.
    pub fn size(&self) -> usize {
        self.results.len()
    }

    /// The inputs of each program at each state.
    pub fn inputs(
        &self,
        tree: &MultibodySystem,
        states: &States,
    ) -> Result<Vec<Vec<Vec<f64>>>, Problem> {
        let mut all = vec![Vec::new(); self.programs.len()];
        for state in &states.list {
            let known = state.numbers(&tree.mechanism);
            for (program, list) in self.programs.iter().zip(&mut all) {
                let number = |name: &str| {
                    let missing = || Problem::new(format!("`{name}` has no value"), "");
                    known.get(name).copied().ok_or_else(missing)
                };
                let inputs: Result<Vec<f64>, Problem> =
                    program.inputs().iter().map(|input| number(&input.name)).collect();
                list.push(inputs?);
            }
        }
        Ok(all)
    }

    /// The interpreter's results for all states, one after the other.
    pub fn expected(&self, tree: &MultibodySystem, states: &States) -> Result<Vec<f64>, Problem> {
        let inputs = self.inputs(tree, states)?;
        let broken = |what: String| Problem::new(format!("`{}`: {what}", self.label), "");
        let mut kernels = Vec::new();
        for program in &self.programs {
            let made = Interpreted::new(program).map_err(|found| {
                broken(found.first().map(ToString::to_string).unwrap_or_default())
            })?;
            kernels.push(made);
        }
        let mut expected = Vec::new();
        for at in 0..states.list.len() {
            let mut outputs = Vec::new();
            for ((kernel, program), inputs) in kernels.iter_mut().zip(&self.programs).zip(&inputs) {
                let mut own = vec![0.0; program.output_len()];
                kernel
                    .setup(&inputs[at], &mut NoExternals)
                    .and_then(|()| kernel.evaluate(&inputs[at], &mut own, &mut NoExternals))
                    .map_err(|error| broken(error.to_string()))?;
                outputs.extend(own);
            }
            expected.extend(self.whole(&outputs));
        }
        Ok(expected)
    }

    /// The build of the C by a compiler, for single states or for many; none if that is not
    /// written.
    pub fn job(
        &self,
        compiler: &Compiler,
        states: &States,
        batch: bool,
    ) -> Result<Option<Job>, Problem> {
        let code = if batch { &self.many } else { &self.one };
        let Some(code) = code else { return Ok(None) };
        let flags = FLAGS.join(" ");
        let line = |words: String| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (c, name) = (compiler.c, &code.name);
        let mut files = vec![
            ("contender.h".to_owned(), CONTENDER.to_owned()),
            ("shim.c".to_owned(), self.shim(code, states)?),
        ];
        // The header of batches includes the other one.
        for code in self.one.iter().chain(&self.many) {
            files.push((format!("{}.h", code.name), code.header.clone()));
            files.push((format!("{}.c", code.name), code.source.clone()));
        }
        Ok(Some(Job {
            title: format!(
                "{}{}{}, {}",
                self.label,
                if self.again { format!(", {}", self.word) } else { String::new() },
                if batch { ", batch" } else { "" },
                compiler.name
            ),
            files,
            commands: vec![
                line(format!("{c} {flags} -w -fPIC -c {name}.c -o code.o")),
                line(format!("{c} -O2 -w -fPIC -c shim.c -o shim.o")),
                command(&[c, "-shared", "-o", "contender.so", "code.o", "shim.o", "-lm"]),
            ],
            origin: compiler.version.clone(),
            limit: LIMIT,
        }))
    }

    /// The functions behind `contender.h`. Number `i` of state `s` of a pack lies at `i*lanes + s`.
    fn shim(&self, code: &Code, states: &States) -> Result<String, Problem> {
        let lanes = code.lanes;
        let calls = self.calls(code, states)?;
        let (stride, count) = (states.stride(), states.list.len());
        let packs = count / lanes;
        let total: usize = self.programs.iter().map(Program::output_len).sum();
        let many = self.results.len();
        let mut places: Vec<String> = self
            .results
            .iter()
            .map(|place| place.map_or("-1".to_owned(), |at| at.to_string()))
            .collect();
        // An array has one element at least.
        places.push("-1".to_owned());
        let places = places.join(",");
        let copies = format!(
            "    for (int i = 0; i < {many}; i++)\n        out[i] = places[i] < 0 ? 0.0 : results[places[i] * {lanes}L + lane];\n"
        );
        let name = &code.name;
        Ok(format!(
            "#include \"contender.h\"\n#include \"{name}.h\"\n\n\
             static double numbers[{stride}L * {lanes} * {packs}];\n\
             static double results[{total}L * {lanes} + 1];\n\
             static const int places[] = {{{places}}};\n\n\
             CONTENDER int contender_open(const char *function, const char *model, const struct states *all, const char **why)\n{{\n\
             \x20   (void)function, (void)model;\n\
             \x20   *why = \"the states are not those of this model\";\n\
             \x20   if (states_stride(all) != {stride} || all->count != {count})\n        return 0;\n\
             \x20   for (long at = 0; at < {lanes}L * {packs}; at++)\n\
             \x20       for (long i = 0; i < {stride}; i++)\n\
             \x20           numbers[(at / {lanes} * {stride} + i) * {lanes} + at % {lanes}] = all->numbers[at * {stride} + i];\n\
             \x20   return {lanes};\n}}\n\n\
             CONTENDER void contender_run(int pack)\n{{\n\
             \x20   const double *at = numbers + {stride}L * {lanes} * pack;\n{calls}}}\n\n\
             CONTENDER void contender_read(int pack, int lane, double *out)\n{{\n\
             \x20   (void)pack;\n{copies}}}\n"
        ))
    }

    /// Calls of all functions, as the header declares them: arguments by their names, outputs in
    /// turn.
    fn calls(&self, code: &Code, states: &States) -> Result<String, Problem> {
        let mut text = String::new();
        let mut lengths = self.programs.iter().flat_map(|program| {
            program.outputs().iter().map(|output| output.rows as usize * output.columns as usize)
        });
        let (mut at, lanes) = (0, code.lanes);
        for (name, arguments) in declarations(&code.header) {
            let mut words = Vec::new();
            for argument in arguments {
                if argument.output {
                    words.push(format!("results + {at}L * {lanes}"));
                    at += lengths.next().unwrap_or(0);
                    continue;
                }
                if argument.number && argument.name == "count" {
                    words.push(lanes.to_string());
                    continue;
                }
                let Some(offset) = states.offset(&argument.name) else {
                    let message = format!("`{name}` takes `{}`, which has no value", argument.name);
                    return Err(Problem::new(message, ""));
                };
                let star = if argument.number { "*" } else { "" };
                words.push(format!("{star}(at + {offset}L * {lanes})"));
            }
            text += &format!("    {name}({});\n", words.join(", "));
        }
        Ok(text)
    }
}

/// Generated C of some functions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Code {
    /// The name of its files.
    name: String,
    header: String,
    source: String,
    /// Number of states that a call treats.
    lanes: usize,
}

/// States of a call in a batch: packs of any width go into it, and all of it stays in the nearest
/// cache.
const BATCH: usize = 16;

/// Compilers may take this long for our code.
pub const LIMIT: Duration = Duration::from_secs(600);

/// Where the entries of outputs of these names, in whole matrices, are among those of all programs;
/// nowhere if they are zero. `stored` has the places of those outputs that are lists of stored
/// entries.
fn chosen(
    whole: &[ProgramOutput],
    stored: &[&[[u32; 2]]],
    names: &[&str],
) -> Result<Vec<Option<usize>>, Problem> {
    let mut all = Vec::new();
    let mut at = 0;
    for (output, stored) in whole.iter().zip(stored) {
        let (rows, columns) = (output.rows as usize, output.columns as usize);
        let mut places = vec![None; rows * columns];
        if stored.is_empty() {
            places.iter_mut().for_each(|place| {
                *place = Some(at);
                at += 1;
            });
        }
        for place in *stored {
            let [row, column] = place.map(|one| one as usize);
            places[row * columns + column] = Some(at);
            if output.symmetric {
                places[column * columns + row] = Some(at);
            }
            at += 1;
        }
        all.push((output.name.as_str(), places));
    }
    if names.is_empty() {
        return Ok(all.into_iter().flat_map(|(_, places)| places).collect());
    }
    let mut found = Vec::new();
    for name in names {
        let known = all.iter().find(|(known, _)| known == name);
        let missing = || Problem::new(format!("there is no output `{name}`"), "");
        found.extend(known.ok_or_else(missing)?.1.iter().copied());
    }
    Ok(found)
}

/// An argument of a generated function.
#[derive(Debug, PartialEq, Eq)]
struct Declared {
    name: String,
    output: bool,
    /// A plain number, not an array.
    number: bool,
}

/// The functions that a generated header declares.
fn declarations(header: &str) -> Vec<(String, Vec<Declared>)> {
    let mut found = Vec::new();
    // What follows the end of a remark and comes before the beginning of the next.
    let plain = |fragment: &str| fragment.split("/*").next().unwrap_or_default().to_owned();
    let code: String = header.split("*/").map(plain).collect();
    // Declarations are the only statements that end with a bracket.
    for statement in code.split(';') {
        let Some((before, list)) = statement.trim_end().strip_suffix(')').and_then(|text| {
            let start = text.rfind('(')?;
            Some((&text[..start], &text[start + 1..]))
        }) else {
            continue;
        };
        let name = before.rsplit([' ', '\n', '*']).next().unwrap_or_default();
        let argument = |text: &str| {
            let text = text.trim();
            let array = text.contains('[') || text.contains('*');
            let input = text.starts_with("const ") || !array;
            let plain = text.split('[').next().unwrap_or_default();
            let name = plain.rsplit([' ', '*']).next().unwrap_or_default();
            Declared { name: name.to_owned(), output: !input, number: !array }
        };
        found.push((name.to_owned(), list.split(',').map(argument).collect()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_read() {
        let header = "/* a remark (with; signs (x); */\n#define N 6\nvoid m_inverse(const double q[6], double t,\n        double effort[6]);\n\nint m_energy(const double q[6], double *energy);\n#endif\n";
        let found = declarations(header);
        let words: Vec<String> = found
            .iter()
            .map(|(name, list)| {
                let list: Vec<String> = list
                    .iter()
                    .map(|one| {
                        format!(
                            "{}{}{}",
                            one.name,
                            if one.output { "!" } else { "" },
                            if one.number { "." } else { "" }
                        )
                    })
                    .collect();
                format!("{name}: {}", list.join(" "))
            })
            .collect();
        assert_eq!(words, ["m_inverse: q t. effort!", "m_energy: q energy!"]);
    }
}
