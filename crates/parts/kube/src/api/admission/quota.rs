//! ResourceQuotas: bounds on the total of a namespace's objects.
//!
//! Source: `kubernetes/kubernetes: staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota`, `pkg/quota/v1/evaluator/core`
//! (1.29), match in rules and words; differs in that a quota applies from its creation, without a first count by its controller.
//! Scopes are those of pods.

use crate::{
    api::Api,
    error::{ApiError, Reason},
    kinds::{KindId, KindInfo},
    object::Object,
    quantity,
    spec::Spec,
    status::Status,
    tree::Tree,
};
use planarium_kernel::SortedMap;
use planarium_protocol::{
    Text,
    json::{self, Map, Value},
};
use std::sync::Arc;

/// Amounts by the names that quotas use. *Units*: thousandths.
pub(crate) type Usage = SortedMap<Text, i64>;

/// Amounts of containers for which a quota wants every container to name a size.
const NAMED: [&str; 6] = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

/// An object to create or change.
pub(crate) struct Charge<'a> {
    pub(crate) kind: KindId,
    pub(crate) info: &'a KindInfo,
    pub(crate) namespace: &'a str,
    /// The name, for messages.
    pub(crate) name: &'a str,
    pub(crate) content: &'a Value,
    /// Its content before the change.
    pub(crate) before: Option<&'a Value>,
}

impl Api {
    /// Counts an object against the quotas of its namespace. *Errors*: 403 when it exceeds one; then nothing is counted.
    pub(crate) fn charge(&mut self, asked: &Charge<'_>) -> Result<(), ApiError> {
        let quotas: Vec<Arc<Object>> =
            self.store.of_kind(KindId::RESOURCE_QUOTA, Some(asked.namespace)).cloned().collect();
        if quotas.is_empty() {
            return Ok(());
        }
        let mut wanted = usage_of(asked.kind, asked.info, asked.content, true);
        if let Some(before) = asked.before {
            let had = usage_of(asked.kind, asked.info, before, true);
            wanted = wanted
                .into_iter()
                .map(|(key, amount)| {
                    let had = had.get(&key).copied().unwrap_or(0);
                    (key, amount.saturating_sub(had).max(0))
                })
                .collect();
        }
        let mut charged = Vec::new();
        for quota in &quotas {
            let Status::Plain(status) = &quota.status else { continue };
            if let Some(used) = check(asked, quota, status, &wanted)? {
                charged.push((quota.clone(), status.clone(), used));
            }
        }
        for (quota, status, used) in charged {
            let mut status = Value::clone(&status);
            if let Some(all) = status.get_mut("used").and_then(Value::as_object_mut) {
                used.iter().for_each(|(key, amount)| json::put(all, key, text(key, *amount)));
            }
            self.put_status(&quota, Status::Plain(Arc::new(status)));
        }
        Ok(())
    }
}

/// Returns a quota's usage after an object is created; `None` if the quota does not apply to it. *Errors*: 403.
fn check(
    asked: &Charge<'_>,
    quota: &Object,
    status: &Value,
    wanted: &Usage,
) -> Result<Option<Usage>, ApiError> {
    let refuse = |text: String| {
        let plural = asked.info.qualified_plural();
        let message = format!("{plural} {:?} is forbidden: {text}", asked.name);
        ApiError::new(Reason::Forbidden, message).about(&asked.info.group, &asked.info.plural, asked.name)
    };
    let hard = amounts(status.key("hard"));
    let concerned: Vec<&Text> =
        hard.keys().filter(|key| is_counted(asked.kind, asked.info, key, wanted)).collect();
    if concerned.is_empty() || !in_scope(quota.content().key("spec"), asked.kind, asked.content) {
        return Ok(None);
    }
    if asked.kind == KindId::POD {
        let missing = unnamed(asked.content.key("spec"), &concerned);
        if !missing.is_empty() {
            return Err(refuse(format!("failed quota: {}: must specify {missing}", quota.name)));
        }
    }
    let used = amounts(status.key("used"));
    let mut after = Usage::new();
    let mut exceeded = Vec::new();
    for key in concerned {
        let more = wanted.get(key).copied().unwrap_or(0);
        if more == 0 {
            continue;
        }
        let sum = used.get(key).copied().unwrap_or(0).saturating_add(more);
        if sum > hard.get(key).copied().unwrap_or(0) {
            exceeded.push(key);
        }
        after.insert(key.clone(), sum);
    }
    if exceeded.is_empty() {
        return Ok((!after.is_empty()).then_some(after));
    }
    let list = |of: &Usage| {
        let one = |key: &&Text| {
            let amount = text(key, of.get(*key).copied().unwrap_or(0));
            format!("{key}={}", amount.as_str().unwrap_or_default())
        };
        exceeded.iter().map(one).collect::<Vec<_>>().join(",")
    };
    Err(refuse(format!(
        "exceeded quota: {}, requested: {}, used: {}, limited: {}",
        quota.name,
        list(wanted),
        list(&used),
        list(&hard)
    )))
}

