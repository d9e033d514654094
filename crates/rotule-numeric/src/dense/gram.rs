//! Large groups of rows as numbers: the products of all rows with each other, `A A' = L D L'`,
//! within their envelope.
//!
//! Rows of neighbouring loops share columns, rows of distant ones do not, so that the matrix of
//! products is narrow in the order of the rows, and factoring it is linear in the number of loops.
//! A pivot is the square of the distance of a row from all earlier ones: where it vanishes, the row
//! repeats these. Squares halve the digits, which is enough to tell rows that repeat others from
//! rows that do not; small groups are taken apart exactly, by [`super::svd`].

/// Squares of distances of unit rows below this count as zero.
const NONE: f64 = 1e-11;

/// Rows of a group as products.
#[derive(Clone, Debug)]
pub(crate) struct Gram {
    /// The rows, without zeros, in the order of the factor.
    rows: Vec<Vec<(usize, f64)>>,
    /// The row of the group that each is, and the position of each row of the group.
    order: Vec<usize>,
    place: Vec<usize>,
    columns: usize,
    /// The products at and left of the diagonal, from the first that is not zero.
    products: Vec<Vec<f64>>,
}

/// `L D L'`; pivots that vanish are zero, and their rows take no part.
struct Factor {
    lines: Vec<Vec<f64>>,
    pivots: Vec<f64>,
}

impl Gram {
    /// The rows of a matrix with so many columns.
    pub fn of(matrix: &[Vec<(usize, f64)>], columns: usize) -> Gram {
        let order = narrow(matrix, columns);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &row)| place[row] = at);
        let rows: Vec<Vec<(usize, f64)>> = order.iter().map(|&row| matrix[row].clone()).collect();
        let mut users: Vec<Vec<(usize, f64)>> = vec![Vec::new(); columns];
        let mut products = Vec::with_capacity(rows.len());
        for (at, row) in rows.iter().enumerate() {
            row.iter().for_each(|&(column, value)| users[column].push((at, value)));
            let first = row.iter().filter_map(|one| users[one.0].first()).map(|one| one.0).min();
            let first = first.unwrap_or(at);
            let mut line = vec![0.0; at + 1 - first];
            for &(column, value) in row {
                for &(other, factor) in &users[column] {
                    line[other - first] += value * factor;
                }
            }
            if row.is_empty() {
                line = vec![0.0];
            }
            products.push(line);
        }
        Gram { rows, order, place, columns, products }
    }

    /// Factors with something added to the diagonal.
    fn factor(&self, damping: f64) -> Factor {
        let mut lines: Vec<Vec<f64>> = Vec::with_capacity(self.rows.len());
        let mut pivots: Vec<f64> = Vec::with_capacity(self.rows.len());
        for (i, line) in self.products.iter().enumerate() {
            let mut line = line.clone();
            let first = i + 1 - line.len();
            // Entries of L times D first, then those of L.
            for j in first..i {
                let start = j + 1 - lines[j].len();
                let from = start.max(first);
                let (own, other) = (&line[from - first..j - first], &lines[j][from - start..]);
                let sum: f64 = own.iter().zip(other).map(|(a, b)| a * b).sum();
                line[j - first] -= sum;
            }
            let mut pivot = line[i - first] + damping;
            for j in first..i {
                let quotient = if pivots[j] > 0.0 { line[j - first] / pivots[j] } else { 0.0 };
                pivot -= quotient * line[j - first];
                line[j - first] = quotient;
            }
            pivots.push(if pivot > NONE { pivot } else { 0.0 });
            line[i - first] = 1.0;
            lines.push(line);
        }
        Factor { lines, pivots }
    }

    /// The shortest `x` with `A x = b` for all rows that do not repeat others, damped.
    pub fn solve(&self, b: &[f64], damping: f64) -> Vec<f64> {
        let b: Vec<f64> = self.order.iter().map(|&row| b[row]).collect();
        self.spread(&self.factor(damping).solve(b))
    }

    /// `A' y`.
    fn spread(&self, y: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.columns];
        for (row, y) in self.rows.iter().zip(y) {
            row.iter().for_each(|&(column, value)| x[column] += value * y);
        }
        x
    }

    /// The remainder of a vector without its part along the rows.
    pub fn beyond(&self, vector: &[f64]) -> Vec<f64> {
        let along = |row: &Vec<(usize, f64)>| row.iter().map(|&(at, a)| a * vector[at]).sum();
        let along = self.factor(0.0).solve(self.rows.iter().map(along).collect());
        vector.iter().zip(self.spread(&along)).map(|(v, x)| v - x).collect()
    }

    /// Combinations of rows that vanish.
    pub fn vanishing(&self) -> Vec<Vec<f64>> {
        let factor = self.factor(0.0);
        let mut found = Vec::new();
        for at in (0..self.rows.len()).filter(|&at| factor.pivots[at] == 0.0) {
            // It is a combination of earlier rows, which are solved for alone.
            let mut right = vec![0.0; at];
            let line = &self.products[at];
            right[at + 1 - line.len()..].copy_from_slice(&line[..line.len() - 1]);
            let of = factor.solve(right);
            let part = |&place: &usize| -of.get(place).copied().unwrap_or(0.0);
            let mut combination: Vec<f64> = self.place.iter().map(part).collect();
            combination[self.order[at]] = 1.0;
            found.push(combination);
        }
        found
    }
}

