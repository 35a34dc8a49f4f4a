//! Resources as JSON: reading and writing both forms.
//!
//! Source: `apache/mesos: include/mesos/v1/mesos.proto` (Resource), `src/common/resources.cpp` (formats, validation).
//! Match; revocable, shared and provider resources do not exist here and are refused.

use super::read::{Message, Read, bad};
use crate::api::{
    DiskInfo, DiskSource, Persistence, Ranges, Reservation, ReservationKind, Resource, Resources, Value,
    validity::{is_role, stack},
};
use planarium_protocol::Text;
use planarium_protocol::json;
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// The forms in which reservations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As a stack; for frameworks with RESERVATION_REFINEMENT.
    Refined,
    /// One role and one reservation.
    Old,
    /// Both, as the `*_full` lists of the agents endpoint do.
    Both,
}

/// The four amounts and the ranges that v0 replies show, summed by name.
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

/// Writes a list of resources. Without `allocation` the role that they are allocated to is left out.
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

/// Why a resource that can be read is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invalid {
    /// Set if its form is at fault: then the whole operation is invalid, with all its tasks; otherwise only its task.
    pub(crate) in_form: bool,
    /// Why.
    pub(crate) text: String,
}

impl Invalid {
    fn form<T>(name: &str, text: impl std::fmt::Display) -> Checked<T> {
        Err(Self { in_form: true, text: format!("Resource '{name}' is invalid: {text}") })
    }

    fn content<T>(name: &str, text: impl std::fmt::Display) -> Checked<T> {
        Err(Self { in_form: false, text: format!("Resource '{name}' is invalid: {text}") })
    }
}

/// The value read, or the reason why it is invalid.
pub(crate) type Checked<T> = Result<T, Invalid>;

