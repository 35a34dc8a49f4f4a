//! Agents that changed since the last run, with the cause.
//!
//! *Knows*: numbers and causes, and whether a run must visit an agent. *Must not know*: what changed.

use crate::api::AgentId;
use planarium_kernel::{Cause, Table, Weight};

/// Change states of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// It has not.
    Clean,
    /// It changed, and a run visits it.
    Open(Cause),
    /// It changed, but filters block all of it: a run skips it.
    FullyFiltered(Cause),
}

impl Row {
    const fn cause(self) -> Option<Cause> {
        match self {
            Self::Clean => None,
            Self::Open(cause) | Self::FullyFiltered(cause) => Some(cause),
        }
    }
}

/// Causes by agent number: recording one costs the same however many there are.
#[derive(Clone, Debug, Default, Weight)]
#[weight(flat rows)]
pub(super) struct Dirty {
    rows: Table<Row, 64>,
    count: u32,
}

impl Dirty {
    /// Returns whether nothing has changed.
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the cause of an agent's change, if it has changed.
    pub(super) fn get(&self, id: AgentId) -> Option<Cause> {
        self.rows.get(id.index())?.cause()
    }

    /// Records a change; the last one counts.
    pub(super) fn insert(&mut self, id: AgentId, cause: Cause) {
        self.note(id, Row::Open(cause));
    }

    /// Records a change that leaves nothing to offer, until the next change.
    pub(super) fn insert_filtered(&mut self, id: AgentId, cause: Cause) {
        self.note(id, Row::FullyFiltered(cause));
    }

    fn note(&mut self, id: AgentId, row: Row) {
        if let Some(place) = self.rows.get_mut(id.index()) {
            self.count += u32::from(*place == Row::Clean);
            *place = row;
            return;
        }
        while self.rows.len() < id.index() {
            self.rows.push(Row::Clean);
        }
        self.rows.push(row);
        self.count += 1;
    }

    /// Forgets a change; returns its cause.
    pub(super) fn remove(&mut self, id: AgentId) -> Option<Cause> {
        self.get(id)?;
        let gone = std::mem::replace(self.rows.get_mut(id.index())?, Row::Clean).cause();
        self.count -= u32::from(gone.is_some());
        gone
    }

    /// Clears all changes, and returns those to visit, in order of the agents.
    pub(super) fn take_all(&mut self, mut open: impl FnMut(AgentId, Cause)) {
        if self.is_empty() {
            return;
        }
        self.count = 0;
        self.rows.for_each_mut(
            |row| *row != Row::Clean,
            |at, row| {
                if let Row::Open(cause) = std::mem::replace(row, Row::Clean) {
                    open(AgentId::at(at), cause);
                }
            },
        );
    }

    /// All changes, in order of the agents. *Cost*: up to the last changed agent.
    pub(super) fn iter(&self) -> impl Iterator<Item = (AgentId, Cause)> {
        let rows = self.rows.iter().enumerate();
        rows.filter_map(|(row, change)| Some((AgentId::at(row), change.cause()?))).take(self.count as usize)
    }

    /// The agents that a run skips.
    pub(super) fn fully_filtered(&self) -> impl Iterator<Item = AgentId> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(_, row)| matches!(row, Row::FullyFiltered(_))).map(|(row, _)| AgentId::at(row))
    }

    /// Returns the number of changes.
    pub(super) const fn len(&self) -> usize {
        self.count as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_unique_and_ordered() {
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

    #[test]
    fn fully_filtered_agents_are_skipped() {
        let mut dirty = Dirty::default();
        dirty.insert(AgentId(2), Cause::Event(1));
        dirty.insert_filtered(AgentId(2), Cause::Event(2));
        dirty.insert_filtered(AgentId(5), Cause::Event(3));
        dirty.insert_filtered(AgentId(6), Cause::Event(4));
        dirty.insert(AgentId(6), Cause::Event(5));
        assert_eq!((dirty.len(), dirty.get(AgentId(2))), (3, Some(Cause::Event(2))));
        assert_eq!(dirty.fully_filtered().collect::<Vec<_>>(), [AgentId(2), AgentId(5)]);
        assert_eq!(dirty.remove(AgentId(5)), Some(Cause::Event(3)));
        let mut open = Vec::new();
        dirty.take_all(|id, cause| open.push((id, cause)));
        assert_eq!(open, [(AgentId(6), Cause::Event(5))]);
        assert!(dirty.is_empty() && dirty.iter().next().is_none() && dirty.fully_filtered().next().is_none());
    }
}
