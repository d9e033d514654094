//! New model files: what phrases make, that templates are models without warnings that run, and
//! that comments change nothing.

use rotule::layers::model::draft::Value;
use rotule::layers::model::{Draft, ReadOptions, Severity, Texts};
use rotule::scaffold::{MOST_PHRASES, Outline, OutlineElement, TEMPLATES};
use rotule::{Model, build};
use rotule_symbolic::random::SplitMix64;

/// The draft of a text, without places in it: what it says, as the plain writer writes it.
fn plain(text: &str) -> String {
    let loaded = Texts::new("new.toml", text).read(&ReadOptions::default());
    loaded.draft.text()
}

/// A file that loads without warnings, says what the outline says, and runs.
fn check_file(outline: &Outline, what: &str) -> Model {
    let text = outline.text("new.toml");
    let model = Model::read("new.toml", text.as_str())
        .unwrap_or_else(|error| panic!("{what}\n{error}\n{text}"));
    let warnings = model.diagnostics().count(Severity::Warning);
    assert_eq!(warnings, 0, "{what}\n{}\n{text}", model.warnings());
    // The sentence about a model is a comment of the file.
    let mut draft: Draft = outline.draft().clone();
    draft.about = None;
    assert_eq!(plain(&text), draft.text(), "{what}");
    let loops = model.check().loops;
    assert!(
        loops.is_none_or(|loops| loops.initial.is_none()),
        "{what}: initial values do not close the loops"
    );
    model
}

fn templates() -> impl Iterator<Item = String> {
    let named =
        TEMPLATES.iter().map(|(name, _)| (*name).to_owned()).filter(|name| !name.ends_with("-N"));
    named.chain(["arm-1", "arm-6", "arm-7"].map(str::to_owned))
}

#[test]
fn every_template_is_a_model_without_warnings_that_runs() {
    for name in templates() {
        let outline = Outline::template(&name, "model").unwrap();
        let model = check_file(&outline, &name);
        let run = model.simulate().to(0.5).run().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(run.verdict().warnings.is_empty(), "{name}: {:?}", run.verdict().warnings);
    }
}

/// Templates do what they are told to do: numbers from formulas, not from the program.
#[test]
fn templates_move_as_formulas_say() {
    // A rod on a pin: theta'' = -3 g sin(theta)/(2 l), its damper is small.
    let model = check_file(&Outline::template("pendulum", "p").unwrap(), "pendulum");
    let acceleration = model.evaluate("forward", &model.state()).unwrap().outputs[0].numbers[0];
    let expected = -1.5 * 9.81 * 0.5_f64.asin().sin() / 0.5;
    assert!((acceleration - expected).abs() < 1e-9, "{acceleration} {expected}");
    // The car begins at rest: springs carry the weights, to the digits that the template has.
    let model = check_file(&Outline::template("quarter-car", "c").unwrap(), "quarter-car");
    let run = model.simulate().to(1e-3).run().unwrap();
    assert!(run.last("z_chassis").unwrap().abs() < 1e-6);
    // The angle of the crank is kept, and the loop is closed by the position that people mean.
    let model = check_file(&Outline::template("four-bar", "f").unwrap(), "four-bar");
    let state = model.state();
    assert_eq!(state.get("q1").unwrap(), std::f64::consts::PI / 3.0);
    assert!((state.get("q3").unwrap() - 1.562_643_947_862_53).abs() < 1e-9);
}

#[test]
fn what_is_commented_out_is_valid_for_the_model() {
    for name in templates() {
        let text = Outline::template(&name, "model").unwrap().text("new.toml");
        let (file, more) = text.split_once("# A file can hold more.").expect("the last section");
        let more: String = more
            .lines()
            .skip(1)
            .map(|line| format!("{}\n", line.trim_start_matches('#').trim_start_matches(' ')))
            .collect();
        let model = Model::read("new.toml", format!("{file}\n{more}"))
            .unwrap_or_else(|error| panic!("{name}\n{error}"));
        assert_eq!(model.diagnostics().count(Severity::Warning), 0, "{name}: {}", model.warnings());
        assert!(more.contains("[[event]]"));
    }
}