/// Reads a list of resources one by one, without merging. The first invalid one decides; malformed ones come before
/// all others.
///
/// *Errors*: describes the part that cannot be read.
pub(crate) fn read_list(all: &[Message<'_>]) -> Read<Checked<Vec<Resource>>> {
    let mut resources = Vec::with_capacity(all.len());
    let mut invalid: Option<Invalid> = None;
    for message in all {
        match read(message)? {
            Ok(resource) => resources.push(resource),
            Err(why) if why.in_form => return Ok(Err(why)),
            Err(why) => invalid = invalid.or(Some(why)),
        }
    }
    Ok(invalid.map_or(Ok(resources), Err))
}

/// The same for an operator: invalid resources are refused like unreadable ones.
pub(crate) fn read_valid_list(all: &[Message<'_>]) -> Read<Vec<Resource>> {
    read_list(all)?.map_err(|invalid| bad(invalid.text))
}

/// Reads one resource and validates it.
///
/// *Errors*: describes the part that cannot be read.
pub(crate) fn read(message: &Message<'_>) -> Read<Checked<Resource>> {
    let name = message.needs_text("name")?;
    let value = match &*message.needs_text("type")? {
        "SCALAR" => read_scalar(&name, message)?,
        "RANGES" => read_ranges(&name, message)?,
        "SET" => read_set(&name, message)?,
        other => return Err(bad(format!("'{other}' is not a type of resources"))),
    };
    let (reservations, disk) = (read_reservations(&name, message)?, read_disk(&name, message)?);
    let allocation = message.message("allocation_info")?.map(|info| info.text("role")).transpose()?.flatten();
    Ok((|| {
        if name.is_empty() {
            return Invalid::form(&name, "it has no name");
        }
        let (value, disk) = (value?, disk?);
        let resource = Resource {
            reservations: reservations?.into(),
            disk: disk.info.filter(|disk| disk.source.is_some() || disk.persistence.is_some()).map(Arc::new),
            allocation_role: allocation,
            ..Resource::of(name.clone(), value)
        };
        stack(&resource).or_else(|text| Invalid::form(&name, text))?;
        for absent in ["revocable", "shared", "provider_id"] {
            if message.has(absent) {
                return Invalid::content(
                    &name,
                    format_args!("resources with '{absent}' do not exist in this cluster"),
                );
            }
        }
        match disk.fault {
            Some(text) => Invalid::content(&name, text),
            None => Ok(resource),
        }
    })())
}

fn read_scalar(name: &str, message: &Message<'_>) -> Read<Checked<Value>> {
    let Some(scalar) = message.message("scalar")? else {
        return Ok(Invalid::form(name, "a SCALAR needs 'scalar'"));
    };
    let plain = scalar.double("value")?.ok_or_else(|| super::read::missing("value"))?;
    let Ok(amount) = scalar.rounded("value") else {
        return Ok(Invalid::form(name, format_args!("{plain} is no amount")));
    };
    // Anything but zero that is zero or less once it is rounded to three decimals.
    if !amount.is_positive() && plain != 0.0 {
        return Ok(Invalid::form(
            name,
            format_args!("{plain} is no amount, which is zero or at least 0.001"),
        ));
    }
    Ok(Ok(Value::Scalar(amount)))
}

fn read_ranges(name: &str, message: &Message<'_>) -> Read<Checked<Value>> {
    let Some(ranges) = message.message("ranges")? else {
        return Ok(Invalid::form(name, "RANGES need 'ranges'"));
    };
    let mut pairs = Vec::new();
    for range in ranges.messages("range")? {
        let bound = |field: &str| {
            let number = range.int(field)?.ok_or_else(|| super::read::missing(field))?;
            u64::try_from(number).map_err(|_| bad(format!("'{field}' is negative")))
        };
        pairs.push((bound("begin")?, bound("end")?));
    }
    if let Some((begin, end)) = pairs.iter().find(|(begin, end)| begin > end) {
        return Ok(Invalid::form(name, format_args!("range [{begin}-{end}] is reversed")));
    }
    planarium_kernel::sorted::sort(&mut pairs);
    if pairs.windows(2).any(|two| matches!(two, [a, b] if b.0 <= a.1)) {
        return Ok(Invalid::form(name, "ranges overlap"));
    }
    Ok(Ok(Value::Ranges(Ranges::from_pairs(pairs))))
}

fn read_set(name: &str, message: &Message<'_>) -> Read<Checked<Value>> {
    let Some(set) = message.message("set")? else { return Ok(Invalid::form(name, "a SET needs 'set'")) };
    let mut items = set.texts("item")?;
    let given = items.len();
    planarium_kernel::sorted::sort(&mut items);
    items.dedup();
    if items.len() == given {
        Ok(Ok(Value::Set(items)))
    } else {
        Ok(Invalid::form(name, "the set repeats an item"))
    }
}

/// The stack, or the old form: a role, with a reservation if it is a dynamic one.
fn read_reservations(name: &str, message: &Message<'_>) -> Read<Checked<Vec<Reservation>>> {
    let role = message.text("role")?.filter(|role| &**role != "*");
    let layers = message.messages("reservations")?;
    if !layers.is_empty() {
        let mut stack = Vec::with_capacity(layers.len());
        for layer in &layers {
            match read_layer(layer)? {
                Some(layer) => stack.push(layer),
                None => {
                    let text = "a reservation needs a 'role' and a 'type', STATIC or DYNAMIC";
                    return Ok(Invalid::form(name, text));
                }
            }
        }
        // Lists that show both forms may be sent back unchanged.
        return Ok(match (role, stack.last()) {
            (Some(role), Some(top)) if top.role != role => {
                Invalid::form(name, "'role' and 'reservations' differ")
            }
            _ => Ok(stack),
        });
    }
    Ok(match (role, message.message("reservation")?) {
        (None, None) => Ok(Vec::new()),
        (None, Some(_)) => Invalid::form(name, "the role '*' cannot be dynamically reserved"),
        (Some(role), _) if !is_role(&role) => Invalid::form(name, format_args!("'{role}' is not a role")),
        (Some(role), None) => Ok(vec![Reservation::fixed(role)]),
        (Some(role), Some(owner)) => {
            Ok(vec![labelled(Reservation::dynamic(role, owner.text("principal")?), &owner)?])
        }
    })
}

fn read_layer(message: &Message<'_>) -> Read<Option<Reservation>> {
    let Some(role) = message.text("role")? else { return Ok(None) };
    match message.text("type")?.as_deref() {
        Some("STATIC") => Ok(Some(Reservation::fixed(role))),
        Some("DYNAMIC") => {
            labelled(Reservation::dynamic(role, message.text("principal")?), message).map(Some)
        }
        _ => Ok(None),
    }
}

fn labelled(mut reservation: Reservation, message: &Message<'_>) -> Read<Reservation> {
    reservation.labels = message.labels("labels")?.into_iter().collect();
    Ok(reservation)
}

/// Disk information, and what makes it invalid when it is used.
#[derive(Default)]
struct Disk {
    info: Option<DiskInfo>,
    fault: Option<String>,
}

fn read_disk(name: &str, message: &Message<'_>) -> Read<Checked<Disk>> {
    let Some(disk) = message.message("disk")? else { return Ok(Ok(Disk::default())) };
    if name != "disk" {
        return Ok(Invalid::form(name, "only 'disk' has disk information"));
    }
    let mut fault = None;
    let source = match disk.message("source")? {
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
                other => {
                    fault = Some(format!("disks of type '{other}' do not exist in this cluster"));
                    None
                }
            }
        }
    };
    let volume = disk.message("volume")?;
    if volume.as_ref().is_some_and(|volume| volume.has("host_path")) {
        fault = fault.or(Some("'host_path' of a persistent volume must be unset".to_owned()));
    }
    let container_path = volume.as_ref().map(|volume| volume.text("container_path")).transpose()?.flatten();
    let persistence = match disk.message("persistence")? {
        None => {
            let plain = volume.is_some().then(|| "non-persistent volumes are not supported".to_owned());
            fault = fault.or(plain);
            None
        }
        Some(persistence) => Some(Persistence {
            id: persistence.needs_text("id")?,
            principal: persistence.text("principal")?,
            container_path: container_path.unwrap_or_default(),
        }),
    };
    Ok(Ok(Disk { info: Some(DiskInfo { source, persistence }), fault }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Read<Checked<Resource>> {
        let value: Json = serde_json::from_str(text).expect(text);
        read(&Message::of(&value)?)
    }

    #[test]
    fn writing_and_reading_round_trips() {
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
                let again = read(&Message::of(&json).expect("an object")).expect("readable").expect("valid");
                assert_eq!(again, resource, "{form:?} {json}");
            }
        }
    }

    /// The same cases as `Resources::validate` and the JSON parser of the real system tell apart.
    #[test]
    fn malformed_and_invalid_operations() {
        for (text, says) in [
            (r#"{"type":"SCALAR","scalar":{"value":1}}"#, "'name'"),
            (r#"{"name":"cpus","scalar":{"value":1}}"#, "'type'"),
            (r#"{"name":"cpus","type":"TEXT"}"#, "TEXT"),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{}}"#, "'value'"),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{"value":"x"}}"#, "another type"),
            (r#"{"name":"ports","type":"RANGES","ranges":{"range":[{"begin":-1,"end":1}]}}"#, "negative"),
        ] {
            let refusal = read_text(text).expect_err(text);
            assert!(refusal.status == 400 && refusal.message.contains(says), "{text}: {}", refusal.message);
        }
        for (text, in_form, says) in [
            (r#"{"name":"","type":"SCALAR","scalar":{"value":1}}"#, true, "no name"),
            (r#"{"name":"cpus","type":"SCALAR"}"#, true, "'scalar'"),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{"value":-1}}"#, true, "no amount"),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{"value":0.0004}}"#, true, "no amount"),
            (
                r#"{"name":"ports","type":"RANGES","ranges":{"range":[{"begin":2,"end":1}]}}"#,
                true,
                "reversed",
            ),
            (
                r#"{"name":"ports","type":"RANGES","ranges":{"range":[{"begin":1,"end":3},{"begin":3,"end":4}]}}"#,
                true,
                "overlap",
            ),
            (r#"{"name":"x","type":"SET","set":{"item":["a","a"]}}"#, true, "repeats"),
            (
                r#"{"name":"cpus","type":"SCALAR","scalar":{"value":1},"role":"*","reservation":{}}"#,
                true,
                "'*'",
            ),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{"value":1},"role":"a//b"}"#, true, "not a role"),
            (
                r#"{"name":"cpus","type":"SCALAR","scalar":{"value":1},"reservations":[{"type":"DYNAMIC","role":"a"},{"type":"DYNAMIC","role":"b"}]}"#,
                true,
                "refine",
            ),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{"value":1},"disk":{}}"#, true, "only 'disk'"),
            (
                r#"{"name":"disk","type":"SCALAR","scalar":{"value":1},"disk":{"volume":{"container_path":"x","mode":"RW"}}}"#,
                false,
                "non-persistent",
            ),
            (r#"{"name":"cpus","type":"SCALAR","scalar":{"value":1},"revocable":{}}"#, false, "revocable"),
        ] {
            let invalid = read_text(text).expect("readable").expect_err(text);
            assert_eq!(invalid.in_form, in_form, "{text}");
            assert!(invalid.text.contains(says), "{text}: {}", invalid.text);
        }
        for text in [
            r#"{"name":"cpus","type":"SCALAR","scalar":{"value":0}}"#,
            r#"{"name":"gpus","type":"SCALAR","scalar":{"value":0}}"#,
            r#"{"name":"ports","type":"RANGES","ranges":{"range":[]}}"#,
            r#"{"name":"x","type":"SET","set":{}}"#,
        ] {
            let resource = read_text(text).expect("readable").expect(text);
            assert!(resource.value.is_empty(), "{text}: nothing is legal");
        }
        let text = r#"{"name":"cpus","type":"SCALAR","scalar":{"value":"0.1"},"unknown":1,"role":null}"#;
        assert_eq!(read_text(text), Ok(Ok(Resource::scalar("cpus", planarium_kernel::Milli(100)))));
    }
}
