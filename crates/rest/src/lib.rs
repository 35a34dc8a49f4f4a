//! The transport-free router: a request in, a response out.
//!
//! Knows: paths, methods, status codes, body shapes of `/sim`; which engine input each call of the real APIs becomes.
//! Must not know: sockets, async, the rules of any simulated system.
//!
//! `/sim` answers errors as `application/problem+json`; under the real systems' prefixes the real shapes hold.

pub mod console;

mod left_out;
mod pieces;
mod problem;
mod routes;
mod stream;

pub use planarium_part::http::{EventStream, Request, Response, Rest};
pub use stream::{Polled, close_stream, poll_stream};

use planarium_scenario::Player;
use planarium_world::{Engine, Genesis};

/// Longest body that is looked at. *Units*: bytes.
pub const MAX_BODY: usize = 8 * 1024 * 1024;

/// Longest answer, the journal apart. *Units*: bytes.
pub const MAX_ANSWER: usize = 16 * 1024 * 1024;

/// State of a router: an engine and, where a scenario was given, the player of its script.
#[derive(Debug)]
pub struct Session {
    /// The engine.
    pub engine: Engine,
    /// The script being played.
    pub player: Option<Player>,
    /// Counts worlds.
    world: u32,
}

impl Session {
    /// An empty world.
    pub fn new(genesis: Genesis) -> Self {
        Self::over(Engine::new(genesis), None)
    }

    /// A session over an engine, with a script to come.
    pub fn over(engine: Engine, player: Option<Player>) -> Self {
        Self { engine, player, world: 0 }
    }

    /// Sets up a world from a scenario, with its script pending.
    pub fn of_scenario(scenario: planarium_scenario::Scenario) -> Self {
        let (engine, player) = Player::start(scenario);
        Self::over(engine, Some(player))
    }

    /// Shows another world from now on.
    pub fn replace(&mut self, next: Self) {
        *self = Self { world: self.world.wrapping_add(1), ..next };
    }

    /// Returns the number of worlds that this one replaced.
    pub fn world(&self) -> u32 {
        self.world
    }

    /// Moves the clock, playing the script on the way.
    pub fn advance_to(&mut self, ms: u64) {
        match &mut self.player {
            Some(player) if !player.done() => player.advance_to(&mut self.engine, ms),
            _ => {
                self.engine.advance_to(ms);
            }
        }
    }

    /// Advances the clock in pieces until `is_over` says that the time is used up. Returns whether it reached the
    /// instant.
    pub fn advance_within(&mut self, ms: u64, is_over: &dyn Fn() -> bool) -> bool {
        pieces::run(self, is_over, |session| {
            session.advance_to(ms);
            session.engine.was_cut_off()
        });
        self.engine.now_ms() >= ms
    }
}

/// Answers one request.
pub fn handle(session: &mut Session, request: &Request) -> Response {
    handle_within(session, request, &|| false)
}

/// Answers one request for a driver with a clock: an advance stops where it is when `is_over` returns true.
pub fn handle_within(session: &mut Session, request: &Request, is_over: &dyn Fn() -> bool) -> Response {
    if request.body.len() > MAX_BODY {
        return problem::problem(413, "the body is too large", &format!("at most {MAX_BODY} bytes are read"));
    }
    let response = routes::route(session, request, is_over);
    if response.body.len() <= MAX_ANSWER || routes::is_journal(request) {
        return response;
    }
    let detail = format!(
        "the answer has {} bytes, more than the {MAX_ANSWER} that one answer may have; ask for a part of it",
        response.body.len()
    );
    problem::problem(413, "the answer is too large", &detail)
}

/// Answers one request on the caller's engine, without a clock or a script. A request that replaces the world
/// replaces the engine.
pub fn handle_engine(engine: &mut Engine, request: &Request) -> Response {
    let lent = std::mem::replace(engine, Engine::new(Genesis::default()));
    let mut session = Session::over(lent, None);
    let response = handle(&mut session, request);
    *engine = session.engine;
    response
}
