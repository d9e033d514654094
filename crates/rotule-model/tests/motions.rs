//! Given motions: what contradicts itself or jumps is reported with its amount and time, and
//! nothing else is.

use rotule_model::diagnostic::DiagnosticCode;
use rotule_model::{ReadOptions, Texts};

/// The warnings about the motion of a joint of a type.
fn warnings(joint: &str, motion: &str) -> String {
    let text = format!(
        "[model]\nname = \"m\"\n[parameters]\na = 2\nT = 3\n\
         [[external]]\nname = \"f\"\narguments = [\"t\"]\n\
         [[body]]\nname = \"cart\"\nparent = \"ground\"\njoint = {{ name = \"q\", {joint} }}\n\
         mass = \"a*T\"\ninertia = {{ xx = 1, yy = 1, zz = 1 }}\n[[motion]]\njoint = \"q\"\n{motion}\n"
    );
    let loaded = Texts::new("model.toml", text).load(&ReadOptions::default()).expect("no errors");
    let found = loaded.diagnostics.iter().filter(|finding| finding.code == DiagnosticCode::Motion);
    found.map(|finding| format!("{}\n", finding.message)).collect()
}

fn check(motion: &str, expected: &str) {
    let found = warnings("type = \"prismatic\", axis = \"x\"", motion);
    assert_eq!(found.trim_end(), expected, "{motion}");
}

#[test]
fn smooth_motions_are_not_reported() {
    check("q = \"a*sin(T*t)\"", "");
    check("q = \"sin(2*t)\"\nqd = \"2*cos(2*t)\"\nqdd = \"-4*sin(2*t)\"", "");
    check("q = \"sin(2*t)\"\nqd = \"2*cos(2*t)\"", "");
    // Digits that people write are enough.
    check("q = \"sin(6.2831853*t)\"\nqd = \"2*pi*cos(2*pi*t)\"", "");
    // Segments that meet in value and slope; accelerations may jump.
    check("q = \"if(t < 1, t^2, 2*t - 1)\"", "");
    check("q = \"a*(3*min(1, t/T)^2 - 2*min(1, t/T)^3)\"", "");
    check("q = \"if(t < 2*pi, 1 - cos(t), 0)\"", "");
    check("q = \"abs(t - 1)^3\"", "");
    check("q = \"if(sin(t) > 0, sin(t)^2, -sin(t)^2)\"", "");
    // A condition that changes nothing, or before the start.
    check("q = \"if(t > 1 and a > 5, 1, t)\"", "");
    check("q = \"if(t > -1, t, 0)\"", "");
    check("q = \"if(t >= 0, t, 0)\"", "");
    // What foreign code gives is not looked at.
    check("q = \"f(t)\"\nqd = 0\nqdd = 0", "");
    check("q = \"1/t\"", "");
}

#[test]
fn derivatives_that_are_none_are_reported() {
    check(
        "q = \"a*t\"\nqd = 3",
        "the speed of the motion of joint `q` is not the derivative of its `q`: they differ by 1 at t = 6.18 s",
    );
    check(
        "q = \"a*t^2\"\nqd = \"2*a*t\"\nqdd = \"3*a\"",
        "the acceleration of the motion of joint `q` is not the derivative of its `qd`: they differ by 2 at t = 6.18 s",
    );
    // Wrong in one segment only, which lies beyond the span.
    check(
        "q = \"if(t < 50, t, 50 + 2*(t - 50) + (t - 50)^2)\"\nqd = \"if(t < 50, 1, 2)\"\nqdd = 0",
        "the speed of the motion of joint `q` is not the derivative of its `q`: they differ by 1.02 at t = 50.51 s\n\
         the speed of the motion of joint `q` jumps by 1 at t = 50 s",
    );
}

#[test]
fn jumps_are_reported() {
    check("q = \"if(t > 1, 0.2, 0)\"", "the motion of joint `q` jumps by 0.2 at t = 1 s");
    check("q = \"if(t >= 1, 0.2, 0)\"", "the motion of joint `q` jumps by 0.2 at t = 1 s");
    check("q = \"if(t <= 1000, 0, 0.2)\"", "the motion of joint `q` jumps by 0.2 at t = 1000 s");
    check("q = \"if(a*t > T, -T, a)\"", "the motion of joint `q` jumps by -5 at t = 1.5 s");
    check("q = \"a*sign(t - T)\"", "the motion of joint `q` jumps by 4 at t = 3 s");
    check(
        "q = \"atan2(sin(t), cos(t))\"",
        "the motion of joint `q` jumps by -6.283 at t = 3.142 s",
    );
    check("q = \"if(sin(t) > 0.5, 1, 0)\"", "the motion of joint `q` jumps by 1 at t = 0.5236 s");
    check("q = \"a*floor(t/4)\"", "the motion of joint `q` jumps by 2 at t = 4 s");
    check("q = \"floor(-t^2)\"", "the motion of joint `q` jumps by -1 at t = 1 s");
    check(
        "q = \"table(t, 1, 0, 2, 3)\"",
        "the speed of the motion of joint `q` jumps by 3 at t = 1 s",
    );
    check("q = \"min(t, 2)\"", "the speed of the motion of joint `q` jumps by -1 at t = 2 s");
    check("q = \"abs(sin(t))\"", "the speed of the motion of joint `q` jumps by 2 at t = 3.142 s");
    check(
        "q = \"t\"\nqd = \"if(t < 1, 1, 1.5)\"\nqdd = 0",
        "the speed of the motion of joint `q` is not the derivative of its `q`: they differ by 0.5 at t = 6.18 s\n\
         the speed of the motion of joint `q` jumps by 0.5 at t = 1 s",
    );
}

/// Speeds of joints with quaternions are along the axes of the moving body.
#[test]
fn quaternions_are_compared_by_their_own_rule() {
    let ball = |turn: &str| {
        let motion =
            format!("q = [\"cos(t)\", 0, 0, \"sin(t)\"]\nqd = [0, 0, {turn}]\nqdd = [0, 0, 0]");
        warnings("type = \"spherical\"", &motion)
    };
    assert_eq!(ball("2"), "");
    assert!(ball("1").contains("differ by 0.5"), "{}", ball("1"));
    // A body that turns about z while it moves along the ground's x.
    let free = |velocity: &str| {
        let motion = format!(
            "q = [\"3*t\", 0, 0, \"cos(t)\", 0, 0, \"sin(t)\"]\n\
             qd = [{velocity}, 0, 0, 0, 2]\n\
             qdd = [\"-6*sin(2*t)\", \"-6*cos(2*t)\", 0, 0, 0, 0]"
        );
        warnings("type = \"free\"", &motion)
    };
    assert_eq!(free("\"3*cos(2*t)\", \"-3*sin(2*t)\""), "");
    assert!(free("3, 0").contains("is not the derivative of its `q`"));
}
