//! Recordings of all examples compared with their engine, and pictures made from them.

#![expect(clippy::expect_used, reason = "a helper of tests stops the test that it is for")]

use planarium_embed::{
    LOADER, LessonPicture, Picture, Recording, STYLES, Selection, animated, page, record, still,
};
use planarium_gallery::{Example, examples};
use planarium_protocol::view::View;
use planarium_scenario::lesson::parse_texts;
use planarium_scenario::{Player, share};
use planarium_world::Engine;
use serde_json::Value;
use std::path::Path;
use std::sync::LazyLock;

/// Plays an example to its end and records it.
fn recorded(example: &Example, selection: &Selection) -> (Engine, Recording) {
    let file = |path: &str| {
        let found = example.files.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| (*text).to_owned())
    };
    let parsed = planarium_scenario::parse(example.scenario, example.id, &file);
    let scenario = parsed.scenario.expect("an example can be read");
    let title = scenario.title.clone();
    let (mut engine, mut player) = Player::start(scenario);
    player.run_to_end(&mut engine);
    let notes = player.take_notes();
    let recording = record(&mut engine, &notes, &title, selection);
    (engine, recording)
}

/// An example that was played once for several tests.
struct Once {
    id: &'static str,
    recording: Recording,
    /// The run as a share string.
    run: String,
}

static ALL: LazyLock<Vec<Once>> = LazyLock::new(|| {
    let play = |example: &Example| {
        let (engine, recording) = recorded(example, &Selection::default());
        Once { id: example.id, recording, run: share::encode(&engine.journal()) }
    };
    examples().iter().map(play).collect()
});

/// Names and statuses of a view's elements, in order.
fn shown(view: &View) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut add = |name: &str, status: &str| rows.push((name.to_owned(), status.to_owned()));
    for service in &view.services {
        for plan in &service.plans {
            add(&plan.name, &plan.status);
            for phase in &plan.phases {
                add(&phase.name, &phase.status);
                phase.steps.iter().for_each(|step| add(&step.name, &step.status));
            }
        }
    }
    rows
}

/// Names and statuses that a recording has at an instant; services have no status and are left out.
fn told(recording: &Recording, ms: u64) -> Vec<(String, String)> {
    let now = recording.rows.iter().zip(recording.at(ms));
    now.filter_map(|(row, (word, _))| {
        let word = word.filter(|word| !word.word.is_empty())?;
        Some((row.name.clone(), word.word.clone()))
    })
    .collect()
}

/// Returns whether the first list is in the second one, in order: plans in which nothing happens are not recorded.
fn is_within(part: &[(String, String)], whole: &[(String, String)]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|row| rest.any(|other| other == row))
}

#[test]
fn a_recording_shows_what_the_engine_showed_at_every_instant() {
    let mut instants = 0;
    for example in examples() {
        let (mut engine, recording) = recorded(example, &Selection::default());
        if recording.rows.is_empty() {
            assert!(engine.view().services.iter().all(|service| service.plans.is_empty()), "{}", example.id);
            continue;
        }
        assert_eq!(engine.now_ms(), recording.end_ms, "{}: the engine is left at its end", example.id);
        assert_eq!(engine.digest(), recording.digest, "{}", example.id);
        for part in 0..=20 {
            let ms = recording.end_ms * part / 20;
            engine.seek_ms(ms);
            let view = engine.view();
            let (told, shown) = (told(&recording, ms), shown(&view));
            assert!(is_within(&told, &shown), "{} at {ms} ms: {told:?} is not within {shown:?}", example.id);
            instants += 1;
        }
    }
    assert!(instants > 1000, "{instants}");
}

#[test]
fn a_run_without_a_title_is_named_after_its_services() {
    let titled = |id: &str, title: &str| {
        let mut scenario = planarium_gallery::find(id).map(|example| {
            let file = |path: &str| {
                let found = example.files.iter().find(|(name, _)| *name == path);
                found.map(|(_, text)| (*text).to_owned())
            };
            planarium_scenario::parse(example.scenario, example.id, &file).scenario.expect("an example")
        });
        let (mut engine, mut player) = Player::start(scenario.take().expect("an example"));
        player.run_to_end(&mut engine);
        record(&mut engine, &[], title, &Selection::default()).title
    };
    assert_eq!(titled("canary", ""), "Rollout of canary");
    assert_eq!(titled("canary", "My own"), "My own");
    assert!(titled("several-services", "").starts_with("Rollout of "));
}

#[test]
fn a_plan_is_chosen_by_its_name() {
    let example = planarium_gallery::find("several-services").expect("an example with several services");
    let (engine, all) = recorded(example, &Selection::default());
    let service = engine.view().services.first().expect("a service").clone();
    let plan = service.plans.first().expect("a plan").name.to_string();
    let wanted = Selection { plan: Some(format!("{}/{plan}", service.name)) };
    let (_, one) = recorded(example, &wanted);
    assert!(one.rows.len() < all.rows.len());
    assert_eq!(one.rows.first().map(|row| (row.depth, row.name.as_str())), Some((0, plan.as_str())));
    let (_, none) = recorded(example, &Selection { plan: Some("nowhere".to_owned()) });
    assert_eq!(none.rows, []);
}

#[test]
fn a_thinned_recording_ends_like_the_whole_one() {
    let example = planarium_gallery::find("skopos-beside-sdk").expect("a busy example");
    let (_, whole) = recorded(example, &Selection::default());
    for most in [1, 5, 20, 60] {
        let mut thin = whole.clone();
        thin.thin(most);
        assert!(thin.changes.len() <= most.max(whole.rows.len()), "{most}: {}", thin.changes.len());
        assert_eq!(told(&thin, thin.end_ms), told(&whole, whole.end_ms), "{most}");
    }
    let mut same = whole.clone();
    same.thin(whole.changes.len());
    assert_eq!(same, whole);
}

