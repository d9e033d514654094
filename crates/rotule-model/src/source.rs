//! Texts and places in them.
//!
//! A model may come from several texts: the file itself and additions to it. Every element of a
//! draft knows the bytes it was read from, so that whatever is found wrong later can point there.

use rotule_mesh::MeshFile;
use rotule_symbolic::line_column;
use std::ops::Range;

/// A text that was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name in messages.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// The texts of a model in the order in which they were added, and the meshes that it names.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: Vec<Source>,
    meshes: Vec<MeshEntry>,
}

/// A mesh by the name that a model has for it, or why it cannot be read.
pub type MeshEntry = (String, Result<MeshFile, String>);

/// The index of a text in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SourceId(pub u32);

/// Bytes of one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// A place as people count: the name of a text, a line and a column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The name of the text.
    pub file: &'a str,
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// Something that was read, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl Sources {
    /// No texts.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a text under the name that messages use for it.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.texts.push(Source { name: name.into(), text: text.into() });
        SourceId(self.texts.len() as u32 - 1)
    }

    /// Adds a mesh under the name that shapes have for it, or why it cannot be read.
    pub fn add_mesh(&mut self, name: impl Into<String>, mesh: Result<MeshFile, String>) {
        self.meshes.push((name.into(), mesh));
    }

    /// The meshes, in the order in which they were added.
    pub fn meshes(&self) -> &[MeshEntry] {
        &self.meshes
    }

    /// One of the texts.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.texts[id.0 as usize]
    }

    /// The place where some bytes begin.
    pub fn place(&self, span: Span) -> Place<'_> {
        let source = self.get(span.source);
        let (line, column) = line_column(&source.text, span.range().start);
        Place { file: &source.name, line, column }
    }
}

impl Span {
    /// The bytes `range` of a text.
    pub fn new(source: SourceId, range: Range<usize>) -> Span {
        // Texts are limited to far less than 4 GiB when they are read.
        Span { source, start: range.start as u32, end: range.end as u32 }
    }

    /// The bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl<T> Spanned<T> {
    /// A value and its place.
    pub fn new(value: T, span: Span) -> Spanned<T> {
        Spanned { value, span }
    }
}
