//! `planarium render --html` and `--svg`: pictures for documents, and the files that play them.

use crate::End;
use crate::args::RenderArgs;
use crate::link;
use crate::load::{Runnable, runnable};
use crate::render::instant;
use anyhow::{Context as _, Result};
use planarium_embed::{LOADER, Picture, STYLES, Selection, animated, page, record, still};
use planarium_protocol::input::LoadService;
use planarium_scenario::Player;
use planarium_source::render as findings;
use std::path::Path;

/// Most files of a definition that a picture shows.
const MOST_SOURCES: usize = 4;
/// Largest file of a definition that a picture shows. *Units*: bytes.
const LARGEST_SOURCE: usize = 30_000;

/// Prints a picture with the recorded run in it.
pub(crate) fn run(args: &RenderArgs) -> Result<End> {
    let at_ms = instant(args)?;
    let (mut engine, notes, title, sources) = match link::replayed(&args.path)? {
        Some(engine) => (engine, Vec::new(), String::new(), Vec::new()),
        None => match runnable(&args.path, &args.input)? {
            Runnable::Yes(scenario, diagnostics, maps) => {
                eprint!("{}", findings::text::render(&diagnostics, &maps));
                let title = scenario.title.clone();
                let sources = sources(&scenario.services);
                let (mut engine, mut player) = Player::start(*scenario);
                player.run_to_end(&mut engine);
                (engine, player.take_notes(), title, sources)
            }
            Runnable::No(diagnostics, maps) => {
                eprint!("{}", findings::text::render(&diagnostics, &maps));
                return Ok(End::BadInput);
            }
        },
    };
    let selection = Selection { plan: args.plan.clone() };
    let recording = record(&mut engine, &notes, &title, &selection);
    if recording.rows.is_empty() {
        let plans: Vec<String> = engine
            .view()
            .services
            .iter()
            .flat_map(|service| service.plans.iter().map(|plan| format!("{}/{}", service.name, plan.name)))
            .collect();
        let plans = if plans.is_empty() { "none".to_owned() } else { plans.join(", ") };
        match &args.plan {
            Some(plan) => anyhow::bail!("--plan `{plan}`: there is no such plan; the plans are {plans}"),
            None => anyhow::bail!("nothing to draw: the run has no plan"),
        }
    }
    let at_ms = at_ms.unwrap_or(recording.end_ms).min(recording.end_ms);
    if args.svg {
        print!("{}", if args.animate { animated(&recording) } else { still(&recording, at_ms) });
        return Ok(End::Good);
    }
    let picture = Picture {
        recording: &recording,
        at_ms,
        sources: &sources,
        link: args.link.as_deref(),
        attributes: &[],
    };
    print!("{}", if args.page { page(&picture, LOADER) } else { picture.html() });
    Ok(End::Good)
}

/// The files of the definitions, as far as they are worth reading in a document.
pub(crate) fn sources(services: &[LoadService]) -> Vec<(String, String)> {
    let files = services.iter().flat_map(|service| &service.files);
    let short = files.filter(|(_, text)| text.len() <= LARGEST_SOURCE && !text.trim().is_empty());
    short.take(MOST_SOURCES).map(|(name, text)| (name.clone(), text.clone())).collect()
}

/// Writes the loader and its styles into a folder.
pub(crate) fn assets(folder: &Path) -> Result<End> {
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    for (name, text) in [("planarium-embed.js", LOADER), ("planarium-embed.css", STYLES)] {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(End::Good)
}
