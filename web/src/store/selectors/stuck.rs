//! Chips in the plan tree for elements that never move without an input.
//!
//! *Knows*: which row shows the chip of a stuck element. *Must not know*: why anything is stuck.

use crate::store::selectors::tree::Row;
use crate::store::ways_out::{Blocker, WaysOut};
use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use yew::AttrValue;

/// The chip of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chip {
    /// The cause in a few words.
    pub(crate) cause: AttrValue,
    /// The way out that one click takes, with its title; none while it is not found.
    pub(crate) way: Option<(AttrValue, Input)>,
}

/// Returns the chip of a row: of its own element, or of an inner element while the row is closed.
pub(crate) fn chip(help: &WaysOut, row: &Row) -> Option<Chip> {
    let shows = |held: &&Blocker| {
        let path = &held.why.path;
        *path == row.path || row.open == Some(false) && is_within(path, &row.path)
    };
    let held = help.all_stuck().find(shows)?;
    let way = held.best().map(|way| &way.unblock);
    Some(Chip {
        cause: held.cause().to_owned().into(),
        way: way.and_then(|way| Some((way.title.clone().into(), way.input.clone()?))),
    })
}

/// Returns whether a path leads into an element.
fn is_within(path: &ElementPath, element: &ElementPath) -> bool {
    let part = |wanted: &Option<_>, own: &Option<_>| wanted.is_none() || wanted == own;
    path.dialect == element.dialect
        && path.service == element.service
        && (element.plan.is_empty() || path.plan == element.plan)
        && part(&element.phase, &path.phase)
        && part(&element.step, &path.step)
}
