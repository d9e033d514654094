//! Reads Parquet as it is written here, and as others write it without compression and
//! dictionaries: columns of numbers without gaps.
//!
//! Every length of a file is checked before it is used: a file may be hostile.

use super::MAGIC;
use std::collections::BTreeMap;

/// A table of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberTable {
    /// Names of the columns, with the units that the file has, as in `x [m]`.
    pub headings: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<f64>>,
}

/// The deepest nesting of metadata that is followed.
const DEPTH: usize = 16;
/// The most numbers of a table.
const NUMBERS: usize = 50_000_000;

// Of `parquet.thrift`: Type.
const INT32: i64 = 1;
const INT64: i64 = 2;
const FLOAT: i64 = 4;
const DOUBLE: i64 = 5;

/// A value of Thrift's compact protocol.
enum Field {
    Number(i64),
    Text(Vec<u8>),
    List(Vec<Field>),
    Struct(BTreeMap<i64, Field>),
    Other,
}

impl Field {
    fn field(&self, id: i64) -> Option<&Field> {
        match self {
            Field::Struct(fields) => fields.get(&id),
            _ => None,
        }
    }

    fn number(&self, id: i64) -> Option<i64> {
        match self.field(id) {
            Some(Field::Number(number)) => Some(*number),
            _ => None,
        }
    }

    fn list(&self, id: i64) -> &[Field] {
        match self.field(id) {
            Some(Field::List(list)) => list,
            _ => &[],
        }
    }

    fn text(&self, id: i64) -> String {
        match self.field(id) {
            Some(Field::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        }
    }
}

/// A walk over bytes.
struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

type Read<T> = Result<T, String>;

impl<'a> Walk<'a> {
    fn byte(&mut self) -> Read<u8> {
        let byte = self.bytes.get(self.at).copied().ok_or("the file ends within its metadata")?;
        self.at += 1;
        Ok(byte)
    }

    fn take(&mut self, length: usize) -> Read<&'a [u8]> {
        let end = self.at.checked_add(length).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or("the file ends within a page")?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn varint(&mut self) -> Read<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a number of the metadata has no end".to_owned())
    }

    fn signed(&mut self) -> Read<i64> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn value(&mut self, kind: u8, depth: usize) -> Read<Field> {
        if depth > DEPTH {
            return Err("the metadata are nested too deep".to_owned());
        }
        Ok(match kind {
            1 | 2 => Field::Number(i64::from(kind == 1)),
            3 => Field::Number(i64::from(self.byte()? as i8)),
            4..=6 => Field::Number(self.signed()?),
            7 => {
                self.take(8)?;
                Field::Other
            }
            8 => {
                let length = self.varint()? as usize;
                Field::Text(self.take(length)?.to_vec())
            }
            9 | 10 => {
                let head = self.byte()?;
                let length = match head >> 4 {
                    15 => self.varint()? as usize,
                    short => usize::from(short),
                };
                // Each item has a byte at least, but for what no list here has.
                if length > self.bytes.len() - self.at {
                    return Err("a list of the metadata is longer than the file".to_owned());
                }
                let mut list = Vec::new();
                for _ in 0..length {
                    list.push(self.value(head & 0x0f, depth + 1)?);
                }
                Field::List(list)
            }
            12 => {
                let (mut fields, mut id) = (BTreeMap::new(), 0_i64);
                loop {
                    let head = self.byte()?;
                    if head == 0 {
                        break Field::Struct(fields);
                    }
                    id = match head >> 4 {
                        0 => self.signed()?,
                        step => id + i64::from(step),
                    };
                    fields.insert(id, self.value(head & 0x0f, depth + 1)?);
                }
            }
            _ => return Err(format!("the metadata have a value of the unknown type {kind}")),
        })
    }
}

/// Reads a table; what is at fault, in words, if it cannot be read.
pub fn read_parquet(bytes: &[u8]) -> Result<NumberTable, String> {
    let end = bytes.len().checked_sub(8).filter(|_| bytes.starts_with(&MAGIC));
    let end = end.filter(|_| bytes.ends_with(&MAGIC)).ok_or("this is no Parquet file")?;
    let length = u32::from_le_bytes([bytes[end], bytes[end + 1], bytes[end + 2], bytes[end + 3]]);
    let start = end.checked_sub(length as usize).ok_or("the metadata are longer than the file")?;
    let metadata = Walk { bytes: &bytes[start..end], at: 0 }.value(12, 0)?;
    let (schema, groups) = (metadata.list(2), metadata.list(4));
    let columns = schema.get(1..).unwrap_or_default();
    if columns.is_empty() {
        return Err("the table has no columns".to_owned());
    }
    let count = metadata.number(3).and_then(|rows| usize::try_from(rows).ok()).unwrap_or(0);
    if count.checked_mul(columns.len()).is_none_or(|numbers| numbers > NUMBERS) {
        return Err(format!("the table has more than {NUMBERS} numbers"));
    }
    let mut headings = Vec::new();
    for column in columns {
        if column.number(5).is_some_and(|children| children > 0) {
            return Err(format!("column `{}` has columns of its own", column.text(4)));
        }
        headings.push(column.text(4));
    }
    // As they are written here: the units beside the names.
    for entry in metadata.list(5) {
        let (key, unit) = (entry.text(1), entry.text(2));
        let named = key.strip_prefix("unit:").map(str::to_owned);
        let place = headings.iter().position(|heading| Some(heading) == named.as_ref());
        if let (Some(at), false) = (place, unit.is_empty()) {
            headings[at] = format!("{} [{unit}]", headings[at]);
        }
    }
    let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); columns.len()];
    for group in groups {
        for (at, chunk) in group.list(1).iter().enumerate().take(columns.len()) {
            let name = columns[at].text(4);
            let fault = |what: String| format!("column `{name}`: {what}");
            let optional = columns[at].number(3) == Some(1);
            let found = chunk.field(3).ok_or_else(|| fault("no pages are known".to_owned()))?;
            column(bytes, found, optional, count, &mut numbers[at]).map_err(fault)?;
        }
    }
    let rows = numbers.iter().map(Vec::len).min().unwrap_or(0);
    if numbers.iter().any(|column| column.len() != rows) {
        return Err("the columns have different lengths".to_owned());
    }
    let row = |at: usize| numbers.iter().map(|column| column[at]).collect();
    Ok(NumberTable { headings, rows: (0..rows).map(row).collect() })
}

