//! Questions that a world answers without changing.
//!
//! *Knows*: whom to ask. *Must not know*: any system's answer shape.

use crate::systems::DIALECTS;
use crate::world::World;
use planarium_part::{Number, Request, StreamNews, Wire};
use planarium_protocol::{Event, Refusal};
use serde_json::Value;

impl World {
    /// What becomes of a request: the first process that takes it says so, of every system that has
    /// such paths. None when no system has such a path.
    ///
    /// The number is that of the process, for a stream that begins.
    pub fn wire(&self, request: &Request, parts: &[&str]) -> Option<(Option<Number>, Wire)> {
        let owners = || DIALECTS.iter().filter(|dialect| (dialect.owns)(parts));
        let first = owners().next()?;
        let cluster = self.cluster.asked_at(self.recorder.now());
        for dialect in owners() {
            for (number, process) in self.processes.of_dialect(dialect.word) {
                match process.wire(&cluster, request, parts) {
                    Wire::NotMine => {}
                    wire => return Some((Some(number), wire)),
                }
            }
        }
        for dialect in owners().filter(|dialect| self.processes.of_dialect(dialect.word).next().is_none()) {
            // The real program is there before anything is loaded into it.
            let mut trial = self.clone();
            if let Some(number) = trial.begin_empty(dialect.word) {
                let process = trial.processes.process(number);
                if let Some(wire) = process
                    .map(|process| process.wire(&trial.cluster.asked_at(self.recorder.now()), request, parts))
                    && !matches!(wire, Wire::NotMine)
                {
                    return Some((None, wire));
                }
            }
        }
        Some((None, Wire::Answer((first.nobody)(request, parts))))
    }

    /// What has come of a process' stream. None when there is no such process any more.
    pub fn stream(&self, process: Number, topic: &Value, events: &[Event]) -> Option<StreamNews> {
        Some(self.processes.process(process)?.stream(
            &self.cluster.asked_at(self.recorder.now()),
            topic,
            events,
        ))
    }

    /// A file that was rendered for a task of a service, as it lies there; without a service, of the first one that has it.
    pub fn rendered_file(
        &self,
        service: &str,
        task: &str,
        file: &str,
    ) -> Option<Result<(u16, Value), Refusal>> {
        self.processes.of_dialect("").find_map(|(_, process)| process.rendered_file(service, task, file))
    }
}
