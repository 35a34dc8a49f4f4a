//! The body of a fence: a definition or scenario with claims, questions and a cut in its comments.
//!
//! *Knows*: `@expect`, `^?` and `---cut---` after `#` or `//`, each on its own line. *Must not know*: the meaning of the rest of the body.

use super::Finding;
use super::times;
use std::fmt::Write as _;

/// The instant at which a claim is about a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// When the run is over.
    End,
    /// At some instant up to this one. *Units*: milliseconds.
    By(u64),
    /// At this instant. *Units*: milliseconds.
    At(u64),
    /// At no instant.
    Never,
}

/// `@expect ELEMENT STATUS by 90s`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Line within the fence; the first one of the body is 1.
    pub line: u32,
    /// The element as written.
    pub element: String,
    /// The status word as written.
    pub status: String,
    /// When.
    pub when: When,
}

/// `^? status at 0:42`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Line within the fence.
    pub line: u32,
    /// The element; without one, the plan that is shown.
    pub element: Option<String>,
    /// Set if the reason is asked for, rather than the status.
    pub is_why: bool,
    /// *Units*: milliseconds; without one, the run's end.
    pub at_ms: Option<u64>,
}

/// A line of the body as readers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    /// A line of the definition.
    Text(String),
    /// A question, to which the answer is written, by its place among the questions.
    Query(String, usize),
}

/// A fence's body, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The text to run: the body with empty lines in place of claims, questions and the cut, so that lines keep their numbers.
    pub text: String,
    /// Claims in order.
    pub claims: Vec<Claim>,
    /// Questions in order.
    pub queries: Vec<Query>,
    shown: Vec<Line>,
}

impl Body {
    /// Reads a body. Parts that cannot be understood become findings.
    pub fn read(text: &str) -> (Self, Vec<Finding>) {
        let mut body = Self::default();
        let mut findings = Vec::new();
        let mut cut = None;
        for (number, line) in (1_u32..).zip(text.lines()) {
            let Some(words) = directive(line) else {
                body.text.push_str(line);
                body.text.push('\n');
                body.shown.push(Line::Text(line.to_owned()));
                continue;
            };
            body.text.push('\n');
            if words == CUT {
                match cut {
                    Some(first) => findings.push(Finding::bad(
                        number,
                        format!("a second `{CUT}`; the first is {} lines above", number - first),
                    )),
                    None => body.shown.clear(),
                }
                cut = cut.or(Some(number));
            } else if let Some(words) = words.strip_prefix(EXPECT) {
                match claim(number, words) {
                    Ok(claim) => body.claims.push(claim),
                    Err(message) => findings.push(Finding::bad(number, message)),
                }
            } else if let Some(words) = words.strip_prefix(ASK) {
                match query(number, words) {
                    Ok(query) => {
                        body.shown.push(Line::Query(line.trim_end().to_owned(), body.queries.len()));
                        body.queries.push(query);
                    }
                    Err(message) => findings.push(Finding::bad(number, message)),
                }
            }
        }
        (body, findings)
    }

    /// Returns whether nothing would be run.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Splits a lesson from its texts, which follow a line `---`. Both keep the numbers of their lines. `None` if no such line
    /// stands between two texts.
    pub fn lesson_and_texts(&self) -> Option<(String, String)> {
        let mut lesson = String::new();
        let mut rest = self.text.split_inclusive('\n');
        for line in rest.by_ref() {
            if line.trim_end() == "---" && !lesson.trim().is_empty() {
                let above = "\n".repeat(lesson.lines().count() + 1);
                return Some((lesson, above + &rest.collect::<String>()));
            }
            lesson.push_str(line);
        }
        None
    }

    /// Returns what readers see: without set-up and claims, with the answers to the questions.
    pub fn shown(&self, answers: &[String]) -> String {
        let mut out = String::with_capacity(self.text.len());
        for line in &self.shown {
            match line {
                Line::Text(line) => out.push_str(line),
                Line::Query(line, number) => {
                    let answer = answers.get(*number).map(String::as_str).unwrap_or_default();
                    let _ = write!(out, "{line}: {answer}");
                }
            }
            out.push('\n');
        }
        let inner = out.trim_end();
        let start = inner.len() - inner.trim_start_matches('\n').len();
        let inner = inner.get(start..).unwrap_or_default();
        if inner.is_empty() { String::new() } else { format!("{inner}\n") }
    }
}

const CUT: &str = "---cut---";
const EXPECT: &str = "@expect";
const ASK: &str = "^?";

/// Returns the words of a comment that is for the build.
fn directive(line: &str) -> Option<&str> {
    let line = line.trim();
    let words = line.strip_prefix('#').or_else(|| line.strip_prefix("//"))?.trim();
    let is = |word: &str| {
        words.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    };
    (words == CUT || is(EXPECT) || is(ASK)).then_some(words)
}

fn claim(line: u32, text: &str) -> Result<Claim, String> {
    const HELP: &str = "write `@expect deploy COMPLETE by 90s`, `... at 0:42`, `@expect deploy COMPLETE` or `@expect world-1 never FAILED`";
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let mut when = When::End;
    if let [.., "by" | "at", time] = words.as_slice() {
        let by = words.get(words.len() - 2) == Some(&"by");
        when = match (by, *time) {
            (_, "end") => When::End,
            (by, time) => {
                let ms = times::ms(time)
                    .ok_or_else(|| format!("`{time}` is not a time; write 90s, 1m30s or 0:42"))?;
                if by { When::By(ms) } else { When::At(ms) }
            }
        };
        words.truncate(words.len() - 2);
    }
    let Some(status) = words.pop() else { return Err(format!("the claim says nothing; {HELP}")) };
    if words.last() == Some(&"never") {
        if when != When::End {
            return Err(format!("`never` goes without a time; {HELP}"));
        }
        when = When::Never;
        words.pop();
    }
    if words.is_empty() {
        return Err(format!("the claim names no element or no status; {HELP}"));
    }
    Ok(Claim { line, element: words.join(" "), status: status.to_owned(), when })
}

fn query(line: u32, text: &str) -> Result<Query, String> {
    const HELP: &str =
        "write `^? status at 0:42`, `^? status of ELEMENT at 0:42` or `^? why ELEMENT at 0:42`";
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let mut at_ms = None;
    if let [.., "at", time] = words.as_slice() {
        if *time != "end" {
            at_ms = Some(
                times::ms(time).ok_or_else(|| format!("`{time}` is not a time; write 90s, 1m30s or 0:42"))?,
            );
        }
        words.truncate(words.len() - 2);
    }
    let (is_why, rest) = match words.as_slice() {
        ["status"] => (false, &[] as &[&str]),
        ["status", "of", rest @ ..] if !rest.is_empty() => (false, rest),
        ["why", rest @ ..] => (true, rest),
        _ => return Err(format!("the question cannot be read; {HELP}")),
    };
    let element = (!rest.is_empty()).then(|| rest.join(" "));
    Ok(Query { line, element, is_why, at_ms })
}
