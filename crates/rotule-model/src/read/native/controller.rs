//! Controllers: laws with states of their own, continuous or sampled.

use super::event::settings;
use super::fields::Fields;
use super::reader::Reader;
use super::value::{Node, name, numbers, prose, scalar, several, word};
use crate::draft::{Controller, ControllerType, HoldType};

const CONTROLLER: &[&str] = &[
    "name",
    "type",
    "every",
    "first",
    "delay",
    "hold",
    "quantum",
    "limits",
    "initial",
    "unit",
    "about",
    "states",
    "output",
    "input",
    "kp",
    "ki",
    "kd",
    "time",
    "rise",
    "fall",
    "numerator",
    "denominator",
];

pub(super) fn controller(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<Controller> {
    let mut fields = Fields::open(reader, node, "controller", None, &[CONTROLLER])?;
    let kind = |reader: &mut Reader<'_>, at: super::reader::At<'_>, node: &Node<'_>| {
        word(reader, at, node, &ControllerType::ALL)
    };
    let hold = |reader: &mut Reader<'_>, at: super::reader::At<'_>, node: &Node<'_>| {
        word(reader, at, node, &HoldType::ALL)
    };
    let name = fields.need("name", name);
    let kind = fields.get("type", kind);
    Some(Controller {
        every: fields.get("every", scalar),
        first: fields.get("first", scalar),
        delay: fields.get("delay", scalar),
        hold: fields.get("hold", hold),
        quantum: fields.get("quantum", scalar),
        limits: fields.get("limits", numbers),
        initial: fields.get("initial", settings).unwrap_or_default(),
        unit: fields.get("unit", prose),
        about: fields.get("about", prose),
        states: fields.get("states", settings).unwrap_or_default(),
        output: fields.get("output", scalar),
        input: fields.get("input", scalar),
        kp: fields.get("kp", scalar),
        ki: fields.get("ki", scalar),
        kd: fields.get("kd", scalar),
        time: fields.get("time", scalar),
        rise: fields.get("rise", scalar),
        fall: fields.get("fall", scalar),
        numerator: fields.get("numerator", several),
        denominator: fields.get("denominator", several),
        kind,
        span: fields.span,
        name: name?,
    })
}
