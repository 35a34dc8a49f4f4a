//! Jobs and CronJobs.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use crate::support::Yard;
use planarium_kube::{JobFacts, KindId, WhyKind};
use planarium_protocol::input::{Behaviour, Target};
use serde_json::json;

fn job(name: &str, spec: &str, policy: &str, command: &str) -> String {
    format!(
        "
apiVersion: batch/v1
kind: Job
metadata: {{name: {name}}}
spec:
  {spec}
  template:
    spec:
      restartPolicy: {policy}
      containers:
      - {{name: work, image: 'busybox:1', command: [sh, -c, '{command}']}}
"
    )
}

fn facts(yard: &Yard, name: &str) -> JobFacts {
    yard.get(KindId::JOB, name).expect("there").job().expect("a job")
}

#[test]
fn outcomes() {
    // (spec, restart policy, command, seconds), (succeeded, failed, pods), condition
    for (spec, policy, command, seconds, expected, condition) in [
        ("backoffLimit: 6", "Never", "true", 30, (1, 0, 1), Some("Complete")),
        ("backoffLimit: 6", "Never", "do-some-work --now", 30, (1, 0, 1), Some("Complete")),
        ("backoffLimit: 6", "OnFailure", "sleep 20", 40, (1, 0, 1), Some("Complete")),
        ("completions: 3", "Never", "true", 60, (3, 0, 3), Some("Complete")),
        ("{completions: 4, parallelism: 2}", "Never", "sleep 5", 60, (4, 0, 4), Some("Complete")),
        ("backoffLimit: 0", "Never", "exit 1", 30, (0, 1, 1), Some("BackoffLimitExceeded")),
        ("backoffLimit: 2", "Never", "exit 1", 90, (0, 3, 3), Some("BackoffLimitExceeded")),
        ("backoffLimit: 2", "OnFailure", "exit 1", 90, (0, 1, 0), Some("BackoffLimitExceeded")),
        ("activeDeadlineSeconds: 30", "Never", "sleep 1000", 70, (0, 1, 0), Some("DeadlineExceeded")),
        ("backoffLimit: 6", "Never", "sleep 1000", 60, (0, 0, 1), None),
    ] {
        let spec = spec.trim_matches(['{', '}']).replace(", ", "\n  ");
        let mut yard = Yard::new(2);
        yard.create(&job("one", &spec, policy, command));
        yard.run(seconds);
        let facts = facts(&yard, "one");
        let pods = yard.list(KindId::POD, "").len();
        let end = facts
            .complete
            .map(|cond| cond.kind.to_string())
            .or(facts.failure.map(|cond| cond.reason.to_string()));
        let found = (facts.succeeded, facts.failed, pods);
        assert_eq!(
            (found, end.as_deref()),
            (expected, condition),
            "{spec} {policy} {command}\n{}",
            yard.story()
        );
    }
}

#[test]
fn messages_are_the_real_ones() {
    let mut yard = Yard::new(1);
    yard.create(&job("limit", "backoffLimit: 0", "Never", "exit 3"));
    yard.create(&job("deadline", "activeDeadlineSeconds: 5", "Never", "sleep 60"));
    yard.run(60);
    let message = |name: &str| facts(&yard, name).failure.expect("failed").message.to_string();
    assert_eq!(message("limit"), "Job has reached the specified backoff limit");
    assert_eq!(message("deadline"), "Job was active longer than specified deadline");
    assert_eq!(
        yard.why(KindId::JOB, "limit")[0],
        (WhyKind::Failed, "Job limit has failed: Job has reached the specified backoff limit".to_owned())
    );
}

#[test]
fn failed_pods_are_replaced_with_growing_delays() {
    let mut yard = Yard::new(1);
    yard.create(&job("one", "backoffLimit: 5", "Never", "exit 1"));
    yard.run(420);
    let made: Vec<u64> = yard
        .events
        .iter()
        .filter(|event| matches!(&event.body, planarium_protocol::EventBody::Happened { what, .. } if &**what == "SuccessfulCreate"))
        .map(|event| event.at.ms())
        .collect();
    assert_eq!(made.len(), 6);
    let gaps: Vec<u64> = made.windows(2).map(|pair| (pair[1] - pair[0]) / 1000).collect();
    // A pod takes some seconds to start and fail; the delays are 10, 20, 40, 80, 160.
    for (gap, delay) in gaps.iter().zip([10, 20, 40, 80, 160]) {
        assert!((delay..delay + 15).contains(gap), "{gaps:?}");
    }
}

