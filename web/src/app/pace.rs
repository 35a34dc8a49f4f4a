//! Pace of play: how much wall time each frame plays, and which frames are drawn.
//!
//! *Knows*: the duration of frames. *Must not know*: what is played or shown.
//!
//! Two things may be too slow for a frame. A world that cannot be simulated at the chosen speed plays slower. A page that
//! cannot be drawn within a frame is drawn in some frames only, so that the others are on time: scrolling, typing and the
//! pointer stay smooth.

/// Longest simulation in a frame, so that the rest suffices for drawing.
/// *Units*: milliseconds.
const FRAME_MS: f64 = 8.0;
/// The least that a frame plays, however long that takes. *Units*: milliseconds.
const LEAST_MS: f64 = 4.0;
/// The most. *Units*: milliseconds.
const MOST_MS: f64 = 250.0;
/// Maximum time carried over to the next frames. *Units*: milliseconds.
const OWED_MS: f64 = 100.0;
/// Target of the average frame. *Units*: milliseconds.
const MEAN_MS: f64 = 19.0;
/// Duration of a frame without drawing, at sixty frames a second. *Units*: milliseconds.
const SHORT_MS: f64 = 17.0;
/// Frames in a row that show nothing new, at most.
const MOST_RESTS: u32 = 12;

/// Work of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// Wall-clock time to play. *Units*: milliseconds.
    pub(super) play_ms: f64,
    /// The page draws the result.
    pub(super) shows: bool,
}

/// The pace of a page that plays.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    /// When the last frame began.
    last_ms: Option<f64>,
    /// Longest wall-clock time that a frame may play.
    most_ms: f64,
    /// Wall-clock time still to be played.
    owed_ms: f64,
    /// Set if the last frame showed something.
    shown: bool,
    /// Set if something was played since a frame showed something.
    unseen: bool,
    /// Number of following frames without drawing.
    rests: u32,
    /// Duration of a frame that shows something; slow ones count more than quick ones.
    shown_ms: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            last_ms: None,
            most_ms: MOST_MS,
            owed_ms: 0.0,
            shown: false,
            unseen: false,
            rests: 0,
            shown_ms: SHORT_MS,
        }
    }
}

impl Pace {
    /// Begins a frame; the first one does nothing. `drew` says that something new was drawn since the last one.
    pub(super) fn frame(&mut self, now_ms: f64, drew: bool) -> Option<Turn> {
        let last_ms = self.last_ms.replace(now_ms)?;
        let frame_ms = (now_ms - last_ms).max(0.0);
        if drew {
            let weight = if frame_ms > self.shown_ms { 0.5 } else { 0.2 };
            self.shown_ms += (frame_ms.min(MOST_MS) - self.shown_ms) * weight;
            self.rests = rests(self.shown_ms);
        }
        self.shown = self.rests == 0;
        self.rests = self.rests.saturating_sub(1);
        // A frame that takes long to draw leaves playing to the short ones that come after it.
        self.owed_ms = (self.owed_ms + frame_ms).min(MOST_MS);
        let busy = self.shown && self.unseen && rests(self.shown_ms) > 0;
        let play_ms = if busy { 0.0 } else { self.owed_ms.min(self.most_ms) };
        self.unseen = !self.shown && (self.unseen || play_ms > 0.0);
        self.owed_ms = (self.owed_ms - play_ms).min(OWED_MS);
        Some(Turn { play_ms, shows: self.shown })
    }

    /// Handles a frame in which the world is still being simulated: its time is carried over to the next one.
    pub(super) fn waits(&mut self, now_ms: f64) {
        if let Some(last_ms) = self.last_ms.replace(now_ms) {
            self.owed_ms = (self.owed_ms + (now_ms - last_ms).max(0.0)).min(MOST_MS);
        }
    }

    /// The frame has played so much, and simulating took so long.
    pub(super) fn played(&mut self, turn: Turn, took_ms: f64) {
        if turn.play_ms <= 0.0 {
            return;
        }
        let next = if took_ms > FRAME_MS { turn.play_ms * FRAME_MS / took_ms } else { self.most_ms * 1.25 };
        self.most_ms = next.clamp(LEAST_MS, MOST_MS);
    }

