//! The engine examples of Postiau's thesis (Louvain-la-Neuve, 2004, chapter 1): what its symbolic
//! library is shown to find, found here, too.

use rotule_symbolic::{Expr, Graph, Kind, Vector};

/// Simplifies `text` and compares with `expect` as an expression, not as a text.
fn check(text: &str, expect: &str) {
    let mut graph = Graph::new();
    let a = graph.parse(text).unwrap();
    let b = graph.parse(expect).unwrap();
    assert_eq!(a, b, "{text} became {}, not {}", graph.text(a), graph.text(b));
}

#[test]
fn elementary_simplifications() {
    check("a + 0", "a");
    check("a*0", "0");
    check("a*1", "a");
    check("(a - b) + (a + b)", "2*a");
    check("cos(a)*sin(b) + cos(b)*sin(a)", "sin(a + b)");
    check("cos(a)*sin(b) - cos(b)*sin(a)", "sin(b - a)");
    check("cos(a)*cos(b) - sin(a)*sin(b)", "cos(a + b)");
    check("cos(a)*cos(b) + sin(a)*sin(b)", "cos(a - b)");
    check("cos(a)^2 + sin(a)^2", "1");
    // Over linear combinations of coordinates, there and back.
    check("sin(q1 + q2)*cos(q3) + cos(q1 + q2)*sin(q3)", "sin(q1 + q2 + q3)");
    check("sin(q1 + q2)*cos(q2) - cos(q1 + q2)*sin(q2)", "sin(q1)");
}

#[test]
fn rotations_through_intermediate_variables_cancel() {
    let mut graph = Graph::new();
    for (name, text) in [("x", "cos(a)*u"), ("y", "sin(a)*u")] {
        let definition = graph.parse(text).unwrap();
        graph.name(name, definition);
    }
    let z = graph.parse("cos(a)*x + sin(a)*y").unwrap();
    assert_eq!(z, graph.lookup("u").unwrap());
    // Without looking through the names, nothing is found.
    graph.set_expansion(0);
    let z = graph.parse("cos(a)*x + sin(a)*y").unwrap();
    assert_ne!(z, graph.lookup("u").unwrap());
}

#[test]
fn roots_of_squares_are_absolute_values_until_a_sign_is_known() {
    check("1/sqrt(1 + tan(a)^2)", "abs(cos(a))");
    check("sqrt((cos(q5)*sin(q6 + q7))^2 + (cos(q5)*cos(q6 + q7))^2)", "abs(cos(q5))");
    let mut graph = Graph::new();
    let cosine = graph.parse("cos(a)").unwrap();
    graph.assume_positive(cosine);
    for text in ["1/sqrt(1 + tan(a)^2)", "sqrt(cos(a)^2*sin(b)^2 + cos(a)^2*cos(b)^2)"] {
        let expr = graph.parse(text).unwrap();
        assert_eq!(expr, cosine, "{}", graph.text(expr));
    }
}

/// Two joints of the PUMA with parallel axes, as the thesis generates them. (Its section 1.7.)
fn puma_fragment(expansion: u32) -> (Graph, Vec<Expr>) {
    let mut graph = Graph::new();
    graph.set_expansion(expansion);
    let rows = [
        ("OM22", "qd1*sin(q2)"),
        ("OM32", "qd1*cos(q2)"),
        ("OpF22", "qd1*qd2*cos(q2)"),
        ("OpF32", "-qd1*qd2*sin(q2)"),
        ("OM23", "OM22*cos(q3) + OM32*sin(q3)"),
        ("OM33", "OM32*cos(q3) - OM22*sin(q3)"),
        ("OpF23", "OpF22*cos(q3) + OpF32*sin(q3) + qd3*OM33"),
        ("OpF33", "OpF32*cos(q3) - OpF22*sin(q3) - qd3*OM23"),
    ];
    let mut results = Vec::new();
    for (name, text) in rows {
        let definition = graph.parse(text).unwrap();
        results.push(graph.name(name, definition));
    }
    (graph, results.split_off(4))
}

