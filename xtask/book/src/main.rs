//! Builds the manual as a book: mdBook with search, and mathematics as MathML. `cargo xtask book`
//! runs it.
//!
//! mdBook is a library here, so that nothing needs to be installed, and formulas are converted in
//! the same process.

mod math;

use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use math::Mathematics;
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use mdbook_driver::errors::Result;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [pages, out] = &words[..] else {
        eprintln!(
            "Usage: rotule-book PAGES OUT\n\nBuilds the Markdown files of a folder as a book."
        );
        return ExitCode::from(2);
    };
    match build(Path::new(pages), Path::new(out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the pages that `SUMMARY.md` lists and writes the book.
fn build(pages: &Path, out: &Path) -> Result<()> {
    let mut config = Config::from_str(include_str!("../book.toml"))?;
    config.book.src = pages.to_path_buf();
    config.build.build_dir = out.to_path_buf();
    // A page that is listed and does not exist is a mistake, not a page to begin.
    config.build.create_missing = false;
    let mut book = MDBook::load_with_config(".", config)?;
    book.with_preprocessor(Mathematics);
    book.build()
}
