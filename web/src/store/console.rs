//! The console: commands and answers, the line being typed, earlier lines, and completions.
//!
//! *Knows*: lines, and the host's completions. *Must not know*: any command, how anything is drawn.

use super::selectors::tree::{service_key, service_path};
use planarium_messages::facts::{Answer, Completion};
use planarium_protocol::View;
use planarium_protocol::view::ServiceView;
use std::collections::VecDeque;
use std::fmt::Write as _;
use yew::AttrValue;

/// Answers that are kept.
const ANSWERS: usize = 100;
/// Earlier lines that are kept.
const LINES: usize = 200;
/// Ways to go on that are spoken.
const SPOKEN: usize = 8;

/// The console.
#[derive(Clone, Debug, Default)]
pub(crate) struct Console {
    /// Answers, oldest first.
    pub(crate) answers: VecDeque<Answer>,
    /// The line being typed.
    pub(crate) line: String,
    /// Result of completing, for people who do not see it.
    pub(crate) said: String,
    /// Until something is typed, Tab leaves the line.
    pub(crate) tab_leaves: bool,
    /// The host's answer about the ways a line may go on.
    completion: Option<Completion>,
    /// The line is completed as soon as the host says how.
    completes: bool,
    /// Words to go on with are spoken as soon as the host says them.
    speaks: bool,
    /// The key of the service picked; the first one otherwise.
    picked: Option<AttrValue>,
    /// Earlier lines, oldest first.
    lines: VecDeque<String>,
    /// Index of the shown earlier line, and the text typed before it was shown.
    back: Option<(usize, String)>,
    /// Number of the next answer.
    next: u32,
}

/// Actions of the console's pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConsoleAct {
    /// The line is now this.
    Edit(String),
    /// The line before.
    Earlier,
    /// The line after.
    Later,
    /// Complete the line as far as all words agree.
    Complete,
    /// Go on with this word, as long as it fits.
    Pick(String),
    /// Let Tab leave the line.
    LetGo,
    /// Talk to the service of this key.
    Service(AttrValue),
    /// Forget the answers.
    Clear,
    /// Carry the line out.
    Run,
}

impl Console {
    /// The service that commands go to, when there is one.
    pub(crate) fn service<'v>(&self, view: &'v View) -> Option<&'v ServiceView> {
        let picked =
            self.picked.as_deref().and_then(|key| speakers(view).find(|service| key_of(service) == key));
        picked.or_else(|| speakers(view).next())
    }

    /// The key of the service that was picked.
    pub(crate) fn picked(&self) -> Option<String> {
        self.picked.as_ref().map(AttrValue::to_string)
    }

    /// Words that the line may go on with, as far as that is known by now.
    pub(crate) fn completion(&self) -> Option<&Completion> {
        self.completion.as_ref().filter(|known| known.line == self.line)
    }

    /// Answers from the previous completions: typing further in a word keeps the words with that beginning.
    fn narrow(&mut self) {
        let Some(known) = &self.completion else { return };
        let Some(typed) = self.line.strip_prefix(known.line.as_str()) else { return };
        let is_plain =
            |text: &str| !text.contains(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '\\'));
        if typed.is_empty() || known.more > 0 || !known.words.iter().map(String::as_str).all(is_plain) {
            return;
        }
        let fits = |(_, line): &(&String, &String)| is_plain(typed) && line.starts_with(&self.line);
        let (words, lines): (Vec<String>, Vec<String>) = known
            .words
            .iter()
            .zip(&known.lines)
            .filter(fits)
            .map(|(word, line)| (word.clone(), line.clone()))
            .unzip();
        let Some(agreed) = lines.iter().cloned().reduce(|common, line| shared(&common, &line).to_owned())
        else {
            return;
        };
        let agreed = Some(agreed).filter(|agreed| agreed.len() > self.line.len());
        let narrowed = Completion { line: self.line.clone(), words, lines, agreed, ..known.clone() };
        self.completion = Some(narrowed);
    }

    /// Stores the host's completions.
    pub(crate) fn complete(&mut self, completion: Completion) {
        self.completion = Some(completion);
        if self.completion().is_none() {
            return;
        }
        if std::mem::take(&mut self.completes) {
            self.go_on();
        } else if std::mem::take(&mut self.speaks) {
            self.speak();
        }
    }

    /// Returns whether Tab has something to add; otherwise it leaves the line, as everywhere on the page. Where the host has not
    /// answered yet, it may have.
    pub(crate) fn tab_completes(&self) -> bool {
        let adds = self.completion().is_none_or(|known| known.agreed.is_some());
        !self.tab_leaves && !self.line.trim().is_empty() && adds
    }

    /// Applies an action of the pane. Carrying out is for the effects.
    pub(crate) fn act(&mut self, act: &ConsoleAct) {
        match act {
            ConsoleAct::Edit(line) => {
                self.set(line.clone());
                self.narrow();
                self.back = None;
            }
            ConsoleAct::Earlier => self.earlier(),
            ConsoleAct::Later => self.later(),
            ConsoleAct::Complete if self.completion().is_some() => self.go_on(),
            ConsoleAct::Complete => self.completes = true,
            ConsoleAct::Pick(word) => {
                let fitting = self.completion();
                let at = fitting.and_then(|known| known.words.iter().position(|fits| fits == word));
                let line = fitting.zip(at).and_then(|(known, at)| known.lines.get(at)).cloned();
                if let Some(line) = line {
                    self.set(line);
                    self.speaks = true;
                }
            }
            ConsoleAct::LetGo => {
                self.tab_leaves = true;
                "Tab leaves the line.".clone_into(&mut self.said);
            }
            ConsoleAct::Service(name) => {
                self.picked = Some(name.clone());
                self.completion = None;
            }
            ConsoleAct::Clear => self.answers.clear(),
            // The answer comes later; the next line may be typed meanwhile.
            ConsoleAct::Run => {
                self.set(String::new());
                self.back = None;
            }
        }
    }

    /// A command was carried out.
    pub(crate) fn answered(&mut self, answer: Answer) {
        let line = answer.line.trim();
        if self.lines.back().is_none_or(|last| last != line) {
            self.lines.push_back(line.to_owned());
        }
        self.answers.push_back(Answer { id: self.next, ..answer });
        self.next += 1;
        self.lines.drain(..self.lines.len().saturating_sub(LINES));
        self.answers.drain(..self.answers.len().saturating_sub(ANSWERS));
    }

    /// Everything as text.
    pub(crate) fn text(&self) -> String {
        self.answers.iter().fold(String::new(), |mut out, answer| {
            let _ = write!(out, "$ {}\n{}{}", answer.line, answer.stdout, answer.stderr);
            out
        })
    }

    /// Adds the common part of all completions.
    fn go_on(&mut self) {
        if let Some(line) = self.completion.as_ref().and_then(|known| known.agreed.clone()) {
            self.set(line);
            self.speaks = true;
        } else {
            self.speak();
        }
    }

    /// Says the words to go on with.
    fn speak(&mut self) {
        if let Some(known) = &self.completion {
            self.said = spoken(&self.line, known);
        }
    }

    fn set(&mut self, line: String) {
        (self.completes, self.speaks) = (false, false);
        self.line = line;
        self.said.clear();
        self.tab_leaves = false;
    }

    fn earlier(&mut self) {
        let at = self.back.as_ref().map_or(self.lines.len(), |(at, _)| *at);
        let Some(at) = at.checked_sub(1) else { return };
        let Some(line) = self.lines.get(at).cloned() else { return };
        let typed = self.back.take().map_or_else(|| self.line.clone(), |(_, typed)| typed);
        self.set(line);
        self.back = Some((at, typed));
    }

    fn later(&mut self) {
        let Some((at, typed)) = self.back.take() else { return };
        match self.lines.get(at + 1).cloned() {
            Some(line) => {
                self.set(line);
                self.back = Some((at + 1, typed));
            }
            None => self.set(typed),
        }
    }
}

