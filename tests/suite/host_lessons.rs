//! Lessons as the host answers a page: the try follows the run shown on every branch, a lost one is taken back, a run becomes a
//! lesson, and results are played again.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use planarium_host::Host;
use planarium_messages::clock::Clock;
use planarium_messages::compared::Against;
use planarium_messages::facts::{Fact, Keep, Reply};
use planarium_messages::lessons::{
    Card, CheckState, LessonAsk, LessonDraft, MadeLesson, Material, Try, Verdict,
};
use planarium_messages::questions::{Ask, Begin, Question, Toward};
use planarium_protocol::Input;
use planarium_scenario::lesson::{Attempt, Lesson};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A page without a display: the facts that it received.
struct Page {
    host: Host,
    tab: Rc<RefCell<String>>,
    /// Tries that were to be kept: lesson, link.
    kept: Rc<RefCell<Vec<(String, String)>>>,
    number: u32,
    card: Option<Arc<Card>>,
    attempt: Arc<Try>,
    clock: Clock,
    branches: usize,
    refused: Vec<String>,
    /// Reason why a link could not be opened.
    broken: Option<String>,
    stopped: usize,
    reply: Option<Reply>,
    output: String,
    compared: bool,
}

impl Page {
    fn new(begin: Begin) -> Self {
        let tab = Rc::new(RefCell::new(String::new()));
        let keep = Rc::clone(&tab);
        let kept = Rc::new(RefCell::new(Vec::new()));
        let tries = Rc::clone(&kept);
        let host = Host::new(move |kept| match kept {
            Keep::Tab(text) => *keep.borrow_mut() = text,
            Keep::Try { lesson, link } => tries.borrow_mut().push((lesson, link)),
            _ => {}
        });
        let mut page = Self {
            host,
            tab,
            kept,
            number: 0,
            card: None,
            attempt: Arc::default(),
            clock: Clock::default(),
            branches: 0,
            refused: Vec::new(),
            broken: None,
            stopped: 0,
            reply: None,
            output: String::new(),
            compared: false,
        };
        page.ask(Ask::Begin(Box::new(begin)));
        page
    }

    fn ask(&mut self, ask: Ask) {
        self.number += 1;
        self.refused.clear();
        self.stopped = 0;
        self.reply = None;
        let question = Question { number: self.number, selected: None, editor: None, ask };
        for fact in self.host.answer(question) {
            match fact {
                Fact::Moved(snapshot) => {
                    self.clock = snapshot.clock;
                    self.branches = snapshot.branches.map_or(self.branches, |tabs| tabs.len());
                }
                Fact::Lesson(card) => self.card = card.map(|card| card.0),
                Fact::Try(attempt) => self.attempt = attempt.0,
                Fact::Refused(text) => self.refused.push(text.to_string()),
                Fact::Broken(link) => self.broken = Some(link.reason.to_string()),
                Fact::Stopped => self.stopped += 1,
                Fact::Reply(reply) => self.reply = Some(reply),
                Fact::Answered(answer) => self.output = format!("{}{}", answer.stdout, answer.stderr),
                Fact::Compared(compared) => self.compared = compared.is_some(),
                _ => {}
            }
        }
    }

    fn lesson(id: &str) -> Self {
        let mut page = Self::new(Begin { hash: format!("#lesson={id}"), ..Begin::default() });
        page.answer_all();
        page
    }

    fn answer_all(&mut self) {
        for question in 0..self.attempt.answers.len() {
            self.ask(Ask::Lesson(LessonAsk::Answer(question, 0)));
        }
    }

    fn card(&self) -> Arc<Card> {
        Arc::clone(self.card.as_ref().expect("a lesson is open"))
    }

    fn play(&mut self, moves: &[(u64, Input)], until_ms: u64) {
        for (at_ms, input) in moves {
            self.ask(Ask::SeekMs(*at_ms));
            self.ask(Ask::Do(Box::new(input.clone())));
        }
        // The last command may have decided it.
        if self.attempt.verdict == Verdict::Open {
            self.ask(Ask::SeekMs(until_ms));
        }
    }
}

