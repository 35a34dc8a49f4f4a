//! Which read stands behind which path.

use crate::Request;
use planarium_world::SdkQuery;

/// The read of a path; `None` when there is none.
pub(super) fn read(request: &Request, parts: &[&str]) -> Option<SdkQuery> {
    let _ = (request, parts);
    None
}
