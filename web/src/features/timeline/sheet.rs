//! Lanes as they are drawn on a canvas: their stretches as numbers, and the stretch under the pointer.
//!
//! *Knows*: stretches and the axis. *Must not know*: colours and pixels, which `web/js/lanes.js` has. *Cost*: a lane is drawn again when it
//! changed, all of them when the axis did.

use crate::browser;
use crate::store::ghost::GhostLane;
use crate::store::lane::{Lane, Segment, together};
use crate::store::ptr::Ptr;
use crate::store::selectors::axis::Axis;
use crate::store::selectors::status::look_at;
use crate::store::selectors::time::clock;
use planarium_protocol::event::ElementPath;
use web_sys::Element;
use yew::AttrValue;

/// Columns of a lane in which stretches are drawn one by one; more of them are put together.
const COLUMNS: i64 = 400;
/// Reach of the pointer on both sides of it. *Units*: hundredths of a percent of the axis.
const REACH: i64 = 25;
/// Families in the order of their looks; several changes in one stretch have a look of their own.
const LOOKS: [&str; 6] = ["neutral", "active", "complete", "waiting", "error", MANY];
/// The look of several changes.
pub(super) const MANY: &str = "many";

/// The content of a lane.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Strip {
    /// Its element.
    pub(super) path: ElementPath,
    /// Its changes.
    pub(super) lane: Option<Ptr<Lane>>,
    /// Details of a stretch long ago.
    pub(super) detail: Option<(u64, u64, Ptr<Lane>)>,
    /// The same lane of the run that the branch parted from.
    pub(super) ghost: Option<GhostLane>,
    /// Since when which status, where nothing has changed yet.
    pub(super) born: Option<(u64, AttrValue)>,
}

impl Strip {
    /// Its stretches up to `end_ms`.
    pub(super) fn segments(&self, end_ms: u64) -> Vec<Segment> {
        match (&self.lane, &self.born) {
            (Some(lane), _) => with_detail(lane.segments(end_ms), self.detail.as_ref()),
            (None, Some((from_ms, status))) => {
                let status = status.as_str().into();
                vec![Segment { from_ms: *from_ms, to_ms: end_ms, status, count: 1 }]
            }
            (None, None) => Vec::new(),
        }
    }

    /// Its stretches as `web/js/lanes.js` takes them.
    fn drawn(&self, axis: &Axis, end_ms: u64) -> Vec<i32> {
        let mut out = Vec::new();
        let place = if self.ghost.is_some() { Place::Above } else { Place::Alone };
        for segment in pieces(&self.segments(end_ms), axis) {
            out.extend(self.stretch(&segment, axis, place));
        }
        for segment in self.ghost.iter().flat_map(|ghost| pieces(ghost, axis)) {
            out.extend(self.stretch(&segment, axis, Place::Ghost));
        }
        out
    }

    fn stretch(&self, segment: &Segment, axis: &Axis, place: Place) -> [i32; 5] {
        let look = look_at(&self.path, &segment.status);
        let family = if segment.count > 1 { MANY } else { look.family };
        let at = |ms: u64| i32::try_from(axis.seen(ms).clamp(0, 10_000)).unwrap_or(0);
        let number = LOOKS.iter().position(|known| *known == family).and_then(|at| i32::try_from(at).ok());
        // Further along is fuller.
        let strength = match look.class {
            "preparing" => 50,
            "starting" => 75,
            _ => 100,
        };
        let strength = if place == Place::Ghost { strength * 45 / 100 } else { strength };
        [at(segment.from_ms), at(segment.to_ms), number.unwrap_or(0), strength, place as i32]
    }

    /// Words about what is at a place: its share of the axis in hundredths of a percent, in the lower third or above it.
    pub(super) fn under(&self, axis: &Axis, end_ms: u64, at: i64, low: bool) -> Option<String> {
        let own;
        let all: &[Segment] = match &self.ghost {
            Some(ghost) if low => ghost,
            _ => {
                own = self.segments(end_ms);
                &own
            }
        };
        // The shortest one within reach: it is drawn over the others.
        let far =
            |segment: &Segment| (axis.seen(segment.from_ms) - at).max(at - axis.seen(segment.to_ms)).max(0);
        let near = pieces(all, axis).into_iter().filter(|segment| far(segment) <= REACH);
        let found = near.min_by_key(|segment| (far(segment), segment.to_ms - segment.from_ms))?;
        Some(told(&found))
    }
}

