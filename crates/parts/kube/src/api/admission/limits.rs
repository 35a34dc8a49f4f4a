//! LimitRanges: sizes that containers get where they name none, and bounds of those that they name.
//!
//! Source: `kubernetes/kubernetes: plugin/pkg/admission/limitranger/admission.go` (1.29), match in rules and words; bounds are
//! checked in the order of their names.

use super::forbidden;
use crate::{
    api::Api,
    error::ApiError,
    kinds::KindId,
    quantity,
    tree::{Tree, object_at, put_new},
};
use planarium_protocol::{
    Text,
    json::{self, Map, Value},
};

/// The annotation that says which sizes were added.
pub(super) const ANNOTATION: &str = "kubernetes.io/limit-ranger";

impl Api {
    /// True if a namespace has limits.
    pub(super) fn has_limits(&self, namespace: &str) -> bool {
        self.store.of_kind(KindId::LIMIT_RANGE, Some(namespace)).next().is_some()
    }

    /// Sets default sizes of a pod's containers and checks all sizes; describes the added ones. *Errors*: 403 with every
    /// violated bound.
    pub(super) fn apply_limits(
        &self,
        namespace: &str,
        name: &str,
        spec: &mut Map<String, Value>,
    ) -> Result<Option<Text>, ApiError> {
        let mut noted = None;
        for range in self.store.of_kind(KindId::LIMIT_RANGE, Some(namespace)) {
            let limits = range.content().at(&["spec"]).items("limits");
            if let Some(text) = fill(limits, spec) {
                noted = Some(Text::from(format!("LimitRanger plugin set: {text}")));
            }
        }
        for range in self.store.of_kind(KindId::LIMIT_RANGE, Some(namespace)) {
            let broken = broken(range.content().at(&["spec"]).items("limits"), spec);
            match broken.as_slice() {
                [] => {}
                [one] => return Err(forbidden("pods", name, one)),
                many => return Err(forbidden("pods", name, &format!("[{}]", many.join(", ")))),
            }
        }
        Ok(noted)
    }

    /// Checks the size of a claim. *Errors*: 403.
    pub(crate) fn check_claim_limits(
        &self,
        namespace: &str,
        name: &str,
        spec: &Value,
    ) -> Result<(), ApiError> {
        let mut texts = Vec::new();
        for range in self.store.of_kind(KindId::LIMIT_RANGE, Some(namespace)) {
            for limit in range.content().at(&["spec"]).items("limits") {
                if limit.text("type") != "PersistentVolumeClaim" {
                    continue;
                }
                let requests = spec.at(&["resources", "requests"]);
                for (key, least) in sorted(limit.key("min")) {
                    texts.extend(too_little("PersistentVolumeClaim", key, least, requests, &Value::Null));
                }
                for (key, most) in sorted(limit.key("max")) {
                    let asked = requests.key(key);
                    if amount(asked) > amount(most) {
                        texts.push(format!(
                            "maximum {key} usage per PersistentVolumeClaim is {}, but request is {}",
                            shown(most),
                            shown(asked)
                        ));
                    }
                }
            }
        }
        if texts.is_empty() {
            return Ok(());
        }
        let text = if let [one] = texts.as_slice() { one.clone() } else { format!("[{}]", texts.join(", ")) };
        Err(forbidden("persistentvolumeclaims", name, &text))
    }
}

