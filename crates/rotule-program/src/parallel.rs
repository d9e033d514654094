//! Work over threads, where there are any: results do not depend on how many there are. Targets
//! such as `wasm32-unknown-unknown` have none at all; the calling thread then does all the work.

use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// Does work items numbered from zero. The calling thread and one more for each further worker take
/// the next number as soon as they are free; where no thread can be started, the calling thread
/// does all the work. Results come in the order of their numbers; items are left out after one of
/// them breaks. A panic of a worker goes on.
pub fn over<W: Send, R: Send>(
    workers: &mut [W],
    count: usize,
    work: impl Fn(&mut W, usize) -> ControlFlow<(), R> + Sync,
) -> Vec<Option<R>> {
    let (next, broken) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Mutex<Vec<Option<R>>> = Mutex::new((0..count).map(|_| None).collect());
    let one = |worker: &mut W| {
        while !broken.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            match work(worker, number) {
                ControlFlow::Break(()) => broken.store(true, Ordering::Relaxed),
                ControlFlow::Continue(result) => {
                    // Nobody panics while holding the list.
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results[number] = Some(result);
                }
            }
        }
    };
    // A thread without work would be started for nothing.
    let busy = workers.len().min(count);
    if let Some((first, others)) = workers[..busy].split_first_mut() {
        thread::scope(|scope| {
            for worker in others {
                if thread::Builder::new().spawn_scoped(scope, || one(worker)).is_err() {
                    break;
                }
            }
            one(first);
        });
    }
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Number of threads that this machine runs at once; 1 where that is unknown or there are no
/// threads.
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Makes something of each item, on all cores and the longest first, so that the others are done
/// meanwhile. Results come in the items' order, whatever the number of cores; `begun` is told, in
/// the calling thread, of each item whose turn has come. A panic of `make` goes on here.
///
/// ```
/// use rotule_program::parallel::map;
///
/// let mut begun = 0;
/// let squares = map(&[3, 1, 2], |&item| item, &mut |_| begun += 1, |item| item * item);
/// assert_eq!((squares, begun), (vec![9, 1, 4], 3));
/// ```
pub fn map<T: Sync, U: Send>(
    items: &[T],
    length: impl Fn(&T) -> usize,
    begun: &mut dyn FnMut(&T),
    make: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    map_on(threads(), items, length, begun, make)
}

/// [`map`] on so many cores.
fn map_on<T: Sync, U: Send>(
    cores: usize,
    items: &[T],
    length: impl Fn(&T) -> usize,
    begun: &mut dyn FnMut(&T),
    make: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    let mut made: Vec<Option<U>> = items.iter().map(|_| None).collect();
    // One thread more than the caller's would be started for nothing.
    let threads = if cores < 2 || items.len() < 2 { 0 } else { cores.min(items.len()) };
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&at| Reverse(length(&items[at])));
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let work = |sender: mpsc::Sender<(usize, Option<U>)>| {
        while let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Nobody listens any more only if the whole has ended.
            let _ = sender.send((at, None));
            let _ = sender.send((at, Some(make(&items[at]))));
        }
    };
    let work = &work;
    thread::scope(|scope| {
        let spawn = |_| {
            let sender = sender.clone();
            thread::Builder::new().spawn_scoped(scope, move || work(sender)).ok()
        };
        let workers: Vec<_> = (0..threads).map_while(spawn).collect();
        drop(sender);
        for (at, result) in receiver {
            match result {
                None => begun(&items[at]),
                done => made[at] = done,
            }
        }
        for worker in workers {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    // Without threads nothing is made yet.
    let rest = |(made, item): (Option<U>, _)| {
        made.unwrap_or_else(|| {
            begun(item);
            make(item)
        })
    };
    made.into_iter().zip(items).map(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn results_come_in_the_items_order_on_any_number_of_cores() {
        let items: Vec<usize> = (0..100).map(|k| 37 * k % 101).collect();
        let expected: Vec<usize> = items.iter().map(|item| item + 1).collect();
        for cores in [0, 1, 2, 7, 200] {
            let mut begun = Vec::new();
            let made =
                map_on(cores, &items, |&item| item, &mut |&item| begun.push(item), |item| item + 1);
            assert_eq!(made, expected, "{cores}");
            begun.sort_unstable();
            let mut all = items.clone();
            all.sort_unstable();
            assert_eq!(begun, all, "{cores}");
        }
        assert!(map_on(4, &[] as &[usize], |&item| item, &mut |_| {}, |item| *item).is_empty());
    }

    #[test]
    fn on_one_core_all_is_done_in_the_calling_thread() {
        let own = thread::current().id();
        let made = map_on(1, &[1, 2, 3], |_| 0, &mut |_| {}, |_| thread::current().id());
        assert_eq!(made, [own; 3]);
        let made = map_on(2, &[1, 2, 3], |_| 0, &mut |_| {}, |_| thread::current().id());
        assert!(!made.contains(&own));
    }

    #[test]
    fn a_panic_goes_on_with_its_words() {
        for cores in [1, 2] {
            let work = || {
                map_on(
                    cores,
                    &[1, 2, 3],
                    |_| 0,
                    &mut |_| {},
                    |&item| {
                        assert!(item != 2, "two");
                        item
                    },
                )
            };
            let panic = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
            assert_eq!(panic.downcast_ref::<&str>(), Some(&"two"), "{cores}");
        }
    }
}
