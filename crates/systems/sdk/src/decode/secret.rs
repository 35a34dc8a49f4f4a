//! Secrets of a pod.
//!
//! **Source**: `dcos-commons: …/specification/DefaultSecretSpec.java`. Match: a secret without a path is refused, although
//! values of secrets never matter in the simulator.

use super::volume::{FILE_PATH_HELP, is_file_path};
use super::{Cx, Named, text_field};
use crate::codes;
use crate::spec::SecretSpec;
use planarium_source::yaml::Node;

pub(super) fn secrets(cx: &mut Cx<'_>, node: Option<&Node>) -> Vec<SecretSpec> {
    let mut secrets = Vec::new();
    for Named { name, key, value } in cx.named(node, "'secrets'") {
        let Some(mut fields) = cx.fields(value, &format!("secret '{name}'"), key.span) else { continue };
        let written = fields.entry("secret").map(|entry| entry.value.span).filter(|span| !span.is_empty());
        let secret = text_field(&mut fields, "secret").filter(|path| !path.is_empty());
        let env_key = text_field(&mut fields, "env-key");
        let file_node = fields.optional("file");
        let file = text_field(&mut fields, "file");
        fields.finish();
        let Some(secret) = secret else {
            let message = format!("Secret '{name}' has no path in the secret store");
            let help = "write the path of the secret in 'secret:'";
            cx.error(codes::NO_SECRET, written.unwrap_or(key.span), &message, help);
            continue;
        };
        let file = if file.is_none() && env_key.is_none() { Some(secret.clone()) } else { file };
        if let Some(path) = file.as_deref().filter(|path| !path.is_empty() && !is_file_path(path)) {
            let span = file_node.map_or(key.span, |node| node.span);
            let message = format!("'{path}' cannot be the file of secret '{name}'");
            cx.error(codes::BAD_SECRET_FILE, span, &message, FILE_PATH_HELP);
        }
        secrets.push(SecretSpec { name: name.into(), secret, env_key, file });
    }
    secrets
}
