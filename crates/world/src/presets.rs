//! Clusters by name, for users who do not want to describe machines.
//!
//! Knows: sizes of machines. Must not know: which service runs on them.

use planarium_protocol::Amount;
use planarium_protocol::input::{AddAgent, Disk, Resources};

/// A named cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The preset's name.
    pub name: &'static str,
    /// One line for people.
    pub title: &'static str,
}

/// All presets, the default one first.
pub const PRESETS: &[Preset] = &[
    Preset { name: "default", title: "5 generous machines: 8 cpus, 32 GiB, 200 GiB disk each" },
    Preset { name: "1", title: "1 generous machine" },
    Preset { name: "3", title: "3 generous machines" },
    Preset { name: "10", title: "10 generous machines" },
    Preset { name: "100", title: "100 generous machines" },
    Preset { name: "250", title: "250 generous machines" },
    Preset { name: "500", title: "500 generous machines over 5 zones" },
    Preset { name: "1000", title: "1,000 generous machines over 5 zones" },
    Preset { name: "small", title: "3 small machines: 2 cpus, 4 GiB, 20 GiB disk each" },
    Preset { name: "tight", title: "2 machines with hardly any room: 1 cpu, 2 GiB, 10 GiB disk each" },
    Preset { name: "zones", title: "6 generous machines over 3 zones, with rack attributes" },
    Preset { name: "gpu", title: "3 generous machines and 2 with 4 GPUs each" },
    Preset { name: "mount", title: "5 generous machines with 2 MOUNT disks of 50 GiB each" },
    Preset {
        name: "full",
        title: "5 generous machines with MOUNT disks, 2 with GPUs, 2 set apart for the role slave_public",
    },
];

const GIB: i64 = 1024;

fn machine(cpus: i64, mem_gib: i64, disk_gib: i64) -> AddAgent {
    AddAgent {
        resources: Resources {
            cpus: Some(Amount::whole(cpus)),
            mem: Some(Amount::whole(mem_gib * GIB)),
            disk: Some(Amount::whole(disk_gib * GIB)),
            gpus: None,
            ports: Some("[1025-32000]".to_owned()),
            disks: Vec::new(),
        },
        ..AddAgent::default()
    }
}

fn generous(count: u32) -> AddAgent {
    AddAgent { count: Some(count), ..machine(8, 32, 200) }
}

/// Returns `each` machines in each of five zones.
fn zoned(each: u32) -> Vec<AddAgent> {
    let zones = ["a", "b", "c", "d", "e"].into_iter();
    let region = || Some("region-1".to_owned());
    zones
        .map(|zone| AddAgent { region: region(), zone: Some(format!("zone-{zone}")), ..generous(each) })
        .collect()
}

/// The machine with MOUNT disks of 50 GiB, one per profile entry.
fn with_disks(mut agent: AddAgent, profiles: &[Option<&str>]) -> AddAgent {
    agent.resources.disks = profiles
        .iter()
        .enumerate()
        .map(|(n, profile)| Disk {
            kind: "MOUNT".to_owned(),
            path: format!("/dcos/volume{n}"),
            size: Amount::whole(50 * GIB),
            profile: profile.map(ToOwned::to_owned),
        })
        .collect();
    agent
}

/// Returns the machines of a preset; `None` if it does not exist.
pub fn cluster(name: &str) -> Option<Vec<AddAgent>> {
    let agents = match name {
        "default" | "5" => vec![generous(5)],
        "1" => vec![generous(1)],
        "3" => vec![generous(3)],
        "10" => vec![generous(10)],
        "100" => vec![generous(100)],
        "250" => vec![generous(250)],
        "500" => zoned(100),
        "1000" => zoned(200),
        "small" => vec![AddAgent { count: Some(3), ..machine(2, 4, 20) }],
        "tight" => vec![AddAgent { count: Some(2), ..machine(1, 2, 10) }],
        "zones" => ["a", "b", "c"]
            .into_iter()
            .enumerate()
            .map(|(rack, zone)| AddAgent {
                count: Some(2),
                region: Some("region-1".to_owned()),
                zone: Some(format!("zone-{zone}")),
                attributes: planarium_kernel::sorted::tree([("rack".to_owned(), format!("r{}", rack + 1))]),
                ..machine(8, 32, 200)
            })
            .collect(),
        "gpu" => {
            let mut with_gpus = AddAgent { count: Some(2), ..machine(8, 64, 200) };
            with_gpus.resources.gpus = Some(Amount::whole(4));
            vec![generous(3), with_gpus]
        }
        "mount" => vec![with_disks(generous(5), &[None, None])],
        "full" => {
            let disks = with_disks(generous(5), &[None, None, None, None, Some("xfs"), Some("xfs")]);
            let mut gpus = AddAgent { count: Some(2), ..machine(8, 64, 200) };
            gpus.resources.gpus = Some(Amount::whole(4));
            // All resources of these machines are reserved for the role, as on public agents.
            let mut public = AddAgent { count: Some(2), ..machine(0, 0, 0) };
            let own = Resources { ports: Some("[1-32000]".to_owned()), ..machine(8, 32, 200).resources };
            public.resources.ports = Some("[32001-32010]".to_owned());
            public.roles.insert("slave_public".to_owned(), own);
            vec![disks, gpus, public]
        }
        _ => return None,
    };
    Some(agents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_preset_exists_and_others_do_not() {
        for preset in PRESETS {
            let agents = cluster(preset.name).expect(preset.name);
            assert!(agents.iter().map(|a| a.count.unwrap_or(1)).sum::<u32>() > 0, "{}", preset.name);
        }
        assert_eq!(PRESETS[0].name, "default");
        assert_eq!(cluster("nonsense"), None);
    }
}