#[test]
fn phrases_say_what_the_builder_says() {
    let mut outline = Outline::new("arm");
    outline.add(OutlineElement::Parameter, "k = 20 N m/rad, stiffness").unwrap();
    outline
        .add(
            OutlineElement::Body,
            "upper: ground revolute y, mass 2, length 0.5, spring k rest 0.1, damper 0.3",
        )
        .unwrap();
    outline
        .add(
            OutlineElement::Body,
            "tool: upper.end prismatic -z d, at 0 0 0.1, mass m, box 0.1 0.2 20mm, effort -9*q",
        )
        .unwrap();
    outline.add(OutlineElement::Parameter, "m = upper_mass/4").unwrap();
    outline
        .add(
            OutlineElement::Body,
            "tip: fixed, mass 1, com [1 mm, 0, 0], inertia 1 1 1, point end 0 0 -l",
        )
        .unwrap();
    outline.add(OutlineElement::Parameter, "l = 0.2").unwrap();
    let parameter = |name: &str, value: f64, unit: &str, about: &str| {
        build::Parameter::new(name, value).unit(unit).about(about)
    };
    let mut draft = Draft::new("arm");
    draft.gravity((0, 0, -9.81));
    draft.add(parameter("k", 20.0, "N m/rad", "stiffness"));
    draft.parameter("m", "upper_mass/4");
    draft.parameter("l", 0.2);
    draft.add(parameter("upper_mass", 2.0, "kg", "mass of upper"));
    draft.add(parameter("upper_length", 0.5, "m", "length of upper"));
    draft.add(parameter("q1_rest", 0.1, "rad", "coordinate q1 without force of the spring"));
    draft.add(parameter("q1_damping", 0.3, "N m s/rad", "damping of joint q1"));
    draft.add(parameter("tool_x", 0.1, "m", "size of tool along x"));
    draft.add(parameter("tool_y", 0.2, "m", "size of tool along y"));
    draft.add(parameter("tool_z", 20.0, "mm", "size of tool along z"));
    draft.add(parameter("tip_mass", 1.0, "kg", "mass of tip"));
    let across = "upper_mass*upper_length^2/12";
    draft.add(
        build::Body::new("upper")
            .parent("ground")
            .joint(build::Joint::revolute("q1", "y").effort("-k*(q - q1_rest) - q1_damping*qd"))
            .mass("upper_mass")
            .com(("upper_length/2", 0, 0))
            .inertia(("upper_mass*upper_length^2/800", across, across))
            .point("end", ("upper_length", 0, 0)),
    );
    draft.add(
        build::Body::new("tool")
            .parent("upper.end")
            .position((0, 0, 0.1))
            .joint(build::Joint::prismatic("d", "-z").effort("-9*q"))
            .mass("m")
            .inertia((
                "m*(tool_y^2 + tool_z^2)/12",
                "m*(tool_x^2 + tool_z^2)/12",
                "m*(tool_x^2 + tool_y^2)/12",
            )),
    );
    draft.add(
        build::Body::new("tip")
            .parent("tool")
            .mass("tip_mass")
            .com(("1 mm", 0, 0))
            .inertia((1, 1, 1))
            .point("end", (0, 0, "-l")),
    );
    assert_eq!(outline.draft().text(), draft.text());
    assert_eq!(outline.diagnostics().errors(), 0);
}

