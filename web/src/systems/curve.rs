//! A capacity curve: counts of a rollout or restart over time, between the required minimum and the allowed maximum.
//!
//! *Knows*: samples and lines. *Must not know*: how any system replaces instances.

use super::Second;
use crate::store::selectors::time::clock;
use serde_json::Value;
use std::fmt::Write as _;
use yew::prelude::*;

const WIDTH: u64 = 280;
const HEIGHT: u64 = 96;
/// Room for the words of the axes, left of the lines and below them.
const LEFT: u64 = 30;
const BELOW: u64 = 18;
/// Maximum of curves shown at once.
const CURVES: usize = 3;
/// Least distance of two words of the upright axis.
const APART: u64 = 12;

/// One sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// Milliseconds since genesis.
    pub(super) ms: u64,
    /// Counts, in the order of the lines.
    pub(super) counts: Vec<u64>,
}

/// The curve of one app or workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Curve {
    /// The app or workload.
    pub(super) name: AttrValue,
    /// The operation: `Restart`.
    pub(super) what: &'static str,
    /// Kinds of lines with their words. The kind chooses the colour: `old`, `new`, `healthy`, `wanted`.
    pub(super) lines: &'static [(&'static str, &'static str)],
    /// The operation is over; before that the curve goes on to the moment shown.
    pub(super) is_over: bool,
    /// Samples in order of time.
    pub(super) samples: Vec<Sample>,
    /// Counts with a mark at the upright axis, those that matter most first.
    pub(super) marks: Vec<u64>,
    /// Lower and upper limit.
    pub(super) limits: (u64, u64),
    /// Description to compare the last counts with; may be empty.
    pub(super) beside: String,
    /// The limits in words.
    pub(super) note: String,
}

/// Reads a sample: the instant, then one number for each line. Nothing for a row that has fewer.
pub(super) fn sample(row: &Value, lines: usize) -> Option<Sample> {
    let at = |index: usize| row.get(index).and_then(Value::as_u64);
    let counts = (1..=lines).map(at).collect::<Option<Vec<u64>>>()?;
    Some(Sample { ms: at(0)?, counts })
}

/// A number of an object; 0 where there is none.
pub(super) fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
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

#[derive(Properties, PartialEq)]
struct PictureProps {
    curve: Curve,
}

/// The picture of a curve. One that is not over is drawn anew each second of virtual time.
#[component]
fn Picture(props: &PictureProps) -> Html {
    let now = use_context::<Second>().unwrap_or_default();
    let ms = now.0.saturating_mul(1000);
    props.curve.until(ms).picture().unwrap_or_default()
}

impl Curve {
    /// The picture; none without samples.
    pub(super) fn draw(self) -> Option<Html> {
        (!self.samples.is_empty()).then(|| html! { <Picture curve={self} /> })
    }

    /// The curve with its last counts kept until a moment, unless it was over by then.
    fn until(&self, ms: u64) -> Self {
        let mut curve = self.clone();
        let last = self.samples.last().filter(|last| !self.is_over && last.ms < ms);
        curve.samples.extend(last.map(|last| Sample { ms, ..last.clone() }));
        curve
    }

