//! Everything that a file can say can be said in code: drafts that were read are made again by the
//! builder alone.

use crate::read_well;
use crate::round_trip::draft;
use proptest::prelude::*;
use rotule_model::build::ValueList;
use rotule_model::draft::*;
use rotule_model::structure::expressions;
use rotule_model::{Mechanism, Spanned, Texts, structure, write};
use std::fs;
use std::path::Path;

/// Makes a draft again through public functions of the builder.
fn rebuild(from: &Draft) -> Draft {
    let mut to = match &from.name {
        Some(name) => Draft::new(&name.value),
        None => Draft::default(),
    };
    if let Some(about) = &from.about {
        to.about(&about.value);
    }
    if let Some(gravity) = &from.gravity {
        to.gravity(values(gravity));
    }
    if let Some([alpha, beta]) = from.baumgarte.as_ref().map(values) {
        to.baumgarte(alpha, beta);
    }
    for code in &from.accept {
        to.accept(code.value);
    }
    if let Some(redundant) = &from.redundant {
        to.redundant(redundant.value);
    }
    for one in &from.parameters {
        let new = match &one.value {
            Some(number) => Parameter::new(&one.name.value, value(number)),
            None => Parameter::symbol(&one.name.value),
        };
        let new = with(new, one.unit.as_ref(), |new, unit| new.unit(&unit.value));
        to.add(with(new, one.about.as_ref(), |new, about| new.about(&about.value)));
    }
    for one in &from.externals {
        let arguments = one.arguments.iter().map(|argument| &argument.value);
        to.add(External::new(&one.name.value, arguments).results(one.results.value));
    }
    for point in &from.ground {
        let (name, position) = (&point.name.value, values(&point.position));
        match &point.rotation {
            Some(turn) => to.ground_point_with_axes(name, position, rotation(turn)),
            None => to.ground_point(name, position),
        };
    }
    for one in &from.ground_shapes {
        to.ground_shape(shape(one));
    }
    for one in &from.bodies {
        to.add(body(one));
    }
    for one in &from.joints {
        let [first, second] = pair(&one.between);
        to.add(joint(&one.joint).between(first, second));
    }
    for one in &from.cuts {
        to.add(cut(one));
    }
    relations(from, &mut to);
    forces(from, &mut to);
    observations(from, &mut to);
    for one in &from.initial_q {
        to.initial_q(&one.joint.value, all(&one.values));
    }
    for one in &from.initial_qd {
        to.initial_qd(&one.joint.value, all(&one.values));
    }
    to
}

fn relations(from: &Draft, to: &mut Draft) {
    for one in &from.couplings {
        to.add(Coupling::new(&one.name.value, &one.equation.value));
    }
    for one in &from.motions {
        let new = Motion::new(&one.joint.value, all(&one.q));
        let new = with(new, one.qd.as_ref(), |new, speeds| new.qd(all(speeds)));
        to.add(with(new, one.qdd.as_ref(), |new, values| new.qdd(all(values))));
    }
    for one in &from.constraints {
        let new = match one.level {
            Level::Position => Constraint::position,
            Level::Velocity => Constraint::velocity,
        };
        let new = new(&one.name.value, value(&one.expression));
        to.add(with(new, one.intermittent.as_ref(), |new, state| new.intermittent(state.value)));
    }
}

