//! The picture of each example in the gallery: its steps over time, with a mark where somebody or something steps in.
//!
//! It is drawn from a run of the example, and stands in the front matter of its README: `PLANARIUM_BLESS=1` writes it there. Time goes
//! from change to change, so that what is particular about a run has room, however short it is.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "helpers of tests")]

use planarium_messages::gantt::{Gantt, MarkKind};
use planarium_messages::lane::Segment;
use planarium_messages::paths;
use planarium_messages::statuses::entry;
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::StatusClass;
use planarium_scenario::Player;
use planarium_tests::{files, golden};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Columns of a picture.
const COLUMNS: usize = 28;
/// Most lanes of a picture.
const LANES: usize = 6;
/// The letters of a lane, from the one that gives way to the one that is drawn wherever it occurs: absent, not begun, done, at work,
/// waiting, failed.
const LETTERS: [char; 6] = ['.', 'n', 'c', 'a', 'w', 'e'];

fn class_of(dialect: &str, status: &str) -> StatusClass {
    let dialects = planarium_world::dialects();
    let own = dialects.iter().find(|known| known.word == dialect).map_or(&[][..], |known| known.statuses);
    entry(own, planarium_world::states(), dialects.iter().map(|known| known.statuses), status).class
}

fn letter(dialect: &str, status: &str) -> char {
    match class_of(dialect, status) {
        StatusClass::Pending | StatusClass::Stopped | StatusClass::Unused => 'n',
        StatusClass::Preparing | StatusClass::Starting | StatusClass::Working | StatusClass::Started => 'a',
        StatusClass::Running | StatusClass::Done => 'c',
        StatusClass::Held | StatusClass::Delayed | StatusClass::Stopping => 'w',
        StatusClass::Failed => 'e',
    }
}

/// Lanes of a run with their stretches, and marked moments.
struct Run {
    lanes: Vec<(Text, Vec<Segment>)>,
    marks: Vec<(u64, char)>,
    end_ms: u64,
}

fn run(example: &planarium_gallery::Example) -> Run {
    let file =
        |path: &str| example.files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
    let parsed = planarium_scenario::parse(example.scenario, example.id, &file);
    let (mut engine, mut player) = Player::start(parsed.scenario.expect("a scenario"));
    player.run_to_end(&mut engine);
    let mut gantt = Gantt::default();
    gantt.extend(&engine.recall(0, engine.head_seq()), class_of);
    let end_ms = engine.now_ms() + 1;
    let mut lanes: Vec<(Text, Vec<Segment>)> =
        gantt.lanes().map(|lane| (lane.path.dialect.clone(), lane.segments(end_ms))).collect();
    let known: BTreeSet<ElementPath> = gantt.lanes().map(|lane| lane.path.clone()).collect();
    let view = engine.view();
    // Steps that never changed have no lane.
    for service in &view.services {
        if let Some(plan) = service.plans.get(paths::main_plan(service)) {
            let path = paths::plan_path(service, plan);
            for phase in &plan.phases {
                for step in &phase.steps {
                    let path = ElementPath {
                        phase: Some(phase.name.clone()),
                        step: Some(step.key().clone()),
                        ..path.clone()
                    };
                    if !known.contains(&path) {
                        let status = step.status.clone();
                        let whole = Segment { from_ms: 0, to_ms: end_ms, status, count: 1 };
                        lanes.push((service.dialect.clone(), vec![whole]));
                    }
                }
            }
        }
    }
    // Of tasks on machines those that fail or are lost; all of them where there are no plans.
    let planless = lanes.is_empty();
    for lane in gantt.machines.paths().filter_map(|path| gantt.machines.lane(path)) {
        let parts = lane.segments(end_ms);
        if planless || parts.iter().any(|part| letter("", &part.status) == 'e') {
            lanes.push((Text::default(), parts));
        }
    }
    let marks = gantt.marks.iter().filter(|mark| mark.at_ms > 0).filter_map(|mark| match mark.kind {
        MarkKind::Fault => Some((mark.at_ms, 'x')),
        MarkKind::Command | MarkKind::Refused => Some((mark.at_ms, 'o')),
        MarkKind::Note => None,
    });
    Run { lanes, marks: marks.collect(), end_ms }
}

