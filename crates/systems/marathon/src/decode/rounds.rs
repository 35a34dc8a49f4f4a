//! Runs all rounds of a check at once: removes the refused fields and checks the rest again.
//!
//! *Knows*: how a field is removed from a body, which findings only follow from that. *Must not know*: any rule.
//!
//! The API stops at schema errors, and again at the rules of a body before it checks the resulting definition. A reader of findings
//! wants all of them together.

use super::place::index;
use super::{Body, try_out};
use crate::definition::{Refused, Violation};
use crate::schema::Fault;
use crate::settings::Settings;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::sync::Arc;

/// Maximum number of rounds: schema, rules of the body, rules of the result, each perhaps twice.
const ROUNDS: usize = 6;

/// Fields whose rules depend on other fields: a removed field on the left makes findings on the right meaningless.
const LOOKED_AT: [(&str, &[&str]); 5] = [
    (
        "container",
        &[
            "portDefinitions",
            "healthChecks",
            "readinessChecks",
            "check",
            "upgradeStrategy",
            "unreachableStrategy",
            "residency",
            "role",
            "networks",
            "gpus",
        ],
    ),
    ("containers", &["volumes", "networks", "scheduling"]),
    ("networks", &["container", "containers", "portDefinitions", "healthChecks", "readinessChecks", "check"]),
    ("portDefinitions", &["healthChecks", "readinessChecks", "check", "requirePorts"]),
    ("volumes", &["containers", "scheduling"]),
];

/// A rule about an app or pod as a whole.
struct WholeRule {
    /// Part of its words.
    words: &'static str,
    /// The fields that it depends on. The first one is removed in the next round.
    fields: &'static [&'static str],
}

const fn whole(words: &'static str, fields: &'static [&'static str]) -> WholeRule {
    WholeRule { words, fields }
}

const OF_THE_WHOLE: [WholeRule; 15] = [
    whole("must either contain one of", &["args", "cmd", "container"]),
    whole("must not use 'checks'", &["check", "container"]),
    whole("at most one Mesos health check", &["healthChecks"]),
    whole("cannot specify both ports and", &["ports", "portDefinitions"]),
    whole("cannot specify both an IP address", &["ports", "ipAddress", "portDefinitions"]),
    whole("both networks and ipAddress", &["ipAddress", "networks"]),
    whole("ports must be unique", &["ports"]),
    whole("portMappings are not allowed", &["container", "networks", "ipAddress"]),
    whole(
        "portDefinitions are only allowed",
        &["portDefinitions", "ports", "networks", "ipAddress", "container"],
    ),
    whole("GPU resources only work", &["gpus", "container"]),
    whole("Feature gpu_resources", &["gpus"]),
    whole("must be disabled for resident", &["unreachableStrategy", "container"]),
    whole("Single instance app", &["instances", "labels"]),
    whole("single container network when using", &["networks", "container", "ipAddress"]),
    whole("unique across all containers", &["containers", "networks"]),
];

/// Returns the rule about an app or pod as a whole that a violation is of.
fn whole_rule(violation: &Violation) -> Option<&'static WholeRule> {
    let is_whole = matches!(&*violation.path, "" | "/");
    OF_THE_WHOLE.iter().find(|rule| is_whole && violation.message.contains(rule.words))
}

/// Reports the refusals of a body beyond the first ones.
pub(super) fn rest(body: &Body, settings: &Settings, first: &Refused, tell: &mut dyn FnMut(&Refused)) {
    let mut json = Value::clone(&body.json);
    let mut gone: Vec<String> = Vec::new();
    let mut places = places_of(first);
    for _ in 0..ROUNDS {
        let before = gone.len();
        gone.extend(places.iter().filter_map(|place| take_out(&mut json, place)));
        if gone.len() == before {
            return;
        }
        let Err(refused) = try_out(&Body::read(body.what, Arc::new(json.clone())), settings) else { return };
        places = places_of(&refused);
        if let Some(news) = without_consequences(refused, &gone) {
            tell(&news);
        }
    }
}

