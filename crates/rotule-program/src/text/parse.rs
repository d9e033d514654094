//! The reader of the text form: one pass over the lines, linear in the length of the text.
//!
//! What the text can show wrong (a word, an unknown name, a value used before its definition) is
//! refused where it stands. All else is left to the verifier, and its first problem is reported at
//! the line that defines the offending thing, so that a program that was read is a valid one.

use super::cursor::{Cursor, Parsed, pair, unexpected};
use super::error::{ParseProblem, ProgramParseError};
use super::lex::{self, Lexer, Token};
use super::meaning::{Meaning, Numbers};
use crate::error::Site;
use crate::index::{FunctionId, RegionId, Value};
use crate::limits;
use crate::mark::{Mark, Tag, TagKind};
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::{Block, Entry, ForeignSignature, Partner, Program, ProgramOutput, RegionRole};
use crate::verify::verify;
use rotule_symbolic::{Binary, Kind, Unary};
use std::collections::HashMap;
use std::str::FromStr;

/// The role of a region.
fn role(cursor: &mut Cursor<'_>) -> Parsed<RegionRole> {
    let found = cursor.next()?;
    let known = |role: &RegionRole| found == Token::Word(role.word());
    match RegionRole::ALL.into_iter().find(known) {
        Some(role) => Ok(role),
        None => unexpected(&found, "`loop_closure`, `contact` or `unknowns`"),
    }
}

/// Reads a program; the result has passed the verifier.
pub fn parse(text: &str) -> Result<Program, ProgramParseError> {
    let start =
        ProgramParseError { line: 1, column: 1, problem: ParseProblem::TextTooLong(text.len()) };
    if text.len() > limits::TEXT_BYTES {
        return Err(start);
    }
    let mut reader = Reader::new();
    let mut lines = 0;
    for (k, line) in text.split('\n').enumerate() {
        lines = k + 1;
        reader.line = lines;
        let mut cursor = Cursor { lexer: Lexer::new(line), start: 0 };
        if let Err(problem) = reader.line(&mut cursor) {
            // Characters are counted only here, so that reading stays linear.
            let column = line[..cursor.start].chars().count() + 1;
            return Err(ProgramParseError { line: lines, column, problem });
        }
    }
    let at = |line, problem| ProgramParseError { line, column: 1, problem };
    reader.finish().map_err(|problem| at(lines, problem))?;
    if let Err(problems) = verify(&reader.program)
        && let Some(problem) = problems.into_iter().next()
    {
        return Err(at(reader.line_of(problem.site()), ParseProblem::Invalid(problem)));
    }
    Ok(reader.program)
}

impl FromStr for Program {
    type Err = ProgramParseError;

    fn from_str(text: &str) -> Result<Program, ProgramParseError> {
        parse(text)
    }
}

/// The part of the text that the reader is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Start,
    Declarations,
    Stage(Block),
    Outputs,
    Marks,
}

/// A region whose `end` has not come yet.
struct Open {
    region: RegionId,
    number: u64,
    name: Option<String>,
    line: u32,
    next: Option<Vec<Value>>,
    residuals: Option<Vec<Value>>,
    exports: Option<Vec<Value>>,
}

struct Reader {
    program: Program,
    section: Section,
    line: usize,
    open: Vec<Open>,
    ended: Vec<bool>,
    // The text chooses these keys, hence seeded hashing; none of the maps is ever iterated.
    inputs: HashMap<String, Value>,
    functions: HashMap<String, FunctionId>,
    outputs: HashMap<String, ()>,
    values: Numbers,
    // The lines at which things are defined, for problems that the verifier finds.
    value_lines: Vec<u32>,
    region_lines: Vec<u32>,
    output_lines: Vec<u32>,
    mark_lines: Vec<u32>,
    function_lines: Vec<u32>,
}

impl Reader {
    fn new() -> Reader {
        Reader {
            program: Program::new(""),
            section: Section::Start,
            line: 0,
            open: Vec::new(),
            ended: Vec::new(),
            inputs: HashMap::new(),
            functions: HashMap::new(),
            outputs: HashMap::new(),
            values: Numbers::default(),
            value_lines: Vec::new(),
            region_lines: Vec::new(),
            output_lines: Vec::new(),
            mark_lines: Vec::new(),
            function_lines: Vec::new(),
        }
    }

