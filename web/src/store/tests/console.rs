//! Typed commands.

use crate::store::Action;
use crate::store::console::{ConsoleAct, key_of};
use crate::store::hub::Hub;
use crate::store::state::ToastUndo;
use planarium_messages::facts::Answer;
use planarium_protocol::Input;
use planarium_protocol::input::LoadService;

fn page() -> Hub {
    super::opened("", Some("hello-world"))
}

fn on(hub: &Hub, line: &str) -> Answer {
    hub.send(Action::Console(ConsoleAct::Edit(line.into())));
    hub.send(Action::Console(ConsoleAct::Run));
    hub.state().console.answers.back().cloned().expect("an answer")
}

#[test]
fn a_typed_command_is_an_input_at_the_cursor() {
    let hub = page();
    let service = hub.state().world.view.services[0].name.to_string();
    let before = hub.state().world.log.len();
    let shown = on(&hub, "plan status deploy");
    assert_eq!((shown.code, &*shown.stderr), (0, ""));
    assert!(shown.stdout.starts_with("deploy (serial strategy) (PENDING)\n"), "{}", shown.stdout);
    assert_eq!(hub.state().world.log.len(), before, "to look changes nothing");
    assert_eq!(hub.state().console.line, "", "the line is free again");

    let done = on(&hub, &format!("$ dcos {service} plan pause deploy"));
    assert_eq!((&*done.stdout, done.code), ("\"deploy\" plan has been paused.\n", 0), "{}", done.stderr);
    let state = hub.state();
    assert!(state.world.log.len() > before && state.world.branches.len() == 1);
    assert_eq!(&*state.world.view.services[0].plans[0].status, "WAITING");

    let again = on(&hub, "plan pause deploy");
    assert!(again.code == 1 && again.stderr.starts_with("Cannot execute command."), "{}", again.stderr);
    let wrong = on(&hub, "plan statsu deploy");
    assert!(wrong.code == 2 && wrong.stderr.contains("did you mean 'status'?"), "{}", wrong.stderr);
    assert_eq!(hub.state().ui.toasts.len(), 1, "the one that was carried out can be undone");
    hub.send(Action::Undo);
    assert_eq!(&*hub.state().world.view.services[0].plans[0].status, "PENDING");
}

#[test]
fn a_typed_command_in_the_past_opens_a_branch() {
    let hub = page();
    hub.send(Action::SeekMs(20_000));
    hub.send(Action::SeekMs(0));
    let original = hub.state().world.branches.iter().find(|branch| branch.current).expect("a branch").id;
    assert_eq!(on(&hub, "plan list").code, 0);
    assert_eq!(hub.state().world.branches.len(), 1, "to look opens none");
    assert_eq!(on(&hub, "plan pause deploy").code, 0);
    let state = hub.state();
    assert_eq!(state.world.branches.len(), 2);
    let toast = state.ui.toasts.last().expect("a message");
    assert_eq!(toast.undo, Some(ToastUndo::Last));
    hub.send(Action::Undo);
    assert!(hub.state().world.branches.iter().any(|branch| branch.current && branch.id == original));
    assert_eq!(&*hub.state().world.view.services[0].plans[0].status, "PENDING");
}

#[test]
fn names_come_from_the_present_service() {
    let hub = page();
    hub.send(Action::SeekMs(120_000));
    let words = |line: &str| {
        hub.send(Action::Console(ConsoleAct::Edit(line.into())));
        let state = hub.state();
        state.console.completion().map_or_else(Vec::new, |known| known.words.clone())
    };
    assert_eq!(words("pod restart h"), ["hello-0"]);
    assert_eq!(words("debug pod pause hello-0 -t "), ["server"]);
    assert_eq!(
        words("plan force-restart deploy world "),
        ["world-0:[server, sidecar]", "world-1:[server, sidecar]"]
    );
    assert_eq!(words("plan status nothing --name "), ["hello-world"]);
}

#[test]
fn with_several_services_one_is_selected_or_named() {
    let hub = page();
    let mut load =
        LoadService { dialect: planarium_world::dialects()[0].word.into(), ..LoadService::default() };
    let text = "name: /team/other\npods:\n  node:\n    count: 1\n    tasks:\n      server: {goal: RUNNING, cmd: ./node, cpus: 0.1, memory: 32}\n";
    load.files.insert("svc.yml".into(), text.into());
    hub.send(Action::Do(Box::new(Input::LoadService(load))));
    assert_eq!(hub.state().world.view.services.len(), 2, "{:?}", hub.state().ui.toasts);
    let phase = |line: &str| on(&hub, line).stdout.lines().nth(1).unwrap_or_default().to_owned();
    assert!(phase("plan status deploy").contains("hello ("), "the first one");
    hub.send(Action::Console(ConsoleAct::Service(key_of(&hub.state().world.view.services[1]).into())));
    assert!(phase("plan status deploy").contains("node ("), "the one picked");
    assert!(phase("plan status deploy --name hello-world").contains("hello ("), "the one named");
    hub.send(Action::Console(ConsoleAct::Edit("plan pause deploy ".into())));
    let words =
        |hub: &Hub| hub.state().console.completion().map_or_else(Vec::new, |known| known.words.clone());
    assert_eq!(words(&hub), ["node"]);
    hub.send(Action::Console(ConsoleAct::Edit("dcos ".into())));
    assert_eq!(words(&hub), ["hello-world", "team/other"]);
    hub.send(Action::Console(ConsoleAct::Service("gone".into())));
    assert!(phase("plan status deploy").contains("hello ("), "a service that is gone is not talked to");
}
