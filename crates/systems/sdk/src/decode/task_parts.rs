//! The blocks of a task: checks, configs, discovery, transport encryption.
//!
//! **Source**: `dcos-commons: …/specification/{DefaultHealthCheckSpec,DefaultReadinessCheckSpec,
//! DefaultConfigFileSpec,DefaultDiscoverySpec,DefaultTransportEncryptionSpec}.java`. Match.

use super::{Cx, Named, word};
use crate::codes;
use crate::config_file;
use crate::spec::{
    ConfigFile, DiscoverySpec, HealthCheck, ReadinessCheck, TransportEncryption, TransportEncryptionKind,
    Visibility,
};
use planarium_source::read;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Spanned};

pub(super) fn health_check(cx: &mut Cx<'_>, node: &Node) -> Option<HealthCheck> {
    let mut fields = cx.fields(node, "'health-check'", node.span)?;
    let cmd = fields.required_text("cmd");
    let interval = fields.required_int("interval");
    let delay = fields.required_int("delay");
    let timeout = fields.required_int("timeout");
    let grace = fields.required_int("grace-period");
    let failures = fields.required_int("max-consecutive-failures");
    fields.finish();
    let max_failures = at_least(cx, "max-consecutive-failures", 1, failures);
    Some(HealthCheck {
        cmd: cmd.map(|cmd| cmd.value.into()).unwrap_or_default(),
        interval_s: at_least(cx, "interval", 0, interval),
        delay_s: at_least(cx, "delay", 0, delay),
        timeout_s: at_least(cx, "timeout", 0, timeout),
        grace_s: at_least(cx, "grace-period", 0, grace),
        max_failures: u32::try_from(max_failures).unwrap_or(u32::MAX),
    })
}

pub(super) fn readiness_check(cx: &mut Cx<'_>, node: &Node) -> Option<ReadinessCheck> {
    let mut fields = cx.fields(node, "'readiness-check'", node.span)?;
    let cmd = fields.required_text("cmd");
    let interval = fields.required_int("interval");
    let timeout = fields.required_int("timeout");
    let delay = fields.int("delay");
    fields.finish();
    Some(ReadinessCheck {
        cmd: cmd.map(|cmd| cmd.value.into()).unwrap_or_default(),
        interval_s: at_least(cx, "interval", 0, interval),
        delay_s: at_least(cx, "delay", 0, delay),
        timeout_s: at_least(cx, "timeout", 0, timeout),
    })
}

fn at_least(cx: &mut Cx<'_>, field: &str, least: u64, number: Option<Spanned<i64>>) -> u64 {
    let Some(number) = number else { return least };
    if let Some(value) = u64::try_from(number.value).ok().filter(|value| *value >= least) {
        return value;
    }
    let message = format!("'{field}' must be at least {least}, but is {}", number.value);
    cx.error(codes::BAD_CHECK, number.span, &message, &format!("write {least} or more"));
    least
}

pub(super) fn discovery(cx: &mut Cx<'_>, node: &Node) -> Option<DiscoverySpec> {
    let mut fields = cx.fields(node, "'discovery'", node.span)?;
    let prefix = fields.text("prefix").map(|prefix| prefix.value.into());
    let visibility = word(&mut fields, "visibility");
    fields.finish();
    let visibility = visibility.map_or(Visibility::Cluster, |word| match word.text {
        "FRAMEWORK" => Visibility::Framework,
        "CLUSTER" => Visibility::Cluster,
        "EXTERNAL" => Visibility::External,
        other => {
            let message = format!("Visibility must be one of: FRAMEWORK, CLUSTER, EXTERNAL; not '{other}'");
            let permitted = ["FRAMEWORK", "CLUSTER", "EXTERNAL"];
            cx.not_one_of(codes::BAD_VISIBILITY, &word, &message, &permitted);
            Visibility::Cluster
        }
    });
    Some(DiscoverySpec { prefix, visibility })
}

pub(super) fn transport_encryption(cx: &mut Cx<'_>, node: Option<&Node>) -> Vec<TransportEncryption> {
    let Some(node) = node else { return Vec::new() };
    let items = read::sequence(node, "'transport-encryption'", &codes::READ, cx.found).unwrap_or_default();
    let mut all = Vec::new();
    for item in items {
        let Some(mut fields) = cx.fields(item, "transport encryption", item.span) else { continue };
        let name = fields.required_text("name");
        let kind = if fields.required("type").is_some() { word(&mut fields, "type") } else { None };
        fields.finish();
        if let Some(name) = name.as_ref().filter(|name| name.value.trim().is_empty()) {
            let message = "The name of a transport encryption is blank";
            cx.error(codes::BAD_TRANSPORT_ENCRYPTION, name.span, message, "name the certificate");
        }
        let kind = kind.and_then(|word| match word.text {
            "TLS" => Some(TransportEncryptionKind::Tls),
            "KEYSTORE" => Some(TransportEncryptionKind::Keystore),
            other => {
                let message = format!("'{other}' is not a kind of transport encryption");
                cx.not_one_of(codes::BAD_TRANSPORT_ENCRYPTION, &word, &message, &["TLS", "KEYSTORE"]);
                None
            }
        });
        if let (Some(name), Some(kind)) = (name, kind) {
            all.push(TransportEncryption { name: name.value.into(), kind });
        }
    }
    all
}

pub(super) fn configs(cx: &mut Cx<'_>, node: Option<&Node>) -> Vec<ConfigFile> {
    let mut configs: Vec<ConfigFile> = Vec::new();
    for Named { name, key, value } in cx.named(node, "'configs'") {
        let Some(mut fields) = cx.fields(value, &format!("config '{name}'"), key.span) else { continue };
        let template = fields.required_text("template");
        let dest = fields.required_text("dest");
        fields.finish();
        let (Some(template), Some(dest)) = (template, dest) else { continue };
        if configs.iter().any(|known| *known.dest == *dest.value) {
            let message = format!("Two configs write the file '{}'", dest.value);
            cx.error(codes::CONFIG_TWICE, dest.span, &message, "give each config a 'dest' of its own");
        }
        let content = content(cx, &template.value);
        if content.is_some_and(str::is_empty) {
            let message = format!("The template '{}' of config '{name}' is empty", template.value);
            cx.error(
                codes::NO_TEMPLATE_FILE,
                template.span,
                &message,
                "write the file, or remove the config",
            );
        } else if content.is_none() {
            let message =
                format!("The template '{}' of config '{name}' is not among the files", template.value);
            cx.push(
                Diagnostic::warning(codes::NO_TEMPLATE_FILE, template.span, message)
                    .with_note("the real scheduler does not start without it; here the run goes on, and its tasks show that it is missing")
                    .with_help("add the file next to the definition"),
            );
        }
        configs.push(ConfigFile {
            name: name.into(),
            template: template.value.into(),
            dest: dest.value.into(),
            content: content.map(Into::into),
        });
    }
    configs
}

/// The text of a template, if it is among the files.
fn content<'a>(cx: &Cx<'a>, template: &str) -> Option<&'a str> {
    let (definition, files) = cx.files?;
    config_file::find(definition, files, template).map(|(_, text)| text)
}
