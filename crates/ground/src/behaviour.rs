//! Rules that change how matching processes behave.

use crate::labels::Labels;
use planarium_protocol::input::{Behaviour, ProcessBehaviour};
use std::sync::Arc;

/// The rules in the order given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    rules: Arc<Vec<ProcessBehaviour>>,
    /// Behaviour without a matching rule, shared by all processes.
    plain: Arc<Behaviour>,
}

impl Rules {
    /// Adds a rule.
    pub(crate) fn push(&mut self, rule: ProcessBehaviour) {
        Arc::make_mut(&mut self.rules).push(rule);
    }

    /// Merges all matching rules: for each key the last rule that sets it wins.
    pub(crate) fn resolve(&self, labels: &Labels) -> Arc<Behaviour> {
        let mut matching = self.rules.iter().filter(|rule| labels.matches(&rule.target)).peekable();
        if matching.peek().is_none() {
            return self.plain.clone();
        }
        let mut all = Behaviour::default();
        for rule in matching {
            let Behaviour {
                start_ms,
                ready_after_ms,
                readiness,
                health,
                exit_code,
                exit_after_ms,
                manual,
                cpu_percent,
                memory_percent,
            } = &rule.behaviour;
            all.start_ms = start_ms.or(all.start_ms);
            if ready_after_ms.is_some() {
                all.ready_after_ms = *ready_after_ms;
                all.readiness.clear();
            }
            if !readiness.is_empty() {
                all.readiness.clone_from(readiness);
            }
            if !health.is_empty() {
                all.health.clone_from(health);
            }
            all.exit_code = exit_code.or(all.exit_code);
            all.exit_after_ms = exit_after_ms.or(all.exit_after_ms);
            all.manual = manual.or(all.manual);
            all.cpu_percent = cpu_percent.or(all.cpu_percent);
            all.memory_percent = memory_percent.or(all.memory_percent);
        }
        Arc::new(all)
    }

    /// Returns the number of rules.
    pub(crate) fn len(&self) -> usize {
        self.rules.len()
    }
}
