//! The arena of hash-consed nodes: interning, atoms, and what is known of a node.
//!
//! Nodes live in one vector, operands in side pools, and a table of bare indices finds a node by
//! its structure: no reference counts, no lifetimes for the user, about sixty bytes a node.
//! Operands always come before the node that uses them, so the index order is a topological order.

use crate::expr::{Expr, FunctionId, SymbolId, VariableId};
use crate::function::{Kind, Kinds, Unary};
use crate::node::{Factor, Node, Stored, Tag, Term};
use crate::number::Number;
use crate::operand_table::{Newest, OperandTable};
use crate::order::{Look, folded, hash_text, mix};
use crate::rules::Rules;
use crate::set::{Sets, SymbolSet};
use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::sync::Arc;

/// An input: a name and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The user's name for it.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
}

/// A named quantity and the expression it abbreviates.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) definition: Expr,
}

/// An external function: foreign code with a declared signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignFunction {
    /// The name under which the host supplies it.
    pub name: String,
    /// Number of arguments.
    pub arguments: usize,
    /// Number of results.
    pub results: usize,
    /// Set for a derivative partner: which function it differentiates, and in how many directions.
    pub derivative_of: Option<(FunctionId, usize)>,
}

/// Code of external functions: what makes numbers of calls in this process.
pub trait ForeignCode: Send + Sync {
    /// Returns `true` if a function, by the name of its declaration, has code.
    fn knows(&self, function: &str) -> bool;

    /// Computes the results of a call of a function. `directions` is empty for its value; else
    /// arguments and results are those of its partner for so many directions, of the partner of
    /// that, and so on.
    fn call(&self, function: &str, directions: &[usize], arguments: &[f64], results: &mut [f64]);
}

/// Expressions that are simplified while they are built, and shared wherever they are equal.
#[derive(Clone)]
pub struct Graph {
    pub(crate) nodes: Vec<Stored>,
    pub(crate) table: OperandTable,
    numbers: Vec<Number>,
    terms: Vec<Term>,
    factors: Vec<Factor>,
    operands: Vec<Expr>,
    symbols: Vec<Symbol>,
    /// The look of each symbol in the canonical order.
    pub(crate) looks: Vec<Look>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<ForeignFunction>,
    /// The code of the functions, where expressions are evaluated; equations do not depend on it.
    code: Option<Arc<dyn ForeignCode>>,
    pub(crate) names: HashMap<String, Expr, FxBuildHasher>,
    /// The number to try next behind a name that is taken.
    pub(crate) suffixes: HashMap<String, u32, FxBuildHasher>,
    pub(crate) function_names: HashMap<String, FunctionId, FxBuildHasher>,
    pub(crate) variable_of: HashMap<Expr, Expr, FxBuildHasher>,
    pub(crate) positive: HashSet<Expr, FxBuildHasher>,
    pub(crate) sets: Sets,
    pub(crate) rules: Rules,
    /// Number of levels of named variables that a trial may expand; 0 turns trials off.
    pub(crate) expansion: u32,
    /// The salt of the canonical order of shapes.
    pub(crate) salt: u32,
}

/// A place to return to: see [`Graph::rollback`].
pub(crate) struct Mark {
    nodes: usize,
    numbers: usize,
    terms: usize,
    factors: usize,
    operands: usize,
}

impl Mark {
    /// Returns `true` if an expression was made after the mark.
    pub(crate) fn is_before(&self, expr: Expr) -> bool {
        expr.index() >= self.nodes
    }
}

impl Default for Graph {
    fn default() -> Graph {
        Graph::new()
    }
}

impl Graph {
    /// An empty graph with all the rules.
    pub fn new() -> Graph {
        Graph::with_rules(Rules::all())
    }

    /// An empty graph that simplifies by a chosen set of rules.
    pub fn with_rules(rules: Rules) -> Graph {
        let mut graph = Graph {
            nodes: Vec::new(),
            table: OperandTable::default(),
            numbers: Vec::new(),
            terms: Vec::new(),
            factors: Vec::new(),
            operands: Vec::new(),
            symbols: Vec::new(),
            looks: Vec::new(),
            variables: Vec::new(),
            functions: Vec::new(),
            code: None,
            names: HashMap::default(),
            suffixes: HashMap::default(),
            function_names: HashMap::default(),
            variable_of: HashMap::default(),
            positive: HashSet::default(),
            sets: Sets::new(),
            rules,
            expansion: 1,
            salt: 0,
        };
        let zero = graph.intern(Node::Number(Number::ZERO));
        let one = graph.intern(Node::Number(Number::ONE));
        debug_assert_eq!((zero, one), (Expr::ZERO, Expr::ONE));
        graph
    }

