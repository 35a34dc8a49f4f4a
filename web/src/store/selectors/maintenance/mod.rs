//! The maintenance schedule for editing: windows in, windows out, the posted JSON.
//!
//! *Knows*: windows of the view, instants on the clock, lengths in common notations. *Must not know*: which schedule the
//! master accepts; its answer says so.
//!
//! *Units*: nanoseconds since 1970 in whole 64-bit numbers, as in the real schedule; milliseconds since the start of
//! the run for drawing.

use super::status::entry;
use super::time::{clock, horizon, short};
use planarium_protocol::Text;
use planarium_protocol::input::{Input, Maintenance};
use planarium_protocol::json;
use planarium_protocol::view::{ActionView, ClusterView, MachineView, StatusClass, UnavailabilityView, View};
use serde_json::{Map, Value};

const NS_PER_MS: i64 = 1_000_000;

/// A machine as a schedule names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// Host name.
    pub(crate) hostname: Option<Text>,
    /// Address.
    pub(crate) ip: Option<Text>,
}

impl Name {
    /// The name of a machine of the cluster.
    pub(crate) fn of(machine: &MachineView) -> Self {
        Self { hostname: Some(machine.hostname.clone()), ip: Some(machine.ip.clone()) }
    }

    /// As shown.
    pub(crate) fn words(&self) -> Text {
        let given = |text: &&Text| !text.is_empty();
        self.hostname.as_ref().filter(given).or(self.ip.as_ref()).cloned().unwrap_or_default()
    }

    fn json(&self) -> Value {
        let fields = [("hostname", &self.hostname), ("ip", &self.ip)];
        let given =
            fields.into_iter().filter_map(|(key, text)| Some((key.to_owned(), json!(&**text.as_ref()?))));
        Value::Object(given.collect())
    }
}

/// A window of the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Its machines.
    pub(crate) machines: Vec<Name>,
    /// Begin.
    pub(crate) start_ns: i64,
    /// Length; none when open-ended.
    pub(crate) duration_ns: Option<i64>,
}

/// Which part of a window is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The whole window.
    Whole,
    /// Its begin; the end stays.
    Start,
    /// Its end; the begin stays.
    End,
}

impl Window {
    /// Begin on the clock of the run; below zero when before it.
    pub(crate) fn start_ms(&self, epoch_ms: u64) -> i64 {
        self.start_ns.div_euclid(NS_PER_MS).saturating_sub(signed(epoch_ms))
    }

    /// End on the clock of the run; none when open-ended.
    pub(crate) fn end_ms(&self, epoch_ms: u64) -> Option<i64> {
        let end = self.start_ns.saturating_add(self.duration_ns?);
        Some(end.div_euclid(NS_PER_MS).saturating_sub(signed(epoch_ms)))
    }

    /// The window with a part moved; it neither begins before the run does nor lasts less than a second.
    pub(crate) fn moved(&self, part: Part, by_ms: i64, epoch_ms: u64) -> Self {
        let by = by_ms.saturating_mul(NS_PER_MS);
        let first = signed(epoch_ms).saturating_mul(NS_PER_MS).min(self.start_ns);
        let least = 1000 * NS_PER_MS;
        let (mut start_ns, mut duration_ns) = (self.start_ns, self.duration_ns);
        match part {
            Part::Whole => start_ns = start_ns.saturating_add(by).max(first),
            Part::Start => {
                start_ns = start_ns.saturating_add(by).max(first);
                if let Some(old) = duration_ns {
                    let end = self.start_ns.saturating_add(old);
                    start_ns = start_ns.min(end.saturating_sub(least)).max(first);
                    duration_ns = Some(end.saturating_sub(start_ns));
                }
            }
            Part::End => duration_ns = duration_ns.map(|old| old.saturating_add(by).max(least)),
        }
        Self { machines: self.machines.clone(), start_ns, duration_ns }
    }

