//! A world as a user works with it: answers the questions of a page.
//!
//! *Knows*: the engine's handle and the last state that the page reported. *Must not know*: how anything is drawn or
//! stored.

use super::compare::Beside;
use super::guest::guest_refuses;
use super::lesson::{self, Teaching, Told};
use super::story::Narration;
use super::summary::Checkpoints;
use super::texts::{BuiltIn, Library, Texts};
use super::{export, ghost, names, recipe, saved, snapshot, stuck, undo};
use planarium_messages::clock::Clock;
use planarium_messages::compared::Against;
use planarium_messages::draft::{Draft, Editor};
use planarium_messages::event_log::EventLog;
use planarium_messages::facts::{Fact, Keep, Reply, SavedFile, Served, ToastUndo};
use planarium_messages::lessons::LessonAsk;
use planarium_messages::ptr::Ptr;
use planarium_messages::questions::{Ask, Begin, Format, Question, Wishes};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_protocol::view::plan_tree;
use planarium_protocol::{Input, json};
use planarium_scenario::{Player, Scenario, share};
use planarium_world::{Engine, Genesis, Journal};
use serde_json::Value;
use std::rc::Rc;

/// A world with its player, drafts, branches and lesson.
pub(crate) struct Shown {
    pub(crate) engine: Engine,
    /// The script until a fork or its end, and the id of the only branch that it plays on.
    pub(crate) player: Option<(Player, u32)>,
    /// The scenario of this world.
    pub(crate) scenario: Scenario,
    pub(crate) narration: Narration,
    /// A user acted by hand, so the script alone no longer leads to this moment.
    pub(crate) by_hand: bool,
    /// Drafts in the editor when the user left this world.
    pub(crate) drafts: Vec<Draft>,
    /// The address when the user left this world.
    pub(crate) address: String,
    /// Branches that others replace after an undo; they have no tab.
    pub(crate) hidden: Vec<u32>,
    /// Hidden branches on which the last operation was an undo.
    pub(crate) undone: Vec<u32>,
    /// Branches that replace others after an undo.
    pub(crate) stand_ins: Vec<u32>,
    /// The lesson of this world.
    pub(crate) lesson: Option<Box<Teaching>>,
}

impl Shown {
    pub(crate) fn new(
        engine: Engine,
        player: Option<(Player, u32)>,
        scenario: Scenario,
        narration: Narration,
    ) -> Self {
        Self {
            engine,
            player,
            scenario,
            narration,
            by_hand: false,
            drafts: Vec::new(),
            address: String::new(),
            hidden: Vec::new(),
            undone: Vec::new(),
            stand_ins: Vec::new(),
            lesson: None,
        }
    }
}

/// The host of a world.
pub struct Host {
    pub(crate) shown: Shown,
    /// The operation log of undo and redo.
    pub(crate) trail: undo::Trail,
    /// A second run on the same clock.
    pub(crate) beside: Option<Beside>,
    pub(crate) seen: snapshot::Seen,
    /// Runs that branches parted from.
    pub(crate) ghosts: ghost::Ghosts,
    /// The world has moved, and the page does not show it yet.
    pub(crate) unseen: bool,
    /// Last question of `why`.
    pub(crate) asked: Option<(ElementPath, (u32, u32), u64, u64)>,
    /// Trials of ways to get stuck elements moving.
    pub(crate) helping: stuck::Helping,
    /// Minimum number of events that the engine keeps.
    pub(crate) events: u64,
    /// The run as it was before the last input.
    pub(crate) saved: saved::Saved,
    /// The part of the address after `#` as last reported.
    pub(crate) written: String,
    /// The editor of the page.
    pub(crate) editor: Editor,
    /// The element that is selected on the page.
    pub(crate) selected: Option<ElementPath>,
    /// Names for texts without one.
    pub(crate) names: names::Names,
    /// Receives data to be stored.
    pub(crate) keeper: Box<dyn FnMut(Keep)>,
    /// An input other than setting up was applied.
    pub(crate) touched: bool,
    /// The clock as last reported.
    pub(crate) clock: Clock,
    /// The page has an answer to why the selected element is not moving.
    pub(crate) told_why: bool,
    /// The page shows another run beside this one.
    pub(crate) told_compared: bool,
    /// The page shows a link that could not be read.
    pub(crate) broken: bool,
    /// World, branch and number of inputs that were stored last.
    pub(crate) kept: Option<(u32, u32, u64)>,
    /// The lesson as last reported.
    pub(crate) lesson_told: Told,
    /// Language of the texts of lessons.
    pub(crate) language: String,
    /// The examples and lessons that can be opened.
    pub(crate) library: Library,
    /// Settings of examples and definitions that are opened.
    pub(crate) wishes: Wishes,
    /// The engine is lent by a server, and others act on it, too.
    pub(crate) served: Option<Served>,
}

