//! Conversations as plain strings: scripts, slips, ways back, ends of input, and users who answer
//! at random.

use super::New;
use super::answers::Answers;
use super::dialogue::{Dialogue, Leave};
use super::questions;
use rotule::Model;
use rotule::layers::model::Severity;
use rotule::scaffold::Outline;
use std::cell::RefCell;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// `rotule new` with a file and without flags. The folder does not exist: nothing is written by
/// asking.
fn bare() -> New {
    New {
        file: Some(PathBuf::from("linkage.toml")),
        template: None,
        name: None,
        about: None,
        gravity: None,
        parameter: Vec::new(),
        body: Vec::new(),
        point: Vec::new(),
        closure: Vec::new(),
        drive: Vec::new(),
        initial: Vec::new(),
        spring: Vec::new(),
        line_force: Vec::new(),
        force_at: Vec::new(),
        sensor: Vec::new(),
        force: false,
    }
}

/// Talks by a text of answers; gives the result and all that was said.
fn talk(input: &[u8]) -> (Result<Answers, Leave>, String) {
    let mut said = Vec::new();
    let mut dialogue = Dialogue::new(input, &mut said);
    let result = questions::ask(&mut dialogue, &bare()).map(|(_, answers)| answers);
    (result, String::from_utf8(said).expect("text"))
}

fn lines(lines: &[&str]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_bytes(), b"\n"]).collect::<Vec<_>>().concat()
}

/// A four-bar with a spring, answer by answer.
const FOUR_BAR: &[&str] = &[
    "",
    "A four-bar with a spring",
    "empty",
    "-y", // the model
    "crank",
    "",
    "",
    "",
    "",
    "",
    "0.8",
    "",
    "0.12",
    "",
    "",
    "",
    "", // bodies
    "coupler",
    "",
    "",
    "",
    "",
    "600 g",
    "",
    "l2",
    "30 cm",
    "",
    "",
    "0.01",
    "",
    "rocker",
    "ground",
    "0.32 0 0",
    "",
    "",
    "phi",
    "1.1",
    "",
    "0.25",
    "",
    "",
    "",
    "grip 0.1, 0, 0",
    "",
    "",
    "coupler.end rocker.end",
    "",
    "",
    "", // loops
    "", // no drives
    "60 deg",
    "6",
    "",
    "", // initial values
    "spring",
    "ground rocker.end",
    "",
    "80",
    "0.35",
    "c",
    "0.5",
    "", // forces
    "rocker.grip",
    "", // sensors
    "yes",
];

fn four_bar() -> Answers {
    let (result, said) = talk(&lines(FOUR_BAR));
    result.unwrap_or_else(|leave| panic!("{leave:?}\n{said}"))
}

#[test]
fn a_speed_can_be_left_to_the_loops() {
    let with = |speed: &str| {
        let answers: Vec<&str> =
            FOUR_BAR.iter().map(|&answer| if answer == "6" { speed } else { answer }).collect();
        let (result, said) = talk(&lines(&answers));
        assert!(!said.contains("auto is a new parameter"), "{said}");
        result.unwrap_or_else(|leave| panic!("{leave:?}\n{said}")).outline.draft().text()
    };
    assert_eq!(with("auto"), with("0"));
}

/// The file of a conversation: no warnings, and the same model by flags.
fn check_answers(answers: &Answers, what: &str) -> Model {
    let text = answers.outline.text("linkage.toml");
    let model = Model::read("linkage.toml", text.as_str())
        .unwrap_or_else(|error| panic!("{what}\n{error}"));
    assert_eq!(
        model.diagnostics().count(Severity::Warning),
        0,
        "{what}\n{}\n{text}",
        model.warnings()
    );
    assert_eq!(by_flags(answers, what).draft().text(), answers.outline.draft().text(), "{what}");
    model
}

