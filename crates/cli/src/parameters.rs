//! Parameters from the command line: `-p NAME=VALUE` and `-P FILE`, in the real client's words where they are wrong.
//!
//! Knows: how both are written. Must not know: which parameters a definition has.
//!
//! **Source**: `kudobuilder/kudo: pkg/kudoctl/cmd/params/parser.go`. Match.

use crate::args::InputArgs;
use crate::files::read;
use anyhow::{Context as _, Result, bail};
use planarium_source::yaml::Reader;
use planarium_source::{Diagnostics, FileId};
use serde_json::Value;
use std::collections::BTreeMap;

/// The values given: those of files, then those of the command line, later ones before earlier ones.
///
/// *Errors*: every problem, joined.
pub(crate) fn given(input: &InputArgs) -> Result<BTreeMap<String, Value>> {
    let mut values = BTreeMap::new();
    let mut problems = Vec::new();
    for path in &input.parameter_file {
        let name = path.display();
        let text = read(path).with_context(|| format!("error reading from parameter file {name}"))?;
        match mapping(&text) {
            Ok(map) => {
                for (key, value) in map {
                    if value.is_null() {
                        problems.push(format!("{name}: {key} has a null value, which is not supported"));
                    }
                    values.insert(key, value);
                }
            }
            Err(problem) => {
                problems.push(format!("error unmarshalling content of parameter file {name}: {problem}"));
            }
        }
    }
    for raw in &input.parameter {
        match raw.split_once('=') {
            None => problems.push(format!("parameter not set: {raw}")),
            Some(("", _)) => problems.push(format!("parameter name can not be empty: {raw}")),
            Some((_, "")) => problems.push(format!("parameter value can not be empty: {raw}")),
            Some((key, value)) => {
                values.insert(key.to_owned(), value.into());
            }
        }
    }
    if !problems.is_empty() {
        bail!("could not parse parameters: {}", problems.join(", "));
    }
    Ok(values)
}

/// The entries of a mapping in YAML, read as Go reads it.
fn mapping(text: &str) -> Result<serde_json::Map<String, Value>> {
    let mut found = Diagnostics::new();
    let parsed = Reader::new(text, FileId(0)).with_go_rules().one(&mut found);
    if let Some(problem) = found.iter().find(|finding| finding.is_error()) {
        bail!("{}", problem.message);
    }
    match parsed.root.map(|node| node.to_go_json()) {
        None | Some(Value::Null) => Ok(serde_json::Map::new()),
        Some(Value::Object(map)) => Ok(map),
        Some(_) => bail!("it is not a mapping of names to values"),
    }
}
