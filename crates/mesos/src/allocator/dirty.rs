//! Agents that changed since they were last looked at, with what changed them.
//!
//! *Knows*: numbers and causes. *Must not know*: what changed.

use crate::api::AgentId;
use planarium_kernel::{Cause, Table};

/// Causes by the agents' numbers: noting one is the same little work however many there are.
#[derive(Clone, Debug, Default)]
pub(super) struct Dirty {
    causes: Table<Option<Cause>, 64>,
    count: usize,
}

impl Dirty {
    /// Whether nothing has changed.
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// What changed an agent, if it has changed.
    pub(super) fn get(&self, id: AgentId) -> Option<Cause> {
        *self.causes.get(id.index())?
    }

    /// Notes a change; the last one counts.
    pub(super) fn insert(&mut self, id: AgentId, cause: Cause) {
        if let Some(place) = self.causes.get_mut(id.index()) {
            self.count += usize::from(place.replace(cause).is_none());
            return;
        }
        while self.causes.len() < id.index() {
            self.causes.push(None);
        }
        self.causes.push(Some(cause));
        self.count += 1;
    }

    /// Forgets a change; answers what it was.
    pub(super) fn remove(&mut self, id: AgentId) -> Option<Cause> {
        self.get(id)?;
        let gone = self.causes.get_mut(id.index())?.take();
        self.count -= usize::from(gone.is_some());
        gone
    }

    /// All changes, in order of the agents. *Cost*: up to the last one that changed.
    pub(super) fn iter(&self) -> impl Iterator<Item = (AgentId, Cause)> {
        let rows = self.causes.iter().enumerate();
        rows.filter_map(|(row, cause)| Some((AgentId::at(row), (*cause)?))).take(self.count)
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.count
    }

    /// Bytes that this holds and `before` does not.
    pub(super) fn beyond(&self, before: Option<&Self>) -> u64 {
        self.causes.beyond(before.map(|before| &before.causes), |_, _| 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_there_once_and_in_order() {
        let mut dirty = Dirty::default();
        for (id, seq) in [(70, 1), (3, 2), (70, 3), (9, 4)] {
            dirty.insert(AgentId(id), Cause::Event(seq));
        }
        assert_eq!(dirty.remove(AgentId(9)), Some(Cause::Event(4)));
        assert_eq!((dirty.remove(AgentId(9)), dirty.remove(AgentId(500))), (None, None));
        let all: Vec<(AgentId, Cause)> = dirty.iter().collect();
        assert_eq!(all, [(AgentId(3), Cause::Event(2)), (AgentId(70), Cause::Event(3))]);
        assert_eq!((dirty.len(), dirty.get(AgentId(9)), dirty.is_empty()), (2, None, false));
        dirty.remove(AgentId(3));
        dirty.remove(AgentId(70));
        assert!(dirty.is_empty() && dirty.iter().next().is_none());
    }
}
