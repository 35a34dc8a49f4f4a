//! Admission of changes to instances, and the plan that each starts.
//!
//! *Knows*: the instance before and after, and the versions of its operator. *Must not know*: who asks.
//!
//! **Source**: `kudobuilder/kudo: pkg/webhook/instance_admission.go`. Match: rules, their order and their texts. Where the real
//! one walks a map at random, names are in order.

use planarium_kernel::{SortedMap, draw};
use planarium_kube::{Api, ObjectRef, Review, Verdict, Webhook};
use planarium_protocol::Text;
use serde_json::Value;
use std::sync::Arc;

use crate::codes::API_VERSION;
use crate::instance::{FINALIZER, Instance};
use crate::package::model::Parameter;
use crate::package::params;
use crate::status::Status;
use crate::version::Version;

/// The registered webhook.
pub const WEBHOOK: Webhook =
    Webhook { name: "instance-admission.kudo.dev", group: "kudo.dev", plural: "instances", review };

/// Purpose of the draw of a run's uid.
const RUN: u32 = 0x6b75_0001;

/// Decisions of admission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The scheduled plan stays.
    Unchanged,
    /// No plan is scheduled any more.
    Cleared,
    /// Starts this plan, or restarts it if it is running.
    Start(Text),
}

/// Reviews a change for the API server.
fn review(api: &Api, review: &Review<'_>) -> Verdict {
    let new = Instance::of_value(review.new);
    let outcome = match review.old {
        None => create(api, new, review.new),
        Some(old) => update(api, &Instance::read(old), new, review.new),
    };
    outcome.unwrap_or_else(|verdict| verdict)
}

/// Returns the version of an instance's operator.
///
/// *Errors*: the request fails, which is not a denial.
fn version_of(api: &Api, instance: &Instance) -> Result<Arc<Version>, Verdict> {
    let missing = |message: String| Verdict::Denied { code: 500, reason: message };
    let kind = api.find_kind(API_VERSION, "OperatorVersion");
    let kind = kind.ok_or_else(|| missing("no matches for kind \"OperatorVersion\"".to_owned()))?;
    let reference = ObjectRef::new(kind, instance.version_namespace(), &instance.version);
    match api.get(reference) {
        Some(object) => Ok(Arc::new(Version::outline(object))),
        None => Err(missing(format!("operatorversions.kudo.dev {:?} not found", &*instance.version))),
    }
}

fn create(api: &Api, mut new: Instance, value: &Value) -> Result<Verdict, Verdict> {
    let version = version_of(api, &new)?;
    let denied = |reason: String| Verdict::Denied { code: 403, reason };
    let finalizer = version.plan("cleanup").is_some() && !new.finalizers.iter().any(|it| &**it == FINALIZER);
    let (namespace, name) = (new.namespace.clone(), new.name.clone());
    if version.plan("deploy").is_none() {
        return Err(denied(format!(
            "failed to create an Instance {namespace}/{name}: couldn't find 'deploy' plan in the operatorVersion"
        )));
    }
    for parameter in version.parameters.iter().filter(|parameter| parameter.immutable) {
        if let Some(default) = &parameter.default
            && !new.parameters.contains_key(parameter.name.value.as_str())
        {
            new.parameters.insert(Text::from(parameter.name.value.as_str()), default.clone());
        }
    }
    validate(&version, &new.parameters).map_err(|problem| {
        denied(format!(
            "failed to create an Instance {namespace}/{name}: parameters are not valid: {problem}"
        ))
    })?;
    new.execution.plan = "deploy".into();
    new.execution.uid = fresh_uid(api.resource_version(), &new);
    let mut changed = value.clone();
    set(&mut changed, "spec", new.spec_value());
    if finalizer && let Some(metadata) = changed.get_mut("metadata").and_then(Value::as_object_mut) {
        let finalizers = new.finalizers.iter().map(|it| Value::from(&**it)).chain([Value::from(FINALIZER)]);
        metadata.insert("finalizers".to_owned(), finalizers.collect());
    }
    Ok(Verdict::Changed(changed))
}