/// The model of the command that a conversation ends with, its quotes undone as a shell does.
fn by_flags(answers: &Answers, what: &str) -> Outline {
    use clap::Parser;
    let command = answers.command(Path::new("linkage.toml"));
    let mut words = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    for c in command.replace("\\\n", " ").chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let words = words.into_iter().map(std::ffi::OsString::from);
    let words = super::super::arguments::with_signs(words);
    let arguments = super::super::arguments::Arguments::try_parse_from(words);
    let arguments = arguments.unwrap_or_else(|error| panic!("{what}\n{command}\n{error}"));
    let Some(super::super::arguments::Verb::New(new)) = arguments.verb else { panic!("{command}") };
    let outline = super::from_flags(&new, Path::new("linkage.toml"), &new.phrases());
    outline.unwrap_or_else(|failure| panic!("{what}\n{command}\n{failure}"))
}

#[test]
fn a_four_bar_with_a_spring_is_made_by_questions_alone() {
    let answers = four_bar();
    let model = check_answers(&answers, "four-bar");
    assert_eq!(model.coordinates(), ["q1", "q2", "phi"]);
    let parameters: Vec<&str> = model.parameters().iter().map(|one| one.name.as_str()).collect();
    assert!(
        ["crank_mass", "l2", "c", "spring1_stiffness"].iter().all(|name| parameters.contains(name)),
        "{parameters:?}"
    );
    assert_eq!(model.state().get("q1").unwrap(), std::f64::consts::PI / 3.0);
    // The coupler is above the ground, as somebody draws it.
    assert!(model.state().get("phi").unwrap() > 1.0);
    let run = model.simulate().to(1.0).run().unwrap();
    assert!(run.verdict().warnings.is_empty());
}

#[test]
fn going_back_and_asking_for_help_change_nothing() {
    let expected = four_bar().outline.draft().text();
    // Every answer is taken back once, and given again.
    let twice: Vec<&str> = FOUR_BAR[..FOUR_BAR.len() - 1]
        .iter()
        .flat_map(|line| [*line, "<", line])
        .chain(["yes"])
        .collect();
    let (result, said) = talk(&lines(&twice));
    assert_eq!(
        result.unwrap_or_else(|leave| panic!("{leave:?}\n{said}")).outline.draft().text(),
        expected
    );
    // Every question explains itself.
    let help: Vec<&str> = FOUR_BAR.iter().flat_map(|line| ["?", line]).collect();
    let (result, said) = talk(&lines(&help));
    assert_eq!(
        result.unwrap_or_else(|leave| panic!("{leave:?}\n{said}")).outline.draft().text(),
        expected
    );
    for (at, question) in said.split(": ?\n").enumerate().skip(1) {
        assert!(question.starts_with("  "), "question {at} has no help");
    }
    // Back to the very first question, and over all of it again.
    let all: Vec<&str> = FOUR_BAR[..20]
        .iter()
        .copied()
        .chain(vec!["<"; 20])
        .chain(FOUR_BAR.iter().copied())
        .collect();
    let (result, said) = talk(&lines(&all));
    assert_eq!(
        result.unwrap_or_else(|leave| panic!("{leave:?}\n{said}")).outline.draft().text(),
        expected
    );
}

#[test]
fn the_end_of_the_input_ends_the_conversation_anywhere() {
    for count in 0..FOUR_BAR.len() {
        let (result, _) = talk(&lines(&FOUR_BAR[..count]));
        assert!(matches!(result, Err(Leave::End)), "after {count} answers");
    }
    // The last line may lack its end.
    let mut input = lines(FOUR_BAR);
    input.pop();
    assert!(talk(&input).0.is_ok());
    let (result, _) = talk(&lines(&[&FOUR_BAR[..FOUR_BAR.len() - 1], &["no"]].concat()));
    assert!(matches!(result, Err(Leave::Declined)));
}

