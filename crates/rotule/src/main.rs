//! The command line of Rotule.

fn main() {}
