//! Steps and chains.
//!
//! *Knows*: the attributes and the places of each class. *Must not know*: how exits are resolved.

use super::{Cx, Draft, DraftStep, Places, action, flow, scalar};
use crate::codes;
use crate::definition::nearest::nearest;
use crate::plan::{Chain, ChainId, ChainKind, Class, Iterate, Selector, Step, StepId};
use planarium_protocol::Text;
use planarium_protocol::view::SourceRef;
use planarium_source::suggest::did_you_mean;
use planarium_source::yaml::{Entry, Node};
use planarium_source::{Diagnostic, Fix, Span};

/// Attributes that every step has.
const COMMON: [&str; 6] = ["id", "label", "class", "on_pass", "on_fail", "cleanup"];

/// Attributes of each class beside those.
const OWN: [(&str, &[&str]); 6] = [
    ("group", &["steps"]),
    ("component", &["steps", "component", "new_ver", "old_vers"]),
    ("action", &["plugin", "action", "arguments", "exec", "selector"]),
    ("delay", &["duration"]),
    ("manual-gate", &["message"]),
    ("instance-loop", &["steps", "target_num", "start_index", "selector"]),
];

/// The delay of a step that says none. *Units*: milliseconds.
const DELAY_MS: u64 = 1_000;

/// Reads the top-level chain.
pub(super) fn root(cx: &mut Cx<'_>, draft: &mut Draft, steps: &[Node]) {
    chain(cx, draft, steps, Chain { owner: None, kind: ChainKind::Root, steps: Vec::new(), component: None });
}

fn chain(cx: &mut Cx<'_>, draft: &mut Draft, items: &[Node], empty: Chain) -> ChainId {
    let id = ChainId::at(draft.chains.len());
    draft.chains.push(empty);
    for item in items {
        let Some(entries) = item.as_mapping() else {
            let text = format!("A step is a mapping, but this one is {}", item.describe());
            cx.error(codes::STEP_TYPE, item.span, text, "write 'id:' and 'class:' below the dash");
            continue;
        };
        step(cx, draft, item, entries, id);
    }
    id
}

fn step(cx: &mut Cx<'_>, draft: &mut Draft, node: &Node, entries: &[Entry], chain_id: ChainId) {
    let head = entries.first().map_or(node.span, |entry| entry.key.span);
    let mut places = Places { head, id: head, class: head, ..Places::default() };
    let id = identify(cx, draft, node, head, &mut places);
    let (kind, at, component) = match draft.chains.get(chain_id.index()) {
        Some(chain) => (chain.kind, chain.steps.len(), chain.component.clone()),
        None => return,
    };
    let class = class(cx, node, head, &id, kind, &mut places);
    let on_pass = flow::exit(cx, node.get("on_pass"), "on_pass", &id);
    let on_fail = flow::exit(cx, node.get("on_fail"), "on_fail", &id);
    for (place, key) in places.exits.iter_mut().zip(["on_pass", "on_fail"]) {
        *place = node.get(key).map_or(head, |value| value.span);
    }
    places.lost_exit = on_pass.lost || on_fail.lost;
    let cleanup = node.get("cleanup").is_some_and(|value| {
        places.cleanup = value.span;
        scalar::flag(cx, value, "cleanup", &id)
    });
    if cleanup && kind == ChainKind::Root {
        let text = format!("The top-level step '{id}' is marked as cleanup");
        cx.error(codes::CLEANUP_TOP, places.cleanup, text, "mark steps inside a group or component instead");
    }
    let label = node.get("label").and_then(|value| display(cx, value, "label", &id));
    let place = cx.sources.position(places.id);
    let source = SourceRef { file: cx.file.clone(), line: place.line, column: place.column };
    let number = StepId::at(draft.steps.len());
    let step = Step {
        label: label.unwrap_or_else(|| id.clone()),
        id: id.clone(),
        chain: chain_id,
        at: u32::try_from(at).unwrap_or(u32::MAX),
        cleanup,
        on_pass: on_pass.exit,
        on_fail: on_fail.exit,
        // Until it is read below.
        class: Class::Gate { message: "".into() },
        source,
    };
    if let Some(chain) = draft.chains.get_mut(chain_id.index()) {
        chain.steps.push(number);
    }
    places.component = places.id;
    draft.steps.push(DraftStep { step, places, goes: [on_pass.goes, on_fail.goes] });
    if let Some(class) = class {
        let mut reader =
            StepReader { cx: &mut *cx, draft: &mut *draft, number, node, id: &id, component, head };
        let read = match class {
            "group" => reader.group(),
            "component" => reader.component(),
            "action" => reader.action(),
            "delay" => reader.delay(),
            "manual-gate" => reader.gate(),
            _ => reader.instance_loop(),
        };
        if let Some(one) = draft.steps.get_mut(number.index()) {
            one.step.class = read;
            one.places.classed = true;
        }
        extra(cx, entries, class, &id);
    }
}

