//! One line for each step: the reason for its status, and its instance.
//!
//! *Knows*: the run. *Must not know*: machines, ways out ([`super::why`]).

use crate::instances::Instances;
use crate::plan::{ChainKind, Class, StepId};
use crate::run::{Awaited, Frame, Leaf, Mode, Run, Shown, Work};
use planarium_protocol::Text;

/// Describes in one line why a step has its status.
pub(crate) fn brief(run: &Run, id: StepId) -> String {
    let (Some(step), Some(own)) = (run.plan.step(id), run.step(id)) else { return String::new() };
    match own.shown {
        Shown::Passed => ended(run, id).unwrap_or_default(),
        Shown::Failed => match (&own.note, ended(run, id)) {
            (Some(note), _) => note.to_string(),
            (None, Some(ended)) => ended,
            (None, None) => "failed".to_owned(),
        },
        Shown::Skipped => "its chain ended without it".to_owned(),
        Shown::Waiting => match &step.class {
            Class::Gate { message } if !message.is_empty() => format!("pass or fail? {message}"),
            _ => "waits for pass or fail".to_owned(),
        },
        Shown::Paused => {
            let reason = run.hold.map_or("", |hold| hold.reason.words());
            format!("the plan is held before it: {reason}")
        }
        Shown::Running => match run.work.leaf().filter(|leaf| leaf.step == id) {
            Some(leaf) => match iteration(run, id) {
                Some(iteration) => format!("{iteration}: {}", doing(leaf)),
                None => doing(leaf),
            },
            None => match &step.class {
                Class::Loop { .. } => going_through(run, id),
                _ => "a step in it is being carried out".to_owned(),
            },
        },
        Shown::Pending if run.mode == Mode::Ready => "the plan has not been started".to_owned(),
        Shown::Pending if step.cleanup => "carried out only when something fails".to_owned(),
        Shown::Pending => "waits for its turn".to_owned(),
    }
}

/// Which instance a step of a loop is at work on: `instance 1, 2 of 3`.
fn iteration(run: &Run, id: StepId) -> Option<String> {
    let chain = run.plan.chain(run.plan.step(id)?.chain)?;
    let owner = chain.owner.filter(|_| chain.kind == ChainKind::Loop)?;
    Some(going_through(run, owner))
}

/// Words the progress of an ended loop.
fn ended(run: &Run, id: StepId) -> Option<String> {
    let run = run.loops.get(&id)?;
    let failed = run.iterations.iter().find(|one| one.result == Some(false));
    let ended = run.iterations.len();
    Some(match failed {
        Some(one) => format!("failed at instance {}, {ended} of {}", one.index, run.planned),
        None if run.planned == 0 => "there was no instance".to_owned(),
        None => format!("{ended} of {} instances", run.planned),
    })
}

fn going_through(run: &Run, id: StepId) -> String {
    let frame = run.stack.iter().find_map(|frame| match frame {
        Frame::Loop { step, indices, k } if *step == id => Some((indices.at(*k), *k, indices.len())),
        _ => None,
    });
    match frame {
        Some((index, k, len)) => format!("instance {index}, {} of {len}", k.saturating_add(1)),
        None => "going through instances".to_owned(),
    }
}

/// The instance that a step is working on.
pub(crate) fn instance_at_work(run: &Run, instances: &Instances, id: StepId) -> Option<Text> {
    let leaf = run.work.leaf().filter(|leaf| leaf.step == id)?;
    match &leaf.work {
        Work::Launch(launch) => match &launch.new {
            Some((_, id)) => Some(id.clone()),
            None => instances.get(launch.slot).map(|instance| instance.id.clone()),
        },
        Work::Await(waiting) if waiting.what == Awaited::All => None,
        Work::Await(waiting) => Some(waiting.instance.clone()),
        Work::Delay | Work::Gate | Work::Timed(_) => None,
    }
}

/// Words the work of a leaf.
fn doing(leaf: &Leaf) -> String {
    let until = leaf.until.map(|until| format!(", until {until}")).unwrap_or_default();
    match &leaf.work {
        Work::Delay => format!("lets time pass{until}"),
        Work::Gate => "waits for pass or fail".to_owned(),
        Work::Timed(_) => format!("its call takes its time{until}"),
        Work::Launch(launch) => match &launch.new {
            Some((_, id)) => format!("{id} is starting on {}", launch.host),
            None => format!("the instance is starting on {}", launch.host),
        },
        Work::Await(waiting) => waiting.words(),
    }
}
