//! STL, binary and text. Normals are recomputed by everybody, so they are not read.

use crate::error::{Fault, shown};
use crate::soup::Soup;

/// Bytes before the triangles: a comment of 80 and their number.
const HEADER: usize = 84;
/// Bytes of a triangle: normal, corners, attribute.
const RECORD: usize = 50;

/// Reads either kind. A file is binary if its length is what its count says, whatever it begins
/// with: binary files that begin with `solid` are common.
pub(crate) fn read(bytes: &[u8]) -> Result<Soup, Fault> {
    let count = bytes
        .get(80..HEADER)
        .map(|four| u64::from(u32::from_le_bytes([four[0], four[1], four[2], four[3]])));
    let length = count.map(|count| HEADER as u64 + RECORD as u64 * count);
    let claims_text =
        bytes.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    match (count, length) {
        (Some(_), Some(length)) if length == bytes.len() as u64 => binary(bytes),
        _ if claims_text => text(bytes),
        (Some(count), Some(length)) if length > bytes.len() as u64 => {
            let message = format!(
                "{count} triangles are announced, which take {length} bytes; the file has {}",
                bytes.len()
            );
            Err(Fault::broken("byte 80", message))
        }
        // Some programs append their own data.
        (Some(_), Some(_)) => binary(bytes),
        _ => {
            let message = "the file is neither binary STL (84 bytes and more) nor text (`solid`)";
            Err(Fault::broken("byte 0", message))
        }
    }
}

fn binary(bytes: &[u8]) -> Result<Soup, Fault> {
    let count = u32::from_le_bytes([bytes[80], bytes[81], bytes[82], bytes[83]]) as usize;
    let mut soup = Soup::default();
    for (index, record) in bytes[HEADER..].chunks_exact(RECORD).take(count).enumerate() {
        let mut corners = [0; 3];
        for (corner, at) in corners.iter_mut().zip([12, 24, 36]) {
            let number = |at: usize| {
                f64::from(f32::from_le_bytes([
                    record[at],
                    record[at + 1],
                    record[at + 2],
                    record[at + 3],
                ]))
            };
            let place = || format!("byte {}", HEADER + index * RECORD + at);
            *corner = soup.vertex(place, [number(at), number(at + 4), number(at + 8)])?;
        }
        soup.triangle(|| format!("byte {}", HEADER + index * RECORD), corners)?;
    }
    Ok(soup)
}

fn text(bytes: &[u8]) -> Result<Soup, Fault> {
    let mut soup = Soup::default();
    // Corners of the loop that is open, and the line where it began.
    let mut corners: Vec<u32> = Vec::new();
    let mut open = None;
    let mut ended = false;
    let mut last = 0;
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line);
        let place = || format!("line {}", number + 1);
        last = number + 1;
        let mut words = line.split_ascii_whitespace();
        let Some(word) = words.next() else { continue };
        let is = |known: &str| word.eq_ignore_ascii_case(known);
        if is("vertex") {
            if open.is_none() {
                return Err(Fault::broken(place(), "a `vertex` stands outside of a `loop`"));
            }
            let mut point = [0.0; 3];
            for x in &mut point {
                let word = words.next().unwrap_or_default();
                *x = word.parse().map_err(|_| {
                    Fault::broken(
                        place(),
                        format!("expected a coordinate, found `{}`", shown(word)),
                    )
                })?;
            }
            corners.push(soup.vertex(place, point)?);
        } else if is("outer") {
            open = Some(number + 1);
            corners.clear();
        } else if is("endloop") {
            if open.take().is_none() || corners.len() != 3 {
                let message = format!("a loop has {} corners instead of 3", corners.len());
                return Err(Fault::broken(place(), message));
            }
            soup.polygon(place, &corners)?;
        } else if is("endsolid") {
            ended = true;
        } else if is("solid") {
            ended = false;
        } else if !(is("facet") || is("endfacet")) {
            return Err(Fault::broken(place(), format!("`{}` is not a word of STL", shown(word))));
        }
    }
    if let Some(line) = open {
        let message = format!("the text ends in the loop that begins in line {line}");
        return Err(Fault::broken(format!("line {last}"), message));
    }
    if !ended {
        return Err(Fault::broken(format!("line {last}"), "the text ends without `endsolid`"));
    }
    Ok(soup)
}
