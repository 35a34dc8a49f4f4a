//! Effects of inputs.
//!
//! Knows: which part handles each kind of input. Must not know: any system's rules.

mod bounds;
pub(crate) mod describe;
mod services;
mod written;

pub(crate) use bounds::check;
pub(crate) use describe::describe;
pub use written::Written;

use crate::systems::{DIALECTS, code, unknown};
use crate::world::World;
use planarium_part::{Number, Request};
use planarium_protocol::input::HttpCall;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Input, Refusal};
use serde_json::Value;

impl World {
    /// Carries out an input, or refuses it.
    pub(crate) fn perform(&mut self, input: &Input, diagnostics: &mut Vec<Value>) -> Result<Value, Refusal> {
        let cx = &mut self.recorder;
        match input {
            Input::AddAgent(add) => self.parts.add_machines(cx, add),
            Input::RemoveAgent(remove) => self.parts.remove_machines(cx, &remove.agent),
            Input::LoadService(load) => self.load_service(load, diagnostics),
            Input::UpdateService(load) => self.update_service(load, diagnostics),
            Input::RemoveService(remove) => self.remove_service(remove),
            Input::Plan(command) => {
                let (number, _) = self.daemons.named(&command.dialect, &command.service)?;
                let done = self.at_daemon(number, |daemon, cx, lend| daemon.plan_command(cx, lend, command));
                done.unwrap_or(Ok(Value::Null))
            }
            Input::Pod(command) => {
                let (number, _) = self.daemons.named(&command.dialect, &command.service)?;
                let done = self.at_daemon(number, |daemon, cx, lend| daemon.pod_command(cx, lend, command));
                done.unwrap_or(Ok(Value::Null))
            }
            Input::Fault(fault) => self.parts.inject(cx, fault),
            Input::ClearFault(clear) => self.parts.clear_fault(cx, &clear.id),
            Input::ProcessBehaviour(rule) => Ok(self.parts.set_behaviour(cx, rule)),
            Input::TaskStatus(status) => match self.parts.perform(cx, input) {
                Some(outcome) => outcome,
                None => self.parts.task_status(cx, status),
            },
            Input::Call(call) => {
                let segments = segments(call);
                let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
                self.begin_systems_at(&parts);
                match self.parts.perform(&mut self.recorder, input) {
                    Some(outcome) => outcome,
                    None => self.system_call(call, &parts),
                }
            }
            Input::Maintenance(_) | Input::Framework(_) | Input::OfferRound(_) => self.of_a_layer(input),
        }
    }

    /// Has a layer carry an input out.
    fn of_a_layer(&mut self, input: &Input) -> Result<Value, Refusal> {
        let done = self.parts.perform(&mut self.recorder, input);
        done.unwrap_or_else(|| Err(crate::systems::not_begun()))
    }

    /// Carries out a call of a system's API, by the first daemon that accepts it.
    fn system_call(&mut self, call: &HttpCall, parts: &[&str]) -> Result<Value, Refusal> {
        let owners = || DIALECTS.iter().filter(|dialect| (dialect.owns)(parts));
        let Some(first) = owners().next() else {
            let path = call.path.split_once('?').map_or(&*call.path, |(path, _)| path);
            let text = format!("{path} is a path of no API that is simulated here");
            return Err(Refusal::new(RefusalCode::Unsupported, text));
        };
        let mut numbers: Vec<Number> = Vec::new();
        for dialect in owners() {
            numbers.extend(self.daemons.of_dialect(dialect.word).map(|(number, _)| number));
        }
        for number in numbers {
            let done = self.at_daemon(number, |daemon, cx, lend| daemon.call(cx, lend, call, parts));
            if let Some(outcome) = done.flatten() {
                return outcome;
            }
        }
        // The real program already runs before a service is loaded into it.
        for dialect in owners() {
            let there = self.daemons.of_dialect(dialect.word).next().is_some();
            let Some(number) = (!there).then(|| self.begin_empty(dialect.word)).flatten() else { continue };
            let done = self.at_daemon(number, |daemon, cx, lend| daemon.call(cx, lend, call, parts));
            if let Some(outcome) = done.flatten() {
                return outcome;
            }
        }
        let code = code(first.word).ok_or_else(|| unknown(first.word))?;
        let answer = code.nobody(&Request::new(&call.method, &call.path, ""), parts);
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        Err(Refusal { status: answer.status, ..Refusal::new(RefusalCode::NotFound, text) })
    }
}

/// Returns the decoded segments of a call's path.
pub(crate) fn segments(call: &HttpCall) -> Vec<String> {
    let path = call.path.split_once('?').map_or(&*call.path, |(path, _)| path);
    Request::new(&call.method, path, "").segments()
}
