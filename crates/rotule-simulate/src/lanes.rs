//! Numbers of several motions side by side: the first number of each, then the second of each, and
//! so on. One motion is one lane.

/// Calls a function for a number of lanes as a constant, so that a row is a few instructions and no
/// call.
macro_rules! by_width {
    ($width:expr, $function:ident($($argument:expr),*)) => {
        match $width {
            4 => $function::<4>($($argument),*),
            8 => $function::<8>($($argument),*),
            _ => $function::<1>($($argument),*),
        }
    };
}

pub(crate) use by_width;

/// Rows that stand one after the other in two lists: where in either, and how many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub place: usize,
    pub row: usize,
    pub len: usize,
}

impl Run {
    /// Some places of a list as runs: rows are counted in their order.
    pub fn all(places: impl IntoIterator<Item = usize>) -> Vec<Run> {
        let mut runs = Vec::new();
        for (row, place) in places.into_iter().enumerate() {
            Run::extend(&mut runs, place, row);
        }
        runs
    }

    /// Adds a row with its place to some runs.
    pub fn extend(runs: &mut Vec<Run>, place: usize, row: usize) {
        match runs.last_mut() {
            Some(last) if (last.place + last.len, last.row + last.len) == (place, row) => {
                last.len += 1;
            }
            _ => runs.push(Run { place, row, len: 1 }),
        }
    }

    /// Copies the rows from their places in a list.
    pub fn gather(&self, width: usize, list: &[f64], rows: &mut [f64]) {
        let Run { place, row, len } = *self;
        rows[width * row..][..width * len].copy_from_slice(&list[width * place..][..width * len]);
    }

    /// Copies the rows to their places in a list.
    pub fn scatter(&self, width: usize, rows: &[f64], list: &mut [f64]) {
        let Run { place, row, len } = *self;
        list[width * place..][..width * len].copy_from_slice(&rows[width * row..][..width * len]);
    }
}

/// Zero for every lane all whose numbers are finite, else not a number: nothing times what is not
/// finite is not a number, and a branch for each number would cost more.
pub(crate) fn finite<const W: usize>(numbers: &[f64], sums: &mut [f64]) {
    let mut own = [0.0; W];
    for row in numbers.as_chunks::<W>().0 {
        own.iter_mut().zip(row).for_each(|(sum, number)| *sum += 0.0 * number);
    }
    sums.copy_from_slice(&own);
}

/// The numbers of one lane.
pub(crate) fn lane(list: &[f64], width: usize, lane: usize) -> Vec<f64> {
    list.iter().skip(lane).step_by(width).copied().collect()
}

/// Lets the numbers of one lane be those of another.
pub(crate) fn copy_lane(list: &mut [f64], width: usize, from: usize, to: usize) {
    list.chunks_exact_mut(width).for_each(|numbers| numbers[to] = numbers[from]);
}
