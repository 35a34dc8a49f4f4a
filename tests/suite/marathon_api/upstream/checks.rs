//! Rules of health checks, readiness checks and unreachable strategies.

use super::*;

pub(super) const TABLES: &[Table] = &[
    ("marathon/api/v2/json/ReadinessCheckFormatTest.scala", FORMATS),
    ("marathon/api/validation/ReadinessCheckValidatorTest.scala", READINESS),
    ("marathon/api/validation/AppDefinitionReadinessCheckValidationTest.scala", READINESS_OF_APPS),
    ("marathon/api/validation/AppDefinitionMesosHealthCheckValidationTest.scala", MESOS_CHECKS),
    ("marathon/api/validation/AppDefinitionSchedulerValidationTest.scala", SCHEDULERS),
    ("marathon/state/UnreachableStrategyTest.scala", UNREACHABLE),
];

/// An app with a port for readiness checks, and one such check.
macro_rules! ready {
    ($check:literal) => {
        concat!(
            r#"{"portDefinitions": [{"port": 123, "name": "http-api"}], "readinessChecks": ["#,
            $check,
            "]}"
        )
    };
}

const FORMATS: &[Row] = &[
    app_row(
        "if we read empty JSON object, we use default values",
        ready!("{}"),
        &[
            Is("/readinessChecks/0/name", r#""readinessCheck""#),
            Is("/readinessChecks/0/protocol", r#""HTTP""#),
            Is("/readinessChecks/0/path", r#""/""#),
            Is("/readinessChecks/0/portName", r#""http-api""#),
            Is("/readinessChecks/0/intervalSeconds", "30"),
            Is("/readinessChecks/0/timeoutSeconds", "10"),
            Is("/readinessChecks/0/httpStatusCodesForReady", "[200]"),
            Is("/readinessChecks/0/preserveLastResponse", "false"),
        ],
    ),
    app_row(
        "alternativeHttps readiness check is convertible from/to JSON",
        ready!(
            r#"{"name": "dcosMigrationApi", "protocol": "HTTPS", "path": "/v1/plan", "intervalSeconds": 10, "timeoutSeconds": 2,
                "httpStatusCodesForReady": [201], "preserveLastResponse": true}"#
        ),
        &[
            Is("/readinessChecks/0/name", r#""dcosMigrationApi""#),
            Is("/readinessChecks/0/protocol", r#""HTTPS""#),
            Is("/readinessChecks/0/path", r#""/v1/plan""#),
            Is("/readinessChecks/0/intervalSeconds", "10"),
            Is("/readinessChecks/0/timeoutSeconds", "2"),
            Is("/readinessChecks/0/httpStatusCodesForReady", "[201]"),
            Is("/readinessChecks/0/preserveLastResponse", "true"),
        ],
    ),
];

const READINESS: &[Row] = &[
    app_row("default is valid", ready!("{}"), &[Taken]),
    app_row("empty name is invalid", ready!(r#"{"name": ""}"#), &[FlawAt("/readinessChecks(0)/name")]),
    app_row("empty path is invalid", ready!(r#"{"path": ""}"#), &[FlawAt("/readinessChecks(0)/path")]),
    app_row(
        "empty portName is invalid",
        ready!(r#"{"portName": ""}"#),
        &[FlawAt("/readinessChecks(0)/portName")],
    ),
    app_row("unknown portName is invalid", ready!(r#"{"portName": "unknown"}"#), &[Status(422)]),
    app_row(
        "interval == 0 is invalid",
        ready!(r#"{"intervalSeconds": 0}"#),
        &[FlawAt("/readinessChecks(0)/timeoutSeconds")],
    ),
    app_row(
        "interval < 0 is invalid",
        ready!(r#"{"intervalSeconds": -10}"#),
        &[FlawAt("/readinessChecks(0)/intervalSeconds")],
    ),
    app_row(
        "timeout == 0 is invalid",
        ready!(r#"{"timeoutSeconds": 0}"#),
        &[FlawAt("/readinessChecks(0)/timeoutSeconds")],
    ),
    app_row(
        "timeout < interval is valid",
        ready!(r#"{"timeoutSeconds": 3, "intervalSeconds": 10}"#),
        &[Taken],
    ),
    app_row(
        "timeout == interval is invalid",
        ready!(r#"{"timeoutSeconds": 3, "intervalSeconds": 3}"#),
        &[Status(422)],
    ),
    app_row(
        "timeout > interval is invalid",
        ready!(r#"{"timeoutSeconds": 10, "intervalSeconds": 3}"#),
        &[Status(422)],
    ),
    app_row(
        "empty httpStatusCodesForReady is invalid",
        ready!(r#"{"httpStatusCodesForReady": []}"#),
        &[Status(422)],
    ),
];

const READINESS_OF_APPS: &[Row] = &[
    app_row(
        "app with 0 readinessChecks is valid",
        r#"{"readinessChecks": []}"#,
        &[Is("/readinessChecks", "null")],
    ),
    app_row("app with 1 readinessCheck is valid", ready!("{}"), &[Taken]),
    app_row(
        "app with more than 1 readinessChecks is invalid",
        ready!("{}, {}"),
        &[Flaw("/readinessChecks/size", "got 2, expected 1 or less")],
    ),
    app_row("app with invalid readinessChecks is invalid", ready!(r#"{"name": ""}"#), &[Status(422)]),
    app_row(
        "readinessCheck NOT corresponding to port definitions are invalid",
        r#"{"portDefinitions": [{"port": 123, "name": "foo"}], "readinessChecks": [{"portName": "invalid"}]}"#,
        &[Says("No port definition reference for portName invalid")],
    ),
    app_row(
        "readinessCheck corresponding to port definitions are valid",
        r#"{"portDefinitions": [{"port": 123, "name": "foo"}], "readinessChecks": [{"portName": "foo"}]}"#,
        &[Is("/readinessChecks/0/portName", r#""foo""#)],
    ),
];

const ONE_OF_MESOS: &str = "AppDefinition can contain at most one Mesos health check";

const MESOS_CHECKS: &[Row] = &[
    app_row(
        "app with 0 Mesos health checks is valid",
        r#"{"healthChecks": [{"protocol": "HTTP"}]}"#,
        &[Taken],
    ),
    app_row(
        "app with 1 Mesos health check is valid",
        r#"{"healthChecks": [{"protocol": "COMMAND", "command": {"value": "true"}}]}"#,
        &[Taken],
    ),
    app_row(
        "app with more than 1 non-command Mesos health check is invalid",
        r#"{"healthChecks": [{"protocol": "MESOS_HTTP", "port": 80}, {"protocol": "MESOS_HTTP"}]}"#,
        &[Says(ONE_OF_MESOS)],
    ),
    app_row(
        "app with more than 1 command Mesos health check is valid",
        r#"{"healthChecks": [{"protocol": "COMMAND", "command": {"value": "true"}},
            {"protocol": "COMMAND", "command": {"value": "true"}, "intervalSeconds": 61}]}"#,
        &[Taken],
    ),
    app_row(
        "health check with port validates port references",
        r#"{"portDefinitions": [{"port": 0}], "healthChecks": [{"protocol": "MESOS_HTTP", "portIndex": 0}]}"#,
        &[Taken],
    ),
    app_row(
        "health check with port validates port references",
        r#"{"portDefinitions": [], "healthChecks": [{"protocol": "MESOS_HTTP", "portIndex": 0}]}"#,
        &[FlawAt("/healthChecks(0)")],
    ),
];

/// An app with one instance that is replaced at once, and these labels.
macro_rules! scheduler {
    ($labels:literal) => {
        concat!(
            r#"{"instances": 1, "upgradeStrategy": {"minimumHealthCapacity": 0, "maximumOverCapacity": 0}, "labels": "#,
            $labels,
            "}"
        )
    };
}

const SCHEDULERS: &[Row] = &[
    app_row(
        "scheduler app using API is considered a scheduler and valid",
        scheduler!(
            r#"{"DCOS_PACKAGE_FRAMEWORK_NAME": "Framework-42", "DCOS_MIGRATION_API_VERSION": "v1", "DCOS_MIGRATION_API_PATH": "/v1/plan"}"#
        ),
        &[Taken],
    ),
    app_row(
        "required scheduler labels",
        scheduler!(r#"{"DCOS_MIGRATION_API_VERSION": "v1"}"#),
        &[Status(422)],
    ),
    app_row(
        "required scheduler labels",
        scheduler!(r#"{"DCOS_MIGRATION_API_VERSION": "v1", "DCOS_PACKAGE_FRAMEWORK_NAME": "Framework-42"}"#),
        &[Status(422)],
    ),
    app_row(
        "If a scheduler application defines DCOS_MIGRATION_API_VERSION, only 'v1' is valid",
        scheduler!(
            r#"{"DCOS_PACKAGE_FRAMEWORK_NAME": "Framework-42", "DCOS_MIGRATION_API_VERSION": "v2", "DCOS_MIGRATION_API_PATH": "/v1/plan"}"#
        ),
        &[Status(422)],
    ),
    app_row(
        "If a scheduler application defines DCOS_MIGRATION_API_PATH it must be non-empty",
        scheduler!(
            r#"{"DCOS_PACKAGE_FRAMEWORK_NAME": "Framework-42", "DCOS_MIGRATION_API_VERSION": "v1", "DCOS_MIGRATION_API_PATH": ""}"#
        ),
        &[Status(422)],
    ),
    app_row(
        "If a scheduler application defines DCOS_PACKAGE_FRAMEWORK_NAME it must be non-empty",
        scheduler!(
            r#"{"DCOS_PACKAGE_FRAMEWORK_NAME": "", "DCOS_MIGRATION_API_VERSION": "v1", "DCOS_MIGRATION_API_PATH": "/v1/plan"}"#
        ),
        &[Status(422)],
    ),
];

const UNREACHABLE: &[Row] = &[
    app_row("validate default strategy", r#"{"unreachableStrategy": {}}"#, &[Taken]),
    app_row(
        "validate with other parameters successfully",
        r#"{"unreachableStrategy": {"inactiveAfterSeconds": 780, "expungeAfterSeconds": 2220}}"#,
        &[Taken],
    ),
    app_row("sees disabled as valid", r#"{"unreachableStrategy": "disabled"}"#, &[Taken]),
    app_row(
        "fail when time until expunge is smaller",
        r#"{"unreachableStrategy": {"inactiveAfterSeconds": 2, "expungeAfterSeconds": 1}}"#,
        &[Flaw(
            "/unreachableStrategy/inactiveAfterSeconds",
            "inactiveAfterSeconds (2) must be less or equal to expungeAfterSeconds, which is 1",
        )],
    ),
    app_row(
        "succeed when time until expunge is equal to time until inactive",
        r#"{"unreachableStrategy": {"inactiveAfterSeconds": 2, "expungeAfterSeconds": 2}}"#,
        &[Taken],
    ),
];
