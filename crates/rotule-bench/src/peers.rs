//! Other codes: how they are brought here, built and called.
//!
//! They come from PyPI into the user's cache folder, and only because the user asks for them. What
//! is compiled depends on files and versions that enter its key, so that a second run builds
//! nothing. Every code is told the same plain numbers.

use super::build::{Job, Workshop, command};
use super::compiler::{Compiler, FLAGS};
use super::plain::Plain;
use super::subject::CONTENDER;
use super::table::{Peer, Third};
use super::{Pending, RequestedFunction, Who};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Packages that pip installs, with versions, so that results can be repeated.
const PACKAGES: [(Peer, &[&str]); 3] = [
    (Peer::Pinocchio, &["pin==4.1.0", "cmeel-eigen==3.4.1", "casadi==3.8.2"]),
    (Peer::CasAdi, &["pin==4.1.0", "cmeel-eigen==3.4.1", "casadi==3.8.2"]),
    (Peer::MuJoCo, &["mujoco==4.0.0"]),
];

/// A network may be slow, and compilers take minutes for the largest files, more on a busy machine.
const LIMIT: Duration = Duration::from_secs(3600);

/// Definitions for Pinocchio's headers: it has more kinds of joints than Boost expects, and may ask
/// for kinds that our models do not have.
const BOOST: [&str; 5] = [
    "-DBOOST_VARIANT_USE_RELAXED_GET_BY_DEFAULT",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
];

/// The common needs of all peers.
pub struct Ground<'a> {
    /// Where things are built.
    pub shop: &'a Workshop,
    /// The compilers.
    pub compilers: &'a [Compiler],
    /// The model.
    pub plain: &'a Plain,
    /// The requested comparisons.
    pub requested: &'a [RequestedFunction],
    /// `true` if batches are requested, too.
    pub batch: bool,
}

/// The libraries of a peer that are to be built.
pub fn pending(
    peer: Peer,
    ground: &Ground<'_>,
    hear: &mut (dyn FnMut(&str) + Send),
) -> Result<Vec<Pending>, String> {
    let requested = ground.requested.iter().flat_map(|one| one.peers).any(|(who, _)| *who == peer);
    if !requested {
        return Ok(Vec::new());
    }
    let site = site(peer, ground.shop)?;
    match peer {
        Peer::Pinocchio => pinocchio(ground, &site),
        Peer::CasAdi => casadi(ground, &site, hear),
        Peer::MuJoCo => mujoco(ground, &site),
    }
}

/// Builds what peers need whatever the model is. These builds take longest, so they are made
/// together and first; what fails here fails again, with its reason, when it is needed.
pub fn prepare(against: &[Peer], ground: &Ground<'_>, hear: &mut (dyn FnMut(&str) + Send)) {
    let mut jobs = Vec::new();
    for &peer in against {
        hear(&format!("bringing {} from PyPI", peer.title()));
        let Ok(site) = site(peer, ground.shop) else { continue };
        match peer {
            Peer::CasAdi => jobs.extend(generator_job(ground, &site)),
            Peer::Pinocchio => {
                let all = with_cpp(ground).unwrap_or_default();
                jobs.extend(all.iter().map(|(compiler, cpp)| pinocchio_job(compiler, cpp, &site)));
            }
            Peer::MuJoCo => {}
        }
    }
    ground.shop.build_all(&jobs, hear);
}

