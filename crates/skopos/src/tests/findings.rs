//! Every finding with its line.

use super::support::{HEAD, findings, request};
use crate::load::load;

/// What is found in a plan whose header takes the first two lines, as `line CODE`.
fn found(body: &str) -> Vec<String> {
    let loaded = load(&request(&format!("{HEAD}{body}")));
    let codes = findings(&loaded);
    codes
        .iter()
        .map(|line| {
            let (at, rest) = line.split_once(' ').expect("a line");
            let code = rest.split_once('[').and_then(|(_, rest)| rest.split_once(']')).expect("a code").0;
            format!("{at} {code}")
        })
        .collect()
}

#[test]
fn errors_stand_where_they_are() {
    let cases: &[(&str, &str, &[&str])] =
        &[("empty steps", "steps:\n", &[]), ("no steps", "", &["1 SKO012"])];
    for (name, body, wanted) in cases {
        assert_eq!(found(body), *wanted, "{name}");
    }
}
