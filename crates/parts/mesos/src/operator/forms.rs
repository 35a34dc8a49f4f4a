//! Bodies and queries in the form of HTML forms.

use std::collections::BTreeMap;

/// Fields of a form, percent-decoded; the last of a repeated name wins.
pub fn form_fields(form: &str) -> BTreeMap<String, String> {
    let pairs = form.trim().split('&').filter(|pair| !pair.is_empty());
    let split = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (percent_decoded(name, true), percent_decoded(value, true))
    };
    planarium_kernel::sorted::tree(pairs.map(split))
}

/// Percent-decodes a text; invalid escapes stay unchanged. In forms a plus is a space.
pub fn percent_decoded(text: &str, plus_is_space: bool) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        let digit = |b: &u8| char::from(*b).to_digit(16).and_then(|d| u8::try_from(d).ok());
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => match digit(high).zip(digit(low)) {
                Some((high, low)) => {
                    bytes.push(high << 4 | low);
                    rest = after;
                }
                None => bytes.push(b'%'),
            },
            (b'+', _) if plus_is_space => bytes.push(b' '),
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
