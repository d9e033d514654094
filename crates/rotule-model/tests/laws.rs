//! The library of laws: numbers, signs, and the messages about wrong calls.

use rotule_model::laws::{LAWS, find};
use rotule_model::{ReadOptions, Texts};
use rotule_symbolic::{Graph, kind_of_name};

/// The number of a law at some arguments.
fn law(name: &str, arguments: &[f64]) -> f64 {
    let law = find(name).expect("there is such a law");
    let mut graph = Graph::new();
    // Symbols, not numbers: the law is evaluated, not folded.
    let symbols: Vec<_> =
        (0..arguments.len()).map(|i| graph.symbol(&format!("x{i}"), kind_of_name("x"))).collect();
    let expr = law.expand(&mut graph, &symbols).expect("the right number of arguments");
    let value = |name: &str| {
        let at: usize = name.strip_prefix('x')?.parse().ok()?;
        arguments.get(at).copied()
    };
    graph.evaluate_f64(&[expr], value).expect("all arguments are known")[0]
}

/// The slope of a law by one of its arguments.
fn slope(name: &str, arguments: &[f64], by: usize) -> f64 {
    let at = |shift: f64| {
        let mut arguments = arguments.to_vec();
        arguments[by] += shift;
        law(name, &arguments)
    };
    (at(1e-6) - at(-1e-6)) / 2e-6
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

#[test]
fn a_spring_and_damper_resist() {
    close(law("spring_damper", &[0.5, 0.2, 100.0, 0.4, 10.0]), 12.0, 1e-12);
    close(law("spring_damper", &[0.3, 0.0, 100.0, 0.4, 10.0]), -10.0, 1e-12);
}

#[test]
fn a_bump_stop_begins_at_zero_and_never_pulls() {
    let stop = |x: f64, xd: f64| law("bump_stop", &[x, xd, 0.1, 1e4, 50.0, 0.01]);
    for speed in [-3.0, 0.0, 3.0] {
        close(stop(0.05, speed), 0.0, 0.0);
        // Continuous where the stop is met, however fast.
        close(stop(0.1 + 1e-9, speed), 0.0, 1e-4);
        assert!(stop(0.11, speed) >= 0.0);
    }
    // Fully damped from the depth on.
    close(stop(0.12, 2.0), 1e4 * 0.02 + 50.0 * 2.0, 1e-9);
    close(stop(0.105, 2.0), 1e4 * 0.005 + 50.0 * 2.0 * 0.5, 1e-9);
    close(stop(0.101, -3.0), 0.0, 0.0);
}

#[test]
fn friction_is_smooth_and_limited() {
    close(law("coulomb", &[0.0, 5.0, 0.01]), 0.0, 0.0);
    close(law("coulomb", &[100.0, 5.0, 0.01]), 5.0, 1e-6);
    close(law("coulomb", &[-100.0, 5.0, 0.01]), -5.0, 1e-6);
    close(slope("coulomb", &[0.0, 5.0, 0.01], 0), 500.0, 1e-4);
}

/// A body of mass one falls on the ground and leaves it again, slower.
#[test]
fn hunt_and_crossley_lose_energy_and_never_pull() {
    let contact = |p: f64, pd: f64| law("hunt_crossley", &[p, pd, 1e4, 1.5, 0.3]);
    close(contact(-0.01, 5.0), 0.0, 0.0);
    close(contact(0.01, 0.0), 1e4 * 0.01_f64.powf(1.5), 1e-9);
    assert!(contact(0.01, -100.0) == 0.0);
    let (mut p, mut pd, step) = (0.0, 1.0, 1e-5);
    let mut work = 0.0;
    loop {
        let force = contact(p, pd);
        let faster = pd - step * force;
        let next = p + step * (pd + faster) / 2.0;
        work += force * (next - p);
        (p, pd) = (next, faster);
        if p <= 0.0 {
            break;
        }
    }
    assert!(pd < 0.0 && pd > -0.95, "it leaves slower than it came: {pd}");
    close(work, 0.5 - 0.5 * pd * pd, 1e-3);
}

#[test]
fn the_magic_formula_has_its_slope_and_its_peak() {
    let (b, c, d, e) = (10.0, 1.9, 3000.0, 0.97);
    let force = |x: f64| law("magic_formula", &[x, b, c, d, e]);
    close(force(0.0), 0.0, 0.0);
    close(slope("magic_formula", &[0.0, b, c, d, e], 0), b * c * d, 1e-2);
    close(force(-0.1), -force(0.1), 1e-9);
    let peak = (0..20_000).map(|i| force(f64::from(i) * 1e-4)).fold(0.0, f64::max);
    close(peak, d, 1e-2);
    // Far beyond the peak: D sin(C pi/2).
    close(force(1e9), d * (c * std::f64::consts::FRAC_PI_2).sin(), 1.0);
}

#[test]
fn a_linear_tyre_saturates() {
    close(law("linear_tyre", &[0.01, 5e4, 3000.0]), 500.0, 1e-9);
    close(law("linear_tyre", &[0.1, 5e4, 3000.0]), 3000.0, 0.0);
    close(law("linear_tyre", &[-0.1, 5e4, 3000.0]), -3000.0, 0.0);
}

#[test]
fn slip_is_relaxed_at_rest_and_exact_at_speed() {
    close(law("relaxed_slip", &[0.5, 20.0, 0.1]), 0.025, 1e-15);
    close(law("relaxed_slip", &[0.5, -20.0, 0.1]), 0.025, 1e-15);
    close(law("relaxed_slip", &[0.0, 0.0, 0.1]), 0.0, 0.0);
}

#[test]
fn a_remainder_has_the_sign_of_what_divides() {
    close(law("mod", &[7.5, 2.0]), 1.5, 0.0);
    close(law("mod", &[-7.5, 2.0]), 0.5, 0.0);
    close(law("mod", &[7.5, -2.0]), -0.5, 0.0);
    close(law("mod", &[6.0, 2.0]), 0.0, 0.0);
}

/// The findings about a line force with a force.
fn findings(force: &str, more: &str) -> String {
    let text = format!(
        "[model]\nname = \"m\"\n[[body]]\nname = \"a\"\nparent = \"ground\"\n\
         joint = {{ name = \"q1\", type = \"prismatic\", axis = \"x\" }}\nmass = 1\n\
         [[line_force]]\nname = \"s\"\nbetween = [\"ground\", \"a\"]\nforce = \"{force}\"\n{more}"
    );
    let texts = Texts::new("model.toml", text);
    texts.read(&ReadOptions::default()).diagnostics.render(texts.sources())
}

#[test]
fn every_law_is_read_in_a_model() {
    assert_eq!(findings("spring_damper(Z, Zd, 100, 0.4, 10)", ""), "");
    // Tables have points at fixed places and a test of their own.
    for law in LAWS.iter().filter(|law| !law.name.starts_with("table")) {
        let arguments = vec!["Z"; law.arguments.len()].join(", ");
        assert_eq!(findings(&format!("{}({arguments})", law.name), ""), "", "{}", law.name);
    }
}

#[test]
fn the_calspan_tyre_has_its_slope_and_its_limit() {
    let force = |x: f64| law("calspan", &[x, 50.0, 400.0]);
    close(slope("calspan", &[0.0, 50.0, 400.0], 0), 50.0, 1e-3);
    close(force(24.0), 400.0, 1e-9);
    close(force(-30.0), -400.0, 1e-9);
    // b - b|b|/3 + b^3/27 at b = 1.
    close(force(8.0), 400.0 * (1.0 - 1.0 / 3.0 + 1.0 / 27.0), 1e-9);
    close(force(-8.0), -force(8.0), 1e-12);
    close(law("calspan", &[0.1, 50.0, 0.0]), 0.0, 1e-12);
    close(law("calspan_stiffness", &[100.0, 3.0, 2.0, 400.0]), 3.0 + 200.0 - 50.0, 1e-12);
}

#[test]
fn tables_of_two_variables_are_bilinear() {
    let grid = [0.0, 1.0, 3.0, 0.0, 2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 0.0];
    let at = |x: f64, y: f64| {
        let mut graph = Graph::new();
        let numbers = [x, y, 3.0, 2.0].into_iter().chain(grid);
        let given: Vec<_> = numbers.map(|one| graph.number(one)).collect();
        let table = find("table2").expect("a law").expand(&mut graph, &given).expect("a grid");
        graph.evaluate_f64(&[table], |_| None).expect("numbers alone")[0]
    };
    close(at(0.0, 0.0), 1.0, 1e-12);
    close(at(2.0, 0.0), 3.0, 1e-12);
    close(at(2.0, 1.0), (3.0 + 3.0) / 2.0, 1e-12);
    close(at(1.0, 0.5), 2.0 + 0.25 * 4.0, 1e-12);
    close(at(9.0, 9.0), 0.0, 1e-12);
    let shown = findings("table2(Z, Zd, 2, 2, 0, 1, 0, 1, 1, 2, 3)", "");
    assert!(shown.contains("`table2` with 2 by 2 points takes 12 arguments, found 11"), "{shown}");
    let shown = findings("table2(Z, Zd, Z, 2, 0, 1, 0, 1, 1, 2, 3)", "");
    assert!(shown.contains("`nx` and `ny` of the law `table2` must be whole numbers"), "{shown}");
    let shown = findings("table2(Z, Zd, 2, 1, a, b, 0, 1, 2)", "[parameters]\na = 2\nb = 1\n");
    assert!(shown.contains("the table in"), "{shown}");
}

#[test]
fn wrong_calls_are_explained() {
    let shown = findings("spring_damper(Z, Zd, 100)", "");
    assert!(shown.contains("the law `spring_damper` takes 5 arguments, found 3"), "{shown}");
    assert!(shown.contains("spring_damper(Z, Zd, k, Z0, c)"), "{shown}");
    let shown = findings("spring_dampr(Z, Zd, 100, 0.4, 10)", "");
    assert!(shown.contains("did you mean `spring_damper`?"), "{shown}");
    let shown = findings("coulomb*Zd", "");
    assert!(shown.contains("`coulomb`, a law without its arguments"), "{shown}");
    let shown = findings("coulomb(Zd, 1, 0.1)[2]", "");
    assert!(shown.contains("`coulomb` gives one result"), "{shown}");
    let shown = findings("bump_stop(Z, Zd, 0.1, 1, 1, 0)", "");
    assert!(shown.contains("the law `bump_stop` cannot have these arguments"), "{shown}");
    let shown = findings("Z", "[[external]]\nname = \"coulomb\"\narguments = [\"v\"]\n");
    assert!(shown.contains("an external cannot have the name `coulomb`: it is a law"), "{shown}");
    let shown = findings("Z", "[[external]]\nname = \"floor\"\narguments = [\"v\"]\n");
    assert!(shown.contains("an external cannot have the name `floor`: it stands for"), "{shown}");
}

/// A parameter cannot be taken for a law, because laws are called.
#[test]
fn a_parameter_may_have_the_name_of_a_law() {
    assert_eq!(findings("coulomb*coulomb(Zd, 1, 0.1)", "[parameters]\ncoulomb = 0.3\n"), "");
    assert_eq!(findings("floor*floor(Zd)", "[parameters]\nfloor = 0.3\n"), "");
}

#[test]
fn the_manual_has_every_law_with_its_arguments() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual");
    let page = std::fs::read_to_string(folder.join("model-file.md")).expect("a readable page");
    for law in LAWS {
        assert!(page.contains(&format!("| `{}` |", law.usage())), "{}", law.usage());
    }
}
