//! The host of one page, on a thread of its own: takes what the page asks, and tells it what others did.
//!
//! *Order*: questions one after the other; of several seeks in a row the last one. What others did is told when the page has
//! shown what was told before.

use super::Shared;
use super::socket::WAITING;
use planarium_host::Guest;
use planarium_messages::facts::Fact;
use planarium_messages::questions::{Ask, Question};
use planarium_messages::wire::{Asked, Encoder, Told, UNASKED, text};
use planarium_rest::Session;
use std::collections::VecDeque;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use tokio::sync::mpsc::Sender;

/// Interval between two looks at the world. *Units*: milliseconds.
const LOOK: Duration = Duration::from_millis(16);

/// A page's host.
pub(super) struct Desk {
    host: Guest,
    encoder: Encoder,
    shared: Shared,
    waiting: VecDeque<Question>,
    /// The page takes one message that it did not ask for.
    ready: bool,
}

impl Desk {
    /// A host on a served world. `runs` says that its clock moves with the wall clock.
    pub(super) fn new(shared: Shared, runs: bool) -> Self {
        // A page that comes back to another process must not take its world for the one that it had.
        let first = std::process::id().wrapping_mul(4096);
        Self {
            host: Guest::new(runs, first),
            encoder: Encoder::default(),
            shared,
            waiting: VecDeque::new(),
            ready: false,
        }
    }

    /// Works until the page is gone.
    pub(super) fn run(mut self, asked: &Receiver<Asked>, tell: &Sender<String>) {
        while self.wait(asked) {
            while let Some(told) = self.next() {
                if tell.blocking_send(text(&told)).is_err() {
                    return;
                }
            }
        }
    }

    /// Takes what the page has asked, and waits where that is nothing. False when the page is gone.
    fn wait(&mut self, asked: &Receiver<Asked>) -> bool {
        let first = if self.ready {
            asked.recv_timeout(LOOK)
        } else {
            asked.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match first {
            Ok(first) => self.take(first),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        // What waits behind it may make it needless.
        for more in asked.try_iter().take(WAITING) {
            self.take(more);
        }
        true
    }

    /// The next message to the page, if there is one.
    fn next(&mut self) -> Option<Told> {
        match self.waiting.pop_front() {
            Some(question) => Some(self.answer(question)),
            None if self.ready => self.news(),
            None => None,
        }
    }

    fn take(&mut self, asked: Asked) {
        match asked {
            Asked::Question(question) => self.waiting.push_back(*question),
            Asked::Ready => self.ready = true,
            Asked::Ping(_) | Asked::Hello(_) => {}
        }
    }

    fn answer(&mut self, mut question: Question) -> Told {
        if seeks(&question.ask) && self.waiting.front().is_some_and(|next| seeks(&next.ask)) {
            question.ask = Ask::Look;
        }
        let number = question.number;
        self.told(number, |host, session| host.answer(session, question))
    }

    fn news(&mut self) -> Option<Told> {
        let mut session = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let facts = self.host.news(&mut session);
        drop(session);
        if facts.is_empty() {
            return None;
        }
        self.ready = false;
        Some(Told::Facts(self.encoder.batch(UNASKED, 0, facts)))
    }

    #[expect(clippy::disallowed_types, reason = "the page paces its play by how long a frame took")]
    fn told(&mut self, number: u32, work: impl FnOnce(&mut Guest, &mut Session) -> Vec<Fact>) -> Told {
        let mut session = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = std::time::Instant::now();
        let facts = work(&mut self.host, &mut session);
        drop(session);
        let took_us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        Told::Facts(self.encoder.batch(number, took_us, facts))
    }
}

fn seeks(ask: &Ask) -> bool {
    matches!(ask, Ask::SeekMs(_) | Ask::SeekSeq(_) | Ask::SeekTenth(_))
}
