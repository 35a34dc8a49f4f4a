//! Ids that the real scheduler draws at random: here keyed draws, so that a replay draws the same.
//!
//! *Knows*: the key of each kind of id and the forms of task and executor ids. *Must not know*: the use of ids.
//!
//! **Source**: `dcos-commons: …/offer/CommonIdUtils.java` (task and executor ids). Match.

use planarium_kernel::SimTime;
use planarium_kernel::draw::{self, Uuid};
use planarium_protocol::Text;

/// Kinds of id; the purpose of the draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A configuration.
    Config = 101,
    /// A plan, phase or step.
    Element = 102,
    /// A launched task.
    Task = 103,
    /// An executor.
    Executor = 104,
    /// A reservation.
    Resource = 105,
    /// A persistent volume.
    Volume = 106,
    /// The lots of a random strategy.
    RandomStrategy = 107,
}

/// Draws ids for one service.
#[derive(Clone, Debug)]
pub(crate) struct Ids {
    seed: u64,
    /// Entity of the service's name with the separator behind it: the head of every key.
    service: u64,
    prefix: Text,
    /// Number of starts of this scheduler process, from 0.
    pub(crate) generation: u32,
    /// Number of ids drawn so far, for keys that would repeat (launches, reservations).
    drawn: u64,
}

impl Ids {
    /// For one service. `prefix` is the head of task ids.
    pub(crate) fn new(seed: u64, service: &str, prefix: &str) -> Self {
        let service = draw::entity_after(draw::entity(service), "\u{1f}");
        Self { seed, service, prefix: prefix.into(), generation: 0, drawn: 0 }
    }

    /// For a service installed at that instant: an earlier service with its name drew other ids.
    pub(crate) fn installed_at(self, now: SimTime) -> Self {
        Self { drawn: now.ms() << 20, ..self }
    }

    /// For the scheduler process that follows this one.
    pub(crate) fn next_generation(&self, prefix: &str) -> Self {
        Self { generation: self.generation.saturating_add(1), prefix: prefix.into(), ..self.clone() }
    }

    fn keyed(&self, kind: Kind, key: &str, n: u64) -> Uuid {
        Uuid::draw(self.seed, self.entity(key), kind as u32, n)
    }

    fn entity(&self, key: &str) -> u64 {
        draw::entity_after(self.service, key)
    }

    /// Id of a plan, phase or step: new with every start of the scheduler.
    pub(crate) fn element(&self, key: &str, n: u64) -> Text {
        self.keyed(Kind::Element, key, u64::from(self.generation) << 32 | n).as_str().into()
    }

    /// Key of the draws of a random strategy: new with every start of the scheduler.
    pub(crate) fn random_key(&self, key: &str) -> u64 {
        draw::draw(self.seed, self.entity(key), Kind::RandomStrategy as u32, u64::from(self.generation))
    }

    /// Id of the target configuration chosen at this start.
    pub(crate) fn config(&self) -> Text {
        self.keyed(Kind::Config, "", u64::from(self.generation)).as_str().into()
    }

    /// A fresh id that is never drawn twice.
    fn fresh(&mut self, kind: Kind, key: &str) -> Uuid {
        self.drawn += 1;
        self.keyed(kind, key, self.drawn)
    }

    /// A fresh reservation id.
    pub(crate) fn resource(&mut self, key: &str) -> Text {
        self.fresh(Kind::Resource, key).as_str().into()
    }

    /// A fresh volume id.
    pub(crate) fn volume(&mut self, key: &str) -> Text {
        self.fresh(Kind::Volume, key).as_str().into()
    }

    /// A fresh task id: `<service>__<task instance>__<uuid>`.
    pub(crate) fn task(&mut self, instance: &str) -> Text {
        let uuid = self.fresh(Kind::Task, instance);
        self.named(instance, &uuid)
    }

    /// A fresh executor id: `<service>__<pod type>__<uuid>`. `instance` is the pod instance's name.
    pub(crate) fn executor(&mut self, pod_type: &str, instance: &str) -> Text {
        let uuid = self.fresh(Kind::Executor, instance);
        self.named(pod_type, &uuid)
    }

    fn named(&self, name: &str, uuid: &Uuid) -> Text {
        [&*self.prefix, "__", name, "__", uuid.as_str()].concat().into()
    }
}

/// Tells if Java's `UUID.fromString` reads the text: five groups of hexadecimal digits.
///
/// **Source**: the command routes decide with it between id and name. Match.
pub(crate) fn is_uuid(text: &str) -> bool {
    let mut groups = 0;
    for group in text.split('-') {
        groups += 1;
        if group.is_empty() || group.len() > 16 || !group.bytes().all(|b| b.is_ascii_hexdigit()) {
            return false;
        }
    }
    groups == 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_familiar_form() {
        let mut ids = Ids::new(1, "/team/hello", "team.hello");
        let task = ids.task("hello-0-server");
        let (head, uuid) = task.rsplit_once("__").expect("three parts");
        assert_eq!(head, "team.hello__hello-0-server");
        assert!(is_uuid(uuid), "{uuid}");
        assert!(ids.executor("hello", "hello-0").starts_with("team.hello__hello__"));
        assert_ne!(ids.task("hello-0-server"), task);
    }

    #[test]
    fn element_ids_change_only_with_every_start() {
        let ids = Ids::new(1, "s", "s");
        assert_eq!(ids.element("deploy", 0), ids.element("deploy", 0));
        assert_ne!(ids.element("deploy", 0), ids.next_generation("s").element("deploy", 0));
        assert_ne!(ids.element("deploy", 0), ids.element("deploy", 1));
    }

    #[test]
    fn names_and_ids_are_distinguished_like_in_java() {
        for (text, expected) in [
            ("148fdba5-26b6-4485-8bea-fa127e4390e7", true),
            ("a-b-c-d-e", true),
            ("hello-0:[server]", false),
            ("deploy", false),
            ("1-2-3-4", false),
            ("1--3-4-5", false),
        ] {
            assert_eq!(is_uuid(text), expected, "{text}");
        }
    }
}
