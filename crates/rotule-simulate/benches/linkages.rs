//! All linkages with closed forms, driven at 100 rad/s over 1000 turns with the default method and
//! tolerances. `cargo xtask bench linkages` prints the table: the largest error of positions at any
//! sample with its time, errors of positions, speeds and accelerations at the end (in parts of the
//! loop's size, of the speed and of its square), and cost.

use rotule_testing::simulate::linkage::linkages;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    if !arguments.any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench linkages");
        return;
    }
    println!(
        "| linkage | worst sample | at | end | speeds | accelerations | steps | changes | end of the run | time |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|---|--:|");
    for linkage in linkages() {
        let begun = Instant::now();
        let found = linkage.follow(100.0, 1000.0);
        println!("{} {:.2} s |", found.row(&linkage.name), begun.elapsed().as_secs_f64());
    }
}
