//! Campaigns of random mechanisms, in the size of the ordinary tests.
mod closed;
#[test]
fn x() {}
