//! planarium-fleet