#[test]
fn looking_through_names_removes_twelve_operations_from_the_puma() {
    let (plain, results) = puma_fragment(0);
    let before = plain.counts(&results).arithmetic();
    let (mut graph, results) = puma_fragment(1);
    let after = graph.counts(&results).arithmetic();
    assert!(after + 12 <= before, "{before} became {after}");
    let expected = [
        "qd1*sin(q2 + q3)",
        "qd1*cos(q2 + q3)",
        "qd1*cos(q2 + q3)*(qd2 + qd3)",
        "-qd1*sin(q2 + q3)*(qd2 + qd3)",
    ];
    for (result, expect) in results.into_iter().zip(expected) {
        // OM33 is a name by now, so compare with names seen through.
        let definitions: Vec<(Expr, Expr)> = ["OM23", "OM33", "OpF23", "OpF33"]
            .into_iter()
            .filter_map(|name| {
                let variable = graph.lookup(name)?;
                let text = match name {
                    "OM23" => expected[0],
                    "OM33" => expected[1],
                    "OpF23" => expected[2],
                    _ => expected[3],
                };
                Some((variable, graph.parse(text).ok()?))
            })
            .collect();
        let seen = graph.substitute(&[result], &definitions)[0];
        let expect = graph.parse(expect).unwrap();
        assert_eq!(seen, expect, "{}", graph.text(seen));
    }
}

#[test]
fn single_use_variables_are_inlined_and_simplified_again() {
    let mut graph = Graph::new();
    let force = graph.parse("-m6*OpM16_4*l36").unwrap();
    graph.name("FB26_4", force);
    let torque = graph.parse("In1_6*OpM16_4 - FB26_4*l36").unwrap();
    let inlined = graph.inline_single_uses(&[torque])[0];
    let expect = graph.parse("OpM16_4*(In1_6 + m6*l36*l36)").unwrap();
    assert_eq!(inlined, expect, "{}", graph.text(inlined));

    // A chain of five, down to C6*C6*(In1_6 + m6*l36^2) + S6*S6*(In5_6 + m6*l36^2).
    let mut graph = Graph::new();
    let rows = [
        ("FB16_5", "m6*sin(q6)*l36"),
        ("FB26_5", "-m6*cos(q6)*l36"),
        ("CM16_5", "In1_6*cos(q6) - FB26_5*l36"),
        ("CM26_5", "In5_6*sin(q6) + FB16_5*l36"),
    ];
    for (name, text) in rows {
        let definition = graph.parse(text).unwrap();
        graph.name(name, definition);
    }
    let torque = graph.parse("CM16_5*cos(q6) + CM26_5*sin(q6)").unwrap();
    let inlined = graph.inline_single_uses(&[torque])[0];
    let before = graph.counts(&[torque]).arithmetic();
    let after = graph.counts(&[inlined]).arithmetic();
    assert!(after < before, "{before} became {after}: {}", graph.text(inlined));
    // Equal inertias collapse further.
    let (a, b) = (graph.lookup("In1_6").unwrap(), graph.lookup("In5_6").unwrap());
    let equal = graph.substitute(&[inlined], &[(b, a)])[0];
    let expect = graph.parse("In1_6 + m6*l36^2").unwrap();
    assert_eq!(equal, expect, "{}", graph.text(equal));
}

#[test]
fn a_name_for_a_negative_keeps_its_meaning() {
    // x = -(a - b); y = d - x + z
    let mut graph = Graph::new();
    let difference = graph.parse("-(a - b)").unwrap();
    let x = graph.name("x", difference);
    assert_eq!(graph.lookup("x"), Some(x));
    let y = graph.parse("d - x + z").unwrap();
    let input = |name: &str| Some(f64::from(name.as_bytes()[0]));
    let value = graph.evaluate_f64(&[y], input).unwrap()[0];
    let (a, b, d, z) = (97.0, 98.0, 100.0, 122.0);
    assert_eq!(value, d + (a - b) + z);
    // The opposite of a named expression is that name with a minus.
    let opposite = graph.parse("a - b").unwrap();
    assert_eq!(graph.name("other", opposite), -x);
}