impl Host {
    /// Creates a host over an empty world, with all examples and lessons in the program. It passes data to `keeper` for storage before it
    /// applies an input.
    pub fn new(keeper: impl FnMut(Keep) + 'static) -> Self {
        Self::with_texts(Rc::new(BuiltIn), keeper)
    }

    /// The same with the texts of examples and lessons from elsewhere.
    pub fn with_texts(texts: Rc<dyn Texts>, keeper: impl FnMut(Keep) + 'static) -> Self {
        let scenario = Scenario::of_definition(LoadService::default(), Vec::new(), Genesis::default());
        // No code of a system or layer is there yet.
        let empty = Engine::new(Genesis { mesos: false, ..Genesis::default() });
        let shown = Shown::new(empty, None, scenario, Narration::default());
        Self {
            shown,
            trail: undo::Trail::default(),
            beside: None,
            seen: snapshot::Seen::default(),
            ghosts: ghost::Ghosts::default(),
            unseen: false,
            asked: None,
            helping: stuck::Helping::default(),
            events: snapshot::EVENTS,
            saved: saved::Saved::default(),
            written: String::new(),
            editor: Editor::default(),
            selected: None,
            names: names::Names::default(),
            keeper: Box::new(keeper),
            touched: false,
            clock: Clock::default(),
            told_why: false,
            told_compared: false,
            broken: false,
            kept: None,
            lesson_told: Told::default(),
            language: lesson::LANGUAGE.to_owned(),
            library: Library::new(texts),
            wishes: Wishes::default(),
            served: None,
        }
    }

    /// Sets the minimum number of kept events and the distance between kept summaries. Small values let tests treat short
    /// runs as long ones.
    #[must_use]
    pub fn keeping(mut self, events: u64, distance: u64) -> Self {
        self.events = events;
        self.seen.past = Checkpoints::every(distance);
        self
    }

    /// Answers a question.
    pub fn answer(&mut self, question: Question) -> Vec<Fact> {
        if let Some(change) = question.editor {
            change.apply(&mut self.editor);
        }
        self.selected = question.selected;
        let ahead = matches!(question.ask, Ask::Ahead(_));
        let mut facts = self.run(question.ask);
        for fact in &facts {
            match fact {
                Fact::Broken(_) => self.broken = true,
                Fact::Opened { .. } => (self.broken, self.told_why) = (false, false),
                _ => {}
            }
        }
        if ahead && facts.is_empty() {
            return facts;
        }
        facts.extend(super::ghost::ghost(self));
        facts.extend(self.why());
        facts.extend(self.help());
        facts.extend(self.compared());
        facts
    }

    /// Shows the first world: from the tab's stored state, the link in the address bar, or an example.
    fn begin(&mut self, begin: Begin) -> Vec<Fact> {
        self.names = names::Names(begin.names);
        self.wishes = begin.wishes;
        if let Some(language) = begin.language {
            self.language = language;
        }
        if let Some(facts) = begin.tab.as_deref().and_then(|tab| self.bring_back(tab, begin.looks, begin.at))
        {
            self.written = begin.hash;
            return facts;
        }
        let recovered = begin.recover.and_then(|(rest, inputs)| put_together(&rest, &inputs));
        let named = begin.lesson.filter(|_| begin.hash.len() < 2).map(|id| format!("#lesson={id}"));
        let hash = recovered.or(named).unwrap_or(begin.hash);
        let mut facts = self.first_world(&hash, begin.example.as_deref());
        if begin.edits {
            let text = "Edits of an earlier visit or another tab that were never applied are kept.";
            facts.push(Fact::Told(text.into(), Some(ToastUndo::Draft)));
        }
        facts
    }

    pub(crate) fn first_world(&mut self, hash: &str, example: Option<&str>) -> Vec<Fact> {
        if hash.len() > 1 {
            let resumed = example.and_then(|id| self.resume_example(id, hash));
            return resumed.unwrap_or_else(|| self.open_hash(hash));
        }
        let first = planarium_gallery::example_heads().first().map(|example| example.id);
        let unknown = example.filter(|id| planarium_gallery::example_head(id).is_none());
        let mut facts = match example.filter(|_| unknown.is_none()).or(first) {
            Some(id) => self.open_example(id),
            None => Vec::new(),
        };
        if let Some(id) = unknown {
            let id: String = id.chars().take(60).collect();
            let text = format!("There is no example named {id}; this is the first one.");
            facts.push(Fact::Refused(text.into()));
        }
        facts
    }

