//! Opens examples, files, folders, pasted texts and links.

use super::lesson;
use super::story::Narration;
use super::texts::Library;
use super::{Host, Shown, own_definition};
use planarium_messages::draft::Draft;
use planarium_messages::facts::Fact;
use planarium_messages::links::{BrokenLink, Differing};
use planarium_messages::questions::Wishes;
use planarium_protocol::Input;
use planarium_protocol::Text;
use planarium_protocol::input::{AddAgent, LoadService};
use planarium_scenario::{Scenario, share};
use planarium_world::{Difference, Engine, Genesis, Journal, presets};
use std::collections::BTreeMap;

/// Label of the way back to the world shown before.
const OPENED: &str = "Opened something else";

impl Host {
    /// An example of the gallery.
    pub(crate) fn open_example(&mut self, id: &str) -> Vec<Fact> {
        let Some(texts) = self.library.example(id) else {
            return vec![Fact::Refused(format!("There is no example named {id}.").into())];
        };
        match scenario_of_example(&self.library, id) {
            Some(scenario) => self.open_scenario(scenario, Some(id), &texts.teaches),
            None => vec![Fact::Refused(format!("The example {id} cannot be read.").into())],
        }
    }

    fn open_scenario(&mut self, scenario: Scenario, example: Option<&str>, about: &str) -> Vec<Fact> {
        let scenario = as_wished(&self.wishes, scenario);
        let drafts = drafts_of(&scenario);
        let narration = Narration::of(&scenario, example, about);
        let preset = preset_of(&scenario);
        match self.show(scenario, narration, Some(OPENED)) {
            Ok(()) => self.opened(drafts, preset),
            Err(reason) => vec![Fact::Refused(reason.into())],
        }
    }

    pub(crate) fn opened(&mut self, drafts: Vec<Draft>, preset: Option<Text>) -> Vec<Fact> {
        let story = self.shown.narration.told();
        self.shown.narration.tell_again();
        vec![self.moved(), Fact::Opened { drafts, story, preset }]
    }

    /// Opens a pasted definition as another service.
    pub(crate) fn text_beside(&mut self, text: &str) -> Vec<Fact> {
        if text.trim().is_empty() {
            return vec![Fact::Refused("There is nothing to open.".into())];
        }
        self.open_beside(&[(self.names.file_name(text), text.to_owned())])
    }

    /// Opens another service on the same machines: from the start if nothing has run yet, otherwise from the moment
    /// shown.
    pub(crate) fn open_beside(&mut self, files: &[(String, String)]) -> Vec<Fact> {
        let files = without_common_folder(files);
        if files.is_empty() || files.iter().any(|(name, text)| is_scenario(name) || looks_like_journal(text))
        {
            let text =
                "Only a definition can be put beside another one; a scenario or a run is a world of its own.";
            return vec![Fact::Refused(text.into())];
        }
        let dialect = planarium_world::detect_dialect(&files).to_owned();
        let mut draft = Draft::of(&LoadService { dialect, files, ..LoadService::default() });
        let (load, _) = draft.load();
        let report = planarium_world::check(&load);
        draft.label = report.name.to_string().into();
        let taken = self.editor.place_of(report.dialect, &report.name).is_some();
        if report.has_errors() || taken {
            // The editor keeps the draft until its missing files are added.
            draft.revision += 1;
            draft.typed = true;
            let mut facts = vec![Fact::Beside(Box::new(draft))];
            if taken && !report.has_errors() {
                let text =
                    format!("There is a service named {} already: give this one another name.", report.name);
                facts.push(Fact::Refused(text.into()));
            }
            return facts;
        }
        if self.touched {
            let mut facts = vec![Fact::Beside(Box::new(draft))];
            facts.extend(self.put_in(&Input::LoadService(load)));
            facts.push(Fact::RolledOut);
            return facts;
        }
        let mut scenario = self.shown.scenario.clone();
        scenario.services.push(load);
        self.shown.narration.edited();
        let mut facts = vec![Fact::Beside(Box::new(draft))];
        facts.extend(self.rebuild(scenario, "A new world with another service."));
        facts
    }

    /// Opens dropped or chosen files: a scenario, a journal, or a definition with its files.
    pub(crate) fn open_files(&mut self, files: &[(String, String)]) -> Vec<Fact> {
        let files: BTreeMap<String, String> = without_common_folder(files);
        if let Some((name, text)) = files.iter().find(|(name, _)| is_scenario(name)) {
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let lookup = |path: &str| {
                let beside = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
                files.get(&beside).or_else(|| files.get(path)).cloned()
            };
            return self.open_scenario_text(name, text, &lookup);
        }
        if let [(_, text)] = files.iter().collect::<Vec<_>>().as_slice()
            && looks_like_journal(text)
        {
            return self.open_text(text);
        }
        if files.is_empty() {
            return vec![Fact::Refused("There is no definition in what was opened.".into())];
        }
        self.open_definition(files)
    }

