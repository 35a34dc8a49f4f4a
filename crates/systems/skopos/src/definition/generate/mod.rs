//! Generates plans from a model and the running instances.
//!
//! *Knows*: dependencies of components, the work for each, the steps for it. *Must not know*: how plans are read or
//! run. Its result is ordinary YAML.
//!
//! **Source**: Skopos 0.8 and later generates plans; its published behaviour (order by dependencies, cleanup that restores
//! the previous state, quality gates as steps, teardown, nothing to do) is followed, and so are the ids and attributes of
//! the fragment in the Skopos Deployment Plan Reference. The algorithm is ours.

mod component;
mod order;
mod steps;
mod yaml;

use crate::definition::env::Env;
use crate::definition::model::{Model, tag};
use planarium_protocol::Text;
use planarium_source::Span;

pub(crate) use order::order;
use steps::Writer;
use yaml::flow;

/// Running instances of a component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Running {
    pub(crate) component: Text,
    /// Images of running instances in the old group.
    pub(crate) old: Vec<Text>,
    /// Images of running instances in the new group.
    pub(crate) same: Vec<Text>,
}

/// A plan that was made.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) text: String,
    /// Ids of steps that come from lifecycle steps, each with its position.
    pub(crate) places: Vec<(String, Span)>,
}

/// Kinds of work on a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing.
    None,
    /// Remove all of its instances.
    Remove,
    /// Its one instance is replaced, never two at once.
    Singleton,
    /// Old instances are replaced by new ones.
    Upgrade,
    /// Instances are added.
    Create,
    /// Instances are taken away.
    Shrink,
}

/// A component with what has to be done for it.
struct Task<'a> {
    name: &'a str,
    kind: Kind,
    replicas: u64,
    old: u64,
    same: u64,
    image: Option<&'a str>,
    old_vers: Vec<&'a str>,
}

/// Returns the text of the plan from the running instances to the model; `None` if there is nothing to do. With `pairwise`
/// every old instance leaves its balancers as soon as its replacement is in service.
///
/// *Errors*: the components with circular dependencies.
pub(crate) fn generate(
    model: &Model,
    env: &Env,
    running: &[Running],
    teardown: bool,
    pairwise: bool,
) -> Result<Option<Made>, Vec<Text>> {
    let mut names = order(model)?;
    for run in running.iter().filter(|run| model.component(&run.component).is_none()) {
        names.push(&run.component);
    }
    if teardown {
        names.reverse();
    }
    let tasks: Vec<Task<'_>> = names.into_iter().map(|name| task(model, running, name, teardown)).collect();
    if tasks.iter().all(|task| task.kind == Kind::None) {
        return Ok(None);
    }
    let mut writer = Writer::new(model, env, pairwise, tasks.iter().map(|task| task.name));
    let mut steps = Vec::new();
    let grows = |task: &&Task<'_>| matches!(task.kind, Kind::Create | Kind::Upgrade | Kind::Singleton);
    if !teardown && tasks.iter().any(|task| grows(&task)) {
        let images = tasks.iter().filter(grows).filter_map(|task| task.image);
        steps.extend(writer.preflight(images));
    }
    for task in tasks.iter().filter(|task| task.kind != Kind::None) {
        steps.push(writer.component(task));
    }
    let (id, prefix, hooks) = if teardown {
        ("post-teardown", "post", &model.lifecycle.post_teardown)
    } else {
        ("postflight", "post", &model.lifecycle.post_flight)
    };
    steps.extend(writer.group(id, prefix, hooks));
    let head =
        format!("doctype: '{}'\nversion: 'alpha/1'\n\nsteps:\n", crate::definition::decode::PLAN_DOCTYPE);
    Ok(Some(Made { text: head + &yaml::steps(&steps), places: writer.places }))
}

fn task<'a>(model: &'a Model, running: &'a [Running], name: &'a str, teardown: bool) -> Task<'a> {
    let component = model.component(name);
    let run = running.iter().find(|run| &*run.component == name);
    let (old, same) = run.map_or((&[][..], &[][..]), |run| (run.old.as_slice(), run.same.as_slice()));
    let replicas = if teardown { 0 } else { component.map_or(0, |component| component.replicas) };
    let (olds, sames) = (old.len() as u64, same.len() as u64);
    let singleton = component.is_some_and(|component| component.singleton);
    let kind = match (replicas, olds, sames) {
        (0, 0, 0) => Kind::None,
        (0, ..) => Kind::Remove,
        (_, 0, _) if sames == replicas => Kind::None,
        (_, 1, 0) if singleton => Kind::Singleton,
        (_, 1.., _) => Kind::Upgrade,
        _ if sames < replicas => Kind::Create,
        _ => Kind::Shrink,
    };
    let gone: Vec<&str> = match kind {
        Kind::Remove => old.iter().chain(same).map(|image| tag(image)).collect(),
        Kind::Shrink => same.iter().map(|image| tag(image)).collect(),
        _ => old.iter().map(|image| tag(image)).collect(),
    };
    let mut old_vers = gone;
    planarium_kernel::sorted::sort(&mut old_vers);
    old_vers.dedup();
    let image = component.and_then(|component| component.image.as_deref());
    Task { name, kind, replicas, old: olds, same: sames, image, old_vers }
}
