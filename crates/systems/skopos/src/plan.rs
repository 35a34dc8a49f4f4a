//! A decoded deployment plan: steps and chains by number, exits resolved.
//!
//! *Knows*: classes of steps, labels of exits, the target of each exit. *Must not know*: text, positions, running
//! instances.
//!
//! *Order*: steps are in the order of the document, a composite before its inner steps.

use crate::templates::Template;
use planarium_kernel::{SortedMap, Weight, id_types};
use planarium_protocol::Text;
use planarium_protocol::view::SourceRef;
use serde_json::Value;
use std::sync::Arc;

id_types! {
    /// A step of a plan.
    pub StepId;
    /// A chain of a plan.
    pub ChainId;
}

impl ChainId {
    /// The top-level chain.
    pub(crate) const ROOT: Self = Self(0);
}

/// A plan.
#[derive(Clone, Debug, PartialEq, Weight)]
#[weight(own 1_024 * self.steps.len() as u64)]
pub(crate) struct Plan {
    steps: Vec<Step>,
    chains: Vec<Chain>,
    ids: SortedMap<Text, StepId>,
}

/// An ordered list of steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    /// The step that it is in; none for the top-level chain.
    pub(crate) owner: Option<StepId>,
    /// Kind of the enclosing chain.
    pub(crate) kind: ChainKind,
    /// Its steps in order.
    pub(crate) steps: Vec<StepId>,
    /// The component that it works on, when it is inside a component step.
    pub(crate) component: Option<Text>,
}

/// Kinds of enclosing chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChainKind {
    /// Nothing: the top level.
    Root,
    /// A group.
    Group,
    /// A component.
    Component,
    /// An instance loop.
    Loop,
}

impl ChainKind {
    /// The word for it in messages.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Root => "top level",
            Self::Group => "group",
            Self::Component => "component",
            Self::Loop => "instance-loop",
        }
    }
}

/// A step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// Its id, unique in the plan.
    pub(crate) id: Text,
    /// Label shown for it.
    pub(crate) label: Text,
    /// The chain that it is in.
    pub(crate) chain: ChainId,
    /// Its place there, from 0.
    pub(crate) at: u32,
    /// Part of a recovery.
    pub(crate) cleanup: bool,
    /// Way out when it passes.
    pub(crate) on_pass: Exit,
    /// Way out when it fails.
    pub(crate) on_fail: Exit,
    /// Its effect.
    pub(crate) class: Class,
    /// Position in the definition.
    pub(crate) source: SourceRef,
}

impl Step {
    /// The exit for a result.
    pub(crate) fn exit(&self, passed: bool) -> &Exit {
        if passed { &self.on_pass } else { &self.on_fail }
    }

    /// The chain inside it.
    pub(crate) fn inside(&self) -> Option<ChainId> {
        match &self.class {
            Class::Group(chain) | Class::Component { chain, .. } | Class::Loop { chain, .. } => Some(*chain),
            Class::Action(_) | Class::Delay { .. } | Class::Gate { .. } => None,
        }
    }

    /// Returns whether nothing is inside it.
    pub(crate) fn is_leaf(&self) -> bool {
        self.inside().is_none()
    }
}

/// A way out of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    /// Its written label.
    pub(crate) label: Label,
    /// It was written, not left to the default.
    pub(crate) written: bool,
    /// The plan pauses there.
    pub(crate) pause: bool,
    /// A warning is logged there.
    pub(crate) warn: bool,
    /// A message is logged there.
    pub(crate) info: bool,
    /// Its target.
    pub(crate) leads: Leads,
}

/// Labels of an exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// The next step of the chain, by the rules of its end and of cleanup.
    Next,
    /// The chain ends and has passed.
    Pass,
    /// The chain ends and has failed.
    Fail,
    /// A step of the chain.
    Step(StepId),
}

/// Targets of an exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leads {
    /// To the step at this place of the chain.
    To(u32),
    /// To the chain's end: passed or failed.
    End(bool),
}

/// Classes of step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Class {
    /// Steps that concern no component.
    Group(ChainId),
    /// Steps for a component.
    Component {
        /// Its steps.
        chain: ChainId,
        /// The component of the model.
        component: Text,
        /// Version to deploy, for display.
        new_ver: Option<Text>,
        /// Versions to replace, for display.
        old_vers: Vec<Text>,
    },
    /// A call of a plugin or a script.
    Action(Box<Action>),
    /// Time that passes. *Units*: milliseconds.
    Delay {
        /// Its duration.
        ms: u64,
    },
    /// A person's verdict.
    Gate {
        /// Facts for the explanation.
        message: Text,
    },
    /// Steps once per instance.
    Loop {
        /// Its steps.
        chain: ChainId,
        /// Which instances.
        iterate: Iterate,
    },
}

