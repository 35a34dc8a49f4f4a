//! The shape of an app.
//!
//! **Source**: `marathon: …/types/app.raml, appContainer.raml, volumes.raml, network.raml, healthCheck.raml, check.raml,
//! readinessCheck.raml, artifact.raml, unreachableStrategy.raml, resources.raml`. Match. Lower bounds are cut to whole numbers, as the
//! generated readers do (`RamlTypeGenerator.scala`): 0.001 is 0.

use super::{
    AMOUNT, COUNT, Kind, LEGACY_NAME, LONG_TEXT, NETWORK_NAME, PATH, PORT, PROTOCOL, SHARE, SOME_TEXT, Shape,
    TEXT, TEXT_LIST, TEXTS, list, optional, or, required,
};

/// A constraint: field, operator, value. The bounds of items of a list are not looked at.
const CONSTRAINT: Kind = TEXT_LIST;
/// A whole number without bounds, as items of lists are read.
const INT: Kind = Kind::Int { min: i32::MIN as i64, max: i32::MAX as i64 };
const SECONDS: Kind = COUNT;

/// A posted app.
pub(crate) static APP: Shape = Shape {
    fields: &[
        required("id", PATH),
        optional("acceptedResourceRoles", TEXT_LIST),
        or("args", TEXT_LIST, "[]"),
        or("backoffFactor", Kind::Number { min: 1000, max: i64::MAX }, "1.15"),
        or("backoffSeconds", SECONDS, "1"),
        optional("cmd", SOME_TEXT),
        or("constraints", list(&CONSTRAINT), "[]"),
        optional("container", Kind::Object(&CONTAINER)),
        or("cpus", AMOUNT, "1"),
        or("dependencies", TEXT_LIST, "[]"),
        or("disk", AMOUNT, "0"),
        or("env", Kind::Map(&Kind::TextOr(&ENV_SECRET)), "{}"),
        or("executor", Kind::Text { min: 0, max: usize::MAX, fits: Some(is_executor) }, "\"\""),
        optional("executorResources", Kind::Object(&EXECUTOR_RESOURCES)),
        or("fetch", list(&Kind::Object(&ARTIFACT)), "[]"),
        or("healthChecks", list(&Kind::Object(&HEALTH_CHECK)), "[]"),
        optional("check", Kind::Object(&CHECK)),
        or("instances", COUNT, "1"),
        or("labels", TEXTS, "{}"),
        or("maxLaunchDelaySeconds", SECONDS, "300"),
        or("mem", AMOUNT, "128"),
        or("gpus", COUNT, "0"),
        optional("ipAddress", Kind::Object(&IP_ADDRESS)),
        or("networks", list(&Kind::Object(&NETWORK)), "[]"),
        optional("ports", list(&INT)),
        optional("portDefinitions", list(&Kind::Object(&PORT_DEFINITION))),
        or("readinessChecks", list(&Kind::Object(&READINESS_CHECK)), "[]"),
        optional("residency", Kind::Object(&RESIDENCY)),
        optional("resourceLimits", Kind::Object(&RESOURCE_LIMITS)),
        or("requirePorts", Kind::Boolean, "false"),
        or("secrets", Kind::Map(&Kind::Object(&SECRET)), "{}"),
        optional("taskKillGracePeriodSeconds", SECONDS),
        optional("upgradeStrategy", Kind::Object(&UPGRADE_STRATEGY)),
        optional("uris", TEXT_LIST),
        optional("user", TEXT),
        optional("version", TEXT),
        optional("versionInfo", Kind::Any),
        or("killSelection", Kind::Word(&["YOUNGEST_FIRST", "OLDEST_FIRST"]), "\"YOUNGEST_FIRST\""),
        optional("unreachableStrategy", Kind::WordOr("disabled", &UNREACHABLE)),
        optional("tty", Kind::Boolean),
        optional("role", SOME_TEXT),
    ],
};

/// Fields that answers carry and requests may, without an effect.
pub(crate) const OUTPUT_ONLY: [&str; 9] = [
    "tasksStaged",
    "tasksRunning",
    "tasksHealthy",
    "tasksUnhealthy",
    "deployments",
    "readinessCheckResults",
    "tasks",
    "lastTaskFailure",
    "tasksStats",
];

/// A secret as the value of a variable.
pub(crate) static ENV_SECRET: Shape = Shape { fields: &[required("secret", TEXT)] };

static EXECUTOR_RESOURCES: Shape = Shape {
    fields: &[or("cpus", AMOUNT, "0.1"), or("mem", least(32_000), "32"), or("disk", least(10_000), "10")],
};

