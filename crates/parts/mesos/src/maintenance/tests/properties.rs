//! Random calls against a small model, and random bodies.

use super::*;
use proptest::prelude::*;

/// Names of machines: three hosts, one in two spellings, one half id, one with an empty address.
fn spelling(n: usize) -> MachineId {
    match n % 6 {
        0 => machine("h0", "10.0.0.9"),
        1 => machine("H0", "10.0.0.9"),
        2 => machine("h1", "10.0.0.1"),
        3 => machine("h2", "10.0.0.2"),
        4 => MachineId { hostname: Some("h1".into()), ip: None },
        _ => machine("h1", ""),
    }
}

#[derive(Clone, Debug)]
enum Op {
    Post(Vec<(Vec<usize>, i64, Option<i64>)>),
    Down(Vec<usize>),
    Up(Vec<usize>),
    Register(usize),
    Leave(usize),
    Use(usize, u32),
    Disconnect(usize),
    FrameworkGone(u32),
    Revive(u32),
    Answer(usize, u32, bool, Option<u64>),
    Timeout(usize),
    Advance(u64),
}

fn op() -> impl Strategy<Value = Op> {
    let machines = || prop::collection::vec(0..6_usize, 0..4);
    let window = (machines(), -5..5_i64, prop::option::weighted(0.7, -1..50_i64));
    prop_oneof![
        4 => prop::collection::vec(window, 0..4).prop_map(Op::Post),
        3 => machines().prop_map(Op::Down),
        3 => machines().prop_map(Op::Up),
        4 => (0..6_usize).prop_map(Op::Register),
        1 => (0..8_usize).prop_map(Op::Leave),
        4 => (0..8_usize, 0..3_u32).prop_map(|(agent, framework)| Op::Use(agent, framework)),
        1 => (0..8_usize).prop_map(Op::Disconnect),
        1 => (0..3_u32).prop_map(Op::FrameworkGone),
        1 => (0..3_u32).prop_map(Op::Revive),
        4 => (0..20_usize, 0..3_u32, any::<bool>(), prop::option::of(0..8_000_u64))
            .prop_map(|(id, by, accepts, refuse)| Op::Answer(id, by, accepts, refuse)),
        1 => (0..20_usize).prop_map(Op::Timeout),
        3 => (1..9_000_u64).prop_map(Op::Advance),
    ]
}

/// A model of machine modes in the simplest form: a table by a name that is the machine.
#[derive(Default)]
struct Model {
    modes: BTreeMap<String, &'static str>,
}

impl Model {
    fn name(n: usize) -> String {
        let id = spelling(n);
        format!("{:?} {:?}", id.hostname.map(|name| name.to_lowercase()), id.ip)
    }

    fn distinct(machines: &[usize]) -> bool {
        let names: BTreeSet<String> = machines.iter().map(|n| Self::name(*n)).collect();
        names.len() == machines.len()
    }

    fn post(&mut self, windows: &[(Vec<usize>, i64, Option<i64>)]) -> bool {
        let all: Vec<usize> = windows.iter().flat_map(|window| window.0.clone()).collect();
        let sound = windows
            .iter()
            .all(|(machines, _, duration)| !machines.is_empty() && duration.is_none_or(|ns| ns >= 0));
        let names: BTreeSet<String> = all.iter().map(|n| Self::name(*n)).collect();
        let keeps_down = self.modes.iter().all(|(name, mode)| *mode != "DOWN" || names.contains(name));
        if !sound || !Self::distinct(&all) || !keeps_down {
            return false;
        }
        self.modes.retain(|name, _| names.contains(name));
        for name in names {
            self.modes.entry(name).or_insert("DRAINING");
        }
        true
    }

    fn shift(&mut self, machines: &[usize], from: &str, to: Option<&'static str>) -> bool {
        let fine = !machines.is_empty()
            && Self::distinct(machines)
            && machines.iter().all(|n| self.modes.get(&Self::name(*n)).copied() == Some(from));
        for n in machines.iter().filter(|_| fine) {
            match to {
                Some(to) => self.modes.insert(Self::name(*n), to),
                None => self.modes.remove(&Self::name(*n)),
            };
        }
        fine
    }
}