    fn run(&mut self, ask: Ask) -> Vec<Fact> {
        if let Some(refused) = lesson::lesson_refuses(self, &ask) {
            return refused;
        }
        if let Some(refused) = guest_refuses(self, &ask) {
            return refused;
        }
        let mut facts = match ask {
            Ask::Begin(_) | Ask::Resume(_) | Ask::Frame(_) => Vec::new(),
            Ask::Ahead(ms) => return self.play_ahead(ms),
            // The input was applied at the world's own instant, so the page shows that instant.
            _ => self.unseen(),
        };
        let opens = matches!(
            ask,
            Ask::OpenExample(_)
                | Ask::OpenFiles(_, false)
                | Ask::OpenText(_, false)
                | Ask::Lesson(LessonAsk::Open(_))
        );
        if opens {
            // The browser's Back returns to the world that is left here.
            facts.extend(self.write_address());
        }
        if replaces(&ask) {
            self.shown.drafts = self.editor.all();
            self.shown.address.clone_from(&self.written);
        }
        let (keeps, moves) = (keeps(&ask), moves(&ask));
        let more = self.facts_of(ask);
        let opened = more.iter().any(|fact| matches!(fact, Fact::Opened { .. }));
        facts.extend(more);
        if opens && opened {
            facts.push(self.push_address());
        }
        facts.extend(self.story());
        facts.extend(lesson::lesson_report(self));
        facts.extend(self.ways());
        if self.served.is_none() && (keeps || !moves && self.kept != Some(self.stamp())) {
            self.keep(&facts);
        }
        facts
    }

    /// World, branch and inputs of the moment shown.
    fn stamp(&self) -> (u32, u32, u64) {
        (self.seen.generation, self.shown.engine.place().branch, self.shown.engine.inputs())
    }

    fn facts_of(&mut self, ask: Ask) -> Vec<Fact> {
        match ask {
            Ask::Begin(begin) => self.begin(*begin),
            Ask::Resume(resume) => self.resume(*resume),
            Ask::Look | Ask::Ahead(_) => Vec::new(),
            Ask::Frame(ms) => self.play(ms),
            Ask::Play => self.begin_play(),
            Ask::StepEvent(toward) => self.step_event(toward),
            Ask::StepStatus(toward) => self.step_status(toward),
            Ask::StepMark(toward) => self.step_mark(toward),
            Ask::SeekMs(ms) => self.seek_ms(ms),
            Ask::SeekSeq(seq) => self.seek_seq(seq),
            Ask::SeekTenth(tenth) => self.seek_ms(self.shown.engine.head_ms() * tenth.min(10) / 10),
            Ask::Reset => self.reset(),
            Ask::SetSeed(seed) => self.set_seed(seed),
            Ask::SetPreset(name) => self.set_preset(&name),
            Ask::Branch(id) => self.switch_branch(id),
            Ask::Undo => self.undo(),
            Ask::Redo => self.redo(),
            Ask::Compare(against) => self.compare(against.as_ref()),
            Ask::Do(input) => self.put_in(&input),
            Ask::Run { line, service } => self.run_line(&line, service.as_deref()),
            Ask::Complete { line, service } => vec![self.complete(&line, service.as_deref())],
            Ask::Check => self.check(),
            Ask::Apply => self.apply(),
            Ask::RollOut => self.roll_out(),
            Ask::DropService(at) => self.drop_service(at),
            Ask::Removed { at, path, text } => vec![self.removed(at, &path, &text)],
            Ask::SeekMachines => self.seek_machines(),
            Ask::TryHelp => self.try_help(),
            Ask::OpenExample(id) => self.returnable(false, |host| host.open_example(&id)),
            Ask::OpenFiles(files, true) => self.open_beside(&files),
            Ask::OpenText(text, true) => self.text_beside(&text),
            Ask::OpenFiles(files, false) => self.returnable(true, |host| host.open_files(&files)),
            Ask::OpenText(text, false) => self.returnable(true, |host| host.open_text(&text)),
            Ask::OpenHash(hash) if hash == self.written || hash.len() < 2 => Vec::new(),
            Ask::OpenHash(hash) => self.open_hash(&hash),
            Ask::OpenPlace(example, hash) => self.open_place(example.as_deref(), &hash),
            Ask::Link(page) => vec![Fact::Link(Box::new(self.link(&page)))],
            Ask::WriteAddress => {
                // The page asks for lanes only while it shows a run.
                self.broken = false;
                self.write_address().into_iter().collect()
            }
            Ask::SaveAs(format) => vec![Fact::Saved(self.save_as(format))],
            Ask::Outcome(input, path) => vec![Fact::Reply(Reply::Outcome(self.outcome_of(&input, &path)))],
            Ask::Call(call) => self.call(call),
            Ask::Demo(demo) => vec![Fact::Reply(Reply::Demo(self.demo(&demo)))],
            Ask::Finish => vec![Fact::Reply(Reply::Finish(self.finish_of_run()))],
            Ask::Rendered { path, task, file } => {
                vec![Fact::Reply(Reply::Rendered(self.rendered_file(&path, &task, &file)))]
            }
            Ask::Changes => {
                let changes = self.shown.engine.world().changes(&self.editor.draft.load().0);
                let changes = changes.map(|found| found.map(Box::new)).map_err(|refusal| refusal.message);
                vec![Fact::Reply(Reply::Changes(changes))]
            }
            Ask::Recipes => vec![Fact::Reply(Reply::Recipes(recipe::recipes(self)))],
            Ask::TryRecipe(number) => recipe::try_recipe(self, number),
            Ask::Objects => vec![Fact::Reply(Reply::Objects(self.shown.engine.world().objects()))],
            Ask::Object(key) => {
                let found = self.shown.engine.world().object(&key);
                vec![Fact::Reply(Reply::Object(found.map(Box::new)))]
            }
            Ask::Lesson(ask @ LessonAsk::Open(_)) => {
                self.returnable(false, |host| lesson::lesson_ask(host, ask))
            }
            Ask::Lesson(ask) => lesson::lesson_ask(self, ask),
        }
    }

