//! The last built view, reused where nothing changed.
//!
//! *Knows*: its revision. *Must not know*: its content.

use planarium_protocol::view::ServiceView;
use std::sync::{Arc, Mutex};

/// The last view built.
#[derive(Debug, Default)]
pub(crate) struct ViewCache(Mutex<Built>);

#[derive(Clone, Debug, Default)]
struct Built {
    revision: u64,
    view: Option<Arc<ServiceView>>,
}

impl Clone for ViewCache {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.0.lock().map(|built| built.clone()).unwrap_or_default()))
    }
}

impl ViewCache {
    /// The view of a revision, built from the one before if that is another revision.
    pub(crate) fn at(
        &self,
        revision: u64,
        build: impl Fn(Option<&ServiceView>) -> ServiceView,
    ) -> Arc<ServiceView> {
        // A poisoned lock means that building a view failed halfway; it is built again.
        match self.0.lock() {
            Ok(mut built) => {
                if built.revision == revision
                    && let Some(view) = &built.view
                {
                    return view.clone();
                }
                let view = Arc::new(build(built.view.as_deref()));
                *built = Built { revision, view: Some(view.clone()) };
                view
            }
            Err(_) => Arc::new(build(None)),
        }
    }
}
