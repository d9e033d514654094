//! A film as GIF (version 89a): one palette, and of every frame what differs from the one before.

use super::Raster;
use std::io::{self, Write};

/// The most colours.
const COLOURS: usize = 256;
/// Bits of a channel that tell colours apart when the palette is chosen.
const BITS: u32 = 6;

/// Writes frames as a film that repeats; each stands for so many hundredths of a second.
///
/// `samples` are pictures from which the palette is chosen. Frames of another size are left out.
/// Fails only if writing fails.
pub fn gif(
    out: &mut impl Write,
    samples: &[Raster],
    frames: impl Iterator<Item = Raster>,
    hundredths: u16,
) -> io::Result<()> {
    let Some(first) = samples.first() else { return Ok(()) };
    let [width, height] = [first.width, first.height].map(|side| side.min(65_535) as u16);
    let palette = palette(samples);
    out.write_all(b"GIF89a")?;
    out.write_all(&width.to_le_bytes())?;
    out.write_all(&height.to_le_bytes())?;
    // A palette of 256 colours.
    out.write_all(&[0xf7, 0, 0])?;
    let filled = palette.iter().copied().chain(std::iter::repeat([0; 3])).take(COLOURS);
    out.write_all(&filled.flatten().collect::<Vec<u8>>())?;
    out.write_all(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")?;
    let mut nearest = Nearest::new(palette);
    let mut before: Option<Vec<u8>> = None;
    for frame in frames.filter(|frame| [frame.width, frame.height] == [first.width, first.height]) {
        let indices: Vec<u8> = frame.pixels.iter().map(|pixel| nearest.of(*pixel)).collect();
        let area = changed(&indices, before.as_deref(), usize::from(width), usize::from(height));
        let [left, top, wide, tall] = area;
        let [low, high] = hundredths.to_le_bytes();
        // The next frame is drawn over this one.
        out.write_all(&[0x21, 0xf9, 4, 0x04, low, high, 0, 0, 0x2c])?;
        for number in area {
            out.write_all(&(number as u16).to_le_bytes())?;
        }
        out.write_all(&[0, 8])?;
        let rows = (top..top + tall).map(|row| row * usize::from(width) + left);
        let part: Vec<u8> =
            rows.flat_map(|start| indices[start..start + wide].iter().copied()).collect();
        for block in lzw(&part).chunks(255) {
            out.write_all(&[block.len() as u8])?;
            out.write_all(block)?;
        }
        out.write_all(&[0])?;
        before = Some(indices);
    }
    out.write_all(&[0x3b])
}

/// Left, top, width and height of what differs; one pixel if nothing does.
fn changed(now: &[u8], before: Option<&[u8]>, width: usize, height: usize) -> [usize; 4] {
    let Some(before) = before else { return [0, 0, width, height] };
    let [mut left, mut right, mut top, mut bottom] = [width, 0, height, 0];
    for (at, (a, b)) in now.iter().zip(before).enumerate() {
        if a != b {
            let (x, y) = (at % width, at / width);
            (left, right) = (left.min(x), right.max(x));
            (top, bottom) = (top.min(y), bottom.max(y));
        }
    }
    match left > right || top > bottom {
        true => [0, 0, 1, 1],
        false => [left, top, right - left + 1, bottom - top + 1],
    }
}

/// Colours that suit pictures: boxes of colours are halved where most is different, until there
/// are enough (Heckbert 1982).
fn palette(samples: &[Raster]) -> Vec<[u8; 3]> {
    let mut counts = vec![0_u64; 1 << (3 * BITS)];
    for pixel in samples.iter().flat_map(|picture| &picture.pixels) {
        counts[cell(*pixel)] += 1;
    }
    let used = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    let colour = |cell: usize| {
        let part = |k: u32| ((cell >> (BITS * k)) & ((1 << BITS) - 1)) as u8;
        [part(2), part(1), part(0)]
    };
    let all: Vec<([u8; 3], u64)> = used.map(|(cell, count)| (colour(cell), *count)).collect();
    let mut boxes = vec![all];
    while boxes.len() < COLOURS {
        // The widest box by its width and the root of its pixels.
        let weight = |one: &Vec<([u8; 3], u64)>| {
            let pixels: u64 = one.iter().map(|(_, count)| count).sum();
            let (_, width) = widest(one);
            width as u64 * width as u64 * pixels.isqrt()
        };
        let Some(at) = (0..boxes.len()).max_by_key(|at| (weight(&boxes[*at]), usize::MAX - at))
        else {
            break;
        };
        let (axis, width) = widest(&boxes[at]);
        if width == 0 {
            break;
        }
        let mut one = boxes.swap_remove(at);
        one.sort_by_key(|(colour, _)| (colour[axis], *colour));
        let middle = (u16::from(one[0].0[axis]) + u16::from(one[one.len() - 1].0[axis])) / 2;
        let cut = one.partition_point(|(colour, _)| u16::from(colour[axis]) <= middle);
        let other = one.split_off(cut);
        boxes.extend([one, other]);
    }
    let mean = |one: Vec<([u8; 3], u64)>| {
        let pixels: u64 = one.iter().map(|(_, count)| count).sum();
        let of = |k: usize| {
            let sum: u64 = one.iter().map(|(colour, count)| u64::from(colour[k]) * count).sum();
            // The middle of a cell.
            ((2 * sum + pixels) * (1 << (8 - BITS)) / (2 * pixels.max(1))) as u8
        };
        [0, 1, 2].map(of)
    };
    boxes.into_iter().map(mean).collect()
}

/// The channel in which colours differ most, and by how much.
fn widest(colours: &[([u8; 3], u64)]) -> (usize, u8) {
    let width = |k: usize| {
        let channel = || colours.iter().map(|(colour, _)| colour[k]);
        channel().max().unwrap_or(0) - channel().min().unwrap_or(0)
    };
    let axis = (0..3).max_by_key(|k| (width(*k), 3 - k)).unwrap_or(0);
    (axis, width(axis))
}

fn cell(pixel: [u8; 3]) -> usize {
    let part = |k: usize| usize::from(pixel[k] >> (8 - BITS));
    part(0) << (2 * BITS) | part(1) << BITS | part(2)
}

/// The nearest colour of a palette, remembered by cells.
struct Nearest {
    palette: Vec<[u8; 3]>,
    known: Vec<u16>,
}

impl Nearest {
    fn new(palette: Vec<[u8; 3]>) -> Nearest {
        Nearest { palette, known: vec![u16::MAX; 1 << (3 * BITS)] }
    }

    fn of(&mut self, pixel: [u8; 3]) -> u8 {
        let cell = cell(pixel);
        if self.known[cell] == u16::MAX {
            let off = |colour: &[u8; 3]| -> i32 {
                let off = |k: usize| i32::from(colour[k]) - i32::from(pixel[k]);
                (0..3).map(|k| off(k) * off(k)).sum()
            };
            let best = (0..self.palette.len()).min_by_key(|at| off(&self.palette[*at]));
            self.known[cell] = best.unwrap_or(0) as u16;
        }
        self.known[cell] as u8
    }
}

/// Indices compressed as GIF has them (Welch 1984), eight bits each.
fn lzw(indices: &[u8]) -> Vec<u8> {
    const CLEAR: u16 = 256;
    const END: u16 = 257;
    const MOST: u16 = 4096;
    let mut out = Vec::new();
    let (mut held, mut count) = (0_u32, 0_u32);
    let mut put = |code: u16, width: u32, out: &mut Vec<u8>| {
        held |= u32::from(code) << count;
        count += width;
        while count >= 8 {
            out.push(held as u8);
            held >>= 8;
            count -= 8;
        }
        if code == END && count > 0 {
            out.push(held as u8);
        }
    };
    // The code of a code with one more index behind it.
    let mut longer = vec![0_u16; usize::from(MOST) * 256];
    let mut used: Vec<usize> = Vec::new();
    let (mut next, mut width) = (END + 1, 9);
    put(CLEAR, width, &mut out);
    let mut current: Option<u16> = None;
    for index in indices {
        let Some(code) = current else {
            current = Some(u16::from(*index));
            continue;
        };
        let slot = usize::from(code) * 256 + usize::from(*index);
        if longer[slot] != 0 {
            current = Some(longer[slot]);
            continue;
        }
        put(code, width, &mut out);
        if next < MOST {
            longer[slot] = next;
            used.push(slot);
            if u32::from(next) == 1 << width {
                width += 1;
            }
            next += 1;
        } else {
            put(CLEAR, width, &mut out);
            used.drain(..).for_each(|slot| longer[slot] = 0);
            (next, width) = (END + 1, 9);
        }
        current = Some(u16::from(*index));
    }
    if let Some(code) = current {
        put(code, width, &mut out);
    }
    put(END, width, &mut out);
    out
}