fn forces(from: &Draft, to: &mut Draft) {
    for one in &from.line_forces {
        to.add(LineForce::new(&one.name.value, pair(&one.between), value(&one.force)));
    }
    for one in &from.forces {
        let new = Force::new(&one.name.value, &one.at.value);
        let new = with(new, one.force.as_ref(), |new, force| new.force(values(force)));
        let new = with(new, one.torque.as_ref(), |new, torque| new.torque(values(torque)));
        to.add(if one.body_axes { new.in_body_axes() } else { new });
    }
    for one in &from.wheels {
        let new = Wheel::new(&one.name.value, &one.body.value, value(&one.radius));
        let new = with(new, one.axle.as_ref(), |new, axle| new.axle(axis(axle)));
        let new = with(new, one.ground.as_ref(), |new, ground| new.ground(value(ground)));
        let mut new = if one.rolling { new.rolling() } else { new };
        for (name, law) in WHEEL_LAWS.iter().zip(&one.laws) {
            new = with(new, law.as_ref(), |new, law| match *name {
                "vertical" => new.vertical(value(law)),
                "longitudinal" => new.longitudinal(value(law)),
                "lateral" => new.lateral(value(law)),
                "roll" => new.roll(value(law)),
                "pitch" => new.pitch(value(law)),
                "yaw" => new.yaw(value(law)),
                other => panic!("{other} is new"),
            });
        }
        to.add(new);
    }
}

fn observations(from: &Draft, to: &mut Draft) {
    for one in &from.sensors {
        let measures = one.measures.iter().map(|measure| measure.value);
        let new = Sensor::new(&one.name.value, &one.at.value, measures);
        let body = one.relative_to.as_ref();
        to.add(with(new, body, |new, body| new.relative_to(&body.value)));
    }
    for one in &from.inputs {
        let mut input = UserInput::new(one.name.value.as_str());
        input = with(input, one.value.as_ref(), |new, from| new.value(value(from)));
        input = with(input, one.unit.as_ref(), |new, from| new.unit(from.value.as_str()));
        input = with(input, one.limits.as_ref(), |new, from| {
            let [lower, upper] = values(from);
            new.limits(lower, upper)
        });
        input = with(input, one.filter.as_ref(), |new, from| new.filter(value(from)));
        input = with(input, one.derivatives.as_ref(), |new, from| new.derivatives(from.value));
        to.add(with(input, one.about.as_ref(), |new, from| new.about(from.value.as_str())));
    }
    for one in &from.outputs {
        let mut output = UserOutput::new(one.name.value.as_str(), value(&one.value));
        output = with(output, one.unit.as_ref(), |new, from| new.unit(from.value.as_str()));
        to.add(with(output, one.about.as_ref(), |new, from| new.about(from.value.as_str())));
    }
    for one in &from.controllers {
        // The builder has one setter for both lists.
        let (above, below) = (one.numerator.clone(), one.denominator.clone());
        let mut new = Controller::new(&one.name.value);
        (new.numerator, new.denominator) = (above, below);
        new = with(new, one.kind.as_ref(), |new, kind| new.kind(kind.value));
        new = with(new, one.every.as_ref(), |new, from| new.every(value(from)));
        new = with(new, one.first.as_ref(), |new, from| new.first(value(from)));
        new = with(new, one.delay.as_ref(), |new, from| new.delay(value(from)));
        new = with(new, one.hold.as_ref(), |new, hold| new.hold(hold.value));
        new = with(new, one.quantum.as_ref(), |new, from| new.quantum(value(from)));
        new = with(new, one.limits.as_ref(), |new, from| {
            let [lower, upper] = values(from);
            new.limits(lower, upper)
        });
        for setting in &one.initial {
            new = new.initial(&setting.target.value, value(&setting.value));
        }
        for setting in &one.states {
            new = new.state(&setting.target.value, value(&setting.value));
        }
        new = with(new, one.output.as_ref(), |new, from| new.output(value(from)));
        new = with(new, one.input.as_ref(), |new, from| new.input(value(from)));
        new = with(new, one.kp.as_ref(), |new, from| new.kp(value(from)));
        new = with(new, one.ki.as_ref(), |new, from| new.ki(value(from)));
        new = with(new, one.kd.as_ref(), |new, from| new.kd(value(from)));
        new = with(new, one.time.as_ref(), |new, from| new.time(value(from)));
        new = with(new, one.rise.as_ref(), |new, from| new.rise(value(from)));
        new = with(new, one.fall.as_ref(), |new, from| new.fall(value(from)));
        new = with(new, one.unit.as_ref(), |new, unit| new.unit(&unit.value));
        to.add(with(new, one.about.as_ref(), |new, about| new.about(&about.value)));
    }
    for one in &from.states {
        let new = UserState::new(&one.name.value, value(&one.rate));
        let new = with(new, one.initial.as_ref(), |new, initial| new.initial(value(initial)));
        let new = with(new, one.unit.as_ref(), |new, unit| new.unit(&unit.value));
        to.add(with(new, one.about.as_ref(), |new, about| new.about(&about.value)));
    }
    for one in &from.events {
        let new = Event::new(&one.name.value, value(&one.when));
        let new = with(new, one.direction.as_ref(), |new, way| new.direction(way.value));
        let set = |new: Event, one: &Setting| new.set(&one.target.value, value(&one.value));
        let new = one.set.iter().fold(new, set);
        let new = with(new, one.impact.as_ref(), |new, impact| {
            new.impact(&impact.joint.value, value(&impact.restitution))
        });
        let new = one.lock.iter().fold(new, |new, joint| new.lock(&joint.value));
        let new = one.unlock.iter().fold(new, |new, joint| new.unlock(&joint.value));
        let new = one.engage.iter().fold(new, |new, one| new.engage(&one.value));
        let new = one.release.iter().fold(new, |new, one| new.release(&one.value));
        let new = if one.end { new.end() } else { new };
        to.add(with(new, one.message.as_ref(), |new, message| new.message(&message.value)));
    }
}

