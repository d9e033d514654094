//! Points kept in memory for pictures: as many as a picture can show, evenly thinned while the run goes on.

use super::Sink;
use std::io;

/// Columns of numbers.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The numbers of each channel.
    pub columns: Vec<Vec<f64>>,
    most: usize,
    /// One of so many rows is kept.
    stride: u64,
    seen: u64,
    /// The last row, if it was not kept.
    last: Option<Vec<f64>>,
}

impl Kept {
    /// Room for so many points of so many channels; at least two points.
    pub fn new(channels: usize, most: usize) -> Kept {
        let columns = vec![Vec::new(); channels];
        Kept { columns, most: most.max(2), stride: 1, seen: 0, last: None }
    }

    /// Adds the last point, which a picture must not lack.
    pub fn finish(&mut self) {
        if let Some(row) = self.last.take() {
            self.columns.iter_mut().zip(row).for_each(|(column, number)| column.push(number));
        }
    }
}

impl Sink for Kept {
    fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        let number = self.seen;
        self.seen += 1;
        if number % self.stride != 0 {
            let last = self.last.get_or_insert_with(Vec::new);
            last.clear();
            last.extend_from_slice(numbers);
            return Ok(());
        }
        self.last = None;
        self.columns.iter_mut().zip(numbers).for_each(|(column, &number)| column.push(number));
        if self.columns.first().is_some_and(|column| column.len() > self.most) {
            // Every second point goes; so do those to come.
            for column in &mut self.columns {
                let mut at = 0;
                column.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
            }
            self.stride *= 2;
        }
        Ok(())
    }
}
