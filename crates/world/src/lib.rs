//! planarium-world