/// Places in a row.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// A lane without another one.
    Alone,
    /// Above that of the run before the branch.
    Above,
    /// That of the run before the branch.
    Ghost,
}

/// Words about a stretch.
pub(super) fn told(segment: &Segment) -> String {
    let from = clock(segment.from_ms);
    if segment.count > 1 {
        return format!(
            "{} changes from {from} to {}, mostly {}",
            segment.count,
            clock(segment.to_ms),
            segment.status
        );
    }
    format!("{} from {from}", segment.status)
}

/// Adds the detailed stretches of an old part.
fn with_detail(mut segments: Vec<Segment>, detail: Option<&(u64, u64, Ptr<Lane>)>) -> Vec<Segment> {
    let Some((from_ms, to_ms, lane)) = detail else { return segments };
    let (mut before, after): (Vec<_>, Vec<_>) = segments
        .drain(..)
        .filter(|it| it.to_ms <= *from_ms || it.from_ms >= *to_ms || it.count == 1)
        .partition(|it| it.from_ms < *from_ms);
    let known = lane.segments(*to_ms).into_iter().filter(|it| it.to_ms > *from_ms);
    before.extend(known.map(|it| Segment { from_ms: it.from_ms.max(*from_ms), ..it }));
    before.extend(after);
    before
}

/// Returns the drawn pieces of these stretches: at most one that begins in each column, and only visible ones.
fn pieces(segments: &[Segment], axis: &Axis) -> Vec<Segment> {
    let in_sight = |segment: &&Segment| axis.sees_any(segment.from_ms, segment.to_ms);
    let seen: Vec<&Segment> = segments.iter().filter(in_sight).collect();
    if seen.len() <= usize::try_from(COLUMNS).unwrap_or_default() {
        return seen.into_iter().cloned().collect();
    }
    let column = |segment: &Segment| axis.seen(segment.from_ms).max(0) * COLUMNS / 10_000;
    let mut out = Vec::new();
    for group in seen.chunk_by(|a, b| column(a) == column(b)) {
        let group: Vec<Segment> = group.iter().map(|segment| (*segment).clone()).collect();
        out.extend(together(&group));
    }
    out
}

/// The canvas as it was drawn last.
#[derive(Default)]
pub(super) struct Sheet {
    canvas: Option<Element>,
    axis: Option<Axis>,
    end_ms: u64,
    rows: Vec<Option<Strip>>,
}

