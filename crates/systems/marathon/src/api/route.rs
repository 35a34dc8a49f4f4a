//! Paths and queries of the API.
//!
//! **Source**: `marathon: api/v2/*Resource.scala`. Match.

use planarium_part::routes::{self, Captures, Found};

/// Meanings of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Ping,
    Apps,
    App(String),
    AppTasks(String),
    AppTask(String, String),
    AppVersions(String),
    AppVersion(String, String),
    AppRestart(String),
    Groups,
    Group(String),
    Deployments,
    Deployment(String),
    Queue,
    QueueDelay(String),
    Tasks,
    TasksDelete,
    Info,
    Leader,
    Metrics,
    Plugins,
    Plugin(String),
    Events,
    Pods,
    Pod(String),
    PodStatus(String),
    PodsStatus,
    PodVersions(String),
    PodVersion(String, String),
    PodInstances(String),
    PodInstance(String, String),
}

/// The parsed request of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a str,
    pub(crate) route: &'a Route,
    pub(crate) query: &'a Query,
}

/// The part of a path after what leads to Marathon: `/marathon`, `/service/marathon`, or nothing.
pub(crate) fn below<'p, 's>(parts: &'p [&'s str], service: &str) -> Option<&'p [&'s str]> {
    match parts {
        ["marathon", rest @ ..] => Some(rest),
        ["service", name, rest @ ..] if *name == service || *name == "marathon" => Some(rest),
        ["v2", ..] | ["ping" | "metrics"] => Some(parts),
        _ => None,
    }
}

/// A path of the API.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resource {
    /// Its meaning.
    pub(crate) route: fn(&Captures<'_>) -> Route,
    /// It refuses bodies that are not declared as JSON. Those of groups take anything.
    ///
    /// **Source**: `@Consumes` of `marathon: api/v2/*Resource.scala`. Match; a request without a content type is taken everywhere.
    pub(crate) takes_json_only: bool,
}

/// A path that takes JSON only.
const fn json(
    methods: &'static str,
    pattern: &'static str,
    route: fn(&Captures<'_>) -> Route,
) -> routes::Route<Resource> {
    routes::Route::new(methods, pattern, Resource { route, takes_json_only: true })
}

/// A path that takes anything.
const fn any(
    methods: &'static str,
    pattern: &'static str,
    route: fn(&Captures<'_>) -> Route,
) -> routes::Route<Resource> {
    routes::Route::new(methods, pattern, Resource { route, takes_json_only: false })
}

/// The id of an app, group or pod.
fn id(at: &Captures<'_>) -> String {
    format!("/{}", at.joined("id"))
}

/// Every path.
const ROUTES: &[routes::Route<Resource>] = &[
    any("GET", "ping", |_| Route::Ping),
    json("GET", "metrics", |_| Route::Metrics),
    json("GET, POST, PUT, PATCH", "v2/apps", |_| Route::Apps),
    // The real server hands a DELETE on to the app of that name, which cannot exist.
    json("POST, DELETE", "v2/apps/{id...}/restart", |at| Route::AppRestart(id(at))),
    json("GET, DELETE", "v2/apps/{id...}/tasks", |at| Route::AppTasks(id(at))),
    json("DELETE", "v2/apps/{id...}/tasks/{task}", |at| Route::AppTask(id(at), at.text("task"))),
    json("GET", "v2/apps/{id...}/versions", |at| Route::AppVersions(id(at))),
    json("GET", "v2/apps/{id...}/versions/{version}", |at| Route::AppVersion(id(at), at.text("version"))),
    json("GET, PUT, PATCH, DELETE", "v2/apps/{id...}", |at| Route::App(id(at))),
    any("GET, POST, PUT, DELETE", "v2/groups", |_| Route::Groups),
    any("GET, POST, PUT, PATCH, DELETE", "v2/groups/{id...}", |at| Route::Group(id(at))),
    json("GET", "v2/deployments", |_| Route::Deployments),
    json("DELETE", "v2/deployments/{id}", |at| Route::Deployment(at.text("id"))),
    json("GET", "v2/queue", |_| Route::Queue),
    json("DELETE", "v2/queue/{id...}/delay", |at| Route::QueueDelay(id(at))),
    any("GET", "v2/tasks", |_| Route::Tasks),
    json("POST", "v2/tasks/delete", |_| Route::TasksDelete),
    json("GET", "v2/info", |_| Route::Info),
    any("GET, DELETE", "v2/leader", |_| Route::Leader),
    any("GET", "v2/events", |_| Route::Events),
    any("GET", "v2/plugins", |_| Route::Plugins),
    any("GET, HEAD, PUT, POST, DELETE", "v2/plugins/{id}/{path...}", |at| Route::Plugin(at.text("id"))),
    json("GET, HEAD, POST", "v2/pods", |_| Route::Pods),
    json("GET", "v2/pods/::status", |_| Route::PodsStatus),
    json("GET", "v2/pods/{id...}::versions/{version}", |at| Route::PodVersion(id(at), at.text("version"))),
    json("DELETE", "v2/pods/{id...}::instances/{instance}", |at| {
        Route::PodInstance(id(at), at.text("instance"))
    }),
    json("GET", "v2/pods/{id...}::status", |at| Route::PodStatus(id(at))),
    json("GET", "v2/pods/{id...}::versions", |at| Route::PodVersions(id(at))),
    json("DELETE", "v2/pods/{id...}::instances", |at| Route::PodInstances(id(at))),
    json("GET, PUT, DELETE", "v2/pods/{id...}", |at| Route::Pod(id(at))),
];

/// Finds a path below that.
pub(crate) fn of<'p>(parts: &[&'p str]) -> Option<Found<'p, Resource>> {
    routes::find(ROUTES, parts)
}

