//! The visible part of a run, as it is moved and resized. Pure.
//!
//! *Order*: a part's first instant is at least [`LEAST_MS`] before its last one.

/// Shortest part. *Units*: virtual milliseconds.
pub(crate) const LEAST_MS: u64 = 1000;

/// The place at which a part is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grip {
    /// The whole run.
    Whole,
    /// Its first instant.
    Start,
    /// Its last instant.
    End,
}

impl Grip {
    /// Returns the grip at an instant, and the part: a part elsewhere moves to the instant.
    pub(crate) fn at(at_ms: u64, part: (u64, u64), edge_ms: u64, span_ms: u64) -> (Self, (u64, u64)) {
        let (from_ms, to_ms) = part;
        match () {
            () if at_ms.abs_diff(from_ms) <= edge_ms => (Self::Start, part),
            () if at_ms.abs_diff(to_ms) <= edge_ms => (Self::End, part),
            () if (from_ms..=to_ms).contains(&at_ms) => (Self::Whole, part),
            () => (Self::Whole, placed(at_ms.saturating_sub((to_ms - from_ms) / 2), part, span_ms)),
        }
    }
}

/// A part of the same length that begins at an instant, within the run.
fn placed(from_ms: u64, part: (u64, u64), span_ms: u64) -> (u64, u64) {
    let length = part.1.saturating_sub(part.0);
    let from_ms = from_ms.min(span_ms.saturating_sub(length));
    (from_ms, from_ms + length)
}

/// Moves the dragged grip of a part from one instant to another.
pub(crate) fn brushed(part: (u64, u64), grip: Grip, way: (u64, u64), span_ms: u64) -> (u64, u64) {
    let (from_ms, to_ms) = way;
    let moved =
        |ms: u64| if to_ms >= from_ms { ms + (to_ms - from_ms) } else { ms.saturating_sub(from_ms - to_ms) };
    match grip {
        Grip::Whole => placed(moved(part.0), part, span_ms),
        Grip::Start => (moved(part.0).min(part.1.saturating_sub(LEAST_MS)), part.1),
        Grip::End => (part.0, moved(part.1).min(span_ms).max(part.0 + LEAST_MS)),
    }
}

/// The part after a key: arrows move it, with Shift they resize it; none for a key that means nothing.
pub(crate) fn by_key(part: (u64, u64), key: &str, shift: bool, span_ms: u64) -> Option<(u64, u64)> {
    let by = ((part.1 - part.0) / 8).max(1);
    let grip = if shift { Grip::End } else { Grip::Whole };
    Some(match key {
        "ArrowRight" | "ArrowUp" => brushed(part, grip, (0, by), span_ms),
        "ArrowLeft" | "ArrowDown" => brushed(part, grip, (by, 0), span_ms),
        "Home" => placed(0, part, span_ms),
        "End" => placed(span_ms, part, span_ms),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: (u64, u64) = (20_000, 40_000);
    const SPAN_MS: u64 = 100_000;

    #[test]
    fn a_part_is_moved_and_resized_within_the_run() {
        for (grip, from, to, want) in [
            (Grip::Whole, 30_000, 35_000, (25_000, 45_000)),
            (Grip::Whole, 30_000, 0, (0, 20_000)),
            (Grip::Whole, 30_000, 100_000, (80_000, 100_000)),
            (Grip::Start, 20_000, 10_000, (10_000, 40_000)),
            (Grip::Start, 20_000, 90_000, (39_000, 40_000)),
            (Grip::End, 40_000, 60_000, (20_000, 60_000)),
            (Grip::End, 40_000, 0, (20_000, 21_000)),
            (Grip::End, 40_000, 900_000, (20_000, 100_000)),
        ] {
            assert_eq!(brushed(PART, grip, (from, to), SPAN_MS), want, "{grip:?} from {from} to {to}");
        }
    }

    #[test]
    fn the_grip_depends_on_where_it_is_taken() {
        for (at, want) in [
            (20_500, (Grip::Start, PART)),
            (39_500, (Grip::End, PART)),
            (30_000, (Grip::Whole, PART)),
            (70_000, (Grip::Whole, (60_000, 80_000))),
            (99_999, (Grip::Whole, (80_000, 100_000))),
        ] {
            assert_eq!(Grip::at(at, PART, 1000, SPAN_MS), want, "{at}");
        }
    }

    #[test]
    fn arrows_move_and_with_shift_resize() {
        for (key, shift, want) in [
            ("ArrowRight", false, Some((22_500, 42_500))),
            ("ArrowLeft", false, Some((17_500, 37_500))),
            ("ArrowRight", true, Some((20_000, 42_500))),
            ("ArrowLeft", true, Some((20_000, 37_500))),
            ("Home", false, Some((0, 20_000))),
            ("End", false, Some((80_000, 100_000))),
            ("Enter", false, None),
        ] {
            assert_eq!(by_key(PART, key, shift, SPAN_MS), want, "{key} {shift}");
        }
        assert_eq!(
            by_key((20_000, 21_000), "ArrowLeft", true, SPAN_MS),
            Some((20_000, 21_000)),
            "a second is the least"
        );
    }
}
