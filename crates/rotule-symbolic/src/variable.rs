//! Named variables: intermediate quantities that are atoms for the rules.
//!
//! A formalism names what it computes (`omega[3].x`), which keeps expressions short and gives
//! generated code its names. Atoms hide what is inside, so a sum may look through them, one or two
//! levels deep, and through its own factored sums; the expanded form is kept only when it is
//! cheaper. That is how rotations about parallel axes become `sin(q2 + q3)` ("partial
//! de-recursification" in Postiau's thesis, section 1.6.2).

use crate::expr::{Expr, VariableId};
use crate::graph::{Graph, Variable, for_each_operand};
use crate::node::{Factor, Node, Tag, Term};
use crate::number::Number;
use crate::pattern::Signature;
use crate::product::Factors;
use crate::sum::Terms;
use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// A trial is given up when it would spell out more terms than this.
const TRIAL_LIMIT: usize = 24;

/// The content of a hidden factor: a number times one factor, or times a sum.
enum Hidden<'g> {
    One(Number, Factor),
    Sum(Number, &'g [Term]),
}

impl Graph {
    /// A named variable that stands for `definition`.
    ///
    /// Atoms, and numbers times atoms, need no name and are returned as they are; an expression
    /// that has a name already (up to its sign) keeps it. A name that is taken gets a number
    /// behind.
    pub fn name(&mut self, name: &str, definition: Expr) -> Expr {
        let (_, core) = self.split(definition);
        if self.is_atom(core) {
            return definition;
        }
        let negative = definition.is_negative();
        if let Some(&known) = self.variable_of.get(&definition.abs()) {
            return known.negated_if(negative);
        }
        let unique = self.unused_name(name);
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(Variable { name: unique.clone(), definition });
        let expr = self.intern(Node::Variable(id));
        self.names.insert(unique, expr);
        self.variable_of.insert(definition.abs(), expr.negated_if(negative));
        expr
    }

    /// The name itself, or with the next free number behind it.
    fn unused_name(&mut self, name: &str) -> String {
        if !self.names.contains_key(name) {
            return name.to_owned();
        }
        let mut next = self.suffixes.get(name).copied().unwrap_or(2);
        let mut unique = format!("{name}_{next}");
        while self.names.contains_key(&unique) {
            next += 1;
            unique = format!("{name}_{next}");
        }
        self.suffixes.insert(name.to_owned(), next + 1);
        unique
    }

    /// Gives the variables below some expressions the names that they were made with. Where these
    /// are the same for several, the second gets its number among the indices: `lever[arm,2].x`;
    /// returns how many that are. Trials that were given up leave names behind, which others would
    /// have to avoid for no reason that a reader can see.
    ///
    /// For what is about to be shown: canonical orders follow names, so nothing should be built
    /// afterwards.
    pub fn restore_names(&mut self, exprs: &[Expr]) -> usize {
        let mut reached: BTreeSet<VariableId> = BTreeSet::new();
        let mut seen: HashSet<Expr, FxBuildHasher> = HashSet::default();
        let mut waiting: Vec<Expr> = exprs.iter().map(|expr| expr.abs()).collect();
        while let Some(expr) = waiting.pop() {
            if !seen.insert(expr) {
                continue;
            }
            let node = self.node(expr);
            if let Node::Variable(id) = node {
                reached.insert(id);
                waiting.push(self.definition(id).abs());
            }
            for_each_operand(node, |operand| waiting.push(operand.abs()));
        }
        let mut numbered = 0;
        for &id in &reached {
            let name = self.variable_name(id).to_owned();
            let Some(stem) = self.stem(&name) else { continue };
            let is_free = |requested: &String| {
                let owner = self.names.get(requested).map(|&owner| self.node(owner));
                match owner {
                    None => true,
                    Some(Node::Variable(other)) => other == id || !reached.contains(&other),
                    Some(_) => false,
                }
            };
            // There are fewer names than variables, so one of so many is free.
            let all = std::iter::once(stem.clone());
            let all = all.chain((2..=self.names.len() + 2).map(|number| indexed(&stem, number)));
            let Some(free) = all.into_iter().find(is_free) else { continue };
            numbered += usize::from(free != stem);
            self.exchange_names(&name, &free);
        }
        numbered
    }

    /// The name that a variable was made with, if it got a number behind.
    fn stem(&self, name: &str) -> Option<String> {
        let (stem, number) = name.rsplit_once('_')?;
        number.parse().ok().filter(|&number: &u32| number >= 2)?;
        self.suffixes.contains_key(stem).then(|| stem.to_owned())
    }

    /// Names a variable otherwise; if another variable has that name, it gets the first one's.
    fn exchange_names(&mut self, from: &str, to: &str) {
        if from == to {
            return;
        }
        let (own, other) = (self.names.remove(from), self.names.remove(to));
        for (expr, name) in [(own, to), (other, from)] {
            let Some(expr) = expr else { continue };
            if let Node::Variable(id) = self.node(expr) {
                self.variables[id.index()].name = name.to_owned();
            }
            self.names.insert(name.to_owned(), expr);
        }
    }