impl Class {
    /// The word of the class, as plans have it.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Group(_) => "group",
            Self::Component { .. } => "component",
            Self::Action(_) => "action",
            Self::Delay { .. } => "delay",
            Self::Gate { .. } => "manual-gate",
            Self::Loop { .. } => "instance-loop",
        }
    }
}

/// Which instances a loop goes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Iterate {
    /// Fixed number of iterations.
    pub(crate) target_num: Option<u64>,
    /// The first index.
    pub(crate) start_index: u64,
    /// Values of the loop where no number is given.
    pub(crate) selector: Option<Selector>,
}

/// Values that a loop iterates over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selector {
    /// Instances that were there before.
    Old,
    /// Instances that were created.
    New,
    /// As many as the model requests.
    Target,
}

impl Selector {
    /// The word of the selector.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::New => "new",
            Self::Target => "target",
        }
    }
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Action {
    /// Targets of a call.
    pub(crate) call: Call,
    /// Arguments.
    pub(crate) arguments: Arguments,
    /// The step's own `selector`; that among the arguments goes before it.
    pub(crate) selector: Option<Template>,
}

/// Targets of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Call {
    /// An action of a plugin.
    Plugin {
        /// The plugin.
        plugin: Text,
        /// Its action.
        action: Text,
    },
    /// A command line, split into words after interpolation.
    Line(Template),
    /// A command with its words.
    Words(Vec<Template>),
    /// Nothing: neither a script nor a plugin with an action is named.
    Nothing,
}

/// Arguments of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Arguments {
    /// None.
    None,
    /// By name.
    Named(Vec<(Text, Argument)>),
    /// In order; for scripts.
    Listed(Vec<Argument>),
}

/// A value with templates in its texts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    /// A text.
    Text(Template),
    /// Neither text nor collection: passed on unchanged.
    Data(Value),
    /// A list.
    List(Vec<Argument>),
    /// A mapping.
    Map(Vec<(Text, Argument)>),
}

impl Argument {
    /// Returns whether nothing in it has to be replaced.
    fn is_plain(&self) -> bool {
        match self {
            Self::Text(template) => template.is_plain(),
            Self::Data(_) => true,
            Self::List(items) => items.iter().all(Self::is_plain),
            Self::Map(fields) => fields.iter().all(|(_, value)| value.is_plain()),
        }
    }

