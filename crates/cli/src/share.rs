//! `planarium share`.

use crate::End;
use crate::args::ShareArgs;
use crate::load::{Runnable, runnable};
use anyhow::Result;
use planarium_scenario::{Player, share};
use planarium_source::render;

/// Prints a share string, or the journal in one.
pub(crate) fn run(args: &ShareArgs) -> Result<End> {
    if let Some(text) = &args.decode {
        return Ok(match share::decode(text) {
            Ok(journal) => {
                println!("{}", serde_json::to_string_pretty(&journal)?);
                End::Good
            }
            Err(error) => {
                eprintln!("planarium: {error}");
                End::BadInput
            }
        });
    }
    let Some(path) = &args.path else { anyhow::bail!("give a path or --decode") };
    let scenario = match runnable(path, &args.input)? {
        Runnable::Yes(scenario, ..) => *scenario,
        Runnable::No(diagnostics, sources) => {
            eprint!("{}", render::text::render(&diagnostics, &sources));
            return Ok(End::BadInput);
        }
    };
    let (mut engine, mut player) = Player::start(scenario);
    player.run_to_end(&mut engine);
    println!("#{}", share::encode(&engine.journal()));
    Ok(End::Good)
}
