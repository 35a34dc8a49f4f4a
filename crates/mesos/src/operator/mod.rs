//! What an operator asks the master to change: reservations, volumes, weights, quotas, the end of a framework.
//!
//! A call is read in full, then checked, then carried out at once; a refused one leaves everything as it was. Nobody is
//! authenticated here, so principals are taken as they are written.
//!
//! Source: `apache/mesos: src/master/http.cpp` (teardown, api). Match.

mod convert;
mod quota;
mod weights;

pub use convert::Conversion;
pub use quota::QuotaConfig;

use crate::{
    Master,
    api::Resource,
    wire::{
        Answer,
        read::{Message, Read, bad, messages},
        resource::read_list,
    },
};
use planarium_fleet::{Cx, Fleet};
use planarium_kernel::Milli;
use planarium_protocol::{Refusal, Text, refusal::RefusalCode};
use serde_json::Value;
use std::collections::BTreeMap;

/// A change that an operator asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorCall {
    /// Change what resources of an agent are.
    Convert(Convert),
    /// Set weights of roles.
    UpdateWeights(Vec<(Text, Milli)>),
    /// Give a role a quota that has none: what it is guaranteed, which is its limit too.
    SetQuota {
        /// The role and its guarantees.
        quota: QuotaConfig,
        /// Even if the cluster has less.
        force: bool,
    },
    /// Give roles other quotas, all or none of them.
    UpdateQuota {
        /// The roles with what they are to have from now on.
        configs: Vec<QuotaConfig>,
        /// Even if the cluster has less, or a role uses more.
        force: bool,
    },
    /// Take a role's quota away.
    RemoveQuota(Text),
    /// Remove a framework.
    Teardown {
        /// Its id on the wire.
        framework_id: Text,
    },
}

/// Resources of an agent that are to become others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convert {
    /// How.
    pub kind: Conversion,
    /// The agent's id on the wire.
    pub agent_id: Text,
    /// As they are to be (reserve, create) or are (unreserve, destroy).
    pub resources: Vec<Resource>,
    /// As they are, when they are reserved already (reserve).
    pub source: Vec<Resource>,
}

/// Reads a call of the v0 API by its method and the parts of its path; the body is JSON, or for endpoints that take a
/// form its text or its fields. None when there is no such call.
pub fn v0_call(method: &str, path: &[&str], body: &Value) -> Option<Read<OperatorCall>> {
    match (method, path) {
        ("PUT", ["weights"]) => Some(weights::read_list(body)),
        ("POST", ["quota"]) => Some(Message::of(body).and_then(|request| quota::read_request(&request))),
        ("DELETE", ["quota", role @ ..]) => Some(quota::read_path(role)),
        ("POST", [path]) => form_call(path, body),
        _ => None,
    }
}

/// Methods by which a path changes something; none when it is no such path.
pub fn v0_methods(path: &[&str]) -> Option<&'static str> {
    match path {
        ["weights"] => Some("GET, PUT"),
        ["quota", ..] => Some("GET, POST, DELETE"),
        ["teardown"] => Some("POST"),
        [path] => Conversion::of_path(path).map(|_| "POST"),
        _ => None,
    }
}

/// Reads the form of an endpoint.
fn form_call(path: &str, form: &Value) -> Option<Read<OperatorCall>> {
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
        let value: Value = planarium_protocol::json::value(text.as_bytes()).map_err(|error| {
            bad(format!("Error in parsing '{}' in the request body: {error}", kind.list()))
        })?;
        if !value.is_array() {
            return Err(bad(format!("'{}' must be a JSON array", kind.list())));
        }
        let resources = read_list(&messages(&value, kind.list())?)?;
        let source = match fields.get("source").filter(|_| kind == Conversion::Reserve) {
            None => Vec::new(),
            Some(text) => {
                let value: Value = planarium_protocol::json::value(text.as_bytes()).map_err(|error| {
                    bad(format!("Error in parsing 'source' in the request body: {error}"))
                })?;
                read_list(&messages(&value, "source")?)?
            }
        };
        Ok(OperatorCall::Convert(Convert { kind, agent_id, resources, source }))
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
    match &*kind {
        "UPDATE_WEIGHTS" => return Some(body.needs("update_weights").and_then(|part| weights::read(&part))),
        "SET_QUOTA" => {
            let request = body.needs("set_quota").and_then(|part| part.needs("quota_request"));
            return Some(request.and_then(|request| quota::read_request(&request)));
        }
        "UPDATE_QUOTA" => return Some(body.needs("update_quota").and_then(|part| quota::read_update(&part))),
        "REMOVE_QUOTA" => {
            let role = body.needs("remove_quota").and_then(|part| part.needs_text("role"));
            return Some(role.map(OperatorCall::RemoveQuota));
        }
        _ => {}
    }
    let conversion = Conversion::of_type(&kind)?;
    Some((|| {
        let part = body.needs(&kind.to_ascii_lowercase())?;
        let agent_id = part.needs_id("agent_id")?;
        let list = part.messages(conversion.list())?;
        let source = match conversion {
            Conversion::Reserve => read_list(&part.messages("source")?)?,
            _ => Vec::new(),
        };
        Ok(OperatorCall::Convert(Convert {
            kind: conversion,
            agent_id,
            resources: read_list(&list)?,
            source,
        }))
    })())
}

/// A field as the form would hold it.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// More than the books are kept for.
fn beyond(text: String) -> Refusal {
    Refusal { status: 400, ..Refusal::new(RefusalCode::LimitReached, text) }
}

/// Fields of a form, percent-decoded; the last of a repeated name wins.
pub fn form_fields(form: &str) -> BTreeMap<String, String> {
    let pairs = form.trim().split('&').filter(|pair| !pair.is_empty());
    let split = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (percent_decoded(name, true), percent_decoded(value, true))
    };
    planarium_kernel::sorted::tree(pairs.map(split))
}

/// Percent-decoding; broken escapes stay as they are. In forms a plus is a space.
pub fn percent_decoded(text: &str, plus_is_space: bool) -> String {
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
            (b'+', _) if plus_is_space => bytes.push(b' '),
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Master {
    /// Carries an operator's call out.
    ///
    /// *Errors*: 400 for what is wrong with the call, 409 when there is too little of what is asked for.
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
            OperatorCall::Convert(convert) => {
                self.convert_for_operator(cx, convert)?;
                Answer::empty(202)
            }
            OperatorCall::UpdateWeights(weights) => {
                self.update_weights(cx, weights)?;
                Answer::empty(200)
            }
            OperatorCall::SetQuota { quota, force } => {
                self.set_quota(cx, quota, *force)?;
                Answer::empty(200)
            }
            OperatorCall::UpdateQuota { configs, force } => {
                self.update_quota(cx, configs, *force)?;
                Answer::empty(200)
            }
            OperatorCall::RemoveQuota(role) => {
                self.remove_quota(cx, role)?;
                Answer::empty(200)
            }
        };
        self.run_requested(cx, fleet);
        Ok(answer)
    }
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
        assert!(form_fields("").is_empty() && v0_call("POST", &["state"], &Value::Null).is_none());
    }
}
