//! A definition is read by its schema once, however it is used afterwards.

use crate::daemon::Daemon;
use crate::schema::read::READINGS;
use planarium_kernel::recorder::Recorder;
use planarium_mesos::Alone;
use planarium_part::{Flags, Loading, Number, System};
use planarium_protocol::input::LoadService;
use std::sync::Arc;

/// Counts the readings of a definition's shape while it is read, shown, checked and started.
fn readings_of(file: &str, text: &str) -> u32 {
    let load = LoadService {
        files: [(file.to_owned(), text.to_owned())].into_iter().collect(),
        ..LoadService::default()
    };
    let before = READINGS.get();
    let definition = Daemon::read(&load);
    assert!(Daemon::preview(&definition).expect("usable").is_ok());
    assert!(Daemon::findings_against(&definition, None).is_empty());
    let mut cx = Recorder::new(1);
    let mut alone = Alone::new(&mut cx, &Flags::default());
    let mut cluster = alone.cluster(cx.now());
    let loading = Loading { number: Number(1), load: Arc::new(load), definition: definition.clone() };
    let (daemon, _) = Daemon::start(&mut cx, &mut cluster, loading).expect("it starts");
    // It is held against what runs as well.
    Daemon::findings_against(&definition, Some(&daemon));
    READINGS.get() - before
}

#[test]
fn an_app_a_pod_and_a_group_are_read_once() {
    assert_eq!(readings_of("app.json", r#"{"id": "/a", "cmd": "sleep 1", "instances": 2}"#), 1);
    let pod = r#"{"id": "/p", "containers": [{"name": "c", "resources": {"cpus": 0.1, "mem": 32}}]}"#;
    assert_eq!(readings_of("pod.json", pod), 1);
    let group = r#"{"id": "/g", "apps": [{"id": "a", "cmd": "sleep 1"}, {"id": "b", "cmd": "sleep 1"}]}"#;
    assert_eq!(readings_of("group.json", group), 1);
}
