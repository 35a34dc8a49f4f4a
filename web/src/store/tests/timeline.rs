//! The timeline: runs that branches parted from, branches that were undone, causes from lane to lane, losses.

use super::{begun, interrupt, page, play_to_rest};
use crate::store::Hub;
use crate::store::action::Action;
use crate::store::effects;
use crate::store::ghost::Ghost;
use crate::store::selectors::arrows::arrows;
use crate::store::selectors::{log, tree};
use planarium_messages::questions::Begin;
use planarium_protocol::{Event, EventBody};

/// A branch of the first example in which the deployment is interrupted early, and the end of the run that it parted from.
fn branched() -> (Hub, u64) {
    let hub = page("", Some("hello-world"));
    play_to_rest(&hub);
    let end_ms = hub.state().world.clock.head_ms;
    hub.send(Action::SeekMs(20_000));
    hub.send(interrupt(&hub));
    (hub, end_ms)
}

fn switch(hub: &Hub, to: impl Fn(&str) -> bool) {
    let branches = hub.state().world.branches.clone();
    let id = branches.iter().find(|branch| to(&branch.name)).expect("the branch").id;
    hub.send(Action::Branch(id));
}

#[test]
fn a_branch_has_the_run_before_it_behind_its_lanes() {
    let hub = page("", Some("hello-world"));
    play_to_rest(&hub);
    let main = hub.state().world.gantt.clone();
    let (hub, end_ms) = branched();
    let ghost = hub.state().world.ghost.clone().expect("the run before");
    assert_eq!((ghost.from_ms, ghost.to_ms), (20_000, end_ms));
    let view = hub.state().world.view.clone();
    let mut drawn = 0;
    for (path, _) in tree::steps(&view) {
        let Some(own) = main.lane(&path) else { continue };
        // What both share is drawn once.
        let after = own.segments(end_ms).into_iter().filter(|it| it.to_ms > 20_000);
        let after: Vec<_> = after.map(|it| (it.from_ms.max(20_000), it.to_ms, it.status)).collect();
        let behind = ghost.lane(&path).expect("a lane behind").iter();
        let behind: Vec<_> = behind.map(|it| (it.from_ms, it.to_ms, it.status.clone())).collect();
        assert_eq!(behind, after, "{path:?}");
        drawn += 1;
    }
    assert!(drawn > 2, "{drawn} lanes");
    // The original has nothing behind it; a branch that is entered again has its original.
    switch(&hub, |name| name == "main");
    assert!(hub.state().world.ghost.is_none());
    switch(&hub, |name| name != "main");
    let again = hub.state().world.ghost.clone().expect("the run before");
    let facts = |ghost: &Ghost| (ghost.from_ms, ghost.to_ms, ghost.lanes.len());
    assert_eq!(facts(&again), facts(&ghost));
    // Another world has no original.
    hub.send(Action::OpenExample("lost-machine".into()));
    assert!(hub.state().world.ghost.is_none());
}

#[test]
fn a_reloaded_page_has_the_run_before_its_branch() {
    let (hub, end_ms) = branched();
    hub.send(Action::Leave);
    let tab = Some(hub.kept_tab());
    let there = begun(Begin { tab, ..effects::begin("", None) }).state();
    let ghost = there.world.ghost.clone().expect("the run before");
    assert_eq!((ghost.from_ms, ghost.to_ms), (20_000, end_ms));
    let before = hub.state().world.ghost.clone().expect("as it was");
    let lanes = |ghost: &Ghost| {
        ghost.lanes.iter().map(|(path, all)| (path.clone(), all.to_vec())).collect::<Vec<_>>()
    };
    assert_eq!(lanes(&ghost), lanes(&before));
}

#[test]
fn undone_inputs_are_not_behind_the_lanes() {
    let (hub, _) = branched();
    hub.send(Action::Undo);
    assert!(hub.state().world.ghost.is_none());
    hub.send(Action::Redo);
    assert!(hub.state().world.ghost.is_some());
}

#[test]
fn causes_lead_from_lane_to_lane() {
    for example in ["hello-world", "lost-machine"] {
        let hub = page("", Some(example));
        play_to_rest(&hub);
        let state = hub.state();
        let (view, events) = (&state.world.view, &state.world.log);
        let steps: Vec<_> = tree::steps(view).map(|(path, _)| path).collect();
        let lanes: Vec<_> = steps.iter().map(Some).collect();
        let of = |seq| arrows(&log::chain(events, seq), &lanes, |task| tree::step_of_task(view, task));
        let all: Vec<_> = events.from(0).flat_map(|event| of(event.seq)).collect();
        assert!(!all.is_empty(), "{example}");
        for arrow in all {
            assert!(arrow.from.1 <= arrow.to.1 && arrow.from.0 != arrow.to.0, "{example}: {arrow:?}");
        }
    }
}

#[test]
fn the_loss_of_a_task_is_shown_in_the_lane_of_its_step_at_its_instant() {
    let hub = page("", Some("lost-machine"));
    play_to_rest(&hub);
    let state = hub.state();
    let is_loss =
        |event: &&Event| matches!(&event.body, EventBody::MachineLost { how, .. } if &**how == "lost");
    let at_ms = state.world.log.from(0).find(is_loss).expect("a machine is lost").at_ms;
    let losses = state.world.gantt.machines.losses();
    let lost: Vec<_> = losses.iter().filter(|(_, at)| *at == at_ms).map(|(task, _)| task.clone()).collect();
    assert!(!lost.is_empty(), "{losses:?} at {at_ms}");
    let of = |task| tree::steps(&state.world.view).any(|(_, step)| step.tasks.contains(task));
    assert!(lost.iter().all(of), "{lost:?}");
}
