//! The page shows the branch and the instant that are chosen.

use super::{TYPED, interrupt, page, play_to_rest, toasts};
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
    let hub = page("", Some("hello-world"));
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
fn the_editor_shows_what_runs_at_the_moment_shown() {
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
fn a_draft_stays_a_draft_at_any_moment() {
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
fn a_branch_shows_only_its_own_past() {
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
fn messages_disappear_with_their_moment() {
    let hub = page("", Some("hello-world"));
    play_to_rest(&hub);
    hub.send(Action::TogglePlay);
    let rests = |hub: &Hub| toasts(&hub.state()).iter().any(|text| text.contains("nothing"));
    assert!(rests(&hub), "{:?}", toasts(&hub.state()));
    hub.send(Action::StepStatus(Toward::Back));
    assert!(!rests(&hub), "{:?}", toasts(&hub.state()));
}

#[test]
fn a_users_own_text_replaces_the_examples_title() {
    let hub = page("", Some("hello-world"));
    assert!(!hub.state().story.lines.is_empty());
    hub.send(Action::Edit("svc.yml".into(), TYPED.into()));
    hub.send(Action::Check);
    let state = hub.state();
    let story = &state.story;
    assert_eq!((&*story.title, story.example.clone(), story.lines.len()), ("typed", None, 0));
    assert!(story.about.is_empty());
    play_to_rest(&hub);
    assert!(hub.state().story.said.is_empty());
    let faults = hub.state().world.view.faults.len();
    assert_eq!(faults, 0);
}

#[test]
fn an_edited_example_keeps_its_script() {
    let hub = page("", Some("hello-world"));
    let lines = hub.state().story.lines.len();
    let text = hub.state().draft.text().to_owned();
    hub.send(Action::Edit("svc.yml".into(), format!("{text}# mine\n")));
    hub.send(Action::Check);
    assert_eq!(hub.state().story.lines.len(), lines);
    assert!(!hub.state().draft.dirty(), "it is the world already");
}

#[test]
fn a_dialog_stops_the_clock() {
    let hub = page("", Some("hello-world"));
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
fn play_continues_to_a_scheduled_window() {
    let hub = page("", Some("hello-world"));
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

#[test]
fn a_command_at_the_head_is_undone_and_redone() {
    let hub = page("", Some("hello-world"));
    hub.send(Action::SeekMs(3000));
    let rows = |hub: &Hub| hub.state().world.view.services[0].plans[0].status.to_string();
    let before = (rows(&hub), hub.state().world.clock.seq, hub.state().world.view.clock.digest.clone());
    hub.send(interrupt(&hub));
    let after = (rows(&hub), hub.state().world.clock.seq);
    assert_eq!(after.0, "WAITING");
    let toast = hub.state().ui.toasts.last().cloned().expect("a message");
    assert!(toast.undo.is_some() && toast.text.starts_with("Interrupted"), "{toast:?}");
    for _ in 0..2 {
        hub.send(Action::Undo);
        let state = hub.state();
        let now = (rows(&hub), state.world.clock.seq, state.world.view.clock.digest.clone());
        assert_eq!(now, before);
        let tabs = |hub: &Hub| {
            hub.state()
                .world
                .branches
                .iter()
                .map(planarium_messages::clock::BranchTab::title)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            tabs(&hub),
            ["main (undone)", "main"],
            "the branch of the undone command stays in the list"
        );
        assert_eq!(state.ways.redo.as_deref(), Some("Interrupted deploy"));
        hub.send(Action::Redo);
        assert_eq!((rows(&hub), hub.state().world.clock.seq), after);
        assert_eq!(tabs(&hub), ["main"]);
    }
    hub.send(Action::Undo);
    let lines = hub.state().story.lines.len();
    play_to_rest(&hub);
    assert_eq!(rows(&hub), "COMPLETE", "it goes on as if nothing had been done");
    let done = hub.state().story.lines.iter().filter(|line| line.done).count();
    assert_eq!(done, lines, "the script goes on, too");
}

#[test]
fn several_steps_are_undone_one_after_the_other() {
    let hub = page("", Some("hello-world"));
    hub.send(Action::SeekMs(2000));
    let digest = |hub: &Hub| hub.state().world.view.clock.digest.clone();
    let mut seen = vec![digest(&hub)];
    for add in 0..3_u64 {
        let now = hub.state().world.clock.now_ms;
        hub.send(Action::SeekMs(now + add));
        hub.send(Action::Do(Box::new(Input::AddAgent(planarium_protocol::input::AddAgent::default()))));
        seen.push(digest(&hub));
    }
    for want in seen.iter().rev().skip(1).take(3) {
        hub.send(Action::Undo);
        assert_eq!(digest(&hub), *want);
        let tabs = hub.state().world.branches.clone();
        assert_eq!((tabs.len(), tabs.iter().filter(|tab| tab.undone).count()), (2, 1));
    }
    for want in seen.iter().skip(1) {
        hub.send(Action::Redo);
        assert_eq!(digest(&hub), *want);
    }
    assert_eq!(hub.state().ways.redo, None);
    assert_eq!(
        hub.state()
            .world
            .branches
            .iter()
            .map(planarium_messages::clock::BranchTab::title)
            .collect::<Vec<_>>(),
        ["main"]
    );
}

#[test]
fn removed_files_and_previous_worlds_are_restored() {
    let hub = page("", Some("hello-world"));
    hub.send(Action::AddFile("extra.yml".into()));
    hub.send(Action::Edit("extra.yml".into(), "a: 1\n".into()));
    hub.send(Action::DropFile("extra.yml".into()));
    assert_eq!(hub.state().draft.files.len(), 1);
    hub.send(Action::Undo);
    assert_eq!(hub.state().draft.files.get("extra.yml").map(String::as_str), Some("a: 1\n"));
    hub.send(Action::Redo);
    assert_eq!(hub.state().draft.files.len(), 1);

    let first = hub.state().story.title.clone();
    hub.send(Action::OpenFiles(vec![("svc.yml".into(), TYPED.into())]));
    assert_eq!(&*hub.state().story.title, "typed");
    hub.send(Action::Undo);
    assert_eq!(hub.state().story.title, first);
    hub.send(Action::Redo);
    assert_eq!(&*hub.state().story.title, "typed");
}

#[test]
fn a_canary_names_the_phase_to_continue_and_continues_it() {
    use crate::store::selectors::{offers, tree};
    let hub = page("", Some("held-canary"));
    hub.send(Action::SeekMs(20_000));
    let view = hub.state().world.view.clone();
    let plan = tree::first_plan(&view).expect("a plan");
    let offer = offers::by_key(&view, &plan, "c").expect("a key").expect("allowed");
    assert_eq!(offer.label.as_str(), "Continue phase web");
    let gates = |hub: &Hub| hub.state().world.view.services[0].plans[0].phases[0].gates_left;
    let before = gates(&hub);
    hub.send(offer.action);
    assert_eq!(gates(&hub) + 1, before);
    let plain = offers::of_element(&view, &plan).into_iter().find(|offer| offer.label == "Continue");
    assert!(
        plain.and_then(|offer| offer.consequence).is_some_and(|text| text.starts_with("Changes nothing"))
    );
}
