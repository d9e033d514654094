//! Moore's tables 3.1 to 3.4 (2000) beside ours: temporaries of the chains Robot2-i before and
//! after the reduction, and seconds for all functions, for the linearised dynamics among them, and
//! for the reduction. `cargo xtask bench robot2` prints them.

use rotule_testing::formalism::robot2::{FUNCTIONS, MOORE, program, robot2, temporaries, together};
use std::time::Instant;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench robot2");
        return;
    }
    println!(
        "| members | before | after | shared: before | after | all | linearisation | reduction | Moore's seconds |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    for members in 1..=7 {
        let mut least = [f64::INFINITY; 3];
        let mut counts = [0; 2];
        // The least of several, because what else the machine does can only add.
        for _ in 0..5 {
            let begun = Instant::now();
            let tree = robot2(members);
            let mut programs: Vec<_> =
                FUNCTIONS[..6].iter().map(|name| program(&tree, name)).collect();
            let before = begun.elapsed().as_secs_f64();
            programs.push(program(&tree, FUNCTIONS[6]));
            let all = begun.elapsed().as_secs_f64();
            let begun = Instant::now();
            let found: Vec<_> = programs.iter().map(temporaries).collect();
            let reduction = begun.elapsed().as_secs_f64();
            counts = found.iter().fold([0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
            let now = [all + reduction, all - before, reduction];
            least.iter_mut().zip(now).for_each(|(least, now)| *least = least.min(now));
        }
        let shared = temporaries(&together(&robot2(members)));
        let [all, linearisation, reduction] = least.map(|seconds| format!("{seconds:.6}"));
        let moore = MOORE.iter().find(|row| row.0 == members);
        let moore = moore.map_or("-".to_owned(), |(_, _, seconds)| format!("{seconds:?}"));
        println!(
            "| {members} | {} | {} | {} | {} | {all} | {linearisation} | {reduction} | {moore} |",
            counts[0], counts[1], shared[0], shared[1]
        );
    }
}
