//! The page's behaviour at its boundary: actions in, state out, with the real engine and no browser.

use super::Session;
use crate::store::action::{Action, Toward};
use crate::store::hub::Hub;
use crate::store::selectors::tree;
use crate::store::state::{Severity, State, ToastUndo};
use planarium_protocol::Input;
use planarium_protocol::input::{PlanCommand, PlanOp};
use std::collections::BTreeMap;

const TYPED: &str = "name: typed\npods:\n  node:\n    count: 2\n    tasks:\n      server:\n        goal: RUNNING\n        cmd: ./node\n        cpus: 0.5\n        memory: 128\n";

fn page(hash: &str, example: Option<&str>) -> Hub {
    let (mut session, state) = Session::new();
    let facts = session.start(hash, example);
    let hub = Hub::new(session, state, facts);
    hub.send(Action::Check);
    hub
}

/// Plays at 64x until nothing more happens by itself.
fn play_to_rest(hub: &Hub) {
    hub.send(Action::SetSpeed(8));
    hub.send(Action::TogglePlay);
    for _ in 0..20_000 {
        let clock = hub.state().world.clock;
        hub.send(Action::Frame(16.0));
        if hub.state().world.clock == clock {
            hub.send(Action::Pause);
            return;
        }
    }
    panic!("never came to rest");
}

fn deploy_status(hub: &Hub) -> String {
    let state = hub.state();
    let path = tree::first_plan(&state.world.view).expect("a plan");
    tree::status_of(&state.world.view, &path).expect("a status").to_string()
}

fn interrupt(hub: &Hub) -> Action {
    let path = tree::first_plan(&hub.state().world.view).expect("a plan");
    Action::Do(Box::new(Input::Plan(PlanCommand {
        service: path.service.to_string(),
        plan: path.plan.to_string(),
        op: PlanOp::Interrupt,
        phase: None,
        step: None,
        params: BTreeMap::new(),
    })))
}

fn toasts(state: &State) -> Vec<String> {
    state.ui.toasts.iter().map(|toast| toast.text.to_string()).collect()
}

/// The link that the share dialog shows, from `#` on.
fn hash(hub: &Hub) -> String {
    hub.send(Action::OpenDialog(crate::store::state::Dialog::Share));
    hub.send(Action::CloseDialog);
    let link = hub.state().ui.link.clone().expect("a link");
    link.find('#').and_then(|at| link.get(at..)).expect("a hash").to_owned()
}

#[test]
fn every_example_opens_without_a_finding_and_plays_its_whole_script() {
    for example in planarium_gallery::examples() {
        let hub = page("", Some(example.id));
        let state = hub.state();
        assert_eq!(state.story.example.as_deref(), Some(example.id));
        assert_eq!(state.checked.errors(), 0, "{}: {:?}", example.id, state.checked.findings);
        assert_eq!((state.world.clock.now_ms, state.world.touched), (0, false), "{}", example.id);
        let has_plan = tree::first_plan(&state.world.view).is_some();
        assert_eq!(state.why.is_some(), has_plan, "{}: the first plan is asked about", example.id);
        play_to_rest(&hub);
        let story = &hub.state().story;
        assert!(story.lines.iter().all(|line| line.done), "{}: {:?}", example.id, story.lines);
    }
}

#[test]
fn play_stays_on_at_rest_and_goes_on_when_something_is_done() {
    let hub = page("", None);
    play_to_rest(&hub);
    assert_eq!(deploy_status(&hub), "COMPLETE");
    hub.send(Action::TogglePlay);
    hub.send(Action::Frame(16.0));
    let rest = hub.state().world.clock;
    assert!(hub.state().play.playing, "play stays on");
    let task = hub.state().world.view.cluster.machines.iter().flat_map(|m| m.tasks.clone()).next();
    let action = task.expect("a task").actions.first().cloned().expect("something to do to it");
    hub.send(Action::Do(Box::new(action.input)));
    hub.send(Action::Frame(16.0));
    assert!(hub.state().world.clock.now_ms > rest.now_ms);
}

#[test]
fn steps_back_are_the_steps_ahead_undone() {
    let hub = page("", None);
    let mut trail = Vec::new();
    for _ in 0..5 {
        trail.push((hub.state().world.clock.now_ms, hub.state().world.clock.seq));
        hub.send(Action::StepStatus(Toward::Ahead));
    }
    let end = hub.state().world.clock;
    assert!(end.seq > trail[4].1);
    let head = end.head_seq;
    let mut last = end.seq;
    for _ in 0..40 {
        hub.send(Action::StepEvent(Toward::Back));
        let clock = hub.state().world.clock;
        assert!(clock.seq < last || clock.now_ms == 0 || clock.seq == last && clock.now_ms < end.now_ms);
        assert_eq!(clock.head_seq, head, "looking back forgets nothing");
        last = clock.seq;
    }
    hub.send(Action::SeekTenth(10));
    assert_eq!(hub.state().world.clock.seq, head);
    hub.send(Action::SeekMs(0));
    assert_eq!(deploy_status(&hub), "PENDING");
}

#[test]
fn a_command_in_the_past_opens_a_branch_and_can_be_undone() {
    let hub = page("", None);
    play_to_rest(&hub);
    let head = hub.state().world.clock.head_seq;
    hub.send(Action::SeekMs(1000));
    hub.send(interrupt(&hub));
    let state = hub.state();
    assert_eq!(state.world.branches.len(), 2);
    assert_eq!(deploy_status(&hub), "WAITING");
    let undo = state.ui.toasts.iter().find_map(|toast| toast.undo.clone()).expect("a way back");
    let ToastUndo::Branch(id) = undo else { panic!("{undo:?}") };
    hub.send(Action::Branch(id));
    hub.send(Action::SeekTenth(10));
    assert_eq!((hub.state().world.clock.head_seq, deploy_status(&hub).as_str()), (head, "COMPLETE"));
}

