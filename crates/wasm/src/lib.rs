//! The engine with a typed JavaScript face.
//!
//! Knows: how values cross to JavaScript. Must not know: rules of any system.
//!
//! No call throws for a refused command or a bad definition: those are values. Only arguments that are not of their declared
//! type throw a `TypeError`-like message.

mod types;

use planarium_embed::{LessonPicture, Picture, Selection, record};
use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_rest::{Request, Session};
use planarium_scenario::lesson::parse_texts;
use planarium_scenario::{Note, Player, share, text};
use planarium_source::render::json::flat;
use planarium_source::{Diagnostic, SourceMap, suggest};
use planarium_world::{Condition, Genesis, Journal};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

type Answer = Result<JsValue, JsError>;

/// Plain objects instead of `Map`s, `null` for nothing: what JSON would give. Through one type, so that only one
/// writer is needed.
fn out(value: &(impl Serialize + ?Sized)) -> Answer {
    let plain = serde_wasm_bindgen::Serializer::json_compatible();
    planarium_protocol::json::of(value).serialize(&plain).map_err(|error| JsError::new(&error.to_string()))
}

fn read<T: DeserializeOwned>(value: JsValue) -> Result<T, JsError> {
    let plain: Value =
        serde_wasm_bindgen::from_value(value).map_err(|error| JsError::new(&error.to_string()))?;
    planarium_protocol::json::from(plain).map_err(|error| JsError::new(&error.to_string()))
}

/// Whole milliseconds or numbers from a JavaScript number; negative ones are 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturating, and whole up to 2^53"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

#[expect(clippy::cast_precision_loss, reason = "instants and counts stay far below 2^53")]
fn number(whole: u64) -> f64 {
    whole as f64
}

fn findings(diagnostics: &[Diagnostic], sources: &SourceMap) -> Vec<Value> {
    diagnostics.iter().map(|d| serde_json::to_value(flat(d, sources)).unwrap_or_default()).collect()
}

/// A world with its timeline.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Simulation {
    session: Session,
    difference: Option<String>,
    /// Everything the script did so far, for the marks of pictures.
    notes: Vec<Note>,
}

impl Simulation {
    fn of(session: Session) -> Self {
        Self { session, difference: None, notes: Vec::new() }
    }
}

/// Settings of a picture, all optional.
#[derive(Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PictureOptions {
    title: String,
    plan: Option<String>,
    at_ms: Option<u64>,
    link: Option<String>,
    engine: Option<String>,
    sources: Vec<(String, String)>,
    attributes: Vec<(String, String)>,
}

