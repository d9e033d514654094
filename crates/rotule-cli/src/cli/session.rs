//! Open outputs of one run of the program, and its end by a signal.
//!
//! SIGINT and SIGTERM are blocked in all threads and waited for by one. It first lets a run end by
//! itself, as a simulation does after its step, with its summary. What has not begun to end after a
//! moment (a step of a large model takes seconds, preparing it, too) is not waited for: this thread
//! completes the open outputs and ends the process. A second signal ends it at once. Another thread
//! flushes the outputs every second.

use super::failure::Failure;
use super::output;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::{Duration, Instant};

/// The time that a command has to begin to end by itself, and then to end.
const GRACE: Duration = Duration::from_millis(25);
/// The interval at which it is checked whether the command ends.
const LOOK: Duration = Duration::from_millis(2);
/// Flushes may take this part of the time.
const SHARE: u32 = 20;

/// An output that can be completed at any moment, by any thread.
pub trait Output: Send {
    /// Returns `true` if it is a file, which does not keep anybody waiting.
    fn is_file(&self) -> bool;

    /// Makes all so far readable on the disk; a failure is remembered and told with the next row.
    fn flush(&mut self);

    /// Writes whatever ends the content; gives the file if it is one, so that the disk can be
    /// waited for.
    fn finish(&mut self) -> io::Result<Option<File>>;

    /// Finishes the file with what it has, if that was not done, and puts it into its place.
    fn complete(&mut self) -> io::Result<()>;
}

/// A signal that ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// SIGINT: Ctrl-C.
    Interrupted,
    /// SIGTERM: the system, or another program.
    Terminated,
}

impl Stop {
    /// The exit code: 128 and the number of the signal, as shells have it.
    pub fn code(self) -> u8 {
        match self {
            Stop::Interrupted => 130,
            Stop::Terminated => 143,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Stop::Interrupted => "interrupted",
            Stop::Terminated => "terminated",
        }
    }

    fn from_code(code: i32) -> Option<Stop> {
        [Stop::Interrupted, Stop::Terminated].into_iter().find(|one| i32::from(one.code()) == code)
    }
}

/// A run of the program.
pub struct Session(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// The exit code of the signal that came; zero before.
    signal: AtomicI32,
    /// `true` once a signal came.
    stopped: Arc<AtomicBool>,
    /// `true` if the command checks for signals now and then, and ends by itself.
    looks: AtomicBool,
    /// `true` if the command has begun to end: it writes its summary and completes its files.
    ending: AtomicBool,
    /// `true` if it must not be disturbed: it writes a file or a folder that would be of no use in
    /// part.
    writing: AtomicBool,
    outputs: Mutex<Vec<Open>>,
    /// Where the command is, such as `at t = 1.5`.
    place: Mutex<Option<Place>>,
}

/// An open output.
struct Open {
    output: Weak<Mutex<dyn Output>>,
    is_file: bool,
}

type Place = Box<dyn Fn() -> String + Send>;

/// Locks in spite of a panic: what is written is whole after each row.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks unless that takes too long.
fn lock_within<T: ?Sized>(mutex: &Mutex<T>, patience: Duration) -> Option<MutexGuard<'_, T>> {
    let begun = Instant::now();
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if begun.elapsed() > patience => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
        }
    }
}

impl Session {
    /// Begins to listen. To be called before any other thread is started.
    pub fn start() -> Session {
        let shared = Arc::new(Shared::default());
        listen(&shared);
        Session(shared)
    }

    /// The signal that came, if any; a command that notices it ends by itself.
    pub fn stop(&self) -> Option<Stop> {
        Stop::from_code(self.0.signal.load(Ordering::Relaxed))
    }

