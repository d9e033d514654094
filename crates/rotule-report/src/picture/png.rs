//! A picture as PNG (ISO 15948): true colour, eight bits.

use super::Raster;
use super::deflate::zlib;

impl Raster {
    /// The picture as a PNG file.
    pub fn png(&self) -> Vec<u8> {
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut head = Vec::new();
        head.extend(self.width.to_be_bytes());
        head.extend(self.height.to_be_bytes());
        // Eight bits, true colour; compression, filter and interlace as usual.
        head.extend([8, 2, 0, 0, 0]);
        chunk(&mut file, b"IHDR", &head);
        chunk(&mut file, b"IDAT", &zlib(&self.filtered()));
        chunk(&mut file, b"IEND", &[]);
        file
    }

    /// The rows, each as differences from what is left, above or both, whichever are smallest.
    fn filtered(&self) -> Vec<u8> {
        let width = 3 * self.width as usize;
        let mut above = vec![0_u8; width];
        let mut all = Vec::with_capacity((width + 1) * self.height as usize);
        for pixels in self.pixels.chunks(self.width.max(1) as usize) {
            let row: Vec<u8> = pixels.iter().flatten().copied().collect();
            let left = |at: usize| if at < 3 { 0 } else { row[at - 3] };
            let corner = |at: usize| if at < 3 { 0 } else { above[at - 3] };
            let filter = |kind: u8, at: usize| match kind {
                0 => row[at],
                1 => row[at].wrapping_sub(left(at)),
                2 => row[at].wrapping_sub(above[at]),
                _ => row[at].wrapping_sub(paeth(left(at), above[at], corner(at))),
            };
            let size = |kind: u8| -> u64 {
                (0..row.len()).map(|at| u64::from((filter(kind, at) as i8).unsigned_abs())).sum()
            };
            let kind = [0, 1, 2, 4].into_iter().min_by_key(|kind| size(*kind)).unwrap_or(0);
            all.push(kind);
            all.extend((0..row.len()).map(|at| filter(kind, at)));
            above = row;
        }
        all
    }
}

/// The neighbour that is nearest to left plus above less corner.
fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, above, corner].map(i32::from);
    let off = [a, b, c].map(|x| (a + b - c - x).abs());
    match off {
        [x, y, z] if x <= y && x <= z => left,
        [_, y, z] if y <= z => above,
        _ => corner,
    }
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(data);
    let sum = crc(&file[start..]);
    file.extend(sum.to_be_bytes());
}

/// The checksum of PNG, and of ZIP.
pub(crate) fn crc(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
        }
    }
    !sum
}