#[test]
fn an_edit_shows_at_once_before_the_run_and_waits_after_it() {
    let hub = page("", None);
    hub.send(Action::Edit("svc.yml".into(), TYPED.into()));
    hub.send(Action::Check);
    let state = hub.state();
    assert!(!state.draft.dirty(), "nothing had run, so it is the world already");
    assert_eq!(&*state.world.view.services[0].name, "typed");

    hub.send(Action::StepStatus(Toward::Ahead));
    hub.send(Action::Edit("svc.yml".into(), TYPED.replace("typed", "again")));
    hub.send(Action::Check);
    assert!(hub.state().draft.dirty());
    assert_eq!(&*hub.state().world.view.services[0].name, "typed", "the run goes on as it was");
    hub.send(Action::Apply);
    let state = hub.state();
    assert_eq!((&*state.world.view.services[0].name, state.world.clock.now_ms), ("again", 0));
    hub.send(Action::UndoWorld);
    let state = hub.state();
    assert_eq!(&*state.world.view.services[0].name, "typed");
    assert!(state.world.clock.seq > 0);
}

#[test]
fn broken_text_keeps_the_last_good_world_and_says_where() {
    let hub = page("", None);
    hub.send(Action::Edit("svc.yml".into(), TYPED.replace("memory", "memroy")));
    hub.send(Action::Check);
    hub.send(Action::Apply);
    let state = hub.state();
    assert_eq!(&*state.world.view.services[0].name, "hello-world");
    let finding = &state.checked.findings[0];
    assert_eq!((finding.line, finding.column, finding.severity), (10, 9, Severity::Error));
    let text = state.draft.text();
    assert_eq!(text.get(finding.from as usize..finding.to as usize), Some("memroy"));
    hub.send(Action::Mend(0));
    hub.send(Action::Check);
    assert_eq!(&*hub.state().world.view.services[0].name, "typed", "the mend makes it good");
}

#[test]
fn a_link_carries_the_run_and_the_script_goes_on_where_it_can() {
    let hub = page("", None);
    hub.send(Action::SeekMs(9000));
    let at_9s = hash(&hub);
    let there = page(&at_9s, Some("hello-world"));
    assert_eq!(there.state().world.view.clock.digest, hub.state().world.view.clock.digest);
    assert!(!there.state().story.lines.is_empty(), "the script is there, too");
    play_to_rest(&there);
    assert!(there.state().story.lines.iter().all(|line| line.done));

    hub.send(interrupt(&hub));
    let by_hand = page(&hash(&hub), None);
    assert_eq!(by_hand.state().world.view.clock.digest, hub.state().world.view.clock.digest);
    assert_eq!(deploy_status(&by_hand), "WAITING");
    assert_eq!(by_hand.state().draft.files, by_hand.state().draft.files.clone());
    assert_eq!(by_hand.state().draft.text(), hub.state().draft.text());
}

#[test]
fn broken_links_keep_their_text() {
    for hash in ["#p1:nonsense!", "#p1:", "#p9:AAAA", "#p1:AAAA"] {
        let hub = page(hash, None);
        let state = hub.state();
        let broken = state.broken.as_ref().unwrap_or_else(|| panic!("{hash} was opened"));
        assert_eq!(broken.raw.as_str(), hash);
        assert!(!broken.reason.is_empty());
        hub.send(Action::LeaveBroken);
        hub.send(Action::OpenExample("hello-world".into()));
        assert!(hub.state().broken.is_none() && !hub.state().world.view.services.is_empty());
    }
}

#[test]
fn opens_what_people_bring() {
    let hub = page("", None);
    hub.send(Action::OpenText(TYPED.into()));
    assert_eq!(&*hub.state().world.view.services[0].name, "typed");
    hub.send(Action::OpenFiles(vec![("pkg/svc.yml".into(), TYPED.replace("typed", "filed"))]));
    assert_eq!(&*hub.state().world.view.services[0].name, "filed");
    let link = hash(&hub);
    hub.send(Action::OpenText(format!("https://example.org/{link}")));
    assert_eq!(&*hub.state().world.view.services[0].name, "filed");

    hub.send(Action::OpenText("name: x\npods:\n  hello: [1, 2\n".into()));
    let state = hub.state();
    assert!(state.world.view.services.is_empty(), "nothing of the text before is left to confuse");
    hub.send(Action::Check);
    assert!(hub.state().checked.errors() > 0);
    assert!(hub.state().draft.text().contains("hello: [1, 2"), "the text is kept");
    for nothing in ["", "   "] {
        hub.send(Action::OpenText(nothing.into()));
        assert!(toasts(&hub.state()).iter().any(|text| text.contains("nothing to open")));
    }
}

#[test]
fn seed_and_machines_start_over() {
    let hub = page("", None);
    play_to_rest(&hub);
    hub.send(Action::SetSeed(99));
    assert_eq!((hub.state().world.clock.seed, hub.state().world.clock.now_ms), (99, 0));
    hub.send(Action::SetPreset("10".into()));
    assert_eq!(hub.state().world.view.cluster.machines.len(), 10);
    assert_eq!(hub.state().preset.as_deref(), Some("10"));
    hub.send(Action::Reset);
    assert_eq!(hub.state().world.clock.seed, 99, "starting over keeps what was chosen");
}