    // ---- code of external functions ----

    /// Supplies code of external functions, by which calls have values where expressions are
    /// evaluated.
    pub fn supply_code(&mut self, code: Arc<dyn ForeignCode>) {
        self.code = Some(code);
    }

    /// The code of external functions.
    pub fn code(&self) -> Option<&Arc<dyn ForeignCode>> {
        self.code.as_ref()
    }

    /// Returns `true` if a call of a function has a value: there is code of it.
    pub fn has_code(&self, function: FunctionId) -> bool {
        let (base, _) = self.partners(function);
        self.code.as_ref().is_some_and(|code| code.knows(base))
    }

    /// The function that partners belong to, and the directions of each, the innermost first.
    fn partners(&self, function: FunctionId) -> (&str, SmallVec<[usize; 2]>) {
        let (mut base, mut directions) = (self.function(function), SmallVec::new());
        while let Some((inner, count)) = base.derivative_of {
            directions.insert(0, count);
            base = self.function(inner);
        }
        (&base.name, directions)
    }

    /// The results of a call of a function; none if it has no code.
    pub fn call_code(&self, function: FunctionId, arguments: &[f64]) -> Option<Vec<f64>> {
        let (name, directions) = self.partners(function);
        let code = self.code.as_ref().filter(|code| code.knows(name))?;
        let mut results = vec![f64::NAN; self.function(function).results];
        code.call(name, &directions, arguments, &mut results);
        Some(results)
    }

    // ---- atoms ----

    /// A number.
    pub fn number(&mut self, number: impl Into<Number>) -> Expr {
        let number = number.into();
        if number.is_zero() {
            return Expr::ZERO;
        }
        let (size, negative) = (number.abs(), number.is_negative());
        if size == Number::ONE {
            return Expr::ONE.negated_if(negative);
        }
        self.intern(Node::Number(size)).negated_if(negative)
    }

    /// The constant pi, exact.
    pub fn pi(&mut self) -> Expr {
        self.intern(Node::Pi)
    }

    /// The input of that name, declared on first use.
    ///
    /// A name belongs to one thing: if it is taken already, what it names is returned, whatever
    /// the kind requested.
    pub fn symbol(&mut self, name: &str, kind: Kind) -> Expr {
        match self.names.get(name) {
            Some(&known) => known,
            None => self.add_symbol(name, kind, Look::of_input(kind, 0, 0)),
        }
    }

    /// An input of a part that may have copies whose inputs have the same name with another number,
    /// such as `m1` and `m2`.
    pub fn numbered_symbol(&mut self, name: &str, kind: Kind) -> Expr {
        match self.names.get(name) {
            Some(&known) => known,
            None => self.add_symbol(name, kind, Look::of_name(name, kind)),
        }
    }

    /// An input of a part that may have copies. Of one kind, inputs of the same class and of ranks
    /// that differ by as much are equal in all choices that simplification makes; their names then
    /// count last.
    pub fn ranked_symbol(&mut self, name: &str, kind: Kind, class: u32, rank: u32) -> Expr {
        match self.names.get(name) {
            Some(&known) => known,
            None => self.add_symbol(name, kind, Look::of_input(kind, class, rank)),
        }
    }

    fn add_symbol(&mut self, name: &str, kind: Kind, look: Look) -> Expr {
        let id = SymbolId(self.symbols.len() as u32);
        self.symbols.push(Symbol { name: name.to_owned(), kind });
        self.looks.push(look);
        let expr = self.intern(Node::Symbol(id));
        self.names.insert(name.to_owned(), expr);
        expr
    }

    /// The input or named variable of a name.
    pub fn lookup(&self, name: &str) -> Option<Expr> {
        self.names.get(name).copied()
    }

    /// Every name in use, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// The inputs in the order of their declaration.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The name of an input.
    pub fn symbol_name(&self, id: SymbolId) -> &str {
        &self.symbols[id.index()].name
    }

    /// The input behind an expression, if it is a plain input.
    pub fn symbol_of(&self, expr: Expr) -> Option<SymbolId> {
        match self.node(expr) {
            Node::Symbol(id) => Some(id),
            _ => None,
        }
    }

    // ---- reading ----

    pub(crate) fn stored(&self, expr: Expr) -> &Stored {
        &self.nodes[expr.index()]
    }

