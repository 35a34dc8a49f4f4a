//! Fences in a Markdown document.
//!
//! *Knows*: fenced code blocks of CommonMark in block quotes and lists, raw HTML in Markdown. *Must not know*: the content of a
//! fence.

use super::options::is_info;

/// A fence of ours in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Number of its first line, from 1.
    pub line: usize,
    /// Number of its last line.
    pub end_line: usize,
    /// Its first line after the backticks or tildes.
    pub info: String,
    /// Its lines, without the prefix of the block quote or list around it.
    pub body: String,
    /// The text before it on its first line: block quotes and list items around it.
    opening: String,
    /// The text before each of the following lines.
    prefix: String,
}

/// A fence whose end has not been reached.
struct Open {
    mark: char,
    length: usize,
    ours: Option<Found>,
    prefix: String,
}

/// Finds the fences of ours in a document, in order. Those inside other fences, comments and indented code are not fences.
pub fn fences(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut open: Option<Open> = None;
    let mut comment = false;
    // Columns from which the text of the list items around the line begins.
    let mut lists: Vec<usize> = Vec::new();
    let mut last = 0;
    for (number, line) in (1..).zip(text.lines()) {
        last = number;
        if let Some(fence) = &mut open {
            if let Some(inside) = without(line, &fence.prefix) {
                if closes(inside, fence) {
                    finish(open.take(), number, &mut found);
                } else if let Some(ours) = &mut fence.ours {
                    ours.body.push_str(inside);
                    ours.body.push('\n');
                }
                continue;
            }
            // The block quote around it has ended, and the fence with it.
            finish(open.take(), number - 1, &mut found);
        }
        if comment {
            comment = !line.contains("-->");
            continue;
        }
        if line.trim_start().starts_with("<!--") {
            comment = !line.contains("-->");
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        let container = containers(line);
        let column = container.opening.chars().count();
        if container.is_item {
            lists.retain(|text| *text <= container.marker);
            lists.push(column);
        } else {
            lists.retain(|text| *text <= container.indent);
        }
        let base = if container.is_item { 0 } else { lists.last().copied().unwrap_or(0) };
        if container.indent.saturating_sub(base) >= 4 && !container.is_item {
            continue;
        }
        let Some((mark, length, info)) = fence_mark(container.rest) else { continue };
        let ours = is_info(info).then(|| Found {
            line: number,
            end_line: number,
            info: info.trim().to_owned(),
            body: String::new(),
            opening: container.opening.clone(),
            prefix: container.prefix.clone(),
        });
        open = Some(Open { mark, length, ours, prefix: container.prefix });
    }
    finish(open, last, &mut found);
    found
}

fn finish(open: Option<Open>, line: usize, found: &mut Vec<Found>) {
    if let Some(mut ours) = open.and_then(|open| open.ours) {
        ours.end_line = line;
        found.push(ours);
    }
}

/// Returns the length of the text before a line's own.
struct Container<'t> {
    opening: String,
    /// The same with spaces in place of list markers.
    prefix: String,
    rest: &'t str,
    /// Set if a list item begins on the line.
    is_item: bool,
    /// Column of the last list marker.
    marker: usize,
    /// Column at which the text begins.
    indent: usize,
}

fn containers(line: &str) -> Container<'_> {
    let (mut opening, mut prefix, mut rest) = (String::new(), String::new(), line);
    let (mut is_item, mut marker) = (false, 0);
    loop {
        let text = rest.trim_start_matches(' ');
        let spaces = rest.len() - text.len();
        let taken = if text.starts_with('>') { Some(1) } else { list_marker(text) };
        opening.push_str(&" ".repeat(spaces));
        prefix.push_str(&" ".repeat(spaces));
        rest = text;
        let Some(taken) = taken else { break };
        if taken == 1 && text.starts_with('>') {
            prefix.push('>');
        } else {
            is_item = true;
            marker = opening.chars().count();
            prefix.push_str(&" ".repeat(taken));
        }
        let (head, tail) = text.split_at_checked(taken).unwrap_or((text, ""));
        opening.push_str(head);
        rest = tail;
    }
    let indent = opening.chars().count();
    Container { opening, prefix, rest, is_item, marker, indent }
}

/// Length of a list marker at the start of a text, with a space or the line's end behind it.
fn list_marker(text: &str) -> Option<usize> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = text.get(digits..)?;
    let is_marker = match digits {
        0 => after.starts_with(['-', '*', '+']),
        1..=9 => after.starts_with(['.', ')']),
        _ => false,
    };
    (is_marker && after.get(1..)?.starts_with(' ')).then_some(digits + 1)
}

