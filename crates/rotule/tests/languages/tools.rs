//! How each language is checked, compiled and run, as data.
//!
//! Commands are lines for `sh`, run in the generated folder; `{p}` is the prefix, `{x}` the source of the external
//! functions if there is one, `{python}` and `{npx}` the project's own. The last command prints the demo's numbers.

/// A way to run a language.
pub struct Tooling {
    /// Its name among the tests.
    pub name: &'static str,
    /// The language of `rotule generate`.
    pub emit: &'static str,
    /// Commands, in order.
    pub commands: &'static [&'static str],
    /// Makes of the stub of external functions one that gives `results[i] = (i + 1)*sum((j + 1)*arguments[j])`.
    pub fill: &'static [(&'static str, &'static str)],
    /// The file with external functions, if the language needs it on the command line.
    pub externals: &'static str,
}

/// Languages whose text is only compared with golden files.
pub const NOT_RUN: &[&str] = &["julia", "simulink"];

/// Adds up the arguments in C.
const FILL_C: &[(&str, &str)] = &[
    (
        "(void)arguments;",
        "double sum = 0.0;\n    for (int j = 0; j < NARGUMENTS; j++) {\n        sum += (j + 1) * arguments[j];\n    }",
    ),
    ("results[INDEX] = 0.0;", "results[INDEX] = (INDEX + 1) * sum;"),
];

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
    },
    Tooling {
        name: "c sanitized",
        emit: "c",
        commands: &[
            "gcc -std=c99 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all {p}.c {p}_demo.c {x} -lm -o demo",
            "gcc -std=c99 -g -O1 {p}.c {p}_demo.c {x} -lm -o plain",
            "valgrind -q --error-exitcode=9 --leak-check=full ./plain",
            "./demo",
        ],
        fill: FILL_C,
        externals: "{p}_externals.c",
    },
];
