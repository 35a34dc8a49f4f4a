//! The picture of a lesson: its task, its questions and its plans at the start, before anybody acts.
//!
//! *Knows*: lessons and their texts, the markup that `embed/loader/` works on. *Must not know*: when a check is met, and files.
//!
//! It holds no recording: the run would answer the question. "Start the lesson" opens the page that `engine` names.

use crate::html::{escaped, table};
use crate::record::{Selection, record};
use crate::recording::Recording;
use crate::text;
use planarium_scenario::Player;
use planarium_scenario::lesson::{LESSON_PREFIX, Lesson, Texts};
use std::fmt::Write as _;

/// Name of the page for frames, at the end of an engine's address.
const FRAME_PAGE: &str = "embed.html";

/// Input of a lesson's picture.
#[derive(Clone, Debug)]
pub struct LessonPicture<'a> {
    /// The lesson.
    pub lesson: &'a Lesson,
    /// Its texts.
    pub texts: &'a Texts,
    /// Language of the texts, if it is known.
    pub language: Option<&'a str>,
    /// The part of a link with the whole lesson, for one that is not of the course.
    pub own: Option<&'a str>,
    /// The plan that is shown; without one those that do something.
    pub plan: Option<&'a str>,
    /// Address of the lesson in a playground; without one that of the engine's playground, if that is known.
    pub link: Option<&'a str>,
    /// Address of the page in whose frame the lesson is played; without it there is the task alone.
    pub engine: Option<&'a str>,
    /// Further attributes of the element, names and values.
    pub attributes: &'a [(String, String)],
}

/// A question with its answers to choose from.
struct Question<'a> {
    ask: &'a str,
    options: Vec<&'a str>,
}

impl<'a> LessonPicture<'a> {
    /// Writes the element: title, task, questions, plans at the start.
    pub fn html(&self) -> String {
        let start = self.start();
        let title = self.title();
        let mut out = String::with_capacity(4096);
        let lesson = self.own.unwrap_or(&self.lesson.id);
        let _ = write!(out, "<planarium-embed lesson=\"{}\"", escaped(lesson));
        for (name, value) in self.attributes {
            let _ = write!(out, " {name}=\"{}\"", escaped(value));
        }
        if let Some(address) = self.engine {
            let _ = write!(out, " engine=\"{}\"", escaped(address));
        }
        out.push_str(">\n");
        let name = escaped(title);
        let language = self.language.map_or_else(String::new, |word| format!(" lang=\"{}\"", escaped(word)));
        let _ = writeln!(
            out,
            "<figure class=\"pl-figure\" part=\"frame\" role=\"group\" aria-label=\"{name}\"{language}>"
        );
        let _ = writeln!(out, "<figcaption class=\"pl-title\">{name}</figcaption>");
        for paragraph in self.story() {
            let _ = writeln!(out, "<p class=\"pl-task\">{}</p>", escaped(&paragraph));
        }
        for question in self.questions() {
            let _ = writeln!(out, "<p class=\"pl-ask\">{}</p>", escaped(question.ask));
            let options = question.options.iter().map(|option| format!("<li>{}</li>", escaped(option)));
            let _ = writeln!(out, "<ul class=\"pl-options\">{}</ul>", options.collect::<String>());
        }
        if self.engine.is_some() {
            out.push_str(
                "<div class=\"pl-bar\" part=\"toolbar\"><button type=\"button\" class=\"pl-try\" disabled>Start the lesson</button></div>\n",
            );
        }
        if !start.rows.is_empty() {
            table(&start, 0, &mut out);
        }
        out.push_str("<p class=\"pl-mark\" part=\"caption\"></p>\n");
        if let Some(link) = self.address() {
            let _ = writeln!(
                out,
                "<p class=\"pl-link\"><a href=\"{}\">Open in Planarium</a></p>",
                escaped(&link)
            );
        }
        out.push_str("</figure>\n</planarium-embed>\n");
        out
    }

    /// Writes the same as text, for documents without HTML.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.title());
        for paragraph in self.story() {
            let _ = writeln!(out, "\n{paragraph}");
        }
        for question in self.questions() {
            let _ = writeln!(out, "\n{}", question.ask);
            for option in question.options {
                let _ = writeln!(out, "- {option}");
            }
        }
        let start = self.start();
        if !start.rows.is_empty() {
            let _ = write!(out, "\n{}", text::tree(&start, 0));
        }
        out
    }

    fn title(&self) -> &'a str {
        if self.texts.title.is_empty() { &self.lesson.id } else { &self.texts.title }
    }

    /// Paragraphs of the task, each in one line.
    fn story(&self) -> Vec<String> {
        let paragraphs = self.texts.story.split("\n\n");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        paragraphs.map(words).filter(|text| !text.is_empty()).collect()
    }

    fn questions(&self) -> Vec<Question<'a>> {
        let texts = self.texts;
        let question = |asked: &'a planarium_scenario::lesson::Prediction| {
            let words = texts.predict.get(&asked.id);
            let option = |id: &'a String| {
                words.and_then(|words| words.options.get(id)).map_or(id.as_str(), |option| &option.text)
            };
            Question {
                ask: words.map_or(asked.id.as_str(), |words| &words.ask),
                options: asked.options.iter().map(|one| option(&one.id)).collect(),
            }
        };
        self.lesson.predict.iter().map(question).collect()
    }

    /// Records the plans at the start, without anything of what comes.
    fn start(&self) -> Recording {
        let (mut engine, mut player) = Player::start(self.lesson.scenario.clone());
        // What does something without a learner is worth showing.
        player.run_until(&mut engine, None);
        let selection = Selection { plan: self.plan.map(str::to_owned) };
        record(&mut engine, &[], self.title(), &selection).at_start()
    }

    /// Returns the address of the lesson in a playground.
    fn address(&self) -> Option<String> {
        if let Some(link) = self.link {
            return Some(link.to_owned());
        }
        let page = self.engine?.split(['?', '#']).next()?.strip_suffix(FRAME_PAGE)?;
        let page = if page.is_empty() { "./" } else { page };
        Some(match self.own {
            Some(own) => format!("{page}#{own}"),
            None => format!("{page}#lesson={}", self.lesson.id),
        })
    }
}

/// Returns whether a text is the part of a link with a whole lesson.
pub fn is_lesson_link(text: &str) -> bool {
    text.starts_with(LESSON_PREFIX)
}
