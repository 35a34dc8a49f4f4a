//! `endpoints`: where clients find the service.
//!
//! **Source**: dcos-commons `cli/queries/endpoints.go`. Match.

use super::call::{Call, Done, Rules};
use planarium_part::console::Given;

pub(super) fn show(call: &mut Call<'_>, given: &Given) -> Done {
    let name = given.text(0);
    if name.is_empty() {
        let body = call.get(Rules::Plain, &["endpoints"])?;
        call.say_json(&body);
        return Ok(());
    }
    // An endpoint may be any text, so it is shown as it comes.
    let body = call.get(Rules::Plain, &["endpoints", name])?;
    call.say(String::from_utf8_lossy(&body).trim_end_matches('\n'));
    Ok(())
}
