//! The page's behaviour at its boundary: actions in, state out, with the real engine and no browser.

mod console;
mod frame;
mod late;
mod lessons;
mod long;
mod moment;
mod stuck;
mod systems;
mod tab;
mod timeline;

use super::link::Wired;
use crate::store::action::{Action, Toward};
use crate::store::effects;
use crate::store::hub::Hub;
use crate::store::ptr::Ptr;
use crate::store::selectors::{offers, tree};
use crate::store::state::{Link, Severity, State, ToastUndo};
use planarium_messages::questions::{Ask, Begin};
use planarium_protocol::Input;
use planarium_protocol::input::{PlanCommand, PlanOp};
use std::collections::BTreeMap;
use std::rc::Rc;

pub(super) const TYPED: &str = "name: typed\npods:\n  node:\n    count: 2\n    tasks:\n      server:\n        goal: RUNNING\n        cmd: ./node\n        cpus: 0.5\n        memory: 128\n";

/// A page that has received its first world only.
pub(super) fn opened(hash: &str, example: Option<&str>) -> Hub {
    begun(effects::begin(hash, example))
}

/// A page that tells this to its host first.
pub(super) fn begun(begin: Begin) -> Hub {
    let hub = Hub::new(State::first());
    hub.connect(Rc::new(Wired::new(&hub)), Ask::Begin(Box::new(begin)));
    hub
}

pub(super) fn page(hash: &str, example: Option<&str>) -> Hub {
    let hub = opened(hash, example);
    hub.send(Action::Check);
    hub
}

/// Plays at 64x until nothing more happens without an input.
pub(super) fn play_to_rest(hub: &Hub) {
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
    panic!("{:?} never came to rest", hub.state().story.example);
}

/// Plays at 64x for this long in virtual time.
pub(super) fn play_for(hub: &Hub, ms: u64) {
    hub.send(Action::SetSpeed(8));
    hub.send(Action::TogglePlay);
    let until = hub.state().world.clock.now_ms + ms;
    for _ in 0..20_000 {
        if hub.state().world.clock.now_ms >= until || !hub.state().play.playing {
            break;
        }
        hub.send(Action::Frame(16.0));
    }
    hub.send(Action::Pause);
}

/// Plays at 64x until the script is over; a crash loop never comes to rest.
fn play_script(hub: &Hub) {
    hub.send(Action::SetSpeed(8));
    hub.send(Action::TogglePlay);
    for _ in 0..20_000 {
        let before = hub.state();
        let over = !before.story.lines.is_empty() && before.story.lines.iter().all(|line| line.done);
        hub.send(Action::Frame(16.0));
        if over || hub.state().world.clock == before.world.clock {
            return;
        }
    }
    panic!("the script of {:?} does not end", hub.state().story.example);
}

fn deploy_status(hub: &Hub) -> String {
    let state = hub.state();
    let path = tree::first_plan(&state.world.view).expect("a plan");
    tree::status_of(&state.world.view, &path).expect("a status").to_string()
}

pub(super) fn interrupt(hub: &Hub) -> Action {
    let path = tree::first_plan(&hub.state().world.view).expect("a plan");
    Action::Do(Box::new(Input::Plan(PlanCommand {
        dialect: String::new(),
        service: path.service.to_string(),
        plan: path.plan.to_string(),
        op: PlanOp::Interrupt,
        phase: None,
        step: None,
        params: BTreeMap::new(),
    })))
}

pub(super) fn toasts(state: &State) -> Vec<String> {
    state.ui.toasts.iter().map(|toast| toast.text.to_string()).collect()
}

/// Returns the content of the share dialog.
fn link(hub: &Hub) -> Link {
    hub.send(Action::OpenDialog(crate::store::state::Dialog::Share));
    hub.send(Action::CloseDialog);
    hub.state().ui.link.clone().expect("a link")
}

/// The link that the share dialog shows, from `#` on.
pub(super) fn hash(hub: &Hub) -> String {
    let address = link(hub).address;
    address.find('#').and_then(|at| address.get(at..)).expect("a hash").to_owned()
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
        play_script(&hub);
        let story = &hub.state().story;
        assert!(story.lines.iter().all(|line| line.done), "{}: {:?}", example.id, story.lines);
    }
}

