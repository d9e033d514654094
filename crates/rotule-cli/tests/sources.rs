//! The page of numbers of the source works in the manual: every number of ours that is the same on
//! every machine is what its command gives now.
//!
//! A table with the columns `command` and `ours` is checked row by row. The cell of ours ends with
//! a comment, which a reader of the page does not see, that says how the number is read from what
//! the command prints: see [`read`]. A command cell that begins with `…` is the last full command
//! with its end replaced, from the first word behind the dots on; one with `"` is the command
//! above.
//!
//! `UPDATE_EXPECT=1 cargo test -p rotule-cli --test sources` writes the numbers anew; look at them
//! before they are kept.

use rotule_testing::formalism::robot2;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> PathBuf {
    root().join("docs/manual/sources.md")
}

/// The results of commands, each run once.
#[derive(Default)]
struct Runs(HashMap<String, (Option<i32>, String)>);

impl Runs {
    /// Exit code and standard output of a line of the shell, in which `rotule` is the program under
    /// test.
    fn of(&mut self, line: &str) -> &(Option<i32>, String) {
        self.0.entry(line.to_owned()).or_insert_with(|| {
            let program = Path::new(env!("CARGO_BIN_EXE_rotule"));
            let folder = program.parent().expect("a program is in a folder");
            let path = std::env::var("PATH").unwrap_or_default();
            let output = Command::new("sh")
                .args(["-c", line])
                .env("PATH", format!("{}:{path}", folder.display()))
                .current_dir(root())
                .output()
                .expect("a shell starts");
            let out = String::from_utf8(output.stdout).expect("the program writes UTF-8");
            (output.status.code(), out)
        })
    }

    fn text(&mut self, line: &str) -> &str {
        let (code, out) = self.of(line);
        assert_eq!(*code, Some(0), "{line}\n{out}");
        out
    }

    fn json(&mut self, line: &str) -> Value {
        let line = format!("{line} --json");
        serde_json::from_str(self.text(&line)).unwrap_or_else(|fault| panic!("{line}: {fault}"))
    }
}

