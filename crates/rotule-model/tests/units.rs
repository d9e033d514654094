//! Units: what texts mean in SI, what is refused and why, and that values of a model become SI
//! numbers.

use proptest::prelude::*;
use rotule_model::units::{self, amount, parse};
use rotule_model::{Loaded, ReadOptions, Sources, Texts, write};
use rotule_symbolic::Graph;

/// Loads a model file.
fn model(text: &str) -> (Loaded, Sources) {
    let texts = Texts::new("model.toml", text);
    (texts.read(&ReadOptions::default()), texts.sources().clone())
}

/// Findings, a line each: severity, code, message and remedy.
fn findings(text: &str) -> String {
    let (loaded, _) = model(text);
    let line = |finding: &rotule_model::Diagnostic| {
        let help = finding.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
        format!("{}[{}] {}{help}\n", finding.severity.word(), finding.code, finding.message)
    };
    loaded.diagnostics.iter().map(line).collect()
}

/// A pendulum on a revolute and a slider on a prismatic joint, with parameters and more.
fn pendulum(parameters: &str, more: &str) -> String {
    format!(
        "[model]\nname = \"m\"\naccept = [\"unused\"]\n[parameters]\n{parameters}\n\
         [[body]]\nname = \"arm\"\nparent = \"ground\"\n\
         joint = {{ name = \"q1\", type = \"revolute\", axis = \"z\" }}\nmass = 1\ncom = [1, 0, 0]\n\
         [[body]]\nname = \"cart\"\nparent = \"ground\"\n\
         joint = {{ name = \"x\", type = \"prismatic\", axis = \"x\" }}\nmass = 1\n{more}\n"
    )
}

#[test]
fn units_have_their_value_in_si() {
    let check = |text: &str, factor: f64, si: &str| {
        let unit = parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        let found = unit.to_si(1.0);
        assert!((found - factor).abs() <= 2e-16 * factor, "{text} is {found}, not {factor}");
        assert_eq!(unit.si(), si, "{text}");
        let again = parse(&unit.si()).expect("an SI unit");
        assert!(again.is_coherent() && again.dimension() == unit.dimension(), "{text}");
    };
    let pi = std::f64::consts::PI;
    check("m", 1.0, "m");
    check("mm", 1e-3, "m");
    check("µm", 1e-6, "m");
    check("in", 0.0254, "m");
    check("ft", 0.3048, "m");
    check("g", 1e-3, "kg");
    check("Mg", 1e3, "kg");
    check("t", 1e3, "kg");
    check("lb", 0.453_592_37, "kg");
    check("slug", 14.593_902_937_206_364, "kg");
    check("ms", 1e-3, "s");
    check("min", 60.0, "s");
    check("h", 3600.0, "s");
    check("deg", pi / 180.0, "rad");
    check("°/s", pi / 180.0, "rad/s");
    check("rev", 2.0 * pi, "rad");
    check("rpm", pi / 30.0, "rad/s");
    check("mrad", 1e-3, "rad");
    check("kHz", 1e3, "Hz");
    check("kN", 1e3, "N");
    check("lbf", 4.448_221_615_260_5, "N");
    check("N/mm", 1e3, "N/m");
    check("1", 1.0, "1");
    check(
        "hp^2 atm/in^2",
        745.699_871_582_270_2_f64.powi(2) * 101_325.0 / 0.0254_f64.powi(2),
        "W^2 Pa/m^2",
    );
    check("N*m/rad", 1.0, "N m/rad");
    check("N·m", 1.0, "N m");
    check("kNm", 1e3, "N m");
    check("kg m^2", 1.0, "kg m^2");
    check("kg m²", 1.0, "kg m^2");
    check("m s⁻²", 1.0, "m/s^2");
    check("kg/(m s^2)", 1.0, "kg/(m s^2)");
    check("km/h", 1.0 / 3.6, "m/s");
    check("m/s/s", 1.0, "m/s^2");
    check("V/(rad s)", 1.0, "V/(rad s)");
    check("N m/deg", 180.0 / pi, "N m/rad");
    check("mm/rev", 1e-3 / (2.0 * pi), "m/rad");
    check("1/min", 1.0 / 60.0, "1/s");
    check("(mm)^2", 1e-6, "m^2");
    check("bar", 1e5, "Pa");
    check("mbar", 100.0, "Pa");
    check("psi", 6_894.757_293_168_361, "Pa");
    check("MPa", 1e6, "Pa");
    check("l/min", 1e-3 / 60.0, "m^3/s");
    check("%", 0.01, "1");
    check("mm/m", 1e-3, "1");
    check("kWh", 3.6e6, "J");
    check("hp", 745.699_871_582_270_2, "W");
    check("mph", 0.447_04, "m/s");
    check("mA", 1e-3, "A");
    check("kohm", 1e3, "ohm");
    check("  N   m ", 1.0, "N m");
}

