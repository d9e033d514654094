//! Rules about the manual as a book: its table of contents names every page, and its links hold
//! inside the book.

use super::markdown::{link_targets, resolve, slug, slugs};
use super::{Findings, Tree};

/// The folder of the book's pages, and its table of contents.
const FOLDER: &str = "docs/";
const SUMMARY: &str = "docs/SUMMARY.md";

/// Every page of the manual is in the table of contents once, because mdBook leaves out the others.
pub fn summary(tree: &Tree, findings: &mut Findings) {
    let Some(summary) = tree.file(SUMMARY) else {
        findings.error(SUMMARY, 0, "the manual has no table of contents");
        return;
    };
    let listed: Vec<String> =
        link_targets(summary).filter_map(|(_, link)| resolve("docs", link)).collect();
    for (index, page) in listed.iter().enumerate() {
        if listed[..index].contains(page) {
            findings.error(SUMMARY, 0, format!("{page} is listed twice"));
        }
    }
    for page in tree.ending(".md").filter(|page| page.path.starts_with(FOLDER)) {
        if page.path != SUMMARY && !listed.contains(&page.path) {
            findings.error(&page.path, 0, "the page is not in docs/SUMMARY.md");
        }
    }
}

/// A link from a page of the manual stays in the manual, because a built book holds nothing else.
pub fn inside(tree: &Tree, findings: &mut Findings) {
    for page in tree.ending(".md").filter(|page| page.path.starts_with(FOLDER)) {
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (line, link) in link_targets(page) {
            let path = link.split('#').next().unwrap_or("");
            if !resolve(folder, path).is_some_and(|path| format!("{path}/").starts_with(FOLDER)) {
                let message =
                    format!("the link leaves the book: {link}; name the file in backticks");
                findings.error(&page.path, line, message);
            }
        }
    }
}

/// The part of a link behind `#` is the heading of a section on the page it leads to.
pub fn anchors(tree: &Tree, findings: &mut Findings) {
    for page in tree.ending(".md") {
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (line, link) in link_targets(page) {
            let Some((path, anchor)) = link.split_once('#') else { continue };
            let target = match path.is_empty() {
                true => Some(page),
                false => resolve(folder, path).and_then(|path| tree.file(&path)),
            };
            // A page that does not exist is another rule's business.
            if target.is_some_and(|target| !slugs(target).any(|heading| heading == slug(anchor))) {
                findings.error(&page.path, line, format!("the page has no such section: {link}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;

    #[test]
    fn pages_that_are_not_in_the_table_of_contents_are_found() {
        let check = |summary: &str, expected: &[&str]| {
            let files = [("docs/SUMMARY.md", summary), ("docs/a.md", ""), ("docs/b/c.md", "")];
            assert_eq!(broken("contents", &files), expected, "{summary}");
        };
        check("- [A](a.md)\n  - [C](b/c.md)\n", &[]);
        check(
            "- [A](a.md)\n",
            &["error: docs/b/c.md: the page is not in docs/SUMMARY.md [contents]"],
        );
        let twice = "- [A](a.md)\n- [C](b/c.md)\n- [A](./a.md)\n";
        check(twice, &["error: docs/SUMMARY.md: docs/a.md is listed twice [contents]"]);
        assert_eq!(broken("contents", &[("docs/a.md", "")]).len(), 1);
    }

    #[test]
    fn links_that_leave_the_book_are_found() {
        let check = |link: &str, expected: usize| {
            let text = format!("See [this]({link}).\n");
            let files = [("docs/m/a.md", text.as_str()), ("docs/b.md", ""), ("README.md", "")];
            assert_eq!(broken("book", &files).len(), expected, "{link}");
        };
        check("../b.md", 0);
        check("#here", 0);
        check("https://example.org", 0);
        check("../../README.md", 1);
        check("../../../b.md", 1);
    }

    #[test]
    fn sections_that_do_not_exist_are_found() {
        let check = |link: &str, expected: usize| {
            let text = format!("# The `a` page\n\n## Forces: `[[link]]`, others\n[x]({link})\n");
            let files =
                [("docs/a.md", text.as_str()), ("docs/b.md", "## Two words\n```\n# no\n```\n")];
            assert_eq!(broken("anchors", &files).len(), expected, "{link}");
        };
        check("#the-a-page", 0);
        check("#forces-link-others", 0);
        check("b.md#two-words", 0);
        check("gone.md#two-words", 0);
        check("b.md#no", 1);
        check("#two-words", 1);
    }
}