fn update(api: &Api, old: &Instance, mut new: Instance, value: &Value) -> Result<Verdict, Verdict> {
    let same_spec = old.version_reference == new.version_reference
        && old.parameters == new.parameters
        && old.execution == new.execution;
    if same_spec && old.plans == new.plans && old.conditions == new.conditions {
        return Ok(Verdict::Allowed);
    }
    let version = version_of(api, &new)?;
    let before = if old.version_reference == new.version_reference {
        Arc::clone(&version)
    } else {
        version_of(api, old)?
    };
    let parameters = new.parameters.clone();
    let decision =
        admit(old, &mut new, &version, &before).map_err(|reason| Verdict::Denied { code: 403, reason })?;
    match decision {
        Decision::Unchanged if new.parameters == parameters => Ok(Verdict::Allowed),
        Decision::Unchanged => Ok(with_spec(value, &new)),
        Decision::Cleared => {
            new.execution = crate::instance::Execution::default();
            Ok(with_spec(value, &new))
        }
        Decision::Start(plan) => {
            new.execution.plan = plan;
            new.execution.uid = fresh_uid(api.resource_version(), &new);
            new.execution.status = Some(Status::NeverRun);
            Ok(with_spec(value, &new))
        }
    }
}

fn with_spec(value: &Value, instance: &Instance) -> Verdict {
    let mut changed = value.clone();
    set(&mut changed, "spec", instance.spec_value());
    Verdict::Changed(changed)
}

fn set(value: &mut Value, key: &str, part: Value) {
    if let Some(object) = value.as_object_mut() {
        object.insert(key.to_owned(), part);
    }
}

/// Returns a unique uid for a run: drawn for the instance at this version of the cluster.
pub(crate) fn fresh_uid(resource_version: u64, instance: &Instance) -> Text {
    let entity = draw::entity_of(&[&instance.namespace, "/", &instance.name]);
    draw::uuid(resource_version, entity, RUN, 0).into()
}

