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

/// Greatest width of a fold: a stretch in which nothing changes, drawn short. *Units*: pixels.
pub(crate) const FOLD_PX: u64 = 48;

/// What the width of folds depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Folds {
    /// Width of the axis in pixels; 0 before it is known.
    pub(crate) track_px: u64,
    /// The part of the run that is seen.
    pub(crate) seen: Option<(u64, u64)>,
    /// How long the last stretch has lasted, if it continues.
    pub(crate) idle_ms: u64,
}

impl Folds {
    /// Returns the length at which folds are drawn, so that none is wider than [`FOLD_PX`].
    fn fold_ms(&self, span_ms: u64, quiet: &[(u64, u64)]) -> u64 {
        let (first, last) = self.seen.unwrap_or((0, span_ms));
        let within = |from: u64, to: u64| to.min(last).saturating_sub(from.max(first));
        let is_seen = |(from, to): &&(u64, u64)| is_fold(*from, *to) && within(*from, *to) > 0;
        let folds = u64::try_from(quiet.iter().filter(is_seen).count()).unwrap_or(u64::MAX);
        let taken = quiet.iter().map(|(from, to)| {
            let (seen, all) = (within(*from, *to), to - from);
            let drawn = if is_fold(*from, *to) { 0 } else { seen * LONG_MS.min(all) / all.max(1) };
            seen - drawn
        });
        let busy = last.saturating_sub(first).saturating_sub(taken.sum());
        match self.track_px.checked_sub(FOLD_PX.saturating_mul(folds)).filter(|left| *left > 0) {
            Some(left) => (busy.saturating_mul(FOLD_PX) / left).clamp(1, LONG_MS),
            // So many that none is wide, or no data.
            None => LONG_MS,
        }
    }

    /// Returns the length of the last stretch while it continues: it folds gradually, so that nothing jumps.
    fn folding_ms(&self, fold_ms: u64) -> u64 {
        let folded = self.idle_ms.clamp(2 * LONG_MS, 3 * LONG_MS) - 2 * LONG_MS;
        LONG_MS - (LONG_MS - fold_ms) * folded / LONG_MS
    }
}

/// Returns whether a stretch is so long that it is marked as drawn short.
fn is_fold(from_ms: u64, to_ms: u64) -> bool {
    to_ms - from_ms >= 2 * LONG_MS
}

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

/// Returns the idle stretches including the present one, and the end of the axis. Both follow the head in small steps,
/// so that the visible part never jumps.
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

/// Returns the end of the axis for the original run of a branch: its end, but at most a minute beyond the branch's own
/// needs, so that a short branch of a long run stays visible.
pub(crate) fn ghost_reach(ghost: Option<&Ghost>, head_ms: u64) -> u64 {
    ghost.map_or(0, |ghost| ghost.to_ms.min(horizon(head_ms) + GHOST_MS))
}

/// Returns where lanes end that have the original run behind them, which must not be covered: at the head, in invisible
/// steps.
pub(crate) fn lanes_end(head_ms: u64, span_ms: u64) -> u64 {
    let step = (span_ms / 400).max(1);
    head_ms / step * step
}

