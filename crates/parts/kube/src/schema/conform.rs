//! Bringing an object into the shape of its kind.
//!
//! *Knows*: types and plain defaults. *Must not know*: defaults that depend on other fields.

use super::{Given, Shape, Struct};
use crate::quantity;
use serde_json::{Map, Value};

/// A value of the wrong type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// `Deployment.spec.replicas`, without positions in lists, as Go writes it.
    pub field: String,
    /// `string`, `number`, `bool`, `object`, `array`.
    pub got: &'static str,
    /// `int32`, `string`, ...
    pub wanted: &'static str,
}

impl Mismatch {
    /// `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`.
    pub fn text(&self) -> String {
        let Self { field, got, wanted } = self;
        format!("json: cannot unmarshal {got} into Go struct field {field} of type {wanted}")
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Brings `value` into its shape: fields that are not known and nulls go, plain defaults come, quantities are written as the
/// server writes them. *Errors*: the first value of a wrong type.
pub(crate) fn conform(shape: &Shape, value: &mut Value) -> Result<(), Mismatch> {
    visit(shape, value, &mut Vec::new(), "")
}

fn visit(
    shape: &Shape,
    value: &mut Value,
    path: &mut Vec<&'static str>,
    owner: &str,
) -> Result<(), Mismatch> {
    let wrong = |value: &Value, path: &[&str], wanted| {
        let path = path.join(".");
        Err(Mismatch { field: format!("{owner}.{path}"), got: kind_of(value), wanted })
    };
    match shape {
        Shape::Any => Ok(()),
        Shape::Str => {
            if value.is_string() {
                Ok(())
            } else {
                wrong(value, path, "string")
            }
        }
        Shape::Bool => {
            if value.is_boolean() {
                Ok(())
            } else {
                wrong(value, path, "bool")
            }
        }
        Shape::Long => {
            if value.is_i64() {
                Ok(())
            } else {
                wrong(value, path, "int64")
            }
        }
        Shape::Int => match value.as_i64() {
            Some(number) if i32::try_from(number).is_ok() => Ok(()),
            _ => wrong(value, path, "int32"),
        },
        Shape::IntOrStr => match value {
            Value::String(_) => Ok(()),
            Value::Number(number) if number.is_i64() => Ok(()),
            _ => wrong(value, path, "intstr.IntOrString"),
        },
        Shape::Quantity => match value {
            Value::String(text) => {
                if let Some(canonical) = quantity::canonical(text) {
                    *text = canonical;
                }
                Ok(())
            }
            Value::Number(number) => {
                let text = number.to_string();
                *value = quantity::canonical(&text).unwrap_or(text).into();
                Ok(())
            }
            _ => wrong(value, path, "resource.Quantity"),
        },
        Shape::Map(inner) => {
            let Value::Object(fields) = value else { return wrong(value, path, "map[string]string") };
            for field in fields.values_mut() {
                if field.is_null() && matches!(inner, Shape::Str) {
                    *field = Value::String(String::new());
                }
                visit(inner, field, path, owner)?;
            }
            Ok(())
        }
        Shape::List(inner) => list(value, path, owner, inner),
        Shape::Set => list(value, path, owner, &Shape::Str),
        Shape::Keyed(of, _) | Shape::KeyedRetain(of, _) => list(value, path, owner, &Shape::Of(of)),
        Shape::Of(of) | Shape::Retain(of) => {
            let Value::Object(fields) = value else { return wrong(value, path, of.name) };
            object(of, fields, path)
        }
    }
}

fn list(value: &mut Value, path: &mut Vec<&'static str>, owner: &str, inner: &Shape) -> Result<(), Mismatch> {
    let Value::Array(items) = value else {
        let field = format!("{owner}.{}", path.join("."));
        return Err(Mismatch { field, got: kind_of(value), wanted: "array" });
    };
    items.iter_mut().try_for_each(|item| visit(inner, item, path, owner))
}

fn object(
    of: &'static Struct,
    fields: &mut Map<String, Value>,
    path: &mut Vec<&'static str>,
) -> Result<(), Mismatch> {
    let unknown = |name: &String, value: &Value| value.is_null() || of.field(name).is_none();
    if fields.iter().any(|(name, value)| unknown(name, value)) {
        fields.retain(|name, value| !unknown(name, value));
    }
    for (name, shape, given) in of.fields {
        // Of the many fields that a kind has, an object has few: comparing with these costs less than a hash of each name.
        if fields.keys().any(|own| own == name) {
            if let Some(field) = fields.get_mut(*name) {
                path.push(name);
                visit(shape, field, path, of.name)?;
                path.pop();
            }
            continue;
        }
        let given: Value = match given {
            Given::Nothing => continue,
            Given::Text(text) => (*text).into(),
            Given::Number(number) => (*number).into(),
            Given::Truth(truth) => (*truth).into(),
        };
        fields.insert((*name).to_owned(), given);
    }
    Ok(())
}
