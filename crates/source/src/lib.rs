//! planarium-source
