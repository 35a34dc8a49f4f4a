//! Nearly valid definitions and scenarios: the examples and, if available, the real definitions, changed at random positions.

use crate::checks::{config, shown, wrong};
use planarium_protocol::Input;
use planarium_protocol::input::LoadService;
use planarium_protocol::refusal::RefusalCode;
use planarium_scenario::Player;
use planarium_source::render::json::flat;
use planarium_tests::files;
use planarium_tests::same::difference;
use planarium_world::{CheckReport, Engine, Genesis, check, presets};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// Changes of a text; positions are shares of its length.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Drop(u16),
    Double(u16),
    Swap(u16, u16),
    Indent(u16, usize),
    Unindent(u16),
    Scalar(u16, &'static str),
    Key(u16, &'static str),
    Misspell(u16, u16),
    Insert(u16, &'static str),
    Cut(u16),
    Variable(u16, &'static str),
}

/// Replacements for scalars.
const SCALARS: &[&str] = &[
    "",
    "null",
    "~",
    "[]",
    "{}",
    "[a, b]",
    "{a: b}",
    "0",
    "-1",
    "1.5",
    "1e400",
    "0x10",
    "99999999999999999999",
    "2147483648",
    "true",
    "''",
    "\"",
    "'",
    "*x",
    "&x",
    "!!int y",
    "|",
    ">",
    "\u{1F980}",
    "\u{0}",
    "\u{FEFF}",
    ".nan",
    "0.0001",
    "RUNNING",
    "[[x], y]",
    "'[[\"hostname\", \"UNIQUE\"]]'",
    "'[[\"@zone\"]]'",
    "{{NOPE}}",
    "a: b: c",
    "# none",
    "- - -",
    "?",
];

const KEYS: &[&str] = &[
    "",
    "~",
    "name",
    "pods",
    "count",
    "? [a]",
    "<<",
    "\u{1F980}",
    "goal",
    "volume",
    "volumes",
    "placement",
    "strategy",
    "1",
    "\"a b\"",
];

const PIECES: &[&str] = &[
    "\t",
    "\n",
    "\r\n",
    "\u{0}",
    "\u{2028}",
    "\u{85}",
    "{{",
    "}}",
    "{{#A}}",
    "{{/A}}",
    "{{^A}}",
    "{{{A}}}",
    "{{! x }}",
    "{{=<% %>=}}",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "<<: *a",
    "- ",
    ": ",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "#",
    "\\",
    "\u{301}",
    "\u{202E}",
];

/// One change of a text.
pub(crate) fn change() -> impl Strategy<Value = Change> {
    let at = any::<u16>;
    prop_oneof![
        3 => at().prop_map(Change::Drop),
        2 => at().prop_map(Change::Double),
        1 => (at(), at()).prop_map(|(a, b)| Change::Swap(a, b)),
        2 => (at(), 1_usize..5).prop_map(|(at, by)| Change::Indent(at, by)),
        2 => at().prop_map(Change::Unindent),
        8 => (at(), select(SCALARS)).prop_map(|(at, value)| Change::Scalar(at, value)),
        3 => (at(), select(KEYS)).prop_map(|(at, key)| Change::Key(at, key)),
        2 => (at(), at()).prop_map(|(at, place)| Change::Misspell(at, place)),
        2 => (at(), select(PIECES)).prop_map(|(at, piece)| Change::Insert(at, piece)),
        1 => at().prop_map(Change::Cut),
        2 => (at(), select(vec!["", "{{NOPE}}", "{{", "{{#FRAMEWORK_NAME}}", "{{{FRAMEWORK_NAME}}}", "x"])).prop_map(|(at, new)| Change::Variable(at, new)),
    ]
}

/// The nth of `len` for a share.
fn nth(len: usize, share: u16) -> usize {
    len * usize::from(share) / (usize::from(u16::MAX) + 1)
}

/// A place between two characters.
fn place(text: &str, share: u16) -> usize {
    let mut at = nth(text.len() + 1, share);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The text with a change.
pub(crate) fn changed(text: &str, change: &Change) -> String {
    let lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    let line = |at: u16| nth(lines.len(), at);
    let edit = |at: u16, edit: &dyn Fn(&str) -> String| {
        let mut lines = lines.clone();
        let at = line(at);
        lines[at] = edit(&lines[at]);
        lines.join("\n") + "\n"
    };
    match change {
        Change::Drop(at) => {
            let mut lines = lines.clone();
            lines.remove(line(*at));
            lines.join("\n") + "\n"
        }
        Change::Double(at) => edit(*at, &|line| format!("{line}\n{line}")),
        Change::Swap(a, b) => {
            let mut lines = lines.clone();
            lines.swap(line(*a), line(*b));
            lines.join("\n") + "\n"
        }
        Change::Indent(at, by) => edit(*at, &|line| " ".repeat(*by) + line),
        Change::Unindent(at) => edit(*at, &|line| line.strip_prefix("  ").unwrap_or(line).to_owned()),
        Change::Scalar(at, value) => edit(*at, &|line| match line.split_once(':') {
            Some((key, _)) => format!("{key}: {value}"),
            None => (*value).to_owned(),
        }),
        Change::Key(at, key) => edit(*at, &|line| {
            let indent: String = line.chars().take_while(|c| *c == ' ' || *c == '-').collect();
            let rest = line.split_once(':').map_or("", |(_, rest)| rest);
            format!("{indent}{key}:{rest}")
        }),
        Change::Misspell(at, share) => edit(*at, &|line| {
            let at = place(line, *share);
            let (left, right) = line.split_at(at);
            let mut right = right.chars();
            right.next();
            format!("{left}{}", right.as_str())
        }),
        Change::Insert(share, piece) => {
            let (left, right) = text.split_at(place(text, *share));
            format!("{left}{piece}{right}")
        }
        Change::Cut(share) => text.split_at(place(text, *share)).0.to_owned(),
        Change::Variable(share, new) => {
            let places: Vec<_> = text.match_indices("{{").collect();
            let Some((start, _)) = places.get(nth(places.len(), *share)) else { return text.to_owned() };
            let (left, right) = text.split_at(*start);
            let rest = right.split_once("}}").map_or("", |(_, rest)| rest);
            format!("{left}{new}{rest}")
        }
    }
}

/// Errors of an update found by a running scheduler's validators: it accepts the update, reports the errors of its plan, and
/// continues with the previous definition.
///
/// **Source**: `dcos-commons: …/config/validate/{PlacementRuleIsValid,ResourceLimitsMustExceedRequestedResources}.java`.
const VALIDATED: &[&str] = &["SDK096", "SDK130", "SDK131", "SDK132"];

/// An unchanged definition, and the file to change.
#[derive(Clone)]
struct Base {
    load: LoadService,
    file: String,
    cluster: &'static str,
}

/// Returns the values that some definitions need to start: an account for certificates, paths of secrets.
fn needed() -> BTreeMap<String, String> {
    let names = ["HELLO_SECRET1", "HELLO_SECRET2", "WORLD_SECRET1", "WORLD_SECRET2", "WORLD_SECRET3"];
    let names = names.into_iter().chain(["DCOS_SERVICE_ACCOUNT_CREDENTIAL"]);
    names.map(|name| (name.to_owned(), "path/to/it".to_owned())).collect()
}

fn is_yaml(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "yml")
}

fn bases() -> &'static [Base] {
    static BASES: OnceLock<Vec<Base>> = OnceLock::new();
    BASES.get_or_init(|| {
        let mut all = Vec::new();
        for example in planarium_gallery::examples().iter().filter(|example| example.dialect == "sdk") {
            let files: BTreeMap<String, String> =
                example.files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
            let file = files.keys().find(|name| name.starts_with("svc") && is_yaml(name));
            let Some(file) = file.cloned() else { continue };
            let env = BTreeMap::from([
                ("COUNT".to_owned(), "2".to_owned()),
                ("FRAMEWORK_NAME".to_owned(), "it".to_owned()),
            ]);
            // One definition at a time: the others in the folder are later versions.
            let files = files.into_iter().filter(|(name, _)| *name == file || !is_yaml(name)).collect();
            let load = LoadService { dialect: "sdk".to_owned(), files, env, ..LoadService::default() };
            all.push(Base { load, file, cluster: "full" });
        }
        let rich = LoadService {
            dialect: "sdk".to_owned(),
            name: "it".to_owned(),
            files: BTreeMap::from([("svc.yml".to_owned(), crate::definitions::variant(4 << 10))]),
            env: needed(),
            ..LoadService::default()
        };
        all.push(Base { load: rich, file: "svc.yml".to_owned(), cluster: "full" });
        if let Some(folder) = files::real().map(|real| real.join("dcos-commons/helloworld")) {
            let package = files::below(&folder.join("universe"), &[".json", ".mustache"]);
            for (name, path) in files::below(&folder.join("dist"), &[".yml"]) {
                let mut files = BTreeMap::from([(name.clone(), files::text(&path))]);
                files.extend(
                    package.iter().map(|(name, path)| (format!("universe/{name}"), files::text(path))),
                );
                let load =
                    LoadService { dialect: "sdk".to_owned(), files, env: needed(), ..LoadService::default() };
                all.push(Base { load, file: name, cluster: "full" });
            }
        }
        all
    })
}

fn engine(base: &Base) -> Engine {
    let mut engine = Engine::new(Genesis::default());
    for agent in presets::cluster(base.cluster).expect("the preset") {
        engine.apply(Input::AddAgent(agent)).outcome.expect("machines");
    }
    engine
}

/// Returns the first finding of a report whose position is wrong.
pub(crate) fn misplaced(report: &CheckReport, load: &LoadService) -> Option<String> {
    report.diagnostics.iter().find_map(|finding| {
        let one = flat(finding, &report.sources);
        let text = load.files.get(&one.span.file);
        let inside = |from: u32, to: u32, file: &str| {
            let text = load.files.get(file);
            from <= to && text.is_some_and(|text| text.get(from as usize..to as usize).is_some())
        };
        let lines = text.map_or(0, |text| text.lines().count() + 1);
        let fits = inside(one.span.offset, one.span.end_offset, &one.span.file)
            && one.span.line >= 1
            && one.span.column >= 1
            && one.span.line as usize <= lines
            && !one.code.is_empty()
            && !one.message.is_empty()
            && one
                .labels
                .iter()
                .all(|label| inside(label.span.offset, label.span.end_offset, &label.span.file))
            && one.fix.iter().all(|fix| inside(fix.span.offset, fix.span.end_offset, &fix.span.file));
        (!fits).then(|| format!("{one:?}"))
    })
}

/// Sends the second one to an engine that runs the first one; both readers must agree.
fn put(
    engine: &mut Engine,
    load: &LoadService,
    report: &CheckReport,
    update: bool,
) -> Result<bool, TestCaseError> {
    let before = shown(engine);
    let input = if update { Input::UpdateService(load.clone()) } else { Input::LoadService(load.clone()) };
    let applied = engine.apply(input);
    match &applied.outcome {
        Ok(_) if update && report.has_errors() => {
            let errors = report.diagnostics.iter().filter(|finding| finding.is_error());
            let judged = errors.clone().all(|error| VALIDATED.contains(&error.code.as_ref()));
            prop_assert!(judged, "accepted, but {:?}", errors.collect::<Vec<_>>());
            let plans = &engine.view().services[0].plans;
            let told = plans.iter().any(|plan| &*plan.status == "ERROR");
            prop_assert!(told, "accepted, and no plan tells of {:?}", report.diagnostics);
        }
        Ok(_) => prop_assert!(!report.has_errors(), "accepted, but {:?}", report.diagnostics),
        Err(refusal) => {
            prop_assert_eq!(difference(&shown(engine), &before), None, "refused, and something changed");
            // An update may be of another service, or change an immutable field.
            let other = update && matches!(refusal.code, RefusalCode::Conflict | RefusalCode::NotFound);
            prop_assert!(update || report.has_errors(), "{:?}, but a check has nothing against it", refusal);
            prop_assert!(other || !applied.diagnostics.is_empty(), "{:?} without a finding", refusal);
        }
    }
    prop_assert_eq!(wrong(engine), None);
    Ok(applied.outcome.is_ok())
}

proptest! {
    #![proptest_config(config(16))]

    #[test]
    fn a_nearly_valid_definition_is_run_or_refused_with_a_position(
        base in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..4),
        another in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let base = base.get(bases());
        let mut load = base.load.clone();
        // Usually the definition, sometimes its context.
        let names: Vec<String> = load.files.keys().cloned().collect();
        let file = another.map_or(&base.file, |another| another.get(&names));
        if let Some(text) = load.files.get_mut(file) {
            for change in &changes {
                *text = changed(text, change);
            }
        }
        let report = check(&load);
        prop_assert_eq!(misplaced(&report, &load), None);
        prop_assert_eq!(report.preview.is_none(), report.has_errors(), "{:?}", report.diagnostics);
        // First of all, alone.
        let mut alone = engine(base);
        if put(&mut alone, &load, &report, false)? {
            alone.advance_for(600_000);
            prop_assert_eq!(alone.now_ms(), 600_000);
            prop_assert_eq!(wrong(&alone), None);
        }
        // Then in the place of the right one, and back.
        let mut running = engine(base);
        running.apply(Input::LoadService(base.load.clone())).outcome.expect("the right one");
        running.advance_for(60_000);
        put(&mut running, &load, &report, true)?;
        running.advance_for(120_000);
        prop_assert_eq!(wrong(&running), None);
        let name = running.view().services[0].name.to_string();
        let back = running.apply(Input::UpdateService(LoadService { name, ..base.load.clone() }));
        prop_assert!(back.outcome.is_ok(), "{:?}", back.outcome);
        running.advance_for(120_000);
        prop_assert_eq!(wrong(&running), None);
    }
    #[test]
    fn a_nearly_valid_script_is_played_or_refused_with_a_position(
        example in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..4),
    ) {
        let example = example.get(planarium_gallery::examples());
        let text = changes.iter().fold(example.scenario.to_owned(), |text, change| changed(&text, change));
        let file = |path: &str| example.files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
        let read = planarium_scenario::parse(&text, "scenario", &file);
        for finding in &read.diagnostics {
            let one = flat(finding, &read.sources);
            let inside = read.sources.get(finding.span.file).is_some_and(|file| {
                file.text().get(one.span.offset as usize..one.span.end_offset as usize).is_some()
            });
            prop_assert!(inside && !one.message.is_empty(), "{:?}", one);
        }
        let errors = read.diagnostics.iter().any(planarium_source::Diagnostic::is_error);
        prop_assert_eq!(read.scenario.is_none(), errors, "{:?}", read.diagnostics);
        let Some(scenario) = read.scenario else { return Ok(()) };
        let (mut engine, mut player) = Player::start(scenario);
        player.advance_to(&mut engine, 120_000);
        prop_assert_eq!(wrong(&engine), None);
    }
}
