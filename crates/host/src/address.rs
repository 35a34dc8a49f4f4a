//! The run in the address bar and in links.
//!
//! *Knows*: the content of a link. *Must not know*: when one is written.

use super::Host;
use super::lesson;
use planarium_messages::facts::{Address, Fact, Keep};
use planarium_messages::links::Link;
use planarium_scenario::share;

impl Host {
    /// Returns the hash of a lesson; in a sandbox, the run as query and hash.
    pub(crate) fn address_of(&mut self, dirty: bool) -> String {
        match lesson::lesson_link(self) {
            Some(link) => format!("#{link}"),
            None => self.run_address(dirty),
        }
    }

    /// Returns the run as query and hash. The example is named only while its script alone leads to this moment, so
    /// that the script can continue where the link is opened.
    fn run_address(&mut self, dirty: bool) -> String {
        let by_script = !self.shown.by_hand && !dirty;
        let example = self.shown.narration.example().filter(|_| by_script);
        let query = example.map(|id| format!("?example={id}")).unwrap_or_default();
        let engine = &mut self.shown.engine;
        let moment = share::moment_of(engine);
        format!("{query}#{}", share::encode_at(&engine.journal(), moment))
    }

    /// To the moment that a link names.
    pub(crate) fn go_to_moment(&mut self, link: &str) {
        share::go_to_moment(&mut self.shown.engine, link);
    }

    pub(crate) fn link(&mut self, page: &str) -> Link {
        let run = self.run_address(self.editor.dirty());
        let address = format!("{page}{run}").into();
        let engine = &self.shown.engine;
        Link { address, at_ms: engine.now_ms(), digest: engine.digest().into() }
    }

    /// Returns a link to the moment shown: with a lesson, to the lesson with everything done in it.
    pub(crate) fn link_with_lesson(&mut self, page: &str) -> String {
        match lesson::try_link(self) {
            Some(link) => format!("{page}#{link}"),
            None => self.link(page).address.to_string(),
        }
    }

    /// Adds an entry for the opened world to the browser's history.
    pub(crate) fn push_address(&mut self) -> Fact {
        let text = self.address_of(false);
        let hash = text.find('#').and_then(|at| text.get(at..)).unwrap_or_default();
        hash.clone_into(&mut self.written);
        Fact::Address(Address { text, push: true })
    }

    /// Returns the address of the moment shown if it differs from the last one written.
    pub(crate) fn write_address(&mut self) -> Option<Fact> {
        let text = self.address_of(self.editor.dirty());
        let hash = text.find('#').and_then(|at| text.get(at..)).unwrap_or_default();
        if hash == self.written || self.broken {
            return None;
        }
        hash.clone_into(&mut self.written);
        (self.keeper)(Keep::Run(self.written.clone()));
        Some(Fact::Address(Address { text, push: false }))
    }
}
