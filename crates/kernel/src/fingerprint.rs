//! Fingerprints of texts: numbers that tell different texts apart without comparing them.
//!
//! *Knows*: words and how to fold them. *Must not know*: the meaning of the texts. Nothing that is stored or shown depends
//! on a fingerprint, so the algorithm may change with any version.

/// Folds one more word into a fingerprint.
pub const fn fold(print: u64, word: u64) -> u64 {
    (print.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The fingerprint of a text, eight bytes at a time.
pub fn of(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (words, rest) = bytes.as_chunks::<8>();
    let print = words.iter().fold(bytes.len() as u64, |print, word| fold(print, u64::from_be_bytes(*word)));
    let one = 1 << (8 * rest.len());
    // With at least eight bytes, the last eight are read as one word, and the bytes of earlier groups are cut off.
    let last = bytes.last_chunk::<8>().map_or_else(
        || rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        |last| u64::from_be_bytes(*last) & (one - 1),
    );
    let print = fold(print, one | last);
    // Every byte has an influence on the upper bits.
    print ^ print >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_texts_have_fingerprints_of_their_own() {
        let texts = (0..20_000).map(|n| format!("app-{n}-server"));
        let mut prints: Vec<u64> = texts.map(|text| of(&text)).collect();
        prints.extend(["", "a", "\0", "a\0", "\0a"].map(of));
        let count = prints.len();
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), count);
    }
}