fn course() -> Vec<Arc<Lesson>> {
    let read = |lesson: &planarium_gallery::Lesson| {
        let parsed = planarium_scenario::parse(lesson.text, lesson.id, &|_| None);
        Arc::new(*parsed.lesson.expect(lesson.id))
    };
    planarium_gallery::lessons().iter().map(read).collect()
}

fn one(id: &str) -> Arc<Lesson> {
    course().into_iter().find(|lesson| lesson.id == id).expect("a lesson")
}

fn moves(attempt: &Attempt) -> Vec<(u64, Input)> {
    attempt.moves().iter().map(|made| (made.at_ms, made.input.clone())).collect()
}

fn solved(lesson: &Arc<Lesson>) -> Attempt {
    let mut attempt = Attempt::start(lesson, None);
    attempt.play(&lesson.solution).expect("the solution");
    attempt
}

#[test]
fn the_solution_of_every_lesson_passes_in_the_page_with_the_score_of_the_terminal() {
    for lesson in course() {
        let attempt = solved(&lesson);
        let mut page = Page::lesson(&lesson.id);
        let card = page.card();
        assert_eq!(card.id.as_ref(), lesson.id);
        page.play(&moves(&attempt), lesson.scenario.limit_ms);
        let (shown, want) = (&page.attempt, attempt.score());
        assert!(!shown.off_track, "{}", lesson.id);
        let Verdict::Passed { at_ms } = shown.verdict else { panic!("{}: {:?}", lesson.id, shown.checks) };
        assert_eq!(page.clock.now_ms, at_ms, "{}: the clock stops at the verdict", lesson.id);
        let score = (shown.score.commands, shown.score.time_ms, shown.score.unavailable_ms);
        assert_eq!(score, (want.commands, want.time_ms, want.unavailable_ms), "{}", lesson.id);
        assert_eq!((shown.stars, card.par), (Some(3), Some(shown.score)), "{}", lesson.id);
        assert!(shown.solution.is_some(), "{}: it may be seen now", lesson.id);
    }
}

#[test]
fn every_failing_route_is_reported_and_undone_on_a_branch() {
    for lesson in course() {
        // One of them for each lesson: the terminal tests all of them.
        if let Some(naive) = lesson.naive.first() {
            let mut attempt = Attempt::start(&lesson, None);
            attempt.play(&naive.play).expect("a route");
            let mut page = Page::lesson(&lesson.id);
            page.play(&moves(&attempt), lesson.scenario.limit_ms);
            let Verdict::Lost { at_ms, check } = page.attempt.verdict else {
                panic!("{}: {:?}", lesson.id, page.attempt.verdict)
            };
            assert_eq!(page.card().checks[check].id.as_ref(), naive.fails, "{}", lesson.id);
            let account = page.attempt.checks[check].account.clone().expect("an account");
            assert!(account.sentence.starts_with("Lost at ") && !account.chain.is_empty(), "{}", lesson.id);
            assert_eq!((page.clock.now_ms, page.stopped), (at_ms, 1), "{}: the clock stops", lesson.id);
            let branches = page.branches;
            page.ask(Ask::Lesson(LessonAsk::GoBack));
            assert_eq!(page.attempt.verdict, Verdict::Open, "{}", lesson.id);
            assert_eq!(page.clock.now_ms, account.back_ms, "{}", lesson.id);
            assert_eq!((page.branches, page.clock.at_head()), (branches + 1, true), "{}", lesson.id);
            assert!(!page.attempt.off_track, "{}", lesson.id);
            page.ask(Ask::Undo);
            assert!(
                matches!(page.attempt.verdict, Verdict::Lost { .. }),
                "{}: the lost run is kept",
                lesson.id
            );
        }
    }
}

