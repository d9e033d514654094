//! A part of the campaign of interrupted runs; `cargo xtask campaign interrupted` runs all of it.
#![cfg(unix)]

mod common;

use common::{Folder, command};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rotule_testing::interrupted::{Arena, BLOWS, Kind, Verdict};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

#[test]
fn what_was_flushed_survives_any_signal_at_any_moment() {
    let arena = Arena::new(Path::new(env!("CARGO_BIN_EXE_rotule")));
    let (mut kept, mut share) = (0, 0.0);
    for kind in Kind::ALL {
        for blow in BLOWS {
            for seed in 0..4 {
                let report = arena.strike(kind, blow, seed);
                assert!(!matches!(report.verdict, Verdict::Wrong(_)), "{report}");
                if let Verdict::Kept(part) = report.verdict {
                    kept += 1;
                    share += part;
                }
            }
        }
    }
    assert!(kept >= 20, "{kept} of 48 runs were struck while they wrote");
    assert!(share > 0.1 * f64::from(kept), "{share} of {kept}");
}

/// A chain of many bodies, which takes long to prepare.
fn chain(bodies: usize) -> String {
    let body = |number: usize| {
        let parent = if number == 0 { "ground".to_owned() } else { format!("b{}", number - 1) };
        let axis = ["x", "y", "z"][number % 3];
        format!(
            "[[body]]\nname = \"b{number}\"\nparent = \"{parent}\"\nposition = [0, 0, -0.1]\n\
             joint = {{ name = \"q{number}\", type = \"revolute\", axis = \"{axis}\" }}\nmass = 1\n\
             com = [0, 0, -0.05]\ninertia = {{ xx = 0.01, yy = 0.01, zz = 0.01 }}\n"
        )
    };
    let bodies: String = (0..bodies).map(body).collect();
    format!("[model]\nname = \"chain\"\ngravity = [0, 0, -9.81]\n{bodies}")
}

/// While the second run of a verification is prepared, nobody looks for signals, and the page is
/// not written yet.
#[test]
fn a_command_that_does_not_look_for_signals_is_not_waited_for() {
    let folder = Folder::new("not-waited-for");
    let model = folder.file("chain.toml", &chain(1500));
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let (out, page) =
            (folder.path(&format!("{code}.csv")), folder.path(&format!("{code}.html")));
        let words = ["simulate", &model, "--to", "0.002", "--dt", "1e-3", "--every", "step"];
        let more = ["--channels", "coordinates", "--verify", "--out", &out, "--report", &page];
        let mut child = command(&[&words[..], &more].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // The rows are in their place when the second run begins.
        while !Path::new(&out).exists() {
            assert!(child.try_wait().expect("a child").is_none(), "it ended");
            std::thread::sleep(Duration::from_millis(5));
        }
        kill(Pid::from_raw(child.id().cast_signed()), signal).expect("a signal");
        let output = child.wait_with_output().expect("an end");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{err}");
        assert!(
            err.contains("at t = 0.002") || err.contains("while the run was verified"),
            "{err}"
        );
        let text = std::fs::read_to_string(&page).expect("a page");
        assert!(text.trim_end().ends_with("</html>"));
        assert_eq!(std::fs::read_to_string(&out).expect("rows").lines().count(), 4);
    }
    let names = ["130.csv", "130.html", "143.csv", "143.html", "chain.toml"];
    assert_eq!(folder.names(), names);
}
