//! The page in a frame: the element that its address names is selected when the run opens.

use crate::store::Action;
use crate::store::effects;
use crate::store::frame::Frame;
use crate::store::hub::Hub;
use crate::store::link::Wired;
use crate::store::selectors::tree;
use crate::store::state::State;
use planarium_messages::questions::Ask;
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