/// Decides on an update. What an upgrade drops is taken out of the new parameters.
///
/// *Errors*: the reason of the denial.
pub fn admit(
    old: &Instance,
    new: &mut Instance,
    version: &Version,
    before: &Version,
) -> Result<Decision, String> {
    let (new_plan, old_plan) = (new.execution.plan.clone(), old.execution.plan.clone());
    let had_plan = !old_plan.is_empty();
    let is_upgrade = new.version_reference != old.version_reference;
    let is_novel = !had_plan && !new_plan.is_empty();
    let is_override = had_plan && !new_plan.is_empty() && new_plan != old_plan;
    let is_retriggered = had_plan && new_plan == old_plan && new.execution.uid != old.execution.uid;
    let is_cancelled = had_plan && new_plan.is_empty();
    let is_terminal = new.execution.status.is_some_and(Status::is_terminal);

    if !new_plan.is_empty() && version.plan(&new_plan).is_none() {
        return Err(format!("plan {new_plan} does not exist"));
    }
    let name = format!("{}/{}", old.namespace, old.name);
    let failed = |problem: String| format!("failed to update Instance {name}: {problem}");
    let (changed, removed) =
        changed_parameters(&old.parameters, &new.parameters, before, version).map_err(failed)?;
    immutable(old, new, version, before, &changed, is_upgrade)
        .map_err(|problem| format!("failed to check immutable parameters for Instance {name}: {problem}"))?;
    validate(version, &new.parameters)
        .map_err(|problem| format!("failed to validate parameters for Instance {name}: {problem}"))?;
    let touched: Vec<&Parameter> = changed.iter().chain(&removed).copied().collect();
    let triggered = triggered(&touched, version).map_err(failed)?;

    if new.deleting {
        if &*old_plan == "cleanup" && new_plan != old_plan {
            return Err(failed(format!(
                "'{old_plan}' plan can not be cancelled or overridden by another plan since the instance is being deleted"
            )));
        }
        if triggered.is_some() || is_upgrade {
            return Err(failed(
                "parameter update and/or upgrade is not allowed when an instance is being deleted".to_owned(),
            ));
        }
        if !new_plan.is_empty() && &*new_plan != "cleanup" {
            return Err(failed(
                "only 'cleanup' plan can be scheduled when an instance is being deleted".to_owned(),
            ));
        }
        return Ok(Decision::Unchanged);
    }

    let reference = || shown_reference(&new.version_reference);
    match &triggered {
        Some(triggered) if had_plan && *triggered != &*old_plan => {
            return Err(failed(format!(
                "plan '{old_plan}' is scheduled (or running) and an update would trigger a different plan '{triggered}'"
            )));
        }
        _ if is_upgrade && had_plan => {
            return Err(failed(format!(
                "upgrade to new OperatorVersion {} while a plan '{old_plan}' is scheduled (or running) is not allowed",
                reference()
            )));
        }
        _ if is_upgrade && is_novel => {
            return Err(failed(format!(
                "upgrade to new OperatorVersion {} and triggering new plan '{new_plan}' is not allowed",
                reference()
            )));
        }
        Some(triggered) if is_upgrade && *triggered != "deploy" => {
            return Err(failed(format!(
                "upgrade to new OperatorVersion {} together with a parameter update triggering '{triggered}' is not allowed",
                reference()
            )));
        }
        _ if is_override => {
            return Err(failed(format!(
                "overriding currently scheduled (or running) plan '{old_plan}' with '{new_plan}' is not supported"
            )));
        }
        _ if is_cancelled => {
            return Err(failed(format!(
                "cancelling currently scheduled (or running) plan '{old_plan}' is not supported"
            )));
        }
        Some(_) if is_novel => {
            return Err(failed(format!(
                "triggering one plan '{old_plan}' directly and through parameter update '{new_plan}' is not allowed"
            )));
        }
        _ if &*new_plan == "cleanup" => {
            return Err(failed(format!(
                "only the controller schedules the '{new_plan}' plan when the instance is deleted"
            )));
        }
        _ => {}
    }

    if is_upgrade {
        let plan = version.first_plan(&["upgrade", "update", "deploy"]).ok_or_else(|| {
            failed(
                "couldn't find any suitable plan that would be triggered by an OperatorVersion upgrade"
                    .to_owned(),
            )
        })?;
        return Ok(Decision::Start(plan.into()));
    }
    Ok(match triggered {
        Some(triggered) => Decision::Start(triggered.into()),
        None if is_novel => Decision::Start(new_plan),
        None if is_terminal => Decision::Cleared,
        None if is_retriggered => Decision::Start(new_plan),
        None => Decision::Unchanged,
    })
}

/// A reference as Go prints the struct.
fn shown_reference(reference: &Value) -> String {
    let part = |key: &str| reference.get(key).and_then(Value::as_str).unwrap_or_default();
    let parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map(part);
    format!("{{{}}}", parts.join(" "))
}

/// Parameters that are new or changed, and removed ones.
type Touched<'v> = (Vec<&'v Parameter>, Vec<&'v Parameter>);

/// Which parameters a change of values is about. Values of parameters that only the new version has do not count.
///
/// *Errors*: a value of a parameter that does not exist.
fn changed_parameters<'v>(
    old: &SortedMap<Text, Text>,
    new: &SortedMap<Text, Text>,
    before: &Version,
    version: &'v Version,
) -> Result<Touched<'v>, String> {
    let mut changed = Vec::new();
    for (key, value) in new.iter().filter(|(key, value)| old.get(*key) != Some(*value)) {
        let _ = value;
        let Some(parameter) = version.parameter(key) else {
            return Err(format!("failed to find parameter {:?} in the OperatorVersion", &**key));
        };
        if before.parameter(key).is_some() {
            changed.push(parameter);
        }
    }
    let gone = old.keys().filter(|key| !new.contains_key(*key));
    // If one is no longer defined, the whole list is ignored.
    let removed: Option<Vec<&Parameter>> = gone.map(|key| version.parameter(key)).collect();
    Ok((changed, removed.unwrap_or_default()))
}

