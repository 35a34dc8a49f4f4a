//! Actions on a thing that is shown: words and input.
//!
//! *Knows*: the shape of an action. *Must not know*: when a system allows it.

use crate::Text;
use crate::event::ElementPath;
use crate::input::{Input, PlanCommand, PlanOp, PodCommand, PodOp};
use crate::interned::{self, Word};
use crate::json::Read;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something that can be done to the thing shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ActionView {
    /// Menu text, in the words of the system.
    pub title: Text,
    /// The plan operation that it is or comes closest to: keys and consumers find it by this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<PlanOp>,
    /// Name of the icon that a front end draws; empty for the usual one.
    #[serde(default, skip_serializing_if = "str::is_empty", deserialize_with = "interned::read_word")]
    pub icon: Word,
    /// The input of the action. In actions shared by many elements or pods, the element or pod is left out here and
    /// in JSON: [`ActionView::at`] and [`ActionView::on_pod`] return the complete input.
    #[serde(default = "open", skip_serializing_if = "is_open")]
    pub input: Input,
    /// It takes parameters, `NAME=value`: they are asked for before it is sent ([`ActionView::with`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
    /// Consequence, if the title does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consequence: Option<Text>,
    /// Absent when allowed, otherwise why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Text>,
}

/// Returns whether the element or the pod is left out.
fn is_open(input: &Input) -> bool {
    match input {
        Input::Plan(command) => command.plan.is_empty(),
        Input::Pod(command) => command.pod.is_empty(),
        _ => false,
    }
}

/// A plan command that names nothing: read where the input was left out.
fn open() -> Input {
    ActionView::of_plan("", PlanOp::Start).input
}

impl ActionView {
    /// An action that is allowed. A plan command brings its operation along.
    pub fn new(title: impl Into<Text>, input: Input) -> Self {
        let op = match &input {
            Input::Plan(command) => Some(command.op),
            _ => None,
        };
        Self { title: title.into(), op, icon: "", input, asks: false, consequence: None, refused: None }
    }

    /// Creates a plan command without its element.
    pub fn of_plan(title: impl Into<Text>, op: PlanOp) -> Self {
        Self::new(
            title,
            Input::Plan(PlanCommand {
                dialect: String::new(),
                service: String::new(),
                plan: String::new(),
                op,
                phase: None,
                step: None,
                params: BTreeMap::new(),
            }),
        )
    }

    /// Creates a pod command without its pod.
    pub fn of_pod(title: impl Into<Text>, op: PodOp) -> Self {
        Self::new(
            title,
            Input::Pod(PodCommand {
                dialect: String::new(),
                service: String::new(),
                pod: String::new(),
                op,
                tasks: Vec::new(),
            }),
        )
    }

    /// With the operation that keys find it by.
    #[must_use]
    pub fn found_by(self, op: PlanOp) -> Self {
        Self { op: Some(op), ..self }
    }

    /// With an icon.
    #[must_use]
    pub fn icon(self, icon: &'static str) -> Self {
        Self { icon, ..self }
    }

    /// With parameters to be asked for.
    #[must_use]
    pub fn asking(self) -> Self {
        Self { asks: true, ..self }
    }

    /// Adds the consequence.
    #[must_use]
    pub fn doing(self, consequence: impl Into<Text>) -> Self {
        Self { consequence: Some(consequence.into()), ..self }
    }

    /// With the reason why it is not allowed, if there is one.
    #[must_use]
    pub fn unless<T: Into<Text>>(self, refused: Option<T>) -> Self {
        Self { refused: refused.map(Into::into), ..self }
    }

    /// The input that does it to this element.
    pub fn at(&self, path: &ElementPath) -> Input {
        let mut input = self.input.clone();
        if let Input::Plan(command) = &mut input
            && command.plan.is_empty()
        {
            command.dialect = path.dialect.to_string();
            command.service = path.service.to_string();
            command.plan = path.plan.to_string();
            command.phase = path.phase.as_ref().map(ToString::to_string);
            command.step = path.step.as_ref().map(ToString::to_string);
        }
        input
    }

    /// The input that does it to this pod.
    pub fn on_pod(&self, dialect: &str, service: &str, pod: &str) -> Input {
        let mut input = self.input.clone();
        if let Input::Pod(command) = &mut input
            && command.pod.is_empty()
        {
            dialect.clone_into(&mut command.dialect);
            service.clone_into(&mut command.service);
            pod.clone_into(&mut command.pod);
        }
        input
    }

    /// The input that does it to this element, with the parameters that were asked for.
    pub fn with(&self, path: &ElementPath, params: BTreeMap<String, String>) -> Input {
        let mut input = self.at(path);
        match &mut input {
            Input::Plan(command) => command.params = params,
            Input::LoadService(load) | Input::UpdateService(load) => {
                load.params.extend(params.into_iter().map(|(name, value)| (name, value.into())));
            }
            _ => {}
        }
        input
    }
}
