//! The minified loader of pictures names the digest of the sources it was built from, and they are the present ones.

use super::Repository;

const SOURCES: [&str; 2] = ["embed/loader.js", "embed/planarium-embed.css"];
const MINIFIED: &str = "embed/planarium-embed.js";

/// Finds a minified loader that is older than its sources.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for path in SOURCES {
        let Some(text) = repository.text(path) else {
            return vec![format!("{path} is missing")];
        };
        // FNV-1a, as embed/build.mjs computes it.
        digest =
            text.bytes().fold(digest, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    }
    let expected = format!("// planarium-embed of {digest:016x}");
    let first = repository.text(MINIFIED).and_then(|text| text.lines().next());
    if first == Some(expected.as_str()) {
        Vec::new()
    } else {
        vec![format!("{MINIFIED} is older than its sources: run cargo xtask loader")]
    }
}
