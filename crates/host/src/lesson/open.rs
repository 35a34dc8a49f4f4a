//! Opens a lesson: from the course, from a link, or from a tab's stored state.

use super::{Answer, Teaching, score};
use crate::host::{Host, Shown};
use crate::open::{broken, differing};
use crate::story::Narration;
use crate::texts::Library;
use planarium_messages::facts::{Fact, ToastUndo};
use planarium_scenario::lesson::{Attempt, Lesson, OwnLesson, Texts, parse_texts};
use planarium_scenario::{Player, Scenario, share};
use planarium_source::suggest;
use planarium_world::Engine;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Label of the way back to the world shown before.
const OPENED: &str = "Opened a lesson";
/// Language of the texts, unless the address names one.
pub(crate) const LANGUAGE: &str = "en";
/// The parts of a link to a try, which follow the lesson: answers, hints, whether the solution was seen, and the run.
const ANSWERS: &str = "answers=";
const HINTS: &str = "hints=";
const SOLUTION: &str = "solution=";
const RUN: &str = "run=";

/// A lesson as a tab keeps it.
#[derive(Serialize, Deserialize, Clone)]
pub(crate) struct Kept {
    id: String,
    own: Option<OwnLesson>,
    hints: usize,
    answers: Vec<Option<usize>>,
    gave_up: bool,
}

/// A lesson of the course with its texts in a language.
pub(crate) fn of_course(library: &Library, id: &str, language: &str) -> Option<(Arc<Lesson>, Texts)> {
    let found = library.lesson(id, language)?;
    read(&found.lesson, &found.texts).ok()
}

/// A lesson with its texts.
///
/// *Errors*: the first finding.
fn read(lesson: &str, texts: &str) -> Result<(Arc<Lesson>, Texts), String> {
    let parsed = planarium_scenario::parse(lesson, "the lesson", &|_| None);
    if let Some(error) = parsed.diagnostics.iter().find(|one| one.is_error()) {
        let at = parsed.sources.position(error.span);
        return Err(format!("line {}: {}", at.line, error.message));
    }
    let lesson = parsed.lesson.ok_or_else(|| "there is no `lesson:` in it".to_owned())?;
    let read = parse_texts(texts, "the texts");
    let error = read.diagnostics.iter().find(|one| one.is_error()).map(|one| one.message.clone());
    let texts = read.texts.ok_or_else(|| error.unwrap_or_default())?;
    Ok((Arc::new(*lesson), texts))
}

/// A try in a link to a lesson.
#[derive(Debug, Default, PartialEq, Eq)]
struct Progress<'l> {
    answers: Vec<Option<usize>>,
    hints: usize,
    gave_up: bool,
    /// The run as a share string.
    run: Option<&'l str>,
}

impl<'l> Progress<'l> {
    /// Reads the parts of a link behind the lesson. Unknown parts are ignored.
    fn read(parts: impl Iterator<Item = &'l str>) -> Self {
        let mut progress = Self::default();
        for part in parts {
            if let Some(answers) = part.strip_prefix(ANSWERS) {
                progress.answers = answers.split(',').map(|answer| answer.parse().ok()).collect();
            } else if let Some(hints) = part.strip_prefix(HINTS) {
                progress.hints = hints.parse().unwrap_or(0);
            } else if part.strip_prefix(SOLUTION).is_some() {
                progress.gave_up = true;
            } else if let Some(run) = part.strip_prefix(RUN) {
                progress.run = Some(run);
            }
        }
        progress
    }
}

/// A lesson that is named, before its texts are there.
pub(crate) enum Named {
    /// One of the course, by its id.
    Course(String),
    /// One that brings its texts.
    Own(Arc<Lesson>),
}

/// The lesson that a link names after `#`; `None` if it names none that can be opened.
pub(crate) fn lesson_of_link(hash: &str) -> Option<Named> {
    let lesson = hash.rsplit('#').next().unwrap_or(hash).trim().split('&').next()?;
    match lesson.strip_prefix("lesson=") {
        Some(id) => Some(Named::Course(id.to_owned())),
        None => own_lesson(&OwnLesson::read(lesson)?),
    }
}

/// The lesson of a tab's state.
pub(crate) fn lesson_kept(kept: &Kept) -> Option<Named> {
    match &kept.own {
        Some(own) => own_lesson(own),
        None => Some(Named::Course(kept.id.clone())),
    }
}

