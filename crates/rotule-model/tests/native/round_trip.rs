//! Round trips: a written draft reads back as the same draft.

use crate::places::manual_example;
use crate::{read, read_well};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use rotule_model::draft::*;
use rotule_model::solid::SolidType;
use rotule_model::{Span, Spanned, write};

fn here<T>(value: T) -> Spanned<T> {
    Spanned::new(value, Span::default())
}

/// Names, most of them good, some that need quotes as keys.
fn name() -> impl Strategy<Value = Text> {
    prop_oneof![4 => "[a-z_][a-z0-9_]{0,8}", 1 => "[^\\p{C}\\p{Z}]{1,5}"].prop_map(here)
}

fn place() -> impl Strategy<Value = Text> {
    "[a-z_][a-z0-9_]{0,4}(\\.[a-z_][a-z0-9_]{0,4})?".prop_map(here)
}

fn prose() -> impl Strategy<Value = Text> {
    ".{0,30}(\n|\t|\"|\\\\|')?.{0,10}".prop_map(here)
}

fn number() -> impl Strategy<Value = f64> {
    let finite = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
    let decimal = (-100_000i32..100_000, 0..8i32).prop_map(|(n, e)| f64::from(n) / 10f64.powi(e));
    prop_oneof![finite, decimal, (-20i32..20).prop_map(f64::from)]
}

fn scalar() -> BoxedStrategy<DraftValue> {
    let expression = "[a-z]{1,3}(\\*|\\+|\"|\\\\|\n| )[a-z0-9]{1,3}".prop_map(Value::Expression);
    prop_oneof![number().prop_map(Value::Number), expression].prop_map(here).boxed()
}

fn triple() -> impl Strategy<Value = Triple> {
    [scalar(), scalar(), scalar()]
}

fn several() -> impl Strategy<Value = Spanned<Vec<DraftValue>>> {
    vec(scalar(), 0..4).prop_map(here)
}

fn axis() -> BoxedStrategy<Axis> {
    let word = (0..AXES.len()).prop_map(|index| AXES[index].0.map(|n| here(Value::Number(n))));
    prop_oneof![word, triple()]
        .prop_map(|components| Axis { span: Span::default(), components })
        .boxed()
}

fn rotation() -> BoxedStrategy<Rotation> {
    prop_oneof![
        triple().prop_map(Rotation::Rpy),
        [scalar(), scalar(), scalar(), scalar()].prop_map(Rotation::Quaternion),
        [triple(), triple(), triple()].prop_map(Rotation::Matrix),
        (axis(), scalar()).prop_map(|(axis, angle)| Rotation::Turn { axis, angle }),
    ]
    .boxed()
}

/// Link parameters.
fn link() -> BoxedStrategy<Rotation> {
    (0..LinkConvention::ALL.len(), vec(of(scalar()), 6))
        .prop_map(|(index, mut values)| {
            let convention = LinkConvention::ALL[index].0;
            values.truncate(convention.parameters().len());
            Rotation::Link { convention, values }
        })
        .boxed()
}

fn point() -> impl Strategy<Value = Point> {
    let placed = prop_oneof![
        3 => (triple(), of(rotation())).boxed(),
        1 => link().prop_map(|link| ([0.0; 3].map(|zero| here(Value::Number(zero))), Some(link))).boxed(),
    ];
    (name(), placed).prop_map(|(name, (position, rotation))| Point { name, position, rotation })
}

/// Things that are keys in one table must have different names.
fn unlike<T>(mut items: Vec<T>, name: impl Fn(&T) -> String) -> Vec<T> {
    let mut seen = std::collections::BTreeSet::new();
    items.retain(|item| seen.insert(name(item)));
    items
}

fn points() -> impl Strategy<Value = Vec<Point>> {
    vec(point(), 0..3).prop_map(|points| unlike(points, |point| point.name.value.clone()))
}