#[test]
fn other_texts_are_refused_with_a_remedy() {
    let check = |text: &str, expected: &str| {
        let fault = parse(text).expect_err(text);
        let help = units::remedy(text, &fault).map_or(String::new(), |help| format!(" ({help})"));
        let place = format!("{}..{}", fault.span.start, fault.span.end);
        assert_eq!(format!("{place} {fault}{help}"), expected, "{text}");
    };
    check("mk", "0..2 there is no unit `mk` (did you mean `mK`?)");
    check("KG", "0..2 there is no unit `KG` (did you mean `kg`?)");
    check("Newton", "0..6 there is no unit `Newton` (did you mean `N`?)");
    check("RPM", "0..3 there is no unit `RPM` (did you mean `rpm`?)");
    check("N/sec", "2..5 there is no unit `sec` (did you mean `s`?)");
    check("kg m2", "3..5 there is no unit `m2` (a power is written `m^2`)");
    check("inchs", "0..5 there is no unit `inchs` (did you mean `in`?)");
    check("m^2.5", "3..4 expected a unit, found `.` (write a unit such as `kg m^2` or `N/mm`)");
    check("m^x", "1..2 the power of a unit must be an integer from -12 to 12");
    check("m^999999999", "1..11 the power of a unit must be an integer from -12 to 12");
    check("m^--2", "1..5 the power of a unit must be an integer from -12 to 12");
    check("(Tm)^12 (Tm)^12 Tm^4", "0..20 this unit is too large or too small to compute with");
    check("(((m^12)^12)^12)^12", "2..11 this unit is too large or too small to compute with");
    check("N m/(rad", "4..5 this `(` is not closed");
    check("N)", "1..2 expected a unit, found `)` (write a unit such as `kg m^2` or `N/mm`)");
    check("", "0..0 expected a unit, found the end");
    check("m/", "2..2 expected a unit, found the end");
    check("/s", "0..1 expected a unit, found `/` (write a unit such as `kg m^2` or `N/mm`)");
    check(
        "V/rad s",
        "6..7 a product behind a `/` can be read in two ways (put parentheses around it, as in \
         `V/(rad s)`, or move it before the `/`)",
    );
    check(
        "10 m",
        "0..1 expected a unit, found `1` (write a power as `m^2`, a unit without dimension as `1`)",
    );
}

/// Numbers with their units, as expressions: integers stay exact.
#[test]
fn amounts_are_numbers_in_si() {
    let check = |text: &str, expected: &str| {
        let mut graph = Graph::new();
        let found = match amount(text) {
            None => "expression".to_owned(),
            Some(Err(fault)) => fault.to_string(),
            Some(Ok(amount)) => {
                let expr = amount.expr(&mut graph);
                let value = graph.evaluate_f64(&[expr], |_| None).expect("a number")[0];
                assert_eq!(value.to_bits(), amount.si().to_bits(), "{text}");
                graph.text(expr)
            }
        };
        assert_eq!(found, expected, "{text}");
    };
    check("500 mm", "1/2");
    check("30 deg", "pi/6");
    check("-90 deg", "-pi/2");
    check("180 °", "pi");
    check("12.7 mm", "0.0127");
    check("1e-3 km", "1.0");
    check("+3 kN", "3000");
    check(".5 m", "0.5");
    check("2.5 kN/mm", "2500000.0");
    check("1500 rpm", "50*pi");
    check("5 1/s", "5");
    check("50 %", "1/2");
    check("  2\tm  ", "2");
    check("2 ells", "there is no unit `ells`");
    check("2*m", "expression");
    check("2", "expression");
    check("2 * m", "expression");
    check("2 /m", "expression");
    check("2 - m", "expression");
    check("2mm", "expression");
    check("m", "expression");
    check("NaN mm", "expression");
    check("inf mm", "expression");
    check("(2) m", "expression");
    check("", "expression");
    check("-", "expression");
}

