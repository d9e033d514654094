//! Diagnostics about model files: one row per text, with all messages about it.

use crate::{findings, read};

/// Compares all findings about a text. The expected lines begin with line and column.
fn check(text: &str, expected: &str) {
    assert_eq!(findings(text), expected, "\n{text}");
}

#[test]
fn whole_models_have_no_findings() {
    check("", "");
    check(
        r#"# nothing
"#,
        "",
    );
    check(
        r#"[model]
name = "m"
"#,
        "",
    );
    check(
        r#"[[cut]]
name = "closure"
type = "ball"
between = ["rod.end", "piston"]
"#,
        "",
    );
}

#[test]
fn unknown_codes_suggest_the_nearest() {
    let found = findings("[model]\nname = \"m\"\naccept = [\"inertiae\"]\n");
    let message = "unknown-name: `accept` of the model: `inertiae` is not known";
    assert!(found.contains(message), "{found}");
    assert!(found.contains("did you mean `inertia`?"), "{found}");
}

#[test]
fn unknown_keys_suggest_the_nearest() {
    check(
        r#"[model]
nam = "x"
colour = "red"
"#,
        r#"2:1 unknown-key: unknown key `nam` in the model (did you mean `name`?)
3:1 unknown-key: unknown key `colour` in the model (expected one of `name`, `about`, `gravity`, `baumgarte`, `accept`, `redundant`)
"#,
    );
    check(
        r#"[[body]]
name = "a"
center_of_mass = [0, 0, 0]
xyz = [0, 0, 0]
inertia = { ixx = 1, foo = 2 }
"#,
        r#"3:1 unknown-key: unknown key `center_of_mass` in body `a` (did you mean `com`?)
4:1 unknown-key: unknown key `xyz` in body `a` (did you mean `position`?)
5:13 unknown-key: unknown key `ixx` in `inertia` of body `a` (did you mean `xx`?)
5:22 unknown-key: unknown key `foo` in `inertia` of body `a` (expected one of `xx`, `yy`, `zz`, `xy`, `xz`, `yz`, `rotation`)
"#,
    );
    check(
        r#"[[bodies]]
name = "x"
"#,
        r#"1:3 unknown-key: unknown section `bodies` (did you mean `[[body]]`?)
"#,
    );
    check(
        r#"[[bdoy]]
[[sensors]]
[simulation]
"#,
        r#"1:3 unknown-key: unknown section `bdoy` (did you mean `[[body]]`?)
2:3 unknown-key: unknown section `sensors` (did you mean `[[sensor]]`?)
3:2 unknown-key: unknown section `simulation` (expected one of `[model]`, `[parameters]`, `[ground]`, `[[body]]`, `[[joint]]`, `[[cut]]`, `[[coupling]]`, `[[motion]]`, `[[constraint]]`, `[[line_force]]`, `[[force]]`, `[[wheel]]`, `[[sensor]]`, `[[input]]`, `[[output]]`, `[[controller]]`, `[[state]]`, `[[event]]`, `[[external]]`, `[initial]`)
"#,
    );
    check(
        r#"name = "x"
foo = 3
body = 3
"#,
        r#"1:1 unknown-key: unknown key outside of all sections: `name` (`name` stands below `[model]`)
2:1 unknown-key: unknown key outside of all sections: `foo` (expected one of `[model]`, `[parameters]`, `[ground]`, `[[body]]`, `[[joint]]`, `[[cut]]`, `[[coupling]]`, `[[motion]]`, `[[constraint]]`, `[[line_force]]`, `[[force]]`, `[[wheel]]`, `[[sensor]]`, `[[input]]`, `[[output]]`, `[[controller]]`, `[[state]]`, `[[event]]`, `[[external]]`, `[initial]`)
3:8 type: `body` is not a table (write `[[body]]` and its keys below)
"#,
    );
}

