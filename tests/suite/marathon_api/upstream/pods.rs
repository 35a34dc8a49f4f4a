//! Rules of pods.

use super::*;

pub(super) const TABLES: &[Table] = &[("marathon/api/v2/validation/PodsValidationTest.scala", PODS)];

/// A pod of one container with endpoints, in a network.
macro_rules! endpoints {
    ($networks:literal, $endpoints:literal) => {
        concat!(
            r#"{"id": "/foo", "networks": ["#,
            $networks,
            r#"], "containers": [{"name": "ct1", "resources": {"cpus": 1, "mem": 128}, "endpoints": ["#,
            $endpoints,
            "]}]}"
        )
    };
}

/// A pod of one container with limits, and further fields.
macro_rules! limits {
    ($limits:literal, $more:literal) => {
        concat!(
            r#"{"containers": [{"name": "ct1", "resources": {"cpus": 1, "mem": 128}, "resourceLimits": "#,
            $limits,
            "}]",
            $more,
            "}"
        )
    };
}

/// A pod with its own volume: resources of its container, its volume's size, the rest.
macro_rules! resident {
    ($resources:literal, $endpoint:literal, $size:literal, $scheduling:literal) => {
        concat!(
            r#"{"id": "/some/pod", "role": "foo", "networks": [{"mode": "host"}], "containers": [{"name": "ct1", "resources": "#,
            $resources,
            r#", "endpoints": ["#,
            $endpoint,
            r#"], "volumeMounts": [{"name": "vol1", "mountPath": "vol1-mount", "readOnly": false}]}],
                "volumes": [{"name": "vol1", "persistent": {"size": "#,
            $size,
            r#"}}], "scheduling": "#,
            $scheduling,
            "}"
        )
    };
}

const KEPT_POD: &str = resident!(
    r#"{"cpus": 1, "mem": 128}"#,
    r#"{"name": "ep1", "hostPort": 1}"#,
    "1",
    r#"{"upgrade": {"minimumHealthCapacity": 0, "maximumOverCapacity": 0}, "unreachableStrategy": "disabled"}"#
);
const KEPT: &[Ask] = &[Ask::Call("POST", "/v2/pods", KEPT_POD)];
/// The same pod with a change.
macro_rules! changed {
    ($resources:literal, $endpoint:literal, $size:literal) => {
        Ask::Call(
            "PUT",
            "/v2/pods/some/pod",
            resident!(
                $resources,
                $endpoint,
                $size,
                r#"{"upgrade": {"minimumHealthCapacity": 0, "maximumOverCapacity": 0}, "unreachableStrategy": "disabled"}"#
            ),
        )
    };
}

const HOST_PORTS: &str = "host ports must be unique across all containers";

const PODS: &[Row] = &[
    pod_row("be rejected if the id is empty", r#"{"id": "/"}"#, &[Flaw("/id", "Path must contain at least one path element")]),
    pod_row("be rejected if the id is not absolute", r#"{"id": "some/foo"}"#, &[Flaw("/id", "Path needs to be absolute")]),
    pod_row("be rejected if a defined user is empty", r#"{"user": ""}"#, &[FlawAt("/user")]),
    pod_row(
        "be accepted if secrets defined",
        r#"{"secrets": {"secret1": {"source": "/foo"}}, "environment": {"TEST": {"secret": "secret1"}}}"#,
        &[Is("/environment/TEST/secret", r#""secret1""#)],
    )
    .with(SECRETS),
    pod_row("be rejected if no container is defined", r#"{"containers": []}"#, &[FlawAt("/containers")]),
    pod_row(
        "be rejected if container names are not unique",
        r#"{"containers": [{"name": "ct1", "resources": {"cpus": 1, "mem": 128}}, {"name": "ct1", "resources": {"cpus": 1, "mem": 128}}]}"#,
        &[Flaw("/containers", "container names must be unique")],
    ),
    pod_row(
        "be rejected if endpoint names are not unique",
        endpoints!(r#"{"mode": "host"}"#, r#"{"name": "endpoint", "hostPort": 123}, {"name": "endpoint", "hostPort": 124}"#),
        &[Flaw("/", "endpoint names nust be unique across all containers")],
    ),
    pod_row(
        "be rejected if endpoint host ports are not unique",
        endpoints!(r#"{"mode": "host"}"#, r#"{"name": "endpoint1", "hostPort": 123}, {"name": "endpoint2", "hostPort": 123}"#),
        &[Flaw("/", HOST_PORTS)],
    ),
    pod_row(
        "be rejected if endpoint container ports are not unique",
        endpoints!(
            r#"{"mode": "container", "name": "default-network-name"}"#,
            r#"{"name": "endpoint1", "containerPort": 123}, {"name": "endpoint2", "containerPort": 123}"#
        ),
        &[Flaw("/", "container ports must be unique across all containers")],
    ),
    pod_row(
        "be rejected if volume names are not unique",
        r#"{"volumes": [{"name": "volume"}, {"name": "volume"}], "containers": [{"name": "ct1",
            "resources": {"cpus": 1, "mem": 128}, "volumeMounts": [{"name": "volume", "mountPath": "/bla"}]}]}"#,
        &[Flaw("/volumes", "volume names must be unique")],
    ),
    pod_row(
        "be rejected if a secret volume is defined without a corresponding secret",
        r#"{"volumes": [{"name": "volume", "secret": "foo"}], "containers": [{"name": "ct1",
            "resources": {"cpus": 1, "mem": 128}, "volumeMounts": [{"name": "volume", "mountPath": "/bla"}]}]}"#,
        &[Says("volume.secret must refer to an existing secret")],
    )
    .with(SECRETS),
    pod_row("be accepted if it is a valid pod with a Docker pull config", PULLED, &[Taken]).with(SECRETS),
    pod_row(
        "be rejected if a pull config pod is provided when secrets features is disabled",
        PULLED,
        &[Says("must be empty"), Says("Feature secrets is not enabled. Enable with --enable_features secrets)")],
    ),
    pod_row(
        "be rejected if a pull config pod doesn't have secrets",
        r#"{"containers": [{"name": "c", "resources": {"cpus": 1, "mem": 128}, "image": {"kind": "DOCKER", "id": "some/image",
            "pullConfig": {"secret": "aSecret"}}}]}"#,
        &[Flaw("/containers(0)/image/pullConfig", "pullConfig.secret must refer to an existing secret")],
    )
    .with(SECRETS),
    pod_row(
        "MaxPer is accepted with an integer value",
        r#"{"scheduling": {"placement": {"constraints": [{"fieldName": "foo", "operator": "MAX_PER", "value": "3"}]}}}"#,
        &[Taken],
    ),
    pod_row(
        "MaxPer is rejected with no value",
        r#"{"scheduling": {"placement": {"constraints": [{"fieldName": "foo", "operator": "MAX_PER"}]}}}"#,
        &[Status(422)],
    ),
    pod_row("with persistent volumes should be valid", KEPT_POD, &[Taken]).with(ROLE),
    pod_row(
        "be valid if no unreachable strategy is provided",
        resident!(
            r#"{"cpus": 1, "mem": 128}"#,
            "",
            "1",
            r#"{"upgrade": {"minimumHealthCapacity": 0, "maximumOverCapacity": 0}}"#
        ),
        &[Is("/scheduling/unreachableStrategy", r#""disabled""#)],
    )
    .with(ROLE),
    pod_row(
        "be valid if no upgrade strategy is provided",
        resident!(r#"{"cpus": 1, "mem": 128}"#, "", "1", r#"{"unreachableStrategy": "disabled"}"#),
        &[Is("/scheduling/upgrade", r#"{"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0}"#)],
    )
    .with(ROLE),
    pod_row(
        "be invalid if unreachable strategy is enabled",
        resident!(r#"{"cpus": 1, "mem": 128}"#, "", "1", r#"{"unreachableStrategy": {}}"#),
        &[Says("unreachableStrategy must be disabled for pods with persistent volumes")],
    )
    .with(ROLE),
    pod_row(
        "be invalid if upgrade strategy has maximumOverCapacity set to non-zero",
        resident!(
            r#"{"cpus": 1, "mem": 128}"#,
            "",
            "1",
            r#"{"upgrade": {"minimumHealthCapacity": 1, "maximumOverCapacity": 0.1}}"#
        ),
        &[Says("got 0.1, expected 0.0")],
    )
    .with(ROLE),
    row(
        "be invalid if cpu changes",
        changed!(r#"{"cpus": 3, "mem": 128}"#, r#"{"name": "ep1", "hostPort": 1}"#, "1"),
        &[Says("cpus cannot be updated if a pod has persistent volumes")],
    )
    .with(ROLE)
    .after(KEPT),
    row(
        "be invalid if mem changes",
        changed!(r#"{"cpus": 1, "mem": 3}"#, r#"{"name": "ep1", "hostPort": 1}"#, "1"),
        &[Says("mem cannot be updated if a pod has persistent volumes")],
    )
    .with(ROLE)
    .after(KEPT),
    row(
        "be invalid if disk changes",
        changed!(r#"{"cpus": 1, "mem": 128, "disk": 3}"#, r#"{"name": "ep1", "hostPort": 1}"#, "1"),
        &[Says("disk cannot be updated if a pod has persistent volumes")],
    )
    .with(ROLE)
    .after(KEPT),
    row(
        "be invalid if persistent volumes change",
        changed!(r#"{"cpus": 1, "mem": 128}"#, r#"{"name": "ep1", "hostPort": 1}"#, "2"),
        &[Says("persistent volumes cannot be updated")],
    )
    .with(ROLE)
    .after(KEPT),
    row(
        "be invalid if ports change",
        changed!(r#"{"cpus": 1, "mem": 128}"#, r#"{"name": "ep1", "hostPort": 2}"#, "1"),
        &[Says("host ports cannot be updated if a pod has persistent volumes")],
    )
    .with(ROLE)
    .after(KEPT),
    pod_row("be valid when the role matches the group-role", r#"{"id": "/dev/pod", "role": "dev"}"#, &[Is("/role", r#""dev""#)]),
    pod_row(
        "be invalid when the role is neither the group-role nor the default role (and enforcerole is off)",
        r#"{"id": "/somepod", "role": "anotherRole"}"#,
        &[Flaw("/role", "got anotherRole, expected one of: [dev]")],
    )
    .with(&[("MARATHON_MESOS_ROLE", "dev")]),
    pod_row(
        "be invalid when acceptedResource role is different from the role",
        r#"{"id": "/somepod", "role": "dev", "scheduling": {"placement": {"acceptedResourceRoles": ["differentRole"]}}}"#,
        &[Says("acceptedResourceRoles can only contain * and dev")],
    )
    .with(&[("MARATHON_MESOS_ROLE", "dev")]),
    pod_row(
        "be invalid when acceptedResource role is different from the role and role is *",
        r#"{"role": "*", "scheduling": {"placement": {"acceptedResourceRoles": ["differentRole"]}}}"#,
        &[Says("acceptedResourceRoles can only contain *")],
    ),
    pod_row(
        "require networkNames for containerPort to hostPort mapping",
        endpoints!(
            r#"{"mode": "container", "name": "1"}, {"mode": "container", "name": "2"}"#,
            r#"{"name": "endpoint", "containerPort": 80, "hostPort": 0}"#
        ),
        &[Status(422)],
    ),
    pod_row(
        "allow endpoints that don't declare hostPort nor networkNames",
        endpoints!(
            r#"{"mode": "container", "name": "1"}, {"mode": "container", "name": "2"}"#,
            r#"{"name": "endpoint", "containerPort": 80}"#
        ),
        &[Taken],
    ),
    pod_row(
        "allow endpoints for pods with bridge networking",
        endpoints!(r#"{"mode": "container/bridge"}"#, r#"{"name": "endpoint", "containerPort": 80, "hostPort": 0}"#),
        &[Taken],
    ),
    pod_row(
        "allow endpoints that both declare a hostPort and a networkNames",
        endpoints!(
            r#"{"mode": "container", "name": "1"}, {"mode": "container", "name": "2"}"#,
            r#"{"name": "endpoint", "containerPort": 80, "hostPort": 0, "networkNames": ["1"]}"#
        ),
        &[Taken],
    ),
    pod_row(
        "container-mode: allow endpoint with no networkNames",
        endpoints!(
            r#"{"mode": "container", "name": "1"}"#,
            r#"{"name": "endpoint", "hostPort": 80, "containerPort": 80, "networkNames": []}"#
        ),
        &[Taken],
    ),
    pod_row(
        "container-mode: allow endpoint without hostport",
        endpoints!(r#"{"mode": "container", "name": "1"}"#, r#"{"name": "endpoint", "containerPort": 80}"#),
        &[Taken],
    ),
    pod_row(
        "container-mode: allow endpoint with zero hostport",
        endpoints!(r#"{"mode": "container", "name": "1"}"#, r#"{"name": "endpoint", "containerPort": 80, "hostPort": 0}"#),
        &[Taken],
    ),
    pod_row(
        "bridge-mode: require that hostPort is unique",
        endpoints!(r#"{"mode": "container/bridge"}"#, r#"{"name": "name1", "hostPort": 123}, {"name": "name2", "hostPort": 123}"#),
        &[Flaw("/", HOST_PORTS)],
    ),
    pod_row(
        "container-mode: requires containerPort",
        endpoints!(r#"{"mode": "container", "name": "1"}"#, r#"{"name": "name1", "hostPort": 123}"#),
        &[Flaw("/containers(0)/endpoints(0)/containerPort", "is required when using container-mode networking")],
    ),
    pod_row(
        "allow endpoint with a networkNames",
        endpoints!(
            r#"{"mode": "container", "name": "1"}"#,
            r#"{"name": "endpoint", "hostPort": 80, "containerPort": 80, "networkNames": ["1"]}"#
        ),
        &[Taken],
    ),
    pod_row(
        "disallow endpoint with a host port and two valid networkNames",
        endpoints!(
            r#"{"mode": "container", "name": "1"}"#,
            r#"{"name": "endpoint", "hostPort": 80, "containerPort": 80, "networkNames": ["1", "2"]}"#
        ),
        &[Status(422)],
    ),
    pod_row(
        "disallow endpoint with a non-matching network name",
        endpoints!(
            r#"{"mode": "container", "name": "1"}"#,
            r#"{"name": "endpoint", "hostPort": 80, "containerPort": 80, "networkNames": ["invalid-network-name"]}"#
        ),
        &[Status(422)],
    ),
    pod_row(
        "allow endpoint without hostPort for host networking",
        endpoints!(r#"{"mode": "host"}"#, r#"{"name": "ep"}"#),
        &[Taken],
    ),
    pod_row(LIMITS, limits!(r#"{"mem": 256}"#, ""), &[Taken]),
    pod_row(LIMITS, limits!(r#"{"mem": "unlimited"}"#, ""), &[Taken]),
    pod_row(LIMITS, limits!(r#"{"cpus": 2}"#, ""), &[Taken]),
    pod_row(LIMITS, limits!(r#"{"cpus": "unlimited"}"#, ""), &[Taken]),
    pod_row(
        "fail when resource limits are less than requested resources",
        limits!(r#"{"mem": 100}"#, ""),
        &[Flaw(
            "/containers(0)/resourceLimits/mem",
            "resource limit must be greater than or equal to requested resource (128.0)",
        )],
    ),
    pod_row(
        "fail when resource limits are less than requested resources",
        limits!(r#"{"cpus": 0.5}"#, ""),
        &[Flaw(
            "/containers(0)/resourceLimits/cpus",
            "resource limit must be greater than or equal to requested resource (1.0)",
        )],
    ),
    pod_row(
        "fail when resource limits are specified and sharedCgroups is enabled",
        limits!(r#"{"cpus": "unlimited"}"#, r#", "legacySharedCgroups": true"#),
        &[Flaw("/containers(0)/resourceLimits", "resourceLimits cannot be defined if legacySharedCgroups is enabled")],
    ),
];

const LIMITS: &str = "succeed when resource limits are >= requested resources";

const PULLED: &str = r#"{"secrets": {"aSecret": {"source": "/pull/config"}}, "containers": [{"name": "c",
    "resources": {"cpus": 1, "mem": 128}, "image": {"kind": "DOCKER", "id": "some/image", "pullConfig": {"secret": "aSecret"}}}]}"#;
