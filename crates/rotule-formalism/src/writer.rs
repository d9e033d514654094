//! The writer: what a formalism reads, and the sheet that it writes on.
//!
//! A [`Writer`] is copied freely. It lends the mechanism, the tree, the motion and the strategy,
//! none of which it changes, and a [`Sheet`], the only thing that is mutated: the graph with all
//! expressions, the iterations that find symbols, and the marks. A recursion on other frames, or
//! about another motion, gets a writer that lends these: `Writer { tree: &moved, ..w }`.
//!
//! Expressions are [`Scalar`]s, [`Vec3`]s and [`Mat3`]s of the sheet's graph, with operators;
//! stored data become such by [`Writer::scalar`], [`Writer::vector`] and [`Writer::matrix`].

use crate::constraint::partition::CoordinatePartition;
use crate::forces::Contact;
use crate::problem::Problem;
use crate::signals::{Written, settled};
use crate::system::{MotionInput, MultibodySystem, Strategy};
use crate::tree::{ByNode, NodeId, PlainWrench, Tree, TreeNode};
use rotule_model::index::{ByCoordinate, BySpeed, SpeedId};
use rotule_model::mechanism::Mechanism;
use rotule_program::Tag;
use rotule_program::lower::{MarkTarget, Solve, Target};
use rotule_symbolic::{
    Direction, Expr, Graph, GraphCell, Mat3, Matrix, Number, Scalar, SymbolId, Vec3, Vector,
};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Everything that a formalism reads and writes; see the head of this file.
#[derive(Clone, Copy)]
pub struct Writer<'s, 'g> {
    /// The mechanism.
    pub mechanism: &'s Mechanism,
    /// The tree that recursions run on.
    pub tree: &'s Tree,
    /// Coordinates, speeds and accelerations that equations are about.
    pub motion: &'s MotionInput,
    /// Choices that are free in writing them.
    pub strategy: &'s Strategy,
    /// The sheet that is written on.
    pub sheet: &'g Sheet,
}

/// Everything that formalisms write.
#[derive(Clone)]
pub struct Sheet {
    /// All expressions.
    pub graph: GraphCell,
    /// Iterations that find symbols which expressions use: contacts on general ground, loops. One
    /// may use what those before it find.
    pub solves: RefCell<Vec<Solve>>,
    /// For solves with more unknowns than residuals, the directions that the unknowns can go: as
    /// many as residuals. Those of joints with quaternions that follow.
    pub(crate) tangents: RefCell<BTreeMap<usize, Vec<Direction>>>,
    /// The results of recursions, in their order, tagged with the parts that they belong to.
    pub marks: RefCell<Vec<MarkTarget>>,
    /// Forces and torques of line forces, wheels and the like, once they were requested.
    pub(crate) wrenches: RefCell<Option<ByNode<PlainWrench>>>,
    /// Contacts of wheels, those that were requested.
    pub(crate) contacts: RefCell<Vec<Option<Contact>>>,
    /// Signals that laws use, once they were requested.
    pub(crate) signals: RefCell<Written>,
    /// The motion with closed loops, once they were closed.
    pub(crate) closed: RefCell<Option<MotionInput>>,
    /// The passes of differentiation of linearised equations.
    pub passes: RefCell<Vec<DerivativePass>>,
}

/// A pass over the graph that differentiates by all directions of a variable.
#[derive(Clone, Debug)]
pub struct DerivativePass {
    /// The expressions that were differentiated.
    pub roots: Vec<Expr>,
    /// The directions.
    pub directions: Vec<Direction>,
    /// Nodes that were differentiated, over all directions.
    pub nodes: usize,
}

