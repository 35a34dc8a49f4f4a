//! `lesson check`, `play`, `new`, `list` and `schema`; `test` over lessons.

use crate::{file, folder, piped, planarium, root};
use planarium_scenario::lesson::{Attempt, Outline, Recording, make};
use std::fs;
use std::sync::Arc;

#[test]
fn a_new_lesson_passes_its_check_and_is_not_overwritten() {
    let dir = folder("lesson-new");
    let at = dir.display().to_string();
    let said = planarium(&["lesson", "new", "mine", "--dir", &at]).ends(0);
    assert!(said.out.contains("mine.planarium.yaml") && said.out.contains("mine.en.yaml"), "{}", said.out);
    let lesson = dir.join("mine.planarium.yaml").display().to_string();
    let said = planarium(&["lesson", "check", &lesson, "--players", "10"]).ends(0);
    assert!(said.out.contains("par: 2 commands") && said.out.contains("1 passed, 0 failed"), "{}", said.out);
    let said = planarium(&["test", &at]).ends(0);
    assert!(said.out.contains("1 passed, 0 failed"), "a test proves lessons: {}", said.out);
    planarium(&["check", &lesson]).ends(0);
    for (id, wrong) in [("mine", "is there already"), ("My Lesson", "lower case"), ("", "lower case")] {
        let said = planarium(&["lesson", "new", id, "--dir", &at]).ends(2);
        assert!(said.err.contains(wrong), "{id}: {}", said.err);
    }
}

/// A lesson of the course, played by its solution, recorded, and made a lesson of again as the page does.
#[test]
fn a_lesson_made_from_a_recorded_run_passes_its_check() {
    let dir = folder("lesson-recorded");
    let course = planarium_gallery::lesson("canary").expect("a lesson");
    let parsed = planarium_scenario::parse(course.text, "canary", &|_| None);
    let lesson = Arc::new(*parsed.lesson.expect("a lesson"));
    let mut attempt = Attempt::start(&lesson, None);
    attempt.play(&lesson.solution).expect("the solution");
    let moves = attempt.moves().iter().map(|made| (made.at_ms, made.input.clone())).collect();
    let recording = Recording::new(lesson.scenario.clone(), moves, attempt.engine().now_ms());
    let checks = recording.suggest();
    let outline = Outline {
        id: "again".into(),
        title: "Again".into(),
        story: "Do it again.".into(),
        done: "Done.".into(),
        hints: vec!["Look.".into()],
        allowed: recording.words(),
        checks: checks.into_iter().map(|check| (check.id, check.role, check.check, check.text)).collect(),
    };
    let made = make(&recording, &outline).unwrap_or_else(|found| panic!("{found:?}"));
    assert_eq!(made.proof.findings, Vec::new());
    file(&dir, "again.planarium.yaml", &made.lesson);
    file(&dir, "again.en.yaml", &made.texts);
    let said = planarium(&["lesson", "check", &dir.display().to_string(), "--players", "5"]).ends(0);
    assert!(said.out.contains("1 passed, 0 failed"), "{}", said.out);
}

#[test]
fn an_invalid_lesson_ends_with_1_and_an_unreadable_one_with_2() {
    let dir = folder("lesson-wrong");
    let at = dir.display().to_string();
    planarium(&["lesson", "new", "mine", "--dir", &at]).ends(0);
    let path = dir.join("mine.planarium.yaml");
    let text = fs::read_to_string(&path).expect("written");
    let lesson = file(&dir, "mine.planarium.yaml", &text.replace("by 90s", "by 9s"));
    let said = planarium(&["lesson", "check", &lesson, "--players", "0"]).ends(1);
    assert!(said.out.contains("the solution should pass: `done` is lost. Lost at 0:09"), "{}", said.out);
    // A finding is told at its place, as a compiler does, so that an editor can go there.
    let line = text.lines().position(|line| line.trim() == "solution:").expect("a solution") + 2;
    assert!(said.out.contains(&format!("{lesson}:{line}:5: seed")), "{line}: {}", said.out);
    let said = planarium(&["lesson", "check", &lesson, "--players", "0", "--format", "json"]).ends(1);
    let rows: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    let found = &rows[0]["proof"]["findings"][0];
    assert_eq!(
        (found["file"].as_str(), found["line"].as_u64()),
        (Some(&*lesson), Some(line as u64)),
        "{rows}"
    );
    // A text without a name is told in the file of texts.
    let texts = fs::read_to_string(dir.join("mine.en.yaml")).expect("written");
    file(&dir, "mine.en.yaml", &texts.replace("  done:", "  don:"));
    let said = planarium(&["lesson", "check", &lesson, "--players", "0"]).ends(1);
    let line = texts.lines().position(|line| line.starts_with("  done:")).expect("a text") + 1;
    assert!(said.out.contains(&format!("mine.en.yaml:{line}:3: there is no check `don`")), "{}", said.out);
    file(&dir, "mine.en.yaml", &texts);
    let said = planarium(&["test", &lesson]).ends(1);
    assert!(said.out.contains("FAILED"), "{}", said.out);

    let lesson = file(&dir, "mine.planarium.yaml", &text.replace("by 90s", "by noon"));
    let said = planarium(&["lesson", "check", &lesson]).ends(2);
    assert!(said.err.contains("LSN002") && said.err.contains("mine.planarium.yaml:"), "{}", said.err);
    let said = planarium(&["check", &lesson]).ends(2);
    assert!(said.out.contains("error[LSN002]"), "{}", said.out);
    planarium(&["lesson", "check", "examples/canary"]).ends(2);
}

