//! What an operator asks the master to change: reservations, volumes, the end of a framework.
//!
//! A call is read in full, then checked, then carried out at once; a refused one leaves everything as it was. Where too
//! little is free, outstanding offers that contribute are rescinded one by one, in the order they were made, until
//! enough is; others stay. Nobody is authenticated here, so principals are taken as they are written.
//!
//! Source: `apache/mesos: src/master/http.cpp` (reserve, unreserve, createVolumes, destroyVolumes, teardown, _operation).
//! Match; where the agent has too little even with all offers taken back, none is.

use crate::{
    Master,
    accept::amount,
    agent::AgentState,
    allocator::filter::DEFAULT_REFUSE_MS,
    api::{AgentId, Resource, Resources},
    wire::{
        Answer,
        query::refusal,
        read::{Message, Read, bad, messages, missing},
        resource::read_list,
    },
};
use planarium_fleet::{Cx, Fleet};
use planarium_protocol::{EventBody, Refusal, Text, refusal::RefusalCode};
use serde_json::Value;
use std::collections::BTreeMap;

/// Who stands behind operator calls in events.
const OPERATOR: &str = "operator";

/// A change that an operator asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorCall {
    /// Change what resources of an agent are.
    Convert {
        /// How.
        kind: Conversion,
        /// The agent's id on the wire.
        agent_id: Text,
        /// As they are to be (reserve, create) or are (unreserve, destroy).
        resources: Vec<Resource>,
    },
    /// Remove a framework.
    Teardown {
        /// Its id on the wire.
        framework_id: Text,
    },
}

/// Ways to change resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Reserve.
    Reserve,
    /// Give the topmost reservation up.
    Unreserve,
    /// Make persistent volumes.
    Create,
    /// Destroy persistent volumes.
    Destroy,
}

impl Conversion {
    /// The last part of the v0 path.
    fn of_path(path: &str) -> Option<Self> {
        Some(match path {
            "reserve" => Self::Reserve,
            "unreserve" => Self::Unreserve,
            "create-volumes" => Self::Create,
            "destroy-volumes" => Self::Destroy,
            _ => return None,
        })
    }

    /// The type of the v1 call.
    fn of_type(kind: &str) -> Option<Self> {
        Some(match kind {
            "RESERVE_RESOURCES" => Self::Reserve,
            "UNRESERVE_RESOURCES" => Self::Unreserve,
            "CREATE_VOLUMES" => Self::Create,
            "DESTROY_VOLUMES" => Self::Destroy,
            _ => return None,
        })
    }

    /// What the resources are called in the body.
    const fn list(self) -> &'static str {
        match self {
            Self::Reserve | Self::Unreserve => "resources",
            Self::Create | Self::Destroy => "volumes",
        }
    }

    /// What the agent must have.
    fn from(self, resource: &Resource) -> Resource {
        match self {
            Self::Reserve => resource.popped(),
            Self::Create => resource.without_volume(),
            Self::Unreserve | Self::Destroy => resource.clone(),
        }
    }

    /// What becomes of it.
    fn to(self, resource: &Resource) -> Resource {
        match self {
            Self::Reserve | Self::Create => resource.clone(),
            Self::Unreserve => resource.popped(),
            Self::Destroy => resource.without_volume(),
        }
    }
}

/// Reads the form of a v0 endpoint; `path` is its last part. None when it is not one of these endpoints. The fields of the
/// form may also be given as an object.
pub fn v0_call(path: &str, form: &Value) -> Option<Read<OperatorCall>> {
    let fields = match form {
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), plain(value))).collect(),
        form => form_fields(form.as_str().unwrap_or_default()),
    };
    let field = |name: &str| {
        let text = fields.get(name).filter(|text| !text.is_empty());
        text.map(String::as_str).ok_or_else(|| bad(format!("Missing '{name}' in the request body")))
    };
    if path == "teardown" {
        return Some(field("frameworkId").map(|id| OperatorCall::Teardown { framework_id: id.into() }));
    }
    let kind = Conversion::of_path(path)?;
    Some((|| {
        let agent_id = field("slaveId")?.into();
        let text = field(kind.list())?;
        let value: Value = serde_json::from_str(text).map_err(|error| {
            bad(format!("Error in parsing '{}' in the request body: {error}", kind.list()))
        })?;
        if !value.is_array() {
            return Err(bad(format!("'{}' must be a JSON array", kind.list())));
        }
        if fields.contains_key("source") {
            return Err(bad("Re-reservation ('source') is not simulated"));
        }
        let resources = read_list(&messages(&value, kind.list())?)?;
        Ok(OperatorCall::Convert { kind, agent_id, resources })
    })())
}

