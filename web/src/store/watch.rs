//! Watches over an engine that may no longer answer.
//!
//! *Knows*: pings, and how long each kind of question may keep an engine from answering them. *Must not know*: the engine, timers.

use planarium_messages::questions::Ask;
use planarium_protocol::Input;

/// Interval between two checks. *Units*: milliseconds.
pub(crate) const BEAT_MS: u32 = 1_000;
/// Beats after which an engine that does not answer has ended.
const PATIENCE: u32 = 2;
/// The same while it reads a definition or replays a run, which is done in one piece.
const LONG_PATIENCE: u32 = 20;
/// A check as late as this means that the page itself was suspended. *Units*: milliseconds.
const LATE_MS: f64 = 1_800.0;

/// Action of a beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beat {
    /// Nothing to do.
    Rest,
    /// Send this ping.
    Ping(u32),
    /// The engine does not answer any more.
    Silent,
}

/// The watch over one engine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    /// The engine has said that it is there.
    up: bool,
    sent: u32,
    heard: u32,
    /// Beats since the ping that was not answered yet.
    missed: u32,
    last_ms: Option<f64>,
}

impl Watch {
    /// The engine is there.
    pub(crate) fn is_up(&mut self) {
        self.up = true;
    }

    /// A ping was answered.
    pub(crate) fn heard(&mut self, ping: u32) {
        self.heard = ping;
        self.missed = 0;
    }

    /// The engine is at a question of another page: what it owes here counts from now on.
    pub(crate) fn waits(&mut self) {
        self.missed = 0;
    }

    /// A beat, while the engine is at a question or at none.
    pub(crate) fn beat(&mut self, now_ms: f64, at: Option<&Ask>) -> Beat {
        let late = self.last_ms.replace(now_ms).is_some_and(|last| now_ms - last > LATE_MS);
        if !self.up {
            return Beat::Rest;
        }
        if self.heard == self.sent {
            self.sent = self.sent.wrapping_add(1);
            return Beat::Ping(self.sent);
        }
        // A suspended page has not received the engine's answers.
        if late {
            return Beat::Rest;
        }
        self.missed += 1;
        let patience = if at.is_some_and(in_one_piece) { LONG_PATIENCE } else { PATIENCE };
        if self.missed >= patience { Beat::Silent } else { Beat::Rest }
    }
}

/// Returns whether the engine answers a question in one piece that grows with a definition or a run.
fn in_one_piece(ask: &Ask) -> bool {
    let quick = match ask {
        Ask::Frame(_)
        | Ask::Ahead(_)
        | Ask::Look
        | Ask::Play
        | Ask::StepEvent(_)
        | Ask::Run { .. }
        | Ask::Complete { .. }
        | Ask::Removed { .. }
        | Ask::WriteAddress
        | Ask::Outcome(..)
        | Ask::Rendered { .. }
        | Ask::Objects
        | Ask::Object(_) => true,
        Ask::Do(input) => !matches!(**input, Input::LoadService(_) | Input::UpdateService(_)),
        _ => false,
    };
    !quick
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beats, each a second after the one before, of an engine that answers no ping but the first `answered`.
    fn beats(at: Option<&Ask>, answered: u32) -> u32 {
        let mut watch = Watch::default();
        watch.is_up();
        for beat in 0..100 {
            match watch.beat(f64::from(beat) * 1_000.0, at) {
                Beat::Ping(ping) if ping <= answered => watch.heard(ping),
                Beat::Silent => return beat,
                Beat::Ping(_) | Beat::Rest => {}
            }
        }
        100
    }

    #[test]
    fn two_seconds_without_an_answer_end_the_engine() {
        for (at, answered, end) in [
            (None, 0, 2),
            (None, 5, 7),
            (Some(Ask::Frame(16)), 5, 7),
            (Some(Ask::Apply), 5, 25),
            (None, 100, 100),
        ] {
            assert_eq!(beats(at.as_ref(), answered), end, "{at:?}");
        }
    }

    #[test]
    fn an_engine_that_is_busy_elsewhere_has_two_more_seconds() {
        let mut watch = Watch::default();
        watch.is_up();
        let beats: Vec<Beat> = (0..3).map(|beat| watch.beat(f64::from(beat) * 1_000.0, None)).collect();
        assert_eq!(beats, [Beat::Ping(1), Beat::Rest, Beat::Silent]);
        watch.waits();
        assert_eq!(watch.beat(3_000.0, None), Beat::Rest);
        assert_eq!(watch.beat(4_000.0, None), Beat::Silent);
    }

    #[test]
    fn an_engine_that_is_being_loaded_is_not_checked() {
        let mut watch = Watch::default();
        assert!((0..50).all(|beat| watch.beat(f64::from(beat) * 1_000.0, None) == Beat::Rest));
    }

    #[test]
    fn a_suspended_page_does_not_end_the_engine() {
        let mut watch = Watch::default();
        watch.is_up();
        assert_eq!(watch.beat(0.0, None), Beat::Ping(1));
        for minute in 1..50 {
            assert_eq!(watch.beat(f64::from(minute) * 60_000.0, None), Beat::Rest);
        }
        watch.heard(1);
        assert_eq!(watch.beat(3_001_000.0, None), Beat::Ping(2));
    }
}
