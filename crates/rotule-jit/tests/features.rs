//! Kernels that a build leaves out, or that are not for this machine, are refused with the way out;
//! a request for any kind succeeds all the same.

use rotule_jit::{KernelError, KernelKind, KernelOptions, kernel, lanes};
use rotule_program::{NoExternals, Program, parse};

fn program() -> Program {
    parse("program one\ninput x coordinate\nbody\n%0 = mul x x\noutput y(1)\n(0) = %0")
        .expect("a program")
}

#[test]
fn what_is_left_out_is_refused() {
    let program = program();
    let native = cfg!(all(feature = "native", target_arch = "x86_64"));
    for (choice, present, word) in [
        (KernelKind::Native, native, "native"),
        (KernelKind::Compiled, cfg!(all(feature = "compiled", unix)), "compiled"),
    ] {
        // A library is made in other tests, which have a folder for it.
        if present {
            continue;
        }
        let made = kernel(&program, choice, KernelOptions::default()).map(|made| made.name());
        let Err(KernelError::Unavailable(reason)) = made else { panic!("{made:?}") };
        let here = cfg!(all(unix, target_arch = "x86_64"));
        assert!(!here || reason.contains(&format!("the feature `{word}`")), "{reason}");
        assert!(reason.contains("use "), "{reason}");
    }
}

#[test]
fn the_general_choice_is_never_refused() {
    let program = program();
    let native = cfg!(all(feature = "native", target_arch = "x86_64"));
    let mut one = kernel(&program, KernelKind::Auto, KernelOptions::default()).expect("valid");
    let several = lanes(&program, KernelKind::Auto, KernelOptions::default()).expect("valid");
    assert_eq!(one.name(), if native { "native" } else { "interpreter" });
    assert_eq!(several.name(), one.name());
    assert_eq!((one.reason().is_some(), several.reason().is_some()), (!native, !native));
    let mut found = [0.0];
    one.setup(&[3.0], &mut NoExternals).expect("one input");
    one.evaluate(&[3.0], &mut found, &mut NoExternals).expect("one output");
    assert_eq!(found, [9.0]);
}
