//! The page's knowledge of single systems: the one place that lists them.
//!
//! *Knows*: which system's file is which. *Must not know*: any system's rules or words; those come with the view.
//!
//! A further system is a file here, a line in `mod` and in [`DESKS`], and its cargo feature.

#[cfg(any(feature = "marathon", feature = "kubernetes"))]
mod curve;
#[cfg(feature = "kubernetes")]
mod kubernetes;
#[cfg(feature = "kudo")]
mod kudo;
#[cfg(feature = "marathon")]
mod marathon;
#[cfg(any(feature = "kudo", feature = "kubernetes"))]
mod objects;
#[cfg(feature = "sdk")]
mod sdk;
#[cfg(feature = "skopos")]
mod skopos;

use crate::features::waiting::Waiting;
use crate::pieces::{self, Piece};
use crate::store::selectors::faults::{self, Offer};
use crate::store::state::{Dialog, Finding};
use crate::store::{Action, Hub};
use planarium_messages::questions::FileNames;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{PlanView, ServiceView, View};
use std::sync::Arc;
use yew::prelude::*;

/// The element that is selected on the page; panels of systems find it as a context around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selected(pub(crate) Option<ElementPath>);

/// The second of virtual time at the cursor; what changes with time finds it as a context around the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Second(pub(crate) u64);

/// The page's knowledge of a system.
pub(crate) struct Desk {
    /// The word of its dialect.
    pub(crate) dialect: &'static str,
    /// Names of the file that a definition is mainly in, the usual one first.
    pub(crate) main: &'static [&'static str],
    /// Name of that file if it is JSON.
    pub(crate) json: &'static str,
    /// Starting text.
    pub(crate) first: &'static str,
    /// Example commands of its command line.
    pub(crate) commands: &'static [&'static str],
    /// Whole lines worth trying first.
    pub(crate) tries: &'static [&'static str],
    /// Words before the name of a service, over its plans.
    pub(crate) heading: &'static str,
    /// Name of the tab with pods and panel.
    pub(crate) pods: &'static str,
    /// Its services are made of objects of an API, whose panel shows ages.
    pub(crate) objects: bool,
    /// Key of the API's object behind an element.
    pub(crate) object: fn(&ServiceView, &ElementPath) -> Option<AttrValue>,
    /// It tells what an update would change before it is carried out.
    pub(crate) tells_changes: bool,
    /// Temporary plans; `None` if all of them stay.
    pub(crate) passing: Option<Passing>,
    /// Failures worth injecting, the usual one first.
    pub(crate) faults: &'static [Offer],
    /// Names of steps that make a call which may fail.
    pub(crate) calls: fn(&ServiceView) -> Vec<String>,
    /// The place in [`ServiceView::more`] of the data of its pictures; empty if it has none.
    pub(crate) data: &'static str,
    /// The place of a line while they are on their way.
    pub(crate) spot: Spot,
}

/// The spot of a system's picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// In the tab of pods.
    Panel,
    /// In place of the rows.
    Drawing,
}

/// Draws a service, if there is anything to draw.
type Picture = fn(&ServiceView) -> Option<Html>;

/// Pictures of a system. Their code comes later, see [`crate::pieces`].
struct Sketch {
    /// The word of its dialect.
    dialect: &'static str,
    /// Panel of a service beside plans and pods; its data are in [`ServiceView::more`].
    panel: Picture,
    /// Picture of a service in place of its rows.
    drawing: Picture,
    /// Picture below the rows, of the element or the active one.
    below: fn(&ServiceView, Option<&ElementPath>) -> Option<Html>,
    /// Picture of an element, beside why it is not moving.
    about: fn(&ServiceView, &ElementPath) -> Option<Html>,
}

impl Sketch {
    /// A system without pictures.
    const PLAIN: Self =
        Self { dialect: "", panel: |_| None, drawing: |_| None, below: |_, _| None, about: |_, _| None };
}

/// Pictures of all systems.
pub(crate) struct Pictures(&'static [Sketch]);

impl Pictures {
    fn of(&self, service: &ServiceView) -> Option<&'static Sketch> {
        self.0.iter().find(|sketch| *sketch.dialect == *service.dialect)
    }
}

/// The pictures of this build.
pub(crate) static PICTURES: Pictures = Pictures(&[
    #[cfg(feature = "marathon")]
    marathon::SKETCH,
    #[cfg(feature = "kudo")]
    kudo::SKETCH,
    #[cfg(feature = "skopos")]
    skopos::SKETCH,
    #[cfg(feature = "kubernetes")]
    kubernetes::SKETCH,
]);

/// Plans that come and go.
#[derive(Clone, Copy)]
pub(crate) struct Passing {
    /// Tells them from plans that stay.
    pub(crate) is: fn(&PlanView) -> bool,
    /// Name of the row that holds those that are over.
    pub(crate) over: &'static str,
}

