//! Rows of upstream's tables about Jobs.

use super::{backoff_between, backoff_ms, failure, indexes};
use crate::{
    kube::Kube,
    object::{Object, ObjectNo},
    spec::{Spec, workload::INDEX},
    status::{Phase, PodStatus, Status},
    tables::Rows,
};
use indexes::Indexes;
use planarium_ground::Cx;
use planarium_protocol::json;
use std::sync::Arc;

const RUNNING: Phase = Phase::Running;
const PENDING: Phase = Phase::Pending;
const SUCCEEDED: Phase = Phase::Succeeded;
const FAILED: Phase = Phase::Failed;

/// The index that an annotation says; `-` for none.
fn index(text: &str) -> Option<u32> {
    text.parse().ok()
}

/// Name, indexes done before, pods with index and phase, completions, indexes done.
type Done = (&'static str, &'static str, &'static [(&'static str, Phase)], u32, &'static str);

const DONE: &[Done] = &[
    ("one index", "", &[("1", SUCCEEDED)], 2, "1"),
    (
        "two separate",
        "",
        &[("2", FAILED), ("5", SUCCEEDED), ("5", SUCCEEDED), ("10", FAILED), ("10", SUCCEEDED)],
        11,
        "5,10",
    ),
    (
        "two intervals",
        "",
        &[
            ("0", RUNNING),
            ("1", PENDING),
            ("2", SUCCEEDED),
            ("3", SUCCEEDED),
            ("5", SUCCEEDED),
            ("6", SUCCEEDED),
            ("7", SUCCEEDED),
        ],
        8,
        "2,3,5-7",
    ),
    (
        "one index and one interval",
        "",
        &[
            ("0", SUCCEEDED),
            ("1", FAILED),
            ("2", SUCCEEDED),
            ("3", SUCCEEDED),
            ("4", SUCCEEDED),
            ("5", SUCCEEDED),
            ("-", SUCCEEDED),
            ("-2", SUCCEEDED),
        ],
        6,
        "0,2-5",
    ),
    (
        "out of range",
        "",
        &[
            ("0", SUCCEEDED),
            ("1", SUCCEEDED),
            ("2", SUCCEEDED),
            ("3", FAILED),
            ("4", SUCCEEDED),
            ("5", SUCCEEDED),
            ("-", SUCCEEDED),
            ("-2", SUCCEEDED),
        ],
        5,
        "0-2,4",
    ),
    ("prev interval out of range", "0-5,8-10", &[], 8, "0-5"),
    ("prev interval partially out of range", "0-5,8-10", &[], 10, "0-5,8,9"),
    (
        "prev and new separate",
        "0,4,5,10-12",
        &[("2", SUCCEEDED), ("7", SUCCEEDED), ("8", SUCCEEDED)],
        13,
        "0,2,4,5,7,8,10-12",
    ),
    ("prev between new", "3,4,6", &[("2", SUCCEEDED), ("7", SUCCEEDED), ("8", SUCCEEDED)], 9, "2-4,6-8"),
    ("new between prev", "2,7,8", &[("3", SUCCEEDED), ("4", SUCCEEDED), ("6", SUCCEEDED)], 9, "2-4,6-8"),
    (
        "new within prev",
        "2-7",
        &[("0", SUCCEEDED), ("3", SUCCEEDED), ("5", SUCCEEDED), ("9", SUCCEEDED)],
        10,
        "0,2-7,9",
    ),
    ("corrupted interval", "0,1-foo,bar", &[("3", SUCCEEDED)], 4, "0,3"),
];

/// Name, indexes done, active pods, number requested, completions, indexes found.
type Open = (&'static str, &'static str, &'static [(&'static str, Phase)], u32, u32, &'static [u32]);

const OPEN: &[Open] = &[
    ("cnt greater than completions", "", &[], 5, 3, &[0, 1, 2]),
    ("cnt less than completions", "", &[], 2, 5, &[0, 1]),
    ("first pods active", "", &[("0", RUNNING), ("1", PENDING)], 3, 10, &[2, 3, 4]),
    ("last pods active or succeeded", "4,5", &[("6", PENDING)], 6, 6, &[0, 1, 2, 3]),
    (
        "mixed",
        "2-4,9",
        &[("3", PENDING), ("5", RUNNING), ("8", PENDING), ("-", RUNNING), ("-3", RUNNING)],
        5,
        20,
        &[0, 1, 6, 7, 10],
    ),
];

