//! Maintenance windows on the clock.

use planarium_protocol::view::{ClusterView, UnavailabilityView};

const NS: i64 = 1_000_000;

/// The instants at which windows begin and end. *Units*: milliseconds since genesis.
pub(crate) fn turns(cluster: &ClusterView, epoch_ms: u64) -> Vec<u64> {
    let on_clock = |ns: i64| {
        // A window may begin within a millisecond: it counts as begun when that millisecond is over.
        let ms = ns.checked_add(NS - 1).map(|ns| ns.div_euclid(NS));
        ms.and_then(|ms| u64::try_from(ms).ok()).and_then(|ms| ms.checked_sub(epoch_ms))
    };
    let turns = cluster.windows.iter().flat_map(|window| {
        let (start_ns, duration_ns) = nanoseconds(&window.unavailability);
        [Some(start_ns), duration_ns.and_then(|length| start_ns.checked_add(length))]
    });
    turns.flatten().filter_map(on_clock).collect()
}

fn nanoseconds(away: &UnavailabilityView) -> (i64, Option<i64>) {
    let length = away.duration_ns.as_ref().map(|text| text.parse().unwrap_or(0));
    (away.start_ns.parse().unwrap_or(0), length)
}
