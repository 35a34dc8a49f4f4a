//! Fields that a kind does not have.

use super::{Shape, Struct};
use serde_json::Value;
use std::fmt::Write as _;

/// Maximum number reported for one object.
const MOST: usize = 50;

/// A field that the server drops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Path of the enclosing object: `spec.template.spec.containers[0]`; empty at the top.
    pub within: String,
    /// Its name.
    pub name: String,
    /// Names of the fields that this place has.
    pub known: Vec<&'static str>,
}

impl Unknown {
    /// The path of the field itself.
    pub fn path(&self) -> String {
        if self.within.is_empty() { self.name.clone() } else { format!("{}.{}", self.within, self.name) }
    }
}

/// Fields of a value that its shape does not have. *Order*: of the text.
pub(crate) fn unknown_fields(shape: &Shape, value: &Value) -> Vec<Unknown> {
    let mut found = Vec::new();
    visit(shape, value, &mut String::new(), &mut found);
    found
}

fn visit(shape: &Shape, value: &Value, path: &mut String, found: &mut Vec<Unknown>) {
    if found.len() >= MOST {
        return;
    }
    match shape {
        Shape::Of(of) | Shape::Retain(of) => object(of, value, path, found),
        Shape::Keyed(of, _) | Shape::KeyedRetain(of, _) => each(value, path, found, &Shape::Of(of)),
        Shape::List(inner) => each(value, path, found, inner),
        Shape::Map(inner) => {
            for (key, field) in value.as_object().into_iter().flatten() {
                let length = path.len();
                let _ = write!(path, "[{key}]");
                visit(inner, field, path, found);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

fn each(value: &Value, path: &mut String, found: &mut Vec<Unknown>, inner: &Shape) {
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        let length = path.len();
        let _ = write!(path, "[{at}]");
        visit(inner, item, path, found);
        path.truncate(length);
    }
}

fn object(of: &'static Struct, value: &Value, path: &mut String, found: &mut Vec<Unknown>) {
    for (name, field) in value.as_object().into_iter().flatten() {
        let Some((_, shape, _)) = of.field(name) else {
            if found.len() < MOST {
                let known = of.fields.iter().map(|(name, ..)| *name).collect();
                found.push(Unknown { within: path.clone(), name: name.clone(), known });
            }
            continue;
        };
        let length = path.len();
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
        visit(shape, field, path, found);
        path.truncate(length);
    }
}
