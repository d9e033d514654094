//! The words with which C computes copies of a part at once: vectors of compilers that have them,
//! loops for others.
//!
//! `ROTULE_PORTABLE` chooses the loops in any case.

use crate::layout::LineText;
use rotule_symbolic::sincos::{COSINE, HALF_PI, LARGEST, QUARTERS, ROUND, SINE};

/// Writes the words for vectors of two, four and eight lanes that a text uses.
pub(super) fn define(text: &mut LineText, body: &str) {
    for width in [2, 4, 8] {
        if body.contains(&format!("lanes{width}_of(")) {
            text.line("");
            words(text, body, width);
        }
    }
}

fn words(text: &mut LineText, body: &str, width: usize) {
    let name = format!("lanes{width}");
    let uses = |word: &str| body.contains(&format!("{name}_{word}("));
    let bytes = 8 * width;
    let letters: Vec<String> = (0..width).map(|at| format!("x{at}")).collect();
    let arguments = letters.join(", ");
    text.lines(&format!("/* {width} numbers side by side */"));
    text.lines("#if defined(__GNUC__) && !defined(ROTULE_PORTABLE)");
    text.lines(&format!("typedef double {name} __attribute__((vector_size({bytes})));"));
    text.lines(&format!(
        "typedef double {name}_memory __attribute__((vector_size({bytes}), aligned(8), may_alias));"
    ));
    text.lines("#ifdef __cplusplus");
    text.lines(&format!("#define {name}_of({arguments}) ({name}{{{arguments}}})"));
    text.lines("#else");
    text.lines(&format!("#define {name}_of({arguments}) (({name}){{{arguments}}})"));
    text.lines("#endif");
    for (word, sign) in OPERATIONS {
        text.lines(&format!("#define {name}_{word}(a, b) ((a) {sign} (b))"));
    }
    text.lines(&format!("#define {name}_neg(a) (-(a))"));
    text.lines(&format!("#define {name}_get(a, lane) ((a)[lane])"));
    text.lines(&format!("#define {name}_load(from) (*(const {name}_memory *)(from))"));
    text.lines(&format!("#define {name}_store(to, a) (*({name}_memory *)(to) = (a))"));
    if uses("sincos") {
        text.lines(&format!(
            "typedef long long {name}_bits __attribute__((vector_size({bytes})));"
        ));
        text.lines(&vector_sincos(width));
    }
    text.lines("#else");
    portable(text, &uses, width);
    text.lines("#endif");
}

const OPERATIONS: [(&str, &str); 4] = [("add", "+"), ("sub", "-"), ("mul", "*"), ("div", "/")];

/// Portable lanes, with loops.
fn portable(text: &mut LineText, uses: &dyn Fn(&str) -> bool, width: usize) {
    let name = format!("lanes{width}");
    let each =
        |what: &str| format!("    for (int i = 0; i < {width}; i++) {{\n        {what};\n    }}\n");
    let typed: Vec<String> = (0..width).map(|at| format!("double x{at}")).collect();
    let sets: Vec<String> = (0..width).map(|at| format!("    y.x[{at}] = x{at};\n")).collect();
    text.lines(&format!("typedef struct {{\n    double x[{width}];\n}} {name};"));
    text.lines(&format!(
        "static {name} {name}_of({})\n{{\n    {name} y;\n{}    return y;\n}}",
        typed.join(", "),
        sets.concat()
    ));
    for (word, sign) in OPERATIONS.iter().filter(|(word, _)| uses(word)) {
        text.lines(&format!(
            "static {name} {name}_{word}({name} a, {name} b)\n{{\n    {name} y;\n{}    return y;\n}}",
            each(&format!("y.x[i] = a.x[i] {sign} b.x[i]"))
        ));
    }
    if uses("neg") {
        text.lines(&format!(
            "static {name} {name}_neg({name} a)\n{{\n    {name} y;\n{}    return y;\n}}",
            each("y.x[i] = -a.x[i]")
        ));
    }
    text.lines(&format!("#define {name}_get(a, lane) ((a).x[lane])"));
    if uses("load") {
        text.lines(&format!(
            "static {name} {name}_load(const double *from)\n{{\n    {name} y;\n{}    return y;\n}}",
            each("y.x[i] = from[i]")
        ));
    }
    if uses("store") {
        text.lines(&format!(
            "static void {name}_store(double *to, {name} a)\n{{\n{}}}",
            each("to[i] = a.x[i]")
        ));
    }
    if uses("sincos") {
        text.lines(&format!(
            "static void {name}_sincos(const {name} *angle, {name} *sine, {name} *cosine)\n{{\n{}}}",
            each("sine->x[i] = sin(angle->x[i]);\n        cosine->x[i] = cos(angle->x[i])")
        ));
    }
}

/// Sine and cosine as `rotule_symbolic::sincos` has them, on all lanes at once; by the library
/// where angles are too large or where the compiler is free to rearrange sums.
fn vector_sincos(width: usize) -> String {
    let name = format!("lanes{width}");
    let polynomial = |coefficients: &[f64; 6]| {
        let [first, rest @ ..] = coefficients;
        let nested = rest.iter().rev().fold(String::new(), |sum, one| match sum.is_empty() {
            true => format!("{one:?}"),
            false => format!("({one:?} + z*{sum})"),
        });
        format!("({first:?} + z*{nested})")
    };
    let [first, second, third] = HALF_PI;
    let near: Vec<String> = (0..width).map(|at| format!("near[{at}]")).collect();
    format!(
        "static void {name}_sincos(const {name} *angle, {name} *sine, {name} *cosine)
{{
    const {name} x = *angle;
#if !defined(__FAST_MATH__) && !defined(__ASSOCIATIVE_MATH__)
    const {name} counted = x*{QUARTERS:?} + {ROUND:?};
    const {name} k = counted - {ROUND:?};
    const {name} second = k*{second:?};
    const {name} third = k*{third:?};
    const {name} coarse = x - k*{first:?};
    const {name} finer = coarse - second;
    const {name} r = finer - third;
    const {name} t = ((coarse - finer) - second) + ((finer - r) - third);
    const {name} z = r*r;
    const {name} half = 0.5*z;
    const {name} most = 1.0 - half;
    const {name} s = r + (z*r*{} + t*most);
    const {name} c = most + (((1.0 - most) - half) + (z*z*{} - r*t));
    const {name}_bits quarter = ({name}_bits)counted;
    const {name}_bits odd = -(quarter & 1);
    const {name}_bits sbits = ({name}_bits)s;
    const {name}_bits cbits = ({name}_bits)c;
    const {name}_bits near = ({name}_bits)((x <= {LARGEST:?}) & (x >= -{LARGEST:?}));
    *sine = ({name})(((sbits & ~odd) | (cbits & odd)) ^ ((quarter & 2) << 62));
    *cosine = ({name})(((cbits & ~odd) | (sbits & odd)) ^ (((quarter + 1) & 2) << 62));
    if ({}) {{
        return;
    }}
#endif
    for (int i = 0; i < {width}; i++) {{
        (*sine)[i] = sin(x[i]);
        (*cosine)[i] = cos(x[i]);
    }}
}}",
        polynomial(&SINE),
        polynomial(&COSINE),
        near.join(" & ")
    )
}
