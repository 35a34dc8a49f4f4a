//! The code of systems and layers and the texts of examples and lessons that a question may need, so that they can be fetched before it is
//! answered.
//!
//! *Knows*: where a question holds definitions, runs, inputs and names. *Must not know*: what is fetched, and how.
//!
//! Too much costs time only; what is missing would change the answer. A question that may need anything names everything.

use super::Host;
use super::completion::chosen;
use super::lesson::Named;
use super::open::{
    is_scenario, looks_like_journal, looks_like_scenario, scenario_of_example, without_common_folder,
};
use super::texts::Library;
use super::{lesson, tab};
use planarium_gallery::TextFile;
use planarium_messages::draft::Draft;
use planarium_messages::lessons::LessonAsk;
use planarium_messages::questions::{Ask, Begin, Call, Question};
use planarium_protocol::input::LoadService;
use planarium_protocol::json;
use planarium_rest::console::system_of;
use planarium_scenario::lesson::{Lesson, Route};
use planarium_scenario::{Action, Scenario, share};
use planarium_world::{Journal, Needs};
use std::collections::{BTreeMap, BTreeSet};
use std::task::Poll;

/// Code and texts that a question needs and that are not there yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Absent {
    /// Words of systems and layers without their code.
    pub code: Vec<&'static str>,
    /// Files of texts.
    pub texts: Vec<TextFile<'static>>,
}

impl Absent {
    /// Returns whether everything is there.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty() && self.texts.is_empty()
    }
}

