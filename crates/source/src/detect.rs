//! Detects the shape of a text before it is read: its outermost keys, and whether a path has a certain file name.
//!
//! *Knows*: indentation of YAML, brackets and texts of JSON. *Must not know*: any dialect; nothing is parsed here.

/// Returns whether a path ends with a file of this name.
pub fn is_named(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// Returns whether a text has a key at its outermost level.
pub fn has_key(text: &str, wanted: &str) -> bool {
    top_keys(text).any(|(key, _)| key == wanted)
}

/// Outermost keys of a text that are among these, or are so near to one that it is likely meant; and the others.
pub fn familiar_keys(text: &str, known: &[&str]) -> (usize, usize) {
    let (mut familiar, mut strange) = (0, 0);
    for (key, _) in top_keys(text) {
        if known.contains(&key) || crate::suggest(key, known.iter().copied()).is_some() {
            familiar += 1;
        } else {
            strange += 1;
        }
    }
    (familiar, strange)
}

/// Keys at the outermost level with what follows on their line: of YAML by indentation, of JSON by the
/// depth of brackets outside texts.
pub fn top_keys(text: &str) -> Box<dyn Iterator<Item = (&str, &str)> + '_> {
    let start = text.trim_start();
    if start.starts_with('{') || start.starts_with('[') {
        Box::new(JsonKeys { rest: text, depth: 0 })
    } else {
        Box::new(text.lines().filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            let plain = !key.is_empty() && !key.starts_with([' ', '\t', '#', '-']);
            plain.then(|| (key.trim().trim_matches(['"', '\'']), value))
        }))
    }
}

/// Keys of the outermost object, or of the objects in an outermost list.
struct JsonKeys<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> Iterator for JsonKeys<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = self.rest.find(['{', '}', '"'])?;
            let (mark, rest) = self.rest.split_at_checked(at)?.1.split_at_checked(1)?;
            self.rest = rest;
            match mark {
                "{" => self.depth = self.depth.saturating_add(1),
                "}" => self.depth = self.depth.saturating_sub(1),
                _ => {
                    let (string, rest) = end_of_string(self.rest)?;
                    self.rest = rest;
                    if self.depth == 1
                        && let Some(value) = rest.trim_start().strip_prefix(':')
                    {
                        return Some((string, value.lines().next().unwrap_or_default()));
                    }
                }
            }
        }
    }
}

/// Splits at the quotation mark that ends a JSON text.
fn end_of_string(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, char) in text.char_indices() {
        match char {
            '"' if !escaped => return Some((text.get(..at)?, text.get(at + 1..)?)),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}
