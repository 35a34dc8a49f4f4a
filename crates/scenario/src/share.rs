//! Share links: a journal as `#p1:` plus base64url of raw-deflated JSON.
//!
//! *Order*: JSON, deflate (level 9), base64url without padding. A `p1` string stays readable for ever; fields are only added.
//! Decoding is bounded in size and never fetches or runs anything. A moment within the run may follow after `~`: the
//! milliseconds, and after a dot the event, when the moment is inside an instant. Without it the moment is the run's end.

use planarium_kernel::base64::Base64;
use planarium_world::{Engine, Journal};
use std::fmt;

/// What a share string starts with.
pub const PREFIX: &str = "p1:";
/// Most bytes of JSON that a share string may unfold to.
pub const MAX_DECODED: usize = 4 * 1024 * 1024;

/// Why a share string cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShareError {
    /// It does not start with a known version.
    Version(String),
    /// It is not base64url.
    Alphabet,
    /// It does not inflate, or to more than [`MAX_DECODED`] bytes.
    Deflate,
    /// The JSON within is not a journal.
    Journal(String),
}

impl fmt::Display for ShareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(seen) => write!(
                f,
                "this link does not start with `{PREFIX}` but with `{seen}`: it comes from another version or is not a Planarium link"
            ),
            Self::Alphabet => f.write_str("the link is damaged: it holds characters that a link never has"),
            Self::Deflate => f.write_str("the link is damaged or cut off: its content cannot be unpacked"),
            Self::Journal(why) => write!(f, "the link unpacks, but not to a journal: {why}"),
        }
    }
}

impl std::error::Error for ShareError {}

/// The share string of a journal, without a leading `#`.
pub fn encode(journal: &Journal) -> String {
    let json = planarium_protocol::json::text(journal);
    let packed = miniz_oxide::deflate::compress_to_vec(&json, 9);
    format!("{PREFIX}{}", Base64::Url.encode(&packed))
}

/// As [`encode`], at a moment within the run: its milliseconds, and its last event when later ones of the instant are
/// still to come.
pub fn encode_at(journal: &Journal, moment: Option<(u64, Option<u64>)>) -> String {
    let mut text = encode(journal);
    if let Some((ms, seq)) = moment {
        text.push('~');
        text.push_str(&ms.to_string());
        if let Some(seq) = seq {
            text.push('.');
            text.push_str(&seq.to_string());
        }
    }
    text
}

/// The moment that a share string names, if it names one.
pub fn moment(text: &str) -> Option<(u64, Option<u64>)> {
    let (_, at) = text.trim().rsplit_once('~')?;
    match at.split_once('.') {
        Some((ms, seq)) => Some((ms.parse().ok()?, Some(seq.parse().ok()?))),
        None => Some((at.parse().ok()?, None)),
    }
}

/// Where an engine stands, when that is not its run's end: the instant, and the event when others of the same instant
/// follow. What [`encode_at`] takes.
pub fn moment_of(engine: &mut Engine) -> Option<(u64, Option<u64>)> {
    if engine.at_head() {
        return None;
    }
    let (ms, seq) = (engine.now_ms(), engine.seq());
    let follows = engine.recall(seq, seq + 1).first().is_some_and(|next| next.at_ms <= ms);
    Some((ms, follows.then_some(seq)))
}

/// Goes to the moment that a share string names; stays where it is when the string names none.
pub fn go_to_moment(engine: &mut Engine, text: &str) {
    if let Some((ms, seq)) = moment(text) {
        engine.seek_ms(ms);
        if let Some(seq) = seq {
            engine.seek_seq(seq);
        }
    }
}

/// The journal in a share string; a leading `#` or everything up to it is ignored, and so is the moment.
///
/// # Errors
/// [`ShareError`] names the stage that failed.
pub fn decode(text: &str) -> Result<Journal, ShareError> {
    let text = text.rsplit('#').next().unwrap_or(text).trim();
    let Some(coded) = text.strip_prefix(PREFIX) else {
        return Err(ShareError::Version(text.chars().take(8).collect()));
    };
    let coded = coded.split('~').next().unwrap_or(coded);
    let packed = Base64::Url.decode(coded.trim_end_matches('=').as_bytes()).ok_or(ShareError::Alphabet)?;
    let json = miniz_oxide::inflate::decompress_to_vec_with_limit(&packed, MAX_DECODED)
        .map_err(|_| ShareError::Deflate)?;
    planarium_protocol::json::read(&json).map_err(|error| ShareError::Journal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_may_name_a_moment_and_every_reader_finds_the_run() {
        let journal = Journal { end_ms: 5000, ..Journal::default() };
        for at in [None, Some((0, None)), Some((4200, None)), Some((4200, Some(17)))] {
            let text = format!("https://example.org/?x=1#{}", encode_at(&journal, at));
            assert_eq!(moment(&text), at, "{text}");
            assert_eq!(decode(&text), Ok(journal.clone()), "{text}");
        }
        for nonsense in ["#p1:AAAA~", "#p1:AAAA~x", "#p1:AAAA~1.x", "#p1:AAAA~-1"] {
            assert_eq!(moment(nonsense), None, "{nonsense}");
        }
    }
}
