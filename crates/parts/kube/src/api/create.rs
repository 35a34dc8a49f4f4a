//! Creates objects.
//!
//! *Order*: shape, namespace, taken name, admission by webhooks, validation, like the real server.

use super::{
    Api, Draft,
    admission::{Charge, quota_status},
    validate,
};
use crate::{
    error::{ApiError, Reason},
    kinds::KindId,
    object::{Object, ObjectRef, OwnerReference, Pairs},
    request::Written,
    spec::{Spec, pod::PodOwn, workload::safe_text},
    status::{BudgetStatus, CronStatus, JobStatus, PodStatus, SetStatus, Status},
    tree::{Tree, as_object, object_at, put_new, shared_text},
};
use planarium_kernel::{Limits, SimTime, draw};
use planarium_protocol::{Text, json};
use serde_json::Value;
use std::sync::{Arc, LazyLock};

const SUFFIX: u32 = 0x4B03;

impl Api {
    /// Creates an object from `apiVersion`, `kind`, `metadata` and the rest. The namespace is that of its metadata, or
    /// `default` where its kind has one and none is given.
    ///
    /// *Errors*: unknown kind or namespace (404), name taken (409), invalid fields (422), denied by a webhook.
    pub(crate) fn create(&mut self, now: SimTime, value: Value) -> Written {
        let kind = self.kind_of(&value)?;
        let draft = self.draft(kind, value)?;
        self.create_draft(now, draft)
    }

    pub(crate) fn create_draft(&mut self, now: SimTime, mut draft: Draft) -> Written {
        self.settle_namespace(&mut draft)?;
        if draft.meta.name.is_none()
            && let Some(prefix) = draft.meta.generate_name.clone()
        {
            draft.meta.name = Some(self.generate_name(draft.kind, draft.meta.namespace.as_deref(), &prefix));
            draft.named_by_server = true;
        }
        if draft.kind == KindId::EVENT {
            return Err(ApiError::new(
                Reason::MethodNotAllowed,
                "the server does not allow this method on the requested resource",
            ));
        }
        let namespace = draft.meta.namespace.clone().unwrap_or_default();
        let taken = |api: &Self, draft: &Draft| {
            api.get(ObjectRef::new(draft.kind, &namespace, draft.name())).is_some()
        };
        if taken(self, &draft) {
            return Err(already_exists(&draft));
        }
        self.admit_built_in(&mut draft, None)?;
        self.review(&mut draft, None)?;
        let causes = validate::object(&draft);
        if !causes.is_empty() {
            return Err(invalid(&draft, causes));
        }
        self.leave_room(draft.kind, draft.name())?;
        self.charge(&Charge {
            kind: draft.kind,
            info: &draft.info,
            namespace: &namespace,
            name: draft.name(),
            content: &draft.content,
            before: None,
        })?;
        self.take_addresses(&mut draft)?;
        let object = self.object_of(now, draft);
        Ok(self.put(object))
    }

    /// Refuses an object beyond those that a world may hold, in the form in which a quota refuses one.
    fn leave_room(&self, kind: KindId, name: &str) -> Result<(), ApiError> {
        let (held, most) = (self.store.objects.len(), Limits::DEFAULT.objects as usize);
        if held < most {
            return Ok(());
        }
        let Some(info) = self.kind_info(kind) else { return Ok(()) };
        let plural = info.qualified_plural();
        let message = format!(
            "{plural} {name:?} is forbidden: exceeded quota: simulator, requested: count/objects=1, used: count/objects={held}, \
             limited: count/objects={most}"
        );
        Err(ApiError::new(Reason::Forbidden, message).about(&info.group, &info.plural, name))
    }

    /// Sets the namespace of a draft. *Errors*: the namespace does not exist, or is being deleted.
    fn settle_namespace(&self, draft: &mut Draft) -> Result<(), ApiError> {
        if !draft.info.namespaced {
            draft.meta.namespace = None;
            return Ok(());
        }
        let namespace = draft.meta.namespace.get_or_insert_with(|| "default".into()).clone();
        let found = self.read(ObjectRef::new(KindId::NAMESPACE, "", &namespace))?;
        if found.is_being_deleted() {
            let (plural, name) = (draft.info.qualified_plural(), draft.name());
            let message = format!(
                "{plural} {name:?} is forbidden: unable to create new content in namespace {namespace} because it is being terminated"
            );
            return Err(ApiError::new(Reason::Forbidden, message).about(
                &draft.info.group,
                &draft.info.plural,
                name,
            ));
        }
        Ok(())
    }

    /// A name that is not taken: the prefix and five characters.
    pub(crate) fn generate_name(&self, kind: KindId, namespace: Option<&str>, prefix: &str) -> Text {
        let prefix = prefix.get(..58).unwrap_or(prefix);
        let namespace = namespace.unwrap_or_default();
        let entity = draw::entity_of(&[namespace, "/", prefix]);
        let mut n = self.store.version;
        loop {
            let name = format!("{prefix}{}", safe_text(draw::draw(self.seed, entity, SUFFIX, n), 5));
            if self.get(ObjectRef::new(kind, namespace, &name)).is_none() {
                return name.into();
            }
            n = n.wrapping_add(0x1_0000_0000);
        }
    }

