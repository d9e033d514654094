//! A first look at an XML text, before the parser's, for all formats that are XML.
//!
//! The parser compares every attribute with those before it in the element and copies the
//! namespaces of an element to its children, so that many of either take time in proportion to
//! their square; and it reserves memory for what it estimates. This scan bounds all of these. On
//! the way it remembers which elements are open, which the parser does not tell when the text ends.

use std::ops::Range;

/// The most attributes of one element.
const ATTRIBUTES: usize = 100;
/// The most declarations of namespaces in a file.
const NAMESPACES: usize = 100;

/// The result of the scan.
pub struct Scan {
    /// The places of the opening tags, without their attributes, that were open where the text
    /// ends or where a closing tag does not fit.
    pub open: Vec<Range<usize>>,
}

/// A text beyond a limit: the place and the fault.
#[derive(Debug)]
pub struct Excess {
    /// The bytes where the limit is passed.
    pub range: Range<usize>,
    /// The limit.
    pub message: String,
}

/// Looks through a text of at most so many elements and attributes. What is not XML is left to the
/// parser to report.
pub fn scan(text: &str, nodes: u32) -> Result<Scan, Excess> {
    let limit = |range: Range<usize>, message: String| Err(Excess { range, message });
    let count = |sought: u8| text.bytes().filter(|byte| *byte == sought).count();
    let nodes = nodes as usize;
    // An element has up to two tags.
    if count(b'<') > 2 * nodes || count(b'=') > 2 * nodes {
        return limit(0..0, format!("the file has more than {nodes} elements or attributes"));
    }
    if let Some((at, found)) = text.match_indices("xmlns").nth(NAMESPACES) {
        let message = format!("more than {NAMESPACES} namespaces are declared");
        return limit(at..at + found.len(), message);
    }
    let bytes = text.as_bytes();
    let mut open: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        // What is no element: skipped as a whole.
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        if let Some((begin, end)) = skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
            match rest[begin.len()..].find(end) {
                Some(length) => at = start + begin.len() + length + end.len(),
                None => return Ok(Scan { open }),
            }
            continue;
        }
        let (attributes, end) = tag(bytes, start);
        if attributes > ATTRIBUTES {
            let message = format!("an element has more than {ATTRIBUTES} attributes");
            return limit(start..start + 1, message);
        }
        let name_end = |from: usize| {
            let stop = |byte: &u8| byte.is_ascii_whitespace() || b"/><".contains(byte);
            from + bytes[from..].iter().position(stop).unwrap_or(bytes.len() - from)
        };
        if rest.starts_with("</") {
            let name = &text[start + 2..name_end(start + 2)];
            match open.last() {
                Some(last) if &text[last.start + 1..last.end] == name => open.pop(),
                _ => return Ok(Scan { open }),
            };
        } else if bytes[..end].last() == Some(&b'>') && bytes[end - 2] != b'/' {
            open.push(start..name_end(start + 1));
        }
        at = end;
    }
    Ok(Scan { open })
}

/// The number of attributes of the tag at `start`, and the byte after it.
fn tag(bytes: &[u8], start: usize) -> (usize, usize) {
    let (mut attributes, mut quote, mut at) = (0, None, start + 1);
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(sought), byte) if byte == sought => quote = None,
            (Some(_), _) => {}
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, b'=') => attributes += 1,
            (None, b'>') => return (attributes, at + 1),
            (None, b'<') => return (attributes, at),
            _ => {}
        }
        at += 1;
    }
    (attributes, at)
}
