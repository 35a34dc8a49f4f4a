//! A view built once per revision.
//!
//! *Invariant*: a cached value is a function of its key; the cache is not part of any state. Copies of a machine that has not
//! changed share one.

use planarium_ground::Stamp;
use planarium_protocol::view::MachineView;
use std::sync::{Arc, Mutex, PoisonError};

/// Key of a cached view.
///
/// Copies of a world share the view of a machine that neither has changed, while rules and faults of the fleet may differ in them at the
/// same revision: the fleet's stamp tells them apart.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// The revision shown.
    pub(crate) revision: u64,
    /// The machine is away.
    pub(crate) away: bool,
    /// The last change of the fleet's rules and faults.
    pub(crate) stamp: Arc<Stamp>,
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.revision == other.revision && self.away == other.away && Arc::ptr_eq(&self.stamp, &other.stamp)
    }
}

/// A view with its key.
type Cached = Option<(Key, Arc<MachineView>)>;

/// Holds at most one view. Copies hold the same one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViewCache(Arc<Mutex<Cached>>);

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

    /// Leaves the cache to the copies of the machine, before the machine changes. Frees its view: the copies belong to the past, where a
    /// view is seldom asked for and can be built again.
    pub(crate) fn renew(&mut self) {
        if let Some(own) = Arc::get_mut(&mut self.0) {
            *own.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        } else {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
            self.0 = Arc::default();
        }
    }
}
