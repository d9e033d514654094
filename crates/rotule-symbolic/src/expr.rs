//! The handle of an expression, and the other small indices of a graph.

use std::fmt;
use std::ops::Neg;

/// An expression in a [`Graph`](crate::Graph): a node's index with the sign on the edge.
///
/// Negation costs nothing and is never a node: `a - b` and `b - a` are one node seen through two
/// edges. A handle means something only together with the graph that made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(u32);

impl Expr {
    /// The number zero, in every graph.
    pub const ZERO: Expr = Expr(0);
    /// The number one, in every graph.
    pub const ONE: Expr = Expr(2);

    pub(crate) const fn new(index: usize) -> Expr {
        Expr((index as u32) << 1)
    }

    /// The node's index: nodes are numbered in the order of their making, operands first.
    pub const fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns `true` if the edge carries a minus sign.
    pub const fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// This node without the edge's sign. (Not the absolute value of the expression.)
    #[must_use]
    pub const fn abs(self) -> Expr {
        Expr(self.0 & !1)
    }

    /// The expression, negated if `negative`.
    #[must_use]
    pub const fn negated_if(self, negative: bool) -> Expr {
        if negative && self.0 != Expr::ZERO.0 { Expr(self.0 ^ 1) } else { self }
    }
}

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.negated_if(true)
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", if self.is_negative() { "-" } else { "" }, self.index())
    }
}

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The position in declaration order.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index! {
    /// An input of a graph.
    SymbolId
}
index! {
    /// A named intermediate quantity of a graph.
    VariableId
}
index! {
    /// A declared external function of a graph.
    FunctionId
}
