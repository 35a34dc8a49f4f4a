//! Why a request is not carried out, with the answer that the real system gives.
//!
//! *Knows*: statuses and bodies. *Must not know*: routes.
//!
//! **Source**: `marathon: api/MarathonExceptionMapper.scala, api/v2/Validation.scala (failureWrites)`. Match.

use crate::schema::Fault;
use planarium_protocol::{Text, json};
use serde_json::Value;

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// Path: `/`, `/id`, `/healthChecks(0)`.
    pub(crate) path: String,
    /// In the real system's words.
    pub(crate) message: String,
    /// Enclosing path, where the real system does not name it: `/groups(0)/apps(1)`.
    pub(crate) within: String,
}

impl Violation {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), within: String::new() }
    }
}

/// Why not.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refused {
    /// The body is not JSON.
    NotJson(String),
    /// The body is missing.
    NoBody(String),
    /// The body is not of the shape asked for.
    Faults(Vec<Fault>),
    /// Rules do not hold.
    Violations(Vec<Violation>),
    /// The request makes no sense.
    Illegal(String),
    /// The request contradicts itself.
    BadRequest(String),
    /// The named thing does not exist.
    NotFound(String),
    /// The thing to create exists.
    Conflict(String),
    /// Deployments lock the target.
    Locked(Vec<Text>),
    /// Too many deployments run.
    TooMany(u64),
    /// The real system fails here without a better word.
    Internal(String),
}

const LOCKED: &str = "App is locked by one or more deployments. Override with the option '?force=true'. \
    View details at '/v2/deployments/<DEPLOYMENT_ID>'.";

impl Refused {
    /// Nothing, unless there is something to say.
    pub(crate) fn unless_none(violations: Vec<Violation>) -> Result<(), Self> {
        if violations.is_empty() { Ok(()) } else { Err(Self::Violations(violations)) }
    }

    /// One rule.
    pub(crate) fn rule(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Violations(vec![Violation::new(path, message)])
    }

    /// Returns the same refusal with paths inside `part` of the whole.
    pub(crate) fn within(self, part: &str) -> Self {
        match self {
            Self::Violations(all) => {
                let placed = |violation: Violation| Violation {
                    within: format!("{part}{}", violation.within),
                    ..violation
                };
                Self::Violations(all.into_iter().map(placed).collect())
            }
            other => other,
        }
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::NotJson(_) | Self::NoBody(_) | Self::BadRequest(_) => 400,
            Self::TooMany(_) => 403,
            Self::NotFound(_) => 404,
            Self::Conflict(_) | Self::Locked(_) => 409,
            Self::Faults(_) | Self::Violations(_) | Self::Illegal(_) => 422,
            Self::Internal(_) => 500,
        }
    }

    /// The sentence of the answer.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::NotJson(_) | Self::Faults(_) => "Invalid JSON".to_owned(),
            Self::NoBody(_) => "Please specify data in JSON format".to_owned(),
            Self::Violations(_) => "Object is not valid".to_owned(),
            Self::Locked(_) => LOCKED.to_owned(),
            Self::TooMany(max) => format!(
                "Max number ({max}) of running deployments is achieved. Wait for existing deployments to complete or cancel oneusing force=true parameter. \
                 You can increase max deployment number by using --max_running_deployments parameter but be advised that this can have negative effects on the performance."
            ),
            Self::Illegal(text)
            | Self::BadRequest(text)
            | Self::NotFound(text)
            | Self::Conflict(text)
            | Self::Internal(text) => text.clone(),
        }
    }

    /// Returns the reason, as in the events of a failed change.
    ///
    /// **Source**: `marathon: Exception.scala (ValidationFailedException)`, `wix/accord: Result.scala (RuleViolation.toString)`.
    /// Simplified: the checked value is not printed next to its path.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Violations(all) => {
                let told: Vec<String> =
                    all.iter().map(|one| format!("{} {}", place_in_words(&one.path), one.message)).collect();
                // A set in Scala is called so while it is small.
                let set = if told.len() > 4 { "HashSet" } else { "Set" };
                format!("Validation failed: Failure({set}({}))", told.join(", "))
            }
            _ => self.message(),
        }
    }

    /// The body of the answer.
    pub(crate) fn body(&self) -> Value {
        let message = self.message();
        match self {
            Self::NotJson(text) | Self::NoBody(text) => json!({"message": message, "details": text}),
            Self::Faults(faults) => {
                let pairs = faults.iter().flat_map(|fault| {
                    let said = std::iter::once(fault.error.to_string());
                    said.chain(hint(fault)).map(|error| (&*fault.path, error))
                });
                json!({"message": message, "details": details(pairs)})
            }
            Self::Violations(all) => {
                let pairs = all.iter().map(|violation| (&*violation.path, violation.message.clone()));
                json!({"message": message, "details": details(pairs)})
            }
            Self::Locked(ids) => {
                let ids: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
                json!({"message": message, "deployments": ids})
            }
            _ => json!({"message": message}),
        }
    }
}

/// A path as accord writes it: `/healthChecks(0)/port` is `healthChecks [at index 0].port`, the whole is `value`.
fn place_in_words(path: &str) -> String {
    match path.trim_start_matches('/') {
        "" => "value".to_owned(),
        path => path.replace('(', " [at index ").replace(')', "]").replace('/', "."),
    }
}

/// Which pattern an id has to match: the real reader keeps that to itself.
fn hint(fault: &Fault) -> Option<String> {
    let of_id = fault.error == "error.pattern" && fault.path.ends_with("/id");
    of_id.then(|| format!("must fully match regular expression '{}'", crate::id::SEGMENT))
}

/// Grouped by path, in the order in which paths come first.
fn details<'a>(pairs: impl Iterator<Item = (&'a str, String)>) -> Vec<Value> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for (path, error) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == path) {
            Some((_, errors)) if errors.contains(&error) => {}
            Some((_, errors)) => errors.push(error),
            None => groups.push((path, vec![error])),
        }
    }
    groups.iter().map(|(path, errors)| json!({"path": path, "errors": errors})).collect()
}
