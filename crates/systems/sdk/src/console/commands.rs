//! The table of commands.
//!
//! Knows: every command's words, arguments and flags. Must not know: how words are read, what is requested.
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
        about: "List the plans",
        run: plan::list,
    },
    Command {
        path: &[&["plan", "plans"], &["status", "show"]],
        args: &[needed("PLAN")],
        flags: &[Flag::Json],
        about: "Print a plan as a tree, or as JSON",
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
        about: "Interrupt a plan and reset its steps",
        run: plan::stop,
    },
    Command {
        path: &[&["plan", "plans"], &["pause", "interrupt"]],
        args: &[needed("PLAN"), maybe("PHASE")],
        flags: &[],
        about: "Interrupt a plan, or one phase of it",
        run: plan::pause,
    },
    Command {
        path: &[&["plan", "plans"], &["resume", "continue"]],
        args: &[needed("PLAN"), maybe("PHASE")],
        flags: &[],
        about: "End an interrupt of a plan or phase",
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
        about: "List the pods",
        run: pod::list,
    },
    Command {
        path: &[&["pod", "pods"], &["status"]],
        args: &[maybe("POD")],
        flags: &[Flag::Json],
        about: "Print the tasks of one pod or of all pods",
        run: pod::status,
    },
    Command {
        path: &[&["pod", "pods"], &["info"]],
        args: &[needed("POD")],
        flags: &[],
        about: "Print everything that is stored about a pod's tasks",
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
        about: "Give up a pod and launch it anew on any machine",
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
        about: "Print the deploy plan as a tree, or as JSON",
        run: update::status,
    },
    Command {
        path: &[&["update"], &["pause", "interrupt"]],
        args: &[],
        flags: &[],
        about: "Interrupt the deploy plan",
        run: update::pause,
    },
    Command {
        path: &[&["update"], &["resume", "continue"]],
        args: &[],
        flags: &[],
        about: "End the interrupt of the deploy plan",
        run: update::resume,
    },
    Command {
        path: &[&["update"], &["force-restart", "restart"]],
        args: &[maybe("PHASE"), maybe("STEP")],
        flags: &[],
        about: "Set the deploy plan back to pending",
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
        about: "Print the versions of the package",
        run: package::package_versions,
    },
    Command {
        path: &[&["uninstall"]],
        args: &[maybe("SERVICE")],
        flags: &[],
        about: "Uninstall the service",
        run: package::uninstall,
    },
    Command {
        path: &[&["endpoints", "endpoint"]],
        args: &[maybe("NAME")],
        flags: &[],
        about: "List the endpoints, or print one",
        run: endpoints::show,
    },
    Command {
        path: &[&["describe"]],
        args: &[],
        flags: &[],
        about: "Print the package's options with their defaults",
        run: package::describe,
    },
    Command {
        path: &[&["debug"], &["pod", "pods"], &["pause"]],
        args: &[needed("POD")],
        flags: &[Flag::Tasks],
        about: "Pause a pod, or some of its tasks",
        run: debug::pod_pause,
    },
    Command {
        path: &[&["debug"], &["pod", "pods"], &["resume"]],
        args: &[needed("POD")],
        flags: &[Flag::Tasks],
        about: "Resume a paused pod, or some of its tasks",
        run: debug::pod_resume,
    },
    Command {
        path: &[&["debug"], &["config", "configs"], &["list"]],
        args: &[],
        flags: &[],
        about: "List the ids of the stored configurations",
        run: debug::config_list,
    },
    Command {
        path: &[&["debug"], &["config", "configs"], &["show"]],
        args: &[needed("ID")],
        flags: &[],
        about: "Print a configuration",
        run: debug::config_show,
    },
    Command {
        path: &[&["debug"], &["config", "configs"], &["target"]],
        args: &[],
        flags: &[],
        about: "Print the target configuration",
        run: debug::config_target,
    },
    Command {
        path: &[&["debug"], &["config", "configs"], &["target_id"]],
        args: &[],
        flags: &[],
        about: "Print the id of the target configuration",
        run: debug::config_target_id,
    },
    Command {
        path: &[&["debug"], &["state"], &["framework_id"]],
        args: &[],
        flags: &[],
        about: "Print the id of the Mesos framework",
        run: debug::state_framework_id,
    },
    Command {
        path: &[&["debug"], &["state"], &["properties"]],
        args: &[],
        flags: &[],
        about: "List the properties of the state store",
        run: debug::state_properties,
    },
    Command {
        path: &[&["debug"], &["state"], &["property"]],
        args: &[needed("NAME")],
        flags: &[],
        about: "Print a property",
        run: debug::state_property,
    },
    Command {
        path: &[&["debug"], &["state"], &["refresh_cache"]],
        args: &[],
        flags: &[],
        about: "Make the scheduler read the state store again",
        run: debug::state_refresh_cache,
    },
];
