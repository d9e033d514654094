//! The stubs of external functions in Fortran.

use super::super::public::Public;
use super::lines::{comment, narrow, text};
use super::unused;
use crate::header;
use crate::listing::{ExternalDeclaration, PackageListing};

/// The file of stubs.
pub fn externals(model: &PackageListing<'_>, public: &Public) -> String {
    let mut text = text();
    let mut about = header::origin(model);
    about.push(
        "Stubs of the external functions, to be filled: as they are, they give zeros.".to_owned(),
    );
    comment(&mut text, &about);
    text.line(&format!("module {}_externals", model.prefix));
    text.depth += 1;
    text.lines("use, intrinsic :: iso_fortran_env, only: dp => real64\nimplicit none\nprivate");
    public.externals.iter().for_each(|name| text.line(&format!("public :: {name}")));
    text.depth -= 1;
    text.lines("\ncontains");
    text.depth += 1;
    for (external, name) in model.externals.iter().zip(&public.externals) {
        text.line("");
        comment(&mut text, &external_about(external));
        text.line(&format!("subroutine {name}(arguments, results)"));
        text.depth += 1;
        text.line(&format!("real(dp), intent(in) :: arguments({})", external.arguments));
        text.line(&format!("real(dp), intent(out) :: results({})", external.results));
        text.line("");
        unused(&mut text, &["arguments"]);
        text.line("results = 0.0_dp");
        text.depth -= 1;
        text.line(&format!("end subroutine {name}"));
    }
    text.depth -= 1;
    narrow(&format!("{}\nend module {}_externals\n", text.text, model.prefix))
}

fn external_about(external: &ExternalDeclaration) -> Vec<String> {
    let mut lines = vec![format!(
        "External function {}, to be supplied: {} arguments, {} results.",
        header::one_line(&external.title),
        external.arguments,
        external.results
    )];
    if let Some((base, directions)) = &external.derivative_of {
        let base = header::one_line(base);
        lines.push(format!(
            "The derivative of {base} along {directions} directions: each argument x is followed by its"
        ));
        lines.push("derivatives, and so is to be each result.".to_owned());
    }
    lines
}
