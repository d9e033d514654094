//! Positions of arguments by name: constants that spare a reader to count.
//!
//! ```text
//! Q_shoulder = 0, QD_shoulder = 0, EFFORT_shoulder = 0, PARAMETERS_l1 = 0
//! ```

use crate::listing::PackageListing;
use crate::names::{NameRules, NameScope};
use crate::package::{ARRAYS, ArgumentEntry, array_name};
use rotule_symbolic::Kind;

/// Longer arrays have no constants.
const MOST: usize = 1000;

/// The positions in one array.
pub struct Indices<'a> {
    /// The array, such as `qd`.
    pub array: &'static str,
    /// Names for constants, such as `QD_shoulder`, with the quantity at each position.
    pub names: Vec<(String, &'a ArgumentEntry)>,
}

/// The positions in all arrays that functions of a model take. Names keep to the rules and differ
/// from each other; `spell` is what becomes of them.
pub fn indices<'a>(
    model: &PackageListing<'a>,
    rules: NameRules,
    spell: fn(String) -> String,
) -> Vec<Indices<'a>> {
    let package = model.package;
    let taken = |kind: &Kind| match kind {
        Kind::Parameter => model.has_parameters(),
        kind => package.functions.iter().any(|part| part.inputs.contains(kind)),
    };
    let mut scope = NameScope::new(rules);
    let mut all = Vec::new();
    for kind in [Kind::Parameter].into_iter().chain(ARRAYS).filter(taken) {
        let quantities = match kind {
            Kind::Parameter => &package.parameters,
            kind => package.array(kind),
        };
        if quantities.is_empty() || quantities.len() > MOST {
            continue;
        }
        let array = array_name(kind);
        let name = |one: &'a ArgumentEntry| {
            // The array says that it is a speed or an effort.
            let own = [".effort", ".dd", ".d"]
                .iter()
                .find(|end| one.name.ends_with(*end) || one.name.contains(&format!("{end}[")));
            let plain = own.map_or(one.name.clone(), |end| one.name.replacen(end, "", 1));
            let text = format!("{}_{plain}", array.to_ascii_uppercase());
            (scope.fresh(&spell(text)), one)
        };
        let names = quantities.iter().map(name).collect();
        all.push(Indices { array, names });
    }
    all
}
