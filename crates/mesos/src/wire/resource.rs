//! Resources as JSON, both ways and in both forms.
//!
//! Source: `apache/mesos: include/mesos/v1/mesos.proto` (Resource), `src/common/resources.cpp` (formats, validation).
//! Match; revocable, shared and provider resources do not exist here and are refused.

use super::read::{Message, Read, bad};
use crate::{
    api::validity::{amount, is_role, stack},
    api::{
        DiskInfo, DiskSource, Persistence, Ranges, Reservation, ReservationKind, Resource, Resources, Value,
    },
};
use planarium_protocol::Text;
use planarium_protocol::json;
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// How reservations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As a stack; for frameworks that know refinement.
    Refined,
    /// One role and one reservation.
    Old,
    /// Both, as the `*_full` lists of the agents endpoint do.
    Both,
}

/// The four amounts and the ranges that v0 replies show, sums over everything of a name.
pub(crate) fn sums(resources: &Resources) -> Json {
    let mut map = Map::new();
    for name in ["cpus", "gpus", "mem", "disk"] {
        map.insert(name.to_owned(), json!(resources.scalar(name)));
    }
    for resource in resources {
        let name = resource.name.to_string();
        if map.contains_key(&name) {
            continue;
        }
        let shown = match &resource.value {
            Value::Scalar(_) => json!(resources.scalar(&name)),
            Value::Ranges(_) => json!(resources.ranges(&name).to_string()),
            Value::Set(_) => json!(resource.value.to_string()),
        };
        map.insert(name, shown);
    }
    Json::Object(map)
}

/// A list of resources. Without `allocation` the role they are given to is left out.
pub(crate) fn list(resources: &Resources, form: Form, allocation: bool) -> Json {
    resources.iter().map(|resource| one(resource, form, allocation)).collect()
}

/// One resource.
pub(crate) fn one(resource: &Resource, form: Form, allocation: bool) -> Json {
    let mut map = Map::new();
    map.insert("name".to_owned(), json!(resource.name));
    let (kind, key, value) = match &resource.value {
        Value::Scalar(amount) => ("SCALAR", "scalar", json!({ "value": amount })),
        Value::Ranges(ranges) => ("RANGES", "ranges", ranges_json(ranges)),
        Value::Set(items) => ("SET", "set", json!({ "item": items })),
    };
    map.insert("type".to_owned(), json!(kind));
    map.insert(key.to_owned(), value);
    if form != Form::Refined {
        map.insert("role".to_owned(), json!(resource.role()));
        if let Some(top) = resource.reservation().filter(|top| top.kind == ReservationKind::Dynamic) {
            let mut reservation = Map::new();
            put_owner(&mut reservation, top);
            map.insert("reservation".to_owned(), Json::Object(reservation));
        }
    }
    if form != Form::Old && !resource.reservations.is_empty() {
        map.insert("reservations".to_owned(), resource.reservations.iter().map(layer).collect());
    }
    if let Some(role) = resource.allocation_role.as_ref().filter(|_| allocation) {
        map.insert("allocation_info".to_owned(), json!({ "role": role }));
    }
    if let Some(disk) = &resource.disk {
        map.insert("disk".to_owned(), disk_json(disk));
    }
    Json::Object(map)
}

pub(crate) fn ranges_json(ranges: &Ranges) -> Json {
    let range: Vec<Json> =
        ranges.pairs().iter().map(|(begin, end)| json!({ "begin": begin, "end": end })).collect();
    json!({ "range": range })
}

fn layer(reservation: &Reservation) -> Json {
    let mut map = Map::new();
    let kind = match reservation.kind {
        ReservationKind::Static => "STATIC",
        ReservationKind::Dynamic => "DYNAMIC",
    };
    map.insert("type".to_owned(), json!(kind));
    map.insert("role".to_owned(), json!(reservation.role));
    put_owner(&mut map, reservation);
    Json::Object(map)
}

