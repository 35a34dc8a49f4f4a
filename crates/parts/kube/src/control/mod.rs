//! The controllers: each brings one kind of object in line with what it asks for.
//!
//! *Knows*: objects and what their pods come to. *Must not know*: machines and processes; those are the kubelets' business.
//! Source: `kubernetes/kubernetes: pkg/controller/*` (release 1.19), by way of the rules that each module names.

mod budget;
mod collect;
mod cron_job;
mod daemon_set;
pub(crate) mod definition;
mod deployment;
mod found;
pub(crate) mod job;
mod namespace;
pub(crate) mod pods;
mod progress;
mod replica_set;
mod revisions;
mod rollout;
mod service;
mod stateful_set;
pub(crate) mod storage;

pub(crate) use service::ports;