    /// The name of a variable.
    pub fn variable_name(&self, id: VariableId) -> &str {
        &self.variables[id.index()].name
    }

    /// The definition of a variable.
    pub fn definition(&self, id: VariableId) -> Expr {
        self.variables[id.index()].definition
    }

    /// Sets the number of levels of named variables and factored sums that a sum may expand to find
    /// a cheaper form; 0 never looks. One level is the default.
    pub fn set_expansion(&mut self, levels: u32) {
        self.expansion = levels.min(3);
    }

    /// The cheaper of `plain`, which is `front` times the sum of `terms`, and the same with its
    /// hidden parts spelled out.
    pub(crate) fn try_expanded(&mut self, plain: Expr, front: Number, terms: &Terms) -> Expr {
        if self.expansion == 0 || terms.len() < 2 || !self.worth_a_trial(terms) {
            return plain;
        }
        // Deeper levels cannot be foreseen.
        if self.expansion == 1 && !self.may_win(terms, self.cost(plain)) {
            return plain;
        }
        // A trial must not start trials of its own.
        let levels = std::mem::take(&mut self.expansion);
        let mut best = None;
        let mut expanded = terms.clone();
        let mark = self.mark();
        for _ in 0..levels {
            let Some(next) = self.expand(&expanded) else { break };
            expanded = next;
            let mut reduced = expanded.clone();
            let content = self.reduce(&mut reduced);
            let trial = self.close(front * content, &reduced);
            let (after, before) = (self.cost(trial), self.cost(plain));
            // At equal cost a single term wins over a sum: it is more likely to exist already.
            if after < before || after == before && self.stored(trial).tag != Tag::Sum {
                best = Some(trial);
                break;
            }
        }
        self.expansion = levels;
        match best {
            // What the trial has built is built again, with trials: so that what is kept would be
            // built from its own parts as it is.
            Some(trial) => self.rebuild_since(&mark, trial),
            None => {
                self.rollback(&mark);
                plain
            }
        }
    }

    /// Returns `true` if a factor hides something that a trial could bring out.
    fn hides(&self, base: Expr) -> bool {
        let stored = self.stored(base);
        match stored.tag {
            Tag::Variable => true,
            Tag::Sum => stored.trig(),
            _ => false,
        }
    }

    /// A cheap look before the costly one: either angles meet angles that are hidden, or the
    /// definition of a variable has a term in common with the rest.
    fn worth_a_trial(&self, terms: &Terms) -> bool {
        let mut hidden_trig = false;
        let mut trig_terms = 0;
        let mut cores: SmallVec<[Expr; 16]> = SmallVec::new();
        let mut hidden_sum = false;
        for &(_, core) in terms {
            if self.stored(core).trig() {
                trig_terms += 1;
            }
            match self.node(core) {
                Node::Product(factors) => {
                    hidden_trig |= factors
                        .iter()
                        .any(|f| f.power == 1 && self.hides(f.base) && self.stored(f.base).trig());
                    cores.push(core);
                }
                Node::Variable(id) => {
                    hidden_trig |= self.stored(core).trig();
                    match self.node(self.definition(id)) {
                        Node::Sum(inner) if inner.len() <= TRIAL_LIMIT => {
                            hidden_sum = true;
                            cores.extend(inner.iter().map(|t| t.core));
                        }
                        _ => cores.push(core),
                    }
                }
                _ => cores.push(core),
            }
        }
        if hidden_trig && trig_terms >= 2 {
            return true;
        }
        cores.sort_unstable();
        hidden_sum && cores.windows(2).any(|w| w[0] == w[1])
    }

    /// The terms with variables replaced by their definitions and sums multiplied out, one level;
    /// none if there is nothing to spell out, or too much.
    fn expand(&mut self, terms: &Terms) -> Option<Terms> {
        let lists = self.expanded_lists(terms)?;
        let mut out = Terms::new();
        for (number, list) in lists {
            let term = self.product_of(number, list);
            out.push(self.split(term));
        }
        Some(out)
    }

