//! The files of definitions that are shown beside a picture.

use planarium_protocol::input::LoadService;

/// Most files that a picture shows.
const MOST_SOURCES: usize = 4;
/// Largest file that a picture shows. *Units*: bytes.
const LARGEST_SOURCE: usize = 30_000;

/// Returns names and texts of the definitions' files that are worth reading in a document.
pub fn sources(services: &[LoadService]) -> Vec<(String, String)> {
    let files = services.iter().flat_map(|service| &service.files);
    let short = files.filter(|(_, text)| text.len() <= LARGEST_SOURCE && !text.trim().is_empty());
    short.take(MOST_SOURCES).map(|(name, text)| (name.clone(), text.clone())).collect()
}