fn body(from: &Body) -> Body {
    let new = Body::new(&from.name.value);
    let new = with(new, from.parent.as_ref(), |new, parent| new.parent(&parent.value));
    let new = with(new, from.position.as_ref(), |new, position| new.position(values(position)));
    let new = with(new, from.rotation.as_ref(), |new, turn| new.rotation(rotation(turn)));
    let new = from.joints.iter().fold(new, |new, one| new.joint(joint(one)));
    let new = with(new, from.mass.as_ref(), |new, mass| new.mass(value(mass)));
    let new = with(new, from.com.as_ref(), |new, com| new.com(values(com)));
    let new = with(new, from.inertia.as_ref(), |new, one| new.inertia(inertia(one)));
    let new = with(new, from.inertia_of.as_ref(), |new, of| match of {
        InertiaOf::Shapes(_) => new.inertia_from_shapes(),
        InertiaOf::Solid { kind, mass, sizes, axis: along, rotation: turn } => {
            let sizes: Vec<Value> = sizes.iter().map(value).collect();
            let of = InertiaOf::solid(kind.value, value(mass), sizes);
            let of = with(of, along.as_ref(), |of, along| of.axis(axis(along)));
            new.inertia_of(with(of, turn.as_ref(), |of, turn| of.rotation(rotation(turn))))
        }
    });
    let new = from.shapes.iter().fold(new, |new, one| new.shape(shape(one)));
    from.points.iter().fold(new, |new, point| {
        let (name, position) = (&point.name.value, values(&point.position));
        match &point.rotation {
            Some(turn) => new.point_with_axes(name, position, rotation(turn)),
            None => new.point(name, position),
        }
    })
}

fn shape(from: &BodyShape) -> BodyShape {
    let new = match &from.form {
        Form::Solid { kind, sizes } => {
            let sizes: Vec<Value> = sizes.iter().map(value).collect();
            BodyShape::solid(kind.value, sizes)
        }
        Form::Hull(points) => BodyShape::hull(points.iter().map(values)),
        Form::Mesh { file, scale } => {
            with(BodyShape::mesh(&file.value), scale.as_ref(), |new, scale| {
                new.scale(values(scale))
            })
        }
    };
    let new = with(new, from.at.as_ref(), |new, at| new.at(values(at)));
    let new = with(new, from.axis.as_ref(), |new, along| new.axis(axis(along)));
    let new = with(new, from.rotation.as_ref(), |new, turn| new.rotation(rotation(turn)));
    let new = with(new, from.colour.as_ref(), |new, colour| new.colour(&colour.value));
    with(new, from.density.as_ref(), |new, density| new.density(value(density)))
}

