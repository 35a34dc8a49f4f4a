//! The page in a frame: the element that its address names is selected when the run opens.

use crate::store::Action;
use crate::store::effects;
use crate::store::frame::Frame;
use crate::store::hub::Hub;
use crate::store::link::Wired;
use crate::store::selectors::tree;
use crate::store::state::State;
use planarium_messages::questions::Ask;
use planarium_protocol::Input;
use std::rc::Rc;

/// A page in a frame that shows the first example.
fn framed(select: Option<&str>) -> Hub {
    let frame = Frame::read(&|key| select.filter(|_| key == "select").map(str::to_owned));
    let hub = Hub::new(State::framed(frame));
    let begin = effects::begin("", Some("hello-world"));
    hub.connect(Rc::new(Wired::new(&hub)), Ask::Begin(Box::new(begin)));
    hub
}

fn selected(hub: &Hub) -> String {
    hub.state().ui.selected.as_ref().map(tree::title).unwrap_or_default()
}

#[test]
fn an_address_selects_an_element_once() {
    let first = selected(&framed(None));
    assert_eq!(first, "deploy");
    let view = framed(None).state().world.view.clone();
    let service = view.services.first().expect("a service");
    let plan = service.plans.first().expect("a plan");
    let phase = plan.phases.first().expect("a phase");
    let step = phase.steps.first().expect("a step");
    let names = format!("{}/{}/{}", plan.name, phase.name, step.name);
    let title = format!("{} › {} › {}", plan.name, phase.name, step.name);
    for text in [names.clone(), format!("{}/{names}", service.name), format!("/{names}/")] {
        let hub = framed(Some(&text));
        assert_eq!(selected(&hub), title, "{text}");
        hub.send(Action::OpenText(super::TYPED.into()));
        assert_eq!(selected(&hub), first, "another world begins with its plan");
    }
    for text in [format!("{}/{}", plan.name, phase.name), format!("{}/{}", service.name, plan.name)] {
        assert!(title.starts_with(&selected(&framed(Some(&text)))), "{text}");
    }
    for text in ["", "nowhere", "deploy/", "deploy/nowhere", "deploy/hello/nowhere", "//"] {
        assert_eq!(selected(&framed(Some(text))), first, "{text:?}");
    }
}

/// A page in a frame with this query, on an example.
fn framed_with(query: &[(&str, &str)]) -> Hub {
    let value = |key: &str| query.iter().find(|(name, _)| *name == key).map(|(_, value)| (*value).to_owned());
    let frame = Frame::read(&value);
    let begin = effects::begin_in_frame("", Some("hello-world"), &frame);
    let hub = Hub::new(State::framed(frame));
    hub.connect(Rc::new(Wired::new(&hub)), Ask::Begin(Box::new(begin)));
    hub
}

#[test]
fn a_document_chooses_machines_and_seed_of_what_is_opened() {
    let machines = |hub: &Hub| hub.state().world.view.cluster.machines.len();
    let usual = machines(&framed_with(&[]));
    assert_ne!(usual, 4);
    let hub = framed_with(&[("nodes", "4"), ("seed", "77")]);
    assert_eq!((machines(&hub), hub.state().world.view.clock.seed), (4, 77));
    hub.send(Action::OpenText(super::TYPED.into()));
    assert_eq!((machines(&hub), hub.state().world.view.clock.seed), (4, 77), "a definition, too");
    assert_eq!(machines(&framed_with(&[("cluster", "small")])), 3);
    assert_eq!(machines(&framed_with(&[("cluster", "huge"), ("nodes", "-3")])), usual);
}

#[test]
fn a_reader_gives_only_the_commands_that_the_document_allows() {
    let lost = || -> Box<Input> {
        Box::new(serde_json::from_str(r#"{"kind":"remove-agent","agent":"agent-1"}"#).expect("an input"))
    };
    let inputs = |commands: &str| {
        let hub = framed_with(&[("commands", commands)]);
        hub.send(Action::SeekMs(5_000));
        let before = hub.state().world.clock.head_seq;
        hub.send(Action::Do(lost()));
        let said =
            hub.state().ui.toasts.iter().map(|toast| toast.text.to_string()).collect::<Vec<_>>().join(" ");
        (hub.state().world.clock.head_seq > before, said)
    };
    let (done, said) = inputs("none");
    assert!(!done && said.contains("Not done: this document allows no commands here."), "{said}");
    assert!(!inputs("continue,agent-lost").0);
    assert!(inputs("remove-agent").0 && inputs("all").0);
}
