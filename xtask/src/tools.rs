//! Tools that the tasks need beyond Rust, git and a C compiler, as data, and how to provide them.
//!
//! A missing program comes from its Debian package when we are root on a Debian machine; otherwise
//! the user is told the package and the command. Packages of Python and Node.js go into private
//! folders in the build folder, never into the system, as do packages of Debian that must not be
//! installed ([`archive`]). Add a row to a table when a task starts to need something; nothing is
//! installed that exists already.

pub mod archive;

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;

/// The tasks that may need tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// `cargo xtask test`
    Test,
    /// `cargo xtask fuzz`
    Fuzz,
}

/// A program and the Debian package that has it.
struct Tool {
    program: &'static str,
    package: &'static str,
    purpose: &'static str,
    task: Task,
}

/// A Python package, in pip's notation with its version fixed (`numpy==2.1.0`).
struct PythonPackage {
    requirement: &'static str,
    purpose: &'static str,
    task: Task,
}

/// Every program that a task needs.
const TOOLS: &[Tool] = &[
    Tool {
        program: "c++",
        package: "g++",
        purpose: "compiles libFuzzer's run time",
        task: Task::Fuzz,
    },
    Tool {
        program: "pdflatex",
        package: "texlive-latex-recommended",
        purpose: "compiles the documents that `rotule generate --lang latex` writes",
        task: Task::Test,
    },
    Tool {
        program: "python3",
        package: "python3",
        purpose: "writes the generated examples",
        task: Task::Test,
    },
    Tool { program: "gcc", package: "gcc", purpose: "compiles generated C", task: Task::Test },
    Tool {
        program: "g++",
        package: "g++",
        purpose: "compiles generated C as C++",
        task: Task::Test,
    },
    Tool {
        program: "clang",
        package: "clang",
        purpose: "compiles generated batches a second time",
        task: Task::Test,
    },
    Tool {
        program: "gfortran",
        package: "gfortran",
        purpose: "compiles generated Fortran",
        task: Task::Test,
    },
    Tool {
        program: "octave-cli",
        package: "octave",
        purpose: "runs generated MATLAB",
        task: Task::Test,
    },
    Tool {
        program: "javac",
        package: "default-jdk-headless",
        purpose: "compiles generated Java",
        task: Task::Test,
    },
    Tool {
        program: "node",
        package: "nodejs",
        purpose: "runs generated JavaScript",
        task: Task::Test,
    },
    Tool {
        program: "chromium",
        package: "chromium",
        purpose: "opens the reports of simulations",
        task: Task::Test,
    },
    Tool {
        program: "npm",
        package: "npm",
        purpose: "brings the TypeScript compiler, which checks declarations",
        task: Task::Test,
    },
    Tool {
        program: "valgrind",
        package: "valgrind",
        purpose: "watches the memory of generated C",
        task: Task::Test,
    },
];

/// Every Python package that a task needs.
const PYTHON_PACKAGES: &[PythonPackage] = &[
    PythonPackage {
        requirement: "pin==4.1.0",
        purpose: "Pinocchio: the dynamics of random trees are compared with its",
        task: Task::Test,
    },
    PythonPackage {
        requirement: "numpy==2.3.5",
        purpose: "arrays of Pinocchio and of generated Python",
        task: Task::Test,
    },
    PythonPackage {
        requirement: "scipy==1.16.3",
        purpose: "reads linear models in NumPy's and MATLAB's formats, and simulates them",
        task: Task::Test,
    },
    PythonPackage {
        requirement: "mypy==2.4.1",
        purpose: "checks the types of generated Python",
        task: Task::Test,
    },
    PythonPackage {
        requirement: "ruff==0.17.4",
        purpose: "checks the style of generated Python",
        task: Task::Test,
    },
    PythonPackage {
        requirement: "pyarrow==26.0.1",
        purpose: "Apache Arrow: reads the tables of results",
        task: Task::Test,
    },
];

/// Every package of Node.js that the tests need, in npm's notation with its version fixed: the
/// compiler of TypeScript, what bundles the page of reports (MIT), and what drives a browser.
const NODE_PACKAGES: &[&str] = &["typescript@7.0.2", "esbuild@0.28.2", "playwright-core@1.65.0"];

/// The program that must exist before any Python package can be.
const PYTHON: Tool = Tool {
    program: "python3",
    package: "python3",
    purpose: "runs the tests that compare with Python",
    task: Task::Test,
};

