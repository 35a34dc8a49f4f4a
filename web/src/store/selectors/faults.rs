//! Faults that may be injected: those known to the visible systems, their possible targets, and their default target.
//!
//! *Knows*: tasks, pods, machines and services of the view. *Must not know*: the effect of a fault.

use super::status;
use super::tree;
use crate::systems;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{Fault, FaultKind, Target};
use planarium_protocol::view::{MachineView, ServiceView, StatusClass, TaskView};
use planarium_protocol::{Text, View};

/// Kinds of target of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strikes {
    /// One task.
    Task,
    /// All tasks of a pod, or of pods of a kind.
    Pod,
    /// A machine.
    Machine,
    /// A service's own program.
    Service,
    /// A call that a step makes.
    Step,
    /// Everything.
    All,
}

/// A failure as a system offers it.
#[derive(Debug, PartialEq)]
pub(crate) struct Offer {
    /// Its kind.
    pub(crate) kind: FaultKind,
    /// Its target.
    pub(crate) strikes: Strikes,
    /// It lasts until it is ended.
    pub(crate) lasts: bool,
    /// In few words.
    pub(crate) title: &'static str,
    /// In a sentence.
    pub(crate) text: &'static str,
}

/// An offer.
pub(crate) const fn offer(
    kind: FaultKind,
    strikes: Strikes,
    lasts: bool,
    title: &'static str,
    text: &'static str,
) -> Offer {
    Offer { kind, strikes, lasts, title, text }
}

/// Failures of machines and tasks under Mesos.
pub(crate) static MESOS: &[Offer] = &[
    offer(FaultKind::AgentLost, Strikes::Machine, true, "Lose a machine", "It goes with everything on it."),
    offer(FaultKind::TaskFail, Strikes::Task, false, "Fail a task", "It exits with code 1."),
    offer(FaultKind::TaskKill, Strikes::Task, false, "Kill a task", "Somebody kills it from outside."),
    offer(
        FaultKind::TaskOom,
        Strikes::Task,
        false,
        "Run a task out of memory",
        "It takes more than it was given.",
    ),
    offer(
        FaultKind::CrashLoop,
        Strikes::Pod,
        true,
        "Crash loop",
        "Every launch fails shortly after its start.",
    ),
    offer(
        FaultKind::ReadinessFail,
        Strikes::Pod,
        true,
        "Fail readiness checks",
        "Tasks run and never become ready.",
    ),
    offer(
        FaultKind::HealthFail,
        Strikes::Pod,
        true,
        "Fail health checks",
        "Tasks run and are found unhealthy.",
    ),
    offer(FaultKind::SlowStart, Strikes::Pod, true, "Slow start", "Starting takes much longer."),
    offer(
        FaultKind::AgentPartitioned,
        Strikes::Machine,
        true,
        "Cut a machine off",
        "It is silent both ways; its tasks run on.",
    ),
    offer(
        FaultKind::OffersWithheld,
        Strikes::All,
        true,
        "Withhold offers",
        "No offer reaches any scheduler.",
    ),
    offer(
        FaultKind::StatusDropped,
        Strikes::Pod,
        true,
        "Drop status updates",
        "What tasks report gets lost.",
    ),
    offer(
        FaultKind::SchedulerRestart,
        Strikes::Service,
        false,
        "Restart a scheduler",
        "It comes back with what it had stored.",
    ),
    offer(
        FaultKind::MasterFailover,
        Strikes::All,
        false,
        "Fail the master over",
        "Another master takes over and learns from agents and schedulers what there is.",
    ),
];

