//! Archives of packages: `.tgz`, `.tar.gz` and `.tar`, read like the folders they contain.
//!
//! Knows: gzip and tar. Must not know: the content of files.

use crate::files::MAX_FILE;
use crate::load::MAX_FILES;
use anyhow::{Context as _, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Length of a header, and unit of the following data. *Units*: bytes.
const BLOCK: usize = 512;

/// Endings of archives.
const ENDINGS: [&str; 3] = [".tgz", ".tar.gz", ".tar"];

/// Returns whether a path is that of an archive.
pub(crate) fn is_one(path: &Path) -> bool {
    let name = path.to_string_lossy();
    ENDINGS.iter().any(|ending| name.ends_with(ending)) && path.is_file()
}

/// Splits a path into an archive and a path inside it.
pub(crate) fn part(path: &str) -> Option<(&Path, &str)> {
    path.match_indices('/')
        .map(|(at, _)| path.split_at(at))
        .find(|(archive, _)| is_one(Path::new(archive)))
        .map(|(archive, inside)| (Path::new(archive), inside.trim_start_matches('/')))
}

/// The text of a file of an archive; of a folder, written with a slash at its end, the files below it, one a line.
pub(crate) fn read(archive: &Path, inside: &str) -> Result<String> {
    let files = texts(archive)?;
    if inside.is_empty() || inside.ends_with('/') {
        let below: Vec<&str> = files.keys().filter_map(|name| name.strip_prefix(inside)).collect();
        return Ok(below.join("\n"));
    }
    files.get(inside).cloned().with_context(|| format!("open {}/{inside}: no such file", archive.display()))
}

/// The files of an archive that are texts, by their paths in it.
pub(crate) fn texts(path: &Path) -> Result<BTreeMap<String, String>> {
    let shown = path.display();
    let size = fs::metadata(path).with_context(|| format!("reading {shown}"))?.len();
    if size > MAX_FILE {
        bail!("{shown}: {size} bytes are more than the {MAX_FILE} that are read");
    }
    let bytes = fs::read(path).with_context(|| format!("reading {shown}"))?;
    let tar = if bytes.starts_with(&[0x1f, 0x8b]) { unzipped(&bytes) } else { Ok(bytes) };
    tar.and_then(|tar| entries(&tar)).with_context(|| format!("{shown}: not an archive that can be read"))
}

/// The contents of a gzip file with one member.
fn unzipped(bytes: &[u8]) -> Result<Vec<u8>> {
    let flags = bytes.get(3).copied().context("the header is cut off")?;
    let mut rest = bytes.get(10..).context("the header is cut off")?;
    if flags & 4 != 0 {
        let length = rest.first_chunk().map(|two| usize::from(u16::from_le_bytes(*two)));
        rest = length.and_then(|length| rest.get(2 + length..)).context("the header is cut off")?;
    }
    // The name of the file, and a comment.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|byte| *byte == 0).context("the header is cut off")?;
            rest = rest.get(end + 1..).unwrap_or_default();
        }
    }
    if flags & 2 != 0 {
        rest = rest.get(2..).context("the header is cut off")?;
    }
    let most = usize::try_from(MAX_FILE).unwrap_or(usize::MAX);
    miniz_oxide::inflate::decompress_to_vec_with_limit(rest, most)
        .map_err(|error| anyhow::anyhow!("the compressed part cannot be read: {error}"))
}

/// The files of a tar archive that are texts.
fn entries(tar: &[u8]) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut at = 0;
    let mut long: Option<String> = None;
    while let Some(header) = tar.get(at..at + BLOCK) {
        if header.iter().all(|byte| *byte == 0) {
            break;
        }
        let size = number(field(header, 124, 12)).context("a header without a size")?;
        let body = tar.get(at + BLOCK..at + BLOCK + size).context("a file is cut off")?;
        at += BLOCK + size.div_ceil(BLOCK) * BLOCK;
        let kind = header.get(156).copied().unwrap_or_default();
        match kind {
            // A name that is too long for the header: as GNU writes it, and in a list of `LENGTH key=value` lines.
            b'L' => long = Some(text(body)),
            b'x' => {
                let list = text(body);
                let path =
                    list.lines().find_map(|line| line.split_once(" path=").map(|(_, path)| path.to_owned()));
                long = path.or(long);
            }
            b'0' | 0 => {
                let name = match long.take() {
                    Some(name) => name,
                    None => named(header),
                };
                let name = name.trim_start_matches("./").trim_start_matches('/').to_owned();
                if let (true, Ok(text)) = (is_plain(&name), String::from_utf8(body.to_vec())) {
                    if files.len() >= MAX_FILES {
                        bail!("more than {MAX_FILES} files");
                    }
                    files.insert(name, text);
                }
            }
            _ => long = None,
        }
    }
    Ok(files)
}

fn field(header: &[u8], from: usize, length: usize) -> &[u8] {
    header.get(from..from + length).unwrap_or_default()
}

/// A text that ends at a zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

/// A number in octal digits.
fn number(bytes: &[u8]) -> Option<usize> {
    usize::from_str_radix(text(bytes).trim(), 8).ok()
}

/// The name in a header, with the prefix of the newer format.
fn named(header: &[u8]) -> String {
    let name = text(field(header, 0, 100));
    let prefix =
        if field(header, 257, 5) == b"ustar" { text(field(header, 345, 155)) } else { String::new() };
    if prefix.is_empty() { name } else { format!("{prefix}/{name}") }
}

/// Returns whether a name leads down only.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.split('/').any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tar archive of one file.
    fn tar(name: &str, body: &str) -> Vec<u8> {
        let mut header = vec![0; BLOCK];
        header[..name.len()].copy_from_slice(name.as_bytes());
        let size = format!("{:011o}", body.len());
        header[124..124 + size.len()].copy_from_slice(size.as_bytes());
        header[156] = b'0';
        header.extend_from_slice(body.as_bytes());
        header.resize(header.len().next_multiple_of(BLOCK) + 2 * BLOCK, 0);
        header
    }

    #[test]
    fn damaged_archives_are_errors() {
        let whole = tar("./a/operator.yaml", "name: x\n");
        let files = entries(&whole).expect("it can be read");
        assert_eq!(
            files.into_iter().collect::<Vec<_>>(),
            [("a/operator.yaml".to_owned(), "name: x\n".to_owned())]
        );
        assert!(entries(&tar("../up.yaml", "x")).expect("it can be read").is_empty());
        let zipped = |bytes: &[u8]| {
            let mut all = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
            all.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
            all
        };
        assert_eq!(unzipped(&zipped(&whole)).expect("it can be read"), whole);
        for cut in 0..whole.len() {
            let _ = entries(&whole[..cut]);
        }
        let small = zipped(&whole);
        for cut in 0..small.len() {
            let _ = unzipped(&small[..cut]).and_then(|tar| entries(&tar));
        }
    }
}
