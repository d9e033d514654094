//! Data of glTF: buffers (in the file, beside it, or written out as base64) and the accessors that
//! cut numbers out of them.

use serde_json::Value;

use crate::error::{Fault, shown};
use crate::read::{MAX_BYTES, relative_name};

/// A function that gives the bytes of a file beside this one.
pub(crate) type Companion<'c> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'c;

/// The remedy for what a program should not have written.
const PLAIN: &str = "export it without compression and quantization";

/// The document and its buffers.
pub(crate) struct Data {
    pub json: Value,
    buffers: Vec<Vec<u8>>,
}

/// An entry of an array of the document, and its name in messages.
pub(crate) fn entry<'j>(json: &'j Value, array: &str, index: u64) -> Result<&'j Value, Fault> {
    let list = json.get(array).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let found = usize::try_from(index).ok().and_then(|index| list.get(index));
    found.ok_or_else(|| {
        let message = format!("there is no `{array}[{index}]`: the file has {}", list.len());
        Fault::broken(array, message)
    })
}

/// A whole number of an object, or a default.
pub(crate) fn integer(
    object: &Value,
    key: &str,
    default: Option<u64>,
    place: &str,
) -> Result<u64, Fault> {
    match (object.get(key), default) {
        (Some(value), _) => value
            .as_u64()
            .ok_or_else(|| Fault::broken(place, format!("`{key}` is not a whole number"))),
        (None, Some(default)) => Ok(default),
        (None, None) => Err(Fault::broken(place, format!("`{key}` is missing"))),
    }
}

impl Data {
    /// The document with its buffers; `chunk` is the binary part of a GLB file.
    pub fn new(
        json: Value,
        mut chunk: Option<Vec<u8>>,
        companion: &mut Companion<'_>,
    ) -> Result<Data, Fault> {
        let mut buffers = Vec::new();
        let mut total = 0;
        let list = json.get("buffers").and_then(Value::as_array).cloned().unwrap_or_default();
        for (index, buffer) in list.iter().enumerate() {
            let place = format!("buffers[{index}]");
            let length = integer(buffer, "byteLength", None, &place)?;
            let bytes = match (buffer.get("uri").and_then(Value::as_str), index, chunk.take()) {
                (Some(uri), ..) => fetch(uri, &place, companion)?,
                (None, 0, Some(chunk)) => chunk,
                _ => return Err(Fault::broken(place, "the buffer has neither `uri` nor data")),
            };
            total += bytes.len();
            if total > MAX_BYTES {
                let message = format!("the buffers have more than {MAX_BYTES} bytes together");
                return Err(Fault::new(place, message, "decimate the mesh before exporting"));
            }
            if (bytes.len() as u64) < length {
                let message = format!("{length} bytes are announced, there are {}", bytes.len());
                return Err(Fault::broken(place, message));
            }
            buffers.push(bytes);
        }
        Ok(Data { json, buffers })
    }

