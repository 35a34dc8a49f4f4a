//! Access of owners to the ledger of machines; the other owners hear of changes in the same instant.

use crate::{
    Cx, Fleet,
    event::FleetEventKind,
    ledger::{Amounts, Holder, Holding, Ledger, PROCESS, Sharing},
    spec::{MachineId, Owner, ProcessId},
};

/// An entry of the ledger of one machine, as its owner calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldingId {
    /// Who holds it.
    pub owner: Owner,
    /// A number that the owner chose.
    pub number: u64,
}

/// How a process is called in explanations of a machine; see [`Holder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HolderWords {
    /// The part that it belongs to, as people write it: `Skopos`.
    pub owner: &'static str,
    /// The kind of thing, in the words of that part: `container`.
    pub kind: &'static str,
}

impl Fleet {
    /// The ledger: what machines have, and who holds how much of it.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Says how layers share machines; before the first machine joins.
    pub const fn set_sharing(&mut self, sharing: Sharing) {
        self.ledger.set_sharing(sharing);
    }

    /// A machine turns out to have at least so much: somebody who runs on it was told so.
    pub fn widen_machine(&mut self, machine: MachineId, has: Amounts) {
        self.ledger.widen(machine, has);
    }

    /// From now on an owner hears of what others hold: [`FleetEventKind::HoldingsChanged`].
    pub fn hear_holdings(&mut self, owner: Owner) {
        self.ledger.listen(owner);
    }

    /// An owner holds something of a machine, under a number of its own; what it held under that number before is replaced.
    pub fn hold(&mut self, cx: &Cx, machine: MachineId, id: HoldingId, holding: Holding) {
        self.change_holding(cx, machine, id, Some(holding));
    }

    /// An owner does not hold any more what it held of a machine under this number.
    pub fn release(&mut self, cx: &Cx, machine: MachineId, id: HoldingId) {
        self.change_holding(cx, machine, id, None);
    }

    /// A process holds so much of its machine until it ends, and is shown there as what it is.
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
        // One report does for changes that follow one another and have one cause.
        if self.out.back().is_none_or(|last| last.kind != kind || last.cause != cx.cause()) {
            self.report(cx, kind);
        }
    }
}
