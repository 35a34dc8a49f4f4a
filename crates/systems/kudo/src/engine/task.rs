//! Running a task once.
//!
//! *Knows*: the kinds of tasks. *Must not know*: which tasks a pass runs.
//!
//! **Source**: `kudobuilder/kudo: pkg/engine/task/task.go`. Match.

use planarium_protocol::Text;
use planarium_source::template::gotemplate::{go_quote, parse_go_bool};

use super::{At, Failure, Outcome, Work};
use crate::package::model::{Task, TaskKind};
use crate::version::Version;

impl Work<'_, '_> {
    /// Runs a task once.
    pub(super) fn run(&mut self, at: &At<'_>) -> Outcome {
        let outcome = self.carry_out(at);
        let applies = match at.task.is() {
            Some(TaskKind::Apply | TaskKind::Dummy) => true,
            Some(TaskKind::Toggle) => toggle(at.task, self.params, self.version) == Ok(true),
            _ => false,
        };
        self.memory.plain &= applies && outcome.is_ok();
        outcome
    }

    fn carry_out(&mut self, at: &At<'_>) -> Outcome {
        match at.task.is() {
            Some(TaskKind::Apply) => self.apply(at),
            Some(TaskKind::Delete) => self.delete(at),
            Some(TaskKind::Toggle) => match toggle(at.task, self.params, self.version) {
                Ok(true) => self.apply(at),
                Ok(false) => self.delete(at),
                Err(problem) => Err(self.meta.fatal(at, &problem, "ToggleTaskError")),
            },
            Some(TaskKind::Dummy) if at.task.want_err && at.task.fatal => {
                Err(self.meta.fatal(at, "dummy error", "DummyTaskError"))
            }
            Some(TaskKind::Dummy) if at.task.want_err => Err(Failure::Transient("dummy error".to_owned())),
            Some(TaskKind::Dummy) => Ok(at.task.done),
            Some(TaskKind::Pipe) => self.pipe(at),
            Some(TaskKind::KudoOperator) => self.child(at),
            None => Ok(false),
        }
    }
}

/// Reads the parameter of a Toggle: true to apply, false to delete.
///
/// **Source**: `kudobuilder/kudo: pkg/engine/task/task_toggle.go`. Match.
fn toggle(task: &Task, params: &[(Text, Option<Text>)], version: &Version) -> Result<bool, String> {
    let name = task.parameter.value.as_str();
    let Some((_, value)) = params.iter().find(|(known, _)| &**known == name) else {
        return Err(format!("no value for parameter {name} found"));
    };
    let kind = version.parameter(name).map_or("", |parameter| parameter.kind.as_str());
    if matches!(kind, "map" | "array") {
        return Err(format!("value of parameter {name} isn't a string"));
    }
    let text = value.as_deref().unwrap_or_default();
    parse_go_bool(text).ok_or_else(|| {
        let shown = go_quote(text);
        format!(
            "could not parse value of parameter {name}: strconv.ParseBool: parsing {shown}: invalid syntax"
        )
    })
}