#[test]
fn wrong_types_say_what_was_expected_and_found() {
    check(
        r#"[[body]]
name = "crank"
mass = true
com = [1, "a", false]
inertia = [1, 2, 3]
points.p = 3
rotation = "x"
position = 1
parent = ["a"]
joint = 3
"#,
        r#"3:8 type: `mass` of body `crank`: expected a number or an expression in quotes, found a boolean
4:16 type: `com` of body `crank`: expected a number or an expression in quotes, found a boolean
5:11 type: `inertia` of body `crank`: expected entries such as `{ xx = 0.1, yy = 0.1, zz = 0.2 }`, found a list
6:12 type: `points.p` of body `crank`: expected a point such as `[0, 0, 1]`, found a number
7:12 type: `rotation` of body `crank`: expected a rotation such as ["pi/2", 0, 0], found a text
8:12 type: `position` of body `crank`: expected a list of 3 numbers, found a number
9:10 type: `parent` of body `crank`: expected a place in quotes such as "rod.end", found a list
10:9 type: the joint of body `crank`: expected a table, found a number
"#,
    );
    check(
        r#"[parameters]
a = 1979-05-27
b = [1]
c = { value = {}, unit = 3 }
"#,
        r#"2:5 type: parameter `a`: expected a number or an expression in quotes, found a date
3:5 type: parameter `b`: expected a number or an expression in quotes, found a list
4:15 type: `value` of parameter `c`: expected a number or an expression in quotes, found a table
4:26 type: `unit` of parameter `c`: expected a text in quotes, found a number
"#,
    );
    check(
        r#"[parameters]
a = true
[[coupling]]
name = "g"
equation = 3
[[wheel]]
name = "w"
body = "b"
radius = 1
rolling = 1
[[external]]
name = "e"
arguments = ["a", 3]
results = true
[[cut]]
name = "c"
type = 1
between = ["a", 3]
"#,
        r#"2:5 type: parameter `a`: expected a number or an expression in quotes, found a boolean
5:12 type: `equation` of coupling `g`: expected an equation in quotes, found a number
10:11 type: `rolling` of wheel `w`: expected `true` or `false`, found a number
13:19 type: `arguments` of external `e`: expected a name in quotes, found a number
14:11 type: `results` of external `e`: expected a whole number, found a boolean
17:8 type: `type` of loop closure `c`: expected a word in quotes, found a number
18:17 type: `between` of loop closure `c`: expected a place in quotes such as "rod.end", found a number
"#,
    );
    check(
        r#"parameters = 3
model = 3
ground = 3
initial = 3
"#,
        r#"1:14 type: the parameters: expected a table, found a number
2:9 type: the model: expected a table, found a number
3:10 type: the ground: expected a table, found a number
4:11 type: the initial state: expected a table, found a number
"#,
    );
}

#[test]
fn lists_have_their_length() {
    check(
        r#"[model]
gravity = [0, 0]
[[body]]
name = "a"
points.pin = [1, 2, 3, 4]
points.p = { position = [] }
rotation = { quaternion = [1, 0, 0] }
joint = { name = "q", type = "universal", axes = ["x"], range = [1] }
[[body]]
name = "b"
rotation = { matrix = [[1, 0, 0], [0, 1], [0, 0, true]] }
[[cut]]
name = "c"
type = "body"
between = ["a"]
"#,
        r#"2:11 dimension: `gravity` of the model: expected 3 numbers, found 2
5:14 dimension: `points.pin` of body `a`: expected 3 numbers, found 4
6:25 dimension: `points.p.position` of body `a`: expected 3 numbers, found 0
7:27 dimension: `rotation.quaternion` of body `a`: expected 4 numbers, found 3
8:50 dimension: `axes` of joint `q`: expected 2 axes, found 1
8:65 dimension: `range` of joint `q`: expected 2 numbers, found 1
11:35 dimension: `rotation.matrix` of body `b`: expected 3 numbers, found 2
11:50 type: `rotation.matrix` of body `b`: expected a number or an expression in quotes, found a boolean
15:11 dimension: `between` of loop closure `c`: expected 2 places, found 1
"#,
    );
}

