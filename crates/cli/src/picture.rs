//! `planarium render --html` and `--svg`: pictures for documents, and the files that play them.

use crate::End;
use crate::args::RenderArgs;
use crate::link;
use crate::load::{Runnable, runnable};
use crate::render::instant;
use anyhow::{Context as _, Result};
use planarium_embed::{LOADER, Picture, STYLES, Selection, animated, page, record, sources, still};
use planarium_scenario::{Player, share};
use planarium_source::render as findings;
use std::path::Path;

/// Prints a picture with the recorded run in it.
pub(crate) fn run(args: &RenderArgs) -> Result<End> {
    let at_ms = instant(&args.at)?;
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
    let run = share::encode(&engine.journal());
    let picture = Picture {
        recording: &recording,
        at_ms,
        sources: &sources,
        link: args.link.as_deref(),
        engine: args.engine.as_deref().map(|address| (address, run.as_str())),
        attributes: &[],
    };
    print!("{}", if args.page { page(&picture, LOADER) } else { picture.html() });
    Ok(End::Good)
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
