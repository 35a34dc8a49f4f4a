//! Texts that programs written in Go read and the event parser here does not: blanks that are tabs, and lines of quoted texts, lists and
//! mappings in brackets that go on further to the left than what they belong to.
//!
//! *Knows*: quotes, brackets, comments and text blocks, enough to find line breaks and tabs between them. *Must not know*: the
//! meaning of the text.
//!
//! Positions stay: a tab becomes a blank, and so do a line break and a comment within quotes or brackets. The content of a text over
//! several lines is read from its own lines afterwards ([`quoted`], [`folded`]).
//!
//! **Source**: `go-yaml/yaml: scannerc.go` of v2.3.0. Match for what is read; texts that the real reader refuses may be read here.

/// Position in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Between tokens or in a plain text.
    Open,
    /// In a quoted text.
    Quoted(char),
    /// In a comment.
    Comment,
}

/// The text with blanks in place of tabs and line breaks that only Go's reader takes; none where there are none.
pub(super) fn joined(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut changed = false;
    let mut place = Place::Open;
    let mut brackets = 0_u32;
    // A token may begin here: a quote would open a text.
    let mut fresh = true;
    let mut before = '\n';
    // Indentation of the line, until its first token.
    let mut indent = Some(0_usize);
    let mut line_indent = 0_usize;
    // A text block goes on while lines are indented more than this.
    let mut block: Option<usize> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if let Some(parent) = block
            && indent == Some(0)
            && before == '\n'
        {
            let line = text.get(at..).unwrap_or_default().split('\n').next().unwrap_or_default();
            let blanks = line.len().saturating_sub(line.trim_start_matches(' ').len());
            if line.trim().is_empty() || blanks > parent {
                out.push_str(line);
                for _ in line.chars().skip(1) {
                    chars.next();
                }
                if line.is_empty() {
                    out.push(c);
                } else {
                    out.extend(chars.next().map(|(_, c)| c));
                }
                continue;
            }
            block = None;
        }
        let within = brackets > 0;
        let mut put = c;
        match place {
            Place::Comment => {
                if matches!(c, '\n' | '\r') {
                    place = Place::Open;
                } else if within {
                    put = blank(c, &mut out, &mut changed);
                }
            }
            Place::Quoted(quote) => match c {
                '\'' if quote == c && chars.peek().is_some_and(|(_, next)| *next == c) => {
                    out.push(c);
                    chars.next();
                }
                '\\' if quote == '"' => {
                    if let Some((_, escaped)) = chars.next() {
                        out.push(c);
                        put = if matches!(escaped, '\n' | '\r') {
                            changed = true;
                            ' '
                        } else {
                            escaped
                        };
                    }
                }
                c if c == quote => {
                    place = Place::Open;
                    fresh = false;
                }
                '\n' | '\r' => {
                    changed = true;
                    put = ' ';
                }
                _ => {}
            },
            Place::Open => match c {
                '\'' | '"' if fresh => place = Place::Quoted(c),
                '#' if matches!(before, ' ' | '\t' | '\n' | '\r') => {
                    place = Place::Comment;
                    if within {
                        put = blank(c, &mut out, &mut changed);
                    }
                }
                '[' | '{' if fresh || within => {
                    brackets = brackets.saturating_add(1);
                    fresh = true;
                }
                ']' | '}' if within => {
                    brackets = brackets.saturating_sub(1);
                    fresh = false;
                }
                '|' | '>' if fresh && !within && heads_a_block(text.get(at..).unwrap_or_default()) => {
                    block = Some(line_indent);
                    fresh = false;
                }
                ' ' | '\t' => {
                    let separates = fresh
                        || chars.peek().is_some_and(|(_, next)| matches!(next, '#' | '\n' | '\r' | '\t'));
                    // After a dash and before the first character of a line, only blanks are allowed.
                    if c == '\t' && separates && indent.is_none() && before != '-' && before != '?' {
                        changed = true;
                        put = ' ';
                    }
                }
                '\n' | '\r' if within => {
                    changed = true;
                    put = ' ';
                }
                '\n' | '\r' => fresh = true,
                ',' if within => fresh = true,
                ':' | '-' | '?' => {
                    let next = chars.peek().map_or('\n', |(_, next)| *next);
                    let ends = matches!(next, ' ' | '\t' | '\n' | '\r');
                    fresh = ends && (c == ':' || fresh)
                        || within && c == ':' && matches!(next, '"' | '\'' | '[' | '{');
                }
                _ => fresh = false,
            },
        }
        match (c, indent) {
            ('\n' | '\r', _) => indent = Some(0),
            (' ', Some(blanks)) => indent = Some(blanks.saturating_add(1)),
            (_, Some(blanks)) => {
                line_indent = blanks;
                indent = None;
            }
            _ => {}
        }
        before = c;
        out.push(put);
    }
    changed.then_some(out)
}

