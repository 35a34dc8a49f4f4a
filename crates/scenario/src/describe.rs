//! Inputs in words, a line each.

use planarium_protocol::Input;
use std::fmt::Write as _;

/// One line for an input.
pub fn input(input: &Input) -> String {
    match input {
        Input::LoadService(load) | Input::UpdateService(load) => {
            let name = if load.name.is_empty() {
                load.files.keys().next().map_or("", String::as_str)
            } else {
                load.name.as_str()
            };
            format!("{} {name}", input.kind())
        }
        Input::Plan(command) => {
            let mut text = format!("plan {} {}/{}", command.op.as_str(), command.service, command.plan);
            for part in [&command.phase, &command.step].into_iter().flatten() {
                let _ = write!(text, "/{part}");
            }
            for (key, value) in &command.params {
                let _ = write!(text, " {key}={value}");
            }
            text
        }
        other => {
            let mut value = serde_json::to_value(other).unwrap_or_default();
            let kind = value.as_object_mut().and_then(|map| map.remove("kind"));
            debug_assert!(kind.is_some(), "every input has a kind");
            format!("{} {value}", other.kind())
        }
    }
}
