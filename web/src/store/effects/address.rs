//! The run in the address bar and in links.
//!
//! *Knows*: what a link says. *Must not know*: when one is written.

use super::Session;
use crate::browser;
use crate::store::persist;
use crate::store::state::{Link, State};
use planarium_scenario::share;

impl Session {
    /// The run as query and hash. The example is named as long as its script alone leads here, so that the
    /// script can go on at the other end.
    pub(super) fn address(&mut self, state: &State) -> String {
        self.address_of(state.dirty())
    }

    pub(super) fn address_of(&mut self, dirty: bool) -> String {
        let by_script = !self.shown.by_hand && !dirty;
        let example = self.shown.narration.example().filter(|_| by_script);
        let query = example.map(|id| format!("?example={id}")).unwrap_or_default();
        let engine = &mut self.shown.engine;
        let moment = share::moment_of(engine);
        format!("{query}#{}", share::encode_at(&engine.journal(), moment))
    }

    /// To the moment that a link names.
    pub(super) fn go_to_moment(&mut self, link: &str) {
        share::go_to_moment(&mut self.shown.engine, link);
    }

    pub(super) fn link(&mut self, state: &State) -> Link {
        let address = format!("{}{}", browser::page_url(), self.address(state)).into();
        let engine = &self.shown.engine;
        Link { address, at_ms: engine.now_ms(), digest: engine.digest().into() }
    }

    /// What was opened has a place of its own in the history of the browser.
    pub(super) fn push_address(&mut self) {
        let address = self.address_of(false);
        let hash = address.find('#').and_then(|at| address.get(at..)).unwrap_or_default();
        browser::push_address(&address);
        hash.clone_into(&mut self.written);
    }

    pub(super) fn write_address(&mut self, state: &State) {
        let address = self.address(state);
        let hash = address.find('#').and_then(|at| address.get(at..)).unwrap_or_default();
        if hash != self.written && state.broken.is_none() {
            browser::replace_address(&address);
            persist::save_run(hash);
            hash.clone_into(&mut self.written);
        }
    }
}
