//! Rows of a long list near the visible part.

use web_sys::HtmlElement;
use yew::prelude::*;

/// Lists up to this length are shown whole.
pub(crate) const WHOLE_UP_TO: usize = 200;
const SPARE: usize = 10;

/// The rows to show.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slice {
    /// First row.
    pub(crate) start: usize,
    /// Maximum.
    pub(crate) take: usize,
    /// Height of a row in pixels.
    pub(crate) row_px: usize,
}

impl Slice {
    /// Room above.
    pub(crate) fn above(&self) -> usize {
        self.start * self.row_px
    }

    /// Room below in a list of `total`.
    pub(crate) fn below(&self, total: usize) -> usize {
        total.saturating_sub(self.start + self.take) * self.row_px
    }
}

/// The slice for a scroll position.
pub(crate) fn slice(scroll_px: i32, height_px: i32, row_px: i32) -> Slice {
    let row = usize::try_from(row_px).unwrap_or(1).max(1);
    let first = usize::try_from(scroll_px).unwrap_or(0) / row;
    // Start at even blocks, so that small scrolls change nothing.
    let start = first.saturating_sub(SPARE) / 4 * 4;
    let take = usize::try_from(height_px).unwrap_or(0) / row + 2 * SPARE + 8;
    Slice { start, take, row_px: row }
}

/// Follows the scrolling of `scroller`. Rows in it carry `data-row`.
#[hook]
pub(crate) fn use_slice(scroller: &NodeRef, total: usize, row_guess: i32) -> (Slice, Callback<Event>) {
    use_slice_of(scroller, total, row_guess, WHOLE_UP_TO)
}

/// The same for lists that are shown whole up to another length.
#[hook]
pub(crate) fn use_slice_of(
    scroller: &NodeRef,
    total: usize,
    row_guess: i32,
    whole_up_to: usize,
) -> (Slice, Callback<Event>) {
    let current = use_state_eq(|| slice(0, 800, row_guess));
    let measure = {
        let (scroller, current) = (scroller.clone(), current.clone());
        move || {
            let Some(element) = scroller.cast::<HtmlElement>() else { return };
            let row = element.query_selector("[data-row]").ok().flatten();
            let row = row.map_or(row_guess, |row| row.client_height().max(1));
            current.set(slice(element.scroll_top(), element.client_height(), row));
        }
    };
    let long = total > whole_up_to;
    {
        let measure = measure.clone();
        use_effect_with((long, total), move |(long, _)| {
            if *long {
                measure();
            }
        });
    }
    let onscroll = Callback::from(move |_: Event| {
        if long {
            measure();
        }
    });
    let shown = if long { (*current).clone() } else { Slice { start: 0, take: total, row_px: 0 } };
    (shown, onscroll)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_the_visible_rows_with_room_to_spare() {
        for scroll in (0..100_000).step_by(137) {
            let got = slice(scroll, 700, 36);
            let first = usize::try_from(scroll).unwrap() / 36;
            assert!(got.start <= first && got.start + got.take > first + 700 / 36, "{scroll}");
            assert!(got.take < 60);
        }
        let end = slice(0, 100, 10);
        assert_eq!((end.above(), end.below(20)), (0, 0), "nothing below the last row");
        assert_eq!(slice(5, 5, 0).row_px, 1, "a row that is not laid out yet");
    }
}