    /// From when to when, in words.
    pub(crate) fn words(&self, epoch_ms: u64) -> String {
        let from = instant(self.start_ms(epoch_ms));
        match (self.end_ms(epoch_ms), self.duration_ns) {
            (Some(end), Some(length)) => {
                let length = short(unsigned(length / NS_PER_MS));
                format!("{from} to {}, {length}", instant(end))
            }
            _ => format!("from {from}, open-ended"),
        }
    }

    /// Names of its machines.
    pub(crate) fn who(&self) -> String {
        self.machines.iter().map(|name| name.words().to_string()).collect::<Vec<_>>().join(", ")
    }

    fn json(&self) -> Value {
        let mut away = Map::new();
        away.insert("start".into(), json!({ "nanoseconds": self.start_ns }));
        if let Some(length) = self.duration_ns {
            away.insert("duration".into(), json!({ "nanoseconds": length }));
        }
        let machines: Vec<Value> = self.machines.iter().map(Name::json).collect();
        json!({ "machine_ids": machines, "unavailability": away })
    }
}

/// The windows of the schedule.
pub(crate) fn windows(cluster: &ClusterView) -> Vec<Window> {
    let windows = cluster.windows.iter().map(|window| {
        let machines = window.machines.iter();
        let machines = machines.map(|id| Name { hostname: id.hostname.clone(), ip: id.ip.clone() });
        let (start_ns, duration_ns) = nanoseconds(&window.unavailability);
        Window { machines: machines.collect(), start_ns, duration_ns }
    });
    windows.collect()
}

fn nanoseconds(away: &UnavailabilityView) -> (i64, Option<i64>) {
    let length = away.duration_ns.as_ref().map(|text| text.parse().unwrap_or(0));
    (away.start_ns.parse().unwrap_or(0), length)
}

/// When a machine is expected away, in words.
pub(crate) fn away_words(away: &UnavailabilityView, epoch_ms: u64) -> String {
    let (start_ns, duration_ns) = nanoseconds(away);
    Window { machines: Vec::new(), start_ns, duration_ns }.words(epoch_ms)
}

/// Returns the schedule in the form of the master's API.
pub(crate) fn schedule(windows: &[Window]) -> Value {
    if windows.is_empty() {
        return json!({});
    }
    json!({ "windows": windows.iter().map(Window::json).collect::<Vec<_>>() })
}

/// The input that posts a schedule.
pub(crate) fn post(windows: &[Window]) -> Input {
    Input::Maintenance(Maintenance { op: "schedule".to_owned(), body: schedule(windows) })
}

/// The schedule with a window put in the place of another one, at the end, or taken out.
pub(crate) fn with(windows: &[Window], at: Option<usize>, window: Option<Window>) -> Vec<Window> {
    let mut all = windows.to_vec();
    match (at.filter(|at| *at < all.len()), window) {
        (Some(at), Some(window)) => {
            all.splice(at..=at, [window]);
        }
        (Some(at), None) => {
            all.remove(at);
        }
        (None, Some(window)) => all.push(window),
        (None, None) => {}
    }
    all
}

/// The place by now of a window that was seen at a place; none when it is not in the schedule any more.
pub(crate) fn place_by_now(windows: &[Window], at: usize, seen: &Window) -> Option<usize> {
    if windows.get(at) == Some(seen) {
        return Some(at);
    }
    windows.iter().position(|window| window == seen)
}

/// Returns the schedule with a window at an index replaced or removed; `None` if the window is gone.
pub(crate) fn instead(
    cluster: &ClusterView,
    at: usize,
    seen: &Window,
    window: Option<Window>,
) -> Option<Input> {
    let windows = windows(cluster);
    let at = place_by_now(&windows, at, seen)?;
    Some(post(&with(&windows, Some(at), window)))
}

/// Returns the choices for a window: the machines of the cluster, each once, then those that only the schedule knows.
pub(crate) fn choices(cluster: &ClusterView) -> Vec<Name> {
    let mut out: Vec<Name> = Vec::new();
    let scheduled = cluster.windows.iter().flat_map(|window| &window.machines);
    let scheduled = scheduled.map(|id| Name { hostname: id.hostname.clone(), ip: id.ip.clone() });
    for name in cluster.machines.iter().map(|machine| Name::of(machine)).chain(scheduled) {
        if !out.iter().any(|known| same(known, &name)) {
            out.push(name);
        }
    }
    out
}

