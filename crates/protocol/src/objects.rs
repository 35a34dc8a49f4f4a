//! Objects of an API on the machines: a list of all, and one object with its conditions, its events and its text.
//!
//! *Units*: ages are texts as the API's own client writes them: `12s`, `3m4s`.

use crate::Text;
use crate::json::Read;
use serde::{Deserialize, Serialize};

/// An object in the list of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ObjectRow {
    /// Names it among all: kind word, namespace and name, as in `deployment.apps/default/web`.
    pub key: Text,
    /// Its kind.
    pub kind: Text,
    /// Its namespace; empty for kinds that have none.
    pub namespace: Text,
    /// Its name.
    pub name: Text,
    /// Key of the object that manages it; empty if nothing does.
    pub owner: Text,
    /// Its state in few words.
    pub state: Text,
    /// A condition says that something is wrong.
    pub warns: bool,
}

/// A condition of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ObjectCondition {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Text,
    /// `True`, `False` or `Unknown`.
    pub status: Text,
    /// One word.
    pub reason: Text,
    /// For people.
    pub message: Text,
    /// Age of its status.
    pub since: Text,
    /// This status says that something is wrong, or not yet right.
    pub warns: bool,
}

/// Something that was reported about an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ObjectEvent {
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub kind: Text,
    /// One word.
    pub reason: Text,
    /// Age of the last occurrence.
    pub age: Text,
    /// Age of the first occurrence.
    pub first: Text,
    /// Number of occurrences.
    pub count: u32,
    /// The component that reported it.
    pub from: Text,
    /// For people.
    pub message: Text,
}

/// Origin of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
pub enum Origin {
    /// It was applied, or nobody applied the object.
    Applied,
    /// The server or a controller filled it in.
    Default,
    /// It was applied with this other value, and changed since.
    Changed(Text),
}

/// A line of an object's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ObjectLine {
    /// The line without its end.
    pub text: Text,
    /// Its origin.
    pub origin: Origin,
}

/// An object with all that its API says about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ObjectView {
    /// Its row in the list.
    pub row: ObjectRow,
    /// Age.
    pub age: Text,
    /// Somebody applied it; otherwise a controller made it, or a client created it.
    pub applied: bool,
    /// Its conditions, in the order of its status.
    pub conditions: Vec<ObjectCondition>,
    /// Its latest events, oldest first.
    pub events: Vec<ObjectEvent>,
    /// Number of older events left out.
    pub more_events: u32,
    /// Its text without its status.
    pub lines: Vec<ObjectLine>,
}