fn own_lesson(own: &OwnLesson) -> Option<Named> {
    read(&own.lesson, &own.texts).ok().map(|(lesson, _)| Named::Own(lesson))
}

/// Returns the lesson that a link names after `#`, with the try in it; `None` if it names no lesson.
pub(crate) fn open_lesson_link(host: &mut Host, hash: &str) -> Option<Vec<Fact>> {
    let inner = hash.rsplit('#').next().unwrap_or(hash).trim();
    let mut parts = inner.split('&');
    let lesson = parts.next().unwrap_or_default();
    let progress = Progress::read(parts);
    if let Some(id) = lesson.strip_prefix("lesson=") {
        return Some(match of_course(&host.library, id, &host.language) {
            Some((lesson, texts)) => begin(host, lesson, texts, None, &progress),
            None => vec![broken(inner, &unknown(id))],
        });
    }
    if !lesson.starts_with(planarium_scenario::lesson::LESSON_PREFIX) {
        return None;
    }
    let Some(own) = OwnLesson::read(lesson) else {
        return Some(vec![broken(inner, "the link to this lesson is damaged or cut off")]);
    };
    Some(match read(&own.lesson, &own.texts) {
        Ok((lesson, texts)) => begin(host, lesson, texts, Some(own), &progress),
        Err(reason) => vec![broken(inner, &format!("the lesson cannot be opened: {reason}"))],
    })
}

/// A lesson of the course.
pub(crate) fn open_lesson(host: &mut Host, id: &str) -> Vec<Fact> {
    match of_course(&host.library, id, &host.language) {
        Some((lesson, texts)) => open(host, lesson, texts, None),
        None => vec![broken(&format!("lesson={id}"), &unknown(id))],
    }
}

/// Says that the course has no lesson of this id, and which one is near.
fn unknown(id: &str) -> String {
    let id: String = id.chars().take(60).collect();
    match suggest(&id, planarium_gallery::lesson_heads().iter().map(|lesson| lesson.id)) {
        Some(meant) => format!("there is no lesson `{id}`; the nearest one is `{meant}`"),
        None => format!("there is no lesson `{id}`"),
    }
}

/// Opens a lesson with the try of a link.
fn begin(
    host: &mut Host,
    lesson: Arc<Lesson>,
    texts: Texts,
    own: Option<OwnLesson>,
    progress: &Progress<'_>,
) -> Vec<Fact> {
    let Some(run) = progress.run else {
        let facts = open(host, lesson, texts, own);
        if let Some(teaching) = &mut host.shown.lesson {
            teaching.take(progress);
        }
        return facts;
    };
    let journal = match share::decode(run) {
        Ok(journal) => journal,
        Err(error) => return vec![broken(run, &error.to_string())],
    };
    let (engine, difference) = match Engine::open(&journal) {
        Ok(opened) => opened,
        Err(error) => return vec![broken(run, &error.to_string())],
    };
    let drafts = crate::open::drafts_of(&crate::open::scenario_of(&journal));
    let mut teaching = begin_lesson(host, lesson, texts, own);
    teaching.take(progress);
    let mut shown = Shown::new(engine, None, teaching.scenario().clone(), teaching.narration());
    shown.lesson = Some(Box::new(teaching));
    host.leave_for(shown, OPENED);
    host.go_to_moment(run);
    let mut facts = host.opened(drafts, None);
    facts.extend(difference.map(|difference| differing(&journal, &difference)));
    facts
}

fn open(host: &mut Host, lesson: Arc<Lesson>, texts: Texts, own: Option<OwnLesson>) -> Vec<Fact> {
    let drafts = crate::open::drafts_of(&lesson.scenario);
    let teaching = begin_lesson(host, lesson, texts, own);
    let shown = at_start(teaching);
    host.leave_for(shown, OPENED);
    host.opened(drafts, None)
}

fn begin_lesson(host: &mut Host, lesson: Arc<Lesson>, texts: Texts, own: Option<OwnLesson>) -> Teaching {
    host.lesson_told.opened += 1;
    let attempt = Attempt::start(&lesson, None);
    let mut teaching = Teaching {
        number: host.lesson_told.opened,
        answers: vec![None; lesson.predict.len()],
        lesson,
        texts,
        own,
        attempt,
        off_track: false,
        hints: 0,
        par: None,
        gave_up: false,
        solution: None,
        ended: Vec::new(),
        moves: (None, Vec::new()),
    };
    teaching.par = teaching.solved().map(|solved| score(solved.score()));
    teaching
}