    /// Becomes true with the first signal, for a command that looks at it.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.looks.store(true, Ordering::Relaxed);
        Arc::clone(&self.0.stopped)
    }

    /// The failure of a command that a signal has stopped at some place, if one has.
    pub fn end_if_stopped(&self, place: &str) -> Result<(), Failure> {
        let Some(stop) = self.stop() else { return Ok(()) };
        self.ending();
        let message = format!("{}{place}", stop.word());
        Err(Failure::Unfinished { message, code: stop.code() })
    }

    /// Takes note that the command has finished, or has noticed a signal, and ends.
    pub fn ending(&self) {
        self.0.ending.store(true, Ordering::Relaxed);
    }

    /// Takes note that the command only writes what it has, in a moment, and must not be disturbed.
    pub fn writing(&self) {
        self.0.writing.store(true, Ordering::Relaxed);
    }

    /// Begins a run that looks for a signal after each step; says where it is if it cannot say so
    /// itself any more.
    pub fn at(&self, place: impl Fn() -> String + Send + 'static) {
        self.0.looks.store(true, Ordering::Relaxed);
        *lock(&self.0.place) = Some(Box::new(place));
    }

    /// Opens an output: it is flushed at this interval, and completed if a signal ends the run. A
    /// signal waits while it is opened, so that it finds either all of it or nothing.
    pub fn open<T: Output + 'static>(
        &self,
        interval: Duration,
        open: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<Arc<Mutex<T>>, Failure> {
        let mut outputs = lock(&self.0.outputs);
        let output = open()?;
        let is_file = output.is_file();
        let output = Arc::new(Mutex::new(output));
        let weak = Arc::downgrade(&output);
        outputs.push(Open { output: weak.clone(), is_file });
        std::thread::spawn(move || {
            let mut pause = interval;
            loop {
                std::thread::sleep(pause);
                let Some(output) = weak.upgrade() else { return };
                let begun = Instant::now();
                lock(&output).flush();
                pause = interval.max(SHARE * begun.elapsed());
            }
        });
        Ok(output)
    }
}

/// Completes an output, if there is one. Without a signal it is on the disk before it replaces
/// anything; nobody who holds it is waited for meanwhile, so that a signal can still come.
pub fn complete(session: &Session, output: Option<&Arc<Mutex<impl Output>>>) -> io::Result<()> {
    let Some(output) = output else { return Ok(()) };
    let finished = lock(output).finish().and_then(|file| match file {
        Some(file) if session.stop().is_none() => file.sync_all(),
        _ => Ok(()),
    });
    // An output that could not be finished stays where it is.
    let completed = lock(output).complete();
    finished.and(completed)
}

impl Shared {
    /// A signal came.
    fn receive(&self, stop: Stop) {
        let code = i32::from(stop.code());
        if self.signal.swap(code, Ordering::Relaxed) != 0 {
            std::process::exit(code);
        }
        self.stopped.store(true, Ordering::Relaxed);
        let begun = Instant::now();
        let may_end = || self.looks.load(Ordering::Relaxed) && !self.ending.load(Ordering::Relaxed);
        while begun.elapsed() < GRACE && may_end() {
            std::thread::sleep(LOOK);
        }
        if self.ending.load(Ordering::Relaxed) {
            std::thread::sleep(GRACE);
        }
        if !self.writing.load(Ordering::Relaxed) {
            self.end(stop);
        }
    }

    /// Completes all outputs and ends the process.
    fn end(&self, stop: Stop) -> ! {
        let place =
            lock(&self.place).as_ref().map_or(String::new(), |place| format!(" {}", place()));
        // Held to the end: nothing is opened any more.
        let open = lock(&self.outputs);
        let (mut failed, mut kept) = (Vec::new(), 0);
        for Open { output, is_file } in &*open {
            let Some(output) = output.upgrade() else { continue };
            // A pipe may have nobody who reads from it.
            let patience = if *is_file { Duration::MAX } else { GRACE };
            let Some(mut output) = lock_within(&output, patience) else { continue };
            match output.complete() {
                Ok(()) => kept += 1,
                Err(error) => failed.push(error.to_string()),
            }
            // From here on nobody writes to it any more.
            std::mem::forget(output);
        }
        let kept = if kept > 0 { "; results up to there are kept" } else { "" };
        output::idle();
        output::message(&format!("error: {}{place}{kept}", stop.word()));
        for error in failed {
            output::message(&format!("error: {error}"));
        }
        std::process::exit(i32::from(stop.code()));
    }
}

#[cfg(unix)]
fn listen(shared: &Arc<Shared>) {
    use nix::sys::signal::{SigSet, Signal};
    // A file beyond the limit of `ulimit -f` is an error of a write then, not a signal that kills.
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGXFSZ].into_iter().collect();
    if signals.thread_block().is_err() {
        return;
    }
    let shared = Arc::clone(shared);
    std::thread::spawn(move || {
        // One signal must be received while another is being handled.
        while let Ok(signal) = signals.wait() {
            let stop = match signal {
                Signal::SIGINT => Stop::Interrupted,
                Signal::SIGTERM => Stop::Terminated,
                _ => continue,
            };
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.receive(stop));
        }
    });
}

#[cfg(not(unix))]
fn listen(shared: &Arc<Shared>) {
    let shared = Arc::clone(shared);
    // Without a handler, Ctrl-C ends the program at once; that is no reason not to run.
    let _ = ctrlc::set_handler(move || {
        let shared = Arc::clone(&shared);
        std::thread::spawn(move || shared.receive(Stop::Interrupted));
    });
}