#[test]
fn a_lesson_is_played_to_its_end_and_to_a_loss_that_can_be_undone() {
    let won = piped(
        &["lesson", "play", "canary"],
        "wait 35s\nplan continue deploy web\nwait 15s\nmoves\nplan continue deploy web\nwait 2m\nsolution\nquit\n",
    )
    .ends(0);
    assert!(won.out.contains("Passed.") && won.out.contains("of 3 stars"), "{}", won.out);
    assert!(won.out.contains("Continue") && won.out.contains("plan continue web/deploy/web"), "{}", won.out);

    let lost = piped(
        &["lesson", "play", "serial-and-parallel"],
        "solution\nhint\nwait 40s\nplan restart deploy\n3\nwait 20s\nback\nchecks\nundo\nreset\nnonsense\nwait soon\n",
    )
    .ends(1);
    for words in [
        "the solution is shown once the lesson is passed",
        "hint 1 of 2: ",
        "this lesson does not allow `plan restart`",
        "Lost at 0:4",
        "2 needed of web, ",
        "`back` goes to 0:40.000",
        "[0:40.000] here again",
        "not yet",
        "`soon` is not a time",
    ] {
        assert!(lost.out.contains(words), "{words}:\n{}", lost.out);
    }
    let said = planarium(&["lesson", "play", "nobody"]).ends(2);
    assert!(said.err.contains("neither a lesson of the course nor a file"), "{}", said.err);
}

#[test]
fn the_question_is_answered_by_letter_and_told_at_the_end() {
    let solved = "wait 35s\nplan continue deploy web\nwait 15s\nplan continue deploy web\nwait 2m\nquit\n";
    let right = piped(&["lesson", "play", "canary"], &format!("d\na\nb\n{solved}")).ends(0);
    for words in ["  a) WAITING\n", "  c) ERROR\n", "your answer is a\n"] {
        assert_eq!(right.out.matches(words).count(), 1, "{words}:\n{}", right.out);
    }
    let (_, end) = right.out.split_once("Passed.").expect("it is passed");
    let told = "You said: WAITING. That is right. WAITING means that an operator holds it.";
    assert_eq!(end.matches(told).count(), 1, "told at the end, and once:\n{}", right.out);
    assert_eq!(right.out.matches("You said").count(), 1, "{}", right.out);

    let wrong = piped(&["lesson", "play", "canary"], "b\nwait 1s\n").ends(1);
    let (before, end) =
        wrong.out.split_once("You said: COMPLETE. That is wrong. A serial").expect("it is told");
    assert!(
        end.contains("Right is: WAITING. WAITING means") && !before.contains("Right is"),
        "{}",
        wrong.out
    );

    let silent = piped(&["lesson", "play", "canary"], solved).ends(0);
    assert!(!silent.out.contains("You said"), "a question may be left open:\n{}", silent.out);
}

#[test]
fn help_shows_a_command_of_the_lessons_system() {
    for (lesson, example) in [
        ("canary", "`plan continue deploy web`"),
        ("locked", "`app update /web instances=5`"),
        ("triggers", "`kubectl kudo update "),
        ("budget-and-drain", "`kubectl scale deployment "),
        ("gates", "`gate-pass`"),
    ] {
        let said = piped(&["lesson", "play", lesson], "help\nquit\n");
        assert!(said.out.contains(&format!("such as {example}")), "{lesson}:\n{}", said.out);
    }
}

