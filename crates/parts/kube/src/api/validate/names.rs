//! Names, labels and the rest of metadata.

use super::Findings;
use crate::{api::Draft, kinds::KindId, object::Pairs};

pub(crate) const SUBDOMAIN: &str = "a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
    start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
pub(crate) const LABEL: &str = "a DNS-1123 label must consist of lower case alphanumeric characters or '-', and must start and \
    end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
    character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
    '[a-z]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
    must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation \
    is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const QUALIFIED: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
    alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/// Up to 63 of `a-z0-9-`, neither first nor last a `-`.
pub(crate) fn is_dns_label(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    text.len() <= 63
        && ends(text.chars().next())
        && ends(text.chars().last())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Labels divided by dots, up to 253 characters.
pub(crate) fn is_dns_subdomain(text: &str) -> bool {
    let part = |part: &str| {
        let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        ends(part.chars().next())
            && ends(part.chars().last())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    text.len() <= 253 && text.split('.').all(part)
}

/// Letters, digits, `-_.`, beginning and ending with a letter or digit.
fn is_word(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    ends(text.chars().next())
        && ends(text.chars().last())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// Finds an error in a label's (or annotation's) key.
fn bad_key(key: &str) -> Option<String> {
    let (prefix, name) = match key.rsplit_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    match prefix {
        Some("") => return Some("prefix part must be non-empty".to_owned()),
        Some(prefix) if !is_dns_subdomain(prefix) => return Some(format!("prefix part {SUBDOMAIN}")),
        _ => {}
    }
    match name {
        "" => Some("name part must be non-empty".to_owned()),
        name if name.len() > 63 => Some("name part must be no more than 63 characters".to_owned()),
        name if !is_word(name) => Some(QUALIFIED.to_owned()),
        _ => None,
    }
}

/// Reports invalid labels.
pub(super) fn labels(labels: &Pairs, field: &str, found: &mut Findings) {
    for (key, value) in labels.iter() {
        if let Some(detail) = bad_key(key) {
            found.invalid(field, &key.as_ref().into(), &detail);
        }
        if value.len() > 63 {
            found.invalid(field, &value.as_ref().into(), "must be no more than 63 characters");
        } else if !value.is_empty() && !is_word(value) {
            found.invalid(field, &value.as_ref().into(), LABEL_VALUE);
        }
    }
}

pub(super) fn metadata(draft: &Draft, found: &mut Findings) {
    let meta = &draft.meta;
    let name = draft.name();
    let value = || name.into();
    match draft.kind {
        _ if name.is_empty() => found.required("metadata.name", "name or generateName is required"),
        KindId::ROLE | KindId::CLUSTER_ROLE | KindId::ROLE_BINDING | KindId::CLUSTER_ROLE_BINDING => {
            if let Some(bad) = ["/", "%"].into_iter().find(|bad| name.contains(bad)) {
                found.invalid("metadata.name", &value(), &format!("may not contain '{bad}'"));
            }
        }
        KindId::SERVICE => {
            let alphabetic = name.starts_with(|c: char| c.is_ascii_lowercase());
            if name.len() > 63 {
                found.invalid("metadata.name", &value(), "must be no more than 63 characters");
            } else if !is_dns_label(name) || !alphabetic {
                found.invalid("metadata.name", &value(), LABEL_1035);
            }
        }
        KindId::NAMESPACE if !is_dns_label(name) => {
            found.invalid("metadata.name", &value(), LABEL);
        }
        _ if !is_dns_subdomain(name) => found.invalid("metadata.name", &value(), SUBDOMAIN),
        KindId::CRON_JOB if name.len() > 52 => {
            found.invalid("metadata.name", &value(), "must be no more than 52 characters");
        }
        _ => {}
    }
    labels(&meta.labels, "metadata.labels", found);
    for (key, _) in meta.annotations.iter() {
        if let Some(detail) = bad_key(&key.to_lowercase()) {
            found.invalid("metadata.annotations", &key.as_ref().into(), &detail);
        }
    }
    let size: usize = meta.annotations.iter().map(|(key, value)| key.len() + value.len()).sum();
    if size > 262_144 {
        found.0.push(crate::error::FieldCause {
            reason: "FieldValueTooLong",
            message: "Too long: must have at most 262144 bytes".to_owned(),
            field: "metadata.annotations".to_owned(),
        });
    }
    for owner in &meta.owners {
        for (key, text) in [
            ("apiVersion", &owner.api_version),
            ("kind", &owner.kind),
            ("name", &owner.name),
            ("uid", &owner.uid),
        ] {
            if text.is_empty() {
                found.invalid(format!("metadata.ownerReferences.{key}"), &"".into(), "must not be empty");
            }
        }
    }
    if meta.owners.iter().filter(|owner| owner.controller).count() > 1 {
        let names: Vec<&str> = meta.owners.iter().map(|owner| &*owner.name).collect();
        let detail = "Only one reference can have Controller set to true";
        found.invalid("metadata.ownerReferences", &names.into(), detail);
    }
    for finalizer in &meta.finalizers {
        if let Some(detail) = bad_key(finalizer) {
            found.invalid("metadata.finalizers", &finalizer.as_ref().into(), &detail);
        } else if !draft.info.custom
            && draft.kind != KindId::CUSTOM_RESOURCE_DEFINITION
            && !finalizer.contains('/')
            && !matches!(&**finalizer, "orphan" | "foregroundDeletion" | "kubernetes")
        {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            found.invalid("metadata.finalizers", &finalizer.as_ref().into(), detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (text, label, subdomain) in [
            ("web", true, true),
            ("web.example", false, true),
            ("Web", false, false),
            ("-web", false, false),
            ("web-", false, false),
            ("", false, false),
            ("a..b", false, false),
            ("web_1", false, false),
        ] {
            assert_eq!((is_dns_label(text), is_dns_subdomain(text)), (label, subdomain), "{text}");
        }
        for (key, good) in [
            ("app", true),
            ("kudo.dev/instance", true),
            ("a/b/c", false),
            ("/x", false),
            ("x/", false),
            ("UPPER.case/x", false),
            ("sp ace", false),
        ] {
            assert_eq!(bad_key(key).is_none(), good, "{key}");
        }
    }
}
