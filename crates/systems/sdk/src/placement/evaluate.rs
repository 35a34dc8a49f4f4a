//! Evaluates a rule on an offer, with the reason in words.

use super::matcher::attribute_text;
use super::{Key, Matcher, Rule};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;

/// Facts of an offer that rules use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferFacts {
    /// Machine.
    pub hostname: Text,
    /// Id of the agent.
    pub agent: Text,
    /// Agent attributes, name and value.
    pub attributes: Vec<(Text, Text)>,
    /// Region of the agent's fault domain.
    pub region: Option<Text>,
    /// Zone of the agent's fault domain.
    pub zone: Option<Text>,
    /// Region of the master's fault domain.
    pub master_region: Option<Text>,
}

/// Facts of a stored task that rules use: its last launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTaskFacts {
    /// Task instance name, e.g. `hello-0-server`.
    pub name: Text,
    /// Pod type.
    pub pod: Text,
    /// Index of the pod instance.
    pub index: u32,
    /// Machine.
    pub hostname: Text,
    /// Id of the agent.
    pub agent: Text,
    /// Attributes of the agent then.
    pub attributes: Vec<(Text, Text)>,
    /// Region then.
    pub region: Option<Text>,
    /// Zone then.
    pub zone: Option<Text>,
}

/// The result of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Set if the rule holds.
    pub passed: bool,
    /// Why, for people.
    pub text: String,
}

impl Outcome {
    fn new(passed: bool, text: String) -> Self {
        Self { passed, text }
    }
}

impl Rule {
    /// Evaluates an offer for one pod instance, given the stored tasks of the whole service (or, if
    /// [`Rule::counts_elsewhere`] is false, those of the offer's machine).
    ///
    /// Every stored task counts, in any state, except those of the same pod instance. Counts are per task: a pod of
    /// two tasks counts twice.
    pub fn evaluate(&self, offer: &OfferFacts, tasks: &[StoredTaskFacts], pod: &str, index: u32) -> Outcome {
        match self {
            Self::And(rules) => {
                let outcomes = rules.iter().map(|rule| rule.evaluate(offer, tasks, pod, index));
                all(outcomes.collect())
            }
            Self::Or(rules) => {
                let outcomes = rules.iter().map(|rule| rule.evaluate(offer, tasks, pod, index));
                any(outcomes.collect())
            }
            Self::Not(rule) => {
                let inner = rule.evaluate(offer, tasks, pod, index);
                Outcome::new(!inner.passed, format!("must not be: {}", inner.text))
            }
            Self::Hostname(matcher) => compared("hostname", Some(&offer.hostname), matcher),
            Self::Region(matcher) => compared("region", offer.region.as_ref(), matcher),
            Self::Zone(matcher) => compared("zone", offer.zone.as_ref(), matcher),
            Self::Attribute(name, matcher) => attribute(offer, name, matcher),
            Self::LocalRegion => local_region(offer),
            Self::Avoid { pod: avoided } => avoid(offer, tasks, avoided, pod, index),
            Self::MaxPer { key, max, pod: counted } => {
                let counted = Counted { tasks, filter: counted, pod, index };
                counted.max_per(key, *max, offer)
            }
            Self::RoundRobin { key, distinct, pod: counted } => {
                let counted = Counted { tasks, filter: counted, pod, index };
                counted.round_robin(key, *distinct, offer)
            }
            Self::Invalid { why, .. } => Outcome::new(false, format!("the placement rule is invalid: {why}")),
        }
    }
}

fn all(outcomes: Vec<Outcome>) -> Outcome {
    if outcomes.is_empty() {
        return Outcome::new(false, "a rule without parts never holds".to_owned());
    }
    match outcomes.iter().find(|outcome| !outcome.passed) {
        Some(failed) => failed.clone(),
        None => Outcome::new(true, join(&outcomes, " and ")),
    }
}

