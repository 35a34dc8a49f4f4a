//! A small table, read by each parser.

use super::{Column, Command, Flag, Given, Grammar, Names, Output, Problem, Reading, Style, Typed};

const COMMANDS: &[Command<&str>] = &[
    Command::new("list|ls", "", "Lists the plans", &[], "list"),
    Command::new("plan|plans show|status", "PLAN [PHASE]", "Shows a plan", &[Flag::plain("json")], "show"),
    Command::new("plan stop", "PLAN...", "Stops plans", &[Flag::valued("at", "TIME").short('a')], "stop"),
    Command::new("get", "<all|some>", "Lists", &[], "get"),
    Command::new("update", "", "Updates", &[Flag { repeats: true, ..Flag::plain("wait") }], "update"),
];

const GLOBALS: &[Flag] =
    &[Flag::valued("name", "SERVICE").offers(|_, names| names(None, Names::Services)), Flag::plain("help")];

const fn grammar(reading: Reading) -> Grammar<&'static str> {
    Grammar {
        commands: COMMANDS,
        globals: GLOBALS,
        reading,
        kinds: &[("PLAN", plans), ("PHASE", phases)],
        style: Style {
            error: "error",
            problem: words,
            head: "Usage:\n",
            line: |command| command.line("x"),
            column: Column::Fixed(20),
            help: |command| format!("help of {}\n", command.name()),
            shows_groups: false,
            offers_flags: false,
        },
    }
}

fn phases(typed: &Typed<'_>, names: &mut super::Namer<'_>) -> Vec<String> {
    names(typed.service, Names::Phases(typed.argument("PLAN").unwrap_or_default()))
}

fn plans(typed: &Typed<'_>, names: &mut super::Namer<'_>) -> Vec<String> {
    names(typed.given.value("name").or(typed.service), Names::Plans)
}

fn words(problem: &Problem, command: &str) -> String {
    match problem {
        Problem::NoCommand(unknown) => {
            format!("no command {:?}, but {}", (&unknown.begun, unknown.rest.first()), unknown.fits.join(" "))
        }
        Problem::NoFlag(written) => format!("{command}: no {}", written.dashed()),
        Problem::NoValue(flag, _) => {
            format!("{command}: {} needs {}", flag.name, flag.value.unwrap_or_default())
        }
        Problem::Value(written, value) => format!("{command}: {} is not {value}", written.dashed()),
        Problem::Foreign(flag, _) => format!("{command}: --{} is of another", flag.name),
        Problem::Missing(place) => format!("{command} needs {}", place.name),
        Problem::More(more) => format!("{command} does not take {more}"),
    }
}

fn read(grammar: &Grammar<&'static str>, line: &str) -> Result<(&'static str, Given), Output> {
    let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    grammar.read(&args).map(|(command, given)| (command.run, given))
}

#[test]
fn the_command_with_most_words_wins() {
    let grammar = grammar(Reading::Docopt);
    for (line, command, arguments) in [
        ("plans show deploy a", "show", "deploy a"),
        ("plan status deploy --json", "show", "deploy"),
        ("ls", "list", ""),
        ("plan stop a b c", "stop", "a b c"),
    ] {
        let (found, given) = read(&grammar, line).expect(line);
        assert_eq!((found, given.arguments.join(" ").as_str()), (command, arguments), "{line}");
    }
}

#[test]
fn wrong_lines_are_refused_with_the_help_of_their_command() {
    for (reading, line, first, usage) in [
        (Reading::Docopt, "x", "no command ([], Some(\"x\")), but list ls plan plans get update", "Usage:"),
        (Reading::Docopt, "plan show", "plan show needs PLAN", "help of plan show"),
        (Reading::Docopt, "list x", "list does not take x", "help of list"),
        (Reading::Docopt, "plan show a b c", "plan show does not take c", "help of plan show"),
        (Reading::Docopt, "plan show a --at", "plan show: no --at", "help of plan show"),
        (Reading::Pflag, "plan stop a -b", "plan stop: no -b", "help of plan stop"),
        (Reading::Names, "plan stop -at", "plan stop: at needs TIME", "help of plan stop"),
        (Reading::Kingpin, "--json plan stop a", "plan stop: --json is of another", "help of plan stop"),
        (Reading::Kingpin, "", "no command ([], None), but list ls plan plans get update", "Usage:"),
        (Reading::Kingpin, "plan show --json=x", ": --json is not x", "Usage:"),
    ] {
        let output = read(&grammar(reading), line).expect_err(line);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{line}");
        let mut lines = output.stderr.lines();
        assert_eq!(lines.next(), Some(format!("error: {first}").as_str()), "{line}");
        assert_eq!(lines.nth(1), Some(usage), "{line}");
    }
    assert_eq!(read(&grammar(Reading::Pflag), "plan show").map(|(command, _)| command), Ok("show"));
}

#[test]
fn help_is_asked_for_as_each_parser_takes_it() {
    for (reading, line, first) in [
        (Reading::Pflag, "", "Usage:"),
        (Reading::Pflag, "plan show a -h", "help of plan show"),
        (Reading::Names, "help", "Usage:"),
        (Reading::Kingpin, "help plan", "Usage:"),
        (Reading::Kingpin, "--help", "Usage:"),
    ] {
        let output = read(&grammar(reading), line).expect_err(line);
        assert_eq!((output.code, output.stdout.lines().next()), (0, Some(first)), "{line}");
    }
    assert_eq!(
        grammar(Reading::Pflag).list(&["plans".to_owned()]),
        "Usage:\n  x plan show PLAN [PHASE] Shows a plan (also: status)\n"
    );
}

#[test]
fn lines_are_completed_from_the_same_table() {
    let mut names = |service: Option<&str>, wanted: Names<'_>| match wanted {
        Names::Services => vec!["shop".to_owned()],
        Names::Plans => vec![format!("deploy-of-{}", service.unwrap_or("it"))],
        Names::Phases(plan) => vec![format!("{plan}-1")],
        _ => Vec::new(),
    };
    for (reading, line, words) in [
        (Reading::Pflag, "", "list plan get update"),
        (Reading::Kingpin, "", "list plan get update help"),
        (Reading::Kingpin, "help ", "list plan get update"),
        (Reading::Kingpin, "plan sta", "status"),
        (Reading::Pflag, "x", ""),
        (Reading::Pflag, "plan show ", "deploy-of-it"),
        (Reading::Pflag, "x plan show ", "deploy-of-it"),
        (Reading::Kingpin, "y mine plan show ", "deploy-of-mine"),
        (Reading::Kingpin, "--name other plan --json show ", "deploy-of-other"),
        (Reading::Kingpin, "y ", "shop"),
        (Reading::Pflag, "plan show deploy ", "deploy-1"),
        (Reading::Pflag, "plan show deploy hello ", ""),
        (Reading::Pflag, "plan stop a b ", "deploy-of-it"),
        (Reading::Pflag, "get ", "all some"),
        (Reading::Pflag, "get --name ", "shop"),
        (Reading::Pflag, "get --name=s", "--name=shop"),
        (Reading::Pflag, "get --loud ", ""),
        (Reading::Pflag, "plan show --json --", "--name --help"),
        (Reading::Pflag, "update --wait -", "--wait --name --help"),
        (Reading::Pflag, "update -- -", ""),
        (Reading::Pflag, "update ", ""),
    ] {
        let found = grammar(reading).complete(&[&["x"], &["y", "NAME"]], line, &mut names);
        assert_eq!(found.words.join(" "), words, "{line:?}");
    }
}
