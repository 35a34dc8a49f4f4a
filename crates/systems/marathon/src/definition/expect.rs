//! Collecting rules that do not hold, in the words of the real validators.

use super::Violation;
use super::double::Double;
use planarium_kernel::Limits;

/// Maximum of violations reported.
const TOLD: usize = 200;

/// Violations found so far.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    found: Vec<Violation>,
}

impl Rules {
    /// Notes a violation unless the rule holds.
    pub(crate) fn expect(&mut self, holds: bool, path: impl Into<String>, message: impl Into<String>) {
        if !holds {
            let violation = Violation::new(path, message);
            // The posted form and its result are both checked, often with the same violation.
            if self.found.len() < TOLD && !self.found.contains(&violation) {
                self.found.push(violation);
            }
        }
    }

    /// `is notEmpty`.
    pub(crate) fn not_empty(&mut self, holds: bool, path: impl Into<String>) {
        self.expect(holds, path, "must not be empty");
    }

    /// `is empty`.
    pub(crate) fn empty(&mut self, holds: bool, path: impl Into<String>) {
        self.expect(holds, path, "must be empty");
    }

    /// A feature is enabled.
    pub(crate) fn feature(&mut self, enabled: bool, path: impl Into<String>, feature: &str) {
        self.expect(
            enabled,
            path,
            format!("Feature {feature} is not enabled. Enable with --enable_features {feature})"),
        );
    }

    /// A number between 0 and 1.
    pub(crate) fn share(&mut self, number: Double, path: &str) {
        let number = number.shown();
        self.expect(
            (0.0..=1.0).contains(&number),
            path,
            format!("got {}, expected between 0.0 and 1.0", double(number)),
        );
    }

    /// A number that is exactly 0.
    pub(crate) fn zero(&mut self, number: Double, path: &str) {
        self.expect(number.is_zero(), path, format!("got {}, expected 0.0", double(number.shown())));
    }

    /// A number of instances that the simulator takes.
    pub(crate) fn room(&mut self, instances: i64, path: &str) {
        let most = i64::from(Limits::DEFAULT.instances);
        self.expect(instances <= most, path, too_many(instances));
    }

    /// Returns the number of violations so far.
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    pub(crate) fn into_found(self) -> Vec<Violation> {
        self.found
    }
}

/// The refusal of more instances than the simulator takes.
pub(crate) fn too_many(instances: i64) -> String {
    format!(
        "got {instances}, expected at most {}: the simulator takes no more instances",
        Limits::DEFAULT.instances
    )
}

/// A double as Scala writes it: with a point.
pub(crate) fn double(number: f64) -> String {
    let text = number.to_string();
    if text.bytes().all(|b| b.is_ascii_digit() || b == b'-') { format!("{text}.0") } else { text }
}

/// Items of which no two are the same.
pub(crate) fn are_unique<K: Ord>(mut keys: Vec<K>) -> bool {
    planarium_kernel::sorted::sort(&mut keys);
    keys.windows(2).all(|pair| pair.first() != pair.last())
}
