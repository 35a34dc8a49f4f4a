//! The live tree on a terminal: the plans are redrawn whenever a status changes.
//!
//! Time runs faster than in reality: every change is shown briefly, however long it took in the simulation, and all
//! of them together for at most [`WHOLE`]. A picture never exceeds the terminal, since scrolled or wrapped lines
//! cannot be redrawn; the full tree follows at the end.

#![expect(clippy::disallowed_methods, reason = "the one place that paces a run for human eyes")]

use anyhow::Result;
use planarium_protocol::EventBody;
use planarium_scenario::{Player, clock, text};
use planarium_world::{Condition, Engine};
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _, stdout};
use std::time::Duration;

/// Longest time for which one change is shown.
const SHOWN: Duration = Duration::from_millis(120);

/// Shortest time for which a picture is shown; changes that are closer together share one.
const STANDS: Duration = Duration::from_millis(30);

/// Longest time that showing a whole run takes.
const WHOLE: Duration = Duration::from_secs(20);

/// Clears the rest of a line. Lines are redrawn one by one: a terminal that is cleared from its first row on keeps
/// the old content in its history, picture by picture.
const CLEAR_LINE: &str = "\x1b[K";

/// Clears the rest of a taller picture.
const CLEAR_BELOW: &str = "\x1b[J";

/// Returns whether standard output is a terminal that can be drawn over.
pub(crate) fn wanted() -> bool {
    stdout().is_terminal()
        && std::env::var_os("CI").is_none()
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Plays to the end, then shows the recorded run change by change. Answers whether the end was reached.
pub(crate) fn play(engine: &mut Engine, player: &mut Player, until: Option<&Condition>) -> Result<bool> {
    let reached = player.run_until(engine, until);
    let head = engine.head_seq();
    let shown = each(
        engine
            .all_events()
            .iter()
            .filter(|event| matches!(event.body, EventBody::ElementStatus { .. }))
            .count(),
    );
    engine.seek_seq(0);
    let mut above = 0;
    let mut before = Vec::new();
    let mut owed = Duration::ZERO;
    let mut out = stdout().lock();
    while engine.seq() < head {
        engine.advance_status_change();
        owed += shown;
        if owed < STANDS && engine.seq() < head {
            continue;
        }
        let tree = text::world_trees(&engine.view());
        let lines: Vec<String> = tree.lines().map(str::to_owned).collect();
        let (columns, rows) = size();
        // The last row is the cursor's, the first one the clock's.
        let picture = window(&lines, changed(&before, &lines), rows.saturating_sub(2));
        let mut frame = up(above);
        for line in std::iter::once(&clock::clock(engine.now_ms())).chain(&picture) {
            _ = writeln!(frame, "{}{CLEAR_LINE}", fit(line, columns));
        }
        frame.push_str(CLEAR_BELOW);
        out.write_all(frame.as_bytes())?;
        out.flush()?;
        above = picture.len() + 1;
        before = lines;
        std::thread::sleep(owed);
        owed = Duration::ZERO;
    }
    write!(out, "{}{}{}", up(above), format!("{CLEAR_LINE}\n").repeat(above), up(above))?;
    Ok(reached)
}

/// Returns the time for which each of this number of changes is shown.
fn each(changes: usize) -> Duration {
    SHOWN.min(WHOLE / u32::try_from(changes).unwrap_or(u32::MAX).max(1))
}

/// Columns and rows of the terminal; asked for every picture, since people change it.
fn size() -> (usize, usize) {
    terminal_size::terminal_size().map_or((80, 24), |(columns, rows)| (columns.0.into(), rows.0.into()))
}

/// Moves the cursor up to the first line of a picture.
fn up(lines: usize) -> String {
    if lines == 0 { String::new() } else { format!("\x1b[{lines}A") }
}

/// The last line that differs from the picture before: a step comes after its phase and its plan.
fn changed(before: &[String], now: &[String]) -> usize {
    (0..now.len()).rev().find(|&at| before.get(at) != now.get(at)).unwrap_or(0)
}

/// Returns as many lines as fit, around the relevant one; counts those left out.
fn window(lines: &[String], around: usize, room: usize) -> Vec<String> {
    if lines.len() <= room {
        return lines.to_vec();
    }
    let first = around.saturating_sub(room / 2).min(lines.len() - room);
    let below = lines.len() - first - room;
    let mut part: Vec<String> = lines.iter().skip(first).take(room).cloned().collect();
    // With fewer than four rows, each is worth more than a count.
    if room > 3 {
        if let (true, Some(line)) = (first > 0, part.first_mut()) {
            *line = format!("… {} lines above", first + 1);
        }
        if let (true, Some(line)) = (below > 0, part.last_mut()) {
            *line = format!("… {} lines below", below + 1);
        }
    }
    part
}

/// Cuts a line to this many columns. The status at its end stays; the name before it is cut.
fn fit(line: &str, columns: usize) -> String {
    let width = line.chars().count();
    if width <= columns {
        return line.to_owned();
    }
    let (head, tail) = line.rfind(" (").map_or((line, ""), |at| line.split_at(at));
    let room = columns.saturating_sub(tail.chars().count() + 1);
    let whole = format!("{}…{tail}", head.chars().take(room).collect::<String>());
    whole.chars().take(columns).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> Vec<String> {
        (0..count).map(|nth| format!("line {nth}")).collect()
    }

    #[test]
    fn lines_fit_and_keep_their_status() {
        let line = "   ├─ world-0:[server, sidecar] (COMPLETE)";
        for (columns, text) in [
            (80, line),
            (42, line),
            (41, "   ├─ world-0:[server, sideca… (COMPLETE)"),
            (20, "   ├─ wo… (COMPLETE)"),
            (12, "… (COMPLETE)"),
            (4, "… (C"),
            (0, ""),
        ] {
            assert_eq!(fit(line, columns), text, "{columns}");
        }
        assert_eq!(fit("0:29.400", 4), "0:2…");
    }

    #[test]
    fn a_tree_taller_than_the_terminal_shows_the_active_part() {
        assert_eq!(window(&lines(5), 3, 5), lines(5));
        assert_eq!(window(&lines(9), 0, 4), ["line 0", "line 1", "line 2", "… 6 lines below"]);
        assert_eq!(
            window(&lines(9), 4, 5),
            ["… 3 lines above", "line 3", "line 4", "line 5", "… 3 lines below"]
        );
        assert_eq!(window(&lines(9), 8, 4), ["… 6 lines above", "line 6", "line 7", "line 8"]);
        assert_eq!(window(&lines(9), 8, 2), ["line 7", "line 8"]);
        assert_eq!(window(&lines(9), 8, 0), [""; 0]);
    }

    #[test]
    fn an_active_step_is_found_below_its_plan() {
        let mut now = lines(6);
        assert_eq!(changed(&now, &now), 0);
        let before = now.clone();
        now[1].push('!');
        now[4].push('!');
        assert_eq!(changed(&before, &now), 4);
        assert_eq!(changed(&[], &now), 5);
    }

    #[test]
    fn a_long_run_is_shown_in_bounded_time() {
        assert_eq!(each(0), SHOWN);
        assert_eq!(each(10), SHOWN);
        for changes in [1_000, 100_000] {
            assert!(each(changes) * u32::try_from(changes).unwrap() <= WHOLE);
        }
    }
}
