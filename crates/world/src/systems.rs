//! The one place that names the dialects: what each of them answers to the world.
//!
//! Knows: which crate reads which dialect and which of its functions does what.
//! Must not know: any system's rules.

mod group;
mod services;

pub(crate) use group::Group;
pub use group::{GroupMember, GroupView};
pub use planarium_sdk::{DebugFilter, FILE_BYTES, SdkQuery};
pub(crate) use services::{ServiceId, Services};

pub(crate) use planarium_sdk::Request;

use crate::explain::Facts;
use planarium_fleet::Cx;
use planarium_kernel::Cause;
use planarium_kernel::cow::behind;
use planarium_kernel::time::SimTime;
use planarium_mesos::api::{FrameworkInfo, SchedulerEvent};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{LoadService, PlanCommand, PodCommand};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Refusal, Text, Why};
use planarium_sdk::{Loaded, Scheduler};
use planarium_source::{Diagnostic, SourceMap, Span};
use serde_json::Value;
use std::sync::Arc;

/// The dialects that exist, simulated here or not yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sdk,
    Marathon,
    Kudo,
    Skopos,
}

impl Dialect {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Sdk => "sdk",
            Self::Marathon => "marathon",
            Self::Kudo => "kudo",
            Self::Skopos => "skopos",
        }
    }

    /// The dialect that a request names, or the one its files are written in.
    pub(crate) fn of(load: &LoadService) -> Result<Self, Refusal> {
        let word = match load.dialect.as_str() {
            "" | "auto" => crate::detect_dialect(&load.files),
            word => word,
        };
        [Self::Sdk, Self::Marathon, Self::Kudo, Self::Skopos]
            .into_iter()
            .find(|one| one.as_str() == word)
            .ok_or_else(|| {
                Refusal::new(
                    RefusalCode::BadRequest,
                    format!("unknown dialect `{word}`; there are sdk, marathon, kudo, skopos and auto"),
                )
            })
    }

    /// Why a dialect cannot be run.
    pub(crate) fn unsupported(self) -> Refusal {
        let what = match self {
            Self::Sdk => "This DC/OS SDK service",
            Self::Marathon => "This is a Marathon app or group, which",
            Self::Kudo => "This is a KUDO operator, which",
            Self::Skopos => "This is a Skopos deploy plan, which",
        };
        Refusal::new(RefusalCode::Unsupported, format!("{what} is not yet simulated here"))
    }
}

/// A definition as its dialect read it.
#[derive(Clone)]
pub(crate) enum Definition {
    Sdk(Arc<Loaded>),
}

impl Definition {
    /// Reads a definition, or says that its dialect is not simulated.
    pub(crate) fn read(load: &LoadService) -> Result<Self, Refusal> {
        match Dialect::of(load)? {
            Dialect::Sdk => Ok(Self::Sdk(Arc::new(planarium_sdk::load(load)))),
            other => Err(other.unsupported()),
        }
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match self {
            Self::Sdk(_) => Dialect::Sdk,
        }
    }

    pub(crate) fn name(&self) -> &Text {
        match self {
            Self::Sdk(loaded) => &loaded.name,
        }
    }

    /// The request it was read from, with the order to uninstall: the whole framework, or one service of several.
    pub(crate) fn uninstalling(&self, load: &LoadService, of_several: bool) -> LoadService {
        let mut load = load.clone();
        match self {
            Self::Sdk(_) => {
                let value = if of_several { planarium_sdk::OF_SEVERAL } else { "true" };
                load.env.insert(planarium_sdk::UNINSTALL_FLAG.to_owned(), value.to_owned());
            }
        }
        load
    }

    /// Whether it can run.
    pub(crate) fn is_usable(&self) -> bool {
        match self {
            Self::Sdk(loaded) => loaded.spec.is_some(),
        }
    }

    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Self::Sdk(loaded) => loaded.diagnostics.clone().into_sorted(),
        }
    }

    pub(crate) fn sources(&self) -> &SourceMap {
        match self {
            Self::Sdk(loaded) => &loaded.sources,
        }
    }

    /// Path of the definition file.
    pub(crate) fn path(&self) -> Option<&Text> {
        match self {
            Self::Sdk(loaded) => loaded.definition.as_ref(),
        }
    }

    /// The beginning of the definition.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Sdk(loaded) => {
                let path = loaded.definition.as_deref().unwrap_or_default();
                let mut files = loaded.sources.iter();
                files.find(|(_, file)| file.name() == path).map_or(Span::default(), |(id, _)| Span::at(id, 0))
            }
        }
    }

    /// Template variables without a value.
    /// Fields that are read, checked and without effect here, each with why.
    pub(crate) fn kept(&self) -> Vec<(String, &'static str)> {
        match self {
            Self::Sdk(loaded) => loaded.kept.iter().map(|kept| (kept.path.clone(), kept.why)).collect(),
        }
    }

    pub(crate) fn missing(&self) -> Vec<String> {
        match self {
            Self::Sdk(loaded) => loaded.missing.iter().map(|missing| missing.name.to_string()).collect(),
        }
    }
}

/// A running service's control loop.
#[derive(Clone)]
pub(crate) enum System {
    Sdk(Arc<Scheduler>),
}

