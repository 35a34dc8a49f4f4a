//! The systems and layers that a question may need, so that their code can be fetched before it is answered.
//!
//! *Knows*: where a question holds definitions, runs and inputs. *Must not know*: what is fetched, and how.
//!
//! Too many words cost time only; a missing one would change the answer. A question that may need anything names everything.

use super::Host;
use super::completion::chosen;
use super::open::{
    is_scenario, looks_like_journal, looks_like_scenario, scenario_of_example, without_common_folder,
};
use super::{lesson, tab};
use planarium_messages::draft::Draft;
use planarium_messages::lessons::LessonAsk;
use planarium_messages::questions::{Ask, Begin, Call, Question};
use planarium_protocol::input::LoadService;
use planarium_protocol::json;
use planarium_rest::console::system_of;
use planarium_scenario::lesson::{Lesson, Route};
use planarium_scenario::{Action, Scenario, share};
use planarium_world::{Journal, Needs};
use std::collections::BTreeMap;

/// Fetches the code of systems and layers by their words.
///
/// *Errors*: a sentence for the page; a later call tries again.
pub async fn fetch(words: &[&'static str]) -> Result<(), String> {
    for word in words {
        if planarium_world::fetch(word).await.is_err() {
            let title = planarium_world::dialects().iter().find(|dialect| dialect.word == *word);
            let title = title.map_or(*word, |dialect| dialect.title);
            return Err(format!(
                "The engine's part for {title} could not be loaded. Try again when the connection is back."
            ));
        }
    }
    Ok(())
}

/// Returns the words of systems and layers whose code a question may need and that is not there yet. After they have been fetched
/// there may be others.
pub fn absent_for(host: &Host, question: &Question) -> Vec<&'static str> {
    let mut needs = Needs::default();
    if let Some(change) = &question.editor {
        let drafts = change.drafts.iter().flat_map(|drafts| drafts.iter()).chain(change.draft.as_deref());
        drafts.for_each(|draft| add_draft(draft, &mut needs));
    }
    Wants { host }.add_needs(&question.ask, &mut needs);
    needs.absent()
}

/// The needs of questions to one host.
#[derive(Clone, Copy)]
struct Wants<'h> {
    host: &'h Host,
}