fn fence_mark(text: &str) -> Option<(char, usize, &str)> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length, info))
}

fn closes(line: &str, fence: &Open) -> bool {
    let text = line.trim();
    text.len() >= fence.length && text.chars().all(|c| c == fence.mark)
}

/// Removes the prefix of a block quote or list from a line; `None` if the block quote has ended.
fn without<'t>(line: &'t str, prefix: &str) -> Option<&'t str> {
    let mut rest = line;
    for c in prefix.chars() {
        if c == '>' {
            rest = rest.trim_start_matches(' ').strip_prefix('>')?;
        } else {
            rest = rest.strip_prefix(' ').unwrap_or(rest);
        }
    }
    Some(rest)
}

/// Puts texts in the places of fences. `drawn` has one for each of `found`.
pub fn replaced(text: &str, found: &[Found], drawn: &[String]) -> String {
    if found.is_empty() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut fences = found.iter().zip(drawn).peekable();
    for (number, line) in (1..).zip(text.lines()) {
        while fences.peek().is_some_and(|(found, _)| found.end_line < number) {
            fences.next();
        }
        match fences.peek() {
            Some((found, drawn)) if number == found.line => put(&mut out, found, drawn),
            Some((found, _)) if number > found.line && number <= found.end_line => {}
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

/// Writes lines with the fence's prefix, with an empty line before and after: raw HTML of an unknown element begins after one
/// and ends at the next.
fn put(out: &mut String, found: &Found, drawn: &str) {
    let empty = found.prefix.trim_end();
    let first = found.opening != found.prefix;
    if !first {
        out.push_str(empty);
        out.push('\n');
    }
    for (number, line) in drawn.lines().enumerate() {
        let prefix = if number == 0 && first { &found.opening } else { &found.prefix };
        if line.is_empty() {
            out.push_str(prefix.trim_end());
        } else {
            out.push_str(prefix);
            out.push_str(line);
        }
        out.push('\n');
    }
    out.push_str(empty);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, usize, String)> {
        fences(text).into_iter().map(|found| (found.line, found.end_line, found.body)).collect()
    }

    #[test]
    fn fences_are_found_as_in_commonmark() {
        let body = || "a: 1\n".to_owned();
        for (text, want) in [
            ("```planarium\na: 1\n```\n", vec![(1, 3, body())]),
            ("x\n\n~~~~ planarium plan=\"x\"\na: 1\n~~~~\n", vec![(3, 5, body())]),
            ("```planarium,plan=x\na: 1\n```", vec![(1, 3, body())]),
            ("> ```planarium\n> a: 1\n> ```\n", vec![(1, 3, body())]),
            ("> ```planarium\n> a: 1\ntext\n", vec![(1, 2, body())]),
            ("- ```planarium\n  a: 1\n  ```\n", vec![(1, 3, body())]),
            ("1. x\n\n   ```planarium\n   a: 1\n   ```\n", vec![(3, 5, body())]),
            ("- x\n    - y\n\n      ```planarium\n      a: 1\n      ```\n", vec![(4, 6, body())]),
            ("```planarium\na: 1\n", vec![(1, 2, body())]),
            ("```planarium\n```\n", vec![(1, 2, String::new())]),
            ("```planarium\n  a: 1\n  ````\n", vec![(1, 3, "  a: 1\n".to_owned())]),
            ("````md\n```planarium\na: 1\n```\n````\n", vec![]),
            ("    ```planarium\n    a: 1\n    ```\n", vec![]),
            ("<!--\n```planarium\na: 1\n```\n-->\n", vec![]),
            ("```planariumx\na: 1\n```\n", vec![]),
            ("```yaml\nplanarium\n```\n", vec![]),
            ("`` planarium ``\n", vec![]),
        ] {
            assert_eq!(found(text), want, "{text}");
        }
    }

    #[test]
    fn drawings_replace_fences() {
        for (text, want) in [
            ("a\n```planarium\nx\n```\nb\n", "a\n\n<p>\n</p>\n\nb\n"),
            ("> ```planarium\n> x\n> ```\n", ">\n> <p>\n> </p>\n>\n"),
            ("- ```planarium\n  x\n  ```\n", "- <p>\n  </p>\n\n"),
            ("nothing", "nothing"),
        ] {
            let found = fences(text);
            let drawn = vec!["<p>\n</p>\n".to_owned(); found.len()];
            assert_eq!(replaced(text, &found, &drawn), want, "{text}");
        }
    }
}
