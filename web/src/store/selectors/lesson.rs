//! Lessons as components show them: checks in words, the score against the par, the course with its progress, results as a table.

use super::time::short;
use crate::store::lessons::{Card, CheckState, ResultRow, Role, Score, Try, Verdict};
use crate::store::progress::Progress;
use crate::store::state::LessonCard;
use yew::AttrValue;

/// The appearance of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CheckLook {
    /// Icon.
    pub(crate) icon: &'static str,
    /// Family of its colour.
    pub(crate) family: &'static str,
    /// State in a word.
    pub(crate) word: &'static str,
}

/// Returns the appearance of a check.
pub(crate) fn check_look(role: Role, state: CheckState) -> CheckLook {
    match (role, state) {
        (_, CheckState::Met) => CheckLook { icon: "complete", family: "complete", word: "met" },
        (_, CheckState::Lost) => CheckLook { icon: "error", family: "error", word: "lost" },
        (Role::Goal, CheckState::NotYet) => CheckLook { icon: "pending", family: "neutral", word: "not yet" },
        (Role::Never, CheckState::NotYet) => CheckLook { icon: "gate", family: "active", word: "holds" },
    }
}

/// Returns the numbers of met goals and of all goals.
pub(crate) fn goals(card: &Card, attempt: &Try) -> (usize, usize) {
    let goals = card.checks.iter().zip(&attempt.checks).filter(|(card, _)| card.role == Role::Goal);
    let met = goals.clone().filter(|(_, line)| line.state == CheckState::Met).count();
    (met, goals.count())
}

/// The state of a try in a sentence.
pub(crate) fn headline(card: &Card, attempt: &Try) -> String {
    match attempt.verdict {
        Verdict::Open if attempt.asks() => "Answer the question, then press play.".to_owned(),
        Verdict::Open => {
            let (met, all) = goals(card, attempt);
            format!("{met} of {all} {} met.", if all == 1 { "goal" } else { "goals" })
        }
        Verdict::Passed { at_ms } => format!("Passed at {}.", instant(at_ms)),
        Verdict::Lost { check, .. } => lost_sentence(attempt, check).unwrap_or_else(|| "Lost.".to_owned()),
    }
}

fn lost_sentence(attempt: &Try, check: usize) -> Option<String> {
    Some(attempt.checks.get(check)?.account.as_ref()?.sentence.to_string())
}

/// A row of the score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScoreRow {
    /// Measure.
    pub(crate) name: &'static str,
    /// Of this try.
    pub(crate) own: String,
    /// Of the solution.
    pub(crate) par: Option<String>,
    /// The try is not above the par.
    pub(crate) within: bool,
}

/// The score against the par.
pub(crate) fn score_rows(score: &Score, par: Option<&Score>) -> [ScoreRow; 3] {
    let row = |name, own: u64, par: Option<u64>, text: &dyn Fn(u64) -> String| ScoreRow {
        name,
        own: text(own),
        par: par.map(text),
        within: par.is_some_and(|par| own <= par),
    };
    let count = |n: u64| n.to_string();
    [
        row("Commands", score.commands, par.map(|par| par.commands), &count),
        row("Time", score.time_ms, par.map(|par| par.time_ms), &short),
        row("Unavailable", score.unavailable_ms, par.map(|par| par.unavailable_ms), &short),
    ]
}

/// Stars as words: `2 of 3 stars`.
pub(crate) fn stars(stars: u8) -> String {
    format!("{stars} of 3 stars")
}

/// An instant as people say it: `1:12`.
pub(crate) fn instant(ms: u64) -> String {
    let (s, part) = (ms / 1000, ms % 1000);
    let face = format!("{}:{:02}", s / 60, s % 60);
    if part == 0 { face } else { format!("{face}.{}", format!("{part:03}").trim_end_matches('0')) }
}

/// Names of the course's parts.
const PARTS: [&str; 7] = [
    "Any rollout",
    "DC/OS SDK",
    "Marathon",
    "KUDO",
    "Skopos",
    "Maintenance of machines",
    "Several systems on the same machines",
];

