//! Symbolic expressions for multibody dynamics: hash-consed, and simplified while they are built.
//!
//! A [`Graph`] owns all nodes; an [`Expr`] is a small handle into it. There is no normal form and
//! nothing is ever expanded: every rule makes an expression cheaper, and cost is the number of
//! operations. Knows no mechanics, does no input or output, fails only by documented limits.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod adjoint;
mod antiderivative;
mod build;
mod call;
pub mod cost;
mod count;
mod derivative;
pub mod elementary;
mod evaluate;
mod expand;
mod expr;
mod factor;
pub mod figures;
mod fourier;
mod function;
mod graph;
mod handle;
pub mod interval;
mod latex;
pub mod list;
mod names;
mod node;
mod number;
mod operand_table;
mod order;
mod parse;
mod pattern;
mod print;
mod product;
pub mod random;
pub mod rules;
mod set;
pub mod sincos;
mod snippet;
mod squares;
mod substitute;
mod sum;
mod syntax;
mod variable;
mod vector;
mod walk;

pub use build::{CallReading, Scope, build, kind_of_name};
pub use count::Counts;
pub use derivative::{Derivatives, Direction};
pub use expr::{Expr, FunctionId, SymbolId, VariableId};
pub use function::{Binary, Compare, Kind, Kinds, Parity, Unary};
pub use graph::{ForeignCode, ForeignFunction, Graph, Symbol, for_each_operand};
pub use handle::{GraphCell, Mat3, Scalar, Vec3, sum};
pub use latex::{LatexRow, LatexStyle, greek, latex_name, latex_width, latex_word};
pub use names::{did_you_mean, expected_one_of, likely};
pub use node::{Factor, Node, Term};
pub use number::Number;
pub use operand_table::{Newest, OperandTable};
pub use parse::{
    MAX_DEPTH, MAX_DIGITS, MAX_EXPONENT, MAX_NAME, MAX_NODES, MAX_TEXT, ParseError, is_name,
    nearest, parse,
};
pub use set::SymbolSet;
pub use snippet::{Snippet, line_column};
pub use sum::FLATTEN_LIMIT;
pub use syntax::{
    Arithmetic, Doubles, NameId, Operand, Operands, Operations, Syntax, SyntaxId, SyntaxNode,
};
pub use vector::{Matrix, Vector};
