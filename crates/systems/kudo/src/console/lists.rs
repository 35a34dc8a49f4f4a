//! `package verify` and `package list`.

use planarium_protocol::json;
use planarium_source::Severity;

use super::Done;
use super::client::Client;
use super::get::write_one;
use super::load;
use super::table::{COLUMN, Table};
use super::tree::Tree;
use crate::definition::Loaded;
use crate::package::model::TaskKind;
use crate::verify;
use planarium_part::console::Given;

fn loaded(client: &mut Client<'_, '_>, given: &Given) -> Result<Loaded, String> {
    match given.arguments.as_slice() {
        [path] => load::package(client, path),
        _ => Err("expecting exactly one argument - directory of the operator or name of package".to_owned()),
    }
}

pub(super) fn verify(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let output = given.value("output").unwrap_or_default();
    if !matches!(output, "" | "yaml" | "json") {
        return Err("invalid output format, only support 'yaml' or 'json' or empty".to_owned());
    }
    let checks: Vec<&str> = given.values("param-checks").flat_map(|checks| checks.split(',')).collect();
    let loaded = loaded(client, given)?;
    let Some(main) = loaded.main() else { return Err("operator.yaml file is missing".to_owned()) };
    let extended = verify::extended(main, &checks)?;
    let found = verify::verify(main);
    let texts = |severity: Severity| {
        let of = found.iter().filter(move |finding| finding.severity == severity);
        of.map(|finding| finding.text.clone())
    };
    let errors: Vec<String> = texts(Severity::Error).collect();
    let warnings: Vec<String> = texts(Severity::Warning).chain(extended).collect();
    if output.is_empty() {
        for (header, rows) in [("Warnings", &warnings), ("Errors", &errors)] {
            if !rows.is_empty() {
                let mut table = Table::default();
                table.row([header]);
                for row in rows {
                    table.row([row.as_str()]);
                }
                client.say(&table.text());
            }
        }
        if errors.is_empty() {
            client.say("package is valid");
        }
    } else {
        let valid = errors.is_empty();
        write_one(client, &json!({ "errors": errors, "warnings": warnings, "valid": valid }), output)?;
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(format!("found {} package verification errors", errors.len()))
    }
}

pub(super) fn parameters(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let (required, names, descriptions) =
        (given.flag("required"), given.flag("names"), given.flag("descriptions"));
    if [required, names, descriptions].into_iter().filter(|set| *set).count() > 1 {
        return Err("only one of the flags 'required', 'names', 'descriptions' can be set".to_owned());
    }
    let loaded = loaded(client, given)?;
    let file = loaded.main().and_then(|main| main.params.as_ref());
    let mut parameters: Vec<_> = file.into_iter().flat_map(|file| &file.parameters).collect();
    planarium_kernel::sorted::sort_by(&mut parameters, |a, b| a.name.value.cmp(&b.name.value));
    let mut table = Table::default();
    if required {
        // The real client compares the addresses of two flags, which always differ: it finds no parameter at all.
        table.row(["Name"]);
        client.say("no required parameters without default values found");
    }
    if names {
        table.row(["Name"]);
        for parameter in &parameters {
            table.row([parameter.name.value.as_str()]);
        }
        client.say(&table.text());
    }
    // Whatever was requested, the whole table follows, in the same columns.
    table.widest = Some(COLUMN);
    let header = ["Name", "Default", "Required", "Immutable", "Descriptions"];
    table.row(header.into_iter().take(if descriptions { 5 } else { 4 }));
    for parameter in parameters {
        let mut row = vec![
            parameter.name.value.clone(),
            parameter.default.as_deref().unwrap_or_default().to_owned(),
            parameter.required.to_string(),
            parameter.immutable.to_string(),
        ];
        if descriptions {
            row.push(parameter.description.clone());
        }
        table.row(row);
    }
    client.say(&table.text());
    Ok(())
}

pub(super) fn plans(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let loaded = loaded(client, given)?;
    let Some(operator) = loaded.operator() else { return Err("operator.yaml file is missing".to_owned()) };
    if operator.plans.is_empty() {
        client.say("no plans found");
        return Ok(());
    }
    let with_tasks = given.flag("with-tasks");
    let mut tree = Tree::new("plans");
    for plan in &operator.plans {
        let branch = tree.add(format!("{} ({})", plan.name.value, plan.strategy.value));
        for phase in &plan.phases {
            let branch =
                branch.add_meta("phase", &format!("{} ({})", phase.name.value, phase.strategy.value));
            for step in &phase.steps {
                let branch = branch.add_meta("step", &step.name.value);
                for name in &step.tasks {
                    if !with_tasks {
                        branch.add(name.value.as_str());
                        continue;
                    }
                    for task in operator.tasks.iter().filter(|task| task.name.value == name.value) {
                        let word = match task.is() {
                            Some(TaskKind::Apply) => "apply",
                            Some(TaskKind::Delete) => "delete",
                            Some(TaskKind::Toggle) => "toggle",
                            Some(TaskKind::Pipe) => "pipe",
                            Some(TaskKind::Dummy) => "dummy",
                            Some(TaskKind::KudoOperator) | None => "unknown",
                        };
                        let branch = branch.add_meta(word, &name.value);
                        if word == "toggle" {
                            branch.add_meta("parameter", &task.parameter.value);
                        }
                        if matches!(word, "apply" | "delete" | "toggle" | "pipe") {
                            for template in task.templates() {
                                branch.add(template.value.as_str());
                            }
                        }
                    }
                }
            }
        }
    }
    client.say(&tree.text());
    Ok(())
}

pub(super) fn tasks(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let loaded = loaded(client, given)?;
    let Some(operator) = loaded.operator() else { return Err("operator.yaml file is missing".to_owned()) };
    if operator.tasks.is_empty() {
        client.say("no tasks  found");
        return Ok(());
    }
    let mut table = Table::default();
    table.row(["Name", "Kind", "Resources"]);
    for task in &operator.tasks {
        let resources = if task.is() == Some(TaskKind::Pipe) {
            task.pod.value.clone()
        } else {
            let names: Vec<&str> = task.resources.iter().map(|word| word.value.as_str()).collect();
            format!("[{}]", names.join(" "))
        };
        table.row([task.name.value.clone(), task.kind.value.clone(), resources]);
    }
    client.say(&table.text());
    Ok(())
}
