//! A host that answers later, as one in a worker does.

use super::{TYPED, interrupt, play_to_rest};
use crate::store::Action;
use crate::store::console::ConsoleAct;
use crate::store::effects;
use crate::store::hub::Hub;
use crate::store::link::{Link, Wired};
use crate::store::state::{Dialog, State};
use crate::store::toast::{Toast, ToastKind};
use planarium_messages::questions::{Ask, Resume};
use planarium_protocol::Input;
use planarium_protocol::input::{AddAgent, ClearFault};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use yew::{AttrValue, Callback};

/// A page with a host that answers on request.
struct Late {
    hub: Hub,
    link: Rc<Wired>,
}

impl Late {
    fn new() -> Self {
        let hub = Hub::new(State::first());
        let late = Self { link: Rc::new(Wired::late(&hub)), hub };
        let begin = effects::begin("", None);
        let link = Rc::clone(&late.link);
        late.hub.connect(link, Ask::Begin(Box::new(begin)));
        late.hub.send(Action::Check);
        late
    }

    fn answer_all(&self) {
        while self.link.answer(&self.hub) {}
    }

    fn asks(&self) -> Vec<Ask> {
        self.link.waiting().into_iter().map(|question| question.ask).collect()
    }
}

/// The instant shown and its digest, as the share dialog tells them.
fn moment(hub: &Hub, link: &Wired) -> (u64, AttrValue) {
    hub.send(Action::OpenDialog(Dialog::Share));
    hub.send(Action::CloseDialog);
    while link.answer(hub) {}
    let made = hub.state().ui.link.clone().expect("a link");
    (made.at_ms, made.digest.to_string().into())
}

/// A page whose first world is there.
fn page() -> Late {
    let late = Late::new();
    late.answer_all();
    late
}

#[test]
fn the_draft_is_read_once_the_first_world_exists() {
    let late = Late::new();
    let settled = Rc::new(Cell::new(false));
    let told = Rc::clone(&settled);
    late.hub.when_settled(Callback::from(move |()| told.set(true)));
    assert!(matches!(late.asks()[..], [Ask::Begin(_)]), "{:?}", late.asks());
    late.link.answer(&late.hub);
    assert!(late.asks().contains(&Ask::Check) && !settled.get(), "{:?}", late.asks());
    late.answer_all();
    assert!(settled.get());
    assert_eq!(&*late.hub.state().checked.name, "web-shop");
}

#[test]
fn a_check_of_the_previous_text_does_not_replace_the_world_being_opened() {
    let late = page();
    let file = late.hub.state().draft.file.clone();
    late.hub.send(Action::Edit(file, TYPED.into()));
    late.hub.send(Action::OpenExample("canary".into()));
    late.hub.send(Action::Check);
    late.hub.send(Action::Apply);
    late.answer_all();
    let state = late.hub.state();
    assert_eq!(state.story.example.as_deref(), Some("canary"));
    assert!(!state.world.view.services.iter().any(|service| &*service.name == "typed"));
}

#[test]
fn keys_on_the_slider_continue_from_the_requested_instant() {
    let late = page();
    late.hub.send(Action::SeekMs(5_000));
    assert_eq!((late.hub.aim_ms(), late.hub.state().world.clock.now_ms), (5_000, 0));
    late.hub.send(Action::SeekMs(late.hub.aim_ms() + 5_000));
    late.link.answer(&late.hub);
    assert_eq!(late.hub.aim_ms(), 10_000, "the first answer does not lead back");
    late.answer_all();
    assert_eq!((late.hub.aim_ms(), late.hub.state().world.clock.now_ms), (10_000, 10_000));
    late.hub.send(Action::SeekMs(3_000));
    late.hub.send(Action::StepEvent(crate::store::action::Toward::Ahead));
    assert_eq!(late.hub.aim_ms(), 10_000, "where a step leads is not known before the answer");
}