/// Returns the plan started by a change of parameters.
///
/// *Errors*: a trigger that names an unknown plan, triggers for several plans, or no plan at all.
fn triggered<'v>(touched: &[&'v Parameter], version: &Version) -> Result<Option<&'v str>, String> {
    if touched.is_empty() {
        return Ok(None);
    }
    let mut plans: Vec<&str> = Vec::new();
    for parameter in touched {
        let trigger = parameter.trigger.value.as_str();
        if trigger.is_empty() {
            continue;
        }
        if version.plan(trigger).is_none() {
            return Err(format!(
                "param {} defined trigger plan {trigger}, but plan not defined in operatorversion",
                parameter.name.value
            ));
        }
        if !plans.contains(&trigger) {
            plans.push(trigger);
        }
    }
    match plans.as_slice() {
        [] => version
            .first_plan(&["update", "deploy"])
            .map(Some)
            .ok_or_else(|| "couldn't find any plans that would be triggered by the update".to_owned()),
        [only] => Ok(Some(only)),
        several => {
            Err(format!("triggering multiple plans: [[{}]] at once is not allowed", several.join(" ")))
        }
    }
}

fn immutable(
    old: &Instance,
    new: &mut Instance,
    version: &Version,
    before: &Version,
    changed: &[&Parameter],
    is_upgrade: bool,
) -> Result<(), String> {
    if is_upgrade {
        return upgraded(&mut new.parameters, version, before);
    }
    match changed.iter().find(|parameter| parameter.immutable) {
        Some(parameter) => {
            let name = parameter.name.value.as_str();
            let value = |of: &Instance| of.parameters.get(name).cloned().unwrap_or_default();
            Err(format!(
                "parameter '{name}' is immutable but was changed from '{}' to '{}'",
                value(old),
                value(new)
            ))
        }
        None => Ok(()),
    }
}

/// Immutable parameters in an upgrade: those that become so, or come with it, need a value; values of those that go are
/// dropped.
fn upgraded(values: &mut SortedMap<Text, Text>, version: &Version, before: &Version) -> Result<(), String> {
    let to = &version.name;
    for known in &before.parameters {
        let name = known.name.value.as_str();
        let becomes = !known.immutable && version.parameter(name).is_some_and(|it| it.immutable);
        if becomes && !values.contains_key(name) {
            return Err(format!(
                "parameter '{name}' was changed to immutable in operator version {to} but no value was provided"
            ));
        }
    }
    for parameter in before.parameters.iter().filter(|it| version.parameter(&it.name.value).is_none()) {
        values.remove(parameter.name.value.as_str());
    }
    for parameter in
        version.parameters.iter().filter(|it| it.immutable && before.parameter(&it.name.value).is_none())
    {
        let name = parameter.name.value.as_str();
        if values.contains_key(name) {
            continue;
        }
        let default =
            parameter.default.as_ref().map(|it| format!(" (default would be {it})")).unwrap_or_default();
        return Err(format!(
            "parameter '{name}' was added in operator version {to}, but no value was provided{default}"
        ));
    }
    Ok(())
}

/// Checks that every parameter has a valid value.
///
/// *Errors*: the first invalid or missing value.
pub fn validate(version: &Version, values: &SortedMap<Text, Text>) -> Result<(), String> {
    version.parameters.iter().try_for_each(|parameter| {
        let value = values.get(parameter.name.value.as_str());
        params::validate(parameter, value.map_or("", |value| value))
    })
}
