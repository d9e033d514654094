//! The command line: commands with their options. Each command's own stand beside its code.
//!
//! Lines of help stay within 80 columns, because that is what a terminal is sure to have.

use super::{
    assemble, bench, check, convert, count, equations, equilibrium, eval, expressions, generate,
    laws, linearize, manuals, modes, new, overlay, simulate, singular, study, terminal, view,
};
use clap::{Parser, Subcommand};
use std::ffi::OsString;

/// A compiler for multibody systems.
#[derive(Parser)]
#[command(name = "rotule", version, about, after_help = EXAMPLES, styles = terminal::HELP)]
pub struct Arguments {
    /// Show errors only, and requested results.
    #[arg(short, long, global = true, display_order = 900)]
    pub quiet: bool,

    #[command(subcommand)]
    pub verb: Option<Verb>,
}

#[derive(Subcommand)]
pub enum Verb {
    /// Write expressions with as few operations as possible.
    #[command(after_help = expressions::SIMPLIFY, override_usage = "rotule simplify [OPTIONS] <EXPR>...")]
    Simplify(expressions::Common),
    /// Differentiate expressions by some of their symbols.
    #[command(after_help = expressions::DIFF, override_usage = "rotule diff [OPTIONS] <EXPR>... --by <NAMES>")]
    Diff(expressions::Diff),
    /// Write a new model file, by asking or from flags.
    #[command(after_help = new::help())]
    New(new::New),
    /// Check a model of a mechanism and draw its structure.
    #[command(after_help = check::HELP)]
    Check(check::Check),
    /// Close the loops of a model: its initial state from a rough guess.
    #[command(after_help = assemble::HELP)]
    Assemble(assemble::Assemble),
    /// Write a model of another format as a model file of Rotule.
    #[command(after_help = convert::HELP)]
    Convert(convert::Convert),
    /// Count the operations of a model's functions, by formalism.
    #[command(after_help = count::HELP)]
    Count(count::Count),
    /// Compute a function of a model: its numbers at a state.
    #[command(after_help = eval::help())]
    Eval(eval::Eval),
    /// Write the linear model of a mechanism about a state.
    #[command(after_help = linearize::HELP, alias = "linearise")]
    Linearize(linearize::Linearize),
    /// Write the equations of a model for people, as text or LaTeX.
    #[command(after_help = equations::HELP)]
    Equations(equations::Equations),
    /// Write functions of a model as source code.
    #[command(after_help = generate::help())]
    Generate(generate::Generate),
    /// Write a file of the external functions of a model, to be filled.
    #[command(after_help = laws::HELP)]
    Laws(laws::Laws),
    /// Simulate a model: its motion over time.
    #[command(after_help = simulate::help())]
    Simulate(simulate::Simulate),
    /// Find a state in which forces balance, or follow it.
    #[command(after_help = equilibrium::HELP)]
    Equilibrium(equilibrium::FindsEquilibrium),
    /// Find the modes of small motions: eigenvalues, damping, shapes.
    #[command(after_help = modes::HELP)]
    Modes(modes::ModesOf),
    /// Find singular positions, and the forces near them.
    #[command(after_help = singular::HELP)]
    Singular(singular::Singular),
    /// Show motions of tables, one over the other, as a page.
    #[command(after_help = overlay::HELP)]
    Report(overlay::Overlay),
    /// Measure the code of a model, beside that of others.
    #[command(after_help = bench::HELP)]
    Bench(bench::Bench),
    /// Simulate a model many times, with other numbers each time.
    #[command(after_help = study::help())]
    Study(study::Study),
    /// Show a model at rest: a page with sliders, or a picture.
    #[command(after_help = view::HELP)]
    View(view::View),
    /// Write a script that completes commands and options in a shell.
    #[command(after_help = manuals::COMPLETIONS)]
    Completions(manuals::Completions),
    /// Write manual pages for `man`.
    #[command(after_help = manuals::MAN)]
    Man(manuals::Man),
}

const EXAMPLES: &str = "\
Examples:
  rotule simplify \"sin(a)*cos(b) + cos(a)*sin(b)\"
  rotule simplify --file expression.txt --count
  rotule diff \"k*(Z - z0)^2/2 + c*Zd\" --by Z,Zd
  rotule new four_bar.toml --template four-bar
  rotule check examples/slider_crank.toml
  rotule simulate examples/slider_crank.toml --to 2
  rotule assemble examples/four_bar_joint.toml
  rotule convert examples/formats/arm.urdf
  rotule equations examples/sliding_pendulum.toml
  rotule count examples/puma560.toml
  rotule eval examples/puma560.toml mass --random 1
  rotule generate examples/puma560.toml --lang c --out puma

`rotule COMMAND --help` says more of each; `rotule simplify --help` says how
expressions are written.";

/// A number; a minus may have a blank before it.
pub fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "expected a number, such as 0.5".to_owned())
}

/// Lets an expression begin with a minus sign: a blank before it keeps clap from taking it for an
/// option. Of one letter are only -q and the two of clap; `-- -q` is an expression.
pub fn with_signs(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut literal = false;
    let mut words: Vec<OsString> = words.collect();
    // The command itself is no expression.
    for index in 2..words.len() {
        literal |= words[index] == "--";
        let path = words[index - 1] == "--file";
        let text = words[index].to_string_lossy();
        let option = text.starts_with("--") || matches!(&*text, "-" | "-h" | "-V" | "-q");
        if text.starts_with('-') && !option && !literal && !path {
            let mut shielded = OsString::from(" ");
            shielded.push(&words[index]);
            words[index] = shielded;
        }
    }
    words
}

