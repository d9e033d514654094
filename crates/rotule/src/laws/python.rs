//! Laws in Python: a child process runs the file and answers calls over its pipes, so that whatever
//! it does, this process and its results live on.

use super::fault::LawFault;
use super::how_it_ended;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The program of the child.
const DRIVER: &str = include_str!("driver.py");
/// Seconds until a call must have returned.
const CALL: f64 = 5.0;
/// Seconds until the file must be loaded, with what it imports.
const LOAD: f64 = 60.0;
/// The longest answer: numbers or a message.
const LONGEST: usize = 1 << 26;

/// A Python file in its process.
pub struct Python {
    /// Names of its functions with the least and the most number of arguments.
    pub functions: Vec<(String, usize, Option<usize>)>,
    process: Mutex<Process>,
}

struct Process {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Result<(u8, Vec<u8>), String>>,
    /// Set once it failed for good.
    ended: Option<LawFault>,
}

impl Python {
    /// Starts the process and loads the file.
    pub fn start(path: &Path) -> Result<Python, LawFault> {
        let mut child = Command::new("python3")
            .args(["-u", "-c", DRIVER])
            .arg(path)
            .arg(std::process::id().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                LawFault::Unavailable(format!("`python3` cannot be started: {error}"))
            })?;
        let (Some(requests), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are pipes")
        };
        let (send, answers) = channel();
        thread::spawn(move || {
            loop {
                let answer = frame(&mut stdout);
                let last = answer.is_err();
                if send.send(answer).is_err() || last {
                    return;
                }
            }
        });
        let mut process = Process { child, requests, answers, ended: None };
        let told = process.receive(LOAD)?;
        let functions = serde_json::from_slice(&told)
            .map_err(|error| LawFault::Ended(format!("it does not speak as it should: {error}")))?;
        Ok(Python { functions, process: Mutex::new(process) })
    }

    /// Calls a function by its number.
    pub fn call(
        &self,
        number: usize,
        arguments: &[f64],
        results: &mut [f64],
    ) -> Result<(), LawFault> {
        let mut process = self.process.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        process.call(number, arguments, results)
    }
}

impl Process {
    fn call(
        &mut self,
        number: usize,
        arguments: &[f64],
        results: &mut [f64],
    ) -> Result<(), LawFault> {
        if let Some(fault) = &self.ended {
            return Err(fault.clone());
        }
        let mut request = Vec::with_capacity(8 + 8 * arguments.len());
        request.extend((number as u32).to_le_bytes());
        request.extend((arguments.len() as u32).to_le_bytes());
        request.extend(arguments.iter().flat_map(|number| number.to_le_bytes()));
        // A process that ended is told by its answer, which says how.
        let _ = self.requests.write_all(&request).and_then(|()| self.requests.flush());
        let answer = self.receive(CALL)?;
        let found = answer.len() / 8;
        if found != results.len() {
            return Err(LawFault::Results { expected: results.len(), found });
        }
        for (result, bytes) in results.iter_mut().zip(answer.chunks_exact(8)) {
            *result = f64::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
        Ok(())
    }

    /// The next answer. A process that is too slow or that ended gets no more requests.
    fn receive(&mut self, seconds: f64) -> Result<Vec<u8>, LawFault> {
        let fault = match self.answers.recv_timeout(Duration::from_secs_f64(seconds)) {
            Ok(Ok((0, payload))) => return Ok(payload),
            Ok(Ok((_, text))) => {
                return Err(LawFault::Raised(String::from_utf8_lossy(&text).into_owned()));
            }
            Err(RecvTimeoutError::Timeout) => LawFault::TooLong(seconds),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                LawFault::Ended(how_it_ended(&mut self.child))
            }
        };
        let _ = self.child.kill();
        self.ended = Some(fault.clone());
        Err(fault)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One answer: its status and what follows.
fn frame(stream: &mut impl Read) -> Result<(u8, Vec<u8>), String> {
    let mut head = [0; 5];
    stream.read_exact(&mut head).map_err(|error| error.to_string())?;
    let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
    if length > LONGEST {
        return Err(format!("an answer of {length} bytes"));
    }
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).map_err(|error| error.to_string())?;
    Ok((head[0], payload))
}
