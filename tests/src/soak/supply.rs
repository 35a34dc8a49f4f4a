//! The supply of cases: definitions and inputs of the gallery, changed by the random numbers of a seed.

use super::{Case, Chance, Step, change};
use planarium_protocol::Input;
use planarium_protocol::input::LoadService;
use planarium_scenario::{Action, parse};
use planarium_world::detect_dialect;
use serde_json::Value;
use std::collections::BTreeMap;

/// Spans that pass after a request. *Units*: milliseconds.
const SPANS_MS: [u64; 6] = [0, 1, 500, 5_000, 30_000, 600_000];

/// Spans that pass after the last definition of a case. *Units*: milliseconds.
const RUNS_MS: [u64; 4] = [1_000, 30_000, 120_000, 600_000];

/// Counts of what was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Definitions by the system that they are for.
    pub by_system: BTreeMap<String, u64>,
    /// Inputs, definitions not among them.
    pub inputs: u64,
}

impl Changed {
    /// Returns the number of definitions of all systems.
    pub fn definitions(&self) -> u64 {
        self.by_system.values().sum()
    }

    /// Adds the counts of another case.
    pub fn add(&mut self, other: &Self) {
        for (system, count) in &other.by_system {
            *self.by_system.entry(system.clone()).or_default() += count;
        }
        self.inputs += other.inputs;
    }
}

/// What an example begins with.
struct SetUp {
    /// Machines and rules of behaviour.
    ground: Vec<Value>,
    /// Loads of services.
    services: Vec<Value>,
}

/// The inputs that examples begin with and do.
pub struct Supply {
    set_ups: Vec<SetUp>,
    /// Places of set-ups by the system of one of their services.
    by_system: Vec<(String, Vec<usize>)>,
    inputs: Vec<Value>,
}

impl Supply {
    /// All examples.
    pub fn of_the_gallery() -> Self {
        let mut supply = Self { set_ups: Vec::new(), by_system: Vec::new(), inputs: Vec::new() };
        let mut by_system: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for example in planarium_gallery::examples() {
            let file = |path: &str| {
                example.files.iter().find(|(own, _)| *own == path).map(|(_, text)| (*text).to_owned())
            };
            let Some(scenario) = parse(example.scenario, example.id, &file).scenario else { continue };
            let json = |input: &Input| serde_json::to_value(input).unwrap_or_default();
            let set_up = scenario.set_up();
            for load in &scenario.services {
                by_system.entry(dialect(load).to_owned()).or_default().push(supply.set_ups.len());
            }
            let (services, ground) =
                set_up.iter().map(json).partition(|input: &Value| input.get("files").is_some());
            supply.set_ups.push(SetUp { ground, services });
            for action in scenario.script.iter().flat_map(|entry| &entry.actions) {
                if let Action::Do(input) = action {
                    supply.inputs.push(json(input));
                }
            }
        }
        supply.by_system = by_system.into_iter().collect();
        supply
    }

    /// The case of a seed with its counts. Two of eleven have inputs, which are several to a case, the others have definitions: three
    /// changed definitions come to one changed input.
    pub fn case(&self, seed: u64) -> (Case, Changed) {
        let mut chance = Chance::new(seed);
        let mut changed = Changed::default();
        let steps = if chance.below(11) < 2 {
            self.inputs(&mut chance, &mut changed)
        } else {
            self.definitions(&mut chance, &mut changed)
        };
        (Case { seed, steps: steps.unwrap_or_default() }, changed)
    }

    /// The definitions of one example, each system as often as the others, each definition changed.
    fn definitions(&self, chance: &mut Chance, changed: &mut Changed) -> Option<Vec<Step>> {
        let (_, places) = chance.pick(&self.by_system)?;
        let set_up = self.set_ups.get(*chance.pick(places)?)?;
        let mut steps = vec![step(&Value::Array(set_up.ground.clone()), 0)];
        for load in &set_up.services {
            let mut load = load.clone();
            let system = system_of(&load);
            *changed.by_system.entry(system).or_default() += 1;
            for _ in 0..=chance.below(3) {
                change::definition(chance, &mut load);
            }
            if chance.below(8) == 0 {
                change::input(chance, &mut load);
            }
            steps.push(step(&load, 0));
        }
        steps.last_mut()?.then_ms = *chance.pick(&RUNS_MS)?;
        Some(steps)
    }

    /// An example as it is, then inputs of all examples, three of four changed.
    fn inputs(&self, chance: &mut Chance, changed: &mut Changed) -> Option<Vec<Step>> {
        let set_up = chance.pick(&self.set_ups)?;
        let mut steps = vec![step(&Value::Array(set_up.ground.clone()), 0)];
        for load in &set_up.services {
            steps.push(step(load, *chance.pick(&SPANS_MS)?));
        }
        for _ in 0..=chance.below(6) {
            let mut input = chance.pick(&self.inputs)?.clone();
            if chance.below(4) > 0 {
                change::input(chance, &mut input);
                changed.inputs += 1;
            }
            let mut next = step(&input, *chance.pick(&SPANS_MS)?);
            if chance.below(40) == 0 {
                next.body = change::text(chance, &next.body);
            }
            steps.push(next);
        }
        Some(steps)
    }
}

/// The system of a load; one that names none is recognised by its files.
fn system_of(load: &Value) -> String {
    let mut load = load.clone();
    if let Some(fields) = load.as_object_mut() {
        fields.remove("kind");
    }
    serde_json::from_value(load).map_or_else(|_| String::new(), |load| dialect(&load).to_owned())
}

fn dialect(load: &LoadService) -> &str {
    match load.dialect.as_str() {
        "" | "auto" => detect_dialect(&load.files),
        named => named,
    }
}

fn step(input: &Value, then_ms: u64) -> Step {
    Step { path: "/sim/inputs".to_owned(), body: input.to_string(), then_ms }
}
