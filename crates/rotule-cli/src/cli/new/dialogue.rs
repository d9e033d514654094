//! A conversation in lines: a question, an answer that is checked at once, a way back.
//!
//! Whoever asks is a plain function of the answers so far. To go back, the last answer is dropped
//! and the function runs again: it gets the remaining answers without a new question, and then
//! asks the question before.

use super::super::output::printable;
use std::io::{self, BufRead, Read, Write};

/// The longest answer, in bytes.
const LONGEST: usize = 4096;

/// Why a conversation does not go on.
#[derive(Debug)]
pub enum Leave {
    /// The user wants the question before.
    Back,
    /// The input has ended.
    End,
    /// The user does not want the file.
    Declined,
    /// The input cannot be read.
    Failed(io::Error),
}

/// An answer that is not taken: the message and the remedy.
#[derive(Debug)]
pub struct Complaint {
    pub message: String,
    pub help: String,
}

impl Complaint {
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Complaint {
        Complaint { message: message.into(), help: help.into() }
    }
}

impl From<rotule::Error> for Complaint {
    fn from(error: rotule::Error) -> Complaint {
        match error {
            rotule::Error::Request(problem) => Complaint::new(problem.message, problem.help),
            other => Complaint::new(other.to_string().trim_start_matches("error: "), ""),
        }
    }
}

/// A question.
pub struct Question<'q> {
    /// The question itself.
    pub text: &'q str,
    /// The answer of an empty line, if it is one.
    pub default: &'q str,
    /// The text that `?` shows.
    pub help: &'q str,
}

/// A conversation.
pub struct Dialogue<R, W> {
    input: R,
    output: W,
    /// Answers that were taken.
    answers: Vec<String>,
    /// The number of answers that were given again since the last way back.
    given: usize,
    /// The answer that was dropped, which its question offers again.
    dropped: Option<String>,
}

impl<R: BufRead, W: Write> Dialogue<R, W> {
    pub fn new(input: R, output: W) -> Dialogue<R, W> {
        Dialogue { input, output, answers: Vec::new(), given: 0, dropped: None }
    }

    /// Runs a conversation to its end, from the beginning each time that the user goes back.
    pub fn run<T>(
        &mut self,
        mut talk: impl FnMut(&mut Self) -> Result<T, Leave>,
    ) -> Result<T, Leave> {
        loop {
            self.given = 0;
            match talk(self) {
                Err(Leave::Back) => {}
                other => return other,
            }
        }
    }

    /// Says something, unless it was said before the way back.
    pub fn say(&mut self, text: &str) {
        if self.given == self.answers.len() {
            // A closed standard error is no reason to lose answers.
            let _ = writeln!(self.output, "{}", printable(text));
        }
    }

    /// Complains about something that only shows later, and goes back.
    pub fn reject(&mut self, complaint: &Complaint) -> Leave {
        self.complain(complaint);
        self.back()
    }

    fn complain(&mut self, complaint: &Complaint) {
        let _ = writeln!(self.output, "  {}", printable(&complaint.message));
        if !complaint.help.is_empty() {
            let _ = writeln!(self.output, "  help: {}", printable(&complaint.help));
        }
    }

    fn back(&mut self) -> Leave {
        self.dropped = self.answers.pop();
        Leave::Back
    }

    /// Asks until an answer passes the check; gives what the check makes of it.
    pub fn ask<T>(
        &mut self,
        question: &Question<'_>,
        mut check: impl FnMut(&str) -> Result<T, Complaint>,
    ) -> Result<T, Leave> {
        if let Some(answer) = self.answers.get(self.given) {
            self.given += 1;
            match check(answer) {
                Ok(found) => return Ok(found),
                // An earlier answer has changed, and this one does not go with it.
                Err(_) => self.answers.truncate(self.given - 1),
            }
        }
        // Where an empty line means to go on, it keeps that meaning.
        let default = self.dropped.take().filter(|_| !question.default.is_empty());
        let default = default.as_deref().unwrap_or(question.default);
        let shown = if default.is_empty() { String::new() } else { format!(" [{default}]") };
        loop {
            let _ = write!(self.output, "{}{}: ", printable(question.text), printable(&shown));
            let _ = self.output.flush();
            let line = match self.line()? {
                Ok(line) => line,
                Err(complaint) => {
                    self.complain(&complaint);
                    continue;
                }
            };
            let answer = match line.trim() {
                "?" => {
                    for line in question.help.lines() {
                        let _ = writeln!(self.output, "  {line}");
                    }
                    continue;
                }
                "<" if self.answers.is_empty() => {
                    self.complain(&Complaint::new("this is the first question", ""));
                    continue;
                }
                "<" => return Err(self.back()),
                "" => default,
                other => other,
            };
            match check(answer) {
                Ok(found) => {
                    self.answers.push(answer.to_owned());
                    self.given = self.answers.len();
                    return Ok(found);
                }
                Err(complaint) => self.complain(&complaint),
            }
        }
    }

    /// A line of the input, or why it is none.
    fn line(&mut self) -> Result<Result<String, Complaint>, Leave> {
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(LONGEST as u64).read_until(b'\n', &mut bytes);
        read.map_err(Leave::Failed)?;
        if bytes.is_empty() {
            let _ = writeln!(self.output);
            return Err(Leave::End);
        }
        if bytes.len() == LONGEST && !bytes.ends_with(b"\n") {
            self.skip_line()?;
            return Ok(Err(Complaint::new(format!("at most {LONGEST} bytes are an answer"), "")));
        }
        let Ok(text) = String::from_utf8(bytes) else {
            return Ok(Err(Complaint::new("the answer is not text in UTF-8", "")));
        };
        let text = text.trim_end_matches(['\n', '\r']);
        if text.contains(|c: char| c.is_control() && c != '\t') {
            let help = "arrow keys and other control keys do nothing here; type the answer again";
            return Ok(Err(Complaint::new("the answer has control characters", help)));
        }
        Ok(Ok(text.to_owned()))
    }

    /// Reads on to the end of a line.
    fn skip_line(&mut self) -> Result<(), Leave> {
        loop {
            let buffer = self.input.fill_buf().map_err(Leave::Failed)?;
            if buffer.is_empty() {
                return Ok(());
            }
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let length = end.map_or(buffer.len(), |end| end + 1);
            self.input.consume(length);
            if end.is_some() {
                return Ok(());
            }
        }
    }
}
