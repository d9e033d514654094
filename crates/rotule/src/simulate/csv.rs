//! Results as comma-separated values: a line of names with units, then a line for each point, written at once.

use super::Sink;
use super::channels::Channel;
use std::io::{self, Write};

/// Writes lines.
pub struct Csv<W> {
    out: W,
    line: String,
}

impl<W: Write> Csv<W> {
    /// Writes the line of names.
    pub fn new(mut out: W, channels: &[Channel]) -> io::Result<Csv<W>> {
        let names: Vec<String> = channels.iter().map(|channel| quoted(&heading(channel))).collect();
        writeln!(out, "{}", names.join(","))?;
        Ok(Csv { out, line: String::new() })
    }

    /// Hands on what is still on its way.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

impl<W: Write> Sink for Csv<W> {
    fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        use std::fmt::Write as _;
        self.line.clear();
        for (at, number) in numbers.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            // The shortest text that reads back as the same number.
            let _ = write!(self.line, "{comma}{number:?}");
        }
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())
    }
}

/// A channel's name and unit.
fn heading(channel: &Channel) -> String {
    match channel.unit.as_str() {
        "" => channel.name.clone(),
        unit => format!("{} [{unit}]", channel.name),
    }
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
