//! An app's fields, one by one and together.

use super::*;

pub(super) const TABLES: &[Table] = &[("marathon/api/v2/json/AppDefinitionTest.scala", DEFINITIONS)];

const INDEX: &str =
    "Health check port indices must address an element of the ports array or container port mappings.";
const COMMAND: &str = "AppDefinition must either contain one of 'cmd' or 'args', and/or a 'container'.";

const DEFINITIONS: &[Row] = &[
    app_row("Validation", r#"{"id": "a b"}"#, &[FlawAt("/id")]),
    app_row("Validation", r#"{"id": "a#$%^&*b"}"#, &[FlawAt("/id")]),
    app_row("Validation", r#"{"id": "-dash-disallowed-at-start"}"#, &[FlawAt("/id")]),
    app_row("Validation", r#"{"id": "dash-disallowed-at-end-"}"#, &[FlawAt("/id")]),
    app_row("Validation", r#"{"id": "uppercaseLettersNoGood"}"#, &[FlawAt("/id")]),
    app_row(
        "Validation",
        r#"{"role": "aRole"}"#,
        &[Flaw("/role", "got aRole, expected one of: [someRole]")],
    )
    .with(&[("MARATHON_MESOS_ROLE", "someRole")]),
    app_row(
        "Validation",
        r#"{"role": "someRole", "acceptedResourceRoles": ["differentRole"]}"#,
        &[Flaw("/acceptedResourceRoles", "acceptedResourceRoles can only contain * and someRole")],
    )
    .with(&[("MARATHON_MESOS_ROLE", "someRole")]),
    app_row(
        "Validation",
        r#"{"cmd": null, "networks": [{"mode": "container", "name": "whatever"}], "container": {"type": "DOCKER",
            "docker": {"image": "mesosphere/marathon"}, "portMappings": [{"containerPort": 8080, "name": "foo"}]}}"#,
        &[Taken],
    ),
    app_row("Validation", r#"{"executor": "//cmd"}"#, &[Taken]),
    app_row("Validation", r#"{"executor": "some/relative/path.mte"}"#, &[Taken]),
    app_row("Validation", r#"{"executor": "/some/absolute/path"}"#, &[Taken]),
    app_row("Validation", r#"{"executor": ""}"#, &[Taken]),
    app_row("Validation", r#"{"executor": "/test/"}"#, &[FlawAt("/executor")]),
    app_row("Validation", r#"{"executor": "/test//path"}"#, &[FlawAt("/executor")]),
    app_row("Validation", r#"{"cmd": "command", "args": ["a", "b", "c"]}"#, &[Flaw("/", COMMAND)]),
    app_row("Validation", r#"{"cmd": null, "args": ["a", "b", "c"]}"#, &[Is("/args", r#"["a", "b", "c"]"#)]),
    app_row(
        "Validation",
        r#"{"upgradeStrategy": {"minimumHealthCapacity": 1.2, "maximumOverCapacity": 1}}"#,
        &[FlawAt("/upgradeStrategy/minimumHealthCapacity")],
    ),
    app_row(
        "Validation",
        r#"{"upgradeStrategy": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": 1.2}}"#,
        &[FlawAt("/upgradeStrategy/maximumOverCapacity")],
    ),
    app_row(
        "Validation",
        r#"{"upgradeStrategy": {"minimumHealthCapacity": -1.2, "maximumOverCapacity": 1}}"#,
        &[FlawAt("/upgradeStrategy/minimumHealthCapacity")],
    ),
    app_row(
        "Validation",
        r#"{"upgradeStrategy": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": -1.2}}"#,
        &[FlawAt("/upgradeStrategy/maximumOverCapacity")],
    ),
    app_row(
        "Validation",
        r#"{"networks": [{"mode": "container/bridge"}], "container": {"type": "DOCKER", "docker": {"image": "a"},
            "portMappings": [{"containerPort": 8080, "hostPort": 0}, {"containerPort": 8081, "hostPort": 0}]},
            "healthChecks": [{"protocol": "HTTP", "portIndex": 1}]}"#,
        &[Is("/healthChecks/0/portIndex", "1")],
    ),
    app_row(
        "Validation",
        r#"{"networks": [{"mode": "container/bridge"}], "container": {"type": "DOCKER", "docker": {"image": "a"}},
            "healthChecks": [{"protocol": "HTTP", "port": 80}]}"#,
        &[Is("/healthChecks/0/port", "80")],
    ),
    app_row(
        "Validation",
        r#"{"healthChecks": [{"protocol": "HTTP", "portIndex": 1}]}"#,
        &[Flaw("/healthChecks(0)", INDEX)],
    ),
    app_row(
        "Validation",
        r#"{"fetch": [{"uri": "http://example.com/valid"}, {"uri": "d://\not-a-uri"}]}"#,
        &[Flaw("/fetch(1)/uri", "URI has invalid syntax.")],
    ),
    app_row(
        "Validation",
        r#"{"fetch": [{"uri": "http://example.com/valid"}, {"uri": "/some/file"}]}"#,
        &[Is("/fetch/1/uri", r#""/some/file""#)],
    ),
    app_row("Validation", r#"{"mem": -3}"#, &[FlawAt("/mem")]),
    app_row("Validation", r#"{"cpus": -3}"#, &[FlawAt("/cpus")]),
    app_row("Validation", r#"{"disk": -3}"#, &[FlawAt("/disk")]),
    app_row("Validation", r#"{"gpus": -3}"#, &[FlawAt("/gpus")]),
    app_row("Validation", r#"{"instances": -3}"#, &[FlawAt("/instances")]),
    app_row(
        "Validation",
        r#"{"gpus": 1}"#,
        &[Flaw("/", "Feature gpu_resources is not enabled. Enable with --enable_features gpu_resources)")],
    ),
    app_row("Validation", r#"{"gpus": 1}"#, &[Is("/gpus", "1")]).with(GPUS),
    app_row(
        "Validation",
        r#"{"gpus": 1, "container": {"type": "DOCKER", "docker": {"image": "a"}}}"#,
        &[Flaw("/", "GPU resources only work with the Mesos containerizer")],
    )
    .with(GPUS),
    app_row("Validation", r#"{"gpus": 1, "container": {"type": "MESOS"}}"#, &[Taken]).with(GPUS),
    app_row("Validation", r#"{"gpus": 1, "container": {"type": "MESOS", "docker": {"image": "a"}}}"#, &[Taken])
        .with(GPUS),
    app_row(
        "Validation",
        r#"{"check": {"exec": {"command": {"shell": "foo"}}}, "container": {"type": "DOCKER", "docker": {"image": "a"}}}"#,
        &[Flaw("/", "AppDefinition must not use 'checks' if using docker")],
    ),
    app_row(
        "Validation",
        r#"{"check": {"exec": {"command": {"shell": "foo"}}}, "container": {"type": "MESOS"}}"#,
        &[Taken],
    ),
    app_row(
        "Reading app definition with command health check",
        r#"{"id": "toggle", "healthChecks": [{"protocol": "COMMAND", "command": {"value": "env && http http://$HOST:$PORT0/"}}],
            "instances": 2, "ports": [0], "uris": ["http://downloads.mesosphere.com/misc/toggle.tgz"]}"#,
        &[
            Is("/healthChecks/0/protocol", r#""COMMAND""#),
            Is("/healthChecks/0/command/value", r#""env && http http://$HOST:$PORT0/""#),
        ],
    ),
    app_row(
        "Reading app definition with command check",
        r#"{"id": "toggle", "check": {"exec": {"command": {"shell": "ls"}}}, "instances": 2, "ports": [0]}"#,
        &[Is("/check/exec/command/shell", r#""ls""#)],
    ),
    app_row(
        "SerializationRoundtrip with complex example",
        r#"{"id": "/prod/product/my-app", "cmd": "sleep 30", "user": "nobody", "env": {"key1": "value1", "key2": "value2"},
            "instances": 5, "cpus": 5, "mem": 55, "disk": 550, "constraints": [["attribute", "GROUP_BY", "1"]],
            "portDefinitions": [{"port": 9001}, {"port": 9002}], "requirePorts": true, "backoffSeconds": 5,
            "backoffFactor": 1.5, "maxLaunchDelaySeconds": 180,
            "container": {"type": "DOCKER", "docker": {"image": "group/image"}},
            "healthChecks": [{"protocol": "HTTP", "portIndex": 0}], "dependencies": ["/prod/product/backend"],
            "upgradeStrategy": {"minimumHealthCapacity": 0.75, "maximumOverCapacity": 1.0}}"#,
        &[
            Is("/id", r#""/prod/product/my-app""#),
            Is("/user", r#""nobody""#),
            Is("/env", r#"{"key1": "value1", "key2": "value2"}"#),
            Is("/instances", "5"),
            Is("/cpus", "5"),
            Is("/mem", "55"),
            Is("/disk", "550"),
            Is("/constraints", r#"[["attribute", "GROUP_BY", "1"]]"#),
            Is("/portDefinitions/0/port", "9001"),
            Is("/portDefinitions/1/port", "9002"),
            Is("/requirePorts", "true"),
            Is("/backoffSeconds", "5"),
            Is("/backoffFactor", "1.5"),
            Is("/maxLaunchDelaySeconds", "180"),
            Is("/container/docker/image", r#""group/image""#),
            Is("/dependencies", r#"["/prod/product/backend"]"#),
            Is("/upgradeStrategy", r#"{"minimumHealthCapacity": 0.75, "maximumOverCapacity": 1}"#),
        ],
    ),
    app_row(
        "SerializationRoundtrip preserves portIndex",
        r#"{"portDefinitions": [{"port": 9001}, {"port": 9002}], "healthChecks": [{"protocol": "HTTP", "portIndex": 1}]}"#,
        &[Is("/healthChecks/0/portIndex", "1")],
    ),
    app_row(
        "Reading AppDefinition adds portIndex to a Marathon HTTP health check if the app has ports",
        r#"{"portDefinitions": [{"port": 9001}, {"port": 9002}], "healthChecks": [{"protocol": "HTTP"}]}"#,
        &[Is("/healthChecks/0/portIndex", "0")],
    ),
    app_row(
        "Reading AppDefinition does not add portIndex to a Marathon HTTP health check if the app doesn't have ports",
        r#"{"portDefinitions": [], "healthChecks": [{"protocol": "HTTP"}]}"#,
        &[Flaw("/healthChecks(0)", INDEX)],
    ),
    app_row(
        "Reading AppDefinition adds portIndex to a Marathon HTTP health check if it has at least one portMapping",
        r#"{"networks": [{"mode": "container", "name": "whatever"}], "container": {"type": "DOCKER", "docker": {"image": "foo"},
            "portMappings": [{"containerPort": 1}]}, "healthChecks": [{"protocol": "HTTP"}]}"#,
        &[Is("/healthChecks/0/portIndex", "0")],
    ),
    app_row(
        "Reading AppDefinition does not add portIndex to a Marathon HTTP health check if it has no ports nor portMappings",
        r#"{"portDefinitions": [], "container": {"type": "DOCKER", "docker": {"image": "foo"}},
            "healthChecks": [{"protocol": "HTTP"}]}"#,
        &[Flaw("/healthChecks(0)", INDEX)],
    ),
    app_row(
        "Reading AppDefinition adds portIndex to a Mesos HTTP health check if it has at least one portMapping",
        r#"{"networks": [{"mode": "container", "name": "whatever"}], "container": {"type": "DOCKER", "docker": {"image": "abc"},
            "portMappings": [{"containerPort": 1}]}, "healthChecks": [{"protocol": "MESOS_HTTP"}]}"#,
        &[Is("/healthChecks/0/portIndex", "0")],
    ),
    app_row(
        "Read app with container definition and port mappings",
        r#"{"id": "bridged-webapp", "container": {"type": "DOCKER", "docker": {"image": "python:3", "network": "BRIDGE",
            "portMappings": [{"containerPort": 8080, "hostPort": 0, "servicePort": 9000, "protocol": "tcp"}]}}}"#,
        &[
            Is("/networks", r#"[{"mode": "container/bridge"}]"#),
            Is("/container/portMappings/0/containerPort", "8080"),
            Is("/container/portMappings/0/hostPort", "0"),
            Is("/container/portMappings/0/servicePort", "9000"),
            Is("/container/portMappings/0/protocol", r#""tcp""#),
        ],
    ),
    app_row(
        "Read app with fetch definition",
        r#"{"fetch": [{"uri": "http://example.com/file1", "executable": false, "extract": true, "cache": true},
            {"uri": "http://example.com/file2", "executable": true, "extract": false, "cache": false}]}"#,
        &[
            Is("/fetch/0/uri", r#""http://example.com/file1""#),
            Is("/fetch/0/executable", "false"),
            Is("/fetch/0/extract", "true"),
            Is("/fetch/0/cache", "true"),
            Is("/fetch/1/executable", "true"),
            Is("/fetch/1/extract", "false"),
            Is("/fetch/1/cache", "false"),
        ],
    ),
    app_row(
        "Transfer uris to fetch",
        r#"{"uris": ["http://example.com/file1.tar.gz", "http://example.com/file"]}"#,
        &[
            Is("/fetch/0/uri", r#""http://example.com/file1.tar.gz""#),
            Is("/fetch/0/extract", "true"),
            Is("/fetch/1/uri", r#""http://example.com/file""#),
            Is("/fetch/1/extract", "false"),
        ],
    ),
    app_row(
        "Validate URIs with query strings correctly",
        r#"{"uris": ["http://example.com/file1.tar.gz?foo=10&bar=meh", "http://example.com/file?foo=10&bar=meh"]}"#,
        &[
            Is("/fetch/0/uri", r#""http://example.com/file1.tar.gz?foo=10&bar=meh""#),
            Is("/fetch/0/extract", "true"),
            Is("/fetch/1/uri", r#""http://example.com/file?foo=10&bar=meh""#),
            Is("/fetch/1/extract", "false"),
        ],
    ),
    app_row(
        "Read app with labeled virtual network and discovery info",
        r#"{"ipAddress": {"networkName": "whatever", "groups": ["a", "b", "c"], "labels": {"foo": "bar", "baz": "buzz"},
            "discovery": {"ports": [{"name": "http", "number": 80, "protocol": "tcp"}]}}, "maxLaunchDelaySeconds": 300}"#,
        &[
            Is("/networks/0/name", r#""whatever""#),
            Is("/networks/0/labels", r#"{"foo": "bar", "baz": "buzz"}"#),
            Is("/container/type", r#""MESOS""#),
            Is("/container/portMappings/0/name", r#""http""#),
            Is("/container/portMappings/0/containerPort", "80"),
            Is("/container/portMappings/0/protocol", r#""tcp""#),
        ],
    ),
    app_row(
        "Read app with ip address without discovery info",
        r#"{"ipAddress": {"networkName": "whatever", "groups": ["a"], "labels": {"foo": "bar", "baz": "buzz"}}}"#,
        &[
            Is("/networks/0/labels", r#"{"foo": "bar", "baz": "buzz"}"#),
            Is("/container/portMappings/0/containerPort", "0"),
            Is("/portDefinitions", "null"),
        ],
    ),
    app_row(
        "Read app with ip address and an empty ports list",
        r#"{"ports": [], "ipAddress": {"networkName": "whatever"}}"#,
        &[
            Is("/networks", r#"[{"mode": "container", "name": "whatever"}]"#),
            Is("/container/type", r#""MESOS""#),
            Is("/container/portMappings/0/containerPort", "0"),
        ],
    ),
    app_row(
        "App may not have non-empty ports and ipAddress",
        r#"{"ports": [0], "ipAddress": {"networkName": "whatever"}}"#,
        &[Status(422)],
    ),
    app_row(
        "App may not have both uris and fetch",
        r#"{"uris": ["http://example.com/file1.tar.gz"], "fetch": [{"uri": "http://example.com/file1.tar.gz"}]}"#,
        &[Status(422)],
    ),
    app_row(
        "SerializationRoundtrip preserves secret references in environment variables",
        r#"{"env": {"FOO": "bar", "QAZ": {"secret": "james"}}, "secrets": {"james": {"source": "somesource"}}}"#,
        &[
            Is("/env/FOO", r#""bar""#),
            Is("/env/QAZ", r#"{"secret": "james"}"#),
            Is("/secrets/james/source", r#""somesource""#),
        ],
    )
    .with(SECRETS),
    app_row(
        "environment variables with secrets should parse",
        r#"{"env": {"qwe": "rty", "ssh": {"secret": "psst"}}, "secrets": {"psst": {"source": "abc"}}}"#,
        &[Is("/env", r#"{"qwe": "rty", "ssh": {"secret": "psst"}}"#)],
    )
    .with(SECRETS),
];