/// Returns whether two names mean the same machine.
pub(crate) fn same(a: &Name, b: &Name) -> bool {
    let host = |name: &Name| name.hostname.as_ref().map(|host| host.to_ascii_lowercase());
    host(a) == host(b) && a.ip == b.ip
}

/// Returns the action of a maintenance operation on a machine.
pub(crate) fn action<'m>(machine: &'m MachineView, op: &str) -> Option<&'m ActionView> {
    let is = |action: &&ActionView| matches!(&action.input, Input::Maintenance(call) if call.op == op);
    machine.actions.iter().find(is)
}

/// Returns the most that windows may add to the time axis.
fn bound(head_ms: u64) -> u64 {
    horizon(head_ms).saturating_mul(8).saturating_add(60_000)
}

/// Returns the least end of the time axis, for windows that are not too far off.
pub(crate) fn reach(head_ms: u64, windows: &[Window], epoch_ms: u64) -> u64 {
    let bound = bound(head_ms);
    let ends = windows.iter().filter_map(|window| {
        let start = unsigned(window.start_ms(epoch_ms));
        // Of an open-ended one a part shows.
        let end = window.end_ms(epoch_ms).map_or(start / 4 * 5 + 1000, unsigned);
        (start < bound).then_some(end.min(bound))
    });
    ends.max().map_or(0, |end| end + end / 16)
}

/// Returns whether a window begins beyond an axis of this length.
pub(crate) fn is_beyond(window: &Window, span_ms: u64, epoch_ms: u64) -> bool {
    window.start_ms(epoch_ms) >= signed(span_ms)
}

/// A row for each window, so that those of one row do not overlap and leave this much room for their handles.
pub(crate) fn rows(windows: &[Window], room_ms: u64, epoch_ms: u64) -> Vec<usize> {
    let mut ends: Vec<i64> = Vec::new();
    let place = |window: &Window| {
        let start = window.start_ms(epoch_ms);
        let end = window.end_ms(epoch_ms).unwrap_or(i64::MAX);
        let row =
            ends.iter().position(|busy| busy.saturating_add(signed(room_ms)) <= start).unwrap_or(ends.len());
        match ends.get_mut(row) {
            Some(busy) => *busy = end,
            None => ends.push(end),
        }
        row
    };
    windows.iter().map(place).collect()
}

/// Instances of a pod type, and how many of them are on a window's machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Impact {
    /// Service and pod type.
    pub(crate) what: String,
    /// On machines of the window.
    pub(crate) there: usize,
    /// In all.
    pub(crate) total: usize,
    /// Running now.
    pub(crate) running: usize,
}

impl Impact {
    /// In words.
    pub(crate) fn words(&self) -> String {
        let Self { what, there, total, running } = self;
        let left = total.saturating_sub(*there);
        let verdict = match (total, left) {
            (0..3, 0) => "nothing stays".to_owned(),
            (0..3, _) => format!("{left} stays"),
            (_, 0) => "nothing stays, no majority".to_owned(),
            _ if left * 2 > *total => format!("the other {left} are a majority"),
            _ => format!("{left} left, no majority"),
        };
        let now = if running < total { format!("; running now: {running}") } else { String::new() };
        format!("{what}: {there} of {total} there, {verdict}{now}")
    }

    /// Returns whether the rest is too small for a vote, or empty.
    pub(crate) fn breaks(&self) -> bool {
        let left = self.total.saturating_sub(self.there);
        left == 0 || self.total >= 3 && left * 2 <= self.total
    }
}

