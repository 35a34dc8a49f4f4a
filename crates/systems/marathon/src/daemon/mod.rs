//! Marathon as the world drives it: one daemon with all its apps, pods and groups.
//!
//! *Knows*: the name of each loaded definition, and the API call for each operation of the contract. *Must not know*:
//! any rule of apps or deployments.

mod contract;
mod preview;
mod wire;

use crate::api::caller::Caller;
use crate::api::events::Listeners;
use crate::api::route::{Asked, Query, Route};
use crate::api::{Answer, refusal};
use crate::decode::{Loaded, What, try_on};
use crate::definition::posted::PostedSpec;
use crate::definition::{Refused, RunSpec};
use crate::groups::change::Posted;
use crate::id::PathId;
use crate::marathon::Marathon;
use crate::port::Port;
use crate::settings::Settings;
use crate::shown::DIALECT;
use crate::view::{Shown, ViewCache};
use planarium_kernel::{Digestible, SortedMap, Weight};
use planarium_part::{Cx, Definition, Loading, Number};
use planarium_protocol::input::LoadService;
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{EventBody, Refusal, Text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A definition that was loaded.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) name: Text,
    pub(crate) load: Arc<LoadService>,
    pub(crate) definition: Loaded,
    /// The apps and pods that the definition made, with the ports that they were given.
    pub(crate) made: Vec<Arc<RunSpec>>,
}

impl Weight for Member {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let same = before.is_some_and(|old| Arc::ptr_eq(&old.load, &self.load));
        64 + if same { 0 } else { self.definition.weight() }
    }
}

/// Marathon with all that runs on it.
#[derive(Clone, Digestible, Weight)]
#[digest(marathon)]
#[weight(members, marathon)]
pub struct Daemon {
    number: Number,
    pub(crate) marathon: Marathon,
    /// The last view.
    view: ViewCache,
    /// Flags that it was started with, and given since.
    env: BTreeMap<String, String>,
    /// *Order*: that of loading.
    members: SortedMap<Number, Member>,
    /// Versions of the tree when the members were last compared, and the number of active deployments.
    looked: (u64, u64),
    /// Those who listened to its events.
    listeners: Listeners,
    /// The framework was torn down, and nothing is left.
    over: bool,
}

fn not_found(name: &str) -> Refusal {
    Refusal::new(RefusalCode::NotFound, format!("Service {name} not found"))
}

fn same_name(one: &str, other: &str) -> bool {
    one.trim_matches('/') == other.trim_matches('/')
}

/// An API call equivalent to a definition.
struct Act {
    method: &'static str,
    route: Route,
    query: Query,
    body: Arc<Value>,
    /// The body if it is a group's.
    group: Option<Arc<Posted>>,
    /// The body if it is a posted app or pod.
    spec: Option<Arc<PostedSpec>>,
}

impl Daemon {
    /// A daemon with nothing in it.
    fn begin(port: &mut Port<'_>, number: Number, env: &BTreeMap<String, String>) -> Self {
        let settings = Settings::of(env);
        let mut marathon = Marathon::begin(port, number, settings);
        marathon.settle(port);
        Self {
            number,
            marathon,
            view: ViewCache::default(),
            env: env.clone(),
            members: SortedMap::new(),
            looked: (0, 0),
            listeners: Listeners::default(),
            over: false,
        }
    }

    /// Returns the name of the framework, which is also the view's.
    pub(crate) fn framework_name(&self) -> &Text {
        &self.marathon.records.setup.settings.framework
    }

    /// Returns the definition that was loaded under a name.
    fn member(&self, name: &str) -> Option<(Number, &Member)> {
        let found = self.members.iter().find(|(_, member)| same_name(&member.name, name));
        found.map(|(number, member)| (*number, member))
    }

    /// Returns whether an app or group belongs to another definition than this one: it is in that one, or in a group of it further in.
    fn is_elsewhere(&self, id: &PathId, number: Number, definition: &Loaded) -> bool {
        let others =
            self.members.iter().filter(|(other, _)| **other != number).map(|(_, other)| &other.definition);
        let is_group = |other: &Loaded| other.body().is_some_and(|body| body.what == What::Group);
        let inner = |other: &Loaded| {
            is_group(other) && other.id().is_within(&definition.id()) && id.is_within(&other.id())
        };
        others.into_iter().any(|other| other.ids().contains(id) || inner(other))
    }

