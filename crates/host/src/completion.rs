//! Completes console lines with names from the view.
//!
//! *Knows*: which part of the view has the names for a position in a line. *Must not know*: any command.

use super::Host;
use planarium_messages::facts::{Completion, Fact};
use planarium_messages::paths::{service_key, service_path};
use planarium_protocol::View;
use planarium_protocol::view::ServiceView;
use planarium_rest::console::{Completion as Found, Names, complete};
use planarium_source::suggest;

/// Maximum number of suggested words.
const MOST: usize = 64;

impl Host {
    /// Returns the words that can follow in a line.
    pub(crate) fn complete(&self, line: &str, picked: Option<&str>) -> Fact {
        let view = self.shown.engine.view();
        let service = chosen(&view, picked).map(|service| service_key(&service_path(service)));
        let found = ways(&view, picked, line);
        let lines = (0..found.words.len().min(MOST)).filter_map(|at| found.with(at)).collect();
        let agreed = found.agreed();
        let more = found.words.len().saturating_sub(MOST);
        let words = found.words.into_iter().take(MOST).collect();
        let (line, service) = (line.to_owned(), service.unwrap_or_default());
        Fact::Completion(Completion { line, service, words, lines, more, agreed })
    }
}

/// Services that understand the words of the line.
pub(crate) fn speakers(view: &View) -> impl Iterator<Item = &ServiceView> {
    view.services.iter().map(|service| &**service)
}

/// Returns the service with this key, or the first one.
pub(crate) fn chosen<'v>(view: &'v View, picked: Option<&str>) -> Option<&'v ServiceView> {
    let named = |key: &str| speakers(view).find(|service| service_key(&service_path(service)) == key);
    picked.and_then(named).or_else(|| speakers(view).next())
}

/// The ways that a line may go on.
fn ways(view: &View, picked: Option<&str>, line: &str) -> Found {
    let chosen = chosen(view, picked);
    complete(line, chosen.map_or("", |service| &*service.dialect), &mut |named, wanted| match (named, wanted)
    {
        (_, Names::Services) => {
            speakers(view).map(|service| service.name.trim_start_matches('/').to_owned()).collect()
        }
        (None, wanted) => chosen.map(|service| names(service, wanted)).unwrap_or_default(),
        (Some(name), wanted) => {
            let name = name.trim_matches('/');
            let service = speakers(view).find(|service| service.name.trim_start_matches('/') == name);
            service.map(|service| names(service, wanted)).unwrap_or_default()
        }
    })
}

/// Suggests a correction of a line that is not understood: replaces its first unknown word with the nearest known
/// one.
pub(crate) fn meant(view: &View, picked: Option<&str>, line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let before = words.get(..at)?.iter().fold(String::new(), |out, word| out + word + " ");
        let known = ways(view, picked, &before).words;
        if known.iter().any(|fits| fits == word) {
            return None;
        }
        let nearest = suggest(word, known.iter().map(String::as_str))?;
        let after = words.get(at + 1..)?.iter().fold(String::new(), |out, word| out + " " + word);
        Some(format!("{before}{nearest}{after}"))
    })
}

fn names(service: &ServiceView, wanted: Names<'_>) -> Vec<String> {
    let plan = |name: &str| service.plans.iter().find(|plan| &*plan.name == name);
    match wanted {
        Names::Services => Vec::new(),
        Names::Definitions => service.definitions.iter().map(ToString::to_string).collect(),
        Names::Plans => service.plans.iter().map(|plan| plan.name.to_string()).collect(),
        Names::Phases(name) => {
            plan(name).into_iter().flat_map(|plan| &plan.phases).map(|phase| phase.name.to_string()).collect()
        }
        Names::Steps(name, phase) => plan(name)
            .and_then(|plan| plan.phases.iter().find(|found| *found.name == *phase || *found.id == *phase))
            .map(|phase| phase.steps.iter().map(|step| step.key().to_string()).collect())
            .unwrap_or_default(),
        Names::Pods => service.pods.iter().map(|pod| pod.name.to_string()).collect(),
        Names::Tasks(name) => {
            let pod = service.pods.iter().find(|pod| &*pod.name == name);
            let short = |task: &str| {
                let short = task.strip_prefix(name).and_then(|task| task.strip_prefix('-'));
                short.unwrap_or(task).to_owned()
            };
            pod.map(|pod| pod.tasks.iter().map(|task| short(&task.name)).collect()).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_world::{Engine, Genesis};

    #[test]
    fn the_nearest_command_replaces_a_typo() {
        let view = Engine::new(Genesis::default()).view();
        for (line, want) in [
            ("plann status deploy", Some("plan status deploy")),
            ("plan statsu deploy", Some("plan status deploy")),
            ("plan status deploy", None),
            ("xyz", None),
            ("", None),
        ] {
            assert_eq!(meant(&view, None, line).as_deref(), want, "{line}");
        }
    }
}
