//! Handles events of processes and machines for the active leaf.
//!
//! *Knows*: which event concerns which record. *Must not know*: what calls wait for.

use super::App;
use crate::machines::Io;
use crate::run::Work;
use planarium_ground::{Absence, FleetEventKind, MachineId, ProcessId};
use planarium_protocol::Text;

impl App {
    /// Returns whether a process is one of this application's.
    pub(crate) fn has_process(&self, process: ProcessId) -> bool {
        self.run.work.launching(process).is_some() || self.instances.of_process(process).is_some()
    }

    /// Handles an event of a process of this application.
    pub(crate) fn on_process(&mut self, io: &mut Io<'_>, kind: &FleetEventKind) {
        match kind {
            FleetEventKind::Running { pid } => self.process_up(io, *pid),
            FleetEventKind::Check { pid, exit_code, .. } => {
                let Some(slot) = self.instances.of_process(*pid) else { return };
                if let Some(instance) = self.instances.get_mut(slot) {
                    instance.ready = *exit_code == Some(0);
                }
                self.touch(io.cx);
                self.look_again(io);
            }
            FleetEventKind::Exited { pid, message, .. } | FleetEventKind::Killed { pid, message, .. } => {
                self.process_over(io, *pid, message);
            }
            FleetEventKind::Started { .. }
            | FleetEventKind::Health { .. }
            | FleetEventKind::Watched { .. }
            | FleetEventKind::MachineLost { .. }
            | FleetEventKind::MachineReturned { .. }
            | FleetEventKind::OffersChanged
            | FleetEventKind::AbsencePlanned { .. }
            | FleetEventKind::HoldingsChanged { .. }
            | FleetEventKind::MasterFailover
            | FleetEventKind::SchedulerRestart { .. } => {}
        }
    }

    fn process_up(&mut self, io: &mut Io<'_>, process: ProcessId) {
        let launching = self.run.work.launching(process).map(|(step, launch)| (step, launch.clone()));
        match launching {
            Some((step, launch)) => {
                self.containers(io).launched(launch);
                self.finish(io, step, Ok(()));
            }
            // An instance of a service that the platform started itself.
            None => {
                if self.containers(io).came_up(process) {
                    self.touch(io.cx);
                    self.look_again(io);
                }
            }
        }
    }

    fn process_over(&mut self, io: &mut Io<'_>, process: ProcessId, message: &Text) {
        if let Some((step, launch)) = self.run.work.launching(process) {
            let what = launch.new.as_ref().map_or_else(|| "the instance".into(), |(_, id)| id.clone());
            self.finish(io, step, Err(format!("{what} did not start: {message}").into()));
            return;
        }
        let Some(slot) = self.instances.of_process(process) else { return };
        let asked = self.run.work.is_ending(slot);
        self.containers(io).ended(slot, asked, message);
        self.touch(io.cx);
        self.look_again(io);
    }

    /// A machine is away or back.
    pub(crate) fn on_machine_news(&mut self, io: &mut Io<'_>, kind: &FleetEventKind) {
        match kind {
            FleetEventKind::MachineLost { machine, how: Absence::Lost } => self.machine_lost(io, *machine),
            FleetEventKind::MachineReturned { machine, how: Absence::Lost } => {
                self.containers(io).returned(*machine);
                self.touch(io.cx);
                self.look_again(io);
            }
            FleetEventKind::MachineLost { .. } | FleetEventKind::MachineReturned { .. } => {
                self.look_again(io);
            }
            _ => {}
        }
    }

    fn machine_lost(&mut self, io: &mut Io<'_>, machine: MachineId) {
        let host = self.containers(io).lost(machine);
        self.touch(io.cx);
        let launching = self.run.work.leaf().and_then(|leaf| match &leaf.work {
            Work::Launch(launch) if launch.machine == machine => Some(leaf.step),
            _ => None,
        });
        match launching {
            Some(step) => self.finish(io, step, Err(format!("machine {host} was lost").into())),
            None => self.look_again(io),
        }
    }
}
