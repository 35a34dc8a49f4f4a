//! Invariants of an application.

use super::App;

impl App {
    /// Lists broken invariants in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = self.instances.check();
        found.extend(self.run.check());
        found
    }
}
