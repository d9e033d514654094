//! Builds the manual as a book: mdBook with search, and mathematics as MathML. `cargo xtask book`
//! runs it.
//!
//! mdBook is a library here, so that nothing needs to be installed, and formulas are converted in
//! the same process. A page that loads something from the network is an error.

mod math;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use math::Mathematics;
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use mdbook_driver::errors::{Error, Result};

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
    book.build()?;
    check_offline(out)
}

/// Checks that no page below a folder needs the network.
fn check_offline(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            check_offline(&path)?;
        } else if path.extension().is_some_and(|ending| ending == "html")
            && let Some(needed) = loaded(&fs::read_to_string(&path)?)
        {
            return Err(Error::msg(format!("{} loads {needed}", path.display())));
        }
    }
    Ok(())
}

/// The address that a page loads from the network, if any. Code that can be run makes the page ask
/// a server; a link that a reader follows loads nothing by itself.
fn loaded(page: &str) -> Option<&str> {
    if page.contains("class=\"playground\"") {
        return Some("what can be run from a server");
    }
    page.split('<').skip(1).find_map(|tag| {
        let tag = tag.split('>').next().unwrap_or(tag);
        let attribute = if tag.starts_with("link ") { "href=\"" } else { "src=\"" };
        let place = tag.split_once(attribute)?.1.split('"').next()?;
        (place.starts_with("http") || place.starts_with("//")).then_some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::loaded;

    #[test]
    fn a_page_that_needs_the_network_is_found() {
        let check =
            |page: &str, expected: Option<&str>| assert_eq!(loaded(page), expected, "{page}");
        check("<p>see <a href=\"https://a.org\">a</a><img src=\"a.png\">", None);
        check("<img alt=\"\" src=\"https://a.org/a.png\">", Some("https://a.org/a.png"));
        check("<link rel=\"stylesheet\" href=\"//a.org/a.css\">", Some("//a.org/a.css"));
        check("<pre><pre class=\"playground\">", Some("what can be run from a server"));
    }
}