    fn line_of(&self, site: Site) -> usize {
        let line = match site {
            Site::Value(value) => self.value_lines.get(value.index()),
            Site::Region(region) => self.region_lines.get(region.index()),
            Site::Output(output) => self.output_lines.get(output.index()),
            Site::Mark(mark) => self.mark_lines.get(mark.index()),
            Site::Function(function) => self.function_lines.get(function.index()),
            Site::Input(_) | Site::Program => None,
        };
        line.map_or(1, |&line| (line as usize).max(1))
    }

    fn line(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let first = cursor.next()?;
        if first == Token::End {
            return Ok(());
        }
        if !self.open.is_empty() {
            return self.region_line(first, cursor);
        }
        match self.section {
            Section::Start => match first {
                Token::Word("program") => {
                    let name = cursor.name()?;
                    self.program.rename(name);
                    self.section = Section::Declarations;
                    cursor.end()
                }
                found => unexpected(&found, "`program`"),
            },
            Section::Declarations => match first {
                Token::Word("input") => self.input(cursor),
                Token::Word("function") => self.function(cursor),
                found => {
                    let expected =
                        "`input`, `function`, `setup`, `shared`, `body`, `output` or `mark`";
                    self.title(&found, cursor, expected)
                }
            },
            Section::Stage(stage) => match first {
                Token::Value(number) => self.statement(number, stage, cursor),
                found => {
                    let expected = match stage {
                        Block::Setup => "a statement, `shared`, `body`, `output` or `mark`",
                        Block::Shared => "a statement, `body`, `output` or `mark`",
                        _ => "a statement, `output` or `mark`",
                    };
                    self.title(&found, cursor, expected)
                }
            },
            Section::Outputs => match first {
                Token::Sign('(') => self.entry(cursor),
                found => self.title(&found, cursor, "`(`, `output` or `mark`"),
            },
            Section::Marks => match first {
                Token::Word("mark") => self.mark(cursor),
                found => unexpected(&found, "`mark`"),
            },
        }
    }

    /// A line that opens a section which may still come.
    fn title(
        &mut self,
        found: &Token<'_>,
        cursor: &mut Cursor<'_>,
        expected: &'static str,
    ) -> Parsed<()> {
        self.section = match (found, self.section) {
            (Token::Word("output"), _) => {
                self.section = Section::Outputs;
                return self.output(cursor);
            }
            (Token::Word("mark"), _) => {
                self.section = Section::Marks;
                return self.mark(cursor);
            }
            _ => match self.stage_named(found) {
                Some(stage) => Section::Stage(stage),
                None => return unexpected(found, expected),
            },
        };
        cursor.end()
    }

    /// The stage of a title, unless it or a later one has been there.
    fn stage_named(&self, found: &Token<'_>) -> Option<Block> {
        let Token::Word(word) = *found else { return None };
        let read = match self.section {
            Section::Declarations => 0,
            Section::Stage(stage) => Block::STAGES.iter().position(|&it| it == stage)? + 1,
            _ => return None,
        };
        Block::STAGES[read..].iter().copied().find(|stage| stage.title() == word)
    }

    fn finish(&self) -> Parsed<()> {
        let end = |expected| {
            Err(ParseProblem::Unexpected { found: "the end of the text".into(), expected })
        };
        if self.section == Section::Start {
            return end("`program`");
        }
        if self.open.is_empty() { Ok(()) } else { end("`end`") }
    }

    fn input(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let name = cursor.name()?;
        if self.inputs.contains_key(&name) {
            return Err(ParseProblem::SameName { what: "input", name });
        }
        let expected = "parameter, time, coordinate, velocity, acceleration, effort or external";
        let kind = match cursor.next()? {
            Token::Word(word) => match Kind::from_name(word) {
                Some(kind) => kind,
                None => return unexpected(&Token::Word(word), expected),
            },
            found => return unexpected(&found, expected),
        };
        let value = self.program.input(name.clone(), kind);
        self.inputs.insert(name, value);
        cursor.end()
    }

