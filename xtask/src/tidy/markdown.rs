//! Reading Markdown as far as the rules need it, and the rules about all Markdown files.

use super::tree::File;
use super::{Findings, Tree};
use crate::TASKS;

/// A fenced block: the word after the fence, the number of its first line and its lines.
pub struct Block<'a> {
    /// The word after the opening fence.
    pub kind: &'a str,
    /// The lines inside, with their numbers.
    pub lines: Vec<(usize, &'a str)>,
}

/// Splits a file into the lines of its prose and its fenced blocks.
pub fn parts(file: &File) -> (Vec<(usize, &str)>, Vec<Block<'_>>) {
    let (mut prose, mut blocks) = (Vec::new(), Vec::new());
    let mut open: Option<Block<'_>> = None;
    for (number, line) in file.lines() {
        let fence = line.trim_start().strip_prefix("```");
        match (open.take(), fence) {
            (None, None) => prose.push((number, line)),
            (None, Some(kind)) => open = Some(Block { kind: kind.trim(), lines: Vec::new() }),
            (Some(block), Some(_)) => blocks.push(block),
            (Some(mut block), None) => {
                block.lines.push((number, line));
                open = Some(block);
            }
        }
    }
    blocks.extend(open);
    (prose, blocks)
}

/// The text between single backticks, in the prose of a file.
pub fn code_spans(file: &File) -> impl Iterator<Item = (usize, &str)> {
    parts(file).0.into_iter().flat_map(|(number, line)| {
        line.split('`').skip(1).step_by(2).map(move |span| (number, span))
    })
}

/// The relative links in the prose of a file, with their lines.
pub fn link_targets(file: &File) -> impl Iterator<Item = (usize, &str)> {
    let outside = |link: &str| link.contains("://") || link.starts_with("mailto:");
    parts(file).0.into_iter().flat_map(move |(number, line)| {
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        targets.filter(move |link| !outside(link)).map(move |link| (number, link))
    })
}

/// Every relative link leads to a file or a folder.
pub fn links(tree: &Tree, findings: &mut Findings) {
    for file in tree.ending(".md") {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (number, link) in link_targets(file) {
            let path = link.split('#').next().unwrap_or("");
            if !path.is_empty() && !resolve(folder, path).is_some_and(|path| tree.has(&path)) {
                findings.error(&file.path, number, format!("the link leads nowhere: {link}"));
            }
        }
    }
}

/// The name by which a link reaches a heading: small letters, blanks as hyphens, no punctuation.
pub fn slug(heading: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || "-_ ".contains(c);
    let text = heading.trim().to_lowercase();
    text.chars().filter(|c| kept(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The names of all headings of a file; one that occurs again has a number behind it.
pub fn slugs(file: &File) -> impl Iterator<Item = String> {
    let mut seen: Vec<String> = Vec::new();
    parts(file).0.into_iter().filter_map(move |(_, line)| {
        let heading = line.strip_prefix('#')?.trim_start_matches('#').strip_prefix(' ')?;
        let slug = slug(heading);
        let before = seen.iter().filter(|other| **other == slug).count();
        seen.push(slug.clone());
        Some(if before == 0 { slug } else { format!("{slug}-{before}") })
    })
}

/// The path from the root of a link written in a file of `folder`; nothing if it leaves the tree.
pub fn resolve(folder: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Every `cargo xtask NAME` in a text names a task.
pub fn tasks(tree: &Tree, findings: &mut Findings) {
    for file in tree.ending(".md").chain(tree.file(".ci/run")) {
        for (number, line) in file.lines() {
            for rest in line.split("cargo xtask ").skip(1) {
                let name: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
                let known = TASKS.iter().any(|task| task.name == name);
                if !known && !name.is_empty() {
                    let message = format!("`cargo xtask {name}` does not exist");
                    findings.error(&file.path, number, message);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let check = |link: &str, expected: usize| {
            let text = format!("See [this]({link}).\n```\n[x](not-a-link)\n```\n");
            let files = [("docs/a.md", text.as_str()), ("docs/b.md", ""), ("LICENSE", "")];
            assert_eq!(broken("links", &files).len(), expected, "{link}");
        };
        check("b.md", 0);
        check("./b.md#part", 0);
        check("../LICENSE", 0);
        check("../docs/", 0);
        check("#here", 0);
        check("https://example.org/gone", 0);
        check("gone.md", 1);
        check("LICENSE", 1);
        check("../../outside", 1);
    }

    #[test]
    fn tasks_that_do_not_exist_are_found() {
        let check = |text: &str, expected: usize| {
            assert_eq!(broken("tasks", &[("README.md", text)]).len(), expected, "{text}");
            assert_eq!(broken("tasks", &[(".ci/run", text)]).len(), expected, "{text}");
        };
        check("`cargo xtask test`, then `cargo xtask fuzz expression`\n", 0);
        check("`cargo xtask TASK`\n", 0);
        check("`cargo xtask tests`\n", 1);
    }
}
