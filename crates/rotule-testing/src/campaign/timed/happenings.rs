//! Families of events: settings, impacts, locks, stops, and several at one time.

use super::draw::Draw;
use super::law::Law;
use super::system::{Event, Target, Way};
use std::f64::consts::PI;

fn any_way(draw: &mut Draw) -> Way {
    [Way::Rising, Way::Falling, Way::Both][draw.random.below(3)]
}

/// A condition of time.
fn of_time(draw: &mut Draw) -> Law {
    let at = draw.moment();
    match draw.random.below(4) {
        0 => {
            let width = draw.width();
            let away = draw.abs(Law::Time - at);
            Law::Number(width) - away
        }
        1 => {
            let count = draw.random.short(1.0, 15.0);
            let (frequency, phase) = (PI * count / draw.system.to, draw.random.short(0.1, 3.0));
            draw.feature(PI / frequency);
            Law::Sin(Box::new(Law::Time * frequency + phase))
        }
        _ => Law::Time - draw.number(at),
    }
}

fn add(draw: &mut Draw, when: Law, way: Way, fill: impl FnOnce(&mut Event)) {
    let mut event = Event::new(&format!("e{}", draw.system.events.len()), when, way);
    fill(&mut event);
    draw.system.events.push(event);
}

/// Stops come behind all events.
fn with_stops(draw: &mut Draw, joint: usize, range: [f64; 2], restitution: f64) {
    draw.system.stops[joint] = Some((range, restitution));
    let names = [super::law::JOINTS[joint]; 2];
    let ends = [("lower", range[0], Way::Falling), ("upper", range[1], Way::Rising)];
    for ((word, end, way), name) in ends.into_iter().zip(names) {
        let mut event = Event::new(&format!("{name}.{word}"), Law::Q(joint) - end, way);
        event.stop = true;
        event.impact = Some((joint, restitution));
        draw.system.events.push(event);
    }
}

/// Events that only say that a condition was passed, and one that counts.
pub fn watched(draw: &mut Draw, when: Law) {
    let at = count(draw);
    let way = any_way(draw);
    add(draw, when.clone(), Way::Both, |_| {});
    add(draw, when, way, |event| event.set.push((Target::S(at), Law::S(at) + 1.0)));
}

/// A state that counts; its place.
fn count(draw: &mut Draw) -> usize {
    draw.system.rates.push(Law::Number(0.0));
    draw.system.rates.len() - 1
}

/// Settings of speeds, states and coordinates, at times and where the motion passes a limit.
pub fn set(draw: &mut Draw) {
    draw.moving();
    let state = count(draw);
    for _ in 0..=draw.random.below(3) {
        let joint = draw.joint();
        let (limit, kick) = (draw.random.short(-0.5, 0.5), draw.random.short(0.2, 1.5));
        match draw.random.below(5) {
            0 => {
                let (when, way) = (of_time(draw), any_way(draw));
                let value = Law::V(joint) + Law::Number(draw.random.short(-1.5, 1.5));
                add(draw, when, way, |event| event.set.push((Target::V(joint), value)));
            }
            1 => {
                let (when, way) = (of_time(draw), any_way(draw));
                let value = Law::Q(joint) + Law::Number(draw.random.short(-0.3, 0.3));
                add(draw, when, way, |event| event.set.push((Target::Q(joint), value)));
            }
            2 => {
                let way = any_way(draw);
                let when = Law::Q(joint) - draw.number(limit);
                add(draw, when, way, |event| {
                    event.set.push((Target::V(joint), Law::V(joint) * 0.7));
                    event.set.push((Target::S(state), Law::S(state) + Law::V(joint)));
                });
            }
            // A speed that passes a limit is driven on, so that it does not pass back at once.
            3 => {
                let rises = draw.random.chance(0.5);
                let way = if rises { Way::Rising } else { Way::Falling };
                let kick = if rises { kick } else { -kick };
                add(draw, Law::V(joint) - limit, way, |event| {
                    event.set.push((Target::V(joint), Law::V(joint) + kick));
                });
            }
            _ => {
                let way = any_way(draw);
                let when = Law::Q(joint) + Law::V(joint) * 0.5 - limit;
                add(draw, when, way, |event| {
                    event.set.push((Target::S(state), Law::S(state) + Law::Q(joint)));
                });
            }
        }
    }
    // What was counted acts.
    let joint = draw.joint();
    let gain = draw.random.short(-0.5, 0.5);
    draw.push(joint, Law::S(state) * gain);
}

/// Walls for one joint.
pub fn impact(draw: &mut Draw) {
    draw.moving();
    let joint = draw.joint();
    let restitution = draw.random.short(0.4, 1.0);
    for (way, side) in [(Way::Rising, 1.0), (Way::Falling, -1.0)] {
        if draw.random.chance(0.7) {
            let at = side * draw.random.short(0.05, 0.8);
            let at = draw.number(at);
            add(draw, Law::Q(joint) - at, way, |event| event.impact = Some((joint, restitution)));
        }
    }
}

/// A joint that is locked and let go, at times or at a place, and perhaps an end.
pub fn lock(draw: &mut Draw) {
    draw.moving();
    let joint = draw.joint();
    let (mut times, to) = ([draw.moment(), draw.moment()], draw.system.to);
    times.sort_by(f64::total_cmp);
    let when = match draw.random.below(3) {
        0 => Law::Q(joint) - draw.random.short(-0.4, 0.4),
        _ => Law::Time - draw.number(times[0]),
    };
    add(draw, when, Way::Rising, |event| event.lock = Some(joint));
    let off = (times[0] + 0.001 * to).max(times[1]);
    add(draw, Law::Time - off, Way::Both, |event| event.unlock = Some(joint));
    if draw.random.chance(0.5) {
        let other = draw.joint();
        let when = match draw.random.below(2) {
            0 => of_time(draw),
            _ => Law::Q(other) - draw.random.short(-0.6, 0.6),
        };
        add(draw, when, Way::Both, |event| event.end = true);
    }
}

/// Stops at the ends of a range.
pub fn stop(draw: &mut Draw) {
    draw.moving();
    let joint = draw.joint();
    let (lower, upper) = (draw.random.short(-0.8, -0.05), draw.random.short(0.05, 0.8));
    let start = &mut draw.system.start.q[joint];
    *start = start.clamp(0.9 * lower, 0.9 * upper);
    let restitution = draw.random.short(0.3, 1.0);
    with_stops(draw, joint, [lower, upper], restitution);
}

/// Two or three events of one condition, which act in sequence.
pub fn together(draw: &mut Draw) {
    draw.moving();
    let (joint, state) = (draw.joint(), count(draw));
    let (when, way) = match draw.random.below(2) {
        0 => (of_time(draw), Way::Both),
        _ => (Law::Q(joint) - draw.random.short(-0.5, 0.5), any_way(draw)),
    };
    for _ in 0..2 + draw.random.below(2) {
        let action = draw.random.below(4);
        let factor = draw.random.short(0.5, 0.9);
        add(draw, when.clone(), way, |event| match action {
            0 => event.set.push((Target::V(joint), Law::V(joint) * factor)),
            1 => event.set.push((Target::S(state), Law::S(state) * 2.0 + Law::V(joint))),
            2 => event.impact = Some((joint, factor)),
            _ => event.set.push((Target::S(state), Law::S(state) + 1.0)),
        });
    }
    draw.push(joint, Law::S(state) * 0.1);
}
