//! Endless loops in shell scripts.
//!
//! *Knows*: the words `while`, `until`, `for`, `do`, `done` and those that leave a loop, in the position of a command. *Must not
//! know*: what the commands do.
//!
//! Source: POSIX Shell Command Language (compound commands). Match for this part of it.

/// A loop whose `done` has not come.
#[derive(Debug, Default)]
struct Loop {
    /// `while`, `until`, `for`, or `(` for a subshell, which its commands leave and nothing around it.
    keyword: &'static str,
    condition: Vec<String>,
    /// The condition is over.
    is_body: bool,
    /// Some command inside leaves it.
    is_left: bool,
}

impl Loop {
    /// The condition never ends it, and nothing inside leaves it.
    fn is_endless(&self) -> bool {
        let mut words = self.condition.iter().map(String::as_str);
        let first = words.next().unwrap_or_default();
        let name = first.rsplit('/').next().unwrap_or(first);
        let holds = match self.keyword {
            "while" => matches!(name, "true" | ":" | "sleep"),
            "until" => name == "false",
            _ => false,
        };
        holds && !self.is_left && words.all(|word| !matches!(word, "&&" | "||"))
    }
}

/// Returns whether a script reaches a loop that it never leaves.
pub(super) fn endless(text: &str) -> bool {
    // Most commands have no loop.
    if !text.contains("while") && !text.contains("until") {
        return false;
    }
    let mut open: Vec<Loop> = Vec::new();
    let mut is_name = true;
    let mut words = words(text).into_iter().peekable();
    while let Some(word) = words.next() {
        if let Some(condition) =
            open.last_mut().filter(|one| !one.is_body && matches!(one.keyword, "while" | "until"))
        {
            if is_name && word == "do" {
                condition.is_body = true;
                continue;
            }
            is_name = divides(&word);
            condition.condition.push(word);
            continue;
        }
        if word == ")" {
            let subshell = open.iter().rposition(|one| one.keyword == "(");
            if let Some(inside) = subshell.map(|at| open.split_off(at))
                && inside.iter().any(Loop::is_endless)
            {
                return true;
            }
            is_name = true;
            continue;
        }
        if !is_name && word != "(" {
            is_name = divides(&word);
            continue;
        }
        is_name = true;
        match word.as_str() {
            "(" => open.push(Loop { keyword: "(", is_body: true, ..Loop::default() }),
            "while" => open.push(Loop { keyword: "while", ..Loop::default() }),
            "until" => open.push(Loop { keyword: "until", ..Loop::default() }),
            "for" | "select" => {
                open.push(Loop { keyword: "for", is_body: true, ..Loop::default() });
                is_name = false;
            }
            "done" => {
                if open.pop().is_some_and(|ended| ended.is_endless()) {
                    return true;
                }
                is_name = false;
            }
            "break" => {
                let levels = words.peek().and_then(|word| word.parse().ok()).unwrap_or(1);
                for left in open.iter_mut().rev().take_while(|one| one.keyword != "(").take(levels) {
                    left.is_left = true;
                }
                is_name = false;
            }
            "exit" | "return" | "exec" => {
                for left in open.iter_mut().rev().take_while(|one| one.keyword != "(") {
                    left.is_left = true;
                }
                is_name = false;
            }
            "do" | "then" | "else" | "elif" | "if" | "!" | "{" | "time" => {}
            word => is_name = divides(word),
        }
    }
    open.iter().any(Loop::is_endless)
}

/// Returns whether a command's name may follow.
fn divides(word: &str) -> bool {
    matches!(word, ";" | "&" | "|" | "&&" | "||" | "\n" | "(" | ")" | ";;")
}

/// Words and what divides commands; quoted parts belong to their words, comments are left out.
fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '#' if word.is_empty() => while chars.next_if(|c| *c != '\n').is_some() {},
            '\'' | '"' => {
                word.push(c);
                while let Some(inner) = chars.next().filter(|inner| *inner != c) {
                    word.push(inner);
                    if inner == '\\' && c == '"' {
                        word.extend(chars.next());
                    }
                }
                word.push(c);
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(escaped) => word.extend([c, escaped]),
            },
            ';' | '&' | '|' | '(' | ')' | '\n' => {
                if !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
                let mut divider = String::from(c);
                if matches!(c, ';' | '&' | '|') {
                    divider.extend(chars.next_if_eq(&c));
                }
                all.push(divider);
            }
            c if c.is_whitespace() => {
                if !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
            }
            c => word.push(c),
        }
    }
    if !word.is_empty() {
        all.push(word);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_loops() {
        for (script, expected) in [
            ("while true; do sleep 5; done", true),
            ("while :; do echo a; done; echo b", true),
            ("while sleep 5; do date; done", true),
            ("until false; do date; done", true),
            ("until /bin/false\ndo\n date\ndone\n", true),
            ("while /bin/true; do x; done", true),
            ("while :; do x", true),
            ("(while :; do x; done) & exec server", true),
            ("while :; do echo break; done", true),
            ("while :; do echo 'a; break'; done", true),
            ("while :; do for i in 1 2; do test $i && break; done; done", true),
            ("while :; do x; done # break", true),
            ("while :; do x; # break\ndone", true),
            ("while :; do echo; ready && break; done", false),
            ("while :; do\n  if ready; then\n    break\n  fi\n  sleep 1\ndone", false),
            ("while true; do ready || continue; exit 0; done", false),
            ("while :; do for i in 1 2; do ready && break 2; done; done", false),
            ("while :; do while :; do ready && break; done; break; done", false),
            ("while :; do while :; do x; done; break; done", true),
            ("while ! ready; do sleep 1; done", false),
            ("while true && test -f x; do sleep 1; done", false),
            ("until ready; do sleep 1; done", false),
            ("for i in 1 2 3; do while; done", false),
            ("echo while true; do", false),
            ("while :; do { ready; } && { break; }; done", false),
            ("while :; do echo \"it's\" ; done", true),
            ("while :; do $(exit 1); x; done", true),
            ("while :; do (break); done", true),
            ("(while :; do break; done); (exit 1)", false),
            ("case a in a) while :; do x; done;; esac", true),
            ("while", false),
            ("", false),
        ] {
            assert_eq!(endless(script), expected, "{script}");
        }
    }
}
