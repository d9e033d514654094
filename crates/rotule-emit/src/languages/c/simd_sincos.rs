//! Sines and cosines in C, four angles at once: the numbers of [`rotule_symbolic::sincos`] in the
//! vector types of GNU compilers, and the mathematical library elsewhere.
//!
//! Four calls of a library cost more than this one function, because the four angles share its
//! instructions and its latency. It is branch-free but for one test, which sends angles that are
//! too large, or no numbers, to the library.

use crate::layout::LineText;
use crate::listing::SincosPack;
use rotule_symbolic::sincos::{COSINE, HALF_PI, LARGEST, QUARTERS, ROUND, SINE};

/// The call.
pub const CALL: &str = "sincos_of(";

/// Number of angles that it takes.
const BLOCK: usize = 4;

/// Writes the calls of a pack and the names of what they give.
pub fn print(text: &mut LineText, pack: &SincosPack) {
    let scratch = &pack.scratch;
    let blocks = pack.angles.len().div_ceil(BLOCK);
    text.line(&format!("double {scratch}[2][{}];", blocks * BLOCK));
    for (at, some) in pack.angles.chunks(BLOCK).enumerate() {
        let mut angles: Vec<&str> = some.iter().map(String::as_str).collect();
        angles.resize(BLOCK, "0.0");
        let place = at * BLOCK;
        let given = angles.join(", ");
        text.line(&format!("{CALL}{given}, {scratch}[0] + {place}, {scratch}[1] + {place});"));
    }
    for (row, names) in [&pack.sines, &pack.cosines].into_iter().enumerate() {
        for (at, name) in names.iter().enumerate() {
            if let Some(name) = name {
                text.line(&format!("const double {name} = {scratch}[{row}][{at}];"));
            }
        }
    }
}

/// A polynomial of six coefficients in `z`, in the order of the reference, so that every bit is the
/// same.
fn polynomial([a, b, c, d, e, f]: [f64; 6]) -> String {
    format!("((((({f:?} * z + {e:?}) * z + {d:?}) * z + {c:?}) * z + {b:?}) * z + {a:?})")
}

/// The lines that reduce the angle `x`, whose type has this name, to `r + rest` by `k` quarter
/// turns, and then choose.
fn around(lanes: &str, between: Vec<String>) -> Vec<String> {
    let [first, second, third] = HALF_PI;
    let mut lines = vec![
        format!("const {lanes} counted = x * {QUARTERS:?} + {ROUND:?};"),
        format!("const {lanes} k = counted - {ROUND:?};"),
        format!("const {lanes} second = k * {second:?};"),
        format!("const {lanes} third = k * {third:?};"),
        format!("const {lanes} coarse = x - k * {first:?};"),
        format!("const {lanes} finer = coarse - second;"),
        format!("const {lanes} r = finer - third;"),
        format!("const {lanes} rest = ((coarse - finer) - second) + ((finer - r) - third);"),
        format!("const {lanes} z = r * r;"),
    ];
    lines.extend(between);
    lines.extend([
        "const bits quarter = (bits)counted;".to_owned(),
        "const bits differ = ((bits)p ^ (bits)q) & (0 - (quarter & 1));".to_owned(),
        format!("const {lanes} sine = ({lanes})((bits)p ^ differ ^ ((quarter & 2) << 62));"),
        format!(
            "const {lanes} cosine = ({lanes})((bits)q ^ differ ^ (((quarter + 1) & 2) << 62));"
        ),
    ]);
    lines
}

/// The lines that make `sine` and `cosine` of `x`, below one unit in the last place; whole numbers
/// are `bits`.
fn kernel(lanes: &str) -> Vec<String> {
    let (sine, cosine) = (polynomial(SINE), polynomial(COSINE));
    let between = vec![
        format!("const {lanes} zz = z * z;"),
        format!("const {lanes} half = 0.5 * z;"),
        format!("const {lanes} most = 1.0 - half;"),
        format!("const {lanes} p = r + (z * r * ({sine}) + rest * most);"),
        format!("const {lanes} q = most + (((1.0 - most) - half) + (zz * ({cosine}) - r * rest));"),
    ];
    around(lanes, between)
}

/// The kernel below two units, with fewer operations: other angles and other states hide its
/// latency.
pub fn short_kernel(lanes: &str) -> Vec<String> {
    let horner = |coefficients: &[f64]| {
        let (last, others) = coefficients.split_last().expect("there are coefficients");
        others.iter().rev().fold(format!("{last:?}"), |sum, one| format!("({one:?} + z * {sum})"))
    };
    let (sine, cosine) = (horner(&SINE), horner(&COSINE));
    let between = vec![
        format!("const {lanes} p = r + (z * r * {sine} + rest);"),
        format!("const {lanes} q = 1.0 + z * (-0.5 + z * {cosine});"),
    ];
    around(lanes, between)
}

