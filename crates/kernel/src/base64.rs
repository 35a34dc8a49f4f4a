//! Bytes as text of 64 letters, RFC 4648.

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

/// Alphabets, with or without padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base64 {
    /// With `+`, `/` and `=` at the end.
    Padded,
    /// With `-`, `_` and nothing at the end.
    Url,
}

impl Base64 {
    fn engine(self) -> &'static GeneralPurpose {
        match self {
            Self::Padded => &STANDARD,
            Self::Url => &URL_SAFE_NO_PAD,
        }
    }

    /// The text of bytes.
    pub fn encode(self, bytes: &[u8]) -> String {
        self.engine().encode(bytes)
    }

    /// Returns the bytes of a text, or nothing if it has other letters, is cut short, or is not the only text of its bytes.
    pub fn decode(self, text: &[u8]) -> Option<Vec<u8>> {
        self.engine().decode(text).ok()
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