    fn function(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let name = cursor.name()?;
        if self.functions.contains_key(&name) {
            return Err(ParseProblem::SameName { what: "function", name });
        }
        cursor.sign('(', "`(`")?;
        let arguments = cursor.whole(limits::FUNCTION_WIDTH)?;
        cursor.sign(')', "`)`")?;
        match cursor.next()? {
            Token::Arrow => {}
            found => return unexpected(&found, "`->`"),
        }
        let results = cursor.whole(limits::FUNCTION_WIDTH)?;
        let mut derivative_of = None;
        if !cursor.at_end() {
            cursor.word("derivative", "`derivative` or the end of the line")?;
            cursor.word("of", "`of`")?;
            let of = self.function_name(cursor)?;
            cursor.word("along", "`along`")?;
            let directions = cursor.whole(limits::FUNCTION_WIDTH)?;
            derivative_of = Some(Partner { of, directions });
        }
        let function = ForeignSignature { name: name.clone(), arguments, results, derivative_of };
        let id = self.program.function(function);
        self.functions.insert(name, id);
        self.function_lines.push(self.line as u32);
        cursor.end()
    }

    fn function_name(&mut self, cursor: &mut Cursor<'_>) -> Parsed<FunctionId> {
        let name = cursor.name()?;
        let id = self.functions.get(&name).copied();
        id.ok_or_else(|| ParseProblem::UnknownFunction(lex::shorten(&name).into()))
    }

    fn output(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let name = cursor.name()?;
        if self.outputs.insert(name.clone(), ()).is_some() {
            return Err(ParseProblem::SameName { what: "output", name });
        }
        cursor.sign('(', "`(`")?;
        let (rows, columns) = pair(cursor, 1)?;
        let symmetric = !cursor.at_end();
        if symmetric {
            cursor.word("symmetric", "`symmetric` or the end of the line")?;
        }
        self.program.output(ProgramOutput { name, rows, columns, symmetric, entries: Vec::new() });
        self.output_lines.push(self.line as u32);
        cursor.end()
    }

    fn entry(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let (row, column) = pair(cursor, 0)?;
        cursor.sign('=', "`=`")?;
        let value = self.operand(cursor)?;
        if let Some(output) = self.program.outputs.last_mut() {
            output.entries.push(Entry { row, column, value });
        }
        cursor.end()
    }

    fn mark(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let expected = "branch, block or section";
        let kind = match cursor.next()? {
            Token::Word(word) => match TagKind::from_name(word) {
                Some(kind) => kind,
                None => return unexpected(&Token::Word(word), expected),
            },
            found => return unexpected(&found, expected),
        };
        let tag = Tag::new(kind, cursor.name()?);
        let mut values = Vec::new();
        while !cursor.at_end() {
            match cursor.next()? {
                // Nothing reads the value, so that its region may have ended.
                Token::Value(number) => match self.values.get(number) {
                    Some(Meaning::Value(value, _)) => values.push(value),
                    _ => return Err(ParseProblem::UnknownValue(number)),
                },
                found => return unexpected(&found, "`%` and a number"),
            }
        }
        // As it stands: what is wrong with it, the verifier reports.
        self.program.marks.push(Mark { tag, values });
        self.mark_lines.push(self.line as u32);
        Ok(())
    }

    fn region_line(&mut self, first: Token<'_>, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let Some(open) = self.open.last() else { return Ok(()) };
        let exported = open.exports.is_some();
        let filled = open.next.is_some() || open.residuals.is_some() || exported;
        let region = open.region;
        let fresh = self.program.get_region(region).block.is_empty();
        match first {
            Token::Word("state") if fresh && !filled => {
                let number = match cursor.next()? {
                    Token::Value(number) => number,
                    found => return unexpected(&found, "`%` and a number"),
                };
                let name = self.define(number, cursor)?;
                let initial = self.operand(cursor)?;
                let k = self.program.get_region(region).states.len();
                let state = self.program.make(Operation::State(region, k as u32));
                let inside = &mut self.program.regions[region.index()];
                inside.states.push(state);
                inside.initial.push(initial);
                self.defined(number, name, state, Some(region))?;
                cursor.end()
            }
            Token::Value(number) if !filled => {
                self.statement(number, Block::Region(region), cursor)
            }
            Token::Word("next") if !filled => {
                let values = self.operands(cursor)?;
                self.innermost().next = Some(values);
                Ok(())
            }
            Token::Word("residual") if self.innermost().residuals.is_none() && !exported => {
                let values = self.operands(cursor)?;
                self.innermost().residuals = Some(values);
                Ok(())
            }
            Token::Word("export") if !exported => {
                let values = self.operands(cursor)?;
                self.innermost().exports = Some(values);
                Ok(())
            }
            Token::Word("end") => {
                cursor.end()?;
                self.close()
            }
            found if fresh && !filled => {
                unexpected(&found, "`state`, a statement, `next`, `residual`, `export` or `end`")
            }
            found if !filled => {
                unexpected(&found, "a statement, `next`, `residual`, `export` or `end`")
            }
            found if exported => unexpected(&found, "`end`"),
            found => unexpected(&found, "`residual`, `export` or `end`"),
        }
    }

