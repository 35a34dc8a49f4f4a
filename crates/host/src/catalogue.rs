//! The facts about systems, machines, examples and lessons that a page has before any host answers.

use super::lesson::of_course;
use super::open::scenario_of_example;
use super::statuses::class_of;
use planarium_protocol::View;
use planarium_protocol::json;
use planarium_protocol::json::Value;
use planarium_protocol::view::StatusClass;
use planarium_scenario::Player;

/// The catalogue as JSON with an entry to a line, for `web/src/catalogue.json`.
pub fn catalogue() -> String {
    let dialects: Vec<Value> = planarium_world::dialects()
        .iter()
        .map(|dialect| {
            let program = dialect.console.programs.first().and_then(|words| words.first());
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
                "picture": picture(example.id),
            })
        })
        .collect();
    let lessons: Vec<Value> = planarium_gallery::lessons()
        .iter()
        .filter_map(|lesson| {
            let (lesson, texts) = of_course(lesson.id)?;
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

/// Instants of a run that are looked at for its picture.
const LOOKS: u64 = 32;
/// Distance of them. *Units*: milliseconds of virtual time.
const APART_MS: u64 = 3_000;
/// Phases of a picture, and steps of each.
const PICTURED: (usize, usize) = (8, 6);

/// The plans of an example at the moment that shows most: a letter for each step, phases apart by spaces. `n` is to come, `a` at
/// work, `c` done, `w` held or late, `e` failed.
fn picture(id: &str) -> String {
    let Some(scenario) = scenario_of_example(id) else { return String::new() };
    let (mut engine, mut player) = Player::start(scenario);
    let mut best = (0, String::new());
    for look in 0..LOOKS {
        player.advance_to(&mut engine, look * APART_MS);
        let drawn = drawn(&engine.view());
        let kinds = ['n', 'a', 'c', 'w', 'e'].iter().filter(|letter| drawn.contains(**letter)).count();
        let told = 2 * kinds + usize::from(drawn.contains('e')) + usize::from(drawn.contains('w'));
        if told > best.0 {
            best = (told, drawn);
        }
    }
    best.1
}

fn drawn(view: &View) -> String {
    let plans = view.services.iter().flat_map(|service| {
        let dialect = &service.dialect;
        service.plans.iter().flat_map(move |plan| plan.phases.iter().map(move |phase| (dialect, phase)))
    });
    let asleep = |class: StatusClass| matches!(class, StatusClass::Unused);
    let phase = |(dialect, phase): (
        &planarium_protocol::Text,
        &std::sync::Arc<planarium_protocol::view::PhaseView>,
    )| {
        let steps = phase.steps.iter().map(|step| class_of(dialect, &step.status));
        steps.filter(|class| !asleep(*class)).take(PICTURED.1).map(letter).collect::<String>()
    };
    let phases: Vec<String> =
        plans.map(phase).filter(|letters| !letters.is_empty()).take(PICTURED.0).collect();
    phases.join(" ")
}

fn letter(class: StatusClass) -> char {
    match class {
        StatusClass::Pending | StatusClass::Stopped | StatusClass::Unused => 'n',
        StatusClass::Preparing | StatusClass::Starting | StatusClass::Working | StatusClass::Started => 'a',
        StatusClass::Running | StatusClass::Done => 'c',
        StatusClass::Held | StatusClass::Delayed | StatusClass::Stopping => 'w',
        StatusClass::Failed => 'e',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_with_plans_have_a_picture_that_tells_something() {
        // All of them are compared with `catalogue.json`.
        for example in planarium_gallery::examples().iter().step_by(9) {
            let drawn = picture(example.id);
            assert_eq!(drawn.is_empty(), example.dialect == "mesos", "{}: {drawn:?}", example.id);
            let known = drawn.chars().all(|letter| " nacwe".contains(letter));
            assert!(known && drawn.len() <= (PICTURED.1 + 1) * PICTURED.0, "{}: {drawn:?}", example.id);
        }
    }
}
