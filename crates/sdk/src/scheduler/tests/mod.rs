//! The scheduler alone: hand-made machines and statuses, no master.

mod bench;
mod canary;
mod commands;
mod custom;
mod evaluation;
mod recovery;
mod restart;
mod swarm;
mod walkthrough;
mod wire;
