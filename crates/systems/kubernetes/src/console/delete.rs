//! `delete`.

use serde_json::{Map, Value};

use super::client::Client;
use super::kinds::{Resource, targets};
use super::{Done, write};
use planarium_part::console::Given;

/// Most seconds that are waited for objects to go.
const PATIENCE: u32 = 600;

pub(super) fn delete(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let mut wanted: Vec<(Resource, String, String)> = Vec::new();
    if given.value("filename").is_some() {
        for (kind, namespace, value) in write::objects(client, given)? {
            let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            wanted.push((kind, namespace, name.to_owned()));
        }
    } else {
        let namespace = client.namespace();
        for (kind, name) in targets(client, &given.arguments)? {
            if !name.is_empty() {
                wanted.push((kind, namespace.clone(), name));
                continue;
            }
            let selector = given.value("selector");
            if selector.is_none() && !given.flag("all") {
                return Err("error: resource(s) were provided, but no name was specified".to_owned());
            }
            let mut path = kind.path(&namespace, "");
            if let Some(selector) = selector {
                path.push_str("?labelSelector=");
                path.push_str(&planarium_part::http::encode(selector));
            }
            for item in client.list(&path)? {
                let name = item.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
                wanted.push((kind.clone(), namespace.clone(), name.to_owned()));
            }
        }
    }
    let options = options(given)?;
    let mut problems = Vec::new();
    let mut waits = Vec::new();
    for (kind, namespace, name) in wanted {
        let path = kind.path(&namespace, &name);
        match client.send("DELETE", &path, &options, "application/json") {
            Ok(answer) => {
                let how = if given.flag("force") { " force deleted" } else { " deleted" };
                client.say(&format!("{} {name:?}{how}", kind.word()));
                let uid = answer.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
                waits.push((path, uid.to_owned()));
            }
            Err(failed) => problems.push(failed.text()),
        }
    }
    if given.value("wait") != Some("false") {
        gone(client, &waits);
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// Options of the deletion. *Errors*: words that are none.
fn options(given: &Given) -> Result<Value, String> {
    let propagation = match given.value("cascade").unwrap_or("background") {
        "background" | "true" => "Background",
        "foreground" => "Foreground",
        "orphan" | "false" => "Orphan",
        other => {
            return Err(format!(
                "error: invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""
            ));
        }
    };
    let mut options = Map::new();
    options.insert("propagationPolicy".to_owned(), propagation.into());
    let grace = match given.value("grace-period") {
        Some(text) => Some(
            text.parse::<u32>()
                .map_err(|_| format!("error: invalid argument {text:?} for \"--grace-period\" flag"))?,
        ),
        None if given.flag("force") => Some(0),
        None if given.flag("now") => Some(1),
        None => None,
    };
    if let Some(seconds) = grace {
        options.insert("gracePeriodSeconds".to_owned(), seconds.into());
    }
    Ok(Value::Object(options))
}

/// Waits until objects are gone.
fn gone(client: &mut Client<'_, '_>, waits: &[(String, String)]) {
    for (path, uid) in waits {
        for _ in 0..PATIENCE {
            let is_there = client.try_get(path).is_ok_and(|value| {
                let own = value.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
                uid.is_empty() || own == uid
            });
            if !is_there || !client.second() {
                break;
            }
        }
    }
}