/// Failures of nodes and pods under Kubernetes.
pub(crate) static KUBERNETES: &[Offer] = &[
    offer(FaultKind::AgentLost, Strikes::Machine, true, "Lose a node", "It goes with every pod on it."),
    offer(FaultKind::TaskKill, Strikes::Task, false, "Kill a container", "Somebody kills it from outside."),
    offer(
        FaultKind::TaskOom,
        Strikes::Task,
        false,
        "Run a container out of memory",
        "It takes more than its limit.",
    ),
    offer(
        FaultKind::ImageMissing,
        Strikes::Pod,
        true,
        "Take an image away",
        "Pods that start now cannot pull it.",
    ),
    offer(
        FaultKind::CrashLoop,
        Strikes::Pod,
        true,
        "Crash loop",
        "Containers fail shortly after every start.",
    ),
    offer(
        FaultKind::ReadinessFail,
        Strikes::Pod,
        true,
        "Fail readiness probes",
        "Pods run and never become ready.",
    ),
    offer(
        FaultKind::HealthFail,
        Strikes::Pod,
        true,
        "Fail liveness probes",
        "Containers are restarted again and again.",
    ),
    offer(FaultKind::SlowStart, Strikes::Pod, true, "Slow start", "Starting takes much longer."),
    offer(
        FaultKind::AgentPartitioned,
        Strikes::Machine,
        true,
        "Cut a node off",
        "Nobody hears of it; its pods run on.",
    ),
    offer(
        FaultKind::SchedulerRestart,
        Strikes::Service,
        false,
        "Restart the controller",
        "It comes back and goes on from the objects of the cluster.",
    ),
];

/// Returns the faults known to the visible systems, each kind once in the words of the first system that has it.
pub(crate) fn offers(view: &View) -> Vec<&'static Offer> {
    let mut all: Vec<&'static Offer> = Vec::new();
    let own = view.services.iter().filter_map(|service| systems::desk(&service.dialect));
    for offer in own.flat_map(|desk| desk.faults) {
        if all.iter().all(|known| known.kind != offer.kind) {
            all.push(offer);
        }
    }
    if view.services.is_empty() { MESOS.iter().collect() } else { all }
}

/// Possible targets by name.
pub(crate) fn targets(view: &View, strikes: Strikes) -> Vec<String> {
    let mut names: Vec<String> = match strikes {
        Strikes::Task => tasks(view).map(|(_, task)| task.name.to_string()).collect(),
        Strikes::Machine => view.cluster.machines.iter().map(|m| m.hostname.to_string()).collect(),
        Strikes::Service => view.services.iter().map(|service| service.name.to_string()).collect(),
        Strikes::Step => view
            .services
            .iter()
            .filter_map(|service| Some((systems::desk(&service.dialect)?, service)))
            .flat_map(|(desk, service)| (desk.calls)(service))
            .collect(),
        Strikes::Pod => {
            let of_steps =
                tree::steps(view).filter_map(|(_, step)| step.pod.as_ref().map(ToString::to_string));
            let of_pods = view.services.iter().flat_map(|s| &s.pods).map(|pod| pod.name.to_string());
            let mut pods: Vec<String> = of_steps.chain(of_pods).collect();
            let kinds: Vec<String> = pods.iter().filter_map(|pod| kind_of(pod)).collect();
            pods.extend(kinds);
            pods
        }
        Strikes::All => Vec::new(),
    };
    if strikes != Strikes::Step {
        planarium_kernel::sorted::sort(&mut names);
    }
    names.dedup();
    names
}

/// The name for all pods of a kind: `hello` of `hello-0`; of an instance of Marathon the id of its app.
fn kind_of(pod: &str) -> Option<String> {
    match pod.split_once(".instance-") {
        // No id contains an underline, which stands for a slash in the name.
        Some((app, _)) => Some(format!("/{}", app.replace('_', "/"))),
        None => pod.rsplit_once('-').map(|(kind, _)| kind.to_owned()),
    }
}

/// Every task with its machine.
pub(crate) fn tasks(view: &View) -> impl Iterator<Item = (&MachineView, &TaskView)> {
    view.cluster.machines.iter().flat_map(|machine| machine.tasks.iter().map(move |task| (&**machine, task)))
}

/// The elements that a default target should be near to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Near<'n> {
    /// The selected element.
    pub(crate) selected: Option<&'n ElementPath>,
    /// The selected task.
    pub(crate) task: Option<&'n str>,
    /// The service in view.
    pub(crate) service: Option<&'n ServiceView>,
}

