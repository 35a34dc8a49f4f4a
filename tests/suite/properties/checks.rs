//! Checks that hold in every world, after any inputs.

use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::View;
use planarium_tests::same::difference;
use planarium_world::Engine;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Everything but the clock.
pub(crate) fn shown(engine: &Engine) -> Value {
    let view = engine.view();
    json!({ "services": view.services, "cluster": view.cluster, "faults": view.faults })
}

/// An input as written.
pub(crate) fn read(input: &Value) -> Input {
    serde_json::from_value(input.clone()).expect("an input")
}

/// Both stand at the same place and show the same.
pub(crate) fn assert_same(left: &Engine, right: &Engine) -> Result<(), TestCaseError> {
    prop_assert_eq!(left.seq(), right.seq());
    prop_assert_eq!(left.now_ms(), right.now_ms());
    prop_assert_eq!(left.digest(), right.digest());
    prop_assert_eq!(left.inputs(), right.inputs());
    prop_assert_eq!(difference(&shown(left), &shown(right)), None);
    Ok(())
}

/// Puts the same inputs into two engines alike, one of which gets from one to the next in many pieces: nothing shows it.
pub(crate) fn cut_alike(
    [mut whole, mut cut]: [Engine; 2],
    inputs: &[(u64, Value)],
    cuts: &[u64],
) -> Result<(), TestCaseError> {
    let mut at = 0;
    let mut cuts = cuts.iter().cycle();
    for (gap, input) in inputs {
        at += gap;
        whole.advance_to(at);
        while cut.now_ms() < at {
            let step = *cuts.next().expect("a cycle");
            cut.advance_to((cut.now_ms() + step).min(at));
        }
        prop_assert_eq!(cut.digest(), whole.digest(), "at {} ms", at);
        whole.apply(read(input));
        cut.apply(read(input));
    }
    assert_same(&cut, &whole)
}

/// Returns the first broken check of a world.
pub(crate) fn wrong(engine: &Engine) -> Option<String> {
    let view = engine.view();
    over_allocated(&view).or_else(|| unexplained(engine, &view)).or_else(|| broken(engine))
}

fn over_allocated(view: &View) -> Option<String> {
    view.cluster.machines.iter().find_map(|machine| {
        machine.resources.iter().find_map(|resource| {
            let sane = resource.used >= 0
                && resource.reserved >= 0
                && resource.used + resource.reserved <= resource.total;
            (!sane).then(|| format!("{}: {resource:?}", machine.hostname))
        })
    })
}

fn unexplained(engine: &Engine, view: &View) -> Option<String> {
    for service in &view.services {
        for plan in &service.plans {
            let mut elements = vec![(plan.status.clone(), None, None)];
            for phase in &plan.phases {
                elements.push((phase.status.clone(), Some(phase.name.clone()), None));
                elements.extend(
                    phase.steps.iter().map(|step| {
                        (step.status.clone(), Some(phase.name.clone()), Some(step.key().clone()))
                    }),
                );
            }
            for (status, phase, step) in elements {
                let path = ElementPath {
                    dialect: "".into(),
                    service: service.name.clone(),
                    plan: plan.name.clone(),
                    phase,
                    step,
                };
                let Some(why) = engine.why(&path) else { return Some(format!("no answer for {path:?}")) };
                if &*status != "COMPLETE" && (why.reasons.is_empty() || why.sentence.is_empty()) {
                    return Some(format!("{path:?} is {status} without a reason"));
                }
                if why.status != status {
                    return Some(format!("{path:?} is {status}, its explanation says {}", why.status));
                }
            }
        }
    }
    None
}

/// Shown nodes by revision, on one branch.
#[derive(Default)]
pub(crate) struct Revisions {
    branch: Option<u32>,
    seen: BTreeMap<(String, u64), Value>,
}

impl Revisions {
    /// Records the view; returns a node that differs at a revision it had before.
    pub(crate) fn note(&mut self, engine: &Engine) -> Option<String> {
        let branch = engine.branches().iter().find(|branch| branch.current).map(|branch| branch.id);
        if self.branch != branch {
            *self = Self { branch, ..Self::default() };
        }
        let view = engine.view();
        let mut nodes: Vec<(String, u64, Value)> = Vec::new();
        for service in &view.services {
            for plan in &service.plans {
                let path = format!("{}/{}", service.name, plan.name);
                nodes.push((path.clone(), plan.revision, shown_json(&**plan)));
                for phase in &plan.phases {
                    nodes.push((format!("{path}/{}", phase.id), phase.revision, shown_json(&**phase)));
                    for step in &phase.steps {
                        nodes.push((format!("{path}/{}", step.id), step.revision, shown_json(&**step)));
                    }
                }
            }
            nodes.push((service.name.to_string(), service.revision, shown_json(&**service)));
        }
        for machine in &view.cluster.machines {
            nodes.push((machine.agent_id.to_string(), machine.revision, shown_json(&**machine)));
        }
        nodes.into_iter().find_map(|(path, revision, value)| {
            let known = self.seen.entry((path.clone(), revision)).or_insert_with(|| value.clone());
            difference(known, &value).map(|what| format!("{path} at revision {revision}: {what}"))
        })
    }
}

fn shown_json(node: impl serde::Serialize) -> Value {
    serde_json::to_value(node).unwrap_or_default()
}

/// The engine reports a broken invariant as an event.
fn broken(engine: &Engine) -> Option<String> {
    let event = engine
        .events()
        .iter()
        .rev()
        .take(200)
        .find(|event| matches!(event.body, planarium_protocol::EventBody::InvariantBroken { .. }));
    event.map(|event| format!("{:?}", event.body))
}

pub(crate) fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(cases),
        max_shrink_iters: 400,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    }
}
