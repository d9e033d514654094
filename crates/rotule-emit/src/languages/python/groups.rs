//! Groups of functions in Python: a class that holds what they share, and computes it at most once
//! per state.

use super::{docstring, enclose};
use crate::languages::script::{camel, is_plain};
use crate::layout::LineText;
use crate::listing::{Listing, PackageListing};
use crate::package::{Package, PackageGroup};

/// The name of the class.
pub(super) fn name(group: &PackageGroup) -> String {
    format!("{}Group", camel(&group.name))
}

/// The name of an object of the class.
pub(super) fn object(group: &PackageGroup) -> String {
    format!("group_{}", group.name)
}

/// The group that a function belongs to, by its position, and whether it computes the vector.
pub(super) fn of(package: &Package, at: usize) -> Option<(&PackageGroup, bool)> {
    let own = |group: &&PackageGroup| group.update == at || group.functions.contains(&at);
    let group = package.groups.iter().find(own)?;
    Some((group, group.update == at))
}

/// The class of a group; `arguments` are those of its function that computes the vector, each with
/// its type.
pub(super) fn class(
    text: &mut LineText,
    model: &PackageListing<'_>,
    group: &PackageGroup,
    arguments: &[String],
) {
    let function: &Listing<'_> = &model.functions[group.update];
    let vector = &function.outputs[0];
    let members: Vec<&str> =
        group.functions.iter().map(|&at| model.functions[at].name.as_str()).collect();
    text.lines("\n");
    text.line("");
    text.line(&format!("class {}:", name(group)));
    text.depth += 1;
    docstring(
        text,
        &[
            format!("The group {}: {}.", group.name, members.join(", ")),
            String::new(),
            format!("Give `{}` to each of its functions after an update.", vector.name),
        ],
    );
    text.line("");
    text.line("def __init__(self) -> None:");
    text.depth += 1;
    text.line(&format!("self.{}: Array = np.full({}, np.nan)", vector.name, vector.len()));
    text.line("self.version = 0  # The number of the state that they are of; 0 for none.");
    text.line("self.updates = 0  # How many times they were computed.");
    text.depth -= 1;
    let mut all = vec!["self".to_owned(), "version: int".to_owned()];
    all.extend(arguments.iter().cloned());
    let iterates = function.body.uses().iterates;
    text.line("");
    let result = if iterates { " -> int:" } else { " -> None:" };
    enclose(text, "def update", ["(", ")"], &all.join(", "), result, true);
    text.depth += 1;
    docstring(
        text,
        &[
            format!("Computes what the functions of the group {} share, unless it is", group.name),
            "that of the state already: number the states from 1, and give another number"
                .to_owned(),
            "whenever parameters, t or an argument of this method have changed.".to_owned(),
        ],
    );
    text.line("if version != 0 and self.version == version:");
    text.line(if iterates { "    return 0" } else { "    return" });
    text.line("# What fails is not taken for the state's.");
    text.line("self.version = 0");
    let names = arguments.iter().map(|one| one.split(':').next().unwrap_or("").to_owned());
    let call = names.collect::<Vec<_>>().join(", ");
    text.whole(&format!("given = {}({call})", function.name));
    match is_plain(function) {
        true => text.line(&format!("self.{} = given", vector.name)),
        false => text.line(&format!("self.{0} = given.{0}", vector.name)),
    }
    text.line("self.updates += 1");
    if iterates {
        text.line("failures = int(np.sum(given.failures))");
        text.line("self.version = 0 if failures > 0 else version");
        text.line("return failures");
    } else {
        text.line("self.version = version");
    }
    text.depth -= 2;
}
