//! The console: what was asked and answered, the line being typed, earlier lines, and how a line may go on.
//!
//! *Knows*: where names for a place in a line are found in the view. *Must not know*: what a command does, how it
//! is carried out, how anything is drawn.

use super::selectors::tree::{service_key, service_path};
use planarium_protocol::View;
use planarium_protocol::view::ServiceView;
use planarium_rest::console::{Completion, Names, complete};
use planarium_source::suggest;
use std::collections::VecDeque;
use std::fmt::Write as _;
use yew::AttrValue;

/// Answers that are kept.
const ANSWERS: usize = 100;
/// Earlier lines that are kept.
const LINES: usize = 200;
/// Ways to go on that are spoken.
const SPOKEN: usize = 8;

/// A command and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Number.
    pub(crate) id: u32,
    /// When, in virtual time.
    pub(crate) at_ms: u64,
    /// The line.
    pub(crate) line: AttrValue,
    /// Standard output.
    pub(crate) stdout: AttrValue,
    /// Standard error.
    pub(crate) stderr: AttrValue,
    /// The line that was meant, where this one is not understood.
    pub(crate) meant: Option<AttrValue>,
    /// Exit code: 0 done, 1 turned down, 2 not understood.
    pub(crate) code: u8,
}

/// The console.
#[derive(Clone, Debug, Default)]
pub(crate) struct Console {
    /// Answers, oldest first.
    pub(crate) answers: VecDeque<Answer>,
    /// The line being typed.
    pub(crate) line: String,
    /// What completing gave, for people who do not see it.
    pub(crate) said: String,
    /// Until something is typed, Tab leaves the line.
    pub(crate) tab_leaves: bool,
    /// The key of the service picked; the first one otherwise.
    picked: Option<AttrValue>,
    /// Earlier lines, oldest first.
    lines: VecDeque<String>,
    /// Which of them is shown, and what was typed before it was.
    back: Option<(usize, String)>,
    /// Number of the next answer.
    next: u32,
}

