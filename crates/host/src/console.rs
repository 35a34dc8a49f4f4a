//! Runs typed commands through the router, so that they are inputs like any other.

use super::Host;
use super::completion::{chosen, meant};
use super::lesson;
use planarium_messages::facts::Answer;
use planarium_messages::facts::Fact;
use planarium_rest::{console, handle_engine};

impl Host {
    /// Carries out the line of the console at the cursor.
    pub(crate) fn run_line(&mut self, line: &str, picked: Option<&str>) -> Vec<Fact> {
        let line = line.trim();
        if line.is_empty() {
            return Vec::new();
        }
        let view = self.shown.engine.view();
        let (dialect, service) = chosen(&view, picked)
            .map(|service| (service.dialect.to_string(), service.name.to_string()))
            .unwrap_or_default();
        if let Some(refused) = lesson::line_not_allowed(self, line, (&dialect, &service)) {
            return vec![Fact::Answered(Box::new(Answer {
                at_ms: self.shown.engine.now_ms(),
                line: line.to_owned().into(),
                stderr: format!("{refused}\n").into(),
                code: 1,
                ..Answer::default()
            }))];
        }
        let (before, by_hand) = (self.stand(), self.shown.by_hand);
        let (at_ms, at_head) = (self.shown.engine.now_ms(), self.shown.engine.at_head());
        let inputs = self.shown.engine.inputs();
        let puts_in = self.shown.lesson.is_some() && lesson::line_puts_in(self, line, (&dialect, &service));
        let mut facts = if puts_in { lesson::whole_instant(self) } else { Vec::new() };
        let (engine, saved, keeper) = (&mut self.shown.engine, &mut self.saved, &mut self.keeper);
        let mut send = |request: &planarium_rest::Request| {
            if request.method != "GET" {
                saved.keep(engine, line, &mut **keeper);
            }
            handle_engine(engine, request)
        };
        let files = &self.editor.draft.files;
        let output = console::line_with_files(line, (&dialect, &service), &mut send, files);
        if self.shown.engine.inputs() != inputs {
            self.shown.by_hand = true;
            if output.code == 0 {
                super::story::end(self);
            }
            lesson::rest_of_instant(self);
            facts.push(self.moved());
            // A refused command changed nothing, so there is nothing to undo.
            let done =
                (output.code == 0 || !at_head).then(|| self.did(format!("Typed {line}"), before, by_hand));
            facts.extend(if at_head { done } else { Some(super::inputs::forked(at_ms)) });
        }
        let meant = (output.code == 2).then(|| meant(&view, picked, line)).flatten();
        facts.push(Fact::Answered(Box::new(Answer {
            meant: meant.map(Into::into),
            id: 0,
            at_ms,
            line: line.to_owned().into(),
            stdout: output.stdout.into(),
            stderr: output.stderr.into(),
            code: output.code,
        })));
        facts
    }
}