#[test]
fn gravity_is_a_direction_a_size_or_a_vector() {
    let check = |text: &str, expected: [f64; 3]| {
        let mut outline = Outline::new("g");
        outline.gravity(text).unwrap();
        let found = outline.draft().gravity.clone().unwrap().map(|one| one.value);
        assert_eq!(found, expected.map(Value::Number), "{text}");
    };
    check("-z", [0.0, 0.0, -9.81]);
    check("y 1.62", [0.0, 1.62, 0.0]);
    check("none", [0.0, 0.0, 0.0]);
    check("0 0 -9.8", [0.0, 0.0, -9.8]);
    check("[1, 2, 3]", [1.0, 2.0, 3.0]);
    assert!(Outline::new("g").gravity("down").is_err());
}

#[test]
fn a_wrong_phrase_is_named_with_the_remedy() {
    let check = |phrases: &[(OutlineElement, &str)], message: &str, help: &str| {
        let mut outline = Outline::new("wrong");
        let error =
            outline.add_all(phrases.iter().copied()).err().unwrap_or_else(|| panic!("{message}"));
        let text = error.to_string();
        assert!(
            text.contains(message) && text.contains(help),
            "{text}\nexpected: {message} ... {help}"
        );
        // Nothing of a phrase that cannot be read stays behind.
        for (kind, phrase) in phrases {
            let before = outline.clone();
            if outline.add(*kind, phrase).is_err() {
                assert_eq!(outline, before);
            }
        }
    };
    use OutlineElement::*;
    let arm = (Body, "arm: ground revolute y, mass 1, length 1");
    check(&[(Body, "arm ground revolute y")], "needs a name", "NAME: PARENT JOINT AXIS");
    check(&[(Body, "arm: ground revolute")], "needs an axis", "revolute y");
    check(
        &[(Body, "arm: ground revolut y")],
        "`revolut` is not a type of joints",
        "did you mean `revolute`?",
    );
    check(
        &[(Body, "arm: ground hinge y")],
        "`hinge` is not a type of joints",
        "expected one of fixed, revolute",
    );
    check(
        &[(Body, "arm: grund revolute y, mass 1, length 1")],
        "`grund`",
        "did you mean `ground`?",
    );
    check(&[(Body, "arm: ground revolute w")], "`w` is not an axis", "expected one of x, y, z");
    check(&[(Body, "arm: ground revolute y q q2")], "`q2` is one word too many", "commas");
    check(&[(Body, "arm: ground revolute y, mas 1")], "`mas` is not known", "did you mean `mass`?");
    check(&[(Body, "arm: ground revolute y, mass")], "missing value of `mass`", "mass VALUE");
    check(
        &[(Body, "arm: ground revolute y, mass 1, com 1 2")],
        "`com` takes 3 values, found 2",
        "three values X Y Z",
    );
    let unit = "`length`: there is no unit `cn`";
    check(&[(Body, "arm: ground revolute y, mass 1, length 50 cn z")], unit, "did you mean `cN`?");
    let unit = "`mass`: there is no unit `kq`";
    check(&[(Body, "arm: ground revolute y, mass 0.5 kq, length 1")], unit, "did you mean `kg`?");
    check(&[(Body, "arm: ground revolute y, mass -1, length 1")], "negative", "");
    check(&[(Body, "arm: ground revolute y, mass 1 m, length 1")], "mass", "kg");
    check(&[(Body, "arm: ground revolute y, mass m, length 1")], "`m`", "");
    check(&[(Body, "arm: ground revolute y, mass 1,, length 1")], "missing between commas", "");
    check(
        &[(Body, "arm: ground spherical, mass 1, spring 3")],
        "3 degrees of freedom",
        "effort [LAW",
    );
    check(&[(Body, "arm: ground helical z, mass 1")], "needs a pitch", "pitch P");
    check(&[(Body, "arm: ground revolute y, box 1 1 1")], "no mass", "mass M");
    check(&[arm, (Body, "arm: ground revolute y, mass 1, length 1")], "`arm`", "another name");
    check(&[arm, (Point, "leg.tip: 0 0 1")], "there is no body `leg`", "expected arm");
    check(&[arm, (Loop, "arm.end")], "expected two places, found 1", "PLACE PLACE");
    check(&[arm, (Loop, "arm.end ground, bal")], "`bal` is not known", "did you mean `ball`?");
    check(&[arm, (Drive, "q2 = t")], "no coordinate `q2`", "did you mean `q1`?");
    check(&[arm, (Drive, "q1")], "missing `=`", "q1 = 2*pi*t");
    check(&[arm, (Drive, "q1 = t"), (Drive, "q1 = 2*t")], "driven already", "one law");
    check(&[arm, (Drive, "q1 = t"), (Initial, "q1 = 1")], "is driven", "leave");
    check(&[arm, (Initial, "q1 = 3 kg")], "kg", "");
    check(&[arm, (Spring, "ground arm.end")], "stiffness", "damping C");
    check(&[arm, (Spring, "ground arm.ed, stiffness 1, length 1")], "arm.ed", "did you mean");
    check(&[arm, (LineForce, "ground arm.end")], "missing value of `law`", "");
    check(&[arm, (Force, "arm.end")], "needs its components", "force X Y Z");
    check(&[arm, (Sensor, "arm.end, positon")], "`positon`", "did you mean `position`?");
    check(&[(Parameter, "l 3")], "missing `=`", "l = 0.5 m");
    check(&[(Parameter, "l = ")], "no value", "NAME = VALUE");
    // A loop that no position closes.
    let far = (Body, "far: ground revolute y, at 5 0 0, mass 1, length 1");
    check(
        &[arm, far, (Loop, "arm.end far.end, ball")],
        "no initial position closes the loops",
        "check lengths",
    );
    let many = vec![arm; MOST_PHRASES + 1];
    check(&many, "1001 elements are too many", "program");
}

