//! Common factors in sums: `a*p*x + b*p*z = p*(a*x + b*z)`.
//!
//! Of all factors that two or more terms share, the one whose extraction saves most is taken, with
//! everything else its terms have in common; the rest waits for the next round. So `a*b*c + b*c*e +
//! a*d*f` becomes `b*c*(a + e) + a*d*f` in whatever order it was written.

use crate::cost::product_operations;
use crate::expr::Expr;
use crate::graph::Graph;
use crate::node::{Factor, Node};
use crate::number::Number;
use crate::order::Order;
use crate::product::Factors;
use crate::sum::Terms;
use smallvec::SmallVec;

/// A base in canonical order, whether it is below the line, and the term in which it occurs.
type Place = (Order, bool, u32);

/// In sums with more factors than this, only the most frequent ones are tried.
const LONG: usize = 2048;
const MOST: usize = 16;

/// A possible extraction.
struct Candidate {
    saved: u32,
    members: SmallVec<[u32; 8]>,
    common: Factors,
}

impl Graph {
    /// Extracts common factors from groups of terms, the most profitable first. False when no
    /// extraction saves an operation.
    pub(crate) fn factor(&mut self, terms: &mut Terms) -> bool {
        let mut candidates = Vec::new();
        let mut factors: SmallVec<[Factors; 8]> = SmallVec::new();
        if self.share_a_base(terms) {
            factors.extend(terms.iter().map(|t| self.factors_of(t.1)));
            candidates = self.extractions(terms, &factors);
        }
        if candidates.is_empty() {
            self.common_coefficients(terms, &mut candidates);
            if !candidates.is_empty() && factors.is_empty() {
                factors.extend(terms.iter().map(|t| self.factors_of(t.1)));
            }
        }
        // Stable: equal savings keep the canonical order.
        candidates.sort_by_key(|c| (u32::MAX - c.saved, u32::MAX - c.members.len() as u32));
        let mut taken: SmallVec<[bool; 16]> = SmallVec::from_elem(false, terms.len());
        let mut extracted = Terms::new();
        for candidate in candidates {
            if candidate.members.iter().any(|&m| taken[m as usize]) {
                continue;
            }
            candidate.members.iter().for_each(|&m| taken[m as usize] = true);
            let term = self.extract(terms, &factors, candidate);
            extracted.push(term);
        }
        if extracted.is_empty() {
            return false;
        }
        let mut index = 0;
        terms.retain(|_| {
            index += 1;
            !taken[index - 1]
        });
        terms.extend(extracted);
        true
    }

    /// Returns `true` if any base occurs in two terms: a cheap look that most sums end with.
    fn share_a_base(&self, terms: &Terms) -> bool {
        let mut bases: SmallVec<[Expr; 24]> = SmallVec::new();
        for &(_, core) in terms {
            match self.node(core) {
                Node::Product(factors) => bases.extend(factors.iter().map(|f| f.base)),
                _ => bases.push(core),
            }
        }
        bases.sort_unstable();
        bases.windows(2).any(|w| w[0] == w[1])
    }

    /// The term that replaces the members of a candidate: their common part times the sum of
    /// what is left of each.
    fn extract(
        &mut self,
        terms: &Terms,
        factors: &[Factors],
        candidate: Candidate,
    ) -> (Number, Expr) {
        let Candidate { members, common, .. } = candidate;
        let mut inner = Terms::new();
        for &m in &members {
            let mut list = factors[m as usize].clone();
            list.extend(common.iter().map(|f| Factor { base: f.base, power: -f.power }));
            let cofactor = self.product_of(terms[m as usize].0, list);
            inner.push(self.split(cofactor));
        }
        let inner = self.sum_of(inner);
        let mut coefficient = Number::ONE;
        let mut list = common;
        self.gather(inner, 1, &mut coefficient, &mut list);
        let product = self.product_of(coefficient, list);
        self.split(product)
    }

