//! The table of commands.
//!
//! Knows: every command's words, arguments and flags. Must not know: how words are read, what is asked.
//!
//! **Source**: dcos-commons `cli/commands`. Match; the help lines are our own.

use super::grammar::{Arg, Command, Flag};
use super::{debug, endpoints, package, plan, pod, update};

const fn needed(name: &'static str) -> Arg {
    Arg { name, is_required: true }
}

const fn maybe(name: &'static str) -> Arg {
    Arg { name, is_required: false }
}

/// All commands. *Order*: as the usage text shows them. *Invariant*: no command's words begin another's.
pub(super) const COMMANDS: &[Command] = &[
    Command {
        path: &[&["plan", "plans"], &["list"]],
        args: &[],
        flags: &[],
        about: "Names of all plans",
        run: plan::list,
    },
    Command {
        path: &[&["plan", "plans"], &["status", "show"]],
        args: &[needed("PLAN")],
        flags: &[Flag::Json],
        about: "The plan as a tree, or as JSON",
        run: plan::status,
    },
    Command {
        path: &[&["plan", "plans"], &["start"]],
        args: &[needed("PLAN")],
        flags: &[Flag::Params],
        about: "Start a plan, with parameters for its tasks",
        run: plan::start,
    },
    Command {
        path: &[&["plan", "plans"], &["stop"]],
        args: &[needed("PLAN")],
        flags: &[],
        about: "Hold a plan and set its steps back",
        run: plan::stop,
    },
    Command {
        path: &[&["plan", "plans"], &["pause", "interrupt"]],
        args: &[needed("PLAN"), maybe("PHASE")],
        flags: &[],
        about: "Hold a plan, or one phase of it",
        run: plan::pause,
    },
    Command {
        path: &[&["plan", "plans"], &["resume", "continue"]],
        args: &[needed("PLAN"), maybe("PHASE")],
        flags: &[],
        about: "Let a plan, or one phase of it, go on",
        run: plan::resume,
    },
    Command {
        path: &[&["plan", "plans"], &["force-restart", "restart"]],
        args: &[needed("PLAN"), maybe("PHASE"), maybe("STEP")],
        flags: &[],
        about: "Set a plan, phase or step back to pending",
        run: plan::force_restart,
    },
    Command {
        path: &[&["plan", "plans"], &["force-complete", "force"]],
        args: &[needed("PLAN"), needed("PHASE"), needed("STEP")],
        flags: &[],
        about: "Mark a step complete, whatever its state",
        run: plan::force_complete,
    },
    Command {
        path: &[&["pod", "pods"], &["list"]],
        args: &[],
        flags: &[],
        about: "Names of all pods",
        run: pod::list,
    },
    Command {
        path: &[&["pod", "pods"], &["status"]],
        args: &[maybe("POD")],
        flags: &[Flag::Json],
        about: "The tasks of one pod or of all, as a tree or as JSON",
        run: pod::status,
    },
    Command {
        path: &[&["pod", "pods"], &["info"]],
        args: &[needed("POD")],
        flags: &[],
        about: "All that is stored of a pod's tasks",
        run: pod::info,
    },
    Command {
        path: &[&["pod", "pods"], &["restart"]],
        args: &[needed("POD")],
        flags: &[],
        about: "Kill a pod's tasks and launch them again in place",
        run: pod::restart,
    },
    Command {
        path: &[&["pod", "pods"], &["replace"]],
        args: &[needed("POD")],
        flags: &[],
        about: "Give a pod up and launch it anew, anywhere",
        run: pod::replace,
    },
    Command {
        path: &[&["update"], &["start"]],
        args: &[],
        flags: &[Flag::Options, Flag::PackageVersion, Flag::Replace],
        about: "Change the options or the version of the package",
        run: package::start,
    },
    Command {
        path: &[&["update"], &["status", "show"]],
        args: &[],
        flags: &[Flag::Json],
        about: "The deploy plan as a tree, or as JSON",
        run: update::status,
    },
    Command {
        path: &[&["update"], &["pause", "interrupt"]],
        args: &[],
        flags: &[],
        about: "Hold the deploy plan",
        run: update::pause,
    },
    Command {
        path: &[&["update"], &["resume", "continue"]],
        args: &[],
        flags: &[],
        about: "Let the deploy plan go on",
        run: update::resume,
    },
    Command {
        path: &[&["update"], &["force-restart", "restart"]],
        args: &[maybe("PHASE"), maybe("STEP")],
        flags: &[],
        about: "Set a plan, phase or step back to pending",
        run: update::force_restart,
    },
    Command {
        path: &[&["update"], &["force-complete", "force"]],
        args: &[needed("PHASE"), needed("STEP")],
        flags: &[],
        about: "Mark a step of the deploy plan complete",
        run: update::force_complete,
    },
    Command {
        path: &[&["update"], &["package-versions"]],
        args: &[],
        flags: &[],
        about: "The version of the package, and which others there are",
        run: package::package_versions,
    },
    Command {
        path: &[&["uninstall"]],
        args: &[maybe("SERVICE")],
        flags: &[],
        about: "Take everything back and remove the service",
        run: package::uninstall,
    },
    Command {
        path: &[&["endpoints", "endpoint"]],
        args: &[maybe("NAME")],
        flags: &[],
        about: "Names of all endpoints, or where one is",
        run: endpoints::show,
    },
    Command {
        path: &[&["describe"]],
        args: &[],
        flags: &[],
        about: "The options of the package, defaults included",
        run: package::describe,
    },
    Command {
        path: &[&["debug"], &["pod", "pods"], &["pause"]],
        args: &[needed("POD")],
        flags: &[Flag::Tasks],
        about: "Pause a pod, or some tasks of it",
        run: debug::pod_pause,
    },
    Command {
        path: &[&["debug"], &["pod", "pods"], &["resume"]],
        args: &[needed("POD")],
        flags: &[Flag::Tasks],
        about: "Let a paused pod, or some tasks of it, run again",
        run: debug::pod_resume,
    },
    Command {
        path: &[&["debug"], &["config", "configs"], &["list"]],
        args: &[],
        flags: &[],
        about: "Ids of all configurations",
        run: debug::config_list,
    },
    Command {
        path: &[&["debug"], &["config", "configs"], &["show"]],
        args: &[needed("ID")],
        flags: &[],
        about: "A configuration",
        run: debug::config_show,
    },
    Command {
        path: &[&["debug"], &["config", "configs"], &["target"]],
        args: &[],
        flags: &[],
        about: "The target configuration",
        run: debug::config_target,
    },
    Command {
        path: &[&["debug"], &["config", "configs"], &["target_id"]],
        args: &[],
        flags: &[],
        about: "Id of the target configuration",
        run: debug::config_target_id,
    },
    Command {
        path: &[&["debug"], &["state"], &["framework_id"]],
        args: &[],
        flags: &[],
        about: "Id of the Mesos framework",
        run: debug::state_framework_id,
    },
    Command {
        path: &[&["debug"], &["state"], &["properties"]],
        args: &[],
        flags: &[],
        about: "Names of all properties",
        run: debug::state_properties,
    },
    Command {
        path: &[&["debug"], &["state"], &["property"]],
        args: &[needed("NAME")],
        flags: &[],
        about: "A property",
        run: debug::state_property,
    },
    Command {
        path: &[&["debug"], &["state"], &["refresh_cache"]],
        args: &[],
        flags: &[],
        about: "Read the state store anew",
        run: debug::state_refresh_cache,
    },
];
