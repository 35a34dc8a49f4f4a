//! An edited definition is read once: check, preview, run and replay share the result.

use planarium_protocol::Input;
use planarium_protocol::input::LoadService;
use planarium_world::{Engine, Genesis, check, readings};

fn app(instances: u32) -> LoadService {
    let text = format!(r#"{{"id": "/shop/db", "cmd": "sleep 1000", "instances": {instances}}}"#);
    LoadService {
        dialect: "marathon".to_owned(),
        files: [("app.json".to_owned(), text)].into_iter().collect(),
        ..LoadService::default()
    }
}

/// Returns the number of definitions read by `work`.
fn read_by(work: impl FnOnce()) -> u64 {
    let before = readings();
    work();
    readings() - before
}

#[test]
fn an_edit_reads_its_definition_once() {
    let mut engine = Engine::new(Genesis::default());
    let edit = app(1);
    let first = read_by(|| {
        assert!(check(&edit).preview.is_some(), "it can be shown");
        assert!(!check(&edit).has_errors());
        assert!(engine.apply(Input::LoadService(edit.clone())).outcome.is_ok());
    });
    assert_eq!(first, 1, "what the check has read is what runs");
    // The first deployment waits for machines and is cancelled.
    let options = planarium_protocol::json!({"force": true});
    let change = LoadService { name: "/shop/db".to_owned(), options, ..app(2) };
    let second = read_by(|| {
        assert!(!check(&change).has_errors());
        assert!(engine.apply(Input::UpdateService(change.clone())).outcome.is_ok());
    });
    assert_eq!(second, 1, "another text is another definition");
    let replayed = read_by(|| {
        let end = engine.seq();
        engine.seek_seq(0);
        engine.seek_seq(end);
    });
    assert_eq!(replayed, 0, "a replay reads nothing anew");
}
