//! A reader of the Parquet files that this project writes, from their end as every reader does. It
//! knows the format and not the writer: offsets, lengths and types come from the metadata alone,
//! and nothing may lie outside of the file.

use std::collections::BTreeMap;

/// A table: names, and rows of numbers, each with the word of its column of text if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The rows: numbers, and the word of a column of text.
    pub rows: Vec<(Vec<f64>, Option<String>)>,
}

/// A value of Thrift's compact protocol.
#[derive(Clone, Debug)]
enum Value {
    Number(i64),
    Text(Vec<u8>),
    List(Vec<Value>),
    Struct(BTreeMap<i64, Value>),
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        self.at += 1;
        self.bytes.get(self.at - 1).copied()
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn number(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn value(&mut self, kind: u8) -> Option<Value> {
        match kind {
            5 | 6 => Some(Value::Number(self.number()?)),
            8 => {
                let length = self.varint()? as usize;
                let text = self.bytes.get(self.at..)?.get(..length)?.to_vec();
                self.at += length;
                Some(Value::Text(text))
            }
            9 => {
                let head = self.byte()?;
                let length =
                    if head >> 4 == 15 { self.varint()? as usize } else { usize::from(head >> 4) };
                (0..length).map(|_| self.value(head & 15)).collect::<Option<_>>().map(Value::List)
            }
            12 => self.fields().map(Value::Struct),
            _ => None,
        }
    }

    fn fields(&mut self) -> Option<BTreeMap<i64, Value>> {
        let (mut fields, mut last) = (BTreeMap::new(), 0);
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(fields);
            }
            last = if head >> 4 == 0 { self.number()? } else { last + i64::from(head >> 4) };
            fields.insert(last, self.value(head & 15)?);
        }
    }
}

impl Value {
    fn field(&self, id: i64) -> Option<&Value> {
        match self {
            Value::Struct(fields) => fields.get(&id),
            _ => None,
        }
    }

    fn number(&self, id: i64) -> Option<i64> {
        match self.field(id)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn list(&self, id: i64) -> Option<&[Value]> {
        match self.field(id)? {
            Value::List(values) => Some(values),
            _ => None,
        }
    }

    fn text(&self, id: i64) -> Option<String> {
        match self.field(id)? {
            Value::Text(bytes) => String::from_utf8(bytes.clone()).ok(),
            _ => None,
        }
    }
}

/// Reads a file; none if it is not one of Parquet from its first byte to its last.
pub fn read(file: &[u8]) -> Option<Table> {
    let closing = file.len().checked_sub(8)?;
    let (length, magic) = file[closing..].split_at(4);
    if !file.starts_with(b"PAR1") || magic != b"PAR1" {
        return None;
    }
    let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
    let metadata = file.get(closing.checked_sub(length)?..closing)?;
    let metadata = Value::Struct(Reader { bytes: metadata, at: 0 }.fields()?);
    let schema = metadata.list(2)?.get(1..)?;
    let names = schema.iter().map(|column| column.text(4)).collect::<Option<Vec<_>>>()?;
    let is_text: Vec<bool> = schema.iter().map(|column| column.number(1) == Some(6)).collect();
    let mut rows = Vec::new();
    for group in metadata.list(4)? {
        let count = group.number(3)? as usize;
        let start = rows.len();
        rows.resize(start + count, (Vec::new(), None));
        let chunks = group.list(1)?;
        if chunks.len() != names.len() {
            return None;
        }
        for (chunk, text) in chunks.iter().zip(&is_text) {
            let column = chunk.field(3)?;
            let offset = column.number(9)? as usize;
            let chunk = file.get(offset..)?.get(..column.number(6)? as usize)?;
            let mut reader = Reader { bytes: chunk, at: 0 };
            let header = reader.value(12)?;
            let page = chunk.get(reader.at..)?;
            let values = header.field(5)?.number(1)? as usize;
            if page.len() != header.number(2)? as usize || values != count {
                return None;
            }
            let mut rest = page;
            for row in &mut rows[start..] {
                if *text {
                    let length = u32::from_le_bytes(rest.get(..4)?.try_into().ok()?) as usize;
                    row.1 = Some(String::from_utf8(rest.get(4..4 + length)?.to_vec()).ok()?);
                    rest = &rest[4 + length..];
                } else {
                    row.0.push(f64::from_le_bytes(rest.get(..8)?.try_into().ok()?));
                    rest = &rest[8..];
                }
            }
            if !rest.is_empty() {
                return None;
            }
        }
    }
    (metadata.number(3)? as usize == rows.len()).then_some(Table { names, rows })
}