/// Returns the impact of a window on the services' pods, at their present places.
pub(crate) fn impacts(view: &View, machines: &[Name]) -> Vec<Impact> {
    let there = |host: &str| {
        machines.iter().any(|name| name.hostname.as_deref().is_some_and(|h| h.eq_ignore_ascii_case(host)))
    };
    let mut out: Vec<Impact> = Vec::new();
    for service in &view.services {
        for pod in &service.pods {
            let kind = pod.name.rsplit_once('-').map_or(&*pod.name, |(kind, _)| kind);
            let what = format!("{} {kind}", service.name);
            let mut hosts = pod.tasks.iter().filter_map(|task| task.agent.as_deref());
            let on = usize::from(hosts.any(there));
            let runs = pod.tasks.iter().any(|task| {
                task.status
                    .as_deref()
                    .is_some_and(|status| entry(service.statuses, status).class == StatusClass::Running)
            });
            match out.iter_mut().find(|impact| impact.what == what) {
                Some(impact) => {
                    impact.there += on;
                    impact.total += 1;
                    impact.running += usize::from(runs);
                }
                None => out.push(Impact { what, there: on, total: 1, running: usize::from(runs) }),
            }
        }
    }
    out.retain(|impact| impact.there > 0);
    out
}

/// An instant on the clock, as shown; whole seconds without fraction.
pub(crate) fn instant(ms: i64) -> String {
    let face = clock(ms.unsigned_abs());
    let face = face.strip_suffix(".000").unwrap_or(&face);
    if ms < 0 { format!("{face} before the start") } else { face.to_owned() }
}

/// Parses a length: `90`, `90s`, `1h 30m`, `2 min`.
///
/// *Errors*: describes the fault.
pub(crate) fn length_ms(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{}` is not a length such as 90s, 10m or 1h 30m", text.trim());
    let mut rest = text.trim();
    let mut sum: u64 = 0;
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let tail = tail.trim_start();
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let factor = match unit {
            "ms" => 1,
            "" | "s" | "sec" => 1000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(wrong()),
        };
        let number: u64 = number.parse().map_err(|_| wrong())?;
        sum = number.checked_mul(factor).and_then(|ms| sum.checked_add(ms)).ok_or_else(wrong)?;
        rest = tail.trim_start();
    }
    // A hundred years is as far as calendars here reach.
    if sum > 3_155_760_000_000 { Err(wrong()) } else { Ok(sum) }
}

/// Parses an instant: `+90s` from now, or `1:30`, `1:02:03.5` on the clock.
///
/// *Errors*: describes the fault.
pub(crate) fn instant_ms(text: &str, now_ms: u64) -> Result<u64, String> {
    let text = text.trim();
    if let Some(length) = text.strip_prefix('+') {
        return Ok(now_ms.saturating_add(length_ms(length)?));
    }
    let wrong = || format!("`{text}` is not a time such as +60s from now, or 1:30 on the clock");
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let fields: Vec<u64> = whole.split(':').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
    if !(2..=3).contains(&fields.len()) || part.len() > 3 || !part.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let seconds = fields.iter().try_fold(0_u64, |sum, field| sum.checked_mul(60)?.checked_add(*field));
    let seconds = seconds.filter(|seconds| *seconds <= 3_155_760_000).ok_or_else(wrong)?;
    let thousandths: u64 = format!("{part:0<3}").parse().map_err(|_| wrong())?;
    Ok(seconds * 1000 + thousandths)
}

/// Formats a length for a field.
pub(crate) fn length_text(ms: u64) -> String {
    let parts = [(3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")];
    let mut rest = ms;
    let mut out = Vec::new();
    for (size, unit) in parts {
        if rest >= size {
            out.push(format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    if out.is_empty() { "0s".to_owned() } else { out.join(" ") }
}

/// The window of a form.
pub(crate) fn window_of(machines: Vec<Name>, start_ms: u64, length_ms: Option<u64>, epoch_ms: u64) -> Window {
    let ns = |ms: u64| signed(ms).saturating_mul(NS_PER_MS);
    Window { machines, start_ns: ns(epoch_ms.saturating_add(start_ms)), duration_ns: length_ms.map(ns) }
}

fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// Below zero is zero.
pub(crate) fn unsigned(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or(0)
}

#[cfg(test)]
mod tests;
