//! Facts about an application as events.
//!
//! *Knows*: paths of elements, words, which records are worth an event. *Must not know*: why anything happens.

use super::log::Level;
use super::mode::MODES;
use super::{LogKind, Mode, Record, Shown};
use crate::DIALECT;
use crate::instances::Instance;
use crate::plan::{Plan, StepId};
use planarium_ground::Cx;
use planarium_protocol::event::{ElementPath, Importance};
use planarium_protocol::{EventBody, Text};

/// The name of an application's plan.
pub(crate) const PLAN: &str = "deploy";

/// Names needed by events, shared by all of them.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The plan as a whole.
    pub(crate) plan: ElementPath,
    /// Every step.
    steps: Vec<ElementPath>,
    shown: [Text; 7],
    modes: Vec<(Mode, Text)>,
}

impl Names {
    /// Names for a plan.
    pub(crate) fn new(service: &Text, plan: &Plan) -> Self {
        let whole = ElementPath {
            dialect: DIALECT.into(),
            service: service.clone(),
            plan: PLAN.into(),
            phase: None,
            step: None,
        };
        let path = |id: StepId| {
            let top = plan.top(id);
            let name = |id: StepId| plan.step(id).map(|step| step.id.clone());
            ElementPath { phase: name(top), step: (top != id).then(|| name(id)).flatten(), ..whole.clone() }
        };
        Self {
            steps: plan.steps().map(|(id, _)| path(id)).collect(),
            shown: Shown::ALL.map(|shown| shown.word().into()),
            modes: MODES.map(|mode| (mode, mode.word().into())).into(),
            plan: whole,
        }
    }

    /// The path of a step.
    pub(crate) fn step(&self, id: StepId) -> Option<&ElementPath> {
        self.steps.get(id.index())
    }

    fn shown(&self, shown: Shown) -> Text {
        let [pending, running, waiting, paused, passed, failed, skipped] = &self.shown;
        let word = match shown {
            Shown::Pending => pending,
            Shown::Running => running,
            Shown::Waiting => waiting,
            Shown::Paused => paused,
            Shown::Passed => passed,
            Shown::Failed => failed,
            Shown::Skipped => skipped,
        };
        word.clone()
    }

    /// The word of a mode.
    pub(crate) fn mode(&self, mode: Mode) -> Text {
        self.modes.iter().find(|(own, _)| *own == mode).map(|(_, word)| word.clone()).unwrap_or_default()
    }

    /// A step shows something else; the event's number.
    pub(crate) fn showed(&self, cx: &mut Cx, id: StepId, from: Shown, to: Shown) -> u64 {
        let Some(path) = self.step(id).cloned() else { return 0 };
        cx.emit(EventBody::ElementStatus { path, from: self.shown(from), to: self.shown(to) })
    }

    /// The engine does something else; the event's number.
    pub(crate) fn moded(&self, cx: &mut Cx, from: Mode, to: Mode) -> u64 {
        let path = self.plan.clone();
        cx.emit(EventBody::ElementStatus { path, from: self.mode(from), to: self.mode(to) })
    }

    /// An application is there.
    pub(crate) fn loaded(&self, cx: &mut Cx, mode: Mode) {
        let text = match mode {
            Mode::NotReady => "nothing is to be done: what runs is what the model says",
            _ => "ready to deploy",
        };
        self.happened(cx, "plan-ready", Importance::Normal, None, vec![("state", self.mode(mode))], text);
    }

    /// A command was given.
    pub(crate) fn commanded(&self, cx: &mut Cx, op: &'static str) {
        cx.emit(EventBody::PlanCommanded { path: self.plan.clone(), op: op.into() });
    }

    /// Tells about a record that is more than the beginning or the end of a step; the event's number.
    pub(crate) fn told(&self, cx: &mut Cx, plan: &Plan, record: &Record) -> Option<u64> {
        match &record.kind {
            LogKind::StepStart
            | LogKind::StepPass
            | LogKind::StepFail(None)
            | LogKind::PlanPass
            | LogKind::PlanFail
            | LogKind::PlanStart => return None,
            _ => {}
        }
        let importance = match record.kind.level() {
            Level::Info => Importance::Normal,
            Level::Warning | Level::Error => Importance::High,
        };
        let mut facts: Vec<(&'static str, Text)> = Vec::new();
        if let Some(index) = record.index {
            facts.push(("index", index.to_string().into()));
        }
        let path = record.step.and_then(|id| self.step(id));
        Some(self.happened(cx, record.kind.word(), importance, path, facts, &record.text(plan)))
    }

    /// Something became of an instance.
    pub(crate) fn instance(
        &self,
        cx: &mut Cx,
        what: &'static str,
        component: &str,
        instance: &Instance,
        more: Option<Text>,
    ) {
        let mut facts = vec![
            ("instance", instance.id.clone()),
            ("component", component.into()),
            ("image", instance.image.clone()),
        ];
        let (importance, text) = match what {
            "instance-created" => (Importance::Normal, format!("{} was created", instance.id)),
            "instance-destroyed" => (Importance::Normal, format!("{} was destroyed", instance.id)),
            "instance-lost" => (Importance::High, format!("{} was lost with its machine", instance.id)),
            _ => (Importance::High, format!("{} has ended", instance.id)),
        };
        let text = match &more {
            Some(more) if what == "instance-exited" => format!("{text}: {more}"),
            Some(host) if what != "instance-destroyed" => format!("{text}, {host}"),
            _ => text,
        };
        facts.extend(more.filter(|_| what != "instance-exited").map(|host| ("agent", host)));
        self.happened(cx, what, importance, None, facts, &text);
    }

    fn happened(
        &self,
        cx: &mut Cx,
        what: &'static str,
        importance: Importance,
        path: Option<&ElementPath>,
        facts: Vec<(&'static str, Text)>,
        text: &str,
    ) -> u64 {
        cx.emit(EventBody::Happened {
            speaker: self.plan.service.clone(),
            what: what.into(),
            importance,
            path: path.map(|path| Box::new(path.clone())),
            facts: facts.into_iter().map(|(name, value)| (name.into(), value)).collect(),
            text: text.into(),
        })
    }
}