#[wasm_bindgen]
impl Simulation {
    /// An empty world.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Genesis | undefined")] genesis: JsValue,
    ) -> Result<Simulation, JsError> {
        let genesis =
            if genesis.is_undefined() || genesis.is_null() { Genesis::default() } else { read(genesis)? };
        Ok(Self::of(Session::new(genesis)))
    }

    /// Sets up a world from a scenario (YAML or JSON text), with its script pending. `files` holds the texts it names by
    /// path.
    #[wasm_bindgen(js_name = fromScenario)]
    pub fn from_scenario(
        text: &str,
        #[wasm_bindgen(unchecked_param_type = "Record<string, string> | undefined")] files: JsValue,
    ) -> Result<Simulation, JsError> {
        let files: std::collections::BTreeMap<String, String> = if files.is_undefined() || files.is_null() {
            std::collections::BTreeMap::new()
        } else {
            read(files)?
        };
        let parsed = planarium_scenario::parse(text, "scenario", &|path| files.get(path).cloned());
        match parsed.scenario {
            Some(scenario) => Ok(Self::of(Session::of_scenario(scenario))),
            None => Err(JsError::new(&planarium_source::render::text::render(
                &parsed.diagnostics,
                &parsed.sources,
            ))),
        }
    }

    /// A gallery example by id.
    #[wasm_bindgen(js_name = fromExample)]
    pub fn from_example(id: &str) -> Result<Simulation, JsError> {
        let example =
            planarium_gallery::find(id).ok_or_else(|| JsError::new(&format!("there is no example {id}")))?;
        let file = |path: &str| {
            example.files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
        };
        let parsed = planarium_scenario::parse(example.scenario, id, &file);
        let scenario = parsed.scenario.ok_or_else(|| JsError::new("the example does not parse"))?;
        Ok(Self::of(Session::of_scenario(scenario)))
    }

    /// A world replayed from a share string, at the moment that it names, or else at the run's end.
    #[wasm_bindgen(js_name = fromShare)]
    pub fn from_share(text: &str) -> Result<Simulation, JsError> {
        let journal = share::decode(text).map_err(|error| JsError::new(&error.to_string()))?;
        let (mut engine, difference) =
            planarium_world::Engine::open(&journal).map_err(|error| JsError::new(&error.to_string()))?;
        share::go_to_moment(&mut engine, text);
        let difference = difference.map(|difference| difference.to_string());
        Ok(Self { difference, ..Self::of(Session::over(engine, None)) })
    }

    /// Returns the first difference between the run of a share string and its record, in words; nothing when it
    /// comes out as recorded.
    #[wasm_bindgen(getter)]
    pub fn difference(&self) -> Option<String> {
        self.difference.clone()
    }

    /// Puts an input in at the current instant; in the past that opens a branch.
    #[wasm_bindgen(unchecked_return_type = "InputResult")]
    pub fn apply(&mut self, #[wasm_bindgen(unchecked_param_type = "Input")] input: JsValue) -> Answer {
        let input: Input = read(input)?;
        let applied = self.session.engine.apply(input);
        let value = match applied.outcome {
            Ok(reply) => {
                json!({ "ok": true, "input": applied.input, "reply": reply, "diagnostics": applied.diagnostics })
            }
            Err(refusal) => json!({
                "ok": false, "input": applied.input, "code": refusal.code, "reason": refusal.message,
                "status": refusal.status, "diagnostics": applied.diagnostics,
            }),
        };
        out(&value)
    }

    /// Moves to an instant (milliseconds since genesis), playing the scenario's script on the way.
    #[wasm_bindgen(js_name = advanceTo)]
    pub fn advance_to(&mut self, ms: f64) {
        self.session.advance_to(whole(ms));
    }

    /// Moves on until at least `n` events have happened.
    #[wasm_bindgen(js_name = advanceEvents, unchecked_return_type = "AdvanceResult")]
    pub fn advance_events(&mut self, n: f64) -> Answer {
        out(&self.session.engine.advance_events(whole(n)))
    }

    /// Moves on until some displayed status changed.
    #[wasm_bindgen(js_name = advanceStatusChange, unchecked_return_type = "AdvanceResult")]
    pub fn advance_status_change(&mut self) -> Answer {
        out(&self.session.engine.advance_status_change())
    }

    /// Moves on until a condition holds: `deploy=COMPLETE`, `idle`, `t=30s`.
    #[wasm_bindgen(js_name = runUntil, unchecked_return_type = "AdvanceResult")]
    pub fn run_until(&mut self, condition: &str, limit_ms: f64) -> Answer {
        let condition = Condition::parse(condition).map_err(|error| JsError::new(&error.to_string()))?;
        out(&self.session.engine.run_until(&condition, whole(limit_ms)))
    }

    /// Goes to an instant of the recorded past or back to the head.
    #[wasm_bindgen(js_name = seekMs)]
    pub fn seek_ms(&mut self, ms: f64) {
        self.session.engine.seek_ms(whole(ms));
    }

    /// Goes to right after an event.
    #[wasm_bindgen(js_name = seekSeq)]
    pub fn seek_seq(&mut self, seq: f64) {
        self.session.engine.seek_seq(whole(seq));
    }

    /// Everything a front end shows.
    #[wasm_bindgen(unchecked_return_type = "View")]
    pub fn view(&self) -> Answer {
        out(&*self.session.engine.view())
    }

    /// Events after a sequence number up to the current instant.
    #[wasm_bindgen(unchecked_return_type = "Event[]")]
    pub fn events(&self, since: f64) -> Answer {
        out(&self.session.engine.events_since(whole(since)))
    }

    /// Explains why an element is not finished; `null` if it does not exist. Without a dialect, the service of that name
    /// that was installed first is used.
    #[wasm_bindgen(unchecked_return_type = "Why | null")]
    pub fn why(
        &self,
        service: &str,
        plan: &str,
        phase: Option<String>,
        step: Option<String>,
        dialect: Option<String>,
    ) -> Answer {
        let path = ElementPath {
            dialect: dialect.unwrap_or_default().into(),
            service: service.into(),
            plan: plan.into(),
            phase: phase.map(Into::into),
            step: step.map(Into::into),
        };
        out(&self.session.engine.why(&path))
    }

    /// Asks the simulated HTTP APIs, `/sim` included.
    #[wasm_bindgen(unchecked_return_type = "HttpResponse")]
    pub fn request(&mut self, method: &str, target: &str, body: Option<String>) -> Answer {
        let request = Request::new(method, target, body.unwrap_or_default());
        let response = planarium_rest::handle(&mut self.session, &request);
        out(&json!({
            "status": response.status,
            "contentType": response.content_type,
            "body": String::from_utf8_lossy(&response.body),
        }))
    }

    /// The plan trees as text.
    #[wasm_bindgen(js_name = renderText)]
    pub fn render_text(&self) -> String {
        text::world_trees(&self.session.engine.view())
    }

    /// Renders the run up to its end as a picture for a document: a table that needs no script, with the recording. The cursor
    /// does not move.
    #[wasm_bindgen(js_name = renderHtml)]
    pub fn render_html(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "PictureOptions | undefined")] options: JsValue,
    ) -> Result<String, JsError> {
        let options: PictureOptions = if options.is_undefined() || options.is_null() {
            PictureOptions::default()
        } else {
            read(options)?
        };
        self.notes.extend(self.session.player.as_mut().map(Player::take_notes).unwrap_or_default());
        let engine = &mut self.session.engine;
        let (now_ms, seq) = (engine.now_ms(), engine.seq());
        engine.seek_ms(engine.head_ms());
        let run = share::encode(&engine.journal());
        let recording = record(engine, &self.notes, &options.title, &Selection { plan: options.plan });
        engine.seek_ms(now_ms);
        if engine.seq() != seq {
            engine.seek_seq(seq);
        }
        if recording.rows.is_empty() {
            return Err(JsError::new("nothing to draw: the run has no such plan"));
        }
        let at_ms = options.at_ms.unwrap_or(recording.end_ms).min(recording.end_ms);
        let picture = Picture {
            recording: &recording,
            at_ms,
            sources: &options.sources,
            link: options.link.as_deref(),
            engine: options.engine.as_deref().map(|address| (address, run.as_str())),
            attributes: &options.attributes,
        };
        Ok(picture.html())
    }

    /// The journal of the current branch as plain data.
    #[wasm_bindgen(unchecked_return_type = "Journal")]
    pub fn journal(&self) -> Answer {
        out(&self.session.engine.journal())
    }

    /// The share string of the current branch; it names the current moment when that is not the run's end.
    pub fn share(&mut self) -> String {
        let moment = share::moment_of(&mut self.session.engine);
        share::encode_at(&self.session.engine.journal(), moment)
    }

    /// Virtual time in milliseconds since genesis.
    #[wasm_bindgen(getter, js_name = nowMs)]
    pub fn now_ms(&self) -> f64 {
        number(self.session.engine.now_ms())
    }

    /// Last event's sequence number.
    #[wasm_bindgen(getter)]
    pub fn seq(&self) -> f64 {
        number(self.session.engine.seq())
    }

    /// Returns whether no further change will happen.
    #[wasm_bindgen(getter)]
    pub fn idle(&self) -> bool {
        self.session.engine.idle()
    }

    /// Digest of all that happened, 16 hexadecimal digits.
    #[wasm_bindgen(getter)]
    pub fn digest(&self) -> String {
        self.session.engine.digest()
    }
}

