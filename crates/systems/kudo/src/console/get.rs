//! `get`.

use planarium_source::yaml::to_go_yaml;
use serde_json::Value;

use super::Done;
use super::client::Client;
use super::instance::text;
use super::tree::Tree;
use planarium_part::console::Given;

const BAD_OUTPUT: &str = "invalid output format, only support 'yaml' or 'json' or empty";

pub(super) fn get(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let output = given.value("output").unwrap_or_default();
    if !matches!(output, "" | "yaml" | "json") {
        return Err(BAD_OUTPUT.to_owned());
    }
    let [what] = given.arguments.as_slice() else {
        return Err(
            "expecting exactly one argument - \"instances, operators, operatorversions or all\"".to_owned()
        );
    };
    let kinds: &[&str] = match what.as_str() {
        "instances" => &["instances"],
        "operators" => &["operators"],
        "operatorversions" => &["operatorversions"],
        "all" => &["operators", "operatorversions", "instances"],
        other => {
            return Err(format!(
                "expecting one of \"instances, operators, operatorversions or all\" and not {other:?}"
            ));
        }
    };
    let failed = |problem: String| format!("failed to retrieve objects: {problem}");
    let mut lists = Vec::new();
    for kind in kinds {
        lists.push(client.list(kind).map_err(failed)?);
    }
    let namespace = client.namespace.clone();
    if !output.is_empty() {
        return write_all(client, lists.into_iter().flatten().collect(), output);
    }
    let name = |value: &Value| text(value, &["metadata", "name"]).to_owned();
    let mut tree = Tree::new(".");
    if let [operators, versions, instances] = lists.as_slice() {
        for operator in operators {
            let branch = tree.add(name(operator));
            for version in
                versions.iter().filter(|it| text(it, &["spec", "operator", "name"]) == name(operator))
            {
                let branch = branch.add(name(version));
                let of = |it: &&Value| text(it, &["spec", "operatorVersion", "name"]) == name(version);
                for instance in instances.iter().filter(of) {
                    branch.add(name(instance));
                }
            }
        }
        client.say(&format!(
            "List of current installed operators including versions and instances in namespace {namespace:?}:"
        ));
    } else {
        for value in lists.iter().flatten() {
            tree.add(name(value));
        }
        client.say(&format!("List of current installed {what} in namespace {namespace:?}:"));
    }
    client.say(&tree.text());
    Ok(())
}

fn write_all(client: &mut Client<'_, '_>, values: Vec<Value>, output: &str) -> Done {
    if output == "json" {
        let all = if values.is_empty() { Value::Null } else { Value::Array(values) };
        return write_one(client, &all, output);
    }
    for value in &values {
        client.say("---");
        write_one(client, value, output)?;
    }
    client.say("...");
    Ok(())
}

/// Prints a value as YAML or JSON.
pub(super) fn write_one(client: &mut Client<'_, '_>, value: &Value, output: &str) -> Done {
    match output {
        "yaml" => client.say(&to_go_yaml(value)),
        "json" => {
            let mut text = String::new();
            pretty(&mut text, value, 0);
            client.say(&text);
        }
        _ => return Err(BAD_OUTPUT.to_owned()),
    }
    Ok(())
}

/// JSON with two blanks for each level.
fn pretty(out: &mut String, value: &Value, depth: usize) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, depth.saturating_add(1));
                pretty(out, item, depth.saturating_add(1));
            }
            line(out, depth);
            out.push(']');
        }
        Value::Object(fields) if !fields.is_empty() => {
            out.push('{');
            for (at, (key, item)) in fields.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, depth.saturating_add(1));
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push_str(": ");
                pretty(out, item, depth.saturating_add(1));
            }
            line(out, depth);
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}
