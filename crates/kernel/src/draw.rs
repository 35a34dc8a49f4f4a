//! Keyed randomness: a draw is a pure function of (seed, entity, purpose, n).
//!
//! *Knows*: one named mixer and how words are folded into it.
//! *Must not know*: who draws and what for; purposes are numbers chosen by the caller.
//!
//! A draw consumes no state, so a new entity changes no draw of another one.
//!
//! The mixer is the finaliser of SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number
//! generators*, 2014). A word `w` is absorbed into a state `h` by `h = mix64((h ^ w) + G)` with
//! `G = 0x9E3779B97F4A7C15`; a draw absorbs seed, entity, purpose and n, in that order, into 0.
//! Names become entities by 64-bit FNV-1a. All arithmetic wraps.
//!
//! Test vectors (decimal inputs, hexadecimal outputs):
//!
//! | call | result |
//! |---|---|
//! | `mix64(0)` | `0000000000000000` |
//! | `mix64(G)` (SplitMix64 from seed 0, first output) | `e220a8397b1dcdaf` |
//! | `entity("")` | `cbf29ce484222325` |
//! | `entity("foobar")` | `85944171f73967e8` |
//! | `draw(0, 0, 0, 0)` | `2130748aaac80268` |
//! | `draw(1, 2, 3, 4)` | `d55ccd4aeb3ccafb` |
//! | `draw(42, entity("hello-0"), 7, 1)` | `148fdba526b66485` |
//! | `between(42, entity("hello-0"), 7, 1, 100, 200)` | `108` (decimal) |
//! | `uuid(42, entity("hello-0"), 7, 1)` | `148fdba5-26b6-4485-8bea-fa127e4390e7` |