/// Reads a definition without running it.
#[wasm_bindgen(unchecked_return_type = "CheckResult")]
pub fn check(#[wasm_bindgen(unchecked_param_type = "Partial<LoadService>")] load: JsValue) -> Answer {
    let load: LoadService = read(load)?;
    let report = planarium_world::check(&load);
    out(&json!({
        "dialect": report.dialect,
        "name": report.name,
        "ok": !report.has_errors(),
        "diagnostics": findings(&report.diagnostics, &report.sources),
        "missing": report.missing,
        "kept": report.kept.iter().map(|(path, why)| json!({ "path": path, "why": why })).collect::<Vec<_>>(),
        "preview": report.preview,
    }))
}

/// The share string of a journal.
#[wasm_bindgen(js_name = encodeShare)]
pub fn encode_share(
    #[wasm_bindgen(unchecked_param_type = "Journal")] journal: JsValue,
) -> Result<String, JsError> {
    Ok(share::encode(&read::<Journal>(journal)?))
}

/// The journal in a share string, without running it.
#[wasm_bindgen(js_name = decodeShare, unchecked_return_type = "Journal")]
pub fn decode_share(text: &str) -> Answer {
    out(&share::decode(text).map_err(|error| JsError::new(&error.to_string()))?)
}

/// The gallery's examples in menu order.
#[wasm_bindgen(unchecked_return_type = "ExampleInfo[]")]
pub fn examples() -> Answer {
    let all: Vec<Value> = planarium_gallery::examples()
        .iter()
        .map(|e| json!({ "id": e.id, "title": e.title, "dialect": e.dialect, "teaches": e.teaches, "difficulty": e.difficulty }))
        .collect();
    out(&all)
}

