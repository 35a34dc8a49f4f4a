//! A run so long that the engine forgets its first events looks the same as one that was never forgotten.

use super::{TYPED, hash, interrupt, page};
use crate::store::action::{Action, Toward};
use crate::store::gantt::Gantt;
use crate::store::hub::Hub;
use planarium_messages::facts::Reply;
use planarium_messages::questions::Ask;
use planarium_protocol::input::Fault;
use planarium_protocol::{Input, View, json};
use std::cell::RefCell;
use std::rc::Rc;
use yew::Callback;

/// Returns the content of the timeline: lanes of steps and of tasks, and marks.
fn timeline(gantt: &Gantt, end_ms: u64) -> (Vec<String>, Vec<String>) {
    let mut lanes: Vec<_> =
        gantt.lanes().map(|lane| format!("{:?} {:?}", lane.path, lane.segments(end_ms))).collect();
    let tasks = gantt.machines.paths().filter_map(|path| gantt.machines.lane(path));
    lanes.extend(tasks.map(|lane| format!("{:?} {:?}", lane.path, lane.segments(end_ms))));
    lanes.sort();
    (lanes, gantt.marks.iter().map(|mark| format!("{mark:?}")).collect())
}

/// The end of the run as the card tells it.
fn finish(hub: &Hub) -> Reply {
    let found = Rc::new(RefCell::new(None));
    let into = Rc::clone(&found);
    hub.ask(Ask::Finish, Callback::from(move |reply| *into.borrow_mut() = Some(reply)));
    found.take().expect("an answer")
}

/// A view without its revisions, which count the changes on the way.
fn plain(view: &View) -> json::Value {
    fn strip(value: &mut json::Value) {
        match value {
            json::Value::Object(fields) => {
                fields.remove("revision");
                fields.values_mut().for_each(strip);
            }
            json::Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value = json::of(view);
    strip(&mut value);
    value
}

/// A page that is opened with the link of another knows all events of its run at once.
fn like_a_fresh_one(hub: &Hub, what: &str) {
    let fresh = page(&hash(hub), None);
    let (own, other) = (hub.state(), fresh.state());
    let end_ms = own.world.clock.head_ms;
    assert_eq!(
        (end_ms, own.world.clock.head_seq),
        (other.world.clock.head_ms, other.world.clock.head_seq),
        "{what}"
    );
    let (own_lanes, own_marks) = timeline(&own.world.gantt, end_ms);
    let (other_lanes, other_marks) = timeline(&other.world.gantt, end_ms);
    assert_eq!(own_marks, other_marks, "{what}");
    assert_eq!(own_lanes.len(), other_lanes.len(), "{what}");
    let differs = own_lanes.iter().zip(&other_lanes).find(|(own, other)| own != other);
    assert_eq!(differs, None, "{what}");
    assert_eq!(finish(hub), finish(&fresh), "{what}");
    assert_eq!(own.world.log.len(), other.world.log.len(), "{what}");
    assert_eq!(plain(&own.world.view), plain(&other.world.view), "{what}");
}

fn play(hub: &Hub, frames: u32) {
    hub.send(Action::TogglePlay);
    for nth in 0..frames {
        // Most frames of a page that is slow to draw are not shown.
        hub.send(if nth % 4 == 3 { Action::Frame(100.0) } else { Action::Ahead(100.0) });
    }
    hub.send(Action::Pause);
}

#[test]
fn a_run_with_forgotten_events_still_shows_all_of_them() {
    let hub = page("", Some("hello-world"));
    hub.send(Action::OpenText(TYPED.into()));
    hub.send(Action::SetSpeed(8));
    let crash: Fault = json::read(br#"{"fault":"crash-loop","target":{"task":"node-*"}}"#).expect("a fault");
    hub.send(Action::Do(Box::new(Input::Fault(crash))));
    play(&hub, 100);
    let head = hub.state().world.clock;
    assert!(head.head_seq > 2000, "{head:?}");
    like_a_fresh_one(&hub, "at the head");
    // Far back, the events around the cursor are there.
    for tenth in [1, 5, 9, 3] {
        hub.send(Action::SeekTenth(tenth));
        let state = hub.state();
        let clock = state.world.clock;
        let seq = clock.seq;
        assert_eq!(state.world.log.by_seq(seq).map(|event| event.seq), Some(seq), "{tenth}");
        hub.send(Action::StepStatus(Toward::Back));
        let back = hub.state().world.clock;
        assert!((back.now_ms, back.seq) < (clock.now_ms, seq), "{tenth}: it goes back");
        assert!(back.seq + 100 > seq, "{tenth}: from {seq} to {}", back.seq);
    }
    // A branch from long ago, and the way back to the other one.
    hub.send(Action::SeekTenth(4));
    hub.send(interrupt(&hub));
    assert_eq!(hub.state().world.branches.len(), 2);
    like_a_fresh_one(&hub, "in a branch");
    play(&hub, 40);
    like_a_fresh_one(&hub, "further in the branch");
    let main = hub.state().world.branches.iter().find(|tab| !tab.current).expect("another").id;
    hub.send(Action::Branch(main));
    hub.send(Action::SeekTenth(10));
    assert_eq!(hub.state().world.clock.head_seq, head.head_seq);
    like_a_fresh_one(&hub, "back in the first branch");
}

#[test]
fn skipped_frames_lose_nothing() {
    let hub = page("", Some("hello-world"));
    hub.send(Action::OpenText(TYPED.into()));
    hub.send(Action::SetSpeed(8));
    hub.send(Action::TogglePlay);
    let shown = hub.state().world.clock;
    hub.send(Action::Ahead(50.0));
    hub.send(Action::Ahead(50.0));
    assert_eq!(hub.state().world.clock, shown, "nothing is shown yet");
    hub.send(Action::Pause);
    assert_eq!(hub.state().world.clock.now_ms, shown.now_ms + 6400, "a pause shows where the world stands");
    hub.send(Action::TogglePlay);
    hub.send(Action::Ahead(100.0));
    hub.send(interrupt(&hub));
    assert_eq!(hub.state().world.branches.len(), 1, "what is done is done at the head");
}
