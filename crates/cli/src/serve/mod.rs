//! `planarium serve`: the router behind a socket, the page, and the WebSocket through which a page shows the served world.

use crate::End;
use crate::args::{Clock, ServeArgs};
use crate::link;
use crate::load::{Runnable, machines, runnable};
use anyhow::{Context as _, Result, bail};
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use events::{Ended, Events};
use guard::Guard;
use planarium_protocol::input::Input;
use planarium_protocol::view::{ServiceView, View};
use planarium_rest::{MAX_BODY, Rest, Session, handle_within};
use planarium_source::render;
use planarium_world::Genesis;
use site::Site;
use std::future::IntoFuture as _;
use std::io::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

mod browser;
mod desk;
mod events;
mod greeting;
mod guard;
mod site;
mod socket;

/// Advice for an empty cluster.
const NO_MACHINES: &str = "\
note: there are no machines, so nothing can be placed
  planarium serve PATH                  serves a definition, a scenario or a package on a cluster
  planarium serve --cluster default     starts with the machines of a preset
  POST /sim/agents                      adds machines: {\"count\": 3}
  PUT /sim/scenario                     starts a scenario
";

/// Advice where there is no page to open.
const NO_PAGE: &str = "\
note: this command has no page built in, so --open has nothing to open
  cargo xtask dist                      builds the page into dist/
  planarium serve --page dist --open    serves it from there
";

/// The span after which an advance is answered with what it has reached.
const PATIENCE: Duration = Duration::from_secs(3);

/// The longest time that the real clock keeps requests waiting.
const TICK: Duration = Duration::from_millis(500);

type Shared = Arc<Mutex<Session>>;

/// State that every request is answered from.
#[derive(Clone)]
struct Served {
    session: Shared,
    guard: Arc<Guard>,
    site: Arc<Site>,
    /// The clock moves with the wall clock.
    runs: bool,
    /// Places for further pages.
    pages: Arc<Semaphore>,
}

/// Serves until interrupted.
pub(crate) fn run(args: &ServeArgs) -> Result<End> {
    let address: SocketAddr =
        args.listen.parse().with_context(|| format!("--listen `{}`: write ADDRESS:PORT", args.listen))?;
    if !(args.speed.is_finite() && args.speed > 0.0 && args.speed <= 10_000.0) {
        bail!("--speed is above 0 and at most 10000");
    }
    if let Some(folder) = &args.page
        && !Site::new(Some(folder)).is_there()
    {
        bail!(
            "--page `{}`: there is no index.html in it; `cargo xtask dist` builds a page",
            folder.display()
        );
    }
    let mut session = match &args.path {
        None => without_services(args)?,
        Some(path) => match started(path, args)? {
            Some(session) => session,
            None => return Ok(End::BadInput),
        },
    };
    session.advance_to(0);
    let shared = Arc::new(Mutex::new(session));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(address, args, shared))?;
    Ok(End::Good)
}

/// A world of machines only, and of none without `--cluster`.
fn without_services(args: &ServeArgs) -> Result<Session> {
    let default = Genesis::default();
    let mut session = Session::new(Genesis { seed: args.input.seed.unwrap_or(default.seed), ..default });
    for add in args.input.cluster.as_deref().map(machines).transpose()?.unwrap_or_default() {
        session.engine.apply(Input::AddAgent(add));
    }
    Ok(session)
}

/// The world that a path or a link starts with; nothing when the input has errors, which are printed.
fn started(path: &Path, args: &ServeArgs) -> Result<Option<Session>> {
    if let Some(engine) = link::replayed(path)? {
        return Ok(Some(Session::over(engine, None)));
    }
    Ok(match runnable(path, &args.input)? {
        Runnable::Yes(scenario, diagnostics, sources) => {
            eprint!("{}", render::text::render(&diagnostics, &sources));
            Some(Session::of_scenario(*scenario))
        }
        Runnable::No(diagnostics, sources) => {
            eprint!("{}", render::text::render(&diagnostics, &sources));
            None
        }
    })
}

async fn serve(address: SocketAddr, args: &ServeArgs, shared: Shared) -> Result<()> {
    let listener =
        tokio::net::TcpListener::bind(address).await.with_context(|| format!("listening on {address}"))?;
    let bound = listener.local_addr()?;
    let view = shared.lock().unwrap_or_else(PoisonError::into_inner).engine.view();
    let site = Arc::new(Site::new(args.page.as_deref()));
    let address = site.is_there().then(|| page_address(bound));
    let shown = address.as_ref().map(|address| format!("the page on this world: {address}\n"));
    let said = format!("listening on http://{bound}\n{}{}", kubectl(&view, bound), shown.unwrap_or_default());
    // In one piece, and whatever comes of it: whoever waits for the first line may close the pipe behind it.
    let _ = std::io::stdout().write_all(said.as_bytes());
    if view.cluster.machines.is_empty() {
        eprint!("{NO_MACHINES}");
    }
    let runs = args.clock == Clock::Real;
    if runs {
        tokio::spawn(drive(Arc::clone(&shared), args.speed));
    }
    if args.open {
        open(address);
    }
    let guard = Arc::new(Guard::new(bound, &args.allow_host, &args.allow_origin));
    let pages = Arc::new(Semaphore::new(socket::PAGES));
    let app =
        axum::Router::new().fallback(answer).with_state(Served { session: shared, guard, site, runs, pages });
    // Event streams have no end of their own, so nothing waits for them.
    tokio::select! {
        served = axum::serve(listener, app).into_future() => served?,
        () = told_to_end() => {}
    }
    Ok(())
}