struct Run {
    c: Cluster,
    model: Model,
    next_agent: Counter,
    agents: Vec<AgentId>,
    inactive: BTreeSet<AgentId>,
}

impl Run {
    fn agent(&self, n: usize) -> Option<AgentId> {
        (!self.agents.is_empty()).then(|| self.agents[n % self.agents.len()])
    }

    fn outstanding(&self, n: usize) -> Option<OfferId> {
        let all: Vec<OfferId> = self.c.inverse.outstanding().map(|offer| offer.id).collect();
        (!all.is_empty()).then(|| all[n % all.len()])
    }

    /// A call that changes modes: accepted exactly when the model says so, and without any change when refused.
    fn call(
        &mut self,
        expected: bool,
        call: impl FnOnce(&mut MachineRegistry) -> Result<Vec<Effect>, Refused>,
    ) {
        let before = (self.c.registry.clone(), self.c.inverse.clone());
        match call(&mut self.c.registry) {
            Ok(effects) => {
                assert!(expected, "accepted, the model refuses");
                // Shut down and removed go together; refreshed agents occur once and are attached.
                let mut refreshed = BTreeSet::new();
                for effect in &effects {
                    if let Effect::Refresh { agent, .. } = effect {
                        assert!(refreshed.insert(*agent), "refreshed twice");
                        assert!(self.c.registry.machine_of(*agent).is_some());
                    }
                    if let Effect::Remove { agent } = effect {
                        assert!(self.c.registry.machine_of(*agent).is_none());
                        self.agents.retain(|known| known != agent);
                    }
                }
                self.c.carry_out(effects);
            }
            Err(refused) => {
                assert!(!expected, "refused with {refused}, the model accepts");
                assert_eq!((&self.c.registry, &self.c.inverse), (&before.0, &before.1), "{refused}");
            }
        }
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Post(windows) => {
                let posted = Schedule {
                    windows: windows
                        .iter()
                        .map(|(machines, start, duration)| Window {
                            machine_ids: machines.iter().map(|n| spelling(*n)).collect(),
                            unavailability: away(*start, *duration),
                        })
                        .collect(),
                };
                let expected = self.model.post(windows);
                self.call(expected, |registry| registry.post_schedule(posted.clone(), everyone));
                if expected {
                    assert_eq!(self.c.registry.get_schedule(everyone), posted, "verbatim");
                }
            }
            Op::Down(machines) => {
                let expected = self.model.shift(machines, "DRAINING", Some("DOWN"));
                let list: Vec<MachineId> = machines.iter().map(|n| spelling(*n)).collect();
                self.call(expected, |registry| registry.machine_down(&list, everyone));
            }
            Op::Up(machines) => {
                let expected = self.model.shift(machines, "DOWN", None);
                let list: Vec<MachineId> = machines.iter().map(|n| spelling(*n)).collect();
                self.call(expected, |registry| registry.machine_up(&list, everyone));
            }
            Op::Register(n) => {
                let agent = AgentId(self.next_agent.next());
                let down = self.model.modes.get(&Model::name(*n)).copied() == Some("DOWN");
                let attached = self.c.registry.attach(&spelling(*n), agent);
                assert_eq!(attached.is_err(), down);
                if attached.is_ok() {
                    self.agents.push(agent);
                }
            }
            Op::Leave(n) => {
                let Some(agent) = self.agent(*n) else { return };
                self.agents.retain(|known| *known != agent);
                self.c.registry.detach(agent);
                self.c.inverse.refresh(agent);
                self.c.users.remove(&agent);
            }
            Op::Use(n, framework) => {
                let Some(agent) = self.agent(*n).filter(|agent| !self.inactive.contains(agent)) else {
                    return;
                };
                self.c.users.entry(agent).or_default().insert(FrameworkId(*framework));
            }
            Op::Disconnect(n) => {
                let Some(agent) = self.agent(*n) else { return };
                self.inactive.insert(agent);
                self.c.inverse.rescind_agent(agent);
                self.c.users.remove(&agent);
            }
            Op::FrameworkGone(n) => {
                self.c.inverse.framework_gone(FrameworkId(*n));
                for users in self.c.users.values_mut() {
                    users.remove(&FrameworkId(*n));
                }
                assert!(self.c.inverse.outstanding().all(|offer| offer.grant.framework.0 != *n));
            }
            Op::Revive(n) => self.c.inverse.clear_filters(FrameworkId(*n)),
            Op::Answer(n, by, accepts, refuse_ms) => {
                let Some(id) = self.outstanding(*n) else { return };
                let response = if *accepts { Response::Accept } else { Response::Decline };
                self.c.answer(id, FrameworkId(*by), response, *refuse_ms);
                assert!(self.c.inverse.get(id).is_none());
            }
            Op::Timeout(n) => {
                let Some(id) = self.outstanding(*n) else { return };
                assert!(self.c.inverse.withdraw(id).is_some());
            }
            Op::Advance(ms) => self.c.advance_to(self.c.now.ms() + ms),
        }
    }

    fn check(&self) {
        let c = &self.c;
        assert_eq!(c.registry.check(), Vec::<String>::new());
        let is_active = |agent| self.agents.contains(&agent) && !self.inactive.contains(&agent);
        assert_eq!(c.inverse.check(&c.registry, is_active), Vec::<String>::new());
        let mut pairs = BTreeSet::new();
        for offer in c.inverse.outstanding() {
            assert!(pairs.insert((offer.grant.agent, offer.grant.framework)), "two at a time");
        }
        for n in 0..6 {
            let mode = self.model.modes.get(&Model::name(n)).copied().unwrap_or("UP");
            assert_eq!(c.registry.mode(&spelling(n)).as_str(), mode, "{}", spelling(n));
        }
        let status = c.registry.get_status(&c.inverse, 0, everyone);
        let listed = status.draining_machines.len() + status.down_machines.len();
        assert_eq!(listed, c.registry.get_schedule(everyone).machines().count(), "status and schedule agree");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "windows",
        "machine_ids",
        "unavailability",
        "start",
        "duration",
        "nanoseconds",
        "hostname",
        "ip",
        "type",
        "drain_agent",
        "agent_id",
        "value",
        "filters",
        "inverse_offer_ids",
        "10.0.0.1",
        "DRAIN_AGENT",
        "5",
        "x",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        words.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 5, move |inner| {
        let pairs = prop::collection::vec((words.clone(), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::Array),
            pairs.prop_map(|pairs| pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_calls(ops in prop::collection::vec(op(), 1..60)) {
        let mut run = Run {
            c: Cluster::new(),
            model: Model::default(),
            next_agent: Counter::new(),
            agents: Vec::new(),
            inactive: BTreeSet::new(),
        };
        for op in &ops {
            run.apply(op);
            run.check();
        }
    }

    #[test]
    fn schedules_round_trip(windows in prop::collection::vec(
        (prop::collection::vec(0..6_usize, 0..4), any::<i64>(), any::<Option<i64>>()), 0..4,
    )) {
        let schedule = Schedule {
            windows: windows
                .into_iter()
                .map(|(machines, start_ns, duration_ns)| Window {
                    machine_ids: machines.into_iter().map(spelling).collect(),
                    unavailability: away(start_ns, duration_ns),
                })
                .collect(),
        };
        let text = schedule.to_json().to_string();
        let again = reading::schedule(&reading::body(text.as_bytes()).expect("own output")).expect("own output");
        prop_assert_eq!(&again, &schedule);
        prop_assert_eq!(again.to_json().to_string(), text);
    }

    #[test]
    fn any_body_is_read_or_refused(value in any_json()) {
        let mut c = Cluster::new();
        let before = c.registry.clone();
        match reading::schedule(&value).and_then(|schedule| c.registry.post_schedule(schedule, everyone)) {
            Ok(_) => prop_assert_eq!(c.registry.check(), Vec::<String>::new()),
            Err(refused) => {
                prop_assert_eq!(refused.status(), 400);
                prop_assert_eq!(&c.registry, &before);
            }
        }
        for refused in [
            reading::machine_list(&value).err(),
            reading::operator_call(&value).err(),
        ].into_iter().flatten() {
            prop_assert!((400..=501).contains(&refused.status()));
        }
    }
}
