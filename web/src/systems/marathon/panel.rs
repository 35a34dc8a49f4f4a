//! Counts of every app, and how rolling restarts go.
//!
//! *Knows*: what stands beside plans and pods in Marathon's view. *Must not know*: any rule of it.

use super::curve::curve;
use crate::store::ptr::Ptr;
use crate::ui::icon;
use planarium_protocol::view::ServiceView;
use serde_json::Value;
use yew::prelude::*;

/// Maximum of apps listed at once; those that a deployment works on come first.
const LISTED: usize = 60;

/// The panel of a service; none as long as there is no app.
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
    deployments
        .iter()
        .rev()
        .find_map(|(name, deployment)| Some((name.as_str(), deployment.get("restarts")?.get(app)?)))
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
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
                    { curve(id, restart) }
                </details>
            }
        </li>
    }
}
