//! Wall-clock time, where there is any: to ask for it on `wasm32-unknown-unknown` is a panic.

use std::time::Instant;

/// A stopwatch, which shows nothing on targets that have no clock.
///
/// ```
/// use rotule_simulate::Clock;
///
/// let clock = Clock::start();
/// assert!(clock.seconds().is_some_and(|seconds| seconds >= 0.0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Clock(Option<Instant>);

impl Clock {
    /// Starts to count.
    pub fn start() -> Clock {
        let none = cfg!(all(target_family = "wasm", target_os = "unknown"));
        Clock((!none).then(Instant::now))
    }

    /// Seconds since the start; none without a clock.
    pub fn seconds(&self) -> Option<f64> {
        self.0.map(|begun| begun.elapsed().as_secs_f64())
    }
}