    /// Drops the last view.
    pub(crate) fn drop_view(&mut self) {
        self.view = ViewCache::default();
    }

    /// Returns its view.
    pub(crate) fn view(&self) -> Arc<ServiceView> {
        self.view.of(Shown::of(&self.marathon), &self.definitions())
    }

    /// Returns the names of the loaded definitions.
    pub(crate) fn definitions(&self) -> Vec<Text> {
        self.members.values().map(|member| member.name.clone()).collect()
    }

    /// Returns whether any member of a definition exists or is being removed.
    fn is_there(&self, definition: &Loaded) -> bool {
        let root = &self.marathon.records.definitions.root;
        let has = |id: &PathId| {
            root.spec(id).is_some()
                || self.marathon.records.run_of(id).is_some_and(|run| run.job.is_some() || run.lock.is_some())
        };
        match definition.body().map(|body| body.what) {
            None => false,
            Some(What::App | What::Pod) => has(&definition.id()),
            Some(What::Apps) => definition.ids().iter().any(has),
            Some(What::Group) => {
                let id = definition.id();
                id.is_root() && (!root.specs.is_empty() || root.groups.len() > 1)
                    || !id.is_root() && root.group(&id).is_some()
                    || definition.ids().iter().any(has)
            }
        }
    }

    /// Drops loaded definitions whose members are gone.
    fn forget_gone(&mut self, cx: &mut Cx) {
        let looked = (
            self.marathon.records.definitions.root.version,
            self.marathon.deployments.running().count() as u64,
        );
        if looked == self.looked {
            return;
        }
        self.looked = looked;
        let gone: Vec<Number> = self
            .members
            .iter()
            .filter(|(_, member)| !self.is_there(&member.definition))
            .map(|(number, _)| *number)
            .collect();
        for number in gone {
            if let Some(member) = self.members.remove(&number) {
                cx.emit(EventBody::ServiceRemoved { service: member.name, dialect: DIALECT.into() });
            }
        }
    }

    /// Returns the refusal of a definition that is to replace the present one.
    fn against(&self, definition: &Loaded) -> Option<Refused> {
        try_on(&self.marathon, definition.body()?).err()
    }

