//! Injects and clears faults, and answers queries about active ones.

use crate::{
    Armed, Cx, Fleet, Timer,
    event::FleetEventKind,
    fault::{FaultRecord, is_momentary, target_text, validate},
    labels::Labels,
    latency::Luck,
};
use planarium_kernel::{Cause, Class, draw};
use planarium_protocol::{
    EventBody, Refusal, Text,
    input::{Fault, FaultKind},
    refusal::RefusalCode,
};
use std::sync::Arc;

/// Maximum number of names in a refusal.
const MENTIONED: usize = 8;

/// `there are a, b and others`.
fn in_words(names: impl Iterator<Item = String>, none: &str) -> String {
    let mut names: Vec<String> = names.take(MENTIONED + 1).collect();
    let more = if names.len() > MENTIONED { " and others" } else { "" };
    names.truncate(MENTIONED);
    match names.as_slice() {
        [] => none.to_owned(),
        [one] => format!("there is {one}"),
        all => format!("there are {}{more}", all.join(", ")),
    }
}

impl Fleet {
    /// Injects a fault; returns its id.
    ///
    /// *Errors*: invalid keys, an id in use, a target that matches nothing although the fault cannot wait for a later
    /// match.
    pub fn inject(&mut self, cx: &mut Cx, fault: &Fault) -> Result<Text, Refusal> {
        validate(fault)?;
        self.check_target(fault)?;
        let id = self.fault_id(fault)?;
        let number = self.next_fault.next();
        let mut record = FaultRecord::new(fault.clone(), id.clone(), cx.now(), 0);
        let (what, text) = (fault.fault.as_str().into(), record.text().into());
        record.event = cx.emit(EventBody::FaultInjected { fault: id.clone(), what, text });
        let cause = Cause::Event(record.event);
        if let Some(at) = record.until {
            record.timer =
                Some(self.timers.push(at, Class::OneShot, Armed { cause, timer: Timer::FaultEnd(number) }));
        }
        let waits = record.left.is_some() || record.until.is_some();
        self.faults.insert(number, Arc::new(record));
        cx.scoped(cause, |cx| {
            match fault.fault {
                FaultKind::TaskFail | FaultKind::TaskKill | FaultKind::TaskOom => self.strike_now(cx, number),
                FaultKind::SchedulerRestart => self.restart_schedulers(cx, number),
                FaultKind::MasterFailover => self.report(cx, FleetEventKind::MasterFailover),
                FaultKind::AgentLost | FaultKind::AgentPartitioned | FaultKind::AgentRestart => {
                    self.take_machines(cx, number);
                }
                FaultKind::OffersWithheld => self.report(cx, FleetEventKind::OffersChanged),
                FaultKind::StatusDropped | FaultKind::PluginFail => {}
                FaultKind::CrashLoop
                | FaultKind::SlowStart
                | FaultKind::Hang
                | FaultKind::ReadinessFail
                | FaultKind::HealthFail
                | FaultKind::ImageMissing
                | FaultKind::AgentFull => self.refresh_matching(cx, &fault.target),
            }
            if is_momentary(fault.fault) && !waits {
                self.faults.remove(&number);
            }
            self.settle_exhausted(cx);
        });
        self.touch(cx);
        Ok(id)
    }

    /// Lists the machines, for a refusal that names an unknown one.
    fn machines_in_words(&self) -> String {
        let names = self.machines.iter().filter(|machine| !machine.removed).map(|machine| machine.hostname());
        in_words(names.map(ToString::to_string), "there is no machine")
    }

    /// Lists the pods and apps with processes, for a refusal that names an unknown one.
    fn tasks_in_words(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        for process in self.processes.values() {
            let labels = &process.spec.labels;
            let name =
                labels.get("pod-type").filter(|name| name.starts_with('/')).or_else(|| labels.get("task"));
            if let Some(name) = name.map(ToString::to_string).filter(|name| !names.contains(name)) {
                names.push(name);
            }
            if names.len() > MENTIONED {
                break;
            }
        }
        in_words(names.into_iter(), "nothing runs")
    }

    fn check_target(&self, fault: &Fault) -> Result<(), Refusal> {
        let missing = |what: &str| {
            let known = if what == "machine" { self.machines_in_words() } else { self.tasks_in_words() };
            let text = format!("no {what} matches {}; {known}", target_text(&fault.target));
            Err(Refusal::new(RefusalCode::NotFound, text))
        };
        match fault.fault {
            FaultKind::AgentLost | FaultKind::AgentPartitioned | FaultKind::AgentRestart
                if self.targeted_machines(&fault.target).is_empty() =>
            {
                missing("machine")
            }
            FaultKind::TaskFail | FaultKind::TaskKill | FaultKind::TaskOom
                if fault.count.is_none()
                    && fault.for_ms.is_none()
                    && self.endable(&fault.target).is_empty() =>
            {
                missing("task")
            }
            _ => Ok(()),
        }
    }