/// Sees to it that everything the task needs is installed.
pub fn provide(project: &Project, task: Task) -> Result<(), Failure> {
    let node = if task == Task::Test { NODE_PACKAGES } else { &[] };
    Provision {
        tools: TOOLS,
        packages: PYTHON_PACKAGES,
        environment: environment(project),
        node,
        node_folder: project.target.join("node"),
    }
    .provide(task, &mut ThisMachine)?;
    if task == Task::Test {
        provide_julia(project);
    }
    Ok(())
}

/// Provides the packages of Node.js, and no more.
pub fn provide_node(project: &Project) -> Result<(), Failure> {
    let machine = &mut ThisMachine;
    let needed = TOOLS.iter().filter(|row| ["node", "npm"].contains(&row.program));
    let missing: Vec<&Tool> = needed.filter(|row| !machine.has(row.program)).collect();
    install(&missing, machine)?;
    Provision {
        tools: &[],
        packages: &[],
        environment: environment(project),
        node: NODE_PACKAGES,
        node_folder: project.target.join("node"),
    }
    .install_node(machine)
}

/// Provides Julia if it is available: few machines have it, so that nothing fails without.
fn provide_julia(project: &Project) {
    if ThisMachine.has("julia") {
        return;
    }
    let wrapper = julia(project);
    let made = archive::JULIA.provide(project).and_then(|root| {
        let (name, value) = archive::library_path(&root);
        let program = root.join("usr/bin/julia");
        let text = format!("#!/bin/sh\n{name}='{value}' exec '{}' \"$@\"\n", program.display());
        write_program(&wrapper, &text)
            .map_err(|error| format!("cannot write {}: {error}", wrapper.display()))
    });
    if let Err(reason) = made {
        println!(
            "generated Julia is not run: there is no `julia`, and Debian's is not available ({reason})"
        );
        // Nobody may take what an earlier run left for Julia.
        let _ = std::fs::remove_file(wrapper);
    }
}

/// Writes a file that can be run.
fn write_program(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::write(path, text)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// The program that runs an unpacked Julia with its own libraries, once it is provided.
fn julia(project: &Project) -> PathBuf {
    project.target.join("debian/julia/julia")
}

/// The folder with the packages of Node.js, once they are provided.
pub fn node_modules(project: &Project) -> PathBuf {
    project.target.join("node/node_modules")
}

/// The Python of the private environment, with every package of the table once they are provided.
pub fn python(project: &Project) -> PathBuf {
    environment(project).join("bin/python")
}

/// A call that knows where these are, as the tests of languages and of reports ask.
pub fn named(project: &Project, call: Call) -> Call {
    let unpacked = julia(project);
    let julia = match unpacked.is_file() {
        true => unpacked.to_string_lossy().into_owned(),
        false if ThisMachine.has("julia") => "julia".to_owned(),
        false => String::new(),
    };
    let call = if julia.is_empty() { call } else { call.variable("ROTULE_JULIA", julia) };
    call.variable("ROTULE_PYTHON", python(project).to_string_lossy())
        .variable("ROTULE_NODE_MODULES", node_modules(project).to_string_lossy())
}

fn environment(project: &Project) -> PathBuf {
    project.target.join("venv")
}

/// The machine as provisioning sees it; the tests have one that only pretends.
trait Machine {
    /// Returns `true` if a program of this name can be started.
    fn has(&self, program: &str) -> bool;
    /// Returns `true` if this command runs and succeeds silently.
    fn succeeds(&self, call: &Call) -> bool;
    /// Runs a command that changes the machine.
    fn run(&mut self, call: &Call) -> Result<(), Failure>;
    /// The text of a small file, if it exists.
    fn read(&self, path: &Path) -> Option<String>;
    /// Writes a small file.
    fn write(&mut self, path: &Path, text: &str) -> Result<(), Failure>;
}

/// The tables and the place of the Python environment.
struct Provision<'a> {
    tools: &'a [Tool],
    packages: &'a [PythonPackage],
    environment: PathBuf,
    node: &'a [&'static str],
    node_folder: PathBuf,
}

