//! The summary of an ended run, and suggestions to try next.
//!
//! *Knows*: lanes, tasks and machines of the run. *Must not know*: any system's words.

use super::statuses::class_of;
use planarium_kernel::SortedSet;
use planarium_messages::facts::{Dare, Finish};
use planarium_messages::gantt::Gantt;
use planarium_messages::paths;
use planarium_messages::tally::Tally;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{Fault, FaultKind, Target};
use planarium_protocol::view::{ServiceView, StatusClass};
use planarium_protocol::{Text, View};

/// Returns the summary of a run of so many inputs whose main plan is complete; `None` if something has broken since.
pub(crate) fn finish(view: &View, inputs: u64, tally: &Tally, gantt: &Gantt) -> Option<Finish> {
    let plan = paths::first_plan(view)?;
    let tally = tally.of(Some(&plan));
    let (began_ms, done_ms) = (tally.began_ms, tally.done_ms?);
    if is_broken(view, &tally, done_ms) {
        return None;
    }
    let running = running(view);
    let unit = unit(view);
    // What came and went above what runs at the end was never wanted for long: a surge, a task that runs once.
    let most = tally.running.iter().map(|(_, count)| *count).max().unwrap_or_default();
    let wanted = if running == 0 { most } else { running };
    let end_ms = done_ms.max(tally.running.last().map_or(0, |last| last.0));
    // Where nothing runs in the end, all of it was to end.
    let (short, short_ms) =
        if running == 0 { (0, 0) } else { missing(&tally.lasting, wanted, began_ms, end_ms) };
    let (mut sums, mut worst_ms) = ([0_u64; WAITS.len()], began_ms);
    let main: SortedSet<ElementPath> =
        view.services.iter().filter_map(|service| main_path(service)).collect();
    let of_main =
        |path: &ElementPath| main.contains(&ElementPath { phase: None, step: None, ..path.clone() });
    for lane in gantt.lanes().filter(|lane| of_main(&lane.path)) {
        for part in lane.segments(done_ms) {
            let (from_ms, to_ms) = (part.from_ms.max(began_ms), part.to_ms.min(done_ms));
            if from_ms >= to_ms {
                continue;
            }
            let class = class_of(&lane.path.dialect, &part.status);
            let found = WAITS.iter().position(|(classes, _)| classes.contains(&class));
            if let Some(sum) = found.and_then(|at| sums.get_mut(at)) {
                *sum += to_ms - from_ms;
            }
            // The worst moment for a failure: while the last step is starting.
            if WAITS.get(1).is_some_and(|(classes, _)| classes.contains(&class)) {
                worst_ms = worst_ms.max(from_ms.midpoint(to_ms));
            }
        }
    }
    let all = sums.iter().sum::<u64>().max(1);
    let mut waits: Vec<_> = WAITS
        .iter()
        .zip(sums)
        .map(|((_, what), ms)| (Text::from(what.replace("tasks", &format!("{unit}s"))), ms, ms * 100 / all))
        .filter(|wait| wait.1 > 0)
        .collect();
    planarium_kernel::sorted::sort_by_key(&mut waits, |wait| std::cmp::Reverse(wait.1));
    Some(Finish {
        inputs,
        failed: tally.failed,
        total_ms: done_ms.saturating_sub(began_ms),
        forced: is_forced(view),
        unit: unit.into(),
        running,
        peak: wanted,
        short,
        short_ms,
        waits,
        dares: dares(view, worst_ms, began_ms, done_ms),
    })
}

/// The most that were missing at once of those wanted, and for how long some were, once that many had run together.
/// *Units*: pieces; milliseconds of one piece.
fn missing(running: &[(u64, u32)], wanted: u32, began_ms: u64, end_ms: u64) -> (u32, u64) {
    let (mut together, mut most, mut sum_ms) = (0, 0, 0);
    let ends = running.iter().skip(1).map(|next| next.0).chain([end_ms]);
    for ((from_ms, count), to_ms) in running.iter().zip(ends) {
        together = together.max(wanted.min(*count));
        let (from_ms, to_ms) = (from_ms.max(&began_ms), to_ms.min(end_ms));
        if *from_ms < to_ms {
            let lacks = together.saturating_sub(*count);
            most = most.max(lacks);
            sum_ms += u64::from(lacks) * (to_ms - from_ms);
        }
    }
    (most, sum_ms)
}

/// The main plan of a service.
fn main_path(service: &ServiceView) -> Option<ElementPath> {
    service.plans.get(paths::main_plan(service)).map(|plan| paths::plan_path(service, plan))
}

/// The word for what runs: pods where all services run on Kubernetes, containers where they start those themselves.
fn unit(view: &View) -> &'static str {
    let dialects = planarium_world::dialects();
    let needs = |service: &std::sync::Arc<ServiceView>| {
        dialects.iter().find(|known| *known.word == *service.dialect).map(|known| known.needs)
    };
    let all = |wanted: &dyn Fn(&[&str]) -> bool| {
        !view.services.is_empty() && view.services.iter().all(|service| needs(service).is_some_and(wanted))
    };
    match () {
        () if all(&|needs| needs.contains(&"kube")) => "pod",
        () if all(&|needs| needs.is_empty()) => "container",
        () => "task",
    }
}