impl Factor {
    fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        for i in 0..b.len() {
            let (line, first) = (&self.lines[i], i + 1 - self.lines[i].len());
            let known: f64 = line.iter().zip(&b[first..i]).map(|(l, x)| l * x).sum();
            b[i] = if self.pivots[i] > 0.0 { b[i] - known } else { 0.0 };
        }
        for (x, &pivot) in b.iter_mut().zip(&self.pivots) {
            *x = if pivot > 0.0 { *x / pivot } else { 0.0 };
        }
        for i in (0..b.len()).rev() {
            let (line, first) = (&self.lines[i], i + 1 - self.lines[i].len());
            let value = b[i];
            b[first..i].iter_mut().zip(line).for_each(|(x, l)| *x -= l * value);
        }
        b
    }
}

/// An order in which rows that share columns are near each other: breadth first from a row at an
/// end (Cuthill, McKee).
fn narrow(matrix: &[Vec<(usize, f64)>], columns: usize) -> Vec<usize> {
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); columns];
    for (row, entries) in matrix.iter().enumerate() {
        entries.iter().for_each(|&(column, _)| users[column].push(row));
    }
    // Each column is gone through once, so that columns of many rows cost no more than their
    // entries.
    let walk = |start: usize| {
        let mut seen = vec![false; matrix.len()];
        let mut open = vec![true; columns];
        let mut order = vec![start];
        seen[start] = true;
        let mut next = 0;
        while next < order.len() {
            for &(column, _) in &matrix[order[next]] {
                if std::mem::replace(&mut open[column], false) {
                    let new = users[column]
                        .iter()
                        .filter(|&&row| !std::mem::replace(&mut seen[row], true));
                    order.extend(new);
                }
            }
            next += 1;
        }
        order
    };
    // The row that is found last is at an end; a group is connected, but for rows without columns.
    let end = walk(0).pop().unwrap_or(0);
    let mut order = if matrix.is_empty() { Vec::new() } else { walk(end) };
    let mut seen = vec![false; matrix.len()];
    order.iter().for_each(|&row| seen[row] = true);
    order.extend((0..matrix.len()).filter(|&row| !seen[row]));
    order
}

#[cfg(test)]
mod tests {
    use super::Gram;

    /// Rows of a chain with three entries each; the last is twice the first less the third.
    #[test]
    fn shortest_solutions_rest_and_combinations() {
        let mut rows: Vec<Vec<(usize, f64)>> = (0..9)
            .map(|at| vec![(at, 0.6), (at + 1, -0.5 + 0.01 * at as f64), (at + 2, 0.3)])
            .collect();
        let last: Vec<(usize, f64)> = (rows[0].iter().map(|&(at, x)| (at, 2.0 * x)))
            .chain(rows[2].iter().map(|&(at, x)| (at, -x)))
            .fold(Vec::new(), |mut all: Vec<(usize, f64)>, (at, x)| {
                match all.iter_mut().find(|one| one.0 == at) {
                    Some(one) => one.1 += x,
                    None => all.push((at, x)),
                }
                all
            });
        rows.push(last);
        let gram = Gram::of(&rows, 11);
        let apply = |row: &Vec<(usize, f64)>, x: &[f64]| -> f64 {
            row.iter().map(|&(at, a)| a * x[at]).sum()
        };
        let mut b: Vec<f64> = (0..9).map(|at| 1.0 / (1.0 + at as f64)).collect();
        b.push(2.0 * b[0] - b[2]);
        let x = gram.solve(&b, 0.0);
        rows.iter().zip(&b).for_each(|(row, b)| assert!((apply(row, &x) - b).abs() < 1e-11));
        assert!(gram.beyond(&x).iter().all(|x| x.abs() < 1e-11), "the shortest has nothing more");
        let found = gram.vanishing();
        assert_eq!(found.len(), 1);
        for column in 0..11 {
            let part = |row: &Vec<(usize, f64)>| {
                row.iter().filter(|one| one.0 == column).map(|one| one.1).sum::<f64>()
            };
            let sum: f64 = rows.iter().zip(&found[0]).map(|(row, c)| c * part(row)).sum();
            assert!(sum.abs() < 1e-10, "{found:?}");
        }
    }
}
