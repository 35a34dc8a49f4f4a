//! How an app's JSON is read and written.

use super::*;

pub(super) const TABLES: &[Table] = &[
    ("marathon/api/v2/json/AppDefinitionFormatsTest.scala", FORMATS),
    ("marathon/raml/UnreachableStrategyConversionTest.scala", CONVERSIONS),
];

const BUSYBOX: &str = r#"{"cmd": null, "container": {"type": "DOCKER", "docker": {"image": "busybox"},
    "volumes": [{"containerPath": "b", "persistent": {"size": 1}, "mode": "RW"}]}, "residency": {}}"#;

const FORMATS: &[Row] = &[
    app_row(
        "ToJson",
        r#"{"id": "app1", "cmd": "sleep 10"}"#,
        &[
            Is("/id", r#""/app1""#),
            Is("/cmd", r#""sleep 10""#),
            Is("/args", "null"),
            Is("/user", "null"),
            Is("/env", "null"),
            Is("/instances", "1"),
            Is("/cpus", "1"),
            Is("/mem", "128"),
            Is("/disk", "0"),
            Is("/gpus", "0"),
            Is("/executor", r#""""#),
            Is("/constraints", "null"),
            Is("/fetch", "null"),
            Is("/requirePorts", "false"),
            Is("/backoffSeconds", "1"),
            Is("/backoffFactor", "1.15"),
            Is("/maxLaunchDelaySeconds", "300"),
            Is("/container", "null"),
            Is("/healthChecks", "null"),
            Is("/dependencies", "null"),
            Is("/upgradeStrategy", r#"{"minimumHealthCapacity": 1, "maximumOverCapacity": 1}"#),
            Is("/residency", "null"),
            Is("/secrets", "null"),
            Is("/taskKillGracePeriodSeconds", "null"),
        ],
    ),
    app_row(
        "FromJson",
        r#"{"id": "app1"}"#,
        &[
            Is("/portDefinitions/0/name", r#""default""#),
            Is("/acceptedResourceRoles", "null"),
            Is("/unreachableStrategy", r#"{"inactiveAfterSeconds": 0, "expungeAfterSeconds": 0}"#),
        ],
    ),
    app_row(
        "FromJSON should ignore VersionInfo",
        r#"{"id": "test", "version": "1970-01-01T00:00:00.002Z", "versionInfo":
            {"lastScalingAt": "1970-01-01T00:00:00.002Z", "lastConfigChangeAt": "1970-01-01T00:00:00.001Z"}}"#,
        &[IsNot("/versionInfo/lastConfigChangeAt", r#""1970-01-01T00:00:00.001Z""#)],
    ),
    app_row("FromJSON should fail for empty id", r#"{"id": "", "cmd": null}"#, &[FlawAt("/id")]),
    app_row(
        "FromJSON should fail when using / as an id",
        r#"{"id": "/", "cmd": null}"#,
        &[Flaw("/id", "Path must contain at least one path element")],
    ),
    app_row(
        "FromJSON should not fail when 'cpus' is greater than 0",
        r#"{"cpus": 0.0001}"#,
        &[Is("/cpus", "0.0001")],
    ),
    app_row(
        "FromJSON should fail when 'env' contains invalid keys",
        r#"{"env": {"": "foo"}}"#,
        &[Says("must not be empty")],
    ),
    app_row(
        "ToJSON should correctly handle missing acceptedResourceRoles",
        "{}",
        &[Is("/acceptedResourceRoles", "null")],
    ),
    app_row(
        r#"FromJSON should parse "acceptedResourceRoles": ["production", "*"] "#,
        r#"{"id": "/production/test", "acceptedResourceRoles": ["production", "*"], "role": "production"}"#,
        &[Holds("/acceptedResourceRoles", r#"["production", "*"]"#)],
    ),
    app_row(
        r#"FromJSON should parse "acceptedResourceRoles": ["*"] "#,
        r#"{"acceptedResourceRoles": ["*"]}"#,
        &[Is("/acceptedResourceRoles", r#"["*"]"#)],
    ),
    app_row(
        "FromJSON should read the default upgrade strategy",
        r#"{"cmd": "sleep"}"#,
        &[Is("/upgradeStrategy", r#"{"minimumHealthCapacity": 1, "maximumOverCapacity": 1}"#)],
    ),
    app_row(
        "FromJSON should have a default residency upgrade strategy",
        BUSYBOX,
        &[Is("/upgradeStrategy", r#"{"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0}"#)],
    )
    .with(ROLE),
    app_row(
        "AppDefinition JSON includes readinessChecks",
        r#"{"portDefinitions": [{"port": 0, "name": "dcos-migration-api"}], "readinessChecks": [{"name": "dcosMigrationApi",
            "protocol": "HTTPS", "path": "/v1/plan", "portName": "dcos-migration-api", "intervalSeconds": 10,
            "timeoutSeconds": 2, "httpStatusCodesForReady": [201], "preserveLastResponse": true}]}"#,
        &[
            Is("/readinessChecks/1", "null"),
            Is(
                "/readinessChecks/0",
                r#"{"name": "dcosMigrationApi", "protocol": "HTTPS", "path": "/v1/plan", "portName": "dcos-migration-api",
                    "intervalSeconds": 10, "timeoutSeconds": 2, "httpStatusCodesForReady": [201],
                    "preserveLastResponse": true}"#,
            ),
        ],
    ),
    app_row(
        "FromJSON should parse ipAddress.networkName",
        r#"{"ipAddress": {"networkName": "foo"}}"#,
        &[Is("/networks", r#"[{"mode": "container", "name": "foo"}]"#)],
    ),
    app_row(
        "FromJSON should parse ipAddress.networkName with MESOS container",
        r#"{"ipAddress": {"networkName": "foo"}, "container": {"type": "MESOS"}}"#,
        &[
            Is("/networks", r#"[{"mode": "container", "name": "foo"}]"#),
            Is("/container/type", r#""MESOS""#),
            Is("/container/portMappings/0/containerPort", "0"),
            Is("/container/portMappings/1", "null"),
        ],
    ),
    app_row(
        "FromJSON should parse ipAddress.networkName with DOCKER container w/o port mappings",
        r#"{"cmd": null, "ipAddress": {"networkName": "foo"},
            "container": {"type": "DOCKER", "docker": {"image": "busybox", "network": "USER"}}}"#,
        &[
            Is("/networks", r#"[{"mode": "container", "name": "foo"}]"#),
            Is("/container/docker/image", r#""busybox""#),
            Is("/container/portMappings/0/containerPort", "0"),
        ],
    ),
    app_row(
        "FromJSON should parse ipAddress.networkName with DOCKER container w/ port mappings",
        r#"{"cmd": null, "ipAddress": {"networkName": "foo"},
            "container": {"type": "DOCKER", "docker": {"image": "busybox", "network": "USER",
            "portMappings": [{"containerPort": 123, "servicePort": 80, "name": "foobar"}]}}}"#,
        &[
            Is("/networks", r#"[{"mode": "container", "name": "foo"}]"#),
            Is("/container/portMappings/0/containerPort", "123"),
            Is("/container/portMappings/0/servicePort", "80"),
            Is("/container/portMappings/0/name", r#""foobar""#),
        ],
    ),
    app_row(
        "FromJSON should throw a validation exception while parsing a Docker container with unsupported parameter",
        r#"{"cmd": null, "container": {"type": "DOCKER", "docker": {"image": "busybox",
            "credential": {"principal": "aPrincipal", "secret": "aSecret"}}}}"#,
        &[Flaw("/container/docker/credential", "must be empty")],
    ),
    app_row(
        "FromJSON should parse Mesos Docker container",
        r#"{"cmd": null, "ipAddress": {"networkName": "foo"}, "container": {"type": "MESOS", "docker": {"image": "busybox"}}}"#,
        &[
            Is("/networks", r#"[{"mode": "container", "name": "foo"}]"#),
            Is("/container/type", r#""MESOS""#),
            Is("/container/docker/image", r#""busybox""#),
        ],
    ),
    app_row(
        MESOS_DOCKER,
        r#"{"cmd": null, "container": {"type": "MESOS", "docker": {"image": "busybox",
            "portMappings": [{"containerPort": 123, "servicePort": 80, "name": "foobar"}]}}}"#,
        &[Flaw("/container/docker/portMappings", "must be empty")],
    ),
    app_row(
        MESOS_DOCKER,
        r#"{"cmd": null, "container": {"type": "MESOS", "docker": {"image": "busybox", "network": "USER"}}}"#,
        &[Flaw("/container/docker/network", "must be empty")],
    ),
    app_row(
        MESOS_DOCKER,
        r#"{"cmd": null, "container": {"type": "MESOS", "docker": {"image": "busybox",
            "parameters": [{"key": "a", "value": "b"}]}}}"#,
        &[Flaw("/container/docker/parameters", "must be empty")],
    ),
    app_row(
        "FromJSON should parse secrets",
        r#"{"secrets": {"secret1": {"source": "/foo"}, "secret2": {"source": "/foo"}, "secret3": {"source": "/foo2"}}}"#,
        &[
            Is("/secrets/secret1/source", r#""/foo""#),
            Is("/secrets/secret2/source", r#""/foo""#),
            Is("/secrets/secret3/source", r#""/foo2""#),
        ],
    )
    .with(SECRETS),
    app_row(
        "FromJSON should parse all different kinds of environment variables and secrets",
        r#"{"secrets": {"secret1": {"source": "/foo"}}, "env": {"env1": "value", "env2": {"secret": "secret1"}}}"#,
        &[
            Is("/secrets/secret1/source", r#""/foo""#),
            Is("/env/env1", r#""value""#),
            Is("/env/env2/secret", r#""secret1""#),
        ],
    )
    .with(SECRETS),
    app_row(
        "FromJSON should parse unreachable disabled instance strategy",
        r#"{"unreachableStrategy": "disabled"}"#,
        &[Is("/unreachableStrategy", r#""disabled""#)],
    ),
    app_row(
        "FromJSON should parse unreachable enabled instance strategy",
        r#"{"unreachableStrategy": {"inactiveAfterSeconds": 600, "expungeAfterSeconds": 1200}}"#,
        &[Is("/unreachableStrategy", r#"{"inactiveAfterSeconds": 600, "expungeAfterSeconds": 1200}"#)],
    ),
    app_row(
        "ToJSON should serialize unreachable instance strategy",
        r#"{"unreachableStrategy": {"inactiveAfterSeconds": 360, "expungeAfterSeconds": 720}}"#,
        &[
            Is("/unreachableStrategy/inactiveAfterSeconds", "360"),
            Is("/unreachableStrategy/expungeAfterSeconds", "720"),
        ],
    ),
    app_row(
        "FromJSON should parse kill selection",
        r#"{"killSelection": "YOUNGEST_FIRST"}"#,
        &[Is("/killSelection", r#""YOUNGEST_FIRST""#)],
    ),
    app_row(
        "FromJSON should fail for invalid kill selection",
        r#"{"killSelection": "unknown"}"#,
        &[Flaw("/killSelection", "error.unknown.enum.literal")],
    ),
    app_row(
        "ToJSON should serialize kill selection",
        r#"{"killSelection": "OLDEST_FIRST"}"#,
        &[Is("/killSelection", r#""OLDEST_FIRST""#)],
    ),
    app_row(
        "FromJSON should fail for empty container (#4978)",
        r#"{"id": "/docker-compose-demo", "container": {}}"#,
        &[Flaw("/container/docker", "not defined")],
    ),
    app_row(
        "FromJSON should throw a validation exception if ports and portDefinitions are both specified and not equal",
        r#"{"cmd": null, "container": {"type": "MESOS", "docker": {"image": "busybox"}},
            "portDefinitions": [{"port": 8080}], "ports": [8081]}"#,
        &[Flaw("/", "cannot specify both ports and port definitions")],
    ),
];

const MESOS_DOCKER: &str = "FromJSON should throw a validation exception while parsing a Mesos Docker container with unsupported parameter";

const CONVERSIONS: &[Row] = &[
    app_row(
        "read from RAML",
        r#"{"unreachableStrategy": {}}"#,
        &[Is("/unreachableStrategy", r#"{"inactiveAfterSeconds": 0, "expungeAfterSeconds": 0}"#)],
    ),
    app_row(
        "write to RAML",
        r#"{"unreachableStrategy": {"inactiveAfterSeconds": 600, "expungeAfterSeconds": 1200}}"#,
        &[
            Is("/unreachableStrategy/inactiveAfterSeconds", "600"),
            Is("/unreachableStrategy/expungeAfterSeconds", "1200"),
        ],
    ),
];
