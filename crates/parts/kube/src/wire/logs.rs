//! Simulated output of containers: their start and their end.

use crate::{
    error::{ApiError, Reason},
    kube::Kube,
    object::Object,
    spec::Spec,
    status::{State, Status},
};

/// The log of a container of a pod. *Errors*: 400 for a container that is not there, or has not been started.
pub(super) fn log(
    kube: &Kube,
    pod: &Object,
    container: Option<&str>,
    previous: bool,
) -> Result<String, ApiError> {
    let (Spec::Pod(spec, _), Status::Pod(status)) = (&pod.spec, &pod.status) else {
        return Err(super::nothing_there());
    };
    let bad = |text: String| ApiError::new(Reason::BadRequest, text);
    let names: Vec<&str> = spec.main().iter().map(|one| &*one.name).collect();
    let name = match (container, names.as_slice()) {
        (Some(name), _) => name,
        (None, [one]) => one,
        (None, _) => {
            let text = format!(
                "a container name must be specified for pod {}, choose one of: [{}]",
                pod.name,
                names.join(" ")
            );
            return Err(bad(text));
        }
    };
    let Some(at) = spec.containers.iter().position(|one| *one.name == *name) else {
        return Err(bad(format!("container {name} is not valid for pod {}", pod.name)));
    };
    let waiting = || {
        let reason = status.containers.get(at).map_or("ContainerCreating", |one| match &one.state {
            State::Waiting { reason, .. } => reason,
            _ => "ContainerCreating",
        });
        bad(format!("container {name:?} in pod {:?} is waiting to start: {reason}", pod.name))
    };
    let Some(own) = status.containers.get(at) else { return Err(waiting()) };
    let last = own.last.as_ref();
    let epoch = kube.api().epoch;
    let command = spec.containers.get(at).map_or("", |one| &one.script);
    let ended = |ended: &crate::status::Ended| {
        format!(
            "{} started: {command}\n{} ended with exit code {} ({})\n",
            epoch.text(ended.started),
            epoch.text(ended.finished),
            ended.code,
            ended.reason
        )
    };
    match (&own.state, previous) {
        (_, true) => {
            let text =
                || bad(format!("previous terminated container {name:?} in pod {:?} not found", pod.name));
            last.map(ended).ok_or_else(text)
        }
        (State::Running { since }, _) => Ok(format!("{} started: {command}\n", epoch.text(*since))),
        (State::Terminated(one), _) => Ok(ended(one)),
        (State::Waiting { .. }, _) => last.map(ended).ok_or_else(waiting),
    }
}
