//! Commands with a predictable end: when, how, and what they print.
//!
//! *Knows*: `true`, `false`, `:`, `echo`, `sleep N`, `exit N`, `sh -c TEXT`, and lists of these with `&&`, `||`, `;` and line
//! ends. *Must not know*: processes, files, environments. Any other command makes the end unpredictable, unless that command
//! never runs.
//!
//! Source: POSIX Shell Command Language (lists, quoting, exit status). Match for this part of it.

use std::iter::Peekable;
use std::str::Chars;

/// Maximum depth of nested shells.
const MAX_DEPTH: u32 = 8;
/// Maximum size of a command's kept output. *Units*: bytes.
const MAX_OUTPUT: usize = 64 * 1024;

/// End of a plain command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainEnd {
    /// Its exit code.
    pub code: i32,
    /// Its running time. *Units*: milliseconds.
    pub after_ms: u64,
    /// Its output; `None` if it depends on a variable.
    pub output: Option<String>,
}

/// Returns the end of a command, if its text determines it.
pub fn plain_end(command: &str) -> Option<PlainEnd> {
    if begins_otherwise(command) {
        return None;
    }
    let mut run = Run { output: Some(String::new()), ..Run::default() };
    run.text(command, 0)?;
    run.has_begun.then_some(())?;
    Some(PlainEnd { code: run.status, after_ms: run.elapsed_ms, output: run.output })
}

/// Folders of commands that are known by name alone.
const FOLDERS: [&str; 2] = ["/usr/bin/", "/bin/"];

/// Returns whether the first word is an unknown command, as most are, so that the rest need not be parsed.
fn begins_otherwise(command: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    let (name, rest) = match command.find(|c| !is_name(c)) {
        Some(end) => command.split_at(end),
        None => (command, ""),
    };
    let ends = rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n', ';', '&', '|']);
    let known = ["true", "false", "echo", "sleep", "exit", "sh", "bash"];
    ends && !name.is_empty() && !known.contains(&bare(name))
}

/// The name of a command without its folder.
fn bare(name: &str) -> &str {
    FOLDERS.iter().find_map(|folder| name.strip_prefix(folder)).unwrap_or(name)
}

/// Quotes a text as a word of a shell command, if it contains special characters.
pub fn quoted(text: &str) -> String {
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | ',' | '+' | '@' | '%')
    };
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A word, and whether its value is fully known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Word {
    text: String,
    is_known: bool,
}

/// Separators between commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Divider {
    /// The next command follows if this one succeeds.
    And,
    /// The next command follows if this one fails.
    Or,
    /// A semicolon: the next command follows.
    Then,
    /// A line end: the next command follows.
    Line,
    /// The last command.
    End,
}

/// Position in a run.
#[derive(Debug, Default)]
struct Run {
    status: i32,
    elapsed_ms: u64,
    output: Option<String>,
    /// Some command was reached.
    has_begun: bool,
    /// `exit` was reached.
    has_exited: bool,
}

