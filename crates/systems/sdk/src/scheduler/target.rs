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

use super::Scheduler;
use super::requirement::Config;
use super::store::{Place, PodKey};
use crate::compare;
use crate::load::Loaded;
use crate::programs::Program;
use crate::spec::ServiceSpec;
use crate::validate::{ConfigError, Facts, account, finding, validate};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Refusal;
use planarium_protocol::Text;
use planarium_protocol::refusal::RefusalCode;
use planarium_source::Diagnostic;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whether tasks are kept to the service's own region: always with some programs, otherwise unless
/// `ALLOW_REGION_AWARENESS` is set to anything but `true`.
pub(super) fn region_awareness(program: &Program, env: &BTreeMap<String, String>) -> bool {
    program.is_region_aware(env)
        || env.get("ALLOW_REGION_AWARENESS").is_none_or(|value| value.eq_ignore_ascii_case("true"))
}

/// What the checks say against a definition that is to follow what a scheduler runs with; `env` is the scheduler's.
fn config_errors(
    candidate: &ServiceSpec,
    previous: Option<&Scheduler>,
    program: &Program,
    env: &BTreeMap<String, String>,
) -> Vec<ConfigError> {
    validate(&Facts {
        previous: previous.map(|previous| &*previous.target.spec),
        candidate,
        deployed_before: previous.is_some_and(|previous| previous.completed_once),
        service_account: account::is_given(env),
        program,
    })
}

impl Scheduler {
    /// What the checks say against a definition, as findings in its text; without what its reader found already.
    pub fn findings_against(loaded: &Loaded, previous: Option<&Self>) -> Vec<Diagnostic> {
        let Some(spec) = loaded.spec.as_ref().filter(|_| !loaded.env.contains_key(crate::UNINSTALL_FLAG))
        else {
            return Vec::new();
        };
        let found =
            |error: &&ConfigError| !loaded.is_clean() && crate::validate::READ_TOO.contains(&error.code);
        config_errors(spec, previous, &loaded.program, &loaded.env)
            .iter()
            .filter(|error| !found(error))
            .map(|error| finding(error, &loaded.sources, previous.is_some()))
            .collect()
    }

    /// Chooses the target: the definition if the checks let it pass, else the target before.
    ///
    /// *Errors*: there is none before, or an error is fatal.
    pub(super) fn update_target(
        &mut self,
        candidate: &Arc<ServiceSpec>,
        previous: Option<&Self>,
    ) -> Result<(), Refusal> {
        let before = previous.map(|previous| &previous.target);
        let errors = config_errors(candidate, previous, &self.program, &self.env);
        let refused = !errors.is_empty();
        match before {
            None if refused => return Err(start_up_failure(&errors)),
            Some(_) if errors.iter().any(|error| error.fatal) => return Err(start_up_failure(&errors)),
            Some(before) if refused => self.set_target(before.id.clone(), &before.spec),
            Some(before) if compare::same_target(&before.spec, candidate) => {
                self.set_target(before.id.clone(), candidate);
            }
            _ => self.set_target(self.ids.config(), candidate),
        }
        self.refused = errors.iter().map(|error| Text::from(error.to_string())).collect();
        self.move_to_target();
        self.collect_configs();
        Ok(())
    }

    fn set_target(&mut self, id: Text, spec: &Arc<ServiceSpec>) {
        let target =
            Arc::new(Config::new(id.clone(), spec.clone(), region_awareness(&self.program, &self.env)));
        self.configs.insert(id, target.clone());
        self.target = target;
    }

    /// Tasks of pods that did not change, and tasks that are lost for good, stand for the target now.
    fn move_to_target(&mut self) {
        let id = self.target.id.clone();
        let behind: Vec<(Place, PodKey, Text, bool)> = self
            .store
            .places()
            .filter(|(_, task)| task.config != id)
            .map(|(place, task)| (place, task.pod.clone(), task.config.clone(), task.permanently_failed))
            .collect();
        // The comparison is costly and the same for every task of a pod type in one version.
        let mut known: SortedMap<(Text, Text), bool> = SortedMap::new();
        for (place, key, config, flagged) in behind {
            let unchanged = *known.entry((config.clone(), key.pod.clone())).or_insert_with(|| {
                let old = self.configs.get(&config).and_then(|config| config.pods.get(&key.pod));
                let new = self.target.pods.get(&key.pod);
                !compare::pod_needs_update(old.map(|pod| &*pod.spec), new.map(|pod| &*pod.spec))
            });
            if flagged || unchanged {
                self.store.change(place, |task| task.config = id.clone());
            }
        }
    }

    /// Forgets configurations that neither the target nor a task refers to.
    fn collect_configs(&mut self) {
        let used: SortedSet<Text> = self.store.tasks().map(|task| task.config.clone()).collect();
        let target = self.target.id.clone();
        self.configs.retain(|id, _| *id == target || used.contains(id));
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
