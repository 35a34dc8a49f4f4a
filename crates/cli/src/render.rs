//! `planarium render`.

use crate::End;
use crate::args::{InputArgs, RenderArgs};
use crate::link;
use crate::load::{Runnable, runnable};
use anyhow::{Context as _, Result};
use planarium_protocol::view::ServiceView;
use planarium_scenario::{Player, find_element, text};
use planarium_source::render as findings;
use planarium_world::{Engine, parse_duration_ms};
use std::path::Path;
use std::sync::Arc;

/// A config file by task and name; tasks of later services are found too.
fn config_file(engine: &Engine, path: &str) -> Result<String> {
    let Some((task, config)) = path.split_once('/') else {
        anyhow::bail!("--file `{path}`: write TASK/CONFIG, e.g. hello-0-server/main");
    };
    let view = engine.view();
    let has = |service: &&Arc<ServiceView>| {
        service.pods.iter().flat_map(|pod| &pod.tasks).any(|known| *known.name == *task)
    };
    let service = view.services.iter().find(has).map_or_else(String::new, |service| service.name.to_string());
    match engine.world().rendered_file(&service, task, config) {
        None => anyhow::bail!("--file `{path}`: no service has such a task"),
        Some(Ok((_, body))) => Ok(body.as_str().unwrap_or_default().to_owned()),
        Some(Err(refusal)) => anyhow::bail!("--file `{path}`: {}", refusal.message),
    }
}

/// Prints the plans at an instant.
pub(crate) fn run(args: &RenderArgs) -> Result<End> {
    if args.html || args.svg {
        return crate::picture::run(args);
    }
    if args.plan.is_some() {
        anyhow::bail!("--plan goes with --html or --svg");
    }
    let Some(engine) = world_at(&args.path, instant(&args.at)?, &args.input)? else {
        return Ok(End::BadInput);
    };
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
    if let Some(path) = &args.file {
        print!("{}", config_file(&engine, path)?);
        return Ok(End::Good);
    }
    println!("{}", text::world_trees(&view));
    if args.cluster_map {
        println!("\n{}", text::cluster(&view.cluster, engine.events()));
    }
    Ok(End::Good)
}

/// The world at the instant asked for; nothing when the input has errors, which are printed. A link opens at its own
/// moment unless an instant is asked for.
pub(crate) fn world_at(path: &Path, ms: Option<u64>, input: &InputArgs) -> Result<Option<Engine>> {
    if let Some(mut engine) = link::replayed(path)? {
        if let Some(ms) = ms {
            engine.seek_ms(ms);
            engine.advance_to(ms);
        }
        return Ok(Some(engine));
    }
    let (scenario, diagnostics, sources) = match runnable(path, input)? {
        Runnable::Yes(scenario, diagnostics, sources) => (*scenario, diagnostics, sources),
        Runnable::No(diagnostics, sources) => {
            eprint!("{}", findings::text::render(&diagnostics, &sources));
            return Ok(None);
        }
    };
    eprint!("{}", findings::text::render(&diagnostics, &sources));
    let (mut engine, mut player) = Player::start(scenario);
    match ms {
        Some(ms) => player.advance_to(&mut engine, ms),
        None => {
            player.run_to_end(&mut engine);
        }
    }
    Ok(Some(engine))
}

/// The instant that is asked for; none for the end of the run.
pub(crate) fn instant(at: &str) -> Result<Option<u64>> {
    match at {
        "end" => Ok(None),
        text => {
            let ms = parse_duration_ms(text);
            Ok(Some(ms.with_context(|| format!("--at `{text}`: write 30s, 1m30s or end"))?))
        }
    }
}