#[test]
fn a_picture_contains_every_row_and_cannot_be_broken_out_of() {
    let nasty = "</script><b>&\"'";
    for example in ALL.iter() {
        let mut recording = example.recording.clone();
        let Some(first) = recording.rows.first_mut() else { continue };
        first.name = nasty.to_owned();
        recording.title = nasty.to_owned();
        let sources = [(nasty.to_owned(), nasty.to_owned())];
        let picture = Picture {
            recording: &recording,
            at_ms: 0,
            sources: &sources,
            link: Some("https://example.org/?a=\""),
            engine: None,
            attributes: &[],
        };
        let html = picture.html();
        assert_eq!(html.matches("<tr role=\"row\"").count(), recording.rows.len());
        assert_eq!(html.matches("</script>").count(), 1);
        assert_eq!(html.matches("<b>").count(), 0);
        let json = html.split("pl-recording\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let json: Value = serde_json::from_str(json.expect("a recording")).expect("JSON");
        assert_eq!(json["first"].as_array().map(Vec::len), Some(recording.rows.len()));
        assert_eq!(json["changes"].as_array().map(Vec::len), Some(3 * recording.changes.len()));
        for image in [still(&recording, recording.end_ms), animated(&recording)] {
            assert!(image.starts_with("<svg ") && image.trim_end().ends_with("</svg>"));
            assert!(!image.contains("<b>") && !image.contains("</script>"));
        }
    }
}

#[test]
fn a_standalone_page_contains_script_and_styles() {
    let example = planarium_gallery::find("hello-world").expect("the first example");
    let (_, recording) = recorded(example, &Selection::default());
    let picture = Picture {
        recording: &recording,
        at_ms: recording.end_ms,
        sources: &[],
        link: None,
        engine: None,
        attributes: &[],
    };
    let page = page(&picture, LOADER);
    assert!(page.starts_with("<!doctype html>") && page.contains("customElements.define"));
    assert_eq!(page.matches("</script>").count(), 2, "the loader's and the recording's");
    assert!(!page.contains("src=\"") && !page.contains("http://127"), "nothing is requested");
    assert!(
        !LOADER.contains("</"),
        "the page writes <\\/ for it, which a regular expression would not survive"
    );
}

#[test]
fn the_minified_loader_is_built_from_the_present_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../embed/loader");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the loader's modules")
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "js"))
        .collect();
    paths.sort();
    let texts = paths.iter().map(|path| std::fs::read_to_string(path).expect("a module"));
    let source = texts.chain([STYLES.to_owned()]).flat_map(String::into_bytes);
    // FNV-1a, as in embed/build.mjs.
    let digest = source
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let first = LOADER.lines().next().expect("a first line");
    assert_eq!(first, format!("// planarium-embed of {digest:016x}"), "stale: run cargo xtask loader");
}

#[test]
fn a_run_continued_by_an_engine_reaches_its_recordings_digest() {
    let mut runs = 0;
    for Once { id, recording, run } in ALL.iter() {
        let journal = share::decode(run).expect("a share string");
        let mut again = Engine::from_journal(&journal).expect("the same engine");
        again.seek_ms(again.head_ms());
        assert_eq!((again.now_ms(), &again.digest()), (recording.end_ms, &recording.digest), "{id}");
        runs += 1;
    }
    assert!(runs > 50, "{runs}");
}

#[test]
fn recordings_and_moving_images_of_examples_are_small() {
    let packed = |text: &str| miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9).len();
    for Once { id, recording, .. } in ALL.iter().filter(|example| !example.recording.rows.is_empty()) {
        // The budgets are 800 bytes and 12 kilobytes of brotli (cargo xtask size), which packs a quarter closer than this.
        let (json, image) = (packed(&recording.json()), packed(&animated(recording)));
        assert!(json <= 1000, "{id}: its recording has {json} bytes");
        assert!(image <= 12_000, "{id}: its moving image has {image} bytes");
    }
}

#[test]
fn every_lesson_has_a_picture_of_its_start_that_gives_no_answer_away() {
    for embedded in planarium_gallery::lessons() {
        let parsed = planarium_scenario::parse(embedded.text, embedded.id, &|_| None);
        let lesson = parsed.lesson.expect("a lesson");
        let (language, texts) = embedded.texts_in("en").expect("texts");
        let texts = parse_texts(texts, embedded.id).texts.expect("texts");
        let picture = LessonPicture {
            lesson: &lesson,
            texts: &texts,
            language: Some(language),
            own: None,
            plan: None,
            link: None,
            engine: Some("https://example.org/embed.html?theme=dark"),
            attributes: &[],
        };
        let html = picture.html();
        let id = embedded.id;
        assert!(html.starts_with(&format!("<planarium-embed lesson=\"{id}\" engine=")), "{id}: {html}");
        assert!(html.contains(&format!("href=\"https://example.org/#lesson={id}\"")), "{id}: {html}");
        assert!(
            !html.contains("<script") && html.lines().all(|line| !line.trim().is_empty()),
            "{id}: {html}"
        );
        for question in texts.predict.values() {
            for option in question.options.values() {
                assert!(!picture.text().contains(&option.because), "{id}: {}", option.because);
            }
        }
        assert!(picture.text().starts_with(&texts.title), "{id}");
        assert!(html.len() < 8_000, "{id}: {} bytes", html.len());
    }
}