/// A type with as many axes as it needs.
fn kind() -> impl Strategy<Value = (Spanned<JointType>, Vec<Axis>, Option<DraftValue>)> {
    (0..JointType::ALL.len(), [axis(), axis()], scalar()).prop_map(|(index, axes, pitch)| {
        let kind = JointType::ALL[index].0;
        let axes = axes.into_iter().take(kind.axes()).collect();
        (here(kind), axes, (kind == JointType::Helical).then_some(pitch))
    })
}

fn joint() -> impl Strategy<Value = Joint> {
    let partition = prop_oneof![Just(PartitionRole::Independent), Just(PartitionRole::Dependent)];
    let limits = (of([scalar(), scalar()]), of(scalar()), of(scalar()), of(scalar()), of(scalar()));
    let friction = (scalar(), of(scalar())).prop_map(|(slide, stick)| Friction { slide, stick });
    let drive = (of(of(scalar())), of(scalar()), of(friction));
    (name(), kind(), of(several()), any::<bool>(), of(partition.prop_map(here)), limits, drive)
        .prop_map(|(name, (kind, axes, pitch), effort, locked, partition, limits, drive)| {
            let (drive, damping, friction) = drive;
            let (range, max_speed, max_effort, armature, stop) = limits;
            let name = (kind.value != JointType::Fixed || locked).then_some(name);
            let new = Joint::new(Span::default(), name, kind);
            Joint {
                axes,
                pitch,
                effort,
                locked,
                partition,
                actuated: drive.is_some(),
                actuation_weight: drive.flatten(),
                armature,
                damping,
                friction,
                range,
                max_speed,
                max_effort,
                stop,
                ..new
            }
        })
}

fn solid() -> impl Strategy<Value = (Spanned<SolidType>, Vec<DraftValue>)> {
    let sizes = [scalar(), scalar(), scalar()];
    (0..SolidType::ALL.len(), sizes).prop_map(|(index, sizes)| {
        let kind = SolidType::ALL[index].0;
        (here(kind), sizes.into_iter().take(kind.sizes()).collect())
    })
}

fn shape() -> BoxedStrategy<BodyShape> {
    let form = prop_oneof![
        solid().prop_map(|(kind, sizes)| Form::Solid { kind, sizes }),
        vec(triple(), 0..4).prop_map(Form::Hull),
        (prose(), of(triple())).prop_map(|(file, scale)| Form::Mesh { file, scale }),
    ];
    let seat = (of(triple()), of(axis()), of(rotation()));
    (form, seat, of(prose()), of(scalar()))
        .prop_map(|(form, (at, axis, rotation), colour, density)| BodyShape {
            span: Span::default(),
            form,
            at,
            axis,
            rotation,
            colour,
            density,
        })
        .boxed()
}

fn inertia_of() -> BoxedStrategy<InertiaOf> {
    prop_oneof![
        Just(InertiaOf::Shapes(Span::default())),
        (solid(), scalar(), of(axis()), of(rotation())).prop_map(
            |((kind, sizes), mass, axis, rotation)| InertiaOf::Solid {
                kind,
                mass,
                sizes,
                axis,
                rotation,
            }
        ),
    ]
    .boxed()
}

fn body() -> BoxedStrategy<Body> {
    let entry = || of(scalar());
    let entries = [entry(), entry(), entry(), entry(), entry(), entry()];
    let inertia = (entries, of(rotation())).prop_map(|(entries, rotation)| Inertia {
        span: Span::default(),
        entries,
        rotation,
    });
    let placed = prop_oneof![
        3 => (of(triple()), of(rotation())).boxed(),
        1 => link().prop_map(|link| (None, Some(link))).boxed(),
    ];
    let frame = (of(place()), placed);
    let inertia = prop_oneof![
        of(inertia).prop_map(|entries| (entries, None)),
        inertia_of().prop_map(|of| (None, Some(of))),
    ];
    let mass = (of(scalar()), of(triple()), inertia, vec(shape(), 0..3));
    (name(), frame, vec(joint(), 0..3), mass, points())
        .prop_map(|(name, (parent, (position, rotation)), joints, mass, points)| {
            let (mass, com, (inertia, inertia_of), shapes) = mass;
            Body {
                name,
                parent,
                position,
                rotation,
                joints,
                mass,
                com,
                inertia,
                inertia_of,
                shapes,
                points,
            }
        })
        .boxed()
}

