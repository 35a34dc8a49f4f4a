//! Rules of placement and of upgrades.
//!
//! **Source**: `marathon: api/v2/validation/SchedulingValidation.scala, state/UpgradeStrategy.scala`. Match. Regular expressions
//! are parsed by `regex-lite`, without look-around and back references.

use super::Rules;
use super::double::Double;
use super::peek::Peek;
use serde_json::{Map, Value};

type Fields = Map<String, Value>;

/// The label of an app that has at most one instance.
pub(crate) const SINGLE_INSTANCE: &str = "MARATHON_SINGLE_INSTANCE_APP";

/// The operators there are.
pub(crate) const OPERATORS: [&str; 7] = ["UNIQUE", "CLUSTER", "GROUP_BY", "LIKE", "UNLIKE", "MAX_PER", "IS"];

/// Returns whether an app has at most one instance.
pub(crate) fn is_single_instance(app: &Fields) -> bool {
    app.object("labels").is_some_and(|labels| labels.word(SINGLE_INSTANCE) == "true")
}

pub(super) fn single_instance(app: &Fields, rules: &mut Rules) {
    let several = app.whole("instances").unwrap_or(1) > 1;
    rules.expect(
        !(is_single_instance(app) && several),
        "/",
        "Single instance app may only have one instance",
    );
}

/// Rules of a given upgrade strategy.
pub(super) fn upgrade(app: &Fields, resident: bool, rules: &mut Rules) {
    let Some(strategy) = app.object("upgradeStrategy") else { return };
    if is_single_instance(app) {
        rules.zero(
            Double::of(strategy.number("minimumHealthCapacity")),
            "/upgradeStrategy/minimumHealthCapacity",
        );
        rules
            .zero(Double::of(strategy.number("maximumOverCapacity")), "/upgradeStrategy/maximumOverCapacity");
    }
    if resident {
        rules.share(
            Double::of(strategy.number("minimumHealthCapacity")),
            "/upgradeStrategy/minimumHealthCapacity",
        );
        rules
            .zero(Double::of(strategy.number("maximumOverCapacity")), "/upgradeStrategy/maximumOverCapacity");
    }
}

/// Rules of a constraint of an app: field, operator, value.
pub(super) fn app_constraint(constraint: &Value, path: &str, rules: &mut Rules) {
    let parts: Vec<&str> = constraint.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let (field, operator, value) = match parts.as_slice() {
        [field, operator] => (*field, *operator, None),
        [field, operator, value] => (*field, *operator, Some(*value)),
        _ => return rules.expect(false, path, "Each constraint must have either 2 or 3 fields"),
    };
    if field.is_empty() {
        return rules.expect(false, path, "illegal constraint specification");
    }
    match OPERATORS.iter().find(|known| known.eq_ignore_ascii_case(operator)) {
        Some(operator) => self::constraint(field, operator, value, path, rules),
        None => rules.expect(
            false,
            path,
            "operator must be one of the following UNIQUE, CLUSTER, GROUP_BY, LIKE, MAX_PER, UNLIKE or IS",
        ),
    }
}

/// Rules of a constraint with an operator there is.
pub(super) fn constraint(field: &str, operator: &str, value: Option<&str>, path: &str, rules: &mut Rules) {
    let whole = |value: &str| is_int(value);
    match operator {
        _ if field.is_empty() => rules.expect(false, path, "missing field for constraint declaration"),
        "UNIQUE" => rules.expect(value.is_none(), path, "UNIQUE does not accept a value"),
        "GROUP_BY" => {
            let message = "GROUP BY must define an integer value or else no value at all";
            rules.expect(value.is_none_or(whole), path, message);
        }
        "MAX_PER" => rules.expect(value.is_some_and(whole), path, "MAX_PER requires an integer value"),
        "LIKE" | "UNLIKE" => match value {
            None => {
                rules.expect(false, path, "LIKE and UNLIKE require a non-empty, regular expression value");
            }
            Some(value) => {
                rules.expect(
                    regex_lite::Regex::new(value).is_ok(),
                    path,
                    "is not a valid regular expression",
                );
            }
        },
        "IS" => {
            let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'/' | b'.' | b'-');
            rules.expect(
                value.is_none_or(|value| value.bytes().all(plain)),
                path,
                "IS only supports Mesos text and float values (see http://mesos.apache.org/documentation/latest/attributes-resources/)",
            );
        }
        _ => {}
    }
}

/// Returns whether Java's `Integer.parseInt` takes the text.
fn is_int(text: &str) -> bool {
    text.parse::<i32>().is_ok()
}