fn put_owner(map: &mut Map<String, Json>, reservation: &Reservation) {
    if let Some(principal) = &reservation.principal {
        map.insert("principal".to_owned(), json!(principal));
    }
    if !reservation.labels.is_empty() {
        map.insert("labels".to_owned(), labels_json(reservation.labels.iter()));
    }
}

/// `{"labels":[...]}`.
pub(crate) fn labels_json<'a>(labels: impl Iterator<Item = (&'a Text, &'a Text)>) -> Json {
    json!({ "labels": labels.map(|(key, value)| json!({ "key": key, "value": value })).collect::<Vec<_>>() })
}

fn disk_json(disk: &DiskInfo) -> Json {
    let mut map = Map::new();
    if let Some(volume) = &disk.persistence {
        let mut persistence = Map::new();
        persistence.insert("id".to_owned(), json!(volume.id));
        if let Some(principal) = &volume.principal {
            persistence.insert("principal".to_owned(), json!(principal));
        }
        map.insert("persistence".to_owned(), Json::Object(persistence));
        map.insert("volume".to_owned(), json!({ "container_path": volume.container_path, "mode": "RW" }));
    }
    let source = disk.source.as_ref().map(|source| {
        let (kind, key, root) = match source {
            DiskSource::Path { root, .. } => ("PATH", "path", root),
            DiskSource::Mount { root, .. } => ("MOUNT", "mount", root),
        };
        let mut map = Map::new();
        map.insert("type".to_owned(), json!(kind));
        map.insert(key.to_owned(), json!({ "root": root }));
        if let Some(profile) = source.profile() {
            map.insert("profile".to_owned(), json!(profile));
        }
        Json::Object(map)
    });
    if let Some(source) = source {
        map.insert("source".to_owned(), source);
    }
    Json::Object(map)
}

