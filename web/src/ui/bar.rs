//! Bars as pictures, so that no inline style is needed.

use yew::prelude::*;

/// A part of a bar: share of the whole in tenths of a percent, and its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Tenths of a percent.
    pub(crate) share: u32,
    /// `used`, `reserved`, `done`, `failed`, ...
    pub(crate) kind: &'static str,
}

/// Share of a whole in tenths of a percent.
pub(crate) fn share(part: i64, whole: i64) -> u32 {
    if whole <= 0 {
        return 0;
    }
    u32::try_from(part.clamp(0, whole).saturating_mul(1000) / whole).unwrap_or(1000)
}

/// A bar of parts, one after the other.
pub(crate) fn bar(parts: &[Part]) -> Html {
    let mut from = 0;
    let rects = parts.iter().map(|part| {
        let x = from;
        from += part.share;
        html! { <rect class="bar-part" data-kind={part.kind} x={percent(x)} width={percent(part.share)} height="100%" /> }
    });
    html! { <svg class="bar" aria-hidden="true" focusable="false">{ for rects }</svg> }
}

fn percent(tenths: u32) -> String {
    format!("{}.{}%", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_stay_between_zero_and_all() {
        for (part, whole, want) in [(1, 4, 250), (5, 4, 1000), (-1, 4, 0), (1, 0, 0), (i64::MAX, i64::MAX, 1)]
        {
            let got = share(part, whole);
            assert!(got == want || part == i64::MAX && got <= 1000, "{part}/{whole}: {got}");
        }
        assert_eq!(percent(333), "33.3%");
    }
}