    /// Every factor that two or more terms share, with all their terms have in common.
    fn extractions(&self, terms: &Terms, factors: &[Factors]) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let mut places: SmallVec<[Place; 24]> = SmallVec::new();
        for (i, list) in factors.iter().enumerate() {
            places.extend(list.iter().map(|f| (self.order(f.base), f.power < 0, i as u32)));
        }
        places.sort_unstable();
        let groups = places.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1);
        let mut groups: SmallVec<[&[Place]; 16]> = groups.filter(|g| g.len() >= 2).collect();
        if places.len() > LONG {
            // Looking at every factor of a long sum of long products would take cubic time.
            groups.sort_by_key(|g| usize::MAX - g.len());
            groups.truncate(MOST);
        }
        for group in groups {
            let members: SmallVec<[u32; 8]> = group.iter().map(|p| p.2).collect();
            let common = self.common_factors(factors, &members);
            let saved = saving(terms, factors, &members, &common);
            if saved > 0 {
                candidates.push(Candidate { saved, members, common });
            }
        }
        candidates
    }

    /// The factors that all members share, with the smallest power that occurs.
    fn common_factors(&self, factors: &[Factors], members: &[u32]) -> Factors {
        let mut common = factors[members[0] as usize].clone();
        for &m in &members[1..] {
            let list = &factors[m as usize];
            common.retain(|shared| {
                let found = list.iter().find(|f| f.base == shared.base);
                match found {
                    Some(f) if (f.power < 0) == (shared.power < 0) => {
                        if f.power.unsigned_abs() < shared.power.unsigned_abs() {
                            shared.power = f.power;
                        }
                        true
                    }
                    _ => false,
                }
            });
        }
        common
    }

    /// Terms with the same coefficient, but not all of them: `2*a + 2*b + c`. (A coefficient that
    /// all terms share is pulled out when the sum is closed.)
    fn common_coefficients(&self, terms: &Terms, candidates: &mut Vec<Candidate>) {
        let mut places: SmallVec<[(bool, u64, u32); 16]> = terms
            .iter()
            .enumerate()
            .filter(|(_, t)| !t.0.abs().is_one() && t.1 != Expr::ONE && !self.is_reciprocal(t.1))
            .map(|(i, t)| (t.0.is_exact(), t.0.abs().to_f64().to_bits(), i as u32))
            .collect();
        places.sort_unstable();
        for group in places.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1) {
            let members: SmallVec<[u32; 8]> = group.iter().map(|p| p.2).collect();
            let first = terms[members[0] as usize].0.abs();
            // Two fractions may round to the same real.
            let same = members.iter().all(|&m| terms[m as usize].0.abs() == first);
            if members.len() >= 2 && members.len() < terms.len() && same {
                let saved = members.len() as u32 - 1;
                candidates.push(Candidate { saved, members, common: Factors::new() });
            }
        }
    }
}

/// Number of operations that the extraction of `common` from the members saves. None where it would
/// save nothing if `common` were computed once anyway, as lowering does.
fn saving(terms: &Terms, factors: &[Factors], members: &[u32], common: &Factors) -> u32 {
    let first = terms[members[0] as usize].0.abs();
    let one_number = members.iter().all(|&m| terms[m as usize].0.abs() == first);
    // The sum of the rests, or the common part, as one factor.
    let bracket = Factor { base: Expr::ONE, power: 1 };
    let (mut before, mut shared, mut after) = (0, 0, 0);
    for &m in members {
        let (number, list) = (terms[m as usize].0.abs(), &factors[m as usize]);
        before += operations(number, list.iter().copied());
        let rest = list.iter().filter_map(|f| {
            let taken = common.iter().find(|c| c.base == f.base).map_or(0, |c| c.power);
            let power = f.power - taken;
            (power != 0).then_some(Factor { power, ..*f })
        });
        shared += operations(number, rest.clone().chain([bracket]));
        after += operations(if one_number { Number::ONE } else { number }, rest);
    }
    shared += operations(Number::ONE, common.iter().copied());
    let number = if one_number { first } else { Number::ONE };
    after += operations(number, common.iter().copied().chain([bracket]));
    if shared > after { before.saturating_sub(after) } else { 0 }
}

/// Operations of a number times factors.
fn operations(number: Number, factors: impl Iterator<Item = Factor> + Clone) -> u32 {
    let powers = factors.map(|f| f.power);
    // A number alone is no operation, and over something it takes the place of a one.
    let scaled = !number.is_one() && powers.clone().any(|power| power > 0);
    product_operations(powers) + u32::from(scaled)
}
