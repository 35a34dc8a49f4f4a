//! Building blocks without knowledge of their content.

pub(crate) mod bar;
pub(crate) mod button;
pub(crate) mod dialog;
pub(crate) mod icon;
pub(crate) mod menu;
pub(crate) mod spacer;
pub(crate) mod splitter;
pub(crate) mod status;
pub(crate) mod tabs;
pub(crate) mod virtual_list;

pub(crate) use button::{Button, IconButton};
pub(crate) use dialog::Dialog;
pub(crate) use icon::{icon, icon_at};
pub(crate) use status::{Badge, status_icon, status_icon_at};

use yew::AttrValue;

/// An engine text as an attribute value.
pub(crate) fn attr(text: &str) -> AttrValue {
    AttrValue::from(text.to_owned())
}
