//! Keys of pod instances: type and index, with name and number.
//!
//! *Knows*: names of pod instances and of their tasks. *Must not know*: the stored data of a key.

use planarium_protocol::Text;
use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::Arc;

/// The number of a key that no store has handed out.
pub(super) const NO_ROW: u32 = u32::MAX;

/// A pod instance: type and index. *Order*: by type, then by index. The store hands out one shared key per instance,
/// so that comparisons and look-ups read no text.
#[derive(Clone, Debug)]
pub(crate) struct PodKey(Arc<Instance>);

/// Content of a key.
#[derive(Debug)]
pub(crate) struct Instance {
    /// Pod type.
    pub(crate) pod: Text,
    /// Index.
    pub(crate) index: u32,
    /// `<pod type>-<index>`.
    name: Text,
    /// The row in the store that created the key; none for a key made for a look-up.
    number: u32,
}

impl Deref for PodKey {
    type Target = Instance;

    fn deref(&self) -> &Instance {
        &self.0
    }
}

impl Ord for PodKey {
    /// Instances of a type mostly share the text of its name, which then needs no reading.
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Ordering::Equal;
        }
        let pods =
            if Arc::ptr_eq(&self.pod, &other.pod) { Ordering::Equal } else { self.pod.cmp(&other.pod) };
        pods.then(self.index.cmp(&other.index))
    }
}

impl PartialOrd for PodKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PodKey {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.cmp(other).is_eq()
    }
}

impl Eq for PodKey {}

impl PodKey {
    /// The key of a row of the store.
    pub(super) fn numbered(pod: &Text, index: u32, number: u32) -> Self {
        let name = format!("{pod}-{index}").into();
        Self(Arc::new(Instance { pod: pod.clone(), index, name, number }))
    }

    /// Creates a key for a look-up, without a name.
    pub(super) fn probe(pod: &Text, index: u32) -> Self {
        Self(Arc::new(Instance { pod: pod.clone(), index, name: pod.clone(), number: NO_ROW }))
    }

    /// Its row in the store, which tells it from all others.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Tells if the store has a row for it.
    pub(crate) fn is_stored(&self) -> bool {
        self.number != NO_ROW
    }

    /// `<pod type>-<index>`.
    pub(crate) fn name(&self) -> Text {
        self.name.clone()
    }

    /// The same, borrowed.
    pub(crate) fn name_text(&self) -> &str {
        &self.name
    }

    /// `<pod type>-<index>-<task>`.
    pub(crate) fn task(&self, task: &str) -> Text {
        let mut name = String::with_capacity(self.name.len() + 1 + task.len());
        name.push_str(&self.name);
        name.push('-');
        name.push_str(task);
        name.into()
    }
}
