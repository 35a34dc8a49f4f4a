//! The run as something to put into a document: element, frame, fence and image.

use super::share::copy;
use super::value_of;
use crate::browser;
use crate::store::selectors::time::clock;
use crate::store::{Action, use_hub};
use crate::ui::tabs::{TabItem, Tabs};
use crate::ui::{Button, Dialog, attr};
use planarium_messages::facts::{DemoTexts, Reply};
use planarium_messages::questions::{Ask, Demo};
use std::fmt::Write as _;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct EmbedDialogProps {
    /// Title of the content.
    pub(super) title: AttrValue,
    /// The lesson that is open, by id.
    pub(super) lesson: Option<AttrValue>,
    /// Names of the plans, `PLAN` or `SERVICE/PLAN`.
    pub(super) plans: Vec<AttrValue>,
    /// The moment shown. *Units*: milliseconds.
    pub(super) now_ms: u64,
    /// The end of the run. *Units*: milliseconds.
    pub(super) head_ms: u64,
}

/// The instant that readers see first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Poster {
    End,
    Start,
    Now,
}

/// Choices of the dialog.
#[derive(Clone, Debug, PartialEq)]
struct Choice {
    plan: String,
    poster: Poster,
    theme: &'static str,
    autoplay: bool,
    markers: String,
    /// First and last instant that play, as they were typed; empty for the run's own.
    range: (String, String),
    takes_over: bool,
    panes: Vec<&'static str>,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            plan: String::new(),
            poster: Poster::End,
            theme: "auto",
            autoplay: false,
            markers: String::new(),
            range: (String::new(), String::new()),
            takes_over: true,
            panes: vec!["tree", "timeline", "why"],
        }
    }
}

const THEMES: [(&str, &str); 3] = [("auto", "As the document"), ("light", "Light"), ("dark", "Dark")];
const PANES: [(&str, &str); 8] = [
    ("tree", "Tree"),
    ("timeline", "Timeline"),
    ("why", "Why"),
    ("machines", "Machines"),
    ("pods", "Pods"),
    ("log", "Log"),
    ("console", "Console"),
    ("editor", "Editor"),
];
const FORMS: [(&str, &str); 4] = [
    (
        "Element",
        "HTML for any page. It needs planarium-embed.js, which `planarium embed --assets DIR` writes.",
    ),
    ("Frame", "HTML for pages that allow frames. Readers load the whole engine."),
    (
        "Fence",
        "Markdown for mdBook, MkDocs, Sphinx and remark. The build runs and checks the definition; what was done by hand is not in it.",
    ),
    ("Image", "An SVG that moves by styles alone, for a README."),
];

/// The same for a lesson, which is not played back and therefore no image.
const LESSON_FORMS: [(&str, &str); 3] = [
    (
        "Element",
        "HTML for any page: the task, the question, the plans at the start. It needs planarium-embed.js, which `planarium embed --assets DIR` writes.",
    ),
    ("Frame", "HTML for pages that allow frames. Readers load the whole engine."),
    (
        "Fence",
        "Markdown for mdBook, MkDocs, Sphinx and remark. The build checks a lesson of your own as `planarium lesson check` does.",
    ),
];

impl Choice {
    fn demo(&self, props: &EmbedDialogProps) -> Demo {
        let mut attributes = Vec::new();
        if self.theme != "auto" {
            attributes.push(("theme".to_owned(), self.theme.to_owned()));
        }
        if self.autoplay {
            attributes.push(("autoplay".to_owned(), String::new()));
        }
        if !self.markers.trim().is_empty() {
            attributes.push(("markers".to_owned(), self.markers.trim().to_owned()));
        }
        for (name, typed) in [("start-at", &self.range.0), ("stop-at", &self.range.1)] {
            if let Ok(Some(at)) = instant(typed) {
                attributes.push((name.to_owned(), at));
            }
        }
        // A lesson without an engine cannot be played.
        let takes_over = self.takes_over || props.lesson.is_some();
        if takes_over {
            attributes.push(("panes".to_owned(), self.panes.join(",")));
        }
        let page = browser::whole_page_url();
        Demo {
            plan: self.plan.clone(),
            at_ms: match self.poster {
                Poster::End => None,
                Poster::Start => Some(0),
                Poster::Now => Some(props.now_ms),
            },
            attributes,
            engine: takes_over.then(|| format!("{page}embed.html")),
            playground: page,
        }
    }

