//! `rotule singular`: its table, JSON, pages and messages.

mod common;

use common::{Folder, run};
use serde_json::Value;

const CRANK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/slider_crank.toml");
const FIVE_BAR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/five_bar.toml");

#[test]
fn dead_centres_are_printed_written_and_taken_up_by_other_commands() {
    let folder = Folder::new("singular");
    let (table, page) = (folder.path("dead.csv"), folder.path("dead.html"));
    let words = ["singular", CRANK, "--drives", "q3", "--out", &table, "--report", &page];
    let answer = run(&words);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.out.contains("actuation: with the drives locked it still moves"));
    assert!(answer.out.contains("q1 = 3.141592654 rad"), "{}", answer.out);
    let rows = std::fs::read_to_string(&table).unwrap();
    assert_eq!(rows.lines().count(), 5, "{rows}");
    assert!(rows.starts_with("pose,singular,dimension,residual,smallest,distance,power,q1,q2,q3"));
    assert!(std::fs::read_to_string(&page).unwrap().contains("4 singular positions"));

    let answer = run(&["singular", CRANK, "--drives", "q3", "--json"]);
    let found: Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(found["degrees_of_freedom"], 1);
    let poses = found["poses"].as_array().unwrap();
    assert_eq!(poses.len(), 4);
    for pose in poses {
        assert_eq!(pose["singular"], serde_json::json!(["actuation"]));
        assert!((pose["power"].as_f64().unwrap() + 1.0).abs() < 0.01);
        assert!(pose["residual"].as_f64().unwrap() < 1e-12);
    }
    // Another partition is good there.
    let state = folder.file("state.json", &poses[0]["state"].to_string());
    let taken = run(&["eval", CRANK, "reduction", "--state", &state, "--independent", "q1"]);
    assert_eq!(taken.code, Some(0), "{}", taken.err);
}

#[test]
fn curves_of_singular_poses_are_drawn_over_two_drives() {
    let folder = Folder::new("singular-map");
    let map = folder.path("map.html");
    let answer = run(&["singular", FIVE_BAR, "--output", "pen", "--map", &map]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for words in ["position of pen", "a curve with q2 = 0", "a curve with q4 = 0"] {
        assert!(answer.out.contains(words), "{}", answer.out);
    }
    assert!(std::fs::read_to_string(&map).unwrap().contains("Singular poses: q3 over q1"));
}

/// Error, place and remedy of requests that cannot be met.
#[test]
fn requests_that_cannot_be_met_say_why() {
    let folder = Folder::new("singular-bad");
    let check = |words: &[&str], code: i32, expected: &str| {
        let answer = run(&[&["singular", CRANK], words].concat());
        assert_eq!(answer.code, Some(code), "{words:?}: {}", answer.err);
        assert!(answer.err.contains(expected), "{words:?}: {}", answer.err);
        assert!(answer.out.is_empty(), "{words:?}: {}", answer.out);
    };
    check(&["--drives", "q4"], 1, "there is no joint or coordinate `q4`");
    check(&["--drives", "q1,q1"], 1, "`q1` is named twice");
    check(&["--independent", "q1,q2"], 1, "--independent names 2 coordinates");
    check(&["--independent", "nobody"], 1, "there is no joint or coordinate `nobody`");
    check(&["--hold", "q1"], 1, "nothing is left to move");
    check(&["--output", "rod.Z"], 1, "`rod.Z`");
    check(&["--output", "speed:rod"], 1, "unknown part `speed` of an output");
    check(&["--starts", "-3"], 2, "--starts");
    check(&["--report", "page.pdf"], 2, "page.pdf");
    check(&["--map", &folder.path("map.html")], 1, "are no curves over two drives");
}