fn any(outcomes: Vec<Outcome>) -> Outcome {
    match outcomes.iter().find(|outcome| outcome.passed) {
        Some(passed) => passed.clone(),
        None => Outcome::new(false, join(&outcomes, " and ")),
    }
}

fn join(outcomes: &[Outcome], with: &str) -> String {
    outcomes.iter().map(|outcome| outcome.text.as_str()).collect::<Vec<_>>().join(with)
}

fn compared(what: &str, value: Option<&Text>, matcher: &Matcher) -> Outcome {
    match value {
        None => Outcome::new(false, format!("the machine has no {what}, {} is wanted", matcher.words())),
        Some(value) if matcher.matches(value) => {
            Outcome::new(true, format!("{what} '{value}' is {}", matcher.words()))
        }
        Some(value) => Outcome::new(false, format!("{what} '{value}' is not {}", matcher.words())),
    }
}

fn attribute(offer: &OfferFacts, name: &str, matcher: &Matcher) -> Outcome {
    let values: Vec<&Text> = values_of(&offer.attributes, name).collect();
    if values.is_empty() {
        return Outcome::new(false, format!("the machine has no attribute '{name}'"));
    }
    match values.iter().find(|value| matcher.matches_attribute(value)) {
        Some(value) => Outcome::new(true, format!("attribute '{name}' is '{value}'")),
        None => {
            let found = values.iter().map(|value| &***value).collect::<Vec<_>>().join("', '");
            Outcome::new(false, format!("attribute '{name}' is '{found}', {} is wanted", matcher.words()))
        }
    }
}

fn local_region(offer: &OfferFacts) -> Outcome {
    match (&offer.region, &offer.master_region) {
        (Some(region), Some(master)) if region != master => {
            Outcome::new(false, format!("region '{region}' is not the master's, '{master}'"))
        }
        (Some(region), Some(_)) => Outcome::new(true, format!("region '{region}' is the master's")),
        (None, _) | (_, None) => Outcome::new(true, "no regions to tell apart".to_owned()),
    }
}

fn avoid(offer: &OfferFacts, tasks: &[StoredTaskFacts], avoided: &str, pod: &str, index: u32) -> Outcome {
    let own = |task: &StoredTaskFacts| *task.pod == *pod && task.index == index;
    let in_the_way =
        tasks.iter().find(|task| *task.pod == *avoided && !own(task) && task.agent == offer.agent);
    match in_the_way {
        Some(task) => Outcome::new(
            false,
            format!("pod type '{avoided}' is to be avoided, and {} is on this agent", task.name),
        ),
        None => Outcome::new(true, format!("no task of the avoided pod type '{avoided}' is on this agent")),
    }
}

fn values_of<'a>(attributes: &'a [(Text, Text)], name: &str) -> impl Iterator<Item = &'a Text> {
    attributes.iter().filter(move |(key, _)| **key == *name).map(|(_, value)| value)
}

/// The keys a machine has; only attributes can have several values.
fn keys(
    key: &Key,
    hostname: &Text,
    attributes: &[(Text, Text)],
    region: Option<&Text>,
    zone: Option<&Text>,
) -> Vec<String> {
    match key {
        Key::Hostname => vec![hostname.to_string()],
        Key::Zone => zone.map(ToString::to_string).into_iter().collect(),
        Key::Region => region.map(ToString::to_string).into_iter().collect(),
        Key::Attribute(name) => values_of(attributes, name).map(|value| attribute_text(value)).collect(),
    }
}

fn offer_keys(key: &Key, offer: &OfferFacts) -> Vec<String> {
    keys(key, &offer.hostname, &offer.attributes, offer.region.as_ref(), offer.zone.as_ref())
}

fn task_keys(key: &Key, task: &StoredTaskFacts) -> Vec<String> {
    keys(key, &task.hostname, &task.attributes, task.region.as_ref(), task.zone.as_ref())
}