    fn picture(&self) -> Option<Html> {
        let (first, last) = (self.samples.first()?, self.samples.last()?);
        let (least, cap) = self.limits;
        let highest = self.samples.iter().flat_map(|sample| &sample.counts).copied().max().unwrap_or(0);
        let most = self.marks.iter().copied().fold(highest.max(cap).max(1), u64::max);
        let level = |count: u64| (HEIGHT - scale(count, most, HEIGHT)).to_string();
        let keys = || self.lines.iter().zip(&last.counts);
        let counts: Vec<String> = keys().map(|((_, word), count)| format!("{count} {word}")).collect();
        let words = format!(
            "{} of {} from {} to {}: {}{}; {}",
            self.what,
            self.name,
            clock(first.ms),
            clock(last.ms),
            counts.join(", "),
            self.beside,
            self.note
        );
        let end = [(first.ms, "start", 0), (last.ms, "end", WIDTH)];
        Some(html! {
            <figure class="capacity">
                <svg class="capacity-svg" role="img" aria-label={words}
                    viewBox={format!("-{LEFT} -6 {} {}", LEFT + WIDTH + 4, HEIGHT + BELOW + 6)}>
                    <path class="capacity-axis" d={format!("M0 0 V{HEIGHT} H{WIDTH}")} />
                    { for marks(&self.marks, most).into_iter().map(|(count, y)| html! {
                        <text class="capacity-word" x="-5" y={(y + 4).to_string()} text-anchor="end">{ count.to_string() }</text>
                    }) }
                    { for end.into_iter().map(|(ms, anchor, x)| html! {
                        <text class="capacity-word" x={x.to_string()} y={(HEIGHT + 14).to_string()} text-anchor={anchor}>{ clock(ms) }</text>
                    }) }
                    <line class="capacity-limit" data-limit="most" x1="0" x2={WIDTH.to_string()} y1={level(cap)} y2={level(cap)} />
                    <line class="capacity-limit" data-limit="least" x1="0" x2={WIDTH.to_string()} y1={level(least)} y2={level(least)} />
                    { for self.lines.iter().enumerate().map(|(index, (kind, _))| html! {
                        <polyline class="capacity-line" data-kind={*kind} points={corners(&self.samples, index, most)} />
                    }) }
                </svg>
                <figcaption>
                    <strong>{ &self.name }</strong>
                    { for keys().map(|((kind, word), count)| html! {
                        <span class="capacity-key" data-kind={*kind}>{ format!("{count} {word}") }</span>
                    }) }
                    <span class="muted">{ self.note.clone() }</span>
                </figcaption>
            </figure>
        })
    }
}

/// Several curves, one below the other; none where there is none.
pub(super) fn all(curves: impl Iterator<Item = Html>) -> Option<Html> {
    let drawn: Vec<Html> = curves.take(CURVES).collect();
    (!drawn.is_empty()).then(|| html! { <div class="capacities">{ for drawn }</div> })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_keeps_its_height_until_the_next_sample() {
        let rows = [
            json!([1000, 4, 0, 4]),
            json!([2000, 3, 1, 4]),
            json!([3000, 0, 4, 4]),
            json!(["x"]),
            json!([1]),
        ];
        let samples: Vec<Sample> = rows.iter().filter_map(|row| sample(row, 3)).collect();
        assert_eq!(samples.len(), 3);
        assert_eq!(corners(&samples, 0, 4), "0,0 140,0 140,24 280,24 280,96");
        assert_eq!(corners(&samples, 1, 4), "0,96 140,96 140,72 280,72 280,0");
        assert_eq!(corners(&samples[..1], 2, 4), "0,0 280,0");
        assert_eq!(corners(&[], 0, 4), "");
    }

    #[test]
    fn a_curve_goes_on_to_the_moment_shown_until_it_is_over() {
        let at = |ms, count| Sample { ms, counts: vec![count] };
        let curve = |is_over| Curve {
            name: "web".into(),
            what: "Rollout",
            lines: &[("new", "updated")],
            is_over,
            samples: vec![at(1_000, 0), at(2_000, 1)],
            marks: Vec::new(),
            limits: (0, 1),
            beside: String::new(),
            note: String::new(),
        };
        assert_eq!(curve(false).until(9_000).samples, [at(1_000, 0), at(2_000, 1), at(9_000, 1)]);
        assert_eq!(curve(false).until(2_000).samples.len(), 2, "nothing is drawn before the last sample");
        assert_eq!(curve(true).until(9_000).samples.len(), 2);
    }

    #[test]
    fn labels_of_the_vertical_axis_do_not_overlap() {
        assert_eq!(marks(&[0, 4, 3, 4], 4), [(0, HEIGHT), (4, 0), (3, 24)]);
        assert_eq!(marks(&[0, 100, 99, 98], 100), [(0, HEIGHT), (100, 0)]);
    }
}
