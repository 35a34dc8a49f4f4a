//! The page's knowledge of single systems: the one place that lists them.
//!
//! *Knows*: which system's file is which. *Must not know*: any system's rules or words; those come with the view.
//!
//! A further system is a file here, a line in `mod` and in [`DESKS`], and its cargo feature.

#[cfg(feature = "kudo")]
mod kudo;
#[cfg(feature = "kubernetes")]
mod kubernetes;
#[cfg(feature = "marathon")]
mod marathon;
#[cfg(feature = "sdk")]
mod sdk;
#[cfg(feature = "skopos")]
mod skopos;

use crate::store::Hub;
use crate::store::state::Finding;
use planarium_messages::questions::FileNames;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::ServiceView;
use yew::prelude::*;

/// The element that is selected on the page; panels of systems find it as a context around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selected(pub(crate) Option<ElementPath>);

/// The page's knowledge of a system.
pub(crate) struct Desk {
    /// The word of its dialect.
    pub(crate) dialect: &'static str,
    /// Names of the file that a definition is mainly in, the usual one first.
    pub(crate) main: &'static [&'static str],
    /// Name of that file where it is JSON.
    pub(crate) json: &'static str,
    /// Starting text.
    pub(crate) first: &'static str,
    /// Commands of its command line, as examples of what there is.
    pub(crate) commands: &'static [&'static str],
    /// Whole lines worth trying first.
    pub(crate) tries: &'static [&'static str],
    /// Panel of a service beside plans and pods; its data are in [`ServiceView::more`].
    pub(crate) panel: fn(&ServiceView) -> Option<Html>,
}

/// The systems of this build, in the order of the world's list.
static DESKS: &[Desk] = &[
    #[cfg(feature = "sdk")]
    sdk::DESK,
    #[cfg(feature = "marathon")]
    marathon::DESK,
    #[cfg(feature = "kudo")]
    kudo::DESK,
    #[cfg(feature = "skopos")]
    skopos::DESK,
    #[cfg(feature = "kubernetes")]
    kubernetes::DESK,
];

/// The page's knowledge of a system.
pub(crate) fn desk(dialect: &str) -> Option<&'static Desk> {
    DESKS.iter().find(|desk| desk.dialect == dialect)
}

/// Returns the starting file when nothing is open: path and text.
pub(crate) fn first() -> (&'static str, &'static str) {
    let name = |desk: &Desk| desk.main.first().copied();
    DESKS.first().and_then(|desk| Some((name(desk)?, desk.first))).unwrap_or(("definition.yml", ""))
}

/// Rates how usual this name is for a definition's main file: 0 is the most usual; none where that is not known.
pub(crate) fn main_place(name: &str) -> Option<usize> {
    let place = |desk: &Desk| {
        let json = std::iter::once(desk.json);
        desk.main.iter().copied().chain(json).position(|main| main == name)
    };
    DESKS.iter().filter_map(place).min()
}

/// Names of files of each dialect, for texts that come without one.
pub(crate) fn file_names() -> Vec<FileNames> {
    let names = |desk: &Desk| FileNames {
        dialect: desk.dialect.to_owned(),
        main: desk.main.iter().map(|name| (*name).to_owned()).collect(),
        json: desk.json.to_owned(),
    };
    DESKS.iter().map(names).collect()
}

/// Systems' offers beside findings.
static OFFERS: &[fn(&Hub, &Finding) -> Option<Html>] = &[
    #[cfg(feature = "skopos")]
    skopos::remedy,
];

/// Returns a system's offer beside a finding, if any.
pub(crate) fn remedy(hub: &Hub, finding: &Finding) -> Option<Html> {
    OFFERS.iter().find_map(|offer| offer(hub, finding))
}

/// Returns a system's panel beside plans and pods, if any.
pub(crate) fn panel(service: &ServiceView) -> Option<Html> {
    desk(&service.dialect).and_then(|desk| (desk.panel)(service))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_system_of_the_build_has_a_desk_and_begins_with_something_good() {
        for dialect in planarium_world::dialects() {
            let desk = desk(dialect.word).unwrap_or_else(|| panic!("{} has a desk", dialect.title));
            let name = desk.main.first().expect("a name");
            let files = BTreeMap::from([((*name).to_owned(), desk.first.to_owned())]);
            assert_eq!(planarium_world::detect_dialect(&files), dialect.word, "it is seen for what it is");
            let load = planarium_protocol::input::LoadService {
                dialect: dialect.word.into(),
                files,
                ..Default::default()
            };
            // The first system's is what the page offers; a package of several files takes more than one text.
            let offered = desk.dialect == DESKS[0].dialect;
            assert!(
                !offered || !planarium_world::check(&load).has_errors(),
                "{}: it has errors",
                dialect.title
            );
        }
    }
}
