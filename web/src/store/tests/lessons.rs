//! Lessons at the page's boundary: displayed parts, stored progress, the page's own links.

use super::{page, toasts};
use crate::store::action::Action;
use crate::store::hub::Hub;
use crate::store::lessons::{LessonAsk, Verdict};
use crate::store::selectors::lesson::headline;
use crate::store::state::{Dialog, Pane};

fn lesson(hub: &Hub) -> String {
    hub.state().lesson.as_ref().map(|card| card.id.to_string()).unwrap_or_default()
}

/// Solves the canary: answers, plays, continues twice by the list of commands.
fn solve(hub: &Hub) {
    hub.send(Action::Lesson(LessonAsk::Answer(0, 0)));
    for at_ms in [35_000, 60_000] {
        hub.send(Action::SeekMs(at_ms));
        let moves = hub.state().attempt.moves.clone();
        let go_on = moves.iter().find(|title| title.as_ref() == "plan continue web/deploy/web");
        let go_on =
            go_on.unwrap_or_else(|| panic!("no command at {at_ms}: {moves:?}, {:?}", toasts(&hub.state())));
        hub.send(Action::Lesson(LessonAsk::Give(go_on.clone())));
    }
    hub.send(Action::SeekMs(180_000));
}

#[test]
fn a_lesson_replaces_the_definition_until_it_is_left() {
    let hub = page("", None);
    hub.send(Action::OpenDialog(Dialog::Lessons));
    hub.send(Action::Lesson(LessonAsk::Open("canary".into())));
    let state = hub.state();
    assert_eq!((lesson(&hub).as_str(), &state.ui.dialog, state.ui.pane), ("canary", &None, Pane::Edit));
    hub.send(Action::ShowDefinition(true));
    assert!(hub.state().ui.definition && hub.state().draft.files.contains_key("svc.yml"));
    hub.send(Action::ShowDefinition(false));
    hub.send(Action::Lesson(LessonAsk::Leave));
    assert_eq!(lesson(&hub), "");
    // Undo leads to the previous world; the lesson belongs to its own world.
    hub.send(Action::Undo);
    assert_eq!(hub.state().story.example.as_deref(), Some("web-shop"));
}

#[test]
fn play_waits_for_the_answer_and_stops_at_the_verdict() {
    let hub = page("#lesson=canary", None);
    hub.send(Action::TogglePlay);
    assert!(!hub.state().play.playing);
    assert!(toasts(&hub.state())[0].starts_with("Answer the question"));
    hub.send(Action::Lesson(LessonAsk::Answer(0, 0)));
    hub.send(Action::SetSpeed(8));
    hub.send(Action::TogglePlay);
    for _ in 0..1000 {
        hub.send(Action::Ahead(16.0));
        if !hub.state().play.playing {
            break;
        }
        hub.send(Action::Frame(16.0));
    }
    let state = hub.state();
    assert!(!state.play.playing, "the clock stands");
    assert_eq!(
        (state.world.clock.now_ms, state.attempt.verdict),
        (90_000, Verdict::Lost { at_ms: 90_000, check: 0 })
    );
    let card = state.lesson.as_ref().expect("a lesson");
    assert!(
        headline(card, &state.attempt).starts_with("Lost at 1:30: "),
        "{}",
        headline(card, &state.attempt)
    );
    assert_eq!(state.progress.len(), 0, "a lost try is no progress");
}

#[test]
fn a_passed_lesson_is_stored_with_its_best_try() {
    let hub = page("#lesson=canary", None);
    solve(&hub);
    let state = hub.state();
    assert!(matches!(state.attempt.verdict, Verdict::Passed { .. }), "{:?}", state.attempt.checks);
    let best = *state.progress.of("canary").expect("progress");
    assert_eq!((best.hints, best.gave_up), (0, false));
    hub.send(Action::Reset);
    hub.send(Action::Lesson(LessonAsk::Hint));
    solve(&hub);
    assert_eq!(hub.state().progress.of("canary"), Some(&best), "the second try took a hint");
}

#[test]
fn progress_from_elsewhere_is_merged_and_invalid_text_is_reported() {
    let hub = page("", None);
    hub.send(Action::TakeProgress("https://example.org/#progress=canary.3.2.9.0.0.0".into()));
    assert_eq!(hub.state().progress.len(), 1);
    hub.send(Action::TakeProgress("anything".into()));
    let said = toasts(&hub.state());
    assert!(
        said[0].contains("1 of 1") && said[1].contains("not progress that Planarium exported"),
        "{said:?}"
    );
}
