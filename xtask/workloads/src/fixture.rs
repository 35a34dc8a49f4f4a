//! Services and clusters of any size, and worlds that run them.

use anyhow::{Result, ensure};
use planarium_protocol::{
    Amount, EventBody, Input,
    input::{AddAgent, LoadService, Resources},
};
use planarium_world::{Condition, Engine, Genesis};

/// Longest virtual time that one stage may take. *Units*: milliseconds.
pub const LIMIT_MS: u64 = 30 * 24 * 3_600_000;

/// A service on a cluster.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Pods.
    pub pods: u32,
    /// Machines.
    pub machines: u32,
    /// Of each machine; with 4 GiB for each.
    pub cpus: u32,
    /// Strategy of the only phase.
    pub strategy: String,
    /// A sidecar beside the server, and a readiness check.
    pub full: bool,
    /// A value of the configuration.
    pub version: u32,
}

impl Shape {
    /// A deployment of this many steps, with minimal pods, always on the same cluster: every cycle checks every
    /// machine, so the number of machines is another axis.
    pub fn steps(strategy: &str, pods: u32) -> Self {
        Self { pods, machines: 200, cpus: 64, strategy: strategy.to_owned(), full: false, version: 1 }
    }

    /// Pods of two tasks with a readiness check, three or four to a machine.
    pub fn service(pods: u32) -> Self {
        let machines = (pods * 3).div_ceil(10);
        Self { pods, machines, cpus: 8, strategy: "parallel".to_owned(), full: true, version: 1 }
    }

    /// The definition.
    pub fn load(&self) -> LoadService {
        let Self { pods, strategy, version, .. } = self;
        let more = if self.full {
            "        readiness-check: {cmd: test -s ready, interval: 5, delay: 0, timeout: 10}
      sidecar:
        goal: RUNNING
        cmd: echo sidecar && sleep 1000
        cpus: 0.1
        memory: 64
"
        } else {
            ""
        };
        let text = format!(
            "name: bench
pods:
  app:
    count: {pods}
    allow-decommission: true
    tasks:
      server:
        goal: RUNNING
        cmd: echo server && sleep 1000
        cpus: 1
        memory: 512
        env: {{VERSION: \"{version}\"}}
{more}plans:
  deploy:
    strategy: serial
    phases:
      app: {{strategy: {strategy}, pod: app}}
"
        );
        LoadService {
            dialect: "sdk".to_owned(),
            files: [("svc.yml".to_owned(), text)].into(),
            ..LoadService::default()
        }
    }

    /// The machines.
    pub fn cluster(&self) -> AddAgent {
        AddAgent {
            count: Some(self.machines),
            resources: Resources {
                cpus: Some(Amount::whole(self.cpus.into())),
                mem: Some(Amount::whole(i64::from(self.cpus) * 4096)),
                disk: Some(Amount::whole(i64::from(self.cpus) * 32 * 1024)),
                ports: Some("[1025-32000]".to_owned()),
                ..Resources::default()
            },
            ..AddAgent::default()
        }
    }

    /// The world with its machines and the service just loaded.
    pub fn loaded(&self, seed: u64) -> Result<Engine> {
        let mut engine = Engine::new(Genesis { seed, ..Genesis::default() });
        put(&mut engine, Input::AddAgent(self.cluster()))?;
        put(&mut engine, Input::LoadService(self.load()))?;
        Ok(engine)
    }

    /// The world with the service deployed.
    pub fn deployed(&self, seed: u64) -> Result<Engine> {
        let mut engine = self.loaded(seed)?;
        until(&mut engine, "deploy=COMPLETE")?;
        Ok(engine)
    }
}

/// Puts an input in that must not be refused.
pub fn put(engine: &mut Engine, input: Input) -> Result<()> {
    let kind = input.kind();
    let applied = engine.apply(input);
    ensure!(applied.outcome.is_ok(), "{kind} was refused: {:?}", applied.outcome);
    Ok(())
}

/// Runs until a condition holds.
pub fn until(engine: &mut Engine, condition: &str) -> Result<()> {
    let parsed = Condition::parse(condition).map_err(|error| anyhow::anyhow!("{condition}: {error}"))?;
    let advanced = engine.run_until(&parsed, LIMIT_MS);
    ensure!(advanced.met, "{condition} was not reached: {advanced:?}");
    Ok(())
}

/// Task statuses that reached frameworks after event `seq`.
pub fn task_changes(engine: &Engine, seq: u64) -> u64 {
    let is_change = |body: &EventBody| matches!(body, EventBody::TaskStatus { .. });
    engine.events_since(seq).iter().filter(|event| is_change(&event.body)).count() as u64
}