#[test]
fn missing_keys_have_an_example() {
    check(
        r#"[[body]]
parent = "ground"
joint = { axis = "y" }
"#,
        r#"1:1 missing: a body has no `name` (add it: for example `name = "some_name"`)
3:9 missing: the joint of a body has no `type` (add it: for example `type = "revolute"`)
"#,
    );
    check(
        r#"[[motion]]
qd = 1
[[line_force]]
[[force]]
[[wheel]]
[[sensor]]
[[external]]
[[coupling]]
[[joint]]
[[cut]]
type = "rod"
"#,
        r#"1:1 missing: a motion has no `joint` (add it: for example `joint = "q1"`)
1:1 missing: a motion has no `q` (add it: for example `q = "2*pi*t"`)
3:1 missing: a line force has no `name` (add it: for example `name = "some_name"`)
3:1 missing: a line force has no `between` (add it: for example `between = ["rod.end", "piston"]`)
3:1 missing: a line force has no `force` (add it: for example `force = "100*(Z - 0.4)"`)
4:1 missing: a force has no `name` (add it: for example `name = "some_name"`)
4:1 missing: a force has no `at` (add it: for example `at = "hand.tip"`)
4:1 missing: a force has neither `force` nor `torque` (add one: for example `force = [0, 0, -10]`)
5:1 missing: a wheel has no `name` (add it: for example `name = "some_name"`)
5:1 missing: a wheel has no `body` (add it: for example `body = "front_wheel"`)
5:1 missing: a wheel has no `radius` (add it: for example `radius = 0.3`)
6:1 missing: a sensor has no `name` (add it: for example `name = "some_name"`)
6:1 missing: a sensor has no `at` (add it: for example `at = "hand.tip"`)
6:1 missing: a sensor has no `measures` (add it: for example `measures = ["position"]`)
7:1 missing: an external has no `name` (add it: for example `name = "some_name"`)
7:1 missing: an external has no `arguments` (add it: for example `arguments = ["Z", "Zd"]`)
8:1 missing: a coupling has no `name` (add it: for example `name = "some_name"`)
8:1 missing: a coupling has no `equation` (add it: for example `equation = "q2 = 2*q1"`)
9:1 missing: a joint has no `type` (add it: for example `type = "revolute"`)
9:1 missing: a joint has no `between` (add it: for example `between = ["rod.end", "piston"]`)
10:1 missing: a loop closure has no `name` (add it: for example `name = "some_name"`)
10:1 missing: a loop closure has no `between` (add it: for example `between = ["rod.end", "piston"]`)
10:1 missing: a loop closure has no `length` (add it: for example `length = 0.5`)
"#,
    );
    check(
        r#"[[constraint]]
name = "c"
[[constraint]]
name = "d"
position = "x"
velocity = "y"
"#,
        r#"1:1 missing: constraint `c` has neither `position` nor `velocity` (give one of them: an expression that is to be zero)
3:1 ambiguous: constraint `d` has both `position` and `velocity` (give one of them: an expression that is to be zero)
"#,
    );
    check(
        r#"[parameters]
a = {}
[ground]
points.p = {}
[[body]]
name = "b"
rotation = {}
points.p = { position = [0, 0, 0], rotation = { axis = "x" } }
"#,
        r#"4:12 missing: `points.p` of the ground has no `position` (add it: for example `position = [0, 0, 0]`)
7:12 missing: `rotation` of body `b` says nothing (give one of `rpy`, `quaternion`, `matrix`, or `axis` with `angle`)
8:47 missing: `points.p.rotation` of body `b` has no `angle` (add it: for example `angle = "pi/2"`)
"#,
    );
}