/// Shape of Linux settings.
pub(crate) static LINUX: Shape = Shape {
    fields: &[
        optional(
            "seccomp",
            Kind::Object(&Shape {
                fields: &[optional("profileName", TEXT), or("unconfined", Kind::Boolean, "false")],
            }),
        ),
        optional(
            "ipcInfo",
            Kind::Object(&Shape {
                fields: &[
                    required("mode", Kind::Word(&["PRIVATE", "SHARE_PARENT"])),
                    optional("shmSize", INT),
                ],
            }),
        ),
    ],
};

/// Limits above the requests.
pub(crate) static RESOURCE_LIMITS: Shape =
    Shape { fields: &[optional("cpus", Kind::WordOrNumber), optional("mem", Kind::WordOrNumber)] };

/// Something to fetch.
pub(crate) static ARTIFACT: Shape = Shape {
    fields: &[
        required("uri", LONG_TEXT),
        or("extract", Kind::Boolean, "true"),
        or("executable", Kind::Boolean, "false"),
        or("cache", Kind::Boolean, "false"),
        optional("destPath", LONG_TEXT),
    ],
};

static HEALTH_CHECK: Shape = Shape {
    fields: &[
        optional("command", Kind::Object(&Shape { fields: &[required("value", TEXT)] })),
        or("gracePeriodSeconds", SECONDS, "300"),
        optional("ignoreHttp1xx", Kind::Boolean),
        or("intervalSeconds", SECONDS, "60"),
        or("maxConsecutiveFailures", COUNT, "3"),
        optional("path", TEXT),
        optional("port", PORT),
        optional("portIndex", PORT),
        or(
            "protocol",
            Kind::Word(&["HTTP", "HTTPS", "TCP", "COMMAND", "MESOS_TCP", "MESOS_HTTP", "MESOS_HTTPS"]),
            "\"HTTP\"",
        ),
        or("ipProtocol", Kind::Word(&["IPv4", "IPv6"]), "\"IPv4\""),
        or("timeoutSeconds", INT, "20"),
        or("delaySeconds", SECONDS, "15"),
    ],
};

/// Shape of a command.
pub(crate) static COMMAND: Shape =
    Shape { fields: &[optional("shell", SOME_TEXT), optional("argv", TEXT_LIST)] };

static CHECK: Shape = Shape {
    fields: &[
        optional(
            "http",
            Kind::Object(&Shape {
                fields: &[
                    optional("portIndex", PORT),
                    optional("port", PORT),
                    optional("path", LONG_TEXT),
                    or("scheme", Kind::Word(&["HTTP", "HTTPS"]), "\"HTTP\""),
                ],
            }),
        ),
        optional(
            "tcp",
            Kind::Object(&Shape { fields: &[optional("portIndex", PORT), optional("port", PORT)] }),
        ),
        optional("exec", Kind::Object(&Shape { fields: &[required("command", Kind::Object(&COMMAND))] })),
        or("intervalSeconds", SECONDS, "60"),
        or("timeoutSeconds", SECONDS, "20"),
        or("delaySeconds", SECONDS, "15"),
    ],
};

static READINESS_CHECK: Shape = Shape {
    fields: &[
        or("name", SOME_TEXT, "\"readinessCheck\""),
        or("protocol", Kind::Word(&["HTTP", "HTTPS"]), "\"HTTP\""),
        or("path", LONG_TEXT, "\"/\""),
        or("portName", LEGACY_NAME, "\"http-api\""),
        or("intervalSeconds", SECONDS, "30"),
        or("timeoutSeconds", Kind::Int { min: 1, max: i32::MAX as i64 }, "10"),
        optional("httpStatusCodesForReady", Kind::List { of: &INT, min: 1, max: usize::MAX }),
        or("preserveLastResponse", Kind::Boolean, "false"),
    ],
};

static RESIDENCY: Shape = Shape {
    fields: &[
        or("relaunchEscalationTimeoutSeconds", Kind::Long { min: 0 }, "3600"),
        or("taskLostBehavior", Kind::Word(&["WAIT_FOREVER", "RELAUNCH_AFTER_TIMEOUT"]), "\"WAIT_FOREVER\""),
    ],
};

static SECRET: Shape = Shape { fields: &[required("source", SOME_TEXT)] };

static UPGRADE_STRATEGY: Shape =
    Shape { fields: &[required("maximumOverCapacity", SHARE), required("minimumHealthCapacity", SHARE)] };

/// When instances that do not answer are given up.
pub(crate) static UNREACHABLE: Shape = Shape {
    fields: &[
        or("inactiveAfterSeconds", Kind::Long { min: 0 }, "0"),
        or("expungeAfterSeconds", Kind::Long { min: 0 }, "0"),
    ],
};

/// A network to join.
pub(crate) static NETWORK: Shape = Shape {
    fields: &[
        optional("name", NETWORK_NAME),
        or("mode", Kind::Word(&["container", "container/bridge", "host"]), "\"container\""),
        or("labels", TEXTS, "{}"),
    ],
};

