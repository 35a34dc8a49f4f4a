//! External scheduler frameworks: subscribed by an input or over HTTP, notified of everything by events.
//!
//! Knows: their names, event streams and policies. Must not know: how the master handles a call; sockets.
//!
//! The master's messages become `framework-event`s. A framework with a policy then answers automatically; one without
//! waits for calls.

mod keeper;
mod pace;
mod policy;

use super::Mesos;
use crate::api::{Call, FrameworkId, Message};
use crate::wire::{SchedulerCall, Subscription, framework_info, scheduler_call};
use planarium_ground::Cx;
use planarium_kernel::SortedMap;
use planarium_kernel::draw;
use planarium_part::Ground;
use planarium_protocol::event::WireEvent;
use planarium_protocol::input::FrameworkInput;
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{EventBody, Refusal, Text};
use policy::Autopilot;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Purpose of the draw that makes the id of an event stream.
const STREAM: u32 = 0x0A11;

/// A framework from outside.
#[derive(Clone, Debug)]
struct Guest {
    /// Its unique name in inputs and events.
    label: Text,
    /// The event stream it listens to, when it came over HTTP.
    stream: Option<Text>,
    autopilot: Option<Autopilot>,
}

/// All external frameworks, including those that have left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guests {
    all: SortedMap<FrameworkId, Arc<Guest>>,
    streams: u64,
}

/// A framework as a transport has to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideView {
    /// Its name in events.
    pub name: Text,
    /// It is connected.
    pub connected: bool,
    /// The event stream it listens to, when it came over HTTP.
    pub stream: Option<Text>,
}

impl Mesos {
    /// The registered framework with this id on the wire; `None` when there is none.
    pub fn framework(&self, framework_id: &str) -> Option<OutsideView> {
        let master = &self.master;
        let id = master.framework_by_id(framework_id)?;
        let connected = master.is_connected(id);
        Some(match self.guests.all.get(&id) {
            Some(guest) => OutsideView { name: guest.label.clone(), connected, stream: guest.stream.clone() },
            None => OutsideView { name: Text::default(), connected, stream: None },
        })
    }

    /// The id of the next event stream.
    pub fn stream_to_come(&self) -> Text {
        let nth = self.guests.streams.saturating_add(1);
        draw::uuid(self.seed, draw::entity("mesos stream"), STREAM, nth).into()
    }

    /// Returns whether this event stream of this framework has a listener.
    pub fn streams_to(&self, name: &str, stream: &str) -> bool {
        let guest = self.guest(name).and_then(|id| Some((id, self.guests.all.get(&id)?)));
        guest.is_some_and(|(id, guest)| {
            guest.stream.as_deref() == Some(stream) && self.master.is_connected(id)
        })
    }

    /// The registered framework of this name.
    fn guest(&self, name: &str) -> Option<FrameworkId> {
        let named = self.guests.all.iter().filter(|(_, guest)| *guest.label == *name);
        let master = &self.master;
        named.map(|(id, _)| *id).find(|id| master.framework_by_id(master.framework_id(*id)) == Some(*id))
    }

    /// Carries out a `framework` input.
    pub(crate) fn framework_input(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        input: &FrameworkInput,
    ) -> Result<Value, Refusal> {
        if input.op == "add" {
            return self.add_guest(cx, ground, input);
        }
        let id = self.guest(&input.name).ok_or_else(|| {
            Refusal::new(RefusalCode::NotFound, format!("no framework {} from outside", input.name))
        })?;
        match input.op.as_str() {
            "call" => {
                let framework_id = self.master.framework_id(id).to_owned();
                self.scheduler_call(cx, ground, &with_framework_id(&input.call, &framework_id))
            }
            "remove" => {
                self.call_of(cx, ground, id, Call::Teardown);
                Ok(json!({ "status": 200 }))
            }
            "disconnect" => {
                self.act(cx, ground, |master, _, cx| master.disconnect_framework(cx, id));
                Ok(json!({ "status": 200 }))
            }
            other => Err(bad(format!("`op` is add, call, remove or disconnect, not `{other}`"))),
        }
    }