#[test]
fn words_are_checked() {
    check(
        r#"[[body]]
name = "a"
joint = { name = "q", type = "revolut", axis = "w", role = "lock", partition = "x", actuated = 1 }
"#,
        r#"3:31 unknown-name: `type` of joint `q`: `revolut` is not known (did you mean `revolute`? expected one of `fixed`, `revolute`, `prismatic`, `helical`, `cylindrical`, `universal`, `spherical`, `planar`, `free`)
3:49 unknown-name: `axis` of joint `q`: `w` is not known (expected one of `x`, `y`, `z`, `-x`, `-y`, `-z`)
3:61 unknown-name: `role` of joint `q`: `lock` is not known (did you mean `locked`? expected one of `free`, `locked`)
3:81 unknown-name: `partition` of joint `q`: `x` is not known (expected one of `independent`, `dependent`)
3:96 type: `actuated` of joint `q`: expected `true` or `false`, found a number
"#,
    );
    check(
        r#"[[body]]
name = "a"
joint = [{ name = "q", type = "hinge" }, { name = "r", type = "Revolute" }]
"#,
        r#"3:32 unknown-name: `type` of joint `q`: `hinge` is not known (did you mean `revolute`? expected one of `fixed`, `revolute`, `prismatic`, `helical`, `cylindrical`, `universal`, `spherical`, `planar`, `free`)
3:64 unknown-name: `type` of joint `r`: `Revolute` is not known (did you mean `revolute`? expected one of `fixed`, `revolute`, `prismatic`, `helical`, `cylindrical`, `universal`, `spherical`, `planar`, `free`)
"#,
    );
    check(
        r#"[[body]]
name = "a"
joint = { name = "q", type = "revolute", axis = "z", role = "driven" }
"#,
        r#"3:61 unknown-name: `role` of joint `q` cannot be `driven` (a joint is driven by a `[[motion]]` table with its name as `joint` and its law as `q`)
"#,
    );
    check(
        r#"[[cut]]
name = "c"
type = "bal"
between = ["a", "b"]
ignore = ["x", "x", "q"]
[[force]]
name = "f"
at = "a"
force = [0, 0, 0]
axes = "bdy"
[[sensor]]
name = "s"
at = "a"
measures = ["position", "position", "speed"]
"#,
        r#"3:9 unknown-name: `type` of loop closure `c`: `bal` is not known (did you mean `ball`? expected one of `body`, `ball`, `rod`, `fixed`, `revolute`, `prismatic`, `helical`, `cylindrical`, `universal`, `spherical`, `planar`, `free`)
5:17 warning ambiguous: `ignore` of loop closure `c` names `x` twice
5:22 unknown-name: `ignore` of loop closure `c`: `q` is not known (expected one of `x`, `y`, `z`, `rx`, `ry`, `rz`)
10:9 unknown-name: `axes` of force `f`: `bdy` is not known (did you mean `body`? expected one of `ground`, `body`)
14:26 warning ambiguous: `measures` of sensor `s` names `position` twice
14:38 unknown-name: `measures` of sensor `s`: `speed` is not known (expected one of `position`, `rotation`, `velocity`, `angular_velocity`, `acceleration`, `angular_acceleration`, `jacobian`)
"#,
    );
}

#[test]
fn keys_fit_the_type_of_the_joint() {
    check(
        r#"[[body]]
name = "a"
joint = { name = "q", type = "revolute", axes = ["x", "y"], pitch = 3 }
"#,
        r#"3:42 unknown-key: `axes` of joint `q` does not fit its type, `revolute` (did you mean `axis`?)
3:61 unknown-key: `pitch` of joint `q` does not fit its type, `revolute` (`pitch` is for helical joints)
"#,
    );
    check(
        r#"[[body]]
name = "a"
joint = [{ name = "u", type = "universal", axis = "x" }, { type = "fixed", axis = "x" }]
"#,
        r#"3:44 unknown-key: `axis` of joint `u` does not fit its type, `universal` (did you mean `axes`?)
3:76 unknown-key: `axis` of the joint of body `a` does not fit its type, `fixed` (`axis` is for joints with one axis)
"#,
    );
    check(
        r#"[[body]]
name = "a"
joint = [{ name = "u", type = "helical" }, { name = "p", type = "prismatic" }, { name = "v", type = "universal" }]
"#,
        r#"3:10 missing: joint `u` has no `axis` (add it: for example `axis = "z"`)
3:10 missing: joint `u` has no `pitch` (add it: for example `pitch = 0.005`)
3:44 missing: joint `p` has no `axis` (add it: for example `axis = "z"`)
3:80 missing: joint `v` has no `axes` (add it: for example `axes = ["x", "y"]`)
"#,
    );
    check(
        r#"[[cut]]
name = "c"
type = "ball"
axis = "x"
length = 3
between = ["a", "b"]
[[cut]]
name = "d"
type = "rod"
axis = "x"
length = 2
between = ["a", "b"]
[[cut]]
name = "e"
type = "revolute"
between = ["a", "b"]
"#,
        r#"4:1 unknown-key: `axis` of loop closure `c` does not fit its type, `ball` (`axis` is for joints with one axis)
5:1 unknown-key: `length` of loop closure `c` does not fit its type, `ball` (`length` is for rods)
10:1 unknown-key: `axis` of loop closure `d` does not fit its type, `rod` (`axis` is for joints with one axis)
13:1 missing: loop closure `e` has no `axis` (add it: for example `axis = "z"`)
"#,
    );
}

