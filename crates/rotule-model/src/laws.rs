//! A library of laws: expressions with names, for springs, stops, friction, contact and tyres.
//!
//! A call of a law in a model is read as its expression with the arguments put in, so that a law is
//! simplified and differentiated like anything else, and costs what it would cost written out. The
//! manual has an example of each.
//!
//! Signs: a law gives a positive number for a positive displacement and a positive velocity. That
//! is what a line force wants, whose positive force pulls its ends together; the effort of a joint
//! and the force on a place resist with a minus.

pub mod table;

use rotule_symbolic::{Expr, Graph};

/// A law.
#[derive(Debug, PartialEq, Eq)]
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// The names of its arguments.
    pub arguments: &'static [&'static str],
    /// Its kind.
    pub expression: &'static str,
    /// A line about its purpose.
    pub about: &'static str,
}

/// Every law.
pub const LAWS: &[Law] = &[
    Law {
        name: "spring_damper",
        arguments: &["Z", "Zd", "k", "Z0", "c"],
        expression: "k*(Z - Z0) + c*Zd",
        about: "a linear spring of free length Z0 and a linear damper",
    },
    Law {
        name: "bump_stop",
        arguments: &["x", "xd", "stop", "k", "c", "d"],
        // The damping grows over the depth d, or the force would jump where the stop is met.
        expression: "max(0, k*max(0, x - stop) + c*xd*min(1, max(0, x - stop)/d))",
        about: "a stop beyond x = stop: stiffness k, damping c reached at depth d; never pulls",
    },
    Law {
        name: "coulomb",
        arguments: &["v", "f", "v0"],
        expression: "f*v/sqrt(v^2 + v0^2)",
        about: "dry friction f, smooth within about v0 of rest",
    },
    Law {
        name: "stick_slip",
        arguments: &["v", "slide", "stick"],
        // At rest the force is whatever holds, up to `stick`: a simulation holds the joint, all
        // else sees none.
        expression: "if(v == 0, stick*v, slide*sign(v))",
        about: "dry friction of a joint: slide while its speed v is not zero, up to stick at rest",
    },
    Law {
        name: "hunt_crossley",
        arguments: &["p", "pd", "k", "n", "d"],
        expression: "if(p > 0, max(0, k*p^n*(1 + d*pd)), 0)",
        about: "contact at depth p with exponent n, losses in proportion to d; never pulls",
    },
    Law {
        name: "magic_formula",
        arguments: &["x", "B", "C", "D", "E"],
        expression: "D*sin(C*atan(B*x - E*(B*x - atan(B*x))))",
        about: "tyre force of Bakker and Pacejka: slope B*C*D at zero, peak D",
    },
    Law {
        name: "linear_tyre",
        arguments: &["x", "c", "limit"],
        expression: "max(-limit, min(limit, c*x))",
        about: "tyre force in proportion to slip, up to a limit",
    },
    Law {
        name: "relaxed_slip",
        arguments: &["vs", "v", "v0"],
        expression: "vs/max(abs(v), v0)",
        about: "sliding velocity over speed, with the least speed v0 below it",
    },
    Law {
        name: "clamp",
        arguments: &["x", "low", "high"],
        expression: "max(low, min(high, x))",
        about: "x within limits: saturation",
    },
    Law {
        name: "dead_zone",
        arguments: &["x", "width"],
        expression: "x - max(-width, min(width, x))",
        about: "none of x within the width about zero, the rest beyond it",
    },
    Law {
        name: "calspan",
        arguments: &["x", "c", "limit"],
        // The cubic of Calspan reaches the limit at c x = 3 limit without a kink.
        expression: "if(abs(c*x) < 3*limit, c*x - c*x*abs(c*x)/(3*max(limit, 1e-9)) + (c*x)^3/(27*max(limit, 1e-9)^2), limit*sign(x))",
        about: "side force of the Calspan tyre: slope c at zero, limit beyond c*x = 3*limit",
    },
    Law {
        name: "calspan_stiffness",
        arguments: &["Fz", "a0", "a1", "a2"],
        expression: "a0 + a1*Fz - a1/a2*Fz^2",
        about: "cornering stiffness of the Calspan tyre under the load Fz",
    },
    Law {
        name: "mod",
        arguments: &["x", "y"],
        expression: "x - y*floor(x/y)",
        about: "what is left of x when y is taken away as often as it fits; it has the sign of y",
    },
    table::LAW,
    table::LAW2,
];

/// The law of a name.
pub fn find(name: &str) -> Option<&'static Law> {
    LAWS.iter().find(|law| law.name == name)
}

impl Law {
    /// The usage of the law: its name and its arguments.
    pub fn usage(&self) -> String {
        format!("{}({})", self.name, self.arguments.join(", "))
    }

    /// The expression of the law with arguments put in; a message and a remedy if that is not
    /// possible.
    pub fn expand(&self, graph: &mut Graph, given: &[Expr]) -> Result<Expr, (String, String)> {
        if *self == table::LAW {
            return table::expand(graph, given);
        }
        if *self == table::LAW2 {
            return table::expand2(graph, given);
        }
        let (name, requested, found) = (self.name, self.arguments.len(), given.len());
        if found != requested {
            let message = format!("the law `{name}` takes {requested} arguments, found {found}");
            return Err((message, format!("write `{}`: {}", self.usage(), self.about)));
        }
        let mut scope = |_: &mut Graph, name: &str| {
            self.arguments.iter().position(|known| *known == name).map(|at| given[at])
        };
        graph.parse_in(self.expression, &mut scope).map_err(|fault| {
            let message =
                format!("the law `{name}` cannot have these arguments: {}", fault.message);
            (message, format!("`{}` is {}", self.usage(), self.expression))
        })
    }
}
