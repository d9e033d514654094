//! Masses of bodies, given or from their shapes.

use super::defaults::{Element, Kind};
use super::numbers::difference;
use super::orientation::{Placed, is_zero};
use super::remarks::Remark;
use super::solid::{Solid, Solids};
use super::tree::RawBody;
use super::{FromGeoms, Reader};
use crate::diagnostic::DiagnosticCode;
use crate::draft::{DraftValue, Inertia, Triple};
use crate::read::frame::{self, Vector};
use crate::read::xml::{Node, Token, Word, triple};
use crate::source::Span;
use rotule_symbolic::elementary::hypot;

/// The type of a geom.
#[derive(Clone, Copy)]
pub(super) enum Geom {
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
    /// Without mass.
    Plane,
    /// Of unknown volume.
    Unknown,
}

pub(super) const GEOMS: [(&str, Geom); 9] = [
    ("sphere", Geom::Sphere),
    ("capsule", Geom::Capsule),
    ("ellipsoid", Geom::Ellipsoid),
    ("cylinder", Geom::Cylinder),
    ("box", Geom::Box),
    ("plane", Geom::Plane),
    ("hfield", Geom::Unknown),
    ("mesh", Geom::Unknown),
    ("sdf", Geom::Unknown),
];

/// The mass of a body as a draft has it.
#[derive(Default)]
pub(super) struct Mass {
    pub(super) mass: Option<DraftValue>,
    pub(super) com: Option<Triple>,
    pub(super) inertia: Option<Inertia>,
}

