//! Scripted cases: packages and commands on their instances, one per line.
//!
//! | line | means |
//! |---|---|
//! | `load`, `load P=V` | the package is installed, with these parameters |
//! | `until ELEMENT STATUS` | lets time pass until an element shows a status |
//! | `run SECONDS` | lets time pass |
//! | `is ELEMENT STATUS` | what an element shows now |
//! | `set P=V ...` | gives the instance other parameters; an empty value takes one away |
//! | `upgrade FROM -> TO ...` | loads the package with a text replaced |
//! | `start PLAN`, `restart PLAN` | plan commands |
//! | `remove`, `force` | deletes the instance |
//! | `refused TEXT` | what the line before was refused with; otherwise it has to succeed |
//! | `says ELEMENT: TEXT` | the reason that a step shows begins with this |
//! | `there KIND/NAME`, `gone KIND/NAME` | whether an object is there |
//! | `has KIND/NAME /pointer VALUE` | what it holds |
//! | `events REASON` | an event of this reason was recorded about the instance |
//! | `patch KIND/NAME JSON` | merges into an object |
//! | `delete KIND/NAME` | deletes an object |
//! | `create KIND JSON` | creates an object |
//! | `copy KIND/NAME NAME JSON` | creates an object like another one, merged with what is given |
//! | `because ELEMENT: TEXT` | a reason of `why` begins with this |
//! | `name NAME`, `name NAMESPACE/NAME` | the instance that the lines below are about; `shop` of `default` before |
//! | `kudo WORDS` | runs a line of `kubectl kudo`, with the files of the package; a message of it is a refusal |
//! | `apply FILE` | creates the objects of a file of the package, or merges them into those that are there |
//! | `keep WORD KIND/NAME /pointer` | remembers what an object holds |
//! | `same WORD KIND/NAME /pointer`, `other WORD ...` | it still holds this, or something else |
//! | `reports TEXT` | an event with this message was recorded about the instance |

#![expect(
    clippy::default_trait_access,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests"
)]

use super::console::run;
use super::stage::Stage;
use super::support::request;
use planarium_kudo::engine::manifest::split;
use planarium_part::{Part as _, Request};
use planarium_protocol::input::{LoadService, PlanOp};
use serde_json::Value;
use std::collections::BTreeMap;

fn path(space: &str, object: &str) -> String {
    let (kind, name) = object.split_once('/').expect("KIND/NAME");
    let root = match kind {
        "instance" | "operatorversion" | "operator" => {
            format!("apis/kudo.dev/v1beta1/namespaces/{space}/{kind}s")
        }
        "deployment" | "statefulset" | "daemonset" => format!("apis/apps/v1/namespaces/{space}/{kind}s"),
        "job" => format!("apis/batch/v1/namespaces/{space}/jobs"),
        "crd" => "apis/apiextensions.k8s.io/v1/customresourcedefinitions".to_owned(),
        "clusterrole" => "apis/rbac.authorization.k8s.io/v1/clusterroles".to_owned(),
        "namespace" => "api/v1/namespaces".to_owned(),
        "servicemonitor" => format!("apis/monitoring.coreos.com/v1/namespaces/{space}/servicemonitors"),
        _ => format!("api/v1/namespaces/{space}/{kind}s"),
    };
    format!("{root}/{name}")
}

/// Merges a value into another, fields of mappings one by one.
fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

pub(crate) struct Play {
    pub(crate) stage: Stage,
    text: String,
    /// Namespace and name of the instance that lines are about.
    about: (String, String),
    /// What `keep` remembers.
    kept: BTreeMap<String, Value>,
}

impl Play {
    pub(crate) fn new(package: &str) -> Self {
        Self {
            stage: Stage::new(4),
            text: package.to_owned(),
            about: ("default".to_owned(), "shop".to_owned()),
            kept: BTreeMap::new(),
        }
    }

    fn object(&self, object: &str) -> Option<Value> {
        self.stage.object(&path(&self.about.0, object))
    }

    fn element(&self, element: &str) -> String {
        format!("{}/{element}", self.about.1)
    }

    fn request(&self, text: &str, words: &str) -> LoadService {
        let mut load = request(text);
        load.name = self.about.1.as_str().into();
        for (key, value) in words.split_whitespace().filter_map(|word| word.split_once('=')) {
            let value = if value.is_empty() { Value::Null } else { Value::from(value) };
            load.params.insert(key.to_owned(), value);
        }
        load
    }