/// Adds the default sizes of containers; describes the added ones.
fn fill(limits: &[Value], spec: &mut Map<String, Value>) -> Option<String> {
    let mut texts = Vec::new();
    for (list, word) in [("initContainers", "init container"), ("containers", "container")] {
        for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let name = container.text("name").to_owned();
            for (part, given, shown) in
                [("requests", "defaultRequest", "request"), ("limits", "default", "limit")]
            {
                let mut added: Vec<&str> = Vec::new();
                for limit in limits.iter().filter(|limit| limit.text("type") == "Container") {
                    for (key, value) in sorted(limit.key(given)) {
                        let Some(fields) = container.as_object_mut().and_then(|fields| {
                            object_at(fields, "resources").and_then(|resources| object_at(resources, part))
                        }) else {
                            continue;
                        };
                        if !fields.contains_key(key) {
                            put_new(fields, key, value.clone());
                            added.push(key);
                        }
                    }
                }
                if !added.is_empty() {
                    texts.push(format!("{} {shown} for {word} {name}", added.join(", ")));
                }
            }
        }
    }
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// Bounds that a pod breaks, in words.
fn broken(limits: &[Value], spec: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    let containers = |list: &str| spec.get(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for limit in limits {
        match limit.text("type") {
            "Container" => {
                for container in containers("containers").iter().chain(containers("initContainers")) {
                    let resources = container.key("resources");
                    check("Container", limit, resources.key("requests"), resources.key("limits"), &mut found);
                }
            }
            "Pod" => {
                let requests = total(containers("containers"), containers("initContainers"), "requests");
                let most = total(containers("containers"), containers("initContainers"), "limits");
                check("Pod", limit, &requests, &most, &mut found);
            }
            _ => {}
        }
    }
    found
}

fn check(of: &str, limit: &Value, requests: &Value, limits: &Value, found: &mut Vec<String>) {
    for (key, least) in sorted(limit.key("min")) {
        found.extend(too_little(of, key, least, requests, limits));
    }
    for (key, most) in sorted(limit.key("max")) {
        found.extend(too_much(of, key, most, requests, limits));
    }
    for (key, ratio) in sorted(limit.key("maxLimitRequestRatio")) {
        found.extend(too_far(of, key, ratio, requests.key(key), limits.key(key)));
    }
}

fn too_little(of: &str, key: &str, least: &Value, requests: &Value, limits: &Value) -> Option<String> {
    let (request, limit, bound) = (requests.key(key), limits.key(key), shown(least));
    if request.is_null() {
        return Some(format!("minimum {key} usage per {of} is {bound}.  No request is specified"));
    }
    if amount(request) < amount(least) {
        let request = shown(request);
        return Some(format!("minimum {key} usage per {of} is {bound}, but request is {request}"));
    }
    (!limit.is_null() && amount(limit) < amount(least))
        .then(|| format!("minimum {key} usage per {of} is {bound}, but limit is {}", shown(limit)))
}

fn too_much(of: &str, key: &str, most: &Value, requests: &Value, limits: &Value) -> Option<String> {
    let (request, limit, bound) = (requests.key(key), limits.key(key), shown(most));
    if limit.is_null() {
        return Some(format!("maximum {key} usage per {of} is {bound}.  No limit is specified"));
    }
    if amount(limit) > amount(most) {
        return Some(format!("maximum {key} usage per {of} is {bound}, but limit is {}", shown(limit)));
    }
    (!request.is_null() && amount(request) > amount(most))
        .then(|| format!("maximum {key} usage per {of} is {bound}, but request is {}", shown(request)))
}

/// A limit that is too many times the request.
fn too_far(of: &str, key: &str, ratio: &Value, request: &Value, limit: &Value) -> Option<String> {
    let bound = shown(ratio);
    let (asked, most) = (amount(request), amount(limit));
    if asked == 0 {
        return Some(format!(
            "{key} max limit to request ratio per {of} is {bound}, but no request is specified or request is 0"
        ));
    }
    if most == 0 {
        return Some(format!(
            "{key} max limit to request ratio per {of} is {bound}, but no limit is specified or limit is 0"
        ));
    }
    let (asked, most) = (i128::from(asked), i128::from(most));
    // Both sides in thousandths: most / asked > ratio.
    (most.saturating_mul(1000) > i128::from(amount(ratio)).saturating_mul(asked)).then(|| {
        let millionths = most.saturating_mul(1_000_000) / asked.max(1);
        let (whole, part) = (millionths / 1_000_000, millionths % 1_000_000);
        format!(
            "{key} max limit to request ratio per {of} is {bound}, but provided ratio is {whole}.{part:06}"
        )
    })
}

/// Sums an amount over a pod's containers; `Null` unless all of them set it. A larger init container counts instead.
fn total(containers: &[Value], inits: &[Value], part: &str) -> Value {
    let mut sums = Map::new();
    let first = containers.first().map_or(&Value::Null, |one| one.key("resources").key(part));
    for (key, _) in sorted(first) {
        let each: Vec<i64> = containers
            .iter()
            .map(|one| one.at(&["resources", part, key]))
            .filter(|value| !value.is_null())
            .map(amount)
            .collect();
        if each.len() < containers.len() {
            continue;
        }
        let sum = each.into_iter().fold(0, i64::saturating_add);
        let most = inits.iter().map(|one| amount(one.at(&["resources", part, key]))).fold(sum, i64::max);
        json::put(&mut sums, key, quantity::text_of(key, most).into());
    }
    Value::Object(sums)
}

/// Amounts by name. *Order*: name.
fn sorted(amounts: &Value) -> Vec<(&str, &Value)> {
    let mut all: Vec<(&str, &Value)> =
        amounts.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value)).collect();
    planarium_kernel::sorted::sort_by(&mut all, |(one, _), (other, _)| one.cmp(other));
    all
}

/// Thousandths.
fn amount(value: &Value) -> i64 {
    quantity::thousandths(&shown(value)).unwrap_or(0)
}

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| if value.is_null() { String::new() } else { value.to_string() }, str::to_owned)
}
