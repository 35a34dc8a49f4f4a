//! The cluster at its boundary: objects go in, pods and statuses come out.

mod api;
mod collect;
mod jobs;
mod nodes;
mod pods;
mod priorities;
mod properties;
mod protobuf;
mod quota;
mod real;
mod scheduling;
mod sets;
mod storage;
mod support;
mod wire;
mod workloads;