/// Starts the lesson over. `None` in a sandbox.
pub(crate) fn restart_lesson(host: &mut Host) -> Option<Vec<Fact>> {
    let teaching = host.shown.lesson.as_ref()?;
    let services = teaching.lesson.scenario.services.clone();
    if !host.touched {
        return Some(vec![Fact::Rebuilt(services)]);
    }
    let shown = at_start(teaching.anew());
    host.leave_for(shown, "Started over");
    let mut facts = vec![host.moved(), Fact::Story(host.shown.narration.told())];
    host.shown.narration.tell_again();
    facts.push(Fact::Rebuilt(services));
    facts.push(Fact::Told("Started over.".into(), Some(ToastUndo::Last)));
    Some(facts)
}

/// The part of a link to the lesson after `#`; `None` in a sandbox.
pub(crate) fn lesson_link(host: &Host) -> Option<String> {
    host.shown.lesson.as_ref().map(|teaching| teaching.link())
}

/// The part of a link to the lesson with everything done in it; `None` in a sandbox.
pub(crate) fn try_link(host: &mut Host) -> Option<String> {
    let touched = host.touched || host.shown.engine.head_ms() > 0;
    let teaching = host.shown.lesson.as_ref()?;
    let mut parts = vec![teaching.link()];
    if teaching.answers.iter().any(Option::is_some) {
        let answer = |answer: &Option<Answer>| {
            answer.map_or_else(|| "-".to_owned(), |answer| answer.option.to_string())
        };
        let answers: Vec<String> = teaching.answers.iter().map(answer).collect();
        parts.push(format!("{ANSWERS}{}", answers.join(",")));
    }
    if teaching.hints > 0 {
        parts.push(format!("{HINTS}{}", teaching.hints));
    }
    if teaching.gave_up {
        parts.push(format!("{SOLUTION}1"));
    }
    if touched {
        let engine = &mut host.shown.engine;
        let moment = share::moment_of(engine);
        parts.push(format!("{RUN}{}", share::encode_at(&engine.journal(), moment)));
    }
    Some(parts.join("&"))
}

/// The lesson as a tab keeps it.
pub(crate) fn kept_lesson(teaching: &Teaching) -> Kept {
    Kept {
        id: teaching.lesson.id.clone(),
        own: teaching.own.clone(),
        hints: teaching.hints,
        answers: teaching.answers.iter().map(|answer| answer.map(|answer| answer.option)).collect(),
        gave_up: teaching.gave_up,
    }
}

/// Restores a lesson from a tab's stored state.
pub(crate) fn kept_teaching(host: &mut Host, kept: Kept) -> Option<Teaching> {
    let found = match &kept.own {
        Some(own) => read(&own.lesson, &own.texts).ok(),
        None => of_course(&host.library, &kept.id, &host.language),
    };
    let (lesson, texts) = found?;
    let mut teaching = begin_lesson(host, lesson, texts, kept.own);
    teaching.take(&Progress { answers: kept.answers, hints: kept.hints, gave_up: kept.gave_up, run: None });
    Some(teaching)
}

impl Teaching {
    /// Takes answers, hints and the seen solution over.
    fn take(&mut self, progress: &Progress<'_>) {
        self.hints = progress.hints.min(self.texts.hints.len());
        self.gave_up = progress.gave_up;
        for (question, option) in progress.answers.iter().enumerate() {
            if let Some(option) = option {
                self.answer(question, *option);
            }
        }
    }

    /// Records an answer to an unanswered question, and plays a run that reveals the right one.
    pub(super) fn answer(&mut self, question: usize, option: usize) {
        let Some(asked) = self.lesson.predict.get(question) else { return };
        let Some(place) = self.answers.get_mut(question).filter(|answer| answer.is_none()) else { return };
        let right = asked.options.iter().position(|option| option.right);
        if let Some(right) = right.filter(|_| option < asked.options.len()) {
            let at_ms = answered_at(&self.lesson, question, right, self.attempt.seed());
            *place = Some(Answer { option, right, at_ms });
        }
    }

    /// The scenario of the lesson's world.
    pub(crate) fn scenario(&self) -> &Scenario {
        &self.lesson.scenario
    }

