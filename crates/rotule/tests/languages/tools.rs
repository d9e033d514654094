//! The checker, compiler and interpreter of each language, as data.
//!
//! Commands are lines for `sh`, run in the generated folder; `{p}` is the prefix, `{x}` the source
//! of the external functions if there is one, `{tests}` the folder of these tests, `{python}` the
//! project's own Python, `{julia}` Julia, `{node}` the project's folder of packages for Node.js.
//! The last command prints the demo's numbers.

/// A way to run a language.
pub struct Tooling {
    /// Its name among the tests.
    pub name: &'static str,
    /// The language of `rotule generate`.
    pub emit: &'static str,
    /// Commands, in order.
    pub commands: &'static [&'static str],
    /// Makes of the stub of external functions one that gives `results[i] = (i + 1)*sum((j +
    /// 1)*arguments[j])`.
    pub fill: &'static [(&'static str, &'static str)],
    /// The file with external functions, if the language needs it on the command line.
    pub externals: &'static str,
    /// `true` if functions of many states are requested; then only some of the models are run.
    pub batch: bool,
}

/// Adds up the arguments in C.
const FILL_C: &[(&str, &str)] = &[
    (
        "(void)arguments;",
        "double sum = 0.0;\n    for (int j = 0; j < NARGUMENTS; j++) {\n        sum += (j + 1) * arguments[j];\n    }",
    ),
    ("results[INDEX] = 0.0;", "results[INDEX] = (INDEX + 1) * sum;"),
];

/// Adds up the arguments in Rust.
const FILL_RUST: &[(&str, &str)] = &[(
    "results.fill(0.0);",
    "let sum: f64 = arguments.iter().zip(1..).map(|(x, j)| f64::from(j) * x).sum();
        results.iter_mut().zip(1..).for_each(|(x, i)| *x = f64::from(i) * sum);",
)];

/// Adds up the arguments in Java.
const FILL_JAVA: &[(&str, &str)] = &[(
    "java.util.Arrays.fill(results, 0.0);",
    "double sum = 0.0;
        for (int j = 0; j < arguments.length; j++) {
            sum += (j + 1) * arguments[j];
        }
        for (int i = 0; i < results.length; i++) {
            results[i] = (i + 1) * sum;
        }",
)];

/// A crate with the names of `libm`, made of `std`, to compile against.
const LIBM: &str = "(for f in sin cos tan asin acos atan sqrt exp floor; do \
    echo \"pub fn $f(x: f64) -> f64 { x.$f() }\"; done; \
    echo 'pub fn log(x: f64) -> f64 { x.ln() } pub fn fabs(x: f64) -> f64 { x.abs() } \
    pub fn atan2(y: f64, x: f64) -> f64 { y.atan2(x) } pub fn pow(x: f64, y: f64) -> f64 { x.powf(y) }') \
    > libm.rs && rustc --edition 2021 --crate-type rlib libm.rs";
/// Adds up the arguments in Fortran.
const FILL_FORTRAN: &[(&str, &str)] = &[(
    "    results = 0.0_dp",
    "      block
        integer :: j
        results = sum([(real(j, dp), j = 1, NARGUMENTS)]*arguments)
        results = [(real(j, dp), j = 1, size(results))]*results
      end block",
)];

/// Adds up the arguments in MATLAB.
const FILL_MATLAB: &[(&str, &str)] = &[(
    "results = zeros(INDEX1, 1);",
    "results = (1:INDEX1).' * sum((1:NARGUMENTS).' .* arguments);",
)];

/// Adds up the arguments in Python.
const FILL_PYTHON: &[(&str, &str)] = &[(
    "return results",
    "total = sum((j + 1) * x for j, x in enumerate(arguments))\n    \
     return [(i + 1) * total for i in range(len(results))]",
)];

