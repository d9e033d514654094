//! Every letter that a recursion uses is explained, and code and documents explain it alike.

use rotule::layers::emit::names::GLOSSARY;
use rotule::layers::formalism::ModelFunction;
use rotule::layers::formalism::function::FUNCTIONS;
use rotule::layers::formalism::glossary::{LETTERS, changed, letter};
use rotule_testing::formalism::{example, tree};
use std::collections::BTreeSet;

#[test]
fn no_letter_stands_for_two_things() {
    let letters: BTreeSet<&str> = LETTERS.iter().map(|row| row.letter).collect();
    assert_eq!(letters.len(), LETTERS.len());
    for (known, word, _) in GLOSSARY {
        let row = LETTERS.iter().find(|row| row.letter == *known);
        assert_eq!(row.map(|row| row.word), Some(*word), "{known}");
    }
}

#[test]
fn every_letter_of_every_recursion_is_explained() {
    let mut unknown = BTreeSet::new();
    for model in ["puma560", "quadruped", "motorcycle", "cart_pole"] {
        let tree = tree(&example(&format!("{model}.toml")));
        let before: BTreeSet<String> = tree.mechanism.graph.names().map(str::to_owned).collect();
        for row in FUNCTIONS.iter().filter(|row| row.takes.is_empty()) {
            let function = ModelFunction::parse(row.name, &tree).expect(row.name);
            for &formalism in function.formalisms() {
                let sheet = tree.sheet();
                // What a model cannot have is refused, and writes nothing.
                if function.write(tree.writer(&sheet), formalism).is_err() {
                    continue;
                }
                let (graph, ..) = sheet.into_parts();
                let names = graph.names().filter(|name| !before.contains(*name));
                let strange = names.filter(|name| letter(name).or_else(|| changed(name)).is_none());
                let stem = |name: &str| name.split('[').next().unwrap_or(name).to_owned();
                unknown.extend(strange.map(|name| format!("{} of {}", stem(name), row.name)));
            }
        }
    }
    assert!(unknown.is_empty(), "not in the glossary: {unknown:#?}");
}
