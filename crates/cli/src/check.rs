//! `planarium check`.

use crate::End;
use crate::args::{CheckArgs, CheckFormat};
use crate::hint;
use crate::load::{Loaded, load};
use crate::out::counted;
use anyhow::Result;
use planarium_source::render::{json, text};
use planarium_source::{Diagnostic, Severity, SourceMap};
use planarium_world::CheckReport;
use std::collections::BTreeMap;

/// Reads every path and prints the findings.
pub(crate) fn run(args: &CheckArgs) -> Result<End> {
    let mut all = Vec::new();
    let (mut errors, mut warnings) = (0, 0);
    for path in &args.paths {
        for Checked { diagnostics, sources, kept, missing } in findings(path, args)? {
            if args.format == CheckFormat::Text && args.input.package.is_none() {
                print!("{}", hint::package("check", path, missing).unwrap_or_default());
            }
            errors += diagnostics.iter().filter(|d| d.is_error()).count() as u64;
            warnings += diagnostics.iter().filter(|d| d.severity == Severity::Warning).count() as u64;
            match args.format {
                CheckFormat::Text => {
                    print!("{}", text::render(&diagnostics, &sources));
                    print_kept(&kept);
                }
                CheckFormat::Json => all.extend(diagnostics.iter().map(|d| json::flat(d, &sources))),
            }
        }
    }
    match args.format {
        CheckFormat::Text => {
            let files = args.paths.len();
            let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
            eprintln!("{files} checked, {errors}, {warnings}");
        }
        CheckFormat::Json => println!("{}", serde_json::to_string_pretty(&all)?),
    }
    Ok(if errors > 0 { End::BadInput } else { End::Good })
}

/// One definition or scenario, read.
#[derive(Default)]
struct Checked {
    diagnostics: Vec<Diagnostic>,
    sources: SourceMap,
    /// Fields without effect in the simulator.
    kept: Vec<(String, &'static str)>,
    /// Number of variables without a value.
    missing: usize,
}

impl From<CheckReport> for Checked {
    fn from(report: CheckReport) -> Self {
        let missing = report.missing.len();
        Self { diagnostics: report.diagnostics, sources: report.sources, kept: report.kept, missing }
    }
}

/// Fields that are without effect, grouped by why.
fn print_kept(kept: &[(String, &'static str)]) {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, why) in kept {
        by_reason.entry(why).or_default().push(path);
    }
    for (why, paths) in by_reason {
        println!("without effect here: {} ({why})", paths.join(", "));
    }
}

fn findings(path: &std::path::Path, args: &CheckArgs) -> Result<Vec<Checked>> {
    Ok(match load(path, &args.input)? {
        Loaded::Definition(load) => {
            let mut report = planarium_world::check(&load);
            // The text is checked; values may be given when it is installed.
            for finding in &mut report.diagnostics {
                if finding.is_error() && report.value_codes.contains(&&*finding.code) {
                    finding.severity = Severity::Warning;
                }
            }
            vec![report.into()]
        }
        Loaded::Scenario(parsed) => {
            let services =
                parsed.scenario.as_ref().map(|scenario| scenario.services.clone()).unwrap_or_default();
            let (diagnostics, sources) = (parsed.diagnostics, parsed.sources);
            let mut all = vec![Checked { diagnostics, sources, ..Checked::default() }];
            all.extend(services.iter().map(|service| planarium_world::check(service).into()));
            all
        }
    })
}
