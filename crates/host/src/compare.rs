//! A second run beside the one shown, on the same clock.
//!
//! *Knows*: where second runs come from. *Must not know*: which differences matter.

use super::Host;
use super::lesson;
use super::recipe;
use super::statuses::class_of;
use planarium_messages::compared::{Against, Compared};
use planarium_messages::facts::Fact;
use planarium_messages::paths;
use planarium_messages::ptr::Ptr;
use planarium_messages::tally::Tally;
use planarium_scenario::Player;
use planarium_world::Engine;

/// The second run.
pub(crate) struct Beside {
    against: Against,
    name: String,
    engine: Engine,
    /// Totals of the second run, and the last event counted in them.
    tally: (Tally, u64),
    /// Last reported places of both runs.
    place: Option<[(u64, u64, u64); 2]>,
}

impl Beside {
    /// A run to be shown beside the present one.
    pub(crate) fn of(against: Against, name: String, engine: Engine) -> Self {
        Self { against, name, engine, tally: Default::default(), place: None }
    }
}

impl Host {
    /// Begins or ends a comparison.
    pub(crate) fn compare(&mut self, against: Option<&Against>) -> Vec<Fact> {
        self.beside = None;
        if let Some(Against::Recipe(number)) = against {
            return recipe::watch_recipe(self, *number);
        }
        let Some(against) = against else { return Vec::new() };
        let found = match against {
            Against::Branch(id) => self.branch_engine(*id),
            Against::Before => self.before().map(|before| {
                ("the run before".to_owned(), Engine::from_journal(&before.engine.journal()).ok())
            }),
            Against::Edited => Some(("the edited definition".to_owned(), self.edited_engine())),
            Against::Recipe(_) => None,
            Against::Solution => Some(("the solution".to_owned(), lesson::solution_engine(self))),
            Against::Earlier(number) => {
                Some((format!("try {number}"), lesson::earlier_engine(self, *number)))
            }
        };
        let Some((name, Some(engine))) = found else {
            return vec![Fact::Refused("That run cannot be shown beside this one.".into())];
        };
        self.beside = Some(Beside::of(against.clone(), name, engine));
        Vec::new()
    }

    fn branch_engine(&mut self, id: u32) -> Option<(String, Option<Engine>)> {
        let engine = &mut self.shown.engine;
        let here = engine.branches().iter().find(|branch| branch.current)?.id;
        let name = engine.branches().into_iter().find(|branch| branch.id == id)?.name;
        // The engine keeps the cursor of each branch.
        if !engine.switch_branch(id) {
            return None;
        }
        let journal = engine.journal();
        engine.switch_branch(here);
        Some((format!("branch {name}"), Engine::from_journal(&journal).ok()))
    }

    /// A world with the edited definitions and nothing else changed.
    fn edited_engine(&self) -> Option<Engine> {
        let services = super::rebuild::loads(&self.editor.all());
        let good = services.iter().all(|load| !planarium_world::check(load).has_errors());
        good.then(|| {
            Player::start(planarium_scenario::Scenario { services, ..self.shown.scenario.clone() }).0
        })
    }

    /// Returns the comparison if either run has moved.
    pub(crate) fn compared(&mut self) -> Option<Fact> {
        let Some(beside) = &mut self.beside else {
            return std::mem::take(&mut self.told_compared).then_some(Fact::Compared(None));
        };
        let (here, there) = (&self.shown.engine, &mut beside.engine);
        let now = here.now_ms();
        if now <= there.head_ms() {
            if now != there.now_ms() {
                there.seek_ms(now);
            }
        } else if !(there.at_head() && there.idle()) {
            there.seek_ms(there.head_ms());
            there.advance_to(now);
        }
        let place = |engine: &Engine| (engine.seq(), engine.head_seq(), engine.inputs());
        let places = [place(here), place(there)];
        if beside.place == Some(places) && self.told_compared {
            return None;
        }
        beside.place = Some(places);
        self.told_compared = true;
        let (tally, taken) = &mut beside.tally;
        if there.head_seq() < *taken {
            (*tally, *taken) = Default::default();
        }
        there.recall_each(*taken, u64::MAX, &mut |event| tally.take(event, class_of));
        *taken = there.head_seq();
        there.forget_events(self.events);
        let plan = |engine: &Engine| paths::first_plan(&engine.view());
        let tallies = [self.seen.lanes.tally.of(plan(here).as_ref()), tally.of(plan(there).as_ref())];
        Some(Fact::Compared(Some(Ptr::new(Compared {
            against: beside.against.clone(),
            name: beside.name.clone().into(),
            view: Ptr(there.view()),
            heads: [here.head_ms(), there.head_ms()],
            tallies,
        }))))
    }
}
