//! Updates of apps, and the versions that they leave.

use super::*;

pub(super) const TABLES: &[Table] = &[
    ("marathon/api/v2/json/AppUpdateTest.scala", UPDATES),
    ("marathon/api/validation/AppUpdateValidatorTest.scala", NETWORKS),
    ("marathon/upgrade/GroupVersioningUtilTest.scala", VERSIONS),
];

const NULLS: &str = r#"{"cmd": null, "user": null, "env": null, "instances": null, "cpus": null, "mem": null, "disk": null,
    "executor": null, "constraints": null, "uris": null, "ports": null, "backoffSeconds": null, "backoffFactor": null,
    "container": null, "healthChecks": null, "dependencies": null, "ipAddress": null, "version": null}"#;

/// A new app by PUT with its own volume.
macro_rules! with_volume {
    ($more:literal) => {
        concat!(
            r#"{"cmd": "sleep 1000", "container": {"type": "MESOS", "volumes": [
                {"containerPath": "home", "mode": "RW", "persistent": {"size": 100}}]}"#,
            $more,
            "}"
        )
    };
}

const THERE: &[Ask] = &[Ask::App("{}")];
const GET: Ask = Ask::Call("GET", "/v2/apps/test", "");

const UPDATES: &[Row] = &[
    row(
        "Serialization result of empty container",
        Ask::Call("PUT", "/v2/apps/test?force=true", NULLS),
        &[Status(200)],
    )
    .after(THERE),
    row(
        "Serialization result of empty ipAddress",
        GET,
        &[Is("/app/cmd", r#""sleep 1000""#), Is("/app/instances", "1"), Is("/app/cpus", "1"), Is("/app/container", "null")],
    )
    .after(&[Ask::App("{}"), Ask::Call("PUT", "/v2/apps/test?force=true", NULLS)]),
    row("Empty json corresponds to default instance", Ask::Call("PUT", "/v2/apps/test?force=true", "{}"), &[Status(200)]).after(THERE),
    row("Args are correctly read", GET, &[Is("/app/args", r#"["a", "b", "c"]"#)])
        .after(&[Ask::App(r#"{"cmd": null, "args": ["x"]}"#), Ask::Call("PUT", "/v2/apps/test?force=true", r#"{"args": ["a", "b", "c"]}"#)]),
    row(
        "acceptedResourceRoles of update is only applied when != None",
        GET,
        &[Is("/app/acceptedResourceRoles", r#"["foo"]"#)],
    )
    .with(ROLE)
    .after(&[Ask::App(r#"{"acceptedResourceRoles": ["foo"]}"#), Ask::Call("PUT", "/v2/apps/test?force=true", "{}")]),
    row(
        "acceptedResourceRoles of update is only applied when != None",
        GET,
        &[Is("/app/acceptedResourceRoles", r#"["*"]"#)],
    )
    .with(ROLE)
    .after(&[
        Ask::App(r#"{"acceptedResourceRoles": ["foo"]}"#),
        Ask::Call("PUT", "/v2/apps/test?force=true", r#"{"acceptedResourceRoles": ["*"]}"#),
    ]),
    row(
        "update readiness checks are applied to app",
        GET,
        &[Is("/app/readinessChecks/0/name", r#""dcosMigrationApi""#), Is("/app/readinessChecks/0/timeoutSeconds", "2")],
    )
    .after(&[
        Ask::App(r#"{"portDefinitions": [{"port": 0, "name": "dcos-migration-api"}]}"#),
        Ask::Call(
            "PUT",
            "/v2/apps/test?force=true",
            r#"{"id": "/test", "readinessChecks": [{"name": "dcosMigrationApi", "protocol": "HTTPS", "path": "/v1/plan",
                "portName": "dcos-migration-api", "intervalSeconds": 10, "timeoutSeconds": 2}]}"#,
        ),
    ]),
    row(
        "empty app updateStrategy on persistent volumes",
        Ask::Call("GET", "/v2/apps/foo", ""),
        &[Is("/app/upgradeStrategy", r#"{"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0}"#)],
    )
    .with(ROLE)
    .after(&[Ask::Call(
        "PUT",
        "/v2/apps/foo",
        with_volume!(r#", "residency": {"relaunchEscalationTimeoutSeconds": 10, "taskLostBehavior": "WAIT_FOREVER"}"#),
    )]),
    row(
        "empty app unreachableStrategy on resident app",
        Ask::Call("GET", "/v2/apps/foo", ""),
        &[Is("/app/unreachableStrategy", r#""disabled""#)],
    )
    .with(ROLE)
    .after(&[Ask::Call("PUT", "/v2/apps/foo", with_volume!(""))]),
    row(
        "empty app unreachableStrategy on non-resident app",
        Ask::Call("GET", "/v2/apps/foo", ""),
        &[Is("/app/unreachableStrategy", r#"{"inactiveAfterSeconds": 0, "expungeAfterSeconds": 0}"#)],
    )
    .after(&[Ask::Call("PUT", "/v2/apps/foo", r#"{"cmd": "sleep 1000", "container": {"type": "MESOS"}}"#)]),
    row(
        "empty app persists container",
        Ask::Call("GET", "/v2/apps/put-path-id", ""),
        &[
            Is("/app/id", r#""/put-path-id""#),
            Is("/app/container/docker/image", r#""anImage""#),
            Is("/app/container/volumes/0/containerPath", r#""data""#),
            Is("/app/container/volumes/0/persistent/size", "100"),
            Is("/app/container/volumes/0/mode", r#""RW""#),
        ],
    )
    .with(ROLE)
    .after(&[Ask::Call("PUT", "/v2/apps/put-path-id", IN_DOCKER)]),
    row(
        "empty app persists existing upgradeStrategy",
        Ask::Call("GET", "/v2/apps/app", ""),
        &[Is("/app/upgradeStrategy", r#"{"minimumHealthCapacity": 0.1, "maximumOverCapacity": 0}"#)],
    )
    .with(ROLE)
    .after(&[Ask::Call(
        "PUT",
        "/v2/apps/app",
        with_volume!(r#", "upgradeStrategy": {"minimumHealthCapacity": 0.1, "maximumOverCapacity": 0.0}"#),
    )]),
    row(
        "empty app update strategy on external volumes",
        Ask::Call("GET", "/v2/apps/foo", ""),
        &[Is("/app/upgradeStrategy", r#"{"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0}"#)],
    )
    .with(VOLUMES)
    .after(&[Ask::Call(
        "PUT",
        "/v2/apps/foo",
        r#"{"cmd": "sleep 1000", "container": {"type": "MESOS", "volumes": [{"containerPath": "/docker_storage", "mode": "RW",
            "external": {"name": "my-external-volume", "provider": "dvdi", "size": 1234, "options": {"dvdi/driver": "rexray"}}}]}}"#,
    )]),
    row(
        "container change in AppUpdate should be stored",
        GET,
        &[Is("/app/container/portMappings/0/containerPort", "4000")],
    )
    .after(&[
        Ask::App(r#"{"networks": [{"mode": "container/bridge"}], "container": {"type": "DOCKER", "docker": {"image": "something"}}}"#),
        Ask::Call(
            "PUT",
            "/v2/apps/test?force=true",
            r#"{"container": {"type": "DOCKER", "docker": {"image": "something"}, "portMappings": [{"containerPort": 4000}]}}"#,
        ),
    ]),
    row("app update changes kill selection", GET, &[Is("/app/killSelection", r#""OLDEST_FIRST""#)]).after(&[
        Ask::App(r#"{"killSelection": "YOUNGEST_FIRST"}"#),
        Ask::Call("PUT", "/v2/apps/test?force=true", r#"{"killSelection": "OLDEST_FIRST"}"#),
    ]),
    row(
        "not allow appUpdate with a version and other changes besides id",
        Ask::Call("PUT", "/v2/apps/test?force=true", r#"{"id": "/test", "cmd": "sleep 2", "version": "1970-01-01T00:00:00.002Z"}"#),
        &[Says("The 'version' field may only be combined with the 'id' field.")],
    )
    .after(THERE),
];

const IN_DOCKER: &str = r#"{"args": [], "container": {"type": "DOCKER", "docker": {"image": "anImage"}, "volumes": [
    {"containerPath": "data", "mode": "RW", "persistent": {"size": 100}}]}, "residency": {"taskLostBehavior": "WAIT_FOREVER",
    "relaunchEscalationTimeoutSeconds": 3600}}"#;

const NETWORKS: &[Row] = &[row(
    "allow updating from HOST to USER network for an app using a Docker container",
    Ask::Call("GET", "/v2/apps/sleepy-moby", ""),
    &[Is("/app/networks", r#"[{"mode": "container", "name": "dcos"}]"#), Is("/app/container/docker/image", r#""alpine""#)],
)
.after(&[
    Ask::App(
        r#"{"id": "/sleepy-moby", "container": {"docker": {"image": "alpine", "network": "HOST"}},
            "upgradeStrategy": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0},
            "portDefinitions": [{"protocol": "tcp", "port": 10004}], "requirePorts": false}"#,
    ),
    Ask::Call(
        "PUT",
        "/v2/apps/sleepy-moby",
        r#"{"id": "/sleepy-moby", "cmd": "sleep 1000", "container": {"docker": {"image": "alpine", "network": "USER"}},
            "upgradeStrategy": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0},
            "portDefinitions": [], "ipAddress": {"networkName": "dcos"}, "requirePorts": false}"#,
    ),
])];

/// The instant of genesis: the first change has it as its version.
const VERSIONS: &[Row] = &[
    row(
        "A new app should get proper versionInfo",
        GET,
        &[
            Same("/app/version", "/app/versionInfo/lastScalingAt"),
            Same("/app/version", "/app/versionInfo/lastConfigChangeAt"),
        ],
    )
    .after(THERE),
    row(
        "No changes for nested app should result in the resulting root group version set to the given one",
        Ask::Call("GET", "/v2/groups/nested?embed=group.apps", ""),
        &[
            Differ("/version", "/apps/0/version"),
            Same("/apps/0/version", "/apps/0/versionInfo/lastScalingAt"),
        ],
    )
    .after(&[Ask::App(r#"{"id": "/nested/app"}"#), Ask::Call("PUT", "/v2/groups/nested", "{}")]),
    row(
        "A scaled app should get proper versionInfo",
        GET,
        &[
            Same("/app/version", "/app/versionInfo/lastScalingAt"),
            Differ("/app/version", "/app/versionInfo/lastConfigChangeAt"),
        ],
    )
    .after(&[Ask::App("{}"), Ask::Call("PUT", "/v2/apps/test?force=true", r#"{"instances": 2}"#)]),
    row(
        "A updated app should get proper versionInfo",
        GET,
        &[
            Same("/app/version", "/app/versionInfo/lastScalingAt"),
            Same("/app/version", "/app/versionInfo/lastConfigChangeAt"),
        ],
    )
    .after(&[
        Ask::App("{}"),
        Ask::Call("PUT", "/v2/apps/test?force=true", r#"{"instances": 2}"#),
        Ask::Call("PUT", "/v2/apps/test?force=true", r#"{"cmd": "sleep 234"}"#),
    ]),
];
