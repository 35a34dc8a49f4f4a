//! The picture in SVG, for places that take images only: still, or moving by CSS alone.
//!
//! *Knows*: what an image in a README may do: no script, no request, light and dark by the reader's system, no motion for who asked
//! for none. *Must not know*: engines.

use crate::html::{clock, escaped};
use crate::recording::{Recording, Word};
use std::fmt::Write as _;

/// Maximum number of rows drawn; a line counts the rest.
const MOST_ROWS: usize = 40;
/// Most statuses that are animated; a longer run is thinned.
const MOST_STATUSES: usize = 260;
/// Height of a row. *Units*: pixels, as everywhere here.
const ROW: usize = 22;
const WIDTH: usize = 560;
const STATUS_X: usize = 360;
const HEAD: usize = 36;
/// One round of the animation, without the rest at its end. *Units*: milliseconds.
const ROUND_MS: u64 = 12_000;
/// Time for which the last status stays before the next round. *Units*: milliseconds.
const REST_MS: u64 = 3_000;

/// A status of a row with the part of the round in which it shows. *Units*: ten-thousandths of the round.
struct Shown<'a> {
    row: usize,
    word: &'a Word,
    from: u64,
    to: u64,
}

/// Draws the run at an instant.
pub fn still(recording: &Recording, at_ms: u64) -> String {
    let mut out = head(recording, "", &format!("at {}", clock(at_ms)));
    let rows = recording.rows.len().min(MOST_ROWS);
    for (row, (word, _)) in recording.at(at_ms).into_iter().enumerate().take(rows) {
        let Some(word) = word else { continue };
        name(&mut out, recording, row);
        status(&mut out, row, word, "");
    }
    out.push_str("</svg>\n");
    out
}