/// The kernel with fused operations: `FUSED(x, y, z)` is `x*y + z`, rounded once. An angle less a
/// multiple of the first part of pi/2 is exact then, because it is a multiple of that part's last
/// digit and smaller than one. The other two parts are rounded relative to what is left, so that it
/// has all its digits even close to quarter turns, and no rest.
pub fn fused_kernel() -> Vec<String> {
    let horner = |coefficients: &[f64]| {
        let (last, others) = coefficients.split_last().expect("there are coefficients");
        others.iter().rev().fold(format!("all_of({last:?})"), |sum, one| {
            format!("FUSED(z, {sum}, all_of({one:?}))")
        })
    };
    let (sine, cosine) = (horner(&SINE), horner(&COSINE));
    let [first, second, third] = WHOLE_HALF_PI;
    [
        format!("const pack counted = FUSED(x, all_of({QUARTERS:?}), all_of({ROUND:?}));"),
        format!("const pack k = counted - {ROUND:?};"),
        format!("const pack coarse = FUSED(k, all_of(-{first:?}), x);"),
        format!("const pack finer = FUSED(k, all_of(-{second:?}), coarse);"),
        format!("const pack r = FUSED(k, all_of({:?}), finer);", -third),
        "const pack z = r * r;".to_owned(),
        format!("const pack p = FUSED(z * r, {sine}, r);"),
        format!("const pack q = FUSED(z, FUSED(z, {cosine}, all_of(-0.5)), all_of(1.0));"),
        "const bits odd = (bits)counted << 63;".to_owned(),
        "const bits half = ((bits)counted << 62) & 0x8000000000000000ULL;".to_owned(),
        "const pack sine = (pack)((bits)PICK(odd, p, q) ^ half);".to_owned(),
        "const pack cosine = (pack)((bits)PICK(odd, q, p) ^ half ^ odd);".to_owned(),
    ]
    .into()
}

/// Pi/2 in three parts with all the digits of a number each.
const WHOLE_HALF_PI: [f64; 3] =
    [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];

/// Where the vector types exist, and where sums are not rearranged.
pub const VECTORS: &str = "defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__)) \\\n        \
     && !defined(__FAST_MATH__) && !defined(__ASSOCIATIVE_MATH__)";

/// Writes the function.
pub fn define(text: &mut LineText) {
    text.lines(&format!(
        "/* Sines and cosines of four angles at once, below one unit in the last place; beyond {LARGEST:?}, \n \
         * and without vectors, by the library. */"
    ));
    text.lines(&format!("#if {VECTORS}"));
    text.line("#include <string.h>");
    text.line("");
    text.line("#if defined(__AVX__)");
    let types = |bytes: usize| {
        format!(
            "typedef double lanes __attribute__((vector_size({bytes})));\n\
             typedef unsigned long long bits __attribute__((vector_size({bytes})));"
        )
    };
    text.lines(&types(32));
    text.line("#else");
    text.lines(&types(16));
    text.line("#endif");
    let head = "static inline void sincos_of(double a, double b, double c, double d, double *sines, double *cosines)\n{";
    text.line("");
    text.lines(head);
    text.depth += 1;
    text.line("#if defined(__AVX__)");
    text.line("const lanes angles[1] = {{a, b, c, d}};");
    text.line("#else");
    text.line("const lanes angles[2] = {{a, b}, {c, d}};");
    text.line("#endif");
    text.line("for (unsigned i = 0; i < 4 * sizeof(double) / sizeof(lanes); i++) {");
    text.depth += 1;
    text.line("const unsigned at = i * (unsigned)(sizeof(lanes) / sizeof(double));");
    text.line("const lanes x = angles[i];");
    kernel("lanes").iter().for_each(|line| text.line(line));
    text.line("memcpy(sines + at, &sine, sizeof sine);");
    text.line("memcpy(cosines + at, &cosine, sizeof cosine);");
    text.depth -= 1;
    text.line("}");
    let sizes: Vec<String> = ["a", "b", "c", "d"].iter().map(|x| format!("fabs({x})")).collect();
    // What is no number fails every comparison.
    text.line(&format!("if (!({} <= {LARGEST:?})) {{", sizes.join(" + ")));
    text.depth += 1;
    text.line("const double all[4] = {a, b, c, d};");
    text.line("for (int i = 0; i < 4; i++) {");
    text.line(&format!("    if (!(fabs(all[i]) <= {LARGEST:?})) {{"));
    text.line("        sines[i] = sin(all[i]);");
    text.line("        cosines[i] = cos(all[i]);");
    text.lines("    }\n}");
    text.depth -= 1;
    text.line("}");
    text.depth -= 1;
    text.line("}");
    text.line("#else");
    text.lines(head);
    text.depth += 1;
    text.line("const double all[4] = {a, b, c, d};");
    text.line("for (int i = 0; i < 4; i++) {");
    text.lines("    sines[i] = sin(all[i]);\n    cosines[i] = cos(all[i]);\n}");
    text.depth -= 1;
    text.line("}");
    text.line("#endif");
}