    fn fault_id(&self, fault: &Fault) -> Result<Text, Refusal> {
        let used = |id: &str| self.faults.values().any(|record| &*record.id == id);
        if let Some(id) = &fault.id {
            if used(id) {
                return Err(Refusal::new(RefusalCode::Conflict, format!("fault {id} is in force already")));
            }
            return Ok(id.as_str().into());
        }
        let first = u64::from(self.next_fault.given()) + 1;
        let last = first + self.faults.len() as u64;
        let free = (first..=last).map(|n| format!("fault-{n}")).find(|id| !used(id));
        Ok(free.unwrap_or_default().into())
    }

    /// Ends a fault early.
    ///
    /// *Errors*: no active fault has this id.
    pub fn clear(&mut self, cx: &mut Cx, id: &str) -> Result<(), Refusal> {
        let number = self.faults.iter().find(|(_, fault)| &*fault.id == id).map(|(number, _)| *number);
        let Some(number) = number else {
            return Err(Refusal::new(RefusalCode::NotFound, format!("no fault {id} is in force")));
        };
        cx.scoped(cx.cause(), |cx| self.end_fault(cx, number));
        Ok(())
    }

    pub(crate) fn end_fault(&mut self, cx: &mut Cx, number: u32) {
        let Some(fault) = self.faults.get(&number).cloned() else { return };
        if let Some(timer) = fault.timer {
            self.timers.cancel(timer);
        }
        let seq = cx.emit(EventBody::FaultCleared { fault: fault.id.clone() });
        cx.scoped(Cause::Event(seq), |cx| {
            if fault.keeps_machines() {
                self.return_machines(cx, number);
            }
            self.faults.remove(&number);
            match fault.kind() {
                FaultKind::OffersWithheld => self.report(cx, FleetEventKind::OffersChanged),
                _ => self.refresh_matching(cx, &fault.spec.target),
            }
        });
        self.touch(cx);
    }

    /// Ends the faults that had their last allowed strike.
    pub(crate) fn settle_exhausted(&mut self, cx: &mut Cx) {
        while let Some(number) = self.exhausted.pop() {
            cx.scoped(cx.cause(), |cx| self.end_fault(cx, number));
        }
    }

    /// Returns whether any offers are withheld.
    pub fn withholds_offers(&self) -> bool {
        self.faults.values().any(|fault| fault.kind() == FaultKind::OffersWithheld)
    }

    /// Returns whether a service's offers from a machine are withheld now.
    pub fn offers_withheld(&self, service: &Text, hostname: &Text, agent_id: &Text) -> bool {
        if !self.withholds_offers() {
            return false;
        }
        let mut withholding = self.faults.values().filter(|f| f.kind() == FaultKind::OffersWithheld);
        let labels = Labels::new([
            ("service", service.clone()),
            ("agent", hostname.clone()),
            ("agent-id", agent_id.clone()),
        ]);
        withholding.any(|fault| labels.matches(&fault.spec.target))
    }

    /// Returns whether a status of a process with these labels is lost on this attempt. Counts the loss; events about
    /// it have the fault's strike as their cause.
    pub fn drops_status(&mut self, cx: &mut Cx, labels: &Labels) -> bool {
        if self.faults.is_empty() {
            return false;
        }
        let meant: Vec<u32> = self
            .faults
            .iter()
            .filter(|(_, fault)| {
                fault.kind() == FaultKind::StatusDropped && labels.matches(&fault.spec.target)
            })
            .map(|(number, _)| *number)
            .collect();
        let task = labels.get("task").cloned().unwrap_or_default();
        for number in meant {
            let Some(fault) = self.faults.get_mut(&number).map(Arc::make_mut) else { continue };
            fault.occasions += 1;
            let luck = Luck { seed: self.seed, entity: draw::entity(&task), nth: 0 };
            if fault.hits(labels, luck, fault.occasions) {
                cx.scoped(cx.cause(), |cx| {
                    self.struck(cx, number, task.clone(), labels.task_id());
                    self.settle_exhausted(cx);
                });
                return true;
            }
        }
        false
    }
}
