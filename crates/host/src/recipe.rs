//! A field of a definition is changed in one of two worlds with the same luck, and both are measured.
//!
//! *Knows*: when which world gets what. *Must not know*: which fields a system has, and what they do.
//!
//! *Order*: both worlds install the definition of the editor and settle. One takes the change, or begins with it if the API refuses
//! it. Once both have settled, both restart the workload at the same instant, so that fields show which only decide how a rollout goes.

use super::compare::Beside;
use super::rebuild::loads;
use super::statuses::class_of;
use super::story::Narration;
use super::{Host, Shown};
use planarium_messages::compared::Against;
use planarium_messages::draft::Draft;
use planarium_messages::facts::{Fact, Reply, ToastUndo};
use planarium_messages::tally::Tally;
use planarium_protocol::changes::{Changes, Measure, Outcome, Recipe, Trial};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{LoadService, PlanCommand, PlanOp};
use planarium_protocol::view::StatusClass;
use planarium_protocol::{Input, Text};
use planarium_scenario::{Player, Scenario};
use planarium_world::Engine;
use std::collections::BTreeMap;

/// Distance of two samples. *Units*: milliseconds.
const STEP_MS: u64 = 200;

/// Maximum time of a stage.
const STAGE_MS: u64 = 240_000;

/// Events of a world after which a trial is given up: all of it is one answer, which has to come soon.
const EVENTS: u64 = 12_000;

/// Steps after which a world looks at its number of events.
const STEPS: u64 = 1_000;

/// Time between two stages.
const PAUSE_MS: u64 = 2_000;

/// The reason for a field that the editor's text does not have any more.
const NO_FIELD: &str = "The definition has no such field by now.";

/// The reason for a world that is too large.
const LARGE: &str = "Too much happens for a trial: lower the number of pods in the definition.";

/// A world of a trial.
struct World {
    engine: Engine,
    path: ElementPath,
    tally: Tally,
    taken: u64,
}

/// Totals of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stage {
    /// Time until the plan is done; `None` if it is not done within the limit.
    took_ms: Option<u64>,
    /// Pods below the wanted number, over time. *Units*: pod-milliseconds.
    missing_ms: u64,
    /// Pods placed.
    placed: u32,
    /// Containers that failed.
    failed: u32,
}

impl World {
    fn of(scenario: Scenario, dialect: &str, recipe: &Recipe) -> Option<Self> {
        let (mut engine, _) = Player::start(scenario);
        engine.set_steps_per_advance(STEPS);
        let view = engine.view();
        let mut own = view.services.iter().filter(|service| *service.dialect == *dialect);
        let service = own.find(|service| service.plans.iter().any(|plan| plan.name == recipe.plan))?;
        let path = service.path(&recipe.plan);
        Some(Self { engine, path, tally: Tally::default(), taken: 0 })
    }

    fn is_done(&self) -> bool {
        let word = self.engine.world().status_at(&self.path.service, &self.path.plan);
        word.is_some_and(|word| class_of(&self.path.dialect, word) == StatusClass::Done)
    }

    /// Plays until the plan is done and nothing of it is left to do.
    fn settle(&mut self) -> Stage {
        let (from, before) = (self.engine.now_ms(), self.counts());
        let mut stage = Stage::default();
        // The controllers act in the instant of an input, after it.
        self.engine.advance_to(from);
        while self.engine.now_ms() < from + STAGE_MS && !self.is_large() {
            if self.is_done() {
                stage.took_ms = Some(self.engine.now_ms() - from);
                break;
            }
            if self.engine.idle() {
                break;
            }
            let capacity = self.engine.world().capacity(&self.path);
            let missing = capacity.map_or(0, |(wanted, available)| wanted.saturating_sub(available));
            let before_ms = self.engine.now_ms();
            self.engine.advance_for(STEP_MS);
            stage.missing_ms += u64::from(missing) * (self.engine.now_ms() - before_ms);
        }
        let after = self.counts();
        stage.placed = after.0 - before.0;
        stage.failed = after.1 - before.1;
        stage
    }

    /// Returns whether the world has too many events for a trial.
    fn is_large(&self) -> bool {
        self.engine.seq() > EVENTS
    }

    /// Lets time pass without a look at the plan.
    fn pass_to(&mut self, ms: u64) {
        while self.engine.now_ms() < ms && !self.is_large() {
            self.engine.advance_to(ms);
        }
    }

    /// Pods placed and containers failed so far.
    fn counts(&mut self) -> (u32, u32) {
        let tally = &mut self.tally;
        self.engine.recall_each(self.taken, u64::MAX, &mut |event| tally.take(event, class_of));
        self.taken = self.engine.head_seq();
        (tally.launched, tally.failed)
    }

    fn put_in(&mut self, input: Input) -> bool {
        self.engine.apply(input).outcome.is_ok()
    }