impl Axis {
    /// An axis of this length on which these stretches, in order, are drawn short.
    pub(crate) fn new(span_ms: u64, quiet: &[(u64, u64)], folds: Folds) -> Self {
        let span_ms = span_ms.max(1);
        let fold_ms = folds.fold_ms(span_ms, quiet);
        let goes_on = quiet.last().copied().filter(|_| folds.idle_ms > 0);
        let short_ms = |from_ms: u64, to_ms: u64| match () {
            () if !is_fold(from_ms, to_ms) => LONG_MS.min(to_ms - from_ms),
            () if goes_on == Some((from_ms, to_ms)) => folds.folding_ms(fold_ms),
            () => fold_ms,
        };
        let saved: u64 = quiet.iter().map(|(from, to)| to - from - short_ms(*from, *to)).sum();
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
                drawn += short_ms(from_ms, to_ms);
                let short = is_fold(from_ms, to_ms);
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

    /// Returns the instant at a share of the visible part.
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

    /// Returns whether only a part is visible.
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

    const UNKNOWN: Folds = Folds { track_px: 0, seen: None, idle_ms: 0 };

    /// An axis before its width is known.
    fn even(span_ms: u64, quiet: &[(u64, u64)]) -> Axis {
        Axis::new(span_ms, quiet, UNKNOWN)
    }

    /// The width of a stretch on a track of a width.
    fn px(axis: &Axis, stretch: (u64, u64), track_px: i64) -> i64 {
        (axis.seen(stretch.1) - axis.seen(stretch.0)) * track_px / 10_000
    }

    #[test]
    fn folds_are_at_most_48_pixels_wide() {
        let quiet = [(20_000, 130_000), (140_000, 152_000), (160_000, 700_000)];
        for track_px in [200_u64, 390, 800, 1400] {
            let track = i64::try_from(track_px).unwrap();
            for seen in [None, Some((0, 150_000)), Some((10_000, 720_000)), Some((650_000, 760_000))] {
                let axis = Axis::new(760_000, &quiet, Folds { track_px, seen, ..UNKNOWN });
                let axis = match seen {
                    Some((from_ms, to_ms)) => axis.part(from_ms, to_ms),
                    None => axis,
                };
                let (first, last) = axis.ends();
                for (from_ms, to_ms) in [quiet[0], quiet[2]] {
                    let wide = px(&axis, (from_ms.clamp(first, last), to_ms.clamp(first, last)), track);
                    assert!(wide <= 49, "{wide} of {track_px} px, {seen:?}: {from_ms}");
                }
                let busy = px(&axis, (700_000, 750_000), track);
                assert!(seen.is_some() || busy > 30, "what changes keeps room: {busy} of {track_px}");
            }
        }
        // A stretch that is not marked is drawn as long as ever; before the width is known, so are the others.
        let axis = Axis::new(760_000, &quiet, Folds { track_px: 1400, ..UNKNOWN });
        assert_eq!(axis.shortened().collect::<Vec<_>>(), [quiet[0], quiet[2]]);
        assert_eq!(px(&axis, quiet[1], 1_000_000), px(&axis, (0, 10_000), 1_000_000));
        assert_eq!(
            even(200_000, &quiet[..1]).width(20_000, 130_000, 0),
            even(200_000, &quiet[..1]).width(0, 10_000, 0)
        );
    }

    #[test]
    fn without_breaks_it_is_even() {
        let axis = even(120_000, &[]);
        for (ms, want) in [(0, "0.00%"), (30_000, "25.00%"), (120_000, "100.00%"), (999_999, "100.00%")] {
            assert_eq!(axis.x(ms), want);
        }
        assert_eq!((axis.instant(0.5), axis.instant(9.0), axis.scale_ms(7)), (60_000, 120_000, 120_000));
        assert_eq!(axis.ticks().len(), 8);
    }

    #[test]
    fn idle_stretches_are_short_and_the_rest_is_even() {
        let axis = even(200_000, &[(20_000, 130_000)]);
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
    fn the_original_run_is_visible_a_minute_beyond_its_branch() {
        let ghost = |to_ms| Ghost { from_ms: 10_000, to_ms, ..Ghost::default() };
        assert_eq!(ghost_reach(None, 30_000), 0);
        assert_eq!(ghost_reach(Some(&ghost(50_000)), 30_000), 50_000);
        let long = ghost_reach(Some(&ghost(3_600_000)), 30_000);
        assert_eq!(long, horizon(30_000) + 60_000);
        // Lanes end at the head, and are redrawn for visible steps only.
        for head_ms in (0..100_000).step_by(37) {
            let end_ms = lanes_end(head_ms, 100_000);
            assert!(end_ms <= head_ms && head_ms - end_ms < 250, "{head_ms}: {end_ms}");
        }
        assert_eq!(lanes_end(5, 1), 5);
    }

    #[test]
    fn the_playhead_never_jumps() {
        // Something happens every second at first, then nothing for a long time, and again.
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
            let idle_ms = if ms - last_busy > LONG_MS { ms - last_busy } else { 0 };
            let folds = Folds { track_px: 1000, seen: None, idle_ms };
            let at = [even(span_ms, &breaks), Axis::new(span_ms, &breaks, folds)].map(|axis| axis.seen(ms));
            // A step of two hundredths of the axis at most.
            let steps =
                |before: [i64; 2]| at.iter().zip(before).all(|(at, before)| at.abs_diff(before) <= 250);
            assert!(before.is_none_or(steps), "{ms}: from {before:?} to {at:?}");
            before = Some(at);
        }
        assert!(before.is_some_and(|at| at.iter().all(|at| *at > 8_500)), "what is ahead takes little room");
    }

    #[test]
    fn a_part_fills_the_visible_width() {
        let axis = even(100_000, &[]).part(20_000, 40_000);
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
