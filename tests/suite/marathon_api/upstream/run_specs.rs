//! Rules of apps: ids, networks, ports, secrets, constraints.

use super::*;

pub(super) const TABLES: &[Table] = &[
    ("marathon/api/v2/validation/AppValidationTest.scala", APPS),
    ("marathon/api/v2/validation/EnvVarValidationTest.scala", VARIABLES),
    ("marathon/api/v2/validation/SchedulingValidationTest.scala", CONSTRAINTS),
    ("marathon/api/ConstraintTest.scala", CONSTRAINT_FORMS),
    ("marathon/state/PathIdTest.scala", PATHS),
    ("marathon/state/ResourceRoleTest.scala", RESOURCE_ROLES),
];

const NAMES: &str = "networkNames must be a single item list when hostPort is specified and more than 1 container network is defined";
const IPV6: &str = "IPv6 can only be used for container type DOCKER and Mesos http/https/tcp health checks";

/// An app in a container of Docker with a check over IPv6.
macro_rules! over_ipv6 {
    ($protocol:literal) => {
        concat!(
            r#"{"cmd": null, "container": {"type": "DOCKER", "docker": {"image": "xyz"}}, "healthChecks": [{"protocol": ""#,
            $protocol,
            r#"", "port": 80, "ipProtocol": "IPv6"}]}"#
        )
    };
}

