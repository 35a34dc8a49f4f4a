//! Times as people read them.

pub(crate) use planarium_messages::clock::{clock, short};

/// Formats a length in words: `42 seconds`, `1 minute 5 seconds`.
pub(crate) fn spoken(ms: u64) -> String {
    let count = |n: u64, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    let s = ms / 1000;
    let parts = [(s / 3600, "hour"), (s / 60 % 60, "minute"), (s % 60, "second")];
    let said: Vec<_> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| count(*n, word)).collect();
    if said.is_empty() { "0 seconds".to_owned() } else { said.join(" ") }
}

/// Returns the end of the time axis: a little beyond the head. It grows in small steps, so that nothing jumps and little is
/// redrawn.
pub(crate) fn horizon(head_ms: u64) -> u64 {
    let (least, mut end) = (head_ms.saturating_add(head_ms / 16), 15_000_u64);
    while end < least {
        end += end / 50;
    }
    end
}

/// Returns the distance between marks of an axis of this length, for about eight marks.
pub(crate) fn tick(span_ms: u64) -> u64 {
    const STEPS: [u64; 14] = [
        1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000,
        7_200_000, 14_400_000,
    ];
    STEPS.iter().copied().find(|step| span_ms / step <= 9).unwrap_or(span_ms / 8).max(1000)
}

/// An axis mark: `0`, `15 s`, `1:30`, `1 h`.
pub(crate) fn tick_label(ms: u64) -> String {
    let s = ms / 1000;
    match s {
        0 => "0".to_owned(),
        1..60 => format!("{s} s"),
        60..3600 => format!("{}:{:02}", s / 60, s % 60),
        _ => format!("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60),
    }
}

/// A moment in a sentence, to whole seconds and not before it: `1:40`, `1:02:03`.
pub(crate) fn brief(ms: u64) -> String {
    let s = ms.div_ceil(1000);
    match s {
        0..3600 => format!("{}:{:02}", s / 60, s % 60),
        _ => format!("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60),
    }
}

/// A position on an axis, as an SVG length.
pub(crate) fn percent(at_ms: u64, span_ms: u64) -> String {
    let share = at_ms.min(span_ms).saturating_mul(10_000) / span_ms.max(1);
    format!("{}.{:02}%", share / 100, share % 100)
}

/// A time as people write it: `20:00`, `1:05:00`, `90`, `90 s`, `20 min`, `2 h`. *Units*: answers milliseconds.
pub(crate) fn read_time(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.contains(':') {
        let parts: Vec<u64> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let sixties = parts.len() <= 3 && parts.iter().skip(1).all(|part| *part < 60);
        let seconds = parts.iter().try_fold(0_u64, |sum, part| sum.checked_mul(60)?.checked_add(*part))?;
        return seconds.checked_mul(1000).filter(|_| sixties);
    }
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(unit_at)?;
    let scale = match unit.trim() {
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let seconds = planarium_kernel::float::parse(number)? * scale;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked range just here")]
    (0.0..=1.0e7).contains(&seconds).then(|| (seconds * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_as_expected() {
        for (ms, face, brief, speech) in [
            (0, "00:00.000", "0 ms", "0 seconds"),
            (350, "00:00.350", "350 ms", "0 seconds"),
            (4_250, "00:04.250", "4.2 s", "4 seconds"),
            (42_000, "00:42.000", "42 s", "42 seconds"),
            (61_000, "01:01.000", "1 m 1 s", "1 minute 1 second"),
            (3_600_000, "1:00:00.000", "1 h", "1 hour"),
            (3_723_004, "1:02:03.004", "1 h 2 m", "1 hour 2 minutes 3 seconds"),
        ] {
            assert_eq!((clock(ms), short(ms), spoken(ms)), (face.into(), brief.into(), speech.into()));
        }
    }

    #[test]
    fn a_moment_in_a_sentence_is_rounded_up_to_seconds() {
        for (ms, want) in [(0, "0:00"), (99_001, "1:40"), (100_000, "1:40"), (3_723_004, "1:02:04")] {
            assert_eq!(brief(ms), want);
        }
    }

    #[test]
    fn the_axis_reaches_past_the_head_and_grows_in_small_steps() {
        let mut last = horizon(0);
        for head in (0..4_000_000).step_by(250) {
            let end = horizon(head);
            assert!(end > head && end >= last && end - last <= last / 50, "{head}");
            assert!(end / tick(end) <= 9, "{head}: too many marks");
            last = end;
        }
        assert_eq!(horizon(0), 15_000);
    }

    #[test]
    fn common_notations_of_times_are_parsed() {
        for (text, want) in [
            ("20:00", Some(1_200_000)),
            ("1:05:00", Some(3_900_000)),
            ("0:31", Some(31_000)),
            ("90", Some(90_000)),
            ("1.5 s", Some(1500)),
            ("20 min", Some(1_200_000)),
            ("2h", Some(7_200_000)),
            ("1:75", None),
            ("1:2:3:4", None),
            (":", None),
            ("", None),
            ("soon", None),
            ("5 days", None),
            ("99999999999999999999:00", None),
        ] {
            assert_eq!(read_time(text), want, "{text}");
        }
    }
}