/// The address of the page on the served world.
fn page_address(bound: SocketAddr) -> String {
    let mut near = bound;
    if bound.ip().is_unspecified() {
        near.set_ip(if bound.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    format!("http://{near}/?world={}", socket::PATH)
}

/// Opens the page in the browser, beside the server.
fn open(address: Option<String>) {
    let Some(address) = address else {
        eprint!("{NO_PAGE}");
        return;
    };
    std::thread::spawn(move || {
        if !browser::opens(&address) {
            eprintln!("no desktop here: open {address} in a browser yourself");
        }
    });
}

/// A line to copy for those who have `kubectl`, where a system with Kubernetes below it is served, or nothing yet.
fn kubectl(view: &View, bound: SocketAddr) -> String {
    let needs = |service: &Arc<ServiceView>| {
        let mut dialects = planarium_world::dialects().iter();
        dialects.any(|dialect| *dialect.word == *service.dialect && dialect.needs.contains(&"kube"))
    };
    if view.services.is_empty() || view.services.iter().any(needs) {
        format!("kubectl --server http://{bound}/kube get all\n")
    } else {
        String::new()
    }
}

/// Waits for Ctrl-C or, if the platform has it, for SIGTERM.
async fn told_to_end() {
    let interrupted = async { drop(tokio::signal::ctrl_c().await) };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                () = interrupted => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    interrupted.await;
}

/// Moves the clock with the wall clock.
#[expect(clippy::disallowed_types, reason = "the driver of a real clock reads one")]
async fn drive(shared: Shared, speed: f64) {
    let mut ticks = tokio::time::interval(Duration::from_millis(50));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let mut last = std::time::Instant::now();
    let mut owed_ms = 0.0_f64;
    loop {
        ticks.tick().await;
        let now = std::time::Instant::now();
        owed_ms += now.duration_since(last).as_secs_f64() * 1000.0 * speed;
        last = now;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive span, whole milliseconds of it"
        )]
        let whole = owed_ms as u64;
        #[expect(clippy::cast_precision_loss, reason = "a span of a tick")]
        let passed = whole as f64;
        owed_ms -= passed;
        let mut session = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let to = session.engine.now_ms().saturating_add(whole);
        // Requests are answered in between; a world that is slower than the clock falls behind.
        session.advance_within(to, &|| now.elapsed() >= TICK);
    }
}

/// Answers a request; an advance stops in time for its answer.
#[expect(clippy::disallowed_types, reason = "the driver of a simulation reads a clock")]
fn answer_in_time(session: &mut Session, request: &planarium_rest::Request) -> planarium_rest::Response {
    let begun = std::time::Instant::now();
    handle_within(session, request, &|| begun.elapsed() >= PATIENCE)
}

async fn answer(State(served): State<Served>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    if let Some(why) = served.guard.refuses(&parts.method, &parts.headers) {
        return built(
            StatusCode::FORBIDDEN,
            "text/plain;charset=utf-8",
            &[],
            format!("{why}\n").into_bytes(),
        );
    }
    if parts.method == axum::http::Method::GET {
        if parts.uri.path() == socket::PATH {
            return socket::answer(parts, served).await;
        }
        if let Some((content_type, bytes)) = served.site.file(parts.uri.path()) {
            return built(StatusCode::OK, content_type, &[], bytes.into_owned());
        }
    }
    let shared = served.session;
    if matches!(parts.method, axum::http::Method::GET | axum::http::Method::HEAD) && parts.uri.path() == "/" {
        let session = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let page = greeting::page(&session.engine.view(), session.engine.now_ms());
        drop(session);
        let policy = [("content-security-policy".into(), greeting::POLICY.to_owned())];
        return built(StatusCode::OK, "text/html;charset=utf-8", &policy, page.into_bytes());
    }
    let Ok(body) = to_bytes(body, MAX_BODY + 1).await else {
        return built(StatusCode::PAYLOAD_TOO_LARGE, "text/plain", &[], b"the body is too large".to_vec());
    };
    let request = planarium_rest::Request {
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts
            .headers
            .iter()
            .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
            .collect(),
        body: body.to_vec(),
    };
    let mut session = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let response = answer_in_time(&mut session, &request);
    drop(session);
    let status = StatusCode::from_u16(response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = match response.rest {
        Rest::Events(stream) => Body::new(Events::new(*stream, shared, response.body)),
        Rest::Ended => Body::new(Ended::new(response.body)),
        Rest::Whole => Body::from(response.body),
    };
    built(status, response.content_type, &response.headers, body)
}

fn built(
    status: StatusCode,
    content_type: &str,
    headers: &[(std::borrow::Cow<'static, str>, String)],
    body: impl Into<Body>,
) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    if let Ok(value) = HeaderValue::from_str(content_type)
        && !content_type.is_empty()
    {
        response.headers_mut().insert(header::CONTENT_TYPE, value);
    }
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value))
        {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