    /// The story of the world without its script, which the task describes.
    pub(crate) fn narration(&self) -> Narration {
        let scenario = Scenario { script: Vec::new(), ..self.lesson.scenario.clone() };
        Narration::of(&scenario, None, "")
    }
}

/// Returns the instant at which a run without the learner reveals the right answer, at the latest the lesson's end.
fn answered_at(lesson: &Arc<Lesson>, question: usize, right: usize, seed: u64) -> u64 {
    let limit_ms = lesson.scenario.limit_ms;
    let Some(asked) = lesson.predict.get(question) else { return limit_ms };
    let checks = asked.options.iter().map(|option| planarium_scenario::lesson::NamedCheck {
        id: option.id.clone(),
        role: planarium_scenario::lesson::Role::Goal,
        check: option.when.clone(),
    });
    let alone = Arc::new(Lesson { checks: checks.collect(), ..Lesson::clone(lesson) });
    let mut attempt = Attempt::start(&alone, Some(seed));
    if attempt.play_on(&asked.play).is_err() {
        return limit_ms;
    }
    let progress = attempt.progress();
    progress.checks.get(right).and_then(|check| check.at_ms).unwrap_or(limit_ms)
}

/// The world of a lesson at its beginning.
fn at_start(teaching: Teaching) -> Shown {
    let scenario = teaching.lesson.scenario.clone();
    let (engine, player) = Player::start(Scenario {
        genesis: planarium_world::Genesis { seed: teaching.attempt.seed(), ..scenario.genesis },
        ..scenario.clone()
    });
    let branch = engine.branches().iter().find(|branch| branch.current).map_or(0, |branch| branch.id);
    let player = (!player.done()).then_some((player, branch));
    let narration = teaching.narration();
    let mut shown = Shown::new(engine, player, scenario, narration);
    shown.lesson = Some(Box::new(teaching));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_embed::fence::{Body, Options, fences};
    use planarium_messages::facts::Reply;
    use planarium_messages::lessons::{CheckState, LessonAsk, Try};
    use planarium_messages::questions::{Ask, Begin, Call, Demo, Question};

    fn ask(host: &mut Host, ask: Ask) -> Vec<Fact> {
        host.answer(Question { number: 1, selected: None, editor: None, ask })
    }

    fn opened(hash: &str) -> (Host, Vec<Fact>) {
        let mut host = Host::new(|_| {});
        let begin = Begin { hash: hash.to_owned(), ..Begin::default() };
        let facts = ask(&mut host, Ask::Begin(Box::new(begin)));
        (host, facts)
    }

    fn tried(facts: &[Fact]) -> Arc<Try> {
        let found = facts.iter().rev().find_map(|fact| match fact {
            Fact::Try(shown) => Some(Arc::clone(&shown.0)),
            _ => None,
        });
        found.expect("a try")
    }

    /// The part of a shared link from `#` on.
    fn shared(host: &mut Host) -> String {
        let facts = ask(host, Ask::Call(Call::Share("https://example.org/".to_owned())));
        let url = facts.into_iter().find_map(|fact| match fact {
            Fact::Reply(Reply::Called(Ok(value))) => value["url"].as_str().map(str::to_owned),
            _ => None,
        });
        let url = url.expect("a link");
        url.strip_prefix("https://example.org/").expect("the page's address").to_owned()
    }

    fn reason(facts: &[Fact]) -> Option<String> {
        facts.iter().find_map(|fact| match fact {
            Fact::Broken(broken) => Some(broken.reason.to_string()),
            _ => None,
        })
    }

    #[test]
    fn a_link_to_a_try_has_everything_that_was_done() {
        let (mut host, _) = opened("#lesson=canary");
        assert_eq!(shared(&mut host), "#lesson=canary", "nothing was done");
        ask(&mut host, Ask::Lesson(LessonAsk::Answer(0, 1)));
        ask(&mut host, Ask::Lesson(LessonAsk::Hint));
        assert_eq!(shared(&mut host), "#lesson=canary&answers=1&hints=1");
        ask(&mut host, Ask::SeekMs(40_000));
        let word = |host: &mut Host| {
            let facts = ask(host, Ask::Lesson(LessonAsk::Give("nothing".into())));
            assert!(facts.iter().any(|fact| matches!(fact, Fact::Refused(_))));
            let (_, moves) = &host.shown.lesson.as_ref().expect("a lesson").moves;
            moves.iter().find(|title| title.contains("ontinue deploy/web")).cloned().expect("a command")
        };
        let go_on = word(&mut host);
        ask(&mut host, Ask::Lesson(LessonAsk::Give(go_on)));
        let mut facts = ask(&mut host, Ask::SeekMs(70_000));
        facts.extend(ask(&mut host, Ask::SeekMs(60_000)));
        let before = tried(&facts);
        let link = shared(&mut host);
        assert!(link.starts_with("#lesson=canary&answers=1&hints=1&run=p1:") && link.contains('~'), "{link}");
        let (mut again, facts) = opened(&link);
        let after = tried(&facts);
        assert_eq!(
            (after.verdict, &after.checks, after.score),
            (before.verdict, &before.checks, before.score)
        );
        assert_eq!(after.checks.first().map(|check| check.state), Some(CheckState::Met));
        assert_eq!((after.hints.len(), after.off_track), (1, false));
        assert_eq!(after.answers.first().and_then(Option::as_ref).map(|answer| answer.option), Some(1));
        assert_eq!(again.shown.engine.digest(), host.shown.engine.digest(), "it stands at the same moment");
        assert_eq!(shared(&mut again), link);
    }

    #[test]
    fn a_lesson_that_does_not_exist_is_told_with_the_nearest_one() {
        let (_, facts) = opened("#lesson=canray");
        assert_eq!(
            reason(&facts).as_deref(),
            Some("there is no lesson `canray`; the nearest one is `canary`")
        );
        let (_, facts) = opened("#l1:nonsense");
        assert_eq!(reason(&facts).as_deref(), Some("the link to this lesson is damaged or cut off"));
        let (_, facts) = opened("#lesson=canary&run=p1:nonsense");
        assert!(reason(&facts).is_some());
        let (host, facts) = opened("#lesson=canary&answers=9,x&hints=99&stars=3");
        assert_eq!(reason(&facts), None, "what means nothing is passed over");
        let teaching = host.shown.lesson.as_ref().expect("a lesson");
        assert!(teaching.asks() && teaching.hints == 2);
    }

    #[test]
    fn a_language_without_texts_is_answered_in_english() {
        let mut host = Host::new(|_| {});
        let begin =
            Begin { lesson: Some("canary".to_owned()), language: Some("tlh".to_owned()), ..Begin::default() };
        ask(&mut host, Ask::Begin(Box::new(begin)));
        assert_eq!(host.shown.lesson.as_ref().expect("a lesson").texts.title, "A canary");
    }

    #[test]
    fn the_fence_of_an_own_lesson_holds_all_of_it() {
        let course = planarium_gallery::lesson("canary").expect("a lesson");
        let texts = course.texts_in("en").expect("texts").1;
        let own = OwnLesson { lesson: course.text.to_owned(), texts: texts.to_owned() };
        let (mut host, _) = opened(&format!("#{}", own.link()));
        let demo = Demo {
            engine: Some("https://example.org/embed.html".to_owned()),
            playground: "https://example.org/".to_owned(),
            attributes: vec![("autoplay".to_owned(), String::new()), ("theme".to_owned(), "dark".to_owned())],
            ..Demo::default()
        };
        let facts = ask(&mut host, Ask::Demo(Box::new(demo)));
        let texts = facts.into_iter().find_map(|fact| match fact {
            Fact::Reply(Reply::Demo(Ok(texts))) => Some(texts),
            _ => None,
        });
        let texts = texts.expect("texts");
        let found = fences(&texts.fence);
        let [fence] = found.as_slice() else { panic!("not one fence:\n{}", texts.fence) };
        let (options, findings) = Options::read(&fence.info);
        assert_eq!((findings, options.fit(true)), (Vec::new(), Vec::new()), "{}", fence.info);
        let (body, findings) = Body::read(&fence.body);
        assert_eq!(findings, []);
        let (lesson, words) = body.lesson_and_texts().expect("both parts");
        let (lesson, words) = read(&lesson, &words).expect("a lesson");
        assert_eq!((lesson.id.as_str(), words.title.as_str()), ("canary", "A canary"));
        assert_eq!(texts.hash, format!("#{}", own.link()));
        assert!(
            texts.element.starts_with(&format!("<planarium-embed lesson=\"{}\" theme=\"dark\"", own.link()))
        );
    }
}
