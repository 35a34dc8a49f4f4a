//! What the page shows belongs to the branch and the instant that are shown.

use super::tests::{TYPED, interrupt, page, play_to_rest, toasts};
use crate::store::action::{Action, Toward};
use crate::store::hub::Hub;
use crate::store::moment::{Standing, standing};
use crate::store::state::Dialog;
use planarium_protocol::Input;
use planarium_protocol::input::Maintenance;

fn check(hub: &Hub, count: u32, want: Standing) {
    let draft = hub.state().draft.clone();
    assert!(draft.text().contains(&format!("count: {count}")), "{count} is not in\n{}", draft.text());
    assert_eq!(standing(&draft), want);
}

/// A run in which a count of two was followed by one of three; the instant of the update.
fn updated() -> (Hub, u64) {
    let hub = page("", None);
    hub.send(Action::OpenText(TYPED.into()));
    play_to_rest(&hub);
    hub.send(Action::Edit("svc.yml".into(), TYPED.replace("count: 2", "count: 3")));
    hub.send(Action::Check);
    check(&hub, 3, Standing::Draft);
    let at = hub.state().world.clock.now_ms;
    hub.send(Action::RollOut);
    check(&hub, 3, Standing::Runs);
    play_to_rest(&hub);
    (hub, at)
}

#[test]
fn the_editor_holds_what_runs_at_the_moment_shown() {
    let (hub, at) = updated();
    hub.send(Action::SeekMs(at - 1));
    hub.send(Action::Check);
    check(&hub, 2, Standing::RunsBesideDraft);
    hub.send(Action::SeekTenth(10));
    check(&hub, 3, Standing::Runs);
    hub.send(Action::SeekMs(at - 1));
    hub.send(interrupt(&hub));
    assert_eq!(hub.state().world.branches.len(), 2);
    check(&hub, 2, Standing::RunsBesideDraft);
    hub.send(Action::ShowDraft);
    check(&hub, 3, Standing::Draft);
    hub.send(Action::ShowRunning);
    check(&hub, 2, Standing::RunsBesideDraft);
    hub.send(Action::ShowDraft);
    hub.send(Action::RollOut);
    check(&hub, 3, Standing::Runs);
}

#[test]
fn a_draft_stays_a_draft_wherever_the_cursor_goes() {
    let (hub, at) = updated();
    hub.send(Action::Edit("svc.yml".into(), TYPED.replace("count: 2", "count: 7")));
    for to in [Action::SeekMs(at - 1), Action::SeekMs(0), Action::SeekTenth(10)] {
        hub.send(to);
        hub.send(Action::Check);
        check(&hub, 7, Standing::Draft);
    }
    hub.send(Action::ShowRunning);
    check(&hub, 3, Standing::RunsBesideDraft);
    hub.send(Action::SeekMs(0));
    check(&hub, 2, Standing::RunsBesideDraft);
    hub.send(Action::ShowDraft);
    assert!(!hub.state().draft.text().contains("count: 2"), "one of the two that were typed");
}

#[test]
fn a_branch_tells_only_what_happened_on_its_way() {
    let hub = page("", Some("rolling-maintenance"));
    play_to_rest(&hub);
    let story = hub.state().story.clone();
    assert!(story.said.len() > 1 && story.lines.iter().all(|line| line.done));
    let main = hub.state().world.branches[0].id;
    let first = story.said[0].at_ms;
    hub.send(Action::SeekMs(first + 1));
    let early = hub.state().story.lines.iter().filter(|line| line.done).count();
    assert!(early < story.lines.len(), "the script is not played yet at that instant");
    hub.send(interrupt(&hub));
    assert_eq!(hub.state().world.branches.len(), 2);
    play_to_rest(&hub);
    let state = hub.state();
    assert!(state.story.said.iter().all(|said| said.at_ms <= first + 1), "{:?}", state.story.said);
    assert!(state.story.lines.iter().any(|line| !line.done));
    hub.send(Action::Branch(main));
    assert_eq!(hub.state().story.said.len(), story.said.len());
}

#[test]
fn messages_leave_with_their_moment() {
    let hub = page("", None);
    play_to_rest(&hub);
    hub.send(Action::TogglePlay);
    let rests = |hub: &Hub| toasts(&hub.state()).iter().any(|text| text.contains("nothing"));
    assert!(rests(&hub), "{:?}", toasts(&hub.state()));
    hub.send(Action::StepStatus(Toward::Back));
    assert!(!rests(&hub), "{:?}", toasts(&hub.state()));
}

#[test]
fn own_text_over_an_example_takes_its_own_title() {
    let hub = page("", None);
    assert!(!hub.state().story.lines.is_empty());
    hub.send(Action::Edit("svc.yml".into(), TYPED.into()));
    hub.send(Action::Check);
    let state = hub.state();
    let story = &state.story;
    assert_eq!((story.title.as_str(), story.example.clone(), story.lines.len()), ("typed", None, 0));
    assert!(story.about.is_empty());
    play_to_rest(&hub);
    assert!(hub.state().story.said.is_empty());
    let faults = hub.state().world.view.faults.len();
    assert_eq!(faults, 0);
}

#[test]
fn an_edited_example_keeps_its_script() {
    let hub = page("", None);
    let lines = hub.state().story.lines.len();
    let text = hub.state().draft.text().to_owned();
    hub.send(Action::Edit("svc.yml".into(), format!("{text}# mine\n")));
    hub.send(Action::Check);
    assert_eq!(hub.state().story.lines.len(), lines);
    assert!(!hub.state().draft.dirty(), "it is the world already");
}

#[test]
fn a_dialog_holds_the_clock() {
    let hub = page("", None);
    hub.send(Action::TogglePlay);
    hub.send(Action::Frame(16.0));
    hub.send(Action::OpenDialog(Dialog::Fault));
    let now = hub.state().world.clock.now_ms;
    for _ in 0..20 {
        hub.send(Action::Frame(16.0));
    }
    assert_eq!(hub.state().world.clock.now_ms, now);
    hub.send(Action::CloseDialog);
    hub.send(Action::Frame(16.0));
    assert!(hub.state().world.clock.now_ms > now, "it goes on");
}

#[test]
fn play_goes_on_to_a_window_that_is_scheduled() {
    let hub = page("", None);
    play_to_rest(&hub);
    let state = hub.state();
    let rest = state.world.clock.now_ms;
    let machine = state.world.view.cluster.machines[0].hostname.to_string();
    let start = (state.world.view.clock.epoch_ms + rest + 60_000) * 1_000_000;
    let body = serde_json::json!({"windows": [{
        "machine_ids": [{"hostname": machine}],
        "unavailability": {"start": {"nanoseconds": start}, "duration": {"nanoseconds": 30_000_000_000_u64}},
    }]});
    let post = Input::Maintenance(Maintenance { op: "schedule".into(), body });
    hub.send(Action::Do(Box::new(post)));
    assert_eq!(hub.state().world.view.cluster.windows.len(), 1, "{:?}", toasts(&hub.state()));
    play_to_rest(&hub);
    assert!(hub.state().world.clock.now_ms >= rest + 90_000, "to the end of the window");
}
