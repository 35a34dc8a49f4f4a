//! Deleting objects.
//!
//! Source: `kubernetes/apiserver: pkg/registry/generic/registry/store.go`, `pkg/registry/rest/delete.go`; match.

use super::{Api, update::conflict};
use crate::{
    error::{ApiError, Reason},
    kinds::KindId,
    object::{Deletion, Object, ObjectRef},
    request::{DeleteOptions, Propagation, Written},
    spec::Spec,
    status::Status,
};
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use std::sync::Arc;

pub(crate) const FOREGROUND: &str = "foregroundDeletion";
pub(crate) const ORPHAN: &str = "orphan";

impl Api {
    /// Deletes an object. It goes at once unless finalizers, a pod's grace period or (foreground) dependants hold it; the
    /// answer is the object with its `deletionTimestamp`, or as it last was. *Errors*: 404, 409.
    pub(crate) fn delete(&mut self, now: SimTime, object: ObjectRef<'_>, options: &DeleteOptions) -> Written {
        let old = self.read(object)?.clone();
        let mismatch = options.uid.as_ref().filter(|uid| **uid != old.uid);
        if let Some(uid) = mismatch {
            let message = format!(
                "Operation cannot be fulfilled on {} {:?}: the UID in the precondition ({uid}) does not match the UID in record \
                 ({}). The object might have been deleted and then recreated",
                old.info.qualified_plural(),
                old.name,
                old.uid
            );
            return Err(ApiError::new(Reason::Conflict, message).about(
                &old.info.group,
                &old.info.plural,
                &old.name,
            ));
        }
        if options.resource_version.is_some_and(|version| version != old.resource_version) {
            return Err(conflict(&old));
        }
        if old.kind == KindId::NAMESPACE && matches!(&*old.name, "default" | "kube-system" | "kube-public") {
            let message =
                format!("namespaces {:?} is forbidden: this namespace may not be deleted", old.name);
            return Err(ApiError::new(Reason::Forbidden, message).about(
                &old.info.group,
                &old.info.plural,
                &old.name,
            ));
        }
        Ok(self.delete_object(now, &old, options))
    }

    /// Deletes an object that is there.
    pub(crate) fn delete_object(
        &mut self,
        now: SimTime,
        old: &Arc<Object>,
        options: &DeleteOptions,
    ) -> Arc<Object> {
        let grace_s = grace(old, options.grace_s);
        let finalizers = finalizers(old, options.propagation);
        let is_namespace = old.kind == KindId::NAMESPACE;
        if finalizers.is_empty() && grace_s == 0 && !is_namespace {
            let gone = old.clone();
            self.take(old.no);
            return gone;
        }
        if let Some(deletion) = old.deletion
            && grace_s >= deletion.grace_s
            && finalizers == *old.finalizers
        {
            return old.clone();
        }
        let mut new = Object::clone(old);
        if *new.finalizers != finalizers {
            new.finalizers = Arc::new(finalizers);
        }
        let at = now.saturating_add(u64::from(grace_s) * 1000);
        match &mut new.deletion {
            Some(deletion) if grace_s < deletion.grace_s => *deletion = Deletion { at, grace_s },
            Some(_) => {}
            None => {
                new.deletion = Some(Deletion { at, grace_s });
                if new.info.has_generation {
                    new.generation += 1;
                }
            }
        }
        if is_namespace {
            new.status = Status::Plain(Arc::new(planarium_protocol::json!({ "phase": "Terminating" })));
        }
        self.put(new)
    }

    /// Takes an object out that is being deleted and that nothing holds any more.
    pub(crate) fn finish_deletion(&mut self, object: &Arc<Object>) {
        let Some(deletion) = object.deletion else { return };
        let held = !object.finalizers.is_empty() || object.kind == KindId::NAMESPACE || deletion.grace_s > 0;
        if !held {
            self.take(object.no);
        }
    }

    /// Takes a finalizer off an object, which may then go.
    pub(crate) fn drop_finalizer(&mut self, object: &Arc<Object>, finalizer: &str) {
        let kept: Vec<Text> = object.finalizers.iter().filter(|one| ***one != *finalizer).cloned().collect();
        if kept.len() == object.finalizers.len() {
            return;
        }
        let new = self.put(Object { finalizers: Arc::new(kept), ..Object::clone(object) });
        self.finish_deletion(&new);
    }
}

/// The time that a deletion may take. *Units*: seconds.
fn grace(old: &Object, wanted: Option<u32>) -> u32 {
    let (Spec::Pod(spec, own), Status::Pod(status)) = (&old.spec, &old.status) else { return 0 };
    if !own.is_bound() || status.phase.is_terminal() {
        return 0;
    }
    wanted.unwrap_or(spec.grace_s)
}

/// The finalizers that hold an object once it is deleted this way.
fn finalizers(old: &Object, propagation: Propagation) -> Vec<Text> {
    let mut all: Vec<Text> =
        old.finalizers.iter().filter(|one| !matches!(&***one, FOREGROUND | ORPHAN)).cloned().collect();
    match propagation {
        Propagation::Background => {}
        Propagation::Foreground => all.push(FOREGROUND.into()),
        Propagation::Orphan => all.push(ORPHAN.into()),
    }
    all
}