/// A parameter is the same number however it is given.
#[test]
fn parameters_become_si() {
    let check = |value: &str, number: f64, unit: &str| {
        let (loaded, sources) = model(&pendulum(&format!("a = {value}"), ""));
        let mechanism =
            loaded.mechanism.unwrap_or_else(|| panic!("{}", loaded.diagnostics.render(&sources)));
        let found = &mechanism.parameters[0];
        assert_eq!((found.value, found.unit.as_str()), (number, unit), "{value}");
    };
    check("500", 500.0, "");
    check("{ value = 500, unit = \"mm\" }", 0.5, "m");
    check("\"500 mm\"", 0.5, "m");
    check("{ value = \"500 mm\", unit = \"in\" }", 0.5, "m");
    check("{ value = \"2*250\", unit = \"mm\" }", 0.5, "m");
    check("{ value = 12.7, unit = \"mm\" }", 0.0127, "m");
    check("{ value = 0.1, unit = \"kN/mm\" }", 1e5, "N/m");
    check("{ value = 30, unit = \"deg\" }", std::f64::consts::PI * (1.0 / 6.0), "rad");
    check("\"30 deg\"", std::f64::consts::PI * (1.0 / 6.0), "rad");
    check("{ value = 0.3, unit = \"kg m^2\" }", 0.3, "kg m^2");
    check("{ value = 0.3, unit = \"kg·m²\" }", 0.3, "kg·m²");
    check("{ value = 0.3, unit = \"\" }", 0.3, "");
}

#[test]
fn states_become_si() {
    let text =
        pendulum("", "[[state]]\nname = \"i\"\nunit = \"mA\"\ninitial = 5\nrate = \"3 mA/s\"");
    let mechanism = model(&text).0.mechanism.expect("sound");
    let state = &mechanism.states[0];
    assert_eq!(mechanism.evaluate(&[state.initial, state.rate]), [0.005, 0.003]);
    assert_eq!(state.unit, "A");
}

/// Values with units wherever a number can stand.
#[test]
fn places_take_values_of_their_dimension() {
    let text = pendulum(
        "k = { value = 2, unit = \"N/mm\" }\nr = { value = 10, unit = \"cm\" }",
        "[[body]]\nname = \"nut\"\nparent = \"arm\"\nposition = [\"10 in\", \"r\", \"-r\"]\n\
         rotation = [\"90 deg\", 0, 0]\nmass = \"250 g\"\ncom = [\"1 mm\", 0, 0]\n\
         inertia = { xx = \"3 kg mm^2\", yy = \"3 kg mm^2\", zz = \"3 kg mm^2\" }\n\
         joint = { name = \"s\", type = \"helical\", axis = \"z\", pitch = \"5 mm/rev\", effort = \"2 Nm\", \
         armature = \"1 g m^2\", range = [\"-1 rev\", \"1 rev\"], max_speed = \"60 rpm\", max_effort = \"1 kN m\" }\n\
         [[body]]\nname = \"pin\"\nparent = \"ground\"\nmass = \"1 lb\"\n\
         joint = { name = \"c\", type = \"cylindrical\", axis = \"z\" }\n\
         [[motion]]\njoint = \"x\"\nq = \"50 cm\"\n\
         [[line_force]]\nname = \"spring\"\nbetween = [\"arm\", \"pin\"]\nforce = \"3 kN\"\n\
         [[force]]\nname = \"push\"\nat = \"arm\"\nforce = [\"1 lbf\", 0, 0]\ntorque = [0, 0, \"2 N m\"]\n\
         [[event]]\nname = \"late\"\nwhen = \"t - 2\"\nset = { \"q1.d\" = \"10 rpm\" }\n\
         [initial.q]\nq1 = \"45 deg\"\nc = [\"90 deg\", \"3 mm\"]\n[initial.qd]\nq1 = \"60 rpm\"\n",
    );
    assert_eq!(findings(&text), "");
    let mechanism = model(&text).0.mechanism.expect("sound");
    let joint = mechanism.joints.iter().find(|joint| joint.name == "s").expect("there");
    let pi = std::f64::consts::PI;
    let close = |expr, expected: f64| {
        let found = mechanism.evaluate(&[expr])[0];
        assert!((found - expected).abs() <= 4e-16 * expected.abs(), "{found} is not {expected}");
    };
    close(joint.pitch, 0.005 / (2.0 * pi));
    close(joint.armature, 1e-3);
    close(joint.effort[0], 2.0);
    close(joint.range.expect("given")[0], -2.0 * pi);
    close(joint.max_speed.expect("given"), 2.0 * pi);
    close(joint.max_effort.expect("given"), 1000.0);
    close(mechanism.coordinates[0].initial, pi / 4.0);
    close(mechanism.speeds[0].initial, 2.0 * pi);
    close(mechanism.forces[0].force[0], 4.448_221_615_260_5);
    close(mechanism.line_forces[0].force, 3000.0);
}

