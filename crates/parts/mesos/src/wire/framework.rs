//! Framework descriptions: reading and writing.
//!
//! Source: `apache/mesos: include/mesos/v1/mesos.proto` (FrameworkInfo), `src/master/validation.cpp` (framework).
//! Match; a readable but invalid description is a separate case ([`invalid`]), since the master answers it with an
//! ERROR event.

use super::read::{Message, Read, bad};
use crate::{
    api::validity::is_role,
    api::{Capability, FrameworkInfo},
};
use planarium_kernel::{Milli, SortedMap};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};
use serde_json::{Map, Value};

/// Largest number of roles of one framework.
const MAX_ROLES: usize = 1_000;
/// Largest number of `offer_filters` for one role.
const MAX_RULES: usize = 100;

const CAPABILITIES: [(Capability, &str); 8] = [
    (Capability::RevocableResources, "REVOCABLE_RESOURCES"),
    (Capability::TaskKillingState, "TASK_KILLING_STATE"),
    (Capability::GpuResources, "GPU_RESOURCES"),
    (Capability::SharedResources, "SHARED_RESOURCES"),
    (Capability::PartitionAware, "PARTITION_AWARE"),
    (Capability::MultiRole, "MULTI_ROLE"),
    (Capability::ReservationRefinement, "RESERVATION_REFINEMENT"),
    (Capability::RegionAware, "REGION_AWARE"),
];

/// The words of the capabilities.
pub(crate) fn capability_words(info: &FrameworkInfo) -> Vec<&'static str> {
    CAPABILITIES.iter().filter(|(capability, _)| info.can(*capability)).map(|(_, word)| *word).collect()
}

/// A framework that subscribes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subscription {
    /// Its id, if it was subscribed before.
    pub framework_id: Option<Text>,
    /// Its description.
    pub info: FrameworkInfo,
}

/// Reads a description. `name` and `roles` are defaults.
///
/// *Errors*: why the description is malformed (400).
pub fn framework_info(value: &Value, name: Option<&str>, roles: &[String]) -> Read<Subscription> {
    read(&Message::of(value)?, name, roles, &[])
}

pub(crate) fn read(
    message: &Message<'_>,
    name: Option<&str>,
    more_roles: &[String],
    suppressed: &[Text],
) -> Read<Subscription> {
    let (user, own_name) = match name {
        Some(name) => (message.text("user")?.unwrap_or_else(|| "root".into()), name.into()),
        None => (message.needs_text("user")?, message.needs_text("name")?),
    };
    let mut capabilities = Vec::new();
    for capability in message.messages("capabilities")? {
        let word = capability.text("type")?.unwrap_or_default();
        let known = CAPABILITIES.iter().find(|(_, known)| *known == &*word);
        capabilities.extend(known.map(|(capability, _)| *capability));
    }
    let (single, mut roles) = (message.text("role")?, message.texts("roles")?);
    let multi = capabilities.contains(&Capability::MultiRole);
    if multi && single.is_some() {
        return Err(invalid("'role' must be unset for a framework with MULTI_ROLE"));
    }
    if !multi && !roles.is_empty() {
        return Err(invalid("'roles' is for frameworks with MULTI_ROLE"));
    }
    roles.extend(single);
    if !more_roles.is_empty() {
        roles = more_roles.iter().map(|role| role.as_str().into()).collect();
        if roles.len() > 1 && !multi {
            capabilities.push(Capability::MultiRole);
        }
    } else if roles.is_empty() && !multi {
        roles.push("*".into());
    }
    if roles.len().max(suppressed.len()) > MAX_ROLES {
        return Err(bad(format!("a framework has at most {MAX_ROLES} roles")));
    }
    for (n, role) in roles.iter().enumerate() {
        if !is_role(role) {
            return Err(invalid(format!("'{role}' is not a role")));
        }
        if roles.iter().take(n).any(|before| before == role) {
            return Err(invalid(format!("role '{role}' is listed more than once")));
        }
    }
    if let Some(role) = suppressed.iter().find(|role| !roles.contains(role)) {
        return Err(invalid(format!("suppressed role '{role}' is none of the framework's roles")));
    }
    let failover = message.double("failover_timeout")?.unwrap_or(0.0);
    if !(0.0..=9.0e9).contains(&failover) {
        return Err(invalid(format!("'failover_timeout' cannot be {failover}")));
    }
    let info_roles = roles.clone();
    let info = FrameworkInfo {
        name: own_name,
        user,
        roles,
        suppressed_roles: suppressed.to_vec(),
        principal: message.text("principal")?,
        capabilities,
        checkpoint: message.flag("checkpoint")?,
        failover_ms: format!("{:.0}", failover * 1000.0).parse().unwrap_or(0),
        min_allocatable: read_min_allocatable(message, &info_roles)?,
    };
    Ok(Subscription { framework_id: message.id("id")?.filter(|id| !id.is_empty()), info })
}

/// A description that can be read and that every master refuses.
pub(crate) fn invalid(text: impl Into<String>) -> Refusal {
    Refusal { code: RefusalCode::InvalidDefinition, ..bad(text) }
}

