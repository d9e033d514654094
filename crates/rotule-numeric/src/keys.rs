//! Keys that stand twice in an object of a JSON text. A reader keeps the last of them and says
//! nothing.

use std::collections::HashSet;

/// The first key that stands twice in one object, with the byte where it does so again. The text
/// must be JSON.
pub(crate) fn repeated(text: &str) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    // The keys of all objects that are open; lists have none, but must be told apart.
    let mut open: Vec<HashSet<String>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => open.push(HashSet::new()),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let end = end_of_text(bytes, at);
                let behind = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
                if behind == Some(&b':') {
                    // `"a"` and `"\u0061"` are the same key.
                    let key: String = serde_json::from_str(&text[at..end]).unwrap_or_default();
                    if let Some(keys) = open.last_mut()
                        && !keys.insert(key.clone())
                    {
                        return Some((key, at));
                    }
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where a text that begins with a quotation mark ends.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn keys_are_told_apart_by_their_object() {
        let check = |text: &str, expected: Option<(&str, usize)>| {
            let found = repeated(text);
            assert_eq!(found.as_ref().map(|(key, at)| (key.as_str(), *at)), expected, "{text}");
        };
        check(r#"{"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": 2}]}"#, None);
        check(r#"{"a": 1, "b": 2, "a": 3}"#, Some(("a", 17)));
        check(r#"{"b": {"a": 1 , "a" :3}}"#, Some(("a", 16)));
        check(r#"{"a": "a", "b": ["a", "a"]}"#, None);
        check(r#"{"a\"": 1, "a": 2, "\u0061": 3}"#, Some(("a", 19)));
        check("{}", None);
        check("\"", None);
    }
}