    /// Returns the HTML of a frame with the run or the lesson in it. A lesson of the course is named by the query.
    fn frame(&self, title: &str, lesson: Option<&str>, page: &str, hash: &str) -> String {
        let mut address = format!("{page}embed.html?panes={}", self.panes.join(","));
        if let Some(id) = lesson.filter(|_| hash.is_empty()) {
            let _ = write!(address, "&lesson={id}");
        }
        if self.theme != "auto" {
            let _ = write!(address, "&theme={}", self.theme);
        }
        let title = if title.is_empty() { "A rollout in Planarium" } else { title };
        format!(
            "<iframe src=\"{}{}\" title=\"{}\" loading=\"lazy\" sandbox=\"allow-scripts allow-same-origin allow-popups\" \
             allow=\"fullscreen; clipboard-write\" style=\"width:100%;height:{}px;border:0\"></iframe>",
            escaped(&address),
            escaped(hash),
            escaped(title),
            if lesson.is_some() { 620 } else { 480 }
        )
    }
}

/// Converts a typed instant to the attribute's form: seconds, `end`, `marker:TEXT`. An empty text is `None`.
///
/// *Errors*: the text is not an instant.
fn instant(typed: &str) -> Result<Option<String>, String> {
    let text = typed.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text == "end" || text.strip_prefix("marker:").is_some_and(|name| !name.is_empty()) {
        return Ok(Some(text.to_owned()));
    }
    if text == "start" {
        return Ok(Some("0".to_owned()));
    }
    match ms_of(text) {
        Some(ms) if ms % 1000 == 0 => Ok(Some((ms / 1000).to_string())),
        Some(ms) => Ok(Some(format!("{}.{:03}", ms / 1000, ms % 1000).trim_end_matches('0').to_owned())),
        None => Err(format!("{text} is no instant: write 0:42, 42, end or marker:TEXT")),
    }
}

/// Reads `42`, `42.5`, `1:02`, `1:00:05`, with an `s` behind seconds or without. *Units*: milliseconds.
fn ms_of(text: &str) -> Option<u64> {
    let text = text.strip_suffix('s').unwrap_or(text);
    let parts: Vec<&str> = text.split(':').collect();
    let (last, before) = parts.split_last().filter(|(_, before)| before.len() < 3)?;
    let (whole, part) = last.split_once('.').unwrap_or((last, "0"));
    let number = |text: &str| -> Option<u64> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    };
    number(part)?;
    let thousandths: String = part.chars().chain("000".chars()).take(3).collect();
    let mut seconds: u64 = 0;
    for part in before.iter().copied().chain([whole]) {
        seconds = seconds.checked_mul(60)?.checked_add(number(part)?)?;
    }
    seconds.checked_mul(1000)?.checked_add(number(&thousandths)?)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// Returns an image as an address, for a preview without a request.