/// The id of a step that is about to be added; empty when it has none.
fn identify(cx: &mut Cx<'_>, draft: &mut Draft, node: &Node, head: Span, places: &mut Places) -> Text {
    let value = node.get("id").filter(|value| !value.is_null());
    let Some(id) = value.and_then(scalar::word).filter(|id| !id.is_empty()) else {
        let text = match value {
            Some(value) if value.as_str().is_none() => {
                format!("The id of a step must be a text, but is {}", value.describe())
            }
            _ => "This step has no id".to_owned(),
        };
        cx.error(codes::ID_MISSING, head, text, "add 'id:' with a name that no other step of the plan has");
        return "".into();
    };
    let span = value.map_or(head, |value| value.span);
    places.id = span;
    if let Some((_, first)) = draft.ids.get(&id) {
        let text = format!("The id '{id}' is used already");
        cx.found.push(
            Diagnostic::error(codes::ID_DUPLICATE, span, text)
                .with_label(*first, "first used here")
                .with_help("give every step of the plan an id of its own, also in different chains"),
        );
    } else {
        draft.ids.insert(id.clone(), (StepId::at(draft.steps.len()), span));
    }
    if flow::SPECIAL.contains(&&*id) {
        let text = format!("'{id}' is a special label: no exit can lead to this step");
        cx.warn(codes::ID_RESERVED, span, text, "give the step another id");
    } else if !id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        let text = format!("The id '{id}' has characters other than letters, digits, '-' and '_'");
        cx.warn(codes::ID_CHARSET, span, text, "use letters, digits, '-' and '_'");
    }
    id
}

/// Returns the class of a step, if it is known.
fn class(
    cx: &mut Cx<'_>,
    node: &Node,
    head: Span,
    id: &str,
    kind: ChainKind,
    places: &mut Places,
) -> Option<&'static str> {
    let value = node.get("class").filter(|value| !value.is_null());
    let word = value.and_then(scalar::word).filter(|word| !word.is_empty());
    let (Some(value), Some(word)) = (value, word) else {
        if let Some(value) = value.filter(|value| value.as_str().is_none()) {
            let text = format!("The class of step '{id}' must be a text, but is {}", value.describe());
            cx.error(codes::CLASS_UNKNOWN, value.span, text, format!("the classes are {}", classes()));
            return None;
        }
        let text = format!("Step '{id}' has no class");
        cx.error(codes::CLASS_MISSING, head, text, format!("add 'class:' with one of {}", classes()));
        return None;
    };
    places.class = value.span;
    let Some((class, _)) = OWN.iter().find(|(class, _)| *class == &*word) else {
        let text = format!("The class '{word}' of step '{id}' does not exist");
        let names = OWN.map(|(name, _)| name);
        cx.found.push(Diagnostic::error(codes::CLASS_UNKNOWN, value.span, text).with_meant(
            nearest(&word, &names),
            |meant| value.literal.then(|| Fix::new(format!("Write '{meant}'"), value.span, meant)),
            || format!("the classes are {}", classes()),
        ));
        return None;
    };
    place(cx, class, kind, id, value.span);
    Some(class)
}

fn classes() -> String {
    OWN.map(|(name, _)| name).join(", ")
}

/// Checks that a class is allowed in a chain of this kind.
///
/// **Source**: Skopos Deployment Plan Reference, "Limitations". Match: a documented limitation is an error.
fn place(cx: &mut Cx<'_>, class: &str, kind: ChainKind, id: &str, span: Span) {
    let composite = matches!(class, "group" | "component");
    let (right, help) = match kind {
        ChainKind::Root => (composite, "put it into a group or a component step"),
        ChainKind::Group if class == "instance-loop" => {
            (false, "loops go through the instances of a component: put it into a component step")
        }
        ChainKind::Loop if class == "instance-loop" => {
            let text = format!("The loop '{id}' is inside another loop");
            cx.error(codes::LOOP_NESTED, span, text, "put the loops one after the other");
            return;
        }
        ChainKind::Component | ChainKind::Group | ChainKind::Loop => (!composite, "put it at the top level"),
    };
    if !right {
        let text = match kind {
            ChainKind::Root => {
                format!(
                    "Step '{id}' of class {class} is at the top level, where only groups and components are allowed"
                )
            }
            ChainKind::Group | ChainKind::Component => {
                format!("Step '{id}' of class {class} is inside a {}, where it is not allowed", kind.word())
            }
            ChainKind::Loop => {
                format!("Step '{id}' of class {class} is inside a loop, where it is not allowed")
            }
        };
        cx.error(codes::CLASS_PLACE, span, text, help);
    }
}

