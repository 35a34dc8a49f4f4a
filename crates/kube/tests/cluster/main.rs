//! The cluster at its boundary: objects go in, pods and statuses come out.

mod api;
mod collect;
mod jobs;
mod nodes;
mod pods;
mod scheduling;
mod sets;
mod storage;
mod support;
mod workloads;