/// Reads the pages of a column of one group.
fn column(
    bytes: &[u8],
    chunk: &Field,
    optional: bool,
    most: usize,
    out: &mut Vec<f64>,
) -> Result<(), String> {
    let kind = chunk.number(1).unwrap_or(-1);
    let width = match kind {
        INT32 | FLOAT => 4,
        INT64 | DOUBLE => 8,
        _ => return Err("it is no column of numbers".to_owned()),
    };
    if chunk.number(4).unwrap_or(0) != 0 {
        return Err("it is compressed".to_owned());
    }
    if chunk.number(11).is_some() {
        return Err("it has a dictionary".to_owned());
    }
    let values = chunk.number(5).and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    if values > most {
        return Err("it has more numbers than the table has rows".to_owned());
    }
    let offset = chunk.number(9).and_then(|at| usize::try_from(at).ok()).unwrap_or(bytes.len());
    let mut walk = Walk { bytes, at: offset.min(bytes.len()) };
    let mut left = values;
    while left > 0 {
        let header = walk.value(12, 0)?;
        let size = header.number(3).and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
        let page = walk.take(size)?;
        let data = header.field(5).ok_or("it has pages of another version")?;
        if data.number(2) != Some(0) {
            return Err("it is encoded in another way than plainly".to_owned());
        }
        let count = data.number(1).and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
        if count == 0 || count > left {
            return Err("a page has an impossible number of values".to_owned());
        }
        let mut page = Walk { bytes: page, at: 0 };
        if optional {
            let length = page.take(4)?;
            let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
            if let Some(gap) = first_gap(page.take(length as usize)?, count)? {
                return Err(format!("the number of row {} is missing", out.len() + gap + 1));
            }
        }
        for _ in 0..count {
            let raw = page.take(width)?;
            let four = || [raw[0], raw[1], raw[2], raw[3]];
            let eight = || [raw[0], raw[1], raw[2], raw[3], raw[4], raw[5], raw[6], raw[7]];
            out.push(match kind {
                INT32 => f64::from(i32::from_le_bytes(four())),
                FLOAT => f64::from(f32::from_le_bytes(four())),
                INT64 => i64::from_le_bytes(eight()) as f64,
                _ => f64::from_le_bytes(eight()),
            });
        }
        left -= count;
    }
    Ok(())
}

/// The position of the first value of a page that does not exist, by levels of one bit.
fn first_gap(levels: &[u8], count: usize) -> Result<Option<usize>, String> {
    let mut walk = Walk { bytes: levels, at: 0 };
    let mut seen = 0_usize;
    while seen < count {
        let head = walk.varint()?;
        if head & 1 == 0 {
            if walk.byte()? != 1 {
                return Ok(Some(seen));
            }
            seen = seen.saturating_add((head >> 1) as usize);
            if head >> 1 == 0 {
                return Err("its levels have an empty run".to_owned());
            }
        } else {
            let bytes = walk.take((head >> 1) as usize)?;
            if bytes.is_empty() {
                return Err("its levels have an empty run".to_owned());
            }
            for byte in bytes {
                let own = (count - seen).min(8);
                if let Some(gap) = (0..own).find(|bit| byte >> bit & 1 == 0) {
                    return Ok(Some(seen + gap));
                }
                seen += own;
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Parquet, Rows};

    #[test]
    fn gaps_are_found_in_runs_and_in_bits() {
        assert_eq!(first_gap(&[6, 1, 4, 0], 5), Ok(Some(3)));
        assert_eq!(first_gap(&[6, 1, 4, 1], 5), Ok(None));
        assert_eq!(first_gap(&[3, 0b101], 3), Ok(Some(1)));
        assert_eq!(first_gap(&[4, 1, 3, 0b011], 4), Ok(None));
        assert!(first_gap(&[0, 1], 1).is_err());
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut bytes = Vec::new();
        let names = ["t [s]".to_owned(), "u [m]".to_owned()];
        let mut table = Parquet::new(&mut bytes, &names, None).expect("memory takes it");
        let rows: Vec<Vec<f64>> =
            (0..9).map(|k| vec![f64::from(k), 0.5 / f64::from(k + 1)]).collect();
        rows.iter().for_each(|row| table.row(row).expect("memory takes it"));
        table.finish().expect("memory takes it");
        drop(table);
        let read = read_parquet(&bytes).expect("it was written so");
        assert_eq!(read.rows, rows);
        assert_eq!(read.headings, names);
        // Every part of it, and every change of a byte, ends in a table or in words.
        for end in 0..bytes.len() {
            assert!(read_parquet(&bytes[..end]).is_err());
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x55;
            let _ = read_parquet(&other);
        }
    }
}
