//! Units where a draft is resolved: values become SI numbers, and each is of the dimension of its
//! place.
//!
//! What is checked is a value with its unit, and a parameter or state with a unit that is used by
//! its name alone. Expressions are not checked.

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Along, DraftValue, JointType, Text, Value};
use crate::resolve::expressions::{Offer, within};
use crate::resolve::{Resolver, short};
use crate::source::Span;
use crate::units::{self, Amount, Dimension, Unit, UnitError};
use rotule_symbolic::{Expr, Kind, parse};
use std::fmt;

/// A quantity that a joint has for each degree of freedom.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Coordinates.
    Coordinate,
    /// Speeds.
    Speed,
    /// Accelerations.
    Acceleration,
    /// Efforts.
    Effort,
    /// Inertia along the coordinate.
    Inertia,
}

impl Of {
    /// Number of them that a joint has.
    pub fn count(self, kind: JointType) -> usize {
        if self == Of::Coordinate { kind.coordinates() } else { kind.speeds() }
    }

    /// The dimension of one of them; none beyond the last.
    pub fn dimension(self, kind: JointType, index: usize) -> Option<Dimension> {
        if self == Of::Coordinate && kind.quaternion().is_some_and(|first| index >= first) {
            return Some(Dimension::NUMBER);
        }
        let length = *kind.along().get(index)? == Along::Length;
        let coordinate = if length { Dimension::LENGTH } else { Dimension::ANGLE };
        Some(match self {
            Of::Coordinate => coordinate,
            Of::Speed => coordinate.per_time(1),
            Of::Acceleration => coordinate.per_time(2),
            Of::Effort if length => Dimension::FORCE,
            Of::Effort => Dimension::TORQUE,
            Of::Inertia if length => Dimension::MASS,
            Of::Inertia => Dimension::INERTIA,
        })
    }

    /// The dimension of all of them; none if they differ.
    pub fn whole(self, kind: JointType) -> Option<Dimension> {
        let first = self.dimension(kind, 0);
        let same = (1..self.count(kind)).all(|index| self.dimension(kind, index) == first);
        first.filter(|_| same)
    }
}

/// The unit that is shown beside a value in SI: as it is written where that is an SI unit.
pub fn shown(unit: Option<&Unit>, written: Option<&Text>) -> String {
    match (unit, written) {
        (Some(unit), Some(text)) if unit.is_coherent() => text.value.trim().to_owned(),
        (Some(unit), _) => unit.si(),
        (None, _) => String::new(),
    }
}

impl<'d> Resolver<'d> {
    /// The unit of a parameter or state; none if there is none, or if it cannot be read.
    pub(super) fn read_unit(
        &mut self,
        written: Option<&Text>,
        what: fmt::Arguments<'_>,
    ) -> Option<Unit> {
        let written = written.filter(|text| !text.value.trim().is_empty())?;
        match units::parse(&written.value) {
            Ok(unit) => Some(unit),
            Err(fault) => {
                self.unit_fault(&fault, written.span, &written.value, what, None);
                None
            }
        }
    }

    fn unit_fault(
        &mut self,
        fault: &UnitError,
        span: Span,
        text: &str,
        what: fmt::Arguments<'_>,
        help: Option<String>,
    ) {
        let span = within(span, text.len(), fault.span.clone());
        let message = format!("the unit of {what}: {fault}");
        let left = self.suggestions.checked_sub(usize::from(help.is_none()));
        self.suggestions = left.unwrap_or(0);
        let help = help.or_else(|| left.and_then(|_| units::remedy(text, fault)));
        self.out.push(Diagnostic::error(DiagnosticCode::Unit, span, message).maybe_help(help));
    }

    /// A number with a unit behind it.
    pub(super) fn amount(
        &mut self,
        amount: Result<Amount<'_>, UnitError>,
        scalar: &DraftValue,
        what: fmt::Arguments<'_>,
        of: Option<Dimension>,
        offer: &Offer<'_>,
    ) -> Expr {
        let Value::Expression(text) = &scalar.value else { return Expr::ZERO };
        let amount = match amount {
            Ok(amount) => amount,
            Err(fault) => {
                let product = self.product(text, offer);
                self.unit_fault(&fault, scalar.span, text, what, product);
                return Expr::ZERO;
            }
        };
        let product = self.names.parameters.contains(amount.text).then(|| {
            let (number, name) = (amount.number, short(amount.text));
            format!("the product with the parameter `{name}` is written `{number}*{name}`")
        });
        match of {
            Some(of) if of != amount.unit.dimension() => {
                let found = amount.unit.dimension();
                let message = mismatch(what, "in", &short(amount.text), found, of);
                let help = product.unwrap_or_else(|| expected(of));
                self.out
                    .push(Diagnostic::error(DiagnosticCode::Unit, scalar.span, message).help(help));
                return Expr::ZERO;
            }
            None => {
                if let Some(help) = product {
                    let text = short(text.trim());
                    let message = format!("`{text}` in {what} is a number with a unit");
                    self.out.push(
                        Diagnostic::note(DiagnosticCode::Ambiguous, scalar.span, message)
                            .help(help),
                    );
                }
            }
            Some(_) => {}
        }
        if !amount.si().is_finite() {
            let message = format!("{what} is too large for a number of double precision");
            self.error(DiagnosticCode::Number, scalar.span, message);
            return Expr::ZERO;
        }
        amount.expr(&mut self.graph)
    }

