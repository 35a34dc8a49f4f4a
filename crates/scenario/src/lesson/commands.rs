//! Words for a learner's commands: `plan continue`, `pod replace`, `fault agent-lost`, `call PUT /v2/apps/web`.
//!
//! Knows: which word an input has. Must not know: what an input does.

use planarium_protocol::Input;

/// The word of an input.
pub fn word(input: &Input) -> String {
    let kind = input.kind();
    match input {
        Input::Plan(command) => format!("{kind} {}", command.op.as_str()),
        Input::Pod(command) => format!("{kind} {}", op(&command.op)),
        Input::Maintenance(command) => format!("{kind} {}", command.op),
        Input::Fault(fault) => format!("{kind} {}", fault.fault.as_str()),
        Input::Framework(command) => format!("{kind} {}", command.op),
        Input::Call(call) => format!("{kind} {} {}", call.method, call.path),
        _ => kind.to_owned(),
    }
}

/// Returns whether an allowed word covers an input: it equals the input's word, or its beginning up to a space, a slash or a question
/// mark.
pub fn covers(allowed: &str, input: &Input) -> bool {
    let word = word(input);
    word.strip_prefix(allowed).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '/', '?']))
}

fn op<T: serde::Serialize>(op: &T) -> String {
    serde_json::to_value(op).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}