    fn add_guest(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        input: &FrameworkInput,
    ) -> Result<Value, Refusal> {
        if input.name.is_empty() {
            return Err(bad("a framework has a name"));
        }
        if self.guest(&input.name).is_some() {
            let text = format!("a framework {} is there already", input.name);
            return Err(Refusal::new(RefusalCode::Conflict, text));
        }
        let autopilot = match input.policy.as_deref() {
            None => None,
            Some(word) => Autopilot::parse(word, &input.name).ok_or_else(|| {
                let known = "accept, decline, migrate, replicate, move, grow or manual";
                bad(format!("`policy` is {known}, not `{word}`"))
            })?,
        };
        let none = json!({});
        let described = match &input.call {
            Value::Null => &none,
            call => {
                described(call).ok_or_else(|| bad("`call` holds a SUBSCRIBE call with `framework_info`"))?
            }
        };
        let subscription = framework_info(described, Some(&input.name), &input.roles)?;
        let id = self.welcome(cx, ground, input.name.as_str().into(), None, autopilot, subscription.info);
        Ok(json!({ "status": 200, "framework_id": self.master.framework_id(id) }))
    }

    /// Subscribes a framework and records it before the master sends it anything.
    fn welcome(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        label: Text,
        stream: Option<Text>,
        autopilot: Option<Autopilot>,
        info: crate::api::FrameworkInfo,
    ) -> FrameworkId {
        let id = self.master.subscribe(cx, ground.fleet_mut(), info);
        self.guests.all.insert(id, Arc::new(Guest { label, stream, autopilot }));
        id
    }

    /// Subscribes frameworks that came by an input again after a failover. Those that came over HTTP must do it
    /// themselves.
    pub(crate) fn return_guests(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, orphans: &[FrameworkId]) {
        for id in orphans {
            if self.guests.all.get(id).is_some_and(|guest| guest.stream.is_none()) {
                self.act(cx, ground, |master, fleet, cx| {
                    master.resubscribe_as_before(cx, fleet, *id);
                });
            }
        }
    }

    fn call_of(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, id: FrameworkId, call: Call) {
        self.act(cx, ground, |master, fleet, cx| master.call(cx, fleet, id, call));
    }

    /// Carries a v1 scheduler call out.
    pub(crate) fn scheduler_call(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        body: &Value,
    ) -> Result<Value, Refusal> {
        let from = scheduler_call(&self.master, body)?;
        if let SchedulerCall::Subscribe(subscription) = from.call {
            return self.subscribe(cx, ground, *subscription, from.framework_id);
        }
        let wire = from.framework_id.unwrap_or_default();
        let master = &self.master;
        let id = master
            .framework_by_id(&wire)
            .filter(|id| self.guests.all.contains_key(id))
            .ok_or_else(|| bad("Framework cannot be found"))?;
        if !master.is_connected(id) {
            let refusal = Refusal::new(RefusalCode::Conflict, "Framework is not subscribed");
            return Err(Refusal { status: 403, ..refusal });
        }
        match from.call {
            SchedulerCall::Call(call) => self.call_of(cx, ground, id, call),
            SchedulerCall::Acknowledge { task_id, agent_id, uuid } => {
                self.act(cx, ground, |master, fleet, cx| {
                    master.acknowledge(cx, fleet, id, &agent_id, &task_id, &uuid);
                });
            }
            SchedulerCall::AcknowledgeOperation { operation_id, agent_id, uuid } => {
                self.act(cx, ground, |master, fleet, cx| {
                    master.acknowledge_operation(cx, fleet, id, &agent_id, &operation_id, &uuid);
                });
            }
            SchedulerCall::Update(subscription) => {
                self.act(cx, ground, |master, _, cx| master.update_framework(cx, id, subscription.info))?;
            }
            SchedulerCall::Shutdown { executor_id, agent_id } => {
                self.act(cx, ground, |master, fleet, cx| {
                    master.shut_down_executor(cx, fleet, id, &agent_id, &executor_id);
                });
            }
            SchedulerCall::Subscribe(_) | SchedulerCall::Nothing => {}
        }
        Ok(json!({ "status": 202 }))
    }