#[test]
fn a_temporary_failure_is_overcome() {
    let mut yard = Yard::new(1);
    let fails = Behaviour { exit_code: Some(1), exit_after_ms: Some(500), ..Behaviour::default() };
    let target = Target { pod: Some("one*".to_owned()), ..Target::default() };
    yard.behave(target.clone(), fails);
    yard.create(&job("one", "backoffLimit: 6", "Never", "work"));
    yard.run(12);
    assert!(facts(&yard, "one").failed > 0);
    yard.behave(target, Behaviour { exit_code: Some(0), ..Behaviour::default() });
    yard.run(60);
    let facts = facts(&yard, "one");
    assert!(facts.complete.is_some() && facts.succeeded == 1, "{facts:?}");
}

#[test]
fn a_job_controls_its_pods() {
    let mut yard = Yard::new(1);
    yard.create(&job("one", "backoffLimit: 6", "Never", "sleep 3"));
    yard.run(1);
    let value = yard.value(KindId::JOB, "one");
    let uid = value["metadata"]["uid"].clone();
    assert_eq!(value["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"], uid);
    assert_eq!(value["spec"]["template"]["metadata"]["labels"]["job-name"], "one");
    assert_eq!(yard.list(KindId::POD, "job-name=one").len(), 1);
    let refused = yard.patch(
        KindId::JOB,
        "one",
        json!({"spec": {"template": {"spec": {"restartPolicy": "OnFailure"}}}}),
    );
    let refused = refused.expect_err("immutable");
    assert!(
        refused.starts_with("Job.batch \"one\" is invalid: spec.template: Invalid value: ")
            && refused.ends_with(": field is immutable"),
        "{refused}"
    );
    yard.patch(KindId::JOB, "one", json!({"spec": {"backoffLimit": 1}})).expect("may change");
}

#[test]
fn a_finished_job_is_deleted_after_its_time_to_live() {
    let mut yard = Yard::new(1);
    yard.create(&job("one", "ttlSecondsAfterFinished: 30", "Never", "true"));
    let done = yard.run_until(30, |yard| facts(yard, "one").complete.is_some());
    yard.run(28);
    assert!(yard.get(KindId::JOB, "one").is_some(), "{done}");
    yard.run(5);
    assert!(yard.get(KindId::JOB, "one").is_none());
    assert!(yard.list(KindId::POD, "").is_empty());
}

const CRON: &str = "
apiVersion: batch/v1beta1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: '*/5 * * * *'
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: work, image: 'busybox:1', command: [sleep, '400']}]
";

fn runs(yard: &Yard) -> Vec<String> {
    yard.list(KindId::JOB, "").iter().map(|job| job.name.to_string()).collect()
}

#[test]
fn a_cron_job_runs_on_schedule() {
    let mut yard = Yard::new(1);
    yard.create(CRON);
    yard.run(299);
    assert!(runs(&yard).is_empty());
    yard.run(2);
    // The clock says 12:05.
    assert_eq!(runs(&yard), ["tick-26966165"]);
    assert_eq!(yard.value(KindId::CRON_JOB, "tick")["status"]["active"][0]["name"], "tick-26966165");
    assert_eq!(yard.value(KindId::CRON_JOB, "tick")["status"]["lastScheduleTime"], "2021-04-09T12:05:00Z");
    yard.run(300);
    assert_eq!(runs(&yard).len(), 2, "they may run side by side");
    yard.run(3000);
    assert!(runs(&yard).len() <= 5, "three finished ones are kept: {:?}", runs(&yard));
    assert!(yard.kube.restless());
    yard.patch(KindId::CRON_JOB, "tick", json!({"spec": {"suspend": true}})).expect("suspended");
    yard.run(1);
    assert!(!yard.kube.restless());
}

#[test]
fn runs_that_overlap() {
    for (policy, active) in [("Forbid", 1), ("Replace", 1), ("Allow", 2)] {
        let mut yard = Yard::new(1);
        yard.create(&CRON.replace("schedule:", &format!("concurrencyPolicy: {policy}\n  schedule:")));
        yard.run(630);
        let running = runs(&yard).len();
        assert_eq!(running, active, "{policy}");
        let last = runs(&yard).pop().expect("one");
        let expected = if policy == "Forbid" { "tick-26966165" } else { "tick-26966170" };
        assert_eq!(last, expected, "{policy}");
    }
}

