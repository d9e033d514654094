//! Structure that repeats in C: a function of the number of a copy, its tables, and the loops that
//! call it.

use super::chunk_arguments;
use crate::layout::LineText;
use crate::listing::{Listing, PhaseText, RunText, StageText};

/// The call for sines of many copies.
pub const SINES: &str = "sincos_each(";

/// Numbers of a table that stand on one line.
const WIDTH: usize = 8;

fn name(function: &Listing<'_>, number: usize) -> String {
    format!("{}_part_{}", function.name, number + 1)
}

/// Writes the functions of all phases of a stage.
pub fn phases(text: &mut LineText, function: &Listing<'_>, stage: &StageText) {
    for (number, phase) in stage.phases.iter().enumerate().filter(|(_, one)| !one.lines.is_empty())
    {
        let name = name(function, number);
        text.line("");
        if let Some(row) = phase.numbers.first() {
            let (copies, columns) = (phase.numbers.len(), row.len());
            text.line(&format!("static const double {name}_numbers[{copies}][{columns}] = {{"));
            table(text, phase.numbers.iter().cloned());
        }
        if let Some(row) = phase.places.first() {
            let (copies, columns) = (phase.places.len(), row.len());
            text.line(&format!("static const int {name}_places[{copies}][{columns}] = {{"));
            let rows = phase.places.iter();
            table(text, rows.map(|row| row.iter().map(i64::to_string).collect()));
        }
        text.line(&format!("/* {} */", crate::header::one_line(&phase.about)));
        let (mut declared, _) = chunk_arguments(function, &phase.uses, false, "double");
        declared.insert(0, "int i".to_owned());
        text.line(&format!("static void {name}({})", declared.join(", ")));
        text.line("{");
        text.depth += 1;
        body(text, phase, &name);
        text.depth -= 1;
        text.line("}");
    }
}

fn body(text: &mut LineText, phase: &PhaseText, name: &str) {
    if !phase.numbers.is_empty() {
        text.line(&format!("const double *n = {name}_numbers[i];"));
    }
    if !phase.places.is_empty() {
        text.line(&format!("const int *at = {name}_places[i];"));
    }
    phase.lines.iter().for_each(|line| text.line(line));
}

fn table(text: &mut LineText, rows: impl Iterator<Item = Vec<String>>) {
    text.depth += 1;
    for row in rows {
        let lines: Vec<String> = row.chunks(WIDTH).map(|some| some.join(", ")).collect();
        text.lines(&format!("{{{}}},", lines.join(",\n ")));
    }
    text.depth -= 1;
    text.line("};");
}

/// Writes a run: a loop, or calls if the copy is only one.
pub fn run(text: &mut LineText, function: &Listing<'_>, run: &RunText) {
    let call = |text: &mut LineText, copy: &str| {
        for &phase in &run.phases {
            let uses = &function.body.phases[phase].uses;
            let (_, mut called) = chunk_arguments(function, uses, false, "double");
            called.insert(0, copy.to_owned());
            text.line(&format!("{}({});", name(function, phase), called.join(", ")));
        }
    };
    if run.phases.is_empty() {
        return;
    }
    if run.count == 1 {
        call(text, &run.first.to_string());
        return;
    }
    let (first, count) = (run.first, run.count);
    let head = match run.down {
        false => format!("for (int i = {first}; i < {}; i++) {{", first + count),
        true => format!("for (int i = {first}; i >= {}; i--) {{", first + 1 - count),
    };
    text.line(&head);
    text.depth += 1;
    call(text, "i");
    text.depth -= 1;
    text.line("}");
}

/// Writes the calls for sines and cosines of all copies.
pub fn sines(text: &mut LineText, stage: &StageText) {
    for sines in &stage.sines {
        let ((from, step), (sine, cosine, stride)) = (sines.from, sines.to);
        let (angles, count) = (&sines.angles, sines.count);
        text.line(&format!(
            "{SINES}{count}, {angles} + {from}, {step}, w + {sine}, w + {cosine}, {stride});"
        ));
    }
}

/// Writes the function that computes them, four at once.
pub fn define(text: &mut LineText) {
    text.lines(
        "/* Sines and cosines of angles at one distance, for places at another */
static void sincos_each(int count, const double *angles, int step, double *sines, double *cosines, int stride)
{
    for (int i = 0; i < count; i += 4) {
        double x[4] = {0.0, 0.0, 0.0, 0.0}, sine[4], cosine[4];
        const int some = count - i < 4 ? count - i : 4;
        for (int j = 0; j < some; j++) {
            x[j] = angles[(i + j)*step];
        }
        sincos_of(x[0], x[1], x[2], x[3], sine, cosine);
        for (int j = 0; j < some; j++) {
            sines[(i + j)*stride] = sine[j];
            cosines[(i + j)*stride] = cosine[j];
        }
    }
}",
    );
}
