//! The launch queue: who waits for offers, and why offers were not used.
//!
//! **Source**: `marathon: api/v2/QueueResource.scala, raml/QueueInfoConversion.scala, raml/OfferConversion.scala,
//! core/launchqueue/LaunchStats.scala`. Match.

use super::caller::Caller;
use super::reader::Reader;
use super::route::Query;
use super::{Answer, Done};
use crate::definition::Refused;
use crate::id::PathId;
use crate::instances::tracker::SpecNo;
use crate::offers::matching::Reject;
use crate::offers::statistics::Unused;
use planarium_kernel::{SimTime, SortedMap};
use planarium_mesos::api::{Resource, Value as Amount};
use planarium_protocol::{Text, json};
use serde_json::{Map, Value};

impl Reader<'_> {
    pub(super) fn show_queue(&self, now: SimTime, query: &Query) -> Answer {
        let offers = query.all("embed").any(|word| word == "lastUnusedOffers");
        let mut items = Vec::new();
        for (no, counts) in self.records.instances.specs().filter(|(_, counts)| counts.queued > 0) {
            let _ = counts;
            items.extend(self.queue_items(no, offers, now));
        }
        Answer::json(json!({"queue": items}))
    }

    /// One item for each role of a spec.
    fn queue_items(&self, no: SpecNo, offers: bool, now: SimTime) -> Vec<Value> {
        let Some(run) = self.records.run(no) else { return Vec::new() };
        let Some(spec) = self.records.definitions.root.spec(&run.id) else { return Vec::new() };
        if !spec.is_app() && self.records.setup.settings.client_compat {
            // The client knows no items of pods.
            return Vec::new();
        }
        let mut by_role: SortedMap<Text, (u32, SimTime)> = SortedMap::new();
        for (_, instance) in self.records.instances.of_spec(no) {
            if instance.is_scheduled() || instance.is_provisioned() {
                let item = by_role.entry(instance.role.clone()).or_insert((0, SimTime::MAX));
                item.0 += 1;
                item.1 = item.1.min(instance.queued);
            }
        }
        let delay = run.backoff.swept(spec, self.records.setup.sweep_tick(now));
        let left = delay.map_or(0, |delay| delay.until().since(now) / 1000);
        let overdue = delay.is_none_or(|delay| delay.until().saturating_add(1000) <= now);
        let mut items = Vec::new();
        for (role, (count, since)) in &by_role {
            let mut item = Map::new();
            let mut put = |key: &str, value: Value| _ = item.insert(key.to_owned(), value);
            put("count", (*count).into());
            if !self.records.setup.settings.client_compat {
                put("role", (&**role).into());
            }
            put("delay", json!({"timeLeftSeconds": left, "overdue": overdue}));
            // The process counts from its own beginning.
            let since = (*since).max(self.records.setup.born);
            put("since", self.records.setup.calendar.at(since).into());
            put("processedOffersSummary", self.summary(no));
            if offers {
                let last = run.stats.last.values().map(|unused| self.unused_json(unused));
                put("lastUnusedOffers", last.collect());
            }
            let definition = self.definition_json(spec);
            put(if spec.is_app() { "app" } else { "pod" }, definition);
            items.push(Value::Object(item));
        }
        items
    }

    fn summary(&self, no: SpecNo) -> Value {
        let Some(run) = self.records.run(no) else { return Value::Null };
        let stats = &run.stats;
        let mut all = Map::new();
        all.insert("processedOffersCount".to_owned(), stats.processed.into());
        all.insert("unusedOffersCount".to_owned(), stats.unused.into());
        for (key, at) in [("lastUnusedOfferAt", stats.last_unused), ("lastUsedOfferAt", stats.last_used)] {
            if let Some(at) = at {
                all.insert(key.to_owned(), self.records.setup.calendar.at(at).into());
            }
        }
        let last = funnel(stats.last.len() as u64, &stats.last_rejects());
        all.insert("rejectSummaryLastOffers".to_owned(), last);
        all.insert("rejectSummaryLaunchAttempt".to_owned(), funnel(stats.processed, &stats.rejects));
        Value::Object(all)
    }

    fn unused_json(&self, unused: &Unused) -> Value {
        let offer = &unused.offer;
        let attributes: Vec<Value> =
            offer.attributes.iter().map(|(name, text)| attribute(name, text)).collect();
        json!({
            "offer": {
                "id": offer.name(),
                "hostname": offer.hostname,
                "agentId": offer.agent_id,
                "resources": unused.left.iter().map(Self::resource_json).collect::<Vec<_>>(),
                "attributes": attributes,
            },
            "timestamp": self.records.setup.calendar.at(unused.at),
            "reason": unused.why.reasons.iter().map(|reason| reason.as_str()).collect::<Vec<_>>(),
        })
    }

    fn resource_json(resource: &Resource) -> Value {
        let mut all = Map::new();
        all.insert("name".to_owned(), (&*resource.name).into());
        all.insert("role".to_owned(), resource.role().into());
        match &resource.value {
            Amount::Scalar(amount) => {
                all.insert("scalar".to_owned(), crate::schema::plain(decimal(amount.thousandths())));
            }
            Amount::Ranges(ranges) => {
                let pairs = ranges.pairs().iter().map(|(begin, end)| json!({"begin": begin, "end": end}));
                all.insert("ranges".to_owned(), pairs.collect());
            }
            Amount::Set(items) => {
                all.insert("set".to_owned(), items.iter().map(|item| Value::from(&**item)).collect());
            }
        }
        Value::Object(all)
    }
}

impl Caller<'_, '_> {
    pub(crate) fn delete_delay(&mut self, id: &str) -> Done {
        let id = PathId::absolute(id);
        let no = self
            .marathon
            .records
            .known_number(&id)
            .filter(|no| self.marathon.records.instances.counts(*no).waiting > 0);
        let spec = self.marathon.records.definitions.root.spec(&id).cloned();
        let (Some(no), Some(spec)) = (no, spec) else {
            return Err(Refused::NotFound(format!("Application {id} not found in tasks queue.")));
        };
        self.marathon.records.reset_delay(self.port.cx, no, &spec);
        self.marathon.settle(self.port);
        Ok(Answer::empty(204))
    }
}

/// One row per reason: the offers left after the previous reasons.
fn funnel(processed: u64, rejects: &SortedMap<Reject, u64>) -> Value {
    let mut left = processed;
    let mut rows = Vec::new();
    for reason in Reject::ALL {
        let declined = rejects.get(&reason).copied().unwrap_or(0);
        rows.push(json!({"reason": reason.as_str(), "declined": declined, "processed": left}));
        left = left.saturating_sub(declined);
    }
    Value::Array(rows)
}

fn attribute(name: &str, text: &str) -> Value {
    if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let pairs = inner.split(',').map(|pair| {
            let (begin, end) = pair.split_once('-')?;
            let number = |text: &str| text.trim().parse::<u64>().ok();
            Some(json!({"begin": number(begin)?, "end": number(end)?}))
        });
        if let Some(ranges) = pairs.collect::<Option<Vec<Value>>>() {
            return json!({"name": name, "ranges": ranges});
        }
    }
    match planarium_kernel::float::parse(text) {
        Some(number) => json!({"name": name, "scalar": crate::schema::plain(number)}),
        None => json!({"name": name, "text": text}),
    }
}

#[expect(clippy::cast_precision_loss, reason = "amounts are far below where it would matter")]
fn decimal(thousandths: i64) -> f64 {
    thousandths as f64 / 1000.0
}