/// What the console's pane asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConsoleAct {
    /// The line is now this.
    Edit(String),
    /// The line before.
    Earlier,
    /// The line after.
    Later,
    /// Complete the line as far as it is clear.
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

    /// How the line may go on.
    pub(crate) fn completion(&self, view: &View) -> Completion {
        let chosen = self.service(view);
        complete(&self.line, chosen.map_or("", |service| &*service.dialect), &mut |named, wanted| match (
            named, wanted,
        ) {
            (_, Names::Services) => {
                speakers(view).map(|service| service.name.trim_start_matches('/').to_owned()).collect()
            }
            (None, wanted) => chosen.map(|service| names(service, wanted)).unwrap_or_default(),
            (Some(name), wanted) => {
                let name = name.trim_matches('/');
                let service = speakers(view).find(|service| service.name.trim_start_matches('/') == name);
                service.map(|service| names(service, wanted)).unwrap_or_default()
            }
        })
    }

    /// The line that was meant by one that is not understood: its first word that fits nowhere gives way to the nearest
    /// one that does.
    pub(crate) fn meant(&self, view: &View, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut trial = Self { picked: self.picked.clone(), ..Self::default() };
        words.iter().enumerate().find_map(|(at, word)| {
            let before = words.get(..at)?.iter().fold(String::new(), |out, word| out + word + " ");
            trial.line.clone_from(&before);
            let known = trial.completion(view).words;
            if known.iter().any(|fits| fits == word) {
                return None;
            }
            let nearest = suggest(word, known.iter().map(String::as_str))?;
            let after = words.get(at + 1..)?.iter().fold(String::new(), |out, word| out + " " + word);
            Some(format!("{before}{nearest}{after}"))
        })
    }

    /// Whether Tab has something to add; otherwise it leaves the line, as everywhere on the page.
    pub(crate) fn tab_completes(&self, view: &View) -> bool {
        !self.tab_leaves && !self.line.trim().is_empty() && self.completion(view).agreed().is_some()
    }

    /// What the pane asked for. Carrying out is for the effects.
    pub(crate) fn act(&mut self, view: &View, act: &ConsoleAct) {
        match act {
            ConsoleAct::Edit(line) => {
                self.set(line.clone());
                self.back = None;
            }
            ConsoleAct::Earlier => self.earlier(),
            ConsoleAct::Later => self.later(),
            ConsoleAct::Complete => {
                if let Some(line) = self.completion(view).agreed() {
                    self.set(line);
                }
                self.said = spoken(&self.line, &self.completion(view).words);
            }
            ConsoleAct::Pick(word) => {
                let fitting = self.completion(view);
                let at = fitting.words.iter().position(|fits| fits == word);
                if let Some(line) = at.and_then(|at| fitting.with(at)) {
                    self.set(line);
                    self.said = spoken(&self.line, &self.completion(view).words);
                }
            }
            ConsoleAct::LetGo => {
                self.tab_leaves = true;
                "Tab leaves the line.".clone_into(&mut self.said);
            }
            ConsoleAct::Service(name) => self.picked = Some(name.clone()),
            ConsoleAct::Clear => self.answers.clear(),
            ConsoleAct::Run => {}
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
        self.set(String::new());
        self.back = None;
    }

    /// Everything as text.
    pub(crate) fn text(&self) -> String {
        self.answers.iter().fold(String::new(), |mut out, answer| {
            let _ = write!(out, "$ {}\n{}{}", answer.line, answer.stdout, answer.stderr);
            out
        })
    }

    fn set(&mut self, line: String) {
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

fn names(service: &ServiceView, wanted: Names<'_>) -> Vec<String> {
    let plan = |name: &str| service.plans.iter().find(|plan| &*plan.name == name);
    match wanted {
        Names::Services => Vec::new(),
        Names::Definitions => service.definitions.iter().map(ToString::to_string).collect(),
        Names::Plans => service.plans.iter().map(|plan| plan.name.to_string()).collect(),
        Names::Phases(name) => {
            plan(name).into_iter().flat_map(|plan| &plan.phases).map(|phase| phase.name.to_string()).collect()
        }
        Names::Steps(name, phase) => plan(name)
            .and_then(|plan| plan.phases.iter().find(|found| *found.name == *phase || *found.id == *phase))
            .map(|phase| phase.steps.iter().map(|step| step.key().to_string()).collect())
            .unwrap_or_default(),
        Names::Pods => service.pods.iter().map(|pod| pod.name.to_string()).collect(),
        Names::Tasks(name) => {
            let pod = service.pods.iter().find(|pod| &*pod.name == name);
            let short = |task: &str| {
                let short = task.strip_prefix(name).and_then(|task| task.strip_prefix('-'));
                short.unwrap_or(task).to_owned()
            };
            pod.map(|pod| pod.tasks.iter().map(|task| short(&task.name)).collect()).unwrap_or_default()
        }
    }
}

fn spoken(line: &str, words: &[String]) -> String {
    match words {
        [] | [_] => line.to_owned(),
        words => {
            let some: Vec<&str> = words.iter().take(SPOKEN).map(String::as_str).collect();
            let more = if words.len() > SPOKEN { ", ..." } else { "" };
            format!("{} ways to go on: {}{more}", words.len(), some.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::state::World;

    fn typed(lines: &[&str]) -> Console {
        let mut console = Console::default();
        for line in lines {
            console.answered(Answer { line: (*line).to_owned().into(), ..Answer::default() });
        }
        console
    }

    #[test]
    fn up_and_down_go_through_earlier_lines_and_back_to_what_was_typed() {
        use ConsoleAct::{Earlier, Edit, Later};
        let world = World::default();
        let mut console = typed(&["plan list", "pod list", "pod list", " help "]);
        let mut row = |act: ConsoleAct, want: &str| {
            console.act(&world.view, &act);
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
    fn what_is_kept_is_bounded() {
        let lines: Vec<String> = (0..500).map(|n| format!("plan status {n}")).collect();
        let mut console = typed(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((console.answers.len(), console.lines.len()), (ANSWERS, LINES));
        assert_eq!(console.answers.back().map(|answer| answer.id), Some(499), "numbers go on");
        console.act(&World::default().view, &ConsoleAct::Clear);
        assert!(console.answers.is_empty() && console.lines.len() == LINES, "earlier lines stay");
    }

    #[test]
    fn the_nearest_command_takes_the_place_of_a_typo() {
        let world = World::default();
        let console = Console::default();
        for (line, want) in [
            ("plann status deploy", Some("plan status deploy")),
            ("plan statsu deploy", Some("plan status deploy")),
            ("plan status deploy", None),
            ("xyz", None),
            ("", None),
        ] {
            assert_eq!(console.meant(&world.view, line).as_deref(), want, "{line}");
        }
    }

    #[test]
    fn tab_leaves_where_it_has_nothing_to_add() {
        let world = World::default();
        for (line, completes) in [
            ("", false),
            ("  ", false),
            ("pl", true),
            ("plan ", false),
            ("plan status ", false),
            ("xyz", false),
        ] {
            let mut console = Console::default();
            console.act(&world.view, &ConsoleAct::Edit(line.into()));
            assert_eq!(console.tab_completes(&world.view), completes, "{line:?}");
            console.act(&world.view, &ConsoleAct::LetGo);
            assert!(!console.tab_completes(&world.view), "{line:?} after Esc");
        }
        let mut console = Console::default();
        console.act(&world.view, &ConsoleAct::Edit("plan f".into()));
        console.act(&world.view, &ConsoleAct::Complete);
        assert_eq!(console.line, "plan force-");
        assert_eq!(console.said, "2 ways to go on: force-restart, force-complete");
        console.act(&world.view, &ConsoleAct::Pick("status".into()));
        assert_eq!(console.line, "plan force-", "a word that fitted an earlier line");
        console.act(&world.view, &ConsoleAct::Pick("force-complete".into()));
        assert_eq!(console.line, "plan force-complete ");
    }
}