/// Adds up the arguments in Julia.
const FILL_JULIA: &[(&str, &str)] =
    &[("return zeros(INDEX1)", "return (1.0:INDEX1.0) .* sum((1.0:NARGUMENTS.0) .* arguments)")];

/// Adds up the arguments in JavaScript.
const FILL_JAVASCRIPT: &[(&str, &str)] = &[(
    "return results;",
    "const sum = given.reduce((sum, x, j) => sum + (j + 1) * x, 0.0);\n    \
     return results.map((_, i) => (i + 1) * sum);",
)];

/// Runs the demo on a batch of three states with three sets of parameters, and shows the one in the
/// middle.
const PYTHON_BATCH: &str = r#"{python} -c '
import types
import numpy as np
import {p} as model
import {p}_demo as demo

def three(given):
    given = np.array(given)
    return np.stack([0.7 * given, given, 1.2 * given + 0.1])

def middle(given, shape):
    assert np.shape(given)[0] == 3
    return np.reshape(np.asarray(given)[1], shape)

demo.np = types.SimpleNamespace(array=three, reshape=middle)
if hasattr(model, "setup"):
    constants = model.setup(three(model.PARAMETERS))
    model.setup = lambda: constants
demo.main()
'"#;

/// Every way.
pub const LANGUAGES: &[Tooling] = &[
    Tooling {
        name: "c",
        emit: "c",
        commands: &[
            "gcc -std=c99 -O1 -Wall -Wextra -pedantic -Wconversion -Wshadow -Werror -c {p}.c {p}_demo.c {x}",
            "! nm -u {p}.o | grep -E 'alloc|free'",
            "gcc *.o -lm -o demo",
            "./demo",
        ],
        fill: FILL_C,
        externals: "{p}_externals.c",
        batch: false,
    },
    Tooling {
        name: "c++",
        emit: "c",
        commands: &[
            "g++ -O1 -Wall -Wextra -pedantic -Wconversion -Werror -x c++ {p}.c {p}_demo.c {x} -lm -o demo",
            "./demo",
        ],
        fill: FILL_C,
        externals: "{p}_externals.c",
        batch: false,
    },
    Tooling {
        name: "c vectors",
        emit: "c",
        commands: &[
            "gcc -O2 -march=native -ffp-contract=off {p}.c {p}_demo.c {x} -lm -o demo",
            "./demo",
        ],
        fill: FILL_C,
        externals: "{p}_externals.c",
        batch: false,
    },
    Tooling {
        name: "c portable",
        emit: "c",
        commands: &[
            "gcc -std=c99 -O1 -DROTULE_PORTABLE -Wall -Wextra -pedantic -Wconversion -Wshadow -Werror \
             {p}.c {p}_demo.c {x} -lm -o demo",
            "./demo",
        ],
        fill: FILL_C,
        externals: "{p}_externals.c",
        batch: false,
    },
    Tooling {
        name: "c sanitized",
        emit: "c",
        commands: &[
            "gcc -std=c99 -g1 -O1 -fsanitize=address,undefined -fno-sanitize-recover=all {p}.c {p}_demo.c {x} -lm -o demo",
            "gcc -std=c99 -g1 -O1 {p}.c {p}_demo.c {x} -lm -o plain",
            "valgrind -q --error-exitcode=9 --leak-check=full ./plain",
            "./demo",
        ],
        fill: FILL_C,
        externals: "{p}_externals.c",
        batch: false,
    },
    // Packs as wide as the machine's registers, with threads, and of one number.
    Tooling {
        name: "c batch",
        emit: "c",
        commands: &[
            "gcc -std=c99 -O1 -c {p}.c {x}",
            concat!(
                "gcc -std=c99 -O2 -Wall -Wextra -pedantic -Wconversion -Wshadow -Werror ",
                "-c {p}_batch.c {p}_batch_demo.c"
            ),
            "! nm -u {p}_batch.o | grep -E 'alloc|free'",
            "gcc *.o -lm -o demo && ./demo 0 && ./demo 1 > /dev/null && ./demo 3 > /dev/null",
            "gcc -O1 -march=native -ffp-contract=off -fopenmp -Wall -Wextra -Werror -c {p}_batch.c",
            "gcc *.o -fopenmp -lm -o demo && ./demo 3 > /dev/null && ./demo 1000 > /dev/null",
            "gcc -O1 -D$(echo {p} | tr a-z A-Z)_WIDTH=1 -Wall -Wextra -Werror -c {p}_batch.c",
            "gcc *.o -lm -o demo && ./demo 1000",
        ],
        fill: FILL_C,
        externals: "{p}_externals.c",
        batch: true,
    },
    // Packs that are wider than registers are.
    Tooling {
        name: "c batch clang",
        emit: "c",
        commands: &[
            "clang -std=c99 -O1 -c {p}.c {p}_batch_demo.c {x}",
            concat!(
                "clang -std=c99 -O2 -Wall -Wextra -pedantic -Wconversion -Wshadow -Werror ",
                "-D$(echo {p} | tr a-z A-Z)_WIDTH=4 -c {p}_batch.c"
            ),
            "clang *.o -lm -o demo && ./demo 1 > /dev/null && ./demo 1000 > /dev/null",
            concat!(
                "clang -std=c99 -O1 -Wall -Wextra -pedantic -Wconversion -Wshadow -Werror ",
                "-D$(echo {p} | tr a-z A-Z)_WIDTH=8 -c {p}_batch.c"
            ),
            "clang *.o -lm -o demo && ./demo 3 > /dev/null && ./demo 1000",
        ],
        fill: FILL_C,
        externals: "{p}_externals.c",
        batch: true,
    },
    Tooling {
        name: "c batch sanitized",
        emit: "c",
        commands: &[
            // Functions of one state are sanitized above.
            "gcc -std=c99 -O1 -c {p}.c",
            concat!(
                "gcc -std=c99 -g1 -O1 -fsanitize=address,undefined -fno-sanitize-recover=all ",
                "{p}.o {p}_batch.c {p}_batch_demo.c {x} -lm -o demo"
            ),
            "./demo 1 > /dev/null && ./demo 3 > /dev/null",
            "g++ -O1 -Wall -Wextra -pedantic -Wconversion -Werror -x c++ -c {p}_batch.c {p}_batch_demo.c",
            "./demo 1001",
        ],
        fill: FILL_C,
        externals: "{p}_externals.c",
        batch: true,
    },
    Tooling {
        name: "rust",
        emit: "rust",
        commands: &[
            "touch clippy.toml && CLIPPY_CONF_DIR=. clippy-driver --edition 2024 -D warnings -D clippy::all {p}_demo.rs -o demo",
            // A crate without `std`, documented, without a warning.
            LIBM,
            "echo '//! A crate.\n#![no_std]\npub mod {p};' > lib.rs",
            "rustc --edition 2021 -D warnings --crate-type rlib --cfg 'feature=\"libm\"' --extern libm=liblibm.rlib lib.rs",
            "rustdoc --edition 2021 -D warnings --cfg 'feature=\"libm\"' --extern libm=liblibm.rlib lib.rs",
            "rustc -D warnings -C opt-level=1 {p}_demo.rs -o demo",
            "./demo",
        ],
        fill: FILL_RUST,
        externals: "",
        batch: false,
    },
    // Packs of eight states in vectors, and of three with all checks.
    Tooling {
        name: "rust batch",
        emit: "rust",
        commands: &[
            "touch clippy.toml && CLIPPY_CONF_DIR=. clippy-driver --edition 2024 -D warnings -D clippy::all {p}_batch_demo.rs -o demo",
            "! grep -nE 'unsafe|vec!|Box' {p}_batch.rs",
            LIBM,
            "echo '//! A crate.\n#![no_std]\npub mod {p};\npub mod {p}_batch;' > lib.rs",
            "rustc --edition 2021 -D warnings --crate-type rlib --cfg 'feature=\"libm\"' --extern libm=liblibm.rlib lib.rs",
            "rustdoc --edition 2021 -D warnings --cfg 'feature=\"libm\"' --extern libm=liblibm.rlib lib.rs",
            "rustc -D warnings -C opt-level=2 -C target-cpu=native {p}_batch_demo.rs -o demo",
            "./demo 0 && ./demo 1 > /dev/null && ./demo 17 > /dev/null && ./demo 1000 > /dev/null",
            "sed -i 's/WIDTH: usize = 8;/WIDTH: usize = 3;/' {p}_batch.rs && grep -q 'usize = 3;' {p}_batch.rs",
            "rustc -D warnings {p}_batch_demo.rs -o demo",
            "./demo 2 > /dev/null && ./demo 101",
        ],
        fill: FILL_RUST,
        externals: "",
        batch: true,
    },
    Tooling {
        name: "java",
        emit: "java",
        commands: &[
            "LC_ALL=C javac -Xlint:all -Werror --release 11 *.java",
            "java $(basename *Demo.java .java)",
        ],
        fill: FILL_JAVA,
        externals: "",
        batch: false,
    },
    Tooling {
        name: "fortran",
        emit: "fortran",
        commands: &[
            "gfortran -std=f2008 -O1 -Wall -Wextra -pedantic -Werror {x} {p}.f90 {p}_demo.f90 -o demo",
            "./demo",
        ],
        fill: FILL_FORTRAN,
        externals: "{p}_externals.f90",
        batch: false,
    },
    Tooling {
        name: "octave",
        emit: "matlab",
        commands: &[
            "! grep -nE 'endfunction|endif|endwhile|[+]=|[+][+]|!=|^ *#|^ *printf' *.m",
            "octave-cli --quiet --no-init-file --eval {p}_demo",
        ],
        fill: FILL_MATLAB,
        externals: "",
        batch: false,
    },
    Tooling {
        name: "simulink",
        emit: "simulink",
        commands: &[
            "octave-cli --quiet --no-init-file --eval \"f = dir('*.m'); cellfun(@__parse_file__, {f.name})\"",
            "gcc -std=c99 -O1 -c {p}.c {x}",
            "for f in run_*.c; do \
             gcc -std=c99 -g1 -Wall -Wextra -pedantic -Wconversion -Werror -fsanitize=address,undefined \
             -fno-sanitize-recover=all -DMATLAB_MEX_FILE -I{tests}/simulink $f *.o -lm -o demo && ./demo || exit 1; \
             done",
        ],
        fill: FILL_C,
        externals: "{p}_externals.c",
        batch: false,
    },
    Tooling {
        name: "python",
        emit: "python",
        commands: &[
            "{python} -m ruff check --no-cache .",
            "{python} -m mypy --strict --cache-dir ../mypy .",
            "{python} {p}_demo.py",
        ],
        fill: FILL_PYTHON,
        externals: "",
        batch: false,
    },
    Tooling {
        name: "python batch",
        emit: "python",
        commands: &[PYTHON_BATCH],
        fill: FILL_PYTHON,
        externals: "",
        batch: false,
    },
    // Julia compiles at its first level: the last one takes minutes for the largest models.
    Tooling {
        name: "julia",
        emit: "julia",
        commands: &["{julia} --startup-file=no --depwarn=error -O1 {p}_demo.jl"],
        fill: FILL_JULIA,
        externals: "",
        batch: false,
    },
    Tooling {
        name: "javascript",
        emit: "javascript",
        // The demo sees the declarations, and the module is checked by its own comments.
        commands: &[
            "{node}/.bin/tsc --noEmit --strict --allowJs --checkJs --target es2022 --module nodenext *.mjs",
            "node {p}_demo.mjs",
        ],
        fill: FILL_JAVASCRIPT,
        externals: "",
        batch: false,
    },
];
