//! Builds for a benchmark: folders of files made by commands, kept in the user's cache folder.
//!
//! Each has a folder named by a hash, with the text of all that it was made of: files, commands,
//! compilers, processor. A folder is taken again only if that text is the same to the last byte. It
//! is filled under another name and then renamed, so that what was interrupted is never seen.

use rotule_program::parallel;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// A thing to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The title while it is built.
    pub title: String,
    /// Files to write first: names and texts.
    pub files: Vec<(String, String)>,
    /// Commands to run in the folder, one after the other.
    pub commands: Vec<Vec<String>>,
    /// Whatever else it depends on, such as versions of compilers.
    pub origin: String,
    /// The longest time that a command may take.
    pub limit: Duration,
}

/// Where things are built and kept.
#[derive(Debug)]
pub struct Workshop {
    root: PathBuf,
    /// Failures by hash: they are not tried twice in one run.
    failed: Mutex<Vec<(String, String)>>,
    /// Becomes true when all that runs is to end.
    pub stop: Arc<AtomicBool>,
}

/// The name of the file with all that a folder was made of.
const ORIGIN: &str = "origin.txt";

impl Workshop {
    /// A workshop in the user's cache folder.
    pub fn new(stop: Arc<AtomicBool>) -> Result<Workshop, String> {
        Ok(Workshop { stop, ..Workshop::at(rotule_jit::cache_folder("bench")?) })
    }

    fn at(root: PathBuf) -> Workshop {
        Workshop { root, failed: Mutex::default(), stop: Arc::default() }
    }

    /// The folder of a job, which is done if it has not been.
    pub fn build(&self, job: &Job) -> Result<PathBuf, String> {
        let text = job.text();
        let hash = rotule_emit::hash(&text);
        let known = self.failed.lock().ok().and_then(|failed| {
            let found = failed.iter().find(|(known, _)| *known == hash);
            found.map(|(_, reason)| reason.clone())
        });
        let result = known.map_or_else(|| self.make(job, &text, &hash), Err);
        if let (Err(reason), Ok(mut failed)) = (&result, self.failed.lock()) {
            failed.push((hash, reason.clone()));
        }
        result
    }

    fn make(&self, job: &Job, text: &str, hash: &str) -> Result<PathBuf, String> {
        let kept = self.root.join(hash);
        let same = || fs::read(kept.join(ORIGIN)).is_ok_and(|known| known == text.as_bytes());
        if same() {
            return Ok(kept);
        }
        let own = Fresh::new(&self.root)?;
        let fault = |error: std::io::Error| format!("the folder {}: {error}", own.0.display());
        for (name, text) in &job.files {
            fs::write(own.0.join(name), text).map_err(fault)?;
        }
        for command in &job.commands {
            run(command, &own.0, job.limit, &self.stop)?;
        }
        fs::write(own.0.join(ORIGIN), text).map_err(fault)?;
        // A folder of the same name with another text: what was left behind by an interruption, or
        // another's hash.
        if kept.exists() && !same() {
            let _ = fs::remove_dir_all(&kept);
        }
        match fs::rename(&own.0, &kept) {
            Err(_) if !same() => {
                Err(format!("the cache folder {} cannot be written", kept.display()))
            }
            _ => Ok(kept),
        }
    }

    /// Builds many at once, as many as there are processors; `hear` is told what is begun.
    pub fn build_all(
        &self,
        jobs: &[Job],
        hear: &mut dyn FnMut(&str),
    ) -> Vec<Result<PathBuf, String>> {
        let mut begun = 0;
        let mut tell = |job: &Job| {
            begun += 1;
            hear(&format!("{begun} of {}: {}", jobs.len(), job.title));
        };
        parallel::map(jobs, |_| 1, &mut tell, |job| self.build(job))
    }
}

impl Job {
    /// All that the result depends on.
    fn text(&self) -> String {
        let mut text = format!("{}\n{}\n", self.origin, processor());
        for command in &self.commands {
            text += &format!("$ {}\n", command.join(" "));
        }
        for (name, content) in &self.files {
            text += &format!("== {name}, {} bytes\n{content}\n", content.len());
        }
        text
    }
}

/// A folder of our own, which is gone at the end unless it has been renamed.
pub struct Fresh(pub PathBuf);

