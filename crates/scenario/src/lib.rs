//! planarium-scenario