    /// The bytes of each element of an accessor, of the type that is expected.
    fn elements<'d>(
        &'d self,
        index: u64,
        kind: &str,
        sizes: &[(u64, usize)],
    ) -> Result<(u64, usize, impl Iterator<Item = &'d [u8]> + use<'d>), Fault> {
        let place = format!("accessors[{index}]");
        let accessor = entry(&self.json, "accessors", index)?;
        let component = integer(accessor, "componentType", None, &place)?;
        let found = accessor.get("type").and_then(Value::as_str).unwrap_or_default();
        let size = sizes.iter().find(|(code, _)| *code == component);
        let (Some((_, size)), true) = (size, found == kind) else {
            let message =
                format!("elements are `{}` of type {component}, not read here", shown(found));
            return Err(Fault::new(place, message, PLAIN));
        };
        if accessor.get("sparse").is_some() {
            return Err(Fault::new(place, "sparse accessors are not read", PLAIN));
        }
        let Some(view) = accessor.get("bufferView") else {
            return Err(Fault::new(place, "the accessor has no `bufferView`", PLAIN));
        };
        let view_index = view.as_u64().unwrap_or(u64::MAX);
        let view = entry(&self.json, "bufferViews", view_index)?;
        let view_place = format!("bufferViews[{view_index}]");
        let buffer_index = integer(view, "buffer", None, &view_place)?;
        let buffer = usize::try_from(buffer_index).ok().and_then(|index| self.buffers.get(index));
        let buffer = buffer.ok_or_else(|| {
            Fault::broken(view_place.as_str(), format!("there is no `buffers[{buffer_index}]`"))
        })?;
        let start = integer(view, "byteOffset", Some(0), &view_place)?;
        let length = integer(view, "byteLength", None, &view_place)?;
        let range = usize::try_from(start).ok().zip(usize::try_from(length).ok());
        let bytes = range.and_then(|(start, length)| buffer.get(start..start.checked_add(length)?));
        let bytes = bytes.ok_or_else(|| {
            let message =
                format!("{length} bytes from {start} on do not fit into {}", buffer.len());
            Fault::broken(view_place.as_str(), message)
        })?;
        let components = if kind == "VEC3" { 3 } else { 1 };
        let element = components * size;
        let stride = integer(view, "byteStride", Some(element as u64), &view_place)?;
        let offset = integer(accessor, "byteOffset", Some(0), &place)?;
        let count = integer(accessor, "count", None, &place)?;
        // The last element ends within the view.
        let end = count.checked_sub(1).map_or(Some(0), |last| {
            last.checked_mul(stride)?.checked_add(offset)?.checked_add(element as u64)
        });
        if end.is_none_or(|end| end > bytes.len() as u64) || stride < element as u64 {
            let message = format!(
                "{count} elements of {element} bytes, {stride} apart, do not fit into {} bytes",
                bytes.len()
            );
            return Err(Fault::broken(place, message));
        }
        // All of these are below the number of bytes now.
        let (offset, stride, count) = (offset as usize, stride as usize, count as usize);
        let elements = (0..count).map(move |k| &bytes[offset + k * stride..][..element]);
        Ok((component, count, elements))
    }

    /// Points of an accessor.
    pub fn points(&self, index: u64) -> Result<Vec<[f64; 3]>, Fault> {
        let (_, count, elements) = self.elements(index, "VEC3", &[(5126, 4)])?;
        let mut points = Vec::with_capacity(count);
        for bytes in elements {
            let number = |at: usize| {
                f64::from(f32::from_le_bytes([
                    bytes[at],
                    bytes[at + 1],
                    bytes[at + 2],
                    bytes[at + 3],
                ]))
            };
            points.push([number(0), number(4), number(8)]);
        }
        Ok(points)
    }

    /// Indices of an accessor.
    pub fn indices(&self, index: u64) -> Result<Vec<u32>, Fault> {
        let (_, count, elements) =
            self.elements(index, "SCALAR", &[(5121, 1), (5123, 2), (5125, 4)])?;
        let mut indices = Vec::with_capacity(count);
        for bytes in elements {
            indices.push(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)));
        }
        Ok(indices)
    }
}

/// The bytes of a URI: data written out, or a file beside this one.
fn fetch(uri: &str, place: &str, companion: &mut Companion<'_>) -> Result<Vec<u8>, Fault> {
    if let Some(data) = uri.strip_prefix("data:") {
        let Some((_, data)) = data.split_once(";base64,") else {
            let message = "the data of the URI are not base64";
            return Err(Fault::new(place, message, "export buffers as base64 or as a file"));
        };
        return base64(data).ok_or_else(|| Fault::broken(place, "the base64 data are damaged"));
    }
    let name = relative_name(uri, place)?;
    companion(&name).map_err(|why| {
        let message = format!("the file `{}` cannot be read: {}", shown(&name), why);
        Fault::new(place, message, "put it beside this file, or export everything in one `.glb`")
    })
}

/// Bytes written as base64.
fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (count < 6).then_some(bytes)
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_gives_bytes_or_nothing() {
        assert_eq!(super::base64("TWFu").as_deref(), Some(&b"Man"[..]));
        assert_eq!(super::base64("TWE=").as_deref(), Some(&b"Ma"[..]));
        assert_eq!(super::base64("TQ==").as_deref(), Some(&b"M"[..]));
        assert_eq!(super::base64(""), Some(Vec::new()));
        for broken in ["T", "TW Fu", "TWFu!", "é"] {
            assert_eq!(super::base64(broken), None, "{broken}");
        }
    }
}
