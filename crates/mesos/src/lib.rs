//! planarium-mesos
