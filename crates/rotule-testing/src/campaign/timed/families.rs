//! Families of laws that switch: with time, with coordinates and speeds, and through states.

use super::draw::Draw;
use super::happenings;
use super::law::Law;
use std::f64::consts::PI;

/// A family of models.
pub struct Family {
    pub name: &'static str,
    pub build: fn(&mut Draw),
}

/// All families; a seed belongs to one by its remainder.
pub const FAMILIES: &[Family] = &[
    Family { name: "pulse", build: pulses },
    Family { name: "table", build: table },
    Family { name: "kink", build: kink },
    Family { name: "nonlinear", build: nonlinear },
    Family { name: "coordinate", build: coordinate },
    Family { name: "speed", build: speed },
    Family { name: "contact", build: contact },
    Family { name: "touch", build: touch },
    Family { name: "state", build: state },
    Family { name: "set", build: happenings::set },
    Family { name: "impact", build: happenings::impact },
    Family { name: "lock", build: happenings::lock },
    Family { name: "stop", build: happenings::stop },
    Family { name: "together", build: happenings::together },
    Family { name: "mixed", build: mixed },
];

/// One to three pulses by nested `if`.
fn pulses(draw: &mut Draw) {
    for _ in 0..=draw.random.below(3) {
        let (joint, law) = (draw.joint(), draw.pulse());
        draw.push(joint, law);
    }
}

/// A table of time by nested `if`: steps, straight lines or smooth curves between knots, some of
/// them close together.
fn table(draw: &mut Draw) {
    let shape = draw.random.below(3);
    let mut knots = vec![[draw.moment() * 0.7, 0.0]];
    for _ in 0..3 + draw.random.below(4) {
        let width = draw.width();
        let [last, _] = knots[knots.len() - 1];
        let height = 0.5 * draw.height(width);
        knots.push([last + width, height]);
    }
    let [last, _] = knots[knots.len() - 1];
    let width = draw.width();
    knots.push([last + width, 0.0]);
    let mut law = Law::Number(0.0);
    for pair in knots.windows(2).rev() {
        let [[from, low], [to, high]] = [pair[0], pair[1]];
        let part = (Law::Time - from) * (1.0 / (to - from));
        let segment = match shape {
            0 => Law::Number(high),
            1 => part * (high - low) + low,
            _ => {
                let square = Law::Power(Box::new(part.clone()), 2);
                square * (part * -2.0 + 3.0) * (high - low) + low
            }
        };
        law = draw.select(to.into(), Law::Time, segment, law);
    }
    let [first, _] = knots[0];
    let law = draw.select(first.into(), Law::Time, Law::Number(0.0), law);
    let joint = draw.joint();
    draw.push(joint, law);
}

/// Pulses by `max`, `min`, `abs` and `sign` of time.
fn kink(draw: &mut Draw) {
    for _ in 0..=draw.random.below(2) {
        let (at, width) = (draw.moment(), draw.width());
        let height = draw.height(width);
        let since = Law::Time - draw.number(at);
        let law = match draw.random.below(5) {
            0 => {
                let away = draw.abs(since);
                draw.max(0.0, away * (-1.0 / width) + 1.0)
            }
            1 => {
                let on = draw.sign(since);
                let off = draw.sign(Law::Time - (at + width));
                (on - off) * 0.5
            }
            2 => {
                let parts = [0.0, 1.0, 2.0].map(|part| draw.abs(Law::Time - (at + part * width)));
                let [one, two, three] = parts;
                (one - two * 2.0 + three) * (0.5 / width)
            }
            3 => {
                let [up, down] = [at, at + 3.0 * width].map(|at| {
                    let ramp = draw.max(0.0, (Law::Time - at) * (1.0 / width));
                    draw.min(1.0, ramp)
                });
                up - down
            }
            _ => draw.bump_stop(since, Law::Number(1.0), [0.0, 0.05, 0.0, 0.1]),
        };
        let (joint, height) = (draw.joint(), draw.number(height));
        draw.push(joint, law * height);
    }
}

/// Conditions that are not linear in time.
fn nonlinear(draw: &mut Draw) {
    let to = draw.system.to;
    let law = match draw.random.below(4) {
        // Of `count` waves, the last is the shortest; it is beyond the limit for `2 acos(limit)`.
        0 => {
            let (count, limit) = (draw.random.short(2.0, 20.0), draw.random.short(-0.5, 0.9));
            let factor = 2.0 * PI * count / (to * to);
            draw.feature(limit.acos() / (factor * to));
            let wave = Law::Sin(Box::new(Law::Power(Box::new(Law::Time), 2) * factor));
            let (limit, height) = (draw.number(limit), draw.random.short(1.0, 4.0));
            draw.select(wave, limit, height.into(), Law::Number(0.0))
        }
        1 => {
            let (count, limit) = (draw.random.short(2.0, 40.0), draw.random.short(0.5, 0.985));
            let frequency = 2.0 * PI * count / to;
            draw.feature(2.0 * limit.acos() / frequency);
            let phase = draw.random.short(0.0, 6.0);
            let wave = Law::Sin(Box::new(Law::Time * frequency + phase));
            let height = draw.random.short(1.0, 4.0) / (1.0 - limit);
            draw.max(0.0, wave - limit) * height
        }
        2 => {
            let (at, width) = (draw.moment(), draw.width());
            let height = draw.height(width);
            let window = (Law::Time - at) * ((Law::Time - (at + width)) * -1.0);
            draw.select(window, Law::Number(0.0), height.into(), Law::Number(0.0))
        }
        _ => {
            let (at, width) = (draw.moment(), draw.width());
            let height = draw.height(width);
            let grows = |t: f64| (2.0 * t / to).exp();
            let law = Law::Exp(Box::new(Law::Time * (2.0 / to)));
            draw.band(law, grows(at), grows(at + width), height.into())
        }
    };
    let joint = draw.joint();
    draw.push(joint, law);
}