/// The key of a service among those that can be talked to.
pub(crate) fn key_of(service: &ServiceView) -> String {
    service_key(&service_path(service))
}

/// Services that understand these words.
pub(crate) fn speakers(view: &View) -> impl Iterator<Item = &ServiceView> {
    view.services.iter().map(|service| &**service)
}

/// The part with which both texts begin.
fn shared<'t>(one: &'t str, other: &str) -> &'t str {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    one.get(..same.map(|(a, _)| a.len_utf8()).sum()).unwrap_or_default()
}

fn spoken(line: &str, completion: &Completion) -> String {
    match completion.words.as_slice() {
        [] | [_] => line.to_owned(),
        words => {
            let some: Vec<&str> = words.iter().take(SPOKEN).map(String::as_str).collect();
            let more = if words.len() > SPOKEN { ", ..." } else { "" };
            format!("{} ways to go on: {}{more}", words.len() + completion.more, some.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(lines: &[&str]) -> Console {
        let mut console = Console::default();
        for line in lines {
            console.answered(Answer { line: (*line).to_owned().into(), ..Answer::default() });
        }
        console
    }

    #[test]
    fn up_and_down_walk_earlier_lines_and_return_to_the_typed_text() {
        use ConsoleAct::{Earlier, Edit, Later};
        let mut console = typed(&["plan list", "pod list", "pod list", " help "]);
        let mut row = |act: ConsoleAct, want: &str| {
            console.act(&act);
            assert_eq!(console.line, want, "{act:?}");
        };
        row(Later, "");
        row(Edit("half".into()), "half");
        for (act, want) in [
            (Earlier, "help"),
            (Earlier, "pod list"),
            (Earlier, "plan list"),
            (Earlier, "plan list"),
            (Later, "pod list"),
            (Later, "help"),
            (Later, "half"),
            (Later, "half"),
            (Earlier, "help"),
            (Edit("help plan".into()), "help plan"),
            (Later, "help plan"),
            (Earlier, "help"),
            (Later, "help plan"),
        ] {
            row(act, want);
        }
    }

    #[test]
    fn typing_further_in_a_word_narrows_the_completions() {
        use ConsoleAct::{Complete, Edit};
        let known = |words: &[&str]| Completion {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            lines: words.iter().map(|word| format!("{word} ")).collect(),
            ..Completion::default()
        };
        let mut console = Console::default();
        console.complete(known(&["plan", "pod", "pods"]));
        for (typed, want) in [("p", "p"), ("po", "pod"), ("pl", "plan "), ("plan s", "plan s"), ("x", "x")] {
            console.complete(known(&["plan", "pod", "pods"]));
            console.act(&Edit(typed.into()));
            console.act(&Complete);
            assert_eq!(console.line, want, "{typed}");
        }
        // Without an answer the host is asked, and its answer used when it comes.
        let more = Completion { line: "x".into(), agreed: Some("xyz ".into()), ..known(&["xyz"]) };
        console.complete(more);
        assert_eq!(console.line, "xyz ");
    }

    #[test]
    fn history_is_bounded() {
        let lines: Vec<String> = (0..500).map(|n| format!("plan status {n}")).collect();
        let mut console = typed(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((console.answers.len(), console.lines.len()), (ANSWERS, LINES));
        assert_eq!(console.answers.back().map(|answer| answer.id), Some(499), "numbers go on");
        console.act(&ConsoleAct::Clear);
        assert!(console.answers.is_empty() && console.lines.len() == LINES, "earlier lines stay");
    }
}