/// A blank in place of a character, with further ones for its other bytes.
fn blank(c: char, out: &mut String, changed: &mut bool) -> char {
    *changed = true;
    out.extend(std::iter::repeat_n(' ', c.len_utf8().saturating_sub(1)));
    ' '
}

/// A text block begins: an indicator, and nothing else but a comment on its line.
fn heads_a_block(rest: &str) -> bool {
    let line = rest.split('\n').next().unwrap_or_default();
    let after = line.trim_start_matches(['|', '>', '+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    after.trim().is_empty() || after.starts_with([' ', '\t']) && after.trim_start().starts_with('#')
}

/// A plain text over several lines as one: a break becomes a blank, each empty line a break.
pub(super) fn folded(written: &str) -> String {
    let mut out = String::new();
    let mut empty = 0_usize;
    for (nth, line) in written.split('\n').enumerate() {
        let line = line.trim_matches([' ', '\t', '\r']);
        if nth > 0 && line.is_empty() {
            empty = empty.saturating_add(1);
            continue;
        }
        if nth > 0 {
            match empty {
                0 => out.push(' '),
                empty => out.extend(std::iter::repeat_n('\n', empty)),
            }
        }
        empty = 0;
        out.push_str(line);
    }
    out
}

/// The text that quotes over several lines hold; none where its quotes are missing or an escape is not known.
pub(super) fn quoted(written: &str) -> Option<String> {
    let quote = written.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = written.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut out = String::new();
    // Blanks and breaks that may still be folded away.
    let mut blanks = String::new();
    let mut breaks = 0_usize;
    let mut chars = inside.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {}
            '\n' => breaks = breaks.saturating_add(1),
            ' ' | '\t' if breaks > 0 => {}
            ' ' | '\t' => blanks.push(c),
            c => {
                settle(&mut out, &mut blanks, &mut breaks);
                match c {
                    '\'' if quote == c => {
                        chars.next_if_eq(&'\'')?;
                        out.push(c);
                    }
                    '\\' if quote == '"' => escape(&mut chars, &mut out)?,
                    c => out.push(c),
                }
            }
        }
    }
    settle(&mut out, &mut blanks, &mut breaks);
    Some(out)
}

fn settle(out: &mut String, blanks: &mut String, breaks: &mut usize) {
    match *breaks {
        0 => out.push_str(blanks),
        1 => out.push(' '),
        more => out.extend(std::iter::repeat_n('\n', more.saturating_sub(1))),
    }
    blanks.clear();
    *breaks = 0;
}

/// Adds the character after a backslash; a line break joins the lines.
fn escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) -> Option<()> {
    let digits = match chars.next()? {
        '\n' => {
            while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
            return Some(());
        }
        'x' => 2,
        'u' => 4,
        'U' => 8,
        c => {
            out.push(named(c)?);
            return Some(());
        }
    };
    let text: String = chars.by_ref().take(digits).collect();
    let code = u32::from_str_radix(&text, 16).ok().filter(|_| text.len() == digits)?;
    out.push(char::from_u32(code)?);
    Some(())
}

/// Returns the character that a letter behind a backslash stands for.
fn named(letter: char) -> Option<char> {
    Some(match letter {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        ' ' | '"' | '\'' | '\\' => letter,
        _ => return None,
    })
}
