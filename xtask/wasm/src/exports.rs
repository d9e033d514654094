//! The functions that JavaScript calls: a text is written where [`reserve`] says, [`run`] replaces
//! it by its answer.
//!
//! The one unsafe thing is that the functions keep their names, which no other function of the
//! module may have.

use std::panic;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The text that goes in and comes out: the request in the first line, the model below.
static TEXT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn text() -> MutexGuard<'static, Vec<u8>> {
    // A text is replaced as a whole.
    TEXT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Room for a text of so many bytes; the address is valid up to the next call.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "a name for JavaScript")]
pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
    let mut text = text();
    text.clear();
    text.resize(bytes, 0);
    text.as_mut_ptr()
}

/// Answers the text; true if there is an answer, false if there is an error in its place.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "a name for JavaScript")]
pub extern "C" fn run() -> bool {
    // Nobody sees what a panic prints here.
    panic::set_hook(Box::new(|panic| *text() = panic.to_string().into_bytes()));
    let given = String::from_utf8_lossy(&text()).into_owned();
    let (request, model) = given.split_once('\n').unwrap_or((&given, ""));
    let answer = crate::answer(request, model);
    let done = answer.is_ok();
    *text() = answer.unwrap_or_else(|error| error).into_bytes();
    done
}

/// The address of the answer.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "a name for JavaScript")]
pub extern "C" fn address() -> *const u8 {
    text().as_ptr()
}

/// The bytes of the answer.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "a name for JavaScript")]
pub extern "C" fn length() -> usize {
    text().len()
}