#[test]
fn a_lost_run_can_be_undone_and_passed_on_its_branch() {
    let lesson = one("canary");
    let mut page = Page::lesson("canary");
    let solution = moves(&solved(&lesson));
    page.play(&solution[..1], lesson.scenario.limit_ms);
    assert!(matches!(page.attempt.verdict, Verdict::Lost { .. }));
    page.ask(Ask::Lesson(LessonAsk::GoBack));
    // The script of the lesson continues there as well and causes the rollout.
    page.play(&solution, lesson.scenario.limit_ms);
    assert!(matches!(page.attempt.verdict, Verdict::Passed { .. }), "{:?}", page.attempt.checks);
    assert_eq!(page.attempt.score.commands, solution.len() as u64);
    let ended: Vec<bool> = page.attempt.earlier.iter().map(|earlier| earlier.passed).collect();
    assert_eq!(ended, [false, true]);
    for against in [Against::Solution, Against::Earlier(1)] {
        page.ask(Ask::Compare(Some(against)));
        assert!(page.compared && page.refused.is_empty());
    }
    assert_eq!(page.attempt.dares.len(), 3);
}

#[test]
fn questions_come_first_and_the_run_answers_them() {
    let mut page = Page::new(Begin { lesson: Some("canary".into()), ..Begin::default() });
    assert!(page.attempt.asks());
    for ask in
        [Ask::Play, Ask::Frame(500), Ask::Ahead(500), Ask::StepEvent(Toward::Ahead), Ask::SeekMs(9_000)]
    {
        page.ask(ask.clone());
        assert_eq!((page.clock.now_ms, page.refused.len(), page.stopped), (0, 1, 1), "{ask:?}");
    }
    page.ask(Ask::Lesson(LessonAsk::Answer(0, 7)));
    assert!(page.attempt.asks(), "there is no such option");
    page.ask(Ask::Lesson(LessonAsk::Answer(0, 1)));
    page.ask(Ask::SeekMs(59_000));
    assert_eq!(
        page.attempt.answers[0].as_ref().expect("an answer").outcome,
        None,
        "nothing has shown it yet"
    );
    page.ask(Ask::SeekMs(60_000));
    let outcome = page.attempt.answers[0].clone().and_then(|answer| answer.outcome).expect("an outcome");
    assert_eq!(outcome.right, 0);
    assert!(outcome.because.contains("operator holds it") && outcome.not.is_some());
    page.ask(Ask::Lesson(LessonAsk::Answer(0, 0)));
    assert_eq!(page.attempt.answers[0].as_ref().expect("an answer").option, 1, "an answer stays");
}

#[test]
fn forbidden_inputs_are_refused_with_the_reason() {
    let mut page = Page::lesson("canary");
    page.ask(Ask::SeekMs(40_000));
    let fault = r#"{"kind": "fault", "fault": "agent-lost", "target": {"agent": "agent-1"}}"#;
    let fault: Input = planarium_protocol::json::read(fault.as_bytes()).expect("a fault");
    page.ask(Ask::Do(Box::new(fault)));
    assert_eq!(page.refused.len(), 1);
    assert!(page.refused[0].contains("`fault agent-lost`") && page.refused[0].contains("plan continue"));
    page.ask(Ask::Run { line: "pod restart web-0".into(), service: None });
    assert!(page.output.contains("does not allow `pod restart`"), "{}", page.output);
    assert_eq!(page.attempt.score.commands, 0);
    for ask in [Ask::Apply, Ask::SetSeed(9), Ask::SetPreset("1".into()), Ask::DropService(0)] {
        page.ask(ask.clone());
        assert!(page.refused[0].contains("stays as it is"), "{ask:?}: {:?}", page.refused);
    }
    page.ask(Ask::Run { line: "plan status deploy".into(), service: None });
    assert!(page.output.contains("WAITING"), "looking is allowed: {}", page.output);
    page.ask(Ask::Run { line: "plan continue deploy web".into(), service: None });
    page.ask(Ask::SeekMs(41_000));
    assert_eq!((page.attempt.score.commands, page.attempt.off_track), (1, false), "{}", page.output);
    let moves = page.attempt.moves.clone();
    assert!(moves.iter().all(|title| title.contains("ontinue") || title.contains("orce")), "{moves:?}");
    page.ask(Ask::Lesson(LessonAsk::Leave));
    assert!(page.card.is_none());
    page.ask(Ask::Run { line: "pod restart web-0".into(), service: None });
    assert!(!page.output.contains("does not allow"), "a sandbox has no rules");
}