/// Draws the whole run, moving by CSS. Who prefers reduced motion sees its end.
pub fn animated(recording: &Recording) -> String {
    let mut recording = recording.clone();
    recording.thin(MOST_STATUSES);
    let recording = &recording;
    let shown = statuses(recording);
    let mut spans: Vec<(u64, u64)> = shown.iter().map(|shown| (shown.from, shown.to)).collect();
    spans.sort_unstable();
    spans.dedup();
    spans.retain(|span| *span != (0, 10_000));
    let mut style = String::new();
    let round_ms = ROUND_MS + REST_MS;
    let _ = write!(style, ".a{{visibility:hidden;animation:{round_ms}ms step-end infinite}}");
    for (number, (from, to)) in spans.iter().enumerate() {
        let _ = write!(style, ".k{number}{{animation-name:k{number}}}@keyframes k{number}{{");
        if *from > 0 {
            style.push_str("0%{visibility:hidden}");
        }
        let _ = write!(style, "{}{{visibility:visible}}", percent(*from));
        if *to < 10_000 {
            let _ = write!(style, "{}{{visibility:hidden}}", percent(*to));
        }
        style.push('}');
    }
    style.push_str("@media(prefers-reduced-motion:reduce){.a{animation:none}.z{visibility:visible}}");
    let mut out = head(recording, &style, &format!("0:00 to {}", clock(recording.end_ms)));
    for row in 0..recording.rows.len().min(MOST_ROWS) {
        let mine: Vec<&Shown> = shown.iter().filter(|shown| shown.row == row).collect();
        if mine.is_empty() {
            continue;
        }
        name(&mut out, recording, row);
        for shown in mine {
            let class = match spans.iter().position(|span| *span == (shown.from, shown.to)) {
                None => String::new(),
                Some(number) if shown.to == 10_000 => format!("a z k{number}"),
                Some(number) => format!("a k{number}"),
            };
            status(&mut out, row, shown.word, &class);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Every status that is drawn, in the parts of a round. Stretches in which nothing changes are cut short, since no clock is shown.
fn statuses(recording: &Recording) -> Vec<Shown<'_>> {
    let mut instants: Vec<u64> = recording.changes.iter().map(|change| change.at_ms).collect();
    instants.extend([0, recording.end_ms]);
    instants.sort_unstable();
    instants.dedup();
    let longest = (recording.end_ms / 12).max(1);
    let mut place = 0;
    let mut places: Vec<(u64, u64)> = Vec::with_capacity(instants.len());
    let mut last = 0;
    for ms in instants {
        place += ms.saturating_sub(last).min(longest);
        places.push((ms, place));
        last = ms;
    }
    let whole = place.max(1);
    let part = |ms: u64| {
        let place = places.iter().find(|(at, _)| *at == ms).map_or(whole, |(_, place)| *place);
        // The rest at the end belongs to the last status.
        place.saturating_mul(10_000) / whole * ROUND_MS / (ROUND_MS + REST_MS)
    };
    let mut all: Vec<Shown> = Vec::new();
    for row in 0..recording.rows.len().min(MOST_ROWS) {
        let mut word = recording.first.get(row).copied().flatten();
        let mut from = 0;
        let mut end = |word: Option<u32>, from: u64, to: u64| {
            if let Some(word) = word.and_then(|word| recording.words.get(word as usize)).filter(|_| to > from)
            {
                all.push(Shown { row, word, from, to });
            }
        };
        for change in recording.changes.iter().filter(|change| change.row as usize == row) {
            let to = part(change.at_ms);
            end(word, from, to);
            (word, from) = (change.word, to);
        }
        end(word, from, 10_000);
    }
    all
}

fn percent(part: u64) -> String {
    let (whole, rest) = (part / 100, part % 100);
    if rest == 0 { format!("{whole}%") } else { format!("{whole}.{rest:02}%") }
}

/// The image's beginning: size, colours, title, headings.
fn head(recording: &Recording, style: &str, times: &str) -> String {
    let rows = recording.rows.len();
    let drawn = rows.min(MOST_ROWS);
    let left_out = rows - drawn;
    let height = HEAD + ROW * (drawn + usize::from(left_out > 0)) + 12;
    let title = if recording.title.is_empty() { "A rollout" } else { &recording.title };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"{label}\"><title>{label}</title><style>\
         .b{{fill:#fff;stroke:#d8dee5}}text{{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1b2430}}.t{{font-weight:600}}.m{{fill:#55606e;font-size:11px}}\
         .neutral{{fill:#454d5a}}.active{{fill:#0b57e3}}.complete{{fill:#0b7a4b}}.waiting{{fill:#9a5f00}}.error{{fill:#8a0f14}}\
         @media(prefers-color-scheme:dark){{.b{{fill:#10151c;stroke:#2d3845}}text{{fill:#e8edf3}}.m{{fill:#a3afbd}}\
         .neutral{{fill:#8e98a6}}.active{{fill:#bfe2ff}}.complete{{fill:#74edb0}}.waiting{{fill:#fdb228}}.error{{fill:#ff6163}}}}{style}</style>\
         <rect class=\"b\" x=\".5\" y=\".5\" width=\"{inner}\" height=\"{below}\" rx=\"6\"/>\
         <text class=\"t\" x=\"12\" y=\"22\">{heading}</text><text class=\"m\" x=\"{end}\" y=\"22\" text-anchor=\"end\">{times}</text>",
        label = escaped(title),
        heading = escaped(&cut(title, 52)),
        times = escaped(times),
        inner = WIDTH - 1,
        below = height - 1,
        end = WIDTH - 12,
    );
    if left_out > 0 {
        let y = HEAD + ROW * drawn + 16;
        let _ = write!(out, "<text class=\"m\" x=\"12\" y=\"{y}\">and {left_out} more rows</text>");
    }
    out
}

fn name(out: &mut String, recording: &Recording, row: usize) {
    let Some(known) = recording.rows.get(row) else { return };
    let x = 12 + 18 * usize::from(known.depth);
    let room = (STATUS_X - x) / 8;
    let _ =
        write!(out, "<text x=\"{x}\" y=\"{}\">{}</text>", baseline(row), escaped(&cut(&known.name, room)));
}

fn status(out: &mut String, row: usize, word: &Word, class: &str) {
    if word.word.is_empty() {
        return;
    }
    let family = word.family.as_str();
    let gap = if class.is_empty() { "" } else { " " };
    let _ = write!(
        out,
        "<text class=\"{family}{gap}{class}\" x=\"{STATUS_X}\" y=\"{}\">{} {}</text>",
        baseline(row),
        escaped(&word.glyph),
        escaped(&word.word)
    );
}

fn baseline(row: usize) -> usize {
    HEAD + ROW * row + 15
}

fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(room.saturating_sub(1)).collect();
    cut.push('…');
    cut
}
