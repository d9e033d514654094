//! Infix text to syntax tree, by operator precedence.
//!
//! The language, loosest binding first:
//!
//! ```text
//! condition or condition      also ||        conditions stand only in if(…) and parentheses
//! condition and condition     also &&
//! not condition               also !
//! a < b   <= > >= == !=       not chained
//! a + b   a - b
//! a * b   a / b               from the left: a/b/c is (a/b)/c
//! -a  +a                      looser than a power: -x^2 is -(x^2)
//! a ^ b                       also **; from the right, and the exponent may have a sign: 2^-3
//! (a)  12  0.5  1e-3  pi  name  omega[3].x  M[1,2]
//! sin(a)  min(a, b, …)  if(condition, a, b)  external(a, b)  external(a, b)[2]
//! ```
//!
//! Integers are exact; a point or an exponent makes a real. `f(x)[2]` is the second result of an
//! external function with several. `ln`, `arcsin`, `arccos`, `arctan` and `arctan2` are other names
//! of `log`, `asin`, `acos`, `atan` and `atan2`. `floor` is a function only where it is called:
//! bodies and events may have this name.
//!
//! Any text, however hostile, ends in a tree or a message in time linear in its length. Nothing
//! recurses: what is open waits in a list of frames, and its depth and all sizes are limited.

mod error;
mod token;

use std::ops::Range;

pub use error::{ParseError, nearest};
pub use token::is_name;

use crate::function::{Binary, Compare, Unary};
use crate::syntax::{Operand, Syntax, SyntaxId, SyntaxNode};
use token::{Lexer, Token};

/// The longest text that is read, in bytes.
pub const MAX_TEXT: usize = 16 << 20;
/// The deepest nesting of parentheses, arguments, exponents and negated conditions.
pub const MAX_DEPTH: usize = 200;
/// The longest literal, in characters: more digits than any real can tell apart.
pub const MAX_DIGITS: usize = 1000;
/// The longest name, in bytes.
pub const MAX_NAME: usize = 1000;
/// The most nodes of one syntax tree.
pub const MAX_NODES: usize = 1 << 22;
/// The largest magnitude of a constant exponent.
pub const MAX_EXPONENT: i32 = 1_000_000;

type Parsed<T> = Result<T, ParseError>;

/// Reads an expression.
pub fn parse(text: &str) -> Result<Syntax, ParseError> {
    if text.len() > MAX_TEXT {
        let message = format!("this text has {} bytes; at most {MAX_TEXT} are read", text.len());
        return Err(ParseError::new(0..0, message));
    }
    let mut lexer = Lexer::new(text);
    let (token, span) = lexer.next()?;
    if token == Token::End {
        return Err(ParseError::new(0..0, "expected an expression, found an empty text"));
    }
    let mut parser = Parser {
        lexer,
        token,
        span,
        last_end: 0,
        depth: 0,
        frames: Vec::new(),
        pending: Vec::new(),
        tree: Syntax::default(),
    };
    let root = parser.run()?;
    parser.want(root, false)?;
    Ok(parser.tree)
}

// Binding levels, loosest first.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARE: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const SIGN: u8 = 7;
const POWER: u8 = 8;

/// The level at which a token continues an expression, and whether it inverts what follows.
fn infix(token: Token) -> Option<(u8, bool)> {
    match token {
        Token::Or => Some((OR, false)),
        Token::And => Some((AND, false)),
        Token::Compare(..) => Some((COMPARE, false)),
        Token::Plus => Some((SUM, false)),
        Token::Minus => Some((SUM, true)),
        Token::Star => Some((PRODUCT, false)),
        Token::Slash => Some((PRODUCT, true)),
        Token::Caret => Some((POWER, false)),
        _ => None,
    }
}