/// Returns the service in view: the selected one, otherwise that of the definition in the editor, otherwise one with a plan under way.
pub(crate) fn in_view<'v>(
    view: &'v View,
    selected: Option<&ElementPath>,
    definition: &str,
) -> Option<&'v ServiceView> {
    let all = || view.services.iter().map(|service| &**service);
    let is_own = |service: &&ServiceView| {
        *service.name == *definition || service.definitions.iter().any(|name| **name == *definition)
    };
    let selected = selected.and_then(|path| all().find(|service| service.holds(path)));
    selected.or_else(|| all().find(is_own)).or_else(|| all().find(|service| is_under_way(service)))
}

fn is_under_way(service: &ServiceView) -> bool {
    service.plans.iter().any(|plan| is_open(service.class(&plan.status)))
}

/// Returns whether somebody works on an element of this class.
fn is_open(class: StatusClass) -> bool {
    !matches!(
        class,
        StatusClass::Done
            | StatusClass::Running
            | StatusClass::Unused
            | StatusClass::Stopped
            | StatusClass::Pending
    )
}

/// Names of the tasks and pods of a service's steps that are under way.
fn under_way(service: &ServiceView) -> Vec<&str> {
    let plans = service.plans.iter().filter(|plan| is_open(service.class(&plan.status)));
    let steps = plans.flat_map(|plan| &plan.phases).flat_map(|phase| &phase.steps);
    let open = steps.filter(|step| is_open(service.class(&step.status)));
    open.flat_map(|step| step.tasks.iter().chain(step.pod.as_ref())).map(|name| &**name).collect()
}

/// Returns the default target: the selected one, otherwise something that runs, otherwise the first. What runs of the service in view
/// comes before what runs of others; in it, the tasks of steps under way come first. Where no step under way names a task that runs
/// (KUDO's name objects), the task that started last does.
pub(crate) fn preferred(view: &View, strikes: Strikes, targets: &[String], near: Near<'_>) -> Option<String> {
    let step = near.selected.and_then(|path| tree::find_step(view, path));
    let of_step = step
        .into_iter()
        .flat_map(|step| step.tasks.iter().chain(step.pod.as_ref()).chain([step.key()]))
        .map(|name| &**name);
    let wanted: Vec<&str> = near.task.into_iter().chain(of_step).collect();
    let chosen = targets.iter().find(|name| wanted.contains(&name.as_str()));
    let running: Vec<_> =
        tasks(view).filter(|(_, task)| status::class_of("", &task.state) == StatusClass::Running).collect();
    let is_own = |task: &TaskView| near.service.is_some_and(|service| service.name == task.service);
    let open = near.service.map(under_way).unwrap_or_default();
    let is_open = |task: &TaskView| open.contains(&&*task.name) || open.contains(&&*task.pod);
    let by_age = near.service.is_some_and(is_under_way)
        && !running.iter().any(|(_, task)| is_own(task) && is_open(task));
    let rank = |task: &TaskView| {
        let own = is_own(task);
        (own, own && is_open(task), if own && by_age { task.since_ms } else { 0 })
    };
    let best = |is: &dyn Fn(&TaskView, &str) -> bool| {
        let rank_of =
            |name: &str| running.iter().filter(|(_, task)| is(task, name)).map(|(_, task)| rank(task)).max();
        let most = targets.iter().filter_map(|name| rank_of(name)).max()?;
        targets.iter().find(|name| rank_of(name) == Some(most))
    };
    let alive = || match strikes {
        Strikes::Machine => {
            let load = |name: &String| {
                let here = running.iter().filter(|(machine, _)| *machine.hostname == **name);
                (here.clone().filter(|(_, task)| is_own(task)).count(), here.count())
            };
            let most = targets.iter().map(load).max().filter(|(_, all)| *all > 0)?;
            targets.iter().find(|name| load(name) == most)
        }
        Strikes::Task => best(&|task, name| *task.name == *name),
        Strikes::Pod => best(&|task, name| *task.pod == *name),
        Strikes::Service => targets.iter().find(|name| near.service.is_some_and(|own| *own.name == ***name)),
        Strikes::Step => {
            let own = near.service.and_then(|own| Some((systems::desk(&own.dialect)?.calls)(own)))?;
            targets.iter().find(|name| own.contains(name))
        }
        Strikes::All => None,
    };
    chosen.or_else(alive).or(targets.first()).cloned()
}

