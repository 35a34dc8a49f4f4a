//! Opening or shutting the plan tree down to one level.
//!
//! *Knows*: which rows are open by default. *Must not know*: how rows are drawn.

use super::arrange::{Arranged, Place, arrange, fold_path};
use super::tree::{Shape, plan_path, service_path};
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::ServiceView;
use std::sync::Arc;

/// The deepest rows that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Services, where there are several; else plans.
    Services,
    /// Plans.
    Plans,
    /// Phases.
    Phases,
    /// Everything.
    Steps,
}

impl Level {
    /// All levels with their words.
    pub(crate) const ALL: [(Self, &str); 4] = [
        (Self::Services, "Collapse all"),
        (Self::Plans, "Plans"),
        (Self::Phases, "Phases"),
        (Self::Steps, "Expand all"),
    ];
}

/// The rows that have to be opened or shut so that those down to a level are shown.
pub(crate) fn to_level(services: &[Arc<ServiceView>], shape: &Shape, level: Level) -> Vec<ElementPath> {
    let shape = Shape { toggled: shape.toggled.clone(), filter: String::new() };
    let mut out = Vec::new();
    let mut want = |path: ElementPath, by_default: bool, open: bool| {
        if shape.open(&path, by_default) != open {
            out.push(path);
        }
    };
    for service in services {
        want(service_path(service), true, level >= Level::Plans || services.len() == 1);
        let Arranged { shown, over, fold } = arrange(service, service.statuses);
        if !over.is_empty() {
            want(fold_path(service, fold), false, level >= Level::Phases);
        }
        for Place { plan, open } in shown.into_iter().chain(over) {
            let path = plan_path(service, plan);
            want(path.clone(), open, level >= Level::Phases);
            for phase in &plan.phases {
                let path = ElementPath { phase: Some(Arc::clone(&phase.name)), ..path.clone() };
                want(path, true, level >= Level::Steps);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::{phase, plan, service, step};
    use super::super::tree::window;
    use super::*;
    use crate::store::ptr::Ptr;
    use planarium_kernel::SortedSet;

    #[test]
    fn shows_rows_down_to_a_level_from_any_state() {
        let one = |name: &str| {
            let phases = || vec![phase("p", "serial", vec![step("a", "PENDING"), step("b", "PENDING")])];
            service(name, vec![plan("deploy", "PENDING", phases()), plan("other", "WAITING", phases())])
        };
        let services = vec![one("s"), one("t")];
        let mut toggled: SortedSet<ElementPath> = SortedSet::new();
        for (level, rows) in [
            (Level::Steps, 2 + 4 + 4 + 8),
            (Level::Phases, 2 + 4 + 4),
            (Level::Services, 2),
            (Level::Plans, 2 + 4),
            (Level::Steps, 18),
        ] {
            let shape = Shape { toggled: Ptr::new(toggled.clone()), filter: String::new() };
            for path in to_level(&services, &shape, level) {
                if !toggled.remove(&path) {
                    toggled.insert(path);
                }
            }
            let shape = Shape { toggled: Ptr::new(toggled.clone()), filter: String::new() };
            assert_eq!(window(&services, &shape, 0, 0).total, rows, "{level:?}");
        }
    }
}