    /// Returns why the selected element is not moving, if the answer may have changed.
    fn why(&mut self) -> Option<Fact> {
        let Some(path) = self.selected.as_ref().filter(|path| !path.plan.is_empty()) else {
            self.asked = None;
            return std::mem::take(&mut self.told_why).then_some(Fact::Why(None));
        };
        let engine = &self.shown.engine;
        let lineage = self.seen.lineage.unwrap_or_default();
        let key = (path.clone(), lineage, engine.seq(), engine.inputs());
        if self.asked.as_ref() == Some(&key) && self.told_why {
            return None;
        }
        let why = engine.why(path);
        self.asked = Some(key);
        self.told_why = why.is_some();
        Some(Fact::Why(why.map(Ptr::new)))
    }

    /// Returns the data of a service after an input, without carrying the input out.
    ///
    /// *Errors*: why the input would be refused.
    fn outcome_of(&self, input: &Input, path: &ElementPath) -> Result<Value, String> {
        let world = self.shown.engine.outcome_of(input).map_err(|refusal| refusal.message)?;
        let service = world.service_views().into_iter().find(|service| service.holds(path));
        Ok(service.map(|service| (*service.more).clone()).unwrap_or_default())
    }

    /// Returns a file rendered for a task of a service; without a task, the template.
    fn rendered_file(&self, path: &ElementPath, task: &str, file: &str) -> Option<String> {
        match self.shown.engine.world().rendered_file(&path.service, task, file)? {
            Ok((_, body)) => body.as_str().map(str::to_owned),
            Err(refusal) => Some(refusal.message),
        }
    }

    pub(crate) fn save_as(&mut self, format: Format) -> SavedFile {
        let title = match self.shown.narration.title() {
            "" => "A run in Planarium".to_owned(),
            title => title.to_owned(),
        };
        let (name, text) = match format {
            Format::Journal => {
                ("run.json", serde_json::to_string(&self.shown.engine.journal()).unwrap_or_default())
            }
            Format::Csv => ("events.csv", export::csv(&self.whole_log())),
            Format::Transcript => ("transcript.txt", export::transcript(&title, &self.whole_log())),
            Format::Tree => ("plans.txt", trees(&self.shown.engine)),
            Format::Mermaid => {
                let (gantt, head_ms) = (&self.seen.lanes.gantt, self.shown.engine.head_ms());
                ("timeline.mmd", export::mermaid(&title, gantt, head_ms))
            }
        };
        SavedFile { name: format!("planarium-{name}"), text }
    }

