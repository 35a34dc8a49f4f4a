//! Steps of deployments, and what taking one back leaves.

use super::*;

const PLANS: &str = "marathon/core/deployment/DeploymentPlanTest.scala";
const REVERTS: &str = "marathon/core/deployment/impl/DeploymentPlanRevertTest.scala";

/// A change, the steps that it takes, and the apps that it affects.
struct Planned {
    test: &'static str,
    flags: &'static [(&'static str, &'static str)],
    before: &'static [Ask],
    ask: Ask,
    /// Actions of each step, sorted.
    steps: &'static [&'static [&'static str]],
    affected: &'static [&'static str],
}

const fn planned(
    test: &'static str,
    before: &'static [Ask],
    ask: Ask,
    steps: &'static [&'static [&'static str]],
) -> Planned {
    Planned { test, flags: &[], before, ask, steps, affected: &[] }
}

/// `PUT /v2/groups/test`.
const fn put(body: &'static str) -> Ask {
    Ask::Call("PUT", "/v2/groups/test", body)
}

const KEPT: Ask = Ask::App(
    r#"{"id": "/test/app1", "cmd": "foo", "cpus": 0.05, "mem": 16, "role": "foo", "upgradeStrategy": {"minimumHealthCapacity": 0,
        "maximumOverCapacity": 0}, "container": {"type": "MESOS", "volumes": [
        {"containerPath": "foo", "mode": "RW", "persistent": {"size": 10}}]}}"#,
);

const OLD: Ask = put(r#"{"groups": [
        {"id": "database", "apps": [{"id": "mongo", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16, "instances": 4}]},
        {"id": "service", "apps": [{"id": "srv1", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16, "instances": 4}]}]}"#);

