//! The demo in Fortran.

use super::super::public::Public;
use super::dialect::DIALECT;
use super::lines::{comment, narrow, text};
use super::shape;
use crate::header;
use crate::layout::LineText;
use crate::listing::{Listing, PackageListing};
use crate::package::{ARRAYS, ArgumentEntry, array_name};
use rotule_symbolic::Kind;

/// Arrays of more numbers than this are filled one by one: statements may not go on for ever.
const LISTED: usize = 200;

/// A program that calls each function once and prints `FUNCTION OUTPUT ROW COLUMN NUMBER`, counted
/// from one.
pub fn demo(model: &PackageListing<'_>, public: &Public) -> String {
    let (package, prefix) = (model.package, &model.prefix);
    let kinds = ARRAYS;
    let taken = |kind: &Kind| package.functions.iter().any(|part| part.inputs.contains(kind));
    let kinds: Vec<Kind> = kinds.into_iter().filter(taken).collect();
    let time = model.functions.iter().any(|function| function.time);

    let mut body = text();
    body.depth = 1;
    if time {
        body.line(&format!("t = {}", (DIALECT.number)(package.time)));
    }
    for &kind in &kinds {
        fill(&mut body, array_name(kind), package.array(kind));
    }
    let setup_fails = model.functions.iter().any(|function| function.setup.uses().iterates);
    if model.has_parameters() {
        let last = if setup_fails { ", failures" } else { "" };
        body.line(&format!("call {}({}(), constants{last})", public.setup, public.parameters));
    }
    for (function, name) in model.functions.iter().zip(&public.functions) {
        call(&mut body, model, function, name);
    }

    let mut text = text();
    let extra =
        if model.externals.is_empty() { String::new() } else { format!("{prefix}_externals.f90 ") };
    let mut about = header::origin(model);
    about.push(
        "Calls each function once at the model's initial state and prints what it gives."
            .to_owned(),
    );
    about.push(format!("  gfortran -O2 {extra}{prefix}.f90 {prefix}_demo.f90 -o demo && ./demo"));
    comment(&mut text, &about);
    text.line(&format!("program {prefix}_demo"));
    text.depth += 1;
    if body.text.contains("ieee_value") {
        let all = ["ieee_value", "ieee_quiet_nan", "ieee_positive_inf"];
        let used: Vec<&str> = all.into_iter().filter(|word| body.text.contains(word)).collect();
        text.line(&format!("use, intrinsic :: ieee_arithmetic, only: {}", used.join(", ")));
    }
    text.line(&format!("use {prefix}"));
    text.line("implicit none");
    if model.has_parameters() {
        text.line(&format!("type({}) :: constants", public.constants));
    }
    if time {
        text.line("real(dp) :: t");
    }
    for &kind in &kinds {
        text.line(&format!("real(dp) :: {}({})", array_name(kind), package.array(kind).len()));
    }
    if setup_fails || model.functions.iter().any(Listing::iterates) {
        text.line("integer :: failures");
    }
    text.line("");
    text.text += &body.text;
    text.depth -= 1;
    text.lines("\ncontains\n");
    text.depth += 1;
    text.lines(SHOW);
    text.depth -= 1;
    text.line(&format!("\nend program {prefix}_demo"));
    narrow(&text.text)
}

/// Prints an array.
const SHOW: &str = "subroutine show(function, output, rows, columns, x)
  character(*), intent(in) :: function, output
  integer, intent(in) :: rows, columns
  real(dp), intent(in) :: x(rows, columns)
  character(25) :: number
  integer :: i, j

  do i = 1, rows
    do j = 1, columns
      write (number, '(es25.16e3)') x(i, j)
      print '(a, 1x, a, 1x, i0, 1x, i0, 1x, a)', function, output, i, j, trim(adjustl(number))
    end do
  end do
end subroutine show";

fn fill(text: &mut LineText, name: &str, quantities: &[ArgumentEntry]) {
    let numbers: Vec<String> = quantities.iter().map(|one| (DIALECT.number)(one.value)).collect();
    if numbers.len() <= LISTED {
        text.line(&format!("{name} = [real(dp) :: {}]", numbers.join(", ")));
        return;
    }
    for (at, number) in numbers.iter().enumerate() {
        text.line(&format!("{name}({}) = {number}", at + 1));
    }
}

fn call(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>, name: &str) {
    text.line("");
    text.line("block");
    text.depth += 1;
    let mut arguments = Vec::new();
    if model.has_parameters() {
        arguments.push("constants".to_owned());
    }
    if function.time {
        arguments.push("t".to_owned());
    }
    arguments.extend(function.inputs.iter().map(|input| input.name.clone()));
    for output in &function.outputs {
        text.line(&format!("real(dp) :: out_{}{}", output.name, shape(output)));
        arguments.push(format!("out_{}", output.name));
    }
    if function.body.uses().iterates {
        arguments.push("failures".to_owned());
    }
    text.line(&format!("call {name}({})", arguments.join(", ")));
    for (output, named) in function.part.program.outputs().iter().zip(&function.outputs) {
        let value = if named.scalar {
            format!("[out_{}]", named.name)
        } else {
            format!("out_{}", named.name)
        };
        let (rows, columns) = (named.rows, named.columns);
        text.line(&format!(
            "call show(\"{}\", \"{}\", {rows}, {columns}, {value})",
            function.name,
            output.name.replace('"', "\"\"")
        ));
    }
    text.depth -= 1;
    text.line("end block");
}
