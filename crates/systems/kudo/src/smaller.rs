//! Proposes a smaller request for pods that fit no node, by the one parameter that sets it.
//!
//! *Knows*: rendered tasks, values of parameters, free amounts of nodes. *Must not know*: how pods are placed; the proposal is tried on
//! a copy of the world.

use planarium_kube::{Amounts, Kube};
use planarium_protocol::Input;
use planarium_protocol::Text;
use planarium_protocol::input::HttpCall;
use planarium_protocol::json;
use serde_json::Value;

use crate::admission::{self, Decision};
use crate::engine::Rendered;
use crate::instance::Instance;
use crate::version::Version;

/// A resource requested by pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resource {
    /// Thousandths of a CPU.
    Cpu,
    /// Mebibytes.
    Memory,
}

/// Bytes of a mebibyte.
const MEBI: i64 = 1024 * 1024;

impl Resource {
    const ALL: [Self; 2] = [Self::Cpu, Self::Memory];

    const fn key(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
        }
    }

    /// Steps in which a smaller amount is looked for, the least one proposed.
    const fn step(self) -> i64 {
        match self {
            Self::Cpu => 50,
            Self::Memory => 32,
        }
    }

    const fn of(self, amounts: &Amounts) -> i64 {
        match self {
            Self::Cpu => amounts.cpu_milli,
            Self::Memory => amounts.memory / MEBI,
        }
    }

    /// Parses a quantity as written in parameters; `None` for other forms.
    fn parse(self, text: &str) -> Option<i64> {
        let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number > 0);
        match self {
            Self::Cpu => match (text.strip_suffix('m'), text.split_once('.')) {
                (Some(milli), _) => number(milli),
                (None, None) => number(text)?.checked_mul(1000),
                (None, Some((whole, part))) if !part.is_empty() && part.len() <= 3 => {
                    let whole = whole.parse::<u32>().ok().map(i64::from)?;
                    let part = format!("{part:0<3}").parse::<u32>().ok().map(i64::from)?;
                    Some(whole * 1000 + part).filter(|milli| *milli > 0)
                }
                (None, Some(_)) => None,
            },
            Self::Memory => match (text.strip_suffix("Mi"), text.strip_suffix("Gi")) {
                (Some(mebi), _) => number(mebi),
                (None, Some(gibi)) => number(gibi)?.checked_mul(1024),
                (None, None) => None,
            },
        }
    }

    /// An amount in the style of another one.
    fn written(self, amount: i64, like: &str) -> String {
        match self {
            Self::Cpu if like.ends_with('m') => format!("{amount}m"),
            Self::Cpu if amount % 1000 == 0 => (amount / 1000).to_string(),
            Self::Cpu => {
                let text = format!("{}.{:03}", amount / 1000, amount % 1000);
                text.trim_end_matches('0').to_owned()
            }
            Self::Memory if like.ends_with("Gi") && amount % 1024 == 0 => format!("{}Gi", amount / 1024),
            Self::Memory => format!("{amount}Mi"),
        }
    }
}

/// Data about the waiting step.
pub(crate) struct Waiting<'w> {
    pub(crate) instance: &'w Instance,
    pub(crate) version: &'w Version,
    pub(crate) kube: &'w Kube,
    pub(crate) rendered: &'w Rendered,
    /// Requests of each pod that no node has room for.
    pub(crate) homeless: &'w [Amounts],
}

/// The title of a proposal, and the call that carries it out; none unless exactly one parameter does it alone.
pub(crate) fn smaller(waiting: &Waiting<'_>) -> Option<(String, Input)> {
    let all = Resource::ALL.into_iter().flat_map(|resource| waiting.candidates(resource));
    let mut found = all.take(2);
    let (name, old, new) = found.next().filter(|_| found.next().is_none())?;
    let title = format!("Set the parameter {name} to {new} instead of {old}, for which there is room");
    let instance = waiting.instance;
    let mut values = serde_json::Map::new();
    values.insert(name.to_string(), Value::from(new));
    let path =
        format!("/kube/apis/kudo.dev/v1beta1/namespaces/{}/instances/{}", instance.namespace, instance.name);
    let call = HttpCall {
        method: "PATCH".to_owned(),
        path,
        body: json!({ "spec": { "parameters": (Value::Object(values)) } }),
        content_type: Some("application/merge-patch+json".to_owned()),
    };
    Some((title, Input::Call(call)))
}

