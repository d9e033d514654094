//! Provisioning on pretended machines: what would be run, in which order, and what a user is told.

use std::collections::BTreeMap;

use super::*;

/// A machine that has some programs and answers, and notes each request to run something.
struct Pretended {
    programs: Vec<&'static str>,
    root: bool,
    ensurepip: bool,
    log: Vec<String>,
    files: BTreeMap<PathBuf, String>,
}

impl Machine for Pretended {
    fn has(&self, program: &str) -> bool {
        self.programs.contains(&program)
    }

    fn succeeds(&self, call: &Call) -> bool {
        let text = call.to_string();
        (text.contains("id -u") && self.root) || (text.contains("ensurepip") && self.ensurepip)
    }

    fn run(&mut self, call: &Call) -> Result<(), Failure> {
        self.log.push(call.to_string());
        Ok(())
    }

    fn read(&self, path: &Path) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn write(&mut self, path: &Path, text: &str) -> Result<(), Failure> {
        self.files.insert(path.to_path_buf(), text.to_string());
        Ok(())
    }
}

fn machine(programs: &[&'static str], root: bool) -> Pretended {
    let programs = programs.to_vec();
    Pretended { programs, root, ensurepip: false, log: Vec::new(), files: BTreeMap::new() }
}

const OCTAVE: Tool = Tool {
    program: "octave-cli",
    package: "octave",
    purpose: "runs generated MATLAB code",
    task: Task::Test,
};
const NODE: Tool =
    Tool { program: "node", package: "nodejs", purpose: "runs JavaScript", task: Task::Fuzz };
const NUMPY: PythonPackage =
    PythonPackage { requirement: "numpy==2.1.0", purpose: "arrays", task: Task::Test };

fn provide(
    tools: &[Tool],
    packages: &[PythonPackage],
    machine: &mut Pretended,
) -> Result<(), Failure> {
    let (environment, node_folder) = ("venv".into(), "node".into());
    Provision { tools, packages, environment, node: &[], node_folder }.provide(Task::Test, machine)
}

#[test]
fn node_packages_go_into_their_own_folder_once() {
    let mut host = machine(&["npm"], false);
    let provide = |host: &mut Pretended| {
        let (environment, node_folder) = ("venv".into(), "node".into());
        let node = &["typescript@5.0.0"];
        Provision { tools: &[], packages: &[], environment, node, node_folder }
            .provide(Task::Test, host)
            .unwrap();
    };
    provide(&mut host);
    let [npm] = host.log.as_slice() else { panic!("{:?}", host.log) };
    assert!(npm.ends_with("--prefix node typescript@5.0.0"), "{npm}");
    host.log.clear();
    provide(&mut host);
    assert!(host.log.is_empty(), "{:?}", host.log);
}

#[test]
fn nothing_is_run_when_nothing_is_missing_for_the_task() {
    let mut full = machine(&["octave-cli"], true);
    provide(&[OCTAVE, NODE], &[], &mut full).unwrap();
    assert!(full.log.is_empty(), "{:?}", full.log);
}

#[test]
fn root_on_debian_updates_once_and_installs() {
    let mut bare = machine(&["apt-get"], true);
    provide(&[OCTAVE, NODE, OCTAVE], &[], &mut bare).unwrap();
    let install = "apt-get install --quiet --yes --no-install-recommends octave";
    let quietly = |call: &str| format!("DEBIAN_FRONTEND=noninteractive {call}");
    let expected =
        [quietly("dpkg --configure -a"), "apt-get update --quiet".to_owned(), quietly(install)];
    assert_eq!(bare.log, expected);
}

#[test]
fn an_ordinary_user_is_told_the_package_and_the_command() {
    for (programs, command) in
        [(["apt-get"].as_slice(), "sudo apt-get install octave"), (&[], "your package manager")]
    {
        let mut bare = machine(programs, false);
        let text = provide(&[OCTAVE], &[], &mut bare).unwrap_err().to_string();
        assert!(text.contains("`octave-cli` (Debian package octave): runs generated"), "{text}");
        assert!(text.contains(command), "{text}");
        assert!(bare.log.is_empty());
    }
}

#[test]
fn python_packages_go_into_the_private_environment_once() {
    let mut host = machine(&["apt-get", "python3"], true);
    provide(&[], &[NUMPY], &mut host).unwrap();
    let [repair, update, venv_package, venv, pip] = host.log.as_slice() else {
        panic!("{:?}", host.log)
    };
    assert!(repair.ends_with("dpkg --configure -a"), "{repair}");
    assert_eq!(update, "apt-get update --quiet");
    assert!(venv_package.ends_with("python3-venv"), "{venv_package}");
    assert_eq!(venv, "python3 -m venv venv");
    assert!(pip.starts_with("venv/bin/python -m pip install") && pip.ends_with("numpy==2.1.0"));

    // The stamp makes the second time free.
    host.log.clear();
    provide(&[], &[NUMPY], &mut host).unwrap();
    assert!(host.log.is_empty(), "{:?}", host.log);

    // Another version is installed anew.
    let newer = PythonPackage { requirement: "numpy==2.2.0", ..NUMPY };
    host.ensurepip = true;
    provide(&[], &[newer], &mut host).unwrap();
    assert_eq!(host.log.len(), 2, "{:?}", host.log);
}

#[test]
fn python_itself_is_a_tool_when_packages_need_it() {
    let mut bare = machine(&[], false);
    let text = provide(&[], &[NUMPY], &mut bare).unwrap_err().to_string();
    assert!(text.contains("`python3` (Debian package python3)"), "{text}");
}