impl Fresh {
    /// A new folder in another.
    pub fn new(root: &Path) -> Result<Fresh, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = root.join(format!("new-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Fresh(path)),
                // What a process of the same number left behind.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("the folder {}: {error}", path.display())),
            }
        }
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a command in a folder and gives what it printed; what it complained of is the reason of a
/// failure. It ends, with all that it started, when its time is over or `stop` becomes true.
pub fn run(
    command: &[String],
    folder: &Path,
    limit: Duration,
    stop: &AtomicBool,
) -> Result<String, String> {
    let Some((program, arguments)) = command.split_first() else { return Ok(String::new()) };
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let failed = |error: std::io::Error| format!("`{name}` cannot be run: {error}");
    // Files instead of pipes: a program that says much does not wait for a reader.
    let logs = Fresh::new(folder)?;
    let [out, err] = ["out", "err"].map(|name| logs.0.join(name));
    let file = |path: &Path| fs::File::create(path).map_err(failed);
    let mut started = Command::new(program);
    // A compiler starts others: all of them are one group.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut started, 0);
    let mut child = started
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file(&out)?)
        .stderr(file(&err)?)
        .spawn()
        .map_err(failed)?;
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None if begun.elapsed() > limit => {
                end(&mut child);
                return Err(format!("`{name}` took more than {} s", limit.as_secs()));
            }
            None if stop.load(Ordering::Relaxed) => {
                end(&mut child);
                return Err(format!("`{name}` was interrupted"));
            }
            None => thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    let text = |path: &Path| {
        let bytes = fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    if status.success() {
        return Ok(text(&out));
    }
    let said = text(&err);
    let telling = said.lines().find(|line| line.contains("rror"));
    let said = telling.or(said.lines().last()).unwrap_or("it said nothing");
    Err(format!("`{name}` failed ({status}): {}", said.trim()))
}

/// Ends a command and all that it started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, killpg};
        use nix::unistd::Pid;
        if let Ok(group) = i32::try_from(child.id()) {
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The processor of this machine: a home folder may be shared by machines, and code for one may not
/// run on another.
fn processor() -> String {
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let first = known.split("\n\n").next().unwrap_or_default();
    let telling = ["vendor_id", "cpu family", "model", "flags", "CPU", "Features"];
    let lines = first.lines().filter(|line| telling.iter().any(|word| line.starts_with(word)));
    format!("{}\n{}", std::env::consts::ARCH, lines.collect::<Vec<_>>().join("\n"))
}

/// Words as a command.
pub fn command(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Vec<String> {
        command(&["sh", "-c", script])
    }

    #[test]
    fn a_failure_says_what_the_program_said() {
        let folder = std::env::temp_dir();
        let limit = Duration::from_secs(20);
        let never = AtomicBool::new(false);
        let run = |command: &[String], folder: &Path, limit| run(command, folder, limit, &never);
        assert_eq!(run(&shell("echo 7"), &folder, limit), Ok("7\n".to_owned()));
        let failed = run(&shell("echo first; echo 'x: error: why' >&2; exit 3"), &folder, limit);
        assert!(failed.unwrap_err().ends_with("x: error: why"));
        let late = run(&shell("sleep 60"), &folder, Duration::from_millis(20));
        assert!(late.unwrap_err().contains("took more than"));
        assert!(run(&command(&["no-such-program"]), &folder, limit).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_stop_ends_a_command_and_what_it_started() {
        let folder = Fresh::new(&std::env::temp_dir()).unwrap();
        let stop = AtomicBool::new(false);
        // The shell starts another program, which would write a file if it lived on.
        let script = "touch begun; sh -c 'sleep 1; touch lived'; true";
        let ended = thread::scope(|scope| {
            let running =
                scope.spawn(|| run(&shell(script), &folder.0, Duration::from_secs(60), &stop));
            while !folder.0.join("begun").exists() {
                thread::sleep(Duration::from_millis(5));
            }
            stop.store(true, Ordering::Relaxed);
            running.join().unwrap()
        });
        assert!(ended.unwrap_err().contains("was interrupted"));
        thread::sleep(Duration::from_millis(1500));
        assert!(!folder.0.join("lived").exists());
    }

    #[test]
    fn a_job_is_done_once_and_again_only_if_something_changed() {
        let root = Fresh::new(&std::env::temp_dir()).unwrap();
        let shop = Workshop::at(root.0.clone());
        let job = |text: &str| Job {
            title: "test".to_owned(),
            files: vec![("in".to_owned(), text.to_owned())],
            commands: vec![shell("cat in in > out")],
            origin: String::new(),
            limit: Duration::from_secs(20),
        };
        let made = shop.build(&job("a")).unwrap();
        assert_eq!(fs::read_to_string(made.join("out")).unwrap(), "aa");
        // What lies there is taken: a second run would write it anew.
        fs::write(made.join("out"), "kept").unwrap();
        assert_eq!(shop.build(&job("a")).unwrap(), made);
        assert_eq!(fs::read_to_string(made.join("out")).unwrap(), "kept");
        let all = shop.build_all(&[job("a"), job("b")], &mut |_| {});
        assert_eq!(all[0], Ok(made.clone()));
        assert_ne!(all[1], Ok(made));
        let mut bad = job("c");
        bad.commands.push(shell("exit 1"));
        assert!(shop.build(&bad).is_err());
        assert!(shop.build(&bad).is_err(), "a failure is no result");
    }
}