/// Returns the bounds of a quota that must rise to fit a number of a template's pods, with their new amounts. The server's reported request
/// of one pod (`cpu=2,pods=1`) counts if it is higher than the template's, since limits of the namespace may have added to it.
pub(crate) fn bounds_for(
    quota: &Object,
    info: &KindInfo,
    template: &Value,
    count: u32,
    asked: &str,
) -> Vec<(Text, String)> {
    let Status::Plain(status) = &quota.status else { return Vec::new() };
    let mut wanted = usage_of(KindId::POD, info, template, true);
    for (key, amount) in asked.split(',').filter_map(|one| one.split_once('=')) {
        let amount = quantity::thousandths(amount).unwrap_or(0);
        let known = wanted.get(key).copied().unwrap_or(0);
        wanted.insert(key.into(), amount.max(known));
    }
    let (hard, used) = (amounts(status.key("hard")), amounts(status.key("used")));
    let mut bounds = Vec::new();
    for (key, bound) in &hard {
        let more = wanted.get(key).copied().unwrap_or(0).saturating_mul(i64::from(count));
        let sum = used.get(key).copied().unwrap_or(0).saturating_add(more);
        if more > 0 && sum > *bound {
            bounds.push((key.clone(), quantity::text_of(key, sum)));
        }
    }
    bounds
}

/// Returns the status of a quota: its bounds, and the usage of its namespace.
pub(crate) fn status(api: &Api, spec: &Value, namespace: &str) -> Value {
    let hard = spec.key("hard");
    let keys = amounts(hard);
    let mut sums: Usage = keys.keys().map(|key| (key.clone(), 0)).collect();
    for object in api.store.in_namespace(namespace) {
        if !in_scope(spec, object.kind, object.content()) {
            continue;
        }
        let is_live = !object.is_over() || object.kind != KindId::POD;
        for (key, amount) in usage_of(object.kind, object.info(), object.content(), is_live) {
            if let Some(sum) = sums.get_mut(&key) {
                *sum = sum.saturating_add(amount);
            }
        }
    }
    let mut used = Map::new();
    sums.iter().for_each(|(key, amount)| json::put(&mut used, key, text(key, *amount)));
    planarium_protocol::json!({ "hard": hard, "used": Value::Object(used) })
}

/// Amounts that are written, in thousandths.
fn amounts(value: &Value) -> Usage {
    let one = |(key, value): (&String, &Value)| {
        let amount = quantity::thousandths(value.as_str().unwrap_or_default()).unwrap_or(0);
        (Text::from(key.as_str()), amount)
    };
    value.as_object().into_iter().flatten().map(one).collect()
}

fn text(key: &str, amount: i64) -> Value {
    quantity::text_of(key, amount).into()
}

