//! Writes items as binary operations into a program, depth first from the outputs.
//!
//! The sign of a value stays on the edge as long as possible: a sum adds or subtracts, a product
//! passes it on, and only an output or the argument of a function makes a minus of it.
//!
//! Regions are written before the outputs. Within one, an item is written into the region's block
//! if it depends on the unknowns, and outside otherwise; what a sum or product has outside is
//! gathered first. What was written into the block of a region and is needed behind it is exported
//! from there: it is not computed again.

use super::items::{Edge, Item, ItemId, Items, List};
use super::solve::{Needed, Solve};
use super::{Request, Target, marks};
use crate::index::{FunctionId, RegionId, Value};
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::{Block, ForeignSignature, Partner, Program, ProgramOutput};
use rotule_symbolic::cost::{PowerPlan, PowerStep, plan, power_step};
use rotule_symbolic::{Expr, Graph, SymbolId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A value with a sign.
type Signed = (Value, bool);

/// A term of a sum.
#[derive(Clone, Copy)]
struct Term {
    value: Value,
    negative: bool,
    /// `true` if it is a product that nobody else reads.
    alone: bool,
}

/// Values with their powers.
type Powers = SmallVec<[(Value, i32); 8]>;

struct Writer<'a> {
    graph: &'a Graph,
    items: &'a Items,
    program: Program,
    inputs: FxHashMap<SymbolId, Value>,
    functions: FxHashMap<rotule_symbolic::FunctionId, FunctionId>,
    /// The value of each item that was written.
    values: Vec<Option<Signed>>,
    /// Sums to be written with all signs exchanged.
    flipped: Vec<bool>,
    /// Products that one sum alone reads: a processor can do both at once.
    alone: Vec<bool>,
    /// The last solve that each item depends on, from one; empty if there is none.
    latest: Vec<u32>,
    /// The region that is being written.
    open: Option<Open>,
    /// The regions that are written, in the order of their solves, each with its tuple of results.
    closed: Vec<(Open, Value)>,
}

/// A region that is being written, or was.
struct Open {
    region: RegionId,
    /// The number of its solve, from one.
    number: u32,
    /// The value of each item that was written into its block.
    values: FxHashMap<ItemId, Signed>,
}

pub(super) fn write(
    graph: &Graph,
    request: &Request,
    items: &Items,
    live: &[bool],
    needed: &Needed<'_>,
) -> Program {
    let mut writer = Writer {
        graph,
        items,
        program: Program::new(&request.name),
        inputs: FxHashMap::default(),
        functions: FxHashMap::default(),
        values: vec![None; items.len()],
        flipped: vec![false; items.len()],
        alone: alone(items, live),
        latest: needed.latest(items),
        open: None,
        closed: Vec::with_capacity(needed.solves.len()),
    };
    writer.choose_signs();
    writer.declare_inputs(request, needed);
    for (index, solve) in needed.solves.iter().enumerate() {
        writer.solve(solve, index as u32 + 1);
    }
    for target in &request.outputs {
        writer.output(target);
    }
    let Writer { mut program, values, closed, latest, .. } = writer;
    let iterated = |item: ItemId| {
        let (open, _) = closed.get((*latest.get(item as usize)? as usize).checked_sub(1)?)?;
        open.values.get(&item).map(|value| value.0)
    };
    // Behind a region first: there it has the value that others see.
    let written = |expr: Expr| {
        let item = items.find(expr)?;
        let value = values[item as usize].map(|value| value.0);
        value.or_else(|| iterated(item))
    };
    marks::put(graph, &request.marks, written, &mut program);
    program
}

/// Products that are read once.
fn alone(items: &Items, live: &[bool]) -> Vec<bool> {
    let mut readers = vec![0_u32; items.len()];
    items.roots.iter().for_each(|root| readers[root.item as usize] += 1);
    for (_, item) in items.items.iter().enumerate().filter(|(id, _)| live[*id]) {
        item.for_each_operand(|edge| readers[edge.item as usize] += 1);
    }
    let product = |item: &Item| matches!(item, Item::Product(_));
    items.items.iter().zip(readers).map(|(item, count)| product(item) && count == 1).collect()
}

