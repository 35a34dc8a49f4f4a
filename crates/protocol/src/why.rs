//! Typed reasons why an element is not finished, and what would change that.

use crate::Text;
use crate::event::ElementPath;
use crate::input::Input;
use crate::json::Read;
use serde::{Deserialize, Serialize};

/// The answer to "why is it not moving?".
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Why {
    /// Which element.
    pub path: ElementPath,
    /// Its displayed status.
    pub status: Text,
    /// One sentence.
    pub sentence: String,
    /// The chain, most immediate reason first. Never empty for an unfinished element.
    pub reasons: Vec<Reason>,
    /// Actions that would unblock it.
    pub unblock: Vec<Unblock>,
}

/// Why a machine is in the state that it is in, and what its schedule has to do with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct MachineWhy {
    /// Host name.
    pub agent: Text,
    /// Mesos agent id; empty if no agent of the machine ever registered.
    pub agent_id: Text,
    /// Its state, in the word of the view.
    pub state: Text,
    /// One sentence.
    pub sentence: String,
    /// Causes, most immediate first.
    pub reasons: Vec<String>,
    /// Actions that would change it.
    pub unblock: Vec<Unblock>,
}

/// Something that would unblock the element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Unblock {
    /// Button text.
    pub title: String,
    /// The input that does it, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
}

/// Effects of a proposal on an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "kebab-case")]
pub enum Helps {
    /// The element gets further than without.
    Moves,
    /// It does so together with this one, which comes after it.
    Then(String),
    /// The element is given up, and nothing of its service is left unfinished.
    Settles,
    /// The element ends, and may be recreated.
    Ends,
    /// It is for a person to do outside the world.
    Advice,
}

/// A proposal that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
pub struct Way {
    /// Words and input.
    pub unblock: Unblock,
    /// Its effect.
    pub helps: Helps,
}

/// One link of the chain: typed data and its words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// For people.
    pub text: String,
    /// The event this goes back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// The data.
    #[serde(flatten)]
    pub kind: ReasonKind,
}

/// An element with its status.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ElementRef {
    /// Which.
    pub path: ElementPath,
    /// Its displayed status.
    pub status: Text,
}

/// The kinds of reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum ReasonKind {
    /// Finished: nothing to explain.
    Complete,
    /// Its parent's strategy has others first.
    NotItsTurn {
        /// The strategy's reported name.
        strategy: Text,
        /// Elements that go first.
        waiting_for: Vec<ElementRef>,
    },
    /// An operator holds this element or a parent.
    Interrupted {
        /// The element held.
        held: ElementPath,
    },
    /// A custom plan that was not started.
    NotStarted,
    /// A canary strategy waits for the operator.
    CanaryGate {
        /// Number of `continue`s still needed.
        proceeds_left: u32,
    },
    /// Another plan's running step works on the same pod.
    DirtyAsset {
        /// Pod instance.
        pod: Text,
        /// The holder.
        held_by: ElementRef,
    },
    /// A launch delay after failures.
    Backoff {
        /// Task name.
        task: Text,
        /// Until when.
        until_ms: u64,
        /// Size of the delay.
        delay_ms: u64,
    },
    /// Old tasks must end first.
    Killing {
        /// Task names.
        tasks: Vec<Text>,
        /// The step that ends them, if it belongs to another plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<ElementRef>,
    },
    /// A step of another plan had its task ended.
    Ended {
        /// Task name.
        task: Text,
        /// That step.
        by: ElementRef,
    },
    /// Offers were looked at and none fitted.
    NoMatchingOffer {
        /// Results of the last evaluation of each machine's offer.
        funnel: OfferFunnel,
    },
    /// No offer has come.
    NoOffers {
        /// Why none comes, if known.
        text: Text,
    },
    /// The scheduler handles it in its next cycle.
    NextCycle {
        /// When, at the latest.
        at_ms: u64,
    },
    /// The task is starting.
    Starting {
        /// Task name.
        task: Text,
        /// Hostname.
        agent: Text,
        /// Mesos state.
        state: Text,
    },
    /// The readiness check has not passed.
    Readiness {
        /// Task name.
        task: Text,
        /// Number of checks so far.
        attempts: u32,
        /// Last exit code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_exit: Option<i32>,
        /// Next check.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_ms: Option<u64>,
    },
    /// The goal is an exit with code 0.
    AwaitingExit {
        /// Task name.
        task: Text,
        /// `FINISH` or `ONCE`.
        goal: Text,
    },
    /// The element carries errors.
    Errored {
        /// The texts.
        errors: Vec<Text>,
    },
    /// A child is what holds it; see there.
    Child {
        /// Which.
        child: ElementRef,
    },
    /// A roll-up oddity of the real system.
    Quirk {
        /// Description.
        text: Text,
    },
    /// The machine that it needs is away for maintenance, or makes no offers by the operator's will.
    Maintenance {
        /// Hostname.
        agent: Text,
        /// `down`, `draining`, `drained` or `deactivated`.
        state: Text,
    },
    /// A person has to say whether it passes or fails.
    Verdict {
        /// The question; may be empty.
        prompt: Text,
    },
    /// It is being worked on.
    Underway {
        /// The work in progress.
        what: Text,
        /// When it ends, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until_ms: Option<u64>,
    },
    /// Processes are on manual: the user has to say what happens.
    Manual {
        /// Task name.
        task: Text,
    },
    /// A machine would fit without the allocations of others.
    HeldByOthers {
        /// Hostname.
        machine: Text,
        /// `cpus`, `mem`, `disk` or `gpus`.
        requirement: Text,
        /// The others.
        held: HeldByOthers,
    },
    /// An object of the cluster is not as it has to be.
    Object {
        /// Kind and name: `statefulset/web`.
        object: Text,
        /// The obstacle in one word.
        state: Text,
    },
}

