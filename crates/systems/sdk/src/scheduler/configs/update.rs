//! The target configuration: which definition a start of the scheduler goes for, and which stored tasks are
//! there already.
//!
//! *Knows*: the checks, the comparison with the target before, the clean-up of configuration ids.
//! *Must not know*: plans.
//!
//! A definition that a check refuses does not become the target: the one before stays, plans are made from
//! it, and the deploy plan carries the errors. Without a target before, or when an error is fatal, the
//! scheduler does not start.
//!
//! **Source**: `dcos-commons: …/config/DefaultConfigurationUpdater.java`. Match.

use super::{Config, Configs};
use crate::load::Loaded;
use crate::programs::Program;
use crate::scheduler::service::Service;
use crate::scheduler::state::{Place, PodKey, TaskStore};
use crate::spec::ServiceSpec;
use crate::target_changes;
use crate::validate::{ConfigError, Facts, account, finding, validate};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Refusal;
use planarium_protocol::Text;
use planarium_protocol::refusal::RefusalCode;
use planarium_source::Diagnostic;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The previous process, as seen by the checks of a definition.
#[derive(Clone, Copy)]
pub(crate) struct Predecessor<'a> {
    /// Its target.
    pub(crate) target: &'a Arc<Config>,
    /// A deployment was completed once.
    pub(crate) deployed_before: bool,
}

/// Tells if tasks are kept to the service's own region: always with some programs, otherwise unless
/// `ALLOW_REGION_AWARENESS` is set to anything but `true`.
pub(crate) fn region_awareness(program: &Program, env: &BTreeMap<String, String>) -> bool {
    program.is_region_aware(env)
        || env.get("ALLOW_REGION_AWARENESS").is_none_or(|value| value.eq_ignore_ascii_case("true"))
}

/// Checks an update of a scheduler's definition; `env` is the scheduler's.
fn config_errors(
    candidate: &ServiceSpec,
    previous: Option<Predecessor<'_>>,
    program: &Program,
    env: &BTreeMap<String, String>,
) -> Vec<ConfigError> {
    validate(&Facts {
        previous: previous.map(|previous| &*previous.target.spec),
        candidate,
        deployed_before: previous.is_some_and(|previous| previous.deployed_before),
        service_account: account::is_given(env),
        program,
    })
}

/// The errors of a definition as findings in its text; without those that its reader found already.
pub(crate) fn findings_against(loaded: &Loaded, previous: Option<Predecessor<'_>>) -> Vec<Diagnostic> {
    let Some(spec) = loaded.spec.as_ref().filter(|_| !loaded.env.contains_key(crate::UNINSTALL_FLAG)) else {
        return Vec::new();
    };
    let found = |error: &&ConfigError| !loaded.is_clean() && crate::validate::READ_TOO.contains(&error.code);
    config_errors(spec, previous, &loaded.program, &loaded.env)
        .iter()
        .filter(|error| !found(error))
        .map(|error| finding(error, &loaded.sources, previous.is_some()))
        .collect()
}

impl Configs {
    /// Chooses the target: the definition if the checks let it pass, else the target before. `id` is that of a new
    /// configuration.
    ///
    /// *Errors*: there is none before, or an error is fatal.
    pub(crate) fn update_target(
        &mut self,
        candidate: &Arc<ServiceSpec>,
        id: Text,
        previous: Option<Predecessor<'_>>,
        service: &Service,
    ) -> Result<(), Refusal> {
        let errors = config_errors(candidate, previous, &service.program, &service.env);
        let refused = !errors.is_empty();
        match previous.map(|previous| previous.target) {
            None if refused => return Err(start_up_failure(&errors)),
            Some(_) if errors.iter().any(|error| error.fatal) => return Err(start_up_failure(&errors)),
            Some(before) if refused => self.set_target(before.id.clone(), &before.spec, service),
            Some(before) if target_changes::same_target(&before.spec, candidate) => {
                self.set_target(before.id.clone(), candidate, service);
            }
            _ => self.set_target(id, candidate, service),
        }
        self.refused = errors.iter().map(|error| Text::from(error.to_string())).collect();
        Ok(())
    }

    fn set_target(&mut self, id: Text, spec: &Arc<ServiceSpec>, service: &Service) {
        let aware = region_awareness(&service.program, &service.env);
        let target = Arc::new(Config::new(id.clone(), spec.clone(), aware));
        self.versions.insert(id, target.clone());
        self.target = target;
    }

    /// Marks unchanged pods' tasks, and permanently lost tasks, as updated to the target.
    pub(crate) fn move_to_target(&self, tasks: &mut TaskStore) {
        let id = &self.target.id;
        let behind: Vec<(Place, PodKey, Text, bool)> = tasks
            .places()
            .filter(|(_, task)| task.config != *id)
            .map(|(place, task)| (place, task.pod.clone(), task.config.clone(), task.permanently_failed))
            .collect();
        // The comparison is costly and the same for every task of a pod type in one version.
        let mut known: SortedMap<(Text, Text), bool> = SortedMap::new();
        for (place, key, config, flagged) in behind {
            let unchanged = *known.entry((config.clone(), key.pod.clone())).or_insert_with(|| {
                let old = self.versions.get(&config).and_then(|config| config.pods.get(&key.pod));
                let new = self.target.pods.get(&key.pod);
                !target_changes::pod_needs_update(old.map(|pod| &*pod.spec), new.map(|pod| &*pod.spec))
            });
            if flagged || unchanged {
                tasks.change(place, |task| task.config = id.clone());
            }
        }
    }

    /// Forgets configurations that neither the target nor a task refers to.
    pub(crate) fn forget_unused(&mut self, tasks: &TaskStore) {
        let used: SortedSet<Text> = tasks.tasks().map(|task| task.config.clone()).collect();
        let target = self.target.id.clone();
        self.versions.retain(|id, _| *id == target || used.contains(id));
    }
}

/// The process stops before it has registered.
fn start_up_failure(errors: &[ConfigError]) -> Refusal {
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let text = format!(
        "The scheduler does not start with this configuration (exit code 1), {}: {}",
        if errors.len() == 1 { "1 error".to_owned() } else { format!("{} errors", errors.len()) },
        texts.join("; ")
    );
    Refusal::new(RefusalCode::InvalidDefinition, text)
}
