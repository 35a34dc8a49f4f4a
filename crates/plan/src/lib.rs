//! planarium-plan