/// `offer_filters`: `{ROLE:{"min_allocatable_resources":{"quantities":[{"quantities":{NAME:{"value":N}}}]}}}`.
fn read_min_allocatable(
    message: &Message<'_>,
    roles: &[Text],
) -> Read<SortedMap<Text, Vec<SortedMap<Text, Milli>>>> {
    let mut all = SortedMap::new();
    let Some(filters) = message.message("offer_filters")? else { return Ok(all) };
    for role in filters.names() {
        if !roles.iter().any(|mine| **mine == **role) {
            return Err(invalid(format!(
                "'offer_filters' has '{role}', which is none of the framework's roles"
            )));
        }
        let Some(least) = filters.needs(role)?.message("min_allocatable_resources")? else { continue };
        let mut listed = Vec::new();
        let rules = least.messages("quantities")?;
        if rules.len() > MAX_RULES {
            return Err(bad(format!("'min_allocatable_resources' has at most {MAX_RULES} entries")));
        }
        for one in rules {
            let quantities = one.needs("quantities")?;
            if quantities.names().count() > MAX_RULES {
                return Err(bad(format!("'quantities' has at most {MAX_RULES} kinds")));
            }
            let amount = |name: &String| Ok((name.as_str().into(), quantities.needs(name)?.amount("value")?));
            let quantities = quantities.names().map(amount).collect::<Read<SortedMap<Text, Milli>>>()?;
            if quantities.is_empty() {
                return Err(invalid("'min_allocatable_resources' has an entry without any quantity"));
            }
            listed.push(quantities);
        }
        all.insert(role.as_str().into(), listed);
    }
    Ok(all)
}

fn min_allocatable_json(info: &FrameworkInfo) -> Value {
    let amounts = |sums: &SortedMap<Text, Milli>| {
        let all = sums.iter().map(|(name, amount)| (name.to_string(), json!({ "value": amount })));
        json!({ "quantities": Value::Object(all.collect()) })
    };
    let one = |(role, least): (&Text, &Vec<SortedMap<Text, Milli>>)| {
        let least: Vec<Value> = least.iter().map(amounts).collect();
        let least = if least.is_empty() { json!({}) } else { json!({ "quantities": least }) };
        (role.to_string(), json!({ "min_allocatable_resources": least }))
    };
    Value::Object(info.min_allocatable.iter().map(one).collect())
}

/// The description as v1 JSON.
pub(crate) fn v1(info: &FrameworkInfo, id: &str) -> Value {
    let mut map = Map::new();
    map.insert("user".to_owned(), json!(info.user));
    map.insert("name".to_owned(), json!(info.name));
    map.insert("id".to_owned(), super::common::id(id));
    map.insert("failover_timeout".to_owned(), super::common::seconds(info.failover_ms));
    map.insert("checkpoint".to_owned(), json!(info.checkpoint));
    if info.can(Capability::MultiRole) {
        map.insert("roles".to_owned(), json!(info.roles));
    } else {
        map.insert("role".to_owned(), json!(info.roles.first()));
    }
    if let Some(principal) = &info.principal {
        map.insert("principal".to_owned(), json!(principal));
    }
    let words: Vec<Value> = capability_words(info).iter().map(|word| json!({ "type": word })).collect();
    map.insert("capabilities".to_owned(), words.into());
    if !info.min_allocatable.is_empty() {
        map.insert("offer_filters".to_owned(), min_allocatable_json(info));
    }
    Value::Object(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framework_calls_are_validated() {
        let multi = json!([{ "type": "MULTI_ROLE" }, { "type": "UNHEARD_OF" }]);
        for (value, expected) in [
            (json!({ "user": "u", "name": "f" }), Ok(vec!["*"])),
            (json!({ "user": "u", "name": "f", "role": "a" }), Ok(vec!["a"])),
            (
                json!({ "user": "u", "name": "f", "roles": ["a", "b"], "capabilities": multi }),
                Ok(vec!["a", "b"]),
            ),
            (json!({ "user": "u", "name": "f", "capabilities": multi }), Ok(vec![])),
            (json!({ "name": "f" }), Err("'user'")),
            (json!({ "user": "u" }), Err("'name'")),
            (json!({ "user": "u", "name": "f", "roles": ["a"] }), Err("MULTI_ROLE")),
            (json!({ "user": "u", "name": "f", "role": "a", "capabilities": multi }), Err("MULTI_ROLE")),
            (
                json!({ "user": "u", "name": "f", "roles": ["a", "a"], "capabilities": multi }),
                Err("more than once"),
            ),
            (json!({ "user": "u", "name": "f", "role": "/a" }), Err("not a role")),
            (json!({ "user": "u", "name": "f", "failover_timeout": -1 }), Err("failover_timeout")),
            (json!({ "user": "u", "name": "f", "offer_filters": { "*": {} } }), Ok(vec!["*"])),
            (json!({ "user": "u", "name": "f", "offer_filters": { "a": {} } }), Err("none of")),
            (
                json!({ "user": "u", "name": "f", "offer_filters": {
                    "*": { "min_allocatable_resources": { "quantities": [{ "quantities": {} }] } },
                } }),
                Err("without any"),
            ),
            (json!([]), Err("object")),
        ] {
            let read = framework_info(&value, None, &[]);
            match expected {
                Ok(roles) => {
                    let got = read.expect("valid").info.roles;
                    assert_eq!(got.iter().map(|role| &**role).collect::<Vec<_>>(), roles, "{value}");
                }
                Err(says) => {
                    let refusal = read.expect_err("invalid");
                    assert!(refusal.message.contains(says), "{value}: {}", refusal.message);
                }
            }
        }
    }

    #[test]
    fn offer_thresholds_are_shown_as_configured() {
        let filters = json!({
            "a": { "min_allocatable_resources": { "quantities": [
                { "quantities": { "cpus": { "value": 2 }, "gpus": { "value": 1 } } },
                { "quantities": { "mem": { "value": 512 } } },
            ] } },
            "b": { "min_allocatable_resources": {} },
        });
        let said = json!({
            "user": "u", "name": "f", "roles": ["a", "b", "c"], "capabilities": [{ "type": "MULTI_ROLE" }],
            "offer_filters": filters,
        });
        let info = framework_info(&said, None, &[]).expect("valid").info;
        assert_eq!(info.min_allocatable.len(), 2);
        assert_eq!(v1(&info, "x")["offer_filters"], filters);
    }
}
