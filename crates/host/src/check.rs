//! Checks the draft and positions each finding for the editor.

use super::Host;
use planarium_messages::checked::{Checked, Finding, Fix, Severity};
use planarium_messages::draft::{Draft, OPTIONS_FILE};
use planarium_messages::facts::{Fact, Keep};
use planarium_messages::ptr::Ptr;
use planarium_protocol::Text;
use planarium_source::{Diagnostic, SourceMap, Span};

impl Host {
    /// Reads the draft. Before anything has run, a valid draft is shown immediately.
    pub(crate) fn check(&mut self) -> Vec<Fact> {
        let mut facts = self.check_now();
        self.keep_draft();
        let good = facts.iter().all(|fact| matches!(fact, Fact::Checked(checked) if checked.errors() == 0));
        if good && self.editor.draft.dirty() && !self.touched && self.shown.lesson.is_none() {
            facts.extend(self.apply_quietly());
        }
        facts
    }

    /// Saves unapplied edits so that closing the tab does not lose them.
    fn keep_draft(&mut self) {
        if self.editor.dirty() {
            let named = |draft: &Draft| (draft.label.to_string(), draft.load().0);
            let kept: Vec<_> = self.editor.all().iter().map(named).collect();
            (self.keeper)(Keep::Draft(planarium_protocol::json::of(&kept).to_string()));
        } else if self.editor.draft.revision > 0 {
            (self.keeper)(Keep::Draft(String::new()));
        }
    }

    /// Reads the draft.
    pub(crate) fn check_now(&self) -> Vec<Fact> {
        if self.editor.draft.files.is_empty() {
            // A world may have no service; an empty draft has no findings.
            let checked = Checked { revision: self.editor.draft.revision, ..Checked::default() };
            return vec![Fact::Checked(Ptr::new(checked))];
        }
        let (load, options_problem) = self.editor.draft.load();
        let report = planarium_world::check(&load);
        let mut findings: Vec<_> =
            report.diagnostics.iter().map(|diagnostic| finding(diagnostic, &report.sources)).collect();
        if let Some(problem) = options_problem {
            findings.push(Finding {
                file: OPTIONS_FILE.into(),
                line: 1,
                column: 1,
                from: 0,
                to: 0,
                severity: Severity::Error,
                code: "HOST001".into(),
                message: format!("the options are not JSON: {problem}").into(),
                help: None,
                fix: None,
            });
        }
        planarium_kernel::sorted::sort_by(&mut findings, |a, b| {
            (a.severity, &a.file, a.from).cmp(&(b.severity, &b.file, b.from))
        });
        let checked = Checked {
            revision: self.editor.draft.revision,
            dialect: report.dialect.into(),
            name: report.name.to_string().into(),
            findings,
            missing: report.missing.into_iter().map(Text::from).collect(),
            preview: report.preview,
        };
        vec![Fact::Checked(Ptr::new(checked))]
    }
}

fn finding(diagnostic: &Diagnostic, sources: &SourceMap) -> Finding {
    let position = sources.position(diagnostic.span);
    let (file, from, to) = place(diagnostic.span, sources);
    let mut help = diagnostic.help.clone();
    for note in &diagnostic.notes {
        let text = help.get_or_insert_default();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(note);
    }
    Finding {
        file,
        line: position.line,
        column: position.column,
        from,
        to,
        severity: match diagnostic.severity {
            planarium_source::Severity::Error => Severity::Error,
            planarium_source::Severity::Warning => Severity::Warning,
            planarium_source::Severity::Info => Severity::Info,
        },
        code: diagnostic.code.to_string().into(),
        message: diagnostic.message.clone().into(),
        help: help.map(Text::from),
        fix: diagnostic.fix.as_ref().map(|fix| {
            let (file, from, to) = place(fix.span, sources);
            Fix { title: fix.title.clone().into(), file, from, to, text: fix.replacement.clone().into() }
        }),
    }
}

/// The file of a span and its ends in UTF-16 units.
fn place(span: Span, sources: &SourceMap) -> (Text, u32, u32) {
    match sources.get(span.file) {
        Some(file) => {
            (file.name().to_owned().into(), file.utf16_offset(span.start), file.utf16_offset(span.end))
        }
        None => (Text::default(), 0, 0),
    }
}

#[cfg(test)]
mod tests {
    use crate::Host;
    use planarium_messages::draft::{Draft, Editor, OPTIONS_FILE};
    use planarium_messages::facts::Fact;
    use planarium_messages::questions::{Ask, EditorChange, Question};

    /// The codes of the findings about an options file.
    fn codes(options: &str) -> Vec<String> {
        let mut draft = Draft::default();
        draft.edit(OPTIONS_FILE, options.to_owned());
        let editor = EditorChange::between(&Editor::default(), &Editor { draft, ..Editor::default() });
        let question = Question { number: 1, selected: None, editor, ask: Ask::Check };
        let facts = Host::new(|_| {}).answer(question);
        let checked = facts.into_iter().find_map(|fact| match fact {
            Fact::Checked(checked) => Some(checked),
            _ => None,
        });
        checked.expect("a reading").findings.iter().map(|finding| finding.code.to_string()).collect()
    }

    #[test]
    fn the_page_of_the_code_has_a_bad_and_a_good_example() {
        let page = include_str!("../../../docs/diagnostics/HOST001.md");
        let example = |kind: &str| {
            let (_, rest) = page.split_once(&format!("```json {kind}\n")).expect("an example");
            rest.split_once("```").expect("its end").0
        };
        assert!(codes(example("bad")).contains(&"HOST001".to_owned()));
        assert!(!codes(example("good")).contains(&"HOST001".to_owned()));
    }
}
