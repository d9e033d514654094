//! Marks: tags on values of a program that say which part of the equations they belong to.
//!
//! Whoever writes equations knows their parts: the sections of a method, the diagonal blocks of
//! constraints, the branches of a tree. Lowering and passes dissolve these into one list of
//! statements. A mark keeps what is known: a [`Tag`] and the statements that its part has found. To
//! a part belongs what its marked values need; [`count_by_tag`] counts operations by that.
//!
//! A mark is kept like an output and has no effect like one:
//!
//! - It keeps no value alive, counts as no reader and orders nothing. A program without its marks
//!   is the same program: operation counts, text of statements, generated code and machine code.
//! - Where a pass puts another value in the place of a marked one, the mark follows. Where nothing
//!   needs a marked value any more, the mark goes on to the values that it was computed from, so
//!   that what remains of a part stays in it.
//! - Inputs, constants and states take no mark: nothing computes them. A mark may lose all of its
//!   values and stays, as a part that costs nothing.
//!
//! Marks stand in the order in which their parts are computed, and there is one for each tag.

use crate::counts::ProgramCounts;
use crate::index::{RegionId, Value};
use crate::needs::Needs;
use crate::program::{Block, Program};
use rustc_hash::FxHashSet;
use std::fmt;

/// The kind of part that a tag names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TagKind {
    /// A branch of a tree: bodies and joints from one child of the base, or of a fork, outward.
    Branch,
    /// A diagonal block of constraints, which is solved for its own unknowns.
    Block,
    /// A section of a method: one of the steps that follow each other.
    Section,
}

impl TagKind {
    /// Every kind.
    pub const ALL: [TagKind; 3] = [TagKind::Branch, TagKind::Block, TagKind::Section];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            TagKind::Branch => "branch",
            TagKind::Block => "block",
            TagKind::Section => "section",
        }
    }

    /// The kind of a word.
    pub fn from_name(word: &str) -> Option<TagKind> {
        TagKind::ALL.into_iter().find(|kind| kind.name() == word)
    }
}

impl fmt::Display for TagKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of a part of the equations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag {
    /// The kind of part.
    pub kind: TagKind,
    /// The part's name, unique among those of its kind.
    pub name: String,
}

impl Tag {
    /// A tag.
    pub fn new(kind: TagKind, name: impl Into<String>) -> Tag {
        Tag { kind, name: name.into() }
    }

    /// The tag of a section.
    pub fn section(name: impl Into<String>) -> Tag {
        Tag::new(TagKind::Section, name)
    }

    /// The tag of a diagonal block of constraints.
    pub fn block(name: impl Into<String>) -> Tag {
        Tag::new(TagKind::Block, name)
    }

    /// The tag of a branch.
    pub fn branch(name: impl Into<String>) -> Tag {
        Tag::new(TagKind::Branch, name)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// A tag and the statements that its part has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The part.
    pub tag: Tag,
    /// The statements, each once.
    pub values: Vec<Value>,
}

impl Program {
    /// Marks statements with a tag, beside those that it has. Inputs, constants and states are
    /// passed over.
    pub fn mark(&mut self, tag: Tag, values: &[Value]) {
        let at = self.marks.iter().position(|mark| mark.tag == tag).unwrap_or_else(|| {
            self.marks.push(Mark { tag, values: Vec::new() });
            self.marks.len() - 1
        });
        self.marks[at].values.extend_from_slice(values);
        self.tidy_marks(Some, at..at + 1);
    }

    /// All marks, in the order in which their parts are computed.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Removes all marks, which changes nothing else.
    pub fn clear_marks(&mut self) {
        self.marks.clear();
    }

    /// Puts other values, or none, in the place of marked ones.
    pub(crate) fn move_marks(&mut self, to: impl Fn(Value) -> Option<Value>) {
        self.tidy_marks(to, 0..self.marks.len());
    }

    /// Moves some marks, and drops leaves and what a mark has twice.
    fn tidy_marks(&mut self, to: impl Fn(Value) -> Option<Value>, which: std::ops::Range<usize>) {
        let Program { marks, operations, .. } = self;
        let mut seen: FxHashSet<Value> = FxHashSet::default();
        for mark in &mut marks[which] {
            seen.clear();
            let moved = std::mem::take(&mut mark.values).into_iter().filter_map(&to);
            let leaf = |value: Value| operations.get(value.index()).is_some_and(|it| it.is_leaf());
            mark.values = moved.filter(|&value| !leaf(value) && seen.insert(value)).collect();
        }
    }

    /// Lets marks of statements that are about to go pass on to what these need.
    pub(crate) fn hand_marks_down(&mut self, stays: &[bool]) {
        let mut marks = std::mem::take(&mut self.marks);
        for mark in &mut marks {
            if mark.values.iter().all(|value| stays[value.index()]) {
                continue;
            }
            let (mut seen, mut kept) = (FxHashSet::default(), Vec::new());
            // From the last, so that values come in the order of the mark.
            let mut open: Vec<Value> = mark.values.iter().rev().copied().collect();
            while let Some(value) = open.pop() {
                if !seen.insert(value) {
                    continue;
                }
                if !stays[value.index()] {
                    crate::needs::for_each_need(self, value, |need| open.push(need));
                } else if !self.operation(value).is_leaf() {
                    kept.push(value);
                }
            }
            mark.values = kept;
        }
        self.marks = marks;
    }
}

/// The operations of one part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaggedCounts {
    /// The part; none for what no part of the kind needs.
    pub tag: Option<Tag>,
    /// Its operations, of which none are shown as fused.
    pub counts: ProgramCounts,
}

/// Operations of a valid program by the tags of one kind, in their order and then what is left: an
/// operation belongs to the first part whose marked values need it, so that the parts add up to
/// [`ProgramCounts::plain`]. A program without marks of the kind is what is left.
pub fn count_by_tag(program: &Program, kind: TagKind) -> Vec<TaggedCounts> {
    let tagged: Vec<&Mark> = program.marks.iter().filter(|mark| mark.tag.kind == kind).collect();
    let mut needs = Needs::of(program);
    let mut owner = vec![tagged.len(); program.len()];
    for (at, mark) in tagged.iter().enumerate() {
        let own = |value: Value| owner[value.index()] = at;
        needs.add(mark.values.iter().copied(), own);
    }
    let mut counts = vec![ProgramCounts::default(); tagged.len() + 1];
    let regions = (0..program.regions.len()).map(|region| Block::Region(RegionId::new(region)));
    for block in Block::STAGES.into_iter().chain(regions) {
        for &value in program.block(block) {
            let own = &mut counts[owner[value.index()]];
            own.stage_mut(block).add(program.operation(value));
        }
    }
    let tags = tagged.into_iter().map(|mark| Some(mark.tag.clone())).chain([None]);
    tags.zip(counts).map(|(tag, counts)| TaggedCounts { tag, counts }).collect()
}
