//! Freezing: parameters become numbers, which fold through all expressions of a mechanism.

use crate::mechanism::{
    Action, BodyForm, Cut, CutKind, Frame, Mechanism, Placement, Requirement, Role, SignalSource,
};
use rotule_symbolic::{Expr, Number};

impl Mechanism {
    /// Puts the numbers of some parameters in their place; these are no longer parameters. Gives
    /// what the parameters were. Names that are no parameter are passed over.
    pub fn freeze(&mut self, names: &[&str]) -> Vec<crate::mechanism::Parameter> {
        let mut pairs = Vec::new();
        for parameter in &self.parameters {
            if names.contains(&parameter.name.as_str()) {
                let number = self.graph.number(Number::from(parameter.value));
                pairs.push((parameter.symbol, number));
            }
        }
        let mut before = Vec::new();
        self.for_each_expr(&mut |expr| before.push(*expr));
        let mut after = self.graph.substitute(&before, &pairs).into_iter();
        self.for_each_expr(&mut |expr| *expr = after.next().unwrap_or(*expr));
        let frozen = |one: &crate::mechanism::Parameter| names.contains(&one.name.as_str());
        let (gone, kept) = std::mem::take(&mut self.parameters).into_iter().partition(frozen);
        self.parameters = kept;
        let positions = self.parameters.iter().enumerate();
        self.index = positions.map(|(at, one)| (one.name.clone(), at)).collect();
        gone
    }

    /// Calls `visit` with every expression of the mechanism but the symbols themselves.
    fn for_each_expr(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        self.gravity.0.iter_mut().chain(&mut self.baumgarte).for_each(&mut *visit);
        self.checks.iter_mut().flat_map(|one| &mut one.exprs).for_each(&mut *visit);
        for body in &mut self.bodies {
            placement(&mut body.placement, visit);
            visit(&mut body.mass);
            body.com.0.iter_mut().for_each(&mut *visit);
            body.inertia.0.iter_mut().flatten().for_each(&mut *visit);
            for shape in &mut body.shapes {
                placement(&mut shape.placement, visit);
                if let BodyForm::Solid(_, sizes) = &mut shape.form {
                    sizes.iter_mut().for_each(&mut *visit);
                }
            }
        }
        for joint in &mut self.joints {
            joint.axes.iter_mut().flat_map(|axis| &mut axis.0).for_each(&mut *visit);
            joint.effort.iter_mut().for_each(&mut *visit);
            [&mut joint.pitch, &mut joint.armature].into_iter().for_each(&mut *visit);
            joint.actuation.iter_mut().for_each(&mut *visit);
            joint.range.iter_mut().flatten().for_each(&mut *visit);
            joint.max_speed.iter_mut().chain(&mut joint.max_effort).for_each(&mut *visit);
            if let Role::Driven { q, qd, qdd } = &mut joint.role {
                q.iter_mut().chain(qd).chain(qdd).for_each(&mut *visit);
            }
        }
        self.coordinates.iter_mut().for_each(|one| visit(&mut one.initial));
        self.speeds.iter_mut().for_each(|one| visit(&mut one.initial));
        self.points.iter_mut().for_each(|one| frame(&mut one.frame, visit));
        for one in &mut self.intermittent {
            match &mut one.requirement {
                Requirement::Cut(cut) => closure(cut, visit),
                Requirement::Constraint(constraint) => visit(&mut constraint.expression),
            }
        }
        for cut in &mut self.cuts {
            closure(cut, visit);
        }
        for coupling in &mut self.couplings {
            coupling.terms.iter_mut().for_each(|(_, factor)| visit(factor));
            visit(&mut coupling.offset);
        }
        self.constraints.iter_mut().for_each(|one| visit(&mut one.expression));
        for line_force in &mut self.line_forces {
            line_force.ends.iter_mut().for_each(|end| frame(end, visit));
            visit(&mut line_force.force);
        }
        for force in &mut self.forces {
            frame(&mut force.at, visit);
            force.force.0.iter_mut().chain(&mut force.torque.0).for_each(&mut *visit);
        }
        for wheel in &mut self.wheels {
            wheel.axle.0.iter_mut().for_each(&mut *visit);
            [&mut wheel.radius, &mut wheel.ground].into_iter().for_each(&mut *visit);
            wheel.laws.iter_mut().for_each(&mut *visit);
        }
        self.sensors.iter_mut().for_each(|one| frame(&mut one.at, visit));
        for signal in &mut self.signals {
            if let SignalSource::Frame { at, .. } = &mut signal.source {
                frame(at, visit);
            }
        }
        self.points.iter_mut().for_each(|one| frame(&mut one.frame, visit));
        for input in &mut self.inputs {
            visit(&mut input.course);
            input.limits.iter_mut().flatten().for_each(&mut *visit);
        }
        self.flows.iter_mut().for_each(|(_, rate)| visit(rate));
        for event in &mut self.events {
            visit(&mut event.when);
            event.period.iter_mut().flatten().for_each(&mut *visit);
            for action in &mut event.actions {
                match action {
                    Action::Set { value, .. } => visit(value),
                    Action::Impact { restitution, .. } => visit(restitution),
                    Action::Stick { limit, .. } => visit(limit),
                    Action::Lock(_)
                    | Action::Unlock(_)
                    | Action::Engage(_)
                    | Action::Release(_)
                    | Action::End => {}
                }
            }
        }
        self.outputs.iter_mut().for_each(|output| visit(&mut output.value));
        for state in &mut self.states {
            [&mut state.initial, &mut state.rate].into_iter().for_each(&mut *visit);
        }
    }
}

fn closure(cut: &mut Cut, visit: &mut dyn FnMut(&mut Expr)) {
    cut.ends.iter_mut().for_each(|end| frame(end, visit));
    match &mut cut.kind {
        CutKind::Rod { length } => visit(length),
        CutKind::Joint { axes, pitch, .. } => {
            axes.iter_mut().flat_map(|axis| &mut axis.0).for_each(&mut *visit);
            visit(pitch);
        }
    }
}

fn frame(frame: &mut Frame, visit: &mut dyn FnMut(&mut Expr)) {
    placement(&mut frame.placement, visit);
}

fn placement(placement: &mut Placement, visit: &mut dyn FnMut(&mut Expr)) {
    placement.position.0.iter_mut().for_each(&mut *visit);
    placement.rotation.0.iter_mut().flatten().for_each(visit);
}