/// Reads a v1 call. None when its type is not one of these.
pub fn v1_call(body: &Value) -> Option<Read<OperatorCall>> {
    let body = Message::of(body).ok()?;
    let kind = body.text("type").ok()??;
    if &*kind == "TEARDOWN" {
        return Some((|| {
            let framework_id = body.needs("teardown")?.needs_id("framework_id")?;
            Ok(OperatorCall::Teardown { framework_id })
        })());
    }
    let conversion = Conversion::of_type(&kind)?;
    Some((|| {
        let part = body.needs(&kind.to_ascii_lowercase())?;
        let agent_id = part.needs_id("agent_id")?;
        if part.has("source") {
            return Err(bad("Re-reservation ('source') is not simulated"));
        }
        let list = part.messages(conversion.list())?;
        Ok(OperatorCall::Convert { kind: conversion, agent_id, resources: read_list(&list)? })
    })())
}

/// A field as the form would hold it.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Fields of a form, percent-decoded; the last of a repeated name wins.
pub fn form_fields(form: &str) -> BTreeMap<String, String> {
    let pairs = form.trim().split('&').filter(|pair| !pair.is_empty());
    let split = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    };
    pairs.map(split).collect()
}

/// Percent-decoding; broken escapes stay as they are.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        let digit = |b: &u8| char::from(*b).to_digit(16).and_then(|d| u8::try_from(d).ok());
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => match digit(high).zip(digit(low)) {
                Some((high, low)) => {
                    bytes.push(high << 4 | low);
                    rest = after;
                }
                None => bytes.push(b'%'),
            },
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Master {
    /// Carries an operator's call out.
    ///
    /// *Errors*: 400 for what is wrong with the call, 409 when the agent has too little of what is asked for.
    pub fn operate(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        call: &OperatorCall,
    ) -> Result<Answer, Refusal> {
        let answer = match call {
            OperatorCall::Teardown { framework_id } => {
                let id = self
                    .framework_by_id(framework_id)
                    .ok_or_else(|| bad(format!("No framework found with ID '{framework_id}'")))?;
                self.remove_framework(cx, fleet, id);
                Answer::empty(200)
            }
            OperatorCall::Convert { kind, agent_id, resources } => {
                self.convert_for_operator(cx, *kind, agent_id, resources)?;
                Answer::empty(202)
            }
        };
        self.run_requested(cx, fleet);
        Ok(answer)
    }

    fn convert_for_operator(
        &mut self,
        cx: &mut Cx,
        kind: Conversion,
        agent_id: &Text,
        resources: &[Resource],
    ) -> Result<(), Refusal> {
        let known = self
            .agents
            .iter()
            .position(|agent| agent.name == *agent_id && agent.state == AgentState::Registered);
        let id = known.map(AgentId::at).ok_or_else(|| bad("No agent found with specified ID"))?;
        if resources.is_empty() {
            return Err(missing(kind.list()));
        }
        let total = self.allocator.slot(id).map(|slot| slot.total.clone()).unwrap_or_default();
        for (n, resource) in resources.iter().enumerate() {
            Self::check_conversion(kind, &total, resource)?;
            let same = |other: &Resource| {
                other.persistence().is_some() && other.persistence() == resource.persistence()
            };
            if resources.iter().take(n).any(same) {
                return Err(bad("A persistence id occurs twice"));
            }
        }
        let from: Resources = resources.iter().map(|resource| kind.from(resource)).collect();
        let to: Resources = resources.iter().map(|resource| kind.to(resource)).collect();
        self.free_up(cx, id, &from)?;
        if !self.allocator.convert_free(id, &from, &to, cx.cause()) {
            return Err(too_little(&from));
        }
        self.tell_conversion(cx, kind, id, resources);
        self.touch_agent(cx, id);
        Ok(())
    }

    /// What is wrong with one resource of a call, whatever is free.
    fn check_conversion(kind: Conversion, total: &Resources, resource: &Resource) -> Result<(), Refusal> {
        amount(resource).map_err(bad)?;
        if resource.allocation_role.is_some() {
            return Err(bad("'allocation_info' must not be set"));
        }
        match kind {
            Conversion::Reserve | Conversion::Unreserve => {
                if !resource.is_dynamically_reserved() {
                    return Err(bad(format!("{resource} is not dynamically reserved")));
                }
                if resource.persistence().is_some() {
                    return Err(bad("A persistent volume cannot be reserved or unreserved"));
                }
            }
            Conversion::Create | Conversion::Destroy => {
                let Some(volume) = resource.persistence() else {
                    return Err(bad(format!("{resource} is not a persistent volume")));
                };
                if resource.reservations.is_empty() {
                    return Err(bad("A persistent volume needs reserved disk"));
                }
                if volume.id.is_empty() || volume.id.contains('/') || volume.container_path.is_empty() {
                    return Err(bad("A persistent volume needs an id and a container path"));
                }
                let known = |other: &Resource| {
                    other.role() == resource.role() && other.persistence().is_some_and(|v| v.id == volume.id)
                };
                if kind == Conversion::Create && total.iter().any(known) {
                    return Err(bad(format!("Persistence id '{}' is in use", volume.id)));
                }
                if kind == Conversion::Destroy && !total.contains_one(resource) {
                    return Err(bad("Persistent volume does not exist"));
                }
            }
        }
        Ok(())
    }

    /// Takes offers back until these resources are free. Nothing happens when they cannot be.
    fn free_up(&mut self, cx: &mut Cx, id: AgentId, wanted: &Resources) -> Result<(), Refusal> {
        let mut free = self.allocator.slot(id).map(|slot| slot.free.clone()).unwrap_or_default();
        let mut rescinded = Vec::new();
        for offer in self.offers.values().filter(|offer| offer.agent == id) {
            if free.contains(wanted) {
                break;
            }
            let held = offer.resources.unallocated();
            let short = wanted.minus(&free);
            if short.minus(&held) != short {
                free.add_all(&held);
                rescinded.push(offer.id);
            }
        }
        if !free.contains(wanted) {
            return Err(too_little(wanted));
        }
        for offer in rescinded {
            self.rescind_for(cx, offer, Some(DEFAULT_REFUSE_MS));
        }
        Ok(())
    }

    fn tell_conversion(&self, cx: &mut Cx, kind: Conversion, id: AgentId, resources: &[Resource]) {
        let (framework, agent): (Text, Text) = (OPERATOR.into(), self.hostname(id));
        let text: Text = resources.iter().cloned().collect::<Resources>().to_string().into();
        match kind {
            Conversion::Reserve => {
                cx.emit(EventBody::Reserved { framework, agent, resources: text });
            }
            Conversion::Unreserve => {
                cx.emit(EventBody::Unreserved { framework, agent, resources: text });
            }
            Conversion::Create | Conversion::Destroy => {
                for volume in resources.iter().filter_map(Resource::persistence) {
                    cx.emit(EventBody::Volume {
                        framework: framework.clone(),
                        agent: agent.clone(),
                        path: volume.container_path.clone(),
                        created: kind == Conversion::Create,
                    });
                }
            }
        }
    }
}

fn too_little(wanted: &Resources) -> Refusal {
    refusal(
        RefusalCode::Conflict,
        409,
        format!("Invalid operation: the agent does not have {wanted} to spare"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let form = "slaveId=a-S0&resources=%5B%7B%22name%22%3A%22cpus%22%7D%5D&x=a+b%zz&flag";
        let got = form_fields(form);
        assert_eq!(got["slaveId"], "a-S0");
        assert_eq!(got["resources"], r#"[{"name":"cpus"}]"#);
        assert_eq!((got["x"].as_str(), got["flag"].as_str()), ("a b%zz", ""));
        assert!(form_fields("").is_empty() && v0_call("state", &Value::Null).is_none());
    }
}