/// Returns positions of the refused fields; for a missing field, that of its object.
fn places_of(refused: &Refused) -> Vec<String> {
    match refused {
        Refused::Faults(all) => {
            let place = |one: &Fault| match &*one.error {
                "error.path.missing" => one.path.rsplit_once('/').map_or("", |(object, _)| object).to_owned(),
                _ => one.path.clone(),
            };
            all.iter().map(place).collect()
        }
        Refused::Violations(all) => {
            let place = |one: &Violation| match whole_rule(one).and_then(|rule| rule.fields.first()) {
                Some(field) => format!("{}/{field}", one.within),
                None => format!("{}{}", one.within, one.path),
            };
            all.iter().map(place).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the refusal for another reason than left-out fields; none if there is none.
fn without_consequences(refused: Refused, gone: &[String]) -> Option<Refused> {
    let counts = |place: &str| {
        let place = place.trim_end_matches('/');
        let follows = |gone: &String| {
            gone.starts_with(place) || place.starts_with(gone.as_str()) || looks_at(place, gone)
        };
        !gone.iter().any(follows)
    };
    match refused {
        Refused::Faults(mut all) => {
            all.retain(|one| one.error != "error.path.missing" && counts(&one.path));
            (!all.is_empty()).then_some(Refused::Faults(all))
        }
        Refused::Violations(mut all) => {
            all.retain(|one| {
                of_the_whole(one, gone).unwrap_or_else(|| counts(&format!("{}{}", one.within, one.path)))
            });
            (!all.is_empty()).then_some(Refused::Violations(all))
        }
        _ => None,
    }
}

/// Returns whether a rule about a whole app is violated independently of the removed fields; `None` if the rule is about
/// a field.
fn of_the_whole(violation: &Violation, gone: &[String]) -> Option<bool> {
    let rule = whole_rule(violation)?;
    let looked_at = |gone: &String| {
        let (app, field) = field_of(gone);
        *app == *violation.within && rule.fields.contains(&field)
    };
    Some(!gone.iter().any(looked_at))
}

/// Returns whether the rule of a field depends on a removed field of the same app.
fn looks_at(place: &str, gone: &str) -> bool {
    let (app, field) = field_of(place);
    let (other, left_out) = field_of(gone);
    let named = |(name, fields): &(&str, &[&str])| *name == left_out && fields.contains(&field);
    app == other && LOOKED_AT.iter().any(named)
}

/// Splits a path into the app or pod and its field.
fn field_of(place: &str) -> (&str, &str) {
    let mut end = 0;
    for (at, _) in place.match_indices(')') {
        let head = place.get(..=at).unwrap_or_default();
        let last = head.rsplit('/').next().unwrap_or_default();
        if last.starts_with('(') || last.starts_with("apps(") || last.starts_with("groups(") {
            end = at + 1;
        }
    }
    let (app, rest) = place.split_at_checked(end).unwrap_or(("", place));
    let field = rest.trim_start_matches('/').split(['/', '(']).next().unwrap_or_default();
    (app, field)
}

/// Takes the field out that a place is in; answers its place. The items of a list stay where they are.
fn take_out(json: &mut Value, place: &str) -> Option<String> {
    let mut node = json;
    let (mut path, mut rest) = (String::new(), place.trim_start_matches('/'));
    while let Some((at, more)) = index(rest) {
        node = node.as_array_mut()?.get_mut(at)?;
        _ = write!(path, "({at})");
        rest = more.trim_start_matches('/');
    }
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    let (last, inner) = parts.split_last()?;
    for part in inner {
        let (name, mut indices) = part.split_at_checked(part.find('(').unwrap_or(part.len()))?;
        node = node.as_object_mut()?.get_mut(name)?;
        while let Some((at, more)) = index(indices) {
            node = node.as_array_mut()?.get_mut(at)?;
            indices = more;
        }
        _ = write!(path, "/{part}");
    }
    let name = last.split('(').next()?;
    let fields: &mut Map<String, Value> = node.as_object_mut()?;
    if name == "id" {
        return None;
    }
    fields.shift_remove(name)?;
    _ = write!(path, "/{name}");
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::json;

    #[test]
    fn fields_are_removed_and_lists_keep_their_positions() {
        let body =
            json!({"cpus": "x", "constraints": [["a"], ["b"]], "apps": [{"mem": 1}, {"env": {"A": 1}}]});
        for (place, gone) in [
            ("/cpus", Some("/cpus")),
            ("/constraints(1)(0)", Some("/constraints")),
            ("/apps(1)/env/A", Some("/apps(1)/env/A")),
            ("/apps(1)/env", Some("/apps(1)/env")),
            ("/", None),
            ("/none", None),
            ("/apps(7)/mem", None),
        ] {
            let mut json = body.clone();
            assert_eq!(take_out(&mut json, place).as_deref(), gone, "{place}");
            assert_eq!(json["apps"].as_array().map(Vec::len), Some(2), "{place}");
        }
    }

    #[test]
    fn paths_are_split_into_app_and_field() {
        for (place, app, field) in [
            ("/cpus", "", "cpus"),
            ("/healthChecks(0)/port", "", "healthChecks"),
            ("(2)/healthChecks(0)", "(2)", "healthChecks"),
            ("/groups(0)/apps(1)/container/volumes(0)", "/groups(0)/apps(1)", "container"),
        ] {
            assert_eq!(field_of(place), (app, field));
        }
    }
}
