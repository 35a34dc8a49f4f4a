//! Applies inputs.
//!
//! Knows: the position of the cursor, and that an input in the past opens a branch. Must not know: what an input
//! does.

use super::Engine;
use crate::input::Written;
use crate::world::World;
use planarium_kernel::journal::Entry;
use planarium_protocol::view::Applied;
use planarium_protocol::{Input, Refusal};

impl Engine {
    /// Applies an input at the cursor. In the past, opens a branch first; nothing is lost.
    pub fn apply(&mut self, input: Input) -> Applied {
        self.put_in(Written::of(input))
    }

    /// Applies an input whose text is already written.
    pub fn put_in(&mut self, input: Written) -> Applied {
        if !self.at_head() {
            self.fork();
        }
        let at_ms = self.world.now_ms();
        let mid_instant = self.world.mid_instant();
        let after_event = mid_instant.map(|_| self.world.seq());
        let applied = self.world.run_input(&input);
        self.branch.record(Entry {
            seq: applied.input,
            at_ms,
            after_event,
            after_quiet: mid_instant.unwrap_or(0),
            input,
            digest: Some(self.world.digest()),
        });
        self.extend();
        applied
    }

    /// Returns the world after an input at the cursor, without changing this one.
    ///
    /// *Errors*: why the input would be refused.
    pub fn outcome_of(&self, input: &Input) -> Result<World, Refusal> {
        let mut world = self.world.clone();
        world.run_input(&Written::of(input.clone())).outcome.map(|_| world)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genesis::Genesis;
    use planarium_protocol::input::ClearFault;

    #[test]
    fn the_text_of_an_input_is_written_once_and_reused_by_replays() {
        let input = || Input::ClearFault(ClearFault { id: "none".to_owned() });
        let run = |input: Written| {
            let mut engine = Engine::new(Genesis::default());
            engine.put_in(input);
            let digest = engine.digest();
            engine.advance_for(1_000);
            engine.seek_seq(0);
            engine.seek_seq(1);
            assert_eq!(engine.digest(), digest, "a replay");
            digest
        };
        assert_eq!(run(Written::of(input())), run(Written::of(input())));
        // The run and its replay use the given text: with another text the digest differs.
        assert_ne!(run(Written::of(input())), run(Written::forged(input(), b"another text")));
    }
}
