//! Rules of apps as a whole: ids, containers, volumes, what keeps volumes, single instances, dependencies.

use super::*;

pub(super) const TABLES: &[Table] = &[
    ("marathon/api/validation/RunSpecValidatorTest.scala", RUN_SPECS),
    ("marathon/api/validation/AppDefinitionValidationTest.scala", APPS),
];

/// An app in a container of Docker with one volume.
macro_rules! volume {
    ($volume:literal) => {
        concat!(
            r#"{"cmd": null, "container": {"type": "DOCKER", "docker": {"image": "foo/bar:latest"}, "volumes": ["#,
            $volume,
            "]}}"
        )
    };
}

/// An app with volumes foo and bla, and further fields.
macro_rules! resident {
    ($more:literal) => {
        concat!(
            r#"{"id": "/app1", "cmd": "test", "role": "foo", "container": {"type": "MESOS", "volumes": [
                {"containerPath": "foo", "mode": "RW", "persistent": {"size": 10}},
                {"containerPath": "bla", "mode": "RW", "persistent": {"size": 10}}]},
                "portDefinitions": [{"port": 0}], "upgradeStrategy": {"minimumHealthCapacity": 0, "maximumOverCapacity": 0}"#,
            $more,
            "}"
        )
    };
}

/// An app with the label for at most one instance.
macro_rules! single {
    ($instances:literal, $least:literal, $over:literal) => {
        concat!(
            r#"{"labels": {"MARATHON_SINGLE_INSTANCE_APP": "true"}, "instances": "#,
            $instances,
            r#", "upgradeStrategy": {"minimumHealthCapacity": "#,
            $least,
            r#", "maximumOverCapacity": "#,
            $over,
            "}}"
        )
    };
}

const UPDATE: &str = "Validation for update of resident apps";
const SINGLE: &str =
    "A application with label MARATHON_SINGLE_INSTANCE_APP may not have an instance count > 1";
const KEPT: &[Ask] = &[Ask::App(resident!(""))];
const CHANGED: &str = "Services with persistent volumes configured may not change resource requirements. \
    If you need to make this change, please create a new service.";
const PORTS: &str = "Services with persistent volumes configured may not change host ports. \
    If you need to make this change, please create a new service.";
const VOLUMES: &str = "Persistent volumes can not be changed!";

