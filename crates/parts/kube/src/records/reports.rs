//! Reports about objects: the API's Events, and events of the world.
//!
//! *Knows*: the latest reports, with counts of repeated ones. *Must not know*: their meaning.
//!
//! **Source**: `kubernetes/client-go: tools/record/events_cache.go`; simplified: equal reports about an object are counted,
//! similar ones are not merged, and the kept ones are limited by number, not by time.

use crate::{
    calendar::Epoch,
    object::{Object, ObjectNo},
    view::Occurrence,
};
use planarium_ground::Cx;
use planarium_kernel::{IdMap, Map, Weight, draw, id::Id};
use planarium_protocol::{EventBody, Text, event::Importance, shared};
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

/// Number of a report, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number(u64);

impl Id for Number {
    fn number(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// A kept report.
#[derive(Clone, Debug, Weight)]
#[weight(occurrence)]
struct Row {
    occurrence: Arc<Occurrence>,
    /// The object that it is about.
    object: ObjectNo,
    /// The report about the object before this one, which may be forgotten; 0 for none.
    before: u64,
}

/// The latest reports.
#[derive(Clone, Debug, Default, Weight)]
#[weight(rows, flat latest)]
pub(crate) struct Reports {
    rows: IdMap<Number, Row>,
    /// The last report about each object.
    latest: Map<ObjectNo, u64>,
    next: u64,
}

impl Reports {
    /// All that is kept, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Arc<Occurrence>)> {
        self.rows.iter().map(|(number, row)| (number.0, &row.occurrence))
    }

    /// Reports about an object, latest first.
    fn about(&self, object: ObjectNo) -> impl Iterator<Item = (u64, &Arc<Occurrence>)> {
        let mut next = self.latest.get(&object).copied().unwrap_or(0);
        std::iter::from_fn(move || {
            let number = next;
            let row = self.rows.get(&Number(number))?;
            next = row.before;
            Some((number, &row.occurrence))
        })
    }

    fn add(&mut self, object: ObjectNo, row: Occurrence) {
        self.next += 1;
        let number = self.next;
        let before = self.latest.insert(object, number).unwrap_or(0);
        self.rows.insert(Number(number), Row { occurrence: Arc::new(row), object, before });
        if self.rows.len() > KEPT {
            self.forget(number.saturating_sub(KEPT as u64));
        }
    }

    /// Forgets a report, which is the oldest.
    fn forget(&mut self, number: u64) {
        let Some(row) = self.rows.remove(&Number(number)) else { return };
        if self.latest.get(&row.object) == Some(&number) {
            self.latest.remove(&row.object);
        }
    }

    /// Reports something about an object, as controllers do: an Event of the API and an event of the world.
    pub(crate) fn record(
        &mut self,
        cx: &mut Cx,
        about: &Object,
        warning: bool,
        reason: &'static str,
        message: &str,
        source: &'static str,
    ) {
        let (reason, source) = (shared(reason), shared(source));
        let event = emit(cx, about, warning, reason.clone(), message, source.clone());
        let now = cx.now();
        let same = self.about(about.no).find(|(_, row)| {
            row.reason == reason && *row.message == *message && row.source == source && row.warning == warning
        });
        if let Some(number) = same.map(|(number, _)| number) {
            if let Some(row) =
                self.rows.get_mut(&Number(number)).map(|row| Arc::make_mut(&mut row.occurrence))
            {
                row.count = row.count.saturating_add(1);
                row.last = now;
                row.event = event;
            }
            return;
        }
        let row = Occurrence {
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
        };
        self.add(about.no, row);
    }

    /// Reports about an object, oldest first.
    pub(crate) fn of(&self, object: ObjectNo) -> Vec<Occurrence> {
        let mut all: Vec<Occurrence> = self.about(object).map(|(_, row)| Occurrence::clone(row)).collect();
        all.reverse();
        all
    }

    /// Reports about objects of a kind, namespace and name, oldest first.
    pub(crate) fn of_name(&self, kind: &str, namespace: &str, name: &str) -> Vec<Occurrence> {
        let is_meant = |row: &&Arc<Occurrence>| {
            *row.about.0 == *kind && *row.about.1 == *namespace && *row.about.2 == *name
        };
        self.iter().map(|(_, row)| row).filter(is_meant).map(|row| Occurrence::clone(row)).collect()
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
