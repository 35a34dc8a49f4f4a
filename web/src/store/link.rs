//! The link to a host: questions go out, facts come back through the hub.
//!
//! *Must not know*: the meaning of questions.

use super::hub::Hub;
use planarium_messages::questions::Question;
#[cfg(test)]
use planarium_messages::wire::{Decoder, Encoder};

/// A link to a host. Answers come through [`Hub::told`], data to store through [`Hub::kept`]: immediately or later.
pub(crate) trait Link {
    /// Sends a question.
    fn post(&self, hub: &Hub, question: &Question);
}

/// A host on the same thread, which answers at once: for the page's picture.
#[cfg(feature = "picture")]
pub(crate) struct InProcess {
    host: std::cell::RefCell<planarium_host::Host>,
}

#[cfg(feature = "picture")]
impl InProcess {
    /// A link to a new host.
    pub(crate) fn new() -> Self {
        Self { host: planarium_host::Host::new(|_| {}).into() }
    }
}

#[cfg(feature = "picture")]
impl Link for InProcess {
    fn post(&self, hub: &Hub, question: &Question) {
        let facts = self.host.borrow_mut().answer(question.clone());
        hub.told(question.number, 0.0, facts);
    }
}

/// The same for tests, with every message as the text that it is between threads, and with a short memory.
#[cfg(test)]
pub(crate) struct Wired {
    host: std::cell::RefCell<(planarium_host::Host, Encoder)>,
    decoder: std::cell::RefCell<Decoder>,
    /// Questions wait until [`Wired::answer`].
    late: bool,
    waiting: std::cell::RefCell<std::collections::VecDeque<Question>>,
}

#[cfg(test)]
impl Wired {
    /// A link to a new host that answers at once.
    pub(crate) fn new(hub: &Hub) -> Self {
        let hub = hub.downgrade();
        let keeper = move |keep| {
            if let Some(hub) = hub.upgrade() {
                hub.kept(keep);
            }
        };
        let host = planarium_host::Host::new(keeper).keeping(256, 128);
        Self {
            host: (host, Encoder::default()).into(),
            decoder: Decoder::default().into(),
            late: false,
            waiting: std::cell::RefCell::default(),
        }
    }

    /// A link to a new host that answers on request.
    pub(crate) fn late(hub: &Hub) -> Self {
        Self { late: true, ..Self::new(hub) }
    }

    /// Answers the question that came first. False if there is none.
    pub(crate) fn answer(&self, hub: &Hub) -> bool {
        let next = self.waiting.borrow_mut().pop_front();
        let Some(question) = next else { return false };
        self.carry_out(hub, question);
        true
    }

    /// The questions that wait.
    pub(crate) fn waiting(&self) -> Vec<Question> {
        self.waiting.borrow().iter().cloned().collect()
    }

    fn carry_out(&self, hub: &Hub, question: Question) {
        use planarium_messages::wire::{Told, text, told};
        let number = question.number;
        let batch = {
            let (host, encoder) = &mut *self.host.borrow_mut();
            let facts = host.answer(question);
            text(&Told::Facts(encoder.batch(number, 0, facts)))
        };
        let batch = match told(&batch) {
            Ok(Told::Facts(batch)) => batch,
            other => panic!("{other:?}: {batch}"),
        };
        let facts = self.decoder.borrow_mut().facts(batch);
        hub.told(number, 0.0, facts);
    }
}

#[cfg(test)]
impl Link for Wired {
    fn post(&self, hub: &Hub, question: &Question) {
        use planarium_messages::wire::{Asked, asked, text};
        let sent = text(&Asked::Question(Box::new(question.clone())));
        let question = match asked(&sent) {
            Ok(Asked::Question(question)) => *question,
            other => panic!("{other:?}: {sent}"),
        };
        if self.late {
            self.waiting.borrow_mut().push_back(question);
        } else {
            self.carry_out(hub, question);
        }
    }
}