fn cut() -> impl Strategy<Value = Cut> {
    let rod = scalar().prop_map(|length| CutType::Rod { length });
    let joint = kind().prop_map(|(kind, axes, pitch)| CutType::Joint { kind, axes, pitch });
    let ignore = proptest::sample::subsequence(Component::ALL.to_vec(), 0..4)
        .prop_map(|all| all.into_iter().map(|(component, _)| here(component)).collect());
    let frame = (0..CutFrame::ALL.len()).prop_map(|index| here(CutFrame::ALL[index].0));
    (name(), prop_oneof![rod, joint], [place(), place()], ignore, of(frame), engagement()).prop_map(
        |(name, kind, between, ignore, frame, intermittent)| Cut {
            span: Span::default(),
            name,
            kind,
            between,
            ignore,
            frame,
            intermittent,
        },
    )
}

fn engagement() -> impl Strategy<Value = Option<Spanned<Engagement>>> {
    of((0..Engagement::ALL.len()).prop_map(|index| here(Engagement::ALL[index].0)))
}

fn parameter() -> impl Strategy<Value = Parameter> {
    (name(), of(scalar()), of(prose()), of(prose()))
        .prop_map(|(name, value, unit, about)| Parameter { name, value, unit, about })
}

fn initial() -> impl Strategy<Value = Vec<Initial>> {
    let one = (name(), several()).prop_map(|(joint, values)| Initial { joint, values });
    vec(one, 0..3).prop_map(|all| unlike(all, |initial| initial.joint.value.clone()))
}

fn force() -> impl Strategy<Value = Force> {
    // One of the two exists.
    (name(), place(), triple(), of(triple()), any::<(bool, bool)>()).prop_map(
        |(name, at, one, other, (swap, body_axes))| {
            let (force, torque) = if swap { (other, Some(one)) } else { (Some(one), other) };
            Force { name, at, force, torque, body_axes }
        },
    )
}

fn wheel() -> impl Strategy<Value = Wheel> {
    let law = || of(scalar());
    let laws = [law(), law(), law(), law(), law(), law()];
    (name(), name(), of(axis()), scalar(), of(scalar()), any::<bool>(), laws).prop_map(
        |(name, body, axle, radius, ground, rolling, laws)| Wheel {
            name,
            body,
            axle,
            radius,
            ground,
            rolling,
            laws,
        },
    )
}

fn sensor() -> impl Strategy<Value = Sensor> {
    let measures = proptest::sample::subsequence(Measure::ALL.to_vec(), 0..4)
        .prop_map(|all| all.into_iter().map(|(measure, _)| here(measure)).collect());
    (name(), place(), measures, of(name())).prop_map(|(name, at, measures, relative_to)| Sensor {
        name,
        at,
        measures,
        relative_to,
    })
}

fn state() -> impl Strategy<Value = UserState> {
    (name(), of(scalar()), scalar(), of(prose()), of(prose())).prop_map(
        |(name, initial, rate, unit, about)| UserState { name, initial, rate, unit, about },
    )
}

fn input() -> impl Strategy<Value = UserInput> {
    let limits = of([scalar(), scalar()]);
    let numbers = (of(scalar()), limits, of(scalar()), of((1_u32..3).prop_map(here)));
    (name(), numbers, of(prose()), of(prose())).prop_map(|(name, numbers, unit, about)| {
        let (value, limits, filter, derivatives) = numbers;
        UserInput { name, value, unit, limits, filter, derivatives, about }
    })
}