/// True if a bound counts objects of a kind.
fn is_counted(kind: KindId, info: &KindInfo, key: &str, wanted: &Usage) -> bool {
    let of_pods = || {
        NAMED.contains(&key)
            || matches!(
                key,
                "pods" | "ephemeral-storage" | "requests.ephemeral-storage" | "limits.ephemeral-storage"
            )
            || key.starts_with("hugepages-")
            || key.strip_prefix("requests.").is_some_and(|rest| rest != "storage")
    };
    key.strip_prefix("count/").is_some_and(|rest| rest == info.qualified_plural())
        || kind == KindId::POD && of_pods()
        || kind != KindId::POD && wanted.contains_key(key)
}

/// Returns the usage of one object; with `is_live` false, a finished pod counts as an object only.
fn usage_of(kind: KindId, info: &KindInfo, content: &Value, is_live: bool) -> Usage {
    let mut usage = Usage::new();
    let mut add = |key: &str, amount: i64| _ = usage.insert(key.into(), amount);
    add(&format!("count/{}", info.qualified_plural()), 1000);
    let spec = content.key("spec");
    match kind {
        KindId::POD if is_live => {
            add("pods", 1000);
            for (key, amount) in totals(spec, "requests") {
                match &*key {
                    "cpu" | "memory" | "ephemeral-storage" => {
                        add(&key, amount);
                        add(&format!("requests.{key}"), amount);
                    }
                    _ if key.starts_with("hugepages-") => {
                        add(&key, amount);
                        add(&format!("requests.{key}"), amount);
                    }
                    _ => add(&format!("requests.{key}"), amount),
                }
            }
            for (key, amount) in totals(spec, "limits") {
                if matches!(&*key, "cpu" | "memory" | "ephemeral-storage") {
                    add(&format!("limits.{key}"), amount);
                }
            }
        }
        KindId::SERVICE => {
            add("services", 1000);
            let ports = i64::try_from(spec.items("ports").len()).unwrap_or(0).saturating_mul(1000);
            let balanced = spec.text("type") == "LoadBalancer";
            add("services.loadbalancers", if balanced { 1000 } else { 0 });
            let has_ports = spec.text("type") == "NodePort"
                || balanced && spec.key("allocateLoadBalancerNodePorts") != &Value::Bool(false);
            add("services.nodeports", if has_ports { ports } else { 0 });
        }
        KindId::PERSISTENT_VOLUME_CLAIM => {
            let size = spec.at(&["resources", "requests", "storage"]).as_str().unwrap_or_default();
            let size = quantity::thousandths(size).unwrap_or(0);
            add("persistentvolumeclaims", 1000);
            add("requests.storage", size);
            let class = spec.text("storageClassName");
            if !class.is_empty() {
                let prefix = format!("{class}.storageclass.storage.k8s.io");
                add(&format!("{prefix}/persistentvolumeclaims"), 1000);
                add(&format!("{prefix}/requests.storage"), size);
            }
        }
        KindId::CONFIG_MAP | KindId::SECRET | KindId::REPLICATION_CONTROLLER | KindId::RESOURCE_QUOTA => {
            add(&info.plural, 1000);
        }
        _ => {}
    }
    usage
}

/// Returns a container's amount: its request, otherwise its limit.
fn amount_of(container: &Value, part: &str, key: &str) -> Option<i64> {
    let resources = container.key("resources");
    let value = resources.key(part).key(key);
    let value = if value.is_null() && part == "requests" { resources.key("limits").key(key) } else { value };
    quantity::thousandths(value.as_str()?)
}

/// Sums over a pod's containers; a larger init container counts instead.
fn totals(spec: &Value, part: &str) -> Usage {
    let mut sums = Usage::new();
    let (containers, inits) = (spec.items("containers"), spec.items("initContainers"));
    for container in containers.iter().chain(inits) {
        let resources = container.key("resources");
        let own = resources.key(part).as_object().into_iter().flatten();
        let limits = resources.key("limits").as_object().into_iter().flatten();
        for (key, _) in own.chain(limits.filter(|_| part == "requests")) {
            sums.entry(key.as_str().into()).or_default();
        }
    }
    let keys: Vec<Text> = sums.keys().cloned().collect();
    for key in keys {
        let sum = containers.iter().filter_map(|one| amount_of(one, part, &key)).fold(0, i64::saturating_add);
        let most = inits.iter().filter_map(|one| amount_of(one, part, &key)).fold(sum, i64::max);
        let overhead = spec.at(&["overhead", &key]).as_str().and_then(quantity::thousandths).unwrap_or(0);
        sums.insert(key, most.saturating_add(overhead));
    }
    sums
}

