//! Fragments of LaTeX filled into lines.
//!
//! A writer hands over fragments in order and says where a line may end. Widths are estimates in
//! tenths of a letter. A line ends where the fewest parentheses are open, if that leaves it well
//! filled; parentheses grow around what is tall, and those with a line's end between them get a
//! fixed size.

use std::borrow::Cow;

/// A line that is at least so full, in tenths, may end where it reads best.
const WELL_FILLED: i64 = 2;

struct Fragment<'a> {
    text: Cow<'a, str>,
    width: i64,
    /// A line may end before it: how bad that is, by the parentheses that are open there.
    stop: Option<usize>,
}

/// A pair of parentheses.
struct Group {
    open: usize,
    close: usize,
    /// The text before it should it grow.
    space: &'static str,
    tall: bool,
}

/// Fragments in the order in which they are read.
#[derive(Default)]
pub(super) struct Fill<'a> {
    fragments: Vec<Fragment<'a>>,
    groups: Vec<Group>,
    /// Open parentheses in `groups`, innermost last.
    open: Vec<usize>,
    /// Widths at the beginnings of open fractions, and of their numerators.
    fractions: Vec<(i64, i64)>,
    width: i64,
    /// A line may end before the next fragment; whether it would better end elsewhere.
    stop: Option<bool>,
}

/// Lines after the first are moved in by so much.
const INDENT: i64 = 20;
/// Between factors, and what stands there if a line begins with it.
const FACTORS: [&str; 2] = [" \\, ", "\\cdot "];

impl<'a> Fill<'a> {
    /// The line may end here; between factors only if it can end nowhere else.
    pub(super) fn stop(&mut self, weak: bool) {
        self.stop = Some(weak);
    }

    /// Returns `true` if all lines can be as narrow as `room`.
    pub(super) fn fits(&self, room: i64) -> bool {
        let ends = self.ends(room);
        let mut start = 0;
        ends.into_iter().chain([self.fragments.len()]).all(|end| {
            let width: i64 = self.fragments[start..end].iter().map(|fragment| fragment.width).sum();
            let indent = if start > 0 { INDENT } else { 0 };
            start = end;
            width + indent <= room
        })
    }

    pub(super) fn text(&mut self, text: Cow<'a, str>) {
        if text.starts_with("\\frac") || text.starts_with("\\begin") {
            self.tall();
        }
        let width = width(&text);
        self.push(text, width);
    }

    fn push(&mut self, text: Cow<'a, str>, width: i64) {
        let stop = self.stop.take().map(|weak| 2 * self.open.len() + usize::from(weak));
        self.width += width;
        self.fragments.push(Fragment { text, width, stop });
    }

    pub(super) fn fraction(&mut self) {
        self.tall();
        self.push("\\frac{".into(), 5);
        self.fractions.push((self.width, self.width));
    }

    /// From the numerator to the denominator.
    pub(super) fn over(&mut self) {
        if let Some(last) = self.fractions.last_mut() {
            last.1 = self.width;
        }
        self.push("}{".into(), 0);
    }

    /// A fraction is as wide as the wider of its parts.
    pub(super) fn end_fraction(&mut self) {
        let (start, middle) = self.fractions.pop().unwrap_or((self.width, self.width));
        let less = (middle - start).min(self.width - middle);
        self.push("}".into(), -less);
    }

    pub(super) fn open(&mut self, space: &'static str) {
        self.push("(".into(), 8);
        let at = self.fragments.len() - 1;
        self.open.push(self.groups.len());
        self.groups.push(Group { open: at, close: at, space, tall: false });
    }

    pub(super) fn close(&mut self) {
        let Some(group) = self.open.pop() else { return };
        self.push(")".into(), 8);
        self.groups[group].close = self.fragments.len() - 1;
        if self.groups[group].tall {
            self.tall();
        }
    }

    fn tall(&mut self) {
        if let Some(&group) = self.open.last() {
            self.groups[group].tall = true;
        }
    }

