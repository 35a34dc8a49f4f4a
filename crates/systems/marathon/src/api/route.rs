//! Paths and queries of the API.
//!
//! **Source**: `marathon: api/v2/*Resource.scala`. Match.

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
    Unknown,
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

/// Returns the meaning of a path below that.
pub(crate) fn of(parts: &[&str]) -> Route {
    let path = |parts: &[&str]| format!("/{}", parts.join("/"));
    match parts {
        ["ping"] => Route::Ping,
        ["metrics"] => Route::Metrics,
        ["v2", "apps"] => Route::Apps,
        ["v2", "apps", id @ .., "restart"] if !id.is_empty() => Route::AppRestart(path(id)),
        ["v2", "apps", id @ .., "tasks"] if !id.is_empty() => Route::AppTasks(path(id)),
        ["v2", "apps", id @ .., "tasks", task] if !id.is_empty() => {
            Route::AppTask(path(id), (*task).to_owned())
        }
        ["v2", "apps", id @ .., "versions"] if !id.is_empty() => Route::AppVersions(path(id)),
        ["v2", "apps", id @ .., "versions", version] if !id.is_empty() => {
            Route::AppVersion(path(id), (*version).to_owned())
        }
        ["v2", "apps", id @ ..] => Route::App(path(id)),
        ["v2", "groups"] => Route::Groups,
        ["v2", "groups", id @ ..] => Route::Group(path(id)),
        ["v2", "deployments"] => Route::Deployments,
        ["v2", "deployments", id] => Route::Deployment((*id).to_owned()),
        ["v2", "queue"] => Route::Queue,
        ["v2", "queue", id @ .., "delay"] if !id.is_empty() => Route::QueueDelay(path(id)),
        ["v2", "tasks"] => Route::Tasks,
        ["v2", "tasks", "delete"] => Route::TasksDelete,
        ["v2", "info"] => Route::Info,
        ["v2", "leader"] => Route::Leader,
        ["v2", "events"] => Route::Events,
        ["v2", "plugins"] => Route::Plugins,
        ["v2", "plugins", id, _, ..] => Route::Plugin((*id).to_owned()),
        ["v2", "pods"] => Route::Pods,
        ["v2", "pods", "::status"] => Route::PodsStatus,
        ["v2", "pods", id @ .., last] => pod(id, last),
        _ => Route::Unknown,
    }
}

/// Paths about pods contain `::`.
fn pod(id: &[&str], last: &str) -> Route {
    let path = |parts: &[&str]| format!("/{}", parts.join("/"));
    if let [id @ .., mark] = id {
        let inner = mark.strip_suffix("::versions").map(|name| (name, true));
        let inner = inner.or_else(|| mark.strip_suffix("::instances").map(|name| (name, false)));
        if let Some((name, versions)) = inner {
            let id = path(
                &id.iter()
                    .copied()
                    .chain([name].into_iter().filter(|name| !name.is_empty()))
                    .collect::<Vec<_>>(),
            );
            let last = last.to_owned();
            return if versions { Route::PodVersion(id, last) } else { Route::PodInstance(id, last) };
        }
    }
    let with = |name: &str| {
        path(
            &id.iter().copied().chain([name].into_iter().filter(|name| !name.is_empty())).collect::<Vec<_>>(),
        )
    };
    if let Some(name) = last.strip_suffix("::status") {
        Route::PodStatus(with(name))
    } else if let Some(name) = last.strip_suffix("::versions") {
        Route::PodVersions(with(name))
    } else if let Some(name) = last.strip_suffix("::instances") {
        Route::PodInstances(with(name))
    } else {
        Route::Pod(with(last))
    }
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
            ("v2/nothing", Route::Unknown),
        ] {
            let parts: Vec<&str> = path.split('/').collect();
            assert_eq!(of(&parts), route, "{path}");
        }
    }

    #[test]
    fn queries() {
        let query = Query::of("force=True&embed=apps.tasks&embed=a%2Fb&label=a%3D%3Db,+c&x");
        assert!(query.flag("force", false) && query.flag("none", true) && !query.flag("x", true));
        assert_eq!(query.all("embed").collect::<Vec<_>>(), ["apps.tasks", "a/b"]);
        assert_eq!(query.get("label"), Some("a==b, c"));
    }
}