/// A text that is only shown.
fn display(cx: &mut Cx<'_>, value: &Node, what: &str, step: &str) -> Option<Text> {
    if value.is_null() {
        return None;
    }
    let word = scalar::word(value);
    if word.is_none() {
        let text = format!("'{what}' of step '{step}' must be a text, but is {}", value.describe());
        cx.warn(codes::ATTRIBUTE_TYPE, value.span, text, "write a text; as it is, it is ignored");
    }
    word
}

/// Attributes that do not belong to the class. Not the reader shared by plan and model files: the class decides the help, and a
/// lost exit has a finding of its own.
fn extra(cx: &mut Cx<'_>, entries: &[Entry], class: &str, id: &str) {
    let own = OWN.iter().find(|(name, _)| *name == class).map_or(&[][..], |(_, own)| own);
    let valid: Vec<&str> = COMMON.iter().chain(own).copied().collect();
    for entry in entries {
        let Some(name) = entry.key.as_str() else {
            let text = format!("Step '{id}' has an attribute that is not a text: it is ignored");
            cx.warn(codes::UNKNOWN_ATTRIBUTE, entry.key.span, text, "remove it");
            continue;
        };
        if valid.contains(&name) {
            continue;
        }
        if matches!(name, "pause" | "warn" | "info") {
            let text = format!("The comma before '{name}' ends the exit of step '{id}': {name} is lost");
            let help = format!("put the exit in quotes, such as \"fail, {name}\"");
            cx.warn(codes::FLOW_SPLIT, entry.key.span, text, help);
            continue;
        }
        let text = format!("Step '{id}' of class {class} has no attribute '{name}': it is ignored");
        let finding = Diagnostic::warning(codes::UNKNOWN_ATTRIBUTE, entry.key.span, text);
        cx.found.push(match OWN.iter().find(|(_, names)| names.contains(&name)) {
            Some((other, _)) => finding.with_help(format!("it belongs to steps of class {other}")),
            None => finding.with_meant(
                nearest(name, &valid),
                |meant| Fix::rename(&entry.key, meant),
                || format!("the attributes are {}", valid.join(", ")),
            ),
        });
    }
}

/// Reads what belongs to the class of one step.
struct StepReader<'r, 'a, 'n> {
    cx: &'r mut Cx<'a>,
    draft: &'r mut Draft,
    number: StepId,
    node: &'n Node,
    id: &'r Text,
    /// The component that the chain around the step works on.
    component: Option<Text>,
    head: Span,
}

