//! Reports about objects: the API's Events, and events of the world.
//!
//! *Knows*: the latest reports, with counts of repeated ones. *Must not know*: their meaning.
//!
//! **Source**: `kubernetes/client-go: tools/record/events_cache.go`; simplified: equal reports about an object are counted,
//! similar ones are not merged, and the kept ones are limited by number, not by time.

use crate::{calendar::Epoch, object::Object, view::Occurrence};
use planarium_ground::Cx;
use planarium_kernel::{Map, Weight, draw};
use planarium_protocol::{EventBody, Text, event::Importance};
use serde_json::Value;
use std::sync::{Arc, LazyLock};

/// Facts of every report.
static OBJECT: LazyLock<Text> = LazyLock::new(|| "object".into());
static NAMESPACE: LazyLock<Text> = LazyLock::new(|| "namespace".into());

/// Routine reasons of every pod, of low importance.
const CHATTER: &[&str] = &[
    "Scheduled",
    "Pulling",
    "Pulled",
    "Created",
    "SuccessfulCreate",
    "SuccessfulDelete",
    "RegisteredNode",
    "ExternalProvisioning",
    "ProvisioningSucceeded",
    "WaitForFirstConsumer",
];

/// Maximum of reports kept.
const KEPT: usize = 4_096;

/// The latest reports.
#[derive(Clone, Debug, Default, Weight)]
#[weight(rows, flat by_object)]
pub(crate) struct Reports {
    rows: Map<u64, Arc<Occurrence>>,
    /// Fingerprint of the uid, and number.
    by_object: Map<(u64, u64), ()>,
    next: u64,
}

impl Reports {
    /// All that is kept, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Arc<Occurrence>)> {
        self.rows.iter().map(|(number, row)| (*number, row))
    }

    fn about(&self, uid: &str) -> impl Iterator<Item = (u64, &Arc<Occurrence>)> {
        let print = draw::entity(uid);
        let all = self.by_object.range((print, 0)..=(print, u64::MAX));
        all.filter_map(|((_, number), ())| Some((*number, self.rows.get(number)?)))
    }

    fn add(&mut self, row: Occurrence) {
        self.next += 1;
        self.by_object.insert((draw::entity(&row.about.3), self.next), ());
        self.rows.insert(self.next, Arc::new(row));
        if self.rows.len() > KEPT
            && let Some((first, old)) = self.rows.pop_first()
        {
            self.by_object.remove(&(draw::entity(&old.about.3), first));
        }
    }

    /// Reports something about an object, as controllers do: an Event of the API and an event of the world.
    pub(crate) fn record(
        &mut self,
        cx: &mut Cx,
        about: &Object,
        warning: bool,
        reason: &str,
        message: &str,
        source: &str,
    ) {
        let (reason, source): (Text, Text) = (reason.into(), source.into());
        let event = emit(cx, about, warning, reason.clone(), message, source.clone());
        let now = cx.now();
        let same = self.about(&about.uid).find(|(_, row)| {
            row.reason == reason && *row.message == *message && row.source == source && row.warning == warning
        });
        if let Some(number) = same.map(|(number, _)| number) {
            if let Some(row) = self.rows.get_mut(&number).map(Arc::make_mut) {
                row.count = row.count.saturating_add(1);
                row.last = now;
                row.event = event;
            }
            return;
        }
        self.add(Occurrence {
            about: (
                about.info().kind.clone(),
                about.namespace.clone(),
                about.name.clone(),
                about.uid.clone(),
            ),
            warning,
            reason,
            message: message.into(),
            source,
            count: 1,
            first: now,
            last: now,
            event,
        });
    }

    /// Reports about the object of a uid, oldest first.
    pub(crate) fn of_uid(&self, uid: &str) -> Vec<Occurrence> {
        self.about(uid).map(|(_, row)| Occurrence::clone(row)).collect()
    }

    /// Reports about objects of a kind, namespace and name, oldest first.
    pub(crate) fn of_name(&self, kind: &str, namespace: &str, name: &str) -> Vec<Occurrence> {
        let is_meant = |row: &&Arc<Occurrence>| {
            *row.about.0 == *kind && *row.about.1 == *namespace && *row.about.2 == *name
        };
        self.rows.values().filter(is_meant).map(|row| Occurrence::clone(row)).collect()
    }
}

/// A report as an Event of the API.
pub(crate) fn occurrence_value(epoch: Epoch, number: u64, row: &Occurrence) -> Value {
    let (kind, namespace, name, uid) = &row.about;
    let own = if namespace.is_empty() { "default" } else { namespace };
    let kind_word = if row.warning { "Warning" } else { "Normal" };
    planarium_protocol::json!({
        "kind": "Event", "apiVersion": "v1",
        "metadata": {
            "name": format!("{name}.{:016x}", draw::entity(uid) ^ number), "namespace": own,
            "uid": draw::uuid(0, draw::entity(uid), 0x4B0A, number), "resourceVersion": number.to_string(),
            "creationTimestamp": epoch.text(row.first),
        },
        "involvedObject": { "kind": kind, "namespace": namespace, "name": name, "uid": uid },
        "reason": row.reason, "message": row.message, "source": { "component": row.source },
        "firstTimestamp": epoch.text(row.first), "lastTimestamp": epoch.text(row.last), "count": row.count,
        "type": kind_word, "eventTime": null, "reportingComponent": "", "reportingInstance": "",
    })
}

/// Tells the world that something happened to an object; returns the number of the event.
fn emit(cx: &mut Cx, about: &Object, warning: bool, reason: Text, message: &str, source: Text) -> u64 {
    let importance = match () {
        () if warning => Importance::High,
        () if CHATTER.contains(&&*reason) => Importance::Low,
        () => Importance::Normal,
    };
    let text = about.path_before(&[": ", message]);
    let path = text.len().saturating_sub(": ".len() + message.len());
    let object = text.get(..path).unwrap_or_default().into();
    let mut facts: Vec<(Text, Text)> = Vec::with_capacity(2);
    facts.push((OBJECT.clone(), object));
    if !about.namespace.is_empty() {
        facts.push((NAMESPACE.clone(), about.namespace.clone()));
    }
    cx.emit(EventBody::Happened {
        speaker: source,
        what: reason,
        importance,
        path: None,
        facts,
        text: text.into(),
    })
}
