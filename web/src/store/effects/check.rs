//! Reading the draft: findings with the places where an editor shows them.

use super::Session;
use crate::store::action::Fact;
use crate::store::draft::{Draft, OPTIONS_FILE};
use crate::store::persist;
use crate::store::ptr::Ptr;
use crate::store::state::{Checked, Finding, Fix, Severity, State};
use planarium_source::{Diagnostic, SourceMap, Span};
use yew::AttrValue;

impl Session {
    /// Reads the draft. While nothing has run yet, a good draft is shown at once.
    pub(super) fn check(&mut self, state: &State) -> Vec<Fact> {
        let mut facts = self.check_now(state);
        keep_draft(state);
        let good = facts.iter().all(|fact| matches!(fact, Fact::Checked(checked) if checked.errors() == 0));
        if good && state.draft.dirty() && !state.world.touched {
            facts.extend(self.apply_quietly(state));
        }
        facts
    }

    /// Reads the draft.
    #[expect(clippy::unused_self, reason = "reads through the engine, which this type stands for")]
    pub(super) fn check_now(&self, state: &State) -> Vec<Fact> {
        if state.draft.files.is_empty() {
            // A world may do without a service; nothing was written, so nothing can be wrong.
            let checked = Checked { revision: state.draft.revision, ..Checked::default() };
            return vec![Fact::Checked(Ptr::new(checked))];
        }
        let (load, options_problem) = state.draft.load();
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
                code: "SRC010".into(),
                message: format!("the options are not JSON: {problem}").into(),
                help: None,
                fix: None,
            });
        }
        planarium_kernel::sorted::sort_by(&mut findings, |a, b| {
            (a.severity, &a.file, a.from).cmp(&(b.severity, &b.file, b.from))
        });
        let checked = Checked {
            revision: state.draft.revision,
            dialect: report.dialect.into(),
            name: report.name.to_string().into(),
            findings,
            missing: report.missing.into_iter().map(AttrValue::from).collect(),
            preview: report.preview,
        };
        vec![Fact::Checked(Ptr::new(checked))]
    }
}

/// Keeps edits that are not applied, so that a closed tab loses nothing.
fn keep_draft(state: &State) {
    if state.dirty() {
        let named = |draft: &Draft| (draft.label.to_string(), draft.load().0);
        let kept: Vec<_> = state.all_drafts().iter().map(named).collect();
        persist::save_draft(&planarium_protocol::json::of(&kept).to_string());
    } else if state.draft.revision > 0 {
        persist::save_draft("");
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
        help: help.map(AttrValue::from),
        fix: diagnostic.fix.as_ref().map(|fix| {
            let (file, from, to) = place(fix.span, sources);
            Fix { title: fix.title.clone().into(), file, from, to, text: fix.replacement.clone().into() }
        }),
    }
}

/// The file of a span and its ends in UTF-16 units.
fn place(span: Span, sources: &SourceMap) -> (AttrValue, u32, u32) {
    match sources.get(span.file) {
        Some(file) => {
            (file.name().to_owned().into(), file.utf16_offset(span.start), file.utf16_offset(span.end))
        }
        None => (AttrValue::default(), 0, 0),
    }
}