impl Wants<'_> {
    fn add_needs(self, ask: &Ask, needs: &mut Needs) {
        match ask {
            Ask::Begin(begin) => self.add_begin(begin, needs),
            Ask::Resume(resume) if resume.again => needs.everything(),
            Ask::Resume(resume) => {
                tab::add_needs(&resume.tab, &self.host.language, needs);
                self.add_hash(&resume.hash, needs);
            }
            Ask::OpenHash(hash) => self.add_hash(hash, needs),
            Ask::OpenPlace(example, hash) => {
                add_example(example.as_deref(), needs);
                self.add_hash(hash, needs);
            }
            Ask::OpenExample(id) => add_example(Some(id), needs),
            Ask::OpenFiles(files, _) => self.add_files(without_common_folder(files), needs),
            Ask::OpenText(text, _) => self.add_text(text, needs),
            // They read the draft, whatever is in it.
            Ask::Changes | Ask::Recipes | Ask::TryRecipe(_) | Ask::RollOut => {
                needs.definition(&self.host.editor.draft.load().0);
                self.add_drafts(needs);
            }
            Ask::Check | Ask::Apply | Ask::Compare(_) | Ask::DropService(_) | Ask::Removed { .. } => {
                self.add_drafts(needs);
            }
            Ask::Undo | Ask::Redo => {
                for state in self.host.trail.states() {
                    tab::add_needs(state, &self.host.language, needs);
                }
            }
            Ask::Do(input) | Ask::Outcome(input, _) | Ask::Call(Call::Input(input)) => needs.input(input),
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
            | Ask::Reset
            | Ask::SetSeed(_)
            | Ask::SetPreset(_)
            | Ask::Branch(_)
            | Ask::SeekMachines
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

    fn add_begin(self, begin: &Begin, needs: &mut Needs) {
        let language = begin.language.as_deref().unwrap_or(&self.host.language);
        let is_kept = begin.tab.as_ref().is_some_and(|tab| tab::add_needs(tab, language, needs));
        if let Some((rest, inputs)) = &begin.recover {
            self.add_recovered(rest, inputs, needs);
        }
        if let Some(id) = &begin.lesson {
            self.add_lesson_of_course(id, needs);
        }
        self.add_hash(&begin.hash, needs);
        let first = planarium_gallery::examples().first().map(|example| example.id);
        let known = begin.example.as_deref().filter(|id| planarium_gallery::find(id).is_some());
        if !is_kept && begin.hash.len() < 2 || known.is_some() {
            add_example(known.or(first), needs);
        }
    }

    /// The part of a link after `#`.
    fn add_hash(self, hash: &str, needs: &mut Needs) {
        if let Some(lesson) = lesson::lesson_of_link(hash, &self.host.language) {
            add_lesson(&lesson, needs);
        } else if let Ok(journal) = share::decode(hash) {
            add_journal(&journal, needs);
        }
        // The try in a link to a lesson.
        if let Some(journal) = hash.split('&').find_map(|part| share::decode(part.strip_prefix("run=")?).ok())
        {
            add_journal(&journal, needs);
        }
    }

    fn add_files(self, files: BTreeMap<String, String>, needs: &mut Needs) {
        if let Some((name, text)) = files.iter().find(|(name, _)| is_scenario(name)) {
            // Paths are looked up beside the scenario, or from the top.
            let lookup = |path: &str| {
                let found =
                    files.iter().find(|(own, _)| own.as_str() == path || own.ends_with(&format!("/{path}")));
                found.map(|(_, text)| text.clone())
            };
            add_scenario_text(text, name, &lookup, needs);
            return;
        }
        if let Some(text) = files.values().next().filter(|text| files.len() == 1 && looks_like_journal(text))
        {
            self.add_text(text, needs);
            return;
        }
        let dialect = self.host.wishes.dialect.clone().unwrap_or_default();
        needs.definition(&LoadService { dialect, files, ..LoadService::default() });
    }

    fn add_text(self, text: &str, needs: &mut Needs) {
        let text = text.trim();
        self.add_hash(text, needs);
        if let Ok((rest, inputs)) = json::read::<(String, Vec<String>)>(text.as_bytes()) {
            self.add_recovered(&rest, &inputs, needs);
        } else if looks_like_journal(text)
            && let Ok(journal) = json::read::<Journal>(text.as_bytes())
        {
            add_journal(&journal, needs);
        } else if looks_like_scenario(text) {
            add_scenario_text(text, "pasted text", &|_| None, needs);
        } else {
            // Under each name that it may be given: its dialect may depend on that.
            let named = |name: &str| BTreeMap::from([(name.to_owned(), text.to_owned())]);
            let dialect = planarium_world::detect_dialect(&named(""));
            needs.system(dialect);
            for names in self.host.names.0.iter().filter(|names| names.dialect == dialect) {
                for name in names.main.iter().chain([&names.json]) {
                    self.add_files(named(name), needs);
                }
            }
        }
    }

    fn add_recovered(self, rest: &str, inputs: &[String], needs: &mut Needs) {
        if let Some(run) = super::host::put_together(rest, inputs) {
            self.add_hash(&run, needs);
        }
    }

    fn add_line(self, line: &str, picked: Option<&str>, needs: &mut Needs) {
        let view = self.host.shown.engine.view();
        let service = chosen(&view, picked);
        let (dialect, name) = service.map_or(("", ""), |service| (&*service.dialect, &*service.name));
        match system_of(line, dialect, name) {
            Some(word) => needs.system(word),
            None => needs.everything(),
        }
        // The line of one system may name objects of another one.
        for dialect in planarium_world::dialects() {
            if dialect.objects.iter().any(|word| line.contains(word)) {
                needs.system(dialect.word);
            }
        }
    }

    fn add_drafts(self, needs: &mut Needs) {
        self.host.editor.all().iter().for_each(|draft| add_draft(draft, needs));
    }

    fn add_lesson(self, ask: &LessonAsk, needs: &mut Needs) {
        match ask {
            LessonAsk::Open(id) => self.add_lesson_of_course(id, needs),
            LessonAsk::Results(_) | LessonAsk::Earlier(_) | LessonAsk::Make(_) => needs.everything(),
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

    fn add_lesson_of_course(self, id: &str, needs: &mut Needs) {
        if let Some((lesson, _)) = lesson::of_course(id, &self.host.language) {
            add_lesson(&lesson, needs);
        }
    }
}

/// A draft without text is not read.
fn add_draft(draft: &Draft, needs: &mut Needs) {
    if !draft.files.is_empty() {
        needs.definition(&draft.load().0);
    }
}

fn add_example(id: Option<&str>, needs: &mut Needs) {
    if let Some(scenario) = id.and_then(scenario_of_example) {
        add_scenario(&scenario, needs);
    }
}

pub(crate) fn add_scenario(scenario: &Scenario, needs: &mut Needs) {
    needs.genesis(&scenario.genesis);
    scenario.set_up().iter().chain(&scenario.solution).for_each(|input| needs.input(input));
    add_route(&scenario.script, needs);
}

fn add_scenario_text(text: &str, name: &str, lookup: &planarium_scenario::Files<'_>, needs: &mut Needs) {
    if let Some(scenario) = planarium_scenario::parse(text, name, lookup).scenario {
        add_scenario(&scenario, needs);
    }
}

pub(crate) fn add_journal(journal: &Journal, needs: &mut Needs) {
    needs.genesis(&journal.genesis);
    journal.entries.iter().for_each(|entry| needs.input(&entry.input));
}

pub(crate) fn add_lesson(lesson: &Lesson, needs: &mut Needs) {
    add_scenario(&lesson.scenario, needs);
    let naive = lesson.naive.iter().map(|naive| &naive.play);
    lesson.also.iter().chain([&lesson.solution]).chain(naive).for_each(|route| add_route(route, needs));
}

fn add_route(route: &Route, needs: &mut Needs) {
    for action in route.iter().flat_map(|entry| &entry.actions) {
        if let Action::Do(input) = action {
            needs.input(input);
        }
    }
}
