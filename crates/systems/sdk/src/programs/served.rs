//! Files next to the definition that a program serves as endpoints.
//!
//! *Knows*: their location and rendering. *Must not know*: who requests them.
//!
//! **Source**: `dcos-commons: frameworks/hdfs …/Main.java (renderTemplate)`. Match: a missing file is served as its read
//! error; a variable without a value ends the program at its start.

use super::Program;
use crate::spec::ServiceSpec;
use crate::{codes, config_file, java_template};
use planarium_protocol::Text;
use planarium_source::{Diagnostic, Diagnostics, SourceMap};
use std::collections::BTreeMap;

/// Folder of a package's files, in the sandbox of its scheduler.
const FOLDER: &str = "/mnt/mesos/sandbox/./hdfs-scheduler";

/// A file that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedFile {
    /// Name of the endpoint.
    pub name: Text,
    /// The answer.
    pub text: Text,
}

/// The files that a program serves.
pub(crate) fn served(
    program: &Program,
    spec: &ServiceSpec,
    env: &BTreeMap<String, String>,
    definition: &str,
    files: &BTreeMap<String, String>,
    sources: &SourceMap,
    found: &mut Diagnostics,
) -> Vec<ServedFile> {
    let names = program.served_files();
    // What its environment lacks was found when the definition was read.
    let Some(env) = program.served_with(spec, env).ok().filter(|_| !names.is_empty()) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for name in names {
        let source = config_file::find(definition, files, name).and_then(|(path, text)| {
            let (file, _) = sources.iter().find(|(_, file)| *file.name() == *path)?;
            Some((file, text))
        });
        let Some((file, text)) = source else {
            let text = format!("Failed to read {FOLDER}/{name}").into();
            all.push(ServedFile { name: (*name).into(), text });
            continue;
        };
        let rendered = java_template::render(text, file, &env);
        found.extend(rendered.diagnostics);
        for missing in rendered.missing {
            let span = missing.spans.first().copied().unwrap_or_default();
            let variable = &missing.name;
            let message = format!(
                "The template variable '{variable}' has no value, and the program, which serves {name} to clients, does \
                 not start without"
            );
            let help = format!("give it one in the scheduler's environment: TASKCFG_ALL_{variable}=…");
            found.push(Diagnostic::error(codes::PROGRAM_FAILS, span, message).with_help(help));
        }
        all.push(ServedFile { name: (*name).into(), text: rendered.text.into() });
    }
    all
}