    /// Returns the value as written.
    fn written(&self) -> String {
        match self {
            Self::Text(template) => template.written.to_string(),
            Self::Data(value) => value.to_string(),
            Self::List(items) => {
                format!("[{}]", items.iter().map(Self::written).collect::<Vec<_>>().join(", "))
            }
            Self::Map(fields) => {
                let one = |(name, value): &(Text, Self)| format!("{name}: {}", value.written());
                format!("{{{}}}", fields.iter().map(one).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The same as one word of a command line.
    fn quoted(&self) -> String {
        let written = self.written();
        let plain = !written.is_empty() && !written.contains([' ', '\t', '"', '\'']);
        if plain || written.contains('\'') { written } else { format!("'{written}'") }
    }

    /// Every template in it.
    pub(crate) fn templates<'a>(&'a self, out: &mut Vec<&'a Template>) {
        match self {
            Self::Text(template) => out.push(template),
            Self::Data(_) => {}
            Self::List(items) => items.iter().for_each(|item| item.templates(out)),
            Self::Map(fields) => fields.iter().for_each(|(_, value)| value.templates(out)),
        }
    }
}

impl Action {
    /// Returns whether nothing in it has to be replaced.
    pub(crate) fn is_plain(&self) -> bool {
        let call = match &self.call {
            Call::Line(line) => line.is_plain(),
            Call::Words(words) => words.iter().all(Template::is_plain),
            Call::Plugin { .. } | Call::Nothing => true,
        };
        let arguments = match &self.arguments {
            Arguments::None => true,
            Arguments::Named(fields) => fields.iter().all(|(_, value)| value.is_plain()),
            Arguments::Listed(items) => items.iter().all(Argument::is_plain),
        };
        call && arguments && self.selector.as_ref().is_none_or(Template::is_plain)
    }

    /// An argument by name.
    pub(crate) fn argument(&self, name: &str) -> Option<&Argument> {
        let Arguments::Named(fields) = &self.arguments else { return None };
        fields.iter().rev().find(|(own, _)| &**own == name).map(|(_, value)| value)
    }

    /// The selector: that among the arguments, else the step's own.
    pub(crate) fn effective_selector(&self) -> Option<&Template> {
        match self.argument("selector") {
            Some(Argument::Text(template)) => Some(template),
            Some(_) => None,
            None => self.selector.as_ref(),
        }
    }

    /// Returns the call with its arguments as written, on one line.
    pub(crate) fn full_line(&self) -> String {
        let mut line = self.line();
        match &self.arguments {
            Arguments::None => {}
            Arguments::Named(fields) => {
                for (name, value) in fields {
                    line = format!("{line} {name}={}", value.written());
                }
            }
            Arguments::Listed(items) => {
                for item in items {
                    line = format!("{line} {}", item.quoted());
                }
            }
        }
        line
    }

    /// Returns the call as written, on one line.
    pub(crate) fn line(&self) -> String {
        match &self.call {
            Call::Plugin { plugin, action } => format!("{plugin} {action}"),
            Call::Line(line) => line.written.to_string(),
            Call::Words(words) => words.iter().map(|word| &*word.written).collect::<Vec<_>>().join(" "),
            Call::Nothing => String::new(),
        }
    }
}

impl Plan {
    /// Puts a plan together and finds out where its exits lead. The first chain is the top level.
    pub(crate) fn new(mut steps: Vec<Step>, chains: Vec<Chain>) -> Self {
        let mut ids = SortedMap::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            ids.entry(step.id.clone()).or_insert(StepId::at(at));
        }
        let places: Vec<u32> = steps.iter().map(|step| step.at).collect();
        let cleanups: Vec<bool> = steps.iter().map(|step| step.cleanup).collect();
        for step in &mut steps {
            let chain = chains.get(step.chain.index());
            let next = chain.and_then(|chain| chain.steps.get(step.at as usize + 1));
            let next = next.and_then(|next| cleanups.get(next.index()).copied());
            let (at, cleanup) = (step.at, step.cleanup);
            let leads = |label: Label| match label {
                Label::Pass => Leads::End(true),
                Label::Fail => Leads::End(false),
                Label::Step(to) => Leads::To(places.get(to.index()).copied().unwrap_or(0)),
                Label::Next => next_of(at, cleanup, next),
            };
            step.on_pass.leads = leads(step.on_pass.label);
            step.on_fail.leads = leads(step.on_fail.label);
        }
        Self { steps, chains, ids }
    }

    /// A plan without steps.
    pub(crate) fn empty() -> Self {
        let root = Chain { owner: None, kind: ChainKind::Root, steps: Vec::new(), component: None };
        Self::new(Vec::new(), vec![root])
    }

    /// A step.
    pub(crate) fn step(&self, id: StepId) -> Option<&Step> {
        self.steps.get(id.index())
    }

    /// All steps with their numbers.
    pub(crate) fn steps(&self) -> impl ExactSizeIterator<Item = (StepId, &Step)> {
        self.steps.iter().enumerate().map(|(at, step)| (StepId::at(at), step))
    }

    /// A chain.
    pub(crate) fn chain(&self, id: ChainId) -> Option<&Chain> {
        self.chains.get(id.index())
    }

    /// All chains with their numbers, the top level first.
    pub(crate) fn chains(&self) -> impl Iterator<Item = (ChainId, &Chain)> {
        self.chains.iter().enumerate().map(|(at, chain)| (ChainId::at(at), chain))
    }

    /// The steps of a chain; none for a chain that does not exist.
    pub(crate) fn steps_of(&self, chain: ChainId) -> &[StepId] {
        self.chain(chain).map_or(&[], |chain| &chain.steps)
    }

    /// The step with an id.
    pub(crate) fn find(&self, id: &str) -> Option<StepId> {
        self.ids.get(id).copied()
    }

    /// The top-level step that a step is, or is inside.
    pub(crate) fn top(&self, id: StepId) -> StepId {
        let mut at = id;
        while let Some(owner) =
            self.step(at).and_then(|step| self.chain(step.chain)).and_then(|chain| chain.owner)
        {
            at = owner;
        }
        at
    }

    /// The step at a place of a chain.
    pub(crate) fn at(&self, chain: ChainId, place: u32) -> Option<StepId> {
        self.steps_of(chain).get(place as usize).copied()
    }

    /// Returns the target of a step's exit, as a step or an end.
    pub(crate) fn target(&self, id: StepId, passed: bool) -> Option<Result<StepId, bool>> {
        let step = self.step(id)?;
        Some(match step.exit(passed).leads {
            Leads::To(place) => Ok(self.at(step.chain, place)?),
            Leads::End(passed) => Err(passed),
        })
    }
}

/// Returns the target of `next` from a place: `following` is whether the step behind it is a cleanup step, if there is one. The
/// result of the step plays no part.
///
/// **Source**: Skopos Deployment Plan Reference, "Low-level steps chains", label `next`. Match.
pub(crate) const fn next_of(at: u32, cleanup: bool, following: Option<bool>) -> Leads {
    match following {
        Some(other) if other == cleanup => Leads::To(at.saturating_add(1)),
        Some(_) | None => Leads::End(!cleanup),
    }
}

impl Default for Exit {
    fn default() -> Self {
        let leads = Leads::End(true);
        Self { label: Label::Next, written: false, pause: false, warn: false, info: false, leads }
    }
}

/// A shared plan.
pub(crate) type SharedPlan = Arc<Plan>;
