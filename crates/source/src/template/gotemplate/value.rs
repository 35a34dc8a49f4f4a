//! Values as a template sees them, with the types that Go would give them.

use std::cell::RefCell;
use std::rc::Rc;

use planarium_kernel::SortedMap;

use super::sprig::date::Instant;
use super::sprig::version::Version;

/// Values inside each other that are looked at.
const DEEPEST: u32 = 64;

/// Values that are looked at in all.
const MOST: u32 = 1_000_000;

/// Declared element types of lists and maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// `interface {}`.
    Any,
    /// `string`.
    Str,
    /// `int`.
    Int,
}

/// A value. Cloning is cheap; maps are shared, as they are in Go.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// No value at all: what a template without argument is called with, or what a pipeline makes of [`Value::Nil`].
    #[default]
    Invalid,
    /// `nil` inside of a map or a list.
    Nil,
    /// `bool`.
    Bool(bool),
    /// `int`.
    Int(i64),
    /// `int64`.
    Int64(i64),
    /// `uint8`.
    Byte(u8),
    /// `float64`.
    Float(f64),
    /// `string`.
    Str(Rc<str>),
    /// A slice.
    List(List),
    /// A map with text keys.
    Map(Rc<Dict>),
    /// `time.Time`.
    Time(Instant),
    /// `*semver.Version`.
    Version(Rc<Version>),
}

/// A slice with the declared type of its elements.
#[derive(Clone, Debug)]
pub struct List {
    pub(super) items: Rc<[Value]>,
    pub(super) of: Element,
    /// It is Go's nil slice: empty, and `null` in JSON.
    pub(super) nil: bool,
}

/// A map with text keys. Functions such as `set` change it for everybody who holds it.
#[derive(Debug)]
pub struct Dict {
    entries: RefCell<SortedMap<Rc<str>, Value>>,
    pub(super) of: Element,
}

impl Dict {
    /// A map of values of any type.
    pub fn of_values(entries: impl IntoIterator<Item = (Rc<str>, Value)>) -> Rc<Self> {
        Self::new(entries.into_iter().collect(), Element::Any)
    }

