//! The text in front of batches in C: the type of a pack of states, and what is done with packs.
//!
//! A pack holds one number of several states: a vector of GNU compilers, of 8, 4 or 2 lanes as the
//! target has registers, or a plain number elsewhere. Operators are written as they are; what has
//! no operator is a small function here. Functions of the mathematical library go lane by lane,
//! except sine and cosine.

use super::simd_sincos::{fused_kernel, short_kernel};
use crate::layout::LineText;
use rotule_symbolic::sincos::LARGEST;

/// Functions of the mathematical library that packs call lane by lane: its name, and how many
/// arguments.
const LIBRARY: &[(&str, usize)] = &[
    ("tan", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("exp", 1),
    ("log", 1),
    ("atan2", 2),
    ("pow", 2),
];

/// Types of packs.
const TYPES: &str = r#"
#if WIDTH > 1
/* Packs stay in this file, so that nobody else has to agree how they are passed. */
#pragma GCC diagnostic ignored "-Wpsabi"
typedef double pack __attribute__((vector_size(8 * WIDTH)));
typedef unsigned long long bits __attribute__((vector_size(8 * WIDTH)));
#else
typedef double pack;
typedef int bits;
#endif"#;

const ALL: &str = "
static inline pack all_of(double x)
{
#if WIDTH > 1
    const pack zero = {0.0};
    return x - zero;
#else
    return x;
#endif
}";

const CHOOSE: &str = "
static inline pack choose(bits which, pack x, pack y)
{
#if WIDTH > 1
    return (pack)(((bits)x & which) | ((bits)y & ~which));
#else
    return which ? x : y;
#endif
}";

/// Of masks, whose bits are all alike in each lane.
const ANY: &str = "
static inline int any_of(bits x)
{
#if WIDTH == 4 && defined(__AVX__)
    return _mm256_movemask_pd((__m256d)x) != 0;
#elif WIDTH > 1
    unsigned long long found = 0;
    for (int i = 0; i < WIDTH; i++) {
        found |= x[i];
    }
    return found != 0;
#else
    return x;
#endif
}";

const ABS: &str = "
static inline pack abs_of(pack x)
{
#if WIDTH > 1
    return (pack)((bits)x & 0x7fffffffffffffffULL);
#else
    return fabs(x);
#endif
}";

const LOAD: &str = "
static inline pack load_of(const double *x)
{
    pack y;
    memcpy(&y, x, sizeof y);
    return y;
}";

const STORE: &str = "
static inline void store_of(double *x, pack y)
{
    memcpy(x, &y, sizeof y);
}";

const SQRT: &str = "
static inline pack sqrt_of(pack x)
{
#if WIDTH == 8 && defined(__AVX512F__)
    return (pack)_mm512_sqrt_pd((__m512d)x);
#elif WIDTH == 4 && defined(__AVX__)
    return (pack)_mm256_sqrt_pd((__m256d)x);
#elif WIDTH == 2 && defined(__SSE2__)
    return (pack)_mm_sqrt_pd((__m128d)x);
#else
    double y[WIDTH];
    store_of(y, x);
    for (int i = 0; i < WIDTH; i++) {
        y[i] = sqrt(y[i]);
    }
    return load_of(y);
#endif
}";

const FLOOR: &str = "
static inline pack floor_of(pack x)
{
#if WIDTH == 8 && defined(__AVX512F__)
    return (pack)_mm512_roundscale_pd((__m512d)x, 9);
#elif WIDTH == 4 && defined(__AVX__)
    return (pack)_mm256_floor_pd((__m256d)x);
#elif WIDTH == 2 && defined(__SSE4_1__)
    return (pack)_mm_floor_pd((__m128d)x);
#elif WIDTH == 2 && defined(__aarch64__)
    return (pack)vrndmq_f64((float64x2_t)x);
#else
    double y[WIDTH];
    store_of(y, x);
    for (int i = 0; i < WIDTH; i++) {
        y[i] = floor(y[i]);
    }
    return load_of(y);
#endif
}";

/// The lanes of `y` where the first bit of a lane is set.
const PICK: &str = "
#if WIDTH == 4 && defined(__AVX__)
#define PICK(first, x, y) ((pack)_mm256_blendv_pd((__m256d)(x), (__m256d)(y), (__m256d)(first)))
#else
#define PICK(first, x, y) ((pack)((bits)(x) ^ (((bits)(x) ^ (bits)(y)) & (0 - ((first) >> 63)))))
#endif";

/// Compilers fuse products and sums where they are allowed to, which they are not by every standard
/// of C. The reduction of angles relies on it and requests it by intrinsics.
const FUSED: &str = "
#if WIDTH == 8 && defined(__AVX512F__)
#define FUSED(x, y, z) ((pack)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z)))
#elif WIDTH == 4 && defined(__FMA__)
#define FUSED(x, y, z) ((pack)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z)))
#elif WIDTH == 2 && defined(__FMA__)
#define FUSED(x, y, z) ((pack)_mm_fmadd_pd((__m128d)(x), (__m128d)(y), (__m128d)(z)))
#elif WIDTH == 2 && defined(__aarch64__)
#define FUSED(x, y, z) ((pack)vfmaq_f64((float64x2_t)(z), (float64x2_t)(x), (float64x2_t)(y)))
#endif";

const SIGN: &str = "
static inline pack sign_of(pack x)
{
    const pack below = choose((bits)(x < 0.0), all_of(-1.0), choose((bits)(x == 0.0), all_of(0.0), x));
    return choose((bits)(x > 0.0), all_of(1.0), below);
}";

const MIN: &str = "
static inline pack min_of(pack x, pack y)
{
    return choose((bits)(x < y) | (bits)(x != x), x, y);
}";

const MAX: &str = "
static inline pack max_of(pack x, pack y)
{
    return choose((bits)(x > y) | (bits)(x != x), x, y);
}";

/// Reads and writes a lane, for external functions.
const LANES: &str = "
static inline double lane_of(const pack *x, int lane)
{
    double y[WIDTH];
    store_of(y, *x);
    return y[lane];
}

static inline void set_lane(pack *x, int lane, double number)
{
    double y[WIDTH];
    store_of(y, *x);
    y[lane] = number;
    *x = load_of(y);
}";

/// Number of iterations of the first lanes that did not converge.
const SUM: &str = "
static size_t sum_of(pack x, size_t lanes)
{
    double y[WIDTH];
    size_t sum = 0;
    store_of(y, x);
    for (size_t i = 0; i < lanes; i++) {
        sum += (size_t)y[i];
    }
    return sum;
}";

/// The last states are too few for a pack: it is filled with the last of them.
const PARTS: &str = "
static void fill_part(size_t numbers, size_t lanes, size_t count, const double *x, double *part)
{
    for (size_t i = 0; i < numbers; i++) {
        for (size_t lane = 0; lane < WIDTH; lane++) {
            part[i * WIDTH + lane] = x[i * count + (lane < lanes ? lane : lanes - 1)];
        }
    }
}

static void take_part(size_t numbers, size_t lanes, size_t count, const double *part, double *x)
{
    for (size_t i = 0; i < numbers; i++) {
        for (size_t lane = 0; lane < lanes; lane++) {
            x[i * count + lane] = part[i * WIDTH + lane];
        }
    }
}";

/// All functions of packs; each may call those before it.
fn helpers() -> Vec<(String, String)> {
    let fixed = [
        ("all_of(", ALL),
        ("choose(", CHOOSE),
        ("any_of(", ANY),
        ("abs_of(", ABS),
        ("load_of(", LOAD),
        ("store_of(", STORE),
        ("sqrt_of(", SQRT),
        ("floor_of(", FLOOR),
        ("FUSED(", FUSED),
        ("PICK(", PICK),
        ("sign_of(", SIGN),
        ("min_of(", MIN),
        ("max_of(", MAX),
        ("lane_of(", LANES),
        ("sum_of(", SUM),
        ("fill_part(", PARTS),
    ];
    let mut all: Vec<(String, String)> =
        fixed.iter().map(|&(name, helper)| (name.to_owned(), helper.to_owned())).collect();
    for &(name, arguments) in LIBRARY {
        all.push((format!("{name}_of("), library(name, arguments)));
    }
    all.push(("near_of(".to_owned(), near()));
    all.push(("is_far(".to_owned(), is_far()));
    all.push(("far_of(".to_owned(), far()));
    all.push(("sincos_of(".to_owned(), SINCOS.to_owned()));
    all
}

/// Writes what the body of the file needs.
pub fn define(text: &mut LineText, upper: &str, body: &str) {
    text.lines(&format!(
        "/* How many states are computed at once: {upper}_WIDTH, which can be given to the compiler. */"
    ));
    text.lines("#if defined(__GNUC__)");
    text.lines(&format!("#if defined({upper}_WIDTH)\n#define WIDTH {upper}_WIDTH"));
    text.lines(
        "#elif defined(__AVX512F__)\n#define WIDTH 8\n#elif defined(__AVX__)\n#define WIDTH 4\n\
         #elif defined(__SSE2__) || defined(__aarch64__)\n#define WIDTH 2\n#else\n#define WIDTH 1\n#endif\n\
         #else\n#define WIDTH 1\n#endif",
    );
    let mut needed: Vec<String> = Vec::new();
    for (name, helper) in helpers().into_iter().rev() {
        if calls(body, &name) || needed.iter().any(|later| calls(later, &name)) {
            needed.push(helper);
        }
    }
    if needed.iter().any(|helper| [SQRT, FLOOR, ANY, PICK, FUSED].contains(&helper.as_str())) {
        text.lines(
            "\n#if defined(__SSE2__)\n#include <immintrin.h>\n\
             #elif defined(__aarch64__)\n#include <arm_neon.h>\n#endif",
        );
    }
    text.lines(TYPES);
    needed.iter().rev().for_each(|helper| text.lines(helper));
}

/// Returns `true` if a text calls a function, and not one whose name ends alike.
fn calls(text: &str, call: &str) -> bool {
    let part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.match_indices(call).any(|(at, _)| !text[..at].ends_with(part))
}

fn library(name: &str, arguments: usize) -> String {
    let mut text = super::text();
    let (takes, gives) = match arguments {
        1 => ("pack x", "u[i]"),
        _ => ("pack x, pack y", "u[i], v[i]"),
    };
    text.line("");
    text.line(&format!("static pack {name}_of({takes})"));
    text.line("{");
    text.depth += 1;
    text.line("double u[WIDTH];");
    text.line("store_of(u, x);");
    if arguments > 1 {
        text.lines("double v[WIDTH];\nstore_of(v, y);");
    }
    text.line("for (int i = 0; i < WIDTH; i++) {");
    text.line(&format!("    u[i] = {name}({gives});"));
    text.lines("}\nreturn load_of(u);");
    text.depth -= 1;
    text.line("}");
    text.text
}

/// Where sines are computed by the operations of [`near`].
const OWN: &str = "#if WIDTH > 1 && !defined(__FAST_MATH__) && !defined(__ASSOCIATIVE_MATH__)";

/// Sine and cosine of an angle that is not too large, with fused operations where there are some.
fn near() -> String {
    let mut text = super::text();
    text.lines(
        "\n/* Sine and cosine below two units in the last place, of angles that are not too large. */\n\
         static inline void near_of(pack x, pack *sine_of, pack *cosine_of)\n{",
    );
    text.depth += 1;
    text.lines(OWN);
    text.line("#if defined(FUSED)");
    fused_kernel().iter().for_each(|line| text.line(line));
    text.line("#else");
    short_kernel("pack").iter().for_each(|line| text.line(line));
    text.line("#endif");
    text.lines("*sine_of = sine;\n*cosine_of = cosine;");
    text.lines("#else\n(void)x;\n*sine_of = *cosine_of = all_of(0.0);\n#endif");
    text.depth -= 1;
    text.line("}");
    text.text
}

/// The test that angles, of which the squares are added up, are beyond the range of [`near`]; what
/// is no number is, too.
fn is_far() -> String {
    let mut text = super::text();
    text.lines(&format!(
        "\n/* Angles beyond {LARGEST:?}, and all of them where sums may be rearranged, go to the library. */\n\
         static inline int is_far(pack squares)\n{{"
    ));
    text.depth += 1;
    text.lines(OWN);
    text.line(&format!("return any_of(~(bits)(squares <= {LARGEST:?} * {LARGEST:?}));"));
    text.lines("#else\n(void)squares;\nreturn 1;\n#endif");
    text.depth -= 1;
    text.line("}");
    text.text
}

/// Lanes with angles that are too large, or no numbers, by the library.
fn far() -> String {
    format!(
        "
static void far_of(int count, const pack *angles, pack *sines, pack *cosines)
{{
{OWN}
    const double limit = {LARGEST:?};
#else
    const double limit = -1.0;
#endif
    for (int i = 0; i < count; i++) {{
        double x[WIDTH], s[WIDTH], c[WIDTH];
        store_of(x, angles[i]);
        store_of(s, sines[i]);
        store_of(c, cosines[i]);
        for (int lane = 0; lane < WIDTH; lane++) {{
            if (!(fabs(x[lane]) <= limit)) {{
                s[lane] = sin(x[lane]);
                c[lane] = cos(x[lane]);
            }}
        }}
        sines[i] = load_of(s);
        cosines[i] = load_of(c);
    }}
}}"
    )
}

/// Many angles: a loop stays a loop, since unrolled it would push other code out of the cache.
const SINCOS: &str = "
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static void sincos_of(int count, const pack *angles, pack *sines, pack *cosines)
{
    pack squares = all_of(0.0);
    for (int i = 0; i < count; i++) {
        near_of(angles[i], sines + i, cosines + i);
        squares += angles[i] * angles[i];
    }
    if (is_far(squares)) {
        far_of(count, angles, sines, cosines);
    }
}";
