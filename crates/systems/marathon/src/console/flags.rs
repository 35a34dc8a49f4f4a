//! Flags of this command line, and ids among its arguments.

use planarium_part::console::flags::{Flag, Given, read_long};

/// Reads flags, each declared as `name` or as `name=` if it takes a value, and arguments; flags may come anywhere.
///
/// *Errors*: an unknown flag, or one without its value.
pub(super) fn read(args: &[String], flags: &[&'static str]) -> Result<Given, String> {
    read_long(args, |name| {
        let flag = flags.iter().find(|flag| flag.trim_end_matches('=') == name)?;
        Some(Flag { name: flag.trim_end_matches('='), short: None, value: flag.ends_with('=') })
    })
}

/// The id that is the first argument, with a slash before it.
pub(super) fn first_id(given: &Given) -> String {
    format!("/{}", given.argument(0).unwrap_or_default().trim_matches('/'))
}
