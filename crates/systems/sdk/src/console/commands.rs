//! The table of commands.
//!
//! Knows: every command's words, arguments and flags, and which names fit where. Must not know: how words are read, what is requested.
//!
//! **Source**: dcos-commons `cli/commands`. Match; the help lines are our own.

use super::call::{Call, Done};
use super::{debug, endpoints, package, plan, pod, update};
use planarium_part::commands;
use planarium_part::console::{Command, Flag, Given, Namer, Names, Offer, Typed};

/// Carries out a command.
pub(super) type Run = fn(&mut Call<'_>, &Given) -> Done;

const JSON: Flag = Flag::plain("json");
const PARAMS: Flag = Flag { repeats: true, ..Flag::valued("params", "K=V").short('p') };
const TASKS: Flag = Flag { repeats: true, ..Flag::valued("tasks", "TASK").short('t').offers(tasks) };
const OPTIONS: Flag = Flag::valued("options", "FILE");
const PACKAGE_VERSION: Flag = Flag::valued("package-version", "VERSION");
const REPLACE: Flag = Flag::plain("replace");

/// Flags that every command takes.
pub(super) const GLOBAL: &[Flag] = &[
    Flag::valued("name", "SERVICE").offers(|_, names| names(None, Names::Services)),
    Flag::plain("verbose").short('v'),
    Flag::plain("help").short('h'),
];

/// All commands. *Order*: as the usage text shows them. *Invariant*: no command's words begin another's.
pub(super) const COMMANDS: &[Command<Run>] = commands! {
    "plan|plans list", "", "List the plans", [], plan::list;
    "plan|plans status|show", "PLAN", "Print a plan as a tree, or as JSON", [JSON], plan::status;
    "plan|plans start", "PLAN", "Start a plan, with parameters for its tasks", [PARAMS], plan::start;
    "plan|plans stop", "PLAN", "Interrupt a plan and reset its steps", [], plan::stop;
    "plan|plans pause|interrupt", "PLAN [PHASE]", "Interrupt a plan, or one phase of it", [], plan::pause;
    "plan|plans resume|continue", "PLAN [PHASE]", "End an interrupt of a plan or phase", [], plan::resume;
    "plan|plans force-restart|restart", "PLAN [PHASE] [STEP]", "Set a plan, phase or step back to pending", [], plan::force_restart;
    "plan|plans force-complete|force", "PLAN PHASE STEP", "Mark a step complete, whatever its state", [], plan::force_complete;
    "pod|pods list", "", "List the pods", [], pod::list;
    "pod|pods status", "[POD]", "Print the tasks of one pod or of all pods", [JSON], pod::status;
    "pod|pods info", "POD", "Print everything that is stored about a pod's tasks", [], pod::info;
    "pod|pods restart", "POD", "Kill a pod's tasks and launch them again in place", [], pod::restart;
    "pod|pods replace", "POD", "Give up a pod and launch it anew on any machine", [], pod::replace;
    "update start", "", "Change the options or the version of the package", [OPTIONS, PACKAGE_VERSION, REPLACE], package::start;
    "update status|show", "", "Print the deploy plan as a tree, or as JSON", [JSON], update::status;
    "update pause|interrupt", "", "Interrupt the deploy plan", [], update::pause;
    "update resume|continue", "", "End the interrupt of the deploy plan", [], update::resume;
    "update force-restart|restart", "[PHASE] [STEP]", "Set the deploy plan back to pending", [], update::force_restart;
    "update force-complete|force", "PHASE STEP", "Mark a step of the deploy plan complete", [], update::force_complete;
    "update package-versions", "", "Print the versions of the package", [], package::package_versions;
    "uninstall", "[SERVICE]", "Uninstall the service", [], package::uninstall;
    "endpoints|endpoint", "[NAME]", "List the endpoints, or print one", [], endpoints::show;
    "describe", "", "Print the package's options with their defaults", [], package::describe;
    "debug pod|pods pause", "POD", "Pause a pod, or some of its tasks", [TASKS], debug::pod_pause;
    "debug pod|pods resume", "POD", "Resume a paused pod, or some of its tasks", [TASKS], debug::pod_resume;
    "debug config|configs list", "", "List the ids of the stored configurations", [], debug::config_list;
    "debug config|configs show", "ID", "Print a configuration", [], debug::config_show;
    "debug config|configs target", "", "Print the target configuration", [], debug::config_target;
    "debug config|configs target_id", "", "Print the id of the target configuration", [], debug::config_target_id;
    "debug state framework_id", "", "Print the id of the Mesos framework", [], debug::state_framework_id;
    "debug state properties", "", "List the properties of the state store", [], debug::state_properties;
    "debug state property", "NAME", "Print a property", [], debug::state_property;
    "debug state refresh_cache", "", "Make the scheduler read the state store again", [], debug::state_refresh_cache;
};

/// Names that fit into the places of arguments.
pub(super) const KINDS: &[(&str, Offer)] =
    &[("PLAN", plans), ("PHASE", phases), ("STEP", steps), ("POD", pods)];

/// The service that is named by a flag, or by the program.
fn service<'t>(typed: &Typed<'t>) -> Option<&'t str> {
    typed.given.value("name").or(typed.service)
}

/// The plan that is named; `update` is about the deploy plan.
fn plan_of<'t>(typed: &'t Typed<'_>) -> &'t str {
    typed.argument("PLAN").unwrap_or("deploy")
}

fn plans(typed: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
    names(service(typed), Names::Plans)
}

fn phases(typed: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
    names(service(typed), Names::Phases(plan_of(typed)))
}

fn steps(typed: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
    let phase = typed.argument("PHASE").unwrap_or_default();
    names(service(typed), Names::Steps(plan_of(typed), phase))
}

fn pods(typed: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
    names(service(typed), Names::Pods)
}

fn tasks(typed: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
    names(service(typed), Names::Tasks(typed.argument("POD").unwrap_or_default()))
}