#[test]
fn text_typed_during_a_rollout_is_not_rolled_out() {
    let late = page();
    late.hub.send(Action::StepEvent(crate::store::action::Toward::Ahead));
    late.answer_all();
    let file = late.hub.state().draft.file.clone();
    let text = late.hub.state().draft.text().to_owned();
    late.hub.send(Action::Edit(file.clone(), format!("{text}# one\n")));
    late.hub.send(Action::RollOut);
    late.hub.send(Action::Edit(file.clone(), format!("{text}# one\n# two\n")));
    late.answer_all();
    assert!(late.hub.state().draft.dirty(), "the second line is not running");
    late.hub.send(Action::Edit(file, format!("{text}# one\n")));
    late.hub.send(Action::RollOut);
    late.answer_all();
    assert!(!late.hub.state().draft.dirty());
}

#[test]
fn findings_about_another_definition_are_ignored() {
    let late = page();
    late.hub.send(Action::Beside(true));
    late.hub.send(Action::OpenText(TYPED.into()));
    late.answer_all();
    late.hub.send(Action::Check);
    late.hub.send(Action::PickService(0));
    late.answer_all();
    let labels: Vec<_> = late.hub.state().all_drafts().iter().map(|draft| draft.label.to_string()).collect();
    assert_eq!(labels, ["web-shop", "typed"]);
}

#[test]
fn the_second_of_two_clicks_does_not_remove_another_service() {
    let late = page();
    for name in ["second", "third"] {
        late.hub.send(Action::Beside(true));
        late.hub.send(Action::OpenText(TYPED.replace("typed", name)));
        late.answer_all();
    }
    assert_eq!(late.hub.state().world.view.services.len(), 3);
    late.hub.send(Action::DropService(0));
    late.hub.send(Action::DropService(0));
    late.answer_all();
    assert_eq!(late.hub.state().world.view.services.len(), 2);
}

#[test]
fn the_next_line_of_the_console_is_typed_before_the_answer() {
    let late = page();
    let console = |act| late.hub.send(Action::Console(act));
    console(ConsoleAct::Edit("plan list".into()));
    console(ConsoleAct::Run);
    console(ConsoleAct::Edit("pl".into()));
    console(ConsoleAct::Complete);
    late.answer_all();
    let state = late.hub.state();
    assert_eq!(state.console.answers.back().map(|answer| &*answer.line), Some("plan list"));
    assert_eq!(state.console.line, "plan ", "completed as soon as the words were there");
}

#[test]
fn the_caller_of_an_input_is_told_whether_it_was_accepted() {
    let late = page();
    let heard = Rc::new(Cell::new(None));
    for (input, accepted) in [
        (Input::AddAgent(AddAgent::default()), true),
        (Input::ClearFault(ClearFault { id: "none".to_owned() }), false),
    ] {
        let tell = Rc::clone(&heard);
        late.hub.try_input(input, Callback::from(move |accepted| tell.set(Some(accepted))));
        assert_eq!(heard.take(), None);
        late.answer_all();
        assert_eq!(heard.take(), Some(accepted));
    }
}

#[test]
fn the_caller_of_an_opening_is_told_why_nothing_was_opened() {
    let late = page();
    let heard = Rc::new(RefCell::new(None));
    for (text, refused) in [
        ("version: 1\ncluster: 2\nservices:\n  - exmaple: x\n", true),
        (
            "name: mine\npods:\n  mine:\n    count: 1\n    tasks: {a: {goal: RUNNING, cmd: b, cpus: 0.1, memory: 32}}\n",
            false,
        ),
    ] {
        let tell = Rc::clone(&heard);
        late.hub.try_open(
            &Action::OpenText(text.into()),
            Callback::from(move |outcome| {
                tell.replace(Some(outcome));
            }),
        );
        assert_eq!(heard.take(), None);
        late.answer_all();
        let outcome = heard.take();
        assert!(matches!(outcome, Some(Err(_))) == refused && outcome.is_some(), "{outcome:?}");
        let state = late.hub.state();
        let alert = |toast: &Toast| toast.kind == ToastKind::Alert;
        assert!(!state.ui.toasts.iter().any(alert), "the caller shows the reason");
    }
}

