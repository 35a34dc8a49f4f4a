//! `describe`, `update start`, `update package-versions`, `uninstall`: requests of the real command line to the package
//! manager. Accepts `dcos package uninstall SERVICE`, too.
//!
//! Knows: that `/sim` keeps the definition a service was installed with, options and package files included.
//! Must not know: how a definition is read.
//!
//! **Source**: dcos-commons `cli/queries/package.go`. Match for requests and merging; there is no catalogue here, so
//! a package has one version only. The texts are ours.

use super::call::{Call, Done, Failure, Rules, push_name};
use super::options::{defaults, merged, package_file, sorted};
use planarium_part::console::Given;
use planarium_protocol::json;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Placeholder for the version that packaging tools fill in.
const UNSET_VERSION: &str = "stub-universe";

pub(super) fn describe(call: &mut Call<'_>, _: &Given) -> Done {
    let installed = installed(call)?;
    let config = package_file(files(&installed)?, "config.json");
    let Some(schema) = config.and_then(|text| planarium_protocol::json::value(text.as_bytes()).ok()) else {
        let name = service_words(call);
        call.say(&format!("There are no package options of {name}: it was installed without a package."));
        return Ok(());
    };
    let options = installed.get("options").unwrap_or(&Value::Null);
    let resolved = sorted(merged(defaults(&schema), options));
    call.say_json(resolved.to_string().as_bytes());
    Ok(())
}

pub(super) fn package_versions(call: &mut Call<'_>, _: &Given) -> Done {
    let installed = installed(call)?;
    let Some(version) = version(&installed)? else {
        let name = service_words(call);
        return Err(Failure::Refused(format!(
            "There are no versions of {name}: it was installed without a package."
        )));
    };
    call.say(&format!("Package version: {}", Value::from(version)));
    call.say("Downgrades: none");
    call.say("Upgrades: none");
    Ok(())
}

pub(super) fn start(call: &mut Call<'_>, given: &Given) -> Done {
    let (options, wanted) = (given.value("options"), given.value("package-version"));
    if options.is_none() && wanted.is_none() {
        return Err(Failure::BadWords("give --options or --package-version, or both".to_owned()));
    }
    let given_options = options.map(|source| read_options(call, source)).transpose()?;
    let mut installed = installed(call)?;
    if let Some(wanted) = wanted {
        let version = version(&installed)?;
        if version.as_deref() != Some(wanted) {
            let known =
                version.map_or_else(|| "it has no package".to_owned(), |v| format!("there is only \"{v}\""));
            let name = service_words(call);
            return Err(Failure::Refused(format!("{name} has no version \"{wanted}\": {known}")));
        }
    }
    if let Some(over) = given_options {
        let under = if given.has("replace") {
            Value::Null
        } else {
            installed.get("options").cloned().unwrap_or_default()
        };
        installed.insert("options".to_owned(), merged(under, &over));
    }
    let mut input = Map::from_iter([("kind".to_owned(), json!("update-service"))]);
    input.extend(installed);
    let target = "/sim/inputs";
    let response = call.exchange("POST", target, Some(&Value::Object(input)));
    if let Some(message) = call.failure(Rules::Plain, "POST", target, &response) {
        return Err(Failure::Refused(findings(&response.body).unwrap_or(message)));
    }
    call.say("Update started. `update status` shows how far it is.");
    Ok(())
}

/// `uninstall`, and `dcos package uninstall SERVICE`, where the package manager is in the place of a service.
pub(super) fn uninstall(call: &mut Call<'_>, given: &Given) -> Done {
    let name = match given.text(0) {
        "" if call.service().is_empty() => {
            let installed = installed(call)?;
            installed.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        "" => call.service().to_owned(),
        named => named.to_owned(),
    };
    let input = json!({"kind": "remove-service", "dialect": crate::DIALECT, "name": name});
    call.ask(Rules::Plain, "POST", "/sim/inputs", Some(&input))?;
    call.say(&format!("Uninstall of {name} started. `update status` shows how far it is."));
    Ok(())
}

/// Returns the definition with which a service was installed.
fn installed(call: &mut Call<'_>) -> Result<Map<String, Value>, Failure> {
    let not_read = || Failure::Refused("the answer is not a definition".to_owned());
    let name = if call.service().is_empty() {
        let body = call.get(Rules::Plain, &["configurations", "target"])?;
        let target: Value = serde_json::from_slice(&body).unwrap_or_default();
        target.get("name").and_then(Value::as_str).ok_or_else(not_read)?.to_owned()
    } else {
        call.service().to_owned()
    };
    let mut target = "/sim/services".to_owned();
    push_name(&mut target, &name);
    let body = call.ask(Rules::Plain, "GET", &target, None)?;
    serde_json::from_slice(&body).map_err(|_| not_read())
}

fn files(installed: &Map<String, Value>) -> Result<&Map<String, Value>, Failure> {
    let files = installed.get("files").and_then(Value::as_object);
    files.ok_or_else(|| Failure::Refused("the answer is not a definition".to_owned()))
}

/// The version of the package; nothing without one.
fn version(installed: &Map<String, Value>) -> Result<Option<String>, Failure> {
    let files = files(installed)?;
    let about = package_file(files, "package.json")
        .and_then(|text| planarium_protocol::json::value(text.as_bytes()).ok());
    let version = about.as_ref().and_then(|about| about.get("version")).and_then(Value::as_str);
    let is_package = version.is_some() || package_file(files, "config.json").is_some();
    let version = version.filter(|version| !version.contains("{{")).unwrap_or(UNSET_VERSION);
    Ok(is_package.then(|| version.to_owned()))
}

/// Options from a file, from standard input (`stdin`), or written out.
fn read_options(call: &mut Call<'_>, source: &str) -> Result<Value, Failure> {
    let text = if source.trim_start().starts_with('{') {
        source.to_owned()
    } else {
        call.read_file(source).map_err(|error| Failure::BadWords(format!("--options {source}: {error}")))?
    };
    let value = planarium_protocol::json::value(text.as_bytes())
        .map_err(|error| Failure::BadWords(format!("--options: not JSON: {error}")))?;
    if value.is_object() {
        Ok(value)
    } else {
        Err(Failure::BadWords("--options: not a JSON object".to_owned()))
    }
}

/// Returns the refusal with the definition's findings, one per line.
fn findings(body: &[u8]) -> Option<String> {
    let problem: Value = serde_json::from_slice(body).ok()?;
    let mut out = problem.get("detail")?.as_str()?.to_owned();
    for finding in problem.get("diagnostics").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| match finding.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let place = format!("{}:{}:{}", text("file"), text("line"), text("column"));
        let _ = write!(out, "\n{place}: {}[{}]: {}", text("severity"), text("code"), text("message"));
    }
    Some(out)
}

fn service_words(call: &Call<'_>) -> String {
    if call.service().is_empty() { "the service".to_owned() } else { call.service().to_owned() }
}