impl<'s, 'g> Writer<'s, 'g> {
    /// A stored expression.
    pub fn scalar(self, expr: Expr) -> Scalar<'g> {
        self.sheet.graph.scalar(expr)
    }

    /// Stored expressions.
    pub fn scalars(self, list: &[Expr]) -> Vec<Scalar<'g>> {
        self.sheet.graph.scalars(list)
    }

    /// A stored vector.
    pub fn vector(self, vector: Vector) -> Vec3<'g> {
        self.sheet.graph.vector(vector)
    }

    /// A stored matrix.
    pub fn matrix(self, matrix: Matrix) -> Mat3<'g> {
        self.sheet.graph.matrix(matrix)
    }

    /// Mass, centre of mass and inertia about it of a node, in its axes.
    pub(crate) fn inertia(self, node: NodeId) -> (Scalar<'g>, Vec3<'g>, Mat3<'g>) {
        let TreeNode { mass, com, inertia, .. } = self.tree.nodes[node];
        (self.scalar(mass), self.vector(com), self.matrix(inertia))
    }

    /// A number.
    pub fn number(self, number: impl Into<Number>) -> Scalar<'g> {
        self.sheet.graph.number(number)
    }

    /// Looks at the graph. Handles must not be computed with meanwhile.
    pub(crate) fn read<T>(self, look: impl FnOnce(&Graph) -> T) -> T {
        self.sheet.graph.read(look)
    }

    /// Writes into the graph directly. Handles must not be computed with meanwhile.
    pub(crate) fn edit<T>(self, write: impl FnOnce(&mut Graph) -> T) -> T {
        self.sheet.graph.edit(write)
    }

    /// The number that an expression is, if it is one.
    pub(crate) fn number_of(self, expr: Expr) -> Option<f64> {
        self.read(|graph| graph.number_of(expr).map(Number::to_f64))
    }

    /// Values of expressions of parameters: see [`Mechanism::evaluate`].
    pub(crate) fn evaluate(self, list: &[Expr]) -> Vec<f64> {
        self.read(|graph| self.mechanism.evaluate_in(graph, list))
    }

    /// Names a quantity of a node: `w[arm]`, and `w[arm].x` and so on for its components.
    pub(crate) fn name<T: Named>(self, symbol: &str, node: NodeId, value: T) -> T {
        value.named(&format!("{symbol}[{}]", self.tree.nodes[node].name))
    }

    /// Names a quantity of a node that belongs to a speed: `O[arm,2]`, counted from one.
    pub(crate) fn name_column<T: Named>(
        self,
        symbol: &str,
        node: NodeId,
        speed: SpeedId,
        value: T,
    ) -> T {
        let number = speed.index() + 1;
        value.named(&format!("{symbol}[{},{number}]", self.tree.nodes[node].name))
    }

    /// Number of operations of an evaluation: the measure of what is cheaper.
    pub(crate) fn operations(self, list: impl IntoIterator<Item = Scalar<'g>>) -> u64 {
        self.sheet.graph.operations(list)
    }

    /// The number of speeds.
    pub fn speeds(self) -> usize {
        self.motion.qd.len()
    }

    /// The coordinates.
    pub(crate) fn q(self) -> ByCoordinate<Scalar<'g>> {
        self.motion.q.iter().map(|&one| self.scalar(one)).collect()
    }

    /// The speeds.
    pub(crate) fn qd(self) -> BySpeed<Scalar<'g>> {
        self.motion.qd.iter().map(|&one| self.scalar(one)).collect()
    }

    /// The accelerations.
    pub(crate) fn qdd(self) -> BySpeed<Scalar<'g>> {
        self.motion.qdd.iter().map(|&one| self.scalar(one)).collect()
    }

    /// A value for each speed, at first equal.
    pub(crate) fn by_speed<T: Clone>(self, value: T) -> BySpeed<T> {
        BySpeed::filled(value, self.speeds())
    }

    /// The efforts of joint laws.
    pub(crate) fn laws(self) -> BySpeed<Scalar<'g>> {
        self.scalars(&settled(self, self.motion.laws.as_slice())).into()
    }

    /// The efforts on all speeds: what is applied, and the joints' laws.
    pub(crate) fn applied(self) -> BySpeed<Scalar<'g>> {
        let given = self.mechanism.speeds.iter().map(|speed| self.scalar(speed.effort));
        given.zip(self.laws()).map(|(effort, law)| effort + law).collect()
    }

    /// The motion with closed loops if they were closed on this sheet.
    pub(crate) fn closed_motion(self) -> MotionInput {
        self.sheet.closed.borrow().as_ref().unwrap_or(self.motion).clone()
    }

    /// Derivatives of expressions along directions, those that are not zero.
    pub(crate) fn derivatives_along<'a>(
        self,
        list: impl IntoIterator<Item = &'a Scalar<'g>>,
        directions: &[Direction],
    ) -> Entries<'g>
    where
        'g: 'a,
    {
        self.derivatives_in_pass(list, directions).0
    }

    /// The same, with the number of nodes that were differentiated.
    pub(crate) fn derivatives_in_pass<'a>(
        self,
        list: impl IntoIterator<Item = &'a Scalar<'g>>,
        directions: &[Direction],
    ) -> (Entries<'g>, usize)
    where
        'g: 'a,
    {
        let list = exprs(list);
        let found = self.edit(|graph| graph.derivatives_along(&list, directions));
        let entry = |(row, column, value)| (row, column, self.scalar(value));
        (found.entries.into_iter().map(entry).collect(), found.nodes)
    }

    /// Expressions with others in the place of symbols.
    pub(crate) fn substitute(self, list: &[Expr], pairs: &[(Expr, Expr)]) -> Vec<Expr> {
        self.edit(|graph| graph.substitute(list, pairs))
    }

    /// The symbol that an expression is, if it is one.
    pub(crate) fn symbol_of(self, expr: Expr) -> Option<SymbolId> {
        self.read(|graph| graph.symbol_of(expr))
    }

    /// The symbols that an expression depends on.
    pub(crate) fn symbols_in(self, expr: Expr) -> Vec<SymbolId> {
        self.edit(|graph| {
            let set = graph.symbols_of(expr);
            graph.symbols_in(set).collect()
        })
    }

    /// The text of an expression.
    pub(crate) fn text(self, expr: Expr) -> String {
        self.sheet.text(expr)
    }

    /// Marks the end of a section of the equations, which has found some expressions.
    pub(crate) fn mark(self, section: &str, found: impl IntoIterator<Item = Scalar<'g>>) {
        self.mark_part(Tag::section(section), found);
    }

    /// Marks what a part of the equations has found.
    pub(crate) fn mark_part(self, tag: Tag, found: impl IntoIterator<Item = Scalar<'g>>) {
        let values = found.into_iter().map(Scalar::expr).collect();
        self.sheet.marks.borrow_mut().push(MarkTarget { tag, values });
    }

    /// Writes on a copy of the sheet, for expressions that are only looked at.
    pub(crate) fn on_draft<T>(self, run: impl FnOnce(Writer<'_, '_>) -> T) -> T {
        let sheet = self.sheet.clone();
        run(Writer { sheet: &sheet, ..self })
    }

    /// The coordinate partition that a function of the closed mechanism needs.
    pub(crate) fn partition(self, function: &str) -> Result<&'s CoordinatePartition, Problem> {
        self.strategy.partition.as_ref().ok_or_else(|| {
            Problem::new(
                format!("`{function}` closes loops and is given no coordinate partition"),
                "choose one for the function by `rotule_numeric::partitioned`",
            )
        })
    }
}

