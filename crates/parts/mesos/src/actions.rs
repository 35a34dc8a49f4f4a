//! Builds the actions of a view.

use planarium_protocol::{
    Input,
    input::{Fault, FaultKind, Target},
    view::ActionView,
};

/// A fault of this kind without any details.
pub(crate) fn fault(kind: FaultKind, target: Target) -> Fault {
    Fault {
        fault: kind,
        id: None,
        target,
        for_ms: None,
        count: None,
        probability: None,
        exit_code: None,
        message: None,
        delay_ms: None,
    }
}

/// An action with its input, and why it is not allowed now.
pub(crate) fn action(title: &str, input: Input, refused: Option<&str>) -> ActionView {
    ActionView::new(title, input).unless(refused)
}