#[test]
fn rotations_have_one_form() {
    check(
        r#"[[body]]
name = "a"
rotation = { rpy = [0, 0, 0], quaternion = [1, 0, 0, 0] }
[[body]]
name = "b"
rotation = { axis = "x", angle = 1, rpy = [0, 0, 0] }
[[body]]
name = "c"
rotation = { angel = 1, axis = "x" }
"#,
        r#"3:12 ambiguous: `rotation` of body `a` is given in several forms (give one of `rpy`, `quaternion`, `matrix`, or `axis` with `angle`)
6:12 ambiguous: `rotation` of body `b` is given in several forms (give one of `rpy`, `quaternion`, `matrix`, or `axis` with `angle`)
9:14 unknown-key: unknown key `angel` in `rotation` of body `c` (did you mean `angle`?)
"#,
    );
}

#[test]
fn numbers_are_finite() {
    check(
        r#"[parameters]
a = 1e999
b = inf
c = -nan
d = 0x
e = 1e-999
f = 100000000000000000000000000
g = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
h = 0e-999
[[external]]
name = "e"
arguments = []
results = 0
[[external]]
name = "f"
arguments = []
results = 1.5
[[external]]
name = "g"
arguments = []
results = 99999999999
"#,
        r#"2:5 number: parameter `a` is too large for a number of double precision
3:5 number: parameter `b` is not a finite number
4:5 number: parameter `c` is not a finite number
5:5 number: parameter `d` has no digits
6:5 number: parameter `e` is too small for a number of double precision
13:11 number: `results` of external `e` must be a whole number from 1 on
17:11 number: `results` of external `f` must be a whole number from 1 on
21:11 number: `results` of external `g` must be a whole number from 1 on
"#,
    );
}

#[test]
fn empty_texts_are_found() {
    check(
        r#"[parameters]
a = ""
b = "  "
[[body]]
name = ""
[[cut]]
name = "c"
type = ""
between = ["", "b"]
[[coupling]]
name = "g"
equation = ""
"#,
        r#"2:5 expression: parameter `a` is empty
3:6 expression: parameter `b` is empty
5:8 name: `name` of a body is empty
8:8 unknown-name: `type` of loop closure `c` is empty (expected one of `body`, `ball`, `rod`, `fixed`, `revolute`, `prismatic`, `helical`, `cylindrical`, `universal`, `spherical`, `planar`, `free`)
9:12 name: `between` of loop closure `c` is empty
12:12 expression: `equation` of coupling `g` is empty
"#,
    );
}

#[test]
fn headers_have_their_brackets() {
    check(
        r#"[body]
name = "a"
[body]
name = "b"
mas = 3
"#,
        r#"1:1 type: `body` is one table, but there may be several (write `[[body]]` as the header of each body)
3:1 type: `body` is one table, but there may be several (write `[[body]]` as the header of each body)
5:1 unknown-key: unknown key `mas` in body `b` (did you mean `mass`?)
"#,
    );
    check(
        r#"[[model]]
name = "x"
[[initial]]
q = { a = 1 }
"#,
        r#"1:1 type: there is only one `model` (write `[model]` as its header)
3:1 type: there is only one `initial` (write `[initial]` as its header)
"#,
    );
    check(
        r#"[model]
name = "x"
[parameters]
a = 1
[model]
about = "y"
[parameters]
b = 1
"#,
        r#"5:1 ambiguous: `[model]` stands twice in the file (put everything below the first)
7:1 ambiguous: `[parameters]` stands twice in the file (put everything below the first)
"#,
    );
    check(
        r#"[[body]]
name = "a"
[[cut]]
name = "c"
type = "body"
between = ["a", "b"]
[body.points]
pin = [1, 2, 3]
"#,
        r#"7:2 type: this table is apart from the `[[body]]` it belongs to (move it right below the keys of that body)
"#,
    );
}

