//! What each input does.
//!
//! Knows: which part each kind of input is for. Must not know: any system's rules.

mod bounds;
mod describe;
mod maintenance;
mod services;

pub(crate) use bounds::check;
pub(crate) use describe::describe;

use crate::world::World;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Input, Refusal};
use serde_json::Value;

impl World {
    /// Carries an input out as part of another one (a `call`), without a journal entry and bounds of its
    /// own. Its messages are passed on when the outer input is done.
    pub fn carry_out(&mut self, input: &Input) -> Result<Value, Refusal> {
        if matches!(input, Input::Call(_)) {
            return Err(Refusal::new(RefusalCode::BadRequest, "a call cannot hold another call"));
        }
        check(input)?;
        self.perform(input, &mut Vec::new())
    }

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
                let id = self.services.named(&command.service)?;
                let (answer, calls) = self.services.plan_command(cx, id, command)?;
                self.send(id, calls);
                Ok(answer)
            }
            Input::Pod(command) => {
                let id = self.services.named(&command.service)?;
                let (answer, calls) = self.services.pod_command(cx, id, command)?;
                self.send(id, calls);
                Ok(answer)
            }
            Input::Fault(fault) => self.cluster.inject(cx, fault),
            Input::ClearFault(clear) => self.cluster.clear_fault(cx, &clear.id),
            Input::ProcessBehaviour(rule) => Ok(self.cluster.set_behaviour(cx, rule)),
            Input::TaskStatus(status) => self.cluster.task_status(cx, status),
            Input::OfferRound(round) => self.offer_round(round),
            Input::Call(call) => match (self.master_call(call).or_else(|| self.sdk_call(call)), self.calls) {
                (Some(outcome), _) => outcome,
                (None, Some(handler)) => handler(self, call),
                (None, None) => Err(not_yet("calls of the simulated APIs are not connected here")),
            },
            Input::Maintenance(maintenance) => self.maintenance(maintenance),
            Input::Framework(framework) => self.framework_input(framework),
        }
    }
}

fn not_yet(message: &str) -> Refusal {
    Refusal::new(RefusalCode::Unsupported, message)
}
