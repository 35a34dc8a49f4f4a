//! What each input does.
//!
//! Knows: which part each kind of input is for. Must not know: any system's rules.

mod bounds;
pub(crate) mod describe;
mod maintenance;
mod services;
mod written;

pub(crate) use bounds::check;
pub(crate) use describe::describe;
pub use written::Written;

use crate::systems::DIALECTS;
use crate::world::World;
use planarium_mesos::operator::percent_decoded;
use planarium_part::{Number, Request};
use planarium_protocol::input::HttpCall;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Input, Refusal};
use serde_json::Value;

impl World {
    /// Does what an input asks for, or refuses.
    pub(crate) fn perform(&mut self, input: &Input, diagnostics: &mut Vec<Value>) -> Result<Value, Refusal> {
        let cx = &mut self.recorder;
        match input {
            Input::AddAgent(add) => self.cluster.add_agent(cx, add),
            Input::RemoveAgent(remove) => self.cluster.remove_agent(cx, &remove.agent),
            Input::LoadService(load) => self.load_service(load, diagnostics),
            Input::UpdateService(load) => self.update_service(load, diagnostics),
            Input::RemoveService(remove) => self.remove_service(remove),
            Input::Plan(command) => {
                let (number, _) = self.processes.named(&command.dialect, &command.service)?;
                let done = self
                    .at_process(number, |process, cx, cluster| process.plan_command(cx, cluster, command));
                done.unwrap_or(Ok(Value::Null))
            }
            Input::Pod(command) => {
                let (number, _) = self.processes.named(&command.dialect, &command.service)?;
                let done =
                    self.at_process(number, |process, cx, cluster| process.pod_command(cx, cluster, command));
                done.unwrap_or(Ok(Value::Null))
            }
            Input::Fault(fault) => self.cluster.inject(cx, fault),
            Input::ClearFault(clear) => self.cluster.clear_fault(cx, &clear.id),
            Input::ProcessBehaviour(rule) => Ok(self.cluster.set_behaviour(cx, rule)),
            Input::TaskStatus(status) => self.cluster.task_status(cx, status),
            Input::OfferRound(round) => self.offer_round(round),
            Input::Call(call) => match self.master_call(call) {
                Some(outcome) => outcome,
                None => self.system_call(call),
            },
            Input::Maintenance(maintenance) => self.maintenance(maintenance),
            Input::Framework(framework) => self.framework_input(framework),
        }
    }

    /// Carries a call of a system's API out: the first process that takes it does.
    fn system_call(&mut self, call: &HttpCall) -> Result<Value, Refusal> {
        let path = call.path.split_once('?').map_or(&*call.path, |(path, _)| path);
        let parts = path.split('/').filter(|part| !part.is_empty());
        let parts: Vec<String> = parts.map(|part| percent_decoded(part, false)).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let owners = || DIALECTS.iter().filter(|dialect| (dialect.owns)(&parts));
        let Some(first) = owners().next() else {
            let text = format!("{path} is a path of no API that is simulated here");
            return Err(Refusal::new(RefusalCode::Unsupported, text));
        };
        let mut numbers: Vec<Number> = Vec::new();
        for dialect in owners() {
            numbers.extend(self.processes.of_dialect(dialect.word).map(|(number, _)| number));
        }
        for number in numbers {
            let done =
                self.at_process(number, |process, cx, cluster| process.call(cx, cluster, call, &parts));
            if let Some(outcome) = done.flatten() {
                return outcome;
            }
        }
        // The real program is there before anything is loaded into it.
        for dialect in owners() {
            let there = self.processes.of_dialect(dialect.word).next().is_some();
            let Some(number) = (!there).then(|| self.begin_empty(dialect.word)).flatten() else { continue };
            let done =
                self.at_process(number, |process, cx, cluster| process.call(cx, cluster, call, &parts));
            if let Some(outcome) = done.flatten() {
                return outcome;
            }
        }
        let answer = (first.nobody)(&Request::new(&call.method, &call.path, ""), &parts);
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        Err(Refusal { status: answer.status, ..Refusal::new(RefusalCode::NotFound, text) })
    }
}