impl<'d> Reader<'d, '_> {
    /// The mass of a body whose frame moves by `shift`. Whether it can move at all decides
    /// whether an unknown mass is worth a remark.
    pub(super) fn mass(&mut self, body: &RawBody<'d>, shift: Vector, moves: bool) -> Mass {
        let requested = match self.settings.from_geoms {
            FromGeoms::Never => false,
            FromGeoms::Always => true,
            FromGeoms::Auto => body.inertial.is_none(),
        };
        let geoms = if requested { self.solids(body, moves) } else { None };
        let mut mass = match (geoms, body.inertial) {
            (Some((mass, com, inertia)), _) => {
                let sizes = inertia.as_flattened().iter().chain(&com).fold(mass, |a, b| a + b);
                let what = format!("the mass of body `{}`", body.called);
                // Adding up finds every number that is not finite.
                let fits = self.computed(sizes, body.span, &what) != 0.0 || sizes == 0.0;
                if !fits {
                    return Mass::default();
                }
                let com = difference(com, shift);
                Mass {
                    mass: Some(frame::scalar(mass, body.span)),
                    com: (com != [0.0; 3]).then(|| frame::triple(com, body.span)),
                    inertia: Some(frame::inertia(&inertia, body.span)),
                }
            }
            (None, Some(node)) => self.inertial(node, body, shift),
            (None, None) => Mass::default(),
        };
        self.bound(&mut mass, body);
        mass
    }

    /// The content of `<inertial>`.
    fn inertial(&mut self, node: Node<'d>, body: &RawBody<'d>, shift: Vector) -> Mass {
        let span = self.reading.tag(node);
        let mass = self.reading.required(node, "mass").and_then(|token| self.reading.number(token));
        // The position is required too, but to miss it is harmless.
        let element = Element { node, kind: Kind::Plain, class: 0 };
        let placed = self.placed(element, &body.called);
        let com = if shift == [0.0; 3] {
            placed.position.clone()
        } else {
            let com = difference(placed.pose.position, shift);
            (com != [0.0; 3]).then(|| frame::triple(com, placed.span))
        };
        let diagonal = self.reading.vector_attribute::<3>(node, "diaginertia");
        let full = self.reading.vector_attribute::<6>(node, "fullinertia");
        let mut entries: [Option<DraftValue>; 6] = Default::default();
        let mut place = span;
        if let Some(words) = full {
            place = words[0].span;
            entries = words.map(|word| Some(word.scalar()));
        } else if let Some(words) = diagonal {
            place = words[0].span;
            for (entry, scalar) in entries.iter_mut().zip(triple(words)) {
                *entry = Some(scalar);
            }
        }
        for entry in entries.iter_mut().skip(3) {
            *entry = entry.take().filter(|entry| !is_zero(entry));
        }
        let given = entries.iter().flatten().any(|entry| !is_zero(entry));
        // The same about all axes needs no axes.
        let same = diagonal.is_some_and(|[a, b, c]| a.value == b.value && b.value == c.value);
        let rotation = placed.rotation.filter(|_| !same);
        Mass {
            mass: mass.map(Word::scalar).filter(|mass| !is_zero(mass)),
            com,
            inertia: given.then_some(Inertia { span: place, entries, rotation }),
        }
    }

    /// Raises mass and inertia to the bounds that `<compiler>` sets.
    fn bound(&mut self, mass: &mut Mass, body: &RawBody<'d>) {
        let (least, least_inertia) = (self.settings.bound_mass, self.settings.bound_inertia);
        let now = mass.mass.as_ref().and_then(frame::number).unwrap_or(0.0);
        if now < least {
            mass.mass = Some(frame::scalar(least, body.span));
        }
        if least_inertia <= 0.0 {
            return;
        }
        let zero = || Inertia { span: body.span, entries: Default::default(), rotation: None };
        let inertia = mass.inertia.get_or_insert_with(zero);
        let [diagonal, others] = [&inertia.entries[..3], &inertia.entries[3..]].map(|entries| {
            let number = |entry: &Option<DraftValue>| entry.as_ref().and_then(frame::number);
            entries.iter().map(|entry| number(entry).unwrap_or(0.0)).collect::<Vec<f64>>()
        });
        if others.iter().any(|entry| *entry != 0.0) {
            // The smallest principal moment is at least the smallest diagonal entry less this.
            let off: f64 = others.iter().map(|entry| entry.abs()).sum();
            if diagonal.iter().any(|entry| entry - off < least_inertia) {
                self.remarks.add(Remark::BoundInertia, body.span, &body.called);
            }
            return;
        }
        for (entry, value) in inertia.entries.iter_mut().zip(diagonal) {
            if value < least_inertia {
                *entry = Some(frame::scalar(least_inertia, body.span));
            }
        }
    }

    /// The solids of a body together; none if there is nothing to take.
    fn solids(&mut self, body: &RawBody<'d>, moves: bool) -> Option<(f64, Vector, frame::Matrix)> {
        let mut solids = Solids::default();
        for (element, frame) in &body.geoms {
            let group = self.number_of(*element, "group").map_or(0.0, |word| word.value);
            let [first, last] = self.settings.groups;
            if group < first || group > last {
                continue;
            }
            let outer = frame.map(|at| self.frames[at]);
            let Some((solid, mass, placed)) = self.geom(*element, body, moves) else { continue };
            let placed = placed.within(outer.as_ref());
            solids.add(solid, mass, &placed.pose);
        }
        solids.together()
    }

    /// A geom as a solid, its mass and where it is; none if it has no mass or none that is known.
    fn geom(
        &mut self,
        element: Element<'d>,
        body: &RawBody<'d>,
        moves: bool,
    ) -> Option<(Solid, f64, Placed)> {
        let span = self.reading.tag(element.node);
        let mass = self.number_of(element, "mass");
        let density = self.number_of(element, "density");
        let weightless = |word: Option<Word<'d>>| word.is_some_and(|word| word.value == 0.0);
        if weightless(mass) || (mass.is_none() && weightless(density)) {
            return None;
        }
        let mut shape = match self.get(element, "type") {
            Some(token) => self.one_of(token, &GEOMS)?,
            None => Geom::Sphere,
        };
        // A primitive fitted to a mesh has sizes that only MuJoCo knows.
        if self.get(element, "mesh").is_some() {
            shape = Geom::Unknown;
        }
        match shape {
            Geom::Plane => return None,
            Geom::Unknown => {
                if moves {
                    self.remarks.add(Remark::UnknownMass, span, &body.called);
                }
                return None;
            }
            _ => {}
        }
        if let Some(token) = self.get(element, "shellinertia")
            && self.one_of(token, &[("true", true), ("false", false)]) == Some(true)
        {
            self.remarks.add(Remark::Shell, span, &body.called);
            return None;
        }
        let (solid, placed) = self.solid(element, shape, &body.called)?;
        let volume = solid.volume();
        let mass = match (mass, density) {
            (Some(mass), _) => mass.value,
            (None, density) => volume * density.map_or(1000.0, |word| word.value),
        };
        Some((solid, mass, placed))
    }

    pub(super) fn solid(
        &mut self,
        element: Element<'d>,
        shape: Geom,
        called: &str,
    ) -> Option<(Solid, Placed)> {
        let ends = self.get(element, "fromto").and_then(|token| self.reading.vector::<6>(token));
        let size = self.sizes(element)?;
        let (placed, length) = match ends {
            Some(words) => {
                let [a, b] = [0, 3].map(|at| [0, 1, 2].map(|i| words[at + i].value));
                let d: Vector = [0, 1, 2].map(|i| a[i] - b[i]);
                let length = hypot(hypot(d[0], d[1]), d[2]) / 2.0;
                (self.between(words), Some(length))
            }
            None => (self.placed(element, called), None),
        };
        let [a, b, c] = size;
        let (solid, used) = match (shape, length) {
            (Geom::Sphere, _) => (Solid::Sphere { radius: a }, 1),
            (Geom::Capsule, None) => (Solid::Capsule { radius: a, half: b }, 2),
            (Geom::Capsule, Some(half)) => (Solid::Capsule { radius: a, half }, 1),
            (Geom::Cylinder, None) => (Solid::Cylinder { radius: a, half: b }, 2),
            (Geom::Cylinder, Some(half)) => (Solid::Cylinder { radius: a, half }, 1),
            // Between two points the first size is that of both directions across.
            (Geom::Ellipsoid, Some(half)) => (Solid::Ellipsoid { half: [a, a, half] }, 1),
            (Geom::Box, Some(half)) => (Solid::Box { half: [a, a, half] }, 1),
            (Geom::Ellipsoid, None) => (Solid::Ellipsoid { half: [a, b, c] }, 3),
            (Geom::Box, None) => (Solid::Box { half: [a, b, c] }, 3),
            (Geom::Plane | Geom::Unknown, _) => return None,
        };
        let positive = size[..used].iter().all(|size| *size > 0.0);
        if !positive || length.is_some_and(|length| length <= 0.0) {
            let span = self.size_span(element);
            let sizes = match used {
                1 => "a positive size".to_owned(),
                several => format!("{several} positive sizes"),
            };
            let message = format!("a geom of body `{called}` must have {sizes}");
            self.reading.error(DiagnosticCode::Number, span, message);
            return None;
        }
        Some((solid, placed))
    }

    fn size_span(&self, element: Element<'d>) -> Span {
        let size = self.get(element, "size");
        size.map_or_else(|| self.reading.tag(element.node), |token| token.span)
    }

    /// Up to three sizes; those that the element does not give are its class's.
    fn sizes(&mut self, element: Element<'d>) -> Option<Vector> {
        let mut sizes = [0.0; 3];
        let own = self.reading.attribute(element.node, "size");
        let inherited = self.classes.get(element.class, Kind::Geom, "size");
        let all: [Option<Token<'d>>; 2] = [inherited, own];
        for token in all.into_iter().flatten() {
            for (size, word) in sizes.iter_mut().zip(self.reading.numbers(token)?) {
                *size = word.value;
            }
        }
        Some(sizes)
    }
}