    /// The object that a draft becomes.
    fn object_of(&mut self, now: SimTime, mut draft: Draft) -> Object {
        let (no, uid) = self.store.next(self.seed);
        if draft.kind == KindId::JOB {
            label_job(&mut draft, &uid);
        }
        let status = match draft.kind {
            KindId::POD => Status::Pod(Arc::new(PodStatus::pending())),
            KindId::DEPLOYMENT | KindId::REPLICA_SET | KindId::STATEFUL_SET | KindId::DAEMON_SET => {
                Status::Set(Arc::new(SetStatus::default()))
            }
            KindId::JOB => Status::Job(Arc::new(JobStatus::default())),
            KindId::CRON_JOB => Status::Cron(Arc::new(CronStatus::default())),
            KindId::POD_DISRUPTION_BUDGET => Status::Budget(Arc::new(BudgetStatus::default())),
            KindId::NAMESPACE => Status::Plain(Arc::new(json!({ "phase": "Active" }))),
            KindId::PERSISTENT_VOLUME_CLAIM | KindId::PERSISTENT_VOLUME => {
                Status::Plain(Arc::new(json!({ "phase": "Pending" })))
            }
            KindId::SERVICE => Status::Plain(Arc::new(json!({ "loadBalancer": {} }))),
            KindId::RESOURCE_QUOTA => {
                let namespace = draft.meta.namespace.as_deref().unwrap_or_default();
                Status::Plain(Arc::new(quota_status(self, draft.content.key("spec"), namespace)))
            }
            KindId::NODE => Status::Plain(Arc::new(draft.status.take().unwrap_or_else(|| json!({})))),
            _ => Status::None,
        };
        let mut spec = draft.read_spec();
        if let Spec::Pod(_, own) = &mut spec
            && own.is_bound()
            && let Some(fields) = as_object(&mut draft.content).and_then(|content| object_at(content, "spec"))
        {
            fields.shift_remove("nodeName");
        }
        let replicas = draft.replicas();
        let Draft { kind, info, meta, content, .. } = draft;
        Object {
            no,
            kind,
            namespace: meta.namespace.unwrap_or_default(),
            name: meta.name.unwrap_or_default(),
            uid,
            resource_version: 0,
            generation: u64::from(info.has_generation),
            created: now,
            deletion: None,
            labels: meta.labels,
            annotations: meta.annotations,
            owners: Arc::new(meta.owners),
            finalizers: Arc::new(meta.finalizers),
            generate_name: meta.generate_name,
            info,
            epoch: self.epoch,
            content: Arc::new(content),
            replicas,
            spec,
            status,
            managed: None,
            applied: None,
            pristine: false,
        }
    }

    /// Seats an object that was there before anything else.
    pub(crate) fn seat(&mut self, kind: KindId, name: &str, content: Value, from_end: u32) {
        let Some(info) = self.kind_info(kind).cloned() else { return };
        let epoch = self.epoch;
        self.store.seat(self.seed, from_end, |no, uid| Object {
            no,
            kind,
            namespace: Text::default(),
            name: name.into(),
            uid,
            resource_version: 0,
            generation: 1,
            created: SimTime::default(),
            deletion: None,
            labels: Pairs::default(),
            annotations: Pairs::default(),
            owners: Arc::default(),
            finalizers: Arc::default(),
            generate_name: None,
            info,
            epoch,
            content: Arc::new(content),
            replicas: 0,
            spec: Spec::Plain,
            status: Status::None,
            managed: None,
            applied: None,
            pristine: false,
        });
    }

    /// Creates an object that a controller makes from valid parts. *Errors*: the namespace is being deleted, the name is
    /// taken.
    pub(crate) fn create_owned(&mut self, now: SimTime, owner: Option<&Object>, mut parts: Parts) -> Written {
        let Some(info) = self.kind_info(parts.kind).cloned() else {
            return Err(self.not_found(parts.kind, &parts.name));
        };
        let mut draft = Draft {
            kind: parts.kind,
            info: info.clone(),
            meta: crate::object::Meta { name: Some(parts.name.clone()), ..crate::object::Meta::default() },
            content: Value::Null,
            status: None,
            named_by_server: false,
        };
        if info.namespaced {
            draft.meta.namespace = Some(parts.namespace.clone());
            self.settle_namespace(&mut draft)?;
        }
        self.admit_made(&mut parts)?;
        let Parts {
            kind,
            namespace,
            name,
            generate_name,
            labels,
            annotations,
            content,
            spec,
            status,
            replicas,
            finalizers,
        } = parts;
        if self.get(ObjectRef::new(kind, &namespace, &name)).is_some() {
            return Err(already_exists(&draft));
        }
        self.leave_room(kind, &name)?;
        self.charge(&Charge {
            kind,
            info: &info,
            namespace: &namespace,
            name: &name,
            content: &content,
            before: None,
        })?;
        let (no, uid) = self.store.next(self.seed);
        let object = Object {
            no,
            kind,
            namespace,
            name,
            uid,
            resource_version: 0,
            generation: u64::from(info.has_generation),
            created: now,
            deletion: None,
            labels,
            annotations,
            owners: Arc::new(owner.map(OwnerReference::controlling).into_iter().collect()),
            finalizers: if finalizers.is_empty() { no_finalizers() } else { Arc::new(finalizers) },
            generate_name,
            info,
            epoch: self.epoch,
            content,
            replicas,
            spec,
            status,
            managed: None,
            applied: None,
            pristine: false,
        };
        Ok(self.put(object))
    }
}

