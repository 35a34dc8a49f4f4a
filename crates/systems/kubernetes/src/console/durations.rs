//! Times that flags give.

use planarium_part::console::flags::Given;

/// Parses a duration flag such as `90s` or `5m` to seconds; `None` if it is absent or 0.
pub(super) fn seconds(given: &Given, name: &str) -> Result<Option<u64>, String> {
    let Some(text) = given.value(name) else { return Ok(None) };
    let bad =
        || format!("error: invalid argument {text:?} for \"--{name}\" flag: time: invalid duration {text:?}");
    let mut total = 0_u64;
    let mut number = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        let unit = match c {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            _ => return Err(bad()),
        };
        let amount: u64 = number.parse().map_err(|_| bad())?;
        total = total.saturating_add(amount.saturating_mul(unit));
        number.clear();
    }
    if !number.is_empty() && number != "0" {
        return Err(bad());
    }
    Ok((total > 0).then_some(total))
}
