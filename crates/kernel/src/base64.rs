//! Bytes as text of 64 letters, RFC 4648.

/// Which letters, and whether the end is filled up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base64 {
    /// With `+`, `/` and `=` at the end.
    Padded,
    /// With `-`, `_` and nothing at the end.
    Url,
}

impl Base64 {
    const fn last_two(self) -> [u8; 2] {
        match self {
            Self::Padded => *b"+/",
            Self::Url => *b"-_",
        }
    }

    fn letter(self, value: u32) -> char {
        let [plus, slash] = self.last_two();
        let value = u8::try_from(value & 63).unwrap_or_default();
        char::from(match value {
            0..=25 => b'A' + value,
            26..=51 => b'a' + (value - 26),
            52..=61 => b'0' + (value - 52),
            62 => plus,
            _ => slash,
        })
    }

    fn value(self, letter: u8) -> Option<u32> {
        let [plus, slash] = self.last_two();
        Some(u32::from(match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            _ if letter == plus => 62,
            _ if letter == slash => 63,
            _ => return None,
        }))
    }

    /// The text of bytes.
    pub fn encode(self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
        for three in bytes.chunks(3) {
            let word =
                (0..3).fold(0, |word, at| word << 8 | u32::from(three.get(at).copied().unwrap_or_default()));
            for place in 0..4 {
                if place <= three.len() {
                    text.push(self.letter(word >> (18 - 6 * place)));
                } else if self == Self::Padded {
                    text.push('=');
                }
            }
        }
        text
    }

    /// The bytes of a text; nothing where it holds anything else, ends in the middle, or says the same as another
    /// text does.
    pub fn decode(self, text: &[u8]) -> Option<Vec<u8>> {
        let letters = if self == Self::Padded {
            let fill = text.iter().rev().take_while(|letter| **letter == b'=').count();
            if !text.len().is_multiple_of(4) || fill > 2 {
                return None;
            }
            text.get(..text.len() - fill)?
        } else {
            text
        };
        let mut bytes = Vec::with_capacity(letters.len() / 4 * 3 + 2);
        for four in letters.chunks(4) {
            let mut word = 0;
            for letter in four {
                word = word << 6 | self.value(*letter)?;
            }
            word <<= 6 * (4 - four.len());
            let count = four.len() * 6 / 8;
            let [_, all @ ..] = word.to_be_bytes();
            let (own, rest) = all.split_at_checked(count)?;
            if count == 0 || rest.iter().any(|byte| *byte != 0) {
                return None;
            }
            bytes.extend_from_slice(own);
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::mix64;

    #[test]
    fn vectors() {
        for (bytes, padded, url) in [
            ("", "", ""),
            ("f", "Zg==", "Zg"),
            ("fo", "Zm8=", "Zm8"),
            ("foo", "Zm9v", "Zm9v"),
            ("foob", "Zm9vYg==", "Zm9vYg"),
            ("foobar", "Zm9vYmFy", "Zm9vYmFy"),
            ("\u{3ff}\u{7fe}?>", "z7/fvj8+", "z7_fvj8-"),
        ] {
            for (kind, text) in [(Base64::Padded, padded), (Base64::Url, url)] {
                assert_eq!(kind.encode(bytes.as_bytes()), text);
                assert_eq!(kind.decode(text.as_bytes()).as_deref(), Some(bytes.as_bytes()), "{text}");
            }
        }
    }

    #[test]
    fn random_bytes_come_back() {
        for seed in 0..200_u64 {
            let bytes: Vec<u8> = (0..seed % 50).map(|n| mix64(seed << 8 | n).to_le_bytes()[0]).collect();
            for kind in [Base64::Padded, Base64::Url] {
                assert_eq!(kind.decode(kind.encode(&bytes).as_bytes()), Some(bytes.clone()));
            }
        }
    }

    #[test]
    fn junk_is_refused() {
        for text in
            ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "====", "Z===", "Zm9v!", "Zm 9v", "Zm9_", "Zg==\n"]
        {
            assert_eq!(Base64::Padded.decode(text.as_bytes()), None, "{text}");
        }
        for text in ["Z", "Zg==", "Zh", "Zm9vZ", "Zm/v"] {
            assert_eq!(Base64::Url.decode(text.as_bytes()), None, "{text}");
        }
    }
}
