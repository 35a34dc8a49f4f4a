//! The beginning of the process, and its second beginning after a failure.
//!
//! *Knows*: what is stored and what is only in memory. *Must not know*: why it starts.
//!
//! **Source**: `marathon: MarathonSchedulerService.scala, MarathonSchedulerActor.scala (ElectedAsLeaderAndReady)`. Match: instances,
//! groups and deployments are stored; delays, health, locks, kills and statistics are not.

use super::Marathon;
use super::tracker::{Key, Patience, SpecNo, Tracker};
use crate::dates::Calendar;
use crate::definition::RunSpec;
use crate::group::Root;
use crate::settings::Settings;
use planarium_kernel::{EventQueue, Map, SimTime, SortedMap, SortedSet};
use planarium_mesos::Cluster;
use planarium_mesos::api::FrameworkId;
use planarium_part::{Cx, Number};
use planarium_protocol::{EventBody, Text};
use std::sync::{Arc, OnceLock};

impl Marathon {
    /// A process with nothing in it, subscribed to the master.
    pub(crate) fn begin(cx: &mut Cx, cluster: &mut Cluster, number: Number, settings: Settings) -> Self {
        let mut marathon = Self::empty(number, settings, cx, Calendar { epoch_ms: cluster.epoch_ms() });
        marathon.framework = cluster.subscribe(cx, marathon.framework_info());
        let service = marathon.settings.framework.clone();
        cx.emit(EventBody::SchedulerStarted { service, target: Text::default() });
        marathon
    }

    fn empty(number: Number, settings: Settings, cx: &Cx, calendar: Calendar) -> Self {
        let now = cx.now();
        let mut marathon = Self {
            number,
            seed: cx.seed(),
            calendar,
            framework: FrameworkId(u32::MAX),
            framework_id: Text::default(),
            region: None,
            born: now,
            root: Root { version: now.ms(), ..Root::default() },
            levels: OnceLock::new(),
            roots: SortedMap::new(),
            versions: Map::new(),
            last_stamp: now.ms(),
            numbers: Map::new(),
            specs: super::Specs::default(),
            tracker: Tracker::new(patience(&settings)),
            deployments: super::Deployments::default(),
            kills: super::Kills::default(),
            revive: super::Revive::default(),
            bus: super::Bus::default(),
            timers: EventQueue::new(),
            armed: SortedMap::new(),
            due: SortedMap::new(),
            watched: Map::new(),
            asked: Map::new(),
            unbalanced: Map::new(),
            orphans: Map::new(),
            in_doubt: false,
            tokens: 0,
            tokens_at: SimTime::MAX,
            revision: 1,
            touched: SortedMap::new(),
            moved: SortedSet::new(),
            tally: super::board::Tally::default(),
            view: crate::view::ViewCache::default(),
            failed: None,
            metrics: SortedMap::new(),
            settings: Arc::new(settings),
        };
        marathon.roots.insert(marathon.root.version, marathon.root.clone());
        marathon
    }

    /// A process that talks to no master: for looking at plans before anything runs.
    pub(crate) fn dry(settings: Settings, cx: &Cx) -> Self {
        Self::empty(Number(0), settings, cx, Calendar::default())
    }

    /// Takes other flags over: they count from now on.
    pub(crate) fn set_settings(&mut self, settings: Settings) {
        self.tracker.set_patience(patience(&settings));
        self.settings = Arc::new(settings);
    }

    /// The process has ended and starts again, with what it has stored.
    pub(crate) fn start_again(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        self.wake(cx, cluster, false);
    }

    /// The master has removed the framework: the process ends, and starts again as another framework with the same apps.
    pub(crate) fn register_anew(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        self.framework_id = Text::default();
        self.wake(cx, cluster, true);
    }

    fn wake(&mut self, cx: &mut Cx, cluster: &mut Cluster, anew: bool) {
        self.born = cx.now();
        self.timers = EventQueue::new();
        self.armed.clear();
        self.due.clear();
        self.watched = Map::new();
        self.asked = Map::new();
        self.tokens_at = SimTime::MAX;
        self.forget_kills();
        self.forget_wishes();
        let numbers: Vec<SpecNo> = self.specs.numbers().collect();
        for no in &numbers {
            if let Some(run) = self.run_mut(*no) {
                run.backoff = super::backoff::Backoff::default();
                run.stats = Arc::default();
                run.job = None;
                run.rescaling = None;
                run.checks.clear();
                run.lock = None;
                run.wish_from = 0;
            }
            self.weigh(*no);
            self.touch(*no);
        }
        for deployment in self.deployments.running().cloned().collect::<Vec<_>>() {
            for id in deployment.plan.affected() {
                let spec = self.number_of(id);
                self.relock(spec, &deployment);
            }
        }
        let service = self.settings.framework.clone();
        cx.emit(EventBody::SchedulerStarted { service, target: Text::default() });
        let (framework, info) = (self.framework, self.framework_info());
        if anew {
            self.framework = cluster.subscribe(cx, info);
        } else {
            cluster.resubscribe(cx, framework, info);
        }
        self.begin_again(cx);
        self.bring_checks_back(cx, cluster, &numbers);
        self.kill_what_should_end(cx, cluster);
        self.settle(cx, cluster);
    }

    /// Health checks of all versions that are there.
    fn bring_checks_back(&mut self, cx: &mut Cx, cluster: &mut Cluster, numbers: &[SpecNo]) {
        for no in numbers {
            let Some(run) = self.run(*no) else { continue };
            let Some(current) = self.root.spec(&run.id).cloned() else { continue };
            let mut specs: SortedMap<u64, Arc<RunSpec>> = SortedMap::new();
            for (_, instance) in self.tracker.of_spec(*no) {
                if let Some(spec) = self.version_of(&current.id, instance.version()) {
                    specs.insert(spec.version.version, spec);
                }
            }
            specs.insert(current.version.version, current);
            for spec in specs.values() {
                self.add_checks(cx, cluster, *no, spec);
            }
            self.take_health_over(cx, cluster, *no);
        }
    }

    fn kill_what_should_end(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        let ending = self
            .tracker
            .iter()
            .filter(|(_, instance)| instance.goal.is_terminal() && instance.condition.is_active());
        let ending: Vec<(Key, _)> = ending.map(|(key, instance)| (key, instance.clone())).collect();
        self.kill_instances(cx, cluster, &ending);
    }
}

fn patience(settings: &Settings) -> Patience {
    Patience { confirm_ms: settings.confirm_ms, launch_ms: settings.launch_ms }
}