const LONG: &str = "hhhhhooooohhhhhooooohhhhhooooohhhhhooooohhhhhooooohhhhhooooohhhhhooooo";

/// Active pods of a Job with index and phase; those without a number have a text that is none.
fn pods(all: &[(&str, Phase)]) -> Vec<Arc<Object>> {
    let mut kube = Kube::new(7, 0);
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "one" },
        "spec": { "containers": [{ "name": "c", "image": "c:1" }] } });
    let pod = kube.create(&mut Cx::new(7), pod).expect("a pod");
    let Status::Pod(status) = &pod.status else { panic!("a pod") };
    let one = |(no, (index, phase)): (u32, &(&str, Phase))| {
        let annotations = pod.annotations.with(INDEX, *index);
        let status = Status::Pod(Arc::new(PodStatus { phase: *phase, ..PodStatus::clone(status) }));
        Arc::new(Object { no: ObjectNo(no), annotations, status, ..Object::clone(&pod) })
    };
    (1..).zip(all).map(one).collect()
}

/// Index and phase of each pod, in order.
fn shown(pods: &[Arc<Object>]) -> Vec<(String, Phase)> {
    let one = |pod: &Arc<Object>| match &pod.status {
        Status::Pod(status) => {
            (pod.annotations.get(INDEX).map(ToString::to_string).unwrap_or_default(), status.phase)
        }
        _ => panic!("a pod"),
    };
    let mut all: Vec<(String, Phase)> = pods.iter().map(one).collect();
    all.sort_by_key(|(index, phase)| (index.clone(), *phase != PENDING));
    all
}

pub(crate) fn rows(rows: &mut Rows) {
    rows.source("pkg/controller/job/indexed_job_utils_test.go: TestCalculateSucceededIndexes");
    for (row, before, pods, completions, expected) in DONE {
        let pods = pods.iter().map(|(text, phase)| (index(text), *phase));
        rows.check(row, &*Indexes::count(before, pods, *completions).text(), *expected);
    }
    rows.source("pkg/controller/job/indexed_job_utils_test.go: TestFirstPendingIndexes");
    for (row, done, pods, count, completions, expected) in OPEN {
        let pods = pods.iter().map(|(text, phase)| (index(text), *phase));
        let indexes = Indexes::count(done, pods, *completions);
        rows.check(row, &*indexes.open(*completions, *count), *expected);
    }
    rows.source("pkg/controller/job/indexed_job_utils_test.go: TestIntervalsHaveIndex");
    for (row, done, index, expected) in [
        ("empty", "", 4, false),
        ("before all", "2-4,5-7", 1, false),
        ("after all", "2-4,6-8", 9, false),
        ("in between", "2-4,6-8", 5, false),
        ("in first", "2-4,6-8", 2, true),
        ("in second", "2-4,6-8", 8, true),
    ] {
        rows.check(row, Indexes::count(done, std::iter::empty(), 100).done.contains(&index), expected);
    }
    rows.source("pkg/controller/job/indexed_job_utils_test.go: TestPodGenerateNameWithIndex");
    let first = |letters: usize| LONG.chars().take(letters).collect::<String>();
    let (fits, cut) = (first(57), format!("{}-1-", first(55)));
    for (row, job, expected) in [
        ("short job name", "indexed-job", "indexed-job-1-"),
        ("job name exceeds the greatest length", LONG, &*cut),
        ("job name with index suffix exceeds the greatest length", &*fits, &*cut),
    ] {
        rows.check(row, &*indexes::name_prefix(job, 1), expected);
    }
    duplicated(rows);
    limits(rows);
    rows.source("pkg/controller/job/backoff_utils_test.go: TestGetRemainingBackoffTime");
    for (row, failures, past_ms, expected) in [
        ("no failures", 0, 0, 0),
        ("one failure; current time and failure time are same", 1, 0, 5_000),
        ("one failure; current time is one second after it", 1, 1_000, 4_000),
        ("one failure; current time is the expected time", 1, 5_000, 0),
        ("one failure; current time is a second after the expected time", 1, 6_000, 0),
        ("three failures", 3, 0, 20_000),
        ("eight failures, not exceeding the greatest", 8, 0, 640_000),
        ("nine failures, exceeding the greatest", 9, 0, 700_000),
    ] {
        rows.check(row, backoff_between(failures, 5_000, 700_000).saturating_sub(past_ms), expected);
    }
}

