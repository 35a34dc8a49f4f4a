//! `planarium render`.

use crate::End;
use crate::args::RenderArgs;
use crate::load::{Runnable, runnable};
use anyhow::{Context as _, Result};
use planarium_scenario::{Player, find_element, text};
use planarium_source::render as findings;
use planarium_world::parse_duration_ms;

/// Prints the plans at an instant.
pub(crate) fn run(args: &RenderArgs) -> Result<End> {
    let (scenario, diagnostics, sources) = match runnable(&args.path, &args.input)? {
        Runnable::Yes(scenario, diagnostics, sources) => (*scenario, diagnostics, sources),
        Runnable::No(diagnostics, sources) => {
            eprint!("{}", findings::text::render(&diagnostics, &sources));
            return Ok(End::BadInput);
        }
    };
    eprint!("{}", findings::text::render(&diagnostics, &sources));
    let (mut engine, mut player) = Player::start(scenario);
    if args.at == "end" {
        player.run_to_end(&mut engine);
    } else {
        let ms = parse_duration_ms(&args.at)
            .with_context(|| format!("--at `{}`: write 30s, 1m30s or end", args.at))?;
        player.advance_to(&mut engine, ms);
    }
    let view = engine.view();
    if let Some(path) = &args.why {
        let Some(why) = find_element(&view, path).and_then(|path| engine.why(&path)) else {
            anyhow::bail!(
                "--why `{path}`: there is no such element; write PLAN, PLAN/PHASE or PLAN/PHASE/STEP"
            );
        };
        println!("{}", text::why(&why));
        return Ok(End::Good);
    }
    println!("{}", text::world_trees(&view));
    if args.cluster_map {
        println!("\n{}", text::cluster(&view.cluster));
    }
    Ok(End::Good)
}
