//! Other names of things that already have one: the table of aliases, but for those of functions,
//! which stand in the rows of their own table.
//!
//! People come with the words of their field and of the codes that they know: `aba`, `ode45`,
//! `cpp`. Whoever looks a name up asks [`canonical`] first, so that an alias means the same
//! wherever the thing can be named. The table stands in this crate because laws of model files name
//! quantities, too; the things themselves belong to crates above.

/// Kinds of things that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Formalisms: `--formalism aba`.
    Formalism,
    /// Integration methods: `--method ode45`.
    Method,
    /// Forms of the constraints in a simulation: `--constraints unstabilized`.
    Constraints,
    /// Languages of code and kinds of document: `--lang cpp`.
    Language,
    /// Formats of models: `--format mujoco`.
    Format,
    /// Kernels, which evaluate programs: `--kernel jit`.
    Kernel,
    /// Sources of sines and cosines: `--trig packed`.
    Trig,
    /// Entries of matrices that are written: `--entries stored`.
    Entries,
    /// Comparisons of `rotule bench` that are no functions.
    Comparison,
    /// Tables of a model file: `[[link]]`.
    Section,
    /// Keys of the tables of a model file: `nature = "locked"`.
    Key,
    /// Flags of commands, without the dashes: `--partition`.
    Flag,
    /// Groups of channels: `--channels links`.
    Channels,
    /// Quantities of a sensor, behind its name and a dot: `tip.vx`.
    Sensor,
    /// Quantities of a line force, behind its name and a dot: `spring.Z`.
    LineForce,
    /// Quantities of a wheel, behind its name and a dot: `front.Fz`.
    Wheel,
}

/// Every alias: the kind of thing, the alias, and the name that it stands for.
pub const ALIASES: &[(Names, &str, &str)] = &[
    // Formalisms: ROBOTRAN's and Postiau's words, and the short names of the algorithms.
    (Names::Formalism, "classical", "newton-euler"),
    (Names::Formalism, "recursive-newton-euler", "newton-euler"),
    (Names::Formalism, "rnea", "newton-euler"),
    (Names::Formalism, "regrouped", "barycentric"),
    (Names::Formalism, "order-n", "articulated-body"),
    (Names::Formalism, "aba", "articulated-body"),
    (Names::Formalism, "progressive", "outward"),
    (Names::Formalism, "regressive", "inward"),
    (Names::Formalism, "hybrid", "mixed"),
    // Methods: only names of the same formulas. `ode23s` is a Rosenbrock pair, `ode78` and `ode89`
    // are Verner's.
    (Names::Method, "ode45", "dormand-prince"),
    (Names::Method, "rk45", "dormand-prince"),
    (Names::Method, "dopri5", "dormand-prince"),
    (Names::Method, "dopri", "dormand-prince"),
    (Names::Method, "dop8", "dop853"),
    (Names::Method, "radau5", "radau"),
    (Names::Method, "radau-iia", "radau"),
    (Names::Method, "ode15s", "bdf"),
    (Names::Method, "runge-kutta", "rk4"),
    (Names::Method, "ode4", "rk4"),
    (Names::Method, "semi-implicit-euler", "euler"),
    (Names::Method, "symplectic-euler", "euler"),
    (Names::Method, "generalized-alpha", "generalised-alpha"),
    (Names::Method, "hht-alpha", "hht"),
    (Names::Method, "newmark-beta", "newmark"),
    (Names::Constraints, "unstabilized", "unstabilised"),
    (Names::Constraints, "index-3", "index3"),
    // Languages: endings of files, and dialects that the same text is good for.
    (Names::Language, "c99", "c"),
    (Names::Language, "c++", "c"),
    (Names::Language, "cpp", "c"),
    (Names::Language, "cxx", "c"),
    (Names::Language, "rs", "rust"),
    (Names::Language, "f90", "fortran"),
    (Names::Language, "f08", "fortran"),
    (Names::Language, "m", "matlab"),
    (Names::Language, "octave", "matlab"),
    (Names::Language, "s-function", "simulink"),
    (Names::Language, "py", "python"),
    (Names::Language, "python3", "python"),
    (Names::Language, "numpy", "python"),
    (Names::Language, "js", "javascript"),
    (Names::Language, "mjs", "javascript"),
    (Names::Language, "ts", "javascript"),
    (Names::Language, "typescript", "javascript"),
    (Names::Language, "jl", "julia"),
    (Names::Language, "tex", "latex"),
    (Names::Language, "md", "markdown"),
    (Names::Format, "rotule", "toml"),
    (Names::Format, "mujoco", "mjcf"),
    (Names::Format, "robotran", "mbs"),
    (Names::Kernel, "interpreted", "interpreter"),
    (Names::Kernel, "jit", "native"),
    (Names::Trig, "packed", "simd"),
    (Names::Entries, "stored", "packed"),
    (Names::Comparison, "direct_derivatives", "forward_derivatives"),
    (Names::Comparison, "aba_derivatives", "forward_derivatives"),
    (Names::Comparison, "rnea_derivatives", "inverse_derivatives"),
    // Model files and channels: ROBOTRAN's words. A link of URDF is a body.
    (Names::Section, "link", "line_force"),
    (Names::Key, "nature", "role"),
    (Names::Flag, "partition", "independent"),
    (Names::Flag, "steps", "transformations"),
    (Names::Channels, "links", "line_forces"),
    // Quantities: the short names of laws, and the names that results have.
    (Names::Sensor, "x", "position.x"),
    (Names::Sensor, "y", "position.y"),
    (Names::Sensor, "z", "position.z"),
    (Names::Sensor, "vx", "velocity.x"),
    (Names::Sensor, "vy", "velocity.y"),
    (Names::Sensor, "vz", "velocity.z"),
    (Names::Sensor, "wx", "angular_velocity.x"),
    (Names::Sensor, "wy", "angular_velocity.y"),
    (Names::Sensor, "wz", "angular_velocity.z"),
    (Names::LineForce, "Z", "length"),
    (Names::LineForce, "Zd", "rate"),
    (Names::Wheel, "Fz", "force.normal"),
    (Names::Wheel, "vertical", "force.normal"),
    (Names::Wheel, "longitudinal", "force.forward"),
    (Names::Wheel, "lateral", "force.left"),
    (Names::Wheel, "roll", "torque.forward"),
    (Names::Wheel, "pitch", "torque.left"),
    (Names::Wheel, "yaw", "torque.normal"),
];

