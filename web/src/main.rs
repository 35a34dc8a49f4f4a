//! The playground page.
fn main() {}
