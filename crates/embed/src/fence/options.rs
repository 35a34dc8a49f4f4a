//! The first line of a fence: `planarium plan="deploy" until="complete" autoplay`.
//!
//! *Knows*: keys, their values, what each may be. *Must not know*: what they do to a run.
//!
//! Pairs are separated by spaces, keys are written in `snake_case`, values in quotes. mdBook's habits are read too: commas between pairs, values
//! without quotes. A key alone is a switch that is on.

use super::Finding;
use super::times::{self, Instant};
use planarium_source::suggest;
use planarium_source::suggest::did_you_mean_in_ticks;
use planarium_world::presets;

/// Word that makes a fence a demo.
const WORD: &str = "planarium";

/// Every key.
const KEYS: &[&str] = &[
    "lesson",
    "lang",
    "src",
    "file",
    "dialect",
    "env",
    "cluster",
    "seed",
    "plan",
    "until",
    "limit",
    "title",
    "poster_at",
    "source",
    "link",
    "engine",
    "panes",
    "autoplay",
    "loop",
    "speed",
    "start_at",
    "stop_at",
    "markers",
    "pause_on_markers",
    "controls",
    "theme",
    "loading",
    "motion",
    "density",
    "height",
    "commands",
    "editable",
];

/// Parts of the page that takes a run over; its address has the same words.
const PANES: &[&str] = &["tree", "timeline", "editor", "why", "machines", "map", "pods", "log", "console"];

/// Keys that mean something for a lesson, which has its own world and is not played back.
const LESSON_KEYS: &[&str] = &[
    "lesson", "lang", "file", "plan", "title", "link", "engine", "panes", "theme", "loading", "motion",
    "density", "height",
];

/// The options of a fence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Id of a lesson of the course, or path of a lesson's file from the document's folder.
    pub lesson: Option<String>,
    /// Language of a lesson's texts.
    pub lang: Option<String>,
    /// Path of a scenario, definition or folder, from the document's folder; without one the fence's body is run.
    pub src: Option<String>,
    /// Name under which the body is read and shown.
    pub file: Option<String>,
    /// Dialect of the definition.
    pub dialect: Option<String>,
    /// Environment of the scheduler.
    pub env: Vec<(String, String)>,
    /// Name of a preset of machines.
    pub cluster: Option<String>,
    /// Seed of all randomness.
    pub seed: Option<u64>,
    /// The plan that is shown, `PLAN` or `SERVICE/PLAN`.
    pub plan: Option<String>,
    /// A condition, or a status of the plan, that ends the run.
    pub until: Option<String>,
    /// Virtual time after which the run is given up. *Units*: milliseconds.
    pub limit_ms: Option<u64>,
    /// Title for people.
    pub title: Option<String>,
    /// The instant that the picture shows.
    pub(crate) poster: Option<Instant>,
    /// Set if the source stays out of the picture.
    pub hides_source: bool,
    /// Address of the run in a playground.
    pub link: Option<String>,
    /// Address of the page that takes the run over; readers of a fence without one have the recording alone.
    pub engine: Option<String>,
    /// Attributes of the element, by their names there.
    pub attributes: Vec<(String, String)>,
    /// Every key that was read, in order.
    keys: Vec<String>,
}

/// Returns whether the first line of a fence is one of ours.
pub fn is_info(info: &str) -> bool {
    let rest = info.trim_start().strip_prefix(WORD);
    rest.is_some_and(|rest| rest.chars().next().is_none_or(|c| c.is_whitespace() || c == ','))
}

impl Options {
    /// Reads the first line of a fence. Parts that cannot be understood become findings; the rest is still read.
    pub fn read(info: &str) -> (Self, Vec<Finding>) {
        let mut options = Self::default();
        let mut findings = Vec::new();
        let rest = info.trim().strip_prefix(WORD).unwrap_or_default();
        let pairs = match pairs(rest) {
            Ok(pairs) => pairs,
            Err(message) => {
                findings.push(Finding::bad(0, message));
                return (options, findings);
            }
        };
        let mut seen: Vec<&str> = Vec::new();
        for (key, value) in &pairs {
            if seen.contains(&key.as_str()) {
                findings.push(Finding::bad(0, format!("`{key}` is given twice")));
                continue;
            }
            seen.push(key);
            options.keys.push(key.clone());
            if let Err(message) = options.set(key, value.as_deref()) {
                findings.push(Finding::bad(0, message));
            }
        }
        (options, findings)
    }