fn inertia(from: &Inertia) -> Inertia {
    let [xx, yy, zz, xy, xz, yz] = from.entries.each_ref().map(|entry| entry.as_ref().map(value));
    let new = with(Inertia::new(), xx, Inertia::xx);
    let new = with(with(new, yy, Inertia::yy), zz, Inertia::zz);
    let new = with(with(with(new, xy, Inertia::xy), xz, Inertia::xz), yz, Inertia::yz);
    with(new, from.rotation.as_ref(), |new, turn| new.rotation(rotation(turn)))
}

fn joint(from: &Joint) -> Joint {
    let name = from.name.as_ref().map_or("", |name| &name.value);
    let axes: Vec<Axis> = from.axes.iter().map(axis).collect();
    let new = match (from.kind.value, &axes[..]) {
        (JointType::Fixed, []) => Joint::fixed(),
        (JointType::Revolute, [one]) => Joint::revolute(name, one.clone()),
        (JointType::Prismatic, [one]) => Joint::prismatic(name, one.clone()),
        (JointType::Helical, [one]) => {
            Joint::helical(name, one.clone(), value(from.pitch.as_ref().expect("a pitch")))
        }
        (JointType::Cylindrical, [one]) => Joint::cylindrical(name, one.clone()),
        (JointType::Universal, [one, two]) => Joint::universal(name, one.clone(), two.clone()),
        (JointType::Spherical, []) => Joint::spherical(name),
        (JointType::Planar, [one]) => Joint::planar(name, one.clone()),
        (JointType::Free, []) => Joint::free(name),
        (kind, axes) => Joint::of(kind, Some(name.to_owned()), axes.to_vec()),
    };
    let fixed = from.kind.value == JointType::Fixed;
    let new = with(new, from.name.as_ref().filter(|_| fixed), |new, name| new.name(&name.value));
    let new = with(new, from.effort.as_ref(), |new, effort| new.effort(all(effort)));
    let new = if from.locked { new.locked() } else { new };
    let new = with(new, from.partition.as_ref(), |new, one| new.partition(one.value));
    let new = if from.actuated { new.actuated() } else { new };
    let new = with(new, from.actuation_weight.as_ref().map(value), Joint::actuation_weight);
    let new = with(new, from.armature.as_ref().map(value), Joint::armature);
    let new = with(new, from.damping.as_ref().map(value), Joint::damping);
    let new = with(new, from.friction.as_ref(), |new, one| {
        let new = new.friction(value(&one.slide));
        with(new, one.stick.as_ref().map(value), Joint::friction_at_rest)
    });
    let new =
        with(new, from.range.as_ref().map(values), |new, [lower, upper]| new.range(lower, upper));
    let new = with(new, from.max_speed.as_ref().map(value), Joint::max_speed);
    let new = with(new, from.max_effort.as_ref().map(value), Joint::max_effort);
    with(new, from.stop.as_ref().map(value), Joint::stop)
}

fn cut(from: &Cut) -> Cut {
    let (name, between) = (&from.name.value, pair(&from.between));
    let new = match &from.kind {
        CutType::Rod { length } => Cut::rod(name, value(length), between),
        CutType::Joint { kind, axes, pitch } => {
            let axes: Vec<Axis> = axes.iter().map(axis).collect();
            match (kind.value, &axes[..]) {
                (JointType::Fixed, []) => Cut::body(name, between),
                (JointType::Spherical, []) => Cut::ball(name, between),
                (JointType::Revolute, [one]) => Cut::revolute(name, one.clone(), between),
                (JointType::Prismatic, [one]) => Cut::prismatic(name, one.clone(), between),
                (JointType::Helical, [one]) => {
                    let pitch = value(pitch.as_ref().expect("a pitch"));
                    Cut::helical(name, one.clone(), pitch, between)
                }
                (JointType::Cylindrical, [one]) => Cut::cylindrical(name, one.clone(), between),
                (JointType::Universal, [one, two]) => {
                    Cut::universal(name, one.clone(), two.clone(), between)
                }
                (JointType::Planar, [one]) => Cut::planar(name, one.clone(), between),
                (kind, axes) => Cut::like(name, kind, axes.to_vec(), between),
            }
        }
    };
    let new = with(new, from.frame.as_ref(), |new, frame| new.frame(frame.value));
    let new = with(new, from.intermittent.as_ref(), |new, state| new.intermittent(state.value));
    from.ignore.iter().fold(new, |new, component| new.ignore(component.value))
}

