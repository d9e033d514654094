//! Thrift's compact protocol, as far as metadata of Parquet need it.

// Types of the compact protocol.
/// A number of 32 bits.
pub const I32: u8 = 5;
/// A number of 64 bits.
pub const I64: u8 = 6;
/// Text or bytes.
pub const BINARY: u8 = 8;
const LIST: u8 = 9;
/// A struct.
pub const STRUCT: u8 = 12;

/// Thrift's compact protocol; the outermost struct is open from the start.
pub struct Thrift {
    pub bytes: Vec<u8>,
    /// The last field of every open struct: fields are told by their distance.
    last: Vec<u8>,
}

impl Default for Thrift {
    fn default() -> Self {
        Self { bytes: Vec::new(), last: vec![0] }
    }
}

impl Thrift {
    fn field(&mut self, id: u8, kind: u8) {
        if let Some(last) = self.last.last_mut() {
            // All distances here are below sixteen.
            self.bytes.push((id - *last) << 4 | kind);
            *last = id;
        }
    }

    /// A number in a field.
    pub fn number(&mut self, id: u8, kind: u8, value: i64) {
        self.field(id, kind);
        self.varint(zigzag(value));
    }

    /// Text in a field.
    pub fn text(&mut self, id: u8, text: &str) {
        self.field(id, BINARY);
        self.string(text);
    }

    /// Text in a list.
    pub fn string(&mut self, text: &str) {
        self.varint(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Opens a list in a field.
    pub fn list(&mut self, id: u8, kind: u8, length: usize) {
        self.field(id, LIST);
        if length < 15 {
            self.bytes.push((length as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            self.varint(length as u64);
        }
    }

    /// Opens a struct in a field.
    pub fn begin(&mut self, id: u8) {
        self.field(id, STRUCT);
        self.last.push(0);
    }

    /// Opens a struct in a list.
    pub fn item(&mut self) {
        self.last.push(0);
    }

    /// Closes a struct.
    pub fn end(&mut self) {
        self.bytes.push(0);
        self.last.pop();
    }

    /// A number of any length, seven bits to a byte.
    pub fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

/// A number with its sign in the lowest bit.
pub fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_thrift_says() {
        // Examples of the protocol's own description.
        for (value, expected) in [(0, 0), (-1, 1), (1, 2), (-2, 3), (i64::MAX, u64::MAX - 1)] {
            assert_eq!(zigzag(value), expected);
        }
        let mut thrift = Thrift::default();
        thrift.varint(50_399);
        assert_eq!(thrift.bytes, [0xdf, 0x89, 0x03]);
    }
}
