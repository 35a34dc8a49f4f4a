//! Installs, changes and removes instances, like `kubectl kudo`.
//!
//! *Knows*: the objects of a package, and the order in which they are written. *Must not know*: what happens to them.
//!
//! **Source**: `kudobuilder/kudo: pkg/kudoctl/resources/install`, `resources/upgrade`. Matched, except that an existing version
//! is rewritten if its package differs, and that a missing namespace is created.

use std::cmp::Ordering;
use std::sync::Arc;

use planarium_kernel::SortedMap;
use planarium_kube::Cluster;
use planarium_kube::{ApiError, DeleteOptions, Kube, ObjectRef, Part, Patch};
use planarium_part::{Cx, Loading, Number};
use planarium_protocol::input::LoadService;
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{EventBody, Refusal, Text};
use planarium_source::template::gotemplate::Version as Semver;
use serde_json::{Map, Value};

use super::{Daemon, Service, crds};
use crate::admission;
use crate::codes::API_VERSION;
use crate::controller::{Controller, Key};
use crate::definition::Loaded;
use crate::package::{self, Objects, instance_object, namespace_object, params};
use crate::pods::INSTANCE_LABEL;

/// Maximum number of syncs within one instant until the API server serves KUDO's kinds.
const PATIENCE: usize = 1000;

impl Daemon {
    /// Installs KUDO itself.
    pub(super) fn begin(cx: &mut Cx, cluster: &mut Cluster, number: Number) -> Self {
        let epoch_ms = cluster.epoch_ms();
        cluster.with_kube(cx, |kube, fleet, cx| {
            if kube.find_kind(API_VERSION, "Instance").is_some() {
                return;
            }
            for definition in crds::definitions() {
                // An existing one is fine.
                let _ = kube.create(cx, definition);
            }
            kube.add_webhook(admission::WEBHOOK);
            kube.set_service_label(INSTANCE_LABEL.into());
            for _ in 0..PATIENCE {
                let served = kube.find_kind(API_VERSION, "Instance").is_some();
                if served || kube.next_due().is_none_or(|due| due > cx.now()) {
                    break;
                }
                kube.fire(cx, fleet);
            }
        });
        Self {
            number,
            epoch_ms,
            controller: Controller::default(),
            services: SortedMap::new(),
            restless: false,
        }
    }

    /// Installs a package and an instance.
    pub(super) fn install(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        loading: Loading<Loaded>,
    ) -> Result<Value, Refusal> {
        let Loading { number, load, definition } = loading;
        let (name, namespace) = (definition.name().clone(), definition.namespace().clone());
        let (main, dependencies) = objects(&definition)?;
        let operator = definition.operator().map(|it| it.name.value.clone()).unwrap_or_default();
        let values = definition.values().iter().map(|(key, value)| (&**key, &**value));
        let instance = instance_object(&name, &namespace, &operator, &main.version_name, values);
        let key: Key = (namespace.clone(), name.clone());
        cluster.with_kube(cx, |kube, _, cx| {
            put_namespace(cx, kube, &definition)?;
            for one in dependencies.iter().chain([&main]) {
                put_version(cx, kube, &namespace, one)?;
            }
            kube.create(cx, instance).map_err(refused)
        })?;
        self.services
            .insert(key, Service { load: Some(load), definition: Some(definition), ..Service::new(number) });
        self.settle(cx, cluster);
        Ok(json!({ "service": name, "dialect": (crate::WORD) }))
    }

    /// Completes the request of an update from the previous one: files, and values of parameters.
    pub(super) fn completed(&self, load: &LoadService) -> Option<LoadService> {
        let (key, _) = self.find(&load.name)?;
        let old = self.services.get(key)?.load.as_ref()?;
        let namespace = old.options.get("namespace");
        let same_namespace = load.options.get("namespace") == namespace;
        if !load.files.is_empty() && same_namespace {
            return None;
        }
        let mut complete = load.clone();
        if complete.files.is_empty() {
            complete.files.clone_from(&old.files);
            crate::WORD.clone_into(&mut complete.dialect);
            for (parameter, value) in &old.params {
                complete.params.entry(parameter.clone()).or_insert_with(|| value.clone());
            }
        }
        if !same_namespace {
            complete.options.clone_from(&old.options);
        }
        Some(complete)
    }

