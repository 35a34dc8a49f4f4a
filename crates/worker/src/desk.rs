//! The order of work: questions one after the other, frames in pieces, pings at once.
//!
//! *Knows*: which question may be cut into pieces or left out, and which waits for code or texts. *Must not know*: the browser; it is
//! handed a clock and a way to send; how code and texts are fetched.

use planarium_host::{Absent, FRAME_MS, Host, Texts, absent_for, was_absent};
use planarium_messages::facts::Fact;
use planarium_messages::questions::{Ask, Question};
use planarium_messages::wire::{self, Asked, Encoder, Told};
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;

/// Longest time of work between two checks for messages; hosts that have work at the same time share it. *Units*: microseconds.
const SLICE_US: u64 = 8_000;
/// A piece of a frame takes about that long, and no slice is shorter. *Units*: microseconds.
const PIECE_US: u64 = 2_000;
/// Virtual time of the first piece. *Units*: milliseconds.
const FIRST_PIECE_MS: u64 = 64;

/// A host with the questions that wait for it.
pub(crate) struct Desk {
    host: Host,
    encoder: Encoder,
    waiting: VecDeque<Question>,
    frame: Option<Frame>,
    needed: Needed,
    /// Virtual time of a piece of a frame. *Units*: milliseconds.
    piece_ms: u64,
    send: Rc<dyn Fn(&Told)>,
    now_us: fn() -> u64,
}

/// The code and the texts that the first waiting question needs.
#[derive(Debug, Default)]
enum Needed {
    /// Nothing is known to be absent.
    #[default]
    There,
    /// These are to be fetched.
    Absent(Absent),
    /// They are being fetched.
    Coming,
    /// They could not be fetched.
    Failed(String),
}

/// A frame under way.
struct Frame {
    question: Question,
    left_ms: u64,
    took_us: u64,
    facts: Vec<Fact>,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("waiting", &self.waiting.len()).finish_non_exhaustive()
    }
}

impl Desk {
    /// A host over an empty world, with the texts of examples and lessons, a way to send and a clock in microseconds.
    pub(crate) fn new(texts: Rc<dyn Texts>, send: Rc<dyn Fn(&Told)>, now_us: fn() -> u64) -> Self {
        let keeps = Rc::clone(&send);
        Self {
            host: Host::with_texts(texts, move |keep| keeps(&Told::Keep(keep))),
            encoder: Encoder::default(),
            waiting: VecDeque::new(),
            frame: None,
            needed: Needed::There,
            piece_ms: FIRST_PIECE_MS,
            send,
            now_us,
        }
    }

    /// Handles a text from the page. A text that is not a message is ignored. Returns whether somebody waits for the answer, as for
    /// every question except the frames of a run that plays.
    pub(crate) fn take(&mut self, text: &str) -> bool {
        match wire::asked(text) {
            Ok(Asked::Ping(number)) => (self.send)(&Told::Pong(number)),
            Ok(Asked::Question(question)) => {
                let waits = !matches!(question.ask, Ask::Frame(_) | Ask::Ahead(_));
                self.waiting.push_back(*question);
                return waits;
            }
            // These are for a server.
            Ok(Asked::Hello(_) | Asked::Ready) | Err(_) => {}
        }
        false
    }

    /// Works for one slice of time, which is shorter while other hosts have work. Returns whether there is more to do.
    pub(crate) fn work(&mut self, others: u32) -> bool {
        let from_us = (self.now_us)();
        let slice_us = (SLICE_US / (u64::from(others) + 1)).max(PIECE_US);
        while (self.now_us)().saturating_sub(from_us) < slice_us {
            if let Some(frame) = self.frame.take() {
                self.play(frame);
            } else if let Some(question) = self.next() {
                self.begin(question);
            } else {
                return false;
            }
        }
        self.frame.is_some() || !self.waiting.is_empty()
    }

    /// Takes the next question; `None` if there is none, or if it has to wait for code or texts.
    fn next(&mut self) -> Option<Question> {
        let question = self.waiting.pop_front()?;
        match std::mem::take(&mut self.needed) {
            Needed::There => {
                let absent = absent_for(&self.host, &question);
                if absent.is_empty() {
                    return Some(question);
                }
                self.needed = Needed::Absent(absent);
            }
            // Without its first world a page is nothing: it is tried again for as long as it takes.
            Needed::Failed(_) if begins(&question.ask) => {
                self.needed = Needed::Absent(absent_for(&self.host, &question));
            }
            Needed::Failed(reason) => {
                self.tell(question.number, 0, vec![Fact::Refused(reason.into())]);
                return self.next();
            }
            needed => self.needed = needed,
        }
        self.waiting.push_front(question);
        None
    }

