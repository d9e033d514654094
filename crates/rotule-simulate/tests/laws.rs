//! Laws as closures: a model with an external function moves like one with the same law as an
//! expression.

use rotule_simulate::inputs::InputPoint;
use rotule_simulate::laws::Laws;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::{End, Threshold};
use rotule_testing::simulate::{Kept, motion, tree};

fn model(law: &str, more: &str) -> String {
    format!(
        "[model]\nname = \"law\"\ngravity = [0, -9.81, 0]\n\
         [[body]]\nname = \"bob\"\nparent = \"ground\"\n\
         joint = {{ name = \"q\", type = \"revolute\", axis = \"z\", effort = \"{law}\" }}\n\
         mass = 1\ncom = [0, -1, 0]\n[initial.qd]\nq = 1\n{more}"
    )
}

fn moved(text: &str, laws: Laws, name: &str) -> Kept {
    let mut plant =
        Plant::new(tree(text), InputPoint::new(0.0, vec![0.0], vec![1.0], vec![]), Box::new(laws))
            .expect("equations of motion");
    let accuracy = Accuracy::Within { relative: 1e-9, absolute: 1e-11 };
    let mut method = method(name, accuracy, plant.size()).expect("a method");
    let (outcome, kept) = motion(&mut plant, method.as_mut(), 2.0, 0.1, Threshold::AUTOMATIC);
    assert_eq!(outcome.end, End::Reached, "{name}: {:?}", outcome.reason);
    kept
}

#[test]
fn closures_are_laws() {
    let external = "[[external]]\nname = \"brake\"\narguments = [\"q\", \"qd\"]\n";
    for name in ["dop853", "radau", "bdf"] {
        let laws =
            Laws::new().with("brake", |given, found| found[0] = -3.0 * given[0] - 0.5 * given[1]);
        let found = moved(&model("brake(q, qd)", external), laws, name);
        let expected = moved(&model("-3*q - 0.5*qd", ""), Laws::new(), name);
        for (found, expected) in found.points.iter().zip(&expected.points) {
            assert!((found.q[0] - expected.q[0]).abs() < 1e-6, "{name}: {}", found.t);
        }
    }
}
