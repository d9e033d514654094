//! Attributes and contents of elements as numbers, lists and flags, with the place of each.

use std::fmt;

use super::{Node, Reading};
use crate::diagnostic::{Diagnostic, DiagnosticCode, short};
use crate::draft::{DraftValue, JointType, Text, Triple, Value};
use crate::source::{Span, Spanned};
use rotule_symbolic::nearest;

/// The value of an attribute or the content of an element.
#[derive(Clone, Copy)]
pub(crate) struct Token<'d> {
    /// Its text, blanks at both ends taken away.
    pub text: &'d str,
    /// Its place.
    pub span: Span,
    /// `true` if the bytes of the place are the text; they are not if there are references in it.
    exact: bool,
    /// The attribute, if it is one.
    attribute: Option<&'d str>,
    /// The element.
    element: &'d str,
}

/// The name in messages: "`xyz` of `<origin>`", "`<pose>`".
impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.attribute {
            Some(name) => write!(f, "`{name}` of `<{}>`", self.element),
            None => write!(f, "`<{}>`", self.element),
        }
    }
}

impl Token<'_> {
    /// The text with its place.
    pub fn to_text(self) -> Text {
        Spanned::new(self.text.to_owned(), self.span)
    }
}

/// A number with the text it was written as, which tells how it was rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'d> {
    /// As written.
    pub text: &'d str,
    /// Its value, finite.
    pub value: f64,
    /// Its place.
    pub span: Span,
}

impl Word<'_> {
    /// The number for a draft.
    pub fn scalar(self) -> DraftValue {
        // Adding zero turns a negative zero into a plain one.
        Spanned::new(Value::Number(self.value + 0.0), self.span)
    }
}

