//! The simulated plugins: their actions, arguments, effects and durations.
//!
//! *Knows*: a table. *Must not know*: instances, machines, time.
//!
//! **Source**: Skopos plugin reference and plugin operation details, Skopos Deployment Plan Reference (`image_check`,
//! `image_pull`, `lb-wait`). Simplified: all plugins that create instances have the same actions. Durations, `inst_stop`,
//! `inst_start`, `probe`, and the effects of operations on whole services are ours.

/// Kinds of action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Checks an image in the registry.
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
    /// Runs something in an instance.
    InInstance,
    /// Runs a probe container, beside an instance where one is named.
    Probe,
    /// Orders every instance of a service that is missing.
    DeployAll,
    /// The same, and takes away those that are too many.
    ScaleAll,
    /// Takes new instances of a service away and starts the old ones again.
    RollbackAll,
    /// Waits until all new instances of a service are up; the old ones are stopped then.
    AwaitAll,
    /// Takes all instances of a service away.
    DestroyAll,
    /// Passes a call on to another plugin.
    Pass,
    /// Does nothing that anybody sees.
    Nothing,
}

impl Op {
    /// Returns whether it works on an instance that a selector names.
    pub(crate) const fn needs_instance(self) -> bool {
        matches!(
            self,
            Self::Create
                | Self::Destroy
                | Self::Stop
                | Self::Start
                | Self::AwaitUp
                | Self::Attach
                | Self::Detach
                | Self::AwaitService
                | Self::Register
                | Self::Unregister
                | Self::AwaitJoin
                | Self::InInstance
        )
    }

    /// Returns whether it makes instances of the image that the model names.
    pub(crate) const fn creates(self) -> bool {
        matches!(self, Self::Create | Self::DeployAll | Self::ScaleAll)
    }

    /// Returns whether it works on all instances of the component.
    pub(crate) const fn needs_component(self) -> bool {
        matches!(
            self,
            Self::DeployAll | Self::ScaleAll | Self::RollbackAll | Self::AwaitAll | Self::DestroyAll
        )
    }
}

/// An action of a plugin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionSpec {
    pub(crate) name: &'static str,
    pub(crate) op: Op,
    /// Its usual duration, waits included. *Units*: milliseconds.
    pub(crate) ms: u64,
    /// Arguments that it cannot do without.
    pub(crate) required: &'static [&'static str],
    /// Arguments that it takes besides.
    pub(crate) optional: &'static [&'static str],
    /// Other names of arguments, each with its usual name.
    pub(crate) aliases: &'static [(&'static str, &'static str)],
    /// It takes any argument.
    pub(crate) open: bool,
}

const fn action(name: &'static str, op: Op, ms: u64) -> ActionSpec {
    ActionSpec { name, op, ms, required: &[], optional: &[], aliases: &[], open: false }
}

/// From running to ready. *Units*: milliseconds.
pub(crate) const WARM_UP_MS: u64 = 4_000;
/// From running to having joined the register. *Units*: milliseconds.
pub(crate) const JOIN_MS: u64 = 2_000;
/// Default timeout of actions that wait. *Units*: milliseconds.
pub(crate) const WAIT_MS: u64 = 60_000;
/// Default timeout of a command in an instance. *Units*: milliseconds.
///
/// *Units*: milliseconds. **Source**: plugin page `swarm-exec`. Match.
pub(crate) const EXEC_TIMEOUT_MS: u64 = 300_000;

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
    ActionSpec {
        required: &["component", "signal"],
        // As the vendor's sample application writes it (`opsani/skopos-sample-app: model-v1.yaml`).
        aliases: &[("target", "component")],
        ..action("comp_signal", Op::Signal, 1_000)
    },
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

/// On platforms that know services.
const SERVICE: [ActionSpec; 7] = [
    action("inst_describe_init", Op::Nothing, 1_000),
    action("inst_deploy_all_async", Op::DeployAll, 1_000),
    action("inst_scale_all_async", Op::ScaleAll, 1_000),
    action("inst_rollback_all_async", Op::RollbackAll, 1_000),
    ActionSpec { optional: &["wait"], ..action("inst_wait_all_updated", Op::AwaitAll, WARM_UP_MS) },
    action("inst_destroy_all", Op::DestroyAll, 2_000),
    ActionSpec { required: &["plugin", "action"], open: true, ..action("call_plugin", Op::Pass, 1_000) },
];

/// Any action of the plugin that runs probes.
const PROBE: ActionSpec = ActionSpec { required: &["image"], open: true, ..action("*", Op::Probe, 1_000) };

/// The plugin of the probe containers of models.
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

/// Returns the groups of actions of a plugin; `None` if it does not exist.
fn groups(plugin: &str) -> Option<&'static [&'static [ActionSpec]]> {
    Some(match plugin {
        "docker" => &[&IMAGE, &INSTANCE, &DOCKER, &DISCOVERY],
        "docker-swarm" => &[&IMAGE, &INSTANCE, &SERVICE, &DOCKER, &BALANCER, &DISCOVERY],
        "k8s" => &[&IMAGE, &INSTANCE, &SERVICE, &BALANCER, &DISCOVERY],
        "ec2-docker" => &[&IMAGE, &INSTANCE, &BALANCER],
        "ec2-asg" | "ec2-ecs" => &[&IMAGE, &INSTANCE, &SERVICE, &BALANCER],
        "elb" | "docker-elb" => &[&BALANCER],
        CONSUL => &[&DISCOVERY],
        "slack" => &[&SLACK],
        "swarm-exec" => &[&EXEC],
        PROBE_PLUGIN => &[],
        _ => return None,
    })
}

/// Returns whether a plugin comes with Skopos.
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
    /// Returns whether it takes an argument of this name.
    pub(crate) fn takes(&self, name: &str) -> bool {
        let own = self.canonical(name);
        self.open || own == "selector" || self.required.contains(&own) || self.optional.contains(&own)
    }

    /// Returns the argument of a name.
    pub(crate) fn canonical<'n>(&self, name: &'n str) -> &'n str {
        self.aliases.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, own)| own)
    }
}
