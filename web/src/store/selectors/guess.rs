//! Usual values of template variables, guessed from their names: offered, never applied automatically.
//!
//! *Knows*: how packages name their variables. *Must not know*: where a definition uses them.

use planarium_kernel::SortedSet;

/// Parts of names and the value that goes with them; the first part that is found counts.
const USUAL: &[(&str, &str)] = &[
    ("SERVICE_ACCOUNT_CREDENTIAL", "secrets/service-account.json"),
    ("FRAMEWORK_NAME", "my-service"),
    ("SERVICE_NAME", "my-service"),
    ("PRINCIPAL", "my-service-principal"),
    ("USER", "nobody"),
    ("VOLUME_NAME", "data"),
    ("VOLUME_PROFILE", "xfs"),
    ("VOLUME_TYPE", "ROOT"),
    ("DISK_TYPE", "ROOT"),
    ("HEAP_GC", "CMS"),
    ("DRIVER_NAME", "pxd"),
    ("VERSION", "1.0"),
    ("GPUS", "1"),
    ("CPUS", "0.5"),
    ("CPU", "0.5"),
    ("MEM", "512"),
    ("DISK", "256"),
    ("SIZE", "256"),
    ("COUNT", "2"),
    ("INSTANCES", "2"),
    (PORT, "8080"),
    ("STRATEGY", "serial"),
    ("SECRET", "my-service/secret"),
    ("NOFILE", "1024"),
    ("PERIOD", "15"),
    ("TIMEOUT", "10"),
    ("INTERVAL", "5"),
    ("DELAY", "0"),
    ("DURATION", "1000"),
    ("PREFIX", "task"),
    ("URI", "https://example.org/file"),
    ("RESOLVER", "https://example.org/resolver"),
    ("NODES", "3"),
];

/// Part of the name of a port. Two ports of a service are never the same: they could not be on one machine.
const PORT: &str = "PORT";
/// The first port. Further ones follow it.
const FIRST_PORT: u16 = 8080;

/// A usual value for a variable of this name.
pub(crate) fn guess(name: &str) -> Option<&'static str> {
    USUAL.iter().find(|(part, _)| name.contains(part)).map(|(_, value)| *value)
}

/// Usual values for these variables, those without one left out. Each port is another one than those taken already.
pub(crate) fn usual<'n>(
    names: impl Iterator<Item = &'n str>,
    taken: impl Iterator<Item = &'n str>,
) -> Vec<(&'n str, String)> {
    let mut ports: SortedSet<String> = taken.map(str::to_owned).collect();
    let value = |name: &'n str| {
        let (part, value) = USUAL.iter().find(|(part, _)| name.contains(part))?;
        if *part != PORT {
            return Some((name, (*value).to_owned()));
        }
        let port = (FIRST_PORT..u16::MAX).map(|port| port.to_string()).find(|port| !ports.contains(port))?;
        ports.insert(port.clone());
        Some((name, port))
    };
    names.filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_by_name_and_leaves_the_rest() {
        for (name, want) in [
            ("FRAMEWORK_NAME", Some("my-service")),
            ("HELLO_CPUS", Some("0.5")),
            ("WORLD_COUNT", Some("2")),
            ("DCOS_SERVICE_ACCOUNT_CREDENTIAL", Some("secrets/service-account.json")),
            ("DEPLOY_STRATEGY", Some("serial")),
            ("BOOTSTRAP_URI", Some("https://example.org/file")),
            ("ZONE_RESOLVER", Some("https://example.org/resolver")),
            ("HELLO_PLACEMENT", None),
            ("JOURNAL_DISK_TYPE", Some("ROOT")),
            ("JOURNAL_DISK", Some("256")),
            ("NODES", Some("3")),
        ] {
            assert_eq!(guess(name), want, "{name}");
        }
    }

    #[test]
    fn no_two_ports_are_equal() {
        let names = ["JMX_PORT", "PLACEMENT", "RPC_PORT", "NODE_COUNT"];
        let values = usual(names.into_iter(), ["8081"].into_iter());
        let want = [("JMX_PORT", "8080"), ("RPC_PORT", "8082"), ("NODE_COUNT", "2")];
        assert_eq!(values, want.map(|(name, value)| (name, value.to_owned())));
    }
}