    /// Time does not go on for now.
    pub(super) fn pause(&mut self) {
        self.last_ms = None;
        self.owed_ms = 0.0;
        self.shown = false;
    }
}

/// Returns the number of short frames that make up for a long one.
fn rests(shown_ms: f64) -> u32 {
    let late_ms = shown_ms - MEAN_MS;
    let each_ms = MEAN_MS - SHORT_MS;
    (1..=MOST_RESTS).rev().find(|count| late_ms > f64::from(count - 1) * each_ms).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns frames per second, and how many of them are drawn, for this drawing time.
    fn played(drawing_ms: f64) -> (f64, f64) {
        let (mut pace, mut now_ms) = (Pace::default(), 0.0);
        let (mut frames, mut shown) = (0.0, 0.0);
        let mut drew = false;
        while now_ms < 20_000.0 {
            let turn = pace.frame(now_ms, drew).unwrap_or(Turn { play_ms: 0.0, shows: false });
            pace.played(turn, 1.0);
            drew = turn.shows;
            let taken = if turn.shows { drawing_ms } else { 1.0 };
            // The browser draws at fixed instants.
            now_ms += (taken / (1000.0 / 60.0)).ceil() * (1000.0 / 60.0);
            if now_ms > 5_000.0 {
                frames += 1.0;
                shown += if turn.shows { 1.0 } else { 0.0 };
            }
        }
        (frames / 15.0, shown / 15.0)
    }

    #[test]
    fn a_page_that_draws_fast_draws_every_frame() {
        let (frames, shown) = played(10.0);
        assert!(frames > 59.0 && shown > 59.0, "{frames} {shown}");
    }

    #[test]
    fn a_page_that_draws_slowly_skips_frames() {
        for (drawing_ms, least) in [(20.0, 5.0), (30.0, 5.0), (45.0, 3.0)] {
            let (frames, shown) = played(drawing_ms);
            assert!(frames >= 50.0, "{drawing_ms}: {frames}");
            assert!(shown >= least, "{drawing_ms}: {shown}");
        }
    }

    #[test]
    fn a_world_that_simulates_slowly_plays_slower_and_recovers() {
        let mut pace = Pace::default();
        // Each millisecond played takes two.
        for _ in 0..20 {
            let turn = Turn { play_ms: 16.0_f64.min(pace.most_ms), shows: false };
            pace.played(turn, turn.play_ms * 2.0);
        }
        assert!((LEAST_MS..=6.0).contains(&pace.most_ms), "{}", pace.most_ms);
        for _ in 0..40 {
            pace.played(Turn { play_ms: pace.most_ms, shows: true }, 1.0);
        }
        assert!(pace.most_ms >= MOST_MS, "{}", pace.most_ms);
    }

    #[test]
    fn a_clock_that_stopped_while_nothing_was_drawn_continues() {
        let (mut pace, mut now_ms) = (Pace::default(), 0.0);
        let mut frame = |pace: &mut Pace, drew| {
            now_ms += 60.0;
            pace.frame(now_ms, drew)
        };
        for _ in 0..40 {
            frame(&mut pace, true);
        }
        // A dialog is open: nothing is played, so nothing is drawn.
        for _ in 0..40 {
            frame(&mut pace, false);
        }
        let played: Vec<_> =
            (0..3).filter_map(|_| frame(&mut pace, false)).map(|turn| turn.play_ms).collect();
        assert!(played.iter().any(|ms| *ms > 0.0), "{played:?}");
    }

    #[test]
    fn stopped_time_is_not_caught_up() {
        let mut pace = Pace::default();
        assert_eq!(pace.frame(10.0, false), None);
        assert_eq!(pace.frame(26.0, false).map(|turn| turn.play_ms), Some(16.0));
        pace.pause();
        assert_eq!(pace.frame(9000.0, false), None);
    }
}
