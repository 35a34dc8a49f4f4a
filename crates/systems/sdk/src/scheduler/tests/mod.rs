//! The scheduler alone: hand-made machines and statuses, no master.

mod actions;
mod bench;
mod canary;
mod commands;
mod custom;
mod decommission;
mod evaluation;
mod programs;
mod recovery;
mod restart;
mod swarm;
mod uninstall;
mod update;
mod walkthrough;
mod wire;
