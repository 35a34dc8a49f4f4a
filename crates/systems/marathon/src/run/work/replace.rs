//! The rolling restart: old instances go as new ones come.
//!
//! *Knows*: how many may be killed at once, how many there may be, what each change of an instance leads to.
//! *Must not know*: offers, checks; what comes before or after.
//!
//! **Source**: `marathon: core/deployment/impl/TaskReplaceActor.scala`. Match; of old instances that are equally healthy the
//! one that started first goes first. Differ: what Marathon's own checks say counts as health at the beginning, where the
//! real one only looks at what the agents' checks say; the flag `MARATHON_SIM_STRICT_HEALTH_FLAG` does as the real one.

use super::super::instance::{Condition, Goal, Instance};
use super::super::tracker::{Key, SpecNo};
use super::progress::{Heard, Progress};
use super::{Job, Marathon, News, Work};
use crate::definition::RunSpec;
use crate::deploy::plan::InstanceNo;
use planarium_kernel::{SimTime, SortedSet, sorted};
use planarium_mesos::Cluster;
use planarium_part::Cx;
use std::collections::VecDeque;
use std::sync::Arc;

/// How a restart begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ignition {
    /// So many are to stay healthy.
    pub(crate) min_healthy: usize,
    /// There may be so many, old and new.
    pub(crate) max_capacity: usize,
    /// So many old ones are killed at once.
    pub(crate) kill_now: usize,
}

/// A restart under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replacing {
    pub(crate) ignition: Ignition,
    pub(crate) progress: Progress,
    /// Old instances that are or may be there.
    pub(crate) old: SortedSet<InstanceNo>,
    /// Old instances that nobody has killed yet, in the order in which they go.
    pub(crate) to_kill: VecDeque<InstanceNo>,
    /// New instances that were started.
    pub(crate) started: usize,
    /// How the counts went.
    pub(crate) curve: Arc<Vec<Sample>>,
}

/// Counts at an instant of a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) at: SimTime,
    /// Old instances that are or may be there.
    pub(crate) old: usize,
    /// New ones that were started.
    pub(crate) new: usize,
    /// New ones that are healthy and ready.
    pub(crate) healthy: usize,
}

/// So many instants of a restart are kept; of more, every other one goes.
const SAMPLES: usize = 400;

/// The arithmetic of the beginning: `all` instances there are, `healthy` of them wanted and healthy.
///
/// *Units*: shares are IEEE doubles, as in the real system: 100 instances with 0.15 on top are 114.
pub(crate) fn ignition(spec: &RunSpec, all: usize, healthy: usize) -> Ignition {
    let wanted = spec.instances as usize;
    let min_healthy = whole((f64::from(spec.instances) * spec.def.min_health).ceil());
    let mut max_capacity = whole(f64::from(spec.instances) * (1.0 + spec.def.over_capacity));
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

/// A share of instances without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "as the real system computes: what does not fit stays at the most or least there can be"
)]
fn whole(value: f64) -> usize {
    value as u32 as usize
}

impl Replacing {
    /// Notes the counts.
    fn sample(&mut self, at: SimTime) {
        let healthy = self.progress.healthy.len().min(self.progress.ready.len());
        let sample = Sample { at, old: self.old.len(), new: self.started, healthy };
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

    /// How many new instances may be started now.
    fn room(&self, wanted: usize) -> usize {
        let room = self.ignition.max_capacity.saturating_sub(self.old.len()).saturating_sub(self.started);
        wanted.saturating_sub(self.started).min(room)
    }
}

impl Marathon {
    /// Whether an instance is known to be healthy.
    pub(crate) fn is_known_healthy(&self, key: Key, instance: &Instance) -> bool {
        if instance.healthy == Some(true) {
            return true;
        }
        if self.settings.strict_health {
            return false;
        }
        let checks = self.run(key.spec).and_then(|run| run.checks.get(&instance.version()));
        match checks {
            Some(checks) => checks.overall(key.no) == Some(true),
            // Readiness or a check that is only shown says nothing of a running instance.
            None => !instance.spec.has_health() && instance.condition == Condition::Running,
        }
    }

    /// Whether an instance counts as healthy when a restart begins.
    pub(crate) fn is_considered_healthy(&self, key: Key, instance: &Instance) -> bool {
        !instance.spec.has_checks() || self.is_known_healthy(key, instance)
    }