/// Fetches the code of systems and layers by their words, all at the same time.
///
/// *Errors*: a sentence for the page; a later call tries again.
pub async fn fetch(words: &[&'static str]) -> Result<(), String> {
    let mut coming: Vec<_> =
        words.iter().map(|word| (*word, Box::pin(planarium_world::fetch(word)))).collect();
    let mut failed = None;
    std::future::poll_fn(|context| {
        coming.retain_mut(|(word, fetched)| match fetched.as_mut().poll(context) {
            Poll::Pending => true,
            Poll::Ready(outcome) => {
                failed = failed.or(outcome.is_err().then_some(*word));
                false
            }
        });
        if coming.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    let Some(word) = failed else { return Ok(()) };
    let title = planarium_world::dialects().iter().find(|dialect| dialect.word == word);
    let title = title.map_or(word, |dialect| dialect.title);
    Err(format!("The engine's part for {title} could not be loaded. {AGAIN}"))
}

const AGAIN: &str = "Try again when the connection is back.";

/// Returns a sentence for the page about a file of texts that did not come.
pub fn not_loaded(file: TextFile<'_>) -> String {
    match file {
        TextFile::All => format!("The examples and lessons could not be loaded. {AGAIN}"),
        TextFile::Example(id) => format!("The example {id} could not be loaded. {AGAIN}"),
        TextFile::Lesson(id, language) => {
            let head = planarium_gallery::lesson_head(id).and_then(|head| head.title_in(language));
            let title = head.map_or(id, |(_, title)| title);
            format!("The lesson “{title}” could not be loaded. {AGAIN}")
        }
    }
}

/// Returns whether something was absent when an answer needed it, so that the answer may be wrong.
pub fn was_absent(host: &Host) -> bool {
    planarium_world::code_was_absent() || host.library.was_absent()
}

/// Returns what a question may need and what is not there yet. After it has been fetched there may be more.
pub fn absent_for(host: &Host, question: &Question) -> Absent {
    let mut needs = Wanted::new(host, &question.ask);
    if let Some(change) = &question.editor {
        let drafts = change.drafts.iter().flat_map(|drafts| drafts.iter()).chain(change.draft.as_deref());
        drafts.for_each(|draft| needs.draft(draft));
        // The edited definition may be shown at once, in a world like that of now, or in the one that begins.
        if !matches!(question.ask, Ask::Begin(_) | Ask::Resume(_)) {
            needs.scenario(&host.shown.scenario);
        }
    }
    Wants { host }.add_needs(&question.ask, &mut needs);
    Absent { code: needs.code.absent(), texts: needs.texts.into_iter().collect() }
}

/// The needs that were found.
pub(crate) struct Wanted<'h> {
    library: &'h Library,
    /// Language of the texts of lessons.
    language: &'h str,
    pub(crate) code: Needs,
    /// Files that are absent.
    texts: BTreeSet<TextFile<'static>>,
}

impl<'h> Wanted<'h> {
    fn new(host: &'h Host, ask: &'h Ask) -> Self {
        let language = match ask {
            Ask::Begin(begin) => begin.language.as_deref(),
            _ => None,
        };
        let language = language.unwrap_or(&host.language);
        Self { library: &host.library, language, code: Needs::default(), texts: BTreeSet::new() }
    }

    /// Adds everything that there is.
    fn everything(&mut self) {
        self.code.everything();
        if !self.library.has_all() {
            self.texts.insert(TextFile::All);
        }
    }

    /// Adds an example; an unknown one adds nothing.
    pub(crate) fn example(&mut self, id: &str) {
        if let Some(file) = self.library.absent_example(id) {
            self.texts.insert(file);
            // Its code can come at the same time.
            let head = planarium_gallery::example_head(id);
            head.iter().flat_map(|head| head.systems()).for_each(|system| self.code.system(system));
        } else if let Some(scenario) = scenario_of_example(self.library, id) {
            self.scenario(&scenario);
        }
    }

    /// Adds a lesson.
    pub(crate) fn named(&mut self, named: &Named) {
        match named {
            Named::Course(id) => self.course(id),
            Named::Own(lesson) => self.lesson(lesson),
        }
    }

    /// Adds a lesson of the course; an unknown one adds nothing.
    fn course(&mut self, id: &str) {
        if let Some(file) = self.library.absent_lesson(id, self.language) {
            self.texts.insert(file);
        } else if let Some((lesson, _)) = lesson::of_course(self.library, id, self.language) {
            self.lesson(&lesson);
        }
    }

    fn lesson(&mut self, lesson: &Lesson) {
        self.scenario(&lesson.scenario);
        let naive = lesson.naive.iter().map(|naive| &naive.play);
        lesson.also.iter().chain([&lesson.solution]).chain(naive).for_each(|route| self.route(route));
    }

    fn scenario(&mut self, scenario: &Scenario) {
        self.code.genesis(&scenario.genesis);
        scenario.set_up().iter().chain(&scenario.solution).for_each(|input| self.code.input(input));
        self.route(&scenario.script);
    }

    fn scenario_text(&mut self, text: &str, name: &str, lookup: &planarium_scenario::Files<'_>) {
        if let Some(scenario) = planarium_scenario::parse(text, name, lookup).scenario {
            self.scenario(&scenario);
        }
    }

    /// Adds a run.
    pub(crate) fn journal(&mut self, journal: &Journal) {
        self.code.genesis(&journal.genesis);
        journal.entries.iter().for_each(|entry| self.code.input(&entry.input));
    }

    /// Adds the first world of a page.
    fn begin(&mut self, begin: &Begin) {
        let is_kept = begin.tab.as_ref().is_some_and(|tab| tab::add_needs(tab, self));
        if let Some((rest, inputs)) = &begin.recover {
            self.recovered(rest, inputs);
        }
        if let Some(id) = &begin.lesson {
            self.course(id);
        }
        self.link(&begin.hash);
        let is_lesson =
            begin.lesson.as_deref().is_some_and(|id| planarium_gallery::lesson_head(id).is_some());
        let is_elsewhere = is_kept || is_lesson;
        if !is_elsewhere || begin.example.is_some() {
            self.place(begin.example.as_deref(), &begin.hash);
        }
    }

    /// Adds the example of an address, or the first one where the address names nothing. A run beside an unknown example is shown alone.
    fn place(&mut self, example: Option<&str>, hash: &str) {
        let first = planarium_gallery::example_heads().first().map(|example| example.id);
        let known = example.filter(|id| planarium_gallery::example_head(id).is_some());
        if let Some(id) = known.or(first).filter(|_| known.is_some() || hash.len() < 2) {
            self.example(id);
        }
    }

    /// Adds what the part of a link after `#` names.
    fn link(&mut self, hash: &str) {
        if let Some(named) = lesson::lesson_of_link(hash) {
            self.named(&named);
        } else if let Ok(journal) = share::decode(hash) {
            self.journal(&journal);
        }
        // The try in a link to a lesson.
        if let Some(journal) = hash.split('&').find_map(|part| share::decode(part.strip_prefix("run=")?).ok())
        {
            self.journal(&journal);
        }
    }

    /// Adds a run that was stored in parts.
    fn recovered(&mut self, rest: &str, inputs: &[String]) {
        if let Some(run) = super::host::put_together(rest, inputs) {
            self.link(&run);
        }
    }

    fn route(&mut self, route: &Route) {
        for action in route.iter().flat_map(|entry| &entry.actions) {
            if let Action::Do(input) = action {
                self.code.input(input);
            }
        }
    }

    /// Adds a definition in the editor; one without text is not read.
    fn draft(&mut self, draft: &Draft) {
        if !draft.files.is_empty() {
            self.code.definition(&draft.load().0);
        }
    }
}

/// The needs of questions to one host.
#[derive(Clone, Copy)]
struct Wants<'h> {
    host: &'h Host,
}

impl Wants<'_> {
    fn add_needs(self, ask: &Ask, needs: &mut Wanted<'_>) {
        match ask {
            Ask::Begin(begin) => needs.begin(begin),
            Ask::Resume(resume) if resume.again => needs.everything(),
            Ask::Resume(resume) => {
                if !tab::add_needs(&resume.tab, needs) {
                    needs.place(None, &resume.hash);
                }
                needs.link(&resume.hash);
            }
            Ask::OpenHash(hash) => needs.link(hash),
            Ask::OpenPlace(example, hash) => {
                needs.place(example.as_deref(), hash);
                needs.link(hash);
                self.add_left(needs);
            }
            Ask::OpenExample(id) => needs.example(id),
            Ask::OpenFiles(files, beside) => {
                self.add_files(without_common_folder(files), needs);
                self.add_world_again(*beside, needs);
            }
            Ask::OpenText(text, beside) => {
                self.add_text(text, needs);
                self.add_world_again(*beside, needs);
            }
            // They read the draft, whatever is in it.
            Ask::Changes | Ask::Recipes | Ask::TryRecipe(_) | Ask::RollOut => {
                needs.code.definition(&self.host.editor.draft.load().0);
                self.add_drafts(needs);
            }
            Ask::Check | Ask::Removed { .. } => self.add_drafts(needs),
            Ask::Apply | Ask::Compare(_) | Ask::DropService(_) => {
                self.add_drafts(needs);
                self.add_world_again(true, needs);
            }
            // They begin the world shown again. It may never have begun, as behind a link that cannot be read.
            Ask::Reset | Ask::SetSeed(_) | Ask::SetPreset(_) | Ask::SeekMachines => {
                self.add_world_again(true, needs);
            }
            Ask::Undo | Ask::Redo => self.add_left(needs),
            Ask::Do(input) | Ask::Outcome(input, _) | Ask::Call(Call::Input(input)) => {
                needs.code.input(input);
            }
            Ask::Run { line, service } | Ask::Complete { line, service } => {
                self.add_line(line, service.as_deref(), needs);
            }
            Ask::Lesson(ask) => self.add_lesson(ask, needs),
            Ask::Look
            | Ask::Frame(_)
            | Ask::Ahead(_)
            | Ask::Play
            | Ask::StepEvent(_)
            | Ask::StepStatus(_)
            | Ask::StepMark(_)
            | Ask::SeekMs(_)
            | Ask::SeekSeq(_)
            | Ask::SeekTenth(_)
            | Ask::Branch(_)
            | Ask::TryHelp
            | Ask::Link(_)
            | Ask::WriteAddress
            | Ask::SaveAs(_)
            | Ask::Call(_)
            | Ask::Demo(_)
            | Ask::Finish
            | Ask::Rendered { .. }
            | Ask::Objects
            | Ask::Object(_) => {}
        }
    }

    /// The world shown, where it is begun again.
    fn add_world_again(self, is_begun: bool, needs: &mut Wanted<'_>) {
        if is_begun {
            needs.scenario(&self.host.shown.scenario);
        }
    }

    /// The worlds that were left and are replayed when they are shown again.
    fn add_left(self, needs: &mut Wanted<'_>) {
        for state in self.host.trail.states() {
            tab::add_needs(state, needs);
        }
    }

    fn add_files(self, files: BTreeMap<String, String>, needs: &mut Wanted<'_>) {
        if let Some((name, text)) = files.iter().find(|(name, _)| is_scenario(name)) {
            // Paths are looked up beside the scenario, or from the top.
            let lookup = |path: &str| {
                let found =
                    files.iter().find(|(own, _)| own.as_str() == path || own.ends_with(&format!("/{path}")));
                found.map(|(_, text)| text.clone())
            };
            needs.scenario_text(text, name, &lookup);
            return;
        }
        if let Some(text) = files.values().next().filter(|text| files.len() == 1 && looks_like_journal(text))
        {
            self.add_text(text, needs);
            return;
        }
        let dialect = self.host.wishes.dialect.clone().unwrap_or_default();
        needs.code.definition(&LoadService { dialect, files, ..LoadService::default() });
    }

    fn add_text(self, text: &str, needs: &mut Wanted<'_>) {
        let text = text.trim();
        needs.link(text);
        if let Ok((rest, inputs)) = json::read::<(String, Vec<String>)>(text.as_bytes()) {
            needs.recovered(&rest, &inputs);
        } else if looks_like_journal(text)
            && let Ok(journal) = json::read::<Journal>(text.as_bytes())
        {
            needs.journal(&journal);
        } else if looks_like_scenario(text) {
            needs.scenario_text(text, "pasted text", &|_| None);
        } else {
            // Under each name that it may be given: its dialect may depend on that.
            let named = |name: &str| BTreeMap::from([(name.to_owned(), text.to_owned())]);
            let dialect = planarium_world::detect_dialect(&named(""));
            needs.code.system(dialect);
            for names in self.host.names.0.iter().filter(|names| names.dialect == dialect) {
                for name in names.main.iter().chain([&names.json]) {
                    self.add_files(named(name), needs);
                }
            }
        }
    }

    fn add_line(self, line: &str, picked: Option<&str>, needs: &mut Wanted<'_>) {
        let view = self.host.shown.engine.view();
        let service = chosen(&view, picked);
        let (dialect, name) = service.map_or(("", ""), |service| (&*service.dialect, &*service.name));
        match system_of(line, dialect, name) {
            Some(word) => needs.code.system(word),
            None => needs.code.everything(),
        }
        // The line of one system may name objects of another one.
        for dialect in planarium_world::dialects() {
            if dialect.objects.iter().any(|word| line.contains(word)) {
                needs.code.system(dialect.word);
            }
        }
    }

    fn add_drafts(self, needs: &mut Wanted<'_>) {
        self.host.editor.all().iter().for_each(|draft| needs.draft(draft));
    }

    fn add_lesson(self, ask: &LessonAsk, needs: &mut Wanted<'_>) {
        match ask {
            LessonAsk::Open(id) => needs.course(id),
            LessonAsk::Results(text) => {
                needs.code.everything();
                for id in lesson::handed_in(text) {
                    needs.course(&id);
                }
            }
            LessonAsk::Earlier(_) | LessonAsk::Make(_) => needs.code.everything(),
            LessonAsk::Give(line) => self.add_line(line, None, needs),
            LessonAsk::Answer(..)
            | LessonAsk::Hint
            | LessonAsk::GoBack
            | LessonAsk::Solution
            | LessonAsk::Leave
            | LessonAsk::Suggest
            | LessonAsk::HandIn(_) => {}
        }
    }
}
