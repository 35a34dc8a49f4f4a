//! Labels of a process and the target patterns that match them.
//!
//! *Knows*: pattern words with `*`. *Must not know*: what a service or a pod is.

use planarium_protocol::{Text, input::Target};
use std::sync::Arc;

/// A small sorted map from label names to texts.
///
/// Names in use: `service`, `pod`, `pod-type`, `task`, `task-id`, `agent`, `agent-id`, `step`; of a call also `plugin` and
/// `action`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(Arc<Vec<(&'static str, Text)>>);

impl Labels {
    /// Creates labels from pairs; the last of a repeated name wins.
    pub fn new(pairs: impl IntoIterator<Item = (&'static str, Text)>) -> Self {
        let pairs = pairs.into_iter();
        let mut labels = Self(Arc::new(Vec::with_capacity(pairs.size_hint().0)));
        for (name, value) in pairs {
            labels.set(name, value);
        }
        labels
    }

    /// The label's text.
    pub fn get(&self, name: &str) -> Option<&Text> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// The task id; empty if there is none.
    pub fn task_id(&self) -> Text {
        self.get("task-id").cloned().unwrap_or_default()
    }

    /// Sets a label.
    pub fn set(&mut self, name: &'static str, value: Text) {
        let all = Arc::make_mut(&mut self.0);
        match all.binary_search_by(|(n, _)| (*n).cmp(name)) {
            Ok(at) => {
                if let Some(place) = all.get_mut(at) {
                    place.1 = value;
                }
            }
            Err(at) => all.insert(at, (name, value)),
        }
    }

    /// Returns these labels with more, which are sorted by name; the later of a repeated name wins.
    pub fn with(&self, more: impl IntoIterator<Item = (&'static str, Text)>) -> Self {
        // Room for all names in use.
        let mut all = Vec::with_capacity(self.0.len() + 5);
        let mut mine = self.0.iter().peekable();
        for (name, value) in more {
            while let Some(label) = mine.next_if(|(other, _)| *other < name) {
                all.push(label.clone());
            }
            let _ = mine.next_if(|(other, _)| *other == name);
            all.push((name, value));
        }
        all.extend(mine.cloned());
        debug_assert!(all.is_sorted_by(|(one, _), (other, _)| one < other), "labels out of order");
        Self(Arc::new(all))
    }

    /// The pairs, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Text)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// Returns whether every given pattern of the target matches.
    ///
    /// `pod` matches the instance or the type; `task` the full name, the short name after the pod instance, or the id; `agent` the
    /// hostname or the agent id. `plugin` and `action` match calls only. A `task` or `service` that begins with a slash is also
    /// matched against the pod type, which is the id of an app.
    pub fn matches(&self, target: &Target) -> bool {
        let any = |pattern: &Option<String>, names: &[&str]| {
            pattern
                .as_ref()
                .is_none_or(|p| names.iter().any(|name| self.get(name).is_some_and(|value| glob(p, value))))
        };
        any(&target.plugin, &["plugin"])
            && any(&target.action, &["action"])
            && (any(&target.service, &["service"]) || self.is_of_app(target.service.as_deref()))
            && any(&target.pod, &["pod", "pod-type"])
            && any(&target.agent, &["agent", "agent-id"])
            && any(&target.step, &["step"])
            && (any(&target.task, &["task", "task-id"])
                || target.task.as_ref().is_some_and(|p| self.short_task().is_some_and(|name| glob(p, name)))
                || self.is_of_app(target.task.as_deref()))
    }

    /// A pattern that begins with a slash is the id of an app or pod.
    fn is_of_app(&self, pattern: Option<&str>) -> bool {
        let pattern = pattern.filter(|pattern| pattern.starts_with('/'));
        pattern.is_some_and(|pattern| self.get("pod-type").is_some_and(|id| glob(pattern, id)))
    }

    /// The task's name after its pod instance: `server` of `hello-0-server`.
    fn short_task(&self) -> Option<&str> {
        self.get("task")?.strip_prefix(&**self.get("pod")?)?.strip_prefix('-')
    }
}

/// Returns whether `text` matches `pattern`, in which `*` matches any run of characters.
///
/// *Cost*: length of the pattern times length of the text at worst; never exponential.
pub fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut rest = rest;
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        // An empty part (two stars in a row) consumes nothing.
        if !part.is_empty() {
            rest = after;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("hello-0", "hello-0", true),
            ("hello-0", "hello-01", false),
            ("*", "", true),
            ("*", "anything", true),
            ("hello-*", "hello-0", true),
            ("hello-*", "world-0", false),
            ("*-server", "hello-0-server", true),
            ("h*-0-*r", "hello-0-server", true),
            ("h*-1-*r", "hello-0-server", false),
            ("a*a", "a", false),
            ("a**b", "ab", true),
            ("", "", true),
            ("", "x", false),
        ] {
            assert_eq!(glob(pattern, text), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn merged_labels_are_ordered() {
        let few = Labels::new([("pod", "p".into()), ("task", "old".into())]);
        let more = [("agent", "a"), ("service", "s"), ("task", "new"), ("task-id", "i")];
        let more = || more.map(|(name, value)| (name, Text::from(value)));
        let mut expected = few.clone();
        for (name, value) in more() {
            expected.set(name, value);
        }
        assert_eq!(few.with(more()), expected);
        assert_eq!(Labels::default().with(more()), Labels::new(more()));
        assert_eq!(few.with([]), few);
    }

    #[test]
    fn app_ids_are_targets() {
        let labels = Labels::new([
            ("service", "marathon".into()),
            ("pod", "shop_db.instance-1".into()),
            ("pod-type", "/shop/db".into()),
            ("task", "db".into()),
        ]);
        let task = |text: &str| Target { task: Some(text.to_owned()), ..Target::default() };
        let service = |text: &str| Target { service: Some(text.to_owned()), ..Target::default() };
        for (id, expected) in [("/shop/db", true), ("/shop/*", true), ("/db", false), ("shop/db", false)] {
            assert_eq!(labels.matches(&task(id)), expected, "{id}");
            assert_eq!(labels.matches(&service(id)), expected, "{id}");
        }
    }

    #[test]
    fn targets() {
        let labels = Labels::new([
            ("service", "svc".into()),
            ("pod", "hello-0".into()),
            ("pod-type", "hello".into()),
            ("task", "hello-0-server".into()),
            ("task-id", "svc__hello-0-server__1".into()),
            ("agent", "h1".into()),
        ]);
        let target = |f: fn(&mut Target)| {
            let mut t = Target::default();
            f(&mut t);
            labels.matches(&t)
        };
        assert!(target(|_| {}));
        assert!(target(|t| t.pod = Some("hello".into())));
        assert!(target(|t| t.pod = Some("hello-0".into())));
        assert!(!target(|t| t.pod = Some("hello-1".into())));
        assert!(target(|t| t.task = Some("server".into())));
        assert!(target(|t| t.task = Some("hello-0-server".into())));
        assert!(target(|t| t.task = Some("svc__*".into())));
        assert!(!target(|t| t.task = Some("0-server".into())));
        assert!(!target(|t| {
            t.task = Some("server".into());
            t.service = Some("other".into());
        }));
        assert!(!target(|t| t.step = Some("*".into())), "no step label");
        assert!(!target(|t| t.plugin = Some("*".into())));
    }
}
