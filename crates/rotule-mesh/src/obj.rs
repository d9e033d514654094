//! Wavefront OBJ: corners and faces. Normals, textures, materials, lines and points are not drawn
//! or weighed; free-form surfaces are reported.

use crate::error::{Fault, shown};
use crate::soup::Soup;

/// Words of the format that have no meaning for triangles.
const SILENT: [&str; 16] = [
    "vn",
    "vt",
    "vp",
    "o",
    "g",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "l",
    "p",
    "lod",
    "shadow_obj",
    "trace_obj",
];

/// Reads a file.
pub(crate) fn read(bytes: &[u8]) -> Result<Soup, Fault> {
    let mut soup = Soup::default();
    let mut corners = Vec::new();
    let mut unread: Option<usize> = None;
    let mut lines = bytes.split(|byte| *byte == b'\n').enumerate();
    while let Some((number, line)) = lines.next() {
        let place = || format!("line {}", number + 1);
        let mut line = String::from_utf8_lossy(line).trim_end().to_owned();
        // A backslash continues the line.
        while line.ends_with('\\') {
            line.pop();
            let Some((_, next)) = lines.next() else { break };
            line.push(' ');
            line.push_str(String::from_utf8_lossy(next).trim_end());
        }
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let mut point = [0.0; 3];
                for x in &mut point {
                    let word = words.next().unwrap_or_default();
                    *x = word.parse().map_err(|_| {
                        let message = format!("expected a coordinate, found `{}`", shown(word));
                        Fault::broken(place(), message)
                    })?;
                }
                soup.vertex(place, point)?;
            }
            Some("f") => {
                corners.clear();
                for word in words {
                    corners.push(corner(word, soup.vertices.len(), place)?);
                }
                if corners.len() < 3 {
                    let message = format!("a face has {} corners, fewer than 3", corners.len());
                    return Err(Fault::broken(place(), message));
                }
                soup.polygon(place, &corners)?;
            }
            Some(word) if !SILENT.contains(&word) => unread = unread.or(Some(number + 1)),
            _ => {}
        }
    }
    if let Some(line) = unread {
        soup.notes.push(format!("line {line}: free-form surfaces and unknown words are not read"));
    }
    Ok(soup)
}

/// The corner that a word such as `7`, `-1` or `7/2/5` names, counted from 1 or from the end.
fn corner(word: &str, count: usize, place: impl Fn() -> String) -> Result<u32, Fault> {
    let index = word.split('/').next().unwrap_or_default();
    let fault = || {
        let message = format!("the corner `{}` is none of the {count} so far", shown(word));
        Fault::broken(place(), message)
    };
    let index: i64 = index.parse().map_err(|_| fault())?;
    let count = count as i64;
    let zero_based =
        if index < 0 { count.checked_add(index).ok_or_else(fault)? } else { index - 1 };
    if zero_based < 0 || zero_based >= count || index == 0 {
        return Err(fault());
    }
    Ok(zero_based as u32)
}
