//! The page in a real browser. `cargo xtask browser` provides Chromium and what drives it.
//!
//! A script (`browser/checks.mjs`) opens the demonstration pages, does what a reader does and
//! prints a line for every check; here each line is a test of its own, so that a failure has a
//! name.

use rotule_report::picture::{Raster, webm};
use rotule_testing::demos;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest that all checks may take; on a machine with two cores they take a tenth of it.
const LONGEST: Duration = Duration::from_secs(1800);

/// The answer to each check: nothing if it holds, else why not.
type Report = BTreeMap<String, String>;

/// The script's report, or why there is none.
static REPORT: LazyLock<Result<Report, String>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&folder).expect("the build folder can be written");
    for (name, page) in demos::all() {
        let file = File::create(folder.join(format!("{name}.html"))).expect("the folder is there");
        page.write(&mut BufWriter::new(file)).expect("the disk has room");
    }
    let film = File::create(folder.join("film.webm")).expect("the folder is there");
    webm(&mut BufWriter::new(film), (0..60).map(film_frame), 40).expect("the disk has room");
    run("checks.mjs", folder.as_os_str(), LONGEST)
});

/// Runs a script of the browser and returns its report. What takes longer than the limit is
/// killed.
fn run(script: &str, argument: &OsStr, longest: Duration) -> Result<Report, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script);
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(script);
    let (end, text) = bounded(Command::new("node").arg(path).arg(argument), &output, longest);
    let lines = text.lines().filter_map(|line| line.strip_prefix("check "));
    let split = |line: &str| {
        let (name, why) = line.split_once(": ").unwrap_or((line, ""));
        (name.to_owned(), why.to_owned())
    };
    match end {
        Some(status) if status.success() => Ok(lines.map(split).collect()),
        Some(status) => Err(format!("{script}: {status}\n{text}")),
        None => Err(format!("{script}: no end within {} s\n{text}", longest.as_secs())),
    }
}

/// Runs a program for at most so long; returns how it ended, unless it had to be killed, and what
/// it printed.
fn bounded(call: &mut Command, output: &Path, longest: Duration) -> (Option<ExitStatus>, String) {
    let file = |ending: &str| {
        let path = output.with_extension(ending);
        let file = File::create(&path).expect("the build folder can be written");
        (path, file)
    };
    // Files, because a pipe is open as long as any process that the program started.
    let ((said, out), (noted, err)) = (file("out"), file("err"));
    let child = call.stdout(out).stderr(err).spawn();
    let mut child = child.expect("`node` can be started: `cargo xtask browser` provides it");
    let begun = Instant::now();
    let mut has_ended = false;
    while !has_ended && begun.elapsed() < longest {
        sleep(Duration::from_millis(50));
        has_ended = child.try_wait().expect("a child can be asked").is_some();
    }
    if !has_ended {
        child.kill().expect("a child can be killed");
    }
    let status = child.wait().expect("a child that ended");
    let text = |path| String::from_utf8_lossy(&fs::read(path).expect("the output")).into_owned();
    (has_ended.then_some(status), text(said) + "\n" + &text(noted))
}

/// A red bar that moves to the right over blue, two pixels a frame.
fn film_frame(at: usize) -> Raster {
    let pixel = |k: usize| {
        let x = k % 160;
        if (2 * at..2 * at + 30).contains(&x) { [200, 40, 30] } else { [40, 90, 180] }
    };
    Raster { width: 160, height: 100, pixels: (0..160 * 100).map(pixel).collect() }
}

fn check(name: &str) {
    let report = REPORT.as_ref().unwrap_or_else(|why| panic!("{why}"));
    match report.get(name) {
        Some(why) => assert!(why.is_empty(), "{why}"),
        None => panic!("the script has no check `{name}`: {:?}", report.keys()),
    }
}

macro_rules! checks {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn every_check_of_the_script_is_a_test() {
            let known = [$(stringify!($name)),*];
            let report = REPORT.as_ref().unwrap_or_else(|why| panic!("{why}"));
            let unknown: Vec<_> = report.keys().filter(|name| !known.contains(&name.as_str())).collect();
            assert!(unknown.is_empty(), "{unknown:?}");
        }
    };
}

/// Returns `true` if the packages of Node.js are installed.
fn has_packages() -> bool {
    let folder = std::env::var_os("ROTULE_NODE_MODULES").map(std::path::PathBuf::from);
    folder.is_some_and(|folder| folder.join("esbuild").is_dir())
}

#[test]
fn the_script_is_what_its_sources_give() {
    if !has_packages() {
        println!("not compared: esbuild is missing; `cargo xtask page --check` brings it");
        return;
    }
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("page/build.mjs");
    let output = Command::new("node").arg(build).arg("--check").output();
    let output = output.expect("`node` can be started: `cargo xtask browser` provides it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_browser_that_does_not_answer_fails_in_time() {
    let report = run("trials.mjs", OsStr::new("3"), LONGEST).unwrap_or_else(|why| panic!("{why}"));
    let late = "the browser: no answer within 3 s";
    assert_eq!(report["a_page_that_never_answers"], late);
    assert_eq!(report["a_page_that_is_busy_forever"], late);
    assert!(report["a_browser_that_died"].contains("closed"), "{report:?}");
    assert_eq!(report["the_next_check_has_a_browser"], "");
}

#[test]
fn a_script_that_does_not_end_is_killed() {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("endless");
    let script = "console.log('check begun'); setInterval(() => {}, 1000)";
    let begun = Instant::now();
    let mut call = Command::new("node");
    let (end, text) = bounded(call.args(["-e", script]), &output, Duration::from_secs(3));
    assert!(end.is_none() && text.starts_with("check begun"), "{end:?} {text}");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

checks! {
    pages_load_without_a_message
    pages_fetch_nothing
    other_scripts_and_requests_are_refused
    names_of_the_model_stay_text
    every_plot_is_drawn
    gaps_are_gaps
    the_scene_is_drawn
    play_advances_and_pause_stops
    scrubbing_sets_the_time_everywhere
    values_at_the_cursor_are_right
    the_legend_hides_a_curve
    a_drag_zooms_all_plots
    powers_of_ten_can_be_shown
    a_click_in_a_plot_goes_there
    keys_play_step_and_turn
    the_mouse_turns_moves_and_zooms
    bodies_tell_their_names
    layers_and_trail_are_shown
    keys_work_without_a_click_before
    bodies_are_reached_by_keys
    controls_have_names
    distances_are_measured
    forces_are_arrows
    channels_are_found_and_plotted_together
    a_channel_is_drawn_over_another
    one_cursor_is_in_all_plots
    plots_are_saved
    the_view_is_saved_and_fills_the_screen
    the_verdict_leads_to_its_table
    colours_stay_apart_for_all_eyes
    a_frame_takes_little_time
    sliders_move_the_mechanism_and_loops_follow
    events_can_be_visited
    dark_changes_the_colours
    narrow_windows_do_not_overflow
    fingers_scrub_and_pinch
    paper_shows_every_plot
    without_webgl_the_plots_remain
    films_play
}
