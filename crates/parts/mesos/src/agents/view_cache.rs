//! A view built once per revision.
//!
//! *Invariant*: a cached value is a function of its key; the cache is not part of any state.

use planarium_protocol::view::MachineView;
use std::sync::{Arc, Mutex, PoisonError};

/// Key of a cached view: the revision shown and whether the machine is away.
pub(crate) type Key = (u64, u64);

/// Holds at most one view.
#[derive(Debug, Default)]
pub(crate) struct ViewCache(Mutex<Option<(Key, Arc<MachineView>)>>);

impl ViewCache {
    /// The view under this key, built when it is not there.
    pub(crate) fn get(&self, key: Key, build: impl FnOnce() -> MachineView) -> Arc<MachineView> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*place {
            Some((cached, view)) if *cached == key => view.clone(),
            _ => {
                let view = Arc::new(build());
                *place = Some((key, view.clone()));
                view
            }
        }
    }
}

impl Clone for ViewCache {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()))
    }
}
