//! A scenario, decoded.

use planarium_protocol::input::{AddAgent, Input, LoadService, ProcessBehaviour};
use planarium_world::{Condition, Genesis};

/// A scripted run: an initial world, inputs, expectations.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Title for people.
    pub title: String,
    /// Seed and epoch.
    pub genesis: Genesis,
    /// Machines to start with.
    pub cluster: Vec<AddAgent>,
    /// Services to install, in order.
    pub services: Vec<LoadService>,
    /// Behaviour rules, applied before the services.
    pub processes: Vec<ProcessBehaviour>,
    /// The scripted entries, in order.
    pub script: Vec<Entry>,
    /// End of the run; if absent, when the script is done and the world idle.
    pub until: Option<Condition>,
    /// Maximum virtual time of a run. *Units*: milliseconds.
    pub limit_ms: u64,
    /// Condition for a learner to reach.
    pub goal: Option<Condition>,
    /// A hint for the learner.
    pub hint: String,
    /// Inputs that solve it.
    pub solution: Vec<Input>,
}

/// One line of the script.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its trigger, evaluated once the previous entry is done.
    pub trigger: Trigger,
    /// Its actions, in this order: say, do, expect, show.
    pub actions: Vec<Action>,
    /// The status with which its inputs must be refused; `None` if they must be accepted.
    pub refused: Option<u64>,
    /// Line in the scenario file.
    pub line: u32,
    /// Column in the scenario file.
    pub column: u32,
}

/// Triggers of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// An instant. *Units*: milliseconds since genesis.
    At(u64),
    /// A condition.
    When(Condition),
    /// A delay after the previous entry. *Units*: milliseconds.
    Then(u64),
}

/// One thing an entry does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Narration.
    Say(String),
    /// An input.
    Do(Box<Input>),
    /// Conditions that must hold, and their source text.
    Expect(Condition, String),
    /// Output for the transcript.
    Show(Show),
}

/// The output format.
#[derive(Clone, Debug, PartialEq)]
pub enum Show {
    /// All plans.
    All,
    /// One plan: `PLAN` or `SERVICE/PLAN`.
    Plan(String),
    /// The machines.
    Cluster,
    /// An explanation of an element: `PLAN[/PHASE[/STEP]]`, optionally with the service in front.
    Why(String),
}

impl Scenario {
    /// Creates a run that installs one definition and waits for its `deploy` plan.
    pub fn of_definition(service: LoadService, cluster: Vec<AddAgent>, genesis: Genesis) -> Self {
        let services = vec![service];
        let genesis = Genesis { mesos: needs_mesos(&services, &[]), ..genesis };
        Self {
            title: String::new(),
            genesis,
            cluster,
            services,
            processes: Vec::new(),
            script: Vec::new(),
            until: None,
            limit_ms: DEFAULT_LIMIT_MS,
            goal: None,
            hint: String::new(),
            solution: Vec::new(),
        }
    }

    /// Returns the set-up inputs, in order: machines, behaviour rules, services.
    pub fn set_up(&self) -> Vec<Input> {
        let machines = self.cluster.iter().cloned().map(Input::AddAgent);
        let rules = self.processes.iter().cloned().map(Input::ProcessBehaviour);
        let services = self.services.iter().cloned().map(Input::LoadService);
        machines.chain(rules).chain(services).collect()
    }
}

/// Returns whether a world with these services and this script has a Mesos master from the beginning.
pub(crate) fn needs_mesos(services: &[LoadService], script: &[Entry]) -> bool {
    let services: Vec<Input> = services.iter().cloned().map(Input::LoadService).collect();
    let scripted = script.iter().flat_map(|entry| &entry.actions).filter_map(|action| match action {
        Action::Do(input) => Some(&**input),
        Action::Say(_) | Action::Expect(..) | Action::Show(_) => None,
    });
    planarium_world::needs_mesos(services.iter().chain(scripted))
}

/// Default maximum of a run's virtual time: two hours.
pub const DEFAULT_LIMIT_MS: u64 = 7_200_000;
