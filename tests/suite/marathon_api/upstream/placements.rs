//! Where instances may go: constraints against machines that appear one after the other.

use super::*;

const SOURCE: &str = "mesos/ConstraintsTest.scala";

/// A machine that joins: its host name, its attributes as Mesos writes them, its capacity in instances, and how many of the app
/// run some time later.
struct Machine(&'static str, &'static str, u32, u32);

/// An app with one constraint, and machines in the order in which they appear.
struct Placement {
    test: &'static str,
    constraint: &'static str,
    instances: u32,
    machines: &'static [Machine],
}

const fn placement(
    test: &'static str,
    constraint: &'static str,
    instances: u32,
    machines: &'static [Machine],
) -> Placement {
    Placement { test, constraint, instances, machines }
}

const ROWS: &[Placement] = &[
    placement("UniqueHostConstraint", r#"["hostname", "CLUSTER"]"#, 1, &[Machine("foohost", "", 1, 1)]),
    placement(
        "UniqueHostConstraint",
        r#"["hostname", "CLUSTER", "right.com"]"#,
        1,
        &[Machine("wrong.com", "", 9, 0), Machine("right.com", "", 9, 1)],
    ),
    placement(
        "UniqueHostConstraint",
        r#"["hostname", "UNIQUE"]"#,
        5,
        &[
            Machine("host2", "", 9, 1),
            Machine("host1", "", 9, 2),
            Machine("host3", "", 9, 3),
            Machine("host4", "", 9, 4),
        ],
    ),
    placement(
        "Generic property constraints",
        r#"["rackid", "CLUSTER"]"#,
        3,
        &[
            Machine("foohost", "", 9, 0),
            Machine("h1", "foo:bar;rackid:rack-1", 2, 2),
            Machine("h2", "foo:bar;rackid:rack-2", 9, 2),
            Machine("h3", "foo:bar;rackid:rack-1", 9, 3),
        ],
    ),
    placement(
        "Generic property constraints",
        r#"["rackid", "UNIQUE"]"#,
        4,
        &[
            Machine("foohost", "", 9, 0),
            Machine("h1", "rackid:rack-1", 9, 1),
            Machine("h2", "rackid:rack-2", 9, 2),
            Machine("h3", "rackid:rack-1", 9, 2),
            Machine("h4", "rackid:rack-3", 9, 3),
        ],
    ),
    placement(
        "AttributesLikeByConstraints",
        r#"["jdk", "LIKE", "7"]"#,
        1,
        &[Machine("h1", "jdk:6", 9, 0), Machine("foohost", "", 9, 0), Machine("h2", "jdk:7", 9, 1)],
    ),
    placement(
        "AttributesUnlikeByConstraints",
        r#"["jdk", "UNLIKE", "7"]"#,
        2,
        &[Machine("h1", "jdk:7", 9, 0), Machine("h2", "jdk:6", 1, 1), Machine("foohost", "", 9, 2)],
    ),
    placement(
        "allow remainder to be allocated groups",
        r#"["rackid", "GROUP_BY", "2"]"#,
        5,
        &[Machine("h1", "rackid:rack-1", 9, 3), Machine("h2", "rackid:rack-2", 9, 5)],
    ),
    placement(
        "not allow more than 1 remainder to be assigned to a group",
        r#"["rackid", "GROUP_BY", "4"]"#,
        5,
        &[Machine("h1", "rackid:rack-1", 9, 2)],
    ),
    placement(
        "only allow remainder number of groups to get a 1 'extra' assignment",
        r#"["rackid", "GROUP_BY", "4"]"#,
        5,
        &[
            Machine("h1", "rackid:rack-1", 9, 2),
            Machine("h2", "rackid:rack-2", 9, 3),
            Machine("h3", "rackid:rack-3", 9, 4),
            Machine("h4", "rackid:rack-4", 9, 5),
        ],
    ),
    placement(
        "reject additional racks after group number racks are placed",
        r#"["rackid", "GROUP_BY", "2"]"#,
        5,
        &[
            Machine("h1", "rackid:rack-1", 1, 1),
            Machine("h2", "rackid:rack-2", 1, 2),
            Machine("h3", "rackid:rack-3", 9, 2),
        ],
    ),
    placement(
        "not accept an offer lacking the attribute being grouped by",
        r#"["rackid", "GROUP_BY", "2"]"#,
        5,
        &[Machine("foohost", "", 9, 0)],
    ),
    placement(
        "groupBy works with scalar values",
        r#"["rackid", "GROUP_BY", "3"]"#,
        5,
        &[
            Machine("h1", "rackid:1", 1, 1),
            Machine("h2", "rackid:2", 1, 2),
            Machine("h3", "rackid:3", 1, 3),
            Machine("h4", "rackid:1.0", 9, 4),
        ],
    ),
    placement(
        "GROUP_BY works for the host attribute",
        r#"["hostname", "GROUP_BY", "3"]"#,
        5,
        &[Machine("host-1", "", 9, 2), Machine("host-2", "", 9, 4), Machine("host-3", "", 9, 5)],
    ),
    placement(
        "HostnameMaxPerConstraints",
        r#"["hostname", "MAX_PER", "2"]"#,
        5,
        &[Machine("host1", "", 9, 2), Machine("host2", "", 9, 4), Machine("host3", "", 9, 5)],
    ),
    placement(
        "RackMaxPerConstraints",
        r#"["rackid", "MAX_PER", "2"]"#,
        5,
        &[
            Machine("h1", "foo:bar;rackid:1", 9, 2),
            Machine("h2", "foo:bar;rackid:2.0", 9, 4),
            Machine("h3", "foo:bar;rackid:1.0", 9, 4),
        ],
    ),
    placement(
        "AttributesTypes",
        r#"["jdk", "LIKE", "\\[6-7\\]"]"#,
        1,
        &[Machine("h1", "jdk:[5-7]", 9, 0), Machine("foohost", "", 9, 0), Machine("h2", "jdk:[6-7]", 9, 1)],
    ),
    placement(
        "AttributesTypes",
        r#"["jdk", "CLUSTER", "[6-7]"]"#,
        1,
        &[Machine("h1", "jdk:[5-7]", 9, 0), Machine("h2", "jdk:[6-7]", 9, 1)],
    ),
    placement(
        "AttributesTypes",
        r#"["jdk", "UNLIKE", "\\[6-7\\]"]"#,
        2,
        &[Machine("h1", "jdk:[6-7]", 9, 0), Machine("h2", "jdk:5-7", 1, 1), Machine("foohost", "", 9, 2)],
    ),
    placement(
        "AttributesTypes",
        r#"["gpu", "LIKE", "\\{0,1\\}"]"#,
        1,
        &[Machine("h1", "gpu:{2,1}", 9, 0), Machine("foohost", "", 9, 0), Machine("h2", "gpu:{1,0}", 9, 1)],
    ),
    placement(
        "AttributesTypes",
        r#"["gpu", "CLUSTER", "{0,1}"]"#,
        1,
        &[Machine("h1", "gpu:{2,1}", 9, 0), Machine("h2", "gpu:{0,1}", 9, 1)],
    ),
    placement(
        "AttributesTypes",
        r#"["gpu", "UNLIKE", "\\{0,1\\}"]"#,
        2,
        &[Machine("h1", "gpu:{0,1}", 9, 0), Machine("h2", "gpu:{1,2}", 1, 1), Machine("foohost", "", 9, 2)],
    ),
    placement(
        "apply constraints when *region is specified",
        r#"["@region", "UNIQUE"]"#,
        3,
        &[
            Machine("h1", "@region:region1;@zone:zone1", 9, 1),
            Machine("h2", "@region:region1;@zone:zone2", 9, 1),
            Machine("h3", "@region:region2;@zone:zone1", 9, 2),
        ],
    ),
    placement(
        "apply constraints when *zone is specified",
        r#"["@zone", "UNIQUE"]"#,
        3,
        &[
            Machine("h1", "@region:region;@zone:zone1", 9, 1),
            Machine("h2", "@region:region;@zone:zone1", 9, 1),
            Machine("h3", "@region:region;@zone:zone2", 9, 2),
        ],
    ),
    placement(
        "require that a value match exactly",
        r#"["hostname", "IS", "righthost.com"]"#,
        1,
        &[Machine("wronghost.com", "", 9, 0), Machine("righthost.com", "", 9, 1)],
    ),
    placement(SCALARS, r#"["number", "IS", "1.0"]"#, 1, &[Machine("host", "number:1", 9, 1)]),
    placement(SCALARS, r#"["number", "IS", "1"]"#, 1, &[Machine("host", "number:1.0", 9, 1)]),
    placement(NEAR, r#"["number", "IS", "1.0001"]"#, 1, &[Machine("host", "number:1.0", 9, 1)]),
    placement(NEAR, r#"["number", "IS", "1.0005"]"#, 1, &[Machine("host", "number:1.0", 9, 1)]),
    placement(NEAR, r#"["number", "IS", "1.00051"]"#, 1, &[Machine("host", "number:1.0", 9, 0)]),
    placement(NEAR, r#"["number", "IS", "1.001"]"#, 1, &[Machine("host", "number:1.0", 9, 0)]),
];

const SCALARS: &str = "match scalars of the same value but different format";
const NEAR: &str = "match scalars that differ in value by 0.001 or less";

/// Assertions of these plays by source.
pub(super) fn assertions() -> Vec<(&'static str, usize)> {
    vec![(SOURCE, ROWS.iter().map(|row| row.machines.len()).sum())]
}

/// A machine with room for instances of one CPU each, as an input.
pub(super) fn machine(host: &str, attributes: &str, room: u32) -> Value {
    let mut own = serde_json::Map::new();
    let mut input = json!({"kind": "add-agent", "hostname": host,
        "resources": {"cpus": room, "mem": 4096, "disk": 10_000, "ports": "[1025-2000]"}});
    for (key, value) in attributes.split(';').filter_map(|pair| pair.split_once(':')) {
        match (key.strip_prefix('@'), input.as_object_mut()) {
            (Some(domain), Some(input)) => {
                input.insert(domain.to_owned(), value.into());
            }
            _ => {
                own.insert(key.to_owned(), value.into());
            }
        }
    }
    if let Some(input) = input.as_object_mut() {
        input.insert("attributes".to_owned(), Value::Object(own));
    }
    input
}

#[test]
fn constraints_match_upstreams_tests() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let mut client = Client::default();
        let constraint: Value = serde_json::from_str(row.constraint).expect("JSON");
        let body = json!({"id": "/test", "cmd": "sleep 1000", "cpus": 1, "mem": 16, "instances": row.instances,
            "constraints": [constraint]});
        call(&mut client, "POST", "/v2/apps", &body).status(201);
        for Machine(host, attributes, room, running) in row.machines {
            client.input(&machine(host, attributes, *room));
            pass(&mut client, 200);
            let found = client.get("/v2/apps/test").json().pointer("/app/tasksRunning").cloned();
            if found != Some(json!(running)) {
                wrong.push(format!(
                    "{SOURCE} '{}' {}: {running} expected with {host} {attributes}, found {found:?}",
                    row.test, row.constraint
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