fn output() -> impl Strategy<Value = UserOutput> {
    (name(), scalar(), of(prose()), of(prose())).prop_map(|(name, value, unit, about)| UserOutput {
        name,
        value,
        unit,
        about,
    })
}

fn controller() -> impl Strategy<Value = Controller> {
    let settings = || {
        let setting = (name(), scalar()).prop_map(|(target, value)| Setting { target, value });
        vec(setting, 0..3).prop_map(|all| unlike(all, |one| one.target.value.clone()))
    };
    let kind = proptest::sample::select(ControllerType::ALL.to_vec()).prop_map(|kind| here(kind.0));
    let hold = proptest::sample::select(HoldType::ALL.to_vec()).prop_map(|hold| here(hold.0));
    let numbers = || of(vec(scalar(), 1..4).prop_map(here));
    let timing = (of(scalar()), of(scalar()), of(scalar()), of(hold), of(scalar()));
    let words = (name(), of(kind), of(prose()), of(prose()));
    let laws = (settings(), settings(), of(scalar()), of([scalar(), scalar()]));
    let gains = (of(scalar()), of(scalar()), of(scalar()), of(scalar()));
    let rates = (of(scalar()), of(scalar()), of(scalar()), numbers(), numbers());
    (timing, words, laws, gains, rates).prop_map(|(timing, words, laws, gains, rates)| {
        let (every, first, delay, hold, quantum) = timing;
        let (name, kind, unit, about) = words;
        let (initial, states, output, limits) = laws;
        let (input, kp, ki, kd) = gains;
        let (time, rise, fall, numerator, denominator) = rates;
        Controller {
            span: Span::default(),
            name,
            kind,
            every,
            first,
            delay,
            hold,
            quantum,
            limits,
            initial,
            unit,
            about,
            states,
            output,
            input,
            kp,
            ki,
            kd,
            time,
            rise,
            fall,
            numerator,
            denominator,
        }
    })
}

fn event() -> impl Strategy<Value = Event> {
    let setting = (name(), scalar()).prop_map(|(target, value)| Setting { target, value });
    let set = vec(setting, 0..3).prop_map(|all| unlike(all, |one| one.target.value.clone()));
    let impact = (name(), scalar()).prop_map(|(joint, restitution)| Impact { joint, restitution });
    let way = proptest::sample::select(Crossing::ALL.to_vec()).prop_map(|way| here(way.0));
    let joints = || vec(name(), 0..3);
    let lists = [joints(), joints(), joints(), joints()];
    let does = (set, of(impact), lists, any::<bool>(), of(prose()));
    (name(), scalar(), of(way), does).prop_map(|(name, when, direction, does)| {
        let (set, impact, lists, end, message) = does;
        let idle = set.is_empty() && impact.is_none() && lists.iter().all(Vec::is_empty);
        let [lock, unlock, engage, release] = lists;
        // One that does nothing is a mistake.
        let end = end || idle && message.is_none();
        Event { name, when, direction, set, impact, lock, unlock, engage, release, end, message }
    })
}