    fn open_scenario_text(
        &mut self,
        name: &str,
        text: &str,
        lookup: &planarium_scenario::Files<'_>,
    ) -> Vec<Fact> {
        let parsed = planarium_scenario::parse(text, name, lookup);
        let first = parsed.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        match (parsed.scenario, first) {
            (Some(scenario), None) => self.open_scenario(scenario, None, ""),
            (_, Some(error)) => {
                let at = parsed.sources.position(error.span);
                let text = format!("{name}:{}:{}: {}", at.line, at.column, error.message);
                vec![Fact::Refused(text.into())]
            }
            (None, None) => vec![Fact::Refused(format!("{name} is not a scenario.").into())],
        }
    }

    /// Opens a definition on a large cluster. An invalid one still goes into the editor.
    fn open_definition(&mut self, files: BTreeMap<String, String>) -> Vec<Fact> {
        let wished = self.wishes.dialect.clone();
        let dialect = wished.unwrap_or_else(|| planarium_world::detect_dialect(&files).to_owned());
        let load = LoadService { dialect, files, ..LoadService::default() };
        let draft = Draft::of(&load);
        let (load, _) = draft.load();
        let cluster = presets::cluster("default").unwrap_or_default();
        let scenario = as_wished(
            &self.wishes,
            own_definition::of(Scenario::of_definition(load, cluster, Genesis::default())),
        );
        let preset = preset_of(&scenario);
        let narration = Narration::of(&scenario, None, "");
        if self.show(scenario.clone(), narration, Some(OPENED)).is_ok() {
            return self.opened(vec![draft], preset);
        }
        // The machines start without the service; the findings say what is wrong.
        let empty = Scenario { services: Vec::new(), ..scenario };
        let narration = Narration::of(&empty, None, "");
        match self.show(empty, narration, Some(OPENED)) {
            Ok(()) => {
                let mut draft = draft;
                draft.revision += 1;
                draft.typed = true;
                self.opened(vec![draft], preset)
            }
            Err(reason) => vec![Fact::Refused(reason.into())],
        }
    }

    /// A text of any kind we know.
    pub(crate) fn open_text(&mut self, text: &str) -> Vec<Fact> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return vec![Fact::Refused("There is nothing to open.".into())];
        }
        let one_line = !trimmed.contains('\n');
        let prefixes = [share::PREFIX, planarium_scenario::lesson::LESSON_PREFIX, "lesson="];
        let link = |prefix: &str| trimmed.starts_with(prefix) || trimmed.contains(&format!("#{prefix}"));
        if one_line && prefixes.into_iter().any(link) {
            return self.open_hash(trimmed);
        }
        if let Ok((rest, inputs)) =
            planarium_protocol::json::read::<(String, Vec<String>)>(trimmed.as_bytes())
            && let Some(run) = super::host::put_together(&rest, &inputs)
        {
            return self.open_hash(&run);
        }
        if looks_like_journal(trimmed)
            && let Ok(journal) = planarium_protocol::json::read::<Journal>(trimmed.as_bytes())
        {
            return self.open_journal(&journal, trimmed);
        }
        if looks_like_scenario(trimmed) {
            return self.open_scenario_text("pasted text", text, &|_| None);
        }
        self.open_definition(planarium_kernel::sorted::tree([(self.names.file_name(text), text.to_owned())]))
    }

    /// Opens a link, or the part of one after `#`.
    pub(crate) fn open_hash(&mut self, hash: &str) -> Vec<Fact> {
        if let Some(facts) = lesson::open_lesson_link(self, hash) {
            return facts;
        }
        match share::decode(hash) {
            Ok(journal) => self.open_journal(&journal, hash),
            Err(error) => vec![broken(hash, &error.to_string())],
        }
    }

    fn open_journal(&mut self, journal: &Journal, raw: &str) -> Vec<Fact> {
        let (engine, difference) = match Engine::open(journal) {
            Ok(opened) => opened,
            Err(error) => return vec![broken(raw, &error.to_string())],
        };
        let scenario = scenario_of(journal);
        let drafts = drafts_of(&scenario);
        let (preset, narration) = (preset_of(&scenario), Narration::of(&scenario, None, ""));
        let mut shown = Shown::new(engine, None, scenario, narration);
        shown.by_hand = true;
        self.leave_for(shown, OPENED);
        self.go_to_moment(raw);
        let mut facts = self.opened(drafts, preset);
        facts.extend(difference.map(|difference| differing(journal, &difference)));
        facts
    }

    /// Opens an example with the run of a link, and continues its script at the link's moment.
    pub(crate) fn resume_example(&mut self, id: &str, hash: &str) -> Option<Vec<Fact>> {
        let mut journal = share::decode(hash).ok()?;
        let mut facts = self.open_example(id);
        self.seen.branch = self.shown.player.as_ref().map(|(_, branch)| *branch)?;
        self.move_to(journal.end_ms);
        let mut now = self.shown.engine.journal();
        let semantics = (journal.semantics != now.semantics)
            .then_some(Difference::Semantics { recorded: journal.semantics, found: now.semantics });
        let recorded = journal.clone();
        if semantics.is_some() {
            // Digests of another version cannot be compared: compare the inputs only.
            now.semantics = journal.semantics;
            now.entries.iter_mut().chain(&mut journal.entries).for_each(|entry| entry.digest = None);
        }
        if now != journal {
            return None;
        }
        self.go_to_moment(hash);
        facts.retain(|fact| !matches!(fact, Fact::Moved(_)));
        facts.insert(0, self.moved());
        self.shown.narration.tell_again();
        facts.extend(self.story());
        facts.extend(semantics.map(|difference| differing(&recorded, &difference)));
        Some(facts)
    }
}