#[test]
fn commands_in_the_middle_of_an_instant_and_in_the_past_are_followed() {
    let lesson = one("canary");
    let input = moves(&solved(&lesson))[0].1.clone();
    let mut page = Page::lesson("canary");
    page.ask(Ask::SeekMs(34_000));
    for _ in 0..12 {
        page.ask(Ask::StepEvent(Toward::Ahead));
    }
    page.ask(Ask::Do(Box::new(input.clone())));
    assert!(!page.attempt.off_track);
    page.ask(Ask::SeekMs(100_000));
    for back_ms in [31_000, 36_000, 30_000] {
        page.ask(Ask::SeekMs(back_ms));
        page.ask(Ask::StepEvent(Toward::Back));
        page.ask(Ask::Do(Box::new(input.clone())));
        assert!(!page.attempt.off_track, "{back_ms}");
        page.ask(Ask::SeekMs(back_ms + 60_000));
        assert!(!page.attempt.off_track, "{back_ms}");
    }
    page.ask(Ask::Undo);
    page.ask(Ask::Branch(1));
    page.ask(Ask::Reset);
    assert!(!page.attempt.off_track);
    assert_eq!((page.attempt.score.commands, page.clock.now_ms), (0, 0));
    assert!(!page.attempt.asks(), "answers stay");
}

#[test]
fn hints_come_one_at_a_time_and_the_solution_on_request() {
    let mut page = Page::lesson("canary");
    page.ask(Ask::Compare(Some(Against::Solution)));
    assert_eq!(page.refused.len(), 1, "it is not shown yet");
    for count in [1, 2, 2] {
        page.ask(Ask::Lesson(LessonAsk::Hint));
        assert_eq!(page.attempt.hints.len(), count);
    }
    assert!(page.attempt.solution.is_none());
    page.ask(Ask::Lesson(LessonAsk::Solution));
    assert!(page.attempt.gave_up);
    assert_eq!(page.attempt.solution.as_ref().map(Vec::len), Some(2));
}

#[test]
fn a_reloaded_page_is_in_its_lesson() {
    let lesson = one("canary");
    let mut page = Page::lesson("canary");
    page.ask(Ask::Lesson(LessonAsk::Hint));
    page.play(&moves(&solved(&lesson))[..1], 50_000);
    page.ask(Ask::WriteAddress);
    let tab = page.tab.borrow().clone();
    let mut again = Page::new(Begin { hash: "#lesson=canary".into(), tab: Some(tab), ..Begin::default() });
    assert_eq!(again.card, page.card);
    assert_eq!(again.attempt, page.attempt);
    assert_eq!(again.clock, page.clock);
    again.play(&moves(&solved(&lesson))[1..], lesson.scenario.limit_ms);
    assert!(matches!(again.attempt.verdict, Verdict::Passed { .. }), "the script goes on");
}

