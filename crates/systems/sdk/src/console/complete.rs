//! Completes a typed line.

use super::grammar::{GRAMMAR, module};
use super::{Completion, Namer, PROGRAMS};
use planarium_part::console::{Begun, after_program};

/// Completes a line; returns nothing for a line that cannot be parsed.
pub fn complete(line: &str, names: &mut Namer<'_>) -> Completion {
    Completion::of(line, |args, typed| match after_program(PROGRAMS, args, names) {
        Begun::Words(words) => words,
        Begun::Line(..) => {
            let (service, args) = module(args);
            GRAMMAR.candidates(service, args, typed, names)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_part::console::{Names, split};

    fn namer(service: Option<&str>, wanted: Names<'_>) -> Vec<String> {
        let names: &[&str] = match (service, wanted) {
            (_, Names::Services) => &["/team/hello", "other"],
            (Some("other"), Names::Plans) => &["rollout"],
            (None | Some("hello"), Names::Plans) => &["deploy", "recovery", "decommission"],
            (_, Names::Phases("deploy")) => &["hello", "world"],
            (_, Names::Steps("deploy", "world")) => {
                &["world-0:[server, sidecar]", "world-1:[server, sidecar]"]
            }
            (_, Names::Pods) => &["hello-0", "hello-1"],
            (_, Names::Tasks("hello-0")) => &["server", "it's"],
            _ => &[],
        };
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn every_position_has_its_own_words() {
        let rows: &[(&str, &[&str])] = &[
            ("", &["plan", "pod", "update", "uninstall", "endpoints", "describe", "debug", "help"]),
            ("p", &["plan", "pod"]),
            ("$ pl", &["plan"]),
            ("plan force", &["force-restart", "force-complete"]),
            ("plan sh", &["show"]),
            ("plan nothing ", &[]),
            ("plan status ", &["deploy", "recovery", "decommission"]),
            ("plans show de", &["deploy", "decommission"]),
            ("plan status deploy ", &[]),
            ("plan pause deploy ", &["hello", "world"]),
            ("plan force deploy world ", &["world-0:[server, sidecar]", "world-1:[server, sidecar]"]),
            ("plan force deploy world 'world-1:[s", &["world-1:[server, sidecar]"]),
            ("plan force deploy \"world\" \"world-1", &["world-1:[server, sidecar]"]),
            ("plan force nothing ", &[]),
            ("update force-complete ", &["hello", "world"]),
            ("update force-complete world ", &["world-0:[server, sidecar]", "world-1:[server, sidecar]"]),
            ("pod restart hello-1", &["hello-1"]),
            ("debug pod pause hello-0 -t s", &["server"]),
            ("debug pod pause hello-0 --tasks=s", &["--tasks=server"]),
            ("debug pod pause hello-0 --t", &["--tasks"]),
            ("debug pod pause -", &["--tasks", "--name", "--verbose", "--help"]),
            ("plan status -", &["--json", "--name", "--verbose", "--help"]),
            ("plan status --name o", &["other"]),
            ("plan status --name other ", &["rollout"]),
            ("--name other plan status ", &["rollout"]),
            ("plan status --wrong ", &[]),
            ("plan start deploy -p ", &[]),
            ("dcos ", &["/team/hello", "other"]),
            ("dcos beta-hello plan status rec", &["recovery"]),
            ("dcos other plan status ", &["rollout"]),
            ("help pl", &["plan"]),
            ("help plan status ", &[]),
        ];
        for (line, want) in rows {
            assert_eq!(complete(line, &mut namer).words, *want, "{line:?}");
        }
    }

    #[test]
    fn a_line_is_completed_as_far_as_all_words_agree() {
        let rows = [
            ("pl", Some("plan ")),
            ("plan status d", Some("plan status de")),
            ("plan status de", None),
            ("plan status rec", Some("plan status recovery ")),
            ("  pod restart ", Some("  pod restart hello-")),
            ("pod restart hello-", None),
            ("pod restart x", None),
            ("plan force deploy world ", Some("plan force deploy world world-")),
            ("plan force deploy world world-0", Some("plan force deploy world 'world-0:[server, sidecar]' ")),
            ("debug pod pause hello-0 -t i", Some(r"debug pod pause hello-0 -t 'it'\''s' ")),
        ];
        for (line, want) in rows {
            assert_eq!(complete(line, &mut namer).agreed().as_deref(), want, "{line:?}");
        }
    }

    #[test]
    fn a_completed_word_is_parsed_back() {
        for line in ["plan force deploy world w", "debug pod pause hello-0 -t ", "plan status de"] {
            let completion = complete(line, &mut namer);
            for (index, word) in completion.words.iter().enumerate() {
                let whole = completion.with(index).unwrap();
                assert_eq!(split(&whole).unwrap().last(), Some(word), "{whole}");
            }
            assert_eq!(completion.with(99), None);
        }
    }
}