    /// Gives an instance other values or another version.
    pub(super) fn change(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        loading: Loading<Loaded>,
    ) -> Result<Value, Refusal> {
        let Loading { load, definition, .. } = loading;
        let name =
            if load.name.is_empty() { definition.name().clone() } else { Text::from(load.name.as_str()) };
        let (key, known) = self.named(&name)?;
        let key = key.clone();
        let running = known.instance.version.clone();
        let running_number =
            known.version.as_ref().map(|version| version.version.clone()).unwrap_or_default();
        let (main, dependencies) = objects(&definition)?;
        let mut spec = Map::new();
        spec.insert("operatorVersion".to_owned(), json!({}));
        if *main.version_name != *running {
            let number = main.version.pointer("/spec/version").and_then(Value::as_str).unwrap_or_default();
            newer(&running_number, number)?;
            spec.insert("operatorVersion".to_owned(), json!({ "name": (main.version_name) }));
        }
        let values: Map<String, Value> = load
            .params
            .iter()
            .map(|(key, value)| {
                let text = if value.is_null() { None } else { params::from_value(value) };
                (key.clone(), text.map_or(Value::Null, |text| Value::from(&*text)))
            })
            .collect();
        if !values.is_empty() {
            spec.insert("parameters".to_owned(), Value::Object(values));
        }
        let patch = Patch::Merge(json!({ "spec": (Value::Object(spec)) }));
        cluster.with_kube(cx, |kube, _, cx| {
            for one in dependencies.iter().chain([&main]) {
                put_version(cx, kube, &key.0, one)?;
            }
            let kind = instances(kube)?;
            kube.patch(cx, ObjectRef::new(kind, &key.0, &key.1), Part::Whole, &patch).map_err(refused)
        })?;
        let text = if *main.version_name == *running { "other parameters" } else { "another version" };
        cx.emit(EventBody::ServiceUpdated {
            service: key.1.clone(),
            what: "definition".into(),
            text: text.into(),
        });
        if let Some(service) = self.services.get_mut(&key) {
            let mut load = LoadService::clone(&load);
            load.params.retain(|_, value| !value.is_null());
            service.load = Some(Arc::new(load));
            service.definition = Some(definition);
        }
        // The view depends on the package, even if the instance has not changed.
        self.controller.touch(&key);
        self.settle(cx, cluster);
        Ok(json!({ "service": (key.1), "dialect": (crate::WORD) }))
    }

    /// Deletes an instance; by force without its cleanup.
    pub(super) fn delete(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        name: &str,
        force: bool,
    ) -> Result<Value, Refusal> {
        let (key, _) = self.named(name)?;
        let key = key.clone();
        cluster.with_kube(cx, |kube, _, cx| {
            let kind = instances(kube)?;
            let object = || ObjectRef::new(kind, &key.0, &key.1);
            if force {
                let patch = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
                kube.patch(cx, object(), Part::Whole, &patch).map_err(refused)?;
            }
            if kube.get(object()).is_none() {
                return Ok(());
            }
            kube.delete(cx, object(), &DeleteOptions::default()).map(|_| ()).map_err(refused)
        })?;
        self.settle(cx, cluster);
        Ok(json!({ "service": (key.1), "removed": (self.find(&key.1).is_none()) }))
    }

