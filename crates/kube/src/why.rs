//! Why something is not ready yet.

use planarium_kernel::SimTime;
use planarium_protocol::Text;

/// A reason, the most immediate first where there are several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// What is in the way.
    pub kind: WhyKind,
    /// `kind/name` of the object that it is about: `pod/web-5d9c7-x2x4q`, `node/agent-3`.
    pub about: Text,
    /// One sentence for people.
    pub text: String,
    /// Until when at the latest, or when it is looked at again, where that is known.
    pub until: Option<SimTime>,
    /// The event this goes back to.
    pub event: Option<u64>,
}

/// The kinds of reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyKind {
    /// A controller has not looked at it yet.
    NotObserved,
    /// No node takes the pod; the text is the scheduler's own.
    Unschedulable,
    /// The image is being fetched.
    PullingImage,
    /// The image cannot be fetched.
    ImagePull,
    /// An init container has not ended.
    Init,
    /// A container is on its way up.
    Starting,
    /// A container ended and is started again after a delay.
    CrashLoop,
    /// A container could not be made.
    ContainerError,
    /// A readiness or startup probe has not passed.
    NotReady,
    /// A container runs that the work waits for to end.
    Running,
    /// Another pod of the set goes first.
    Ordinal,
    /// A claim is not bound.
    Claim,
    /// A volume's source is not there: a ConfigMap, Secret or claim.
    MissingVolume,
    /// The node does not answer.
    NodeNotReady,
    /// The pod is being deleted.
    Terminating,
    /// Pods are being replaced.
    RollingOut,
    /// A rollout is held.
    Paused,
    /// The deadline for progress has passed.
    ProgressDeadline,
    /// The update strategy waits for somebody to delete pods.
    OnDelete,
    /// It has failed for good.
    Failed,
    /// A disruption budget allows no eviction.
    DisruptionBudget,
    /// The pod could not be created.
    CreateFailed,
    /// A finalizer holds the object.
    Finalizer,
    /// Dependants hold the object.
    Dependants,
    /// A process waits for somebody to say what happens, or makes no progress.
    Held,
}
