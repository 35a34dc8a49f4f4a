//! The time axis: which instant is where across the timeline. Stretches in which nothing changes may be drawn short, and
//! a part of the whole may be all that is seen.
//!
//! *Order*: pieces from the start to the end of the run, without holes. *Must not know*: pixels, what happens when.

use super::time::{horizon, tick};
use planarium_messages::gantt::LONG_MS;
use planarium_messages::ghost::Ghost;
use std::rc::Rc;

/// Length of the whole axis in its own measure.
const WHOLE: i64 = 1_000_000_000;

/// Most that the original run is seen beyond the end of the axis of a branch. *Units*: virtual milliseconds.
const GHOST_MS: u64 = 60_000;

/// A stretch of time with its place.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    from_ms: u64,
    to_ms: u64,
    from: i64,
    to: i64,
    short: bool,
}

/// The axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pieces: Rc<[Piece]>,
    /// Start of the visible part.
    from: i64,
    length: i64,
}

/// The stretches in which nothing changes with the one that goes on, and how far the axis reaches. Both follow the head
/// in small steps, so that what is seen never jumps.
pub(crate) fn plan(
    head_ms: u64,
    least_ms: u64,
    quiet: &[(u64, u64)],
    busy_ms: u64,
) -> (Vec<(u64, u64)>, u64) {
    let mut quiet = quiet.to_vec();
    let saved: u64 = quiet.iter().map(|(from, to)| to - from - LONG_MS).sum();
    let now = head_ms.saturating_sub(busy_ms);
    if now <= LONG_MS {
        let span_ms = saved + horizon(head_ms.saturating_sub(saved));
        return (quiet, span_ms.max(least_ms));
    }
    let mut room = LONG_MS;
    while room < now {
        room += room / 20;
    }
    quiet.push((busy_ms, busy_ms + room));
    let drawn = busy_ms.saturating_sub(saved) + LONG_MS;
    let ahead = horizon(drawn).saturating_sub(drawn);
    (quiet, (busy_ms + room + ahead).max(least_ms))
}

/// How far the axis reaches for the run that a branch parted from: to its end, but no more than a minute beyond what the
/// branch itself needs, so that a short branch of a long run can be seen.
pub(crate) fn ghost_reach(ghost: Option<&Ghost>, head_ms: u64) -> u64 {
    ghost.map_or(0, |ghost| ghost.to_ms.min(horizon(head_ms) + GHOST_MS))
}

/// Where lanes end that have the original run behind them, which must not be covered: at the head, in steps that nobody sees.
pub(crate) fn lanes_end(head_ms: u64, span_ms: u64) -> u64 {
    let step = (span_ms / 400).max(1);
    head_ms / step * step
}

impl Axis {
    /// An axis of this length on which these stretches, in order, are as short as [`LONG_MS`].
    pub(crate) fn new(span_ms: u64, quiet: &[(u64, u64)]) -> Self {
        let span_ms = span_ms.max(1);
        let saved: u64 = quiet.iter().map(|(from, to)| (to - from).saturating_sub(LONG_MS)).sum();
        let all = span_ms.saturating_sub(saved).max(1);
        let (mut pieces, mut at_ms, mut drawn) = (Vec::new(), 0, 0);
        let place = |drawn: u64| scaled(WHOLE, drawn.min(all), all);
        for (from_ms, to_ms) in quiet.iter().copied().chain([(span_ms, span_ms)]) {
            let (from, to) = (drawn, drawn + (from_ms - at_ms));
            pieces.push(Piece {
                from_ms: at_ms,
                to_ms: from_ms,
                from: place(from),
                to: place(to),
                short: false,
            });
            drawn = to;
            if to_ms > from_ms {
                drawn += LONG_MS.min(to_ms - from_ms);
                let short = to_ms - from_ms >= 2 * LONG_MS;
                pieces.push(Piece { from_ms, to_ms, from: place(to), to: place(drawn), short });
            }
            at_ms = to_ms;
        }
        Self { pieces: pieces.into(), from: 0, length: WHOLE }
    }

    fn piece(&self, before: impl Fn(&Piece) -> bool) -> Option<&Piece> {
        let at = self.pieces.partition_point(before);
        self.pieces.get(at).or(self.pieces.last())
    }

    /// The part between two instants.
    pub(crate) fn part(self, from_ms: u64, to_ms: u64) -> Self {
        let (from, to) = (self.place(from_ms), self.place(to_ms));
        Self { from, length: (to - from).max(1000), ..self }
    }

