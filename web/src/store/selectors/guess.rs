//! Usual values of template variables, guessed from their names: an offer, never used by itself.
//!
//! *Knows*: how packages name their variables. *Must not know*: where a definition uses them.

/// Parts of names and the value that goes with them; the first part that is found counts.
const USUAL: [(&str, &str); 28] = [
    ("SERVICE_ACCOUNT_CREDENTIAL", "secrets/service-account.json"),
    ("FRAMEWORK_NAME", "my-service"),
    ("SERVICE_NAME", "my-service"),
    ("PRINCIPAL", "my-service-principal"),
    ("USER", "nobody"),
    ("VOLUME_NAME", "data"),
    ("VOLUME_PROFILE", "xfs"),
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
    ("PORT", "8080"),
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
];

/// A usual value for a variable of this name.
pub(crate) fn guess(name: &str) -> Option<&'static str> {
    USUAL.iter().find(|(part, _)| name.contains(part)).map(|(_, value)| *value)
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
            ("HELLO_PLACEMENT", None),
        ] {
            assert_eq!(guess(name), want, "{name}");
        }
    }
}
