//! The live tree on a terminal: the plans are drawn again whenever a status changes.
//!
//! Time runs faster than life: every change is shown for a moment, however long it took in the simulation.

#![expect(clippy::disallowed_methods, reason = "the one place that paces a run for human eyes")]

use anyhow::Result;
use planarium_scenario::{Player, clock, text};
use planarium_world::{Condition, Engine};
use std::io::{IsTerminal as _, Write as _, stdout};
use std::time::Duration;

/// How long each change is shown.
const SHOWN: Duration = Duration::from_millis(120);

/// Whether standard output is a terminal.
pub(crate) fn wanted() -> bool {
    stdout().is_terminal() && std::env::var_os("CI").is_none()
}

/// Plays to the end, then shows the recorded run change by change. Answers whether the end was reached.
pub(crate) fn play(engine: &mut Engine, player: &mut Player, until: Option<&Condition>) -> Result<bool> {
    let reached = player.run_until(engine, until);
    let head = engine.head_seq();
    engine.seek_seq(0);
    let mut lines = 0;
    let mut out = stdout().lock();
    while engine.seq() < head {
        engine.advance_status_change();
        let tree = text::world_trees(&engine.view());
        if lines > 0 {
            write!(out, "\x1b[{lines}A\x1b[J")?;
        }
        writeln!(out, "{}\n{tree}", clock::clock(engine.now_ms()))?;
        lines = tree.lines().count() + 1;
        out.flush()?;
        std::thread::sleep(SHOWN);
    }
    if lines > 0 {
        write!(out, "\x1b[{lines}A\x1b[J")?;
    }
    Ok(reached)
}
