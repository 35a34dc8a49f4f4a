//! The ledger of machines: capacity and allocations.
//!
//! *Knows*: amounts, ports, owners and their names for allocations. *Must not know*: what is offered or scheduled;
//! amounts that an owner only plans with count as free until they are allocated.
//!
//! *Invariant*: on shared machines, allocations never exceed the capacity. Owners check [`Ledger::free_for`] first.

mod amounts;
mod book;

pub use amounts::{Amounts, Scalar};
pub use book::{Holder, Holding, Ports};
pub use planarium_protocol::input::Sharing;

use crate::spec::{MachineId, Owner, ProcessId};
use book::Book;
use planarium_kernel::{Digestible, IdMap, Weight};
use planarium_protocol::why::HeldByOthers;
use std::{ops::RangeInclusive, sync::Arc};

/// Numbers from here on belong to processes: such an entry ends with its process.
pub(crate) const PROCESS: u64 = 1 << 63;

/// Maximum number of holders named in an explanation.
const NAMED: usize = 3;

/// Capacity and allocations of every machine. *Cost*: a query about a machine visits its owners, a change one entry;
/// copies share unchanged parts.
#[derive(Clone, Debug, Default, Digestible, Weight)]
#[digest(sharing.as_str(), each books)]
#[weight(books)]
pub struct Ledger {
    sharing: Sharing,
    books: IdMap<MachineId, Arc<Book>, 8>,
    /// Owners subscribed to the allocations of others. *Order*: by number.
    readers: Vec<Owner>,
    /// Number of changes so far, and the last one that involved a process.
    changes: u64,
    moved: u64,
}

impl Ledger {
    /// Returns the sharing mode.
    pub const fn sharing(&self) -> Sharing {
        self.sharing
    }

    pub(crate) const fn set_sharing(&mut self, sharing: Sharing) {
        self.sharing = sharing;
    }

    /// Number of changes of allocations; for caches over all machines.
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    /// Number of the last change on a machine; for caches.
    pub fn changed(&self, machine: MachineId) -> u64 {
        self.book(machine).map_or(0, |book| book.changed)
    }

    fn book(&self, machine: MachineId) -> Option<&Book> {
        self.books.get(&machine).map(|book| &**book)
    }

    /// Returns whether an owner's allocations count for another one.
    fn counts(&self, owner: Owner, other: Owner) -> bool {
        self.sharing == Sharing::Together && owner != other
    }

    /// All that a machine has.
    pub fn has(&self, machine: MachineId) -> Amounts {
        self.book(machine).map_or(Amounts::NONE, |book| book.has)
    }

    /// Returns the sum of all allocations on a machine.
    pub fn held(&self, machine: MachineId) -> Amounts {
        self.book(machine).map_or(Amounts::NONE, |book| book.held(|_| true))
    }

    /// Returns the sum of one owner's allocations on a machine.
    pub fn held_by(&self, machine: MachineId, owner: Owner) -> Amounts {
        self.book(machine).map_or(Amounts::NONE, |book| book.held(|other| other == owner))
    }

    /// Returns the sum of all other owners' allocations on a machine; zero if machines are not shared.
    pub fn held_by_others(&self, machine: MachineId, owner: Owner) -> Amounts {
        self.book(machine).map_or(Amounts::NONE, |book| book.held(|other| self.counts(owner, other)))
    }

    /// Returns the free amounts of a machine, as an owner sees them. Never negative.
    pub fn free_for(&self, machine: MachineId, owner: Owner) -> Amounts {
        let Some(book) = self.book(machine) else { return Amounts::NONE };
        book.has.less(book.held(|other| other == owner || self.counts(owner, other)))
    }

    /// Returns whether the allocations on a machine exceed its capacity: possible only if machines are not shared.
    pub fn is_promised_twice(&self, machine: MachineId) -> bool {
        self.book(machine).is_some_and(|book| !book.has.contains(book.held(|_| true)))
    }

    /// Describes by how much allocations exceed a machine's capacity in a scalar; `None` if they do not.
    pub fn promised_beyond(&self, machine: MachineId, scalar: Scalar) -> Option<String> {
        let book = self.book(machine)?;
        let held = book.held(|_| true);
        let (has, all) = (book.has.in_words(scalar), held.in_words(scalar));
        (held.get(scalar) > book.has.get(scalar))
            .then(|| format!("{all} {} held, it has {has}", scalar.as_str()))
    }

    /// Ports of a machine allocated to other owners. *Order*: none.
    pub fn ports_of_others(&self, machine: MachineId, owner: Owner) -> impl Iterator<Item = Ports> {
        let ports = self.book(machine).into_iter().flat_map(Book::ports);
        ports.filter(move |(other, _)| self.counts(owner, *other)).map(|(_, ports)| ports)
    }

    /// Returns other owners' entries that hold some of a scalar, the largest first.
    pub fn others_by_size(&self, machine: MachineId, owner: Owner, scalar: Scalar) -> Vec<&Holding> {
        self.book(machine)
            .map_or_else(Vec::new, |book| book.largest(scalar, |other| self.counts(owner, other)))
    }