impl Writer<'_> {
    fn declare_inputs(&mut self, request: &Request, solves: &Needed<'_>) {
        let mut requested: Vec<SymbolId> =
            request.inputs.iter().filter_map(|&e| self.graph.symbol_of(e)).collect();
        let mut needed: Vec<SymbolId> = self
            .items
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Input(id) => Some(*id),
                _ => None,
            })
            .collect();
        needed.sort_unstable();
        requested.extend(needed);
        requested.retain(|&id| !solves.finds(id));
        for id in requested {
            if !self.inputs.contains_key(&id) {
                let symbol = &self.graph.symbols()[id.index()];
                let value = self.program.input(&symbol.name, symbol.kind);
                self.inputs.insert(id, value);
            }
        }
    }

    fn output(&mut self, target: &Target) {
        let mut output = ProgramOutput::sparse(&target.name, target.rows, target.columns);
        output.symmetric = target.symmetric;
        for &(row, column, expr) in target.entries.iter().filter(|e| e.2 != Expr::ZERO) {
            let value = self.written(expr);
            output.set(row, column, value);
        }
        self.program.output(output);
    }

    /// Writes an expression; its value.
    fn written(&mut self, expr: Expr) -> Value {
        let edge = self.items.edge(expr);
        self.write_below(edge.item);
        let block = self.block(edge.item);
        self.plain(edge, block)
    }

    /// Writes the region of a solve. Behind it, its unknowns are its results.
    fn solve(&mut self, solve: &Solve, number: u32) {
        let start: Vec<Value> = solve.start.iter().map(|&expr| self.written(expr)).collect();
        let tolerance = self.program.constant(solve.tolerance);
        let region = self.program.region(solve.role, &solve.name, &start, tolerance, solve.limit);
        let states = self.program.get_region(region).states.clone();
        let items: Vec<Option<ItemId>> =
            solve.unknowns.iter().map(|&unknown| self.items.find(unknown)).collect();
        let mut values: FxHashMap<ItemId, Signed> = FxHashMap::default();
        for (item, &state) in items.iter().zip(&states) {
            values.extend(item.map(|item| (item, (state, false))));
        }
        self.open = Some(Open { region, number, values });
        let next: Vec<Value> = solve.next.iter().map(|&expr| self.written(expr)).collect();
        let residuals: Vec<Value> =
            solve.residuals.iter().map(|&expr| self.written(expr)).collect();
        let tuple = self.program.close(Block::Body, region, &next, &residuals);
        self.closed.extend(self.open.take().map(|open| (open, tuple)));
        for (index, (item, &unknown)) in items.into_iter().zip(&solve.unknowns).enumerate() {
            let (Some(item), Some(id)) = (item, self.graph.symbol_of(unknown)) else { continue };
            let name = self.graph.symbol_name(id);
            let result = self.program.result(Block::Body, tuple, index as u32);
            self.program.set_name(result, name);
            self.program.set_name(states[index], name);
            self.values[item as usize] = Some((result, false));
        }
    }

    /// The open region, if an item belongs into its block.
    fn inside(&self, item: ItemId) -> Option<&Open> {
        let open = self.open.as_ref()?;
        (self.latest[item as usize] == open.number).then_some(open)
    }

    fn block(&self, item: ItemId) -> Block {
        match self.inside(item) {
            Some(open) => Block::Region(open.region),
            None if self.items.constant[item as usize] => Block::Setup,
            None => Block::Body,
        }
    }

    /// The value of an item, if it was written where it is needed.
    fn value(&self, item: ItemId) -> Option<Signed> {
        match self.inside(item) {
            Some(open) => open.values.get(&item).copied(),
            None => self.values[item as usize],
        }
    }

    fn set_value(&mut self, item: ItemId, value: Signed) {
        if self.inside(item).is_none() {
            self.values[item as usize] = Some(value);
        } else if let Some(open) = &mut self.open {
            open.values.insert(item, value);
        }
    }

    /// Reads an item behind the region that computes it, if one does. Tuples stay inside.
    fn export(&mut self, item: ItemId) -> bool {
        let solve = self.latest.get(item as usize).map_or(0, |&solve| solve as usize);
        let Some((open, tuple)) = solve.checked_sub(1).and_then(|at| self.closed.get(at)) else {
            return false;
        };
        let Some(&(value, negative)) = open.values.get(&item) else { return false };
        if self.program.operation(value).is_tuple() {
            return false;
        }
        let (tuple, index) = (*tuple, self.program.export(open.region, value));
        let result = self.program.result(Block::Body, tuple, index);
        if let Some(name) = self.program.name_of(value).map(str::to_owned) {
            self.program.set_name(result, name);
        }
        self.values[item as usize] = Some((result, negative));
        true
    }

    /// Writes an item and everything below it that is not written yet.
    fn write_below(&mut self, root: ItemId) {
        let mut stack = vec![root];
        while let Some(&item) = stack.last() {
            if self.value(item).is_some() {
                stack.pop();
                continue;
            }
            if self.inside(item).is_none() && self.export(item) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.items.items[item as usize].for_each_operand(|e| {
                if self.value(e.item).is_none() {
                    stack.push(e.item);
                }
            });
            // The first operand is to be written first.
            stack[before..].reverse();
            if stack.len() == before {
                stack.pop();
                let value = self.write_item(item);
                self.set_value(item, value);
                self.name(item, value);
            }
        }
    }

    fn name(&mut self, item: ItemId, value: Signed) {
        let (value, negative) = value;
        if let Some((id, opposite)) = self.items.names[item as usize]
            && !self.program.operation(value).is_leaf()
        {
            let name = self.graph.variable_name(id);
            if opposite == negative {
                self.program.set_name(value, name);
            } else {
                self.program.set_name(value, format!("minus_{name}"));
            }
        }
    }

    /// Sums whose opposite is needed by the first user that cannot take a minus on its edge.
    fn choose_signs(&mut self) {
        let mut decided = vec![false; self.items.len()];
        let mut vote = |edge: Edge| {
            if !std::mem::replace(&mut decided[edge.item as usize], true) {
                self.flipped[edge.item as usize] = edge.negative;
            }
        };
        self.items.roots.iter().copied().for_each(&mut vote);
        for item in &self.items.items {
            if !matches!(item, Item::Sum(_) | Item::Product(_)) {
                item.for_each_operand(&mut vote);
            }
        }
    }

    fn write_item(&mut self, item: ItemId) -> Signed {
        let block = self.block(item);
        let items = self.items;
        match &items.items[item as usize] {
            Item::Number(number) => (self.program.constant(*number), false),
            Item::Input(id) => (self.inputs[id], false),
            Item::Sum(list) => self.sum(list, self.flipped[item as usize], block),
            Item::Product(list) => self.product(list, block),
            Item::Unary(function, a) => {
                let a = self.plain(*a, block);
                (self.program.push(block, Operation::Unary(*function, a)), false)
            }
            Item::Binary(function, a, b) => {
                let (a, b) = (self.plain(*a, block), self.plain(*b, block));
                (self.program.push(block, Operation::Binary(*function, a, b)), false)
            }
            Item::Select(compare, edges) => {
                let [left, right, then, otherwise] = edges.map(|edge| self.plain(edge, block));
                let operation =
                    Operation::Select { compare: *compare, left, right, then, otherwise };
                (self.program.push(block, operation), false)
            }
            Item::Call(function, edges) => {
                let arguments: Vec<Value> =
                    edges.iter().map(|&edge| self.plain(edge, block)).collect();
                let function = self.function(*function);
                (self.program.call(block, function, &arguments), false)
            }
            Item::Result(call, index) => {
                let (call, _) = self.signed(*call);
                (self.program.result(block, call, *index), false)
            }
        }
    }

    fn function(&mut self, id: rotule_symbolic::FunctionId) -> FunctionId {
        if let Some(&known) = self.functions.get(&id) {
            return known;
        }
        let declared = self.graph.function(id);
        let derivative_of = declared.derivative_of.map(|(of, directions)| Partner {
            of: self.function(of),
            directions: directions as u32,
        });
        let function = self.program.function(ForeignSignature {
            name: declared.name.clone(),
            arguments: declared.arguments as u32,
            results: declared.results as u32,
            derivative_of,
        });
        self.functions.insert(id, function);
        function
    }

    fn signed(&self, item: ItemId) -> Signed {
        // The walk writes operands before their users.
        self.value(item).expect("an operand is written first")
    }

    /// The value of an edge, with a minus written out if it needs one.
    fn plain(&mut self, edge: Edge, block: Block) -> Value {
        let (value, negative) = self.signed(edge.item);
        if negative == edge.negative {
            value
        } else if let Some(number) = self.program.number(value) {
            self.program.constant(-number)
        } else {
            self.program.push(block, Operation::Neg(value))
        }
    }

    fn arithmetic(
        &mut self,
        block: Block,
        operation: ArithmeticOperation,
        a: Value,
        b: Value,
    ) -> Value {
        self.program.push(block, Operation::Arithmetic(operation, a, b))
    }

    /// A list without what an iteration need not compute again, and that, if it is more than one
    /// item.
    fn parted(&self, list: &List, block: Block) -> Option<(List, List)> {
        if !matches!(block, Block::Region(_)) {
            return None;
        }
        let (inside, outside): (List, List) =
            list.iter().copied().partition(|entry| self.inside(entry.0).is_some());
        (!inside.is_empty() && outside.len() >= 2).then_some((inside, outside))
    }

    /// `a + b - c ...`: what is positive first. Products that nobody else reads come last, so that
    /// each can be computed together with the sum up to it: `a b + c d + e` takes three operations
    /// then, and two as `e + a b + c d`.
    fn sum(&mut self, list: &List, flipped: bool, block: Block) -> Signed {
        let mut terms: SmallVec<[Term; 8]> = SmallVec::new();
        let parted = self.parted(list, block);
        let mut list = list;
        if let Some((inside, fixed)) = &parted {
            let (value, negative) = self.sum(fixed, false, Block::Body);
            terms.push(Term { value, negative: negative != flipped, alone: false });
            list = inside;
        }
        for &(item, sign) in list {
            let (value, negative) = self.signed(item);
            let negative = (negative != (sign < 0)) != flipped;
            let alone = self.alone[item as usize];
            terms.extend((0..sign.unsigned_abs()).map(|_| Term { value, negative, alone }));
        }
        let all_negative = terms.iter().all(|term| term.negative);
        if all_negative {
            terms.iter_mut().for_each(|term| term.negative = false);
        }
        terms.sort_by_key(|term| term.alone);
        let first = terms.iter().position(|term| !term.negative).unwrap_or(0);
        let mut total = terms.remove(first).value;
        for Term { value, negative, .. } in terms {
            let operation =
                if negative { ArithmeticOperation::Sub } else { ArithmeticOperation::Add };
            total = self.arithmetic(block, operation, total, value);
        }
        (total, all_negative != flipped)
    }

    /// A product of powers, step by step as [`plan`] says.
    fn product(&mut self, list: &List, block: Block) -> Signed {
        let mut negative = false;
        let mut powers: Powers = SmallVec::new();
        let parted = self.parted(list, block);
        let mut list = list;
        if let Some((inside, fixed)) = &parted {
            let (value, sign) = self.product(fixed, Block::Body);
            negative = sign;
            powers.push((value, 1));
            list = inside;
        }
        for &(item, power) in list {
            let (value, sign) = self.signed(item);
            negative ^= sign && power % 2 != 0;
            powers.push((value, power));
        }
        (self.powers(powers, block), negative)
    }

    fn powers(&mut self, powers: Powers, block: Block) -> Value {
        // Most products are plain.
        if powers.iter().all(|p| p.1 == 1) {
            return self.quotient(&powers, block);
        }
        let mut powers = self.grouped(powers, block);
        let plain: SmallVec<[i32; 8]> = powers.iter().map(|p| p.1).collect();
        match plan(&plain) {
            PowerPlan::Flat => self.quotient(&powers, block),
            PowerPlan::Raise(by) => {
                let split = |p: i32| (i64::from(p) / i64::from(by), i64::from(p) % i64::from(by));
                let rest: Powers = powers
                    .iter()
                    .map(|&(value, power)| (value, split(power).1 as i32))
                    .filter(|p| p.1 != 0)
                    .collect();
                powers.iter_mut().for_each(|p| p.1 = split(p.1).0 as i32);
                powers.retain(|p| p.1 != 0);
                let inner = self.powers(powers, block);
                let raised = self.power(inner, by, block);
                self.times(raised, rest, block)
            }
            PowerPlan::Quotient => {
                let (above, mut below): (Powers, Powers) =
                    powers.into_iter().partition(|p| p.1 > 0);
                below.iter_mut().for_each(|p| p.1 = p.1.saturating_neg());
                let above = if above.is_empty() {
                    self.program.constant(1.0)
                } else {
                    self.powers(above, block)
                };
                let below = self.powers(below, block);
                self.arithmetic(block, ArithmeticOperation::Div, above, below)
            }
        }
    }

    /// A value times what remains of a product.
    fn times(&mut self, value: Value, mut rest: Powers, block: Block) -> Value {
        if rest.is_empty() {
            return value;
        }
        let below = rest.iter().all(|p| p.1 < 0);
        if below {
            rest.iter_mut().for_each(|p| p.1 = -p.1);
        }
        let rest = self.powers(rest, block);
        self.arithmetic(
            block,
            if below { ArithmeticOperation::Div } else { ArithmeticOperation::Mul },
            value,
            rest,
        )
    }

    /// One base for each power: those with the same are multiplied, with the opposite divided.
    fn grouped(&mut self, powers: Powers, block: Block) -> Powers {
        let mut done: Powers = SmallVec::new();
        // Numerators first: a group with both kinds is then a quotient.
        let (above, below): (Powers, Powers) = powers.into_iter().partition(|p| p.1 > 0);
        for (value, power) in above.into_iter().chain(below) {
            let size = power.unsigned_abs();
            let same = |p: &(Value, i32)| p.1 == power || (size > 1 && p.1.unsigned_abs() == size);
            match done.iter().position(same) {
                None => done.push((value, power)),
                Some(i) => {
                    let divide = done[i].1 != power;
                    let operation =
                        if divide { ArithmeticOperation::Div } else { ArithmeticOperation::Mul };
                    done[i].0 = self.arithmetic(block, operation, done[i].0, value);
                }
            }
        }
        done
    }

    /// Numerators, multiplied; denominators, multiplied; and one division.
    fn quotient(&mut self, powers: &[(Value, i32)], block: Block) -> Value {
        let multiply = |writer: &mut Self, total: Option<Value>, value: Value| match total {
            None => Some(value),
            Some(total) => Some(writer.arithmetic(block, ArithmeticOperation::Mul, total, value)),
        };
        let (mut above, mut below) = (None, None);
        for &(value, power) in powers {
            if power > 0 {
                above = multiply(self, above, value);
            } else {
                below = multiply(self, below, value);
            }
        }
        match (above, below) {
            (Some(above), Some(below)) => {
                self.arithmetic(block, ArithmeticOperation::Div, above, below)
            }
            (Some(above), None) => above,
            (None, Some(below)) => {
                let one = self.program.constant(1.0);
                self.arithmetic(block, ArithmeticOperation::Div, one, below)
            }
            (None, None) => self.program.constant(1.0),
        }
    }

    /// A power, step by step as [`power_step`] says.
    fn power(&mut self, base: Value, power: u32, block: Block) -> Value {
        match power {
            1 => base,
            2 => self.arithmetic(block, ArithmeticOperation::Mul, base, base),
            _ => match power_step(power) {
                PowerStep::Through(inner) => {
                    let first = self.power(base, inner, block);
                    self.power(first, power / inner, block)
                }
                PowerStep::OneMore => {
                    let less = self.power(base, power - 1, block);
                    self.arithmetic(block, ArithmeticOperation::Mul, less, base)
                }
            },
        }
    }
}
