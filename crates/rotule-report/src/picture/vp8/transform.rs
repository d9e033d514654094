//! The two transforms of VP8 for blocks of 4 x 4 numbers, in integers: what a decoder does, to the
//! last bit, and its inverse, by which coefficients are chosen.

/// Sixteen numbers by rows.
pub type Block = [i32; 16];

/// The rows of the cosine transform in parts of 4096, each of the squared length 4.
const COSINE: [[i64; 4]; 4] = [
    [4096, 4096, 4096, 4096],
    [5352, 2217, -2217, -5352],
    [4096, -4096, -4096, 4096],
    [2217, -5352, 5352, -2217],
];

/// The rows of the transform of means, in the order of the standard.
const WALSH: [[i64; 4]; 4] = [[1, 1, 1, 1], [1, 1, -1, -1], [1, -1, -1, 1], [1, -1, 1, -1]];

/// Half of `rows x rows'`, where numbers of `rows` are in parts of `one`.
fn forward(rows: &[[i64; 4]; 4], one: i64, x: &Block) -> Block {
    let at = |row: usize, column: usize| -> i64 {
        (0..16).map(|k| rows[row][k / 4] * i64::from(x[k]) * rows[column][k % 4]).sum()
    };
    let parts = 2 * one * one;
    std::array::from_fn(|k| (at(k / 4, k % 4) + parts / 2).div_euclid(parts) as i32)
}

/// The coefficients of a block of differences.
pub fn cosine(x: &Block) -> Block {
    forward(&COSINE, 4096, x)
}

/// The coefficients of the means of sixteen blocks.
pub fn walsh(x: &Block) -> Block {
    forward(&WALSH, 1, x)
}

/// Means from their coefficients.
pub fn inverse_walsh(y: &Block) -> Block {
    let pass = |[a, b, c, d]: [i32; 4]| {
        let (outer, inner, less, rest) = (a + d, b + c, b - c, a - d);
        [outer + inner, less + rest, outer - inner, rest - less]
    };
    twice(y, pass, 3, 3)
}

/// Differences from their coefficients.
pub fn inverse_cosine(y: &Block) -> Block {
    let pass = |[a, b, c, d]: [i32; 4]| {
        let sine = |x: i32| (x * 35_468) >> 16;
        let cosine = |x: i32| x + ((x * 20_091) >> 16);
        let (even, odd) = (a + c, a - c);
        let (less, more) = (sine(b) - cosine(d), cosine(b) + sine(d));
        [even + more, odd + less, odd - less, even - more]
    };
    twice(y, pass, 4, 3)
}

/// A pass over columns, then one over rows, rounded.
fn twice(y: &Block, pass: impl Fn([i32; 4]) -> [i32; 4], half: i32, bits: u32) -> Block {
    let mut x = *y;
    for column in 0..4 {
        let done = pass([0, 1, 2, 3].map(|row| x[4 * row + column]));
        (0..4).for_each(|row| x[4 * row + column] = done[row]);
    }
    for row in 0..4 {
        let done = pass([0, 1, 2, 3].map(|column| x[4 * row + column]));
        (0..4).for_each(|column| x[4 * row + column] = (done[column] + half) >> bits);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_gives_back_what_was_transformed() {
        let x: Block = std::array::from_fn(|k| (k as i32 * 37) % 101 - 50);
        for (back, most) in [(inverse_cosine(&cosine(&x)), 2), (inverse_walsh(&walsh(&x)), 1)] {
            let off = x.iter().zip(back).map(|(a, b)| (a - b).abs()).max();
            assert!(off <= Some(most), "{off:?}: {back:?}");
        }
    }
}