    /// Takes what has to be fetched before work goes on.
    pub(crate) fn absent(&mut self) -> Option<Absent> {
        let Needed::Absent(absent) = &mut self.needed else { return None };
        let absent = std::mem::take(absent);
        self.needed = Needed::Coming;
        Some(absent)
    }

    /// Returns whether something was absent when an answer needed it.
    pub(crate) fn was_absent(&self) -> bool {
        was_absent(&self.host)
    }

    /// Returns whether fetching is tried again when it fails, as for the first world.
    pub(crate) fn insists(&self) -> bool {
        self.waiting.front().is_some_and(|question| begins(&question.ask))
    }

    /// Receives the outcome of fetching: how it failed, in a sentence for the page.
    pub(crate) fn fetched(&mut self, outcome: Result<(), String>) {
        self.needed = outcome.map_or_else(Needed::Failed, |()| Needed::There);
    }

    fn begin(&mut self, mut question: Question) {
        if let Ask::Frame(ms) | Ask::Ahead(ms) = question.ask {
            let frame = Frame { question, left_ms: ms.min(FRAME_MS), took_us: 0, facts: Vec::new() };
            self.frame = Some(frame);
            return;
        }
        // Of several seeks in a row only the last one is seen.
        if seeks(&question.ask) && self.waiting.front().is_some_and(|next| seeks(&next.ask)) {
            question.ask = Ask::Look;
        }
        let (number, from_us) = (question.number, (self.now_us)());
        let facts = self.host.answer(question);
        self.tell(number, (self.now_us)().saturating_sub(from_us), facts);
    }

    /// Plays a piece of a frame, or ends it: if another message waits, the frame ends where it is.
    fn play(&mut self, mut frame: Frame) {
        let from_us = (self.now_us)();
        let piece_ms = frame.left_ms.min(self.piece_ms);
        let last = piece_ms == frame.left_ms || !self.waiting.is_empty();
        let ask = match frame.question.ask {
            Ask::Frame(_) if last => Ask::Frame(piece_ms),
            _ => Ask::Ahead(piece_ms),
        };
        let piece = Question { editor: frame.question.editor.take(), ask, ..frame.question.clone() };
        let facts = self.host.answer(piece);
        let stopped = facts.iter().any(|fact| matches!(fact, Fact::Stopped));
        frame.facts.extend(facts);
        let took_us = (self.now_us)().saturating_sub(from_us);
        frame.took_us += took_us;
        frame.left_ms -= piece_ms;
        if last || stopped {
            self.tell(frame.question.number, frame.took_us, frame.facts);
            return;
        }
        self.piece_ms = match took_us {
            ..PIECE_US => self.piece_ms.saturating_mul(2).min(FRAME_MS),
            _ => (self.piece_ms / 2).max(1),
        };
        self.frame = Some(frame);
    }

    fn tell(&mut self, number: u32, took_us: u64, facts: Vec<Fact>) {
        (self.send)(&Told::Facts(self.encoder.batch(number, took_us, facts)));
    }
}

/// Returns whether a question asks for the first world of a host.
fn begins(ask: &Ask) -> bool {
    matches!(ask, Ask::Begin(_) | Ask::Resume(_))
}

