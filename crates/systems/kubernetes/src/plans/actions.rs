//! Commands on workloads, and the words in which `kubectl` refuses them.
//!
//! **Source**: `kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/{objectpauser,objectresumer,
//! objectrestarter,rollback}.go`. Match.

use planarium_kube::KindId;
use planarium_protocol::Text;
use planarium_protocol::input::PlanOp;
use planarium_protocol::view::ActionView;
use serde_json::Value;

use super::member::Member;

/// `deployments.apps`, as messages name a kind.
fn plural_of(member: &Member) -> String {
    let info = member.object.as_ref().map(|object| object.info().qualified_plural());
    info.unwrap_or_else(|| member.word.to_string())
}

fn flag(member: &Member, key: &str) -> bool {
    let content = member.object.as_ref().map(|object| object.content());
    let value = content.and_then(|content| content.pointer(&format!("/spec/{key}")));
    value.and_then(Value::as_bool).unwrap_or(false)
}

/// Returns why a command on a workload is refused; `None` if it is allowed.
pub(crate) fn refusal(member: &Member, op: PlanOp) -> Option<Text> {
    let Some(object) = &member.object else {
        return Some(format!("{} {:?} not found", plural_of(member), &*member.name).into());
    };
    let named = |text: &str| Some(Text::from(format!("{} {:?} {text}", plural_of(member), &*member.name)));
    let (kind, name) = (object.kind, &member.name);
    let paused = kind == KindId::DEPLOYMENT && flag(member, "paused");
    let suspended = kind == KindId::CRON_JOB && flag(member, "suspend");
    match (op, kind) {
        (PlanOp::Interrupt, KindId::DEPLOYMENT) => if paused { named("is already paused") } else { None },
        (PlanOp::Interrupt, KindId::CRON_JOB) => if suspended { named("is suspended already") } else { None },
        (PlanOp::Interrupt, _) => named("pausing is not supported"),
        (PlanOp::Continue, KindId::DEPLOYMENT) => if paused { None } else { named("is not paused") },
        (PlanOp::Continue, KindId::CRON_JOB) => if suspended { None } else { named("is not suspended") },
        (PlanOp::Continue, _) => named("resuming is not supported"),
        (PlanOp::Restart, KindId::DEPLOYMENT) if paused => {
            named("can't restart paused deployment (run rollout resume first)")
        }
        (PlanOp::Start, _)
        | (PlanOp::Restart, KindId::DEPLOYMENT | KindId::STATEFUL_SET | KindId::DAEMON_SET) => None,
        (PlanOp::Restart, _) => named("restarting is not supported"),
        (PlanOp::Stop, KindId::DEPLOYMENT) => match member.makers(KindId::REPLICA_SET).count() {
            0 | 1 => Some(format!("no rollout history found for deployment {:?}", &**name).into()),
            _ if paused => Some(
                format!(
                    "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume deployment/{name}' and try \
                     again"
                )
                .into(),
            ),
            _ => None,
        },
        (PlanOp::Stop, KindId::STATEFUL_SET | KindId::DAEMON_SET) => {
            match member.makers(KindId::CONTROLLER_REVISION).count() {
                0 | 1 => Some("no last revision to roll back to".into()),
                _ => None,
            }
        }
        (PlanOp::Stop, _) => {
            let kind = object.info().qualified_kind();
            Some(format!("no rollbacker has been implemented for {kind:?}").into())
        }
        (PlanOp::ForceComplete, _) => Some("Kubernetes has no such command: it goes by what is there".into()),
    }
}

/// The actions on a workload.
pub(super) fn actions(member: &Member) -> Vec<ActionView> {
    let Some(kind) = member.object.as_ref().map(|object| object.kind) else { return Vec::new() };
    let action = |title: &str, op: PlanOp, consequence: &str| {
        ActionView::of_plan(title, op).doing(consequence).unless(refusal(member, op))
    };
    let restart =
        || action("Restart rollout", PlanOp::Restart, "Every pod is replaced by one of the same template.");
    let undo = || {
        action(
            "Undo rollout",
            PlanOp::Stop,
            "The template of the revision before comes back, as a new revision.",
        )
    };
    let scale = || {
        let does = "Give replicas=N, or image=NAME (image.CONTAINER=NAME of several).";
        action("Scale or set image", PlanOp::Start, does).asking()
    };
    match kind {
        KindId::DEPLOYMENT => vec![
            action(
                "Pause rollout",
                PlanOp::Interrupt,
                "A change of the template waits until the rollout is resumed.",
            ),
            action("Resume rollout", PlanOp::Continue, "The latest template is rolled out."),
            restart(),
            undo(),
            scale(),
        ],
        KindId::STATEFUL_SET => vec![restart(), undo(), scale()],
        KindId::DAEMON_SET => vec![restart(), undo()],
        KindId::REPLICA_SET => vec![scale()],
        KindId::CRON_JOB => vec![
            action("Suspend", PlanOp::Interrupt, "No run begins; one that is under way goes on."),
            action("Resume", PlanOp::Continue, "Runs begin by the clock again."),
        ],
        _ => Vec::new(),
    }
}
