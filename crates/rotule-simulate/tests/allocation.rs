//! Steps take no memory: nothing is allocated between one step and the next, whatever is watched.

// Counting takes an allocator of our own.
#![allow(unsafe_code)]

use rotule_jit::KernelKind;
use rotule_numeric::state::StateNumbers;
use rotule_program::NoExternals;
use rotule_simulate::method::Accuracy;
use rotule_simulate::run::{End, Samples, Threshold};
use rotule_simulate::simulation::{
    Balance, ChannelGroup, SampleSink, Simulation, SimulationOptions,
};
use rotule_testing::simulate::{example, tree};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::ControlFlow;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which counts requests of this thread.
struct Counting;

fn count() {
    // A thread that ends has no counter any more.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every request goes to the system's allocator as it is; the counter allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations() -> u64 {
    COUNT.with(Cell::get)
}

struct Last(f64);

impl SampleSink for Last {
    fn row(&mut self, numbers: &[f64]) -> std::io::Result<()> {
        self.0 = numbers.iter().sum();
        Ok(())
    }
}

/// Steps at the beginning, in which memory takes its size.
const WARM: usize = 5;

/// Runs a model with everything watched that belongs to some groups; the requests for memory of
/// each step after the first ones.
fn requests(model: &str, method: &str, groups: &[ChannelGroup]) -> Vec<u64> {
    let tree = tree(&example(&format!("{model}.toml")));
    let options = SimulationOptions {
        to: 0.04,
        method: method.to_owned(),
        constraints: None,
        accuracy: Accuracy::Fixed(1e-3),
        max_step: None,
        max_steps: 1000,
        samples: Samples::Steps,
        threshold: Threshold::AUTOMATIC,
        groups: groups.to_vec(),
        names: Vec::new(),
        kernel: KernelKind::Auto,
        balance: Balance::Off,
    };
    let mut state = StateNumbers::initial(&tree);
    state.settle(&tree);
    let mut simulation =
        Simulation::new(tree, &state, &options, Box::new(NoExternals)).expect("a simulation");
    let mut at_steps = Vec::with_capacity(1000);
    let mut last = Last(0.0);
    let summary = simulation.run(&mut [&mut last], &mut |_| {
        at_steps.push(allocations());
        ControlFlow::Continue(())
    });
    let outcome = summary.expect("a run").outcome;
    assert!(outcome.end == End::Reached && last.0.is_finite(), "{model}");
    // Another partition is another program.
    assert!(outcome.switches.is_empty(), "{model}");
    assert!(at_steps.len() > 40, "{model}: {}", at_steps.len());
    at_steps.windows(2).skip(2 * WARM).map(|pair| pair[1] - pair[0]).collect()
}

fn check(model: &str, method: &str, groups: &[ChannelGroup]) {
    let requests = requests(model, method, groups);
    let some = requests.iter().filter(|count| **count > 0).count();
    assert_eq!(some, 0, "{model} by {method} with {groups:?}: {requests:?}");
}

/// All groups but the conditioning, for which other partitions are made at every sample.
fn watched() -> Vec<ChannelGroup> {
    let all = ChannelGroup::ALL.iter().map(|(group, _)| *group);
    all.filter(|group| *group != ChannelGroup::Conditioning).collect()
}

#[test]
fn the_allocator_counts() {
    let before = allocations();
    let list = std::hint::black_box(vec![1, 2, 3]);
    assert!(allocations() > before && list.len() == 3);
}

#[test]
fn steps_of_open_trees_take_no_memory() {
    for model in ["double_pendulum", "puma560", "quadruped"] {
        check(model, "rk4", &[ChannelGroup::Coordinates]);
        check(model, "rk4", &watched());
        check(model, "dormand-prince", &watched());
    }
}

#[test]
fn steps_of_closed_models_take_no_memory() {
    for model in ["slider_crank", "five_bar", "stewart_platform"] {
        check(model, "rk4", &[ChannelGroup::Coordinates]);
        check(model, "rk4", &watched());
        check(model, "dormand-prince", &watched());
    }
}
