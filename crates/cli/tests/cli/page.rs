//! The WebSocket of `planarium serve`, as a page uses it, and the files of the page.

use crate::http::Server;
use crate::{file, folder, planarium};
use planarium_messages::facts::{Fact, Served};
use planarium_messages::questions::{Ask, Begin, Question};
use planarium_messages::wire::{Asked, Decoder, Told, UNASKED, VERSION, text, told};
use std::net::TcpStream;
use std::time::Duration;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::http::StatusCode;
use tungstenite::{Error, Message, WebSocket};

/// A page without a browser.
struct Page {
    socket: WebSocket<TcpStream>,
    decoder: Decoder,
    number: u32,
}

/// Opens the socket as a page of an origin; a program names none.
fn connected(server: &Server, origin: Option<&str>) -> Result<WebSocket<TcpStream>, StatusCode> {
    let mut request = format!("ws://{}/sim/page", server.address).into_client_request().expect("a request");
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().expect("a header"));
    }
    let stream = TcpStream::connect(&server.address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time-out");
    match tungstenite::client(request, stream) {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::HandshakeError::Failure(Error::Http(response))) => Err(response.status()),
        Err(other) => panic!("{other}"),
    }
}

fn send(socket: &mut WebSocket<TcpStream>, asked: &Asked) {
    socket.send(Message::text(text(asked))).expect("sent");
}

/// The next message, or the reason for which the server closes.
fn heard(socket: &mut WebSocket<TcpStream>) -> Result<Told, String> {
    match socket.read().expect("a message") {
        Message::Text(text) => Ok(told(text.as_str()).expect("a message of ours")),
        Message::Close(frame) => Err(frame.map(|frame| frame.reason.to_string()).unwrap_or_default()),
        other => panic!("{other:?}"),
    }
}

impl Page {
    /// A page that has been told the world.
    fn begun(server: &Server) -> (Self, Vec<Fact>) {
        let mut socket = connected(server, None).expect("a socket");
        assert!(matches!(heard(&mut socket), Ok(Told::Hello(VERSION))));
        send(&mut socket, &Asked::Hello(VERSION));
        let mut page = Self { socket, decoder: Decoder::default(), number: 0 };
        let facts = page.ask(Ask::Begin(Box::<Begin>::default()));
        (page, facts)
    }

    fn ask(&mut self, ask: Ask) -> Vec<Fact> {
        self.number += 1;
        let question = Question { number: self.number, selected: None, editor: None, ask };
        send(&mut self.socket, &Asked::Question(Box::new(question)));
        let (number, facts) = self.facts();
        assert_eq!(number, self.number, "one answer to each question, and nothing that was not asked for");
        facts
    }

    fn facts(&mut self) -> (u32, Vec<Fact>) {
        match heard(&mut self.socket) {
            Ok(Told::Facts(batch)) => (batch.number, self.decoder.facts(batch)),
            other => panic!("{other:?}"),
        }
    }

    /// What others did, for which the page has room now.
    fn news(&mut self) -> Vec<Fact> {
        send(&mut self.socket, &Asked::Ready);
        let (number, facts) = self.facts();
        assert_eq!(number, UNASKED);
        facts
    }
}

fn services(facts: &[Fact]) -> Option<Vec<String>> {
    facts.iter().rev().find_map(|fact| match fact {
        Fact::Moved(snapshot) => {
            let view = snapshot.view.as_ref()?;
            Some(view.services.iter().map(|service| service.name.to_string()).collect())
        }
        _ => None,
    })
}

