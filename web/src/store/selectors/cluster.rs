//! Machines in groups, and amounts as people read them.

use crate::store::ptr::Ptr;
use crate::store::selectors::time::{clock, short};
use planarium_protocol::view::{ActionView, ClusterView, MachineView, ResourceView, TaskView, View};
use planarium_protocol::{Amount, Text};
use std::sync::Arc;

/// Above this many machines the cards are condensed.
pub(crate) const DENSE_ABOVE: usize = 40;

/// Machines of one zone, or of one rack without zones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    /// `Zone` or `Rack`.
    pub(crate) kind: &'static str,
    /// Its name; empty when none has one.
    pub(crate) zone: Text,
    /// In order of joining.
    pub(crate) machines: Vec<Ptr<MachineView>>,
}

impl Group {
    /// Its name.
    pub(crate) fn title(&self) -> String {
        if self.zone.is_empty() { "Machines".to_owned() } else { format!("{} {}", self.kind, self.zone) }
    }
}

/// Returns the used or reserved part of a machine's scarcest resource. *Units*: percent.
pub(crate) fn fullness(machine: &MachineView) -> u32 {
    let taken = |it: &ResourceView| (it.used + it.reserved).saturating_mul(100) / it.total;
    let most = machine.resources.iter().filter(|it| it.total > 0).map(taken).max();
    u32::try_from(most.unwrap_or(0)).unwrap_or(0)
}

/// The machines by zone, or by rack, in order of first appearance.
pub(crate) fn groups(cluster: &ClusterView) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let zones = cluster.machines.iter().any(|machine| machine.zone.is_some());
    let kind = if zones { "Zone" } else { "Rack" };
    for machine in &cluster.machines {
        let rack =
            || machine.attributes.iter().find(|(name, _)| &**name == "rack").map(|(_, rack)| rack.clone());
        let zone = if zones { machine.zone.clone() } else { rack() }.unwrap_or_else(|| "".into());
        match groups.iter_mut().find(|group| group.zone == zone) {
            Some(group) => group.machines.push(Ptr::from(machine)),
            None => groups.push(Group { kind, zone, machines: vec![Ptr::from(machine)] }),
        }
    }
    groups
}

/// An amount of a resource with its unit: `1.5 cpus`, `32 GiB`.
pub(crate) fn amount(name: &str, thousandths: i64) -> String {
    const GIB: i64 = 1024 * 1000;
    match name {
        "mem" | "disk" if thousandths >= GIB => {
            let tenths = thousandths.saturating_mul(10) / GIB;
            if tenths % 10 == 0 {
                format!("{} GiB", tenths / 10)
            } else {
                format!("{}.{} GiB", tenths / 10, tenths % 10)
            }
        }
        "mem" | "disk" => format!("{} MiB", Amount(thousandths)),
        _ => Amount(thousandths).to_string(),
    }
}

/// A resource in words: `cpus: 1.5 of 8 used, 0.5 reserved`.
pub(crate) fn spoken(resource: &ResourceView) -> String {
    let of = |n| amount(&resource.name, n);
    let reserved = if resource.reserved > 0 {
        format!(", {} more reserved", of(resource.reserved))
    } else {
        String::new()
    };
    format!("{}: {} of {} used{reserved}", resource.name, of(resource.used), of(resource.total))
}

/// Returns the count-down of a silent machine: who detects it when, and how long that takes; `None` if no detection
/// is due.
pub(crate) fn count_down(machine: &MachineView, now_ms: u64) -> Option<String> {
    let ahead = machine.notices.iter().filter(|notice| notice.at_ms > now_ms);
    let said =
        ahead.map(|it| format!("{} notices at {}, in {}", it.by, clock(it.at_ms), short(it.at_ms - now_ms)));
    let said = said.collect::<Vec<_>>().join("; ");
    let first = said.chars().next()?;
    Some(first.to_uppercase().chain(said.chars().skip(1)).collect())
}

/// Returns whether a machine of the cluster is silent and undetected.
pub(crate) fn any_silent(cluster: &ClusterView) -> bool {
    cluster.machines.iter().any(|machine| !machine.notices.is_empty())
}

/// The machine of a hostname.
pub(crate) fn machine<'v>(view: &'v View, hostname: &str) -> Option<&'v Arc<MachineView>> {
    view.cluster.machines.iter().find(|machine| &*machine.hostname == hostname)
}

/// The task of an id, with its machine.
pub(crate) fn task<'v>(view: &'v View, id: &str) -> Option<(&'v Arc<MachineView>, &'v TaskView)> {
    view.cluster
        .machines
        .iter()
        .find_map(|machine| machine.tasks.iter().find(|task| &*task.id == id).map(|task| (machine, task)))
}

/// Returns the actions on the tasks of these names.
pub(crate) fn task_actions<'v>(view: &'v View, names: &[Text]) -> Vec<(&'v TaskView, &'v ActionView)> {
    let tasks = view.cluster.machines.iter().flat_map(|machine| &machine.tasks);
    tasks
        .filter(|task| names.contains(&task.name))
        .flat_map(|task| task.actions.iter().map(move |action| (task, action)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::view::NoticeView;

    #[test]
    fn amounts_have_units() {
        for (name, thousandths, want) in [
            ("cpus", 1_500, "1.5"),
            ("mem", 512_000, "512 MiB"),
            ("mem", 32 * 1024 * 1000, "32 GiB"),
            ("disk", 1536 * 1000, "1.5 GiB"),
            ("gpus", 4_000, "4"),
        ] {
            assert_eq!(amount(name, thousandths), want);
        }
    }

    #[test]
    fn a_silent_machine_counts_down_to_its_detection() {
        let notice = |by: &str, at_ms| NoticeView { by: by.into(), at_ms };
        let mut silent = MachineView::clone(&machine("m1", None));
        assert_eq!(count_down(&silent, 5_000), None);
        silent.notices = vec![notice("the master", 100_000), notice("Kubernetes", 60_000)];
        let both = "The master notices at 01:40.000, in 1 m 5 s; Kubernetes notices at 01:00.000, in 25 s";
        assert_eq!(count_down(&silent, 35_000).as_deref(), Some(both));
        assert_eq!(count_down(&silent, 60_000).as_deref(), Some("The master notices at 01:40.000, in 40 s"));
        assert_eq!(count_down(&silent, 100_000), None);
    }

    fn machine(host: &str, zone: Option<&str>) -> Arc<MachineView> {
        Arc::new(MachineView {
            revision: 0,
            hostname: host.into(),
            ip: "".into(),
            agent_id: "".into(),
            port: None,
            state: "up".into(),
            deactivated: false,
            unavailability: None,
            inverse_offers: Vec::new(),
            region: None,
            zone: zone.map(Into::into),
            attributes: Vec::new(),
            notices: Vec::new(),
            promised_twice: false,
            without_size: 0,
            resources: Vec::new(),
            tasks: Vec::new(),
            actions: Vec::new(),
        })
    }

    #[test]
    fn machines_are_grouped_by_zone_in_order() {
        let machines = vec![machine("m1", Some("b")), machine("m2", Some("a")), machine("m3", Some("b"))];
        let found = groups(&ClusterView { revision: 0, machines, statuses: &[], windows: Vec::new() });
        let shape: Vec<_> = found
            .iter()
            .map(|g| (&*g.zone, g.machines.iter().map(|m| &*m.0.hostname).collect::<Vec<_>>()))
            .collect();
        assert_eq!(shape, [("b", vec!["m1", "m3"]), ("a", vec!["m2"])]);
    }
}
