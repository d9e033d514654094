//! Relations that must be linear: taken apart into factors and an offset, and proved to be no more.
//!
//! All relations of a model are taken apart together, because they may share large expressions.

use crate::resolve::Resolver;
use rotule_symbolic::random;
use rotule_symbolic::{Expr, Kind};

/// An expression and the symbols in which it must be linear.
pub struct Relation {
    /// The expression.
    pub expression: Expr,
    /// The symbols.
    pub symbols: Vec<Expr>,
}

/// An expression as the sum of factor times symbol, plus the offset.
pub struct Linear {
    /// One per symbol.
    pub factors: Vec<Expr>,
    /// The value where all symbols are zero.
    pub offset: Expr,
}

/// Number of points that are looked at, where derivatives alone do not tell.
const POINTS: u32 = 8;

impl Resolver<'_> {
    /// Takes relations apart; an error is the position of a symbol in which one is not linear.
    /// Factors must be free of everything of the given kind.
    pub(super) fn linear(
        &mut self,
        relations: &[Relation],
        kind: Kind,
    ) -> Vec<Result<Linear, usize>> {
        let expressions: Vec<Expr> = relations.iter().map(|one| one.expression).collect();
        let mut symbols: Vec<Expr> =
            relations.iter().flat_map(|one| &one.symbols).copied().collect();
        symbols.sort_unstable();
        symbols.dedup();
        let zeros: Vec<(Expr, Expr)> = symbols.iter().map(|&symbol| (symbol, Expr::ZERO)).collect();
        let offsets = self.graph.substitute(&expressions, &zeros);
        let mut parts = Vec::with_capacity(relations.len());
        for (relation, offset) in relations.iter().zip(offsets) {
            let factors = self.graph.gradient(relation.expression, &relation.symbols);
            parts.push(Linear { factors, offset });
        }
        let bent = self.bent(relations, &parts);
        let judged = parts.into_iter().zip(bent).map(|(part, bent)| {
            let variable = |&factor: &Expr| self.graph.kinds(factor).contains(kind);
            match part.factors.iter().position(variable) {
                Some(at) => Err(at),
                None if bent => Err(0),
                None => Ok(part),
            }
        });
        judged.collect()
    }

    /// Relations that differ from their parts anywhere: a derivative that is constant where it
    /// exists, such as that of `sign` or `if`, does not make a relation linear.
    fn bent(&self, relations: &[Relation], parts: &[Linear]) -> Vec<bool> {
        let mut roots = Vec::new();
        for (relation, part) in relations.iter().zip(parts) {
            roots.extend([relation.expression, part.offset]);
            roots.extend(&relation.symbols);
            roots.extend(&part.factors);
        }
        let mut bent = vec![false; relations.len()];
        for point in 1..=POINTS {
            let value = |name: &str| {
                // Any numbers will do, of both signs and the same for the same name and point.
                let random = 20.0 * random::of_name(name, point);
                Some(
                    self.numbers.get(name).copied().filter(|one| one.is_finite()).unwrap_or(random),
                )
            };
            // What calls foreign code has no value here.
            let Ok(values) = self.graph.evaluate_f64(&roots, value) else { return bent };
            let mut rest = values.as_slice();
            for (bent, relation) in bent.iter_mut().zip(relations) {
                let (own, others) = rest.split_at(2 + 2 * relation.symbols.len());
                rest = others;
                let (symbols, factors) = own[2..].split_at(relation.symbols.len());
                let terms = symbols.iter().zip(factors).map(|(q, f)| q * f);
                let size = own[0].abs() + own[1].abs() + terms.clone().map(f64::abs).sum::<f64>();
                let difference = own[0] - own[1] - terms.sum::<f64>();
                *bent |= difference.is_finite() && difference.abs() > 1e-9 * size;
            }
        }
        bent
    }
}
