//! Names of machines, and when two names mean the same machine.
//!
//! Source: `apache/mesos: include/mesos/type_utils.hpp` (operator == and hash of MachineID). Match.

use super::quirk;
use planarium_protocol::Text;
use serde_json::{Map, Value};
use std::fmt;

/// A machine with its original spelling. `==` compares spellings; [`MachineId::is_same`] compares machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineId {
    /// Host name as spelled; not case-sensitive.
    pub hostname: Option<Text>,
    /// Address, compared as text.
    pub ip: Option<Text>,
}

/// The identity of a machine: equal keys, same machine. *Order*: by host name, then address; without meaning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MachineKey {
    hostname: Option<Text>,
    ip: Option<Text>,
}

impl MachineId {
    /// The machine of an agent: both fields are always there.
    pub fn of_agent(hostname: impl Into<Text>, ip: impl Into<Text>) -> Self {
        Self { hostname: Some(hostname.into()), ip: Some(ip.into()) }
    }

    /// Its identity.
    pub fn key(&self) -> MachineKey {
        MachineKey {
            hostname: present(self.hostname.as_ref()).map(|name| lowered(&name)),
            ip: present(self.ip.as_ref()),
        }
    }

    /// Returns whether both names mean the same machine.
    pub fn is_same(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    /// Returns whether the name is empty: both fields missing or empty.
    pub fn is_empty(&self) -> bool {
        let blank = |field: &Option<Text>| field.as_deref().is_none_or(str::is_empty);
        blank(&self.hostname) && blank(&self.ip)
    }

    /// As JSON; missing fields are left out, empty ones are not.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        if let Some(hostname) = &self.hostname {
            fields.insert("hostname".into(), Value::from(&**hostname));
        }
        if let Some(ip) = &self.ip {
            fields.insert("ip".into(), Value::from(&**ip));
        }
        Value::Object(fields)
    }
}

impl fmt::Display for MachineId {
    /// As compact JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = [("hostname", &self.hostname), ("ip", &self.ip)];
        let is_plain =
            |text: &str| text.bytes().all(|b| matches!(b, b' '..=b'~') && !matches!(b, b'"' | b'\\'));
        let plain = texts.iter().all(|(_, text)| text.as_deref().is_none_or(is_plain));
        if f.alternate() || !plain {
            return self.to_json().fmt(f);
        }
        // Same text as the JSON serializer, for names that need no escaping.
        f.write_str("{")?;
        let given = texts.into_iter().filter_map(|(key, text)| Some((key, text.as_ref()?)));
        for (n, (key, text)) in given.enumerate() {
            let comma = if n == 0 { "" } else { "," };
            for part in [comma, "\"", key, "\":\"", text, "\""] {
                f.write_str(part)?;
            }
        }
        f.write_str("}")
    }
}

fn present(field: Option<&Text>) -> Option<Text> {
    let otherwise = (!quirk::UNSET_DIFFERS_FROM_EMPTY).then(Text::default);
    field.cloned().or(otherwise)
}

/// Lower case of ASCII letters only, as the real comparison does.
fn lowered(text: &Text) -> Text {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        text.to_ascii_lowercase().into()
    } else {
        text.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_as_compact_json() {
        for (hostname, ip) in [
            (Some("a-1.example"), Some("10.0.0.1")),
            (Some("b"), None),
            (None, Some("c")),
            (None, None),
            (Some(""), Some("")),
            (Some("say \"hi\" \\ \n"), Some("é")),
        ] {
            let id = id(hostname, ip);
            assert_eq!(id.to_string(), id.to_json().to_string());
            assert_eq!(format!("{id:#}"), format!("{:#}", id.to_json()));
        }
    }

    fn id(hostname: Option<&str>, ip: Option<&str>) -> MachineId {
        MachineId { hostname: hostname.map(Text::from), ip: ip.map(Text::from) }
    }

    #[test]
    fn identity() {
        for (a, b, same, why) in [
            (id(Some("Host"), None), id(Some("hOST"), None), true, "case of the host name"),
            (id(Some("h"), Some("10.0.0.1")), id(Some("H"), Some("10.0.0.1")), true, "with address"),
            (id(Some("h"), Some("10.0.0.1")), id(Some("h"), Some("10.0.0.2")), false, "address differs"),
            (id(Some("h"), None), id(Some("h"), Some("")), false, "unset is not empty (ip)"),
            (id(None, Some("10.0.0.1")), id(Some(""), Some("10.0.0.1")), false, "unset is not empty (host)"),
            (id(Some("h"), None), id(Some("h"), Some("10.0.0.1")), false, "half an id is no wildcard"),
            (id(Some("Ä"), None), id(Some("ä"), None), false, "only ASCII letters are folded"),
            (id(None, None), id(None, None), true, "nothing is nothing"),
        ] {
            assert_eq!(a.is_same(&b), same, "{why}");
            assert_eq!(b.is_same(&a), same, "{why}, the other way round");
        }
    }

    #[test]
    fn emptiness_and_json() {
        for (machine, empty, json) in [
            (id(None, None), true, "{}"),
            (id(Some(""), None), true, r#"{"hostname":""}"#),
            (id(Some(""), Some("")), true, r#"{"hostname":"","ip":""}"#),
            (id(None, Some("10.0.0.1")), false, r#"{"ip":"10.0.0.1"}"#),
            (id(Some("a\"b"), None), false, r#"{"hostname":"a\"b"}"#),
        ] {
            assert_eq!((machine.is_empty(), machine.to_string().as_str()), (empty, json));
        }
    }
}
