use super::*;
use crate::texts::Library;
use planarium_messages::questions::{Begin, Resume};
use planarium_protocol::Input;
use planarium_protocol::input::AddAgent;
use planarium_rest::{Request, handle};

fn scenario_of(example: &str) -> planarium_scenario::Scenario {
    let library = Library::new(std::rc::Rc::new(crate::texts::BuiltIn));
    crate::open::scenario_of_example(&library, example).expect("an example")
}

/// A served example, and a page that shows it.
fn served(example: &str, runs: bool) -> (Session, Guest) {
    let scenario = scenario_of(example);
    (Session::of_scenario(scenario), Guest::new(runs, 7))
}

fn ask(host: &mut Guest, session: &mut Session, ask: Ask) -> Vec<Fact> {
    host.answer(session, Question { number: 1, selected: None, editor: None, ask })
}

fn begin(host: &mut Guest, session: &mut Session) -> Vec<Fact> {
    ask(host, session, Ask::Begin(Box::<Begin>::default()))
}

fn call(session: &mut Session, method: &str, path: &str, body: &str) {
    let request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        body: body.as_bytes().to_vec(),
        ..Request::default()
    };
    let response = handle(session, &request);
    assert!(response.status < 300, "{path}: {}", String::from_utf8_lossy(&response.body));
}

fn refusals(facts: &[Fact]) -> Vec<&str> {
    facts
        .iter()
        .filter_map(|fact| if let Fact::Refused(text) = fact { Some(&**text) } else { None })
        .collect()
}

fn clock_of(facts: &[Fact]) -> Option<u64> {
    facts.iter().rev().find_map(|fact| match fact {
        Fact::Moved(snapshot) => Some(snapshot.clock.now_ms),
        _ => None,
    })
}

#[test]
fn a_page_hears_what_others_do_and_nothing_twice() {
    let (mut session, mut host) = served("hello-world", false);
    assert!(host.news(&mut session).is_empty(), "it has not begun");
    let facts = begin(&mut host, &mut session);
    assert!(facts.iter().any(|fact| matches!(fact, Fact::Opened { drafts, .. } if drafts.len() == 1)));
    assert!(facts.contains(&Fact::Served(Served { runs: false })));
    assert!(host.news(&mut session).is_empty());
    call(&mut session, "POST", "/sim/advance", r#"{"for_ms":90000}"#);
    let digest = session.engine.digest();
    let news = host.news(&mut session);
    assert_eq!(clock_of(&news), Some(90_000));
    assert!(host.news(&mut session).is_empty());
    assert_eq!(session.engine.digest(), digest, "looking changes nothing");
}

#[test]
fn a_command_of_the_page_is_an_input_of_the_served_world() {
    let (mut session, mut host) = served("hello-world", false);
    begin(&mut host, &mut session);
    let inputs = session.engine.inputs();
    let facts = ask(&mut host, &mut session, Ask::Do(Box::new(Input::AddAgent(AddAgent::default()))));
    assert_eq!(refusals(&facts), [""; 0]);
    assert_eq!(session.engine.inputs(), inputs + 1);
    assert!(facts.iter().any(|fact| matches!(fact, Fact::Told(_, None))), "nothing offers undo");
    ask(&mut host, &mut session, Ask::Frame(1_000));
    assert_eq!(session.engine.now_ms(), 1_000);
}

#[test]
fn what_would_replace_the_world_or_take_back_the_work_of_others_is_refused() {
    let (mut session, mut host) = served("hello-world", true);
    begin(&mut host, &mut session);
    let digest = session.engine.digest();
    for asked in [
        Ask::Undo,
        Ask::Reset,
        Ask::Apply,
        Ask::SetSeed(4),
        Ask::OpenExample("canary".into()),
        Ask::OpenText("name: x".into(), false),
        Ask::Play,
    ] {
        let facts = ask(&mut host, &mut session, asked.clone());
        assert_eq!(refusals(&facts).len(), 1, "{asked:?}");
    }
    ask(&mut host, &mut session, Ask::Frame(5_000));
    assert_eq!((session.engine.now_ms(), session.engine.digest()), (0, digest), "the server's clock runs it");
}

#[test]
fn another_world_is_shown_and_a_command_for_the_one_before_is_not_done() {
    let (mut session, mut host) = served("hello-world", false);
    begin(&mut host, &mut session);
    let other = scenario_of("canary");
    session.replace(Session::of_scenario(other));
    let inputs = session.engine.inputs();
    let facts = ask(&mut host, &mut session, Ask::Do(Box::new(Input::AddAgent(AddAgent::default()))));
    assert!(facts.iter().any(|fact| matches!(fact, Fact::Opened { .. })));
    assert_eq!((refusals(&facts), session.engine.inputs()), (vec![REPLACED], inputs));
}

#[test]
fn a_page_that_comes_back_keeps_its_looks_where_the_world_is_the_same() {
    let (mut session, mut host) = served("hello-world", false);
    begin(&mut host, &mut session);
    let back = |lineage| Ask::Resume(Box::new(Resume { lineage, ..Resume::default() }));
    for (lineage, opens) in [((7, 0), false), ((8, 0), true)] {
        let mut next = Guest::new(false, 7);
        let facts = ask(&mut next, &mut session, back(lineage));
        assert_eq!(facts.iter().any(|fact| matches!(fact, Fact::Opened { .. })), opens);
        assert_eq!(clock_of(&facts), Some(0));
    }
}

#[test]
fn each_page_hears_the_story() {
    let (mut session, _) = served("canary", false);
    let mut pages = [Guest::new(false, 1), Guest::new(false, 1)];
    for page in &mut pages {
        begin(page, &mut session);
    }
    session.advance_to(600_000);
    for page in &mut pages {
        let news = page.news(&mut session);
        let told = news.iter().any(|fact| {
            matches!(fact, Fact::Story(story) if !story.said.is_empty()
            || story.lines.iter().any(|line| line.done))
        });
        assert!(told);
    }
    assert!(session.player.is_some(), "the script is the session's again");
}

#[test]
fn a_service_that_another_client_loads_comes_into_the_editor() {
    let (mut session, mut host) = served("hello-world", false);
    begin(&mut host, &mut session);
    let app = r#"{"dialect":"marathon","files":{"app.json":"{\"id\":\"/web\",\"cmd\":\"sleep 1\",\"cpus\":0.1,\"mem\":32}"}}"#;
    call(&mut session, "POST", "/sim/services", app);
    let news = host.news(&mut session);
    assert!(news.iter().any(|fact| matches!(fact, Fact::Drafts(drafts) if drafts.len() == 2)));
    assert!(host.news(&mut session).is_empty());
}
