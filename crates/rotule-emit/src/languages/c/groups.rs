//! Groups of functions in C: a structure that holds what they share, and a function that computes
//! it at most once per state.

use super::{arguments, comment, result};
use crate::layout::LineText;
use crate::listing::PackageListing;
use crate::package::{Package, PackageGroup};

/// A call of a function of a group in the demo.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub group: &'a PackageGroup,
    /// `true` if it computes the vector, through the structure.
    pub updates: bool,
}

impl<'a> Call<'a> {
    /// That of a function by its position, if it is of a group.
    pub fn of(package: &'a Package, at: usize) -> Option<Call<'a>> {
        let own = |group: &&PackageGroup| group.update == at || group.functions.contains(&at);
        let group = package.groups.iter().find(own)?;
        Some(Call { group, updates: group.update == at })
    }
}

/// The name of the structure.
fn name(model: &PackageListing<'_>, group: &PackageGroup) -> String {
    format!("{}_{}", model.prefix, group.name)
}

fn update_signature(model: &PackageListing<'_>, group: &PackageGroup) -> String {
    let function = &model.functions[group.update];
    let name = name(model, group);
    let mut list = vec![format!("{name} *group"), "unsigned long version".to_owned()];
    let vector = &function.outputs[0].name;
    let own = arguments(model, function).into_iter().filter(|(_, name)| name != vector);
    list.extend(own.map(|(argument, _)| argument));
    format!("{} {name}_update({})", result(function), list.join(", "))
}

/// The structure and the function, in the header.
pub(super) fn declare(text: &mut LineText, model: &PackageListing<'_>, group: &PackageGroup) {
    let name = name(model, group);
    let vector = &model.functions[group.update].outputs[0];
    let members: Vec<String> =
        group.functions.iter().map(|&at| model.functions[at].name.clone()).collect();
    text.line("");
    comment(
        text,
        &[
            format!("The group {}: {}.", group.name, members.join(", ")),
            "Begin with zeros; give `shared` to each of its functions after an update.".to_owned(),
        ],
    );
    text.line("typedef struct {");
    text.depth += 1;
    text.line(&format!("double {}[{}];", vector.name, vector.len().max(1)));
    text.line("unsigned long version; /* the number of the state that they are of; 0 for none */");
    text.line("unsigned long updates; /* how many times they were computed */");
    text.depth -= 1;
    text.line(&format!("}} {name};"));
    text.line("");
    comment(
        text,
        &[
            format!("Computes what the functions of the group {} share, unless it is", group.name),
            "that of the state already: number the states from 1, and give another number"
                .to_owned(),
            "whenever parameters, t or an argument of this function have changed.".to_owned(),
        ],
    );
    text.line(&format!("{};", update_signature(model, group)));
}

/// The function, in the source.
pub(super) fn define(text: &mut LineText, model: &PackageListing<'_>, group: &PackageGroup) {
    let function = &model.functions[group.update];
    let vector = &function.outputs[0].name;
    let list = arguments(model, function).into_iter().map(|(_, name)| match name == *vector {
        true => format!("group->{name}"),
        false => name,
    });
    let list: Vec<String> = list.collect();
    let call = format!("{}_{}({})", model.prefix, function.name, list.join(", "));
    let fails = function.body.uses().iterates;
    text.line("");
    text.line(&update_signature(model, group));
    text.line("{");
    text.depth += 1;
    if fails {
        text.line("int failures;");
    }
    text.line("if (version != 0 && group->version == version) {");
    text.line(if fails { "    return 0;" } else { "    return;" });
    text.line("}");
    text.line(&if fails { format!("failures = {call};") } else { format!("{call};") });
    // What failed is not taken for the state's.
    text.line(if fails {
        "group->version = failures > 0 ? 0 : version;"
    } else {
        "group->version = version;"
    });
    text.line("group->updates++;");
    if fails {
        text.line("return failures;");
    }
    text.depth -= 1;
    text.line("}");
}
