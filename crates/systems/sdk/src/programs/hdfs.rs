//! The program of HDFS: which machines its nodes share, how a lost journal or name node gets its data back, and the
//! files that clients configure themselves with.
//!
//! *Knows*: the pods `journal`, `name` and `data`. *Must not know*: how a recovery phase runs.
//!
//! **Source**: `dcos-commons: frameworks/hdfs …/{Main,HdfsRecoveryPlanOverrider,HDFSZoneValidator,
//! HDFSUserAuthMapperBuilder,HDFSAuthEnvContainer}.java`. Match, but that a plan `replace` without the steps leaves the
//! pod to the default recovery.

use super::{Lost, OwnPhase, OwnStep, StepPlace, Variable, decoded};
use crate::placement::Rule;
use crate::spec::{PodSpec, ServiceSpec};
use std::collections::BTreeMap;
use std::sync::Arc;

const JOURNAL: &str = "journal";
const NAME: &str = "name";
const DATA: &str = "data";
const JOURNALS: u32 = 3;
const NAMES: u32 = 2;
/// Most data nodes that names are mapped for: more than pod instances that a definition may have.
const MOST_DATA: u32 = 10_000;

const KERBEROS: &str = "TASKCFG_ALL_SECURITY_KERBEROS_ENABLED";
const PRIMARY: &str = "TASKCFG_ALL_SECURITY_KERBEROS_PRIMARY";
const REALM: &str = "TASKCFG_ALL_SECURITY_KERBEROS_REALM";
const USER: &str = "TASKCFG_ALL_TASK_USER";
/// Rules for user names as base64.
const MAPPINGS: &str = "TASKCFG_ALL_AUTH_TO_LOCAL";
const DATA_COUNT: &str = "DATA_COUNT";

const ZK_ROOT: &str = "SERVICE_ZK_ROOT";
const DECODED_MAPPINGS: &str = "DECODED_AUTH_TO_LOCAL";

pub(super) const FIXED_ZONES: &[&str] = &[NAME, JOURNAL, DATA];
pub(super) const SERVED_FILES: &[&str] = &["hdfs-site.xml", "core-site.xml"];

pub(super) fn variables(spec: &ServiceSpec, env: &BTreeMap<String, String>) -> Result<Vec<Variable>, String> {
    Ok(vec![
        Variable { pod: Some(NAME), name: ZK_ROOT, value: zk_root(spec).into() },
        Variable { pod: None, name: DECODED_MAPPINGS, value: mappings(spec, env)?.into() },
    ])
}

/// Returns the service's ZooKeeper path.
fn zk_root(spec: &ServiceSpec) -> String {
    let name = spec.name.strip_prefix('/').unwrap_or(&spec.name);
    format!("/dcos-service-{}", name.replace('/', "__"))
}

/// Rules that make users of Kerberos principals: those given, then one for each task.
fn mappings(spec: &ServiceSpec, env: &BTreeMap<String, String>) -> Result<String, String> {
    if !env.get(KERBEROS).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Ok(String::new());
    }
    let lacking: Vec<&str> =
        [PRIMARY, REALM, USER].into_iter().filter(|name| !env.contains_key(*name)).collect();
    if !lacking.is_empty() {
        return Err(format!("The following environment keys are missing {}", lacking.join(", ")));
    }
    let value = |name: &str| env.get(name).map(String::as_str).unwrap_or_default();
    let given = match env.get(MAPPINGS) {
        Some(given) => decoded(given).ok_or_else(|| format!("{MAPPINGS} is not base64"))?,
        None => String::new(),
    };
    let data: i64 = value(DATA_COUNT).parse().map_err(|_| format!("{DATA_COUNT} is not a whole number"))?;
    let data = u32::try_from(data).unwrap_or(0).min(MOST_DATA);
    let mut lines = vec![given];
    for (pod, task, count) in
        [(JOURNAL, "node", JOURNALS), (NAME, "zkfc", NAMES), (NAME, "node", NAMES), (DATA, "node", data)]
    {
        for index in 0..count {
            lines.push(format!(
                "RULE:[2:$1/$2@$0]({}/{pod}-{index}-{task}.{}@{})s/.*/{}/",
                value(PRIMARY),
                spec.autoip_domain(),
                value(REALM),
                value(USER)
            ));
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    Ok(lines.join("\n"))
}

/// Returns journal, name and data nodes, in this order, without other pods.
pub(super) fn pods(pods: &[Arc<PodSpec>]) -> Result<Vec<Arc<PodSpec>>, String> {
    let named = |name: &str| {
        let found = pods.iter().find(|pod| *pod.name == *name).cloned();
        found.ok_or_else(|| format!("Missing required pod named '{name}' in service spec"))
    };
    [JOURNAL, NAME, DATA].into_iter().map(named).collect()
}

/// Journal and name nodes keep away from each other, and all nodes from their like.
pub(super) fn placement(pod: &str) -> Option<Rule> {
    let avoid = |pod: &str| Rule::Avoid { pod: pod.into() };
    match pod {
        JOURNAL => Some(Rule::And(vec![avoid(JOURNAL), avoid(NAME)])),
        NAME => Some(Rule::And(vec![avoid(NAME), avoid(JOURNAL)])),
        DATA => Some(avoid(DATA)),
        _ => None,
    }
}

/// A replaced journal or name node first gets its data back, then runs.
pub(super) fn recovery(lost: &Lost<'_>) -> Option<OwnPhase> {
    let (name, count) = match lost.pod {
        DATA => return None,
        NAME => (NAME, NAMES),
        _ => (JOURNAL, JOURNALS),
    };
    if lost.index >= count {
        return None;
    }
    let at = lost.phases.iter().position(|phase| *phase.name == *name)?;
    let steps = &lost.phases.get(at)?.steps;
    let first = usize::try_from(lost.index).ok()? * 2;
    let own = |step: usize, anew: bool| {
        steps.get(step)?.as_ref()?;
        Some(OwnStep { of: StepPlace { phase: at, step }, anew, command: None })
    };
    let steps = vec![own(first, true)?, own(first + 1, false)?];
    Some(OwnPhase { name: format!("permanent-{name}-failure-recovery").into(), steps })
}

/// Returns the part of a task's environment that is the same for all.
pub(super) fn served_with(
    spec: &ServiceSpec,
    env: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, String> {
    let routed = env
        .iter()
        .filter_map(|(key, value)| Some((key.strip_prefix("TASKCFG_ALL_")?.to_owned(), value.clone())));
    let mut all = planarium_kernel::sorted::tree(routed);
    for (key, value) in [
        ("FRAMEWORK_HOST", spec.autoip_domain()),
        ("FRAMEWORK_NAME", spec.name.to_string()),
        ("SCHEDULER_API_HOSTNAME", spec.scheduler_host()),
        ("SCHEDULER_API_PORT", spec.domains.api_port.to_string()),
        ("MESOS_SANDBOX", "sandboxpath".to_owned()),
        (ZK_ROOT, zk_root(spec)),
        (DECODED_MAPPINGS, mappings(spec, env)?),
    ] {
        all.insert(key.to_owned(), value);
    }
    Ok(all)
}
