//! Parquet files read by Apache Arrow, a code nobody here wrote. `cargo xtask browser` provides it.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::PathBuf;
use std::process::Command;

use rotule_report::medium::Medium;
use rotule_report::table::{Csv, Parquet, Rows};
use std::io;

/// Prints the schema, the units and the sums of all columns, which are exact here.
const SCRIPT: &str = r#"
import sys
import pyarrow.parquet
file = pyarrow.parquet.ParquetFile(sys.argv[1])
table = file.read()
table.validate(full=True)
print(table.num_rows, file.num_row_groups)
for name in table.column_names:
    column = table.column(name)
    unit = (file.metadata.metadata or {}).get(f"unit:{name}".encode(), b"").decode()
    print(name, column.type, column.null_count, sum(v for v in column.to_pylist() if v == v), unit)
"#;

fn read(path: &PathBuf) -> String {
    let python = std::env::var("ROTULE_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let output = Command::new(&python).args(["-c", SCRIPT]).arg(path).output();
    let output = output.unwrap_or_else(|error| panic!("`{python}` could not be started: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

#[test]
fn arrow_reads_what_was_written() {
    let path = file("long.parquet");
    let out = BufWriter::new(File::create(&path).unwrap());
    let mut table = Parquet::new(out, &["t", "crank.q", "ω, µ"], Some(&["s", "rad", ""])).unwrap();
    // More rows than one group, and not a multiple.
    for k in 0..150_000 {
        let x = f64::from(k);
        table.row(&[x, if k == 7 { f64::NAN } else { -0.5 }, x * x]).unwrap();
    }
    table.finish().unwrap();
    let squares: f64 = (0..150_000).map(|k| f64::from(k) * f64::from(k)).sum();
    let expected = format!(
        "150000 3\nt double 0 {:.1} s\ncrank.q double 0 {:.1} rad\nω, µ double 0 {:.1}",
        150_000.0 * 149_999.0 / 2.0,
        -0.5 * 149_999.0,
        squares
    );
    assert_eq!(read(&path).trim(), expected);
}

#[test]
fn many_columns_and_no_rows_are_tables_too() {
    let names: Vec<String> = (0..300).map(|k| format!("x{k}")).collect();
    for rows in [0, 3] {
        let path = file(&format!("wide-{rows}.parquet"));
        let mut table = Parquet::new(File::create(&path).unwrap(), &names, None).unwrap();
        for row in 0..rows {
            table.row(&[f64::from(row); 300]).unwrap();
        }
        table.finish().unwrap();
        let text = read(&path);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], format!("{rows} {}", u32::from(rows > 0)));
        assert_eq!(lines.len(), 301);
    }
}

#[test]
fn arrow_reads_the_same_numbers_from_text() {
    let path = file("text.csv");
    let mut table = Csv::new(File::create(&path).unwrap(), &["t", "a,b"], None).unwrap();
    table.row(&[0.1, 1e-300]).unwrap();
    table.row(&[0.2, f64::INFINITY]).unwrap();
    table.finish().unwrap();
    let python = std::env::var("ROTULE_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let script = "import sys, pyarrow.csv; print(pyarrow.csv.read_csv(sys.argv[1]).to_pydict())";
    let output = Command::new(python).args(["-c", script]).arg(&path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.trim(), "{'t': [0.1, 0.2], 'a,b': [1e-300, inf]}");
}

#[test]
fn arrow_reads_a_column_of_words() {
    let path = file("words.parquet");
    let names = ["sample", "verdict"];
    let mut table = Parquet::new(File::create(&path).unwrap(), &names, None).unwrap().with_text();
    for k in 0..70_000 {
        let word = if k % 2 == 0 { "ok" } else { "energy+range" };
        table.labelled(&[f64::from(k)], word).unwrap();
    }
    assert!(table.row(&[1.0]).is_err() && table.row(&[1.0, 2.0]).is_err());
    table.finish().unwrap();
    let python = std::env::var("ROTULE_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let script = "import sys, pyarrow.parquet as p; t = p.read_table(sys.argv[1]); t.validate(full=True); \
                  v = t['verdict'].to_pylist(); print(t.schema.types, len(v), v.count('ok'), v[69999])";
    let output = Command::new(python).args(["-c", script]).arg(&path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let expected = "[DataType(double), DataType(string)] 70000 35000 energy+range";
    assert_eq!(text.trim(), expected, "{}", String::from_utf8_lossy(&output.stderr));
}

/// A file whose writer is killed after so many actions.
struct Killed(File, usize);

impl Killed {
    fn act(&mut self, action: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        self.1 = self.1.checked_sub(1).ok_or(io::ErrorKind::Interrupted)?;
        action(&mut self.0)
    }
}

impl Medium for Killed {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.act(|file| file.write_at(offset, bytes))
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.act(|file| file.cut(length))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn is_file(&self) -> bool {
        true
    }
}

#[test]
fn arrow_reads_a_file_whose_writer_was_killed() {
    let mut files = Vec::new();
    let mut flushed = Vec::new();
    for actions in 4..60 {
        let path = file(&format!("killed-{actions}.parquet"));
        let out = Killed(File::create(&path).unwrap(), actions);
        let mut table = Parquet::on(out, &["t", "x"], None).unwrap().with_rows_per_group(10);
        let mut known = 0;
        let mut go = || {
            table.flush()?;
            for k in 0..200 {
                table.row(&[f64::from(k), 0.5])?;
                if k % 7 == 0 || k % 5 == 0 {
                    table.flush()?;
                    known = k + 1;
                }
            }
            Ok::<_, io::Error>(())
        };
        assert!(go().is_err(), "{actions}");
        files.push(path);
        flushed.push(known);
    }
    assert!(flushed.iter().any(|&rows| rows > 40), "{flushed:?}");
    let python = std::env::var("ROTULE_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let script = "import sys, pyarrow.parquet as p\n\
                  for path in sys.argv[1:]:\n t = p.read_table(path)['t'].to_pylist(); assert t == list(range(len(t))); print(len(t))";
    let output = Command::new(python).args(["-c", script]).args(&files).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let found: Vec<i32> = text.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(found.len(), files.len(), "{}", String::from_utf8_lossy(&output.stderr));
    for (found, flushed) in found.iter().zip(&flushed) {
        assert!(found >= flushed, "{found} {flushed}");
    }
}