    fn restart(&mut self) -> bool {
        self.put_in(Input::Plan(PlanCommand {
            dialect: self.path.dialect.to_string(),
            service: self.path.service.to_string(),
            plan: self.path.plan.to_string(),
            op: PlanOp::Restart,
            phase: None,
            step: None,
            params: BTreeMap::new(),
        }))
    }
}

/// Both worlds after a trial: without the change and with it, and the instant at which they part.
struct Both {
    worlds: [Engine; 2],
    from_ms: u64,
    scenario: Scenario,
}

/// Lists changes of single fields of the definition in the editor that are worth trying.
pub(crate) fn recipes(host: &Host) -> Vec<Recipe> {
    planarium_world::recipes(&host.editor.draft.load().0)
}

/// Tries the change of a number of that list in two worlds.
pub(crate) fn try_recipe(host: &Host, number: usize) -> Vec<Fact> {
    let tried = trial(host, number).map(|(trial, _)| Box::new(trial)).map_err(Text::from);
    vec![Fact::Reply(Reply::Trial(tried))]
}

/// Shows both worlds of a trial side by side, from the instant at which they part.
pub(crate) fn watch_recipe(host: &mut Host, number: usize) -> Vec<Fact> {
    let (trial, both) = match trial(host, number) {
        Ok(tried) => tried,
        Err(reason) => return vec![Fact::Refused(reason.into())],
    };
    let Both { worlds: [without, with], from_ms, scenario } = both;
    let narration = Narration::of(&scenario, None, "");
    let services = scenario.services.clone();
    host.leave_for(Shown::new(without, None, scenario, narration), "Two worlds to compare");
    host.shown.engine.seek_ms(from_ms);
    let recipe = trial.recipe;
    let name = format!("the world with {} {}", recipe.field, recipe.new);
    host.beside = Some(Beside::of(Against::Recipe(number), name, with));
    let mut facts = vec![host.moved(), Fact::Story(host.shown.narration.told()), Fact::Rebuilt(services)];
    host.shown.narration.tell_again();
    let text = "Both worlds are played to their end: press Play, or scrub. Undo brings the run before back.";
    facts.push(Fact::Told(text.into(), Some(ToastUndo::Last)));
    facts
}

/// Plays both worlds.
///
/// *Errors*: why there is no trial.
fn trial(host: &Host, number: usize) -> Result<(Trial, Both), &'static str> {
    let load = host.editor.draft.load().0;
    let recipe = planarium_world::recipes(&load).into_iter().nth(number).ok_or(NO_FIELD)?;
    let dialect = planarium_world::check(&load).dialect;
    let scenario = trial_scenario(host, load.clone());
    let world = |scenario: Scenario| World::of(scenario, dialect, &recipe).ok_or(NO_FIELD);
    let (mut without, mut with) = (world(scenario.clone())?, world(scenario.clone())?);
    let name = without.path.service.to_string();
    let starts = [without.settle(), with.settle()];
    let from_ms = without.engine.now_ms() + PAUSE_MS;
    without.pass_to(from_ms);
    with.pass_to(from_ms);
    let changed = LoadService { files: recipe.files.clone(), name, ..load };
    let changes = with.engine.world().changes(&changed).ok().flatten();
    let applied = effect(changes.as_ref(), &recipe);
    let refused = changes.as_ref().is_some_and(|changes| changes.count(Outcome::Refused) > 0);
    let mut measures = Vec::new();
    if refused {
        // It cannot be applied to what runs, so the other world begins with it.
        with = world(trial_scenario(host, changed))?;
        let began = with.settle();
        with.pass_to(from_ms);
        add(&mut measures, "Start", [Some(starts[0]), Some(began)]);
    } else {
        with.put_in(Input::UpdateService(changed));
        let took = with.settle();
        add(&mut measures, "Applying it", [None, Some(took)]);
    }
    let meet_ms = without.engine.now_ms().max(with.engine.now_ms()) + PAUSE_MS;
    without.pass_to(meet_ms);
    with.pass_to(meet_ms);
    if without.restart() && with.restart() {
        let stages = [without.settle(), with.settle()];
        add(&mut measures, "The rollout after it", stages.map(Some));
    }
    if without.is_large() || with.is_large() {
        return Err(LARGE);
    }
    let verdict = verdict(&measures).into();
    let trial = Trial { recipe, applied, verdict, measures };
    let from_ms = if refused { 0 } else { from_ms };
    Ok((trial, Both { worlds: [without.engine, with.engine], from_ms, scenario }))
}

/// The definitions of the editor, with this one in place of the edited one, on the machines of the world shown and with its seed.
fn trial_scenario(host: &Host, load: LoadService) -> Scenario {
    let now = &host.shown.scenario;
    let mut scenario = Scenario::of_definition(load.clone(), now.cluster.clone(), now.genesis);
    let mut drafts = host.editor.all();
    if let Some(edited) = drafts.get_mut(host.editor.at) {
        *edited = Draft::of(&load);
    }
    let services = loads(&drafts);
    if services.contains(&load) {
        scenario.services = services;
    }
    scenario.genesis.mesos = now.genesis.mesos;
    scenario.processes.clone_from(&now.processes);
    scenario
}

