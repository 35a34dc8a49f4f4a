//! Which of two causes is the later one.

use planarium_kernel::Cause;

/// A key that grows with time: the later cause has the larger one.
pub(crate) fn recency(cause: &Cause) -> (u8, u64) {
    match cause {
        Cause::Genesis => (0, 0),
        Cause::Input(seq) => (1, *seq),
        Cause::Event(seq) => (2, *seq),
    }
}
