//! Tables: what `kubectl get` prints.
//!
//! Source: `kubernetes/apimachinery: pkg/apis/meta/v1/types.go` (`Table`), `kubernetes/apiserver:
//! pkg/endpoints/handlers/response.go`, match.

use super::{
    Request,
    columns::{self, Columns},
    path::Target,
};
use crate::{calendar, kube::Kube, object::Object, tree::Tree};
use planarium_kernel::SimTime;
use planarium_protocol::json::{self, Map, Value};
use std::sync::Arc;

/// The table that a client wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    /// `v1` or `v1beta1` of `meta.k8s.io`.
    version: String,
    /// `Metadata`, `Object` or `None`.
    include: String,
    /// True if the columns come with it; in a watch only with the first one.
    pub(super) columns: bool,
}

impl Wish {
    /// Nothing when the client wants no table, or anything else rather.
    pub(super) fn of(request: &Request<'_>) -> Option<Self> {
        let first = request
            .accept
            .split(',')
            .map(str::trim)
            .find(|one| one.starts_with("application/json") || one.starts_with("*/*"))?;
        let part = |key: &str| {
            first.split(';').map(str::trim).find_map(|part| part.strip_prefix(key)?.strip_prefix('='))
        };
        if part("as") != Some("Table") {
            return None;
        }
        let include = request.param("includeObject").unwrap_or_else(|| "Metadata".to_owned());
        Some(Self { version: part("v").unwrap_or("v1").to_owned(), include, columns: true })
    }

    /// As plain data and back, for watches.
    pub(super) fn to_value(&self) -> Value {
        planarium_protocol::json!({ "version": self.version, "include": self.include, "columns": self.columns })
    }

    pub(super) fn of_value(value: &Value) -> Option<Self> {
        value.is_object().then(|| Self {
            version: value.text("version").to_owned(),
            include: value.text("include").to_owned(),
            columns: value.flag("columns"),
        })
    }

    fn table(&self, columns: &[columns::Column], rows: Vec<Value>, metadata: Value) -> Value {
        let mut fields = Map::new();
        json::put(&mut fields, "kind", "Table".into());
        json::put(&mut fields, "apiVersion", format!("meta.k8s.io/{}", self.version).into());
        json::put(&mut fields, "metadata", metadata);
        let definitions =
            if self.columns { columns.iter().map(columns::Column::to_value).collect() } else { Vec::new() };
        json::put(&mut fields, "columnDefinitions", Value::Array(definitions));
        json::put(&mut fields, "rows", Value::Array(rows));
        Value::Object(fields)
    }

    fn object(&self, whole: impl FnOnce() -> Value, metadata: Value) -> Value {
        match self.include.as_str() {
            "None" => Value::Null,
            "Object" => whole(),
            _ => planarium_protocol::json!({
                "kind": "PartialObjectMetadata", "apiVersion": format!("meta.k8s.io/{}", self.version),
                "metadata": metadata,
            }),
        }
    }
}

/// A table of objects.
pub(super) fn objects(
    kube: &Kube,
    now: SimTime,
    target: &Target,
    all: &[Arc<Object>],
    metadata: Value,
    wish: &Wish,
) -> Value {
    let Columns { columns, cells } = columns::of(&target.info, target.kind);
    let row = |object: &Arc<Object>| {
        let object_value = wish.object(|| object.value_as(&target.api_version), object.metadata());
        planarium_protocol::json!({ "cells": cells(kube, object, now), "object": object_value })
    };
    wish.table(&columns, all.iter().map(row).collect(), metadata)
}

/// A table of Events.
pub(super) fn events(kube: &Kube, now: SimTime, all: &[Value], metadata: Value, wish: &Wish) -> Value {
    let columns = columns::of_events();
    let row = |event: &Value| {
        let about = event.key("involvedObject");
        let age = |key: &str| {
            kube.api()
                .epoch
                .parse(event.text(key))
                .map_or_else(String::new, |at| calendar::age(now.since(at)))
        };
        let cells = planarium_protocol::json!([
            age("lastTimestamp"),
            event.key("type"),
            event.key("reason"),
            format!("{}/{}", about.text("kind").to_lowercase(), about.text("name")),
            about.text("fieldPath"),
            event.key("source").key("component"),
            event.key("message"),
            age("firstTimestamp"),
            event.key("count"),
            event.key("metadata").key("name"),
        ]);
        let object = wish.object(|| event.clone(), event.key("metadata").clone());
        planarium_protocol::json!({ "cells": cells, "object": object })
    };
    wish.table(&columns, all.iter().map(row).collect(), metadata)
}
