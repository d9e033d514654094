//! The content of a document, before it is LaTeX or Markdown: headings, paragraphs, tables,
//! equations.
//!
//! Mathematics is LaTeX in both. Text is plain here and is escaped by whoever writes it.

/// A fragment of a paragraph or of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Span {
    /// Words.
    Text(String),
    /// A name of the user, as it stands in the model.
    Name(String),
    /// LaTeX for math mode.
    Math(String),
}

pub(super) type Spans = Vec<Span>;

pub(super) fn text(text: impl Into<String>) -> Span {
    Span::Text(text.into())
}

pub(super) fn name(name: impl Into<String>) -> Span {
    Span::Name(name.into())
}

pub(super) fn math(latex: impl Into<String>) -> Span {
    Span::Math(latex.into())
}

fn is_blank(spans: &[Span]) -> bool {
    spans.iter().all(|span| match span {
        Span::Text(text) | Span::Name(text) | Span::Math(text) => text.trim().is_empty(),
    })
}

/// An equation: its left side, and its right side line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Equation {
    pub(super) left: String,
    pub(super) lines: Vec<String>,
}

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading; the level is 1 or 2.
    Heading(u8, Spans),
    Paragraph(Spans),
    /// The head and the rows.
    Table(Vec<&'static str>, Vec<Vec<Spans>>),
    /// Equations below each other, each with a number of its own.
    Equations(Vec<Equation>),
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Content {
    /// The comment at the head of the file, line by line.
    pub(super) head: Vec<String>,
    pub(super) title: Spans,
    pub(super) blocks: Vec<Block>,
}

impl Content {
    pub(super) fn heading(&mut self, level: u8, spans: Spans) {
        self.blocks.push(Block::Heading(level, spans));
    }

    pub(super) fn paragraph(&mut self, spans: Spans) {
        self.blocks.push(Block::Paragraph(spans));
    }

    /// Adds a table unless it has no rows, without columns in which nothing stands.
    pub(super) fn table(&mut self, head: &[&'static str], rows: Vec<Vec<Spans>>) {
        if rows.is_empty() {
            return;
        }
        let filled = |column: usize| rows.iter().any(|row| !is_blank(&row[column]));
        let kept: Vec<bool> = (0..head.len()).map(filled).collect();
        let head = head.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(&title, _)| title);
        let head = head.collect();
        let row = |row: Vec<Spans>| {
            row.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(cell, _)| cell).collect()
        };
        self.blocks.push(Block::Table(head, rows.into_iter().map(row).collect()));
    }

    /// Adds equations unless there are none.
    pub(super) fn equations(&mut self, equations: Vec<Equation>) {
        if !equations.is_empty() {
            self.blocks.push(Block::Equations(equations));
        }
    }
}
