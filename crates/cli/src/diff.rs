//! `planarium diff`.

use crate::End;
use crate::args::{DiffArgs, DiffFormat};
use crate::load::{Loaded, load};
use crate::render::{instant, world_at};
use anyhow::{Result, bail};
use planarium_protocol::input::LoadService;
use planarium_source::render::text;
use planarium_world::Engine;

/// Prints what an update of a run to another definition would change.
pub(crate) fn run(args: &DiffArgs) -> Result<End> {
    let Some(engine) = world_at(&args.old, instant(&args.at)?, &args.input)? else {
        return Ok(End::BadInput);
    };
    let services = match load(&args.new, &args.input)? {
        Loaded::Definition(load) => vec![*load],
        Loaded::Scenario(parsed) => match parsed.scenario {
            Some(scenario) => scenario.services,
            None => {
                eprint!("{}", text::render(&parsed.diagnostics, &parsed.sources));
                return Ok(End::BadInput);
            }
        },
    };
    let mut end = End::Good;
    for (at, service) in services.into_iter().enumerate() {
        let service = named(&engine, service);
        let report = planarium_world::check(&service);
        if report.has_errors() {
            eprint!("{}", text::render(&report.diagnostics, &report.sources));
            return Ok(End::BadInput);
        }
        let Some(changes) =
            engine.world().changes(&service).map_err(|refusal| anyhow::anyhow!(refusal.message))?
        else {
            bail!(
                "{}: only for Kubernetes workloads the changes of an update are told beforehand",
                args.new.display()
            );
        };
        match args.format {
            DiffFormat::Text if at > 0 => println!("\n{}", changes.text()),
            DiffFormat::Text => println!("{}", changes.text()),
            DiffFormat::Json => println!("{}", serde_json::to_string_pretty(&changes)?),
        }
        if !changes.is_empty() {
            end = End::Failed;
        }
    }
    Ok(end)
}

/// The definition under the name of the running service, if only one of its system runs: a file alone has the name of its folder.
fn named(engine: &Engine, mut load: LoadService) -> LoadService {
    let dialect = planarium_world::check(&load).dialect;
    let view = engine.view();
    let mut running = view.services.iter().filter(|service| *service.dialect == *dialect);
    if let (Some(one), None) = (running.next(), running.next()) {
        load.name = one.name.to_string();
    }
    load
}
