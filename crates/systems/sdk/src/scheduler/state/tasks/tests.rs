use super::*;
use planarium_kernel::Milli;

fn record(pod: &str, index: u32, task: &str, id: &str) -> TaskRecord {
    let key = PodKey::numbered(&pod.into(), index, super::pod_key::NO_ROW);
    let launched = Launched {
        name: key.task(task),
        task: task.into(),
        pod: key,
        executor_id: "e".into(),
        set: "s".into(),
        at: Arc::default(),
        held: Arc::from([Held {
            id: format!("r-{pod}-{index}").into(),
            kind: HeldKind::Scalar { name: "cpus".into(), amount: Milli(100) },
        }]),
        executor: Arc::from([]),
        params: Params::default(),
        command: "".into(),
        paused: false,
        files: Arc::default(),
    };
    TaskRecord {
        launched: Arc::new(launched),
        id: id.into(),
        config: "c".into(),
        permanently_failed: false,
        watched_since: None,
        status: None,
        goal: Override::default(),
        addressed: false,
        heard: Heard::default(),
    }
}

#[test]
fn indexes_follow_every_change() {
    let mut store = TaskStore::default();
    store.put(record("a", 0, "t", ""), 7);
    store.put(record("a-0", 1, "t", "x"), 7);
    store.put(record("a", 0, "t", "1"), 7);
    store.put(record("a", 0, "t", "2"), 7);
    assert!(store.by_id("1").is_none());
    assert_eq!(store.by_id("2").map(|t| &*t.name), Some("a-0-t"));
    assert_eq!(store.named("a-0-1-t").map(|t| &*t.id), Some("x"));
    assert_eq!(store.pod_named("a-0-1").map(|k| (k.pod.to_string(), k.index)), Some(("a-0".into(), 1)));
    assert_eq!(store.pod_named("a-00"), None);
    assert!(store.check().is_empty());
}

#[test]
fn a_reservation_of_a_flagged_pod_is_not_expected() {
    let mut store = TaskStore::default();
    store.put(record("a", 0, "t", "1"), 7);
    assert!(store.expects("", "r-a-0") && !store.expects("", "r-b-0"));
    let key = store.key(&"a".into(), 0);
    store.flag_pod(&key);
    assert!(!store.expects("", "r-a-0"));
}
