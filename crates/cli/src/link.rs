//! Share links as arguments: their run, at their moment.
//!
//! Knows: the form of a link among paths. Must not know: how a run is packed.

use anyhow::{Context as _, Result};
use planarium_scenario::share;
use planarium_world::Engine;
use std::path::Path;

/// The replayed run of a link (`#p1:...`, `p1:...`, or a page's address that ends with one); nothing when the argument
/// is none.
pub(crate) fn replayed(path: &Path) -> Result<Option<Engine>> {
    let Some(text) = path.to_str().filter(|text| is_link(text)) else { return Ok(None) };
    let journal = share::decode(text)?;
    let (mut engine, difference) = Engine::open(&journal).context("the link's run cannot be replayed")?;
    if let Some(difference) = difference {
        eprintln!("planarium: warning: {difference}");
        eprintln!("planarium: the recorded inputs: planarium share --decode LINK");
    }
    share::go_to_moment(&mut engine, text);
    Ok(Some(engine))
}

fn is_link(text: &str) -> bool {
    text.trim_start_matches('#').starts_with(share::PREFIX) || text.contains(&format!("#{}", share::PREFIX))
}
