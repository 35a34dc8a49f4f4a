//! Counts of every app, and the progress of rolling restarts.
//!
//! *Knows*: Marathon's additional view data. *Must not know*: any rule of it.

use super::super::curve::{self, Curve, Sample, number};
use crate::store::ptr::Ptr;
use crate::ui::icon;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::ServiceView;
use serde_json::Value;
use yew::prelude::*;

/// Maximum of apps listed at once; those that a deployment works on come first.
const LISTED: usize = 60;

/// The panel of a service; `None` without apps.
pub(super) fn panel(service: &ServiceView) -> Option<Html> {
    let apps = service.more.get("apps")?.as_object()?;
    if apps.is_empty() {
        return None;
    }
    let more = Ptr::from(&service.more);
    Some(
        html! { <AppsPane key={service.name.to_string()} {more} name={service.name.to_string()} activity={service.activity.to_string()} /> },
    )
}

#[derive(Properties, PartialEq)]
struct AppsPaneProps {
    more: Ptr<Value>,
    name: AttrValue,
    activity: AttrValue,
}

/// The restart of an app that is shown: that of the newest deployment which has one.
fn restart<'v>(more: &'v Value, app: &str) -> Option<(&'v str, &'v Value)> {
    let deployments = more.get("deployments")?.as_object()?;
    let having = deployments
        .iter()
        .filter_map(|(name, deployment)| Some((name.as_str(), deployment.get("restarts")?.get(app)?)));
    // They are numbered: of two names the longer one is the newer one.
    having.max_by_key(|(name, _)| (name.len(), *name))
}

/// Restarts that an element is about: those of a deployment, of one of its actions, or of an app.
fn restarts_of<'v>(more: &'v Value, path: &ElementPath) -> Vec<(&'v str, &'v Value)> {
    let all = more.get("deployments").and_then(|all| all.get(&*path.plan)?.get("restarts")?.as_object());
    let last = path.step.as_deref().unwrap_or("");
    if let Some(all) = all {
        // An action is called by a verb and the app.
        let app = last.split_once(' ').map(|(_, app)| app);
        let fits = |(id, _): &(&String, &Value)| app.is_none_or(|app| app.ends_with(id.as_str()));
        return all.iter().filter(fits).map(|(id, restart)| (id.as_str(), restart)).collect();
    }
    let Some(apps) = more.get("apps").and_then(Value::as_object).filter(|_| !last.is_empty()) else {
        return Vec::new();
    };
    let phase = path.phase.as_deref().unwrap_or("");
    let (nested, top) = (format!("/{phase}/{last}"), format!("/{last}"));
    let id = apps.keys().find(|id| **id == nested).or_else(|| apps.keys().find(|id| **id == top));
    id.and_then(|id| Some((id.as_str(), restart(more, id)?.1))).into_iter().collect()
}

/// Restarts that are at work.
fn at_work(more: &Value) -> Vec<(&str, &Value)> {
    let deployments = more.get("deployments").and_then(Value::as_object);
    let running =
        deployments.into_iter().flatten().filter(|(_, one)| one.get("over").is_none_or(Value::is_null));
    let restarts = running.filter_map(|(_, one)| one.get("restarts")?.as_object()).flatten();
    restarts.map(|(id, restart)| (id.as_str(), restart)).collect()
}

/// Lines of a restart. In service are old instances and those new ones that are healthy and ready: the capacity that the limits are about.
const LINES: &[(&str, &str)] = &[("old", "old"), ("new", "new"), ("healthy", "in service")];

/// The samples of a restart; those of its instances that are in service are summed up.
fn samples(restart: &Value) -> Vec<Sample> {
    let rows = restart.get("curve").and_then(Value::as_array).into_iter().flatten();
    let mut samples: Vec<Sample> = rows.filter_map(|row| curve::sample(row, LINES.len())).collect();
    for sample in &mut samples {
        if let [old, _, healthy] = sample.counts.as_mut_slice() {
            *healthy = healthy.saturating_add(*old);
        }
    }
    samples
}

/// The curve of a restart; none without samples.
fn curve_of(app: &str, restart: &Value, is_over: bool) -> Option<Html> {
    let (wanted, least, cap) =
        (number(restart, "wanted"), number(restart, "minHealthy"), number(restart, "maxCapacity"));
    let curve = Curve {
        name: AttrValue::from(app.to_owned()),
        what: "Restart",
        is_over,
        lines: LINES,
        samples: samples(restart),
        marks: vec![0, cap, least, wanted],
        limits: (least, cap),
        beside: format!(" of {wanted}"),
        note: format!("at least {least} healthy, at most {cap} in all"),
    };
    curve.draw()
}

/// The curves of these restarts.
fn curves(more: &Value, restarts: Vec<(&str, &Value)>) -> Option<Html> {
    curve::all(restarts.into_iter().filter_map(|(app, one)| curve_of(app, one, is_over(more, one))))
}