const RUN_SPECS: &[Row] = &[
    app_row("only cmd", r#"{"cmd": "true"}"#, &[Taken]),
    app_row("id '/app' is valid", r#"{"id": "/app"}"#, &[Taken]),
    app_row("id '/hy-phenated' is valid", r#"{"id": "/hy-phenated"}"#, &[Taken]),
    app_row("id '/numbered9' is valid", r#"{"id": "/numbered9"}"#, &[Taken]),
    app_row("id '/9numbered' is valid", r#"{"id": "/9numbered"}"#, &[Taken]),
    app_row("id '/num8bered' is valid", r#"{"id": "/num8bered"}"#, &[Taken]),
    app_row("id '/dot.ted' is valid", r#"{"id": "/dot.ted"}"#, &[Taken]),
    app_row("id '/deep/ly/nes/ted' is valid", r#"{"id": "/deep/ly/nes/ted"}"#, &[Taken]),
    app_row("id '/all.to-9gether/now-huh12/nest/nest' is valid", r#"{"id": "/all.to-9gether/now-huh12/nest/nest"}"#, &[Taken]),
    app_row("id '/trailing/' is valid", r#"{"id": "/trailing/"}"#, &[Is("/id", r#""/trailing""#)]),
    app_row("single dots in id '/test/.' fails in validation", r#"{"id": "/test/."}"#, &[FlawAt("/id")]),
    app_row("id '/.../asd' is INVALID", r#"{"id": "/.../asd"}"#, &[Status(422)]),
    app_row("id '/app!' is INVALID", r#"{"id": "/app!"}"#, &[FlawAt("/id")]),
    app_row("id '/app[' is INVALID", r#"{"id": "/app["}"#, &[FlawAt("/id")]),
    app_row("id '/asd/sadf+' is INVALID", r#"{"id": "/asd/sadf+"}"#, &[FlawAt("/id")]),
    app_row("id '/asd asd' is INVALID", r#"{"id": "/asd asd"}"#, &[FlawAt("/id")]),
    app_row("id '/app-' is invalid because hyphens and dots are only allowed inside of path fragments", r#"{"id": "/app-"}"#, &[FlawAt("/id")]),
    app_row("id '/nest./ted' is invalid because hyphens and dots are only allowed inside of path fragments", r#"{"id": "/nest./ted"}"#, &[FlawAt("/id")]),
    app_row("id '/nest/-ted' is invalid because hyphens and dots are only allowed inside of path fragments", r#"{"id": "/nest/-ted"}"#, &[FlawAt("/id")]),
    app_row(
        "only cmd + command health check",
        r#"{"healthChecks": [{"protocol": "COMMAND", "command": {"value": "curl http://localhost:$PORT"}}]}"#,
        &[Taken],
    ),
    app_row("only cmd + acceptedResourceRoles", r#"{"acceptedResourceRoles": ["*"]}"#, &[Taken]),
    app_row("only args", r#"{"cmd": null, "args": ["test"]}"#, &[Taken]),
    app_row("only container", r#"{"cmd": null, "container": {"type": "DOCKER", "docker": {"image": "foo/bar:latest"}}}"#, &[Taken]),
    app_row("empty container is invalid", r#"{"cmd": null, "container": {"type": "MESOS"}}"#, &[Status(422)]),
    app_row("docker container and cmd", r#"{"container": {"type": "DOCKER", "docker": {"image": "foo/bar:latest"}}}"#, &[Taken]),
    app_row(
        "docker container and args",
        r#"{"cmd": null, "args": ["test"], "container": {"type": "DOCKER", "docker": {"image": "foo/bar:latest"}}}"#,
        &[Taken],
    ),
    app_row("mesos container only", r#"{"cmd": null, "container": {"type": "MESOS", "docker": {"image": "foo/bar:latest"}}}"#, &[Taken]),
    app_row("mesos container and cmd", r#"{"container": {"type": "MESOS", "docker": {"image": "foo/bar:latest"}}}"#, &[Taken]),
    app_row(
        "mesos container and args",
        r#"{"cmd": null, "args": ["test"], "container": {"type": "MESOS", "docker": {"image": "foo/bar:latest"}}}"#,
        &[Taken],
    ),
    app_row(
        "container, cmd and args is not valid",
        r#"{"args": ["test"], "container": {"type": "DOCKER", "docker": {"image": "foo/bar:latest"}}}"#,
        &[Status(422)],
    ),
    app_row("container with type MESOS and empty docker field is valid", r#"{"container": {"type": "MESOS"}}"#, &[Taken]),
    app_row("valid docker volume", volume!(r#"{"containerPath": "test", "mode": "RW", "persistent": {"size": 10}}"#), &[Taken])
        .with(ROLE),
    app_row(
        "docker volume with missing containerPath is invalid",
        volume!(r#"{"containerPath": "", "hostPath": "/etc/foo", "mode": "RW"}"#),
        &[Status(422)],
    ),
    app_row(
        "docker volume with missing hostPath is invalid",
        volume!(r#"{"containerPath": "/test", "hostPath": "", "mode": "RW"}"#),
        &[Status(422)],
    ),
    app_row(
        "persistent volume with missing containerPath is invalid",
        volume!(r#"{"containerPath": "", "mode": "RW", "persistent": {"size": 10}}"#),
        &[Status(422)],
    )
    .with(ROLE),
    app_row(
        "persistent volume with mode RO is invalid",
        volume!(r#"{"containerPath": "test", "mode": "RO", "persistent": {"size": 10}}"#),
        &[Status(422)],
    )
    .with(ROLE),
    app_row(
        "persistent volume with size 0 is invalid",
        volume!(r#"{"containerPath": "test", "mode": "RW", "persistent": {"size": 0}}"#),
        &[Status(422)],
    )
    .with(ROLE),
    app_row(
        "persistent volume with size < 0 is invalid",
        volume!(r#"{"containerPath": "test", "mode": "RW", "persistent": {"size": -1}}"#),
        &[Status(422)],
    )
    .with(ROLE),
    app_row(
        "persistent volume with container path '.' is invalid",
        volume!(r#"{"containerPath": ".", "mode": "RW", "persistent": {"size": 10}}"#),
        &[Status(422)],
    )
    .with(ROLE),
    app_row(
        "persistent volume with container path '..' is invalid",
        volume!(r#"{"containerPath": "..", "mode": "RW", "persistent": {"size": 10}}"#),
        &[Status(422)],
    )
    .with(ROLE),
    app_row(
        "persistent volume with container path '.hidden' is valid",
        volume!(r#"{"containerPath": ".hidden", "mode": "RW", "persistent": {"size": 10}}"#),
        &[Taken],
    )
    .with(ROLE),
    app_row(
        "persistent volume with container path with dots in the middle is valid",
        volume!(r#"{"containerPath": "foo..bar", "mode": "RW", "persistent": {"size": 10}}"#),
        &[Taken],
    )
    .with(ROLE),
    app_row(
        "persistent volume with container path starting with a forward slash is invalid",
        volume!(r#"{"containerPath": "/path", "mode": "RW", "persistent": {"size": 10}}"#),
        &[Status(422)],
    )
    .with(ROLE),
    app_row(
        "persistent volume with container path containing forward slashes is invalid",
        volume!(r#"{"containerPath": "foo/bar", "mode": "RW", "persistent": {"size": 10}}"#),
        &[Status(422)],
    )
    .with(ROLE),
    row(UPDATE, Ask::Call("PUT", "/v2/apps/app1", resident!("")), &[Taken]).with(ROLE).after(KEPT),
    row(
        UPDATE,
        Ask::Call("PUT", "/v2/apps/app1", r#"{"upgradeStrategy": {"minimumHealthCapacity": 1, "maximumOverCapacity": 1}}"#),
        &[Says("got 1.0, expected 0.0")],
    )
    .with(ROLE)
    .after(KEPT),
    row(
        UPDATE,
        Ask::Call(
            "PUT",
            "/v2/apps/app1",
            r#"{"container": {"type": "MESOS", "volumes": [{"containerPath": "foo", "mode": "RW", "persistent": {"size": 10}}]}}"#,
        ),
        &[Says(VOLUMES)],
    )
    .with(ROLE)
    .after(KEPT),
    row(UPDATE, Ask::Call("PUT", "/v2/apps/app1", r#"{"mem": 123}"#), &[Says(CHANGED)]).with(ROLE).after(KEPT),
    row(UPDATE, Ask::Call("PUT", "/v2/apps/app1", r#"{"cpus": 123}"#), &[Says(CHANGED)]).with(ROLE).after(KEPT),
    row(UPDATE, Ask::Call("PUT", "/v2/apps/app1", r#"{"disk": 123}"#), &[Says(CHANGED)]).with(ROLE).after(KEPT),
    row(UPDATE, Ask::Call("PUT", "/v2/apps/app1", r#"{"portDefinitions": []}"#), &[Says(PORTS)]).with(ROLE).after(KEPT),
    app_row("Validation for defining a resident app", resident!(""), &[Is("/unreachableStrategy", r#""disabled""#)]).with(ROLE),
    app_row(SINGLE, single!("0", "0", "0"), &[Taken]),
    app_row(SINGLE, single!("1", "0", "0"), &[Taken]),
    app_row(SINGLE, single!("2", "0", "0"), &[Says("Single instance app may only have one instance")]),
    app_row(
        "For an application with label MARATHON_SINGLE_INSTANCE_APP UpgradeStrategy(1,0) is invalid",
        single!("1", "1", "0"),
        &[Status(422)],
    ),
    app_row(
        "For an application with label MARATHON_SINGLE_INSTANCE_APP UpgradeStrategy(1,1) is invalid",
        single!("1", "1", "1"),
        &[Status(422)],
    ),
    app_row(
        "For an application with label MARATHON_SINGLE_INSTANCE_APP UpgradeStrategy(0,1) is invalid",
        single!("1", "0", "1"),
        &[Status(422)],
    ),
    app_row("readinessChecks are invalid for normal apps", r#"{"readinessChecks": [{}]}"#, &[Status(422)]),
    app_row(ACCEPTED, resident!(r#", "acceptedResourceRoles": ["foo"]"#), &[Status(422)]).with(ROLE),
    app_row(ACCEPTED, resident!(r#", "acceptedResourceRoles": ["*"]"#), &[Taken]).with(ROLE),
    app_row(ACCEPTED, resident!(""), &[Taken]).with(ROLE),
    app_row(
        "health check validation should allow port specifications without port indices",
        r#"{"cmd": null, "networks": [{"mode": "host"}], "container": {"type": "DOCKER", "docker": {"image": "group/image"}},
            "portDefinitions": [], "healthChecks": [{"protocol": "HTTP", "path": "/", "port": 8000}]}"#,
        &[Taken],
    ),
    app_row("cassandraWithoutResidency", CASSANDRA, &[Taken]).with(ROLE),
    app_row("cassandraWithoutResidencyWithUpgradeStrategy", CASSANDRA_AT_ONCE, &[Taken]).with(ROLE),
];

const ACCEPTED: &str = "Resident app may only define unreserved acceptedResourceRoles or None";

/// An app with four mapped ports, a host volume and its own volume, and further fields.
macro_rules! cassandra {
    ($more:literal) => {
        concat!(
            r#"{"id": "/cassandra", "cmd": null, "cpus": 2, "mem": 2048, "constraints": [["hostname", "UNIQUE"]],
                "container": {"type": "DOCKER", "docker": {"image": "tobert/cassandra", "network": "BRIDGE", "forcePullImage": true,
                "portMappings": [{"containerPort": 7000, "hostPort": 7000}, {"containerPort": 7199, "hostPort": 7199},
                {"containerPort": 9042, "hostPort": 9042}, {"containerPort": 9160, "hostPort": 9160}]},
                "volumes": [{"containerPath": "/data", "hostPath": "cassandradata", "mode": "RW"},
                {"containerPath": "cassandradata", "mode": "RW", "persistent": {"size": 1000}}]},
                "healthChecks": [{"protocol": "TCP", "portIndex": 3, "gracePeriodSeconds": 5, "intervalSeconds": 20}]"#,
            $more,
            "}"
        )
    };
}

const CASSANDRA: &str = cassandra!("");
const CASSANDRA_AT_ONCE: &str =
    cassandra!(r#", "upgradeStrategy": {"minimumHealthCapacity": 0, "maximumOverCapacity": 0}"#);

const APPS: &[Row] = &[
    app_row("created with the default unreachable strategy should be valid", "{}", &[Taken]),
    app_row(
        "be valid with dependencies pointing to a a subtree of this app",
        r#"{"id": "/a/b/c/d", "dependencies": ["/a/b/c/e"]}"#,
        &[Is("/dependencies", r#"["/a/b/c/e"]"#)],
    ),
    app_row(
        "be valid with dependencies pointing to a different subtree (Regression for #5024)",
        r#"{"id": "/a/b/c/d", "dependencies": ["/x/y/z"]}"#,
        &[Is("/dependencies", r#"["/x/y/z"]"#)],
    ),
    app_row(
        "be invalid with dependencies with invalid path chars",
        r#"{"id": "/a/b/c/d", "dependencies": ["/a/.../"]}"#,
        &[Status(422)],
    ),
    row(
        "be invalid if persistent volumes change",
        Ask::Call(
            "PUT",
            "/v2/apps/app1",
            r#"{"container": {"type": "MESOS", "volumes": [{"containerPath": "foo", "mode": "RW", "persistent": {"size": 2}}]}}"#,
        ),
        &[Says(VOLUMES)],
    )
    .with(ROLE)
    .after(KEPT),
    row("be invalid if ports change", Ask::Call("PUT", "/v2/apps/app1", r#"{"portDefinitions": []}"#), &[Says(PORTS)])
        .with(ROLE)
        .after(KEPT),
    row(
        "be invalid if ports change",
        Ask::Call("PUT", "/v2/apps/app1", r#"{"portDefinitions": [{"port": 1}], "requirePorts": true}"#),
        &[Says(PORTS)],
    )
    .with(ROLE)
    .after(KEPT),
    row("be invalid if cpu changes", Ask::Call("PUT", "/v2/apps/app1", r#"{"cpus": 3}"#), &[Says(CHANGED)])
        .with(ROLE)
        .after(KEPT),
    row("be invalid if mem changes", Ask::Call("PUT", "/v2/apps/app1", r#"{"mem": 3}"#), &[Says(CHANGED)])
        .with(ROLE)
        .after(KEPT),
    row("be invalid if disk changes", Ask::Call("PUT", "/v2/apps/app1", r#"{"disk": 3}"#), &[Says(CHANGED)])
        .with(ROLE)
        .after(KEPT),
    row(
        "be invalid with default upgrade strategy",
        Ask::Call("PUT", "/v2/apps/app1", r#"{"upgradeStrategy": {"minimumHealthCapacity": 1, "maximumOverCapacity": 1}}"#),
        &[Says("got 1.0, expected 0.0")],
    )
    .with(ROLE)
    .after(KEPT),
];