static IP_ADDRESS: Shape = Shape {
    fields: &[
        optional(
            "discovery",
            Kind::Object(&Shape { fields: &[or("ports", list(&Kind::Object(&DISCOVERY_PORT)), "[]")] }),
        ),
        or("groups", TEXT_LIST, "[]"),
        or("labels", TEXTS, "{}"),
        optional("networkName", SOME_TEXT),
    ],
};

static DISCOVERY_PORT: Shape = Shape {
    fields: &[
        or("number", PORT, "0"),
        required("name", LEGACY_NAME),
        or("protocol", PROTOCOL, "\"tcp\""),
        or("labels", TEXTS, "{}"),
    ],
};

static PORT_DEFINITION: Shape = Shape {
    fields: &[
        or("port", PORT, "0"),
        or("labels", TEXTS, "{}"),
        optional("name", LEGACY_NAME),
        or("protocol", PROTOCOL, "\"tcp\""),
    ],
};

static CONTAINER: Shape = Shape {
    fields: &[
        or("type", Kind::Word(&["MESOS", "DOCKER"]), "\"DOCKER\""),
        optional("docker", Kind::Object(&DOCKER)),
        optional("linuxInfo", Kind::Object(&LINUX)),
        or(
            "volumes",
            list(&Kind::Either(&[
                ("persistent", &PERSISTENT_VOLUME),
                ("external", &EXTERNAL_VOLUME),
                ("secret", &SECRET_VOLUME),
                ("hostPath", &HOST_VOLUME),
            ])),
            "[]",
        ),
        optional("portMappings", list(&Kind::Object(&PORT_MAPPING))),
    ],
};

static DOCKER: Shape = Shape {
    fields: &[
        optional(
            "credential",
            Kind::Object(&Shape { fields: &[required("principal", TEXT), optional("secret", TEXT)] }),
        ),
        optional("pullConfig", Kind::Object(&Shape { fields: &[required("secret", SOME_TEXT)] })),
        or("forcePullImage", Kind::Boolean, "false"),
        required("image", SOME_TEXT),
        optional("network", Kind::Word(&["BRIDGE", "HOST", "NONE", "USER"])),
        or(
            "parameters",
            list(&Kind::Object(&Shape { fields: &[required("key", SOME_TEXT), required("value", TEXT)] })),
            "[]",
        ),
        optional("portMappings", list(&Kind::Object(&PORT_MAPPING))),
        or("privileged", Kind::Boolean, "false"),
    ],
};

static PORT_MAPPING: Shape = Shape {
    fields: &[
        or("containerPort", PORT, "0"),
        optional("hostPort", PORT),
        or("labels", TEXTS, "{}"),
        optional("name", LEGACY_NAME),
        or("protocol", PROTOCOL, "\"tcp\""),
        or("servicePort", PORT, "0"),
        or("networkNames", TEXT_LIST, "[]"),
    ],
};

const MODE: Kind = Kind::Word(&["RO", "RW"]);

/// Shape of a persistent volume.
pub(crate) static PERSISTENT_INFO: Shape = Shape {
    fields: &[
        optional("type", Kind::Word(&["root", "path", "mount"])),
        required("size", Kind::Long { min: 0 }),
        optional("maxSize", Kind::Long { min: 0 }),
        optional("profileName", TEXT),
        or("constraints", list(&CONSTRAINT), "[]"),
    ],
};

static PERSISTENT_VOLUME: Shape = Shape {
    fields: &[
        required("containerPath", SOME_TEXT),
        required("persistent", Kind::Object(&PERSISTENT_INFO)),
        required("mode", MODE),
    ],
};

static EXTERNAL_VOLUME: Shape = Shape {
    fields: &[
        required("containerPath", SOME_TEXT),
        required(
            "external",
            Kind::Object(&Shape {
                fields: &[
                    optional("size", Kind::Long { min: 0 }),
                    optional("name", TEXT),
                    optional("provider", TEXT),
                    or("options", Kind::Map(&Kind::Any), "{}"),
                    or("shared", Kind::Boolean, "false"),
                ],
            }),
        ),
        required("mode", MODE),
    ],
};

static SECRET_VOLUME: Shape =
    Shape { fields: &[required("containerPath", SOME_TEXT), required("secret", SOME_TEXT)] };

static HOST_VOLUME: Shape = Shape {
    fields: &[required("containerPath", SOME_TEXT), required("hostPath", SOME_TEXT), required("mode", MODE)],
};

/// `^(//cmd)|(/?[^/]+(/[^/]+)*)|$`, found anywhere: anything, as the last alternative is the end of the text.
fn is_executor(_: &str) -> bool {
    true
}

const fn least(min: i64) -> Kind {
    Kind::Number { min, max: i64::MAX }
}
