//! Chains of three turns of a plant: when they are counted about other axes, and how they look to the user.

use crate::chart::{Count, Gimbal, gimbals, recounted};
use crate::inputs::Point;
use crate::plant::Plant;
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::{Problem, normalise};
use rotule_model::mechanism::Mechanism;

/// Three turns, how they are counted now if not as the user does, and what the user would count.
pub(crate) struct Turned {
    gimbal: Gimbal,
    order: Option<[usize; 3]>,
    angles: [f64; 3],
}

impl Turned {
    /// All that a mechanism has, counted as the user does.
    pub fn all(mechanism: &Mechanism, point: &Point) -> Vec<Turned> {
        let turned = |gimbal: Gimbal| {
            let angles = gimbal.angles(point);
            Turned { gimbal, order: None, angles }
        };
        gimbals(mechanism).into_iter().map(turned).collect()
    }

    fn count(&self) -> Count {
        self.order.map_or_else(|| self.gimbal.user.clone(), Count::order)
    }
}

impl Plant {
    pub(crate) fn orders(&self) -> Vec<Option<[usize; 3]>> {
        self.gimbals.iter().map(|one| one.order).collect()
    }

    /// Counts three turns otherwise if the present count is near to singular; says which joints and how. The point stays
    /// what it is, the state must be gathered anew.
    pub fn recount(&mut self) -> Result<Option<String>, Problem> {
        let mut said = Vec::new();
        for turned in &mut self.gimbals {
            let now = turned.count();
            // The user's angles go on, whatever is counted.
            let mut point = self.point.clone();
            turned.gimbal.carry(&now, &turned.gimbal.user, turned.angles, &mut point);
            turned.angles = turned.gimbal.angles(&point);
            let Some(order) = turned.gimbal.better(&now, &self.point) else { continue };
            let near = turned.gimbal.in_order(&now, order, &self.point);
            turned.gimbal.carry(&now, &Count::order(order), near, &mut self.point);
            turned.order = Some(order);
            let joint = |at: usize| self.base.joints[at].name.as_str();
            let names = turned.gimbal.joints.map(joint).join(", ");
            let axes = order.map(|axis| ["x", "y", "z"][axis]).join(" ");
            said.push(format!("{names} as turns about {axes}"));
        }
        if said.is_empty() {
            return Ok(None);
        }
        let mut mechanism = self.base.clone();
        for turned in &self.gimbals {
            if let Some(order) = turned.order {
                recounted(&mut mechanism, &turned.gimbal, order);
            }
        }
        let mut tree = normalise(mechanism);
        if is_constrained(&tree) {
            tree.choice = Some(self.choice_here(&tree)?);
        }
        // Predictions begin anew.
        self.anchor.t = self.point.t;
        self.anchor.q.copy_from_slice(&self.point.q);
        self.anchor.qdot.fill(0.0);
        self.anchor.curvature.fill(0.0);
        let before = std::mem::replace(&mut self.tree, tree.clone());
        self.user.get_or_insert(before);
        self.take(tree)?;
        Ok(Some(said.join("; ")))
    }

    /// Shows the plant with the angles that the user counts.
    pub fn as_user<R>(&mut self, show: impl FnOnce(&mut Plant) -> R) -> R {
        let Some(user) = self.user.take() else { return show(self) };
        let own = std::mem::replace(&mut self.tree, user);
        let point = self.point.clone();
        for turned in &self.gimbals {
            let (gimbal, count) = (&turned.gimbal, turned.count());
            gimbal.carry(&count, &gimbal.user, turned.angles, &mut self.point);
        }
        let shown = show(self);
        self.point = point;
        self.user = Some(std::mem::replace(&mut self.tree, own));
        shown
    }
}
