//! The page at `/` where the playground is not built in: the plans, and links into the API.
//!
//! Knows: a view and the routes that answer a plain GET. Must not know: what their answers mean.

use planarium_protocol::view::{ServiceView, View};
use planarium_scenario::text;
use std::fmt::Write as _;

/// Nothing on the page runs, and nothing is fetched for it.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}\
                     pre{font-size:14px;line-height:1.35;overflow:auto}li{margin:.2rem 0}";

/// Requests that every world answers: path and description.
const WORLD: &[(&str, &str)] = &[
    ("/sim", "the clock"),
    ("/sim/view", "everything a page shows"),
    ("/sim/events?since=0", "what happened so far"),
    ("/sim/journal", "the run, to be played again"),
    ("/mesos/master/state", "the Mesos master"),
    ("/mesos/maintenance/schedule", "maintenance windows"),
    ("/mesos/metrics/snapshot", "the master's metrics"),
];

/// The page.
pub(super) fn page(view: &View, now_ms: u64) -> String {
    let mut out = String::from("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    let _ = write!(out, "<title>planarium</title><style>{STYLE}</style></head><body><h1>planarium</h1>");
    let _ = write!(out, "<p>A simulated cluster, at {}.</p>", clock(now_ms));
    if view.cluster.machines.is_empty() {
        out.push_str(
            "<p>There is no machine yet. Start with some: <code>planarium serve --cluster default</code>, or add them by \
             <code>POST /sim/agents</code>.</p>",
        );
    }
    if view.services.is_empty() {
        out.push_str(
            "<p>There is no service yet. Start with one: <code>planarium serve svc.yml</code>, or send one to \
             <code>POST /sim/services</code>.</p>",
        );
    }
    for service in &view.services {
        self::service(&mut out, service);
    }
    out.push_str("<h2>The world</h2>");
    links(&mut out, WORLD.iter().copied());
    out.push_str(
        "<h2>The playground</h2><p><code>cargo xtask play</code> in the source tree builds the playground and opens it. \
         <code>cargo xtask dist</code> and then <code>PLANARIUM_WITH_PAGE=1 cargo build -p planarium-cli</code> put it \
         into this command; it is then served in place of this page, and <code>planarium serve --open</code> opens it on \
         this world. <code>--page dist</code> serves a built page from its folder.</p></body></html>",
    );
    out
}

fn service(out: &mut String, service: &ServiceView) {
    let _ = write!(
        out,
        "<h2>{}</h2><pre>{}</pre>",
        escaped(&service.name),
        escaped(&text::service_trees(service))
    );
    let routes = planarium_world::links(service);
    links(out, routes.iter().map(|(path, what)| (path.as_str(), *what)));
}

fn links<'a>(out: &mut String, routes: impl Iterator<Item = (&'a str, &'a str)>) {
    out.push_str("<ul>");
    for (path, what) in routes {
        let _ = write!(out, "<li><a href=\"{path}\">{path}</a>: {what}</li>");
    }
    out.push_str("</ul>");
}

fn clock(ms: u64) -> String {
    planarium_scenario::clock::clock(ms)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
        let empty = planarium_world::Engine::new(planarium_world::Genesis::default()).view();
        assert!(page(&empty, 90_000).contains("There is no service yet"));
    }
}
