//! Common factors in sums: `a*p*x + b*p*z = p*(a*x + b*z)`.
//!
//! Of all factors that two or more terms share, the one whose extraction saves most is taken, with
//! everything else its terms have in common; the rest waits for the next round. So `a*b*c + b*c*e +
//! a*d*f` becomes `b*c*(a + e) + a*d*f` in whatever order it was written.

use crate::expr::Expr;
use crate::graph::Graph;
use crate::node::Factor;
use crate::number::Number;
use crate::product::Factors;
use crate::sum::Terms;
use smallvec::SmallVec;

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
        let factors: SmallVec<[Factors; 8]> =
            terms.iter().map(|t| self.factors_of(t.1)).collect();
        let mut candidates = self.extractions(terms, &factors);
        if candidates.is_empty() {
            common_coefficients(terms, &mut candidates);
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
        if let [a, b] = factors
            && !a.iter().any(|f| b.iter().any(|g| f.base == g.base))
        {
            return candidates;
        }
        // The flag tells a power in the numerator from one in the denominator.
        let mut places: SmallVec<[((u32, Expr), bool, u32); 24]> = SmallVec::new();
        for (i, list) in factors.iter().enumerate() {
            places.extend(list.iter().map(|f| (self.order(f.base), f.power < 0, i as u32)));
        }
        places.sort_unstable();
        for group in places.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1) {
            if group.len() < 2 {
                continue;
            }
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
}

/// How many operations the extraction of `common` from the members saves.
fn saving(terms: &Terms, factors: &[Factors], members: &[u32], common: &Factors) -> u32 {
    let size = |list: &Factors| list.iter().map(|f| f.power.unsigned_abs()).sum::<u32>();
    let taken = size(common);
    let inverse_only = common.iter().all(|f| f.power < 0);
    let mut saved = 0;
    for &m in members {
        let alone = size(&factors[m as usize]) == taken;
        let unit = terms[m as usize].0.abs().is_one();
        // Nothing is multiplied in `x` alone, but something is in `2*x`, `x*y` or `1/x`.
        saved += taken - u32::from(alone && unit && !inverse_only);
    }
    let first = terms[members[0] as usize].0.abs();
    if !first.is_one() && members.iter().all(|&m| terms[m as usize].0.abs() == first) {
        saved += members.len() as u32 - 1;
    }
    saved.saturating_sub(taken)
}

/// Terms with the same coefficient, but not all of them: `2*a + 2*b + c`. (A coefficient that all
/// terms share is pulled out when the sum is closed.)
fn common_coefficients(terms: &Terms, candidates: &mut Vec<Candidate>) {
    let mut places: SmallVec<[(bool, u64, u32); 16]> = terms
        .iter()
        .enumerate()
        .filter(|(_, t)| !t.0.abs().is_one() && t.1 != Expr::ONE)
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
