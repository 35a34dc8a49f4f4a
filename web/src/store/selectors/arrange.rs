//! The order of a service's plans in the tree, and those that are folded away.
//!
//! *Knows*: which plans come and go, from the system's desk. *Must not know*: any system's words.

use super::status::{self, Words};
use crate::systems;
use planarium_messages::paths::{main_plan, service_path};
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{PlanView, ServiceView, StatusClass};
use std::sync::Arc;

/// A plan at its place in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'v> {
    /// The plan.
    pub(crate) plan: &'v Arc<PlanView>,
    /// Open unless it was shut.
    pub(crate) open: bool,
}

/// A service's plans as the tree shows them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arranged<'v> {
    /// In order; temporary plans that are running come first, the newest on top.
    pub(crate) shown: Vec<Place<'v>>,
    /// Those that came and are over, the newest first.
    pub(crate) over: Vec<Place<'v>>,
    /// Name of the row that holds them.
    pub(crate) fold: &'static str,
}

/// Arranges the plans of a service.
pub(crate) fn arrange<'v>(service: &'v ServiceView, words: Words) -> Arranged<'v> {
    let main = main_plan(service);
    let place =
        |(at, plan): (usize, &'v Arc<PlanView>)| Place { plan, open: is_open(at == main, plan, words) };
    let all = service.plans.iter().enumerate();
    let Some(passing) = systems::desk(&service.dialect).and_then(|desk| desk.passing) else {
        return Arranged { shown: all.map(place).collect(), ..Arranged::default() };
    };
    let is_over = |plan: &PlanView| {
        let class = status::entry(words, &plan.status).class;
        matches!(class, StatusClass::Done | StatusClass::Failed | StatusClass::Stopped)
    };
    let (comes, stays): (Vec<_>, Vec<_>) = all.partition(|(_, plan)| (passing.is)(plan));
    let (over, under_way): (Vec<_>, Vec<_>) = comes.into_iter().rev().partition(|(_, plan)| is_over(plan));
    let shut = |it: (usize, &'v Arc<PlanView>)| Place { open: false, ..place(it) };
    Arranged {
        shown: under_way.into_iter().chain(stays).map(place).collect(),
        over: over.into_iter().map(shut).collect(),
        fold: passing.over,
    }
}

/// The path of the row that holds plans that are over: of no plan.
pub(crate) fn fold_path(service: &ServiceView, fold: &str) -> ElementPath {
    ElementPath { phase: Some(fold.into()), ..service_path(service) }
}

/// Returns whether a plan is open: the main plan, and every other one that has begun.
fn is_open(main: bool, plan: &PlanView, words: Words) -> bool {
    let class = status::entry(words, &plan.status).class;
    let over = plan.custom && class == StatusClass::Done;
    main || !(class.is_asleep() || plan.phases.is_empty() || over)
}
