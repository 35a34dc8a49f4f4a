//! Argument types of functions.

use super::exec::Machine;
use super::value::{Element, Value};

/// The declared type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// `interface {}`
    Any,
    /// `reflect.Value`: anything, and constants by their looks.
    Reflect,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `float64`
    Float,
    /// `string`
    Str,
    /// `map[string]interface {}`
    Dict,
    /// `time.Time`
    Time,
}

impl Type {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Any => "interface {}",
            Self::Reflect => "reflect.Value",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float64",
            Self::Str => "string",
            Self::Dict => "map[string]interface {}",
            Self::Time => "time.Time",
        }
    }

    /// Returns whether `nil` is a value of it.
    pub(super) const fn can_be_nil(self) -> bool {
        matches!(self, Self::Any | Self::Reflect | Self::Dict)
    }

    /// Returns whether a value may be passed as it is.
    pub(super) fn takes(self, value: &Value) -> bool {
        match self {
            Self::Any | Self::Reflect => true,
            Self::Bool => matches!(value, Value::Bool(_)),
            Self::Int => matches!(value, Value::Int(_)),
            Self::Float => matches!(value, Value::Float(_)),
            Self::Str => matches!(value, Value::Str(_)),
            Self::Dict => matches!(value, Value::Map(map) if map.of != Element::Str),
            Self::Time => matches!(value, Value::Time(_)),
        }
    }
}

/// Result of a function.
pub(super) type Answer = Result<Value, String>;

/// A function that templates may call.
pub(super) struct Function {
    pub(super) name: &'static str,
    /// Types of the arguments that must be there.
    pub(super) takes: &'static [Type],
    /// Type of the arguments that may follow.
    pub(super) more: Option<Type>,
    pub(super) run: fn(&mut Machine<'_>, &[Value]) -> Answer,
}

/// An argument; no value where there is none.
pub(super) fn arg(args: &[Value], at: usize) -> &Value {
    args.get(at).unwrap_or(&Value::Invalid)
}

/// A text argument.
pub(super) fn text(args: &[Value], at: usize) -> &str {
    match args.get(at) {
        Some(Value::Str(text)) => text,
        _ => "",
    }
}

/// A number argument.
pub(super) fn int(args: &[Value], at: usize) -> i64 {
    match args.get(at) {
        Some(Value::Int(number) | Value::Int64(number)) => *number,
        _ => 0,
    }
}
