//! `rotule bench`: how fast the code of a model is, beside that of others.

use super::arguments::Bench;
use super::failure::Failure;
use super::functions::failure;
use super::{models, output};
use rotule::bench::{Peer, Wish, bench as measure};
use rotule::formalism::{Problem, normalise};
use std::io::{IsTerminal, Write};

/// `rotule bench`
pub fn bench(arguments: &Bench) -> Result<(), Failure> {
    let against = peers(arguments.against.as_deref().unwrap_or_default())?;
    if arguments.repeats == 0 {
        let problem = Problem::new("--repeats 0: nothing would be measured", "take 15 or more");
        return Err(failure(problem));
    }
    let mut mechanism = models::mechanism(&arguments.model)?;
    let names: Vec<String> = mechanism.parameters.iter().map(|one| one.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    mechanism.freeze(&names);
    let tree = normalise(mechanism);
    let wish = Wish {
        functions: arguments.functions.as_deref(),
        against: &against,
        batch: arguments.batch,
        repeats: arguments.repeats,
        milliseconds: arguments.milliseconds,
        compiler: &arguments.compiler,
    };
    // It takes long enough for every step to be said, on a terminal or in a log.
    let terminal = std::io::stderr().is_terminal();
    let mut hear = |text: &str| {
        let mut err = std::io::stderr().lock();
        let _ = match terminal {
            true => write!(err, "\r\x1b[K{text}").and_then(|()| err.flush()),
            false => writeln!(err, "{text}"),
        };
    };
    let report = measure(&tree, &wish, &mut hear);
    if terminal {
        hear("");
    }
    let report = report.map_err(failure)?;
    if let Some(path) = &arguments.json {
        let text = format!("{:#}\n", report.json());
        match path.as_os_str() == "-" {
            true => output::result(&text)?,
            false => models::write_file(path, &text, arguments.force)?,
        }
    }
    let text = report.text(std::io::stdout().is_terminal());
    match arguments.json.as_deref().is_some_and(|path| path.as_os_str() == "-") {
        true => output::message(text.trim_end()),
        false => output::result(&text)?,
    }
    match report.differs() {
        true => Err(Failure::Text("error: numbers differ, see the table".to_owned())),
        false => Ok(()),
    }
}

/// The codes of a list.
fn peers(list: &str) -> Result<Vec<Peer>, Failure> {
    let mut found = Vec::new();
    for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let Some((peer, ..)) = Peer::ALL.iter().find(|(_, name, _)| *name == word) else {
            let names: Vec<&str> = Peer::ALL.iter().map(|(_, name, _)| *name).collect();
            let help = format!("there are {}", names.join(", "));
            return Err(failure(Problem::new(format!("--against: there is no `{word}`"), help)));
        };
        if !found.contains(peer) {
            found.push(*peer);
        }
    }
    Ok(found)
}
