//! The program of cassandra: seed nodes, and a lost node that comes back under the address of the old one.
//!
//! *Knows*: the pod `node` with its task `server`. *Must not know*: how a recovery phase runs.
//!
//! **Source**: `dcos-commons: frameworks/cassandra …/{scheduler/Main,scheduler/CassandraSeedUtils,
//! scheduler/CassandraRecoveryPlanOverrider,scheduler/CassandraZoneValidator,api/SeedsResource}.java`. Match, but that
//! a plan `replace` without a step for the node leaves the node to the default recovery.

use super::{FixedVariable, Lost, OwnPhase, OwnStep, StepPlace, Variable, decoded};
use crate::spec::ServiceSpec;
use planarium_kernel::{SortedMap, SortedSet};
use std::collections::BTreeMap;

/// The only pod type with its own recovery.
const NODE: &str = "node";
/// Its task that runs the database.
const SERVER: &str = "server";
/// Number of the first nodes that are seeds.
const SEEDS: &str = "LOCAL_SEEDS_COUNT";
/// Seeds of other clusters, separated by commas.
const REMOTE_SEEDS: &str = "TASKCFG_ALL_REMOTE_SEEDS";
/// A part of the configuration as base64.
const AUTHENTICATION: &str = "TASKCFG_ALL_AUTHENTICATION_CUSTOM_YAML_BLOCK_BASE64";

pub(super) const FIXED_ZONES: &[&str] = &[NODE];
pub(super) const FIXED_VARIABLES: &[FixedVariable] = &[
    FixedVariable { pod: NODE, task: SERVER, name: "CASSANDRA_LOCATION_DATA_CENTER" },
    FixedVariable { pod: NODE, task: SERVER, name: "CASSANDRA_LOCATION_RACK" },
];

/// Most seeds that are listed: more than pod instances that a definition may have.
const MOST_SEEDS: u32 = 10_000;

/// Returns the number of seeds.
fn seeds_count(env: &BTreeMap<String, String>) -> Option<u32> {
    let given = env.get(SEEDS).map_or("2", String::as_str);
    let count: i64 = given.parse().ok().filter(|count| i32::try_from(*count).is_ok())?;
    Some(u32::try_from(count).unwrap_or(0).min(MOST_SEEDS))
}

/// Host names of the seeds among the nodes.
fn local_seeds(spec: &ServiceSpec, env: &BTreeMap<String, String>) -> Vec<String> {
    let count = seeds_count(env).unwrap_or(0);
    (0..count).map(|index| spec.autoip_host(&format!("{NODE}-{index}-{SERVER}"))).collect()
}

pub(super) fn variables(spec: &ServiceSpec, env: &BTreeMap<String, String>) -> Result<Vec<Variable>, String> {
    if seeds_count(env).is_none() {
        return Err(format!("{SEEDS} is not a whole number"));
    }
    let seeds = local_seeds(spec, env).join(",").into();
    let mut all = vec![Variable { pod: None, name: "LOCAL_SEEDS", value: seeds }];
    if let Some(given) = env.get(AUTHENTICATION).filter(|given| !given.is_empty()) {
        let block = decoded(given).ok_or_else(|| format!("{AUTHENTICATION} is not base64"))?;
        all.push(Variable { pod: None, name: "AUTHENTICATION_CUSTOM_YAML_BLOCK", value: block.into() });
    }
    Ok(all)
}

/// Returns the content of `/v1/seeds`: the seeds of this cluster and those of others, each once.
pub(super) fn seeds(spec: &ServiceSpec, env: &BTreeMap<String, String>) -> Vec<String> {
    let remote = env.get(REMOTE_SEEDS).filter(|given| !given.is_empty());
    let remote = remote.into_iter().flat_map(|given| {
        // Java leaves empty pieces at the end out.
        given.trim_end_matches(',').split(',').map(str::to_owned)
    });
    hashed(local_seeds(spec, env).into_iter().chain(remote).collect())
}

/// Texts in the order in which a hash set of the Java library lists them, each once.
fn hashed(texts: Vec<String>) -> Vec<String> {
    let room = (texts.len() * 4 / 3 + 1).max(16).next_power_of_two();
    let mut known = SortedSet::new();
    let mut buckets: SortedMap<usize, Vec<String>> = SortedMap::new();
    for text in texts {
        if known.insert(text.clone()) {
            let hash = text
                .encode_utf16()
                .fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
            let bucket = (hash ^ (hash >> 16)) as usize & (room - 1);
            buckets.entry(bucket).or_default().push(text);
        }
    }
    buckets.into_values().flatten().collect()
}

/// A replaced node takes over from the old one's address. If it is a seed, all other nodes are launched again after
/// it, so that they look up its new address.
pub(super) fn recovery(lost: &Lost<'_>) -> Option<OwnPhase> {
    if lost.pod != NODE {
        return None;
    }
    let (at, phase) = (0, lost.phases.first()?);
    let node = usize::try_from(lost.index).ok()?;
    let step = phase.steps.get(node)?.as_ref()?;
    let server = step.pod.task(SERVER)?;
    let address = (lost.address)(&step.pod.name, step.index, SERVER)?;
    let command = format!(
        "{} -Dcassandra.replace_address={address} -Dcassandra.consistent.rangemovement=false\n",
        java_trim(&server.cmd)
    );
    let mut steps = vec![OwnStep {
        of: StepPlace { phase: at, step: node },
        anew: true,
        command: Some((SERVER.into(), command.into())),
    }];
    if step.index < seeds_count(lost.env)? {
        let others = phase
            .steps
            .iter()
            .enumerate()
            .filter(|(_, other)| other.as_ref().is_some_and(|other| other.index != step.index));
        steps.extend(others.map(|(other, _)| OwnStep {
            of: StepPlace { phase: at, step: other },
            anew: false,
            command: None,
        }));
    }
    Some(OwnPhase { name: "permanent-node-failure-recovery".into(), steps })
}

/// Without blanks and control characters at both ends.
fn java_trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}