/// Something begun that waits for an operand.
enum Frame {
    /// A sum, product, `and` or `or`; its operands so far are pending from `start`.
    Chain { level: u8, start: usize, inverse: bool },
    /// A base that waits for its exponent.
    Power { base: SyntaxId },
    /// A left side that waits for its right.
    Compare { left: SyntaxId, compare: Compare, exchanged: bool },
    /// Signs that began at `start`; an odd number of minuses negates.
    Sign { start: usize, odd: bool },
    /// As signs, for `not`.
    Not { start: usize, odd: bool },
    /// An open parenthesis.
    Group { open: Range<usize> },
    /// A function whose arguments so far are pending from `start`.
    Call { name: Range<usize>, open: Range<usize>, start: usize },
}

impl Frame {
    /// The binding strength of the frame to the operand on its right; zero if only a bracket ends
    /// it.
    fn level(&self) -> u8 {
        match self {
            Frame::Chain { level, .. } => *level,
            Frame::Power { .. } => POWER,
            Frame::Compare { .. } => COMPARE,
            Frame::Sign { .. } => SIGN,
            Frame::Not { .. } => NOT,
            Frame::Group { .. } | Frame::Call { .. } => 0,
        }
    }

    /// Returns `true` if the frame is a step of nesting.
    fn nests(&self) -> bool {
        !matches!(self, Frame::Chain { .. } | Frame::Compare { .. } | Frame::Sign { .. })
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The token to be read next and its place.
    token: Token,
    span: Range<usize>,
    /// Where the token before ended.
    last_end: usize,
    depth: usize,
    /// Open frames, innermost last: the recursion, kept off the thread's stack.
    frames: Vec<Frame>,
    /// Operands of the open lists, innermost last.
    pending: Vec<Operand>,
    tree: Syntax,
}

impl Parser<'_> {
    fn advance(&mut self) -> Parsed<()> {
        self.last_end = self.span.end;
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    fn push(&mut self, item: SyntaxNode, span: Range<usize>) -> Parsed<SyntaxId> {
        if self.tree.len() >= MAX_NODES {
            let message = format!("this expression has more than {MAX_NODES} parts");
            return Err(ParseError::new(span, message).with_help("split it into several"));
        }
        Ok(self.tree.push(item, span))
    }

    fn open(&mut self, frame: Frame) -> Parsed<()> {
        if frame.nests() {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                let message = format!("this expression is nested more than {MAX_DEPTH} deep");
                return Err(self.here(message));
            }
        }
        self.frames.push(frame);
        Ok(())
    }

    fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.depth -= usize::from(frame.nests());
        Some(frame)
    }

    /// The whole text: operands and operators in turn.
    fn run(&mut self) -> Parsed<SyntaxId> {
        loop {
            let Some(mut left) = self.operand()? else { continue };
            loop {
                if infix(self.token).is_some() {
                    self.operator(left)?;
                    break;
                }
                left = self.reduce(left, 0)?;
                match self.pop() {
                    None => return self.end(left),
                    Some(Frame::Call { name, open, start }) => {
                        self.argument(left, &name, start)?;
                        if self.token == Token::Comma {
                            self.advance()?;
                            self.open(Frame::Call { name, open, start })?;
                            break;
                        }
                        self.close(&open, "an operator, `,` or `)`")?;
                        left = self.call(name, start)?;
                    }
                    Some(Frame::Group { open }) => {
                        self.close(&open, "an operator or `)`")?;
                        self.tree.widen(left, open.start..self.last_end);
                    }
                    // Reduction leaves brackets only.
                    Some(_) => unreachable!("an operator outlived its reduction"),
                }
            }
        }
    }

    /// Reads up to and with the next operand; none if a sign or bracket opened before it.
    fn operand(&mut self) -> Parsed<Option<SyntaxId>> {
        let span = self.span.clone();
        let mut odd = false;
        match self.token {
            Token::Plus | Token::Minus => {
                while let Token::Plus | Token::Minus = self.token {
                    odd ^= self.token == Token::Minus;
                    self.advance()?;
                }
                self.open(Frame::Sign { start: span.start, odd })?;
            }
            Token::Not => {
                while self.token == Token::Not {
                    odd = !odd;
                    self.advance()?;
                }
                self.open(Frame::Not { start: span.start, odd })?;
            }
            Token::Open => {
                self.open(Frame::Group { open: span })?;
                self.advance()?;
            }
            Token::Number(number) => {
                self.advance()?;
                return self.push(SyntaxNode::Number(number), span).map(Some);
            }
            Token::Name => {
                self.advance()?;
                if self.token != Token::Open {
                    return self.name(span).map(Some);
                }
                let (open, start) = (self.span.clone(), self.pending.len());
                self.open(Frame::Call { name: span.clone(), open, start })?;
                self.advance()?;
                if self.token == Token::Close {
                    self.pop();
                    self.advance()?;
                    return self.call(span, start).map(Some);
                }
            }
            _ => {
                let found = self.found();
                return Err(self.here(format!("expected a number, a name or `(`, found {found}")));
            }
        }
        Ok(None)
    }

    /// Reads the operator behind `left`.
    fn operator(&mut self, left: SyntaxId) -> Parsed<()> {
        let Some((level, inverse)) = infix(self.token) else { return Ok(()) };
        let left = self.reduce(left, level)?;
        self.want(left, level <= AND)?;
        match (self.token, self.frames.last_mut()) {
            (Token::Compare(..), Some(Frame::Compare { .. })) => {
                let error = self.here("comparisons do not chain".into());
                return Err(error.with_help("write `a < b and b < c`"));
            }
            (Token::Compare(compare, exchanged), _) => {
                self.open(Frame::Compare { left, compare, exchanged })?;
            }
            (Token::Caret, _) => self.open(Frame::Power { base: left })?,
            (_, Some(Frame::Chain { level: at, inverse: last, .. })) if *at == level => {
                self.pending.push(Operand { id: left, inverse: *last });
                *last = inverse;
            }
            _ => {
                let start = self.pending.len();
                self.pending.push(Operand { id: left, inverse: false });
                self.open(Frame::Chain { level, start, inverse })?;
            }
        }
        self.advance()
    }

    /// Completes what binds tighter than `level` and ends with `right`.
    fn reduce(&mut self, mut right: SyntaxId, level: u8) -> Parsed<SyntaxId> {
        while self.frames.last().is_some_and(|frame| frame.level() > level) {
            let Some(frame) = self.pop() else { break };
            let conditions = matches!(frame.level(), OR | AND | NOT);
            self.want(right, conditions)?;
            let end = self.last_end;
            right = match frame {
                Frame::Chain { level, start, inverse } => {
                    self.pending.push(Operand { id: right, inverse });
                    let begin = self.tree.span(self.pending[start].id).start;
                    let list = self.tree.list(self.pending.drain(start..));
                    let item = match level {
                        OR => SyntaxNode::Any(list),
                        AND => SyntaxNode::All(list),
                        SUM => SyntaxNode::Sum(list),
                        _ => SyntaxNode::Product(list),
                    };
                    self.push(item, begin..end)?
                }
                Frame::Power { base } => {
                    let begin = self.tree.span(base).start;
                    self.push(SyntaxNode::Power(base, right), begin..end)?
                }
                Frame::Compare { left, compare, exchanged } => {
                    let begin = self.tree.span(left).start;
                    let (a, b) = if exchanged { (right, left) } else { (left, right) };
                    self.push(SyntaxNode::Compare(compare, a, b), begin..end)?
                }
                Frame::Sign { start, odd: true } => {
                    self.push(SyntaxNode::Negate(right), start..end)?
                }
                Frame::Not { start, odd: true } => self.push(SyntaxNode::Not(right), start..end)?,
                _ => right,
            };
        }
        Ok(right)
    }

    /// Checks that nothing follows the whole expression.
    fn end(&self, root: SyntaxId) -> Parsed<SyntaxId> {
        match self.token {
            Token::End => Ok(root),
            Token::Close => Err(self.here("this `)` closes nothing".into())),
            Token::Comma => Err(self
                .here("a `,` stands only between arguments of a function".into())
                .with_help("decimals are written with a point")),
            _ => Err(self.expected_behind("an operator")),
        }
    }

    fn argument(&mut self, id: SyntaxId, name: &Range<usize>, start: usize) -> Parsed<()> {
        let is_if = &self.lexer.text[name.clone()] == "if";
        // Only the first argument of `if` is a condition.
        self.want(id, is_if && self.pending.len() == start)?;
        self.pending.push(Operand { id, inverse: false });
        Ok(())
    }

    /// A name that no parenthesis follows.
    fn name(&mut self, span: Range<usize>) -> Parsed<SyntaxId> {
        let text = self.lexer.text;
        let name = &text[span.clone()];
        match reserved(name) {
            None => {}
            Some(Reserved::Pi) => return self.push(SyntaxNode::Pi, span),
            Some(Reserved::NotFinite) => {
                let message = format!("`{name}` is not a number here: every number is finite");
                return Err(ParseError::new(span, message));
            }
            Some(Reserved::Function) => {
                let message = format!("the function `{name}` stands without arguments");
                let help = format!("write `{name}(…)`");
                return Err(ParseError::new(span, message).with_help(help));
            }
        }
        let id = self.intern(name);
        self.push(SyntaxNode::Name(id), span)
    }

    fn intern(&mut self, name: &str) -> crate::syntax::NameId {
        if name.contains(char::is_whitespace) {
            let spaceless: String = name.chars().filter(|c| !c.is_whitespace()).collect();
            self.tree.intern(&spaceless)
        } else {
            self.tree.intern(name)
        }
    }

    /// A function whose closing parenthesis was read last.
    fn call(&mut self, name_span: Range<usize>, start: usize) -> Parsed<SyntaxId> {
        let text = self.lexer.text;
        let name = &text[name_span.clone()];
        let count = self.pending.len() - start;
        let list = self.tree.list(self.pending.drain(start..));
        let mut span = name_span.start..self.last_end;
        let item = if name == "if" {
            self.check_count(&span, name, count, 3..=3)?;
            let list = self.tree.operands(list);
            SyntaxNode::If(list[0].id, list[1].id, list[2].id)
        } else if let Some(function) = unary(name) {
            self.check_count(&span, name, count, 1..=1)?;
            SyntaxNode::Unary(function, self.tree.operands(list)[0].id)
        } else if let Some(function) = binary(name) {
            let most = if matches!(function, Binary::Min | Binary::Max) { usize::MAX } else { 2 };
            self.check_count(&span, name, count, 2..=most)?;
            SyntaxNode::Binary(function, list)
        } else if matches!(reserved(name), Some(Reserved::Pi | Reserved::NotFinite)) {
            let error = ParseError::new(name_span, format!("`{name}` is not a function"));
            return Err(error.with_help(format!("to multiply, write `{name}*(…)`")));
        } else {
            let result = self.result_index()?;
            span.end = self.last_end;
            SyntaxNode::Call { name: self.intern(name), result, arguments: list }
        };
        self.push(item, span)
    }

    /// The `[2]` behind a call.
    fn result_index(&mut self) -> Parsed<Option<u32>> {
        if self.token != Token::OpenIndex {
            return Ok(None);
        }
        let open = self.span.clone();
        self.advance()?;
        let index = match self.token {
            Token::Number(number) => {
                number.as_integer().and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0)
            }
            _ => None,
        };
        let Some(index) = index else {
            return Err(self.expected("the number of a result, counted from 1"));
        };
        self.advance()?;
        match self.token {
            Token::CloseIndex => self.advance()?,
            Token::End => return Err(ParseError::new(open, "this `[` is never closed")),
            _ => return Err(self.expected("`]`")),
        }
        Ok(Some(index))
    }

    fn check_count(
        &self,
        span: &Range<usize>,
        name: &str,
        found: usize,
        requested: std::ops::RangeInclusive<usize>,
    ) -> Parsed<()> {
        if requested.contains(&found) {
            return Ok(());
        }
        let least = *requested.start();
        let plus = if *requested.end() > least { " or more" } else { "" };
        let s = if least == 1 { "" } else { "s" };
        let message = format!("`{name}` takes {least}{plus} argument{s}, found {found}");
        let error = ParseError::new(span.clone(), message);
        Err(if name == "if" { error.with_help("write `if(condition, a, b)`") } else { error })
    }

    fn close(&mut self, open: &Range<usize>, requested: &str) -> Parsed<()> {
        match self.token {
            Token::Close => self.advance(),
            Token::End => Err(ParseError::new(open.clone(), "this `(` is never closed")),
            _ => Err(self.expected_behind(requested)),
        }
    }

    fn want(&self, id: SyntaxId, condition: bool) -> Parsed<()> {
        if self.tree.item(id).is_condition() == condition {
            return Ok(());
        }
        let span = self.tree.span(id);
        Err(if condition {
            ParseError::new(span, "expected a condition, found a value")
                .with_help("compare it, as in `x > 0`")
        } else {
            ParseError::new(span, "expected a value, found a condition")
                .with_help("`if(condition, a, b)` makes a value of a condition")
        })
    }

    fn here(&self, message: String) -> ParseError {
        ParseError::new(self.span.clone(), message)
    }

    /// The next token in words.
    fn found(&self) -> String {
        match self.token {
            Token::End => "the end of the text".into(),
            _ => {
                let text = &self.lexer.text[self.span.clone()];
                let mut shown: String = text.chars().take(40).collect();
                if shown.len() < text.len() {
                    shown.push('…');
                }
                format!("`{shown}`")
            }
        }
    }

    fn expected(&self, what: &str) -> ParseError {
        self.here(format!("expected {what}, found {}", self.found()))
    }

    /// The error behind an operand, where an operator is expected among others.
    fn expected_behind(&self, what: &str) -> ParseError {
        let error = self.expected(what);
        match self.token {
            Token::Number(_) | Token::Name | Token::Open => {
                error.with_help("a product is written with `*`")
            }
            _ => error,
        }
    }
}