/// Entries of a matrix: row, column, value.
pub type Entries<'g> = Vec<(usize, usize, Scalar<'g>)>;

/// The entry of a symmetric matrix that belongs to two speeds, at or below the diagonal.
pub(crate) fn lower<'g>(a: SpeedId, b: SpeedId, value: Scalar<'g>) -> (usize, usize, Scalar<'g>) {
    (a.max(b).index(), a.min(b).index(), value)
}

/// Something that can be given names in the graph.
pub(crate) trait Named {
    /// The same, with variables of this name or names that begin with it.
    #[must_use]
    fn named(self, name: &str) -> Self;
}

impl Named for Scalar<'_> {
    fn named(self, name: &str) -> Self {
        Scalar::named(self, name)
    }
}

impl Named for Vec3<'_> {
    fn named(self, name: &str) -> Self {
        Vec3::named(self, name)
    }
}

impl Named for Mat3<'_> {
    fn named(self, name: &str) -> Self {
        Mat3::named(self, name)
    }
}

/// Plain expressions of handles, for storage and outputs.
pub(crate) fn exprs<'a, 'g: 'a>(list: impl IntoIterator<Item = &'a Scalar<'g>>) -> Vec<Expr> {
    list.into_iter().map(|one| one.expr()).collect()
}

/// An output that is a matrix.
pub(crate) fn matrix_of(name: &str, size: [usize; 2], entries: Entries<'_>) -> Target {
    let entry = |(row, column, value): (usize, usize, Scalar<'_>)| {
        (row as u32, column as u32, value.expr())
    };
    Target {
        name: name.to_owned(),
        rows: size[0] as u32,
        columns: size[1] as u32,
        symmetric: false,
        entries: entries.into_iter().map(entry).collect(),
    }
}

impl Sheet {
    /// A sheet that begins with these expressions.
    pub fn new(graph: Graph) -> Sheet {
        Sheet {
            graph: GraphCell::new(graph),
            solves: RefCell::default(),
            tangents: RefCell::default(),
            marks: RefCell::default(),
            wrenches: RefCell::default(),
            contacts: RefCell::default(),
            signals: RefCell::default(),
            closed: RefCell::default(),
            passes: RefCell::default(),
        }
    }

    /// The text of an expression.
    pub fn text(&self, expr: Expr) -> String {
        self.graph.read(|graph| graph.text(expr))
    }

    /// Expressions, iterations and marks, when nothing is written any more.
    pub fn into_parts(self) -> (Graph, Vec<Solve>, Vec<MarkTarget>) {
        (self.graph.into_inner(), self.solves.into_inner(), self.marks.into_inner())
    }
}

impl MultibodySystem {
    /// A sheet to write on, with all expressions of the system.
    pub fn sheet(&self) -> Sheet {
        let mut graph = self.mechanism.graph.clone();
        graph.set_order(self.strategy.choices.order);
        Sheet::new(graph)
    }

    /// A writer about this system.
    pub fn writer<'s, 'g>(&'s self, sheet: &'g Sheet) -> Writer<'s, 'g> {
        let MultibodySystem { mechanism, tree, motion, strategy, .. } = self;
        Writer { mechanism, tree, motion, strategy, sheet }
    }
}