/// An app with one constraint.
macro_rules! constrained {
    ($constraint:literal) => {
        concat!(r#"{"constraints": ["#, $constraint, "]}")
    };
}

const APPS: &[Row] = &[
    app_row(
        "file based secret is used when secret feature is not enabled should fail",
        r#"{"container": {"type": "MESOS", "volumes": [{"containerPath": "/path", "secret": "bar"}]}}"#,
        &[Says("Feature secrets is not enabled. Enable with --enable_features secrets")],
    ),
    app_row(
        "file based secret is used when corresponding secret is missing should fail",
        r#"{"secrets": {"foo": {"source": "/bar"}},
            "container": {"type": "MESOS", "volumes": [{"containerPath": "/path", "secret": "baz"}]}}"#,
        &[Says("volume.secret must refer to an existing secret")],
    )
    .with(SECRETS),
    app_row(
        "a valid file based secret should succeed",
        r#"{"secrets": {"foo": {"source": "/bar"}},
            "container": {"type": "MESOS", "volumes": [{"containerPath": "/path", "secret": "foo"}]}}"#,
        &[Taken],
    )
    .with(SECRETS),
    app_row(
        "pull config when the Mesos containerizer is used and the corresponding secret is provided should be accepted",
        r#"{"secrets": {"aSecret": {"source": "/secret"}},
            "container": {"type": "MESOS", "docker": {"image": "xyz", "pullConfig": {"secret": "aSecret"}}}}"#,
        &[Taken],
    )
    .with(SECRETS),
    app_row(
        "pull config when the Mesos containerizer is used and the corresponding secret is not provided should fail",
        r#"{"container": {"type": "MESOS", "docker": {"image": "xyz", "pullConfig": {"secret": "aSecret"}}}}"#,
        &[Flaw("/container/docker/pullConfig", "pullConfig.secret must refer to an existing secret")],
    )
    .with(SECRETS),
    app_row(
        "pull config when the Docker containerizer is used and the corresponding secret is provided should fail",
        r#"{"secrets": {"aSecret": {"source": "/secret"}},
            "container": {"type": "DOCKER", "docker": {"image": "xyz", "pullConfig": {"secret": "aSecret"}}}}"#,
        &[Flaw("/container/docker/pullConfig", "pullConfig is not supported with Docker containerizer")],
    )
    .with(SECRETS),
    app_row(
        "pull config when secrets feature is disabled should fail",
        r#"{"container": {"type": "MESOS", "docker": {"image": "xyz", "pullConfig": {"secret": "aSecret"}}}}"#,
        &[
            Flaw("/container/docker/pullConfig", "must be empty"),
            Flaw(
                "/container/docker/pullConfig",
                "Feature secrets is not enabled. Enable with --enable_features secrets)",
            ),
            Flaw("/container/docker/pullConfig", "pullConfig.secret must refer to an existing secret"),
        ],
    ),
    app_row(
        "require networkNames for hostPort to containerPort mapping",
        r#"{"networks": [{"mode": "container", "name": "1"}, {"mode": "container", "name": "2"}],
            "container": {"type": "MESOS", "portMappings": [{"containerPort": 0, "hostPort": 0}]}}"#,
        &[Flaw("/container/portMappings(0)", NAMES)],
    ),
    app_row(
        "limit docker containers to a single network",
        r#"{"networks": [{"mode": "container", "name": "1"}, {"mode": "container", "name": "2"}],
            "container": {"type": "DOCKER", "docker": {"image": "foo"}, "portMappings": [{"containerPort": 0}]}}"#,
        &[Flaw("/", "may only specify a single container network when using the Docker container engine")],
    ),
    app_row(
        "allow portMappings that don't declare hostPort nor networkNames",
        r#"{"networks": [{"mode": "container", "name": "1"}, {"mode": "container", "name": "2"}],
            "container": {"type": "MESOS", "portMappings": [{"containerPort": 0}]}}"#,
        &[Taken],
    ),
    app_row(
        "allow portMappings that both declare a hostPort and a networkNames",
        r#"{"networks": [{"mode": "container", "name": "1"}, {"mode": "container", "name": "2"}],
            "container": {"type": "MESOS", "portMappings": [{"containerPort": 0, "hostPort": 0, "networkNames": ["1"]}]}}"#,
        &[Taken],
    ),
    app_row(
        "consider an external volume with a complex name as valid",
        r#"{"container": {"type": "MESOS", "docker": {"image": "xyz"}, "volumes": [{"containerPath": "/some/path", "mode": "RW",
            "external": {"provider": "dvdi", "size": 1024, "options": {"dvdi/driver": "pxd"},
            "name": "name=teamvolumename,secret_key=volume-secret-key-team,secure=true,size=5,repl=1,shared=true"}}]}}"#,
        &[Taken],
    )
    .with(VOLUMES),
    app_row(
        "consider a valid portMapping with a name as valid",
        r#"{"networks": [{"mode": "container", "name": "1"}],
            "container": {"type": "MESOS", "portMappings": [{"containerPort": 80, "hostPort": 80, "networkNames": ["1"]}]}}"#,
        &[Taken],
    ),
    app_row(
        "consider a container network without name to be invalid",
        r#"{"networks": [{"mode": "container"}], "container": {"type": "MESOS", "portMappings": []}}"#,
        &[Status(422)],
    ),
    app_row(
        "consider a container network without name but with a default name from config valid",
        r#"{"networks": [{"mode": "container"}], "container": {"type": "MESOS", "portMappings": []}}"#,
        &[Is("/networks/0/name", r#""defaultNetworkName""#)],
    )
    .with(&[("MARATHON_DEFAULT_NETWORK_NAME", "defaultNetworkName")]),
    app_row(
        "consider a portMapping with a hostPort and two valid networkNames as invalid",
        r#"{"networks": [{"mode": "container", "name": "1"}, {"mode": "container", "name": "2"}, {"mode": "container", "name": "3"}],
            "container": {"type": "MESOS", "portMappings": [{"containerPort": 80, "hostPort": 80, "networkNames": ["1", "2"]}]}}"#,
        &[Flaw("/container/portMappings(0)", NAMES)],
    ),
    app_row(
        "consider a portMapping with no name as valid",
        r#"{"networks": [{"mode": "container", "name": "1"}],
            "container": {"type": "MESOS", "portMappings": [{"containerPort": 80, "hostPort": 80, "networkNames": []}]}}"#,
        &[Taken],
    ),
    app_row(
        "consider a portMapping without a hostport as valid",
        r#"{"networks": [{"mode": "container", "name": "1"}],
            "container": {"type": "MESOS", "portMappings": [{"containerPort": 0}]}}"#,
        &[Is("/container/portMappings/0/hostPort", "null")],
    ),
    app_row(
        "consider portMapping with zero hostport as valid",
        r#"{"networks": [{"mode": "container", "name": "1"}],
            "container": {"type": "MESOS", "portMappings": [{"containerPort": 80, "hostPort": 0}]}}"#,
        &[Is("/container/portMappings/0/hostPort", "0")],
    ),
    app_row(
        "consider portMapping with a non-matching network name as invalid",
        r#"{"networks": [{"mode": "container", "name": "1"}], "container": {"type": "MESOS",
            "portMappings": [{"containerPort": 80, "hostPort": 80, "networkNames": ["undefined-network-name"]}]}}"#,
        &[Flaw("/container/portMappings(0)/networkNames(0)", "is not one of (1)")],
    ),
    app_row(
        "consider portMapping without networkNames nor hostPort as valid",
        r#"{"networks": [{"mode": "container", "name": "1"}],
            "container": {"type": "MESOS", "portMappings": [{"containerPort": 80, "networkNames": []}]}}"#,
        &[Taken],
    ),
    app_row(
        "general port validation",
        r#"{"networks": [{"mode": "container", "name": "1"}], "container": {"type": "MESOS", "portMappings":
            [{"containerPort": 0, "hostPort": 123, "name": "name"}, {"containerPort": 0, "hostPort": 123, "name": "name"}]}}"#,
        &[Flaw("/container/portMappings", "Port names must be unique.")],
    ),
    app_row(
        "port definitions must have unique ports",
        r#"{"container": {"type": "MESOS"}, "portDefinitions": [{"port": 9000}, {"port": 8080}, {"port": 9000}]}"#,
        &[Flaw("/portDefinitions", "Ports must be unique.")],
    ),
    app_row(
        "port definitions must have unique names",
        r#"{"container": {"type": "MESOS"}, "portDefinitions": [{"port": 9000, "name": "foo"}, {"port": 9001, "name": "foo"}]}"#,
        &[Flaw("/portDefinitions", "Port names must be unique.")],
    ),
    app_row(
        "missing hostPort is allowed for bridge networking (so we can normalize it)",
        r#"{"networks": [{"mode": "container/bridge"}],
            "container": {"type": "MESOS", "portMappings": [{"containerPort": 8080, "servicePort": 0, "name": "foo"}]}}"#,
        &[Is("/container/portMappings/0/hostPort", "0")],
    ),
    app_row(
        "pass validation when protocol is MesosHttp and IPv6 ip protocol is defined",
        over_ipv6!("MESOS_HTTP"),
        &[Is("/healthChecks/0/ipProtocol", r#""IPv6""#)],
    ),
    app_row(
        "pass validation when protocol is MesosHttps and IPv6 ip protocol is defined",
        over_ipv6!("MESOS_HTTPS"),
        &[Is("/healthChecks/0/ipProtocol", r#""IPv6""#)],
    ),
    app_row(
        "pass validation when protocol is MesosTcp and IPv6 ip protocol is defined",
        over_ipv6!("MESOS_TCP"),
        &[Is("/healthChecks/0/ipProtocol", r#""IPv6""#)],
    ),
    app_row(
        "fail validation when protocol is Command and IPv6 ip protocol is defined",
        over_ipv6!("COMMAND"),
        &[Flaw("/healthChecks(0)", IPV6)],
    ),
    app_row(
        "fail validation when protocol is Http and IPv6 ip protocol is defined",
        over_ipv6!("HTTP"),
        &[Flaw("/healthChecks(0)", IPV6)],
    ),
    app_row(
        "fail validation when protocol is Https and IPv6 ip protocol is defined",
        over_ipv6!("HTTPS"),
        &[Flaw("/healthChecks(0)", IPV6)],
    ),
    app_row(
        "fail validation when protocol is Tcp and IPv6 ip protocol is defined",
        over_ipv6!("TCP"),
        &[Flaw("/healthChecks(0)", IPV6)],
    ),
    app_row(
        "pass validation even when no ipProtocol specified when Mesos HTTP/HTTPS/TCP",
        r#"{"cmd": null, "container": {"type": "DOCKER", "docker": {"image": "xyz"}},
            "healthChecks": [{"protocol": "MESOS_HTTP", "port": 80}]}"#,
        &[Taken],
    ),
    app_row(
        "fail even for otherwise supported types",
        r#"{"cmd": null, "container": {"type": "MESOS", "docker": {"image": "xyz"}},
            "healthChecks": [{"protocol": "MESOS_TCP", "port": 80, "ipProtocol": "IPv6"}]}"#,
        &[Flaw("/healthChecks(0)", IPV6)],
    ),
    app_row(
        "should pass always for IPv4",
        r#"{"cmd": null, "container": {"type": "MESOS", "docker": {"image": "xyz"}},
            "healthChecks": [{"protocol": "MESOS_TCP", "port": 80, "ipProtocol": "IPv4"}]}"#,
        &[Taken],
    ),
    app_row(LIMITS, r#"{"mem": 256, "cpus": 2, "resourceLimits": {"mem": 256}}"#, &[Is("/resourceLimits/mem", "256")]),
    app_row(LIMITS, r#"{"mem": 256, "cpus": 2, "resourceLimits": {"mem": 300}}"#, &[Is("/resourceLimits/mem", "300")]),
    app_row(
        LIMITS,
        r#"{"mem": 256, "cpus": 2, "resourceLimits": {"mem": "unlimited"}}"#,
        &[Is("/resourceLimits/mem", r#""unlimited""#)],
    ),
    app_row(LIMITS, r#"{"mem": 256, "cpus": 2, "resourceLimits": {"cpus": 2}}"#, &[Taken]),
    app_row(LIMITS, r#"{"mem": 256, "cpus": 2, "resourceLimits": {"cpus": 10}}"#, &[Taken]),
    app_row(LIMITS, r#"{"mem": 256, "cpus": 2, "resourceLimits": {"cpus": "unlimited"}}"#, &[Taken]),
    app_row(
        "fail when resource limits are less than requested resources",
        r#"{"mem": 256, "cpus": 2, "resourceLimits": {"mem": 200}}"#,
        &[Flaw("/resourceLimits/mem", "resource limit must be greater than or equal to requested resource (256.0)")],
    ),
    app_row(
        "fail when resource limits are less than requested resources",
        r#"{"mem": 256, "cpus": 2, "resourceLimits": {"cpus": 1}}"#,
        &[Flaw("/resourceLimits/cpus", "resource limit must be greater than or equal to requested resource (2.0)")],
    ),
    app_row(
        "fail when resource limits are an invalid enum value",
        r#"{"mem": 256, "cpus": 2, "resourceLimits": {"mem": "Infinity"}}"#,
        &[FlawAt("/resourceLimits/mem")],
    ),
    app_row(
        "fail when resource limits are an invalid enum value",
        r#"{"mem": 256, "cpus": 2, "resourceLimits": {"cpus": "Infinity"}}"#,
        &[FlawAt("/resourceLimits/cpus")],
    ),
];

const LIMITS: &str = "succeed when resource limits are >= requested resources";

const VARIABLES: &[Row] = &[
    app_row("empty env is compliant with validation rules", r#"{"env": {}}"#, &[Taken]),
    app_row(
        "singleton env is compliant with validation rules",
        r#"{"env": {"foo": "bar"}}"#,
        &[Is("/env/foo", r#""bar""#)],
    ),
    app_row(
        "mixed case env is compliant with validation rules",
        r#"{"env": {"foo": "bar", "FOO": "BAR"}}"#,
        &[Is("/env", r#"{"foo": "bar", "FOO": "BAR"}"#)],
    ),
    app_row("underscore env is compliant with validation rules", r#"{"env": {"_": "x"}}"#, &[Taken]),
    app_row("alpha numerical env is compliant with validation rules", r#"{"env": {"a_1_": "x"}}"#, &[Taken]),
    // The API validates names leniently, for apps as for pods.
    app_row("whitespace env is compliant with validation rules", r#"{"env": {" ": "x"}}"#, &[Taken]),
    app_row("hyphen env is compliant with validation rules", r#"{"env": {"-": "x"}}"#, &[Taken]),
    app_row("numerical env is compliant with validation rules", r#"{"env": {"9": "x"}}"#, &[Taken]),
    app_row(
        "fail with empty variable name (non-strict)",
        r#"{"env": {"": "x"}}"#,
        &[Says("must not be empty")],
    ),
    app_row(
        "fail when an undefined secret is referenced",
        r#"{"env": {"VALIDVAR": "validvalue", "INVALIDVAR": {"secret": "undefined-secret"}}}"#,
        &[Flaw("/env/INVALIDVAR/secret", "references an undefined secret")],
    )
    .with(SECRETS),
];

const OPERATOR: &str =
    "operator must be one of the following UNIQUE, CLUSTER, GROUP_BY, LIKE, MAX_PER, UNLIKE or IS";
const NO_FIELD: &str = "illegal constraint specification";
const IS_TEXT: &str = "IS only supports Mesos text and float values (see http://mesos.apache.org/documentation/latest/attributes-resources/)";
const GROUP_BY: &str = "GROUP BY must define an integer value or else no value at all";
const REGEX: &str = "LIKE and UNLIKE require a non-empty, regular expression value";

const CONSTRAINTS: &[Row] = &[
    app_row("fail with human readable error message", constrained!(r#"["a", "b", "c"]"#), &[Says(OPERATOR)]),
    app_row(
        "lowercase cluster operator",
        constrained!(r#"["foo", "cluster", "bar"]"#),
        &[Is("/constraints", r#"[["foo", "CLUSTER", "bar"]]"#)],
    ),
    app_row("CLUSTER hostname field and no value", constrained!(r#"["hostname", "CLUSTER"]"#), &[Taken]),
    app_row(
        "CLUSTER hostname field and empty value",
        constrained!(r#"["hostname", "CLUSTER", ""]"#),
        &[Taken],
    ),
    app_row(
        "CLUSTER hostname field and value",
        constrained!(r#"["hostname", "CLUSTER", "somehost"]"#),
        &[Taken],
    ),
    app_row(
        "CLUSTER non-hostname field with a value",
        constrained!(r#"["attr", "CLUSTER", "foo"]"#),
        &[Taken],
    ),
    app_row("CLUSTER non-hostname field w/o value", constrained!(r#"["a", "CLUSTER"]"#), &[Taken]),
    app_row("CLUSTER w/ empty field w/ value", constrained!(r#"["", "CLUSTER", "b"]"#), &[Says(NO_FIELD)]),
    app_row(
        "CLUSTER w/ empty field w/ empty value",
        constrained!(r#"["", "CLUSTER", ""]"#),
        &[Says(NO_FIELD)],
    ),
    app_row("CLUSTER w/ empty field w/o value", constrained!(r#"["", "CLUSTER"]"#), &[Says(NO_FIELD)]),
    app_row("A UNIQUE constraint without a value", constrained!(r#"["hostname", "UNIQUE"]"#), &[Taken]),
    app_row(
        "A UNIQUE constraint with a value",
        constrained!(r#"["hostname", "UNIQUE", "a"]"#),
        &[Says("UNIQUE does not accept a value")],
    ),
    app_row("A GROUP_BY without a value", constrained!(r#"["rack-id", "GROUP_BY"]"#), &[Taken]),
    app_row("A GROUP_BY with a numeric value", constrained!(r#"["rack-id", "GROUP_BY", "123"]"#), &[Taken]),
    app_row(
        "A GROUP_BY with a non-numeric value",
        constrained!(r#"["rack-id", "GROUP_BY", "AbcDZ"]"#),
        &[Says(GROUP_BY)],
    ),
    app_row(
        "A MAX_PER without a value",
        constrained!(r#"["rack-id", "MAX_PER"]"#),
        &[Says("MAX_PER requires an integer value")],
    ),
    app_row("A MAX_PER with a numeric value", constrained!(r#"["rack-id", "MAX_PER", "123"]"#), &[Taken]),
    app_row(
        "A MAX_PER with a non-numeric value",
        constrained!(r#"["rack-id", "MAX_PER", "AbcDZ"]"#),
        &[Says("MAX_PER requires an integer value")],
    ),
    app_row("An IS with a text value", constrained!(r#"["attribute", "IS", "value-1.2/3_4"]"#), &[Taken]),
    app_row("An IS with a range value", constrained!(r#"["attribute", "IS", "[0-9]"]"#), &[Says(IS_TEXT)]),
    app_row("A LIKE without a value", constrained!(r#"["rack-id", "LIKE"]"#), &[Says(REGEX)]),
    app_row("A LIKE with a valid regex", constrained!(r#"["rack-id", "LIKE", ".*"]"#), &[Taken]),
    app_row(
        "A LIKE with an invalid regex",
        constrained!(r#"["rack-id", "LIKE", "*"]"#),
        &[Says("is not a valid regular expression")],
    ),
    app_row("A UNLIKE without a value", constrained!(r#"["rack-id", "UNLIKE"]"#), &[Says(REGEX)]),
    app_row("A UNLIKE with a valid regex", constrained!(r#"["rack-id", "UNLIKE", ".*"]"#), &[Taken]),
    app_row(
        "A UNLIKE with an invalid regex",
        constrained!(r#"["rack-id", "UNLIKE", "*"]"#),
        &[Says("is not a valid regular expression")],
    ),
];

const CONSTRAINT_FORMS: &[Row] = &[
    app_row(
        "Deserialize",
        constrained!(r#"["hostname", "UNIQUE"]"#),
        &[Is("/constraints/0", r#"["hostname", "UNIQUE"]"#)],
    ),
    app_row(
        "Deserialize",
        constrained!(r#"["hostname", "MAX_PER", "1"]"#),
        &[Is("/constraints/0", r#"["hostname", "MAX_PER", "1"]"#)],
    ),
    app_row(
        "Serialize",
        constrained!(r#"["rackid", "GROUP_BY", "1"]"#),
        &[Is("/constraints/0", r#"["rackid", "GROUP_BY", "1"]"#)],
    ),
    app_row(
        "Serialize",
        constrained!(r#"["jdk", "LIKE", "7"]"#),
        &[Is("/constraints/0", r#"["jdk", "LIKE", "7"]"#)],
    ),
    app_row(
        "Serialize",
        constrained!(r#"["jdk", "UNLIKE", "7"]"#),
        &[Is("/constraints/0", r#"["jdk", "UNLIKE", "7"]"#)],
    ),
    app_row(REGRESSION, constrained!("[]"), &[Status(422)]),
    app_row(REGRESSION, constrained!(r#"["foo", "UNKNOWN"]"#), &[Status(422)]),
    app_row(REGRESSION, constrained!(r#"["foo", "UNKNOWN", "bla"]"#), &[Status(422)]),
    app_row(REGRESSION, constrained!(r#"["foo", "CLUSTER", "bla"]"#), &[Taken]),
    app_row(
        REGRESSION,
        constrained!(r#"["foo", "CLUSTER", "bla", "bla2"]"#),
        &[Says("Each constraint must have either 2 or 3 fields")],
    ),
    app_row(
        "Read should give a nice validation error for unknown operators (regression for #3161)",
        constrained!(r#"["foo", "bar"]"#),
        &[Says(OPERATOR)],
    ),
];

const REGRESSION: &str = "Read should allow only valid Constraints (regression for #2951)";

const KEYWORDS: &str =
    "must not end with any of the following reserved keywords: restart, tasks, versions, ., ..";

const PATHS: &[Row] = &[
    app_row(
        "passed legal characters should be valid",
        r#"{"id": "/foobar-0"}"#,
        &[Is("/id", r#""/foobar-0""#)],
    ),
    app_row("passed illegal characters should be invalid", r#"{"id": "/@§'foobar-0"}"#, &[FlawAt("/id")]),
    app_row("be invalid if the restart used in the end", r#"{"id": "/restart"}"#, &[Flaw("/id", KEYWORDS)]),
    app_row(
        "be invalid if the restart used in the end",
        r#"{"id": "/foo/restart"}"#,
        &[Flaw("/id", KEYWORDS)],
    ),
    app_row("be invalid if the tasks used in the end", r#"{"id": "/tasks"}"#, &[Flaw("/id", KEYWORDS)]),
    app_row("be invalid if the tasks used in the end", r#"{"id": "/foo/tasks"}"#, &[Flaw("/id", KEYWORDS)]),
    app_row("be invalid if the versions used in the end", r#"{"id": "/versions"}"#, &[Flaw("/id", KEYWORDS)]),
    app_row(
        "be invalid if the versions used in the end",
        r#"{"id": "/foo/versions"}"#,
        &[Flaw("/id", KEYWORDS)],
    ),
    app_row(
        "be valid if the keyword used elsewhere",
        r#"{"id": "/restart/foo"}"#,
        &[Is("/id", r#""/restart/foo""#)],
    ),
    app_row(
        "be valid if the keyword used elsewhere",
        r#"{"id": "/tasks/foo"}"#,
        &[Is("/id", r#""/tasks/foo""#)],
    ),
    app_row(
        "be valid if the keyword used elsewhere",
        r#"{"id": "/versions/foo"}"#,
        &[Is("/id", r#""/versions/foo""#)],
    ),
    row(
        "compute the canonical path when path is relative",
        Ask::Group(
            r#"{"id": "/a/b/c/d", "apps": [{"id": "x", "cmd": "sleep 1000", "dependencies": ["./test/../e/f/g/./../"]}]}"#,
        ),
        &[Status(201)],
    ),
];

/// An app that accepts resources of these roles; the role itself is "foo".
macro_rules! accepting {
    ($roles:literal) => {
        concat!(r#"{"role": "foo", "acceptedResourceRoles": "#, $roles, "}")
    };
}

const ACCEPTED: &str = "If `acceptedResourceRoles` is provided, a non-resident app is valid only if it contains valid role names.";

const RESOURCE_ROLES: &[Row] = &[
    app_row(
        "If `acceptedResourceRoles` is not provided, an app should be valid regardless of its residency.",
        r#"{"role": "foo"}"#,
        &[Is("/acceptedResourceRoles", "null")],
    )
    .with(ROLE),
    app_row(ACCEPTED, accepting!(r#"["*"]"#), &[Taken]).with(ROLE),
    app_row(ACCEPTED, accepting!(r#"["foo"]"#), &[Taken]).with(ROLE),
    app_row(ACCEPTED, accepting!(r#"[""]"#), &[Says("must not be \"\"")]).with(ROLE),
    app_row(ACCEPTED, accepting!(r#"["."]"#), &[Says("must not be \".\"")]).with(ROLE),
    app_row(ACCEPTED, accepting!(r#"[".."]"#), &[Says("must not be \"..\"")]).with(ROLE),
    app_row(ACCEPTED, accepting!(r#"["-role"]"#), &[Says("must not start with a '-'")]).with(ROLE),
    app_row(ACCEPTED, accepting!(r#"[" "]"#), &[Says("must not include a space")]).with(ROLE),
    app_row(ACCEPTED, accepting!(r#"["x\ny"]"#), &[Says("must not include a line feed")]).with(ROLE),
    app_row(ACCEPTED, accepting!(r#"["y\n\r"]"#), &[Says("must not include a carriage return")]).with(ROLE),
];
