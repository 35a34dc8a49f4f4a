//! The WebSocket through which a page shows the served world and commands it: the messages of the page's worker
//! (`planarium_messages::wire`), one text each.
//!
//! *Order*: the server says its version, the page says its own, then questions and answers. *Limits*: pages at once, questions
//! that wait, messages on their way, bytes of a question; a page that asks for more is closed.

use super::Served;
use super::desk::Desk;
use axum::body::Body;
use axum::extract::FromRequestParts as _;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::http::request::Parts;
use axum::http::{Response, StatusCode};
use planarium_messages::wire::{self, Asked, Told, VERSION};
use planarium_rest::MAX_BODY;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use tokio::sync::mpsc::{Receiver, channel};

/// The path of the endpoint.
pub(super) const PATH: &str = "/sim/page";

/// Maximum of pages at once.
pub(super) const PAGES: usize = 16;

/// Maximum of questions of a page that wait.
pub(super) const WAITING: usize = 256;

/// Maximum of messages to a page that wait.
const ON_THE_WAY: usize = 16;

/// Answers a request for a socket: an upgrade, or a plain sentence why not.
pub(super) async fn answer(mut parts: Parts, served: Served) -> Response<Body> {
    if let Some(why) = served.guard.refuses_page(&parts.headers) {
        return plain(StatusCode::FORBIDDEN, &why);
    }
    let Ok(upgrade) = WebSocketUpgrade::from_request_parts(&mut parts, &()).await else {
        return plain(StatusCode::UPGRADE_REQUIRED, "this is the WebSocket of the playground page");
    };
    let Ok(place) = Arc::clone(&served.pages).try_acquire_owned() else {
        let why = format!("{PAGES} pages show this world already; close one of them");
        return plain(StatusCode::SERVICE_UNAVAILABLE, &why);
    };
    upgrade.max_message_size(MAX_BODY).on_upgrade(move |mut socket| async move {
        let reason = converse(&mut socket, served).await;
        let frame =
            reason.map(|reason| CloseFrame { code: close_code::POLICY, reason: Utf8Bytes::from(reason) });
        let _ = socket.send(Message::Close(frame)).await;
        drop(place);
    })
}

fn plain(status: StatusCode, why: &str) -> Response<Body> {
    super::built(status, "text/plain;charset=utf-8", &[], format!("{why}\n").into_bytes())
}

/// Carries texts both ways until one side ends. Returns why the server ends it, if it does.
async fn converse(socket: &mut WebSocket, served: Served) -> Option<String> {
    send(socket, &Told::Hello(VERSION)).await?;
    match heard(socket).await? {
        Ok(Asked::Hello(VERSION)) => {}
        Ok(Asked::Hello(other)) => {
            return Some(format!("this server speaks version {VERSION}, the page {other}"));
        }
        _ => return Some("a page says its version first".to_owned()),
    }
    let (ask, asked) = sync_channel(WAITING);
    let (tell, told) = channel(ON_THE_WAY);
    let Served { session, runs, .. } = served;
    let desk = std::thread::Builder::new().name("page".to_owned());
    // A host is not for several threads, so it begins and ends on its own one.
    desk.spawn(move || Desk::new(session, runs).run(&asked, &tell)).ok()?;
    exchange(socket, &ask, told).await
}

async fn exchange(
    socket: &mut WebSocket,
    ask: &SyncSender<Asked>,
    mut told: Receiver<String>,
) -> Option<String> {
    loop {
        tokio::select! {
            text = told.recv() => {
                // The host has ended, by a panic: the page asks for another one.
                socket.send(Message::Text(text?.into())).await.ok()?;
            }
            asked = heard(socket) => match asked? {
                // The host may be at a long question; the server is alive nevertheless.
                Ok(Asked::Ping(number)) => send(socket, &Told::Pong(number)).await?,
                Ok(asked) => {
                    if ask.try_send(asked).is_err() {
                        return Some("too many questions at once".to_owned());
                    }
                }
                Err(reason) => return Some(reason),
            },
        }
    }
}

/// The next message of the page, or why it cannot be read. `None` when it is gone.
async fn heard(socket: &mut WebSocket) -> Option<Result<Asked, String>> {
    loop {
        return match socket.recv().await?.ok()? {
            Message::Text(text) => Some(wire::asked(text.as_str()).map_err(|reason| short(&reason))),
            Message::Binary(_) => Some(Err("messages are texts".to_owned())),
            Message::Close(_) => None,
            Message::Ping(_) | Message::Pong(_) => continue,
        };
    }
}

async fn send(socket: &mut WebSocket, told: &Told) -> Option<()> {
    socket.send(Message::Text(wire::text(told).into())).await.ok()
}

/// A reason that fits into a closing frame, which has 123 bytes.
fn short(reason: &str) -> String {
    let end =
        reason.char_indices().map(|(at, letter)| at + letter.len_utf8()).take_while(|end| *end <= 100).last();
    reason.get(..end.unwrap_or(0)).unwrap_or_default().to_owned()
}
