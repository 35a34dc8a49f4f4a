//! The simulated plugins: which there are, what their actions take, what they do and how long that takes.
//!
//! *Knows*: a table. *Must not know*: instances, machines, time.
//!
//! **Source**: Skopos plugin reference and plugin operation details, Skopos Deployment Plan Reference (`image_check`,
//! `image_pull`, `lb-wait`). Simplified: all plugins that create instances have the same actions; operations on all
//! instances of a service at once are not simulated. Durations, `inst_stop`, `inst_start` and `probe` are ours.

/// What an action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Looks an image up in the registry.
    ImageCheck,
    /// Fetches an image.
    ImagePull,
    /// Makes an instance in the new slot.
    Create,
    /// Takes an instance away.
    Destroy,
    /// Stops an instance.
    Stop,
    /// Starts an instance that was stopped.
    Start,
    /// Waits until an instance runs and is ready.
    AwaitUp,
    /// Puts an instance behind a balancer.
    Attach,
    /// Takes an instance from behind a balancer.
    Detach,
    /// Waits until an instance is in service behind a balancer.
    AwaitService,
    /// Registers an instance.
    Register,
    /// Takes an instance out of the register.
    Unregister,
    /// Waits until an instance has joined.
    AwaitJoin,
    /// Sends a signal to the instances of a component.
    Signal,
    /// Leaves a message.
    Notify,
    /// Runs something in or beside an instance.
    InInstance,
    /// Does nothing that anybody sees.
    Nothing,
}

impl Op {
    /// Whether it works on an instance that a selector names.
    pub(crate) const fn needs_instance(self) -> bool {
        !matches!(self, Self::ImageCheck | Self::ImagePull | Self::Signal | Self::Notify | Self::Nothing)
    }
}

/// An action of a plugin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionSpec {
    pub(crate) name: &'static str,
    pub(crate) op: Op,
    /// How long it takes; for those that wait, until what they wait for is usually there. *Units*: milliseconds.
    pub(crate) ms: u64,
    /// Arguments that it cannot do without.
    pub(crate) required: &'static [&'static str],
    /// Arguments that it takes besides.
    pub(crate) optional: &'static [&'static str],
    /// It takes any argument.
    pub(crate) open: bool,
}

const fn action(name: &'static str, op: Op, ms: u64) -> ActionSpec {
    ActionSpec { name, op, ms, required: &[], optional: &[], open: false }
}

/// From running to ready. *Units*: milliseconds.
pub(crate) const WARM_UP_MS: u64 = 4_000;
/// From running to having joined the register. *Units*: milliseconds.
pub(crate) const JOIN_MS: u64 = 2_000;
/// How long actions wait that are not told. *Units*: milliseconds.
pub(crate) const WAIT_MS: u64 = 60_000;

const IMAGE: [ActionSpec; 2] = [
    ActionSpec { required: &["arg"], ..action("image_check", Op::ImageCheck, 1_000) },
    ActionSpec { required: &["arg"], ..action("image_pull", Op::ImagePull, 5_000) },
];

const INSTANCE: [ActionSpec; 5] = [
    action("inst_create", Op::Create, 3_000),
    action("inst_destroy", Op::Destroy, 2_000),
    action("inst_stop", Op::Stop, 1_000),
    action("inst_start", Op::Start, 1_000),
    ActionSpec { optional: &["wait"], ..action("inst_wait", Op::AwaitUp, WARM_UP_MS) },
];

const DOCKER: [ActionSpec; 2] = [
    ActionSpec { optional: &["name"], ..action("network_create", Op::Nothing, 1_000) },
    ActionSpec { required: &["component", "signal"], ..action("comp_signal", Op::Signal, 1_000) },
];