    /// Returns the findings about options that mean nothing for a lesson, or nothing without one.
    pub fn fit(&self, is_lesson: bool) -> Vec<Finding> {
        let known = |key: &&String| KEYS.contains(&key.as_str());
        let wrong = |key: &&String| {
            if is_lesson { !LESSON_KEYS.contains(&key.as_str()) } else { key.as_str() == "lang" }
        };
        let message = |key: &String| {
            if is_lesson {
                let possible = LESSON_KEYS.join(", ");
                format!("`{key}` means nothing for a lesson, which has its own world; there are {possible}")
            } else {
                format!("`{key}` is the language of a lesson's texts, and this fence holds no lesson")
            }
        };
        self.keys.iter().filter(known).filter(wrong).map(|key| Finding::bad(0, message(key))).collect()
    }

    fn set(&mut self, key: &str, value: Option<&str>) -> Result<(), String> {
        if !KEYS.contains(&key) {
            return Err(unknown(key));
        }
        if matches!(key, "autoplay" | "loop" | "pause_on_markers") {
            return self.switch(key, value);
        }
        let Some(text) = value.filter(|text| !text.is_empty()) else {
            return Err(format!("`{key}` needs a value: {key}=\"...\""));
        };
        let owned = text.to_owned();
        match key {
            "lesson" => self.lesson = Some(owned),
            "lang" => {
                self.attribute(key, language(text)?);
                self.lang = Some(owned);
            }
            "src" => self.src = Some(owned),
            "file" => self.file = Some(owned),
            "dialect" => self.dialect = Some(owned),
            "plan" => self.plan = Some(owned),
            "until" => self.until = Some(owned),
            "title" => self.title = Some(owned),
            "link" => self.link = Some(address(key, text)?),
            "engine" => self.engine = Some(address(key, text)?),
            "env" => self.env = env(text)?,
            "cluster" => self.cluster = Some(cluster(text)?),
            "seed" => {
                self.seed = Some(text.parse().map_err(|_| format!("seed=\"{text}\" is not a whole number"))?);
            }
            "limit" => {
                let limit = times::ms(text)
                    .ok_or_else(|| format!("limit=\"{text}\" is not a time; write 90s, 5m or 2h"))?;
                self.limit_ms = Some(limit);
            }
            "poster_at" => self.poster = Some(instant(key, text)?),
            "source" => self.hides_source = one_of(key, text, &["show", "hide"])? == "hide",
            "start_at" | "stop_at" => {
                let at = instant(key, text)?;
                self.attribute(key, &at.attribute());
            }
            "speed" => {
                let fits = text.parse::<f64>().is_ok_and(|speed| (0.25..=64.0).contains(&speed));
                if !fits {
                    return Err(format!("speed=\"{text}\" is not between 0.25 and 64"));
                }
                self.attribute(key, text);
            }
            "controls" => self.attribute(key, one_of(key, text, &["auto", "full", "none"])?),
            "panes" => self.attribute(key, &panes(text)?),
            "loading" => self.attribute(key, one_of(key, text, &["lazy", "click", "eager", "visible"])?),
            "motion" => self.attribute(key, one_of(key, text, &["auto", "reduce"])?),
            "density" => self.attribute(key, one_of(key, text, &["comfortable", "compact"])?),
            "height" => self.attribute(key, length(text)?),
            "commands" => self.attribute(key, &commands(text)?),
            "editable" => self.attribute(key, one_of(key, text, &["true", "false"])?),
            "theme" => self.attribute(key, one_of(key, text, &["auto", "light", "dark"])?),
            _ => self.attribute(key, text),
        }
        Ok(())
    }

    /// Switches an attribute without a value on. Superfences write `autoplay="autoplay"` for a key alone.
    fn switch(&mut self, key: &str, value: Option<&str>) -> Result<(), String> {
        match value.unwrap_or("true") {
            "false" => Ok(()),
            text if text == "true" || text == key || text.is_empty() => {
                self.attribute(key, "");
                Ok(())
            }
            other => Err(format!("{key}=\"{other}\": a switch is given alone, or as \"true\" or \"false\"")),
        }
    }

    fn attribute(&mut self, key: &str, value: &str) {
        self.attributes.push((key.replace('_', "-"), value.to_owned()));
    }
}

fn unknown(key: &str) -> String {
    let near = suggest(key, KEYS.iter().copied());
    let help = did_you_mean_in_ticks(near, || format!("there are {}", KEYS.join(", ")));
    format!("there is no option `{key}`; {help}")
}

fn instant(key: &str, text: &str) -> Result<Instant, String> {
    Instant::parse(text).ok_or_else(|| {
        format!("{key}=\"{text}\" is not an instant; write 0:42, 90s, start, end or marker:TEXT")
    })
}

