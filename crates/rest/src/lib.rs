//! planarium-rest