    /// Starts a plan, or restarts it if it is running.
    pub(super) fn trigger(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        name: &str,
        plan: &str,
    ) -> Result<Value, Refusal> {
        let (key, _) = self.named(name)?;
        let key = key.clone();
        // Admission gives every run a new uid; this one only has to differ from the present one.
        let patch =
            Patch::Merge(json!({ "spec": { "planExecution": { "planName": plan, "uid": "triggered" } } }));
        cluster.with_kube(cx, |kube, _, cx| {
            let kind = instances(kube)?;
            kube.patch(cx, ObjectRef::new(kind, &key.0, &key.1), Part::Whole, &patch).map_err(refused)
        })?;
        self.settle(cx, cluster);
        Ok(json!({ "service": (key.1), "plan": plan }))
    }
}

fn instances(kube: &Kube) -> Result<planarium_kube::KindId, Refusal> {
    let kind = kube.find_kind(API_VERSION, "Instance");
    kind.ok_or_else(|| {
        Refusal::new(
            RefusalCode::Conflict,
            "no matches for kind \"Instance\" in version \"kudo.dev/v1beta1\"",
        )
    })
}

/// Turns an error of the API server into a refusal.
pub(super) fn refused(error: ApiError) -> Refusal {
    error.refusal()
}

/// The objects of a package and of those that it depends on.
fn objects(definition: &Loaded) -> Result<(Objects, Vec<Objects>), Refusal> {
    let invalid = |problem: String| Refusal::new(RefusalCode::InvalidDefinition, problem);
    let main = definition.main().ok_or_else(|| invalid("operator.yaml file is missing".to_owned()))?;
    let main = package::objects(main).map_err(invalid)?;
    let dependencies: Result<Vec<Objects>, String> =
        definition.dependencies().map(package::objects).collect();
    Ok((main, dependencies.map_err(invalid)?))
}

/// Checks that a version may follow another one.
fn newer(old: &str, new: &str) -> Result<(), Refusal> {
    let refused = |problem: String| Refusal::new(RefusalCode::Conflict, problem);
    let parse = |text: &str| {
        Semver::parse(text).map_err(|error| refused(format!("failed to parse {text} as semver: {error}")))
    };
    if parse(old)?.compare(&parse(new)?) == Ordering::Less {
        return Ok(());
    }
    Err(refused(format!(
        "upgraded version {new} is the same or smaller as current version {old} -> not upgrading"
    )))
}

fn put_namespace(cx: &mut Cx, kube: &mut Kube, definition: &Loaded) -> Result<(), Refusal> {
    let Some(kind) = kube.find_kind("v1", "Namespace") else { return Ok(()) };
    let namespace = definition.namespace();
    let Some(main) = definition.main().filter(|_| kube.get(ObjectRef::new(kind, "", namespace)).is_none())
    else {
        return Ok(());
    };
    let value = namespace_object(main, definition.name(), namespace, definition.values())
        .map_err(|problem| Refusal::new(RefusalCode::InvalidDefinition, problem))?;
    kube.create(cx, value).map(|_| ()).map_err(refused)
}

/// Creates operator and version unless they exist; rewrites a version whose package has changed.
fn put_version(cx: &mut Cx, kube: &mut Kube, namespace: &str, objects: &Objects) -> Result<(), Refusal> {
    for (kind, value) in [("Operator", &objects.operator), ("OperatorVersion", &objects.version)] {
        let Some(kind) = kube.find_kind(API_VERSION, kind) else { continue };
        let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let there = kube.get(ObjectRef::new(kind, namespace, name)).map(|object| object.to_value());
        match there {
            None => {
                let mut value = value.clone();
                if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
                    metadata.insert("namespace".to_owned(), namespace.into());
                }
                kube.create(cx, value).map_err(refused)?;
            }
            Some(mut there) => {
                let spec = value.get("spec").cloned().unwrap_or_default();
                if there.get("spec") == Some(&spec) {
                    continue;
                }
                if let Some(fields) = there.as_object_mut() {
                    fields.insert("spec".to_owned(), spec);
                }
                kube.update(cx, there).map_err(refused)?;
            }
        }
    }
    Ok(())
}
