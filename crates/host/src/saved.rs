//! The run before the last input, stored for a page whose engine fails.
//!
//! *Knows*: which inputs are stored already. *Must not know*: where they are stored.
//!
//! *Cost*: each input is packed once, when the next one is applied, in runs of any length.

use planarium_kernel::journal::Entry;
use planarium_messages::facts::Keep;
use planarium_protocol::json;
use planarium_scenario::share;
use planarium_world::{Engine, Written};
use std::sync::Arc;

/// Saved state of a run.
#[derive(Default)]
pub(crate) struct Saved {
    /// The stored inputs, by position.
    inputs: Vec<Arc<Entry<Written>>>,
    /// Nothing is kept.
    off: bool,
}

impl Saved {
    /// Keeps nothing.
    pub(crate) fn off() -> Self {
        Self { off: true, ..Self::default() }
    }

    /// Keeps the run as it is, and the words of what is about to be done.
    pub(crate) fn keep(&mut self, engine: &Engine, pending: &str, keeper: &mut dyn FnMut(Keep)) {
        if self.off {
            return;
        }
        for (place, packed) in self.missing(engine.entries()) {
            keeper(Keep::Input(place, packed));
        }
        let rest = (self.inputs.len(), engine.journal_without_inputs());
        keeper(Keep::Rest { rest: json::of(&rest).to_string(), pending: pending.to_owned() });
    }

    /// Packs the inputs that are not stored at their position yet.
    fn missing(&mut self, entries: &[Arc<Entry<Written>>]) -> Vec<(usize, String)> {
        let kept =
            self.inputs.iter().zip(entries).take_while(|(kept, entry)| Arc::ptr_eq(kept, entry)).count();
        self.inputs.truncate(kept);
        let new: Vec<_> = entries.iter().enumerate().skip(kept).collect();
        self.inputs.extend(new.iter().map(|(_, entry)| Arc::clone(entry)));
        new.into_iter().map(|(place, entry)| (place, share::pack(entry))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::Input;
    use planarium_protocol::input::ClearFault;
    use planarium_world::Genesis;

    #[test]
    fn each_input_is_packed_once_and_a_branch_packs_only_its_own() {
        let (mut engine, mut saved, mut packed) = (Engine::new(Genesis::default()), Saved::default(), 0);
        let mut put_in = |engine: &mut Engine, saved: &mut Saved| {
            packed += saved.missing(engine.entries()).len();
            engine.apply(Input::ClearFault(ClearFault { id: "none".to_owned() }));
            engine.advance_for(1_000);
            packed
        };
        for nth in 0..20 {
            assert_eq!(put_in(&mut engine, &mut saved), nth);
        }
        engine.seek_ms(10_500);
        assert_eq!(put_in(&mut engine, &mut saved), 20, "the last one of the first branch");
        assert_eq!(put_in(&mut engine, &mut saved), 21);
        assert_eq!(saved.inputs.len(), engine.entries().len() - 1);
    }
}