impl Run {
    /// Runs a text; `None` if its end is unpredictable.
    fn text(&mut self, text: &str, depth: u32) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut rest = text.chars().peekable();
        // Whether the next command is reached: in `a && b || c` a skipped command leaves the status unchanged.
        let mut is_reached = true;
        // A command has to follow.
        let mut is_missing = false;
        loop {
            let (words, divider) = command(&mut rest)?;
            if words.is_empty() {
                // An empty line, or the end: otherwise a command is missing.
                match divider {
                    Divider::End if !is_missing => return Some(()),
                    Divider::Line => continue,
                    _ => return None,
                }
            }
            if is_reached && !self.has_exited {
                self.command(&words, depth)?;
            }
            is_reached = match divider {
                Divider::And => self.status == 0,
                Divider::Or => self.status != 0,
                Divider::Then | Divider::Line => true,
                Divider::End => return Some(()),
            };
            is_missing = matches!(divider, Divider::And | Divider::Or);
        }
    }

    /// Runs one command.
    fn command(&mut self, words: &[Word], depth: u32) -> Option<()> {
        let (name, arguments) = words.split_first()?;
        self.has_begun = true;
        if !name.is_known || name.text.contains('=') {
            return None;
        }
        let known = |words: &[Word]| words.iter().all(|word| word.is_known);
        match (bare(&name.text), arguments) {
            ("true" | ":", _) => self.status = 0,
            ("false", _) => self.status = 1,
            ("echo", arguments) => {
                self.echo(arguments);
                self.status = 0;
            }
            ("sleep", arguments) if known(arguments) && !arguments.is_empty() => {
                for argument in arguments {
                    self.elapsed_ms = self.elapsed_ms.saturating_add(duration_ms(&argument.text)?);
                }
                self.status = 0;
            }
            ("exit", []) => self.has_exited = true,
            ("exit", [code]) if known(arguments) => {
                self.status = i32::from(u8::try_from(code.text.parse::<u32>().ok()? % 256).ok()?);
                self.has_exited = true;
            }
            ("sh" | "bash", [flag, text, ..]) if known(arguments) && flag.text == "-c" => {
                let mut inner =
                    Self { output: self.output.take(), elapsed_ms: self.elapsed_ms, ..Self::default() };
                inner.text(&text.text, depth + 1)?;
                (self.status, self.elapsed_ms, self.output) = (inner.status, inner.elapsed_ms, inner.output);
            }
            _ => return None,
        }
        Some(())
    }

    fn echo(&mut self, arguments: &[Word]) {
        let (no_line_end, words) = match arguments.split_first() {
            Some((flag, rest)) if flag.text == "-n" => (true, rest),
            _ => (false, arguments),
        };
        let is_known = words.iter().all(|word| word.is_known);
        let Some(output) = self.output.as_mut().filter(|_| is_known) else {
            self.output = None;
            return;
        };
        for (nth, word) in words.iter().enumerate() {
            if nth > 0 {
                output.push(' ');
            }
            output.push_str(&word.text);
        }
        if !no_line_end {
            output.push('\n');
        }
        if output.len() > MAX_OUTPUT {
            self.output = None;
        }
    }
}

/// Parses the next command and its divider; `None` for unsupported syntax.
fn command(rest: &mut Peekable<Chars<'_>>) -> Option<(Vec<Word>, Divider)> {
    let mut words = Vec::new();
    loop {
        while rest.next_if(|c| matches!(c, ' ' | '\t' | '\r')).is_some() {}
        match rest.peek() {
            None => return Some((words, Divider::End)),
            Some(';') => {
                rest.next();
                return Some((words, Divider::Then));
            }
            Some('\n') => {
                rest.next();
                return Some((words, Divider::Line));
            }
            Some('&') => {
                rest.next();
                // A single `&` sends a command to the background.
                rest.next_if_eq(&'&')?;
                return Some((words, Divider::And));
            }
            Some('|') => {
                rest.next();
                // Alone it is a pipe.
                rest.next_if_eq(&'|')?;
                return Some((words, Divider::Or));
            }
            // A comment, up to the end of its line.
            Some('#') => while rest.next_if(|c| *c != '\n').is_some() {},
            Some(_) => words.push(word(rest)?),
        }
    }
}

/// Parses a word; `None` for unsupported syntax.
fn word(rest: &mut Peekable<Chars<'_>>) -> Option<Word> {
    let mut word = Word { text: String::new(), is_known: true };
    while let Some(c) = rest.peek().copied() {
        match c {
            ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' => break,
            '\'' => {
                rest.next();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        c => word.text.push(c),
                    }
                }
            }
            '"' => {
                rest.next();
                double_quoted(rest, &mut word)?;
            }
            '\\' => {
                rest.next();
                match rest.next()? {
                    '\n' => {}
                    c => word.text.push(c),
                }
            }
            '$' => {
                rest.next();
                variable(rest)?;
                word.is_known = false;
            }
            // Substitutions, groups, redirections, and file patterns.
            '`' | '(' | ')' | '{' | '}' | '<' | '>' | '*' | '?' | '[' | ']' | '~' => return None,
            c => {
                rest.next();
                word.text.push(c);
            }
        }
    }
    Some(word)
}

fn double_quoted(rest: &mut Peekable<Chars<'_>>, word: &mut Word) -> Option<()> {
    loop {
        match rest.next()? {
            '"' => return Some(()),
            '$' => {
                variable(rest)?;
                word.is_known = false;
            }
            '`' => return None,
            '\\' => match rest.next()? {
                c @ ('"' | '\\' | '$' | '`') => word.text.push(c),
                '\n' => {}
                c => word.text.extend(['\\', c]),
            },
            c => word.text.push(c),
        }
    }
}

/// Parses a variable after its `$`: its name, bare or in braces. Anything else is unsupported.
fn variable(rest: &mut Peekable<Chars<'_>>) -> Option<()> {
    let in_braces = rest.next_if_eq(&'{').is_some();
    let mut letters = 0_u32;
    while rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '_').is_some() {
        letters += 1;
    }
    if in_braces {
        rest.next_if_eq(&'}')?;
    }
    (letters > 0).then_some(())
}