impl Waiting<'_> {
    /// Parameters that set a request of this resource, with their value and one that fits.
    fn candidates(&self, resource: Resource) -> Vec<(Text, Text, String)> {
        let mut all = Vec::new();
        for parameter in self.version.parameters.iter().filter(|parameter| !parameter.immutable) {
            let name = Text::from(parameter.name.value.as_str());
            let value = self.instance.parameters.get(&name).or(parameter.default.as_ref());
            let Some((value, amount)) = value.and_then(|value| Some((value, resource.parse(value)?))) else {
                continue;
            };
            let times = self.uses(&name, value, resource);
            let less = (times > 0).then(|| self.fitting(resource, amount, times)).flatten();
            let Some(less) = less.map(|less| resource.written(less, value)) else { continue };
            if self.is_admitted(&name, &less) {
                all.push((name, value.clone(), less));
            }
        }
        all
    }

    /// Containers of one pod whose request is the value of a parameter that the template names.
    fn uses(&self, name: &str, value: &str, resource: Resource) -> i64 {
        let field = format!(".Params.{name}");
        let is_named = |(template, ..): &(Text, std::sync::Arc<str>, _)| {
            let template = self.version.templates.get(template).and_then(|template| template.as_ref().ok());
            template.is_some_and(|template| names(template.text(), &field))
        };
        if !self.rendered.texts.iter().any(is_named) {
            return 0;
        }
        let of_pod = |value: &Value| {
            let spec = value.pointer("/spec/template/spec").or_else(|| value.get("spec"));
            spec.and_then(|spec| spec.get("containers")?.as_array().cloned()).unwrap_or_default()
        };
        let is_use = |container: &Value| {
            let own = container.get("resources").and_then(|all| {
                let asked = |of: &str| all.get(of).and_then(|all| all.get(resource.key()));
                asked("requests").or_else(|| asked("limits"))
            });
            match own {
                Some(Value::String(text)) => text == value,
                Some(Value::Number(number)) => number.to_string() == value,
                _ => false,
            }
        };
        let counts = self.rendered.objects.iter().map(|object| {
            let used = of_pod(&object.value).iter().filter(|container| is_use(container)).count();
            i64::try_from(used).unwrap_or(0)
        });
        counts.max().unwrap_or(0)
    }

    /// The largest amount below the present one with which all pods have room.
    fn fitting(&self, resource: Resource, amount: i64, times: i64) -> Option<i64> {
        let most = self.homeless.iter().fold(*self.homeless.first()?, |most, one| most.most(*one));
        let nodes: Vec<_> =
            self.kube.nodes().into_iter().filter(|node| &*node.ready == "True" && !node.cordoned).collect();
        let count = i64::try_from(self.homeless.len()).ok()?;
        let room = |less: i64| {
            let needs = |of: Resource| {
                let spared = if of == resource { times.saturating_mul(amount - less) } else { 0 };
                of.of(&most).saturating_sub(spared)
            };
            let on = |node: &planarium_kube::NodeFacts| {
                let of_each = Resource::ALL
                    .into_iter()
                    .filter(|of| needs(*of) > 0)
                    .map(|of| (of.of(&node.allocatable) - of.of(&node.requested)).max(0) / needs(of));
                of_each.min().unwrap_or(count)
            };
            nodes.iter().map(on).sum::<i64>()
        };
        if room(amount) >= count {
            return None;
        }
        let step = resource.step();
        let below = (amount - 1) / step;
        let steps = (1..=below.min(8_192)).rev();
        steps.map(|n| n * step).find(|less| room(*less) >= count)
    }

    /// Returns whether the instance may have that value now, and a plan starts with it.
    fn is_admitted(&self, name: &Text, value: &str) -> bool {
        let mut wanted = self.instance.clone();
        wanted.parameters.insert(name.clone(), value.into());
        let decision = admission::admit(self.instance, &mut wanted, self.version, self.version);
        matches!(decision, Ok(Decision::Start(_)))
    }
}

/// Returns whether a template names a field, and not a longer one with this prefix.
fn names(template: &str, field: &str) -> bool {
    template.match_indices(field).any(|(at, _)| {
        let rest = template.get(at + field.len()..).unwrap_or_default();
        !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_keep_their_style() {
        for (resource, text, amount, less, written) in [
            (Resource::Cpu, "6", 6000, 3500, "3.5"),
            (Resource::Cpu, "6", 6000, 3000, "3"),
            (Resource::Cpu, "0.25", 250, 50, "0.05"),
            (Resource::Cpu, "6000m", 6000, 3500, "3500m"),
            (Resource::Memory, "2Gi", 2048, 1024, "1Gi"),
            (Resource::Memory, "2Gi", 2048, 1536, "1536Mi"),
            (Resource::Memory, "512Mi", 512, 256, "256Mi"),
        ] {
            assert_eq!(resource.parse(text), Some(amount), "{text}");
            assert_eq!(resource.written(less, text), written, "{text}");
        }
        for text in ["", "0", "-1", "6e3", "1.0001", "x", "."] {
            assert_eq!(Resource::Cpu.parse(text), None, "{text}");
        }
        assert_eq!(Resource::Memory.parse("1000000"), None);
    }

    #[test]
    fn a_longer_name_is_another_parameter() {
        assert!(names("cpu: {{ .Params.CPU }}", ".Params.CPU"));
        assert!(!names("cpu: {{ .Params.CPUS }}", ".Params.CPU"));
    }
}
