//! The live region: speaks in batches, and only at speeds at which words can follow.

use crate::store::events::EventLog;
use crate::store::ptr::Ptr;
use crate::store::selectors::announce::summarise;
use crate::store::state::Verbosity;
use gloo::timers::callback::Interval;
use planarium_protocol::View;
use yew::prelude::*;

/// One announcement per so long.
const BATCH_MS: u32 = 1500;

#[derive(Properties, PartialEq)]
pub(crate) struct AnnouncerProps {
    /// The view.
    pub(crate) view: Ptr<View>,
    /// The events.
    pub(crate) log: EventLog,
    /// Last event at the cursor.
    pub(crate) seq: u64,
    /// The clock runs.
    pub(crate) playing: bool,
    /// Too fast to speak along.
    pub(crate) muted: bool,
    /// Verbosity of the live region.
    pub(crate) verbosity: Verbosity,
}

/// The last announcement, and the events since.
struct Memory {
    spoken_to: u64,
    lineage: (u32, u32),
    latest: Option<(Ptr<View>, EventLog, u64, bool, Verbosity)>,
}

/// The region.
#[component]
pub(crate) fn Announcer(props: &AnnouncerProps) -> Html {
    let words = use_state_eq(String::new);
    let memory = use_mut_ref(|| Memory { spoken_to: 0, lineage: (0, 0), latest: None });
    {
        let mut memory = memory.borrow_mut();
        let quiet = props.playing && props.muted;
        memory.latest = Some((props.view.clone(), props.log.clone(), props.seq, quiet, props.verbosity));
    }
    {
        let (memory, words) = (memory.clone(), words.setter());
        use_effect_with((), move |()| {
            let ticker = Interval::new(BATCH_MS, move || {
                if let Some(text) = speak(&mut memory.borrow_mut()) {
                    words.set(text);
                }
            });
            move || drop(ticker)
        });
    }
    html! { <div class="visually-hidden" role="status" aria-live="polite">{ &*words }</div> }
}

fn speak(memory: &mut Memory) -> Option<String> {
    let (view, log, seq, quiet, verbosity) = memory.latest.as_ref()?;
    if *quiet {
        return None;
    }
    let (from, seq) = (memory.spoken_to, *seq);
    let other_world = memory.lineage != log.lineage;
    memory.spoken_to = seq;
    if other_world {
        memory.lineage = log.lineage;
        return None;
    }
    if seq <= from {
        return None;
    }
    let (start, end) = (log.count_to(from), log.count_to(seq));
    summarise(log.from(start).take(end - start), view, *verbosity)
}