/// Failures of pods, and of containers that are started again in place, against the limit of a Job.
fn limits(rows: &mut Rows) {
    let spec = |limit: u32, policy: &str| {
        let job = json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "one" }, "spec": {
            "backoffLimit": limit,
            "template": { "spec": { "restartPolicy": policy, "containers": [{ "name": "c", "image": "c:1" }] } },
        } });
        let job = Kube::new(7, 0).create(&mut Cx::new(7), job).expect("a Job");
        let Spec::Job(spec) = &job.spec else { panic!("a Job") };
        spec.clone()
    };
    rows.source("pkg/controller/job/job_controller_test.go: TestJobBackoffOnRestartPolicyNever");
    for (row, limit, failed, fails) in [
        ("not enough failures with backoffLimit 0 - single pod", 0, 0, false),
        ("not enough failures with backoffLimit 1 - single pod", 1, 1, false),
        ("too many failures with backoffLimit 1 - single pod", 1, 2, true),
        ("not enough failures with backoffLimit 6 - multiple pods", 6, 6, false),
        ("too many failures with backoffLimit 6 - multiple pods", 6, 7, true),
    ] {
        rows.check(row, failure(&spec(limit, "Never"), failed, 0, false).is_some(), fails);
    }
    rows.source("pkg/controller/job/job_controller_test.go: TestJobBackoffForOnFailure");
    for (row, limit, restarts, fails) in [
        ("backoffLimit 0 should have 1 pod active", 0, &[0][..], false),
        ("backoffLimit 1 with restartCount 0 should have 1 pod active", 1, &[0], false),
        ("backoffLimit 1 with restartCount 1 and podRunning should have 0 pod active", 1, &[1], true),
        ("too many job failures with podRunning - single pod", 2, &[2], true),
        ("too many job failures with podRunning - multiple pods", 2, &[1, 1], true),
        ("not enough failures", 3, &[1, 1], false),
    ] {
        let restarts: u32 = restarts.iter().sum();
        rows.check(row, failure(&spec(limit, "OnFailure"), 0, restarts, false).is_some(), fails);
    }
}

/// Pods deleted because their index is invalid or taken.
fn duplicated(rows: &mut Rows) {
    rows.source("pkg/controller/job/indexed_job_utils_test.go: TestAppendDuplicatedIndexPodsForRemoval");
    for (row, all, gone) in [
        (
            "all unique",
            &[("-", PENDING), ("2", PENDING), ("5", RUNNING), ("6", RUNNING)][..],
            &[("-", PENDING), ("6", RUNNING)][..],
        ),
        (
            "all with index",
            &[
                ("5", PENDING),
                ("0", RUNNING),
                ("3", PENDING),
                ("0", RUNNING),
                ("3", RUNNING),
                ("0", PENDING),
                ("6", RUNNING),
                ("6", PENDING),
            ],
            &[("0", PENDING), ("0", RUNNING), ("3", PENDING), ("6", PENDING), ("6", RUNNING)],
        ),
        (
            "mixed",
            &[
                ("-", PENDING),
                ("invalid", RUNNING),
                ("-2", RUNNING),
                ("0", PENDING),
                ("1", PENDING),
                ("1", PENDING),
                ("1", RUNNING),
            ],
            &[("-", PENDING), ("-2", RUNNING), ("1", PENDING), ("1", PENDING), ("invalid", RUNNING)],
        ),
    ] {
        let expected: Vec<(String, Phase)> =
            gone.iter().map(|(index, phase)| ((*index).to_owned(), *phase)).collect();
        rows.check(row, shown(&indexes::surplus(&pods(all), 6)), expected);
    }
}

#[test]
fn indexes_are_written_in_ranges() {
    for text in ["", "0", "0,1", "0-2", "0-2,5", "1,3,5-9"] {
        assert_eq!(&*Indexes::count(text, std::iter::empty(), 100).text(), text);
    }
}

// With the times of the controller.
#[test]
fn backoff_doubles_from_the_first_failure_on() {
    let expected = [(0, 0), (1, 10_000), (2, 20_000), (3, 40_000), (6, 320_000), (7, 600_000), (99, 600_000)];
    for (failures, ms) in expected {
        assert_eq!(backoff_ms(failures), ms, "after {failures} failures");
    }
}
