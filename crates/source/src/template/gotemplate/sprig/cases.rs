//! Words in a text, joined in another way: `snakecase`, `kebabcase`, `camelcase`.
//!
//! **Source**: `huandu/xstrings: convert.go` of v1.3.2. Match: a number belongs to the word before it unless small letters follow.

use super::strings::upper;

/// A connector behind a number that begins a word is doubled: `2021-01` becomes `2021__01`. So it is in v1.3.2, which KUDO has; v1.3.3 has
/// one.
const DOUBLED_BEHIND_NUMBERS: bool = true;

/// Part of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The text is over.
    End,
    Number,
    /// Begins with a capital.
    Capital,
    /// Small letters.
    Letters,
    Connector,
    Punctuation,
    Other,
}

impl Part {
    /// Returns whether a connector is put before it.
    fn is_parted(self) -> bool {
        !matches!(self, Self::End | Self::Connector | Self::Punctuation)
    }

    fn goes_on(self) -> bool {
        matches!(self, Self::Letters | Self::Number)
    }
}

/// Characters that are looked at one part after the other.
struct Parts<'c> {
    rest: &'c [char],
    part: Part,
    chars: &'c [char],
}

impl Parts<'_> {
    fn next(&mut self) {
        let (part, length) = first(self.rest);
        let (chars, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, &[]));
        *self = Self { rest, part, chars };
    }

    /// Takes letters and numbers as they follow each other.
    fn run(&mut self, out: &mut String, connector: char) {
        while self.part.goes_on() {
            write(out, self.part, self.chars, connector);
            self.next();
        }
    }
}

fn is_connector(c: char) -> bool {
    matches!(c, '-' | '_') || c.is_whitespace()
}

/// A letter, but none of those that are words by themselves.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !matches!(u32::from(c), 0x3400..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_134f)
}

/// `unicode.IsPunct` for ASCII and what is usual beyond it.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~')
        || matches!(u32::from(c), 0xa1 | 0xa7 | 0xab | 0xb6 | 0xb7 | 0xbb | 0xbf | 0x2010..=0x2027 | 0x2030..=0x205e | 0x3001..=0x3003)
}

/// The first part of a text, and how many characters it has.
fn first(chars: &[char]) -> (Part, usize) {
    let Some(c) = chars.first().copied() else { return (Part::End, 0) };
    let run = |from: usize, fits: fn(char) -> bool| {
        let rest = chars.get(from..).unwrap_or_default();
        from.saturating_add(rest.iter().take_while(|c| fits(**c)).count())
    };
    let small = |c: char| is_letter(c) && !c.is_uppercase();
    if is_connector(c) {
        (Part::Connector, run(1, is_connector))
    } else if is_punctuation(c) {
        (Part::Punctuation, run(1, is_punctuation))
    } else if c.is_uppercase() {
        let capitals = run(1, char::is_uppercase);
        let after = chars.get(capitals).copied();
        let length = match after {
            // The last capital begins the next word.
            Some(after) if capitals > 1 && is_letter(after) => capitals.saturating_sub(1),
            Some(after) if capitals == 1 && is_letter(after) => run(1, small),
            _ => capitals,
        };
        (Part::Capital, length)
    } else if is_letter(c) {
        (Part::Letters, run(1, small))
    } else if c.is_numeric() {
        (Part::Number, run(1, char::is_numeric))
    } else {
        let other = |c: char| !(is_connector(c) || is_letter(c) || c.is_numeric() || is_punctuation(c));
        (Part::Other, run(1, other))
    }
}

fn write(out: &mut String, part: Part, chars: &[char], connector: char) {
    for c in chars {
        match part {
            Part::Connector => out.push(connector),
            Part::Capital => out.push(c.to_lowercase().next().unwrap_or(*c)),
            _ => out.push(*c),
        }
    }
}

/// Words in small letters with a connector between them.
pub(super) fn joined(whole: &str, connector: char) -> String {
    let chars: Vec<char> = whole.chars().collect();
    let mut out = String::new();
    let mut parts = Parts { rest: &chars, part: Part::End, chars: &[] };
    parts.next();
    while !parts.rest.is_empty() {
        let (before, own) = (parts.part, parts.chars);
        if before != Part::Connector {
            write(&mut out, before, own, connector);
        }
        parts.next();
        match before {
            Part::Number => {
                parts.run(&mut out, connector);
                if parts.part.is_parted() || DOUBLED_BEHIND_NUMBERS && parts.part == Part::Connector {
                    out.push(connector);
                }
            }
            Part::Connector => write(&mut out, before, own, connector),
            Part::Punctuation => {}
            _ if parts.part == Part::Number && !parts.rest.is_empty() => {
                let number = parts.chars;
                parts.next();
                if parts.part == Part::Letters {
                    out.push(connector);
                    write(&mut out, Part::Number, number, connector);
                    parts.run(&mut out, connector);
                    if parts.part.is_parted() {
                        out.push(connector);
                    }
                } else {
                    write(&mut out, Part::Number, number, connector);
                    if !matches!(parts.part, Part::Connector | Part::Punctuation) {
                        out.push(connector);
                    }
                }
            }
            _ if parts.part == Part::Number => {}
            _ if !matches!(parts.part, Part::Connector | Part::Punctuation) => out.push(connector),
            _ => {}
        }
    }
    write(&mut out, parts.part, parts.chars, connector);
    out
}

/// Words joined, each with a capital. Connectors at the beginning stay, and so do all but the last of several in a row.
pub(super) fn camel(whole: &str) -> String {
    let lead = whole.chars().take_while(|c| is_connector(*c)).count();
    let mut out: String = whole.chars().take(lead).collect();
    let mut rest = whole.chars().skip(lead);
    let Some(first) = rest.next() else {
        // The last one is written twice there.
        out.extend(whole.chars().last());
        return out;
    };
    let mut before = upper(first);
    for c in rest {
        if is_connector(c) && is_connector(before) {
            out.push(before);
            before = c;
        } else if is_connector(before) {
            before = upper(c);
        } else {
            out.push(before);
            before = c.to_lowercase().next().unwrap_or(c);
        }
    }
    out.push(before);
    out
}
