//! The open lesson, as texts for a document.

use crate::demo::{longest_run_of_ticks, quoted};
use crate::host::Host;
use planarium_embed::LessonPicture;
use planarium_messages::facts::DemoTexts;
use planarium_messages::questions::Demo;
use std::fmt::Write as _;

/// Attributes of an element that mean something for a lesson.
const ATTRIBUTES: [&str; 2] = ["panes", "theme"];

/// Returns the language of the course's texts; that of a lesson from a link is not known.
fn language(host: &Host, id: &str) -> Option<&'static str> {
    Some(planarium_gallery::lesson_head(id)?.title_in(&host.language)?.0)
}

/// Returns the element and the fence of the open lesson; `None` in a sandbox. Nothing that was done in it is in them.
pub(crate) fn lesson_demo(host: &Host, demo: &Demo) -> Option<DemoTexts> {
    let teaching = host.shown.lesson.as_ref()?;
    let own = teaching.own.as_ref().map(planarium_scenario::lesson::OwnLesson::link);
    let known = |pair: &&(String, String)| ATTRIBUTES.contains(&pair.0.as_str());
    let attributes: Vec<(String, String)> = demo.attributes.iter().filter(known).cloned().collect();
    let plan = Some(demo.plan.as_str()).filter(|plan| !plan.is_empty());
    let link = format!("{}#{}", demo.playground, teaching.link());
    let picture = LessonPicture {
        lesson: &teaching.lesson,
        texts: &teaching.texts,
        language: language(host, &teaching.lesson.id).filter(|_| own.is_none()),
        own: own.as_deref(),
        plan,
        link: Some(&link),
        engine: demo.engine.as_deref(),
        attributes: &attributes,
    };
    let mut info = "planarium".to_owned();
    let body = match &teaching.own {
        Some(own) => format!("{}\n---\n{}\n", own.lesson.trim_end(), own.texts.trim_end()),
        None => {
            let _ = write!(info, " lesson=\"{}\"", teaching.lesson.id);
            String::new()
        }
    };
    let engine = demo.engine.iter().map(|address| ("engine", address.as_str()));
    let plan = plan.iter().map(|plan| ("plan", *plan));
    let attributes = attributes.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in plan.chain(engine).chain(attributes) {
        let _ = write!(info, " {name}=\"{}\"", quoted(value));
    }
    let ticks = "`".repeat(longest_run_of_ticks(&body).max(2) + 1);
    Some(DemoTexts {
        element: picture.html(),
        fence: format!("{ticks}{info}\n{body}{ticks}\n"),
        svg: String::new(),
        moving: String::new(),
        hash: own.map(|own| format!("#{own}")).unwrap_or_default(),
    })
}
