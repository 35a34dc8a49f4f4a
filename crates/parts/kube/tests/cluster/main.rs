//! The cluster at its boundary: objects go in, pods and statuses come out.

mod api;
mod autoscaling;
mod collect;
mod description;
mod jobs;
mod nodes;
mod pods;
mod priorities;
mod properties;
mod protobuf;
mod quota;
mod real;
mod rules;
mod scheduling;
mod sets;
mod storage;
mod support;
mod upstream;
mod wire;
mod workloads;
