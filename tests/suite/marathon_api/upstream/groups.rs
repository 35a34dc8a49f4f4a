//! Groups: creation, changes and refusals, and the roles of their members.

use super::*;

pub(super) const TABLES: &[Table] = &[
    ("marathon/api/v2/GroupsResourceTest.scala", RESOURCE),
    ("marathon/api/v2/json/GroupUpdateTest.scala", UPDATES),
    ("marathon/api/v2/validation/GroupValidationTest.scala", RULES),
];

const TOP: &[(&str, &str)] = &[("MARATHON_NEW_GROUP_ENFORCE_ROLE", "top")];

/// A group /prod with an app in a sub-group, which has further fields.
macro_rules! prod {
    ($app:literal, $group:literal) => {
        concat!(
            r#"{"id": "/prod", "groups": [{"id": "sleep", "apps": [{"id": "goodnight", "cmd": "sleep 1", "instances": 0"#,
            $app,
            "}]}]",
            $group,
            "}"
        )
    };
}

const MODIFIED: &str = "enforceRole cannot be modified in a request that adds, removes or modifies services; \
    please make these changes in separate requests.";

const RESOURCE: &[Row] = &[
    row(
        "dry run update",
        Ask::Call("PUT", "/v2/groups/test?dryRun=true", r#"{"id": "/test", "apps": [{"id": "/test/app", "cmd": "test cmd"}]}"#),
        &[
            Is("/steps/0/actions", r#"[{"action": "StartApplication", "app": "/test/app"}]"#),
            Is("/steps/1/actions", r#"[{"action": "ScaleApplication", "app": "/test/app"}]"#),
            Is("/steps/2", "null"),
        ],
    ),
    row(
        "dry run update on an existing group",
        Ask::Call(
            "PUT",
            "/v2/groups/foo/bla?dryRun=true",
            r#"{"id": "/foo/bla", "apps": [{"id": "/foo/bla/app", "cmd": "test cmd"}]}"#,
        ),
        &[
            Is("/steps/0/actions", r#"[{"action": "StartApplication", "app": "/foo/bla/app"}]"#),
            Is("/steps/1/actions", r#"[{"action": "ScaleApplication", "app": "/foo/bla/app"}]"#),
            Is("/steps/2", "null"),
        ],
    ),
    row(
        "authenticated delete without authorization leads to a 404 if the resource doesn't exist",
        Ask::Call("DELETE", "/v2/groups/foo", ""),
        &[Status(404)],
    ),
    row(
        "Group Versions for root are transferred as simple json string array (Fix #2329)",
        Ask::Call("GET", "/v2/groups/versions", ""),
        &[Status(200), IsNot("/0", "null"), Is("/0/version", "null")],
    )
    .after(&[Ask::App("{}")]),
    row(
        "Creation of a group with same path as an existing app should be prohibited (fixes #3385)",
        Ask::Group(r#"{"id": "/group/app"}"#),
        &[Status(409)],
    )
    .after(&[Ask::App(r#"{"id": "/group/app"}"#)]),
    row(
        "Creation of a group with same path as an existing group should be prohibited",
        Ask::Group(r#"{"id": "/group"}"#),
        &[Status(409)],
    )
    .after(&[Ask::Group(r#"{"id": "/group"}"#)]),
    row(
        "Creation of a top-level relative group path creates the group in the root with the appropriate default enforceRole",
        Ask::Call("GET", "/v2/groups", ""),
        &[
            Is("/groups/0/id", r#""/relative""#),
            Is("/groups/0/groups", "[]"),
            Is("/groups/0/enforceRole", "true"),
            Is("/groups/1", "null"),
        ],
    )
    .with(TOP)
    .after(&[Ask::Call("DELETE", "/v2/apps/first", ""), Ask::Group(r#"{"id": "relative"}"#)]),
    row(
        "Creation of a relative group path inside of a specified parent group creates the group in the parent group",
        Ask::Call("GET", "/v2/groups", ""),
        &[
            Is("/groups/0/id", r#""/parent""#),
            Is("/groups/0/groups/0/id", r#""/parent/child""#),
            Is("/groups/0/groups/0/groups", "[]"),
        ],
    )
    .after(&[Ask::Call("POST", "/v2/groups/parent", r#"{"id": "child"}"#)]),
    row(
        "Rejects group updates with apps that don't belong directly to a group",
        Ask::Call("POST", "/v2/groups/foo", r#"{"id": "sub", "apps": [{"id": "lol/bibi", "cmd": "sleep 1200"}]}"#),
        &[Says("Identifier is not child of '/foo/sub'")],
    ),
    row(
        "Allows group updates with apps directly in a group",
        Ask::Call("GET", "/v2/groups/foo/sub?embed=group.apps", ""),
        &[Is("/apps/0/id", r#""/foo/sub/bibi""#), Is("/groups", "[]")],
    )
    .after(&[Ask::Call("POST", "/v2/groups/foo", r#"{"id": "sub", "apps": [{"id": "bibi", "cmd": "sleep 1200"}]}"#)]),
    row(
        "Allows group updates with mid-level groups",
        Ask::Call("GET", "/v2/apps/test-group/sleep/goodnight", ""),
        &[Status(200), Is("/app/instances", "0")],
    )
    .after(&[Ask::Group(
        r#"{"id": "/test-group", "groups": [{"id": "sleep", "apps": [{"id": "goodnight", "cmd": "sleep 1", "instances": 0}]}]}"#,
    )]),
    row(
        "Allows group updates on the root group and respects enforceRole setting and default",
        Ask::Call("GET", "/v2/groups", ""),
        &[
            Is("/groups/0/id", r#""/dev""#),
            Is("/groups/0/enforceRole", "true"),
            Is("/groups/1/id", r#""/prod""#),
            Is("/groups/1/enforceRole", "true"),
            Is("/groups/2/id", r#""/public""#),
            Is("/groups/2/enforceRole", "false"),
        ],
    )
    .with(TOP)
    .after(&[Ask::Call(
        "PUT",
        "/v2/groups",
        r#"{"groups": [{"id": "dev"}, {"id": "prod", "enforceRole": true}, {"id": "public", "enforceRole": false}]}"#,
    )]),
    row(
        "Allow batch creation of a top-level group with enforce role and apps",
        Ask::Call("GET", "/v2/apps/prod/sleep/goodnight", ""),
        &[Is("/app/role", r#""prod""#)],
    )
    .after(&[Ask::Group(prod!(r#", "role": "prod""#, r#", "enforceRole": true"#))]),
    row(
        "Fail a batch update when apps are modified and enforceRole is changed for an unrelated group",
        Ask::Call(
            "PUT",
            "/v2/groups",
            r#"{"groups": [{"id": "unrelated", "apps": [{"id": "goodnight", "cmd": "sleep 1", "instances": 0}]},
                {"id": "/dev", "enforceRole": true}]}"#,
        ),
        &[Says(MODIFIED)],
    )
    .after(&[Ask::Group(r#"{"id": "/dev", "enforceRole": false}"#)]),
    row(
        "allow an update to enforceRole when id is not specified",
        Ask::Call("GET", "/v2/groups/dev", ""),
        &[Is("/enforceRole", "true")],
    )
    .after(&[
        Ask::Group(r#"{"id": "/dev", "enforceRole": false}"#),
        Ask::Call("PUT", "/v2/groups/dev", r#"{"enforceRole": true}"#),
    ]),
    row(
        "Fail a batch update when app role is invalid",
        Ask::Group(prod!(r#", "role": "invalid""#, r#", "enforceRole": true"#)),
        &[Status(422)],
    ),
    row(
        "Default according to the top-level group enforce role field",
        Ask::Call("GET", "/v2/apps/prod/sleep/goodnight", ""),
        &[Is("/app/role", r#""prod""#)],
    )
    .after(&[Ask::Group(prod!("", r#", "enforceRole": true"#))]),
    row(
        "Default according to the top-level group when enforce role = false",
        Ask::Call("GET", "/v2/apps/prod/sleep/goodnight", ""),
        &[Is("/app/role", r#""*""#)],
    )
    .after(&[Ask::Group(prod!("", r#", "enforceRole": false"#))]),
];

const APP1: &str = r#"{"groups": [{"id": "test", "apps": [], "groups": [{"id": "foo"}]},
    {"id": "apps", "apps": [{"id": "app1", "cmd": "foo", "instances": 0, "dependencies": ["d1", "../test/foo", "/test"]}]}]}"#;
const APP1_BESIDE: &str = r#"{"groups": [{"id": "test", "groups": [{"id": "foo"}]},
    {"id": "apps", "apps": [{"id": "app1", "cmd": "foo", "instances": 0, "dependencies": ["d1", "../test/foo", "/test"]}]}]}"#;

const UPDATES: &[Row] = &[
    row(
        "A group update can be applied to an empty group",
        Ask::Call("GET", "/v2/groups?embed=group.groups&embed=group.apps", ""),
        &[
            Is("/groups/2", "null"),
            Is("/groups/0/id", r#""/apps""#),
            Is("/groups/0/apps/0/id", r#""/apps/app1""#),
            Holds("/groups/0/apps/0/dependencies", r#"["/apps/d1", "/test/foo", "/test"]"#),
            Is("/groups/1/id", r#""/test""#),
            Is("/groups/1/groups/0/id", r#""/test/foo""#),
        ],
    )
    .after(&[Ask::Call("PUT", "/v2/groups", APP1)]),
    row(
        "A group update can be applied to existing entries",
        Ask::Call("GET", "/v2/groups?embed=group.groups&embed=group.apps", ""),
        &[
            Is("/groups/2", "null"),
            Is("/groups/0/groups/0/id", r#""/apps/foo""#),
            Is("/groups/0/apps/0/id", r#""/apps/app1""#),
            Holds("/groups/0/apps/0/dependencies", r#"["/apps/d1", "/test/foo", "/test"]"#),
            Is("/groups/1/groups/0/id", r#""/test/foo""#),
            Is("/groups/1/apps/0/id", r#""/test/bla""#),
        ],
    )
    .after(&[
        Ask::App(r#"{"id": "/test/bla", "instances": 0}"#),
        Ask::Group(r#"{"id": "/apps/foo"}"#),
        Ask::Call("PUT", "/v2/groups", APP1_BESIDE),
    ]),
    row(
        "GroupUpdate will update a Group correctly",
        Ask::Call("GET", "/v2/groups/test?embed=group.groups&embed=group.apps", ""),
        &[
            Is("/apps", "[]"),
            Is("/groups/2", "null"),
            Is("/groups/0/id", r#""/test/group1""#),
            Is("/groups/0/apps/0/id", r#""/test/group1/app3""#),
            Is("/groups/0/apps/1", "null"),
            Is("/groups/1/id", r#""/test/group3""#),
            Is("/groups/1/apps", "[]"),
            Is("/groups/1/groups/0/apps/0/id", r#""/test/group3/sub1/app4""#),
        ],
    )
    .after(&[
        Ask::App(r#"{"id": "/test/group1/app1", "instances": 0}"#),
        Ask::App(r#"{"id": "/test/group2/app2", "instances": 0}"#),
        Ask::Call(
            "PUT",
            "/v2/groups/test",
            r#"{"id": "/test", "apps": [], "groups": [
                {"id": "/test/group1", "apps": [{"id": "/test/group1/app3", "cmd": "foo", "instances": 0}]},
                {"id": "/test/group3", "apps": [], "groups": [{"id": "/test/group3/sub1",
                    "apps": [{"id": "/test/group3/sub1/app4", "cmd": "foo", "instances": 0}]}]}]}"#,
        ),
    ]),
    row(
        "Relative path of a dependency, should be relative to group and not to the app",
        Ask::Call("GET", "/v2/apps/test-group/test-app2", ""),
        &[Is("/app/dependencies", r#"["/test-group/test-app1"]"#)],
    )
    .after(&[Ask::Call(
        "PUT",
        "/v2/groups",
        r#"{"groups": [{"id": "test-group", "apps": [{"id": "test-app1", "cmd": "foo", "instances": 0},
            {"id": "test-app2", "cmd": "foo", "instances": 0, "dependencies": ["test-app1"]}]}]}"#,
    )]),
];

const RULES: &[Row] = &[
    row(
        "reject defined `enforceRole` outside of a top-level group",
        Ask::Group(
            r#"{"id": "/prod", "enforceRole": true, "groups": [{"id": "second", "enforceRole": true}]}"#,
        ),
        &[Flaw(
            "/groups(0)/enforceRole",
            "enforceRole can only be set for top-level groups, and /prod/second is not top-level",
        )],
    ),
    row(
        "disallows changes to enforceRole if other services are modified with the request",
        Ask::Call(
            "PUT",
            "/v2/groups/dev",
            r#"{"id": "/dev", "enforceRole": true, "apps": [{"id": "a", "cmd": "sleep 1", "instances": 0}]}"#,
        ),
        &[Flaw("/enforceRole", MODIFIED)],
    )
    .after(&[Ask::Group(r#"{"id": "/dev", "enforceRole": false}"#)]),
    row(
        "allows changes to enforceRole if other services are not modified with the request",
        Ask::Call("PUT", "/v2/groups/dev", r#"{"enforceRole": true}"#),
        &[Taken],
    )
    .after(&[Ask::Group(r#"{"id": "/dev", "enforceRole": false}"#)]),
];