    /// The lines, none wider than `room` if that can be.
    pub(super) fn lines(mut self, room: i64) -> Vec<String> {
        let ends = self.ends(room);
        let line = |fragment: usize| ends.partition_point(|&end| end <= fragment);
        for &Group { open, close, space, tall } in &self.groups {
            let (left, right) = match (line(open) != line(close), tall) {
                (true, false) => ("\\bigl(".to_owned(), "\\bigr)"),
                (true, true) => ("\\biggl(".to_owned(), "\\biggr)"),
                (false, true) => (format!("{space}\\left("), "\\right)"),
                (false, false) => continue,
            };
            self.fragments[open].text = left.into();
            self.fragments[close].text = right.into();
        }
        let mut lines = Vec::with_capacity(ends.len() + 1);
        let mut start = 0;
        for end in ends.into_iter().chain([self.fragments.len()]) {
            if start > 0 && self.fragments[start].text == FACTORS[0] {
                self.fragments[start].text = FACTORS[1].into();
            }
            lines.push(self.fragments[start..end].iter().map(|fragment| &*fragment.text).collect());
            start = end;
        }
        lines
    }

    /// Where lines end: the fragments that begin the next.
    fn ends(&self, room: i64) -> Vec<usize> {
        let mut ends = Vec::new();
        let (mut start, mut rest) = (0, self.width);
        let whole = room;
        loop {
            let room = if start > 0 { whole - INDENT } else { whole };
            if rest <= room {
                return ends;
            }
            // The best end in reach, as parentheses open there, with the width before it.
            let mut best: Option<(usize, usize, i64)> = None;
            let mut width = 0;
            for (at, fragment) in self.fragments.iter().enumerate().skip(start) {
                if let Some(depth) = fragment.stop.filter(|_| at > start) {
                    if width > room && best.is_some() {
                        break;
                    }
                    let better = best.is_none_or(|(known, _, before)| {
                        depth <= known || before < room / 10 * WELL_FILLED
                    });
                    if better {
                        best = Some((depth, at, width));
                    }
                    if width > room {
                        break;
                    }
                }
                width += fragment.width;
            }
            let Some((_, at, width)) = best else { return ends };
            ends.push(at);
            start = at;
            rest -= width;
        }
    }
}

/// Roughly how wide LaTeX for math mode is, in tenths of a letter.
pub fn latex_width(latex: &str) -> i64 {
    width(latex)
}

fn width(latex: &str) -> i64 {
    let mut total = 0;
    // Whether we are in a subscript or a superscript, and its braces.
    let (mut script, mut depth) = (false, 0_u32);
    let mut letters = latex.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let plain = match letter {
            '_' | '^' => {
                script = true;
                depth = 0;
                continue;
            }
            '{' => {
                depth += u32::from(script);
                continue;
            }
            '}' => {
                depth = depth.saturating_sub(u32::from(script));
                script &= depth > 0;
                continue;
            }
            ' ' | '&' => continue,
            '+' | '-' | '=' => 26,
            '.' | ',' | '(' | ')' | '|' => 7,
            '\\' => {
                let rest = &latex[at + 1..];
                let word =
                    rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
                for _ in 0..word.max(1) {
                    letters.next();
                }
                match &rest[..word] {
                    "" if rest.starts_with('_') => 12,
                    "" => 4,
                    "sin" | "cos" | "tan" | "min" | "max" | "exp" => 32,
                    "arcsin" | "arccos" | "arctan" => 60,
                    "cdot" | "times" | "le" | "ne" => 25,
                    "quad" => 20,
                    "sqrt" => 12,
                    "backslash" | "sim" | "infty" => 12,
                    greek if super::names::GREEK.contains(&greek) => 11,
                    _ => 0,
                }
            }
            'm' | 'w' | 'M' | 'W' => 15,
            letter if letter.is_ascii_uppercase() => 13,
            _ => 10,
        };
        total += if script { plain * 7 / 10 } else { plain };
        script &= depth > 0;
    }
    total
}