/// Returns a scenario with the settings of the document around the page.
fn as_wished(wishes: &Wishes, mut scenario: Scenario) -> Scenario {
    if let Some(seed) = wishes.seed {
        scenario.genesis.seed = seed;
    }
    if let Some(cluster) = wishes.cluster.as_deref().and_then(presets::cluster) {
        scenario.cluster = cluster;
    }
    if let Some(nodes) = wishes.nodes {
        let like = scenario.cluster.first().cloned().or_else(|| presets::cluster("1")?.pop());
        let like = like.unwrap_or_default();
        scenario.cluster = vec![AddAgent { count: Some(nodes), hostname: None, ip: None, ..like }];
    }
    scenario
}

/// The scenario of an example.
pub(crate) fn scenario_of_example(library: &Library, id: &str) -> Option<Scenario> {
    let example = library.example(id)?;
    planarium_scenario::parse(&example.scenario, "scenario", &|path| example.files.get(path).cloned())
        .scenario
}

/// Returns the scenario of a journal's world: its inputs at the start.
pub(crate) fn scenario_of(journal: &Journal) -> Scenario {
    let mut scenario = Scenario::of_definition(LoadService::default(), Vec::new(), journal.genesis);
    scenario.services.clear();
    for entry in journal.entries.iter().take_while(|entry| entry.at_ms == 0) {
        match &entry.input {
            Input::AddAgent(add) => scenario.cluster.push(add.clone()),
            Input::ProcessBehaviour(rule) => scenario.processes.push(rule.clone()),
            Input::LoadService(load) => scenario.services.push(load.clone()),
            _ => break,
        }
    }
    scenario
}

/// Returns the drafts of a scenario's services.
pub(crate) fn drafts_of(scenario: &Scenario) -> Vec<Draft> {
    let several = scenario.services.len() > 1;
    let named = |load: &LoadService| {
        let mut draft = Draft::of(load);
        if several && draft.label.is_empty() {
            draft.label = planarium_world::check(load).name.to_string().into();
        }
        draft
    };
    scenario.services.iter().map(named).collect()
}

pub(crate) fn preset_of(scenario: &Scenario) -> Option<Text> {
    let same = |name: &str| presets::cluster(name).is_some_and(|cluster| cluster == scenario.cluster);
    presets::PRESETS.iter().find(|preset| same(preset.name)).map(|preset| preset.name.into())
}

pub(crate) fn differing(journal: &Journal, difference: &Difference) -> Fact {
    let recorded = String::from_utf8(planarium_protocol::json::text(journal)).unwrap_or_default();
    Fact::Differing(Differing { text: difference.to_string().into(), recorded: recorded.into() })
}

pub(crate) fn broken(raw: &str, reason: &str) -> Fact {
    Fact::Broken(BrokenLink { raw: raw.to_owned().into(), reason: reason.to_owned().into() })
}

pub(crate) fn is_scenario(name: &str) -> bool {
    name.ends_with(".planarium.yaml") || name.ends_with(".planarium.yml")
}

pub(crate) fn looks_like_scenario(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("services:") || line.starts_with("script:"))
}

pub(crate) fn looks_like_journal(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\"entries\"") && text.contains("\"genesis\"")
}

pub(crate) fn without_common_folder(files: &[(String, String)]) -> BTreeMap<String, String> {
    let folder = files.first().and_then(|(path, _)| path.split_once('/')).map(|(folder, _)| folder);
    let common = folder.filter(|folder| {
        files.iter().all(|(path, _)| path.strip_prefix(*folder).is_some_and(|rest| rest.starts_with('/')))
    });
    let cut = common.map_or(0, |folder| folder.len() + 1);
    let short = |(path, text): &(String, String)| (path.get(cut..).unwrap_or(path).to_owned(), text.clone());
    planarium_kernel::sorted::tree(files.iter().map(short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_folder_loses_its_own_name() {
        let file = |path: &str| (path.to_owned(), String::new());
        for (paths, want) in [
            (vec!["pkg/config.json", "pkg/dist/svc.yml"], vec!["config.json", "dist/svc.yml"]),
            (vec!["svc.yml"], vec!["svc.yml"]),
            (vec!["a/x.yml", "b/y.yml"], vec!["a/x.yml", "b/y.yml"]),
        ] {
            let files: Vec<_> = paths.into_iter().map(file).collect();
            assert_eq!(without_common_folder(&files).into_keys().collect::<Vec<_>>(), want);
        }
    }
}