/// Parses `5`, `0.5`, `2s`, `1m`, `1h`, `1d` to milliseconds.
fn duration_ms(text: &str) -> Option<u64> {
    let (number, unit_ms) = match text.strip_suffix(['s', 'm', 'h', 'd']) {
        Some(number) if text.ends_with('s') => (number, 1_000),
        Some(number) if text.ends_with('m') => (number, 60_000),
        Some(number) if text.ends_with('h') => (number, 3_600_000),
        Some(number) => (number, 86_400_000),
        None => (text, 1_000),
    };
    let thousandths = planarium_kernel::Milli::parse(number).ok()?.0;
    u64::try_from(thousandths).ok().map(|thousandths| thousandths.saturating_mul(unit_ms) / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_commands_end() {
        for (command, code, after_ms, output) in [
            ("true", 0, 0, ""),
            ("/bin/true", 0, 0, ""),
            (":", 0, 0, ""),
            ("false", 1, 0, ""),
            ("echo hello  world", 0, 0, "hello world\n"),
            ("echo 'a  b' \"c d\" e\\ f", 0, 0, "a  b c d e f\n"),
            ("echo -n a; echo b", 0, 0, "ab\n"),
            ("sleep 5", 0, 5_000, ""),
            ("sleep 0.25", 0, 250, ""),
            ("sleep 1m 2s", 0, 62_000, ""),
            ("exit 3", 3, 0, ""),
            ("exit 300", 44, 0, ""),
            ("false; exit", 1, 0, ""),
            ("sleep 2; exit 7; sleep 100", 7, 2_000, ""),
            ("true && echo yes || echo no", 0, 0, "yes\n"),
            ("false && echo yes || echo no", 0, 0, "no\n"),
            ("true || sleep 9", 0, 0, ""),
            ("false && ./server", 1, 0, ""),
            ("exit 0; ./server", 0, 0, ""),
            ("sh -c 'sleep 3 && exit 4'", 4, 3_000, ""),
            ("/bin/sh -c \"echo a; exit 2\" || echo failed", 0, 0, "a\nfailed\n"),
            ("bash -c 'sh -c \"exit 5\"; sleep 1'", 0, 1_000, ""),
            ("echo a\necho b\n", 0, 0, "a\nb\n"),
            ("echo a; # done\n", 0, 0, "a\n"),
            ("true &&\n false", 1, 0, ""),
        ] {
            let expected = PlainEnd { code, after_ms, output: Some(output.to_owned()) };
            assert_eq!(plain_end(command), Some(expected), "{command}");
        }
        let hidden = plain_end("echo \"home: $HOME ${X}\" && sleep 1").expect("it ends all the same");
        assert_eq!((hidden.code, hidden.after_ms, hidden.output), (0, 1_000, None));
    }

    #[test]
    fn unknown_results() {
        for command in [
            "",
            " ;\n",
            "./server",
            "sleep $TIME",
            "sleep infinity",
            "sleep",
            "exit $CODE",
            "exit -1",
            "exit 1 2",
            "true && ./server",
            "false || ./server",
            "echo a > file",
            "echo $(date)",
            "echo `date`",
            "echo *",
            "sleep 5 &",
            "echo a | cat",
            "A=1 true",
            "while true; do sleep 1; done",
            "(true)",
            "echo 'open",
            "echo \"open",
            "sh script.sh",
            "sh -ec 'exit 1'",
            "sh -c ./server",
            "sh -c \"exit $CODE\"",
            "&& true",
            "true && ; false",
            "if true; then exit 1; fi",
        ] {
            assert_eq!(plain_end(command), None, "{command}");
        }
        let nested =
            (0..=MAX_DEPTH).fold("exit 1".to_owned(), |inner, _| format!("sh -c {}", quoted(&inner)));
        assert_eq!(plain_end(&nested), None, "too deep");
    }

    #[test]
    fn quoted_words_are_parsed_back() {
        for text in ["plain", "a b", "it's", "", "$HOME", "a\"b", "sleep 5 && exit 1", "é"] {
            let end = plain_end(&format!("echo {}", quoted(text))).expect("an end");
            assert_eq!(end.output, Some(format!("{text}\n")));
        }
        assert_eq!(quoted("./run-1"), "./run-1");
    }
}