/// Draws a run: a word for each lane, `n3a2c23` for three columns of `n` and so on, and the marks after a bar, `x7` at column 7.
fn drawn(run: &Run) -> String {
    let begins = run.lanes.iter().flat_map(|(_, all)| all).flat_map(|part| [part.from_ms, part.to_ms]);
    let all: BTreeSet<u64> =
        begins.chain(run.marks.iter().map(|(at, _)| *at)).filter(|at| *at < run.end_ms).chain([0]).collect();
    let mut instants: Vec<u64> = all.into_iter().collect();
    let count = instants.len();
    instants.push(run.end_ms);
    let column = |at: u64| instants.partition_point(|other| *other < at).min(count - 1) * COLUMNS / count;
    let lane = |(dialect, parts): &(Text, Vec<Segment>)| -> String {
        (0..COLUMNS)
            .map(|column| {
                let first = column * count / COLUMNS;
                let last = ((column + 1) * count / COLUMNS).max(first + 1);
                let (from_ms, to_ms) = (instants[first], instants[last]);
                let own = parts.iter().filter(|part| part.from_ms < to_ms && part.to_ms > from_ms);
                let letters = own.map(|part| letter(dialect, &part.status));
                let weight = |letter: &char| LETTERS.iter().position(|known| known == letter);
                letters.max_by_key(weight).unwrap_or('.')
            })
            .collect()
    };
    let lanes: Vec<String> = run.lanes.iter().map(lane).collect();
    let mut order: Vec<usize> = (0..lanes.len()).collect();
    // Lanes in which something fails, waits or changes tell most.
    order.sort_by_key(|at| {
        let text = &lanes[*at];
        let changes = text.as_bytes().windows(2).filter(|pair| pair[0] != pair[1]).count();
        std::cmp::Reverse((text.contains('e'), text.contains('w'), changes))
    });
    order.truncate(LANES);
    order.sort_unstable();
    let mut words: Vec<String> = order.iter().map(|at| short(&lanes[*at])).collect();
    let marks: BTreeMap<usize, char> = run.marks.iter().map(|(at, kind)| (column(*at), *kind)).collect();
    if !marks.is_empty() {
        words.push("|".to_owned());
        words.extend(marks.iter().map(|(column, kind)| format!("{kind}{column}")));
    }
    words.join(" ")
}

/// Writes how often each letter of a lane follows itself.
fn short(lane: &str) -> String {
    let mut out = String::new();
    let mut letters = lane.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut count = 1;
        while letters.next_if_eq(&letter).is_some() {
            count += 1;
        }
        let _ = write!(out, "{letter}{count}");
    }
    out
}

#[test]
fn every_picture_shows_its_own_run() {
    let mut wrong = Vec::new();
    for example in planarium_gallery::examples() {
        let picture = drawn(&run(example));
        if example.picture == picture {
            continue;
        }
        let path = files::root().join("examples").join(example.id).join("README.md");
        if golden::blessing() {
            let readme = files::text(&path);
            let (old, new) = (format!("picture: {}\n", example.picture), format!("picture: {picture}\n"));
            let written = if example.picture.is_empty() {
                readme.replacen("since: ", &format!("{new}since: "), 1)
            } else {
                readme.replacen(&old, &new, 1)
            };
            std::fs::write(&path, written).expect("the README is written");
        } else {
            wrong.push(format!("{}: {:?} is {picture:?} now", example.id, example.picture));
        }
    }
    assert!(wrong.is_empty(), "PLANARIUM_BLESS=1 writes them\n{}", wrong.join("\n"));
}

#[test]
fn no_two_pictures_are_alike() {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    let mut alike = Vec::new();
    for example in planarium_gallery::examples() {
        assert!(!example.picture.is_empty(), "{} has no picture", example.id);
        // Marks alone do not tell two pictures apart at a glance.
        let lanes = example.picture.split('|').next().unwrap_or_default().trim();
        if let Some(other) = known.insert(lanes, example.id) {
            alike.push(format!("{other} and {}: {lanes}", example.id));
        }
    }
    assert!(alike.is_empty(), "{}", alike.join("\n"));
}