fn rotation(from: &Rotation) -> Rotation {
    match from {
        Rotation::Rpy(angles) => Rotation::from(values(angles)),
        Rotation::Quaternion(entries) => Rotation::quaternion(values(entries)),
        Rotation::Matrix(rows) => Rotation::matrix(rows.each_ref().map(values)),
        Rotation::Turn { axis: about, angle } => Rotation::about(axis(about), value(angle)),
        Rotation::Link { convention, values } => {
            let named = convention.parameters().iter().zip(values);
            let given = named.filter_map(|(name, one)| Some((*name, value(one.as_ref()?))));
            Rotation::link(*convention, given)
        }
    }
}

/// By its word where it has one.
fn axis(from: &Axis) -> Axis {
    let components = values(&from.components);
    let same = |(numbers, _): &&([f64; 3], &str)| {
        components == numbers.map(Value::Number) && !components.contains(&Value::Number(-0.0))
    };
    match AXES.iter().find(same) {
        Some((_, word)) => Axis::from(*word),
        None => Axis::from(components),
    }
}

fn value(from: &DraftValue) -> Value {
    from.value.clone()
}

fn values<const N: usize>(from: &[DraftValue; N]) -> [Value; N] {
    from.each_ref().map(value)
}

fn all(from: &Spanned<Vec<DraftValue>>) -> impl ValueList + use<> {
    from.value.iter().map(value).collect::<Vec<Value>>()
}

fn pair(from: &[Text; 2]) -> [&str; 2] {
    from.each_ref().map(|place| place.value.as_str())
}

/// Calls a setter if there is something to set.
fn with<T, U>(element: T, value: Option<U>, set: impl FnOnce(T, U) -> T) -> T {
    match value {
        Some(value) => set(element, value),
        None => element,
    }
}

/// A cut that leaves everything free is an error, which the builder has no function for.
fn closes(cut: &Cut) -> bool {
    !matches!(&cut.kind, CutType::Joint { kind, .. } if kind.value == JointType::Free)
}

proptest! {
    #[test]
    fn every_draft_can_be_built(draft in draft()) {
        let cuts = draft.cuts.into_iter().filter(closes).collect();
        let draft = Draft { cuts, ..draft };
        let built = rebuild(&draft);
        prop_assert_eq!(built.text(), write(&draft));
        prop_assert_eq!(built, draft);
    }
}

#[test]
fn every_example_can_be_built() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("there is a gallery") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a readable example");
        let draft = read_well(&text);
        let built = rebuild(&draft);
        assert_eq!(built.text(), write(&draft), "{}", path.display());
        let file = Texts::new("file.toml", text)
            .load(&Default::default())
            .expect("examples have no errors");
        let loaded = built.load().expect("what was built is the same");
        assert!(loaded.diagnostics.is_empty(), "{}", path.display());
        assert_eq!(loaded.draft.without_places(), built);
        assert_eq!(draft.without_places(), built, "{}", path.display());
        let [file, built] = [file.mechanism, loaded.mechanism];
        assert_eq!(format!("{:#?}", structure(&file)), format!("{:#?}", structure(&built)));
        let meaning = |mechanism: &Mechanism| -> Vec<String> {
            let all = expressions(mechanism);
            all.into_iter().map(|expr| mechanism.graph.text(expr)).collect()
        };
        assert_eq!(meaning(&file), meaning(&built), "{}", path.display());
        count += 1;
    }
    assert!(count >= 25, "the gallery has {count} files");
}