    /// The node below an edge; the edge's sign is not part of it.
    #[inline(always)]
    pub fn node(&self, expr: Expr) -> Node<'_> {
        let stored = self.stored(expr);
        let (first, count) = (stored.first as usize, stored.count as usize);
        match stored.tag {
            Tag::Number => Node::Number(self.numbers[first]),
            Tag::Pi => Node::Pi,
            Tag::Symbol => Node::Symbol(SymbolId(stored.first)),
            Tag::Variable => Node::Variable(VariableId(stored.first)),
            Tag::Sum => Node::Sum(&self.terms[first..first + count]),
            Tag::Product => Node::Product(&self.factors[first..first + count]),
            Tag::Scale => Node::Scale(self.numbers[first], Expr::new(count)),
            Tag::Unary => Node::Unary(Unary::ALL[stored.function()], edge(stored.first)),
            Tag::Binary => {
                let function = crate::function::Binary::ALL[stored.function()];
                Node::Binary(function, edge(stored.first), edge(stored.count))
            }
            Tag::Select => {
                let compare = crate::function::Compare::ALL[stored.function()];
                Node::Select(compare, &self.operands[first..first + 4])
            }
            Tag::Call => {
                let function = FunctionId(stored.count);
                let arguments = self.functions[function.index()].arguments;
                Node::Call(function, &self.operands[first..first + arguments])
            }
            Tag::Result => Node::Result(edge(stored.first), stored.count),
        }
    }

    /// The value of a number, with the sign of its edge.
    pub fn number_of(&self, expr: Expr) -> Option<Number> {
        match self.node(expr) {
            Node::Number(n) => Some(if expr.is_negative() { -n } else { n }),
            _ => None,
        }
    }

    /// Returns `true` if the expression is a number.
    pub fn is_number(&self, expr: Expr) -> bool {
        self.stored(expr).tag == Tag::Number
    }

    /// Returns `true` if the expression has no operands: a number, pi, an input or a named
    /// variable.
    pub fn is_atom(&self, expr: Expr) -> bool {
        matches!(self.stored(expr).tag, Tag::Number | Tag::Pi | Tag::Symbol | Tag::Variable)
    }

    /// The kinds of input that the expression depends on.
    pub fn kinds(&self, expr: Expr) -> Kinds {
        self.stored(expr).kinds
    }

    /// The set of inputs that the expression depends on. The first question about a node finds the
    /// sets of all below it, later ones cost nothing.
    pub fn symbols_of(&mut self, expr: Expr) -> SymbolSet {
        self.find_symbols(&[expr]);
        self.stored(expr).symbols
    }

    /// Returns `true` if the expression depends on an input.
    pub fn depends_on(&mut self, expr: Expr, symbol: SymbolId) -> bool {
        let symbols = self.symbols_of(expr);
        self.sets.contains(symbols, symbol)
    }

    /// The inputs in a set, in the order of their declaration.
    pub fn symbols_in(&self, set: SymbolSet) -> impl Iterator<Item = SymbolId> + '_ {
        self.sets.iter(set)
    }

    /// Number of nodes in the graph.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns `true` if nothing was built yet beyond the numbers zero and one.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 2
    }

    /// Bytes that nodes, operands and tables occupy, reserve included.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Stored>()
            + self.table.bytes()
            + self.numbers.capacity() * size_of::<Number>()
            + self.terms.capacity() * size_of::<Term>()
            + self.factors.capacity() * size_of::<Factor>()
            + self.operands.capacity() * size_of::<Expr>()
            + self.sets.bytes()
    }

    // ---- interning ----

    fn hash_node(&self, node: Node<'_>) -> u32 {
        let edge =
            |e: Expr| u64::from(self.nodes[e.index()].hash) << 1 | u64::from(e.is_negative());
        let hash = match node {
            Node::Number(Number::Rational { numerator, denominator }) => {
                mix(mix(1, numerator as u64), u64::from(denominator))
            }
            Node::Number(Number::Real(x)) => mix(2, x.to_bits()),
            Node::Pi => 3,
            Node::Symbol(id) => mix(4, hash_text(&self.symbols[id.index()].name)),
            Node::Variable(id) => mix(5, hash_text(&self.variables[id.index()].name)),
            Node::Sum(terms) => {
                terms.iter().fold(6, |h, t| mix(mix(h, edge(t.coefficient)), edge(t.core)))
            }
            Node::Product(factors) => {
                factors.iter().fold(7, |h, f| mix(mix(h, edge(f.base)), f.power as u64))
            }
            Node::Scale(number, core) => {
                mix(u64::from(self.hash_node(Node::Number(number))) << 8 | 8, edge(core))
            }
            Node::Unary(function, a) => mix(mix(9, function as u64), edge(a)),
            Node::Binary(function, a, b) => mix(mix(mix(10, function as u64), edge(a)), edge(b)),
            Node::Select(compare, operands) => {
                operands.iter().fold(mix(11, compare as u64), |h, &e| mix(h, edge(e)))
            }
            Node::Call(function, arguments) => {
                let name = hash_text(&self.functions[function.index()].name);
                arguments.iter().fold(mix(12, name), |h, &e| mix(h, edge(e)))
            }
            Node::Result(call, index) => mix(mix(13, u64::from(index)), edge(call)),
        };
        folded(hash)
    }

    /// Returns `true` if the stored node at `index` is this one.
    fn matches(&self, index: u32, node: Node<'_>) -> bool {
        match (self.node(Expr::new(index as usize)), node) {
            (Node::Number(a), Node::Number(b)) => a == b,
            (Node::Pi, Node::Pi) => true,
            (Node::Symbol(a), Node::Symbol(b)) => a == b,
            (Node::Variable(a), Node::Variable(b)) => a == b,
            (Node::Sum(a), Node::Sum(b)) => a == b,
            (Node::Product(a), Node::Product(b)) => a == b,
            (Node::Scale(n, a), Node::Scale(m, b)) => n == m && a == b,
            (Node::Unary(f, a), Node::Unary(g, b)) => f == g && a == b,
            (Node::Binary(f, a, b), Node::Binary(g, c, d)) => (f, a, b) == (g, c, d),
            (Node::Select(f, a), Node::Select(g, b)) => f == g && a == b,
            (Node::Call(f, a), Node::Call(g, b)) => f == g && a == b,
            (Node::Result(a, i), Node::Result(b, j)) => (a, i) == (b, j),
            _ => false,
        }
    }

    /// The existing node of this structure, if there is one.
    pub(crate) fn find(&self, node: Node<'_>) -> Option<Expr> {
        let hash = self.hash_node(node);
        self.search(hash, node)
    }

    /// The newest of the operands, coefficients left out; a variable has its definition.
    fn newest(&self, node: Node<'_>) -> Newest {
        let mut newest = None;
        match node {
            Node::Variable(id) => newest = Some(self.definition(id).index()),
            node => for_each_operand(node, |operand| newest = newest.max(Some(operand.index()))),
        }
        newest.map(|index| index as u32)
    }

    fn search(&self, hash: u32, node: Node<'_>) -> Option<Expr> {
        let known = self.table.find(self.newest(node), hash, |index| self.matches(index, node));
        known.map(|index| Expr::new(index as usize))
    }

    /// The node of this structure, made if it is new. The caller has brought it to canonical form.
    pub(crate) fn intern(&mut self, node: Node<'_>) -> Expr {
        let hash = self.hash_node(node);
        if let Some(known) = self.search(hash, node) {
            return known;
        }
        let cost = self.node_cost(node);
        let (kinds, symbols) = self.dependencies(node);
        let trig = if self.has_trig(node) { Stored::TRIG } else { 0 };
        let look = self.look(node);
        let newest = self.newest(node);
        let (tag, function, first, count) = self.store_operands(node);
        let detail = function | trig;
        let index = self.nodes.len();
        assert!(index < 1 << 31, "a graph holds at most 2^31 nodes");
        let stored = Stored { hash, look, first, count, cost, symbols, tag, detail, kinds };
        self.nodes.push(stored);
        self.table.insert(newest, hash, index as u32);
        Expr::new(index)
    }

    /// The kinds below a node, and its set of symbols where that is plain. Other sets wait until
    /// somebody asks: building never does, and they would be most of a graph's memory.
    fn dependencies(&mut self, node: Node<'_>) -> (Kinds, SymbolSet) {
        match node {
            Node::Number(_) | Node::Pi => (Kinds::NONE, SymbolSet::EMPTY),
            Node::Symbol(id) => (Kinds::of(self.symbols[id.index()].kind), self.sets.single(id)),
            Node::Variable(id) => {
                (self.stored(self.variables[id.index()].definition).kinds, SymbolSet::UNKNOWN)
            }
            _ => {
                let mut kinds = Kinds::NONE;
                for_each_operand(node, |e| kinds = kinds.union(self.nodes[e.index()].kinds));
                (kinds, SymbolSet::UNKNOWN)
            }
        }
    }

    /// Finds the sets of symbols of everything below the roots: each node's once, ever.
    pub(crate) fn find_symbols(&mut self, roots: &[Expr]) {
        let unknown = |e: Expr| self.stored(e).symbols == SymbolSet::UNKNOWN;
        for expr in self.reachable_where(roots, unknown) {
            let mut operands: SmallVec<[Expr; 8]> = SmallVec::new();
            match self.node(expr) {
                Node::Variable(id) => operands.push(self.definition(id)),
                node => for_each_operand(node, |e| operands.push(e)),
            }
            let union = operands.iter().fold(SymbolSet::EMPTY, |union, &e| {
                let symbols = self.stored(e).symbols;
                self.sets.union(union, symbols)
            });
            self.nodes[expr.index()].symbols = union;
        }
    }

    fn has_trig(&self, node: Node<'_>) -> bool {
        let trig = |e: Expr| self.stored(e).trig();
        match node {
            Node::Unary(Unary::Sin | Unary::Cos | Unary::Tan, _) => true,
            Node::Sum(terms) => terms.iter().any(|t| trig(t.core)),
            Node::Product(factors) => factors.iter().any(|f| trig(f.base)),
            Node::Scale(_, core) => trig(core),
            Node::Variable(id) => trig(self.variables[id.index()].definition),
            _ => false,
        }
    }

    fn store_operands(&mut self, node: Node<'_>) -> (Tag, u8, u32, u32) {
        match node {
            Node::Number(number) => {
                self.numbers.push(number);
                (Tag::Number, 0, self.numbers.len() as u32 - 1, 0)
            }
            Node::Pi => (Tag::Pi, 0, 0, 0),
            Node::Symbol(id) => (Tag::Symbol, 0, id.0, 0),
            Node::Variable(id) => (Tag::Variable, 0, id.0, 0),
            Node::Sum(terms) => {
                let first = self.terms.len() as u32;
                self.terms.extend_from_slice(terms);
                (Tag::Sum, 0, first, terms.len() as u32)
            }
            Node::Product(factors) => {
                let first = self.factors.len() as u32;
                self.factors.extend_from_slice(factors);
                (Tag::Product, 0, first, factors.len() as u32)
            }
            Node::Scale(number, core) => {
                self.numbers.push(number);
                (Tag::Scale, 0, self.numbers.len() as u32 - 1, core.index() as u32)
            }
            Node::Unary(function, a) => (Tag::Unary, function as u8, raw(a), 0),
            Node::Binary(function, a, b) => (Tag::Binary, function as u8, raw(a), raw(b)),
            Node::Select(compare, operands) => {
                let first = self.operands.len() as u32;
                self.operands.extend_from_slice(operands);
                (Tag::Select, compare as u8, first, 4)
            }
            Node::Call(function, arguments) => {
                let first = self.operands.len() as u32;
                self.operands.extend_from_slice(arguments);
                (Tag::Call, 0, first, function.0)
            }
            Node::Result(call, index) => (Tag::Result, 0, raw(call), index),
        }
    }

    // ---- trials ----

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            nodes: self.nodes.len(),
            numbers: self.numbers.len(),
            terms: self.terms.len(),
            factors: self.factors.len(),
            operands: self.operands.len(),
        }
    }

    /// Forgets every node made since `mark`. The caller holds no expression that is younger.
    pub(crate) fn rollback(&mut self, mark: &Mark) {
        for index in (mark.nodes..self.nodes.len()).rev() {
            let newest = self.newest(self.node(Expr::new(index)));
            self.table.remove(newest, self.nodes[index].hash, index as u32);
        }
        self.nodes.truncate(mark.nodes);
        self.numbers.truncate(mark.numbers);
        self.terms.truncate(mark.terms);
        self.factors.truncate(mark.factors);
        self.operands.truncate(mark.operands);
    }
}

fn raw(expr: Expr) -> u32 {
    (expr.index() as u32) << 1 | u32::from(expr.is_negative())
}

fn edge(raw: u32) -> Expr {
    Expr::new(raw as usize >> 1).negated_if(raw & 1 == 1)
}

/// Calls `visit` for every operand of a node; coefficients are not operands, and a variable's
/// definition is not an operand either.
pub fn for_each_operand(node: Node<'_>, mut visit: impl FnMut(Expr)) {
    match node {
        Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Variable(_) => {}
        Node::Sum(terms) => terms.iter().for_each(|t| visit(t.core)),
        Node::Product(factors) => factors.iter().for_each(|f| visit(f.base)),
        Node::Scale(_, core) => visit(core),
        Node::Unary(_, a) => visit(a),
        Node::Binary(_, a, b) => [a, b].into_iter().for_each(visit),
        Node::Select(_, operands) | Node::Call(_, operands) => {
            operands.iter().copied().for_each(visit);
        }
        Node::Result(call, _) => visit(call),
    }
}
