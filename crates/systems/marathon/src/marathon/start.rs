//! Starts the process, and restarts it after a failure.
//!
//! *Knows*: which data is stored and which is only in memory. *Must not know*: why it starts.
//!
//! **Source**: `marathon: MarathonSchedulerService.scala, MarathonSchedulerActor.scala (ElectedAsLeaderAndReady)`. Match: instances,
//! groups and deployments are stored; delays, health, locks, kills and statistics are not.

use crate::apps::Apps;
use crate::dates::Calendar;
use crate::definition::RunSpec;
use crate::deployments::Deployments;
use crate::events::Bus;
use crate::groups::definitions::Definitions;
use crate::health::probes::Probes;
use crate::instances::balance::Balance;
use crate::instances::tracker::{Key, Patience, SpecNo, Tracker};
use crate::kills::Kills;
use crate::launch_queue::backoff::Backoff;
use crate::launch_queue::tokens::Tokens;
use crate::marathon::Marathon;
use crate::offers::demand::Demand;
use crate::port::Port;
use crate::records::Records;
use crate::settings::Settings;
use crate::setup::Setup;
use crate::statuses::Statuses;
use crate::timers::Timers;
use planarium_kernel::SortedMap;
use planarium_mesos::api::FrameworkId;
use planarium_part::{Cx, Number};
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

impl Marathon {
    /// A process with nothing in it, subscribed to the master.
    pub(crate) fn begin(port: &mut Port<'_>, number: Number, settings: Settings) -> Self {
        let mut marathon = Self::empty(number, settings, port.cx, Calendar { epoch_ms: port.epoch_ms() });
        marathon.records.setup.framework =
            port.subscribe(marathon.demand.framework_info(&marathon.records.setup));
        let service = marathon.records.setup.settings.framework.clone();
        port.cx.emit(EventBody::SchedulerStarted { service, target: Text::default() });
        marathon
    }

    fn empty(number: Number, settings: Settings, cx: &Cx, calendar: Calendar) -> Self {
        let now = cx.now();
        let patience = patience(&settings);
        let setup = Setup {
            number,
            settings: Arc::new(settings),
            seed: cx.seed(),
            calendar,
            framework: FrameworkId(u32::MAX),
            framework_id: Text::default(),
            region: None,
            born: now,
        };
        let records = Records {
            setup,
            definitions: Definitions::new(now),
            apps: Apps::default(),
            instances: Tracker::new(patience),
            balance: Balance::default(),
            timers: Timers::default(),
            events: Bus::default(),
            statuses: Statuses::default(),
            metrics: SortedMap::new(),
        };
        Self {
            records,
            deployments: Deployments::default(),
            kills: Kills::default(),
            probes: Probes::default(),
            demand: Demand::default(),
            tokens: Tokens::default(),
            in_doubt: false,
            failed: None,
        }
    }

    /// A process that talks to no master: for looking at plans before anything runs.
    pub(crate) fn dry(settings: Settings, cx: &Cx) -> Self {
        Self::empty(Number(0), settings, cx, Calendar::default())
    }

    /// Takes other flags over: they count from now on.
    pub(crate) fn set_settings(&mut self, settings: Settings) {
        self.records.instances.set_patience(patience(&settings));
        self.records.setup.settings = Arc::new(settings);
    }

    /// Restarts the process with its stored data.
    pub(crate) fn start_again(&mut self, port: &mut Port<'_>) {
        self.wake(port, false);
    }

    /// The master has removed the framework: the process ends, and starts again as another framework with the same apps.
    pub(crate) fn register_anew(&mut self, port: &mut Port<'_>) {
        self.records.setup.framework_id = Text::default();
        self.wake(port, true);
    }

    fn wake(&mut self, port: &mut Port<'_>, anew: bool) {
        self.records.setup.born = port.cx.now();
        self.records.timers = Timers::default();
        self.probes = Probes::default();
        self.tokens.forget_refreshing();
        self.kills = Kills::default();
        self.demand.forget(&mut self.records);
        let numbers: Vec<SpecNo> = self.records.apps.numbers().collect();
        for no in &numbers {
            if let Some(run) = self.records.run_mut(*no) {
                run.backoff = Backoff::default();
                run.stats = Arc::default();
                run.job = None;
                run.rescaling = None;
                run.checks.clear();
                run.lock = None;
                run.wish_from = 0;
            }
            self.records.weigh(*no);
            self.records.touch(*no);
        }
        for deployment in self.deployments.running().cloned().collect::<Vec<_>>() {
            for id in deployment.plan.affected() {
                let spec = self.records.number_of(id);
                self.records.hold(spec, deployment.lock);
            }
        }
        let service = self.records.setup.settings.framework.clone();
        port.cx.emit(EventBody::SchedulerStarted { service, target: Text::default() });
        let (framework, info) =
            (self.records.setup.framework, self.demand.framework_info(&self.records.setup));
        if anew {
            self.records.setup.framework = port.subscribe(info);
        } else {
            port.resubscribe(framework, info);
        }
        self.deploying(port).begin_again();
        self.bring_checks_back(port, &numbers);
        self.kill_what_should_end(port);
        self.settle(port);
    }

    /// Health checks of all versions that are there.
    fn bring_checks_back(&mut self, port: &mut Port<'_>, numbers: &[SpecNo]) {
        for no in numbers {
            let Some(run) = self.records.run(*no) else { continue };
            let Some(current) = self.records.definitions.root.spec(&run.id).cloned() else { continue };
            let mut specs: SortedMap<u64, Arc<RunSpec>> = SortedMap::new();
            for (_, instance) in self.records.instances.of_spec(*no) {
                if let Some(spec) = self.records.definitions.version_of(&current.id, instance.version()) {
                    specs.insert(spec.version.version, spec);
                }
            }
            specs.insert(current.version.version, current);
            for spec in specs.values() {
                self.probes.add_checks(&mut self.records, port, *no, spec);
            }
            self.take_health_over(port, *no);
        }
    }

    fn kill_what_should_end(&mut self, port: &mut Port<'_>) {
        let ending = self
            .records
            .instances
            .iter()
            .filter(|(_, instance)| instance.goal.is_terminal() && instance.condition.is_active());
        let ending: Vec<(Key, _)> = ending.map(|(key, instance)| (key, instance.clone())).collect();
        self.kills.kill_instances(&mut self.records, port, &ending);
    }
}

fn patience(settings: &Settings) -> Patience {
    Patience { confirm_ms: settings.confirm_ms, launch_ms: settings.launch_ms }
}