    /// A map of texts, which Go knows as `map[string]string`.
    pub fn of_texts<'t>(entries: impl IntoIterator<Item = (&'t str, &'t str)>) -> Rc<Self> {
        let entries = entries.into_iter().map(|(key, text)| (Rc::from(key), Value::str(text))).collect();
        Self::new(entries, Element::Str)
    }

    pub(super) fn new(entries: SortedMap<Rc<str>, Value>, of: Element) -> Rc<Self> {
        Rc::new(Self { entries: RefCell::new(entries), of })
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<Value> {
        self.entries.try_borrow().ok()?.get(key).cloned()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.try_borrow().map_or(0, |entries| entries.len())
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every entry by key.
    pub(super) fn entries(&self) -> Vec<(Rc<str>, Value)> {
        let Ok(entries) = self.entries.try_borrow() else { return Vec::new() };
        entries.iter().map(|(key, value)| (Rc::clone(key), value.clone())).collect()
    }

    pub(super) fn set(&self, key: Rc<str>, value: Value) {
        if let Ok(mut entries) = self.entries.try_borrow_mut() {
            entries.insert(key, value);
        }
    }

    pub(super) fn unset(&self, key: &str) {
        if let Ok(mut entries) = self.entries.try_borrow_mut() {
            entries.remove(key);
        }
    }

    /// Lets go of everything, so that maps that hold each other are freed.
    pub(super) fn clear(&self) {
        let taken = self.entries.try_borrow_mut().map(|mut entries| std::mem::take(&mut *entries));
        drop(taken);
    }

    /// Returns whether it is the very same map as another.
    pub(super) fn is(self: &Rc<Self>, other: &Rc<Self>) -> bool {
        Rc::ptr_eq(self, other)
    }
}

impl Value {
    /// A text.
    pub fn str(text: impl Into<Rc<str>>) -> Self {
        Self::Str(text.into())
    }

    /// A list of values of any type.
    pub fn list(items: impl Into<Rc<[Value]>>) -> Self {
        Self::List(List { items: items.into(), of: Element::Any, nil: false })
    }

    /// A list of texts, which Go knows as `[]string`.
    pub fn texts(items: Vec<Value>) -> Self {
        Self::List(List { items: items.into(), of: Element::Str, nil: false })
    }

    pub(super) fn ints(items: Vec<Value>) -> Self {
        Self::List(List { items: items.into(), of: Element::Int, nil: false })
    }

    /// A nil slice.
    pub(super) fn no_list(of: Element) -> Self {
        Self::List(List { items: Rc::from([]), of, nil: true })
    }

    /// JSON as Go decodes it into `interface{}`: every number is a float.
    pub fn from_json(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Nil,
            serde_json::Value::Bool(flag) => Self::Bool(*flag),
            serde_json::Value::Number(number) => Self::Float(number.as_f64().unwrap_or_default()),
            serde_json::Value::String(text) => Self::str(text.as_str()),
            serde_json::Value::Array(items) => {
                Self::list(items.iter().map(Self::from_json).collect::<Vec<_>>())
            }
            serde_json::Value::Object(entries) => {
                let entries =
                    entries.iter().map(|(key, value)| (Rc::from(key.as_str()), Self::from_json(value)));
                Self::Map(Dict::of_values(entries))
            }
        }
    }

    /// The value as JSON; floats that are no numbers become null, and so does what lies too deep or is too much.
    pub(super) fn to_json(&self) -> serde_json::Value {
        self.to_json_within(DEEPEST, &mut { MOST }, true)
    }

    /// The value as data for YAML, where nil slices are empty lists.
    pub(super) fn to_yaml(&self) -> serde_json::Value {
        self.to_json_within(DEEPEST, &mut { MOST }, false)
    }

    fn to_json_within(&self, depth: u32, left: &mut u32, nil_lists: bool) -> serde_json::Value {
        use serde_json::Value as Json;
        let Some((depth, rest)) = depth.checked_sub(1).zip(left.checked_sub(1)) else { return Json::Null };
        *left = rest;
        match self {
            Self::Invalid | Self::Nil => Json::Null,
            Self::Bool(flag) => Json::Bool(*flag),
            Self::Int(number) | Self::Int64(number) => Json::from(*number),
            Self::Byte(number) => Json::from(*number),
            Self::Float(number) => serde_json::Number::from_f64(*number).map_or(Json::Null, Json::Number),
            Self::Str(text) => Json::from(&**text),
            Self::List(List { nil: true, .. }) if nil_lists => Json::Null,
            Self::List(list) => Json::Array(
                list.items.iter().map(|item| item.to_json_within(depth, left, nil_lists)).collect(),
            ),
            Self::Map(map) => Json::Object(
                map.entries()
                    .into_iter()
                    .map(|(key, value)| (key.to_string(), value.to_json_within(depth, left, nil_lists)))
                    .collect(),
            ),
            Self::Time(at) => Json::from(at.rfc3339()),
            Self::Version(version) => Json::from(version.to_string()),
        }
    }

    /// Returns whether a condition on it holds.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Invalid | Self::Nil => false,
            Self::Bool(flag) => *flag,
            Self::Int(number) | Self::Int64(number) => *number != 0,
            Self::Byte(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Str(text) => !text.is_empty(),
            Self::List(list) => !list.items.is_empty(),
            Self::Map(map) => !map.is_empty(),
            Self::Time(_) | Self::Version(_) => true,
        }
    }

    /// Go's name of its type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Invalid | Self::Nil => "interface {}",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Int64(_) => "int64",
            Self::Byte(_) => "uint8",
            Self::Float(_) => "float64",
            Self::Str(_) => "string",
            Self::List(list) => match list.of {
                Element::Any => "[]interface {}",
                Element::Str => "[]string",
                Element::Int => "[]int",
            },
            Self::Map(map) => match map.of {
                Element::Str => "map[string]string",
                Element::Any | Element::Int => "map[string]interface {}",
            },
            Self::Time(_) => "time.Time",
            Self::Version(_) => "*semver.Version",
        }
    }

    /// Go's name of its kind.
    pub(super) fn kind_name(&self) -> &'static str {
        match self {
            Self::Invalid | Self::Nil => "invalid",
            Self::List(_) => "slice",
            Self::Map(_) => "map",
            Self::Time(_) => "struct",
            Self::Version(_) => "ptr",
            other => other.type_name(),
        }
    }

    pub(super) fn is_nil(&self) -> bool {
        matches!(self, Self::Invalid | Self::Nil)
    }

    /// `reflect.DeepEqual`: types count.
    pub(super) fn deep_equal(&self, other: &Self) -> bool {
        self.equal_within(other, DEEPEST, &mut { MOST })
    }

    fn equal_within(&self, other: &Self, depth: u32, left: &mut u32) -> bool {
        let Some((depth, rest)) = depth.checked_sub(1).zip(left.checked_sub(1)) else { return false };
        *left = rest;
        match (self, other) {
            (Self::Invalid | Self::Nil, Self::Invalid | Self::Nil) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) | (Self::Int64(a), Self::Int64(b)) => a == b,
            (Self::Byte(a), Self::Byte(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(b).is_some_and(std::cmp::Ordering::is_eq),
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::List(a), Self::List(b)) => {
                a.of == b.of
                    && a.nil == b.nil
                    && a.items.len() == b.items.len()
                    && a.items.iter().zip(b.items.iter()).all(|(a, b)| a.equal_within(b, depth, left))
            }
            (Self::Map(a), Self::Map(b)) => {
                a.is(b)
                    || a.of == b.of
                        && a.len() == b.len()
                        && a.entries()
                            .iter()
                            .zip(b.entries().iter())
                            .all(|((ka, a), (kb, b))| ka == kb && a.equal_within(b, depth, left))
            }
            (Self::Time(a), Self::Time(b)) => a == b,
            (Self::Version(a), Self::Version(b)) => a == b,
            _ => false,
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Str(text.into())
    }
}

/// As Go's `%v` writes it.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&super::format::show(self))
    }
}