impl Desk {
    /// A system without its own parts in the page.
    const PLAIN: Self = Self {
        dialect: "",
        main: &[],
        json: "",
        first: "",
        commands: &[],
        tries: &[],
        heading: "Plans of ",
        pods: "Pods",
        objects: false,
        object: |_, _| None,
        tells_changes: false,
        passing: None,
        faults: faults::MESOS,
        calls: |_| Vec::new(),
        data: "",
        spot: Spot::Panel,
    };
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
    #[cfg(feature = "marathon")]
    marathon::remedy,
    #[cfg(feature = "skopos")]
    skopos::remedy,
];

/// Returns a system's offer beside a finding, if any.
pub(crate) fn remedy(hub: &Hub, finding: &Finding) -> Option<Html> {
    OFFERS.iter().find_map(|offer| offer(hub, finding))
}

/// Words before the name of a service, over its plans.
pub(crate) fn heading(service: &ServiceView) -> &'static str {
    desk(&service.dialect).map_or(Desk::PLAIN.heading, |desk| desk.heading)
}

/// Name of the tab with pods and panels: the system's own if it is the only one.
pub(crate) fn pods(view: &View) -> &'static str {
    let mut words = view.services.iter().filter_map(|service| desk(&service.dialect)).map(|desk| desk.pods);
    let first = words.next().unwrap_or(Desk::PLAIN.pods);
    if words.all(|word| word == first) { first } else { Desk::PLAIN.pods }
}

/// The spot of a service's picture; none where it has none.
fn spot_of(service: &ServiceView) -> Option<Spot> {
    let desk = desk(&service.dialect).filter(|desk| !desk.data.is_empty())?;
    service.more.get(desk.data).map(|_| desk.spot)
}

/// The picture of a service in its own place; while its code is absent, what stands there.
fn placed(service: &ServiceView, spot: Spot, picture: fn(&Sketch) -> Picture) -> Option<Html> {
    if let Some(pictures) = pieces::pictures() {
        return picture(pictures.of(service)?)(service);
    }
    (spot_of(service) == Some(spot)).then(|| html! { <Waiting piece={Piece::Pictures} /> })
}

/// Fetches the code of pictures, where a service has some.
pub(crate) fn fetching(services: &[Arc<ServiceView>]) -> Option<Html> {
    let waits = pieces::pictures().is_none() && services.iter().any(|service| spot_of(service).is_some());
    waits.then(|| html! { <Waiting piece={Piece::Pictures} quiet=true /> })
}

/// Pictures of services in place of their rows, and whether every service has one; none where no service has.
pub(crate) fn drawings(services: &[Arc<ServiceView>]) -> Option<(Html, bool)> {
    let drawn = |service: &Arc<ServiceView>| placed(service, Spot::Drawing, |sketch| sketch.drawing);
    let all: Vec<Html> = services.iter().filter_map(drawn).collect();
    let whole = all.len() == services.len();
    (!all.is_empty()).then(|| (all.into_iter().collect(), whole))
}

/// Pictures below the rows, of an element or the active one.
pub(crate) fn below(services: &[Arc<ServiceView>], selected: Option<&ElementPath>) -> Option<Html> {
    let pictures = pieces::pictures()?;
    let one = |service: &Arc<ServiceView>| (pictures.of(service)?.below)(service, selected);
    let all: Vec<Html> = services.iter().filter_map(one).collect();
    (!all.is_empty()).then(|| all.into_iter().collect())
}

/// A system's picture of an element, if any.
pub(crate) fn about(view: &View, path: &ElementPath) -> Option<Html> {
    let service = view.services.iter().find(|service| service.holds(path))?;
    (pieces::pictures()?.of(service)?.about)(service, path)
}

/// Returns whether a system tells what changes of its definition bring about.
pub(crate) fn tells_changes(dialect: &str) -> bool {
    desk(dialect).is_some_and(|desk| desk.tells_changes)
}

/// The action that gives an edited definition to the running service: at once, or after its changes were shown.
pub(crate) fn roll_out(dialect: &str) -> Action {
    if tells_changes(dialect) { Action::OpenDialog(Dialog::Changes) } else { Action::RollOut }
}

/// Returns whether any service of a view is made of objects of an API.
pub(crate) fn has_objects(view: &View) -> bool {
    view.services.iter().any(|service| desk(&service.dialect).is_some_and(|desk| desk.objects))
}

/// Key of the API's object behind an element, if any.
pub(crate) fn object_of(view: &View, path: &ElementPath) -> Option<AttrValue> {
    let service = view.services.iter().find(|service| service.holds(path))?;
    (desk(&service.dialect)?.object)(service, path)
}

/// Returns a system's panel beside plans and pods, if any.
pub(crate) fn panel(service: &ServiceView) -> Option<Html> {
    placed(service, Spot::Panel, |sketch| sketch.panel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_system_of_the_build_has_a_desk_and_a_valid_first_definition() {
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
            // The page offers the first system's definition; a package of several files needs more than one text.
            let offered = desk.dialect == DESKS[0].dialect;
            assert!(
                !offered || !planarium_world::check(&load).has_errors(),
                "{}: it has errors",
                dialect.title
            );
        }
    }
}
