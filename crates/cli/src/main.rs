//! The `planarium` command.
fn main() {}
