//! Recognises the program that runs a definition, and reports it.
//!
//! *Knows*: the signs of each program in a package. *Must not know*: what a program does.
//!
//! The command of the scheduler is the best sign: packages made from an example often keep its program under another
//! package name. The package's name comes next. Without a package there are no signs.

use super::Program;
use crate::codes;
use planarium_source::suggest::did_you_mean;
use planarium_source::{Diagnostic, Diagnostics, Span, suggest};
use std::collections::BTreeMap;

/// Sets the program, whatever the package contains.
const PROGRAM: &str = "PLANARIUM_PROGRAM";
/// The name of the package in the environment of its scheduler.
const PACKAGE: &str = "PACKAGE_NAME";
/// Value of the variable when a package comes without its name.
pub(crate) const UNNAMED: &str = "package";

const SIMULATED: [&str; 3] = ["cassandra", "hdfs", "hello-world"];

/// Signs of a package's program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks<'a> {
    /// Name of the package.
    pub(crate) name: Option<&'a str>,
    /// The command of its scheduler.
    pub(crate) command: Option<&'a str>,
}

impl Program {
    /// The program that a package's marks or the environment tell; none when nothing does.
    pub(crate) fn recognize(marks: &Marks<'_>, env: &BTreeMap<String, String>) -> Option<Self> {
        let filled = |key: &str| env.get(key).map(String::as_str).filter(|value| !value.trim().is_empty());
        if let Some(chosen) = filled(PROGRAM) {
            return Some(Self::named(chosen.trim()));
        }
        let binary = marks.command.and_then(binary);
        let name = marks.name.or_else(|| filled(PACKAGE)).filter(|name| *name != UNNAMED);
        let known = binary.map(Self::named).filter(|program| !matches!(program, Self::Other(_)));
        known.or_else(|| name.or(binary).map(Self::named))
    }

    fn named(name: &str) -> Self {
        match name.strip_prefix("beta-").unwrap_or(name) {
            "hello-world" | "helloworld" => Self::HelloWorld,
            "cassandra" => Self::Cassandra,
            "hdfs" => Self::Hdfs,
            _ => Self::Other(name.into()),
        }
    }
}

/// The program in a command such as `… ./hdfs-scheduler/bin/hdfs ./hdfs-scheduler/svc.yml`.
fn binary(command: &str) -> Option<&str> {
    let (_, rest) = command.split_once("-scheduler/bin/")?;
    let end =
        rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(rest.len());
    rest.get(..end).filter(|name| !name.is_empty())
}

/// Says which program was recognized; `at` is the definition.
pub(crate) fn report(program: &Program, env: &BTreeMap<String, String>, at: Span, found: &mut Diagnostics) {
    let Program::Other(name) = program else {
        let message = format!("The program of {} runs this definition", program.name());
        found.push(Diagnostic::info(codes::PROGRAM, at, message).with_note(additions(program)));
        return;
    };
    let simulated = SIMULATED.join(", ");
    if env.contains_key(PROGRAM) {
        let message = format!("There is no simulated program '{name}': the definition runs as it is written");
        let help = did_you_mean(suggest(name, SIMULATED), || format!("simulated are: {simulated}"));
        found.push(Diagnostic::warning(codes::PROGRAM, at, message).with_help(help));
        return;
    }
    let message =
        format!("The program of the package '{name}' is not simulated: the definition runs as it is written");
    found.push(
        Diagnostic::info(codes::PROGRAM, at, message)
            .with_note(
                "the real one may differ in its plans and their steps, the recovery of lost pods, placement, endpoints, \
                 the environment of tasks, and the changes that it refuses",
            )
            .with_help(format!("where it does as one of {simulated} does, choose that one: {PROGRAM}=…")),
    );
}

/// Returns the routes and commands that a simulated program adds.
fn additions(program: &Program) -> &'static str {
    match program {
        Program::HelloWorld => {
            "beside the definition: the scenarios CUSTOM_PLAN and CUSTOM_DECOMMISSION, the timed replacement of failed \
             pods"
        }
        Program::Cassandra => {
            "beside the definition: a lost node takes over from its old address, and after a lost seed all other nodes \
             are launched again; tasks get LOCAL_SEEDS; data center, rack and the use of zones cannot change; /v1/seeds"
        }
        Program::Hdfs => {
            "beside the definition: journal, name and data nodes keep apart; a lost journal or name node gets its data \
             back before it runs; the endpoints hdfs-site.xml and core-site.xml; the use of zones cannot change"
        }
        Program::Other(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_recognised_by_their_signs() {
        let scheduler =
            |name: &str| format!("export X=1 && ./bootstrap && ./{name}-scheduler/bin/{name} ./svc.yml");
        let hello = "./hello-world-scheduler/bin/helloworld examples/svc.yml".to_owned();
        // name of the package, command, environment, the program's name
        let cases = [
            ("", "", "", "none"),
            ("cassandra", "", "", "cassandra"),
            ("beta-hdfs", "", "", "hdfs"),
            ("kafka", "", "", "kafka"),
            ("", &scheduler("hdfs"), "", "hdfs"),
            ("", &scheduler("kafka"), "", "kafka"),
            ("my-own", &hello, "", "hello-world"),
            ("my-own", &scheduler("cassandra"), "", "cassandra"),
            ("my-own", &scheduler("my-own"), "", "my-own"),
            ("my-own", "sleep 1", "", "my-own"),
            ("", "", "PACKAGE_NAME=hdfs", "hdfs"),
            ("", "", "PACKAGE_NAME=package", "none"),
            ("kafka", "", "PLANARIUM_PROGRAM=hdfs", "hdfs"),
            ("hdfs", &scheduler("hdfs"), "PLANARIUM_PROGRAM=other", "other"),
            ("hdfs", "", "PLANARIUM_PROGRAM= ", "hdfs"),
        ];
        for (name, command, env, want) in cases {
            let marks = Marks {
                name: Some(name).filter(|name| !name.is_empty()),
                command: Some(command).filter(|command| !command.is_empty()),
            };
            let env = env.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
            let got = Program::recognize(&marks, &env.into_iter().collect());
            let got = got.as_ref().map_or("none", Program::name);
            assert_eq!(got, want, "{name} {command}");
        }
    }
}