#[test]
fn tries_that_the_browser_kept_are_compared_in_a_later_visit() {
    let lesson = one("canary");
    let mut page = Page::lesson("canary");
    page.ask(Ask::SeekMs(lesson.scenario.limit_ms));
    assert!(matches!(page.attempt.verdict, Verdict::Lost { .. }));
    page.ask(Ask::Reset);
    page.play(&moves(&solved(&lesson)), lesson.scenario.limit_ms);
    assert!(matches!(page.attempt.verdict, Verdict::Passed { .. }));
    let kept = page.kept.borrow().clone();
    assert_eq!(kept.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["canary", "canary"]);
    let links: Vec<String> = kept.into_iter().map(|(_, link)| link).collect();

    let mut later = Page::lesson("canary");
    assert!(later.attempt.earlier.is_empty());
    later.ask(Ask::Lesson(LessonAsk::Earlier(links.clone())));
    assert_eq!(later.attempt.earlier, page.attempt.earlier);
    assert_eq!(later.attempt.earlier.iter().map(|one| one.passed).collect::<Vec<_>>(), [false, true]);
    later.ask(Ask::Compare(Some(Against::Earlier(1))));
    assert!(later.compared, "{:?}", later.refused);
    // A try that is known is not taken in twice, whether it comes from the browser or is played again.
    later.ask(Ask::Lesson(LessonAsk::Earlier(links.clone())));
    later.ask(Ask::SeekMs(lesson.scenario.limit_ms));
    assert_eq!(later.attempt.earlier.len(), 2);
    assert_eq!(later.kept.borrow().len(), 0);

    // Links that are damaged or of another lesson are left out, and there is an end of them.
    let mut other = Page::lesson("status");
    other.ask(Ask::Lesson(LessonAsk::Earlier(vec!["h1:AAAA".into(), links[0].clone(), String::new()])));
    assert!(other.attempt.earlier.is_empty());
}

#[test]
fn a_link_to_an_unknown_or_damaged_lesson_is_said_to_be_broken() {
    for hash in ["#lesson=nobody", "#lesson=", "#l1:AAAA", "#l1:", "#l1:***"] {
        let page = Page::new(Begin { hash: hash.to_owned(), ..Begin::default() });
        assert!(page.card.is_none());
        assert!(page.broken.is_some_and(|reason| !reason.is_empty()), "{hash}");
    }
}

/// A rollout commanded by hand, and its material for a lesson.
fn recorded() -> (Page, Material) {
    let mut page = Page::lesson("canary");
    page.ask(Ask::Lesson(LessonAsk::Leave));
    page.play(&moves(&solved(&one("canary"))), 120_000);
    page.ask(Ask::Lesson(LessonAsk::Suggest));
    let Some(Reply::Material(material)) = page.reply.take() else { panic!("no material") };
    (page, *material)
}

fn draft(material: &Material) -> LessonDraft {
    LessonDraft {
        id: "my-canary".into(),
        title: "My \"canary\": the first".into(),
        story: "Let one go first.\n\nThen the rest.".into(),
        done: "It went.".into(),
        hints: vec!["Continue the phase.".into(), " ".into()],
        allowed: material.words.clone(),
        checks: material.checks.clone(),
    }
}

fn made(page: &mut Page, draft: LessonDraft) -> Result<MadeLesson, Vec<String>> {
    page.ask(Ask::Lesson(LessonAsk::Make(Box::new(draft))));
    let Some(Reply::Made(made)) = page.reply.take() else { panic!("no answer") };
    made.map(|made| *made)
}

