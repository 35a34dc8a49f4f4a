//! `autoscale`.
//!
//! **Source**: `kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/cmd/autoscale/autoscale.go`. Match for flags, their checks and
//! messages; `-f` and `--dry-run` are missing.

use planarium_protocol::json;
use serde_json::{Map, Value};

use super::Done;
use super::client::Client;
use super::kinds::{resource, targets};
use planarium_part::console::Given;

/// Most that the real client's numbers hold.
const MOST: i64 = 2_147_483_647;

/// Bounds and targets of an autoscaler, as flags give them.
#[derive(Debug)]
struct Wanted {
    min: i64,
    max: i64,
    metrics: Vec<Value>,
}

/// Reads an integer flag; -1 if it is not given.
fn number(given: &Given, name: &str) -> Result<i64, String> {
    let number = given.number::<i32>(name).map_err(|problem| format!("error: {problem}"))?;
    Ok(number.map_or(-1, i64::from))
}

fn metric(name: &str, target: Value) -> Value {
    json!({ "type": "Resource", "resource": { "name": name, "target": target } })
}

fn utilization(percent: i64) -> Value {
    json!({ "type": "Utilization", "averageUtilization": percent })
}

/// Parses a target: a share of the request (`70%`), or an amount, in `unit` if it has none.
fn target(resource: &str, text: &str, unit: &str) -> Result<Value, String> {
    let bad = || format!("error: invalid {resource} format: {text}");
    if let Some(percent) = text.strip_suffix('%') {
        let percent = percent.parse::<i64>().ok().filter(|percent| (0..=MOST).contains(percent));
        return percent.map(utilization).ok_or_else(bad);
    }
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let amount = if is_plain { format!("{text}{unit}") } else { text.to_owned() };
    if !amount.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(bad());
    }
    Ok(json!({ "type": "AverageValue", "averageValue": amount }))
}

impl Wanted {
    fn read(given: &Given) -> Result<Self, String> {
        if given.value("max").is_none() {
            return Err("error: required flag(s) \"max\" not set".to_owned());
        }
        let (min, max, percent) =
            (number(given, "min")?, number(given, "max")?, number(given, "cpu-percent")?);
        if max < 1 {
            return Err(format!("error: --max=MAXPODS is required and must be at least 1, max: {max}"));
        }
        if max < min {
            return Err(format!(
                "error: --max=MAXPODS must be larger or equal to --min=MINPODS, max: {max}, min: {min}"
            ));
        }
        let mut metrics = Vec::new();
        if percent > 0 {
            if given.value("cpu").is_some() {
                return Err("error: --cpu-percent and --cpu are mutually exclusive".to_owned());
            }
            metrics.push(metric("cpu", utilization(percent)));
        }
        for (name, unit) in [("cpu", "m"), ("memory", "Mi")] {
            if let Some(text) = given.value(name) {
                metrics.push(metric(name, target(name, text, unit)?));
            }
        }
        Ok(Self { min, max, metrics })
    }
}

pub(super) fn autoscale(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let wanted = Wanted::read(given)?;
    let autoscaler = resource(client, "horizontalpodautoscalers.autoscaling")?;
    for (kind, name) in targets(client, &given.arguments)? {
        if name.is_empty() {
            return Err("error: no objects passed to autoscale".to_owned());
        }
        let path = kind.path(&client.namespace(), &name);
        client.get(&path)?;
        let version = if kind.group.is_empty() {
            kind.version.to_string()
        } else {
            format!("{}/{}", kind.group, kind.version)
        };
        if client.try_get(&format!("{path}/scale")).is_err() {
            return Err(format!(
                "error: cannot autoscale a {}: could not find scale subresource for {version}, Resource={} in discovery information",
                kind.kind, kind.plural
            ));
        }
        let own = given.value("name").filter(|name| !name.is_empty()).unwrap_or(&name);
        let mut spec = Map::new();
        spec.insert(
            "scaleTargetRef".to_owned(),
            json!({ "apiVersion": version, "kind": (&*kind.kind), "name": (name.as_str()) }),
        );
        spec.insert("maxReplicas".to_owned(), wanted.max.into());
        if wanted.min > 0 {
            spec.insert("minReplicas".to_owned(), wanted.min.into());
        }
        if !wanted.metrics.is_empty() {
            spec.insert("metrics".to_owned(), Value::Array(wanted.metrics.clone()));
        }
        let body = json!({
            "apiVersion": (format!("{}/{}", autoscaler.group, autoscaler.version)), "kind": (&*autoscaler.kind),
            "metadata": { "name": own }, "spec": (Value::Object(spec)),
        });
        let collection = autoscaler.path(&client.namespace(), "");
        client.send("POST", &collection, &body, "application/json").map_err(|failed| failed.text())?;
        client.say(&format!("{}/{own} autoscaled", autoscaler.word()));
    }
    Ok(())
}