#[test]
fn play_stays_on_at_rest_and_continues_with_an_input() {
    let hub = page("", Some("hello-world"));
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
fn steps_ahead_reach_scheduled_script_entries() {
    let hub = page("", Some("rolling-maintenance"));
    let mut idle = Vec::new();
    for _ in 0..400 {
        let clock = hub.state().world.clock;
        if clock.now_ms >= 20 * 60_000 {
            break;
        }
        idle.push(clock.idle);
        hub.send(Action::StepEvent(Toward::Ahead));
    }
    assert_eq!(hub.state().world.clock.now_ms, 20 * 60_000, "the hour of the first window");
    assert!(idle.iter().all(|idle| !idle), "the buttons stay allowed");
    play_to_rest(&hub);
    assert!(hub.state().world.clock.idle, "the script is over");
}

#[test]
fn steps_back_reverse_the_steps_ahead() {
    let hub = page("", Some("hello-world"));
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
    let hub = page("", Some("hello-world"));
    play_to_rest(&hub);
    let head = hub.state().world.clock.head_seq;
    hub.send(Action::SeekMs(1000));
    hub.send(interrupt(&hub));
    let state = hub.state();
    assert_eq!(state.world.branches.len(), 2);
    assert_eq!(deploy_status(&hub), "WAITING");
    let undo = state.ui.toasts.iter().find_map(|toast| toast.undo).expect("a way back");
    assert_eq!(undo, ToastUndo::Last);
    hub.send(crate::store::toast::action_of(undo));
    hub.send(Action::SeekTenth(10));
    assert_eq!((hub.state().world.clock.head_seq, deploy_status(&hub).as_str()), (head, "COMPLETE"));
}

#[test]
fn an_edit_takes_effect_immediately_before_the_run_and_waits_after_it() {
    let hub = page("", Some("hello-world"));
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
    hub.send(Action::Undo);
    let state = hub.state();
    assert_eq!(&*state.world.view.services[0].name, "typed");
    assert!(state.world.clock.seq > 0);
}

#[test]
fn broken_text_keeps_the_last_valid_world_and_shows_the_position() {
    let hub = page("", Some("hello-world"));
    hub.send(Action::Edit("svc.yml".into(), TYPED.replace("memory", "memroy")));
    hub.send(Action::Check);
    hub.send(Action::Apply);
    let state = hub.state();
    assert_eq!(&*state.world.view.services[0].name, "hello-world");
    let finding = &state.checked.findings[0];
    assert_eq!((finding.line, finding.column, finding.severity), (10, 9, Severity::Error));
    let text = state.draft.text();
    assert_eq!(text.get(finding.from as usize..finding.to as usize), Some("memroy"));
    let fix = finding.fix.clone().expect("a mend");
    hub.send(Action::Mend(Box::new(fix)));
    hub.send(Action::Check);
    assert_eq!(&*hub.state().world.view.services[0].name, "typed", "the mend makes it good");
}

#[test]
fn a_link_contains_the_run_and_the_script_continues_if_possible() {
    let hub = page("", Some("hello-world"));
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

    // The digest next to the link is that of the moment, which may be later than the last visible change.
    hub.send(Action::SeekMs(50_000));
    let made = link(&hub);
    let again = link(&page(&hash(&hub), None));
    assert_eq!((made.at_ms, made.digest.len()), (50_000, 16));
    assert_eq!((again.at_ms, again.digest), (made.at_ms, made.digest));
}

#[test]
fn broken_links_keep_their_text() {
    for hash in ["#p1:nonsense!", "#p1:", "#p9:AAAA", "#p1:AAAA"] {
        let hub = page(hash, None);
        let state = hub.state();
        let broken = state.broken.as_ref().unwrap_or_else(|| panic!("{hash} was opened"));
        assert_eq!(&*broken.raw, hash);
        assert!(!broken.reason.is_empty());
        hub.send(Action::LeaveBroken);
        hub.send(Action::OpenExample("hello-world".into()));
        assert!(hub.state().broken.is_none() && !hub.state().world.view.services.is_empty());
    }
}

#[test]
fn opens_all_kinds_of_files() {
    let hub = page("", Some("hello-world"));
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
    let hub = page("", Some("hello-world"));
    play_to_rest(&hub);
    hub.send(Action::SetSeed(99));
    assert_eq!((hub.state().world.clock.seed, hub.state().world.clock.now_ms), (99, 0));
    hub.send(Action::SetPreset("10".into()));
    assert_eq!(hub.state().world.view.cluster.machines.len(), 10);
    assert_eq!(hub.state().preset.as_deref(), Some("10"));
    hub.send(Action::Reset);
    assert_eq!(hub.state().world.clock.seed, 99, "starting over keeps what was chosen");
}

const TWO: &str = "title: Two\nseed: 1\nservices:\n  - files: [a.yml]\n  - files: [b.yml]\n";

fn two() -> Hub {
    let hub = page("", Some("hello-world"));
    hub.send(Action::OpenFiles(vec![
        ("two.planarium.yaml".into(), TWO.into()),
        ("a.yml".into(), TYPED.replace("typed", "first")),
        ("b.yml".into(), TYPED.replace("typed", "second")),
    ]));
    hub.send(Action::Check);
    hub
}

fn services(hub: &Hub) -> Vec<String> {
    hub.state().world.view.services.iter().map(|service| service.name.to_string()).collect()
}

#[test]
fn an_unknown_example_is_reported_and_the_first_one_shown() {
    let hub = page("", Some("no-such-thing"));
    let state = hub.state();
    let first = planarium_gallery::examples().first().expect("examples");
    assert_eq!(state.story.example.as_deref(), Some(first.id));
    assert!(!state.world.view.services.is_empty());
    assert!(toasts(&state).iter().any(|text| text.contains("no-such-thing")));
}

#[test]
fn each_service_keeps_its_own_draft() {
    let hub = two();
    assert_eq!(hub.state().drafts.len(), 2);
    hub.send(Action::StepStatus(Toward::Ahead));
    hub.send(Action::Edit("a.yml".into(), TYPED.replace("typed", "first").replace("count: 2", "count: 1")));
    hub.send(Action::PickService(1));
    hub.send(Action::Check);
    let state = hub.state();
    assert_eq!((&*state.draft.label, state.draft.file.as_str()), ("second", "b.yml"));
    assert!(!state.draft.dirty() && state.dirty(), "the other one was edited");
    hub.send(Action::PickService(0));
    assert!(hub.state().draft.text().contains("count: 1"), "the edit is kept");
    // A row of the other service leads to its own text.
    let path = hub.state().world.view.services[1]
        .plans
        .first()
        .map(|plan| tree::plan_path(&hub.state().world.view.services[1], plan));
    hub.send(Action::Select(path.expect("a plan")));
    assert_eq!(hub.state().draft.file, "b.yml");
    hub.send(Action::Apply);
    let state = hub.state();
    assert!(!state.dirty());
    let steps = |at: usize| state.world.view.services[at].plans[0].progress.total;
    assert_eq!((steps(0), steps(1)), (1, 2), "both definitions are in the new world");
}

#[test]
fn early_typing_stays_with_its_service() {
    let hub = two();
    hub.send(Action::PickService(1));
    let second = hub.state().draft.text().to_owned();
    hub.send(Action::EditAt(
        0,
        "a.yml".into(),
        TYPED.replace("typed", "first").replace("count: 2", "count: 5"),
    ));
    hub.send(Action::EditAt(7, "b.yml".into(), "gone".into()));
    assert_eq!(hub.state().draft.text(), second);
    hub.send(Action::EditAt(1, "b.yml".into(), format!("{second}# more\n")));
    assert!(hub.state().draft.text().ends_with("# more\n"));
    hub.send(Action::PickService(0));
    assert!(hub.state().draft.text().contains("count: 5"));
}

#[test]
fn a_broken_draft_of_another_service_stops_the_new_world() {
    let hub = two();
    hub.send(Action::StepStatus(Toward::Ahead));
    hub.send(Action::Edit("a.yml".into(), "name: [".into()));
    hub.send(Action::PickService(1));
    hub.send(Action::Check);
    hub.send(Action::Apply);
    assert!(toasts(&hub.state()).iter().any(|text| text.contains("first has errors")));
    assert!(hub.state().world.clock.seq > 0, "the run is still there");
}

#[test]
fn services_are_added_and_removed() {
    let hub = page("", Some("hello-world"));
    hub.send(Action::Beside(true));
    hub.send(Action::OpenText(TYPED.into()));
    assert_eq!(services(&hub), ["hello-world", "typed"]);
    assert_eq!((hub.state().at, hub.state().dirty()), (1, false));
    hub.send(Action::StepStatus(Toward::Ahead));
    let before = hub.state().world.clock.head_ms;
    hub.send(Action::OpenText(TYPED.replace("typed", "late")));
    assert_eq!(services(&hub), ["hello-world", "typed", "late"]);
    assert!(hub.state().world.clock.now_ms >= before, "it joins the run as it is");
    hub.send(Action::OpenText(TYPED.into()));
    assert_eq!((services(&hub).len(), hub.state().drafts.len()), (3, 4), "a name is given once");
    hub.send(Action::DropService(3));
    hub.send(Action::DropService(0));
    assert_eq!(services(&hub), ["typed", "late"]);
    hub.send(Action::Undo);
    assert_eq!(services(&hub)[0], "hello-world");
    assert_eq!(hub.state().drafts.len(), 3);
}

#[test]
fn an_edit_is_rolled_out_in_the_run() {
    let hub = page("", Some("hello-world"));
    hub.send(Action::OpenText(TYPED.into()));
    play_to_rest(&hub);
    assert_eq!(deploy_status(&hub), "COMPLETE");
    let before = hub.state().world.clock.now_ms;
    hub.send(Action::Edit("svc.yml".into(), TYPED.replace("count: 2", "count: 3")));
    hub.send(Action::Check);
    hub.send(Action::RollOut);
    let state = hub.state();
    assert!(!state.draft.dirty() && state.world.clock.now_ms == before);
    play_to_rest(&hub);
    let tasks =
        hub.state().world.view.cluster.machines.iter().map(|machine| machine.tasks.len()).sum::<usize>();
    assert_eq!(tasks, 3);
    hub.send(Action::Reset);
    let draft = hub.state().draft.clone();
    assert!(
        draft.text().contains("count: 2") && !draft.dirty(),
        "starting over goes back to the definition before"
    );
    assert!(draft.drawer().is_some(), "what was typed is kept");
    hub.send(Action::Undo);
    let draft = hub.state().draft.clone();
    assert!(draft.text().contains("count: 3") && !draft.dirty());
}

#[test]
fn a_link_contains_the_moment() {
    let hub = page("", Some("hello-world"));
    play_to_rest(&hub);
    for back in [Action::SeekMs(9000), Action::StepEvent(Toward::Back), Action::SeekMs(0)] {
        hub.send(back);
        let here = hub.state().world.clock;
        for example in [None, Some("hello-world")] {
            let there = page(&hash(&hub), example).state().world.clock;
            let place =
                |clock: crate::store::state::Clock| (clock.now_ms, clock.seq, clock.head_ms, clock.head_seq);
            assert_eq!(place(there), place(here));
        }
    }
    hub.send(Action::SeekTenth(10));
    assert!(!hash(&hub).contains('~'), "the end needs no naming");
}

#[test]
fn better_machines_are_found_by_trying() {
    let hub = page("", Some("hello-world"));
    let gpus = TYPED.replace("        cpus: 0.5", "        cpus: 0.5\n        gpus: 1");
    for (text, want) in [(TYPED, None), (gpus.as_str(), Some("gpu"))] {
        hub.send(Action::OpenText(text.into()));
        hub.send(Action::SeekMachines);
        assert_eq!(hub.state().better.as_deref(), want, "{text}");
    }
    hub.send(Action::SetPreset("gpu".into()));
    assert_eq!(hub.state().better, None);
    play_to_rest(&hub);
    assert_eq!(deploy_status(&hub), "COMPLETE");
}

#[test]
fn guesses_keep_values_given_since_the_definition_was_read() {
    let hub = page("", Some("hello-world"));
    let text = TYPED.replace("name: typed", "name: {{FRAMEWORK_NAME}}\nuser: {{USER}}");
    hub.send(Action::OpenText(text.replace("count: 2", "count: {{NODE_COUNT}}")));
    hub.send(Action::Check);
    assert_eq!(hub.state().checked.missing.len(), 3);
    hub.send(Action::SetEnv("FRAMEWORK_NAME".into(), Some("mine".into())));
    hub.send(Action::SetEnv("USER".into(), Some(String::new())));
    hub.send(Action::FillEnv);
    let env: Vec<_> = hub.state().draft.env.values().cloned().collect();
    assert_eq!(env, ["mine", "2", ""], "an empty value is one, too");
}

#[test]
fn a_dialog_is_finished_once() {
    use crate::store::state::Dialog;
    use planarium_protocol::input::AddAgent;
    let hub = page("", Some("hello-world"));
    let machines = || hub.state().world.view.cluster.machines.len();
    let before = machines();
    hub.send(Action::OpenDialog(Dialog::AddMachine));
    for _ in 0..2 {
        hub.finish(&Dialog::AddMachine, Action::Do(Box::new(Input::AddAgent(AddAgent::default()))));
    }
    assert_eq!((machines(), hub.state().ui.dialog.clone()), (before + 1, None));
}

#[test]
fn a_removed_service_is_the_one_that_was_seen() {
    let hub = two();
    let seen: Vec<_> = hub
        .state()
        .drafts
        .iter()
        .map(|draft| (draft.dialect.clone(), draft.label.to_string().into()))
        .collect();
    assert_eq!(hub.state().place_by_now(&seen, 1), Some(1));
    hub.send(Action::DropService(0));
    let places = [0, 1, 2].map(|at| hub.state().place_by_now(&seen, at));
    assert_eq!(places, [None, Some(0), None], "the first one is gone");
}

#[test]
fn starting_over_twice_keeps_the_way_back_to_the_run() {
    for again in [Action::Reset, Action::Apply, Action::SetSeed(3), Action::SetPreset("10".into())] {
        let hub = page("", Some("hello-world"));
        play_to_rest(&hub);
        for _ in 0..2 {
            hub.send(again.clone());
            assert_eq!(deploy_status(&hub), "PENDING", "{again:?}");
        }
        hub.send(Action::Undo);
        assert_eq!(deploy_status(&hub), "COMPLETE", "{again:?}");
    }
}

const TWINS: &str = "name: twins\npods:\n  node:\n    count: 1\n    tasks:\n      init: {goal: ONCE, cmd: ./init, cpus: 0.1, memory: 32}\n      server: {goal: RUNNING, cmd: ./node, cpus: 0.1, memory: 32}\nplans:\n  deploy:\n    phases:\n      node:\n        pod: node\n        steps:\n          - default: [[init], [server], [init]]\n";

#[test]
fn steps_with_equal_names_have_their_own_badge_why_lane_and_commands() {
    let hub = page("", Some("hello-world"));
    hub.send(Action::OpenText(TWINS.into()));
    let twins: Vec<_> = tree::steps(&hub.state().world.view)
        .filter(|(_, step)| step.namesake)
        .map(|(path, step)| (path, step.name.clone()))
        .collect();
    assert_eq!(twins.len(), 2, "{:?}", toasts(&hub.state()));
    assert_eq!(twins[0].1, twins[1].1, "they share a name");
    let status = |at: usize| {
        let view = &hub.state().world.view;
        tree::status_of(view, &twins[at].0).map(|status| status.to_string())
    };
    assert_eq!((status(0).as_deref(), status(1).as_deref()), (Some("PENDING"), Some("PENDING")));
    for (path, _) in &twins {
        hub.send(Action::Select(path.clone()));
        let state = hub.state();
        let why = state.why.as_ref().expect("an answer");
        assert_eq!(why.path, *path, "it is about the one selected");
        assert!(!why.reasons.is_empty(), "{why:?}");
    }
    let force = offers::by_key(&hub.state().world.view, &twins[1].0, "f").expect("a key").expect("allowed");
    hub.send(force.action);
    assert!(
        toasts(&hub.state()).iter().all(|text| text.starts_with("Force-completed")),
        "{:?}",
        toasts(&hub.state())
    );
    assert_eq!((status(0).as_deref(), status(1).as_deref()), (Some("PENDING"), Some("COMPLETE")));
    let state = hub.state();
    let lane =
        |at: usize| state.world.gantt.lane(&twins[at].0).map(|lane| lane.segments(9)).unwrap_or_default();
    assert_eq!(
        (lane(0).len(), lane(1).last().map(|last| last.status.to_string())),
        (0, Some("COMPLETE".into()))
    );
}

#[test]
fn the_same_name_in_another_dialect_is_another_definition() {
    let of = |dialect: &str, text: &str| {
        let mut load = planarium_protocol::input::LoadService {
            dialect: dialect.into(),
            name: "hello".into(),
            ..Default::default()
        };
        load.files.insert("a.yml".into(), text.into());
        crate::store::draft::Draft::of(&load)
    };
    let drafts = vec![of("one", "1"), of("two", "2"), of("auto", "3")];
    let state = State { draft: drafts[0].clone(), drafts: Ptr::new(drafts), ..State::default() };
    assert_eq!((state.place_of("one", "hello"), state.place_of("two", "hello")), (Some(0), Some(1)));
    assert_eq!(state.place_of("three", "hello"), Some(2), "what was left to be found out may be it");
    assert_eq!(state.place_of("two", "other"), None);
    let seen: Vec<_> =
        state.drafts.iter().map(|draft| (draft.dialect.clone(), draft.label.to_string().into())).collect();
    let fewer =
        State { draft: state.drafts[1].clone(), drafts: Ptr::new(state.drafts[1..2].to_vec()), ..state };
    assert_eq!([0, 1].map(|at| fewer.place_by_now(&seen, at)), [None, Some(0)]);
}
