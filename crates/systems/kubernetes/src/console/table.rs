//! Tables as `kubectl` prints them.
//!
//! **Source**: `kubernetes/cli-runtime: pkg/printers/{tableprinter,tabwriter}.go`. Match: cells at least six wide, three blanks between.

use planarium_part::console::table::Table;
use serde_json::Value;

/// Formats a table of the API. `prefix` is put before names, `wide` shows every column.
pub(super) fn of_api(
    table: &Value,
    wide: bool,
    with_namespace: bool,
    prefix: &str,
    labels: bool,
) -> Vec<String> {
    let list = |key: &str| table.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let columns = list("columnDefinitions");
    let is_shown = |column: &Value| wide || column.get("priority").and_then(Value::as_i64).unwrap_or(0) == 0;
    let shown: Vec<bool> = columns.iter().map(is_shown).collect();
    let mut out = Table::default();
    let names = columns
        .iter()
        .map(|column| column.get("name").and_then(Value::as_str).unwrap_or_default().to_uppercase());
    let chosen =
        |cells: Vec<String>| cells.into_iter().zip(&shown).filter(|(_, on)| **on).map(|(cell, _)| cell);
    let mut header: Vec<String> = chosen(names.collect()).collect();
    if with_namespace {
        header.insert(0, "NAMESPACE".to_owned());
    }
    if labels {
        header.push("LABELS".to_owned());
    }
    out.row(header);
    for row in list("rows") {
        let cells = row.get("cells").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut cells: Vec<String> = chosen(cells.iter().map(text).collect()).collect();
        if let Some(first) = cells.first_mut() {
            *first = format!("{prefix}{first}");
        }
        if with_namespace {
            let namespace =
                row.pointer("/object/metadata/namespace").and_then(Value::as_str).unwrap_or_default();
            cells.insert(0, namespace.to_owned());
        }
        if labels {
            let all = row.pointer("/object/metadata/labels").and_then(Value::as_object);
            let all: Vec<String> =
                all.into_iter().flatten().map(|(key, value)| format!("{key}={}", text(value))).collect();
            cells.push(if all.is_empty() { "<none>".to_owned() } else { all.join(",") });
        }
        out.row(cells);
    }
    out.lines(6, 3)
}

/// A cell's text.
fn text(value: &Value) -> String {
    match value {
        Value::Null => "<none>".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
