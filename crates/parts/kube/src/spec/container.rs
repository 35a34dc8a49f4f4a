//! One container of a pod, as a kubelet sees it.

use super::command::{Ending, ending, script};
use crate::{
    amounts::Amounts,
    quantity,
    tree::{Tree, word},
};
use planarium_protocol::Text;
use serde_json::Value;

/// When an image is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pull {
    Always,
    IfNotPresent,
    Never,
}

/// A probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    /// Its deed in words: the command, or `GET http://:8080/`.
    pub(crate) command: Text,
    pub(crate) delay_ms: u64,
    pub(crate) period_ms: u64,
    pub(crate) timeout_ms: u64,
    pub(crate) successes: u32,
    pub(crate) failures: u32,
}

/// An entry of a ConfigMap (or Secret) that the environment of a container is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnvRef {
    pub(crate) secret: bool,
    pub(crate) name: Text,
    /// Nothing for all of its keys.
    pub(crate) entry: Option<Text>,
}

/// A container.
#[derive(Clone, Debug)]
pub(crate) struct Container {
    pub(crate) name: Text,
    pub(crate) image: Text,
    pub(crate) pull: Pull,
    pub(crate) script: Text,
    pub(crate) ending: Ending,
    /// True if it has its own command or arguments.
    pub(crate) commanded: bool,
    pub(crate) readiness: Option<Probe>,
    pub(crate) liveness: Option<Probe>,
    pub(crate) startup: Option<Probe>,
    /// The time that its preStop hook takes.
    pub(crate) pre_stop_ms: u64,
    pub(crate) env: Vec<EnvRef>,
    pub(crate) requests: Amounts,
    pub(crate) host_ports: Vec<(i64, Text)>,
    /// The mark that `qosClass` goes by: limits for both CPU and memory, equal to requests.
    pub(crate) guaranteed: bool,
    /// True if it has any request or limit.
    pub(crate) sized: bool,
}

impl Container {
    pub(crate) fn read(value: &Value, host_network: bool) -> Self {
        let (command, args) = (value.texts("command"), value.texts("args"));
        let script = script(&command, &args);
        let image: Text = value.text("image").into();
        let pull = match value.text("imagePullPolicy") {
            "Always" => Pull::Always,
            "Never" => Pull::Never,
            "IfNotPresent" => Pull::IfNotPresent,
            _ if is_latest(&image) => Pull::Always,
            _ => Pull::IfNotPresent,
        };
        let resources = value.key("resources");
        let (limits, requests) = (resources.key("limits"), resources.key("requests"));
        let pre_stop = value.at(&["lifecycle", "preStop", "exec"]).texts("command");
        let pre_stop_ms = match ending(&super::command::script(&pre_stop, &[])) {
            Ending::After { ms, .. } => ms,
            _ => 0,
        };
        let same = |key: &str| {
            let (limit, request) = (amount(limits, key), amount(requests, key));
            limit.is_some_and(|limit| request.is_none_or(|request| request == limit))
        };
        let port = |port: &Value| {
            let number =
                port.int("hostPort").or_else(|| host_network.then(|| port.int("containerPort"))?)?;
            (number > 0).then(|| {
                (
                    number,
                    Text::from(if port.text("protocol").is_empty() { "TCP" } else { port.text("protocol") }),
                )
            })
        };
        Self {
            name: value.text("name").into(),
            ending: ending(&script),
            commanded: !command.is_empty() || !args.is_empty(),
            script,
            image,
            pull,
            readiness: Probe::read(value.key("readinessProbe")),
            liveness: Probe::read(value.key("livenessProbe")),
            startup: Probe::read(value.key("startupProbe")),
            pre_stop_ms,
            env: env_refs(value),
            requests: Amounts::requested(limits, requests),
            host_ports: value.items("ports").iter().filter_map(port).collect(),
            guaranteed: same("cpu") && same("memory"),
            sized: ["cpu", "memory"]
                .iter()
                .any(|key| amount(limits, key).or(amount(requests, key)).is_some()),
        }
    }
}

fn amount(resources: &Value, key: &str) -> Option<i64> {
    resources.key(key).as_str().and_then(quantity::thousandths)
}

/// Returns whether an image is pulled each time by default: it has no tag, or `latest`.
fn is_latest(image: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or(image);
    if name.contains('@') {
        return false;
    }
    name.split_once(':').is_none_or(|(_, tag)| tag == "latest")
}

fn env_refs(value: &Value) -> Vec<EnvRef> {
    let mut refs = Vec::new();
    let mut note = |from: &Value, secret: bool, key: &str| {
        if let Some(name) = word(from, "name")
            && !from.flag("optional")
        {
            refs.push(EnvRef { secret, name, entry: word(from, key) });
        }
    };
    for source in value.items("envFrom") {
        note(source.key("configMapRef"), false, "");
        note(source.key("secretRef"), true, "");
    }
    for variable in value.items("env") {
        note(variable.at(&["valueFrom", "configMapKeyRef"]), false, "key");
        note(variable.at(&["valueFrom", "secretKeyRef"]), true, "key");
    }
    refs
}

impl Probe {
    fn read(value: &Value) -> Option<Self> {
        let fields = value.as_object()?;
        let command = if let Some(exec) = fields.get("exec") {
            script(&exec.texts("command"), &[])
        } else if let Some(get) = fields.get("httpGet") {
            let port = get.key("port").to_string();
            format!("GET {}:{}{}", get.text("host"), port.trim_matches('"'), get.text("path")).into()
        } else if let Some(socket) = fields.get("tcpSocket") {
            format!("connect :{}", socket.key("port").to_string().trim_matches('"')).into()
        } else {
            "probe".into()
        };
        let ms = |key: &str, otherwise: u32| u64::from(value.count(key).unwrap_or(otherwise)) * 1000;
        Some(Self {
            command,
            delay_ms: ms("initialDelaySeconds", 0),
            period_ms: ms("periodSeconds", 10).max(1000),
            timeout_ms: ms("timeoutSeconds", 1).max(1000),
            successes: value.count("successThreshold").unwrap_or(1).max(1),
            failures: value.count("failureThreshold").unwrap_or(3).max(1),
        })
    }
}
