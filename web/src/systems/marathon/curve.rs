//! The capacity curve of a rolling restart: old, new and healthy instances over time, between what has to be healthy and what
//! there may be.
//!
//! *Knows*: samples and lines. *Must not know*: how a restart works.

use crate::store::selectors::time::clock;
use serde_json::Value;
use std::fmt::Write as _;
use yew::prelude::*;

const WIDTH: u64 = 280;
const HEIGHT: u64 = 96;
/// Room for the words of the axes, left of the lines and below them.
const LEFT: u64 = 30;
const BELOW: u64 = 18;
/// Least distance of two words of the upright axis.
const APART: u64 = 12;

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    ms: u64,
    counts: [u64; 3],
}

/// Names of the lines, in the order of a sample's counts. In service are old instances and those new ones that are
/// healthy and ready: the capacity that the limits are about.
const LINES: [(&str, &str); 3] = [("old", "old"), ("new", "new"), ("healthy", "in service")];

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

fn samples(restart: &Value) -> Vec<Sample> {
    let all = restart.get("curve").and_then(Value::as_array);
    let sample = |row: &Value| {
        let at = |index: usize| row.get(index).and_then(Value::as_u64);
        let (old, new, healthy) = (at(1)?, at(2)?, at(3)?);
        Some(Sample { ms: at(0)?, counts: [old, new, old.saturating_add(healthy)] })
    };
    all.into_iter().flatten().filter_map(sample).collect()
}

/// A place between 0 and `size` for a share of a whole.
fn scale(part: u64, whole: u64, size: u64) -> u64 {
    part.saturating_mul(size).checked_div(whole.max(1)).unwrap_or(0).min(size)
}

/// Corners of a line that keeps its height until the next sample.
fn corners(samples: &[Sample], index: usize, most: u64) -> String {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return String::new() };
    let span = last.ms.saturating_sub(first.ms);
    let mut before: Option<u64> = None;
    let mut text = String::new();
    for sample in samples {
        let x = scale(sample.ms.saturating_sub(first.ms), span, WIDTH);
        let y = HEIGHT - scale(sample.counts.get(index).copied().unwrap_or(0), most, HEIGHT);
        if let Some(before) = before {
            let _ = write!(text, "{x},{before} ");
        }
        let _ = write!(text, "{x},{y} ");
        before = Some(y);
    }
    if let (true, Some(y)) = (span == 0, before) {
        let _ = write!(text, "{WIDTH},{y}");
    }
    text.trim_end().to_owned()
}

/// Marks of the upright axis: counts with their heights, those that matter most first, so that no two words meet.
fn marks(counts: &[u64], most: u64) -> Vec<(u64, u64)> {
    let mut out: Vec<(u64, u64)> = Vec::new();
    for count in counts {
        let y = HEIGHT - scale(*count, most, HEIGHT);
        if out.iter().all(|(_, other)| other.abs_diff(y) >= APART) {
            out.push((*count, y));
        }
    }
    out
}

/// The curve of one app; none without samples.
pub(super) fn curve(app: &str, restart: &Value) -> Option<Html> {
    let samples = samples(restart);
    let (first, last) = (samples.first()?, samples.last()?);
    let (wanted, least, cap) =
        (number(restart, "wanted"), number(restart, "minHealthy"), number(restart, "maxCapacity"));
    let highest = samples.iter().flat_map(|sample| sample.counts).max().unwrap_or(0);
    let most = highest.max(cap).max(wanted).max(1);
    let level = |count: u64| HEIGHT - scale(count, most, HEIGHT);
    let [old, new, healthy] = last.counts;
    let words = format!(
        "Restart of {app} from {} to {}: {old} old, {new} new, {healthy} in service of {wanted}; at least {least} healthy, at most {cap} in all",
        clock(first.ms),
        clock(last.ms)
    );
    let end = [(first.ms, "start", 0), (last.ms, "end", WIDTH)];
    Some(html! {
        <figure class="capacity">
            <svg class="capacity-svg" role="img" aria-label={words.clone()}
                viewBox={format!("-{LEFT} -6 {} {}", LEFT + WIDTH + 4, HEIGHT + BELOW + 6)}>
                <path class="capacity-axis" d={format!("M0 0 V{HEIGHT} H{WIDTH}")} />
                { for marks(&[0, cap, least, wanted], most).into_iter().map(|(count, y)| html! {
                    <text class="capacity-word" x="-5" y={(y + 4).to_string()} text-anchor="end">{ count.to_string() }</text>
                }) }
                { for end.into_iter().map(|(ms, anchor, x)| html! {
                    <text class="capacity-word" x={x.to_string()} y={(HEIGHT + 14).to_string()} text-anchor={anchor}>{ clock(ms) }</text>
                }) }
                <line class="capacity-limit" data-limit="most" x1="0" x2={WIDTH.to_string()} y1={level(cap).to_string()} y2={level(cap).to_string()} />
                <line class="capacity-limit" data-limit="least" x1="0" x2={WIDTH.to_string()} y1={level(least).to_string()} y2={level(least).to_string()} />
                { for LINES.iter().enumerate().map(|(index, (kind, _))| html! {
                    <polyline class="capacity-line" data-kind={*kind} points={corners(&samples, index, most)} />
                }) }
            </svg>
            <figcaption>
                <strong>{ app.to_owned() }</strong>
                { for LINES.iter().zip(last.counts).map(|((kind, word), count)| html! {
                    <span class="capacity-key" data-kind={*kind}>{ format!("{count} {word}") }</span>
                }) }
                <span class="muted">{ format!("at least {least} healthy, at most {cap} in all") }</span>
            </figcaption>
        </figure>
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_keeps_its_height_until_the_next_sample() {
        let restart = json!({ "curve": [[1000, 4, 0, 4], [2000, 3, 1, 4], [3000, 0, 4, 4], ["x"]] });
        let samples = samples(&restart);
        assert_eq!(samples.len(), 3);
        assert_eq!(corners(&samples, 0, 4), "0,0 140,0 140,24 280,24 280,96");
        assert_eq!(corners(&samples, 1, 4), "0,96 140,96 140,72 280,72 280,0");
        assert_eq!(corners(&samples[..1], 2, 4), "0,0 280,0");
        assert_eq!(corners(&[], 0, 4), "");
    }

    #[test]
    fn words_of_the_upright_axis_do_not_meet() {
        assert_eq!(marks(&[0, 4, 3, 4], 4), [(0, HEIGHT), (4, 0), (3, 24)]);
        assert_eq!(marks(&[0, 100, 99, 98], 100), [(0, HEIGHT), (100, 0)]);
    }
}