/// The first failure that a visitor may dare: a machine is lost.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dare {
    /// Nothing runs yet.
    Later,
    /// The machine with most on it, and the failure.
    Now(String, Box<Fault>),
    /// A machine that is lost, who notices that, and when. *Units*: milliseconds.
    Lost(Text, Text, u64),
}

/// Returns the state of the first dare; `None` once its failure was noticed, and while something else fails.
pub(crate) fn dare(view: &View) -> Option<Dare> {
    let silent = view.cluster.machines.iter().find_map(|machine| {
        let first = machine.notices.iter().min_by_key(|notice| notice.at_ms)?;
        Some(Dare::Lost(machine.hostname.clone(), first.by.clone(), first.at_ms))
    });
    if silent.is_some() || !view.faults.is_empty() {
        return silent;
    }
    let lose = MESOS.iter().find(|offer| offer.kind == FaultKind::AgentLost)?;
    if !tasks(view).any(|(_, task)| status::class_of("", &task.state) == StatusClass::Running) {
        return Some(Dare::Later);
    }
    let machine = preferred(view, lose.strikes, &targets(view, lose.strikes), Near::default())?;
    let fault = fault(lose, &machine, None);
    Some(Dare::Now(machine, Box::new(fault)))
}

/// The fault of an offer at a target.
pub(crate) fn fault(offer: &Offer, target: &str, for_ms: Option<u64>) -> Fault {
    let named = Some(target.to_owned());
    let target = match offer.strikes {
        Strikes::Task => Target { task: named, ..Target::default() },
        Strikes::Pod => Target { pod: named, ..Target::default() },
        Strikes::Machine => Target { agent: named, ..Target::default() },
        Strikes::Service => Target { service: named, ..Target::default() },
        Strikes::Step => Target { step: named, ..Target::default() },
        Strikes::All => Target::default(),
    };
    Fault {
        fault: offer.kind,
        id: None,
        target,
        for_ms: for_ms.filter(|_| offer.lasts),
        count: None,
        probability: None,
        exit_code: None,
        message: None,
        delay_ms: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_the_journal_word_and_the_target_is_of_the_right_kind() {
        for offer in MESOS.iter().chain(KUBERNETES) {
            let fault = fault(offer, "x", Some(1500));
            let word = serde_json::to_value(fault.fault).expect("a word");
            assert_eq!(word, offer.kind.as_str());
            assert_eq!(fault.for_ms, offer.lasts.then_some(1500), "{}", offer.title);
            assert_eq!(
                fault.target.parts().count(),
                usize::from(offer.strikes != Strikes::All),
                "{}",
                offer.title
            );
        }
    }

    #[test]
    fn pods_of_a_kind_are_named_as_their_system_names_them() {
        for (pod, kind) in [
            ("hello-0", Some("hello")),
            ("web.instance-b0958000-6961-11e5-ba0a-0242", Some("/web")),
            ("shop_db.instance-b0958000-6961", Some("/shop/db")),
            ("alone", None),
        ] {
            assert_eq!(kind_of(pod).as_deref(), kind, "{pod}");
        }
    }

    #[test]
    fn no_system_offers_the_failures_of_a_layer_it_does_not_use() {
        for dialect in planarium_world::dialects() {
            let on_mesos = dialect.needs.contains(&"mesos");
            let desk = systems::desk(dialect.word).expect("a desk");
            let has = |kind| desk.faults.iter().any(|offer| offer.kind == kind);
            assert!(has(FaultKind::AgentLost), "{}: machines are everywhere", dialect.title);
            for kind in [FaultKind::OffersWithheld, FaultKind::MasterFailover] {
                assert_eq!(has(kind), on_mesos, "{}: {}", dialect.title, kind.as_str());
            }
        }
    }
}
