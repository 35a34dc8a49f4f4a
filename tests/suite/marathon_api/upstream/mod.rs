//! The facts of Marathon's own tests, as rows and cases against this API.
//!
//! A row names its source test: the file below `src/test/scala/mesosphere` of `mesosphere/marathon` 1.11, and the name of the test
//! there. Inputs are rewritten in the shortest form that has the fact; the status, the field and its value are upstream's. Facts of a
//! unit that no request can reach (protobuf, actors' internals, authentication) are left out.

mod checks;
mod definitions;
mod formats;
mod groups;
mod kills;
mod placements;
mod plans;
mod pods;
mod replacements;
mod residents;
mod run_specs;
mod updates;

use super::*;
use std::collections::BTreeMap;

/// A request of a row.
#[derive(Clone, Copy, Debug)]
enum Ask {
    /// `POST /v2/apps` of [`APP`] with these fields; null takes one away.
    App(&'static str),
    /// `POST /v2/pods` of [`POD`] with these fields.
    Pod(&'static str),
    /// `POST /v2/groups`.
    Group(&'static str),
    /// Any other: method, path, body.
    Call(&'static str, &'static str, &'static str),
}

const APP: &str = r#"{"id": "/test", "cmd": "sleep 1000"}"#;
const POD: &str = r#"{"id": "/some/pod", "containers": [{"name": "ct1", "resources": {"cpus": 1, "mem": 128}}],
    "networks": [{"mode": "host"}]}"#;

/// The expectation of an upstream test.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    /// It is accepted.
    Taken,
    /// It is accepted, and a field of the answer has this value; null if it is absent.
    Is(&'static str, &'static str),
    /// The same of a list without order.
    Holds(&'static str, &'static str),
    /// It is accepted, and a field of the answer is anything but this.
    IsNot(&'static str, &'static str),
    /// It is accepted, and two fields of the answer are there and the same.
    Same(&'static str, &'static str),
    /// It is accepted, and two fields of the answer are there and differ.
    Differ(&'static str, &'static str),
    /// It is refused with 422, and this path has this error.
    Flaw(&'static str, &'static str),
    /// It is refused with 422, and this path has an error: upstream's test sees it behind the reader of the JSON, which speaks first here.
    FlawAt(&'static str),
    /// It is refused with 422, and some error contains this.
    Says(&'static str),
    /// The answer has this status.
    Status(u16),
}

use Wanted::{Differ, Flaw, FlawAt, Holds, Is, IsNot, Same, Says, Status, Taken};

/// A test of upstream's as one request, or as the last of several.
#[derive(Clone, Copy, Debug)]
struct Row {
    test: &'static str,
    flags: &'static [(&'static str, &'static str)],
    before: &'static [Ask],
    ask: Ask,
    wanted: &'static [Wanted],
}

const fn row(test: &'static str, ask: Ask, wanted: &'static [Wanted]) -> Row {
    Row { test, flags: &[], before: &[], ask, wanted }
}

const fn app_row(test: &'static str, fields: &'static str, wanted: &'static [Wanted]) -> Row {
    row(test, Ask::App(fields), wanted)
}

const fn pod_row(test: &'static str, fields: &'static str, wanted: &'static [Wanted]) -> Row {
    row(test, Ask::Pod(fields), wanted)
}

impl Row {
    const fn with(self, flags: &'static [(&'static str, &'static str)]) -> Self {
        Self { flags, ..self }
    }

    const fn after(self, before: &'static [Ask]) -> Self {
        Self { before, ..self }
    }
}

const SECRETS: &[(&str, &str)] = &[("MARATHON_ENABLE_FEATURES", "secrets")];
const GPUS: &[(&str, &str)] = &[("MARATHON_ENABLE_FEATURES", "gpu_resources")];
const VOLUMES: &[(&str, &str)] = &[("MARATHON_ENABLE_FEATURES", "external_volumes")];
const ROLE: &[(&str, &str)] = &[("MARATHON_MESOS_ROLE", "foo")];

/// A test file of upstream's with its rows.
type Table = (&'static str, &'static [Row]);

/// Every table of rows.
fn tables() -> Vec<Table> {
    [
        formats::TABLES,
        definitions::TABLES,
        checks::TABLES,
        groups::TABLES,
        pods::TABLES,
        residents::TABLES,
        run_specs::TABLES,
        updates::TABLES,
    ]
    .concat()
}

/// Test files that something here was read from, in the order of the ledger.
const SOURCES: &[&str] = &[
    "marathon/api/v2/json/AppDefinitionFormatsTest.scala",
    "marathon/api/v2/json/AppDefinitionTest.scala",
    "marathon/api/v2/json/AppUpdateTest.scala",
    "marathon/api/v2/json/GroupUpdateTest.scala",
    "marathon/api/v2/json/ReadinessCheckFormatTest.scala",
    "marathon/api/v2/validation/AppValidationTest.scala",
    "marathon/api/v2/validation/EnvVarValidationTest.scala",
    "marathon/api/v2/validation/GroupValidationTest.scala",
    "marathon/api/v2/validation/PodsValidationTest.scala",
    "marathon/api/v2/validation/SchedulingValidationTest.scala",
    "marathon/api/v2/GroupsResourceTest.scala",
    "marathon/api/validation/AppDefinitionMesosHealthCheckValidationTest.scala",
    "marathon/api/validation/AppDefinitionReadinessCheckValidationTest.scala",
    "marathon/api/validation/AppDefinitionSchedulerValidationTest.scala",
    "marathon/api/validation/AppDefinitionValidationTest.scala",
    "marathon/api/validation/AppUpdateValidatorTest.scala",
    "marathon/api/validation/ReadinessCheckValidatorTest.scala",
    "marathon/api/validation/RunSpecValidatorTest.scala",
    "marathon/api/ConstraintTest.scala",
    "marathon/core/deployment/DeploymentPlanTest.scala",
    "marathon/core/deployment/impl/DeploymentPlanRevertTest.scala",
    "marathon/core/deployment/impl/ScalingPropositionTest.scala",
    "marathon/core/deployment/impl/TaskReplaceActorTest.scala",
    "marathon/raml/UnreachableStrategyConversionTest.scala",
    "marathon/state/KillSelectionTest.scala",
    "marathon/state/PathIdTest.scala",
    "marathon/state/ResourceRoleTest.scala",
    "marathon/state/UnreachableStrategyTest.scala",
    "marathon/upgrade/GroupVersioningUtilTest.scala",
    "mesos/ConstraintsTest.scala",
];

/// Assertions by test file.
fn counts() -> BTreeMap<&'static str, usize> {
    let rows = tables()
        .into_iter()
        .flat_map(|(source, rows)| rows.iter().map(move |row| (source, row.wanted.len())));
    let plays =
        [placements::assertions(), plans::assertions(), replacements::assertions(), kills::assertions()];
    let mut all = BTreeMap::new();
    for (source, count) in rows.chain(plays.into_iter().flatten()) {
        *all.entry(source).or_default() += count;
    }
    all
}

#[test]
fn every_source_has_rows() {
    let counts = counts();
    let named: Vec<&str> = counts.keys().copied().collect();
    let mut sources = SOURCES.to_vec();
    sources.sort_unstable();
    assert_eq!(named, sources);
    let empty: Vec<&&str> =
        counts.iter().filter(|(_, count)| **count == 0).map(|(source, _)| source).collect();
    assert!(empty.is_empty(), "{empty:?}");
    let total: usize = counts.values().sum();
    assert!(total >= 150, "{total} assertions: {counts:#?}");
}

#[test]
fn rows_match_upstreams_tests() {
    let mut wrong = Vec::new();
    for (source, rows) in tables() {
        for row in rows {
            let found = check_row(row);
            wrong.extend(
                found.into_iter().map(|text| format!("{source} '{}' {:?}: {text}", row.test, row.ask)),
            );
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

/// A client of a Marathon that was started with these flags.
fn started(flags: &[(&str, &str)]) -> Client {
    if flags.is_empty() {
        return client();
    }
    let env: BTreeMap<&str, &str> = flags.iter().copied().collect();
    with_flags(&json!(env))
}

/// Returns an object with additional fields that replace its own; null removes one.
#[expect(clippy::expect_used, reason = "helper of tests")]
fn merged(base: &str, fields: &str) -> Value {
    let read = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let (mut all, more) = (read(base), read(fields));
    for (key, value) in more.as_object().into_iter().flatten() {
        if let Some(all) = all.as_object_mut() {
            if value.is_null() {
                all.shift_remove(key);
            } else {
                all.insert(key.clone(), value.clone());
            }
        }
    }
    all
}

fn asked(client: &mut Client, ask: Ask) -> planarium_tests::Answer {
    match ask {
        Ask::App(fields) => call(client, "POST", "/v2/apps", &merged(APP, fields)),
        Ask::Pod(fields) => call(client, "POST", "/v2/pods", &merged(POD, fields)),
        Ask::Group(body) => client.send("POST", "/v2/groups", body),
        Ask::Call(method, path, body) => client.send(method, path, body),
    }
}

/// Returns the differences from a row.
#[expect(clippy::expect_used, reason = "helper of tests")]
fn check_row(row: &Row) -> Vec<String> {
    let mut client = started(row.flags);
    for ask in row.before {
        let answer = asked(&mut client, *ask);
        assert!(answer.status < 300, "'{}': {}: {}", row.test, answer.asked, answer.text);
        pass(&mut client, 60);
    }
    let answer = asked(&mut client, row.ask);
    let said: Value = serde_json::from_str(&answer.text).unwrap_or_default();
    let field = |pointer: &str| said.pointer(pointer).cloned().unwrap_or_default();
    let wanted = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let flaws = faults(&said);
    let is_taken = answer.status < 300;
    let sorted = |value: Value| {
        let mut items: Vec<String> = value.as_array().into_iter().flatten().map(Value::to_string).collect();
        items.sort_unstable();
        items
    };
    let holds = |one: &Wanted| match one {
        Taken => is_taken,
        Is(pointer, value) => is_taken && same(&field(pointer), &wanted(value)),
        Holds(pointer, value) => is_taken && sorted(field(pointer)) == sorted(wanted(value)),
        IsNot(pointer, value) => is_taken && field(pointer) != wanted(value),
        Same(one, other) => is_taken && !field(one).is_null() && field(one) == field(other),
        Differ(one, other) => {
            is_taken && !field(one).is_null() && !field(other).is_null() && field(one) != field(other)
        }
        Flaw(path, text) => {
            answer.status == 422 && flaws.iter().any(|(own, error)| own == path && error == text)
        }
        FlawAt(path) => answer.status == 422 && flaws.iter().any(|(own, _)| own == path),
        Says(text) => answer.status == 422 && flaws.iter().any(|(_, error)| error.contains(text)),
        Status(status) => answer.status == *status,
    };
    let failed = row.wanted.iter().filter(|one| !holds(one));
    failed.map(|one| format!("{one:?}, found {} {}", answer.status, answer.text)).collect()
}

/// Equality of JSON in which 1 and 1.0 are the same.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

/// The errors of a refusal, each with its path.
fn faults(said: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let details = said.get("details").and_then(Value::as_array).into_iter().flatten();
    let one = |fault: &Value| {
        let path = fault.get("path").map(text).unwrap_or_default();
        let errors = fault.get("errors").and_then(Value::as_array).cloned().unwrap_or_default();
        errors.into_iter().map(move |error| (path.clone(), text(&error)))
    };
    details.flat_map(one).collect()
}