/// Help can be followed as it is written: keys that stand at a joint and not at its body, the
/// header of an element, keys above all sections.
#[test]
fn help_tells_where_a_key_belongs() {
    check(
        r#"gravity = [0, -9.81, 0]
about = "x"
"#,
        r#"1:1 unknown-key: unknown key outside of all sections: `gravity` (`gravity` stands below `[model]`)
2:1 unknown-key: unknown key outside of all sections: `about` (`about` stands below `[model]`)
"#,
    );
    check(
        r#"[joint.q1]
effort = "-3*q"
"#,
        r#"1:2 type: a joint has no section of its own name (write `[[joint]]` instead, with its name as a key: `name = "..."`)
"#,
    );
    check(
        r#"[[body]]
name = "a"
parent = "ground"
effort = "-3*q"
joint = { type = "revolute", axis = "z", name = "q1", at = [0, 1, 0], position = [0, 1, 0] }
"#,
        r#"4:1 unknown-key: unknown key `effort` in body `a` (`effort` belongs to a joint: move it to `joint = { ... }` of the body or to the `[[joint]]` of that name)
5:55 unknown-key: unknown key `at` in joint `q1` (a joint sits at the `parent` of its body, moved by the body's `position`)
5:71 unknown-key: unknown key `position` in joint `q1` (`position` belongs to the body that the joint moves)
"#,
    );
}

#[test]
fn initial_values_stand_below_their_headers() {
    check(
        r#"[initial]
q1 = 3
[initial.qdd]
x = 1
[initial.q]
a = [1, true]
b = true
c = [1, 2]
"#,
        r#"2:1 unknown-key: unknown key `q1` in the initial state (coordinates stand below `[initial.q]`, speeds below `[initial.qd]`)
3:10 unknown-key: unknown key `qdd` in the initial state (expected `[initial.q]` or `[initial.qd]`)
6:9 type: `q.a` of the initial state: expected a number or an expression in quotes, found a boolean
7:5 type: `q.b` of the initial state: expected a number or an expression in quotes, found a boolean
"#,
    );
}

#[test]
fn repetitions_are_found() {
    check(
        r#"[[body]]
name = "a"
mass = 1
mass = 2
[parameters]
a = 1
"a" = 2
[[body]]
name = "b"
points.p = [0, 0, 0]
points.p = [0, 0, 1]
foo = 3
"#,
        r#"4:1 ambiguous: `mass` is given twice (keep one of the two)
7:1 ambiguous: `a` is given twice (keep one of the two)
11:8 ambiguous: `p` is given twice (keep one of the two)
12:1 unknown-key: unknown key `foo` in body `b` (expected one of `name`, `parent`, `position`, `rotation`, `dh`, `khalil`, `joint`, `mass`, `com`, `inertia`, `shape`, `points`)
"#,
    );
}

#[test]
fn slips_of_syntax_read_well() {
    check(
        r#"[model]
name "x"
"#,
        r#"2:6 syntax: expected `=` and a value (a line is `key = value` or a header)
"#,
    );
    check(
        "[parameters]\na =\nb = abc\nc = \"abc\nd = [1 2 3]\ne = “a”\nf = True\ng = .5\nh = 1.\ni = 01\nj = 1__0\nk = \"\\q\"\nl = 1 2\nn = { a = 1 b = 2 }\no = { a = 1,, b = 2 }\np = [1,,2]\nq = q1 + 2*q2\nr = 1.2.3\ns = 1 # \u{1}\nt = 12:99:00\nu = \"a\" \"b\"\nv = \"a\u{1}\"\nx == 3\ny = 5mm\nz = 'a\n",
        r#"2:4 syntax: a value is missing here
3:5 syntax: `abc` is neither a number nor in quotes (write "abc")
4:9 syntax: a text is not closed (the closing quote is missing)
5:6 syntax: a comma is missing here
6:5 syntax: `“a”` is not in straight quotes (write "a")
7:5 syntax: not a value (`true` and `false` are written in small letters)
8:5 syntax: not a number (a digit stands before the point, as in `0.5`)
9:7 syntax: not a number (a digit stands behind the point, as in `1.0`)
10:5 syntax: not a number (numbers have no zeros in front)
11:6 syntax: not a number (`_` stands between digits only)
12:7 syntax: a backslash begins an escape that does not exist (write a backslash as `\\`, or the whole text in single quotes)
13:5 syntax: one number is expected here
14:11 syntax: a comma is missing here
15:13 syntax: one comma too many
16:8 syntax: one comma too many
17:5 syntax: `q1 + 2*q2` is neither a number nor in quotes (write "q1 + 2*q2")
18:8 syntax: not a number
19:9 syntax: a control character cannot stand in a comment
20:5 syntax: not a number
21:9 syntax: nothing more is expected on this line (a key has its own line)
22:7 syntax: a control character cannot stand in a text (write it as an escape, such as `\t`, in double quotes)
23:4 syntax: one `=` too many
24:5 syntax: `5mm` is not a number (a number with a unit stands in quotes: "5 mm")
25:7 syntax: a text is not closed (the closing quote is missing)
"#,
    );
    check(
        r#"[parameters]
m: 3
"#,
        r#"2:2 syntax: `:` cannot stand in a name (a key and its value are separated by `=`)
"#,
    );
    check(
        r#"[parameters]
ä = 1
"#,
        r#"2:1 syntax: `ä` cannot stand in a name (names have the letters a to z, digits and `_`)
"#,
    );
    check(
        r#"[parameters]
= 3
"#,
        r#"2:1 syntax: a name is missing here
"#,
    );
    check(
        r#"[parameters]
a = 1
a.b = 3
"#,
        r#"3:1 syntax: this key already has a value and cannot be a table as well
"#,
    );
    check(
        r#"[parameters]
a = "\u00"
b = "\uD800"
"#,
        r#"2:10 syntax: an escaped character has too few digits (write a backslash as `\\`, or the whole text in single quotes)
3:8 syntax: an escape does not stand for a character (write a backslash as `\\`, or the whole text in single quotes)
"#,
    );
    check(
        "[model]\nname = \"a\"\rabout = \"b\"\n",
        r#"2:12 syntax: a carriage return without a line feed (end lines with a line feed)
"#,
    );
}

#[test]
fn brackets_are_closed() {
    check(
        r#"[[body]]
name = "a"
com = [1, 2
mass = 3
[[body]]
name = "b"
joint = { name = "q", axis = [0, 1, 0 }
[[body]
name = "c"
[[body]]
name = "d"
mass = 3]
foo = 3
[[body]]
name = "e"
mas = 3
"#,
        r#"3:7 syntax: this `[` is not closed (write `]` where it ends)
7:30 syntax: this `[` is not closed
8:1 syntax: this section's header is not closed (a header is written `[[name]]`, on a line of its own)
12:9 syntax: this `]` closes nothing (remove it, or open the bracket with `[`)
16:1 unknown-key: unknown key `mas` in body `e` (did you mean `mass`?)
"#,
    );
    check(
        r#"[[body]]
mas = =
parent = {
"#,
        r#"2:7 syntax: one `=` too many
3:10 syntax: this `{` is not closed (write `}` where it ends)
"#,
    );
    check(
        r#"[model]
about = '''
[[body]]
"#,
        r#"2:9 syntax: the text that begins with `'''` is not closed (write `'''` behind its last line)
"#,
    );
}

#[test]
fn a_slip_in_one_body_leaves_the_others_readable() {
    check(
        r#"[[body]]
name = "a"
mass = [
[[body]]
name = "b"
mass 3
[[body]]
name = "c"
mas = 3
"#,
        r#"3:8 syntax: this `[` is not closed (write `]` where it ends)
6:6 syntax: expected `=` and a value (a line is `key = value` or a header)
9:1 unknown-key: unknown key `mas` in body `c` (did you mean `mass`?)
"#,
    );
}

#[test]
fn findings_point_at_their_places() {
    let (_, found, sources) = read("[[body]]\nname = 'a'\nmass = 1\nmass = [0]\n");
    let expected = "\
error[ambiguous]: `mass` is given twice
 --> model.toml:4:1
  |
4 | mass = [0]
  | ^^^^
  = note: it is first given here
 --> model.toml:3:1
  |
3 | mass = 1
  | ^^^^
  = help: keep one of the two
";
    assert_eq!(found.render(&sources), expected);
}

#[test]
fn no_message_repeats_a_long_text() {
    let long = "x".repeat(5000);
    for text in [
        format!("[[body]]\n{long} = 1\n"),
        format!("[{long}]\na = 1\n"),
        format!("[[body]]\nname = \"{long}\"\nmass = true\n"),
        format!("[[body]]\nname = \"a\"\njoint = {{ name = \"q\", type = \"{long}\" }}\n"),
        format!("[parameters]\na = {long}\n"),
        format!("[parameters]\n{long} = true\n"),
        format!("[parameters]\na = 1{long}\n"),
        format!("[parameters]\n{long} = 1\n{long} = 2\n"),
        format!("[ground]\npoints.{long} = 3\n"),
        format!("[initial.q]\n{long} = true\n"),
    ] {
        let (_, found, _) = read(&text);
        assert!(!found.is_empty());
        for finding in &found {
            let said = finding.message.len() + finding.help.as_ref().map_or(0, String::len);
            assert!(said < 400, "{}", finding.message);
        }
    }
}