    /// Accesses the daemon, and handles the consequences.
    fn with<R>(&mut self, port: &mut Port<'_>, work: impl FnOnce(&mut Marathon, &mut Port<'_>) -> R) -> R {
        let done = work(&mut self.marathon, port);
        self.forget_gone(port.cx);
        done
    }

    /// Converts a refusal for the world, and reports it to listeners.
    fn refuse(&mut self, refused: &Refused) -> Refusal {
        let mut refusal = refusal(refused);
        let failed = self.marathon.take_failed();
        refusal.told = failed.map(|failed| Box::new(failed.told(&self.marathon.records.setup)));
        refusal
    }

    fn act(&mut self, port: &mut Port<'_>, act: &Act) -> Result<Answer, Refusal> {
        let force = act.query.flag("force", false);
        let done = self.with(port, |marathon, port| {
            let mut caller = Caller { marathon, port };
            match (&act.group, &act.spec, act.method) {
                (Some(group), _, "POST") => caller.create_group(&PathId::root(), group, force),
                (Some(group), ..) => caller.update_group(&PathId::root(), group, force),
                (None, Some(app), "POST") if app.is_app() => caller.create_app(app, force),
                (None, Some(pod), "POST") => caller.create_pod(pod, force),
                _ => {
                    let asked = Asked { method: act.method, route: &act.route, query: &act.query };
                    caller.change(asked, &act.body)
                }
            }
        });
        done.map_err(|refused| self.refuse(&refused))
    }

    /// Takes flags over. The name of the framework stays.
    fn take_flags(&mut self, load: &LoadService) {
        if load.env.iter().all(|(name, value)| self.env.get(name) == Some(value)) {
            return;
        }
        self.env.extend(load.env.clone());
        let framework = self.framework_name().clone();
        self.marathon.set_settings(Settings { framework, ..Settings::of(&self.env) });
    }

    /// Returns the call that creates a definition.
    fn creation(definition: &Loaded, force: bool) -> Option<Act> {
        let body = definition.body()?;
        let force = if force { "force=true" } else { "" };
        let (method, route, query) = match body.what {
            What::App => ("POST", Route::Apps, force.to_owned()),
            What::Apps => ("PUT", Route::Apps, force.to_owned()),
            What::Pod => ("POST", Route::Pods, force.to_owned()),
            What::Group => {
                // The root is always there.
                let method = if definition.id().is_root() { "PUT" } else { "POST" };
                (method, Route::Groups, force.to_owned())
            }
        };
        let group = (body.what == What::Group).then(|| body.posted());
        Some(Act {
            method,
            route,
            query: Query::of(&query),
            body: body.json.clone(),
            group,
            spec: body.spec(),
        })
    }

    /// Returns the call that updates to a definition.
    fn replacement(definition: &Loaded, force: bool) -> Option<Act> {
        let body = definition.body()?;
        let force = if force { "&force=true" } else { "" };
        let id = definition.id().to_string();
        let (method, route, query) = match body.what {
            What::App => ("PUT", Route::App(id), format!("partialUpdate=false{force}")),
            What::Apps => ("PUT", Route::Apps, format!("partialUpdate=false{force}")),
            What::Pod => ("PUT", Route::Pod(id), force.to_owned()),
            What::Group => ("PUT", Route::Groups, force.to_owned()),
        };
        let group = (body.what == What::Group).then(|| body.posted());
        Some(Act {
            method,
            route,
            query: Query::of(&query),
            body: body.json.clone(),
            group,
            spec: body.spec(),
        })
    }

    /// Takes a definition in.
    fn install(&mut self, port: &mut Port<'_>, loading: Loading<Loaded>) -> Result<Value, Refusal> {
        let Loading { number, load, definition } = loading;
        self.take_flags(&load);
        let Some(act) = Self::creation(&definition, asks_force(&load)) else { return Err(unusable()) };
        let name = definition.name().clone();
        let old: Vec<Number> =
            self.members.iter().filter(|(_, one)| same_name(&one.name, &name)).map(|(no, _)| *no).collect();
        for old in old {
            self.members.remove(&old);
        }
        self.members.insert(number, Member { name: name.clone(), load, definition, made: Vec::new() });
        let answer = self.act(port, &act)?;
        self.note_made(number);
        Ok(self.loaded(&name, &answer))
    }

    /// Returns the answer to loading.
    fn loaded(&self, name: &Text, answer: &Answer) -> Value {
        let deployment = answer.headers.iter().find(|(key, _)| *key == "Marathon-Deployment-Id");
        json!({
            "service": name,
            "dialect": DIALECT,
            "framework": self.framework_name(),
            "deploymentId": deployment.map(|(_, id)| id.as_str()),
            "status": answer.status,
        })
    }

    /// Updates a loaded definition.
    fn replace(&mut self, port: &mut Port<'_>, loading: Loading<Loaded>) -> Result<Value, Refusal> {
        let Loading { number, load, definition } = loading;
        let wanted = if load.name.is_empty() { definition.name() } else { load.name.as_str() };
        let Some((_, member)) = self.member(wanted).map(|(number, member)| (number, member.clone())) else {
            let text = "Marathon itself has no definition; say which app, pod or group is meant";
            return Err(Refusal::new(RefusalCode::BadRequest, text));
        };
        self.take_flags(&load);
        let Some(act) = Self::replacement(&definition, asks_force(&load)) else { return Err(unusable()) };
        let kinds = |definition: &Loaded| definition.body().map(|body| body.what);
        if kinds(&definition) != kinds(&member.definition) || definition.id() != member.definition.id() {
            let text = format!(
                "'{}' is {}, and the definition is of {}; load it on its own",
                member.name,
                in_words(&member.definition),
                in_words(&definition)
            );
            return Err(Refusal::new(RefusalCode::Conflict, text));
        }
        let name = member.name.clone();
        self.members.insert(number, Member { name: name.clone(), load, definition, made: Vec::new() });
        port.cx.emit(EventBody::ServiceUpdated {
            service: name.clone(),
            what: "definition".into(),
            text: "new definition".into(),
        });
        let answer = self.act(port, &act)?;
        self.note_made(number);
        Ok(self.loaded(&name, &answer))
    }

    /// Keeps what a definition has just made.
    fn note_made(&mut self, number: Number) {
        let root = self.marathon.records.root();
        if let Some(member) = self.members.get_mut(&number) {
            let ids = member.definition.ids();
            member.made = ids.iter().filter_map(|id| root.spec(id).cloned()).collect();
        }
    }

    /// Removes a loaded definition, or the framework with everything that runs on it.
    fn take_away(&mut self, port: &mut Port<'_>, name: &str, force: bool) -> Result<Value, Refusal> {
        let Some((number, member)) = self.member(name).map(|(number, member)| (number, member.clone()))
        else {
            if same_name(self.framework_name(), name) {
                return Ok(self.tear_down(port));
            }
            return Err(not_found(name));
        };
        let Some(body) = member.definition.body() else { return Err(unusable()) };
        let id = member.definition.id();
        let root = &self.marathon.records.definitions.root;
        let query = Query::of(if force { "force=true" } else { "force=false" });
        let route = match body.what {
            What::App => root.app(&id).map(|_| Route::App(id.to_string())),
            What::Pod => root.pod(&id).map(|_| Route::Pod(id.to_string())),
            What::Group if id.is_root() => Some(Route::Groups),
            What::Group => root.group(&id).map(|_| Route::Group(id.to_string())),
            What::Apps => {
                let ids = member.definition.ids();
                let gone =
                    self.with(port, |marathon, port| Caller { marathon, port }.delete_apps(ids, force));
                let answer = gone.map_err(|refused| self.refuse(&refused))?;
                return Ok(self.loaded(&member.name, &answer));
            }
        };
        let Some(route) = route else {
            // It is being removed, or gone.
            if force || !self.is_there(&member.definition) {
                self.members.remove(&number);
                port.cx.emit(EventBody::ServiceRemoved {
                    service: member.name.clone(),
                    dialect: DIALECT.into(),
                });
            }
            return Ok(json!({"service": (member.name)}));
        };
        let act = Act { method: "DELETE", route, query, body: Arc::default(), group: None, spec: None };
        let answer = self.act(port, &act)?;
        Ok(self.loaded(&member.name, &answer))
    }

    /// The framework goes with all its tasks, as the master's teardown call does.
    fn tear_down(&mut self, port: &mut Port<'_>) -> Value {
        let name = self.framework_name().clone();
        if !self.over {
            self.over = true;
            port.call(self.marathon.records.setup.framework, planarium_mesos::api::Call::Teardown);
            for member in self.members.values() {
                port.cx.emit(EventBody::ServiceRemoved {
                    service: member.name.clone(),
                    dialect: DIALECT.into(),
                });
            }
            self.members.clear();
            port.cx.emit(EventBody::ServiceRemoved { service: name.clone(), dialect: DIALECT.into() });
        }
        json!({"service": name})
    }
}

fn unusable() -> Refusal {
    Refusal::new(RefusalCode::InvalidDefinition, "the definition has errors")
}

/// Returns whether `force` is set in a request.
fn asks_force(load: &LoadService) -> bool {
    load.options.get("force").is_some_and(|force| *force == Value::Bool(true))
}

fn in_words(definition: &Loaded) -> String {
    let id = definition.id();
    match definition.body().map(|body| body.what) {
        Some(What::App) => format!("app {id}"),
        Some(What::Pod) => format!("pod {id}"),
        Some(What::Group) => format!("group {id}"),
        Some(What::Apps) | None => "a list of apps".to_owned(),
    }
}
