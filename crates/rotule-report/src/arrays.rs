//! Matrices in the formats that numerical programs open by themselves: NumPy's `.npz`, which is an
//! archive of `.npy` files, and MATLAB's `.mat` of level 5, which SciPy and Octave read, too.
//!
//! Both are written without compression, and by a page of code each; the same arrays give the same
//! bytes.

use crate::picture::checksum;

/// A named array of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedArray {
    /// Its name, an identifier.
    pub name: String,
    /// Its content.
    pub content: ArrayContent,
}

/// The content of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayContent {
    /// A matrix: rows, columns, numbers by rows.
    Matrix(usize, usize, Vec<f64>),
    /// A single number.
    Number(f64),
    /// A list of texts.
    Texts(Vec<String>),
}

/// The bytes of a `.npz` file.
pub fn npz(arrays: &[NamedArray]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for array in arrays {
        let name = format!("{}.npy", array.name);
        let data = npy(&array.content);
        let start = file.len() as u32;
        // Version 2.0, no flags, stored, the first of January 1980; checksum and sizes.
        let mut common = Vec::new();
        for number in [20_u16, 0, 0, 0, 0x21] {
            common.extend(number.to_le_bytes());
        }
        for number in [checksum(&data), data.len() as u32, data.len() as u32] {
            common.extend(number.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        file.extend(b"PK\x03\x04");
        file.extend(&common);
        file.extend(name.as_bytes());
        file.extend(&data);
        directory.extend(b"PK\x01\x02");
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&common);
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, count) = (file.len() as u32, arrays.len() as u16);
    let length = directory.len() as u32;
    file.extend(directory);
    file.extend(b"PK\x05\x06");
    for number in [0, 0, count, count] {
        file.extend(number.to_le_bytes());
    }
    file.extend(length.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend(0_u16.to_le_bytes());
    file
}

/// The bytes of a `.npy` file.
fn npy(content: &ArrayContent) -> Vec<u8> {
    let (kind, shape, data) = match content {
        ArrayContent::Number(number) => {
            ("<f8".to_owned(), "()".to_owned(), number.to_le_bytes().to_vec())
        }
        ArrayContent::Matrix(rows, columns, numbers) => {
            let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
            ("<f8".to_owned(), format!("({rows}, {columns})"), bytes.collect())
        }
        ArrayContent::Texts(texts) => {
            let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
            let mut bytes = Vec::new();
            for text in texts {
                let letters = text.chars().map(u32::from).chain(std::iter::repeat(0));
                letters.take(longest).for_each(|letter| bytes.extend(letter.to_le_bytes()));
            }
            (format!("<U{longest}"), format!("({},)", texts.len()), bytes)
        }
    };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version and length are ten bytes; the header ends a line and a block of 64.
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

/// The types of data in a `.mat` file.
const INT8: u32 = 1;
const UINT16: u32 = 4;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const DOUBLE: u32 = 9;
const MATRIX: u32 = 14;
/// The classes of arrays.
const CELL: u32 = 1;
const CHARACTERS: u32 = 4;
const NUMBERS: u32 = 6;

/// The bytes of a `.mat` file of level 5.
pub fn mat(arrays: &[NamedArray]) -> Vec<u8> {
    let mut file = format!("{:<116}", "MATLAB 5.0 MAT-file, written by Rotule").into_bytes();
    file.extend([0; 8]);
    file.extend(0x0100_u16.to_le_bytes());
    file.extend(b"IM");
    for array in arrays {
        element(&mut file, MATRIX, &array_of(&array.name, &array.content));
    }
    file
}

/// An element with its type and length, filled up to eight bytes.
fn element(out: &mut Vec<u8>, kind: u32, data: &[u8]) {
    out.extend(kind.to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out.resize(out.len().next_multiple_of(8), 0);
}

/// Flags, size and name of an array.
fn head(class: u32, rows: usize, columns: usize, name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    element(&mut out, UINT32, &[class.to_le_bytes(), [0; 4]].concat());
    element(
        &mut out,
        INT32,
        &[(rows as u32).to_le_bytes(), (columns as u32).to_le_bytes()].concat(),
    );
    element(&mut out, INT8, name.as_bytes());
    out
}

fn array_of(name: &str, content: &ArrayContent) -> Vec<u8> {
    match content {
        ArrayContent::Number(number) => array_of(name, &ArrayContent::Matrix(1, 1, vec![*number])),
        ArrayContent::Matrix(rows, columns, numbers) => {
            let mut out = head(NUMBERS, *rows, *columns, name);
            let places = (0..*columns).flat_map(|column| (0..*rows).map(move |row| (row, column)));
            let bytes: Vec<u8> = places
                .flat_map(|(row, column)| numbers[row * columns + column].to_le_bytes())
                .collect();
            element(&mut out, DOUBLE, &bytes);
            out
        }
        ArrayContent::Texts(texts) => {
            let mut out = head(CELL, texts.len(), 1, name);
            for text in texts {
                let letters: Vec<u16> = text.encode_utf16().collect();
                let mut cell = head(CHARACTERS, 1, letters.len(), "");
                let bytes: Vec<u8> =
                    letters.iter().flat_map(|letter| letter.to_le_bytes()).collect();
                element(&mut cell, UINT16, &bytes);
                element(&mut out, MATRIX, &cell);
            }
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ArrayContent, NamedArray, mat, npz};

    fn arrays() -> Vec<NamedArray> {
        let named = |name: &str, content| NamedArray { name: name.to_owned(), content };
        vec![
            named("A", ArrayContent::Matrix(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
            named("none", ArrayContent::Matrix(0, 2, Vec::new())),
            named("dt", ArrayContent::Number(0.25)),
            named("states", ArrayContent::Texts(vec!["q1".to_owned(), "größe".to_owned()])),
        ]
    }

    /// Sizes, alignment and checksums, which readers of others check first. Their own reading of
    /// the files is a test of the program.
    #[test]
    fn files_are_whole() {
        let file = npz(&arrays());
        assert_eq!(&file[..4], b"PK\x03\x04");
        let header = file.windows(6).position(|one| one == b"\x93NUMPY").expect("an array");
        let length = u16::from_le_bytes([file[header + 8], file[header + 9]]) as usize;
        assert_eq!((10 + length) % 64, 0);
        assert_eq!(file[header + 10 + length..][..8], 1.0_f64.to_le_bytes());
        let file = mat(&arrays());
        assert_eq!(file.len() % 8, 0);
        let mut at = 128;
        let mut count = 0;
        while at < file.len() {
            assert_eq!(file[at], 14);
            at += 8 + u32::from_le_bytes([file[at + 4], file[at + 5], file[at + 6], file[at + 7]])
                as usize;
            count += 1;
        }
        assert_eq!((at, count), (file.len(), 4));
    }
}
