//! Reads a scenario's text, with a positioned finding for everything that cannot be read.
//!
//! Knows: the keys of a scenario file. Must not know: how a scenario is played.
//!
//! Format, version 1: `version`, `title`, `seed`, `epoch`, `master`, `cluster`, `services`, `processes`, `script`, `until`, `limit`, `goal`,
//! `hint`, `solution`, `lesson`. Times are `500ms`, `10s`, `1m30s`, `2h`; a bare number is milliseconds.

mod cluster;
pub(crate) mod fields;
pub(crate) mod script;
mod service;

use crate::codes;
use crate::lesson::{self, Lesson};
use crate::model::{DEFAULT_LIMIT_MS, Scenario};
use fields::Fields;
use planarium_kernel::civil::Date;
use planarium_protocol::input::ProcessBehaviour;
use planarium_source::yaml::{Node, Reader};
use planarium_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use planarium_world::Genesis;

/// Returns the text of a file named by a scenario, by its path relative to the scenario file.
pub type Files<'f> = dyn Fn(&str) -> Option<String> + 'f;

/// Result of reading a scenario.
#[derive(Clone, Debug)]
pub struct ParsedScenario {
    /// The scenario; `None` if there are errors.
    pub scenario: Option<Scenario>,
    /// The lesson, if the scenario has one; `None` if there are errors.
    pub lesson: Option<Box<Lesson>>,
    /// All findings, in order of position.
    pub diagnostics: Vec<Diagnostic>,
    /// The source texts of the findings.
    pub sources: SourceMap,
}

/// Reads a scenario. `name` is the file's name in findings.
pub fn parse(text: &str, name: &str, files: &Files<'_>) -> ParsedScenario {
    let mut sources = SourceMap::new();
    let file = sources.add(name.to_owned(), text.to_owned());
    let mut found = Diagnostics::new();
    let root = Reader::new(text, file).one(&mut found).root;
    let read = match root {
        Some(root) => read(&root, &mut Context { found: &mut found, files, sources: &sources }),
        None => {
            found.push(
                Diagnostic::error(codes::SHAPE, start(file), "the scenario is empty").with_help(SHAPE_HELP),
            );
            None
        }
    };
    let (scenario, lesson) = read.filter(|_| !found.has_errors()).unzip();
    let lesson = lesson.flatten();
    ParsedScenario { scenario, lesson, diagnostics: found.into_sorted(), sources }
}

const SHAPE_HELP: &str = "a scenario is a mapping with at least `services:`; see examples/hello-world";

fn start(file: FileId) -> Span {
    Span { file, start: 0, end: 0 }
}

/// Context shared by all readers.
pub(crate) struct Context<'c> {
    pub(crate) found: &'c mut Diagnostics,
    pub(crate) files: &'c Files<'c>,
    pub(crate) sources: &'c SourceMap,
}

const KEYS: &[&str] = &[
    "version",
    "title",
    "seed",
    "epoch",
    "master",
    "cluster",
    "sharing",
    "services",
    "processes",
    "script",
    "until",
    "limit",
    "goal",
    "hint",
    "solution",
    "lesson",
];

fn read(root: &Node, cx: &mut Context<'_>) -> Option<(Scenario, Option<Box<Lesson>>)> {
    let mut fields = Fields::open(root, "a scenario", KEYS, cx)?;
    if let Some(version) = fields.take("version")
        && version.as_i64() != Some(1)
    {
        cx.found.push(
            Diagnostic::error(codes::VERSION, version.span, "this reader knows version 1 of scenario files")
                .with_help("write `version: 1`"),
        );
    }
    let default = Genesis::default();
    let seed = fields.whole("seed", cx).unwrap_or(default.seed);
    let epoch_ms = fields.take("epoch").and_then(|node| epoch(node, cx)).unwrap_or(default.epoch_ms);
    let flags = fields.take("master").map(|node| cluster::flags(node, cx)).unwrap_or_default();
    let cluster = match fields.take("cluster") {
        Some(node) => cluster::read(node, cx),
        None => planarium_world::presets::cluster("default").unwrap_or_default(),
    };
    let sharing =
        fields.take("sharing").and_then(|node| cluster::sharing(node, cx)).unwrap_or(default.sharing);
    let services: Vec<_> =
        fields.list("services", cx).iter().filter_map(|node| service::read(node, cx)).collect();
    let processes = fields.list("processes", cx).iter().filter_map(|node| process(node, cx)).collect();
    let script: Vec<_> =
        fields.list("script", cx).iter().filter_map(|node| script::entry(node, cx)).collect();
    let until =
        fields.take("until").and_then(|node| script::condition(node, cx)).map(|(condition, _)| condition);
    let goal =
        fields.take("goal").and_then(|node| script::condition(node, cx)).map(|(condition, _)| condition);
    let limit_ms = fields.take("limit").and_then(|node| fields::time(node, cx)).unwrap_or(DEFAULT_LIMIT_MS);
    let solution = fields.take("solution").map(|node| script::inputs(node, cx)).unwrap_or_default();
    let has_flags = flags.offer_timeout_ms.is_some() || flags.agent_removal_interval_ms.is_some();
    let mut scenario = Scenario {
        title: fields.text("title", cx).unwrap_or_default(),
        genesis: Genesis {
            seed,
            epoch_ms,
            offer_timeout_ms: flags.offer_timeout_ms,
            agent_removal_interval_ms: flags.agent_removal_interval_ms,
            mesos: has_flags || crate::model::needs_mesos(&services, &script),
            sharing,
        },
        cluster,
        services,
        processes,
        script,
        until,
        limit_ms,
        goal,
        hint: fields.text("hint", cx).unwrap_or_default(),
        solution,
    };
    let pinned = fields.take("seed").is_some();
    let lesson = fields.take("lesson").and_then(|node| lesson::read(node, &scenario, pinned, cx));
    let lesson = lesson.map(|mut lesson| {
        let played = [scenario.script.clone(), lesson::all_inputs(&lesson)].concat();
        scenario.genesis.mesos = has_flags || crate::model::needs_mesos(&scenario.services, &played);
        lesson.scenario = scenario.clone();
        Box::new(lesson)
    });
    Some((scenario, lesson))
}

fn process(node: &Node, cx: &mut Context<'_>) -> Option<ProcessBehaviour> {
    fields::typed(node, "a behaviour rule", cx)
}

/// Genesis in calendar time: `2015-10-03`, `2015-10-03T00:00:00Z`, or milliseconds since 1970.
fn epoch(node: &Node, cx: &mut Context<'_>) -> Option<u64> {
    let read =
        node.as_i64().and_then(|ms| u64::try_from(ms).ok()).or_else(|| node.as_str().and_then(calendar_ms));
    if read.is_none() {
        cx.found.push(
            Diagnostic::error(codes::VALUE, node.span, "this is not an instant")
                .with_help("write `2015-10-03T00:00:00Z` or milliseconds since 1970"),
        );
    }
    read
}

fn calendar_ms(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches('Z');
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00:00"));
    let mut date = date.splitn(3, '-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut time = time.splitn(3, ':').map(|part| part.split('.').next().unwrap_or(part).parse::<u64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next().unwrap_or(Some(0))?);
    let date = Date {
        year: i64::try_from(year).ok()?,
        month: u32::try_from(month).ok()?,
        day: u32::try_from(day).ok()?,
    };
    let is_valid =
        (1970..=9999).contains(&year) && date.exists() && hour <= 23 && minute <= 59 && second <= 59;
    let days = u64::try_from(date.to_day()).ok().filter(|_| is_valid)?;
    Some(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000)
}

#[cfg(test)]
mod tests;
