//! The way to the host: questions go out, facts come back through the hub.
//!
//! *Must not know*: what a question means.

use super::hub::Hub;
use planarium_messages::questions::Question;
#[cfg(test)]
use planarium_messages::wire::{Decoder, Encoder};

/// A way to a host. Answers come by [`Hub::told`], things to be kept by [`Hub::kept`]: at once or later.
pub(crate) trait Link {
    /// Sends a question.
    fn post(&self, hub: &Hub, question: Question);
}

/// A host on the page's own thread; it answers at once.
pub(crate) struct InProcess {
    host: std::cell::RefCell<planarium_host::Host>,
}

impl InProcess {
    /// A link to a new host, which hands what is to be kept to a hub.
    pub(crate) fn new(hub: &Hub) -> Self {
        let hub = hub.downgrade();
        let keeper = move |keep| {
            if let Some(hub) = hub.upgrade() {
                hub.kept(keep);
            }
        };
        Self { host: planarium_host::Host::new(keeper).into() }
    }
}

/// The same for tests, with every message as the text that it is between threads, and with a short memory.
#[cfg(test)]
pub(crate) struct Wired {
    host: std::cell::RefCell<(planarium_host::Host, Encoder)>,
    decoder: std::cell::RefCell<Decoder>,
}

#[cfg(test)]
impl Wired {
    /// A link to a new host.
    pub(crate) fn new(hub: &Hub) -> Self {
        let hub = hub.downgrade();
        let keeper = move |keep| {
            if let Some(hub) = hub.upgrade() {
                hub.kept(keep);
            }
        };
        let host = planarium_host::Host::new(keeper).keeping(256, 128);
        Self { host: (host, Encoder::default()).into(), decoder: Decoder::default().into() }
    }
}

#[cfg(test)]
impl Link for Wired {
    fn post(&self, hub: &Hub, question: Question) {
        use planarium_messages::wire::{Asked, Told, asked, text, told};
        let sent = text(&Asked::Question(Box::new(question)));
        let question = match asked(&sent) {
            Ok(Asked::Question(question)) => question,
            other => panic!("{other:?}: {sent}"),
        };
        let number = question.number;
        let batch = {
            let (host, encoder) = &mut *self.host.borrow_mut();
            let facts = host.answer(*question);
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

impl Link for InProcess {
    fn post(&self, hub: &Hub, question: Question) {
        let (number, from_ms) = (question.number, crate::browser::now_ms());
        let facts = self.host.borrow_mut().answer(question);
        hub.told(number, crate::browser::now_ms() - from_ms, facts);
    }
}
