//! The contract between the world and a system.
//!
//! *Knows*: what the world tells a daemon and requires of it. *Must not know*: any system's rules.
//!
//! *Order* within one instant: an input or a timer is carried out; then the world delivers events (messages of the Mesos
//! master, reports about processes, changes of Kubernetes objects) until none are left. A daemon acts immediately, through
//! its ports, under the recorder's current cause.

use crate::console::Console;
use crate::definition::{Definition, Files};
use crate::http::{Request, Response};
use crate::part::{Done, Part};
use planarium_ground::Cx;
use planarium_kernel::Digestible;
use planarium_protocol::changes::{Changes, Recipe};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{HttpCall, LoadService, PlanCommand, PodCommand, Target};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::{ServiceView, StatusWord};
use planarium_protocol::{Refusal, Text, Why};
use planarium_source::Diagnostic;
use serde_json::Value;
use std::sync::Arc;

/// Number of a service in order of installation, never reused. A daemon bears the number of its first service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Digestible)]
#[digest(0)]
pub struct Number(pub u32);

/// Facts about a system by which it is found. They are there before its code is: a page fetches that when a system is first used.
#[derive(Clone, Copy)]
pub struct Dialect {
    /// The word that inputs, scenarios and views use: `sdk`, `marathon`, `kudo`, `skopos`.
    pub word: &'static str,
    /// The real system's name as people write it: `DC/OS SDK`, `Marathon`.
    pub title: &'static str,
    /// Noun for a definition of this system: `DC/OS SDK service`, `Marathon app or group`.
    pub noun: &'static str,
    /// The parts that it needs under it, by their words: `mesos`, `kube`. Machines are there in any case.
    pub needs: &'static [&'static str],
    /// Rates how likely these files belong to this dialect: 0 not at all, 1 perhaps, 2 by a key of the definition, 3 by a file's
    /// name. Nothing is parsed; file names and outermost keys are checked ([`planarium_source::detect`]).
    pub detect: fn(&Files) -> u8,
    /// Outermost keys of its definitions: ambiguous files are read as the dialect with most matching keys.
    pub keys: &'static [&'static str],
    /// Returns whether a request's path, in decoded segments, belongs to its API, whichever part serves it.
    pub owns: fn(&[&str]) -> bool,
    /// Its status words.
    pub statuses: &'static [StatusWord],
    /// Leading words of its command line's real program, which select that: `NAME` is a placeholder for a service's name:
    /// `["dcos", "NAME"]`, `["kubectl", "kudo"]`. They may be left out if the service is already selected.
    pub programs: &'static [&'static [&'static str]],
    /// A command of its command line as people type it.
    pub example: &'static str,
    /// Words in lines of another system's command line that may name objects of this one.
    pub objects: &'static [&'static str],
}

/// The daemons that hold the services of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Daemons {
    /// One daemon holds all services.
    One,
    /// Each service has its own daemon, unless it names an existing one ([`LoadService::framework`]).
    OneEach,
}

/// A service to load into a daemon.
#[derive(Clone, Debug)]
pub struct Loading<D> {
    /// Its number.
    pub number: Number,
    /// The request it comes with.
    pub load: Arc<LoadService>,
    /// The request's definition, usable.
    pub definition: D,
}

/// Events of a stream since the last poll.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamNews {
    /// Bytes to send, perhaps none.
    pub bytes: Vec<u8>,
    /// Nothing more will come.
    pub ended: bool,
    /// Topic of the next poll, if it changes.
    pub topic: Option<Value>,
}

/// One daemon of a real system: its scheduler or controller. Clones share unchanged parts.
///
/// Every method that changes something gets the recorder (`cx`: instant, cause, events) and the ports. The world
/// undoes the changes of a refused method, including events.
pub trait System: Part + Clone + Sized {
    /// A definition of this system after reading. Cheap to clone: large values are in an `Arc`.
    type Definition: Definition + Clone;

    /// Facts about the system itself.
    const DIALECT: Dialect;

    /// Its command line.
    const CONSOLE: Console;

    /// The daemons that hold the services of this system.
    const DAEMONS: Daemons = Daemons::One;

