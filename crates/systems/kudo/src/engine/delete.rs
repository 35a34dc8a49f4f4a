//! Deleting objects.
//!
//! **Source**: `kudobuilder/kudo: pkg/engine/task/task_delete.go`. Match.

use planarium_kube::{DeleteOptions, ObjectRef, Propagation};

use super::{At, Failure, Outcome, Prepared, Work};

impl Work<'_, '_> {
    /// Deletes the objects of a task; done when none of them exists.
    pub(super) fn delete(&mut self, at: &At<'_>) -> Outcome {
        let rendered = self.rendered(at, true)?;
        self.delete_all(&rendered.objects)?;
        let left = rendered.objects.iter().find(|object| self.exists(object));
        match left {
            Some(left) => {
                let message = format!("{}/{} is not deleted", left.namespace, left.name);
                self.memory.waits(at.place(), Some((left.path(), message)));
                Ok(false)
            }
            None => {
                self.memory.waits(at.place(), None);
                Ok(true)
            }
        }
    }

    /// Deletes objects, their dependants first. Missing objects are ignored.
    pub(super) fn delete_all(&mut self, objects: &[Prepared]) -> Result<(), Failure> {
        for object in objects {
            let Some(kind) = object.kind else { continue };
            let reference = ObjectRef::new(kind, &object.namespace, &object.name);
            let options = DeleteOptions { propagation: Propagation::Foreground, ..DeleteOptions::default() };
            // An object that is already being deleted is not deleted again.
            if self.kube.get(reference).is_none_or(|live| live.is_being_deleted()) {
                continue;
            }
            match self.kube.delete(self.cx, reference, &options) {
                Ok(_) => {}
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(Failure::Transient(error.message)),
            }
        }
        Ok(())
    }

    fn exists(&self, object: &Prepared) -> bool {
        let reference = object.kind.map(|kind| ObjectRef::new(kind, &object.namespace, &object.name));
        reference.is_some_and(|reference| self.kube.get(reference).is_some())
    }
}
