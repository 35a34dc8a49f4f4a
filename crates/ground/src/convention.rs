//! Conventions by which a command or image name sets a process's behaviour, for teaching.
//!
//! Three rules; nothing else of a shell is understood:
//! 1. If an image tag or a word of the command begins with `bad-`, the process fails soon after it starts.
//! 2. If one begins with `slow-`, the process starts slowly.
//! 3. If the last part of a command is plainly `exit N` or `false`, the process exits with that code shortly after it runs; for
//!    a check, that code is the result. Parts are divided by `&&`, `;`, line ends and `||`. A part after `||` is ignored, because
//!    it runs only if the part before fails.
//!
//! Everything before the last part counts as quick and successful; long sleeps count as running on.

use crate::spec::Program;

/// Behaviour requested by a process's name and command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    /// Fails soon after starting.
    pub(crate) bad: bool,
    /// Starts slowly.
    pub(crate) slow: bool,
    /// Exits with this code shortly after running.
    pub(crate) exit: Option<i32>,
}

/// Reads the hints of a program.
pub(crate) fn hints(program: &Program) -> Hints {
    let tag = program.image.as_deref().and_then(|image| image.rsplit_once(':')).map_or("", |(_, tag)| tag);
    let may_hint = program.command.contains('-');
    let said = |hint: &str| tag.starts_with(hint) || may_hint && has_word(&program.command, hint);
    Hints { bad: said("bad-"), slow: said("slow-"), exit: exit_code(&program.command) }
}

/// Returns whether a word of the command begins with `start`, which ends with its only `-`.
fn has_word(command: &str, start: &str) -> bool {
    let divides = |c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '=');
    let dashes = command.bytes().enumerate().filter(|(_, byte)| *byte == b'-');
    dashes
        .filter_map(|(at, _)| command.get(..=at)?.strip_suffix(start))
        .any(|before| before.is_empty() || before.ends_with(divides))
}

/// Returns the exit code if the command clearly ends with one.
pub(crate) fn exit_code(command: &str) -> Option<i32> {
    let command = command.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
    // The last word rules out most commands.
    let before_last = command.rsplit_once(char::is_whitespace).map_or("", |(before, _)| before);
    if !command.ends_with("false") && !before_last.trim_end().ends_with("exit") {
        return None;
    }
    let (divider, last) = ["&&", "||", ";", "\n"]
        .iter()
        .filter_map(|divider| command.rfind(divider).map(|at| (at, *divider)))
        .max()
        .map_or(("", command), |(at, divider)| {
            (divider, command.get(at + divider.len()..).unwrap_or_default())
        });
    let mut words = last.split_whitespace();
    match (divider, words.next(), words.next(), words.next()) {
        ("||", ..) => None,
        (_, Some("false"), None, None) => Some(1),
        (_, Some("exit"), Some(code), None) => code.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_exits() {
        for (command, expected) in [
            ("exit 1", Some(1)),
            ("false", Some(1)),
            ("exit 0", Some(0)),
            ("echo crash-loop && sleep $SLEEP_DURATION && exit 1", Some(1)),
            ("echo a; exit 3;\n", Some(3)),
            ("echo a\nexit 4\n", Some(4)),
            ("stat file || exit 1", None),
            ("if [ ! -f success ]; then echo 'no success file' && exit 1; fi", None),
            ("echo exit 1", None),
            ("sleep 1000", None),
            ("exit", None),
            ("exit $CODE", None),
            ("exit 1 2", None),
            ("exit\t 5 ;", Some(5)),
            ("echo a; false", Some(1)),
            ("echo a &&false", Some(1)),
            ("exit\n6", None),
            ("sleep 1; no-exit 6", None),
            ("", None),
        ] {
            assert_eq!(exit_code(command), expected, "{command}");
        }
    }

    #[test]
    fn names() {
        for (image, command, bad, slow) in [
            (Some("app:bad-yellow"), "", true, false),
            (Some("repo.example:5000/app:slow-green"), "", false, true),
            (Some("bad-app:1"), "", false, false),
            (None, "./bad-server --port 1", true, false),
            (None, "bash -c 'slow-start'", false, true),
            (None, "echo not-bad-at-all", false, false),
            (None, "run --with=bad-luck", true, false),
            (None, "bad-", true, false),
            (None, "bad -slow", false, false),
            (None, "é\u{2003}slow-ä", false, true),
            (None, "éslow-", false, false),
        ] {
            let program =
                Program { image: image.map(Into::into), command: command.into(), ..Program::default() };
            let got = hints(&program);
            assert_eq!((got.bad, got.slow), (bad, slow), "{image:?} {command}");
        }
    }
}