#[test]
fn a_slip_is_told_at_once_and_asked_again() {
    // After so many answers of the script, this answer is told this, and the script goes on.
    let check = |count: usize, slip: &[u8], message: &str| {
        let input =
            [lines(&FOUR_BAR[..count]), slip.to_vec(), b"\n".to_vec(), lines(&FOUR_BAR[count..])]
                .concat();
        let (result, said) = talk(&input);
        let answers = result.unwrap_or_else(|leave| panic!("{message}: {leave:?}\n{said}"));
        assert!(said.contains(message), "{message}\n{said}");
        assert_eq!(answers.outline.draft().text(), four_bar().outline.draft().text(), "{message}");
    };
    check(0, b"<", "this is the first question");
    check(2, b"pendlum", "did you mean `pendulum`?");
    check(3, b"down", "`gravity` takes 3 values, found 1");
    check(4, b"ground", "it stands for the fixed body");
    check(4, b"my crank", "`my crank` is not a name");
    check(4, b"a: free, b", "is not a name");
    check(4, b"3rd", "is not a name");
    check(5, b"grund", "did you mean `ground`?");
    check(6, b"0 0", "takes 3 values, found 2");
    check(6, b"1 kg, 0, 0", "kg");
    check(7, b"revolut", "did you mean `revolute`?");
    check(8, b"w", "is not an axis");
    check(8, b"0 0 0", "axis");
    check(8, b"y phi, mass 3", "expected one axis");
    check(10, b"0.5 kq", "did you mean `kg`?");
    check(9, b"q, locked", "is not a name");
    check(10, b"2, box 1 1 1", "expected one value");
    check(10, b"m = 2", "expected one value");
    check(9, b"t", "it stands for the time");
    check(10, b"-1", "is negative");
    check(10, b"1 m", "expected a mass");
    check(10, b"nonsense)", "closes nothing");
    check(10, b"1e999", "");
    check(11, b"cube", "expected one of rod, box, sphere, own");
    check(13, b"w", "is not known here");
    check(16, b"end 0 0 0", "`end` is given twice");
    check(17, b"crank", "two bodies have the name `crank`");
    // Keys and bytes that are no text.
    check(17, b"\x1b[A", "control characters");
    check(17, b"co\xffupler", "not text in UTF-8");
    check(17, &[b'x'; 1 << 20], "at most 4096 bytes");
    check(17, "\u{202e}relpuoc".as_bytes(), "\\u{202e}");
    let loops = FOUR_BAR.iter().position(|line| *line == "coupler.end rocker.end").unwrap();
    check(loops, b"coupler.end", "expected two places, found 1");
    check(loops, b"coupler.end coupler.end", "the same");
    check(loops, b"coupler.end rocker.ed", "did you mean `rocker.end`?");
    check(loops + 4, b"q1 q1", "named twice");
    check(loops + 4, b"q4", "is not known here");
    check(loops + 5, b"1 kg", "kg");
    check(FOUR_BAR.len() - 1, b"maybe", "expected one of yes");
}

/// Someone whose answers depend on the questions: the prompt is what was written last.
struct User {
    seen: Rc<RefCell<Vec<u8>>>,
    random: u64,
    answered: usize,
    line: Vec<u8>,
}

