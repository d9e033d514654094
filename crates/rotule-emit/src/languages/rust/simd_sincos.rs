//! Sines and cosines in Rust, four angles at once: the numbers of [`rotule_symbolic::sincos`] in a
//! loop without branches, which the compiler turns into vector instructions.

use crate::layout::LineText;
use crate::listing::SincosPack;
use rotule_symbolic::sincos::{COSINE, HALF_PI, LARGEST, QUARTERS, ROUND, SINE};

/// Number of angles that go together.
const BLOCK: usize = 4;

/// Writes the calls of a pack and the names of what they give.
pub fn print(text: &mut LineText, pack: &SincosPack) {
    let scratch = &pack.scratch;
    for (block, some) in pack.angles.chunks(BLOCK).enumerate() {
        let mut angles: Vec<&str> = some.iter().map(String::as_str).collect();
        angles.resize(BLOCK, "0.0");
        text.line(&format!("let {scratch} = sincos_of([{}]);", angles.join(", ")));
        for (row, names) in [&pack.sines, &pack.cosines].into_iter().enumerate() {
            for at in 0..some.len() {
                if let Some(name) = &names[block * BLOCK + at] {
                    text.line(&format!("let {name} = {scratch}.{row}[{at}];"));
                }
            }
        }
    }
}

fn polynomial([a, b, c, d, e, f]: [f64; 6]) -> String {
    format!("((((({f:?} * z + {e:?}) * z + {d:?}) * z + {c:?}) * z + {b:?}) * z + {a:?})")
}

/// The lines that make `sine` and `cosine` of `x`.
pub fn kernel() -> Vec<String> {
    let [first, second, third] = HALF_PI;
    let (sine, cosine) = (polynomial(SINE), polynomial(COSINE));
    vec![
        format!("let counted = x * {QUARTERS:?} + {ROUND:?};"),
        format!("let k = counted - {ROUND:?};"),
        format!("let (second, third) = (k * {second:?}, k * {third:?});"),
        format!("let coarse = x - k * {first:?};"),
        "let finer = coarse - second;".to_owned(),
        "let r = finer - third;".to_owned(),
        "let rest = ((coarse - finer) - second) + ((finer - r) - third);".to_owned(),
        "let (z, zz) = (r * r, (r * r) * (r * r));".to_owned(),
        "let (half, most) = (0.5 * z, 1.0 - 0.5 * z);".to_owned(),
        format!("let p = r + (z * r * {sine} + rest * most);"),
        format!("let q = most + (((1.0 - most) - half) + (zz * {cosine} - r * rest));"),
        "let (p, q, quarter) = (p.to_bits(), q.to_bits(), counted.to_bits());".to_owned(),
        "let differ = (p ^ q) & 0_u64.wrapping_sub(quarter & 1);".to_owned(),
        "let sine = f64::from_bits(p ^ differ ^ ((quarter & 2) << 62));".to_owned(),
        "let cosine = f64::from_bits(q ^ differ ^ ((quarter.wrapping_add(1) & 2) << 62));"
            .to_owned(),
    ]
}

/// Writes the function.
pub fn define(text: &mut LineText) {
    text.lines(&format!(
        "\n/// Sines and cosines of four angles at once, below one unit in the last place; beyond\n\
         /// {LARGEST:?} by the library.\n\
         #[inline]\n\
         fn sincos_of(angles: [f64; 4]) -> ([f64; 4], [f64; 4]) {{"
    ));
    text.depth += 1;
    text.lines(
        "let (mut sines, mut cosines) = ([0.0; 4], [0.0; 4]);\nlet mut size = 0.0;\nfor i in 0..4 {",
    );
    text.depth += 1;
    text.line("let x = angles[i];");
    kernel().iter().for_each(|line| text.line(line));
    text.lines("(sines[i], cosines[i]) = (sine, cosine);\nsize += abs(x);");
    text.depth -= 1;
    text.line("}");
    text.line("// What is no number fails every comparison.");
    text.line(&format!("if !(size <= {LARGEST:?}) {{"));
    text.line("    for i in 0..4 {");
    text.line(&format!("        if !(abs(angles[i]) <= {LARGEST:?}) {{"));
    text.lines(
        "            (sines[i], cosines[i]) = (sin(angles[i]), cos(angles[i]));\n        }\n    }\n}",
    );
    text.line("(sines, cosines)");
    text.depth -= 1;
    text.line("}");
}