const BALANCER: [ActionSpec; 4] = [
    ActionSpec { required: &["name"], ..action("lb_attach", Op::Attach, 1_000) },
    ActionSpec { required: &["name"], ..action("lb_detach", Op::Detach, 1_000) },
    ActionSpec {
        required: &["name"],
        optional: &["wait"],
        ..action("lb_wait", Op::AwaitService, WARM_UP_MS)
    },
    ActionSpec {
        required: &["name"],
        optional: &["wait"],
        ..action("lb-wait", Op::AwaitService, WARM_UP_MS)
    },
];

const DISCOVERY: [ActionSpec; 3] = [
    action("sd_attach", Op::Register, 1_000),
    action("sd_detach", Op::Unregister, 1_000),
    ActionSpec { optional: &["wait"], ..action("sd_wait_join", Op::AwaitJoin, JOIN_MS) },
];

const SLACK: [ActionSpec; 1] = [ActionSpec {
    required: &["text"],
    optional: &["fail_on_error", "channel"],
    ..action("notify", Op::Notify, 1_000)
}];

const EXEC: [ActionSpec; 1] = [ActionSpec {
    required: &["command"],
    optional: &["timeout"],
    ..action("inst_exec", Op::InInstance, 1_000)
}];

/// Any action of the plugin that runs probes.
const PROBE: ActionSpec =
    ActionSpec { required: &["image"], open: true, ..action("*", Op::InInstance, 1_000) };

/// The plugin that stands for the probe containers of models.
pub(crate) const PROBE_PLUGIN: &str = "probe";

/// The plugin whose register takes only instances that have joined.
pub(crate) const CONSUL: &str = "consul";

/// The plugins that come with Skopos.
pub(crate) const PLUGINS: [&str; 11] = [
    "docker",
    "docker-swarm",
    "k8s",
    "ec2-asg",
    "ec2-ecs",
    "ec2-docker",
    "elb",
    "docker-elb",
    CONSUL,
    "slack",
    "swarm-exec",
];

/// Actions of the real plugins that work on all instances of a service at once.
pub(crate) const NOT_SIMULATED: [&str; 7] = [
    "inst_describe_init",
    "inst_deploy_all_async",
    "inst_scale_all_async",
    "inst_rollback_all_async",
    "inst_wait_all_updated",
    "inst_destroy_all",
    "call_plugin",
];

/// The groups of actions that a plugin has; none when there is no such plugin.
fn groups(plugin: &str) -> Option<&'static [&'static [ActionSpec]]> {
    Some(match plugin {
        "docker" => &[&IMAGE, &INSTANCE, &DOCKER, &DISCOVERY],
        "docker-swarm" => &[&IMAGE, &INSTANCE, &DOCKER, &BALANCER, &DISCOVERY],
        "k8s" => &[&IMAGE, &INSTANCE, &BALANCER, &DISCOVERY],
        "ec2-docker" | "ec2-asg" | "ec2-ecs" => &[&IMAGE, &INSTANCE, &BALANCER],
        "elb" | "docker-elb" => &[&BALANCER],
        CONSUL => &[&DISCOVERY],
        "slack" => &[&SLACK],
        "swarm-exec" => &[&EXEC],
        PROBE_PLUGIN => &[],
        _ => return None,
    })
}

/// Whether a plugin comes with Skopos.
pub(crate) fn exists(plugin: &str) -> bool {
    groups(plugin).is_some()
}

/// An action of a plugin that comes with Skopos.
pub(crate) fn find(plugin: &str, action: &str) -> Option<ActionSpec> {
    if plugin == PROBE_PLUGIN {
        return Some(PROBE);
    }
    groups(plugin)?.iter().flat_map(|group| group.iter()).find(|spec| spec.name == action).copied()
}

/// The names of a plugin's actions.
pub(crate) fn actions(plugin: &str) -> Vec<&'static str> {
    groups(plugin).unwrap_or_default().iter().flat_map(|group| group.iter()).map(|spec| spec.name).collect()
}

impl ActionSpec {
    /// Whether it takes an argument of this name.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.open || name == "selector" || self.required.contains(&name) || self.optional.contains(&name)
    }
}
