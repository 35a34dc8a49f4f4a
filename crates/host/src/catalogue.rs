//! The facts about systems, machines, examples and lessons that a page has before a host answers.

use super::lesson::{LANGUAGE, of_course};
use super::texts::{BuiltIn, Library};
use planarium_protocol::json;
use planarium_protocol::json::Value;
use std::rc::Rc;

/// The catalogue as JSON, one entry per line, for `web/src/catalogue.json`.
pub fn catalogue() -> String {
    let dialects: Vec<Value> = planarium_world::dialects()
        .iter()
        .map(|dialect| {
            let program = dialect.programs.first().and_then(|words| words.first());
            json!({"word": dialect.word, "title": dialect.title, "program": program, "statuses": dialect.statuses})
        })
        .collect();
    let presets = planarium_world::presets::PRESETS.iter();
    let presets: Vec<Value> =
        presets.map(|preset| json!({"name": preset.name, "title": preset.title})).collect();
    let examples: Vec<Value> = planarium_gallery::examples()
        .iter()
        .map(|example| {
            json!({
                "id": example.id,
                "title": example.title,
                "dialect": example.dialect,
                "teaches": example.teaches,
                "difficulty": example.difficulty,
                "picture": example.picture,
            })
        })
        .collect();
    let library = Library::new(Rc::new(BuiltIn));
    let lessons: Vec<Value> = planarium_gallery::lessons()
        .iter()
        .filter_map(|lesson| {
            let (lesson, texts) = of_course(&library, lesson.id, LANGUAGE)?;
            let services = lesson.scenario.services.iter();
            let mut systems: Vec<&str> = services.map(|service| service.dialect.as_str()).collect();
            systems.dedup();
            Some(json!({"id": lesson.id, "title": texts.title, "order": lesson.order, "systems": systems}))
        })
        .collect();
    let list = |entries: &[Value]| {
        let lines: Vec<String> = entries.iter().map(|entry| format!("    {entry}")).collect();
        format!("[\n{}\n  ]", lines.join(",\n"))
    };
    let states: Vec<Value> = planarium_world::states().iter().map(json::of).collect();
    format!(
        "{{\n  \"dialects\": {},\n  \"states\": {},\n  \"presets\": {},\n  \"examples\": {},\n  \"lessons\": {}\n}}\n",
        list(&dialects),
        list(&states),
        list(&presets),
        list(&examples),
        list(&lessons),
    )
}