/// Names that cannot be symbols.
enum Reserved {
    Pi,
    NotFinite,
    Function,
}

fn reserved(name: &str) -> Option<Reserved> {
    match name {
        // No reserved name is longer.
        _ if name.len() > "infinity".len() => None,
        "pi" | "π" => Some(Reserved::Pi),
        "if" => Some(Reserved::Function),
        // A surface to walk on, too: without arguments it is a name.
        "floor" => None,
        _ if unary(name).is_some() || binary(name).is_some() => Some(Reserved::Function),
        _ if ["nan", "inf", "infinity"].iter().any(|word| name.eq_ignore_ascii_case(word)) => {
            Some(Reserved::NotFinite)
        }
        _ => None,
    }
}

fn unary(name: &str) -> Option<Unary> {
    match name {
        "ln" => Some(Unary::Log),
        "arcsin" => Some(Unary::Asin),
        "arccos" => Some(Unary::Acos),
        "arctan" => Some(Unary::Atan),
        _ => Unary::from_name(name),
    }
}

fn binary(name: &str) -> Option<Binary> {
    if name == "arctan2" { Some(Binary::Atan2) } else { Binary::from_name(name) }
}

/// The names of all functions that need no declaration.
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> {
    let unary = Unary::ALL.into_iter().map(Unary::name);
    let binary = Binary::ALL.into_iter().map(Binary::name);
    unary.chain(binary).chain(["if", "ln", "arcsin", "arccos", "arctan", "arctan2"])
}