/// The key that tasks are spread by: of an attribute the first one of that name, in small or capital letters.
fn spread_key(
    key: &Key,
    hostname: &Text,
    attributes: &[(Text, Text)],
    region: Option<&Text>,
    zone: Option<&Text>,
) -> Option<String> {
    if let Key::Attribute(name) = key {
        let found = attributes.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        return found.map(|(_, value)| attribute_text(value));
    }
    keys(key, hostname, attributes, region, zone).into_iter().next()
}

/// The stored tasks that a counting rule uses.
struct Counted<'t> {
    tasks: &'t [StoredTaskFacts],
    /// Pod type of the rule.
    filter: &'t str,
    pod: &'t str,
    index: u32,
}

impl<'t> Counted<'t> {
    /// Quirk: the filter is on the name, so type `a` also counts tasks of a pod type `a-b`.
    fn tasks(&self) -> impl Iterator<Item = &'t StoredTaskFacts> {
        let (filter, pod, index) = (self.filter, self.pod, self.index);
        self.tasks.iter().filter(move |task| {
            let named = task.name.strip_prefix(filter).is_some_and(|rest| rest.starts_with('-'));
            named && !(&*task.pod == pod && task.index == index)
        })
    }

    fn max_per(&self, key: &Key, max: u32, offer: &OfferFacts) -> Outcome {
        let here = offer_keys(key, offer);
        if here.is_empty() && matches!(key, Key::Zone | Key::Region) {
            return Outcome::new(
                false,
                format!("the machine has no {}", key.as_str().trim_start_matches('@')),
            );
        }
        let what = key.as_str().trim_start_matches('@');
        let mut fullest = String::new();
        for wanted in &here {
            let present: Vec<&Text> = self
                .tasks()
                .filter(|task| task_keys(key, task).contains(wanted))
                .map(|task| &task.name)
                .collect();
            let count = u32::try_from(present.len()).unwrap_or(u32::MAX);
            let names = name_some(&present);
            if count.saturating_add(1) > max {
                let text = format!("{what} '{wanted}' already has {count} of at most {max}: {names}");
                return Outcome::new(false, text);
            }
            fullest = format!("{what} '{wanted}' has {count} of at most {max}");
        }
        Outcome::new(true, fullest)
    }

    fn round_robin(&self, key: &Key, distinct: Option<u32>, offer: &OfferFacts) -> Outcome {
        let what = key.as_str().trim_start_matches('@');
        let Some(here) =
            spread_key(key, &offer.hostname, &offer.attributes, offer.region.as_ref(), offer.zone.as_ref())
        else {
            return Outcome::new(false, format!("the machine has no {what} to spread over"));
        };
        let mut counts: SortedMap<String, u32> = SortedMap::new();
        for task in self.tasks() {
            if let Some(at) =
                spread_key(key, &task.hostname, &task.attributes, task.region.as_ref(), task.zone.as_ref())
            {
                let count = counts.entry(at).or_default();
                *count = count.saturating_add(1);
            }
        }
        let min = counts.values().copied().min().unwrap_or(0);
        let max = counts.values().copied().max().unwrap_or(0);
        let own = counts.get(&here).copied().unwrap_or(0);
        if min != max && own > min {
            return Outcome::new(false, format!("{what} '{here}' has {own}, others have only {min}"));
        }
        let known = u32::try_from(counts.len()).unwrap_or(u32::MAX);
        match distinct {
            None => Outcome::new(true, format!("{what} '{here}' has {own}, others have {min} to {max}")),
            Some(distinct) if known >= distinct => Outcome::new(
                true,
                format!("{what} '{here}' has {own}, all {distinct} known ones have {min} to {max}"),
            ),
            Some(_) if own == 0 => Outcome::new(true, format!("{what} '{here}' has none yet")),
            Some(distinct) => Outcome::new(
                false,
                format!("{what} '{here}' has {own}, but only {known} of {distinct} have any yet"),
            ),
        }
    }
}

fn name_some(names: &[&Text]) -> String {
    let shown = names.iter().take(3).map(|name| &***name).collect::<Vec<_>>().join(", ");
    if names.len() > 3 { format!("{shown}, …") } else { shown }
}
