//! The rolling restart: replaces old instances by new ones.
//!
//! *Knows*: how many may be killed at once, the maximum number, the reaction to each change of an instance. *Must not
//! know*: offers, checks; what comes before or after.
//!
//! **Source**: `marathon: core/deployment/impl/TaskReplaceActor.scala`. Match; among equally healthy old instances the one
//! that started first is killed first. Differ: results of Marathon's own checks count as health at the beginning, where the
//! real one uses only those of the agents' checks; the flag `MARATHON_SIM_STRICT_HEALTH_FLAG` switches to the real
//! behaviour.

use super::JobEvent;
use super::progress::{Heard, Progress};
use crate::definition::RunSpec;
use crate::definition::double::Double;
use crate::instances::instance::{Condition, Goal, Instance, InstanceNo};
use crate::instances::tracker::Key;
use planarium_kernel::{SimTime, SortedSet, sorted};
use std::collections::VecDeque;
use std::sync::Arc;

/// First moves of a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ignition {
    /// Minimum of healthy instances.
    pub(crate) min_healthy: u32,
    /// Maximum number of instances, old and new.
    pub(crate) max_capacity: u32,
    /// Number of old instances killed at once.
    pub(crate) kill_now: u32,
}

/// A restart under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replacing {
    pub(crate) ignition: Ignition,
    pub(crate) progress: Progress,
    /// Old instances that are or may be there.
    pub(crate) old: SortedSet<InstanceNo>,
    /// Old instances not killed yet, in the order in which they are killed.
    pub(crate) to_kill: VecDeque<InstanceNo>,
    /// New instances that were started.
    pub(crate) started: u32,
    /// Counts over time.
    pub(crate) curve: Arc<Vec<Sample>>,
}

/// Counts at an instant of a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) at: SimTime,
    /// Old instances that are or may be there.
    pub(crate) old: u32,
    /// New ones that were started.
    pub(crate) new: u32,
    /// New ones that are healthy and ready.
    pub(crate) healthy: u32,
}

/// Maximum samples of a restart; above it every second one is dropped.
const SAMPLES: usize = 400;

/// An instance with whether it counts as healthy when a restart begins.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    pub(crate) key: Key,
    pub(crate) instance: Arc<Instance>,
    pub(crate) healthy: bool,
}

/// One thing that is done in a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// An old instance is killed.
    Kill(InstanceNo),
    /// An old instance has ended on its own, and is not launched again.
    LetGo(InstanceNo),
    /// Launches this number of new instances.
    Launch(u32),
}

/// Reaction to an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reaction {
    pub(crate) next: Option<Move>,
    /// The restart is done.
    pub(crate) done: bool,
}

impl Replacing {
    /// A restart that begins: `all` instances with whether each counts as healthy.
    pub(crate) fn new(spec: &RunSpec, all: &[Counted]) -> Self {
        let healthy = all.iter().filter(|one| one.instance.goal == Goal::Running && one.healthy).count();
        let is_new = |one: &&Counted| one.instance.version() == spec.version.version;
        let mut old: Vec<(bool, SimTime, InstanceNo)> = all
            .iter()
            .filter(|one| !is_new(one) && one.instance.goal == Goal::Running)
            .map(|one| (one.healthy, one.instance.active_since.unwrap_or_default(), one.key.no))
            .collect();
        sorted::sort(&mut old);
        Self {
            ignition: ignition(spec, count(all.len()), count(healthy)),
            progress: Progress::default(),
            old: old.iter().map(|(_, _, no)| *no).collect(),
            to_kill: old.into_iter().map(|(_, _, no)| no).collect(),
            started: count(all.iter().filter(is_new).count()),
            curve: Arc::default(),
        }
    }

    /// Returns the first moves: old instances are killed, new ones are launched.
    pub(crate) fn begin(&mut self, spec: &RunSpec) -> Vec<Move> {
        let mut moves = Vec::new();
        for _ in 0..self.ignition.kill_now {
            let Some(kill) = self.kill_next() else { break };
            moves.push(kill);
        }
        moves.extend(self.launch(spec));
        moves
    }

    /// Handles an event of instances. Returns the reaction.
    pub(crate) fn react(&mut self, spec: &RunSpec, news: &JobEvent<'_>, heard: Heard) -> Reaction {
        match heard {
            Heard::Advanced(instance) => {
                let next = if self.progress.is_done(instance) { self.kill_next() } else { None };
                return Reaction { next, done: self.is_finished(spec) };
            }
            Heard::Understood => return Reaction::default(),
            Heard::Nothing => {}
        }
        let JobEvent::Changed(change) = news else { return Reaction::default() };
        let instance = &change.now;
        let (id, ended) = (change.key.no, instance.condition.is_considered_terminal());
        if instance.version() == spec.version.version {
            if ended && instance.goal == Goal::Running {
                self.progress.ended(id);
            } else if ended {
                // Another client has interfered.
                self.started = self.started.saturating_sub(1);
            }
            return Reaction::default();
        }
        if ended && instance.goal == Goal::Running {
            self.old.remove(&id);
            self.progress.ended(id);
            if change.deleted {
                // It was forgotten immediately and has no goal to change: nothing else would trigger the launch.
                self.to_kill.retain(|one| *one != id);
                let next = self.launch(spec);
                return Reaction { next, done: self.is_finished(spec) };
            }
            Reaction { next: Some(Move::LetGo(id)), done: false }
        } else if (ended || instance.condition == Condition::Scheduled) && instance.goal.is_terminal() {
            self.old.remove(&id);
            self.progress.ended(id);
            let next = self.launch(spec);
            Reaction { next, done: self.is_finished(spec) }
        } else {
            Reaction::default()
        }
    }