/// The list of objects without finalizers, which they share.
fn no_finalizers() -> Arc<Vec<Text>> {
    static NONE: LazyLock<Arc<Vec<Text>>> = LazyLock::new(Arc::default);
    NONE.clone()
}

/// Parts of an object that a controller makes.
pub(crate) struct Parts {
    pub(crate) kind: KindId,
    pub(crate) namespace: Text,
    pub(crate) name: Text,
    pub(crate) generate_name: Option<Text>,
    pub(crate) labels: Pairs,
    pub(crate) annotations: Pairs,
    pub(crate) content: Arc<Value>,
    pub(crate) spec: Spec,
    pub(crate) status: Status,
    pub(crate) replicas: u32,
    pub(crate) finalizers: Vec<Text>,
}

impl Parts {
    /// An object of a kind with nothing in it.
    pub(crate) fn new(kind: KindId, namespace: &Text, name: impl Into<Text>) -> Self {
        Self {
            kind,
            namespace: namespace.clone(),
            name: name.into(),
            generate_name: None,
            labels: Pairs::default(),
            annotations: Pairs::default(),
            content: Arc::new(Value::Object(serde_json::Map::new())),
            spec: Spec::Plain,
            status: Status::None,
            replicas: 0,
            finalizers: Vec::new(),
        }
    }

    /// The name that it was asked for by: the prefix, where the server makes the rest.
    pub(crate) fn asked_name(&self) -> Text {
        self.generate_name.clone().unwrap_or_else(|| self.name.clone())
    }

    /// Sets the content, and its typed reading.
    pub(crate) fn with_content(self, content: Value) -> Self {
        let spec = crate::spec::read(self.kind, &content);
        Self { spec, content: Arc::new(content), ..self }
    }

    /// A pod of a template.
    pub(crate) fn pod(
        namespace: &Text,
        name: Text,
        template: &crate::spec::workload::PodTemplate,
        labels: Pairs,
        mut own: PodOwn,
    ) -> Self {
        if own.node.is_empty() {
            // A template may say where its pods run; then no scheduler is asked.
            own.node = shared_text(template.content.at(&["spec"]).text("nodeName"));
        }
        Self {
            labels,
            annotations: template.annotations.clone(),
            content: template.content.clone(),
            spec: Spec::Pod(template.spec.clone(), Arc::new(own)),
            status: Status::Pod(Arc::new(PodStatus::pending())),
            ..Self::new(KindId::POD, namespace, name)
        }
    }
}

/// Gives a Job the selector and labels that tell its pods from those of others.
fn label_job(draft: &mut Draft, uid: &Text) {
    let name = draft.name().to_owned();
    let Some(spec) = as_object(&mut draft.content).and_then(|content| object_at(content, "spec")) else {
        return;
    };
    if spec.get("manualSelector") == Some(&Value::Bool(true)) {
        return;
    }
    let labels = object_at(spec, "template")
        .and_then(|template| object_at(template, "metadata"))
        .and_then(|metadata| object_at(metadata, "labels"));
    if let Some(labels) = labels {
        for prefix in ["", "batch.kubernetes.io/"] {
            put_new(labels, &format!("{prefix}controller-uid"), uid.as_ref().into());
            put_new(labels, &format!("{prefix}job-name"), name.as_str().into());
        }
    }
    json::put(spec, "selector", json!({ "matchLabels": { "batch.kubernetes.io/controller-uid": uid } }));
    if draft.meta.labels.is_empty() {
        draft.meta.labels = Pairs::of_value(draft.content.at(&["spec", "template", "metadata", "labels"]));
    }
}

pub(crate) fn already_exists(draft: &Draft) -> ApiError {
    let message = format!("{} {:?} already exists", draft.info.qualified_plural(), draft.name());
    ApiError::new(Reason::AlreadyExists, message).about(&draft.info.group, &draft.info.plural, draft.name())
}

/// 422 with all causes.
pub(crate) fn invalid(draft: &Draft, causes: Vec<crate::error::FieldCause>) -> ApiError {
    let (kind, name) = (draft.info.qualified_kind(), draft.name());
    let mut texts: Vec<String> = causes
        .iter()
        .map(|cause| {
            if cause.field.is_empty() {
                format!("[]: {}", cause.message)
            } else {
                format!("{}: {}", cause.field, cause.message)
            }
        })
        .collect();
    texts.dedup();
    let list = match texts.as_slice() {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    let message = format!("{kind} {name:?} is invalid: {list}");
    let mut error = ApiError::new(Reason::Invalid, message).about(&draft.info.group, &draft.info.kind, name);
    error.causes = causes;
    error
}
