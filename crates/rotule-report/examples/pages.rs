//! Writes the demonstration pages into a folder, to be looked at: `cargo run -p rotule-report
//! --example pages FOLDER`.

use rotule_testing::demos;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

fn main() -> io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_string());
    for (name, page) in demos::all() {
        let path = Path::new(&folder).join(format!("{name}.html"));
        let mut file = BufWriter::new(File::create(&path)?);
        page.write(&mut file)?;
        file.flush()?;
        println!("{}", path.display());
    }
    Ok(())
}