    fn act(&mut self, line: &str) -> Result<(), String> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let told = |refusal: planarium_protocol::Refusal| refusal.message;
        let done = match verb {
            "load" => {
                let load = self.request(&self.text.clone(), rest);
                self.stage.load(load).map(drop)
            }
            "set" => {
                let load = self.request("", rest);
                let load = LoadService { files: Default::default(), ..load };
                self.stage.update(load).map(drop)
            }
            "kudo" => return self.console(rest),
            "apply" => return self.apply(rest),
            "upgrade" => {
                let mut text = self.text.clone();
                for change in rest.split("; ") {
                    let (from, to) = change.split_once(" -> ").expect("FROM -> TO");
                    assert!(text.contains(&from.replace("\\n", "\n")), "{from:?} is not in the package");
                    text = text.replace(&from.replace("\\n", "\n"), &to.replace("\\n", "\n"));
                }
                let load = self.request(&text, "");
                let done = self.stage.update(load).map(drop);
                if done.is_ok() {
                    self.text = text;
                }
                done
            }
            "start" => self.stage.plan(&self.about.1.clone(), rest, PlanOp::Start).map(drop),
            "restart" => self.stage.plan(&self.about.1.clone(), rest, PlanOp::Restart).map(drop),
            "remove" => self.stage.remove(&self.about.1.clone(), false).map(drop),
            "force" => self.stage.remove(&self.about.1.clone(), true).map(drop),
            "patch" | "delete" | "create" | "copy" => {
                let (object, patch) = rest.split_once(' ').unwrap_or((rest, ""));
                let mut target =
                    path(&self.about.0, if verb == "create" { object } else { object.trim_end_matches('/') });
                let mut body = patch.to_owned();
                if verb == "copy" {
                    let (name, more) = patch.split_once(' ').unwrap_or((patch, "{}"));
                    let mut value = self.stage.object(&target).expect("an object to copy");
                    value["metadata"] = serde_json::json!({ "name": name });
                    merge(&mut value, &serde_json::from_str(more).expect("JSON"));
                    body = value.to_string();
                    target = target.rsplit_once('/').expect("a path").0.to_owned();
                }
                let method = match verb {
                    "patch" => "PATCH",
                    "delete" => "DELETE",
                    _ => "POST",
                };
                return self.call(method, target.trim_end_matches('/'), body);
            }
            _ => panic!("no verb: {line}"),
        };
        done.map_err(told)
    }

    fn call(&mut self, method: &str, path: &str, body: String) -> Result<(), String> {
        let mut request = Request::new(method, &format!("/kube/{path}"), body);
        let kind = match method {
            "POST" => Some("application/json"),
            "PATCH" => Some("application/merge-patch+json"),
            _ => None,
        };
        request.headers.extend(kind.map(|kind| ("content-type".to_owned(), kind.to_owned())));
        let response = self.stage.send(&request);
        let body: Value = serde_json::from_slice(&response.body).expect("JSON");
        if response.status < 300 { Ok(()) } else { Err(body["message"].as_str().unwrap_or("").to_owned()) }
    }

    /// Runs a line of `kubectl kudo`.
    fn console(&mut self, line: &str) -> Result<(), String> {
        let files = request(&self.text).files;
        let line = format!("{line} --namespace {}", self.about.0);
        let output = run(&mut self.stage, &files, "", &line);
        if output.code == 0 { Ok(()) } else { Err(output.stderr.trim_end().to_owned()) }
    }

    /// Creates the objects of a file, or merges them into those that are there.
    fn apply(&mut self, file: &str) -> Result<(), String> {
        let text = request(&self.text).files.remove(file).unwrap_or_else(|| panic!("no file {file}"));
        for manifest in split(&text).expect("objects") {
            let value = manifest.value;
            let kind = value["kind"].as_str().expect("a kind").to_lowercase();
            let name = value["metadata"]["name"].as_str().expect("a name");
            let space = value["metadata"]["namespace"].as_str().unwrap_or(&self.about.0);
            let own = path(space, &format!("{kind}/{name}"));
            if self.stage.object(&own).is_some() {
                self.call("PATCH", &own, value.to_string())?;
            } else {
                let collection = own.rsplit_once('/').expect("a path").0;
                self.call("POST", collection, value.to_string())?;
            }
        }
        Ok(())
    }

    fn check(&mut self, line: &str) -> bool {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let shown = |play: &Self| format!("{line}\nat {} ms\n{}", play.stage.now(), play.stage.shown());
        match verb {
            "run" => {
                let seconds: u64 = rest.parse().expect("seconds");
                self.stage.run_for(seconds * 1000);
            }
            "until" => {
                let (element, status) = rest.split_once(' ').expect("ELEMENT STATUS");
                let element = self.element(element);
                // The previous command must have taken effect.
                self.stage.run_for(0);
                self.stage.run_until(600_000, line, |stage| stage.status(&element) == status);
            }
            "is" => {
                let (element, status) = rest.split_once(' ').expect("ELEMENT STATUS");
                assert_eq!(self.stage.status(&self.element(element)), status, "{}", shown(self));
            }
            "says" | "because" => {
                let (element, text) = rest.split_once(": ").expect("ELEMENT: TEXT");
                let found: Vec<String> = if verb == "says" {
                    let parts: Vec<&str> = element.split('/').collect();
                    let view = self.stage.view(&self.about.1);
                    let plan = view.plans.iter().find(|it| *it.name == *parts[0]).expect("a plan");
                    match parts.get(1) {
                        None => plan.errors.iter().map(ToString::to_string).collect(),
                        Some(phase) => {
                            let phase = plan.phases.iter().find(|it| *it.name == **phase).expect("a phase");
                            let step = phase.steps.iter().find(|it| *it.name == *parts[2]).expect("a step");
                            vec![step.reason.to_string()]
                        }
                    }
                } else {
                    let why = self.stage.why(&self.element(element));
                    why.reasons.iter().map(|reason| reason.text.clone()).collect()
                };
                assert!(found.iter().any(|it| it.starts_with(text)), "{found:#?}\n{}", shown(self));
            }
            "there" => assert!(self.object(rest).is_some(), "{}", shown(self)),
            "gone" => assert!(self.object(rest).is_none(), "{}", shown(self)),
            "has" => {
                let mut parts = rest.splitn(3, ' ');
                let name = parts.next().expect("KIND/NAME");
                let pointer = parts.next().expect("a pointer");
                let wanted = parts.next().expect("a value");
                let value = self.object(name).unwrap_or_else(|| panic!("no {name}: {}", shown(self)));
                let found = value.pointer(pointer).map_or("(none)".to_owned(), |value| match value {
                    Value::String(text) => text.clone(),
                    value => value.to_string(),
                });
                assert_eq!(found, wanted, "{}", shown(self));
            }
            "keep" | "same" | "other" => {
                let mut parts = rest.splitn(3, ' ');
                let word = parts.next().expect("a word");
                let value = self.object(parts.next().expect("KIND/NAME")).expect("an object");
                let found = value.pointer(parts.next().expect("a pointer")).expect("a value");
                if verb == "keep" {
                    self.kept.insert(word.to_owned(), found.clone());
                } else {
                    let kept = self.kept.get(word).expect("what is kept");
                    assert_eq!(kept == found, verb == "same", "{kept} and {found}\n{}", shown(self));
                }
            }
            "name" => {
                let (space, name) = rest.split_once('/').unwrap_or((&self.about.0, rest));
                self.about = (space.to_owned(), name.to_owned());
            }
            "events" | "reports" => {
                let now = self.stage.cx.now();
                let cluster = self.stage.alone.cluster(now);
                let kube = cluster.kube();
                let kind = kube.find_kind("kudo.dev/v1beta1", "Instance").expect("a kind");
                let (space, name) = &self.about;
                let found = kube.occurrences(planarium_kube::ObjectRef::new(kind, space, name));
                let words = found.iter().map(|it| if verb == "events" { &it.reason } else { &it.message });
                let found: Vec<_> = words.map(ToString::to_string).collect();
                assert!(found.iter().any(|it| it == rest), "{found:?} {}", shown(self));
            }
            _ => return false,
        }
        true
    }

    /// Plays some lines.
    pub(crate) fn play(&mut self, script: &str) {
        let mut lines = script.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
        while let Some(line) = lines.next() {
            if self.check(line) {
                continue;
            }
            let done = self.act(line);
            match lines.next_if(|next| next.starts_with("refused ")) {
                Some(refused) => {
                    let wanted = refused.strip_prefix("refused ").expect("a text");
                    let got = done.expect_err(&format!("{line} is to be refused"));
                    assert!(got.ends_with(wanted), "{line}\n{got}\n{wanted}");
                }
                None => done.unwrap_or_else(|problem| panic!("{line}: {problem}")),
            }
            let broken = self.stage.daemon.check(&planarium_ground::Fleet::new(0));
            assert!(broken.is_empty(), "{line}: {broken:?}");
        }
    }
}
