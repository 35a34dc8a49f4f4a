//! Kills that are asked for until they are answered.
//!
//! *Knows*: which task ids are to end, and how often the request is repeated.
//! *Must not know*: why.
//!
//! **Source**: `dcos-commons: …/framework/TaskKiller.java`. Match; a kill that was said less than the
//! retry interval ago is not said again by a cycle.

use super::Cx;
use super::outbox::Outbox;
use super::timers::Timers;
use planarium_kernel::{Cause, Digestible, Index, SimTime, sorted};
use planarium_mesos::api::Call;
use planarium_plan::Holder;
use planarium_protocol::Text;

/// Between two requests. *Units*: milliseconds.
pub(crate) const RETRY_MS: u64 = 5_000;

/// A request to end a task.
#[derive(Clone, Copy)]
pub(crate) struct Kill<'a> {
    /// Task id; nothing is sent for an empty one.
    pub(crate) id: &'a Text,
    /// The machine the task is thought to be on.
    pub(crate) agent: Option<&'a Text>,
    /// The step that needs the task's resource set.
    pub(crate) by: Option<Holder>,
}

/// A request that has not been answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    /// When it was last requested.
    pub(crate) said: SimTime,
    /// Why it was first requested.
    pub(crate) cause: Cause,
    /// Agent that the task is thought to be on.
    pub(crate) agent: Option<Text>,
    /// The step that needs the task's resource set; none where no step asked first.
    pub(crate) by: Option<Holder>,
    /// Its machine does not answer: repeating the request is of no use until it does.
    pub(crate) silent: bool,
}

/// The requests that have not been answered.
#[derive(Clone, Debug, Default, Digestible)]
#[digest(sorted_ids())]
pub(crate) struct TaskKiller {
    pending: Index<Pending>,
}

impl TaskKiller {
    /// Requests a task's end, repeatedly until it is answered. Returns true if a request was sent now.
    pub(crate) fn kill(&mut self, cx: &Cx, kill: Kill<'_>, timers: &mut Timers, out: &mut Outbox) -> bool {
        let Kill { id, agent, by } = kill;
        if id.is_empty() || !self.ask(id, agent, by, cx.now(), cx.cause()) {
            return false;
        }
        out.push(cx, Call::Kill { task_id: id.clone(), agent_id: agent.cloned(), grace_ms: None });
        timers.arm_kills(cx, || self.next_due());
        true
    }

    /// Repeats the requests that are due.
    pub(crate) fn kill_again(&mut self, cx: &Cx, timers: &mut Timers, out: &mut Outbox) {
        for (id, pending) in self.again(cx.now()) {
            let call = Call::Kill { task_id: id, agent_id: pending.agent, grace_ms: None };
            out.push_caused(pending.cause, call);
        }
        timers.arm_kills(cx, || self.next_due());
    }

    /// A task is to end. True when the request has to go out now.
    fn ask(
        &mut self,
        id: &Text,
        agent: Option<&Text>,
        by: Option<Holder>,
        now: SimTime,
        cause: Cause,
    ) -> bool {
        match self.pending.get_mut(id) {
            Some(pending) if pending.silent || now.since(pending.said) < RETRY_MS => false,
            Some(pending) => {
                pending.said = now;
                true
            }
            None => {
                let pending = Pending { said: now, cause, agent: agent.cloned(), by, silent: false };
                self.pending.insert(id.clone(), pending);
                true
            }
        }
    }

    /// The task has ended; answers the request, if it was to end.
    pub(crate) fn ended(&mut self, id: &str) -> Option<Pending> {
        if self.pending.is_empty() { None } else { self.pending.remove(id) }
    }

    /// The request to end a task.
    pub(crate) fn of(&self, id: &str) -> Option<&Pending> {
        self.pending.get(id)
    }

    /// The machine of a task does not answer, or does again; true when a kill has to be repeated now.
    pub(crate) fn heard(&mut self, id: &str, silent: bool) -> bool {
        // Mostly nothing is to end, and no text needs to be read.
        if self.pending.is_empty() {
            return false;
        }
        let Some(pending) = self.pending.get_mut(id) else { return false };
        let back = std::mem::replace(&mut pending.silent, silent) && !silent;
        if back {
            pending.said = SimTime::ZERO;
        }
        back
    }

    /// Tells if a task is to end.
    pub(crate) fn contains(&self, id: &str) -> bool {
        self.pending.contains_key(id)
    }

    /// Those due to be repeated, in order.
    fn again(&mut self, now: SimTime) -> Vec<(Text, Pending)> {
        let is_due = |pending: &Pending| !pending.silent && now.since(pending.said) >= RETRY_MS;
        let mut due: Vec<Text> =
            self.pending.iter().filter(|(_, pending)| is_due(pending)).map(|(id, _)| id.clone()).collect();
        sorted::sort(&mut due);
        let mut said = Vec::with_capacity(due.len());
        for id in due {
            if let Some(pending) = self.pending.get_mut(&id) {
                pending.said = now;
                said.push((id, pending.clone()));
            }
        }
        said
    }

    /// When the next is due.
    fn next_due(&self) -> Option<SimTime> {
        let sayable = self.pending.values().filter(|pending| !pending.silent);
        sayable.map(|pending| pending.said.saturating_add(RETRY_MS)).min()
    }

    fn sorted_ids(&self) -> Vec<&Text> {
        let mut ids: Vec<&Text> = self.pending.iter().map(|(id, _)| id).collect();
        sorted::sort(&mut ids);
        ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_every_five_seconds_until_answered() {
        let mut kills = TaskKiller::default();
        let id: Text = "t".into();
        assert!(kills.ask(&id, None, None, SimTime::ZERO, Cause::Genesis));
        assert!(!kills.ask(&id, None, None, SimTime(4_999), Cause::Genesis));
        assert!(kills.again(SimTime(4_999)).is_empty());
        assert_eq!(kills.next_due(), Some(SimTime(5_000)));
        assert_eq!(kills.again(SimTime(5_000)).len(), 1);
        assert!(kills.again(SimTime(5_000)).is_empty());
        // Nothing is sent to a machine that does not answer.
        assert!(!kills.heard("t", true) && kills.next_due().is_none());
        assert!(
            !kills.ask(&id, None, None, SimTime(20_000), Cause::Genesis)
                && kills.again(SimTime(20_000)).is_empty()
        );
        assert!(kills.heard("t", false) && kills.ask(&id, None, None, SimTime(20_000), Cause::Genesis));
        assert!(kills.ended("t").is_some() && !kills.contains("t") && kills.ended("t").is_none());
    }
}
