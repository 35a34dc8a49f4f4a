//! `planarium lesson new`: writes two initial files, which `lesson check` passes.

use crate::End;
use crate::args::LessonNewArgs;
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::Path;

const LESSON: &str = include_str!("new.planarium.yaml");
const TEXTS: &str = include_str!("new.en.yaml");

/// Writes the files.
pub(crate) fn run(args: &LessonNewArgs) -> Result<End> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if args.id.is_empty() || !args.id.chars().all(fits) {
        bail!("`{}`: an id is lower case letters, digits and hyphens", args.id);
    }
    if args.id.ends_with("planarium") {
        bail!("`{}`: an id does not end with `planarium`", args.id);
    }
    let lesson = args.dir.join(format!("{}.planarium.yaml", args.id));
    let texts = args.dir.join(format!("{}.en.yaml", args.id));
    for path in [&lesson, &texts] {
        if path.exists() {
            bail!("{}: this file is there already", path.display());
        }
    }
    write(&lesson, &LESSON.replace("MY-LESSON", &args.id))?;
    write(&texts, TEXTS)?;
    println!("next: planarium lesson play {0}, planarium lesson check {0}", lesson.display());
    Ok(End::Good)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}
