//! The proof of slots must fail where an assignment is wrong: every single slot is tried in every
//! other place.

use rotule_program::passes::{Location, check_slots, slots};
use rotule_program::{SlotId, parse, run_once};
use rotule_testing::program;
use rotule_testing::program::{Range, program_from};

#[test]
fn a_wrong_slot_is_found() {
    let program = parse(
        "program p
         input a coordinate
         body
           %0 = sin a
           %1 = cos a
           %2 = region r limit 2 tolerance %1
             state %3 = a
             %4 = mul %3 %0
             %5 = add %4 1
             next %5
             residual %4
           end
           %6 = result %2 0
           %7 = mul %6 %1
         output y(1)
           (0) = %7",
    )
    .expect("a program");
    let right = slots(&program);
    assert_eq!(check_slots(&program, &right), Ok(()));
    assert_eq!(right.body, 5);
    // %0, %1, the state, %4 and %5 are needed to the end of each iteration: none of them may go
    // into any of the 4 other slots. %6 may not go where %1 still is. %7 is stored at once.
    let mut found = 0;
    for k in 0..program.len() {
        let Location::Body(own) = right.of[k] else { continue };
        for slot in (0..right.body).map(SlotId::new).filter(|&slot| slot != own) {
            let mut wrong = right.clone();
            wrong.of[k] = Location::Body(slot);
            found += usize::from(check_slots(&program, &wrong).is_err());
        }
    }
    assert_eq!(found, 5 * 4 + 1);
}

#[test]
fn slots_are_never_more_than_values() {
    for seed in 0..200_u16 {
        let choices: Vec<u16> =
            (0..300).map(|k: u16| k.wrapping_mul(seed).wrapping_mul(25_173) >> 3).collect();
        let program = program_from(&choices, Range::All);
        let slots = slots(&program);
        assert!(slots.setup + slots.crossing + slots.body <= program.len());
        assert!(run_once(&program, &[0.5; 6], &mut program::Library).is_ok());
    }
}
