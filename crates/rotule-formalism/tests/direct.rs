//! scratch
mod common;
use common::*;
use rotule_formalism::Formalism::*;

#[test]
fn look() {
    for name in ["puma560_p1","puma560","kuka_iiwa14","n_pendulum_8","motorcycle","cart_pole","furuta","heavy_top","sliding_pendulum"] {
        let text = example(&format!("{name}.toml"));
        let mut row = Vec::new();
        for formalism in [Classical, Barycentric, OrderN] {
            let mut tree = tree(&text);
            let t = std::time::Instant::now();
            let c = operations(&mut tree, "direct", formalism);
            row.push((c, t.elapsed()));
        }
        let mut t = tree(&text);
        let a = write(&mut t, "direct", Classical);
        let b = write(&mut t, "direct", OrderN);
        let params = t.mechanism.parameters.clone();
        let value = |n: &str| params.iter().find(|p| p.name == n).map(|p| p.value).or(Some(random(n, 3)));
        let x = numbers(&t, &a[0], value);
        let y = numbers(&t, &b[0], value);
        let err = x.iter().zip(&y).map(|(a,b)| (a-b).abs()).fold(0.0, f64::max) / x.iter().fold(1.0f64, |m, a| m.max(a.abs()));
        println!("{name}: {row:?} err {err:e}");
    }
}
