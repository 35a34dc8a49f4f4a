//! The field `placement`.

use super::{Cx, Word};
use crate::codes;
use crate::placement::{ParseErrorKind, Placement, Rule, parse};
use std::sync::Arc;

/// Reads a pod's placement; a text that cannot be understood becomes a rule that never holds.
pub(super) fn placement(cx: &mut Cx<'_>, pod: &str, word: Option<Word<'_>>) -> Option<Arc<Placement>> {
    let word = word?;
    let rule = match parse(pod, word.text) {
        Ok(rule) => rule?,
        Err(error) => {
            let code = match error.kind {
                ParseErrorKind::Arity => codes::PLACEMENT_ARITY,
                ParseErrorKind::Operator => codes::PLACEMENT_OPERATOR,
                ParseErrorKind::Parameter => codes::PLACEMENT_PARAMETER,
                ParseErrorKind::Regex => codes::PLACEMENT_REGEX,
            };
            cx.error(code, word.node.span, &error.message, &error.help);
            Rule::Invalid { text: word.text.into(), why: error.message.as_str().into() }
        }
    };
    Some(Arc::new(Placement { text: word.text.into(), rule }))
}