/// Settings of a lesson's picture.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LessonOptions {
    lang: Option<String>,
    plan: Option<String>,
    link: Option<String>,
    engine: Option<String>,
    attributes: Vec<(String, String)>,
}

/// Renders a lesson of the course as a picture for a document: its task, its questions, its plans at the start.
#[wasm_bindgen(js_name = renderLesson)]
pub fn render_lesson(
    id: &str,
    #[wasm_bindgen(unchecked_param_type = "LessonOptions | undefined")] options: JsValue,
) -> Result<String, JsError> {
    let options: LessonOptions =
        if options.is_undefined() || options.is_null() { LessonOptions::default() } else { read(options)? };
    let Some(found) = planarium_gallery::lesson(id) else {
        let near = suggest(id, planarium_gallery::lessons().iter().map(|lesson| lesson.id));
        let near = near.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
        return Err(JsError::new(&format!("there is no lesson {id}{near}")));
    };
    let unreadable = || JsError::new("the lesson does not parse");
    let lesson = planarium_scenario::parse(found.text, id, &|_| None).lesson.ok_or_else(unreadable)?;
    let (language, texts) =
        found.texts_in(options.lang.as_deref().unwrap_or_default()).ok_or_else(unreadable)?;
    let texts = parse_texts(texts, id).texts.ok_or_else(unreadable)?;
    let lang = options.lang.iter().map(|word| ("lang".to_owned(), word.clone()));
    let attributes: Vec<(String, String)> = lang.chain(options.attributes).collect();
    let picture = LessonPicture {
        lesson: &lesson,
        texts: &texts,
        language: Some(language),
        own: None,
        plan: options.plan.as_deref(),
        link: options.link.as_deref(),
        engine: options.engine.as_deref(),
        attributes: &attributes,
    };
    Ok(picture.html())
}

/// Version of this package.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
