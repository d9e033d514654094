//! Symmetric systems: the operations that a full matrix takes.

use rotule_formalism::forward::ldl::LdlFactor;
use rotule_program::ProgramCounts;
use rotule_program::lower::{Request, Target, lower};
use rotule_symbolic::{Expr, Graph, GraphCell, Kind, Scalar};

fn dense(n: usize) -> u64 {
    let cell = GraphCell::new(Graph::new());
    let mut entries = Vec::new();
    for i in 0..n {
        for j in 0..=i {
            entries.push((i, j, cell.symbol(&format!("m{i}_{j}"), Kind::Coordinate)));
        }
    }
    let b: Vec<Scalar<'_>> =
        (0..n).map(|i| cell.symbol(&format!("b{i}"), Kind::Coordinate)).collect();
    let t = std::time::Instant::now();
    let factor = LdlFactor::of(&entries, n, "M").expect("regular");
    let x: Vec<Expr> = factor.solve(&b, "x").into_iter().map(Scalar::expr).collect();
    let t1 = t.elapsed();
    let outputs = vec![Target::vector("x", &x)];
    let request = Request { name: "solve".to_owned(), outputs, ..Request::default() };
    let c = ProgramCounts::of(&lower(&cell.into_inner(), &request).program).body.operations();
    println!("{n} {c} {t1:?} {:?}", t.elapsed());
    c
}

#[test]
fn full_systems_take_no_more_operations_than_by_hand() {
    for (n, most) in [(5, 100), (10, 575), (20, 3650), (50, 47875), (100, 358_250)] {
        let count = dense(n);
        assert!(count <= most, "{n}: {count}");
    }
}
