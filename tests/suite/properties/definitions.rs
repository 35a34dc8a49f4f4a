//! Definitions of services for a crowded world: together they use all features.

/// Common part of the definitions: a guard on one machine each, a store with an initial task, custom plans.
const BASE: &str = r#"name: {{FRAMEWORK_NAME}}
scheduler:
  principal: keeper
pods:
  web:
    count: 2
    placement: '[["hostname", "UNIQUE"]]'
    allow-decommission: true
    tasks:
      server:
        goal: RUNNING
        cmd: ./web
        cpus: 0.3
        memory: 64
        kill-grace-period: 7
        ports: {http: {port: 0, vip: {prefix: web, port: 80}}}
        readiness-check: {cmd: ./ready, interval: 3, timeout: 2}
        health-check: {cmd: ./well, interval: 5, grace-period: 4, delay: 1, timeout: 2, max-consecutive-failures: 2}
      helper: {goal: RUNNING, essential: false, cmd: ./helper, cpus: 0.1, memory: 32}
  store:
    count: 1
    volume: {path: shared, type: ROOT, size: 50}
    resource-sets:
      work: {cpus: 0.2, memory: 32}
    tasks:
      format: {goal: ONCE, cmd: ./format, resource-set: work}
      migrate: {goal: FINISH, cmd: ./migrate, resource-set: work}
      save: {goal: ONCE, cmd: "./save $WHERE", resource-set: work}
      node:
        goal: RUNNING
        cmd: ./node
        cpus: 0.4
        memory: 64
        volume: {path: data, type: ROOT, size: 100}
plans:
  deploy:
    strategy: serial
    phases:
      store:
        strategy: serial
        pod: store
        steps:
          - default: [[format], [migrate], [node]]
      web: {strategy: canary, pod: web}
  save:
    strategy: parallel
    phases:
      save:
        strategy: parallel
        pod: store
        steps:
          - default: [[save]]
  update:
    strategy: serial
    phases:
      web: {strategy: parallel, pod: web}
"#;

/// A pod more, for what not every machine has.
const PODS: &[&str] = &[
    "  gpu:
    count: 1
    tasks:
      train: {goal: RUNNING, cmd: ./train, cpus: 0.2, memory: 32, gpus: 1}
",
    "  disk:
    count: 2
    allow-decommission: true
    placement: '[[\"@zone\", \"GROUP_BY\", \"2\"]]'
    volume: {path: whole, type: MOUNT, size: 100}
    tasks:
      keep: {goal: RUNNING, cmd: ./keep, cpus: 0.1, memory: 32}
",
    "  profiled:
    count: 1
    tasks:
      keep:
        goal: RUNNING
        cmd: ./keep
        cpus: 0.1
        memory: 32
        volume: {path: whole, type: MOUNT, size: 100, profiles: [xfs]}
",
    "  public:
    count: 1
    pre-reserved-role: slave_public
    tasks:
      gate: {goal: RUNNING, cmd: ./gate, cpus: 0.2, memory: 32, ports: {door: {port: 80}}}
",
    "  sealed:
    count: 1
    secrets: {s1: {secret: path/to/it, env-key: IT, file: it}}
    tasks:
      server:
        goal: RUNNING
        cmd: ./sealed
        cpus: 0.1
        memory: 32
        transport-encryption: [{name: own, type: TLS}]
",
];

/// One definition of many: `n` selects its changes from the first one.
pub(crate) fn variant(n: u16) -> String {
    let mut text = BASE.to_owned();
    let bit = |at: u16| n >> at & 1 == 1;
    let changes = [
        ("count: 2", "count: 3"),
        ("./node\n", "./node --fast\n"),
        ("[\"hostname\", \"UNIQUE\"]", "[\"@zone\", \"MAX_PER\", \"1\"]"),
        // Refused by the scheduler's own checks: a volume does not change.
        ("type: ROOT, size: 100", "type: ROOT, size: 120"),
        ("strategy: canary", "strategy: parallel-canary"),
        // Another pod in its place; without `allow-decommission` that is refused.
        ("store", "vault"),
        ("cpus: 0.3", "cpus: 0.6"),
        // More than any machine has.
        ("memory: 64\n        volume", "memory: 90000\n        volume"),
        ("count: 2", "count: 1"),
        ("[format], [migrate], [node]", "[format, migrate], [node]"),
    ];
    for (at, (from, to)) in (0..).zip(changes) {
        if bit(at) {
            text = text.replace(from, to);
        }
    }
    let pod = usize::from(n >> 10);
    if let Some(pod) = PODS.get(pod) {
        text = text.replacen("plans:\n", &format!("{pod}plans:\n"), 1);
    }
    text
}

/// Cannot be read; cannot run.
pub(crate) const BROKEN: &[&str] =
    &["pods: [", "name: {{FRAMEWORK_NAME}}\npods: {}\n", "", "name: {{LACKING}}\npods: 7\n"];

#[test]
fn each_change_and_each_pod_is_valid() {
    let changes = std::iter::once(0).chain((0..10).map(|bit| 1_u16 << bit));
    for n in changes.chain((0..5).map(|pod| pod << 10)) {
        let text = variant(n);
        assert!(n == 0 || text != variant(0), "variant {n} is the first one");
        let load = crate::deeds::load("load-service", "solo", "", &text);
        let Ok(planarium_protocol::Input::LoadService(load)) = serde_json::from_value(load) else {
            panic!("variant {n} is no input");
        };
        let report = planarium_world::check(&load);
        assert!(!report.has_errors(), "variant {n}: {:?}", report.diagnostics);
    }
}