    /// In a script, a command or a call of its API comes before the work of its instant; otherwise after it.
    const COMMANDS_FIRST: bool = false;

    /// Answers a request when no daemon of the system is there. `parts` are the decoded segments of the path.
    fn nobody(request: &Request, parts: &[&str]) -> Response;

    /// Returns the readable parts of a service's API: path and description.
    fn links(service: &ServiceView) -> Vec<(String, &'static str)>;

    /// Makes a definition run as soon as it is loaded, if the real system would wait for a command.
    fn carry_out(load: &mut LoadService) {
        let _ = load;
    }

    /// Reads a definition.
    fn read(load: &LoadService) -> Self::Definition;

    /// Returns the plans before anything runs; none when the real system would refuse to start it.
    fn preview(definition: &Self::Definition) -> Option<Result<Arc<ServiceView>, Refusal>>;

    /// Returns the reasons against a definition that is to replace the running one, as findings in its text.
    fn findings_against(definition: &Self::Definition, running: Option<&Self>) -> Vec<Diagnostic> {
        let _ = (definition, running);
        Vec::new()
    }

    // ---- services ----------------------------------------------------------------------------

    /// A daemon without a service, where the real one runs on its own (Marathon, the KUDO manager).
    fn empty(cx: &mut Cx, ports: &mut Self::Ports<'_>, number: Number) -> Option<Self> {
        let _ = (cx, ports, number);
        None
    }

    /// Returns this daemon's objection to loading a service, into any daemon.
    fn objection(&self, load: &LoadService, name: &str) -> Option<Refusal> {
        let _ = load;
        let taken = self.names().iter().any(|(_, own)| own.trim_matches('/') == name.trim_matches('/'));
        taken.then(|| {
            let text = format!("There is a service '{name}' already; update it, or remove it first");
            Refusal::new(RefusalCode::Conflict, text)
        })
    }

    /// Starts a daemon with its first service. Returns the input's answer.
    ///
    /// *Errors*: the real system's refusals.
    fn start(
        cx: &mut Cx,
        ports: &mut Self::Ports<'_>,
        loading: Loading<Self::Definition>,
    ) -> Result<(Self, Value), Refusal> {
        let mut daemon = Self::empty(cx, ports, loading.number).ok_or_else(|| {
            let text = format!("{} starts with a service only", Self::DIALECT.title);
            Refusal::new(RefusalCode::Unsupported, text)
        })?;
        let answer = daemon.load(cx, ports, loading)?;
        Ok((daemon, answer))
    }

    /// Takes a service in.
    fn load(&mut self, cx: &mut Cx, ports: &mut Self::Ports<'_>, loading: Loading<Self::Definition>) -> Done;

    /// Returns the request of an update as this daemon reads it; `None` if it is unchanged.
    fn adapted(&self, load: &LoadService) -> Result<Option<LoadService>, Refusal> {
        let _ = load;
        Ok(None)
    }

    /// Gives a service of this daemon another definition. The loading bears the service's own number.
    fn update(
        &mut self,
        cx: &mut Cx,
        ports: &mut Self::Ports<'_>,
        loading: Loading<Self::Definition>,
    ) -> Done;

    /// Returns what an update to a definition, or its installation, would change now, without carrying it out; `None` where the
    /// system does not tell.
    fn changes(&self, ports: &Self::Ports<'_>, definition: &Self::Definition) -> Option<Changes> {
        let _ = (ports, definition);
        None
    }

    /// Lists changes of single fields of a definition that are worth trying in two worlds.
    fn recipes(load: &LoadService, definition: &Self::Definition) -> Vec<Recipe> {
        let _ = (load, definition);
        Vec::new()
    }

    /// Pods that a plan wants and those that are available; `None` where the system does not count them.
    fn capacity(&self, service: &str, plan: &str) -> Option<(u32, u32)> {
        let _ = (service, plan);
        None
    }

    /// Begins to uninstall a service, or drops it at once (`force`).
    fn remove(&mut self, cx: &mut Cx, ports: &mut Self::Ports<'_>, name: &str, force: bool) -> Done;

    /// The names by which services are found here, as they were loaded: leading and trailing slashes do not matter.
    fn names(&self) -> Vec<(Number, Text)>;

    /// Returns the names of its views ([`System::views`]).
    fn shown(&self) -> Vec<(Number, Text)> {
        self.names()
    }

    /// The request that a service was loaded or last updated with.
    fn request(&self, name: &str) -> Option<&Arc<LoadService>>;

    /// Returns that request with the changes made by calls since: scaled, rolled back. `None` if it still describes what runs.
    fn request_now(&self, name: &str, ports: &Self::Ports<'_>) -> Option<LoadService> {
        let _ = (name, ports);
        None
    }

    /// Returns whether nothing is left of the daemon, so that the world drops it.
    fn is_over(&self) -> bool {
        false
    }

    // ---- events ------------------------------------------------------------------------------

    /// A fault ended its program (or, with a pattern for the service, that of some services), and it is started again.
    fn restart(&mut self, cx: &mut Cx, ports: &mut Self::Ports<'_>, target: &Target);

    // ---- commands ----------------------------------------------------------------------------

    /// Carries a plan command out.
    fn plan_command(&mut self, cx: &mut Cx, ports: &mut Self::Ports<'_>, command: &PlanCommand) -> Done;

    /// Carries a pod command out.
    fn pod_command(&mut self, cx: &mut Cx, ports: &mut Self::Ports<'_>, command: &PodCommand) -> Done;

    /// Carries out a journaled call of its API; `None` if the path belongs to another daemon. `parts` are the decoded segments of the path; the query
    /// is in the call's path. Answer with [`outcome`], so that [`reply_as_recorded`] can make the response. A refusal's message is the body, its
    /// status the status; [`Refusal::body`] holds a JSON body.
    fn call(
        &mut self,
        cx: &mut Cx,
        ports: &mut Self::Ports<'_>,
        call: &HttpCall,
        parts: &[&str],
    ) -> Option<Done> {
        let _ = (cx, ports, call, parts);
        None
    }

    // ---- questions ---------------------------------------------------------------------------

    /// A file that was rendered for a task of a service, as it lies there; status and body.
    fn rendered_file(&self, service: &str, task: &str, file: &str) -> Option<Result<(u16, Value), Refusal>> {
        let _ = (service, task, file);
        None
    }

    /// Returns the views of its services, each with the number that orders it among all.
    fn views(&self) -> Vec<(Number, Arc<ServiceView>)>;

    /// The word that an element of a service shows; `element` is `PLAN`, `PLAN/PHASE` or `PLAN/PHASE/STEP`.
    fn status_at(&self, service: &str, element: &str) -> Option<&'static str>;

    /// Explains why an element is not finished; `None` if it does not exist.
    fn why(&self, path: &ElementPath, ports: &Self::Ports<'_>) -> Option<Why>;
}

/// The answer of a journaled call: status, headers and body of the response.
pub fn outcome(status: u16, headers: &[(&str, &str)], body: Value) -> Value {
    let mut answer = json!({ "status": status });
    if let Some(map) = answer.as_object_mut() {
        if !headers.is_empty() {
            let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
            map.insert("headers".to_owned(), Value::Object(headers.collect()));
        }
        if !body.is_null() {
            map.insert("body".to_owned(), body);
        }
    }
    answer
}

/// Returns the response for an [`outcome`] or a refusal: JSON bodies as JSON, texts as text.
pub fn reply_as_recorded(outcome: Result<Value, Refusal>) -> Response {
    match outcome {
        Ok(answer) => {
            let status =
                answer.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
            let mut response = match answer.get("body") {
                None => Response::empty(status.unwrap_or(200)),
                Some(Value::String(text)) => Response::text(status.unwrap_or(200), text.as_str()),
                Some(body) => Response::json(status.unwrap_or(200), body),
            };
            for (name, value) in answer.get("headers").and_then(Value::as_object).into_iter().flatten() {
                if let Some(value) = value.as_str() {
                    response.headers.push((name.clone().into(), value.to_owned()));
                }
            }
            response
        }
        Err(refusal) => match &refusal.body {
            Some(body) => Response::json(refusal.status, body),
            None => Response::text(refusal.status, refusal.message),
        },
    }
}