impl System {
    /// Starts a definition, in place of a running one if there is one.
    pub(crate) fn start(
        cx: &mut Cx,
        definition: &Definition,
        previous: Option<&Self>,
    ) -> Result<(Self, Vec<Request>), Refusal> {
        match definition {
            Definition::Sdk(loaded) => {
                let previous = previous.map(|Self::Sdk(scheduler)| &**scheduler);
                let (scheduler, calls) = Scheduler::start(cx, loaded, previous)?;
                Ok((Self::Sdk(Arc::new(scheduler)), calls))
            }
        }
    }

    /// What stands against a definition that is to follow what runs, as findings in its text.
    pub(crate) fn findings_against(
        definition: &Definition,
        previous: Option<&Self>,
    ) -> Vec<planarium_source::Diagnostic> {
        match definition {
            Definition::Sdk(loaded) => {
                Scheduler::findings_against(loaded, previous.map(|Self::Sdk(scheduler)| &**scheduler))
            }
        }
    }

    fn sdk(&self) -> &Scheduler {
        let Self::Sdk(scheduler) = self;
        scheduler
    }

    fn sdk_mut(&mut self) -> &mut Scheduler {
        let Self::Sdk(scheduler) = self;
        Arc::make_mut(scheduler)
    }

    pub(crate) fn framework_info(&self) -> FrameworkInfo {
        self.sdk().framework_info()
    }

    /// Whether it is acquiring reservations.
    pub(crate) fn is_reserving(&self) -> bool {
        self.sdk().is_reserving()
    }

    /// Whether others of its framework reserve before it.
    pub(crate) fn is_barred(&self) -> bool {
        self.sdk().is_barred()
    }

    pub(crate) fn set_barred(&mut self, cx: &mut Cx, barred: bool) {
        self.sdk_mut().set_barred(cx, barred);
    }

    /// Head of its task ids.
    pub(crate) fn task_prefix(&self) -> String {
        self.sdk().task_prefix()
    }

    /// What its process has counted.
    pub(crate) fn metrics(&self) -> planarium_sdk::Metrics {
        self.sdk().metrics()
    }

    /// Its process hears an error and ends.
    pub(crate) fn fail(&mut self, cx: &mut Cx, error: &str) {
        self.sdk_mut().fail(cx, error);
    }

    pub(crate) fn next_due(&self) -> Option<SimTime> {
        self.sdk().next_due()
    }

    pub(crate) fn one_shots(&self) -> usize {
        self.sdk().one_shots()
    }

    pub(crate) fn restless(&self) -> bool {
        self.sdk().restless()
    }

    pub(crate) fn fire(&mut self, cx: &mut Cx) -> Vec<Request> {
        self.sdk_mut().fire(cx)
    }

    pub(crate) fn run_cycle_now(&mut self, cx: &mut Cx) -> Vec<Request> {
        self.sdk_mut().run_cycle_now(cx)
    }

    pub(crate) fn on_event(&mut self, cx: &mut Cx, event: SchedulerEvent) -> Vec<Request> {
        self.sdk_mut().on_event(cx, event)
    }

    pub(crate) fn plan_command(
        &mut self,
        cx: &mut Cx,
        command: &PlanCommand,
    ) -> Result<(Value, Vec<Request>), Refusal> {
        self.sdk_mut().plan_command(cx, command)
    }

    pub(crate) fn pod_command(
        &mut self,
        cx: &mut Cx,
        command: &PodCommand,
    ) -> Result<(Value, Vec<Request>), Refusal> {
        self.sdk_mut().pod_command(cx, command)
    }

    pub(crate) fn store_file(&mut self, cx: &mut Cx, name: &str, text: &str) -> Result<Value, Refusal> {
        self.sdk_mut().store_file(cx, name, text)
    }

    pub(crate) fn view(&self) -> Arc<ServiceView> {
        self.sdk().view()
    }

    /// Name of the service as its view says it.
    pub(crate) fn shown_name(&self) -> &Text {
        self.sdk().name()
    }

    /// The word that the view of an element shows.
    pub(crate) fn status_at(&self, element: &str) -> Option<&'static str> {
        self.sdk().status_at(element)
    }

    pub(crate) fn why(&self, path: &ElementPath, facts: &Facts<'_>) -> Option<Why> {
        self.sdk().why_with(path, facts)
    }

    pub(crate) fn query_sdk(&self, what: &SdkQuery, epoch_ms: u64) -> Result<(u16, Value), Refusal> {
        self.sdk().query(what, epoch_ms)
    }

    /// Why the definition it was started with is not in force; empty when it is.
    pub(crate) fn refused(&self) -> &[Text] {
        self.sdk().refused()
    }

    /// Whether it takes everything back.
    pub(crate) fn is_uninstalling(&self) -> bool {
        self.sdk().is_uninstalling()
    }

    /// What removed it, once it has been removed from outside.
    pub(crate) fn gone(&self) -> Option<Cause> {
        self.sdk().gone()
    }

    /// What does not hold, in words.
    pub(crate) fn check(&self) -> Vec<String> {
        self.sdk().check()
    }

    /// Bytes that this control loop holds and the one before does not, by estimate.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        let Self::Sdk(scheduler) = self;
        let before = before.map(|Self::Sdk(before)| before);
        behind(scheduler, before, |scheduler| scheduler.beyond(before.map(|before| &**before)))
    }

    /// Roughly how many bytes a copy takes.
    pub(crate) fn weight(&self) -> u64 {
        self.sdk().weight()
    }
}
