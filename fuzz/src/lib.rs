//! The fuzz targets, as plain functions from bytes to a verdict.
//!
//! A target returns when the input was handled properly, whether accepted or refused, and panics
//! when a promise is broken. Keeping the logic here, away from libFuzzer, lets ordinary tests
//! replay the corpus on any machine: the binaries in `fuzz_targets` only forward their bytes.
#![forbid(unsafe_code)]

#[cfg(feature = "libfuzzer")]
mod record;

#[cfg(feature = "libfuzzer")]
pub use record::record;

use rotule_mesh::{Affine, UpAxis, decimate, hull, mass_properties, read, surface};
use rotule_model::{Format, Loaded, ReadOptions, Sources, load, structure, write};
use rotule_program::{NoExternals, Program, run_once};
use rotule_symbolic::Graph;

/// A fuzz target: a function that panics if the bytes break a promise.
pub type Target = fn(&[u8]);

/// Every target by the name of its binary, which is also the name of its corpus folder.
pub const TARGETS: &[(&str, Target)] = &[
    ("expression", expression),
    ("program", program),
    ("native", native),
    ("input", input),
    ("output", output),
    ("controller", controller),
    ("parquet", parquet),
    ("urdf", urdf),
    ("sdf", sdf),
    ("mjcf", mjcf),
    ("mbs", mbs),
    ("stl", stl),
    ("obj", obj),
    ("dae", dae),
    ("gltf", gltf),
    ("glb", glb),
];

/// Programs with more output numbers than this are not run: filling them tells nothing.
const OUTPUTS: usize = 10_000;

/// Expressions with a longer text than this are not read back.
const TEXT_BYTES: usize = 1 << 20;

/// Expressions whose text is nested deeper than this are not read back. A level of parentheses may
/// be an exponent too and then counts twice for the reader, which stops at 200.
const NESTING: usize = 90;

/// The expression reader: any text gives an expression or an error; an expression can be evaluated;
/// and printing it gives text that reads back as the same expression.
pub fn expression(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let mut graph = Graph::new();
    let expr = match graph.parse(&source) {
        Ok(expr) => expr,
        // An error must be printable too.
        Err(error) => return drop(error.to_string()),
    };
    // An unknown external function has no value: that is a proper answer.
    let _ = graph.evaluate_f64(&[expr], |name| Some(0.1 + name.len() as f64));

    // A graph shares and a text does not: the text of a small graph can be longer than any memory.
    let Some(printed) = graph.text_limited(expr, TEXT_BYTES) else { return };
    // The printer may nest deeper than the source did, and the reader's depth is limited.
    if nesting(&printed) > NESTING {
        return;
    }
    let again = match graph.parse(&printed) {
        Ok(again) => again,
        Err(error) => panic!("the printed form does not parse: {error}\nprinted: {printed}"),
    };
    assert_eq!(printed, graph.text(again), "the printed form reads back as another expression");
}