fn seeks(ask: &Ask) -> bool {
    matches!(ask, Ask::SeekMs(_) | Ask::SeekSeq(_) | Ask::SeekTenth(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_host::{BuiltIn, Fetched, TextFile};
    use planarium_messages::wire::{Decoder, asked, text};
    use planarium_protocol::json;
    use std::cell::{Cell, RefCell};
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    thread_local! {
        static SENT: RefCell<Vec<Told>> = const { RefCell::new(Vec::new()) };
        /// Duration of each reading of the clock.
        static PACE_US: Cell<u64> = const { Cell::new(0) };
        static NOW_US: Cell<u64> = const { Cell::new(0) };
    }

    fn send(told: &Told) {
        let told = planarium_messages::wire::told(&text(told)).expect("what is sent can be read");
        SENT.with_borrow_mut(|sent| sent.push(told));
    }

    fn now_us() -> u64 {
        NOW_US.set(NOW_US.get() + PACE_US.get());
        NOW_US.get()
    }

    /// A desk with its page: questions in, facts by their numbers out.
    struct Page {
        desk: Desk,
        texts: Rc<Fetched>,
        decoder: Decoder,
        number: u32,
    }

    impl Page {
        fn new() -> Self {
            let mut page = Self::before_its_world();
            page.ask(Ask::Begin(Box::default()));
            while page.work(0) {}
            page.told();
            page
        }

        fn before_its_world() -> Self {
            let texts = Rc::new(Fetched::default());
            let own: Rc<dyn Texts> = Rc::<Fetched>::clone(&texts);
            let desk = Desk::new(own, Rc::new(send), now_us);
            Self { desk, texts, decoder: Decoder::default(), number: 0 }
        }

        /// Works for a slice; what is absent comes at once.
        fn work(&mut self, others: u32) -> bool {
            let more = self.desk.work(others);
            assert!(!self.desk.was_absent());
            let Some(absent) = self.desk.absent() else { return more };
            self.fetch(&absent);
            self.desk.fetched(Ok(()));
            true
        }

        fn fetch(&self, absent: &Absent) {
            let fetched =
                pin!(planarium_host::fetch(&absent.code)).poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(fetched, Poll::Ready(Ok(())));
            for file in &absent.texts {
                let text = match *file {
                    TextFile::Example(id) => {
                        let texts = BuiltIn.example(id).expect("an example");
                        json!({"teaches": texts.teaches, "scenario": texts.scenario, "files": texts.files})
                    }
                    TextFile::Lesson(id, language) => {
                        let texts = BuiltIn.lesson(id, language).expect("a lesson");
                        json!({"lesson": texts.lesson, "texts": texts.texts})
                    }
                    TextFile::All => panic!("everything is not fetched here"),
                };
                assert_eq!(self.texts.take(*file, &text.to_string()), Ok(()));
            }
        }

        fn ask(&mut self, ask: Ask) -> u32 {
            self.number += 1;
            let question = Question { number: self.number, selected: None, editor: None, ask };
            let sent = text(&Asked::Question(Box::new(question)));
            assert!(asked(&sent).is_ok());
            self.desk.take(&sent);
            self.number
        }

        /// Answers by now: the number of the question, and the clock that it shows.
        fn told(&mut self) -> Vec<(u32, Option<u64>)> {
            let sent = SENT.take();
            let batches = sent.into_iter().filter_map(|told| match told {
                Told::Facts(batch) => Some(batch),
                _ => None,
            });
            let clock = |facts: Vec<Fact>| {
                facts.into_iter().rev().find_map(|fact| match fact {
                    Fact::Moved(snapshot) => Some(snapshot.clock.now_ms),
                    _ => None,
                })
            };
            batches.map(|batch| (batch.number, clock(self.decoder.facts(batch)))).collect()
        }
    }

    #[test]
    fn a_frame_is_played_in_pieces_and_answered_once() {
        let mut page = Page::new();
        PACE_US.set(1_000);
        let frame = page.ask(Ask::Frame(16_000));
        let mut slices = 1;
        while page.work(0) {
            assert!(page.told().is_empty(), "a frame under way has no answer");
            slices += 1;
        }
        assert_eq!(page.told(), [(frame, Some(16_000))]);
        assert!(slices > 2, "{slices} slices");
    }

    #[test]
    fn a_pause_and_a_ping_land_in_the_middle_of_a_frame() {
        let mut page = Page::new();
        PACE_US.set(3_000);
        let frame = page.ask(Ask::Frame(16_000));
        assert!(page.work(0));
        page.desk.take(&text(&Asked::Ping(7)));
        let sent = SENT.take();
        assert!(matches!(sent[..], [Told::Pong(7)]), "{sent:?}");
        let look = page.ask(Ask::Look);
        while page.work(0) {}
        let told = page.told();
        assert_eq!(told.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [frame, look]);
        let at_ms = told[0].1.expect("the frame shows where it ended");
        assert!((1..16_000).contains(&at_ms), "{at_ms}");
    }

    #[test]
    fn only_the_last_of_several_seeks_is_shown() {
        let mut page = Page::new();
        let seeks: Vec<_> = [5_000, 20_000, 9_000].map(|ms| page.ask(Ask::SeekMs(ms))).to_vec();
        while page.work(0) {}
        let told = page.told();
        assert_eq!(told.iter().map(|(number, _)| *number).collect::<Vec<_>>(), seeks, "each has its answer");
        assert_eq!(told.iter().filter_map(|(_, at)| *at).collect::<Vec<_>>(), [9_000]);
    }

    #[test]
    fn pieces_of_a_frame_equal_the_whole_frame() {
        let digest = |pace_us: u64| {
            let mut page = Page::new();
            PACE_US.set(pace_us);
            for _ in 0..4 {
                page.ask(Ask::Frame(9_999));
                while page.work(0) {}
            }
            page.desk.take(&text(&Asked::Question(Box::new(Question {
                number: 99,
                selected: None,
                editor: None,
                ask: Ask::Link(String::new()),
            }))));
            while page.work(0) {}
            let links = SENT.take().into_iter().filter_map(|told| match told {
                Told::Facts(batch) if batch.number == 99 => Some(page.decoder.facts(batch)),
                Told::Facts(batch) => {
                    page.decoder.facts(batch);
                    None
                }
                _ => None,
            });
            let mut links = links.flatten().filter_map(|fact| match fact {
                // The clock of an idle world stops, at the latest from the next piece on.
                Fact::Link(link) => Some(link.digest),
                _ => None,
            });
            links.next().expect("a link")
        };
        assert_eq!(digest(0), digest(2_500));
    }

    #[test]
    fn slices_are_shared_with_other_hosts() {
        let slices = |others: u32| {
            let mut page = Page::new();
            PACE_US.set(1_000);
            page.ask(Ask::Frame(16_000));
            let mut slices = 1;
            while page.work(others) {
                slices += 1;
            }
            page.told();
            slices
        };
        let (alone, beside_one, beside_many) = (slices(0), slices(1), slices(19));
        assert!(alone < beside_one && beside_one < beside_many, "{alone}, {beside_one}, {beside_many}");
        assert_eq!(slices(3), beside_many, "no slice is shorter than a piece");
    }

    #[test]
    fn somebody_waits_for_every_question_but_a_frame() {
        let mut page = Page::new();
        let mut taken = |ask: Ask| {
            let question = Question { number: 9, selected: None, editor: None, ask };
            page.desk.take(&text(&Asked::Question(Box::new(question))))
        };
        assert!(taken(Ask::Look) && taken(Ask::SeekMs(4)));
        assert!(!taken(Ask::Frame(16)) && !taken(Ask::Ahead(16)));
        assert!(!page.desk.take(&text(&Asked::Ping(1))), "a ping is answered at once");
    }

    #[test]
    fn a_text_that_is_not_a_message_is_ignored() {
        let mut page = Page::new();
        for text in ["", "{}", "[1]", "{\"Question\":{}}", "nonsense"] {
            page.desk.take(text);
        }
        assert!(!page.work(0));
        assert!(page.told().is_empty());
    }

    /// No code is there at first in a thread of its own.
    fn apart(run: fn()) {
        let ended = std::thread::spawn(run).join();
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }

    const THREE: &str = "marathon-three-at-seventy-percent";

    /// The words and the files that are absent.
    fn names(absent: Option<Absent>) -> Option<(Vec<&'static str>, Vec<String>)> {
        absent.map(|absent| (absent.code, absent.texts.iter().map(ToString::to_string).collect()))
    }

    /// These words where code is fetched, none where it is built in.
    fn words(code: &[&'static str]) -> Vec<&'static str> {
        if cfg!(feature = "split") { code.to_vec() } else { Vec::new() }
    }

    #[test]
    fn a_question_waits_for_what_it_needs_and_is_refused_where_that_does_not_come() {
        apart(|| {
            let mut page = Page::new();
            let open = page.ask(Ask::OpenExample(THREE.into()));
            let look = page.ask(Ask::Look);
            assert!(!page.desk.work(0), "nothing can be done without the texts");
            let wanted = (words(&["marathon"]), vec![format!("example-{THREE}")]);
            assert_eq!(names(page.desk.absent()), Some(wanted.clone()));
            assert!(!page.desk.insists());
            assert!(!page.desk.work(0) && page.told().is_empty(), "it is on its way");
            assert_eq!(page.desk.absent(), None);
            page.desk.fetched(Err("not there".to_owned()));
            while page.desk.work(0) {}
            let sent = SENT.take();
            let refused = sent.iter().any(|told| format!("{told:?}").contains("not there"));
            assert!(refused, "{sent:?}");
            let answered = sent.iter().filter_map(|told| match told {
                Told::Facts(batch) => Some(batch.number),
                _ => None,
            });
            assert_eq!(answered.collect::<Vec<_>>(), [open, look]);
            page.ask(Ask::OpenExample(THREE.into()));
            assert!(!page.desk.work(0));
            assert_eq!(names(page.desk.absent()), Some(wanted), "it is fetched when it is asked for again");
        });
    }

    #[test]
    fn the_first_world_is_asked_for_until_what_it_needs_is_there() {
        apart(|| {
            let mut page = Page::before_its_world();
            let begin = page.ask(Ask::Begin(Box::default()));
            for _ in 0..3 {
                assert!(!page.desk.work(0));
                let wanted = (words(&["mesos", "sdk"]), vec!["example-web-shop".to_owned()]);
                assert_eq!(names(page.desk.absent()), Some(wanted));
                assert!(page.desk.insists());
                page.desk.fetched(Err("not there".to_owned()));
            }
            while page.work(0) {}
            assert_eq!(page.told().iter().map(|(number, _)| *number).collect::<Vec<_>>(), [begin]);
        });
    }
}
