//! Generated code is executed: every language, on several models, with symbolic and with frozen
//! parameters, in the fast and in the readable face; every number of every function is compared
//! with the interpreter.
//!
//! `tools` says how each language is compiled and run, `cases` what is generated, `check` compares.
//! These tests need compilers of other languages, so that they are run by `cargo xtask languages`,
//! which provides them.

mod cases;
mod check;
mod regions;
mod simulink;
mod sincos;
mod tools;

use tools::{LANGUAGES, Tooling};

fn tooling(name: &str) -> &'static Tooling {
    LANGUAGES.iter().find(|one| one.name == name).expect("each test names a row of the table")
}

/// Tests for each row of the table, so that they run side by side and fail by name.
macro_rules! languages {
    ($($test:ident $name:literal;)*) => {
        $(
            mod $test {
                #[test]
                fn models() {
                    crate::cases::check_models(crate::tooling($name));
                }

                #[test]
                fn programs_by_hand() {
                    crate::regions::check_regions(crate::tooling($name));
                }
            }
        )*

        #[test]
        fn every_row_and_every_language_is_tested() {
            let tested = [$($name),*];
            for row in LANGUAGES {
                assert!(tested.contains(&row.name), "{}", row.name);
            }
            for language in rotule::layers::emit::LANGUAGES {
                let known = LANGUAGES.iter().any(|row| row.emit == language.name);
                assert!(known, "{}", language.name);
            }
        }
    };
}

languages! {
    c "c";
    cpp "c++";
    c_vectors "c vectors";
    c_portable "c portable";
    c_sanitized "c sanitized";
    c_batch "c batch";
    c_batch_clang "c batch clang";
    c_batch_sanitized "c batch sanitized";
    rust "rust";
    rust_batch "rust batch";
    java "java";
    fortran "fortran";
    octave "octave";
    simulink_block "simulink";
    python "python";
    python_batch "python batch";
    julia "julia";
    javascript "javascript";
}
