//! `planarium lesson check`.

use super::{Loaded, embedded_lesson, file, other};
use crate::End;
use crate::args::{CheckFormat, LessonCheckArgs};
use crate::demos::misnamed;
use crate::files::sorted_entries;
use crate::out::counted;
use anyhow::{Result, bail};
use planarium_scenario::clock::clock;
use planarium_scenario::lesson::{Finding, Other, Proof, prove};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Lessons that others may need.
pub(crate) struct Course(Vec<Other>);

impl Course {
    /// The lessons of the course, and these.
    pub(crate) fn with<'l>(lessons: impl Iterator<Item = &'l Loaded>) -> Self {
        let mut others: Vec<Other> = lessons.map(|loaded| other(&loaded.lesson)).collect();
        for embedded in planarium_gallery::lessons() {
            if others.iter().any(|known| known.id == embedded.id) {
                continue;
            }
            // A lesson that cannot be read is missed by those that need it.
            if let Ok(loaded) = embedded_lesson(embedded) {
                others.push(other(&loaded.lesson));
            }
        }
        Self(others)
    }

    /// Proves a lesson.
    pub(crate) fn prove(&self, loaded: &Loaded, players: u64) -> Proof {
        prove(&loaded.lesson, &self.0, &loaded.texts, players)
    }
}

/// Proves every lesson below the paths.
pub(crate) fn run(args: &LessonCheckArgs) -> Result<End> {
    let mut paths = Vec::new();
    for path in &args.paths {
        collect(path, &mut paths, 0)?;
    }
    if paths.is_empty() {
        bail!("no *.planarium.yaml below the given paths");
    }
    let lessons = paths.iter().map(|path| file(path)).collect::<Result<Vec<_>>>()?;
    let course = Course::with(lessons.iter());
    let (mut passed, mut rows) = (0, Vec::new());
    for (path, loaded) in paths.iter().zip(&lessons) {
        let mut proof = course.prove(loaded, args.players);
        proof.findings.splice(0..0, misnamed(path, &loaded.lesson));
        passed += usize::from(proof.findings.is_empty());
        match args.format {
            CheckFormat::Text => print!("{}", report(path, loaded, &proof)),
            CheckFormat::Json => {
                let id = &loaded.lesson.id;
                let mut row = serde_json::json!({ "path": path, "id": id, "proof": proof });
                name_files(&mut row, path, id, &proof);
                rows.push(row);
            }
        }
    }
    match args.format {
        CheckFormat::Text => println!("{passed} passed, {} failed", paths.len() - passed),
        CheckFormat::Json => println!("{}", serde_json::to_string_pretty(&rows)?),
    }
    Ok(if passed == paths.len() { End::Good } else { End::Failed })
}

/// A proof in lines.
pub(crate) fn report(path: &Path, loaded: &Loaded, proof: &Proof) -> String {
    let verdict = if proof.findings.is_empty() { "ok     " } else { "FAILED " };
    let mut out = format!("{verdict} {}", path.display());
    if let Some(par) = &proof.par {
        let (commands, runs) = (counted(par.commands, "command"), proof.runs);
        let (time, gone) = (clock(par.time_ms), clock(par.unavailable_ms));
        let _ = write!(out, "  par: {commands}, {time}, unavailable for {gone}; {runs} runs");
    }
    if proof.players_passed + proof.players_lost > 0 {
        let (passed, lost) = (proof.players_passed, proof.players_lost);
        let _ = write!(out, "; random players: {passed} passed, {lost} lost and were told");
    }
    out.push('\n');
    for finding in &proof.findings {
        let file = file_of(path, &loaded.lesson.id, finding);
        let _ = writeln!(out, "{}:{}:{}: {finding}", file.display(), finding.line, finding.column);
    }
    out
}

/// The file that a finding is in: the lesson's own, or its texts in a language beside it.
fn file_of(path: &Path, id: &str, finding: &Finding) -> PathBuf {
    match &finding.language {
        Some(language) => path.with_file_name(format!("{id}.{language}.yaml")),
        None => path.to_owned(),
    }
}

/// Adds its file to each finding of a row.
fn name_files(row: &mut serde_json::Value, path: &Path, id: &str, proof: &Proof) {
    let rows = row.pointer_mut("/proof/findings").and_then(serde_json::Value::as_array_mut);
    for (row, finding) in rows.into_iter().flatten().zip(&proof.findings) {
        if let Some(row) = row.as_object_mut() {
            row.insert("file".to_owned(), file_of(path, id, finding).display().to_string().into());
        }
    }
}

fn collect(path: &Path, out: &mut Vec<PathBuf>, depth: u32) -> Result<()> {
    if !path.is_dir() {
        out.push(path.to_owned());
        return Ok(());
    }
    for entry in sorted_entries(path)? {
        if entry.is_dir() && depth < 8 {
            collect(&entry, out, depth + 1)?;
        } else if entry.to_string_lossy().ends_with(".planarium.yaml") {
            out.push(entry);
        }
    }
    Ok(())
}
