//! Plays: packages and what is done with their instances, a line each.
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

#![expect(
    clippy::default_trait_access,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unused_self,
    reason = "helpers of tests"
)]

use super::stage::Stage;
use super::support::request;
use planarium_part::{Part as _, Request};
use planarium_protocol::input::{LoadService, PlanOp};
use serde_json::Value;

const NAME: &str = "shop";

fn path(object: &str) -> String {
    let (kind, name) = object.split_once('/').expect("KIND/NAME");
    let root = match kind {
        "instance" | "operatorversion" | "operator" => {
            format!("apis/kudo.dev/v1beta1/namespaces/default/{kind}s")
        }
        "deployment" | "statefulset" | "daemonset" => format!("apis/apps/v1/namespaces/default/{kind}s"),
        "job" => "apis/batch/v1/namespaces/default/jobs".to_owned(),
        "crd" => "apis/apiextensions.k8s.io/v1/customresourcedefinitions".to_owned(),
        "clusterrole" => "apis/rbac.authorization.k8s.io/v1/clusterroles".to_owned(),
        _ => format!("api/v1/namespaces/default/{kind}s"),
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
}

impl Play {
    pub(crate) fn new(package: &str) -> Self {
        Self { stage: Stage::new(4), text: package.to_owned() }
    }

    fn request(&self, text: &str, words: &str) -> LoadService {
        let mut load = request(text);
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
            "start" => self.stage.plan(NAME, rest, PlanOp::Start).map(drop),
            "restart" => self.stage.plan(NAME, rest, PlanOp::Restart).map(drop),
            "remove" => self.stage.remove(NAME, false).map(drop),
            "force" => self.stage.remove(NAME, true).map(drop),
            "patch" | "delete" | "create" | "copy" => {
                let (object, patch) = rest.split_once(' ').unwrap_or((rest, ""));
                let mut target = path(if verb == "create" { object } else { object.trim_end_matches('/') });
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
                let mut request =
                    Request::new(method, &format!("/kube/{}", target.trim_end_matches('/')), body);
                if method == "POST" {
                    request.headers.push(("content-type".into(), "application/json".into()));
                }
                if method == "PATCH" {
                    request.headers.push(("content-type".into(), "application/merge-patch+json".into()));
                }
                let response = self.stage.send(&request);
                let body: Value = serde_json::from_slice(&response.body).expect("JSON");
                return if response.status < 300 {
                    Ok(())
                } else {
                    Err(body["message"].as_str().unwrap_or("").to_owned())
                };
            }
            _ => panic!("no verb: {line}"),
        };
        done.map_err(told)
    }

    fn check(&mut self, line: &str) -> bool {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let shown = |play: &Self| format!("{line}\nat {} ms\n{}", play.stage.now(), play.stage.shown());
        let object = |play: &Self, name: &str| play.stage.object(&path(name));
        match verb {
            "run" => {
                let seconds: u64 = rest.parse().expect("seconds");
                self.stage.run_for(seconds * 1000);
            }
            "until" => {
                let (element, status) = rest.split_once(' ').expect("ELEMENT STATUS");
                let element = format!("{NAME}/{element}");
                // What was asked for before has to have begun.
                self.stage.run_for(0);
                self.stage.run_until(600_000, line, |stage| stage.status(&element) == status);
            }
            "is" => {
                let (element, status) = rest.split_once(' ').expect("ELEMENT STATUS");
                assert_eq!(self.stage.status(&format!("{NAME}/{element}")), status, "{}", shown(self));
            }
            "says" | "because" => {
                let (element, text) = rest.split_once(": ").expect("ELEMENT: TEXT");
                let found: Vec<String> = if verb == "says" {
                    let parts: Vec<&str> = element.split('/').collect();
                    let view = self.stage.view(NAME);
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
                    let why = self.stage.why(&format!("{NAME}/{element}"));
                    why.reasons.iter().map(|reason| reason.text.clone()).collect()
                };
                assert!(found.iter().any(|it| it.starts_with(text)), "{found:#?}\n{}", shown(self));
            }
            "there" => assert!(object(self, rest).is_some(), "{}", shown(self)),
            "gone" => assert!(object(self, rest).is_none(), "{}", shown(self)),
            "has" => {
                let mut parts = rest.splitn(3, ' ');
                let name = parts.next().expect("KIND/NAME");
                let pointer = parts.next().expect("a pointer");
                let wanted = parts.next().expect("a value");
                let value = object(self, name).unwrap_or_else(|| panic!("no {name}: {}", shown(self)));
                let found = value.pointer(pointer).map_or("(none)".to_owned(), |value| match value {
                    Value::String(text) => text.clone(),
                    value => value.to_string(),
                });
                assert_eq!(found, wanted, "{}", shown(self));
            }
            "events" => {
                let now = self.stage.cx.now();
                let cluster = self.stage.alone.cluster(now);
                let kube = cluster.kube();
                let kind = kube.find_kind("kudo.dev/v1beta1", "Instance").expect("a kind");
                let found = kube.occurrences(planarium_kube::ObjectRef::new(kind, "default", NAME));
                let found: Vec<_> = found.iter().map(|it| it.reason.to_string()).collect();
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
            let broken = self.stage.process.check(&planarium_ground::Fleet::new(0));
            assert!(broken.is_empty(), "{line}: {broken:?}");
        }
    }
}