    /// The remedy for a text that is no amount but a product whose sign was forgotten.
    fn product(&self, text: &str, offer: &Offer<'_>) -> Option<String> {
        let (number, rest) = text.trim().split_once(char::is_whitespace)?;
        let rest = rest.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..end];
        let known = name == "pi"
            || self.names.parameters.contains(name)
            || self.names.states.contains(name)
            || self.names.joints.contains_key(name)
            || offer.locals.iter().any(|(local, _)| *local == name);
        let called = rest[end..].starts_with('(');
        (known || called)
            .then(|| format!("a product is written `{}*{}`", short(number), short(rest)))
    }

    /// Checks that a parameter or state that is used by its name alone is of the dimension of the
    /// place.
    pub(super) fn check_name(
        &mut self,
        text: &str,
        span: Span,
        what: fmt::Arguments<'_>,
        of: Option<Dimension>,
        offer: &Offer<'_>,
    ) {
        let name = text.trim_start_matches(['-', ' ']).trim_end();
        let (Some(of), Some(&(found, place))) = (of, self.dimensions.get(name)) else { return };
        if found == of || offer.locals.iter().any(|(local, _)| *local == name) {
            return;
        }
        let message = mismatch(what, "by", &short(name), found, of);
        let finding = Diagnostic::error(DiagnosticCode::Unit, span, message).help(expected(of));
        self.out.push(finding.also(place, format!("the unit of `{}` is here", short(name))));
    }

    /// A value that is given in a unit, as SI. What is computed from others is SI already, so that
    /// its unit can be no other.
    pub(super) fn in_unit(
        &mut self,
        value: Expr,
        written: &DraftValue,
        what: fmt::Arguments<'_>,
        unit: Option<&Unit>,
    ) -> Expr {
        let Some(unit) = unit.filter(|unit| !unit.is_coherent()) else { return value };
        let Value::Expression(text) = &written.value else {
            let factor = unit.factor(&mut self.graph);
            return self.graph.mul(value, factor);
        };
        if units::amount(text).is_some() {
            return value;
        }
        let names = parse(text).map(|syntax| syntax.names().to_vec()).unwrap_or_default();
        if self.graph.kinds(value).contains(Kind::Parameter) {
            let si = unit.si();
            let message = format!("{what} is computed from parameters, which are SI numbers");
            let help = format!("give it the unit `{si}`");
            self.out
                .push(Diagnostic::error(DiagnosticCode::Unit, written.span, message).help(help));
        } else if unit.has_pi() && names.iter().any(|name| name == "deg") {
            let message = format!("{what} has `deg` in its value and in its unit");
            let help = "write the number alone, or leave the unit out";
            self.out
                .push(Diagnostic::error(DiagnosticCode::Unit, written.span, message).help(help));
        }
        let factor = unit.factor(&mut self.graph);
        self.graph.mul(value, factor)
    }

    /// A rate is SI like every expression: a number that might be meant in the state's unit must
    /// say its own.
    pub(super) fn check_rate(
        &mut self,
        rate: &DraftValue,
        what: fmt::Arguments<'_>,
        unit: Option<&Unit>,
    ) {
        let number = matches!(rate.value, Value::Number(number) if number != 0.0);
        if let Some(unit) = unit.filter(|unit| number && !unit.is_coherent()) {
            let message = format!("{what} is a number without a unit, while the state has one");
            let help = format!(
                "write it with its unit; a rate without one is in `{}` per second",
                unit.si()
            );
            self.out.push(Diagnostic::error(DiagnosticCode::Unit, rate.span, message).help(help));
        }
    }
}

fn mismatch(
    what: fmt::Arguments<'_>,
    word: &str,
    given: &str,
    found: Dimension,
    of: Dimension,
) -> String {
    let named = |dimension: Dimension| match dimension.name() {
        Some((name, _)) => name.to_owned(),
        None => format!("a quantity in `{}`", dimension.si()),
    };
    format!("{what} is given {word} `{given}`, {}, expected {}", named(found), named(of))
}

fn expected(of: Dimension) -> String {
    let unit = of.name().map_or_else(|| of.si(), |(_, unit)| unit.to_owned());
    format!("its unit is `{unit}` or another of this dimension")
}