    /// The innermost open region.
    fn innermost(&mut self) -> &mut Open {
        self.open.last_mut().expect("lines of a region are read only while one is open")
    }

    fn close(&mut self) -> Parsed<()> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let around = self.open.last().map(|open| open.region);
        let block = match around {
            Some(region) => Block::Region(region),
            None => match self.section {
                Section::Stage(stage) => stage,
                _ => Block::Body,
            },
        };
        let next = open.next.unwrap_or_default();
        let residuals = open.residuals.unwrap_or_default();
        let value = self.program.close(block, open.region, &next, &residuals);
        for value in open.exports.unwrap_or_default() {
            self.program.export(open.region, value);
        }
        self.ended[open.region.index()] = true;
        self.defined(open.number, open.name, value, around)?;
        self.value_lines[value.index()] = open.line;
        Ok(())
    }

    /// Reads what stands between the number of a new value and its operation.
    fn define(&mut self, number: u64, cursor: &mut Cursor<'_>) -> Parsed<Option<String>> {
        if self.values.get(number).is_some() {
            return Err(ParseProblem::DefinedTwice(number));
        }
        match cursor.next()? {
            Token::Sign('=') => Ok(None),
            Token::Word(name) => {
                cursor.sign('=', "`=`")?;
                Ok(Some(name.into()))
            }
            Token::Quoted(name) => {
                cursor.sign('=', "`=`")?;
                Ok(Some(name))
            }
            found => unexpected(&found, "a name or `=`"),
        }
    }

    /// Notes what a number stands for from here on.
    fn defined(
        &mut self,
        number: u64,
        name: Option<String>,
        value: Value,
        inside: Option<RegionId>,
    ) -> Parsed<()> {
        self.values.set(number, Meaning::Value(value, inside));
        if let Some(name) = name {
            self.program.set_name(value, name);
        }
        if self.program.len() > limits::VALUES {
            return Err(ParseProblem::TooManyValues);
        }
        self.value_lines.resize(self.program.len(), 0);
        self.value_lines[value.index()] = self.line as u32;
        Ok(())
    }

    fn statement(&mut self, number: u64, block: Block, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let name = self.define(number, cursor)?;
        let word = match cursor.next()? {
            Token::Word(word) => word,
            found => return unexpected(&found, "an operation"),
        };
        let operation = match word {
            "neg" => Operation::Neg(self.operand(cursor)?),
            "select" => self.select(cursor)?,
            "result" => {
                let of = self.tuple(cursor)?;
                Operation::Result { of, index: cursor.whole(limits::FUNCTION_WIDTH + 2)? }
            }
            "call" => {
                let function = self.function_name(cursor)?;
                let arguments = self.operands(cursor)?;
                Operation::Call { function, arguments: self.program.pool(&arguments) }
            }
            "region" => return self.open(number, name, cursor),
            _ => {
                if let Some(arithmetic) = ArithmeticOperation::from_name(word) {
                    let left = self.operand(cursor)?;
                    Operation::Arithmetic(arithmetic, left, self.operand(cursor)?)
                } else if let Some(function) = Unary::from_name(word) {
                    Operation::Unary(function, self.operand(cursor)?)
                } else if let Some(function) = Binary::from_name(word) {
                    let first = self.operand(cursor)?;
                    Operation::Binary(function, first, self.operand(cursor)?)
                } else {
                    return Err(ParseProblem::UnknownOperation(lex::shorten(word).into()));
                }
            }
        };
        cursor.end()?;
        let value = self.program.push(block, operation);
        self.defined(number, name, value, self.open.last().map(|open| open.region))
    }

    fn select(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Operation> {
        let left = self.operand(cursor)?;
        let compare = match cursor.next()? {
            Token::Compare(compare) => compare,
            found => return unexpected(&found, "`<`, `<=`, `==` or `!=`"),
        };
        let right = self.operand(cursor)?;
        cursor.word("then", "`then`")?;
        let then = self.operand(cursor)?;
        cursor.word("else", "`else`")?;
        let otherwise = self.operand(cursor)?;
        Ok(Operation::Select { compare, left, right, then, otherwise })
    }

    fn open(&mut self, number: u64, given: Option<String>, cursor: &mut Cursor<'_>) -> Parsed<()> {
        if self.open.len() == limits::REGION_DEPTH {
            return Err(ParseProblem::TooDeep);
        }
        let name = cursor.name()?;
        let role = match cursor.next()? {
            Token::Word("limit") => RegionRole::Unknowns,
            Token::Word("role") => {
                let role = role(cursor)?;
                cursor.word("limit", "`limit`")?;
                role
            }
            found => return unexpected(&found, "`role` or `limit`"),
        };
        let limit = cursor.whole(limits::REGION_ITERATIONS)?;
        cursor.word("tolerance", "`tolerance`")?;
        let tolerance = self.operand(cursor)?;
        cursor.end()?;
        let region = self.program.region(role, name, &[], tolerance, limit);
        self.ended.push(false);
        self.region_lines.push(self.line as u32);
        self.values.set(number, Meaning::Pending);
        let line = self.line as u32;
        let (next, residuals, exports) = (None, None, None);
        self.open.push(Open { region, number, name: given, line, next, residuals, exports });
        Ok(())
    }

    /// A number: a value, an input or a constant.
    fn operand(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Value> {
        match cursor.next()? {
            Token::Value(number) => {
                let value = self.visible(number)?;
                if self.program.operation(value).is_tuple() {
                    return Err(ParseProblem::NotANumber(number));
                }
                Ok(value)
            }
            Token::Word(name) => self.input_named(name),
            Token::Quoted(name) => self.input_named(&name),
            Token::Number(text) => {
                let number = lex::double(text)?;
                Ok(self.program.constant(number))
            }
            found => unexpected(&found, "a value, an input or a number"),
        }
    }

    /// A call or a region.
    fn tuple(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Value> {
        let value = match cursor.next()? {
            Token::Value(number) => self.visible(number)?,
            Token::Word(_) | Token::Number(_) => return Err(ParseProblem::NotATuple),
            found => return unexpected(&found, "a call or a region"),
        };
        let tuple = self.program.operation(value).is_tuple();
        if tuple { Ok(value) } else { Err(ParseProblem::NotATuple) }
    }

    fn visible(&self, number: u64) -> Parsed<Value> {
        match self.values.get(number) {
            Some(Meaning::Value(value, region)) => match region {
                Some(region) if self.ended[region.index()] => Err(ParseProblem::Ended(number)),
                _ => Ok(value),
            },
            Some(Meaning::Pending) | None => Err(ParseProblem::UnknownValue(number)),
        }
    }

    fn input_named(&self, name: &str) -> Parsed<Value> {
        let Some(&value) = self.inputs.get(name) else {
            return Err(ParseProblem::UnknownInput(lex::shorten(name).into()));
        };
        if let Section::Stage(stage) = self.section
            && let Operation::Input(input) = self.program.operation(value)
        {
            let kind = self.program.inputs[input.index()].kind;
            if !stage.may_read(kind) {
                let (name, stage) = (name.into(), stage.title());
                return Err(ParseProblem::NotOfStage { name, kind, stage });
            }
        }
        Ok(value)
    }

    /// Operands up to the end of the line.
    fn operands(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Vec<Value>> {
        let mut values = Vec::new();
        while !cursor.at_end() {
            values.push(self.operand(cursor)?);
        }
        Ok(values)
    }
}
