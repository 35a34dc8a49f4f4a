//! Names in the schedule that match no machine of the cluster: it is easy to leave out an address.
//!
//! Source: `apache/mesos: include/mesos/type_utils.hpp` (operator == of MachineID): both fields count. The message is
//! ours; the real master accepts any name.

use crate::{
    agents::Agents,
    maintenance::{MachineId as MachineName, Maintenance, Schedule},
};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;

/// Largest number of machines named in one message.
const MAX_NAMED: usize = 5;

/// Machines of the cluster by their host names and by their addresses.
#[derive(Default)]
pub(crate) struct Neighbours {
    by_hostname: SortedMap<String, (Text, Text)>,
    by_ip: SortedMap<Text, (Text, Text)>,
}

impl Neighbours {
    fn insert(&mut self, hostname: &Text, ip: &Text) {
        let both = (hostname.clone(), ip.clone());
        self.by_hostname.entry(hostname.to_ascii_lowercase()).or_insert_with(|| both.clone());
        self.by_ip.entry(ip.clone()).or_insert(both);
    }

    /// Guesses the intended machine of a name that matches none.
    fn hint(&self, name: &MachineName) -> String {
        let given = |text: &Option<Text>| text.as_ref().filter(|text| !text.is_empty()).cloned();
        let (hostname, ip) = (given(&name.hostname), given(&name.ip));
        let same_name = hostname.as_ref().and_then(|name| self.by_hostname.get(&name.to_ascii_lowercase()));
        let same_ip = ip.as_ref().and_then(|ip| self.by_ip.get(ip));
        match (same_name, same_ip, hostname.is_some() && ip.is_some()) {
            (Some((_, ip)), _, false) => {
                format!(
                    "it matches no machine: a machine has a host name and an address, write \"ip\": \"{ip}\" too"
                )
            }
            (_, Some((hostname, _)), false) => format!(
                "it matches no machine: a machine has a host name and an address, write \"hostname\": \"{hostname}\" too"
            ),
            (Some((hostname, ip)), _, true) => {
                format!("it matches no machine: {hostname} has the address {ip}")
            }
            (_, Some((hostname, ip)), true) => {
                format!("it matches no machine: {ip} is the address of {hostname}")
            }
            (None, None, _) => "it matches no machine of this cluster".to_owned(),
        }
    }
}

/// The machines of the cluster by name. *Cost*: walks all; needed only for names that match none.
pub(crate) fn neighbours(agents: &Agents) -> Neighbours {
    let mut all = Neighbours::default();
    for agent in agents.hosts.agents().filter_map(|id| agents.get(id)) {
        all.insert(&agent.hostname, &agent.ip);
    }
    all
}

/// Why a name matches no machine; none when it matches one.
pub(crate) fn unmatched(
    maintenance: &Maintenance,
    name: &MachineName,
    neighbours: &Neighbours,
) -> Option<Text> {
    (!maintenance.is_matched(name)).then(|| neighbours.hint(name).into())
}

/// The message about a schedule with names that match no machine.
pub(super) fn said_of_unmatched(
    maintenance: &Maintenance,
    agents: &Agents,
    schedule: &Schedule,
) -> Option<String> {
    let mut names =
        schedule.machines().map(|(name, _)| name).filter(|name| !maintenance.is_matched(name)).peekable();
    names.peek()?;
    let neighbours = neighbours(agents);
    let named: Vec<String> =
        names.by_ref().take(MAX_NAMED).map(|name| format!("{name}: {}", neighbours.hint(name))).collect();
    let more = match names.count() {
        0 => String::new(),
        count => format!("; and {count} more"),
    };
    Some(format!("in the schedule, but no machine: {}{more}", named.join("; ")))
}
