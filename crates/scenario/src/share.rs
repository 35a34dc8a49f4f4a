//! Share links: a journal as `#p1:` plus base64url of raw-deflated JSON.
//!
//! *Order*: JSON, deflate (level 9), base64url without padding. A `p1` string stays readable for ever; fields are only added.
//! Decoding is bounded in size and never fetches or runs anything. A moment within the run may follow `~`: the milliseconds,
//! then a dot and the event if the moment is within an instant. Without it the moment is the run's end.

use planarium_kernel::base64::Base64;
use planarium_kernel::journal::Entry;
use planarium_world::{Engine, Journal, JournalEntry, Written};
use std::fmt;

/// Prefix of a share string.
pub const PREFIX: &str = "p1:";
/// Maximum decoded size of a share string. *Units*: bytes of JSON.
pub const MAX_DECODED: usize = 4 * 1024 * 1024;

/// Why a share string cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShareError {
    /// It does not start with a known version.
    Version(String),
    /// It is not base64url.
    Alphabet,
    /// It cannot be inflated, or exceeds [`MAX_DECODED`] bytes.
    Deflate,
    /// Its JSON is not a journal.
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

/// Placeholder for an input in the JSON of an entry.
const NOTHING: &[u8] = b"null";

/// Packs one input of a run, so that storing a growing run packs each input once. *Order*: as in a share string.
pub fn pack(entry: &Entry<Written>) -> String {
    let Entry { seq, at_ms, after_event, after_quiet, digest, .. } = *entry;
    let around = Entry { seq, at_ms, after_event, after_quiet, input: (), digest };
    let around = planarium_protocol::json::text(&around);
    // The text of the input replaces the placeholder.
    let at = around.windows(NOTHING.len()).position(|part| part == NOTHING).unwrap_or(around.len());
    let (before, after) = around.split_at(at);
    let json = [before, entry.input.text(), after.get(NOTHING.len()..).unwrap_or_default()].concat();
    Base64::Url.encode(&miniz_oxide::deflate::compress_to_vec(&json, 9))
}

/// Builds the share string of a run from its journal without inputs and its inputs as packed by [`pack`]. `None` if one of
/// them cannot be read.
pub fn encode_packed<'a>(rest: &Journal, packed: impl Iterator<Item = &'a str>) -> Option<String> {
    let read = |text: &str| -> Option<JournalEntry> {
        let json = Base64::Url.decode(text.as_bytes())?;
        let json = miniz_oxide::inflate::decompress_to_vec_with_limit(&json, MAX_DECODED).ok()?;
        planarium_protocol::json::read(&json).ok()
    };
    let entries = packed.map(read).collect::<Option<_>>()?;
    Some(encode(&Journal { entries, ..rest.clone() }))
}

/// Like [`encode`], at a moment within the run: its milliseconds, and its last event if later ones of the instant
/// follow.
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

/// Returns the moment in a share string, if any.
pub fn moment(text: &str) -> Option<(u64, Option<u64>)> {
    let (_, at) = text.trim().rsplit_once('~')?;
    match at.split_once('.') {
        Some((ms, seq)) => Some((ms.parse().ok()?, Some(seq.parse().ok()?))),
        None => Some((at.parse().ok()?, None)),
    }
}

/// Returns the moment of an engine that is not at its end: the instant, and the event if others of the same instant
/// follow. Input of [`encode_at`].
pub fn moment_of(engine: &mut Engine) -> Option<(u64, Option<u64>)> {
    if engine.at_head() {
        return None;
    }
    let (ms, seq) = (engine.now_ms(), engine.seq());
    let follows = engine.recall(seq, seq + 1).first().is_some_and(|next| next.at_ms <= ms);
    Some((ms, follows.then_some(seq)))
}

/// Seeks the moment in a share string; does nothing if there is none.
pub fn go_to_moment(engine: &mut Engine, text: &str) {
    if let Some((ms, seq)) = moment(text) {
        engine.seek_ms(ms);
        if let Some(seq) = seq {
            engine.seek_seq(seq);
        }
    }
}

/// Decodes the journal in a share string; a leading `#` or everything up to it is ignored, and so is the moment.
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
    fn inputs_packed_one_by_one_make_the_same_link() {
        let mut engine = Engine::new(planarium_world::Genesis::default());
        for nth in 0..3 {
            let clear = planarium_protocol::input::ClearFault { id: format!("null-{nth}") };
            engine.apply(planarium_protocol::Input::ClearFault(clear));
            engine.advance_for(1_500);
        }
        let packed: Vec<String> = engine.entries().iter().map(|entry| pack(entry)).collect();
        let link = encode_packed(&engine.journal_without_inputs(), packed.iter().map(String::as_str));
        assert_eq!(link, Some(encode(&engine.journal())));
        assert_eq!(encode_packed(&engine.journal(), ["*"].into_iter()), None);
    }

    #[test]
    fn a_link_may_contain_a_moment_and_every_reader_finds_the_run() {
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
