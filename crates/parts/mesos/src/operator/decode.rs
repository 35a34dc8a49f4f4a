//! Reads operator calls from the bodies of the v0 and the v1 API.

use super::{
    call::{Conversion, Convert, OperatorCall},
    forms::form_fields,
    quota, weights,
};
use crate::wire::{
    read::{Message, Read, bad, messages, missing},
    resource::{read, read_valid_list},
};
use planarium_protocol::Text;
use planarium_protocol::json::bare;
use serde_json::Value;

/// Changes of the v0 API.
#[derive(Clone, Copy, Debug)]
pub enum V0 {
    /// Sets weights.
    Weights,
    /// Sets a quota.
    Quota,
    /// Removes the quota of the role that the path ends with.
    RemoveQuota,
    /// Converts resources.
    Convert(Conversion),
    /// Ends a framework.
    Teardown,
}

/// Reads a change of the v0 API; the body is JSON, or for form endpoints its text or its fields. `rest` is what follows the path.
pub fn v0_call(change: V0, rest: &[&str], body: &Value) -> Read<OperatorCall> {
    match change {
        V0::Weights => weights::read_list(body),
        V0::Quota => Message::of(body).and_then(|request| quota::read_request(&request)),
        V0::RemoveQuota => quota::read_path(rest),
        V0::Convert(kind) => form_call(Some(kind), body),
        V0::Teardown => form_call(None, body),
    }
}

/// Reads the form of a conversion, or without one that of a teardown.
fn form_call(kind: Option<Conversion>, form: &Value) -> Read<OperatorCall> {
    let fields = match form {
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), bare(value))).collect(),
        form => form_fields(form.as_str().unwrap_or_default()),
    };
    let field = |name: &str| {
        let text = fields.get(name).filter(|text| !text.is_empty());
        text.map(String::as_str).ok_or_else(|| bad(format!("Missing '{name}' in the request body")))
    };
    let Some(kind) = kind else {
        return field("frameworkId").map(|id| OperatorCall::Teardown { framework_id: id.into() });
    };
    let agent_id = field("slaveId")?.into();
    let text = field(kind.list())?;
    let value: Value = planarium_protocol::json::value(text.as_bytes())
        .map_err(|error| bad(format!("Error in parsing '{}' in the request body: {error}", kind.list())))?;
    if !value.is_array() {
        return Err(bad(format!("'{}' must be a JSON array", kind.list())));
    }
    let resources = read_valid_list(&messages(&value, kind.list())?)?;
    let source = match fields.get("source").filter(|_| kind == Conversion::Reserve) {
        None => Vec::new(),
        Some(text) => {
            let value: Value = planarium_protocol::json::value(text.as_bytes())
                .map_err(|error| bad(format!("Error in parsing 'source' in the request body: {error}")))?;
            read_valid_list(&messages(&value, "source")?)?
        }
    };
    Ok(OperatorCall::Convert(Convert { kind, agent_id, resources, source }))
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
        "GROW_VOLUME" => {
            return Some((|| {
                let part = body.needs("grow_volume")?;
                let (volume, addition) = (part.needs("volume")?, part.needs("addition")?);
                let one = |resource: &Message<'_>| read(resource)?.map_err(|invalid| bad(invalid.text));
                let (volume, addition) = (one(&volume)?, one(&addition)?);
                Ok(OperatorCall::Grow { agent_id: agent_of(&part)?, volume, addition })
            })());
        }
        "SHRINK_VOLUME" => {
            return Some((|| {
                let part = body.needs("shrink_volume")?;
                let volume = read(&part.needs("volume")?)?.map_err(|invalid| bad(invalid.text))?;
                let subtract = part.needs("subtract")?;
                subtract.double("value")?.ok_or_else(|| missing("value"))?;
                Ok(OperatorCall::Shrink {
                    agent_id: agent_of(&part)?,
                    volume,
                    by: subtract.rounded("value")?,
                })
            })());
        }
        "SET_LOGGING_LEVEL" => {
            return Some((|| {
                let part = body.needs("set_logging_level")?;
                let level = part.int("level")?.ok_or_else(|| missing("level"))?;
                let level = u32::try_from(level).map_err(|_| bad("'level' is not a number of 32 bits"))?;
                let ns = part.needs("duration")?.int("nanoseconds")?.ok_or_else(|| missing("nanoseconds"))?;
                let for_ms = u64::try_from(ns / 1_000_000).unwrap_or(0);
                Ok(OperatorCall::SetLoggingLevel { level, for_ms })
            })());
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
            Conversion::Reserve => read_valid_list(&part.messages("source")?)?,
            _ => Vec::new(),
        };
        Ok(OperatorCall::Convert(Convert {
            kind: conversion,
            agent_id,
            resources: read_valid_list(&list)?,
            source,
        }))
    })())
}

/// The agent of a volume: resource providers do not exist here.
fn agent_of(part: &Message<'_>) -> Read<Text> {
    part.id("agent_id")?.ok_or_else(|| bad("Expecting 'agent_id' to be present"))
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
        assert!(form_fields("").is_empty() && v0_call(V0::Teardown, &[], &Value::Null).is_err());
    }
}