/// The folder with the packages of a peer, installed if they are not there.
fn site(peer: Peer, shop: &Workshop) -> Result<PathBuf, String> {
    let row = PACKAGES.iter().find(|(known, _)| *known == peer);
    let packages = row.expect("every peer has its row").1;
    let install = format!(
        "venv/bin/python -m pip install --disable-pip-version-check {}",
        packages.join(" ")
    );
    let job = Job {
        title: "Python packages".to_owned(),
        files: Vec::new(),
        commands: vec![
            command(&["python3", "-m", "venv", "venv"]),
            command(&["sh", "-c", &install]),
        ],
        origin: String::new(),
        limit: LIMIT,
    };
    let made = shop.build(&job).map_err(|reason| {
        format!("{reason}; it needs python3 with venv and pip, and a way to PyPI")
    })?;
    let found = fs::read_dir(made.join("venv/lib")).ok().and_then(|mut entries| {
        entries.find_map(|entry| {
            let path = entry.ok()?.path().join("site-packages");
            path.is_dir().then_some(path)
        })
    });
    found.ok_or_else(|| "the folder of Python packages is not there".to_owned())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Where Pinocchio's and CasADi's headers are.
fn includes(site: &Path) -> Vec<String> {
    let folders = ["cmeel.prefix/include", "cmeel.prefix/include/eigen3", "casadi/include"];
    folders.iter().map(|folder| format!("-I{}", text(&site.join(folder)))).collect()
}

fn file(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

/// C++ compilers, of which Pinocchio needs one.
fn with_cpp<'a>(ground: &Ground<'a>) -> Result<Vec<(&'a Compiler, &'static str)>, String> {
    let each = ground.compilers.iter().filter_map(|one| one.cpp.map(|cpp| (one, cpp)));
    let found: Vec<_> = each.collect();
    match found.is_empty() {
        true => Err("there is no C++ compiler here; install g++ or clang".to_owned()),
        false => Ok(found),
    }
}

/// The build of a library from Pinocchio's templates.
fn pinocchio_job(compiler: &Compiler, cpp: &str, site: &Path) -> Job {
    let mut line = command(&[cpp, "-std=c++17", "-DNDEBUG", "-w", "-shared", "-fPIC"]);
    line.extend(FLAGS.iter().chain(&BOOST).map(|&word| word.to_owned()));
    line.extend(includes(site));
    line.push("-fvisibility=hidden".to_owned());
    // Two libraries of the same templates in one process must not share their variables.
    line.extend((compiler.name == "gcc").then(|| "-fno-gnu-unique".to_owned()));
    line.extend(command(&["pinocchio.cpp", "-o", "contender.so"]));
    Job {
        title: format!("Pinocchio, {} (takes minutes)", compiler.name),
        files: vec![
            file("contender.h", CONTENDER),
            file("plain.hpp", include_str!("drivers/plain.hpp")),
            file("pinocchio.cpp", include_str!("drivers/pinocchio.cpp")),
        ],
        commands: vec![line],
        origin: compiler.version.clone(),
        limit: LIMIT,
    }
}

fn pinocchio(ground: &Ground<'_>, site: &Path) -> Result<Vec<Pending>, String> {
    let model = ground.shop.build(&Job {
        title: "the model for Pinocchio".to_owned(),
        files: vec![("model.txt".to_owned(), ground.plain.text())],
        commands: Vec::new(),
        origin: String::new(),
        limit: LIMIT,
    })?;
    let mut all = Vec::new();
    for (compiler, cpp) in with_cpp(ground)? {
        let job = pinocchio_job(compiler, cpp, site);
        for (group, function) in functions(ground, Peer::Pinocchio) {
            all.push(Pending {
                group,
                who: Who::Peer(Peer::Pinocchio),
                detail: detail(ground, group, function),
                compiler: compiler.name,
                operations: None,
                batch: false,
                object: None,
                job: job.clone(),
                function: function.to_owned(),
                model: model.join("model.txt"),
            });
        }
    }
    Ok(all)
}

/// The functions requested of a peer: the number of the comparison and its word.
fn functions<'a>(
    ground: &Ground<'a>,
    peer: Peer,
) -> impl Iterator<Item = (usize, &'static str)> + 'a {
    ground.requested.iter().enumerate().flat_map(move |(group, one)| {
        let own = one.peers.iter().filter(move |(who, _)| *who == peer);
        own.map(move |(_, function)| (group, *function))
    })
}

/// The detail that tells several ways of a peer apart.
fn detail(ground: &Ground<'_>, group: usize, function: &str) -> String {
    let ways =
        [("_local", "local"), ("_world", "world"), ("_ad", "AD"), ("_derivatives", "analytic")];
    let name = &ground.requested[group].name;
    let found = ways.iter().find(|(end, _)| function.ends_with(end));
    match found {
        Some((_, words)) => (*words).to_owned(),
        None if function == name => String::new(),
        None => function.to_owned(),
    }
}

/// The widest pack that this processor has registers for, if glibc has functions for it.
fn lanes() -> Option<usize> {
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = known.lines().find(|line| line.starts_with("flags"))?;
    let has = |flag: &str| flags.split_whitespace().any(|word| word == flag);
    match (has("avx512f"), has("avx2")) {
        (true, _) => Some(8),
        (_, true) => Some(4),
        _ => None,
    }
}

/// The build of the program that writes CasADi C.
fn generator_job(ground: &Ground<'_>, site: &Path) -> Result<Job, String> {
    // clang needs less time and memory for templates.
    let all = with_cpp(ground)?;
    let clang = all.iter().find(|(compiler, _)| compiler.name == "clang");
    let (compiler, cpp) = *clang.unwrap_or(&all[0]);
    let library = text(&site.join("casadi"));
    let mut line = command(&[cpp, "-std=c++17", "-O0", "-DNDEBUG", "-w"]);
    line.extend(BOOST.iter().map(|&word| word.to_owned()));
    line.extend(includes(site));
    line.extend(command(&["generate.cpp", "-o", "generate", "-lcasadi"]));
    line.extend([format!("-L{library}"), format!("-Wl,-rpath,{library}")]);
    Ok(Job {
        title: "the generator of CasADi C (takes minutes)".to_owned(),
        files: vec![
            file("plain.hpp", include_str!("drivers/plain.hpp")),
            file("generate.cpp", include_str!("drivers/generate.cpp")),
        ],
        commands: vec![line],
        origin: compiler.version.clone(),
        limit: LIMIT,
    })
}

fn casadi(
    ground: &Ground<'_>,
    site: &Path,
    hear: &mut (dyn FnMut(&str) + Send),
) -> Result<Vec<Pending>, String> {
    let generator = ground.shop.build(&generator_job(ground, site)?)?;
    hear("generating CasADi C");
    let program = text(&generator.join("generate"));
    let code = ground.shop.build(&Job {
        title: "CasADi C".to_owned(),
        files: vec![("model.txt".to_owned(), ground.plain.text())],
        commands: vec![command(&["sh", "-c", "\"$0\" model.txt . > counts.txt", &program])],
        origin: String::new(),
        limit: LIMIT,
    })?;
    let read = |name: &str| fs::read_to_string(code.join(name)).ok();
    let counts = read("counts.txt").unwrap_or_default();
    let mut all = Vec::new();
    for (group, function) in functions(ground, Peer::CasAdi) {
        // Automatic derivatives exist only where coordinates and speeds are the same.
        let (Some(source), Some(places)) =
            (read(&format!("{function}.c")), read(&format!("{function}.h")))
        else {
            continue;
        };
        let count = counts.lines().filter_map(|line| line.split_once(' '));
        let count = count.filter(|(name, _)| *name == function);
        let operations = count.filter_map(|(_, number)| number.trim().parse().ok()).next();
        let packs: &[bool] = if ground.batch { &[false, true] } else { &[false] };
        for compiler in ground.compilers {
            for &batch in packs {
                let third = ground.requested[group].third;
                let Some(commands) = casadi_commands(compiler, function, third, batch) else {
                    continue;
                };
                let kind = if batch { " in packs" } else { "" };
                all.push(Pending {
                    group,
                    who: Who::Peer(Peer::CasAdi),
                    detail: detail(ground, group, function),
                    compiler: compiler.name,
                    operations,
                    batch,
                    object: Some("code.o"),
                    job: Job {
                        title: format!("CasADi C of {function}{kind}, {}", compiler.name),
                        files: vec![
                            file("contender.h", CONTENDER),
                            file("casadi.c", include_str!("drivers/casadi.c")),
                            file("pack.hpp", include_str!("drivers/pack.hpp")),
                            file("packed.cpp", include_str!("drivers/packed.cpp")),
                            file("places.h", &places),
                            file("code.c", &source),
                        ],
                        commands,
                        origin: compiler.version.clone(),
                        limit: LIMIT,
                    },
                    function: function.to_owned(),
                    model: code.join("model.txt"),
                });
            }
        }
    }
    Ok(all)
}

/// The commands that make a library of CasADi's C; in packs it is C++.
fn casadi_commands(
    compiler: &Compiler,
    function: &str,
    third: Third,
    batch: bool,
) -> Option<Vec<Vec<String>>> {
    let (inputs, third) = match third {
        Third::Accelerations => (3, "states_qdd"),
        Third::Efforts => (3, "states_effort"),
        Third::Nothing => (1, "states_qdd"),
    };
    let words = |line: String| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let about = format!(
        "-DFUNCTION=casadi_{function} -DWORK=casadi_{function}_work -DINPUTS={inputs} -DTHIRD={third} \
         -DPLACES=\"places.h\""
    );
    let flags = FLAGS.join(" ");
    if !batch {
        let c = compiler.c;
        return Some(vec![
            words(format!("{c} {flags} -w -fPIC -c code.c -o code.o")),
            words(format!("{c} -O2 -w -fPIC {about} -c casadi.c -o shim.o")),
            words(format!("{c} -shared code.o shim.o -o contender.so -lm")),
        ]);
    }
    let (cpp, lanes) = (compiler.cpp?, lanes()?);
    let pack = format!("-std=c++17 -march=native -w -fPIC -DPACK={lanes}");
    Some(vec![
        words(format!("{cpp} {flags} {pack} -DSOURCE=\"code.c\" -c packed.cpp -o code.o")),
        words(format!("{cpp} -O2 {pack} {about} -x c++ -c casadi.c -o shim.o")),
        words(format!("{cpp} -shared code.o shim.o -o contender.so -lmvec -lm")),
    ])
}

fn mujoco(ground: &Ground<'_>, site: &Path) -> Result<Vec<Pending>, String> {
    let home = site.join("mujoco");
    let entries = fs::read_dir(&home).map_err(|error| format!("{}: {error}", home.display()))?;
    let mut names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let library = names.find(|name| name.starts_with("libmujoco.so"));
    let library = library.ok_or("its package has no library for this machine")?;
    let compiler = &ground.compilers[0];
    let mut line = command(&[compiler.c, "-O3", "-march=native", "-w", "-shared", "-fPIC"]);
    line.push(format!("-I{}", text(&home.join("include"))));
    line.extend(command(&["mujoco.c", "-o", "contender.so"]));
    line.extend([text(&home.join(library)), format!("-Wl,-rpath,{}", text(&home))]);
    line.push("-lm".to_owned());
    let model = ground.shop.build(&Job {
        title: "the model for MuJoCo".to_owned(),
        files: vec![("model.xml".to_owned(), ground.plain.mjcf()?)],
        commands: Vec::new(),
        origin: String::new(),
        limit: LIMIT,
    })?;
    let job = Job {
        title: "MuJoCo".to_owned(),
        files: vec![
            file("contender.h", CONTENDER),
            file("mujoco.c", include_str!("drivers/mujoco.c")),
        ],
        commands: vec![line],
        origin: compiler.version.clone(),
        limit: LIMIT,
    };
    let each = functions(ground, Peer::MuJoCo).map(|(group, function)| Pending {
        group,
        who: Who::Peer(Peer::MuJoCo),
        detail: detail(ground, group, function),
        compiler: "as built",
        operations: None,
        batch: false,
        object: None,
        job: job.clone(),
        function: function.to_owned(),
        model: model.join("model.xml"),
    });
    Ok(each.collect())
}