    fn place(&self, ms: u64) -> i64 {
        let piece = self.piece(|piece| piece.to_ms <= ms);
        piece.map_or(0, |piece| {
            let within = ms.clamp(piece.from_ms, piece.to_ms) - piece.from_ms;
            piece.from + scaled(piece.to - piece.from, within, piece.to_ms - piece.from_ms)
        })
    }

    /// Returns the position of an instant, in hundredths of a percent of the visible part.
    pub(crate) fn seen(&self, ms: u64) -> i64 {
        (self.place(ms) - self.from).saturating_mul(10_000) / self.length
    }

    /// Returns whether an instant can be seen.
    pub(crate) fn sees(&self, ms: u64) -> bool {
        (0..=10_000).contains(&self.seen(ms))
    }

    /// Returns whether anything of a stretch can be seen.
    pub(crate) fn sees_any(&self, from_ms: u64, to_ms: u64) -> bool {
        self.seen(from_ms) < 10_000 && self.seen(to_ms) >= 0
    }

    /// The place of an instant as an SVG length; the nearer end when it cannot be seen.
    pub(crate) fn x(&self, ms: u64) -> String {
        length(self.seen(ms).clamp(0, 10_000))
    }

    /// The extent of a stretch as an SVG length, at least `least` hundredths of a percent.
    pub(crate) fn width(&self, from_ms: u64, to_ms: u64, least: i64) -> String {
        let (from, to) = (self.seen(from_ms).clamp(0, 10_000), self.seen(to_ms).clamp(0, 10_000));
        length((to - from).max(least))
    }

    /// The instant at a share of what is seen.
    pub(crate) fn instant(&self, share: f64) -> u64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "a place on an axis"
        )]
        let at = self.from + (share.clamp(0.0, 1.0) * self.length as f64) as i64;
        let piece = self.piece(|piece| piece.to <= at);
        piece.map_or(0, |piece| {
            let within = u64::try_from((at - piece.from).max(0)).unwrap_or(0);
            let all = u64::try_from(piece.to - piece.from).unwrap_or(0);
            let ms = u128::from(piece.to_ms - piece.from_ms) * u128::from(within) / u128::from(all.max(1));
            (piece.from_ms + u64::try_from(ms).unwrap_or(0)).min(piece.to_ms)
        })
    }

    /// Returns the visible time if all were drawn at the scale around an instant: for moving things by a distance.
    pub(crate) fn scale_ms(&self, ms: u64) -> u64 {
        let piece = self.piece(|piece| piece.to_ms <= ms);
        piece.map_or(1, |piece| {
            let share = u128::try_from((piece.to - piece.from).max(1)).unwrap_or(1);
            let all =
                u128::from(piece.to_ms - piece.from_ms) * u128::try_from(self.length).unwrap_or(1) / share;
            u64::try_from(all).unwrap_or(u64::MAX)
        })
    }

    /// The first and last instant seen.
    pub(crate) fn ends(&self) -> (u64, u64) {
        (self.instant(0.0), self.instant(1.0))
    }

    /// Returns whether not all of it is seen.
    pub(crate) fn is_part(&self) -> bool {
        self.length < WHOLE
    }

    /// The short stretches that can be seen.
    pub(crate) fn shortened(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let short =
            self.pieces.iter().filter(|piece| piece.short && self.sees_any(piece.from_ms, piece.to_ms));
        // Where there are very many, none is worth a mark.
        let short = short.filter(|piece| (piece.to - piece.from).saturating_mul(100) > self.length);
        short.map(|piece| (piece.from_ms, piece.to_ms))
    }

    /// Marked instants, and whether there is room for words.
    pub(crate) fn ticks(&self) -> Vec<(u64, bool)> {
        let (first, last) = self.ends();
        let seen = |piece: &Piece| (piece.from_ms.max(first), piece.to_ms.min(last));
        let busy = self.pieces.iter().filter(|piece| !piece.short).map(seen).filter(|(from, to)| from < to);
        let parts: Vec<_> = busy.collect();
        let step = tick(parts.iter().map(|(from, to)| to - from).sum());
        let (mut out, mut free) = (Vec::new(), 250);
        for (from, to) in parts {
            for at_ms in (from.div_ceil(step).max(1)..=to / step).map(|n| n * step) {
                let at = self.seen(at_ms);
                let words = at >= free && at <= 9_750;
                if words {
                    free = at + 500;
                }
                out.push((at_ms, words));
            }
        }
        out
    }
}