#[test]
fn values_of_another_dimension_are_refused() {
    let check = |parameters: &str, more: &str, expected: &str| {
        assert_eq!(findings(&pendulum(parameters, more)), expected, "{parameters} {more}");
    };
    check(
        "w = { value = 1, unit = \"m\" }",
        "[initial.q]\nq1 = \"w\"",
        "error[unit] the initial value of `q1` is given by `w`, a length, expected an angle \
         (its unit is `rad` or another of this dimension)\n",
    );
    check(
        "",
        "[initial.qd]\nx = \"3 m\"",
        "error[unit] the initial value of `x` is given in `m`, a length, expected a velocity \
         (its unit is `m/s` or another of this dimension)\n",
    );
    check(
        "",
        "[[event]]\nname = \"e\"\nwhen = \"t - 1\"\nset = { x = \"3 rad\" }",
        "error[unit] event `e` is given in `rad`, an angle, expected a length \
         (its unit is `m` or another of this dimension)\n",
    );
    check(
        "a = { value = \"3 m\", unit = \"kg\" }",
        "",
        "error[unit] parameter `a` is given in `m`, a length, expected a mass \
         (its unit is `kg` or another of this dimension)\n",
    );
    check(
        "a = { value = \"30*deg\", unit = \"deg\" }",
        "",
        "error[unit] parameter `a` has `deg` in its value and in its unit \
         (write the number alone, or leave the unit out)\n",
    );
    check(
        "",
        "[[state]]\nname = \"s\"\nunit = \"mm\"\nrate = 2",
        "error[unit] the rate of state `s` is a number without a unit, while the state has one \
         (write it with its unit; a rate without one is in `m` per second)\n",
    );
    check(
        "",
        "[[state]]\nname = \"s\"\nunit = \"mm\"\nrate = \"2 mm\"",
        "error[unit] the rate of state `s` is given in `mm`, a length, expected a velocity \
         (its unit is `m/s` or another of this dimension)\n",
    );
    // A local name is not the parameter, and expressions are not checked.
    check("Z = { value = 1, unit = \"m\" }", "[initial.q]\nq1 = \"2*Z\"", "");
}

/// A draft with units is written and read back as it was.
#[test]
fn drafts_with_units_are_kept() {
    let text = pendulum(
        "l = { value = 500, unit = \"mm\" }\na = \"30 deg\"\nb = \"2.5 kN/mm\"",
        "[[state]]\nname = \"i\"\ninitial = \"5 mA\"\nrate = 0\nunit = \"mA\"\n",
    );
    let first = model(&text).0;
    let written = write(&first.draft);
    assert!(written.contains("l = { value = 500, unit = \"mm\" }"), "{written}");
    let second = model(&written).0;
    assert_eq!(write(&second.draft), written);
    let numbers = |loaded: Loaded| -> Vec<u64> {
        let mechanism = loaded.mechanism.expect("sound");
        mechanism.parameters.iter().map(|one| one.value.to_bits()).collect()
    };
    assert_eq!(numbers(first), numbers(second));
}