/// The effect of applying a change to what runs, in a sentence.
fn effect(changes: Option<&Changes>, recipe: &Recipe) -> Text {
    let own = changes.and_then(|changes| changes.objects.iter().find(|one| one.object == recipe.object));
    match own {
        Some(own) if own.outcome == Outcome::Refused => {
            format!("The API refuses it for what runs, so this world begins with it: {}", own.effect).into()
        }
        Some(own) => format!("Applied to what runs, it {}.", own.effect).into(),
        None => Text::default(),
    }
}

/// Adds the numbers of a stage that say something.
fn add(measures: &mut Vec<Measure>, stage: &str, of: [Option<Stage>; 2]) {
    let seconds = |ms: u64| format!("{}.{} s", ms / 1000, ms % 1000 / 100);
    let mut row = |what: &str,
                   matters: bool,
                   number: fn(Stage) -> Option<u64>,
                   none: &str,
                   words: &dyn Fn(u64) -> String| {
        let numbers = of.map(|stage| stage.map(number));
        let word = |number: Option<Option<u64>>| match number {
            None => "not done".to_owned(),
            Some(None) => none.to_owned(),
            Some(Some(number)) => words(number),
        };
        let better = match numbers {
            _ if !matters => None,
            [Some(Some(a)), Some(Some(b))] if a != b => Some(b < a),
            [Some(Some(_)), Some(None)] => Some(false),
            [Some(None), Some(Some(_))] => Some(true),
            _ => None,
        };
        let values = numbers.map(|number| word(number).into());
        measures.push(Measure { name: format!("{stage}: {what}").into(), values, better });
    };
    row("time to complete", true, |stage| stage.took_ms, "not complete", &seconds);
    row("unavailable pod-seconds", true, |stage| Some(stage.missing_ms), "", &seconds);
    row("pods started", false, |stage| Some(u64::from(stage.placed)), "", &|count| count.to_string());
    row("containers failed", true, |stage| Some(u64::from(stage.failed)), "", &|count| count.to_string());
}

/// Names the numbers in which the worlds differ.
fn verdict(measures: &[Measure]) -> String {
    let differs = |measure: &&Measure| measure.better.is_some();
    let said: Vec<String> = measures
        .iter()
        .filter(differs)
        .take(3)
        .map(|one| format!("{}: {} without it, {} with it", one.name, one.values[0], one.values[1]))
        .collect();
    if said.is_empty() {
        "Both worlds take the same time and lose nothing.".to_owned()
    } else {
        format!("{}.", said.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_messages::ptr::Ptr;
    use planarium_messages::questions::{Ask, Question};

    fn tried(replicas: u32) -> Result<Box<Trial>, Text> {
        let text = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  replicas: {replicas}\n  selector: {{matchLabels: {{app: web}}}}\n  \
             template:\n    metadata: {{labels: {{app: web}}}}\n    spec: {{containers: [{{name: web, image: \"web:1\"}}]}}\n"
        );
        let mut host = Host::new(|_| {});
        host.answer(Question { number: 1, selected: None, editor: None, ask: Ask::Begin(Box::default()) });
        host.editor.draft = Draft::of(&LoadService {
            dialect: "kubernetes".to_owned(),
            files: [("web.yaml".to_owned(), text)].into(),
            ..LoadService::default()
        });
        host.editor.drafts = Ptr::new(vec![host.editor.draft.clone()]);
        let facts = host.answer(Question { number: 2, selected: None, editor: None, ask: Ask::TryRecipe(0) });
        let reply = facts.into_iter().find_map(|fact| match fact {
            Fact::Reply(Reply::Trial(tried)) => Some(tried),
            _ => None,
        });
        reply.expect("a trial")
    }

    #[test]
    fn a_trial_has_numbers_unless_too_much_happens() {
        let trial = tried(3).expect("a small one");
        assert!(!trial.measures.is_empty() && !trial.verdict.is_empty());
        assert_eq!(tried(2_000).err().as_deref(), Some(LARGE));
    }

    #[test]
    fn a_stage_that_is_not_complete_is_worse() {
        let mut measures = Vec::new();
        let done = Stage { took_ms: Some(5_200), missing_ms: 0, placed: 3, failed: 0 };
        let stuck = Stage { took_ms: None, missing_ms: 400, placed: 1, failed: 0 };
        add(&mut measures, "Start", [Some(done), Some(stuck)]);
        let row = |at: usize| (&*measures[at].values[0], &*measures[at].values[1], measures[at].better);
        assert_eq!(row(0), ("5.2 s", "not complete", Some(false)));
        assert_eq!(row(1), ("0.0 s", "0.4 s", Some(false)));
        assert_eq!(row(2).2, None, "more pods are neither better nor worse");
        assert!(
            verdict(&measures).starts_with("Start: time to complete: 5.2 s without it, not complete with it")
        );
        assert!(verdict(&measures[2..3]).starts_with("Both worlds"));
    }
}