#[test]
fn another_host_continues_where_one_ended() {
    let late = page();
    late.hub.send(Action::SetSpeed(8));
    for input in [Action::SeekMs(4_000), interrupt(&late.hub), Action::SeekMs(7_500)] {
        late.hub.send(input);
        late.answer_all();
    }
    let file = late.hub.state().draft.file.clone();
    let text = format!("{}# mine\n", late.hub.state().draft.text());
    late.hub.send(Action::Edit(file, text.clone()));
    let before = late.hub.state();

    // The first of these ends the host; the second one is asked again.
    let add = || Action::Do(Box::new(Input::AddAgent(AddAgent::default())));
    late.hub.send(Action::Reset);
    late.hub.send(add());
    let mut rest = late.hub.ended();
    assert!(matches!(rest.remove(0).ask, Ask::Reset));
    let link = Rc::new(Wired::late(&late.hub));
    let hub = &late.hub;
    hub.relink(Rc::clone(&link) as Rc<dyn Link>);
    let resume = Resume {
        tab: hub.kept_tab(),
        at: (before.world.clock.now_ms, before.world.clock.seq),
        lineage: before.world.log.lineage,
        ..Resume::default()
    };
    hub.go_on(Ask::Resume(Box::new(resume)), rest);
    link.answer(hub);
    let state = hub.state();
    assert_eq!(state.world.view.clock.digest, before.world.view.clock.digest);
    assert_eq!((state.world.clock, state.world.log.lineage), (before.world.clock, before.world.log.lineage));
    assert_eq!((state.draft.text(), state.draft.dirty()), (text.as_str(), true), "the editor is the page's");
    assert_eq!(state.ui.selected, before.ui.selected);
    assert_eq!(state.story.title, before.story.title);
    while link.answer(hub) {}
    let machines = |state: &State| state.world.view.cluster.machines.len();
    assert_eq!(machines(&hub.state()), machines(&before) + 1);
}

#[test]
fn a_host_that_takes_over_continues_from_a_moment_that_was_never_stored() {
    let late = page();
    let hub = &late.hub;
    hub.send(Action::SetSpeed(8));
    hub.send(Action::TogglePlay);
    for _ in 0..20 {
        hub.send(Action::Frame(16.0));
        late.answer_all();
    }
    hub.send(Action::Pause);
    let (before, tab) = (hub.state(), hub.kept_tab());
    let at = moment(hub, &late.link);
    assert!(before.world.clock.now_ms > 10_000);
    hub.ended();
    let link = Rc::new(Wired::late(hub));
    hub.relink(Rc::clone(&link) as Rc<dyn Link>);
    let resume = Resume {
        tab,
        at: (before.world.clock.now_ms, before.world.clock.seq),
        lineage: before.world.log.lineage,
        ..Resume::default()
    };
    hub.go_on(Ask::Resume(Box::new(resume)), Vec::new());
    while link.answer(hub) {}
    assert_eq!(moment(hub, &link), at);
    assert_eq!(hub.state().story.lines, before.story.lines, "the script goes on");
}

#[test]
fn immediate_and_late_answers_lead_to_the_same_state() {
    let now = super::page("", None);
    let late = page();
    for action in [Action::SeekMs(3_000), interrupt(&now), Action::Undo, Action::SeekMs(60_000)] {
        now.send(action.clone());
        late.hub.send(action);
    }
    late.answer_all();
    play_to_rest(&now);
    late.hub.send(Action::SeekMs(now.state().world.clock.now_ms));
    late.answer_all();
    assert_eq!(late.hub.state().world.view.clock.digest, now.state().world.view.clock.digest);
}
