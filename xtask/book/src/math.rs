//! Formulas of the pages, written as LaTeX between `$` or `$$`, as MathML, which browsers show
//! without help.

use mdbook_driver::errors::{Error, Result};
use mdbook_markdown::pulldown_cmark::{Event, Options, Parser as Markdown};
use mdbook_preprocessor::book::Book;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

/// The step of mdBook that converts formulas.
pub struct Mathematics;

impl Preprocessor for Mathematics {
    fn name(&self) -> &str {
        "mathematics"
    }

    fn run(&self, _: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let mut outcome = Ok(());
        book.for_each_chapter_mut(|chapter| match converted(&chapter.content) {
            Ok(content) => chapter.content = content,
            Err(error) => outcome = Err(Error::msg(format!("{}: {error}", chapter.name))),
        });
        outcome.map(|()| book)
    }
}

/// The page with its formulas converted; a formula that cannot be read is named.
///
/// Markdown itself says where formulas are, so that a `$` in code stays what it is.
fn converted(page: &str) -> std::result::Result<String, String> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_MATH;
    let mut text = String::with_capacity(page.len());
    let mut end = 0;
    for (event, range) in Markdown::new_ext(page, options).into_offset_iter() {
        let (formula, mode) = match event {
            Event::InlineMath(formula) => (formula, DisplayMode::Inline),
            Event::DisplayMath(formula) => (formula, DisplayMode::Block),
            _ => continue,
        };
        text.push_str(&page[end..range.start]);
        text.push_str(&mathml(&formula, mode)?);
        end = range.end;
    }
    text.push_str(&page[end..]);
    Ok(text)
}

/// A formula as MathML on one line, with everything escaped that Markdown would read as its own.
fn mathml(formula: &str, display_mode: DisplayMode) -> std::result::Result<String, String> {
    let storage = Storage::new();
    let mut failed = None;
    let events = Parser::new(formula, &storage).inspect(|event| {
        if let Err(error) = event {
            failed = Some(error.to_string());
        }
    });
    let mut text = String::new();
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    push_mathml(&mut text, events, config).map_err(|error| error.to_string())?;
    if let Some(error) = failed {
        return Err(format!("the formula ${formula}$ cannot be read: {error}"));
    }
    let marks = [
        ("\n", " "),
        // The renderer escapes the blank that it writes itself.
        ("&amp;nbsp;", "\u{a0}"),
        ("*", "&#42;"),
        ("_", "&#95;"),
        ("~", "&#126;"),
        ("`", "&#96;"),
        ("\\", "&#92;"),
        ("[", "&#91;"),
        ("|", "&#124;"),
    ];
    Ok(marks.iter().fold(text, |text, (mark, escaped)| text.replace(mark, escaped)))
}

#[cfg(test)]
mod tests {
    use super::converted;

    #[test]
    fn formulas_become_mathml() {
        let page =
            converted("The mass matrix $M_{ij}$ of\n\n$$ M \\ddot q +\\ c = Q $$\n").unwrap();
        assert!(page.starts_with("The mass matrix <math"), "{page}");
        assert!(page.contains("<msub>") && page.contains("display=\"block\""), "{page}");
        assert!(!page.contains('$') && !page.contains("M_"), "{page}");
        assert!(!page.contains("nbsp"), "{page}");
    }

    #[test]
    fn signs_of_markdown_are_escaped() {
        let page = converted("$\\tilde a \\tilde b$ and $a * b * c$\n").unwrap();
        assert!(!page.contains(['~', '*', '_', '`']), "{page}");
    }

    #[test]
    fn code_keeps_its_dollars() {
        let page = "Type `$HOME` and `$x$`:\n\n```sh\necho $a $b\n```\n";
        assert_eq!(converted(page).unwrap(), page);
    }

    #[test]
    fn a_formula_that_cannot_be_read_is_named() {
        let error = converted("Of $\\fraction{1}{2}$.").unwrap_err();
        assert!(error.contains("\\fraction{1}{2}"), "{error}");
    }
}