#[test]
fn templates_that_do_not_exist_are_refused() {
    let check = |name: &str, expected: &str| {
        let text = Outline::template(name, "m").expect_err(name).to_string();
        assert!(text.contains(expected), "{text}");
    };
    check("pendlum", "did you mean `pendulum`?");
    check("robot", "expected one of pendulum");
    check("arm-0", "N must be an integer from 1 to 100");
    check("arm-101", "N must be an integer from 1 to 100");
    check("arm-99999999999999999999", "N must be an integer");
    check("arm-x", "N must be an integer");
    check("arm-", "N must be an integer");
}

/// A length that is not given is that at the start, so that the spring begins without force.
#[test]
fn springs_begin_without_force() {
    let mut outline = Outline::new("spring");
    let phrases = [
        (OutlineElement::Body, "arm: ground revolute y, mass 1, length 3"),
        (OutlineElement::Point, "ground.top: 0 0 4"),
        (OutlineElement::Spring, "ground.top arm.end, stiffness 10"),
    ];
    outline.add_all(phrases).unwrap();
    let law = &outline.draft().line_forces[0];
    assert_eq!(law.name.value, "spring1");
    let length =
        outline.draft().parameters.iter().find(|one| one.name.value == "spring1_length").unwrap();
    assert_eq!(length.value.as_ref().expect("a value").value, Value::Number(5.0));
    check_file(&outline, "spring");
}

/// Numbers as people write them, the same everywhere.
struct Random(SplitMix64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0.unit()
    }

    fn below(&mut self, count: usize) -> usize {
        ((self.number() * count as f64) as usize).min(count - 1)
    }

    /// A number of three digits between two bounds.
    fn within(&mut self, lower: f64, upper: f64) -> f64 {
        format!("{:.3}", lower + (upper - lower) * self.number()).parse().unwrap()
    }
}

/// A number as somebody may write it: plain, with a unit, or as an expression.
fn spelled(random: &mut Random, number: f64, large: &str, thousandth: &str) -> String {
    match random.below(4) {
        0 => format!("{number} {large}"),
        1 => format!("{} {thousandth}", 1000.0 * number),
        2 => format!("({number})*1"),
        _ => number.to_string(),
    }
}