/// Three numbers for a draft.
pub(crate) fn triple(words: [Word<'_>; 3]) -> Triple {
    words.map(Word::scalar)
}

impl<'d> Reading<'d, '_> {
    /// An attribute, if it exists.
    pub fn attribute(&self, node: Node<'d>, name: &str) -> Option<Token<'d>> {
        let attribute = node.attribute_node(name)?;
        let (range, name) = (attribute.range_value(), attribute.name());
        let token = self.token(attribute.value(), range.start.min(range.end)..range.end);
        Some(Token { attribute: Some(name), element: self.name(node), ..token })
    }

    /// An attribute that must exist.
    pub fn required(&mut self, node: Node<'d>, name: &str) -> Option<Token<'d>> {
        let found = self.attribute(node, name);
        if found.is_none() {
            let message = format!("`<{}>` has no attribute `{name}`", self.name(node));
            self.error(DiagnosticCode::Missing, self.tag(node), message);
        }
        found
    }

    /// The joint type that an attribute `type` names, one of a table; `what` is what has the type.
    pub fn joint_type(
        &mut self,
        node: Node<'d>,
        what: &str,
        types: &[(&str, JointType)],
    ) -> Option<Spanned<JointType>> {
        let token = self.required(node, "type")?;
        let found = types.iter().find(|(word, _)| *word == token.text);
        if found.is_none() {
            let message = format!("`{}` is no type of {what}", short(token.text));
            let help = match nearest(token.text, types.iter().map(|(word, _)| *word)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    let words: Vec<&str> = types.iter().map(|(word, _)| *word).collect();
                    format!("known are {}", words.join(", "))
                }
            };
            self.out.push(Diagnostic::error(DiagnosticCode::Type, token.span, message).help(help));
        }
        Some(Spanned::new(found?.1, token.span))
    }

    /// An element that must exist.
    pub fn required_child(&mut self, node: Node<'d>, name: &str) -> Option<Node<'d>> {
        let found = self.child(node, name);
        if found.is_none() {
            let message = format!("`<{}>` has no `<{name}>`", self.name(node));
            self.error(DiagnosticCode::Missing, self.tag(node), message);
        }
        found
    }

    /// The text in an element, up to its first child element.
    pub fn content(&self, node: Node<'d>) -> Token<'d> {
        let text = node.first_child().filter(roxmltree::Node::is_text);
        let token = match text {
            Some(text) => self.token(text.text().unwrap_or_default(), text.range()),
            None => {
                let tag = self.tag(node);
                Token { span: tag, ..self.token("", tag.range()) }
            }
        };
        Token { element: self.name(node), ..token }
    }

    fn token(&self, text: &'d str, range: std::ops::Range<usize>) -> Token<'d> {
        let exact = self.text.get(range.clone()) == Some(text);
        let mut span = range;
        let trimmed = text.trim();
        if exact && !trimmed.is_empty() {
            span.start += text.len() - text.trim_start().len();
            span.end = span.start + trimmed.len();
        }
        let span = Span::new(self.source, span);
        Token { text: trimmed, span, exact, attribute: None, element: "" }
    }

    /// The words of a token, each with its place.
    pub fn words(&self, token: Token<'d>) -> impl Iterator<Item = (&'d str, Span)> + use<'d> {
        let begin = token.text.as_ptr() as usize;
        token.text.split_whitespace().map(move |word| {
            let at = token.span.start as usize + (word.as_ptr() as usize - begin);
            let inside = Span::new(token.span.source, at..at + word.len());
            (word, if token.exact { inside } else { token.span })
        })
    }

    /// A word as a finite number; another one is reported.
    fn finite(&mut self, token: Token<'d>, text: &'d str, span: Span) -> Option<Word<'d>> {
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Some(Word { text, value, span }),
            Ok(_) => {
                let message = format!("{token} is `{}`, which is not finite", short(text));
                self.error(DiagnosticCode::Number, span, message);
                None
            }
            Err(_) => {
                let message =
                    format!("{token} must be made of numbers, but `{}` is none", short(text));
                let finding = Diagnostic::error(DiagnosticCode::Type, span, message);
                self.out.push(finding.maybe_help(number_help(text)));
                None
            }
        }
    }

    /// Any number of numbers. None if one of them cannot be read; all that cannot are reported.
    pub fn numbers(&mut self, token: Token<'d>) -> Option<Vec<Word<'d>>> {
        let mut all = Some(Vec::new());
        for (text, span) in self.words(token) {
            match (self.finite(token, text, span), &mut all) {
                (Some(word), Some(list)) => list.push(word),
                _ => all = None,
            }
        }
        all
    }

    /// Exactly `N` numbers.
    pub fn vector<const N: usize>(&mut self, token: Token<'d>) -> Option<[Word<'d>; N]> {
        let found = self.words(token).count();
        if found != N {
            let s = if N == 1 { "" } else { "s" };
            let message = format!("{token} must have {N} number{s}, found {found}");
            self.error(DiagnosticCode::Dimension, token.span, message);
            return None;
        }
        let words = self.numbers(token)?;
        words.try_into().ok()
    }

    /// One number.
    pub fn number(&mut self, token: Token<'d>) -> Option<Word<'d>> {
        self.vector::<1>(token).map(|[word]| word)
    }

    /// The number of an attribute, if it exists and can be read.
    pub fn number_attribute(&mut self, node: Node<'d>, name: &str) -> Option<Word<'d>> {
        let token = self.attribute(node, name)?;
        self.number(token)
    }

    /// The numbers of an attribute, if it exists and can be read.
    pub fn vector_attribute<const N: usize>(
        &mut self,
        node: Node<'d>,
        name: &str,
    ) -> Option<[Word<'d>; N]> {
        let token = self.attribute(node, name)?;
        self.vector(token)
    }

    /// The number in a child element, if it exists and can be read.
    pub fn number_child(&mut self, node: Node<'d>, name: &str) -> Option<Word<'d>> {
        let child = self.child(node, name)?;
        let token = self.content(child);
        self.number(token)
    }

    /// The numbers in a child element, if it exists and can be read.
    pub fn vector_child<const N: usize>(
        &mut self,
        node: Node<'d>,
        name: &str,
    ) -> Option<[Word<'d>; N]> {
        let child = self.child(node, name)?;
        let token = self.content(child);
        self.vector(token)
    }

    /// `true`, `false`, `1` or `0`.
    pub fn flag(&mut self, token: Token<'d>) -> Option<bool> {
        match token.text.to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => {
                let found = short(token.text);
                let message = format!("{token} must be `true` or `false`, found `{found}`");
                self.error(DiagnosticCode::Type, token.span, message);
                None
            }
        }
    }
}

fn number_help(text: &str) -> Option<String> {
    if text.contains(',') {
        return Some("decimals are written with a point, and entries separated by blanks".into());
    }
    if text.starts_with("${") || text.ends_with('}') {
        return Some(super::XACRO.to_owned());
    }
    None
}