#[test]
fn one_command_is_in_the_singular() {
    let said =
        piped(&["lesson", "play", "locked"], "wait 3m\napp update /shop/a instances=5\nwait 1m\n").ends(0);
    assert!(said.out.contains("  1 command, ") && !said.out.contains("1 commands"), "{}", said.out);
    let said = planarium(&["lesson", "check", "lessons/locked.planarium.yaml", "--players", "0"]).ends(0);
    assert!(said.out.contains("par: 1 command, "), "{}", said.out);
}

/// Each lesson was solved once from its texts alone: the task, the hints and what the run says, without a look at the solution.
/// What was typed then is in `tests/lessons`, one file for each lesson, and has to go on passing.
#[test]
fn what_was_typed_by_somebody_who_read_only_the_texts_passes() {
    let dir = root().join("crates/cli/tests/lessons");
    let files = fs::read_dir(&dir).expect("a folder").count();
    let course = planarium_gallery::lessons();
    assert_eq!(files, course.len(), "one file for each lesson");
    for lesson in course {
        let typed = fs::read_to_string(dir.join(format!("{}.txt", lesson.id))).expect(lesson.id);
        let said = piped(&["lesson", "play", lesson.id], &typed);
        assert!(said.out.contains("Passed."), "{}:\n{}\n{}", lesson.id, said.out, said.err);
    }
}

#[test]
fn a_definition_is_printed_and_changed_in_the_terminal() {
    let said = piped(
        &["lesson", "play", "serial-and-parallel"],
        "definition\nset\nset VERSION\nedit nothing => else\nedit no arrow\nwait 35s\nset VERSION=2 STRATEGY=serial\ndefinition\nquit\n",
    );
    for words in [
        "--- svc.yml",
        "write `set NAME=VALUE ...`",
        "`VERSION` is not NAME=VALUE",
        "`nothing` is 0 times in the definition",
        "write `edit OLD => NEW`",
        "web updated: new definition",
        "STRATEGY=serial\nVERSION=2",
    ] {
        assert!(said.out.contains(words), "{words}:\n{}", said.out);
    }
}

#[test]
fn the_course_is_listed_and_the_schema_printed() {
    let said = planarium(&["lesson", "list"]).ends(0);
    assert_eq!(said.out.lines().count(), planarium_gallery::lessons().len(), "{}", said.out);
    assert!(said.out.starts_with("serial-and-parallel "), "{}", said.out);
    let said = planarium(&["schema", "lesson"]).ends(0);
    let schema: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert!(schema["$defs"]["lesson"].is_object());
}

#[test]
fn lessons_are_solved_with_the_real_systems_command_lines() {
    for (lesson, lines) in [
        ("canary", "wait 35s\nplan continue deploy web\nwait 15s\nplan continue deploy web\nwait 1m\n"),
        (
            "hold-and-force",
            "wait 10s\nplan continue deploy web\nwait 1s\nplan continue deploy web\nwait 15s\nplan restart deploy web web-0:[server]\nwait 30s\n",
        ),
        ("restart-and-replace", "wait 3m\npod replace node-1\nwait 1m\n"),
        ("locked", "wait 3m\napp update /shop/a instances=5\nwait 1m\n"),
        (
            "cancel-or-roll-back",
            "wait 1m\ndeployment rollback 5e4792f4-6d4e-4b2a-82bd-925a34beffca\nwait 1m\n",
        ),
        (
            "triggers",
            "wait 30s\nkubectl kudo update --instance shop -p GREETING=hi\nwait 30s\nkubectl kudo update --instance shop -p TARGET=s3\nwait 1m\n",
        ),
        ("stuck-plan", "wait 1m\nkubectl kudo update --instance shop -p CPUS=1\nwait 1m\n"),
        ("gates", "wait 20s\ngate-pass ask\nwait 20s\ngate-pass keep\nwait 20s\n"),
    ] {
        let said = piped(&["lesson", "play", lesson], lines);
        assert!(said.out.contains("Passed."), "{lesson}:\n{}\n{}", said.out, said.err);
    }
    let said = piped(
        &["lesson", "play", "cleanup"],
        "wait 30s\nkubectl kudo uninstall --instance untidy\nwait 1m\nchecks\n",
    );
    assert!(said.out.contains("met      The plan cleanup was tried"), "{}", said.out);
}
