//! The cluster at its boundary: objects go in, pods and statuses come out.

mod support;
mod workloads;