/// Reads `--json FILE` and `--json=FILE` of `bench` as `--out FILE`: the flag took a file once.
/// What follows it is the model unless it ends in `.json`, as no model does, or is `-`.
pub fn with_old_forms(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_none_or(|verb| verb != "bench") {
        return words;
    }
    let flag = |word: &OsString| word == "--json" || word.to_string_lossy().starts_with("--json=");
    let Some(at) = words.iter().position(flag) else { return words };
    let file = match words[at].to_string_lossy().strip_prefix("--json=") {
        Some(file) => OsString::from(file),
        None => match words.get(at + 1) {
            Some(word) if word == "-" || word.to_string_lossy().ends_with(".json") => {
                words.remove(at + 1)
            }
            _ => return words,
        },
    };
    let new = if file == "-" { vec!["--json".into()] } else { vec!["--out".into(), file] };
    words.splice(at..=at, new);
    words
}

/// Takes the blank of [`with_signs`] away again.
pub fn unsigned(word: &str) -> Result<String, std::convert::Infallible> {
    Ok(word.strip_prefix(' ').filter(|rest| rest.starts_with('-')).unwrap_or(word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, CommandFactory};
    use rotule::layers::formalism::aliases::{self, Names};
    use std::collections::BTreeSet;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn help_fits_the_narrowest_terminal() {
        let mut command = Arguments::command();
        command.build();
        let names: Vec<String> =
            command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
        let mut helps = vec![command.render_long_help().to_string()];
        for name in names {
            let verb = command.find_subcommand_mut(&name).unwrap();
            helps.push(verb.render_help().to_string());
            helps.push(verb.render_long_help().to_string());
        }
        for line in helps.iter().flat_map(|help| help.lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn an_expression_may_begin_with_a_minus() {
        let check = |words: &[&str], expressions: &[&str]| {
            let words = ["rotule", "simplify"].iter().chain(words).map(OsString::from);
            let arguments = Arguments::try_parse_from(with_signs(words)).unwrap();
            let Some(Verb::Simplify(common)) = arguments.verb else { panic!("simplify") };
            assert_eq!(common.expressions, expressions);
        };
        check(&["-x + y", "--count"], &["-x + y"]);
        check(&["--latex", "-1"], &["-1"]);
        check(&["x", "-", "-y"], &["x", "-", "-y"]);
        check(&["--", "-x", "--x"], &["-x", "--x"]);
        check(&["x", "--assume", "-y"], &["x"]);
        check(&["-q", "-q*x"], &["-q*x"]);
        check(&["--", "-q"], &["-q"]);
    }

    #[test]
    fn the_flag_that_took_a_file_still_does() {
        let check = |words: &[&str], json: bool, out: Option<&str>| {
            let words = ["rotule", "bench"].iter().chain(words).map(OsString::from).collect();
            let arguments = Arguments::try_parse_from(with_old_forms(words)).unwrap();
            let Some(Verb::Bench(bench)) = arguments.verb else { panic!("bench") };
            assert_eq!((bench.json, bench.out), (json, out.map(Into::into)));
            assert_eq!(bench.model.model.as_os_str(), "m.toml");
        };
        check(&["m.toml"], false, None);
        check(&["m.toml", "--json"], true, None);
        check(&["--json", "m.toml"], true, None);
        check(&["m.toml", "--json", "-"], true, None);
        check(&["m.toml", "--json", "f.json", "--force"], false, Some("f.json"));
        check(&["m.toml", "--json=f.txt"], false, Some("f.txt"));
        check(&["m.toml", "--out", "f.json"], false, Some("f.json"));
        check(&["m.toml", "--json", "--out", "f.json"], true, Some("f.json"));
    }

    #[test]
    fn aliases_of_flags_are_those_of_the_table() {
        let table: BTreeSet<(&str, &str)> = aliases::of(Names::Flag).collect();
        let mut found = BTreeSet::new();
        let command = Arguments::command();
        let flags: Vec<_> = command.get_subcommands().flat_map(Command::get_arguments).collect();
        for flag in flags {
            let name = flag.get_long().unwrap_or_default();
            let others = flag.get_all_aliases().unwrap_or_default();
            found.extend(others.into_iter().map(|alias| (alias, name)));
        }
        assert_eq!(found, table);
    }

    #[test]
    fn independent_coordinates_have_one_flag_everywhere() {
        let command = Arguments::command();
        let verbs = [
            "check",
            "assemble",
            "count",
            "eval",
            "equations",
            "equilibrium",
            "generate",
            "modes",
            "singular",
            "simulate",
            "study",
            "report",
            "bench",
        ];
        for verb in verbs {
            let verb = command.find_subcommand(verb).unwrap();
            let flag = verb.get_arguments().find(|one| one.get_long() == Some("independent"));
            let flag = flag.unwrap_or_else(|| panic!("{}", verb.get_name()));
            assert_eq!(flag.get_all_aliases(), Some(vec!["partition"]));
            let json = verb.get_arguments().find(|one| one.get_long() == Some("json"));
            assert!(json.is_none_or(|flag| !flag.get_action().takes_values()));
        }
    }
}
