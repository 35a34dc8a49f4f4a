//! Reasons that lie with the scheduler process: it has exited, or other services of its framework reserve first.

use super::{Explainer, reason};
use planarium_protocol::input::{Input, RemoveService};
use planarium_protocol::why::{Reason, ReasonKind};

/// Words for a service whose turn to reserve has not come.
pub(super) const BARRED: &str =
    "other services of the framework acquire their footprint first (RESERVE_DISCIPLINE)";

impl Explainer<'_> {
    /// Nothing moves any more: the process has exited.
    pub(super) fn exited(&mut self) -> Option<Reason> {
        let line = self.scheduler.exit_line()?;
        let name = self.scheduler.name().to_string();
        let input = Input::RemoveService(RemoveService {
            dialect: crate::DIALECT.to_owned(),
            name: name.clone(),
            force: true,
        });
        self.remedies.add(format!("Remove {name}, to install it anew"), Some(input));
        let text = format!("Nothing moves any more: {line}");
        Some(reason(text, None, ReasonKind::NoOffers { text: line.into() }))
    }

    /// The service does not evaluate offers yet.
    pub(super) fn barred(&self) -> Option<Reason> {
        let text = format!("It gets no offers: {BARRED}");
        self.scheduler.is_barred().then(|| reason(text, None, ReasonKind::NoOffers { text: BARRED.into() }))
    }
}