    /// All events up to the head.
    fn whole_log(&mut self) -> EventLog {
        let mut log = EventLog::default();
        self.shown.engine.recall_each(0, u64::MAX, &mut |event| log.extend([event.clone()]));
        log
    }

    fn switch_branch(&mut self, id: u32) -> Vec<Fact> {
        if self.shown.engine.switch_branch(id) {
            vec![self.moved()]
        } else {
            vec![Fact::Refused("That branch is gone.".into())]
        }
    }

    /// Handles Back or Forward in the browser: shows the world that was left there, or opens the address.
    fn open_place(&mut self, example: Option<&str>, hash: &str) -> Vec<Fact> {
        if hash == self.written {
            return Vec::new();
        }
        let mut facts = match self.world_at(hash) {
            Some(true) => self.undo_world(),
            Some(false) => self.redo_world(),
            None => self.returnable(false, |host| host.first_world(hash, example)),
        };
        // The browser has already moved, so the message offers no way back.
        facts.retain(|fact| !matches!(fact, Fact::Told(_, Some(ToastUndo::Undone))));
        hash.clone_into(&mut self.written);
        facts
    }

    /// Offers a way back to the world that was left: always after an operation, and also for a user's own files and
    /// texts, which may have been replaced by mistake.
    fn returnable(&mut self, own: bool, open: impl FnOnce(&mut Self) -> Vec<Fact>) -> Vec<Fact> {
        let done = self.touched || self.editor.dirty();
        let mut facts = open(self);
        let opened = facts.iter().any(|fact| matches!(fact, Fact::Opened { .. }));
        if opened && (own || done) {
            facts.push(Fact::Told("Opened; what was here before is kept.".into(), Some(ToastUndo::Last)));
        }
        facts
    }
}

/// The plans of all services as text.
fn trees(engine: &Engine) -> String {
    let view = engine.view();
    let plans = view.services.iter().flat_map(|service| &service.plans);
    plans.map(|plan| plan_tree(plan)).collect::<Vec<_>>().join("\n")
}

/// Joins the share string of a run that was stored in parts.
pub(crate) fn put_together(rest: &str, inputs: &[String]) -> Option<String> {
    let (_, journal): (usize, Journal) = json::read(rest.as_bytes()).ok()?;
    share::encode_packed(&journal, inputs.iter().map(String::as_str))
}

/// Returns whether a question may show another world in place of this one.
fn replaces(ask: &Ask) -> bool {
    matches!(
        ask,
        Ask::Check
            | Ask::Apply
            | Ask::Reset
            | Ask::Compare(Some(Against::Recipe(_)))
            | Ask::SetSeed(_)
            | Ask::SetPreset(_)
            | Ask::Undo
            | Ask::Redo
            | Ask::OpenExample(_)
            | Ask::OpenFiles(..)
            | Ask::OpenText(..)
            | Ask::OpenHash(_)
            | Ask::OpenPlace(..)
            | Ask::DropService(_)
            | Ask::Lesson(LessonAsk::Open(_))
    )
}

/// Returns whether all branches are stored after a question, because a reload must not lose them.
fn keeps(ask: &Ask) -> bool {
    matches!(
        ask,
        Ask::WriteAddress
            | Ask::Do(_)
            | Ask::Call(_)
            | Ask::Run { .. }
            | Ask::RollOut
            | Ask::Undo
            | Ask::Redo
            | Ask::Lesson(_)
    )
}

/// Returns whether a question only moves the cursor of the world shown.
fn moves(ask: &Ask) -> bool {
    matches!(
        ask,
        Ask::Frame(_)
            | Ask::Look
            | Ask::StepEvent(_)
            | Ask::StepStatus(_)
            | Ask::StepMark(_)
            | Ask::SeekMs(_)
            | Ask::SeekSeq(_)
            | Ask::SeekTenth(_)
            | Ask::Complete { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::input::ClearFault;

    #[test]
    fn a_run_stored_in_parts_is_joined() {
        let mut engine = Engine::new(Genesis::default());
        engine.apply(Input::ClearFault(ClearFault { id: "none".to_owned() }));
        engine.apply(Input::ClearFault(ClearFault { id: "none".to_owned() }));
        let rest = json::of(&(2, engine.journal_without_inputs())).to_string();
        let inputs: Vec<String> = engine.entries().iter().map(|entry| share::pack(entry)).collect();
        assert_eq!(put_together(&rest, &inputs), Some(share::encode(&engine.journal())));
        assert_eq!(put_together("[]", &inputs), None);
    }
}