#[test]
fn the_suspension_link_stays_in_its_plane() {
    // Appendix A.5: bodies 6 and 7 of the motorcycle, everything in frame 6.
    let mut graph = Graph::new();
    let mut parameter = |graph: &mut Graph, name: &str| graph.symbol(name, Kind::Parameter);
    let planar =
        |graph: &mut Graph, x: &str, z: &str, f: &mut dyn FnMut(&mut Graph, &str) -> Expr| {
            Vector([f(graph, x), Expr::ZERO, f(graph, z)])
        };
    let d = planar(&mut graph, "d1", "d3", &mut parameter);
    let dbp = planar(&mut graph, "dbp1", "dbp3", &mut parameter);
    let dbs = planar(&mut graph, "dbs1", "dbs3", &mut parameter);
    let q7 = graph.symbol("q7", Kind::Coordinate);
    let qd7 = graph.symbol("qd7", Kind::Velocity);
    let (s, c) = (graph.sin(q7), graph.cos(q7));
    let rotation = rotule_symbolic::Matrix([
        [c, Expr::ZERO, s],
        [Expr::ZERO, Expr::ONE, Expr::ZERO],
        [-s, Expr::ZERO, c],
    ]);
    let rl = rotation.apply(dbs, &mut graph).name("RL", &mut graph);
    let p = rl.add(d, &mut graph).sub(dbp, &mut graph).name("P", &mut graph);
    let square = p.dot(p, &mut graph);
    let root = graph.sqrt(square);
    let z = graph.name("Z", root);
    let inverse = graph.powi(z, -1);
    let e = p.scale(inverse, &mut graph).name("e", &mut graph);
    let omega = Vector([Expr::ZERO, qd7, Expr::ZERO]);
    let velocity = omega.cross(rl, &mut graph);
    let rate = velocity.dot(e, &mut graph);
    let law = graph.declare_function("LinkForce", 2, 1);
    let force = graph.call(law, &[z, rate])[0];
    let on_6 = e.scale(force, &mut graph);
    let torque = dbp.cross(on_6, &mut graph);
    assert_eq!(
        (e[1], on_6[1], torque[0], torque[2]),
        (Expr::ZERO, Expr::ZERO, Expr::ZERO, Expr::ZERO)
    );
    // Zd = -qd7*(RL1*e3 - RL3*e1)
    let expect = graph.parse("-qd7*(RL.x*e.z - RL.z*e.x)").unwrap();
    assert_eq!(rate, expect, "{}", graph.text(rate));
    // trq2 = F*e1*dbp3 - F*e3*dbp1, factored.
    let f_text = graph.text(force);
    let expect = graph.parse(&format!("{f_text}*(e.x*dbp3 - e.z*dbp1)")).unwrap();
    assert_eq!(torque[1], expect, "{}", graph.text(torque[1]));
}

#[test]
fn the_rear_wheel_without_its_wasted_operations() {
    // Appendix A.6: ca*fw1 - sa*fw3 is just fl1.
    let mut graph = Graph::new();
    for (name, text) in [("fw1", "cos(th)*fl1 + sin(th)*fl3"), ("fw3", "cos(th)*fl3 - sin(th)*fl1")]
    {
        let definition = graph.parse(text).unwrap();
        graph.name(name, definition);
    }
    let wasted = graph.parse("cos(th)*fw1 - sin(th)*fw3").unwrap();
    assert_eq!(graph.text(wasted), "fl1");
    // The wind-up angle is recognised: tg = R3/R9 = -tan(q6 + q7).
    let wheel = graph.parse("cos(q6 + q7)").unwrap();
    graph.assume_positive(wheel);
    let tg = "(-cos(q5)*sin(q6 + q7))/(cos(q5)*cos(q6 + q7))";
    let cosine = graph.parse(&format!("1/sqrt(1 + ({tg})*({tg}))")).unwrap();
    assert_eq!(cosine, wheel, "{}", graph.text(cosine));
    let sine = graph.parse(&format!("({tg})/sqrt(1 + ({tg})*({tg}))")).unwrap();
    assert_eq!(graph.text(sine), "-sin(q6 + q7)");
}

#[test]
fn names_functions_and_powers_at_their_limits() {
    let mut graph = Graph::new();
    let x = graph.symbol("x", Kind::Coordinate);
    // A name that is taken a hundred thousand times gets numbers without searching them anew.
    for i in 0..100_000 {
        let number = graph.number(i64::from(i) + 2);
        let sum = graph.add(x, number);
        graph.name("z", sum);
    }
    assert!(graph.lookup("z_100000").is_some());
    // Powers at the end of their range keep their value: (x^n)*(x^-n) is one for each of them.
    for n in [i32::MIN, i32::MIN + 1, -1, 1, i32::MAX] {
        let power = graph.powi(x, n);
        let inverse = graph.powi(power, -1);
        assert_eq!(graph.mul(power, inverse), Expr::ONE, "{n}");
    }
    // A deep tower of squares and sums is no danger to the stack.
    let mut deep = x;
    for i in 0..100_000 {
        let square = graph.square(deep);
        let number = graph.number(i64::from(i) + 1);
        deep = graph.add(square, number);
        deep = graph.unary(rotule_symbolic::Unary::Sin, deep);
    }
    assert!(!graph.is_nonnegative(deep));
}