/// Switches on coordinates: bands, sides, one-sided springs.
fn coordinate(draw: &mut Draw) {
    draw.moving();
    for _ in 0..=draw.random.below(2) {
        let joint = draw.joint();
        let at = draw.random.short(-0.5, 0.5);
        let force = draw.random.short(-2.0, 2.0);
        let law = match draw.random.below(4) {
            0 => {
                let limit = draw.number(at);
                draw.select(Law::Q(joint), limit, force.into(), Law::Number(0.0))
            }
            1 => {
                let width = 10.0_f64.powf(draw.random.between(-3.0, -1.0));
                draw.band(Law::Q(joint), at, at + width, (0.2 * force / width).into())
            }
            2 => draw.sign(Law::Q(joint) - at) * force,
            _ => {
                let depth = draw.max(0.0, Law::Q(joint) - at);
                depth * draw.random.short(-50.0, -5.0)
            }
        };
        draw.push(joint, law);
    }
}

/// Switches on speeds that do not chatter: what is switched on drives the speed the way it goes.
fn speed(draw: &mut Draw) {
    draw.moving();
    let joint = draw.joint();
    let at = draw.random.short(-0.8, 0.8);
    let v = Law::V(joint);
    let law = match draw.random.below(4) {
        0 => {
            let (limit, force) = (draw.number(at), draw.random.short(0.3, 1.5));
            draw.select(v, limit, force.into(), Law::Number(0.0))
        }
        1 => draw.max(0.0, v - at) * draw.random.short(-3.0, -0.3),
        2 => {
            let size = draw.abs(v.clone());
            size * v * draw.random.short(-1.0, -0.1)
        }
        _ => {
            let (c, limit) = (draw.random.short(1.0, 5.0), draw.random.short(0.2, 1.0));
            draw.linear_tyre(v, -c, limit)
        }
    };
    draw.push(joint, law);
}

/// Elastic and damped stops of the law library, on one or both sides.
fn contact(draw: &mut Draw) {
    draw.moving();
    let joint = draw.joint();
    for side in [1.0, -1.0] {
        let power = draw.random.between(2.5, 5.5);
        let (at, k) = (draw.random.short(0.05, 0.6), 10.0_f64.powf(power).round());
        // The lightest thing that a contact may move has some 0.05 kg or kg m^2.
        draw.stiff((0.05 / k).sqrt());
        let (x, xd) = (Law::Q(joint) * side, Law::V(joint) * side);
        let law = match draw.random.below(3) {
            0 => draw.bump_stop(x, xd, [at, k, 0.0, 0.01]),
            1 => {
                let c = draw.random.between(0.05, 0.5) * k.sqrt();
                draw.bump_stop(x, xd, [at, k, c, 0.01])
            }
            _ => {
                let n = 1.0 + draw.random.below(2) as f64;
                let d = draw.random.short(0.05, 0.5);
                draw.hunt_crossley(x - at, xd, [k, n, d])
            }
        };
        draw.push(joint, law * -side);
    }
}

/// Short visits beyond a limit at the top of an oscillation.
fn touch(draw: &mut Draw) {
    let [frequency, amplitude] = draw.oscillator();
    let periods = draw.random.between(1.5, 4.0);
    draw.system.to = (periods * 2.0 * PI / frequency * 1000.0).round() / 1000.0;
    draw.system.shortest = draw.system.to / 1000.0;
    let power = draw.random.between(-5.0, -2.0);
    let limit = amplitude * (1.0 - 10.0_f64.powf(power));
    let side = if draw.random.chance(0.5) { 1.0 } else { -1.0 };
    let (x, xd) = (Law::Q(0) * side, Law::V(0) * side);
    match draw.random.below(3) {
        0 => {
            let force = draw.random.short(5.0, 30.0) * -side;
            let law = draw.select(x, limit.into(), force.into(), Law::Number(0.0));
            draw.push(0, law);
        }
        1 => {
            let k = draw.random.short(1e3, 1e6).round();
            draw.stiff((0.5 / k).sqrt());
            let law = draw.bump_stop(x, xd, [limit, k, 0.0, 0.01]);
            draw.push(0, law * -side);
        }
        _ => happenings::watched(draw, x - limit),
    }
}

/// States whose rates switch and which act on the joints.
fn state(draw: &mut Draw) {
    let joint = draw.joint();
    let rate = match draw.random.below(4) {
        0 => draw.pulse(),
        1 => {
            let law = draw.pulse();
            law - Law::S(0) * draw.random.short(0.5, 5.0)
        }
        2 => {
            draw.moving();
            let at = draw.random.short(-0.3, 0.3);
            draw.select(Law::Q(joint), at.into(), Law::Number(-1.0), Law::Number(1.0))
        }
        _ => {
            // An integrator with limits: its rate is cut off.
            draw.moving();
            let limit = draw.random.short(0.1, 0.5);
            let low = draw.max(-limit, Law::Q(joint));
            draw.min(limit, low) * -1.0
        }
    };
    draw.system.rates.push(rate);
    let gain = draw.random.short(0.5, 3.0);
    draw.push(joint, Law::S(0) * gain);
}

/// Several of these at once.
fn mixed(draw: &mut Draw) {
    pulses(draw);
    match draw.random.below(4) {
        0 => coordinate(draw),
        1 => contact(draw),
        2 => kink(draw),
        _ => state(draw),
    }
    match draw.random.below(4) {
        0 => happenings::set(draw),
        1 => happenings::impact(draw),
        2 => happenings::stop(draw),
        _ => happenings::lock(draw),
    }
}