/// Random mechanisms described twice: in phrases, and in plain numbers by the builder. The inertia
/// of solids is computed here.
fn random_mechanism(seed: u64) -> (Vec<(OutlineElement, String)>, Draft) {
    use build::{Axis, Joint};
    let mut random = Random(SplitMix64(seed));
    let axes = ["x", "y", "z", "-x", "-y", "-z"];
    let units = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [-1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, -1.0],
    ];
    let mut draft = Draft::new("random");
    draft.gravity((0, 0, -9.81));
    let mut phrases = Vec::new();
    let mut places = vec!["ground".to_owned()];
    for at in 0..=random.below(5) {
        let name = format!("b{at}");
        let parent = places[random.below(places.len())].clone();
        let coordinate = format!("u{at}");
        let (first, second) = (axes[random.below(3)], axes[3 + random.below(3)]);
        let skew = [random.within(0.1, 1.0), random.within(-1.0, 1.0), random.within(0.1, 1.0)];
        let [x, y, z] = skew;
        let pitch = random.within(0.01, 0.2);
        let (words, joint, freedom) = match random.below(8) {
            0 | 1 => (format!("revolute {second}"), Joint::revolute(&coordinate, second), 1),
            2 => (
                format!("revolute [{x}, {y}, {z}]"),
                Joint::revolute(&coordinate, Axis::from(skew)),
                1,
            ),
            3 => (format!("prismatic {first}"), Joint::prismatic(&coordinate, first), 1),
            4 => (format!("cylindrical {second}"), Joint::cylindrical(&coordinate, second), 2),
            5 if first != second.trim_start_matches('-') => (
                format!("universal {first} {second}"),
                Joint::universal(&coordinate, first, second),
                2,
            ),
            6 => ("spherical".to_owned(), Joint::spherical(&coordinate), 3),
            7 => (format!("planar {first}"), Joint::planar(&coordinate, first), 3),
            _ => (format!("helical {first}"), Joint::helical(&coordinate, first, pitch), 1),
        };
        let mut phrase = format!("{name}: {parent} {words} {coordinate}");
        if words.starts_with("helical") {
            phrase.push_str(&format!(", pitch {pitch}"));
        }
        let mut body = build::Body::new(&name).parent(parent);
        if random.below(2) == 0 {
            let position = [0; 3].map(|_| random.within(-1.0, 1.0));
            let [x, y, z] = position;
            phrase.push_str(&format!(", at {x} {y} {z}"));
            body = body.position(position);
        }
        let mass = random.within(0.1, 5.0);
        phrase.push_str(&format!(", mass {}", spelled(&mut random, mass, "kg", "g")));
        body = body.mass(mass);
        match random.below(4) {
            0 => {
                let (length, direction) = (random.within(0.1, 2.0), random.below(6));
                let along = units[direction];
                phrase.push_str(&format!(
                    ", length {} {}",
                    spelled(&mut random, length, "m", "mm"),
                    axes[direction]
                ));
                let mut own = mass * length * length / 800.0;
                let mut across = mass * length * length / 12.0;
                if random.below(2) == 0 {
                    let radius = random.within(0.01, 0.3);
                    phrase
                        .push_str(&format!(", radius {}", spelled(&mut random, radius, "m", "mm")));
                    own = mass * radius * radius / 2.0;
                    across = mass * (3.0 * radius * radius + length * length) / 12.0;
                }
                body = body
                    .com(along.map(|part| part * length / 2.0))
                    .inertia(along.map(|part| if part == 0.0 { across } else { own }))
                    .point("end", along.map(|part| part * length));
                places.push(format!("{name}.end"));
            }
            1 => {
                let [x, y, z] = [0; 3].map(|_| random.within(0.1, 1.0));
                phrase.push_str(&format!(", box {x} {y} {z}"));
                let [x, y, z] = [x * x, y * y, z * z].map(|square| mass * square / 12.0);
                body = body.inertia([y + z, x + z, x + y]);
            }
            2 => {
                let radius = random.within(0.1, 1.0);
                phrase.push_str(&format!(", sphere {radius}"));
                body = body.inertia([0.4 * mass * radius * radius; 3]);
            }
            _ => {
                let com = [0; 3].map(|_| random.within(-1.0, 1.0));
                let inertia = [0; 3].map(|_| random.within(0.5, 0.9));
                phrase.push_str(&format!(", com [{}, {}, {}]", com[0], com[1], com[2]));
                phrase.push_str(&format!(", inertia {} {} {}", inertia[0], inertia[1], inertia[2]));
                body = body.com(com).inertia(inertia);
            }
        }
        let joint = match (freedom, random.below(3)) {
            (1, 0) => {
                let (k, rest, c) =
                    (random.within(1.0, 9.0), random.within(-1.0, 1.0), random.within(0.1, 2.0));
                phrase.push_str(&format!(", spring {k} rest {rest}, damper {c}"));
                joint.effort(format!("-{k}*(q - ({rest})) - {c}*qd"))
            }
            (1, 1) => {
                phrase.push_str(", effort -2*q, damper 3");
                joint.effort("-3*qd - 2*q")
            }
            _ => joint,
        };
        draft.add(body.joint(joint));
        phrases.push((OutlineElement::Body, phrase));
        places.push(name);
    }
    if random.below(2) == 0 {
        let (k, c) = (random.within(10.0, 90.0), random.within(0.1, 2.0));
        let place = places[1 + random.below(places.len() - 1)].clone();
        phrases.push((
            OutlineElement::Spring,
            format!("ground.hook {place}, stiffness {k}, length 0.7, damping {c}"),
        ));
        phrases.push((OutlineElement::Point, "ground.hook: 3, 2, 4".to_owned()));
        phrases.push((OutlineElement::Force, format!("{place}, force 1 vx*0.1 0, torque 0 0 t")));
        draft.ground_point("hook", (3, 2, 4));
        draft.add(build::LineForce::new(
            "spring1",
            ["ground.hook", &place],
            format!("{k}*(Z - 0.7) + {c}*Zd"),
        ));
        draft.add(build::Force::new("force1", &place).force((1, "vx*0.1", 0)).torque((0, 0, "t")));
    }
    (phrases, draft)
}

