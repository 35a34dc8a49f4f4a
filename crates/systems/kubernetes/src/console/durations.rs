//! Times that flags give.

use planarium_part::console::flags::Given;
use planarium_source::go_duration_ms;

/// Parses a duration flag such as `90s` or `5m` to seconds, rounded up; `None` if it is absent or 0.
pub(super) fn seconds(given: &Given, name: &str) -> Result<Option<u64>, String> {
    let Some(text) = given.value(name) else { return Ok(None) };
    let ms = go_duration_ms(text).and_then(|ms| u64::try_from(ms).ok()).ok_or_else(|| {
        format!("error: invalid argument {text:?} for \"--{name}\" flag: time: invalid duration {text:?}")
    })?;
    Ok(Some(ms.div_ceil(1_000)).filter(|seconds| *seconds > 0))
}
