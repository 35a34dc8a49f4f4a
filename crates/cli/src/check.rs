//! `planarium check`.

use crate::End;
use crate::args::{CheckArgs, CheckFormat};
use crate::load::{Loaded, load};
use anyhow::Result;
use planarium_source::render::{json, text};
use planarium_source::{Diagnostic, SourceMap};

/// Reads every path and prints what was found.
pub(crate) fn run(args: &CheckArgs) -> Result<End> {
    let mut all = Vec::new();
    let (mut errors, mut warnings) = (0_usize, 0_usize);
    for path in &args.paths {
        for (diagnostics, sources) in findings(path, args)? {
            errors += diagnostics.iter().filter(|d| d.is_error()).count();
            warnings +=
                diagnostics.iter().filter(|d| d.severity == planarium_source::Severity::Warning).count();
            match args.format {
                CheckFormat::Text => print!("{}", text::render(&diagnostics, &sources)),
                CheckFormat::Json => all.extend(diagnostics.iter().map(|d| json::flat(d, &sources))),
            }
        }
    }
    match args.format {
        CheckFormat::Text => {
            let files = args.paths.len();
            eprintln!("{files} checked, {errors} errors, {warnings} warnings");
        }
        CheckFormat::Json => println!("{}", serde_json::to_string_pretty(&all)?),
    }
    Ok(if errors > 0 { End::BadInput } else { End::Good })
}

type Findings = Vec<(Vec<Diagnostic>, SourceMap)>;

fn findings(path: &std::path::Path, args: &CheckArgs) -> Result<Findings> {
    Ok(match load(path, &args.input)? {
        Loaded::Definition(load) => {
            let report = planarium_world::check(&load);
            vec![(report.diagnostics, report.sources)]
        }
        Loaded::Scenario(parsed) => {
            let services =
                parsed.scenario.as_ref().map(|scenario| scenario.services.clone()).unwrap_or_default();
            let mut all = vec![(parsed.diagnostics, parsed.sources)];
            all.extend(services.iter().map(|service| {
                let report = planarium_world::check(service);
                (report.diagnostics, report.sources)
            }));
            all
        }
    })
}
