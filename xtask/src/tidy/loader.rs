//! The minified loader of pictures names the digest of the sources it was built from, and they are the present ones.

use super::Repository;

const MODULES: &str = "embed/loader";
const STYLES: &str = "embed/planarium-embed.css";
const MINIFIED: &str = "embed/planarium-embed.js";

/// Finds a minified loader that is older than its sources.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut modules: Vec<_> = repository.below(MODULES).filter(|source| source.is(&["js"])).collect();
    modules.sort_by(|one, other| one.path.cmp(&other.path));
    let Some(styles) = repository.text(STYLES) else {
        return vec![format!("{STYLES} is missing")];
    };
    let texts = modules.iter().map(|source| source.text.as_str()).chain([styles]);
    // FNV-1a, as embed/build.mjs computes it.
    let digest = texts
        .flat_map(str::bytes)
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let expected = format!("// planarium-embed of {digest:016x}");
    let first = repository.text(MINIFIED).and_then(|text| text.lines().next());
    if first == Some(expected.as_str()) {
        Vec::new()
    } else {
        vec![format!("{MINIFIED} is older than its sources: run cargo xtask loader")]
    }
}