#[test]
fn a_suspended_job_has_no_pods() {
    let mut yard = Yard::new(1);
    yard.create(&job("one", "suspend: true\n  activeDeadlineSeconds: 20", "Never", "sleep 5"));
    yard.run(60);
    let value = yard.value(KindId::JOB, "one");
    assert!(yard.list(KindId::POD, "").is_empty() && value["status"]["startTime"].is_null(), "{value}");
    let condition = value["status"]["conditions"][0].clone();
    assert_eq!(
        (&condition["type"], &condition["status"], &condition["reason"]),
        (&json!("Suspended"), &json!("True"), &json!("JobSuspended"))
    );
    yard.patch(KindId::JOB, "one", json!({"spec": {"suspend": false}})).expect("resumed");
    yard.run(3);
    assert_eq!(yard.list(KindId::POD, "job-name=one").len(), 1);
    yard.patch(KindId::JOB, "one", json!({"spec": {"suspend": true}})).expect("suspended");
    yard.run(40);
    assert!(yard.list(KindId::POD, "").iter().all(|pod| pod.is_being_deleted()), "{}", yard.pods());
    assert!(facts(&yard, "one").failure.is_none(), "its deadline does not run");
    yard.patch(KindId::JOB, "one", json!({"spec": {"suspend": false}})).expect("resumed");
    yard.run(30);
    assert!(facts(&yard, "one").complete.is_some());
    assert_eq!(yard.told(0, &["Suspended", "Resumed"]).len(), 4, "{}", yard.story());
}

#[test]
fn an_indexed_job_works_at_each_number_once() {
    let mut yard = Yard::new(2);
    let fails = Behaviour { exit_code: Some(1), exit_after_ms: Some(500), ..Behaviour::default() };
    let target = Target { pod: Some("one-1-*".to_owned()), ..Target::default() };
    yard.behave(target.clone(), fails);
    let spec = "completionMode: Indexed\n  completions: 4\n  parallelism: 2\n  backoffLimit: 5";
    yard.create(&job("one", spec, "Never", "sleep 2"));
    yard.run(1);
    let names: Vec<String> = yard.list(KindId::POD, "").iter().map(|pod| pod.name.to_string()).collect();
    assert!(
        names.len() == 2 && names[0].starts_with("one-0-") && names[1].starts_with("one-1-"),
        "{names:?}"
    );
    let first = yard.list(KindId::POD, "batch.kubernetes.io/job-completion-index=0")[0].to_value();
    assert_eq!(first["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"], "0");
    assert_eq!(first["spec"]["hostname"], "one-0");
    assert_eq!(first["spec"]["containers"][0]["env"][0]["name"], "JOB_COMPLETION_INDEX");
    yard.run(45);
    assert_eq!(yard.value(KindId::JOB, "one")["status"]["completedIndexes"], "0,2,3");
    yard.behave(target, Behaviour { exit_code: Some(0), ..Behaviour::default() });
    yard.run(200);
    let value = yard.value(KindId::JOB, "one");
    assert_eq!(
        (&value["status"]["completedIndexes"], &value["status"]["succeeded"]),
        (&json!("0-3"), &json!(4))
    );
    assert!(facts(&yard, "one").complete.is_some());
}

#[test]
fn the_server_sets_the_selectors_of_jobs() {
    let mut yard = Yard::new(1);
    let text = job("one", "selector: {matchLabels: {a: b}}", "Never", "true");
    assert!(yard.refused(&text).contains(
        "spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: `selector` not auto-generated"
    ));
    let text = job("one", "manualSelector: true\n  selector: {matchLabels: {a: b}}", "Never", "true");
    assert!(
        yard.refused(&text).contains("`selector` does not match template `labels`"),
        "{}",
        yard.refused(&text)
    );
    let text = job("one", "completionMode: Indexed\n  parallelism: 2", "Never", "true");
    assert!(
        yard.refused(&text).contains("spec.completions: Required value: when completion mode is Indexed")
    );
}

// `ElasticIndexedJob` of test/e2e/apps/job.go: completions and parallelism of an indexed Job change together.
#[test]
fn a_shrunk_indexed_job_drops_its_high_indexes() {
    let mut yard = Yard::new(2);
    yard.create(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: one}, spec: {parallelism: 4, completions: 4, completionMode: Indexed, template: {spec: \
         {restartPolicy: Never, containers: [{name: work, image: 'busybox:1', command: [sleep, '600']}]}}}}",
    );
    yard.run(20);
    assert_eq!(yard.ready(""), 4, "{}", yard.pods());
    yard.patch(KindId::JOB, "one", json!({"spec": {"parallelism": 2, "completions": 2}})).unwrap();
    yard.run(60);
    let names: Vec<String> = yard.list(KindId::POD, "").iter().map(|pod| pod.name.to_string()).collect();
    assert!(
        names.len() == 2 && names[0].starts_with("one-0-") && names[1].starts_with("one-1-"),
        "{names:?}"
    );
    yard.run(900);
    let status = yard.value(KindId::JOB, "one")["status"].clone();
    assert_eq!((&status["succeeded"], &status["completedIndexes"]), (&2.into(), &"0,1".into()), "{status}");
}