impl Provision<'_> {
    fn provide(&self, task: Task, machine: &mut dyn Machine) -> Result<(), Failure> {
        let packages: Vec<_> = self.packages.iter().filter(|row| row.task == task).collect();
        let tools = self.tools.iter().filter(|row| row.task == task);
        let mut missing: Vec<&Tool> = tools.filter(|row| !machine.has(row.program)).collect();
        if !packages.is_empty() && !machine.has(PYTHON.program) {
            missing.push(&PYTHON);
        }
        install(&missing, machine)?;
        self.install_node(machine)?;
        if packages.is_empty() {
            println!("tools for {task:?}: all present");
            return Ok(());
        }
        self.install_python(&packages, machine)
    }

    /// Brings the folder of Node.js in line with the table, likewise.
    fn install_node(&self, machine: &mut dyn Machine) -> Result<(), Failure> {
        if self.node.is_empty() {
            return Ok(());
        }
        let stamp = self.node_folder.join("rotule-requirements.txt");
        let requested: String = self.node.iter().map(|package| format!("{package}\n")).collect();
        if machine.read(&stamp).as_deref() == Some(&requested) {
            return Ok(());
        }
        let npm = Call::new("npm", "install --silent --no-audit --no-fund --prefix");
        let npm = npm.with(self.node_folder.to_string_lossy());
        machine.run(&self.node.iter().fold(npm, |npm, package| npm.with(*package)))?;
        machine.write(&stamp, &requested)
    }

    /// Brings the private environment in line with the table; a stamp avoids asking pip every time.
    fn install_python(
        &self,
        packages: &[&PythonPackage],
        machine: &mut dyn Machine,
    ) -> Result<(), Failure> {
        let stamp = self.environment.join("rotule-requirements.txt");
        let requested: String = packages
            .iter()
            .map(|row| format!("{}  # {}\n", row.requirement, row.purpose))
            .collect();
        if machine.read(&stamp).as_deref() == Some(&requested) {
            println!("Python packages: all present");
            return Ok(());
        }
        // Debian ships Python without the module that puts pip into a new environment.
        if !machine.succeeds(&Call::new(PYTHON.program, "-c").with("import ensurepip, venv")) {
            install(
                &[&Tool { program: "python3 -m venv", package: "python3-venv", ..PYTHON }],
                machine,
            )?;
        }
        let folder = self.environment.to_string_lossy();
        machine.run(&Call::new(PYTHON.program, "-m venv").with(folder))?;
        let python = self.environment.join("bin/python").to_string_lossy().into_owned();
        let pip = Call::new(python, "-m pip install --quiet --disable-pip-version-check");
        machine.run(&packages.iter().fold(pip, |pip, row| pip.with(row.requirement)))?;
        machine.write(&stamp, &requested)
    }
}

/// Installs Debian packages, or says which and how when we may not.
fn install(missing: &[&Tool], machine: &mut dyn Machine) -> Result<(), Failure> {
    if missing.is_empty() {
        return Ok(());
    }
    let mut packages: Vec<_> = missing.iter().map(|tool| tool.package).collect();
    packages.sort_unstable();
    packages.dedup();
    let packages = packages.join(" ");
    let debian = machine.has("apt-get");
    if !debian || !machine.succeeds(&Call::new("sh", "-c").with("test \"$(id -u)\" = 0")) {
        let line = |tool: &&Tool| {
            format!("`{}` (Debian package {}): {}", tool.program, tool.package, tool.purpose)
        };
        let remedy = if debian {
            format!("Install them with: sudo apt-get install {packages}")
        } else {
            format!("Install them with your package manager; on Debian: apt-get install {packages}")
        };
        return Err(Failure::Tools { missing: missing.iter().map(line).collect(), remedy });
    }
    let quietly = |call: Call| call.variable("DEBIAN_FRONTEND", "noninteractive");
    // Finishes an installation that was cut off, after which every other is refused.
    machine.run(&quietly(Call::new("dpkg", "--configure -a")))?;
    machine.run(&Call::new("apt-get", "update --quiet"))?;
    let install = format!("install --quiet --yes --no-install-recommends {packages}");
    machine.run(&quietly(Call::new("apt-get", &install)))
}

/// The machine this program runs on.
struct ThisMachine;

impl Machine for ThisMachine {
    fn has(&self, program: &str) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    }

    fn succeeds(&self, call: &Call) -> bool {
        call.output().is_ok_and(|output| output.status.success())
    }

    fn run(&mut self, call: &Call) -> Result<(), Failure> {
        println!("{call}");
        call.run()
    }

    fn read(&self, path: &Path) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }

    fn write(&mut self, path: &Path, text: &str) -> Result<(), Failure> {
        std::fs::write(path, text).map_err(Failure::file("write", path))
    }
}

#[cfg(test)]
mod tests;
