//! Finds the command of a line, and the words that may follow.
//!
//! *Knows*: commands by their words. *Must not know*: what a command does, existing names.

/// The words of a command.
pub trait Worded {
    /// Its words.
    fn words(&self) -> &'static [&'static str];
}

/// The command that a line names: the one with most words.
pub fn named<'c, C: Worded>(commands: &'c [C], line: &[&str]) -> Option<&'c C> {
    commands
        .iter()
        .filter(|command| line.starts_with(command.words()))
        .max_by_key(|command| command.words().len())
}

/// The next word of every command that begins as the line does.
pub fn next_words<C: Worded>(commands: &[C], line: &[&str]) -> Vec<String> {
    let begun = commands.iter().map(Worded::words).filter(|words| words.starts_with(line));
    let mut next: Vec<String> =
        begun.filter_map(|words| words.get(line.len()).map(|word| (*word).to_owned())).collect();
    next.dedup();
    next
}

/// Returns flags as typed, without those already in the line.
pub fn unused_flags<'n>(names: impl Iterator<Item = &'n str>, line: &[&str]) -> Vec<String> {
    names.map(|name| format!("--{name}")).filter(|flag| !line.contains(&flag.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Command(&'static [&'static str]);

    impl Worded for Command {
        fn words(&self) -> &'static [&'static str] {
            self.0
        }
    }

    const COMMANDS: [Command; 4] =
        [Command(&["plan"]), Command(&["plan", "show"]), Command(&["plan", "stop"]), Command(&["get"])];

    #[test]
    fn the_command_with_most_words_wins() {
        let of = |line: &[&str]| named(&COMMANDS, line).map(|command| command.0);
        assert_eq!(of(&["plan", "show", "x"]), Some(["plan", "show"].as_slice()));
        assert_eq!(of(&["plan", "x"]), Some(["plan"].as_slice()));
        assert_eq!(of(&["x"]), None);
    }

    #[test]
    fn next_words_and_flags_are_offered_once() {
        assert_eq!(next_words(&COMMANDS, &[]), ["plan", "get"]);
        assert_eq!(next_words(&COMMANDS, &["plan"]), ["show", "stop"]);
        assert_eq!(next_words(&COMMANDS, &["x"]), Vec::<String>::new());
        assert_eq!(unused_flags(["a", "b"].into_iter(), &["x", "--a"]), ["--b"]);
    }
}