impl User {
    fn below(&mut self, count: usize) -> usize {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % count
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn answer(&mut self) -> String {
        let seen = String::from_utf8_lossy(&self.seen.borrow()).into_owned();
        let prompt = seen.rsplit('\n').next().unwrap_or("").trim_start().to_owned();
        self.answered += 1;
        // In the end everybody takes what is offered.
        if self.answered > 80 {
            return if prompt.starts_with("Write") { "yes".to_owned() } else { String::new() };
        }
        match self.below(12) {
            0 => {
                return self
                    .one(&[
                        "?",
                        "<",
                        "<",
                        "nonsense",
                        "1 kg",
                        "-3",
                        "[",
                        "0 0",
                        "\u{1F600}",
                        "a:b",
                        "1/0",
                        ",",
                    ])
                    .to_owned();
            }
            1..=4 => return String::new(),
            _ => {}
        }
        let places = ["ground", "body1", "b2", "b2.end", "b3.end", "body1.end", "b3"];
        let text = match prompt.split([' ', ':', '[', '(']).next().unwrap_or("") {
            "Begin" => {
                self.one(&["empty", "empty", "pendulum", "four-bar", "arm-3", "quarter-car"])
            }
            "Gravity" => self.one(&["-y", "none", "0 0 -1.6", "-z g"]),
            "Next" => self.one(&["b2", "b3", "b4", "Körper"]),
            "Attached" | "At" | "Sensor" => self.one(&places),
            "Position" => self.one(&["0.3 0 0", "0, l, 20 mm", "a b c"]),
            "Joint" => self.one(&[
                "revolute",
                "prismatic",
                "spherical",
                "universal",
                "helical",
                "free",
                "fixed",
                "planar",
                "cylindrical",
            ]),
            "Axis" => self.one(&["x", "y", "z", "0 1 1"]),
            "Axes" => self.one(&["x y", "z x", "y y"]),
            "Mass" => self.one(&["2", "m", "250 g", "m*l", "0"]),
            "Shape" => self.one(&["rod", "box", "sphere", "own"]),
            "Length" => self.one(&["0.5", "l", "30 cm"]),
            "Direction" => self.one(&["x", "-z", "y"]),
            "Stiffness" | "Damping" => self.one(&["", "3", "k"]),
            "Another" => self.one(&["tip 0 0 1", "a 0, l, 0", ""]),
            "Closure" | "Between" => {
                let (a, b) = (self.one(&places), self.one(&places));
                return format!("{a} {b}");
            }
            "Type" => self.one(&["ball", "revolute", "rod"]),
            "Driven" => self.one(&["q1", "q2", "q1 q2", ""]),
            "Add" => self.one(&["spring", "force", "line-force", ""]),
            "Components" | "Torque" => self.one(&["1 0 0", "-c*vx, 0, t", "0 0 0"]),
            "Force" => self.one(&["k*(Z - 0.2) + 2*Zd", "10"]),
            _ => "",
        };
        text.to_owned()
    }
}

impl Read for User {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.line[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for User {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // Who has described something that cannot be closed gives up at some time.
        let seen = String::from_utf8_lossy(&self.seen.borrow()).into_owned();
        let refused = seen.matches("no initial position closes").count();
        if self.line.is_empty() && self.answered < 140 && refused < 3 {
            let answer = self.answer();
            self.line = format!("{answer}\n").into_bytes();
            // A terminal shows what is typed.
            self.seen.borrow_mut().extend_from_slice(&self.line);
        }
        Ok(&self.line)
    }

    fn consume(&mut self, amount: usize) {
        self.line.drain(..amount);
    }
}

/// The output that the user sees.
struct Screen(Rc<RefCell<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whatever is answered, the conversation ends with a model without warnings that the flags
/// describe, too.
#[test]
fn random_users_get_models_without_warnings() {
    let (mut run, mut closed, mut left) = (0, 0, 0);
    for seed in 0..10 {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let user = User {
            seen: Rc::clone(&seen),
            random: (seed + 1_u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            answered: 0,
            line: Vec::new(),
        };
        let mut dialogue = Dialogue::new(user, Screen(Rc::clone(&seen)));
        let result = questions::ask(&mut dialogue, &bare());
        let said = String::from_utf8_lossy(&seen.borrow()).into_owned();
        let what = format!("seed {seed}\n{said}");
        let answers = match result {
            Ok((_, answers)) => answers,
            Err(Leave::End) => {
                left += 1;
                continue;
            }
            Err(leave) => panic!("{leave:?}\n{what}"),
        };
        let model = check_answers(&answers, &what);
        closed += usize::from(!model.mechanism().cuts.is_empty());
        // What cannot run was told before the file was offered.
        match answers.outline.try_run() {
            Ok(()) => run += 1,
            Err(error) => assert!(said.contains("It cannot be simulated yet"), "{error}\n{what}"),
        }
    }
    assert!(run > 4 && closed > 0 && left < 5, "{run} run, {closed} have loops, {left} left");
}