/// Drafts with every kind of element.
pub fn draft() -> impl Strategy<Value = Draft> {
    let parameters = vec(parameter(), 0..4)
        .prop_map(|all| unlike(all, |parameter| parameter.name.value.clone()));
    let loose =
        (joint(), [place(), place()]).prop_map(|(joint, between)| LooseJoint { joint, between });
    let coupling = (name(), "[a-z]{1,4} = [a-z0-9]{1,4}")
        .prop_map(|(name, equation)| Coupling { name, equation: here(equation) });
    let motion = (name(), several(), of(several()), of(several()))
        .prop_map(|(joint, q, qd, qdd)| Motion { joint, q, qd, qdd });
    let level = prop_oneof![Just(Level::Position), Just(Level::Velocity)];
    let constraint = (name(), level, scalar(), engagement()).prop_map(
        |(name, level, expression, intermittent)| Constraint {
            intermittent,
            name,
            level,
            expression,
        },
    );
    let line_force = (name(), [place(), place()], scalar())
        .prop_map(|(name, between, force)| LineForce { name, between, force });
    let external = (name(), vec(name(), 0..3), 1..9u32).prop_map(|(name, arguments, n)| External {
        name,
        arguments,
        results: here(n),
    });
    let gains = of([scalar(), scalar()]);
    let head =
        (of(name()), of(prose()), of(triple()), gains, parameters, (points(), vec(shape(), 0..2)));
    let tree = (vec(body(), 0..4), vec(loose, 0..2), vec(cut(), 0..3));
    let relations = (vec(coupling, 0..2), vec(motion, 0..2), vec(constraint, 0..2));
    let laws = (vec(line_force, 0..2), vec(force(), 0..2), vec(wheel(), 0..2));
    let rest = (
        vec(sensor(), 0..2),
        vec(external, 0..2),
        initial(),
        initial(),
        (vec(input(), 0..2), vec(output(), 0..2), vec(state(), 0..2)),
        (vec(event(), 0..2), vec(controller(), 0..2)),
    );
    (head, tree, relations, laws, rest).prop_map(|(head, tree, relations, laws, rest)| {
        let (name, about, gravity, baumgarte, parameters, (ground, ground_shapes)) = head;
        let (bodies, joints, cuts) = tree;
        let (couplings, motions, constraints) = relations;
        let (line_forces, forces, wheels) = laws;
        let (sensors, externals, initial_q, initial_qd, signals, (events, controllers)) = rest;
        let (inputs, outputs, states) = signals;
        Draft {
            span: Span::default(),
            name,
            about,
            gravity,
            baumgarte,
            accept: Vec::new(),
            redundant: None,
            parameters,
            externals,
            ground,
            ground_shapes,
            bodies,
            joints,
            completed: Vec::new(),
            cuts,
            couplings,
            motions,
            constraints,
            line_forces,
            forces,
            wheels,
            sensors,
            inputs,
            outputs,
            controllers,
            states,
            events,
            initial_q,
            initial_qd,
        }
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back(draft in draft()) {
        let written = write(&draft);
        let (again, found, sources) = read(&written);
        prop_assert!(found.is_empty(), "{}\n{}", written, found.render(&sources));
        prop_assert_eq!(write(&again), written.as_str());
        prop_assert_eq!(again.without_places(), draft, "{}", written);
    }

    #[test]
    fn numbers_read_back_bit_by_bit(number in number()) {
        let draft = read_well(&format!("[parameters]\na = {number:?}\n"));
        let again = read_well(&write(&draft));
        let Some(Spanned { value: Value::Number(read), .. }) = again.parameters[0].value else {
            panic!("a number")
        };
        prop_assert_eq!(read.to_bits(), number.to_bits());
    }
}

#[test]
fn numbers_are_short() {
    let check = |number: f64, expected: &str| {
        let mut draft = read_well("[parameters]\na = 1\n");
        draft.parameters[0].value = Some(here(Value::Number(number)));
        assert_eq!(write(&draft), format!("[parameters]\na = {expected}\n"));
    };
    check(0.0, "0");
    check(-0.0, "-0.0");
    check(3.0, "3");
    check(-250.0, "-250");
    check(0.1, "0.1");
    check(0.00012, "0.00012");
    check(1e-5, "1e-5");
    check(-1.25e-7, "-1.25e-7");
    check(123456789.0, "123456789");
    check(1e15, "1e15");
    check(6.02e23, "6.02e23");
    check(1.0 / 3.0, "0.3333333333333333");
    check(f64::MAX, "1.7976931348623157e308");
    check(5e-324, "5e-324");
}

#[test]
fn the_example_of_the_manual_is_written_as_it_stands() {
    // But for comments and the spaces that align them.
    let lines = manual_example().lines().filter(|line| !line.starts_with('#'));
    let plain = |line: &str| line.split('#').next().unwrap_or("").trim_end().to_owned();
    let expected: String = lines.map(|line| plain(line) + "\n").collect();
    let expected = expected.replace("l2 = 0.30\n", "l2 = 0.3\n");
    assert_eq!(write(&read_well(manual_example())), expected);
}

#[test]
fn every_kind_of_element_is_written_by_the_manual() {
    let text = r#"# A car with everything.
# And more.
[model]
name = "car"
about = "A car with everything.\nAnd more."
gravity = [0, 0, "-g"]

[parameters]
g            = { value = 9.81, unit = "m/s^2" }
track        = 1.5
half         = "track/2"
"odd name"   = { value = 1e-5, about = "a \"quoted\" word" }

[ground]
points.start = [0, 0, 0]
points.turned = { position = [1, 0, 0], rotation = { axis = "z", angle = "pi/2" } }

[[body]]
name = "chassis"
parent = "ground.start"
position = [0, 0, 0.5]
rotation = ["pi/2", 0, 0]
joint = { name = "base", type = "free" }
mass = 1000
inertia = { xx = 1, yy = 2, zz = "Iz", xy = -0.1, rotation = { quaternion = [1, 0, 0, 0] } }

[[body]]
name = "wheel"
parent = "chassis"
joint = [
  { name = "steer", type = "revolute", axis = "z", role = "locked", partition = "dependent", range = [-1, 1] },
  { name = "spin", type = "helical", axis = [0, 1, 1], pitch = 0.01, effort = "-c*qd", armature = 0.1, max_speed = 10, max_effort = 20 },
]

[[joint]]
name = "u"
type = "universal"
axes = ["x", "-y"]
effort = ["-q[1]", 0]
between = ["chassis", "wheel"]

[[cut]]
name = "closure"
type = "ball"
between = ["chassis", "wheel"]
ignore = ["z", "rx"]

[[cut]]
name = "bar"
type = "rod"
length = 0.5
between = ["chassis", "wheel"]

[[coupling]]
name = "gear"
equation = "steer = 2*spin"

[[motion]]
joint = "steer"
q = "sin(t)"
qd = "cos(t)"

[[constraint]]
name = "knife"
velocity = "steer.d"

[[line_force]]
name = "spring"
between = ["ground", "chassis"]
force = "k*(Z - 1)"

[[force]]
name = "drag"
at = "chassis"
force = ["-c*vx", 0, 0]
torque = [0, 0, 0]
axes = "body"

[[wheel]]
name = "tyre"
body = "wheel"
axle = "y"
radius = 0.3
ground = 0
vertical = "k*depth"
yaw = 0

[[wheel]]
name = "disc"
body = "wheel"
radius = 0.3
rolling = true

[[sensor]]
name = "tip"
at = "chassis"
measures = ["position", "angular_velocity"]
relative_to = "wheel"

[[state]]
name = "i"
initial = 0.5
rate = "(u - R*i)/L"
unit = "A"
about = "current"

[[state]]
name = "sum"
rate = "i - steer"

[[event]]
name = "hit"
when = "steer - 1"
direction = "rising"
set = { "steer.d" = "-steer.d", sum = 0 }
impact = { joint = "steer", restitution = 0.5 }
lock = ["steer"]
unlock = ["spin"]
end = true
message = "done"

[[external]]
name = "law"
arguments = ["Z", "t"]
results = 2

[initial.q]
steer = 0.1
base  = [0, 0, 0, 1, 0, 0, 0]

[initial.qd]
spin = 10
"#;
    let expected = text
        .replace("g            =", "g          =")
        .replace("track        =", "track      =")
        .replace("half         =", "half       =")
        .replace("\"odd name\"   =", "\"odd name\" =");
    assert_eq!(write(&read_well(text)), expected);
}