/// Results of the offers that were evaluated for a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct OfferFunnel {
    /// When they were last looked at.
    pub at_ms: u64,
    /// Per requirement in evaluation order: the number of machines that passed it.
    pub stages: Vec<FunnelStage>,
    /// Per machine.
    pub agents: Vec<AgentOutcome>,
    /// Nearest miss, e.g. `agent-2 is short by 0.5 cpus`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
}

/// One requirement over all machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FunnelStage {
    /// `placement`, `cpus`, `mem`, `disk`, `ports`, `volume`, `reservation`, ...
    pub requirement: Text,
    /// Machines that met it.
    pub passed: u32,
    /// Machines that did not.
    pub failed: u32,
}

/// One machine's offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct AgentOutcome {
    /// Hostname.
    pub agent: Text,
    /// Set if all requirements were met.
    pub passed: bool,
    /// Per requirement.
    pub outcomes: Vec<RequirementOutcome>,
}

/// One requirement on one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct RequirementOutcome {
    /// As in [`FunnelStage::requirement`].
    pub requirement: Text,
    /// Met or not.
    pub passed: bool,
    /// E.g. `needs 2 cpus, 1.5 offered`.
    pub text: String,
    /// The holders of the machine's resources, if the requirement fails because of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldByOthers>,
}

impl RequirementOutcome {
    /// The text, and the names of those who hold the rest.
    pub fn in_words(&self) -> String {
        match &self.held {
            Some(held) => format!("{}; {}", self.text, held.in_words()),
            None => self.text.clone(),
        }
    }
}

/// The part of a machine that others hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct HeldByOthers {
    /// The total amount that they hold. *Units*: of the requirement.
    pub amount: Text,
    /// The largest holders, the largest first.
    pub holders: Vec<Holder>,
    /// Number of further ones.
    pub more: u32,
}

/// A holder of a machine's resources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Holder {
    /// The part that it belongs to: `Mesos`, `Kubernetes`, `Skopos`.
    pub owner: Text,
    /// The kind of thing in the words of that part: `task`, `executor`, `reservation`, `pod`, `container`.
    pub kind: Text,
    /// Its name; the role of a reservation.
    pub name: Text,
    /// The service that it belongs to; empty where there is none.
    pub service: Text,
    /// The amount that it holds. *Units*: of the requirement.
    pub amount: Text,
}

impl Holder {
    /// The holder by its name: `Mesos task web-0`, `pod web-0`.
    pub fn in_words(&self) -> String {
        match &*self.kind {
            "pod" => format!("pod {}", self.name),
            "reservation" => format!("{} reservation for {}", self.owner, self.name),
            kind => format!("{} {kind} {}", self.owner, self.name),
        }
    }
}

impl HeldByOthers {
    /// The amount and the names: `4096 held by pod web-0, 2 more`.
    pub fn in_words(&self) -> String {
        format!("{} held by {}", self.amount, self.names())
    }

    /// A sentence about a machine: `memory of m1 is held by Mesos task web-0, 2 more`.
    pub fn sentence(&self, requirement: &str, machine: &str) -> String {
        format!("{requirement} of {machine} is held by {}", self.names())
    }

    /// The names: `pod web-0, 2 more`.
    pub fn names(&self) -> String {
        let mut names: Vec<String> = self.holders.iter().map(Holder::in_words).collect();
        if self.more > 0 {
            names.push(format!("{} more", self.more));
        }
        names.join(", ")
    }
}