/// Reads a list of resources one by one; they are not merged.
pub(crate) fn read_list(all: &[Message<'_>]) -> Read<Vec<Resource>> {
    all.iter().map(read).collect()
}

/// Reads one resource and checks it by itself.
pub(crate) fn read(message: &Message<'_>) -> Read<Resource> {
    let name = message.needs_text("name")?;
    let value = match &*message.needs_text("type")? {
        "SCALAR" => Value::Scalar(message.needs("scalar")?.amount("value")?),
        "RANGES" => Value::Ranges(read_ranges(&message.needs("ranges")?)?),
        "SET" => Value::Set(read_set(&message.needs("set")?)?),
        other => return Err(bad(format!("'{other}' is not a type of resources"))),
    };
    for absent in ["revocable", "shared", "provider_id"] {
        if message.has(absent) {
            return Err(bad(format!("Resources with '{absent}' do not exist in this cluster")));
        }
    }
    let disk = message.message("disk")?.map(|disk| read_disk(&disk)).transpose()?;
    if disk.is_some() && &*name != "disk" {
        return Err(bad("Only 'disk' has disk information"));
    }
    let allocation = message.message("allocation_info")?;
    let resource = Resource {
        name,
        value,
        reservations: read_reservations(message)?.into(),
        disk: disk.filter(|disk| disk.source.is_some() || disk.persistence.is_some()).map(Arc::new),
        allocation_role: allocation.map(|info| info.text("role")).transpose()?.flatten(),
    };
    let zero = resource.amount().is_zero() && matches!(resource.value, Value::Scalar(_));
    if !zero {
        amount(&resource).map_err(bad)?;
    }
    stack(&resource).map_err(bad)?;
    Ok(resource)
}

fn read_ranges(message: &Message<'_>) -> Read<Ranges> {
    let mut pairs = Vec::new();
    for range in message.messages("range")? {
        let bound = |field: &str| {
            let number = range.int(field)?.ok_or_else(|| super::read::missing(field))?;
            u64::try_from(number).map_err(|_| bad(format!("'{field}' is negative")))
        };
        let (begin, end) = (bound("begin")?, bound("end")?);
        if begin > end {
            return Err(bad(format!("Range [{begin}-{end}] is reversed")));
        }
        pairs.push((begin, end));
    }
    planarium_kernel::sorted::sort(&mut pairs);
    if pairs.windows(2).any(|two| matches!(two, [a, b] if b.0 <= a.1)) {
        return Err(bad("Ranges overlap"));
    }
    Ok(Ranges::from_pairs(pairs))
}

fn read_set(message: &Message<'_>) -> Read<Vec<Text>> {
    let mut items = message.texts("item")?;
    let given = items.len();
    planarium_kernel::sorted::sort(&mut items);
    items.dedup();
    if items.len() == given { Ok(items) } else { Err(bad("A set repeats an item")) }
}

/// The stack, or the old form: a role, with a reservation when it is a dynamic one.
fn read_reservations(message: &Message<'_>) -> Read<Vec<Reservation>> {
    let role = message.text("role")?.filter(|role| &**role != "*");
    let layers = message.messages("reservations")?;
    if !layers.is_empty() {
        let stack: Vec<Reservation> = layers.iter().map(read_layer).collect::<Read<_>>()?;
        // Lists that show both forms may be sent back as they are.
        return match (role, stack.last()) {
            (Some(role), Some(top)) if top.role != role => Err(bad("'role' and 'reservations' differ")),
            _ => Ok(stack),
        };
    }
    match (role, message.message("reservation")?) {
        (None, None) => Ok(Vec::new()),
        (None, Some(_)) => Err(bad("A dynamic reservation for the role '*' is invalid")),
        (Some(role), _) if !is_role(&role) => Err(bad(format!("'{role}' is not a role"))),
        (Some(role), None) => Ok(vec![Reservation::fixed(role)]),
        (Some(role), Some(owner)) => {
            Ok(vec![owned(Reservation::dynamic(role, owner.text("principal")?), &owner)?])
        }
    }
}

fn read_layer(message: &Message<'_>) -> Read<Reservation> {
    let role = message.needs_text("role")?;
    match message.text("type")?.as_deref() {
        Some("STATIC") => Ok(Reservation::fixed(role)),
        Some("DYNAMIC") => owned(Reservation::dynamic(role, message.text("principal")?), message),
        _ => Err(bad("A reservation needs a 'type': STATIC or DYNAMIC")),
    }
}

fn owned(mut reservation: Reservation, message: &Message<'_>) -> Read<Reservation> {
    reservation.labels = message.labels("labels")?.into_iter().collect();
    Ok(reservation)
}

fn read_disk(message: &Message<'_>) -> Read<DiskInfo> {
    let source = match message.message("source")? {
        None => None,
        Some(source) => {
            let profile = source.text("profile")?;
            let root = |field: &str| {
                let place = source.message(field)?.map(|place| place.text("root")).transpose()?;
                Ok::<Text, planarium_protocol::Refusal>(place.flatten().unwrap_or_default())
            };
            match &*source.needs_text("type")? {
                "PATH" => Some(DiskSource::Path { root: root("path")?, profile }),
                "MOUNT" => Some(DiskSource::Mount { root: root("mount")?, profile }),
                other => return Err(bad(format!("Disks of type '{other}' do not exist in this cluster"))),
            }
        }
    };
    let volume = message.message("volume")?;
    if volume.as_ref().is_some_and(|volume| volume.has("host_path")) {
        return Err(bad("'host_path' of a persistent volume must be unset"));
    }
    let container_path = volume.as_ref().map(|volume| volume.text("container_path")).transpose()?.flatten();
    let persistence = match message.message("persistence")? {
        None if volume.is_some() => return Err(bad("Non-persistent volumes are not supported")),
        None => None,
        Some(persistence) => Some(Persistence {
            id: persistence.needs_text("id")?,
            principal: persistence.text("principal")?,
            container_path: container_path.unwrap_or_default(),
        }),
    };
    Ok(DiskInfo { source, persistence })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Read<Resource> {
        let value: Json = serde_json::from_str(text).expect(text);
        read(&Message::of(&value)?)
    }

    #[test]
    fn what_is_written_is_read_again() {
        let labelled = Reservation::dynamic("svc", Some("p".into())).with_label("resource_id", "1");
        let disk = Resource::scalar("disk", planarium_kernel::Milli(512_500)).pushed(labelled);
        let volume = disk.with_volume(Persistence {
            id: "v".into(),
            principal: Some("p".into()),
            container_path: "data".into(),
        });
        let mount = Resource {
            disk: Some(Arc::new(DiskInfo {
                source: Some(DiskSource::Mount { root: "/mnt".into(), profile: Some("fast".into()) }),
                persistence: None,
            })),
            ..Resource::scalar("disk", planarium_kernel::Milli(1000))
        };
        let ports = Resource::ranges("ports", Ranges::from_pairs([(1, 5), (7, 7)]));
        let fixed = Resource::scalar("cpus", planarium_kernel::Milli(1)).pushed(Reservation::fixed("svc"));
        let given = Resource::scalar("cpus", planarium_kernel::Milli(100)).allocated(&"svc".into());
        for resource in [volume, mount, ports, fixed, given] {
            for form in [Form::Refined, Form::Old, Form::Both] {
                let json = one(&resource, form, true);
                let again = read(&Message::of(&json).expect("an object")).expect("valid");
                assert_eq!(again, resource, "{form:?} {json}");
            }
        }
    }

    #[test]
    fn what_is_no_resource() {
        for (text, says) in [
            (r#"{"type":"SCALAR","scalar":{"value":1}}"#, "'name'"),
            (r#"{"name":"cpus","scalar":{"value":1}}"#, "'type'"),
            (r#"{"name":"cpus","type":"SCALAR"}"#, "'scalar'"),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{"value":-1}}"#, "no amount"),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{"value":0.0004}}"#, "no amount"),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{"value":"x"}}"#, "another type"),
            (r#"{"name":"gpus","type":"SCALAR","scalar":{"value":0.5}}"#, "whole"),
            (r#"{"name":"ports","type":"RANGES","ranges":{"range":[{"begin":2,"end":1}]}}"#, "reversed"),
            (
                r#"{"name":"ports","type":"RANGES","ranges":{"range":[{"begin":1,"end":3},{"begin":3,"end":4}]}}"#,
                "overlap",
            ),
            (r#"{"name":"x","type":"SET","set":{"item":["a","a"]}}"#, "repeats"),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{"value":1},"role":"*","reservation":{}}"#, "'*'"),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{"value":1},"role":"a//b"}"#, "not a role"),
            (
                r#"{"name":"cpus","type":"SCALAR","scalar":{"value":1},"reservations":[{"type":"DYNAMIC","role":"a"},{"type":"DYNAMIC","role":"b"}]}"#,
                "refine",
            ),
            (
                r#"{"name":"disk","type":"SCALAR","scalar":{"value":1},"disk":{"volume":{"container_path":"x","mode":"RW"}}}"#,
                "Non-persistent",
            ),
        ] {
            let refusal = read_text(text).expect_err(text);
            assert!(refusal.status == 400 && refusal.message.contains(says), "{text}: {}", refusal.message);
        }
        assert!(
            read_text(r#"{"name":"cpus","type":"SCALAR","scalar":{"value":0}}"#).is_ok(),
            "zero is legal"
        );
        let text = r#"{"name":"cpus","type":"SCALAR","scalar":{"value":"0.1"},"unknown":1,"role":null}"#;
        assert_eq!(read_text(text), Ok(Resource::scalar("cpus", planarium_kernel::Milli(100))));
    }
}
