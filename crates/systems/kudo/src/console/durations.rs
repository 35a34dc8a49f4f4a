//! Times that flags give.

use planarium_part::console::flags::Given;

/// A flag's number of seconds.
pub(super) fn seconds(given: &Given, name: &str, default: u64) -> Result<u64, String> {
    match given.value(name) {
        None => Ok(default),
        Some(value) => value.parse().map_err(|_| {
            format!(
                "invalid argument {value:?} for \"--{name}\" flag: strconv.ParseInt: parsing {value:?}: invalid syntax"
            )
        }),
    }
}
