//! `endpoints`: where clients find the service.
//!
//! **Source**: dcos-commons `cli/queries/endpoints.go`, sheet section 13. Match; the API answers an endpoint in one
//! line where the real one answers it indented, so JSON is indented here.

use super::call::{Call, Done, Rules};
use super::grammar::Given;
use serde_json::Value;

pub(super) fn show(call: &mut Call<'_>, given: &Given) -> Done {
    let name = given.arg(0);
    if name.is_empty() {
        let body = call.get(Rules::Plain, &["endpoints"])?;
        call.say_json(&body);
        return Ok(());
    }
    // A custom endpoint may be any text.
    let body = call.get(Rules::Plain, &["endpoints", name])?;
    if serde_json::from_slice::<Value>(&body).is_ok() {
        call.say_json(&body);
    } else {
        call.say(String::from_utf8_lossy(&body).trim_end_matches('\n'));
    }
    Ok(())
}