    /// Returns `true` if spelling the terms out one level could bring two of them together, and
    /// leave few enough others to be cheaper than `cost`: a look at what would remain, before
    /// anything is.
    fn may_win(&self, terms: &Terms, cost: u32) -> bool {
        let inside = self.inside_definitions(terms);
        let mut all: SmallVec<[(Signature, usize); 48]> = SmallVec::new();
        let mut spelled = 0;
        for (i, &(_, core)) in terms.iter().enumerate() {
            let single = [Factor { base: core, power: 1 }];
            let factors = match self.node(core) {
                Node::Product(factors) => factors,
                _ => &single,
            };
            let mut fixed = Signature::default();
            let mut bracket: &[Term] = &[];
            let mut brackets = 0;
            for &factor in factors {
                match self.spelled_out(factor, &inside) {
                    Some(Hidden::Sum(_, summands)) => {
                        brackets += 1;
                        bracket = summands;
                    }
                    Some(Hidden::One(_, Factor { base, power })) => {
                        fixed = fixed.times(self.signature(base, power));
                    }
                    None => fixed = fixed.times(self.signature(factor.base, factor.power)),
                }
            }
            spelled += if brackets == 1 { bracket.len() } else { 1 };
            if spelled > TRIAL_LIMIT {
                return false;
            }
            if brackets == 0 {
                all.push((fixed, i));
            }
            all.extend(bracket.iter().map(|t| (fixed.times(self.signature(t.core, 1)), i)));
        }
        all.sort_unstable();
        // What meets inside one term has met when that was built.
        let (mut met, mut alone) = (false, 0);
        for group in all.chunk_by(|one, other| one.0 == other.0) {
            let several = group.iter().any(|(_, term)| *term != group[0].1);
            met |= several;
            alone += if several { 0 } else { group.len() as u32 };
        }
        // Terms that meet nothing stay, and have to be added.
        met && alone <= cost.saturating_add(1)
    }

    fn expanded_lists(&self, terms: &Terms) -> Option<SmallVec<[(Number, Factors); 8]>> {
        let mut out: SmallVec<[(Number, Factors); 8]> = SmallVec::new();
        let mut changed = false;
        let inside = self.inside_definitions(terms);
        for &(coefficient, core) in terms {
            let mut fixed = (coefficient, Factors::new());
            let mut bracket: Option<(Number, &[Term])> = None;
            let mut brackets = 0;
            let factors = self.factors_of(core);
            for &factor in &factors {
                match self.spelled_out(factor, &inside) {
                    Some(Hidden::Sum(number, summands)) => {
                        brackets += 1;
                        bracket = Some((number, summands));
                    }
                    Some(Hidden::One(number, Factor { base, power })) => {
                        changed = true;
                        fixed.0 = fixed.0 * number;
                        self.gather(base, power, &mut fixed.0, &mut fixed.1);
                    }
                    None => fixed.1.push(factor),
                }
            }
            match bracket {
                // A product of brackets has too many terms to become cheaper than two names.
                _ if brackets > 1 => out.push((coefficient, factors)),
                None => out.push(fixed),
                Some((number, summands)) => {
                    changed = true;
                    for term in summands {
                        // The coefficient of a term is always a number node.
                        let own = self.number_of(term.coefficient).unwrap_or(Number::ONE);
                        let (mut number, mut list) = (fixed.0 * (number * own), fixed.1.clone());
                        self.gather(term.core, 1, &mut number, &mut list);
                        out.push((number, list));
                    }
                }
            }
            if out.len() > TRIAL_LIMIT {
                return None;
            }
        }
        for (_, list) in &mut out {
            self.merge_factors(list);
        }
        changed.then_some(out)
    }

    /// The variables that occur, alone or as a factor, in the definitions of the variables of some
    /// terms.
    fn inside_definitions(&self, terms: &Terms) -> SmallVec<[Expr; 32]> {
        let mut inside = SmallVec::new();
        for &(_, core) in terms {
            self.for_each_variable(core, |id| {
                let definition = self.split(self.definition(id)).1;
                for_each_operand(self.node(definition), |e| match self.node(e) {
                    Node::Variable(_) => inside.push(e.abs()),
                    Node::Product(factors) => {
                        let bases = factors.iter().map(|factor| factor.base);
                        let hidden = |base: &Expr| self.stored(*base).tag == Tag::Variable;
                        inside.extend(bases.filter(hidden));
                    }
                    _ => {}
                });
            });
        }
        inside
    }

    /// Calls `visit` with each variable that is the expression or a factor of it.
    fn for_each_variable(&self, core: Expr, mut visit: impl FnMut(VariableId)) {
        match self.node(core) {
            Node::Variable(id) => visit(id),
            Node::Product(factors) => {
                for factor in factors {
                    if let Node::Variable(id) = self.node(factor.base) {
                        visit(id);
                    }
                }
            }
            _ => {}
        }
    }

    /// The content of a factor, unless it is to be kept: what another definition contains as a name
    /// may cancel as a name.
    fn spelled_out(&self, factor: Factor, kept: &[Expr]) -> Option<Hidden<'_>> {
        let Factor { base, power } = factor;
        if !self.hides(base) || kept.contains(&base) {
            return None;
        }
        let definition = match self.node(base) {
            Node::Variable(id) => self.definition(id),
            _ => base,
        };
        let (number, core) = self.split(definition);
        match self.node(core) {
            Node::Sum(terms) if power == 1 => Some(Hidden::Sum(number, terms)),
            Node::Sum(_) => None,
            _ if core == base => None,
            _ => Some(Hidden::One(number.powi(power), Factor { base: core, power })),
        }
    }
}

/// A name with a number among its indices.
fn indexed(name: &str, number: usize) -> String {
    match name.rfind(']') {
        Some(end) => format!("{},{number}{}", &name[..end], &name[end..]),
        None => format!("{name}[{number}]"),
    }
}