/// The depth of the parentheses of a text.
fn nesting(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The program reader: any text gives a program or an error; a program can be run; and printing it
/// gives text that reads back as an equal program.
pub fn program(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let program: Program = match source.parse() {
        Ok(program) => program,
        Err(error) => return drop(error.to_string()),
    };
    // Nested regions may rightly iterate for ages.
    if program.regions().is_empty() && program.output_len() <= OUTPUTS {
        let inputs = vec![0.5; program.inputs().len()];
        run_once(&program, &inputs, &mut NoExternals).expect("a program that was read is valid");
    }

    let printed = program.to_string();
    let again: Program = match printed.parse() {
        Ok(again) => again,
        Err(error) => panic!("the printed form does not parse: {error}\nprinted:\n{printed}"),
    };
    assert_eq!(printed, again.to_string(), "the printed form reads back as another program");
}

/// The reader of model files.
pub fn native(data: &[u8]) {
    model(data, Format::Native);
}

/// A model that the sections below it can use.
const SECTIONED: &str = "[model]\nname = \"m\"\n[parameters]\nk = 2\n[[body]]\nname = \"cart\"\nparent = \"ground\"\n\
    joint = { name = \"x\", type = \"prismatic\", axis = \"x\", effort = \"u - k*x\" }\nmass = 1\npoints.p = [0, 0, 1]\n";

/// A `[[input]]` in a model whose law uses it.
pub fn input(data: &[u8]) {
    native(&[SECTIONED.as_bytes(), b"[[input]]\n", data].concat());
}

/// An `[[output]]` in a model.
pub fn output(data: &[u8]) {
    native(&[SECTIONED.as_bytes(), b"[[input]]\nname = \"u\"\n[[output]]\n", data].concat());
}

/// A `[[controller]]` in a model whose law uses it.
pub fn controller(data: &[u8]) {
    native(&[SECTIONED.as_bytes(), b"[[controller]]\n", data].concat());
}

/// The reader of tables in Parquet.
pub fn parquet(data: &[u8]) {
    if let Ok(table) = rotule_report::table::read_parquet(data) {
        let columns = table.headings.len();
        assert!(table.rows.iter().all(|row| row.len() == columns), "rows have all columns");
    }
}

/// The reader of URDF.
pub fn urdf(data: &[u8]) {
    model(data, Format::Urdf);
}

/// The reader of SDF.
pub fn sdf(data: &[u8]) {
    model(data, Format::Sdf);
}

/// The reader of MJCF.
pub fn mjcf(data: &[u8]) {
    model(data, Format::Mjcf);
}

/// The reader of ROBOTRAN's files.
pub fn mbs(data: &[u8]) {
    model(data, Format::Mbs);
}

/// A reader of models: any text gives a mechanism or errors, with any options; findings can be
/// shown; a mechanism can be analysed; and what is written of it reads back as a mechanism of the
/// same structure.
fn model(data: &[u8], format: Format) {
    let text = String::from_utf8_lossy(data);
    let foreign = format != Format::Native;
    let other = ReadOptions { floating_base: true, merge_fixed: true, ..ReadOptions::default() };
    for options in [ReadOptions::default(), other] {
        let loaded = load_text(&text, format, &options);
        if let Some(mechanism) = &loaded.mechanism {
            let first = structure(mechanism);
            drop(first.text());
            let written = write(&loaded.draft);
            let again = load_text(&written, Format::Native, &ReadOptions::default());
            let Some(mechanism) = again.mechanism else {
                panic!("the written model has errors:\n{written}\n{:?}", again.diagnostics);
            };
            let second = structure(&mechanism);
            // Numbers that are not finite are unlike themselves; nothing else may differ.
            assert_eq!(format!("{first:?}"), format!("{second:?}"), "written as\n{written}");
        }
        if !foreign {
            break;
        }
    }
}

fn load_text(text: &str, format: Format, options: &ReadOptions) -> Loaded {
    let mut sources = Sources::new();
    let id = sources.add("model", text);
    let loaded = load(&sources, id, format, &[], options);
    drop(loaded.diagnostics.render(&sources));
    loaded
}

/// The reader of STL.
pub fn stl(data: &[u8]) {
    mesh(data, "a.stl");
}

/// The reader of OBJ.
pub fn obj(data: &[u8]) {
    mesh(data, "a.obj");
}

/// The reader of COLLADA.
pub fn dae(data: &[u8]) {
    mesh(data, "a.dae");
}

/// The reader of glTF in JSON.
pub fn gltf(data: &[u8]) {
    mesh(data, "a.gltf");
}

/// The reader of binary glTF.
pub fn glb(data: &[u8]) {
    mesh(data, "a.glb");
}

/// Meshes with more triangles than this are not decimated: it takes long and tells nothing more.
const TRIANGLES: usize = 2000;

/// A reader of meshes: any bytes give triangles or an error that can be shown; only names beside
/// this file are requested; triangles have sound indices, finite mass properties, a mirror image
/// and a decimation.
fn mesh(data: &[u8], name: &str) {
    let companion = &mut |file: &str| {
        let sound = !file.starts_with('/') && file.split('/').all(|part| part != "..");
        assert!(sound, "a file elsewhere is requested: {file}");
        Ok(data.to_vec())
    };
    let mesh = match read(name, data, UpAxis::ToZ, companion) {
        Ok(file) => file.mesh,
        Err(error) => return drop(error.to_string()),
    };
    let count = mesh.vertices.len();
    assert!(mesh.triangles.iter().flatten().all(|index| (*index as usize) < count));
    drop(surface(&mesh).warning());
    let mass = mass_properties(&mesh);
    let numbers = [mass.volume, mass.area];
    assert!(numbers.iter().chain(mass.inertia.iter().flatten()).all(|x| x.is_finite()));
    if mesh.triangles.len() > TRIANGLES {
        return;
    }
    let mirrored = mesh.placed(&Affine::scale([-1.0, 1.0, 1.0]));
    assert_eq!(surface(&mirrored), surface(&mesh));
    let few = decimate(&mesh, mesh.triangles.len() / 2);
    assert!(few.triangles.len() <= mesh.triangles.len() / 2);
    let _ = hull(&mesh.vertices);
}
