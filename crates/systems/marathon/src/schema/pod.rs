//! The shape of a pod.
//!
//! **Source**: `marathon: …/types/pod.raml, podContainer.raml, resources.raml, network.raml`. Match for the fields
//! named here.

use super::app::{
    ARTIFACT, COMMAND, ENV_SECRET, LINUX, NETWORK, PERSISTENT_INFO, RESOURCE_LIMITS, UNREACHABLE,
};
use super::{
    AMOUNT, COUNT, Kind, LONG_TEXT, NAME, PATH, PORT, SHARE, SOME_TEXT, Shape, TEXT, TEXT_LIST, TEXTS, list,
    optional, or, required,
};

const SECONDS: Kind = COUNT;
const ENV: Kind = Kind::Map(&Kind::TextOr(&ENV_SECRET));

/// A posted pod.
pub(crate) static POD: Shape = Shape {
    fields: &[
        required("id", PATH),
        or("labels", TEXTS, "{}"),
        optional("version", TEXT),
        optional("user", TEXT),
        or("environment", ENV, "{}"),
        required("containers", Kind::List { of: &Kind::Object(&CONTAINER), min: 1, max: usize::MAX }),
        or("secrets", Kind::Map(&Kind::Object(&Shape { fields: &[required("source", SOME_TEXT)] })), "{}"),
        or(
            "volumes",
            list(&Kind::Either(&[
                ("persistent", &PERSISTENT_VOLUME),
                ("secret", &SECRET_VOLUME),
                ("host", &HOST_VOLUME),
                ("name", &EPHEMERAL_VOLUME),
            ])),
            "[]",
        ),
        or("networks", list(&Kind::Object(&NETWORK)), "[]"),
        optional(
            "scaling",
            Kind::Object(&Shape {
                fields: &[required("kind", Kind::Word(&["fixed"])), or("instances", COUNT, "1")],
            }),
        ),
        optional("scheduling", Kind::Object(&SCHEDULING)),
        or("executorResources", Kind::Object(&EXECUTOR), r#"{"cpus":0.1,"mem":32,"disk":10}"#),
        optional("role", SOME_TEXT),
        optional("linuxInfo", Kind::Object(&LINUX)),
        optional("legacySharedCgroups", Kind::Boolean),
    ],
};

static EXECUTOR: Shape =
    Shape { fields: &[or("cpus", AMOUNT, "0.1"), or("mem", AMOUNT, "32"), or("disk", AMOUNT, "10")] };

static PERSISTENT_VOLUME: Shape =
    Shape { fields: &[required("name", SOME_TEXT), required("persistent", Kind::Object(&PERSISTENT_INFO))] };
static SECRET_VOLUME: Shape = Shape { fields: &[required("name", SOME_TEXT), required("secret", SOME_TEXT)] };
static HOST_VOLUME: Shape = Shape { fields: &[required("name", NAME), required("host", TEXT)] };
static EPHEMERAL_VOLUME: Shape = Shape { fields: &[required("name", NAME)] };

static SCHEDULING: Shape = Shape {
    fields: &[
        optional(
            "backoff",
            Kind::Object(&Shape {
                fields: &[
                    or("backoff", AMOUNT, "1"),
                    or("backoffFactor", AMOUNT, "1.15"),
                    or("maxLaunchDelay", AMOUNT, "300"),
                ],
            }),
        ),
        optional(
            "upgrade",
            Kind::Object(&Shape {
                fields: &[or("minimumHealthCapacity", SHARE, "1"), or("maximumOverCapacity", SHARE, "1")],
            }),
        ),
        optional(
            "placement",
            Kind::Object(&Shape {
                fields: &[
                    or("constraints", list(&Kind::Object(&CONSTRAINT)), "[]"),
                    or("acceptedResourceRoles", TEXT_LIST, "[]"),
                ],
            }),
        ),
        optional("killSelection", Kind::Word(&["YOUNGEST_FIRST", "OLDEST_FIRST"])),
        optional("unreachableStrategy", Kind::WordOr("disabled", &UNREACHABLE)),
    ],
};

static CONSTRAINT: Shape = Shape {
    fields: &[
        required("fieldName", TEXT),
        required(
            "operator",
            Kind::Word(&["UNIQUE", "CLUSTER", "GROUP_BY", "LIKE", "UNLIKE", "MAX_PER", "IS"]),
        ),
        optional("value", TEXT),
    ],
};

static RESOURCES: Shape = Shape {
    fields: &[
        or("cpus", AMOUNT, "1"),
        or("mem", AMOUNT, "128"),
        or("disk", AMOUNT, "0"),
        or("gpus", COUNT, "0"),
    ],
};

static ENDPOINT: Shape = Shape {
    fields: &[
        required("name", NAME),
        optional("containerPort", Kind::Int { min: 1, max: 65_535 }),
        optional("hostPort", PORT),
        or("protocol", Kind::List { of: &TEXT, min: 1, max: usize::MAX }, "[]"),
        or("labels", TEXTS, "{}"),
        or("networkNames", TEXT_LIST, "[]"),
    ],
};

const ENDPOINT_CHECK: Kind = Kind::Object(&Shape {
    fields: &[
        required("endpoint", NAME),
        optional("path", LONG_TEXT),
        optional("scheme", Kind::Word(&["HTTP", "HTTPS"])),
    ],
});

static HEALTH_CHECK: Shape = Shape {
    fields: &[
        optional("http", ENDPOINT_CHECK),
        optional("tcp", ENDPOINT_CHECK),
        optional("exec", Kind::Object(&Shape { fields: &[required("command", Kind::Object(&COMMAND))] })),
        or("gracePeriodSeconds", SECONDS, "300"),
        or("intervalSeconds", SECONDS, "60"),
        or("maxConsecutiveFailures", COUNT, "3"),
        or("timeoutSeconds", SECONDS, "20"),
        or("delaySeconds", SECONDS, "15"),
    ],
};

static CONTAINER: Shape = Shape {
    fields: &[
        required("name", NAME),
        optional(
            "exec",
            Kind::Object(&Shape {
                fields: &[
                    required("command", Kind::Object(&COMMAND)),
                    optional("overrideEntrypoint", Kind::Boolean),
                ],
            }),
        ),
        required("resources", Kind::Object(&RESOURCES)),
        optional("resourceLimits", Kind::Object(&RESOURCE_LIMITS)),
        or("endpoints", list(&Kind::Object(&ENDPOINT)), "[]"),
        optional("linuxInfo", Kind::Object(&LINUX)),
        optional(
            "image",
            Kind::Object(&Shape {
                fields: &[
                    required("kind", Kind::Word(&["DOCKER"])),
                    required("id", LONG_TEXT),
                    optional("pullConfig", Kind::Object(&Shape { fields: &[required("secret", SOME_TEXT)] })),
                    optional("forcePull", Kind::Boolean),
                    or("labels", TEXTS, "{}"),
                ],
            }),
        ),
        or("environment", ENV, "{}"),
        optional("user", TEXT),
        optional("healthCheck", Kind::Object(&HEALTH_CHECK)),
        optional("check", Kind::Any),
        or(
            "volumeMounts",
            list(&Kind::Object(&Shape {
                fields: &[
                    required("name", NAME),
                    required("mountPath", LONG_TEXT),
                    optional("readOnly", Kind::Boolean),
                ],
            })),
            "[]",
        ),
        or("artifacts", list(&Kind::Object(&ARTIFACT)), "[]"),
        or("labels", TEXTS, "{}"),
        optional("lifecycle", Kind::Object(&Shape { fields: &[optional("killGracePeriodSeconds", AMOUNT)] })),
        optional("tty", Kind::Boolean),
    ],
};