    pub(super) fn begin_replace(&mut self, cx: &mut Cx, cluster: &mut Cluster, no: SpecNo) -> bool {
        let Some(mut taken) = self.take_job(no) else { return true };
        let job = Arc::make_mut(&mut taken);
        let spec = job.spec.clone();
        let all: Vec<(Key, Arc<Instance>)> =
            self.tracker.of_spec(no).map(|(key, instance)| (key, instance.clone())).collect();
        let considered = |(key, instance): &(Key, Arc<Instance>)| self.is_considered_healthy(*key, instance);
        let healthy = all.iter().filter(|one| one.1.goal == Goal::Running && considered(one)).count();
        let mut replacing =
            Replacing { ignition: ignition(&spec, all.len(), healthy), ..Replacing::default() };
        let is_new = |instance: &Instance| instance.version() == spec.version.version;
        replacing.started = all.iter().filter(|(_, instance)| is_new(instance)).count();
        let mut old: Vec<(bool, SimTime, InstanceNo)> = all
            .iter()
            .filter(|(_, instance)| !is_new(instance) && instance.goal == Goal::Running)
            .map(|one| (considered(one), one.1.active_since.unwrap_or_default(), one.0.no))
            .collect();
        sorted::sort(&mut old);
        replacing.old = old.iter().map(|(_, _, no)| *no).collect();
        replacing.to_kill = old.into_iter().map(|(_, _, no)| no).collect();
        for (key, instance) in all.iter().filter(|(_, instance)| is_new(instance)) {
            replacing.progress.look_at(self, cx, cluster, (*key, instance), &spec);
        }
        for _ in 0..replacing.ignition.kill_now {
            self.kill_next_old(cx, no, &spec, &mut replacing);
        }
        self.launch_new(cx, no, &spec, &mut replacing);
        self.reset_delay(cx, no, &spec);
        replacing.sample(cx.now());
        let done = is_finished(&replacing, &spec);
        job.work = Work::Replacing(Box::new(replacing));
        if done {
            self.end_job(cx, cluster, no, job);
        } else {
            self.put_job(no, taken);
        }
        done
    }

    fn kill_next_old(&mut self, cx: &mut Cx, no: SpecNo, spec: &RunSpec, replacing: &mut Replacing) {
        let Some(next) = replacing.to_kill.pop_front() else { return };
        let goal = if spec.is_resident() { Goal::Stopped } else { Goal::Decommissioned };
        self.set_goal(cx, Key { spec: no, no: next }, goal, "a new version takes its place");
    }

    fn launch_new(&mut self, cx: &mut Cx, no: SpecNo, spec: &Arc<RunSpec>, replacing: &mut Replacing) {
        let count = replacing.room(spec.instances as usize);
        if count > 0 {
            replacing.started += count;
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            self.launch(cx, no, spec, count, "the new version takes the place of the old one");
        }
    }

    pub(super) fn replacing_hears(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        no: SpecNo,
        job: &mut Job,
        news: &News<'_>,
    ) -> bool {
        let done = self.replacing_reacts(cx, cluster, no, job, news);
        if let Work::Replacing(replacing) = &mut job.work {
            replacing.sample(cx.now());
        }
        done
    }

    fn replacing_reacts(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        no: SpecNo,
        job: &mut Job,
        news: &News<'_>,
    ) -> bool {
        let (spec, deployment) = (job.spec.clone(), job.deployment);
        let Work::Replacing(replacing) = &mut job.work else { return false };
        match replacing.progress.hear(self, cx, cluster, (&spec, deployment), news) {
            Heard::Advanced(instance) => {
                if replacing.progress.is_done(instance) {
                    self.kill_next_old(cx, no, &spec, replacing);
                }
                return is_finished(replacing, &spec);
            }
            Heard::Understood => return false,
            Heard::Nothing => {}
        }
        let News::Changed(change) = news else { return false };
        let instance = &change.now;
        let (id, ended) = (change.key.no, instance.condition.is_considered_terminal());
        if instance.version() == spec.version.version {
            if ended && instance.goal == Goal::Running {
                replacing.progress.ended(id);
            } else if ended {
                // Somebody else has interfered.
                replacing.started = replacing.started.saturating_sub(1);
            }
            return false;
        }
        if ended && instance.goal == Goal::Running {
            replacing.old.remove(&id);
            replacing.progress.ended(id);
            if change.deleted {
                // Forgotten at once, it has no goal that would change: nothing else would bring about the launch.
                replacing.to_kill.retain(|one| *one != id);
                self.launch_new(cx, no, &spec, replacing);
                return is_finished(replacing, &spec);
            }
            let goal = if spec.is_resident() { Goal::Stopped } else { Goal::Decommissioned };
            self.set_goal(cx, change.key, goal, "it has ended, and a new version takes its place");
            false
        } else if (ended || instance.condition == Condition::Scheduled) && instance.goal.is_terminal() {
            replacing.old.remove(&id);
            replacing.progress.ended(id);
            self.launch_new(cx, no, &spec, replacing);
            is_finished(replacing, &spec)
        } else {
            false
        }
    }
}

fn is_finished(replacing: &Replacing, spec: &RunSpec) -> bool {
    replacing.progress.is(spec.instances as usize) && replacing.old.is_empty()
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
    fn the_beginning_of_a_restart() {
        // instances, shares; least healthy, most at all, killed at once, started at once
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
            let found = ignition(&spec, count as usize, count as usize);
            let expected = Ignition { min_healthy, max_capacity: max, kill_now: kill };
            assert_eq!(found, expected, "{count} with {min} and {over}");
            let old = (0..u64::from(count)).collect();
            let replacing = Replacing { ignition: found, old, ..Replacing::default() };
            assert_eq!(replacing.room(count as usize), start, "{count} with {min} and {over}");
        }
    }

    #[test]
    fn leftovers_of_others_go_at_once() {
        let spec = app(4, 1.0, 1.0);
        assert_eq!(ignition(&spec, 7, 4).kill_now, 3);
        assert_eq!(ignition(&spec, 7, 7).kill_now, 3);
        assert_eq!(ignition(&spec, 2, 0).kill_now, 0);
    }
}