/// A part of a length: `of · part / all`.
fn scaled(of: i64, part: u64, all: u64) -> i64 {
    let exact = i128::from(of) * i128::from(part) / i128::from(all.max(1));
    i64::try_from(exact).unwrap_or(of)
}

fn length(hundredths: i64) -> String {
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_breaks_it_is_even() {
        let axis = Axis::new(120_000, &[]);
        for (ms, want) in [(0, "0.00%"), (30_000, "25.00%"), (120_000, "100.00%"), (999_999, "100.00%")] {
            assert_eq!(axis.x(ms), want);
        }
        assert_eq!((axis.instant(0.5), axis.instant(9.0), axis.scale_ms(7)), (60_000, 120_000, 120_000));
        assert_eq!(axis.ticks().len(), 8);
    }

    #[test]
    fn idle_stretches_are_short_and_the_rest_is_even() {
        let axis = Axis::new(200_000, &[(20_000, 130_000)]);
        assert_eq!((axis.x(20_000), axis.x(130_000)), ("20.00%".into(), "30.00%".into()));
        assert_eq!(axis.width(0, 10_000, 0), axis.width(130_000, 140_000, 0));
        assert_eq!(axis.shortened().collect::<Vec<_>>(), [(20_000, 130_000)]);
        assert!(axis.ticks().iter().all(|(at, _)| *at <= 20_000 || *at >= 130_000), "no marks in the break");
        // There and back again.
        for ms in (0..=200_000).step_by(973) {
            #[expect(clippy::cast_precision_loss, reason = "a share")]
            let share = axis.place(ms) as f64 / WHOLE as f64;
            assert!(axis.instant(share).abs_diff(ms) <= 40, "{ms} comes back as {}", axis.instant(share));
        }
    }

    #[test]
    fn the_original_run_is_seen_a_minute_beyond_its_branch() {
        let ghost = |to_ms| Ghost { from_ms: 10_000, to_ms, ..Ghost::default() };
        assert_eq!(ghost_reach(None, 30_000), 0);
        assert_eq!(ghost_reach(Some(&ghost(50_000)), 30_000), 50_000);
        let long = ghost_reach(Some(&ghost(3_600_000)), 30_000);
        assert_eq!(long, horizon(30_000) + 60_000);
        // Lanes end at the head, and are drawn anew for a step that can be seen only.
        for head_ms in (0..100_000).step_by(37) {
            let end_ms = lanes_end(head_ms, 100_000);
            assert!(end_ms <= head_ms && head_ms - end_ms < 250, "{head_ms}: {end_ms}");
        }
        assert_eq!(lanes_end(5, 1), 5);
    }

    #[test]
    fn the_playhead_never_jumps() {
        // Something happens every second for a while, then nothing for a long time, and again.
        let busy = |ms: u64| (ms < 100_000) || (400_000..450_000).contains(&ms) || ms > 1_000_000;
        let (mut quiet, mut last_busy, mut before) = (Vec::new(), 0, None);
        for ms in (0..1_200_000).step_by(250) {
            if busy(ms) && ms % 1000 == 0 {
                if ms - last_busy > LONG_MS {
                    quiet.push((last_busy, ms));
                }
                last_busy = ms;
            }
            let (breaks, span_ms) = plan(ms, 0, &quiet, last_busy);
            assert!(span_ms > ms, "{ms}");
            let at = Axis::new(span_ms, &breaks).seen(ms);
            // A step of two hundredths of the axis at most.
            assert!(
                before.is_none_or(|before: i64| at.abs_diff(before) <= 250),
                "{ms}: from {before:?} to {at}"
            );
            before = Some(at);
        }
        assert!(before.is_some_and(|at| at > 8_500), "what is ahead takes little room");
    }

    #[test]
    fn a_part_fills_what_is_seen() {
        let axis = Axis::new(100_000, &[]).part(20_000, 40_000);
        assert_eq!(
            (axis.x(20_000), axis.x(30_000), axis.x(40_000)),
            ("0.00%".into(), "50.00%".into(), "100.00%".into())
        );
        assert_eq!(
            (axis.x(5_000), axis.x(90_000)),
            ("0.00%".into(), "100.00%".into()),
            "the rest waits at the ends"
        );
        assert!(
            axis.sees(25_000) && !axis.sees(10_000) && axis.sees_any(0, 21_000) && !axis.sees_any(0, 19_000)
        );
        assert_eq!((axis.ends(), axis.scale_ms(25_000)), ((20_000, 40_000), 20_000));
        assert!(axis.is_part() && axis.ticks().iter().all(|(at, _)| (20_000..=40_000).contains(at)));
    }
}
