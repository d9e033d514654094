//! Damping and dry friction of joints: efforts besides their laws.

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft;
use crate::number_check::Want;
use crate::resolve::Resolver;
use rotule_symbolic::{Compare, Expr, Unary};

impl Resolver<'_> {
    /// The efforts of a joint's damping and friction, which resist its speeds.
    pub(super) fn passive_efforts(
        &mut self,
        joint: &draft::Joint,
        name: &str,
        speeds: &[Expr],
    ) -> Vec<Expr> {
        let mut efforts = vec![Expr::ZERO; speeds.len()];
        if let Some(damping) = &joint.damping {
            let what = format_args!("the damping of joint `{name}`");
            let factor = self.scalar(damping, what, None);
            for (effort, &speed) in efforts.iter_mut().zip(speeds) {
                let force = self.graph.mul(factor, speed);
                *effort = self.graph.sub(*effort, force);
            }
        }
        let Some(friction) = &joint.friction else { return efforts };
        let &[speed] = speeds else {
            let message = format!(
                "joint `{name}` has friction and {} speeds: only joints with one can stick",
                speeds.len()
            );
            let help = "make it a chain of joints with one coordinate each, or write `coulomb(..)` in its `effort`";
            let span = friction.slide.span;
            self.out.push(Diagnostic::error(DiagnosticCode::Dimension, span, message).help(help));
            return efforts;
        };
        let what = format_args!("the friction of joint `{name}`");
        let slide = self.scalar(&friction.slide, what, None);
        self.check(&[slide], friction.slide.span, what, Want::Gain);
        let stick = friction.stick.as_ref().map_or(slide, |stick| {
            let limit = self.scalar(stick, what, None);
            self.check(&[limit], stick.span, what, Want::Gain);
            limit
        });
        if slide == Expr::ZERO && stick == Expr::ZERO {
            return efforts;
        }
        // The law `stick_slip` of the library.
        let graph = &mut self.graph;
        let (rest, sign) = (graph.mul(stick, speed), graph.unary(Unary::Sign, speed));
        let sliding = graph.mul(slide, sign);
        let force = graph.select(Compare::Equal, speed, Expr::ZERO, rest, sliding);
        efforts[0] = graph.sub(efforts[0], force);
        efforts
    }
}
