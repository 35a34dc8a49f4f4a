//! `planarium test`: scenarios and the golden transcripts beside them, and lessons, which are proved.

use crate::End;
use crate::args::{InputArgs, TestArgs};
use crate::files::read;
use crate::lesson::{Course, FEW_PLAYERS, report};
use crate::load::{Runnable, runnable, scenario_files};
use anyhow::{Result, bail};
use planarium_source::render;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Plays every scenario and compares.
pub(crate) fn run(args: &TestArgs) -> Result<End> {
    let mut scenarios = Vec::new();
    for path in &args.paths {
        find(path, &mut scenarios, 0)?;
    }
    if scenarios.is_empty() {
        bail!("no *.planarium.yaml below the given paths");
    }
    let (mut passed, mut failed, mut bad) = (0, 0, 0);
    for path in &scenarios {
        match one(path, args.bless)? {
            Verdict::Passed => {
                println!("ok      {}", path.display());
                passed += 1;
            }
            Verdict::Failed(why) => {
                println!("FAILED  {}\n{why}", path.display());
                failed += 1;
            }
            Verdict::Bad(why) => {
                println!("BAD     {}\n{why}", path.display());
                bad += 1;
            }
        }
    }
    println!("{passed} passed, {} failed", failed + bad);
    Ok(match (failed, bad) {
        (_, bad) if bad > 0 => End::BadInput,
        (0, _) => End::Good,
        _ => End::Failed,
    })
}

fn find(path: &Path, out: &mut Vec<PathBuf>, depth: u32) -> Result<()> {
    if !path.is_dir() {
        out.push(path.to_owned());
        return Ok(());
    }
    out.extend(scenario_files(path)?);
    let mut folders: Vec<PathBuf> =
        fs::read_dir(path)?.filter_map(|entry| entry.ok().map(|e| e.path())).filter(|p| p.is_dir()).collect();
    folders.sort();
    for folder in folders {
        if depth < 8 {
            find(&folder, out, depth + 1)?;
        }
    }
    Ok(())
}

enum Verdict {
    Passed,
    Failed(String),
    Bad(String),
}

/// Returns the path of a scenario's golden transcript: `X.planarium.yaml` has `X.transcript.txt` beside it.
fn golden_path(scenario: &Path) -> PathBuf {
    let name = scenario.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.trim_end_matches(".planarium.yaml");
    scenario.with_file_name(format!("{stem}.transcript.txt"))
}

/// A lesson is proved where others are compared.
fn lesson(path: &Path) -> Result<Verdict> {
    let loaded = crate::lesson::file(path)?;
    let proof = Course::with(std::iter::once(&loaded)).prove(&loaded, FEW_PLAYERS);
    Ok(if proof.findings.is_empty() {
        Verdict::Passed
    } else {
        Verdict::Failed(report(path, &loaded, &proof))
    })
}

fn one(path: &Path, bless: bool) -> Result<Verdict> {
    if path.is_file() && planarium_source::detect::has_key(&read(path)?, "lesson") {
        return lesson(path);
    }
    let scenario = match runnable(path, &InputArgs { dialect: "auto".to_owned(), ..InputArgs::default() })? {
        Runnable::Yes(scenario, ..) => *scenario,
        Runnable::No(diagnostics, sources) => {
            return Ok(Verdict::Bad(render::text::render(&diagnostics, &sources)));
        }
    };
    let outcome = planarium_scenario::run(scenario, None);
    let golden = golden_path(path);
    if bless {
        fs::write(&golden, &outcome.transcript)?;
    }
    if !outcome.passed {
        return Ok(Verdict::Failed(indent(&outcome.transcript)));
    }
    if let Err(why) = outcome.engine.compare_with_replay() {
        return Ok(Verdict::Failed(format!("  {why}")));
    }
    if !golden.is_file() {
        return Ok(Verdict::Failed(format!(
            "  no {}; write it with --bless and review it",
            golden.display()
        )));
    }
    let expected = read(&golden)?;
    Ok(if expected == outcome.transcript {
        Verdict::Passed
    } else {
        Verdict::Failed(difference(&expected, &outcome.transcript))
    })
}

fn indent(text: &str) -> String {
    text.lines().fold(String::new(), |out, line| out + "  " + line + "\n")
}

/// The first place where two texts part, with some lines around it.
fn difference(expected: &str, got: &str) -> String {
    let same = expected.lines().zip(got.lines()).take_while(|(a, b)| a == b).count();
    let mut out = format!("  the transcripts part at line {}:\n", same + 1);
    for line in expected.lines().skip(same.saturating_sub(2)).take(2.min(same)) {
        let _ = writeln!(out, "    {line}");
    }
    for line in expected.lines().skip(same).take(5) {
        let _ = writeln!(out, "  - {line}");
    }
    for line in got.lines().skip(same).take(5) {
        let _ = writeln!(out, "  + {line}");
    }
    out
}
