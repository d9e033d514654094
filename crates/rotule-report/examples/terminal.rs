//! Shows the demonstration plots in the terminal: `cargo run -p rotule-report --example terminal`.

use rotule_report::terminal::{Look, draw};
use rotule_testing::demos;

fn main() {
    let look = Look::of_terminal();
    for (_, page) in demos::all().iter().take(2) {
        for plot in page.plots.iter().take(3) {
            println!("{}", draw(plot, &page.times, &look));
        }
    }
}