/// No symbol can be read in two ways.
#[test]
fn symbols_differ() {
    let mut all = units::symbols();
    all.sort();
    let twice: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    // The kilogram is a unit of its own as well as a thousand grams.
    assert_eq!(twice, [["kg", "kg"]]);
    for symbol in &all {
        assert!(parse(symbol).is_ok(), "{symbol}");
    }
}

/// Factors from outside of the program: NIST SP 811 (2008), appendix B.
const FACTORS: &[(&str, f64)] = &[
    ("in", 2.54e-2),
    ("ft", 3.048e-1),
    ("yd", 9.144e-1),
    ("mi", 1.609_344e3),
    ("lb", 4.535_923_7e-1),
    ("oz", 2.834_952e-2),
    ("slug", 1.459_390e1),
    ("lbf", 4.448_222),
    ("kgf", 9.806_65),
    ("psi", 6.894_757e3),
    ("atm", 1.013_25e5),
    ("bar", 1e5),
    ("deg", 1.745_329e-2),
    ("arcmin", 2.908_882e-4),
    ("rpm", 1.047_198e-1),
    ("hp", 7.456_999e2),
    ("h", 3.6e3),
    ("d", 8.64e4),
    ("l", 1e-3),
    ("t", 1e3),
    ("mph", 4.470_4e-1),
    ("kWh", 3.6e6),
    ("mm", 1e-3),
    ("kN", 1e3),
    ("mrad", 1e-3),
];

proptest! {
    /// A value in a product of random units is the value times the factors of a list of its own.
    #[test]
    fn values_follow_an_independent_list(
        value in -1e6_f64..1e6,
        above in prop::collection::vec((0..FACTORS.len(), 1..=2_i32), 1..3),
        below in prop::collection::vec((0..FACTORS.len(), 1..=2_i32), 0..3),
    ) {
        let power = |(at, power): &(usize, i32)| format!("{}^{power}", FACTORS[*at].0);
        let mut text = above.iter().map(power).collect::<Vec<_>>().join(" ");
        if !below.is_empty() {
            text += &format!("/({})", below.iter().map(power).collect::<Vec<_>>().join("*"));
        }
        let product = |list: &[(usize, i32)]| -> f64 {
            list.iter().map(|(at, power)| FACTORS[*at].1.powi(*power)).product()
        };
        let expected = value * product(&above) / product(&below);
        let unit = parse(&text).expect("a unit");
        // The list has seven digits.
        prop_assert!((unit.to_si(value) - expected).abs() <= 2e-6 * expected.abs(), "{} {}", value, text);
        let written = format!("{value:e} {text}");
        let amount = amount(&written).expect("an amount").expect("sound");
        prop_assert_eq!(amount.si().to_bits(), unit.to_si(value).to_bits());
    }

    /// Any text ends in a unit or a message.
    #[test]
    fn no_text_is_too_much(text in "[0-9.eE+ \\-]{0,6}[a-zA-Zµ°%Ω^*/()²⁻·0-9 \\-]{0,24}|\\PC{0,40}") {
        let _ = parse(&text).map_err(|fault| units::remedy(&text, &fault));
        let _ = amount(&text).map(|amount| amount.map(|amount| amount.si()));
        let _ = units::glued(&text);
    }
}

/// Hostile values of parameters end in messages.
#[test]
fn hostile_units_are_refused() {
    let long = "m ".repeat(100_000);
    let open = "(".repeat(150);
    let digits = "9".repeat(5000);
    let check = |value: &str, expected: &str| {
        let found = findings(&pendulum(&format!("a = \"{value}\""), ""));
        assert!(found.contains(expected) && found.lines().count() == 1, "{expected}: {found}");
    };
    check(&format!("1 {long}"), "this unit has 199999 bytes; at most 200 are read");
    check(&format!("1 m {open}"), "expected a unit, found the end");
    check("1 m^999999999", "must be an integer from -12 to 12");
    check(&format!("1 m^{}", &digits[..150]), "must be an integer from -12 to 12");
    check("1e999 m", "is too large for a number of double precision");
    check(&format!("{digits} mm"), "is too large for a number of double precision");
    check("1e308 Tm", "is too large for a number of double precision");
    check("NaN mm", "`NaN` is not a number here");
    check("1 😀", "expected");
    check("1 \u{202e}m", "expected");
    check("1 m\u{0}", "");
}
