//! Two runs side by side in words and rows.

use super::time::short;
use super::tree;
use crate::store::state::Compared;
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::View;
use std::fmt::Write;

/// A number of both runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// Name of the count.
    pub(crate) name: &'static str,
    /// Of this run and of the other, in words.
    pub(crate) values: [String; 2],
    /// Which run is better, if either is.
    pub(crate) better: Option<usize>,
}

/// All numbers.
pub(crate) fn figures(compared: &Compared) -> Vec<Figure> {
    let [own, other] = &compared.tallies;
    let mut out = Vec::new();
    let mut add = |name, matters: bool, values: [Option<u64>; 2], words: &dyn Fn(u64) -> String| {
        let better = match values {
            _ if !matters => None,
            [Some(a), Some(b)] if a != b => Some(usize::from(b < a)),
            [Some(_), None] => Some(0),
            [None, Some(_)] => Some(1),
            _ => None,
        };
        let text = |value: Option<u64>| value.map_or_else(|| "not yet".to_owned(), words);
        out.push(Figure { name, values: values.map(text), better });
    };
    let count = |n: u64| n.to_string();
    let until = compared.heads.into_iter().max().unwrap_or(0);
    add("First plan complete after", true, [own.done_ms, other.done_ms], &short);
    for (name, matters, values) in [
        ("Most tasks missing at once", true, [own.short, other.short]),
        ("Tasks failed or lost", true, [own.failed, other.failed]),
        ("Launches", false, [own.launched, other.launched]),
        ("Commands given", false, [own.commands, other.commands]),
    ] {
        add(name, matters, values.map(|n| Some(u64::from(n))), &count);
    }
    add("Time with tasks missing", true, [own, other].map(|tally| Some(tally.short_until(until))), &short);
    out
}

/// Returns the comparison in a sentence.
pub(crate) fn verdict(compared: &Compared) -> String {
    let [own, other] = &compared.tallies;
    let speed = match (own.done_ms, other.done_ms) {
        (Some(a), Some(b)) if a < b => format!("This run is complete {} sooner", short(b - a)),
        (Some(a), Some(b)) if b < a => format!("This run is complete {} later", short(a - b)),
        (Some(_), Some(_)) => "Both are complete at the same instant".to_owned(),
        (Some(_), None) => "This run is complete, the other is not".to_owned(),
        (None, Some(_)) => "The other is complete, this run is not".to_owned(),
        (None, None) => "Neither is complete yet".to_owned(),
    };
    let tasks = |n: u32| if n == 1 { "1 task".to_owned() } else { format!("{n} tasks") };
    let cost = match (own.short, other.short) {
        (0, 0) => "no task was ever missing".to_owned(),
        (a, b) if a == b => format!("at worst {} missing in both", tasks(a)),
        (a, b) => format!("at worst {} missing here, {} there", tasks(a), tasks(b)),
    };
    format!("{speed}; {cost}.")
}

/// A step of either run and its statuses.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    /// The step.
    pub(crate) path: ElementPath,
    /// Its status in this run and in the other.
    pub(crate) statuses: [Option<Text>; 2],
}

impl Pair {
    /// Returns whether the runs differ here.
    pub(crate) fn differs(&self) -> bool {
        self.statuses[0] != self.statuses[1]
    }
}

/// The steps of both runs, in the order of this run, then those of the other alone.
pub(crate) fn pairs(own: &View, other: &View) -> Vec<Pair> {
    let mut there: SortedMap<ElementPath, Text> =
        tree::steps(other).map(|(path, step)| (path, step.status.clone())).collect();
    let mut out: Vec<Pair> = tree::steps(own)
        .map(|(path, step)| {
            let other = there.remove(&path);
            Pair { path, statuses: [Some(step.status.clone()), other] }
        })
        .collect();
    out.extend(there.into_iter().map(|(path, status)| Pair { path, statuses: [None, Some(status)] }));
    out
}

/// Returns the number of running tasks as points of a line on a field of 1000 by 100.
pub(crate) fn line(running: &[(u64, u32)], end_ms: u64, most: u32) -> String {
    let (end_ms, most) = (end_ms.max(1), u64::from(most.max(1)));
    let x = |ms: u64| ms.min(end_ms) * 1000 / end_ms;
    let y = |count: u32| 98 - u64::from(count) * 94 / most;
    let mut out = format!("0,{}", y(0));
    let mut last = 0;
    for (ms, count) in running {
        let _ = write!(out, " {},{} {},{}", x(*ms), y(last), x(*ms), y(*count));
        last = *count;
    }
    let _ = write!(out, " 1000,{}", y(last));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ptr::Ptr;
    use crate::store::state::{Against, World};
    use planarium_messages::tally::Tally;

    fn compared(own: Tally, other: Tally) -> Compared {
        Compared {
            against: Against::Before,
            name: "x".into(),
            view: World::default().view,
            heads: [1000, 2000],
            tallies: [own, other],
        }
    }

    #[test]
    fn says_which_run_is_better_in_which_measure() {
        let tally = |done_ms, short| {
            let mut tally = Tally::default();
            (tally.done_ms, tally.short) = (done_ms, short);
            tally
        };
        for (own, other, want) in [
            (
                tally(Some(9000), 0),
                tally(Some(12_000), 0),
                "This run is complete 3 s sooner; no task was ever missing.",
            ),
            (
                tally(Some(9000), 2),
                tally(None, 1),
                "This run is complete, the other is not; at worst 2 tasks missing here, 1 task there.",
            ),
            (tally(None, 1), tally(None, 1), "Neither is complete yet; at worst 1 task missing in both."),
        ] {
            assert_eq!(verdict(&compared(own, other)), want);
        }
        let figures = figures(&compared(tally(Some(9000), 2), tally(None, 1)));
        assert_eq!((figures[0].better, figures[1].better, figures[2].better), (Some(0), Some(1), None));
        assert_eq!(figures[0].values, ["9 s", "not yet"]);
    }

    #[test]
    fn lines_are_step_functions() {
        assert_eq!(line(&[(500, 1), (1000, 2)], 2000, 2), "0,98 250,98 250,51 500,51 500,4 1000,4");
        assert_eq!(line(&[], 0, 0), "0,98 1000,98");
    }

    #[test]
    fn steps_of_both_runs_are_paired() {
        use crate::store::selectors::tree::tests::{phase, plan, service, step};
        let view = |steps| {
            let services =
                vec![service("s", vec![plan("deploy", "PENDING", vec![phase("p", "serial", steps)])])];
            Ptr::new(View { services, ..(*World::default().view.0).clone() })
        };
        let (own, other) = (
            view(vec![step("a", "COMPLETE"), step("b", "PENDING")]),
            view(vec![step("a", "COMPLETE"), step("c", "PENDING")]),
        );
        let pairs = pairs(&own, &other);
        let got: Vec<_> =
            pairs.iter().map(|pair| (tree::leaf(&pair.path).to_string(), pair.differs())).collect();
        assert_eq!(got, [("a".into(), false), ("b".into(), true), ("c".into(), true)]);
    }
}
