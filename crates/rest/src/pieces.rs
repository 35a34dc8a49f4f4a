//! Advances a world in pieces, so that its driver can check a clock in between.
//!
//! *Knows*: the size of a piece. *Must not know*: any clock.

use crate::Session;
use planarium_world::limits::STEPS_PER_ADVANCE;

/// Steps of one piece.
const PIECE: u64 = 64;

/// Repeats an advance until it is not cut off any more, `is_over` returns true, or the step limit of one advance is
/// reached. `piece` advances the session and returns whether it was cut off. Returns whether the time was used up.
pub(crate) fn run(
    session: &mut Session,
    is_over: &dyn Fn() -> bool,
    mut piece: impl FnMut(&mut Session) -> bool,
) -> bool {
    session.engine.set_steps_per_advance(PIECE);
    let mut left = STEPS_PER_ADVANCE / PIECE;
    let mut cut_off = piece(session);
    let mut late = false;
    while cut_off && left > 0 {
        late = is_over();
        if late {
            break;
        }
        left -= 1;
        cut_off = piece(session);
    }
    session.engine.set_steps_per_advance(STEPS_PER_ADVANCE);
    late
}