const ROWS: &[Planned] = &[
    planned(
        "partition a simple group's apps into concurrently deployable subsets",
        &[],
        put(r#"{"apps": [{"id": "c", "cmd": "sleep 100000", "dependencies": ["database/a"]},
                {"id": "d", "cmd": "sleep 100000", "dependencies": ["service/b"]}],
                "groups": [{"id": "database", "apps": [{"id": "a", "cmd": "sleep 100000"}]},
                {"id": "service", "apps": [{"id": "b", "cmd": "sleep 100000", "dependencies": ["/test/database/a"]}]}]}"#),
        &[
            &["Start /test/c", "Start /test/d", "Start /test/database/a", "Start /test/service/b"],
            &["Scale /test/database/a"],
            &["Scale /test/c", "Scale /test/service/b"],
            &["Scale /test/d"],
        ],
    ),
    planned(
        "partition a complex group's apps into concurrently deployable subsets",
        &[],
        Ask::Call(
            "PUT",
            "/v2/groups",
            r#"{"apps": [{"id": "a", "cmd": "sleep 100000", "dependencies": ["/b", "/c"]}, {"id": "b", "cmd": "sleep 100000", "dependencies": ["/c"]},
                {"id": "c", "cmd": "sleep 100000", "dependencies": ["/d"]}, {"id": "d", "cmd": "sleep 100000"}, {"id": "e", "cmd": "sleep 100000"}]}"#,
        ),
        &[
            &["Start /a", "Start /b", "Start /c", "Start /d", "Start /e"],
            &["Scale /d", "Scale /e"],
            &["Scale /c"],
            &["Scale /b"],
            &["Scale /a"],
        ],
    ),
    planned(
        "start from empty group",
        &[Ask::Group(r#"{"id": "/group"}"#)],
        Ask::App(r#"{"id": "/group/app", "instances": 2}"#),
        &[&["Start /group/app"], &["Scale /group/app"]],
    ),
    planned(
        "start from running group",
        &[put(r#"{"apps": [{"id": "app", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16},
                {"id": "app2", "cmd": "cmd2", "cpus": 0.05, "mem": 16}, {"id": "app3", "cmd": "cmd3", "cpus": 0.05, "mem": 16}]}"#)],
        put(r#"{"apps": [{"id": "app", "cmd": "sleep 300000", "cpus": 0.05, "mem": 16},
                {"id": "app2", "cmd": "cmd2", "cpus": 0.05, "mem": 16, "instances": 10},
                {"id": "app4", "cmd": "cmd4", "cpus": 0.05, "mem": 16}]}"#),
        &[
            &["Stop /test/app3"],
            &["Start /test/app4"],
            &["Restart /test/app", "Scale /test/app2", "Scale /test/app4"],
        ],
    ),
    Planned {
        affected: &["/test/app", "/test/app2", "/test/app3", "/test/app4"],
        ..planned(
            "can compute affected app ids",
            &[put(r#"{"apps": [{"id": "app", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16},
                    {"id": "app2", "cmd": "cmd2", "cpus": 0.05, "mem": 16}, {"id": "app3", "cmd": "cmd3", "cpus": 0.05, "mem": 16},
                    {"id": "unchanged", "cmd": "unchanged", "cpus": 0.05, "mem": 16}]}"#)],
            put(r#"{"apps": [{"id": "app", "cmd": "sleep 300000", "cpus": 0.05, "mem": 16},
                    {"id": "app2", "cmd": "cmd2", "cpus": 0.05, "mem": 16, "instances": 10},
                    {"id": "app4", "cmd": "cmd4", "cpus": 0.05, "mem": 16},
                    {"id": "unchanged", "cmd": "unchanged", "cpus": 0.05, "mem": 16}]}"#),
            &[
                &["Stop /test/app3"],
                &["Start /test/app4"],
                &["Restart /test/app", "Scale /test/app2", "Scale /test/app4"],
            ],
        )
    },
    planned(
        "when updating a group with dependencies, the correct order is computed",
        &[OLD],
        put(r#"{"groups": [
                {"id": "database", "apps": [{"id": "mongo", "cmd": "sleep 200000", "cpus": 0.05, "mem": 16, "instances": 8}]},
                {"id": "service", "apps": [{"id": "srv1", "cmd": "sleep 200000", "cpus": 0.05, "mem": 16, "instances": 10,
                    "dependencies": ["/test/database/mongo"]}]}]}"#),
        &[&["Restart /test/database/mongo"], &["Restart /test/service/srv1"]],
    ),
    planned(
        "when starting apps without dependencies, they are first started and then scaled parallely",
        &[Ask::Group(r#"{"id": "/test"}"#)],
        put(
            r#"{"apps": [{"id": "1", "cmd": "cmd", "instances": 10}, {"id": "2", "cmd": "cmd", "instances": 10},
                {"id": "3", "cmd": "cmd", "instances": 10}, {"id": "4", "cmd": "cmd", "instances": 10}]}"#,
        ),
        &[
            &["Start /test/1", "Start /test/2", "Start /test/3", "Start /test/4"],
            &["Scale /test/1", "Scale /test/2", "Scale /test/3", "Scale /test/4"],
        ],
    ),
    planned(
        "when updating apps without dependencies, the restarts are executed in the same step",
        &[OLD],
        put(r#"{"groups": [
                {"id": "database", "apps": [{"id": "mongo", "cmd": "sleep 200000", "cpus": 0.05, "mem": 16, "instances": 8}]},
                {"id": "service", "apps": [{"id": "srv1", "cmd": "sleep 200000", "cpus": 0.05, "mem": 16, "instances": 10}]}]}"#),
        &[&["Restart /test/database/mongo", "Restart /test/service/srv1"]],
    ),
    planned(
        "when updating a group with dependent and independent applications, the correct order is computed",
        &[put(r#"{"groups": [
                {"id": "database", "apps": [{"id": "mongo", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16, "instances": 4}]},
                {"id": "service", "apps": [{"id": "srv1", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16, "instances": 4},
                    {"id": "to-stop", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16, "dependencies": ["/test/database/mongo"]}]},
                {"id": "independent", "apps": [{"id": "app", "cmd": "app1", "cpus": 0.05, "mem": 16}]}]}"#)],
        put(r#"{"groups": [
                {"id": "database", "apps": [{"id": "mongo", "cmd": "sleep 200000", "cpus": 0.05, "mem": 16, "instances": 8}]},
                {"id": "service", "apps": [{"id": "srv1", "cmd": "sleep 200000", "cpus": 0.05, "mem": 16, "instances": 10,
                    "dependencies": ["/test/database/mongo"]},
                    {"id": "to-start", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16, "instances": 2, "dependencies": ["srv1"]}]},
                {"id": "independent", "apps": [{"id": "app", "cmd": "app2", "cpus": 0.05, "mem": 16, "instances": 3}]}]}"#),
        &[
            &["Stop /test/service/to-stop"],
            &["Start /test/service/to-start"],
            &["Restart /test/database/mongo", "Restart /test/independent/app"],
            &["Restart /test/service/srv1"],
            &["Scale /test/service/to-start"],
        ],
    ),
    planned(
        "when the only action is to stop an application",
        &[put(
            r#"{"groups": [{"id": "independent", "apps": [{"id": "app", "cmd": "app2", "cpus": 0.05, "mem": 16, "instances": 3}]}]}"#,
        )],
        Ask::Call("DELETE", "/v2/groups/test/independent", ""),
        &[&["Stop /test/independent/app"]],
    ),
    planned(
        "Should create non-empty deployment plan when only args have changed",
        &[Ask::App(r#"{"cmd": null, "args": ["a"], "cpus": 0.05, "mem": 16}"#)],
        Ask::Call("PUT", "/v2/apps/test", r#"{"args": ["foo"]}"#),
        &[&["Restart /test"]],
    ),
    planned(
        "Don't restart apps that have not changed",
        &[Ask::App(r#"{"cpus": 0.05, "mem": 16}"#)],
        Ask::Call("PUT", "/v2/apps/test", r#"{"instances": 1}"#),
        &[],
    ),
    planned(
        "Restart apps that have not changed but a new version",
        &[Ask::App(r#"{"cpus": 0.05, "mem": 16}"#)],
        Ask::Call("POST", "/v2/apps/test/restart", ""),
        &[&["Restart /test"]],
    ),
    Planned {
        flags: ROLE,
        ..planned(
            "Deployment plan allows valid updates for resident tasks",
            &[KEPT],
            Ask::Call("PUT", "/v2/apps/test/app1", r#"{"instances": 123}"#),
            &[&["Scale /test/app1"]],
        )
    },
    planned(
        "Deployment plan treats app conf update and scale down to 0 instances as scale-only change",
        &[OLD],
        Ask::Call("PUT", "/v2/apps/test/database/mongo", r#"{"cmd": "sleep 200000", "instances": 0}"#),
        &[&["Scale /test/database/mongo"]],
    ),
];

/// A deployment that is taken back while others have come after it.
struct Revert {
    test: &'static str,
    original: &'static [Ask],
    first: Ask,
    others: &'static [Ask],
    /// Ids of all apps then.
    apps: &'static [&'static str],
    /// Ids of all groups below the root then.
    groups: &'static [&'static str],
}

const UNRELATED: &[Ask] = &[Ask::Group(
    r#"{"id": "/unrelated", "apps": [{"id": "app1", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16},
        {"id": "app2", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16}]}"#,
)];
const CHANGE_ME: &[Ask] = &[Ask::Group(
    r#"{"id": "/changeme", "apps": [{"id": "app1", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16},
        {"id": "app2", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16}]}"#,
)];
const WITH_OTHERS: &[Ask] = &[Ask::Call(
    "PUT",
    "/v2/groups",
    r#"{"groups": [{"id": "othergroup1"}, {"id": "othergroup2"}, {"id": "othergroup3"},
        {"id": "changeme", "dependencies": ["/othergroup1", "/othergroup2"], "apps": [
            {"id": "app1", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16}, {"id": "app2", "cmd": "sleep 100000", "cpus": 0.05, "mem": 16}]}]}"#,
)];

const REVERTED: &[Revert] = &[
    Revert {
        test: "Revert app addition",
        original: UNRELATED,
        first: Ask::App("{}"),
        others: &[],
        apps: &["/unrelated/app1", "/unrelated/app2"],
        groups: &["/unrelated"],
    },
    Revert {
        test: "Revert app removal",
        original: CHANGE_ME,
        first: Ask::Call("DELETE", "/v2/apps/changeme/app1", ""),
        others: &[],
        apps: &["/changeme/app1", "/changeme/app2"],
        groups: &["/changeme"],
    },
    Revert {
        test: "Revert removing a group with apps",
        original: CHANGE_ME,
        first: Ask::Call("DELETE", "/v2/groups/changeme", ""),
        others: &[],
        apps: &["/changeme/app1", "/changeme/app2"],
        groups: &["/changeme"],
    },
    Revert {
        test: "Reverting remove app '/changeme/app1' after deploying add app '/changeme/app3', add app '/other/app4', remove app '/changeme/app2'",
        original: WITH_OTHERS,
        first: Ask::Call("DELETE", "/v2/apps/changeme/app1", ""),
        others: &[
            Ask::App(r#"{"id": "/changeme/app3"}"#),
            Ask::App(r#"{"id": "/other/app4"}"#),
            Ask::Call("DELETE", "/v2/apps/changeme/app2", ""),
        ],
        apps: &["/changeme/app1", "/changeme/app3", "/other/app4"],
        groups: &["/changeme", "/other", "/othergroup1", "/othergroup2", "/othergroup3"],
    },
    Revert {
        test: "Reverting add app '/changeme/some/a' after deploying add app '/changeme/some/b/a', add app '/changeme/some/b/b', add app '/changeme/some/b/c'",
        original: WITH_OTHERS,
        first: Ask::App(r#"{"id": "/changeme/some/a"}"#),
        others: &[
            Ask::App(r#"{"id": "/changeme/some/b/a"}"#),
            Ask::App(r#"{"id": "/changeme/some/b/b"}"#),
            Ask::App(r#"{"id": "/changeme/some/b/c"}"#),
        ],
        apps: &[
            "/changeme/app1",
            "/changeme/app2",
            "/changeme/some/b/a",
            "/changeme/some/b/b",
            "/changeme/some/b/c",
        ],
        groups: &[
            "/changeme",
            "/changeme/some",
            "/changeme/some/b",
            "/othergroup1",
            "/othergroup2",
            "/othergroup3",
        ],
    },
];

/// Assertions of these plays by source.
pub(super) fn assertions() -> Vec<(&'static str, usize)> {
    let steps = ROWS.iter().map(|row| row.steps.len().max(1) + usize::from(!row.affected.is_empty())).sum();
    vec![(PLANS, steps), (REVERTS, REVERTED.len() * 2)]
}

/// Actions of each step of the last deployment under way, sorted.
fn sorted_steps(client: &mut Client) -> Vec<Vec<String>> {
    let actions = |step: String| {
        let mut actions: Vec<String> = step.split(", ").map(str::to_owned).collect();
        actions.sort_unstable();
        actions
    };
    steps(client).pop().unwrap_or_default().into_iter().map(actions).collect()
}

#[test]
fn plans_match_upstreams_tests() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let mut client = started(row.flags);
        for ask in row.before {
            let answer = asked(&mut client, *ask);
            assert!(answer.status < 300, "'{}': {}: {}", row.test, answer.asked, answer.text);
            pass(&mut client, 120);
        }
        let answer = asked(&mut client, row.ask);
        assert!(answer.status < 300, "'{}': {}: {}", row.test, answer.asked, answer.text);
        let found = sorted_steps(&mut client);
        if found != row.steps {
            wrong.push(format!("{PLANS} '{}': {:?} expected, found {found:?}", row.test, row.steps));
        }
        let last = client.get("/v2/deployments").json().as_array().and_then(|all| all.last().cloned());
        let mut affected = texts(last.as_ref().and_then(|last| last.get("affectedApps")));
        affected.sort_unstable();
        if !row.affected.is_empty() && affected != row.affected {
            wrong.push(format!("{PLANS} '{}': affects {affected:?}", row.test));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn texts(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn a_rollback_keeps_later_changes() {
    let mut wrong = Vec::new();
    for row in REVERTED {
        let mut client = client();
        for ask in row.original {
            let answer = asked(&mut client, *ask);
            assert!(answer.status < 300, "'{}': {}: {}", row.test, answer.asked, answer.text);
            pass(&mut client, 120);
        }
        let first = asked(&mut client, row.first);
        assert!(first.status < 300, "'{}': {}: {}", row.test, first.asked, first.text);
        let id = client.get("/v2/deployments").json().pointer("/0/id").cloned().unwrap_or_default();
        for ask in row.others {
            let answer = asked(&mut client, *ask);
            assert!(answer.status < 300, "'{}': {}: {}", row.test, answer.asked, answer.text);
        }
        let path = format!("/v2/deployments/{}", id.as_str().unwrap_or_default());
        call(&mut client, "DELETE", &path, &Value::Null).status(200);
        pass(&mut client, 300);
        let apps = ids_of(&client.get("/v2/apps").json());
        if apps != row.apps {
            wrong.push(format!("{REVERTS} '{}': apps {apps:?}", row.test));
        }
        let mut groups = Vec::new();
        below(&client.get("/v2/groups").json(), &mut groups);
        groups.sort_unstable();
        if groups != row.groups {
            wrong.push(format!("{REVERTS} '{}': groups {groups:?}", row.test));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Ids of a list of apps, sorted.
fn ids_of(said: &Value) -> Vec<String> {
    let apps = said.get("apps").and_then(Value::as_array).into_iter().flatten();
    let mut ids: Vec<String> = apps.filter_map(|app| app.get("id")?.as_str()).map(str::to_owned).collect();
    ids.sort_unstable();
    ids
}

/// Ids of all groups below one.
fn below(group: &Value, ids: &mut Vec<String>) {
    for inner in group.get("groups").and_then(Value::as_array).into_iter().flatten() {
        ids.extend(inner.get("id").and_then(Value::as_str).map(str::to_owned));
        below(inner, ids);
    }
}
