//! A film as WebM: frames in the format VP8, with their times, so that a player can go to any.

use super::Raster;
use super::vp8::Encoder;
use std::io::{self, Write};

/// The distance of frames that do without the ones before; a player goes there first.
const KEY: usize = 50;

/// Writes frames of one size as a film; each stands for so many milliseconds.
///
/// Frames of another size than the first are left out. Fails only if writing fails.
pub fn webm(
    out: &mut impl Write,
    frames: impl Iterator<Item = Raster>,
    milliseconds: u32,
) -> io::Result<()> {
    let mut encoder = None;
    let mut size = [0, 0];
    let mut clusters: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut count = 0_usize;
    for frame in frames {
        let encoder = encoder.get_or_insert_with(|| {
            size = [frame.width, frame.height];
            Encoder::new(frame.width, frame.height)
        });
        if size != [frame.width, frame.height] {
            continue;
        }
        let key = count.is_multiple_of(KEY);
        let time = count as u64 * u64::from(milliseconds);
        if key {
            clusters.push((time, number(0xe7, time)));
        }
        let Some((begin, cluster)) = clusters.last_mut() else { continue };
        // A block: the track, the time in the cluster, whether it is a key frame, and the frame.
        let mut block = vec![0x81];
        block.extend(((time - *begin) as i16).to_be_bytes());
        block.push(if key { 0x80 } else { 0 });
        block.extend(encoder.frame(&frame, key));
        cluster.extend(element(0xa3, &block));
        count += 1;
    }
    let length = count as u64 * u64::from(milliseconds);
    out.write_all(&element(0x1a45_dfa3, &format_header()))?;
    out.write_all(&element(0x1853_8067, &segment(size, length, &clusters)))
}

/// The versions of the format.
fn format_header() -> Vec<u8> {
    let numbers = [(0x4286, 1), (0x42f7, 1), (0x42f2, 4), (0x42f3, 8)];
    let mut out: Vec<u8> = numbers.iter().flat_map(|(id, value)| number(*id, *value)).collect();
    out.extend(element(0x4282, b"webm"));
    out.extend(number(0x4287, 2));
    out.extend(number(0x4285, 2));
    out
}

/// Length, the track, where its key frames are, and the frames.
fn segment([width, height]: [u32; 2], length: u64, clusters: &[(u64, Vec<u8>)]) -> Vec<u8> {
    // Times are in milliseconds.
    let mut info = number(0x002a_d7b1, 1_000_000);
    info.extend(element(0x4489, &(length as f64).to_be_bytes()));
    info.extend(element(0x4d80, b"Rotule"));
    info.extend(element(0x5741, b"Rotule"));
    let mut video = number(0xb0, width.into());
    video.extend(number(0xba, height.into()));
    // Colours as they are converted: BT.601, of limited range.
    let colours = [(0x55b1, 6), (0x55b9, 1), (0x55ba, 6), (0x55bb, 6)];
    let colours: Vec<u8> = colours.iter().flat_map(|(id, value)| number(*id, *value)).collect();
    video.extend(element(0x55b0, &colours));
    let mut track: Vec<u8> = [(0xd7, 1), (0x73c5, 1), (0x83, 1)]
        .iter()
        .flat_map(|(id, value)| number(*id, *value))
        .collect();
    track.extend(element(0x86, b"V_VP8"));
    track.extend(element(0xe0, &video));
    let mut out = element(0x1549_a966, &info);
    out.extend(element(0x1654_ae6b, &element(0xae, &track)));
    // The list of key frames has numbers of eight bytes: its length is known before them.
    let clusters: Vec<(u64, Vec<u8>)> =
        clusters.iter().map(|(time, inside)| (*time, element(0x1f43_b675, inside))).collect();
    let list = |offset: u64| {
        let mut at = offset;
        let mut points = Vec::new();
        for (time, cluster) in &clusters {
            let mut place = number(0xf7, 1);
            place.extend(element(0xf1, &at.to_be_bytes()));
            let mut point = element(0xb3, &time.to_be_bytes());
            point.extend(element(0xb7, &place));
            points.extend(element(0xbb, &point));
            at += cluster.len() as u64;
        }
        element(0x1c53_bb6b, &points)
    };
    let before = (out.len() + list(0).len()) as u64;
    out.extend(list(before));
    out.extend(clusters.into_iter().flat_map(|(_, cluster)| cluster));
    out
}

/// An element: what it is, how long it is, what it has.
fn element(id: u32, inside: &[u8]) -> Vec<u8> {
    let skip = id.leading_zeros() as usize / 8;
    let mut out = id.to_be_bytes()[skip..].to_vec();
    // The length in eight bytes, of which the first says so.
    out.extend((inside.len() as u64 | 1 << 56).to_be_bytes());
    out.extend(inside);
    out
}

/// An element that is a number.
fn number(id: u32, value: u64) -> Vec<u8> {
    let skip = (value.leading_zeros() as usize / 8).min(7);
    element(id, &value.to_be_bytes()[skip..])
}