/// Returns whether the deployment of a restart is over.
fn is_over(more: &Value, restart: &Value) -> bool {
    !at_work(more).iter().any(|(_, other)| std::ptr::eq(*other, restart))
}

/// The curves of the restarts that are at work, else of those that an element is about.
pub(super) fn below(service: &ServiceView, selected: Option<&ElementPath>) -> Option<Html> {
    let own = selected.filter(|path| service.holds(path)).map(|path| restarts_of(&service.more, path));
    let chosen = own.filter(|own| !own.is_empty()).unwrap_or_else(|| at_work(&service.more));
    curves(&service.more, chosen)
}

/// The curves of the restarts that an element is about.
pub(super) fn about(service: &ServiceView, path: &ElementPath) -> Option<Html> {
    curves(&service.more, restarts_of(&service.more, path))
}

#[component]
fn AppsPane(props: &AppsPaneProps) -> Html {
    let Some(apps) = props.more.get("apps").and_then(Value::as_object) else { return Html::default() };
    let mut all: Vec<(&String, &Value)> = apps.iter().collect();
    planarium_kernel::sorted::sort_by_key(&mut all, |(id, app)| {
        let moves =
            number(app, "old") > 0 || number(app, "waiting") > 0 || restart(&props.more, id).is_some();
        (!moves, (*id).clone())
    });
    let left = all.len().saturating_sub(LISTED);
    html! {
        <section class="apps" aria-label={format!("Apps of {}", props.name)}>
            <header>
                { icon("pod") }
                <h3>{ props.name.clone() }</h3>
                <span class="muted" aria-live="polite">{ props.activity.clone() }</span>
            </header>
            <ul>{ for all.into_iter().take(LISTED).map(|(id, app)| row(&props.more, id, app)) }</ul>
            if left > 0 { <p class="muted">{ format!("{left} more") }</p> }
        </section>
    }
}

fn row(more: &Value, id: &str, app: &Value) -> Html {
    let wanted = number(app, "wanted");
    let count = |key: &str| number(app, key);
    let running = restart(more, id);
    html! {
        <li class="app-counts" key={id.to_owned()}>
            <strong>{ id.to_owned() }</strong>
            <span>{ format!("{} of {wanted} run", count("running")) }</span>
            <span class="capacity-key" data-kind="old">{ format!("{} old", count("old")) }</span>
            <span class="capacity-key" data-kind="new">{ format!("{} new", count("new")) }</span>
            <span class="capacity-key" data-kind="healthy">{ format!("{} healthy", count("healthy")) }</span>
            if count("waiting") > 0 { <span>{ format!("{} waiting", count("waiting")) }</span> }
            if let Some((name, restart)) = running {
                <details open={count("old") > 0}>
                    <summary>{ format!("capacity during {name}") }</summary>
                    { curve_of(id, restart, is_over(more, restart)).unwrap_or_default() }
                </details>
            }
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn old_instances_and_healthy_new_ones_are_in_service() {
        let restart = json!({ "curve": [[1000, 4, 0, 0], [2000, 3, 1, 1], ["x"]] });
        let counts: Vec<Vec<u64>> = samples(&restart).into_iter().map(|sample| sample.counts).collect();
        assert_eq!(counts, [vec![4, 0, 4], vec![3, 1, 4]]);
        assert!(curve_of("/web", &restart, false).is_some());
        assert!(curve_of("/web", &json!({}), false).is_none());
    }

    #[test]
    fn restarts_are_found_by_deployment_action_and_app() {
        let more = json!({
            "apps": { "/web": {}, "/shop/db": {} },
            "deployments": {
                "deployment-1": { "over": "Finished", "restarts": { "/web": { "curve": [[1]] } } },
                "deployment-2": { "over": null, "restarts": { "/shop/db": { "curve": [[2]] }, "/web": { "curve": [[3]] } } },
            },
        });
        let path = |plan: &str, phase: Option<&str>, step: Option<&str>| ElementPath {
            dialect: "".into(),
            service: "marathon".into(),
            plan: plan.into(),
            phase: phase.map(Into::into),
            step: step.map(Into::into),
        };
        let of = |path: ElementPath| {
            let found = restarts_of(&more, &path);
            found
                .into_iter()
                .map(|(id, one)| (id.to_owned(), one["curve"][0][0].as_u64()))
                .collect::<Vec<_>>()
        };
        let one = |id: &str, at| vec![(id.to_owned(), Some(at))];
        assert_eq!(of(path("deployment-1", None, None)), one("/web", 1));
        assert_eq!(of(path("deployment-2", Some("step-1"), Some("Restart /shop/db"))), one("/shop/db", 2));
        assert_eq!(of(path("apps", Some("shop"), Some("db"))), one("/shop/db", 2));
        assert_eq!(of(path("apps", Some("(no group)"), Some("web"))), one("/web", 3), "the newest one");
        assert_eq!(of(path("apps", None, None)), []);
        let working: Vec<_> = at_work(&more).into_iter().map(|(id, _)| id).collect();
        assert_eq!(working, ["/shop/db", "/web"]);
    }
}
