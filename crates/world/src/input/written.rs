//! An input with its JSON text, which is written once.
//!
//! *Invariant*: the text is that of the input; the digest covers it and journals consist of it.

use planarium_protocol::Input;
use std::ops::Deref;

/// An input as it is applied, kept and replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    input: Input,
    text: Box<[u8]>,
}

impl Written {
    /// Writes the text of an input.
    pub fn of(input: Input) -> Self {
        let text = planarium_protocol::json::text(&input).into_boxed_slice();
        Self { input, text }
    }

    /// The input.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Its JSON text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }
}

impl Deref for Written {
    type Target = Input;

    fn deref(&self) -> &Input {
        &self.input
    }
}

#[cfg(test)]
impl Written {
    /// For tests: an input with another input's text.
    pub(crate) fn forged(input: Input, text: &[u8]) -> Self {
        Self { input, text: text.into() }
    }
}
