//! Operations of reduced models, part by part.

mod common;

use common::{example, tree};
use rotule_formalism::{Formalism, Function, count_parts, generate, Tree};
use rotule_symbolic::Expr;

fn parts(name: &str, tree: &Tree, formalism: Formalism) {
        let function = Function::parse("direct", tree).expect("it");
        let made = generate(tree, &function, Some(formalism)).unwrap_or_else(|p| panic!("{name}: {p}"));
        let whole = made.counts.body.operations();
        println!("{name} {} all {whole} arithmetic {} iteration {} arithmetic {}", function.text, made.counts.body.total(), made.counts.iteration.operations(), made.counts.iteration.total());
        let parts = count_parts(tree, &function, formalism, whole).expect("parts");
        for part in parts { println!("   {:<12} {}", part.name, part.operations); }
}

fn with(name: &str, independent: &[&str]) -> String {
    let mut text = example(&format!("{name}.toml"));
    for at in 1..=12 {
        let joint = format!("q{at}");
        let wish = if independent.contains(&joint.as_str()) { "independent" } else { "dependent" };
        text = text.replace(&format!("name = \"{joint}\", type"), &format!("name = \"{joint}\", partition = \"{wish}\", type"));
    }
    text
}

#[test]
fn look() {
    for (name, u) in [("planar_robot_1", &["q1","q6","q9"][..]), ("planar_robot_1", &["q3","q4","q7"]), ("planar_robot_1", &["q1","q2","q3"]),
      ("planar_robot_2", &["q1","q4","q7"]), ("planar_robot_2", &["q3","q6","q9"]), ("planar_robot_2", &["q1","q2","q3"]),
      ("planar_robot_3", &["q10","q11","q12"]), ("planar_robot_4", &["q7","q8","q9"])] {
        for formalism in [Formalism::Classical, Formalism::Barycentric] {
            let tree = tree(&with(name, u));
            let function = Function::parse("direct", &tree).expect("it");
            let made = generate(&tree, &function, Some(formalism)).expect("made");
            let function = Function::parse("augmented", &tree).expect("it");
            let aug = generate(&tree, &function, Some(formalism)).expect("made");
            println!("{name} {u:?} {} {} + {} augmented {}", formalism.name(), made.counts.body.total(), made.counts.iteration.total(), aug.counts.body.total());
        }
    }
    let delta = example("delta_robot.toml").replace("mass = \"m_f\"\n", "").replace("inertia = { yy = \"m_f*l_f^2/12\", zz = \"m_f*l_f^2/12\" }\n", "").replace("m_f = ", "# m_f = ");
    let stewart = example("stewart_platform.toml").replace("mass = \"m_c\"\n", "").replace("inertia = { xx = \"m_c*l_c^2/12\", yy = \"m_c*l_c^2/12\" }\n", "").replace("mass = \"m_r\"\n", "")
       .replace("inertia = { xx = \"m_r*l_r^2/12\", yy = \"m_r*l_r^2/12\" }\n", "").replace("range = [0, \"l_r\"] }", "armature = \"m_r\" }").replace("m_c = ", "# ").replace("effort = \"f_0 + kp*(ref - q) - kd*qd\", ", "");
    for (name, text, drive) in [("delta", delta, "shoulder"), ("stewart", stewart, "stroke")] {
        let mut tree = tree(&text);
        for at in 0..tree.mechanism.speeds.len() {
            if !tree.mechanism.speeds[at].name.starts_with(drive) { tree.mechanism.speeds[at].effort = Expr::ZERO; }
        }
        parts(name, &tree, Formalism::Barycentric);
        parts(name, &tree, Formalism::Classical);
        let function = Function::parse("mass_bias", &tree).expect("it");
        println!("{} {}", generate(&tree, &function, Some(Formalism::Barycentric)).unwrap().counts.body.operations(),
           generate(&tree, &function, Some(Formalism::Classical)).unwrap().counts.body.operations());
    }
    let mut tree = tree(&example("multilink_car.toml"));
    let outputs = common::write(&mut tree, "direct", Formalism::Barycentric);
    let request = rotule_program::lower::Request { name: "x".into(), inputs: vec![], outputs, solves: tree.solves.clone() };
    let lowered = rotule_program::lower::lower(&tree.mechanism.graph, &request);
    for r in &lowered.reports.0 { println!("{r:?}"); }
}