impl Sheet {
    /// Draws what changed. Rows without a lane have none.
    pub(super) fn draw(&mut self, canvas: Element, axis: &Axis, end_ms: u64, rows: Vec<Option<Strip>>) {
        let anew = self.canvas.as_ref() != Some(&canvas) || self.rows.len() != rows.len();
        if anew {
            browser::set_lanes(&canvas, u32::try_from(rows.len()).unwrap_or(0));
            self.rows = vec![None; rows.len()];
        }
        let moved = anew || self.axis.as_ref() != Some(axis) || self.end_ms != end_ms;
        for ((at, new), old) in (0..).zip(&rows).zip(&self.rows) {
            if old != new || (moved && new.is_some()) {
                let drawn = new.as_ref().map_or_else(Vec::new, |strip| strip.drawn(axis, end_ms));
                browser::draw_lane(&canvas, at, &drawn);
            }
        }
        *self = Self { canvas: Some(canvas), axis: Some(axis.clone()), end_ms, rows };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::selectors::axis::Folds;

    fn even() -> Axis {
        Axis::new(100_000, &[], Folds { track_px: 0, seen: None, idle_ms: 0 })
    }

    fn path() -> ElementPath {
        ElementPath {
            dialect: "".into(),
            service: "s".into(),
            plan: "p".into(),
            phase: Some("p".into()),
            step: Some("a".into()),
        }
    }

    fn strip(changes: &[(u64, &str)]) -> Strip {
        let mut lane = Lane::of(path());
        for (at_ms, status) in changes {
            lane.change(*at_ms, (*status).into());
        }
        Strip { path: path(), lane: Some(Ptr::new(lane)), detail: None, ghost: None, born: None }
    }

    #[test]
    fn a_lane_has_no_more_pieces_than_visible() {
        let stretch = |n: u64| Segment { from_ms: n * 10, to_ms: n * 10 + 10, status: "A".into(), count: 1 };
        let all: Vec<_> = (0..10_000).map(stretch).collect();
        for (axis, least) in [(even(), 10_000), (even().part(0, 1_000), 100)] {
            let drawn = pieces(&all, &axis);
            assert!(drawn.len() <= 401, "{}", drawn.len());
            assert!(drawn.iter().map(|it| it.count).sum::<u32>() >= least);
        }
        let few = pieces(&all[..50], &even());
        assert!(few.len() == 50 && few.iter().all(|it| it.count == 1));
    }

    #[test]
    fn stretches_are_drawn_by_family_and_strength_each_in_its_place() {
        let mut strip = strip(&[(0, "TASK_STAGING"), (20_000, "TASK_RUNNING"), (50_000, "TASK_FAILED")]);
        let looks = |drawn: &[i32]| -> Vec<Vec<i32>> { drawn.chunks(5).map(<[i32]>::to_vec).collect() };
        let drawn = looks(&strip.drawn(&even(), 100_000));
        let places: Vec<_> = drawn.iter().map(|it| (it[0], it[1], it[2], it[4])).collect();
        assert_eq!(places, [(0, 2_000, 1, 0), (2_000, 5_000, 2, 0), (5_000, 10_000, 4, 0)]);
        assert!(drawn[0][3] < 100 && drawn[1][3] == 100, "{drawn:?}");
        // The run before the branch stands below, fainter.
        let before = Segment { from_ms: 10_000, to_ms: 100_000, status: "TASK_RUNNING".into(), count: 1 };
        strip.ghost = Some(Ptr::new(vec![before]));
        let drawn = looks(&strip.drawn(&even(), 100_000));
        assert_eq!(drawn.iter().map(|it| it[4]).collect::<Vec<_>>(), [1, 1, 1, 2]);
        assert_eq!(drawn[3], [1_000, 10_000, 2, 45, 2]);
        // Of a part only what is in sight.
        assert_eq!(looks(&strip.drawn(&even().part(60_000, 70_000), 100_000)).len(), 2);
        let unborn = Strip { lane: None, ghost: None, ..strip };
        assert!(unborn.drawn(&even(), 100_000).is_empty());
    }

    #[test]
    fn several_changes_in_one_stretch_look_like_no_status() {
        let many = Segment { from_ms: 0, to_ms: 10, status: "TASK_RUNNING".into(), count: 8 };
        let strip = strip(&[(0, "TASK_RUNNING")]);
        assert_eq!(strip.stretch(&many, &even(), Place::Alone)[2], 5);
        for (number, family) in LOOKS.iter().enumerate().take(5) {
            let css = include_str!("../../../js/lanes.js");
            assert!(css.contains(&format!("colour.{family}")), "{number}: {family} has a look");
        }
    }

    #[test]
    fn the_pointer_is_over_a_stretch_and_a_short_one_is_within_reach() {
        let mut strip = strip(&[(0, "A"), (50_000, "B"), (50_010, "C")]);
        let under = |strip: &Strip, at, low| strip.under(&even(), 100_000, at, low);
        assert_eq!(under(&strip, 1_000, false).as_deref(), Some("A from 00:00.000"));
        assert_eq!(under(&strip, 9_000, true).as_deref(), Some("C from 00:50.010"), "there is no other run");
        assert_eq!(under(&strip, 5_001, false).as_deref(), Some("B from 00:50.000"));
        let before = Segment { from_ms: 60_000, to_ms: 70_000, status: "D".into(), count: 1 };
        strip.ghost = Some(Ptr::new(vec![before]));
        assert_eq!(under(&strip, 6_500, true).as_deref(), Some("D from 01:00.000"));
        assert_eq!(under(&strip, 9_000, true), None, "the other run has ended");
        assert_eq!(under(&strip, 6_500, false).as_deref(), Some("C from 00:50.010"));
    }
}