/// The equations of what phrases describe are those of the same mechanism in plain numbers.
#[test]
fn random_phrases_describe_the_mechanism_that_is_meant() {
    for seed in 0..150 {
        let (phrases, draft) = random_mechanism(seed);
        let what = format!("seed {seed}: {phrases:#?}");
        let mut outline = Outline::new("random");
        let added = outline.add_all(phrases.iter().map(|(kind, phrase)| (*kind, phrase.as_str())));
        added.unwrap_or_else(|error| panic!("{what}\n{error}"));
        let model = check_file(&outline, &what);
        let plain = Model::try_from(&draft).unwrap_or_else(|error| panic!("{what}\n{error}"));
        assert_eq!(model.coordinates(), plain.coordinates(), "{what}");
        let mut states = (model.random(seed), plain.random(seed));
        states.0.t = 0.3;
        states.1.t = 0.3;
        for function in ["mass", "inverse"] {
            let ours = model.evaluate(function, &states.0).unwrap();
            let expected = plain.evaluate(function, &states.1).unwrap();
            let (ours, expected) = (&ours.outputs[0].numbers, &expected.outputs[0].numbers);
            assert_eq!(ours.len(), expected.len());
            let scale = expected.iter().fold(1.0_f64, |most, value| most.max(value.abs()));
            for (a, b) in ours.iter().zip(expected) {
                assert!((a - b).abs() < 1e-11 * scale, "{what}\n{function}: {a} instead of {b}");
            }
        }
    }
}