impl StepReader<'_, '_, '_> {
    fn places(&mut self) -> Option<&mut Places> {
        self.draft.steps.get_mut(self.number.index()).map(|one| &mut one.places)
    }

    /// The chain inside the step.
    fn inside(&mut self, kind: ChainKind, component: Option<Text>) -> ChainId {
        let value = self.node.get("steps");
        let items: &[Node] = match value {
            Some(value) if !value.is_null() && value.as_sequence().is_none() => {
                let text =
                    format!("'steps' of step '{}' must be a list, but is {}", self.id, value.describe());
                self.cx.error(codes::STEPS, value.span, text, "begin each step with '- '");
                &[]
            }
            Some(value) => {
                let items = value.as_sequence().unwrap_or_default();
                if items.is_empty() {
                    self.hollow(value.span);
                }
                items
            }
            None => {
                self.hollow(self.head);
                &[]
            }
        };
        let empty = Chain { owner: Some(self.number), kind, steps: Vec::new(), component };
        chain(self.cx, self.draft, items, empty)
    }

    fn hollow(&mut self, span: Span) {
        let text = format!("Step '{}' contains no steps: it passes at once", self.id);
        self.cx.warn(codes::EMPTY_CHAIN, span, text, "add steps, or remove it");
    }

    fn group(&mut self) -> Class {
        Class::Group(self.inside(ChainKind::Group, None))
    }

    fn component(&mut self) -> Class {
        let id = self.id.clone();
        let value = self.node.get("component");
        let named = value.and_then(|value| display(self.cx, value, "component", &id));
        if let (Some(value), Some(named)) = (value, &named) {
            if let Some(places) = self.places() {
                places.component = value.span;
            }
            if *named != id {
                let text =
                    format!("The step '{id}' is about the component '{named}': usually both are alike");
                let help = format!("give the step the id '{named}'");
                self.cx.warn(codes::COMPONENT_ID, value.span, text, help);
            }
        }
        let component = named.unwrap_or(id.clone());
        let new_ver = self.node.get("new_ver").and_then(|value| display(self.cx, value, "new_ver", &id));
        let old_vers = self.old_vers();
        let chain = self.inside(ChainKind::Component, Some(component.clone()));
        Class::Component { chain, component, new_ver, old_vers }
    }

    fn old_vers(&mut self) -> Vec<Text> {
        let Some(value) = self.node.get("old_vers") else { return Vec::new() };
        if let Some(items) = value.as_sequence() {
            return items.iter().filter_map(scalar::word).collect();
        }
        if value.as_mapping().is_some() {
            let text = format!("'old_vers' of step '{}' must be a list, but is a mapping", self.id);
            self.cx.warn(
                codes::ATTRIBUTE_TYPE,
                value.span,
                text,
                "write a list of versions, such as [\"1.0\"]",
            );
        }
        scalar::word(value).into_iter().collect()
    }

    fn action(&mut self) -> Class {
        let mut places = self.places().map(std::mem::take).unwrap_or_default();
        let action = action::read(self.cx, self.node, self.id, &mut places);
        if let Some(place) = self.places() {
            *place = places;
        }
        Class::Action(Box::new(action))
    }

    fn delay(&mut self) -> Class {
        let value = self.node.get("duration").filter(|value| !value.is_null());
        let ms = value.map(|value| scalar::seconds(self.cx, value, "duration", self.id));
        Class::Delay { ms: ms.flatten().unwrap_or(DELAY_MS) }
    }

    fn gate(&mut self) -> Class {
        let id = self.id.clone();
        let message = self.node.get("message").and_then(|value| display(self.cx, value, "message", &id));
        Class::Gate { message: message.unwrap_or_else(|| "".into()) }
    }

    fn instance_loop(&mut self) -> Class {
        let (node, id) = (self.node, self.id.clone());
        let number = |cx: &mut Cx<'_>, key: &str| {
            let value = node.get(key).filter(|value| !value.is_null())?;
            Some(scalar::count(cx, value, key, &id))
        };
        let target_num = number(self.cx, "target_num");
        let start_index = number(self.cx, "start_index").flatten().unwrap_or(0);
        let entry = node.entry("selector").filter(|entry| !entry.value.is_null());
        let selector = entry.and_then(|entry| {
            let found = match entry.value.as_str() {
                Some("old") => Some(Selector::Old),
                Some("new") => Some(Selector::New),
                Some("target") => Some(Selector::Target),
                _ => None,
            };
            if found.is_none() {
                let shown = scalar::shown(&entry.value);
                let text = format!("The selector of loop '{id}' is {shown}");
                let near = entry.value.as_str().and_then(|word| nearest(word, &["old", "new", "target"]));
                let help = did_you_mean(near, || "write old, new or target");
                self.cx.error(codes::LOOP_SELECTOR, entry.value.span, text, help);
            }
            found
        });
        match (&target_num, entry) {
            (Some(_), Some(entry)) => {
                let text = format!("The loop '{id}' has target_num and a selector: the selector is ignored");
                self.cx.warn(codes::LOOP_BOTH, entry.key.span, text, "keep one of the two");
            }
            (None, None) => {
                let span = self.places().map(|places| places.class).unwrap_or_default();
                let text = format!("The loop '{id}' has neither target_num nor selector");
                let help =
                    "say how often (target_num) or over which instances (selector: old, new or target)";
                self.cx.error(codes::LOOP_COUNT, span, text, help);
            }
            _ => {}
        }
        let component = self.component.clone();
        let chain = self.inside(ChainKind::Loop, component);
        let iterate = Iterate { target_num: target_num.flatten(), start_index, selector };
        Class::Loop { chain, iterate }
    }
}
