//! Nodes: the stored form, 32 bytes, and the view that everyone else reads.

use crate::expr::{Expr, FunctionId, SymbolId, VariableId};
use crate::function::{Binary, Compare, Kinds, Unary};
use crate::number::Number;
use crate::order::Look;
use crate::set::SymbolSet;

/// One term of a sum: a number times a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// A number node, with its sign.
    pub coefficient: Expr,
    /// The counted expression: never negative, a number only as [`Expr::ONE`] for the constant
    /// term.
    pub core: Expr,
}

/// One factor of a product: a base to a whole power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// Never negative, never a number, a product only if it was too long to flatten.
    pub base: Expr,
    /// Never zero.
    pub power: i32,
}

/// A node as seen by readers; the sign of the edge is not part of it.
#[derive(Clone, Copy, Debug)]
pub enum Node<'g> {
    /// A number that is not negative.
    Number(Number),
    /// The constant pi.
    Pi,
    /// An input.
    Symbol(SymbolId),
    /// A named quantity, an atom for the rules; its definition is another expression.
    Variable(VariableId),
    /// Two or more terms; the first in canonical order is positive.
    Sum(&'g [Term]),
    /// Two or more factors, or one with a power other than one. No number among them.
    Product(&'g [Factor]),
    /// A positive number, not one, times a core that is no number and no other `Scale`.
    Scale(Number, Expr),
    /// A function of one argument.
    Unary(Unary, Expr),
    /// A function of two arguments.
    Binary(Binary, Expr, Expr),
    /// `[left, right, then, otherwise]`: `then` where the comparison of the first two holds.
    Select(Compare, &'g [Expr]),
    /// All results of an external call; only [`Node::Result`] refers to it.
    Call(FunctionId, &'g [Expr]),
    /// One result of a call.
    Result(Expr, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Tag {
    Number,
    Pi,
    Symbol,
    Variable,
    Sum,
    Product,
    Scale,
    Unary,
    Binary,
    Select,
    Call,
    Result,
}

/// The stored node. `first` and `count` are a range in one of the graph's pools or two operands,
/// `detail` is the function or comparison, as the tag says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    /// Hash of the structure by names and numbers, not by indices: it is the same whatever was
    /// built before.
    pub(crate) hash: u32,
    /// The part of the canonical order that counts before the hash.
    pub(crate) look: Look,
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// Operations to evaluate this node as a tree; see [`crate::cost`].
    pub(crate) cost: u32,
    pub(crate) symbols: SymbolSet,
    pub(crate) tag: Tag,
    /// The number of the function or comparison, and [`Stored::TRIG`].
    pub(crate) detail: u8,
    pub(crate) kinds: Kinds,
}

// Half a cache line: graphs have millions of nodes, and building reads them at random.
const _: () = assert!(size_of::<Stored>() == 32);

impl Stored {
    /// The bit of `detail` that stands for [`Stored::trig`].
    pub(crate) const TRIG: u8 = 0x80;

    /// Sines, cosines or tangents occur among the factors of its terms, variables seen through.
    pub(crate) const fn trig(&self) -> bool {
        self.detail & Stored::TRIG != 0
    }

    /// The number of the function or comparison among all of them.
    pub(crate) const fn function(&self) -> usize {
        (self.detail & !Stored::TRIG) as usize
    }
}