/// Number of running tasks, pods and containers; a pod with several containers counts once.
fn running(view: &View) -> u32 {
    let tasks = view.cluster.machines.iter().flat_map(|machine| &machine.tasks);
    let up = tasks.filter(|task| class_of("", &task.state) == StatusClass::Running);
    let count = if unit(view) == "pod" {
        up.map(|task| (&task.service, &task.pod)).collect::<SortedSet<_>>().len()
    } else {
        up.count()
    };
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns whether all steps of the services' main plans were marked complete by hand.
fn is_forced(view: &View) -> bool {
    let plans = view.services.iter().filter_map(|service| service.plans.get(paths::main_plan(service)));
    let mut steps = plans.flat_map(|plan| &plan.phases).flat_map(|phase| &phase.steps).peekable();
    steps.peek().is_some() && steps.all(|step| step.forced)
}

/// Returns whether a task that ran when the plan was complete has ended or waits.
fn is_broken(view: &View, tally: &Tally, done_ms: u64) -> bool {
    let mut waiting = false;
    let mut failed = false;
    let own_containers = unit(view) == "container";
    let up = || {
        let tasks = view.cluster.machines.iter().flat_map(|machine| &machine.tasks);
        tasks.filter(|task| class_of("", &task.state) == StatusClass::Running)
    };
    for service in &view.services {
        let tasks = service.pods.iter().flat_map(|pod| &pod.tasks);
        for (task, status) in tasks.filter_map(|task| Some((task, task.status.as_ref()?))) {
            let class = class_of(&service.dialect, status);
            // A container's status may be that of its step; only the machine knows whether it runs.
            let runs = own_containers && up().any(|up| up.name == task.name);
            waiting |= !runs && (class.is_active() || class == StatusClass::Pending);
            failed |= class == StatusClass::Failed;
        }
    }
    let now = tally.running.last().map_or(0, |last| last.1);
    waiting || failed && now < tally.running_at(done_ms)
}

/// Waits of steps, by the class of their status.
const WAITS: [(&[StatusClass], &str); 6] = [
    (&[StatusClass::Pending], "for their turn"),
    (&[StatusClass::Starting, StatusClass::Working, StatusClass::Started], "for tasks to start and be ready"),
    (&[StatusClass::Held], "for somebody to say go on"),
    (&[StatusClass::Delayed, StatusClass::Failed], "after failures"),
    (&[StatusClass::Stopping], "for tasks to stop"),
    (&[StatusClass::Preparing], "for room on a machine"),
];

/// Returns failures worth trying in a world.
pub(crate) fn dares(view: &View, worst_ms: u64, began_ms: u64, done_ms: u64) -> Vec<Dare> {
    let busiest = view.cluster.machines.iter().max_by_key(|machine| machine.tasks.len());
    let Some((machine, task)) = busiest.and_then(|machine| Some((machine, machine.tasks.first()?))) else {
        return Vec::new();
    };
    let host = || Target { agent: Some(machine.hostname.to_string()), ..Target::default() };
    let of_task = Target { task: Some(task.name.to_string()), ..Target::default() };
    let unit = unit(view);
    let fault = |fault, target, for_ms| Fault {
        fault,
        id: None,
        target,
        for_ms,
        count: None,
        probability: None,
        exit_code: None,
        message: None,
        delay_ms: None,
    };
    let dare =
        |title: String, text: String, at_ms, fault| Dare { title: Text::from(title), text, at_ms, fault };
    vec![
        dare(
            "Lose a machine at the worst moment".to_owned(),
            format!("{} goes with everything on it, while the last step is being started.", machine.hostname),
            worst_ms,
            fault(FaultKind::AgentLost, host(), None),
        ),
        dare(
            format!("Let a {unit} crash for a minute"),
            format!("{} crashes whenever it starts, from the beginning on.", task.name),
            began_ms,
            fault(FaultKind::CrashLoop, of_task, Some(60_000)),
        ),
        dare(
            "Cut a machine off halfway".to_owned(),
            format!("Nobody hears of {} for two minutes; its {unit}s go on.", machine.hostname),
            began_ms.midpoint(done_ms),
            fault(FaultKind::AgentPartitioned, host(), Some(120_000)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn a_surge_is_not_missing_when_it_goes() {
        let surge = [(1_000, 1), (2_000, 3), (10_000, 4), (12_000, 3), (14_000, 4), (16_000, 3)];
        assert_eq!(missing(&surge, 3, 0, 20_000), (0, 0));
        // The same samples, where four are what was wanted.
        assert_eq!(missing(&surge, 4, 0, 20_000), (1, 6_000));
    }

    #[test]
    fn losses_count_within_the_run_that_is_summed_up() {
        let lost = [(0, 3), (5_000, 1), (8_000, 3), (20_000, 2), (21_000, 3)];
        assert_eq!(missing(&lost, 3, 0, 30_000), (2, 7_000));
        assert_eq!(missing(&lost, 3, 10_000, 30_000), (1, 1_000));
        assert_eq!(missing(&lost, 3, 30_000, 30_000), (0, 0));
        assert_eq!(missing(&[], 0, 0, 10), (0, 0));
    }
}
