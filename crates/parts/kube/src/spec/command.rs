//! Commands of containers whose duration and end can be predicted.
//!
//! Four rules; nothing else of a shell is understood:
//! 1. A command that is made of plain words only (`echo`, `true`, `sleep 5`, `cp`, ...) ends: after its sleeps, with 0, or as
//!    `exit N` or `false` says.
//! 2. A command that clearly waits for ever (`sleep infinity`, `tail -f`, `wait`, `while true` without an exit) keeps
//!    running.
//! 3. A command whose last part is `exit N` or `false` ends with that code shortly after starting; the fleet simulates
//!    that.
//! 4. Anything else keeps running in a container that should keep running, and ends with 0 in one that should end.

use super::loops;
use planarium_protocol::Text;

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It does not say.
    Unknown,
    /// It runs on.
    Never,
    /// It ends on its own.
    After {
        /// *Units*: milliseconds; 0 if the command has no duration.
        ms: u64,
        /// Exit code.
        code: i32,
    },
}

impl Ending {
    /// The exit code of a command that fails shortly after starting.
    pub(crate) fn failure(self) -> Option<i32> {
        match self {
            Self::After { ms: 0, code } if code != 0 => Some(code),
            Self::After { .. } | Self::Unknown | Self::Never => None,
        }
    }
}

/// Words that do their work at once and succeed.
const QUICK: &[&str] = &[
    "echo", "printf", "true", ":", "date", "ls", "cat", "mkdir", "touch", "cp", "mv", "rm", "chmod", "chown",
    "env", "export", "set", "cd", "pwd", "hostname", "whoami", "id", "uname", "ln",
];

/// The script of a command and its arguments: what `sh -c` is given, or the words themselves.
pub(crate) fn script(command: &[Text], args: &[Text]) -> Text {
    let words: Vec<&str> = command.iter().chain(args).map(|word| &**word).collect();
    let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    if let [shell, flag, script, ..] = words.as_slice()
        && matches!(name(shell).as_str(), "sh" | "bash" | "ash" | "dash")
        && flag.starts_with('-')
        && flag.ends_with('c')
    {
        return (*script).into();
    }
    words.join(" ").into()
}

/// Reads the end of a script.
pub(crate) fn ending(script: &str) -> Ending {
    let text = script.trim();
    if text.is_empty() {
        return Ending::Unknown;
    }
    let waits = ["sleep infinity", "sleep inf", "tail -f", "tail -F"];
    if waits.iter().any(|word| text.contains(word))
        || loops::endless(text)
        || text.split([';', '&', '\n']).any(|part| part.trim() == "wait")
    {
        return Ending::Never;
    }
    // The shell's handling of these is not simulated.
    if text.contains("$(") || text.contains(['`', '|', '{', '(']) || has_single_ampersand(text) {
        return Ending::Unknown;
    }
    let mut ms: u64 = 0;
    let mut rest = text;
    loop {
        let next = ["&&", ";", "\n"].iter().filter_map(|mark| rest.find(mark).map(|at| (at, *mark))).min();
        let (part, mark, after) = match next {
            None => (rest, "", ""),
            Some((at, mark)) => {
                let (part, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
                (part, mark, after.strip_prefix(mark).unwrap_or_default())
            }
        };
        let last = after.trim_matches(|c: char| c.is_whitespace() || c == ';').is_empty();
        let mut words = part.split_whitespace();
        let first = words.next().unwrap_or_default();
        let name = first.rsplit('/').next().unwrap_or(first);
        match (name, words.next(), words.next()) {
            ("sleep", Some(span), None) => match span_ms(span) {
                Some(span) => ms = ms.saturating_add(span),
                None => return Ending::Unknown,
            },
            ("exit", None, _) => return Ending::After { ms, code: 0 },
            ("exit", Some(code), None) => {
                return code.parse().map_or(Ending::Unknown, |code| Ending::After { ms, code });
            }
            ("false", None, _) if last || mark == "&&" => return Ending::After { ms, code: 1 },
            ("" | "false", None, _) => {}
            (name, ..) if QUICK.contains(&name) => {}
            _ => return Ending::Unknown,
        }
        if last {
            return Ending::After { ms, code: 0 };
        }
        rest = after;
    }
}

/// True if something goes into the background.
fn has_single_ampersand(text: &str) -> bool {
    text.replace("&&", "").replace(">&", "").contains('&')
}

/// `5`, `0.5`, `2m`.
fn span_ms(text: &str) -> Option<u64> {
    let (number, unit) = match text.as_bytes().last()? {
        b's' => (text.strip_suffix('s')?, 1),
        b'm' => (text.strip_suffix('m')?, 60),
        b'h' => (text.strip_suffix('h')?, 3600),
        b'd' => (text.strip_suffix('d')?, 86_400),
        _ => (text, 1),
    };
    if !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let ms = crate::quantity::thousandths(number)?;
    u64::try_from(ms).ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        let after = |ms, code| Ending::After { ms, code };
        for (script, expected) in [
            ("true", after(0, 0)),
            ("exit 1", after(0, 1)),
            ("exit", after(0, 0)),
            ("sleep 5", after(5_000, 0)),
            ("sleep 0.5; sleep 1m", after(60_500, 0)),
            ("echo start && sleep 10 && exit 3", after(10_000, 3)),
            ("false", after(0, 1)),
            ("false && echo no", after(0, 1)),
            ("false; echo yes", after(0, 0)),
            ("/bin/echo hello\ndate\n", after(0, 0)),
            ("sleep infinity", Ending::Never),
            ("while true; do sleep 5; done", Ending::Never),
            ("while :; do echo x; pg_isready && break; done", Ending::Unknown),
            ("while true; do ready && break; done; tail -f /dev/null", Ending::Never),
            ("/bin/false", after(0, 1)),
            ("tail -f /dev/null", Ending::Never),
            ("until ping x; do sleep 5; done", Ending::Unknown),
            ("nginx -g 'daemon off;'", Ending::Unknown),
            ("./run.sh & wait", Ending::Never),
            ("./run.sh & echo x", Ending::Unknown),
            ("echo $(date)", Ending::Unknown),
            ("sleep $N", Ending::Unknown),
            ("exit $N", Ending::Unknown),
            ("test -f x || exit 1", Ending::Unknown),
            ("", Ending::Unknown),
            (" ; ", after(0, 0)),
        ] {
            assert_eq!(ending(script), expected, "{script}");
        }
    }

    #[test]
    fn scripts() {
        let texts = |words: &[&str]| words.iter().map(|word| Text::from(*word)).collect::<Vec<_>>();
        for (command, args, expected) in [
            (&["/bin/sh", "-c"][..], &["exit 1"][..], "exit 1"),
            (&["bash", "-xec", "a b"], &[], "a b"),
            (&["sleep"], &["5"], "sleep 5"),
            (&[], &["--flag"], "--flag"),
            (&["sh", "script.sh", "x"], &[], "sh script.sh x"),
        ] {
            assert_eq!(&*script(&texts(command), &texts(args)), expected);
        }
    }
}