fn data_url(svg: &str) -> String {
    let mut out = "data:image/svg+xml,".to_owned();
    for byte in svg.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b' '
            | b'-'
            | b'_'
            | b'.'
            | b'='
            | b':'
            | b'/'
            | b';'
            | b'('
            | b')'
            | b',' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// A field for an instant, with its error.
fn instant_field(
    label: &'static str,
    placeholder: &'static str,
    typed: &str,
    oninput: Callback<InputEvent>,
) -> Html {
    let problem = instant(typed).err();
    html! {
        <label class="field"><span>{ label }</span>
            <input type="text" {placeholder} value={typed.to_owned()} {oninput}
                aria-invalid={problem.is_some().then_some("true")} />
            if let Some(problem) = problem {
                <span role="alert" class="form-problem">{ problem }</span>
            }
        </label>
    }
}

/// The dialog.
#[component]
pub(super) fn EmbedDialog(props: &EmbedDialogProps) -> Html {
    let hub = use_hub();
    let choice = use_state_eq(Choice::default);
    let form = use_state_eq(|| 0_usize);
    let texts = use_state_eq(|| None::<Result<DemoTexts, String>>);
    {
        let (hub, texts) = (hub.clone(), texts.clone());
        let demo = choice.demo(props);
        use_effect_with(demo, move |demo| {
            let answer = Callback::from(move |reply| {
                if let Reply::Demo(found) = reply {
                    texts.set(Some(found));
                }
            });
            hub.ask(Ask::Demo(Box::new(demo.clone())), answer);
        });
    }
    let change = |edit: fn(&mut Choice, String)| {
        let choice = choice.clone();
        Callback::from(move |event: Event| {
            let mut next = (*choice).clone();
            edit(&mut next, value_of(&event));
            choice.set(next);
        })
    };
    // Every letter is stored as typed: an answer may redraw the fields meanwhile.
    let typed = |edit: fn(&mut Choice, String)| {
        let choice = choice.clone();
        Callback::from(move |event: InputEvent| {
            let mut next = (*choice).clone();
            edit(&mut next, value_of(&event));
            choice.set(next);
        })
    };
    let plan_is = change(|choice, value| choice.plan = value);
    let poster_is = change(|choice, value| {
        choice.poster = match value.as_str() {
            "start" => Poster::Start,
            "now" => Poster::Now,
            _ => Poster::End,
        };
    });
    let theme_is = change(|choice, value| {
        choice.theme = THEMES.iter().find(|(word, _)| *word == value).map_or("auto", |(word, _)| word);
    });
    let markers_are = typed(|choice, value| choice.markers = value);
    let starts_at = typed(|choice, value| choice.range.0 = value);
    let stops_at = typed(|choice, value| choice.range.1 = value);
    let plays = change(|choice, _| choice.autoplay = !choice.autoplay);
    let takes_over = change(|choice, _| choice.takes_over = !choice.takes_over);
    let pane = |word: &'static str| {
        let choice = choice.clone();
        Callback::from(move |_: Event| {
            let mut next = (*choice).clone();
            match next.panes.iter().position(|known| *known == word) {
                Some(at) if next.panes.len() > 1 => drop(next.panes.remove(at)),
                Some(_) => {}
                None => next.panes.push(word),
            }
            choice.set(next);
        })
    };
    let forms: &[(&str, &str)] = if props.lesson.is_some() { &LESSON_FORMS } else { &FORMS };
    let items: Vec<TabItem> = forms.iter().map(|(name, _)| TabItem::new(name)).collect();
    let onpick = {
        let form = form.clone();
        Callback::from(move |at| form.set(at))
    };
    let about = forms.get(*form).map_or("", |(_, about)| about);
    html! {
        <Dialog title={if props.lesson.is_some() { "Embed this lesson" } else { "Embed this run" }} size="wide" onclose={hub.act(Action::CloseDialog)}>
            <div class="settings">
                <label class="field"><span>{ "Plan" }</span>
                    <select onchange={plan_is}>
                        <option value="" selected={choice.plan.is_empty()}>{ "Those that do something" }</option>
                        { for props.plans.iter().map(|plan| html! {
                            <option value={plan.clone()} selected={choice.plan == plan.as_str()}>{ plan.clone() }</option>
                        }) }
                    </select>
                </label>
                if props.lesson.is_none() {
                <label class="field"><span>{ "Shown first" }</span>
                    <select onchange={poster_is}>
                        <option value="end" selected={choice.poster == Poster::End}>{ format!("The end, {}", clock(props.head_ms)) }</option>
                        <option value="now" selected={choice.poster == Poster::Now}>{ format!("This moment, {}", clock(props.now_ms)) }</option>
                        <option value="start" selected={choice.poster == Poster::Start}>{ "The start" }</option>
                    </select>
                </label>
                }
                <label class="field"><span>{ "Colours" }</span>
                    <select onchange={theme_is}>
                        { for THEMES.iter().map(|(word, label)| html! {
                            <option value={*word} selected={choice.theme == *word}>{ *label }</option>
                        }) }
                    </select>
                </label>
                if props.lesson.is_none() {
                <label class="field"><span>{ "Markers" }</span>
                    <input type="text" placeholder="12=Pause here;40=Agent lost" value={choice.markers.clone()} oninput={markers_are} />
                </label>
                { instant_field("Plays from", "0:00", &choice.range.0, starts_at) }
                { instant_field("Plays to", "end", &choice.range.1, stops_at) }
                }
            </div>
            if props.lesson.is_none() {
            <div class="button-row">
                <label class="check"><input type="checkbox" checked={choice.autoplay} onchange={plays} /><span>{ "Plays when seen" }</span></label>
                <label class="check"><input type="checkbox" checked={choice.takes_over} onchange={takes_over} /><span>{ "Readers may command and break it" }</span></label>
            </div>
            }
            <fieldset class="embed-panes">
                <legend>{ if props.lesson.is_some() { "What learners see beside the lesson" } else { "What readers see of the engine" } }</legend>
                { for PANES.iter().map(|(word, label)| html! {
                    <label class="check">
                        <input type="checkbox" checked={choice.panes.contains(word)} onchange={pane(word)} />
                        <span>{ *label }</span>
                    </label>
                }) }
            </fieldset>
            <Tabs label="What to copy" id="embed" {items} current={*form} {onpick} />
            <div id="embed-panel" role="tabpanel" class="embed-panel" aria-labelledby={format!("embed-{}", *form)}>
                <p class="muted">{ about }</p>
                { match &*texts {
                    None => html! { <p role="status">{ "Drawing …" }</p> },
                    Some(Err(reason)) => html! { <p role="alert" class="form-problem">{ reason.clone() }</p> },
                    Some(Ok(texts)) => {
                        let page = browser::whole_page_url();
                        let (text, file) = match *form {
                            0 => (texts.element.clone(), "planarium-demo.html"),
                            1 => (choice.frame(&props.title, props.lesson.as_deref(), &page, &texts.hash), "planarium-frame.html"),
                            2 => (texts.fence.clone(), "planarium-demo.md"),
                            _ => (texts.moving.clone(), "planarium-demo.svg"),
                        };
                        let save = {
                            let text = text.clone();
                            Callback::from(move |_| browser::save_text(file, &text))
                        };
                        html! {
                            <>
                                <label class="field">
                                    <span>{ format!("{} bytes", text.len()) }</span>
                                    <textarea class="mono" rows="5" readonly=true value={attr(&text)} />
                                </label>
                                <div class="button-row">
                                    <Button label="Copy" icon="copy" look="primary" onclick={copy(&hub, text)} />
                                    <Button label="Save as a file" icon="save" onclick={save} />
                                </div>
                                if !texts.svg.is_empty() {
                                    <img class="embed-preview" alt="How it looks" src={data_url(&texts.svg)} />
                                }
                            </>
                        }
                    }
                } }
            </div>
        </Dialog>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_in_titles_stay_inside_a_frame() {
        let choice = Choice { theme: "dark", ..Choice::default() };
        let frame = choice.frame("a \"b\" <c>", None, "https://example.org/", "#p1:x~3");
        assert!(
            frame.contains(
                "src=\"https://example.org/embed.html?panes=tree,timeline,why&amp;theme=dark#p1:x~3\""
            ),
            "{frame}"
        );
        assert!(frame.contains("title=\"a &quot;b&quot; &lt;c>\""), "{frame}");
        let lesson = |hash| choice.frame("x", Some("canary"), "https://example.org/", hash);
        assert!(lesson("").contains("panes=tree,timeline,why&amp;lesson=canary&amp;theme=dark\""));
        assert!(lesson("#l1:x").contains("panes=tree,timeline,why&amp;theme=dark#l1:x\""));
    }

    #[test]
    fn a_range_is_typed_in_common_notations() {
        for (typed, want) in [
            ("", Ok(None)),
            (" 0:42 ", Ok(Some("42"))),
            ("42", Ok(Some("42"))),
            ("42s", Ok(Some("42"))),
            ("1:02.5", Ok(Some("62.5"))),
            ("1:00:05", Ok(Some("3605"))),
            ("start", Ok(Some("0"))),
            ("end", Ok(Some("end"))),
            ("marker:agent-2 is lost", Ok(Some("marker:agent-2 is lost"))),
            ("soon", Err(())),
            ("-1", Err(())),
            ("1:2:3:4", Err(())),
            ("4.", Err(())),
            ("marker:", Err(())),
            ("99999999999999999999", Err(())),
        ] {
            assert_eq!(instant(typed).as_ref().map(Option::as_deref).map_err(|_| ()), want, "{typed}");
        }
    }

    /// Possible choices of the dialog, and the resulting fence.
    fn fence_of(choice: &Choice, hash: &str) -> String {
        let lesson = hash.contains("lesson").then(|| "canary".into());
        let props =
            EmbedDialogProps { title: "x".into(), lesson, plans: Vec::new(), now_ms: 1_500, head_ms: 9_000 };
        let hub = crate::store::Hub::new(crate::store::state::State::first());
        let begin = crate::store::effects::begin(hash, Some("hello-world"));
        hub.connect(std::rc::Rc::new(crate::store::link::Wired::new(&hub)), Ask::Begin(Box::new(begin)));
        let demo = Demo { engine: Some("https://example.org/embed.html".to_owned()), ..choice.demo(&props) };
        let found = std::rc::Rc::new(std::cell::RefCell::new(None));
        let answer = {
            let found = std::rc::Rc::clone(&found);
            Callback::from(move |reply| *found.borrow_mut() = Some(reply))
        };
        hub.ask(Ask::Demo(Box::new(demo)), answer);
        match found.take() {
            Some(Reply::Demo(Ok(texts))) => texts.fence,
            other => panic!("no fence: {other:?}"),
        }
    }

    #[test]
    fn the_fence_of_the_dialog_is_read_by_the_hosts_of_documents() {
        let all = PANES.iter().map(|(word, _)| *word).collect();
        let range = ("0:02".to_owned(), "0:05.5".to_owned());
        let busy = Choice {
            poster: Poster::Now,
            theme: "dark",
            autoplay: true,
            panes: all,
            range,
            ..Choice::default()
        };
        for choice in [Choice::default(), busy] {
            let text = fence_of(&choice, "");
            let info = text.lines().next().expect("a first line").trim_start_matches('`');
            let (options, findings) = planarium_embed::fence::Options::read(info);
            assert_eq!(findings, [], "{text}");
            assert_eq!(options.engine.as_deref(), Some("https://example.org/embed.html"));
            let panes = ("panes".to_owned(), choice.panes.join(","));
            assert!(options.attributes.contains(&panes), "{text}");
        }
    }

    #[test]
    fn the_fence_of_a_lesson_names_it() {
        let choice = Choice { theme: "dark", takes_over: false, ..Choice::default() };
        let text = fence_of(&choice, "#lesson=canary");
        assert_eq!(
            text,
            "```planarium lesson=\"canary\" engine=\"https://example.org/embed.html\" theme=\"dark\" panes=\"tree,timeline,why\"\n```\n"
        );
    }

    #[test]
    fn a_preview_contains_nothing_that_ends_its_address() {
        assert_eq!(data_url("<a b=\"#%\">é"), "data:image/svg+xml,%3Ca b=%22%23%25%22%3E%C3%A9");
    }
}