    fn kill_next(&mut self) -> Option<Move> {
        self.to_kill.pop_front().map(Move::Kill)
    }

    fn launch(&mut self, spec: &RunSpec) -> Option<Move> {
        let count = self.room(spec.instances);
        self.started = self.started.saturating_add(count);
        (count > 0).then_some(Move::Launch(count))
    }

    /// Returns whether all new instances are healthy and ready, and no old one is left.
    pub(crate) fn is_finished(&self, spec: &RunSpec) -> bool {
        self.progress.is(spec.instances) && self.old.is_empty()
    }

    /// Notes the counts.
    pub(crate) fn sample(&mut self, at: SimTime) {
        let healthy = count(self.progress.healthy.len().min(self.progress.ready.len()));
        let sample = Sample { at, old: count(self.old.len()), new: self.started, healthy };
        let same =
            |last: &Sample| (last.old, last.new, last.healthy) == (sample.old, sample.new, sample.healthy);
        if self.curve.last().is_some_and(same) {
            return;
        }
        let curve = Arc::make_mut(&mut self.curve);
        if curve.last().is_some_and(|last| last.at == at) {
            curve.pop();
        }
        curve.push(sample);
        if curve.len() > SAMPLES {
            let mut keep = false;
            curve.retain(|_| {
                keep = !keep;
                keep
            });
        }
    }

    /// Returns the number of new instances that may be started now.
    fn room(&self, wanted: u32) -> u32 {
        let room =
            self.ignition.max_capacity.saturating_sub(count(self.old.len())).saturating_sub(self.started);
        wanted.saturating_sub(self.started).min(room)
    }
}

/// Computes the start of a restart: `all` is the number of instances, `healthy` that of wanted healthy ones.
///
/// *Units*: shares are IEEE doubles, as in the real system: 100 instances with 0.15 more are 114.
pub(crate) fn ignition(spec: &RunSpec, all: u32, healthy: u32) -> Ignition {
    let wanted = spec.instances;
    let all_wanted = Double::whole(u64::from(spec.instances));
    let least = all_wanted.times(spec.def.min_health).ceil();
    let most = all_wanted.times(spec.def.over_capacity.plus_one()).floor();
    let min_healthy = u32::try_from(least).unwrap_or(u32::MAX);
    let mut max_capacity = u32::try_from(most).unwrap_or(u32::MAX);
    let mut kill_now = healthy.saturating_sub(min_healthy);
    if min_healthy == max_capacity && max_capacity <= healthy {
        if spec.is_resident() {
            kill_now = healthy - min_healthy + 1;
        } else {
            max_capacity += 1;
        }
    }
    if wanted < all {
        kill_now = kill_now.max(all - wanted);
    }
    Ignition { min_healthy, max_capacity, kill_now }
}

/// Converts a count.
fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::Around;
    use crate::definition::RoleSettings;
    use crate::id::PathId;
    use crate::settings::Settings;
    use planarium_protocol::json;

    fn app(instances: u32, min: f64, over: f64) -> RunSpec {
        let app = json!({"id": "/a", "cmd": "sleep 1", "instances": instances,
            "upgradeStrategy": {"minimumHealthCapacity": min, "maximumOverCapacity": over}});
        let settings = Settings::default();
        let roles = RoleSettings::only(&settings.role);
        let around = Around { settings: &settings, roles: &roles, base: &PathId::root() };
        let read = crate::schema::read(&crate::schema::app::APP, &app, false);
        crate::definition::app_of(
            crate::definition::normalise_app(read.value, &around).expect("fine"),
            &around,
        )
        .expect("fine")
    }

    #[test]
    fn the_start_of_a_restart() {
        // instances, shares; minimum healthy, maximum in total, killed immediately, started immediately
        for (count, min, over, min_healthy, max, kill, start) in [
            (4, 1.0, 1.0, 4, 8, 0, 4),
            (6, 1.0, 0.5, 6, 9, 0, 3),
            (6, 0.5, 0.0, 3, 6, 3, 0),
            (6, 1.0, 0.0, 6, 7, 0, 1),
            (6, 0.0, 0.0, 0, 6, 6, 0),
            (6, 0.0, 1.0, 0, 12, 6, 6),
            (3, 0.7, 1.0, 3, 6, 0, 3),
            (10, 0.6, 1.0, 6, 20, 4, 10),
            (10, 0.6, 0.2, 6, 12, 4, 2),
            (20, 0.8, 0.6, 16, 32, 4, 12),
            (100, 1.0, 0.15, 100, 114, 0, 14),
            (100, 0.07, 1.0, 8, 200, 92, 100),
        ] {
            let spec = app(count, min, over);
            let found = ignition(&spec, count, count);
            let expected = Ignition { min_healthy, max_capacity: max, kill_now: kill };
            assert_eq!(found, expected, "{count} with {min} and {over}");
            let old = (0..u64::from(count)).collect();
            let replacing = Replacing { ignition: found, old, ..Replacing::default() };
            assert_eq!(replacing.room(count), start, "{count} with {min} and {over}");
        }
    }

    #[test]
    fn leftovers_of_other_deployments_are_killed_immediately() {
        let spec = app(4, 1.0, 1.0);
        assert_eq!(ignition(&spec, 7, 4).kill_now, 3);
        assert_eq!(ignition(&spec, 7, 7).kill_now, 3);
        assert_eq!(ignition(&spec, 2, 0).kill_now, 0);
    }
}
