//! The metadata of a Parquet file: the schema, and where the pages of each group of rows are. Field
//! numbers are those of `parquet.thrift`, which the comments name.

use super::thrift::{BINARY, I32, I64, STRUCT, Thrift, zigzag};

// Of `parquet.thrift`: Type, Encoding, ConvertedType.
const DOUBLE: i64 = 5;
const BYTE_ARRAY: i64 = 6;
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const UTF8: i64 = 0;

/// The columns of a file.
pub struct Schema {
    pub names: Vec<String>,
    pub units: Vec<String>,
    /// `true` if the last column is text; all others are numbers.
    pub text: bool,
}

/// A group of rows: how many, and where the page of each column begins and how long it is.
#[derive(Clone)]
pub struct Group {
    pub rows: usize,
    pub pages: Vec<(u64, u64)>,
}

impl Group {
    /// This group farther behind in the file.
    pub fn moved(mut self, by: u64) -> Group {
        self.pages.iter_mut().for_each(|page| page.0 += by);
        self
    }
}

impl Schema {
    /// The type of a column.
    fn kind(&self, column: usize) -> i64 {
        if self.text && column + 1 == self.names.len() { BYTE_ARRAY } else { DOUBLE }
    }

    /// FileMetaData, its length, and the magic word: the end of a file.
    pub fn footer(&self, groups: &[Group]) -> Vec<u8> {
        let mut thrift = Thrift::default();
        thrift.number(1, I32, 2);
        thrift.list(2, STRUCT, self.names.len() + 1);
        // SchemaElement: the root with its children, then the columns, none of which is optional.
        thrift.item();
        thrift.text(4, "rotule");
        thrift.number(5, I32, self.names.len() as i64);
        thrift.end();
        for (column, name) in self.names.iter().enumerate() {
            thrift.item();
            thrift.number(1, I32, self.kind(column));
            thrift.number(3, I32, 0);
            thrift.text(4, name);
            if self.kind(column) == BYTE_ARRAY {
                thrift.number(6, I32, UTF8);
            }
            thrift.end();
        }
        thrift.number(3, I64, groups.iter().map(|group| group.rows as i64).sum());
        thrift.list(4, STRUCT, groups.len());
        for group in groups {
            self.row_group(&mut thrift, group);
        }
        // KeyValue
        if !self.units.is_empty() {
            thrift.list(5, STRUCT, self.names.len().min(self.units.len()));
            for (name, unit) in self.names.iter().zip(&self.units) {
                thrift.item();
                thrift.text(1, &format!("unit:{name}"));
                thrift.text(2, unit);
                thrift.end();
            }
        }
        thrift.text(6, "Rotule");
        thrift.end();
        let length = thrift.bytes.len() as u32;
        thrift.bytes.extend(length.to_le_bytes());
        thrift.bytes.extend(super::MAGIC);
        thrift.bytes
    }

    /// RowGroup
    fn row_group(&self, thrift: &mut Thrift, group: &Group) {
        thrift.item();
        thrift.list(1, STRUCT, group.pages.len());
        let pages = self.names.iter().zip(&group.pages).enumerate();
        for (column, (name, &(offset, length))) in pages {
            // ColumnChunk
            thrift.item();
            thrift.number(2, I64, offset as i64);
            thrift.begin(3);
            // ColumnMetaData
            thrift.number(1, I32, self.kind(column));
            thrift.list(2, I32, 2);
            thrift.varint(zigzag(PLAIN));
            thrift.varint(zigzag(RLE));
            thrift.list(3, BINARY, 1);
            thrift.string(name);
            thrift.number(4, I32, 0);
            thrift.number(5, I64, group.rows as i64);
            thrift.number(6, I64, length as i64);
            thrift.number(7, I64, length as i64);
            thrift.number(9, I64, offset as i64);
            thrift.end();
            thrift.end();
        }
        thrift.number(2, I64, group.pages.iter().map(|page| page.1 as i64).sum());
        thrift.number(3, I64, group.rows as i64);
        thrift.end();
    }
}

/// PageHeader with a DataPageHeader.
pub fn page_header(rows: usize, bytes: usize) -> Vec<u8> {
    let mut thrift = Thrift::default();
    thrift.number(1, I32, 0);
    thrift.number(2, I32, bytes as i64);
    thrift.number(3, I32, bytes as i64);
    thrift.begin(5);
    thrift.number(1, I32, rows as i64);
    thrift.number(2, I32, PLAIN);
    thrift.number(3, I32, RLE);
    thrift.number(4, I32, RLE);
    thrift.end();
    thrift.end();
    thrift.bytes
}