    fn subscribe(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        subscription: Subscription,
        outer: Option<Text>,
    ) -> Result<Value, Refusal> {
        let known = match (&subscription.framework_id, outer) {
            (Some(inner), Some(outer)) if *inner != outer => {
                return Err(bad("'framework_id' differs from 'subscribe.framework_info.id'"));
            }
            (Some(id), _) => Some(id.clone()),
            (None, outer) => outer,
        };
        let stream = self.stream_to_come();
        self.guests.streams += 1;
        let subscribed = known.as_ref().and_then(|wire| self.master.framework_by_id(wire));
        let id = match (subscribed, known) {
            (Some(id), _) => {
                let Some(guest) = self.guests.all.get_mut(&id).map(Arc::make_mut) else {
                    return Err(turned_down(
                        "this id belongs to a service of the simulated cluster".to_owned(),
                    ));
                };
                guest.stream = Some(stream.clone());
                self.master.resubscribe(cx, ground.fleet_mut(), id, subscription.info);
                id
            }
            (None, Some(wire)) => {
                let label = self.free_label(&subscription.info.name);
                let subscribed = self.master.subscribe_as(cx, ground.fleet_mut(), subscription.info, &wire);
                let id = subscribed.map_err(turned_down)?;
                let guest = Guest { label, stream: Some(stream.clone()), autopilot: None };
                self.guests.all.insert(id, Arc::new(guest));
                id
            }
            (None, None) => {
                let label = self.free_label(&subscription.info.name);
                self.welcome(cx, ground, label, Some(stream.clone()), None, subscription.info)
            }
        };
        self.act(cx, ground, |master, _, _| master.acknowledges_by_calls(id));
        let label = self.guests.all.get(&id).map(|guest| guest.label.clone());
        Ok(json!({
            "status": 200,
            "framework": label,
            "framework_id": self.master.framework_id(id),
            "stream_id": stream,
        }))
    }

    /// The name itself, or with a number behind it while another framework goes by it.
    fn free_label(&self, name: &Text) -> Text {
        let numbered = (2_u32..).map(|n| Text::from(format!("{name}-{n}")));
        std::iter::once(name.clone())
            .chain(numbered)
            .find(|label| self.guest(label).is_none())
            .unwrap_or_default()
    }

    /// Reports a message for an external framework as an event, and answers it by the framework's policy.
    pub(crate) fn tell_guest(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, message: &Message) {
        let id = message.framework;
        let Some(guest) = self.guests.all.get(&id) else { return };
        let label = guest.label.clone();
        let nth = cx.next_seq();
        let event = self.master.event_json(super::calls::calendar(ground), id, &message.event, nth);
        cx.set_cause(message.cause);
        let seq = cx.emit(EventBody::FrameworkEvent { framework: label, event: WireEvent(event) });
        let Some(guest) = self.guests.all.get_mut(&id) else { return };
        if guest.autopilot.is_none() {
            return;
        }
        let now_ms = ground.epoch_ms.saturating_add(cx.now().ms());
        let calls = match &mut Arc::make_mut(guest).autopilot {
            Some(autopilot) => autopilot.on_event(&message.event, now_ms),
            None => Vec::new(),
        };
        for call in calls {
            cx.set_cause(planarium_kernel::cause::Cause::Event(seq));
            self.call_of(cx, ground, id, call);
        }
    }
}

/// A subscription that the master answers with an error on its stream.
fn turned_down(why: String) -> Refusal {
    Refusal { status: 400, ..Refusal::new(RefusalCode::InvalidDefinition, why) }
}

fn bad(text: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::BadRequest, text)
}

/// Returns the description in a SUBSCRIBE call, with or without its envelope.
fn described(call: &Value) -> Option<&Value> {
    let inner = call.get("subscribe").unwrap_or(call);
    let info = inner.get("framework_info").unwrap_or(inner);
    let is_call = call.get("type").is_some();
    let found = info.is_object() && (!is_call || call.get("subscribe").is_some());
    found.then_some(info)
}

/// The call as its framework would send it.
fn with_framework_id(call: &Value, framework_id: &str) -> Value {
    let mut call = match call {
        Value::Object(map) => map.clone(),
        other => return other.clone(),
    };
    let mut id = Map::new();
    id.insert("value".to_owned(), json!(framework_id));
    call.insert("framework_id".to_owned(), Value::Object(id));
    Value::Object(call)
}