#[test]
fn a_lesson_is_made_from_a_run_played_from_its_link_and_handed_in() {
    let (mut page, material) = recorded();
    assert_eq!(
        (material.words.as_slice(), material.moves.len()),
        (["plan continue".to_owned()].as_slice(), 2)
    );
    assert!(material.checks.iter().any(|check| check.takes_a_command), "{:?}", material.checks);
    let made = made(&mut page, draft(&material)).unwrap_or_else(|found| panic!("{found:?}"));
    let names: Vec<&str> = made.files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["my-canary.planarium.yaml", "my-canary.en.yaml"]);

    let mut class = Page::new(Begin { hash: format!("#{}", made.link), ..Begin::default() });
    let card = class.card();
    assert_eq!((card.title.as_ref(), card.place, card.hints), ("My \"canary\": the first", None, 1));
    class.play(&moves(&solved(&one("canary"))), card.limit_ms);
    assert!(matches!(class.attempt.verdict, Verdict::Passed { .. }), "{:?}", class.attempt.checks);
    class.ask(Ask::Lesson(LessonAsk::HandIn("  Ada  ".into())));
    let Some(Reply::HandIn(Some(link))) = class.reply.take() else { panic!("no link") };

    let mut lazy = Page::new(Begin { hash: format!("#{}", made.link), ..Begin::default() });
    lazy.ask(Ask::SeekMs(card.limit_ms));
    lazy.ask(Ask::Lesson(LessonAsk::HandIn("Bob".into())));
    let Some(Reply::HandIn(Some(other))) = lazy.reply.take() else { panic!("no link") };

    let handed = format!("https://example.org/#{link}\n\nnonsense\n{other}\n");
    lazy.ask(Ask::Lesson(LessonAsk::Results(handed.clone())));
    let Some(Reply::Results(rows)) = lazy.reply.take() else { panic!("no results") };
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            (row.line, row.name.as_str(), row.result.as_ref().map(|tried| (tried.passed, tried.stars)).ok())
        })
        .collect();
    assert_eq!(told, [(1, "Ada", Some((true, Some(3)))), (3, "", None), (4, "Bob", Some((false, None)))]);
    // The lesson is unknown elsewhere.
    let mut elsewhere = Page::new(Begin::default());
    elsewhere.ask(Ask::Lesson(LessonAsk::Results(handed)));
    let Some(Reply::Results(rows)) = elsewhere.reply.take() else { panic!("no results") };
    assert!(rows[0].result.as_ref().is_err_and(|why| why.contains("open it by its link")), "{rows:?}");
}

#[test]
fn an_invalid_lesson_is_explained() {
    let (mut page, material) = recorded();
    let good = draft(&material);
    let goal = |draft: &LessonDraft| {
        draft.checks.iter().find(|check| check.takes_a_command).cloned().expect("a goal")
    };
    for (broken, why) in [
        (LessonDraft { id: "My Lesson".into(), ..good.clone() }, "the id is"),
        (LessonDraft { hints: Vec::new(), ..good.clone() }, "no hints"),
        (LessonDraft { story: String::new(), ..good.clone() }, "the task is missing"),
        (LessonDraft { checks: Vec::new(), ..good.clone() }, "there is no goal"),
        (LessonDraft { allowed: vec!["plan start".into()], ..good.clone() }, "not allowed"),
        (
            LessonDraft {
                checks: vec![planarium_messages::lessons::DraftCheck {
                    check: "no such check".into(),
                    ..goal(&good)
                }],
                ..good.clone()
            },
            "the check",
        ),
        (
            LessonDraft {
                checks: vec![planarium_messages::lessons::DraftCheck {
                    check: "deploy=COMPLETE".into(),
                    ..goal(&good)
                }],
                ..good.clone()
            },
            "doing nothing passes",
        ),
    ] {
        let found = made(&mut page, broken).expect_err(why);
        assert!(found.iter().any(|text| text.contains(why)), "{why}: {found:?}");
    }
    let mut untouched = Page::new(Begin::default());
    untouched.ask(Ask::Lesson(LessonAsk::Suggest));
    let Some(Reply::Material(nothing)) = untouched.reply.take() else { panic!("no material") };
    assert!(nothing.moves.is_empty() && nothing.checks.is_empty());
}

#[test]
fn met_checks_stay_met_and_lost_ones_lost() {
    let mut page = Page::lesson("canary");
    let lesson = one("canary");
    page.play(&moves(&solved(&lesson))[..1], 70_000);
    let met = page.attempt.checks.iter().filter(|check| check.state == CheckState::Met).count();
    assert!(met > 0, "{:?}", page.attempt.checks);
    // The cursor may go anywhere: the state is that of the whole branch.
    page.ask(Ask::SeekMs(1_000));
    assert_eq!(page.attempt.checks.iter().filter(|check| check.state == CheckState::Met).count(), met);
}