fn one_of<'t>(key: &str, text: &'t str, words: &[&str]) -> Result<&'t str, String> {
    if words.contains(&text) {
        Ok(text)
    } else {
        Err(format!("{key}=\"{text}\": write {}", words.join(", ")))
    }
}

/// A length of style sheets, or `auto`.
fn length(text: &str) -> Result<&str, String> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    let unit = text.strip_prefix(number).unwrap_or_default();
    let fits = number.parse::<f64>().is_ok_and(|number| number >= 0.0) && !unit.is_empty();
    if fits || text == "auto" {
        Ok(text)
    } else {
        Err(format!("height=\"{text}\" is not a length; write 480px or auto"))
    }
}

/// Words of commands, `all` or `none`; the page that takes over knows which there are.
fn commands(text: &str) -> Result<String, String> {
    let words: Vec<&str> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    if words.is_empty() || !words.iter().all(is_word) {
        return Err(format!("commands=\"{text}\": write all, none, or words such as continue, agent-lost"));
    }
    Ok(words.join(","))
}

/// A language as HTML names it: `de`, `pt-BR`.
fn language(text: &str) -> Result<&str, String> {
    let fits = |part: &str| (1..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric());
    if text.split('-').all(fits) {
        Ok(text)
    } else {
        Err(format!("lang=\"{text}\" is not a language; write de or pt-BR"))
    }
}

/// Reads `tree, why` and returns it without spaces.
fn panes(text: &str) -> Result<String, String> {
    let words: Vec<&str> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    match words.iter().find(|word| !PANES.contains(word)) {
        Some(word) => {
            Err(format!("panes=\"{text}\": there is no pane `{word}`; there are {}", PANES.join(", ")))
        }
        None if words.is_empty() => {
            Err(format!("panes=\"{text}\" names none; there are {}", PANES.join(", ")))
        }
        None => Ok(words.join(",")),
    }
}

/// A document's reader follows the link, so only this scheme is allowed.
fn address(key: &str, text: &str) -> Result<String, String> {
    let relative = !text.split(['/', '?', '#']).next().unwrap_or_default().contains(':');
    if text.starts_with("https://") || text.starts_with("http://") || relative {
        return Ok(text.to_owned());
    }
    Err(format!("{key}=\"{text}\" is neither an http address nor a path"))
}

/// Reads `A=1;B=2`.
fn env(text: &str) -> Result<Vec<(String, String)>, String> {
    text.split(';')
        .filter(|pair| !pair.trim().is_empty())
        .map(|pair| match pair.split_once('=') {
            Some((key, value)) => Ok((key.trim().to_owned(), value.to_owned())),
            None => Err(format!("env=\"{text}\": `{pair}` is not K=V; pairs are separated by `;`")),
        })
        .collect()
}

fn cluster(text: &str) -> Result<String, String> {
    if presets::cluster(text).is_some() {
        return Ok(text.to_owned());
    }
    let names: Vec<&str> = presets::PRESETS.iter().map(|preset| preset.name).collect();
    Err(format!("cluster=\"{text}\" is none of the presets {}", names.join(", ")))
}

/// Splits `key="value" key=value, key`.
fn pairs(text: &str) -> Result<Vec<(String, Option<String>)>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches(separates);
    while !rest.is_empty() {
        let end = rest.find(|c: char| separates(c) || c == '=').unwrap_or(rest.len());
        let (key, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
            return Err(format!("`{}` is not an option; write key=\"value\"", rest.trim_end()));
        }
        let Some(after) = after.strip_prefix('=') else {
            found.push((key.to_owned(), None));
            rest = after.trim_start_matches(separates);
            continue;
        };
        let (value, after) = value(key, after)?;
        found.push((key.to_owned(), Some(value.to_owned())));
        rest = after.trim_start_matches(separates);
    }
    Ok(found)
}

fn value<'t>(key: &str, text: &'t str) -> Result<(&'t str, &'t str), String> {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let inside = text.strip_prefix(quote).unwrap_or_default();
        let (value, after) = inside
            .split_once(quote)
            .ok_or_else(|| format!("the value of `{key}` lacks its closing {quote}"))?;
        if after.chars().next().is_some_and(|c| !separates(c)) {
            return Err(format!("a space is missing after the value of `{key}`"));
        }
        return Ok((value, after));
    }
    let end = text.find(separates).unwrap_or(text.len());
    Ok(text.split_at_checked(end).unwrap_or((text, "")))
}

fn separates(c: char) -> bool {
    c.is_whitespace() || c == ','
}