/// The query of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    /// Takes a query apart.
    pub(crate) fn of(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        };
        Self { pairs: pairs.map(pair).collect() }
    }

    /// The first value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// All values of a name.
    pub(crate) fn all<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q str> {
        self.pairs.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether a flag is `true`, in any case.
    pub(crate) fn flag(&self, name: &str, default: bool) -> bool {
        self.get(name).map_or(default, |value| value.eq_ignore_ascii_case("true"))
    }
}

fn decoded(text: &str) -> String {
    let request =
        planarium_part::Request { path: text.replace('+', "%20").replace('/', "%2F"), ..Default::default() };
    request.segments().into_iter().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (path, route) in [
            ("v2/apps", Route::Apps),
            ("v2/apps/shop/db", Route::App("/shop/db".to_owned())),
            ("v2/apps/shop/db/tasks", Route::AppTasks("/shop/db".to_owned())),
            ("v2/apps/shop/db/tasks/x.1", Route::AppTask("/shop/db".to_owned(), "x.1".to_owned())),
            ("v2/apps/shop/tasks/db", Route::AppTask("/shop".to_owned(), "db".to_owned())),
            ("v2/apps/db/versions/t", Route::AppVersion("/db".to_owned(), "t".to_owned())),
            ("v2/apps/db/restart", Route::AppRestart("/db".to_owned())),
            ("v2/groups", Route::Groups),
            ("v2/groups/a/versions/t", Route::Group("/a/versions/t".to_owned())),
            ("v2/queue/a/b/delay", Route::QueueDelay("/a/b".to_owned())),
            ("v2/pods/a::status", Route::PodStatus("/a".to_owned())),
            ("v2/pods/a/b::versions/t", Route::PodVersion("/a/b".to_owned(), "t".to_owned())),
            ("v2/pods/a::instances/i", Route::PodInstance("/a".to_owned(), "i".to_owned())),
            ("v2/pods/::status", Route::PodsStatus),
        ] {
            let parts: Vec<&str> = path.split('/').collect();
            let found = of(&parts).expect(path);
            assert_eq!((found.meaning().route)(&found.captures), route, "{path}");
        }
        assert!(of(&["v2", "nothing"]).is_none());
    }

    #[test]
    fn queries() {
        let query = Query::of("force=True&embed=apps.tasks&embed=a%2Fb&label=a%3D%3Db,+c&x");
        assert!(query.flag("force", false) && query.flag("none", true) && !query.flag("x", true));
        assert_eq!(query.all("embed").collect::<Vec<_>>(), ["apps.tasks", "a/b"]);
        assert_eq!(query.get("label"), Some("a==b, c"));
    }
}