    /// Names other holders of a scalar of a machine, the largest first; `None` if there are none.
    pub fn named_others(&self, machine: MachineId, owner: Owner, scalar: Scalar) -> Option<HeldByOthers> {
        let all = self.others_by_size(machine, owner, scalar);
        let holders: Vec<_> = all.iter().take(NAMED).map(|one| one.named(scalar)).collect();
        let more = u32::try_from(all.len().saturating_sub(holders.len())).unwrap_or(u32::MAX);
        let amount = self.held_by_others(machine, owner).in_words(scalar).into();
        (!holders.is_empty()).then_some(HeldByOthers { amount, holders, more })
    }

    /// All entries of a machine. *Order*: by owner, then by number.
    pub fn holdings(&self, machine: MachineId) -> impl Iterator<Item = (Owner, &Holding)> {
        self.book(machine).into_iter().flat_map(Book::holdings)
    }

    /// Returns an entry by its owner and number.
    pub fn holding(&self, machine: MachineId, owner: Owner, key: u64) -> Option<&Holding> {
        self.book(machine)?.get(owner, key)
    }

    /// Returns an owner's entries with numbers in a range, in order.
    pub fn holdings_between(
        &self,
        machine: MachineId,
        owner: Owner,
        keys: RangeInclusive<u64>,
    ) -> impl Iterator<Item = (u64, &Holding)> {
        self.book(machine).into_iter().flat_map(move |book| book.between(owner, keys.clone()))
    }

    /// Processes with their own entries, with their owners. *Order*: by owner, then by launch.
    pub fn processes(&self, machine: MachineId) -> impl Iterator<Item = (Owner, ProcessId, &Holding)> {
        let rows = self.book(machine).filter(|book| book.processes > 0).into_iter().flat_map(Book::rows);
        rows.filter_map(|(owner, key, holding)| {
            let number = u32::try_from(key.checked_sub(PROCESS)?).ok()?;
            Some((owner, ProcessId(number), holding))
        })
    }

    /// Changes whenever such a process starts, ends or changes its state; for caches.
    pub fn processes_moved(&self, machine: MachineId) -> u64 {
        self.book(machine).map_or(0, |book| book.moved)
    }

    /// The same over all machines.
    pub const fn last_moved(&self) -> u64 {
        self.moved
    }

    /// A process has changed its state.
    pub(crate) fn note_moved(&mut self, machine: MachineId, owner: Owner, pid: ProcessId) {
        if self.holding(machine, owner, PROCESS + u64::from(pid.0)).is_none() {
            return;
        }
        self.changes += 1;
        if let Some(book) = self.books.get_mut(&machine) {
            Arc::make_mut(book).moved = self.changes;
            self.moved = self.changes;
        }
    }

    /// Subscribes an owner to the allocations of others.
    pub(crate) fn listen(&mut self, owner: Owner) {
        if let Err(at) = self.readers.binary_search(&owner) {
            self.readers.insert(at, owner);
        }
    }

    /// Returns whether another owner is subscribed. Without one, the owner's entries are not needed.
    pub fn is_heard_besides(&self, owner: Owner) -> bool {
        self.readers.iter().any(|reader| *reader != owner)
    }

    pub(crate) fn open(&mut self, machine: MachineId, has: Amounts) {
        self.changes += 1;
        // A replaced machine shows its processes as changed from the first.
        let mut book = Book::new(has, self.changes);
        book.moved = self.moved;
        self.books.insert(machine, Arc::new(book));
    }

    /// A machine has at least so much.
    pub(crate) fn widen(&mut self, machine: MachineId, has: Amounts) {
        if let Some(book) = self.books.get_mut(&machine).filter(|book| !book.has.contains(has)) {
            let book = Arc::make_mut(book);
            book.has = book.has.most(has);
        }
    }

    pub(crate) fn close(&mut self, machine: MachineId) {
        self.changes += 1;
        self.books.remove(&machine);
    }

    /// Sets or removes the entry with this number. Returns whether others must be notified.
    pub(crate) fn set(
        &mut self,
        machine: MachineId,
        owner: Owner,
        key: u64,
        holding: Option<Holding>,
    ) -> bool {
        let Some(book) = self.books.get(&machine) else { return false };
        let old = book.get(owner, key);
        if old == holding.as_ref() {
            return false;
        }
        let amounts = |holding: Option<&Holding>| {
            holding
                .map(|holding| (holding.amounts, holding.ports.clone()))
                .filter(|(amounts, ports)| !amounts.is_none() || !ports.is_empty())
        };
        let was_there = old.is_some();
        let differs = amounts(old) != amounts(holding.as_ref());
        self.changes += 1;
        if let Some(book) = self.books.get_mut(&machine) {
            let book = Arc::make_mut(book);
            if key >= PROCESS {
                book.moved = self.changes;
                self.moved = self.changes;
                book.processes =
                    book.processes.saturating_add_signed(i32::from(holding.is_some()) - i32::from(was_there));
            }
            book.set(owner, key, holding);
            book.changed = self.changes;
        }
        differs && self.sharing == Sharing::Together && self.readers.iter().any(|reader| *reader != owner)
    }

    /// Lists broken invariants of a machine in words. *Cost*: walks its entries.
    pub(crate) fn check(&self, machine: MachineId, name: &str, broken: &mut Vec<String>) {
        match self.book(machine) {
            Some(book) => book.check(name, self.sharing == Sharing::Together, broken),
            None => broken.push(format!("machine {name} is not in the ledger")),
        }
    }
}