/// The number that a rule reads.
///
/// | rule | number |
/// |---|---|
/// | `count FUNCTION FORMALISM` | operations + functions such as sines, of `rotule count` |
/// | `closed FUNCTION FORMALISM` | operations with one iteration of every loop |
/// | `part PART` | operations of a part of a closed mechanism; `positions` is one iteration |
/// | `switches` | changes of independent coordinates in `rotule simulate` |
/// | `summary KEY` | a number of its summary, with two digits |
/// | `at T CHANNELS DIGITS` | channels at a time |
/// | `events NAME` | times of an event |
/// | `fails` | when a run ends, and the exit code |
/// | `row [OUTPUT:] LABEL DIGITS` | the numbers of a row of `rotule eval` |
/// | `pick LABEL COLUMNS DIGITS` | some columns of a row of its first output |
/// | `line START` | the first line of the output that begins so |
/// | `temporaries N` | values of the functions of Robot2-N before and after the reduction |
/// | `together N` | the same of one program of all functions, which share work |
fn read(rule: &str, command: &str, runs: &mut Runs) -> String {
    let words: Vec<&str> = rule.split_whitespace().collect();
    match words[..] {
        ["count", function, formalism] => {
            let row = count(runs, command, function, formalism);
            format!("{} + {}", row["operations"], row["functions"])
        }
        ["closed", function, formalism] => {
            let row = count(runs, command, function, formalism);
            let whole = row["operations"].as_u64().expect("a count") + iteration(&row);
            whole.to_string()
        }
        ["part", ref name @ ..] => {
            let name = name.join(" ");
            let json = runs.json(command);
            let rows = json["counts"].as_array().expect("counts");
            let row =
                rows.iter().find(|row| row["parts"].as_array().is_some_and(|p| !p.is_empty()));
            let row = row.expect("a closed mechanism has parts");
            let parts = row["parts"].as_array().expect("parts").iter();
            let part = parts.into_iter().find(|part| part["part"] == name.as_str());
            match part {
                Some(part) => part["operations"].to_string(),
                None if name == "positions" => iteration(row).to_string(),
                None => panic!("{command} has no part `{name}`"),
            }
        }
        ["switches"] => {
            let json = runs.json(command);
            assert_eq!(json["end"], "reached", "{command}");
            json["switches"].as_array().expect("a list").len().to_string()
        }
        ["summary", key] => {
            format!("{:.1e}", runs.json(command)[key].as_f64().expect("a number"))
        }
        ["at", t, channels, digits] => {
            let out = runs.text(&format!("{command} --out -")).to_owned();
            let number = |text: &str| text.parse::<f64>().expect("a number");
            let mut lines = out.lines();
            let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
            let line = lines.find(|line| {
                (number(line.split(',').next().expect("a time")) - number(t)).abs() < 1e-9
            });
            let line: Vec<&str> =
                line.unwrap_or_else(|| panic!("no {t}:\n{out}")).split(',').collect();
            let shown = channels.split(',').map(|channel| {
                let at = head.iter().position(|name| name.split(' ').next() == Some(channel));
                let at = at.unwrap_or_else(|| panic!("no channel {channel} in {head:?}"));
                rounded(line[at], digits)
            });
            shown.collect::<Vec<_>>().join(", ")
        }
        ["events", name] => {
            let lines =
                runs.text(command).lines().filter(|line| line.contains(&format!("{name}: ")));
            let times =
                lines.filter_map(|line| line.strip_prefix("t = ")?.split_whitespace().next());
            times.collect::<Vec<_>>().join(", ")
        }
        ["fails"] => {
            let (code, out) = runs.of(&format!("{command} --json"));
            let json: Value = serde_json::from_str(out).expect("a summary");
            let (t, code) = (json["t"].as_f64().expect("a time"), code.expect("a code"));
            format!("ends at {t:.5} s, exit code {code}")
        }
        ["row", ref label @ .., digits] => {
            let mut lines = runs.text(command).lines();
            let (output, label) = match label {
                [output, label @ ..] if output.ends_with(':') => (Some(output), label.join(" ")),
                label => (None, label.join(" ")),
            };
            if let Some(output) = output {
                let found = lines.find(|line| *line == output.trim_end_matches(':'));
                assert!(found.is_some(), "{command} has no output `{output}`");
            }
            // Names of columns may begin with the label, too; behind the label of a row stands a
            // number.
            let line = lines.find_map(|line| {
                let rest = line.trim_start().strip_prefix(&label)?.strip_prefix(' ')?;
                let rest = rest.trim_start_matches([' ', '=']);
                rest.split(' ').next()?.parse::<f64>().ok().map(|_| rest)
            });
            let line = line.unwrap_or_else(|| panic!("{command} has no row `{label}`"));
            let numbers = line.split_whitespace();
            numbers.map(|number| rounded(number, digits)).collect::<Vec<_>>().join(", ")
        }
        ["pick", label, columns, digits] => {
            let mut lines = runs.text(command).lines().skip(1);
            let head: Vec<&str> =
                lines.next().expect("names of columns").split_whitespace().collect();
            let mut rows = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
            let row = rows.find(|row| row.first() == Some(&label)).expect("the row");
            let shown = columns.split(',').map(|column| {
                let at = head.iter().position(|name| *name == column);
                rounded(row[1 + at.unwrap_or_else(|| panic!("no column {column}"))], digits)
            });
            shown.collect::<Vec<_>>().join(", ")
        }
        ["line", start] => {
            let line = runs.text(command).lines().find(|line| line.starts_with(start));
            format!("`{}`", line.unwrap_or_else(|| panic!("{command} has no line `{start}`")))
        }
        ["temporaries", members] => {
            let tree = robot2::robot2(members.parse().expect("a number"));
            let each = robot2::FUNCTIONS.iter().map(|name| robot2::program(&tree, name));
            let [before, after] = each
                .map(|one| robot2::temporaries(&one))
                .fold([0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
            format!("{before}, {after}")
        }
        ["together", members] => {
            let tree = robot2::robot2(members.parse().expect("a number"));
            let [before, after] = robot2::temporaries(&robot2::together(&tree));
            format!("{before}, {after}")
        }
        _ => panic!("`{rule}` is no rule"),
    }
}

/// A number with some digits behind the point, without a minus before zero.
fn rounded(number: &str, digits: &str) -> String {
    let digits: usize = digits.parse().expect("a number of digits");
    let number: f64 = number.parse().unwrap_or_else(|_| panic!("{number} is no number"));
    let shown = format!("{number:.digits$}");
    match shown.parse() {
        Ok(0.0) => shown.trim_start_matches('-').to_owned(),
        _ => shown,
    }
}

/// The row of a function and a formalism.
fn count(runs: &mut Runs, command: &str, function: &str, formalism: &str) -> Value {
    let json = runs.json(command);
    let mut rows = json["counts"].as_array().expect("counts").iter();
    let row = rows.find(|row| row["function"] == function && row["formalism"] == formalism);
    row.unwrap_or_else(|| panic!("{command} has no {function} by {formalism}")).clone()
}

/// Operations of one iteration, functions left out.
fn iteration(row: &Value) -> u64 {
    let kinds = row["iteration"].as_object().expect("an object").iter();
    let plain = kinds.filter(|(kind, _)| ["+", "-", "*", "/"].contains(&kind.as_str()));
    plain.map(|(_, count)| count.as_u64().expect("a count")).sum()
}

/// The cells of a row of a table, with `\|` as it is.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.strip_prefix("| ").or(line.strip_prefix("|"))?.strip_suffix('|')?;
    let kept = inner.replace("\\|", "\0");
    Some(kept.split('|').map(|cell| cell.trim().replace('\0', "\\|")).collect())
}

/// The page with our numbers as they are now, and how many there are.
fn renewed(page: &str) -> (String, usize) {
    let (mut runs, mut out, mut numbers) = (Runs::default(), String::new(), 0);
    let mut columns: Option<(usize, usize)> = None;
    let (mut full, mut last) = (String::new(), String::new());
    for line in page.lines() {
        let Some(row) = cells(line) else {
            columns = None;
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let place = |name: &str| row.iter().position(|cell| cell == name);
        let Some((command, ours)) = columns else {
            columns = place("command").zip(place("ours"));
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let Some((_, rule)) = row[ours].split_once("<!-- ") else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let text = row[command].trim_matches('`').replace("\\|", "|");
        if let Some(end) = text.strip_prefix("… ") {
            let flag = end.split(' ').next().unwrap_or(end);
            let at = full.find(&format!(" {flag}")).unwrap_or(full.len());
            last = format!("{} {end}", &full[..at]);
        } else if text != "\"" {
            full.clone_from(&text);
            last = text;
        }
        let rule = rule.trim_end_matches(" -->");
        let number = read(rule, &last, &mut runs);
        let mut row = row.clone();
        row[ours] = format!("{number} <!-- {rule} -->");
        let cells = row
            .iter()
            .map(|cell| if cell.is_empty() { " |".to_owned() } else { format!(" {cell} |") });
        out.push('|');
        out.extend(cells);
        out.push('\n');
        numbers += 1;
    }
    (out, numbers)
}

#[test]
fn numbers_on_the_page_are_those_of_the_program() {
    let shown = fs::read_to_string(page()).expect("the manual has the page");
    let (renewed, numbers) = renewed(&shown);
    assert!(numbers >= 90, "the page has {numbers} numbers");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(page(), renewed).expect("the page can be written");
    } else {
        assert_eq!(shown, renewed, "the page shows other numbers than the program gives");
    }
}

/// Moore's own numbers stand on the page as in the table that the benchmark prints them from.
#[test]
fn the_page_has_moores_numbers() {
    let shown = fs::read_to_string(page()).expect("the manual has the page");
    for (members, [before, after], _) in robot2::MOORE {
        let row = format!("| Robot2-{members} | {before}, {after} |");
        assert!(shown.contains(&row), "no row `{row}`");
    }
}

/// A text in letters without accents, so that `Geradin` in code is `Géradin` on the page.
fn plain(text: &str) -> String {
    let pairs = [("é", "e"), ("ï", "i"), ("ü", "ue"), ("ø", "o")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Citations of a text such as `Hairer and Wanner (1996)` or `(Postiau 2004)`: the last author and
/// the year.
fn citations(text: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = text.split_whitespace().filter(|word| !word.starts_with("//")).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let year = word.trim_matches(['(', ')', ',', '.', ';', ':']);
        let is_year =
            year.len() == 4 && year.parse().is_ok_and(|year| (1850..=2030).contains(&year));
        if !is_year || !word.contains(['(', ')']) {
            continue;
        }
        let mut before = words[..at].iter().rev().filter(|word| !["et", "al."].contains(word));
        let Some(name) = before.next() else { continue };
        let name = plain(name.trim_matches(['(', ',', ';', ':', '`', '*']));
        let lower = name.chars().skip(1).all(|letter| letter.is_ascii_lowercase());
        if name.len() > 2 && name.starts_with(|letter: char| letter.is_ascii_uppercase()) && lower {
            found.push((name, year.to_owned()));
        }
    }
    found
}

#[test]
fn citations_are_found() {
    let text = "after Hairer and\n//! Wanner (1996), (Postiau 2004); Meijaard et al. (2007); not 2004, C (2011)";
    let expected = [("Wanner", "1996"), ("Postiau", "2004"), ("Meijaard", "2007")];
    assert_eq!(citations(text), expected.map(|(name, year)| (name.to_owned(), year.to_owned())));
}

/// Every work that code, manual and examples cite with its year is in the bibliography.
#[test]
fn cited_works_are_in_the_bibliography() {
    let list = root().join("docs/bibliography.md");
    let list = plain(&fs::read_to_string(list).expect("there is a bibliography"));
    let mut folders = ["crates", "docs", "examples"].map(|name| root().join(name)).to_vec();
    let (mut missing, mut cited) = (Vec::new(), 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if !["rs", "md", "toml", "py"].contains(&ending) {
                continue;
            }
            for (name, year) in citations(&fs::read_to_string(&path).unwrap_or_default()) {
                cited += 1;
                if !list.lines().any(|line| line.contains(&name) && line.contains(&year)) {
                    missing.push(format!("{}: {name} {year}", path.display()));
                }
            }
        }
    }
    assert!(cited > 50, "{cited} citations");
    assert!(missing.is_empty(), "not in docs/bibliography.md:\n{}", missing.join("\n"));
}