/// The odd constant nearest to 2^64 divided by the golden ratio.
const G: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of SplitMix64: a bijection on 64-bit words.
pub const fn mix64(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// Folds one word into a state; the building block of draws and digests.
pub const fn absorb(state: u64, word: u64) -> u64 {
    mix64((state ^ word).wrapping_add(G))
}

/// The entity number of a name: 64-bit FNV-1a of its UTF-8 bytes.
pub const fn entity(name: &str) -> u64 {
    entity_after(0xCBF2_9CE4_8422_2325, name)
}

/// The entity number of a name that continues another name, given the number of that one:
/// `entity_after(entity("a"), "b")` is `entity("ab")`.
pub const fn entity_after(head: u64, name: &str) -> u64 {
    let mut hash = head;
    let mut rest = name.as_bytes();
    while let [byte, tail @ ..] = rest {
        hash = (hash ^ *byte as u64).wrapping_mul(0x0000_0100_0000_01B3);
        rest = tail;
    }
    hash
}

/// The entity number of a name that is given in pieces.
pub fn entity_of(pieces: &[&str]) -> u64 {
    pieces.iter().fold(entity(""), |head, piece| entity_after(head, piece))
}

/// The `n`-th word that `entity` draws for `purpose` under `seed`.
pub const fn draw(seed: u64, entity: u64, purpose: u32, n: u64) -> u64 {
    absorb(stem(seed, entity, purpose), n)
}

/// Returns the common stem of an entity's draws for a purpose: absorbing `n` into it makes the `n`-th word.
pub const fn stem(seed: u64, entity: u64, purpose: u32) -> u64 {
    absorb(absorb(absorb(0, seed), entity), purpose as u64)
}

/// A draw scaled into `lo..=hi` (multiply and shift; the bias is below 2^-64 per value of the span).
/// Returns `lo` if `lo > hi`.
pub const fn between(seed: u64, entity: u64, purpose: u32, n: u64, lo: u64, hi: u64) -> u64 {
    scaled(draw(seed, entity, purpose, n), lo, hi)
}

/// A word scaled into `lo..=hi`, as [`between`] does with what it draws.
pub const fn scaled(word: u64, lo: u64, hi: u64) -> u64 {
    if lo >= hi {
        return lo;
    }
    let span = (hi - lo) as u128 + 1;
    let scaled = (word as u128 * span) >> 64;
    // Below `span`, hence at most `hi - lo`: the cast keeps everything.
    lo + scaled as u64
}

/// Returns whether an event of the given probability happens. *Units*: thousandths; 1000 is certain.
pub const fn chance(seed: u64, entity: u64, purpose: u32, n: u64, per_mille: u32) -> bool {
    between(seed, entity, purpose, n, 0, 999) < per_mille as u64
}

/// A text shaped like a random (version 4) UUID.
pub fn uuid(seed: u64, entity: u64, purpose: u32, n: u64) -> String {
    Uuid::draw(seed, entity, purpose, n).as_str().to_owned()
}

/// The text of a UUID as bytes, for callers that build a longer text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uuid([u8; 36]);

impl Uuid {
    /// A text shaped like a random (version 4) UUID.
    pub const fn draw(seed: u64, entity: u64, purpose: u32, n: u64) -> Self {
        let high = draw(seed, entity, purpose, n);
        let low = absorb(high, 1);
        Self::of(high & !0xF000 | 0x4000, low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// The text of a UUID's upper and lower half.
    #[expect(clippy::many_single_char_names, reason = "the digits one by one")]
    pub const fn of(high: u64, low: u64) -> Self {
        let [a, b, c, d, e, f, g, h] = hex(high >> 32);
        let [i, j, k, l, m, n, o, p] = hex(high & 0xFFFF_FFFF);
        let [q, r, s, t, u, v, w, x] = hex(low >> 32);
        let [y, z, a1, b1, c1, d1, e1, f1] = hex(low & 0xFFFF_FFFF);
        Self([
            a, b, c, d, e, f, g, h, b'-', i, j, k, l, b'-', m, n, o, p, b'-', q, r, s, t, b'-', u, v, w, x,
            y, z, a1, b1, c1, d1, e1, f1,
        ])
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        // Digits, letters and hyphens are valid UTF-8.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// The eight hexadecimal digits of a number below 2^32, computed at once, one byte for each digit.
const fn hex(number: u64) -> [u8; 8] {
    let pairs = (number | number << 16) & 0x0000_FFFF_0000_FFFF;
    let bytes = (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF;
    let digits = (bytes | bytes << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    // 1 in each byte whose digit is a letter.
    let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    (digits + 0x3030_3030_3030_3030 + letters * (b'a' - b'9' - 1) as u64).to_be_bytes()
}

/// The 32-bit mixer of the published benchmark workloads; nothing else uses it.
pub const fn mix32(seed: u32, pod: u32, attempt: u32, what: u32) -> u32 {
    let mut hash = seed
        .wrapping_add(pod.wrapping_mul(0x9E37_79B1))
        .wrapping_add(attempt.wrapping_mul(0x85EB_CA77))
        .wrapping_add(what.wrapping_mul(0xC2B2_AE3D));
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85EB_CA6B);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xC2B2_AE35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        // SplitMix64 from seed 1234567: the five outputs that other implementations document.
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        let mut state = 1_234_567_u64;
        for word in expected {
            state = state.wrapping_add(G);
            assert_eq!(mix64(state), word);
        }
        assert_eq!((mix64(0), mix64(G)), (0, 0xE220_A839_7B1D_CDAF));
        assert_eq!(entity(""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(entity("a"), 0xAF63_DC4C_8601_EC8C);
        assert_eq!(entity("foobar"), 0x8594_4171_F739_67E8);
    }

    #[test]
    fn own_vectors() {
        let hello = entity("hello-0");
        assert_eq!(draw(0, 0, 0, 0), 0x2130_748A_AAC8_0268);
        assert_eq!(draw(1, 2, 3, 4), 0xD55C_CD4A_EB3C_CAFB);
        assert_eq!(draw(42, hello, 7, 1), 0x148F_DBA5_26B6_6485);
        assert_eq!(between(42, hello, 7, 1, 100, 200), 108);
        assert_eq!(uuid(42, hello, 7, 1), "148fdba5-26b6-4485-8bea-fa127e4390e7");
        assert_eq!(mix32(1, 2, 3, 4), 0x16E1_5602);
        assert_eq!(mix32(0, 0, 0, 0), 0);
    }

    #[test]
    fn every_word_of_the_key_matters() {
        let base = draw(1, 2, 3, 4);
        for other in
            [draw(0, 2, 3, 4), draw(1, 3, 3, 4), draw(1, 2, 4, 4), draw(1, 2, 3, 5), draw(2, 1, 3, 4)]
        {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn ranges_are_inclusive_and_total() {
        let mut seen = [0_u32; 3];
        for n in 0..3000 {
            seen[usize::try_from(between(9, 1, 1, n, 5, 7) - 5).expect("below 3")] += 1;
        }
        assert!(seen.iter().all(|count| (900..1100).contains(count)), "{seen:?}");
        assert_eq!(between(9, 1, 1, 1, 7, 5), 7);
        assert_eq!(between(9, 1, 1, 1, 0, u64::MAX), draw(9, 1, 1, 1));
        let hits = (0..10_000).filter(|n| chance(9, 2, 1, *n, 250)).count();
        assert!((2300..2700).contains(&hits), "{hits}");
        assert!(!(0..1000).any(|n| chance(9, 2, 1, n, 0)) && (0..1000).all(|n| chance(9, 2, 1, n, 1000)));
    }

    #[test]
    fn uuids_have_the_shape_of_version_4() {
        for n in 0..100 {
            let text = uuid(1, 2, 3, n);
            let parts: Vec<usize> = text.split('-').map(str::len).collect();
            assert_eq!(parts, [8, 4, 4, 4, 12]);
            let bytes = text.as_bytes();
            assert!(bytes[14] == b'4' && b"89ab".contains(&bytes[19]), "{text}");
        }
    }

    #[test]
    fn uuids_are_written_as_numbers_are() {
        for n in 0..1_000 {
            let high = draw(5, 6, 7, n);
            let low = absorb(high, 1);
            let expected = format!(
                "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
                high >> 32,
                high >> 16 & 0xFFFF,
                high & 0xFFF,
                low >> 48 & 0x3FFF | 0x8000,
                low & 0xFFFF_FFFF_FFFF
            );
            assert_eq!(uuid(5, 6, 7, n), expected);
        }
        assert_eq!(hex(0x0123_4567), *b"01234567");
        assert_eq!(hex(0x89AB_CDEF), *b"89abcdef");
    }

    #[test]
    fn a_name_can_be_read_in_pieces() {
        assert_eq!(entity_after(entity("foo"), "bar"), entity("foobar"));
        assert_eq!(entity_after(entity(""), ""), entity(""));
    }
}