/// The aliases of one kind, each with the name that it stands for.
pub fn of(kind: Names) -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    ALIASES.iter().filter(move |row| row.0 == kind).map(|&(_, alias, name)| (alias, name))
}

/// The name that a word stands for: itself, unless it is an alias.
pub fn canonical(kind: Names, word: &str) -> &str {
    of(kind).find(|(alias, _)| *alias == word).map_or(word, |(_, name)| name)
}

/// Aliases with the names that they stand for, those of a name in sequence, for help texts: `alias,
/// alias: name;` and so on, in lines of at most `width` characters.
pub fn listed<'a>(aliases: impl Iterator<Item = (&'a str, &'a str)>, width: usize) -> String {
    let rows: Vec<(&str, &str)> = aliases.collect();
    let items: Vec<String> = rows
        .chunk_by(|a, b| a.1 == b.1)
        .map(|group| {
            let aliases: Vec<&str> = group.iter().map(|(alias, _)| *alias).collect();
            format!("{}: {}", aliases.join(", "), group[0].1)
        })
        .collect();
    let mut lines = vec![String::new()];
    for word in items.join("; ").split(' ') {
        let last = lines.len() - 1;
        match lines[last].is_empty() || lines[last].len() + 1 + word.len() <= width {
            true if lines[last].is_empty() => lines[last].push_str(word),
            true => lines[last] += &format!(" {word}"),
            false => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_stands_for_one_name_that_is_no_alias() {
        for (at, &(kind, alias, name)) in ALIASES.iter().enumerate() {
            assert_eq!(canonical(kind, alias), name);
            assert_eq!(canonical(kind, name), name, "`{name}` is an alias itself");
            let twice = ALIASES[..at].iter().any(|row| (row.0, row.1) == (kind, alias));
            assert!(!twice, "`{alias}` stands for two names");
        }
        assert_eq!(canonical(Names::Method, "radau"), "radau");
    }

    #[test]
    fn lists_are_as_wide_as_a_terminal() {
        assert!(listed(of(Names::Language), 80).starts_with("c99, c++, cpp, cxx: c; "));
        assert!(listed(of(Names::Language), 40).lines().all(|line| line.len() <= 40));
    }
}
