//! Resources that come back to the allocator, and the filters that refusals make.

use crate::{
    allocator::Return,
    api::{FrameworkId, Offer},
    cluster::{Cluster, Timer},
};
use planarium_ground::Cx;
use planarium_kernel::Class;
use std::sync::Arc;

/// Filters up to this duration after an ACCEPT keep the world from being idle: the rest is offered again soon.
const SHORT_FILTER_MS: u64 = 60_000;

/// Recovers resources that were offered to one framework.
pub(crate) fn recover_offers(
    cluster: &mut Cluster,
    cx: &Cx,
    framework: FrameworkId,
    offers: Vec<Arc<Offer>>,
    filter_ms: Option<u64>,
) {
    let mut returns = offers.into_iter().map(Return::Offer);
    recover_all(cluster, cx, framework, &mut returns, filter_ms, Class::Periodic);
}

/// Recovers resources and arms the timer of the filter that a refusal makes.
pub(crate) fn recover(
    cluster: &mut Cluster,
    cx: &Cx,
    framework: FrameworkId,
    rest: Return<'_>,
    filter_ms: Option<u64>,
    class: Class,
) {
    recover_all(cluster, cx, framework, &mut std::iter::once(rest), filter_ms, class);
}

/// Recovers several resources: the filters of one refusal end together.
fn recover_all(
    cluster: &mut Cluster,
    cx: &Cx,
    framework: FrameworkId,
    returns: &mut dyn Iterator<Item = Return<'_>>,
    filter_ms: Option<u64>,
    class: Class,
) {
    let filters = cluster.allocator.recover(framework, returns, filter_ms.is_some(), cx.cause());
    if let Some((filters, life_ms)) = filters.zip(filter_ms) {
        let class = if life_ms <= SHORT_FILTER_MS { class } else { Class::Periodic };
        let at = cx.now().saturating_add(life_ms);
        let timer = cluster.timers.arm(at, class, cx.cause(), Timer::Filters(filters));
        // If one of them keeps the world from being idle, all of them do.
        if class == Class::Periodic {
            cluster.allocator.set_filter_timer(filters, timer);
        }
    }
    for timer in cluster.allocator.take_unused_timers() {
        cluster.timers.disarm(Some(timer));
    }
}