#[test]
fn a_page_shows_what_another_client_does_and_acts_on_the_same_world() {
    let server = Server::start(&["examples/hello-world", "--clock", "manual"]);
    let (mut page, facts) = Page::begun(&server);
    assert_eq!(services(&facts), Some(vec!["hello-world".to_owned()]));
    assert!(facts.contains(&Fact::Served(Served { runs: false })));

    let app = r#"{"id":"/web","cmd":"sleep 1000","cpus":0.1,"mem":32}"#;
    server.json("POST", "/v2/apps", app, 201);
    let news = page.news();
    assert_eq!(services(&news).map(|names| names.len()), Some(2), "{news:?}");

    // Without room for more, nothing comes but the answer: `ask` would fail.
    server.json("POST", "/sim/advance", r#"{"for_ms":120000}"#, 200);
    page.ask(Ask::Complete { line: String::new(), service: None });
    let clock = page.ask(Ask::Frame(1_000)).into_iter().rev().find_map(|fact| match fact {
        Fact::Moved(snapshot) => Some(snapshot.clock.now_ms),
        _ => None,
    });
    assert_eq!(clock, Some(121_000));
    assert_eq!(server.json("GET", "/sim", "", 200)["now_ms"], 121_000);

    let kill = r#"{"kind":"fault","fault":"task-fail","target":{"task":"hello-0-server"}}"#;
    let input = serde_json::from_str(kill).expect("an input");
    page.ask(Ask::Do(Box::new(input)));
    let journal = server.json("GET", "/sim/journal", "", 200);
    let last = journal["entries"].as_array().and_then(|entries| entries.last()).cloned().unwrap_or_default();
    assert_eq!(last["input"]["fault"], "task-fail", "{last}");
}

#[test]
fn a_world_without_pages_and_one_with_a_page_come_out_the_same() {
    let digest = |watched: bool| {
        let server = Server::start(&["examples/canary", "--clock", "manual", "--seed", "5"]);
        let mut page = watched.then(|| Page::begun(&server).0);
        for _ in 0..5 {
            server.json("POST", "/sim/advance", r#"{"for_ms":60000}"#, 200);
            if let Some(page) = &mut page {
                page.news();
            }
        }
        server.json("GET", "/sim", "", 200)["digest"].clone()
    };
    assert_eq!(digest(true), digest(false));
}

#[test]
fn pages_of_other_origins_are_turned_down() {
    let server = Server::start(&["--clock", "manual", "--allow-origin", "http://localhost:3000"]);
    let own = format!("http://{}", server.address);
    for origin in [None, Some(own.as_str()), Some("http://localhost:3000")] {
        assert!(connected(&server, origin).is_ok(), "{origin:?}");
    }
    for origin in ["http://localhost:3001", "http://evil.example", "null"] {
        assert_eq!(connected(&server, Some(origin)).err(), Some(StatusCode::FORBIDDEN), "{origin}");
    }
    let (status, _, why) =
        server.send_as("GET", "/sim/page", "", &server.address, "origin: http://evil.example\r\n");
    assert_eq!(status, 403);
    assert!(why.contains("--allow-origin http://evil.example"), "{why}");
    assert_eq!(server.send_as("GET", "/sim/page", "", "evil.example", "").0, 403, "a foreign host");
    assert_eq!(server.send("GET", "/sim/page", "").0, 426);
}

#[test]
fn a_page_of_another_version_is_told_so() {
    let server = Server::start(&["--clock", "manual"]);
    for (said, wanted) in [
        (
            text(&Asked::Hello(VERSION + 1)),
            format!("this server speaks version {VERSION}, the page {}", VERSION + 1),
        ),
        (text(&Asked::Ping(1)), "a page says its version first".to_owned()),
        ("nonsense".to_owned(), "a page says its version first".to_owned()),
    ] {
        let mut socket = connected(&server, None).expect("a socket");
        assert!(heard(&mut socket).is_ok());
        socket.send(Message::text(said)).expect("sent");
        assert_eq!(heard(&mut socket).err(), Some(wanted));
    }
}

#[test]
fn a_ping_is_answered_and_nonsense_ends_the_connection_only() {
    let server = Server::start(&["--clock", "manual"]);
    let (mut page, _) = Page::begun(&server);
    send(&mut page.socket, &Asked::Ping(7));
    assert!(matches!(heard(&mut page.socket), Ok(Told::Pong(7))));
    page.socket.send(Message::text("{")).expect("sent");
    assert!(heard(&mut page.socket).is_err());
    assert!(services(&Page::begun(&server).1).is_some(), "another one is welcome");
}

#[test]
fn pages_and_questions_are_bounded() {
    let server = Server::start(&["--clock", "manual"]);
    let pages: Vec<_> = (0..16).map(|_| connected(&server, None).expect("a socket")).collect();
    assert_eq!(connected(&server, None).err(), Some(StatusCode::SERVICE_UNAVAILABLE));
    drop(pages);
}

#[test]
fn the_page_of_a_folder_is_served() {
    let dir = folder("page");
    file(&dir, "index.html", "<title>the page</title>");
    let server = Server::start(&["--clock", "manual", "--page", &dir.to_string_lossy()]);
    for target in ["/", "/index.html", "/?world=/sim/page"] {
        let (status, head, body) = server.send("GET", target, "");
        assert_eq!((status, body.as_str()), (200, "<title>the page</title>"), "{target}");
        assert!(head.contains("content-type: text/html"), "{head}");
    }
    assert_eq!(server.json("GET", "/sim", "", 200)["now_ms"], 0, "the API is there, too");
    let none = planarium(&["serve", "--listen", "127.0.0.1:0", "--page", "examples"]).ends(2);
    assert!(none.err.contains("index.html"), "{}", none.err);
}
