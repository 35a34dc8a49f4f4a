//! Access of owners to the ledger of machines; other owners are notified of changes in the same instant.

use crate::{
    Cx, Fleet,
    event::FleetEventKind,
    ledger::{Amounts, Holder, Holding, Ledger, PROCESS, Sharing},
    spec::{MachineId, Owner, ProcessId},
};

/// An entry in one machine's ledger, by its owner's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldingId {
    /// Who holds it.
    pub owner: Owner,
    /// A number that the owner chose.
    pub number: u64,
}

/// Names of a process in explanations of a machine; see [`Holder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HolderWords {
    /// The display name of the part that owns it: `Skopos`.
    pub owner: &'static str,
    /// The kind of thing, in that part's words: `container`.
    pub kind: &'static str,
}

impl Fleet {
    /// The ledger: the capacity of each machine, and its allocations by owner.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Sets how layers share machines; call it before the first machine joins.
    pub const fn set_sharing(&mut self, sharing: Sharing) {
        self.ledger.set_sharing(sharing);
    }

    /// Raises a machine's capacity to at least these amounts, because an owner on it reported them.
    pub fn widen_machine(&mut self, machine: MachineId, has: Amounts) {
        self.ledger.widen(machine, has);
    }

    /// Subscribes an owner to the allocations of others: [`FleetEventKind::HoldingsChanged`].
    pub fn hear_holdings(&mut self, owner: Owner) {
        self.ledger.listen(owner);
    }

    /// Sets an owner's allocation on a machine, under a number of its own; replaces the previous one with that number.
    pub fn hold(&mut self, cx: &Cx, machine: MachineId, id: HoldingId, holding: Holding) {
        self.change_holding(cx, machine, id, Some(holding));
    }

    /// Removes an owner's allocation with this number.
    pub fn release(&mut self, cx: &Cx, machine: MachineId, id: HoldingId) {
        self.change_holding(cx, machine, id, None);
    }

    /// Allocates amounts to a process until it ends, with these words for display.
    pub fn hold_for(&mut self, cx: &Cx, pid: ProcessId, words: HolderWords, amounts: Amounts) {
        let Some(spec) = self.processes.get(&pid).map(|process| process.spec.clone()) else { return };
        let service = spec.labels.get("service").cloned().unwrap_or_default();
        let HolderWords { owner, kind } = words;
        let holder = Holder { owner, kind, name: spec.name.clone(), service };
        let holding = Holding { holder, amounts, ports: [].into() };
        let id = HoldingId { owner: spec.owner, number: PROCESS + u64::from(pid.0) };
        self.hold(cx, spec.machine, id, holding);
    }

    fn change_holding(&mut self, cx: &Cx, machine: MachineId, id: HoldingId, holding: Option<Holding>) {
        if !self.ledger.set(machine, id.owner, id.number, holding) {
            return;
        }
        let kind = FleetEventKind::HoldingsChanged { machine, by: id.owner };
        // Consecutive changes with one cause need one report only.
        if self.out.back().is_none_or(|last| last.kind != kind || last.cause != cx.cause()) {
            self.report(cx, kind);
        }
    }
}