/// A part of the course with its lessons.
pub(crate) type Part<'c> = (&'static str, Vec<&'c LessonCard>);

/// The course in its parts.
pub(crate) fn parts(lessons: &[LessonCard]) -> Vec<Part<'_>> {
    let mut parts: Vec<(u32, Part<'_>)> = Vec::new();
    for card in lessons {
        match parts.iter_mut().find(|(part, _)| *part == card.part) {
            Some((_, (_, cards))) => cards.push(card),
            None => {
                let at = usize::try_from(card.part).unwrap_or(usize::MAX);
                parts.push((card.part, (PARTS.get(at).copied().unwrap_or("More"), vec![card])));
            }
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Returns the number of passed lessons of the course.
pub(crate) fn passed(lessons: &[LessonCard], progress: &Progress) -> usize {
    lessons.iter().filter(|card| progress.of(&card.id).is_some()).count()
}

/// The first lesson that was not passed.
pub(crate) fn next<'c>(lessons: &'c [LessonCard], progress: &Progress) -> Option<&'c LessonCard> {
    lessons.iter().find(|card| progress.of(&card.id).is_none())
}

/// Paragraphs of a text.
pub(crate) fn paragraphs(text: &str) -> Vec<AttrValue> {
    let all = text.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    all.filter(|part| !part.is_empty()).map(AttrValue::from).collect()
}

/// An id from a title: lower case letters, digits and hyphens.
pub(crate) fn slug(title: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    let words: String = title.chars().map(letter).collect();
    words.split_whitespace().collect::<Vec<_>>().join("-")
}

/// The cells of a result: passed or why not, stars, commands, time, unavailable, hints.
pub(crate) fn result_cells(row: &ResultRow) -> [String; 6] {
    match &row.result {
        Err(why) => [why.clone(), String::new(), String::new(), String::new(), String::new(), String::new()],
        Ok(judged) => {
            let said = match (judged.passed, judged.gave_up) {
                (true, true) => "passed, after the solution",
                (true, false) => "passed",
                (false, _) => "not passed",
            };
            [
                said.to_owned(),
                judged.stars.map(|stars| stars.to_string()).unwrap_or_default(),
                judged.score.commands.to_string(),
                short(judged.score.time_ms),
                short(judged.score.unavailable_ms),
                judged.hints.to_string(),
            ]
        }
    }
}

/// Headings of the results.
pub(crate) const RESULT_HEADS: [&str; 8] =
    ["Name", "Lesson", "Result", "Stars", "Commands", "Time", "Unavailable", "Hints"];

/// Results as a table for spreadsheets.
pub(crate) fn results_csv(rows: &[ResultRow]) -> String {
    let mut out = RESULT_HEADS.join(",");
    for row in rows {
        out.push('\n');
        let cells = [row.name.clone(), row.lesson.clone()].into_iter().chain(result_cells(row));
        let quoted = cells.map(|cell| {
            // A cell with the beginning of a formula must stay a text.
            let cell = if cell.starts_with(['=', '+', '-', '@']) { format!("'{cell}") } else { cell };
            format!("\"{}\"", cell.replace('"', "\"\""))
        });
        out.push_str(&quoted.collect::<Vec<_>>().join(","));
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::lessons::{CheckLine, JudgedTry};

    fn card(id: &'static str, part: u32) -> LessonCard {
        LessonCard { id: id.into(), title: id.into(), part, systems: Vec::new() }
    }

    #[test]
    fn open_goals_and_forbidden_states_look_different() {
        let words: Vec<&str> = [
            (Role::Goal, CheckState::NotYet),
            (Role::Never, CheckState::NotYet),
            (Role::Goal, CheckState::Met),
            (Role::Never, CheckState::Lost),
        ]
        .into_iter()
        .map(|(role, state)| check_look(role, state).word)
        .collect();
        assert_eq!(words, ["not yet", "holds", "met", "lost"]);
    }

    #[test]
    fn the_score_is_within_par_up_to_par_itself() {
        let par = Score { commands: 2, time_ms: 60_000, unavailable_ms: 0 };
        let own = Score { commands: 2, time_ms: 61_000, unavailable_ms: 0 };
        let within: Vec<bool> = score_rows(&own, Some(&par)).iter().map(|row| row.within).collect();
        assert_eq!(within, [true, false, true]);
        assert!(score_rows(&own, None).iter().all(|row| row.par.is_none() && !row.within));
        assert_eq!(own.stars(&par), 2);
    }

    #[test]
    fn the_course_has_parts_and_the_next_lesson_is_the_first_open_one() {
        let lessons = [card("a", 0), card("b", 0), card("c", 2), card("d", 99)];
        let named: Vec<_> = parts(&lessons).iter().map(|(name, cards)| (*name, cards.len())).collect();
        assert_eq!(named, [("Any rollout", 2), ("Marathon", 1), ("More", 1)]);
        let progress = Progress::read("progress=a.3.1.1.1.0.0,zz.1.1.1.1.0.0").expect("progress");
        assert_eq!(passed(&lessons, &progress), 1, "a lesson of somebody's own counts for itself");
        assert_eq!(next(&lessons, &progress).map(|card| card.id.as_str()), Some("b"));
    }

    #[test]
    fn texts_become_paragraphs_and_titles_ids() {
        assert_eq!(paragraphs("a\nb\n\n\nc \n"), ["a b", "c"]);
        assert_eq!(slug(" My canary: 2nd try! "), "my-canary-2nd-try");
        assert_eq!(
            (instant(72_000), instant(72_500), instant(0)),
            ("1:12".into(), "1:12.5".into(), "0:00".into())
        );
    }

    #[test]
    fn results_are_quoted_and_formulas_are_texts() {
        let score = Score { commands: 2, time_ms: 65_000, unavailable_ms: 0 };
        let judged = JudgedTry { passed: true, score, stars: Some(3), hints: 1, gave_up: false };
        let row = |name: &str, result| ResultRow {
            line: 1,
            name: name.into(),
            lesson: "A \"canary\"".into(),
            result,
        };
        let rows = [row("=1+1", Ok(judged)), row("Bob", Err("no link".into()))];
        assert_eq!(
            results_csv(&rows),
            "Name,Lesson,Result,Stars,Commands,Time,Unavailable,Hints\n\
             \"'=1+1\",\"A \"\"canary\"\"\",\"passed\",\"3\",\"2\",\"1 m 5 s\",\"0 ms\",\"1\"\n\
             \"Bob\",\"A \"\"canary\"\"\",\"no link\",\"\",\"\",\"\",\"\",\"\"\n"
        );
    }

    #[test]
    fn the_headline_asks_counts_and_reports() {
        let mut attempt = Try { answers: vec![None], ..Try::default() };
        let card = Card {
            id: "x".into(),
            title: "X".into(),
            story: "".into(),
            allowed: Vec::new(),
            checks: vec![crate::store::lessons::CheckCard {
                id: "a".into(),
                role: Role::Goal,
                text: "A.".into(),
            }],
            questions: Vec::new(),
            hints: 0,
            par: None,
            limit_ms: 1,
            done: "".into(),
            next: None,
            place: None,
            link: "".into(),
        };
        attempt.checks = vec![CheckLine { state: CheckState::NotYet, at_ms: None, account: None }];
        assert!(headline(&card, &attempt).starts_with("Answer"));
        attempt.answers.clear();
        assert_eq!(headline(&card, &attempt), "0 of 1 goal met.");
        attempt.verdict = Verdict::Passed { at_ms: 90_000 };
        assert_eq!(headline(&card, &attempt), "Passed at 1:30.");
        attempt.verdict = Verdict::Lost { at_ms: 1, check: 0 };
        assert_eq!(headline(&card, &attempt), "Lost.");
    }
}