/// Sizes that containers have to name and do not: `limits.cpu for: web; requests.cpu for: web`.
fn unnamed(spec: &Value, concerned: &[&Text]) -> String {
    let mut texts = Vec::new();
    for key in concerned.iter().filter(|key| NAMED.contains(&&****key)) {
        let (part, of) = match key.split_once('.') {
            Some(("limits", of)) => ("limits", of),
            Some((_, of)) => ("requests", of),
            None => ("requests", &***key),
        };
        let all = spec.items("containers").iter().chain(spec.items("initContainers"));
        let mut names: Vec<&str> =
            all.filter(|one| amount_of(one, part, of).is_none()).map(|one| one.text("name")).collect();
        planarium_kernel::sorted::sort(&mut names);
        if !names.is_empty() {
            texts.push(format!("{key} for: {}", names.join(",")));
        }
    }
    texts.join("; ")
}

/// True if an object is in all scopes of a quota.
fn in_scope(quota: &Value, kind: KindId, content: &Value) -> bool {
    let selectors = quota.key("scopeSelector").items("matchExpressions");
    let scopes = quota.items("scopes");
    if scopes.is_empty() && selectors.is_empty() {
        return true;
    }
    if kind != KindId::POD {
        return false;
    }
    let spec = content.key("spec");
    let is_in = |scope: &str| match scope {
        "Terminating" => !spec.key("activeDeadlineSeconds").is_null(),
        "NotTerminating" => spec.key("activeDeadlineSeconds").is_null(),
        "BestEffort" => has_no_size(spec),
        "NotBestEffort" => !has_no_size(spec),
        "PriorityClass" => !spec.text("priorityClassName").is_empty(),
        "CrossNamespacePodAffinity" => looks_abroad(spec),
        _ => false,
    };
    scopes.iter().filter_map(Value::as_str).all(is_in)
        && selectors.iter().all(|one| {
            let (scope, class) = (one.text("scopeName"), spec.text("priorityClassName"));
            let named = one.items("values").iter().any(|value| value.as_str() == Some(class));
            match (scope, one.text("operator")) {
                ("PriorityClass", "In") => named,
                ("PriorityClass", "NotIn") => !named,
                ("PriorityClass", "DoesNotExist") => class.is_empty(),
                _ => is_in(scope),
            }
        })
}

/// True if no container names a size of CPU or memory.
fn has_no_size(spec: &Value) -> bool {
    let all = spec.items("containers").iter().chain(spec.items("initContainers"));
    all.into_iter().all(|one| {
        ["cpu", "memory"].iter().all(|key| {
            ["requests", "limits"]
                .iter()
                .all(|part| amount_of(one, part, key).is_none_or(|amount| amount == 0))
        })
    })
}

/// True if a pod's rules about other pods name namespaces.
fn looks_abroad(spec: &Value) -> bool {
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
    ["podAffinity", "podAntiAffinity"].iter().any(|of| {
        let rules = spec.at(&["affinity", of]);
        let terms = rules.items(REQUIRED).iter();
        let mut all = terms.chain(rules.items(PREFERRED).iter().map(|one| one.key("podAffinityTerm")));
        all.any(|term| !term.items("namespaces").is_empty() || !term.key("namespaceSelector").is_null())
    })
}

/// True if a pod of a quota's namespace no longer counts, or anything else there went.
pub(crate) fn gives_back(old: Option<&Object>, new: Option<&Object>) -> bool {
    match (old, new) {
        (Some(_), None) => true,
        (Some(old), Some(new)) if matches!(new.spec, Spec::Pod(..)) => new.is_over() && !old.is_over(),
        (Some(old), Some(new)) if new.kind == KindId::SERVICE => !Arc::ptr_eq(&old.content, &new.content),
        _ => false,
    }
}
