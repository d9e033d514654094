//! Text and numbers as a page can hold them: HTML, JSON inside a `script` element, base64.

use std::fmt::Write as _;
use std::io::{self, Write};

/// Text for the content of an element or a quoted attribute.
pub fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Control characters are no characters of HTML.
            c if c.is_control() && c != '\n' && c != '\t' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The same, where words between backticks are set as code; the escaped text has no markup of its
/// own.
pub fn prose(text: &str) -> String {
    let escaped = html(text);
    let mut fragments = escaped.split('`').peekable();
    let mut set = String::with_capacity(escaped.len());
    let mut code = false;
    while let Some(fragment) = fragments.next() {
        match (code, fragments.peek().is_some()) {
            (true, true) => set += &format!("<code>{fragment}</code>"),
            // A backtick without a partner is only a backtick.
            (true, false) => set += &format!("`{fragment}"),
            (false, _) => set += fragment,
        }
        code = !code;
    }
    set
}

/// A JSON string that stays inside its `script` element: neither `</script>` nor `<!--` can appear.
pub fn json(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => escape(&mut quoted, c),
            c if c.is_control() => escape(&mut quoted, c),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn escape(text: &mut String, c: char) {
    // Writing into a string cannot fail.
    let _ = write!(text, "\\u{:04x}", c as u32);
}

/// A JSON number; what JSON cannot say becomes `null`.
pub fn number(value: f64) -> String {
    // The exponent keeps 1e300 short.
    if !value.is_finite() {
        "null".to_string()
    } else if value == 0.0 || (1e-5..1e15).contains(&value.abs()) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// Bytes of a stream as base64, written as they come.
pub struct Base64<'a, W: Write> {
    out: &'a mut W,
    rest: Vec<u8>,
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl<'a, W: Write> Base64<'a, W> {
    /// An empty stream.
    pub fn new(out: &'a mut W) -> Self {
        Self { out, rest: Vec::with_capacity(3 * 1024 + 8) }
    }

    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.rest.extend_from_slice(bytes);
        if self.rest.len() >= 3 * 1024 {
            let whole = self.rest.len() / 3 * 3;
            self.out.write_all(&groups(&self.rest[..whole]))?;
            self.rest.drain(..whole);
        }
        Ok(())
    }

    /// Writes what is left, with its padding.
    pub fn finish(self) -> io::Result<()> {
        self.out.write_all(&groups(&self.rest))
    }
}

/// Base64 of the bytes, padded.
pub fn groups(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let sextet = (bits >> (18 - 6 * k) & 63) as usize;
            text.push(if k <= chunk.len() { ALPHABET[sextet] } else { b'=' });
        }
    }
    text
}

/// The storage of a curve's values: `value = offset + scale * f32`.
///
/// Single precision shows any curve, once a large constant part is taken off and numbers that it
/// cannot hold are scaled. A total energy of 1e6 that drifts by 1e-6 still shows its drift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Storage {
    /// The offset.
    pub offset: f64,
    /// The scale of the rest.
    pub scale: f64,
}

impl Storage {
    /// The storage that suits these values.
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            return Self { offset: 0.0, scale: 1.0 };
        }
        let largest = high.abs().max(low.abs());
        let half = 0.5 * high - 0.5 * low;
        let offset = if half < 0.01 * largest { low + half } else { 0.0 };
        let rest = if offset == 0.0 { largest } else { half };
        let ordinary = rest == 0.0 || (1e-30..1e30).contains(&rest);
        Self { offset, scale: if ordinary { 1.0 } else { rest } }
    }

    /// The stored number; gaps are NaN.
    pub fn store(self, value: f64) -> f32 {
        if value.is_finite() { ((value - self.offset) / self.scale) as f32 } else { f32::NAN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_element() {
        assert_eq!(
            html("</script><b a='1' b=\"&\">"),
            "&lt;/script&gt;&lt;b a=&#39;1&#39; b=&quot;&amp;&quot;&gt;"
        );
        assert_eq!(html("a\0b\u{1b}\n"), "a\u{fffd}b\u{fffd}\n");
        let text = json("</script><!-- \" \\ \n \u{2028} é");
        assert_eq!(text, r#""\u003c/script\u003e\u003c!-- \" \\ \u000a \u2028 é""#);
    }

    #[test]
    fn code_is_set_apart_in_pairs() {
        for (text, expected) in [
            ("plain", "plain"),
            ("`a` and `<b>`.", "<code>a</code> and <code>&lt;b&gt;</code>."),
            ("a `lone", "a `lone"),
            ("`a` b` c", "<code>a</code> b` c"),
            ("``", "<code></code>"),
        ] {
            assert_eq!(prose(text), expected);
        }
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(groups(bytes.as_bytes()), expected.as_bytes());
        }
        // In fragments of any length it is the same.
        let bytes: Vec<u8> = (0..10_007_u32).map(|k| (k * 31 % 251) as u8).collect();
        let mut text = Vec::new();
        let mut stream = Base64::new(&mut text);
        for fragment in bytes.chunks(7) {
            stream.push(fragment).unwrap();
        }
        stream.finish().unwrap();
        assert_eq!(text, groups(&bytes));
    }

    #[test]
    fn storage_keeps_what_a_curve_shows() {
        let restored = |values: &[f64]| -> Vec<f64> {
            let storage = Storage::of(values.iter().copied());
            let back =
                |value: &f64| storage.offset + storage.scale * f64::from(storage.store(*value));
            values.iter().map(back).collect()
        };
        for values in [
            [1e6, 1e6 + 1e-6, 1e6 - 1e-6],
            [1e300, -1e300, 1e299],
            [-1.7e308, 1.7e308, 0.0],
            [1e-200, 2e-200, -1e-200],
            [0.1, -0.2, 0.3],
            [5.0, 5.0, 5.0],
            [0.0, 0.0, 0.0],
        ] {
            let high = values.iter().copied().fold(f64::MIN, f64::max);
            let range = high / 2.0 - values.iter().copied().fold(f64::MAX, f64::min) / 2.0;
            for (back, value) in restored(&values).iter().zip(values) {
                let size = range.max(value.abs().min(1e290) * 1e-9);
                assert!((back / 2.0 - value / 2.0).abs() <= 1e-7 * size, "{values:?}: {back}");
            }
        }
        let storage = Storage::of([f64::NAN, f64::INFINITY].into_iter());
        assert!(storage.store(f64::INFINITY).is_nan());
        assert_eq!(storage, Storage { offset: 0.0, scale: 1.0 });
    }

    #[test]
    fn numbers_are_json() {
        for (value, expected) in
            [(0.5, "0.5"), (1e300, "1e300"), (-2e-9, "-2e-9"), (f64::NAN, "null"), (3.0, "3")]
        {
            assert_eq!(number(value), expected);
        }
    }
}
