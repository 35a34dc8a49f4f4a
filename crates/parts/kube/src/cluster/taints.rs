//! Taints that the cluster itself puts on nodes, and how long pods tolerate taints. Pure.

use crate::{
    calendar::Epoch,
    object::Object,
    records::nodes::Node,
    spec::{
        Spec,
        placement::{Effect, Taint},
    },
    status::Tri,
    tree::{Tree, as_object, object_at},
};
use planarium_kernel::SimTime;
use planarium_protocol::json::{self, Map, Value};

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// Returns the content of a Node object with the cluster's own taints for this state; `None` if it has them already.
pub(crate) fn with_own_taints(node: &Node, content: &Value, epoch: Epoch, now: SimTime) -> Option<Value> {
    let own = |key: &str| matches!(key, NOT_READY | UNREACHABLE | UNSCHEDULABLE);
    let mut wanted: Vec<(&str, Effect)> = Vec::new();
    if node.unschedulable {
        wanted.push((UNSCHEDULABLE, Effect::NoSchedule));
    }
    if node.ready != Tri::True {
        wanted.push((UNREACHABLE, Effect::NoSchedule));
        wanted.push((UNREACHABLE, Effect::NoExecute));
    }
    let has =
        |key: &str, effect: Effect| node.taints.iter().any(|one| *one.key == *key && one.effect == effect);
    let right = wanted.iter().all(|(key, effect)| has(key, *effect))
        && node
            .taints
            .iter()
            .filter(|one| own(&one.key))
            .all(|one| wanted.contains(&(&*one.key, one.effect)));
    if right {
        return None;
    }
    let mut content = content.clone();
    let spec = as_object(&mut content).and_then(|content| object_at(content, "spec"))?;
    let mut taints: Vec<Value> = spec
        .get("taints")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|one| !own(one.text("key")))
        .cloned()
        .collect();
    for (key, effect) in wanted {
        let mut one = Map::new();
        json::put(&mut one, "key", key.into());
        json::put(&mut one, "effect", effect.as_str().into());
        if effect == Effect::NoExecute || key == UNREACHABLE {
            json::put(&mut one, "timeAdded", epoch.text(now).into());
        }
        taints.push(Value::Object(one));
    }
    if taints.is_empty() {
        spec.shift_remove("taints");
    } else {
        json::put(spec, "taints", Value::Array(taints));
    }
    Some(content)
}

/// The time that a pod tolerates taints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tolerance {
    Always,
    /// Tolerated for this long; 0 means not at all. *Units*: seconds.
    For(u64),
}

/// The time that a pod tolerates the `NoExecute` taints of a node.
pub(crate) fn tolerance(pod: &Object, taints: &[Taint]) -> Tolerance {
    let Spec::Pod(spec, own) = &pod.spec else { return Tolerance::Always };
    let mut shortest: Option<u64> = None;
    for taint in taints.iter().filter(|taint| taint.effect == Effect::NoExecute) {
        let mut found = false;
        let mut seconds: Option<u64> = None;
        for one in spec.tolerations.iter().filter(|one| one.covers(taint)) {
            found = true;
            if let Some(most) = one.seconds {
                let most = u64::try_from(most.max(0)).unwrap_or(0);
                seconds = Some(seconds.map_or(most, |least| least.min(most)));
            }
        }
        if !found && own.of_template && matches!(&*taint.key, NOT_READY | UNREACHABLE) {
            // What admission adds to pods of templates.
            found = true;
            seconds = own.pinned.is_none().then_some(300);
        }
        if !found {
            return Tolerance::For(0);
        }
        if let Some(seconds) = seconds {
            shortest = Some(shortest.map_or(seconds, |least| least.min(seconds)));
        }
    }
    shortest.map_or(Tolerance::Always, Tolerance::For)
}
